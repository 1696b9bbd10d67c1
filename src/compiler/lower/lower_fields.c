/*
 * Between a picture and its fields (program/fields.h): squares of four lanes and four columns are turned over, and what is at
 * the picture's border, or finished differently at each place, goes number by number.
 *
 *     for fields that do not stand side by side in a vector { for rows {
 *         for i in 4 transpose { for j in 4 { fields[row][column + j][lane + i] = picture[..][.. + width i + j] } } } }
 */
#include "compiler/lower/pictures.h"
#include "compiler/program/look.h"

enum { SIDE = 4 /* of a square */ };

static gali_loop_index plus(gali_loop_index a, const gali_loop_index *b, int64_t scale) {
    gali_loop_index_add(&a, b, scale);
    return a;
}

static gali_loop_index open_loop(gali_lowering *l, const char *stem, uint32_t turns) {
    const gali_loop_index count = gali_loop_number(turns);
    return gali_lower_open(l, stem, &count);
}

/* Where a number of fields is: its field down and across, and the place in the strip. */
typedef struct spot {
    gali_loop_index down, across, row, column;
} spot;

static gali_loop_index lane_of(const gali_fields *f, const spot *at) {
    const gali_loop_index lane = plus(gali_loop_number(0), &at->down, gali_fields_step(f, 0));
    return plus(lane, &at->across, gali_fields_step(f, 1));
}

/* ---- squares ---- */

static uint32_t fields_along(const gali_fields *f) {
    return f->across >= f->down ? f->across : f->down;
}

static uint32_t squares_in(uint32_t length) {
    return length < SIDE ? 0 : (length + SIDE - 1) / SIDE;
}

/* The last square lies over the one before where they do not fit. */
static uint32_t square_begin(uint32_t which, uint32_t length) {
    return which * SIDE + SIDE <= length ? which * SIDE : length - SIDE;
}

/* Squares of so many columns; 0: there are too few. */
static uint32_t count_squares(const gali_fields *f, uint32_t columns) {
    return squares_in(fields_along(f)) * squares_in(columns);
}

/* Opens the loops of one, columns counted from 0. */
static spot open_square(gali_lowering *l, const gali_fields *f, uint32_t columns, uint32_t which,
                        const gali_loop_index *row) {
    const int along = f->across >= f->down;
    const uint32_t beside = squares_in(fields_along(f));
    const gali_loop_index other = open_loop(l, "o", along ? f->down : f->across);
    gali_loop_statement **square = l->tail;
    gali_loop_index field = open_loop(l, "i", SIDE), column = open_loop(l, "j", SIDE);
    if (*square) {
        (*square)->mark = GALI_LOOP_TRANSPOSE;
    }
    field.constant += square_begin(which % beside, fields_along(f));
    column.constant += square_begin(which / beside, columns);
    return (spot){
        .down = along ? other : field, .across = along ? field : other, .row = *row, .column = column};
}

/* ---- into fields ---- */

/* Of rows or columns: from `first` on to `end`. */
typedef struct range {
    uint32_t first, end;
} range;

/* Those of tiles that are inside of the picture in all fields. */
static range inside_of(const gali_patterns *of, int across, int64_t picture) {
    const gali_fields *f = &of->fields;
    const uint32_t all = (across ? f->columns : f->height) + GALI_PATTERNS_MARGIN;
    const int64_t last = across ? (f->across - 1) * (int64_t)f->width + (f->strips - 1) * (int64_t)f->columns
                                : (f->down - 1) * (int64_t)f->height;
    const int64_t end = picture + of->begin[across] - last;
    const range in = {.first = of->begin[across], .end = end < all ? (uint32_t)(end > 0 ? end : 0) : all};
    return in.first < in.end ? in : (range){all, all};
}

/* The tensor's element that a number of tiles is; tested: or 0, where that is outside. */
static void copy_number(gali_lowering *l, const gali_scalar *load, const spot *at, int tested) {
    const gali_patterns *of = l->stage->patterns;
    const gali_fields *f = &of->fields;
    const gali_program_tensor *t = &l->p->tensors[load->source];
    gali_loop_index index[] = {l->axis[0], l->axis[2], plus(at->row, &at->down, f->height),
                               plus(at->column, &at->across, f->width)};
    gali_loop_access from = {.buffer = gali_lower_parameter(l, load->source), .lanes = 1};
    gali_loop_index_add(&index[3], &l->axis[1], f->columns);
    for (uint32_t d = 0; d < 4; d++) {
        const uint32_t axis = t->order[d];
        from.index[d] = index[axis];
        from.index[d].constant += t->before[axis] - (axis >= 2 ? of->begin[axis - 2] : 0);
        from.tested |= (uint32_t)(tested && axis >= 2) << d;
    }
    l->axis[3] = plus(lane_of(f, at), &at->row, gali_patterns_row(f));
    gali_loop_index_add(&l->axis[3], &at->column, f->lanes);
    const gali_loop_access to = gali_lower_result(l);
    gali_lower_put(l, &to, gali_loop_load(l->arena, &from, tested ? gali_loop_constant(l->arena, 0) : NULL));
}

static void copy_numbers(gali_lowering *l, const gali_scalar *load, range rows, range columns) {
    const gali_fields *f = &l->stage->patterns->fields;
    gali_loop_statement **outside = l->tail;
    if (rows.first >= rows.end || columns.first >= columns.end) {
        return;
    }
    spot at = {.row = open_loop(l, "r", rows.end - rows.first)};
    at.column = open_loop(l, "j", columns.end - columns.first);
    at.row.constant += rows.first;
    at.column.constant += columns.first;
    at.down = open_loop(l, "d", f->down);
    at.across = open_loop(l, "a", f->across);
    copy_number(l, load, &at, 1);
    gali_lower_close(l, outside);
}

/* The load, where fields are a copy of the picture; NULL: what makes the picture was fused into them. */
static const gali_scalar *picture_of(const gali_lowering *l) {
    const gali_scalar *value = l->stage->value; /* without a border it is not selected */
    const gali_scalar *load = value->op == GALI_SCALAR_select ? value->operand[1] : value;
    const int own = load->op == GALI_SCALAR_load && load->source == l->stage->patterns->picture;
    return own && l->p->tensors[load->source].type.element == GALI_f32 ? load : NULL;
}

int gali_lower_into_fields(gali_lowering *l) {
    const gali_patterns *of = l->stage->patterns;
    const gali_fields *f = &of->fields;
    const gali_scalar *load = picture_of(l);
    const range all_rows = {0, f->height + GALI_PATTERNS_MARGIN},
                all_columns = {0, f->columns + GALI_PATTERNS_MARGIN};
    if (!load || !gali_lower_parameter(l, load->source) || l->shared > 1) {
        return 0;
    }
    const gali_type *type = &l->p->tensors[load->source].type;
    range rows = inside_of(of, 0, type->shape[2]), columns = inside_of(of, 1, type->shape[3]);
    const uint32_t squares = count_squares(f, columns.end - columns.first);
    if (!squares) {
        rows = (range){all_rows.end, all_rows.end};
    }
    gali_lower_open_axes(l, 0, 3);
    gali_loop_statement **outside = l->tail;
    copy_numbers(l, load, (range){0, rows.first}, all_columns);
    copy_numbers(l, load, (range){rows.end, all_rows.end}, all_columns);
    copy_numbers(l, load, rows, (range){0, columns.first});
    copy_numbers(l, load, rows, (range){columns.end, all_columns.end});
    for (uint32_t i = 0; rows.first < rows.end && i < squares; i++) {
        gali_loop_index row = open_loop(l, "r", rows.end - rows.first);
        row.constant += rows.first;
        spot at = open_square(l, f, columns.end - columns.first, i, &row);
        at.column.constant += columns.first;
        copy_number(l, load, &at, 0);
        gali_lower_close(l, outside);
    }
    return 1;
}

/* ---- out of fields ---- */

int gali_lower_finishes_alike(const gali_lowering *l) {
    const gali_program_stage *stage = l->stage;
    const gali_program_tensor *t = &l->p->tensors[stage->tensor];
    return t->type.element == GALI_f32 && t->order[3] == 3 && !gali_look_has_axis(stage->finish, 2) &&
           !gali_look_has_axis(stage->finish, 3) && gali_lower_has_lanes(l, stage->finish, 3);
}

/* y = a number of what is made. */
static void put_number(gali_lowering *l, const gali_lower_strip *s, const spot *at, const gali_scalar *finish) {
    const gali_fields *f = s->fields;
    gali_loop_access own = {.buffer = s->made, .lanes = 1, .index = {at->column, lane_of(f, at)}};
    gali_loop_index_add(&own.index[0], &at->row, f->columns);
    l->axis[2] = plus(plus(s->row, &at->row, 1), &at->down, f->height);
    l->axis[3] = plus(plus(at->column, &s->strip, f->columns), &at->across, f->width);
    l->self = gali_loop_load(l->arena, &own, NULL);
    const gali_loop_access to = gali_lower_result(l);
    gali_lower_store(l, &to, finish);
}

void gali_lower_out_of_fields(gali_lowering *l, const gali_lower_strip *s, const gali_scalar *finish) {
    const gali_fields *f = s->fields;
    gali_loop_statement **outside = l->tail;
    const uint32_t squares = gali_lower_finishes_alike(l) ? count_squares(f, f->columns) : 0;
    for (uint32_t i = 0; i < squares; i++) {
        const gali_loop_index row = open_loop(l, "r", s->rows);
        const spot at = open_square(l, f, f->columns, i, &row);
        put_number(l, s, &at, finish);
        gali_lower_close(l, outside);
    }
    if (!squares) {
        spot at = {.row = open_loop(l, "r", s->rows), .down = open_loop(l, "d", f->down)};
        at.across = open_loop(l, "a", f->across);
        at.column = open_loop(l, "j", f->columns);
        put_number(l, s, &at, finish);
        gali_lower_close(l, outside);
    }
}
