/* mul: the product of the equal parts that its input is made of, from the first to the last. */
#include <string.h>

#include "network/layer.h"

static int mul_fits(uint32_t inputs, uint32_t outputs) {
    return inputs > outputs && inputs % outputs == 0;
}

/* y = a * b * ..., x = a, b, ... of `outputs` each. */
static void gali_mul(const float *x, uint32_t inputs, uint32_t outputs, float *y) {
    memcpy(y, x, outputs * sizeof *y);
    for (uint32_t at = outputs; at < inputs; at += outputs) {
        for (uint32_t n = 0; n < outputs; n++) {
            y[n] = y[n] * x[at + n];
        }
    }
}

static void mul_run(const gali_row_layer *layer, const float *x, float *y) {
    gali_mul(x, layer->inputs, layer->outputs, y);
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
    .run = mul_run,
    .truth = mul_truth,
};
