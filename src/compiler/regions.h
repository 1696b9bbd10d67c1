/* Parts of a graph that a target computes with functions of its own, not by the passes. */
#ifndef GALI_COMPILER_REGIONS_H
#define GALI_COMPILER_REGIONS_H

#include "compiler/target.h"
#include "graph/graph.h"
#include "graph/text.h"

/*
 * Puts a node `region` in the place of each part of an inferred graph, not rewritten yet, that the target (NULL: any) has something
 * for, and appends their functions to *functions, which gali_emit_program wants. Errors: those of the target; GAL_NO_MEMORY.
 */
gal_status gali_regions_take(const gali_target *target, gali_graph *graph, gali_text *functions,
                             gal_error *error);

#endif
