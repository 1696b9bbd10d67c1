/* Making errors: one call that fills a gal_error and returns its status. */
#ifndef GALI_BASE_ERROR_H
#define GALI_BASE_ERROR_H

#include "base/compiler.h"
#include "gallop/base.h"

/*
 * Fills *error (NULL allowed) with status and the printf-formatted message, cut to fit; returns status. Bytes that files
 * and paths brought in and that are no text (control characters, what is not UTF-8) become question marks.
 */
GALI_PRINTF(3, 4) gal_status gali_fail(gal_error *error, gal_status status, const char *format, ...);

/* Fails as `inner` did, with the path of the file that it is about in front. */
gal_status gali_fail_in_file(gal_error *error, const char *path, const gal_error *inner);

#endif
