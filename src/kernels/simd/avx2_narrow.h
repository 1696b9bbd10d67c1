/* The vocabulary of narrow arithmetic for AVX2, FMA and F16C (simd/scalar_narrow.h tells what each name means): the base set, and
 * with the compiler's flag for it AVX-VNNI. */
#ifndef GALI_SIMD_AVX2_NARROW_H
#define GALI_SIMD_AVX2_NARROW_H

#include <string.h>

#include "kernels/narrow.h"
#include "kernels/simd/avx2.h"

#if defined(__AVXVNNI__)
#define GALI_NARROW_TABLE gali_narrow_avx2_vnni
#define GALI_NARROW_ISA GAL_ISA_AVX2_VNNI
enum { GALI_SIGNED_BYTES = 0 };
#else
#define GALI_NARROW_TABLE gali_narrow_avx2
#define GALI_NARROW_ISA GAL_ISA_AVX2
enum { GALI_SIGNED_BYTES = 1 };
#endif
enum { GALI_NARROW_AHEAD_ROWS = 99 };
#define GALI_I8_LAYOUT GALI_LAYOUT_OUTPUTS
#define GALI_I16_LAYOUT GALI_LAYOUT_OUTPUTS
#define GALI_I8_I16_LAYOUT GALI_LAYOUT_PAIRS

static const uint32_t gali_narrow_rows[GALI_NARROW_COUNT][GALI_PANEL_VECTORS_MAX + 1] = {
    [GALI_NARROW_I16_BLOCKS] = {0, 6, 5, 4, 2}, [GALI_NARROW_I8_I16] = {0, 6, 5, 4, 2},
    [GALI_NARROW_I8_BLOCKS] = {0, 6, 5, 4, 2},  [GALI_NARROW_I8_ROW] = {0, 6, 5, 4, 2},
    [GALI_NARROW_F16] = {0, 6, 5, 3, 2},        [GALI_NARROW_BF16] = {0, 6, 5, 3, 2},
    [GALI_NARROW_BF16_DOT] = {0, 6, 4, 3, 2},
};

static inline gali_vi gali_vi_add_product(gali_vi a, gali_vi b, int32_t c) {
    return _mm256_add_epi32(a, _mm256_mullo_epi32(b, _mm256_set1_epi32(c)));
}

static inline gali_vf gali_vi_block_scale(gali_vi word) {
    return _mm256_castsi256_ps(_mm256_and_si256(word, _mm256_set1_epi32(-65536)));
}

static inline gali_vi gali_vi_block_start(gali_vi word) {
    return _mm256_srai_epi32(_mm256_slli_epi32(word, 16), 9);
}

typedef __m256i gali_w8, gali_w16, gali_x16, gali_x8;

static inline __m256i gali_vi_broadcast(const void *p) {
    int32_t word;
    memcpy(&word, p, sizeof word);
    return _mm256_set1_epi32(word);
}

static inline gali_w8 gali_w8_load(const void *p) {
    return gali_vi_load(p);
}

static inline gali_w16 gali_w16_load(const void *p) {
    return gali_vi_load(p);
}

static inline gali_x8 gali_x8_load(const void *p) {
    return gali_vi_broadcast(p);
}

static inline gali_w16 gali_w16_widen(const void *p, int half) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)p + half));
}

static inline gali_x16 gali_x16_load(const void *p) {
    return gali_vi_broadcast(p);
}

#if defined(__AVXVNNI__)
static inline gali_vi gali_vi_dot8(gali_vi sum, gali_w8 w, gali_x8 x) {
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(x), "xm"(w));
    return sum;
}

static inline gali_vi gali_vi_dot16(gali_vi sum, gali_w16 w, gali_x16 x) {
    __asm__("%{vex%} vpdpwssd %2, %1, %0" : "+x"(sum) : "x"(x), "xm"(w));
    return sum;
}
#else
/* Bytes by |w| and x with w's sign: two products stay within 16 bits, 2 x 127 x 127. */
static inline gali_vi gali_vi_dot8(gali_vi sum, gali_w8 w, gali_x8 x) {
    const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w));
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

static inline gali_vi gali_vi_dot16(gali_vi sum, gali_w16 w, gali_x16 x) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(w, x));
}
#endif

static inline gali_vf gali_vf_f16(const void *p) {
    return _mm256_cvtph_ps(_mm_loadu_si128(p));
}

static inline gali_vf gali_vf_bf16_first(gali_vi word) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(word, 16));
}

static inline gali_vf gali_vf_bf16_second(gali_vi word) {
    return _mm256_castsi256_ps(_mm256_and_si256(word, _mm256_set1_epi32(-65536)));
}

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

/* The low half of each lane, side by side. */
static inline __m128i gali_vi_low16(__m256i a) {
    const __m256i low = _mm256_and_si256(a, _mm256_set1_epi32(0xffff));
    return _mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
}

static inline void gali_vf_store_low8(void *p, gali_vf a) {
    const __m256i low = _mm256_and_si256(_mm256_castps_si256(a), _mm256_set1_epi32(0xff));
    const __m128i words = gali_vi_low16(low);
    _mm_storel_epi64(p, _mm_packus_epi16(words, words));
}

static inline void gali_vf_store_low16(void *p, gali_vf a) {
    _mm_storeu_si128(p, gali_vi_low16(_mm256_castps_si256(a)));
}

static inline void gali_vf_store_bf16(void *p, gali_vf a) {
    const __m256i bits = _mm256_castps_si256(a);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i sum = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
    _mm_storeu_si128(p, gali_vi_low16(_mm256_srli_epi32(sum, 16)));
}

static inline gali_vf gali_vf_most(gali_vf a, gali_vf b) {
    return _mm256_max_ps(a, b);
}

static inline float gali_vf_largest(gali_vf a) {
    __m128 most = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    most = _mm_max_ps(most, _mm_movehl_ps(most, most));
    return _mm_cvtss_f32(_mm_max_ss(most, _mm_movehdup_ps(most)));
}

#endif
