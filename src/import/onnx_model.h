/* Recognised layers as a model: lists of layers in order, their sources, and their weights. */
#ifndef GALI_IMPORT_ONNX_MODEL_H
#define GALI_IMPORT_ONNX_MODEL_H

#include "import/onnx_recognise.h"

/* One of the two lists of layers, and where its rows' elements are. */
typedef struct gali_onnx_list {
    uint32_t count;
    gali_onnx_part parts[GALI_LAYERS_MAX]; /* in order, their slices filled */
    int *value_of_part;                    /* [parts of the network] 1 + place in the list, or GALI_ONNX_NONE */
    uint32_t feature_count;                /* of value 0 */
    uint32_t *features;                    /* [feature_count] elements of x */
    uint32_t *element;                     /* [width of x] the inverse of that */
} gali_onnx_list;

typedef struct gali_onnx_plan {
    gali_onnx_network *network;
    gali_onnx_list main, gating;
    gali_model model; /* counts, sources and features; no weights */
} gali_onnx_plan;

/* Lays the model out. 0 if it failed. */
int gali_onnx_plan_make(gali_onnx_plan *plan, gali_onnx_network *network);

/* onnx_weights.c: writes weights, biases and normalisation to where `placed` has them. 0 if it failed. */
int gali_onnx_plan_fill(gali_onnx_plan *plan, const gali_model *placed);

/* ---- for onnx_weights.c alone ---- */

/* Fails at the part's place; returns 0. */
int gali_onnx_plan_fail(const gali_onnx_plan *plan, const gali_onnx_part *part, const char *why);

const gali_onnx_leaf *gali_onnx_plan_leaf(const gali_onnx_plan *plan, const gali_onnx_factor *factor);

/* Whether a factor reads what blends the experts. */
int gali_onnx_plan_is_blend(const gali_onnx_plan *plan, const gali_onnx_factor *factor);

#endif
