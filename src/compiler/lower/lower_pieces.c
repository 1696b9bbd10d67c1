/*
 * Stages in pieces: what is another thing from some place of an axis on, as a Concat's operands one after the other are, is
 * a stage for each of them, whose indices start at 0 and are simple.
 *
 *     for i in 2268 { y[i] = i < 1444 ? a[i / 76][i / 4 % 19][i % 4] : b[(i - 1444) / 60][..] }
 *
 *     for i in 2268 { for once in (i < 1444) { at = i; y[at] = a[at / 76][at / 4 % 19][at % 4] }
 *                     for once in (i >= 1444) { at = i - 1444; y[1444 + at] = b[at / 60][..] } }
 *
 * The axis' own loop stays one, which stages may share and threads may part. Of the innermost axis each piece is a loop; it
 * goes upwards, so what a vector writes past its piece's end the next one writes again: a thread does all pieces of its rows.
 */
#include "compiler/lower/lowering.h"
#include "compiler/program/scalars.h"

enum { PIECES_MOST = 16, LOOKED_AT_MOST = 512 };

typedef struct seams {
    uint32_t axis, count, looked_at;
    int64_t end[PIECES_MOST]; /* of pieces, ascending, without the last one's */
    int good;
} seams;

/* ---- where they are ---- */

static void add_seam(seams *s, int64_t end) {
    uint32_t i = 0;
    while (i < s->count && s->end[i] < end) {
        i++;
    }
    if (i < s->count && s->end[i] == end) {
        return;
    }
    if (s->count + 1 == PIECES_MOST) { /* the last piece has no seam */
        s->good = 0;
        return;
    }
    for (uint32_t j = s->count++; j > i; j--) {
        s->end[j] = s->end[j - 1];
    }
    s->end[i] = end;
}

/* Seams of the first axis that has some: select(axis < number, .., ..), but in indices. */
static void find_seams(const gali_program_stage *stage, const gali_scalar *a, seams *s) {
    const gali_scalar *truth = a->op == GALI_SCALAR_select ? a->operand[0] : NULL;
    s->good &= s->looked_at++ < LOOKED_AT_MOST;
    if (truth && truth->op == GALI_SCALAR_less && truth->operand[0]->op == GALI_SCALAR_axis &&
        truth->operand[1]->op == GALI_SCALAR_number && truth->operand[1]->element == GALI_i64) {
        uint32_t axis = truth->operand[0]->source;
        int64_t end = truth->operand[1]->whole;
        if ((s->axis == GALI_NONE || s->axis == axis) && gali_extent_is_number(stage->extent[axis]) &&
            end > 0 && end < stage->extent[axis]) {
            s->axis = axis;
            add_seam(s, end);
        }
    }
    for (int i = 0; i < 3 && a->operand[i] && s->good; i++) {
        find_seams(stage, a->operand[i], s);
    }
}

/* ---- a piece ---- */

typedef struct piece {
    uint32_t axis;
    int64_t first, count;
    gali_scalars *scalars;
} piece;

/* An axis' place in the stage is its place in the piece and where that begins. */
static const gali_scalar *moved(void *who, const gali_scalar *a) {
    const piece *own = who;
    if (a->op != GALI_SCALAR_axis || a->source != own->axis || !own->first) {
        return a;
    }
    const gali_scalar *first = gali_scalars_keep(
        own->scalars, &(gali_scalar){.op = GALI_SCALAR_number, .element = GALI_i64, .whole = own->first});
    return first ? gali_scalars_keep(
                       own->scalars,
                       &(gali_scalar){.op = GALI_SCALAR_add, .element = GALI_i64, .operand = {a, first}})
                 : NULL;
}

/* The stage of a piece; its value is NULL without memory. */
static gali_program_stage stage_of(gali_lowering *l, const gali_program_stage *stage, piece *own) {
    gali_program_stage copy = *stage;
    gali_arena arena = {0};
    copy.extent[own->axis] = own->count;
    own->scalars = gali_scalars_make(l->arena, l->p->graph->extents);
    gali_scalar_maker maker = {.scalars = own->scalars,
                               .arena = &arena,
                               .axes = {copy.extent, copy.rank},
                               .replace = moved,
                               .who = own};
    copy.value = own->scalars ? gali_scalar_make(&maker, stage->value) : NULL;
    gali_arena_release(&arena);
    return copy;
}

/* Opens a loop that runs once where the axis, which is at `whole`, is in the piece; the axis is its place in it then. */
static void open_once(gali_lowering *l, const piece *own, const gali_loop_index *whole, int64_t extent) {
    const gali_loop_index one = gali_loop_number(1);
    gali_loop_index turns = one;
    l->let_count = 0;
    if (own->first + own->count < extent) {
        gali_loop_index end = gali_loop_number(own->first + own->count);
        gali_loop_index least = gali_lower_let(l, GALI_LOOP_LEAST, *whole, end, 0, end.constant, NULL);
        gali_loop_index_add(&end, &least, -1);
        turns = gali_lower_let(l, GALI_LOOP_LEAST, end, one, 0, 1, NULL);
    }
    if (own->first) {
        gali_loop_index next = *whole;
        next.constant++;
        gali_loop_index past =
            gali_lower_let(l, GALI_LOOP_MOST, next, gali_loop_number(own->first), own->first, extent, NULL);
        past.constant -= own->first;
        turns = gali_lower_let(l, GALI_LOOP_LEAST, past, turns, 0, 1, NULL);
    }
    gali_lower_open(l, "once", &turns);
    gali_loop_index at = *whole;
    if (own->first) {
        at = gali_lower_let(l, GALI_LOOP_MOST, at, gali_loop_number(own->first), own->first, extent - 1, NULL);
        at.constant -= own->first;
    }
    l->axis[own->axis] =
        gali_lower_let(l, GALI_LOOP_LEAST, at, gali_loop_number(own->count - 1), 0, own->count - 1, NULL);
    l->let_count = 0;
}

/* Whether vectors of the innermost axis end where pieces do. */
static int ends_in_vectors(const gali_lowering *l, const seams *s) {
    int64_t lanes = l->p->target ? l->p->target->lanes : 1;
    int whole = 1;
    for (uint32_t i = 0; i < s->count; i++) {
        whole &= s->end[i] % lanes == 0;
    }
    return whole;
}

static void lower_pieces(gali_lowering *l, const gali_program_stage *stage, const seams *s, uint32_t depth) {
    int64_t extent = stage->extent[s->axis];
    int last = depth + 1 == stage->rank;
    uint32_t shared = l->shared, open = last ? depth : depth + 1;
    gali_lower_open_axes(l, 0, open);
    l->shared = open > shared ? open : shared;
    gali_loop_statement **outside = l->tail;
    const gali_loop_index whole = l->axis[s->axis];
    piece own = {.axis = s->axis};
    l->in_row = last && !ends_in_vectors(l, s);
    for (uint32_t i = 0; i <= s->count && !l->why; i++) {
        own.count = (i < s->count ? s->end[i] : extent) - own.first;
        gali_program_stage part = stage_of(l, stage, &own);
        if (!part.value) {
            gali_lower_fail(l, "no memory");
            return;
        }
        l->stage = &part;
        l->known_count = 0;
        l->piece = own.axis;
        l->piece_first = own.first;
        if (!last) {
            open_once(l, &own, &whole, extent);
        }
        gali_lower_elements(l);
        gali_lower_close(l, outside);
        own.first += own.count;
    }
    l->stage = stage;
    l->shared = shared;
    l->piece = GALI_NONE;
    l->axis[s->axis] = whole; /* of the stages that share its loop */
}

int gali_lower_pieces(gali_lowering *l) {
    const gali_program_stage *stage = l->stage;
    seams s = {.axis = GALI_NONE, .good = 1};
    find_seams(stage, stage->value, &s);
    if (!s.good || !s.count) {
        return 0;
    }
    uint32_t depth = 0;
    while (gali_lower_axis(l, depth) != s.axis) {
        depth++;
    }
    if (depth + 1 == stage->rank && depth < l->shared) { /* no loop is left to cut */
        return 0;
    }
    lower_pieces(l, stage, &s, depth);
    return 1;
}
