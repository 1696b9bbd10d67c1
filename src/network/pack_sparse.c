#include "network/pack_sparse.h"

#include "network/pack_narrow.h"

#include "network/sparse.h"

uint32_t gali_pack_patch_own(uint32_t start) {
    return (start + GALI_PATCH_INPUTS - 1) / GALI_PATCH_INPUTS * GALI_PATCH_INPUTS;
}

/* A patch that begins at packed input `own`: where its reading starts. Prepared inputs are padded. */
static uint32_t patch_start(const gali_packed_layer *layer, uint32_t own) {
    const uint32_t last = layer->inputs - GALI_PATCH_INPUTS;
    return own < last || gali_precision_is_narrow(layer->precision) ? own : last;
}

/* Whether one of inputs [k, k + step) is live. */
static int any_live(const gali_pack_source *source, const gali_model *model, uint32_t k, uint32_t step) {
    const uint32_t inputs = gali_pack_layer_of(source)->inputs, end = inputs - k < step ? inputs : k + step;
    int any = !source->live;
    for (; k < end && !any; k++) {
        any = gali_pack_is_live(model, source, k);
    }
    return any;
}

/* Inputs of a block that has a scale of its own; 0: there are none. */
static uint32_t block_size(const gali_packed_layer *layer) {
    const int narrow = gali_precision_is_narrow(layer->precision);
    return narrow && gali_narrow_has_blocks(gali_precision_kind(layer->precision)) ? layer->precision.block : 0;
}

/* Counts the patch that begins at packed input `own`, of a row that began at `first`, and lists it. */
static void add_patch(const gali_packed_layer *layer, uint32_t own, const gali_pack_count *first,
                      gali_pack_patches lists, gali_pack_count *count, uint32_t *block) {
    const uint32_t size = block_size(layer), index = size ? own / size : 0;
    if (size && (count->patches == first->patches || *block != index)) {
        *block = index;
        if (lists.blocks) {
            lists.blocks[count->blocks] = (gali_narrow_block){index, 0};
        }
        count->blocks++;
    }
    if (lists.patches) {
        lists.patches[count->patches] = patch_start(layer, own);
    }
    if (size && lists.blocks) {
        lists.blocks[count->blocks - 1].patches++;
    }
    count->patches++;
}

/* The patches of a row of the file's mask, counted on from `count`; returns the new count. */
static gali_pack_count list_patches(const gali_packed_layer *layer, const gali_pack_source *source,
                                    const gali_model *model, uint32_t row, gali_pack_patches lists,
                                    gali_pack_count count) {
    const gali_model_layer *from = gali_pack_layer_of(source);
    const uint32_t step = gali_precision_is_narrow(layer->precision) ? gali_pack_narrow_step(source) : 1;
    const gali_pack_count first = count;
    uint32_t packed = 0, block = 0;
    int any = 0, kept = 1;
    for (uint32_t k = 0; k < from->inputs; k++) {
        kept = k % step ? kept : any_live(source, model, k, step);
        if (!kept) {
            continue;
        }
        any |= gali_sparse_has(from, row, k / GALI_PATCH_INPUTS);
        packed++;
        if (packed % GALI_PATCH_INPUTS != 0 && packed != layer->inputs) {
            continue;
        }
        if (any) {
            add_patch(layer, (packed - 1) / GALI_PATCH_INPUTS * GALI_PATCH_INPUTS, &first, lists, &count,
                      &block);
        }
        any = 0;
    }
    return count;
}

gali_pack_count gali_pack_sparse(const gali_packed_layer *layer, const gali_pack_source *source,
                                 const gali_model *model, uint32_t lanes, gali_pack_patches lists) {
    gali_pack_count count = {0, 0};
    for (uint32_t p = 0; p < layer->panels; p++) {
        const uint32_t row = gali_pack_panel_start(layer, p) * lanes / GALI_PATCH_OUTPUTS;
        if (lists.starts) {
            lists.starts[p] = count;
        }
        count = list_patches(layer, source, model, row, lists, count);
    }
    if (lists.starts) {
        lists.starts[layer->panels] = count;
    }
    return count;
}
