#include "show/hills.h"

#include <math.h>

/* Length in metres, direction and start in radians, and share of the steepness; the shares add up to 1. */
static const struct wave {
    float length, direction, start, share;
} waves[] = {
    {17.0f, 0.6f, 0.4f, 0.38f}, {11.3f, 2.5f, 2.1f, 0.32f}, {6.7f, 4.4f, 5.0f, 0.2f}, {3.9f, 1.5f, 1.2f, 0.1f}};

float gali_hills_ground(void *hills, float x, float z) {
    const gali_hills *self = hills;
    float height = 0;
    for (unsigned i = 0; i < sizeof waves / sizeof waves[0]; i++) {
        float k = 6.2831853f / waves[i].length;
        float along = (x * cosf(waves[i].direction) + z * sinf(waves[i].direction)) * self->unit;
        height += waves[i].share / k * sinf(k * along + waves[i].start);
    }
    return height * self->steepest / self->unit;
}
