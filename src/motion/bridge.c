#include "motion/bridge.h"

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
    height = gali_mix(height, gali_bank_get(bank, is->height, lane), share);
    gali_bank_set(bank, is->height_bridge, lane, height);
}

float gali_bridge_contact(const gali_lanes *lanes, uint32_t lane, uint32_t i) {
    const gali_layout *is = &lanes->controller->layout;
    float now = gali_bank_get(lanes->bank, is->contact + i, lane);
    float before = gali_bank_get(lanes->bank, is->contact_before + i, lane);
    return gali_bank_get(lanes->bank, is->frames, lane) > 1 ? fminf(before, now) : now;
}
