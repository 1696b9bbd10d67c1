/* Between a picture and the tiles of a sum over patterns: in fields (lower_fields.c), or of columns (lower_columns.c). */
#ifndef GALI_COMPILER_LOWER_PICTURES_H
#define GALI_COMPILER_LOWER_PICTURES_H

#include "compiler/lower/lowering.h"
#include "compiler/program/patterns.h"

/* Some rows of a strip. */
typedef struct gali_lower_strip {
    const gali_fields *fields;
    gali_loop_index strip, row; /* which strip, and the first of its rows */
    uint32_t rows;
    const gali_loop_buffer *made; /* local [rows * columns][lanes]: their numbers */
} gali_lower_strip;

/* The stage that makes tiles of columns, in vectors, where these lie last in what it reads, and are read as the tile's are; else 0. */
int gali_lower_into_columns(gali_lowering *l);

/* The stage that makes tiles in fields; 0 where what makes the picture was fused into it, or it is not float32. */
int gali_lower_into_fields(gali_lowering *l);

/* Whether what finishes the stage's sum is the same for all places of a picture, so that it is done in vectors. */
int gali_lower_finishes_alike(const gali_lowering *l);

/* The stage's result, of the filter that is its axis 1, from what was made; `finish` is what becomes of that. */
void gali_lower_out_of_fields(gali_lowering *l, const gali_lower_strip *strip, const gali_scalar *finish);

#endif
