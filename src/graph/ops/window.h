/*
 * Windows that move over the spatial axes of a tensor [batch][channels][spatial]..., as extents: sizes, paddings and
 * results of convolutions and pools.
 */
#ifndef GALI_GRAPH_OPS_WINDOW_H
#define GALI_GRAPH_OPS_WINDOW_H

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"

enum { GALI_SPACE_MAX = GALI_RANK_MAX - 2 };

typedef struct gali_window {
    uint32_t rank; /* spatial axes */
    gali_extent in[GALI_SPACE_MAX], kernel[GALI_SPACE_MAX], out[GALI_SPACE_MAX];
    gali_extent begin[GALI_SPACE_MAX], end[GALI_SPACE_MAX]; /* padding */
    int64_t stride[GALI_SPACE_MAX], dilation[GALI_SPACE_MAX];
} gali_window;

/*
 * The window of a node (attributes strides, dilations, pads, auto_pad, ceil_mode) over x; its kernel's extents, or NULL:
 * attribute kernel_shape. What is wrong, or NULL.
 */
const char *gali_window_make(gali_window *w, gali_extents *extents, const gali_node *node, const gali_type *x,
                             const gali_extent *kernel);

/* strides, dilations and the input's sizes alone: what windows of ConvTranspose have in common with the others. */
const char *gali_window_begin(gali_window *w, const gali_node *node, const gali_type *x,
                              const gali_extent *kernel);

/*
 * gali_window_make for a rule, over its first operand: fails with what is wrong, and demands of open sizes that the window is
 * not larger than the input by a stride or more, where an extent would be below 0.
 */
gal_status gali_window_rule(gali_window *w, gali_rule *rule, const gali_extent *kernel);

/* A tensor's type, numbers for extents. */
gali_type gali_type_of_tensor(const gali_tensor *tensor);

/* ---- expressions ---- */

/* Where a window's axes are in a stage: spatial axes of the result from `first` on, and of the kernel, reduced. */
typedef struct gali_window_place {
    const gali_scalar *at[GALI_SPACE_MAX]; /* in the input, perhaps outside it */
    const gali_scalar *inside;             /* whether all are inside; NULL: always */
} gali_window_place;

/* kernel[] are the axes of the kernel; where its extent is 1 they may be the number 0. */
gali_window_place gali_window_at(gali_express *x, const gali_window *w, uint32_t first,
                                 const gali_scalar *const *kernel);

/* Adds the kernel's axes to be reduced; those of extent 1 are the number 0. */
void gali_window_reduce(gali_express *x, gali_stage_of *stage, const gali_window *w,
                        const gali_scalar **kernel);

/* inside ? value : other; value where it is always inside. */
const gali_scalar *gali_window_guard(gali_express *x, const gali_scalar *inside, const gali_scalar *value,
                                     const gali_scalar *other);

/* ---- truths ---- */

/* Whether the window at out[] with kernel[] is inside the input; at[] gets where. */
int gali_window_inside(const gali_window *w, const int64_t *out, const int64_t *kernel, int64_t *at);

#endif
