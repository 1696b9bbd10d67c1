/*
 * Which register tile a sum has: the axis of its vectors, of its rows, how many of each, in which blocks; and its constants,
 * laid out for it.
 *
 * What counts is a model of one step of the sum, in units of an FMA, as of dense layers (schedule/hand.c): FMAs, loads, the sums
 * that must be in flight. Sizes that are open count as if they were a usual one.
 */
#include "compiler/lower/tile.h"

enum {
    ROWS_MOST = 14,
    VECTORS_MOST = 8,
    SUMS_MOST = 1 << 16, /* bytes of sums in a local of all rows */
    OPEN_ROWS = 4,       /* what an axis of open size, often a batch, counts for rows */
    SHARED_WORTH = 3,    /* of rows that share a load in lanes, beside others */
    TERMS_SHORT = 64,    /* of a sum whose panels are read again for each tile of rows */
    EXTENT_GUESS = 64,   /* of an axis of open size */
    FORMS_MOST = 20,     /* of a tile whose rows and vectors are of open sizes */
};

/* ---- choosing ---- */

static int find_loads(gali_lowering *l, gali_sum_tile *t, const gali_scalar *a) {
    int good = 1;
    if (a && a->op == GALI_SCALAR_load) {
        for (uint32_t i = 0; i < t->load_count; i++) {
            if (t->load[i] == a) {
                return 1;
            }
        }
        if (t->load_count == GALI_TILE_LOADS_MAX) {
            return 0;
        }
        t->is[t->load_count] = gali_lower_load_lanes(l, a, t->vector);
        t->in_lanes += t->is[t->load_count] != GALI_LOWER_SAME;
        t->load[t->load_count++] = a;
        return 1;
    }
    for (int i = 0; a && good && i < 3; i++) {
        good = find_loads(l, t, a->operand[i]);
    }
    return good;
}

static double guess(const gali_lowering *l, gali_extent extent) {
    int64_t typical =
        l->p->typical ? gali_extent_value(l->p->graph->extents, extent, l->p->typical) : EXTENT_GUESS;
    return gali_extent_is_number(extent) ? (double)extent : typical > 0 ? (double)typical : 1;
}

/* Loads in lanes that are the same for all of an axis. */
static uint32_t shared_by(const gali_sum_tile *t, uint32_t axis) {
    uint32_t shared = 0;
    for (uint32_t i = 0; i < t->load_count; i++) {
        shared += t->is[i] != GALI_LOWER_SAME && !gali_lower_uses(t->load[i], axis);
    }
    return shared;
}

static void choose_row(const gali_lowering *l, gali_sum_tile *t) {
    double best = 0;
    t->row = GALI_NONE;
    for (uint32_t d = l->shared; d < l->stage->rank; d++) {
        uint32_t axis = gali_lower_axis(l, d);
        int number = gali_extent_is_number(l->stage->extent[axis]);
        double extent = number ? (double)l->stage->extent[axis] : (double)OPEN_ROWS;
        double worth = extent < (double)ROWS_MOST ? extent : (double)ROWS_MOST;
        worth *= 1 + SHARED_WORTH * shared_by(t, axis);
        if (axis != t->vector && extent > 1 && worth >= best) { /* of equals the inner one */
            best = worth;
            t->row = axis;
        }
    }
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

/* Issue slots of a step of the sum, in units of one FMA (schedule/hand.c). */
static double step_cost(const gali_lowering *l, const gali_sum_tile *t, double rows, double vectors) {
    uint32_t shared = t->row == GALI_NONE ? 0 : shared_by(t, t->row), own = t->in_lanes - shared;
    uint32_t same = t->load_count - t->in_lanes;
    double loads = vectors * shared + rows * vectors * own + rows * same;
    return larger(larger(rows * vectors, 0.5 * loads), l->p->target->flight) + 0.1 * loads + 0.5;
}

/* Of nearly equal parts. */
static double parts_cost(const gali_lowering *l, const gali_sum_tile *t, uint32_t rows, uint32_t vectors,
                         double all_rows, double all_vectors) {
    double row_tiles = (double)(int64_t)((all_rows + rows - 1) / rows);
    double panels = (double)(int64_t)((all_vectors + vectors - 1) / vectors);
    return row_tiles * panels * step_cost(l, t, all_rows / row_tiles, all_vectors / panels);
}

/* Rows of an open size as lower_tile.c cuts them: into nearly equal tiles, or into whole ones and halves of them. */
static double cut_cost(const gali_lowering *l, const gali_sum_tile *t, uint32_t rows, double vectors,
                       int64_t size) {
    double cost = 0;
    if (rows >= GALI_TILE_EVEN_LEAST && rows <= GALI_TILE_EVEN_MOST) {
        int64_t tiles = (size + rows - 1) / rows, small = size / tiles, more = size % tiles;
        return (double)more * step_cost(l, t, (double)(small + 1), vectors) +
               (double)(tiles - more) * step_cost(l, t, (double)small, vectors);
    }
    for (uint32_t part = rows; part > 0; part /= 2) {
        cost += (double)(size / part) * step_cost(l, t, part, vectors);
        size %= part;
    }
    return cost;
}

/*
 * A row's cost in tiles of so many rows, of an axis of open size: the mean over sizes of pictures and sequences that are in
 * its range.
 */
static double open_cost(const gali_lowering *l, const gali_sum_tile *t, uint32_t rows, uint32_t vectors,
                        double all_vectors) {
    static const int64_t sizes[] = {1,  2,  4,  5,  7,  8,  11, 14, 16,  19,  24,  28,
                                    32, 37, 40, 50, 56, 64, 77, 96, 112, 128, 224, 256};
    const gali_program *p = l->p;
    gali_extent extent = l->stage->extent[t->row];
    int64_t least = p->least ? gali_extent_value(p->graph->extents, extent, p->least) : 1;
    int64_t most = p->most ? gali_extent_value(p->graph->extents, extent, p->most) : EXTENT_GUESS;
    double panels = (double)(int64_t)((all_vectors + vectors - 1) / vectors), sum = 0;
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int64_t size = sizes[i];
        if ((size < least || size > most) && (count > 0 || i + 1 < sizeof sizes / sizeof *sizes)) {
            continue; /* the last is for a range that has none of them */
        }
        sum += cut_cost(l, t, rows, all_vectors / panels, size) * panels / (double)size;
        count++;
    }
    return sum / count;
}

/*
 * Of few registers a convolution, summed over a window, leaves one more to the compiler: with all 16 in use gcc 12
 * spills its sums, and 3x3 windows have 57 to 67 GFLOP/s in tiles of 4 x 3 and 97 to 105 in 6 x 2 (of 122, AVX2, Zen 5). A
 * product of matrices has 108 and 105.
 */
static uint32_t registers_of(const gali_lowering *l) {
    enum { FEW = 16, CONVOLUTION = 2 };
    const gali_target *target = l->p->target;
    return target->registers - (target->registers <= FEW && l->stage->reduced >= CONVOLUTION);
}

/*
 * Whether a tile has few enough forms: an open size of rows has one for each count of rows, one of vectors for each width that
 * panels are halved to and for what is left of a vector, and the code has their product.
 */
static int has_few_forms(const gali_lowering *l, const gali_sum_tile *t, uint32_t rows, uint32_t vectors) {
    uint32_t widths = 2;
    if (t->row == GALI_NONE || gali_extent_is_number(l->stage->extent[t->row])) {
        return 1;
    }
    for (; vectors > 1; vectors /= 2) {
        widths++;
    }
    return rows <= GALI_TILE_EVEN_MOST &&
           (gali_extent_is_number(l->stage->extent[t->vector]) || rows * widths <= FORMS_MOST);
}

static void choose_size(const gali_lowering *l, gali_sum_tile *t) {
    const gali_target *target = l->p->target;
    double rows = t->row == GALI_NONE ? 1 : guess(l, l->stage->extent[t->row]);
    double vectors =
        (double)(int64_t)((guess(l, l->stage->extent[t->vector]) + target->lanes - 1) / target->lanes);
    double best = -1;
    int open = t->row != GALI_NONE && !gali_extent_is_number(l->stage->extent[t->row]);
    for (uint32_t r = 1; r <= ROWS_MOST && r <= rows; r++) {
        for (uint32_t v = 1; v <= VECTORS_MOST && v <= vectors; v++) {
            double cost = open ? open_cost(l, t, r, v, vectors) : parts_cost(l, t, r, v, rows, vectors);
            if (r * v + v + 1 <= registers_of(l) && has_few_forms(l, t, r, v) &&
                (best < 0 || cost < best * 0.999)) {
                best = cost;
                t->rows = r;
                t->vectors = v;
            }
        }
    }
}

int gali_tile_along(gali_lowering *l, gali_sum_tile *t, uint32_t d) {
    const gali_program_stage *stage = l->stage;
    *t = (gali_sum_tile){.row = GALI_NONE, .vector = gali_lower_axis(l, d), .parallel = GALI_NONE};
    gali_extent extent = stage->extent[t->vector];
    if ((gali_extent_is_number(extent) && extent < 4) || !find_loads(l, t, stage->value) || !t->in_lanes ||
        !gali_lower_has_lanes(l, stage->value, t->vector) ||
        !gali_lower_has_lanes(l, stage->start, t->vector)) {
        return 0;
    }
    if (d + 1 < stage->rank && stage->extent[t->vector] != l->p->tensors[stage->tensor].type.shape[t->vector] &&
        (!gali_extent_is_number(extent) || extent % l->p->target->lanes)) {
        return 0; /* lanes behind the last element would be stored in its margin */
    }
    t->apart = d + 1 < stage->rank || l->p->tensors[stage->tensor].type.element != GALI_f32 ||
               !gali_lower_has_lanes(l, stage->finish, t->vector);
    choose_row(l, t);
    choose_size(l, t);
    return 1;
}

/* ---- constants ---- */

uint32_t gali_tile_depth(const gali_lowering *l, const gali_scalar *index) {
    uint32_t depth = 0;
    for (uint32_t i = 0; i < l->stage->reduced; i++) {
        depth = gali_lower_uses(index, l->stage->rank + i) ? i + 1 : depth;
    }
    return depth;
}

/*
 * Lays a constant out as [panels][others, by their depth among what is summed over][vectors of a panel][lanes]: a panel is
 * one stream. Where panels are not all of one width each vector is a panel.
 */
static void pack(const gali_lowering *l, const gali_sum_tile *t, const gali_scalar *load) {
    gali_loop_buffer *buffer = (gali_loop_buffer *)gali_lower_parameter(l, load->source);
    const uint8_t *order = l->p->tensors[load->source].order;
    uint32_t lanes = l->p->target->lanes, vector = 0, depth[GALI_LOOP_RANK_MAX];
    if (!buffer || buffer->packed_rank) {
        return;
    }
    for (uint32_t d = 0; d < buffer->rank; d++) {
        const gali_scalar *index = load->index[order[d]];
        vector = gali_lower_uses(index, t->vector) ? d : vector;
        depth[d] = gali_tile_depth(l, index);
    }
    uint32_t extent = gali_loop_size(&buffer->extent[vector]), vectors = (extent + lanes - 1) / lanes;
    uint32_t width =
        t->vectors > 1 && vectors % t->vectors == 0 && buffer->rank + 2 <= GALI_LOOP_RANK_MAX ? t->vectors : 1;
    buffer->packed[buffer->packed_rank++] =
        (gali_loop_packed){.of = vector, .scale = width * lanes, .extent = vectors / width};
    for (uint32_t k = 0; k <= l->stage->reduced; k++) {
        for (uint32_t d = 0; d < buffer->rank; d++) {
            if (d != vector && depth[d] == k) {
                buffer->packed[buffer->packed_rank++] =
                    (gali_loop_packed){.of = d, .scale = 1, .extent = gali_loop_size(&buffer->extent[d])};
            }
        }
    }
    if (width > 1) {
        buffer->packed[buffer->packed_rank++] =
            (gali_loop_packed){.of = vector, .scale = lanes, .extent = width};
    }
    buffer->packed[buffer->packed_rank++] = (gali_loop_packed){.of = vector, .scale = 1, .extent = lanes};
}

static int is_bare(const gali_scalar *load, uint32_t axis) {
    int bare = 0;
    for (int i = 0; i < GALI_RANK_MAX && load->index[i]; i++) {
        bare |= load->index[i]->op == GALI_SCALAR_axis && load->index[i]->source == axis;
    }
    return bare;
}

/* A constant that is read by this stage's sum alone, and of which all dimensions are numbers. */
static int may_pack(gali_lowering *l, const gali_sum_tile *t, const gali_scalar *load) {
    const gali_program_tensor *tensor = &l->p->tensors[load->source];
    int same = 0;
    for (uint32_t i = 0; i < t->load_count; i++) {
        same += t->load[i]->source == load->source;
    }
    return tensor->role == GALI_TENSOR_CONSTANT && tensor->type.rank >= 2 &&
           tensor->type.rank < GALI_LOOP_RANK_MAX - 1 && same == 1 && is_bare(load, t->vector) &&
           gali_lower_reads(l, load->source) == 1;
}

/* Nothing has to be packed that may not. */
int gali_tile_may_pack(gali_lowering *l, const gali_sum_tile *t) {
    int good = 1;
    for (uint32_t i = 0; i < t->load_count; i++) {
        good &= t->is[i] != GALI_LOWER_PACKED || may_pack(l, t, t->load[i]);
    }
    return good;
}

void gali_tile_pack(gali_lowering *l, const gali_sum_tile *t) {
    for (uint32_t i = 0; i < t->load_count; i++) {
        if ((t->is[i] == GALI_LOWER_PACKED || t->is[i] == GALI_LOWER_IN_LANES) && may_pack(l, t, t->load[i])) {
            pack(l, t, t->load[i]);
        }
    }
}

/* Whether a load in lanes depends on the axis. */
static int moves_panels(const gali_sum_tile *t, uint32_t axis) {
    int moves = 0;
    for (uint32_t i = 0; i < t->load_count; i++) {
        moves |= t->is[i] != GALI_LOWER_SAME && gali_lower_uses(t->load[i], axis);
    }
    return moves;
}

int gali_tile_is_around(const gali_sum_tile *t, uint32_t axis) {
    int around = 0;
    for (uint32_t i = 0; i < t->around_count; i++) {
        around |= t->around[i] == axis;
    }
    return around;
}

int gali_tile_is_inside(const gali_sum_tile *t, uint32_t axis) {
    return axis != t->row && axis != t->vector && !moves_panels(t, axis) && !gali_tile_is_around(t, axis);
}

uint32_t gali_tile_block_rows(const gali_lowering *l, const gali_sum_tile *t) {
    const gali_program_stage *stage = l->stage;
    uint32_t vector = t->vectors * l->p->target->lanes * (uint32_t)sizeof(float);
    double rows = t->row == GALI_NONE ? 1 : (double)stage->extent[t->row];
    int numbers = t->row == GALI_NONE || gali_extent_is_number(stage->extent[t->row]);
    for (uint32_t d = l->shared; d < stage->rank; d++) {
        uint32_t axis = gali_lower_axis(l, d);
        rows *= gali_tile_is_inside(t, axis) && gali_extent_is_number(stage->extent[axis])
                    ? (double)stage->extent[axis]
                    : 1;
    }
    for (uint32_t i = 0; i < stage->reduced; i++) {
        numbers &= gali_extent_is_number(stage->extent[stage->rank + i]);
    }
    return numbers && rows * vector <= (double)SUMS_MOST ? (uint32_t)rows : 0;
}

/* The blocks of the sum go around all rows where its panel passes the second cache, rows are more than a tile and their sums few. */
static void choose_blocks(gali_lowering *l, gali_sum_tile *t) {
    const gali_program_stage *stage = l->stage;
    uint32_t rows = gali_tile_block_rows(l, t);
    double panel = (double)t->vectors * l->p->target->lanes * sizeof(float);
    for (uint32_t i = 0; rows && i < stage->reduced; i++) {
        panel *= (double)stage->extent[stage->rank + i];
    }
    if (l->blocked && rows > t->rows && panel > l->p->target->l2 / 2) {
        t->all_rows = rows;
        t->outer = l->blocks.outer;
        t->block = l->blocks.part;
    }
}

/*
 * Tiles of rows go around panels where sums are short and the result passes the second cache: there a panel's column of
 * results, each a whole row from the next one, costs more than to read all panels again for each tile.
 */
static void choose_rows_outside(const gali_lowering *l, gali_sum_tile *t) {
    const gali_program_stage *stage = l->stage;
    int constants = 0;
    double terms = 1;
    for (uint32_t i = 0; i < stage->reduced; i++) {
        terms *= guess(l, stage->extent[stage->rank + i]);
    }
    for (uint32_t i = 0; i < t->load_count; i++) {
        constants |=
            t->is[i] != GALI_LOWER_SAME && l->p->tensors[t->load[i]->source].role == GALI_TENSOR_CONSTANT;
    }
    if (t->row == GALI_NONE || t->apart || constants || t->outer || t->block || terms > (double)TERMS_SHORT) {
        return;
    }
    double rows = guess(l, stage->extent[t->row]), length = guess(l, stage->extent[t->vector]);
    t->rows_outside =
        length > t->vectors * l->p->target->lanes && rows * length * sizeof(float) > l->p->target->l2;
}

/* Vectors are along the innermost dimension of the result that has lanes. */
static int choose_by_rules(gali_lowering *l, gali_sum_tile *t) {
    for (uint32_t d = l->stage->rank; d-- > l->shared;) {
        if (gali_tile_along(l, t, d) && gali_tile_may_pack(l, t)) {
            choose_blocks(l, t);
            choose_rows_outside(l, t);
            gali_tile_choose_around(l, t);
            return 1;
        }
    }
    return 0;
}

int gali_tile_choose(gali_lowering *l, gali_sum_tile *t) {
    int is_largest = l->stage == l->largest;
    if (l->stage->value->element != GALI_f32 ||
        !(is_largest && l->schedule ? gali_tile_read(l, l->schedule, t) : choose_by_rules(l, t))) {
        return 0;
    }
    gali_tile_pack(l, t);
    if (is_largest) {
        gali_tile_tell(l, t);
    }
    return 1;
}
