/*
 * The patches of a packed sparse layer: of each panel, which inputs it has weights for. They are counted before memory is
 * laid out and listed when it is there.
 *
 * A packed layer's inputs may be fewer than the file's, where dead ones are dropped, so its patches are made anew: of
 * GALI_PATCH_INPUTS packed inputs each, there if any of those is in a patch of the file. The last one begins where it
 * ends with the layer's inputs, so that nothing behind them is read; its weights for inputs of the one before are zeros.
 */
#ifndef GALI_NETWORK_PACK_SPARSE_H
#define GALI_NETWORK_PACK_SPARSE_H

#include "network/pack.h"

/* Where the lists of a planned layer's patches and blocks go; all NULL: they are counted only. */
typedef struct gali_pack_patches {
    gali_pack_count *starts; /* [panels + 1] */
    uint32_t *patches;
    gali_narrow_block *blocks;
} gali_pack_patches;

/* Fills the lists and returns how many there are in all panels. lanes: of the kernels' vectors. */
gali_pack_count gali_pack_sparse(const gali_packed_layer *layer, const gali_pack_source *source,
                                 const gali_model *model, uint32_t lanes, gali_pack_patches lists);

/* First packed input that a patch has weights of its own for: its start, but for the last one's. */
uint32_t gali_pack_patch_own(uint32_t start);

#endif
