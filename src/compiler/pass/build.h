/* Building graphs without checking every step: the first failure sticks, later calls do nothing and return 0. */
#ifndef GALI_COMPILER_PASS_BUILD_H
#define GALI_COMPILER_PASS_BUILD_H

#include "base/compiler.h"
#include "compiler/net/net.h"

typedef struct gali_builder {
    gali_net *graph;
    gal_status status;
    gal_error *error;
} gali_builder;

/* A graph for the range of characters; the builder's status says whether there was memory. */
gali_builder gali_build_start(gali_arena *arena, uint32_t least, uint32_t most, gal_error *error);

/* Adds the node, named by a printf format. */
GALI_PRINTF(3, 4) uint32_t gali_build(gali_builder *b, gali_net_node node, const char *format, ...);

/* A constant; data lives as long as the arena (NULL: values not known). */
uint32_t gali_build_constant(gali_builder *b, gali_net_type type, const void *data, const char *name);

/* `count` elements of four bytes of the graph's arena; NULL after a failure. */
void *gali_build_values(gali_builder *b, size_t count);

/*
 * Copies node `index` of another graph with its operands mapped: map[i] is where node i of the other graph is in this
 * one. Names stay.
 */
uint32_t gali_build_copy(gali_builder *b, const gali_net *from, uint32_t index, const uint32_t *map);

#endif
