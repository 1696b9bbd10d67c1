/*
 * Stages in vectors of the target, along the dimension in which their results are contiguous.
 *
 * A scalar is the same in all lanes where it does not depend on that axis; in lanes where its loads are contiguous in it, or
 * of constants that can be laid out anew, and all operations have a word in vectors. What is in no lanes is gathered, lane by
 * lane, where enough is computed of it; else the stage is lowered number by number (lower_stage.c). What is gathered and the
 * same for all of the dimension next to the vectors', such as the deviations of a group norm's channels, is computed for a
 * whole row before the loop over that.
 */
#include "compiler/lower/lowering.h"
#include "compiler/program/guard.h"

enum {
    KNOWN_MOST = 1024,
    GATHERED_MOST = GALI_LOWER_GATHERED_MAX,
    WORK_MOST = 1 << 12,
    WORTH = 6,         /* operations in lanes that pay for gathering one number for each */
    ROW_MOST = 1024,   /* numbers of a row that is gathered once */
    TURNS_ENOUGH = 16, /* of a loop that threads may share */
};

/* ---- how scalars depend on an axis ---- */

typedef struct looking {
    const gali_lowering *l;
    uint32_t axis, count;
    const gali_scalar *seen[KNOWN_MOST];
    gali_lower_lanes is[KNOWN_MOST];
} looking;

int gali_lower_uses(const gali_scalar *a, uint32_t axis) {
    int uses = a && a->op == GALI_SCALAR_axis && a->source == axis;
    for (int i = 0; a && !uses && i < 3; i++) {
        uses = gali_lower_uses(a->operand[i], axis);
    }
    for (int i = 0; a && !uses && i < GALI_RANK_MAX; i++) {
        uses = gali_lower_uses(a->index[i], axis);
    }
    return uses;
}

int gali_lower_steps(const gali_scalar *a, uint32_t axis, int64_t *step) {
    int64_t left = 0, right = 0;
    *step = 0;
    if (!gali_lower_uses(a, axis)) {
        return 1;
    }
    switch (a->op) {
    case GALI_SCALAR_axis:
        *step = 1;
        return 1;
    case GALI_SCALAR_add:
    case GALI_SCALAR_sub: {
        int both =
            gali_lower_steps(a->operand[0], axis, &left) && gali_lower_steps(a->operand[1], axis, &right);
        *step = a->op == GALI_SCALAR_add ? left + right : left - right;
        return both;
    }
    case GALI_SCALAR_mul: {
        uint32_t by = a->operand[0]->op == GALI_SCALAR_number ? 0 : 1;
        int good =
            a->operand[by]->op == GALI_SCALAR_number && gali_lower_steps(a->operand[1 - by], axis, &left);
        *step = good ? left * a->operand[by]->whole : 0;
        return good;
    }
    default:
        return 0;
    }
}

/* Whether a load of a constant may be of lanes by another layout: one dimension is the axis alone, the others are without. */
static int packs(const gali_lowering *l, const gali_scalar *load, uint32_t axis) {
    const gali_program_tensor *t = &l->p->tensors[load->source];
    uint32_t bare = 0, others = 0;
    for (int i = 0; i < t->type.rank; i++) {
        int alone = load->index[i]->op == GALI_SCALAR_axis && load->index[i]->source == axis;
        bare += (uint32_t)alone;
        others += !alone && gali_lower_uses(load->index[i], axis);
    }
    return t->role == GALI_TENSOR_CONSTANT && t->type.element == GALI_f32 && bare == 1 && !others &&
           t->type.rank < GALI_LOOP_RANK_MAX;
}

gali_lower_lanes gali_lower_load_lanes(const gali_lowering *l, const gali_scalar *load, uint32_t axis) {
    const gali_program_tensor *t = &l->p->tensors[load->source];
    int64_t step = 0, unit = 0;
    uint32_t other = 0;
    for (int d = 0; d < t->type.rank; d++) {
        int affine = gali_lower_steps(load->index[t->order[d]], axis, &step);
        if (d + 1 == t->type.rank) {
            unit = affine ? step : -1;
        } else {
            other += !affine || step != 0;
        }
    }
    return unit == 0 && !other                                  ? GALI_LOWER_SAME
           : unit == 1 && !other && t->type.element == GALI_f32 ? GALI_LOWER_IN_LANES
           : packs(l, load, axis)                               ? GALI_LOWER_PACKED
                                                                : GALI_LOWER_NO_LANES;
}

static gali_lower_lanes look(looking *k, const gali_scalar *a);

static gali_lower_lanes look_at_operands(looking *k, const gali_scalar *a) {
    gali_loop_op op = gali_lower_op(a->op);
    int same = 1, good = op < GALI_VALUE_COUNT && *gali_loop_ops[op].vector &&
                         (a->element == GALI_f32 || a->element == GALI_truth);
    for (int i = 0; i < 3 && a->operand[i]; i++) {
        gali_lower_lanes is = look(k, a->operand[i]);
        gali_element element = a->operand[i]->element;
        same &= is == GALI_LOWER_SAME;
        good &= is != GALI_LOWER_NO_LANES &&
                (element == GALI_f32 || (element == GALI_truth && a->op != GALI_SCALAR_equal) ||
                 is == GALI_LOWER_SAME);
    }
    return same ? GALI_LOWER_SAME : good ? GALI_LOWER_IN_LANES : GALI_LOWER_NO_LANES;
}

static gali_lower_lanes look(looking *k, const gali_scalar *a) {
    gali_lower_lanes is = GALI_LOWER_SAME;
    for (uint32_t i = 0; i < k->count; i++) {
        if (k->seen[i] == a) {
            return k->is[i];
        }
    }
    switch (a->op) {
    case GALI_SCALAR_number:
    case GALI_SCALAR_extent:
        return is;
    case GALI_SCALAR_axis:
        return a->source == k->axis ? GALI_LOWER_NO_LANES : is;
    case GALI_SCALAR_self:
        return GALI_LOWER_IN_LANES;
    case GALI_SCALAR_load:
        is = gali_lower_load_lanes(k->l, a, k->axis);
        is = is == GALI_LOWER_PACKED ? GALI_LOWER_IN_LANES : is;
        break;
    default:
        is = gali_program_guarded(k->l->p, a) && !gali_lower_uses(a->operand[0], k->axis)
                 ? look(k, a->operand[1])
                 : look_at_operands(k, a);
    }
    if (k->count == KNOWN_MOST) {
        return GALI_LOWER_NO_LANES;
    }
    k->seen[k->count] = a;
    k->is[k->count++] = is;
    return is;
}

int gali_lower_has_lanes(const gali_lowering *l, const gali_scalar *a, uint32_t axis) {
    looking k = {.l = l, .axis = axis};
    return !a || (a->element == GALI_f32 && look(&k, a) != GALI_LOWER_NO_LANES);
}

void gali_lower_set_lanes(gali_lowering *l, uint32_t axis, uint32_t lanes, gali_loop_index at,
                          const gali_loop_index *below) {
    l->vector = axis;
    l->lanes = lanes;
    if (axis != GALI_NONE) {
        gali_lower_set_known(l, axis, at, below);
    }
}

/* ---- stages without sums ---- */

/* Constants that lie otherwise are for tiles to lay out anew. */
static int reads_rows(const gali_lowering *l, const gali_scalar *a, uint32_t axis) {
    int rows = !a || a->op != GALI_SCALAR_load || gali_lower_load_lanes(l, a, axis) != GALI_LOWER_PACKED;
    for (int i = 0; a && rows && i < 3; i++) {
        rows = reads_rows(l, a->operand[i], axis);
    }
    return rows;
}

/*
 * What stands in no lanes within a scalar that could else: loads whose numbers lie apart, what is made of integers. They are
 * gathered, one by one, and all around them is computed in lanes.
 */
typedef struct gathering {
    looking k;
    uint32_t around;      /* the axis next to the vectors'; GALI_NONE: nothing is gathered before its loop */
    uint32_t count, work; /* operations around them, of which a long one counts for many */
    uint32_t rows;        /* of them those that do not depend on that axis */
    const gali_scalar *list[GATHERED_MOST];
    const gali_loop_buffer *row[GATHERED_MOST]; /* NULL: each vector of it is gathered by itself */
    int good;
} gathering;

static int has_word(const gali_scalar *a) {
    gali_loop_op op = gali_lower_op(a->op);
    int word = a->operand[0] && op < GALI_VALUE_COUNT && *gali_loop_ops[op].vector;
    for (int i = 0; word && i < 3 && a->operand[i]; i++) {
        word = a->operand[i]->element == GALI_f32;
    }
    return word;
}

/* Whether a row of it does for all of the axis around. */
static int is_of_row(const gathering *g, const gali_scalar *a) {
    return g->around != GALI_NONE && a->element == GALI_f32 && !gali_lower_uses(a, g->around);
}

static void find_gathered(gathering *g, const gali_scalar *a) {
    enum { LONG = 8 };
    int wide = a->op == GALI_SCALAR_pow || (a->op >= GALI_SCALAR_sqrt && a->op <= GALI_SCALAR_atanh);
    int in_lanes = look(&g->k, a) != GALI_LOWER_NO_LANES, of_row = is_of_row(g, a);
    if (!in_lanes && (of_row || !has_word(a))) {
        for (uint32_t i = 0; i < g->count; i++) {
            if (g->list[i] == a) {
                return;
            }
        }
        g->good &= a->element == GALI_f32 && g->count < GATHERED_MOST;
        if (g->good) {
            g->list[g->count++] = a;
            g->rows += (uint32_t)of_row;
        }
        return;
    }
    g->work += a->operand[0] ? (wide ? LONG : 1) : 0;
    for (int i = 0; g->work < WORK_MOST && i < 3 && a->operand[i]; i++) {
        find_gathered(g, a->operand[i]);
    }
}

/* Each lane of a scalar in a local, number by number; lanes past the row's end are 0. */
static void gather(gali_lowering *l, const gali_scalar *a, uint32_t axis, const gali_loop_index *at,
                   const gali_loop_index *length) {
    uint32_t lanes = l->p->target->lanes;
    gali_loop_index count = gali_loop_number(lanes), lane = *at;
    gali_loop_buffer *local = gali_lower_local(l, "lane", GALI_f32, 1, &lanes);
    if (!local) {
        return;
    }
    const gali_loop_access all = {.buffer = local, .lanes = lanes};
    gali_lower_put(l, &all, gali_loop_constant(l->arena, 0));
    if (length->count || length->constant % lanes) {
        gali_loop_index left = *length;
        gali_loop_index_add(&left, at, -1);
        count = gali_lower_let(l, GALI_LOOP_LEAST, count, left, 1, lanes, NULL);
    }
    gali_loop_statement **outside = l->tail;
    gali_loop_index turn = gali_lower_open(l, "j", &count);
    gali_loop_index_add(&lane, &turn, 1);
    gali_lower_set_known(l, axis, lane, length);
    const gali_loop_access own = {.buffer = local, .lanes = 1, .index = {turn}};
    gali_lower_store(l, &own, a);
    gali_lower_close(l, outside);
    l->gathered[l->gathered_count++] = (gali_lower_shared){a, gali_loop_load(l->arena, &all, NULL)};
}

/* A row of a scalar in a local, number by number; lanes past its end are 0. */
static const gali_loop_buffer *gather_row(gali_lowering *l, const gali_scalar *a, uint32_t axis,
                                          const gali_loop_index *length) {
    uint32_t lanes = l->p->target->lanes, all = ((uint32_t)length->constant + lanes - 1) / lanes * lanes;
    gali_loop_buffer *local = gali_lower_local(l, "row", GALI_f32, 1, &all);
    if (!local) {
        return NULL;
    }
    if (length->constant % lanes) {
        const gali_loop_access last = {
            .buffer = local, .lanes = lanes, .index = {gali_loop_number(all - lanes)}};
        gali_lower_put(l, &last, gali_loop_constant(l->arena, 0));
    }
    gali_loop_statement **outside = l->tail;
    gali_loop_index turn = gali_lower_open(l, "j", length);
    gali_lower_set_known(l, axis, turn, length);
    const gali_loop_access own = {.buffer = local, .lanes = 1, .index = {turn}};
    gali_lower_store(l, &own, a);
    gali_lower_close(l, outside);
    return local;
}

/*
 * The axis next to the vectors', before whose loop rows may be gathered: rows of a size that is known, and outside enough is
 * left for threads, whose loop has no locals around it.
 */
static uint32_t find_around(const gali_lowering *l, gali_extent length) {
    const gali_program_stage *stage = l->stage;
    int64_t turns = 1;
    if (stage->rank < 2 || stage->rank - 2 < l->shared || !gali_extent_is_number(length) || length > ROW_MOST ||
        !l->p->typical) {
        return GALI_NONE;
    }
    for (uint32_t d = 0; d + 2 < stage->rank; d++) {
        int64_t own =
            gali_extent_value(l->p->graph->extents, stage->extent[gali_lower_axis(l, d)], l->p->typical);
        turns = own > turns ? own : turns;
    }
    return l->shared || turns >= TURNS_ENOUGH ? gali_lower_axis(l, stage->rank - 2) : GALI_NONE;
}

/* Whether the stage's value is in lanes, all or all but what is to be gathered, and that is worth it. */
static int finds_lanes(const gali_lowering *l, uint32_t axis, gathering *g) {
    const gali_scalar *value = l->stage->value;
    *g = (gathering){.k = {.l = l, .axis = axis}, .around = find_around(l, l->stage->extent[axis]), .good = 1};
    if (reads_rows(l, value, axis) && gali_lower_has_lanes(l, value, axis)) {
        return 1;
    }
    find_gathered(g, value);
    return g->good && g->count && g->work >= WORTH * (g->count - g->rows);
}

int gali_lower_vectors(gali_lowering *l) {
    const gali_program_stage *stage = l->stage;
    uint32_t axis = stage->rank ? gali_lower_axis(l, stage->rank - 1) : 0, lanes = l->p->target->lanes;
    gali_extent extent = stage->rank ? stage->extent[axis] : 1;
    gathering g;
    if (l->p->tensors[stage->tensor].type.element != GALI_f32 || !stage->rank ||
        (gali_extent_is_number(extent) && extent < lanes / 2) || !finds_lanes(l, axis, &g)) {
        return 0;
    }
    gali_loop_index length = gali_lower_extent(l, extent);
    uint32_t around = stage->rank - (g.rows ? 2 : 1);
    gali_lower_open_axes(l, 0, around);
    for (uint32_t i = 0; i < g.count; i++) {
        g.row[i] = is_of_row(&g, g.list[i]) ? gather_row(l, g.list[i], axis, &length) : NULL;
    }
    gali_lower_open_axes(l, around, stage->rank - 1);
    gali_loop_index rounds = gali_lower_rounds(l, &length, lanes), at = gali_loop_number(0);
    gali_loop_index turn = gali_lower_open(l, "v", &rounds);
    gali_loop_index_add(&at, &turn, lanes);
    for (uint32_t i = 0; i < g.count; i++) {
        if (g.row[i]) {
            const gali_loop_access part = {.buffer = g.row[i], .lanes = lanes, .index = {at}};
            l->gathered[l->gathered_count++] =
                (gali_lower_shared){g.list[i], gali_loop_load(l->arena, &part, NULL)};
        } else {
            gather(l, g.list[i], axis, &at, &length);
        }
    }
    gali_lower_set_lanes(l, axis, lanes, at, &length);
    gali_loop_access to = gali_lower_result(l);
    to.lanes = lanes;
    gali_lower_store(l, &to, stage->value);
    l->gathered_count = 0;
    gali_lower_set_lanes(l, GALI_NONE, 1, at, NULL);
    return 1;
}
