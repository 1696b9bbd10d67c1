/*
 * Gradient-boosted regression trees, small: the cost model that a search learns as it goes. Each tree fits what the ones
 * before it leave, by splits that take off most of the squared error (Friedman 2001).
 */
#ifndef GALI_COMPILER_TUNE_TREES_H
#define GALI_COMPILER_TUNE_TREES_H

#include <stddef.h>
#include <stdint.h>

enum { GALI_TREES = 40, GALI_TREE_DEPTH = 4, GALI_TREE_NODES = (1 << (GALI_TREE_DEPTH + 1)) - 1 };

typedef struct gali_tree_node {
    uint32_t feature; /* goes to node 2 i + 1 where x[feature] <= threshold, else to 2 i + 2 */
    float threshold, value;
    int leaf;
} gali_tree_node;

typedef struct gali_trees {
    float base;
    uint32_t count;
    gali_tree_node tree[GALI_TREES][GALI_TREE_NODES];
} gali_trees;

/* Learns y[rows] from x[rows][width]. Returns 0 without memory; the model then stays as it was. */
int gali_trees_learn(gali_trees *trees, const float *x, const float *y, uint32_t rows, uint32_t width);

/* What the model expects of x[width]; the mean of what it learned where it has no trees, 0 before it learned. */
float gali_trees_predict(const gali_trees *trees, const float *x);

#endif
