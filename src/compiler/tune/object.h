/*
 * C text to callable code: the system's compiler makes a shared object in a folder of its own below the temporary one,
 * it is loaded, and the folder is removed. CC names the compiler; else it is cc.
 */
#ifndef GALI_COMPILER_TUNE_OBJECT_H
#define GALI_COMPILER_TUNE_OBJECT_H

#include "compiler/target.h"

typedef struct gali_object {
    void *library;
} gali_object;

/* GAL_IO where no compiler runs or nothing can be written; GAL_BAD_DATA, with its first line, where it refuses. */
gal_status gali_object_make(gali_object *object, const char *text, const gali_target *target, gal_error *error);

/* The address of a name in it; NULL if it has none. */
void *gali_object_find(const gali_object *object, const char *name);

void gali_object_release(gali_object *object);

#endif
