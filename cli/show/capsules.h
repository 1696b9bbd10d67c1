/*
 * A body of capsules on a figure: what gives a skeleton a skin in files for other programs.
 *
 * Every limb of the figure is a closed capsule that tapers from one radius to the other and hangs on one joint, the one
 * that turns it. Positions are in the world, in metres, of the pose that the body is made in; corners go
 * counter-clockwise as seen from outside, three a triangle.
 */
#ifndef GALI_CLI_CAPSULES_H
#define GALI_CLI_CAPSULES_H

#include "show/figure.h"

/* The capsules of one part. */
typedef struct gali_capsules {
    uint32_t vertex_count, corner_count;
    gal_vec3 *position, *normal; /* [vertex_count] */
    uint16_t (*joints)[4];       /* [vertex_count]: the joint, and three that weigh nothing */
    float (*weights)[4];         /* [vertex_count] */
    uint32_t *corners;           /* [corner_count] */
} gali_capsules;

/*
 * Capsules of the figure's limbs of that part, in a pose whose character faces +z. There may be none. Released with
 * gali_capsules_release also after a failure. GAL_NO_MEMORY.
 */
gal_status gali_capsules_make(gali_capsules *out, const gali_figure *figure, gali_limb_part part,
                              const gal_transform *pose, gal_error *error);

void gali_capsules_release(gali_capsules *capsules);

#endif
