/*
 * Values as sums of products: the algebra in which all spellings of a blended layer look alike.
 *
 *     value[axes] = sum over terms of   scale * leaf[..] * leaf[..] * ...   summed over the term's inner axes
 *
 * A leaf is an array: a constant of the file, or a row that depends on the graph's inputs (the inputs themselves, a
 * layer's output, a blend). Each factor reads its leaf at a place linear in the axes, as a strided view does. So
 * transposing, slicing, expanding, splitting and joining axes only rewrites strides, adding joins the lists of
 * terms, and multiplying with a sum over axes (every matrix product, einsum, blend) joins factors. Whatever the
 * spelling, y = sum_e w[e] (A_e x + b_e) ends as terms w * A * x and w * b.
 *
 * An axis of a value's shape is made of any number of the value's own axes, outermost first: [E K] stays (E, K) until
 * somebody slices it. A term covers low..high of each own axis and is 0 elsewhere: so are values joined end to end.
 *
 * Invariant: sums that no row takes part in are carried out, so a term's inner axes are those of its rows.
 */
#ifndef GALI_RECOGNISE_SUMS_H
#define GALI_RECOGNISE_SUMS_H

#include "recognise/form.h"

enum {
    GALI_OWN_MAX = 10,   /* own axes of a value */
    GALI_INNER_MAX = 10, /* inner axes of a term */
    GALI_FACTORS_MAX = 8,
    GALI_TERMS_MAX = 8192,
};

/* A constant, or [batch][width] numbers that depend on the inputs. */
typedef struct gali_leaf {
    int row;
    gali_array array; /* of a constant */
    uint32_t inverse; /* of a constant: one more than the leaf whose inverse it is, number by number; 0: none */
    uint32_t width;   /* of a row */
    int gate;         /* a row that may blend experts */
    int part;         /* the layer that makes a row, or GALI_ABSENT (recognise.h) */
} gali_leaf;

typedef struct gali_algebra {
    gali_allowance *allowance;
    uint32_t batch;    /* rows; 1: there is no batch axis at all */
    const char *place; /* what is being worked on, for messages */
    gali_leaf *leaves;
    uint32_t leaf_count, leaf_capacity;
} gali_algebra;

typedef struct gali_factor {
    uint32_t leaf;
    int32_t at;
    int32_t own[GALI_OWN_MAX], inner[GALI_INNER_MAX]; /* strides */
} gali_factor;

typedef struct gali_term {
    double scale;
    uint32_t factor_count, inner_count;
    int32_t low[GALI_OWN_MAX], high[GALI_OWN_MAX];
    int32_t inner[GALI_INNER_MAX]; /* sizes */
    gali_factor factors[GALI_FACTORS_MAX];
} gali_term;

typedef struct gali_sum {
    uint32_t rank, own_count, term_count;
    uint32_t shape[GALI_RANK_MAX];
    uint32_t first[GALI_RANK_MAX + 1]; /* axis i is made of own axes first[i]..first[i+1]-1; size 1: of none */
    int32_t size[GALI_OWN_MAX];
    int batch[GALI_OWN_MAX]; /* this own axis counts rows */
    gali_term *terms;
} gali_sum;

/* A new leaf's number, or GALI_ABSENT. */
int gali_leaf_add(gali_algebra *algebra, const gali_leaf *leaf);

/* All functions below return NULL, and have failed saying why, where the algebra cannot do it. */

/* A leaf as it is, row-major; the first axis of a row's shape is the batch where that is more than 1. */
gali_sum *gali_sum_leaf(gali_algebra *algebra, uint32_t leaf, const gali_type *type);

/* The shape, own axes and no terms of v: for a leaf in its place. */
gali_sum *gali_sum_like(gali_algebra *algebra, const gali_sum *v, uint32_t terms);

/* What a maker makes of its operands, for those that move, add or multiply. */
gali_sum *gali_sum_of(gali_algebra *algebra, const gali_form *form, const gali_maker *maker,
                      gali_sum *const *operands);

/* ---- for the parts of the algebra alone: axes.c, products.c ---- */

extern const char gali_irregular[]; /* why: the reason that most of them share */

/* Fails at the algebra's place; returns NULL. */
gali_sum *gali_algebra_fail(gali_algebra *algebra, const char *why);

gali_sum *gali_sum_copy(gali_algebra *algebra, const gali_sum *v);

/* Adds up terms that differ in scale alone, and drops those that are 0: x - mean + mean is x. */
void gali_sum_collect(gali_sum *v);

#endif
