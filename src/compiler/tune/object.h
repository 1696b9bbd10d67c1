/*
 * C to callable code by the system's compiler: that which CC names, words and all ("clang-19 -g"), or else the first of
 * cc, gcc and clang that is on PATH.
 */
#ifndef GALI_COMPILER_TUNE_OBJECT_H
#define GALI_COMPILER_TUNE_OBJECT_H

#include "compiler/target.h"

typedef struct gali_object {
    void *library;
} gali_object;

enum { GALI_COMPILER_BYTES = 512 };

/* The compiler's words. GAL_IO where there is none. */
gal_status gali_object_compiler(char words[GALI_COMPILER_BYTES], gal_error *error);

/* Files of one build. */
typedef struct gali_object_files {
    const char *source, *object;
    const char *messages; /* that the compiler's go to */
} gali_object_files;

/*
 * Makes a shared object of a source with the compiler's words and these flags (may be empty) behind
 * `-std=c11 -ffp-contract=off -w`. GAL_IO where no compiler runs or nothing can be written; GAL_BAD_DATA, with its first
 * error, where it refuses.
 */
gal_status gali_object_build(const char *compiler, const char *flags, const gali_object_files *files,
                             gal_error *error);

/* Loads a shared object. GAL_IO. */
gal_status gali_object_open(gali_object *object, const char *path, gal_error *error);

/*
 * Builds a text for a target, with more of the compiler's flags ("-O2"), in a folder of its own below the temporary one, loads
 * it, and removes the folder. Errors as of the others.
 */
gal_status gali_object_make(gali_object *object, const char *text, const gali_target *target, const char *more,
                            gal_error *error);

/* The address of a name in it; NULL if it has none. */
void *gali_object_find(const gali_object *object, const char *name);

void gali_object_release(gali_object *object);

#endif
