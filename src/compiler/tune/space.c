#include "compiler/tune/space.h"

#include <stdio.h>
#include <string.h>

static const uint32_t unrolls[] = {0, 2, 4, 8};
enum { UNROLLS = sizeof unrolls / sizeof unrolls[0], ROWS_MAX = 12, VECTORS_MAX = 12 };

void gali_space_add(gali_space *space, const char *name, uint32_t settings, int tile) {
    if (space->knobs < GALI_KNOBS_MAX) {
        space->knob[space->knobs++] =
            (gali_knob){.name = name,
                        .settings = settings < GALI_SETTINGS_MAX ? settings : GALI_SETTINGS_MAX,
                        .tile = tile};
    }
}

static void add_knob(gali_space *space, const char *name, uint32_t settings) {
    gali_space_add(space, name, settings, 0);
}

static void add_tile_knob(gali_space *space, const char *name, uint32_t settings) {
    gali_space_add(space, name, settings, 1);
}

static uint32_t least_of(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* The same split for all sizes that part an extent alike: the largest part that there is. */
static uint32_t largest_part(uint32_t extent, uint32_t size) {
    uint32_t parts = (extent + size - 1) / size;
    return (extent + parts - 1) / parts;
}

/* ---- template ---- */

enum { VECTORS, ROWS, VECTORS_OUTSIDE, UNROLL_K, TILES_OUTSIDE, EXPERTS }; /* knobs by number */

/* Settings of EXPERTS: around k, outside of the tiles, side by side inside of k, two at a time side by side. */
enum { AROUND, OUTSIDE, INSIDE, IN_TWOS, EXPERT_PLACES };

static void make_template(gali_space *space) {
    const gali_dense *d = &space->dense;
    uint32_t all = (d->outputs + space->target->lanes - 1) / space->target->lanes;
    add_tile_knob(space, "vectors of a panel", least_of(all, VECTORS_MAX));
    add_tile_knob(space, "rows of a tile", gali_dense_is_rowwise(d) ? 1 : least_of(d->most, ROWS_MAX));
    add_knob(space, "vectors outside of rows", 2);
    add_knob(space, "unrolled k", UNROLLS);
    add_knob(space, "tiles outside of panels", gali_dense_is_rowwise(d) ? 1 : 2);
    add_knob(space, "experts", d->sparse || d->experts == 1 || d->form == GAL_FORM_BLEND ? 1 : EXPERT_PLACES);
}

/* The sums of a tile in the per-expert form; the tile's loop is the innermost of the outer ones. */
static void write_experts(gali_schedule *to, const gali_dense *d, uint32_t place, const char *tile,
                          const char *outer, const char *inner) {
    if (d->experts == 1) {
        gali_schedule_add(to, GALI_PRIMITIVE_COMPUTE_AT, "sum", tile, 0);
        return;
    }
    if (place == IN_TWOS) {
        gali_schedule_add(to, GALI_PRIMITIVE_SPLIT, "e", NULL, 2);
        gali_schedule_add(to, GALI_PRIMITIVE_REORDER, "e.o", "k", 0);
        gali_schedule_add(to, GALI_PRIMITIVE_REORDER, "e.i", inner, 0);
        gali_schedule_add(to, GALI_PRIMITIVE_UNROLL, "e.i", NULL, 0);
    } else if (!d->sparse) {
        gali_schedule_add(to, GALI_PRIMITIVE_REORDER, "e",
                          place == OUTSIDE  ? tile
                          : place == INSIDE ? inner
                                            : "k",
                          0);
    }
    if (place == INSIDE) {
        gali_schedule_add(to, GALI_PRIMITIVE_UNROLL, "e", NULL, 0);
    }
    const char *slot = d->sparse ? "s" : place == IN_TWOS ? "e.o" : "e";
    gali_schedule_add(to, GALI_PRIMITIVE_COMPUTE_AT, "total", place == OUTSIDE ? outer : tile, 0);
    gali_schedule_add(to, GALI_PRIMITIVE_COMPUTE_AT, "sum", place == OUTSIDE || place == INSIDE ? tile : slot,
                      0);
}

/* The weight of a character is made where it is used. */
static void write_blended(gali_schedule *to, const gali_dense *d, const char *tile, const char *innermost) {
    gali_schedule_add(to, GALI_PRIMITIVE_COMPUTE_AT, "total", tile, 0);
    gali_schedule_add(to, GALI_PRIMITIVE_COMPUTE_AT, "bias", tile, 0);
    gali_schedule_add(to, GALI_PRIMITIVE_REORDER, innermost, gali_dense_slot(d), 0);
    gali_schedule_add(to, GALI_PRIMITIVE_COMPUTE_AT, "weight", innermost, 0);
    gali_schedule_add(to, GALI_PRIMITIVE_UNROLL, gali_dense_slot(d), NULL, 0);
}

static void write_template(const gali_space *space, const gali_point *p, gali_schedule *to) {
    const gali_dense *d = &space->dense;
    int rowwise = gali_dense_is_rowwise(d), turned = p->setting[TILES_OUTSIDE],
        columns = p->setting[VECTORS_OUTSIDE] && !rowwise;
    const char *tile = rowwise ? "c" : "c.o";
    gali_schedule_add(to, GALI_PRIMITIVE_VECTORIZE, "n", NULL, space->target->lanes);
    gali_schedule_add(
        to, GALI_PRIMITIVE_SPLIT, "n", NULL,
        largest_part((d->outputs + space->target->lanes - 1) / space->target->lanes, p->setting[VECTORS] + 1u));
    if (!rowwise) {
        gali_schedule_add(to, GALI_PRIMITIVE_SPLIT, "c", NULL, largest_part(d->most, p->setting[ROWS] + 1u));
    }
    gali_schedule_add(to, GALI_PRIMITIVE_REORDER, "k", rowwise ? "n.i" : "c.i", 0);
    gali_schedule_add(to, GALI_PRIMITIVE_REORDER, "n.o", turned ? "k" : tile, 0);
    if (turned) {
        gali_schedule_add(to, GALI_PRIMITIVE_REORDER, "c.o", "n.o", 0);
    }
    if (columns) {
        gali_schedule_add(to, GALI_PRIMITIVE_REORDER, "n.i", "c.i", 0);
    }
    if (d->form == GAL_FORM_BLEND) {
        write_blended(to, d, turned ? "n.o" : tile, columns ? "c.i" : "n.i");
    } else {
        write_experts(to, d, p->setting[EXPERTS], turned ? "n.o" : tile, turned ? tile : "n.o",
                      columns ? "n.i" : "c.i");
    }
    gali_schedule_add(to, GALI_PRIMITIVE_UNROLL, "n.i", NULL, 0);
    if (!rowwise) {
        gali_schedule_add(to, GALI_PRIMITIVE_UNROLL, "c.i", NULL, 0);
    }
    if (unrolls[p->setting[UNROLL_K]]) {
        gali_schedule_add(to, GALI_PRIMITIVE_UNROLL, "k", NULL, unrolls[p->setting[UNROLL_K]]);
    }
    gali_schedule_add(to, GALI_PRIMITIVE_PACK, "weights", NULL, 0);
}

/* ---- auto ---- */

static int is_summed(const gali_expression *e, const gali_loop_variable *axis) {
    for (uint32_t s = 0; s < e->stages; s++) {
        for (uint32_t i = 0; i < e->stage[s].reduced; i++) {
            if (e->stage[s].reduce[i] == axis) {
                return 1;
            }
        }
    }
    return 0;
}

static uint32_t extent_of(const gali_space *space, uint32_t axis) {
    const gali_axis *a = &space->expression->axis[axis];
    uint32_t extent = a->extent.count ? space->dense.most : gali_loop_size(&a->extent);
    int vectors = a->variable == space->expression->stage[space->expression->stages - 1].axis[1];
    return vectors ? (extent + space->target->lanes - 1) / space->target->lanes : extent;
}

/*
 * Knobs in this order: for each axis that is iterated, its tile (or, of a sum, its unrolling); for each axis of a sum its
 * level; the order of the outer tiles and of the inner ones; for each stage but the last its place; each constant's
 * packing.
 */
static void make_auto(gali_space *space) {
    const gali_expression *e = space->expression;
    for (uint32_t i = 0; i < e->axes; i++) {
        if (e->axis[i].lookup) {
            continue;
        }
        if (is_summed(e, e->axis[i].variable)) {
            add_knob(space, e->axis[i].variable->name, UNROLLS + 1);
            add_knob(space, "its level", 4);
        } else {
            add_tile_knob(space, e->axis[i].variable->name, least_of(extent_of(space, i), ROWS_MAX));
        }
    }
    add_knob(space, "order of outer tiles", 2);
    add_knob(space, "order of inner tiles", 2);
    for (uint32_t s = 0; s + 1 < e->stages; s++) {
        add_knob(space, e->stage[s].buffer->name, 8);
    }
    for (uint32_t i = 0; i < e->names->parameters; i++) {
        if (e->names->buffer[i]->role == GALI_LOOP_CONSTANT) {
            add_knob(space, e->names->buffer[i]->name, 2);
        }
    }
}

/* The loops of a sketch, outermost first. */
typedef struct order {
    char name[2 * GALI_EXPRESSION_AXES_MAX][GALI_LOOP_NAME_MAX];
    uint32_t count;
} order;

static void insert(order *o, uint32_t at, const char *axis, const char *ending) {
    memmove(o->name[at + 1], o->name[at], (o->count - at) * sizeof o->name[0]);
    snprintf(o->name[at], sizeof o->name[at], "%.24s%s", axis, ending);
    o->count++;
}

/* Splits the output's axes; outer tiles, then inner ones, each level in one of two orders. */
static void write_tiles(const gali_space *space, const uint32_t *tile, int turn_outer, int turn_inner, order *o,
                        gali_schedule *to) {
    const gali_expression *e = space->expression;
    const gali_stage *last = &e->stage[e->stages - 1];
    for (uint32_t level = 0; level < 2; level++) {
        uint32_t first = o->count;
        for (uint32_t i = 0; i < last->axes; i++) {
            insert(o, (level ? turn_inner : turn_outer) ? first : o->count, last->axis[i]->name,
                   level ? ".i" : ".o");
        }
    }
    for (uint32_t i = 0; i < last->axes; i++) {
        gali_schedule_add(to, GALI_PRIMITIVE_SPLIT, last->axis[i]->name, NULL, tile[i]);
    }
}

/* The summed axes of an expression as a point sets them. */
typedef struct sums {
    const gali_loop_variable *axis[GALI_EXPRESSION_AXES_MAX];
    unsigned char level[GALI_EXPRESSION_AXES_MAX], turns[GALI_EXPRESSION_AXES_MAX];
    uint32_t count;
} sums;

/* What a point says of each axis: tiles of the last stage's and sums; returns how many knobs that were. */
static uint32_t read_axes(const gali_space *space, const gali_point *p, uint32_t *tile, sums *s) {
    const gali_expression *e = space->expression;
    const gali_stage *last = &e->stage[e->stages - 1];
    uint32_t knob = 0;
    for (uint32_t i = 0; i < e->axes; i++) {
        if (e->axis[i].lookup) {
            continue;
        }
        unsigned char setting = p->setting[knob++];
        if (is_summed(e, e->axis[i].variable)) {
            s->axis[s->count] = e->axis[i].variable;
            s->turns[s->count] = setting;
            s->level[s->count++] = p->setting[knob++];
        }
        for (uint32_t d = 0; d < last->axes; d++) {
            if (last->axis[d] == e->axis[i].variable) {
                tile[d] = largest_part(extent_of(space, i), setting + 1u);
            }
        }
    }
    return knob;
}

/* Levels of a sum: 0 outermost, 1 between the outer tiles, 2 between outer and inner ones, 3 innermost. */
static void place_sums(const sums *s, order *o) {
    static const uint32_t places[] = {0, 1, 2, 4};
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t at = places[s->level[i]];
        for (uint32_t before = 0; before < i; before++) {
            at += s->level[before] <= s->level[i];
        }
        insert(o, least_of(at, o->count), s->axis[i]->name, "");
    }
}

/* Where the stages before the last are computed; returns the knob after theirs. */
static uint32_t write_stages(const gali_expression *e, const gali_point *p, uint32_t knob, const order *o,
                             gali_schedule *to) {
    for (uint32_t s = 0; s + 1 < e->stages; s++) {
        uint32_t at = p->setting[knob++];
        if (at < o->count) {
            gali_schedule_add(to, GALI_PRIMITIVE_COMPUTE_AT, e->stage[s].buffer->name, o->name[at], 0);
        } else if (!e->stage[s].reduced) {
            gali_schedule_add(to, GALI_PRIMITIVE_COMPUTE_INLINE, e->stage[s].buffer->name, NULL, 0);
        }
    }
    return knob;
}

static void write_unrolling(const gali_stage *last, const sums *s, gali_schedule *to) {
    for (uint32_t i = 0; i < last->axes; i++) {
        char inner[GALI_LOOP_NAME_MAX];
        snprintf(inner, sizeof inner, "%.24s.i", last->axis[i]->name);
        gali_schedule_add(to, GALI_PRIMITIVE_UNROLL, inner, NULL, 0);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->turns[i]) {
            gali_schedule_add(to, GALI_PRIMITIVE_UNROLL, s->axis[i]->name, NULL,
                              s->turns[i] == UNROLLS ? 0 : unrolls[s->turns[i]]);
        }
    }
}

static void write_auto(const gali_space *space, const gali_point *p, gali_schedule *to) {
    const gali_expression *e = space->expression;
    const gali_stage *last = &e->stage[e->stages - 1];
    uint32_t tile[GALI_LOOP_RANK_MAX] = {0};
    sums s = {.count = 0};
    order o = {.count = 0};
    uint32_t knob = read_axes(space, p, tile, &s);
    gali_schedule_add(to, GALI_PRIMITIVE_VECTORIZE, last->axis[last->axes - 1]->name, NULL,
                      space->target->lanes);
    write_tiles(space, tile, p->setting[knob], p->setting[knob + 1], &o, to);
    place_sums(&s, &o);
    for (uint32_t i = o.count; i-- > 1;) {
        gali_schedule_add(to, GALI_PRIMITIVE_REORDER, o.name[i - 1], o.name[i], 0);
    }
    knob = write_stages(e, p, knob + 2, &o, to);
    write_unrolling(last, &s, to);
    for (uint32_t i = 0; i < e->names->parameters; i++) {
        if (e->names->buffer[i]->role == GALI_LOOP_CONSTANT && p->setting[knob++]) {
            gali_schedule_add(to, GALI_PRIMITIVE_PACK, e->names->buffer[i]->name, NULL, 0);
        }
    }
}

/* Multiply-adds of the expression in whole vectors. */
static double work_of(const gali_dense *d, uint32_t lanes) {
    uint32_t outputs = (d->outputs + lanes - 1) / lanes * lanes;
    double pass = (double)d->most * d->slots * (d->inputs + 1) * outputs;
    return d->form == GAL_FORM_BLEND ? pass * (d->slots + 1) / d->slots : pass;
}

static gal_status apply(const gali_space *space, const gali_schedule *schedule, gali_arena *arena,
                        gali_loop_function **function, gal_error *error) {
    return gali_schedule_apply(space->expression, schedule, arena, function, error);
}

gal_status gali_space_make(gali_space *space, gali_search_way way, const gali_dense *dense,
                           const gali_target *target, gali_arena *arena, gal_error *error) {
    gali_expression *expression;
    gal_status status = gali_dense_expression(dense, arena, &expression, error);
    *space = (gali_space){.way = way,
                          .dense = *dense,
                          .target = target,
                          .expression = expression,
                          .work = work_of(dense, target->lanes),
                          .write = way == GALI_SEARCH_BY_RULES ? write_auto : write_template,
                          .apply = apply};
    if (status != GAL_OK) {
        return status;
    }
    if (way == GALI_SEARCH_BY_RULES) {
        make_auto(space);
    } else {
        make_template(space);
    }
    return GAL_OK;
}

int gali_space_write(const gali_space *space, const gali_point *point, gali_schedule *schedule) {
    gali_schedule_clear(schedule);
    space->write(space, point, schedule);
    return schedule->count > 0 && !schedule->full;
}
