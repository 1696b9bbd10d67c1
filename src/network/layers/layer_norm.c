/*
 * layer_norm: y = (x - mean x) / sqrt(var x + epsilon) gamma + beta over the whole row (Ba et al. 2016, eq. 4; the
 * variance is that of the row, divided by N, as in PyTorch).
 *
 * Sums run in NORM_SLICES interleaved parts, which compilers turn into vectors of any width without changing their order.
 */
#include <math.h>

#include "network/layer.h"

enum { NORM_SLICES = 16 };

static int layer_norm_fits(uint32_t inputs, uint32_t outputs) {
    return inputs == outputs;
}

static uint32_t layer_norm_columns(uint32_t inputs) {
    (void)inputs;
    return 1;
}

/* The sum of (x - shift)^2, or of x where not squared. */
static float layer_norm_sum(const float *x, uint32_t count, float shift, int squared) {
    float part[NORM_SLICES] = {0};
    uint32_t at = 0;
    for (; at + NORM_SLICES <= count; at += NORM_SLICES) {
        for (uint32_t i = 0; i < NORM_SLICES; i++) {
            float d = x[at + i] - shift;
            part[i] += squared ? d * d : d;
        }
    }
    for (uint32_t i = 0; at + i < count; i++) {
        float d = x[at + i] - shift;
        part[i] += squared ? d * d : d;
    }
    for (uint32_t half = NORM_SLICES / 2; half > 0; half /= 2) {
        for (uint32_t i = 0; i < half; i++) {
            part[i] += part[i + half];
        }
    }
    return part[0];
}

static void layer_norm_run(const gali_row_layer *layer, const float *x, float *y) {
    const float *gamma = layer->weights, *beta = gamma + layer->outputs;
    float count = (float)layer->outputs;
    float mean = layer_norm_sum(x, layer->outputs, 0, 0) / count;
    mean +=
        layer_norm_sum(x, layer->outputs, mean, 0) / count; /* what rounding left: a mean may be far from 0 */
    float variance = layer_norm_sum(x, layer->outputs, mean, 1) / count;
    float scale = 1 / sqrtf(variance + layer->epsilon);
    for (uint32_t n = 0; n < layer->outputs; n++) {
        y[n] = (x[n] - mean) * scale * gamma[n] + beta[n];
    }
}

static void layer_norm_truth(const gali_model_layer *layer, const double *blend, const double *x, double *y) {
    (void)blend;
    double mean = 0, variance = 0;
    for (uint32_t n = 0; n < layer->outputs; n++) {
        mean += x[n] / layer->outputs;
    }
    for (uint32_t n = 0; n < layer->outputs; n++) {
        variance += (x[n] - mean) * (x[n] - mean) / layer->outputs;
    }
    for (uint32_t n = 0; n < layer->outputs; n++) {
        double normal = (x[n] - mean) / sqrt(variance + (double)layer->epsilon);
        y[n] = normal * (double)gali_model_weight(layer, n) + (double)gali_model_f32(layer->biases, n);
    }
}

const gali_layer_ops gali_layer_layer_norm = {
    .name = "layer_norm",
    .sizes = "as many as its outputs",
    .fits = layer_norm_fits,
    .columns = layer_norm_columns,
    .run = layer_norm_run,
    .truth = layer_norm_truth,
};
