/*
 * Candidates timed in turns with a reference, call by call: a candidate's figure is the median of its ratios to the reference's
 * neighbouring call, so what slows the machine down for a while slows both. Times are the thread's own, so that others on its
 * core do not count.
 */
#ifndef GALI_COMPILER_TUNE_TIMING_H
#define GALI_COMPILER_TUNE_TIMING_H

#include "compiler/log/log.h"

/* What is timed. context is the first argument of all. */
typedef struct gali_timing {
    void *context;
    gal_status (*prepare)(void *context, uint32_t candidate, gal_error *error); /* before a pair of calls */
    void (*reference)(void *context);
    void (*candidate)(void *context, uint32_t candidate);
} gali_timing;

/*
 * Times those of `count` candidates whose result is not a failure: ratio and seconds, of so many pairs of calls, at most 1024,
 * and of no more than 9 once they took half a second.
 * Up to GALI_MEASURE_QUICK pairs one that is hopeless is given up early. What prepare returns; GAL_NO_MEMORY.
 */
gal_status gali_timing_run(const gali_timing *timing, uint32_t count, uint32_t pairs, gali_measured *results,
                           gal_error *error);

#endif
