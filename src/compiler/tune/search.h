/*
 * Looking for a layer's schedule: rounds of evolution on a space's knobs. Each round draws points at random, takes the
 * neighbours of the best so far and breeds from all of them; drops those that the target cannot hold and those whose loops
 * were measured already, however they are written; lets the cost model, an estimate corrected by what was measured, choose
 * a pool of the rest, of many families and tiles; and measures a batch of it: three of four those that it likes best, the
 * fourth of the tile that least is known of. The leaders are measured again now and then, longer, and at the end, in
 * turns. A space that is small enough is simply exhausted.
 *
 * A search may run in several goes. What was measured before, by anyone who wrote it down, is learned from and not measured
 * again.
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
    uint32_t rounds, idle;              /* all; the last ones that found nothing better */
    int done;                           /* nothing was left to measure, or nothing better was found for long */
    double best, seconds;               /* ratio of the best (0: none yet); spent in gali_search_run */
} gali_search_state;

typedef struct gali_search_desc {
    const gali_space *space;
    uint64_t seed;
    gali_search_measure *measure;
    void *measure_context;
    /* NULL or told of every measurement; and of the state after every batch. A result other than 0 of watch ends the
     * run, as its time's end does. */
    void (*record)(void *context, const gali_search_record *record);
    int (*watch)(void *context, const gali_search_state *state);
    void *context;
    const gali_search_record *known; /* [known_count] measured before; read by open alone */
    uint32_t known_count;
    /* [rival_count] measured beside the leaders at the end; live as long as the search */
    const gali_schedule *rivals;
    uint32_t rival_count; /* at most GALI_SEARCH_RIVALS_MAX */
} gali_search_desc;

enum { GALI_SEARCH_RIVALS_MAX = 4, GALI_SEARCH_LEAST = 6, GALI_SEARCH_FINALISTS = 12 };

typedef struct gali_search gali_search;

/* desc->space stays the caller's and must outlive the search. GAL_NO_MEMORY. */
gal_status gali_search_open(gali_search **search, const gali_search_desc *desc, gal_error *error);

/*
 * Searches for about so many seconds, a round at least unless it is done. Where a measurement takes `each` seconds, a round
 * has as many as fit into the time, GALI_SEARCH_LEAST at least; each 0: nobody knows yet. *stopped: watch ended it. What
 * measure returns; GAL_NO_MEMORY.
 */
gal_status gali_search_run(gali_search *search, double seconds, double each, int *stopped, gal_error *error);

gali_search_state gali_search_look(const gali_search *search);

/* The best as measured so far; ratio 0 where there is none. */
void gali_search_leader(const gali_search *search, gali_schedule *schedule, gali_measured *measured);

/*
 * Measures the `most` best leaders (GALI_SEARCH_FINALISTS at most) and the rivals side by side, GALI_MEASURE_SURE pairs each,
 * and says which is best. GAL_NOT_FOUND where none could be measured.
 */
gal_status gali_search_finish(gali_search *search, uint32_t most, gali_schedule *schedule,
                              gali_measured *measured, gal_error *error);

void gali_search_close(gali_search *search);

#endif
