/*
 * The written rules. A tile is rows of characters times vectors of outputs, its sums all in registers; k runs innermost,
 * experts around it, tiles around them, panels outermost, so that a panel is read from memory once. Which tile: the one
 * that costs least by a model of one step of k, over the counts of characters that are asked for:
 *
 *     cycles = max(max(rows vectors, (rows + vectors) / 2, flight) + (rows + vectors) / 10 + 1/2, stream)
 *
 * for rows * vectors results, in units of one FMA: two operands are loaded meanwhile, an FMA takes `flight` of them, the
 * first tile of a panel waits for its weights, and the rest is what loads and the loop cost beside. Tiles of one or two
 * rows leave registers: the inner kernel can run several experts there at a time, each a set of sums in flight of its own.
 */
#include "base/error.h"
#include "compiler/schedule/schedule.h"

enum {
    VECTORS_MAX = 8, /* of a panel without an inner kernel */
    COUNTS_MAX = 16, /* counts of characters that are looked at: tiles repeat beyond */
    EXPERT_OUTSIDE =
        16,         /* from more characters than this on an expert's panel stays in the cache for all of them */
    GROUP_MOST = 4, /* experts at a time */
};
static const double apart = 1.01; /* sums of several experts go through memory where they are made one by one */

static double larger(double a, double b) {
    return a > b ? a : b;
}

/* Whether a tile of so many rows has registers for its experts' sums, its inputs and a weight, and one more, without which
 * gcc spills sums on machines that cannot multiply by a broadcast from memory: emit/body/tile.inc's rule. */
static int side_by_side(const gali_target *target, gali_tile t, uint32_t rows) {
    return rows * t.vectors * t.experts + rows + 1 < target->registers;
}

/* A step of k of one expert for a tile of so many rows; first: of its panel. */
static double step_cycles(const gali_target *target, gali_tile t, uint32_t rows, int first) {
    uint32_t together = side_by_side(target, t, rows) ? t.experts : 1;
    double vectors = t.vectors * together, loads = 0.5 * (rows + vectors);
    double stream = first ? vectors * target->lanes * sizeof(float) / target->stream : 0;
    double issue = larger(larger(rows * vectors, loads), target->flight) + 0.2 * loads + 0.5;
    return larger(issue, stream) / together * (together < t.experts ? apart : 1);
}

double gali_hand_cycles(const gali_target *target, gali_tile t, uint32_t count) {
    uint32_t tiles = (count + t.rows - 1) / t.rows;
    double cycles = 0;
    for (uint32_t i = 0; i < tiles; i++) {
        uint32_t rows = gali_loop_first(count, tiles, i + 1) - gali_loop_first(count, tiles, i);
        cycles += step_cycles(target, t, rows, i == 0);
    }
    return cycles;
}

/* Results a cycle, over the range of counts, the share of whole vectors of the outputs included. */
static double score(const gali_dense *dense, const gali_target *target, gali_tile t) {
    uint32_t all = (dense->outputs + target->lanes - 1) / target->lanes, counts = 0;
    uint32_t panels = (all + t.vectors - 1) / t.vectors;
    double sum = 0;
    t.vectors = (all + panels - 1) / panels; /* what the widest panel really is */
    for (uint32_t c = dense->least; c <= dense->most && counts < COUNTS_MAX; c++, counts++) {
        uint32_t count = gali_dense_is_rowwise(dense) ? 1 : c;
        sum += count * t.vectors / gali_hand_cycles(target, t, count);
    }
    return sum / counts;
}

static int fits(const gali_target *target, gali_tile t) {
    return t.rows * t.vectors + t.vectors + 1 <= target->registers &&
           (t.experts == 1 || side_by_side(target, t, 1));
}

/* Experts at a time are for a single count: what helps a tile of two rows costs one of four. */
static uint32_t most_experts(const gali_dense *dense, int tensorize) {
    int may = tensorize && !dense->sparse && dense->least == dense->most && dense->most <= EXPERT_OUTSIDE;
    return !may ? 1 : dense->experts < GROUP_MOST ? dense->experts : GROUP_MOST;
}

gali_tile gali_hand_tile(const gali_dense *dense, const gali_target *target, int tensorize, uint32_t vectors) {
    uint32_t widest = tensorize ? GALI_PANEL_VECTORS_MAX : VECTORS_MAX,
             experts = most_experts(dense, tensorize);
    uint32_t all = (dense->outputs + target->lanes - 1) / target->lanes;
    gali_tile best = {1, vectors ? vectors : 1, 1};
    for (gali_tile t = {1, best.vectors, 1}; t.vectors <= widest && t.vectors <= all; t.vectors++) {
        for (t.rows = 1; t.rows <= GALI_TILE_ROWS_MAX && (t.rows == 1 || !gali_dense_is_rowwise(dense));
             t.rows++) {
            for (t.experts = 1; t.experts <= experts; t.experts *= 2) {
                if (fits(target, t) && score(dense, target, t) > score(dense, target, best) * 1.001) {
                    best = t;
                }
            }
        }
        if (vectors) {
            break;
        }
    }
    return best;
}

/* The order of a panel's weights, which all versions of a layer share: what follows changes no layout. */
static void write_panels(gali_schedule *to, const gali_target *target, gali_tile t) {
    gali_schedule_add(to, GALI_PRIMITIVE_VECTORIZE, "n", NULL, target->lanes);
    gali_schedule_add(to, GALI_PRIMITIVE_SPLIT, "n", NULL, t.vectors);
    gali_schedule_add(to, GALI_PRIMITIVE_REORDER, "n.o", "c", 0);
    gali_schedule_add(to, GALI_PRIMITIVE_PACK, "weights", NULL, 0);
}

static void write_rows(gali_schedule *to, const gali_dense *dense, gali_tile t) {
    const char *slot = dense->sparse ? "s" : t.experts > 1 ? "e.o" : "e", *first = dense->sparse ? "c" : "c.o";
    int outside = dense->most > EXPERT_OUTSIDE && !dense->sparse && dense->experts > 1;
    if (!dense->sparse) {
        gali_schedule_add(to, GALI_PRIMITIVE_SPLIT, "c", NULL, t.rows);
        gali_schedule_add(to, GALI_PRIMITIVE_REORDER, "c.i", "n.i", 0);
    }
    if (dense->experts == 1) {
        gali_schedule_add(to, GALI_PRIMITIVE_COMPUTE_AT, "sum", first, 0);
        return;
    }
    if (t.experts > 1) {
        gali_schedule_add(to, GALI_PRIMITIVE_SPLIT, "e", NULL, t.experts);
        gali_schedule_add(to, GALI_PRIMITIVE_UNROLL, "e.i", NULL, 0);
    }
    if (outside) {
        gali_schedule_add(to, GALI_PRIMITIVE_REORDER, "e", "c.o", 0);
    }
    gali_schedule_add(to, GALI_PRIMITIVE_COMPUTE_AT, "total", outside ? "n.o" : first, 0);
    gali_schedule_add(to, GALI_PRIMITIVE_COMPUTE_AT, "sum", outside ? first : slot, 0);
}

/* The paper's fused form: the weight of a character is blended in a register, k outside of the tile. */
static void write_blend(gali_schedule *to, const gali_target *target, const gali_dense *dense, gali_tile t) {
    gali_schedule_add(to, GALI_PRIMITIVE_VECTORIZE, "n", NULL, target->lanes);
    gali_schedule_add(to, GALI_PRIMITIVE_SPLIT, "n", NULL, t.vectors);
    gali_schedule_add(to, GALI_PRIMITIVE_SPLIT, "c", NULL, t.rows);
    gali_schedule_add(to, GALI_PRIMITIVE_REORDER, "n.o", "c.o", 0);
    gali_schedule_add(to, GALI_PRIMITIVE_REORDER, "k", "c.i", 0);
    gali_schedule_add(to, GALI_PRIMITIVE_REORDER, "n.i", gali_dense_slot(dense), 0);
    gali_schedule_add(to, GALI_PRIMITIVE_COMPUTE_AT, "total", "c.o", 0);
    gali_schedule_add(to, GALI_PRIMITIVE_COMPUTE_AT, "bias", "c.o", 0);
    gali_schedule_add(to, GALI_PRIMITIVE_COMPUTE_AT, "weight", "n.i", 0);
    gali_schedule_add(to, GALI_PRIMITIVE_UNROLL, gali_dense_slot(dense), NULL, 0);
    gali_schedule_add(to, GALI_PRIMITIVE_PACK, "weights", NULL, 0);
}

gal_status gali_hand_write(const gali_dense *dense, const gali_target *target, int tensorize, gali_tile tile,
                           gali_schedule *schedule, gal_error *error) {
    int blend = dense->form == GAL_FORM_BLEND;
    if (tensorize && (blend || dense->sparse || target->lanes == 1)) {
        return gali_fail(error, GAL_UNSUPPORTED, "no inner kernel for this layer on %s", target->name);
    }
    gali_schedule_clear(schedule);
    if (blend) {
        tile.rows = tile.rows > 2 ? 2 : tile.rows;
        write_blend(schedule, target, dense, tile);
    } else {
        write_panels(schedule, target, tile);
        write_rows(schedule, dense, tile);
    }
    gali_schedule_add(schedule, GALI_PRIMITIVE_UNROLL, "n.i", NULL, 0);
    if (!gali_dense_is_rowwise(dense)) {
        gali_schedule_add(schedule, GALI_PRIMITIVE_UNROLL, "c.i", NULL, 0);
    }
    if (tensorize) {
        gali_schedule_add(schedule, GALI_PRIMITIVE_TENSORIZE, "sum", "tile_sum", 0);
    } else if (!blend && target->lanes > 1) { /* scalars leave nothing to gain, and clang makes 100 KB of it */
        gali_schedule_add(schedule, GALI_PRIMITIVE_UNROLL, "k", NULL, 4);
    }
    return schedule->full ? gali_fail(error, GAL_BAD_ARGUMENT, "a schedule of too many entries") : GAL_OK;
}

gal_status gali_schedule_hand(const gali_dense *dense, const gali_target *target, int tensorize,
                              gali_schedule *schedule, gal_error *error) {
    gali_tile tile = gali_hand_tile(dense, target, tensorize, 0);
    return gali_hand_write(dense, target, tensorize, tile, schedule, error);
}
