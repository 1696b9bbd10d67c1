/* The simd vocabulary for AVX-512 (simd/scalar.h tells what each name means). */
#ifndef GALI_SIMD_AVX512_H
#define GALI_SIMD_AVX512_H

#include <immintrin.h>
#include <stdint.h>

typedef __m512 gali_vf;
enum {
    GALI_LANES = 16,
    GALI_REGISTERS = 32,
    GALI_STEPS = 4,
    GALI_TURN_SUMS = 1,
    GALI_TILE_KEEP = 12,
    GALI_AHEAD_ROWS = 4,
    GALI_AHEAD_LEVEL = 2,
    GALI_AHEAD = 16 * 1024,
};

static inline gali_vf gali_vf_set(float a) {
    return _mm512_set1_ps(a);
}

static inline gali_vf gali_vf_load(const float *p) {
    return _mm512_loadu_ps(p);
}

static inline gali_vf gali_vf_keep(gali_vf a) {
    __asm__("" : "+v"(a));
    return a;
}

static inline void gali_vf_store(float *p, gali_vf a) {
    _mm512_storeu_ps(p, a);
}

static inline gali_vf gali_vf_load_part(const float *p, uint32_t n) {
    return _mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1u), p);
}

static inline void gali_vf_store_part(float *p, gali_vf a, uint32_t n) {
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1u), a);
}

static inline gali_vf gali_vf_add(gali_vf a, gali_vf b) {
    return _mm512_add_ps(a, b);
}

static inline gali_vf gali_vf_sub(gali_vf a, gali_vf b) {
    return _mm512_sub_ps(a, b);
}

static inline gali_vf gali_vf_mul(gali_vf a, gali_vf b) {
    return _mm512_mul_ps(a, b);
}

static inline gali_vf gali_vf_div(gali_vf a, gali_vf b) {
    return _mm512_div_ps(a, b);
}

static inline gali_vf gali_vf_fma(gali_vf a, gali_vf b, gali_vf c) {
    return _mm512_fmadd_ps(a, b, c);
}

typedef gali_vf gali_vx;

static inline gali_vx gali_vx_load(const float *p) {
    return gali_vf_set(*p);
}

static inline gali_vf gali_vf_fma_x(gali_vf a, gali_vx b, gali_vf c) {
    return gali_vf_fma(a, b, c);
}

static inline gali_vf gali_vf_less(gali_vf a, gali_vf b, gali_vf yes, gali_vf no) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), no, yes);
}

static inline gali_vf gali_vf_exp2_biased(gali_vf a) {
    __m512i bits = _mm512_slli_epi32(_mm512_castps_si512(a), 23);
    return _mm512_castsi512_ps(_mm512_add_epi32(bits, _mm512_set1_epi32(0x3F800000)));
}

#endif
