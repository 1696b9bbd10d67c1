/*
 * The vocabulary of integer products for AVX2 (simd/scalar_gemm.h tells what each name means). With AVX-VNNI, four bytes: A's have to be
 * unsigned, so their top bit is turned, as A is interleaved or, native, as they are broadcast; sums start at what that adds. Without,
 * pairs of bytes widened to 16 bits: vpmaddubsw would saturate.
 */
#ifndef GALI_SIMD_AVX2_GEMM_H
#define GALI_SIMD_AVX2_GEMM_H

#include "kernels/gemm.h"
#include "kernels/simd/avx2_narrow.h"

enum {
    GALI_GEMM_KEEPS_WORDS = 0,
    GALI_GEMM_PAIR = 1,
    GALI_GEMM_WORDS = 4,
    GALI_GEMM_NATIVE_ROWS = 2,
    GALI_GEMM_NATIVE_VECTORS = 4
};

typedef __m256i gali_gw, gali_gword, gali_gs;

#if defined(__AVXVNNI__)
enum {
    GALI_GEMM_DEPTH = 4,
    GALI_GEMM_OFFSET = 128,
    GALI_GEMM_GAIN = 125,
    GALI_GEMM_INTERLEAVED_ROWS = 4,
    GALI_GEMM_INTERLEAVED_VECTORS = 3,
};

/* Signed bytes and unsigned ones, one from the other. */
static inline __m256i gali_gx_turn(__m256i word) {
    return _mm256_xor_si256(word, _mm256_set1_epi8(-128));
}

#include "kernels/simd/vnni_gemm.h"
#else
enum {
    GALI_GEMM_DEPTH = 2,
    GALI_GEMM_OFFSET = 0,
    GALI_GEMM_GAIN = 108,
    GALI_GEMM_INTERLEAVED_ROWS = 5,
    GALI_GEMM_INTERLEAVED_VECTORS = 2,
};

typedef __m256i gali_gx; /* four words in each half */

static inline gali_gw gali_gw_load(const unsigned char *p) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)p));
}

static inline gali_gx gali_gx_load(const unsigned char *p) {
    int64_t words;
    memcpy(&words, p, sizeof words);
    return _mm256_cvtepi8_epi16(_mm_set1_epi64x(words));
}

static inline gali_gword gali_gx_word(gali_gx x, uint32_t i) {
    switch (i) {
    case 0:
        return _mm256_shuffle_epi32(x, 0x00);
    case 1:
        return _mm256_shuffle_epi32(x, 0x55);
    case 2:
        return _mm256_shuffle_epi32(x, 0xaa);
    default:
        return _mm256_shuffle_epi32(x, 0xff);
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
