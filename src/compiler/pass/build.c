#include "compiler/pass/build.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/size.h"

gali_builder gali_build_start(gali_arena *arena, uint32_t least, uint32_t most, gal_error *error) {
    gali_builder b = {.graph = gali_net_make(arena, least, most), .error = error};
    if (!b.graph) {
        b.status = gali_fail(error, GAL_NO_MEMORY, "no memory for the graph");
    }
    return b;
}

uint32_t gali_build(gali_builder *b, gali_net_node node, const char *format, ...) {
    char name[GALI_NET_NAME_MAX + 1];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    if (b->status != GAL_OK) {
        return 0;
    }
    gal_error inner = {0};
    node.name = name;
    uint32_t index = gali_net_add(b->graph, &node, &inner);
    if (index == GALI_NET_NO_NODE) {
        b->status = gali_fail(b->error, inner.status, "%s", inner.message);
        return 0;
    }
    return index;
}

uint32_t gali_build_constant(gali_builder *b, gali_net_type type, const void *data, const char *name) {
    return gali_build(b, (gali_net_node){.op = GALI_NET_OP_constant, .type = type, .data = data}, "%s", name);
}

void *gali_build_values(gali_builder *b, size_t count) {
    if (b->status != GAL_OK) {
        return NULL;
    }
    size_t size = gali_size_mul(count, sizeof(float));
    void *values = gali_arena_take(b->graph->arena, size);
    if (!values) {
        b->status = gali_fail(b->error, GAL_NO_MEMORY, "no memory for %zu bytes of constants", size);
    }
    return values;
}

uint32_t gali_build_copy(gali_builder *b, const gali_net *from, uint32_t index, const uint32_t *map) {
    gali_net_node node = from->nodes[index];
    for (uint32_t i = 0; i < node.operand_count; i++) {
        node.operands[i] = map[node.operands[i]];
    }
    return gali_build(b, node, "%s", from->nodes[index].name);
}
