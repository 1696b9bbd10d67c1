#include "compiler/tune/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "compiler/lower/recorded.h"
#include "compiler/pass/pass.h"
#include "compiler/program/versions.h"

gal_status gali_tune_compile(gali_compilation *c, const void *data, size_t size, const gali_target *target,
                             gal_form form, gal_error *error) {
    *c = (gali_compilation){
        .target = target, .name = "model", .form = form, .least = 1, .most = GALI_CHARACTERS_DEFAULT};
    gal_status status = gali_model_read(&c->model, data, size, error);
    return status == GAL_OK ? gali_pass_run(c, "schedule", NULL, error) : status;
}

static void add_written(gali_tune_task *task, const gali_schedule *schedule) {
    for (uint32_t i = 0; i < task->written_count; i++) {
        if (gali_schedule_same(&task->written[i], schedule)) {
            return;
        }
    }
    task->written[task->written_count++] = *schedule;
}

static void find_written(gali_tune_task *task, const gali_layer_schedule *layer, const gali_target *target) {
    gali_schedule alone;
    gal_error none;
    if (task->dense.most <= GALI_CHARACTERS_DEFAULT) {
        add_written(task, &gali_layer_version_of(layer, task->dense.most)->schedule);
    }
    for (int kernel = 1; kernel >= 0; kernel--) {
        if (gali_schedule_hand(&task->dense, target, kernel, &alone, &none) == GAL_OK) {
            add_written(task, &alone);
        }
    }
}

static gal_status add_task(gali_tune_task *tasks, uint32_t *count, const gali_layer_schedule *layer,
                           uint32_t characters, const gali_target *target, gal_error *error) {
    gali_dense dense = layer->dense;
    dense.least = dense.most = characters;
    for (uint32_t i = 0; i < *count; i++) {
        if (gali_dense_same(&tasks[i].dense, &dense) && tasks[i].dense.most == characters) {
            tasks[i].layers++;
            return GAL_OK;
        }
    }
    if (*count == GALI_TUNE_TASKS_MAX) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "more than %d layers and counts of characters",
                         GALI_TUNE_TASKS_MAX);
    }
    gali_tune_task *task = &tasks[(*count)++];
    *task = (gali_tune_task){.dense = dense, .layers = 1};
    gal_status status = gali_log_task_make(&task->name, &dense, target, error);
    if (status == GAL_OK) {
        find_written(task, layer, target);
    }
    return status;
}

gal_status gali_tune_tasks(const gali_compilation *c, const uint32_t *counts, uint32_t count_count,
                           gali_tune_task *tasks, uint32_t *task_count, gal_error *error) {
    gal_status status = GAL_OK;
    *task_count = 0;
    for (uint32_t i = 0; i < c->schedule_count; i++) {
        for (uint32_t k = 0; k < count_count && !c->schedules[i]->patched && status == GAL_OK; k++) {
            status = add_task(tasks, task_count, c->schedules[i], counts[k], c->target, error);
        }
    }
    return status;
}

/* ---- groups ---- */

/* About what a machine takes: multiply-adds, and bytes that come from far memory. */
static double weight_of(const gali_tune_task *task) {
    return task->layers * (task->group.sum.steps + (double)GALI_TUNE_BYTE * task->group.bytes);
}

static int is_lighter(const gali_tune_task *a, const gali_tune_task *b) {
    return weight_of(a) < weight_of(b);
}

static int by_weight(const void *a, const void *b) {
    const gali_tune_task *x = a, *y = b;
    return is_lighter(x, y) ? 1 : is_lighter(y, x) ? -1 : (x->group.number > y->group.number) * 2 - 1;
}

/* A task for the group, or one more of a task's groups. Where there is no more room, in the lightest's place. */
static void add_group(gali_tune_task *tasks, uint32_t *count, const gali_tune_task *group) {
    uint32_t lightest = 0;
    for (uint32_t i = 0; i < *count; i++) {
        if (strcmp(tasks[i].name.key, group->name.key) == 0) {
            tasks[i].layers++;
            return;
        }
        lightest = is_lighter(&tasks[i], &tasks[lightest]) ? i : lightest;
    }
    if (*count < GALI_TUNE_TASKS_MAX) {
        tasks[(*count)++] = *group;
    } else if (is_lighter(&tasks[lightest], group)) {
        tasks[lightest] = *group;
    }
}

static double bytes_of(const gali_program *p, const gali_lowered *lowered) {
    double bytes = 0;
    for (uint32_t i = 0; i < lowered->function->parameters; i++) {
        const gali_type *type = &p->tensors[lowered->tensors[i]].type;
        int64_t count =
            gali_extent_value(p->graph->extents, gali_type_count(p->graph->extents, type), p->typical);
        bytes += (double)(count > 0 ? count : 0) * (double)gali_element_list[type->element].bytes;
    }
    return bytes;
}

/* A task for the group as that program has it, if there is anything to choose. */
static gal_status add_group_task(gali_program *program, uint32_t group, gali_tune_task *tasks,
                                 uint32_t *task_count, gal_error *error) {
    gali_arena arena = {0};
    gali_lowered lowered;
    gali_tune_task task = {.layers = 1, .group = {.program = program, .number = group}};
    gal_status status = gali_program_lower_by(program, group, NULL, &arena, &lowered, error);
    if (status == GAL_OK && lowered.sum.schedule.count) {
        task.group.sum = lowered.sum;
        task.group.bytes = bytes_of(program, &lowered);
        add_written(&task, &lowered.sum.schedule);
        status = gali_program_log_task(program, group, &lowered, &task.name, error);
        if (status == GAL_OK) {
            add_group(tasks, task_count, &task);
        }
    }
    gali_arena_release(&arena);
    return status;
}

gal_status gali_tune_group_tasks(gali_program *program, gali_tune_task *tasks, uint32_t *task_count,
                                 gal_error *error) {
    gal_status status = GAL_OK;
    *task_count = 0;
    for (uint32_t i = 0; i < program->group_count && status == GAL_OK; i++) {
        uint32_t versions[GALI_PROGRAM_VERSIONS_MAX], count = gali_program_group_versions(program, i, versions);
        if (count < 2) {
            status = add_group_task(program, i, tasks, task_count, error);
        }
        for (uint32_t v = 0; count > 1 && v < count && status == GAL_OK; v++) {
            status = add_group_task(program->versions[versions[v]].narrow, i, tasks, task_count, error);
        }
    }
    qsort(tasks, *task_count, sizeof *tasks, by_weight);
    return status;
}

uint32_t gali_tune_worth(const gali_tune_task *tasks, uint32_t count) {
    double all = 0, light = 0;
    for (uint32_t i = 0; i < count; i++) {
        all += weight_of(&tasks[i]);
    }
    while (count > 1 && light + weight_of(&tasks[count - 1]) < all / 50) {
        light += weight_of(&tasks[--count]);
    }
    return count;
}

/* ---- plans ---- */

/* The schedule's layer that layer i of a plan is; NULL where the compiler has none of it. */
static const gali_dense *layer_of(const gali_compilation *c, const gali_plan *plan, uint32_t i) {
    char name[GALI_LAYER_NAME_MAX + 1];
    int gate = i < plan->gating;
    gali_compilation_name_layer(name, gate, gate ? i : i - plan->gating);
    const gali_group *group = gali_compilation_layer(c, name);
    return group && !group->schedule->patched ? &group->schedule->dense : NULL;
}

/* The number of a schedule's first split of that axis; 0 if it has none. */
static uint32_t split_of(const gali_schedule *schedule, const char *axis) {
    for (uint32_t i = 0; i < schedule->count; i++) {
        const gali_schedule_entry *entry = &schedule->entry[i];
        if (entry->primitive == GALI_PRIMITIVE_SPLIT && strcmp(entry->target, axis) == 0) {
            return entry->number;
        }
    }
    return 0;
}

/* The log's best schedule of the runtime's form for layer i of a plan. */
static int find_best(const gali_log *log, const gali_compilation *c, const gali_plan *plan, uint32_t i,
                     uint32_t characters, gali_schedule *schedule) {
    const gali_dense *layer = layer_of(c, plan, i);
    gali_measured measured;
    if (!layer || plan->layers[i].form != GAL_FORM_PER_EXPERT ||
        gali_precision_is_narrow(plan->layers[i].precision)) {
        return 0;
    }
    gali_dense dense = *layer;
    dense.form = GAL_FORM_PER_EXPERT;
    dense.least = dense.most = characters;
    return gali_log_best(log, &dense, c->target, schedule, &measured);
}

void gali_tune_plan(const gali_log *log, const gali_compilation *c, uint32_t characters, gali_plan *plan) {
    for (uint32_t i = 0; i < plan->count; i++) {
        gali_plan_layer *layer = &plan->layers[i];
        gali_schedule schedule;
        if (!find_best(log, c, plan, i, characters, &schedule)) {
            continue;
        }
        uint32_t vectors = split_of(&schedule, "n"), rows = split_of(&schedule, "c");
        if (vectors >= 1 && vectors <= GALI_PANEL_VECTORS_MAX && rows <= GALI_TILE_ROWS_MAX) {
            layer->vectors = vectors;
            layer->rows = rows >= 2 ? rows : plan->kernels->tile_rows[vectors];
        }
    }
}
