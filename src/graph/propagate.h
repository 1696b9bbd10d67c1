/*
 * Rank and dimension propagation (Niu 2023, section 5.4.1): shapes and small integers of all values, forward from inputs
 * and constants by the operators' rules, and backward to what inputs leave open, to a fixed point.
 *
 * Forward is gali_graph_infer. Its lattice, of each rank, extent and integer: not inferred yet; a number; a symbol; an
 * expression of symbols; and what only running tells, a symbol of its own with a bound. Where branches of an If or trips
 * of a Loop meet, what differs is of the last kind.
 *
 * Backward stands on demands (graph.h), which the rules notice while they go forward: the inner extents of a product are
 * the same, channels are those of the weights, a reshaped tensor keeps its elements. A demand in which a size of an input
 * stands alone is solved for it, and the graph inferred again without that size. What bodies demand is not asked: they
 * need not run. Demands that are left are for emitted code to check.
 */
#ifndef GALI_GRAPH_PROPAGATE_H
#define GALI_GRAPH_PROPAGATE_H

#include "graph/graph.h"

/*
 * Infers the graph and finds sizes and ranks of its inputs. GAL_BAD_DATA where no size can fulfil a demand, or where the
 * only one is out of its symbol's range; the error names the node.
 */
gal_status gali_graph_propagate(gali_graph *graph, gal_error *error);

/* What is known of a shape before the graph runs. */
typedef enum gali_shape_known {
    GALI_SHAPE_NUMBERS,
    GALI_SHAPE_SYMBOLS,     /* numbers and sizes of inputs */
    GALI_SHAPE_EXPRESSIONS, /* of those */
    GALI_SHAPE_TOLD,        /* has sizes that only running tells, within bounds */
    GALI_SHAPE_UNKNOWN,     /* not even its rank */
    GALI_SHAPE_KNOWN_COUNT
} gali_shape_known;

/* [symbols] 1 of those that are sizes of inputs, which who calls tells; else GALI_EXTENT_UNKNOWN. NULL without memory. */
int64_t *gali_graph_given(const gali_graph *graph, gali_arena *arena);

gali_shape_known gali_shape_is_known(const gali_extents *extents, const gali_type *type, const int64_t *given);

/* Whether sizes are what a demand of extents, SAME, FITS or MOST, says of them. */
int gali_demand_holds(gali_demand_kind kind, int64_t a, int64_t b);

#endif
