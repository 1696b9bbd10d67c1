/*
 * Convolutions whose weights follow patterns (fkw.h) as sums over the kernels that are left.
 *
 *     tiles  [n][h / r][w / v][c][r + 2][v + 2]  x with zeros around, in tiles that overlap
 *     part   [n][m][h][w]                       start + sum over patterns, kernels and taps, of a block of the channels
 *     y      [n][m][h][w]                       the same of the last block
 *
 * Of vectors of 16 v is 14 where pictures are a multiple of that: a row of a tile is one vector, which is rotated towards a tap's
 * column, so that none is loaded from within a line of the cache; the last two lanes of its sums are none. Or, where rows are no
 * whole vectors and the picture can be cut so, in fields (fields.h). Neither changes a bit:
 *
 *     tiles  [n][strip][c][(row + 2) (column + 2) lane]
 *     part   [n][m][strip][row][column][lane]
 *
 * What a filter reads of a tile lies together, whichever channels it keeps, and of large convolutions a block of the channels
 * stays in near memory for all filters. How many kernels a filter has of a pattern, and of which channels, is looked up in
 * constants; which places a pattern keeps is known when the loops are made (lower_patterns.c).
 */
#ifndef GALI_COMPILER_PROGRAM_PATTERNS_H
#define GALI_COMPILER_PROGRAM_PATTERNS_H

#include "compiler/program/fields.h"
#include "compiler/program/fkw.h"
#include "compiler/program/program.h"

enum { GALI_PATTERNS_MARGIN = 2 /* of a window beside one place */ };

/* A stage of such a convolution. */
typedef struct gali_patterns {
    uint32_t tiles; /* tensor */
    /* tensor: the sums of the blocks before, in fields; GALI_NONE: of the first block, or of no fields */
    uint32_t part;
    uint32_t picture;     /* tensor: of whoever makes tiles, what they are of, before anything is fused */
    gali_fields fields;   /* lanes 0: none; then */
    uint32_t rows, width; /* of results in a tile */
    uint32_t begin[2];    /* zeros before a picture's rows and columns */
    int makes_tiles;      /* it is the stage that makes tiles; else one of the sums */
    int makes_part;       /* it is a sum that stays in fields */
    const gali_fkw_patterns *patterns;
    gali_fkw fkw;
    uint32_t reorder, offset, stride, index, weight; /* tensors: the arrays of fkw */
    uint32_t csr_channel, csr_row, csr_column;       /* tensors, of CSR alone: what each weight reads */
} gali_patterns;

/* Whether tiles can be rotated: a row of one is a vector, of whose lanes results are all but the margin. */
static inline int gali_patterns_rotate(const gali_patterns *patterns, uint32_t lanes) {
    return !patterns->fields.lanes && patterns->width + GALI_PATTERNS_MARGIN == lanes;
}

/* Elements of tiles in fields from a row on to the next. */
static inline uint32_t gali_patterns_row(const gali_fields *fields) {
    return (fields->columns + GALI_PATTERNS_MARGIN) * fields->lanes;
}

/*
 * Puts these stages in place of the convolutions for which they are the cheaper, of a program that is not fused yet. Results are
 * those of the sum, taken in another order: by pattern, by channel, by column, by row; what is infinite or none where a weight
 * was left out is not seen. For which it is done the graph alone decides, and how tiles lie, as the target (NULL: any) has them, changes
 * no bit. GAL_NO_MEMORY.
 */
gal_status gali_program_patterns(gali_program *program, const gali_target *target, gal_error *error);

#endif
