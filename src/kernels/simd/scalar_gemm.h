/* The vocabulary of integer products (kernels/gemm.h) in plain C: one lane, and what each name means. */
#ifndef GALI_SIMD_SCALAR_GEMM_H
#define GALI_SIMD_SCALAR_GEMM_H

#include "kernels/gemm.h"
#include "kernels/simd/scalar_narrow.h"

enum {
    GALI_GEMM_DEPTH = 4,
    GALI_GEMM_PAIR = 1,
    GALI_GEMM_WORDS = 4,
    GALI_GEMM_OFFSET = 0,
    GALI_GEMM_GAIN = 100,
    GALI_GEMM_KEEPS_WORDS = 1, /* in registers: a tile's words of A rather than its vectors of B */
    /* The largest tiles, by registers. */
    GALI_GEMM_INTERLEAVED_ROWS = 4,
    GALI_GEMM_INTERLEAVED_VECTORS = 3,
    GALI_GEMM_NATIVE_ROWS = 2,
    GALI_GEMM_NATIVE_VECTORS = 4,
};

/* A vector's group of B, a load of A, a word of it, and sums: of `pair` rows, [row][lane]. */
typedef gali_w8 gali_gw;
typedef struct gali_gx {
    gali_x8 word[GALI_GEMM_WORDS];
} gali_gx;
typedef gali_x8 gali_gword;
typedef gali_vi gali_gs;

static inline gali_gw gali_gw_load(const unsigned char *p) {
    return gali_w8_load(p);
}

/* Words that lie one after another. */
static inline gali_gx gali_gx_load(const unsigned char *p) {
    gali_gx x;
    memcpy(&x, p, sizeof x);
    return x;
}

/* Words of `pair` rows as the caller has them, one after another in each; second is first where a word has one. */
static inline gali_gx gali_gx_rows(const unsigned char *first, const unsigned char *second) {
    (void)second;
    return gali_gx_load(first);
}

static inline gali_gword gali_gx_word(gali_gx x, uint32_t i) {
    return x.word[i];
}

/* Sums that start at p's int32, and sums += products. */
static inline gali_gs gali_gs_start(const unsigned char *p) {
    return gali_vi_load(p);
}

static inline gali_gs gali_gs_dot(gali_gs sum, gali_gw w, gali_gword x) {
    return gali_vi_dot8(sum, w, x);
}

/* The sums of row i of the pair. */
static inline gali_vi gali_gs_row(gali_gs sum, uint32_t i) {
    (void)i;
    return sum;
}

#endif
