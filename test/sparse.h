/* Sparse layers for tests: a dense layer of a synthetic model made sparse, and a sparse one made dense with its zeros. */
#ifndef GALLOP_TEST_SPARSE_H
#define GALLOP_TEST_SPARSE_H

#include "base/little_endian.h"
#include "network/model_layout.h"
#include "network/sparse.h"
#include "synthetic.h"

static inline void *sparse_keep(synthetic *s, void *array) {
    s->arrays[s->array_count++] = array;
    return array;
}

/* Sets the layer's mask from has[rows][columns] (0 or not), and how many patches are there. */
static inline void sparse_fill(gali_model_layer *layer, const unsigned char *has) {
    const uint32_t columns = gali_sparse_columns(layer), words = gali_sparse_words(layer);
    uint32_t before = 0;
    for (size_t w = 0; w < (size_t)gali_sparse_rows(layer) * words; w++) {
        const uint32_t first = (uint32_t)(w % words) * GALI_SPARSE_WORD;
        uint32_t bits = 0;
        for (uint32_t c = first; c < columns && c < first + GALI_SPARSE_WORD; c++) {
            bits |= (uint32_t)(has[w / words * columns + c] != 0) << (c - first);
        }
        gali_put_u32(layer->mask, 2 * w, bits);
        gali_put_u32(layer->mask, 2 * w + 1, before);
        before += gali_sparse_count(bits);
    }
    layer->patches = before;
}

/* Makes a dense float32 layer sparse: about `share` of 256 patches stay, chosen at random. */
static inline void sparse_make(synthetic *s, gali_model_layer *layer, uint32_t share, uint64_t *state) {
    const gali_model_layer dense = *layer;
    layer->kind = GALI_LAYER_SPARSE;
    const uint32_t columns = gali_sparse_columns(layer), rows = gali_sparse_rows(layer);
    unsigned char *has = malloc((size_t)rows * columns);
    for (size_t i = 0; i < (size_t)rows * columns; i++) {
        has[i] = synthetic_bits(state) % 256 < share;
    }
    layer->mask = sparse_keep(s, calloc(1, gali_sparse_mask_size(layer)));
    sparse_fill(layer, has);
    free(has);
    float *weights = sparse_keep(s, calloc(gali_layer_stored(layer) + 1, sizeof(float)));
    layer->weights = weights;
    for (size_t row = 0; row < (size_t)layer->experts * layer->outputs; row++) {
        for (uint32_t k = 0; k < layer->inputs; k++) {
            const size_t at = gali_sparse_place(layer, row, k);
            if (at != SIZE_MAX) {
                weights[at] = gali_model_weight(&dense, row * layer->inputs + k);
            }
        }
    }
}

/* *twin = *s with sparse layer i as a dense one that has the zeros; what it allocates is s's. */
static inline void sparse_fill_up(synthetic *s, const gali_model_layer *sparse, gali_model_layer *dense) {
    const size_t count = (size_t)sparse->experts * sparse->outputs * sparse->inputs;
    float *weights = sparse_keep(s, malloc((count ? count : 1) * sizeof(float)));
    *dense = *sparse;
    dense->kind = GALI_LAYER_DENSE;
    dense->weights = weights;
    for (size_t i = 0; i < count; i++) {
        weights[i] = gali_model_weight(sparse, i);
    }
}

#endif
