/* The simd vocabulary for AArch64 NEON (simd/scalar.h tells what each name means). */
#ifndef GALI_SIMD_NEON_H
#define GALI_SIMD_NEON_H

#include <arm_neon.h>
#include <stdint.h>

typedef float32x4_t gali_vf;
enum { GALI_LANES = 4 };

static inline gali_vf gali_vf_set(float a) {
    return vdupq_n_f32(a);
}

static inline gali_vf gali_vf_load(const float *p) {
    return vld1q_f32(p);
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

static inline gali_vf gali_vf_fma(gali_vf a, gali_vf b, gali_vf c) {
    return vfmaq_f32(c, a, b);
}

static inline gali_vf gali_vf_less(gali_vf a, gali_vf b, gali_vf yes, gali_vf no) {
    return vbslq_f32(vcltq_f32(a, b), yes, no);
}

static inline gali_vf gali_vf_exp2_biased(gali_vf a) {
    int32x4_t bits = vshlq_n_s32(vreinterpretq_s32_f32(a), 23);
    return vreinterpretq_f32_s32(vaddq_s32(bits, vdupq_n_s32(0x3F800000)));
}

#endif
