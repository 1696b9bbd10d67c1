/*
 * Losses of a class for each place: -weight[target] log p[target], of log-probabilities (NegativeLogLikelihoodLoss) or of
 * scores whose softmax over the classes is p (SoftmaxCrossEntropyLoss).
 *
 *     scores   [batch][classes][places...]
 *     target   [batch][places...]; ignore_index is of no class and weighs nothing
 *     result   one number for each target, their sum, or their mean by weights
 */
#include <math.h>
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"

typedef const gali_scalar scalar;

static int is_plain(const gali_node *node) {
    return gali_node_is(node, "reduction", "none");
}

static int is_softmax(const gali_node *node) {
    return node->op == GALI_OP_SoftmaxCrossEntropyLoss;
}

gal_status gali_rule_loss(gali_rule *rule) {
    const gali_type *x = rule->operand[0], *target = rule->operand[1], *weight = gali_rule_operand(rule, 2);
    rule->result[0].element = x->element;
    if (gali_element_list[x->element].kind != GALI_REAL ||
        gali_element_list[target->element].kind == GALI_REAL || (weight && weight->element != x->element)) {
        return gali_rule_fail(rule, "not for %s and %s", gali_element_list[x->element].word,
                              gali_element_list[target->element].word);
    }
    if (rule->node->result_count > 1) {
        rule->result[1] = *x;
    }
    if (!gali_rule_ranks_known(rule)) {
        return GAL_OK;
    }
    if (x->rank < 2 || target->rank != x->rank - 1 || (weight && weight->rank != 1)) {
        return gali_rule_fail(rule, "scores [batch, classes, ...] and targets [batch, ...] expected");
    }
    gal_status status = gali_rule_line(rule, 2, x->shape[1]);
    status = status == GAL_OK ? gali_rule_some(rule, x->shape[1]) : status;
    for (int i = 0; status == GAL_OK && i < target->rank; i++) {
        gali_extent unused;
        status = gali_rule_same(rule, target->shape[i], x->shape[i + (i > 0)], &unused);
    }
    rule->result[0].rank = 0;
    if (is_plain(rule->node)) {
        rule->result[0] = *target;
        rule->result[0].element = x->element;
    }
    return status;
}

/* ---- truth ---- */

typedef struct classes {
    size_t count, places; /* classes; places of one batch */
} classes;

/* log p of a class at a place: the score itself, or the softmax's logarithm. */
static double log_share(const gali_node *node, const gali_tensor *x, const classes *c, size_t batch,
                        size_t place, size_t which) {
    const double *a = x->real + batch * c->count * c->places + place;
    double most = -(double)INFINITY, sum = 0;
    for (size_t i = 0; is_softmax(node) && i < c->count; i++) {
        most = fmax(most, a[i * c->places]);
    }
    for (size_t i = 0; is_softmax(node) && i < c->count; i++) {
        sum += exp(a[i * c->places] - most);
    }
    return is_softmax(node) ? a[which * c->places] - most - log(sum) : a[which * c->places];
}

/* Losses of all targets and the sum of their weights. */
static gal_status lose(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                       const classes *c, double *each, double *sum, double *weights) {
    const gali_tensor *x = operands[0], *target = operands[1];
    const gali_tensor *weight = node->operand_count > 2 ? operands[2] : NULL;
    int ignores = gali_node_attribute(node, "ignore_index") != NULL;
    *sum = *weights = 0;
    for (size_t e = 0; e < target->count; e++) {
        int64_t which = target->whole[e];
        double loss = 0, by = 0;
        if (!ignores || which != gali_node_int(node, "ignore_index")) {
            if (which < 0 || (size_t)which >= c->count || (weight && (size_t)which >= weight->count)) {
                return gali_run_fail(run, node, "class %lld of %zu", (long long)which, c->count);
            }
            by = weight ? weight->real[which] : 1;
            loss = -by * log_share(node, x, c, e / c->places, e % c->places, (size_t)which);
        }
        if (each) {
            each[e] = loss;
        }
        *sum += loss;
        *weights += by;
    }
    return GAL_OK;
}

gal_status gali_truth_loss(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                           gali_tensor *results) {
    const gali_tensor *x = operands[0];
    classes c = {(size_t)x->shape[1], 1};
    double sum, weights;
    for (uint32_t i = 2; i < x->rank; i++) {
        c.places *= (size_t)x->shape[i];
    }
    gal_status status = gali_run_work(run, (double)x->count * 2);
    status = status == GAL_OK
                 ? lose(run, node, operands, &c, is_plain(node) ? results[0].real : NULL, &sum, &weights)
                 : status;
    if (status == GAL_OK && !is_plain(node)) {
        results[0].real[0] = gali_node_is(node, "reduction", "sum") ? sum : sum / weights;
    }
    size_t all = status == GAL_OK && node->result_count > 1 && results[1].real ? x->count : 0;
    status = all ? gali_run_work(run, (double)all * (double)c.count) : status;
    for (size_t e = 0; status == GAL_OK && e < all; e++) {
        results[1].real[e] =
            log_share(node, x, &c, e / (c.count * c.places), e % c.places, e / c.places % c.count);
    }
    return status;
}

/* ---- expression ---- */

/* The logarithm of the softmax over axis 1, as a result if it is one. */
static gali_stage_of *express_logarithm(gali_express *x) {
    const gali_type *type = x->operand[0];
    scalar *index[GALI_RANK_MAX];
    gali_stage_of *most = gali_x_over(x, "most", type->element, type, 2, index);
    gali_x_fold(x, most, GALI_SCALAR_most, gali_x_smallest(x, type->element), gali_x_load(x, 0, index));
    gali_stage_of *sum = gali_x_over(x, "sum", type->element, type, 2, index);
    scalar *apart = gali_x_sub(x, gali_x_load(x, 0, index), gali_x_read_over(x, most, 2, index));
    gali_x_sum(x, sum, gali_x_of(x, GALI_SCALAR_exp, apart));
    gali_stage_of *y = gali_x_wants(x, 1)
                           ? gali_x_result(x, 1)
                           : gali_x_temporary(x, "logarithm", type->element, (uint32_t)type->rank, type->shape);
    gali_x_axes(x, (uint32_t)type->rank, index);
    apart = gali_x_sub(x, gali_x_load(x, 0, index), gali_x_read_over(x, most, 2, index));
    if (y) {
        y->value = gali_x_sub(x, apart, gali_x_of(x, GALI_SCALAR_log, gali_x_read_over(x, sum, 2, index)));
    }
    return y;
}

/* A target's class, cut to those there are, and what it weighs. */
typedef struct chosen {
    scalar *which, *weight;
} chosen;

static chosen choose(gali_express *x, scalar *const *at) {
    gali_element element = x->operand[0]->element;
    int weighted = x->node->operand_count > 2 && x->operand[2];
    scalar *target = gali_x_cast(x, GALI_i64, gali_x_load(x, 1, at)), *zero = gali_x_int(x, 0);
    scalar *last = gali_x_sub(x, gali_x_extent(x, x->operand[0]->shape[1]), gali_x_int(x, 1));
    chosen c = {.which = gali_x_most(x, zero, gali_x_least(x, target, last))};
    c.weight = gali_x_number(x, element, 1);
    if (weighted) {
        scalar *end = gali_x_sub(x, gali_x_extent(x, x->operand[2]->shape[0]), gali_x_int(x, 1));
        scalar *which = gali_x_most(x, zero, gali_x_least(x, c.which, end));
        c.weight = gali_x_load(x, 2, &which);
    }
    if (gali_node_attribute(x->node, "ignore_index")) {
        scalar *ignored = gali_x_equal(x, target, gali_x_int(x, gali_node_int(x->node, "ignore_index")));
        c.weight = gali_x_select(x, ignored, gali_x_number(x, element, 0), c.weight);
    }
    return c;
}

static scalar *express_loss(gali_express *x, const gali_stage_of *logarithm, scalar *const *at) {
    scalar *index[GALI_RANK_MAX];
    chosen c = choose(x, at);
    index[0] = at[0];
    index[1] = c.which;
    memcpy(index + 2, at + 1, (size_t)(x->operand[1]->rank - 1) * sizeof *index);
    scalar *a = logarithm ? gali_x_read(x, logarithm, index) : gali_x_load(x, 0, index);
    return gali_x_mul(x, gali_x_of(x, GALI_SCALAR_neg, c.weight), a);
}

void gali_express_loss(gali_express *x) {
    const gali_type *target = x->operand[1];
    gali_element element = x->operand[0]->element;
    uint32_t all = (1u << target->rank) - 1;
    scalar *at[GALI_RANK_MAX], *zeros[GALI_RANK_MAX];
    const gali_stage_of *logarithm = is_softmax(x->node) ? express_logarithm(x) : NULL;
    if (is_plain(x->node)) {
        gali_stage_of *y = gali_x_result(x, 0);
        gali_x_axes(x, (uint32_t)target->rank, at);
        if (y) {
            y->value = express_loss(x, logarithm, at);
        }
        return;
    }
    gali_stage_of *sum = gali_x_over(x, "sum", element, target, all, at);
    gali_x_sum(x, sum, express_loss(x, logarithm, at));
    gali_stage_of *weights = gali_x_over(x, "weights", element, target, all, at);
    gali_x_sum(x, weights, choose(x, at).weight);
    gali_stage_of *y = gali_x_result(x, 0);
    for (int i = 0; i < GALI_RANK_MAX; i++) {
        zeros[i] = gali_x_int(x, 0);
    }
    if (y) {
        scalar *whole = gali_x_read(x, sum, zeros);
        y->value = gali_node_is(x->node, "reduction", "sum")
                       ? whole
                       : gali_x_div(x, whole, gali_x_read(x, weights, zeros));
    }
}
