/*
 * Which form (and so which layout) each operator of a graph is computed in, so that the whole takes the least: the costs of
 * operators in their forms, and on each edge that of the change of layout between them (Niu 2023, equation 4.1, with the
 * operator's own cost in the recurrence 4.2, which the printed one lacks).
 *
 * Exact where taking away operators that have one neighbour or two ends it: chains, trees, residual blocks and whatever is nested of
 * those; and where what is left has at most `most` operators. Past that the rest is cut into parts of so many, each
 * searched exhaustively with its surroundings as they are, again and again until none changes.
 */
#ifndef GALI_COMPILER_EMIT_HVX_SELECT_H
#define GALI_COMPILER_EMIT_HVX_SELECT_H

#include "gallop/base.h"

enum {
    GALI_SELECT_FORMS = 3,
    GALI_SELECT_NODES_MAX = 4096,
    GALI_SELECT_PART = 13, /* of the paper's two sizes of parts the one that is as good and fast */
    GALI_SELECT_PART_MAX = 17,
};

/* Costs are packets, 0..2^40; a form that an operator has not costs GALI_SELECT_NEVER. */
#define GALI_SELECT_NEVER ((int64_t)1 << 50)

typedef struct gali_select_edge {
    uint32_t from, to; /* different operators; between two of them there may be several edges */
    int64_t cost[GALI_SELECT_FORMS][GALI_SELECT_FORMS]; /* [form of from][form of to] */
} gali_select_edge;

typedef struct gali_select_graph {
    uint32_t node_count, edge_count;
    const int64_t (*nodes)[GALI_SELECT_FORMS];
    const gali_select_edge *edges;
} gali_select_graph;

typedef struct gali_select_plan {
    int64_t cost;
    uint64_t work; /* choices looked at, for tests of the search's own cost */
    int exact;     /* proven the least */
} gali_select_plan;

/* forms[node_count] gets the choice; most: operators of a part, 1..GALI_SELECT_PART_MAX. Errors: GAL_BAD_ARGUMENT, GAL_NO_MEMORY. */
gal_status gali_select_forms(const gali_select_graph *graph, uint32_t most, uint8_t *forms,
                             gali_select_plan *plan, gal_error *error);

/* What a choice costs, in all. */
int64_t gali_select_cost(const gali_select_graph *graph, const uint8_t *forms);

#endif
