/*
 * Integers that indices are made of, as a number + sum of scale * atom: what they come to when they are added, divided by
 * extents, compared. Scales are extents, atoms axes, quotients, remainders, or what nobody can look into.
 */
#ifndef GALI_COMPILER_PROGRAM_INDEX_H
#define GALI_COMPILER_PROGRAM_INDEX_H

#include "compiler/program/scalars.h"

/* A sum, difference, product, quotient or remainder in its simplest form, kept; NULL where it stays as it is. */
const gali_scalar *gali_index_simple(gali_scalars *scalars, gali_extents *extents, const gali_scalar_axes *axes,
                                     const gali_scalar *a);

/* Whether a (less, less_equal or equal) b for all axes: 1, 0 if for none, -1 if nobody knows. */
int gali_index_compare(gali_extents *extents, const gali_scalar_axes *axes, gali_scalar_op op,
                       const gali_scalar *a, const gali_scalar *b);

#endif
