/*
 * Resize, axis after axis: each element of the result stands at a coordinate of the input, and is the nearest element
 * there, or a sum of its neighbours (taps) by weights that its place between them gives.
 *
 * The scale of an axis is given, or is that of the sizes; the result's size is then the input's times the scale, rounded
 * down.
 */
#include <math.h>
#include <string.h>

#include "graph/ops/resize.h"

/* ---- the plan ---- */

int gali_resize_places(const gali_resize_given *g, int place[GALI_RANK_MAX]) {
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
static double common_scale(const gali_resize_given *g, const int *place, int larger) {
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

static void plan_by_sizes(const gali_resize_given *g, const int *place, gali_resize_plan *p) {
    int smaller = gali_node_is(g->node, "keep_aspect_ratio_policy", "not_larger");
    int larger = gali_node_is(g->node, "keep_aspect_ratio_policy", "not_smaller");
    double common = smaller || larger ? common_scale(g, place, larger) : 0;
    for (int i = 0; i < p->rank; i++) {
        gali_resize_axis *a = &p->axis[i];
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

static void plan_by_scales(const gali_resize_given *g, const int *place, gali_resize_plan *p) {
    for (int i = 0; i < p->rank; i++) {
        gali_resize_axis *a = &p->axis[i];
        if (place[i] >= 0) {
            a->scale = g->scales[place[i]];
            a->out = scaled(g->extents, a->in, a->scale);
            a->plain = a->scale >= 1 && a->scale <= 1;
        }
    }
}

const char *gali_resize_plan_make(const gali_resize_given *g, gali_resize_plan *p, int *known) {
    int place[GALI_RANK_MAX], count = gali_resize_places(g, place);
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
        p->axis[i] = (gali_resize_axis){
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

int64_t gali_resize_list(const gali_type *type) {
    return !type ? 0 : type->rank == 1 ? type->shape[0] : -1;
}

gali_resize_given gali_resize_given_of(const gali_node *node, gali_extents *extents,
                                       const gali_type *const *operand, const int64_t *const *known,
                                       const double *const *real) {
    gali_resize_given g = {.node = node, .extents = extents, .x = operand[0]};
    int64_t counts[4] = {0};
    for (uint32_t i = 1; i < node->operand_count && i < 4; i++) {
        counts[i] = gali_resize_list(operand[i]);
    }
    g.has_scales = counts[2] != 0;
    g.has_sizes = counts[3] != 0;
    g.count = g.has_scales ? counts[2] : counts[3];
    g.roi = counts[GALI_RESIZE_REGION] == 2 * g.count && real ? real[GALI_RESIZE_REGION] : NULL;
    g.scales = g.has_scales && real ? real[2] : NULL;
    g.sizes = g.has_sizes ? known[3] : NULL;
    return g;
}

gal_status gali_rule_resize(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    gali_resize_plan p;
    int known;
    rule->result[0].element = x->element;
    if (!gali_node_is(rule->node, "mode", "nearest") && gali_element_list[x->element].kind != GALI_REAL) {
        return gali_rule_fail(rule, "not for %s but to the nearest", gali_element_list[x->element].word);
    }
    if (!gali_rule_ranks_known(rule)) {
        return GAL_OK;
    }
    gali_resize_given g =
        gali_resize_given_of(rule->node, rule->graph->extents, rule->operand, rule->known, rule->real);
    if (g.has_sizes) {
        uint32_t count;
        int given_at_all;
        gal_status status = gali_rule_sizes(rule, GALI_RESIZE_SIZES, NULL, &g.sizes, &count, &given_at_all);
        if (status != GAL_OK) {
            return status;
        }
    }
    const char *wrong = gali_resize_plan_make(&g, &p, &known);
    if (wrong) {
        return gali_rule_fail(rule, "%s", wrong);
    }
    gal_status status = GAL_OK;
    rule->result[0].rank = x->rank;
    for (int i = 0; status == GAL_OK && i < x->rank; i++) {
        rule->result[0].shape[i] = p.axis[i].out;
        status = p.axis[i].plain || p.axis[i].out == 0 ? GAL_OK : gali_rule_some(rule, x->shape[i]);
    }
    return status;
}

/* ---- truth ---- */

/* The length of the result along the axis, as the scale says it: not rounded. */
static double length_of(const gali_resize_axis *a, int by_scales) {
    return by_scales ? a->scale * (double)a->in : (double)a->out;
}

static double coordinate(const gali_node *node, const gali_resize_axis *a, int64_t o, int by_scales) {
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
static taps taps_at(const gali_node *node, const gali_resize_axis *a, double at) {
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

static double weight(const gali_node *node, const gali_resize_axis *a, const taps *t, int64_t i) {
    int outside = t->first + i < 0 || t->first + i >= a->in;
    if (t->count == 1) {
        return 1;
    }
    return gali_node_int(node, "exclude_outside") && outside
               ? 0
               : kernel(node, ((double)(t->first + i) - t->at) * t->step) / t->sum;
}

/* Resizes one axis of x into y, whose other extents are x's. */
static void resize_axis(const gali_node *node, const gali_resize_axis *a, int axis, int by_scales,
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
    gali_resize_plan p;
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
    gali_resize_given g = gali_resize_given_of(node, run->graph->extents, operand, known, real);
    const char *wrong = gali_resize_plan_make(&g, &p, &all);
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
