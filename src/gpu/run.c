#include "gpu/run.h"

#include <string.h>

#include "base/error.h"

enum { IMAGE_WIDTH = 1 << GALI_DEVICE_IMAGE_LOG, TEXEL = 4 };

static int64_t value_of(const gali_gpu_run *run, gali_extent extent, const int64_t *symbols) {
    return gali_extent_value(run->plan.program->graph->extents, extent, symbols);
}

/* How many sizes the program knows. */
static uint32_t size_count(const gali_gpu_run *run) {
    return gali_extent_symbols(run->plan.program->graph->extents);
}

static gal_status add_memory(gali_gpu_run *run, const int64_t *most, gal_error *error) {
    const gali_cl_facts *facts = &run->cl.facts;
    size_t weights = run->plan.weights.size ? run->plan.weights.size : GALI_DEVICE_UNIT;
    uint64_t units = gali_device_plan_places(&run->plan, most, run->at), size = units * GALI_DEVICE_UNIT;
    if (!units) {
        return gali_fail(error, GAL_UNSUPPORTED, "a tensor has more than 2^32 elements");
    }
    if (size > facts->allocation_most || weights > facts->allocation_most || size + weights > facts->memory) {
        return gali_fail(error, GAL_NO_MEMORY,
                         "%.60s: %zu MB for tensors and %zu for weights, of %zu MB in all and %zu at once",
                         facts->name, (size_t)(size >> 20), weights >> 20, (size_t)(facts->memory >> 20),
                         (size_t)(facts->allocation_most >> 20));
    }
    run->memory = (size_t)size + weights;
    run->weights = gali_cl_buffer(&run->cl, weights, run->plan.weights.bytes);
    run->tensors = gali_cl_buffer(&run->cl, (size_t)size, NULL);
    return gali_gpu_failure(run, error);
}

static uint64_t floats_of(const gali_gpu_run *run, uint32_t image, const int64_t *symbols) {
    return (uint64_t)value_of(run, run->plan.images[image].floats, symbols);
}

/* Images for the largest sizes; those of constants are filled. */
static gal_status add_images(gali_gpu_run *run, const int64_t *most, gal_error *error) {
    for (uint32_t i = 0; i < run->plan.image_count; i++) {
        const gali_device_image *image = &run->plan.images[i];
        size_t rows = (size_t)gali_device_image_rows(floats_of(run, i, most));
        run->images[i] = gali_cl_image(&run->cl, IMAGE_WIDTH, rows, 0, NULL);
        run->memory += rows * GALI_DEVICE_IMAGE_FLOATS * sizeof(float);
        run->fresh[i] = 0;
        if (image->constant) {
            gali_cl_copy_image(&run->cl, run->weights, (size_t)image->number * GALI_DEVICE_UNIT, run->images[i],
                               IMAGE_WIDTH, (size_t)(floats_of(run, i, most) + TEXEL - 1) / TEXEL, NULL);
        }
    }
    return gali_gpu_failure(run, error);
}

/* Kernels, and the two pieces of memory, which are the same in all runs, as their first arguments. */
static void add_kernels(gali_gpu_run *run) {
    gali_device_plan *plan = &run->plan;
    void *built = gali_cl_build(&run->cl, plan->source.bytes);
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        run->kernels[i] = gali_cl_kernel(&run->cl, built, plan->launches[i].name);
        gali_cl_pass_memory(&run->cl, run->kernels[i], 0, run->tensors);
        gali_cl_pass_memory(&run->cl, run->kernels[i], 1, run->weights);
    }
    gali_cl_release_program(&run->cl, built);
}

gal_status gali_gpu_start(gali_gpu_run *run, gali_program *program, uint32_t number, const int64_t *most,
                          const gali_gpu_choice *choice, gal_error *error) {
    *run = (gali_gpu_run){.memory = 0};
    gal_status status = gali_cl_open(&run->cl, number, error);
    if (status != GAL_OK) {
        return status;
    }
    static const gali_gpu_choice by_rules;
    const gali_gpu_choice *by = choice ? choice : &by_rules;
    const gali_cl_facts *facts = &run->cl.facts;
    const gali_device_limits device = {
        .group_most = (uint32_t)facts->group_most,
        .local_bytes = (uint32_t)facts->local_size,
        .choose = by->choose,
        .context = by->context,
        .machine = facts->name,
        .image_rows = facts->images && facts->image_width >= IMAGE_WIDTH ? (uint32_t)facts->image_height : 0,
        .prefers_images = by->prefers_images,
        .divided_addresses = by->divided_addresses,
        .half_weights = by->half_weights,
        .cores = facts->units,
        .typical = most};
    status = gali_device_plan_make(&run->plan, program, &device, error);
    run->kernels = gali_arena_take(program->arena, (run->plan.launch_count + 1) * sizeof *run->kernels);
    run->items = gali_arena_take(program->arena, (run->plan.launch_count + 1) * sizeof *run->items);
    run->images = gali_arena_take(program->arena, (run->plan.image_count + 1) * sizeof *run->images);
    run->fresh = gali_arena_take(program->arena, run->plan.image_count + 1);
    run->at = gali_arena_take(program->arena, (program->tensor_count + 1) * sizeof *run->at);
    run->symbols = gali_arena_take(program->arena, (size_count(run) + 1) * sizeof *run->symbols);
    if (status == GAL_OK && program->arena->failed) {
        status = gali_fail(error, GAL_NO_MEMORY, "no memory for a plan");
    }
    if (status == GAL_OK) {
        status = add_memory(run, most, error);
    }
    status = status == GAL_OK ? add_images(run, most, error) : status;
    if (status == GAL_OK) {
        gali_gpu_set_sizes(run, most);
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
    gali_device_plan_release(&run->plan);
    gali_cl_close(&run->cl);
    *run = (gali_gpu_run){.memory = 0};
}

void gali_gpu_set_sizes(gali_gpu_run *run, const int64_t *symbols) {
    size_t bytes = size_count(run) * sizeof *symbols;
    if (memcmp(run->symbols, symbols, bytes) != 0) {
        memcpy(run->symbols, symbols, bytes);
        gali_device_plan_places(&run->plan, symbols, run->at);
        run->is_passed = 0;
    }
}

size_t gali_gpu_at(const gali_gpu_run *run, uint32_t tensor) {
    return (size_t)run->at[tensor] * GALI_DEVICE_UNIT;
}

void gali_gpu_put(gali_gpu_run *run, uint32_t tensor, const void *from, size_t size) {
    gali_cl_write(&run->cl, run->tensors, gali_gpu_at(run, tensor), from, size);
}

void gali_gpu_get(gali_gpu_run *run, uint32_t tensor, void *to, size_t size) {
    gali_cl_read(&run->cl, run->tensors, gali_gpu_at(run, tensor), to, size);
}

static uint32_t argument_value(const gali_gpu_run *run, const gali_argument *argument, int64_t count) {
    switch (argument->kind) {
    case GALI_ARGUMENT_COUNT:
        return (uint32_t)count;
    case GALI_ARGUMENT_SYMBOL:
        return (uint32_t)run->symbols[argument->number];
    case GALI_ARGUMENT_TENSOR:
        return run->at[argument->number];
    case GALI_ARGUMENT_EXTENT:
        return (uint32_t)value_of(run, run->plan.extents[argument->number], run->symbols);
    default:
        return argument->number;
    }
}

/* How many items a launch has, and all its arguments, which kernels keep until sizes change. */
static void pass_all(gali_gpu_run *run, uint32_t i) {
    enum { MEMORIES = 2 };
    const gali_launch *launch = &run->plan.launches[i];
    int64_t count = value_of(run, launch->count, run->symbols);
    run->items[i] = 0;
    if (count < 1 || count < launch->least || count > launch->most) {
        return;
    }
    for (uint32_t a = 0; a < launch->argument_count; a++) {
        const gali_argument *argument = &launch->argument[a];
        if (argument->kind == GALI_ARGUMENT_IMAGE) {
            gali_cl_pass_memory(&run->cl, run->kernels[i], MEMORIES + a, run->images[argument->number]);
        } else {
            gali_cl_pass_u32(&run->cl, run->kernels[i], MEMORIES + a, argument_value(run, argument, count));
        }
    }
    size_t per = launch->shape == GALI_LAUNCH_ITEMS ? launch->group : launch->rows;
    size_t groups = launch->shape == GALI_LAUNCH_SUMS ? (size_t)value_of(run, launch->groups, run->symbols)
                                                      : ((size_t)count + per - 1) / per * launch->tiles;
    run->items[i] = groups * launch->group;
}

/* The first kernel of a launch that reads a tensor's image has it copied. */
static void copy_images(gali_gpu_run *run, const gali_launch *launch, double *nanoseconds) {
    for (uint32_t a = 0; a < launch->argument_count; a++) {
        uint32_t image = launch->argument[a].number;
        if (launch->argument[a].kind == GALI_ARGUMENT_IMAGE && !run->plan.images[image].constant &&
            !run->fresh[image]) {
            size_t texels = (size_t)(floats_of(run, image, run->symbols) + TEXEL - 1) / TEXEL;
            gali_cl_copy_image(&run->cl, run->tensors, gali_gpu_at(run, run->plan.images[image].number),
                               run->images[image], IMAGE_WIDTH, texels, nanoseconds);
            run->fresh[image] = 1;
        }
    }
}

static void start_kernel(gali_gpu_run *run, uint32_t i, double *nanoseconds) {
    const gali_launch *launch = &run->plan.launches[i];
    if (nanoseconds) {
        *nanoseconds = 0;
    }
    if (!run->items[i]) {
        return;
    }
    if (run->plan.image_count) {
        copy_images(run, launch, nanoseconds);
    }
    if (nanoseconds) {
        *nanoseconds += gali_cl_time(&run->cl, run->kernels[i], run->items[i], launch->group);
    } else {
        gali_cl_start(&run->cl, run->kernels[i], run->items[i], launch->group);
    }
}

void gali_gpu_launch(gali_gpu_run *run, double *nanoseconds) {
    memset(run->fresh, 0, run->plan.image_count);
    for (uint32_t i = 0; i < run->plan.launch_count && !run->is_passed; i++) {
        pass_all(run, i);
    }
    run->is_passed = 1;
    for (uint32_t i = 0; i < run->plan.launch_count; i++) {
        start_kernel(run, i, nanoseconds ? &nanoseconds[i] : NULL);
    }
}

gal_status gali_gpu_failure(const gali_gpu_run *run, gal_error *error) {
    return gali_cl_good(&run->cl) ? GAL_OK
                                  : gali_fail(error, run->cl.failure.status, "%.60s: %.180s",
                                              run->cl.facts.name, run->cl.failure.message);
}
