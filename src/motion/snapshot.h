/* What the list of a character's state (state.def) is used for beside the step. */
#ifndef GALI_MOTION_SNAPSHOT_H
#define GALI_MOTION_SNAPSHOT_H

#include "motion/controller.h"

/* Whether every number of a lane's state is within what a snapshot may hold. */
int gali_snapshot_is_in_range(const gali_bank *bank, const gal_controller *controller, uint32_t lane);

/* Makes the numbers that are out of range 0. */
void gali_snapshot_bound(gali_bank *bank, const gal_controller *controller, uint32_t lane);

/*
 * Whether the one's characters can go on as the other's: joints and gaits of the same names, the same knots of the predicted
 * path, and as much of all else.
 */
int gali_snapshot_fits(const gal_controller *one, const gal_controller *other);

#endif
