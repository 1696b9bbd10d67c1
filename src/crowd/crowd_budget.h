/* What a crowd's step asks of its budget. */
#ifndef GALI_CROWD_CROWD_BUDGET_H
#define GALI_CROWD_CROWD_BUDGET_H

#include "crowd/crowd_parts.h"

/* Says of each character that is due how many frames it is evaluated for, and by what, or that it waits. */
void gali_crowd_decide(gal_crowd *crowd);

/* After a step that began then. */
void gali_crowd_finish(gal_crowd *crowd, double start);

/* The host's clock; 0 without one. */
double gali_crowd_now(const gal_crowd *crowd);

/*
 * Takes in that so many evaluations of a group by a level, or bridges (GAL_LEVELS_MAX), took the time since then; returns
 * now. Without a clock costs stay nominal.
 */
double gali_crowd_learn(gal_crowd *crowd, const gali_group *group, uint32_t level, uint32_t count,
                        double since);

#endif
