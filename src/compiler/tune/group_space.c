/* The schedules of a group that are tried: its knobs, and the schedule that a point of them is. */
#include <math.h>
#include <stdio.h>

#include "compiler/schedule/features.h"
#include "compiler/tune/groups.h"

enum { ROWS_MOST = 14, VECTORS_MOST = 8, BLOCKS_MOST = GALI_SETTINGS_MAX, BLOCK_LEAST = 8 };
enum { PANEL, ROWS, BLOCK, OUTSIDE, UNROLL, VECTOR_AXIS, ROW_AXIS }; /* knobs by number */

static const uint32_t unrolls[] = {0, 2, 4, 8};
enum { UNROLLS = sizeof unrolls / sizeof unrolls[0] };

/* What goes around the rows: so many whole axes of the sum, and blocks of the next; 0: it is not cut. */
typedef struct cut {
    uint32_t outer, block;
} cut;

/* The `number`th way to cut a sum: none, whole axes, then halves, quarters and so on of each, as far as they divide it. */
static int find_cut(const gali_lowered_sum *sum, uint32_t number, cut *found) {
    uint32_t count = 0;
    for (uint32_t outer = 0; outer < sum->reduced; outer++) {
        uint32_t extent = (uint32_t)sum->extent[sum->rank + outer];
        *found = (cut){outer, 0};
        if (count++ == number) {
            return 1;
        }
        for (uint32_t parts = 2; extent / parts >= BLOCK_LEAST; parts *= 2) {
            *found = (cut){outer, extent / parts};
            if (extent % parts == 0 && count++ == number) {
                return 1;
            }
        }
    }
    return 0;
}

static uint32_t count_cuts(const gali_lowered_sum *sum) {
    cut found;
    uint32_t count = 0;
    while (count < BLOCKS_MOST && find_cut(sum, count, &found)) {
        count++;
    }
    return count;
}

static uint32_t bits_of(uint32_t bits) {
    uint32_t count = 0;
    for (; bits; bits &= bits - 1) {
        count++;
    }
    return count;
}

/* The number of the n-th bit that is set. */
static uint32_t bit_of(uint32_t bits, uint32_t n) {
    uint32_t number = 0;
    for (; n; n--) {
        bits &= bits - 1;
    }
    while (!(bits >> number & 1)) {
        number++;
    }
    return number;
}

/* The axis that a schedule by rules splits first, or second; `otherwise` if there is none. */
static uint32_t axis_by_rules(const gali_lowered_sum *sum, uint32_t which, uint32_t otherwise) {
    for (uint32_t i = 0, splits = 0; i < sum->schedule.count; i++) {
        const gali_schedule_entry *e = &sum->schedule.entry[i];
        unsigned axis;
        if (e->primitive == GALI_PRIMITIVE_SPLIT && sscanf(e->target, "i%3u", &axis) == 1 &&
            splits++ == which) {
            return axis;
        }
    }
    return otherwise;
}

static void cut_sum(const gali_space *space, const cut *c, const char *rows, gali_schedule *to) {
    char name[GALI_LOOP_NAME_MAX];
    for (uint32_t k = 0; k < c->outer; k++) {
        snprintf(name, sizeof name, "k%u", k);
        gali_schedule_add(to, GALI_PRIMITIVE_REORDER, name, rows, 0);
    }
    if (c->block && c->block < space->group->sum.extent[space->group->sum.rank + c->outer]) {
        snprintf(name, sizeof name, "k%u", c->outer);
        gali_schedule_add(to, GALI_PRIMITIVE_SPLIT, name, NULL, c->block);
        snprintf(name, sizeof name, "k%u.o", c->outer);
        gali_schedule_add(to, GALI_PRIMITIVE_REORDER, name, rows, 0);
    }
}

/* Leaves the schedule empty where settings contradict each other, or the tile does not fit into the registers. */
static void write(const gali_space *space, const gali_point *p, gali_schedule *to) {
    const gali_lowered_sum *sum = &space->group->sum;
    int by_rules = space->way != GALI_SEARCH_BY_RULES;
    uint32_t vector = by_rules ? axis_by_rules(sum, 0, 0) : bit_of(sum->vectors, p->setting[VECTOR_AXIS]);
    uint32_t row = by_rules    ? axis_by_rules(sum, 1, GALI_NONE)
                   : sum->rows ? bit_of(sum->rows, p->setting[ROW_AXIS])
                               : GALI_NONE;
    uint32_t rows = p->setting[ROWS] + 1u, vectors = p->setting[PANEL] + 1u;
    char name[GALI_LOOP_NAME_MAX], parts[GALI_LOOP_NAME_MAX];
    cut c = {0, 0};
    find_cut(sum, p->setting[BLOCK], &c);
    int is_cut = c.outer || c.block;
    if (row == vector || rows * vectors + 2 > space->target->registers ||
        (row == GALI_NONE && (rows > 1 || is_cut || p->setting[OUTSIDE])) || (is_cut && p->setting[OUTSIDE])) {
        return;
    }
    snprintf(name, sizeof name, "i%u", vector);
    gali_schedule_add(to, GALI_PRIMITIVE_VECTORIZE, name, NULL, space->target->lanes);
    gali_schedule_add(to, GALI_PRIMITIVE_SPLIT, name, NULL, vectors);
    if (row != GALI_NONE) {
        snprintf(name, sizeof name, "i%u", row);
        gali_schedule_add(to, GALI_PRIMITIVE_SPLIT, name, NULL, rows);
        snprintf(parts, sizeof parts, "i%u.o", row);
        cut_sum(space, &c, parts, to);
        if (p->setting[OUTSIDE]) {
            snprintf(name, sizeof name, "i%u.o", vector);
            gali_schedule_add(to, GALI_PRIMITIVE_REORDER, parts, name, 0);
        }
    }
    if (unrolls[p->setting[UNROLL]]) {
        snprintf(name, sizeof name, "k%u%s", sum->reduced - 1,
                 c.block && c.outer + 1 == sum->reduced ? ".i" : "");
        gali_schedule_add(to, GALI_PRIMITIVE_UNROLL, name, NULL, unrolls[p->setting[UNROLL]]);
    }
}

/* ---- sums over patterns ---- */

enum { PATTERN_ROWS, FILTERS }; /* knobs by number */

static void write_patterns(const gali_space *space, const gali_point *p, gali_schedule *to) {
    static const char *const around[] = {NULL, "i3", "i2.o"};
    gali_schedule_add(to, GALI_PRIMITIVE_VECTORIZE, "i3", NULL, space->target->lanes);
    gali_schedule_add(to, GALI_PRIMITIVE_SPLIT, "i2", NULL, p->setting[PATTERN_ROWS] + 1u);
    if (around[p->setting[FILTERS]]) {
        gali_schedule_add(to, GALI_PRIMITIVE_REORDER, "i1", around[p->setting[FILTERS]], 0);
    }
}

/* ---- all ---- */

static gal_status apply(const gali_space *space, const gali_schedule *schedule, gali_arena *arena,
                        gali_loop_function **function, gal_error *error) {
    gali_lowered lowered;
    gal_status status =
        gali_program_lower_by(space->group->program, space->group->number, schedule, arena, &lowered, error);
    *function = lowered.function;
    return status;
}

static void add_tile_knobs(gali_space *space, const gali_lowered_sum *sum) {
    gali_space_add(space, "vectors of a panel", VECTORS_MOST, 1);
    gali_space_add(space, "rows of a tile", sum->rows ? ROWS_MOST : 1, 1);
    gali_space_add(space, "blocks of the sum", count_cuts(sum), 0);
    gali_space_add(space, "rows outside of panels", sum->rows ? 2 : 1, 0);
    gali_space_add(space, "unrolled", UNROLLS, 0);
    if (space->way == GALI_SEARCH_BY_RULES) {
        gali_space_add(space, "axis of vectors", bits_of(sum->vectors), 0);
        gali_space_add(space, "axis of rows", sum->rows ? bits_of(sum->rows) : 1, 0);
    }
}

gal_status gali_group_space_make(gali_space *space, gali_search_way way, const gali_tune_group *group,
                                 gal_error *error) {
    const gali_lowered_sum *sum = &group->sum;
    const gali_target *target = group->program->target;
    *space = (gali_space){.way = way, .target = target, .apply = apply, .group = group};
    if (sum->pattern_rows) {
        space->write = write_patterns;
        gali_space_add(space, "rows at a time", sum->pattern_rows, 1);
        gali_space_add(space, "filters around", sum->pattern_fields ? 1 : 3, 0);
    } else {
        space->write = write;
        add_tile_knobs(space, sum);
    }
    gali_arena arena = {0};
    gali_loop_function *function;
    float features[GALI_FEATURE_COUNT];
    gal_status status = apply(space, NULL, &arena, &function, error);
    if (status == GAL_OK) { /* what the schedule by rules does, lanes past an end included */
        gali_features_of(function, target, INFINITY, features);
        space->work = exp2((double)features[GALI_FEATURE_adds]) * target->lanes;
    }
    gali_arena_release(&arena);
    return status;
}
