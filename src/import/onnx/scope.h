/*
 * Names of a graph that is being read: what they are here, and in the graphs around a body. A body sees what is outside; constants
 * become its own, other values an input that the node will hand in.
 */
#ifndef GALI_IMPORT_ONNX_SCOPE_H
#define GALI_IMPORT_ONNX_SCOPE_H

#include "import/onnx/sequence.h"

struct gali_scope_entry;

/* A graph being filled, and the names in it. */
typedef struct gali_scope {
    struct gali_scope *outer; /* NULL: of the model */
    gali_graph *graph;
    gali_arena *arena;
    struct gali_scope_entry **buckets;
    uint32_t bucket_count;
    uint32_t capture_count, capture_capacity;
    uint32_t *captured, *inner; /* values of the outer graph, and of this one in their place */
    const gali_onnx_sequence *sequences;
} gali_scope;

/* names: about how many there will be. Returns 0 without memory, or where graph is NULL. */
int gali_scope_open(gali_scope *scope, gali_scope *outer, gali_graph *graph, gali_arena *arena, size_t names);

/* Returns 0 without memory, or where value is GALI_NONE. The name stays the caller's. */
int gali_scope_add(gali_scope *scope, const char *name, uint32_t value);

/* The value of that name in this graph alone; and here or outside. GALI_NONE: there is none, or no memory. */
uint32_t gali_scope_find_here(const gali_scope *scope, const char *name);
uint32_t gali_scope_find(gali_scope *scope, const char *name);

/* The sequence of that name, here or outside; NULL: none has it. */
const gali_onnx_sequence *gali_scope_find_sequence(const gali_scope *scope, const char *name);

#endif
