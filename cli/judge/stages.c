#include "judge/stages.h"

#include <stdlib.h>

#include "base/error.h"
#include "threads.h"

/* Traces of a part: a bank of a crowd. All in one part would take up to a tenth less time of one core. */
enum { PART = 16 };

/* Traces that a thread runs at one go. */
typedef struct part {
    gali_judge_stage *stage;
    uint32_t first, count;
    gali_judge_cost cost;
    gal_status status;
    gal_error error;
} part;

static void run_part(void *parts, uint32_t i) {
    part *self = (part *)parts + i;
    self->status = gali_judge_stage_run(self->stage, self->first, self->count, &self->cost, &self->error);
}

static uint32_t count_parts(gali_judge_stage *const *stages, uint32_t count) {
    uint32_t parts = 0;
    for (uint32_t s = 0; s < count; s++) {
        parts += (stages[s]->count + PART - 1) / PART;
    }
    return parts;
}

static void cut(part *parts, gali_judge_stage *const *stages, uint32_t count) {
    for (uint32_t s = 0; s < count; s++) {
        for (uint32_t first = 0; first < stages[s]->count; first += PART) {
            uint32_t left = stages[s]->count - first;
            *parts++ = (part){.stage = stages[s], .first = first, .count = left < PART ? left : PART};
        }
    }
}

/* Costs of a stage's parts are its own. */
static gal_status gather(const part *parts, uint32_t count, gal_error *error) {
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i].status != GAL_OK) {
            return gali_fail(error, parts[i].status, "%s", parts[i].error.message);
        }
        parts[i].stage->cost.resets += parts[i].cost.resets;
        parts[i].stage->cost.step_seconds += parts[i].cost.step_seconds;
    }
    return GAL_OK;
}

gal_status gali_judge_stages_run(gali_judge_stage *const *stages, uint32_t count, uint32_t threads,
                                 gal_error *error) {
    uint32_t part_count = count_parts(stages, count);
    part *parts = calloc(part_count > 0 ? part_count : 1, sizeof *parts);
    if (!parts) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for %u parts", part_count);
    }
    cut(parts, stages, count);
    gali_threads_share(threads, part_count, run_part, parts);
    gal_status status = gather(parts, part_count, error);
    free(parts);
    return status;
}
