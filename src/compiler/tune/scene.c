#include "compiler/tune/scene.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "compiler/loop/layout.h"
#include "cpu/machine.h"
#include "network/pack.h"

enum { COPIES_BYTES = 4 << 20, COPIES_MAX = 64 };

/* The runtime's layer: as it is timed, and in the candidates' form. */
struct gali_scene_reference {
    gali_packed_layer layer;
    float *copies;
    size_t floats;
    uint32_t count, turn;
    gali_row *rows;
    gali_blend_row *blend_rows;
    uint32_t *experts; /* 0, 1, 2 .. */
};

static float *floats_of(size_t count) {
    return gali_allocate(NULL, (count + 16) * sizeof(float));
}

/* Weights lie on pages like the runtime's. */
static float *weights_of(size_t count) {
    return gali_machine_allocate(NULL, (count + 16) * sizeof(float), 0);
}

static uint64_t next_random(uint64_t *state) { /* SplitMix64 (Steele et al. 2014) */
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static void fill(float *to, size_t count, uint64_t seed) {
    for (size_t i = 0; i < count; i++) {
        to[i] = (float)((double)(next_random(&seed) >> 40) / 8388608.0 - 1.0);
    }
}

static size_t canonical_floats(const gali_dense *d) {
    return (size_t)d->experts * (d->inputs + 1) * d->outputs;
}

static size_t y_stride(const gali_dense *d) {
    return d->padded ? (d->outputs + 15) / 16 * 16 : d->outputs;
}

static uint32_t copies_for(size_t floats) {
    size_t count = COPIES_BYTES / sizeof(float) / floats + 1;
    return count < COPIES_MAX ? (uint32_t)count : COPIES_MAX;
}

static int repeat(float *copies, size_t floats, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        memcpy(copies + i * floats, copies, floats * sizeof(float));
    }
    return 1;
}

/* One expert's panel from the canonical weights; lanes past the outputs are 0. */
static void fill_panel(const gali_scene *s, const gali_panel *panel, uint32_t e, float *to, size_t step) {
    const gali_dense *d = &s->dense;
    uint32_t width = panel->vectors * s->kernels->lanes;
    for (uint32_t k = 0; k <= d->inputs; k++, to += step) {
        const float *from = s->canonical + ((size_t)e * (d->inputs + 1) + k) * d->outputs + panel->first;
        for (uint32_t n = 0; n < width; n++) {
            to[n] = n < panel->outputs ? from[n] : 0;
        }
    }
}

static void pack_reference(const gali_scene *s, gali_packed_layer *layer, float *to) {
    int blend = layer->form == GAL_FORM_BLEND;
    layer->weights = to;
    for (uint32_t p = 0; p < layer->panels; p++) {
        for (uint32_t e = 0; e < layer->experts; e++) {
            gali_panel panel = gali_pack_panel(layer, p, blend ? 0 : e, s->kernels);
            size_t width = (size_t)panel.vectors * s->kernels->lanes;
            float *at = to + (panel.weights - to) + (blend ? e * width : 0);
            fill_panel(s, &panel, e, at, blend ? width * layer->experts : width);
        }
    }
}

static gali_packed_layer plan_layer(const gali_scene *s, gal_form form) {
    gali_plan plan = {.kernels = s->kernels, .count = 1};
    plan.layers[0] =
        (gali_plan_layer){.inputs = s->dense.inputs, .outputs = s->dense.outputs, .experts = s->dense.experts};
    gali_plan_choose(&plan, form, gali_machine_l2());
    gali_packed_layer layer = gali_pack_planned(&plan.layers[0], s->kernels);
    layer.activation = s->dense.activation;
    layer.slope = s->dense.slope;
    return layer;
}

/* All characters through one layer of the runtime, whose weights are at layer->weights. */
static void run_layer(gali_scene *s, const gali_packed_layer *layer) {
    struct gali_scene_reference *r = s->reference;
    const gali_dense *d = &s->dense;
    int listed = d->sparse && layer->form == GAL_FORM_PER_EXPERT;
    for (uint32_t p = 0; p < layer->panels; p++) {
        gali_panel panel = gali_pack_panel(layer, p, 0, s->kernels);
        if (layer->form == GAL_FORM_BLEND) {
            s->kernels->blend_f32(&panel, r->blend_rows, d->most);
        } else if (!listed) {
            panel.experts = layer->experts;
            s->kernels->panel_f32(&panel, r->rows, d->most);
        }
        for (uint32_t i = 0; listed && i < d->most * d->slots; i++) {
            panel = gali_pack_panel(layer, p, s->expert[i], s->kernels);
            s->kernels->panel_f32(&panel, &r->rows[i], 1);
        }
    }
}

static void point_rows(gali_scene *s) {
    const gali_dense *d = &s->dense;
    struct gali_scene_reference *r = s->reference;
    for (uint32_t c = 0; c < d->most; c++) {
        const float *x = s->x + (size_t)c * d->inputs;
        float *y = s->y + (size_t)c * y_stride(d);
        const uint32_t *experts = d->sparse ? s->expert + (size_t)c * d->slots : r->experts;
        r->blend_rows[c] = (gali_blend_row){x, y, experts, s->blend + (size_t)c * d->slots, d->slots};
        r->rows[c] = (gali_row){x, y, s->blend + (size_t)c * d->slots, GALI_ROW_FIRST | GALI_ROW_LAST};
    }
    for (uint32_t i = 0; d->sparse && i < d->most * d->slots; i++) {
        uint32_t c = i / d->slots, at = i % d->slots;
        uint32_t mode = (at == 0 ? GALI_ROW_FIRST : 0u) | (at + 1 == d->slots ? GALI_ROW_LAST : 0u);
        r->rows[i] =
            (gali_row){s->x + (size_t)c * d->inputs, s->y + (size_t)c * y_stride(d), s->blend + i, mode};
    }
}

/* The bits that candidates must have. */
static int make_expected(gali_scene *s) {
    gali_packed_layer layer = plan_layer(s, s->dense.form);
    float *weights = floats_of(gali_pack_floats(&layer, s->kernels));
    if (weights) {
        pack_reference(s, &layer, weights);
        run_layer(s, &layer);
        memcpy(s->expected, s->y, s->dense.most * y_stride(&s->dense) * sizeof(float));
    }
    gali_release(NULL, weights, 0);
    return weights != NULL;
}

static int make_reference(gali_scene *s) {
    const gali_dense *d = &s->dense;
    struct gali_scene_reference *r = s->reference = calloc(1, sizeof *r);
    if (!r) {
        return 0;
    }
    r->rows = calloc((size_t)d->most * d->slots, sizeof *r->rows);
    r->blend_rows = calloc(d->most, sizeof *r->blend_rows);
    r->experts = calloc(d->experts, sizeof *r->experts);
    r->layer = plan_layer(s, GAL_FORM_PER_EXPERT);
    r->floats = (gali_pack_floats(&r->layer, s->kernels) + 15) / 16 * 16;
    r->count = copies_for(r->floats);
    r->copies = weights_of(r->floats * r->count);
    if (!r->rows || !r->blend_rows || !r->experts || !r->copies) {
        return 0;
    }
    for (uint32_t e = 0; e < d->experts; e++) {
        r->experts[e] = e;
    }
    point_rows(s);
    pack_reference(s, &r->layer, r->copies);
    return repeat(r->copies, r->floats, r->count) && make_expected(s);
}

static int make_data(gali_scene *s) {
    const gali_dense *d = &s->dense;
    size_t xs = (size_t)d->most * d->inputs, blends = (size_t)d->most * d->slots, ys = d->most * y_stride(d);
    s->canonical = floats_of(canonical_floats(d));
    s->x = floats_of(xs);
    s->blend = floats_of(blends);
    s->y = floats_of(ys);
    s->expected = floats_of(ys);
    s->expert = calloc(blends, sizeof *s->expert);
    if (!s->canonical || !s->x || !s->blend || !s->y || !s->expected || !s->expert) {
        return 0;
    }
    fill(s->canonical, canonical_floats(d), 1);
    fill(s->x, xs, 2);
    fill(s->blend, blends, 3);
    memset(s->y, 0, ys * sizeof(float));
    uint64_t state = 4;
    for (size_t i = 0; i < blends; i++) {
        s->blend[i] = d->experts == 1 ? 1 : s->blend[i];
        s->expert[i] = (uint32_t)(i % d->slots + next_random(&state) % (d->experts - d->slots + 1));
    }
    return make_reference(s);
}

static const gali_kernels *kernels_of(const gali_target *target) {
    return gali_target_runs_here(target) ? gali_kernels_get(gali_target_isa(target)) : NULL;
}

gal_status gali_scene_make(gali_scene *scene, const gali_dense *dense, const gali_target *target,
                           gal_error *error) {
    *scene = (gali_scene){.dense = *dense, .target = target, .kernels = kernels_of(target)};
    if (!scene->kernels) {
        return gali_fail(error, GAL_UNSUPPORTED, "target %s: its code does not run on this machine",
                         target->name);
    }
    if (!make_data(scene)) {
        gali_scene_release(scene);
        return gali_fail(error, GAL_NO_MEMORY, "no memory to measure a layer of %zu weights",
                         canonical_floats(dense));
    }
    return GAL_OK;
}

void gali_scene_release(gali_scene *scene) {
    struct gali_scene_reference *r = scene->reference;
    float *floats[] = {scene->canonical, scene->x,        scene->blend,
                       scene->y,         scene->expected, r ? r->copies : NULL};
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++) {
        gali_release(NULL, floats[i], 0);
    }
    for (uint32_t i = 0; i < GALI_SCENE_LAYOUTS_MAX; i++) {
        gali_release(NULL, scene->weights[i].copies, 0);
    }
    if (r) {
        free(r->rows);
        free(r->blend_rows);
        free(r->experts);
    }
    free(r);
    free(scene->expert);
    *scene = (gali_scene){0};
}

/* The layout's weights if they are there, else the oldest ones', to be replaced. */
static gali_scene_weights *find_weights(gali_scene *scene, const gali_loop_buffer *layout) {
    gali_scene_weights *oldest = &scene->weights[0];
    for (uint32_t i = 0; i < GALI_SCENE_LAYOUTS_MAX; i++) {
        gali_scene_weights *w = &scene->weights[i];
        if (w->copies && gali_layout_same(&w->layout, layout)) {
            return w;
        }
        oldest = w->age < oldest->age ? w : oldest;
    }
    gali_release(NULL, oldest->copies, 0);
    *oldest = (gali_scene_weights){0};
    return oldest;
}

const float *gali_scene_next(gali_scene *scene, const gali_loop_buffer *layout) {
    gali_scene_weights *w = find_weights(scene, layout);
    if (!w->copies) {
        w->layout = *layout;
        w->floats = (gali_loop_pack_floats(layout) + 15) / 16 * 16;
        w->count = copies_for(w->floats);
        w->copies = weights_of(w->floats * w->count);
        if (!w->copies) {
            return NULL;
        }
        gali_loop_pack(layout, scene->canonical, w->copies);
        repeat(w->copies, w->floats, w->count);
    }
    w->age = ++scene->age;
    return w->copies + w->floats * (scene->turn++ % w->count);
}

void gali_scene_reference_run(gali_scene *scene) {
    struct gali_scene_reference *r = scene->reference;
    r->layer.weights = r->copies + r->floats * (r->turn++ % r->count);
    run_layer(scene, &r->layer);
}

int gali_scene_is_right(const gali_scene *scene) {
    const gali_dense *d = &scene->dense;
    for (uint32_t c = 0; c < d->most; c++) {
        size_t at = c * y_stride(d);
        if (memcmp(scene->y + at, scene->expected + at, d->outputs * sizeof(float)) != 0) {
            return 0;
        }
    }
    return 1;
}
