#include "compiler/tune/budget.h"

static const double hope = 0.05;

void gali_budget_note(gali_budget_task *task, double best) {
    task->best[2] = task->best[1];
    task->best[1] = task->best[0];
    task->best[0] = best;
    task->slices++;
}

/* What a slice saved lately: longer measuring makes figures worse at times, which saves nothing. */
static double won(const gali_budget_task *task) {
    double since = task->best[2] > 0 ? task->best[2] : task->best[1];
    int slices = task->best[2] > 0 ? 2 : 1;
    return since > task->best[0] ? (since - task->best[0]) / since / slices : 0;
}

uint32_t gali_budget_next(const gali_budget_task *tasks, uint32_t count) {
    uint32_t next = count;
    double most = 0;
    for (uint32_t i = 0; i < count; i++) {
        const gali_budget_task *t = &tasks[i];
        if (!t->done && t->slices == 0) {
            return i;
        }
        double expected = t->stake * (won(t) + hope / (t->slices + 1));
        if (!t->done && (next == count || expected > most)) {
            next = i;
            most = expected;
        }
    }
    return next;
}
