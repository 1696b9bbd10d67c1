/*
 * Inside a run: a range of characters on its way through the layers. run.c makes ranges and splits them over threads,
 * blend.c fills their blends, feed.c their layers' inputs, run_layer.c runs a layer, run_narrow.c one of reduced precision.
 */
#ifndef GALI_NETWORK_RANGE_H
#define GALI_NETWORK_RANGE_H

#include "network/workspace.h"

typedef struct gali_range {
    const gal_network *network;
    const gal_network_batch *batch;
    gali_workspace parts; /* of this range alone */
    uint32_t first, count;
    uint32_t start[GALI_EXPERTS_MAX + 1]; /* rows of expert e: [start[e], start[e + 1]) */
} gali_range;

/* A row per character: row c is at + c * stride. */
typedef struct gali_rows_at {
    float *at;
    size_t stride;
} gali_rows_at;

/* What layer `layer` reads, gathered or joined where that has to be; and what it writes. */
gali_rows_at gali_feed_input(const gali_range *r, uint32_t layer);
gali_rows_at gali_feed_output(const gali_range *r, uint32_t layer);

/* Fills the buffer of a list's value 0, if any layer needs it. */
void gali_feed_normalise(const gali_range *r, const gali_normal *normal);

/* Rows for layers without experts; must be there before any layer runs. */
void gali_blend_make_plain(gali_range *r);

/* Experts and coefficients of every character, sorted by expert; the gating network has run. */
void gali_blend_make(gali_range *r);

/* The one coefficient of a layer without experts. */
extern const float gali_blend_whole;

/* Whether the layer's panels are one kernel call each, all experts inside: every character uses all of them, and the
 * layer says that so many characters may (gali_pack_together). */
int gali_run_is_fused(const gali_range *r, const gali_packed_layer *layer);

/* gali_run_layer of reduced precision, but for a softmax. */
void gali_run_narrow(gali_range *r, uint32_t layer, const gal_parallel *parallel);

/* Runs a layer; parallel splits its panels, NULL runs them here. */
void gali_run_layer(gali_range *r, uint32_t layer, const gal_parallel *parallel);

#endif
