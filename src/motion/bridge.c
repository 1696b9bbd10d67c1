/*
 * A straight way from what was seen to the pose of an evaluation, joint by joint, and feet over the edges of steps on it. The
 * arc of a foot is found once, at the evaluation; in each frame the leg bends for what is left of it.
 */
#include "motion/bridge.h"

#include "motion/skeleton.h"

/* A foot's arc over the straight way: how high it is at its top, and at which share of the way that is. */
typedef struct arc {
    float high, top;
} arc;

/* How high over the straight way it is at a share of that: half a parabola up and half a one down. */
static float arc_at(arc a, float share) {
    float off = share < a.top ? 1 - share / a.top : (share - a.top) / (1 - a.top);
    return a.high * (1 - off * off);
}

/* How far a place is in the ground, 0 where it is over it. */
static float sinks(const gali_lanes *lanes, gal_vec3 at) {
    return fmaxf(gali_ground_at(lanes->ground, at.x, at.z) - at.y, 0);
}

/* How far the deeper end of a foot sinks at a share of its way. */
static float sinks_on_way(const gali_lanes *lanes, const gali_leg *leg, const gal_transform *from,
                          const gal_transform *to, float share) {
    gal_vec3 toe = gali_vec3_mix(from[leg->toe].position, to[leg->toe].position, share);
    gal_vec3 heel = gali_vec3_mix(from[leg->heel].position, to[leg->heel].position, share);
    return fmaxf(sinks(lanes, toe), sinks(lanes, heel));
}

/* The arc that keeps a foot out of the ground, highest where that is deepest. */
static arc arc_over(const gali_lanes *lanes, const gali_leg *leg, const gal_transform *from,
                    const gal_transform *to, uint32_t frames) {
    float sunk[GALI_FRAMES_MAX] = {0}, scale = 1;
    arc over = {0, 0.5f};
    for (uint32_t k = 1; k < frames; k++) {
        sunk[k] = sinks_on_way(lanes, leg, from, to, (float)k / (float)frames);
        over = sunk[k] > over.high ? (arc){sunk[k], (float)k / (float)frames} : over;
    }
    for (uint32_t k = 1; k < frames && over.high > 0; k++) {
        scale = fmaxf(scale, sunk[k] / arc_at(over, (float)k / (float)frames));
    }
    return (arc){fminf(scale * over.high, GAL_PLACE_MOST), over.top};
}

void gali_bridge_start(const gali_lanes *lanes, uint32_t lane) {
    const gali_contract *contract = lanes->controller->contract;
    const gali_layout *is = &lanes->controller->layout;
    gali_bank *bank = lanes->bank;
    const gal_transform *from = gali_bank_pose_before(bank, is, lane), *to = gali_bank_pose(bank, is, lane);
    int free = !lanes->ground->height || gali_bank_get(bank, is->foot_lock, lane) == 0;
    uint32_t frames = (uint32_t)gali_bank_get(bank, is->frames, lane);
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        arc over = free ? (arc){0, 0} : arc_over(lanes, &contract->legs[i], from, to, frames);
        gali_bank_set(bank, is->foot_arc + 2 * i, lane, over.high);
        gali_bank_set(bank, is->foot_arc + 2 * i + 1, lane, over.top);
    }
}

/* Turns joint j and what is below it, but not below `end`, about a place. */
static void turn_about(const gali_contract *contract, gal_transform *pose, uint32_t j, uint32_t end,
                       gal_quat turn, gal_vec3 about, gal_vec3 moved) {
    for (uint32_t k = j; k < contract->joint_count; k++) {
        if (gali_skeleton_is_below(contract, k, j) && !gali_skeleton_is_below(contract, k, end)) {
            gal_vec3 arm = gali_vec3_sub(pose[k].position, about);
            pose[k].position = gali_vec3_add(moved, gali_quat_turn(turn, arm));
            pose[k].rotation = gali_quat_unit(gali_quat_mul(turn, pose[k].rotation));
        }
    }
}

/* Where a knee is between hip and heel, by the bones' lengths, on the side where it was. */
static gal_vec3 knee_between(gal_vec3 hip, gal_vec3 knee, gal_vec3 heel, float thigh, float shank) {
    gal_vec3 line = gali_vec3_sub(heel, hip);
    float far = gali_vec3_length(line);
    line = gali_vec3_unit(line, (gal_vec3){0, -1, 0});
    float along = (thigh * thigh - shank * shank + far * far) / (2 * far),
          square = thigh * thigh - along * along;
    gal_vec3 side = gali_vec3_sub(knee, hip);
    side = gali_vec3_sub(side, gali_vec3_scale(line, gali_vec3_dot(line, side)));
    side = gali_vec3_unit(side, (gal_vec3){0, 0, 0});
    gal_vec3 off = gali_vec3_scale(side, square > 0 ? sqrtf(square) : 0);
    return gali_vec3_add(hip, gali_vec3_add(gali_vec3_scale(line, along), off));
}

/* Lifts a foot by what its leg reaches: the leg's bones keep the length that they have on the way. */
static void lift_foot(const gali_contract *contract, const gali_leg *leg, gal_transform *pose, float by) {
    gal_vec3 hip = pose[leg->hip].position, knee = pose[leg->knee].position, heel = pose[leg->heel].position;
    gal_vec3 upper = gali_vec3_sub(knee, hip), lower = gali_vec3_sub(heel, knee);
    float thigh = gali_vec3_length(upper), shank = gali_vec3_length(lower);
    gal_vec3 way = {heel.x - hip.x, heel.y + by - hip.y, heel.z - hip.z};
    float least = fabsf(thigh - shank) + 0.1f * shank, most = thigh + shank, far = gali_vec3_length(way);
    if (!(thigh > 0 && shank > 0 && far > 0)) {
        return;
    }
    gal_vec3 lifted = gali_vec3_add(hip, gali_vec3_scale(way, fminf(fmaxf(far, least), most) / far));
    gal_vec3 bent = knee_between(hip, knee, lifted, thigh, shank);
    gal_quat none = {0, 0, 0, 1};
    turn_about(contract, pose, leg->hip, leg->knee, gali_quat_between(upper, gali_vec3_sub(bent, hip)), hip,
               hip);
    turn_about(contract, pose, leg->knee, leg->heel, gali_quat_between(lower, gali_vec3_sub(lifted, bent)),
               knee, bent);
    turn_about(contract, pose, leg->heel, contract->joint_count, none, heel, lifted);
}

/* Each foot at its height of its arc; what it was lifted by before is in the pose, as far as that is still where it was. */
static void lift_feet(const gali_lanes *lanes, uint32_t lane, uint32_t left, gal_transform *seen) {
    const gali_contract *contract = lanes->controller->contract;
    const gali_layout *is = &lanes->controller->layout;
    float frames = gali_bank_get(lanes->bank, is->frames, lane), before = frames - (float)left;
    for (uint32_t i = 0; i < contract->leg_count && left > 1; i++) {
        arc over = {gali_bank_get(lanes->bank, is->foot_arc + 2 * i, lane),
                    gali_bank_get(lanes->bank, is->foot_arc + 2 * i + 1, lane)};
        if (over.high > 0) {
            float kept = arc_at(over, before / frames) * (1 - 1 / (float)left);
            lift_foot(contract, &contract->legs[i], seen, arc_at(over, (before + 1) / frames) - kept);
        }
    }
}

void gali_bridge_pose(const gali_lanes *lanes, uint32_t lane, uint32_t left) {
    const gali_layout *is = &lanes->controller->layout;
    gali_bank *bank = lanes->bank;
    const gal_transform *from = gali_bank_pose_before(bank, is, lane), *to = gali_bank_pose(bank, is, lane);
    gal_transform *seen = gali_bank_pose_bridge(bank, is, lane);
    float share = 1 / (float)left, height = gali_bank_get(bank, is->height_bridge, lane);
    for (uint32_t j = 0; j < lanes->controller->contract->joint_count; j++) {
        seen[j] = (gal_transform){gali_vec3_mix(from[j].position, to[j].position, share),
                                  gali_quat_mix(from[j].rotation, to[j].rotation, share)};
    }
    lift_feet(lanes, lane, left, seen);
    height = gali_mix(height, gali_bank_get(bank, is->height, lane), share);
    gali_bank_set(bank, is->height_bridge, lane, height);
}

float gali_bridge_contact(const gali_lanes *lanes, uint32_t lane, uint32_t i) {
    const gali_layout *is = &lanes->controller->layout;
    float now = gali_bank_get(lanes->bank, is->contact + i, lane);
    float before = gali_bank_get(lanes->bank, is->contact_before + i, lane);
    return gali_bank_get(lanes->bank, is->frames, lane) > 1 ? fminf(before, now) : now;
}
