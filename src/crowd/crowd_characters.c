/*
 * The characters of a crowd: who comes and goes, what each is told, and what is seen of it.
 *
 * A character's state is ahead of what is seen by the frames that its last evaluation stood for (bridge.h): what is told
 * goes into the state, what is seen comes from the bridge until it is due.
 */
#include "crowd/crowd.h"

#include "crowd/crowd_parts.h"
#include "motion/bridge.h"
#include "motion/skeleton.h"
#include "motion/state.h"
#include "motion/step.h"
#include "motion/teleport.h"
#include "network/gate.h"

enum {
    YAW_TURNS = 4096,    /* within which a camera's yaw is taken as it is */
    AXIS_MOST = 1 << 20, /* of a stick */
};

static uint32_t place_of(gal_character handle) {
    return (handle & 0xffffu) - 1;
}

/* Whether there is such a character, and then which one. */
static int find(const gal_crowd *crowd, gal_character handle, gali_one *one) {
    uint32_t place = gali_crowd_place(crowd, handle);
    if (place == GALI_CROWD_NO_PLACE) {
        return 0;
    }
    *one = gali_crowd_one(crowd, place);
    return 1;
}

static float number_of(const gali_one *one, uint32_t number) {
    return gali_bank_get(one->lanes.bank, number, one->lane);
}

static void set_number(const gali_one *one, uint32_t number, float value) {
    gali_bank_set(one->lanes.bank, number, one->lane, value);
}

static const gali_contract *contract_of(const gali_one *one) {
    return one->group->levels[0]->contract;
}

static const gali_layout *layout_of(const gali_one *one) {
    return &one->group->levels[0]->layout;
}

/* Frames that its state is ahead of what the caller sees. */
static uint32_t left_of(const gal_crowd *crowd, gal_character handle) {
    return crowd->paces[place_of(handle)].left;
}

/* The pose that the caller sees. */
static const gal_transform *pose_of(const gal_crowd *crowd, gal_character handle, const gali_one *one) {
    return left_of(crowd, handle) > 0 ? gali_bank_pose_bridge(one->lanes.bank, layout_of(one), one->lane)
                                      : gali_bank_pose(one->lanes.bank, layout_of(one), one->lane);
}

static uint32_t free_place(const gal_crowd *crowd, const gali_group *group) {
    uint32_t place = group->first;
    while (crowd->handle[place]) {
        place++;
    }
    return place;
}

/* One axis of a stick, so bounded that its square is finite. */
static float bounded_axis(float value) {
    return isfinite(value) ? gali_clamp(value, -AXIS_MOST, AXIS_MOST) : 0;
}

/* What of an input counts. */
static gal_input bounded_input(const gal_input *input) {
    gali_vec2 stick = {bounded_axis(input->move_x), bounded_axis(input->move_y)};
    float length = gali_vec2_length(stick);
    float scale = length > 1 ? 1 / length : 1; /* a square stick is no faster on the diagonal */
    return (gal_input){
        .move_x = stick.x * scale,
        .move_y = stick.z * scale,
        .run = gali_clamp(input->run, 0, 1),
        .strafe = gali_clamp(input->strafe, 0, 1),
        .crouch = gali_clamp(input->crouch, 0, 1),
        .camera_yaw = isfinite(input->camera_yaw) ? fmodf(input->camera_yaw, (float)YAW_TURNS * GALI_TURN) : 0,
        .responsive = input->responsive,
        .jump = input->jump,
    };
}

static void take_input(const gali_one *one, const gal_input *input) {
    const gali_layout *is = layout_of(one);
    set_number(one, is->move_x, input->move_x);
    set_number(one, is->move_y, input->move_y);
    set_number(one, is->run, input->run);
    set_number(one, is->strafe_asked, input->strafe);
    set_number(one, is->crouch_asked, input->crouch);
    set_number(one, is->camera_yaw, input->camera_yaw);
    set_number(one, is->responsive, input->responsive != 0);
    set_number(one, is->jump, input->jump != 0);
}

gal_status gal_crowd_add(gal_crowd *crowd, const gal_spawn *spawn, gal_character *out) {
    *out = 0;
    gal_spawn at = spawn ? *spawn : (gal_spawn){0};
    if (!gali_is_place(at.x) || !gali_is_place(at.z) || !isfinite(at.facing) || !isfinite(at.phase) ||
        at.group >= crowd->group_count) {
        return GAL_BAD_ARGUMENT;
    }
    gali_group *group = &crowd->groups[at.group];
    if (group->count == group->capacity) {
        return GAL_FULL;
    }
    uint32_t place = free_place(crowd, group);
    const gali_one one = gali_crowd_one(crowd, place);
    const gali_start start = {at.x, at.z, gali_facing_from_angle(at.facing), at.phase};
    crowd->generation[place] = crowd->generation[place] % 0xffffu + 1;
    crowd->handle[place] = crowd->generation[place] << 16 | (place + 1);
    take_input(&one, &(gal_input){0});
    set_number(&one, layout_of(&one)->foot_lock, 1);
    gali_step_reset(group->phases, &one.lanes, one.lane, start);
    crowd->paces[place] = (gali_pace){.priority = 1, .rung = GALI_RUNGS};
    group->count++;
    crowd->order[crowd->count++] = place;
    *out = crowd->handle[place];
    gali_record_add(&crowd->recorder, &at, *out);
    return GAL_OK;
}

gal_status gal_crowd_remove(gal_crowd *crowd, gal_character handle) {
    gali_one one;
    if (!find(crowd, handle, &one)) {
        return GAL_NOT_FOUND;
    }
    uint32_t place = place_of(handle), kept = 0;
    gali_away_forget(crowd, place);
    crowd->handle[place] = 0;
    crowd->groups[gali_crowd_group(crowd, place)].count--;
    for (uint32_t i = 0; i < crowd->count; i++) {
        if (crowd->order[i] != place) {
            crowd->order[kept++] = crowd->order[i];
        }
    }
    crowd->count = kept;
    gali_record_call(&crowd->recorder, GALI_RECORD_REMOVE, &handle);
    return GAL_OK;
}

uint32_t gal_crowd_count(const gal_crowd *crowd) {
    return crowd->count;
}

const gal_controller *gal_crowd_controller(const gal_crowd *crowd, gal_character handle) {
    gali_one one;
    return find(crowd, handle, &one) ? one.group->levels[0] : NULL;
}

gal_character gal_crowd_at(const gal_crowd *crowd, uint32_t index) {
    return index < crowd->count ? crowd->handle[crowd->order[index]] : 0;
}

/* Whether a player wants something else than before. */
static int is_another(const gali_one *one, const gal_input *now) {
    const gali_layout *is = layout_of(one);
    const float much = 0.25f;
    return fabsf(now->move_x - number_of(one, is->move_x)) > much ||
           fabsf(now->move_y - number_of(one, is->move_y)) > much ||
           fabsf(now->run - number_of(one, is->run)) > much || now->jump;
}

gal_status gal_crowd_set_input(gal_crowd *crowd, gal_character handle, const gal_input *input) {
    gali_one one;
    if (!find(crowd, handle, &one)) {
        return GAL_NOT_FOUND;
    }
    const gal_input bounded = bounded_input(input);
    if (is_another(&one, &bounded)) {
        crowd->paces[place_of(handle)].urgent = 1;
    }
    take_input(&one, &bounded);
    gali_record_input(&crowd->recorder, handle,
                      input); /* as given: bounded twice, a stick has other last bits */
    return GAL_OK;
}

gal_status gal_crowd_set_foot_lock(gal_crowd *crowd, gal_character handle, int on) {
    gali_one one;
    if (!find(crowd, handle, &one)) {
        return GAL_NOT_FOUND;
    }
    if (on && number_of(&one, layout_of(&one)->foot_lock) == 0) {
        gali_step_free_feet(&one.lanes, one.lane);
    }
    set_number(&one, layout_of(&one)->foot_lock, on != 0);
    const uint32_t call[] = {handle, on != 0};
    gali_record_call(&crowd->recorder, GALI_RECORD_FOOT_LOCK, call);
    return GAL_OK;
}

gal_status gal_crowd_teleport(gal_crowd *crowd, gal_character handle, float x, float z, float facing) {
    gali_one one;
    if (!find(crowd, handle, &one)) {
        return GAL_NOT_FOUND;
    }
    if (!gali_is_place(x) || !gali_is_place(z) || !isfinite(facing)) {
        return GAL_BAD_ARGUMENT;
    }
    gali_teleport(&one.lanes, one.lane, left_of(crowd, handle), x, z, facing);
    if (!gali_state_is_in_range(one.lanes.bank, one.lanes.controller, one.lane)) {
        const gali_start start = {x, z, gali_facing_from_angle(facing), 0};
        gali_step_reset(one.group->phases, &one.lanes, one.lane, start);
        crowd->paces[place_of(handle)].left = 0;
        gali_away_forget(crowd, place_of(handle));
        crowd->resets++;
    }
    gali_record_teleport(&crowd->recorder, handle, x, z, facing);
    return GAL_OK;
}

uint64_t gal_crowd_resets(const gal_crowd *crowd) {
    return crowd->resets;
}

const gal_transform *gal_crowd_pose(const gal_crowd *crowd, gal_character handle, uint32_t *joint_count) {
    gali_one one;
    int found = find(crowd, handle, &one);
    if (joint_count) {
        *joint_count = found ? contract_of(&one)->joint_count : 0;
    }
    return found ? pose_of(crowd, handle, &one) : NULL;
}

gal_status gali_crowd_fed_back(const gal_crowd *crowd, gal_character handle, gal_vec3 *out) {
    gali_one one;
    if (!find(crowd, handle, &one)) {
        return GAL_NOT_FOUND;
    }
    for (uint32_t j = 0; j < contract_of(&one)->joint_count; j++) {
        out[j] = gali_bank_get3(one.lanes.bank, layout_of(&one)->joint_place + 3 * j, one.lane);
    }
    return GAL_OK;
}

gal_status gali_crowd_memory(const gal_crowd *crowd, gal_character handle, float *out) {
    gali_one one;
    if (!find(crowd, handle, &one)) {
        return GAL_NOT_FOUND;
    }
    for (uint32_t i = 0; i < contract_of(&one)->memory_count; i++) {
        out[i] = number_of(&one, layout_of(&one)->memory + i);
    }
    return GAL_OK;
}

gal_status gal_crowd_pose_between(const gal_crowd *crowd, gal_character handle, float fraction,
                                  gal_transform *out) {
    gali_one one;
    if (!find(crowd, handle, &one)) {
        return GAL_NOT_FOUND;
    }
    const gal_transform *from = gali_bank_pose_before(one.lanes.bank, layout_of(&one), one.lane),
                        *to = pose_of(crowd, handle, &one);
    float t = gali_clamp(fraction, 0, 1);
    for (uint32_t j = 0; j < contract_of(&one)->joint_count; j++) {
        out[j] = (gal_transform){gali_vec3_mix(from[j].position, to[j].position, t),
                                 gali_quat_mix(from[j].rotation, to[j].rotation, t)};
    }
    return GAL_OK;
}

gal_status gal_crowd_pose_local(const gal_crowd *crowd, gal_character handle, gal_transform *out) {
    gali_one one;
    if (!find(crowd, handle, &one)) {
        return GAL_NOT_FOUND;
    }
    gali_skeleton_local(contract_of(&one), pose_of(crowd, handle, &one), out);
    return GAL_OK;
}

/* The path at an offset from now, the height left out ahead of it; it does not reach further back than its window. */
static gal_vec3 path_point(const gali_one *one, int32_t offset, gali_vec2 *facing) {
    const gali_bank *bank = one->lanes.bank;
    const gali_layout *is = layout_of(one);
    if (offset == 0) {
        *facing = gali_bank_get2(bank, is->facing, one->lane);
        return gali_bank_get3(bank, is->root, one->lane);
    }
    if (offset < 0) {
        uint32_t back = (uint32_t)-offset, past = contract_of(one)->past;
        const float *record =
            gali_bank_record(bank, contract_of(one), is, one->lane, back < past ? back : past);
        *facing = (gali_vec2){record[GALI_RECORD_FACING], record[GALI_RECORD_FACING + 1]};
        return (gal_vec3){record[GALI_RECORD_PLACE], record[GALI_RECORD_PLACE + 1],
                          record[GALI_RECORD_PLACE + 2]};
    }
    const gali_knots at = gali_layout_knots(is, offset);
    gali_vec2 from = gali_bank_get2(bank, is->knot_place + 2 * at.from, one->lane);
    gali_vec2 to = gali_bank_get2(bank, is->knot_place + 2 * at.to, one->lane);
    gali_vec2 faced = gali_bank_get2(bank, is->knot_facing + 2 * at.from, one->lane);
    gali_vec2 faces = gali_bank_get2(bank, is->knot_facing + 2 * at.to, one->lane);
    float t = at.share < 1 ? at.share : 1;
    *facing = (gali_vec2){gali_mix(faced.x, faces.x, t), gali_mix(faced.z, faces.z, t)};
    return (gal_vec3){gali_mix(from.x, to.x, at.share), 0, gali_mix(from.z, to.z, at.share)};
}

/* Less than predicted while foot locking lifts the foot. */
static float seen_contact(const gali_one *one, uint32_t i) {
    const gali_contract *contract = contract_of(one);
    const gali_layout *is = layout_of(one);
    uint32_t joint = contract->contact_joints[i];
    float contact = gali_bridge_contact(&one->lanes, one->lane, i);
    for (uint32_t l = 0; number_of(one, is->foot_lock) > 0 && l < contract->leg_count; l++) {
        if (joint == contract->legs[l].toe || joint == contract->legs[l].heel) {
            contact *= 1 - number_of(one, is->foot_lifted + l);
        }
    }
    return contact;
}

gal_status gal_crowd_state(const gal_crowd *crowd, gal_character handle, gal_character_state *out) {
    gali_one one;
    if (!find(crowd, handle, &one)) {
        return GAL_NOT_FOUND;
    }
    const gali_contract *contract = contract_of(&one);
    const gali_layout *is = layout_of(&one);
    uint32_t left = left_of(crowd, handle);
    gali_vec2 facing;
    gal_vec3 at = path_point(&one, -(int32_t)left, &facing);
    float ahead = (float)left * number_of(&one, is->phase_step), phase = number_of(&one, is->phase);
    *out = (gal_character_state){
        .root = {at.x, number_of(&one, left > 0 ? is->height_bridge : is->height), at.z},
        .facing = gali_facing_angle(facing),
        .phase = left > 0 ? (float)gali_gate_wrap(phase - ahead) : phase,
        .speed = number_of(&one, is->step) * contract->rate,
    };
    for (uint32_t i = 0; i < contract->contact_count; i++) {
        out->contacts[i] = seen_contact(&one, i);
    }
    return GAL_OK;
}

uint32_t gal_crowd_gaits(const gal_crowd *crowd, gal_character handle, float *amounts, uint32_t capacity) {
    gali_one one;
    if (!find(crowd, handle, &one)) {
        return 0;
    }
    const uint32_t count = contract_of(&one)->gait_count;
    for (uint32_t g = 0; amounts && g < count && g < capacity; g++) {
        amounts[g] = number_of(&one, layout_of(&one)->gait + g);
    }
    return count;
}

uint32_t gal_crowd_trajectory(const gal_crowd *crowd, gal_character handle, gal_vec3 *points, float *facings,
                              uint32_t capacity) {
    gali_one one;
    if (!find(crowd, handle, &one)) {
        return 0;
    }
    for (uint32_t s = 0; s < contract_of(&one)->sample_count && s < capacity; s++) {
        gali_vec2 facing;
        int32_t offset = contract_of(&one)->samples[s] - (int32_t)left_of(crowd, handle);
        gal_vec3 point = path_point(&one, offset, &facing);
        if (offset > 0) {
            point.y = number_of(&one, layout_of(&one)->sample_height + s);
        }
        if (points) {
            points[s] = point;
        }
        if (facings) {
            facings[s] = gali_facing_angle(facing);
        }
    }
    return contract_of(&one)->sample_count;
}
