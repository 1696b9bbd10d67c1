/* The simd vocabulary for AArch64 NEON (simd/scalar.h tells what each name means). */
#ifndef GALI_SIMD_NEON_H
#define GALI_SIMD_NEON_H

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

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
    __asm__("" : "+r"(high));
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
    __asm__("" : "+w"(x));
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

#endif
