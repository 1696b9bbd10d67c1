#include "gpu/gpu.h"

#include <math.h>
#include <string.h>

#include "base/desc.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "compiler/emit/opencl/emit.h"

enum { CAPACITY_DEFAULT = 4096, CAPACITY_MOST = 1000000 };

/* The number of the input of that name. */
static uint32_t input_named(const gali_graph *graph, const char *name) {
    for (uint32_t i = 0; i < graph->input_count; i++) {
        if (strcmp(graph->values[graph->inputs[i]].name, name) == 0) {
            return graph->inputs[i];
        }
    }
    return GALI_NONE;
}

static gal_status find_ports(gal_gpu *gpu, gal_error *error) {
    const gali_graph *graph = gpu->compilation.graph;
    gpu->x = input_named(graph, "x");
    gpu->phase = input_named(graph, "phase");
    gpu->blend = input_named(graph, "given");
    gpu->y = graph->outputs[0];
    uint32_t count = gali_extent_symbols(graph->extents);
    int symbol =
        gpu->x == GALI_NONE ? -1 : gali_extent_as_symbol(graph->extents, graph->values[gpu->x].type.shape[0]);
    gpu->symbols = gali_arena_take(&gpu->compilation.arena, (count + 1) * sizeof *gpu->symbols);
    if (symbol < 0 || !gpu->symbols) {
        return gali_fail(error, symbol < 0 ? GAL_UNSUPPORTED : GAL_NO_MEMORY, "a network without features");
    }
    gpu->symbol = (uint32_t)symbol;
    gpu->symbols[symbol] = gpu->capacity;
    return GAL_OK;
}

/* The model as a graph, as the compiler has it, and that as a program. */
static gal_status make_program(gal_gpu *gpu, const void *data, size_t size, gali_program **program,
                               gal_error *error) {
    gali_compilation *c = &gpu->compilation;
    c->name = "gpu";
    c->least = 1;
    c->most = gpu->capacity;
    c->target = gali_target_find("opencl", error);
    gal_status status = gali_model_read(&c->model, data, size, error);
    if (status == GAL_OK) {
        gpu->inputs = c->model.inputs;
        gpu->outputs = c->model.outputs;
        gpu->experts = c->model.experts;
        status = gali_opencl_program(c, program, error);
    }
    return status == GAL_OK ? find_ports(gpu, error) : status;
}

/* Room here for all that goes to the device and comes back at a time. */
static gal_status open_staging(gal_gpu *gpu, gal_error *error) {
    const uint32_t inputs[GALI_STAGING_INPUTS] = {gpu->x, gpu->phase, gpu->blend};
    gali_staging_open(&gpu->staging, &gpu->run, inputs, gpu->y, (size_t)gpu->capacity * gpu->outputs);
    gal_status status = gali_gpu_failure(&gpu->run, error);
    if (status != GAL_OK) {
        gali_gpu_end(&gpu->run);
    }
    return status;
}

gal_status gali_gpu_open(gal_gpu **out, const void *data, size_t size, const gal_gpu_desc *desc,
                         const gali_gpu_choice *choice, gal_error *error) {
    gal_gpu_desc all;
    gali_program *program = NULL;
    gali_desc_read(&all, sizeof all, desc, desc ? desc->struct_size : 0);
    *out = NULL;
    if (all.capacity > CAPACITY_MOST) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "gal_gpu_desc.capacity is %u, at most %d", all.capacity,
                         CAPACITY_MOST);
    }
    gal_gpu *gpu = gali_allocate(NULL, sizeof *gpu);
    if (!gpu) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a network");
    }
    *gpu =
        (gal_gpu){.capacity = all.capacity ? all.capacity : CAPACITY_DEFAULT, .pipelined = all.pipelined != 0};
    gali_gpu_choice by = choice ? *choice : (gali_gpu_choice){.half_weights = 0};
    gali_log log = {.count = 0};
    gali_device_logged logged = {.log = &log};
    by.half_weights = all.half_weights != 0;
    gal_status status = all.log ? gali_log_read(&log, all.log, error) : GAL_OK;
    if (all.log) {
        by.choose = gali_device_choose_logged;
        by.context = &logged;
    }
    status = status == GAL_OK ? make_program(gpu, data, size, &program, error) : status;
    status =
        status == GAL_OK ? gali_gpu_start(&gpu->run, program, all.device, gpu->symbols, &by, error) : status;
    gali_log_release(&log);
    if (status == GAL_OK) {
        status = open_staging(gpu, error);
    }
    if (status != GAL_OK) {
        gali_compilation_release(&gpu->compilation);
        gali_release(NULL, gpu, sizeof *gpu);
        return status;
    }
    *out = gpu;
    return GAL_OK;
}

uint32_t gali_gpu_choose_one(void *context, const gali_device_task *task, gali_device_chosen *chosen) {
    (void)task;
    chosen[0] = (gali_device_chosen){.tiling = *(const gali_tiling *)context};
    return 1;
}

gal_status gal_gpu_open(gal_gpu **out, const void *data, size_t size, const gal_gpu_desc *desc,
                        gal_error *error) {
    return gali_gpu_open(out, data, size, desc, NULL, error);
}

/* Nobody wants what is under way. */
static void abandon(gal_gpu *gpu) {
    gali_staging_take(&gpu->staging, &gpu->run, NULL, 0, NULL);
    gpu->awaited = NULL;
}

void gal_gpu_close(gal_gpu *gpu) {
    if (gpu) {
        abandon(gpu);
        gali_gpu_end(&gpu->run);
        gali_compilation_release(&gpu->compilation);
        gali_release(NULL, gpu, sizeof *gpu);
    }
}

/* ---- runs ---- */

static gal_status check_finite(const float *values, size_t count, const char *name, gal_error *error) {
    if (!values) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "batch.%s is NULL", name);
    }
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            return gali_fail(error, GAL_BAD_ARGUMENT, "batch.%s[%zu] is not finite", name, i);
        }
    }
    return GAL_OK;
}

static gal_status check_batch(const gal_gpu *gpu, const gal_network_batch *batch, gal_error *error) {
    if (!batch->x || !batch->y) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "batch.%s is NULL", batch->x ? "y" : "x");
    }
    if ((batch->x_stride && batch->x_stride < gpu->inputs) ||
        (batch->y_stride && batch->y_stride < gpu->outputs)) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "a stride is shorter than its row");
    }
    gal_status status = GAL_OK;
    if (gpu->phase != GALI_NONE) {
        status = check_finite(batch->phase, batch->count, "phase", error);
    }
    if (status == GAL_OK && gpu->blend != GALI_NONE) {
        status = check_finite(batch->blend, (size_t)batch->count * gpu->experts, "blend", error);
    }
    return status;
}

static gali_rows x_rows(const gal_gpu *gpu, const gal_network_batch *batch, uint32_t first) {
    size_t stride = batch->x_stride ? batch->x_stride : gpu->inputs;
    return (gali_rows){gpu->x, gpu->inputs, stride, batch->x + first * stride};
}

/* Where rows of y lie, and numbers between them. */
static float *y_rows(const gal_gpu *gpu, const gal_network_batch *batch, uint32_t first, size_t *stride) {
    *stride = batch->y_stride ? batch->y_stride : gpu->outputs;
    return batch->y + first * *stride;
}

/* Rows `first` on, `count` of them: copies there, the kernels and copies back are queued; `waits`: they are taken at once. */
static void begin_part(gal_gpu *gpu, const gal_network_batch *batch, uint32_t first, uint32_t count,
                       int waits) {
    gali_rows inputs[GALI_STAGING_INPUTS] = {x_rows(gpu, batch, first)};
    uint32_t given = 1;
    if (gpu->phase != GALI_NONE) {
        inputs[given++] = (gali_rows){gpu->phase, 1, 1, batch->phase + first};
    }
    if (gpu->blend != GALI_NONE) {
        inputs[given++] =
            (gali_rows){gpu->blend, gpu->experts, gpu->experts, batch->blend + (size_t)first * gpu->experts};
    }
    gpu->symbols[gpu->symbol] = count;
    gali_gpu_set_sizes(&gpu->run, gpu->symbols);
    gali_staging_send(&gpu->staging, &gpu->run, inputs, given, count, batch->parallel);
    gali_gpu_launch(&gpu->run, NULL);
    size_t stride;
    float *y = y_rows(gpu, batch, first, &stride);
    int straight = waits && !batch->parallel && stride == gpu->outputs;
    gali_staging_fetch(&gpu->staging, &gpu->run, gpu->y, gpu->outputs, count, straight ? y : NULL);
}

/* Waits for what was begun. */
static void end_part(gal_gpu *gpu, const gal_network_batch *batch, uint32_t first) {
    size_t stride;
    float *y = y_rows(gpu, batch, first, &stride);
    gali_staging_take(&gpu->staging, &gpu->run, y, stride, batch->parallel);
}

/* Runs all parts of a batch but the last, which is under way when this returns. `waits`: that is taken at once, too. */
static gal_status begin(gal_gpu *gpu, const gal_network_batch *batch, int waits, gal_error *error) {
    gal_status status = batch->count ? check_batch(gpu, batch, error) : GAL_OK;
    uint32_t first = 0, left = batch->count;
    abandon(gpu);
    for (; left > gpu->capacity && status == GAL_OK; first += gpu->capacity, left -= gpu->capacity) {
        begin_part(gpu, batch, first, gpu->capacity, 1);
        end_part(gpu, batch, first);
        status = gali_gpu_failure(&gpu->run, error);
    }
    if (left && status == GAL_OK) {
        begin_part(gpu, batch, first, left, waits);
        gpu->awaited = batch->y;
        gpu->first = first;
        status = gali_gpu_failure(&gpu->run, error);
    }
    return status;
}

static gal_status end(gal_gpu *gpu, const gal_network_batch *batch, gal_error *error) {
    if (batch->count) {
        end_part(gpu, batch, gpu->first);
    }
    gpu->awaited = NULL;
    return gali_gpu_failure(&gpu->run, error);
}

gal_status gal_gpu_run(gal_gpu *gpu, const gal_network_batch *batch, gal_error *error) {
    gal_status status = begin(gpu, batch, 1, error);
    return status == GAL_OK ? end(gpu, batch, error) : status;
}

static gal_status run_as_runner(void *context, const gal_network_batch *batch, gal_error *error) {
    return gal_gpu_run(context, batch, error);
}

static gal_status start_as_runner(void *context, const gal_network_batch *batch, gal_error *error) {
    return begin(context, batch, 0, error);
}

static gal_status finish_as_runner(void *context, const gal_network_batch *batch, gal_error *error) {
    gal_gpu *gpu = context;
    if (batch->count && (gpu->awaited != batch->y || gpu->first + gpu->staging.count != batch->count)) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "another batch is under way");
    }
    return end(gpu, batch, error);
}

gal_network_runner gal_gpu_runner(gal_gpu *gpu) {
    return (gal_network_runner){.run = run_as_runner,
                                .context = gpu,
                                .start = gpu->pipelined ? start_as_runner : NULL,
                                .finish = gpu->pipelined ? finish_as_runner : NULL};
}

gal_gpu_info gal_gpu_get_info(const gal_gpu *gpu) {
    gal_gpu_info info = {.name = gpu->run.cl.facts.name, .capacity = gpu->capacity, .memory = gpu->run.memory};
    for (uint32_t i = 0; i < gpu->run.plan.launch_count; i++) {
        const gali_launch *launch = &gpu->run.plan.launches[i];
        info.kernels += gpu->capacity >= launch->least && gpu->capacity <= launch->most;
    }
    return info;
}
