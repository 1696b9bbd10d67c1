/*
 * The stages of a convolution [n][c][d..][h][w] by tiles of t x t results, a = t + 2:
 *
 *     rows      [n][d..][h / t][i][w + 2][c]     sum over r of B[i][r] x[.. t (h / t) + r ..], 0 outside
 *     tiles     [n][d..][h / t][i][j][w / t][c]  sum over r of B[j][r] rows[.. t (w / t) + r ..]
 *     products  [n][d..][h / t][i][j][w / t][m]  sum over the other axes of the window, then c, of tiles times G w G'
 *     columns   [n][d..][h / t][r][j][w / t][m]  sum over i of A[r][i] products
 *     y         [n][m][d..][h][w]                bias + sum over j of A[w % t][j] columns
 *
 * The weights' transform is computed here, in double. B, G and A are those of Toom and Cook for the points 0, +-p, +-q and
 * infinity. Of p = sqrt(1/2), q = sqrt(2) the error is least: with 64 channels 1.1e-6 of the largest result, where it is
 * 2.3 to 4.3e-6 for the usual 1, 2 or 1/2 and the sum's own is about as large.
 */
#include "compiler/program/winograd.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

enum {
    WINDOW = GALI_CONV_WINDOW,
    AREA_MOST = 6,       /* t + 2 */
    NEAR_MOST = 1 << 17, /* weights that are near memory after their first use */
    FAR_COST = 24,       /* multiply-adds in the time of which a weight comes from far memory */
    NEST_MOST =
        1 << 18, /* weights up to which tiles of a row are taken through all stages before the next row */
};

typedef struct winograd {
    gali_replacing r;
    uint32_t in[AREA_MOST], out[AREA_MOST]; /* tensors of B and A for tiles of t; 0: not yet made */
} winograd;

/* ---- transforms: y = A' ((G w) (B' x)) ---- */

typedef struct transforms {
    uint32_t tile, area;
    double in[AREA_MOST][AREA_MOST], weights[AREA_MOST][WINDOW], out[AREA_MOST][AREA_MOST];
} transforms;

/* Coefficients, lowest first, of the product of (x - point) over all finite points but `without`. */
static void multiply_out(const double *points, uint32_t count, uint32_t without, double *to) {
    uint32_t degree = 0;
    to[0] = 1;
    for (uint32_t i = 0; i < count; i++) {
        if (i == without) {
            continue;
        }
        to[++degree] = 0;
        for (uint32_t k = degree; k > 0; k--) {
            to[k] = to[k - 1] - points[i] * to[k];
        }
        to[0] *= -points[i];
    }
}

static transforms transforms_of(uint32_t tile) {
    static const double two[] = {0, 1, -1};
    const double four[] = {0, sqrt(0.5), -sqrt(0.5), sqrt(2), -sqrt(2)};
    const double *points = tile == 2 ? two : four;
    transforms t = {.tile = tile, .area = tile + WINDOW - 1};
    uint32_t last = t.area - 1;
    for (uint32_t i = 0; i < last; i++) {
        double scale = 1;
        for (uint32_t k = 0; k < last; k++) {
            scale *= k == i ? 1 : points[i] - points[k];
        }
        multiply_out(points, last, i, t.in[i]);
        for (uint32_t k = 0; k < WINDOW; k++) {
            t.weights[i][k] = pow(points[i], k) / scale;
        }
        for (uint32_t k = 0; k < tile; k++) {
            t.out[k][i] = pow(points[i], k);
        }
    }
    multiply_out(points, last, GALI_NONE, t.in[last]);
    t.weights[last][WINDOW - 1] = 1;
    t.out[tile - 1][last] = 1;
    return t;
}

/* ---- what is there ---- */

/* Sizes that stand for the range of each: of a batch few, of others 32, 64, .. as far as the range goes. */
enum { SAMPLES = 5, SMALLEST = 32 };

/* sizes: [symbols of the graph's extents] */
static void sample(const gali_program *p, uint32_t which, int64_t *sizes) {
    for (uint32_t s = 0; s < gali_extent_symbols(p->graph->extents); s++) {
        int64_t size = gali_program_is_batch(p->graph, s) ? 1 : (int64_t)SMALLEST << which;
        sizes[s] = size < p->least[s] ? p->least[s] : size > p->most[s] ? p->most[s] : size;
    }
}

static double count_of(const gali_program *p, gali_extent extent, const int64_t *sizes) {
    int64_t count = gali_extent_value(p->graph->extents, extent, sizes);
    return count > 0 ? (double)count : 1;
}

/* What a product with that many weights for a channel and a map costs, for each of those. */
static double product_cost(const gali_type *w, double weights, double results) {
    double all = weights;
    all *= (double)w->shape[0] * (double)w->shape[1];
    return results * weights + (all > (double)NEAR_MOST ? (double)FAR_COST * weights : 0);
}

static gali_extent tiles_of(gali_extents *e, gali_extent length, uint32_t tile) {
    return gali_extent_quotient(e, gali_extent_add(e, length, tile - 1), tile);
}

/* Whether the tiles' tensors stay within the limit of elements at the largest sizes, so that ranges are as wide as without. */
static int fits(const gali_program *p, const gali_conv *c, uint32_t tile) {
    gali_extents *e = p->graph->extents;
    const gali_type *w = &p->tensors[c->w].type;
    double in = (double)gali_extent_value(e, c->stage->extent[0], p->most) * (tile + 2) * (tile + 2);
    for (uint32_t i = c->plain; i < c->window.rank; i++) {
        in *= (double)gali_extent_value(e, tiles_of(e, c->window.out[i], tile), p->most);
    }
    double out = in;
    for (uint32_t i = 0; i < c->plain; i++) {
        in *= (double)gali_extent_value(e, c->window.in[i], p->most);
        out *= (double)gali_extent_value(e, c->window.out[i], p->most);
    }
    return in * (double)w->shape[1] <= (double)GALI_ELEMENTS_MOST &&
           out * (double)w->shape[0] <= (double)GALI_ELEMENTS_MOST;
}

/* In multiply-adds at those sizes: by tiles of that size; 0: the sum itself. Tiles have to be worth a fifth. */
static double cost_at(const gali_program *p, const gali_conv *c, uint32_t tile, const int64_t *sizes) {
    const gali_type *w = &p->tensors[c->w].type;
    double channels = (double)w->shape[1], maps = (double)w->shape[0], depth = 1,
           others = count_of(p, c->stage->extent[0], sizes);
    for (uint32_t i = 0; i < c->plain; i++) {
        depth *= (double)c->window.kernel[i];
        others *= count_of(p, c->window.out[i], sizes);
    }
    double height = count_of(p, c->window.out[c->plain], sizes),
           width = count_of(p, c->window.out[c->plain + 1], sizes);
    if (!tile) {
        return channels * maps * product_cost(w, depth * (double)(WINDOW * WINDOW), others * height * width);
    }
    double area = tile + WINDOW - 1, tiles = others * ceil(height / tile) * ceil(width / tile);
    double in = area * (tile + area) * area, out = tile * (area + tile) * area;
    double cost = channels * maps * product_cost(w, depth * area * area, tiles) +
                  2 * tiles * (in * channels + out * maps);
    return cost * 1.2;
}

uint32_t gali_winograd_tile(const gali_program *p, const gali_conv *c, double *work) {
    gali_arena arena = {0};
    double all[3] = {0}; /* costs by tiles of 2 i: their mean, so that large sizes count for what they take */
    uint32_t best = 0;
    int64_t *sizes = gali_arena_take(&arena, (gali_extent_symbols(p->graph->extents) + 1) * sizeof *sizes);
    for (uint32_t i = 0; sizes && i < SAMPLES; i++) {
        sample(p, i, sizes);
        for (uint32_t k = 0; k < 3; k++) {
            all[k] += cost_at(p, c, 2 * k, sizes) / (double)SAMPLES;
        }
    }
    for (uint32_t k = 1; sizes && k < 3; k++) {
        best = all[k] < all[best] && fits(p, c, 2 * k) ? k : best;
    }
    *work = all[best];
    p->arena->failed |= !sizes;
    gali_arena_release(&arena);
    return 2 * best;
}

/* ---- making ---- */

/* B or A of a tile's size: one tensor for all convolutions. */
static uint32_t matrix(winograd *g, uint32_t *made, const char *name, uint32_t rows, uint32_t columns,
                       double from[AREA_MOST][AREA_MOST]) {
    float *data = *made ? NULL : gali_arena_take(g->r.p->arena, (size_t)rows * columns * sizeof *data);
    for (uint32_t i = 0; data && i < rows * columns; i++) {
        data[i] = (float)from[i / columns][i % columns];
    }
    if (data) {
        gali_type type = {.element = GALI_f32, .rank = 2, .shape = {rows, columns}};
        *made = gali_replacing_constant(&g->r, name, &type, data);
    }
    return *made;
}

/* G w G' of one window. */
static void transform_window(const transforms *t, const float *w, float *to, size_t stride) {
    for (uint32_t i = 0; i < t->area; i++) {
        for (uint32_t j = 0; j < t->area; j++) {
            double sum = 0;
            for (uint32_t r = 0; r < WINDOW * WINDOW; r++) {
                sum += t->weights[i][r / WINDOW] * (double)w[r] * t->weights[j][r % WINDOW];
            }
            to[(i * t->area + j) * stride] = (float)sum;
        }
    }
}

/* The weights as [i][j][maps][channels][others..]. */
static uint32_t transform_weights(winograd *g, const gali_conv *c, const transforms *t) {
    const gali_program_tensor *w = &g->r.p->tensors[c->w];
    gali_type type = {.element = GALI_f32, .rank = w->type.rank, .shape = {t->area, t->area}};
    size_t windows = 1;
    for (int d = 0; d + 2 < w->type.rank; d++) {
        type.shape[d + 2] = w->type.shape[d];
        windows *= (size_t)w->type.shape[d];
    }
    float *data = gali_arena_take(g->r.p->arena, windows * t->area * t->area * sizeof *data);
    for (size_t i = 0; data && i < windows; i++) {
        float window[WINDOW * WINDOW];
        memcpy(window, (const float *)w->data + i * WINDOW * WINDOW, sizeof window);
        transform_window(t, window, data + i, windows);
    }
    return data ? gali_replacing_constant(&g->r, w->name, &type, data) : 0;
}

static void sum(winograd *g, gali_program_stage *stage, const gali_scalar *a, const gali_scalar *b) {
    stage->value = gali_x_apply(&g->r.x, GALI_SCALAR_fma, a, b, gali_x_self(&g->r.x, GALI_f32));
}

/* matrix[row][r] of a stage that sums over r. */
static const gali_scalar *coefficient(winograd *g, uint32_t matrix, const gali_scalar *row,
                                      const gali_scalar *r) {
    return gali_replacing_load(&g->r, matrix, (const gali_scalar *[]){row, r});
}

/* Axis by axis: those before the tiles (batch and plain ones), the tiles' row, and what comes behind. */
typedef struct axes {
    uint32_t before;
    gali_extent shape[GALI_RANK_MAX];
    const gali_scalar *at[GALI_AXES_MAX];
} axes;

static void set_axes(winograd *g, const gali_conv *c, axes *a, int of_results) {
    a->before = 1 + c->plain;
    a->shape[0] = c->stage->extent[0];
    for (uint32_t i = 0; i < c->plain; i++) {
        a->shape[1 + i] = of_results ? c->window.out[i] : c->window.in[i];
    }
    a->shape[a->before] = c->rows;
    for (uint32_t i = 0; i < GALI_RANK_MAX; i++) {
        a->at[i] = gali_x_axis(&g->r.x, i);
    }
}

static const gali_scalar *scaled(winograd *g, const gali_scalar *a, uint32_t by, const gali_scalar *and) {
    return gali_x_add(&g->r.x, gali_x_mul(&g->r.x, a, gali_x_int(&g->r.x, by)), and);
}

static uint32_t make_rows(winograd *g, const gali_conv *c, const transforms *t, uint32_t stretch) {
    gali_express *x = &g->r.x;
    axes a;
    set_axes(g, c, &a, 0);
    uint32_t at = a.before;
    gali_extent channels = g->r.p->tensors[c->w].type.shape[1];
    a.shape[at + 1] = t->area;
    a.shape[at + 2] = gali_extent_add(x->extents, gali_extent_mul(x->extents, c->columns, t->tile), WINDOW - 1);
    a.shape[at + 3] = channels;
    gali_program_stage *stage = gali_replacing_stage(&g->r, c, "rows", stretch, at + 4, a.shape);
    const gali_scalar *r = gali_replacing_reduce(&g->r, stage, t->area), *zero = gali_x_int(x, 0), *place[2],
                      *inside = NULL;
    place[0] = scaled(g, a.at[at], t->tile, r);
    place[1] = a.at[at + 2];
    const gali_scalar *index[GALI_RANK_MAX] = {a.at[0], a.at[at + 3]};
    for (uint32_t i = 0; i < c->plain; i++) {
        index[2 + i] = a.at[1 + i];
    }
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t axis = c->plain + i;
        const gali_scalar *from = gali_x_sub(x, place[i], gali_x_extent(x, c->window.begin[axis]));
        const gali_scalar *own = gali_x_within(x, from, zero, gali_x_extent(x, c->window.in[axis]));
        inside = inside ? gali_x_and(x, inside, own) : own;
        index[2 + axis] = from;
    }
    const gali_scalar *value = gali_replacing_load(&g->r, c->x, index);
    value = gali_x_select(x, inside, value, gali_x_number(x, GALI_f32, 0));
    sum(g, stage, value, coefficient(g, g->in[t->tile], a.at[at + 1], r));
    return stage->tensor;
}

static uint32_t make_tiles(winograd *g, const gali_conv *c, const transforms *t, uint32_t stretch,
                           uint32_t rows) {
    axes a;
    set_axes(g, c, &a, 0);
    uint32_t at = a.before;
    a.shape[at + 1] = a.shape[at + 2] = t->area;
    a.shape[at + 3] = c->columns;
    a.shape[at + 4] = g->r.p->tensors[c->w].type.shape[1];
    gali_program_stage *stage = gali_replacing_stage(&g->r, c, "tiles", stretch, at + 5, a.shape);
    const gali_scalar *r = gali_replacing_reduce(&g->r, stage, t->area), *index[GALI_RANK_MAX];
    memcpy(index, a.at, sizeof index);
    index[at + 2] = scaled(g, a.at[at + 3], t->tile, r);
    index[at + 3] = a.at[at + 4];
    sum(g, stage, gali_replacing_load(&g->r, rows, index), coefficient(g, g->in[t->tile], a.at[at + 2], r));
    return stage->tensor;
}

static uint32_t make_products(winograd *g, const gali_conv *c, const transforms *t, uint32_t stretch,
                              uint32_t tiles, uint32_t weights) {
    gali_express *x = &g->r.x;
    axes a;
    set_axes(g, c, &a, 1);
    uint32_t at = a.before;
    const gali_type *w = &g->r.p->tensors[c->w].type;
    a.shape[at + 1] = a.shape[at + 2] = t->area;
    a.shape[at + 3] = c->columns;
    a.shape[at + 4] = w->shape[0];
    gali_program_stage *stage = gali_replacing_stage(&g->r, c, "products", stretch, at + 5, a.shape);
    const gali_scalar *index[GALI_RANK_MAX], *by[GALI_RANK_MAX] = {a.at[at + 1], a.at[at + 2], a.at[at + 4]};
    const gali_scalar *inside = NULL;
    memcpy(index, a.at, sizeof index);
    for (uint32_t i = 0; i < c->plain; i++) {
        const gali_window *v = &c->window;
        by[4 + i] = v->kernel[i] == 1 ? gali_x_int(x, 0) : gali_replacing_reduce(&g->r, stage, v->kernel[i]);
        const gali_scalar *from = gali_x_mul(x, a.at[1 + i], gali_x_int(x, v->stride[i]));
        from = gali_x_add(x, from, gali_x_mul(x, by[4 + i], gali_x_int(x, v->dilation[i])));
        index[1 + i] = gali_x_sub(x, from, gali_x_extent(x, v->begin[i]));
        const gali_scalar *own = gali_x_within(x, index[1 + i], gali_x_int(x, 0), gali_x_extent(x, v->in[i]));
        inside = inside ? gali_x_and(x, inside, own) : own;
    }
    stage->fine = 1; /* the transforms behind it make its error larger */
    by[3] = gali_replacing_reduce(&g->r, stage, w->shape[1]);
    index[at + 4] = by[3];
    const gali_scalar *value = gali_replacing_load(&g->r, tiles, index);
    value = inside ? gali_x_select(x, inside, value, gali_x_number(x, GALI_f32, 0)) : value;
    sum(g, stage, value, gali_replacing_load(&g->r, weights, by));
    return stage->tensor;
}

static uint32_t make_columns(winograd *g, const gali_conv *c, const transforms *t, uint32_t stretch,
                             uint32_t products) {
    axes a;
    set_axes(g, c, &a, 1);
    uint32_t at = a.before;
    a.shape[at + 1] = t->tile;
    a.shape[at + 2] = t->area;
    a.shape[at + 3] = c->columns;
    a.shape[at + 4] = g->r.p->tensors[c->w].type.shape[0];
    gali_program_stage *stage = gali_replacing_stage(&g->r, c, "columns", stretch, at + 5, a.shape);
    const gali_scalar *r = gali_replacing_reduce(&g->r, stage, t->area), *index[GALI_RANK_MAX];
    memcpy(index, a.at, sizeof index);
    index[at + 1] = r;
    sum(g, stage, gali_replacing_load(&g->r, products, index),
        coefficient(g, g->out[t->tile], a.at[at + 1], r));
    return stage->tensor;
}

/* The convolution's own stage, of other sums. */
static void make_results(winograd *g, const gali_conv *c, const transforms *t, uint32_t stretch,
                         uint32_t columns) {
    gali_express *x = &g->r.x;
    gali_program_stage *stage = &g->r.stages[g->r.stage_count++];
    const gali_scalar *tile = gali_x_int(x, t->tile), *index[GALI_RANK_MAX] = {gali_x_axis(x, 0)};
    uint32_t at = 1 + c->plain, height = 2 + c->plain, width = 3 + c->plain;
    *stage = *c->stage;
    stage->stretch = (uint8_t)stretch;
    stage->reduced = 0;
    const gali_scalar *r = gali_replacing_reduce(&g->r, stage, t->area);
    for (uint32_t i = 0; i < c->plain; i++) {
        index[1 + i] = gali_x_axis(x, 2 + i);
    }
    index[at] = gali_x_apply(x, GALI_SCALAR_quotient, gali_x_axis(x, height), tile, NULL);
    index[at + 1] = gali_x_apply(x, GALI_SCALAR_mod, gali_x_axis(x, height), tile, NULL);
    index[at + 2] = r;
    index[at + 3] = gali_x_apply(x, GALI_SCALAR_quotient, gali_x_axis(x, width), tile, NULL);
    index[at + 4] = gali_x_axis(x, 1);
    const gali_scalar *row = gali_x_apply(x, GALI_SCALAR_mod, gali_x_axis(x, width), tile, NULL);
    sum(g, stage, gali_replacing_load(&g->r, columns, index), coefficient(g, g->out[t->tile], row, r));
}

static void replace(winograd *g, gali_conv *c, uint32_t tile) {
    transforms t = transforms_of(tile);
    const gali_type *w = &g->r.p->tensors[c->w].type;
    gali_extents *e = g->r.x.extents;
    c->rows = tiles_of(e, c->window.out[c->plain], tile);
    c->columns = tiles_of(e, c->window.out[c->plain + 1], tile);
    matrix(g, &g->in[tile], "tile_in", t.area, t.area, t.in);
    matrix(g, &g->out[tile], "tile_out", tile, t.area, t.out);
    uint32_t weights = transform_weights(g, c, &t);
    if (!weights || !g->in[tile] || !g->out[tile]) {
        return;
    }
    int nests = w->shape[0] * w->shape[1] * t.area * t.area <= NEST_MOST && !c->plain;
    uint32_t stretch = 0, step = nests ? 0 : 1;
    uint32_t made = make_rows(g, c, &t, stretch);
    made = make_tiles(g, c, &t, stretch += step, made);
    made = make_products(g, c, &t, stretch += step, made, weights);
    made = make_columns(g, c, &t, stretch += step, made);
    make_results(g, c, &t, ++stretch, made);
}

/* ---- all ---- */

enum { STAGES = 5 };

static const char what[] = "convolutions by tiles";

gal_status gali_program_winograd(gali_program *program, gal_error *error) {
    gali_arena *arena = program->arena;
    if (!gali_replacing_has_convs(program)) {
        program->least = program->most = NULL;
        return arena->failed ? gali_fail(error, GAL_NO_MEMORY, "no memory for the range of sizes") : GAL_OK;
    }
    winograd g = {.in = {0}};
    gal_status status = gali_replacing_begin(&g.r, program, STAGES, what, error);
    for (uint32_t i = 0; status == GAL_OK && !arena->failed && i < program->stage_count; i++) {
        gali_conv c;
        double cost;
        g.r.place[i] = g.r.stage_count;
        uint32_t tile =
            gali_program_conv(program, &program->stages[i], &c) ? gali_winograd_tile(program, &c, &cost) : 0;
        if (tile) {
            replace(&g, &c, tile);
        } else {
            g.r.stages[g.r.stage_count++] = program->stages[i];
        }
    }
    return status == GAL_OK ? gali_replacing_end(&g.r, what, error) : status;
}

uint32_t gali_program_stretches(const gali_program *program) {
    uint32_t stretches = 0, last = GALI_NONE;
    for (uint32_t i = 0; i < program->stage_count; i++) { /* stages of a group stand together */
        const gali_program_stage *stage = &program->stages[i];
        if (!stage->gone && stage->stretch && stage->group != last) {
            stretches++;
            last = stage->group;
        }
    }
    return stretches;
}
