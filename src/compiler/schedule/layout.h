/*
 * The layout of a constant in the order of the loops that read it: one dimension a loop, outermost first, vectors
 * innermost. A dimension that some load indexes by more than a bare axis (k + 1) stays whole, where its axis' first
 * loop stands.
 */
#ifndef GALI_COMPILER_SCHEDULE_LAYOUT_H
#define GALI_COMPILER_SCHEDULE_LAYOUT_H

#include "compiler/schedule/axes.h"

/* Gives `to`, a copy of the expression's buffer `from`, its layout. NULL, or why not. */
const char *gali_layout_choose(const gali_axes *axes, const gali_loop_buffer *from, gali_loop_buffer *to);

/* An access of `from`, in the expression's axes, by the layout of `to`. Returns 0 if an index has too many terms. */
int gali_layout_access(const gali_axes *axes, const gali_loop_access *from, const gali_loop_buffer *to,
                       gali_loop_access *access);

#endif
