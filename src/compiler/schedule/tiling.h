/*
 * A tiling: how a sum of products is made on a device, y[rows][outputs] = sum over inputs, what a schedule is for CPUs. Its
 * text is a schedule's of these words:
 *
 *     tile 64 128 8; item 8 8; parts 2; images left
 *     few 8; parts 128
 *
 * The first: rows, outputs and inputs of a group's tile in local memory; rows and outputs of an item; items that share an
 * element's inputs; which operands are read through images (none, left, right, both). The second is for few rows, which have no
 * tile: so many rows of a group, and items that share an output's inputs.
 */
#ifndef GALI_COMPILER_SCHEDULE_TILING_H
#define GALI_COMPILER_SCHEDULE_TILING_H

#include <stdint.h>

#include "gallop/base.h"
#include "graph/text.h"

enum { GALI_IMAGE_LEFT = 1, GALI_IMAGE_RIGHT = 2 };

/* depth 0: few rows. Registers of an item are multiples of 4. */
typedef struct gali_tiling {
    uint32_t rows, outputs, depth, row_registers, output_registers, parts;
    uint32_t images; /* bits of GALI_IMAGE_.. */
} gali_tiling;

int gali_tiling_same(const gali_tiling *a, const gali_tiling *b);
void gali_tiling_print(const gali_tiling *tiling, gali_text *text);

/* Errors: GAL_BAD_DATA, with the text. Whether it fits any device is not asked. */
gal_status gali_tiling_parse(gali_tiling *tiling, const char *text, gal_error *error);

#endif
