/*
 * Rows of a group in one nest: stages of one group run inside of the same loops over the axes that they share, so that what
 * one makes of a row is near when the next reads it, and the loops can be given out.
 *
 * Leading axes are shared if they come first in the memory of every stage's tensor, have the same extents, and each stage
 * reads what others of the group make at its own place in them: softmax over its rows, norms over theirs. The last
 * dimension is left to vectors.
 */
#include "compiler/program/program.h"
#include "compiler/program/reads.h"

/* The first from `at` on that is not gone and of the group. */
static uint32_t of_group(const gali_program *p, uint32_t at, uint32_t group) {
    while (at < p->stage_count && p->stages[at].group == group && p->stages[at].gone) {
        at++;
    }
    return at < p->stage_count && p->stages[at].group == group ? at : GALI_NONE;
}

uint32_t gali_program_group_first(const gali_program *p, uint32_t group) {
    uint32_t low = 0, high = p->stage_count; /* groups ascend */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        low = p->stages[middle].group < group ? middle + 1 : low;
        high = p->stages[middle].group < group ? high : middle;
    }
    return of_group(p, low, group);
}

uint32_t gali_program_group_next(const gali_program *p, uint32_t stage) {
    return of_group(p, stage + 1, p->stages[stage].group);
}

/* Whether dimension d in memory is axis d, and has room behind it. What lies in another tensor's memory, whose rows others
 * may still want, is made as a whole. */
static int may_lead(const gali_program *p, const gali_program_stage *stage, uint32_t d) {
    return d + 1 < stage->rank && p->tensors[stage->tensor].home == GALI_NONE &&
           p->tensors[stage->tensor].order[d] == d;
}

/* Leading axes of the stage, at most `most`, in which it reads the group's tensor at its own place; of extent 1 there is
 * no other. */
static uint32_t own_place(const gali_program_read *r, const gali_program_stage *stage, uint32_t most) {
    for (uint32_t d = 0; d < most; d++) {
        for (uint32_t axis = 0; stage->extent[d] != 1 && axis < stage->rank + stage->reduced; axis++) {
            if (r->step[d][axis] != (axis == d ? GALI_STEP_SAME : GALI_STEP_NONE)) {
                return d;
            }
        }
    }
    return most;
}

/* The most that stage `number` shares with `first`, the first of its group. */
static uint32_t shared_by(const gali_program *p, uint32_t first, uint32_t number, uint32_t most,
                          gali_arena *arena) {
    const gali_program_stage *stage = &p->stages[number];
    uint32_t shared = 0;
    while (shared < most && may_lead(p, stage, shared) &&
           stage->extent[shared] == p->stages[first].extent[shared]) {
        shared++;
    }
    for (const gali_program_read *r = gali_program_reads(stage, arena); r; r = r->next) {
        uint32_t maker = p->tensors[r->tensor].stage;
        if (maker != GALI_NONE && !p->stages[maker].gone && p->stages[maker].group == stage->group) {
            shared = own_place(r, stage, shared);
        }
    }
    return shared;
}

uint32_t gali_program_nest(const gali_program *p, uint32_t group) {
    gali_arena arena = {0};
    uint32_t first = gali_program_group_first(p, group), shared = GALI_RANK_MAX, stages = 0;
    for (uint32_t i = first; i != GALI_NONE; i = gali_program_group_next(p, i)) {
        shared = shared_by(p, first, i, shared, &arena);
        stages++;
    }
    int failed = arena.failed;
    gali_arena_release(&arena);
    return failed || stages < 2 ? 0 : shared;
}
