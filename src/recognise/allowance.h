/*
 * What recognising one graph may take: memory that is freed together, multiplications, and the first failure. A small
 * file can ask for neither gigabytes nor hours.
 */
#ifndef GALI_RECOGNISE_ALLOWANCE_H
#define GALI_RECOGNISE_ALLOWANCE_H

#include <stddef.h>

#include "base/error.h"

enum { GALI_ABSENT = -1 }; /* no place in a list */

typedef struct gali_allowance_chunk gali_allowance_chunk;

typedef struct gali_allowance {
    gali_allowance_chunk *chunks;
    size_t memory_left; /* bytes that may still be taken */
    double work_left;   /* multiplications that may still be done */
    gal_status status;  /* of the first failure; sticks */
    gal_error *error;
} gali_allowance;

/* Zeroed memory that lives until gali_allowance_release; NULL (and failed) past the limit. */
void *gali_allowance_take(gali_allowance *allowance, size_t size);
void gali_allowance_release(gali_allowance *allowance);

/* Counts memory that is taken elsewhere; 0 (and failed) when there is none left. */
int gali_allowance_spend(gali_allowance *allowance, size_t size);

/* Sets the error unless there is one; returns 0. Bytes of the message that are not printable become '?'. */
GALI_PRINTF(3, 4)
int gali_allowance_fail(gali_allowance *allowance, gal_status status, const char *format, ...);

/* Counts work; 0 (and failed) when there is none left. */
int gali_allowance_work(gali_allowance *allowance, double multiplications);

#endif
