/*
 * Characters that are not evaluated in every frame.
 *
 * An evaluation may stand for several frames: the state goes on by frames - 1 as it last went (body/bridge.inc), then by one
 * of the network's. So it is ahead of what the caller sees, which goes there frame by frame, joint by joint in the world. Each
 * goes on as it went, by the two poses that were seen last, and its motion changes as little as it can: nothing jumps. A foot
 * that is held at both ends stays still between them. One whose way would go through the ground, the edge of a step, goes over
 * that in an arc, before which it may wait, and its leg bends for it; that may still be up when the next evaluation is due, so
 * what is seen last is not always its pose, but the bridge's. Where the caller sees the root is in the path, as many samples before
 * now as there are frames left.
 */
#ifndef GALI_MOTION_BRIDGE_H
#define GALI_MOTION_BRIDGE_H

#include "motion/phases.h"

/*
 * After an evaluation for several frames, before the first of them is seen: which way each foot is to go. Here and below the
 * bridge's place holds the pose that was seen one frame before the last; what is seen next overwrites it.
 */
void gali_bridge_start(const gali_lanes *lanes, uint32_t lane);

/* What the caller sees goes a frame on to the pose of the last evaluation, from which it is `left` frames, at least 1. */
void gali_bridge_pose(const gali_lanes *lanes, uint32_t lane, uint32_t left);

/* After the last of those frames: an arc may still be up. */
void gali_bridge_end(const gali_lanes *lanes, uint32_t lane);

/* After an evaluation for one frame: what is left of arcs is over its pose, until feet are down. */
void gali_bridge_land(const gali_lanes *lanes, uint32_t lane);

/* Contact i as the caller sees it, while it sees what leads to the last evaluation: none that one of its ends has not. */
float gali_bridge_contact(const gali_lanes *lanes, uint32_t lane, uint32_t i);

#endif
