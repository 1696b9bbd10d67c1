#include "motion/vec.h"

/* Shepperd's method: divide by the largest of the four, so that nothing cancels. */
static gal_quat from_matrix(gal_vec3 x, gal_vec3 y, gal_vec3 z) {
    float trace = x.x + y.y + z.z;
    if (trace > 0) {
        return (gal_quat){y.z - z.y, z.x - x.z, x.y - y.x, 1 + trace};
    }
    if (x.x >= y.y && x.x >= z.z) {
        return (gal_quat){1 + x.x - y.y - z.z, x.y + y.x, z.x + x.z, y.z - z.y};
    }
    if (y.y >= z.z) {
        return (gal_quat){x.y + y.x, 1 + y.y - x.x - z.z, y.z + z.y, z.x - x.z};
    }
    return (gal_quat){z.x + x.z, y.z + z.y, 1 + z.z - x.x - y.y, x.y - y.x};
}

gal_quat gali_quat_from_columns(gal_vec3 first, gal_vec3 second) {
    gal_vec3 x = gali_vec3_unit(first, (gal_vec3){1, 0, 0});
    gal_vec3 across = gali_vec3_sub(second, gali_vec3_scale(x, gali_vec3_dot(x, second)));
    gal_vec3 spare = fabsf(x.y) < 0.9f ? (gal_vec3){0, 1, 0} : (gal_vec3){0, 0, 1};
    gal_vec3 y = gali_vec3_unit(across, gali_vec3_unit(gali_vec3_cross(x, spare), spare));
    return gali_quat_unit(from_matrix(x, y, gali_vec3_cross(x, y)));
}
