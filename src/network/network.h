/*
 * An open network, as network.c makes it and run.c runs it.
 *
 * One allocation: this struct, then the features and sources that layers read, the normalisation of values 0 that are
 * needed as such, the output scale (only where it is not folded into the last layer), the normalisation of inputs of
 * layers of reduced precision, then the packed layers, each aligned to 64 bytes.
 */
#ifndef GALI_NETWORK_NETWORK_H
#define GALI_NETWORK_NETWORK_H

#include "network/layer.h"
#include "network/pack_narrow.h"
#include "network/wiring.h"

enum {
    GALI_NETWORK_LAYERS_MAX = GALI_GATING_LAYERS_MAX + GALI_LAYERS_MAX,
    GALI_BUFFER_Y = GALI_BUFFERS_MAX, /* not a buffer: the caller's y */
};

/*
 * What a layer reads and where its rows go. A dense layer that reads x alone reads raw features, normalisation being
 * folded into its weights; every other one reads slices of buffers.
 */
typedef struct gali_feed {
    const uint32_t *features; /* [layer's inputs] of x, live ones; NULL: the sources */
    uint32_t source_count;
    const gali_source *sources; /* [source_count] `value` is a buffer */
    int in_place;               /* one run of features, or one source: read where it is, nothing is copied */
    uint32_t buffer;            /* of the output */
} gali_feed;

/* Value 0 of a list of layers where some layer needs it as such: (x[feature] - mean) / std. */
typedef struct gali_normal {
    uint32_t buffer;
    uint32_t count;           /* 0: no layer does */
    const uint32_t *features; /* [count] */
    const float *mean, *std;  /* [count]; std 0: the value is fixed, and mean */
} gali_normal;

struct gal_network {
    gal_allocator allocator; /* a copy; zero means the C library */
    size_t memory;           /* bytes of the allocation */
    const gali_kernels *kernels;
    const gali_narrow *narrow;
    gali_plan plan;
    gal_gate_kind gate;
    uint32_t experts; /* E of the gate */
    uint32_t slots;   /* experts a character uses at a time */
    uint32_t inputs, outputs;
    uint32_t live_inputs; /* of x: neither masked nor constant */
    /* layers of the gating network, which come first; its last has an output per expert */
    uint32_t gating_count;
    uint32_t layer_count; /* all of them */
    gali_packed_layer layers[GALI_NETWORK_LAYERS_MAX];
    gali_feed feeds[GALI_NETWORK_LAYERS_MAX];
    gali_normal gate_normal, normal;
    const float *output_scale; /* [2][outputs] factor, then shift; NULL where the last layer has it folded in */
    /* bytes of a character's prepared inputs of the widest layer of reduced precision, padded */
    size_t prepared;
    uint32_t joined;    /* floats of the widest input that is gathered or joined, padded; 0: none is */
    gali_wiring wiring; /* its widths are whole cache lines */
};

/* Makes a network of a checked model, which is not needed afterwards. As gal_network_open_memory. */
gal_status gali_network_make(gal_network **out, const gali_model *model, const gal_network_desc *desc,
                             gal_error *error);

#endif
