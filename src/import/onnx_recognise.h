/* The layers of a program: what the model file will hold, still in terms of the graph's numbers. */
#ifndef GALI_IMPORT_ONNX_RECOGNISE_H
#define GALI_IMPORT_ONNX_RECOGNISE_H

#include "import/onnx_sums.h"
#include "network/model.h"

enum { GALI_ONNX_PARTS_MAX = 256, GALI_ONNX_SLICES_MAX = 16 };

/* Elements [first, first + count) of a row. */
typedef struct gali_onnx_slice_of {
    uint32_t leaf, first, count;
} gali_onnx_slice_of;

/* A layer. A dense one computes its value; the others read slices. */
typedef struct gali_onnx_part {
    gali_layer_kind kind;
    gali_activation activation;
    double slope, epsilon;
    uint32_t width, leaf; /* what it makes */
    const gali_onnx_value *value;
    uint32_t slice_count;
    gali_onnx_slice_of slices[GALI_ONNX_SLICES_MAX];
    const double *gamma, *beta; /* [width] of layer_norm */
    const char *place;
} gali_onnx_part;

typedef struct gali_onnx_network {
    gali_onnx_algebra algebra;
    uint32_t part_count, output; /* the part that makes y */
    gali_onnx_part parts[GALI_ONNX_PARTS_MAX];
    uint32_t x;         /* leaf: the inputs of the graph but the gate's, normalised, one after another */
    gal_gate_kind gate; /* a phase gate, or GAL_GATE_CALLER; GAL_GATE_NETWORK where gate_leaf is a part's */
    int gate_leaf;      /* what blends the experts, or GALI_ONNX_NONE */
    int gate_port;      /* the input of the graph that is phase or blend, or GALI_ONNX_NONE */
    uint32_t experts;
    int input_normalised, output_normalised;
    double *input_mean, *input_std, *output_mean, *output_std; /* [width of x], [width of y] */
} gali_onnx_network;

/*
 * Finds the layers. may_blend: an input of the graph may be the caller's blend. *network points into the program and
 * its memory. 0 if it failed; the error names the node and says why.
 */
int gali_onnx_recognise(gali_onnx_program *program, int may_blend, gali_onnx_network *network);

#endif
