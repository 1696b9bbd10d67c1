#include "gpu/run.h"

#include <string.h>

#include "base/error.h"

static int64_t value_of(const gali_gpu_run *run, gali_extent extent, const int64_t *symbols) {
    return gali_extent_value(run->plan.program->graph->extents, extent, symbols);
}

/* Bytes of a tensor; 0: it is too large for indices of 32 bits. */
static size_t bytes_of(const gali_gpu_run *run, uint32_t tensor, const int64_t *symbols) {
    const gali_type *type = &run->plan.program->tensors[tensor].type;
    uint64_t count = 1;
    for (int i = 0; i < type->rank; i++) {
        int64_t extent = value_of(run, type->shape[i], symbols);
        count *= extent > 0 ? (uint64_t)extent : 1;
        if (count > UINT32_MAX) {
            return 0;
        }
    }
    return (size_t)count * gali_element_list[type->element].bytes;
}

static gal_status add_memory(gali_gpu_run *run, uint32_t tensor, const int64_t *most, gal_error *error) {
    const gali_program_tensor *t = &run->plan.program->tensors[tensor];
    size_t size = bytes_of(run, tensor, most);
    if (!size) {
        return gali_fail(error, GAL_UNSUPPORTED, "%.100s has more than 2^32 elements", t->name);
    }
    if (size > run->cl.facts.allocation_most || run->memory + size > run->cl.facts.memory) {
        return gali_fail(error, GAL_NO_MEMORY,
                         "%.60s: %zu MB for %.60s, which has %zu MB in all and %zu at once", run->cl.facts.name,
                         size >> 20, t->name, (size_t)(run->cl.facts.memory >> 20),
                         (size_t)(run->cl.facts.allocation_most >> 20));
    }
    run->memory += size;
    run->tensors[tensor] = gali_cl_buffer(&run->cl, size, t->role == GALI_TENSOR_CONSTANT ? t->data : NULL);
    return gali_gpu_failure(run, error);
}

static gal_status add_all_memory(gali_gpu_run *run, const int64_t *most, gal_error *error) {
    const gali_device_plan *plan = &run->plan;
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i < plan->packed_count && status == GAL_OK; i++) {
        run->packed[i] = gali_cl_buffer(&run->cl, plan->packed[i].count * sizeof(float), plan->packed[i].data);
        run->memory += plan->packed[i].count * sizeof(float);
        status = gali_gpu_failure(run, error);
    }
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        const gali_launch *launch = &plan->launches[i];
        for (uint32_t a = 0; a < launch->argument_count && status == GAL_OK; a++) {
            uint32_t number = launch->argument[a].number;
            if (launch->argument[a].kind == GALI_ARGUMENT_TENSOR && !run->tensors[number]) {
                status = add_memory(run, number, most, error);
            }
        }
    }
    return status;
}

/* Kernels, and what is the same in all runs of their arguments. */
static void add_kernels(gali_gpu_run *run) {
    gali_device_plan *plan = &run->plan;
    void *built = gali_cl_build(&run->cl, plan->source.bytes);
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        const gali_launch *launch = &plan->launches[i];
        run->kernels[i] = gali_cl_kernel(&run->cl, built, launch->name);
        for (uint32_t a = 0; a < launch->argument_count; a++) {
            const gali_argument *argument = &launch->argument[a];
            void *memory = argument->kind == GALI_ARGUMENT_TENSOR   ? run->tensors[argument->number]
                           : argument->kind == GALI_ARGUMENT_PACKED ? run->packed[argument->number]
                                                                    : NULL;
            if (memory) {
                gali_cl_pass_memory(&run->cl, run->kernels[i], a, memory);
            }
        }
    }
    gali_cl_release_program(&run->cl, built);
}

gal_status gali_gpu_start(gali_gpu_run *run, gali_program *program, uint32_t number, const int64_t *most,
                          const gali_tiling *tiling, gal_error *error) {
    *run = (gali_gpu_run){.memory = 0};
    gal_status status = gali_cl_open(&run->cl, number, error);
    if (status != GAL_OK) {
        return status;
    }
    const gali_device device = {(uint32_t)run->cl.facts.group_most, (uint32_t)run->cl.facts.local_size, tiling};
    status = gali_device_plan_make(&run->plan, program, &device, error);
    run->kernels = gali_arena_take(program->arena, (run->plan.launch_count + 1) * sizeof *run->kernels);
    run->packed = gali_arena_take(program->arena, (run->plan.packed_count + 1) * sizeof *run->packed);
    run->tensors = gali_arena_take(program->arena, (program->tensor_count + 1) * sizeof *run->tensors);
    if (status == GAL_OK && program->arena->failed) {
        status = gali_fail(error, GAL_NO_MEMORY, "no memory for a plan");
    }
    if (status == GAL_OK) {
        status = add_all_memory(run, most, error);
    }
    if (status == GAL_OK) {
        add_kernels(run);
        status = gali_gpu_failure(run, error);
    }
    if (status != GAL_OK) {
        gali_gpu_end(run);
    }
    return status;
}

void gali_gpu_end(gali_gpu_run *run) {
    for (uint32_t i = 0; run->kernels && i < run->plan.launch_count; i++) {
        gali_cl_release_kernel(&run->cl, run->kernels[i]);
    }
    gali_text_release(&run->plan.source);
    gali_cl_close(&run->cl);
    *run = (gali_gpu_run){.memory = 0};
}

void gali_gpu_put(gali_gpu_run *run, uint32_t tensor, const void *from, size_t size) {
    if (run->tensors[tensor]) { /* no kernel reads it else */
        gali_cl_write(&run->cl, run->tensors[tensor], from, size);
    }
}

void gali_gpu_get(gali_gpu_run *run, uint32_t tensor, void *to, size_t size) {
    gali_cl_read(&run->cl, run->tensors[tensor], to, size);
}

static void start_kernel(gali_gpu_run *run, uint32_t i, const int64_t *symbols, double *nanoseconds) {
    const gali_launch *launch = &run->plan.launches[i];
    int64_t count = value_of(run, launch->count, symbols);
    if (nanoseconds) {
        *nanoseconds = 0;
    }
    if (count < 1 || count < launch->least || count > launch->most) {
        return;
    }
    for (uint32_t a = 0; a < launch->argument_count; a++) {
        const gali_argument *argument = &launch->argument[a];
        if (argument->kind == GALI_ARGUMENT_COUNT || argument->kind == GALI_ARGUMENT_SYMBOL) {
            int64_t value = argument->kind == GALI_ARGUMENT_COUNT ? count : symbols[argument->number];
            gali_cl_pass_u32(&run->cl, run->kernels[i], a, (uint32_t)value);
        }
    }
    size_t per = launch->shape == GALI_LAUNCH_ITEMS ? launch->group : launch->rows;
    size_t groups = ((size_t)count + per - 1) / per * launch->tiles;
    if (nanoseconds) {
        *nanoseconds = gali_cl_time(&run->cl, run->kernels[i], groups * launch->group, launch->group);
    } else {
        gali_cl_start(&run->cl, run->kernels[i], groups * launch->group, launch->group);
    }
}

void gali_gpu_launch(gali_gpu_run *run, const int64_t *symbols, double *nanoseconds) {
    for (uint32_t i = 0; i < run->plan.launch_count; i++) {
        start_kernel(run, i, symbols, nanoseconds ? &nanoseconds[i] : NULL);
    }
}

gal_status gali_gpu_failure(const gali_gpu_run *run, gal_error *error) {
    return gali_cl_good(&run->cl) ? GAL_OK
                                  : gali_fail(error, run->cl.failure.status, "%.60s: %.180s",
                                              run->cl.facts.name, run->cl.failure.message);
}
