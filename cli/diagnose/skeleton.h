/* Which joint stands at which place of recorded poses, told by the bones alone. */
#ifndef GALI_CLI_DIAGNOSE_SKELETON_H
#define GALI_CLI_DIAGNOSE_SKELETON_H

#include "case.h"

/*
 * at[place] = joint of the contract: from a place for the first joint on, each joint is the place that is nearest
 * to where its parent's rotation and its rest offset put it (without rotations: at its distance); the first joint
 * for which this fits best wins. 0 if the outputs have no positions or there is no memory.
 */
int gali_skeleton_match(const gali_case *self, const gali_reading *reading, uint32_t *at);

#endif
