/*
 * What nodes cost, to choose by: multiply-adds, where what takes longer than one counts as several. Sizes that are open are
 * middling ones. What depends on constants alone costs nothing, since it is computed when the graph is compiled.
 */
#ifndef GALI_GRAPH_WORK_H
#define GALI_GRAPH_WORK_H

#include "graph/graph.h"

typedef struct gali_work {
    double steps; /* multiply-adds */
    double reads; /* elements of operands */
} gali_work;

/* The value of each symbol that work is counted for: [symbols], in the arena; NULL without memory. */
const int64_t *gali_work_sizes(const gali_extents *extents, gali_arena *arena);

/*
 * Of a node with operands of those types (NULL: not given); constant: those that are, which are not counted as read.
 */
gali_work gali_node_work(gali_extents *extents, const int64_t *sizes, const gali_node *node,
                         const gali_type *const *operands, const uint8_t *constant, const gali_type *result);

/* Multiply-adds of a graph, bodies apart. 0 without memory. */
double gali_graph_work(const gali_graph *graph);

#endif
