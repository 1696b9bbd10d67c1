/* The simd vocabulary for AVX-512 (simd/scalar.h tells what each name means). */
#ifndef GALI_SIMD_H
#define GALI_SIMD_H

#include <immintrin.h>
#include <stdint.h>

#include "base/compiler.h"

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
    GALI_OPAQUE("v", a);
    return a;
}

static inline gali_vf gali_vf_rotate(gali_vf a) {
    const __m512i bits = _mm512_castps_si512(a);
    return _mm512_castsi512_ps(_mm512_alignr_epi32(bits, bits, 1));
}

static inline gali_vf gali_vf_rotate_twice(gali_vf a) {
    const __m512i bits = _mm512_castps_si512(a);
    return _mm512_castsi512_ps(_mm512_alignr_epi32(bits, bits, 2));
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

typedef __m512i gali_vi;

typedef __mmask16 gali_vm;

static inline float gali_vf_first(gali_vf a) {
    return _mm512_cvtss_f32(a);
}

static inline gali_vi gali_vi_set(int32_t a) {
    return _mm512_set1_epi32(a);
}

static inline gali_vi gali_vi_load(const void *p) {
    return _mm512_loadu_si512(p);
}

static inline void gali_vi_store(int32_t *p, gali_vi a) {
    _mm512_storeu_si512(p, a);
}

static inline gali_vi gali_vf_bits(gali_vf a) {
    return _mm512_castps_si512(a);
}

static inline gali_vf gali_vf_from_bits(gali_vi a) {
    return _mm512_castsi512_ps(a);
}

static inline gali_vi gali_vf_int(gali_vf a) {
    return _mm512_cvttps_epi32(a);
}

static inline gali_vf gali_vi_float(gali_vi a) {
    return _mm512_cvtepi32_ps(a);
}

static inline gali_vi gali_vi_add(gali_vi a, gali_vi b) {
    return _mm512_add_epi32(a, b);
}

static inline gali_vi gali_vi_sub(gali_vi a, gali_vi b) {
    return _mm512_sub_epi32(a, b);
}

static inline gali_vi gali_vi_and(gali_vi a, gali_vi b) {
    return _mm512_and_epi32(a, b);
}

static inline gali_vi gali_vi_or(gali_vi a, gali_vi b) {
    return _mm512_or_epi32(a, b);
}

static inline gali_vi gali_vi_xor(gali_vi a, gali_vi b) {
    return _mm512_xor_epi32(a, b);
}

static inline gali_vi gali_vi_shift_left(gali_vi a, int n) {
    return _mm512_sll_epi32(a, _mm_cvtsi32_si128(n));
}

static inline gali_vi gali_vi_shift_right(gali_vi a, int n) {
    return _mm512_sra_epi32(a, _mm_cvtsi32_si128(n));
}

static inline gali_vi gali_vi_shift_right_zeros(gali_vi a, int n) {
    return _mm512_srl_epi32(a, _mm_cvtsi32_si128(n));
}

static inline gali_vm gali_vm_less(gali_vf a, gali_vf b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}

static inline gali_vm gali_vm_at_most(gali_vf a, gali_vf b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}

static inline gali_vm gali_vm_equal(gali_vf a, gali_vf b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ);
}

static inline gali_vm gali_vm_less_int(gali_vi a, gali_vi b) {
    return _mm512_cmplt_epi32_mask(a, b);
}

static inline gali_vm gali_vm_equal_int(gali_vi a, gali_vi b) {
    return _mm512_cmpeq_epi32_mask(a, b);
}

static inline gali_vm gali_vm_from_bits(uint32_t bits) {
    return (gali_vm)bits;
}

static inline uint32_t gali_vm_bits(gali_vm a) {
    return a;
}

static inline gali_vm gali_vm_and(gali_vm a, gali_vm b) {
    return a & b;
}

static inline gali_vm gali_vm_or(gali_vm a, gali_vm b) {
    return a | b;
}

static inline gali_vm gali_vm_not(gali_vm a) {
    return (gali_vm)~a;
}

static inline int gali_vm_any(gali_vm a) {
    return a != 0;
}

static inline int gali_vm_all(gali_vm a) {
    return a == 65535;
}

static inline gali_vf gali_vf_select(gali_vm which, gali_vf yes, gali_vf no) {
    return _mm512_mask_blend_ps(which, no, yes);
}

static inline gali_vi gali_vi_select(gali_vm which, gali_vi yes, gali_vi no) {
    return _mm512_mask_blend_epi32(which, no, yes);
}

static inline gali_vf gali_vf_neg(gali_vf a) {
    return _mm512_xor_ps(a, _mm512_set1_ps(-0.0f));
}

static inline gali_vf gali_vf_abs(gali_vf a) {
    return _mm512_abs_ps(a);
}

static inline gali_vf gali_vf_copysign(gali_vf a, gali_vf sign) {
    __m512 bit = _mm512_set1_ps(-0.0f);
    return _mm512_or_ps(_mm512_andnot_ps(bit, a), _mm512_and_ps(bit, sign));
}

static inline gali_vf gali_vf_sqrt(gali_vf a) {
    return _mm512_sqrt_ps(a);
}

static inline gali_vf gali_vf_min(gali_vf a, gali_vf b) {
    return _mm512_min_ps(a, b);
}

static inline gali_vf gali_vf_max(gali_vf a, gali_vf b) {
    return _mm512_max_ps(a, b);
}

static inline gali_vf gali_vf_round(gali_vf a) {
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static inline gali_vf gali_vf_floor(gali_vf a) {
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
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
