/* What a node Resize does with each axis of its operand, from what is known of its lists. */
#ifndef GALI_GRAPH_OPS_RESIZE_H
#define GALI_GRAPH_OPS_RESIZE_H

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"
#include "graph/scalar.h"

typedef struct gali_resize_axis {
    int plain; /* of scale 1: the input's own */
    gali_extent in, out;
    double scale;                /* 0: out / in, which are not all known, or what running tells */
    double start, end;           /* of the region, for tf_crop_and_resize */
    int place;                   /* in the lists */
    int scale_runs, region_runs; /* running tells the scale, or the region */
} gali_resize_axis;

typedef struct gali_resize_plan {
    int rank;
    gali_resize_axis axis[GALI_RANK_MAX];
} gali_resize_plan;

enum { GALI_RESIZE_X, GALI_RESIZE_REGION, GALI_RESIZE_SCALES, GALI_RESIZE_SIZES };

/* What a rule, a truth and an expression know of the operands. */
typedef struct gali_resize_given {
    const gali_node *node;
    gali_extents *extents;
    const gali_type *x;
    const double *roi, *scales;
    const int64_t *sizes;
    int has_scales, has_sizes; /* lists that are not empty, perhaps not known */
    int64_t count;             /* of the list that is given */
} gali_resize_given;

/* From operands' types and what is known of them: x, roi, scales, sizes. */
gali_resize_given gali_resize_given_of(const gali_node *node, gali_extents *extents,
                                       const gali_type *const *operand, const int64_t *const *known,
                                       const double *const *real);

/* The axes that the lists are for, how many: place[i] is where axis i stands in the lists, -1 where it does not. -1: one that
 * the operand does not have. */
int gali_resize_places(const gali_resize_given *g, int place[GALI_RANK_MAX]);

/* The elements of a list by its type; 0 of NULL, -1 of what is no list. */
int64_t gali_resize_list(const gali_type *type);

/*
 * What is wrong, or NULL. *known: whether scales or sizes are; else the plan has UNKNOWN sizes. A region that is not known
 * is what running tells.
 */
const char *gali_resize_plan_make(const gali_resize_given *g, gali_resize_plan *p, int *known);

#endif
