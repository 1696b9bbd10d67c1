/*
 * Values of a controller's graph as rows: each is an element or a row of elements for every character, f32[characters] or
 * f32[characters, 256].
 */
#ifndef GALI_COMPILER_ROW_H
#define GALI_COMPILER_ROW_H

#include "graph/graph.h"

enum { GALI_ROW_UNIT = 16 }; /* rows that are stored take whole numbers of so many floats */

/* Whether a node moves nothing: Slice and Reshape only say where in a row their readers find what they read. */
int gali_row_is_place(const gali_node *node);

/* Where a value's rows stand: in those of another value, from `first` on, if the nodes between move nothing. */
typedef struct gali_row_place {
    uint32_t value, first;
} gali_row_place;

gali_row_place gali_row_place_of(const gali_graph *graph, uint32_t value);

/* Elements of a character's row of a value. */
uint32_t gali_row_width(const gali_graph *graph, uint32_t value);

/* How many operands, of nodes of any group, the value is; an output counts as one. */
uint32_t gali_value_uses(const gali_graph *graph, uint32_t value);

#endif
