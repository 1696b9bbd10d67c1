/* Making errors: one call that fills a gal_error and returns its status. */
#ifndef GALI_BASE_ERROR_H
#define GALI_BASE_ERROR_H

#include "gallop/base.h"

/* Fills *error (NULL allowed) with status and the printf-formatted message, cut to fit; returns status. */
__attribute__((format(printf, 3, 4))) gal_status gali_fail(gal_error *error, gal_status status,
                                                           const char *format, ...);

#endif
