/* Stages run, on threads. */
#ifndef GALI_CLI_JUDGE_STAGES_H
#define GALI_CLI_JUDGE_STAGES_H

#include "judge/trace.h"

/*
 * Runs all traces of `count` stages on so many threads, 1..GALI_THREADS_MAX. Traces are the same whatever number that is: a
 * character's way depends neither on who else is in its crowd nor on who runs it. Of several errors the first stage's is told.
 */
gal_status gali_judge_stages_run(gali_judge_stage *const *stages, uint32_t count, uint32_t threads,
                                 gal_error *error);

#endif
