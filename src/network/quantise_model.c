#include "network/quantise_model.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/little_endian.h"
#include "base/memory.h"
#include "base/size.h"
#include "network/model_layout.h"
#include "network/pack.h"
#include "network/quantise.h"
#include "network/sparse.h"
#include "network/wiring.h"

/* A layer on its way: `to` has the new type, and arrays to be filled. */
typedef struct quantised_layer {
    const gali_model *model;
    gali_pack_source source;
    int folds; /* it reads x alone, and takes what is not live of it away */
    const gali_model_layer *from, *to;
    float *row;      /* [inputs] */
    int16_t *q;      /* [inputs] */
    uint16_t *scale; /* [blocks] */
} quantised_layer;

float gali_quantise_tolerance(gal_precision precision) {
    static const float tolerances[GAL_PRECISION_COUNT] = {
        [GAL_PRECISION_FP16] = 5e-3f,  [GAL_PRECISION_BF16] = 5e-2f, [GAL_PRECISION_BF16_DOT] = 5e-2f,
        [GAL_PRECISION_INT16] = 1e-2f, [GAL_PRECISION_INT8] = 3e-1f, [GAL_PRECISION_INT8_DOT] = 3e-1f,
    };
    return (unsigned)precision < GAL_PRECISION_COUNT ? tolerances[precision] : 0;
}

static gali_weight_type type_of(gal_precision precision) {
    switch (precision) {
    case GAL_PRECISION_FP16:
        return GALI_WEIGHT_F16;
    case GAL_PRECISION_BF16:
    case GAL_PRECISION_BF16_DOT:
        return GALI_WEIGHT_BF16;
    case GAL_PRECISION_INT16:
        return GALI_WEIGHT_INT16;
    case GAL_PRECISION_INT8:
    case GAL_PRECISION_INT8_DOT:
        return GALI_WEIGHT_INT8;
    default:
        return GALI_WEIGHT_F32;
    }
}

/* The model with the precision's types; its arrays are the old ones. */
static gali_model retyped(const gali_model *model, gali_precision precision, uint32_t layer) {
    gali_model typed = *model;
    for (uint32_t i = 0; i < typed.layer_count; i++) {
        if (gali_layer_has_panels(typed.layers[i].kind) && (layer == GALI_QUANTISE_ALL || layer == i)) {
            typed.layers[i].weight_type = type_of(precision.precision);
            typed.layers[i].block = precision.block;
        }
    }
    const float tolerance = gali_quantise_tolerance(precision.precision);
    typed.golden.tolerance = typed.golden.tolerance < tolerance ? tolerance : typed.golden.tolerance;
    return typed;
}

size_t gali_quantise_model_size(const gali_model *model, gali_precision precision, uint32_t layer) {
    const gali_model typed = retyped(model, precision, layer);
    return gali_model_write_size(&typed);
}

/* Whether input k's state is not live; only where the layer folds it. */
static int is_dead_input(const quantised_layer *l, uint32_t k) {
    return l->folds && !gali_pack_is_live(l->model, &l->source, k);
}

/* What a weight of a constant feature adds to the bias. */
static double constant_product(const gali_model *model, uint32_t feature, float weight) {
    const double x = (double)gali_model_f32(model->input_constant, feature) -
                     (double)gali_model_f32(model->input_mean, feature);
    return (double)weight * x / (double)gali_model_f32(model->input_std, feature);
}

/* The weights of a row without those of dead inputs; returns its bias with what they add. */
static float load_row(const quantised_layer *l, size_t row) {
    double bias = (double)gali_model_f32(l->from->biases, row);
    for (uint32_t k = 0; k < l->from->inputs; k++) {
        const float weight = gali_model_weight(l->from, row * l->from->inputs + k);
        const int dead = is_dead_input(l, k);
        const uint32_t feature = dead ? gali_pack_feature(&l->source, k) : 0;
        l->row[k] = dead ? 0 : weight;
        if (dead && gali_model_u32(l->model->input_state, feature) == GALI_INPUT_CONSTANT) {
            bias += constant_product(l->model, feature, weight);
        }
    }
    return (float)bias;
}

/* 0 if a weight does not fit. */
static int store_halves(const quantised_layer *l, size_t row) {
    int fits = 1;
    for (uint32_t k = 0; k < l->from->inputs; k++) {
        const int f16 = l->to->weight_type == GALI_WEIGHT_F16;
        const uint16_t half = f16 ? gali_f16_round(l->row[k]) : gali_bf16_round(l->row[k]);
        fits &= f16 ? (half & 0x7c00u) != 0x7c00u : (half & 0x7f80u) != 0x7f80u;
        const size_t place = gali_sparse_place(l->to, row, k);
        if (place != GALI_SIZE_BAD) {
            gali_put_u16(l->to->weights, place, half);
        }
    }
    return fits;
}

static int store_integers(const quantised_layer *l, size_t row) {
    const int bytes = l->to->weight_type == GALI_WEIGHT_INT8;
    const uint32_t inputs = l->from->inputs, blocks = gali_quantise_blocks(inputs, l->to->block);
    const int fits = gali_quantise(l->row, inputs, l->to->block,
                                   bytes ? gali_quantise_int8 : gali_quantise_int16, l->q, l->scale);
    for (uint32_t k = 0; k < inputs; k++) {
        const size_t place = gali_sparse_place(l->to, row, k);
        if (place != GALI_SIZE_BAD && bytes) {
            ((unsigned char *)(uintptr_t)l->to->weights)[place] = (unsigned char)(int8_t)l->q[k];
        } else if (place != GALI_SIZE_BAD) {
            gali_put_u16(l->to->weights, place, (uint16_t)l->q[k]);
        }
    }
    for (uint32_t b = 0; b < blocks; b++) {
        gali_put_u16(l->to->scales, row * blocks + b, l->scale[b]);
    }
    return fits;
}

static gal_status quantise_layer(const quantised_layer *l, gal_error *error) {
    const int integers = l->to->weight_type == GALI_WEIGHT_INT8 || l->to->weight_type == GALI_WEIGHT_INT16;
    for (size_t row = 0; row < (size_t)l->from->experts * l->from->outputs; row++) {
        const float bias = load_row(l, row);
        gali_put_f32(l->to->biases, row, bias);
        if (!(integers ? store_integers(l, row) : store_halves(l, row)) || !isfinite(bias)) {
            return gali_fail(error, GAL_BAD_DATA, "layer %u, expert %zu, output %zu: too large",
                             l->source.index, row / l->from->outputs, row % l->from->outputs);
        }
    }
    return GAL_OK;
}

static uint32_t widest_row(const gali_model *model) {
    uint32_t width = 0;
    for (uint32_t i = 0; i < model->layer_count; i++) {
        width = model->layers[i].inputs > width ? model->layers[i].inputs : width;
    }
    return width;
}

gal_status gali_quantise_model(const gali_model *model, gali_precision precision, uint32_t layer, void *bytes,
                               gal_error *error) {
    gali_model typed = retyped(model, precision, layer), placed;
    const size_t width = widest_row(model), size = width * (sizeof(float) + sizeof(int16_t) + sizeof(uint16_t));
    float *scratch = gali_allocate(NULL, size);
    if (!scratch) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory to quantise: %zu bytes", size);
    }
    gali_model_place(&placed, &typed, bytes);
    const gali_layer_list list = gali_layer_list_main(model);
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i < model->layer_count && status == GAL_OK; i++) {
        gali_model_layer *to = &typed.layers[i];
        if (!gali_layer_has_panels(to->kind) || (layer != GALI_QUANTISE_ALL && layer != i)) {
            continue;
        }
        to->weights = placed.layers[i].weights;
        to->scales = placed.layers[i].scales;
        to->biases = placed.layers[i].biases;
        memset((void *)(uintptr_t)to->weights, 0, gali_layer_weights_size(to)); /* sparse ones have a padding */
        int16_t *q = (int16_t *)(void *)(scratch + width);
        const quantised_layer l = {.model = model,
                                   .source = {.list = list, .index = i},
                                   .folds = gali_wiring_folds(&list, i),
                                   .from = &model->layers[i],
                                   .to = to,
                                   .row = scratch,
                                   .q = q,
                                   .scale = (uint16_t *)(void *)(q + width)};
        status = quantise_layer(&l, error);
    }
    if (status == GAL_OK) {
        gali_model_write(&typed, bytes);
    }
    gali_release(NULL, scratch, size);
    return status;
}
