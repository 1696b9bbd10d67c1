#include "graph/rewrite.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "graph/evaluate.h"

const gali_rewrite_facts gali_rewrite_list[GALI_REWRITE_COUNT] = {
#define RULE(name, rounds, fast, holds, meaning) [GALI_REWRITE_##name] = {#name, rounds, fast, holds, meaning},
#include "graph/rules.def"
#undef RULE
};

typedef struct rewriting {
    gali_graph *graph;
    int fast;
    uint32_t *uses;   /* [value_count at first] operands and outputs that a value is */
    uint32_t *stands; /* [value_count at first] the value in its place; itself */
    uint8_t *gone;    /* [node_count] */
} rewriting;

/* ---- constants ---- */

static const gali_value *constant(const rewriting *r, const gali_node *node, uint32_t operand) {
    uint32_t value = operand < node->operand_count ? node->operands[operand] : GALI_NONE;
    const gali_value *v = value == GALI_NONE ? NULL : &r->graph->values[value];
    return v && v->data ? v : NULL;
}

static size_t count_of(const gali_value *value) {
    size_t count = 1;
    for (int d = 0; d < value->type.rank; d++) {
        count *= (size_t)value->type.shape[d];
    }
    return count;
}

/* Whether it is one number, which broadcasts to any shape without changing it. */
static int is_number(const gali_value *value, int rank, double *number) {
    int is = value && count_of(value) == 1 && value->type.rank <= rank &&
             gali_element_list[value->type.element].kind == GALI_REAL;
    *number = is ? gali_constant_real(value, 0) : 0;
    return is;
}

/* Room for that many floats, as constants have them. */
static unsigned char *take_floats(rewriting *r, size_t count) {
    return gali_arena_take(r->graph->arena, (count + 1) * sizeof(float));
}

static void set_float(unsigned char *floats, size_t i, double number) {
    gali_element_store(GALI_f32, (double)(float)number, 0, floats + i * sizeof(float));
}

/* ---- factors of results: y[m] = scale[m] x[m] + shift[m], m the channel ---- */

typedef struct channels {
    size_t count;
    double *scale, *shift;
} channels;

static int take_channels(rewriting *r, size_t count, channels *c) {
    c->count = count;
    c->scale = gali_arena_take(r->graph->arena, (count + 1) * sizeof *c->scale);
    c->shift = gali_arena_take(r->graph->arena, (count + 1) * sizeof *c->shift);
    return c->scale && c->shift;
}

/* What a batch normalisation by constants is. */
static int normalisation(rewriting *r, const gali_node *node, size_t count, channels *c) {
    const gali_value *of[4];
    int good = node->op == GALI_OP_BatchNormalization && node->result_count == 1 &&
               !gali_node_int(node, "training_mode");
    for (uint32_t i = 0; good && i < 4; i++) {
        of[i] = constant(r, node, i + 1);
        good = of[i] && count_of(of[i]) == count;
    }
    if (!good || !take_channels(r, count, c)) {
        return 0;
    }
    for (size_t m = 0; m < count; m++) {
        double spread = gali_constant_real(of[3], m) + gali_node_number(node, "epsilon");
        c->scale[m] = gali_constant_real(of[0], m) / sqrt(spread);
        c->shift[m] = gali_constant_real(of[1], m) - gali_constant_real(of[2], m) * c->scale[m];
        good &= spread > 0 && isfinite(c->scale[m]) && isfinite(c->shift[m]);
    }
    return good;
}

/* What a product with, or sum of, a constant is: one number, or one for each of axis 1. */
static int scaling(rewriting *r, const gali_node *node, const gali_type *type, size_t count, channels *c) {
    uint32_t which = constant(r, node, 1) ? 1 : 0;
    const gali_value *by = constant(r, node, which);
    int times = node->op == GALI_OP_Mul, plus = node->op == GALI_OP_Add;
    if ((!times && !plus) || !by || by->type.rank > type->rank) {
        return 0;
    }
    int many = 0;
    for (int d = 0; d < by->type.rank; d++) {
        int axis = d + type->rank - by->type.rank;
        if (by->type.shape[d] != 1 && (axis != 1 || by->type.shape[d] != (gali_extent)count)) {
            return 0;
        }
        many |= by->type.shape[d] != 1;
    }
    if (!take_channels(r, count, c)) {
        return 0;
    }
    int good = 1;
    for (size_t m = 0; m < count; m++) {
        double number = gali_constant_real(by, many ? m : 0);
        c->scale[m] = times ? number : 1;
        c->shift[m] = times ? 0 : number;
        good &= isfinite(number) != 0;
    }
    return good;
}

/* ---- into weights ---- */

/* The axis of a node's weights that is the channel of its results; -1: they cannot be scaled. */
static int channel_axis(const rewriting *r, const gali_node *node) {
    const gali_value *weights = constant(r, node, 1), *bias = constant(r, node, 2);
    int has_bias = node->operand_count > 2 && node->operands[2] != GALI_NONE;
    if (!weights || weights->type.element != GALI_f32 ||
        (has_bias && (!bias || bias->type.element != GALI_f32))) {
        return -1;
    }
    switch (node->op) {
    case GALI_OP_Conv:
        return 0;
    case GALI_OP_ConvTranspose:
        return gali_node_int(node, "group") == 1 ? 1 : -1;
    case GALI_OP_Gemm: {
        int axis = gali_node_int(node, "transB") ? 0 : 1;
        int plain = gali_node_number(node, "alpha") == 1 && gali_node_number(node, "beta") == 1;
        return plain && (!bias || count_of(bias) == (size_t)weights->type.shape[axis]) ? axis : -1;
    }
    default:
        return -1;
    }
}

static const unsigned char *scaled(rewriting *r, const gali_value *weights, int axis, const channels *c) {
    size_t count = count_of(weights), behind = 1;
    unsigned char *to = take_floats(r, count);
    for (int d = axis + 1; d < weights->type.rank; d++) {
        behind *= (size_t)weights->type.shape[d];
    }
    for (size_t i = 0; to && i < count; i++) {
        set_float(to, i, gali_constant_real(weights, i) * c->scale[i / behind % c->count]);
    }
    return to;
}

static const unsigned char *shifted(rewriting *r, const gali_value *bias, const channels *c) {
    unsigned char *to = take_floats(r, c->count);
    for (size_t m = 0; to && m < c->count; m++) {
        set_float(to, m, (bias ? gali_constant_real(bias, m) * c->scale[m] : 0) + c->shift[m]);
    }
    return to;
}

/* The maker of the node's operand, if that has weights and is read by nobody else; GALI_NONE. */
static uint32_t weighted_maker(const rewriting *r, const gali_node *node, uint32_t operand, int *axis) {
    uint32_t value = operand < node->operand_count ? node->operands[operand] : GALI_NONE;
    uint32_t maker = value == GALI_NONE ? GALI_NONE : r->graph->values[value].node;
    if (maker == GALI_NONE || r->uses[value] != 1) {
        return GALI_NONE;
    }
    *axis = channel_axis(r, &r->graph->nodes[maker]);
    return *axis >= 0 ? maker : GALI_NONE;
}

/* The maker makes the node's result, by weights and bias of its own, and the node is gone. */
static int fold_into(rewriting *r, uint32_t number, uint32_t maker_number, int axis, const channels *c) {
    gali_graph *graph = r->graph;
    gali_node *node = &graph->nodes[number], *maker = &graph->nodes[maker_number];
    const gali_value weights = *constant(r, maker, 1);
    const gali_value *bias = constant(r, maker, 2);
    gali_type type = {.element = GALI_f32, .rank = 1, .shape = {(gali_extent)c->count}};
    const unsigned char *floats = scaled(r, &weights, axis, c), *shifts = shifted(r, bias, c);
    const char *name = bias ? bias->name : "bias";
    uint32_t *operands = gali_arena_take(graph->arena, 3 * sizeof *operands);
    if (!floats || !shifts || !operands) {
        return 0;
    }
    operands[0] = maker->operands[0];
    operands[1] = gali_graph_constant(graph, weights.name, &weights.type, floats);
    operands[2] = gali_graph_constant(graph, name, &type, shifts);
    maker->operands = operands;
    maker->operand_count = 3;
    graph->values[maker->results[0]].node = GALI_NONE;
    maker->results[0] = node->results[0];
    graph->values[node->results[0]].node = maker_number;
    r->gone[number] = 1;
    return 1;
}

static int fold(rewriting *r, uint32_t number, gali_rewrite *rule) {
    const gali_node *node = &r->graph->nodes[number];
    channels c;
    int axis;
    int with = node->op != GALI_OP_BatchNormalization && constant(r, node, 0) ? 1 : 0;
    uint32_t maker = weighted_maker(r, node, (uint32_t)with, &axis);
    if (maker == GALI_NONE || node->result_count != 1 || node->results[0] == GALI_NONE) {
        return 0;
    }
    const gali_type *type = &r->graph->values[node->results[0]].type;
    size_t count = (size_t)constant(r, &r->graph->nodes[maker], 1)->type.shape[axis];
    int normalises = node->op == GALI_OP_BatchNormalization;
    *rule = normalises ? GALI_REWRITE_fold_normalisation : GALI_REWRITE_fold_scale;
    if (!normalises && !r->fast) {
        return 0;
    }
    int same = gali_type_equal(type, &r->graph->values[r->graph->nodes[maker].results[0]].type);
    return same && (normalisation(r, node, count, &c) || scaling(r, node, type, count, &c)) &&
           fold_into(r, number, maker, axis, &c);
}

/* ---- numbers ---- */

static int is_power_of_two(double number) {
    int exponent;
    double part = frexp(number, &exponent);
    return isfinite(number) && fabs(part) == 0.5 && exponent > -100 && exponent < 100;
}

/* Those who read the node's result read its first operand. */
static int stand_aside(rewriting *r, uint32_t number) {
    const gali_node *node = &r->graph->nodes[number];
    uint32_t from = node->operands[0], to = node->results[0];
    if (!gali_type_equal(&r->graph->values[from].type, &r->graph->values[to].type)) {
        return 0;
    }
    for (uint32_t i = 0; i < r->graph->output_count; i++) {
        if (r->graph->outputs[i] == to) {
            return 0;
        }
    }
    r->stands[to] = from;
    r->graph->values[to].node = GALI_NONE;
    r->uses[from] += r->uses[to] - 1;
    r->gone[number] = 1;
    return 1;
}

static int become_product(rewriting *r, gali_node *node, uint32_t by) {
    uint32_t *operands = gali_arena_take(r->graph->arena, 2 * sizeof *operands);
    if (!operands || by == GALI_NONE) {
        return 0;
    }
    operands[0] = node->operands[0];
    operands[1] = by;
    node->op = GALI_OP_Mul;
    node->operands = operands;
    return 1;
}

static int by_number(rewriting *r, uint32_t number, gali_rewrite *rule) {
    gali_node *node = &r->graph->nodes[number];
    uint32_t first = node->operand_count == 2 ? node->operands[0] : GALI_NONE;
    *rule = GALI_REWRITE_identity;
    if (node->op == GALI_OP_Identity) {
        return stand_aside(r, number);
    }
    const gali_type *type = first == GALI_NONE ? NULL : &r->graph->values[first].type;
    double by;
    if (!type || type->rank < 0 || gali_element_list[type->element].kind != GALI_REAL ||
        !is_number(constant(r, node, 1), type->rank, &by)) {
        return 0;
    }
    int times = node->op == GALI_OP_Mul, over = node->op == GALI_OP_Div, power = node->op == GALI_OP_Pow;
    if (((times || over || power) && by == 1) || (node->op == GALI_OP_Sub && by == 0 && !signbit(by))) {
        return stand_aside(r, number);
    }
    *rule = GALI_REWRITE_square;
    if (power && by == 2) {
        r->uses[first]++;
        return become_product(r, node, first);
    }
    int exact = is_power_of_two(by), near = r->fast && isnormal(by) && isnormal((float)(1 / by));
    *rule = exact ? GALI_REWRITE_power_of_two : GALI_REWRITE_reciprocal;
    unsigned char *reciprocal = over && type->element == GALI_f32 && (exact || near) ? take_floats(r, 1) : NULL;
    if (!reciprocal) {
        return 0;
    }
    set_float(reciprocal, 0, 1 / by);
    return become_product(r, node,
                          gali_graph_constant(r->graph, "", &(gali_type){.element = GALI_f32}, reciprocal));
}

/* ---- all ---- */

static int begin(rewriting *r) {
    gali_graph *graph = r->graph;
    r->uses = gali_arena_take(graph->arena, (graph->value_count + 1) * sizeof *r->uses);
    r->stands = gali_arena_take(graph->arena, (graph->value_count + 1) * sizeof *r->stands);
    r->gone = gali_arena_take(graph->arena, graph->node_count + 1);
    for (uint32_t i = 0; !graph->arena->failed && i < graph->value_count; i++) {
        r->stands[i] = i;
    }
    for (uint32_t i = 0; !graph->arena->failed && i < graph->node_count; i++) {
        for (uint32_t k = 0; k < graph->nodes[i].operand_count; k++) {
            if (graph->nodes[i].operands[k] != GALI_NONE) {
                r->uses[graph->nodes[i].operands[k]]++;
            }
        }
    }
    for (uint32_t i = 0; !graph->arena->failed && i < graph->output_count; i++) {
        r->uses[graph->outputs[i]]++;
    }
    return !graph->arena->failed;
}

/* The values that stand in place of a node's operands. */
static void renew_operands(const rewriting *r, gali_node *node, uint32_t first_count) {
    for (uint32_t k = 0; k < node->operand_count; k++) {
        uint32_t value = node->operands[k];
        while (value < first_count && r->stands[value] != value) {
            value = r->stands[value];
        }
        node->operands[k] = value;
    }
}

static void drop_nodes(const rewriting *r) {
    gali_graph *graph = r->graph;
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (r->gone[i]) {
            continue;
        }
        graph->nodes[count] = graph->nodes[i];
        for (uint32_t k = 0; k < graph->nodes[count].result_count; k++) {
            if (graph->nodes[count].results[k] != GALI_NONE) {
                graph->values[graph->nodes[count].results[k]].node = count;
            }
        }
        count++;
    }
    graph->node_count = count;
}

gal_status gali_graph_rewrite(gali_graph *graph, int fast, uint32_t counts[GALI_REWRITE_COUNT],
                              gal_error *error) {
    rewriting r = {.graph = graph, .fast = fast};
    uint32_t first_count = graph->value_count;
    int good = begin(&r);
    for (uint32_t i = 0; good && i < graph->node_count && !graph->arena->failed; i++) {
        gali_rewrite rule;
        renew_operands(&r, &graph->nodes[i], first_count);
        if (fold(&r, i, &rule) || by_number(&r, i, &rule)) {
            counts[rule]++;
        }
    }
    if (good) {
        drop_nodes(&r);
    }
    return graph->arena->failed ? gali_fail(error, GAL_NO_MEMORY, "no memory to rewrite the graph") : GAL_OK;
}
