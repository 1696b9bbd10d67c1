/*
 * From a model's layers to packed ones of reduced precision (kernels/narrow.h has the panels' layout).
 *
 * The weights that run are the very numbers of the file, if it stores them in the layer's precision, else they are
 * rounded or quantised here. So nothing is folded into them: the inputs' normalisation is applied to x as it is prepared,
 * the outputs' is part of the panels' scales and biases, and constant inputs are part of the biases.
 *
 * Of a file's blocks, a first layer keeps whole ones, so that their scales stay what they are: a dead input in a block
 * with a live one has the weight 0, the factor 0, and reads the feature of a live one.
 */
#ifndef GALI_NETWORK_PACK_NARROW_H
#define GALI_NETWORK_PACK_NARROW_H

#include "kernels/narrow.h"
#include "network/pack.h"

/* Inputs of a layer that folds which are kept: `live` gets their indices, ascending; returns their number. live may be NULL. */
uint32_t gali_pack_narrow_live(const gali_model *model, const gali_pack_source *source, uint32_t *live);

/* Inputs of a layer that folds which are kept together if one of them is live: a block of the file's, or 1. */
uint32_t gali_pack_narrow_step(const gali_pack_source *source);

/* Completes the shape of a planned layer: groups, span. */
void gali_pack_narrow_shape(gali_packed_layer *layer);

/* Bytes of the packed weights; GALI_SIZE_BAD if that overflows. */
size_t gali_pack_narrow_size(const gali_packed_layer *layer, const gali_narrow *narrow);

/*
 * Fills weights of a shape made of the same source. GAL_BAD_DATA if a value leaves the range of the
 * precision, GAL_NO_MEMORY.
 */
gal_status gali_pack_narrow(gali_packed_layer *layer, const gali_pack_source *source, const gali_model *model,
                            const gali_narrow *narrow, unsigned char *weights, const gal_allocator *allocator,
                            gal_error *error);

/* shift[inputs] and factor[inputs] of a layer that folds, and its features in place of the indices in live. */
void gali_pack_narrow_inputs(const gali_pack_source *source, const gali_model *model, uint32_t *live,
                             float *shift, float *factor);

/* Expert e's part of panel p, ready for a kernel. */
gali_narrow_panel gali_pack_narrow_panel(const gali_packed_layer *layer, uint32_t panel, uint32_t expert,
                                         const gali_narrow *narrow);

#endif
