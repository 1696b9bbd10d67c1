/* dense: y = sum_e w[e] (A_e x + b_e), the layer that has experts. Run by panel_f32 and blend_f32 (kernels.def). */
#include "network/layer.h"
#include "network/sparse.h"

static int dense_fits(uint32_t inputs, uint32_t outputs) {
    (void)inputs, (void)outputs;
    return 1;
}

static uint32_t dense_columns(uint32_t inputs) {
    return inputs;
}

/* b + A x of one expert's output n. */
static double dense_affine(const gali_model_layer *layer, uint32_t e, uint32_t n, const double *x) {
    size_t row = (size_t)e * layer->outputs + n;
    double sum = (double)gali_model_f32(layer->biases, row);
    for (uint32_t k = gali_sparse_next(layer, n, 0); k < layer->inputs; k = gali_sparse_next(layer, n, k + 1)) {
        sum += (double)gali_model_weight(layer, row * layer->inputs + k) * x[k];
    }
    return sum;
}

static void dense_truth(const gali_model_layer *layer, const double *blend, const double *x, double *y) {
    static const double one = 1;
    const double *w = layer->experts == 1 ? &one : blend;
    for (uint32_t n = 0; n < layer->outputs; n++) {
        y[n] = 0;
        for (uint32_t e = 0; e < layer->experts; e++) {
            if (w[e] != 0) {
                y[n] += w[e] * dense_affine(layer, e, n, x);
            }
        }
    }
}

const gali_layer_ops gali_layer_dense = {
    .name = "dense",
    .sizes = "any number",
    .fits = dense_fits,
    .columns = dense_columns,
    .truth = dense_truth,
};
