/*
 * A way from what was seen to the pose of an evaluation, joint by joint, and feet over the edges of steps on it. Which way a foot
 * goes is found once, at the evaluation; in each frame the leg bends for what is left of its arc. Places are eased, turns are
 * mixed evenly: eased, they would be the faster on their way. A thigh or a shank is then turned to where its eased ends are.
 */
#include "motion/bridge.h"

#include "motion/skeleton.h"

/* What a frame takes of the last frame's motion, and what of the way that is left. */
typedef struct part {
    float kept, taken;
} part;

/* What a way that is not to rest ends at, of its mean motion: more of it would make it the faster on its way. */
static const float goes_on = 0.7f;

static part straight(uint32_t left) {
    return (part){0, 1 / (float)left};
}

/*
 * The way whose motion changes least from that of the last frame to `end` of the mean one that is left: the sum of the squares of
 * its changes, frame by frame, is the least of all ways that get there in so many frames, as seen from this one.
 */
static part eased(uint32_t left, float end) {
    float n = (float)left, square = (n + 1) * (n + 2);
    return (part){1 - (4 * n + 2) / square, (6 * n - 2 * (n - 1) * end) / (square * n)};
}

/*
 * Where something that was at `older`, then at `before`, is next. A way that goes on may lead out from between the three, but not
 * out of what a snapshot may hold.
 */
static gal_vec3 next_of(gal_vec3 older, gal_vec3 before, gal_vec3 to, part by) {
    const float most = gali_bound_of(GALI_BOUND_PLACE);
    gal_vec3 kept = gali_vec3_scale(gali_vec3_sub(before, older), by.kept),
             taken = gali_vec3_scale(gali_vec3_sub(to, before), by.taken),
             next = gali_vec3_add(before, gali_vec3_add(kept, taken));
    return (gal_vec3){gali_clamp(next.x, -most, most), gali_clamp(next.y, -most, most),
                      gali_clamp(next.z, -most, most)};
}

/*
 * A foot's way. `top` above 0: straight, and an arc over it that is `high` at that share of the way. `top` 0: eased, to an end of
 * `high` of its mean motion, which no snapshot makes more than goes_on.
 */
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

/* How far the deeper end of a foot sinks at a share of its straight way. */
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

/* Whether an end of a foot would be in the ground anywhere on its eased way. */
static int sinks_eased(const gali_lanes *lanes, uint32_t lane, uint32_t joint, uint32_t frames, float end) {
    const gali_layout *is = &lanes->controller->layout;
    gal_vec3 older = gali_bank_pose_bridge(lanes->bank, is, lane)[joint].position,
             at = gali_bank_pose_before(lanes->bank, is, lane)[joint].position;
    const gal_vec3 to = gali_bank_pose(lanes->bank, is, lane)[joint].position;
    for (uint32_t left = frames; left > 1; left--) {
        const gal_vec3 next = next_of(older, at, to, eased(left, end));
        if (sinks(lanes, next) > 0) {
            return 1;
        }
        older = at;
        at = next;
    }
    return 0;
}

/* Whether it is its contact's first evaluation for which a foot is held. */
static int lands(const gali_lanes *lanes, uint32_t lane, uint32_t i) {
    const gali_layout *is = &lanes->controller->layout;
    const uint32_t contact = (uint32_t)lanes->controller->leg_contact[i];
    return gali_bank_get(lanes->bank, is->foot_hold + i, lane) == 1 &&
           gali_bank_get(lanes->bank, is->contact_before + contact, lane) <
               lanes->controller->contract->rules.foot_lock_contact;
}

/*
 * The way of foot i. One in the air is eased, and one that lands comes to rest. One that is held, or stepping, goes straight, or
 * it would slide; so does one whose eased way is in the ground: an arc is over its straight one.
 */
static arc way_of_foot(const gali_lanes *lanes, uint32_t lane, uint32_t i, uint32_t frames) {
    const gali_layout *is = &lanes->controller->layout;
    const gali_leg *leg = &lanes->controller->contract->legs[i];
    const gal_transform *from = gali_bank_pose_before(lanes->bank, is, lane),
                        *to = gali_bank_pose(lanes->bank, is, lane);
    if (gali_bank_get(lanes->bank, is->foot_lock, lane) == 0 || lanes->controller->leg_contact[i] < 0) {
        return (arc){0, 0.5f};
    }
    int to_rest = lands(lanes, lane, i);
    float end = to_rest ? 0 : goes_on;
    if ((to_rest || gali_bank_get(lanes->bank, is->foot_hold + i, lane) == 0) &&
        !sinks_eased(lanes, lane, leg->toe, frames, end) && !sinks_eased(lanes, lane, leg->heel, frames, end)) {
        return (arc){end, 0};
    }
    return lanes->ground->height ? arc_over(lanes, leg, from, to, frames) : (arc){0, 0.5f};
}

static arc get_arc(const gali_lanes *lanes, uint32_t lane, uint32_t i) {
    const uint32_t number = lanes->controller->layout.foot_arc + 2 * i;
    return (arc){gali_bank_get(lanes->bank, number, lane), gali_bank_get(lanes->bank, number + 1, lane)};
}

static void set_arc(const gali_lanes *lanes, uint32_t lane, uint32_t i, arc a) {
    const uint32_t number = lanes->controller->layout.foot_arc + 2 * i;
    gali_bank_set(lanes->bank, number, lane, a.high);
    gali_bank_set(lanes->bank, number + 1, lane, a.top);
}

void gali_bridge_start(const gali_lanes *lanes, uint32_t lane) {
    uint32_t frames = (uint32_t)gali_bank_get(lanes->bank, lanes->controller->layout.frames, lane);
    for (uint32_t i = 0; i < lanes->controller->contract->leg_count; i++) {
        set_arc(lanes, lane, i, way_of_foot(lanes, lane, i, frames));
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

/* Turns what hangs on joint j down to `end` as its bone points, which would point along `was` by how it is turned. */
static void turn_bone(const gali_contract *contract, gal_transform *pose, uint32_t j, uint32_t end,
                      gal_vec3 was) {
    gal_vec3 bone = gali_vec3_sub(pose[end].position, pose[j].position);
    gal_quat turn = gali_quat_between(was, bone);
    for (uint32_t k = j; k < contract->joint_count; k++) {
        if (gali_skeleton_is_below(contract, k, j) && !gali_skeleton_is_below(contract, k, end)) {
            pose[k].rotation = gali_quat_unit(gali_quat_mul(turn, pose[k].rotation));
        }
    }
}

/* Turns of straight ways, and after these thighs and shanks by what easing made of their ends. */
static void turn_legs(const gali_lanes *lanes, uint32_t lane, uint32_t left, gal_transform *seen) {
    const gali_contract *contract = lanes->controller->contract;
    const gali_layout *is = &lanes->controller->layout;
    const gal_transform *from = gali_bank_pose_before(lanes->bank, is, lane),
                        *to = gali_bank_pose(lanes->bank, is, lane);
    for (uint32_t i = 0; i < contract->leg_count && left > 1; i++) {
        const gali_leg *leg = &contract->legs[i];
        const uint32_t joints[] = {leg->hip, leg->knee, leg->heel};
        for (uint32_t k = 0; k < 2; k++) {
            gal_vec3 bone = gali_vec3_sub(from[joints[k + 1]].position, from[joints[k]].position),
                     then = gali_vec3_sub(to[joints[k + 1]].position, to[joints[k]].position);
            turn_bone(contract, seen, joints[k], joints[k + 1], gali_vec3_mix(bone, then, 1 / (float)left));
        }
    }
}

/* Each foot at its height of its arc; what it was lifted by before is in the pose, as far as that is still where it was. */
static void lift_feet(const gali_lanes *lanes, uint32_t lane, uint32_t left, gal_transform *seen) {
    const gali_contract *contract = lanes->controller->contract;
    const gali_layout *is = &lanes->controller->layout;
    float frames = gali_bank_get(lanes->bank, is->frames, lane), before = frames - (float)left;
    for (uint32_t i = 0; i < contract->leg_count && left > 1; i++) {
        const arc over = get_arc(lanes, lane, i);
        if (over.top > 0 && over.high > 0) {
            float kept = arc_at(over, before / frames) * (1 - 1 / (float)left);
            lift_foot(contract, &contract->legs[i], seen, arc_at(over, (before + 1) / frames) - kept);
        }
    }
}

/* How a leg goes on: by `by` from joint `from` on, its heel, or its knee under an arc. */
typedef struct leg_part {
    uint32_t from;
    part by;
} leg_part;

static leg_part part_of_leg(const gali_lanes *lanes, uint32_t lane, uint32_t i, uint32_t left) {
    const gali_leg *leg = &lanes->controller->contract->legs[i];
    const arc way = get_arc(lanes, lane, i);
    return way.top > 0 ? (leg_part){way.high > 0 ? leg->knee : leg->heel, straight(left)}
                       : (leg_part){leg->heel, eased(left, gali_clamp(way.high, 0, goes_on))};
}

void gali_bridge_pose(const gali_lanes *lanes, uint32_t lane, uint32_t left) {
    const gali_contract *contract = lanes->controller->contract;
    const gali_layout *is = &lanes->controller->layout;
    gali_bank *bank = lanes->bank;
    const gal_transform *from = gali_bank_pose_before(bank, is, lane), *to = gali_bank_pose(bank, is, lane);
    gal_transform *seen = gali_bank_pose_bridge(bank, is, lane); /* of before `from`, until it is overwritten */
    float share = 1 / (float)left, height = gali_bank_get(bank, is->height_bridge, lane);
    const part body = eased(left, goes_on);
    leg_part legs[GALI_LEGS_MAX];
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        legs[i] = part_of_leg(lanes, lane, i, left);
    }
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        const int32_t i = contract->joints[j].leg;
        const part by = i >= 0 && gali_skeleton_is_below(contract, j, legs[i].from) ? legs[i].by : body;
        seen[j] = (gal_transform){next_of(seen[j].position, from[j].position, to[j].position, by),
                                  gali_quat_mix(from[j].rotation, to[j].rotation, share)};
    }
    turn_legs(lanes, lane, left, seen);
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
