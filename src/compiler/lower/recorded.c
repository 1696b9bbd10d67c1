#include "compiler/lower/recorded.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* "Conv 1 x 64 x 56 x 56, sums of 64 x 3 x 3" */
static void describe(const gali_program *p, const gali_lowered_sum *sum, gali_text *text) {
    gali_text_add(text, "%s",
                  sum->node == GALI_NONE ? "Copy" : gali_op_list[p->nodes[sum->node].node->op].name);
    for (uint32_t i = 0; i < sum->rank + sum->reduced; i++) {
        gali_text_add(text, "%s%lld",
                      i == sum->rank ? ", sums of "
                      : i            ? " x "
                                     : " ",
                      (long long)sum->extent[i]);
    }
}

gal_status gali_program_log_task(gali_program *program, uint32_t group, const gali_lowered *lowered,
                                 gali_log_task *task, gal_error *error) {
    const gali_target *target = program->target;
    gali_arena arena = {0};
    gali_lowered plain;
    gali_text text = {0}, layer = {0};
    program->target = NULL;
    gal_status status = gali_program_lower_by(program, group, NULL, &arena, &plain, error);
    program->target = target;
    if (status == GAL_OK) {
        snprintf(plain.function->name, GALI_LOOP_NAME_MAX, "group");
        for (uint32_t i = 0; i < plain.function->buffers; i++) {
            snprintf(plain.function->buffer[i]->name, GALI_LOOP_NAME_MAX, "buffer%u", i);
        }
        gali_loop_print(plain.function, &text);
        describe(program, &lowered->sum, &layer);
        if (text.failed || layer.failed) {
            status = gali_fail(error, GAL_NO_MEMORY, "no memory for a group's text");
        } else {
            gali_log_task_of(task, text.bytes, layer.bytes, target);
        }
    }
    gali_text_release(&text);
    gali_text_release(&layer);
    gali_arena_release(&arena);
    return status;
}

/* The record's schedule for the group, if it is one of it. */
static gal_status use(gali_program *p, uint32_t group, const gali_log_record *record, const char *path,
                      gal_error *error) {
    gali_schedule *schedule = gali_arena_take(p->arena, sizeof *schedule);
    gali_arena arena = {0};
    gali_lowered lowered;
    gal_error why = {0};
    if (!schedule) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for schedules");
    }
    gal_status status = gali_schedule_parse(schedule, record->schedule, strlen(record->schedule), &why);
    status = status == GAL_OK ? gali_program_lower_by(p, group, schedule, &arena, &lowered, &why) : status;
    gali_arena_release(&arena);
    p->schedules[group] = schedule;
    return status == GAL_OK
               ? GAL_OK
               : gali_fail(error, status, "%.100s, line %u: %.150s", path, record->line, why.message);
}

static gal_status look_up(gali_program *p, uint32_t group, const gali_log *log, const char *path,
                          uint32_t *groups, uint32_t *logged, gal_error *error) {
    gali_arena arena = {0};
    gali_lowered lowered;
    gali_log_task task;
    gal_status status = gali_program_lower_by(p, group, NULL, &arena, &lowered, error);
    if (status == GAL_OK && lowered.sum.schedule.count) {
        ++*groups;
        status = gali_program_log_task(p, group, &lowered, &task, error);
        const gali_log_record *best = status == GAL_OK ? gali_log_best_of(log, &task) : NULL;
        if (best) {
            ++*logged;
            status = use(p, group, best, path, error);
        }
    }
    gali_arena_release(&arena);
    return status;
}

/* The log's schedules of all groups. */
static gal_status look_up_all(gali_program *p, const gali_log *log, const char *path, uint32_t *groups,
                              uint32_t *logged, gal_error *error) {
    gal_status status = GAL_OK;
    size_t bytes = (p->group_count + 1) * sizeof *p->schedules;
    p->schedules = gali_arena_take(p->arena, bytes);
    if (!p->schedules) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for schedules");
    }
    memset((void *)p->schedules, 0, bytes);
    for (uint32_t group = 0; group < p->group_count && status == GAL_OK; group++) {
        status = look_up(p, group, log, path, groups, logged, error);
    }
    return status;
}

gal_status gali_program_use_log(gali_program *p, const gali_log *log, const char *path, uint32_t *groups,
                                uint32_t *logged, gal_error *error) {
    *groups = *logged = 0;
    gal_status status = look_up_all(p, log, path, groups, logged, error);
    for (uint32_t v = 0; v < p->version_count && status == GAL_OK; v++) {
        status = look_up_all(p->versions[v].narrow, log, path, groups, logged, error);
    }
    return status;
}
