#include "show/capsules.h"

#include <stdlib.h>

#include "base/error.h"
#include "space.h"

enum {
    SIDES = 12,
    CAP_RINGS = 4, /* of a cap, from its pole to its equator */
    RINGS = 2 * CAP_RINGS,
    VERTICES = RINGS * SIDES,
    TRIANGLES = 2 * (RINGS - 1) * SIDES,
};

/* Of ring r on the cap that it belongs to: -pi/2 at the near pole, 0 at both equators. */
static float latitude(uint32_t r) {
    float step = GALI_PI / 2 / (CAP_RINGS - 1);
    return r < CAP_RINGS ? step * (float)r - GALI_PI / 2 : step * (float)(r - CAP_RINGS);
}

/* Unit directions across `along`, so that u x v is along. */
static void find_across(gal_vec3 along, gal_vec3 *u, gal_vec3 *v) {
    gal_vec3 other = fabsf(along.y) < 0.9f ? (gal_vec3){0, 1, 0} : (gal_vec3){1, 0, 0};
    *u = gali_vec3_unit(gali_vec3_cross(other, along), (gal_vec3){1, 0, 0});
    *v = gali_vec3_cross(along, *u);
}

static void place_vertices(gali_capsules *out, const gali_figure *figure, const gali_limb *limb,
                           const gal_transform *pose) {
    gal_vec3 ends[2], u, v;
    gali_figure_ends(figure, limb, pose, 0, &ends[0], &ends[1]);
    gal_vec3 along = gali_vec3_unit(gali_vec3_sub(ends[1], ends[0]), (gal_vec3){0, 1, 0});
    find_across(along, &u, &v);
    for (uint32_t r = 0; r < RINGS; r++) {
        int far = r >= CAP_RINGS;
        float wide = cosf(latitude(r)), radius = far ? limb->radius_to : limb->radius_from;
        for (uint32_t s = 0; s < SIDES; s++) {
            float turn = 2 * GALI_PI * (float)s / (float)SIDES;
            gal_vec3 side = gali_vec3_add(gali_vec3_scale(u, cosf(turn)), gali_vec3_scale(v, sinf(turn)));
            gal_vec3 normal =
                gali_vec3_add(gali_vec3_scale(side, wide), gali_vec3_scale(along, sinf(latitude(r))));
            uint32_t at = out->vertex_count++;
            out->normal[at] = gali_vec3_unit(normal, along);
            out->position[at] = gali_vec3_add(gali_vec3_scale(ends[far], figure->unit),
                                              gali_vec3_scale(out->normal[at], radius));
            out->joints[at][0] = (uint16_t)(limb->from >= 1 ? limb->b[0] : limb->a[0]);
            out->weights[at][0] = 1;
        }
    }
}

/* Two triangles between neighbours of a ring and of the next; first is the capsule's first vertex. */
static void place_corners(gali_capsules *out, uint32_t first) {
    for (uint32_t i = 0; i < (RINGS - 1) * SIDES; i++) {
        uint32_t here = first + i / SIDES * SIDES, side = i % SIDES, next = (side + 1) % SIDES;
        uint32_t above = here + SIDES;
        const uint32_t corners[6] = {here + side, here + next,  above + side,
                                     here + next, above + next, above + side};
        for (int k = 0; k < 6; k++) {
            out->corners[out->corner_count++] = corners[k];
        }
    }
}

gal_status gali_capsules_make(gali_capsules *out, const gali_figure *figure, gali_limb_part part,
                              const gal_transform *pose, gal_error *error) {
    size_t vertices = (size_t)GALI_LIMBS_MAX * VERTICES;
    *out = (gali_capsules){.position = calloc(vertices, sizeof *out->position),
                           .normal = calloc(vertices, sizeof *out->normal),
                           .joints = calloc(vertices, sizeof *out->joints),
                           .weights = calloc(vertices, sizeof *out->weights),
                           .corners = calloc((size_t)GALI_LIMBS_MAX * TRIANGLES * 3, sizeof *out->corners)};
    if (!out->position || !out->normal || !out->joints || !out->weights || !out->corners) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a body");
    }
    for (uint32_t i = 0; i < figure->limb_count; i++) {
        if (figure->limbs[i].part == part) {
            place_corners(out, out->vertex_count);
            place_vertices(out, figure, &figure->limbs[i], pose);
        }
    }
    return GAL_OK;
}

void gali_capsules_release(gali_capsules *capsules) {
    free(capsules->position);
    free(capsules->normal);
    free(capsules->joints);
    free(capsules->weights);
    free(capsules->corners);
    *capsules = (gali_capsules){0};
}
