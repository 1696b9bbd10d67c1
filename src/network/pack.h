/*
 * From a model's layers to packed ones: normalisation and dead inputs folded away, weights in panels.
 *
 * A packed layer is one stream in the order in which a run reads it:
 *     for each panel: for each expert: weights[1 + K][vectors * lanes]   (bias row first; see kernels.h)
 *     in the blend form, for each panel: weights[1 + K][experts][vectors * lanes]
 * Panels are as equal as possible, none wider than the plan's, so that no slim one is left at the end. Those of a sparse
 * layer are as wide as its patches (pack_sparse.h) and have the rows of inputs that are there alone.
 *
 * Folding, in float64, rounded once. With live inputs l, x' = (x - mean) / std, y = y' std_y + mean_y:
 *     first layer  A'[n][l] = A[n][l] / std[l],  b' = b - sum_l A mean / std + sum_constant A (c - mean) / std
 *     last layer   A'' = std_y A',  b'' = std_y b' + mean_y
 * Every dense layer that reads x alone folds the input's normalisation, unless a mean is too far from 0 for that (wiring.h);
 * the last layer the output's, if it is dense.
 * One with an activation keeps its output normalisation outside; so does mean_y where the blend is
 * the caller's, whose sum is not ours to trust (gali_pack_scales_outside).
 */
#ifndef GALI_NETWORK_PACK_H
#define GALI_NETWORK_PACK_H

#include "kernels/narrow.h"
#include "network/layer.h"
#include "network/plan.h"

/* Of a sparse layer; blocks, where they have scales: those with patches. */
typedef struct gali_pack_count {
    uint32_t patches, blocks;
} gali_pack_count;

typedef struct gali_packed_layer {
    const float *weights; /* of another precision than float32: what pack_narrow.h says */
    uint32_t experts;     /* the gate's, or 1: then every character uses it with coefficient 1 */
    uint32_t inputs;      /* live ones in the first layer */
    uint32_t outputs;
    uint32_t vectors; /* of all outputs: ceil(outputs / lanes) */
    uint32_t panels;
    uint32_t rows;     /* characters a tile of the widest panel */
    uint32_t width;    /* of the widest panel, in vectors, as planned */
    uint32_t together; /* characters up to which one kernel call takes all experts of a panel */
    uint32_t reach;    /* experts of a panel that leave room in L2 for as many more */
    uint32_t ahead;    /* gali_cpu_ahead */
    gali_precision precision;
    gal_form form;
    gali_activation activation;
    float slope, epsilon;
    gali_layer_kind kind; /* without panels: weights[outputs][columns], then the biases */
    uint32_t groups,
        span; /* of reduced precision (kernels/narrow.h), with the normalisation of inputs that fold: */
    const float *shift, *factor; /* [inputs], or NULL */
    int sparse;                  /* panels have patches (kernels.h), of which there are so many in all: */
    gali_pack_count count;
    const gali_pack_count *starts;   /* [panels + 1] panel p's are those from starts[p] up to starts[p + 1] */
    const uint32_t *patches;         /* [count.patches] input that each starts at, of those of the layer */
    const gali_narrow_block *blocks; /* [count.blocks] */
} gali_packed_layer;

/* What is packed: a layer of the model, and what is folded into it. */
typedef struct gali_pack_source {
    gali_layer_list list;
    uint32_t index;       /* of the layer in its list */
    const void *features; /* [list.width] uint32, possibly unaligned: of x, what value 0 is; NULL: all of it */
    const uint32_t *live; /* [live_count] ascending inputs that are left; NULL: all, and nothing is folded in */
    uint32_t live_count;
    int scale_output, shift_output; /* the output normalisation is folded in */
    gali_precision precision;       /* that it is packed for */
} gali_pack_source;

const gali_model_layer *gali_pack_layer_of(const gali_pack_source *source);

/* Live inputs, outputs and experts of a source, for a plan. */
gali_plan_layer gali_pack_shape(const gali_pack_source *source);

/* A packed layer with panels as planned for a kernel table; weights is NULL, activation none. */
gali_packed_layer gali_pack_planned(const gali_plan_layer *plan, const gali_kernels *kernels);

/*
 * What `together` should be. One call saves a hundred of them and the ends of their weight streams: 3 % at 1 and 2
 * characters, 1 to 3 % at any count. But each tile of characters reads the whole panel again: where its experts do
 * not fit into L2 (bytes) together, they take turns outside the tiles if there are many.
 */
uint32_t gali_pack_together(const gali_packed_layer *layer, const gali_kernels *kernels, size_t l2);

/* What `reach` should be, for an L2 of so many bytes. */
uint32_t gali_pack_reach(const gali_packed_layer *layer, const gali_kernels *kernels, size_t l2);

/* Feature of x that element i of value 0 is, and that input k of a layer that folds is. */
uint32_t gali_pack_value_feature(const gali_pack_source *source, uint32_t i);
uint32_t gali_pack_feature(const gali_pack_source *source, uint32_t k);

/* Whether input k of a layer that folds is neither masked nor constant. */
int gali_pack_is_live(const gali_model *model, const gali_pack_source *source, uint32_t k);

/* Floats of the packed weights; GALI_SIZE_BAD if that overflows. */
size_t gali_pack_floats(const gali_packed_layer *layer, const gali_kernels *kernels);

/* Weights and biases of all experts, as folded. */
uint64_t gali_pack_parameters(const gali_packed_layer *layer, const gali_kernels *kernels);

/*
 * Fills weights (gali_pack_floats, 64-byte aligned) of a shape made of the same source. GAL_BAD_DATA if a
 * folded value leaves the range of float32.
 */
gal_status gali_pack_layer(const gali_packed_layer *shape, const gali_pack_source *source,
                           const gali_model *model, const gali_kernels *kernels, float *weights,
                           gal_error *error);

/* What is left of the output normalisation for a pass after the last layer: y = y scale + shift. */
typedef struct gali_pack_outside {
    int scale, shift;
} gali_pack_outside;

gali_pack_outside gali_pack_scales_outside(const gali_model *model);

/* First vector of a panel, and of the one after it: panel p covers vectors [start(p), start(p + 1)). */
uint32_t gali_pack_panel_start(const gali_packed_layer *layer, uint32_t panel);

/* Expert e's part of panel p (the blend form: all of it, expert is 0), ready for a kernel. */
gali_panel gali_pack_panel(const gali_packed_layer *layer, uint32_t panel, uint32_t expert,
                           const gali_kernels *kernels);

#endif
