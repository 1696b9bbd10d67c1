#include "check/pose_row.h"

enum { FEATURES_POSITION = 3, FEATURES_SIXD = 6 };

gali_pose_blocks gali_pose_find(const gali_contract *contract) {
    gali_pose_blocks blocks = {gali_contract_find(contract, GALI_BLOCK_JOINT_POSITION_OUT),
                               gali_contract_find(contract, GALI_BLOCK_JOINT_ROTATION_EXPMAP)};
    if (!blocks.rotations) {
        blocks.rotations = gali_contract_find(contract, GALI_BLOCK_JOINT_ROTATION_SIXD);
    }
    return blocks;
}

int gali_pose_has_bone(const gali_contract *contract, uint32_t joint, float height) {
    return contract->joints[joint].parent >= 0 &&
           gali_vec3_length(contract->joints[joint].rest.position) > 0.02f * height;
}

static gal_vec3 vector(const float *y, uint32_t feature) {
    return (gal_vec3){y[feature], y[feature + 1], y[feature + 2]};
}

gal_vec3 gali_pose_position(const gali_pose_blocks *blocks, const float *y, uint32_t joint) {
    return vector(y, blocks->positions->offset + FEATURES_POSITION * joint);
}

gal_vec3 gali_pose_bone(const gali_contract *contract, const gali_pose_blocks *blocks, const float *y,
                        uint32_t joint) {
    uint32_t parent = (uint32_t)contract->joints[joint].parent;
    return gali_vec3_sub(gali_pose_position(blocks, y, joint), gali_pose_position(blocks, y, parent));
}

gal_quat gali_pose_rotation(const gali_pose_blocks *blocks, const float *y, uint32_t joint, int *valid) {
    const gali_block *block = blocks->rotations;
    if (block->kind == GALI_BLOCK_JOINT_ROTATION_EXPMAP) {
        gal_vec3 half = vector(y, block->offset + FEATURES_POSITION * joint);
        *valid = gali_vec3_length(half) < 1.1f * GALI_PI;
        return gali_quat_exp(half);
    }
    gal_vec3 a = vector(y, block->offset + FEATURES_SIXD * joint);
    gal_vec3 b = vector(y, block->offset + FEATURES_SIXD * joint + 3);
    float la = gali_vec3_length(a), lb = gali_vec3_length(b);
    *valid = la > 0.3f && lb > 0.3f && la < 3 && lb < 3 && fabsf(gali_vec3_dot(a, b)) < 0.7f * la * lb;
    return gali_quat_from_columns(a, b);
}
