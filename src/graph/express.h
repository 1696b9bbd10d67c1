/*
 * Expressions: what each element of a node's results is, without an order of loops. The compiler fuses and schedules
 * them; each operator's stands beside its truth (ops/).
 *
 * A list of stages. A stage computes each element of its tensor as a scalar expression of its axes, over elements of
 * operands and earlier stages at any index; or as a reduction over more axes, taken in ascending order, outer axis first:
 *
 *     MatMul      y[i][j] = 0, over k: fma(a[i][k], b[k][j], self)
 *     Transpose   y[i][j] = a[j][i]
 *     Pad         y[i]    = select(0 <= i - 2 < n, a[i - 2], value)
 *
 * How results lie over operands (mapping types) is read off the indices of loads.
 *
 * Index invariant: under the conditions of the selects around it, a load's index is inside its tensor for all values of
 * the axes and, where an index is itself loaded, after the clamp that the expression has around it.
 */
#ifndef GALI_GRAPH_EXPRESS_H
#define GALI_GRAPH_EXPRESS_H

#include "graph/graph.h"

enum { GALI_AXES_MAX = 2 * GALI_RANK_MAX, GALI_STAGES_MAX = 16 };

typedef enum gali_scalar_op {
#define SCALAR(name, arity, kinds, meaning) GALI_SCALAR_##name,
#include "graph/scalars.def"
#undef SCALAR
    GALI_SCALAR_COUNT
} gali_scalar_op;

typedef struct gali_scalar_facts {
    const char *name;
    uint32_t arity;
    const char *kinds, *meaning;
} gali_scalar_facts;

extern const gali_scalar_facts gali_scalar_list[GALI_SCALAR_COUNT];

typedef struct gali_scalar {
    gali_scalar_op op;
    gali_element element;
    const struct gali_scalar *operand[3];
    double real;                                    /* number: of a real */
    int64_t whole;                                  /* number: of an integer or truth value */
    gali_extent extent;                             /* extent */
    uint32_t source;                                /* axis: its number; load: operand; stage: its number */
    const struct gali_scalar *index[GALI_RANK_MAX]; /* load, stage: i64, one for each axis of the tensor */
} gali_scalar;

typedef struct gali_stage_of {
    const char *name;
    int result; /* of the node; -1: a temporary */
    gali_element element;
    uint32_t rank, reduced;            /* axes of its tensor, then those that are reduced */
    gali_extent extent[GALI_AXES_MAX]; /* [rank + reduced] */
    const gali_scalar *start;          /* of a reduction */
    const gali_scalar *value;          /* in a reduction of `self` */
    /* 1 + axis d: its one element, an i64, is extent d of result 0 where only running tells it; or 0 */
    uint32_t tells;
} gali_stage_of;

typedef struct gali_express {
    gali_arena *arena;
    gali_extents *extents;
    const gali_node *node;
    const gali_type *const *operand; /* [operand_count]; NULL: not given. Ranks are known */
    const gali_extent *const *known; /* as in rule.h */
    const double *const *real;       /* as in rule.h */
    const gali_type *result;         /* [result_count] */
    int none;                        /* set where the operator, as it stands here, has no expression */
    uint32_t stage_count;
    gali_stage_of stages[GALI_STAGES_MAX];
} gali_express;

/* The expression of a node of an inferred graph. x->none where there is none. */
gal_status gali_node_express(const gali_graph *graph, const gali_node *node, gali_express *x, gal_error *error);

/* ---- making; NULL in, NULL out: the arena has failed ---- */

/*
 * A stage for result `result` (its element and shape), or for a temporary (-1) with a name, element and shape of its own.
 * Its value is set by the caller. NULL past GALI_STAGES_MAX.
 */
gali_stage_of *gali_x_result(gali_express *x, uint32_t result);
/* Whether the node has that result: an optional one may be left out. */
int gali_x_wants(const gali_express *x, uint32_t result);
gali_stage_of *gali_x_temporary(gali_express *x, const char *name, gali_element element, uint32_t rank,
                                const gali_extent *shape);
/* The stage that tells extent d of result 0. */
void gali_x_tell(gali_express *x, uint32_t d, const gali_scalar *size);
/* Adds an axis to reduce over; returns its number. */
uint32_t gali_x_reduce(gali_stage_of *stage, gali_extent extent);

const gali_scalar *gali_x_axis(gali_express *x, uint32_t axis);
const gali_scalar *gali_x_int(gali_express *x, int64_t number);                         /* an i64 */
const gali_scalar *gali_x_number(gali_express *x, gali_element element, double number); /* of any element */
const gali_scalar *gali_x_whole(gali_express *x, gali_element element,
                                int64_t number);                          /* of any but reals, exact */
const gali_scalar *gali_x_largest(gali_express *x, gali_element element); /* of reals infinity */
const gali_scalar *gali_x_smallest(gali_express *x, gali_element element);
const gali_scalar *gali_x_extent(gali_express *x, gali_extent extent); /* an i64 */
const gali_scalar *gali_x_load(gali_express *x, uint32_t operand, const gali_scalar *const *index);
const gali_scalar *gali_x_stage(gali_express *x, uint32_t stage, const gali_scalar *const *index);
/* An element of a stage that was made earlier. */
const gali_scalar *gali_x_read(gali_express *x, const gali_stage_of *stage, const gali_scalar *const *index);
const gali_scalar *gali_x_self(gali_express *x, gali_element element);
const gali_scalar *gali_x_cast(gali_express *x, gali_element element, const gali_scalar *a);
/* Any operator of scalars.def that has operands; integers that are numbers are computed, + 0 and * 1 vanish. */
const gali_scalar *gali_x_apply(gali_express *x, gali_scalar_op op, const gali_scalar *a, const gali_scalar *b,
                                const gali_scalar *c);

/* The same, of two or three operands. */
const gali_scalar *gali_x_add(gali_express *x, const gali_scalar *a, const gali_scalar *b);
const gali_scalar *gali_x_sub(gali_express *x, const gali_scalar *a, const gali_scalar *b);
const gali_scalar *gali_x_mul(gali_express *x, const gali_scalar *a, const gali_scalar *b);
const gali_scalar *gali_x_div(gali_express *x, const gali_scalar *a, const gali_scalar *b);
const gali_scalar *gali_x_least(gali_express *x, const gali_scalar *a, const gali_scalar *b);
const gali_scalar *gali_x_most(gali_express *x, const gali_scalar *a, const gali_scalar *b);
const gali_scalar *gali_x_equal(gali_express *x, const gali_scalar *a, const gali_scalar *b);
const gali_scalar *gali_x_less(gali_express *x, const gali_scalar *a, const gali_scalar *b);
const gali_scalar *gali_x_and(gali_express *x, const gali_scalar *a, const gali_scalar *b);
const gali_scalar *gali_x_select(gali_express *x, const gali_scalar *truth, const gali_scalar *a,
                                 const gali_scalar *b);
/* An operator of one operand. */
const gali_scalar *gali_x_of(gali_express *x, gali_scalar_op op, const gali_scalar *a);

/* Axes 0..count-1. */
void gali_x_axes(gali_express *x, uint32_t count, const gali_scalar **index);

/*
 * Operand i at the axes of the first result, which it is broadcast to: aligned at the ends, 0 where its extent is the
 * number 1. Where it may be 1 or the result's, which only running tells, the smaller of the axis and its last.
 */
const gali_scalar *gali_x_broadcast(gali_express *x, uint32_t operand, uint32_t rank);

/* An axis of extent `whole` as it stands in an operand with extent `own`, which may be 1. */
const gali_scalar *gali_x_repeated(gali_express *x, const gali_scalar *axis, gali_extent own,
                                   gali_extent whole);

/*
 * A temporary to reduce into: the shape of `type` with 1 in place of the axes whose bits are in `mask`, which are reduced.
 * index[type->rank] gets where the element stands that is reduced now.
 */
gali_stage_of *gali_x_over(gali_express *x, const char *name, gali_element element, const gali_type *type,
                           uint32_t mask, const gali_scalar **index);
/* The element of such a stage that belongs to index[] of the whole. */
const gali_scalar *gali_x_read_over(gali_express *x, const gali_stage_of *stage, uint32_t mask,
                                    const gali_scalar *const *index);
/* Sets the stage to start, then self = op(self, term) for all that is reduced; where nothing is, to term. */
void gali_x_fold(gali_express *x, gali_stage_of *stage, gali_scalar_op op, const gali_scalar *start,
                 const gali_scalar *term);
/* self + a b; of reals rounded once. */
const gali_scalar *gali_x_accumulate(gali_express *x, const gali_stage_of *stage, const gali_scalar *a,
                                     const gali_scalar *b);
/* A sum from 0. */
void gali_x_sum(gali_express *x, gali_stage_of *stage, const gali_scalar *term);
/* How many elements a mask's axes have, as an element. */
const gali_scalar *gali_x_count(gali_express *x, gali_element element, const gali_type *type, uint32_t mask);

/* low <= a < high, both given as scalars. */
const gali_scalar *gali_x_within(gali_express *x, const gali_scalar *a, const gali_scalar *low,
                                 const gali_scalar *high);

/* For ops.def: sets x->none. */
void gali_express_none(gali_express *x);

#endif
