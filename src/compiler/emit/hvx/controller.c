#include "compiler/emit/hvx/controller.h"

#include <string.h>

#include "base/error.h"
#include "compiler/activation.h"
#include "compiler/emit/emission.h"
#include "compiler/emit/vocabulary.h"
#include "network/gate.h"

enum { WIDE = 8, ALIGNMENT = 128 }; /* characters that a layer is run for at a time, as GALI_HVX_WIDE */

/* Bytes of the workspace's parts; all characters of a turn. */
typedef struct places {
    size_t buffers[GALI_BUFFERS_MAX], joined, blend, uses, prepared, words, start, sums, f, whole;
} places;

static size_t reserve(places *p, size_t bytes) {
    const size_t at = p->whole;
    p->whole = (at + bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return at;
}

static void most(size_t *kept, size_t other) {
    *kept = other > *kept ? other : *kept;
}

static size_t blocks_of(const gali_packed_layer *layer) {
    return layer->span ? gali_narrow_blocks(layer->groups, layer->span) : 1;
}

static gali_hvx_form form_of(const gali_packed_layer *layer) {
    return gali_hvx_cheapest(GALI_HVX_COLUMN, (gali_hvx_size){layer->outputs, 1, layer->groups * 4, 1});
}

/* In float32: the gating network's layers are. */
static int is_whole(const gali_packed_layer *layer) {
    return !gali_precision_is_narrow(layer->precision);
}

static places place(const gal_network *network) {
    places p = {.whole = 0};
    size_t words = 0, prepared = 0, start = 0, sums = 0;
    for (uint32_t i = 0; i < network->layer_count; i++) {
        const gali_packed_layer *layer = &network->layers[i];
        if (is_whole(layer)) {
            continue;
        }
        const gali_hvx_form form = form_of(layer);
        most(&words, 4 * (size_t)layer->groups * 4 / gali_hvx_columns(form));
        most(&prepared, 4 * ((size_t)layer->groups + blocks_of(layer)));
        most(&start, 4 * blocks_of(layer));
        most(&sums, 4 * (size_t)gali_hvx_height(layer->outputs, form));
    }
    for (uint32_t i = 0; i < network->wiring.buffer_count; i++) {
        p.buffers[i] = reserve(&p, WIDE * sizeof(float) * network->wiring.width[i]);
    }
    p.joined = reserve(&p, WIDE * sizeof(float) * network->joined);
    p.blend = reserve(&p, WIDE * sizeof(float) * network->experts);
    p.uses = reserve(&p, (size_t)WIDE * network->experts);
    p.prepared = reserve(&p, WIDE * prepared);
    p.words = reserve(&p, WIDE * words);
    p.start = reserve(&p, WIDE * start);
    p.sums = reserve(&p, WIDE * sums);
    p.f = reserve(&p, WIDE * sums);
    return p;
}

/* Whether the network is what this back end knows. */
static gal_status check(const gali_compilation *c, const gal_network *network, gal_error *error) {
    if (c->weights_blob || c->form != GAL_FORM_PER_EXPERT || c->log) {
        return gali_fail(error, GAL_UNSUPPORTED,
                         "target %s: weights are an array, the form per-expert, without a log",
                         c->target->name);
    }
    if (network->gate_normal.count || network->normal.count) {
        return gali_fail(error, GAL_UNSUPPORTED, "target %s: normalisation by itself is not there yet",
                         c->target->name);
    }
    for (uint32_t i = 0; i < network->layer_count; i++) {
        const gali_packed_layer *layer = &network->layers[i];
        if (layer->kind != GALI_LAYER_DENSE || (!is_whole(layer) && !layer->groups)) {
            return gali_fail(error, GAL_UNSUPPORTED, "target %s: layer %u is not dense or has no inputs",
                             c->target->name, i);
        }
    }
    return GAL_OK;
}

static int has_phase(const gal_network *network) {
    return network->gate != GAL_GATE_CALLER && network->gate != GAL_GATE_NETWORK;
}

/* Whether the caller gives something of the gate. */
static int has_gate(const gal_network *network) {
    return has_phase(network) || (network->gate == GAL_GATE_CALLER && network->experts > 1);
}

static void add_prototype(gali_text *text, const gal_network *network) {
    gali_text_add(text, "int gali_run(uint32_t count, const float *x, %sfloat *y, void *workspace)",
                  has_phase(network)  ? "const float *phase, "
                  : has_gate(network) ? "const float *given, "
                                      : "");
}

static void make_header(const gali_compilation *c, const gal_network *network, const places *p,
                        gali_text *text) {
    gali_text_add(text,
                  "/*\n * %s: a neural character controller in int8-dot, as C with HVX intrinsics.\n *\n"
                  " * Made by gallop %s for %s, %u to %u characters a call. For clang:\n"
                  " *     clang --target=hexagon-unknown-none-elf %s -std=c11 -O2 -ffp-contract=off "
                  "-ffreestanding -c %s.c\n",
                  c->name, gal_version(), c->target->name, c->least, c->most, c->target->flags, c->name);
    gali_emit_provenance(c, text);
    gali_text_add(text,
                  " */\n#ifndef GALI_H\n#define GALI_H\n\n#include <stdint.h>\n\n"
                  "enum {\n    GALI_INPUTS = %u,\n    GALI_OUTPUTS = %u,\n    GALI_CHARACTERS_LEAST = %u,\n"
                  "    GALI_CHARACTERS_MOST = %u,\n    GALI_WORKSPACE = %zu, /* bytes */\n};\n\n",
                  network->inputs, network->outputs, c->least, c->most, p->whole);
    gali_text_add(text,
                  "/*\n * Runs the network for count characters; -1, and nothing is written, where count is "
                  "out of range%s.\n"
                  " *     x          [count][GALI_INPUTS], features as the model file has them\n%s"
                  " *     y          [count][GALI_OUTPUTS], apart from x\n"
                  " *     workspace  GALI_WORKSPACE bytes, aligned to 128; holds nothing between calls\n */\n",
                  has_gate(network) ? " or a value of the gate is not finite" : "",
                  has_phase(network)  ? " *     phase      [count], radians, any finite value\n"
                  : has_gate(network) ? " *     given      [count][experts], finite coefficients\n"
                                      : "");
    add_prototype(text, network);
    gali_text_add(text, ";\n\n#endif\n");
}

/* "(float *)(void *)(memory + 128)" */
static void add_place(gali_text *text, const char *type, size_t at) {
    gali_text_add(text, "(%s *)(void *)(memory + %zu)", type, at);
}

static void add_gate(gali_text *text, const gal_network *network, const places *p) {
    static const char *const names[] = {
        [GAL_GATE_CUBIC] = "cubic", [GAL_GATE_LINEAR] = "linear", [GAL_GATE_CONSTANT] = "constant"};
    const uint32_t experts = network->experts;
    const int is_given = network->gate == GAL_GATE_CALLER;
    if (is_given && experts == 1) {
        return;
    }
    gali_text_add(text, "    float *blend = ");
    add_place(text, "float", p->blend);
    gali_text_add(text, ";\n    uint8_t *uses = memory + %zu;\n    memset(uses, %d, count * %u);\n", p->uses,
                  is_given, experts);
    if (network->gate == GAL_GATE_NETWORK) {
        const uint32_t buffer = network->feeds[network->gating_count - 1].buffer;
        gali_text_add(text,
                      "    for (uint32_t c = 0; c < count; c++) {\n        uint32_t expert[%u];\n        float "
                      "weight[%u];\n"
                      "        gali_hvx_gate_row(",
                      network->slots, network->slots);
        add_place(text, "float", p->buffers[buffer]);
        gali_text_add(text, " + c * %u, %u, %u, expert, weight, blend + c * %u, uses + c * %u);\n    }\n",
                      network->wiring.width[buffer], experts, network->slots, experts, experts);
        return;
    }
    if (is_given) {
        gali_text_add(text, "    memcpy(blend, given, count * %u * sizeof *blend);\n", experts);
        return;
    }
    gali_text_add(
        text,
        "    for (uint32_t c = 0; c < count; c++) {\n        uint32_t expert[4];\n        double weight[4];\n"
        "        gali_gate_%s(phase[c], %u, expert, weight);\n"
        "        gali_hvx_gate(expert, weight, %u, blend + c * %u, uses + c * %u);\n    }\n",
        names[network->gate], experts, network->slots, experts, experts);
}

/* Where a layer's input rows are: "x + 3" and a stride; copied together first where they are not one stretch. */
static size_t add_input(gali_text *text, const gal_network *network, const places *p, uint32_t index) {
    const gali_feed *feed = &network->feeds[index];
    const uint32_t inputs = network->layers[index].inputs;
    if (feed->in_place && feed->features) {
        gali_text_add(text, "        const float *input = x + %u;\n", feed->features[0]);
        return network->inputs;
    }
    if (feed->in_place) {
        gali_text_add(text, "        const float *input = ");
        add_place(text, "const float", p->buffers[feed->sources[0].value] + 4 * (size_t)feed->sources[0].first);
        gali_text_add(text, ";\n");
        return network->wiring.width[feed->sources[0].value];
    }
    gali_text_add(text, "        float *input = ");
    add_place(text, "float", p->joined);
    gali_text_add(text, ";\n        for (uint32_t c = 0; c < count; c++) {\n");
    if (feed->features) {
        gali_text_add(text, "            gali_gather(x + c * %u, gali_features%u, %u, input + c * %u);\n",
                      network->inputs, index, inputs, network->joined);
    }
    for (uint32_t s = 0, at = 0; !feed->features && s < feed->source_count; at += feed->sources[s++].count) {
        const gali_source source = feed->sources[s];
        gali_text_add(text, "            memcpy(input + c * %u + %u, ", network->joined, at);
        add_place(text, "float", p->buffers[source.value] + 4 * (size_t)source.first);
        gali_text_add(text, " + c * %u, %u * sizeof *input);\n", network->wiring.width[source.value],
                      source.count);
    }
    gali_text_add(text, "        }\n");
    return network->joined;
}

/* Softmax looks at a whole row, all others at a number. */
static void add_activation(gali_text *text, const gali_packed_layer *layer, size_t stride) {
    if (layer->activation == GALI_ACTIVATION_NONE) {
        return;
    }
    gali_text_add(text, "        for (uint32_t c = 0; c < count; c++) {\n");
    if (layer->activation == GALI_ACTIVATION_SOFTMAX) {
        gali_text_add(text, "            gali_activate_softmax(output + c * %zu, %u);\n        }\n", stride,
                      layer->outputs);
        return;
    }
    gali_text_add(text,
                  "            for (uint32_t n = 0; n < %u; n++) {\n                float *at = output + c "
                  "* %zu + n;\n"
                  "                *at = gali_activate_%s(*at, %af);\n            }\n        }\n",
                  layer->outputs, stride, gali_activation_name(layer->activation), (double)layer->slope);
}

static void add_layer_run(gali_text *text, const gal_network *network, const places *p, uint32_t index) {
    static const char *const names[] = {"vmpy", "vmpa", "vrmpy"};
    const gali_packed_layer *layer = &network->layers[index];
    const uint32_t buffer = network->feeds[index].buffer;
    const size_t y_stride = buffer == GALI_BUFFER_Y ? network->outputs : network->wiring.width[buffer];
    const char *how = is_whole(layer) ? "float32" : names[form_of(layer)];
    gali_text_add(text, "    { /* layer %u: %u -> %u, by %s */\n", index, layer->inputs, layer->outputs, how);
    const size_t x_stride = add_input(text, network, p, index);
    gali_text_add(text, "        float *output = ");
    if (buffer == GALI_BUFFER_Y) {
        gali_text_add(text, "y");
    } else {
        add_place(text, "float", p->buffers[buffer]);
    }
    gali_text_add(text, ";\n        const gali_hvx_batch batch = {count, input, output, %zu, %zu, %s};\n",
                  x_stride, y_stride, layer->experts > 1 ? "blend, uses" : "NULL, NULL");
    if (is_whole(layer)) {
        gali_text_add(text, "        gali_hvx_whole_run(&gali_layer%u, &batch);\n", index);
    } else {
        gali_text_add(text, "        gali_hvx_dense_%s(&gali_layer%u, &batch, &parts);\n", how, index);
    }
    add_activation(text, layer, y_stride);
    gali_text_add(text, "    }\n");
}

/* Up to WIDE characters. */
static void add_turn(gali_text *text, const gal_network *network, const places *p) {
    gali_text_add(
        text,
        "static void gali_turn(uint32_t count, const float *x, const float *%s, float *y, uint8_t *memory) {\n",
        has_phase(network) ? "phase" : "given");
    gali_text_add(text, has_gate(network) ? "" : "    (void)given;\n");
    gali_text_add(text, "    const gali_hvx_memory parts = {memory + %zu, ", p->prepared);
    const size_t at[] = {p->words, p->start, p->sums};
    for (uint32_t i = 0; i < 3; i++) {
        add_place(text, "int32_t", at[i]);
        gali_text_add(text, ", ");
    }
    add_place(text, "float", p->f);
    gali_text_add(text, "};\n");
    for (uint32_t i = 0; i < network->gating_count; i++) {
        add_layer_run(text, network, p, i);
    }
    add_gate(text, network, p);
    for (uint32_t i = network->gating_count; i < network->layer_count; i++) {
        add_layer_run(text, network, p, i);
    }
    if (network->output_scale) {
        gali_text_add(text,
                      "    for (uint32_t i = 0; i < count * %u; i++) {\n"
                      "        const float *scale = (const float *)(const void *)gali_output_scale + i %% %u;\n"
                      "        y[i] = y[i] * scale[0] + scale[%u];\n    }\n",
                      network->outputs, network->outputs, network->outputs);
    }
    gali_text_add(text, "}\n\n");
}

static void add_run(const gali_compilation *c, gali_text *text, const gal_network *network) {
    const char *gate = has_phase(network) ? "phase" : "given";
    const uint32_t width = has_phase(network) ? 1 : network->experts;
    add_prototype(text, network);
    gali_text_add(text, " {\n    if (count < %u || count > %u) {\n        return -1;\n    }\n", c->least,
                  c->most);
    if (has_gate(network)) {
        gali_text_add(
            text,
            "    for (uint32_t i = 0; i < count * %u; i++) {\n        if (!__builtin_isfinite(%s[i])) {\n"
            "            return -1;\n        }\n    }\n",
            width, gate);
    }
    gali_text_add(text,
                  "    for (uint32_t c = 0; c < count; c += GALI_HVX_WIDE) {\n"
                  "        const uint32_t left = count - c < GALI_HVX_WIDE ? count - c : GALI_HVX_WIDE;\n"
                  "        gali_turn(left, x + c * (size_t)%u, ",
                  network->inputs);
    if (has_gate(network)) {
        gali_text_add(text, "%s + c * %u", gate, width);
    } else {
        gali_text_add(text, "NULL");
    }
    gali_text_add(text, ", y + c * (size_t)%u, workspace);\n    }\n    return 0;\n}\n", network->outputs);
}

static void add_lists(gali_text *text, const gal_network *network) {
    for (uint32_t i = 0; i < network->layer_count; i++) {
        const gali_feed *feed = &network->feeds[i];
        if (!feed->in_place && feed->features) {
            gali_text_add(text, "static const uint32_t gali_features%u[] = {", i);
            for (uint32_t k = 0; k < network->layers[i].inputs; k++) {
                gali_text_add(text, "%s%u,", k % 16 ? "" : "\n    ", feed->features[k]);
            }
            gali_text_add(text, "\n};\n\n");
        }
    }
    if (network->output_scale) {
        gali_hvx_add_floats(text, "gali_output_scale", network->output_scale, 2 * network->outputs);
    }
}

static void make_source(const gali_compilation *c, const gal_network *network, const places *p,
                        gali_text *text) {
    gali_text body = {0};
    for (uint32_t i = 0; i < network->layer_count; i++) {
        if (is_whole(&network->layers[i])) {
            gali_hvx_add_whole_layer(&body, network, i);
        } else {
            gali_hvx_add_layer(&body, network, i, form_of(&network->layers[i]));
        }
    }
    add_lists(&body, network);
    add_turn(&body, network, p);
    add_run(c, &body, network);
    gali_text_add(text, "/* %s.h tells what this is. */\n#pragma STDC FP_CONTRACT OFF\n\n#include \"%s.h\"\n\n",
                  c->name, c->name);
    gali_vocabulary_add_library(text, c->target);
    gali_vocabulary_add_compiler(text);
    gali_text_add(text, "\n");
    gali_vocabulary_add(text, c->target, body.bytes ? body.bytes : "");
    gali_text_add_bytes(text, body.bytes ? body.bytes : "", body.size);
    gali_text_end(&body, text);
}

static gal_status write_parts(gali_compilation *c, const gal_network *network, gal_error *error) {
    const places p = place(network);
    gali_text ours = {0};
    make_header(c, network, &p, &ours);
    gali_vocabulary_end(&ours, &c->parts[GAL_COMPILED_HEADER], c->name);
    make_source(c, network, &p, &ours);
    gali_vocabulary_end(&ours, &c->parts[GAL_COMPILED_SOURCE], c->name);
    const int failed = c->parts[GAL_COMPILED_HEADER].failed | c->parts[GAL_COMPILED_SOURCE].failed;
    return failed ? gali_fail(error, GAL_NO_MEMORY, "no memory for the C") : GAL_OK;
}

gal_status gali_hvx_compile(gali_compilation *c, gal_error *error) {
    const gal_network_desc desc = {
        .isa = GAL_ISA_SCALAR, .form = c->form, .precision = GAL_PRECISION_INT8_DOT, .small_pages = 1};
    gal_network *network = NULL;
    gal_status status = gali_network_make(&network, &c->model, &desc, error);
    if (status == GAL_OK) {
        status = check(c, network, error);
    }
    if (status == GAL_OK) {
        status = write_parts(c, network, error);
    }
    gal_network_close(network);
    return status;
}
