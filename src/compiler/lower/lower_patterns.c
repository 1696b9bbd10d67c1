/*
 * Sums over the kernels that pruning left (program/patterns.h), in tiles of R rows of one vector:
 *
 *     for tiles of rows { for vectors of columns { for f in filters {
 *         m = reorder[f]
 *         for r in R: sum[r] = start
 *         for each pattern { for k in the kernels that m has of it {
 *             c = index[..]
 *             for the columns that the pattern keeps { for i in R + 2: x = tiles[.. c][i][column ..]
 *                 for the taps of that column, of row t: sum[i - t] = fma(x, weight[..][tap], sum[i - t]) } } }
 *         for r in R: y[m][r] = finish(sum[r])
 *
 * A schedule has fewer rows at a time than tiles in memory have, or the loop of filters around those of vectors or tiles (lower.h).
 *
 * Of fields (program/fields.h) R rows and C columns of vectors are summed at a time, strip by strip; the sums of a block that is
 * not the last are stored as they are.
 *
 * Patterns and taps are written out, so a vector is loaded once for all rows of results and all taps that want it: of four taps
 * in two columns 2 (R + 2) loads instead of 4 R. Each result has its kernels, and the taps of each, in one order whatever R and
 * the lanes are.
 */
#include <string.h>

#include "compiler/lower/pictures.h"
#include "compiler/program/patterns.h"

/* Where the loop of filters stands: innermost of those over results, or around others. */
typedef enum filters { FILTERS_INSIDE, FILTERS_AROUND_VECTORS, FILTERS_AROUND_TILES } filters;

typedef struct sparse {
    gali_lowering *l;
    const gali_patterns *of;
    uint32_t most; /* rows that are summed at a time; 0: not said yet */
    filters filters;
    uint32_t lanes, rows;        /* of those that are made */
    uint32_t columns;            /* vectors beside each other: of fields; else 1 */
    uint32_t step;               /* results of a vector: its lanes, or what rotating leaves of them */
    int rotates;                 /* rows of tiles are a vector each, which is rotated towards a tap's column */
    gali_loop_buffer *sum, *row; /* locals [rows * columns][lanes], [rows + 2][lanes] */
    gali_loop_index height, width, tile, first_row, filter, first_column, tile_column, column;
    gali_loop_index part_row;      /* of the tile in memory, or of the strip, the first that is summed */
    gali_loop_index strip, place;  /* place: the vector beside others */
    const gali_loop_buffer *tiles; /* view [1][..] of fields: what is read of a channel */
} sparse;

/* ---- integers ---- */

static gali_loop_index looked_up(sparse *s, uint32_t tensor, const gali_loop_index *index, uint32_t rank,
                                 uint32_t most) {
    gali_lowering *l = s->l;
    const gali_loop_buffer *buffer = gali_lower_parameter(l, tensor);
    gali_loop_variable *variable = (gali_loop_variable *)gali_lower_variable(l, "at");
    gali_loop_statement *let = gali_loop_add_statement(l->arena, GALI_LOOP_LET);
    if (!buffer || !variable || !let) {
        gali_lower_fail(l, "no memory, or a limit of loops");
        return gali_loop_number(0);
    }
    variable->most = most;
    let->variable = variable;
    let->let = GALI_LOOP_LOOKUP;
    let->lookup = (gali_loop_access){.buffer = buffer, .lanes = 1};
    for (uint32_t i = 0; i < rank; i++) {
        let->lookup.index[i] = index[i];
    }
    gali_lower_append(l, let);
    gali_lower_set_bounds(l, variable, 0, most, NULL);
    return gali_loop_of(variable);
}

static gali_loop_index plus(gali_loop_index a, const gali_loop_index *b, int64_t scale) {
    gali_loop_index_add(&a, b, scale);
    return a;
}

/* ---- a tile ---- */

static gali_loop_access local_at(const sparse *s, const gali_loop_buffer *local, const gali_loop_index *row) {
    return (gali_loop_access){.buffer = local, .lanes = s->lanes, .index = {*row, gali_loop_number(0)}};
}

/* For all rows: `to`, the sum or, NULL, the result, is the scalar. */
static void for_rows(sparse *s, const gali_loop_buffer *to, const gali_scalar *value) {
    gali_lowering *l = s->l;
    gali_loop_statement **outside = l->tail;
    gali_loop_index rows = gali_loop_number(s->rows), turn = gali_lower_open(l, "r", &rows);
    if (*outside) {
        (*outside)->mark = GALI_LOOP_UNROLL;
    }
    gali_lower_set_known(l, 2, plus(s->first_row, &turn, 1), &s->height);
    gali_lower_set_lanes(l, s->lanes > 1 ? 3 : GALI_NONE, s->lanes, s->first_column, &s->width);
    l->axis[3] = s->first_column;
    gali_loop_access own = local_at(s, s->sum, &turn);
    l->self = gali_loop_load(l->arena, &own, NULL);
    own = to ? own : gali_lower_result(l);
    own.lanes = s->lanes;
    own.first = !to && s->rotates ? s->step : 0;
    gali_lower_store(l, &own, value);
    gali_lower_set_lanes(l, GALI_NONE, 1, s->first_column, NULL);
    gali_lower_close(l, outside);
}

/* sum[to] = fma(row[from], weight, sum[to]) */
static void add_tap(sparse *s, uint32_t from, uint32_t to, const gali_loop_value *weight) {
    gali_arena *arena = s->l->arena;
    gali_loop_index row = gali_loop_number(from),
                    result = plus(gali_loop_number((int64_t)to * s->columns), &s->place, 1);
    gali_loop_access x = local_at(s, s->row, &row), sum = local_at(s, s->sum, &result);
    gali_lower_put(s->l, &sum,
                   gali_loop_apply(arena, gali_lower_op(GALI_SCALAR_fma), gali_loop_load(arena, &x, NULL),
                                   weight, gali_loop_load(arena, &sum, NULL)));
}

/* Whether a row of a channel's tile is wanted by the tap, in that column. */
static int wants(const sparse *s, uint8_t tap, uint32_t column, uint32_t row) {
    return tap % 3 == column && row >= tap / 3U && row - tap / 3U < s->rows;
}

/* The vector of tiles that a tap of that row and column reads. */
static gali_loop_access tiles_at(const sparse *s, const gali_loop_index *channel, gali_loop_index row,
                                 gali_loop_index column) {
    const gali_loop_index batch = s->l->axis[0];
    gali_loop_access at = {.buffer = gali_lower_parameter(s->l, s->of->tiles),
                           .lanes = s->lanes,
                           .index = {batch, s->tile, s->tile_column, *channel, plus(row, &s->part_row, 1),
                                     plus(column, &s->column, 1)}};
    if (s->of->fields.lanes) {
        gali_loop_index element = plus(gali_loop_number(0), &row, gali_patterns_row(&s->of->fields));
        gali_loop_index_add(&element, &column, s->lanes);
        at.buffer = s->tiles;
        at.index[0] = gali_loop_number(0);
        at.index[1] = plus(element, &s->place, s->lanes);
    }
    return at;
}

/*
 * Points at what is read of a channel's strip of fields: what is loaded of it is then at a constant from one register, else
 * compilers keep an address for each vector, and sums in memory for want of registers.
 */
static void point_at(sparse *s, const gali_loop_index *channel) {
    gali_lowering *l = s->l;
    const uint32_t row = gali_patterns_row(&s->of->fields);
    char name[GALI_LOOP_NAME_MAX];
    gali_lower_name(l, "at", name);
    gali_loop_buffer *view = gali_loop_add_buffer(l->f, name, GALI_LOOP_VIEW);
    gali_loop_statement *make = gali_loop_add_statement(l->arena, GALI_LOOP_MAKE);
    gali_loop_statement *point = gali_loop_add_statement(l->arena, GALI_LOOP_POINT);
    if (!view || !make || !point) {
        gali_lower_fail(l, "no memory, or too many views");
        return;
    }
    view->rank = 2;
    view->extent[0] = gali_loop_number(1);
    view->extent[1] = gali_loop_number((int64_t)(s->rows + GALI_PATTERNS_MARGIN) * row);
    make->local = view;
    point->from = (gali_loop_access){.buffer = gali_lower_parameter(l, s->of->tiles),
                                     .lanes = 1,
                                     .index = {l->axis[0], s->strip, *channel, gali_loop_number(0)}};
    gali_loop_index_add(&point->from.index[3], &s->part_row, row);
    point->to =
        (gali_loop_access){.buffer = view, .lanes = 1, .index = {gali_loop_number(0), gali_loop_number(0)}};
    gali_lower_append(l, make);
    gali_lower_append(l, point);
    s->tiles = view;
}

/* row[i] = the tile's row, from the column on; of several uses kept in a register, else compilers load it for each. */
static void load_row(sparse *s, uint32_t column, uint32_t row, const gali_loop_index *channel, int keep) {
    gali_lowering *l = s->l;
    gali_loop_index local = gali_loop_number(row);
    gali_loop_access to = local_at(s, s->row, &local);
    const uint32_t rotates = s->rotates ? column : 0;
    const gali_loop_access from = tiles_at(s, channel, local, gali_loop_number(column - rotates));
    const gali_loop_value *value = gali_loop_load(l->arena, &from, NULL);
    if (rotates) {
        const gali_loop_op op = rotates == 1 ? GALI_VALUE_ROTATE : GALI_VALUE_ROTATE_TWICE;
        value = gali_loop_apply(l->arena, op, value, NULL, NULL);
    }
    keep |= rotates > 0;
    gali_lower_put(l, &to, keep ? gali_loop_apply(l->arena, GALI_VALUE_KEEP, value, NULL, NULL) : value);
}

/* For all vectors beside each other; where what follows the loop stands. */
static gali_loop_statement **open_places(sparse *s) {
    gali_loop_statement **outside = s->l->tail;
    const gali_loop_index count = gali_loop_number(s->columns);
    s->place = gali_loop_number(0);
    if (s->columns > 1) {
        s->place = gali_lower_open(s->l, "j", &count);
        if (*outside) {
            (*outside)->mark = GALI_LOOP_UNROLL;
        }
    }
    return outside;
}

/* The rows that a tap reads, loaded for it alone. */
static void add_tap_rows(sparse *s, uint8_t tap, const gali_loop_index *channel,
                         const gali_loop_value *weight) {
    for (uint32_t r = 0; r < s->rows; r++) {
        gali_loop_statement **outside = open_places(s);
        load_row(s, tap % 3, r + tap / 3U, channel, 0);
        add_tap(s, r + tap / 3U, r, weight);
        gali_lower_close(s->l, outside);
    }
}

/* A row is loaded once, and added to all sums that want it. */
static void add_row(sparse *s, const uint8_t *taps, uint32_t column, uint32_t row,
                    const gali_loop_index *channel, const gali_loop_value *const *weight) {
    uint32_t uses = 0;
    for (uint32_t tap = 0; tap < GALI_FKW_TAPS; tap++) {
        uses += (uint32_t)wants(s, taps[tap], column, row);
    }
    if (!uses) {
        return;
    }
    gali_loop_statement **outside = open_places(s);
    load_row(s, column, row, channel, uses > 1);
    for (uint32_t tap = 0; tap < GALI_FKW_TAPS; tap++) {
        if (wants(s, taps[tap], column, row)) {
            add_tap(s, row, row - taps[tap] / 3U, weight[tap]);
        }
    }
    gali_lower_close(s->l, outside);
}

/* One kernel of a pattern. */
static void add_kernel(sparse *s, uint32_t pattern, const gali_loop_index *kernel) {
    gali_lowering *l = s->l;
    const gali_fkw *f = &s->of->fkw;
    const uint8_t *taps = s->of->patterns->taps[pattern];
    gali_loop_index channel = looked_up(s, s->of->index, kernel, 1, f->channels - 1);
    const gali_loop_value *weight[GALI_FKW_TAPS];
    channel.constant += f->first;
    if (s->of->fields.lanes) {
        point_at(s, &channel);
    }
    for (uint32_t tap = 0; tap < GALI_FKW_TAPS; tap++) {
        gali_loop_access from = {.buffer = gali_lower_parameter(l, s->of->weight),
                                 .lanes = 1,
                                 .index = {*kernel, gali_loop_number(tap)}};
        weight[tap] = gali_loop_load(l->arena, &from, NULL);
    }
    for (uint32_t tap = 0; tap < GALI_FKW_TAPS && l->p->without & GALI_WITHOUT_REUSE; tap++) {
        add_tap_rows(s, taps[tap], &channel, weight[tap]);
    }
    for (uint32_t column = 0; column < 3 && !(l->p->without & GALI_WITHOUT_REUSE); column++) {
        for (uint32_t row = 0; row < s->rows + GALI_PATTERNS_MARGIN; row++) {
            add_row(s, taps, column, row, &channel, weight);
        }
    }
}

/* One weight of CSR: where it reads is looked up. */
static void add_weight(sparse *s, const gali_loop_index *kernel, uint32_t tap) {
    gali_lowering *l = s->l;
    const gali_patterns *of = s->of;
    const gali_loop_index at[] = {*kernel, gali_loop_number(tap)};
    gali_loop_index channel = looked_up(s, of->csr_channel, at, 2, of->fkw.channels - 1);
    const gali_loop_index row = looked_up(s, of->csr_row, at, 2, GALI_PATTERNS_MARGIN);
    const gali_loop_index column = looked_up(s, of->csr_column, at, 2, GALI_PATTERNS_MARGIN);
    const gali_loop_access from = {
        .buffer = gali_lower_parameter(l, of->weight), .lanes = 1, .index = {at[0], at[1]}};
    const gali_loop_value *weight = gali_loop_load(l->arena, &from, NULL);
    channel.constant += of->fkw.first;
    if (of->fields.lanes) {
        point_at(s, &channel);
    }
    for (uint32_t r = 0; r < s->rows; r++) {
        const gali_loop_index local = gali_loop_number(r);
        const gali_loop_access to = local_at(s, s->row, &local);
        gali_loop_statement **outside = open_places(s);
        const gali_loop_access x = tiles_at(s, &channel, plus(local, &row, 1), column);
        gali_lower_put(l, &to, gali_loop_load(l->arena, &x, NULL));
        add_tap(s, r, r, weight);
        gali_lower_close(l, outside);
    }
}

/* The weights of a filter one by one. */
static void add_weights(sparse *s) {
    gali_lowering *l = s->l;
    const gali_fkw *f = &s->of->fkw;
    const gali_loop_index place[] = {s->filter, gali_loop_number(f->patterns)};
    l->let_count = 0;
    const gali_loop_index first = looked_up(s, s->of->offset, &s->filter, 1, f->kernels);
    const gali_loop_index turns = looked_up(s, s->of->stride, place, 2, f->longest);
    gali_loop_statement **outside = l->tail;
    const gali_loop_index turn = gali_lower_open(l, "k", &turns), kernel = plus(first, &turn, 1);
    for (uint32_t tap = 0; tap < GALI_FKW_TAPS; tap++) {
        add_weight(s, &kernel, tap);
    }
    gali_lower_close(l, outside);
    l->let_count = 0;
}

/* The kernels of all patterns. What is looked up is held within the constants' rows, whatever it may be. */
static void add_kernels(sparse *s) {
    gali_lowering *l = s->l;
    const gali_fkw *f = &s->of->fkw;
    gali_loop_index first = looked_up(s, s->of->offset, &s->filter, 1, f->kernels);
    gali_loop_index place[] = {s->filter, gali_loop_number(0)}, begin = gali_loop_number(0);
    for (uint32_t p = 0; p < f->patterns; p++) {
        place[1].constant++;
        l->let_count = 0;
        gali_loop_index end = looked_up(s, s->of->stride, place, 2, f->longest);
        end = gali_lower_let(l, GALI_LOOP_MOST, end, begin, 0, f->longest, NULL);
        gali_loop_index at = gali_lower_let(l, GALI_LOOP_LEAST, plus(first, &begin, 1),
                                            gali_loop_number(f->kernels), 0, f->kernels, NULL);
        gali_loop_index turns = plus(end, &begin, -1);
        gali_loop_statement **outside = l->tail;
        gali_loop_index turn = gali_lower_open(l, "k", &turns), kernel = plus(at, &turn, 1);
        add_kernel(s, p, &kernel);
        gali_lower_close(l, outside);
        begin = end;
    }
    l->let_count = 0;
}

static void open_filters(sparse *s) {
    gali_lowering *l = s->l;
    const gali_fkw *f = &s->of->fkw;
    gali_loop_index count = gali_loop_number(f->filters), turn = gali_lower_open(l, "f", &count);
    l->let_count = 0;
    s->filter = l->axis[1] = looked_up(s, s->of->reorder, &turn, 1, f->filters - 1);
}

/* For all vectors of sums in fields: `to`, or where it is NULL the part, is the value; NULL: the part so far. */
static void for_places(sparse *s, const gali_loop_buffer *to, const gali_scalar *value, uint32_t part) {
    gali_lowering *l = s->l;
    gali_loop_statement **outside = l->tail;
    const gali_loop_index rows = gali_loop_number(s->rows), row = gali_lower_open(l, "r", &rows);
    if (*outside) {
        (*outside)->mark = GALI_LOOP_UNROLL;
    }
    open_places(s);
    const gali_loop_index local = plus(s->place, &row, s->columns);
    const gali_loop_access sum = local_at(s, s->sum, &local),
                           in_part = {.buffer = part == GALI_NONE ? NULL : gali_lower_parameter(l, part),
                                      .lanes = s->lanes,
                                      .index = {l->axis[0], s->filter, s->strip, plus(row, &s->part_row, 1),
                                                s->place, gali_loop_number(0)}};
    const gali_loop_access own = to ? local_at(s, to, &local) : in_part;
    l->self = gali_loop_load(l->arena, &sum, NULL);
    if (value) {
        gali_lower_store(l, &own, value);
    } else {
        gali_lower_put(l, &own, gali_loop_load(l->arena, &in_part, NULL));
    }
    gali_lower_close(l, outside);
}

static void finish_fields(sparse *s) {
    static const gali_scalar self = {.op = GALI_SCALAR_self, .element = GALI_f32};
    gali_lowering *l = s->l;
    const gali_scalar *finish = l->stage->finish ? l->stage->finish : &self;
    const int alike = gali_lower_finishes_alike(l);
    const uint32_t extents[] = {s->rows * s->columns, s->lanes};
    if (s->of->makes_part) {
        for_places(s, NULL, &self, l->stage->tensor);
        return;
    }
    const gali_lower_strip strip = {.fields = &s->of->fields,
                                    .strip = s->strip,
                                    .row = s->part_row,
                                    .rows = s->rows,
                                    .made = gali_lower_local(l, "made", GALI_f32, 2, extents)};
    for_places(s, strip.made, alike ? finish : &self, GALI_NONE);
    gali_lower_out_of_fields(l, &strip, alike ? &self : finish);
}

static void start_sums(sparse *s) {
    if (!s->of->fields.lanes) {
        for_rows(s, s->sum, s->l->stage->start);
    } else {
        for_places(s, s->sum, s->of->part == GALI_NONE ? s->l->stage->start : NULL, s->of->part);
    }
}

static void finish_sums(sparse *s) {
    static const gali_scalar self = {.op = GALI_SCALAR_self, .element = GALI_f32};
    if (!s->of->fields.lanes) {
        for_rows(s, NULL, s->l->stage->finish ? s->l->stage->finish : &self);
    } else {
        finish_fields(s);
    }
}

static void make_sums(sparse *s) {
    gali_lowering *l = s->l;
    const uint32_t sums[] = {s->rows * s->columns, s->lanes},
                   rows[] = {s->rows + GALI_PATTERNS_MARGIN, s->lanes};
    s->sum = gali_lower_local(l, "sum", GALI_f32, 2, sums);
    s->row = gali_lower_local(l, "row", GALI_f32, 2, rows);
    if (!s->sum || !s->row) {
        return;
    }
    start_sums(s);
    if (l->p->without & GALI_WITHOUT_PATTERNS) {
        add_weights(s);
    } else {
        add_kernels(s);
    }
    finish_sums(s);
}

/* The vector of columns, and the column of tiles that has it. */
static void open_vectors(sparse *s) {
    gali_lowering *l = s->l;
    uint32_t parts = s->of->width / s->step;
    gali_loop_index vectors = gali_lower_rounds(l, &s->width, s->step);
    gali_loop_index vector = gali_lower_open(l, "v", &vectors), by = gali_loop_number(parts);
    int64_t last = vectors.constant - 1;
    l->let_count = 0;
    s->tile_column =
        parts == 1 ? vector : gali_lower_let(l, GALI_LOOP_QUOTIENT, vector, by, 0, last / parts, NULL);
    s->first_column = s->column = gali_loop_number(0);
    gali_loop_index_add(&s->first_column, &vector, s->step);
    if (parts > 1) {
        gali_loop_index part = gali_lower_let(l, GALI_LOOP_REMAINDER, vector, by, 0, parts - 1, NULL);
        gali_loop_index_add(&s->column, &part, s->lanes);
    }
    l->let_count = 0;
}

/* Which tiles are walked, and of each which rows: `parts` times `rows`, from `row` on. */
typedef struct walk {
    uint32_t first, count, row, parts, rows;
} walk;

static void make_parts(sparse *s, const walk *w) {
    gali_lowering *l = s->l;
    gali_loop_statement **outside = l->tail;
    gali_loop_index tiles = gali_loop_number(w->count), parts = gali_loop_number(w->parts);
    if (s->filters == FILTERS_AROUND_TILES) {
        open_filters(s);
    }
    gali_loop_index turn = gali_lower_open(l, "tile", &tiles);
    s->rows = w->rows;
    s->tile = plus(gali_loop_number(w->first), &turn, 1);
    if (s->filters == FILTERS_AROUND_VECTORS) {
        open_filters(s);
    }
    open_vectors(s);
    s->part_row = gali_loop_number(w->row);
    if (w->parts > 1) {
        gali_loop_index part = gali_lower_open(l, "part", &parts);
        gali_loop_index_add(&s->part_row, &part, w->rows);
    }
    s->first_row = plus(s->part_row, &s->tile, s->of->rows);
    if (s->filters == FILTERS_INSIDE) {
        open_filters(s);
    }
    make_sums(s);
    gali_lower_close(l, outside);
}

/* Tiles that have `rows`, the first of them at `first`. */
static void make_tiles(sparse *s, uint32_t first, uint32_t count, uint32_t rows) {
    const uint32_t parts = rows / s->most, left = rows % s->most;
    if (count && parts) {
        make_parts(s, &(walk){first, count, 0, parts, s->most});
    }
    if (count && left) {
        make_parts(s, &(walk){first, count, rows - left, 1, left});
    }
}

/* Rows of all strips: `count` times `rows` from `first` on. */
static void make_strips(sparse *s, uint32_t first, uint32_t count, uint32_t rows) {
    gali_lowering *l = s->l;
    gali_loop_statement **outside = l->tail;
    const gali_loop_index strips = gali_loop_number(s->of->fields.strips), tiles = gali_loop_number(count);
    if (!count || !rows) {
        return;
    }
    s->rows = rows;
    s->strip = gali_lower_open(l, "strip", &strips);
    const gali_loop_index tile = gali_lower_open(l, "tile", &tiles);
    s->part_row = plus(gali_loop_number(first), &tile, rows);
    open_filters(s);
    make_sums(s);
    gali_lower_close(l, outside);
}

/* ---- schedules ---- */

/* That may be summed at a time. */
static uint32_t rows_of(const gali_patterns *of) {
    return of->fields.lanes ? of->fields.rows : of->rows;
}

/* Why an entry is none of the sum's; NULL: it is, and taken. */
static const char *read_entry(sparse *s, const gali_schedule_entry *e, uint32_t at) {
    if (at == 0) {
        int good =
            e->primitive == GALI_PRIMITIVE_VECTORIZE && strcmp(e->target, "i3") == 0 && e->number == s->lanes;
        return good ? NULL : "first come vectors along i3, of the target's lanes";
    }
    if (e->primitive == GALI_PRIMITIVE_SPLIT && strcmp(e->target, "i2") == 0) {
        int good = !s->most && e->number >= 1 && e->number <= rows_of(s->of);
        s->most = good ? e->number : s->most;
        return good ? NULL : "rows are split already, or a tile in memory has not as many";
    }
    if (e->primitive == GALI_PRIMITIVE_REORDER && strcmp(e->target, "i1") == 0 && !s->filters &&
        !s->of->fields.lanes) {
        s->filters = strcmp(e->argument, "i3") == 0     ? FILTERS_AROUND_VECTORS
                     : strcmp(e->argument, "i2.o") == 0 ? FILTERS_AROUND_TILES
                                                        : FILTERS_INSIDE;
        return s->filters ? NULL : "filters go around i3 or i2.o";
    }
    return "not for a sum over patterns, or said twice";
}

static int read_schedule(sparse *s) {
    const gali_schedule *schedule = s->l->schedule;
    for (uint32_t i = 0; i < schedule->count; i++) {
        const char *why = read_entry(s, &schedule->entry[i], i);
        if (why) {
            return gali_lower_refuse(s->l, schedule, i, why);
        }
    }
    return schedule->count ? 1 : gali_lower_refuse(s->l, schedule, 0, "nothing is vectorized");
}

static void tell(const sparse *s) {
    gali_lowering *l = s->l;
    gali_lowered_sum *sum = &l->out->sum;
    gali_schedule_clear(&sum->schedule);
    gali_schedule_add(&sum->schedule, GALI_PRIMITIVE_VECTORIZE, "i3", NULL, s->lanes);
    gali_schedule_add(&sum->schedule, GALI_PRIMITIVE_SPLIT, "i2", NULL, s->most);
    if (s->filters) {
        const char *around = s->filters == FILTERS_AROUND_VECTORS ? "i3" : "i2.o";
        gali_schedule_add(&sum->schedule, GALI_PRIMITIVE_REORDER, "i1", around, 0);
    }
    gali_lower_tell(l);
    sum->pattern_rows = rows_of(s->of);
    sum->pattern_fields = s->of->fields.lanes != 0;
    sum->steps =
        (double)(sum->extent[0] * sum->extent[2] * sum->extent[3]) * s->of->fkw.kernels * (double)GALI_FKW_TAPS;
}

/* Whether results lie as they are made, and what is done of them is in lanes. */
static int fits(const gali_lowering *l, uint32_t lanes) {
    const gali_program_stage *stage = l->stage;
    const gali_program_tensor *t = &l->p->tensors[stage->tensor];
    if (stage->patterns->fields.lanes) {
        return l->shared <= 1 && stage->patterns->fields.lanes == lanes;
    }
    const int rotates = gali_patterns_rotate(stage->patterns, lanes);
    int good = stage->rank == 4 && t->order[3] == 3 && l->shared <= 1 && stage->value->element == GALI_f32;
    return good && (rotates || stage->patterns->width % lanes == 0) &&
           (lanes == 1 || (t->type.element == GALI_f32 && gali_lower_has_lanes(l, stage->start, 3) &&
                           gali_lower_has_lanes(l, stage->finish, 3)));
}

int gali_lower_patterns(gali_lowering *l) {
    sparse s = {.l = l, .of = l->stage->patterns, .lanes = l->p->target ? l->p->target->lanes : 1};
    if (s.of->makes_tiles) {
        return s.lanes > 1 && (s.of->fields.lanes ? gali_lower_into_fields(l) : gali_lower_into_columns(l));
    }
    if (!fits(l, s.lanes)) {
        return 0;
    }
    int is_largest = l->stage == l->largest && s.lanes > 1;
    if (is_largest && l->schedule && !read_schedule(&s)) {
        return 1;
    }
    s.most = s.most ? s.most : rows_of(s.of);
    s.columns = s.of->fields.lanes ? s.of->fields.columns : 1;
    s.place = gali_loop_number(0);
    if (is_largest) {
        tell(&s);
    }
    if (s.of->fields.lanes) {
        const uint32_t rows = s.of->fields.height;
        gali_lower_open_axes(l, 0, 1);
        gali_loop_statement **inside = l->tail;
        make_strips(&s, 0, rows / s.most, s.most);
        gali_lower_close(l, inside);
        make_strips(&s, rows - rows % s.most, rows % s.most != 0, rows % s.most);
        return 1;
    }
    s.rotates = gali_patterns_rotate(s.of, s.lanes);
    s.step = s.rotates ? s.of->width : s.lanes;
    s.height = gali_lower_extent(l, l->stage->extent[2]);
    s.width = gali_lower_extent(l, l->stage->extent[3]);
    uint32_t height = gali_loop_size(&s.height), whole = height / s.of->rows, rest = height % s.of->rows;
    gali_lower_open_axes(l, 0, 1);
    gali_loop_statement **inside = l->tail;
    make_tiles(&s, 0, whole, s.of->rows);
    gali_lower_close(l, inside);
    make_tiles(&s, whole, rest != 0, rest);
    return 1;
}
