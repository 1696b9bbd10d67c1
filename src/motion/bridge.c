/*
 * A way from what was seen to the pose of an evaluation, joint by joint, and feet over the edges of steps on it. Which way a foot
 * goes is found once, at the evaluation; in each frame the leg bends for what is left of its arc. An arc over an edge just before
 * the pose is still up when that is due: it is seen so, and the next way sets out from there. Places are eased, turns are mixed
 * evenly: eased, they would be the faster on their way. A thigh or a shank is then turned to where its eased ends are.
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

/* As near to a place as a snapshot may hold one. */
static gal_vec3 within_bound(gal_vec3 at) {
    const float most = gali_bound_of(GALI_BOUND_PLACE);
    return (gal_vec3){gali_clamp(at.x, -most, most), gali_clamp(at.y, -most, most),
                      gali_clamp(at.z, -most, most)};
}

/* Where something that was at `older`, then at `before`, is next. A way that goes on may lead out from between the three. */
static gal_vec3 next_of(gal_vec3 older, gal_vec3 before, gal_vec3 to, part by) {
    gal_vec3 kept = gali_vec3_scale(gali_vec3_sub(before, older), by.kept),
             taken = gali_vec3_scale(gali_vec3_sub(to, before), by.taken);
    return within_bound(gali_vec3_add(before, gali_vec3_add(kept, taken)));
}

/*
 * A foot's way. To an end of so much of its mean motion it is eased, no more than goes_on; under 0 it is straight. Over that is
 * an arc, `high` at frame `top` of it. For so many frames it `waits`, and only rises: before an edge.
 */
typedef struct foot_way {
    float end, high, top, waits;
} foot_way;

/* What an arc takes to come down, frames, past the pose, if need be. */
static const float arc_falls = 4;

static part part_of_way(foot_way way, uint32_t left) {
    return way.end < 0 ? straight(left) : eased(left, way.end);
}

/* How high over the way a foot is in a frame of it: up and down without a corner. */
static float arc_at(foot_way way, float frame, float frames) {
    float falls = fmaxf(frames - way.top, arc_falls),
          share = frame < way.top ? frame / way.top : 1 - (frame - way.top) / falls;
    share = gali_clamp(share, 0, 1);
    return way.high * share * share * (3 - 2 * share);
}

/* How far a place is in the ground, 0 where it is over it. */
static float sinks(const gali_lanes *lanes, gal_vec3 at) {
    return fmaxf(gali_ground_at(lanes->ground, at.x, at.z) - at.y, 0);
}

/* Where a joint of a foot is next on its way, `frame` 1 or more, without the arc. */
static gal_vec3 next_of_foot(gal_vec3 older, gal_vec3 before, gal_vec3 to, foot_way way, float frame,
                             uint32_t left) {
    const gal_vec3 next = next_of(older, before, to, part_of_way(way, left));
    return frame <= way.waits ? (gal_vec3){before.x, next.y, before.z} : next;
}

/* A joint's places on its way: of the two frames before it, and of each of its own. */
typedef struct walked {
    gal_vec3 at[GALI_FRAMES_MAX + 2];
} walked;

static walked walked_by(const gali_lanes *lanes, uint32_t lane, uint32_t joint, foot_way way, uint32_t frames) {
    const gali_layout *is = &lanes->controller->layout;
    const gal_vec3 to = gali_bank_pose(lanes->bank, is, lane)[joint].position;
    walked w = {{gali_bank_pose_bridge(lanes->bank, is, lane)[joint].position,
                 gali_bank_pose_before(lanes->bank, is, lane)[joint].position}};
    for (uint32_t k = 1; k <= frames; k++) {
        w.at[k + 1] = next_of_foot(w.at[k - 1], w.at[k], to, way, (float)k, frames + 1 - k);
    }
    return w;
}

/* How far it sinks at each frame but the last, at most with what is in `sunk` already. */
static void add_sunk(const gali_lanes *lanes, const walked *w, uint32_t frames, float *sunk) {
    for (uint32_t k = 1; k < frames; k++) {
        sunk[k] = fmaxf(sunk[k], sinks(lanes, w->at[k + 1]));
    }
}

/* How high the arc with its top at a frame must be to keep a foot out of the ground that sinks by so much. */
static float high_enough(foot_way way, const float *sunk, uint32_t frames) {
    float high = 0;
    way.high = 1;
    for (uint32_t k = 1; k < frames; k++) {
        high = sunk[k] > 0 ? fmaxf(high, sunk[k] / fmaxf(arc_at(way, (float)k, (float)frames), 1e-3f)) : high;
    }
    return fminf(high, GAL_PLACE_MOST);
}

/* The most that the motion of a toe changes in a frame, by its way and the arc over it. */
static float change_of(const walked *toe, foot_way way, uint32_t frames) {
    float most = 0;
    for (uint32_t k = 0; k < frames; k++) {
        const float frame = (float)k, end = (float)frames;
        gal_vec3 went = gali_vec3_sub(toe->at[k + 1], toe->at[k]),
                 goes = gali_vec3_sub(toe->at[k + 2], toe->at[k + 1]);
        went.y += arc_at(way, frame, end) - arc_at(way, frame - 1, end);
        goes.y += arc_at(way, frame + 1, end) - arc_at(way, frame, end);
        most = fmaxf(most, gali_vec3_length(gali_vec3_sub(goes, went)));
    }
    return most;
}

/* The arc over a way that is in the ground somewhere which changes the toe's motion the least; `change` is what that is. */
static foot_way arc_over(const gali_lanes *lanes, uint32_t lane, uint32_t i, foot_way way, uint32_t frames,
                         float *change) {
    const gali_leg *leg = &lanes->controller->contract->legs[i];
    const walked toe = walked_by(lanes, lane, leg->toe, way, frames),
                 heel = walked_by(lanes, lane, leg->heel, way, frames);
    float sunk[GALI_FRAMES_MAX] = {0};
    add_sunk(lanes, &toe, frames, sunk);
    add_sunk(lanes, &heel, frames, sunk);
    way.top = 1;
    way.high = high_enough(way, sunk, frames);
    *change = way.high > 0 || way.waits > 0 ? change_of(&toe, way, frames) : 0;
    foot_way best = way;
    for (uint32_t top = 2; top < frames && best.high > 0; top++) {
        way.top = (float)top;
        way.high = high_enough(way, sunk, frames);
        float changes = change_of(&toe, way, frames);
        best = changes < *change ? way : best;
        *change = fminf(changes, *change);
    }
    return best;
}

/* The way over an edge, waiting before it for as many frames as make it smoother. */
static foot_way over_edges(const gali_lanes *lanes, uint32_t lane, uint32_t i, foot_way way, uint32_t frames) {
    float least, change;
    foot_way best = arc_over(lanes, lane, i, way, frames, &least);
    for (uint32_t waits = 1; waits < frames && best.high > 0; waits++) {
        way.waits = (float)waits;
        const foot_way tried = arc_over(lanes, lane, i, way, frames, &change);
        if (change >= least) {
            break;
        }
        least = change;
        best = tried;
    }
    return best;
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
 * The way of foot i. One in the air is eased, and one that lands comes to rest. One that is held goes straight, or it would
 * slide. Where that is in the ground, an arc is over it.
 */
static foot_way way_of_foot(const gali_lanes *lanes, uint32_t lane, uint32_t i, uint32_t frames) {
    const gali_layout *is = &lanes->controller->layout;
    foot_way way = {-1, 0, 1, 0};
    if (gali_bank_get(lanes->bank, is->foot_lock, lane) == 0 || lanes->controller->leg_contact[i] < 0) {
        return way;
    }
    if (lands(lanes, lane, i)) {
        way.end = 0;
    } else if (gali_bank_get(lanes->bank, is->foot_hold + i, lane) < 1) {
        way.end = goes_on;
    }
    return over_edges(lanes, lane, i, way, frames);
}

/* As a snapshot may have it. */
static foot_way get_way(const gali_lanes *lanes, uint32_t lane, uint32_t i) {
    const uint32_t number = lanes->controller->layout.foot_way + 4 * i;
    return (foot_way){
        fminf(gali_bank_get(lanes->bank, number, lane), goes_on), gali_bank_get(lanes->bank, number + 1, lane),
        gali_clamp(gali_bank_get(lanes->bank, number + 2, lane), -GALI_FRAMES_MAX, GALI_FRAMES_MAX),
        gali_bank_get(lanes->bank, number + 3, lane)};
}

static void set_way(const gali_lanes *lanes, uint32_t lane, uint32_t i, foot_way way) {
    const uint32_t number = lanes->controller->layout.foot_way + 4 * i;
    gali_bank_set(lanes->bank, number, lane, way.end);
    gali_bank_set(lanes->bank, number + 1, lane, way.high);
    gali_bank_set(lanes->bank, number + 2, lane, way.top);
    gali_bank_set(lanes->bank, number + 3, lane, way.waits);
}

void gali_bridge_start(const gali_lanes *lanes, uint32_t lane) {
    uint32_t frames = (uint32_t)gali_bank_get(lanes->bank, lanes->controller->layout.frames, lane);
    for (uint32_t i = 0; i < lanes->controller->contract->leg_count; i++) {
        set_way(lanes, lane, i, way_of_foot(lanes, lane, i, frames));
    }
}

/* Turns joint j and what is below it, but not below `end`, about a place. */
static void turn_about(const gali_contract *contract, gal_transform *pose, uint32_t j, uint32_t end,
                       gal_quat turn, gal_vec3 about, gal_vec3 moved) {
    for (uint32_t k = j; k < contract->joint_count; k++) {
        if (gali_skeleton_is_below(contract, k, j) && !gali_skeleton_is_below(contract, k, end)) {
            gal_vec3 arm = gali_vec3_sub(pose[k].position, about);
            pose[k].position = within_bound(gali_vec3_add(moved, gali_quat_turn(turn, arm)));
            pose[k].rotation = gali_quat_unit(gali_quat_mul(turn, pose[k].rotation));
        }
    }
}

/* Where a knee is between hip and heel, by the bones' lengths, on the side where it was. */
static gal_vec3 knee_between(gal_vec3 hip, gal_vec3 knee, gal_vec3 heel, float thigh, float shank) {
    gal_vec3 line = gali_vec3_sub(heel, hip);
    float far = gali_vec3_length(line);
    line = gali_vec3_unit(line, (gal_vec3){0, -1, 0});
    /* far from the origin a leg may be shorter than a float's step there */
    float along = far > 0 ? (thigh * thigh - shank * shank + far * far) / (2 * far) : thigh,
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

/* Each foot at its height of its arc; what it was lifted by before is in the pose, as far as that goes on as it was. */
static void lift_feet(const gali_lanes *lanes, uint32_t lane, uint32_t left, gal_transform *seen) {
    const gali_contract *contract = lanes->controller->contract;
    float frames = gali_bank_get(lanes->bank, lanes->controller->layout.frames, lane),
          frame = frames - (float)left + 1;
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        const foot_way way = get_way(lanes, lane, i);
        if (way.high > 0) {
            const part by = part_of_way(way, left);
            float older = arc_at(way, frame - 2, frames), before = arc_at(way, frame - 1, frames);
            float in_pose = before + by.kept * (before - older) - by.taken * before;
            lift_foot(contract, &contract->legs[i], seen, arc_at(way, frame, frames) - in_pose);
        }
    }
}

void gali_bridge_pose(const gali_lanes *lanes, uint32_t lane, uint32_t left) {
    const gali_contract *contract = lanes->controller->contract;
    const gali_layout *is = &lanes->controller->layout;
    gali_bank *bank = lanes->bank;
    const gal_transform *from = gali_bank_pose_before(bank, is, lane), *to = gali_bank_pose(bank, is, lane);
    gal_transform *seen = gali_bank_pose_bridge(bank, is, lane); /* of before `from`, until it is overwritten */
    float share = 1 / (float)left, height = gali_bank_get(bank, is->height_bridge, lane),
          frame = gali_bank_get(bank, is->frames, lane) - (float)left + 1;
    const part body = eased(left, goes_on);
    foot_way ways[GALI_LEGS_MAX];
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        ways[i] = get_way(lanes, lane, i);
    }
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        const int32_t i = contract->joints[j].leg;
        const int in_foot = i >= 0 && gali_skeleton_is_below(contract, j, contract->legs[i].heel);
        const gal_vec3 older = seen[j].position, before = from[j].position, end = to[j].position;
        seen[j] = (gal_transform){in_foot ? next_of_foot(older, before, end, ways[i], frame, left)
                                          : next_of(older, before, end, body),
                                  gali_quat_mix(from[j].rotation, to[j].rotation, share)};
    }
    turn_legs(lanes, lane, left, seen);
    lift_feet(lanes, lane, left, seen);
    height = gali_mix(height, gali_bank_get(bank, is->height, lane), share);
    gali_bank_set(bank, is->height_bridge, lane, height);
}

/* What is left of a way after so many frames of it: the end of its arc, of which the top lies behind. */
static foot_way rest_of(foot_way way, float frames) {
    const float up = arc_at(way, frames, frames);
    return (foot_way){-1, up > 0 ? way.high : 0, way.top - frames, 0};
}

void gali_bridge_end(const gali_lanes *lanes, uint32_t lane) {
    const float frames = gali_bank_get(lanes->bank, lanes->controller->layout.frames, lane);
    for (uint32_t i = 0; i < lanes->controller->contract->leg_count; i++) {
        set_way(lanes, lane, i, rest_of(get_way(lanes, lane, i), frames));
    }
}

void gali_bridge_land(const gali_lanes *lanes, uint32_t lane) {
    const gali_contract *contract = lanes->controller->contract;
    gal_transform *pose = gali_bank_pose(lanes->bank, &lanes->controller->layout, lane);
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        const foot_way way = get_way(lanes, lane, i);
        if (way.high > 0) {
            lift_foot(contract, &contract->legs[i], pose, arc_at(way, 1, 1));
            set_way(lanes, lane, i, rest_of(way, 1));
        }
    }
}

float gali_bridge_contact(const gali_lanes *lanes, uint32_t lane, uint32_t i) {
    const gali_layout *is = &lanes->controller->layout;
    float now = gali_bank_get(lanes->bank, is->contact + i, lane);
    float before = gali_bank_get(lanes->bank, is->contact_before + i, lane);
    return gali_bank_get(lanes->bank, is->frames, lane) > 1 ? fminf(before, now) : now;
}
