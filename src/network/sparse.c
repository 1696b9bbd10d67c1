#include "network/sparse.h"

#include "base/size.h"

static uint32_t sparse_parts(uint32_t count, uint32_t each) {
    return count / each + (count % each != 0);
}

uint32_t gali_sparse_rows(const gali_model_layer *layer) {
    return sparse_parts(layer->outputs, GALI_PATCH_OUTPUTS);
}

uint32_t gali_sparse_columns(const gali_model_layer *layer) {
    return sparse_parts(layer->inputs, GALI_PATCH_INPUTS);
}

uint32_t gali_sparse_words(const gali_model_layer *layer) {
    return sparse_parts(gali_sparse_columns(layer), GALI_SPARSE_WORD);
}

size_t gali_sparse_mask_size(const gali_model_layer *layer) {
    const size_t words = gali_size_mul(gali_sparse_rows(layer), gali_sparse_words(layer));
    return layer->kind == GALI_LAYER_SPARSE
               ? gali_size_add(GALI_SPARSE_HEAD_SIZE, gali_size_mul(words, GALI_SPARSE_WORD_SIZE))
               : 0;
}

uint32_t gali_sparse_count(uint32_t bits) {
    bits -= bits >> 1 & 0x55555555u;
    bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
    return ((bits + (bits >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

/* Bits and count before of the word of a patch. */
typedef struct mask_word {
    uint32_t bits, before;
} mask_word;

static mask_word sparse_word_of(const gali_model_layer *layer, uint32_t row, uint32_t column) {
    const size_t word = (size_t)row * gali_sparse_words(layer) + column / GALI_SPARSE_WORD;
    return (mask_word){gali_model_u32(layer->mask, 2 * word), gali_model_u32(layer->mask, 2 * word + 1)};
}

int gali_sparse_has(const gali_model_layer *layer, uint32_t row, uint32_t column) {
    return layer->kind != GALI_LAYER_SPARSE ||
           (sparse_word_of(layer, row, column).bits >> column % GALI_SPARSE_WORD & 1u) != 0;
}

size_t gali_sparse_place(const gali_model_layer *layer, size_t row, uint32_t k) {
    if (layer->kind != GALI_LAYER_SPARSE) {
        return row * layer->inputs + k;
    }
    const uint32_t n = (uint32_t)(row % layer->outputs), column = k / GALI_PATCH_INPUTS;
    const mask_word word = sparse_word_of(layer, n / GALI_PATCH_OUTPUTS, column);
    const uint32_t bit = 1u << column % GALI_SPARSE_WORD;
    if (!(word.bits & bit)) {
        return GALI_SIZE_BAD;
    }
    const size_t patch =
        row / layer->outputs * layer->patches + word.before + gali_sparse_count(word.bits & (bit - 1));
    return (patch * GALI_PATCH_OUTPUTS + n % GALI_PATCH_OUTPUTS) * GALI_PATCH_INPUTS + k % GALI_PATCH_INPUTS;
}

uint32_t gali_sparse_next(const gali_model_layer *layer, uint32_t n, uint32_t k) {
    while (layer->kind == GALI_LAYER_SPARSE && k < layer->inputs) {
        const uint32_t column = k / GALI_PATCH_INPUTS, place = column % GALI_SPARSE_WORD;
        const uint32_t bits = sparse_word_of(layer, n / GALI_PATCH_OUTPUTS, column).bits >> place;
        if (bits & 1u) {
            return k;
        }
        k = (bits ? column + 1 : column - place + GALI_SPARSE_WORD) * GALI_PATCH_INPUTS;
    }
    return k < layer->inputs ? k : layer->inputs;
}
