/*
 * Sums along the axis in which what they read is contiguous: 16 partial sums side by side, whatever the target, so that they
 * go in vectors and have the same bits with any.
 *
 *     for result axes { sum[16] = 0
 *         for outer summed axes { for k in K / 16 { for j in 16: sum[j] += term[16 k + j] }
 *                                 for j in K % 16: rest[j] += term[16 (K / 16) + j] }
 *         sum[j] += rest[j]; sum[j] += sum[j + 8], + 4, + 2, + 1; y = start + sum[0] }
 *
 * A largest or smallest starts at `start` in each lane and is no sum of it. Which stages are summed so is the program's to
 * say (layout.c), not the target's.
 */
#include "compiler/lower/lowering.h"
#include "compiler/program/reads.h"

enum { PARTS = GALI_SUM_PARTS };

typedef struct lanes_sum {
    gali_scalar_op op; /* add, most, least */
    uint32_t axis, lanes;
    gali_loop_buffer *sum, *rest, *all; /* [PARTS / lanes][lanes]; [PARTS] of what is left; [PARTS] at last */
} lanes_sum;

/* ---- parts ---- */

/* Opens a loop over `count`, which is written out where it is a few vectors. */
static gali_loop_index open_parts(gali_lowering *l, uint32_t count, uint32_t lanes) {
    gali_loop_index extent = gali_loop_number(count);
    gali_loop_statement **loop = l->tail;
    gali_loop_index turn = gali_lower_open(l, "v", &extent);
    if (*loop && lanes > 1) {
        (*loop)->mark = GALI_LOOP_UNROLL;
    }
    return turn;
}

/* sum[v] = value, of lanes from `at` + lanes v on of the summed axis. */
static void step(gali_lowering *l, const lanes_sum *s, const gali_loop_index *at, const gali_loop_index *below,
                 const gali_scalar *value) {
    gali_loop_statement **outside = l->tail;
    gali_loop_index turn = open_parts(l, PARTS / s->lanes, s->lanes), place = *at;
    gali_loop_access own = {.buffer = s->sum, .lanes = s->lanes, .index = {turn}};
    gali_loop_index_add(&place, &turn, s->lanes);
    l->axis[s->axis] = place;
    gali_lower_set_lanes(l, s->axis, s->lanes, place, below);
    l->self = gali_loop_load(l->arena, &own, NULL);
    gali_lower_store(l, &own, value);
    gali_lower_set_lanes(l, GALI_NONE, 1, place, NULL);
    gali_lower_close(l, outside);
}

/* to[j] = value of from[j], for j in count. */
static void for_parts(gali_lowering *l, const gali_loop_index *count, const gali_loop_buffer *to,
                      const gali_loop_index *at, uint32_t axis, const gali_scalar *value) {
    gali_loop_statement **outside = l->tail;
    gali_loop_index turn = gali_lower_open(l, "j", count);
    gali_loop_access own = {.buffer = to, .lanes = 1, .index = {turn}};
    if (axis != GALI_NONE) {
        l->axis[axis] = *at;
        gali_loop_index_add(&l->axis[axis], &turn, 1);
    }
    l->self = gali_loop_load(l->arena, &own, NULL);
    gali_lower_store(l, &own, value);
    gali_lower_close(l, outside);
}

/* all[j] = op(all[j], from[j + by]) for j in count. */
static void add_parts(gali_lowering *l, const lanes_sum *s, const gali_loop_buffer *from, uint32_t by,
                      const gali_loop_index *count) {
    gali_loop_statement **outside = l->tail;
    gali_loop_index turn = gali_lower_open(l, "j", count);
    gali_loop_access own = {.buffer = s->all, .lanes = 1, .index = {turn}},
                     other = {.buffer = from, .lanes = 1, .index = {turn}};
    other.index[0].constant += by;
    gali_lower_put(l, &own,
                   gali_loop_apply(l->arena, gali_lower_op(s->op), gali_loop_load(l->arena, &own, NULL),
                                   gali_loop_load(l->arena, &other, NULL), NULL));
    gali_lower_close(l, outside);
}

/* ---- a sum ---- */

/* The sum's lanes in all[]. */
static void gather(gali_lowering *l, const lanes_sum *s) {
    gali_loop_statement **outside = l->tail;
    gali_loop_index turn = open_parts(l, PARTS / s->lanes, s->lanes);
    gali_loop_access from = {.buffer = s->sum, .lanes = s->lanes, .index = {turn}},
                     to = {.buffer = s->all, .lanes = s->lanes};
    gali_loop_index_add(&to.index[0], &turn, s->lanes);
    gali_lower_put(l, &to, gali_loop_load(l->arena, &from, NULL));
    gali_lower_close(l, outside);
}

/* y = finish of start + all[0]. */
static void finish(gali_lowering *l, const lanes_sum *s, const gali_scalar *finish) {
    const gali_program_stage *stage = l->stage;
    gali_scalar self = {.op = GALI_SCALAR_self, .element = GALI_f32};
    gali_scalar whole = {.op = GALI_SCALAR_add, .element = GALI_f32, .operand = {stage->start, &self}};
    int from_start =
        s->op == GALI_SCALAR_add && !(stage->start->op == GALI_SCALAR_number && stage->start->real == 0);
    gali_loop_access first = {.buffer = s->all, .lanes = 1};
    l->self = gali_loop_load(l->arena, &first, NULL);
    if (from_start) {
        gali_lower_store(l, &first, &whole);
    }
    gali_loop_access to = gali_lower_result(l);
    gali_lower_store(l, &to, finish ? finish : &self);
}

/* Elements that the last whole PARTS of a row leave, and where they start. */
static gali_loop_index left_of(gali_lowering *l, const gali_loop_index *length, gali_loop_index *rounds,
                               gali_loop_index *rest) {
    if (!length->count) {
        *rounds = gali_loop_number(length->constant / PARTS);
    } else {
        int64_t least, most;
        gali_lower_range(l, length, &least, &most);
        *rounds = gali_lower_let(l, GALI_LOOP_QUOTIENT, *length, gali_loop_number(PARTS), least / PARTS,
                                 most / PARTS, NULL);
    }
    gali_loop_index left = *length;
    *rest = gali_loop_number(0);
    gali_loop_index_add(rest, rounds, PARTS);
    gali_loop_index_add(&left, rounds, -PARTS);
    return left;
}

void gali_lower_parts(gali_lowering *l) {
    const gali_program_stage *stage = l->stage;
    lanes_sum s = {.op = gali_program_sum_op(stage), .axis = stage->rank + stage->reduced - 1, .lanes = 1};
    gali_scalar zero = {.op = GALI_SCALAR_number, .element = GALI_f32};
    const gali_scalar *start = s.op == GALI_SCALAR_add ? &zero : stage->start;
    uint32_t lanes = l->p->target && !l->plain ? l->p->target->lanes : 1;
    if (lanes <= PARTS && gali_lower_has_lanes(l, stage->value, s.axis)) {
        s.lanes = lanes;
    }
    gali_loop_index length = gali_lower_extent(l, stage->extent[s.axis]), rounds, at,
                    parts = gali_loop_number(PARTS);
    gali_loop_index left = left_of(l, &length, &rounds, &at), whole = gali_loop_number(0);
    int has_rest = left.count || left.constant;
    gali_lower_open_axes(l, 0, stage->rank);
    const uint32_t side[] = {PARTS / s.lanes, s.lanes}, one[] = {PARTS};
    s.sum = gali_lower_local(l, "sum", GALI_f32, 2, side);
    s.all = gali_lower_local(l, "all", GALI_f32, 1, one);
    s.rest = has_rest ? gali_lower_local(l, "rest", GALI_f32, 1, one) : NULL;
    if (!s.sum || !s.all || (has_rest && !s.rest)) {
        return;
    }
    step(l, &s, &whole, &length, start);
    if (has_rest) {
        for_parts(l, &parts, s.rest, NULL, GALI_NONE, start);
    }
    gali_loop_statement **block = l->tail;
    gali_lower_open_axes(l, stage->rank, s.axis);
    gali_loop_statement **outside = l->tail;
    gali_loop_index turn = gali_lower_open(l, "k", &rounds);
    gali_loop_index_add(&whole, &turn, PARTS);
    step(l, &s, &whole, &length, stage->value);
    gali_lower_close(l, outside);
    if (has_rest) {
        for_parts(l, &left, s.rest, &at, s.axis, stage->value);
    }
    gali_lower_close(l, block);
    gather(l, &s);
    if (has_rest) {
        add_parts(l, &s, s.rest, 0, &left);
    }
    for (uint32_t by = PARTS / 2; by > 0; by /= 2) {
        gali_loop_index count = gali_loop_number(by);
        add_parts(l, &s, s.all, by, &count);
    }
    finish(l, &s, stage->finish);
}
