#include "motion/bridge.h"

#include "motion/trajectory.h"

/* Joints fed back stay as they are in the root's frame. */
static void carry_joints(gali_character *character, const gali_contract *contract, gali_frame from) {
    gali_frame to = gali_frame_before(character, contract);
    gali_vec2 turn = gali_vec2_unturn(from.facing, to.facing);
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        gal_vec3 arm = gali_vec3_sub(character->position[j], from.origin);
        character->position[j] = gali_vec3_add(to.origin, gali_vec3_turn(turn, arm));
        character->velocity[j] = gali_vec3_turn(turn, character->velocity[j]);
    }
}

void gali_bridge_state(gali_character *character, const gali_contract *contract, const gali_ground *ground) {
    uint32_t frames = character->frames - 1;
    if (frames == 0) {
        return;
    }
    character->height_bridge = character->path.height;
    gali_frame from = gali_frame_before(character, contract);
    gali_trajectory_bridge(character, contract, ground, frames);
    carry_joints(character, contract, from);
    character->age += frames;
}

void gali_bridge_pose(gali_character *character, const gali_contract *contract, uint32_t left) {
    float share = 1 / (float)left;
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        const gal_transform *from = &character->pose_before[j], *to = &character->pose[j];
        character->pose_bridge[j] = (gal_transform){gali_vec3_mix(from->position, to->position, share),
                                                    gali_quat_mix(from->rotation, to->rotation, share)};
    }
    character->height_bridge = gali_mix(character->height_bridge, character->path.height, share);
}

float gali_bridge_contact(const gali_character *character, uint32_t i) {
    return character->frames > 1 ? fminf(character->contact_before[i], character->contact[i])
                                 : character->contact[i];
}
