#include "compiler/lower/recorded.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "compiler/program/versions.h"

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

/* ---- versions ---- */

/* *lowered: the function of a version as the log has it, in the arena; NULL where the log has none. */
static gal_status logged_version(gali_program *p, uint32_t group, gali_arena *arena, gali_lowered **lowered,
                                 gal_error *error) {
    *lowered = NULL;
    if (!p->schedules[group]) {
        return GAL_OK;
    }
    *lowered = gali_arena_take(arena, sizeof **lowered);
    return *lowered ? gali_program_lower_by(p, group, p->schedules[group], arena, *lowered, error)
                    : gali_fail(error, GAL_NO_MEMORY, "no memory for schedules of versions");
}

/*
 * Constants are there once, laid out as the function for all sizes reads them. It takes the schedule of the version with the
 * most steps; another one that wants them otherwise goes without its own.
 */
static gal_status agree(gali_program *p, uint32_t group, const uint32_t *versions, uint32_t count,
                        uint32_t *logged, gali_arena *arena, gal_error *error) {
    gali_lowered *of[GALI_PROGRAM_VERSIONS_MAX], all;
    gali_program *leader = NULL;
    double most = 0;
    gal_error why = {0}; /* of the leader's schedule where it is none of all sizes */
    gal_status status = GAL_OK;
    for (uint32_t v = 0; v < count && status == GAL_OK; v++) {
        gali_program *narrow = p->versions[versions[v]].narrow;
        status = logged_version(narrow, group, arena, &of[v], error);
        if (status == GAL_OK && of[v] && of[v]->sum.steps > most) {
            most = of[v]->sum.steps;
            leader = narrow;
        }
    }
    if (status != GAL_OK || !leader) {
        return status;
    }
    p->schedules[group] = leader->schedules[group];
    if (gali_program_lower_by(p, group, p->schedules[group], arena, &all, &why) != GAL_OK) {
        p->schedules[group] = NULL;
        status = gali_program_lower_by(p, group, NULL, arena, &all, error);
    }
    for (uint32_t v = 0; v < count && status == GAL_OK; v++) {
        if (of[v] && !gali_lowered_reads_alike(of[v], &all)) {
            p->versions[versions[v]].narrow->schedules[group] = NULL;
            --*logged;
        }
    }
    return status;
}

/* A group that has versions is these alone: each call fits one. */
static gal_status look_up_versions(gali_program *p, uint32_t group, const uint32_t *versions, uint32_t count,
                                   const gali_log *log, const char *path, uint32_t *groups, uint32_t *logged,
                                   gal_error *error) {
    gali_arena arena = {0};
    gal_status status = GAL_OK;
    for (uint32_t v = 0; v < count && status == GAL_OK; v++) {
        status = look_up(p->versions[versions[v]].narrow, group, log, path, groups, logged, error);
    }
    status = status == GAL_OK ? agree(p, group, versions, count, logged, &arena, error) : status;
    gali_arena_release(&arena);
    return status;
}

/* ---- all ---- */

static void make_room(gali_program *p) {
    p->schedules = gali_arena_take(p->arena, (p->group_count + 1) * sizeof *p->schedules);
}

gal_status gali_program_use_log(gali_program *p, const gali_log *log, const char *path, uint32_t *groups,
                                uint32_t *logged, gal_error *error) {
    gal_status status = GAL_OK;
    *groups = *logged = 0;
    make_room(p);
    for (uint32_t v = 0; v < p->version_count; v++) {
        make_room(p->versions[v].narrow);
    }
    if (p->arena->failed) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for schedules");
    }
    for (uint32_t group = 0; group < p->group_count && status == GAL_OK; group++) {
        uint32_t versions[GALI_PROGRAM_VERSIONS_MAX], count = gali_program_group_versions(p, group, versions);
        status = count < 2 ? look_up(p, group, log, path, groups, logged, error)
                           : look_up_versions(p, group, versions, count, log, path, groups, logged, error);
    }
    return status;
}
