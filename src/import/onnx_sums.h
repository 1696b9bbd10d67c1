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
#ifndef GALI_IMPORT_ONNX_SUMS_H
#define GALI_IMPORT_ONNX_SUMS_H

#include "import/onnx_program.h"

enum {
    GALI_ONNX_OWN_MAX = 10,   /* own axes of a value */
    GALI_ONNX_INNER_MAX = 10, /* inner axes of a term */
    GALI_ONNX_FACTORS_MAX = 8,
    GALI_ONNX_TERMS_MAX = 8192,
};

/* A constant, or [batch][width] numbers that depend on the inputs. */
typedef struct gali_onnx_leaf {
    int row;
    gali_onnx_array array; /* of a constant */
    uint32_t inverse; /* of a constant: one more than the leaf whose inverse it is, number by number; 0: none */
    uint32_t width;   /* of a row */
    int gate;         /* a row that may blend experts */
    int part;         /* the layer that makes a row, or GALI_ONNX_NONE (onnx_recognise.h) */
} gali_onnx_leaf;

typedef struct gali_onnx_algebra {
    gali_onnx *onnx;
    uint32_t batch;    /* rows; 1: there is no batch axis at all */
    const char *place; /* what is being worked on, for messages */
    gali_onnx_leaf *leaves;
    uint32_t leaf_count, leaf_capacity;
} gali_onnx_algebra;

typedef struct gali_onnx_factor {
    uint32_t leaf;
    int32_t at;
    int32_t own[GALI_ONNX_OWN_MAX], inner[GALI_ONNX_INNER_MAX]; /* strides */
} gali_onnx_factor;

typedef struct gali_onnx_term {
    double scale;
    uint32_t factor_count, inner_count;
    int32_t low[GALI_ONNX_OWN_MAX], high[GALI_ONNX_OWN_MAX];
    int32_t inner[GALI_ONNX_INNER_MAX]; /* sizes */
    gali_onnx_factor factors[GALI_ONNX_FACTORS_MAX];
} gali_onnx_term;

typedef struct gali_onnx_value {
    uint32_t rank, own_count, term_count;
    uint32_t shape[GALI_ONNX_RANK_MAX];
    uint32_t
        first[GALI_ONNX_RANK_MAX + 1]; /* axis i is made of own axes first[i]..first[i+1]-1; size 1: of none */
    int32_t size[GALI_ONNX_OWN_MAX];
    int batch[GALI_ONNX_OWN_MAX]; /* this own axis counts rows */
    gali_onnx_term *terms;
} gali_onnx_value;

/* A new leaf's number, or GALI_ONNX_NONE. */
int gali_onnx_leaf_add(gali_onnx_algebra *algebra, const gali_onnx_leaf *leaf);

/* All functions below return NULL, and have failed saying why, where the algebra cannot do it. */

/* A leaf as it is, row-major; the first axis of a row's shape is the batch where that is more than 1. */
gali_onnx_value *gali_onnx_value_leaf(gali_onnx_algebra *algebra, uint32_t leaf, uint32_t rank,
                                      const uint32_t *shape);

/* The shape, own axes and no terms of v: for a leaf in its place. */
gali_onnx_value *gali_onnx_value_like(gali_onnx_algebra *algebra, const gali_onnx_value *v, uint32_t terms);

/* What a step makes of its operands; for those that move, add or multiply. */
gali_onnx_value *gali_onnx_value_step(gali_onnx_algebra *algebra, const gali_onnx_program *program,
                                      const gali_onnx_step *step, gali_onnx_value *const *operands);

/* ---- for the parts of the algebra alone: onnx_axes.c, onnx_products.c ---- */

extern const char gali_onnx_irregular[]; /* why: the reason that most of them share */

/* Fails at the algebra's place; returns NULL. */
gali_onnx_value *gali_onnx_algebra_fail(gali_onnx_algebra *algebra, const char *why);

gali_onnx_value *gali_onnx_value_copy(gali_onnx_algebra *algebra, const gali_onnx_value *v);

/* Adds up terms that differ in scale alone, and drops those that are 0: x - mean + mean is x. */
void gali_onnx_value_collect(gali_onnx_value *v);

#endif
