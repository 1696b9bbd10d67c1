/* A model as a graph: gate, features, layers, each formula as the format's page has it, nothing folded. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "compiler/activation.h"
#include "compiler/pass/build.h"
#include "compiler/pass/pass.h"
#include "network/gate.h"
#include "network/layer.h"

typedef struct importing {
    gali_builder b;
    const gali_model *model;
    gal_form form;
    gali_extent characters;
} importing;

static gali_type list_of(uint32_t size) {
    return (gali_type){.element = GALI_f32, .rank = 1, .shape = {size}};
}

static gali_type rows_of(const importing *in, uint32_t width) {
    return (gali_type){.element = GALI_f32, .rank = 2, .shape = {in->characters, width}};
}

/* A list of the file's. */
static uint32_t floats(importing *in, gali_type type, const void *source, const char *name) {
    size_t count = (size_t)gali_type_count(in->b.graph->extents, &type);
    float *values = gali_build_take(&in->b, count, sizeof *values);
    for (size_t i = 0; values && i < count; i++) {
        values[i] = gali_model_f32(source, i);
    }
    return gali_build_floats(&in->b, &type, values, "%s", name);
}

/* [E][N][K] as stored, widened to float32. */
static uint32_t weights(importing *in, const gali_model_layer *layer, gali_type type, const char *name) {
    size_t count = (size_t)gali_type_count(in->b.graph->extents, &type);
    float *values = gali_build_take(&in->b, count, sizeof *values);
    for (size_t i = 0; values && i < count; i++) {
        values[i] = gali_model_weight(layer, i);
    }
    return gali_build_floats(&in->b, &type, values, "%s", name);
}

/* ---- features ---- */

/* Features that never change have the value that they then have: masked ones their mean. x itself where all are live. */
static uint32_t fixed_features(importing *in, uint32_t x) {
    const gali_model *model = in->model;
    uint32_t count = model->inputs, fixed = 0;
    uint32_t *state = gali_build_take(&in->b, count, sizeof *state);
    float *value = gali_build_take(&in->b, count, sizeof *value);
    for (uint32_t k = 0; state && value && k < count; k++) {
        uint32_t is = gali_model_u32(model->input_state, k);
        state[k] = is != GALI_INPUT_LIVE;
        fixed |= state[k];
        value[k] = gali_model_f32(is == GALI_INPUT_MASKED ? model->input_mean : model->input_constant, k);
    }
    if (!fixed) {
        return x;
    }
    gali_type type = list_of(count);
    uint32_t operands[] = {gali_build_list(&in->b, GALI_truth, count, state, "fixed"),
                           gali_build_floats(&in->b, &type, value, "fixed_value"), x};
    return gali_build_node(&in->b, (gali_node){.op = GALI_OP_Where, .operand_count = 3, .operands = operands},
                           "x_fixed");
}

static uint32_t features(importing *in) {
    const gali_model *model = in->model;
    gali_type type = rows_of(in, model->inputs);
    uint32_t x = fixed_features(in, gali_build_input(&in->b, "x", &type));
    uint32_t mean = floats(in, list_of(model->inputs), model->input_mean, "x_mean");
    uint32_t std = floats(in, list_of(model->inputs), model->input_std, "x_std");
    uint32_t centred = gali_build(&in->b, GALI_OP_Sub, x, mean, "x_centred");
    return gali_build(&in->b, GALI_OP_Div, centred, std, "x_normal");
}

/* ---- what layers read ---- */

/* A list of layers: the network's, or its gate's. values[0] is what it is given, values[i + 1] what layer i makes. */
typedef struct list {
    gali_layer_list layers;
    int gate;                 /* the gating network's */
    const uint32_t *features; /* [layers.width] the features of x that value 0 is; NULL: all of them */
    uint32_t x;               /* the normalised features */
    uint32_t blend, experts;  /* coefficients, which the gate's layers do not use; GALI_NONE: of all experts */
    uint32_t values[GALI_LAYERS_MAX + 1];
} list;

/* Layer i, under way: the operators before its own. */
typedef struct layer {
    const list *of;
    uint32_t i, parts; /* stretches of other values that were made so far */
    const gali_model_layer *model;
    const char *name;
} layer;

static uint32_t gathered(importing *in, uint32_t x, const uint32_t *index, uint32_t count, const char *name) {
    static const int64_t axis = 1;
    gali_attribute along = {.name = "axis", .kind = GALI_INT, .count = 1, .ints = &axis};
    uint32_t operands[] = {x, gali_build_list(&in->b, GALI_i64, count, index, "%.20s_index", name)};
    gali_node node = {.op = GALI_OP_Gather,
                      .operand_count = 2,
                      .operands = operands,
                      .attribute_count = 1,
                      .attributes = &along};
    return gali_build_node(&in->b, node, "%.20s_x", name);
}

/* Whether a layer reads value 0 alone, so that its normalisation folds into it. */
static int reads_features(const layer *at) {
    int alone = gali_layer_has_panels(at->model->kind);
    for (uint32_t s = 0; s < gali_layer_source_count(at->model); s++) {
        alone &= gali_layer_source(&at->of->layers, at->i, s).value == 0;
    }
    return alone;
}

/* The input of such a layer: some features of x. */
static uint32_t joined_features(importing *in, const layer *at) {
    const list *l = at->of;
    uint32_t count = at->model->inputs, k = 0;
    uint32_t *index = gali_build_take(&in->b, count, sizeof *index);
    int whole = !l->features && count == l->layers.width;
    for (uint32_t s = 0; index && s < gali_layer_source_count(at->model); s++) {
        gali_source source = gali_layer_source(&l->layers, at->i, s);
        for (uint32_t from = source.first; from < source.first + source.count; from++, k++) {
            index[k] = l->features ? l->features[from] : from;
            whole &= index[k] == k;
        }
    }
    return whole || !index ? l->x : gathered(in, l->x, index, count, at->name);
}

/* `count` elements of a value from `first` on: the value itself if these are all. */
static uint32_t sliced(importing *in, layer *at, gali_source source) {
    static const uint32_t axis = 1;
    uint32_t value = at->of->values[source.value], end = source.first + source.count;
    if (source.count == gali_layer_value_width(&at->of->layers, source.value)) {
        return value;
    }
    uint32_t operands[] = {value, gali_build_list(&in->b, GALI_i64, 1, &source.first, "%s", ""),
                           gali_build_list(&in->b, GALI_i64, 1, &end, "%s", ""),
                           gali_build_list(&in->b, GALI_i64, 1, &axis, "%s", "")};
    return gali_build_node(&in->b, (gali_node){.op = GALI_OP_Slice, .operand_count = 4, .operands = operands},
                           "%.16s_slice%u", at->name, at->parts++);
}

/* Elements [first, first + count) of all that the layer reads, joined: a value, a part of one, or several. */
static uint32_t stretch(importing *in, layer *at, uint32_t first, uint32_t count) {
    static const int64_t axis = 1;
    gali_attribute along = {.name = "axis", .kind = GALI_INT, .count = 1, .ints = &axis};
    uint32_t operands[GALI_SOURCES_MAX], pieces = 0, begin = 0;
    for (uint32_t s = 0; s < gali_layer_source_count(at->model); s++) {
        gali_source source = gali_layer_source(&at->of->layers, at->i, s);
        uint32_t from = first > begin ? first : begin, end = begin + source.count;
        uint32_t to = first + count < end ? first + count : end;
        if (from < to) {
            gali_source piece = {source.value, source.first + from - begin, to - from};
            operands[pieces++] = sliced(in, at, piece);
        }
        begin = end;
    }
    gali_node node = {.op = GALI_OP_Concat,
                      .operand_count = pieces,
                      .operands = operands,
                      .attribute_count = 1,
                      .attributes = &along};
    return pieces == 1 ? operands[0] : gali_build_node(&in->b, node, "%.16s_x%u", at->name, at->parts++);
}

static uint32_t input_of(importing *in, layer *at) {
    return reads_features(at) ? joined_features(in, at) : stretch(in, at, 0, at->model->inputs);
}

/* Part `part` of the equal parts that a layer's input has, each as wide as its result. */
static uint32_t part_of(importing *in, layer *at, uint32_t part) {
    return stretch(in, at, part * at->model->outputs, at->model->outputs);
}

/* ---- layers ---- */

static uint32_t dense(importing *in, layer *at, const char *name) {
    static const int64_t yes = 1;
    static const char *const forms[GAL_FORM_COUNT] = {"per-expert", "blend"};
    char label[GALI_BUILD_NAME_MAX + 1];
    uint32_t e = at->model->experts, n = at->model->outputs, k = at->model->inputs, x = input_of(in, at);
    int blended = e > 1;
    gali_type matrix = {
        .element = GALI_f32, .rank = blended ? 3 : 2, .shape = {blended ? e : n, blended ? n : k, k}};
    gali_type vectors = {.element = GALI_f32, .rank = blended ? 2 : 1, .shape = {blended ? e : n, n}};
    snprintf(label, sizeof label, "%.20s_A", at->name);
    uint32_t a = weights(in, at->model, matrix, label);
    snprintf(label, sizeof label, "%.20s_b", at->name);
    uint32_t b = floats(in, vectors, at->model->biases, label);
    uint32_t plain[] = {x, a, b}, all[] = {x, at->of->blend, a, b, at->of->experts};
    gali_attribute transposed = {.name = "transB", .kind = GALI_INT, .count = 1, .ints = &yes};
    gali_attribute form = {
        .name = "form", .kind = GALI_WORD, .count = (uint32_t)strlen(forms[in->form]), .word = forms[in->form]};
    gali_node node = {.op = blended ? GALI_OP_blended_dense : GALI_OP_Gemm,
                      .name = at->name,
                      .operand_count = !blended                       ? 3
                                       : at->of->experts == GALI_NONE ? 4
                                                                      : 5,
                      .operands = blended ? all : plain,
                      .attribute_count = 1,
                      .attributes = blended ? &form : &transposed};
    return gali_build_node(&in->b, node, "%s", name);
}

static uint32_t layer_norm(importing *in, layer *at, const char *name) {
    char label[GALI_BUILD_NAME_MAX + 1];
    double epsilon = (double)at->model->epsilon;
    gali_attribute attribute = {.name = "epsilon", .kind = GALI_NUMBER, .count = 1, .numbers = &epsilon};
    uint32_t x = input_of(in, at);
    snprintf(label, sizeof label, "%.20s_gamma", at->name);
    uint32_t gamma = weights(in, at->model, list_of(at->model->outputs), label);
    snprintf(label, sizeof label, "%.20s_beta", at->name);
    uint32_t beta = floats(in, list_of(at->model->outputs), at->model->biases, label);
    uint32_t operands[] = {x, gamma, beta};
    gali_node node = {.op = GALI_OP_LayerNormalization,
                      .operand_count = 3,
                      .operands = operands,
                      .attribute_count = 1,
                      .attributes = &attribute};
    return gali_build_node(&in->b, node, "%s", name);
}

/* Many parts: the joined row as a matrix of them, reduced. */
static uint32_t reduced_parts(importing *in, layer *at, gali_op op, const char *name) {
    static const uint32_t axis = 1;
    static const int64_t no = 0;
    const uint32_t shape[] = {0, at->model->inputs / at->model->outputs, at->model->outputs};
    gali_attribute keep = {.name = "keepdims", .kind = GALI_INT, .count = 1, .ints = &no};
    uint32_t extents = gali_build_list(&in->b, GALI_i64, 3, shape, "%s", ""); /* 0: as many rows as there are */
    uint32_t matrix = gali_build(&in->b, GALI_OP_Reshape, stretch(in, at, 0, at->model->inputs), extents,
                                 "%.20s_parts", at->name);
    uint32_t operands[] = {matrix, gali_build_list(&in->b, GALI_i64, 1, &axis, "%s", "")};
    gali_node node = {.op = op == GALI_OP_Add ? GALI_OP_ReduceSum : GALI_OP_ReduceProd,
                      .operand_count = 2,
                      .operands = operands,
                      .attribute_count = 1,
                      .attributes = &keep};
    return gali_build_node(&in->b, node, "%s", name);
}

/* a + b + ..., or their product. */
static uint32_t folded_parts(importing *in, layer *at, gali_op op, const char *name) {
    enum { PARTS_MOST = 8 };
    uint32_t parts = at->model->inputs / at->model->outputs;
    if (parts > PARTS_MOST) {
        return reduced_parts(in, at, op, name);
    }
    uint32_t value = part_of(in, at, 0);
    for (uint32_t i = 1; i < parts; i++) {
        uint32_t part = part_of(in, at, i);
        value = i + 1 < parts ? gali_build(&in->b, op, value, part, "%.16s_to%u", at->name, i)
                              : gali_build(&in->b, op, value, part, "%s", name);
    }
    return value;
}

static uint32_t film(importing *in, layer *at, const char *name) {
    uint32_t a = part_of(in, at, 0), scale = part_of(in, at, 1), shift = part_of(in, at, 2);
    uint32_t scaled = gali_build(&in->b, GALI_OP_Mul, a, scale, "%.20s_scaled", at->name);
    return gali_build(&in->b, GALI_OP_Add, scaled, shift, "%s", name);
}

/* sigmoid(i + j), its part `part` of either. */
static uint32_t gru_gate(importing *in, layer *at, uint32_t part, char letter) {
    uint32_t i = part_of(in, at, part), j = part_of(in, at, 3 + part);
    uint32_t sum = gali_build(&in->b, GALI_OP_Add, i, j, "%.20s_%c_sum", at->name, letter);
    return gali_build(&in->b, GALI_OP_Sigmoid, sum, GALI_NONE, "%.20s_%c", at->name, letter);
}

/* y = (1 - z) n + z h (network/layers/gru.c) */
static uint32_t gru(importing *in, layer *at, const char *name) {
    float *one = gali_build_take(&in->b, 1, sizeof *one);
    gali_type number = list_of(1);
    if (!one) {
        return 0;
    }
    *one = 1;
    uint32_t r = gru_gate(in, at, 0, 'r'), z = gru_gate(in, at, 1, 'z');
    uint32_t i = part_of(in, at, 2), j = part_of(in, at, 5), h = part_of(in, at, 6);
    uint32_t kept = gali_build(&in->b, GALI_OP_Mul, r, j, "%.20s_kept", at->name);
    uint32_t sum = gali_build(&in->b, GALI_OP_Add, i, kept, "%.20s_n_sum", at->name);
    uint32_t n = gali_build(&in->b, GALI_OP_Tanh, sum, GALI_NONE, "%.20s_n", at->name);
    uint32_t rest = gali_build(&in->b, GALI_OP_Sub, gali_build_floats(&in->b, &number, one, "%s", ""), z,
                               "%.20s_rest", at->name);
    uint32_t fresh = gali_build(&in->b, GALI_OP_Mul, rest, n, "%.20s_fresh", at->name);
    uint32_t old = gali_build(&in->b, GALI_OP_Mul, z, h, "%.20s_old", at->name);
    return gali_build(&in->b, GALI_OP_Add, fresh, old, "%s", name);
}

static uint32_t sums(importing *in, layer *at, const char *name) {
    switch (at->model->kind) {
    case GALI_LAYER_DENSE:
    case GALI_LAYER_SPARSE: /* with its zeros: which weights are there is a matter of layout (emit/patches.c) */
        return dense(in, at, name);
    case GALI_LAYER_LAYER_NORM:
        return layer_norm(in, at, name);
    case GALI_LAYER_FILM:
        return film(in, at, name);
    case GALI_LAYER_GRU:
        return gru(in, at, name);
    case GALI_LAYER_ADD:
        return folded_parts(in, at, GALI_OP_Add, name);
    case GALI_LAYER_MUL:
        return folded_parts(in, at, GALI_OP_Mul, name);
    case GALI_LAYER_CONCAT:
        return input_of(in, at);
    default:
        if (in->b.status == GAL_OK) {
            in->b.status = gali_fail(in->b.error, GAL_UNSUPPORTED, "%s: its kind is not compiled", name);
        }
        return 0;
    }
}

static uint32_t activated(importing *in, gali_activation activation, float slope, uint32_t value,
                          const char *name) {
    if (in->b.status != GAL_OK) {
        return 0;
    }
    gali_node node = gali_activation_node(in->b.graph->arena, activation, slope);
    node.operands = &value;
    node.operand_count = 1;
    return gali_build_node(&in->b, node, "%s", name);
}

/* A layer's value is named as the layer is; with an activation, what that is applied to has a name of its own. */
static uint32_t import_layer(importing *in, const list *l, uint32_t i) {
    char name[GALI_LAYER_NAME_MAX + 1], inner[GALI_LAYER_NAME_MAX + 8];
    gali_compilation_name_layer(name, l->gate, i);
    snprintf(inner, sizeof inner, "%s_sum", name);
    layer at = {.of = l, .i = i, .model = &l->layers.layers[i], .name = name};
    int plain = at.model->activation == GALI_ACTIVATION_NONE;
    uint32_t value = sums(in, &at, plain ? name : inner);
    return plain ? value : activated(in, at.model->activation, at.model->slope, value, name);
}

/* All layers of a list; returns the last one's value. */
static uint32_t import_list(importing *in, list *l) {
    l->values[0] = l->features ? gathered(in, l->x, l->features, l->layers.width, "gate") : l->x;
    for (uint32_t i = 0; i < l->layers.count; i++) {
        l->values[i + 1] = import_layer(in, l, i);
    }
    return l->values[l->layers.count];
}

/* ---- gates ---- */

/* A gate of one operand and one whole number; experts is GALI_NONE where it lists none. */
static void add_gate(importing *in, list *l, gali_node node, uint32_t operand) {
    node.operands = &operand;
    node.operand_count = 1;
    l->blend = gali_build_node(&in->b, node, "blend");
    l->experts = node.result_count > 1 ? l->blend + 1 : GALI_NONE;
}

static void gating_network(importing *in, list *main) {
    const gali_gating *gating = &in->model->gating;
    uint32_t *index = gali_build_take(&in->b, gating->input_count, sizeof *index);
    for (uint32_t i = 0; index && i < gating->input_count; i++) {
        index[i] = gali_model_u32(gating->features, i);
    }
    if (!index) {
        return;
    }
    list l = {.layers = gali_layer_list_gate(gating), .gate = 1, .features = index, .x = main->x};
    uint32_t last = import_list(in, &l);
    int some = gating->top && gating->top < in->model->experts;
    main->blend = activated(in, GALI_ACTIVATION_SOFTMAX, 0, last, some ? "gate" : "blend");
    if (some) {
        int64_t top = gating->top;
        gali_attribute attribute = {.name = "top", .kind = GALI_INT, .count = 1, .ints = &top};
        gali_node node = {
            .op = GALI_OP_top_experts, .attribute_count = 1, .attributes = &attribute, .result_count = 2};
        add_gate(in, main, node, main->blend);
    }
}

static void phase_gate(importing *in, list *main) {
    static const char *const kinds[GAL_GATE_COUNT] = {
        [GAL_GATE_CUBIC] = "cubic", [GAL_GATE_LINEAR] = "linear", [GAL_GATE_CONSTANT] = "constant"};
    const char *kind = kinds[in->model->gate];
    int64_t experts = in->model->experts;
    gali_type phases = {.element = GALI_f32, .rank = 1, .shape = {in->characters}};
    gali_attribute attributes[] = {
        {.name = "kind", .kind = GALI_WORD, .count = (uint32_t)strlen(kind), .word = kind},
        {.name = "experts", .kind = GALI_INT, .count = 1, .ints = &experts}};
    gali_node node = {.op = GALI_OP_phase_gate,
                      .attribute_count = 2,
                      .attributes = attributes,
                      .result_count = gali_gate_slots(in->model->gate, in->model->experts) < experts ? 2 : 1};
    add_gate(in, main, node, gali_build_input(&in->b, "phase", &phases));
}

static void gate(importing *in, list *main) {
    gali_type given = rows_of(in, in->model->experts);
    main->experts = GALI_NONE;
    if (in->model->gate == GAL_GATE_NETWORK) {
        gating_network(in, main);
    } else if (in->model->gate == GAL_GATE_CALLER) {
        main->blend = gali_build_input(&in->b, "given", &given);
    } else {
        phase_gate(in, main);
    }
}

gal_status gali_pass_import(gali_compilation *c, gal_error *error) {
    importing in = {.b = gali_build_start(&c->arena, NULL, error), .model = &c->model, .form = c->form};
    if (in.b.status != GAL_OK) {
        return in.b.status;
    }
    in.characters = gali_extent_symbol(in.b.graph->extents, "characters", c->least, c->most);
    list l = {.layers = gali_layer_list_main(&c->model), .x = features(&in)};
    gate(&in, &l);
    uint32_t value = import_list(&in, &l);
    uint32_t mean = floats(&in, list_of(c->model.outputs), c->model.output_mean, "y_mean");
    uint32_t std = floats(&in, list_of(c->model.outputs), c->model.output_std, "y_std");
    value = gali_build(&in.b, GALI_OP_Mul, value, std, "scaled");
    value = gali_build(&in.b, GALI_OP_Add, value, mean, "result");
    if (in.b.status == GAL_OK) {
        gali_graph_output(in.b.graph, value);
        c->graph = in.b.graph;
    }
    return in.b.status;
}
