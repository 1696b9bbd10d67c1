/*
 * The simd vocabulary for WebAssembly's simd128 (simd/scalar.h tells what each name means). It has no FMA: products are
 * rounded before they are added, so results differ from the other vocabularies' in the last bits. With relaxed SIMD the
 * engine rounds once where the machine can (cpu.c asks it), and the bits are everybody's.
 */
#ifndef GALI_SIMD_H
#define GALI_SIMD_H

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

static inline gali_vf gali_vf_rotate(gali_vf a) {
    return wasm_i32x4_shuffle(a, a, 1, 2, 3, 0);
}

static inline gali_vf gali_vf_rotate_twice(gali_vf a) {
    return wasm_i32x4_shuffle(a, a, 2, 3, 0, 1);
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

#ifdef __wasm_relaxed_simd__
static inline gali_vf gali_vf_fma(gali_vf a, gali_vf b, gali_vf c) {
    return wasm_f32x4_relaxed_madd(a, b, c);
}
#else
static inline gali_vf gali_vf_fma(gali_vf a, gali_vf b, gali_vf c) {
    return wasm_f32x4_add(wasm_f32x4_mul(a, b), c);
}
#endif

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

typedef v128_t gali_vi;

typedef v128_t gali_vm;

static inline float gali_vf_first(gali_vf a) {
    return wasm_f32x4_extract_lane(a, 0);
}

static inline gali_vi gali_vi_set(int32_t a) {
    return wasm_i32x4_splat(a);
}

static inline gali_vi gali_vi_load(const void *p) {
    return wasm_v128_load(p);
}

static inline void gali_vi_store(int32_t *p, gali_vi a) {
    wasm_v128_store(p, a);
}

static inline gali_vi gali_vf_bits(gali_vf a) {
    return a;
}

static inline gali_vf gali_vf_from_bits(gali_vi a) {
    return a;
}

static inline gali_vi gali_vf_int(gali_vf a) {
    v128_t fits = wasm_f32x4_lt(wasm_f32x4_abs(a), wasm_f32x4_splat(2147483648.0f));
    return wasm_v128_bitselect(wasm_i32x4_trunc_sat_f32x4(a), wasm_i32x4_splat(INT32_MIN), fits);
}

static inline gali_vf gali_vi_float(gali_vi a) {
    return wasm_f32x4_convert_i32x4(a);
}

static inline gali_vi gali_vi_add(gali_vi a, gali_vi b) {
    return wasm_i32x4_add(a, b);
}

static inline gali_vi gali_vi_sub(gali_vi a, gali_vi b) {
    return wasm_i32x4_sub(a, b);
}

static inline gali_vi gali_vi_and(gali_vi a, gali_vi b) {
    return wasm_v128_and(a, b);
}

static inline gali_vi gali_vi_or(gali_vi a, gali_vi b) {
    return wasm_v128_or(a, b);
}

static inline gali_vi gali_vi_xor(gali_vi a, gali_vi b) {
    return wasm_v128_xor(a, b);
}

static inline gali_vi gali_vi_shift_left(gali_vi a, int n) {
    return wasm_i32x4_shl(a, (uint32_t)n);
}

static inline gali_vi gali_vi_shift_right(gali_vi a, int n) {
    return wasm_i32x4_shr(a, (uint32_t)n);
}

static inline gali_vi gali_vi_shift_right_zeros(gali_vi a, int n) {
    return wasm_u32x4_shr(a, (uint32_t)n);
}

static inline gali_vm gali_vm_less(gali_vf a, gali_vf b) {
    return wasm_f32x4_lt(a, b);
}

static inline gali_vm gali_vm_at_most(gali_vf a, gali_vf b) {
    return wasm_f32x4_le(a, b);
}

static inline gali_vm gali_vm_equal(gali_vf a, gali_vf b) {
    return wasm_f32x4_eq(a, b);
}

static inline gali_vm gali_vm_less_int(gali_vi a, gali_vi b) {
    return wasm_i32x4_lt(a, b);
}

static inline gali_vm gali_vm_equal_int(gali_vi a, gali_vi b) {
    return wasm_i32x4_eq(a, b);
}

static inline gali_vm gali_vm_from_bits(uint32_t bits) {
    v128_t lane = wasm_i32x4_make(1, 2, 4, 8);
    return wasm_i32x4_eq(wasm_v128_and(wasm_i32x4_splat((int32_t)bits), lane), lane);
}

static inline uint32_t gali_vm_bits(gali_vm a) {
    return (uint32_t)wasm_i32x4_bitmask(a);
}

static inline gali_vm gali_vm_and(gali_vm a, gali_vm b) {
    return wasm_v128_and(a, b);
}

static inline gali_vm gali_vm_or(gali_vm a, gali_vm b) {
    return wasm_v128_or(a, b);
}

static inline gali_vm gali_vm_not(gali_vm a) {
    return wasm_v128_not(a);
}

static inline int gali_vm_any(gali_vm a) {
    return wasm_v128_any_true(a);
}

static inline int gali_vm_all(gali_vm a) {
    return wasm_i32x4_all_true(a);
}

static inline gali_vf gali_vf_select(gali_vm which, gali_vf yes, gali_vf no) {
    return wasm_v128_bitselect(yes, no, which);
}

static inline gali_vi gali_vi_select(gali_vm which, gali_vi yes, gali_vi no) {
    return wasm_v128_bitselect(yes, no, which);
}

static inline gali_vf gali_vf_neg(gali_vf a) {
    return wasm_f32x4_neg(a);
}

static inline gali_vf gali_vf_abs(gali_vf a) {
    return wasm_f32x4_abs(a);
}

static inline gali_vf gali_vf_copysign(gali_vf a, gali_vf sign) {
    return wasm_v128_bitselect(sign, a, wasm_f32x4_splat(-0.0f));
}

static inline gali_vf gali_vf_sqrt(gali_vf a) {
    return wasm_f32x4_sqrt(a);
}

static inline gali_vf gali_vf_min(gali_vf a, gali_vf b) {
    return wasm_f32x4_pmin(b, a);
}

static inline gali_vf gali_vf_max(gali_vf a, gali_vf b) {
    return wasm_f32x4_pmax(b, a);
}

static inline gali_vf gali_vf_round(gali_vf a) {
    return wasm_f32x4_nearest(a);
}

static inline gali_vf gali_vf_floor(gali_vf a) {
    return wasm_f32x4_floor(a);
}

static inline void gali_transpose(float *to, size_t to_step, const float *from, size_t from_step) {
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 4; j++) {
            to[to_step * j + i] = from[from_step * i + j];
        }
    }
}

#endif
