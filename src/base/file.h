/* Whole files in and out of memory. */
#ifndef GALI_BASE_FILE_H
#define GALI_BASE_FILE_H

#include "gallop/base.h"

/*
 * Reads the regular file at path, at most `most` bytes. *data (aligned, released by gali_release with *size)
 * is NULL on failure. Errors: GAL_IO, GAL_BAD_DATA (larger than most), GAL_NO_MEMORY.
 */
gal_status gali_file_read(const char *path, size_t most, const gal_allocator *allocator, void **data,
                          size_t *size, gal_error *error);

/* Writes the file through a temporary neighbour and a rename, so that a failure leaves the old one whole. */
gal_status gali_file_write(const char *path, const void *data, size_t size, gal_error *error);

#endif
