/* The vocabulary of narrow arithmetic in plain C: one lane, and what each name means. */
#ifndef GALI_SIMD_SCALAR_NARROW_H
#define GALI_SIMD_SCALAR_NARROW_H

#include "kernels/narrow.h"
#include "kernels/simd/scalar.h"

enum { GALI_NARROW_AHEAD_ROWS = 99 }; /* characters of a tile from which it asks for weights ahead; 99: never */
enum { GALI_SIGNED_BYTES = 1 };
#define GALI_I8_LAYOUT GALI_LAYOUT_OUTPUTS
#define GALI_I16_LAYOUT GALI_LAYOUT_OUTPUTS
#define GALI_I8_I16_LAYOUT GALI_LAYOUT_OUTPUTS
#define GALI_NARROW_TABLE gali_narrow_scalar
#define GALI_NARROW_ISA GAL_ISA_SCALAR

/* Characters in a tile, by kind and width; at most GALI_NARROW_ROWS_MAX. */
static const uint32_t gali_narrow_rows[GALI_NARROW_COUNT][GALI_PANEL_VECTORS_MAX + 1] = {
    [GALI_NARROW_I16_BLOCKS] = {0, 2, 2, 2, 2}, [GALI_NARROW_I8_I16] = {0, 2, 2, 2, 2},
    [GALI_NARROW_I8_BLOCKS] = {0, 2, 2, 2, 2},  [GALI_NARROW_I8_ROW] = {0, 2, 2, 2, 2},
    [GALI_NARROW_F16] = {0, 2, 2, 2, 2},        [GALI_NARROW_BF16] = {0, 2, 2, 2, 2},
    [GALI_NARROW_BF16_DOT] = {0, 2, 2, 2, 2},
};

/* a + b c, modulo 2^32. */
static inline gali_vi gali_vi_add_product(gali_vi a, gali_vi b, int32_t c) {
    return (int32_t)((uint32_t)a + (uint32_t)b * (uint32_t)c);
}

/* The parts of a block's word: its scale, and 128 times its lower half. */
static inline gali_vf gali_vi_block_scale(gali_vi word) {
    uint32_t bits = (uint32_t)word & 0xffff0000u;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

static inline gali_vi gali_vi_block_start(gali_vi word) {
    return (int16_t)(uint16_t)((uint32_t)word & 0xffffu) * 128;
}

/* A vector's group of weights, and a character's group for all lanes; sum += their products. */
typedef struct gali_w8 {
    int8_t k[4];
} gali_w8;
typedef gali_w8 gali_x8;
typedef struct gali_w16 {
    int16_t k[2];
} gali_w16;
typedef gali_w16 gali_x16;

static inline gali_w8 gali_w8_load(const void *p) {
    gali_w8 w;
    memcpy(&w, p, sizeof w);
    return w;
}

static inline gali_x8 gali_x8_load(const void *p) {
    return gali_w8_load(p);
}

static inline gali_vi gali_vi_dot8(gali_vi sum, gali_w8 w, gali_x8 x) {
    for (int k = 0; k < 4; k++) {
        sum += w.k[k] * x.k[k];
    }
    return sum;
}

static inline gali_w16 gali_w16_load(const void *p) {
    gali_w16 w;
    memcpy(&w, p, sizeof w);
    return w;
}

/* Half a group of bytes as int16: inputs 0 and 1, or 2 and 3. */
static inline gali_w16 gali_w16_widen(const void *p, int half) {
    const gali_w8 w = gali_w8_load(p);
    return (gali_w16){{w.k[2 * half], w.k[2 * half + 1]}};
}

static inline gali_x16 gali_x16_load(const void *p) {
    return gali_w16_load(p);
}

static inline gali_vi gali_vi_dot16(gali_vi sum, gali_w16 w, gali_x16 x) {
    return sum + w.k[0] * x.k[0] + w.k[1] * x.k[1];
}

/* float16 lanes, exactly. */
static inline gali_vf gali_vf_f16(const void *p) {
    uint16_t half;
    memcpy(&half, p, sizeof half);
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16, rest = half & 0x7fffu;
    uint32_t bits = rest << 13;
    float a;
    if (rest < 0x400u) { /* a denormal */
        a = (float)rest * 0x1p-24f;
        memcpy(&bits, &a, sizeof bits);
    } else {
        bits += rest < 0x7c00u ? 112u << 23 : 224u << 23;
    }
    bits |= sign;
    memcpy(&a, &bits, sizeof a);
    return a;
}

/* The first and the second of a word's two bfloat16. */
static inline gali_vf gali_vf_bf16_first(gali_vi word) {
    uint32_t bits = (uint32_t)word << 16;
    float a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

static inline gali_vf gali_vf_bf16_second(gali_vi word) {
    return gali_vi_block_scale(word);
}

/* sum = fma of the second ones, then of the first; x is one word for all lanes. */
typedef struct gali_xb {
    float first, second;
} gali_xb;

static inline gali_xb gali_xb_load(const void *p) {
    gali_vi word = gali_vi_load(p);
    return (gali_xb){gali_vf_bf16_first(word), gali_vf_bf16_second(word)};
}

static inline gali_vf gali_vf_dot_bf16(gali_vf sum, gali_vi w, gali_xb x) {
    sum = gali_vf_fma(gali_vf_bf16_second(w), x.second, sum);
    return gali_vf_fma(gali_vf_bf16_first(w), x.first, sum);
}

/* Stores the low bits of each lane: of an integer n held as n + 1.5 * 2^23, or of a float rounded to bfloat16. */
static inline void gali_vf_store_low8(void *p, gali_vf a) {
    memcpy(p, &a, 1);
}

static inline void gali_vf_store_low16(void *p, gali_vf a) {
    memcpy(p, &a, 2);
}

static inline void gali_vf_store_bf16(void *p, gali_vf a) {
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    uint16_t rounded = (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
    memcpy(p, &rounded, sizeof rounded);
}

/* The larger of each lane; either where one is NaN. */
static inline gali_vf gali_vf_most(gali_vf a, gali_vf b) {
    return a < b ? b : a;
}

/* The largest lane of non-negative ones. */
static inline float gali_vf_largest(gali_vf a) {
    return a;
}

#endif
