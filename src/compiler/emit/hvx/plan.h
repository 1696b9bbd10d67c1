/*
 * How a region runs: its tensors as images in the workspace, in layouts that are chosen for all of them, and steps that make one image
 * of others.
 */
#ifndef GALI_COMPILER_EMIT_HVX_PLAN_H
#define GALI_COMPILER_EMIT_HVX_PLAN_H

#include "compiler/emit/hvx/region.h"

/* A tensor in a layout; or flat, or a frame of one, or what a step needs besides. */
typedef struct gali_hvx_image {
    gali_hvx_form form;
    uint32_t groups, lines, width, pitch; /* of the form; places of a line, and how far lines are apart */
    uint32_t step;                        /* bytes from a group to the next */
    size_t bytes, at;
    uint32_t first, last; /* steps that it lives in */
} gali_hvx_image;

typedef enum gali_hvx_step_kind {
    GALI_HVX_STEP_ENTER, /* `to` of the region's input `port` */
    GALI_HVX_STEP_LEAVE, /* output `port` of from[0] */
    GALI_HVX_STEP_JOIN,  /* into the layout of twice as many columns */
    GALI_HVX_STEP_PART,  /* of half as many */
    GALI_HVX_STEP_FRAME, /* of from[0], for the unit's window */
    GALI_HVX_STEP_LIST,  /* flat, of a picture in the layout of one column */
    GALI_HVX_STEP_RUN,   /* the unit, of from[]; extra: words and sums of flat ones */
} gali_hvx_step_kind;

typedef struct gali_hvx_step {
    gali_hvx_step_kind kind;
    uint32_t unit, port;         /* GALI_NONE where it has none */
    uint32_t from[2], to, extra; /* images; GALI_NONE: none */
} gali_hvx_step;

/* Planes of a frame (body/region.inc); behind: places that each has room for behind its lines. */
typedef struct gali_hvx_planes {
    uint32_t down, across, lines, pitch, behind;
} gali_hvx_planes;

typedef struct gali_hvx_plan {
    const gali_hvx_region *region;
    gali_hvx_image *images;
    gali_hvx_step *steps;
    uint32_t image_count, step_count;
    uint8_t *forms;  /* [units] */
    uint32_t *pitch; /* [units] of their results */
    size_t bytes;    /* of the workspace */
    int64_t cost;    /* packets, as estimated */
} gali_hvx_plan;

/* In the region's arena. choice: see gali_hvx_take_regions. Errors: GAL_NO_MEMORY, GAL_UNSUPPORTED (more units, ports or bytes than
 * a region has). */
gal_status gali_hvx_make_plan(const gali_hvx_region *region, gali_hvx_form choice, gali_hvx_plan *plan,
                              gal_error *error);

/* Whether the unit reads a frame of its first operand; its planes. */
int gali_hvx_has_frame(const gali_hvx_unit *unit);
gali_hvx_planes gali_hvx_planes_of(const gali_hvx_unit *unit);

/* Which unit of the region makes the value, or which of its inputs it is; GALI_NONE. */
uint32_t gali_hvx_maker(const gali_hvx_region *region, uint32_t value);

#endif
