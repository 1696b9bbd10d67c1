/*
 * Inertialisation (D. Bollo, "Inertialization: High-Performance Animation Transitions in Gears of War", GDC
 * 2018), for a pose that may jump in any frame instead of at known ones.
 *
 * What is shown is offset + prediction. It goes on at `motion`, which follows the motion of the prediction but
 * changes in a frame by no more than the contract allows; what that leaves of the predicted motion goes into
 * the offset. The offset dies away as a critically damped spring would. So shown and predicted are the same
 * bits as long as no motion changes by more than that.
 *
 * It is done to the first joint's place in the root frame, to the turn of each joint that is in no leg against
 * its parent, and to the place of each toe and to each sole in the root frame, for which the leg then reaches.
 * (A leg's own turns would not do: a knee that straightens turns by so much in a frame that nothing tells it
 * from a jump.)
 *
 * Turns are vectors, twice the vector part of their quaternion: a rotation vector where they are small, and no
 * transcendental function, whose last bits differ between machines, is needed to go back and forth.
 */
#include "motion/inertia.h"

#include "motion/skeleton.h"

static gal_vec3 vector_of(gal_quat q) {
    float twice = q.w < 0 ? -2.0f : 2.0f;
    return (gal_vec3){twice * q.x, twice * q.y, twice * q.z};
}

static gal_quat quat_of(gal_vec3 v) {
    gal_vec3 half = gali_vec3_scale(v, 0.5f);
    float rest = 1 - gali_vec3_dot(half, half);
    return gali_quat_unit((gal_quat){half.x, half.y, half.z, rest > 0 ? sqrtf(rest) : 0});
}

/* Lets shown->motion follow by `most` at most; whether it could not follow all the way. */
static int falls_behind(gali_inertia *shown, gal_vec3 motion, float most) {
    gal_vec3 change = gali_vec3_sub(motion, shown->motion);
    float length = gali_vec3_length(change);
    if (length <= most) {
        shown->motion = motion;
        return 0;
    }
    shown->motion = gali_vec3_add(shown->motion, gali_vec3_scale(change, most / length));
    return 1;
}

static float behind_by(const gali_inertia *shown) {
    return gali_vec3_length(shown->offset) + gali_vec3_length(shown->rate);
}

/*
 * Frames of the critically damped spring: x(t) = (x + (v + y x) t) exp(-y t), with exp by its series
 * (D. Holden, "Spring-It-On: The Game Developer's Spring-Roll-Call", 2021). From rest half of it is gone when
 * (1 + y t) exp(-y t) = 1/2, at y t = 1.678. Returns how far behind is left.
 */
static float die_away(gali_inertia *shown, float half_life, float frames) {
    const float nothing = 1e-4f;
    if (behind_by(shown) < nothing) {
        shown->offset = shown->rate = (gal_vec3){0, 0, 0};
        return 0;
    }
    float y = 1.678347f / half_life, t = y * frames, left = 1 / (1 + t + 0.48f * t * t + 0.235f * t * t * t);
    gal_vec3 slope = gali_vec3_add(shown->rate, gali_vec3_scale(shown->offset, y));
    shown->offset = gali_vec3_scale(gali_vec3_add(shown->offset, gali_vec3_scale(slope, frames)), left);
    shown->rate = gali_vec3_scale(gali_vec3_sub(shown->rate, gali_vec3_scale(slope, t)), left);
    return behind_by(shown);
}

/* Takes in a turn, or a place's motion, of so many frames; returns how far behind the shown one is. */
static float turn_by(gali_inertia *shown, gal_quat turn, float most, const gali_rules *rules, float frames) {
    if (falls_behind(shown, gali_vec3_scale(vector_of(turn), 1 / frames), frames * most)) {
        gal_quat shown_turn = quat_of(gali_vec3_scale(shown->motion, frames));
        gal_quat left = gali_quat_mul(shown_turn, gali_quat_conjugate(turn));
        shown->offset = vector_of(gali_quat_mul(quat_of(shown->offset), left));
    }
    return die_away(shown, rules->inertia_time, frames);
}

static float move_by(gali_inertia *shown, gal_vec3 way, const gali_rules *rules, float frames) {
    if (falls_behind(shown, gali_vec3_scale(way, 1 / frames), frames * rules->inertia_jump)) {
        gal_vec3 left = gali_vec3_sub(gali_vec3_scale(shown->motion, frames), way);
        shown->offset = gali_vec3_add(shown->offset, left);
    }
    return die_away(shown, rules->inertia_time, frames);
}

/* What joint j hangs on: its parent, or the root. */
static gal_transform parent_of(const gali_character *character, const gali_contract *contract, uint32_t j) {
    if (j == 0) {
        gali_frame root = gali_frame_now(character, contract);
        return (gal_transform){root.origin, gali_quat_from_facing(root.facing)};
    }
    return character->pose[contract->joints[j].parent];
}

static float take_joint(gali_character *character, const gali_contract *contract, uint32_t j) {
    const gali_rules *rules = &contract->rules;
    const gali_joint *joint = &contract->joints[j];
    gal_transform before = character->local[j];
    gal_transform now = gali_transform_within(parent_of(character, contract, j), character->pose[j]);
    character->local[j] = now;
    if (joint->leg >= 0) {
        return 0;
    }
    gal_quat turn = gali_quat_mul(now.rotation, gali_quat_conjugate(before.rotation));
    float frames = (float)character->frames;
    float behind = turn_by(&character->turn_shown[j], turn, rules->inertia_jump / joint->lever, rules, frames);
    if (j == 0) {
        gal_vec3 way = gali_vec3_sub(now.position, before.position);
        behind += move_by(&character->place_shown, way, rules, frames);
    }
    return behind;
}

static gali_foot_place place_of(const gali_character *character, const gali_contract *contract, uint32_t i) {
    gali_frame root = gali_frame_now(character, contract);
    gal_vec3 toe = character->pose[contract->legs[i].toe].position;
    gal_vec3 heel = character->pose[contract->legs[i].heel].position;
    return (gali_foot_place){gali_vec3_unturn(root.facing, gali_vec3_sub(toe, root.origin)),
                             gali_vec3_unturn(root.facing, gali_vec3_sub(toe, heel))};
}

static float take_foot(gali_character *character, const gali_contract *contract, uint32_t i) {
    gali_foot_inertia *foot = &character->foot_shown[i];
    gali_foot_place before = foot->predicted, now = place_of(character, contract, i);
    foot->predicted = now;
    float frames = (float)character->frames;
    return move_by(&foot->toe, gali_vec3_sub(now.toe, before.toe), &contract->rules, frames) +
           move_by(&foot->sole, gali_vec3_sub(now.sole, before.sole), &contract->rules, frames);
}

static void show_joints(gali_character *character, const gali_contract *contract) {
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        gal_transform local = character->local[j];
        local.rotation = gali_quat_mul(quat_of(character->turn_shown[j].offset), local.rotation);
        if (j == 0) {
            local.position = gali_vec3_add(local.position, character->place_shown.offset);
        }
        character->pose[j] = gali_transform_upon(parent_of(character, contract, j), local);
    }
}

static void show_foot(gali_character *character, const gali_contract *contract, uint32_t i) {
    const gali_foot_inertia *shown = &character->foot_shown[i];
    gali_foot_place at = shown->predicted;
    gali_frame root = gali_frame_now(character, contract);
    gal_vec3 toe = gali_vec3_turn(root.facing, gali_vec3_add(at.toe, shown->toe.offset));
    gal_vec3 sole = gali_vec3_unit(gali_vec3_add(at.sole, shown->sole.offset), at.sole);
    sole = gali_vec3_turn(root.facing, gali_vec3_scale(sole, gali_vec3_length(at.sole)));
    gal_vec3 side = gali_vec3_turn(root.facing, (gal_vec3){-1, 0, 0});
    gali_skeleton_place_foot(contract, character->pose, &contract->legs[i], gali_vec3_add(root.origin, toe),
                             sole, side);
}

void gali_inertia_reset(gali_character *character, const gali_contract *contract) {
    const gali_inertia none = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    if (contract->rules.inertia_jump <= 0) {
        return;
    }
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        character->local[j] = gali_transform_within(parent_of(character, contract, j), character->pose[j]);
        character->turn_shown[j] = none;
    }
    character->place_shown = none;
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        character->foot_shown[i] = (gali_foot_inertia){place_of(character, contract, i), none, none};
    }
}

void gali_inertia_apply(gali_character *character, const gali_contract *contract) {
    float behind = 0;
    if (contract->rules.inertia_jump <= 0) {
        return;
    }
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        behind += take_joint(character, contract, j);
    }
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        behind += take_foot(character, contract, i);
    }
    if (behind == 0) {
        return;
    }
    show_joints(character, contract);
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        show_foot(character, contract, i);
    }
}
