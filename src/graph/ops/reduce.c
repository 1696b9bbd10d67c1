/*
 * Sums and the like over some axes: ReduceSum and its kind. term(a) of each element, joined by one scalar operator from a
 * start, and last(sum).
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

/* What joins the terms; of truth values the smaller is `and`. */
static gali_scalar_op joined_by(gali_op op, gali_element element) {
    switch (op) {
    case GALI_OP_ReduceMax:
        return element == GALI_truth ? GALI_SCALAR_or : GALI_SCALAR_most;
    case GALI_OP_ReduceMin:
        return element == GALI_truth ? GALI_SCALAR_and : GALI_SCALAR_least;
    case GALI_OP_ReduceProd:
        return GALI_SCALAR_mul;
    default:
        return GALI_SCALAR_add;
    }
}

/* The axes over which it goes, as bits; -1: no axes of that rank. list is NULL where they are not given. */
static int64_t mask_of(const gali_node *node, uint32_t rank, const int64_t *list, size_t count) {
    if (!list || count == 0) {
        return gali_node_int(node, "noop_with_empty_axes") ? 0 : ((int64_t)1 << rank) - 1;
    }
    return gali_axes_mask(list, count, rank);
}

/* ---- the rule ---- */

/* The shape without the mask's axes, or with 1 for them. */
static gali_type without(const gali_type *type, int64_t mask, int keep) {
    gali_type made = {.element = type->element};
    for (int i = 0; i < type->rank; i++) {
        if (mask >> i & 1) {
            made.shape[made.rank] = 1;
            made.rank += keep;
        } else {
            made.shape[made.rank++] = type->shape[i];
        }
    }
    return made;
}

static gal_status reduce_shape(gali_rule *rule) {
    const gali_type *type = rule->operand[0];
    int keep = gali_node_int(rule->node, "keepdims") != 0, given;
    const gali_extent *list;
    uint32_t count;
    gal_status status = gali_rule_list(rule, 1, NULL, &list, &count, &given);
    rule->result[0].element = type->element;
    if (status != GAL_OK || !gali_rule_ranks_known(rule)) {
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        list = list && gali_extent_is_number(list[i]) ? list : NULL;
    }
    if (given && !list) { /* axes that only running tells */
        rule->result[0].rank = keep ? type->rank : -1;
        for (int i = 0; i < type->rank; i++) {
            rule->result[0].shape[i] = GALI_EXTENT_UNKNOWN;
        }
        return GAL_OK;
    }
    int64_t mask = mask_of(rule->node, (uint32_t)type->rank, list, count);
    if (mask < 0) {
        return gali_rule_fail(rule, "an axis is none of a tensor of rank %d", type->rank);
    }
    rule->result[0] = without(type, mask, keep);
    return GAL_OK;
}

/* The smallest or largest of a list of known integers. */
static void know(gali_rule *rule) {
    gali_op op = rule->node->op;
    const gali_type *list = rule->operand[0], *type = &rule->result[0];
    int one = type->rank >= 0 && gali_type_count(rule->graph->extents, type) == 1 && rule->known[0];
    gali_extent count = one ? gali_type_count(rule->graph->extents, list) : 0;
    if ((op != GALI_OP_ReduceMin && op != GALI_OP_ReduceMax) || list->element == GALI_truth || count < 1 ||
        !gali_extent_is_number(count)) {
        return;
    }
    gali_extent made = rule->known[0][0];
    for (gali_extent i = 1; i < count; i++) {
        made = op == GALI_OP_ReduceMin ? gali_extent_least(rule->graph->extents, made, rule->known[0][i])
                                       : gali_extent_most(rule->graph->extents, made, rule->known[0][i]);
    }
    gali_extent *known = made == GALI_EXTENT_UNKNOWN ? NULL : gali_rule_knows(rule, 0, 1);
    if (known) {
        known[0] = made;
    }
}

gal_status gali_rule_reduce(gali_rule *rule) {
    gali_element element = rule->operand[0]->element;
    gali_op op = rule->node->op;
    int reals = op == GALI_OP_ReduceL2 || op == GALI_OP_ReduceLogSum || op == GALI_OP_ReduceLogSumExp;
    int truths = op == GALI_OP_ReduceMax || op == GALI_OP_ReduceMin;
    if ((reals && !is_real(element)) || (!truths && element == GALI_truth)) {
        return gali_rule_fail(rule, "not for %s", gali_element_list[element].word);
    }
    gal_status status = reduce_shape(rule);
    if (status == GAL_OK) {
        know(rule);
    }
    return status;
}

/* ---- the truth ---- */

static gali_number start_of(gali_op op, gali_element element) {
    return op == GALI_OP_ReduceMax    ? gali_element_smallest(element)
           : op == GALI_OP_ReduceMin  ? gali_element_largest(element)
           : op == GALI_OP_ReduceProd ? (gali_number){1, 1}
                                      : (gali_number){0, 0};
}

static gali_number term_of(gali_op op, gali_element element, gali_number a) {
    const gali_number v[3] = {a, a};
    switch (op) {
    case GALI_OP_ReduceL1:
        return gali_scalar_compute(GALI_SCALAR_abs, element, v);
    case GALI_OP_ReduceL2:
    case GALI_OP_ReduceSumSquare:
        return gali_scalar_compute(GALI_SCALAR_mul, element, v);
    case GALI_OP_ReduceLogSumExp:
        return (gali_number){.real = exp(a.real)};
    default:
        return a;
    }
}

static gali_number last_of(gali_op op, gali_element element, gali_number sum, int64_t count) {
    const gali_number v[3] = {sum, {(double)count, count}};
    switch (op) {
    case GALI_OP_ReduceMean:
        return gali_scalar_compute(GALI_SCALAR_div, element, v);
    case GALI_OP_ReduceL2:
        return (gali_number){.real = sqrt(sum.real)};
    case GALI_OP_ReduceLogSum:
    case GALI_OP_ReduceLogSumExp:
        return (gali_number){.real = log(sum.real)};
    default:
        return sum;
    }
}

/* Element e of a joins element `at` of y; plain: it is it. */
static void join(gali_op op, int plain, const gali_tensor *a, size_t e, gali_tensor *y, size_t at) {
    if (y->real && !plain && (op == GALI_OP_ReduceSum || op == GALI_OP_ReduceMean)) {
        y->real[at] += a->real[e];
        return;
    }
    const gali_number v[3] = {gali_tensor_at(y, at), term_of(op, y->element, gali_tensor_at(a, e))};
    gali_tensor_put(
        y, at, plain ? gali_tensor_at(a, e) : gali_scalar_compute(joined_by(op, y->element), y->element, v));
}

gal_status gali_truth_reduce(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                             gali_tensor *results) {
    const gali_tensor *a = operands[0], *axes = node->operand_count > 1 ? operands[1] : NULL;
    gali_tensor *y = &results[0];
    int64_t mask = mask_of(node, a->rank, axes ? axes->whole : NULL, axes ? axes->count : 0);
    int64_t index[GALI_RANK_MAX] = {0}, count = 1;
    int plain = mask == 0 && gali_node_int(node, "noop_with_empty_axes") && (!axes || axes->count == 0);
    gal_status status = gali_run_work(run, (double)a->count);
    for (uint32_t i = 0; i < a->rank; i++) {
        count *= mask >> i & 1 ? a->shape[i] : 1;
    }
    for (size_t e = 0; e < y->count; e++) {
        gali_tensor_put(y, e, start_of(node->op, y->element));
    }
    uint32_t outer = a->rank ? a->rank - 1 : 0;
    size_t length = a->rank ? (size_t)a->shape[outer] : 1, step = !(mask >> outer & 1);
    for (size_t e = 0; status == GAL_OK && e < a->count; e += length, gali_index_next(index, a->shape, outer)) {
        size_t at = gali_index_over(index, a->shape, a->rank, (uint32_t)mask);
        for (size_t i = 0; i < length; i++) {
            join(node->op, plain, a, e + i, y, at + i * step);
        }
    }
    for (size_t e = 0; !plain && e < y->count; e++) {
        gali_tensor_put(y, e, last_of(node->op, y->element, gali_tensor_at(y, e), count));
    }
    return status;
}

/* ---- the expression ---- */

static const gali_scalar *express_start(gali_express *x, gali_op op, gali_element element) {
    return op == GALI_OP_ReduceMax    ? gali_x_smallest(x, element)
           : op == GALI_OP_ReduceMin  ? gali_x_largest(x, element)
           : op == GALI_OP_ReduceProd ? gali_x_number(x, element, 1)
                                      : gali_x_number(x, element, 0);
}

static const gali_scalar *express_term(gali_express *x, gali_op op, const gali_scalar *a) {
    return op == GALI_OP_ReduceL1                                    ? gali_x_of(x, GALI_SCALAR_abs, a)
           : op == GALI_OP_ReduceL2 || op == GALI_OP_ReduceSumSquare ? gali_x_mul(x, a, a)
                                                                     : a;
}

static const gali_scalar *express_last(gali_express *x, gali_op op, const gali_scalar *sum,
                                       const gali_scalar *count) {
    return op == GALI_OP_ReduceMean     ? gali_x_div(x, sum, count)
           : op == GALI_OP_ReduceL2     ? gali_x_of(x, GALI_SCALAR_sqrt, sum)
           : op == GALI_OP_ReduceLogSum ? gali_x_of(x, GALI_SCALAR_log, sum)
                                        : sum;
}

/* Reads a stage made with gali_x_over at the axes of the result, which has 1 for the mask's axes or not at all. */
static const gali_scalar *read_result(gali_express *x, const gali_stage_of *stage, int64_t mask, int keep) {
    const gali_scalar *index[GALI_RANK_MAX];
    uint32_t own = 0;
    for (uint32_t i = 0; stage && i < stage->rank; i++) {
        int reduced = mask >> i & 1;
        index[i] = reduced ? gali_x_int(x, 0) : gali_x_axis(x, own);
        own += !reduced || keep;
    }
    return gali_x_read(x, stage, index);
}

/* max + log of the sum of e^(a - max): nothing overflows. */
static const gali_scalar *log_sum_exp(gali_express *x, int64_t mask, int keep) {
    const gali_type *type = x->operand[0];
    const gali_scalar *index[GALI_RANK_MAX];
    gali_stage_of *most = gali_x_over(x, "most", type->element, type, (uint32_t)mask, index);
    gali_x_fold(x, most, GALI_SCALAR_most, gali_x_smallest(x, type->element), gali_x_load(x, 0, index));
    gali_stage_of *sum = gali_x_over(x, "sum", type->element, type, (uint32_t)mask, index);
    const gali_scalar *apart =
        gali_x_sub(x, gali_x_load(x, 0, index), gali_x_read_over(x, most, (uint32_t)mask, index));
    gali_x_sum(x, sum, gali_x_of(x, GALI_SCALAR_exp, apart));
    return gali_x_add(x, gali_x_of(x, GALI_SCALAR_log, read_result(x, sum, mask, keep)),
                      read_result(x, most, mask, keep));
}

void gali_express_reduce(gali_express *x) {
    const gali_type *type = x->operand[0], *axes = x->node->operand_count > 1 ? x->operand[1] : NULL;
    gali_op op = x->node->op;
    int keep = gali_node_int(x->node, "keepdims") != 0;
    gali_extent count = axes ? gali_type_count(x->extents, axes) : 0;
    x->none = axes && (count < 0 || (count && !x->known[1]));
    for (gali_extent i = 0; !x->none && i < count; i++) {
        x->none = !gali_extent_is_number(x->known[1][i]);
    }
    if (x->none) {
        return;
    }
    int64_t mask = mask_of(x->node, (uint32_t)type->rank, count ? x->known[1] : NULL, (size_t)count);
    const gali_scalar *index[GALI_RANK_MAX], *value;
    if (count == 0 && gali_node_int(x->node, "noop_with_empty_axes")) {
        gali_x_axes(x, (uint32_t)type->rank, index);
        value = gali_x_load(x, 0, index);
    } else if (op == GALI_OP_ReduceLogSumExp) {
        value = log_sum_exp(x, mask, keep);
    } else {
        gali_stage_of *sum = gali_x_over(x, "sum", type->element, type, (uint32_t)mask, index);
        gali_x_fold(x, sum, joined_by(op, type->element), express_start(x, op, type->element),
                    express_term(x, op, gali_x_load(x, 0, index)));
        value = express_last(x, op, read_result(x, sum, mask, keep),
                             gali_x_count(x, type->element, type, (uint32_t)mask));
    }
    gali_stage_of *y = gali_x_result(x, 0);
    if (y) {
        y->value = value;
    }
}
