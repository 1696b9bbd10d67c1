/*
 * A compilation under way: what is asked for, the graph that the passes change, which of its nodes run together and how,
 * and the text that comes of it. Passes (pass/pass.h) fill it one after the other, emit/ writes its parts; neither needs
 * the other's header.
 */
#ifndef GALI_COMPILER_COMPILATION_H
#define GALI_COMPILER_COMPILATION_H

#include "compiler/row.h"
#include "compiler/schedule/schedule.h"
#include "compiler/target.h"
#include "gallop/compiler.h"
#include "graph/graph.h"
#include "network/model.h"

enum {
    GALI_CHARACTERS_DEFAULT = 64, /* of a range that nobody gave, the most */
    GALI_LAYER_NAME_MAX = 15,     /* bytes of a layer's name */
};

enum { GALI_SCHEDULES_MAX = 128, GALI_VERSIONS_MAX = 12, GALI_RANGES_MAX = 64 };

/* How a dense layer runs for some counts of characters, all within dense.least to dense.most. */
typedef struct gali_layer_version {
    gali_dense dense;
    gali_schedule schedule;
    int logged; /* found by a search, not written by rules */
} gali_layer_version;

/* The version for the counts from behind the range before up to `most`. */
typedef struct gali_layer_range {
    uint32_t most, version;
} gali_layer_range;

/* All versions of a layer, which read one layout of its weights, and which runs for which counts: ranges rise and cover
 * the graph's. */
typedef struct gali_layer_schedule {
    gali_dense dense; /* without its range */
    int patched;      /* a sparse layer, which lies in patches and has no versions (emit/patches.c) */
    int logged;       /* the log has records of it: its versions are what they say, be it the written ones */
    uint32_t version_count, range_count;
    gali_layer_version versions[GALI_VERSIONS_MAX];
    gali_layer_range ranges[GALI_RANGES_MAX];
} gali_layer_schedule;

/* How a layer that is not patched runs for a count of characters of the compilation's range. */
const gali_layer_version *gali_layer_version_of(const gali_layer_schedule *layer, uint32_t characters);

typedef enum gali_group_kind {
    GALI_GROUP_LAYER,  /* a dense layer, blended or not, and its activation: scheduled loops */
    GALI_GROUP_ROWS,   /* operators on single elements, inlined into one another: a loop over each row */
    GALI_GROUP_KERNEL, /* one operator: a call for each row of what computes it in the runtime, too */
} gali_group_kind;

/* Nodes that run together. Only what the last of them makes is stored; what it stands for is made within. */
typedef struct gali_group {
    gali_group_kind kind;
    uint32_t first, last; /* of a layer its own node and, with an activation, that; else both the last node */
    uint32_t nodes;       /* how many */
    gali_layer_schedule *schedule; /* of a layer, set by `schedule` */
} gali_group;

typedef struct gali_compilation {
    gali_arena arena;
    gali_model model; /* points into the caller's bytes */
    const gali_target *target;
    const char *name; /* lower case prefix of what is emitted */
    gal_form form;
    uint32_t least, most;
    const struct gali_log *log; /* tuned schedules; NULL: none */
    const char *log_path;       /* for messages */
    int plain_loops, weights_blob;
    gali_graph *graph; /* NULL before import */
    uint32_t group_count;
    gali_group *groups; /* in the order in which they run; NULL before fuse */
    uint32_t *group_of; /* [node_count]; GALI_NONE: a Slice or Reshape, which moves nothing */
    uint32_t *offset;   /* [value_count] 1 + where a value stands in a character's workspace, in units of
                           GALI_ROW_UNIT floats; 0: it has no place; set by `memory` */
    uint32_t schedule_count;
    gali_layer_schedule *schedules[GALI_SCHEDULES_MAX]; /* in the arena */
    uint32_t workspace;                                 /* floats a character; set by `memory` */
    gali_text parts[GAL_COMPILED_PART_COUNT];
} gali_compilation;

/* The name of the node of a model's layer, its gating network's or its own. */
void gali_compilation_name_layer(char name[GALI_LAYER_NAME_MAX + 1], int gate, uint32_t layer);

/* The model's layer that a node of that name is; NULL: none. */
const gali_model_layer *gali_compilation_model_layer(const gali_compilation *c, const char *name);

/* The group of the dense layer of that name; NULL. */
const gali_group *gali_compilation_layer(const gali_compilation *c, const char *name);

/* Gives back the arena and the parts. */
void gali_compilation_release(gali_compilation *c);

#endif
