/*
 * Operators along one axis: each lane of a tensor, its elements that differ in that axis alone, gives a lane of the result
 * (Softmax, CumSum) or a number (ArgMax).
 */
#include <math.h>
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"
#include "graph/scalar.h"

static int is_real(gali_element element) {
    return gali_element_list[element].kind == GALI_REAL;
}

static gal_status not_for(gali_rule *rule) {
    return gali_rule_fail(rule, "not for %s", gali_element_list[rule->operand[0]->element].word);
}

/* ---- lanes ---- */

typedef struct lanes {
    size_t count, size, stride; /* lanes; elements of one, and how far apart they are */
} lanes;

static lanes lanes_of(const gali_tensor *tensor, int64_t axis) {
    lanes l = {1, 1, 1};
    uint32_t at = (uint32_t)(axis < 0 ? axis + tensor->rank : axis);
    l.size = (size_t)tensor->shape[at];
    for (uint32_t i = 0; i < tensor->rank; i++) {
        l.count *= i == at ? 1 : (size_t)tensor->shape[i];
        l.stride *= i > at ? (size_t)tensor->shape[i] : 1;
    }
    return l;
}

/* Where lane i starts. */
static size_t lane_start(const lanes *l, size_t i) {
    return i / l->stride * l->stride * l->size + i % l->stride;
}

/* The attribute as an axis of operand 0. */
static uint32_t axis_of(const gali_express *x) {
    int64_t axis = gali_node_int(x->node, "axis");
    return (uint32_t)(axis < 0 ? axis + x->operand[0]->rank : axis);
}

/* ---- Softmax, LogSoftmax, Hardmax, LpNormalization: of the operand's type ---- */

gal_status gali_rule_lane(gali_rule *rule) {
    int axis;
    rule->result[0] = *rule->operand[0];
    if (!is_real(rule->operand[0]->element)) {
        return not_for(rule);
    }
    int64_t p = rule->node->op == GALI_OP_LpNormalization ? gali_node_int(rule->node, "p") : 1;
    if (p != 1 && p != 2) {
        return gali_rule_fail(rule, "p is 1 or 2");
    }
    return rule->operand[0]->rank < 0
               ? GAL_OK
               : gali_rule_axis(rule, gali_node_int(rule->node, "axis"), rule->operand[0]->rank, &axis);
}

static void softmax_lane(gali_op op, const double *a, double *y, const lanes *l) {
    double most = -(double)INFINITY, sum = 0;
    for (size_t i = 0; i < l->size; i++) {
        most = a[i * l->stride] > most ? a[i * l->stride] : most;
    }
    for (size_t i = 0; i < l->size; i++) {
        sum += exp(a[i * l->stride] - most);
    }
    for (size_t i = 0; i < l->size; i++) {
        double apart = a[i * l->stride] - most;
        y[i * l->stride] = op == GALI_OP_Softmax ? exp(apart) / sum : apart - log(sum);
    }
}

static void hardmax_lane(const double *a, double *y, const lanes *l) {
    size_t most = 0;
    for (size_t i = 0; i < l->size; i++) {
        most = a[i * l->stride] > a[most * l->stride] ? i : most;
        y[i * l->stride] = 0;
    }
    y[most * l->stride] = 1;
}

static void norm_lane(int64_t p, const double *a, double *y, const lanes *l) {
    double sum = 0;
    for (size_t i = 0; i < l->size; i++) {
        sum += p == 1 ? fabs(a[i * l->stride]) : a[i * l->stride] * a[i * l->stride];
    }
    for (size_t i = 0; i < l->size; i++) {
        y[i * l->stride] = sum == 0 ? 0 : a[i * l->stride] / (p == 1 ? sum : sqrt(sum));
    }
}

gal_status gali_truth_lane(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                           gali_tensor *results) {
    lanes l = lanes_of(operands[0], gali_node_int(node, "axis"));
    gal_status status = gali_run_work(run, 3 * (double)operands[0]->count);
    for (size_t i = 0; status == GAL_OK && l.size && i < l.count; i++) {
        const double *a = operands[0]->real + lane_start(&l, i);
        double *y = results[0].real + lane_start(&l, i);
        if (node->op == GALI_OP_Hardmax) {
            hardmax_lane(a, y, &l);
        } else if (node->op == GALI_OP_LpNormalization) {
            norm_lane(gali_node_int(node, "p"), a, y, &l);
        } else {
            softmax_lane(node->op, a, y, &l);
        }
    }
    return status;
}

/* The largest (or smallest) of each lane. */
static gali_stage_of *extreme(gali_express *x, uint32_t mask, int smallest) {
    const gali_type *type = x->operand[0];
    const gali_scalar *index[GALI_RANK_MAX];
    gali_stage_of *made = gali_x_over(x, smallest ? "least" : "most", type->element, type, mask, index);
    gali_x_fold(x, made, smallest ? GALI_SCALAR_least : GALI_SCALAR_most,
                smallest ? gali_x_largest(x, type->element) : gali_x_smallest(x, type->element),
                gali_x_load(x, 0, index));
    return made;
}

/* Which of each lane is the extreme one: the first, or the last. Always one of them. */
static gali_stage_of *place(gali_express *x, uint32_t axis, const gali_stage_of *wanted, int last) {
    const gali_type *type = x->operand[0];
    const gali_scalar *index[GALI_RANK_MAX];
    gali_stage_of *made = gali_x_over(x, "place", GALI_i64, type, 1u << axis, index);
    if (!made) {
        return NULL;
    }
    const gali_scalar *self = gali_x_self(x, GALI_i64), *end = gali_x_extent(x, type->shape[axis]);
    const gali_scalar *is =
        gali_x_equal(x, gali_x_load(x, 0, index), gali_x_read_over(x, wanted, 1u << axis, index));
    const gali_scalar *nearer = last ? index[axis] : gali_x_least(x, self, index[axis]);
    made->start = last ? gali_x_int(x, 0) : gali_x_sub(x, end, gali_x_int(x, 1));
    made->value = gali_x_select(x, is, nearer, self);
    return made;
}

static void express_softmax(gali_express *x, uint32_t mask) {
    const gali_type *type = x->operand[0];
    gali_stage_of *most = extreme(x, mask, 0);
    const gali_scalar *index[GALI_RANK_MAX];
    gali_stage_of *power = gali_x_temporary(x, "power", type->element, (uint32_t)type->rank, type->shape);
    gali_x_axes(x, (uint32_t)type->rank, index);
    const gali_scalar *apart = gali_x_sub(x, gali_x_load(x, 0, index), gali_x_read_over(x, most, mask, index));
    if (power) {
        power->value = gali_x_of(x, GALI_SCALAR_exp, apart);
    }
    gali_stage_of *sum = gali_x_over(x, "sum", type->element, type, mask, index);
    gali_x_sum(x, sum, gali_x_read(x, power, index));
    gali_stage_of *y = gali_x_result(x, 0);
    gali_x_axes(x, (uint32_t)type->rank, index);
    const gali_scalar *whole = gali_x_read_over(x, sum, mask, index);
    if (y) {
        y->value = x->node->op == GALI_OP_Softmax ? gali_x_div(x, gali_x_read(x, power, index), whole)
                                                  : gali_x_sub(x, apart, gali_x_of(x, GALI_SCALAR_log, whole));
    }
}

static void express_hardmax(gali_express *x, uint32_t axis) {
    const gali_scalar *index[GALI_RANK_MAX];
    gali_stage_of *where = place(x, axis, extreme(x, 1u << axis, 0), 0), *y = gali_x_result(x, 0);
    if (y) {
        gali_x_axes(x, y->rank, index);
        y->value = gali_x_select(x, gali_x_equal(x, index[axis], gali_x_read_over(x, where, 1u << axis, index)),
                                 gali_x_number(x, y->element, 1), gali_x_number(x, y->element, 0));
    }
}

static void express_norm(gali_express *x, uint32_t mask) {
    const gali_type *type = x->operand[0];
    const gali_scalar *index[GALI_RANK_MAX];
    int64_t p = gali_node_int(x->node, "p");
    gali_stage_of *sum = gali_x_over(x, "sum", type->element, type, mask, index);
    const gali_scalar *a = gali_x_load(x, 0, index);
    gali_x_sum(x, sum, p == 1 ? gali_x_of(x, GALI_SCALAR_abs, a) : gali_x_mul(x, a, a));
    gali_stage_of *y = gali_x_result(x, 0);
    if (y) {
        gali_x_axes(x, y->rank, index);
        const gali_scalar *whole = gali_x_read_over(x, sum, mask, index),
                          *none = gali_x_number(x, y->element, 0);
        const gali_scalar *norm = p == 1 ? whole : gali_x_of(x, GALI_SCALAR_sqrt, whole);
        y->value =
            gali_x_select(x, gali_x_equal(x, whole, none), none, gali_x_div(x, gali_x_load(x, 0, index), norm));
    }
}

void gali_express_lane(gali_express *x) {
    uint32_t axis = axis_of(x);
    if (x->node->op == GALI_OP_Hardmax) {
        express_hardmax(x, axis);
    } else if (x->node->op == GALI_OP_LpNormalization) {
        express_norm(x, 1u << axis);
    } else {
        express_softmax(x, 1u << axis);
    }
}

/* ---- ArgMax, ArgMin ---- */

gal_status gali_rule_arg(gali_rule *rule) {
    const gali_type *type = rule->operand[0];
    int axis, keep = gali_node_int(rule->node, "keepdims") != 0;
    rule->result[0].element = GALI_i64;
    if (type->element == GALI_truth) {
        return not_for(rule);
    }
    if (type->rank < 0) {
        return GAL_OK;
    }
    gal_status status = gali_rule_axis(rule, gali_node_int(rule->node, "axis"), type->rank, &axis);
    if (status == GAL_OK && type->shape[axis] == 0) {
        return gali_rule_fail(rule, "nothing to choose from");
    }
    rule->result[0].rank = 0;
    for (int i = 0; status == GAL_OK && i < type->rank; i++) {
        if (i != axis || keep) {
            rule->result[0].shape[rule->result[0].rank++] = i == axis ? 1 : type->shape[i];
        }
    }
    return status;
}

gal_status gali_truth_arg(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                          gali_tensor *results) {
    const gali_tensor *a = operands[0];
    lanes l = lanes_of(a, gali_node_int(node, "axis"));
    int last = gali_node_int(node, "select_last_index") != 0, smallest = node->op == GALI_OP_ArgMin;
    gal_status status = gali_run_work(run, (double)a->count);
    if (status == GAL_OK && l.size == 0) {
        return gali_run_fail(run, node, "nothing to choose from");
    }
    for (size_t i = 0; status == GAL_OK && i < l.count; i++) {
        size_t best = 0, start = lane_start(&l, i);
        for (size_t k = 1; k < l.size; k++) {
            gali_number v[3] = {gali_tensor_at(a, start + best * l.stride),
                                gali_tensor_at(a, start + k * l.stride)};
            int same = (int)gali_scalar_compute(GALI_SCALAR_equal, a->element, v).whole;
            gali_number w[3] = {v[!smallest ? 0 : 1], v[!smallest ? 1 : 0]};
            int better = (int)gali_scalar_compute(GALI_SCALAR_less, a->element, w).whole;
            best = better || (same && last) ? k : best;
        }
        results[0].whole[i] = (int64_t)best;
    }
    return status;
}

void gali_express_arg(gali_express *x) {
    uint32_t axis = axis_of(x);
    int keep = gali_node_int(x->node, "keepdims") != 0, smallest = x->node->op == GALI_OP_ArgMin;
    gali_stage_of *where =
        place(x, axis, extreme(x, 1u << axis, smallest), gali_node_int(x->node, "select_last_index") != 0);
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_scalar *index[GALI_RANK_MAX];
    uint32_t own = 0;
    for (uint32_t i = 0; i < (uint32_t)x->operand[0]->rank; i++) {
        index[i] = i == axis ? gali_x_int(x, 0) : gali_x_axis(x, own);
        own += i != axis || keep;
    }
    if (y) {
        y->value = gali_x_read(x, where, index);
    }
}

/* ---- CumSum: its axis is an operand ---- */

gal_status gali_rule_cum_sum(gali_rule *rule) {
    int axis;
    rule->result[0] = *rule->operand[0];
    if (rule->operand[0]->element == GALI_truth) {
        return not_for(rule);
    }
    gal_status status = gali_rule_integers(rule, 1);
    status = status == GAL_OK ? gali_rule_single(rule, 1) : status;
    return status != GAL_OK ? status
           : rule->operand[0]->rank < 0 || !rule->known[1] || !gali_extent_is_number(rule->known[1][0])
               ? GAL_OK
               : gali_rule_axis(rule, rule->known[1][0], rule->operand[0]->rank, &axis);
}

gal_status gali_truth_cum_sum(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                              gali_tensor *results) {
    const gali_tensor *a = operands[0];
    int64_t axis = operands[1]->count ? operands[1]->whole[0] : 0;
    if (axis < -(int64_t)a->rank || axis >= (int64_t)a->rank) {
        return gali_run_fail(run, node, "axis %lld of a tensor of rank %u", (long long)axis, a->rank);
    }
    lanes l = lanes_of(a, axis);
    int exclusive = gali_node_int(node, "exclusive") != 0, reverse = gali_node_int(node, "reverse") != 0;
    gal_status status = gali_run_work(run, (double)a->count);
    for (size_t i = 0; status == GAL_OK && i < l.count; i++) {
        gali_number v[3] = {{0}};
        for (size_t k = 0; k < l.size; k++) {
            size_t at = lane_start(&l, i) + (reverse ? l.size - 1 - k : k) * l.stride;
            gali_number before = v[0];
            v[1] = gali_tensor_at(a, at);
            v[0] = gali_scalar_compute(GALI_SCALAR_add, a->element, v);
            gali_tensor_put(&results[0], at, exclusive ? before : v[0]);
        }
    }
    return status;
}

/* Element index[] of the sums along an axis: of what is before, for each element anew. */
static void express_sums(gali_express *x, gali_stage_of *y, uint32_t axis) {
    if (!y) {
        return;
    }
    const gali_scalar *index[GALI_RANK_MAX], *self = gali_x_self(x, y->element);
    gali_x_axes(x, y->rank, index);
    const gali_scalar *own = index[axis], *other = gali_x_axis(x, gali_x_reduce(y, x->operand[0]->shape[axis]));
    int reverse = gali_node_int(x->node, "reverse") != 0;
    const gali_scalar *before =
        gali_x_apply(x, gali_node_int(x->node, "exclusive") ? GALI_SCALAR_less : GALI_SCALAR_less_equal,
                     reverse ? own : other, reverse ? other : own, NULL);
    index[axis] = other;
    y->start = gali_x_number(x, y->element, 0);
    y->value = gali_x_select(x, before, gali_x_add(x, self, gali_x_load(x, 0, index)), self);
}

/* An axis that is not known: the sums along each, of which it chooses. */
static void express_chosen_sums(gali_express *x) {
    const gali_type *type = x->operand[0];
    const gali_scalar *none[GALI_RANK_MAX], *index[GALI_RANK_MAX], *value = NULL;
    const gali_stage_of *sums[GALI_RANK_MAX];
    for (int i = 0; i < type->rank; i++) {
        gali_stage_of *along = gali_x_temporary(x, "along", type->element, (uint32_t)type->rank, type->shape);
        express_sums(x, along, (uint32_t)i);
        sums[i] = along;
    }
    for (int i = 0; i < x->operand[1]->rank; i++) {
        none[i] = gali_x_int(x, 0);
    }
    const gali_scalar *axis = gali_x_cast(x, GALI_i64, gali_x_load(x, 1, none));
    axis = gali_x_select(x, gali_x_less(x, axis, gali_x_int(x, 0)),
                         gali_x_add(x, axis, gali_x_int(x, type->rank)), axis);
    gali_stage_of *y = gali_x_result(x, 0);
    gali_x_axes(x, (uint32_t)type->rank, index);
    for (int i = 0; i < type->rank; i++) {
        const gali_scalar *sum = gali_x_read(x, sums[i], index);
        value = value ? gali_x_select(x, gali_x_equal(x, axis, gali_x_int(x, i)), sum, value) : sum;
    }
    if (y) {
        y->value = value;
    }
}

void gali_express_cum_sum(gali_express *x) {
    const gali_type *type = x->operand[0];
    if (type->rank == 0) {
        x->none = 1;
    } else if (x->known[1] && gali_extent_is_number(x->known[1][0])) {
        int64_t axis = x->known[1][0];
        express_sums(x, gali_x_result(x, 0), (uint32_t)(axis < 0 ? axis + type->rank : axis));
    } else {
        express_chosen_sums(x);
    }
}
