/* What tests and tools may see of a crowd beyond the public API. */
#ifndef GALI_MOTION_CROWD_H
#define GALI_MOTION_CROWD_H

#include "gallop/crowd.h"

/*
 * World joint positions [J] that the network will see next frame as the last ones (rules.joint_smooth mixes
 * them; the pose does not). NULL if there is no such character; valid like a pose.
 */
const gal_vec3 *gali_crowd_fed_back(const gal_crowd *crowd, gal_character character);

/* Its memory blocks in the order of the inputs, [contract's memory_count]; as above. */
const float *gali_crowd_memory(const gal_crowd *crowd, gal_character character);

#endif
