/*
 * One side of a rule as a tree: Mul(Reciprocal(a), Reciprocal(Mul(a, b))). Letters are values, numbers constants, the rest
 * operators. Nodes stand in an order in which each uses earlier ones; the last is the whole.
 */
#ifndef GALI_GRAPH_PATTERN_H
#define GALI_GRAPH_PATTERN_H

#include "graph/graph.h"

enum { GALI_PATTERN_NODES_MAX = 16, GALI_PATTERN_LETTERS = 26 };

typedef enum gali_pattern_kind { GALI_PATTERN_LETTER, GALI_PATTERN_NUMBER, GALI_PATTERN_OP } gali_pattern_kind;

typedef struct gali_pattern_node {
    gali_pattern_kind kind;
    uint32_t letter; /* of a letter: 0 of a */
    double number;
    gali_op op;
    uint32_t operand_count, operands[2];
    uint32_t swap; /* bit of an operator whose two operands may change places; 0: they may not */
} gali_pattern_node;

typedef struct gali_pattern {
    uint32_t count, swaps; /* swaps: how many operators have a bit */
    gali_pattern_node nodes[GALI_PATTERN_NODES_MAX];
} gali_pattern;

/* 0 where the text is no pattern, or has too many nodes. */
int gali_pattern_parse(gali_pattern *pattern, const char *text);

/* How many operands of an operator are written in patterns: those behind are as attributes of a reduction (its axes). */
int gali_pattern_fits(const gali_node *node, uint32_t operand_count);

#endif
