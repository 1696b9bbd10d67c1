/*
 * One run: the gating network, blends, then layer by layer (run_layer.c).
 *
 * With a parallel_for, many characters are split into ranges that run all layers by themselves; few characters are run
 * together, and each layer's panels are split.
 */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "network/range.h"

static void scale_outputs(const gali_range *r) {
    const gal_network *network = r->network;
    gali_rows_at rows = gali_feed_output(r, network->layer_count - 1);
    for (uint32_t c = 0; network->output_scale && c < r->count; c++) {
        float *y = rows.at + c * rows.stride;
        for (uint32_t n = 0; n < network->outputs; n++) {
            y[n] = y[n] * network->output_scale[n] + network->output_scale[network->outputs + n];
        }
    }
}

/* parallel splits the panels of each layer, but the gating network's, which are too small; NULL runs all here. */
static void run_range(gali_range *r, const gal_parallel *parallel) {
    const gal_network *network = r->network;
    gali_blend_make_plain(r);
    gali_feed_normalise(r, &network->gate_normal);
    for (uint32_t layer = 0; layer < network->gating_count; layer++) {
        gali_run_layer(r, layer, NULL);
    }
    gali_blend_make(r);
    gali_feed_normalise(r, &network->normal);
    for (uint32_t layer = network->gating_count; layer < network->layer_count; layer++) {
        gali_run_layer(r, layer, parallel);
    }
    scale_outputs(r);
}

typedef struct range_task {
    const gal_network *network;
    const gal_network_batch *batch;
    const gali_workspace *whole;
    uint32_t ranges;
} range_task;

static void run_range_task(void *argument, uint32_t index) {
    const range_task *task = argument;
    uint32_t count = task->batch->count;
    uint32_t first = (uint32_t)((uint64_t)count * index / task->ranges);
    uint32_t end = (uint32_t)((uint64_t)count * (index + 1) / task->ranges);
    gali_range r = {.network = task->network, .batch = task->batch, .first = first, .count = end - first};
    r.parts = gali_workspace_part(task->network, task->whole, first);
    run_range(&r, NULL);
}

static gal_status check_gate(const gal_network *network, const gal_network_batch *batch, gal_error *error) {
    int caller = network->gate == GAL_GATE_CALLER;
    const float *values = caller ? batch->blend : batch->phase;
    if (network->gate == GAL_GATE_NETWORK || (caller && network->experts == 1 && !values)) {
        return GAL_OK;
    }
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
    gali_range r; /* 2 KB, whose parts are filled one by one where they are used */
    r.network = network;
    r.batch = batch;
    r.first = 0;
    r.count = batch->count;
    gali_workspace_carve(network, batch->count, memory, &r.parts);
    const gal_parallel *parallel = batch->parallel;
    if (parallel && parallel->threads > 1 &&
        batch->count >= (uint64_t)network->plan.split * parallel->threads) {
        range_task task = {network, batch, &r.parts, parallel->threads};
        parallel->parallel_for(parallel->context, run_range_task, &task, task.ranges);
        return GAL_OK;
    }
    run_range(&r, parallel && parallel->threads > 1 ? parallel : NULL);
    return GAL_OK;
}
