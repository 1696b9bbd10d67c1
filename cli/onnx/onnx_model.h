/* An ONNX file on its way to C: what `gallop compile`, `inspect` and `run` share. */
#ifndef GALI_CLI_ONNX_MODEL_H
#define GALI_CLI_ONNX_MODEL_H

#include "compiler/program/patterns.h"
#include "compiler/program/profile.h"
#include "compiler/program/winograd.h"
#include "graph/rewrite.h"
#include "import/onnx/file.h"

/* Zero-initialise. */
typedef struct gali_onnx_model {
    gali_onnx_file *file;
    gali_arena arena;
    const char *external; /* the file that its weights are read from, asked for or found; NULL: its own */
    gali_graph *graph;
    gali_onnx_sizes sizes;       /* that were asked for */
    int exact;                   /* set before, too: convolutions are summed as ONNX says, none by winograd.h */
    int fast;                    /* set before gali_onnx_model_program: results may be less near to the truth */
    const gali_profile *profile; /* the same; NULL: the one that is built in */
    uint32_t without;            /* set before, too: bits of GALI_WITHOUT_ */
    const gali_target *target;   /* set before, too: that it is for; NULL: any */
    uint32_t rewritten[GALI_REWRITE_COUNT]; /* how often each rule was used */
    gali_text regions;                      /* functions of parts that the target has its own for */
    gali_program *program;                  /* NULL before gali_onnx_model_program */
} gali_onnx_model;

/* Whether a path ends as ONNX files' do. */
int gali_onnx_is_path(const char *path);

/*
 * Reads path, and the file that it keeps weights in: external, or where that is NULL and the model has weights elsewhere,
 * PATH.data or PATH_data if one is there. No file is opened that only the model names. sizes is text,
 * "batch=1,length=8..512": what the sizes are that the file leaves open (NULL: as the file has them). Errors name the file;
 * GAL_BAD_ARGUMENT is of sizes. Released in any case.
 */
gal_status gali_onnx_model_open(gali_onnx_model *model, const char *path, const char *external,
                                const char *sizes, gal_error *error);

/* "fuse,tile" as bits of GALI_WITHOUT_. Returns 0 where a word is none of those words. */
int gali_onnx_read_without(const char *text, uint32_t *without);

/* Rewrites, fuses and places. */
gal_status gali_onnx_model_program(gali_onnx_model *model, gal_error *error);

/* Reads rows of a profile; to be kept while the model is made of it. Errors name the file. */
gal_status gali_onnx_profile_read(gali_profile *profile, const char *path, gal_error *error);

/*
 * The program's groups by a log's schedules for its target, which is set: how many have sums in tiles, and how many of those
 * the log knew. Errors name the log.
 */
gal_status gali_onnx_model_use_log(gali_onnx_model *model, const char *log, uint32_t *groups, uint32_t *logged,
                                   gal_error *error);

void gali_onnx_model_release(gali_onnx_model *model);

#endif
