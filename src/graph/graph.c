#include "graph/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A list with room for one more element; NULL without memory or at `most`. */
static void *room(gali_arena *arena, void *list, uint32_t count, uint32_t *capacity, size_t size,
                  uint32_t most) {
    if (count < *capacity && count < most) {
        return list;
    }
    uint32_t more = *capacity ? 2 * *capacity : 16;
    void *copy = count < most ? gali_arena_take(arena, more * size) : NULL;
    if (!copy) {
        arena->failed = 1;
        return NULL;
    }
    if (count) {
        memcpy(copy, list, count * size);
    }
    *capacity = more;
    return copy;
}

gali_graph *gali_graph_make(gali_arena *arena) {
    gali_graph *graph = gali_arena_take(arena, sizeof *graph);
    if (graph) {
        graph->arena = arena;
        graph->extents = gali_extents_make(arena);
    }
    return graph && graph->extents ? graph : NULL;
}

gali_graph *gali_graph_body(const gali_graph *graph) {
    gali_graph *body = gali_arena_take(graph->arena, sizeof *body);
    if (body) {
        body->arena = graph->arena;
        body->extents = graph->extents;
        body->depth = graph->depth + 1;
    }
    return body;
}

uint32_t gali_graph_value(gali_graph *graph, const char *name, const gali_type *type) {
    gali_value *list = room(graph->arena, graph->values, graph->value_count, &graph->value_capacity,
                            sizeof *graph->values, GALI_GRAPH_VALUES_MAX);
    const char *copy = list ? gali_arena_copy(graph->arena, name, strlen(name)) : NULL;
    if (!copy) {
        return GALI_NONE;
    }
    graph->values = list;
    graph->values[graph->value_count] = (gali_value){.name = copy, .type = *type, .node = GALI_NONE};
    return graph->value_count++;
}

uint32_t gali_graph_constant(gali_graph *graph, const char *name, const gali_type *type, const void *data) {
    uint32_t value = gali_graph_value(graph, name, type);
    if (value == GALI_NONE) {
        return value;
    }
    gali_value *constant = &graph->values[value];
    constant->data = data;
    gali_extent count = gali_type_count(graph->extents, type);
    if (!data || gali_element_list[type->element].kind == GALI_REAL || count > GALI_GRAPH_KNOWN_MAX ||
        count < 0) {
        return value;
    }
    gali_extent *known = gali_arena_take(graph->arena, ((size_t)count + 1) * sizeof *known);
    for (gali_extent i = 0; known && i < count; i++) {
        known[i] = gali_extent_of(gali_constant_whole(constant, (size_t)i));
    }
    constant->known = known;
    return known ? value : GALI_NONE;
}

/* The list has room for the next power of two. */
static void append(gali_graph *graph, uint32_t **list, uint32_t *count, uint32_t value) {
    if ((*count & (*count - 1)) == 0) {
        uint32_t *more = gali_arena_take(graph->arena, (2 * (size_t)*count + 1) * sizeof *more);
        if (!more) {
            return;
        }
        if (*count) {
            memcpy(more, *list, *count * sizeof *more);
        }
        *list = more;
    }
    (*list)[(*count)++] = value;
}

void gali_graph_input(gali_graph *graph, uint32_t value) {
    append(graph, &graph->inputs, &graph->input_count, value);
}

void gali_graph_output(gali_graph *graph, uint32_t value) {
    append(graph, &graph->outputs, &graph->output_count, value);
}

/* A copy in the arena; of nothing a place all the same, so that NULL says no memory. */
static void *copy(gali_arena *arena, const void *from, size_t size) {
    void *to = gali_arena_take(arena, size + 1);
    return to && size ? memcpy(to, from, size) : to;
}

static int copy_attribute(gali_arena *arena, gali_attribute *attribute) {
    attribute->name = copy(arena, attribute->name, strlen(attribute->name) + 1);
    if (attribute->ints) {
        int64_t *ints = copy(arena, attribute->ints, attribute->count * sizeof *ints);
        for (uint32_t i = 0; ints && i < attribute->count; i++) {
            ints[i] = gali_extent_of(ints[i]);
        }
        attribute->ints = ints;
    }
    if (attribute->numbers) {
        attribute->numbers = copy(arena, attribute->numbers, attribute->count * sizeof *attribute->numbers);
    }
    if (attribute->word) {
        attribute->word = gali_arena_copy(arena, attribute->word, attribute->count);
    }
    return !arena->failed;
}

uint32_t gali_graph_node(gali_graph *graph, const gali_node *node) {
    gali_arena *arena = graph->arena;
    gali_node *list = room(arena, graph->nodes, graph->node_count, &graph->node_capacity, sizeof *graph->nodes,
                           GALI_GRAPH_NODES_MAX);
    if (!list) {
        return GALI_NONE;
    }
    graph->nodes = list;
    gali_node made = *node;
    made.name = gali_arena_copy(arena, node->name ? node->name : "", node->name ? strlen(node->name) : 0);
    made.operands = copy(arena, node->operands, node->operand_count * sizeof *node->operands);
    made.results = copy(arena, node->results, node->result_count * sizeof *node->results);
    made.attributes = copy(arena, node->attributes, node->attribute_count * sizeof *node->attributes);
    made.bodies = copy(arena, (const void *)node->bodies, node->body_count * sizeof *node->bodies);
    for (uint32_t i = 0; !arena->failed && i < made.attribute_count; i++) {
        copy_attribute(arena, &made.attributes[i]);
    }
    if (arena->failed) {
        return GALI_NONE;
    }
    for (uint32_t i = 0; i < made.result_count; i++) {
        if (made.results[i] != GALI_NONE) {
            graph->values[made.results[i]].node = graph->node_count;
        }
    }
    graph->nodes[graph->node_count] = made;
    return graph->node_count++;
}

const char *gali_node_place(const gali_graph *graph, const gali_node *node) {
    gali_text text = {0};
    gali_text_add(&text, "node %u \"%.100s\" (%s)",
                  node->source ? node->source - 1 : (unsigned)(node - graph->nodes), node->name,
                  gali_op_list[node->op].name);
    const char *place = text.failed ? NULL : gali_arena_copy(graph->arena, text.bytes, text.size);
    gali_text_release(&text);
    return place ? place : "a node";
}

/* ---- attributes ---- */

const gali_attribute *gali_node_attribute(const gali_node *node, const char *name) {
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        if (strcmp(node->attributes[i].name, name) == 0) {
            return &node->attributes[i];
        }
    }
    return NULL;
}

static int is_same_attribute(const gali_attribute *a, const gali_attribute *b) {
    return a->kind == b->kind && a->count == b->count &&
           (!a->ints || memcmp(a->ints, b->ints, a->count * sizeof *a->ints) == 0) &&
           (!a->numbers || memcmp(a->numbers, b->numbers, a->count * sizeof *a->numbers) == 0) &&
           (!a->word || memcmp(a->word, b->word, a->count) == 0);
}

int gali_node_has_same_attributes(const gali_node *a, const gali_node *b) {
    int same = a->attribute_count == b->attribute_count;
    for (uint32_t i = 0; same && i < a->attribute_count; i++) {
        const gali_attribute *other = gali_node_attribute(b, a->attributes[i].name);
        same = other && is_same_attribute(&a->attributes[i], other);
    }
    return same;
}

/* What follows "=" of the attribute in its operator's row; "" where the row has no default. */
static const char *default_of(const gali_node *node, const char *name) {
    size_t size = strlen(name);
    for (const char *at = gali_op_list[node->op].attributes; *at; at += strcspn(at, " "), at += *at == ' ') {
        if (strncmp(at, name, size) == 0 && at[size] == ':') {
            const char *equals = at + strcspn(at, " =");
            return *equals == '=' ? equals + 1 : "";
        }
    }
    return "";
}

int64_t gali_node_int(const gali_node *node, const char *name) {
    const gali_attribute *attribute = gali_node_attribute(node, name);
    return attribute && attribute->ints && attribute->count ? attribute->ints[0]
                                                            : strtoll(default_of(node, name), NULL, 10);
}

/* A decimal of ops.def: digits, a dot, digits, perhaps an exponent; a host's locale does not matter. */
static double decimal(const char *text) {
    double value = 0, scale = 1;
    int sign = *text == '-';
    for (text += sign; *text >= '0' && *text <= '9'; text++) {
        value = 10 * value + (*text - '0');
    }
    for (text += *text == '.'; *text >= '0' && *text <= '9'; text++) {
        value = 10 * value + (*text - '0');
        scale *= 10;
    }
    for (long e = *text == 'e' ? strtol(text + 1, NULL, 10) : 0; e != 0; e += e < 0 ? 1 : -1) {
        scale *= e < 0 ? 10 : 0.1;
    }
    return (sign ? -1 : 1) * (value / scale);
}

double gali_node_number(const gali_node *node, const char *name) {
    const gali_attribute *attribute = gali_node_attribute(node, name);
    return attribute && attribute->numbers && attribute->count ? attribute->numbers[0]
                                                               : decimal(default_of(node, name));
}

const char *gali_node_word(const gali_node *node, const char *name) {
    const gali_attribute *attribute = gali_node_attribute(node, name);
    return attribute && attribute->word ? attribute->word : default_of(node, name);
}

int gali_node_is(const gali_node *node, const char *name, const char *word) {
    const char *own = gali_node_word(node, name);
    size_t size = strlen(word);
    return strncmp(own, word, size) == 0 && (own[size] == 0 || own[size] == ' ');
}

/* ---- types and constants ---- */

gali_extent gali_type_count(gali_extents *extents, const gali_type *type) {
    gali_extent count = type->rank < 0 ? GALI_EXTENT_UNKNOWN : 1;
    for (int i = 0; i < type->rank; i++) {
        count = gali_extent_mul(extents, count, type->shape[i]);
    }
    return count;
}

int gali_type_equal(const gali_type *a, const gali_type *b) {
    int equal = a->element == b->element && a->rank == b->rank;
    for (int i = 0; equal && i < a->rank; i++) {
        equal = a->shape[i] == b->shape[i];
    }
    return equal;
}

void gali_type_print(const gali_extents *extents, const gali_type *type, gali_text *text) {
    gali_text_add(text, "%s", gali_element_list[type->element].word);
    gali_text_add(text, type->rank < 0 ? "[..." : "[");
    for (int i = 0; i < type->rank; i++) {
        gali_text_add(text, "%s", i ? ", " : "");
        gali_extent_print(extents, type->shape[i], text);
    }
    gali_text_add(text, "]");
}

static uint64_t bits_of(const unsigned char *data, uint32_t bytes) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        bits |= (uint64_t)data[i] << (8 * i);
    }
    return bits;
}

static double of_half(uint32_t bits) {
    double sign = bits >> 15 ? -1 : 1, fraction = bits & 0x3ff;
    uint32_t exponent = bits >> 10 & 31;
    if (exponent == 31) {
        return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
    }
    double value = exponent ? 1 + fraction / 1024 : fraction / 1024;
    for (int e = exponent ? (int)exponent - 15 : -14; e != 0; e += e < 0 ? 1 : -1) {
        value *= e < 0 ? 0.5 : 2;
    }
    return sign * value;
}

static double of_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double of_double(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double gali_constant_real(const gali_value *constant, size_t i) {
    gali_element element = constant->type.element;
    uint32_t bytes = gali_element_list[element].bytes;
    uint64_t bits = bits_of((const unsigned char *)constant->data + i * bytes, bytes);
    switch (element) {
    case GALI_f32:
        return of_float((uint32_t)bits);
    case GALI_f64:
        return of_double(bits);
    case GALI_f16:
        return of_half((uint32_t)bits);
    case GALI_bf16:
        return of_float((uint32_t)bits << 16);
    case GALI_u64:
        return (double)bits;
    default:
        return (double)gali_constant_whole(constant, i);
    }
}

int64_t gali_constant_whole(const gali_value *constant, size_t i) {
    gali_element element = constant->type.element;
    const gali_element_facts *facts = &gali_element_list[element];
    if (facts->kind == GALI_REAL) {
        double real = gali_constant_real(constant, i);
        return real >= -9e18 && real <= 9e18 ? (int64_t)real : 0;
    }
    uint64_t bits = bits_of((const unsigned char *)constant->data + i * facts->bytes, facts->bytes);
    uint32_t unused = 64 - 8 * facts->bytes;
    if (facts->kind == GALI_SIGNED && unused) { /* the sign's bit is repeated */
        uint64_t sign = (uint64_t)1 << (8 * facts->bytes - 1);
        bits = (bits ^ sign) - sign;
    }
    return facts->kind == GALI_TRUTH ? bits != 0 : (int64_t)bits;
}

const double *gali_value_reals(const gali_graph *graph, gali_value *value) {
    if (value->reals) {
        return value->reals;
    }
    gali_extent count = gali_type_count(graph->extents, &value->type);
    if (!value->data || gali_element_list[value->type.element].kind != GALI_REAL || count < 0 ||
        count > GALI_GRAPH_KNOWN_MAX) {
        return NULL;
    }
    double *reals = gali_arena_take(graph->arena, ((size_t)count + 1) * sizeof *reals);
    for (gali_extent i = 0; reals && i < count; i++) {
        reals[i] = gali_constant_real(value, (size_t)i);
    }
    value->reals = reals;
    return reals;
}
