/*
 * Characters that are not evaluated in every frame.
 *
 * An evaluation may stand for several frames: the state goes on by frames - 1 as it last went (body/bridge.inc), then by one
 * of the network's. So it is ahead of what the caller sees, which goes there frame by frame, linearly in the world: a foot
 * that is held at both ends stays still between them, and nothing jumps. A foot whose way would go through the ground, the edge
 * of a step, goes over it in an arc, and its leg bends for it. Where the caller sees the root is in the path, as
 * many samples before now as there are frames left.
 */
#ifndef GALI_MOTION_BRIDGE_H
#define GALI_MOTION_BRIDGE_H

#include "motion/phases.h"

/* After an evaluation for several frames, before the first of them is seen: how high each foot is to go on its way. */
void gali_bridge_start(const gali_lanes *lanes, uint32_t lane);

/* What the caller sees goes a frame on to the pose of the last evaluation, from which it is `left` frames, at least 1. */
void gali_bridge_pose(const gali_lanes *lanes, uint32_t lane, uint32_t left);

/* Contact i as the caller sees it, while it sees what leads to the last evaluation: none that one of its ends has not. */
float gali_bridge_contact(const gali_lanes *lanes, uint32_t lane, uint32_t i);

#endif
