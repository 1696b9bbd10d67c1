#include "network/pack_narrow.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "network/pack_sparse.h"
#include "network/quantise.h"

/* A layer being packed, with an output of one expert as it is on its way from the file to the panels. */
typedef struct narrow_work {
    const gali_packed_layer *layer;
    const gali_pack_source *source;
    const gali_model_layer *from;
    const gali_model *model;
    const gali_narrow *narrow;
    float *weights;  /* [inputs] */
    int16_t *q;      /* [inputs] */
    uint32_t *place; /* [inputs] of those that the panel has, which one it is; else NOT_THERE */
    uint16_t *scale; /* [blocks] of the integers, else unused */
} narrow_work;

static const uint32_t NOT_THERE = UINT32_MAX;

/* Whether the file has the layer's very integers, and whether their scales are blocks'. */
static int has_integers(const gali_pack_source *source) {
    const gali_model_layer *from = gali_pack_layer_of(source);
    const gal_precision precision = source->precision.precision;
    return from->block == source->precision.block &&
           ((precision == GAL_PRECISION_INT16 && from->weight_type == GALI_WEIGHT_INT16) ||
            (gali_precision_has_bytes(precision) && from->weight_type == GALI_WEIGHT_INT8));
}

static int stored_blocks(const gali_pack_source *source) {
    return has_integers(source) && source->precision.block;
}

uint32_t gali_pack_narrow_step(const gali_pack_source *source) {
    return stored_blocks(source) ? source->precision.block : 1;
}

uint32_t gali_pack_narrow_live(const gali_model *model, const gali_pack_source *source, uint32_t *live) {
    const uint32_t inputs = gali_pack_layer_of(source)->inputs;
    const uint32_t block = gali_pack_narrow_step(source);
    uint32_t count = 0;
    for (uint32_t first = 0; first < inputs; first += block) {
        const uint32_t end = inputs - first < block ? inputs : first + block;
        int any = 0;
        for (uint32_t k = first; k < end; k++) {
            any |= gali_pack_is_live(model, source, k);
        }
        for (uint32_t k = first; k < end && any; k++) {
            if (live) {
                live[count] = k;
            }
            count++;
        }
    }
    return count;
}

void gali_pack_narrow_shape(gali_packed_layer *layer) {
    const gali_narrow_kind kind = gali_precision_kind(layer->precision);
    layer->groups =
        gali_narrow_groups(kind, layer->sparse ? gali_pack_patch_own(layer->inputs) : layer->inputs);
    layer->span = gali_narrow_has_blocks(kind) ? layer->precision.block / gali_narrow_inputs(kind) : 0;
}

/* Rows of the packed weights of one expert of a dense layer: head, groups, blocks. */
static size_t rows_of(const gali_packed_layer *layer) {
    const gali_narrow_kind kind = gali_precision_kind(layer->precision);
    return gali_narrow_expert_size(kind, layer->groups, layer->span, 1) / GALI_NARROW_GROUP;
}

/* Those of a sparse layer's panels that have so many patches and blocks. */
static size_t sparse_rows(const gali_packed_layer *layer, size_t panels, gali_pack_count count) {
    const size_t each = GALI_PATCH_INPUTS / gali_narrow_inputs(gali_precision_kind(layer->precision));
    const size_t heads = gali_size_add(gali_size_mul(panels, GALI_NARROW_HEAD), count.blocks);
    return gali_size_add(heads, gali_size_mul(count.patches, each));
}

size_t gali_pack_narrow_size(const gali_packed_layer *layer, const gali_narrow *narrow) {
    const size_t row = gali_size_mul(gali_size_mul(layer->vectors, narrow->lanes), GALI_NARROW_GROUP);
    if (layer->sparse) {
        const size_t panel_row = (size_t)layer->width * narrow->lanes * GALI_NARROW_GROUP;
        return gali_size_mul(gali_size_mul(layer->experts, panel_row),
                             sparse_rows(layer, layer->panels, layer->count));
    }
    return gali_size_mul(gali_size_mul(layer->experts, rows_of(layer)), row);
}

gali_narrow_panel gali_pack_narrow_panel(const gali_packed_layer *layer, uint32_t panel, uint32_t expert,
                                         const gali_narrow *narrow) {
    const uint32_t start = gali_pack_panel_start(layer, panel);
    const uint32_t vectors = gali_pack_panel_start(layer, panel + 1) - start;
    const uint32_t first = start * narrow->lanes, width = vectors * narrow->lanes,
                   left = layer->outputs - first;
    const gali_pack_count begin = layer->sparse ? layer->starts[panel] : (gali_pack_count){0, 0};
    const gali_pack_count end = layer->sparse ? layer->starts[panel + 1] : begin;
    const gali_pack_count count = {end.patches - begin.patches, end.blocks - begin.blocks};
    const size_t before = layer->sparse ? vectors * sparse_rows(layer, panel, begin) : start * rows_of(layer);
    const size_t rows = layer->sparse ? sparse_rows(layer, 1, count) : rows_of(layer);
    return (gali_narrow_panel){
        .weights =
            (const unsigned char *)(const void *)layer->weights +
            (size_t)narrow->lanes * GALI_NARROW_GROUP * (before * layer->experts + vectors * rows * expert),
        .patches = layer->sparse ? layer->patches + begin.patches : NULL,
        .blocks = layer->sparse ? layer->blocks + begin.blocks : NULL,
        .patch_count = count.patches,
        .block_count = count.blocks,
        .groups = layer->groups,
        .span = layer->span,
        .vectors = vectors,
        .rows = vectors < layer->width ? 0 : layer->rows,
        .experts = 1,
        .first = first,
        .outputs = left < width ? left : width,
    };
}

static uint32_t input_at(const narrow_work *w, uint32_t i) {
    return w->source->live ? w->source->live[i] : i;
}

static size_t narrow_row_of(const narrow_work *w, uint32_t e, uint32_t n) {
    return (size_t)e * w->from->outputs + n;
}

static int is_dead(const narrow_work *w, uint32_t k) {
    return w->source->live && !gali_pack_is_live(w->model, w->source, k);
}

/* b and what constant inputs add to it, with the output's normalisation. */
static float narrow_bias(const narrow_work *w, uint32_t e, uint32_t n) {
    double bias = (double)gali_model_f32(w->from->biases, narrow_row_of(w, e, n));
    for (uint32_t k = 0; w->source->live && k < w->from->inputs; k++) {
        const uint32_t feature = gali_pack_feature(w->source, k);
        if (gali_model_u32(w->model->input_state, feature) == GALI_INPUT_CONSTANT) {
            const double mean = (double)gali_model_f32(w->model->input_mean, feature);
            const double x = (double)gali_model_f32(w->model->input_constant, feature) - mean;
            bias += (double)gali_model_weight(w->from, narrow_row_of(w, e, n) * w->from->inputs + k) * x /
                    (double)gali_model_f32(w->model->input_std, feature);
        }
    }
    bias *= w->source->scale_output ? (double)gali_model_f32(w->model->output_std, n) : 1.0;
    return (float)(bias + (w->source->shift_output ? (double)gali_model_f32(w->model->output_mean, n) : 0.0));
}

/* q and scale of an output. */
static int load_integers(const narrow_work *w, uint32_t e, uint32_t n) {
    const uint32_t inputs = w->layer->inputs, block = w->layer->precision.block;
    const uint32_t blocks = gali_quantise_blocks(inputs, block);
    const int words = w->layer->precision.precision == GAL_PRECISION_INT16;
    if (!has_integers(w->source)) {
        return gali_quantise(w->weights, inputs, block, words ? gali_quantise_int16 : gali_quantise_int8, w->q,
                             w->scale);
    }
    for (uint32_t i = 0; i < inputs; i++) {
        const uint32_t k = input_at(w, i);
        w->q[i] = is_dead(w, k) ? 0 : gali_model_integer(w->from, narrow_row_of(w, e, n) * w->from->inputs + k);
    }
    for (uint32_t b = 0; b < blocks; b++) {
        const uint32_t first = inputs && block ? input_at(w, b * block) / block : 0;
        w->scale[b] = gali_model_scale(w->from, narrow_row_of(w, e, n), first);
    }
    return 1;
}

static void narrow_put_word(unsigned char *at, uint32_t word) {
    memcpy(at, &word, sizeof word);
}

static void narrow_put_float(unsigned char *at, float value) {
    memcpy(at, &value, sizeof value);
}

/* Where an output of a panel stands: bias at head, groups behind the heads, rows `stride` bytes apart. */
typedef struct narrow_column {
    unsigned char *head, *groups;
    size_t stride;
    uint32_t lane;
} narrow_column;

/* Weights of the kinds without integers. */
static int put_halves(const narrow_work *w, narrow_column to, gali_narrow_kind kind) {
    int finite = 1;
    for (uint32_t i = 0; i < w->layer->inputs; i++) {
        const float value = w->weights[i]; /* 0 where it is not there */
        uint16_t half = kind == GALI_NARROW_F16 ? gali_f16_round(value) : gali_bf16_round(value);
        finite &= kind == GALI_NARROW_F16 ? (half & 0x7c00u) != 0x7c00u : (half & 0x7f80u) != 0x7f80u;
        if (kind == GALI_NARROW_BF16_DOT && fabsf(value) < 0x1p-55f) {
            half = 0;
        }
        if (w->place[i] != NOT_THERE) {
            memcpy(to.groups + gali_narrow_place(w->narrow, kind, to.lane, w->place[i], to.stride), &half,
                   sizeof half);
        }
    }
    return finite;
}

/* The word of a block, `row` rows behind the heads: its scale, and what makes unsigned bytes signed. */
static void put_block(const narrow_work *w, narrow_column to, gali_narrow_kind kind, uint32_t block, size_t row,
                      int32_t sum) {
    const uint32_t low =
        kind == GALI_NARROW_I8_BLOCKS && !w->narrow->signed_bytes ? (uint32_t)-sum & 0xffffu : 0;
    narrow_put_word(to.groups + to.lane * GALI_NARROW_GROUP + row * to.stride,
                    (uint32_t)w->scale[block] << 16 | low);
}

static void put_integer(const narrow_work *w, unsigned char *at, gali_narrow_kind kind, uint32_t i) {
    if (kind == GALI_NARROW_I16_BLOCKS) {
        memcpy(at, &w->q[i], sizeof w->q[i]);
    } else {
        *at = (unsigned char)(int8_t)w->q[i];
    }
}

/* Whether the panel has one of inputs [i, i + block). */
static int has_any(const narrow_work *w, uint32_t i, uint32_t block) {
    const uint32_t end = w->layer->inputs - i < block ? w->layer->inputs : i + block;
    while (i < end && w->place[i] == NOT_THERE) {
        i++;
    }
    return i < end;
}

/* Integers and the words of their blocks, or the sum of the head; returns the head's scale. */
static float put_integers(const narrow_work *w, narrow_column to, gali_narrow_kind kind) {
    const int blocks = gali_narrow_has_blocks(kind);
    const uint32_t block = blocks ? w->layer->precision.block : w->layer->inputs + 1;
    int32_t sum = 0;
    uint32_t before = 0, next = 0; /* inputs that are there before the block, and so far */
    uint32_t words = 0;            /* blocks that are there, this one's included */
    for (uint32_t i = 0; i < w->layer->inputs; i++) {
        before = i % block ? before : next;
        words += blocks && i % block == 0 && has_any(w, i, block);
        sum = (i % block ? sum : 0) + w->q[i];
        if (w->place[i] != NOT_THERE) {
            next = w->place[i] + 1;
            put_integer(w,
                        to.groups + words * to.stride +
                            gali_narrow_place(w->narrow, kind, to.lane, w->place[i], to.stride),
                        kind, i);
        }
        if (blocks && next > before && (i % block == block - 1 || i + 1 == w->layer->inputs)) {
            put_block(w, to, kind, i / block, words - 1 + (size_t)before / gali_narrow_inputs(kind), sum);
        }
    }
    if (blocks) {
        return 1;
    }
    narrow_put_word(to.head + (GALI_NARROW_HEAD - 1) * to.stride, (uint32_t)sum);
    return gali_quantise_scale(w->scale[0]);
}

/* One output of one expert. 0 if it does not fit. */
static int narrow_pack_output(narrow_work *w, uint32_t e, uint32_t n, narrow_column to) {
    const gali_narrow_kind kind = gali_precision_kind(w->layer->precision);
    const float bias = narrow_bias(w, e, n);
    double scale = 1;
    int fits = 1;
    for (uint32_t i = 0; i < w->layer->inputs; i++) {
        const uint32_t k = input_at(w, i);
        w->weights[i] =
            is_dead(w, k) ? 0 : gali_model_weight(w->from, narrow_row_of(w, e, n) * w->from->inputs + k);
    }
    if (kind == GALI_NARROW_F16 || kind == GALI_NARROW_BF16 || kind == GALI_NARROW_BF16_DOT) {
        fits = put_halves(w, to, kind);
    } else {
        fits = load_integers(w, e, n);
        scale = (double)put_integers(w, to, kind);
    }
    scale *= w->source->scale_output ? (double)gali_model_f32(w->model->output_std, n) : 1.0;
    narrow_put_float(to.head, bias);
    narrow_put_float(to.head + to.stride, (float)scale);
    return fits && isfinite(bias) && isfinite((float)scale);
}

/* Where the panel's inputs stand in it. */
static void place_inputs(narrow_work *w, const gali_narrow_panel *panel) {
    for (uint32_t i = 0; i < w->layer->inputs; i++) {
        w->place[i] = panel->patches ? NOT_THERE : i;
    }
    for (uint32_t p = 0; p < panel->patch_count; p++) {
        for (uint32_t i = 0; i < GALI_PATCH_INPUTS && panel->patches[p] + i < w->layer->inputs; i++) {
            w->place[panel->patches[p] + i] = p * GALI_PATCH_INPUTS + i;
        }
    }
}

static gal_status narrow_pack_panel(narrow_work *w, uint32_t p, uint32_t e, gal_error *error) {
    const gali_narrow_panel panel = gali_pack_narrow_panel(w->layer, p, e, w->narrow);
    const uint32_t lanes = w->narrow->lanes;
    const size_t stride = (size_t)panel.vectors * lanes * GALI_NARROW_GROUP;
    unsigned char *bytes = (unsigned char *)(uintptr_t)panel.weights;
    const gali_pack_count count = {panel.patch_count, panel.block_count};
    const size_t rows = panel.patches ? sparse_rows(w->layer, 1, count) : rows_of(w->layer);
    memset(bytes, 0, rows * stride);
    place_inputs(w, &panel);
    for (uint32_t i = 0; i < panel.outputs; i++) {
        const narrow_column to = {bytes + (size_t)i * GALI_NARROW_GROUP,
                                  bytes + GALI_NARROW_HEAD * stride +
                                      (size_t)(i / lanes) * lanes * GALI_NARROW_GROUP,
                                  stride, i % lanes};
        if (!narrow_pack_output(w, e, panel.first + i, to)) {
            return gali_fail(error, GAL_BAD_DATA, "%s: layer %u, expert %u, output %u: too large for %s",
                             w->source->list.tag, w->source->index, e, panel.first + i,
                             gal_precision_name(w->layer->precision.precision));
        }
    }
    return GAL_OK;
}

gal_status gali_pack_narrow(gali_packed_layer *layer, const gali_pack_source *source, const gali_model *model,
                            const gali_narrow *narrow, unsigned char *weights, const gal_allocator *allocator,
                            gal_error *error) {
    const size_t each = sizeof(float) + sizeof(uint32_t) + sizeof(int16_t) + sizeof(uint16_t);
    const size_t size = ((size_t)layer->inputs + 1) * each;
    float *scratch = gali_allocate(allocator, size);
    if (!scratch) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory to pack a layer: %zu bytes", size);
    }
    layer->weights = (const float *)(const void *)weights;
    narrow_work w = {.layer = layer,
                     .source = source,
                     .from = gali_pack_layer_of(source),
                     .model = model,
                     .narrow = gali_narrow_of(narrow, gali_precision_kind(layer->precision)),
                     .weights = scratch,
                     .place = (uint32_t *)(void *)(scratch + layer->inputs + 1),
                     .q = (int16_t *)(void *)(scratch + 2 * ((size_t)layer->inputs + 1))};
    w.scale = (uint16_t *)(void *)(w.q + layer->inputs + 1);
    gal_status status = GAL_OK;
    for (uint32_t p = 0; p < layer->panels; p++) {
        for (uint32_t e = 0; e < layer->experts && status == GAL_OK; e++) {
            status = narrow_pack_panel(&w, p, e, error);
        }
    }
    gali_release(allocator, scratch, size);
    return status;
}

/* The nearest live input of a dead one's block, to be read in its place. */
static uint32_t live_of_block(const gali_model *model, const gali_pack_source *source, uint32_t k) {
    const uint32_t block = source->precision.block; /* there are blocks, or no dead input is kept */
    uint32_t i = k / block * block;
    while (!gali_pack_is_live(model, source, i)) {
        i++;
    }
    return i;
}

void gali_pack_narrow_inputs(const gali_pack_source *source, const gali_model *model, uint32_t *live,
                             float *shift, float *factor) {
    for (uint32_t i = 0; i < source->live_count; i++) {
        const int dead = !gali_pack_is_live(model, source, live[i]);
        const uint32_t k = dead ? live_of_block(model, source, live[i]) : live[i];
        live[i] = gali_pack_feature(source, k);
        shift[i] = gali_model_f32(model->input_mean, live[i]);
        factor[i] = dead ? 0 : 1 / gali_model_f32(model->input_std, live[i]);
    }
}
