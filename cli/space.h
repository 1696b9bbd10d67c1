/* What the commands need of space beside the motion code's vectors. */
#ifndef GALI_CLI_SPACE_H
#define GALI_CLI_SPACE_H

#include "motion/vec.h"

#define GALI_PI 3.14159265358979323846f

/* A child's transform in the frame that its parent stands in. */
static inline gal_transform gali_transform_mul(gal_transform parent, gal_transform child) {
    return (gal_transform){gali_vec3_add(parent.position, gali_quat_turn(parent.rotation, child.position)),
                           gali_quat_mul(parent.rotation, child.rotation)};
}

/* angle in (-pi, pi]. */
static inline float gali_angle_wrap(float angle) {
    return angle - 2 * GALI_PI * ceilf(angle / (2 * GALI_PI) - 0.5f);
}

#endif
