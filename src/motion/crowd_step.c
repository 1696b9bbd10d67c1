/*
 * A crowd's frame, group by group and level by level: features of the characters that are due, one run of the level's
 * network, poses. Those that are not due are bridged.
 */
#include "motion/crowd_parts.h"

#include <string.h>

#include "motion/bridge.h"
#include "motion/step.h"

enum {
    FRAMES_DEFAULT = 4,
    CHARACTERS_PER_TASK = 8,
};

/* A part of the step over the rows of a group, for the host's threads. */
typedef struct rows_task {
    gal_crowd *crowd;
    const gal_controller *controller;
    const uint32_t *rows; /* [count] places */
    uint32_t count;
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
    gali_character *character = &crowd->characters[task->rows[row]];
    const gali_contract *contract = task->controller->contract;
    memcpy(character->pose_before, character->pose, contract->joint_count * sizeof(gal_transform));
    gali_step_before(character, task->controller, &crowd->ground, crowd->x + (size_t)row * contract->inputs);
    crowd->phase[row] = character->phase;
}

static void after(const rows_task *task, uint32_t row) {
    gal_crowd *crowd = task->crowd;
    gali_character *character = &crowd->characters[task->rows[row]];
    gali_pace *pace = &crowd->paces[task->rows[row]];
    const float *y = crowd->y + (size_t)row * task->controller->contract->outputs;
    crowd->lost[row] = !gali_step_after(character, task->controller, &crowd->ground, y);
    pace->left = (uint8_t)(character->frames - 1);
    if (pace->left > 0) {
        gali_bridge_pose(character, task->controller->contract, character->frames);
    }
}

/* A frame of a character that is not due. */
static void between(const rows_task *task, uint32_t row) {
    gali_character *character = &task->crowd->characters[task->rows[row]];
    gali_pace *pace = &task->crowd->paces[task->rows[row]];
    gal_transform *seen = character->pose_before;
    character->pose_before = character->pose_bridge;
    character->pose_bridge = seen;
    gali_bridge_pose(character, task->controller->contract, pace->left);
    pace->left--;
}

/* What is done with a character in this frame: bridged, or evaluated by one of its levels. */
enum { BRIDGED = GAL_LEVELS_MAX, FREE, WAYS = FREE };

static uint32_t way_of(const gal_crowd *crowd, uint32_t place) {
    const gali_pace *pace = &crowd->paces[place];
    if (!crowd->characters[place].handle) {
        return FREE;
    }
    return pace->left > 0 ? BRIDGED : pace->level;
}

/* Fills crowd->rows, way by way; those of way i are from starts[i] on, to starts[i + 1]. */
static void find_rows(gal_crowd *crowd, const gali_group *group, uint32_t starts[WAYS + 1]) {
    uint32_t next[WAYS + 1] = {0}, end = group->first + group->capacity;
    for (uint32_t place = group->first; place < end; place++) {
        next[way_of(crowd, place)]++;
    }
    starts[0] = 0;
    for (uint32_t way = 0; way < WAYS; way++) {
        starts[way + 1] = starts[way] + next[way];
        next[way] = starts[way];
    }
    for (uint32_t place = group->first; place < end; place++) {
        uint32_t way = way_of(crowd, place);
        if (way != FREE) {
            crowd->rows[next[way]++] = place;
        }
    }
}

static void evaluate(gal_crowd *crowd, rows_task task) {
    gal_network_batch batch = {
        .count = task.count,
        .x = crowd->x,
        .phase = crowd->phase,
        .y = crowd->y,
        .parallel = crowd->parallel.parallel_for ? &crowd->parallel : NULL,
    };
    for_rows(task, before);
    gal_network_run(task.controller->network, &batch, crowd->workspace, crowd->workspace_size, NULL);
    for_rows(task, after);
    for (uint32_t row = 0; row < task.count; row++) {
        crowd->resets += crowd->lost[row];
    }
}

static void step_group(gal_crowd *crowd, const gali_group *group) {
    uint32_t starts[WAYS + 1];
    find_rows(crowd, group, starts);
    for (uint32_t way = 0; way < WAYS; way++) {
        rows_task task = {.crowd = crowd,
                          .controller = group->levels[way < group->level_count ? way : 0],
                          .rows = crowd->rows + starts[way],
                          .count = starts[way + 1] - starts[way]};
        if (way == BRIDGED) {
            for_rows(task, between);
        } else if (task.count > 0) {
            evaluate(crowd, task);
        }
    }
}

/* Says of those that are due how many frames they are evaluated for, and by what. */
static void decide(gal_crowd *crowd) {
    for (uint32_t i = 0; i < crowd->count; i++) {
        uint32_t place = crowd->order[i], past = gali_crowd_controller(crowd, place)->contract->past;
        gali_pace *pace = &crowd->paces[place];
        if (pace->left == 0) {
            uint32_t frames = pace->fixed_frames > 0 ? pace->fixed_frames : 1;
            crowd->characters[place].frames = frames < past ? frames : past;
            pace->level = pace->fixed_level;
        }
    }
}

void gal_crowd_step(gal_crowd *crowd) {
    decide(crowd);
    for (uint32_t g = 0; g < crowd->group_count; g++) {
        step_group(crowd, &crowd->groups[g]);
    }
    gali_record_step(&crowd->recorder, crowd);
}

uint32_t gal_crowd_advance(gal_crowd *crowd, float seconds, uint32_t max_frames, float *fraction) {
    double frame = 1.0 / (double)crowd->groups[0].levels[0]->contract->rate;
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
