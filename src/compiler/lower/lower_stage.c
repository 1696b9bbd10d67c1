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

void gali_lower_open_summed(gali_lowering *l, gali_lower_span *open, uint32_t axis, uint32_t part) {
    for (; open->axis < axis; *open = (gali_lower_span){.axis = open->axis + 1}) {
        gali_extent all = l->stage->extent[l->stage->rank + open->axis];
        gali_loop_index extent = open->part ? gali_loop_number(open->part) : gali_lower_extent(l, all);
        gali_loop_index turn = gali_lower_open(l, "k", &extent);
        gali_loop_index_add(&turn, &open->base, 1);
        l->axis[l->stage->rank + open->axis] = turn;
    }
    if (part && part != open->part) {
        int64_t all = open->part ? open->part : l->stage->extent[l->stage->rank + axis];
        gali_loop_index count = gali_loop_number(all / part), turn = gali_lower_open(l, "block", &count);
        gali_loop_index_add(&open->base, &turn, part);
        open->part = part;
    }
}

const gali_loop_value *gali_lower_added(gali_lowering *l, const gali_loop_access *a,
                                        const gali_loop_access *b) {
    return gali_loop_apply(l->arena, gali_lower_op(GALI_SCALAR_add), gali_loop_load(l->arena, a, NULL),
                           gali_loop_load(l->arena, b, NULL), NULL);
}

gali_loop_access gali_lower_result(gali_lowering *l) {
    gali_loop_access to = {.buffer = gali_lower_parameter(l, l->stage->tensor), .lanes = 1};
    for (uint32_t i = 0; i < l->stage->rank; i++) {
        uint32_t axis = gali_lower_axis(l, i);
        to.index[i] = l->axis[axis];
        to.index[i].constant += l->p->tensors[l->stage->tensor].before[axis];
        to.index[i].constant += axis == l->piece ? l->piece_first : 0;
    }
    return to;
}

static void lower_plain(gali_lowering *l) {
    gali_lower_open_axes(l, 0, l->stage->rank);
    gali_loop_access to = gali_lower_result(l);
    gali_lower_store(l, &to, l->stage->value);
}

static int has_vectors(const gali_lowering *l) {
    return l->p->target && l->p->target->lanes > 1 && !l->plain;
}

void gali_lower_elements(gali_lowering *l) {
    if (!has_vectors(l) || !gali_lower_vectors(l)) {
        lower_plain(l);
    }
}

/* Sums that go on side by side, of a strip of the last axis in memory, or one. */
typedef struct strip {
    uint32_t axis; /* GALI_NONE: one sum */
    gali_loop_index at, size, length;
    int even;                            /* all strips of the axis are whole */
    const gali_loop_buffer *sum, *block; /* block: of a sum in blocks the open one's */
} sum_strip;

static void make_locals(gali_lowering *l, sum_strip *s, const uint32_t *count) {
    gali_element element = l->stage->value->element;
    s->sum = gali_lower_local(l, "sum", element, count != NULL, count);
    s->block = l->blocked ? gali_lower_local(l, "block", element, count != NULL, count) : s->sum;
}

/* Opens the loop of a strip; where in the buffer its sum is, which is `self`. */
static gali_loop_access open_strip(gali_lowering *l, const sum_strip *s, const gali_loop_buffer *buffer) {
    gali_loop_access access = {.buffer = buffer, .lanes = 1};
    if (s->axis != GALI_NONE) {
        gali_loop_index in = gali_lower_open(l, "j", &s->size);
        gali_lower_bounds *b = gali_lower_bounds_of(l, in.count ? in.term[0].variable : NULL);
        l->axis[s->axis] = s->at;
        gali_loop_index_add(&l->axis[s->axis], &in, 1);
        if (b && !s->even) { /* at + j < length, which bounds of variables alone do not tell */
            b->below = s->length;
            gali_loop_index_add(&b->below, &s->at, -1);
        }
        access.index[0] = in;
    }
    l->self = gali_loop_load(l->arena, &access, NULL);
    return access;
}

static void set_strip(gali_lowering *l, const sum_strip *s, const gali_loop_buffer *buffer,
                      const gali_scalar *value) {
    gali_loop_statement **outside = l->tail;
    gali_loop_access to = open_strip(l, s, buffer);
    gali_lower_store(l, &to, value);
    gali_lower_close(l, outside);
}

static void add_block(gali_lowering *l, const sum_strip *s) {
    gali_loop_statement **outside = l->tail;
    gali_loop_access to = open_strip(l, s, s->sum), from = to;
    from.buffer = s->block;
    gali_lower_put(l, &to, gali_lower_added(l, &to, &from));
    gali_lower_close(l, outside);
}

static void store_strip(gali_lowering *l, const sum_strip *s) {
    gali_scalar self = {.op = GALI_SCALAR_self, .element = l->stage->value->element};
    gali_loop_statement **outside = l->tail;
    open_strip(l, s, s->sum);
    gali_loop_access to = gali_lower_result(l);
    gali_lower_store(l, &to, l->stage->finish ? l->stage->finish : &self);
    gali_lower_close(l, outside);
}

static void take_sum(gali_lowering *l, const sum_strip *s) {
    const gali_scalar zero = {.op = GALI_SCALAR_number, .element = l->stage->value->element};
    gali_lower_span open = {.axis = 0};
    if (!s->sum || !s->block) {
        return;
    }
    set_strip(l, s, s->sum, l->stage->start);
    gali_loop_statement **outside = l->tail;
    if (l->blocked) {
        gali_lower_open_summed(l, &open, l->blocks.outer, l->blocks.part);
        set_strip(l, s, s->block, &zero);
    }
    gali_loop_statement **within = l->tail;
    gali_lower_open_summed(l, &open, l->stage->reduced, 0);
    set_strip(l, s, s->block, l->stage->value);
    gali_lower_close(l, within);
    if (l->blocked) {
        add_block(l, s);
    }
    gali_lower_close(l, outside);
    store_strip(l, s);
}

/* One element at a time: a stage without axes, or whose last axis is short. */
static void lower_sum(gali_lowering *l) {
    sum_strip s = {.axis = GALI_NONE};
    gali_lower_open_axes(l, 0, l->stage->rank);
    make_locals(l, &s, NULL);
    take_sum(l, &s);
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
    uint32_t last = gali_lower_axis(l, l->stage->rank - 1), count = strip_of(l->stage->extent[last]);
    sum_strip s = {.axis = last, .at = gali_loop_number(0), .size = gali_loop_number(count)};
    s.length = gali_lower_extent(l, l->stage->extent[last]);
    s.even = gali_extent_is_number(l->stage->extent[last]) && l->stage->extent[last] % count == 0;
    gali_lower_open_axes(l, 0, l->stage->rank - 1);
    if (!s.even || l->stage->extent[last] != count) {
        int64_t least, most;
        gali_lower_range(l, &s.length, &least, &most);
        gali_loop_index rounds = s.even ? gali_loop_number(l->stage->extent[last] / count)
                                        : gali_lower_let(l, GALI_LOOP_ROUNDS, s.length, gali_loop_number(count),
                                                         1, (most + count - 1) / count, NULL);
        gali_loop_index round = gali_lower_open(l, "strip", &rounds);
        gali_loop_index_add(&s.at, &round, count);
        if (!s.even) {
            gali_loop_index left = s.length;
            gali_loop_index_add(&left, &s.at, -1);
            s.size = gali_lower_let(l, GALI_LOOP_LEAST, gali_loop_number(count), left, 1, count, NULL);
        }
    }
    make_locals(l, &s, &count);
    take_sum(l, &s);
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
    l->piece = GALI_NONE;
    l->blocks = stage->blocks;
    l->blocked = stage->blocks.outer || stage->blocks.part;
}

/* What is summed, term by term: each is an item. */
static void lower_terms(gali_lowering *l) {
    gali_lower_open_axes(l, 0, l->stage->rank + l->stage->reduced);
    gali_loop_access to = gali_lower_result(l);
    gali_lower_store(l, &to, l->stage->value);
}

void gali_lower_items(gali_lowering *l, const gali_program_stage *stage) {
    uint32_t axes = stage->rank + (stage->start ? 0 : stage->reduced);
    begin_stage(l, stage);
    if (!stage->start && stage->reduced) {
        lower_terms(l);
    } else if (stage->reduced) {
        lower_sum(l);
    } else {
        lower_plain(l);
    }
    gali_loop_statement *loop = l->f->body;
    for (uint32_t d = 0; d < axes && loop && loop->kind == GALI_LOOP_FOR; d++, loop = loop->body) {
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
    if (!stage->reduced) {
        if (l->plain || !gali_lower_pieces(l)) {
            gali_lower_elements(l);
        }
        return;
    }
    if (has_vectors(l) && !(l->p->without & GALI_WITHOUT_TILE) && gali_lower_tile(l)) {
        return;
    }
    if (gali_extent_is_number(last) && last < 4) {
        lower_sum(l);
    } else {
        lower_strips(l);
    }
}
