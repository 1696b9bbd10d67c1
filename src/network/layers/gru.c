/*
 * gru: the gated recurrent unit's gates (Cho et al. 2014; PyTorch's GRUCell). Its input is i[3 N], j[3 N], h[N], where
 * i = W_ih x + b_ih and j = W_hh h + b_hh are made by dense layers before it, each in the order r, z, n:
 *     r = sigmoid(i_r + j_r)   z = sigmoid(i_z + j_z)   n = tanh(i_n + r j_n)   y = (1 - z) n + z h
 * The products being layers of their own they have experts, plans and weight types like all others.
 */
#include <math.h>

#include "network/layer.h"

enum { GRU_CHUNK = 64 }; /* outputs at a time: r, z and n stay in the first cache */

static int gru_fits(uint32_t inputs, uint32_t outputs) {
    return inputs == 7 * (uint64_t)outputs;
}

static uint32_t gru_columns(uint32_t inputs) {
    (void)inputs;
    return 0;
}

/* Outputs [at, at + count), count <= GRU_CHUNK. */
static void gru_run_chunk(const gali_row_layer *layer, const float *x, float *y, size_t at, uint32_t count) {
    size_t all = layer->outputs;
    const float *i = x + at, *j = i + 3 * all, *h = i + 6 * all;
    float r[GRU_CHUNK], z[GRU_CHUNK], n[GRU_CHUNK];
    for (uint32_t k = 0; k < count; k++) {
        r[k] = i[k] + j[k];
        z[k] = i[k + all] + j[k + all];
    }
    layer->kernels->activate_f32(GALI_ACTIVATION_SIGMOID, 0, r, count);
    layer->kernels->activate_f32(GALI_ACTIVATION_SIGMOID, 0, z, count);
    for (uint32_t k = 0; k < count; k++) {
        n[k] = i[k + 2 * all] + r[k] * j[k + 2 * all];
    }
    layer->kernels->activate_f32(GALI_ACTIVATION_TANH, 0, n, count);
    for (uint32_t k = 0; k < count; k++) {
        y[at + k] = (1 - z[k]) * n[k] + z[k] * h[k];
    }
}

static void gru_run(const gali_row_layer *layer, const float *x, float *y) {
    for (uint32_t at = 0; at < layer->outputs; at += GRU_CHUNK) {
        uint32_t left = layer->outputs - at;
        gru_run_chunk(layer, x, y, at, left < GRU_CHUNK ? left : GRU_CHUNK);
    }
}

static double gru_sigmoid(double x) {
    return 1 / (1 + exp(-x));
}

static void gru_truth(const gali_model_layer *layer, const double *blend, const double *x, double *y) {
    (void)blend;
    size_t all = layer->outputs;
    for (size_t k = 0; k < all; k++) {
        const double *i = x + k, *j = i + 3 * all, *h = i + 6 * all;
        double r = gru_sigmoid(i[0] + j[0]), z = gru_sigmoid(i[all] + j[all]);
        double n = tanh(i[2 * all] + r * j[2 * all]);
        y[k] = (1 - z) * n + z * *h;
    }
}

const gali_layer_ops gali_layer_gru = {
    .name = "gru",
    .sizes = "7 times its outputs",
    .fits = gru_fits,
    .columns = gru_columns,
    .run = gru_run,
    .truth = gru_truth,
};
