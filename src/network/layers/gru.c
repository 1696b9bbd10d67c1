/*
 * gru: the gated recurrent unit's gates (Cho et al. 2014; PyTorch's GRUCell). Its input is i[3 N], j[3 N], h[N], where
 * i = W_ih x + b_ih and j = W_hh h + b_hh are made by dense layers before it, each in the order r, z, n:
 *     r = sigmoid(i_r + j_r)   z = sigmoid(i_z + j_z)   n = tanh(i_n + r j_n)   y = (1 - z) n + z h
 * The products being layers of their own they have experts, plans and weight types like all others. The gates are a
 * kernel (kernels.def), since activations stand between their sums.
 */
#include <math.h>

#include "network/layer.h"

static int gru_fits(uint32_t inputs, uint32_t outputs) {
    return inputs == 7 * (uint64_t)outputs;
}

static void gru_run(const gali_row_layer *layer, const float *x, float *y) {
    layer->kernels->gru_f32(x, layer->outputs, y);
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
    .run = gru_run,
    .truth = gru_truth,
};
