/*
 * The frame of some characters of a bank, or the frames that their evaluation stands for (bridge.h), in the two halves
 * around the network's run: which phases, in which order. gali_lanes (phases.h) says which characters, and where their
 * features and outputs are.
 */
#ifndef GALI_MOTION_STEP_H
#define GALI_MOTION_STEP_H

#include "motion/phases.h"

/* Path from the input, then features into x. The state's `frames` says for how many frames. */
void gali_step_before(const gali_phases *phases, const gali_lanes *lanes);

/*
 * Pose, feet and root from y; the pose before is kept. Returns the bits of the lanes whose state left the range of
 * state.h, so that the character was set back to rest where it last stood. lanes->lost is not used.
 */
uint32_t gali_step_after(const gali_phases *phases, const gali_lanes *lanes);

/* Where and how a character is put. */
typedef struct gali_start {
    float x, z;
    gali_vec2 facing;
    float phase; /* radians */
} gali_start;

/*
 * Puts a character at rest at a point: the contract's mean pose, nothing wanted. The whole state is new, but for input and
 * foot_lock, and in range whatever the arguments: beyond GAL_PLACE_MOST it stands there.
 */
void gali_step_reset(const gali_phases *phases, const gali_lanes *lanes, uint32_t lane, gali_start at);

/* Locks nothing; the ground under the feet is that under the shown pose's. */
void gali_step_free_feet(const gali_lanes *lanes, uint32_t lane);

#endif
