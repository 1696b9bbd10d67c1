/*
 * Margins: zeros around a tensor's elements, as its guarded reads want them (guard.h), so that sums over windows read what
 * lies outside like all else, without a test.
 *
 *     y[i] = sum over k of w[k] * (0 <= 2 i + k - 3 < n ? x[2 i + k - 3] : 0)        x[n]
 *     y[i] = sum over k of w[k] * x[2 i + k]                                         x[3 + n + 3], of which n are made
 *
 * Who makes a tensor stores its elements behind the margin's first part; the run sets the margin to 0 before. Numbers, and
 * the order of sums, are the same. The contiguous axis has no margin, so that vectors are where they were.
 */
#ifndef GALI_COMPILER_PROGRAM_MARGIN_H
#define GALI_COMPILER_PROGRAM_MARGIN_H

#include "compiler/program/program.h"

/* Whether a guarded load of the stage (guard.h) is inside of its tensor at all sizes. */
int gali_program_reads_inside(gali_program *program, const gali_program_stage *stage,
                              const gali_scalar *guarded);

/*
 * Copies inputs of the graph that sums over windows read: who is given them has no room for a margin. Guards that
 * inputs do not need go. Before fusion. */
gal_status gali_program_copy_inputs(gali_program *program, gal_error *error);

/* Gives tensors margins where their readers gain, of a program that is laid out. GAL_NO_MEMORY. */
gal_status gali_program_add_margins(gali_program *program, gal_error *error);

/* What emitted C's gali_set_margin (emit/body/margin.inc) wants of a tensor, outermost dimension in memory first. */
typedef struct gali_margin {
    uint32_t rank; /* 0: it has no margin */
    struct {
        gali_extent before, made, whole; /* elements */
    } of[GALI_RANK_MAX];
    gali_extent bytes; /* of what is inside of these dimensions */
} gali_margin;

gali_margin gali_program_margin(const gali_program *program, uint32_t tensor);

#endif
