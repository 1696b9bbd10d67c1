/*
 * Hinged skeletons: joints that turn about one axis each, a posture of the body over the root, feet and
 * local phases. The state is kept as the network is fed it (character.h, gali_hinged); the pose follows from
 * it by forward kinematics.
 */
#ifndef GALI_MOTION_HINGED_H
#define GALI_MOTION_HINGED_H

#include "motion/character.h"

/* The rest pose, at rest, feet where it puts them. */
void gali_hinged_reset(gali_hinged *hinged, const gali_contract *contract);

/* The features of one of the blocks about hinges, body, root motion, feet and leg phases into x. */
void gali_hinged_encode(const gali_hinged *hinged, const gali_contract *contract, gali_block_kind kind,
                        float *x);

/* Takes `share` of the changes, and rates, root motion and leg phases from y; the feet follow with gali_hinged_feet. */
void gali_hinged_decode(gali_hinged *hinged, const gal_controller *controller, const float *y, float share);

/* A frame without the network: angles and posture change by `share` of their rates, leg phases go on. */
void gali_hinged_bridge(gali_hinged *hinged, const gali_contract *contract, float share);

/* Moves angles and posture by `share` of the way to the rest pose: how a standing animal settles. */
void gali_hinged_settle(gali_hinged *hinged, const gali_contract *contract, float share);

/* pose[J] of the character from its hinges, standing at its root. */
void gali_hinged_pose(gali_character *character, const gali_contract *contract);

/* Feet from the pose: places in the root frame, and their world motion since `before` [legs], turned into it. */
void gali_hinged_feet(gali_character *character, const gali_contract *contract, const gal_vec3 *before);

#endif
