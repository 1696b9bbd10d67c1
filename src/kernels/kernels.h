/*
 * The arithmetic, behind one table per instruction set.
 *
 * Vectors run along the outputs. Output n of expert e is acc = 0, then acc = fma(x[k], A[n][k], acc) for k
 * ascending, then acc + b[n]; the experts are added in ascending order, y = fma(w, acc, y)
 * from 0 on, and the activation comes last. No kernel departs from that order, so
 * neither the vector's width, the tile, the count nor the neighbours change a bit of a character's result.
 *
 * blend_f32 alone is another form, a mode by name: it rounds the blended weight, acc = fma(sum_e w A[n][k], x[k], acc).
 *
 * Weights come in panels: `vectors` vectors of outputs wide, one row of biases, then one row per input:
 *     weights[1 + inputs][vectors * table->lanes], 64-byte aligned, outputs past `outputs` are zero.
 *
 * Of a sparse layer only patches of the weights are there: GALI_PATCH_OUTPUTS outputs x GALI_PATCH_INPUTS inputs of all
 * experts. Its panels are gali_patch_vectors wide, so that one lies in one row of patches, and have the rows of the
 * inputs that are there alone; `patches` says which those are. What is not there would add products that are zero: leaving
 * them out changes no bit of a sum over finite inputs but the sign of a zero that was rounded to it (docs/numerics.md).
 */
#ifndef GALI_KERNELS_KERNELS_H
#define GALI_KERNELS_KERNELS_H

#include "base/compiler.h"
#include "gallop/base.h"

enum {
    GALI_PANEL_VECTORS_MAX = 4,
    GALI_TILE_ROWS_MAX = 8,
    GALI_PATCH_OUTPUTS = 16, /* whole panels of every table: a vector of 16, 2 of 8, 4 of 4 */
    GALI_PATCH_INPUTS = 8,   /* two groups of int8, four of 16 bits (narrow.h) */
};

typedef enum gali_activation {
#define ACTIVATION(id, name, onnx, formula) GALI_ACTIVATION_##id,
#include "kernels/activations.def"
#undef ACTIVATION
    GALI_ACTIVATION_COUNT
} gali_activation;

/* A panel of a layer, of one expert or several; for blend_f32 of all: weights[1 + inputs][experts][vectors * lanes]. */
typedef struct gali_panel {
    const float *weights; /* [experts][1 + inputs][vectors * lanes] */
    uint32_t inputs;
    uint32_t vectors; /* 1..GALI_PANEL_VECTORS_MAX */
    uint32_t rows;    /* characters a tile, at most GALI_TILE_ROWS_MAX; 0: the table's tile_rows[vectors] */
    uint32_t experts; /* >= 1, consecutive ones; side by side in a row of weights for blend_f32 */
    uint32_t first;   /* the layer's output that the panel starts at */
    uint32_t outputs; /* of the panel that exist: 1..vectors * lanes */
    uint32_t follows; /* 1: the weights behind these are used next, and fit into L2 beside them; speed alone */
    uint32_t
        ahead; /* characters from which a single tile asks for weights ahead; 0: the table's own; speed alone */
    gali_activation activation; /* any but softmax, which looks at more than a panel */
    float slope;                /* of leaky ReLU */
    const uint32_t *
        patches; /* [inputs / GALI_PATCH_INPUTS] where in x the inputs of each start; NULL: a dense panel, all of x */
} gali_panel;

enum {
    GALI_ROW_FIRST = 1, /* the panel's first expert is the character's first: y is written, not added to */
    GALI_ROW_LAST = 2,  /* its last one is the character's last: the activation follows */
};

/* A character of a panel call. */
typedef struct gali_row {
    const float *x;     /* [inputs] */
    float *y;           /* [outputs of the layer]; the panel touches its own outputs alone */
    const float *blend; /* [experts of the panel] their coefficients */
    uint32_t mode;      /* GALI_ROW_FIRST | GALI_ROW_LAST */
} gali_row;

/* A character of a blend call, with all its experts; the slots of all rows of a call are as many. */
typedef struct gali_blend_row {
    const float *x;
    float *y;
    const uint32_t *expert; /* [slots] ascending */
    const float *weight;    /* [slots] */
    uint32_t slots;         /* >= 1 */
} gali_blend_row;

typedef struct gali_kernels {
    gal_isa isa;
    uint32_t lanes;            /* floats in a vector */
    uint32_t panel_vectors;    /* best panel width, in vectors */
    const uint32_t *tile_rows; /* [GALI_PANEL_VECTORS_MAX + 1] characters a tile, by panel width */
#define KERNEL(name, result, arguments, meaning) result(*name) arguments;
#include "kernels/kernels.def"
#undef KERNEL
} gali_kernels;

/* Vectors of a panel of a sparse layer. */
uint32_t gali_patch_vectors(uint32_t lanes);

/* The table of an available instruction set (gal_isa_available, not GAL_ISA_BEST). */
const gali_kernels *gali_kernels_get(gal_isa isa);

extern const gali_kernels gali_kernels_scalar;
extern const gali_kernels gali_kernels_avx2;
extern const gali_kernels gali_kernels_avx512;
extern const gali_kernels gali_kernels_neon;
extern const gali_kernels gali_kernels_neon_a55;
extern const gali_kernels gali_kernels_wasm;

#endif
