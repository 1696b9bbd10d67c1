/*
 * Sparse layers as they are stored: which patches of the weights are there, and where one of them stands.
 *
 * A patch is GALI_PATCH_OUTPUTS outputs x GALI_PATCH_INPUTS inputs of all experts: one mask of patches serves all weight
 * sets. The mask has a row for each 16 outputs, in it a word for each 32 patches: a bit a patch, and how many are there
 * before the word, so that a weight is found without counting from the start. Other layers have all weights and no mask:
 * what is asked of them here has the plain answer.
 */
#ifndef GALI_NETWORK_SPARSE_H
#define GALI_NETWORK_SPARSE_H

#include "network/model.h"

enum {
    GALI_PATCH_WEIGHTS = GALI_PATCH_OUTPUTS * GALI_PATCH_INPUTS,
    GALI_SPARSE_WORD = 32,     /* patches of a word */
    GALI_SPARSE_WORD_SIZE = 8, /* its bytes: u32 bits, u32 patches before it */
    GALI_SPARSE_HEAD_SIZE = 4, /* bytes before the mask: u32 patches */
};

/* Patches of the layer's outputs and of its inputs, and words of a row of the mask. */
uint32_t gali_sparse_rows(const gali_model_layer *layer);
uint32_t gali_sparse_columns(const gali_model_layer *layer);
uint32_t gali_sparse_words(const gali_model_layer *layer);

/* Bytes of the mask with its count; 0 of other kinds. */
size_t gali_sparse_mask_size(const gali_model_layer *layer);

/* Whether a patch is there; always, of other kinds. */
int gali_sparse_has(const gali_model_layer *layer, uint32_t row, uint32_t column);

/* Where weight k of row e * N + n stands among the stored ones; GALI_SIZE_BAD where it is not there, and so 0. */
size_t gali_sparse_place(const gali_model_layer *layer, size_t row, uint32_t k);

/* The first input from k on of which output n has a weight, its own zeros included; K: none. */
uint32_t gali_sparse_next(const gali_model_layer *layer, uint32_t n, uint32_t k);

/* Bits that are 1. */
uint32_t gali_sparse_count(uint32_t bits);

#endif
