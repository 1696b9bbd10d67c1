#include "gpu/gpu.h"

#include <math.h>
#include <string.h>

#include "base/desc.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "compiler/emit/opencl/emit.h"

enum { CAPACITY_DEFAULT = 4096, CAPACITY_MOST = 1000000, COPIED_ROWS = 256 };

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

gal_status gali_gpu_open(gal_gpu **out, const void *data, size_t size, const gal_gpu_desc *desc,
                         const gali_tiling *tiling, gal_error *error) {
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
    *gpu = (gal_gpu){.capacity = all.capacity ? all.capacity : CAPACITY_DEFAULT};
    const gali_gpu_choice choice = {tiling, all.half_weights != 0};
    gal_status status = make_program(gpu, data, size, &program, error);
    status = status == GAL_OK ? gali_gpu_start(&gpu->run, program, all.device, gpu->symbols, &choice, error)
                              : status;
    if (status == GAL_OK) {
        uint32_t wide = gpu->inputs > gpu->outputs ? gpu->inputs : gpu->outputs;
        gpu->rows = gali_arena_take(&gpu->compilation.arena, (size_t)gpu->capacity * wide * sizeof(float));
        if (!gpu->rows) {
            gali_gpu_end(&gpu->run);
            status = gali_fail(error, GAL_NO_MEMORY, "no memory for rows of %u characters", gpu->capacity);
        }
    }
    if (status != GAL_OK) {
        gali_compilation_release(&gpu->compilation);
        gali_release(NULL, gpu, sizeof *gpu);
        return status;
    }
    *out = gpu;
    return GAL_OK;
}

gal_status gal_gpu_open(gal_gpu **out, const void *data, size_t size, const gal_gpu_desc *desc,
                        gal_error *error) {
    return gali_gpu_open(out, data, size, desc, NULL, error);
}

void gal_gpu_close(gal_gpu *gpu) {
    if (gpu) {
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

/* Rows that lie apart, to or from rows back to back, COPIED_ROWS of them in a task. */
typedef struct copying {
    float *to;
    const float *from;
    size_t to_stride, from_stride, width, count;
} copying;

static void copy_some(void *argument, uint32_t index) {
    const copying *c = argument;
    size_t first = (size_t)index * COPIED_ROWS,
           end = first + COPIED_ROWS < c->count ? first + COPIED_ROWS : c->count;
    for (size_t row = first; row < end; row++) {
        memcpy(c->to + row * c->to_stride, c->from + row * c->from_stride, c->width * sizeof *c->to);
    }
}

static void copy_rows(copying rows, const gal_parallel *parallel) {
    uint32_t tasks = (uint32_t)((rows.count + COPIED_ROWS - 1) / COPIED_ROWS);
    if (parallel && tasks > 1) {
        parallel->parallel_for(parallel->context, copy_some, &rows, tasks);
        return;
    }
    for (uint32_t i = 0; i < tasks; i++) {
        copy_some(&rows, i);
    }
}

static void put_inputs(gal_gpu *gpu, const gal_network_batch *batch, uint32_t first, uint32_t count) {
    size_t stride = batch->x_stride ? batch->x_stride : gpu->inputs;
    const float *x = batch->x + first * stride;
    if (stride != gpu->inputs) {
        copy_rows((copying){gpu->rows, x, gpu->inputs, stride, gpu->inputs, count}, batch->parallel);
        x = gpu->rows;
    }
    gali_gpu_put(&gpu->run, gpu->x, x, (size_t)count * gpu->inputs * sizeof *x);
    if (gpu->phase != GALI_NONE) {
        gali_gpu_put(&gpu->run, gpu->phase, batch->phase + first, count * sizeof(float));
    }
    if (gpu->blend != GALI_NONE) {
        gali_gpu_put(&gpu->run, gpu->blend, batch->blend + (size_t)first * gpu->experts,
                     (size_t)count * gpu->experts * sizeof(float));
    }
}

static void get_outputs(gal_gpu *gpu, const gal_network_batch *batch, uint32_t first, uint32_t count) {
    size_t stride = batch->y_stride ? batch->y_stride : gpu->outputs;
    float *y = batch->y + first * stride, *to = stride == gpu->outputs ? y : gpu->rows;
    gali_gpu_get(&gpu->run, gpu->y, to, (size_t)count * gpu->outputs * sizeof *to);
    if (to != y) {
        copy_rows((copying){y, to, stride, gpu->outputs, gpu->outputs, count}, batch->parallel);
    }
}

gal_status gal_gpu_run(gal_gpu *gpu, const gal_network_batch *batch, gal_error *error) {
    gal_status status = batch->count ? check_batch(gpu, batch, error) : GAL_OK;
    for (uint32_t first = 0; first < batch->count && status == GAL_OK; first += gpu->capacity) {
        uint32_t left = batch->count - first, count = left < gpu->capacity ? left : gpu->capacity;
        gpu->symbols[gpu->symbol] = count;
        gali_gpu_set_sizes(&gpu->run, gpu->symbols);
        put_inputs(gpu, batch, first, count);
        gali_gpu_launch(&gpu->run, NULL);
        get_outputs(gpu, batch, first, count);
        status = gali_gpu_failure(&gpu->run, error);
        if (left <= gpu->capacity) {
            break;
        }
    }
    return status;
}

static gal_status run_as_runner(void *context, const gal_network_batch *batch, gal_error *error) {
    return gal_gpu_run(context, batch, error);
}

gal_network_runner gal_gpu_runner(gal_gpu *gpu) {
    return (gal_network_runner){run_as_runner, gpu};
}

gal_gpu_info gal_gpu_get_info(const gal_gpu *gpu) {
    gal_gpu_info info = {.name = gpu->run.cl.facts.name, .capacity = gpu->capacity, .memory = gpu->run.memory};
    for (uint32_t i = 0; i < gpu->run.plan.launch_count; i++) {
        const gali_launch *launch = &gpu->run.plan.launches[i];
        info.kernels += gpu->capacity >= launch->least && gpu->capacity <= launch->most;
    }
    return info;
}
