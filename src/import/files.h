/*
 * Files by name: where an importer reads from, so that it never sees a path. A folder on disk is one such
 * place; tests and fuzzers bring others.
 */
#ifndef GALI_IMPORT_FILES_H
#define GALI_IMPORT_FILES_H

#include "gallop/base.h"

typedef struct gali_files {
    /* Bytes of the file. GAL_NOT_FOUND (error untouched) if there is none, GAL_IO if it cannot be read. */
    gal_status (*size)(void *context, const char *name, size_t *size, gal_error *error);
    /* Its first `size` bytes. GAL_IO if it has fewer or cannot be read. */
    gal_status (*read)(void *context, const char *name, void *bytes, size_t size, gal_error *error);
    void *context;
} gali_files;

/* The regular files directly in a folder; path must outlive the result. Nothing is opened yet. */
gali_files gali_files_folder(const char *path);

#endif
