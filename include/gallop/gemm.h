/*
 * Integer products of matrices, C = A B: int8 times int8 with exact int32 results, the same on every instruction set.
 *
 *     C[rows][columns] int32 = sum over k of A[rows][inner] int8  B[inner][columns] int8
 *
 * B is constant: weights. It is packed once for this machine; then any number of rows of A run against it. All 256
 * values of a byte are allowed on both sides: no sum overflows, since inner is at most GAL_GEMM_INNER_MOST.
 *
 * A gal_gemm is immutable and may be used by any number of threads at once, each with a workspace of its own. Rows are
 * independent of one another, so threads may share a product by rows. A run touches the caller's memory alone: no
 * allocation, no lock, no system call.
 */
#ifndef GALLOP_GEMM_H
#define GALLOP_GEMM_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The largest inner: 131071 x 128 x 128 < 2^31. */
#define GAL_GEMM_INNER_MOST 131071u

typedef struct gal_gemm gal_gemm;

/* How tiles of C are made; after TVM's RFC on the dot product instructions of Armv8.2-A. Changes speed, never results. */
typedef enum gal_gemm_strategy {
    GAL_GEMM_BY_SHAPE = 0, /* from a table, by rows and columns (docs/gemm.md) */
    GAL_GEMM_INTERLEAVED, /* tiles 3 vectors wide and, on Arm, 8 rows high (8 x 12); A is interleaved in a workspace first */
    GAL_GEMM_NATIVE, /* tiles 4 vectors wide and, on Arm, 4 rows high (4 x 16); A is read where it lies */
    GAL_GEMM_STRATEGY_COUNT
} gal_gemm_strategy;

/* "by-shape", "interleaved", "native"; never NULL. */
GAL_API const char *gal_gemm_strategy_name(gal_gemm_strategy strategy);

/* What to pack. Zero-initialise; zero means the default. */
typedef struct gal_gemm_desc {
    uint32_t struct_size;           /* sizeof(gal_gemm_desc), or 0 for this version's */
    const gal_allocator *allocator; /* NULL: the C library; copied */
    gal_isa isa;                    /* GAL_ISA_BEST: what the machine can do */
    gal_gemm_strategy strategy;
    uint32_t rows;  /* of A in a usual run, from which the strategy is chosen; 0: many. Every count may run */
    uint32_t inner; /* 0..GAL_GEMM_INNER_MOST; for 0 the product is zero */
    uint32_t columns;
    /* B: element (k, n) is b[k * inner_stride + n * column_stride]. Not needed after the call; NULL only if
     * inner or columns is 0. */
    const int8_t *b;
    size_t inner_stride;  /* 0: columns, rows of B one after another; 1 for weights stored [columns][inner] */
    size_t column_stride; /* 0: 1; inner for weights stored [columns][inner] */
} gal_gemm_desc;

/*
 * Packs B. *out is owned by the caller and destroyed with gal_gemm_destroy; it is NULL on failure. error may be NULL.
 * Errors: GAL_BAD_ARGUMENT (a value out of its range, b missing), GAL_UNSUPPORTED (the ISA asked for), GAL_NO_MEMORY.
 */
GAL_API gal_status gal_gemm_create(gal_gemm **out, const gal_gemm_desc *desc, gal_error *error);

/* Frees it. NULL is allowed. No run may be under way. */
GAL_API void gal_gemm_destroy(gal_gemm *gemm);

/* Facts of a packed B. */
typedef struct gal_gemm_info {
    uint32_t inner, columns;
    gal_isa isa;                      /* the kernels in use */
    gal_gemm_strategy strategy;       /* the one in use: not GAL_GEMM_BY_SHAPE */
    uint32_t tile_rows, tile_columns; /* of C, made at once */
    size_t memory;                    /* bytes it holds */
} gal_gemm_info;

GAL_API gal_gemm_info gal_gemm_get_info(const gal_gemm *gemm);

/*
 * Bytes of workspace that a run of up to `rows` rows needs; it grows up to 64 rows, then stays. 0 where none is
 * needed (GAL_GEMM_NATIVE). Aligned to 64 bytes, holds nothing between runs, serves one run at a time.
 */
GAL_API size_t gal_gemm_workspace_size(const gal_gemm *gemm, uint32_t rows);

/* One run. Zero-initialise. */
typedef struct gal_gemm_batch {
    uint32_t rows;   /* 0 does nothing */
    const int8_t *a; /* [rows][inner], any alignment; NULL only if rows or inner is 0 */
    size_t a_stride; /* bytes between rows of a, also fewer than inner; 0: inner */
    int32_t *c;      /* [rows][columns], written whole and nothing beside; must not overlap a */
    size_t c_stride; /* values between rows of c, >= columns; 0: columns */
} gal_gemm_batch;

/*
 * C = A B. GAL_BAD_ARGUMENT, with nothing written, if a needed pointer is NULL, rows of c overlap or the workspace is not
 * aligned; GAL_NO_MEMORY if workspace_size is less than gal_gemm_workspace_size(gemm, batch->rows). error may be NULL.
 */
GAL_API gal_status gal_gemm_run(const gal_gemm *gemm, const gal_gemm_batch *batch, void *workspace,
                                size_t workspace_size, gal_error *error);

#ifdef __cplusplus
}
#endif
#endif
