#include "motion/step.h"

#include <string.h>

#include "motion/bridge.h"
#include "motion/codec.h"
#include "motion/feet.h"
#include "motion/hinged.h"
#include "motion/inertia.h"
#include "motion/skeleton.h"
#include "motion/snapshot.h"
#include "motion/trajectory.h"
#include "network/gate.h"

static void remember_contacts(gali_character *character, const gali_contract *contract) {
    for (uint32_t i = 0; i < contract->contact_count; i++) {
        character->contact_at[i] = character->pose[contract->contact_joints[i]].position;
    }
}

/* Toes before foot locking, from which the next frame's foot velocities count. */
static void remember_toes(gali_character *character, const gali_contract *contract) {
    for (uint32_t l = 0; l < contract->leg_count; l++) {
        character->toe_at[l] = character->pose[contract->legs[l].toe].position;
    }
}

/* The contract's rest pose of a hinged skeleton, else the mean output. */
static void take_rest_pose(gali_character *character, const gal_controller *controller) {
    const gali_contract *contract = controller->contract;
    if (!contract->hinge_count) {
        gali_codec_decode(character, controller, controller->rest, 0);
        return;
    }
    gali_hinged_reset(&character->hinged, contract);
    gali_hinged_pose(character, contract);
    remember_toes(character, contract);
    gali_hinged_feet(character, contract, character->toe_at);
    for (uint32_t i = 0; i < contract->contact_count; i++) {
        character->contact[i] = 1;
    }
}

void gali_step_reset(gali_character *character, const gal_controller *controller, const gali_ground *ground,
                     float x, float z, float facing, float phase) {
    const gali_contract *contract = controller->contract;
    const gal_input input = character->input;
    const int foot_lock = character->foot_lock;
    gali_snapshot_clear(character, contract);
    character->input = input;
    character->foot_lock = foot_lock;
    double wrapped = gali_gate_wrap(phase);
    character->phase = wrapped == wrapped ? (float)wrapped : 0;
    character->frames = 1;
    character->breath = character->phase;
    character->speed_factor = 1;
    gali_trajectory_reset(character, contract, ground, gali_clamp(x, -GAL_PLACE_MOST, GAL_PLACE_MOST),
                          gali_clamp(z, -GAL_PLACE_MOST, GAL_PLACE_MOST), gali_facing_from_angle(facing));
    take_rest_pose(character, controller);
    remember_contacts(character, contract);
    memcpy(character->contact_before, character->contact, sizeof character->contact);
    character->height_bridge = character->path.height;
    gali_inertia_reset(character, contract);
    gali_feet_reset(character, controller, ground);
    const size_t pose = contract->joint_count * sizeof(gal_transform);
    memcpy(character->pose_before, character->pose, pose);
    memcpy(character->pose_bridge, character->pose, pose);
    gali_snapshot_bound(character, contract); /* a model's mean pose may be anywhere */
}

static void settle(gali_character *character, const gali_contract *contract) {
    gali_hinged_settle(&character->hinged, contract,
                       contract->rules.stand_settle * gali_stand_amount(character, contract));
}

/* A hinged skeleton is what is fed back: it goes on at its rates, and its feet are where that puts them. */
static void bridge_hinged(gali_character *character, const gali_contract *contract) {
    float share = gali_trajectory_share(character, contract);
    for (uint32_t f = 1; f < character->frames; f++) {
        gali_hinged_bridge(&character->hinged, contract, share);
        settle(character, contract);
    }
    gali_hinged_pose(character, contract);
    gali_hinged_feet(character, contract, character->toe_at);
    for (uint32_t l = 0; l < contract->leg_count; l++) {
        gal_vec3 *velocity = &character->hinged.foot_velocity[l];
        *velocity = gali_vec3_scale(*velocity, 1 / (float)(character->frames - 1));
    }
    remember_toes(character, contract);
    remember_contacts(character, contract);
}

void gali_step_before(gali_character *character, const gal_controller *controller, const gali_ground *ground,
                      float *x) {
    gali_bridge_state(character, controller->contract, ground);
    if (character->frames > 1 && controller->contract->hinge_count) {
        bridge_hinged(character, controller->contract);
    }
    gali_trajectory_predict(character, controller->contract, ground);
    gali_codec_encode(character, controller->contract, ground, x);
}

/* Mean slip of the toes that are planted now, since the last frame. */
static gali_vec2 planted_slip(const gali_character *character, const gal_controller *controller) {
    const gali_contract *contract = controller->contract;
    gali_vec2 slip = {0, 0};
    float planted = 0;
    for (uint32_t i = 0; i < contract->contact_count; i++) {
        if (controller->toe_joint[i] < 0 || character->contact[i] < 0.5f) {
            continue;
        }
        gal_vec3 now = character->pose[contract->contact_joints[i]].position;
        slip.x += now.x - character->contact_at[i].x;
        slip.z += now.z - character->contact_at[i].z;
        planted += 1;
    }
    return planted > 0 ? (gali_vec2){slip.x / planted, slip.z / planted} : slip;
}

/* Takes part of the planted toes' slip off the root, the future and the pose. */
static void anchor(gali_character *character, const gal_controller *controller) {
    const gali_contract *contract = controller->contract;
    const gali_rules *rules = &contract->rules;
    if (rules->anchor <= 0 || character->age == 0) {
        return;
    }
    gali_vec2 slip = planted_slip(character, controller);
    float length = gali_vec2_length(slip) * rules->anchor;
    float share = -rules->anchor * (length > rules->anchor_limit ? rules->anchor_limit / length : 1);
    gal_vec3 by = {share * slip.x, 0, share * slip.z};
    for (uint32_t i = contract->past; i < contract->past + contract->future; i++) {
        character->path.position[i] = gali_vec3_add(character->path.position[i], by);
    }
    character->path.velocity[contract->past].x += by.x;
    character->path.velocity[contract->past].z += by.z;
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        character->position[j] = gali_vec3_add(character->position[j], by);
        character->pose[j].position = gali_vec3_add(character->pose[j].position, by);
    }
}

/* Bones of the rest skeleton, turned as predicted, with the feet brought back to where they were predicted. */
static void make_rigid(gali_character *character, const gali_contract *contract) {
    gal_transform *pose = character->pose;
    gal_vec3 toe[GALI_LEGS_MAX], sole[GALI_LEGS_MAX];
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        toe[i] = pose[contract->legs[i].toe].position;
        sole[i] = gali_vec3_sub(toe[i], pose[contract->legs[i].heel].position);
    }
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        int32_t parent = contract->joints[j].parent;
        if (parent >= 0) {
            gal_vec3 bone = gali_quat_turn(pose[parent].rotation, contract->joints[j].rest.position);
            pose[j].position = gali_vec3_add(pose[parent].position, bone);
        }
    }
    gal_vec3 side = gali_vec3_turn(character->path.direction[contract->past], (gal_vec3){-1, 0, 0});
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        const gali_leg *leg = &contract->legs[i];
        gal_vec3 bone = gali_vec3_sub(pose[leg->toe].position, pose[leg->heel].position);
        gal_vec3 along = gali_vec3_scale(gali_vec3_unit(sole[i], bone), gali_vec3_length(bone));
        gali_skeleton_place_foot(contract, pose, leg, toe[i], along, side);
    }
}

static int carries_leg(const gali_contract *contract, uint32_t joint) {
    int carries = 0;
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        carries |= gali_skeleton_is_below(contract, contract->legs[i].hip, joint);
    }
    return carries;
}

/*
 * A standing character breathes: what hangs on the first joint, but for the legs, nods by a fraction of a
 * degree, four seconds a breath. Only in the pose: the network never sees it.
 */
static void breathe(gali_character *character, const gali_contract *contract) {
    const float breath_seconds = 4;
    float amount = contract->rules.breath * gali_stand_amount(character, contract);
    float time = (float)character->age / (contract->rate * breath_seconds);
    float nod = sinf(6.2831853f * (time - floorf(time)) + character->breath);
    gal_vec3 side = gali_vec3_turn(character->path.direction[contract->past], (gal_vec3){1, 0, 0});
    for (uint32_t j = 1; amount > 0 && j < contract->joint_count; j++) {
        if (contract->joints[j].parent == 0 && !carries_leg(contract, j)) {
            float lever = contract->joints[j].lever;
            gal_quat by = gali_quat_from_axis(side, lever > 0 ? amount * nod / lever : 0);
            gali_skeleton_turn(contract, character->pose, j, by);
        }
    }
}

/* Predicted positions: the pose is that of the root before its step. */
static void after_jointed(gali_character *character, const gal_controller *controller,
                          const gali_ground *ground, const float *y) {
    const gali_contract *contract = controller->contract;
    gali_codec_decode(character, controller, y, contract->rules.joint_smooth);
    anchor(character, controller);
    remember_contacts(character, contract);
    if (contract->rules.pose_rigid > 0) {
        make_rigid(character, contract);
    }
    gali_inertia_apply(character, contract);
    breathe(character, contract);
    if (character->foot_lock) {
        gali_feet_lock(character, controller, ground);
    }
    gali_trajectory_advance(character, controller, y);
}

/* Hinges: the root takes its step first, and the pose is that of the new root. */
static void after_hinged(gali_character *character, const gal_controller *controller, const gali_ground *ground,
                         const float *y) {
    const gali_contract *contract = controller->contract;
    gal_vec3 feet[GALI_LEGS_MAX];
    for (uint32_t l = 0; l < contract->leg_count; l++) {
        feet[l] = character->toe_at[l];
    }
    gali_trajectory_advance(character, controller, y);
    gali_codec_decode(character, controller, y, 0);
    settle(character, contract);
    gali_hinged_pose(character, contract);
    anchor(character, controller);
    remember_contacts(character, contract);
    gali_hinged_feet(character, contract, feet);
    remember_toes(character, contract);
    gali_inertia_apply(character, contract);
    breathe(character, contract);
    if (character->foot_lock) {
        gali_feet_lock(character, controller, ground);
    }
}

int gali_step_after(gali_character *character, const gal_controller *controller, const gali_ground *ground,
                    const float *y) {
    const gali_contract *contract = controller->contract;
    memcpy(character->contact_before, character->contact, sizeof character->contact);
    gal_vec3 stood = character->path.position[contract->past];
    gali_vec2 faced = character->path.direction[contract->past];
    if (contract->hinge_count) {
        after_hinged(character, controller, ground, y);
    } else {
        after_jointed(character, controller, ground, y);
    }
    gali_codec_remember(character, contract, y);
    character->age++;
    if (gali_snapshot_is_in_range(character, contract)) {
        return 1;
    }
    gali_step_reset(character, controller, ground, stood.x, stood.z, gali_facing_angle(faced), 0);
    return 0;
}
