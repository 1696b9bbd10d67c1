/*
 * layer_norm: y = (x - mean x) / sqrt(var x + epsilon) gamma + beta over the whole row (Ba et al. 2016, eq. 4; the
 * variance is that of the row, divided by N, as in PyTorch).
 *
 * Sums run in GALI_NORM_SLICES interleaved parts, which compilers turn into vectors of any width without changing their
 * order.
 */
#include <math.h>

#include "network/layer.h"

enum { GALI_NORM_SLICES = 16 };

static int layer_norm_fits(uint32_t inputs, uint32_t outputs) {
    return inputs == outputs;
}

static uint32_t layer_norm_columns(uint32_t inputs) {
    (void)inputs;
    return 1;
}

/* A mean in two parts, what float32 has of it and the rest: it may be a thousand times the row's deviation. */
typedef struct gali_norm_mean {
    float most, rest;
} gali_norm_mean;

/* The sum of x - mean, or of its squares. */
static float gali_norm_sum(const float *x, uint32_t count, gali_norm_mean mean, int squared) {
    float part[GALI_NORM_SLICES] = {0};
    for (uint32_t at = 0; at < count; at += GALI_NORM_SLICES) {
        uint32_t slices = count - at < GALI_NORM_SLICES ? count - at : GALI_NORM_SLICES;
        for (uint32_t i = 0; i < slices; i++) {
            float d = x[at + i] - mean.most - mean.rest;
            part[i] += squared ? d * d : d;
        }
    }
    for (uint32_t half = GALI_NORM_SLICES / 2; half > 0; half /= 2) {
        for (uint32_t i = 0; i < half; i++) {
            part[i] += part[i + half];
        }
    }
    return part[0];
}

/* y = (x - mean x) / sqrt(var x + epsilon) gamma + beta (Ba et al. 2016, eq. 4). */
static void gali_layer_norm(const float *x, const float *gamma, const float *beta, uint32_t width,
                            float epsilon, float *y) {
    const float count = (float)width;
    gali_norm_mean mean = {0, 0};
    mean.most = gali_norm_sum(x, width, mean, 0) / count;
    mean.rest = gali_norm_sum(x, width, mean, 0) / count;
    const float variance = gali_norm_sum(x, width, mean, 1) / count;
    const float scale = 1 / sqrtf(variance + epsilon);
    for (uint32_t n = 0; n < width; n++) {
        y[n] = (x[n] - mean.most - mean.rest) * scale * gamma[n] + beta[n];
    }
}

static void layer_norm_run(const gali_row_layer *layer, const float *x, float *y) {
    const float *gamma = layer->weights, *beta = gamma + layer->outputs;
    gali_layer_norm(x, gamma, beta, layer->outputs, layer->epsilon, y);
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
