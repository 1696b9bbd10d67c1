#include "compiler/tune/trees.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF_ROWS = 3 };
static const float rate = 0.2f;

typedef struct learner {
    const float *x;
    float *left;     /* [rows] what is not explained yet */
    uint32_t *order; /* [rows] rows, grouped by node */
    uint32_t width;
    gali_tree_node *tree;
} learner;

/* A row with the value that rows are sorted by: qsort has no context. */
typedef struct keyed {
    float key;
    uint32_t row;
} keyed;

static int by_key(const void *a, const void *b) {
    const keyed *p = a, *q = b;
    return p->key != q->key ? (p->key > q->key) - (p->key < q->key) : (p->row > q->row) - (p->row < q->row);
}

typedef struct split {
    uint32_t feature;
    float threshold;
    double gain;
} split;

static double sum_of(const learner *l, const uint32_t *rows, uint32_t count) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += l->left[rows[i]];
    }
    return sum;
}

/* The best threshold of one feature: the squared error falls by s1^2 / n1 + s2^2 / n2 - s^2 / n. */
static void try_feature(const learner *l, const uint32_t *rows, uint32_t count, uint32_t feature, keyed *keys,
                        split *best) {
    double all = sum_of(l, rows, count), below = 0;
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = (keyed){l->x[(size_t)rows[i] * l->width + feature], rows[i]};
    }
    qsort(keys, count, sizeof *keys, by_key);
    for (uint32_t i = 0; i + 1 < count; i++) {
        below += l->left[keys[i].row];
        uint32_t n = i + 1;
        if (keys[i].key == keys[i + 1].key || n < LEAF_ROWS || count - n < LEAF_ROWS) {
            continue;
        }
        double above = all - below;
        double gain = below * below / n + above * above / (count - n) - all * all / count;
        if (gain > best->gain) {
            *best = (split){feature, 0.5f * (keys[i].key + keys[i + 1].key), gain};
        }
    }
}

/* Moves the rows that go to the first child to the front; returns how many. */
static uint32_t part(const learner *l, uint32_t *rows, uint32_t count, const split *s) {
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (l->x[(size_t)rows[i] * l->width + s->feature] <= s->threshold) {
            uint32_t row = rows[i];
            rows[i] = rows[first];
            rows[first++] = row;
        }
    }
    return first;
}

static void grow(const learner *l, uint32_t node, uint32_t depth, uint32_t *rows, uint32_t count, keyed *keys) {
    split best = {0, 0, 1e-9};
    for (uint32_t f = 0; f < l->width && depth < GALI_TREE_DEPTH && count >= 2 * LEAF_ROWS; f++) {
        try_feature(l, rows, count, f, keys, &best);
    }
    l->tree[node] =
        (gali_tree_node){.feature = best.feature, .threshold = best.threshold, .leaf = best.gain <= 1e-9};
    if (l->tree[node].leaf) {
        l->tree[node].value = count ? rate * (float)(sum_of(l, rows, count) / count) : 0;
        return;
    }
    uint32_t first = part(l, rows, count, &best);
    grow(l, 2 * node + 1, depth + 1, rows, first, keys);
    grow(l, 2 * node + 2, depth + 1, rows + first, count - first, keys);
}

static float follow(const gali_tree_node *tree, const float *x) {
    uint32_t node = 0;
    while (!tree[node].leaf) {
        node = 2 * node + (x[tree[node].feature] <= tree[node].threshold ? 1 : 2);
    }
    return tree[node].value;
}

int gali_trees_learn(gali_trees *trees, const float *x, const float *y, uint32_t rows, uint32_t width) {
    learner l = {.x = x, .width = width};
    keyed *keys = malloc((rows + 1) * sizeof *keys);
    l.left = malloc((rows + 1) * sizeof *l.left);
    l.order = malloc((rows + 1) * sizeof *l.order);
    int good = keys && l.left && l.order;
    if (good) {
        double sum = 0;
        for (uint32_t i = 0; i < rows; i++) {
            sum += y[i];
            l.order[i] = i;
        }
        trees->base = rows ? (float)(sum / rows) : 0;
        for (uint32_t i = 0; i < rows; i++) {
            l.left[i] = y[i] - trees->base;
        }
        for (trees->count = 0; trees->count < GALI_TREES; trees->count++) {
            l.tree = trees->tree[trees->count];
            grow(&l, 0, 0, l.order, rows, keys);
            for (uint32_t i = 0; i < rows; i++) {
                l.left[i] -= follow(l.tree, x + (size_t)i * width);
            }
        }
    }
    free(keys);
    free(l.left);
    free(l.order);
    return good;
}

float gali_trees_predict(const gali_trees *trees, const float *x) {
    float value = trees->base;
    for (uint32_t i = 0; i < trees->count; i++) {
        value += follow(trees->tree[i], x);
    }
    return value;
}
