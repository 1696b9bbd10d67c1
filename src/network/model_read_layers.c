/*
 * The reader's lists of layers: LAYR's, and the gating network's in GATE. The two have one form and differ in
 * how many experts a layer may have.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/size.h"
#include "kernels/narrow.h"
#include "network/layer.h"
#include "network/model_reader.h"
#include "network/quantise.h"
#include "network/sparse.h"

/* The list being read: what of it can be checked, and where it is put. */
typedef struct reading {
    gali_layer_list list; /* its count grows no faster than its layers are checked */
    gali_model_layer *layers;
    const gali_reader_section *section;
} reading;

/* The header of layer i at offset `at` and its sources, checked; moves `at` behind them. Pointers to data not yet. */
static gal_status read_layer_header(const gali_reader *r, const reading *l, uint32_t i, size_t *at) {
    const gali_reader_section *s = l->section;
    if (s->size - *at < GALI_LAYER_HEADER_SIZE) {
        return gali_reader_bad(r, "%s: layer %u, offset %zu: %zu bytes left, expected a header of %d",
                               l->list.tag, i, *at, s->size - *at, GALI_LAYER_HEADER_SIZE);
    }
    const unsigned char *h = s->bytes + *at;
    l->layers[i] = (gali_model_layer){
        .kind = (gali_layer_kind)gali_model_u32(h, 0),
        .activation = (gali_activation)gali_model_u32(h, 1),
        .experts = gali_model_u32(h, 2),
        .inputs = gali_model_u32(h, 3),
        .outputs = gali_model_u32(h, 4),
        .weight_type = (gali_weight_type)gali_model_u32(h, 5),
        .block = gali_model_u32(h, 6),
        .source_count = gali_model_u32(h, 7),
        .slope = gali_model_f32(h, 8),
        .epsilon = gali_model_f32(h, 9),
        .sources = h + GALI_LAYER_HEADER_SIZE,
    };
    size_t sources = gali_layer_sources_size(&l->layers[i]), left = s->size - *at - GALI_LAYER_HEADER_SIZE;
    if (l->layers[i].source_count <= GALI_SOURCES_MAX && sources > left) {
        return gali_reader_bad(r, "%s: layer %u, offset %zu: %zu bytes left, expected %zu for %u sources",
                               l->list.tag, i, *at + GALI_LAYER_HEADER_SIZE, left, sources,
                               l->layers[i].source_count);
    }
    gal_status status = gali_layer_check(&l->list, i, *at, r->error);
    *at += GALI_LAYER_HEADER_SIZE + sources;
    return status;
}

/* What is wrong with weight w; NULL: nothing. */
static const char *wrong_weight(const gali_model_layer *layer, size_t w) {
    switch (layer->weight_type) {
    case GALI_WEIGHT_INT8:
        return gali_model_integer(layer, w) < -GALI_I8_MOST ? "-128, expected -127..127" : NULL;
    case GALI_WEIGHT_INT16:
        return NULL; /* their sums say */
    default:
        return isfinite(gali_model_weight(layer, w)) ? NULL : "not finite";
    }
}

/* Zeros from `size` bytes to the next multiple of 4. */
static gal_status check_padding(const gali_reader *r, const reading *l, uint32_t i, const unsigned char *bytes,
                                size_t size, size_t at) {
    for (size_t b = size; b < gali_size_align(size, 4); b++) {
        if (bytes[b]) {
            return gali_reader_bad(r, "%s: layer %u, offset %zu: padding is not 0", l->list.tag, i, at + b);
        }
    }
    return GAL_OK;
}

/* The scales of integers, [E][N][blocks] in the message. */
static gal_status check_scales(const gali_reader *r, const reading *l, uint32_t i, size_t at) {
    const gali_model_layer *layer = &l->layers[i];
    size_t blocks = gali_layer_blocks(layer), count = (size_t)layer->experts * layer->outputs * blocks;
    for (size_t s = 0; s < count; s++) {
        size_t row = s / blocks;
        uint16_t bits = gali_model_scale(layer, row, (uint32_t)(s % blocks));
        float scale = gali_quantise_scale(bits);
        if (bits && !(scale >= GALI_SCALE_LEAST && scale <= GALI_SCALE_MOST)) {
            return gali_reader_bad(
                r, "%s: layer %u, offset %zu: scale [%zu][%zu][%zu] is %g, expected 0 or 2^-60..2^60",
                l->list.tag, i, at + 2 * s, row / layer->outputs, row % layer->outputs, s % blocks,
                (double)scale);
        }
    }
    return check_padding(r, l, i, layer->scales, 2 * count, at);
}

/* The sizes of int16 weights in a block, added: more would overflow. Weights that are not there cost nothing. */
static gal_status check_sums(const gali_reader *r, const reading *l, uint32_t i, size_t at) {
    const gali_model_layer *layer = &l->layers[i];
    size_t rows = layer->weight_type == GALI_WEIGHT_INT16 ? (size_t)layer->experts * layer->outputs : 0;
    for (size_t row = 0; row < rows; row++) {
        const uint32_t n = (uint32_t)(row % layer->outputs);
        int64_t sum = 0;
        for (uint32_t k = gali_sparse_next(layer, n, 0), end = 0; k < layer->inputs;
             k = gali_sparse_next(layer, n, k + 1)) {
            if (k >= end) {
                sum = 0;
                end = (k / layer->block + 1) * layer->block;
            }
            sum += abs(gali_model_integer(layer, row * layer->inputs + k));
            if (sum > GALI_I16_SUM) {
                return gali_reader_bad(
                    r,
                    "%s: layer %u, offset %zu: sizes of weights up to [%zu][%u][%u] add up to "
                    "%lld in a block, expected at most %d",
                    l->list.tag, i, at + 2 * gali_sparse_place(layer, row, k), row / layer->outputs, n, k,
                    (long long)sum, GALI_I16_SUM);
            }
        }
    }
    return GAL_OK;
}

/* Weights that may not be, the padding behind them, and their scales; [E][N][columns] in the message. */
static gal_status check_weights(const gali_reader *r, const reading *l, uint32_t i, size_t at) {
    const gali_model_layer *layer = &l->layers[i];
    size_t columns = gali_layer_columns(layer->kind, layer->inputs);
    size_t count = gali_layer_stored(layer), plain = layer->kind == GALI_LAYER_SPARSE ? 0 : count;
    size_t width = gali_weight_size(layer->weight_type);
    for (size_t w = 0; w < plain; w++) {
        const char *wrong = wrong_weight(layer, w);
        if (wrong) {
            size_t row = w / columns;
            return gali_reader_bad(r, "%s: layer %u, offset %zu: weight [%zu][%zu][%zu] is %s", l->list.tag, i,
                                   at + w * width, row / layer->outputs, row % layer->outputs, w % columns,
                                   wrong);
        }
    }
    const unsigned char *weights = layer->weights;
    gal_status status = check_padding(r, l, i, weights, count * width, at);
    if (status == GAL_OK && layer->kind == GALI_LAYER_SPARSE) {
        status = gali_reader_patches(r, l->list.tag, i, layer, at);
    }
    status = status == GAL_OK ? check_sums(r, l, i, at) : status;
    return status == GAL_OK ? check_scales(r, l, i, at + gali_layer_weights_size(layer)) : status;
}

/* Layer i at *at, which moves behind it. */
static gal_status read_layer(const gali_reader *r, const reading *l, uint32_t i, size_t *at) {
    const gali_reader_section *s = l->section;
    gali_model_layer *layer = &l->layers[i];
    gal_status status = read_layer_header(r, l, i, at);
    size_t mask = 0;
    if (status == GAL_OK) {
        status = gali_reader_mask(r, l->list.tag, i, layer, s->bytes + *at, *at, s->size - *at, &mask);
    }
    if (status != GAL_OK) {
        return status;
    }
    *at += mask;
    size_t weights = gali_layer_weights_size(layer), scales = gali_layer_scales_size(layer);
    size_t biases = gali_layer_biases_size(layer);
    size_t need = gali_size_add(gali_size_add(weights, scales), biases);
    if (need > s->size - *at) {
        return gali_reader_bad(
            r, "%s: layer %u, offset %zu: %zu bytes left, expected %zu for [%u][%u][%u] weights and biases",
            l->list.tag, i, *at, s->size - *at, need, layer->experts, layer->outputs,
            gali_layer_columns(layer->kind, layer->inputs));
    }
    layer->weights = s->bytes + *at;
    layer->scales = s->bytes + *at + weights;
    layer->biases = s->bytes + *at + weights + scales;
    status = check_weights(r, l, i, *at);
    if (status == GAL_OK) {
        char what[32];
        snprintf(what, sizeof what, "layer %u: bias", i);
        status = gali_reader_finite(r, l->list.tag, what, layer->biases, biases / 4, *at + weights + scales);
    }
    *at += need;
    return status;
}

/* The list's layers from section offset `at` to the section's end. */
static gal_status read_list(const gali_reader *r, const reading *l, size_t at) {
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i < l->list.count && status == GAL_OK; i++) {
        status = read_layer(r, l, i, &at);
    }
    if (status == GAL_OK && at != l->section->size) {
        status = gali_reader_bad(r, "%s: %zu bytes, expected %zu (where layer %u ends)", l->list.tag,
                                 l->section->size, at, l->list.count - 1);
    }
    return status == GAL_OK ? gali_layer_check_read(&l->list, r->error) : status;
}

gal_status gali_reader_layers(const gali_reader *r) {
    const gali_reader_section *s = &r->sections[GALI_SECTION_LAYR];
    gali_model *m = r->model;
    if (s->size < 8) {
        return gali_reader_bad(r, "LAYR: %zu bytes, expected at least 8", s->size);
    }
    m->layer_count = gali_model_u32(s->bytes, 0);
    m->inputs = gali_model_u32(s->bytes, 1);
    if (m->layer_count < 1 || m->layer_count > GALI_LAYERS_MAX) {
        return gali_reader_bad(r, "LAYR: offset 0: %u layers, expected 1..%d", m->layer_count, GALI_LAYERS_MAX);
    }
    if (m->inputs < 1 || m->inputs > GALI_WIDTH_MAX) {
        return gali_reader_bad(r, "LAYR: offset 4: inputs %u, expected 1..%d", m->inputs, GALI_WIDTH_MAX);
    }
    reading l = {gali_layer_list_main(m), m->layers, s};
    gal_status status = read_list(r, &l, 8);
    m->outputs = m->layers[m->layer_count - 1].outputs;
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
    reading l = {gali_layer_list_gate(gating), gating->layers, &r->sections[GALI_SECTION_GATE]};
    status = read_list(r, &l, at);
    uint32_t outputs = gating->layers[gating->layer_count - 1].outputs;
    if (status == GAL_OK && outputs != r->model->experts) {
        status = gali_reader_bad(r, "GATE: layer %u: outputs %u, expected %u (the experts)",
                                 gating->layer_count - 1, outputs, r->model->experts);
    }
    return status;
}
