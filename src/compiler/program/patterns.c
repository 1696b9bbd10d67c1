#include "compiler/program/patterns.h"

#include "base/error.h"
#include "compiler/program/look.h"
#include "compiler/program/winograd.h"

enum {
    BLOCKS_MOST = 8,
    STAGES = BLOCKS_MOST + 1,
    BLOCK_BYTES = 1 << 17, /* of a tile of 8 columns, as many channels as a block has */
    COLUMNS = 8,           /* of a tile */
    COLUMNS_MOST = 16,     /* of one for the longest vectors */
    ROWS_LEAST = 4,
    ROWS_MOST = 8,   /* of a tile: sums that stay in registers */
    ROWS_WIDE = 14,  /* the same where those are 32, as of vectors of 16: a tenth less time than with 8 */
    VISIT_ROWS = 2,  /* what visiting a tile costs beside its rows, in rows */
    MAPS_LEAST = 16, /* that share what tiles cost */
};

/*
 * What a multiply-add takes that is looked up, by one of products (VGG's layers of 128 to 512 channels, AVX2, one core of a Zen 3:
 * 28 to 34 of them in a ns, products of Winograd's tiles 29 to 51). With it kernels by patterns alone lose, as they should, and
 * 8 times fewer weights win everywhere, by 1.2 to 2.2.
 */
#define LOOKED_UP 1.75

typedef struct pruned {
    gali_conv conv;
    gali_fkw_patterns *patterns;
    uint32_t filters, channels, height, width; /* of results */
    uint32_t rows, columns;                    /* of a tile */
    gali_fields fields;
} pruned;

/* ---- choosing ---- */

static double rows_cost(uint32_t height, uint32_t rows) {
    uint32_t rest = height % rows;
    return (double)(height / rows) * (rows + VISIT_ROWS) + (rest ? rest + VISIT_ROWS : 0);
}

static uint32_t choose_rows(uint32_t height, uint32_t most) {
    uint32_t best = height < ROWS_LEAST ? height : ROWS_LEAST;
    for (uint32_t rows = best; rows <= most && rows <= height; rows++) {
        best = rows_cost(height, rows) <= rows_cost(height, best) ? rows : best;
    }
    return best;
}

/* In multiply-adds, as gali_winograd_tile has them; in tiles of a target with few registers, whichever it is: it decides bits. */
static double work_of(const gali_program *p, const pruned *c) {
    double kernels = (double)c->filters * c->channels - (double)c->patterns->pruned;
    double columns = (c->width + COLUMNS - 1) / COLUMNS * COLUMNS;
    double batch = (double)gali_extent_value(p->graph->extents, c->conv.stage->extent[0], p->least);
    double sums =
        rows_cost(c->height, choose_rows(c->height, ROWS_MOST)) * columns * kernels * (double)GALI_FKW_TAPS;
    double tiles = 2.0 * c->height * columns * c->channels * (double)GALI_FKW_WINDOW;
    return batch * (LOOKED_UP * sums + tiles);
}

/* Whether the convolution follows patterns, and is the cheaper for it: by the graph alone, since results are rounded otherwise. */
static int is_pruned(const gali_program *p, const gali_program_stage *stage, pruned *c) {
    double work;
    if (!gali_program_conv(p, stage, &c->conv) || stage->rank != 4 ||
        !gali_extent_is_number(stage->extent[2]) || !gali_extent_is_number(stage->extent[3])) {
        return 0;
    }
    const gali_program_tensor *w = &p->tensors[c->conv.w];
    c->filters = (uint32_t)w->type.shape[0];
    c->channels = (uint32_t)w->type.shape[1];
    c->height = (uint32_t)stage->extent[2];
    c->width = (uint32_t)stage->extent[3];
    if (c->filters < MAPS_LEAST || !gali_fkw_find(c->patterns, w->data, c->filters, c->channels)) {
        return 0;
    }
    gali_winograd_tile(p, &c->conv, &work);
    return work_of(p, c) < work;
}

/* Whether rows of a picture of that width make vectors that can be rotated, by who knows a weight's column when loops are
 * made. */
static int may_rotate(uint32_t width, const gali_target *target) {
    return target && target->lanes == 16 && width % (target->lanes - GALI_PATTERNS_MARGIN) == 0;
}

/* Tiles may be fields where a result's sum starts with the same number at all places. */
static void choose_fields(pruned *c, const gali_target *target) {
    const gali_scalar *start = c->conv.stage->start;
    if (!gali_look_has_axis(start, 2) && !gali_look_has_axis(start, 3)) {
        c->fields = gali_fields_choose(c->height, c->width, 1 + GALI_PATTERNS_MARGIN, target);
    }
}

/* ---- making ---- */

static const gali_scalar *whole(gali_replacing *r, const gali_scalar *load) {
    return gali_x_cast(&r->x, GALI_i64, load);
}

static const gali_scalar *part_of(gali_replacing *r, gali_scalar_op op, const gali_scalar *a, uint32_t b) {
    return gali_x_apply(&r->x, op, a, gali_x_int(&r->x, b), NULL);
}

static const gali_scalar *scaled(gali_replacing *r, const gali_scalar *a, uint32_t by, const gali_scalar *and) {
    return gali_x_add(&r->x, gali_x_mul(&r->x, a, gali_x_int(&r->x, by)), and);
}

static uint32_t tile_columns(const pruned *c) {
    return (c->width + c->columns - 1) / c->columns;
}

/* Where a place of tiles is in the picture, whose border begins there. */
static const gali_scalar *picture_of(gali_replacing *r, const pruned *c, uint32_t i) {
    const uint32_t size[] = {c->rows, c->columns};
    if (!c->fields.lanes) {
        return scaled(r, gali_x_axis(&r->x, 1 + i), size[i], gali_x_axis(&r->x, 4 + i));
    }
    const gali_scalar *element = gali_x_axis(&r->x, 3), *place[] = {gali_x_axis(&r->x, 1), NULL, NULL, NULL};
    const gali_scalar *vector = part_of(r, GALI_SCALAR_quotient, element, c->fields.lanes);
    place[1] = part_of(r, GALI_SCALAR_quotient, vector, c->fields.columns + GALI_PATTERNS_MARGIN);
    place[2] = part_of(r, GALI_SCALAR_mod, vector, c->fields.columns + GALI_PATTERNS_MARGIN);
    place[3] = part_of(r, GALI_SCALAR_mod, element, c->fields.lanes);
    return gali_fields_picture(&r->x, &c->fields, i == 1, place);
}

static uint32_t make_tiles(gali_replacing *r, const pruned *c) {
    gali_express *x = &r->x;
    const gali_fields *f = &c->fields;
    const gali_extent shape[] = {
        c->conv.stage->extent[0],       (c->height + c->rows - 1) / c->rows, tile_columns(c), c->channels,
        c->rows + GALI_PATTERNS_MARGIN, c->columns + GALI_PATTERNS_MARGIN};
    const gali_extent in_fields[] = {c->conv.stage->extent[0], f->strips, c->channels,
                                     (f->height + GALI_PATTERNS_MARGIN) * gali_patterns_row(f)};
    gali_program_stage *stage =
        gali_replacing_stage(r, &c->conv, "tiles", 0, f->lanes ? 4 : 6, f->lanes ? in_fields : shape);
    gali_patterns *own = gali_arena_take(r->p->arena, sizeof *own);
    const gali_scalar *inside = NULL,
                      *index[GALI_RANK_MAX] = {gali_x_axis(x, 0), gali_x_axis(x, f->lanes ? 2 : 3)};
    for (uint32_t i = 0; i < 2; i++) {
        index[2 + i] = gali_x_sub(x, picture_of(r, c, i), gali_x_extent(x, c->conv.window.begin[i]));
        const gali_scalar *within =
            gali_x_within(x, index[2 + i], gali_x_int(x, 0), gali_x_extent(x, c->conv.window.in[i]));
        inside = inside ? gali_x_and(x, inside, within) : within;
    }
    stage->start = NULL;
    stage->value =
        gali_x_select(x, inside, gali_replacing_load(r, c->conv.x, index), gali_x_number(x, GALI_f32, 0));
    r->p->tensors[stage->tensor].role = GALI_TENSOR_KEPT; /* loops of sums know how they lie */
    if (own) {
        *own = (gali_patterns){.tiles = stage->tensor,
                               .part = GALI_NONE,
                               .picture = c->conv.x,
                               .fields = *f,
                               .rows = c->rows,
                               .width = c->columns,
                               .begin = {(uint32_t)c->conv.window.begin[0], (uint32_t)c->conv.window.begin[1]},
                               .makes_tiles = 1,
                               .patterns = c->patterns};
        stage->patterns = own;
    }
    return stage->tensor;
}

/* Integers as the smallest elements that hold them. */
static uint32_t constant_of(gali_replacing *r, const char *name, const uint32_t *from, uint32_t most,
                            uint32_t rows, uint32_t columns) {
    uint32_t bytes = gali_fkw_bytes(most);
    gali_type type = {.element = bytes == 1   ? GALI_u8
                                 : bytes == 2 ? GALI_u16
                                              : GALI_u32,
                      .rank = columns ? 2 : 1,
                      .shape = {rows, columns}};
    size_t count = (size_t)rows * (columns ? columns : 1);
    uint8_t *small = gali_arena_take(r->p->arena, count * bytes);
    for (size_t i = 0; small && i < count; i++) {
        if (bytes == 1) {
            small[i] = (uint8_t)from[i];
        } else if (bytes == 2) {
            ((uint16_t *)(void *)small)[i] = (uint16_t)from[i];
        } else {
            ((uint32_t *)(void *)small)[i] = from[i];
        }
    }
    return small ? gali_replacing_constant(r, name, &type, small) : 0;
}

/* Channel, row and column of each weight, for who does without patterns. */
static void store_csr(gali_replacing *r, gali_patterns *own) {
    const gali_fkw *f = &own->fkw;
    const uint32_t room = f->kernels + f->longest + 1;
    uint32_t *part[3];
    for (uint32_t i = 0; i < 3; i++) {
        part[i] = gali_arena_take(r->p->arena, (size_t)room * GALI_FKW_TAPS * sizeof *part[i]);
    }
    for (uint32_t i = 0; i < f->filters * f->patterns && !r->p->arena->failed; i++) {
        const uint32_t m = i / f->patterns, p = i % f->patterns,
                       *stride = f->stride + (size_t)m * (f->patterns + 1);
        for (uint32_t k = f->offset[m] + stride[p]; k < f->offset[m] + stride[p + 1]; k++) {
            for (uint32_t tap = 0; tap < GALI_FKW_TAPS; tap++) {
                const size_t at = (size_t)k * GALI_FKW_TAPS + tap;
                part[0][at] = f->index[k];
                part[1][at] = own->patterns->taps[p][tap] / 3U;
                part[2][at] = own->patterns->taps[p][tap] % 3U;
            }
        }
    }
    if (!r->p->arena->failed) {
        own->csr_channel = constant_of(r, "channel", part[0], f->channels - 1, room, GALI_FKW_TAPS);
        own->csr_row = constant_of(r, "row", part[1], GALI_PATTERNS_MARGIN, room, GALI_FKW_TAPS);
        own->csr_column = constant_of(r, "column", part[2], GALI_PATTERNS_MARGIN, room, GALI_FKW_TAPS);
    }
}

static gali_patterns *store(gali_replacing *r, const pruned *c, uint32_t first, uint32_t channels) {
    gali_patterns *own = gali_arena_take(r->p->arena, sizeof *own);
    if (!own) {
        return NULL;
    }
    own->part = GALI_NONE;
    own->fields = c->fields;
    own->rows = c->rows;
    own->width = c->columns;
    own->patterns = c->patterns;
    own->fkw = gali_fkw_make(c->patterns, r->p->tensors[c->conv.w].data, c->filters, c->channels, first,
                             channels, !(r->p->without & GALI_WITHOUT_REORDER), r->p->arena);
    if (r->p->arena->failed) {
        return NULL;
    }
    const gali_fkw *f = &own->fkw;
    uint32_t room = f->kernels + f->longest + 1;
    gali_type weights = {.element = GALI_f32, .rank = 2, .shape = {room, GALI_FKW_TAPS}};
    own->reorder = constant_of(r, "reorder", f->reorder, f->filters - 1, f->filters, 0);
    own->offset = constant_of(r, "offset", f->offset, UINT32_MAX, f->filters, 0);
    own->stride = constant_of(r, "stride", f->stride, f->longest, f->filters, f->patterns + 1);
    own->index = constant_of(r, "index", f->index, f->channels - 1, room, 0);
    own->weight = gali_replacing_constant(r, r->p->tensors[c->conv.w].name, &weights, f->weight);
    if (r->p->without & GALI_WITHOUT_PATTERNS) {
        store_csr(r, own);
    }
    return own;
}

/* Rows or columns of taps as a constant [patterns][taps]. */
static const gali_scalar *tap_at(gali_replacing *r, const gali_fkw_patterns *patterns, int column,
                                 const gali_scalar *const *index) {
    uint32_t taps[GALI_FKW_PATTERNS_MAX * GALI_FKW_TAPS];
    for (uint32_t i = 0; i < patterns->count * GALI_FKW_TAPS; i++) {
        uint32_t place = patterns->taps[i / GALI_FKW_TAPS][i % GALI_FKW_TAPS];
        taps[i] = column ? place % 3 : place / 3;
    }
    uint32_t made = constant_of(r, column ? "tap_column" : "tap_row", taps, 2, patterns->count, GALI_FKW_TAPS);
    return r->p->arena->failed ? NULL : whole(r, gali_replacing_load(r, made, index));
}

/* Where a tap reads tiles for a result at h and w; of a sum that stays in fields at the place that its axes are. */
static void index_tiles(gali_replacing *r, const gali_patterns *own, const gali_scalar *channel,
                        const gali_scalar *const tap[2], const gali_scalar **index) {
    gali_express *x = &r->x;
    const gali_scalar *h = gali_x_axis(x, 2), *w = gali_x_axis(x, 3);
    index[0] = gali_x_axis(x, 0);
    if (!own->fields.lanes) {
        index[1] = part_of(r, GALI_SCALAR_quotient, h, own->rows);
        index[2] = part_of(r, GALI_SCALAR_quotient, w, own->width);
        index[3] = channel;
        index[4] = gali_x_add(x, part_of(r, GALI_SCALAR_mod, h, own->rows), tap[0]);
        index[5] = gali_x_add(x, part_of(r, GALI_SCALAR_mod, w, own->width), tap[1]);
        return;
    }
    const gali_scalar *place[] = {h, w, gali_x_axis(x, 4), gali_x_axis(x, 5)};
    if (!own->makes_part) {
        gali_fields_place(x, &own->fields, h, w, place);
    }
    index[1] = place[0];
    index[2] = channel;
    const gali_scalar *column = gali_x_add(x, place[2], tap[1]);
    column = scaled(r, gali_x_add(x, place[1], tap[0]), own->fields.columns + GALI_PATTERNS_MARGIN, column);
    index[3] = scaled(r, column, own->fields.lanes, place[3]);
}

/* The sum over a block as an expression: what its loops compute, whoever makes them. */
static void set_sum(gali_replacing *r, gali_program_stage *stage, const gali_patterns *own) {
    gali_express *x = &r->x;
    const gali_fkw *f = &own->fkw;
    const gali_scalar *m = gali_x_axis(x, 1);
    const gali_scalar *p = gali_replacing_reduce(r, stage, f->patterns);
    const gali_scalar *k = gali_replacing_reduce(r, stage, f->longest ? f->longest : 1);
    const gali_scalar *e = gali_replacing_reduce(r, stage, GALI_FKW_TAPS), *tap[] = {p, e};
    const gali_scalar *before = whole(r, gali_replacing_load(r, own->stride, (const gali_scalar *[]){m, p}));
    const gali_scalar *next = gali_x_add(x, p, gali_x_int(x, 1));
    const gali_scalar *end = whole(r, gali_replacing_load(r, own->stride, (const gali_scalar *[]){m, next}));
    const gali_scalar *kernel = gali_x_add(x, before, k);
    const gali_scalar *at = gali_x_add(x, whole(r, gali_replacing_load(r, own->offset, &m)), kernel);
    at = gali_x_least(x, at, gali_x_int(x, f->kernels));
    const gali_scalar *channel = whole(r, gali_replacing_load(r, own->index, &at));
    const gali_scalar *index[GALI_RANK_MAX] = {NULL},
                      *of_tap[] = {tap_at(r, own->patterns, 0, tap), tap_at(r, own->patterns, 1, tap)};
    index_tiles(r, own, gali_x_add(x, channel, gali_x_int(x, f->first)), of_tap, index);
    const gali_scalar *self = gali_x_self(x, GALI_f32);
    const gali_scalar *weight = gali_replacing_load(r, own->weight, (const gali_scalar *[]){at, e});
    const gali_scalar *more =
        gali_x_apply(x, GALI_SCALAR_fma, gali_replacing_load(r, own->tiles, index), weight, self);
    stage->value = gali_x_select(x, gali_x_less(x, kernel, end), more, self);
    stage->patterns = own;
}

/* By tiles of a target with few registers, whichever it is: blocks change bits. */
static uint32_t count_blocks(const pruned *c) {
    uint32_t rows = choose_rows(c->height, ROWS_MOST) + GALI_PATTERNS_MARGIN;
    uint32_t bytes = rows * (COLUMNS + GALI_PATTERNS_MARGIN) * (uint32_t)sizeof(float);
    uint32_t blocks = (c->channels * bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    return blocks < BLOCKS_MOST ? blocks : BLOCKS_MOST;
}

/* A stage for the sums of a block that is not the last. */
static gali_program_stage *make_part(gali_replacing *r, const pruned *c, uint32_t block, gali_patterns *own) {
    const gali_fields *f = &c->fields;
    const gali_extent in_fields[] = {
        c->conv.stage->extent[0], c->filters, f->strips, f->height, f->columns, f->lanes};
    own->makes_part = f->lanes != 0;
    gali_program_stage *stage = gali_replacing_stage(r, &c->conv, "part", 1 + block, own->makes_part ? 6 : 4,
                                                     own->makes_part ? in_fields : c->conv.stage->extent);
    if (own->makes_part) {
        r->p->tensors[stage->tensor].role = GALI_TENSOR_KEPT;
    }
    return stage;
}

/* A sum of the blocks before at the place of a result. */
static const gali_scalar *load_part(gali_replacing *r, const gali_patterns *own, uint32_t part) {
    gali_express *x = &r->x;
    const gali_scalar *index[GALI_RANK_MAX] = {NULL};
    for (uint32_t i = 0; i < 6; i++) {
        index[i] = gali_x_axis(x, i);
    }
    if (own->fields.lanes && !own->makes_part) {
        gali_fields_place(x, &own->fields, gali_x_axis(x, 2), gali_x_axis(x, 3), index + 2);
    }
    return gali_replacing_load(r, part, index);
}

static void replace(gali_replacing *r, const pruned *c) {
    uint32_t tiles = make_tiles(r, c), blocks = count_blocks(c), part = GALI_NONE;
    for (uint32_t b = 0; b < blocks && !r->p->arena->failed; b++) {
        uint32_t first = gali_loop_first(c->channels, blocks, b),
                 end = gali_loop_first(c->channels, blocks, b + 1);
        gali_patterns *own = store(r, c, first, end - first);
        gali_program_stage *stage;
        if (!own) {
            return;
        }
        own->tiles = tiles;
        if (b + 1 < blocks) {
            stage = make_part(r, c, b, own);
        } else {
            stage = &r->stages[r->stage_count++];
            *stage = *c->conv.stage;
            stage->stretch = (uint8_t)(1 + b);
            stage->reduced = 0;
        }
        stage->start = b ? load_part(r, own, part) : c->conv.stage->start;
        own->part = own->fields.lanes ? part : GALI_NONE;
        set_sum(r, stage, own);
        part = stage->tensor;
    }
}

gal_status gali_program_patterns(gali_program *program, const gali_target *target, gal_error *error) {
    static const char what[] = "convolutions by patterns";
    gali_arena *arena = program->arena;
    if (!gali_replacing_has_convs(program)) {
        program->least = program->most = NULL;
        return arena->failed ? gali_fail(error, GAL_NO_MEMORY, "no memory for the range of sizes") : GAL_OK;
    }
    const uint32_t rows_most = target && target->lanes > COLUMNS ? ROWS_WIDE : ROWS_MOST;
    gali_replacing r;
    gal_status status = gali_replacing_begin(&r, program, STAGES, what, error);
    for (uint32_t i = 0; status == GAL_OK && !arena->failed && i < program->stage_count; i++) {
        pruned c = {.patterns = gali_arena_take(arena, sizeof *c.patterns),
                    .columns = !target || target->lanes > COLUMNS ? COLUMNS_MOST : COLUMNS};
        r.place[i] = r.stage_count;
        if (c.patterns && is_pruned(program, &program->stages[i], &c)) {
            c.rows = choose_rows(c.height, rows_most);
            if (!(program->without & GALI_WITHOUT_PATTERNS) && may_rotate(c.width, target)) {
                c.columns = target->lanes - GALI_PATTERNS_MARGIN;
            } else {
                choose_fields(&c, target);
            }
            replace(&r, &c);
        } else {
            r.stages[r.stage_count++] = program->stages[i];
        }
    }
    return status == GAL_OK ? gali_replacing_end(&r, what, error) : status;
}
