/* A stage as loops over its axes. */
#include "compiler/lower/lowering.h"

enum {
    STRIP = 32, /* elements of a reduction that are summed side by side */
    STRIP_LARGEST = 64,
};

gali_loop_index gali_lower_open(gali_lowering *l, const char *stem, const gali_loop_index *extent) {
    const gali_loop_variable *variable = gali_lower_variable(l, stem);
    gali_loop_statement *s = gali_loop_add_statement(l->arena, GALI_LOOP_FOR);
    int64_t least, most;
    if (!variable || !s) {
        gali_lower_fail(l, "no memory, or a limit of loops");
        return gali_loop_number(0);
    }
    s->variable = (gali_loop_variable *)variable;
    s->extent = *extent;
    gali_lower_append(l, s);
    l->tail = &s->body;
    gali_lower_range(l, extent, &least, &most);
    gali_lower_set_bounds(l, variable, 0, most - 1, extent);
    return gali_loop_of(variable);
}

uint32_t gali_lower_axis(const gali_lowering *l, uint32_t d) {
    return d < l->stage->rank ? l->p->tensors[l->stage->tensor].order[d] : d;
}

void gali_lower_open_axes(gali_lowering *l, uint32_t first, uint32_t last) {
    for (uint32_t i = first < l->shared ? l->shared : first; i < last; i++) {
        gali_loop_index extent = gali_lower_extent(l, l->stage->extent[gali_lower_axis(l, i)]);
        l->axis[gali_lower_axis(l, i)] = gali_lower_open(l, i < l->stage->rank ? "i" : "k", &extent);
    }
}

gali_loop_access gali_lower_result(gali_lowering *l) {
    gali_loop_access to = {.buffer = gali_lower_parameter(l, l->stage->tensor), .lanes = 1};
    for (uint32_t i = 0; i < l->stage->rank; i++) {
        to.index[i] = l->axis[gali_lower_axis(l, i)];
    }
    return to;
}

static void lower_plain(gali_lowering *l) {
    gali_lower_open_axes(l, 0, l->stage->rank);
    gali_loop_access to = gali_lower_result(l);
    gali_lower_store(l, &to, l->stage->value);
}

static gali_loop_access sum_at(gali_lowering *l, const gali_loop_buffer *local, const gali_loop_index *at) {
    gali_loop_access access = {.buffer = local, .lanes = 1};
    access.index[0] = at ? *at : gali_loop_number(0);
    l->self = gali_loop_load(l->arena, &access, NULL);
    return access;
}

/* One element at a time: a stage without axes, or whose last axis is short. */
static void lower_sum(gali_lowering *l) {
    gali_lower_open_axes(l, 0, l->stage->rank);
    gali_loop_buffer *local = gali_lower_local(l, "sum", l->stage->value->element, 0, NULL);
    if (!local) {
        return;
    }
    gali_loop_access sum = sum_at(l, local, NULL);
    gali_lower_store(l, &sum, l->stage->start);
    gali_loop_statement **after = l->tail;
    gali_lower_open_axes(l, l->stage->rank, l->stage->rank + l->stage->reduced);
    gali_lower_store(l, &sum, l->stage->value);
    gali_lower_close(l, after);
    gali_loop_access to = gali_lower_result(l);
    gali_scalar self = {.op = GALI_SCALAR_self, .element = l->stage->value->element};
    gali_lower_store(l, &to, l->stage->finish ? l->stage->finish : &self);
}

/* The largest divisor of a row's length that strips may have; STRIP where there is none. */
static uint32_t strip_of(gali_extent length) {
    if (!gali_extent_is_number(length)) {
        return STRIP;
    }
    if (length <= STRIP_LARGEST) {
        return (uint32_t)length;
    }
    for (uint32_t strip = STRIP_LARGEST; strip >= STRIP / 2; strip--) {
        if (length % strip == 0) {
            return strip;
        }
    }
    return STRIP;
}

/* Strips of the last axis in memory: in each all sums go on side by side. */
static void lower_strips(gali_lowering *l) {
    uint32_t last = gali_lower_axis(l, l->stage->rank - 1), strip = strip_of(l->stage->extent[last]);
    gali_loop_index length = gali_lower_extent(l, l->stage->extent[last]), size = gali_loop_number(strip);
    gali_loop_index at = gali_loop_number(0);
    int even = gali_extent_is_number(l->stage->extent[last]) && l->stage->extent[last] % strip == 0;
    gali_lower_open_axes(l, 0, l->stage->rank - 1);
    if (!even || l->stage->extent[last] != strip) {
        int64_t least, most;
        gali_lower_range(l, &length, &least, &most);
        gali_loop_index rounds = even ? gali_loop_number(l->stage->extent[last] / strip)
                                      : gali_lower_let(l, GALI_LOOP_ROUNDS, length, gali_loop_number(strip), 1,
                                                       (most + strip - 1) / strip, NULL);
        gali_loop_index round = gali_lower_open(l, "strip", &rounds);
        gali_loop_index_add(&at, &round, strip);
        if (!even) {
            gali_loop_index left = length;
            gali_loop_index_add(&left, &at, -1);
            size = gali_lower_let(l, GALI_LOOP_LEAST, gali_loop_number(strip), left, 1, strip, NULL);
        }
    }
    gali_loop_buffer *local = gali_lower_local(l, "sum", l->stage->value->element, 1, &strip);
    if (!local) {
        return;
    }
    gali_scalar self = {.op = GALI_SCALAR_self, .element = l->stage->value->element};
    const gali_scalar *parts[] = {l->stage->start, l->stage->value,
                                  l->stage->finish ? l->stage->finish : &self};
    for (int part = 0; part < 3; part++) {
        gali_loop_statement **outside = l->tail;
        if (part == 1) {
            gali_lower_open_axes(l, l->stage->rank, l->stage->rank + l->stage->reduced);
        }
        gali_loop_index in = gali_lower_open(l, "j", &size);
        gali_lower_bounds *b = gali_lower_bounds_of(l, in.count ? in.term[0].variable : NULL);
        l->axis[last] = at;
        gali_loop_index_add(&l->axis[last], &in, 1);
        if (b && !even) { /* at + j < length, which bounds of variables alone do not tell */
            b->below = length;
            gali_loop_index_add(&b->below, &at, -1);
        }
        gali_loop_access sum = sum_at(l, local, &in);
        gali_loop_access to = part == 2 ? gali_lower_result(l) : sum;
        gali_lower_store(l, &to, parts[part]);
        gali_lower_close(l, outside);
    }
}

void gali_lower_nest(gali_lowering *l, const gali_program_stage *first, uint32_t count) {
    l->stage = first;
    l->tail = &l->f->body;
    l->shared = 0;
    gali_lower_open_axes(l, 0, count);
    l->shared = count;
    l->inside = l->tail;
}

static void begin_stage(gali_lowering *l, const gali_program_stage *stage) {
    gali_lower_close(l, l->inside);
    l->stage = stage;
    l->self = NULL;
    l->known_count = 0;
    l->lanes = 1;
    l->vector = GALI_NONE;
}

void gali_lower_items(gali_lowering *l, const gali_program_stage *stage) {
    begin_stage(l, stage);
    if (stage->reduced) {
        lower_sum(l);
    } else {
        lower_plain(l);
    }
    gali_loop_statement *loop = l->f->body;
    for (uint32_t d = 0; d < stage->rank && loop && loop->kind == GALI_LOOP_FOR; d++, loop = loop->body) {
        loop->mark = GALI_LOOP_ITEM;
    }
}

void gali_lower_stage(gali_lowering *l, const gali_program_stage *stage) {
    begin_stage(l, stage);
    gali_extent last = stage->rank ? stage->extent[gali_lower_axis(l, stage->rank - 1)] : 1;
    if (stage->patterns && !l->plain && gali_lower_patterns(l)) {
        return;
    }
    if (stage->parted) {
        gali_lower_parts(l);
        return;
    }
    int lanes = l->p->target && l->p->target->lanes > 1;
    if (lanes && !l->plain &&
        (stage->reduced ? !(l->p->without & GALI_WITHOUT_TILE) && gali_lower_tile(l) : gali_lower_vectors(l))) {
        return;
    }
    if (!stage->reduced) {
        lower_plain(l);
    } else if (gali_extent_is_number(last) && last < 4) {
        lower_sum(l);
    } else {
        lower_strips(l);
    }
}
