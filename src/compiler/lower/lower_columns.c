/*
 * A picture into tiles of columns next to each other (program/patterns.h), in vectors:
 *
 *     for c in channels { for rows of the tile { tiles[..][row][column ..] = x[..][.. + row][.. + column ..], or 0 outside } }
 */
#include "compiler/lower/pictures.h"
#include "compiler/program/guard.h"

/* A lane, or several, of the row of a tile that the axes say, from column `at` on. */
static void copy(gali_lowering *l, const gali_scalar *load, uint32_t at, uint32_t lanes) {
    l->axis[5] = gali_loop_number(at);
    gali_loop_access from = {.buffer = gali_lower_parameter(l, load->source), .lanes = 1},
                     to = gali_lower_result(l);
    l->let_count = 0;
    if (!from.buffer || !gali_lower_access(l, load, &from)) {
        gali_lower_fail(l, "no such tensor");
        return;
    }
    from.lanes = to.lanes = lanes;
    from.tested &= lanes > 1 ? ~(1u << (from.buffer->rank - 1)) : ~0u; /* a vector past the end is 0 there */
    const gali_loop_value *zero = from.tested ? gali_loop_constant(l->arena, 0) : NULL;
    gali_lower_put(l, &to, gali_loop_load(l->arena, &from, zero));
    l->let_count = 0;
}

/* Rows of the tiles in a column of tiles: what stands before column `begin` is outside, number by number; the rest by vectors. */
static void copy_rows(gali_lowering *l, const gali_scalar *load, gali_loop_index column, uint32_t begin) {
    uint32_t lanes = l->p->target->lanes, length = (uint32_t)l->stage->extent[5], at = 0;
    gali_loop_statement **outside = l->tail;
    l->axis[2] = column;
    gali_lower_open_axes(l, 3, 5);
    for (; at < begin; at++) {
        copy(l, load, at, 1);
    }
    for (; at + lanes <= length; at += lanes) {
        copy(l, load, at, lanes);
    }
    if (at < length && begin == 0) {
        copy(l, load, length - lanes, lanes);
    } else if (2 * (length - at) > lanes) { /* what is past the end is not stored */
        copy(l, load, at, lanes);
    } else {
        for (; at < length; at++) {
            copy(l, load, at, 1);
        }
    }
    gali_lower_close(l, outside);
}

int gali_lower_into_columns(gali_lowering *l) {
    const gali_program_stage *stage = l->stage;
    const gali_scalar *load = gali_program_guarded(l->p, stage->value);
    const gali_program_tensor *x = load ? &l->p->tensors[load->source] : NULL;
    gali_loop_index before;
    int64_t step = 0;
    if (!x || x->type.rank != 4 || x->order[3] != 3 || x->type.element != GALI_f32 || l->shared > 1 ||
        !gali_lower_steps(load->index[3], 5, &step) || step != 1) {
        return 0;
    }
    for (uint32_t d = 0; d < 3; d++) {
        if (gali_lower_uses(load->index[d], 5)) {
            return 0;
        }
    }
    l->axis[2] = l->axis[5] = gali_loop_number(0);
    if (!gali_lower_affine(l, load->index[3], &before) || before.count || before.constant > 0 ||
        before.constant < -GALI_PATTERNS_MARGIN) {
        return 0;
    }
    gali_lower_open_axes(l, 0, 2);
    gali_loop_statement **inside = l->tail;
    copy_rows(l, load, gali_loop_number(0), (uint32_t)-before.constant);
    gali_lower_close(l, inside);
    gali_loop_index others = gali_loop_number(stage->extent[2] - 1);
    if (others.constant) {
        gali_loop_index turn = gali_lower_open(l, "v", &others), column = gali_loop_number(1);
        gali_loop_index_add(&column, &turn, 1);
        copy_rows(l, load, column, 0);
    }
    return 1;
}
