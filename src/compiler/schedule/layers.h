/* The expressions of the operators that are scheduled: dense layers, blended or not. */
#ifndef GALI_COMPILER_SCHEDULE_LAYERS_H
#define GALI_COMPILER_SCHEDULE_LAYERS_H

#include "compiler/schedule/expression.h"
#include "gallop/network.h"
#include "kernels/kernels.h"

/*
 * y = act(sum_e blend[e] (A_e x + b_e)) for `least` to `most` characters, in the order of kernels.h.
 *
 * Parameters: symbol characters; constant weights[experts][1 + inputs][outputs], biases first; x[characters][inputs];
 * blend[characters][slots] unless experts is 1; expert[characters][slots] where sparse; y[characters][outputs].
 * Axes c, k, n, e; sparse: s over a character's slots, e looked up. Stages: sum, total, y; of the blend form (the
 * paper's equation 5) weight, bias, total, y. The blend form is for several experts, of which it blends those that are used.
 */
typedef struct gali_dense {
    uint32_t experts, slots; /* slots == experts unless sparse */
    uint32_t inputs, outputs;
    gal_form form;
    gali_activation activation; /* of single values: not the softmax */
    float slope;
    int sparse; /* a character uses `slots` of the experts, listed in ascending order */
    int padded; /* rows of y may be written up to a multiple of 16 floats */
    uint32_t least, most;
} gali_dense;

enum { GALI_DENSE_CHARACTERS_MAX = 1024 };

/* The axis over a character's experts: "e", or "s" where it lists them. */
const char *gali_dense_slot(const gali_dense *dense);

/* Whether two are the same but for the characters that they are for. */
int gali_dense_same(const gali_dense *a, const gali_dense *b);

/* Whether characters go one by one: a tile of several shares the weights that it reads, and these share none. */
int gali_dense_is_rowwise(const gali_dense *dense);

/* GAL_BAD_ARGUMENT for a shape of nothing, GAL_NO_MEMORY. */
gal_status gali_dense_expression(const gali_dense *dense, gali_arena *arena, gali_expression **out,
                                 gal_error *error);

#endif
