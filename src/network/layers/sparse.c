/*
 * sparse: a dense layer of whose weights only some patches are there, the same of all experts (sparse.h); what is not
 * there is 0. Run by panel_f32 with the places of its inputs (kernels.h); by blend_f32 as a dense one, with the zeros.
 */
#include "network/layer.h"

static int sparse_fits(uint32_t inputs, uint32_t outputs) {
    (void)inputs, (void)outputs;
    return 1;
}

static uint32_t sparse_columns(uint32_t inputs) {
    return inputs;
}

/* The dense layer's, which asks for the next weight that is there. */
static void sparse_truth(const gali_model_layer *layer, const double *blend, const double *x, double *y) {
    gali_layer_dense.truth(layer, blend, x, y);
}

const gali_layer_ops gali_layer_sparse = {
    .name = "sparse",
    .sizes = "any number",
    .fits = sparse_fits,
    .columns = sparse_columns,
    .truth = sparse_truth,
};
