/* Recognised layers as a model: lists of layers in order, their sources, and their weights. */
#ifndef GALI_RECOGNISE_DRAFT_H
#define GALI_RECOGNISE_DRAFT_H

#include "recognise/recognise.h"

/* One of the two lists of layers, and where its rows' elements are. */
typedef struct gali_draft_list {
    uint32_t count;
    gali_part parts[GALI_LAYERS_MAX]; /* in order, their slices filled */
    int *value_of_part;               /* [parts of the network] 1 + place in the list, or GALI_ABSENT */
    uint32_t feature_count;           /* of value 0 */
    uint32_t *features;               /* [feature_count] elements of x */
    uint32_t *element;                /* [width of x] the inverse of that */
} gali_draft_list;

typedef struct gali_draft {
    gali_recognised *network;
    gali_draft_list main, gating;
    gali_model model; /* counts, sources and features; no weights */
} gali_draft;

/* Lays the model out. 0 if it failed. */
int gali_draft_make(gali_draft *draft, gali_recognised *network);

/* weights.c: writes weights, biases and normalisation to where `placed` has them. 0 if it failed. */
int gali_draft_fill(gali_draft *draft, const gali_model *placed);

/* ---- for weights.c alone ---- */

/* Fails at the part's place; returns 0. */
int gali_draft_fail(const gali_draft *draft, const gali_part *part, const char *why);

const gali_leaf *gali_draft_leaf(const gali_draft *draft, const gali_factor *factor);

/* Whether a factor reads what blends the experts. */
int gali_draft_is_blend(const gali_draft *draft, const gali_factor *factor);

#endif
