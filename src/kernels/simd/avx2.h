/* The simd vocabulary for AVX2 and FMA (simd/scalar.h tells what each name means). */
#ifndef GALI_SIMD_AVX2_H
#define GALI_SIMD_AVX2_H

#include <immintrin.h>
#include <stdint.h>

typedef __m256 gali_vf;
enum {
    GALI_LANES = 8,
    GALI_REGISTERS = 16,
    GALI_STEPS = 4,
    GALI_TURN_SUMS = 12,
    GALI_TILE_KEEP = 4,
    GALI_AHEAD_ROWS = 4,
    GALI_AHEAD_LEVEL = 3,
    GALI_AHEAD = 4 * 1024,
};

static inline gali_vf gali_vf_set(float a) {
    return _mm256_set1_ps(a);
}

static inline gali_vf gali_vf_load(const float *p) {
    return _mm256_loadu_ps(p);
}

static inline gali_vf gali_vf_keep(gali_vf a) {
    __asm__("" : "+x"(a));
    return a;
}

static inline void gali_vf_store(float *p, gali_vf a) {
    _mm256_storeu_ps(p, a);
}

static inline __m256i gali_vf_mask(uint32_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

static inline gali_vf gali_vf_load_part(const float *p, uint32_t n) {
    return _mm256_maskload_ps(p, gali_vf_mask(n));
}

static inline void gali_vf_store_part(float *p, gali_vf a, uint32_t n) {
    _mm256_maskstore_ps(p, gali_vf_mask(n), a);
}

static inline gali_vf gali_vf_add(gali_vf a, gali_vf b) {
    return _mm256_add_ps(a, b);
}

static inline gali_vf gali_vf_sub(gali_vf a, gali_vf b) {
    return _mm256_sub_ps(a, b);
}

static inline gali_vf gali_vf_mul(gali_vf a, gali_vf b) {
    return _mm256_mul_ps(a, b);
}

static inline gali_vf gali_vf_div(gali_vf a, gali_vf b) {
    return _mm256_div_ps(a, b);
}

static inline gali_vf gali_vf_fma(gali_vf a, gali_vf b, gali_vf c) {
    return _mm256_fmadd_ps(a, b, c);
}

typedef gali_vf gali_vx;

static inline gali_vx gali_vx_load(const float *p) {
    return gali_vf_set(*p);
}

static inline gali_vf gali_vf_fma_x(gali_vf a, gali_vx b, gali_vf c) {
    return gali_vf_fma(a, b, c);
}

static inline gali_vf gali_vf_less(gali_vf a, gali_vf b, gali_vf yes, gali_vf no) {
    return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
}

static inline gali_vf gali_vf_exp2_biased(gali_vf a) {
    __m256i bits = _mm256_slli_epi32(_mm256_castps_si256(a), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(bits, _mm256_set1_epi32(0x3F800000)));
}

#endif
