/*
 * Times panel widths layer by layer: the same packed size, all experts, as many characters as one, a few and two
 * tiles; a width's score is the product of its times, so that each count has its say, and must beat the table's clearly,
 * or the noise of the moment would choose. Weights are zero, which takes as long as any others.
 */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "cpu/machine.h"
#include "network/pack.h"

enum { COUNTS = 3, COUNT_MOST = 16, TIMES = 3 };

static const uint32_t tried_counts[COUNTS] = {1, 8, COUNT_MOST};
static const double worth = 0.95; /* of the table's score */

/* One layer's weights, inputs, outputs and a blend, in that order in one allocation. */
typedef struct scene {
    float *weights, *x, *y, *blend;
    size_t size;
} scene;

/* All experts of a panel in one call, as a run of few characters has them. */
static void run_once(const gali_packed_layer *layer, const gali_kernels *kernels, const scene *s,
                     uint32_t count) {
    gali_row rows[COUNT_MOST];
    for (uint32_t c = 0; c < count; c++) {
        rows[c] = (gali_row){s->x + (size_t)c * layer->inputs, s->y + (size_t)c * layer->outputs, s->blend,
                             GALI_ROW_FIRST};
    }
    for (uint32_t p = 0; p < layer->panels; p++) {
        gali_panel panel = gali_pack_panel(layer, p, 0, kernels);
        panel.experts = layer->experts;
        kernels->panel_f32(&panel, rows, count);
    }
}

static double best_time(const gali_packed_layer *layer, const gali_kernels *kernels, const scene *s,
                        uint32_t count) {
    double best = 1e9;
    run_once(layer, kernels, s, count);
    for (int i = 0; i < TIMES; i++) {
        double start = gali_clock_seconds();
        run_once(layer, kernels, s, count);
        double took = gali_clock_seconds() - start;
        best = took > 0 && took < best ? took : best;
    }
    return best;
}

static double score(const gali_plan_layer *tried, const gali_kernels *kernels, const scene *s) {
    gali_packed_layer layer = gali_pack_planned(tried, kernels);
    layer.weights = s->weights;
    double product = 1;
    for (uint32_t i = 0; i < COUNTS; i++) {
        product *= best_time(&layer, kernels, s, tried_counts[i]);
    }
    return product;
}

static void measure_layer(gali_plan_layer *plan, const gali_kernels *kernels, const scene *s) {
    double best = score(plan, kernels, s) * worth;
    const uint32_t table = plan->vectors, all = (plan->outputs + kernels->lanes - 1) / kernels->lanes;
    for (uint32_t vectors = 2; vectors <= GALI_PANEL_VECTORS_MAX && vectors <= all; vectors++) {
        gali_plan_layer tried = *plan;
        tried.vectors = vectors;
        tried.rows = kernels->tile_rows[vectors];
        double product = vectors == table ? best : score(&tried, kernels, s);
        if (product < best) {
            best = product;
            *plan = tried;
        }
    }
}

static scene make_scene(const gali_plan_layer *layer, const gali_kernels *kernels,
                        const gal_network_desc *desc) {
    gali_packed_layer packed = gali_pack_planned(layer, kernels);
    size_t floats = gali_pack_floats(&packed, kernels);
    size_t ends = gali_size_mul(gali_size_add(layer->inputs, layer->outputs), COUNT_MOST);
    size_t size = gali_size_mul(gali_size_add(gali_size_add(floats, ends), layer->experts), sizeof(float));
    scene s = {.weights = gali_machine_allocate(desc->allocator, size, desc->small_pages != 0), .size = size};
    if (s.weights) {
        memset(s.weights, 0, size);
        s.x = s.weights + floats;
        s.y = s.x + (size_t)layer->inputs * COUNT_MOST;
        s.blend = s.y + (size_t)layer->outputs * COUNT_MOST;
    }
    return s;
}

gal_status gali_plan_measure(gali_plan *plan, const gal_network_desc *desc, gal_error *error) {
    for (uint32_t i = plan->gating; i < plan->count; i++) {
        gali_plan_layer *layer = &plan->layers[i];
        if (layer->form != GAL_FORM_PER_EXPERT || gali_precision_is_narrow(layer->precision) ||
            !gali_layer_has_panels(layer->kind)) {
            continue;
        }
        scene s = make_scene(layer, plan->kernels, desc);
        if (!s.weights) {
            return gali_fail(error, GAL_NO_MEMORY, "no memory to measure a plan: %zu bytes", s.size);
        }
        measure_layer(layer, plan->kernels, &s);
        gali_release(desc->allocator, s.weights, s.size);
    }
    return GAL_OK;
}
