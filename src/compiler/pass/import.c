/* A model as a graph: gate, features, layers, each formula as the format's page has it, nothing folded. */
#include "base/error.h"
#include <stdio.h>
#include <string.h>

#include "base/error.h"

#include "compiler/pass/build.h"
#include "compiler/pass/pass.h"
#include "network/layer.h"

typedef struct import {
    gali_builder b;
    const gali_model *model;
    gal_form form;
} import;

static gali_net_type vector(gali_net_element element, uint32_t size) {
    return (gali_net_type){element, 1, {size, 0, 0}};
}

static uint32_t floats(import *in, gali_net_type type, const void *source, const char *name) {
    size_t count = gali_net_type_count(&type);
    float *values = gali_build_values(&in->b, count);
    for (size_t i = 0; values && i < count; i++) {
        values[i] = gali_model_f32(source, i);
    }
    return gali_build_constant(&in->b, type, values, name);
}

/* [E][N][K] as stored, widened to float32. */
static uint32_t weights(import *in, const gali_model_layer *layer, gali_net_type type, const char *name) {
    size_t count = gali_net_type_count(&type);
    float *values = gali_build_values(&in->b, count);
    for (size_t i = 0; values && i < count; i++) {
        values[i] = gali_model_weight(layer, i);
    }
    return gali_build_constant(&in->b, type, values, name);
}

/* 1 where the feature never changes, and the value that it then has: masked features read as their mean. */
static uint32_t fixed_state(import *in, uint32_t count) {
    uint32_t *state = gali_build_values(&in->b, count);
    for (uint32_t k = 0; state && k < count; k++) {
        state[k] = gali_model_u32(in->model->input_state, k) != GALI_INPUT_LIVE;
    }
    return gali_build_constant(&in->b, vector(GALI_NET_U32, count), state, "fixed");
}

static uint32_t fixed_value(import *in, uint32_t count) {
    float *value = gali_build_values(&in->b, count);
    for (uint32_t k = 0; value && k < count; k++) {
        int masked = gali_model_u32(in->model->input_state, k) == GALI_INPUT_MASKED;
        value[k] = gali_model_f32(masked ? in->model->input_mean : in->model->input_constant, k);
    }
    return gali_build_constant(&in->b, vector(GALI_NET_F32, count), value, "fixed_value");
}

static uint32_t features(import *in) {
    const gali_model *model = in->model;
    uint32_t count = model->inputs;
    gali_net_type rows = {GALI_NET_F32, 2, {GALI_NET_DIMENSION_C, count, 0}};
    uint32_t x = gali_build(&in->b, (gali_net_node){.op = GALI_NET_OP_input, .type = rows}, "x");
    uint32_t state = fixed_state(in, count), value = fixed_value(in, count);
    uint32_t mean = floats(in, vector(GALI_NET_F32, count), model->input_mean, "x_mean");
    uint32_t std = floats(in, vector(GALI_NET_F32, count), model->input_std, "x_std");
    uint32_t fixed = gali_build(
        &in->b, (gali_net_node){.op = GALI_NET_OP_fix, .operand_count = 3, .operands = {x, state, value}},
        "x_fixed");
    return gali_build(
        &in->b,
        (gali_net_node){.op = GALI_NET_OP_normalise, .operand_count = 3, .operands = {fixed, mean, std}},
        "x_normal");
}

static uint32_t activated(import *in, gali_activation activation, float slope, uint32_t value,
                          const char *name) {
    if (activation == GALI_ACTIVATION_NONE) {
        return value;
    }
    gali_net_node node = {.op = GALI_NET_OP_activate, .operand_count = 1, .operands = {value}};
    node.attributes[GALI_NET_ATTRIBUTE_activation] = activation;
    memcpy(&node.attributes[GALI_NET_ATTRIBUTE_slope], &slope, sizeof slope);
    return gali_build(&in->b, node, "%s_act", name);
}

/* A list of layers: the network's, or its gate's. values[0] is what it is given, values[i + 1] what layer i makes. */
typedef struct list {
    gali_layer_list layers;
    int gate;                 /* the gating network's */
    const uint32_t *features; /* [layers.width] the features of x that value 0 is; NULL: all of them */
    uint32_t x, blend;        /* the normalised features; the blend, which the gate's layers do not use */
    uint32_t values[GALI_LAYERS_MAX + 1];
} list;

static uint32_t gathered(import *in, uint32_t x, const uint32_t *index, uint32_t count, const char *name) {
    uint32_t features = gali_build(
        &in->b, (gali_net_node){.op = GALI_NET_OP_constant, .type = vector(GALI_NET_U32, count), .data = index},
        "%.20s_index", name);
    return gali_build(&in->b,
                      (gali_net_node){.op = GALI_NET_OP_gather, .operand_count = 2, .operands = {x, features}},
                      "%.20s_x", name);
}

/* Whether a layer reads value 0 alone, so that its normalisation folds into it. */
static int reads_features(const list *l, uint32_t i) {
    int alone = gali_layer_has_panels(l->layers.layers[i].kind);
    for (uint32_t s = 0; s < gali_layer_source_count(&l->layers.layers[i]); s++) {
        alone &= gali_layer_source(&l->layers, i, s).value == 0;
    }
    return alone;
}

/* The input of such a layer: some features of x. */
static uint32_t joined_features(import *in, const list *l, uint32_t i, const char *name) {
    uint32_t count = l->layers.layers[i].inputs, at = 0;
    uint32_t *index = gali_build_values(&in->b, count);
    int whole = !l->features && count == l->layers.width;
    for (uint32_t s = 0; index && s < gali_layer_source_count(&l->layers.layers[i]); s++) {
        gali_source source = gali_layer_source(&l->layers, i, s);
        for (uint32_t k = source.first; k < source.first + source.count; k++, at++) {
            index[at] = l->features ? l->features[k] : k;
            whole &= index[at] == at;
        }
    }
    return whole || !index ? l->x : gathered(in, l->x, index, count, name);
}

/* One source of a layer: a value, or a slice of it. */
static uint32_t source_of(import *in, const list *l, uint32_t i, uint32_t s, const char *name) {
    gali_source source = gali_layer_source(&l->layers, i, s);
    uint32_t value = l->values[source.value];
    if (source.count == gali_layer_value_width(&l->layers, source.value)) {
        return value;
    }
    gali_net_node node = {.op = GALI_NET_OP_slice, .operand_count = 1, .operands = {value}};
    node.attributes[GALI_NET_ATTRIBUTE_first] = source.first;
    node.attributes[GALI_NET_ATTRIBUTE_count] = source.count;
    return gali_build(&in->b, node, "%.16s_slice%u", name, s);
}

static uint32_t input_of(import *in, const list *l, uint32_t i, const char *name) {
    if (reads_features(l, i)) {
        return joined_features(in, l, i, name);
    }
    gali_net_node node = {.op = GALI_NET_OP_concat,
                          .operand_count = gali_layer_source_count(&l->layers.layers[i])};
    for (uint32_t s = 0; s < node.operand_count; s++) {
        node.operands[s] = source_of(in, l, i, s, name);
    }
    return node.operand_count == 1 ? node.operands[0] : gali_build(&in->b, node, "%.20s_x", name);
}

static uint32_t dense(import *in, const gali_model_layer *layer, uint32_t x, uint32_t blend, const char *name) {
    char label[GALI_NET_NAME_MAX + 1];
    int blended = layer->experts > 1;
    uint32_t e = layer->experts, n = layer->outputs, k = layer->inputs;
    gali_net_type matrix = {GALI_NET_F32, blended ? 3 : 2, {blended ? e : n, blended ? n : k, k}};
    gali_net_type vectors = {GALI_NET_F32, blended ? 2 : 1, {blended ? e : n, n, 0}};
    snprintf(label, sizeof label, "%.20s_A", name);
    uint32_t a = weights(in, layer, matrix, label);
    snprintf(label, sizeof label, "%.20s_b", name);
    uint32_t b = floats(in, vectors, layer->biases, label);
    gali_net_node node = {.op = GALI_NET_OP_dense, .operand_count = 3, .operands = {x, a, b}};
    if (blended) {
        node =
            (gali_net_node){.op = GALI_NET_OP_blended_dense, .operand_count = 4, .operands = {x, blend, a, b}};
        node.attributes[GALI_NET_ATTRIBUTE_form] = in->form;
    }
    return gali_build(&in->b, node, "%s", name);
}

static uint32_t layer_norm(import *in, const gali_model_layer *layer, uint32_t x, const char *name) {
    char label[GALI_NET_NAME_MAX + 1];
    snprintf(label, sizeof label, "%.20s_gamma", name);
    uint32_t gamma = weights(in, layer, vector(GALI_NET_F32, layer->outputs), label);
    snprintf(label, sizeof label, "%.20s_beta", name);
    uint32_t beta = floats(in, vector(GALI_NET_F32, layer->outputs), layer->biases, label);
    gali_net_node node = {.op = GALI_NET_OP_layer_norm, .operand_count = 3, .operands = {x, gamma, beta}};
    memcpy(&node.attributes[GALI_NET_ATTRIBUTE_epsilon], &layer->epsilon, sizeof layer->epsilon);
    return gali_build(&in->b, node, "%s", name);
}

/* film, gru, add, mul: a row in, a row out. */
static uint32_t row_layer(import *in, const gali_model_layer *layer, gali_net_op op, uint32_t x,
                          const char *name) {
    gali_net_node node = {.op = op, .operand_count = 1, .operands = {x}};
    if (op == GALI_NET_OP_add || op == GALI_NET_OP_mul) {
        node.attributes[GALI_NET_ATTRIBUTE_parts] = layer->inputs / layer->outputs;
    }
    return gali_build(&in->b, node, "%s", name);
}

static uint32_t sums(import *in, const gali_model_layer *layer, uint32_t x, uint32_t blend, const char *name) {
    switch (layer->kind) {
    case GALI_LAYER_DENSE:
        return dense(in, layer, x, blend, name);
    case GALI_LAYER_LAYER_NORM:
        return layer_norm(in, layer, x, name);
    case GALI_LAYER_FILM:
        return row_layer(in, layer, GALI_NET_OP_film, x, name);
    case GALI_LAYER_GRU:
        return row_layer(in, layer, GALI_NET_OP_gru, x, name);
    case GALI_LAYER_ADD:
        return row_layer(in, layer, GALI_NET_OP_add, x, name);
    case GALI_LAYER_MUL:
        return row_layer(in, layer, GALI_NET_OP_mul, x, name);
    case GALI_LAYER_CONCAT:
        return x;
    default:
        if (in->b.status == GAL_OK) {
            in->b.status = gali_fail(in->b.error, GAL_UNSUPPORTED, "%s: its kind is not compiled", name);
        }
        return 0;
    }
}

/* All layers of a list; returns the last one's value. */
static uint32_t import_list(import *in, list *l) {
    l->values[0] = l->features ? gathered(in, l->x, l->features, l->layers.width, "gate") : l->x;
    for (uint32_t i = 0; i < l->layers.count; i++) {
        const gali_model_layer *layer = &l->layers.layers[i];
        char name[GALI_NET_NAME_MAX + 1];
        gali_compilation_name_layer(name, l->gate, i);
        uint32_t x = input_of(in, l, i, name);
        uint32_t made = sums(in, layer, x, l->blend, name);
        l->values[i + 1] = activated(in, layer->activation, layer->slope, made, name);
    }
    return l->values[l->layers.count];
}

static uint32_t gating_network(import *in, uint32_t x) {
    const gali_model *model = in->model;
    const gali_gating *gating = &model->gating;
    uint32_t *index = gali_build_values(&in->b, gating->input_count);
    for (uint32_t i = 0; index && i < gating->input_count; i++) {
        index[i] = gali_model_u32(gating->features, i);
    }
    list l = {.layers = gali_layer_list_gate(gating), .gate = 1, .features = index, .x = x};
    uint32_t value = index ? activated(in, GALI_ACTIVATION_SOFTMAX, 0, import_list(in, &l), "gate") : 0;
    gali_net_node kept = {
        .op = gating->top ? GALI_NET_OP_top : GALI_NET_OP_blend, .operand_count = 1, .operands = {value}};
    kept.attributes[GALI_NET_ATTRIBUTE_top] = gating->top;
    return gali_build(&in->b, kept, "blend");
}

static uint32_t gate(import *in, uint32_t x) {
    static const gali_net_op ops[GAL_GATE_COUNT] = {[GAL_GATE_CUBIC] = GALI_NET_OP_gate_cubic,
                                                    [GAL_GATE_LINEAR] = GALI_NET_OP_gate_linear,
                                                    [GAL_GATE_CONSTANT] = GALI_NET_OP_gate_constant};
    const gali_model *model = in->model;
    if (model->gate == GAL_GATE_NETWORK) {
        return gating_network(in, x);
    }
    if (model->gate == GAL_GATE_CALLER) {
        gali_net_type rows = {GALI_NET_F32, 2, {GALI_NET_DIMENSION_C, model->experts, 0}};
        uint32_t w = gali_build(&in->b, (gali_net_node){.op = GALI_NET_OP_input, .type = rows}, "given");
        return gali_build(&in->b, (gali_net_node){.op = GALI_NET_OP_blend, .operand_count = 1, .operands = {w}},
                          "blend");
    }
    gali_net_type phases = {GALI_NET_F32, 1, {GALI_NET_DIMENSION_C, 0, 0}};
    uint32_t phase = gali_build(&in->b, (gali_net_node){.op = GALI_NET_OP_input, .type = phases}, "phase");
    gali_net_node node = {.op = ops[model->gate], .operand_count = 1, .operands = {phase}};
    node.attributes[GALI_NET_ATTRIBUTE_experts] = model->experts;
    return gali_build(&in->b, node, "blend");
}

gal_status gali_pass_import(gali_compilation *c, gal_error *error) {
import in = {gali_build_start(& c->arena, c->least, c->most, error), & c->model, c->form };
    uint32_t x = features(&in);
    list l = {.layers = gali_layer_list_main(&c->model), .x = x, .blend = gate(&in, x)};
    uint32_t value = import_list(&in, &l);
    uint32_t mean = floats(&in, vector(GALI_NET_F32, c->model.outputs), c->model.output_mean, "y_mean");
    uint32_t std = floats(&in, vector(GALI_NET_F32, c->model.outputs), c->model.output_std, "y_std");
    value = gali_build(
        &in.b,
        (gali_net_node){.op = GALI_NET_OP_denormalise, .operand_count = 3, .operands = {value, mean, std}},
        "result");
    if (in.b.status == GAL_OK) {
        in.b.graph->output = value;
        c->graph = in.b.graph;
    }
    return in.b.status;
}
