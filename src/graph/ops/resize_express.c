/* Resize as an expression: what resize.c computes, of scales, regions and sizes that may be known only when it runs. */
#include <math.h>

#include "graph/ops/resize.h"

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

static scalar *scale_of(gali_express *x, const gali_resize_axis *a) {
    return a->scale_runs  ? listed_real(x, GALI_RESIZE_SCALES, a->place)
           : a->scale > 0 ? real(x, a->scale)
                          : gali_x_div(x, extent(x, a->out), extent(x, a->in));
}

/* Where the region starts and ends, as shares of the axis; list: how many axes the list is for. */
static scalar *region_end(gali_express *x, const gali_resize_axis *a, int end) {
    int64_t list = x->operand[GALI_RESIZE_REGION]->shape[0] / 2;
    return a->region_runs ? listed_real(x, GALI_RESIZE_REGION, a->place + (end ? list : 0))
                          : real(x, end ? a->end : a->start);
}

/* start + at (end - start) for shares of an axis of that length, `alone` where it has one element. */
static scalar *between_ends(gali_express *x, const gali_resize_axis *a, int by_scales, scalar *at,
                            scalar *start, scalar *span, scalar *alone) {
    scalar *length = by_scales && a->scale > 0 && gali_extent_is_number(a->in)
                         ? real(x, a->scale * (double)a->in)
                     : by_scales ? gali_x_mul(x, scale_of(x, a), extent(x, a->in))
                                 : extent(x, a->out);
    scalar *last = gali_x_sub(x, extent(x, a->in), real(x, 1)), *one = real(x, 1);
    scalar *step = gali_x_div(x, gali_x_mul(x, span, last), gali_x_sub(x, length, one));
    scalar *y = gali_x_add(x, gali_x_mul(x, start, last), gali_x_mul(x, at, step));
    return gali_x_select(x, gali_x_less(x, one, length), y, alone);
}

static scalar *express_coordinate(gali_express *x, const gali_resize_axis *a, int by_scales, scalar *axis) {
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
static scalar *inside(gali_express *x, const gali_resize_axis *a, scalar *index) {
    scalar *last = gali_x_sub(x, gali_x_extent(x, a->in), gali_x_int(x, 1));
    return gali_x_most(x, gali_x_int(x, 0), gali_x_least(x, index, last));
}

/* The scale as a whole number; 0 where it is none, or not known to be. */
static int64_t whole_scale(gali_express *x, const gali_resize_axis *a) {
    gali_extent by = gali_extent_quotient(x->extents, a->out, a->in);
    return gali_extent_is_number(by) && by > 0 && gali_extent_mul(x->extents, a->in, by) == a->out ? by : 0;
}

/* The nearest element: by whole scales every input stands for as many results, without a coordinate. */
static scalar *express_nearest(gali_express *x, const gali_resize_axis *a, int by_scales, scalar *axis) {
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

static weights weights_at(gali_express *x, const gali_resize_axis *a, scalar *at) {
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

static scalar *express_taps(gali_express *x, const gali_resize_axis *a, int axis, int by_scales,
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

/* By which the kernel is as much wider: 1 where the axis grows. */
static scalar *narrowing(gali_express *x, const gali_resize_axis *a) {
    return a->scale > 0 ? real(x, a->scale) : gali_x_least(x, scale_of(x, a), real(x, 1));
}

/*
 * The places that the kernel reaches, half of them before the coordinate. A scale that running tells is no less than the
 * sizes' quotient, since the result's is rounded down.
 */
static gali_extent tap_count(const gali_express *x, const gali_resize_axis *a) {
    int64_t reach = gali_node_is(x->node, "mode", "linear") ? 1 : 2;
    if (a->scale > 0) {
        return 2 * (int64_t)ceil((double)reach / a->scale);
    }
    gali_extent out = gali_extent_most(x->extents, a->out, 1);
    gali_extent all = gali_extent_add(x->extents, gali_extent_mul(x->extents, a->in, reach),
                                      gali_extent_sub(x->extents, out, 1));
    return gali_extent_mul(x->extents,
                           gali_extent_most(x->extents, gali_extent_quotient(x->extents, all, out), reach), 2);
}

/* The place of a tap of the result's element `own`, perhaps outside, and *weight, not yet brought to a sum of 1. */
static scalar *stretched_place(gali_express *x, const gali_resize_axis *a, int by_scales, scalar *own,
                               scalar *tap, scalar **weight) {
    gali_extent half = gali_extent_quotient(x->extents, tap_count(x, a), 2);
    scalar *at = express_coordinate(x, a, by_scales, own), *none = gali_x_int(x, 0);
    scalar *first = gali_x_cast(x, GALI_i64, gali_x_of(x, GALI_SCALAR_floor, at));
    scalar *before = gali_x_extent(x, gali_extent_sub(x->extents, half, 1));
    scalar *place = gali_x_add(x, gali_x_sub(x, first, before), tap);
    scalar *apart = gali_x_mul(x, gali_x_sub(x, gali_x_cast(x, GALI_f32, place), at), narrowing(x, a));
    *weight = kernel_at(x, gali_x_of(x, GALI_SCALAR_abs, apart));
    if (gali_node_int(x->node, "exclude_outside")) {
        scalar *is = gali_x_within(x, place, none, gali_x_extent(x, a->in));
        *weight = gali_x_select(x, is, *weight, real(x, 0));
    }
    return place;
}

/* The weights of each place along the axis, [out][taps], with a sum of 1. */
static gali_stage_of *express_weights(gali_express *x, const gali_resize_axis *a, int by_scales) {
    const gali_extent shape[] = {a->out, tap_count(x, a)};
    gali_stage_of *sums = gali_x_temporary(x, "sums of weights", GALI_f32, 1, &a->out);
    gali_stage_of *y = gali_x_temporary(x, "weights", GALI_f32, 2, shape);
    scalar *own = gali_x_axis(x, 0), *weight;
    if (!sums || !y) {
        return NULL;
    }
    stretched_place(x, a, by_scales, own, gali_x_axis(x, gali_x_reduce(sums, shape[1])), &weight);
    gali_x_sum(x, sums, weight);
    stretched_place(x, a, by_scales, own, gali_x_axis(x, 1), &weight);
    y->value = gali_x_div(x, weight, gali_x_read(x, sums, &own));
    return y;
}

/* A smaller axis through a kernel that is as much wider (antialias). */
static void express_stretched(gali_express *x, gali_stage_of *y, const gali_resize_axis *a, int axis,
                              int by_scales, const gali_stage_of *kernel, const gali_stage_of *from) {
    scalar *index[GALI_RANK_MAX], *unused;
    gali_x_axes(x, y->rank, index);
    scalar *of_weight[] = {index[axis], gali_x_axis(x, gali_x_reduce(y, tap_count(x, a)))};
    scalar *place = stretched_place(x, a, by_scales, of_weight[0], of_weight[1], &unused);
    index[axis] = inside(x, a, place);
    y->start = gali_x_number(x, y->element, 0);
    y->value = gali_x_accumulate(x, y, gali_x_cast(x, y->element, gali_x_read(x, kernel, of_weight)),
                                 read_from(x, from, index));
}

static void express_all_nearest(gali_express *x, const gali_resize_plan *p, int by_scales) {
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
static void express_axes(gali_express *x, const gali_resize_plan *p, int by_scales) {
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
        int stretched = gali_node_int(x->node, "antialias") && p->axis[i].scale < 1;
        gali_stage_of *own = stretched ? express_weights(x, &p->axis[i], by_scales) : NULL;
        gali_stage_of *y = --left
                               ? gali_x_temporary(x, "resized", x->result[0].element, (uint32_t)p->rank, shape)
                               : gali_x_result(x, 0);
        gali_x_axes(x, (uint32_t)p->rank, index);
        if (!y || (stretched && !own)) {
            return;
        }
        if (stretched) {
            express_stretched(x, y, &p->axis[i], i, by_scales, own, from);
        } else {
            y->value = express_taps(x, &p->axis[i], i, by_scales, from, index);
        }
        from = y;
    }
}

#define SCALE_LEAST 1e-4 /* that a stretched kernel is made for */

/* Scales that running tells, and with them the result's sizes. */
static void plan_runs(gali_express *x, gali_resize_plan *p) {
    for (int i = 0; i < p->rank; i++) {
        gali_resize_axis *a = &p->axis[i];
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
static int are_whole(const gali_express *x, const gali_resize_plan *p, int known, int crop) {
    int place[GALI_RANK_MAX], whole = 1;
    gali_resize_given g = gali_resize_given_of(x->node, x->extents, x->operand, x->known, x->real);
    int64_t count = gali_resize_places(&g, place);
    int region = crop && !g.roi && p->rank > 0;
    whole &= known || !g.has_scales || gali_resize_list(x->operand[GALI_RESIZE_SCALES]) == count;
    return whole && (!region || (x->operand[GALI_RESIZE_REGION] &&
                                 gali_resize_list(x->operand[GALI_RESIZE_REGION]) == 2 * count));
}

void gali_express_resize(gali_express *x) {
    gali_resize_plan p;
    int known, changed = 0, fixed = 1, narrow = 1;
    gali_resize_given g = gali_resize_given_of(x->node, x->extents, x->operand, x->known, x->real);
    const char *wrong = gali_resize_plan_make(&g, &p, &known);
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
        narrow &= p.axis[i].plain || p.axis[i].scale <= 0 || p.axis[i].scale >= SCALE_LEAST;
    }
    int nearest_one = gali_node_is(x->node, "mode", "nearest");
    int stretched = gali_node_int(x->node, "antialias") && !nearest_one;
    if (!fixed || (stretched && (crop || !narrow)) || (crop && nearest_one)) {
        x->none = 1;
    } else if (nearest_one || !changed) {
        express_all_nearest(x, &p, g.has_scales);
    } else {
        express_axes(x, &p, g.has_scales);
    }
}
