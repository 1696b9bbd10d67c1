/*
 * Sums in register tiles: R rows times V vectors of results, all their sums in locals that stay registers, what is summed over
 * in ascending order inside.
 *
 *     for panels of V vectors { for row tiles { for r in R, v in V: sum[r][v] = start
 *         for k { for r in R, v in V: sum[r][v] = fma(x[r][k], w[k][v], sum[r][v]) }
 *         for r in R, v in V: y[r][v] = finish(sum[r][v]) } }
 *
 * Vectors are of the dimension in which results are contiguous. Rows are the axis whose loads in lanes are most shared:
 * lines of a matrix, pixels of a row. One mechanism for products of matrices, convolutions, pools and sums over outer axes.
 * Each element's sum is taken in one order whatever the tile, so tiles change no bit.
 *
 * Axes that loads in lanes depend on are outside of the panels, but for rows; the others inside, so that a panel of weights
 * is read from near memory for all rows, or outside, too, where what is multiplied would come from afar for each panel
 * (tile_around.c). Constants are laid out as [panels][k..][vectors][lanes]: each panel is one stream.
 *
 * A long sum is one of blocks (reads.h): each is summed in registers and added to the tile's sums, which wait in memory. Where
 * the second cache does not hold a panel, a block goes over all rows before the next; the order is the same.
 */
#include <stdio.h>

#include "compiler/lower/tile.h"
#include "compiler/program/guard.h"

enum {
    FINISH_UNROLLED = 8, /* operations behind a sum, from which on they are not written out for a tile */
    KINDS = 9,           /* of parts: 8, 7, .. 1, or 32, 16, .. 1, and the rest */
};

/* ---- loops ---- */

/* `tiles` parts of `size`, the first at `first`, of an axis or of its vectors. */
typedef struct part {
    gali_loop_index first, tiles;
    uint32_t size;
} part;

/*
 * Cuts a length into parts of at most `size`: of a number nearly equal ones; of an open size whole ones, and its rest by parts
 * of half, of a quarter, .. and single ones: few rows take as long as many, until what they wait for is done. Returns how
 * many kinds of parts there are.
 */
static uint32_t cut(gali_lowering *l, const gali_loop_index *length, uint32_t size, part parts[KINDS]) {
    if (!length->count) {
        uint32_t all = gali_loop_size(length), tiles = (all + size - 1) / size, small = all / tiles,
                 more = all % tiles;
        parts[0] = (part){gali_loop_number(0), gali_loop_number(more), small + 1};
        parts[more > 0] =
            (part){gali_loop_number((int64_t)more * (small + 1)), gali_loop_number(tiles - more), small};
        return 1 + (more > 0);
    }
    int64_t least, most;
    gali_lower_range(l, length, &least, &most);
    gali_loop_index left = *length, first = gali_loop_number(0);
    uint32_t kinds = 0;
    for (; size > 1; size /= 2) {
        if (most < size) { /* by its range there is none */
            continue;
        }
        gali_loop_index whole = gali_lower_let(l, GALI_LOOP_QUOTIENT, left, gali_loop_number(size),
                                               least / size, most / size, NULL);
        parts[kinds++] = (part){first, whole, size};
        gali_loop_index_add(&left, &whole, -(int64_t)size);
        gali_loop_index_add(&first, &whole, size);
        least = 0;
        most = size - 1;
    }
    parts[kinds] = (part){first, left, 1};
    return kinds + 1;
}

/* A sum of lets by a name of its own, so that indices keep few terms. */
static gali_loop_index named(gali_lowering *l, gali_loop_index sum, int64_t most) {
    return sum.count ? gali_lower_let(l, GALI_LOOP_SUM, sum, gali_loop_number(0), 0, most, NULL) : sum;
}

/*
 * Cuts rows into tiles of at most `size`: of a number and of many to a tile as above; else into as few tiles as there may be,
 * nearly equal ones, which differ from call to call. Of q tiles n - q (s - 1) or more have s rows and above; what a kind
 * takes is no more than what is left by quotient, which the verifier sees, too.
 */
static uint32_t cut_rows(gali_lowering *l, const gali_loop_index *length, uint32_t size, part parts[KINDS]) {
    int64_t least, most;
    gali_lower_range(l, length, &least, &most);
    if (!length->count || size > GALI_TILE_EVEN_MOST || size < GALI_TILE_EVEN_LEAST || most < size) {
        return cut(l, length, size, parts);
    }
    gali_loop_index left = *length, first = gali_loop_number(0);
    gali_loop_index tiles = gali_lower_rounds(l, length, size);
    uint32_t kinds = 0;
    for (uint32_t s = size; s > 1; s--) {
        gali_loop_index share = *length;
        gali_loop_index_add(&share, &tiles, -(int64_t)(s - 1));
        int64_t left_most = s == size ? most : size * (most / size + 1);
        gali_loop_index whole =
            gali_lower_let(l, GALI_LOOP_QUOTIENT, left, gali_loop_number(s), 0, left_most / s, NULL);
        share = gali_lower_let(l, GALI_LOOP_MOST, share, gali_loop_number(0), 0, most, NULL);
        whole = gali_lower_let(l, GALI_LOOP_LEAST, whole, share, 0, left_most / s, NULL);
        parts[kinds++] = (part){first, whole, s};
        gali_loop_index_add(&left, &whole, -(int64_t)s);
        gali_loop_index_add(&first, &whole, s);
        left = named(l, left, most);
        first = named(l, first, most);
    }
    parts[kinds] = (part){first, left, 1};
    return kinds + 1;
}

/* Cuts the vectors of a length into panels: of an open one whole vectors, which need no test, and its rest by itself. */
static uint32_t cut_panels(gali_lowering *l, const gali_loop_index *length, const gali_loop_index *rounds,
                           uint32_t size, part parts[KINDS]) {
    int64_t least, most, lanes = l->p->target->lanes;
    gali_lower_range(l, length, &least, &most);
    if (!rounds->count || most < lanes) {
        return cut(l, rounds, size, parts);
    }
    gali_loop_index whole = gali_lower_let(l, GALI_LOOP_QUOTIENT, *length, gali_loop_number(lanes),
                                           least / lanes, most / lanes, NULL);
    gali_loop_index rest = *rounds;
    uint32_t kinds = cut(l, &whole, size, parts);
    gali_loop_index_add(&rest, &whole, -1);
    parts[kinds] = (part){whole, rest, 1};
    return kinds + 1;
}

static void open_axis(gali_lowering *l, uint32_t axis) {
    gali_loop_index extent = gali_lower_extent(l, l->stage->extent[axis]);
    l->axis[axis] = gali_lower_open(l, "i", &extent);
}

/* Which axes, rows and vectors apart: outside of panels; inside, of open size or of a number. */
enum { BY_PANELS = 1, BY_OPEN_ROWS = 2, BY_ROWS = 4 };

static void open_others(gali_lowering *l, const gali_sum_tile *t, int which) {
    for (uint32_t d = l->shared; d < l->stage->rank; d++) {
        uint32_t axis = gali_lower_axis(l, d);
        int by = !gali_tile_is_inside(t, axis)                   ? BY_PANELS
                 : gali_extent_is_number(l->stage->extent[axis]) ? BY_ROWS
                                                                 : BY_OPEN_ROWS;
        if (axis != t->row && axis != t->vector && !gali_tile_is_around(t, axis) && (which & by)) {
            open_axis(l, axis);
        }
    }
    for (uint32_t i = 0; i < t->around_count && (which & BY_PANELS); i++) {
        open_axis(l, t->around[i]);
    }
}

typedef struct place {
    gali_loop_index row, vector; /* of the tile's first row and vector */
    uint32_t rows, vectors;
    gali_loop_index row_length, length, rounds; /* of the axes, and the whole vectors */
} place;

/* Where a tile's sums are: in a local of its own, from row 0, or in one of all rows. */
typedef struct sums_of {
    const gali_loop_buffer *buffer; /* [rows][vectors][lanes] */
    gali_loop_index row;            /* the tile's first */
} sums_of;

static gali_loop_access sums_at(const sums_of *sums, const gali_loop_index *row,
                                const gali_loop_index *vector) {
    gali_loop_access access = {.buffer = sums->buffer, .lanes = 1, .index = {sums->row, *vector}};
    gali_loop_index_add(&access.index[0], row, 1);
    return access;
}

/* A nest over the tile that does one store to `to`, or to the stage's result where that is NULL. */
static void nest(gali_lowering *l, const gali_sum_tile *t, const place *at, const sums_of *sums,
                 const sums_of *to, const gali_scalar *value, int unroll) {
    gali_loop_statement **outside = l->tail;
    gali_loop_index count[2] = {gali_loop_number(at->rows), gali_loop_number(at->vectors)}, turn[2];
    for (int i = 0; i < 2; i++) {
        gali_loop_statement **loop = l->tail;
        turn[i] = gali_lower_open(l, i ? "v" : "r", &count[i]);
        if (*loop && unroll) {
            (*loop)->mark = GALI_LOOP_UNROLL;
        }
    }
    uint32_t lanes = l->p->target->lanes;
    gali_loop_index row = at->row, vector = gali_loop_number(0);
    gali_loop_index_add(&row, &turn[0], 1);
    gali_loop_index_add(&vector, &at->vector, lanes);
    gali_loop_index_add(&vector, &turn[1], lanes);
    if (t->row != GALI_NONE) {
        gali_lower_set_known(l, t->row, row, &at->row_length);
    }
    gali_lower_set_lanes(l, t->vector, lanes, vector, &at->length);
    for (uint32_t i = 0; i < l->view_count; i++) {
        l->view[i].row = gali_loop_size(&l->view[i].buffer->extent[0]) > 1 ? turn[0] : gali_loop_number(0);
    }
    gali_loop_access own = sums_at(sums, &turn[0], &turn[1]);
    own.lanes = lanes;
    l->self = gali_loop_load(l->arena, &own, NULL);
    own = to ? sums_at(to, &turn[0], &turn[1]) : gali_lower_result(l);
    own.lanes = lanes;
    gali_lower_store(l, &own, value);
    gali_lower_set_lanes(l, GALI_NONE, 1, vector, NULL);
    gali_lower_close(l, outside);
}

/* The results of a tile one by one, from its sums in memory: for vectors, lanes and rows. */
static void scatter(gali_lowering *l, const gali_sum_tile *t, const place *at, const sums_of *sums,
                    const gali_scalar *value) {
    gali_loop_statement **outside = l->tail;
    uint32_t lanes = l->p->target->lanes;
    gali_loop_index count[3] = {gali_loop_number(at->vectors), gali_loop_number(lanes),
                                gali_loop_number(at->rows)};
    gali_loop_index turn[3], row = at->row, lane = gali_loop_number(0), end = gali_loop_number(0);
    for (int i = 0; i < 3; i++) {
        turn[i] = gali_lower_open(l, i == 0 ? "v" : i == 1 ? "j" : "r", &count[i]);
    }
    gali_loop_index_add(&row, &turn[2], 1);
    gali_loop_index_add(&lane, &at->vector, lanes);
    gali_loop_index_add(&lane, &turn[0], lanes);
    gali_loop_index_add(&lane, &turn[1], 1);
    gali_loop_index_add(&end, &at->rounds, lanes);
    if (t->row != GALI_NONE) {
        gali_lower_set_known(l, t->row, row, &at->row_length);
    }
    gali_lower_set_known(l, t->vector, lane, &end);
    gali_loop_access own = sums_at(sums, &turn[2], &turn[0]);
    own.index[2] = turn[1];
    l->self = gali_loop_load(l->arena, &own, NULL);
    gali_loop_access to = gali_lower_result(l);
    for (uint32_t d = 0; d < l->stage->rank; d++) { /* the last vector's lanes may be past the end */
        to.tested |= (uint32_t)!gali_lower_is_inside(l, &to.index[d], &to.buffer->extent[d]) << d;
    }
    gali_lower_store(l, &to, value);
    gali_lower_close(l, outside);
}

static sums_of make_sums(gali_lowering *l, const char *stem, uint32_t rows, uint32_t vectors) {
    const uint32_t extents[] = {rows, vectors, l->p->target->lanes};
    return (sums_of){gali_lower_local(l, stem, GALI_f32, 3, extents), gali_loop_number(0)};
}

/* ---- views ---- */

static int mentions(const gali_scalar *a, const gali_scalar *what) {
    int there = a == what;
    for (int i = 0; a && !there && i < 3; i++) {
        there = mentions(a->operand[i], what);
    }
    return there;
}

/* Whether the load is 0 where other indices than that within its row are outside. */
static int is_padded(const gali_lowering *l, const gali_scalar *a, const gali_scalar *load) {
    const gali_program_tensor *t = &l->p->tensors[load->source];
    int padded = a && gali_program_guarded(l->p, a) == load &&
                 !mentions(a->operand[0], load->index[t->order[t->type.rank - 1]]);
    for (int i = 0; a && !padded && i < 3; i++) {
        padded = is_padded(l, a->operand[i], load);
    }
    return padded;
}

/* The first summed axis from which on a load only walks its row: what is before decides which row. */
static uint32_t row_depth(const gali_lowering *l, const gali_scalar *load) {
    const gali_program_tensor *t = &l->p->tensors[load->source];
    uint32_t depth = 0;
    for (int d = 0; d + 1 < t->type.rank; d++) {
        uint32_t own = gali_tile_depth(l, load->index[t->order[d]]);
        depth = own > depth ? own : depth;
    }
    return depth;
}

/* Whether a load's rows can be pointed at: which one says no lane, and where in it an index of its own. */
static int may_view(const gali_lowering *l, const gali_sum_tile *t, const gali_scalar *load) {
    const gali_program_tensor *tensor = &l->p->tensors[load->source];
    int last = tensor->type.rank - 1, good = last > 0 && tensor->type.element == GALI_f32;
    if (!good || tensor->role == GALI_TENSOR_CONSTANT ||
        !gali_extent_is_number(tensor->type.shape[tensor->order[last]]) ||
        tensor->type.shape[tensor->order[last]] > GALI_LOOP_VIEW_MAX ||
        (t->row != GALI_NONE && gali_lower_uses(load->index[tensor->order[last]], t->row))) {
        return 0;
    }
    for (int d = 0; d < last; d++) {
        good &= !gali_lower_uses(load->index[tensor->order[d]], t->vector);
    }
    return good && is_padded(l, l->stage->value, load);
}

/* Points rows of a view at what a load reads, one for each row of the tile. */
static void point(gali_lowering *l, const gali_sum_tile *t, const place *at, const gali_scalar *load) {
    const gali_program_tensor *tensor = &l->p->tensors[load->source];
    int rowwise = t->row != GALI_NONE && gali_lower_uses(load, t->row);
    char name[GALI_LOOP_NAME_MAX];
    gali_lower_name(l, "row", name);
    gali_loop_buffer *view = gali_loop_add_buffer(l->f, name, GALI_LOOP_VIEW);
    gali_loop_statement *make = gali_loop_add_statement(l->arena, GALI_LOOP_MAKE), *s;
    if (!view || !make || l->view_count == GALI_LOWER_VIEWS_MAX) {
        gali_lower_fail(l, "no memory, or too many views");
        return;
    }
    view->rank = 2;
    view->extent[0] = gali_loop_number(rowwise ? at->rows : 1);
    view->extent[1] = gali_lower_extent(l, tensor->type.shape[tensor->order[tensor->type.rank - 1]]);
    make->local = view;
    gali_lower_append(l, make);
    gali_loop_statement **outside = l->tail;
    gali_loop_index turn = gali_lower_open(l, "r", &view->extent[0]), row = at->row;
    if (*outside) {
        (*outside)->mark = GALI_LOOP_UNROLL;
    }
    gali_loop_index_add(&row, &turn, rowwise);
    if (t->row != GALI_NONE) {
        gali_lower_set_known(l, t->row, row, &at->row_length);
    }
    gali_loop_access from = {.buffer = gali_lower_parameter(l, load->source), .lanes = 1};
    l->let_count = 0;
    s = gali_loop_add_statement(l->arena, GALI_LOOP_POINT);
    if (s && from.buffer && gali_lower_access(l, load, &from)) {
        from.index[from.buffer->rank - 1] = gali_loop_number(0);
        from.tested &= ~(1u << (from.buffer->rank - 1));
        s->to = (gali_loop_access){.buffer = view, .lanes = 1, .index = {turn, gali_loop_number(0)}};
        s->from = from;
    }
    gali_lower_append(l, s);
    l->let_count = 0;
    l->view[l->view_count++] = (gali_lower_view){load, view, gali_loop_number(0)};
    gali_lower_close(l, outside);
}

/* Opens the summed axes that are left; the last loop is unrolled as the tile says. */
static void open_left(gali_lowering *l, const gali_sum_tile *t, gali_lower_span *open) {
    gali_lower_open_summed(l, open, l->stage->reduced - 1, 0);
    gali_loop_statement **loop = l->tail;
    gali_lower_open_summed(l, open, l->stage->reduced, 0);
    if (*loop && t->unroll) {
        (*loop)->mark = GALI_LOOP_UNROLL;
        (*loop)->factor = t->unroll;
    }
}

/* The summed axes outside of views, the views, the others. */
static void open_sum(gali_lowering *l, const gali_sum_tile *t, const place *at, gali_lower_span open) {
    uint32_t depth = open.axis, count = 0;
    const gali_scalar *views[GALI_TILE_LOADS_MAX];
    for (uint32_t i = 0; i < t->load_count && count < GALI_LOWER_VIEWS_MAX; i++) {
        if (may_view(l, t, t->load[i])) {
            uint32_t own = row_depth(l, t->load[i]);
            depth = own > depth ? own : depth;
            views[count++] = t->load[i];
        }
    }
    gali_lower_open_summed(l, &open, depth, 0);
    for (uint32_t i = 0; i < count; i++) {
        point(l, t, at, views[i]);
    }
    if (depth < l->stage->reduced) {
        open_left(l, t, &open);
    }
}

/* ---- a tile ---- */

static uint32_t operations(const gali_scalar *a) {
    uint32_t count = a && a->operand[0] ? 1 : 0;
    for (int i = 0; a && i < 3 && count <= FINISH_UNROLLED; i++) {
        count += operations(a->operand[i]);
    }
    return count;
}

/* Long ones are called, not written out: exp and its kind, or many operations. */
static int is_long(const gali_scalar *a) {
    int wide = a && (a->op == GALI_SCALAR_pow || (a->op >= GALI_SCALAR_exp && a->op <= GALI_SCALAR_atanh));
    for (int i = 0; a && !wide && i < 3; i++) {
        wide = is_long(a->operand[i]);
    }
    return wide;
}

/* What is done of a tile: all, or a part where its sums lie in a local of all rows. */
typedef enum phase { WHOLE, START, SUM, FINISH } phase;

static const gali_scalar self_f32 = {.op = GALI_SCALAR_self, .element = GALI_f32};

static void sum_tile(gali_lowering *l, const gali_sum_tile *t, const place *at, const sums_of *sums,
                     const gali_lower_span *open) {
    gali_loop_statement **outside = l->tail;
    open_sum(l, t, at, *open);
    nest(l, t, at, sums, sums, l->stage->value, 1);
    l->view_count = 0;
    gali_lower_close(l, outside);
}

/* sums += block, of a tile. */
static void add_block(gali_lowering *l, const place *at, const sums_of *sums, const sums_of *block) {
    gali_loop_statement **outside = l->tail;
    gali_loop_index count[2] = {gali_loop_number(at->rows), gali_loop_number(at->vectors)}, turn[2];
    for (int i = 0; i < 2; i++) {
        gali_loop_statement **loop = l->tail;
        turn[i] = gali_lower_open(l, i ? "v" : "r", &count[i]);
        if (*loop) {
            (*loop)->mark = GALI_LOOP_UNROLL;
        }
    }
    gali_loop_access to = sums_at(sums, &turn[0], &turn[1]), from = sums_at(block, &turn[0], &turn[1]);
    to.lanes = from.lanes = l->p->target->lanes;
    gali_lower_put(l, &to, gali_lower_added(l, &to, &from));
    gali_lower_close(l, outside);
}

/* The sum's blocks, each in registers, are added to sums that lie in memory. */
static void sum_blocks(gali_lowering *l, const gali_sum_tile *t, const place *at, const sums_of *sums) {
    static const gali_scalar zero = {.op = GALI_SCALAR_number, .element = GALI_f32};
    sums_of block = make_sums(l, "block", at->rows, at->vectors);
    gali_loop_statement **outside = l->tail;
    gali_lower_span open = t->open;
    if (!block.buffer) {
        return;
    }
    gali_lower_open_summed(l, &open, l->blocks.outer, l->blocks.part);
    nest(l, t, at, &block, &block, &zero, 1);
    sum_tile(l, t, at, &block, &open);
    add_block(l, at, sums, &block);
    gali_lower_close(l, outside);
}

static void finish_tile(gali_lowering *l, const gali_sum_tile *t, const place *at, const sums_of *from,
                        int in_memory) {
    const gali_program_stage *stage = l->stage;
    const gali_scalar *finish = stage->finish ? stage->finish : &self_f32;
    int rolled = t->apart || is_long(finish) || operations(finish) > FINISH_UNROLLED;
    sums_of done = *from;
    if (rolled && !in_memory) { /* sums whose index turns would lie in memory all along */
        done = make_sums(l, "done", at->rows, at->vectors);
        if (!done.buffer) {
            return;
        }
        nest(l, t, at, from, &done, &self_f32, 1);
    }
    int lanes = l->p->tensors[stage->tensor].type.element == GALI_f32 &&
                gali_lower_has_lanes(l, stage->finish, t->vector);
    if (t->apart && lanes) {
        nest(l, t, at, &done, &done, finish, 0);
        scatter(l, t, at, &done, &self_f32);
    } else if (t->apart) {
        scatter(l, t, at, &done, finish);
    } else {
        nest(l, t, at, &done, NULL, finish, !rolled);
    }
}

static void one_tile(gali_lowering *l, const gali_sum_tile *t, const place *at, const sums_of *all,
                     phase which) {
    if (which == START) {
        nest(l, t, at, all, all, l->stage->start, 1);
        return;
    }
    if (which == FINISH) {
        finish_tile(l, t, at, all, 1);
        return;
    }
    if (which == SUM && l->blocked) {
        sum_blocks(l, t, at, all);
        return;
    }
    sums_of sums = make_sums(l, "sum", at->rows, at->vectors);
    if (!sums.buffer) {
        return;
    }
    nest(l, t, at, which == SUM ? all : &sums, &sums, which == SUM ? &self_f32 : l->stage->start, 1);
    if (l->blocked) {
        sum_blocks(l, t, at, &sums);
    } else {
        sum_tile(l, t, at, &sums, &t->open);
    }
    if (which == SUM) {
        nest(l, t, at, &sums, all, &self_f32, 1);
    } else {
        finish_tile(l, t, at, &sums, 0);
    }
}

/* The row of the tile's first in a local of all rows: those of the numbered axes inside of panels, then the row. */
static gali_loop_index flat_row(const gali_lowering *l, const gali_sum_tile *t, const place *at) {
    gali_loop_index row = at->row;
    int64_t stride = t->row == GALI_NONE ? 1 : l->stage->extent[t->row];
    for (uint32_t d = l->stage->rank; d-- > l->shared;) {
        uint32_t axis = gali_lower_axis(l, d);
        if (gali_tile_is_inside(t, axis) && gali_extent_is_number(l->stage->extent[axis])) {
            gali_loop_index_add(&row, &l->axis[axis], stride);
            stride *= l->stage->extent[axis];
        }
    }
    return row;
}

/* The tiles of all rows of a panel, or one phase of them. */
static void row_tiles(gali_lowering *l, const gali_sum_tile *t, place *at, sums_of *all, phase which) {
    part parts[KINDS] = {{gali_loop_number(0), gali_loop_number(1), 1}};
    gali_loop_statement **outside = l->tail;
    open_others(l, t, which == WHOLE ? BY_ROWS | BY_OPEN_ROWS : BY_ROWS);
    uint32_t kinds = t->row == GALI_NONE ? 1 : cut_rows(l, &at->row_length, t->rows, parts);
    for (uint32_t i = 0; i < kinds; i++) {
        gali_loop_statement **before = l->tail;
        gali_loop_index turn = gali_lower_open(l, "tile", &parts[i].tiles);
        at->row = parts[i].first;
        at->rows = parts[i].size;
        gali_loop_index_add(&at->row, &turn, parts[i].size);
        all->row = flat_row(l, t, at);
        one_tile(l, t, at, all, which);
        l->tail = *before ? &(*before)->next : before;
    }
    gali_lower_close(l, outside);
}

/* A panel in blocks of what is summed over. */
static void blocks(gali_lowering *l, gali_sum_tile *t, place *at) {
    open_others(l, t, BY_OPEN_ROWS);
    sums_of all = make_sums(l, "sums", t->all_rows, at->vectors);
    if (!all.buffer) {
        return;
    }
    row_tiles(l, t, at, &all, START);
    gali_loop_statement **outside = l->tail;
    gali_lower_open_summed(l, &t->open, t->outer, t->block);
    row_tiles(l, t, at, &all, SUM);
    t->open = (gali_lower_span){.axis = 0};
    gali_lower_close(l, outside);
    row_tiles(l, t, at, &all, FINISH);
}

/* The loop of the axis that the schedule gives to threads. */
static void share(gali_lowering *l, const gali_sum_tile *t, const place *at) {
    if (t->parallel == GALI_NONE) {
        return;
    }
    int split = t->parallel == t->row || t->parallel == t->vector;
    const gali_loop_index *length = t->parallel == t->row ? &at->row_length : &at->rounds;
    uint32_t size = t->parallel == t->row ? t->rows : t->vectors;
    int64_t parts = (length->constant + size - 1) / size;
    l->parallel = split ? parts : l->stage->extent[t->parallel];
    if (split && (length->count || length->constant % parts)) {
        snprintf(l->refusal, sizeof l->refusal,
                 "schedule: the parallel axis has no parts of one size, or as many as are known");
    }
}

static void panels(gali_lowering *l, gali_sum_tile *t, place *at) {
    part parts[KINDS];
    sums_of none = {NULL, gali_loop_number(0)};
    uint32_t kinds = cut_panels(l, &at->length, &at->rounds, t->vectors, parts);
    for (uint32_t i = 0; i < kinds; i++) {
        gali_loop_statement **outside = l->tail;
        gali_loop_index turn = gali_lower_open(l, "panel", &parts[i].tiles);
        at->vector = parts[i].first;
        at->vectors = parts[i].size;
        gali_loop_index_add(&at->vector, &turn, parts[i].size);
        if (t->rows_outside) {
            one_tile(l, t, at, &none, WHOLE);
        } else if (t->outer || t->block) {
            blocks(l, t, at);
        } else {
            row_tiles(l, t, at, &none, WHOLE);
        }
        gali_lower_close(l, outside);
    }
}

/* All panels for a tile of rows before the next: what is multiplied stays near, not the panel. */
static void panels_within_rows(gali_lowering *l, gali_sum_tile *t, place *at) {
    part parts[KINDS];
    open_others(l, t, BY_ROWS | BY_OPEN_ROWS);
    uint32_t kinds = cut_rows(l, &at->row_length, t->rows, parts);
    for (uint32_t i = 0; i < kinds; i++) {
        gali_loop_statement **outside = l->tail;
        gali_loop_index turn = gali_lower_open(l, "tile", &parts[i].tiles);
        at->row = parts[i].first;
        at->rows = parts[i].size;
        gali_loop_index_add(&at->row, &turn, parts[i].size);
        panels(l, t, at);
        gali_lower_close(l, outside);
    }
}

int gali_lower_tile(gali_lowering *l) {
    gali_sum_tile t;
    place at = {.rows = 1};
    if (!gali_tile_choose(l, &t)) {
        return 0;
    }
    at.length = gali_lower_extent(l, l->stage->extent[t.vector]);
    at.row_length = t.row == GALI_NONE ? gali_loop_number(1) : gali_lower_extent(l, l->stage->extent[t.row]);
    open_others(l, &t, BY_PANELS);
    at.rounds = gali_lower_rounds(l, &at.length, l->p->target->lanes);
    share(l, &t, &at);
    if (t.rows_outside) {
        panels_within_rows(l, &t, &at);
    } else {
        panels(l, &t, &at);
    }
    return 1;
}
