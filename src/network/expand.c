#include "network/expand.h"

#include "kernels/elementary.h"

static float activated(gali_activation activation, float x) {
    return activation == GALI_ACTIVATION_ELU && !(x > 0) ? gali_exp(x) - 1 : x;
}

void gali_expand_layer(const gali_model_layer *layer, const float *blend, const float *x, float *z, float *y) {
    for (uint32_t e = 0; e < layer->experts; e++) {
        for (uint32_t k = 0; k < layer->inputs; k++) {
            z[(size_t)e * layer->inputs + k] = blend[e] * x[k];
        }
    }
    for (uint32_t n = 0; n < layer->outputs; n++) {
        float sum = 0;
        for (uint32_t e = 0; e < layer->experts; e++) {
            size_t row = (size_t)e * layer->outputs + n;
            for (uint32_t k = 0; k < layer->inputs; k++) {
                sum += gali_model_weight(layer, row * layer->inputs + k) * z[(size_t)e * layer->inputs + k];
            }
            sum += blend[e] * gali_model_f32(layer->biases, row);
        }
        y[n] = activated(layer->activation, sum);
    }
}
