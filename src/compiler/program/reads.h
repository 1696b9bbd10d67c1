/* What a stage reads, and how each index moves with the stage's axes: its mapping, as passes look at it. */
#ifndef GALI_COMPILER_PROGRAM_READS_H
#define GALI_COMPILER_PROGRAM_READS_H

#include "compiler/program/program.h"

/* How an index moves when an axis goes on by one. */
typedef enum gali_step {
    GALI_STEP_NONE,  /* not at all */
    GALI_STEP_SAME,  /* the index is the axis */
    GALI_STEP_ONE,   /* by one */
    GALI_STEP_EDGE,  /* by one, and it may stand before the tensor's first element */
    GALI_STEP_OTHER, /* by any number, or nobody knows */
} gali_step;

typedef struct gali_program_read {
    uint32_t tensor;
    int outside;                                /* once for each element, not for each step of its sum */
    uint8_t step[GALI_RANK_MAX][GALI_AXES_MAX]; /* [axis of the tensor][axis of the stage] */
    struct gali_program_read *next;
} gali_program_read;

/* The loads of a stage, those in indices too, in the arena; the same load is there once. NULL: none, or it has failed. */
const gali_program_read *gali_program_reads(const gali_program_stage *stage, gali_arena *arena);

/*
 * How a sum goes on: add (also by fma), most or least, where its value is that of `self`, which stands nowhere else, and
 * a term, of f32; COUNT: in another way.
 */
gali_scalar_op gali_program_sum_op(const gali_program_stage *stage);

/* The stage's, by its shape alone, so that bits are the same for all targets and tiles; of 0, 0 for one ascending sum. */
gali_sum_blocks gali_program_sum_blocks(const gali_program_stage *stage);

#endif
