/* Poses as a tree: who hangs on whom, and transforms relative to parents. What turns them is in body/skeleton.inc. */
#ifndef GALI_MOTION_SKELETON_H
#define GALI_MOTION_SKELETON_H

#include "contract/contract.h"

/* Whether joint k is j or below it. */
int gali_skeleton_is_below(const gali_contract *contract, uint32_t k, uint32_t j);

/* Whether joint j's turn may have inertia: not in a leg that hinges turn, for they twist no bone about itself. */
int gali_is_inert(const gali_contract *contract, uint32_t j);

/* local[J] from pose[J]: each joint in its parent's frame. */
void gali_skeleton_local(const gali_contract *contract, const gal_transform *pose, gal_transform *local);

#endif
