#include "motion/step.h"

#include <string.h>

#include "motion/jump.h"
#include "motion/state.h"
#include "network/gate.h"

void gali_step_before(const gali_phases *phases, const gali_lanes *lanes) {
    phases->bridge(lanes);
    phases->predict(lanes);
    phases->encode(lanes);
}

/* Predicted positions: the pose is that of the root before its step. */
static void after_jointed(const gali_phases *phases, const gali_lanes *lanes) {
    phases->decode(lanes);
    phases->contact(lanes);
    phases->anchor(lanes);
    phases->remember(lanes);
    if (lanes->controller->contract->rules.pose_rigid > 0) {
        phases->make_rigid(lanes);
    }
    phases->apply_inertia(lanes);
    phases->breathe(lanes);
    phases->lock_feet(lanes);
    phases->advance(lanes);
}

/* Hinges: the root takes its step first, and the pose is that of the new root. */
static void after_hinged(const gali_phases *phases, const gali_lanes *lanes) {
    phases->advance(lanes);
    phases->decode_hinged(lanes);
    phases->contact(lanes);
    phases->pose_hinged(lanes);
    phases->anchor(lanes);
    phases->remember(lanes);
    phases->feel_feet(lanes);
    phases->apply_inertia(lanes);
    phases->breathe(lanes);
    phases->lock_feet(lanes);
}

uint32_t gali_step_after(const gali_phases *phases, const gali_lanes *all) {
    gali_lanes lanes = *all;
    gali_bank *bank = lanes.bank;
    const gali_layout *is = &lanes.controller->layout;
    gali_start stood[GALI_BANK];
    uint32_t lost = 0;
    lanes.lost = &lost;
    lanes.smooth = lanes.controller->contract->rules.joint_smooth;
    for (uint32_t l = 0; l < GALI_BANK; l++) {
        gal_vec3 root = gali_bank_get3(bank, is->root, l);
        gali_vec2 faced = gali_vec2_unit(gali_bank_get2(bank, is->facing, l), (gali_vec2){0, 1});
        stood[l] = (gali_start){root.x, root.z, faced, 0};
        if (lanes.mask >> l & 1) {
            gali_bank_swap(&bank->pose[l], &bank->before[l]);
            if (gali_bank_get(bank, is->frames, l) > 1) { /* what was seen before that: bridge.h */
                gali_bank_swap(&bank->pose[l], &bank->bridge[l]);
            }
        }
    }
    if (lanes.controller->contract->hinge_count) {
        after_hinged(phases, &lanes);
    } else {
        after_jointed(phases, &lanes);
    }
    phases->show(&lanes);
    for (uint32_t l = 0; l < GALI_BANK; l++) {
        if (lost >> l & 1) {
            gali_step_reset(phases, all, l, stood[l]);
        }
    }
    return lost;
}

/* ---- at rest ---- */

static void stand_still(gali_bank *bank, const gali_contract *contract, const gali_layout *is, uint32_t lane) {
    const uint32_t kept = is->foot_lock + 1;
    for (uint32_t n = kept; n < is->numbers; n++) {
        gali_bank_set(bank, n, lane, 0);
    }
    gali_bank_set(bank, is->speed_factor, lane, 1);
    gali_bank_set(bank, is->frames, lane, 1);
    gali_bank_set(bank, is->fresh, lane, 1);
    gali_bank_set(bank, is->jump_top, lane, gali_jump_forgotten(contract));
    for (uint32_t i = 0; i < contract->hinge_count; i++) {
        gali_bank_set(bank, is->angle + i, lane, contract->hinges[i].rest);
    }
    if (contract->hinge_count) {
        gali_bank_set3(bank, is->posture, lane,
                       (gal_vec3){contract->posture.height, contract->posture.pitch, contract->posture.roll});
    }
}

/* The ground's rise over run along x and z. */
static gali_vec2 slope_at(const gali_lanes *lanes, gal_vec3 at) {
    const float reach = lanes->controller->contract->rules.ground_reach;
    float along_x =
        gali_ground_at(lanes->ground, at.x + reach, at.z) - gali_ground_at(lanes->ground, at.x - reach, at.z);
    float along_z =
        gali_ground_at(lanes->ground, at.x, at.z + reach) - gali_ground_at(lanes->ground, at.x, at.z - reach);
    return (gali_vec2){gali_clamp(along_x / (2 * reach), -GALI_STEEPEST, GALI_STEEPEST),
                       gali_clamp(along_z / (2 * reach), -GALI_STEEPEST, GALI_STEEPEST)};
}

/* The whole path at a point, facing one way, gaits 0 but for the stand's. */
static void stand_there(const gali_lanes *lanes, uint32_t lane, gali_start at) {
    const gali_layout *is = &lanes->controller->layout;
    const gali_contract *contract = lanes->controller->contract;
    gali_bank *bank = lanes->bank;
    gal_vec3 root = {gali_clamp(at.x, -GAL_PLACE_MOST, GAL_PLACE_MOST), 0,
                     gali_clamp(at.z, -GAL_PLACE_MOST, GAL_PLACE_MOST)};
    root.y = gali_ground_at(lanes->ground, root.x, root.z);
    gali_bank_set3(bank, is->root, lane, root);
    gali_bank_set2(bank, is->facing, lane, at.facing);
    gali_bank_set2(bank, is->facing_wanted, lane, at.facing);
    gali_bank_set2(bank, is->command_facing, lane, at.facing);
    gali_bank_set(bank, is->height, lane, root.y);
    gali_bank_set(bank, is->height_before, lane, root.y);
    gali_bank_set(bank, is->height_bridge, lane, root.y);
    if (is->grounded) {
        gali_bank_set2(bank, is->ground_spot, lane, (gali_vec2){root.x, root.z});
        gali_bank_set2(bank, is->slope, lane, slope_at(lanes, root));
    }
    for (uint32_t k = 0; k < is->knots; k++) {
        gali_bank_set2(bank, is->knot_place + 2 * k, lane, (gali_vec2){root.x, root.z});
        gali_bank_set2(bank, is->knot_facing + 2 * k, lane, at.facing);
    }
    for (uint32_t k = 0; k < contract->sample_count; k++) {
        gali_bank_set(bank, is->sample_height + k, lane, root.y);
    }
    int32_t stand = contract->gait_of_role[GALI_GAIT_STAND];
    if (stand >= 0) {
        gali_bank_set(bank, is->gait + (uint32_t)stand, lane, contract->rules.stand_start);
    }
    gali_bank_start(bank, lane);
    for (uint32_t back = 1; back <= contract->past; back++) {
        float *record = gali_bank_record(bank, contract, is, lane, back);
        memset(record, 0, is->record * sizeof *record);
        memcpy(record + GALI_RECORD_PLACE, &root, sizeof root);
        memcpy(record + GALI_RECORD_FACING, &at.facing, sizeof at.facing);
        if (stand >= 0) {
            record[GALI_RECORD_GAIT + stand] = contract->rules.stand_start;
        }
    }
}

/* The contract's rest pose of a hinged skeleton, else the mean output. */
static void take_rest_pose(const gali_phases *phases, const gali_lanes *lanes) {
    if (!lanes->controller->contract->hinge_count) {
        phases->decode(lanes);
        phases->contact(lanes);
        return;
    }
    phases->pose_hinged(lanes);
    phases->feel_feet(lanes); /* where they are, */
    phases->feel_feet(lanes); /* and that they did not move */
}

void gali_step_free_feet(const gali_lanes *lanes, uint32_t lane) {
    const gali_contract *contract = lanes->controller->contract;
    const gali_layout *is = &lanes->controller->layout;
    gali_bank *bank = lanes->bank;
    const gal_transform *pose = gali_bank_pose(bank, is, lane);
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        gal_vec3 heel = pose[contract->legs[i].heel].position, toe = pose[contract->legs[i].toe].position;
        gali_bank_set3(bank, is->foot_held + 3 * i, lane, toe);
        gali_bank_set(bank, is->foot_hold + i, lane, 0);
        gali_bank_set(bank, is->foot_released + i, lane, 0);
        gali_bank_set(bank, is->foot_lifted + i, lane, 0);
        if (is->grounded) {
            gali_bank_set2(bank, is->toe_was + 2 * i, lane, (gali_vec2){toe.x, toe.z});
            gali_bank_set2(bank, is->foot_off + 2 * i, lane, (gali_vec2){0, 0});
            gali_bank_set(bank, is->toe_base + i, lane, gali_ground_at(lanes->ground, toe.x, toe.z));
            gali_bank_set(bank, is->toe_rise + i, lane, 0);
            gali_bank_set(bank, is->heel_lift + i, lane, 0);
            gali_bank_set(bank, is->toe_free + i, lane, 0);
            gali_bank_set(bank, is->heel_rise + i, lane, 0);
            gali_bank_set(bank, is->foot_even + i, lane, 1);
        }
        gali_bank_set(bank, is->heel_ground + i, lane, gali_ground_at(lanes->ground, heel.x, heel.z));
        gali_bank_set(bank, is->toe_ground + i, lane, gali_ground_at(lanes->ground, toe.x, toe.z));
    }
}

void gali_step_reset(const gali_phases *phases, const gali_lanes *all, uint32_t lane, gali_start at) {
    gali_bank *bank = all->bank;
    const gali_layout *is = &all->controller->layout;
    const gali_contract *contract = all->controller->contract;
    uint32_t lost = 0;
    double wrapped = gali_gate_wrap(at.phase);
    float phase = wrapped == wrapped ? (float)wrapped : 0;
    gali_lanes lanes = *all;
    lanes.mask = 1u << lane;
    lanes.lost = &lost;
    lanes.y = all->controller->rest;
    lanes.y_stride = 0;
    lanes.smooth = 0;
    stand_still(bank, contract, is, lane);
    gali_bank_set(bank, is->phase, lane, phase);
    gali_bank_set(bank, is->breath, lane, phase / GALI_TURN);
    stand_there(all, lane, at);
    take_rest_pose(phases, &lanes);
    phases->remember(&lanes);
    if (!contract->hinge_count && contract->rules.pose_rigid > 0) {
        phases->make_rigid(&lanes);
    }
    for (uint32_t i = 0; i < contract->memory_count; i++) {
        gali_bank_set(bank, is->memory + i, lane, 0);
    }
    for (uint32_t i = 0; i < contract->contact_count; i++) {
        float contact = contract->hinge_count ? 1 : gali_bank_get(bank, is->contact + i, lane);
        gali_bank_set(bank, is->contact + i, lane, contact);
        gali_bank_set(bank, is->contact_before + i, lane, contact);
    }
    phases->start_inertia(&lanes);
    phases->show(&lanes);
    gali_step_free_feet(all, lane);
    if (is->grounded) { /* laid on the ground from the first that is seen */
        phases->lock_feet(&lanes);
        phases->show(&lanes);
        gali_step_free_feet(all, lane);
    }
    gali_bank_set(bank, is->fresh, lane, 1); /* the feet's phase took it for its first step */
    const gal_transform *pose = gali_bank_pose(bank, is, lane);
    memcpy(gali_bank_pose_before(bank, is, lane), pose, contract->joint_count * sizeof *pose);
    memcpy(gali_bank_pose_bridge(bank, is, lane), pose, contract->joint_count * sizeof *pose);
    gali_state_bound(bank, all->controller, lane); /* a model's mean pose may be anywhere */
}
