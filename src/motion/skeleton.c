#include "motion/skeleton.h"

/* Parents stand before their children, so the walk ends. */
int gali_skeleton_is_below(const gali_contract *contract, uint32_t k, uint32_t j) {
    int32_t at = (int32_t)k;
    while (at > (int32_t)j) {
        at = contract->joints[at].parent;
    }
    return at == (int32_t)j;
}

void gali_skeleton_turn(const gali_contract *contract, gal_transform *pose, uint32_t j, gal_quat by) {
    gal_vec3 pivot = pose[j].position;
    for (uint32_t k = j; k < contract->joint_count; k++) {
        if (gali_skeleton_is_below(contract, k, j)) {
            gal_vec3 arm = gali_vec3_sub(pose[k].position, pivot);
            pose[k].position = gali_vec3_add(pivot, gali_quat_turn(by, arm));
            pose[k].rotation = gali_quat_unit(gali_quat_mul(by, pose[k].rotation));
        }
    }
}

void gali_skeleton_move(const gali_contract *contract, gal_transform *pose, uint32_t j, gal_vec3 by) {
    for (uint32_t k = j; k < contract->joint_count; k++) {
        if (gali_skeleton_is_below(contract, k, j)) {
            pose[k].position = gali_vec3_add(pose[k].position, by);
        }
    }
}

/* Inner angle of a triangle opposite to side c. */
static float angle_opposite(float c, float a, float b) {
    float cosine = (a * a + b * b - c * c) / (2 * a * b);
    return acosf(gali_clamp(cosine, -1, 1));
}

void gali_skeleton_reach(const gali_contract *contract, gal_transform *pose, const gali_leg *leg,
                         gal_vec3 target, gal_vec3 side) {
    gal_vec3 hip = pose[leg->hip].position, knee = pose[leg->knee].position, heel = pose[leg->heel].position;
    float thigh = gali_vec3_length(gali_vec3_sub(knee, hip));
    float shank = gali_vec3_length(gali_vec3_sub(heel, knee));
    if (!(thigh > 1e-4f) || !(shank > 1e-4f)) {
        return;
    }
    float now = gali_vec3_length(gali_vec3_sub(heel, hip));
    float least = fabsf(thigh - shank) + 1e-3f * shank, most = (thigh + shank) * 0.9995f;
    float wanted = gali_clamp(gali_vec3_length(gali_vec3_sub(target, hip)), least, most);
    gal_vec3 bend = gali_vec3_cross(gali_vec3_sub(hip, knee), gali_vec3_sub(heel, knee));
    float straight = 1e-3f * thigh * shank;
    gal_vec3 axis = gali_vec3_length(bend) > straight ? gali_vec3_unit(bend, side) : side;
    float open = angle_opposite(wanted, thigh, shank) - angle_opposite(now, thigh, shank);
    gal_quat before = pose[leg->heel].rotation;
    gali_skeleton_turn(contract, pose, leg->knee, gali_quat_from_axis(axis, open));
    gal_vec3 reached = gali_vec3_sub(pose[leg->heel].position, hip);
    gal_quat swing = gali_quat_between(reached, gali_vec3_sub(target, hip), side);
    gali_skeleton_turn(contract, pose, leg->hip, swing);
    gal_quat back = gali_quat_mul(before, gali_quat_conjugate(pose[leg->heel].rotation));
    gali_skeleton_turn(contract, pose, leg->heel, back);
}

void gali_skeleton_place_foot(const gali_contract *contract, gal_transform *pose, const gali_leg *leg,
                              gal_vec3 toe, gal_vec3 sole, gal_vec3 side) {
    gal_vec3 sole_before = gali_vec3_sub(pose[leg->toe].position, pose[leg->heel].position);
    gali_skeleton_reach(contract, pose, leg, gali_vec3_sub(toe, sole), side);
    gali_skeleton_turn(contract, pose, leg->heel, gali_quat_between(sole_before, sole, side));
}

void gali_skeleton_local(const gali_contract *contract, const gal_transform *pose, gal_transform *local) {
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        int32_t parent = contract->joints[j].parent;
        local[j] = parent < 0 ? pose[j] : gali_transform_within(pose[parent], pose[j]);
    }
}
