/*
 * Elements of a picture, or a volume, at coordinates that are data: GridSample and RoiAlign; and AffineGrid, which makes
 * such coordinates.
 */
#include <math.h>
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"
#include "graph/scalar.h"

typedef const gali_scalar scalar;

enum { SPACE_MAX = 3 };

static int is_real(gali_element element) {
    return gali_element_list[element].kind == GALI_REAL;
}

/* ---- GridSample: rule ---- */

static int is_mode(const gali_node *node, const char *newer, const char *older) {
    return gali_node_is(node, "mode", newer) || gali_node_is(node, "mode", older);
}

/* Elements before the coordinate's floor and in all that are summed along an axis; 1: the nearest. */
static int taps_of(const gali_node *node) {
    return is_mode(node, "cubic", "bicubic") ? 4 : is_mode(node, "linear", "bilinear") ? 2 : 1;
}

gal_status gali_rule_grid_sample(gali_rule *rule) {
    const gali_type *x = rule->operand[0], *grid = rule->operand[1];
    rule->result[0].element = x->element;
    if (!is_real(grid->element) || !is_real(x->element)) {
        return gali_rule_fail(rule, "not for %s", gali_element_list[x->element].word);
    }
    if (!gali_rule_ranks_known(rule)) {
        return GAL_OK;
    }
    int space = x->rank - 2;
    if (space < 1 || space > SPACE_MAX || grid->rank != x->rank ||
        (gali_extent_is_number(grid->shape[grid->rank - 1]) && grid->shape[grid->rank - 1] != space)) {
        return gali_rule_fail(rule, "the grid [batch, ..., axes] does not fit a tensor of rank %d", x->rank);
    }
    gali_extent unused;
    rule->result[0].rank = x->rank;
    rule->result[0].shape[0] = x->shape[0];
    rule->result[0].shape[1] = x->shape[1];
    memcpy(rule->result[0].shape + 2, grid->shape + 1, (size_t)space * sizeof *grid->shape);
    gali_rule_demand_same(rule, grid->shape[grid->rank - 1], space);
    gal_status status = gali_rule_same(rule, x->shape[0], grid->shape[0], &unused);
    for (int i = 0; status == GAL_OK && i < space; i++) {
        status = gali_rule_some(rule, x->shape[2 + i]);
    }
    return status;
}

/* ---- GridSample: truth ---- */

/* Thrown back at both ends as often as it takes. */
static double reflected(double at, double low, double high) {
    double range = high - low;
    if (range <= 0) {
        return low;
    }
    double rest = fmod(fabs(at - low), 2 * range);
    return low + (rest > range ? 2 * range - rest : rest);
}

static double cubic_weight(double apart) {
    double x = fabs(apart), a = -0.75;
    return x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

typedef struct sampled {
    int64_t index[4]; /* -1: outside, 0 is read */
    double weight[4];
    int count;
} sampled;

/* Which elements of an axis make up the one at coordinate g, from -1 to 1. */
static sampled sample_axis(const gali_node *node, double g, int64_t in) {
    int corners = gali_node_int(node, "align_corners") != 0,
        border = gali_node_is(node, "padding_mode", "border");
    int reflection = gali_node_is(node, "padding_mode", "reflection");
    double size = (double)in, low = corners ? 0 : -0.5, high = corners ? size - 1 : size - 0.5;
    double at = corners ? (g + 1) / 2 * (size - 1) : ((g + 1) * size - 1) / 2;
    sampled s = {.count = taps_of(node)};
    if (s.count < 4) {
        at = border ? fmax(0, fmin(at, size - 1)) : reflection ? reflected(at, low, high) : at;
    }
    double first = s.count == 1 ? nearbyint(at) : floor(at) - (s.count == 4);
    for (int i = 0; i < s.count; i++) {
        double place = first + i;
        s.weight[i] = s.count == 1 ? 1 : s.count == 2 ? 1 - fabs(place - at) : cubic_weight(place - at);
        place = reflection ? trunc(reflected(place, low, high)) : place;
        place = border || reflection ? fmax(0, fmin(place, size - 1)) : place;
        s.index[i] = place >= 0 && place < size ? (int64_t)place : -1;
    }
    return s;
}

/* Of a plane [in...], summed over the axes from `axis` on. */
static double sum_taps(const sampled *axes, int axis, int space, const int64_t *in, const double *plane,
                       int64_t at) {
    double sum = 0;
    if (axis == space || axis == SPACE_MAX) { /* never the latter first: told to compilers */
        return plane[at];
    }
    for (int i = 0; i < axes[axis].count; i++) {
        int64_t index = axes[axis].index[i];
        if (index >= 0) {
            sum += axes[axis].weight[i] * sum_taps(axes, axis + 1, space, in, plane, at * in[axis] + index);
        }
    }
    return sum;
}

gal_status gali_truth_grid_sample(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                  gali_tensor *results) {
    const gali_tensor *x = operands[0], *grid = operands[1];
    gali_tensor *y = &results[0];
    int space = (int)x->rank - 2;
    int64_t plane = 1, places = 1, index[GALI_RANK_MAX] = {0};
    for (int i = 0; i < space; i++) {
        plane *= x->shape[2 + i];
        places *= y->shape[2 + i];
    }
    gal_status status = gali_run_work(run, (double)y->count * pow(taps_of(node), space));
    for (size_t e = 0; status == GAL_OK && e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
        sampled axes[SPACE_MAX];
        const double *g = grid->real + (index[0] * places + (int64_t)e % places) * space;
        for (int i = 0; i < space; i++) {
            axes[i] = sample_axis(node, g[space - 1 - i], x->shape[2 + i]); /* x stands first */
        }
        y->real[e] =
            sum_taps(axes, 0, space, x->shape + 2, x->real + (index[0] * x->shape[1] + index[1]) * plane, 0);
    }
    return status;
}

/* ---- GridSample: expression, coordinates in f32 ---- */

static scalar *real(gali_express *x, double value) {
    return gali_x_number(x, GALI_f32, value);
}

static scalar *size_of(gali_express *x, gali_extent in) {
    return gali_x_cast(x, GALI_f32, gali_x_extent(x, in));
}

static scalar *clipped(gali_express *x, scalar *at, scalar *low, scalar *high) {
    return gali_x_most(x, low, gali_x_least(x, at, high));
}

static scalar *express_reflected(gali_express *x, scalar *at, scalar *low, scalar *high) {
    scalar *range = gali_x_sub(x, high, low), *twice = gali_x_add(x, range, range);
    scalar *apart = gali_x_of(x, GALI_SCALAR_abs, gali_x_sub(x, at, low));
    scalar *rest = gali_x_apply(x, GALI_SCALAR_rem, apart, twice, NULL);
    rest = gali_x_select(x, gali_x_less(x, range, rest), gali_x_sub(x, twice, rest), rest);
    return gali_x_select(x, gali_x_less(x, real(x, 0), range), gali_x_add(x, low, rest), low);
}

/* The cubic's weight at a distance of up to 1, or (far) from 1 to 2. */
static scalar *express_cubic(gali_express *x, scalar *d, int far) {
    double a = -0.75;
    if (far) {
        scalar *y = gali_x_sub(x, gali_x_mul(x, real(x, a), d), real(x, 5 * a));
        y = gali_x_add(x, gali_x_mul(x, y, d), real(x, 8 * a));
        return gali_x_sub(x, gali_x_mul(x, y, d), real(x, 4 * a));
    }
    scalar *y = gali_x_sub(x, gali_x_mul(x, real(x, a + 2), d), real(x, a + 3));
    return gali_x_add(x, gali_x_mul(x, gali_x_mul(x, y, d), d), real(x, 1));
}

typedef struct taps {
    int count;
    scalar *index[4], *inside[4], *weight[4]; /* inside: NULL where it always is */
} taps;

static void express_weights(gali_express *x, taps *t, scalar *at, scalar *first) {
    scalar *rest = gali_x_sub(x, at, t->count == 4 ? gali_x_add(x, first, real(x, 1)) : first);
    scalar *other = gali_x_sub(x, real(x, 1), rest);
    if (t->count == 2) {
        t->weight[0] = other;
        t->weight[1] = rest;
    } else if (t->count == 4) {
        t->weight[0] = express_cubic(x, gali_x_add(x, rest, real(x, 1)), 1);
        t->weight[1] = express_cubic(x, rest, 0);
        t->weight[2] = express_cubic(x, other, 0);
        t->weight[3] = express_cubic(x, gali_x_add(x, other, real(x, 1)), 1);
    }
}

static taps express_taps(gali_express *x, scalar *g, gali_extent in) {
    const gali_node *node = x->node;
    int corners = gali_node_int(node, "align_corners") != 0,
        border = gali_node_is(node, "padding_mode", "border");
    int reflection = gali_node_is(node, "padding_mode", "reflection");
    scalar *size = size_of(x, in), *one = real(x, 1), *half = real(x, 0.5), *last = gali_x_sub(x, size, one);
    scalar *low = real(x, corners ? 0 : -0.5), *high = corners ? last : gali_x_sub(x, size, half);
    scalar *up = gali_x_add(x, g, one);
    scalar *at = corners ? gali_x_mul(x, gali_x_mul(x, up, half), last)
                         : gali_x_mul(x, gali_x_sub(x, gali_x_mul(x, up, size), one), half);
    taps t = {.count = taps_of(node)};
    if (t.count < 4) {
        at = border ? clipped(x, at, real(x, 0), last) : reflection ? express_reflected(x, at, low, high) : at;
    }
    scalar *first = gali_x_of(x, t.count == 1 ? GALI_SCALAR_round : GALI_SCALAR_floor, at);
    first = t.count == 4 ? gali_x_sub(x, first, one) : first;
    express_weights(x, &t, at, first);
    for (int i = 0; i < t.count; i++) {
        scalar *place = gali_x_add(x, first, real(x, i));
        place = reflection ? gali_x_of(x, GALI_SCALAR_cut, express_reflected(x, place, low, high)) : place;
        t.index[i] = gali_x_cast(x, GALI_i64, clipped(x, place, real(x, 0), last));
        t.inside[i] = border || reflection
                          ? NULL
                          : gali_x_and(x, gali_x_apply(x, GALI_SCALAR_less_equal, real(x, 0), place, NULL),
                                       gali_x_less(x, place, size));
    }
    return t;
}

static scalar *sum_of_taps(gali_express *x, const taps *axes, int axis, int space, scalar **index) {
    gali_element element = x->result[0].element;
    scalar *sum = NULL;
    if (axis == space || axis == SPACE_MAX) {
        return gali_x_load(x, 0, index);
    }
    for (int i = 0; i < axes[axis].count; i++) {
        index[2 + axis] = axes[axis].index[i];
        scalar *term = sum_of_taps(x, axes, axis + 1, space, index);
        if (axes[axis].weight[i]) {
            term = gali_x_mul(x, gali_x_cast(x, element, axes[axis].weight[i]), term);
        }
        if (axes[axis].inside[i]) {
            term = gali_x_select(x, axes[axis].inside[i], term, gali_x_number(x, element, 0));
        }
        sum = sum ? gali_x_add(x, sum, term) : term;
    }
    return sum;
}

void gali_express_grid_sample(gali_express *x) {
    const gali_type *type = x->operand[0];
    int space = type->rank - 2;
    scalar *index[GALI_RANK_MAX], *of_grid[GALI_RANK_MAX];
    taps axes[SPACE_MAX];
    gali_stage_of *y = gali_x_result(x, 0);
    if (!y || x->operand[1]->rank != type->rank || space > SPACE_MAX) {
        x->none = 1;
        return;
    }
    gali_x_axes(x, 2, index);
    of_grid[0] = index[0];
    for (int i = 0; i < space; i++) {
        of_grid[1 + i] = gali_x_axis(x, (uint32_t)(2 + i));
    }
    for (int i = 0; i < space; i++) {
        of_grid[1 + space] = gali_x_int(x, space - 1 - i);
        axes[i] = express_taps(x, gali_x_cast(x, GALI_f32, gali_x_load(x, 1, of_grid)), type->shape[2 + i]);
    }
    y->value = sum_of_taps(x, axes, 0, space, index);
}

/* ---- AffineGrid: theta [batch][axes][axes + 1] times coordinates from -1 to 1; sizes are a list ---- */

gal_status gali_rule_affine_grid(gali_rule *rule) {
    const gali_type *theta = rule->operand[0];
    const gali_extent *list;
    uint32_t count;
    int given;
    gal_status status = gali_rule_sizes(rule, 1, NULL, &list, &count, &given);
    rule->result[0].element = theta->element;
    if (status != GAL_OK || !gali_rule_ranks_known(rule) || !list) {
        return status;
    }
    if (!is_real(theta->element) || theta->rank != 3 || (count != 4 && count != 5)) {
        return gali_rule_fail(rule, "reals [batch, axes, axes + 1] and 4 or 5 sizes expected");
    }
    gali_type *y = &rule->result[0];
    gali_extent unused, space = count - 2;
    y->rank = (int)count;
    y->shape[0] = theta->shape[0];
    memcpy(y->shape + 1, list + 2, (count - 2) * sizeof *list);
    y->shape[count - 1] = space;
    status = gali_rule_same(rule, theta->shape[0], list[0], &unused);
    status = status == GAL_OK ? gali_rule_same(rule, theta->shape[1], space, &unused) : status;
    return status == GAL_OK ? gali_rule_same(rule, theta->shape[2], space + 1, &unused) : status;
}

gal_status gali_truth_affine_grid(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                  gali_tensor *results) {
    const double *theta = operands[0]->real;
    gali_tensor *y = &results[0];
    int64_t index[GALI_RANK_MAX] = {0}, space = (int64_t)y->rank - 2;
    int corners = gali_node_int(node, "align_corners") != 0;
    gal_status status = gali_run_work(run, (double)y->count * 4);
    for (size_t e = 0; status == GAL_OK && e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
        const double *row = theta + (index[0] * space + index[y->rank - 1]) * (space + 1);
        y->real[e] = row[space];
        for (int64_t i = 0; i < space; i++) { /* x, the last axis, stands first */
            double size = (double)y->shape[space - i], at = (double)index[space - i];
            double place = !corners ? (2 * at + 1) / size - 1 : size > 1 ? 2 * at / (size - 1) - 1 : -1;
            y->real[e] += row[i] * place;
        }
    }
    return status;
}

void gali_express_affine_grid(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    if (!y) {
        return;
    }
    gali_element element = y->element;
    uint32_t space = y->rank - 2;
    int corners = gali_node_int(x->node, "align_corners") != 0;
    scalar *index[3] = {gali_x_axis(x, 0), gali_x_axis(x, y->rank - 1), gali_x_int(x, space)};
    scalar *one = gali_x_number(x, element, 1), *two = gali_x_number(x, element, 2);
    y->value = gali_x_load(x, 0, index);
    for (uint32_t i = 0; i < space; i++) {
        scalar *size = gali_x_cast(x, element, gali_x_extent(x, y->extent[space - i]));
        scalar *twice = gali_x_mul(x, two, gali_x_cast(x, element, gali_x_axis(x, space - i)));
        scalar *place = corners ? gali_x_div(x, twice, gali_x_most(x, gali_x_sub(x, size, one), one))
                                : gali_x_div(x, gali_x_add(x, twice, one), size);
        index[2] = gali_x_int(x, i);
        y->value = gali_x_add(x, y->value, gali_x_mul(x, gali_x_load(x, 0, index), gali_x_sub(x, place, one)));
    }
}

/* ---- RoiAlign: x [batch][channels][rows][columns], a region's corners x, y, x, y, and which picture it is of ---- */

gal_status gali_rule_roi_align(gali_rule *rule) {
    const gali_type *x = rule->operand[0], *rois = rule->operand[1];
    rule->result[0].element = x->element;
    if (!is_real(x->element) || rois->element != x->element || is_real(rule->operand[2]->element)) {
        return gali_rule_fail(rule, "not for %s and %s", gali_element_list[x->element].word,
                              gali_element_list[rois->element].word);
    }
    if (!gali_rule_ranks_known(rule)) {
        return GAL_OK;
    }
    int64_t rows = gali_node_int(rule->node, "output_height"),
            columns = gali_node_int(rule->node, "output_width");
    if (x->rank != 4 || rois->rank != 2 || rule->operand[2]->rank != 1 || rows < 1 || columns < 1) {
        return gali_rule_fail(rule,
                              "pictures of rank 4, regions of rank 2, a list and positive sizes expected");
    }
    gali_extent unused;
    rule->result[0].rank = 4;
    rule->result[0].shape[0] = rois->shape[0];
    rule->result[0].shape[1] = x->shape[1];
    rule->result[0].shape[2] = rows;
    rule->result[0].shape[3] = columns;
    gal_status status = gali_rule_same(rule, rois->shape[1], 4, &unused);
    for (int i = 0; status == GAL_OK && i < 4; i++) {
        status = i == 1 ? GAL_OK : gali_rule_some(rule, x->shape[i]);
    }
    return status == GAL_OK ? gali_rule_line(rule, 2, rois->shape[0]) : status;
}

typedef struct region {
    double start[2], bin[2];
    int64_t samples[2];
} region;

/* Rows first. */
static region region_of(const gali_node *node, const double *roi, const int64_t *out) {
    region r;
    int half = gali_node_is(node, "coordinate_transformation_mode", "half_pixel");
    double scale = gali_node_number(node, "spatial_scale");
    int64_t samples = gali_node_int(node, "sampling_ratio");
    for (int i = 0; i < 2; i++) {
        double size = (roi[3 - i] - roi[1 - i]) * scale;
        r.start[i] = roi[1 - i] * scale - (half ? 0.5 : 0);
        size = half ? size : fmax(size, 1);
        r.bin[i] = size / (double)out[i];
        r.samples[i] = samples > 0 ? samples : (int64_t)fmax(0, fmin(ceil(r.bin[i]), 1e6));
    }
    return r;
}

/* The four neighbours of a place, each times its weight; all 0 outside. */
static void corners_at(const double *plane, const int64_t *in, double row, double column, double v[4]) {
    double at[2] = {row, column}, rest[2];
    int64_t low[2], high[2];
    memset(v, 0, 4 * sizeof *v);
    for (int i = 0; i < 2; i++) {
        if (at[i] < -1 || at[i] > (double)in[i] || in[i] == 0) {
            return;
        }
        at[i] = fmax(at[i], 0);
        low[i] = (int64_t)at[i] >= in[i] - 1 ? in[i] - 1 : (int64_t)at[i];
        high[i] = low[i] + 1 < in[i] ? low[i] + 1 : low[i];
        rest[i] = high[i] == low[i] ? 0 : at[i] - (double)low[i];
    }
    v[0] = (1 - rest[0]) * (1 - rest[1]) * plane[low[0] * in[1] + low[1]];
    v[1] = (1 - rest[0]) * rest[1] * plane[low[0] * in[1] + high[1]];
    v[2] = rest[0] * (1 - rest[1]) * plane[high[0] * in[1] + low[1]];
    v[3] = rest[0] * rest[1] * plane[high[0] * in[1] + high[1]];
}

static double align_one(const gali_node *node, const region *r, const double *plane, const int64_t *in,
                        const int64_t *out) {
    int largest = gali_node_is(node, "mode", "max");
    double y = 0, count = (double)(r->samples[0] * r->samples[1]);
    for (int64_t s = 0; s < r->samples[0] * r->samples[1]; s++) {
        double v[4], step[2] = {(double)(s / r->samples[1]), (double)(s % r->samples[1])}, at[2];
        for (int i = 0; i < 2; i++) {
            at[i] = r->start[i] + ((double)out[i] + (step[i] + 0.5) / (double)r->samples[i]) * r->bin[i];
        }
        corners_at(plane, in, at[0], at[1], v);
        double most = fmax(fmax(v[0], v[1]), fmax(v[2], v[3]));
        y = !largest ? y + v[0] + v[1] + v[2] + v[3] : s == 0 ? most : fmax(y, most);
    }
    return largest ? y : y / fmax(count, 1);
}

gal_status gali_truth_roi_align(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                gali_tensor *results) {
    const gali_tensor *x = operands[0], *rois = operands[1], *batch = operands[2];
    gali_tensor *y = &results[0];
    int64_t index[GALI_RANK_MAX] = {0};
    gal_status status = rois->shape[1] == 4 && batch->count == (size_t)rois->shape[0]
                            ? GAL_OK
                            : gali_run_fail(run, node, "regions of four numbers and a picture each expected");
    for (size_t e = 0; status == GAL_OK && e < y->count; e++, gali_index_next(index, y->shape, 4)) {
        int64_t of = batch->whole[index[0]];
        if (of < 0 || of >= x->shape[0]) {
            return gali_run_fail(run, node, "picture %lld of %lld", (long long)of, (long long)x->shape[0]);
        }
        region r = region_of(node, rois->real + 4 * index[0], y->shape + 2);
        status = gali_run_work(run, (double)(r.samples[0] * r.samples[1]));
        const double *plane = x->real + (of * x->shape[1] + index[1]) * x->shape[2] * x->shape[3];
        y->real[e] = align_one(node, &r, plane, x->shape + 2, index + 2);
    }
    return status;
}

/* One axis of a sample's place: its neighbours, the weight of the second, and whether it is in the picture. */
typedef struct place {
    scalar *low, *high, *rest, *inside;
} place;

static place express_place(gali_express *x, int i, int64_t samples, scalar *sample) {
    gali_element element = x->result[0].element;
    int half = gali_node_is(x->node, "coordinate_transformation_mode", "half_pixel");
    gali_extent in = x->operand[0]->shape[2 + i];
    scalar *scale = gali_x_number(x, element, gali_node_number(x->node, "spatial_scale"));
    scalar *first[2] = {gali_x_axis(x, 0), gali_x_int(x, 1 - i)}, *second[2] = {first[0], gali_x_int(x, 3 - i)};
    scalar *start = gali_x_mul(x, gali_x_load(x, 1, first), scale);
    scalar *size = gali_x_sub(x, gali_x_mul(x, gali_x_load(x, 1, second), scale), start);
    scalar *zero = gali_x_number(x, element, 0), *one = gali_x_number(x, element, 1);
    start = half ? gali_x_sub(x, start, gali_x_number(x, element, 0.5)) : start;
    size = half ? size : gali_x_most(x, size, one);
    scalar *bin = gali_x_div(x, size, gali_x_number(x, element, (double)x->result[0].shape[2 + i]));
    scalar *step = gali_x_add(x, gali_x_cast(x, element, sample), gali_x_number(x, element, 0.5));
    step = gali_x_div(x, step, gali_x_number(x, element, (double)samples));
    step = gali_x_add(x, gali_x_cast(x, element, gali_x_axis(x, (uint32_t)(2 + i))), step);
    scalar *at = gali_x_add(x, start, gali_x_mul(x, step, bin));
    scalar *end = gali_x_cast(x, element, gali_x_extent(x, in)), *last = gali_x_sub(x, end, one);
    place p;
    p.inside = gali_x_and(x, gali_x_apply(x, GALI_SCALAR_less_equal, gali_x_number(x, element, -1), at, NULL),
                          gali_x_apply(x, GALI_SCALAR_less_equal, at, end, NULL));
    at = gali_x_most(x, zero, gali_x_least(x, at, last));
    p.low = gali_x_cast(x, GALI_i64, at);
    p.high = gali_x_least(x, gali_x_add(x, p.low, gali_x_int(x, 1)),
                          gali_x_sub(x, gali_x_extent(x, in), gali_x_int(x, 1)));
    p.rest = gali_x_sub(x, at, gali_x_of(x, GALI_SCALAR_floor, at));
    return p;
}

/* The number of a picture, within the batch. */
static scalar *express_picture(gali_express *x) {
    scalar *axis = gali_x_axis(x, 0),
           *last = gali_x_sub(x, gali_x_extent(x, x->operand[0]->shape[0]), gali_x_int(x, 1));
    scalar *of = gali_x_cast(x, GALI_i64, gali_x_load(x, 2, &axis));
    return gali_x_most(x, gali_x_int(x, 0), gali_x_least(x, of, last));
}

void gali_express_roi_align(gali_express *x) {
    int64_t samples = gali_node_int(x->node, "sampling_ratio");
    const gali_type *type = &x->result[0];
    int largest = gali_node_is(x->node, "mode", "max");
    if (samples < 1) { /* as many as a region has pixels: only running tells */
        x->none = 1;
        return;
    }
    gali_stage_of *sum = gali_x_temporary(x, "sum", type->element, 4, type->shape);
    if (!sum) {
        return;
    }
    scalar *row = gali_x_axis(x, gali_x_reduce(sum, samples)),
           *column = gali_x_axis(x, gali_x_reduce(sum, samples));
    place at[2] = {express_place(x, 0, samples, row), express_place(x, 1, samples, column)};
    scalar *index[4] = {express_picture(x), gali_x_axis(x, 1)}, *one = gali_x_number(x, type->element, 1),
           *all = NULL;
    for (int i = 0; i < 4; i++) {
        index[2] = i & 2 ? at[0].high : at[0].low;
        index[3] = i & 1 ? at[1].high : at[1].low;
        scalar *by_row = i & 2 ? at[0].rest : gali_x_sub(x, one, at[0].rest);
        scalar *by_column = i & 1 ? at[1].rest : gali_x_sub(x, one, at[1].rest);
        scalar *term = gali_x_mul(x, gali_x_mul(x, by_row, by_column), gali_x_load(x, 0, index));
        all = !all ? term : largest ? gali_x_most(x, all, term) : gali_x_add(x, all, term);
    }
    all = gali_x_select(x, gali_x_and(x, at[0].inside, at[1].inside), all, gali_x_number(x, type->element, 0));
    gali_x_fold(x, sum, largest ? GALI_SCALAR_most : GALI_SCALAR_add,
                largest ? gali_x_smallest(x, type->element) : gali_x_number(x, type->element, 0), all);
    gali_stage_of *y = gali_x_result(x, 0);
    if (y) {
        scalar *own[4];
        gali_x_axes(x, 4, own);
        y->value = gali_x_read(x, sum, own);
        y->value = largest
                       ? y->value
                       : gali_x_div(x, y->value, gali_x_number(x, type->element, (double)(samples * samples)));
    }
}
