/*
 * Looking for a layer's schedule: rounds of evolution on a space's knobs. Each round draws points at random, takes the
 * neighbours of the best so far and breeds from all of them; drops those that the target cannot hold; lets the cost
 * model, an estimate corrected by what was measured, choose a pool of the rest; and measures a batch of it: most of those
 * it likes, of many families and tiles, and some that it does not. The leaders are measured again now and then, longer,
 * and at the end. A space that is small enough is simply exhausted.
 *
 * What was measured before, by anyone who wrote it down, is learned from and not measured again.
 */
#ifndef GALI_COMPILER_TUNE_SEARCH_H
#define GALI_COMPILER_TUNE_SEARCH_H

#include "compiler/tune/measure.h"
#include "compiler/tune/space.h"

/* Measures a batch, here or elsewhere: as gali_measure. */
typedef gal_status gali_search_measure(void *context, const gali_schedule *schedules, uint32_t count,
                                       uint32_t pairs, gali_measured *results, gal_error *error);

/* One measurement. */
typedef struct gali_search_record {
    const gali_schedule *schedule;
    gali_measured measured;
    uint32_t pairs;
} gali_search_record;

typedef struct gali_search_state {
    uint32_t measured, failed, refused; /* schedules so far; refused before they were measured */
    double best, seconds;               /* ratio of the best (0: none yet); since the start */
} gali_search_state;

typedef struct gali_search {
    const gali_space *space;
    double seconds; /* to search for, the last measurement not counted */
    uint64_t seed;
    gali_search_measure *measure;
    void *measure_context;
    /* NULL or told of every measurement; and of the state after every batch. A result other than 0 of watch ends the
     * search, as its time's end does. */
    void (*record)(void *context, const gali_search_record *record);
    int (*watch)(void *context, const gali_search_state *state);
    void *context;
    const gali_search_record *known; /* [known_count] measured before */
    uint32_t known_count;
} gali_search;

typedef struct gali_search_result {
    gali_schedule schedule;
    gali_measured measured; /* in GALI_MEASURE_SURE pairs */
    gali_search_state state;
    int exhausted, stopped; /* nothing was left to measure; watch ended it */
} gali_search_result;

/* GAL_NOT_FOUND where no schedule of the space could be measured; what measure returns; GAL_NO_MEMORY. */
gal_status gali_search_run(const gali_search *search, gali_search_result *result, gal_error *error);

#endif
