/*
 * Regions: units of a graph that run one behind another, without anything of another kind between them, as one node `region`, whose
 * body is what they stand for. Its function is C with HVX intrinsics: forms are chosen for the whole of it (select.h), and layouts
 * change where they differ.
 */
#ifndef GALI_COMPILER_EMIT_HVX_REGION_H
#define GALI_COMPILER_EMIT_HVX_REGION_H

#include "compiler/emit/hvx/unit.h"
#include "graph/text.h"

typedef struct gali_hvx_region {
    uint32_t unit_count, given_count, made_count;
    gali_hvx_unit *units;   /* each behind those that it reads */
    uint32_t *given, *made; /* values of the graph: that units read and none makes, that others read */
    gali_arena *arena;
} gali_hvx_region;

/*
 * Puts a node in the place of each region of an inferred graph, and appends its function to *text: gali_one_hvx_<n>, with all that it
 * needs; nothing where there is none. choice: a form for all units that have it, to compare; GALI_HVX_FORMS: what is least.
 * Units that are too many for one, or have too many inputs, outputs or bytes, stay as they are. Errors: GAL_NO_MEMORY.
 */
gal_status gali_hvx_take_regions(gali_graph *graph, gali_hvx_form choice, gali_text *text, gal_error *error);

/* The first region, for tests; without units where there is none. */
gal_status gali_hvx_first_region(const gali_graph *graph, gali_hvx_region *region, gal_error *error);

/* plan.c, print.c: appends the region's function, of that number; *scratch becomes the bytes that it works in. */
gal_status gali_hvx_print_region(const gali_hvx_region *region, uint32_t number, gali_hvx_form choice,
                                 gali_text *text, size_t *scratch, gal_error *error);

#endif
