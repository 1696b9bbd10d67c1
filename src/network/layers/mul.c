/* mul: the product of the equal parts that its input is made of, from the first to the last. */
#include <string.h>

#include "network/layer.h"

static int mul_fits(uint32_t inputs, uint32_t outputs) {
    return inputs > outputs && inputs % outputs == 0;
}

static uint32_t mul_columns(uint32_t inputs) {
    (void)inputs;
    return 0;
}

static void mul_run(const gali_row_layer *layer, const float *x, float *y) {
    memcpy(y, x, layer->outputs * sizeof *y);
    for (uint32_t at = layer->outputs; at < layer->inputs; at += layer->outputs) {
        for (uint32_t n = 0; n < layer->outputs; n++) {
            y[n] = y[n] * x[at + n];
        }
    }
}

static void mul_truth(const gali_model_layer *layer, const double *blend, const double *x, double *y) {
    (void)blend;
    memcpy(y, x, layer->outputs * sizeof *y);
    for (uint32_t at = layer->outputs; at < layer->inputs; at++) {
        y[at % layer->outputs] *= x[at];
    }
}

const gali_layer_ops gali_layer_mul = {
    .name = "mul",
    .sizes = "2 or more times its outputs",
    .fits = mul_fits,
    .columns = mul_columns,
    .run = mul_run,
    .truth = mul_truth,
};
