/*
 * The reader's lists of layers: LAYR's, and the gating network's in GATE. The two have one form and differ in
 * how many experts a layer may have.
 */
#include <math.h>
#include <stdio.h>

#include "base/size.h"
#include "network/model_reader.h"

typedef struct layer_list {
    const char *tag; /* of the section, for messages */
    const gali_reader_section *section;
    gali_model_layer *layers;
    uint32_t experts; /* that a layer may have, but 1 */
} layer_list;

/* The header of layer i at offset `at`, checked; pointers not yet. */
static gal_status read_layer_header(const gali_reader *r, const layer_list *list, uint32_t i, size_t at) {
    const unsigned char *h = list->section->bytes + at;
    gali_model_layer *layer = &list->layers[i];
    uint32_t kind = gali_model_u32(h, 0), activation = gali_model_u32(h, 1), experts = gali_model_u32(h, 2);
    uint32_t inputs = gali_model_u32(h, 3), outputs = gali_model_u32(h, 4), type = gali_model_u32(h, 5);
    if (kind >= GALI_LAYER_KIND_COUNT) {
        return gali_reader_bad(r, "%s: layer %u, offset %zu: kind %u, expected 0", list->tag, i, at, kind);
    }
    if (activation >= GALI_ACTIVATION_COUNT) {
        return gali_reader_bad(r, "%s: layer %u, offset %zu: activation %u, expected 0..%d", list->tag, i,
                               at + 4, activation, GALI_ACTIVATION_COUNT - 1);
    }
    if (experts != 1 && list->experts == 1) {
        return gali_reader_bad(r, "%s: layer %u, offset %zu: %u experts, expected 1", list->tag, i, at + 8,
                               experts);
    }
    if (experts != 1 && experts != list->experts) {
        return gali_reader_bad(r, "%s: layer %u, offset %zu: %u experts, expected 1 or the gate's %u",
                               list->tag, i, at + 8, experts, list->experts);
    }
    if (inputs < 1 || inputs > GALI_WIDTH_MAX) {
        return gali_reader_bad(r, "%s: layer %u, offset %zu: inputs %u, expected 1..%d", list->tag, i, at + 12,
                               inputs, GALI_WIDTH_MAX);
    }
    if (i > 0 && inputs != layer[-1].outputs) {
        return gali_reader_bad(r, "%s: layer %u, offset %zu: inputs %u, expected %u (layer %u's outputs)",
                               list->tag, i, at + 12, inputs, layer[-1].outputs, i - 1);
    }
    if (outputs < 1 || outputs > GALI_WIDTH_MAX) {
        return gali_reader_bad(r, "%s: layer %u, offset %zu: outputs %u, expected 1..%d", list->tag, i, at + 16,
                               outputs, GALI_WIDTH_MAX);
    }
    if (type >= GALI_WEIGHT_TYPE_COUNT) {
        return gali_reader_bad(r, "%s: layer %u, offset %zu: weight type %u, expected 0..%d", list->tag, i,
                               at + 20, type, GALI_WEIGHT_TYPE_COUNT - 1);
    }
    if (gali_reader_u64(h + 24) != 0) {
        return gali_reader_bad(r, "%s: layer %u, offset %zu: not 0", list->tag, i, at + 24);
    }
    *layer = (gali_model_layer){(gali_layer_kind)kind,
                                (gali_activation)activation,
                                experts,
                                inputs,
                                outputs,
                                (gali_weight_type)type,
                                NULL,
                                NULL};
    return GAL_OK;
}

/* Non-finite weights and the padding behind the weights; [E][N][K] in the message. */
static gal_status check_weights(const gali_reader *r, const layer_list *list, uint32_t i, size_t at) {
    const gali_model_layer *layer = &list->layers[i];
    size_t rows = (size_t)layer->experts * layer->outputs, count = rows * layer->inputs;
    size_t width = gali_weight_size(layer->weight_type);
    for (size_t w = 0; w < count; w++) {
        if (!isfinite(gali_model_weight(layer, w))) {
            size_t row = w / layer->inputs;
            return gali_reader_bad(r, "%s: layer %u, offset %zu: weight [%zu][%zu][%zu] is not finite",
                                   list->tag, i, at + w * width, row / layer->outputs, row % layer->outputs,
                                   w % layer->inputs);
        }
    }
    const unsigned char *weights = layer->weights;
    for (size_t b = count * width; b < gali_size_align(count * width, 4); b++) {
        if (weights[b]) {
            return gali_reader_bad(r, "%s: layer %u, offset %zu: padding is not 0", list->tag, i, at + b);
        }
    }
    return GAL_OK;
}

/* Layer i at *at, which moves behind it. */
static gal_status read_layer(const gali_reader *r, const layer_list *list, uint32_t i, size_t *at) {
    const gali_reader_section *s = list->section;
    gali_model_layer *layer = &list->layers[i];
    if (s->size - *at < GALI_LAYER_HEADER_SIZE) {
        return gali_reader_bad(r, "%s: layer %u, offset %zu: %zu bytes left, expected a header of %d",
                               list->tag, i, *at, s->size - *at, GALI_LAYER_HEADER_SIZE);
    }
    gal_status status = read_layer_header(r, list, i, *at);
    if (status != GAL_OK) {
        return status;
    }
    *at += GALI_LAYER_HEADER_SIZE;
    size_t weights = gali_layer_weights_size(layer);
    size_t biases = gali_size_mul(gali_size_mul(layer->experts, layer->outputs), 4);
    size_t need = gali_size_add(weights, biases);
    if (need > s->size - *at) {
        return gali_reader_bad(
            r, "%s: layer %u, offset %zu: %zu bytes left, expected %zu for [%u][%u][%u] weights and biases",
            list->tag, i, *at, s->size - *at, need, layer->experts, layer->outputs, layer->inputs);
    }
    layer->weights = s->bytes + *at;
    layer->biases = s->bytes + *at + weights;
    status = check_weights(r, list, i, *at);
    if (status == GAL_OK) {
        char what[32];
        snprintf(what, sizeof what, "layer %u: bias", i);
        status = gali_reader_finite(r, list->tag, what, layer->biases, biases / 4, *at + weights);
    }
    *at += need;
    return status;
}

/* `count` layers from section offset `at` to the section's end. */
static gal_status read_list(const gali_reader *r, const layer_list *list, uint32_t count, size_t at) {
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i < count && status == GAL_OK; i++) {
        status = read_layer(r, list, i, &at);
    }
    if (status == GAL_OK && at != list->section->size) {
        status = gali_reader_bad(r, "%s: %zu bytes, expected %zu (where layer %u ends)", list->tag,
                                 list->section->size, at, count - 1);
    }
    return status;
}

gal_status gali_reader_layers(const gali_reader *r) {
    const gali_reader_section *s = &r->sections[GALI_SECTION_LAYR];
    gali_model *m = r->model;
    if (s->size < 8) {
        return gali_reader_bad(r, "LAYR: %zu bytes, expected at least 8", s->size);
    }
    uint32_t count = gali_model_u32(s->bytes, 0);
    if (count < 1 || count > GALI_LAYERS_MAX) {
        return gali_reader_bad(r, "LAYR: offset 0: %u layers, expected 1..%d", count, GALI_LAYERS_MAX);
    }
    if (gali_model_u32(s->bytes, 1) != 0) {
        return gali_reader_bad(r, "LAYR: offset 4: not 0");
    }
    layer_list list = {"LAYR", s, m->layers, m->experts};
    gal_status status = read_list(r, &list, count, 8);
    m->layer_count = count;
    m->inputs = m->layers[0].inputs;
    m->outputs = m->layers[count - 1].outputs;
    return status;
}

/* The counts of a gating network, and its features' indices. */
static gal_status read_gating_head(const gali_reader *r, size_t *at) {
    const gali_reader_section *s = &r->sections[GALI_SECTION_GATE];
    gali_gating *gating = &r->model->gating;
    if (s->size < GALI_GATE_SIZE + GALI_GATING_SIZE) {
        return gali_reader_bad(r, "GATE: %zu bytes, expected at least %d", s->size,
                               GALI_GATE_SIZE + GALI_GATING_SIZE);
    }
    gating->input_count = gali_model_u32(s->bytes, 4);
    gating->layer_count = gali_model_u32(s->bytes, 5);
    if (gating->input_count < 1 || gating->input_count > r->model->inputs) {
        return gali_reader_bad(r, "GATE: offset 16: %u inputs, expected 1..%u", gating->input_count,
                               r->model->inputs);
    }
    if (gating->layer_count < 1 || gating->layer_count > GALI_GATING_LAYERS_MAX) {
        return gali_reader_bad(r, "GATE: offset 20: %u layers, expected 1..%d", gating->layer_count,
                               GALI_GATING_LAYERS_MAX);
    }
    if (gali_reader_u64(s->bytes + 24) != 0) {
        return gali_reader_bad(r, "GATE: offset 24: not 0");
    }
    *at = GALI_GATE_SIZE + GALI_GATING_SIZE;
    if (s->size - *at < 4 * (size_t)gating->input_count) {
        return gali_reader_bad(r, "GATE: %zu bytes, too few for %u features", s->size, gating->input_count);
    }
    gating->features = s->bytes + *at;
    *at += 4 * (size_t)gating->input_count;
    for (uint32_t i = 0; i < gating->input_count; i++) {
        if (gali_model_u32(gating->features, i) >= r->model->inputs) {
            return gali_reader_bad(r, "GATE: feature[%u] is %u, expected less than %u", i,
                                   gali_model_u32(gating->features, i), r->model->inputs);
        }
    }
    return GAL_OK;
}

gal_status gali_reader_gating(const gali_reader *r) {
    gali_gating *gating = &r->model->gating;
    size_t at = 0;
    if (r->model->gate != GAL_GATE_NETWORK) {
        return GAL_OK;
    }
    gal_status status = read_gating_head(r, &at);
    if (status != GAL_OK) {
        return status;
    }
    layer_list list = {"GATE", &r->sections[GALI_SECTION_GATE], gating->layers, 1};
    status = read_list(r, &list, gating->layer_count, at);
    if (status != GAL_OK) {
        return status;
    }
    uint32_t inputs = gating->layers[0].inputs, outputs = gating->layers[gating->layer_count - 1].outputs;
    if (inputs != gating->input_count) {
        return gali_reader_bad(r, "GATE: layer 0: inputs %u, expected %u (its features)", inputs,
                               gating->input_count);
    }
    if (outputs != r->model->experts) {
        return gali_reader_bad(r, "GATE: layer %u: outputs %u, expected %u (the experts)",
                               gating->layer_count - 1, outputs, r->model->experts);
    }
    return GAL_OK;
}
