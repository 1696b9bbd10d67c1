/*
 * One cell of the report: one network, one count, hot or cold, all engines side by side.
 *
 * Rounds go through all engines, starting with another one each time, and end with the roof's own loops; so
 * whatever the machine does for a while (clock, neighbours) happens to all alike. Ratios are made inside a
 * round, from the median of its calls, and the median of rounds is reported. Hot: each engine's turn begins
 * with untimed calls that bring its weights back into the cache. Cold: 96 MB are read before each call.
 * A call during which the system ran something else on the core is made again and counted.
 */
#ifndef GALLOP_BENCH_CELL_H
#define GALLOP_BENCH_CELL_H

#include "probe/roof.h"
#include "problem.h"
#include "stats.h"

enum { CELL_ENGINES_MAX = 48, CELL_ROOFS_MAX = 4 };

/* An engine prepared for a problem, and what was measured of it in the present cell. */
typedef struct lane {
    const engine *engine;
    void *state;
    const char *skipped; /* why it does not run in this cell; NULL: it does */
    double error;        /* see problem_error */
    char form[160];
    int clean;            /* the last turn had a call that ran through */
    size_t interrupted;   /* calls left out because the system took the core away */
    series calls, rounds; /* ns of every timed call; ns of each round's median call */
    series ratio, share;  /* by round: ruler's time over its own; roof's time over its own */
} lane;

typedef struct cell {
    problem *problem;
    uint32_t count;
    int cold;
    double seconds;   /* time to spend */
    size_t ruler;     /* index of the lane that ratios are of */
    void *roof_bytes; /* gali_roof_memory of at least the network's weights */
    lane *lanes;
    size_t lane_count;
    double read_rate, fma_rate[CELL_ROOFS_MAX]; /* GB/s and GFMA/s, medians; rates by gali_roof_at's order */
    size_t round_count;
} cell;

/* Measures. Lanes whose output is wrong are skipped with a word. */
void cell_run(cell *c);

/* Frees what cell_run made in the lanes. */
void cell_clear(cell *c);

#endif
