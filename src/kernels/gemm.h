/*
 * Tiles of integer products, C[rows][columns] int32 = A[rows][inner] B[inner][columns] of int8, exactly: a member of each
 * narrow table (narrow.h), with a body in body/gemm_i8.inc and a vocabulary in simd/<isa>_gemm.h.
 *
 * A word is `depth` consecutive inputs of `pair` rows, one row behind the other: what one multiply-add takes of A. A group is
 * the same `depth` inputs of everything. Missing inputs, rows and columns count as 0.
 *
 * B lies in panels `vectors * lanes` columns wide:
 *     int32 start[width]                  what sums start at: makes the unsigned inputs of some tables signed
 *     int8 weight[groups][width][depth]
 * A interleaved, for one tile:
 *     int8 word[groups][words][pair][depth], words = its rows / pair, rounded up to a multiple of `words`; with `offset` added
 */
#ifndef GALI_KERNELS_GEMM_H
#define GALI_KERNELS_GEMM_H

#include "gallop/gemm.h"

enum {
    GALI_GEMM_ROWS_MAX = 8, /* of a tile */
    GALI_GEMM_VECTORS_MAX = 4,
};

/* A tile of C: as many rows as the function that runs it says. */
typedef struct gali_gemm_tile {
    const int8_t *a;        /* interleaved, or the first row */
    size_t a_stride;        /* native: bytes between rows */
    const unsigned char *b; /* a panel, 64-byte aligned */
    uint32_t inner;
    int32_t *c;
    size_t c_stride;
    uint32_t columns; /* of the panel that exist: 1..width */
} gali_gemm_tile;

typedef void gali_gemm_run_tile(const gali_gemm_tile *tile);

typedef struct gali_gemm_form {
    uint32_t rows, vectors;         /* the largest tile */
    gali_gemm_run_tile *const *run; /* [rows + 1], by rows */
} gali_gemm_form;

typedef struct gali_gemm_table {
    uint32_t lanes; /* columns in a vector */
    uint32_t depth; /* 2, 4 or 8 */
    uint32_t pair;  /* 1 or 2 */
    uint32_t words;
    int32_t offset; /* 0, or 128 where A's bytes have to be unsigned */
    uint32_t gain;  /* percent: native's time over interleaved's, in the inner loops of full tiles */
    gali_gemm_form form[GAL_GEMM_STRATEGY_COUNT];
} gali_gemm_table;

/* Groups of so many inputs. */
uint32_t gali_gemm_groups(const gali_gemm_table *table, uint32_t inner);

/* Bytes of a panel, a multiple of 64, and of `rows` interleaved rows; GALI_SIZE_BAD if that overflows. */
size_t gali_gemm_panel_size(const gali_gemm_table *table, uint32_t inner, uint32_t vectors);
size_t gali_gemm_interleaved_size(const gali_gemm_table *table, uint32_t inner, uint32_t rows);

/* A panel of `columns` columns of B from b on, element (k, n) at b[k * inner_stride + n * column_stride]. */
void gali_gemm_pack(const gali_gemm_table *table, uint32_t vectors, const int8_t *b, size_t inner_stride,
                    size_t column_stride, uint32_t inner, uint32_t columns, unsigned char *panel);

/* Rows of A for one tile. */
void gali_gemm_interleave(const gali_gemm_table *table, const int8_t *a, size_t a_stride, uint32_t rows,
                          uint32_t inner, int8_t *words);

#endif
