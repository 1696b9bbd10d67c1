/* A row of outputs as a pose: where its joints are and how they are turned, in the root frame. */
#ifndef GALI_CLI_POSE_ROW_H
#define GALI_CLI_POSE_ROW_H

#include "contract/contract.h"
#include "space.h"

/* Where the pose stands in y; NULL where the contract has none. */
typedef struct gali_pose_blocks {
    const gali_block *positions, *rotations;
} gali_pose_blocks;

gali_pose_blocks gali_pose_find(const gali_contract *contract);

/* Whether the joint ends a bone long enough to tell something; height is the skeleton's. */
int gali_pose_has_bone(const gali_contract *contract, uint32_t joint, float height);

/* Where a joint is; y is [outputs]. */
gal_vec3 gali_pose_position(const gali_pose_blocks *blocks, const float *y, uint32_t joint);

/* From the joint's parent to the joint, which has one. */
gal_vec3 gali_pose_bone(const gali_contract *contract, const gali_pose_blocks *blocks, const float *y,
                        uint32_t joint);

/* The joint's rotation; *valid is 0 where the features are no rotation. */
gal_quat gali_pose_rotation(const gali_pose_blocks *blocks, const float *y, uint32_t joint, int *valid);

#endif
