/*
 * The vocabulary of integer products for AVX-512 (simd/scalar_gemm.h tells what each name means). With VNNI, four bytes: A's have to be
 * unsigned, so their top bit is turned, as A is interleaved or, native, as they are broadcast; sums start at what that adds. Without,
 * pairs of bytes widened to 16 bits: vpmaddubsw would saturate.
 */
#ifndef GALI_SIMD_AVX512_GEMM_H
#define GALI_SIMD_AVX512_GEMM_H

#include "kernels/gemm.h"
#include "kernels/simd/avx512_narrow.h"

enum {
    GALI_GEMM_KEEPS_WORDS = 0,
    GALI_GEMM_PAIR = 1,
    GALI_GEMM_WORDS = 4,
    GALI_GEMM_INTERLEAVED_ROWS = 8,
    GALI_GEMM_INTERLEAVED_VECTORS = 3,
    GALI_GEMM_NATIVE_VECTORS = 4,
};

typedef __m512i gali_gw, gali_gword, gali_gs;

#if defined(__AVX512VNNI__)
enum { GALI_GEMM_DEPTH = 4, GALI_GEMM_OFFSET = 128, GALI_GEMM_GAIN = 108, GALI_GEMM_NATIVE_ROWS = 6 };

/* Signed bytes and unsigned ones, one from the other. */
static inline __m512i gali_gx_turn(__m512i word) {
    return _mm512_xor_si512(word, _mm512_set1_epi8(-128));
}

#include "kernels/simd/vnni_gemm.h"
#else
enum { GALI_GEMM_DEPTH = 2, GALI_GEMM_OFFSET = 0, GALI_GEMM_GAIN = 100, GALI_GEMM_NATIVE_ROWS = 4 };

typedef __m512i gali_gx; /* four words in each quarter */

static inline gali_gw gali_gw_load(const unsigned char *p) {
    return _mm512_cvtepi8_epi16(_mm256_loadu_si256((const void *)p));
}

static inline gali_gx gali_gx_load(const unsigned char *p) {
    int64_t words;
    memcpy(&words, p, sizeof words);
    return _mm512_cvtepi8_epi16(_mm256_set1_epi64x(words));
}

static inline gali_gword gali_gx_word(gali_gx x, uint32_t i) {
    switch (i) {
    case 0:
        return _mm512_shuffle_epi32(x, _MM_PERM_AAAA);
    case 1:
        return _mm512_shuffle_epi32(x, _MM_PERM_BBBB);
    case 2:
        return _mm512_shuffle_epi32(x, _MM_PERM_CCCC);
    default:
        return _mm512_shuffle_epi32(x, _MM_PERM_DDDD);
    }
}

static inline gali_gs gali_gs_dot(gali_gs sum, gali_gw w, gali_gword x) {
    return gali_vi_dot16(sum, w, x);
}

static inline gali_gx gali_gx_rows(const unsigned char *first, const unsigned char *second) {
    (void)second;
    return gali_gx_load(first);
}
#endif

static inline gali_gs gali_gs_start(const unsigned char *p) {
    return gali_vi_load(p);
}

static inline gali_vi gali_gs_row(gali_gs sum, uint32_t i) {
    (void)i;
    return sum;
}

#endif
