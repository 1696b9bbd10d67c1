/*
 * A measurement that is repeated until it is stable: what disturbs a run only ever makes it slower, so the figure is the
 * median of the faster half, and it is stable when that half lies within two percent.
 */
#ifndef GALI_PROBE_MEASURE_H
#define GALI_PROBE_MEASURE_H

#include <stdint.h>

typedef struct gali_measured {
    double value;
    int stable;
} gali_measured;

/* One run; NAN: it failed, and nothing more is tried. */
typedef double gali_run_once(void *subject);

/* Warms up once, then runs 5 to `most` times (at most 64). value is NAN after a failure. */
gali_measured gali_probe_measure(gali_run_once *once, void *subject, uint32_t most);

#endif
