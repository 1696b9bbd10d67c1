/*
 * Writes a model file into memory. One function lays the sections out; size, placing and writing all follow
 * it. A model may be built in the very bytes it is written to (gali_model_place), so that a maker of large
 * models holds the weights once.
 *
 *     header | table | GATE | NORM | LAYR | CNTR | GOLD | PROV      each section at a multiple of 64
 */
#include "network/layer.h"
#include "network/model_layout.h"
#include "network/quantise.h"
#include "network/sparse.h"

#include <string.h>

#include "base/crc32.h"
#include "base/little_endian.h"
#include "base/size.h"

const char gali_section_tags[GALI_SECTION_COUNT][5] = {"GATE", "NORM", "LAYR", "CNTR", "GOLD", "PROV"};

typedef struct place {
    size_t offset, size;
    int present;
} place;

typedef struct layout {
    place sections[GALI_SECTION_COUNT];
    uint32_t count; /* of those present */
    size_t size;    /* of the file */
} layout;

size_t gali_weight_size(gali_weight_type type) {
    return type == GALI_WEIGHT_F32 ? 4 : type == GALI_WEIGHT_INT8 ? 1 : 2;
}

size_t gali_layer_blocks(const gali_model_layer *layer) {
    int integers = layer->weight_type == GALI_WEIGHT_INT8 || layer->weight_type == GALI_WEIGHT_INT16;
    return integers ? gali_quantise_blocks(layer->inputs, layer->block) : 0;
}

size_t gali_layer_scales_size(const gali_model_layer *layer) {
    size_t rows = gali_size_mul(layer->experts, layer->outputs);
    return gali_size_align(gali_size_mul(2, gali_size_mul(rows, gali_layer_blocks(layer))), 4);
}

size_t gali_layer_sources_size(const gali_model_layer *layer) {
    return gali_size_mul(layer->source_count, GALI_SOURCE_SIZE);
}

size_t gali_layer_stored(const gali_model_layer *layer) {
    if (layer->kind == GALI_LAYER_SPARSE) {
        return gali_size_mul(gali_size_mul(layer->experts, layer->patches), GALI_PATCH_WEIGHTS);
    }
    return gali_size_mul(gali_size_mul(layer->experts, layer->outputs),
                         gali_layer_columns(layer->kind, layer->inputs));
}

size_t gali_layer_weights_size(const gali_model_layer *layer) {
    return gali_size_align(gali_size_mul(gali_layer_stored(layer), gali_weight_size(layer->weight_type)), 4);
}

size_t gali_layer_biases_size(const gali_model_layer *layer) {
    return gali_layer_columns(layer->kind, layer->inputs)
               ? gali_size_mul(4, gali_size_mul(layer->experts, layer->outputs))
               : 0;
}

size_t gali_norm_size(const gali_model *model) {
    size_t values = gali_size_add(gali_size_mul(model->inputs, 4), gali_size_mul(model->outputs, 2));
    return gali_size_add(8, gali_size_mul(4, values));
}

size_t gali_golden_size(const gali_model *model) {
    size_t row = gali_size_add(gali_size_add(model->inputs, model->outputs), model->golden.blend_width);
    return gali_size_add(GALI_GOLDEN_HEADER_SIZE, gali_size_mul(4, gali_size_mul(row, model->golden.frames)));
}

/* Layers with their headers. */
static size_t layers_size(const gali_model_layer *layers, uint32_t count) {
    size_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        const gali_model_layer *layer = &layers[i];
        size = gali_size_add(size, gali_size_add(GALI_LAYER_HEADER_SIZE, gali_layer_sources_size(layer)));
        size = gali_size_add(size, gali_sparse_mask_size(layer));
        size = gali_size_add(size, gali_layer_weights_size(layer));
        size = gali_size_add(size, gali_layer_scales_size(layer));
        size = gali_size_add(size, gali_layer_biases_size(layer));
    }
    return size;
}

size_t gali_gate_size(const gali_model *model) {
    const gali_gating *gating = &model->gating;
    if (model->gate != GAL_GATE_NETWORK) {
        return GALI_GATE_SIZE;
    }
    size_t features = gali_size_mul(4, gating->input_count);
    return gali_size_add(GALI_GATE_SIZE + GALI_GATING_SIZE,
                         gali_size_add(features, layers_size(gating->layers, gating->layer_count)));
}

void gali_norm_place(gali_model *model, const unsigned char *bytes) {
    size_t k = 4 * (size_t)model->inputs, n = 4 * (size_t)model->outputs;
    model->input_mean = bytes + 8;
    model->input_std = bytes + 8 + k;
    model->output_mean = bytes + 8 + 2 * k;
    model->output_std = bytes + 8 + 2 * k + n;
    model->input_state = bytes + 8 + 2 * k + 2 * n;
    model->input_constant = bytes + 8 + 3 * k + 2 * n;
}

void gali_golden_place(gali_model *model, const unsigned char *bytes) {
    gali_golden *golden = &model->golden;
    size_t x = 4 * (size_t)golden->frames * model->inputs;
    golden->x = bytes + GALI_GOLDEN_HEADER_SIZE;
    golden->blend = bytes + GALI_GOLDEN_HEADER_SIZE + x;
    golden->y = bytes + GALI_GOLDEN_HEADER_SIZE + x + 4 * (size_t)golden->frames * golden->blend_width;
}

static int layers_hold(const gali_layer_list *list) {
    int hold = 1;
    for (uint32_t i = 0; hold && i < list->count; i++) {
        hold = gali_layer_check(list, i, 0, NULL) == GAL_OK;
    }
    return hold && gali_layer_check_read(list, NULL) == GAL_OK;
}

static int gating_holds(const gali_model *model) {
    const gali_gating *gating = &model->gating;
    if (model->gate != GAL_GATE_NETWORK) {
        return 1;
    }
    gali_layer_list list = gali_layer_list_gate(gating);
    return gating->layer_count >= 1 && gating->layer_count <= GALI_GATING_LAYERS_MAX &&
           gating->top <= model->experts && gating->input_count >= 1 && gating->input_count <= model->inputs &&
           layers_hold(&list) && gating->layers[gating->layer_count - 1].outputs == model->experts;
}

static int counts_hold(const gali_model *model) {
    gali_layer_list list = gali_layer_list_main(model);
    return model->layer_count >= 1 && model->layer_count <= GALI_LAYERS_MAX && model->experts >= 1 &&
           model->experts <= GALI_EXPERTS_MAX && (unsigned)model->gate < GAL_GATE_COUNT &&
           model->golden.frames <= GALI_GOLDEN_MAX && model->contract_size <= GALI_CONTRACT_MAX &&
           model->provenance_size <= GALI_PROVENANCE_MAX && model->inputs >= 1 &&
           model->inputs <= GALI_WIDTH_MAX && layers_hold(&list) &&
           model->outputs == model->layers[model->layer_count - 1].outputs && gating_holds(model);
}

/* Lays the file out; 0 if the model breaks a limit. */
static int lay_out(const gali_model *model, layout *l) {
    *l = (layout){0};
    if (!counts_hold(model)) {
        return 0;
    }
    place *s = l->sections;
    s[GALI_SECTION_GATE] = (place){0, gali_gate_size(model), 1};
    s[GALI_SECTION_NORM] = (place){0, gali_norm_size(model), 1};
    s[GALI_SECTION_LAYR] = (place){0, gali_size_add(8, layers_size(model->layers, model->layer_count)), 1};
    s[GALI_SECTION_CNTR] = (place){0, model->contract_size, model->contract != NULL};
    s[GALI_SECTION_GOLD] = (place){0, gali_golden_size(model), model->golden.frames > 0};
    s[GALI_SECTION_PROV] = (place){0, model->provenance_size, model->provenance != NULL};
    for (int i = 0; i < GALI_SECTION_COUNT; i++) {
        l->count += (uint32_t)s[i].present;
    }
    l->size = GALI_HEADER_SIZE + (size_t)l->count * GALI_ENTRY_SIZE;
    for (int i = 0; i < GALI_SECTION_COUNT; i++) {
        if (s[i].present) {
            s[i].offset = gali_size_align(l->size, GALI_SECTION_ALIGNMENT);
            l->size = gali_size_add(s[i].offset, s[i].size);
        }
    }
    return l->size != GALI_SIZE_BAD && l->size <= GALI_FILE_MAX;
}

size_t gali_model_write_size(const gali_model *model) {
    layout l;
    return lay_out(model, &l) ? l.size : 0;
}

static void place_layers(gali_model_layer *layers, uint32_t count, const unsigned char *bytes) {
    for (uint32_t i = 0; i < count; i++) {
        gali_model_layer *layer = &layers[i];
        layer->sources = bytes + GALI_LAYER_HEADER_SIZE;
        bytes += GALI_LAYER_HEADER_SIZE + gali_layer_sources_size(layer);
        layer->mask = bytes + GALI_SPARSE_HEAD_SIZE;
        bytes += gali_sparse_mask_size(layer);
        layer->weights = bytes;
        bytes += gali_layer_weights_size(layer);
        layer->scales = bytes;
        bytes += gali_layer_scales_size(layer);
        layer->biases = bytes;
        bytes += gali_layer_biases_size(layer);
    }
}

void gali_model_place(gali_model *placed, const gali_model *model, void *bytes) {
    layout l;
    if (!lay_out(model, &l)) {
        return;
    }
    unsigned char *file = bytes;
    *placed = *model;
    gali_norm_place(placed, file + l.sections[GALI_SECTION_NORM].offset);
    place_layers(placed->layers, placed->layer_count, file + l.sections[GALI_SECTION_LAYR].offset + 8);
    if (model->gate == GAL_GATE_NETWORK) {
        const unsigned char *features =
            file + l.sections[GALI_SECTION_GATE].offset + GALI_GATE_SIZE + GALI_GATING_SIZE;
        placed->gating.features = features;
        place_layers(placed->gating.layers, placed->gating.layer_count,
                     features + 4 * (size_t)model->gating.input_count);
    }
    if (model->golden.frames) {
        gali_golden_place(placed, file + l.sections[GALI_SECTION_GOLD].offset);
    }
    if (model->contract) {
        placed->contract = (const char *)file + l.sections[GALI_SECTION_CNTR].offset;
    }
    if (model->provenance) {
        placed->provenance = (const char *)file + l.sections[GALI_SECTION_PROV].offset;
    }
}

static void put_u64(unsigned char *at, uint64_t value) {
    gali_put_u32(at, 0, (uint32_t)value);
    gali_put_u32(at, 1, (uint32_t)(value >> 32));
}

/* The same place twice is nothing to do: a model built in its file. */
static void copy(const void *to, const void *from, size_t size) {
    if (to != from && size) {
        memmove((void *)to, from, size);
    }
}

static void copy_padded(const void *to, const void *from, size_t size, size_t padded) {
    copy(to, from, size);
    memset((unsigned char *)(uintptr_t)to + size, 0, padded - size);
}

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void write_layer(const gali_model_layer *layer, const gali_model_layer *placed) {
    unsigned char *header = (unsigned char *)placed->sources - GALI_LAYER_HEADER_SIZE;
    const uint32_t fields[] = {
        (uint32_t)layer->kind, (uint32_t)layer->activation,  layer->experts, layer->inputs,
        layer->outputs,        (uint32_t)layer->weight_type, layer->block,   layer->source_count,
        bits_of(layer->slope), bits_of(layer->epsilon)};
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        gali_put_u32(header, f, fields[f]);
    }
    copy(placed->sources, layer->sources, gali_layer_sources_size(layer));
    size_t rows = (size_t)layer->experts * layer->outputs;
    if (layer->kind == GALI_LAYER_SPARSE) {
        gali_put_u32((const unsigned char *)placed->mask - GALI_SPARSE_HEAD_SIZE, 0, layer->patches);
        copy(placed->mask, layer->mask, gali_sparse_mask_size(layer) - GALI_SPARSE_HEAD_SIZE);
    }
    copy_padded(placed->weights, layer->weights,
                gali_weight_size(layer->weight_type) * gali_layer_stored(layer),
                gali_layer_weights_size(layer));
    copy_padded(placed->scales, layer->scales, 2 * rows * gali_layer_blocks(layer),
                gali_layer_scales_size(layer));
    copy(placed->biases, layer->biases, gali_layer_biases_size(layer));
}

static void write_list(const gali_model_layer *layers, const gali_model_layer *placed, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        write_layer(&layers[i], &placed[i]);
    }
}

static void write_layers(const gali_model *model, const gali_model *placed, unsigned char *section) {
    gali_put_u32(section, 0, model->layer_count);
    gali_put_u32(section, 1, model->inputs);
    write_list(model->layers, placed->layers, model->layer_count);
}

static void write_norm(const gali_model *model, const gali_model *placed) {
    unsigned char *section = (unsigned char *)placed->input_mean - 8;
    size_t k = 4 * (size_t)model->inputs, n = 4 * (size_t)model->outputs;
    gali_put_u32(section, 0, model->inputs);
    gali_put_u32(section, 1, model->outputs);
    copy(placed->input_mean, model->input_mean, k);
    copy(placed->input_std, model->input_std, k);
    copy(placed->output_mean, model->output_mean, n);
    copy(placed->output_std, model->output_std, n);
    copy(placed->input_state, model->input_state, k);
    copy(placed->input_constant, model->input_constant, k);
}

static void write_golden(const gali_model *model, const gali_model *placed) {
    const gali_golden *golden = &model->golden;
    if (!golden->frames) {
        return;
    }
    unsigned char *section = (unsigned char *)placed->golden.x - GALI_GOLDEN_HEADER_SIZE;
    const uint32_t fields[] = {golden->frames,
                               model->inputs,
                               model->outputs,
                               golden->blend_width,
                               bits_of(golden->tolerance),
                               0,
                               0,
                               0};
    for (size_t f = 0; f < 8; f++) {
        gali_put_u32(section, f, fields[f]);
    }
    copy(placed->golden.x, golden->x, 4 * (size_t)golden->frames * model->inputs);
    copy(placed->golden.blend, golden->blend, 4 * (size_t)golden->frames * golden->blend_width);
    copy(placed->golden.y, golden->y, 4 * (size_t)golden->frames * model->outputs);
}

static void write_gate(const gali_model *model, const gali_model *placed, unsigned char *section) {
    const gali_gating *gating = &model->gating;
    int network = model->gate == GAL_GATE_NETWORK;
    gali_put_u32(section, 0, (uint32_t)model->gate);
    gali_put_u32(section, 1, model->experts);
    gali_put_u32(section, 2, network ? gating->top : 0);
    gali_put_u32(section, 3, 0);
    if (network) {
        gali_put_u32(section, 4, gating->input_count);
        gali_put_u32(section, 5, gating->layer_count);
        put_u64(section + 24, 0);
        copy(placed->gating.features, gating->features, 4 * (size_t)gating->input_count);
        write_list(gating->layers, placed->gating.layers, gating->layer_count);
    }
}

/* Clears the gaps before the sections, then writes the table and, over it, the header. */
static void write_table(const layout *l, unsigned char *file) {
    unsigned char *entry = file + GALI_HEADER_SIZE;
    size_t end = GALI_HEADER_SIZE + (size_t)l->count * GALI_ENTRY_SIZE;
    for (int i = 0; i < GALI_SECTION_COUNT; i++) {
        const place *s = &l->sections[i];
        if (s->present) {
            memset(file + end, 0, s->offset - end);
            memcpy(entry, gali_section_tags[i], 4);
            gali_put_u32(entry, 1, gali_crc32(file + s->offset, s->size));
            put_u64(entry + 8, s->offset);
            put_u64(entry + 16, s->size);
            put_u64(entry + 24, 0);
            entry += GALI_ENTRY_SIZE;
            end = s->offset + s->size;
        }
    }
    memcpy(file, GALI_MAGIC, 8);
    gali_put_u32(file, 2, GALI_FORMAT_VERSION);
    gali_put_u32(file, 3, l->count);
    put_u64(file + 16, l->size);
    gali_put_u32(file, 6, gali_crc32(file + GALI_HEADER_SIZE, (size_t)l->count * GALI_ENTRY_SIZE));
    gali_put_u32(file, 7, 0);
}

void gali_model_write(const gali_model *model, void *bytes) {
    layout l;
    if (!lay_out(model, &l)) {
        return;
    }
    gali_model placed;
    gali_model_place(&placed, model, bytes);
    write_gate(model, &placed, (unsigned char *)bytes + l.sections[GALI_SECTION_GATE].offset);
    write_norm(model, &placed);
    write_layers(model, &placed, (unsigned char *)bytes + l.sections[GALI_SECTION_LAYR].offset);
    write_golden(model, &placed);
    copy(placed.contract, model->contract, model->contract_size);
    copy(placed.provenance, model->provenance, model->provenance_size);
    write_table(&l, bytes);
}
