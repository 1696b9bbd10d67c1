/* The simd vocabulary for AArch64 NEON (simd/scalar.h tells what each name means). */
#ifndef GALI_SIMD_H
#define GALI_SIMD_H

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

typedef float32x4_t gali_vf;
enum {
    GALI_LANES = 4,
    GALI_REGISTERS = 32,
    GALI_TURN_SUMS = 1,
    GALI_TILE_KEEP = 12,
    GALI_AHEAD_ROWS = 99,
    GALI_AHEAD_LEVEL = 2,
    GALI_AHEAD = 0,
    GALI_STEPS = 1, /* of four, clang loads the inputs as vectors and spills accumulators (81 % of peak) */
};

static inline gali_vf gali_vf_set(float a) {
    return vdupq_n_f32(a);
}

#ifdef GALI_NEON_HALVES
/* In two halves: a 128-bit load blocks a Cortex-A55 for two cycles, a 64-bit one pairs with an FMA. The upper
 * half goes through a general register, whose load and move pair as well. */
static inline gali_vf gali_vf_load(const float *p) {
    uint64_t high;
    memcpy(&high, p + 2, sizeof high);
    GALI_OPAQUE("r", high);
    uint64x2_t both = vreinterpretq_u64_f32(vcombine_f32(vld1_f32(p), vdup_n_f32(0)));
    return vreinterpretq_f32_u64(vsetq_lane_u64(high, both, 1));
}
#else
static inline gali_vf gali_vf_load(const float *p) {
    return vld1q_f32(p);
}
#endif

static inline gali_vf gali_vf_keep(gali_vf a) {
    return a;
}

static inline gali_vf gali_vf_rotate(gali_vf a) {
    return vextq_f32(a, a, 1);
}

static inline gali_vf gali_vf_rotate_twice(gali_vf a) {
    return vextq_f32(a, a, 2);
}

static inline void gali_vf_store(float *p, gali_vf a) {
    vst1q_f32(p, a);
}

static inline gali_vf gali_vf_load_part(const float *p, uint32_t n) {
    float lanes[4] = {0, 0, 0, 0};
    for (uint32_t i = 0; i < n; i++) {
        lanes[i] = p[i];
    }
    return vld1q_f32(lanes);
}

static inline void gali_vf_store_part(float *p, gali_vf a, uint32_t n) {
    float lanes[4];
    vst1q_f32(lanes, a);
    for (uint32_t i = 0; i < n; i++) {
        p[i] = lanes[i];
    }
}

static inline gali_vf gali_vf_add(gali_vf a, gali_vf b) {
    return vaddq_f32(a, b);
}

static inline gali_vf gali_vf_sub(gali_vf a, gali_vf b) {
    return vsubq_f32(a, b);
}

static inline gali_vf gali_vf_mul(gali_vf a, gali_vf b) {
    return vmulq_f32(a, b);
}

static inline gali_vf gali_vf_div(gali_vf a, gali_vf b) {
    return vdivq_f32(a, b);
}

static inline gali_vf gali_vf_fma(gali_vf a, gali_vf b, gali_vf c) {
    return vfmaq_f32(c, a, b);
}

/* A 32-bit load, multiplied by element: ld1r or dup would take a slot of the vector pipes for each input
 * (75-80 % of peak instead of 99.5 % in llvm-mca's neoverse-n1). */
typedef float gali_vx;

static inline gali_vx gali_vx_load(const float *p) {
    float x = *p;
    GALI_OPAQUE("w", x);
    return x;
}

static inline gali_vf gali_vf_fma_x(gali_vf a, gali_vx b, gali_vf c) {
    return vfmaq_n_f32(c, a, b);
}

static inline gali_vf gali_vf_less(gali_vf a, gali_vf b, gali_vf yes, gali_vf no) {
    return vbslq_f32(vcltq_f32(a, b), yes, no);
}

static inline gali_vf gali_vf_exp2_biased(gali_vf a) {
    int32x4_t bits = vshlq_n_s32(vreinterpretq_s32_f32(a), 23);
    return vreinterpretq_f32_s32(vaddq_s32(bits, vdupq_n_s32(0x3F800000)));
}

typedef int32x4_t gali_vi;

typedef uint32x4_t gali_vm;

static inline float gali_vf_first(gali_vf a) {
    return vgetq_lane_f32(a, 0);
}

static inline gali_vi gali_vi_set(int32_t a) {
    return vdupq_n_s32(a);
}

static inline gali_vi gali_vi_load(const void *p) {
    return vreinterpretq_s32_u8(vld1q_u8(p));
}

static inline void gali_vi_store(int32_t *p, gali_vi a) {
    vst1q_s32(p, a);
}

static inline gali_vi gali_vf_bits(gali_vf a) {
    return vreinterpretq_s32_f32(a);
}

static inline gali_vf gali_vf_from_bits(gali_vi a) {
    return vreinterpretq_f32_s32(a);
}

static inline gali_vi gali_vf_int(gali_vf a) {
    uint32x4_t fits = vcltq_f32(vabsq_f32(a), vdupq_n_f32(2147483648.0f));
    return vbslq_s32(fits, vcvtq_s32_f32(a), vdupq_n_s32(INT32_MIN));
}

static inline gali_vf gali_vi_float(gali_vi a) {
    return vcvtq_f32_s32(a);
}

static inline gali_vi gali_vi_add(gali_vi a, gali_vi b) {
    return vaddq_s32(a, b);
}

static inline gali_vi gali_vi_sub(gali_vi a, gali_vi b) {
    return vsubq_s32(a, b);
}

static inline gali_vi gali_vi_and(gali_vi a, gali_vi b) {
    return vandq_s32(a, b);
}

static inline gali_vi gali_vi_or(gali_vi a, gali_vi b) {
    return vorrq_s32(a, b);
}

static inline gali_vi gali_vi_xor(gali_vi a, gali_vi b) {
    return veorq_s32(a, b);
}

static inline gali_vi gali_vi_shift_left(gali_vi a, int n) {
    return vshlq_s32(a, vdupq_n_s32(n));
}

static inline gali_vi gali_vi_shift_right(gali_vi a, int n) {
    return vshlq_s32(a, vdupq_n_s32(-n));
}

static inline gali_vi gali_vi_shift_right_zeros(gali_vi a, int n) {
    return vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(a), vdupq_n_s32(-n)));
}

static inline gali_vm gali_vm_less(gali_vf a, gali_vf b) {
    return vcltq_f32(a, b);
}

static inline gali_vm gali_vm_at_most(gali_vf a, gali_vf b) {
    return vcleq_f32(a, b);
}

static inline gali_vm gali_vm_equal(gali_vf a, gali_vf b) {
    return vceqq_f32(a, b);
}

static inline gali_vm gali_vm_less_int(gali_vi a, gali_vi b) {
    return vcltq_s32(a, b);
}

static inline gali_vm gali_vm_equal_int(gali_vi a, gali_vi b) {
    return vceqq_s32(a, b);
}

static inline gali_vm gali_vm_from_bits(uint32_t bits) {
    static const uint32_t lane[4] = {1, 2, 4, 8};
    return vtstq_u32(vdupq_n_u32(bits), vld1q_u32(lane));
}

static inline uint32_t gali_vm_bits(gali_vm a) {
    static const uint32_t lane[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(a, vld1q_u32(lane)));
}

static inline gali_vm gali_vm_and(gali_vm a, gali_vm b) {
    return vandq_u32(a, b);
}

static inline gali_vm gali_vm_or(gali_vm a, gali_vm b) {
    return vorrq_u32(a, b);
}

static inline gali_vm gali_vm_not(gali_vm a) {
    return vmvnq_u32(a);
}

static inline int gali_vm_any(gali_vm a) {
    return vmaxvq_u32(a) != 0;
}

static inline int gali_vm_all(gali_vm a) {
    return vminvq_u32(a) != 0;
}

static inline gali_vf gali_vf_select(gali_vm which, gali_vf yes, gali_vf no) {
    return vbslq_f32(which, yes, no);
}

static inline gali_vi gali_vi_select(gali_vm which, gali_vi yes, gali_vi no) {
    return vbslq_s32(which, yes, no);
}

static inline gali_vf gali_vf_neg(gali_vf a) {
    return vnegq_f32(a);
}

static inline gali_vf gali_vf_abs(gali_vf a) {
    return vabsq_f32(a);
}

static inline gali_vf gali_vf_copysign(gali_vf a, gali_vf sign) {
    return vbslq_f32(vdupq_n_u32(0x80000000u), sign, a);
}

static inline gali_vf gali_vf_sqrt(gali_vf a) {
    return vsqrtq_f32(a);
}

static inline gali_vf gali_vf_min(gali_vf a, gali_vf b) {
    return vbslq_f32(vcltq_f32(a, b), a, b);
}

static inline gali_vf gali_vf_max(gali_vf a, gali_vf b) {
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}

static inline gali_vf gali_vf_round(gali_vf a) {
    return vrndnq_f32(a);
}

static inline gali_vf gali_vf_floor(gali_vf a) {
    return vrndmq_f32(a);
}

static inline void gali_transpose(float *to, size_t to_step, const float *from, size_t from_step) {
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 4; j++) {
            to[to_step * j + i] = from[from_step * i + j];
        }
    }
}

#endif
