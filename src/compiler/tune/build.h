/*
 * C text to callable code: the system's compiler makes a shared object in a folder of its own below the temporary one,
 * it is loaded, and the folder is removed. CC names the compiler; else it is cc.
 */
#ifndef GALI_COMPILER_TUNE_BUILD_H
#define GALI_COMPILER_TUNE_BUILD_H

#include "compiler/target.h"

typedef struct gali_build {
    void *library;
} gali_build;

/* GAL_IO where no compiler runs or nothing can be written; GAL_BAD_DATA, with its first line, where it refuses. */
gal_status gali_build_make(gali_build *build, const char *text, const gali_target *target, gal_error *error);

/* The address of a name in it; NULL if it has none. */
void *gali_build_find(const gali_build *build, const char *name);

void gali_build_release(gali_build *build);

#endif
