/* The layers of a graph in linear form: what the model file will hold, still in terms of the graph's numbers. */
#ifndef GALI_RECOGNISE_RECOGNISE_H
#define GALI_RECOGNISE_RECOGNISE_H

#include "network/model.h"
#include "recognise/sums.h"

enum { GALI_PARTS_MAX = 256, GALI_SLICES_MAX = 16 };

/* Elements [first, first + count) of a row. */
typedef struct gali_row_slice {
    uint32_t leaf, first, count;
} gali_row_slice;

/* A layer. A dense one computes its value; the others read slices. */
typedef struct gali_part {
    gali_layer_kind kind;
    gali_activation activation;
    double slope, epsilon;
    uint32_t width, leaf; /* what it makes */
    const gali_sum *value;
    uint32_t slice_count;
    gali_row_slice slices[GALI_SLICES_MAX];
    const double *gamma, *beta; /* [width] of layer_norm */
    const char *place;
} gali_part;

typedef struct gali_recognised {
    gali_algebra algebra;
    uint32_t part_count, output; /* the part that makes y */
    gali_part parts[GALI_PARTS_MAX];
    uint32_t x;         /* leaf: the inputs of the graph but the gate's, normalised, one after another */
    gal_gate_kind gate; /* a phase gate, or GAL_GATE_CALLER; GAL_GATE_NETWORK where gate_leaf is a part's */
    int gate_leaf;      /* what blends the experts, or GALI_ABSENT */
    int gate_port;      /* the input of the graph that is phase or blend, or GALI_ABSENT */
    uint32_t experts;
    int input_normalised, output_normalised;
    double *input_mean, *input_std, *output_mean, *output_std; /* [width of x], [width of y] */
} gali_recognised;

/*
 * Finds the layers. may_blend: an input of the graph may be the caller's blend. *network points into the form and
 * its memory. 0 if it failed; the error names the node and says why.
 */
int gali_recognise(gali_form *form, int may_blend, gali_recognised *network);

#endif
