/*
 * How a skeleton is drawn: one tapered capsule for each bone, a head, and for four legs a trunk.
 *
 * Thickness follows what a bone carries: the radius at a joint grows with the length of all bones below it,
 * as the branches of a tree do, so that thighs come out thicker than shins on any skeleton. Lengths are
 * metres.
 */
#ifndef GALI_CLI_FIGURE_H
#define GALI_CLI_FIGURE_H

#include "contract/contract.h"

enum { GALI_LIMBS_MAX = GALI_JOINTS_MAX + 4 };

typedef enum gali_limb_part { GALI_LIMB_BODY, GALI_LIMB_HEAD, GALI_LIMB_VISOR } gali_limb_part;

/*
 * From A + from * (B - A) to A + to * (B - A), where A lies midway between the joints a[0] and a[1], and B
 * between b[0] and b[1]. A visor instead is a bar across the face, `forward` in front of its end.
 */
typedef struct gali_limb {
    uint32_t a[2], b[2];
    float from, to;
    float radius_from, radius_to;
    int side; /* 1 left, -1 right, 0 middle */
    gali_limb_part part;
    float forward, half; /* of a visor */
} gali_limb;

typedef struct gali_figure {
    float tall; /* height of the skeleton at rest */
    float deep; /* its extent from back to front */
    float unit; /* metres in a unit of length of the poses */
    uint32_t limb_count;
    gali_limb limbs[GALI_LIMBS_MAX];
} gali_figure;

/* pose (world, NULL allowed) is measured where the skeleton has no lengths of its own. */
void gali_figure_build(gali_figure *figure, const gali_contract *contract, const gal_transform *pose);

/* A limb's ends in a pose (units of the poses), drawn for a character that faces `facing`. */
void gali_figure_ends(const gali_figure *figure, const gali_limb *limb, const gal_transform *pose, float facing,
                      gal_vec3 *from, gal_vec3 *to);

#endif
