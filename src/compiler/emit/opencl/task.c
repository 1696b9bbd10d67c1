/* What is chosen of a plan: tilings of its sums of products, and what kernels read as images. */
#include <stdio.h>
#include <string.h>

#include "compiler/emit/opencl/plan.h"
#include "compiler/lower/lowering.h"

/* ---- images ---- */

gali_extent gali_device_floats(const gali_device_plan *plan, uint32_t tensor) {
    return gali_type_count(plan->program->graph->extents, &plan->program->tensors[tensor].type);
}

uint64_t gali_device_image_rows(uint64_t floats) {
    return (floats + GALI_DEVICE_IMAGE_FLOATS - 1) / GALI_DEVICE_IMAGE_FLOATS;
}

int gali_device_image_fits(const gali_device_plan *plan, uint32_t tensor) {
    int64_t least, most;
    gali_extent_range(plan->program->graph->extents, gali_device_floats(plan, tensor), &least, &most);
    return plan->device.image_rows && most > 0 &&
           gali_device_image_rows((uint64_t)most) <= plan->device.image_rows;
}

static uint32_t find_image(const gali_device_plan *plan, int constant, uint32_t number) {
    uint32_t i = 0;
    while (i < plan->image_count &&
           (plan->images[i].constant != constant || plan->images[i].number != number)) {
        i++;
    }
    return i;
}

uint32_t gali_device_add_image(gali_device_plan *plan, int constant, uint32_t number, gali_extent floats) {
    uint32_t i = find_image(plan, constant, number);
    if (i == plan->image_count) {
        plan->images[plan->image_count++] = (gali_device_image){constant, number, floats};
    }
    return i;
}

/* ---- tilings ---- */

static int is_whole(const gali_tiling *t) {
    enum { FOURS = 4 };
    return t->rows && t->parts && t->outputs && t->row_registers && t->output_registers &&
           t->row_registers % FOURS == 0 && t->output_registers % FOURS == 0 && t->depth % FOURS == 0 &&
           t->rows % t->row_registers == 0 && t->outputs % t->output_registers == 0;
}

int gali_tiling_fits(const gali_tiling *t, const gali_device_task *task, const gali_device_limits *device) {
    if (!t->depth) {
        return task->product && gali_tiling_fits_product(t, task, device);
    }
    if (!is_whole(t) || (t->images & ~task->images)) {
        return 0;
    }
    uint32_t items = t->rows / t->row_registers * (t->outputs / t->output_registers);
    return items * t->parts <= device->group_most &&
           (task->product ? gali_tiling_fits_product(t, task, device) : gali_tiling_fits_sum(t, device));
}

enum { SIZE_TYPICAL = 64 };

int64_t gali_device_size(const gali_program *p, uint32_t symbol, int64_t asked) {
    int64_t size = asked ? asked : gali_program_is_batch(p->graph, symbol) ? 1 : SIZE_TYPICAL;
    return size < p->least[symbol] ? p->least[symbol] : size > p->most[symbol] ? p->most[symbol] : size;
}

uint32_t gali_device_typical(const gali_device_plan *plan, gali_extent extent) {
    const gali_program *p = plan->program;
    const gali_extents *x = p->graph->extents;
    int64_t sizes[GALI_LOWER_SYMBOLS_MAX] = {0};
    uint32_t count = gali_extent_symbols(x);
    if (gali_extent_is_number(extent)) {
        return (uint32_t)extent;
    }
    for (uint32_t i = 0; i < count && i < GALI_LOWER_SYMBOLS_MAX; i++) {
        sizes[i] = plan->device.typical ? plan->device.typical[i] : gali_device_size(p, i, 0);
    }
    return count > GALI_LOWER_SYMBOLS_MAX ? SIZE_TYPICAL : (uint32_t)gali_extent_value(x, extent, sizes);
}

uint32_t gali_device_choose(gali_device_plan *plan, gali_device_task *task, const char *text, const char *what,
                            gali_device_chosen chosen[GALI_DEVICE_CHOSEN_MAX]) {
    static const gali_target target = {.name = "opencl"};
    uint32_t rows = task->rows;
    gali_log_task_of(&task->name, text, what, &target);
    snprintf(task->name.machine, sizeof task->name.machine, "%s",
             plan->device.machine ? plan->device.machine : "");
    task->name.characters = task->product ? rows : 0;
    plan->tasks[plan->task_count++] = *task;
    return plan->device.choose ? plan->device.choose(plan->device.context, task, chosen) : 0;
}

uint32_t gali_device_choose_logged(void *context, const gali_device_task *task, gali_device_chosen *chosen) {
    uint32_t rows[GALI_DEVICE_CHOSEN_MAX];
    gali_tiling tilings[GALI_DEVICE_CHOSEN_MAX];
    gali_device_logged *logged = context;
    uint32_t count = gali_log_tilings(logged->log, &task->name, GALI_DEVICE_CHOSEN_MAX, rows, tilings);
    logged->tasks++;
    logged->known += count > 0;
    for (uint32_t i = 0; i < count; i++) {
        chosen[i] = (gali_device_chosen){rows[i], tilings[i]};
    }
    return count;
}
