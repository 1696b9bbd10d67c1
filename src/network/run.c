/*
 * One run: gates, then layer by layer, panel by panel, expert by expert.
 *
 * The blend of all characters is a list of rows sorted by expert, so that sparse gates (a character uses 1
 * or 2 of E experts) and dense ones are the same loop: for each panel, for each expert, one kernel call
 * with the rows of that expert. A row remembers whether it is its character's first or last expert. Where all
 * characters use all experts and are few, one call takes all experts of a panel: the same order, the same bits.
 *
 * Workspace for capacity characters, each part aligned to 64 bytes:
 *     x       float    [capacity][live, padded]   only where inputs are folded away
 *     gate_x  float    [capacity][gate live, padded]   the gating network's features
 *     hidden  float [2][capacity][hidden]         the layers before and after, the gate's too
 *     rows    gali_row [capacity * slots]         sorted by expert, then by character
 *     plain   gali_row [capacity]                 one row a character: for layers that it uses all experts of
 *     blend   gali_blend_row [capacity]           only in the blend form
 *     who     uint32   [capacity * slots]         character of each row
 *     expert  uint32   [capacity * slots]         slots of each character, in its own order
 *     weight  float    [capacity * slots]
 *
 * With a parallel_for, many characters are split into ranges that run all layers by themselves; few
 * characters are run together, and each layer's panels are split.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "network/gate.h"
#include "network/network.h"

enum {
    FUSED_MOST = 16, /* characters up to which all experts of a panel are one call: two or three tiles */
};

typedef struct workspace {
    float *x, *gate_x, *hidden[2];
    gali_row *rows, *plain;
    gali_blend_row *blend;
    uint32_t *who, *expert;
    float *weight;
} workspace;

static size_t padded(size_t floats) {
    return (floats + 15) & ~(size_t)15;
}

/* Floats between the gathered rows of x; 0 where all inputs are live and x is read where it is. */
static size_t live_stride(const gal_network *network) {
    return network->live.count == network->inputs ? 0 : padded(network->live.count);
}

static size_t gate_stride(const gal_network *network) {
    return padded(network->gating.live.count);
}

/* Whether any layer runs in the blend form. */
static size_t uses_blend(const gal_network *network) {
    size_t any = 0;
    for (uint32_t i = 0; i < network->layer_count; i++) {
        any |= network->layers[i].form == GAL_FORM_BLEND;
    }
    return any;
}

static size_t take(size_t *at, size_t count, size_t width, size_t bytes) {
    size_t start = *at;
    size_t size = gali_size_mul(gali_size_mul(count, width), bytes);
    *at = gali_size_align(gali_size_add(start, size), GALI_ALIGNMENT);
    return start;
}

/* Carves `memory` (NULL to measure only) and returns the bytes needed, or GALI_SIZE_BAD. */
static size_t carve(const gal_network *network, uint32_t capacity, unsigned char *memory, workspace *parts) {
    size_t at = 0;
    size_t x = take(&at, capacity, live_stride(network), sizeof(float));
    size_t gate_x = take(&at, capacity, gate_stride(network), sizeof(float));
    size_t hidden0 = take(&at, capacity, network->hidden, sizeof(float));
    size_t hidden1 = take(&at, capacity, network->hidden, sizeof(float));
    size_t rows = take(&at, capacity, network->slots, sizeof(gali_row));
    size_t plain = take(&at, capacity, 1, sizeof(gali_row));
    size_t blend = take(&at, capacity, uses_blend(network), sizeof(gali_blend_row));
    size_t who = take(&at, capacity, network->slots, sizeof(uint32_t));
    size_t expert = take(&at, capacity, network->slots, sizeof(uint32_t));
    size_t weight = take(&at, capacity, network->slots, sizeof(float));
    if (memory && at != GALI_SIZE_BAD) {
        parts->x = (float *)(void *)(memory + x);
        parts->gate_x = (float *)(void *)(memory + gate_x);
        parts->hidden[0] = (float *)(void *)(memory + hidden0);
        parts->hidden[1] = (float *)(void *)(memory + hidden1);
        parts->rows = (gali_row *)(void *)(memory + rows);
        parts->plain = (gali_row *)(void *)(memory + plain);
        parts->blend = (gali_blend_row *)(void *)(memory + blend);
        parts->who = (uint32_t *)(void *)(memory + who);
        parts->expert = (uint32_t *)(void *)(memory + expert);
        parts->weight = (float *)(void *)(memory + weight);
    }
    return at;
}

size_t gal_network_workspace_size(const gal_network *network, uint32_t capacity) {
    size_t size = carve(network, capacity, NULL, NULL);
    return size == GALI_SIZE_BAD ? 0 : size;
}

/* A range of characters on its way through the layers. */
typedef struct range {
    const gal_network *network;
    const gal_network_batch *batch;
    workspace parts; /* of this range alone */
    uint32_t first, count;
    uint32_t start[GALI_EXPERTS_MAX + 1]; /* rows of expert e: [start[e], start[e + 1]) */
} range;

static workspace part_of(const gal_network *network, workspace whole, uint32_t first) {
    size_t slot = (size_t)first * network->slots;
    return (workspace){
        .x = whole.x + first * live_stride(network),
        .gate_x = whole.gate_x + first * gate_stride(network),
        .hidden = {whole.hidden[0] + (size_t)first * network->hidden,
                   whole.hidden[1] + (size_t)first * network->hidden},
        .rows = whole.rows + slot,
        .plain = whole.plain + first,
        .blend = whole.blend + first * uses_blend(network),
        .who = whole.who + slot,
        .expert = whole.expert + slot,
        .weight = whole.weight + slot,
    };
}

static const float *features_of(const range *r, uint32_t c) {
    const gal_network_batch *batch = r->batch;
    size_t stride = batch->x_stride ? batch->x_stride : r->network->inputs;
    return batch->x + (r->first + c) * stride;
}

static float *outputs_of(const range *r, uint32_t c) {
    const gal_network_batch *batch = r->batch;
    size_t stride = batch->y_stride ? batch->y_stride : r->network->outputs;
    return batch->y + (r->first + c) * stride;
}

/* Copies the features that a first layer reads together. */
static void gather(const range *r, gali_live live, float *to, size_t stride) {
    for (uint32_t c = 0; c < r->count; c++) {
        const float *from = features_of(r, c);
        for (uint32_t i = 0; i < live.count; i++) {
            to[c * stride + i] = from[live.features[i]];
        }
    }
}

/* Row c of the values that layer `layer` reads, past the first; the layer before it writes them. */
static float *hidden_of(const range *r, uint32_t layer, uint32_t c) {
    return r->parts.hidden[layer & 1] + (size_t)c * r->network->hidden;
}

static float *gate_output(const range *r, uint32_t c) {
    return hidden_of(r, r->network->gating.layer_count, c);
}

static void fill_slots(const range *r, uint32_t c) {
    const gal_network *network = r->network;
    uint32_t *expert = r->parts.expert + (size_t)c * network->slots;
    float *weight = r->parts.weight + (size_t)c * network->slots;
    if (network->gate == GAL_GATE_CALLER) {
        const float *blend = r->batch->blend + (size_t)(r->first + c) * network->experts;
        gali_gate_top(blend, network->experts, network->experts, expert, weight);
        return;
    }
    if (network->gate == GAL_GATE_NETWORK) {
        gali_gate_top(gate_output(r, c), network->experts, network->slots, expert, weight);
        return;
    }
    double exact[GALI_SPLINE_SLOTS];
    gali_gate_phase(network->gate, network->experts, r->batch->phase[r->first + c], expert, exact);
    for (uint32_t s = 0; s < network->slots; s++) {
        weight[s] = (float)exact[s];
    }
}

static const float whole_weight = 1; /* of the one expert of a plain layer */

static uint32_t mode_of(uint32_t slot, uint32_t slots) {
    return (slot == 0 ? GALI_ROW_FIRST : 0u) | (slot + 1 == slots ? GALI_ROW_LAST : 0u);
}

/* Counting sort of all slots by expert; stable, so each expert's rows stand in the characters' order. */
static void sort_rows(range *r) {
    uint32_t slots = r->network->slots, all = r->count * slots;
    memset(r->start, 0, sizeof r->start);
    for (uint32_t i = 0; i < all; i++) {
        r->start[r->parts.expert[i] + 1]++;
    }
    for (uint32_t e = 0; e < r->network->experts; e++) {
        r->start[e + 1] += r->start[e];
    }
    uint32_t next[GALI_EXPERTS_MAX];
    memcpy(next, r->start, sizeof next);
    for (uint32_t i = 0; i < all; i++) {
        uint32_t at = next[r->parts.expert[i]]++;
        r->parts.who[at] = i / slots;
        r->parts.rows[at] = (gali_row){.blend = &r->parts.weight[i], .mode = mode_of(i % slots, slots)};
    }
}

static void run_gating(range *r) {
    const gali_packed_gating *gating = &r->network->gating;
    const gali_kernels *kernels = r->network->kernels;
    gather(r, gating->live, r->parts.gate_x, gate_stride(r->network));
    for (uint32_t layer = 0; layer < gating->layer_count; layer++) {
        const gali_packed_layer *packed = &gating->layers[layer];
        for (uint32_t c = 0; c < r->count; c++) {
            gali_row *row = &r->parts.plain[c];
            row->x = layer ? hidden_of(r, layer, c) : r->parts.gate_x + c * gate_stride(r->network);
            row->y = hidden_of(r, layer + 1, c);
        }
        for (uint32_t p = 0; p < packed->panels; p++) {
            gali_panel panel = gali_pack_panel(packed, p, 0, kernels);
            kernels->panel_f32(&panel, r->parts.plain, r->count);
        }
    }
    for (uint32_t c = 0; c < r->count; c++) {
        kernels->activate_f32(GALI_ACTIVATION_SOFTMAX, 0, gate_output(r, c), r->network->experts);
    }
}

static void make_rows(range *r) {
    for (uint32_t c = 0; c < r->count; c++) {
        r->parts.plain[c] = (gali_row){.blend = &whole_weight, .mode = GALI_ROW_FIRST | GALI_ROW_LAST};
    }
    if (r->network->gate == GAL_GATE_NETWORK) {
        run_gating(r);
    }
    for (uint32_t c = 0; c < r->count; c++) {
        fill_slots(r, c);
    }
    sort_rows(r);
}

static const float *input_of(const range *r, uint32_t layer, uint32_t c) {
    size_t stride = live_stride(r->network);
    if (layer > 0) {
        return hidden_of(r, layer, c);
    }
    return stride ? r->parts.x + c * stride : features_of(r, c);
}

static float *result_of(const range *r, uint32_t layer, uint32_t c) {
    return layer + 1 == r->network->layer_count ? outputs_of(r, c) : hidden_of(r, layer + 1, c);
}

static void point_row(const range *r, uint32_t layer, uint32_t c, gali_row *row) {
    row->x = input_of(r, layer, c);
    row->y = result_of(r, layer, c);
}

static void point_blend_rows(const range *r, uint32_t layer) {
    size_t slots = r->network->slots;
    for (uint32_t c = 0; c < r->count; c++) {
        r->parts.blend[c] = (gali_blend_row){.x = input_of(r, layer, c),
                                             .y = result_of(r, layer, c),
                                             .expert = r->parts.expert + c * slots,
                                             .weight = r->parts.weight + c * slots,
                                             .slots = r->network->slots};
    }
}

/*
 * Whether the layer's panels are one kernel call each, all experts inside: every character uses all of them, and
 * there are few characters. It saves a hundred calls and the ends of their weight streams, 3 % at 1 and 2
 * characters; with many, an expert's panel stays in the cache for all of them if the experts take turns outside.
 */
static int is_fused(const range *r, uint32_t layer) {
    uint32_t experts = r->network->layers[layer].experts;
    return experts == 1 || (experts == r->network->slots && r->count <= FUSED_MOST);
}

/* Points the rows that the layer uses at its input and output. */
static void point_rows(range *r, uint32_t layer) {
    if (r->network->layers[layer].form == GAL_FORM_BLEND) {
        point_blend_rows(r, layer);
        return;
    }
    if (is_fused(r, layer)) {
        int one = r->network->layers[layer].experts == 1;
        for (uint32_t c = 0; c < r->count; c++) {
            gali_row *row = &r->parts.plain[c];
            row->blend = one ? &whole_weight : r->parts.weight + (size_t)c * r->network->slots;
            point_row(r, layer, c, row);
        }
        return;
    }
    for (uint32_t i = 0; i < r->count * r->network->slots; i++) {
        point_row(r, layer, r->parts.who[i], &r->parts.rows[i]);
    }
}

static void run_panel(const range *r, uint32_t layer, uint32_t index) {
    const gali_kernels *kernels = r->network->kernels;
    const gali_packed_layer *packed = &r->network->layers[layer];
    if (packed->form == GAL_FORM_BLEND) {
        gali_panel panel = gali_pack_panel(packed, index, 0, kernels);
        kernels->blend_f32(&panel, r->parts.blend, r->count);
        return;
    }
    if (is_fused(r, layer)) {
        gali_panel panel = gali_pack_panel(packed, index, 0, kernels);
        panel.experts = packed->experts;
        kernels->panel_f32(&panel, r->parts.plain, r->count);
        return;
    }
    for (uint32_t e = 0; e < packed->experts; e++) {
        uint32_t count = r->start[e + 1] - r->start[e];
        if (count) {
            gali_panel panel = gali_pack_panel(packed, index, e, kernels);
            kernels->panel_f32(&panel, r->parts.rows + r->start[e], count);
        }
    }
}

typedef struct panel_task {
    const range *r;
    uint32_t layer;
} panel_task;

static void run_panel_task(void *argument, uint32_t index) {
    const panel_task *task = argument;
    run_panel(task->r, task->layer, index);
}

static void scale_outputs(const range *r) {
    const gal_network *network = r->network;
    for (uint32_t c = 0; network->output_scale && c < r->count; c++) {
        float *y = outputs_of(r, c);
        for (uint32_t n = 0; n < network->outputs; n++) {
            y[n] = y[n] * network->output_scale[n] + network->output_scale[network->outputs + n];
        }
    }
}

/* parallel splits the panels of each layer; NULL runs them here. */
static void run_range(range *r, const gal_parallel *parallel) {
    if (live_stride(r->network)) {
        gather(r, r->network->live, r->parts.x, live_stride(r->network));
    }
    make_rows(r);
    for (uint32_t layer = 0; layer < r->network->layer_count; layer++) {
        uint32_t panels = r->network->layers[layer].panels;
        point_rows(r, layer);
        if (parallel) {
            panel_task task = {r, layer};
            parallel->parallel_for(parallel->context, run_panel_task, &task, panels);
            continue;
        }
        for (uint32_t p = 0; p < panels; p++) {
            run_panel(r, layer, p);
        }
    }
    scale_outputs(r);
}

typedef struct range_task {
    const gal_network *network;
    const gal_network_batch *batch;
    workspace whole;
    uint32_t ranges;
} range_task;

static void run_range_task(void *argument, uint32_t index) {
    const range_task *task = argument;
    uint32_t count = task->batch->count;
    uint32_t first = (uint32_t)((uint64_t)count * index / task->ranges);
    uint32_t end = (uint32_t)((uint64_t)count * (index + 1) / task->ranges);
    range r = {.network = task->network, .batch = task->batch, .first = first, .count = end - first};
    r.parts = part_of(task->network, task->whole, first);
    run_range(&r, NULL);
}

static gal_status check_gate(const gal_network *network, const gal_network_batch *batch, gal_error *error) {
    int caller = network->gate == GAL_GATE_CALLER;
    if (network->gate == GAL_GATE_NETWORK) {
        return GAL_OK;
    }
    const float *values = caller ? batch->blend : batch->phase;
    uint32_t width = caller ? network->experts : 1;
    if (!values) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "batch.%s is NULL", caller ? "blend" : "phase");
    }
    for (size_t i = 0; i < (size_t)batch->count * width; i++) {
        if (!isfinite(values[i])) {
            return gali_fail(error, GAL_BAD_ARGUMENT, "%s of character %zu is not finite",
                             caller ? "blend" : "phase", i / width);
        }
    }
    return GAL_OK;
}

static gal_status check_batch(const gal_network *network, const gal_network_batch *batch, const void *memory,
                              size_t size, gal_error *error) {
    if (!batch->x || !batch->y) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "batch.%s is NULL", batch->x ? "y" : "x");
    }
    if ((batch->x_stride && batch->x_stride < network->inputs) ||
        (batch->y_stride && batch->y_stride < network->outputs)) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "a stride is shorter than its row");
    }
    size_t need = gal_network_workspace_size(network, batch->count);
    if (!memory || need == 0 || size < need) {
        return gali_fail(error, GAL_NO_MEMORY, "workspace of %zu bytes, %zu needed for %u characters", size,
                         need, batch->count);
    }
    if ((uintptr_t)memory % GALI_ALIGNMENT) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "workspace is not aligned to %d bytes", GALI_ALIGNMENT);
    }
    return check_gate(network, batch, error);
}

gal_status gal_network_run(const gal_network *network, const gal_network_batch *batch, void *memory,
                           size_t size, gal_error *error) {
    if (batch->count == 0) {
        return GAL_OK;
    }
    gal_status status = check_batch(network, batch, memory, size, error);
    if (status != GAL_OK) {
        return status;
    }
    workspace whole;
    carve(network, batch->count, memory, &whole);
    const gal_parallel *parallel = batch->parallel;
    if (parallel && parallel->threads > 1 &&
        batch->count >= (uint64_t)network->plan.split * parallel->threads) {
        range_task task = {network, batch, whole, parallel->threads};
        parallel->parallel_for(parallel->context, run_range_task, &task, task.ranges);
        return GAL_OK;
    }
    range r = {.network = network, .batch = batch, .parts = whole, .count = batch->count};
    run_range(&r, parallel && parallel->threads > 1 ? parallel : NULL);
    return GAL_OK;
}
