/* Whole files in and out of memory. */
#ifndef GALI_BASE_FILE_H
#define GALI_BASE_FILE_H

#include <stdio.h>

#include "gallop/base.h"

/*
 * Reads the regular file at path, at most `most` bytes. *data (aligned, released by gali_release with *size)
 * is NULL on failure. Errors: GAL_IO, GAL_BAD_DATA (larger than most), GAL_NO_MEMORY.
 */
gal_status gali_file_read(const char *path, size_t most, const gal_allocator *allocator, void **data,
                          size_t *size, gal_error *error);

/*
 * A file that is being written: through a temporary neighbour and a rename, so that a failure leaves the old one whole
 * and no part of the new one; but in place where the path is no file (a device, a pipe). The path "-" is standard
 * output, which stays open.
 */
typedef struct gali_file_draft {
    FILE *stream; /* to write to; an error of it is found by gali_file_finish */
    const char *path;
    char written[4096]; /* the path that is written to */
} gali_file_draft;

/* Opens a draft of the file at path, which must live as long as it. GAL_IO; then there is nothing to finish. */
gal_status gali_file_begin(gali_file_draft *draft, const char *path, gal_error *error);

/* Closes the draft and puts it in its place. GAL_IO. */
gal_status gali_file_finish(gali_file_draft *draft, gal_error *error);

/* Whether a draft of `out` would write over one of the `count` files, or take its place, whatever they are called. NULL
 * among them is none. */
int gali_file_replaces(const char *out, const char *const *files, size_t count);

/* Writes a whole file as a draft is. GAL_IO. */
gal_status gali_file_write(const char *path, const void *data, size_t size, gal_error *error);

#endif
