/* Rules that compute weights: what scales or shifts the channels of a convolution or product goes into its constants. */
#include <math.h>
#include <string.h>

#include "graph/evaluate.h"
#include "graph/rewriting.h"

/* ---- constants ---- */

static const gali_value *constant(const gali_rewriting *r, const gali_node *node, uint32_t operand) {
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

/* Room for that many floats, as constants have them. */
static unsigned char *take_floats(gali_rewriting *r, size_t count) {
    return gali_arena_take(r->graph->arena, (count + 1) * sizeof(float));
}

static void set_float(unsigned char *floats, size_t i, double number) {
    gali_element_store(GALI_f32, (double)(float)number, 0, floats + i * sizeof(float));
}

/* ---- factors of results: y[m] = scale[m] x[m] + shift[m], m the channel ---- */

/* Zero-initialise; the arena is released in any case. */
typedef struct channels {
    gali_arena arena;
    size_t count;
    double *scale, *shift;
} channels;

static int take_channels(gali_rewriting *r, size_t count, channels *c) {
    c->count = count;
    c->scale = gali_arena_take(&c->arena, (count + 1) * sizeof *c->scale);
    c->shift = gali_arena_take(&c->arena, (count + 1) * sizeof *c->shift);
    r->graph->arena->failed |= c->arena.failed;
    return c->scale && c->shift;
}

/* What a batch normalisation by constants is. */
static int normalisation(gali_rewriting *r, const gali_node *node, size_t count, channels *c) {
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
static int scaling(gali_rewriting *r, const gali_node *node, const gali_type *type, size_t count, channels *c) {
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

/* Whether a constant has one number for each column, not for each row. */
static int is_row(const gali_value *bias, gali_extent columns) {
    int rank = bias->type.rank;
    return rank > 0 && bias->type.shape[rank - 1] == columns && count_of(bias) == (size_t)columns;
}

/* The axis of a node's weights that is the channel of its results; -1: they cannot be scaled. */
static int channel_axis(const gali_rewriting *r, const gali_node *node) {
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
        return plain && (!bias || is_row(bias, weights->type.shape[axis])) ? axis : -1;
    }
    default:
        return -1;
    }
}

static const unsigned char *scaled(gali_rewriting *r, const gali_value *weights, int axis, const channels *c) {
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

static const unsigned char *shifted(gali_rewriting *r, const gali_value *bias, const channels *c) {
    unsigned char *to = take_floats(r, c->count);
    for (size_t m = 0; to && m < c->count; m++) {
        set_float(to, m, (bias ? gali_constant_real(bias, m) * c->scale[m] : 0) + c->shift[m]);
    }
    return to;
}

/* The maker of the node's operand, if that has weights and is read by nobody else; GALI_NONE. */
static uint32_t weighted_maker(gali_rewriting *r, const gali_node *node, uint32_t operand, int *axis) {
    uint32_t value = operand < node->operand_count ? node->operands[operand] : GALI_NONE;
    uint32_t maker = value == GALI_NONE ? GALI_NONE : r->graph->values[value].node;
    if (maker == GALI_NONE || r->uses[value] != 1) {
        return GALI_NONE;
    }
    gali_rewriting_renew(r, &r->graph->nodes[maker]);
    *axis = channel_axis(r, &r->graph->nodes[maker]);
    return *axis >= 0 ? maker : GALI_NONE;
}

/* The maker makes the node's result, by weights and bias of its own, and the node is gone. */
static void fold_into(gali_rewriting *r, uint32_t number, uint32_t maker_number, int axis, const channels *c) {
    gali_graph *graph = r->graph;
    gali_node *node = &graph->nodes[number], *maker = &graph->nodes[maker_number];
    const gali_value weights = *constant(r, maker, 1);
    const gali_value *bias = constant(r, maker, 2);
    gali_type type = {.element = GALI_f32, .rank = 1, .shape = {(gali_extent)c->count}};
    const unsigned char *floats = scaled(r, &weights, axis, c), *shifts = shifted(r, bias, c);
    const char *name = bias ? bias->name : "bias";
    uint32_t *operands = gali_arena_take(graph->arena, 3 * sizeof *operands), result = node->results[0];
    if (!floats || !shifts || !operands) {
        return;
    }
    operands[0] = maker->operands[0];
    operands[1] = gali_graph_constant(graph, weights.name, &weights.type, floats);
    operands[2] = gali_graph_constant(graph, name, &type, shifts);
    if (operands[1] == GALI_NONE || operands[2] == GALI_NONE) {
        return;
    }
    r->constant[operands[1]] = r->constant[operands[2]] = 1;
    r->uses[operands[1]] = r->uses[operands[2]] = 1;
    maker->operands = operands;
    maker->operand_count = 3;
    graph->values[maker->results[0]].node = GALI_NONE;
    maker->results[0] = result;
    graph->values[result].node = maker_number;
    r->gone[number] = 1;
}

/* What the node does to channels of what another makes; the other, or GALI_NONE. */
static uint32_t find(gali_rewriting *r, uint32_t number, int *axis, channels *c) {
    gali_node *node = &r->graph->nodes[number];
    int normalises = node->op == GALI_OP_BatchNormalization;
    int scales = node->op == GALI_OP_Mul || node->op == GALI_OP_Add;
    if ((!normalises && !(scales && r->fast)) || node->result_count != 1 || node->results[0] == GALI_NONE) {
        return GALI_NONE;
    }
    gali_rewriting_renew(r, node);
    uint32_t maker = weighted_maker(r, node, scales && constant(r, node, 0) ? 1 : 0, axis);
    if (maker == GALI_NONE) {
        return GALI_NONE;
    }
    const gali_type *type = &r->graph->values[node->results[0]].type;
    size_t count = (size_t)constant(r, &r->graph->nodes[maker], 1)->type.shape[*axis];
    int fits = gali_type_equal(type, &r->graph->values[r->graph->nodes[maker].results[0]].type) &&
               (normalisation(r, node, count, c) || scaling(r, node, type, count, c));
    return fits ? maker : GALI_NONE;
}

void gali_rewrite_fit_fold(gali_rewriting *r, uint32_t number, gali_fitting *best) {
    channels c = {.count = 0};
    int axis;
    uint32_t maker = find(r, number, &axis, &c);
    gali_arena_release(&c.arena);
    gali_work work = maker == GALI_NONE ? (gali_work){0} : gali_rewriting_work(r, number);
    if (gali_work_is_more(work, best->saved)) {
        int normalises = r->graph->nodes[number].op == GALI_OP_BatchNormalization;
        best->rule = normalises ? GALI_REWRITE_fold_normalisation : GALI_REWRITE_fold_scale;
        best->node = number;
        best->saved = work;
    }
}

void gali_rewrite_apply_fold(gali_rewriting *r, const gali_fitting *fitting) {
    channels c = {.count = 0};
    int axis;
    uint32_t maker = find(r, fitting->node, &axis, &c);
    if (maker != GALI_NONE) {
        fold_into(r, fitting->node, maker, axis, &c);
    }
    gali_arena_release(&c.arena);
}
