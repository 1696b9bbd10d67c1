/*
 * A sum's tile as a schedule, in the words of schedule/schedule.h; lower.h says which. Entries are taken one by one, each
 * checked against the sum and those before it; what is refused is named by its number and text.
 */
#include <stdio.h>
#include <string.h>

#include "compiler/lower/tile.h"

enum { ROWS_MOST = 32, VECTORS_MOST = 16, UNROLL_MOST = 16 };

typedef struct reading {
    gali_lowering *l;
    gali_sum_tile *t;
    const gali_schedule *schedule;
    uint32_t at;    /* the entry */
    int vectorized; /* the axis of the vectors is said */
    int paneled;    /* and the panels' */
    uint32_t block; /* 1 + the summed axis that is split; 0: none is */
} reading;

static int refuse(const reading *r, const char *message) {
    return gali_lower_refuse(r->l, r->schedule, r->at, message);
}

/* The axis that a name with this ending is of; GALI_NONE: it is none. */
static uint32_t axis_of(const reading *r, const char *name, const char *ending) {
    const gali_program_stage *stage = r->l->stage;
    unsigned number;
    int end = 0;
    if ((*name != 'i' && *name != 'k') || sscanf(name + 1, "%3u%n", &number, &end) != 1 ||
        strcmp(name + 1 + end, ending) != 0) {
        return GALI_NONE;
    }
    uint32_t all = *name == 'i' ? stage->rank : stage->reduced;
    return number >= all ? GALI_NONE : *name == 'i' ? number : stage->rank + number;
}

/* Whether loops over an axis of the result are the sum's own, not shared with the group's other stages. */
static int is_own(const gali_lowering *l, uint32_t axis) {
    for (uint32_t d = 0; d < l->shared; d++) {
        if (gali_lower_axis(l, d) == axis) {
            return 0;
        }
    }
    return axis < l->stage->rank;
}

static int read_vectorize(reading *r, const gali_schedule_entry *e) {
    gali_lowering *l = r->l;
    uint32_t axis = axis_of(r, e->target, "");
    if (r->vectorized || axis == GALI_NONE || !is_own(l, axis)) {
        return refuse(r, r->vectorized ? "there are vectors already" : "not an axis of the sum's own result");
    }
    if (e->number != l->p->target->lanes) {
        return refuse(r, "not the lanes of the target");
    }
    uint32_t d = 0;
    while (gali_lower_axis(l, d) != axis) {
        d++;
    }
    if (!gali_tile_along(l, r->t, d) || !gali_tile_may_pack(l, r->t)) {
        return refuse(r, "the sum has no lanes along this axis");
    }
    r->t->row = GALI_NONE;
    r->t->rows = 1;
    r->vectorized = 1;
    return 1;
}

/* Of the vectors' axis a panel's width, of another of the result the rows, of a summed one the block. */
static int read_split(reading *r, const gali_schedule_entry *e) {
    const gali_program_stage *stage = r->l->stage;
    gali_sum_tile *t = r->t;
    uint32_t axis = axis_of(r, e->target, "");
    if (axis == GALI_NONE || (axis < stage->rank && !is_own(r->l, axis))) {
        return refuse(r, "not an axis of the sum's own");
    }
    if (axis == t->vector && !r->paneled && e->number <= VECTORS_MOST) {
        t->vectors = e->number;
        r->paneled = 1;
        return 1;
    }
    if (axis < stage->rank && axis != t->vector && t->row == GALI_NONE && e->number <= ROWS_MOST &&
        !gali_tile_is_around(t, axis)) {
        t->row = axis;
        t->rows = e->number;
        return 1;
    }
    if (axis < stage->rank) {
        return refuse(r, "it, or another axis as rows, is split already, or the number is too large");
    }
    if (r->block || !gali_extent_is_number(stage->extent[axis]) || stage->extent[axis] % e->number ||
        stage->extent[axis] == e->number) {
        return refuse(r, r->block ? "a block is there already" : "not in blocks of one size");
    }
    r->block = axis + 1;
    t->block = e->number;
    return 1;
}

/* A whole axis around panels, behind those that are there already. */
static int read_around(reading *r, uint32_t axis) {
    gali_sum_tile *t = r->t;
    if (!is_own(r->l, axis) || !gali_tile_is_inside(t, axis)) {
        return refuse(r, "not an axis that panels could go around, or it is around them already");
    }
    t->around[t->around_count++] = axis;
    return 1;
}

static int read_reorder(reading *r, const gali_schedule_entry *e) {
    gali_sum_tile *t = r->t;
    uint32_t whole = axis_of(r, e->target, ""), part = axis_of(r, e->target, ".o"),
             around = axis_of(r, e->argument, ".o");
    uint32_t next = r->l->stage->rank + t->outer; /* the summed axis whose turn it is to go out */
    if (part != GALI_NONE && part == t->row && around == t->vector && !t->outer && !r->block) {
        t->rows_outside = 1;
        return 1;
    }
    if (whole < r->l->stage->rank && whole != t->row && around == t->vector) {
        return read_around(r, whole);
    }
    if (around == GALI_NONE || around != t->row || t->rows_outside) {
        return refuse(r, "only the sum goes around rows, and rows around panels");
    }
    if (whole == next && r->block != next + 1 && t->outer + 1 < r->l->stage->reduced) {
        t->outer++;
        return 1;
    }
    return part == next && r->block == next + 1 && t->block
               ? 1
               : refuse(r, "summed axes go out one after the other, and a part of the last one stays");
}

static int read_unroll(reading *r, const gali_schedule_entry *e) {
    const gali_program_stage *stage = r->l->stage;
    uint32_t last = stage->rank + stage->reduced - 1;
    if (axis_of(r, e->target, r->block == last + 1 ? ".i" : "") != last || e->number < 2 ||
        e->number > UNROLL_MOST) {
        return refuse(r, "only the innermost loop of the sum, 2 to 16 turns at a time");
    }
    r->t->unroll = e->number;
    return 1;
}

static int read_parallel(reading *r, const gali_schedule_entry *e) {
    uint32_t axis = axis_of(r, e->target, "");
    if (axis == GALI_NONE || axis >= r->l->stage->rank) {
        return refuse(r, "not an axis of the result");
    }
    r->t->parallel = axis;
    return 1;
}

static int read_entry(reading *r, const gali_schedule_entry *e) {
    if (!r->vectorized && e->primitive != GALI_PRIMITIVE_VECTORIZE) {
        return refuse(r, "vectors come first");
    }
    switch (e->primitive) {
    case GALI_PRIMITIVE_VECTORIZE:
        return read_vectorize(r, e);
    case GALI_PRIMITIVE_SPLIT:
        return read_split(r, e);
    case GALI_PRIMITIVE_REORDER:
        return read_reorder(r, e);
    case GALI_PRIMITIVE_UNROLL:
        return read_unroll(r, e);
    case GALI_PRIMITIVE_PARALLEL:
        return read_parallel(r, e);
    default:
        return refuse(r, "not for a sum in a tile");
    }
}

/* Whether the tile's blocks end within one of the sum's own, which is taken in one go. */
static int cuts_block(const gali_lowering *l, const gali_sum_tile *t) {
    const gali_sum_blocks *own = &l->blocks;
    return l->blocked && (t->outer > own->outer ||
                          (t->outer == own->outer && t->block && (!own->part || t->block % own->part)));
}

int gali_tile_read(gali_lowering *l, const gali_schedule *schedule, gali_sum_tile *t) {
    reading r = {.l = l, .t = t, .schedule = schedule};
    int good = 1;
    for (; good && r.at < schedule->count; r.at += (uint32_t)good) {
        good = read_entry(&r, &schedule->entry[r.at]);
    }
    if (good && !r.vectorized) {
        return refuse(&r, "nothing is vectorized");
    }
    if (good && r.block && t->outer + l->stage->rank + 1 != r.block) {
        return refuse(&r, "a block stands where nothing goes around it");
    }
    if (good && cuts_block(l, t)) {
        return refuse(&r, "a block of the tile ends within one of the sum");
    }
    if (good && (t->outer || t->block)) {
        t->all_rows = gali_tile_block_rows(l, t);
        return t->all_rows ? 1 : refuse(&r, "blocks of open sizes, or more sums than a local holds");
    }
    return good;
}

static void name_axis(const gali_lowering *l, uint32_t axis, const char *ending,
                      char name[GALI_LOOP_NAME_MAX]) {
    int summed = axis >= l->stage->rank;
    snprintf(name, GALI_LOOP_NAME_MAX, "%c%u%s", summed ? 'k' : 'i', summed ? axis - l->stage->rank : axis,
             ending);
}

/* Summed axes around the rows: whole ones, then a part of the next. */
static void write_blocks(const gali_lowering *l, const gali_sum_tile *t, gali_schedule *schedule) {
    char name[GALI_LOOP_NAME_MAX], rows[GALI_LOOP_NAME_MAX];
    name_axis(l, t->row, ".o", rows);
    for (uint32_t i = 0; i < t->outer; i++) {
        name_axis(l, l->stage->rank + i, "", name);
        gali_schedule_add(schedule, GALI_PRIMITIVE_REORDER, name, rows, 0);
    }
    if (t->block) {
        name_axis(l, l->stage->rank + t->outer, "", name);
        gali_schedule_add(schedule, GALI_PRIMITIVE_SPLIT, name, NULL, t->block);
        name_axis(l, l->stage->rank + t->outer, ".o", name);
        gali_schedule_add(schedule, GALI_PRIMITIVE_REORDER, name, rows, 0);
    }
}

void gali_tile_write(const gali_lowering *l, const gali_sum_tile *t, gali_schedule *schedule) {
    char name[GALI_LOOP_NAME_MAX], other[GALI_LOOP_NAME_MAX];
    uint32_t last = l->stage->rank + l->stage->reduced - 1;
    gali_schedule_clear(schedule);
    name_axis(l, t->vector, "", name);
    gali_schedule_add(schedule, GALI_PRIMITIVE_VECTORIZE, name, NULL, l->p->target->lanes);
    gali_schedule_add(schedule, GALI_PRIMITIVE_SPLIT, name, NULL, t->vectors);
    if (t->row != GALI_NONE) {
        name_axis(l, t->row, "", name);
        gali_schedule_add(schedule, GALI_PRIMITIVE_SPLIT, name, NULL, t->rows);
        write_blocks(l, t, schedule);
    }
    if (t->rows_outside) {
        name_axis(l, t->row, ".o", name);
        name_axis(l, t->vector, ".o", other);
        gali_schedule_add(schedule, GALI_PRIMITIVE_REORDER, name, other, 0);
    }
    for (uint32_t i = 0; i < t->around_count; i++) {
        name_axis(l, t->around[i], "", name);
        name_axis(l, t->vector, ".o", other);
        gali_schedule_add(schedule, GALI_PRIMITIVE_REORDER, name, other, 0);
    }
    if (t->unroll) {
        name_axis(l, last, t->block && l->stage->rank + t->outer == last ? ".i" : "", name);
        gali_schedule_add(schedule, GALI_PRIMITIVE_UNROLL, name, NULL, t->unroll);
    }
    if (t->parallel != GALI_NONE) {
        name_axis(l, t->parallel, "", name);
        gali_schedule_add(schedule, GALI_PRIMITIVE_PARALLEL, name, NULL, 0);
    }
}

void gali_tile_tell(gali_lowering *l, const gali_sum_tile *t) {
    const gali_program_stage *stage = l->stage;
    gali_lowered_sum *sum = &l->out->sum;
    gali_tile_write(l, t, &sum->schedule);
    gali_lower_tell(l);
    for (uint32_t d = l->shared; d < stage->rank; d++) {
        uint32_t axis = gali_lower_axis(l, d);
        gali_sum_tile along;
        sum->vectors |= (uint32_t)(gali_tile_along(l, &along, d) && gali_tile_may_pack(l, &along)) << axis;
        sum->rows |= (uint32_t)(sum->extent[axis] > 1) << axis;
    }
}
