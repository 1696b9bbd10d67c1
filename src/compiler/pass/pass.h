/*
 * The passes: a model becomes a graph, the graph is changed step by step, C is made of it. compile.c runs them in the
 * order of passes.def and verifies the graph after each.
 */
#ifndef GALI_COMPILER_PASS_PASS_H
#define GALI_COMPILER_PASS_PASS_H

#include "compiler/net/net.h"
#include "compiler/schedule/schedule.h"
#include "compiler/target.h"
#include "gallop/compiler.h"
#include "network/model.h"

enum { GALI_SCHEDULES_MAX = 128, GALI_VERSIONS_MAX = 6, GALI_RANGES_MAX = 20 };

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
    uint32_t version_count, range_count;
    gali_layer_version versions[GALI_VERSIONS_MAX];
    gali_layer_range ranges[GALI_RANGES_MAX];
} gali_layer_schedule;

/* A compilation under way. */
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

/* Each pass leaves a graph that verifies, or fails with a message. */
#define PASS(name, meaning) gal_status gali_pass_##name(gali_compilation *c, gal_error *error);
#include "compiler/pass/passes.def"
#undef PASS

#endif
