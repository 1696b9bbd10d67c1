/*
 * The textbook form of a blended layer, as a reference: z = w (x) x, then one product with the stacked weights,
 * y = act(sum_e sum_k A[e][n][k] z[e][k] + sum_e w[e] b[e][n]): what any GEMM library can run. Scalar float32, not
 * fused, straight from the model's weights; not a form that a plan can choose. ELU or no activation.
 */
#ifndef GALI_NETWORK_EXPAND_H
#define GALI_NETWORK_EXPAND_H

#include "network/model.h"

/* y[outputs] of one character from x[inputs] and blend[experts]; z[experts * inputs] is scratch. */
void gali_expand_layer(const gali_model_layer *layer, const float *blend, const float *x, float *z, float *y);

#endif
