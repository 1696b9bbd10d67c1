/* Values (sums.h) as layers of a network: the rows between layers, and which layer makes a value. */
#ifndef GALI_RECOGNISE_PARTS_H
#define GALI_RECOGNISE_PARTS_H

#include "recognise/recognise.h"

/* Numbers in one row of v. */
size_t gali_sum_features(const gali_sum *v);

/* A term of v's axes that reads elements first.. of a row in v's own order, one for each place. */
gali_term gali_row_term(const gali_sum *v, uint32_t leaf, uint32_t width, uint32_t first);

/* A row in the place of v. NULL if it failed. */
gali_sum *gali_sum_row(gali_recognised *network, const gali_sum *v, const gali_row_slice *slice);

/* The functions below return 0 if they failed; *made is what the layer makes, whole. */

/* Adds a layer, copied. */
int gali_part_add(gali_recognised *network, const gali_part *part, gali_row_slice *made);

/* v as a row: the one that it is, or a layer's that makes it. */
int gali_part_row(gali_recognised *network, const gali_sum *v, gali_row_slice *slice);

/* A layer that makes activation(v). */
int gali_part_apply(gali_recognised *network, const gali_sum *v, gali_activation activation, double slope,
                    gali_row_slice *made);

/*
 * A sum of rows alone is a layer that adds: whoever multiplies it then has one row, not several. v itself where it is
 * none; NULL if it failed.
 */
gali_sum *gali_part_sum(gali_recognised *network, gali_sum *v);

/* Whether a layer can hold products of terms of v and w: each has one blend and one other row at most. */
int gali_part_blends(const gali_recognised *network, const gali_sum *v, const gali_sum *w);

#endif
