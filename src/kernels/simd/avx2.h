/* The simd vocabulary for AVX2 and FMA (simd/scalar.h tells what each name means). */
#ifndef GALI_SIMD_H
#define GALI_SIMD_H

#include <immintrin.h>
#include <stdint.h>

#include "base/compiler.h"

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
    GALI_OPAQUE("x", a);
    return a;
}

static inline gali_vf gali_vf_rotate(gali_vf a) {
    return _mm256_permutevar8x32_ps(a, _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0));
}

static inline gali_vf gali_vf_rotate_twice(gali_vf a) {
    return _mm256_permutevar8x32_ps(a, _mm256_setr_epi32(2, 3, 4, 5, 6, 7, 0, 1));
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

/* In pieces: AMD's processors take 19 to 42 operations for a masked store. */
static inline void gali_vf_store_part(float *p, gali_vf a, uint32_t n) {
    __m128 left = _mm256_castps256_ps128(a);
    if (n & 4) {
        _mm_storeu_ps(p, left);
        left = _mm256_extractf128_ps(a, 1);
        p += 4;
    }
    if (n & 2) {
        _mm_storel_pi((__m64 *)(void *)p, left);
        left = _mm_movehl_ps(left, left);
        p += 2;
    }
    if (n & 1) {
        _mm_store_ss(p, left);
    }
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

typedef __m256i gali_vi;

typedef __m256 gali_vm;

static inline float gali_vf_first(gali_vf a) {
    return _mm256_cvtss_f32(a);
}

static inline gali_vi gali_vi_set(int32_t a) {
    return _mm256_set1_epi32(a);
}

static inline gali_vi gali_vi_load(const void *p) {
    return _mm256_loadu_si256(p);
}

static inline void gali_vi_store(int32_t *p, gali_vi a) {
    _mm256_storeu_si256((__m256i *)(void *)p, a);
}

static inline gali_vi gali_vf_bits(gali_vf a) {
    return _mm256_castps_si256(a);
}

static inline gali_vf gali_vf_from_bits(gali_vi a) {
    return _mm256_castsi256_ps(a);
}

static inline gali_vi gali_vf_int(gali_vf a) {
    return _mm256_cvttps_epi32(a);
}

static inline gali_vf gali_vi_float(gali_vi a) {
    return _mm256_cvtepi32_ps(a);
}

static inline gali_vi gali_vi_add(gali_vi a, gali_vi b) {
    return _mm256_add_epi32(a, b);
}

static inline gali_vi gali_vi_sub(gali_vi a, gali_vi b) {
    return _mm256_sub_epi32(a, b);
}

static inline gali_vi gali_vi_and(gali_vi a, gali_vi b) {
    return _mm256_and_si256(a, b);
}

static inline gali_vi gali_vi_or(gali_vi a, gali_vi b) {
    return _mm256_or_si256(a, b);
}

static inline gali_vi gali_vi_xor(gali_vi a, gali_vi b) {
    return _mm256_xor_si256(a, b);
}

static inline gali_vi gali_vi_shift_left(gali_vi a, int n) {
    return _mm256_sll_epi32(a, _mm_cvtsi32_si128(n));
}

static inline gali_vi gali_vi_shift_right(gali_vi a, int n) {
    return _mm256_sra_epi32(a, _mm_cvtsi32_si128(n));
}

static inline gali_vi gali_vi_shift_right_zeros(gali_vi a, int n) {
    return _mm256_srl_epi32(a, _mm_cvtsi32_si128(n));
}

static inline gali_vm gali_vm_less(gali_vf a, gali_vf b) {
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}

static inline gali_vm gali_vm_at_most(gali_vf a, gali_vf b) {
    return _mm256_cmp_ps(a, b, _CMP_LE_OQ);
}

static inline gali_vm gali_vm_equal(gali_vf a, gali_vf b) {
    return _mm256_cmp_ps(a, b, _CMP_EQ_OQ);
}

static inline gali_vm gali_vm_less_int(gali_vi a, gali_vi b) {
    return _mm256_castsi256_ps(_mm256_cmpgt_epi32(b, a));
}

static inline gali_vm gali_vm_equal_int(gali_vi a, gali_vi b) {
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b));
}

static inline gali_vm gali_vm_from_bits(uint32_t bits) {
    __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), lane), lane));
}

static inline uint32_t gali_vm_bits(gali_vm a) {
    return (uint32_t)_mm256_movemask_ps(a);
}

static inline gali_vm gali_vm_and(gali_vm a, gali_vm b) {
    return _mm256_and_ps(a, b);
}

static inline gali_vm gali_vm_or(gali_vm a, gali_vm b) {
    return _mm256_or_ps(a, b);
}

static inline gali_vm gali_vm_not(gali_vm a) {
    return _mm256_xor_ps(a, _mm256_castsi256_ps(_mm256_set1_epi32(-1)));
}

static inline int gali_vm_any(gali_vm a) {
    return _mm256_movemask_ps(a) != 0;
}

static inline int gali_vm_all(gali_vm a) {
    return _mm256_movemask_ps(a) == 255;
}

static inline gali_vf gali_vf_select(gali_vm which, gali_vf yes, gali_vf no) {
    return _mm256_blendv_ps(no, yes, which);
}

static inline gali_vi gali_vi_select(gali_vm which, gali_vi yes, gali_vi no) {
    return _mm256_blendv_epi8(no, yes, _mm256_castps_si256(which));
}

static inline gali_vf gali_vf_neg(gali_vf a) {
    return _mm256_xor_ps(a, _mm256_set1_ps(-0.0f));
}

static inline gali_vf gali_vf_abs(gali_vf a) {
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}

static inline gali_vf gali_vf_copysign(gali_vf a, gali_vf sign) {
    __m256 bit = _mm256_set1_ps(-0.0f);
    return _mm256_or_ps(_mm256_andnot_ps(bit, a), _mm256_and_ps(bit, sign));
}

static inline gali_vf gali_vf_sqrt(gali_vf a) {
    return _mm256_sqrt_ps(a);
}

static inline gali_vf gali_vf_min(gali_vf a, gali_vf b) {
    return _mm256_min_ps(a, b);
}

static inline gali_vf gali_vf_max(gali_vf a, gali_vf b) {
    return _mm256_max_ps(a, b);
}

static inline gali_vf gali_vf_round(gali_vf a) {
    return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static inline gali_vf gali_vf_floor(gali_vf a) {
    return _mm256_round_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}

static inline void gali_transpose(float *to, size_t to_step, const float *from, size_t from_step) {
    const __m128 a = _mm_loadu_ps(from), b = _mm_loadu_ps(from + from_step);
    const __m128 c = _mm_loadu_ps(from + 2 * from_step), d = _mm_loadu_ps(from + 3 * from_step);
    const __m128 ab = _mm_unpacklo_ps(a, b), cd = _mm_unpacklo_ps(c, d);
    const __m128 ab_high = _mm_unpackhi_ps(a, b), cd_high = _mm_unpackhi_ps(c, d);
    _mm_storeu_ps(to, _mm_movelh_ps(ab, cd));
    _mm_storeu_ps(to + to_step, _mm_movehl_ps(cd, ab));
    _mm_storeu_ps(to + 2 * to_step, _mm_movelh_ps(ab_high, cd_high));
    _mm_storeu_ps(to + 3 * to_step, _mm_movehl_ps(cd_high, ab_high));
}

#endif
