/*
 * Shape rules: types of a node's results from its operands, one function for an operator (ops/), for symbols and for
 * numbers alike. Where operands are small tensors of integers whose elements are known (as extents), a rule may use them
 * and say those of its results.
 */
#ifndef GALI_GRAPH_RULE_H
#define GALI_GRAPH_RULE_H

#include "base/compiler.h"
#include "graph/graph.h"

typedef struct gali_rule {
    gali_graph *graph; /* its arena, its extents; bodies are inferred in place */
    const gali_node *node;
    const gali_type *const *operand;  /* [operand_count]; NULL: not given. A rank may be -1 */
    const gali_extent *const *known;  /* [operand_count] elements as extents; NULL: not known */
    const void *const *constant;      /* [operand_count] data of constants; NULL: none */
    gali_type *result;                /* [result_count] to be filled; rank -1 at first */
    const gali_extent **result_known; /* [result_count] to be filled where known; NULL at first */
    gal_error *error;
    const double *const *real;  /* [operand_count] elements of small tensors of reals; NULL: not known */
    const gali_demand *demands; /* what must hold when it runs, the last first; NULL at first */
} gali_rule;

/* GAL_BAD_DATA, with the node's place. */
GALI_PRINTF(2, 3) gal_status gali_rule_fail(gali_rule *rule, const char *format, ...);

/* Operand i's type; NULL if it is not given. */
const gali_type *gali_rule_operand(const gali_rule *rule, uint32_t i);

/* Whether every given operand's rank is known; a rule that returns GAL_OK without says nothing of its results. */
int gali_rule_ranks_known(const gali_rule *rule);

/* Fails where operand i, if it is given, is not of integers. */
gal_status gali_rule_integers(gali_rule *rule, uint32_t i);

/* Fails where operand i, if it is given, is not of reals. */
gal_status gali_rule_reals(gali_rule *rule, uint32_t i);

/* Fails where an operand is not given, for operators with any number of them. */
gal_status gali_rule_all_given(gali_rule *rule);

/* Fails where operand i, if it is given, has not one element; demands it of extents that are symbols. */
gal_status gali_rule_single(gali_rule *rule, uint32_t i);

/* Fails where operand i, if it is given, is no list with `count` elements; demands it where that is not known. */
gal_status gali_rule_line(gali_rule *rule, uint32_t i, gali_extent count);

/* attribute `name` as an axis of `rank`: -rank..rank-1 to 0..rank-1. */
gal_status gali_rule_axis(gali_rule *rule, int64_t axis, int rank, int *out);

/* Axes of a list as bits; -1 where one is no axis of that rank. */
int64_t gali_axes_mask(const int64_t *axes, size_t count, uint32_t rank);

/*
 * A list of integers given as operand i, or, where that is not given, as attribute `name` (NULL: none). *list is NULL
 * with *count = 0 where it is not known or neither is given: *given tells which.
 */
gal_status gali_rule_list(gali_rule *rule, uint32_t i, const char *name, const gali_extent **list,
                          uint32_t *count, int *given);

/*
 * The same for sizes and places, none of which is negative: where they are not known, a symbol stands for each, which only
 * running tells. What runs checks them.
 */
gal_status gali_rule_sizes(gali_rule *rule, uint32_t i, const char *name, const gali_extent **list,
                           uint32_t *count, int *given);

/* The extent of two that are broadcast: 1 gives way; where only running tells which is 1, an expression of both. */
gali_extent gali_extent_broadcast(gali_extents *extents, gali_extent a, gali_extent b);

/* The same for a rule: fails where two numbers differ, demands that two extents fit. */
gal_status gali_rule_broadcast_extents(gali_rule *rule, gali_extent a, gali_extent b, gali_extent *out);

/* The numpy rule: shapes aligned at their ends; 1 is repeated. Fails where two numbers differ. */
gal_status gali_rule_broadcast_types(gali_rule *rule, const gali_type *a, const gali_type *b, gali_type *out);

/* Fails where operand i, if it is given, is not broadcast to that shape: another one would be larger. */
gal_status gali_rule_broadcast_to(gali_rule *rule, uint32_t i, const gali_type *to);

/* Makes `count` known elements for result i; NULL where that is too many, or without memory. */
gali_extent *gali_rule_knows(gali_rule *rule, uint32_t i, size_t count);

/*
 * For operators that move elements and do not look at them (Gather, Concat, Reshape): makes known the integers of the
 * results, whose types are set, by the truth on extents in place of numbers. Bit i of `moved` says that operand i's
 * elements are moved (bit 31: all operands from 31 on), known or not; those of the others must be numbers. Nothing where
 * all elements are numbers, which gali_graph_infer computes for every operator.
 */
void gali_rule_move_known(gali_rule *rule, uint32_t moved);

/*
 * The extent of two that are the same when the graph runs: a number before an expression. Fails where two numbers differ;
 * what is not known to be the same is demanded (propagate.h, and emitted code checks it).
 */
gal_status gali_rule_same(gali_rule *rule, gali_extent a, gali_extent b, gali_extent *out);

/* Demands that two extents are the same, which the rule has found no contradiction in. */
void gali_rule_demand_same(gali_rule *rule, gali_extent a, gali_extent b);

/* Demands that an extent is another one at most, unless ranges say so. */
void gali_rule_demand_most(gali_rule *rule, gali_extent a, gali_extent b);

/* Fails where an axis that is read has no element; demands one where that is not known. */
gal_status gali_rule_some(gali_rule *rule, gali_extent extent);

/* Says which rank operand i must have, if that is not known. */
void gali_rule_demand_rank(gali_rule *rule, uint32_t i, int rank);

/*
 * A size along axis d of result i that only running tells: a symbol from 0 to the bound (UNKNOWN: no one knows), named of
 * the stem, the same one each time that the graph is inferred.
 */
gali_extent gali_rule_fresh(gali_rule *rule, uint32_t i, int d, const char *stem, gali_extent bound);

#endif
