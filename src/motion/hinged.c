#include "motion/hinged.h"

#include <string.h>

static gal_transform joint_in_parent(const gali_contract *contract, const gali_hinged *hinged, uint32_t j) {
    gal_transform rest = contract->joints[j].rest;
    int32_t hinge = contract->joints[j].hinge;
    if (hinge >= 0) {
        gal_quat turned = gali_quat_from_axis(contract->hinges[hinge].axis, hinged->angle[hinge]);
        rest.rotation = gali_quat_mul(rest.rotation, turned);
    }
    return rest;
}

/* The first joint in the root frame: R_x(pitch) R_z(roll), at its height. */
static gal_transform body_in_root(gali_posture posture) {
    gal_quat pitch = gali_quat_from_axis((gal_vec3){1, 0, 0}, posture.pitch);
    gal_quat roll = gali_quat_from_axis((gal_vec3){0, 0, 1}, posture.roll);
    return (gal_transform){{0, posture.height, 0}, gali_quat_mul(pitch, roll)};
}

/* The whole skeleton, its first joint where `body` is. */
static void chain(const gali_contract *contract, const gali_hinged *hinged, gal_transform body,
                  gal_transform *pose) {
    pose[0] = body;
    for (uint32_t j = 1; j < contract->joint_count; j++) {
        pose[j] = gali_transform_upon(pose[contract->joints[j].parent], joint_in_parent(contract, hinged, j));
    }
}

void gali_hinged_reset(gali_hinged *hinged, const gali_contract *contract) {
    for (uint32_t i = 0; i < contract->hinge_count; i++) {
        hinged->angle[i] = contract->hinges[i].rest;
        hinged->rate[i] = 0;
    }
    hinged->posture = contract->posture;
    hinged->posture_rate = (gali_posture){0, 0, 0};
    memset(hinged->motion, 0, sizeof hinged->motion);
    memset(hinged->phase, 0, sizeof hinged->phase);
    memset(hinged->turns, 0, sizeof hinged->turns);
    memset(hinged->foot_velocity, 0, sizeof hinged->foot_velocity);
}

static void put_vec3(float *x, const gal_vec3 *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        x[3 * i] = values[i].x;
        x[3 * i + 1] = values[i].y;
        x[3 * i + 2] = values[i].z;
    }
}

static void put_posture(float *x, gali_posture posture) {
    x[0] = posture.height;
    x[1] = posture.pitch;
    x[2] = posture.roll;
}

void gali_hinged_encode(const gali_hinged *hinged, const gali_contract *contract, gali_block_kind kind,
                        float *x) {
    switch (kind) {
    case GALI_BLOCK_HINGE_ANGLE:
        memcpy(x, hinged->angle, contract->hinge_count * sizeof *x);
        break;
    case GALI_BLOCK_HINGE_VELOCITY_IN:
        memcpy(x, hinged->rate, contract->hinge_count * sizeof *x);
        break;
    case GALI_BLOCK_BODY_POSTURE:
        put_posture(x, hinged->posture);
        break;
    case GALI_BLOCK_BODY_RATE_IN:
        put_posture(x, hinged->posture_rate);
        break;
    case GALI_BLOCK_ROOT_MOTION:
        memcpy(x, hinged->motion, sizeof hinged->motion);
        break;
    case GALI_BLOCK_FOOT_POSITION:
        put_vec3(x, hinged->foot, contract->leg_count);
        break;
    case GALI_BLOCK_FOOT_VELOCITY:
        put_vec3(x, hinged->foot_velocity, contract->leg_count);
        break;
    default: /* GALI_BLOCK_LEG_PHASE_IN */
        memcpy(x, hinged->phase, contract->leg_count * sizeof hinged->phase[0]);
    }
}

static gali_vec2 rotate_phase(const float phase[2], float turns) {
    return gali_vec2_turn(gali_facing_from_angle(-GALI_TURN * turns), (gali_vec2){phase[0], phase[1]});
}

/*
 * A local phase is turned by its predicted advance and drawn to the predicted direction, half each, so that
 * it neither drifts nor jumps (Starke et al. 2020, local motion phases).
 */
static void advance_phase(float phase[2], const float predicted[2], float turns) {
    gali_vec2 rotated = rotate_phase(phase, turns);
    gali_vec2 wanted = {predicted[0], predicted[1]}, none = {0, 0};
    float amplitude = gali_clamp(gali_vec2_length(wanted), 0, 1);
    gali_vec2 a = gali_vec2_unit(rotated, none), b = gali_vec2_unit(wanted, none);
    gali_vec2 mean = gali_vec2_unit((gali_vec2){a.x + b.x, a.z + b.z}, b);
    phase[0] = amplitude * mean.x;
    phase[1] = amplitude * mean.z;
}

static gali_posture posture_at(const float *y) {
    return (gali_posture){y[0], y[1], y[2]};
}

void gali_hinged_decode(gali_hinged *hinged, const gal_controller *controller, const float *y, float share) {
    const gali_contract *contract = controller->contract;
    const gali_outputs *at = &controller->outputs;
    for (uint32_t i = 0; i < contract->hinge_count; i++) {
        float angle = hinged->angle[i] + share * y[(uint32_t)at->hinge_change + i];
        hinged->angle[i] = gali_clamp(angle, contract->hinges[i].least, contract->hinges[i].most);
        hinged->rate[i] = at->hinge_velocity == GALI_OUTPUT_ABSENT ? 0 : y[(uint32_t)at->hinge_velocity + i];
    }
    gali_posture change = posture_at(y + at->body_change);
    hinged->posture.height += share * change.height;
    hinged->posture.pitch += share * change.pitch;
    hinged->posture.roll += share * change.roll;
    if (at->body_rate != GALI_OUTPUT_ABSENT) {
        hinged->posture_rate = posture_at(y + at->body_rate);
    }
    hinged->motion[0] = y[at->velocity_x];
    hinged->motion[1] = y[at->velocity_z];
    hinged->motion[2] = y[at->turn];
    for (uint32_t l = 0; at->leg_phase != GALI_OUTPUT_ABSENT && l < contract->leg_count; l++) {
        hinged->turns[l] = at->leg_phase_rate == GALI_OUTPUT_ABSENT ? 0 : y[(uint32_t)at->leg_phase_rate + l];
        advance_phase(hinged->phase[l], y + (uint32_t)at->leg_phase + 2 * (size_t)l, hinged->turns[l]);
    }
}

void gali_hinged_bridge(gali_hinged *hinged, const gali_contract *contract, float share) {
    for (uint32_t i = 0; i < contract->hinge_count; i++) {
        float angle = hinged->angle[i] + share * hinged->rate[i];
        hinged->angle[i] = gali_clamp(angle, contract->hinges[i].least, contract->hinges[i].most);
    }
    hinged->posture.height += share * hinged->posture_rate.height;
    hinged->posture.pitch += share * hinged->posture_rate.pitch;
    hinged->posture.roll += share * hinged->posture_rate.roll;
    for (uint32_t l = 0; l < contract->leg_count; l++) {
        gali_vec2 phase = rotate_phase(hinged->phase[l], hinged->turns[l]);
        hinged->phase[l][0] = phase.x;
        hinged->phase[l][1] = phase.z;
    }
}

void gali_hinged_settle(gali_hinged *hinged, const gali_contract *contract, float share) {
    for (uint32_t i = 0; i < contract->hinge_count; i++) {
        hinged->angle[i] = gali_mix(hinged->angle[i], contract->hinges[i].rest, share);
    }
    hinged->posture.height = gali_mix(hinged->posture.height, contract->posture.height, share);
    hinged->posture.pitch = gali_mix(hinged->posture.pitch, contract->posture.pitch, share);
    hinged->posture.roll = gali_mix(hinged->posture.roll, contract->posture.roll, share);
}

void gali_hinged_pose(gali_character *character, const gali_contract *contract) {
    gali_frame root = gali_frame_now(character, contract);
    gal_transform body = body_in_root(character->hinged.posture);
    body.position = gali_vec3_add(root.origin, body.position);
    body.rotation = gali_quat_mul(gali_quat_from_facing(root.facing), body.rotation);
    chain(contract, &character->hinged, body, character->pose);
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        character->position[j] = character->pose[j].position;
    }
}

void gali_hinged_feet(gali_character *character, const gali_contract *contract, const gal_vec3 *before) {
    gali_frame root = gali_frame_now(character, contract);
    gali_hinged *hinged = &character->hinged;
    for (uint32_t l = 0; l < contract->leg_count; l++) {
        gal_vec3 at = character->pose[contract->legs[l].toe].position;
        hinged->foot[l] = gali_vec3_unturn(root.facing, gali_vec3_sub(at, root.origin));
        hinged->foot_velocity[l] = gali_vec3_unturn(root.facing, gali_vec3_sub(at, before[l]));
    }
}
