/* The host's ground, as a step asks for it; flat at 0 where the function is NULL. */
#ifndef GALI_MOTION_GROUND_H
#define GALI_MOTION_GROUND_H

#include <math.h>

#include "gallop/crowd.h"

typedef struct gali_ground {
    gal_ground_fn height;
    void *context;
} gali_ground;

/* The steepest slope that is followed, rise over run; what is steeper is a wall or a step. */
#define GALI_STEEPEST 1.5f

/* Whether a coordinate is one that hosts may give; NaN is none. */
static inline int gali_is_place(float a) {
    return fabsf(a) <= GAL_PLACE_MOST;
}

/* Whether a height field is as crowd.h has it. */
static inline int gali_is_field(const gal_height_field *field) {
    return field && field->heights && field->rows >= 2 && field->columns >= 2 && field->cell > 0 &&
           isfinite(field->cell) && isfinite(field->origin_x) && isfinite(field->origin_z);
}

static inline float gali_ground_at(const gali_ground *ground, float x, float z) {
    float height = ground->height ? ground->height(ground->context, x, z) : 0;
    return gali_is_place(height) ? height : 0;
}

#endif
