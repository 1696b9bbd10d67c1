/* The reader's sparse layers: their mask, word by word, and their weights, patch by patch. */
#include <math.h>

#include "base/size.h"
#include "kernels/narrow.h"
#include "network/layer.h"
#include "network/model_reader.h"
#include "network/sparse.h"

/* A sparse layer being read. */
typedef struct sparse_reading {
    const gali_reader *r;
    const char *tag;
    uint32_t index;
    const gali_model_layer *layer;
    size_t offset; /* in the section: of the mask, then of the weights */
} sparse_reading;

/* Word w of the mask after `before` patches. */
static gal_status check_mask_word(const sparse_reading *s, size_t w, uint32_t before) {
    const uint32_t words = gali_sparse_words(s->layer), columns = gali_sparse_columns(s->layer);
    const uint32_t bits = gali_model_u32(s->layer->mask, 2 * w),
                   first = (uint32_t)(w % words) * GALI_SPARSE_WORD;
    const uint32_t stated = gali_model_u32(s->layer->mask, 2 * w + 1), left = columns - first;
    const size_t at = s->offset + GALI_SPARSE_HEAD_SIZE + w * GALI_SPARSE_WORD_SIZE;
    if (left < GALI_SPARSE_WORD && bits >> left) {
        return gali_reader_bad(s->r, "%s: layer %u, offset %zu: mask %08x, expected 0 from bit %u on", s->tag,
                               s->index, at, bits, left);
    }
    if (stated != before) {
        return gali_reader_bad(s->r, "%s: layer %u, offset %zu: %u patches before, expected %u", s->tag,
                               s->index, at + 4, stated, before);
    }
    return GAL_OK;
}

/* A layer's weights, were all of them there: packing may take so much memory. */
static int is_too_large(const gali_model_layer *layer) {
    const size_t all = gali_size_mul(gali_size_mul(layer->experts, layer->outputs), layer->inputs);
    return gali_size_mul(all, sizeof(float)) > GALI_FILE_MAX;
}

gal_status gali_reader_mask(const gali_reader *r, const char *tag, uint32_t index, gali_model_layer *layer,
                            const unsigned char *at, size_t offset, size_t left, size_t *size) {
    const sparse_reading s = {r, tag, index, layer, offset};
    gal_status status = GAL_OK;
    uint32_t before = 0;
    *size = gali_sparse_mask_size(layer);
    if (!*size) {
        return GAL_OK;
    }
    if (is_too_large(layer)) {
        return gali_reader_bad(r, "%s: layer %u: [%u][%u][%u] weights, expected fewer than 2^29 with the zeros",
                               tag, index, layer->experts, layer->outputs, layer->inputs);
    }
    if (*size > left) {
        return gali_reader_bad(r, "%s: layer %u, offset %zu: %zu bytes left, expected a mask of %zu", tag,
                               index, offset, left, *size);
    }
    layer->patches = gali_model_u32(at, 0);
    layer->mask = at + GALI_SPARSE_HEAD_SIZE;
    const size_t words = (*size - GALI_SPARSE_HEAD_SIZE) / GALI_SPARSE_WORD_SIZE;
    for (size_t w = 0; w < words && status == GAL_OK; w++) {
        status = check_mask_word(&s, w, before);
        before += gali_sparse_count(gali_model_u32(layer->mask, 2 * w));
    }
    if (status == GAL_OK && before != layer->patches) {
        status = gali_reader_bad(r, "%s: layer %u, offset %zu: %u patches, expected %u (the bits of its mask)",
                                 tag, index, offset, layer->patches, before);
    }
    return status;
}

/* What is wrong with stored weight `place`, which is of the layer or beyond its edge; NULL: nothing. */
static const char *wrong_in_patch(const gali_model_layer *layer, size_t place, int beyond) {
    const float value = gali_model_stored(layer, place);
    if (!isfinite(value)) {
        return "not finite";
    }
    if (layer->weight_type == GALI_WEIGHT_INT8 && value < -GALI_I8_MOST) {
        return "-128, expected -127..127";
    }
    return beyond && value != 0 ? "not 0 beyond the layer's edge" : NULL;
}

/* A patch of one expert, the place of whose first weight is given. */
static gal_status check_patch(const sparse_reading *s, uint32_t row, uint32_t column, size_t place) {
    for (uint32_t i = 0; i < GALI_PATCH_WEIGHTS; i++) {
        const uint32_t n = row * GALI_PATCH_OUTPUTS + i / GALI_PATCH_INPUTS;
        const uint32_t k = column * GALI_PATCH_INPUTS + i % GALI_PATCH_INPUTS;
        const int beyond = n >= s->layer->outputs || k >= s->layer->inputs;
        const char *wrong = wrong_in_patch(s->layer, place + i, beyond);
        if (wrong) {
            return gali_reader_bad(
                s->r, "%s: layer %u, offset %zu: weight of output %u, input %u is %s", s->tag, s->index,
                s->offset + (place + i) * gali_weight_size(s->layer->weight_type), n, k, wrong);
        }
    }
    return GAL_OK;
}

/* A patch of every expert, the place of whose weights among an expert's patches is given. */
static gal_status check_patch_experts(const sparse_reading *s, uint32_t row, uint32_t column, uint32_t patch) {
    gal_status status = GAL_OK;
    for (uint32_t e = 0; e < s->layer->experts && status == GAL_OK; e++) {
        status = check_patch(s, row, column, ((size_t)e * s->layer->patches + patch) * GALI_PATCH_WEIGHTS);
    }
    return status;
}

gal_status gali_reader_patches(const gali_reader *r, const char *tag, uint32_t index,
                               const gali_model_layer *layer, size_t offset) {
    const sparse_reading s = {r, tag, index, layer, offset};
    const uint32_t columns = gali_sparse_columns(layer);
    gal_status status = GAL_OK;
    uint32_t patch = 0;
    for (uint32_t row = 0; row < gali_sparse_rows(layer); row++) {
        for (uint32_t column = 0; column < columns && status == GAL_OK; column++) {
            if (gali_sparse_has(layer, row, column)) {
                status = check_patch_experts(&s, row, column, patch++);
            }
        }
    }
    return status;
}
