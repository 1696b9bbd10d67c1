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
#include "graph/ops/window.h"

enum {
    WINDOW = 3,
    AREA_MOST = 6,       /* t + 2 */
    EXTENT_GUESS = 32,   /* of a size that is open */
    NEAR_MOST = 1 << 17, /* weights that are near memory after their first use */
    FAR_COST = 24,       /* multiply-adds in the time of which a weight comes from far memory */
    NEST_MOST =
        1 << 18, /* weights up to which tiles of a row are taken through all stages before the next row */
};

typedef struct winograd {
    gali_program *p;
    gali_program_stage *stages; /* anew */
    uint32_t stage_count;
    uint32_t tensor_capacity;
    uint32_t in[AREA_MOST], out[AREA_MOST]; /* tensors of B and A for tiles of t; 0: not yet made */
    gali_express x;
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

typedef struct conv {
    const gali_program_stage *stage;
    uint32_t x, w;  /* tensors */
    uint32_t plain; /* spatial axes before the last two */
    gali_window window;
    gali_extent rows, columns; /* of tiles */
} conv;

static const gali_scalar *load_in(const gali_scalar *a) {
    a = a && a->op == GALI_SCALAR_select ? a->operand[1] : a;
    return a && a->op == GALI_SCALAR_load ? a : NULL;
}

/* Whether the stage is a convolution whose window is 3x3 in its last axes, of step 1, by constant weights. */
static int is_conv(const gali_program *p, const gali_program_stage *stage, conv *c) {
    const gali_node *node = stage->node == GALI_NONE ? NULL : p->nodes[stage->node].node;
    if (!node || node->op != GALI_OP_Conv || gali_node_int(node, "group") != 1 || !stage->reduced ||
        stage->value->op != GALI_SCALAR_fma || stage->value->element != GALI_f32) {
        return 0;
    }
    const gali_scalar *x = load_in(stage->value->operand[0]), *w = load_in(stage->value->operand[1]);
    if (!x || !w || !p->tensors[w->source].data || stage->rank < 4 || stage->rank > 5) {
        return 0;
    }
    const gali_type *type = &p->tensors[w->source].type;
    *c = (conv){.stage = stage, .x = x->source, .w = w->source, .plain = stage->rank - 4};
    int good =
        !gali_window_make(&c->window, p->graph->extents, node, &p->tensors[x->source].type, type->shape + 2);
    for (uint32_t i = c->plain; good && i < c->window.rank; i++) {
        good = c->window.kernel[i] == WINDOW && c->window.stride[i] == 1 && c->window.dilation[i] == 1;
    }
    return good;
}

static double guess(gali_extent extent) {
    return gali_extent_is_number(extent) ? (double)extent : (double)EXTENT_GUESS;
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
static int fits(const gali_program *p, const conv *c, uint32_t tile) {
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

/* The tile's size, or 0: by the sum. In multiply-adds, those of transforms counted twice: they wait for memory. */
static uint32_t choose(const gali_program *p, const conv *c) {
    const gali_type *w = &p->tensors[c->w].type;
    double channels = (double)w->shape[1], maps = (double)w->shape[0], depth = 1,
           others = guess(c->stage->extent[0]);
    for (uint32_t i = 0; i < c->plain; i++) {
        depth *= (double)c->window.kernel[i];
        others *= guess(c->window.out[i]);
    }
    double height = guess(c->window.out[c->plain]), width = guess(c->window.out[c->plain + 1]);
    double least = channels * maps * product_cost(w, depth * 9, others * height * width);
    uint32_t best = 0;
    for (uint32_t tile = 2; tile <= 4; tile += 2) {
        double area = tile + 2, tiles = others * ceil(height / tile) * ceil(width / tile);
        double in = area * (tile + area) * area, out = tile * (area + tile) * area;
        double cost = channels * maps * product_cost(w, depth * area * area, tiles) +
                      2 * tiles * (in * channels + out * maps);
        if (cost * 1.2 < least && fits(p, c, tile)) {
            least = cost * 1.2;
            best = tile;
        }
    }
    return best;
}

/* ---- making ---- */

static uint32_t add_tensor(winograd *g, const gali_program_tensor *tensor) {
    gali_program *p = g->p;
    if (p->tensor_count == g->tensor_capacity) {
        g->tensor_capacity = 2 * p->tensor_count + 16;
        gali_program_tensor *more = gali_arena_take(p->arena, g->tensor_capacity * sizeof *more);
        if (!more) {
            return 0;
        }
        memcpy(more, p->tensors, p->tensor_count * sizeof *more);
        p->tensors = more;
    }
    gali_program_tensor *made = &p->tensors[p->tensor_count];
    *made = *tensor;
    made->value = made->stage = made->home = GALI_NONE;
    for (uint8_t d = 0; d < GALI_RANK_MAX; d++) {
        made->order[d] = d;
    }
    return p->tensor_count++;
}

static uint32_t add_constant(winograd *g, const char *name, const gali_type *type, const float *data) {
    return add_tensor(
        g, &(gali_program_tensor){.name = name, .type = *type, .role = GALI_TENSOR_CONSTANT, .data = data});
}

/* B or A of a tile's size: one tensor for all convolutions. */
static uint32_t matrix(winograd *g, uint32_t *made, const char *name, uint32_t rows, uint32_t columns,
                       double from[AREA_MOST][AREA_MOST]) {
    float *data = *made ? NULL : gali_arena_take(g->p->arena, (size_t)rows * columns * sizeof *data);
    for (uint32_t i = 0; data && i < rows * columns; i++) {
        data[i] = (float)from[i / columns][i % columns];
    }
    if (data) {
        gali_type type = {.element = GALI_f32, .rank = 2, .shape = {rows, columns}};
        *made = add_constant(g, name, &type, data);
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
static uint32_t transform_weights(winograd *g, const conv *c, const transforms *t) {
    const gali_program_tensor *w = &g->p->tensors[c->w];
    gali_type type = {.element = GALI_f32, .rank = w->type.rank, .shape = {t->area, t->area}};
    size_t windows = 1;
    for (int d = 0; d + 2 < w->type.rank; d++) {
        type.shape[d + 2] = w->type.shape[d];
        windows *= (size_t)w->type.shape[d];
    }
    float *data = gali_arena_take(g->p->arena, windows * t->area * t->area * sizeof *data);
    for (size_t i = 0; data && i < windows; i++) {
        float window[WINDOW * WINDOW];
        memcpy(window, (const float *)w->data + i * WINDOW * WINDOW, sizeof window);
        transform_window(t, window, data + i, windows);
    }
    return data ? add_constant(g, w->name, &type, data) : 0;
}

static const gali_scalar *load(winograd *g, uint32_t tensor, const gali_scalar *const *index) {
    const gali_type *type = &g->p->tensors[tensor].type;
    g->x.operand = &type;
    const gali_scalar *made = gali_x_load(&g->x, 0, index);
    gali_scalar *own = made ? gali_arena_take(g->p->arena, sizeof *own) : NULL;
    if (own) {
        *own = *made;
        own->source = tensor;
    }
    return own;
}

/* A stage of the convolution that makes a tensor of that shape, by a sum of products that is set by who calls. */
static gali_program_stage *add_stage(winograd *g, const conv *c, const char *name, uint32_t stretch,
                                     uint32_t rank, const gali_extent *shape) {
    gali_program_tensor t = {.name = name,
                             .role = GALI_TENSOR_MADE,
                             .block = c->stage->block,
                             .type = {.element = GALI_f32, .rank = (int)rank}};
    memcpy(t.type.shape, shape, rank * sizeof *shape);
    gali_program_stage *stage = &g->stages[g->stage_count++];
    *stage = (gali_program_stage){.tensor = add_tensor(g, &t),
                                  .node = c->stage->node,
                                  .group = c->stage->group,
                                  .block = c->stage->block,
                                  .rank = rank,

                                  .stretch = (uint8_t)stretch,
                                  .start = gali_x_number(&g->x, GALI_f32, 0)};
    memcpy(stage->extent, shape, rank * sizeof *shape);
    return stage;
}

static const gali_scalar *reduce(winograd *g, gali_program_stage *stage, gali_extent extent) {
    uint32_t axis = stage->rank + stage->reduced++;
    stage->extent[axis] = extent;
    return gali_x_axis(&g->x, axis);
}

static void sum(winograd *g, gali_program_stage *stage, const gali_scalar *a, const gali_scalar *b) {
    stage->value = gali_x_apply(&g->x, GALI_SCALAR_fma, a, b, gali_x_self(&g->x, GALI_f32));
}

/* matrix[row][r] of a stage that sums over r. */
static const gali_scalar *coefficient(winograd *g, uint32_t matrix, const gali_scalar *row,
                                      const gali_scalar *r) {
    return load(g, matrix, (const gali_scalar *[]){row, r});
}

/* Axis by axis: those before the tiles (batch and plain ones), the tiles' row, and what comes behind. */
typedef struct axes {
    uint32_t before;
    gali_extent shape[GALI_RANK_MAX];
    const gali_scalar *at[GALI_AXES_MAX];
} axes;

static void set_axes(winograd *g, const conv *c, axes *a, int of_results) {
    a->before = 1 + c->plain;
    a->shape[0] = c->stage->extent[0];
    for (uint32_t i = 0; i < c->plain; i++) {
        a->shape[1 + i] = of_results ? c->window.out[i] : c->window.in[i];
    }
    a->shape[a->before] = c->rows;
    for (uint32_t i = 0; i < GALI_RANK_MAX; i++) {
        a->at[i] = gali_x_axis(&g->x, i);
    }
}

static const gali_scalar *scaled(winograd *g, const gali_scalar *a, uint32_t by, const gali_scalar *and) {
    return gali_x_add(&g->x, gali_x_mul(&g->x, a, gali_x_int(&g->x, by)), and);
}

static uint32_t make_rows(winograd *g, const conv *c, const transforms *t, uint32_t stretch) {
    gali_express *x = &g->x;
    axes a;
    set_axes(g, c, &a, 0);
    uint32_t at = a.before;
    gali_extent channels = g->p->tensors[c->w].type.shape[1];
    a.shape[at + 1] = t->area;
    a.shape[at + 2] = gali_extent_add(x->extents, gali_extent_mul(x->extents, c->columns, t->tile), WINDOW - 1);
    a.shape[at + 3] = channels;
    gali_program_stage *stage = add_stage(g, c, "rows", stretch, at + 4, a.shape);
    const gali_scalar *r = reduce(g, stage, t->area), *zero = gali_x_int(x, 0), *place[2], *inside = NULL;
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
    const gali_scalar *value = load(g, c->x, index);
    value = gali_x_select(x, inside, value, gali_x_number(x, GALI_f32, 0));
    sum(g, stage, value, coefficient(g, g->in[t->tile], a.at[at + 1], r));
    return stage->tensor;
}

static uint32_t make_tiles(winograd *g, const conv *c, const transforms *t, uint32_t stretch, uint32_t rows) {
    axes a;
    set_axes(g, c, &a, 0);
    uint32_t at = a.before;
    a.shape[at + 1] = a.shape[at + 2] = t->area;
    a.shape[at + 3] = c->columns;
    a.shape[at + 4] = g->p->tensors[c->w].type.shape[1];
    gali_program_stage *stage = add_stage(g, c, "tiles", stretch, at + 5, a.shape);
    const gali_scalar *r = reduce(g, stage, t->area), *index[GALI_RANK_MAX];
    memcpy(index, a.at, sizeof index);
    index[at + 2] = scaled(g, a.at[at + 3], t->tile, r);
    index[at + 3] = a.at[at + 4];
    sum(g, stage, load(g, rows, index), coefficient(g, g->in[t->tile], a.at[at + 2], r));
    return stage->tensor;
}

static uint32_t make_products(winograd *g, const conv *c, const transforms *t, uint32_t stretch, uint32_t tiles,
                              uint32_t weights) {
    gali_express *x = &g->x;
    axes a;
    set_axes(g, c, &a, 1);
    uint32_t at = a.before;
    const gali_type *w = &g->p->tensors[c->w].type;
    a.shape[at + 1] = a.shape[at + 2] = t->area;
    a.shape[at + 3] = c->columns;
    a.shape[at + 4] = w->shape[0];
    gali_program_stage *stage = add_stage(g, c, "products", stretch, at + 5, a.shape);
    const gali_scalar *index[GALI_RANK_MAX], *by[GALI_RANK_MAX] = {a.at[at + 1], a.at[at + 2], a.at[at + 4]};
    const gali_scalar *inside = NULL;
    memcpy(index, a.at, sizeof index);
    for (uint32_t i = 0; i < c->plain; i++) {
        const gali_window *v = &c->window;
        by[4 + i] = v->kernel[i] == 1 ? gali_x_int(x, 0) : reduce(g, stage, v->kernel[i]);
        const gali_scalar *from = gali_x_mul(x, a.at[1 + i], gali_x_int(x, v->stride[i]));
        from = gali_x_add(x, from, gali_x_mul(x, by[4 + i], gali_x_int(x, v->dilation[i])));
        index[1 + i] = gali_x_sub(x, from, gali_x_extent(x, v->begin[i]));
        const gali_scalar *own = gali_x_within(x, index[1 + i], gali_x_int(x, 0), gali_x_extent(x, v->in[i]));
        inside = inside ? gali_x_and(x, inside, own) : own;
    }
    by[3] = reduce(g, stage, w->shape[1]);
    index[at + 4] = by[3];
    const gali_scalar *value = load(g, tiles, index);
    value = inside ? gali_x_select(x, inside, value, gali_x_number(x, GALI_f32, 0)) : value;
    sum(g, stage, value, load(g, weights, by));
    return stage->tensor;
}

static uint32_t make_columns(winograd *g, const conv *c, const transforms *t, uint32_t stretch,
                             uint32_t products) {
    axes a;
    set_axes(g, c, &a, 1);
    uint32_t at = a.before;
    a.shape[at + 1] = t->tile;
    a.shape[at + 2] = t->area;
    a.shape[at + 3] = c->columns;
    a.shape[at + 4] = g->p->tensors[c->w].type.shape[0];
    gali_program_stage *stage = add_stage(g, c, "columns", stretch, at + 5, a.shape);
    const gali_scalar *r = reduce(g, stage, t->area), *index[GALI_RANK_MAX];
    memcpy(index, a.at, sizeof index);
    index[at + 1] = r;
    sum(g, stage, load(g, products, index), coefficient(g, g->out[t->tile], a.at[at + 1], r));
    return stage->tensor;
}

/* The convolution's own stage, of other sums. */
static void make_results(winograd *g, const conv *c, const transforms *t, uint32_t stretch, uint32_t columns) {
    gali_express *x = &g->x;
    gali_program_stage *stage = &g->stages[g->stage_count++];
    const gali_scalar *tile = gali_x_int(x, t->tile), *index[GALI_RANK_MAX] = {gali_x_axis(x, 0)};
    uint32_t at = 1 + c->plain, height = 2 + c->plain, width = 3 + c->plain;
    *stage = *c->stage;
    stage->stretch = (uint8_t)stretch;
    stage->reduced = 0;
    const gali_scalar *r = reduce(g, stage, t->area);
    for (uint32_t i = 0; i < c->plain; i++) {
        index[1 + i] = gali_x_axis(x, 2 + i);
    }
    index[at] = gali_x_apply(x, GALI_SCALAR_quotient, gali_x_axis(x, height), tile, NULL);
    index[at + 1] = gali_x_apply(x, GALI_SCALAR_mod, gali_x_axis(x, height), tile, NULL);
    index[at + 2] = r;
    index[at + 3] = gali_x_apply(x, GALI_SCALAR_quotient, gali_x_axis(x, width), tile, NULL);
    index[at + 4] = gali_x_axis(x, 1);
    const gali_scalar *row = gali_x_apply(x, GALI_SCALAR_mod, gali_x_axis(x, width), tile, NULL);
    sum(g, stage, load(g, columns, index), coefficient(g, g->out[t->tile], row, r));
}

static void replace(winograd *g, conv *c, uint32_t tile) {
    transforms t = transforms_of(tile);
    const gali_type *w = &g->p->tensors[c->w].type;
    gali_extents *e = g->x.extents;
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

/* Steps, blocks and tensors follow stages to their new places: place[i] of stage i's first. */
static void follow(gali_program *p, const uint32_t *place) {
    for (uint32_t i = 0; i < p->step_count; i++) {
        p->steps[i].before = place[p->steps[i].before];
    }
    for (uint32_t i = 0; i < p->block_count; i++) {
        p->blocks[i].end = place[p->blocks[i].end];
    }
    for (uint32_t i = 0; i < p->stage_count; i++) {
        p->tensors[p->stages[i].tensor].stage = i;
    }
}

/* Whether there is one at all, and the ranges of sizes, as they are without tiles, are known. */
static int has_convs(gali_program *p) {
    gal_error ignored = {0};
    conv c;
    for (uint32_t i = 0; i < p->stage_count; i++) {
        if (is_conv(p, &p->stages[i], &c)) {
            return gali_program_range(p, &ignored) == GAL_OK;
        }
    }
    return 0;
}

gal_status gali_program_winograd(gali_program *program, gal_error *error) {
    gali_arena *arena = program->arena;
    if (!has_convs(program)) {
        program->least = program->most = NULL;
        return arena->failed ? gali_fail(error, GAL_NO_MEMORY, "no memory for the range of sizes") : GAL_OK;
    }
    winograd g = {.p = program, .tensor_capacity = program->tensor_count};
    g.x = (gali_express){.arena = arena, .extents = program->graph->extents};
    g.stages = gali_arena_take(arena, ((size_t)STAGES * program->stage_count + 1) * sizeof *g.stages);
    uint32_t *place = gali_arena_take(arena, (program->stage_count + 1) * sizeof *place);
    for (uint32_t i = 0; !arena->failed && i <= program->stage_count; i++) {
        place[i] = g.stage_count;
        if (i == program->stage_count) {
            break;
        }
        conv c;
        uint32_t tile = is_conv(program, &program->stages[i], &c) ? choose(program, &c) : 0;
        if (tile) {
            replace(&g, &c, tile);
        } else {
            g.stages[g.stage_count++] = program->stages[i];
        }
    }
    if (arena->failed) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for convolutions by tiles");
    }
    program->stages = g.stages;
    program->stage_count = g.stage_count;
    program->least = program->most = NULL; /* of the program that it was */
    follow(program, place);
    return GAL_OK;
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
