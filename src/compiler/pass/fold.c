/*
 * Folds what surrounds dense layers into their constants, in float64, rounded once, as the runtime does when it packs
 * (network/pack.h has the formulas; the order of the operations is the same, so are the bits):
 *
 *     dense(gather(normalise(fix(x)), f))  ->  dense'(gather(x, live of f))     x as it is where all of it is live
 *     denormalise(dense)                   ->  dense'
 *
 *     normalise(fix(x))                    ->  fix'(normalise(x))                where others read the features, too
 *
 * A layer that reads a feature whose mean is far from 0 in its deviations keeps its input's normalisation outside, as the
 * runtime does (network/wiring.h). A caller's blend may not sum to 1: its layers keep the output's mean outside.
 */
#include <math.h>

#include "base/error.h"
#include "compiler/pass/build.h"
#include "compiler/pass/pass.h"
#include "network/wiring.h"

/* How much of a denormalise is in the layer before it. */
enum { NONE, SCALE, WHOLE };

/* What is folded into one dense layer; nodes of the graph before, GALI_NET_NO_NODE where there is none. */
typedef struct fold {
    const gali_net *graph;
    uint32_t dense, normalise, fix, gather, denormalise;
    uint32_t source; /* what the layer will read */
    uint32_t experts, outputs, inputs;
    const uint32_t *live; /* [live_count] inputs of the layer that are left */
    uint32_t live_count;
    int shift; /* the output's mean is folded in, too */
} fold;

static const gali_net_node *operand(const gali_net *graph, uint32_t node, uint32_t i) {
    return &graph->nodes[graph->nodes[node].operands[i]];
}

static int is_dense(gali_net_op op) {
    return op == GALI_NET_OP_dense || op == GALI_NET_OP_blended_dense;
}

/* Weights and biases are the last two operands of both kinds. */
static const gali_net_node *weights_of(const fold *f) {
    return operand(f->graph, f->dense, f->graph->nodes[f->dense].operand_count - 2);
}

static const gali_net_node *biases_of(const fold *f) {
    return operand(f->graph, f->dense, f->graph->nodes[f->dense].operand_count - 1);
}

static const float *values(const gali_net *graph, uint32_t node, uint32_t i) {
    return operand(graph, node, i)->data;
}

/* The one user of a value, or GALI_NET_NO_NODE. */
static uint32_t only_user(const gali_net *graph, uint32_t node) {
    uint32_t user = GALI_NET_NO_NODE;
    if (gali_net_uses(graph, node) != 1) {
        return user;
    }
    for (uint32_t i = node + 1; i < graph->count; i++) {
        for (uint32_t o = 0; o < graph->nodes[i].operand_count; o++) {
            user = graph->nodes[i].operands[o] == node ? i : user;
        }
    }
    return user;
}

/* Steps over the operator before `source`, if it is that one. */
static uint32_t step_over(fold *f, gali_net_op op) {
    const gali_net_node *node = &f->graph->nodes[f->source];
    if (node->op != op) {
        return GALI_NET_NO_NODE;
    }
    uint32_t index = f->source;
    f->source = node->operands[0];
    return index;
}

static int given_by_caller(const fold *f) {
    const gali_net_node *node = &f->graph->nodes[f->dense];
    if (node->op != GALI_NET_OP_blended_dense) {
        return 0;
    }
    const gali_net_node *blend = operand(f->graph, f->dense, 1);
    return blend->op == GALI_NET_OP_blend && f->graph->nodes[blend->operands[0]].op == GALI_NET_OP_input;
}

/* The feature of x that input k of the layer is. */
static uint32_t feature_of(const fold *f, uint32_t k) {
    return f->gather == GALI_NET_NO_NODE ? k : ((const uint32_t *)operand(f->graph, f->gather, 1)->data)[k];
}

/* Whether input k of the layer changes at all. */
static int is_live(const fold *f, uint32_t k) {
    const uint32_t *state = f->fix == GALI_NET_NO_NODE ? NULL : operand(f->graph, f->fix, 1)->data;
    return !state || !state[feature_of(f, k)];
}

/* Whether the values around the layer are known. */
static int are_known(const fold *f) {
    const uint32_t around[] = {f->normalise, f->fix, f->gather, f->denormalise};
    for (uint32_t i = 0; i < sizeof around / sizeof around[0]; i++) {
        const gali_net_node *node = around[i] == GALI_NET_NO_NODE ? NULL : &f->graph->nodes[around[i]];
        for (uint32_t o = 1; node && o < node->operand_count; o++) {
            if (!operand(f->graph, around[i], o)->data) {
                return 0;
            }
        }
    }
    return 1;
}

/* Whether a feature's mean is to be subtracted first (network/wiring.h). */
static int reads_far(const fold *f) {
    int far = 0;
    for (uint32_t k = 0; k < f->inputs; k++) {
        uint32_t feature = feature_of(f, k);
        far |= is_live(f, k) && gali_wiring_is_far(values(f->graph, f->normalise, 1)[feature],
                                                   values(f->graph, f->normalise, 2)[feature]);
    }
    return far;
}

/* The layer goes on reading what it reads. */
static void leave_input(fold *f) {
    f->source = f->graph->nodes[f->dense].operands[0];
    f->normalise = f->fix = f->gather = GALI_NET_NO_NODE;
}

static fold find(const gali_net *graph, uint32_t dense) {
    fold f = {.graph = graph, .dense = dense, .source = graph->nodes[dense].operands[0]};
    f.gather = step_over(&f, GALI_NET_OP_gather);
    f.normalise = step_over(&f, GALI_NET_OP_normalise);
    f.fix = f.denormalise = GALI_NET_NO_NODE;
    uint32_t user = only_user(graph, dense);
    if (user != GALI_NET_NO_NODE && graph->nodes[user].op == GALI_NET_OP_denormalise) {
        f.denormalise = user;
    }
    const gali_net_type *a = &weights_of(&f)->type;
    f.experts = a->rank == 3 ? a->shape[0] : 1;
    f.outputs = a->shape[a->rank - 2];
    f.inputs = a->shape[a->rank - 1];
    f.shift = !given_by_caller(&f);
    if (f.normalise != GALI_NET_NO_NODE) {
        f.fix = step_over(&f, GALI_NET_OP_fix);
    }
    if (f.normalise == GALI_NET_NO_NODE || (are_known(&f) && reads_far(&f))) {
        leave_input(&f);
    }
    return f;
}

static double scale_of(const fold *f, uint32_t n) {
    return f->denormalise == GALI_NET_NO_NODE ? 1.0 : (double)values(f->graph, f->denormalise, 2)[n];
}

static double weight_of(const fold *f, uint32_t e, uint32_t n, uint32_t k) {
    const float *a = weights_of(f)->data;
    return (double)a[((size_t)e * f->outputs + n) * f->inputs + k];
}

/* What input k adds to the bias: the constant part of A (x - mean) / std. */
static double shift_of(const fold *f, uint32_t k) {
    uint32_t feature = feature_of(f, k);
    double mean = (double)values(f->graph, f->normalise, 1)[feature];
    double std = (double)values(f->graph, f->normalise, 2)[feature];
    return is_live(f, k) ? -mean / std : ((double)values(f->graph, f->fix, 2)[feature] - mean) / std;
}

static float bias_of(const fold *f, uint32_t e, uint32_t n) {
    const float *b = biases_of(f)->data;
    double bias = (double)b[(size_t)e * f->outputs + n];
    for (uint32_t k = 0; f->normalise != GALI_NET_NO_NODE && k < f->inputs; k++) {
        bias += weight_of(f, e, n, k) * shift_of(f, k);
    }
    bias *= scale_of(f, n);
    int shifted = f->denormalise != GALI_NET_NO_NODE && f->shift;
    return (float)(bias + (shifted ? (double)values(f->graph, f->denormalise, 1)[n] : 0.0));
}

static float folded_weight(const fold *f, uint32_t e, uint32_t n, uint32_t i) {
    uint32_t k = f->live[i];
    double weight = is_live(f, k) ? weight_of(f, e, n, k) * scale_of(f, n) : 0.0;
    return (float)(f->normalise == GALI_NET_NO_NODE
                       ? weight
                       : weight / (double)values(f->graph, f->normalise, 2)[feature_of(f, k)]);
}

/* Whether there is anything to fold, and all values are known. */
static int can_fold(const fold *f) {
    int any = f->normalise != GALI_NET_NO_NODE || f->denormalise != GALI_NET_NO_NODE;
    return any && are_known(f) && weights_of(f)->data && biases_of(f)->data;
}

/* A layer that is left without inputs keeps one, with weights of 0. */
static void find_live(fold *f, gali_builder *b) {
    uint32_t *live = gali_build_values(b, f->inputs);
    for (uint32_t k = 0; live && k < f->inputs; k++) {
        if (is_live(f, k)) {
            live[f->live_count++] = k;
        }
    }
    f->live_count += f->live_count == 0;
    f->live = live;
}

/* The features of x that the layer still reads: x itself, or some of it. */
static uint32_t read_source(const fold *f, gali_builder *b, const uint32_t *map) {
    uint32_t x = map[f->source], width = f->graph->nodes[f->source].type.shape[1];
    uint32_t *index = gali_build_values(b, f->live_count);
    int whole = f->live_count == width;
    for (uint32_t i = 0; index && i < f->live_count; i++) {
        index[i] = feature_of(f, f->live[i]);
        whole &= index[i] == i;
    }
    if (whole || !index) {
        return x;
    }
    const char *name = f->graph->nodes[f->dense].name;
    uint32_t list = gali_build(b,
                               (gali_net_node){.op = GALI_NET_OP_constant,
                                               .type = {GALI_NET_U32, 1, {f->live_count, 0, 0}},
                                               .data = index},
                               "%.20s_features", name);
    gali_net_node gather = {.op = GALI_NET_OP_gather, .operand_count = 2, .operands = {x, list}};
    return gali_build(b, gather, "%.20s_live", name);
}

static float *fold_weights(const fold *f, gali_builder *b) {
    float *a = gali_build_values(b, (size_t)f->experts * f->outputs * f->live_count);
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
    float *biases = gali_build_values(b, (size_t)f->experts * f->outputs);
    for (uint32_t i = 0; biases && i < f->experts * f->outputs; i++) {
        biases[i] = bias_of(f, i / f->outputs, i % f->outputs);
    }
    return biases;
}

static void check_finite(const fold *f, gali_builder *b, const float *list, size_t per_output) {
    for (size_t i = 0; list && i < f->experts * f->outputs * per_output; i++) {
        if (!isfinite(list[i])) {
            b->status = gali_fail(b->error, GAL_BAD_DATA,
                                  "%.31s, expert %zu, output %zu: too large for float32 with the normalisation",
                                  f->graph->nodes[f->dense].name, i / per_output / f->outputs,
                                  i / per_output % f->outputs);
            return;
        }
    }
}

/* What is left of the output's normalisation after a layer whose blend is the caller's: the mean. */
static uint32_t build_rest(gali_builder *b, const gali_net *graph, uint32_t denormalise, const uint32_t *map) {
    gali_net_node node = graph->nodes[denormalise];
    uint32_t outputs = node.type.shape[1];
    float *ones = gali_build_values(b, outputs);
    for (uint32_t n = 0; ones && n < outputs; n++) {
        ones[n] = 1;
    }
    node.operands[0] = map[node.operands[0]];
    node.operands[1] = map[node.operands[1]];
    node.operands[2] = gali_build_constant(b, (gali_net_type){GALI_NET_F32, 1, {outputs, 0, 0}}, ones, "ones");
    return gali_build(b, node, "%s", graph->nodes[denormalise].name);
}

static void build_folded(fold *f, gali_builder *b, uint32_t *map) {
    find_live(f, b);
    uint32_t x = f->live ? read_source(f, b, map) : 0;
    const gali_net_node *before = &f->graph->nodes[f->dense];
    gali_net_type a = weights_of(f)->type;
    a.shape[a.rank - 1] = f->live_count;
    float *weights = f->live ? fold_weights(f, b) : NULL, *biases = fold_biases(f, b);
    check_finite(f, b, weights, f->live_count);
    check_finite(f, b, biases, 1);
    uint32_t folded = gali_build(b, (gali_net_node){.op = GALI_NET_OP_constant, .type = a, .data = weights},
                                 "%.20s_folded_A", before->name);
    uint32_t bias =
        gali_build(b, (gali_net_node){.op = GALI_NET_OP_constant, .type = biases_of(f)->type, .data = biases},
                   "%.20s_folded_b", before->name);
    gali_net_node node = *before;
    node.operands[0] = x;
    node.operands[1] = map[before->operands[1]];
    node.operands[node.operand_count - 2] = folded;
    node.operands[node.operand_count - 1] = bias;
    map[f->dense] = gali_build(b, node, "%s", before->name);
    if (f->denormalise != GALI_NET_NO_NODE && f->shift) {
        map[f->denormalise] = map[f->dense];
    }
}

/* Features that never change are normalised here, in float64; the others by the run. */
static uint32_t build_normalised(gali_builder *b, const gali_net *graph, uint32_t normalise,
                                 const uint32_t *map) {
    const gali_net_node *node = &graph->nodes[normalise], *fix = operand(graph, normalise, 0);
    uint32_t width = node->type.shape[1];
    const uint32_t *state = operand(graph, node->operands[0], 1)->data;
    const float *value = operand(graph, node->operands[0], 2)->data, *mean = operand(graph, normalise, 1)->data;
    const float *std = operand(graph, normalise, 2)->data;
    float *normal = gali_build_values(b, width);
    for (uint32_t k = 0; normal && k < width; k++) {
        normal[k] = state[k] ? (float)(((double)value[k] - (double)mean[k]) / (double)std[k]) : 0;
    }
    gali_net_node live = *node, fixed = *fix;
    live.operands[0] = map[fix->operands[0]];
    live.operands[1] = map[node->operands[1]];
    live.operands[2] = map[node->operands[2]];
    fixed.operands[0] = gali_build(b, live, "%.20s_live", node->name);
    fixed.operands[1] = map[fix->operands[1]];
    fixed.operands[2] =
        gali_build_constant(b, (gali_net_type){GALI_NET_F32, 1, {width, 0, 0}}, normal, "fixed_normal");
    return gali_build(b, fixed, "%s", node->name);
}

/* Whether node i is a normalise of fixed features, all values known. */
static int is_fixed_normalise(const gali_net *graph, uint32_t i) {
    const gali_net_node *node = &graph->nodes[i];
    if (node->op != GALI_NET_OP_normalise || operand(graph, i, 0)->op != GALI_NET_OP_fix) {
        return 0;
    }
    uint32_t fix = node->operands[0];
    return operand(graph, fix, 1)->data && operand(graph, fix, 2)->data && operand(graph, i, 1)->data &&
           operand(graph, i, 2)->data;
}

gal_status gali_pass_fold(gali_compilation *c, gal_error *error) {
    const gali_net *graph = c->graph;
    gali_builder b = gali_build_start(&c->arena, graph->least, graph->most, error);
    uint32_t *map = gali_build_values(&b, graph->count), *done = gali_build_values(&b, graph->count);
    for (uint32_t i = 0; i < graph->count && b.status == GAL_OK; i++) {
        fold f = is_dense(graph->nodes[i].op) ? find(graph, i) : (fold){0};
        if (f.graph && can_fold(&f)) {
            build_folded(&f, &b, map);
            if (f.denormalise != GALI_NET_NO_NODE) {
                done[f.denormalise] = f.shift ? WHOLE : SCALE;
            }
        } else if (is_fixed_normalise(graph, i)) {
            map[i] = build_normalised(&b, graph, i, map);
        } else if (done[i] == SCALE) {
            map[i] = build_rest(&b, graph, i, map);
        } else if (done[i] == NONE) {
            map[i] = gali_build_copy(&b, graph, i, map);
        }
    }
    if (b.status == GAL_OK) {
        b.graph->output = map[graph->output];
        c->graph = b.graph;
    }
    return b.status;
}
