/*
 * Pools: the largest, the mean or the norm of the elements under a window that moves over the spatial axes, or over all of
 * them (Global...).
 */
#include <math.h>
#include <string.h>

#include "graph/ops/window.h"
#include "graph/scalar.h"

static int is_real(gali_element element) {
    return gali_element_list[element].kind == GALI_REAL;
}

/* ---- rule ---- */

/* Whether the norm that is taken is one: a p of 1 or more. */
static int is_norm(const gali_node *node) {
    int takes = node->op == GALI_OP_LpPool || node->op == GALI_OP_GlobalLpPool;
    return !takes || gali_node_int(node, "p") >= 1;
}

gal_status gali_rule_pool(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    gali_window w;
    rule->result[0].element = x->element;
    if (x->element == GALI_truth || (rule->node->op != GALI_OP_MaxPool && !is_real(x->element))) {
        return gali_rule_fail(rule, "not for %s", gali_element_list[x->element].word);
    }
    if (!is_norm(rule->node)) {
        return gali_rule_fail(rule, "p is 1 or more");
    }
    if (rule->node->result_count > 1) {
        rule->result[1].element = GALI_i64;
    }
    if (x->rank < 0) {
        const gali_attribute *kernel = gali_node_attribute(rule->node, "kernel_shape");
        gali_rule_demand_rank(rule, 0, kernel ? (int)kernel->count + 2 : -1);
        return GAL_OK;
    }
    gal_status status = gali_window_rule(&w, rule, NULL);
    if (status != GAL_OK) {
        return status;
    }
    for (uint32_t r = 0; r < rule->node->result_count; r++) {
        rule->result[r].rank = x->rank;
        memcpy(rule->result[r].shape, x->shape, 2 * sizeof *x->shape);
        memcpy(rule->result[r].shape + 2, w.out, w.rank * sizeof *w.out);
    }
    return GAL_OK;
}

/* ---- truth ---- */

typedef struct pooled {
    gali_number value; /* the largest, or the sum of terms */
    int64_t count;     /* elements under the window */
    int64_t with_padding,
        place; /* places that are the input's or its padding's; of the largest in the input's plane, -1 */
} pooled;

/* Element `at` of the input's plane, by rows or (storage_order) by columns. */
static int64_t place_in(const gali_window *w, const int64_t *at, int by_columns) {
    int64_t place = 0;
    for (uint32_t i = 0; i < w->rank; i++) {
        uint32_t axis = by_columns ? w->rank - 1 - i : i;
        place = place * w->in[axis] + at[axis];
    }
    return place;
}

static int is_padding(const gali_window *w, const int64_t *at) {
    int good = 1;
    for (uint32_t i = 0; i < w->rank; i++) {
        good &= at[i] >= -w->begin[i] && at[i] < w->in[i] + w->end[i];
    }
    return good;
}

static void take(pooled *p, const gali_node *node, const gali_tensor *x, size_t from, int64_t place) {
    gali_number a = gali_tensor_at(x, from);
    if (node->op == GALI_OP_MaxPool) {
        const gali_number v[3] = {p->value, a};
        if (p->place < 0 || gali_scalar_compute(GALI_SCALAR_less, x->element, v).whole) {
            p->value = a;
            p->place = place;
        }
    } else if (node->op == GALI_OP_LpPool) {
        p->value.real += pow(fabs(a.real), (double)gali_node_int(node, "p"));
    } else {
        p->value.real += a.real;
    }
    p->count++;
}

static pooled pool_at(const gali_window *w, const gali_node *node, const gali_tensor *x, size_t plane,
                      const int64_t *out) {
    pooled p = {.value = {0}, .place = -1};
    int64_t kernel[GALI_SPACE_MAX] = {0}, at[GALI_SPACE_MAX];
    int by_columns = node->op == GALI_OP_MaxPool && gali_node_int(node, "storage_order");
    if (node->op == GALI_OP_MaxPool) {
        p.value = gali_element_smallest(x->element);
    }
    int more = 1;
    while (more) {
        if (gali_window_inside(w, out, kernel, at)) {
            int64_t row = place_in(w, at, 0);
            take(&p, node, x, plane + (size_t)row, by_columns ? place_in(w, at, 1) : row);
        }
        p.with_padding += is_padding(w, at);
        more = gali_index_next(kernel, w->kernel, w->rank);
    }
    return p;
}

static gali_number pool_end(const gali_node *node, const pooled *p) {
    gali_number y = p->value;
    if (node->op == GALI_OP_AveragePool) {
        y.real /= (double)(gali_node_int(node, "count_include_pad") ? p->with_padding : p->count);
    } else if (node->op == GALI_OP_LpPool) {
        y.real = pow(y.real, 1 / (double)gali_node_int(node, "p"));
    }
    return y;
}

gal_status gali_truth_pool(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                           gali_tensor *results) {
    const gali_tensor *x = operands[0];
    gali_tensor *y = &results[0];
    gali_type type = gali_type_of_tensor(x);
    gali_window w;
    const char *wrong = gali_window_make(&w, run->graph->extents, node, &type, NULL);
    if (wrong) {
        return gali_run_fail(run, node, "%s", wrong);
    }
    double window = 1;
    size_t plane = 1;
    for (uint32_t i = 0; i < w.rank; i++) {
        window *= (double)w.kernel[i];
        plane *= (size_t)w.in[i];
    }
    int64_t index[GALI_RANK_MAX] = {0};
    gal_status status = gali_run_work(run, window * (double)y->count);
    for (size_t e = 0; status == GAL_OK && e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
        size_t which = (size_t)(index[0] * y->shape[1] + index[1]);
        pooled p = pool_at(&w, node, x, which * plane, index + 2);
        gali_tensor_put(y, e, pool_end(node, &p));
        if (node->result_count > 1 && results[1].whole) {
            results[1].whole[e] = p.place < 0 ? -1 : (int64_t)(which * plane) + p.place;
        }
    }
    return status;
}

/* ---- expression ---- */

static void load_place(gali_express *x, const gali_window_place *place, uint32_t rank,
                       const gali_scalar **index) {
    gali_x_axes(x, 2, index);
    memcpy(index + 2, place->at, rank * sizeof *index);
}

/* Reduces the elements under the window: self = op(self, term(a)). */
static void reduce_window(gali_express *x, gali_stage_of *y, const gali_window *w, gali_scalar_op op,
                          const gali_scalar *start, int64_t power) {
    const gali_scalar *kernel[GALI_SPACE_MAX], *index[GALI_RANK_MAX];
    gali_window_reduce(x, y, w, kernel);
    gali_window_place place = gali_window_at(x, w, 2, kernel);
    load_place(x, &place, w->rank, index);
    const gali_scalar *term = gali_x_load(x, 0, index);
    if (power) {
        term = gali_x_of(x, GALI_SCALAR_abs, term);
        term = power == 1 ? term
               : power == 2
                   ? gali_x_mul(x, term, term)
                   : gali_x_apply(x, GALI_SCALAR_pow, term, gali_x_number(x, y->element, (double)power), NULL);
    }
    if (y->reduced) {
        y->start = start;
        y->value =
            gali_window_guard(x, place.inside, gali_x_apply(x, op, gali_x_self(x, y->element), term, NULL),
                              gali_x_self(x, y->element));
    } else {
        y->value = gali_window_guard(x, place.inside, term, start);
    }
}

/* Places of the kernel along axis i from `low` to before `high` of the input. */
static const gali_scalar *places_between(gali_express *x, const gali_window *w, uint32_t i, gali_extent low,
                                         gali_extent high) {
    const gali_scalar *start = gali_x_mul(x, gali_x_axis(x, 2 + i), gali_x_int(x, w->stride[i]));
    const gali_scalar *step = gali_x_int(x, w->dilation[i]);
    start = gali_x_sub(x, start, gali_x_extent(x, w->begin[i]));
    const gali_scalar *to_low =
        gali_x_sub(x, gali_x_add(x, gali_x_extent(x, low), gali_x_int(x, w->dilation[i] - 1)), start);
    const gali_scalar *to_high =
        gali_x_sub(x, gali_x_add(x, gali_x_extent(x, high), gali_x_int(x, w->dilation[i] - 1)), start);
    const gali_scalar *first =
        gali_x_most(x, gali_x_apply(x, GALI_SCALAR_quotient, to_low, step, NULL), gali_x_int(x, 0));
    const gali_scalar *end = gali_x_least(x, gali_x_apply(x, GALI_SCALAR_quotient, to_high, step, NULL),
                                          gali_x_extent(x, w->kernel[i]));
    return gali_x_sub(x, end, first);
}

static const gali_scalar *elements_under(gali_express *x, const gali_window *w) {
    int padded = gali_node_int(x->node, "count_include_pad") != 0;
    const gali_scalar *count = gali_x_int(x, 1);
    for (uint32_t i = 0; i < w->rank; i++) {
        gali_extent high = padded ? gali_extent_add(x->extents, w->in[i], w->end[i]) : w->in[i];
        gali_extent low = padded ? gali_extent_sub(x->extents, 0, w->begin[i]) : 0;
        gali_extent last = gali_extent_mul(x->extents, gali_extent_sub(x->extents, w->out[i], 1), w->stride[i]);
        gali_extent reach =
            gali_extent_mul(x->extents, gali_extent_sub(x->extents, w->kernel[i], 1), w->dilation[i]);
        int64_t least, most;
        last = gali_extent_sub(x->extents, gali_extent_add(x->extents, last, reach), w->begin[i]);
        gali_extent_range(x->extents, gali_extent_sub(x->extents, high, last), &least, &most);
        int always = least > 0 && (padded || w->begin[i] == 0);
        count =
            gali_x_mul(x, count, always ? gali_x_extent(x, w->kernel[i]) : places_between(x, w, i, low, high));
    }
    return count;
}

/* Where the largest is: the first place under the window that equals it. */
static void express_places(gali_express *x, const gali_window *w, const gali_stage_of *most, gali_stage_of *y) {
    const gali_scalar *kernel[GALI_SPACE_MAX], *index[GALI_RANK_MAX], *own[GALI_RANK_MAX];
    const gali_scalar *self = gali_x_self(x, GALI_i64), *none = gali_x_int(x, -1);
    int by_columns = gali_node_int(x->node, "storage_order") != 0;
    gali_window_reduce(x, y, w, kernel);
    gali_window_place place = gali_window_at(x, w, 2, kernel);
    load_place(x, &place, w->rank, index);
    gali_x_axes(x, y->rank, own);
    const gali_scalar *flat = gali_x_add(x, gali_x_mul(x, own[0], gali_x_extent(x, y->extent[1])), own[1]);
    const gali_scalar *inner = gali_x_int(x, 0);
    for (uint32_t i = 0; i < w->rank; i++) {
        uint32_t axis = by_columns ? w->rank - 1 - i : i;
        inner = gali_x_add(x, gali_x_mul(x, inner, gali_x_extent(x, w->in[axis])), place.at[axis]);
        flat = gali_x_mul(x, flat, gali_x_extent(x, w->in[i]));
    }
    flat = gali_x_add(x, flat, inner);
    const gali_scalar *same = gali_x_equal(x, gali_x_load(x, 0, index), gali_x_read(x, most, own));
    if (y->reduced) {
        same = gali_x_and(x, gali_x_less(x, self, gali_x_int(x, 0)), same);
        y->start = none;
        y->value = gali_window_guard(x, place.inside, gali_x_select(x, same, flat, self), self);
    } else {
        y->value = gali_window_guard(x, place.inside, flat, none);
    }
}

void gali_express_pool(gali_express *x) {
    gali_window w;
    const gali_type *type = &x->result[0];
    gali_op op = x->node->op;
    if (gali_window_make(&w, x->extents, x->node, x->operand[0], NULL)) {
        x->none = 1;
        return;
    }
    if (op == GALI_OP_MaxPool) {
        gali_stage_of *most = gali_x_result(x, 0);
        if (most) {
            reduce_window(x, most, &w, GALI_SCALAR_most, gali_x_smallest(x, most->element), 0);
        }
        gali_stage_of *places = gali_x_wants(x, 1) ? gali_x_result(x, 1) : NULL;
        if (places) {
            express_places(x, &w, most, places);
        }
        return;
    }
    int64_t power = op == GALI_OP_LpPool ? gali_node_int(x->node, "p") : 0;
    gali_stage_of *sum = gali_x_temporary(x, "sum", type->element, (uint32_t)type->rank, type->shape);
    if (sum) {
        reduce_window(x, sum, &w, GALI_SCALAR_add, gali_x_number(x, sum->element, 0), power);
    }
    gali_stage_of *y = gali_x_result(x, 0);
    if (y) {
        const gali_scalar *index[GALI_RANK_MAX];
        gali_x_axes(x, y->rank, index);
        const gali_scalar *total = gali_x_read(x, sum, index);
        y->value = !power       ? gali_x_div(x, total, gali_x_cast(x, y->element, elements_under(x, &w)))
                   : power == 1 ? total
                   : power == 2 ? gali_x_of(x, GALI_SCALAR_sqrt, total)
                                : gali_x_apply(x, GALI_SCALAR_pow, total,
                                               gali_x_number(x, y->element, 1 / (double)power), NULL);
    }
}

/* ---- over all of the spatial axes ---- */

/* Axes from 2 on. */
static uint32_t spatial(int rank) {
    return ((1u << rank) - 1) & ~3u;
}

gal_status gali_rule_global_pool(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    rule->result[0] = *x;
    if (!is_real(x->element)) {
        return gali_rule_fail(rule, "not for %s", gali_element_list[x->element].word);
    }
    if (x->rank >= 0 && x->rank < 2) {
        return gali_rule_fail(rule, "a tensor [batch, channels, spatial...] expected");
    }
    if (!is_norm(rule->node)) {
        return gali_rule_fail(rule, "p is 1 or more");
    }
    for (int i = 2; i < x->rank; i++) {
        rule->result[0].shape[i] = 1;
    }
    return GAL_OK;
}

gal_status gali_truth_global_pool(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                  gali_tensor *results) {
    const gali_tensor *x = operands[0];
    gali_tensor *y = &results[0];
    size_t plane = y->count ? x->count / y->count : 0;
    double p = node->op == GALI_OP_GlobalLpPool ? (double)gali_node_int(node, "p") : 0;
    gal_status status = gali_run_work(run, (double)x->count);
    for (size_t e = 0; status == GAL_OK && e < y->count; e++) {
        double value = node->op == GALI_OP_GlobalMaxPool ? -(double)INFINITY : 0;
        for (size_t i = 0; i < plane; i++) {
            double a = x->real[e * plane + i];
            value = node->op == GALI_OP_GlobalMaxPool ? fmax(value, a) : value + (p > 0 ? pow(fabs(a), p) : a);
        }
        y->real[e] = p > 0                                   ? pow(value, 1 / p)
                     : node->op == GALI_OP_GlobalAveragePool ? value / (double)plane
                                                             : value;
    }
    return status;
}

void gali_express_global_pool(gali_express *x) {
    const gali_type *type = x->operand[0];
    const gali_scalar *index[GALI_RANK_MAX];
    uint32_t mask = spatial(type->rank);
    gali_op op = x->node->op;
    double p = op == GALI_OP_GlobalLpPool ? (double)gali_node_int(x->node, "p") : 0;
    gali_stage_of *whole = gali_x_over(x, "whole", type->element, type, mask, index);
    const gali_scalar *a = gali_x_load(x, 0, index);
    if (p > 0) {
        a = gali_x_apply(x, GALI_SCALAR_pow, gali_x_of(x, GALI_SCALAR_abs, a),
                         gali_x_number(x, type->element, p), NULL);
    }
    if (op == GALI_OP_GlobalMaxPool) {
        gali_x_fold(x, whole, GALI_SCALAR_most, gali_x_smallest(x, type->element), a);
    } else {
        gali_x_sum(x, whole, a);
    }
    gali_stage_of *y = gali_x_result(x, 0);
    if (!y) {
        return;
    }
    gali_x_axes(x, y->rank, index);
    const gali_scalar *value = gali_x_read(x, whole, index);
    y->value = op == GALI_OP_GlobalAveragePool
                   ? gali_x_div(x, value, gali_x_count(x, type->element, type, mask))
               : p > 0 ? gali_x_apply(x, GALI_SCALAR_pow, value, gali_x_number(x, type->element, 1 / p), NULL)
                       : value;
}
