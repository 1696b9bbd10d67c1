/*
 * Motion as BVH: the contract's skeleton as hierarchy, root position and three rotations a joint.
 *
 * Channels are Zrotation Xrotation Yrotation in degrees, so a joint's rotation is Rz Rx Ry; offsets are the
 * rest translations. Positions that a network predicts stretch its bones a little; BVH cannot, so what is
 * read back is forward kinematics of the rotations.
 */
#ifndef GALI_CLI_BVH_H
#define GALI_CLI_BVH_H

#include "contract/contract.h"

/* poses: [frames][joints], world. */
gal_status gali_bvh_write(const char *path, const gali_contract *contract, const gal_transform *poses,
                          uint32_t frames, gal_error *error);

#endif
