/* One character's frame, or character->frames of them at once (bridge.h), in the two halves around the network's run. */
#ifndef GALI_MOTION_STEP_H
#define GALI_MOTION_STEP_H

#include "motion/character.h"

/*
 * Puts the character at rest at a point: the contract's mean pose, nothing wanted. The whole state is new, but for input and
 * foot_lock, and in range whatever the arguments: beyond GAL_PLACE_MOST it stands there.
 */
void gali_step_reset(gali_character *character, const gal_controller *controller, const gali_ground *ground,
                     float x, float z, float facing, float phase);

/* Trajectory from the input, then features into x[inputs]. */
void gali_step_before(gali_character *character, const gal_controller *controller, const gali_ground *ground,
                      float *x);

/*
 * Pose, feet and root from y[outputs]. Returns 0 if the state left the range of snapshot.h, so that the character was
 * set back to rest where it last stood.
 */
int gali_step_after(gali_character *character, const gal_controller *controller, const gali_ground *ground,
                    const float *y);

#endif
