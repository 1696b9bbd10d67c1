/* Poses as a tree: subtrees turned about a joint, transforms relative to parents. */
#ifndef GALI_MOTION_SKELETON_H
#define GALI_MOTION_SKELETON_H

#include "motion/character.h"

/* Whether joint k is j or below it. */
int gali_skeleton_is_below(const gali_contract *contract, uint32_t k, uint32_t j);

/* Turns joint j and all below it about j's own place. */
void gali_skeleton_turn(const gali_contract *contract, gal_transform *pose, uint32_t j, gal_quat by);

/* Moves joint j and all below it. */
void gali_skeleton_move(const gali_contract *contract, gal_transform *pose, uint32_t j, gal_vec3 by);

/*
 * Bends the chain hip - knee - heel so that the heel comes to target, or as near as the leg reaches; the
 * heel keeps its orientation. The knee bends in the plane it bends in now; side (unit) is the bending axis
 * of a leg that is straight.
 */
void gali_skeleton_reach(const gali_contract *contract, gal_transform *pose, const gali_leg *leg,
                         gal_vec3 target, gal_vec3 side);

/*
 * Bends the leg and turns its heel so that the toe comes to `toe` and the heel to toe - sole, or as near as the
 * leg reaches; sole is as long as the bones from heel to toe. side as above.
 */
void gali_skeleton_place_foot(const gali_contract *contract, gal_transform *pose, const gali_leg *leg,
                              gal_vec3 toe, gal_vec3 sole, gal_vec3 side);

/* local[J] from pose[J]: each joint in its parent's frame. */
void gali_skeleton_local(const gali_contract *contract, const gal_transform *pose, gal_transform *local);

#endif
