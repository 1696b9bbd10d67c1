/*
 * The axes of an expression while a schedule is applied: a tree under each root axis, and the order of the leaves,
 * which are the loops.
 *
 * A node is a leaf; or it is split into outer and inner; or it is fused with another into a leaf. Where a node stands
 * within its extent follows from the leaves below it:
 *     split evenly        outer * factor + inner
 *     split unevenly      first + inner, and a let defines first (and the part's size) from the outer one
 *     fused               a let's quotient or remainder of the fused leaf
 */
#ifndef GALI_COMPILER_SCHEDULE_AXES_H
#define GALI_COMPILER_SCHEDULE_AXES_H

#include "compiler/schedule/schedule.h"

enum { GALI_AXIS_NODES_MAX = 40, GALI_NO_AXIS = 0xFFFF };

typedef enum gali_axis_state { GALI_AXIS_LEAF, GALI_AXIS_SPLIT, GALI_AXIS_FUSED } gali_axis_state;

typedef struct gali_axis_node {
    char name[GALI_LOOP_NAME_MAX];
    uint32_t roots; /* bits of the expression's axes; one but for a fused leaf */
    gali_axis_state state;
    gali_loop_index extent;       /* a number, a symbol or a let's variable */
    uint32_t least, most;         /* values of the extent */
    gali_loop_variable *variable; /* a leaf's loop variable, a fused node's let */
    gali_loop_mark mark;
    uint32_t turns;                /* of the mark */
    uint32_t outer, inner, factor; /* SPLIT; inner of a FUSED one is the leaf */
    int remainder;                 /* FUSED: it was the inner one of the two */
    uint32_t parent;               /* GALI_NO_AXIS of a root */
    gali_loop_variable *first;     /* SPLIT unevenly: where the part starts; else NULL */
    gali_loop_variable *count,
        *size;      /* number of parts, size of a part, where they are no numbers; else NULL */
    int open, zero; /* while lowering: inside of its loop; taken to stand at 0 */
} gali_axis_node;

typedef struct gali_axes {
    const gali_expression *expression;
    gali_loop_function *function; /* that is made */
    uint32_t nodes, leaves;
    gali_axis_node node[GALI_AXIS_NODES_MAX]; /* the roots first, in the expression's order */
    uint32_t order[GALI_AXIS_NODES_MAX];
    uint32_t reduced;       /* bits of the roots that some stage sums over */
    uint32_t vector, lanes; /* the root that counts vectors, or GALI_NO_AXIS, 1 */
} gali_axes;

/* The roots, whole, in the expression's order; function has the symbols alone. */
void gali_axes_begin(gali_axes *axes, const gali_expression *expression, gali_loop_function *function);

/* The leaf of that name, or GALI_NO_AXIS. */
uint32_t gali_axes_find(const gali_axes *axes, const char *name);

/* Primitives. NULL, or why not. */
const char *gali_axes_split(gali_axes *axes, uint32_t leaf, uint32_t factor);
const char *gali_axes_reorder(gali_axes *axes, uint32_t leaf, uint32_t before);
const char *gali_axes_fuse(gali_axes *axes, uint32_t outer, uint32_t inner);
const char *gali_axes_vectorize(gali_axes *axes, uint32_t leaf, uint32_t lanes);
const char *gali_axes_mark(gali_axes *axes, uint32_t leaf, gali_loop_mark mark, uint32_t turns);

/* Whether every loop stands inside of those that say how long it is, and sums run over their axes in order. */
int gali_axes_order_holds(const gali_axes *axes);

/* Where a node stands, in its own units. Returns 0 if that has too many terms. */
int gali_axes_position(const gali_axes *axes, uint32_t node, gali_loop_index *position);

/* Elements of the root that a step of the node is. */
uint32_t gali_axes_scale(const gali_axes *axes, uint32_t node);

/* An index over the expression's axes as one over the function's variables. Returns 0 if that has too many terms. */
int gali_axes_translate(const gali_axes *axes, const gali_loop_index *from, gali_loop_index *to);

/* The expression's axis of a variable, or GALI_NO_AXIS for a symbol. */
uint32_t gali_axes_root(const gali_axes *axes, const gali_loop_variable *variable);

#endif
