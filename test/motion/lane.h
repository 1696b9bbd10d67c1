/*
 * One lane of a bank, for tests of single phases: a character alone among lanes that hold nothing, of a controller that a
 * test describes. The phases are those of the instruction set that the controller's network runs on.
 */
#ifndef TEST_LANE_H
#define TEST_LANE_H

#include "mannequin.h"
#include "motion/step.h"
#include "network/network.h"

enum { LANE = 5 };

typedef struct lane {
    gal_controller *controller;
    const gali_contract *contract;
    const gali_layout *is;
    const gali_rules *rules;
    const gali_phases *phases;
    gali_bank bank;
    gali_ground ground;
    gali_lanes lanes;
    float *memory, *x, *y; /* y is [outputs], set by the test */
} lane;

static inline float *lane_floats(size_t count) {
    float *floats = aligned_alloc(64, (count * sizeof *floats + 63) / 64 * 64);
    memset(floats, 0, (count * sizeof *floats + 63) / 64 * 64);
    return floats;
}

/* Everything 0 but what a character at rest at x, z has. */
static inline void lane_make(lane *l, const mannequin_desc *desc, gal_ground_fn ground, float x, float z,
                             float facing) {
    memset(l, 0, sizeof *l);
    l->controller = mannequin_open(desc);
    l->contract = l->controller->contract;
    l->rules = &l->contract->rules;
    l->is = &l->controller->layout;
    l->phases = gali_phases_get(l->controller->network->kernels->isa);
    size_t history = (size_t)l->contract->past * l->is->record, poses = GALI_POSES * (size_t)l->is->pose_row;
    l->memory = lane_floats((l->is->numbers + history + poses + l->is->work) * GALI_BANK);
    l->bank.state = l->memory;
    l->bank.history = l->bank.state + (size_t)l->is->numbers * GALI_BANK;
    l->bank.poses = l->bank.history + history * GALI_BANK;
    l->bank.work = l->bank.poses + poses * GALI_BANK;
    l->x = lane_floats(l->is->x_row);
    l->y = lane_floats(l->contract->outputs + GALI_ROW_STEP);
    l->ground = (gali_ground){ground, NULL};
    l->lanes = (gali_lanes){.controller = l->controller,
                            .ground = &l->ground,
                            .bank = &l->bank,
                            .mask = 1u << LANE,
                            .x = l->x,
                            .y = l->y,
                            .x_stride = l->is->x_row,
                            .y_stride = l->contract->outputs};
    gali_step_reset(l->phases, &l->lanes, LANE, (gali_start){x, z, gali_facing_from_angle(facing), 0});
}

static inline void lane_free(lane *l) {
    gal_controller_close(l->controller);
    free(l->memory);
    free(l->x);
    free(l->y);
}

static inline float lane_get(const lane *l, uint32_t number) {
    return gali_bank_get(&l->bank, number, LANE);
}

static inline gali_vec2 lane_get2(const lane *l, uint32_t number) {
    return gali_bank_get2(&l->bank, number, LANE);
}

static inline gal_vec3 lane_get3(const lane *l, uint32_t number) {
    return gali_bank_get3(&l->bank, number, LANE);
}

static inline void lane_set(lane *l, uint32_t number, float value) {
    gali_bank_set(&l->bank, number, LANE, value);
}

static inline void lane_set2(lane *l, uint32_t number, gali_vec2 value) {
    gali_bank_set2(&l->bank, number, LANE, value);
}

static inline void lane_set3(lane *l, uint32_t number, gal_vec3 value) {
    gali_bank_set3(&l->bank, number, LANE, value);
}

static inline float *lane_record(const lane *l, uint32_t back) {
    return gali_bank_record(&l->bank, l->contract, l->is, LANE, back);
}

/* A part (GALI_RECORD_...) of the k-th of the contract's samples, as predict lays them out. */
static inline float *lane_sample(const lane *l, uint32_t part, uint32_t k) {
    return l->bank.work + ((size_t)l->is->samples + part * l->contract->sample_count + k) * GALI_BANK + LANE;
}

static inline float lane_work(const lane *l, uint32_t row) {
    return l->bank.work[(size_t)row * GALI_BANK + LANE];
}

static inline gal_transform lane_pose(const lane *l, uint32_t joint) {
    uint32_t row = l->is->pose + 7 * joint;
    return (gal_transform){
        {lane_work(l, row), lane_work(l, row + 1), lane_work(l, row + 2)},
        {lane_work(l, row + 3), lane_work(l, row + 4), lane_work(l, row + 5), lane_work(l, row + 6)}};
}

static inline void lane_set_pose(lane *l, uint32_t joint, gal_transform t) {
    const float values[7] = {t.position.x, t.position.y, t.position.z, t.rotation.x,
                             t.rotation.y, t.rotation.z, t.rotation.w};
    for (uint32_t i = 0; i < 7; i++) {
        l->bank.work[(size_t)(l->is->pose + 7 * joint + i) * GALI_BANK + LANE] = values[i];
    }
}

static inline void lane_set_input(lane *l, gal_input input) {
    const float values[] = {input.move_x,
                            input.move_y,
                            input.run,
                            input.strafe,
                            input.crouch,
                            input.camera_yaw,
                            (float)input.responsive,
                            (float)input.jump};
    for (uint32_t i = 0; i < sizeof values / sizeof *values; i++) {
        lane_set(l, l->is->move_x + i, values[i]);
    }
}

#endif
