/*
 * Tuning a model: its tasks (tasks.h) are searched in turns. Time goes to them in slices (budget.h), so all of them are searched from early on, and longest where most is to be won. Everything that is measured
 * goes to the log as it comes, and what the log has is not measured again: a task whose search is in it already is done.
 */
#ifndef GALI_COMPILER_TUNE_TUNE_H
#define GALI_COMPILER_TUNE_TUNE_H

#include <stdio.h>

#include "compiler/tune/search.h"
#include "compiler/tune/tasks.h"

/* What became of a task; before its end, the best so far. */
typedef struct gali_tune_result {
    gali_schedule schedule;
    gali_measured measured; /* ratio 0: nothing yet */
    uint32_t measurements;  /* made now */
    double seconds;         /* searched now */
    int from_log;
} gali_tune_result;

/* Where a tuning stands, for who watches. */
typedef struct gali_tune_state {
    const gali_tune_task *tasks;     /* [count] */
    const gali_tune_result *results; /* [count] */
    uint32_t count, number;          /* number: of the task that has the time */
    double seconds, limit;           /* since the start; all the time there is */
    int finals;                      /* the winners are measured for the last time */
} gali_tune_state;

/* Spreads measuring over processes; here or elsewhere. `scene` tells what the batch is of. */
typedef struct gali_tune_spread {
    gal_status (*measure)(void *context, gali_scene *scene, const gali_schedule *schedules, uint32_t count,
                          uint32_t pairs, gali_measured *results, gal_error *error);
    void *context;
} gali_tune_spread;

typedef struct gali_tune {
    const gali_target *target;
    gali_search_way way;
    double seconds; /* for all tasks together */
    uint64_t seed;
    gali_log *log;                  /* what is known */
    FILE *file;                     /* where records go; NULL: nowhere */
    const gali_tune_spread *spread; /* NULL: measured here */
    /* Told after every batch; other than 0 ends the tuning. NULL allowed. */
    int (*watch)(void *context, const gali_tune_state *state);
    void *context;
} gali_tune;

/*
 * The gain of the whole network for a count of characters (0: of a program): time of the references / time of the best so far,
 * the layers of the tasks with that count together; 0 where one of them has no result yet.
 */
double gali_tune_gain(const gali_tune_state *state, uint32_t characters);

/*
 * Runs all tasks, which share tune->seconds, into results[count]; a last, longer measurement of each task's leaders is part
 * of it. Each task is searched for a
 * round at least, of GALI_SEARCH_LEAST measurements, and measured at the end, however short the time. Ends early where nothing better was found in any task for long. Where watch ended it, *stopped, results are the
 * best so far, some perhaps none. GAL_NOT_FOUND where nothing of a task could be measured, errors of the log and of
 * measuring.
 */
gal_status gali_tune_run(const gali_tune *tune, const gali_tune_task *tasks, uint32_t count,
                         gali_tune_result *results, int *stopped, gal_error *error);

#endif
