/*
 * Intervals of whole numbers: what a number may be where not all of what it is made of is known. Ends saturate at
 * +-GALI_INTERVAL_LARGEST, so an end there may stand for all that is past it.
 */
#ifndef GALI_GRAPH_INTERVAL_H
#define GALI_GRAPH_INTERVAL_H

#include <stdint.h>

#define GALI_INTERVAL_LARGEST ((int64_t)1 << 60)

typedef struct gali_interval {
    int64_t least, most; /* least <= most, both within +-GALI_INTERVAL_LARGEST */
} gali_interval;

gali_interval gali_interval_number(int64_t number);
gali_interval gali_interval_add(gali_interval a, gali_interval b);
gali_interval gali_interval_mul(gali_interval a, gali_interval b);

/* a / b rounded down; everything where b may be 0. */
gali_interval gali_interval_quotient(gali_interval a, gali_interval b);

/* Of the smaller, or the larger, of two numbers. */
gali_interval gali_interval_smaller(gali_interval a, gali_interval b);
gali_interval gali_interval_larger(gali_interval a, gali_interval b);

/* a / b rounded down; b is not 0. */
int64_t gali_floor_quotient(int64_t a, int64_t b);

#endif
