/*
 * Pictures in fields: a picture is cut into as many equal fields as a vector has lanes, `down` times `across`, and lane l of every
 * vector is of field l. What lies beside a place is the next vector in memory, so no window of a convolution reads a vector that
 * begins within a line of the cache, and pictures whose rows are no multiple of vectors fill the lanes.
 *
 *     28 x 28 in 4 x 4 fields of 7 x 7, lanes of 16
 *     lane         0         1         2  ..        4 ..
 *     vector 0     (0, 0)    (0, 7)    (0, 14) ..   (7, 0) ..
 *     vector 1     (0, 1)    (0, 8)    (0, 15) ..   (7, 1) ..
 *
 * Fields are cut into strips of so many columns, as a tile of registers has.
 */
#ifndef GALI_COMPILER_PROGRAM_FIELDS_H
#define GALI_COMPILER_PROGRAM_FIELDS_H

#include "compiler/target.h"
#include "graph/express.h"

/* How a picture is cut. Lanes past down * across are of no field of their own, and are not looked at. */
typedef struct gali_fields {
    uint32_t lanes; /* 0: it is not cut */
    uint32_t down, across;
    uint32_t height, width; /* of a field */
    uint32_t strips, columns;
    uint32_t rows; /* of a tile of registers */
} gali_fields;

/*
 * How a picture is cut for sums that read windows of `window` rows and columns; lanes 0 where that is not
 * worth it: rows that are whole vectors are as fast as they are, and of small fields
 * much is copied that is a neighbour's. */
gali_fields gali_fields_choose(uint32_t height, uint32_t width, uint32_t window, const gali_target *target);

/*
 * Lanes from a field on to the next one across, or down. Where more stand side by side that is 1: squares of lanes and columns
 * are turned over between a picture and its fields.
 */
uint32_t gali_fields_step(const gali_fields *fields, int across);

/* Strip, row, column and lane of a place of the picture. */
void gali_fields_place(gali_express *x, const gali_fields *fields, const gali_scalar *h, const gali_scalar *w,
                       const gali_scalar *place[4]);

/* Where the picture has that place: its row; or, across, its column. */
const gali_scalar *gali_fields_picture(gali_express *x, const gali_fields *fields, int across,
                                       const gali_scalar *const place[4]);

#endif
