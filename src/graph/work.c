#include "graph/work.h"

#include <string.h>

enum {
    SIZE_MIDDLING = 100,
    /* in multiply-adds of a vector, roughly: what divides, what is a polynomial, what is two */
    STEPS_DIVIDE = 4,
    STEPS_FUNCTION = 16,
    STEPS_POWER = 32,
};

const int64_t *gali_work_sizes(const gali_extents *extents, gali_arena *arena) {
    uint32_t count = gali_extent_symbols(extents);
    int64_t *sizes = gali_arena_take(arena, (count + 1) * sizeof *sizes);
    for (uint32_t i = 0; sizes && i < count; i++) {
        int64_t least, most;
        gali_extent_symbol_range(extents, i, &least, &most);
        sizes[i] = SIZE_MIDDLING < least ? least : SIZE_MIDDLING > most ? most : SIZE_MIDDLING;
    }
    return sizes;
}

/* 0 where it is not known. */
static double value_of(gali_extents *extents, const int64_t *sizes, gali_extent extent) {
    int64_t value = gali_extent_value(extents, extent, sizes);
    return value > 0 ? (double)value : 0;
}

static double elements(gali_extents *extents, const int64_t *sizes, const gali_type *type) {
    double count = type && type->rank >= 0 ? 1 : 0;
    for (int d = 0; type && d < type->rank; d++) {
        count *= value_of(extents, sizes, type->shape[d]);
    }
    return count;
}

/* Multiply-adds of an element of a result: of what computes it from one of each operand, not of what moves it. */
static double steps_of_element(gali_op op) {
    const char *family = gali_op_list[op].family;
    switch (op) {
    case GALI_OP_Identity:
    case GALI_OP_Cast:
    case GALI_OP_CastLike:
    case GALI_OP_Dropout:
        return 0;
    case GALI_OP_Div:
    case GALI_OP_Mod:
    case GALI_OP_Sqrt:
    case GALI_OP_Reciprocal:
        return STEPS_DIVIDE;
    case GALI_OP_Pow:
        return STEPS_POWER;
    case GALI_OP_Exp:
    case GALI_OP_Log:
    case GALI_OP_Erf:
    case GALI_OP_Sin:
    case GALI_OP_Cos:
    case GALI_OP_Tanh:
    case GALI_OP_Sigmoid:
    case GALI_OP_Softplus:
    case GALI_OP_Elu:
    case GALI_OP_Gelu:
    case GALI_OP_Mish:
    case GALI_OP_silu:
        return STEPS_FUNCTION;
    default:
        return strcmp(family, "elementwise") == 0 || strcmp(family, "activation") == 0;
    }
}

static double extent_of(gali_extents *extents, const int64_t *sizes, const gali_type *type, int axis) {
    int known = type && axis >= 0 && axis < type->rank;
    return known ? value_of(extents, sizes, type->shape[axis]) : 0;
}

static double steps_of(gali_extents *x, const int64_t *sizes, const gali_node *node,
                       const gali_type *const *operands, const gali_type *result) {
    const gali_type *a = node->operand_count > 0 ? operands[0] : NULL;
    const gali_type *b = node->operand_count > 1 ? operands[1] : NULL;
    double of_a = elements(x, sizes, a), made = elements(x, sizes, result);
    double filters = extent_of(x, sizes, b, 0);
    switch (node->op) {
    case GALI_OP_MatMul:
    case GALI_OP_MatMulInteger:
        return made * extent_of(x, sizes, a, a ? a->rank - 1 : 0);
    case GALI_OP_Gemm:
        return made * extent_of(x, sizes, a, gali_node_int(node, "transA") ? 0 : 1);
    case GALI_OP_Conv:
    case GALI_OP_ConvInteger:
        return filters > 0 ? made * elements(x, sizes, b) / filters : 0;
    case GALI_OP_ConvTranspose:
        return filters > 0 ? of_a * elements(x, sizes, b) / filters : 0;
    case GALI_OP_BatchNormalization:
        return made;
    case GALI_OP_Softmax:
    case GALI_OP_LogSoftmax:
        return made * (double)STEPS_FUNCTION;
    default:
        return strcmp(gali_op_list[node->op].family, "reduce") == 0 ? of_a : made * steps_of_element(node->op);
    }
}

gali_work gali_node_work(gali_extents *extents, const int64_t *sizes, const gali_node *node,
                         const gali_type *const *operands, const uint8_t *constant, const gali_type *result) {
    gali_work work = {0};
    int all = 1;
    for (uint32_t i = 0; i < node->operand_count; i++) {
        if (operands[i] && !constant[i]) {
            all = 0;
            work.reads += elements(extents, sizes, operands[i]);
        }
    }
    if (!all) {
        work.steps = steps_of(extents, sizes, node, operands, result);
    }
    return work;
}

/* Adds the node's work; of its results it notes whether they are constant. */
static double add_node(const gali_graph *graph, const int64_t *sizes, const gali_node *node, uint8_t *constant,
                       gali_arena *arena) {
    const gali_type **types = gali_arena_take(arena, (node->operand_count + 1) * sizeof *types);
    uint8_t *is = gali_arena_take(arena, node->operand_count + 1u), all = node->body_count == 0;
    for (uint32_t i = 0; types && is && i < node->operand_count; i++) {
        uint32_t value = node->operands[i];
        types[i] = value == GALI_NONE ? NULL : &graph->values[value].type;
        is[i] = value == GALI_NONE || constant[value];
        all &= is[i];
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        if (node->results[i] != GALI_NONE) {
            constant[node->results[i]] = all;
        }
    }
    uint32_t first = node->result_count ? node->results[0] : GALI_NONE;
    return !types || !is || first == GALI_NONE
               ? 0
               : gali_node_work(graph->extents, sizes, node, types, is, &graph->values[first].type).steps;
}

double gali_graph_work(const gali_graph *graph) {
    gali_arena arena = {0};
    const int64_t *sizes = gali_work_sizes(graph->extents, &arena);
    uint8_t *constant = gali_arena_take(&arena, graph->value_count + 1u);
    double steps = 0;
    for (uint32_t i = 0; constant && i < graph->value_count; i++) {
        constant[i] = graph->values[i].data != NULL;
    }
    for (uint32_t i = 0; sizes && constant && i < graph->node_count; i++) {
        steps += add_node(graph, sizes, &graph->nodes[i], constant, &arena);
    }
    steps = arena.failed ? 0 : steps;
    gali_arena_release(&arena);
    return steps;
}
