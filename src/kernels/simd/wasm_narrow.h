/*
 * The vocabulary of narrow arithmetic for WebAssembly's simd128 (simd/scalar_narrow.h tells what each name means).
 *
 * Integers are multiplied as pairs of int16 (i32x4.dot_i16x8_s), bytes after they are widened. The relaxed dot product of
 * bytes is not used: what it makes of a byte below 0 is the engine's choice.
 */
#ifndef GALI_SIMD_WASM_NARROW_H
#define GALI_SIMD_WASM_NARROW_H

#include <string.h>

#include "kernels/narrow.h"
#include "kernels/simd/wasm.h"

enum { GALI_NARROW_AHEAD_ROWS = 99 };
enum { GALI_SIGNED_BYTES = 1 };
#define GALI_I8_LAYOUT GALI_LAYOUT_PAIRS
#define GALI_I16_LAYOUT GALI_LAYOUT_OUTPUTS
#define GALI_I8_I16_LAYOUT GALI_LAYOUT_PAIRS
#define GALI_NARROW_TABLE gali_narrow_wasm
#define GALI_NARROW_ISA GAL_ISA_WASM

static const uint32_t gali_narrow_rows[GALI_NARROW_COUNT][GALI_PANEL_VECTORS_MAX + 1] = {
    [GALI_NARROW_I16_BLOCKS] = {0, 6, 5, 3, 2}, [GALI_NARROW_I8_I16] = {0, 6, 5, 3, 2},
    [GALI_NARROW_I8_BLOCKS] = {0, 6, 4, 3, 2},  [GALI_NARROW_I8_ROW] = {0, 6, 4, 3, 2},
    [GALI_NARROW_F16] = {0, 6, 4, 3, 2},        [GALI_NARROW_BF16] = {0, 6, 4, 3, 2},
    [GALI_NARROW_BF16_DOT] = {0, 6, 4, 3, 2},
};

static inline gali_vi gali_vi_add_product(gali_vi a, gali_vi b, int32_t c) {
    return wasm_i32x4_add(a, wasm_i32x4_mul(b, wasm_i32x4_splat(c)));
}

static inline gali_vf gali_vi_block_scale(gali_vi word) {
    return wasm_v128_and(word, wasm_i32x4_splat(-65536));
}

static inline gali_vi gali_vi_block_start(gali_vi word) {
    return wasm_i32x4_shr(wasm_i32x4_shl(word, 16), 9);
}

typedef v128_t gali_w8, gali_w16, gali_x16;

static inline gali_w8 gali_w8_load(const void *p) {
    return wasm_v128_load(p);
}

static inline gali_w16 gali_w16_load(const void *p) {
    return wasm_v128_load(p);
}

static inline gali_w16 gali_w16_widen(const void *p, int half) {
    return wasm_i16x8_load8x8((const unsigned char *)p + 8 * half);
}

static inline gali_x16 gali_x16_load(const void *p) {
    return wasm_v128_load32_splat(p);
}

static inline gali_vi gali_vi_dot16(gali_vi sum, gali_w16 w, gali_x16 x) {
    return wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(w, x));
}

/* The pairs of inputs 0, 1 and 2, 3 for all lanes. */
typedef struct gali_x8 {
    gali_x16 low, high;
} gali_x8;

static inline gali_x8 gali_x8_load(const void *p) {
    const v128_t four = wasm_i16x8_extend_low_i8x16(wasm_v128_load32_splat(p));
    return (gali_x8){wasm_i32x4_shuffle(four, four, 0, 0, 0, 0), wasm_i32x4_shuffle(four, four, 1, 1, 1, 1)};
}

static inline gali_vi gali_vi_dot8(gali_vi sum, gali_w8 w, gali_x8 x) {
    sum = gali_vi_dot16(sum, wasm_i16x8_extend_low_i8x16(w), x.low);
    return gali_vi_dot16(sum, wasm_i16x8_extend_high_i8x16(w), x.high);
}

/* Denormals as integers: as floats they would be slow. */
static inline gali_vf gali_vf_f16(const void *p) {
    const v128_t half = wasm_u32x4_load16x4(p);
    const v128_t sign = wasm_i32x4_shl(wasm_v128_and(half, wasm_i32x4_splat(0x8000)), 16);
    const v128_t rest = wasm_v128_and(half, wasm_i32x4_splat(0x7fff));
    const v128_t small = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(rest), wasm_f32x4_splat(0x1p-24f));
    const v128_t special = wasm_i32x4_gt(rest, wasm_i32x4_splat(0x7bff));
    const v128_t more = wasm_v128_and(special, wasm_i32x4_splat(112 << 23));
    const v128_t large =
        wasm_i32x4_add(wasm_i32x4_add(wasm_i32x4_shl(rest, 13), wasm_i32x4_splat(112 << 23)), more);
    return wasm_v128_or(sign, wasm_v128_bitselect(small, large, wasm_i32x4_lt(rest, wasm_i32x4_splat(0x400))));
}

static inline gali_vf gali_vf_bf16_first(gali_vi word) {
    return wasm_i32x4_shl(word, 16);
}

static inline gali_vf gali_vf_bf16_second(gali_vi word) {
    return gali_vi_block_scale(word);
}

typedef struct gali_xb {
    gali_vf first, second;
} gali_xb;

static inline gali_xb gali_xb_load(const void *p) {
    const gali_vi word = wasm_v128_load32_splat(p);
    return (gali_xb){gali_vf_bf16_first(word), gali_vf_bf16_second(word)};
}

static inline gali_vf gali_vf_dot_bf16(gali_vf sum, gali_vi w, gali_xb x) {
    sum = gali_vf_fma(gali_vf_bf16_second(w), x.second, sum);
    return gali_vf_fma(gali_vf_bf16_first(w), x.first, sum);
}

static inline void gali_vf_store_low8(void *p, gali_vf a) {
    const v128_t bytes = wasm_i8x16_shuffle(a, a, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12);
    wasm_v128_store32_lane(p, bytes, 0);
}

static inline void gali_vf_store_low16(void *p, gali_vf a) {
    wasm_v128_store64_lane(p, wasm_i16x8_shuffle(a, a, 0, 2, 4, 6, 0, 2, 4, 6), 0);
}

static inline void gali_vf_store_bf16(void *p, gali_vf a) {
    const v128_t odd = wasm_v128_and(wasm_u32x4_shr(a, 16), wasm_i32x4_splat(1));
    const v128_t sum = wasm_i32x4_add(wasm_i32x4_add(a, wasm_i32x4_splat(0x7fff)), odd);
    wasm_v128_store64_lane(p, wasm_i16x8_shuffle(sum, sum, 1, 3, 5, 7, 1, 3, 5, 7), 0);
}

static inline gali_vf gali_vf_most(gali_vf a, gali_vf b) {
    return wasm_f32x4_pmax(a, b);
}

static inline float gali_vf_largest(gali_vf a) {
    a = wasm_f32x4_pmax(a, wasm_i32x4_shuffle(a, a, 2, 3, 0, 1));
    a = wasm_f32x4_pmax(a, wasm_i32x4_shuffle(a, a, 1, 0, 3, 2));
    return wasm_f32x4_extract_lane(a, 0);
}

#endif
