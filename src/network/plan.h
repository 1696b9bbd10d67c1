/*
 * The plan: how each layer of a network runs on one kernel table. Data, printed and parsed as text (docs/plan.md).
 *
 * Within the default form a plan never changes a bit of a result: it says how wide the packed panels are and how
 * many characters share a tile, and neither is visible in the order of the arithmetic (kernels.h). It does not
 * depend on the number of characters either.
 */
#ifndef GALI_NETWORK_PLAN_H
#define GALI_NETWORK_PLAN_H

#include "gallop/network.h"
#include "kernels/kernels.h"
#include "network/layer.h"
#include "network/precision.h"

typedef struct gali_plan_layer {
    gali_layer_kind kind; /* without panels there is nothing to choose, and what follows the shape is 0 */
    uint32_t inputs, outputs, experts; /* the shape, live inputs only: what the rest is chosen for */
    gali_precision precision;
    gal_form form;
    uint32_t vectors; /* of the widest panel: 1..GALI_PANEL_VECTORS_MAX */
    uint32_t rows;    /* characters in a tile of that width: 1..GALI_TILE_ROWS_MAX */
} gali_plan_layer;

typedef struct gali_plan {
    gal_isa isa; /* that both tables are for */
    const gali_kernels *kernels;
    const gali_narrow *narrow;
    uint32_t split;         /* from this many characters a thread on, threads take characters, else panels */
    uint32_t gating, count; /* layers of the gating network, which come first, and all layers */
    gali_plan_layer layers[GALI_GATING_LAYERS_MAX + GALI_LAYERS_MAX];
} gali_plan;

/* Characters that a tile of the layer's kernels has registers for. */
uint32_t gali_plan_rows(const gali_plan *plan, const gali_plan_layer *layer, uint32_t vectors);

/* Whether the layer's panels have patches: a sparse one of at least a patch's inputs, not in the
 * blend form; else it has its zeros. */
int gali_plan_is_sparse(const gali_plan_layer *layer);

/* Fills all but the shapes, kernels and counts, which are there, from the table; l2 in bytes. */
void gali_plan_choose(gali_plan *plan, gal_form form, size_t l2);

/*
 * Times the panel widths of a chosen plan on this machine and keeps each layer's best: about 20 ms for 9 MB of
 * weights, on pages as the desc asks for. GAL_NO_MEMORY, or the plan as it was where there is no clock.
 */
gal_status gali_plan_measure(gali_plan *plan, const gal_network_desc *desc, gal_error *error);

/*
 * Overwrites a chosen plan with a text of gali_plan_print. GAL_BAD_ARGUMENT, with the line, unless every line is
 * well formed and meant for these kernels, shapes and forms.
 */
gal_status gali_plan_parse(gali_plan *plan, const char *text, gal_error *error);

/* As snprintf: the length of the whole text, of which what fits is written and terminated. */
size_t gali_plan_print(const gali_plan *plan, char *buffer, size_t size);

#endif
