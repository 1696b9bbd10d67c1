/* What passes share that put other stages in place of convolutions, in a program that is not fused yet. */
#ifndef GALI_COMPILER_PROGRAM_CONVOLUTION_H
#define GALI_COMPILER_PROGRAM_CONVOLUTION_H

#include "compiler/program/program.h"
#include "graph/ops/window.h"

enum { GALI_CONV_WINDOW = 3 };

/* A convolution [n][c][d..][h][w] whose window is 3x3 in its last axes, of step 1, by constant weights. */
typedef struct gali_conv {
    const gali_program_stage *stage;
    uint32_t x, w;  /* tensors */
    uint32_t plain; /* spatial axes before the last two */
    gali_window window;
    gali_extent rows, columns; /* of tiles, set by who makes them */
} gali_conv;

/* Whether the stage is one. */
int gali_program_conv(const gali_program *program, const gali_program_stage *stage, gali_conv *conv);

/* The program's stages as they are made anew. */
typedef struct gali_replacing {
    gali_program *p;
    gali_program_stage *stages;
    uint32_t stage_count, tensor_capacity;
    uint32_t *place; /* [stages as they were + 1] where their first one stands now */
    gali_express x;
} gali_replacing;

/*
 * Begins: `most` is what a stage is replaced by at most. Ends: the program has the new stages, and steps, blocks and tensors
 * follow them; in between the caller sets place[] and adds stages. `what` is for the message. GAL_NO_MEMORY.
 */
gal_status gali_replacing_begin(gali_replacing *r, gali_program *program, uint32_t most, const char *what,
                                gal_error *error);
gal_status gali_replacing_end(gali_replacing *r, const char *what, gal_error *error);

/* Whether there is a convolution at all, and the ranges of sizes, as they are before, are known. */
int gali_replacing_has_convs(gali_program *program);

/* A tensor or a constant of its own memory; 0, and the arena has failed, without memory. */
uint32_t gali_replacing_tensor(gali_replacing *r, const gali_program_tensor *tensor);
uint32_t gali_replacing_constant(gali_replacing *r, const char *name, const gali_type *type, const void *data);

/* An element of a tensor at index[rank]. */
const gali_scalar *gali_replacing_load(gali_replacing *r, uint32_t tensor, const gali_scalar *const *index);

/* A stage of the convolution that makes a tensor of f32 of that shape; its value, and its start unless that is 0, are set then. */
gali_program_stage *gali_replacing_stage(gali_replacing *r, const gali_conv *conv, const char *name,
                                         uint32_t stretch, uint32_t rank, const gali_extent *shape);

/* Adds an axis that is summed over. */
const gali_scalar *gali_replacing_reduce(gali_replacing *r, gali_program_stage *stage, gali_extent extent);

#endif
