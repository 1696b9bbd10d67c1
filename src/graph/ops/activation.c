/*
 * Functions of one real, and what networks use like them. Each is said twice, side by side: for doubles, and as a scalar
 * expression.
 */
#include <math.h>
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"

typedef const gali_scalar scalar;

static double attribute(const gali_node *node, const char *name) {
    return gali_node_number(node, name);
}

static scalar *number(gali_express *x, double value) {
    return gali_x_number(x, x->result[0].element, value);
}

static scalar *attribute_of(gali_express *x, const char *name) {
    return number(x, gali_node_number(x->node, name));
}

static scalar *exp_of(gali_express *x, scalar *a) {
    return gali_x_of(x, GALI_SCALAR_exp, a);
}

/* a < 0 ? b : c */
static scalar *below_zero(gali_express *x, scalar *a, scalar *b, scalar *c) {
    return gali_x_select(x, gali_x_less(x, a, number(x, 0)), b, c);
}

/* max(0, min(1, a)) */
static scalar *unit(gali_express *x, scalar *a) {
    return gali_x_most(x, number(x, 0), gali_x_least(x, number(x, 1), a));
}

static scalar *sigmoid_of(gali_express *x, scalar *a) {
    return gali_x_div(x, number(x, 1),
                      gali_x_add(x, number(x, 1), exp_of(x, gali_x_of(x, GALI_SCALAR_neg, a))));
}

/* max(a, 0) + log(1 + e^-|a|): nothing overflows */
static scalar *softplus_of(gali_express *x, scalar *a) {
    scalar *small = exp_of(x, gali_x_of(x, GALI_SCALAR_neg, gali_x_of(x, GALI_SCALAR_abs, a)));
    return gali_x_add(x, gali_x_most(x, a, number(x, 0)),
                      gali_x_of(x, GALI_SCALAR_log, gali_x_add(x, number(x, 1), small)));
}

/* ---- Reciprocal, Relu, LeakyRelu, ThresholdedRelu ---- */

static double real_reciprocal(const gali_node *node, double a) {
    (void)node;
    return 1 / a;
}

static scalar *express_reciprocal(gali_express *x, scalar *a) {
    return gali_x_div(x, number(x, 1), a);
}

static double real_relu(const gali_node *node, double a) {
    (void)node;
    return a < 0 ? 0 : a; /* NaN stays */
}

static scalar *express_relu(gali_express *x, scalar *a) {
    return below_zero(x, a, number(x, 0), a);
}

static double real_leaky_relu(const gali_node *node, double a) {
    return a < 0 ? attribute(node, "alpha") * a : a;
}

static scalar *express_leaky_relu(gali_express *x, scalar *a) {
    return below_zero(x, a, gali_x_mul(x, attribute_of(x, "alpha"), a), a);
}

static double real_thresholded_relu(const gali_node *node, double a) {
    return a > attribute(node, "alpha") ? a : 0;
}

static scalar *express_thresholded_relu(gali_express *x, scalar *a) {
    return gali_x_select(x, gali_x_less(x, attribute_of(x, "alpha"), a), a, number(x, 0));
}

/* ---- Elu, Celu, Selu ---- */

static double real_elu(const gali_node *node, double a) {
    return a < 0 ? attribute(node, "alpha") * expm1(a) : a;
}

static scalar *minus_one(gali_express *x, scalar *a) {
    return gali_x_sub(x, exp_of(x, a), number(x, 1));
}

static scalar *express_elu(gali_express *x, scalar *a) {
    return below_zero(x, a, gali_x_mul(x, attribute_of(x, "alpha"), minus_one(x, a)), a);
}

static double real_celu(const gali_node *node, double a) {
    double alpha = attribute(node, "alpha");
    return a < 0 ? alpha * expm1(a / alpha) : a;
}

static scalar *express_celu(gali_express *x, scalar *a) {
    scalar *alpha = attribute_of(x, "alpha");
    return below_zero(x, a, gali_x_mul(x, alpha, minus_one(x, gali_x_div(x, a, alpha))), a);
}

static double real_selu(const gali_node *node, double a) {
    return attribute(node, "gamma") * (a <= 0 ? attribute(node, "alpha") * expm1(a) : a);
}

static scalar *express_selu(gali_express *x, scalar *a) {
    return gali_x_mul(x, attribute_of(x, "gamma"), express_elu(x, a));
}

/* ---- Sigmoid, silu, Swish, HardSigmoid, HardSwish ---- */

static double real_sigmoid(const gali_node *node, double a) {
    (void)node;
    return 1 / (1 + exp(-a));
}

static double real_silu(const gali_node *node, double a) {
    return a * real_sigmoid(node, a);
}

static scalar *express_silu(gali_express *x, scalar *a) {
    return gali_x_mul(x, a, sigmoid_of(x, a));
}

static double real_swish(const gali_node *node, double a) {
    return a / (1 + exp(-attribute(node, "alpha") * a));
}

static scalar *express_swish(gali_express *x, scalar *a) {
    return gali_x_mul(x, a, sigmoid_of(x, gali_x_mul(x, attribute_of(x, "alpha"), a)));
}

static double clipped(double a) {
    return fmax(0, fmin(1, a));
}

static double real_hard_sigmoid(const gali_node *node, double a) {
    return clipped(attribute(node, "alpha") * a + attribute(node, "beta"));
}

static scalar *express_hard_sigmoid(gali_express *x, scalar *a) {
    return unit(x, gali_x_add(x, gali_x_mul(x, attribute_of(x, "alpha"), a), attribute_of(x, "beta")));
}

static double real_hard_swish(const gali_node *node, double a) {
    (void)node;
    return a * clipped(a / 6 + 0.5);
}

static scalar *express_hard_swish(gali_express *x, scalar *a) {
    return gali_x_mul(x, a, unit(x, gali_x_add(x, gali_x_div(x, a, number(x, 6)), number(x, 0.5))));
}

/* ---- Softplus, Softsign, Mish, Gelu, Shrink ---- */

static double real_softplus(const gali_node *node, double a) {
    (void)node;
    return fmax(a, 0) + log1p(exp(-fabs(a)));
}

static double real_softsign(const gali_node *node, double a) {
    (void)node;
    return a / (1 + fabs(a));
}

static scalar *express_softsign(gali_express *x, scalar *a) {
    return gali_x_div(x, a, gali_x_add(x, number(x, 1), gali_x_of(x, GALI_SCALAR_abs, a)));
}

static double real_mish(const gali_node *node, double a) {
    return a * tanh(real_softplus(node, a));
}

/* tanh(log(1 + e)) is n / (n + 2) with n = e (e + 2), e = e^a; it is 1 long before a is 20. */
static scalar *express_mish(gali_express *x, scalar *a) {
    scalar *e = exp_of(x, gali_x_least(x, a, number(x, 20)));
    scalar *n = gali_x_mul(x, e, gali_x_add(x, e, number(x, 2)));
    return gali_x_mul(x, a, gali_x_div(x, n, gali_x_add(x, n, number(x, 2))));
}

static const double sqrt_half = 0.70710678118654752440, sqrt_2_over_pi = 0.79788456080286535588;

static double real_gelu(const gali_node *node, double a) {
    return gali_node_is(node, "approximate", "tanh")
               ? 0.5 * a * (1 + tanh(sqrt_2_over_pi * (a + 0.044715 * a * a * a)))
               : 0.5 * a * (1 + erf(a * sqrt_half));
}

static scalar *express_gelu(gali_express *x, scalar *a) {
    scalar *half = gali_x_mul(x, number(x, 0.5), a), *bent;
    if (gali_node_is(x->node, "approximate", "tanh")) {
        scalar *cube = gali_x_mul(x, a, gali_x_mul(x, a, a));
        scalar *sum = gali_x_add(x, a, gali_x_mul(x, number(x, 0.044715), cube));
        bent = gali_x_of(x, GALI_SCALAR_tanh, gali_x_mul(x, number(x, sqrt_2_over_pi), sum));
    } else {
        bent = gali_x_of(x, GALI_SCALAR_erf, gali_x_mul(x, a, number(x, sqrt_half)));
    }
    return gali_x_mul(x, half, gali_x_add(x, number(x, 1), bent));
}

static double real_shrink(const gali_node *node, double a) {
    double limit = attribute(node, "lambd"), bias = attribute(node, "bias");
    return a < -limit ? a + bias : a > limit ? a - bias : 0;
}

static scalar *express_shrink(gali_express *x, scalar *a) {
    double limit = gali_node_number(x->node, "lambd");
    scalar *bias = attribute_of(x, "bias");
    scalar *above = gali_x_select(x, gali_x_less(x, number(x, limit), a), gali_x_sub(x, a, bias), number(x, 0));
    return gali_x_select(x, gali_x_less(x, a, number(x, -limit)), gali_x_add(x, a, bias), above);
}

/* ---- the family ---- */

static const struct activation {
    gali_op op;
    double (*real)(const gali_node *node, double a);
    scalar *(*express)(gali_express *x, scalar *a);
} table[] = {
    {GALI_OP_Reciprocal, real_reciprocal, express_reciprocal},
    {GALI_OP_Relu, real_relu, express_relu},
    {GALI_OP_LeakyRelu, real_leaky_relu, express_leaky_relu},
    {GALI_OP_ThresholdedRelu, real_thresholded_relu, express_thresholded_relu},
    {GALI_OP_Elu, real_elu, express_elu},
    {GALI_OP_Celu, real_celu, express_celu},
    {GALI_OP_Selu, real_selu, express_selu},
    {GALI_OP_Sigmoid, real_sigmoid, sigmoid_of},
    {GALI_OP_silu, real_silu, express_silu},
    {GALI_OP_Swish, real_swish, express_swish},
    {GALI_OP_HardSigmoid, real_hard_sigmoid, express_hard_sigmoid},
    {GALI_OP_HardSwish, real_hard_swish, express_hard_swish},
    {GALI_OP_Softplus, real_softplus, softplus_of},
    {GALI_OP_Softsign, real_softsign, express_softsign},
    {GALI_OP_Mish, real_mish, express_mish},
    {GALI_OP_Gelu, real_gelu, express_gelu},
    {GALI_OP_Shrink, real_shrink, express_shrink},
};

static const struct activation *find(gali_op op) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].op == op) {
            return &table[i];
        }
    }
    return NULL; /* test_ops asks for every operator of the family */
}

/* Reals; Relu of signed integers too. */
gal_status gali_rule_activation(gali_rule *rule) {
    gali_element_kind kind = gali_element_list[rule->operand[0]->element].kind;
    int fits = kind == GALI_REAL || (kind == GALI_SIGNED && rule->node->op == GALI_OP_Relu);
    rule->result[0] = *rule->operand[0];
    return fits ? GAL_OK
                : gali_rule_fail(rule, "not for %s", gali_element_list[rule->operand[0]->element].word);
}

gal_status gali_truth_activation(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                 gali_tensor *results) {
    const struct activation *row = find(node->op);
    gali_tensor *y = &results[0];
    if (!row) {
        return gali_run_fail(run, node, "no such activation");
    }
    for (size_t e = 0; e < y->count; e++) {
        if (y->real) {
            y->real[e] = row->real(node, operands[0]->real[e]);
        } else {
            y->whole[e] = operands[0]->whole[e] < 0 ? 0 : operands[0]->whole[e]; /* Relu */
        }
    }
    return GAL_OK;
}

void gali_express_activation(gali_express *x) {
    const struct activation *row = find(x->node->op);
    gali_stage_of *y = gali_x_result(x, 0);
    if (row && y) {
        y->value = row->express(x, gali_x_broadcast(x, 0, y->rank));
    } else {
        x->none = 1;
    }
}

/* ---- PRelu: the slope is broadcast to the first operand ---- */

gal_status gali_rule_prelu(gali_rule *rule) {
    if (rule->operand[0]->element != rule->operand[1]->element || rule->operand[0]->element == GALI_truth) {
        return gali_rule_fail(rule, "operands are of %s and %s",
                              gali_element_list[rule->operand[0]->element].word,
                              gali_element_list[rule->operand[1]->element].word);
    }
    rule->result[0] = *rule->operand[0];
    return gali_rule_broadcast_to(rule, 1, rule->operand[0]);
}

gal_status gali_truth_prelu(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                            gali_tensor *results) {
    const gali_tensor *a = operands[0], *slope = operands[1];
    int64_t index[GALI_RANK_MAX] = {0};
    (void)run;
    (void)node;
    for (size_t e = 0; e < a->count; e++, gali_index_next(index, a->shape, a->rank)) {
        size_t at = gali_tensor_offset(slope, a->rank, index);
        gali_number y = gali_tensor_at(a, e);
        if (a->real) {
            y.real = y.real < 0 ? slope->real[at] * y.real : y.real;
        } else if (a->element != GALI_u64 && y.whole < 0) {
            y.whole = (int64_t)((uint64_t)slope->whole[at] * (uint64_t)y.whole);
        }
        gali_tensor_put(&results[0], e, y);
    }
    return GAL_OK;
}

void gali_express_prelu(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    if (y) {
        scalar *a = gali_x_broadcast(x, 0, y->rank);
        y->value = below_zero(x, a, gali_x_mul(x, gali_x_broadcast(x, 1, y->rank), a), a);
    }
}
