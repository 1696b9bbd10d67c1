#include "axes.h"

#include <math.h>

gal_vec3 axes_place(gal_vec3 place, float metres) {
    return (gal_vec3){-place.x * metres, place.y * metres, -place.z * metres};
}

gal_vec3 axes_place_back(gal_vec3 place, float metres) {
    return axes_place(place, 1 / metres);
}

gal_quat axes_turn(gal_quat turn) {
    return (gal_quat){-turn.x, turn.y, -turn.z, turn.w};
}

gal_quat axes_multiply(gal_quat a, gal_quat b) {
    return (gal_quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

gal_quat axes_inverse(gal_quat q) {
    return (gal_quat){-q.x, -q.y, -q.z, q.w};
}

gal_vec3 axes_rotate(gal_quat q, gal_vec3 v) {
    gal_quat turned = axes_multiply(axes_multiply(q, (gal_quat){v.x, v.y, v.z, 0}), axes_inverse(q));
    return (gal_vec3){turned.x, turned.y, turned.z};
}

static gal_vec3 column(const godot_transform *transform, int c) {
    gal_vec3 v = {transform->rows[0][c], transform->rows[1][c], transform->rows[2][c]};
    float length = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
    return length > 0 ? (gal_vec3){v.x / length, v.y / length, v.z / length} : v;
}

/* Of a rotation matrix by its largest diagonal sum (Shepperd 1978). */
gal_quat axes_rotation_of(const godot_transform *transform) {
    gal_vec3 x = column(transform, 0), y = column(transform, 1), z = column(transform, 2);
    float four[4] = {1 + x.x - y.y - z.z, 1 - x.x + y.y - z.z, 1 - x.x - y.y + z.z, 1 + x.x + y.y + z.z};
    int most = 0;
    for (int i = 1; i < 4; i++) {
        most = four[i] > four[most] ? i : most;
    }
    float s = 0.5f / sqrtf(four[most]), own = s * four[most];
    gal_quat candidates[4] = {{own, s * (y.x + x.y), s * (z.x + x.z), s * (y.z - z.y)},
                              {s * (y.x + x.y), own, s * (z.y + y.z), s * (z.x - x.z)},
                              {s * (z.x + x.z), s * (z.y + y.z), own, s * (x.y - y.x)},
                              {s * (y.z - z.y), s * (z.x - x.z), s * (x.y - y.x), own}};
    return candidates[most];
}

godot_transform axes_transform(gal_quat rotation, gal_vec3 origin) {
    godot_transform out = {.origin = origin};
    const gal_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int c = 0; c < 3; c++) {
        gal_vec3 turned = axes_rotate(rotation, unit[c]);
        out.rows[0][c] = turned.x;
        out.rows[1][c] = turned.y;
        out.rows[2][c] = turned.z;
    }
    return out;
}
