/*
 * What a layer must hold, for the reader, which says what is wrong, and for the writer, which only asks whether.
 * Offsets in messages are those of the header's fields (docs/format.md).
 */
#include <math.h>

#include "base/error.h"
#include "network/layer.h"
#include "network/model_layout.h"
#include "network/precision.h"

enum {
    AT_ACTIVATION = 4,
    AT_EXPERTS = 8,
    AT_INPUTS = 12,
    AT_OUTPUTS = 16,
    AT_WEIGHT_TYPE = 20,
    AT_BLOCK = 24,
    AT_SOURCE_COUNT = 28,
    AT_SLOPE = 32,
    AT_EPSILON = 36,
};

/* Where a layer stands and who wants to know. */
typedef struct layer_place {
    const gali_layer_list *list;
    const gali_model_layer *layer;
    uint32_t index;
    size_t at;
    gal_error *error;
} layer_place;

#define LAYER_BAD(place, field, format, ...)                                                                   \
    gali_fail((place)->error, GAL_BAD_DATA, "%s: layer %u, offset %zu: " format, (place)->list->tag,           \
              (place)->index, (place)->at + (field), __VA_ARGS__)

static gal_status check_numbers(const layer_place *p) {
    const gali_model_layer *layer = p->layer;
    uint32_t most = p->list->experts;
    if ((unsigned)layer->kind >= GALI_LAYER_KIND_COUNT) {
        return LAYER_BAD(p, 0, "kind %u, expected 0..%d", (unsigned)layer->kind, GALI_LAYER_KIND_COUNT - 1);
    }
    if ((unsigned)layer->activation >= GALI_ACTIVATION_COUNT) {
        return LAYER_BAD(p, AT_ACTIVATION, "activation %u, expected 0..%d", (unsigned)layer->activation,
                         GALI_ACTIVATION_COUNT - 1);
    }
    if (layer->experts != 1 && (most == 1 || !gali_layer_has_panels(layer->kind))) {
        return LAYER_BAD(p, AT_EXPERTS, "%u experts, expected 1", layer->experts);
    }
    if (layer->experts != 1 && layer->experts != most) {
        return LAYER_BAD(p, AT_EXPERTS, "%u experts, expected 1 or the gate's %u", layer->experts, most);
    }
    if (layer->inputs < 1 || layer->inputs > GALI_WIDTH_MAX) {
        return LAYER_BAD(p, AT_INPUTS, "inputs %u, expected 1..%d", layer->inputs, GALI_WIDTH_MAX);
    }
    if (layer->outputs < 1 || layer->outputs > GALI_WIDTH_MAX) {
        return LAYER_BAD(p, AT_OUTPUTS, "outputs %u, expected 1..%d", layer->outputs, GALI_WIDTH_MAX);
    }
    return GAL_OK;
}

/* What depends on the kind and the activation. */
static gal_status check_kind(const layer_place *p) {
    const gali_model_layer *layer = p->layer;
    const gali_layer_ops *ops = gali_layer_ops_of(layer->kind);
    unsigned floats = gali_layer_columns(layer->kind, layer->inputs) ? GALI_WEIGHT_BF16 + 1 : 1;
    unsigned types = gali_layer_has_panels(layer->kind) ? GALI_WEIGHT_TYPE_COUNT : floats;
    int leaky = layer->activation == GALI_ACTIVATION_LEAKY_RELU;
    int epsilon = layer->kind == GALI_LAYER_LAYER_NORM;
    if (!ops->fits(layer->inputs, layer->outputs)) {
        return LAYER_BAD(p, AT_INPUTS, "%s with inputs %u, expected %s (%u)", ops->name, layer->inputs,
                         ops->sizes, layer->outputs);
    }
    if ((unsigned)layer->weight_type >= types) {
        return LAYER_BAD(p, AT_WEIGHT_TYPE, "weight type %u, expected 0..%u", (unsigned)layer->weight_type,
                         types - 1);
    }
    int blocks = layer->weight_type == GALI_WEIGHT_INT8 || layer->weight_type == GALI_WEIGHT_INT16;
    int none = layer->block == 0 && layer->weight_type != GALI_WEIGHT_INT16;
    if (!none && !(blocks && gali_precision_block_fits(layer->block))) {
        return LAYER_BAD(p, AT_BLOCK, "block %u, expected 0 but for integers, there a multiple of %d up to %d",
                         layer->block, GALI_BLOCK_LEAST, GALI_BLOCK_MOST);
    }
    if (!isfinite(layer->slope) || (!leaky && layer->slope != 0)) {
        return LAYER_BAD(p, AT_SLOPE, "slope %g, expected %s", (double)layer->slope,
                         leaky ? "a finite one" : "0, but for leaky_relu");
    }
    if (!isfinite(layer->epsilon) || (epsilon ? !(layer->epsilon > 0) : layer->epsilon != 0)) {
        return LAYER_BAD(p, AT_EPSILON, "epsilon %g, expected %s", (double)layer->epsilon,
                         epsilon ? "finite and > 0" : "0, but for layer_norm");
    }
    return GAL_OK;
}

/* One source; adds its elements to *sum. */
static gal_status check_source(const layer_place *p, uint32_t i, uint64_t *sum) {
    gali_source source = gali_layer_source(p->list, p->index, i);
    size_t field = GALI_LAYER_HEADER_SIZE + (size_t)i * GALI_SOURCE_SIZE;
    if (source.value > p->index) {
        return LAYER_BAD(p, field, "source %u: value %u, expected 0..%u", i, source.value, p->index);
    }
    uint32_t width = gali_layer_value_width(p->list, source.value);
    if (source.count < 1 || source.first >= width || source.count > width - source.first) {
        return LAYER_BAD(p, field + 4, "source %u: %u elements from %u of value %u, which has %u", i,
                         source.count, source.first, source.value, width);
    }
    *sum += source.count;
    return GAL_OK;
}

static gal_status check_sources(const layer_place *p) {
    uint64_t sum = 0;
    gal_status status = GAL_OK;
    if (p->layer->source_count > GALI_SOURCES_MAX) {
        return LAYER_BAD(p, AT_SOURCE_COUNT, "%u sources, expected 0..%d", p->layer->source_count,
                         GALI_SOURCES_MAX);
    }
    for (uint32_t i = 0; i < gali_layer_source_count(p->layer) && status == GAL_OK; i++) {
        status = check_source(p, i, &sum);
    }
    if (status == GAL_OK && sum != p->layer->inputs) {
        status = LAYER_BAD(p, AT_INPUTS, "inputs %u, expected %llu (what its sources have)", p->layer->inputs,
                           (unsigned long long)sum);
    }
    return status;
}

gal_status gali_layer_check(const gali_layer_list *list, uint32_t i, size_t at, gal_error *error) {
    layer_place p = {list, &list->layers[i], i, at, error};
    gal_status status = check_numbers(&p);
    if (status == GAL_OK) {
        status = check_kind(&p);
    }
    return status == GAL_OK ? check_sources(&p) : status;
}

gal_status gali_layer_check_read(const gali_layer_list *list, gal_error *error) {
    for (uint32_t i = 0; i + 1 < list->count; i++) {
        int any = 0;
        for (uint32_t j = i + 1; j < list->count && !any; j++) {
            any = gali_layer_reads(list, j, i + 1);
        }
        if (!any) {
            return gali_fail(error, GAL_BAD_DATA, "%s: layer %u: no other layer reads it", list->tag, i);
        }
    }
    return GAL_OK;
}
