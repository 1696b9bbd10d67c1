/*
 * The compiler: a model file to plain C for a target, which anyone can build without Gallop.
 *
 * What comes out is one header and one source (docs/compiler.md): C11 that needs memcpy and libm alone, any number of
 * characters within a range at run time, no mutable state. Equal input gives equal bytes. On targets with a fused
 * multiply-add its results are those of gal_network_run, bit for bit.
 *
 * Not part of the runtime library: link gallop::compiler as well (find_package(gallop COMPONENTS compiler)), or what
 * pkg-config gallop-compiler says. It is built with the command, and needs jansson.
 */
#ifndef GALLOP_COMPILER_H
#define GALLOP_COMPILER_H

#include "network.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How to compile. Zero-initialise; zero means the default. */
typedef struct gal_compile_desc {
    uint32_t struct_size; /* sizeof(gal_compile_desc), or 0 for this version's */
    const char *target;   /* gal_compile_target_name; NULL or "native": the best that this machine runs */
    const char *name; /* prefix of everything emitted, a C identifier of at most 24 letters; NULL: "model" */
    uint32_t least, most;   /* characters of a call, 1..1024; 0, 0: 1..64 */
    gal_form form;          /* of every layer that has several experts */
    uint32_t plain_loops;   /* 1: sums as scheduled loops of C alone, without the embedded inner kernel */
    uint32_t weights_blob;  /* 1: the weights are bytes of their own (GAL_COMPILED_WEIGHTS), not a C array */
    const char *dump;       /* name of a pass after which the graph is printed, or "all"; NULL: none */
    const char *stop_after; /* name of the last pass to run; NULL: all. Then only the dump is made */
    /* Path of a log of `gallop tune`: layers that it has schedules for run by those, each count of characters by the
     * next larger one's that was measured; NULL: none. */
    const char *log;
} gal_compile_desc;

typedef struct gal_compiled gal_compiled;

typedef enum gal_compiled_part {
    GAL_COMPILED_HEADER = 0, /* <name>.h */
    GAL_COMPILED_SOURCE,     /* <name>.c */
    /* <name>.weights: little-endian float32, to be loaded 64-byte aligned; empty unless weights_blob */
    GAL_COMPILED_WEIGHTS,
    GAL_COMPILED_DUMP, /* graphs as text, as dump asks */
    GAL_COMPILED_PART_COUNT
} gal_compiled_part;

/*
 * Compiles the model file of size bytes at data (any alignment), which is not needed afterwards. *out is owned by the
 * caller and freed with gal_compiled_free; NULL on failure. desc and error may be NULL. Errors: GAL_BAD_DATA (the
 * model, the log), GAL_IO (the log), GAL_BAD_ARGUMENT (the desc), GAL_UNSUPPORTED (a layer that the compiler does not
 * know), GAL_NO_MEMORY.
 */
GAL_API gal_status gal_compile(gal_compiled **out, const void *data, size_t size, const gal_compile_desc *desc,
                               gal_error *error);

/* The bytes of a part, terminated by a zero that *size does not count; they live as long as compiled. size is not NULL. */
GAL_API const char *gal_compiled_bytes(const gal_compiled *compiled, gal_compiled_part part, size_t *size);

/* Its dense layers. *logged, if not NULL, is how many of them the log has records of, and run by what was fastest in it: the
 * written schedules, too, may have been. Layers without are as without a log. */
GAL_API uint32_t gal_compiled_layers(const gal_compiled *compiled, uint32_t *logged);

/* Frees it. NULL is allowed. */
GAL_API void gal_compiled_free(gal_compiled *compiled);

/* Name of target i, in the order of src/compiler/targets.def; NULL past the last. */
GAL_API const char *gal_compile_target_name(uint32_t i);

/* Name of pass i, in the order in which they run; NULL past the last. */
GAL_API const char *gal_compile_pass_name(uint32_t i);

#ifdef __cplusplus
}
#endif
#endif
