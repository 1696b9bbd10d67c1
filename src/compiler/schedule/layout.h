/*
 * The layout of a constant in the order of the loops that read it: one dimension a loop, outermost first, vectors
 * innermost. A dimension that some load indexes by more than a bare axis (k + 1) stays whole, where its axis' first
 * loop stands. It is chosen when `pack` comes: loops that are cut or moved afterwards read the same layout.
 */
#ifndef GALI_COMPILER_SCHEDULE_LAYOUT_H
#define GALI_COMPILER_SCHEDULE_LAYOUT_H

#include "compiler/schedule/axes.h"

typedef struct gali_layout {
    uint32_t rank; /* 0: none was chosen */
    gali_loop_packed packed[GALI_LOOP_RANK_MAX];
    uint32_t
        node[GALI_LOOP_RANK_MAX]; /* whose place is the index; GALI_NO_AXIS: a whole dimension, or the lanes */
    uint32_t lanes;               /* of the last dimension; 1: it is none of lanes */
} gali_layout;

/* Chooses the layout of a buffer of the expression. NULL, or why there is none. */
const char *gali_layout_choose(const gali_axes *axes, const gali_loop_buffer *buffer, gali_layout *layout);

/* An access of the expression's buffer, in its axes, by the layout. Returns 0 if an index has too many terms. */
int gali_layout_access(const gali_axes *axes, const gali_loop_access *from, const gali_layout *layout,
                       gali_loop_access *access);

#endif
