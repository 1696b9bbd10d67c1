/*
 * A graph while it is rewritten, for the files that do.
 *
 *     rewrite.c          what is there twice, partitions, the choice of a rule
 *     rewrite_pattern.c  rules that are patterns: where one fits, what it saves, its use
 *     rewrite_fold.c     rules that compute weights
 *     rewriting.c        nodes that come and go
 *
 * Nodes keep their numbers until all is done: those that are gone are marked, new ones stand behind the others, and a list
 * has the order. Values that another stands for are looked up when they are read (gali_rewriting_renew).
 */
#ifndef GALI_GRAPH_REWRITING_H
#define GALI_GRAPH_REWRITING_H

#include "graph/pattern.h"
#include "graph/rewrite.h"
#include "graph/work.h"

typedef struct gali_rewriting {
    gali_graph *graph;
    int fast;
    const int64_t *sizes;           /* work.h */
    uint32_t node_room, value_room; /* that the arrays are for: past it nothing is rewritten any more */
    uint32_t *uses;                 /* [value_room] operands and outputs that a value is */
    uint32_t *stands;               /* [value_room] the value in its place; itself */
    uint8_t *constant;              /* [value_room] it depends on constants alone */
    uint8_t *output;                /* [value_room] it is an output */
    uint8_t *gone;                  /* [node_room] */
    uint32_t *next, *previous;      /* [node_room + 1] the order, a ring from node_room to node_room */
    uint32_t part_count;
    uint32_t *part;  /* [node_room] the node's partition; GALI_NONE: none */
    uint32_t *other; /* [node_room] another node of the partition; GALI_NONE: that was the last */
    uint32_t *head;  /* [node_room] of partitions */
} gali_rewriting;

/* ---- rewriting.c ---- */

/* sizes: of the graph's extents (work.h). 0 without memory. */
int gali_rewriting_begin(gali_rewriting *r, gali_graph *graph, int fast, const int64_t *sizes);

/* Brings the graph's nodes in order, those that are gone left out. */
void gali_rewriting_end(gali_rewriting *r);

/* The value that stands in place of one. */
uint32_t gali_rewriting_value(const gali_rewriting *r, uint32_t value);

/* Sets a node's operands to what stands in their place. */
void gali_rewriting_renew(const gali_rewriting *r, gali_node *node);

/* Whether so many nodes and values may be added. */
int gali_rewriting_has_room(const gali_rewriting *r, uint32_t count);

/* Numbers of a new value. GALI_NONE without memory. */
uint32_t gali_rewriting_add_value(gali_rewriting *r, const gali_type *type, int constant);

/* Adds a node, before another one in the order and in its partition. GALI_NONE without memory. */
uint32_t gali_rewriting_add_node(gali_rewriting *r, const gali_node *node, uint32_t before);

/* The node is gone, and all that nobody reads without it. */
void gali_rewriting_drop(gali_rewriting *r, uint32_t node);

/* Those who read `value` read `by` instead, which is no output then. */
void gali_rewriting_replace(gali_rewriting *r, uint32_t value, uint32_t by);

/* What a node costs, with operands as they are. */
gali_work gali_rewriting_work(const gali_rewriting *r, uint32_t node);

/* ---- rewrite_pattern.c ---- */

enum { GALI_REWRITE_NODES = 8 };

/* What a pattern's node is, or is to be, in the graph. */
typedef struct gali_fitted {
    uint32_t value; /* GALI_NONE: it is to be made */
    uint32_t like;  /* the node whose attributes it gets; GALI_NONE: none */
    gali_type type;
    int constant;
} gali_fitted;

/* A rule at a node. */
typedef struct gali_fitting {
    gali_rewrite rule;
    uint32_t node; /* that it is used at; GALI_NONE: nothing fits */
    gali_work saved;
    gali_fitted made[GALI_PATTERN_NODES_MAX]; /* of `after` */
} gali_fitting;

/* All patterns, both sides, parsed. */
typedef struct gali_patterns {
    gali_pattern before[GALI_REWRITE_COUNT], after[GALI_REWRITE_COUNT];
    uint8_t known[GALI_OP_COUNT]; /* operators that some rule speaks of */
} gali_patterns;

/* NULL without memory, or where rules.def has no pattern where one should be. */
const gali_patterns *gali_patterns_make(gali_arena *arena);

/* Puts the rule's use at the node in *best if it saves more than that. */
void gali_rewrite_fit(gali_rewriting *r, const gali_patterns *patterns, gali_rewrite rule, uint32_t node,
                      gali_fitting *best);
void gali_rewrite_apply(gali_rewriting *r, const gali_patterns *patterns, const gali_fitting *fitting);

/* Whether one saves more than the other. */
int gali_work_is_more(gali_work a, gali_work b);

/* ---- rewrite_fold.c ---- */

/* The same for the coded rules. */
void gali_rewrite_fit_fold(gali_rewriting *r, uint32_t node, gali_fitting *best);
void gali_rewrite_apply_fold(gali_rewriting *r, const gali_fitting *fitting);

#endif
