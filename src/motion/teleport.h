/* A character put elsewhere as it is: all of its state that is in world space, turned and shifted as one body. */
#ifndef GALI_MOTION_TELEPORT_H
#define GALI_MOTION_TELEPORT_H

#include "motion/phases.h"

/*
 * The root of `left` frames ago goes to x, z (finite) and faces `facing`; heights change by the ground's between there and
 * where it was.
 */
void gali_teleport(const gali_lanes *lanes, uint32_t lane, uint32_t left, float x, float z, float facing);

#endif
