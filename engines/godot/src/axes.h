/*
 * Between Gallop's space and Godot's: both right-handed and y up, half a turn about y apart (docs/game.md), Godot's in
 * metres. Transforms as Godot lays them out where real_t is float, which is how its official builds are made.
 */
#ifndef GALLOP_GODOT_AXES_H
#define GALLOP_GODOT_AXES_H

#include <gallop/crowd.h>

/* Transform3D: three rows of a rotation (and scale), then the origin. */
typedef struct godot_transform {
    float rows[3][3];
    gal_vec3 origin;
} godot_transform;

gal_vec3 axes_place(gal_vec3 place, float metres);
gal_vec3 axes_place_back(gal_vec3 place, float metres);
gal_quat axes_turn(gal_quat turn);

gal_quat axes_multiply(gal_quat a, gal_quat b);
gal_quat axes_inverse(gal_quat q);
gal_vec3 axes_rotate(gal_quat q, gal_vec3 v);

/* The rotation of a transform, whose scale is left out. */
gal_quat axes_rotation_of(const godot_transform *transform);
godot_transform axes_transform(gal_quat rotation, gal_vec3 origin);

#endif
