/* Loads that are 0 outside of what they read: select(0 <= index and index < extent, load at index, 0), as convolutions have them. */
#ifndef GALI_COMPILER_PROGRAM_GUARD_H
#define GALI_COMPILER_PROGRAM_GUARD_H

#include "compiler/program/program.h"

/* An integer as constant + sum of scale[i] * axis i of a stage. */
typedef struct gali_affine {
    gali_extent constant;
    int64_t scale[GALI_AXES_MAX];
} gali_affine;

/* Whether a scalar is one; *out is it then. */
int gali_program_affine(const gali_program *program, const gali_scalar *a, gali_affine *out);

/* The axes of the tensor that a guarded load may leave, as bits; 0 where the scalar is none. */
uint32_t gali_program_guarded_axes(const gali_program *program, const gali_scalar *a);

/* The load in select(its indices are inside, load, 0), where indices are affine; else NULL. */
const gali_scalar *gali_program_guarded(const gali_program *program, const gali_scalar *a);

#endif
