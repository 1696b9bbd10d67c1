/* Vectors and unit quaternions (x, y, z, w), the few operations that the commands need. */
#ifndef GALI_CLI_SPACE_H
#define GALI_CLI_SPACE_H

#include <math.h>

#include "gallop/crowd.h"

#define GALI_PI 3.14159265358979323846f

static inline gal_vec3 gali_vec3_add(gal_vec3 a, gal_vec3 b) {
    return (gal_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline gal_vec3 gali_vec3_sub(gal_vec3 a, gal_vec3 b) {
    return (gal_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline gal_vec3 gali_vec3_scale(gal_vec3 a, float s) {
    return (gal_vec3){a.x * s, a.y * s, a.z * s};
}

static inline float gali_vec3_dot(gal_vec3 a, gal_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline gal_vec3 gali_vec3_cross(gal_vec3 a, gal_vec3 b) {
    return (gal_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float gali_vec3_length(gal_vec3 a) {
    return sqrtf(gali_vec3_dot(a, a));
}

/* a, then b's frame: the rotation that turns by b first. */
static inline gal_quat gali_quat_mul(gal_quat a, gal_quat b) {
    return (gal_quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static inline gal_vec3 gali_quat_turn(gal_quat q, gal_vec3 v) {
    gal_vec3 axis = {q.x, q.y, q.z}, t = gali_vec3_scale(gali_vec3_cross(axis, v), 2);
    return gali_vec3_add(v, gali_vec3_add(gali_vec3_scale(t, q.w), gali_vec3_cross(axis, t)));
}

/* The rotation whose matrix has columns along a, and b as far as it is across a. */
static inline gal_quat gali_quat_of_columns(gal_vec3 a, gal_vec3 b) {
    gal_vec3 x = gali_vec3_scale(a, 1 / fmaxf(gali_vec3_length(a), 1e-12f));
    gal_vec3 y = gali_vec3_sub(b, gali_vec3_scale(x, gali_vec3_dot(x, b)));
    y = gali_vec3_scale(y, 1 / fmaxf(gali_vec3_length(y), 1e-12f));
    gal_vec3 z = gali_vec3_cross(x, y);
    /* Each squared component is a sum on the diagonal; the signs come from the differences beside it. */
    gal_quat q = {copysignf(sqrtf(fmaxf(1 + x.x - y.y - z.z, 0)) / 2, y.z - z.y),
                  copysignf(sqrtf(fmaxf(1 - x.x + y.y - z.z, 0)) / 2, z.x - x.z),
                  copysignf(sqrtf(fmaxf(1 - x.x - y.y + z.z, 0)) / 2, x.y - y.x),
                  sqrtf(fmaxf(1 + x.x + y.y + z.z, 0)) / 2};
    float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (gal_quat){q.x / length, q.y / length, q.z / length, q.w / length};
}

/* Turn by `angle` about +y: +z towards +x. */
static inline gal_quat gali_quat_yaw(float angle) {
    return (gal_quat){0, sinf(angle / 2), 0, cosf(angle / 2)};
}

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
