/*
 * Times panel widths layer by layer, of reduced precision also lower tiles, which have registers left for sums: the
 * same packed size, all experts, as many characters as one, a few, a tile and two of them. A candidate's score is the product
 * of its times, so that each count has its say, and must beat the table's clearly, or the noise of the moment would choose.
 * Weights are zero, which takes as long as any others; where those of all layers do not fit into L2, other bytes are read through
 * it before each time, since a run then finds none of a layer's there.
 */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "cpu/machine.h"
#include "network/pack_narrow.h"

enum { COUNTS = 4, COUNT_MOST = 16, TIMES = 3, ROWS_LOW = 5 };

static const uint32_t tried_counts[COUNTS] = {1, 5, 8, COUNT_MOST};
static const double worth = 0.95; /* of the table's score */

/* One layer's weights, inputs, outputs, a blend, prepared inputs and other bytes, in that order in one allocation. */
typedef struct scene {
    const gali_plan *plan;
    float *weights, *x, *y, *blend;
    unsigned char *prepared;
    size_t each; /* bytes of a character's prepared inputs; 0: the layer is float32 */
    const unsigned char *others;
    size_t others_size; /* 0: the network fits into L2 */
    size_t size;
} scene;

static float *output_of(const scene *s, const gali_packed_layer *layer, uint32_t c) {
    return s->y + (size_t)c * layer->outputs;
}

/* All experts of a panel in one call, as a run of few characters has them. */
static void run_floats(const gali_packed_layer *layer, const scene *s, uint32_t count) {
    gali_row rows[COUNT_MOST];
    for (uint32_t c = 0; c < count; c++) {
        rows[c] =
            (gali_row){s->x + (size_t)c * layer->inputs, output_of(s, layer, c), s->blend, GALI_ROW_FIRST};
    }
    for (uint32_t p = 0; p < layer->panels; p++) {
        gali_panel panel = gali_pack_panel(layer, p, 0, s->plan->kernels);
        panel.experts = layer->experts;
        panel.follows = panel.experts <= layer->reach;
        s->plan->kernels->panel_f32(&panel, rows, count);
    }
}

static void run_prepared(const gali_packed_layer *layer, const scene *s, uint32_t count) {
    const gali_narrow_kind kind = gali_precision_kind(layer->precision);
    const gali_narrow *table = gali_narrow_of(s->plan->narrow, kind);
    gali_narrow_row rows[COUNT_MOST];
    for (uint32_t c = 0; c < count; c++) {
        const gali_narrow_input input = {.x = s->x + (size_t)c * layer->inputs,
                                         .count = layer->inputs,
                                         .groups = layer->groups,
                                         .span = layer->span};
        rows[c] = (gali_narrow_row){
            .y = output_of(s, layer, c), .blend = s->blend, .mode = GALI_ROW_FIRST | GALI_ROW_LAST};
        table->prepare[kind](&input, s->prepared + c * s->each, &rows[c]);
    }
    for (uint32_t p = 0; p < layer->panels; p++) {
        gali_narrow_panel panel = gali_pack_narrow_panel(layer, p, 0, s->plan->narrow);
        panel.experts = layer->experts;
        table->panel[kind](&panel, rows, count);
    }
}

static void run_once(const gali_packed_layer *layer, const scene *s, uint32_t count) {
    if (s->each) {
        run_prepared(layer, s, count);
    } else {
        run_floats(layer, s, count);
    }
}

static void read_others(const scene *s) {
    volatile unsigned char sink = 0;
    for (size_t i = 0; i < s->others_size; i += GALI_ALIGNMENT) {
        sink = s->others[i];
    }
    (void)sink;
}

static double best_time(const gali_packed_layer *layer, const scene *s, uint32_t count) {
    double best = 1e9;
    run_once(layer, s, count);
    for (int i = 0; i < TIMES; i++) {
        read_others(s);
        double start = gali_clock_seconds();
        run_once(layer, s, count);
        double took = gali_clock_seconds() - start;
        best = took > 0 && took < best ? took : best;
    }
    return best;
}

static gali_packed_layer packed_as(const gali_plan *plan, const gali_plan_layer *tried) {
    gali_packed_layer layer = gali_pack_planned(tried, plan->kernels);
    layer.reach = gali_pack_reach(&layer, plan->kernels, gali_machine_l2());
    if (gali_precision_is_narrow(layer.precision)) {
        gali_pack_narrow_shape(&layer);
    }
    return layer;
}

static double score(const gali_plan_layer *tried, const scene *s) {
    gali_packed_layer layer = packed_as(s->plan, tried);
    layer.weights = s->weights;
    double product = 1;
    for (uint32_t i = 0; i < COUNTS; i++) {
        product *= best_time(&layer, s, tried_counts[i]);
    }
    return product;
}

static void measure_layer(gali_plan_layer *layer, const scene *s) {
    const uint32_t lanes = s->plan->kernels->lanes, all = (layer->outputs + lanes - 1) / lanes;
    const gali_plan_layer table = *layer;
    double best = score(layer, s) * worth;
    for (uint32_t vectors = 2; vectors <= GALI_PANEL_VECTORS_MAX && vectors <= all; vectors++) {
        const uint32_t most = gali_plan_rows(s->plan, layer, vectors);
        for (uint32_t rows = most; rows; rows = s->each && rows > ROWS_LOW ? ROWS_LOW : 0) {
            gali_plan_layer tried = table;
            tried.vectors = vectors;
            tried.rows = rows;
            double product = vectors == table.vectors && rows == table.rows ? best : score(&tried, s);
            if (product < best) {
                best = product;
                *layer = tried;
            }
        }
    }
}

static size_t weights_size(const gali_plan *plan, const gali_plan_layer *layer) {
    const gali_packed_layer packed = packed_as(plan, layer);
    return gali_precision_is_narrow(layer->precision)
               ? gali_pack_narrow_size(&packed, plan->narrow)
               : gali_size_mul(gali_pack_floats(&packed, plan->kernels), sizeof(float));
}

/* Bytes to be read through L2: twice as many as it has, or none. */
static size_t others_for(const gali_plan *plan, size_t l2) {
    size_t all = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        all = gali_size_add(all, weights_size(plan, &plan->layers[i]));
    }
    return all > l2 ? 2 * l2 : 0;
}

static scene make_scene(const gali_plan *plan, const gali_plan_layer *layer, const gal_network_desc *desc) {
    const gali_packed_layer packed = packed_as(plan, layer);
    const size_t weights = weights_size(plan, layer);
    scene s = {.plan = plan, .others_size = others_for(plan, gali_machine_l2())};
    if (gali_precision_is_narrow(layer->precision)) {
        s.each = gali_size_align(
            gali_narrow_input_size(gali_precision_kind(layer->precision), packed.groups, packed.span),
            GALI_ALIGNMENT);
    }
    const size_t ends = gali_size_mul(gali_size_add(layer->inputs, layer->outputs), COUNT_MOST);
    const size_t floats = gali_size_mul(gali_size_add(ends, layer->experts), sizeof(float));
    const size_t rest = gali_size_align(gali_size_add(weights, floats), GALI_ALIGNMENT);
    const size_t others = gali_size_add(rest, gali_size_mul(s.each, COUNT_MOST));
    s.size = gali_size_add(others, s.others_size);
    s.weights = gali_machine_allocate(desc->allocator, s.size, desc->small_pages != 0);
    if (s.weights) {
        memset(s.weights, 0, s.size);
        s.x = (float *)(void *)((unsigned char *)s.weights + weights);
        s.y = s.x + (size_t)layer->inputs * COUNT_MOST;
        s.blend = s.y + (size_t)layer->outputs * COUNT_MOST;
        s.prepared = (unsigned char *)s.weights + rest;
        s.others = (unsigned char *)s.weights + others;
    }
    return s;
}

gal_status gali_plan_measure(gali_plan *plan, const gal_network_desc *desc, gal_error *error) {
    for (uint32_t i = plan->gating; i < plan->count; i++) {
        gali_plan_layer *layer = &plan->layers[i];
        if (layer->form != GAL_FORM_PER_EXPERT || !gali_layer_has_panels(layer->kind) ||
            gali_plan_is_sparse(layer)) {
            continue; /* a sparse one has no choice of widths */
        }
        scene s = make_scene(plan, layer, desc);
        if (!s.weights) {
            return gali_fail(error, GAL_NO_MEMORY, "no memory to measure a plan: %zu bytes", s.size);
        }
        measure_layer(layer, &s);
        gali_release(desc->allocator, s.weights, s.size);
    }
    return GAL_OK;
}
