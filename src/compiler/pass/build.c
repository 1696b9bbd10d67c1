#include "compiler/pass/build.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "graph/evaluate.h"

static void fail_memory(gali_builder *b) {
    if (b->status == GAL_OK) {
        b->status = gali_fail(b->error, GAL_NO_MEMORY, "no memory for the graph");
    }
}

gali_builder gali_build_start(gali_arena *arena, const gali_graph *like, gal_error *error) {
    gali_builder b = {.graph = gali_graph_make(arena), .error = error};
    if (!b.graph) {
        fail_memory(&b);
    } else if (like) {
        b.graph->extents = like->extents;
    }
    return b;
}

void *gali_build_take(gali_builder *b, size_t count, size_t size) {
    void *taken = b->status == GAL_OK ? gali_arena_take(b->graph->arena, gali_size_mul(count, size)) : NULL;
    if (!taken) {
        fail_memory(b);
    }
    return taken;
}

/* A value, or 0 with the builder failed. */
static uint32_t checked(gali_builder *b, uint32_t value) {
    if (b->graph->arena->failed || value == GALI_NONE) {
        fail_memory(b);
        return 0;
    }
    return value;
}

static void name_value(char name[GALI_BUILD_NAME_MAX + 1], const char *format, va_list arguments) {
    vsnprintf(name, GALI_BUILD_NAME_MAX + 1, format, arguments);
}

uint32_t gali_build_input(gali_builder *b, const char *name, const gali_type *type) {
    if (b->status != GAL_OK) {
        return 0;
    }
    uint32_t value = checked(b, gali_graph_value(b->graph, name, type));
    if (b->status == GAL_OK) {
        gali_graph_input(b->graph, value);
    }
    return value;
}

uint32_t gali_build_floats(gali_builder *b, const gali_type *type, float *values, const char *format, ...) {
    char name[GALI_BUILD_NAME_MAX + 1];
    va_list arguments;
    va_start(arguments, format);
    name_value(name, format, arguments);
    va_end(arguments);
    if (b->status != GAL_OK || !values) {
        return 0;
    }
    gali_extent count = gali_type_count(b->graph->extents, type);
    for (gali_extent i = 0; i < count; i++) {
        unsigned char bytes[sizeof *values];
        gali_element_store(GALI_f32, (double)values[i], 0, bytes);
        memcpy(&values[i], bytes, sizeof bytes);
    }
    return checked(b, gali_graph_constant(b->graph, name, type, values));
}

uint32_t gali_build_list(gali_builder *b, gali_element element, uint32_t count, const uint32_t *values,
                         const char *format, ...) {
    char name[GALI_BUILD_NAME_MAX + 1];
    uint32_t size = gali_element_list[element].bytes;
    va_list arguments;
    va_start(arguments, format);
    name_value(name, format, arguments);
    va_end(arguments);
    unsigned char *bytes = values ? gali_build_take(b, count, size) : NULL;
    for (uint32_t i = 0; bytes && i < count; i++) {
        gali_element_store(element, 0, values[i], bytes + (size_t)i * size);
    }
    gali_type type = {.element = element, .rank = 1, .shape = {count}};
    return bytes ? checked(b, gali_graph_constant(b->graph, name, &type, bytes)) : 0;
}

static uint32_t add_node(gali_builder *b, gali_node node, const char *name) {
    static const gali_type unknown = {.rank = -1};
    uint32_t results[2];
    char second[GALI_BUILD_NAME_MAX + 8];
    if (b->status != GAL_OK) {
        return 0;
    }
    snprintf(second, sizeof second, "%s_expert", name);
    node.result_count = node.result_count ? node.result_count : 1;
    node.results = results;
    for (uint32_t i = 0; i < node.result_count; i++) {
        results[i] = checked(b, gali_graph_value(b->graph, i ? second : name, &unknown));
    }
    if (b->status == GAL_OK) {
        checked(b, gali_graph_node(b->graph, &node));
    }
    return b->status == GAL_OK ? results[0] : 0;
}

uint32_t gali_build_node(gali_builder *b, gali_node node, const char *format, ...) {
    char name[GALI_BUILD_NAME_MAX + 1];
    va_list arguments;
    va_start(arguments, format);
    name_value(name, format, arguments);
    va_end(arguments);
    return add_node(b, node, name);
}

uint32_t gali_build(gali_builder *b, gali_op op, uint32_t first, uint32_t second, const char *format, ...) {
    char name[GALI_BUILD_NAME_MAX + 1];
    uint32_t operands[] = {first, second};
    va_list arguments;
    va_start(arguments, format);
    name_value(name, format, arguments);
    va_end(arguments);
    return add_node(
        b, (gali_node){.op = op, .operand_count = second == GALI_NONE ? 1 : 2, .operands = operands}, name);
}

/* ---- copying ---- */

uint32_t gali_build_mapped(gali_builder *b, const gali_graph *from, uint32_t value, uint32_t *map) {
    const gali_value *v = value == GALI_NONE ? NULL : &from->values[value];
    if (b->status != GAL_OK || !v) {
        return v ? 0 : GALI_NONE;
    }
    if (map[value] == GALI_NONE && v->data) {
        map[value] = checked(b, gali_graph_constant(b->graph, v->name, &v->type, v->data));
    }
    return map[value];
}

void gali_build_copy(gali_builder *b, const gali_graph *from, uint32_t index, uint32_t *map) {
    gali_node node = from->nodes[index];
    uint32_t *operands = gali_build_take(b, node.operand_count, sizeof *operands);
    uint32_t *results = gali_build_take(b, node.result_count, sizeof *results);
    for (uint32_t i = 0; b->status == GAL_OK && i < node.operand_count; i++) {
        operands[i] = gali_build_mapped(b, from, node.operands[i], map);
    }
    for (uint32_t i = 0; b->status == GAL_OK && i < node.result_count; i++) {
        const gali_value *v = &from->values[node.results[i]];
        results[i] = checked(b, gali_graph_value(b->graph, v->name, &v->type));
    }
    if (b->status != GAL_OK) {
        return;
    }
    for (uint32_t i = 0; i < node.result_count; i++) {
        map[node.results[i]] = results[i];
    }
    node.operands = operands;
    node.results = results;
    checked(b, gali_graph_node(b->graph, &node));
}

uint32_t *gali_build_map(gali_builder *b, const gali_graph *from) {
    uint32_t *map = gali_build_take(b, from->value_count, sizeof *map);
    for (uint32_t i = 0; map && i < from->value_count; i++) {
        map[i] = GALI_NONE;
    }
    for (uint32_t i = 0; map && i < from->input_count; i++) {
        const gali_value *v = &from->values[from->inputs[i]];
        map[from->inputs[i]] = gali_build_input(b, v->name, &v->type);
    }
    return map;
}

gal_status gali_build_end(gali_builder *b, const gali_graph *from, uint32_t *map) {
    for (uint32_t i = 0; b->status == GAL_OK && i < from->output_count; i++) {
        gali_graph_output(b->graph, gali_build_mapped(b, from, from->outputs[i], map));
        checked(b, 0);
    }
    return b->status;
}
