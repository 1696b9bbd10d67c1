/*
 * A layer of reduced precision in a run: every character's inputs are prepared once, then panel by panel and expert by
 * expert as in float32 (run_layer.c), and the activation follows in float32.
 */
#include "network/pack_narrow.h"
#include "network/range.h"

typedef struct narrow_call {
    const gali_range *r;
    const gali_packed_layer *layer;
    gali_narrow_run *panel;
    gali_narrow_prepare *prepare;
    int fused;
} narrow_call;

static gali_narrow_row *prepared_row(const gali_range *r, uint32_t c) {
    return r->parts.narrow_plain + c;
}

/* Inputs of the characters; their rows know where, and their scales. */
static void prepare_rows(const narrow_call *call, gali_rows_at x, gali_rows_at y) {
    const gali_range *r = call->r;
    for (uint32_t c = 0; c < r->count; c++) {
        gali_narrow_row *row = prepared_row(r, c);
        void *q = r->parts.prepared + (size_t)c * r->network->prepared;
        const gali_narrow_input input = {.x = x.at + c * x.stride,
                                         .shift = call->layer->shift,
                                         .factor = call->layer->factor,
                                         .count = call->layer->inputs,
                                         .groups = call->layer->groups,
                                         .span = call->layer->span};
        call->prepare(&input, q, row);
        row->y = y.at + c * y.stride;
        row->mode = GALI_ROW_FIRST | GALI_ROW_LAST;
        row->blend =
            call->layer->experts == 1 ? &gali_blend_whole : r->parts.weight + (size_t)c * r->network->slots;
    }
}

/* A row for each character and expert it uses, in the order of r->parts.rows. */
static void spread_rows(const narrow_call *call) {
    const gali_range *r = call->r;
    for (uint32_t i = 0; i < r->count * r->network->slots; i++) {
        r->parts.narrow_rows[i] = *prepared_row(r, r->parts.who[i]);
        r->parts.narrow_rows[i].blend = r->parts.rows[i].blend;
        r->parts.narrow_rows[i].mode = r->parts.rows[i].mode;
    }
}

static void run_narrow_expert(const narrow_call *call, const gali_narrow_panel *panel,
                              const gali_narrow_row *rows, uint32_t count) {
    const gal_network *network = call->r->network;
    call->panel(panel, rows, count);
    for (uint32_t i = 0; i < count && call->layer->activation != GALI_ACTIVATION_SOFTMAX; i++) {
        if (rows[i].mode & GALI_ROW_LAST) {
            network->kernels->activate_f32(call->layer->activation, call->layer->slope,
                                           rows[i].y + panel->first, panel->outputs);
        }
    }
}

static void run_narrow_panel(void *argument, uint32_t index) {
    const narrow_call *call = argument;
    const gali_range *r = call->r;
    if (call->fused) {
        gali_narrow_panel panel = gali_pack_narrow_panel(call->layer, index, 0, r->network->narrow);
        panel.experts = call->layer->experts;
        run_narrow_expert(call, &panel, r->parts.narrow_plain, r->count);
        return;
    }
    for (uint32_t e = 0; e < call->layer->experts; e++) {
        const uint32_t count = r->start[e + 1] - r->start[e];
        if (count) {
            const gali_narrow_panel panel = gali_pack_narrow_panel(call->layer, index, e, r->network->narrow);
            run_narrow_expert(call, &panel, r->parts.narrow_rows + r->start[e], count);
        }
    }
}

void gali_run_narrow(gali_range *r, uint32_t layer, const gal_parallel *parallel) {
    const gali_packed_layer *packed = &r->network->layers[layer];
    const gali_narrow_kind kind = gali_precision_kind(packed->precision);
    const gali_narrow *table = gali_narrow_of(r->network->narrow, kind);
    narrow_call call = {r, packed, table->panel[kind], table->prepare[kind], gali_run_is_fused(r, packed)};
    prepare_rows(&call, gali_feed_input(r, layer), gali_feed_output(r, layer));
    if (!call.fused) {
        spread_rows(&call);
    }
    if (parallel) {
        parallel->parallel_for(parallel->context, run_narrow_panel, &call, packed->panels);
        return;
    }
    for (uint32_t p = 0; p < packed->panels; p++) {
        run_narrow_panel(&call, p);
    }
}
