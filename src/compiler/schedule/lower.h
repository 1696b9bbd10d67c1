/* From axes and the places of stages to loops. */
#ifndef GALI_COMPILER_SCHEDULE_LOWER_H
#define GALI_COMPILER_SCHEDULE_LOWER_H

#include "compiler/schedule/layout.h"

/* What a schedule says of a stage. */
typedef struct gali_stage_place {
    uint32_t at;    /* computed inside of this leaf's loop, or GALI_NO_AXIS: in loops of its own */
    uint32_t entry; /* of the schedule that said so, for messages */
    int inlined, tensorized;
} gali_stage_place;

typedef struct gali_lowering {
    gali_axes *axes;
    const gali_expression *expression;
    gali_stage_place place[GALI_EXPRESSION_STAGES_MAX];
    gali_loop_buffer *buffer[GALI_LOOP_BUFFERS_MAX]; /* of the function, by the expression's buffer */
    gali_layout layout[GALI_LOOP_BUFFERS_MAX];       /* of constants that are packed, likewise */
    uint32_t parallel;                               /* entry of the schedule that asked for it, or 0 */
    uint32_t entry;                                  /* on failure: what the message is about, if not 0 */
    const char *why;                                 /* on failure */
} gali_lowering;

/* Fills the function's body. Returns 0 with `why` set. */
int gali_lower(gali_lowering *lowering);

#endif
