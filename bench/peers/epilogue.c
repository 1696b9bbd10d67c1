/*
 * What the C peers do around their matrix product, written for the vectoriser and built for this very
 * machine (-O3 -march=native), so that no peer loses time outside its library.
 */
#include "peer.h"

#include <string.h>

/* exp(x) for x <= 0, about 1e-7 relative: 2^n by the exponent bits times a polynomial on [-ln2/2, ln2/2]. */
static inline float exp_negative(float x) {
    const float clamped = x < -87.0f ? -87.0f : x;
    const float shifted = clamped * 1.44269504f + 12582912.0f; /* 1.5 * 2^23: the sum's low bits are n */
    const float n = shifted - 12582912.0f;
    const float r = clamped - n * 0.693145752f - n * 1.42860677e-6f;
    float p = 1.0f / 720.0f;
    p = p * r + 1.0f / 120.0f;
    p = p * r + 1.0f / 24.0f;
    p = p * r + 1.0f / 6.0f;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    int32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    const int32_t scale_bits = (int32_t)(((uint32_t)bits + 127u) << 23);
    float scale;
    memcpy(&scale, &scale_bits, sizeof scale);
    return p * scale;
}

static inline float elu(float v) {
    const float negative = exp_negative(v < 0.0f ? v : 0.0f) - 1.0f;
    return v > 0.0f ? v : negative;
}

void epilogue_elu(float *y, size_t count) {
    for (size_t i = 0; i < count; i++) {
        y[i] = elu(y[i]);
    }
}

void epilogue_expand(float *restrict z, const float *restrict x, const float *restrict blend, uint32_t count,
                     uint32_t experts, uint32_t inputs) {
    const size_t row = inputs + (size_t)1;
    for (uint32_t c = 0; c < count; c++) {
        for (uint32_t e = 0; e < experts; e++) {
            float *out = z + ((size_t)c * experts + e) * row;
            const float w = blend[(size_t)c * experts + e];
            const float *in = x + (size_t)c * inputs;
            for (uint32_t k = 0; k < inputs; k++) {
                out[k] = w * in[k];
            }
            out[inputs] = w;
        }
    }
}

static void blend_row(float *restrict y, const float *restrict t, const float *restrict b, const float *w,
                      uint32_t experts, uint32_t outputs) {
    for (uint32_t n = 0; n < outputs; n++) {
        y[n] = w[0] * (t[n] + b[n]);
    }
    for (uint32_t e = 1; e < experts; e++) {
        const float *te = t + (size_t)e * outputs, *be = b + (size_t)e * outputs;
        for (uint32_t n = 0; n < outputs; n++) {
            y[n] += w[e] * (te[n] + be[n]);
        }
    }
}

void epilogue_blend(float *y, const float *t, const float *blend, const bench_layer *layer, uint32_t count) {
    const uint32_t experts = layer->experts, outputs = layer->outputs;
    for (uint32_t c = 0; c < count; c++) {
        float *row = y + (size_t)c * outputs;
        const float *tiles = t + (size_t)c * experts * outputs;
        blend_row(row, tiles, layer->biases, blend + (size_t)c * experts, experts, outputs);
        if (layer->elu) {
            epilogue_elu(row, outputs);
        }
    }
}
