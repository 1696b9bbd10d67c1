/*
 * The written rules. A tile is rows of characters times vectors of outputs, its sums all in registers; k runs innermost,
 * experts around it, tiles around them, panels outermost, so that a panel is read from memory once. Which tile: the one
 * that costs least by a model of one step of k, over the counts of characters that are asked for:
 *
 *     cycles = max(rows vectors, (rows + vectors) / 2, latency) + (rows + vectors) / 10 + 1/2
 *
 * for rows * vectors results, in units of one FMA: two operands are loaded meanwhile, an FMA takes latency of them, and
 * the rest is what loads and the loop cost beside.
 */
#include <stdio.h>

#include "base/error.h"
#include "compiler/schedule/schedule.h"

enum {
    VECTORS_MAX = 8, /* of a panel without an inner kernel */
    COUNTS_MAX = 16, /* counts of characters that are looked at: tiles repeat beyond */
    EXPERT_OUTSIDE =
        16, /* from more characters than this on an expert's panel stays in the cache for all of them */
};
static const double latency = 8; /* FMAs in flight that keep the unit busy */

typedef struct tile {
    uint32_t rows, vectors;
} tile;

/* Results a cycle that `count` characters get from tiles of at most that size, nearly equal. */
static double efficiency(tile t, uint32_t count) {
    uint32_t tiles = (count + t.rows - 1) / t.rows;
    double cycles = 0;
    for (uint32_t i = 0; i < tiles; i++) {
        uint32_t rows = gali_loop_first(count, tiles, i + 1) - gali_loop_first(count, tiles, i);
        double fmas = rows * t.vectors, loads = 0.5 * (rows + t.vectors);
        double step = fmas > loads ? fmas : loads;
        cycles += (step > latency ? step : latency) + 0.2 * loads + 0.5;
    }
    return count * t.vectors / cycles;
}

/* Over the range of counts, the share of whole vectors of the outputs included. */
static double score(const gali_dense *dense, const gali_target *target, tile t) {
    uint32_t all = (dense->outputs + target->lanes - 1) / target->lanes, counts = 0;
    uint32_t panels = (all + t.vectors - 1) / t.vectors;
    double sum = 0;
    t.vectors = (all + panels - 1) / panels; /* what the widest panel really is */
    for (uint32_t c = dense->least; c <= dense->most && counts < COUNTS_MAX; c++, counts++) {
        sum += efficiency(t, dense->sparse ? 1 : c);
    }
    return sum / counts;
}

static int fits(const gali_target *target, tile t) {
    return t.rows * t.vectors + t.vectors + 1 <= target->registers;
}

static tile choose_tile(const gali_dense *dense, const gali_target *target, int tensorize) {
    uint32_t widest = tensorize ? GALI_PANEL_VECTORS_MAX : VECTORS_MAX;
    uint32_t all = (dense->outputs + target->lanes - 1) / target->lanes;
    tile best = {1, 1};
    for (uint32_t vectors = 1; vectors <= widest && vectors <= all; vectors++) {
        for (uint32_t rows = 1; rows <= GALI_TILE_ROWS_MAX && (rows == 1 || !dense->sparse); rows++) {
            tile t = {rows, vectors};
            if (fits(target, t) && score(dense, target, t) > score(dense, target, best) * 1.001) {
                best = t;
            }
        }
    }
    return best;
}

static void write_rows(gali_schedule *to, const gali_dense *dense, tile t) {
    const char *slot = dense->sparse ? "s" : "e", *first = dense->sparse ? "c" : "c.o";
    int outside = dense->most > EXPERT_OUTSIDE && !dense->sparse && dense->experts > 1;
    if (!dense->sparse) {
        gali_schedule_add(to, GALI_PRIMITIVE_SPLIT, "c", NULL, t.rows);
        gali_schedule_add(to, GALI_PRIMITIVE_REORDER, "k", "c.i", 0);
    }
    gali_schedule_add(to, GALI_PRIMITIVE_REORDER, "n.o", first, 0);
    if (dense->experts == 1) {
        gali_schedule_add(to, GALI_PRIMITIVE_COMPUTE_AT, "sum", first, 0);
        return;
    }
    if (!dense->sparse) {
        gali_schedule_add(to, GALI_PRIMITIVE_REORDER, "e", outside ? "c.o" : "k", 0);
    }
    gali_schedule_add(to, GALI_PRIMITIVE_COMPUTE_AT, "total", outside ? "n.o" : first, 0);
    gali_schedule_add(to, GALI_PRIMITIVE_COMPUTE_AT, "sum", outside ? first : slot, 0);
}

/* The paper's fused form: the weight of a character is blended in a register, k outside of the tile. */
static void write_blend(gali_schedule *to, tile t) {
    gali_schedule_add(to, GALI_PRIMITIVE_SPLIT, "c", NULL, t.rows);
    gali_schedule_add(to, GALI_PRIMITIVE_REORDER, "n.o", "c.o", 0);
    gali_schedule_add(to, GALI_PRIMITIVE_REORDER, "k", "c.i", 0);
    gali_schedule_add(to, GALI_PRIMITIVE_REORDER, "n.i", "e", 0);
    gali_schedule_add(to, GALI_PRIMITIVE_COMPUTE_AT, "total", "c.o", 0);
    gali_schedule_add(to, GALI_PRIMITIVE_COMPUTE_AT, "bias", "c.o", 0);
    gali_schedule_add(to, GALI_PRIMITIVE_COMPUTE_AT, "weight", "n.i", 0);
    gali_schedule_add(to, GALI_PRIMITIVE_UNROLL, "e", NULL, 0);
}

gal_status gali_schedule_hand(const gali_dense *dense, const gali_target *target, int tensorize,
                              gali_schedule *schedule, gal_error *error) {
    int blend = dense->form == GAL_FORM_BLEND;
    if (tensorize && (blend || dense->sparse || target->lanes == 1)) {
        return gali_fail(error, GAL_UNSUPPORTED, "no inner kernel for this layer on %s", target->name);
    }
    tile t = choose_tile(dense, target, tensorize);
    t.rows = blend && t.rows > 2 ? 2 : t.rows;
    gali_schedule_clear(schedule);
    gali_schedule_add(schedule, GALI_PRIMITIVE_VECTORIZE, "n", NULL, target->lanes);
    gali_schedule_add(schedule, GALI_PRIMITIVE_SPLIT, "n", NULL, t.vectors);
    if (blend) {
        write_blend(schedule, t);
    } else {
        write_rows(schedule, dense, t);
    }
    gali_schedule_add(schedule, GALI_PRIMITIVE_UNROLL, "n.i", NULL, 0);
    if (!dense->sparse) {
        gali_schedule_add(schedule, GALI_PRIMITIVE_UNROLL, "c.i", NULL, 0);
    }
    if (tensorize) {
        gali_schedule_add(schedule, GALI_PRIMITIVE_TENSORIZE, "sum", "tile_sum", 0);
    } else if (!blend) {
        gali_schedule_add(schedule, GALI_PRIMITIVE_UNROLL, "k", NULL, 4);
    }
    gali_schedule_add(schedule, GALI_PRIMITIVE_PACK, "weights", NULL, 0);
    return schedule->full ? gali_fail(error, GAL_BAD_ARGUMENT, "a schedule of too many entries") : GAL_OK;
}
