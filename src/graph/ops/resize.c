/*
 * Resize, axis after axis: each element of the result stands at a coordinate of the input, and is the nearest element
 * there, or a sum of its neighbours (taps) by weights that its place between them gives.
 *
 * The scale of an axis is given, or is that of the sizes; the result's size is then the input's times the scale, rounded
 * down.
 */
#include <math.h>
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"
#include "graph/scalar.h"

typedef struct axis_plan {
    int plain; /* of scale 1: the input's own */
    gali_extent in, out;
    double scale;                /* 0: out / in, which are not all known, or what running tells */
    double start, end;           /* of the region, for tf_crop_and_resize */
    int place;                   /* in the lists */
    int scale_runs, region_runs; /* running tells the scale, or the region */
} axis_plan;

typedef struct plan {
    int rank;
    axis_plan axis[GALI_RANK_MAX];
} plan;

enum { X, REGION, SCALES, SIZES };

/* What a rule, a truth and an expression know of the operands. */
typedef struct given {
    const gali_node *node;
    gali_extents *extents;
    const gali_type *x;
    const double *roi, *scales;
    const int64_t *sizes;
    int has_scales, has_sizes; /* lists that are not empty, perhaps not known */
    int64_t count;             /* of the list that is given */
} given;

/* ---- the plan ---- */

/* The axes that the lists are for: bit i says so, place[i] is where in the lists. */
static int listed(const given *g, int place[GALI_RANK_MAX]) {
    const gali_attribute *axes = gali_node_attribute(g->node, "axes");
    int count = axes ? (int)axes->count : g->x->rank;
    for (int i = 0; i < GALI_RANK_MAX; i++) {
        place[i] = axes ? -1 : i;
    }
    for (int i = 0; axes && i < count; i++) {
        int64_t axis = axes->ints[i] < 0 ? axes->ints[i] + g->x->rank : axes->ints[i];
        if (axis < 0 || axis >= g->x->rank) {
            return -1;
        }
        place[axis] = i;
    }
    return count;
}

/* in times scale, rounded down, as float arithmetic has it; of a symbol where the scale is a fraction of small numbers. */
static gali_extent scaled(gali_extents *extents, gali_extent in, double scale) {
    if (gali_extent_is_number(in)) {
        return (gali_extent)floor((double)(float)((double)in * scale));
    }
    for (int64_t below = 1; below <= 16; below++) {
        double above = scale * (double)below;
        if (fabs(above - nearbyint(above)) < 1e-6 * above) {
            gali_extent whole = gali_extent_mul(extents, in, (int64_t)nearbyint(above));
            return gali_extent_quotient(extents, whole, below);
        }
    }
    return GALI_EXTENT_UNKNOWN;
}

/* One scale for all axes, so that the sizes are the most, or the least. 0: not known. */
static double common_scale(const given *g, const int *place, int larger) {
    double scale = 0;
    for (int i = 0; i < g->x->rank; i++) {
        if (place[i] < 0) {
            continue;
        }
        if (!gali_extent_is_number(g->x->shape[i]) || g->x->shape[i] == 0 ||
            !gali_extent_is_number(g->sizes[place[i]])) {
            return 0;
        }
        double own = (double)g->sizes[place[i]] / (double)g->x->shape[i];
        scale = scale <= 0 || (larger ? own > scale : own < scale) ? own : scale;
    }
    return scale;
}

static void plan_by_sizes(const given *g, const int *place, plan *p) {
    int smaller = gali_node_is(g->node, "keep_aspect_ratio_policy", "not_larger");
    int larger = gali_node_is(g->node, "keep_aspect_ratio_policy", "not_smaller");
    double common = smaller || larger ? common_scale(g, place, larger) : 0;
    for (int i = 0; i < p->rank; i++) {
        axis_plan *a = &p->axis[i];
        if (place[i] < 0) {
            continue;
        }
        a->out = g->sizes[place[i]];
        int numbers = gali_extent_is_number(a->in) && gali_extent_is_number(a->out) && a->in > 0;
        a->scale = numbers ? (double)a->out / (double)a->in : 0;
        if (smaller || larger) {
            a->scale = common;
            a->out = common > 0 ? (gali_extent)floor(common * (double)a->in + 0.5) : GALI_EXTENT_UNKNOWN;
        }
        a->plain = a->in == a->out;
    }
}

static void plan_by_scales(const given *g, const int *place, plan *p) {
    for (int i = 0; i < p->rank; i++) {
        axis_plan *a = &p->axis[i];
        if (place[i] >= 0) {
            a->scale = g->scales[place[i]];
            a->out = scaled(g->extents, a->in, a->scale);
            a->plain = a->scale >= 1 && a->scale <= 1;
        }
    }
}

/*
 * What is wrong, or NULL. *known: whether scales or sizes are; else the plan has UNKNOWN sizes. A region that is not known
 * is what running tells.
 */
static const char *plan_make(const given *g, plan *p, int *known) {
    int place[GALI_RANK_MAX], count = listed(g, place);
    int crop = gali_node_is(g->node, "coordinate_transformation_mode", "tf_crop_and_resize");
    p->rank = g->x->rank;
    *known = (!g->has_scales || g->scales) && (!g->has_sizes || g->sizes);
    if (g->has_scales == g->has_sizes) {
        return "either scales or sizes are expected";
    }
    if (count < 0 || (*known && g->count != count)) {
        return "as many scales or sizes as axes expected";
    }
    for (int i = 0; i < p->rank; i++) {
        p->axis[i] = (axis_plan){
            .plain = 1, .in = g->x->shape[i], .out = g->x->shape[i], .scale = 1, .end = 1, .place = place[i]};
        if (crop && g->roi && place[i] >= 0) {
            p->axis[i].start = g->roi[place[i]];
            p->axis[i].end = g->roi[count + place[i]];
        }
        p->axis[i].region_runs = crop && !g->roi && place[i] >= 0;
        if (!*known && place[i] >= 0) {
            p->axis[i].out = GALI_EXTENT_UNKNOWN;
        }
    }
    for (int i = 0; *known && g->has_scales && i < count; i++) {
        if (!(g->scales[i] > 0) || g->scales[i] > 1e9) {
            return "a scale that is not positive";
        }
    }
    if (*known && g->has_sizes) {
        plan_by_sizes(g, place, p);
    } else if (*known) {
        plan_by_scales(g, place, p);
    }
    for (int i = 0; crop && i < p->rank; i++) {
        p->axis[i].plain &= place[i] < 0;
    }
    return NULL;
}

/* ---- rule ---- */

static int64_t list_count(const gali_type *type) {
    return !type ? 0 : type->rank == 1 ? type->shape[0] : -1;
}

/* From operands' types and what is known of them: x, roi, scales, sizes. */
static given given_of(const gali_node *node, gali_extents *extents, const gali_type *const *operand,
                      const int64_t *const *known, const double *const *real) {
    given g = {.node = node, .extents = extents, .x = operand[0]};
    int64_t counts[4] = {0};
    for (uint32_t i = 1; i < node->operand_count && i < 4; i++) {
        counts[i] = list_count(operand[i]);
    }
    g.has_scales = counts[2] != 0;
    g.has_sizes = counts[3] != 0;
    g.count = g.has_scales ? counts[2] : counts[3];
    g.roi = counts[REGION] == 2 * g.count && real ? real[REGION] : NULL;
    g.scales = g.has_scales && real ? real[2] : NULL;
    g.sizes = g.has_sizes ? known[3] : NULL;
    return g;
}

gal_status gali_rule_resize(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    plan p;
    int known;
    rule->result[0].element = x->element;
    if (!gali_node_is(rule->node, "mode", "nearest") && gali_element_list[x->element].kind != GALI_REAL) {
        return gali_rule_fail(rule, "not for %s but to the nearest", gali_element_list[x->element].word);
    }
    if (!gali_rule_ranks_known(rule)) {
        return GAL_OK;
    }
    given g = given_of(rule->node, rule->graph->extents, rule->operand, rule->known, rule->real);
    if (g.has_sizes) {
        uint32_t count;
        int given_at_all;
        gal_status status = gali_rule_sizes(rule, SIZES, NULL, &g.sizes, &count, &given_at_all);
        if (status != GAL_OK) {
            return status;
        }
    }
    const char *wrong = plan_make(&g, &p, &known);
    if (wrong) {
        return gali_rule_fail(rule, "%s", wrong);
    }
    rule->result[0].rank = x->rank;
    for (int i = 0; i < x->rank; i++) {
        rule->result[0].shape[i] = p.axis[i].out;
    }
    return GAL_OK;
}

/* ---- truth ---- */

/* The length of the result along the axis, as the scale says it: not rounded. */
static double length_of(const axis_plan *a, int by_scales) {
    return by_scales ? a->scale * (double)a->in : (double)a->out;
}

static double coordinate(const gali_node *node, const axis_plan *a, int64_t o, int by_scales) {
    double in = (double)a->in, length = length_of(a, by_scales), at = (double)o;
    if (a->plain) {
        return at;
    }
    if (gali_node_is(node, "coordinate_transformation_mode", "align_corners")) {
        return length <= 1 ? 0 : at * (in - 1) / (length - 1);
    }
    if (gali_node_is(node, "coordinate_transformation_mode", "asymmetric")) {
        return at / a->scale;
    }
    if (gali_node_is(node, "coordinate_transformation_mode", "tf_crop_and_resize")) {
        return length <= 1 ? (a->start + a->end) * (in - 1) / 2
                           : a->start * (in - 1) + at * (a->end - a->start) * (in - 1) / (length - 1);
    }
    if (gali_node_is(node, "coordinate_transformation_mode", "pytorch_half_pixel") && length <= 1) {
        return 0;
    }
    double half = (at + 0.5) / a->scale - 0.5;
    if (gali_node_is(node, "coordinate_transformation_mode", "half_pixel_symmetric")) {
        return in / 2 * (1 - (double)a->out / (a->scale * in)) + half;
    }
    return half;
}

static double nearest(const gali_node *node, double at) {
    return gali_node_is(node, "nearest_mode", "floor")               ? floor(at)
           : gali_node_is(node, "nearest_mode", "ceil")              ? ceil(at)
           : gali_node_is(node, "nearest_mode", "round_prefer_ceil") ? floor(at + 0.5)
                                                                     : ceil(at - 0.5);
}

static double kernel(const gali_node *node, double apart) {
    double x = fabs(apart), a = gali_node_number(node, "cubic_coeff_a");
    if (gali_node_is(node, "mode", "linear")) {
        return x < 1 ? 1 - x : 0;
    }
    return x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

typedef struct taps {
    int64_t first, count;
    double sum;  /* of the weights, if they are brought to 1 */
    double step; /* by which the kernel is stretched (antialias) */
    double at;
} taps;

/* Neighbours of a coordinate, perhaps outside. */
static taps taps_at(const gali_node *node, const axis_plan *a, double at) {
    taps t = {.at = at, .step = 1, .sum = 1};
    if (gali_node_is(node, "mode", "nearest")) {
        return (taps){(int64_t)nearest(node, at), 1, 1, 1, nearest(node, at)};
    }
    int64_t reach = gali_node_is(node, "mode", "linear") ? 1 : 2;
    int stretched = gali_node_int(node, "antialias") && a->scale < 1;
    if (stretched) {
        t.step = a->scale;
        reach = (int64_t)ceil((double)reach / a->scale);
    }
    t.first = (int64_t)floor(at) - reach + 1;
    t.count = 2 * reach;
    int inside_alone = gali_node_int(node, "exclude_outside") != 0;
    if (stretched || inside_alone) {
        t.sum = 0;
        for (int64_t i = 0; i < t.count; i++) {
            int outside = t.first + i < 0 || t.first + i >= a->in;
            t.sum += inside_alone && outside ? 0 : kernel(node, ((double)(t.first + i) - at) * t.step);
        }
    }
    return t;
}

static double weight(const gali_node *node, const axis_plan *a, const taps *t, int64_t i) {
    int outside = t->first + i < 0 || t->first + i >= a->in;
    if (t->count == 1) {
        return 1;
    }
    return gali_node_int(node, "exclude_outside") && outside
               ? 0
               : kernel(node, ((double)(t->first + i) - t->at) * t->step) / t->sum;
}

/* Resizes one axis of x into y, whose other extents are x's. */
static void resize_axis(const gali_node *node, const axis_plan *a, int axis, int by_scales,
                        const gali_tensor *x, gali_tensor *y) {
    int64_t inner = 1, outer = 1;
    int crop = gali_node_is(node, "coordinate_transformation_mode", "tf_crop_and_resize");
    for (uint32_t i = 0; i < x->rank; i++) {
        inner *= (int)i > axis ? x->shape[i] : 1;
        outer *= (int)i < axis ? x->shape[i] : 1;
    }
    for (int64_t o = 0; o < a->out; o++) {
        double at = coordinate(node, a, o, by_scales);
        taps t = taps_at(node, a, at);
        int outside = crop && (at < 0 || at > (double)(a->in - 1));
        for (int64_t e = 0; e < outer * inner; e++) {
            size_t to = (size_t)((e / inner * a->out + o) * inner + e % inner);
            gali_number sum = {gali_node_number(node, "extrapolation_value"),
                               (int64_t)gali_node_number(node, "extrapolation_value")};
            for (int64_t i = 0; !outside && i < t.count; i++) {
                int64_t from = t.first + i < 0 ? 0 : t.first + i >= a->in ? a->in - 1 : t.first + i;
                gali_number v = gali_tensor_at(x, (size_t)((e / inner * a->in + from) * inner + e % inner));
                sum.real = (i ? sum.real : 0) + weight(node, a, &t, i) * v.real;
                sum.whole = v.whole;
            }
            gali_tensor_put(y, to, sum);
        }
    }
}

gal_status gali_truth_resize(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                             gali_tensor *results) {
    gali_type types[4];
    const gali_type *operand[4] = {NULL};
    const int64_t *known[4] = {NULL};
    const double *real[4] = {NULL};
    plan p;
    int all;
    for (uint32_t i = 0; i < node->operand_count && i < 4; i++) {
        if (operands[i]) {
            types[i] = (gali_type){.element = operands[i]->element, .rank = (int)operands[i]->rank};
            memcpy(types[i].shape, operands[i]->shape, sizeof types[i].shape);
            operand[i] = &types[i];
            known[i] = operands[i]->whole;
            real[i] = operands[i]->real;
        }
    }
    given g = given_of(node, run->graph->extents, operand, known, real);
    const char *wrong = plan_make(&g, &p, &all);
    int crop = gali_node_is(node, "coordinate_transformation_mode", "tf_crop_and_resize");
    if (wrong || !all || (crop && !g.roi)) {
        return gali_run_fail(run, node, "%s", wrong ? wrong : "scales, sizes or a region are not given");
    }
    gali_tensor now = *operands[0], next;
    gal_status status = GAL_OK;
    for (int i = 0; status == GAL_OK && i < p.rank; i++) {
        if (p.axis[i].plain) {
            continue;
        }
        int64_t shape[GALI_RANK_MAX];
        memcpy(shape, now.shape, sizeof shape);
        shape[i] = p.axis[i].out;
        status = gali_tensor_make(run, &next, now.element, now.rank, shape);
        status = status == GAL_OK ? gali_run_work(run, 4 * (double)next.count) : status;
        if (status == GAL_OK && p.axis[i].in > 0) {
            resize_axis(node, &p.axis[i], i, g.has_scales, &now, &next);
        }
        if (now.real != operands[0]->real || now.whole != operands[0]->whole) {
            gali_tensor_release(run, &now);
        }
        now = next;
    }
    for (size_t e = 0; status == GAL_OK && e < results[0].count; e++) {
        gali_tensor_put(&results[0], e, gali_tensor_at(&now, e));
    }
    if (now.real != operands[0]->real || now.whole != operands[0]->whole) {
        gali_tensor_release(run, &now);
    }
    return status;
}

/* ---- expression ---- */

typedef const gali_scalar scalar;

/* Coordinates are computed in f32, whatever the tensor is of. */
static scalar *real(gali_express *x, double value) {
    return gali_x_number(x, GALI_f32, value);
}

static scalar *extent(gali_express *x, gali_extent a) {
    return gali_extent_is_number(a) ? real(x, (double)a) : gali_x_cast(x, GALI_f32, gali_x_extent(x, a));
}

/* Element `place` of a list of reals. */
static scalar *listed_real(gali_express *x, uint32_t operand, int64_t place) {
    scalar *index = gali_x_int(x, place);
    return gali_x_cast(x, GALI_f32, gali_x_load(x, operand, &index));
}

static scalar *scale_of(gali_express *x, const axis_plan *a) {
    return a->scale_runs  ? listed_real(x, SCALES, a->place)
           : a->scale > 0 ? real(x, a->scale)
                          : gali_x_div(x, extent(x, a->out), extent(x, a->in));
}

/* Where the region starts and ends, as shares of the axis; list: how many axes the list is for. */
static scalar *region_end(gali_express *x, const axis_plan *a, int end) {
    int64_t list = x->operand[REGION]->shape[0] / 2;
    return a->region_runs ? listed_real(x, REGION, a->place + (end ? list : 0))
                          : real(x, end ? a->end : a->start);
}

/* start + at (end - start) for shares of an axis of that length, `alone` where it has one element. */
static scalar *between_ends(gali_express *x, const axis_plan *a, int by_scales, scalar *at, scalar *start,
                            scalar *span, scalar *alone) {
    scalar *length = by_scales && a->scale > 0 && gali_extent_is_number(a->in)
                         ? real(x, a->scale * (double)a->in)
                     : by_scales ? gali_x_mul(x, scale_of(x, a), extent(x, a->in))
                                 : extent(x, a->out);
    scalar *last = gali_x_sub(x, extent(x, a->in), real(x, 1)), *one = real(x, 1);
    scalar *step = gali_x_div(x, gali_x_mul(x, span, last), gali_x_sub(x, length, one));
    scalar *y = gali_x_add(x, gali_x_mul(x, start, last), gali_x_mul(x, at, step));
    return gali_x_select(x, gali_x_less(x, one, length), y, alone);
}

static scalar *express_coordinate(gali_express *x, const axis_plan *a, int by_scales, scalar *axis) {
    scalar *at = gali_x_cast(x, GALI_f32, axis);
    const char *mode = "coordinate_transformation_mode";
    if (gali_node_is(x->node, mode, "align_corners")) {
        return between_ends(x, a, by_scales, at, real(x, 0), real(x, 1), real(x, 0));
    }
    if (gali_node_is(x->node, mode, "tf_crop_and_resize")) {
        scalar *start = region_end(x, a, 0), *end = region_end(x, a, 1), *half = real(x, 0.5);
        scalar *last = gali_x_sub(x, extent(x, a->in), real(x, 1));
        scalar *middle = gali_x_mul(x, gali_x_mul(x, gali_x_add(x, start, end), half), last);
        return between_ends(x, a, by_scales, at, start, gali_x_sub(x, end, start), middle);
    }
    if (gali_node_is(x->node, mode, "asymmetric")) {
        return gali_x_div(x, at, scale_of(x, a));
    }
    scalar *half = gali_x_sub(x, gali_x_div(x, gali_x_add(x, at, real(x, 0.5)), scale_of(x, a)), real(x, 0.5));
    if (gali_node_is(x->node, mode, "pytorch_half_pixel")) {
        return gali_x_select(x, gali_x_less(x, real(x, 1), extent(x, a->out)), half, real(x, 0));
    }
    if (gali_node_is(x->node, mode, "half_pixel_symmetric")) {
        scalar *exact = gali_x_mul(x, scale_of(x, a), extent(x, a->in));
        scalar *rest = gali_x_sub(x, real(x, 1), gali_x_div(x, extent(x, a->out), exact));
        return gali_x_add(x, gali_x_mul(x, gali_x_mul(x, extent(x, a->in), real(x, 0.5)), rest), half);
    }
    return half;
}

/* An index cut to the axis. */
static scalar *inside(gali_express *x, const axis_plan *a, scalar *index) {
    scalar *last = gali_x_sub(x, gali_x_extent(x, a->in), gali_x_int(x, 1));
    return gali_x_most(x, gali_x_int(x, 0), gali_x_least(x, index, last));
}

/* The scale as a whole number; 0 where it is none, or not known to be. */
static int64_t whole_scale(gali_express *x, const axis_plan *a) {
    gali_extent by = gali_extent_quotient(x->extents, a->out, a->in);
    return gali_extent_is_number(by) && by > 0 && gali_extent_mul(x->extents, a->in, by) == a->out ? by : 0;
}

/* The nearest element: by whole scales every input stands for as many results, without a coordinate. */
static scalar *express_nearest(gali_express *x, const axis_plan *a, int by_scales, scalar *axis) {
    const char *mode = "coordinate_transformation_mode", *round = "nearest_mode";
    int64_t by = a->in == 0 ? 0 : whole_scale(x, a);
    int half =
        (gali_node_is(x->node, mode, "half_pixel") || gali_node_is(x->node, mode, "half_pixel_symmetric")) &&
        !gali_node_is(x->node, round, "floor") && !gali_node_is(x->node, round, "ceil");
    if (by && (half || (gali_node_is(x->node, mode, "asymmetric") && gali_node_is(x->node, round, "floor")))) {
        return gali_x_apply(x, GALI_SCALAR_quotient, axis, gali_x_int(x, by), NULL);
    }
    scalar *at = express_coordinate(x, a, by_scales, axis);
    at = gali_node_is(x->node, round, "floor")  ? gali_x_of(x, GALI_SCALAR_floor, at)
         : gali_node_is(x->node, round, "ceil") ? gali_x_of(x, GALI_SCALAR_ceil, at)
         : gali_node_is(x->node, round, "round_prefer_ceil")
             ? gali_x_of(x, GALI_SCALAR_floor, gali_x_add(x, at, real(x, 0.5)))
             : gali_x_of(x, GALI_SCALAR_ceil, gali_x_sub(x, at, real(x, 0.5)));
    return inside(x, a, gali_x_cast(x, GALI_i64, at));
}

/* The cubic's weight at a distance that is from 0 to 2. */
static scalar *cubic(gali_express *x, scalar *d, int far) {
    double a = gali_node_number(x->node, "cubic_coeff_a");
    if (far) {
        scalar *y = gali_x_add(x, gali_x_mul(x, gali_x_sub(x, gali_x_mul(x, real(x, a), d), real(x, 5 * a)), d),
                               real(x, 8 * a));
        return gali_x_sub(x, gali_x_mul(x, y, d), real(x, 4 * a));
    }
    scalar *y = gali_x_sub(x, gali_x_mul(x, real(x, a + 2), d), real(x, a + 3));
    return gali_x_add(x, gali_x_mul(x, gali_x_mul(x, y, d), d), real(x, 1));
}

typedef struct weights {
    int64_t count, first;      /* of the place before the coordinate */
    scalar *place, *weight[4]; /* i64 */
} weights;

static weights weights_at(gali_express *x, const axis_plan *a, scalar *at) {
    int linear = gali_node_is(x->node, "mode", "linear");
    weights w = {.count = linear ? 2 : 4, .first = linear ? 0 : -1};
    scalar *down = gali_x_of(x, GALI_SCALAR_floor, at), *rest = gali_x_sub(x, at, down), *sum = NULL;
    scalar *other = gali_x_sub(x, real(x, 1), rest);
    w.place = gali_x_cast(x, GALI_i64, down);
    if (linear) {
        w.weight[0] = other;
        w.weight[1] = rest;
    } else {
        w.weight[0] = cubic(x, gali_x_add(x, rest, real(x, 1)), 1);
        w.weight[1] = cubic(x, rest, 0);
        w.weight[2] = cubic(x, other, 0);
        w.weight[3] = cubic(x, gali_x_add(x, other, real(x, 1)), 1);
    }
    if (!gali_node_int(x->node, "exclude_outside")) {
        return w;
    }
    for (int64_t i = 0; i < w.count; i++) {
        scalar *index = gali_x_add(x, w.place, gali_x_int(x, w.first + i));
        scalar *is = gali_x_within(x, index, gali_x_int(x, 0), gali_x_extent(x, a->in));
        w.weight[i] = gali_x_select(x, is, w.weight[i], real(x, 0));
        sum = sum ? gali_x_add(x, sum, w.weight[i]) : w.weight[i];
    }
    for (int64_t i = 0; i < w.count; i++) {
        w.weight[i] = gali_x_div(x, w.weight[i], sum);
    }
    return w;
}

/* The operand, or what was made of it so far. */
static scalar *read_from(gali_express *x, const gali_stage_of *from, scalar *const *index) {
    return from ? gali_x_read(x, from, index) : gali_x_load(x, 0, index);
}

static scalar *express_taps(gali_express *x, const axis_plan *a, int axis, int by_scales,
                            const gali_stage_of *from, scalar **index) {
    gali_element element = x->result[0].element;
    scalar *at = express_coordinate(x, a, by_scales, index[axis]), *sum = NULL;
    weights w = weights_at(x, a, at);
    for (int64_t i = 0; i < w.count; i++) {
        index[axis] = inside(x, a, gali_x_add(x, w.place, gali_x_int(x, w.first + i)));
        scalar *term = gali_x_mul(x, gali_x_cast(x, element, w.weight[i]), read_from(x, from, index));
        sum = sum ? gali_x_add(x, sum, term) : term;
    }
    if (gali_node_is(x->node, "coordinate_transformation_mode", "tf_crop_and_resize")) {
        scalar *last = gali_x_sub(x, extent(x, a->in), real(x, 1));
        scalar *is = gali_x_and(x, gali_x_apply(x, GALI_SCALAR_less_equal, real(x, 0), at, NULL),
                                gali_x_apply(x, GALI_SCALAR_less_equal, at, last, NULL));
        sum = gali_x_select(x, is, sum,
                            gali_x_number(x, element, gali_node_number(x->node, "extrapolation_value")));
    }
    return sum;
}

/* The kernel at a distance: 0 past its end. */
static scalar *kernel_at(gali_express *x, scalar *d) {
    scalar *one = real(x, 1), *none = real(x, 0);
    if (gali_node_is(x->node, "mode", "linear")) {
        return gali_x_most(x, none, gali_x_sub(x, one, d));
    }
    scalar *far = gali_x_select(x, gali_x_less(x, d, real(x, 2)), cubic(x, d, 1), none);
    return gali_x_select(x, gali_x_apply(x, GALI_SCALAR_less_equal, d, one, NULL), cubic(x, d, 0), far);
}

/* The weight of the tap that a stage reduces over now, and its place; not yet brought to a sum of 1. */
static scalar *stretched_weight(gali_express *x, const axis_plan *a, scalar *at, int64_t count, scalar *tap,
                                scalar **place) {
    scalar *first = gali_x_cast(x, GALI_i64, gali_x_of(x, GALI_SCALAR_floor, at));
    *place = gali_x_add(x, gali_x_sub(x, first, gali_x_int(x, count / 2 - 1)), tap);
    scalar *apart = gali_x_sub(x, gali_x_cast(x, GALI_f32, *place), at);
    scalar *weight = kernel_at(x, gali_x_of(x, GALI_SCALAR_abs, gali_x_mul(x, apart, real(x, a->scale))));
    scalar *is = gali_x_within(x, *place, gali_x_int(x, 0), gali_x_extent(x, a->in));
    return gali_node_int(x->node, "exclude_outside") ? gali_x_select(x, is, weight, real(x, 0)) : weight;
}

static int64_t tap_count(const gali_express *x, const axis_plan *a) {
    return 2 * (int64_t)ceil((gali_node_is(x->node, "mode", "linear") ? 1 : 2) / a->scale);
}

/* The sum of an element's weights, for each place along the axis. */
static gali_stage_of *express_weights(gali_express *x, const axis_plan *a, int by_scales) {
    gali_stage_of *y = gali_x_temporary(x, "weights", GALI_f32, 1, &a->out);
    if (y) {
        int64_t count = tap_count(x, a);
        scalar *at = express_coordinate(x, a, by_scales, gali_x_axis(x, 0)), *place;
        gali_x_sum(x, y, stretched_weight(x, a, at, count, gali_x_axis(x, gali_x_reduce(y, count)), &place));
    }
    return y;
}

/* A smaller axis through a kernel that is as much wider (antialias). */
static void express_stretched(gali_express *x, gali_stage_of *y, const axis_plan *a, int axis, int by_scales,
                              const gali_stage_of *sums, const gali_stage_of *from) {
    int64_t count = tap_count(x, a);
    scalar *index[GALI_RANK_MAX], *place;
    gali_x_axes(x, y->rank, index);
    scalar *own = index[axis], *at = express_coordinate(x, a, by_scales, own);
    scalar *weight = stretched_weight(x, a, at, count, gali_x_axis(x, gali_x_reduce(y, count)), &place);
    weight = gali_x_cast(x, y->element, gali_x_div(x, weight, gali_x_read(x, sums, &own)));
    index[axis] = inside(x, a, place);
    y->start = gali_x_number(x, y->element, 0);
    y->value = gali_x_accumulate(x, y, weight, read_from(x, from, index));
}

static void express_all_nearest(gali_express *x, const plan *p, int by_scales) {
    gali_stage_of *y = gali_x_result(x, 0);
    scalar *index[GALI_RANK_MAX];
    gali_x_axes(x, (uint32_t)p->rank, index);
    for (int i = 0; i < p->rank; i++) {
        index[i] = p->axis[i].plain ? index[i] : express_nearest(x, &p->axis[i], by_scales, index[i]);
    }
    if (y) {
        y->value = gali_x_load(x, 0, index);
    }
}

/* A stage for each axis that changes; the last is the result. */
static void express_axes(gali_express *x, const plan *p, int by_scales) {
    gali_stage_of *from = NULL;
    gali_extent shape[GALI_RANK_MAX];
    scalar *index[GALI_RANK_MAX];
    int left = 0;
    for (int i = 0; i < p->rank; i++) {
        shape[i] = p->axis[i].in;
        left += !p->axis[i].plain;
    }
    for (int i = 0; i < p->rank; i++) {
        if (p->axis[i].plain) {
            continue;
        }
        shape[i] = p->axis[i].out;
        int stretched = gali_node_int(x->node, "antialias") && p->axis[i].scale > 0 && p->axis[i].scale < 1;
        gali_stage_of *sums = stretched ? express_weights(x, &p->axis[i], by_scales) : NULL;
        gali_stage_of *y = --left
                               ? gali_x_temporary(x, "resized", x->result[0].element, (uint32_t)p->rank, shape)
                               : gali_x_result(x, 0);
        gali_x_axes(x, (uint32_t)p->rank, index);
        if (!y || (stretched && !sums)) {
            return;
        }
        if (stretched) {
            express_stretched(x, y, &p->axis[i], i, by_scales, sums, from);
        } else {
            y->value = express_taps(x, &p->axis[i], i, by_scales, from, index);
        }
        from = y;
    }
}

#define SCALE_LEAST 1e-4 /* that a stretched kernel is made for */

/* Scales that running tells, and with them the result's sizes. */
static void plan_runs(gali_express *x, plan *p) {
    for (int i = 0; i < p->rank; i++) {
        axis_plan *a = &p->axis[i];
        if (a->place >= 0) {
            a->plain = 0;
            a->scale_runs = 1;
            a->scale = 0;
            a->out = x->result[0].shape[i];
            scalar *size = gali_x_of(x, GALI_SCALAR_floor, gali_x_mul(x, extent(x, a->in), scale_of(x, a)));
            gali_x_tell(x, (uint32_t)i, gali_x_cast(x, GALI_i64, size));
        }
    }
}

/* Whether the lists that running tells have an element for each place that is asked for. */
static int are_whole(const gali_express *x, const plan *p, int known, int crop) {
    int place[GALI_RANK_MAX], whole = 1;
    given g = given_of(x->node, x->extents, x->operand, x->known, x->real);
    int64_t count = listed(&g, place);
    int region = crop && !g.roi && p->rank > 0;
    whole &= known || !g.has_scales || list_count(x->operand[SCALES]) == count;
    return whole && (!region || (x->operand[REGION] && list_count(x->operand[REGION]) == 2 * count));
}

void gali_express_resize(gali_express *x) {
    plan p;
    int known, changed = 0, fixed = 1, open = 0;
    given g = given_of(x->node, x->extents, x->operand, x->known, x->real);
    const char *wrong = plan_make(&g, &p, &known);
    int crop = gali_node_is(x->node, "coordinate_transformation_mode", "tf_crop_and_resize");
    if (wrong || !are_whole(x, &p, known, crop)) {
        x->none = 1;
        return;
    }
    if (!known && g.has_scales) {
        plan_runs(x, &p);
    }
    for (int i = 0; i < p.rank; i++) {
        changed += !p.axis[i].plain;
        fixed &= p.axis[i].out != GALI_EXTENT_UNKNOWN;
        open |= !p.axis[i].plain && p.axis[i].scale < SCALE_LEAST;
    }
    int nearest_one = gali_node_is(x->node, "mode", "nearest");
    int stretched = gali_node_int(x->node, "antialias") && !nearest_one && open;
    if (!fixed || stretched || (crop && nearest_one)) {
        x->none = 1;
    } else if (nearest_one || !changed) {
        express_all_nearest(x, &p, g.has_scales);
    } else {
        express_axes(x, &p, g.has_scales);
    }
}
