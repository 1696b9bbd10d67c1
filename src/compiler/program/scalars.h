/*
 * Scalars of a program, each kept once: two are the same exactly if their pointers are. What is made of others is made
 * simpler where it can be:
 *
 *     indices     (26 i + j) / 26 is i, and its remainder j, where j < 26: so Reshape, Transpose and Reshape again read
 *                 as what they come to
 *     conditions  those that hold, or fail, for all axes, and selects by them
 *
 * No number that a stage computes is changed, but for integers, which are exact.
 */
#ifndef GALI_COMPILER_PROGRAM_SCALARS_H
#define GALI_COMPILER_PROGRAM_SCALARS_H

#include "compiler/program/program.h"

typedef struct gali_scalars gali_scalars;

/* In the arena; NULL (and the arena failed) without memory. */
gali_scalars *gali_scalars_make(gali_arena *arena, gali_extents *extents);

/* The scalar with that content. NULL without memory. */
const gali_scalar *gali_scalars_keep(gali_scalars *scalars, const gali_scalar *content);

/* What an axis of a stage is made anew with: extents of its axes, [count]; each is 0 <= axis < extent. */
typedef struct gali_scalar_axes {
    const gali_extent *extent;
    uint32_t count;
} gali_scalar_axes;

/* The scalar, or what is the same and simpler. Its parts are kept and simple already. NULL in, NULL out. */
const gali_scalar *gali_scalars_simple(gali_scalars *scalars, const gali_scalar_axes *axes,
                                       const gali_scalar *content);

/* What takes the place of a kept scalar, whose parts are new already: itself, or another. */
typedef const gali_scalar *gali_scalar_replace(void *who, const gali_scalar *a);

/* A scalar made anew, part by part from the inside; parts that are there twice are made once. */
typedef struct gali_scalar_maker {
    gali_scalars *scalars;
    gali_arena *arena; /* for the making alone */
    gali_scalar_axes axes;
    gali_scalar_replace *replace;
    void *who;
    struct gali_scalar_made *made[64];
} gali_scalar_maker;

/* NULL in, NULL out; NULL without memory. */
const gali_scalar *gali_scalar_make(gali_scalar_maker *maker, const gali_scalar *a);

#endif
