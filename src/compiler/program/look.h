/* What a stage does and reads, as fusion looks at it. */
#ifndef GALI_COMPILER_PROGRAM_LOOK_H
#define GALI_COMPILER_PROGRAM_LOOK_H

#include "compiler/program/program.h"

enum { GALI_LOOK_LOADS_MAX = 96 };

typedef struct gali_look {
    uint32_t size;    /* scalars */
    uint32_t work;    /* scalars that compute numbers: no indices, no selects, no conditions of indices */
    uint32_t selects; /* of numbers */
    uint32_t depth;   /* of the deepest of its trees, indices in it too */
    double tree;      /* scalars of its trees, where one that is used twice stands twice */
    uint32_t
        load_count; /* distinct ones, those in indices too; more than GALI_LOOK_LOADS_MAX are counted, not listed */
    const gali_scalar *load[GALI_LOOK_LOADS_MAX];
    int in_index[GALI_LOOK_LOADS_MAX]; /* the load is (also) part of an index */
    int axes;                          /* an axis is used outside of indices of loads */
    uint32_t
        hard; /* scalars of axes that are more than sums and products of integers; of indices those that are real */
} gali_look;

/* Of a stage whose scalars are kept (scalars.h). 0 without memory. */
int gali_program_look(const gali_program_stage *stage, gali_look *look);

/* Loads of the tensor. */
uint32_t gali_look_loads(const gali_look *look, uint32_t tensor);

/* The only load of the tensor; NULL: there is none, or more. */
const gali_scalar *gali_look_load(const gali_look *look, uint32_t tensor);

/* Whether load's index is the stage's own axes 0..rank-1; an axis of extent 1 may be 0 instead. */
int gali_look_is_own(const gali_program_stage *stage, const gali_scalar *load);

/* Whether an axis is in it, in indices too. NULL: no. */
int gali_look_has_axis(const gali_scalar *a, uint32_t axis);

/* Whether the load is part of the scalar, outside of indices. */
int gali_look_has_load(const gali_scalar *a, const gali_scalar *load);

/* Whether the load reads another element for another place along the axis. */
int gali_look_reads_along(const gali_scalar *load, uint32_t axis);

/*
 * Whether the sum of a stage can be computed for many of its results at a time, along one of its axes: everything that it
 * reads and that is no constant stands still along that axis, or is read in a row, as its tensor has it.
 */
int gali_look_has_rows(const gali_program *p, const gali_program_stage *stage, const gali_look *look);

#endif
