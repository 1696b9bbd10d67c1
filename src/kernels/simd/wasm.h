/* The simd vocabulary for WebAssembly's simd128 (simd/scalar.h tells what each name means). It has no FMA: products are
 * rounded before they are added, so results differ from the other vocabularies' in the last bits. No table of
 * the runtime uses it; the compiler emits it. */
#ifndef GALI_SIMD_WASM_H
#define GALI_SIMD_WASM_H

#include <stdint.h>
#include <wasm_simd128.h>

typedef v128_t gali_vf;
enum {
    GALI_LANES = 4,
    GALI_REGISTERS = 16,
    GALI_STEPS = 1,
    GALI_TURN_SUMS = 1,
    GALI_TILE_KEEP = 4,
    GALI_AHEAD_ROWS = 99,
    GALI_AHEAD_LEVEL = 2,
    GALI_AHEAD = 0,
};

static inline gali_vf gali_vf_set(float a) {
    return wasm_f32x4_splat(a);
}

static inline gali_vf gali_vf_load(const float *p) {
    return wasm_v128_load(p);
}

static inline gali_vf gali_vf_keep(gali_vf a) {
    return a;
}

static inline void gali_vf_store(float *p, gali_vf a) {
    wasm_v128_store(p, a);
}

static inline gali_vf gali_vf_load_part(const float *p, uint32_t n) {
    float lanes[4] = {0, 0, 0, 0};
    for (uint32_t i = 0; i < n; i++) {
        lanes[i] = p[i];
    }
    return wasm_v128_load(lanes);
}

static inline void gali_vf_store_part(float *p, gali_vf a, uint32_t n) {
    float lanes[4];
    wasm_v128_store(lanes, a);
    for (uint32_t i = 0; i < n; i++) {
        p[i] = lanes[i];
    }
}

static inline gali_vf gali_vf_add(gali_vf a, gali_vf b) {
    return wasm_f32x4_add(a, b);
}

static inline gali_vf gali_vf_sub(gali_vf a, gali_vf b) {
    return wasm_f32x4_sub(a, b);
}

static inline gali_vf gali_vf_mul(gali_vf a, gali_vf b) {
    return wasm_f32x4_mul(a, b);
}

static inline gali_vf gali_vf_div(gali_vf a, gali_vf b) {
    return wasm_f32x4_div(a, b);
}

static inline gali_vf gali_vf_fma(gali_vf a, gali_vf b, gali_vf c) {
    return wasm_f32x4_add(wasm_f32x4_mul(a, b), c);
}

typedef gali_vf gali_vx;

static inline gali_vx gali_vx_load(const float *p) {
    return wasm_v128_load32_splat(p);
}

static inline gali_vf gali_vf_fma_x(gali_vf a, gali_vx b, gali_vf c) {
    return gali_vf_fma(a, b, c);
}

static inline gali_vf gali_vf_less(gali_vf a, gali_vf b, gali_vf yes, gali_vf no) {
    return wasm_v128_bitselect(yes, no, wasm_f32x4_lt(a, b));
}

static inline gali_vf gali_vf_exp2_biased(gali_vf a) {
    return wasm_i32x4_add(wasm_i32x4_shl(a, 23), wasm_i32x4_splat(0x3F800000));
}

#endif
