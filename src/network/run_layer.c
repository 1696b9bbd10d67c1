/*
 * One layer of a run. With panels: rows are pointed at its input and output, then panel by panel, expert by expert, one
 * kernel call each. Where all characters use all experts and are few, one call takes all experts of a panel: the same
 * order, the same bits. Without: a function of the layer's kind, row by row.
 */
#include "network/range.h"

/* A layer being run on a range. */
typedef struct layer_call {
    const gali_range *r;
    const gali_packed_layer *layer;
    gali_rows_at x, y;
    int alone; /* this thread runs all panels, one after the other */
} layer_call;

int gali_run_is_fused(const gali_range *r, const gali_packed_layer *layer) {
    return layer->experts == 1 || (layer->experts == r->network->slots && r->count <= layer->together);
}

static void point_blend_rows(const layer_call *call) {
    const gali_range *r = call->r;
    const size_t slots = r->network->slots;
    const gali_rows_at x = call->x, y = call->y;
    for (uint32_t c = 0; c < r->count; c++) {
        r->parts.blend[c] = (gali_blend_row){.x = x.at + c * x.stride,
                                             .y = y.at + c * y.stride,
                                             .expert = r->parts.expert + c * slots,
                                             .weight = r->parts.weight + c * slots,
                                             .slots = r->network->slots};
    }
}

/* Rows of a layer without experts, or whose experts all run in one call: a character each. */
static void point_plain_rows(const layer_call *call) {
    const uint32_t count = call->r->count;
    const size_t slots = call->layer->experts == 1 ? 0 : call->r->network->slots;
    const float *weight = slots ? call->r->parts.weight : &gali_blend_whole;
    const gali_rows_at x = call->x, y = call->y;
    gali_row *rows = call->r->parts.plain;
    for (uint32_t c = 0; c < count; c++) {
        rows[c].x = x.at + c * x.stride;
        rows[c].y = y.at + c * y.stride;
        rows[c].blend = weight + c * slots;
    }
}

/* Points the rows that the layer uses at its input and output. */
static void point_rows(const layer_call *call) {
    const gali_range *r = call->r;
    if (call->layer->form == GAL_FORM_BLEND) {
        point_blend_rows(call);
        return;
    }
    if (gali_run_is_fused(call->r, call->layer)) {
        point_plain_rows(call);
        return;
    }
    const gali_rows_at x = call->x, y = call->y;
    const uint32_t *who = r->parts.who, count = r->count * r->network->slots;
    gali_row *rows = r->parts.rows;
    for (uint32_t i = 0; i < count; i++) {
        rows[i].x = x.at + who[i] * x.stride;
        rows[i].y = y.at + who[i] * y.stride;
    }
}

/* `experts` of panel `index` from the first on, in one kernel call. */
static void run_experts(const layer_call *call, uint32_t index, uint32_t first, uint32_t experts,
                        const gali_row *rows, uint32_t count) {
    const gali_kernels *kernels = call->r->network->kernels;
    gali_panel panel = gali_pack_panel(call->layer, index, first, kernels);
    panel.experts = experts;
    panel.follows = call->alone && experts <= call->layer->reach;
    kernels->panel_f32(&panel, rows, count);
}

static void run_panel(const layer_call *call, uint32_t index) {
    const gali_range *r = call->r;
    const gali_kernels *kernels = r->network->kernels;
    const gali_packed_layer *packed = call->layer;
    if (packed->form == GAL_FORM_BLEND) {
        gali_panel panel = gali_pack_panel(packed, index, 0, kernels);
        kernels->blend_f32(&panel, r->parts.blend, r->count);
        return;
    }
    if (gali_run_is_fused(call->r, call->layer)) {
        run_experts(call, index, 0, packed->experts, r->parts.plain, r->count);
        return;
    }
    for (uint32_t e = 0; e < packed->experts; e++) {
        uint32_t count = r->start[e + 1] - r->start[e];
        if (count) {
            run_experts(call, index, e, 1, r->parts.rows + r->start[e], count);
        }
    }
}

static void run_panel_task(void *argument, uint32_t index) {
    run_panel(argument, index);
}

static void run_panels(layer_call *call, const gal_parallel *parallel) {
    point_rows(call);
    if (parallel) {
        parallel->parallel_for(parallel->context, run_panel_task, call, call->layer->panels);
        return;
    }
    for (uint32_t p = 0; p < call->layer->panels; p++) {
        run_panel(call, p);
    }
}

static void run_row(const layer_call *call, uint32_t c) {
    const gali_packed_layer *packed = call->layer;
    gali_row_layer layer = {call->r->network->kernels, packed->weights, packed->inputs, packed->outputs,
                            packed->epsilon};
    gali_layer_ops_of(packed->kind)
        ->run(&layer, call->x.at + c * call->x.stride, call->y.at + c * call->y.stride);
}

/* Activations of whole rows: all of layers without panels, softmax of those with. */
static void activate_row(const layer_call *call, uint32_t c) {
    const gali_packed_layer *packed = call->layer;
    call->r->network->kernels->activate_f32(packed->activation, packed->slope, call->y.at + c * call->y.stride,
                                            packed->outputs);
}

void gali_run_layer(gali_range *r, uint32_t layer, const gal_parallel *parallel) {
    const gali_packed_layer *packed = &r->network->layers[layer];
    layer_call call = {r, packed, gali_feed_input(r, layer), gali_feed_output(r, layer), !parallel};
    int panels = gali_layer_has_panels(packed->kind);
    if (gali_precision_is_narrow(packed->precision)) {
        gali_run_narrow(r, layer, parallel);
    } else if (panels) {
        run_panels(&call, parallel);
    }
    for (uint32_t c = 0; c < r->count; c++) {
        if (!panels) {
            run_row(&call, c);
        }
        if (!panels || packed->activation == GALI_ACTIVATION_SOFTMAX) {
            activate_row(&call, c);
        }
    }
}
