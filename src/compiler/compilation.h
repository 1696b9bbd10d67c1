/*
 * A compilation under way: what is asked for, the graph that the passes change, how its layers will run, and the text that
 * comes of it. Passes (pass/pass.h) fill it one after the other, emit/ writes its parts; neither needs the other's header.
 */
#ifndef GALI_COMPILER_COMPILATION_H
#define GALI_COMPILER_COMPILATION_H

#include "compiler/net/net.h"
#include "compiler/schedule/schedule.h"
#include "compiler/target.h"
#include "gallop/compiler.h"
#include "network/model.h"

enum { GALI_CHARACTERS_DEFAULT = 64 }; /* of a range that nobody gave, the most */

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

/*
 * All versions of a layer, which read one layout of its weights, and which runs for which counts: ranges rise and cover
 * the graph's. Node attribute `schedule` is 1 + its index.
 */
typedef struct gali_layer_schedule {
    gali_dense dense; /* without its range */
    int logged;       /* the log has records of it: its versions are what they say, be it the written ones */
    uint32_t version_count, range_count;
    gali_layer_version versions[GALI_VERSIONS_MAX];
    gali_layer_range ranges[GALI_RANGES_MAX];
} gali_layer_schedule;

/* How a layer runs for a count of characters of the compilation's range. */
const gali_layer_version *gali_layer_version_of(const gali_layer_schedule *layer, uint32_t characters);

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
    gali_net *graph; /* NULL before import */
    uint32_t schedule_count;
    gali_layer_schedule *schedules[GALI_SCHEDULES_MAX]; /* in the arena */
    uint32_t workspace; /* floats a character, a multiple of 16; set by `memory` */
    gali_text parts[GAL_COMPILED_PART_COUNT];
} gali_compilation;

/* The name of the node of a model's layer, its gating network's or its own. */
void gali_compilation_name_layer(char name[GALI_NET_NAME_MAX + 1], int gate, uint32_t layer);

/* Gives back the arena and the parts. */
void gali_compilation_release(gali_compilation *c);

#endif
