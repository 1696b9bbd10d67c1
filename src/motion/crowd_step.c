/*
 * A crowd's frame, group by group: features of its characters, one run of its network, poses.
 */
#include "motion/crowd_parts.h"

#include <string.h>

#include "motion/step.h"

enum {
    FRAMES_DEFAULT = 4,
    CHARACTERS_PER_TASK = 8,
};

/* A part of the step over the rows of a group, for the host's threads. */
typedef struct rows_task {
    gal_crowd *crowd;
    const gal_controller *controller;
    uint32_t count; /* rows */
    void (*one)(const struct rows_task *task, uint32_t row);
} rows_task;

static void run_rows(void *argument, uint32_t index) {
    const rows_task *task = argument;
    uint32_t end = (index + 1) * CHARACTERS_PER_TASK;
    end = end < task->count ? end : task->count;
    for (uint32_t row = index * CHARACTERS_PER_TASK; row < end; row++) {
        task->one(task, row);
    }
}

static void for_rows(rows_task task, void (*one)(const rows_task *task, uint32_t row)) {
    const gal_parallel *parallel = &task.crowd->parallel;
    uint32_t count = (task.count + CHARACTERS_PER_TASK - 1) / CHARACTERS_PER_TASK;
    task.one = one;
    if (parallel->parallel_for && count > 1) {
        parallel->parallel_for(parallel->context, run_rows, &task, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        run_rows(&task, i);
    }
}

static void before(const rows_task *task, uint32_t row) {
    gal_crowd *crowd = task->crowd;
    gali_character *character = &crowd->characters[crowd->rows[row]];
    const gali_contract *contract = task->controller->contract;
    memcpy(character->pose_before, character->pose, contract->joint_count * sizeof(gal_transform));
    gali_step_before(character, task->controller, &crowd->ground, crowd->x + (size_t)row * contract->inputs);
    crowd->phase[row] = character->phase;
}

static void after(const rows_task *task, uint32_t row) {
    gal_crowd *crowd = task->crowd;
    gali_character *character = &crowd->characters[crowd->rows[row]];
    const float *y = crowd->y + (size_t)row * task->controller->contract->outputs;
    crowd->lost[row] = !gali_step_after(character, task->controller, &crowd->ground, y);
}

/* Fills crowd->rows; returns how many. */
static uint32_t find_rows(gal_crowd *crowd, const gali_group *group) {
    uint32_t count = 0;
    for (uint32_t place = group->first; count < group->count; place++) {
        if (crowd->characters[place].handle) {
            crowd->rows[count++] = place;
        }
    }
    return count;
}

static void step_group(gal_crowd *crowd, const gali_group *group) {
    const rows_task task = {.crowd = crowd, .controller = group->controller, .count = find_rows(crowd, group)};
    gal_network_batch batch = {
        .count = task.count,
        .x = crowd->x,
        .phase = crowd->phase,
        .y = crowd->y,
        .parallel = crowd->parallel.parallel_for ? &crowd->parallel : NULL,
    };
    for_rows(task, before);
    gal_network_run(group->controller->network, &batch, crowd->workspace, crowd->workspace_size, NULL);
    for_rows(task, after);
    for (uint32_t row = 0; row < task.count; row++) {
        crowd->resets += crowd->lost[row];
    }
}

void gal_crowd_step(gal_crowd *crowd) {
    for (uint32_t g = 0; g < crowd->group_count; g++) {
        step_group(crowd, &crowd->groups[g]);
    }
    gali_record_step(&crowd->recorder, crowd);
}

uint32_t gal_crowd_advance(gal_crowd *crowd, float seconds, uint32_t max_frames, float *fraction) {
    double frame = 1.0 / (double)crowd->groups[0].controller->contract->rate;
    uint32_t most = max_frames ? max_frames : FRAMES_DEFAULT, frames = 0;
    crowd->owed += seconds > 0 && isfinite(seconds) ? (double)seconds : 0;
    double due = frame * (1 - 1e-3); /* hosts' clocks round: a thousandth early is not seen, a frame late is */
    for (; frames < most && crowd->owed >= due; frames++) {
        gal_crowd_step(crowd);
        crowd->owed -= frame;
    }
    if (crowd->owed >= due) {
        crowd->owed = 0; /* the host fell behind: drop what it cannot catch up */
    }
    if (fraction) {
        *fraction = crowd->owed > 0 ? (float)(crowd->owed / frame) : 0;
    }
    return frames;
}
