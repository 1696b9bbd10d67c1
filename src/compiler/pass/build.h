/* Building graphs without checking every step: the first failure sticks, later calls do nothing and return 0. */
#ifndef GALI_COMPILER_PASS_BUILD_H
#define GALI_COMPILER_PASS_BUILD_H

#include "base/compiler.h"
#include "graph/graph.h"

enum { GALI_BUILD_NAME_MAX = 31 }; /* bytes of a value's name: it is a name of C in what is emitted */

typedef struct gali_builder {
    gali_graph *graph;
    gal_status status;
    gal_error *error;
} gali_builder;

/* An empty graph, whose sizes are those of `like` unless that is NULL; the builder's status says whether there was memory. */
gali_builder gali_build_start(gali_arena *arena, const gali_graph *like, gal_error *error);

/* `count` zeroed elements of that size in the graph's arena; NULL after a failure. */
void *gali_build_take(gali_builder *b, size_t count, size_t size);

uint32_t gali_build_input(gali_builder *b, const char *name, const gali_type *type);

/* A constant of f32: the type's shape is of numbers; values become the graph's. */
GALI_PRINTF(4, 5)
uint32_t gali_build_floats(gali_builder *b, const gali_type *type, float *values, const char *format, ...);

/* A list of integers or truth values. */
GALI_PRINTF(5, 6)
uint32_t gali_build_list(gali_builder *b, gali_element element, uint32_t count, const uint32_t *values,
                         const char *format, ...);

/*
 * Adds the node; its results are made here, the first with this name, the second with "_expert" behind it. Returns the
 * first. node.result_count 0 is 1.
 */
GALI_PRINTF(3, 4) uint32_t gali_build_node(gali_builder *b, gali_node node, const char *format, ...);

/* The same of an operator without attributes, of one operand (second: GALI_NONE) or two. */
GALI_PRINTF(5, 6)
uint32_t gali_build(gali_builder *b, gali_op op, uint32_t first, uint32_t second, const char *format, ...);

/*
 * Copies node `index` of another graph, map[i] being where value i of that one is in this one: entries of its results, and
 * of constants that it is the first to use, are set. map is GALI_NONE where nothing is.
 */
void gali_build_copy(gali_builder *b, const gali_graph *from, uint32_t index, uint32_t *map);

/* A value that is mapped, or a constant, which is copied if it is not. */
uint32_t gali_build_mapped(gali_builder *b, const gali_graph *from, uint32_t value, uint32_t *map);

/* A map for copying `from`, whose inputs are copied. */
uint32_t *gali_build_map(gali_builder *b, const gali_graph *from);

/* Adds the outputs of `from`; returns the builder's status. */
gal_status gali_build_end(gali_builder *b, const gali_graph *from, uint32_t *map);

#endif
