/*
 * The vocabulary of narrow arithmetic for AVX-512 (simd/scalar_narrow.h tells what each name means): the base set, and with the
 * compiler's flags for them VNNI and BF16.
 *
 * Dot products are written as instructions: gcc 12 copies accumulators around its builtins for vpdpbusd, which
 * made a tile of 24 of them 2.4 times slower.
 */
#ifndef GALI_SIMD_AVX512_NARROW_H
#define GALI_SIMD_AVX512_NARROW_H

#include <string.h>

#include "kernels/narrow.h"
#include "kernels/simd/avx512.h"

#if defined(__AVX512BF16__)
#define GALI_NARROW_TABLE gali_narrow_avx512_bf16
#define GALI_NARROW_ISA GAL_ISA_AVX512_BF16
#elif defined(__AVX512VNNI__)
#define GALI_NARROW_TABLE gali_narrow_avx512_vnni
#define GALI_NARROW_ISA GAL_ISA_AVX512_VNNI
#else
#define GALI_NARROW_TABLE gali_narrow_avx512
#define GALI_NARROW_ISA GAL_ISA_AVX512
#endif

#if defined(__AVX512VNNI__)
enum { GALI_SIGNED_BYTES = 0 };
#define GALI_INTEGER_ROWS {0, 8, 8, 8, 6}
#else
enum { GALI_SIGNED_BYTES = 1 };
#define GALI_INTEGER_ROWS {0, 4, 4, 4, 4} /* products take several instructions each, and registers */
#endif
enum { GALI_NARROW_AHEAD_ROWS = 4 };
#define GALI_I8_LAYOUT GALI_LAYOUT_OUTPUTS
#define GALI_I16_LAYOUT GALI_LAYOUT_OUTPUTS
#define GALI_I8_I16_LAYOUT GALI_LAYOUT_PAIRS

static const uint32_t gali_narrow_rows[GALI_NARROW_COUNT][GALI_PANEL_VECTORS_MAX + 1] = {
    [GALI_NARROW_I16_BLOCKS] = GALI_INTEGER_ROWS, [GALI_NARROW_I8_I16] = GALI_INTEGER_ROWS,
    [GALI_NARROW_I8_BLOCKS] = GALI_INTEGER_ROWS,  [GALI_NARROW_I8_ROW] = GALI_INTEGER_ROWS,
    [GALI_NARROW_F16] = {0, 8, 8, 8, 6},          [GALI_NARROW_BF16] = {0, 8, 8, 8, 6},
    [GALI_NARROW_BF16_DOT] = {0, 8, 8, 8, 6},
};

static inline gali_vi gali_vi_add_product(gali_vi a, gali_vi b, int32_t c) {
    return _mm512_add_epi32(a, _mm512_mullo_epi32(b, _mm512_set1_epi32(c)));
}

static inline gali_vf gali_vi_block_scale(gali_vi word) {
    return _mm512_castsi512_ps(_mm512_and_si512(word, _mm512_set1_epi32(-65536)));
}

static inline gali_vi gali_vi_block_start(gali_vi word) {
    return _mm512_srai_epi32(_mm512_slli_epi32(word, 16), 9);
}

typedef __m512i gali_w16, gali_x16, gali_x8;

static inline __m512i gali_vi_broadcast(const void *p) {
    int32_t word;
    memcpy(&word, p, sizeof word);
    return _mm512_set1_epi32(word);
}

static inline gali_x8 gali_x8_load(const void *p) {
    return gali_vi_broadcast(p);
}

static inline gali_w16 gali_w16_load(const void *p) {
    return gali_vi_load(p);
}

static inline gali_w16 gali_w16_widen(const void *p, int half) {
    return _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)p + half));
}

static inline gali_x16 gali_x16_load(const void *p) {
    return gali_vi_broadcast(p);
}

#if defined(__AVX512VNNI__)
typedef __m512i gali_w8;

static inline gali_w8 gali_w8_load(const void *p) {
    return gali_vi_load(p);
}

static inline gali_vi gali_vi_dot8(gali_vi sum, gali_w8 w, gali_x8 x) {
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(x), "vm"(w));
    return sum;
}

static inline gali_vi gali_vi_dot16(gali_vi sum, gali_w16 w, gali_x16 x) {
    __asm__("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(x), "vm"(w));
    return sum;
}
#else
/* Bytes by |w| and x with w's sign: two products stay within 16 bits, 2 x 127 x 127. */
typedef struct gali_w8 {
    __m512i size;
    __mmask64 negative;
} gali_w8;

static inline gali_w8 gali_w8_load(const void *p) {
    const __m512i w = gali_vi_load(p);
    return (gali_w8){_mm512_abs_epi8(w), _mm512_movepi8_mask(w)};
}

static inline gali_vi gali_vi_dot8(gali_vi sum, gali_w8 w, gali_x8 x) {
    const __m512i signed_x = _mm512_mask_sub_epi8(x, w.negative, _mm512_setzero_si512(), x);
    const __m512i pairs = _mm512_maddubs_epi16(w.size, signed_x);
    return _mm512_add_epi32(sum, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
}

static inline gali_vi gali_vi_dot16(gali_vi sum, gali_w16 w, gali_x16 x) {
    return _mm512_add_epi32(sum, _mm512_madd_epi16(w, x));
}
#endif

static inline gali_vf gali_vf_f16(const void *p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(p));
}

static inline gali_vf gali_vf_bf16_first(gali_vi word) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(word, 16));
}

static inline gali_vf gali_vf_bf16_second(gali_vi word) {
    return _mm512_castsi512_ps(_mm512_and_si512(word, _mm512_set1_epi32(-65536)));
}

#if defined(__AVX512BF16__)
typedef __m512i gali_xb;

static inline gali_xb gali_xb_load(const void *p) {
    return gali_vi_broadcast(p);
}

/* The instruction fuses the second pair, then the first, to nearest even; it flushes denormals, of which there are none. */
static inline gali_vf gali_vf_dot_bf16(gali_vf sum, gali_vi w, gali_xb x) {
    __asm__("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(x), "vm"(w));
    return sum;
}
#else
typedef struct gali_xb {
    gali_vf first, second;
} gali_xb;

static inline gali_xb gali_xb_load(const void *p) {
    const gali_vi word = gali_vi_broadcast(p);
    return (gali_xb){gali_vf_bf16_first(word), gali_vf_bf16_second(word)};
}

static inline gali_vf gali_vf_dot_bf16(gali_vf sum, gali_vi w, gali_xb x) {
    sum = gali_vf_fma(gali_vf_bf16_second(w), x.second, sum);
    return gali_vf_fma(gali_vf_bf16_first(w), x.first, sum);
}
#endif

static inline void gali_vf_store_low8(void *p, gali_vf a) {
    _mm_storeu_si128(p, _mm512_cvtepi32_epi8(_mm512_castps_si512(a)));
}

static inline void gali_vf_store_low16(void *p, gali_vf a) {
    _mm256_storeu_si256(p, _mm512_cvtepi32_epi16(_mm512_castps_si512(a)));
}

static inline void gali_vf_store_bf16(void *p, gali_vf a) {
    const __m512i bits = _mm512_castps_si512(a);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i sum = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
    _mm256_storeu_si256(p, _mm512_cvtepi32_epi16(_mm512_srli_epi32(sum, 16)));
}

static inline gali_vf gali_vf_most(gali_vf a, gali_vf b) {
    return _mm512_max_ps(a, b);
}

static inline float gali_vf_largest(gali_vf a) {
    return _mm512_reduce_max_ps(a);
}

#endif
