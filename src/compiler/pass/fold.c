/*
 * Folds what surrounds dense layers into their constants, in float64, rounded once, as the runtime does when it packs
 * (network/pack.h has the formulas; the order of the operations is the same, so are the bits):
 *
 *     dense(Gather(Div(Sub(Where(fixed, value, x), mean), std), f))  ->  dense'(Gather(x, live of f))
 *                                                                        x as it is where all of it is live
 *     Add(Mul(dense, std), mean)                                     ->  dense'
 *
 *     Div(Sub(Where(fixed, value, x), mean), std)                    ->  Where(fixed, value', Div(Sub(x, mean), std))
 *                                                                        where others read the features, too
 *
 * A layer that reads a feature whose mean is far from 0 in its deviations keeps its input's normalisation outside, as the
 * runtime does (network/wiring.h). A caller's blend may not sum to 1: its layers keep the output's mean outside.
 */
#include <math.h>

#include "base/error.h"
#include "compiler/pass/build.h"
#include "compiler/pass/pass.h"
#include "network/wiring.h"

/* What is folded into one dense layer; nodes of the graph before, GALI_NONE where there is none. */
typedef struct fold {
    const gali_graph *graph;
    uint32_t layer, divide, subtract, where, gather, multiply, add;
    uint32_t source; /* the value that the layer will read */
    uint32_t experts, outputs, inputs;
    const uint32_t *live; /* [live_count] inputs of the layer that are left */
    uint32_t live_count;
} fold;

/* ---- reading the graph ---- */

static const gali_value *operand(const gali_graph *graph, uint32_t node, uint32_t i) {
    return &graph->values[graph->nodes[node].operands[i]];
}

static double number(const gali_graph *graph, uint32_t node, uint32_t i, uint32_t at) {
    return gali_constant_real(operand(graph, node, i), at);
}

static int is_list(const gali_graph *graph, uint32_t node, uint32_t i) {
    const gali_value *value = operand(graph, node, i);
    return value->data && value->type.rank == 1;
}

static int is_dense(gali_op op) {
    return op == GALI_OP_Gemm || op == GALI_OP_blended_dense;
}

/* Weights and biases are operands of both kinds. */
static uint32_t weights_at(const gali_node *node) {
    return node->op == GALI_OP_Gemm ? 1 : 2;
}

/* The one user of a value, a node of that operator with a constant list behind it; GALI_NONE. */
static uint32_t only_user(const gali_graph *graph, uint32_t value, gali_op op) {
    uint32_t user = GALI_NONE, uses = 0;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        uses += graph->outputs[i] == value;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        for (uint32_t o = 0; o < graph->nodes[i].operand_count; o++) {
            if (graph->nodes[i].operands[o] == value) {
                user = i;
                uses++;
            }
        }
    }
    return uses == 1 && user != GALI_NONE && graph->nodes[user].op == op && is_list(graph, user, 1) ? user
                                                                                                    : GALI_NONE;
}

/* Steps over the node before `source`, if it is of that operator; `through` is the operand that it goes on with. */
static uint32_t step_over(fold *f, gali_op op, uint32_t through) {
    uint32_t node = f->graph->values[f->source].node;
    uint32_t other = through == 0 ? 1 : 0;
    if (node == GALI_NONE || f->graph->nodes[node].op != op || !is_list(f->graph, node, other)) {
        return GALI_NONE;
    }
    f->source = f->graph->nodes[node].operands[through];
    return node;
}

static int given_by_caller(const fold *f) {
    const gali_node *node = &f->graph->nodes[f->layer];
    return node->op == GALI_OP_blended_dense && operand(f->graph, f->layer, 1)->node == GALI_NONE;
}

/* The feature of x that input k of the layer is. */
static uint32_t feature_of(const fold *f, uint32_t k) {
    return f->gather == GALI_NONE ? k : (uint32_t)gali_constant_whole(operand(f->graph, f->gather, 1), k);
}

/* Whether input k of the layer changes at all. */
static int is_live(const fold *f, uint32_t k) {
    return f->where == GALI_NONE || !gali_constant_whole(operand(f->graph, f->where, 0), feature_of(f, k));
}

/* Whether a feature's mean is to be subtracted first (network/wiring.h). */
static int reads_far(const fold *f) {
    int far = 0;
    for (uint32_t k = 0; k < f->inputs; k++) {
        uint32_t feature = feature_of(f, k);
        far |= is_live(f, k) && gali_wiring_is_far((float)number(f->graph, f->subtract, 1, feature),
                                                   (float)number(f->graph, f->divide, 1, feature));
    }
    return far;
}

/* The layer goes on reading what it reads. */
static void leave_input(fold *f) {
    f->source = f->graph->nodes[f->layer].operands[0];
    f->divide = f->subtract = f->where = f->gather = GALI_NONE;
}

static void find_input(fold *f) {
    f->source = f->graph->nodes[f->layer].operands[0];
    f->gather = step_over(f, GALI_OP_Gather, 0);
    f->divide = step_over(f, GALI_OP_Div, 0);
    f->subtract = f->divide == GALI_NONE ? GALI_NONE : step_over(f, GALI_OP_Sub, 0);
    f->where = f->subtract == GALI_NONE ? GALI_NONE : step_over(f, GALI_OP_Where, 2);
    if (f->subtract == GALI_NONE || reads_far(f)) {
        leave_input(f);
    }
}

static fold find(const gali_graph *graph, uint32_t layer) {
    const gali_node *node = &graph->nodes[layer];
    const gali_type *a = &graph->values[node->operands[weights_at(node)]].type;
    fold f = {.graph = graph,
              .layer = layer,
              .experts = a->rank == 3 ? (uint32_t)a->shape[0] : 1,
              .outputs = (uint32_t)a->shape[a->rank - 2],
              .inputs = (uint32_t)a->shape[a->rank - 1]};
    find_input(&f);
    f.multiply = only_user(graph, node->results[0], GALI_OP_Mul);
    f.add = f.multiply == GALI_NONE || given_by_caller(&f)
                ? GALI_NONE
                : only_user(graph, graph->nodes[f.multiply].results[0], GALI_OP_Add);
    return f;
}

/* ---- the formulas ---- */

static double scale_of(const fold *f, uint32_t n) {
    return f->multiply == GALI_NONE ? 1.0 : number(f->graph, f->multiply, 1, n);
}

static double weight_of(const fold *f, uint32_t e, uint32_t n, uint32_t k) {
    const gali_value *a = operand(f->graph, f->layer, weights_at(&f->graph->nodes[f->layer]));
    return gali_constant_real(a, ((size_t)e * f->outputs + n) * f->inputs + k);
}

/* What input k adds to the bias: the constant part of A (x - mean) / std. */
static double shift_of(const fold *f, uint32_t k) {
    uint32_t feature = feature_of(f, k);
    double mean = number(f->graph, f->subtract, 1, feature), std = number(f->graph, f->divide, 1, feature);
    return is_live(f, k) ? -mean / std : (number(f->graph, f->where, 1, feature) - mean) / std;
}

static float bias_of(const fold *f, const double *shifts, uint32_t e, uint32_t n) {
    const gali_value *b = operand(f->graph, f->layer, 1 + weights_at(&f->graph->nodes[f->layer]));
    double bias = gali_constant_real(b, (size_t)e * f->outputs + n);
    for (uint32_t k = 0; f->divide != GALI_NONE && k < f->inputs; k++) {
        bias += weight_of(f, e, n, k) * shifts[k];
    }
    bias *= scale_of(f, n);
    return (float)(bias + (f->add == GALI_NONE ? 0.0 : number(f->graph, f->add, 1, n)));
}

static float folded_weight(const fold *f, uint32_t e, uint32_t n, uint32_t i) {
    uint32_t k = f->live[i];
    double weight = is_live(f, k) ? weight_of(f, e, n, k) * scale_of(f, n) : 0.0;
    return (float)(f->divide == GALI_NONE ? weight : weight / number(f->graph, f->divide, 1, feature_of(f, k)));
}

/* ---- the layer anew ---- */

/* A layer that is left without inputs keeps one, with weights of 0. */
static void find_live(fold *f, gali_builder *b) {
    uint32_t *live = gali_build_take(b, f->inputs, sizeof *live);
    for (uint32_t k = 0; live && k < f->inputs; k++) {
        if (is_live(f, k)) {
            live[f->live_count++] = k;
        }
    }
    f->live_count += f->live_count == 0;
    f->live = live;
}

/* The features of x that the layer still reads: x itself, or some of it. */
static uint32_t read_source(const fold *f, gali_builder *b, uint32_t *map) {
    static const int64_t axis = 1;
    const char *name = f->graph->nodes[f->layer].name;
    uint32_t x = gali_build_mapped(b, f->graph, f->source, map);
    uint32_t *index = gali_build_take(b, f->live_count, sizeof *index);
    int whole = f->live_count == f->graph->values[f->source].type.shape[1];
    for (uint32_t i = 0; index && i < f->live_count; i++) {
        index[i] = feature_of(f, f->live[i]);
        whole &= index[i] == i;
    }
    if (whole || !index) {
        return x;
    }
    gali_attribute along = {.name = "axis", .kind = GALI_INT, .count = 1, .ints = &axis};
    uint32_t operands[] = {x, gali_build_list(b, GALI_i64, f->live_count, index, "%.20s_features", name)};
    gali_node gather = {.op = GALI_OP_Gather,
                        .operand_count = 2,
                        .operands = operands,
                        .attribute_count = 1,
                        .attributes = &along};
    return gali_build_node(b, gather, "%.20s_live", name);
}

static float *fold_weights(const fold *f, gali_builder *b) {
    float *a = gali_build_take(b, (size_t)f->experts * f->outputs * f->live_count, sizeof *a);
    float *at = a;
    for (uint32_t e = 0; a && e < f->experts; e++) {
        for (uint32_t n = 0; n < f->outputs; n++) {
            for (uint32_t i = 0; i < f->live_count; i++) {
                *at++ = folded_weight(f, e, n, i);
            }
        }
    }
    return a;
}

static float *fold_biases(const fold *f, gali_builder *b) {
    float *biases = gali_build_take(b, (size_t)f->experts * f->outputs, sizeof *biases);
    double *shifts = gali_build_take(b, f->inputs, sizeof *shifts);
    for (uint32_t k = 0; shifts && f->divide != GALI_NONE && k < f->inputs; k++) {
        shifts[k] = shift_of(f, k);
    }
    for (uint32_t i = 0; biases && shifts && i < f->experts * f->outputs; i++) {
        biases[i] = bias_of(f, shifts, i / f->outputs, i % f->outputs);
    }
    return biases;
}

static void check_finite(const fold *f, gali_builder *b, const float *list, size_t per_output) {
    for (size_t i = 0; list && i < f->experts * f->outputs * per_output; i++) {
        if (!isfinite(list[i])) {
            b->status = gali_fail(b->error, GAL_BAD_DATA,
                                  "%.31s, expert %zu, output %zu: too large for float32 with the normalisation",
                                  f->graph->nodes[f->layer].name, i / per_output / f->outputs,
                                  i / per_output % f->outputs);
            return;
        }
    }
}

/* The node with its operands mapped, but for its input, weights and biases, which are these. */
static uint32_t build_layer(const fold *f, gali_builder *b, uint32_t *map, uint32_t x, uint32_t weights,
                            uint32_t biases) {
    gali_node node = f->graph->nodes[f->layer];
    const gali_value *result = &f->graph->values[node.results[0]];
    uint32_t *operands = gali_build_take(b, node.operand_count, sizeof *operands), at = weights_at(&node);
    for (uint32_t i = 0; operands && i < node.operand_count; i++) {
        operands[i] = i == 0        ? x
                      : i == at     ? weights
                      : i == at + 1 ? biases
                                    : gali_build_mapped(b, f->graph, node.operands[i], map);
    }
    node.operands = operands;
    return gali_build_node(b, node, "%s", result->name);
}

static void build_folded(fold *f, gali_builder *b, uint32_t *map) {
    find_live(f, b);
    if (!f->live) {
        return;
    }
    const gali_node *before = &f->graph->nodes[f->layer];
    uint32_t x = read_source(f, b, map), at = weights_at(before);
    gali_type a = operand(f->graph, f->layer, at)->type;
    a.shape[a.rank - 1] = f->live_count;
    float *weights = fold_weights(f, b), *biases = fold_biases(f, b);
    check_finite(f, b, weights, f->live_count);
    check_finite(f, b, biases, 1);
    uint32_t folded = gali_build_floats(b, &a, weights, "%.20s_folded_A", before->name);
    uint32_t bias = gali_build_floats(b, &operand(f->graph, f->layer, at + 1)->type, biases, "%.20s_folded_b",
                                      before->name);
    uint32_t made = build_layer(f, b, map, x, folded, bias);
    map[before->results[0]] = made;
    if (f->multiply != GALI_NONE) {
        map[f->graph->nodes[f->multiply].results[0]] = made;
    }
    if (f->add != GALI_NONE) {
        map[f->graph->nodes[f->add].results[0]] = made;
    }
}

/* ---- features that others read, too ---- */

/* The nodes of a normalise of fixed features; the last is `divide`. 0 if it is none. */
static int find_normalise(const gali_graph *graph, uint32_t divide, fold *f) {
    *f = (fold){.graph = graph, .source = graph->nodes[divide].results[0]};
    f->divide = step_over(f, GALI_OP_Div, 0);
    f->subtract = f->divide == GALI_NONE ? GALI_NONE : step_over(f, GALI_OP_Sub, 0);
    f->where = f->subtract == GALI_NONE ? GALI_NONE : step_over(f, GALI_OP_Where, 2);
    return f->where != GALI_NONE && is_list(graph, f->where, 1);
}

/* Features that never change are normalised here, in float64; the others by the run. */
static void build_normalised(const fold *f, gali_builder *b, uint32_t *map) {
    const gali_graph *graph = f->graph;
    uint32_t result = graph->nodes[f->divide].results[0], where = graph->nodes[f->where].operands[0];
    const gali_type *type = &operand(graph, f->where, 1)->type;
    float *normal = gali_build_take(b, (size_t)type->shape[0], sizeof *normal);
    for (uint32_t k = 0; normal && k < type->shape[0]; k++) {
        double mean = number(graph, f->subtract, 1, k), std = number(graph, f->divide, 1, k);
        int fixed = gali_constant_whole(&graph->values[where], k) != 0;
        normal[k] = fixed ? (float)((number(graph, f->where, 1, k) - mean) / std) : 0;
    }
    uint32_t x = gali_build_mapped(b, graph, f->source, map);
    uint32_t mean = gali_build_mapped(b, graph, graph->nodes[f->subtract].operands[1], map);
    uint32_t std = gali_build_mapped(b, graph, graph->nodes[f->divide].operands[1], map);
    uint32_t centred = gali_build(b, GALI_OP_Sub, x, mean, "x_live_centred");
    uint32_t live = gali_build(b, GALI_OP_Div, centred, std, "x_live_normal");
    uint32_t operands[] = {gali_build_mapped(b, graph, where, map),
                           gali_build_floats(b, type, normal, "fixed_normal"), live};
    map[result] = gali_build_node(b, (gali_node){.op = GALI_OP_Where, .operand_count = 3, .operands = operands},
                                  "%s", graph->values[result].name);
}

/* Whether what the node makes is made already: it went into the layer before it. */
static int is_folded(const gali_graph *graph, uint32_t node, const uint32_t *map) {
    return map[graph->nodes[node].results[0]] != GALI_NONE;
}

gal_status gali_pass_fold(gali_compilation *c, gal_error *error) {
    const gali_graph *graph = c->graph;
    gali_builder b = gali_build_start(&c->arena, graph, error);
    uint32_t *map = gali_build_map(&b, graph);
    for (uint32_t i = 0; i < graph->node_count && b.status == GAL_OK; i++) {
        fold f = is_dense(graph->nodes[i].op) ? find(graph, i) : (fold){.graph = NULL};
        if (f.graph && (f.divide != GALI_NONE || f.multiply != GALI_NONE)) {
            build_folded(&f, &b, map);
        } else if (graph->nodes[i].op == GALI_OP_Div && find_normalise(graph, i, &f)) {
            build_normalised(&f, &b, map);
        } else if (!is_folded(graph, i, map)) {
            gali_build_copy(&b, graph, i, map);
        }
    }
    if (gali_build_end(&b, graph, map) == GAL_OK) {
        c->graph = b.graph;
    }
    return b.status;
}
