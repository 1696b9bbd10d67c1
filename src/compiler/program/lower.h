/*
 * A group as a function of loops: its stages one after another, each over its axes.
 *
 * A reduction is computed for a strip of its last axis at a time, in a local, so that the innermost loop walks a row of
 * memory and the order of each sum stays the ascending one whatever the vector width.
 */
#ifndef GALI_COMPILER_PROGRAM_LOWER_H
#define GALI_COMPILER_PROGRAM_LOWER_H

#include "compiler/loop/loop.h"
#include "compiler/program/program.h"

/* Which tensor each parameter of the function is, in order. */
typedef struct gali_lowered {
    gali_loop_function *function;
    uint32_t tensors[GALI_LOOP_BUFFERS_MAX];     /* [function->parameters] */
    uint32_t symbols[GALI_EXTENT_ATOMS_MAX * 8]; /* [function->symbols] of the graph's extents */
    int is_parallel;
    gali_extent parallel; /* turns of the loop that may be given out in ranges; loop.h */
} gali_lowered;

/* The verified function of a group. Errors: GAL_UNSUPPORTED past a limit of loops, with the group's node; GAL_NO_MEMORY. */
gal_status gali_program_lower(gali_program *program, uint32_t group, gali_lowered *lowered, gal_error *error);

#endif
