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
    uint32_t first = GALI_NONE, shared = 0, stages = 0;
    for (uint32_t i = 0; i < p->stage_count; i++) {
        if (p->stages[i].gone || p->stages[i].group != group) {
            continue;
        }
        shared = first == GALI_NONE ? GALI_RANK_MAX : shared;
        first = first == GALI_NONE ? i : first;
        shared = shared_by(p, first, i, shared, &arena);
        stages++;
    }
    int failed = arena.failed;
    gali_arena_release(&arena);
    return failed || stages < 2 ? 0 : shared;
}
