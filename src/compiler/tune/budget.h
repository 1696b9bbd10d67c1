/*
 * Who gets the next slice of a tuning's time: the task that it is expected to save most.
 *
 *     expected = stake (won + hope / (slices + 1))
 *
 * stake: the task's share of the time of a call of the whole network with its count of characters, so that layers that
 * take long count more and all counts of characters alike. won: the part of its time that each of its last two slices
 * saved, on average. hope: what is left to be found where nothing is known, the less the more slices found nothing. A task
 * without a slice goes before all others. So, where nothing is won, slices go by stakes, and more where something is.
 */
#ifndef GALI_COMPILER_TUNE_BUDGET_H
#define GALI_COMPILER_TUNE_BUDGET_H

#include <stdint.h>

typedef struct gali_budget_task {
    double stake;
    double best[3]; /* seconds a call after the last slice and the two before it; 0: there was none */
    uint32_t slices;
    int done; /* gets no more */
} gali_budget_task;

/* Notes the best after a slice. */
void gali_budget_note(gali_budget_task *task, double best);

/* The task for the next slice; count where all are done. */
uint32_t gali_budget_next(const gali_budget_task *tasks, uint32_t count);

#endif
