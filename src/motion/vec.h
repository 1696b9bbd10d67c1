/*
 * Vectors and quaternions of the motion code. A quaternion q turns v to q v q*; a * b turns by b first.
 * Facings are unit vectors on the ground, (x, z) = (sin a, cos a) for the angle a that turns +z towards +x.
 */
#ifndef GALI_MOTION_VEC_H
#define GALI_MOTION_VEC_H

#include <math.h>

#include "gallop/crowd.h"
#include "kernels/elementary.h"

#define GALI_TURN 6.28318530717958647692f /* a whole turn, radians */

/* A point or direction on the ground. */
typedef struct gali_vec2 {
    float x, z;
} gali_vec2;

static inline float gali_mix(float a, float b, float t) {
    return a + t * (b - a);
}

/* NaN becomes least. */
static inline float gali_clamp(float a, float least, float most) {
    return a > least ? (a < most ? a : most) : least;
}

static inline gal_vec3 gali_vec3_add(gal_vec3 a, gal_vec3 b) {
    return (gal_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline gal_vec3 gali_vec3_sub(gal_vec3 a, gal_vec3 b) {
    return (gal_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline gal_vec3 gali_vec3_scale(gal_vec3 a, float s) {
    return (gal_vec3){a.x * s, a.y * s, a.z * s};
}

static inline gal_vec3 gali_vec3_mix(gal_vec3 a, gal_vec3 b, float t) {
    return (gal_vec3){gali_mix(a.x, b.x, t), gali_mix(a.y, b.y, t), gali_mix(a.z, b.z, t)};
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

/* Unit length, or `otherwise` where a is too short to have a direction. */
static inline gal_vec3 gali_vec3_unit(gal_vec3 a, gal_vec3 otherwise) {
    float length = gali_vec3_length(a);
    return length > 1e-12f ? gali_vec3_scale(a, 1 / length) : otherwise;
}

static inline float gali_vec2_length(gali_vec2 a) {
    return sqrtf(a.x * a.x + a.z * a.z);
}

static inline gali_vec2 gali_vec2_unit(gali_vec2 a, gali_vec2 otherwise) {
    float length = gali_vec2_length(a);
    return length > 1e-12f ? (gali_vec2){a.x / length, a.z / length} : otherwise;
}

/* v from the frame that faces `facing` into the world, and back. */
static inline gali_vec2 gali_vec2_turn(gali_vec2 facing, gali_vec2 v) {
    return (gali_vec2){v.x * facing.z + v.z * facing.x, v.z * facing.z - v.x * facing.x};
}

static inline gali_vec2 gali_vec2_unturn(gali_vec2 facing, gali_vec2 v) {
    return (gali_vec2){v.x * facing.z - v.z * facing.x, v.z * facing.z + v.x * facing.x};
}

static inline gal_vec3 gali_vec3_turn(gali_vec2 facing, gal_vec3 v) {
    gali_vec2 flat = gali_vec2_turn(facing, (gali_vec2){v.x, v.z});
    return (gal_vec3){flat.x, v.y, flat.z};
}

static inline gal_vec3 gali_vec3_unturn(gali_vec2 facing, gal_vec3 v) {
    gali_vec2 flat = gali_vec2_unturn(facing, (gali_vec2){v.x, v.z});
    return (gal_vec3){flat.x, v.y, flat.z};
}

static inline gali_vec2 gali_facing_from_angle(float angle) {
    float along, side = gali_sin_cos(angle, &along);
    return (gali_vec2){side, along};
}

static inline float gali_facing_angle(gali_vec2 facing) {
    return gali_atan2(facing.x, facing.z);
}

static inline gal_quat gali_quat_mul(gal_quat a, gal_quat b) {
    return (gal_quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}

static inline gal_quat gali_quat_conjugate(gal_quat q) {
    return (gal_quat){-q.x, -q.y, -q.z, q.w};
}

static inline gal_quat gali_quat_unit(gal_quat q) {
    float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!(length > 1e-12f)) {
        return (gal_quat){0, 0, 0, 1};
    }
    return (gal_quat){q.x / length, q.y / length, q.z / length, q.w / length};
}

/* From a towards b by share t, the shorter way (the chord: for turns as small as a frame's). */
static inline gal_quat gali_quat_mix(gal_quat a, gal_quat b, float t) {
    float side = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0 ? -1.0f : 1.0f;
    return gali_quat_unit((gal_quat){gali_mix(a.x, side * b.x, t), gali_mix(a.y, side * b.y, t),
                                     gali_mix(a.z, side * b.z, t), gali_mix(a.w, side * b.w, t)});
}

static inline gal_vec3 gali_quat_turn(gal_quat q, gal_vec3 v) {
    gal_vec3 axis = {q.x, q.y, q.z};
    gal_vec3 t = gali_vec3_scale(gali_vec3_cross(axis, v), 2);
    return gali_vec3_add(gali_vec3_add(v, gali_vec3_scale(t, q.w)), gali_vec3_cross(axis, t));
}

/* The shortest turn that takes direction a to direction b (any lengths); none for opposite ones. */
static inline gal_quat gali_quat_between(gal_vec3 a, gal_vec3 b) {
    float scale = sqrtf(gali_vec3_dot(a, a) * gali_vec3_dot(b, b));
    gal_vec3 axis = gali_vec3_cross(a, b);
    return gali_quat_unit((gal_quat){axis.x, axis.y, axis.z, scale + gali_vec3_dot(a, b)});
}

/* About the y axis, from +z to the facing. */
static inline gal_quat gali_quat_from_facing(gali_vec2 facing) {
    float c, s = gali_sin_cos(0.5f * gali_facing_angle(facing), &c);
    return (gal_quat){0, s, 0, c};
}

/* About a unit axis. */
static inline gal_quat gali_quat_from_axis(gal_vec3 axis, float angle) {
    float c, s = gali_sin_cos(0.5f * angle, &c);
    return (gal_quat){axis.x * s, axis.y * s, axis.z * s, c};
}

/* Exponential map: half the rotation vector to a quaternion. */
static inline gal_quat gali_quat_exp(gal_vec3 half) {
    float angle = gali_vec3_length(half);
    float c, sine = gali_sin_cos(angle, &c), s = angle < 1e-6f ? 1 : sine / angle;
    return gali_quat_unit((gal_quat){half.x * s, half.y * s, half.z * s, c});
}

/* A transform in its parent's frame, from both in one frame. */
static inline gal_transform gali_transform_within(gal_transform parent, gal_transform child) {
    gal_quat back = gali_quat_conjugate(parent.rotation);
    gal_vec3 arm = gali_vec3_sub(child.position, parent.position);
    return (gal_transform){gali_quat_turn(back, arm), gali_quat_unit(gali_quat_mul(back, child.rotation))};
}

/* From the first two columns of a rotation matrix, made orthonormal (Gram-Schmidt; Zhou et al. 2019). */
gal_quat gali_quat_from_columns(gal_vec3 first, gal_vec3 second);

#endif
