/*
 * An open network, as network.c makes it and run.c runs it.
 *
 * One allocation: this struct, then the live inputs' indices (the network's, the gate's), the output scale (only where the last layer's
 * activation forbids folding it), then the packed layers, each aligned to 64 bytes.
 */
#ifndef GALI_NETWORK_NETWORK_H
#define GALI_NETWORK_NETWORK_H

#include "network/pack.h"

/* A network's first layer reads these features of x. */
typedef struct gali_live {
    uint32_t count;
    const uint32_t *features; /* [count] */
} gali_live;

/* The gating network; layer_count 0 where the gate is another. Its last layer has an output per expert. */
typedef struct gali_packed_gating {
    uint32_t layer_count;
    gali_live live;
    gali_packed_layer layers[GALI_GATING_LAYERS_MAX];
} gali_packed_gating;

struct gal_network {
    gal_allocator allocator; /* a copy; zero means the C library */
    size_t memory;           /* bytes of the allocation */
    const gali_kernels *kernels;
    gali_plan plan;
    gal_gate_kind gate;
    uint32_t experts; /* E of the gate */
    uint32_t slots;   /* experts a character uses at a time */
    uint32_t inputs, outputs;
    gali_live live; /* inputs left after folding, ascending */
    gali_packed_gating gating;
    const float
        *output_scale; /* [2][outputs] factor, then shift; NULL where all is folded into the last layer */
    uint32_t layer_count;
    uint32_t hidden; /* widest hidden or gating layer, floats, padded to whole cache lines; 0 without any */
    gali_packed_layer layers[GALI_LAYERS_MAX];
};

/* Makes a network of a checked model, which is not needed afterwards. As gal_network_open_memory. */
gal_status gali_network_make(gal_network **out, const gali_model *model, const gal_network_desc *desc,
                             gal_error *error);

#endif
