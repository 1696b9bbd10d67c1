/*
 * Convolutions whose weights follow patterns (fkw.h) as sums over the kernels that are left.
 *
 *     tiles  [n][h / r][w / v][c][r + 2][v + 2]  x with zeros around, in tiles that overlap
 *     part   [n][m][h][w]                       start + sum over patterns, kernels and taps, of a block of the channels
 *     y      [n][m][h][w]                       the same of the last block
 *
 * What a filter reads of a tile lies together, whichever channels it keeps, and of large convolutions a block of the channels
 * stays in near memory for all filters. How many kernels a filter has of a pattern, and of which channels, is looked up in
 * constants; which places a pattern keeps is known when the loops are made (lower_patterns.c).
 */
#ifndef GALI_COMPILER_PROGRAM_PATTERNS_H
#define GALI_COMPILER_PROGRAM_PATTERNS_H

#include "compiler/program/fkw.h"
#include "compiler/program/program.h"

enum { GALI_PATTERNS_MARGIN = 2 /* of a window beside one place */ };

/* A stage of such a convolution. */
typedef struct gali_patterns {
    uint32_t tiles;       /* tensor */
    uint32_t rows, width; /* of results in a tile */
    int makes_tiles;      /* it is the stage that makes them; else one of the sums */
    const gali_fkw_patterns *patterns;
    gali_fkw fkw;
    uint32_t reorder, offset, stride, index, weight; /* tensors: the arrays of fkw */
    uint32_t csr_channel, csr_row, csr_column;       /* tensors, of CSR alone: what each weight reads */
} gali_patterns;

/*
 * Puts these stages in place of the convolutions for which they are the cheaper, of a program that is not fused yet. Results are
 * those of the sum, taken in another order: by pattern, by channel, by column, by row; what is infinite or none where a weight
 * was left out is not seen. Tiles are as wide as the target's vectors (NULL: any's), which changes no bit. GAL_NO_MEMORY.
 */
gal_status gali_program_patterns(gali_program *program, const gali_target *target, gal_error *error);

#endif
