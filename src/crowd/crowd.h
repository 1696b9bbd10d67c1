/* What tests and tools may see of a crowd beyond the public API. */
#ifndef GALI_CROWD_CROWD_H
#define GALI_CROWD_CROWD_H

#include "gallop/crowd.h"

/*
 * World joint positions [J] that the network will see next frame as the last ones (rules.joint_smooth mixes
 * them; the pose does not), written to out. GAL_NOT_FOUND.
 */
gal_status gali_crowd_fed_back(const gal_crowd *crowd, gal_character character, gal_vec3 *out);

/* Its memory blocks in the order of the inputs, [contract's memory_count] written to out. GAL_NOT_FOUND. */
gal_status gali_crowd_memory(const gal_crowd *crowd, gal_character character, float *out);

#endif
