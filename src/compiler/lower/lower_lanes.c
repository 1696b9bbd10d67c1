/*
 * Sums along the axis in which what they read is contiguous: 16 partial sums side by side, whatever the target, so that they
 * go in vectors and have the same bits with any.
 *
 *     for result axes { sum[16] = 0
 *         for outer summed axes { for k in K / 16 { for j in 16: sum[j] += term[16 k + j] }
 *                                 for j in K % 16: rest[j] += term[16 (K / 16) + j] }
 *         sum[j] += rest[j]; sum[j] += sum[j + 8], + 4, + 2, + 1; y = start + sum[0] }
 *
 * What is left goes in vectors, too: of the last one the lanes past the end keep what rest has, by a comparison of places.
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
    gali_loop_buffer *sum, *rest, *all; /* [PARTS / lanes][lanes]; the same of what is left; [PARTS] at last */
    gali_loop_buffer *place,
        *term; /* of vectors: [PARTS / lanes][lanes] 0, 1, ..; [lanes] the term of what is left */
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

static gali_loop_access vector_of(const lanes_sum *s, const gali_loop_buffer *buffer,
                                  const gali_loop_index *turn) {
    return (gali_loop_access){.buffer = buffer, .lanes = s->lanes, .index = {*turn}};
}

/* to[v] = value, of lanes from `at` + lanes v on of the summed axis. */
static void step(gali_lowering *l, const lanes_sum *s, const gali_loop_buffer *to, const gali_loop_index *at,
                 const gali_loop_index *below, const gali_scalar *value) {
    gali_loop_statement **outside = l->tail;
    gali_loop_index turn = open_parts(l, PARTS / s->lanes, s->lanes), place = *at;
    gali_loop_access own = vector_of(s, to, &turn);
    gali_loop_index_add(&place, &turn, s->lanes);
    l->axis[s->axis] = place;
    gali_lower_set_lanes(l, s->axis, s->lanes, place, below);
    l->self = gali_loop_load(l->arena, &own, NULL);
    gali_lower_store(l, &own, value);
    gali_lower_set_lanes(l, GALI_NONE, 1, place, NULL);
    gali_lower_close(l, outside);
}

/* rest[v] = value where lanes from `at` + lanes v on are below the length, of which `left` are left. */
static void step_left_vector(gali_lowering *l, const lanes_sum *s, const gali_loop_index *at,
                             const gali_loop_index *left, const gali_loop_index *length, uint32_t v,
                             const gali_scalar *value) {
    gali_loop_index none = gali_loop_number(0), number = gali_loop_number(v), from = *at;
    gali_loop_access own = vector_of(s, s->rest, &number), place = vector_of(s, s->place, &number),
                     term = vector_of(s, s->term, &none);
    from.constant += (int64_t)v * s->lanes;
    if (v > 0 && length->count) { /* a vector past the end reads the last element, for nothing */
        gali_loop_index last = *length;
        int64_t least, most;
        last.constant--;
        gali_lower_range(l, &last, &least, &most);
        from = gali_lower_let(l, GALI_LOOP_LEAST, from, last, 0, most, &from);
    }
    gali_lower_set_lanes(l, s->axis, s->lanes, from, length);
    const gali_loop_value *before = gali_loop_load(l->arena, &own, NULL),
                          *there = gali_loop_load(l->arena, &place, NULL);
    l->self = before;
    gali_lower_store(l, &term, value);
    gali_lower_set_lanes(l, GALI_NONE, 1, from, NULL);
    const gali_loop_value *end = gali_loop_cast(l->arena, GALI_f32, gali_loop_at(l->arena, left));
    there = gali_loop_apply(l->arena, GALI_VALUE_LESS, there, end, NULL);
    gali_lower_put(
        l, &own,
        gali_loop_apply(l->arena, GALI_VALUE_SELECT, there, gali_loop_load(l->arena, &term, NULL), before));
}

/* The same of all vectors of what is left, written out, so that they stay in registers: of an open length once if there is any. */
static void step_left(gali_lowering *l, const lanes_sum *s, const gali_loop_index *at,
                      const gali_loop_index *left, const gali_loop_index *length, const gali_scalar *value) {
    gali_loop_statement **outside = l->tail;
    gali_loop_index from = *at;
    uint32_t vectors = PARTS / s->lanes;
    if (left->count) {
        gali_loop_index any = gali_lower_let(l, GALI_LOOP_LEAST, *left, gali_loop_number(1), 0, 1, NULL);
        gali_loop_index once = gali_lower_open(l, "once", &any);
        gali_loop_index_add(&from, &once, 1); /* 0, and less than what is left */
    } else {
        vectors = ((uint32_t)left->constant + s->lanes - 1) / s->lanes;
    }
    for (uint32_t v = 0; v < vectors; v++) {
        step_left_vector(l, s, &from, left, length, v, value);
    }
    gali_lower_close(l, outside);
}

/* place[v][j] = lanes v + j */
static void number_places(gali_lowering *l, const lanes_sum *s) {
    gali_loop_statement **outside = l->tail;
    gali_loop_index vectors = gali_loop_number(PARTS / s->lanes), lanes = gali_loop_number(s->lanes);
    gali_loop_index turn = gali_lower_open(l, "v", &vectors), lane = gali_lower_open(l, "j", &lanes),
                    place = lane;
    gali_loop_index_add(&place, &turn, s->lanes);
    const gali_loop_access own = {.buffer = s->place, .lanes = 1, .index = {turn, lane}};
    gali_lower_put(l, &own, gali_loop_cast(l->arena, GALI_f32, gali_loop_at(l->arena, &place)));
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

/* sum[v] = op(sum[v], from[v + by]) for `count` vectors. */
static void add_vectors(gali_lowering *l, const lanes_sum *s, const gali_loop_buffer *from, uint32_t by,
                        uint32_t count) {
    gali_loop_statement **outside = l->tail;
    gali_loop_index turn = open_parts(l, count, s->lanes);
    gali_loop_access own = vector_of(s, s->sum, &turn), other = vector_of(s, from, &turn);
    other.index[0].constant += by;
    gali_lower_put(l, &own,
                   gali_loop_apply(l->arena, gali_lower_op(s->op), gali_loop_load(l->arena, &own, NULL),
                                   gali_loop_load(l->arena, &other, NULL), NULL));
    gali_lower_close(l, outside);
}

/* The first `count` vectors of the sum in all[]. */
static void gather(gali_lowering *l, const lanes_sum *s, uint32_t count) {
    gali_loop_statement **outside = l->tail;
    gali_loop_index turn = open_parts(l, count, s->lanes), none = gali_loop_number(0);
    gali_loop_access from = vector_of(s, s->sum, &turn), to = vector_of(s, s->all, &none);
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

static int make_locals(gali_lowering *l, lanes_sum *s, int has_rest) {
    const uint32_t side[] = {PARTS / s->lanes, s->lanes}, one[] = {PARTS};
    int masked = has_rest && s->lanes > 1;
    s->sum = gali_lower_local(l, "sum", GALI_f32, 2, side);
    s->all = gali_lower_local(l, "all", GALI_f32, 1, one);
    s->rest = !has_rest      ? NULL
              : s->lanes > 1 ? gali_lower_local(l, "rest", GALI_f32, 2, side)
                             : gali_lower_local(l, "rest", GALI_f32, 1, one);
    s->term = masked ? gali_lower_local(l, "term", GALI_f32, 1, &s->lanes) : NULL;
    return s->sum && s->all && (!has_rest || s->rest) && (!masked || s->term);
}

/* all[0] of the sum, and of what is left. */
static void add_up(gali_lowering *l, const lanes_sum *s, const gali_loop_index *left) {
    uint32_t parts = PARTS;
    if (s->rest && s->lanes > 1) {
        add_vectors(l, s, s->rest, 0, PARTS / s->lanes);
    }
    for (; s->lanes > 1 && parts > s->lanes; parts /= 2) {
        add_vectors(l, s, s->sum, parts / 2 / s->lanes, parts / 2 / s->lanes);
    }
    gather(l, s, parts / s->lanes);
    if (s->rest && s->lanes == 1) {
        add_parts(l, s, s->rest, 0, left);
    }
    for (uint32_t by = parts / 2; by > 0; by /= 2) {
        gali_loop_index count = gali_loop_number(by);
        add_parts(l, s, s->all, by, &count);
    }
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
    if (has_rest && s.lanes > 1) {
        const uint32_t side[] = {PARTS / s.lanes, s.lanes};
        s.place = gali_lower_local(l, "place", GALI_f32, 2, side);
        if (!s.place) {
            return;
        }
        number_places(l, &s);
    }
    gali_lower_open_axes(l, 0, stage->rank);
    if (!make_locals(l, &s, has_rest)) {
        return;
    }
    step(l, &s, s.sum, &whole, &length, start);
    if (has_rest && s.lanes > 1) {
        step(l, &s, s.rest, &whole, &length, start);
    } else if (has_rest) {
        for_parts(l, &parts, s.rest, NULL, GALI_NONE, start);
    }
    gali_loop_statement **block = l->tail;
    gali_lower_open_axes(l, stage->rank, s.axis);
    gali_loop_statement **outside = l->tail;
    gali_loop_index turn = gali_lower_open(l, "k", &rounds);
    gali_loop_index_add(&whole, &turn, PARTS);
    step(l, &s, s.sum, &whole, &length, stage->value);
    gali_lower_close(l, outside);
    if (has_rest && s.lanes > 1) {
        step_left(l, &s, &at, &left, &length, stage->value);
    } else if (has_rest) {
        for_parts(l, &left, s.rest, &at, s.axis, stage->value);
    }
    gali_lower_close(l, block);
    add_up(l, &s, &left);
    finish(l, &s, stage->finish);
}
