/*
 * An ONNX model as callable code: compiled to C, built by the system's compiler, loaded. What was built is kept in the
 * user's cache, under a hash of all that it follows from: the model's bytes, the options, the compiler's words, and this
 * program.
 *
 *     $XDG_CACHE_HOME/gallop or ~/.cache/gallop / HASH.so, HASH.weights
 */
#ifndef GALI_CLI_BUILT_MODEL_H
#define GALI_CLI_BUILT_MODEL_H

#include "compiler/tune/object.h"
#include "onnx/onnx_model.h"

typedef struct gali_built_desc {
    const char *path, *external, *sizes; /* as gali_onnx_model_open's */
    const char *target;                  /* of targets.def, or "native" */
    const char *log;                     /* of schedules; NULL: none */
    const char *profile;                 /* a file that the model's profile was read of; NULL: none */
    const char *keep; /* a folder for header, source, weights and library, built anew; NULL: the cache */
} gali_built_desc;

/* Zero-initialise. */
typedef struct gali_built_model {
    gali_object object;
    void *weights;
    size_t weights_size;
    /* As the emitted header's NAME_call_workspace and NAME_call. */
    size_t (*workspace)(const uint32_t *sizes);
    int (*call)(uint32_t *sizes, const void *const *inputs, void *const *outputs, const void *weights,
                void *workspace);
} gali_built_model;

/*
 * model is open; it becomes a program where the cache has none of it. Says on standard error that it compiles, since that
 * takes a while. Errors: those of compiling, of the C compiler (object.h) and of files. Released in any case.
 */
gal_status gali_built_model_open(gali_built_model *built, gali_onnx_model *model, const gali_built_desc *desc,
                                 gal_error *error);

void gali_built_model_release(gali_built_model *built);

#endif
