/*
 * One number from one number of each operand, broadcast. Most operators are one row of the table below: what they do to
 * doubles, to int64, and the scalar operator that they are. The rest have functions of their own, side by side.
 */
#include <math.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"

typedef double real_function(const gali_node *node, const double *v);
typedef int64_t whole_function(const gali_node *node, const int64_t *v);
typedef const gali_scalar *scalar_function(gali_express *x, const gali_scalar *const *v);

typedef struct elementwise {
    gali_op op;
    gali_scalar_op scalar; /* used where express is NULL */
    real_function *real;   /* NULL: not of reals */
    whole_function *whole; /* NULL: not of integers and truth values */
    scalar_function *express;
} elementwise;

/* ---- on doubles ---- */

static double real_add(const gali_node *node, const double *v) {
    (void)node;
    return v[0] + v[1];
}

static double real_sub(const gali_node *node, const double *v) {
    (void)node;
    return v[0] - v[1];
}

static double real_mul(const gali_node *node, const double *v) {
    (void)node;
    return v[0] * v[1];
}

static double real_div(const gali_node *node, const double *v) {
    (void)node;
    return v[0] / v[1];
}

static double real_neg(const gali_node *node, const double *v) {
    (void)node;
    return -v[0];
}

static double real_exp(const gali_node *node, const double *v) {
    (void)node;
    return exp(v[0]);
}

static double real_sqrt(const gali_node *node, const double *v) {
    (void)node;
    return sqrt(v[0]);
}

static double real_relu(const gali_node *node, const double *v) {
    (void)node;
    return v[0] < 0 ? 0 : v[0]; /* NaN stays */
}

static double real_leaky_relu(const gali_node *node, const double *v) {
    return v[0] < 0 ? gali_node_number(node, "alpha") * v[0] : v[0];
}

static double real_less(const gali_node *node, const double *v) {
    (void)node;
    return v[0] < v[1];
}

static double real_identity(const gali_node *node, const double *v) {
    (void)node;
    return v[0];
}

/* ---- on integers and truth values, before they wrap ---- */

static int64_t whole_add(const gali_node *node, const int64_t *v) {
    (void)node;
    return (int64_t)((uint64_t)v[0] + (uint64_t)v[1]);
}

static int64_t whole_sub(const gali_node *node, const int64_t *v) {
    (void)node;
    return (int64_t)((uint64_t)v[0] - (uint64_t)v[1]);
}

static int64_t whole_mul(const gali_node *node, const int64_t *v) {
    (void)node;
    return (int64_t)((uint64_t)v[0] * (uint64_t)v[1]);
}

static int64_t whole_div(const gali_node *node, const int64_t *v) {
    (void)node;
    return v[1] == 0 ? 0 : v[1] == -1 ? (int64_t)(0 - (uint64_t)v[0]) : v[0] / v[1];
}

static int64_t whole_neg(const gali_node *node, const int64_t *v) {
    (void)node;
    return (int64_t)(0 - (uint64_t)v[0]);
}

static int64_t whole_relu(const gali_node *node, const int64_t *v) {
    (void)node;
    return v[0] < 0 ? 0 : v[0];
}

static int64_t whole_less(const gali_node *node, const int64_t *v) {
    (void)node;
    return v[0] < v[1];
}

static int64_t whole_identity(const gali_node *node, const int64_t *v) {
    (void)node;
    return v[0];
}

/* ---- as scalars, where it is not one operator ---- */

static const gali_scalar *express_relu(gali_express *x, const gali_scalar *const *v) {
    const gali_scalar *zero = gali_x_number(x, v[0]->element, 0);
    return gali_x_apply(x, GALI_SCALAR_select, gali_x_apply(x, GALI_SCALAR_less, v[0], zero, NULL), zero, v[0]);
}

static const gali_scalar *express_leaky_relu(gali_express *x, const gali_scalar *const *v) {
    const gali_scalar *alpha = gali_x_number(x, v[0]->element, gali_node_number(x->node, "alpha"));
    const gali_scalar *below =
        gali_x_apply(x, GALI_SCALAR_less, v[0], gali_x_number(x, v[0]->element, 0), NULL);
    return gali_x_apply(x, GALI_SCALAR_select, below, gali_x_apply(x, GALI_SCALAR_mul, alpha, v[0], NULL),
                        v[0]);
}

static const gali_scalar *express_identity(gali_express *x, const gali_scalar *const *v) {
    (void)x;
    return v[0];
}

static const elementwise table[] = {
    {GALI_OP_Add, GALI_SCALAR_add, real_add, whole_add, NULL},
    {GALI_OP_Sub, GALI_SCALAR_sub, real_sub, whole_sub, NULL},
    {GALI_OP_Mul, GALI_SCALAR_mul, real_mul, whole_mul, NULL},
    {GALI_OP_Div, GALI_SCALAR_div, real_div, whole_div, NULL},
    {GALI_OP_Neg, GALI_SCALAR_neg, real_neg, whole_neg, NULL},
    {GALI_OP_Exp, GALI_SCALAR_exp, real_exp, NULL, NULL},
    {GALI_OP_Sqrt, GALI_SCALAR_sqrt, real_sqrt, NULL, NULL},
    {GALI_OP_Relu, GALI_SCALAR_number, real_relu, whole_relu, express_relu},
    {GALI_OP_LeakyRelu, GALI_SCALAR_number, real_leaky_relu, NULL, express_leaky_relu},
    {GALI_OP_Less, GALI_SCALAR_less, real_less, whole_less, NULL},
    {GALI_OP_Identity, GALI_SCALAR_number, real_identity, whole_identity, express_identity},
};

static const elementwise *find(gali_op op) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].op == op) {
            return &table[i];
        }
    }
    return NULL; /* test_ops asks for every operator of the family */
}

/* ---- rules ---- */

/* Integers that shapes are made of: a + b and the like of extents. */
static gali_extent known_element(gali_rule *rule, gali_extent a, gali_extent b) {
    gali_extents *extents = rule->graph->extents;
    int64_t least, most;
    switch (rule->node->op) {
    case GALI_OP_Add:
        return gali_extent_add(extents, a, b);
    case GALI_OP_Sub:
        return gali_extent_sub(extents, a, b);
    case GALI_OP_Mul:
        return gali_extent_mul(extents, a, b);
    case GALI_OP_Neg:
        return gali_extent_mul(extents, a, -1);
    case GALI_OP_Identity:
        return a;
    case GALI_OP_Div: /* cut and rounded down are the same where nothing is negative */
        gali_extent_range(extents, a, &least, &most);
        return least >= 0 && gali_extent_is_number(b) && b > 0 ? gali_extent_quotient(extents, a, b)
                                                               : GALI_EXTENT_UNKNOWN;
    default:
        return GALI_EXTENT_UNKNOWN;
    }
}

/* Lists and single integers alone: shapes are no matrices. */
static void know(gali_rule *rule) {
    const gali_type *type = &rule->result[0];
    if (gali_element_list[type->element].kind == GALI_REAL || type->rank < 0 || type->rank > 1) {
        return;
    }
    gali_extent count = type->rank ? type->shape[0] : 1, counts[2] = {1, 1};
    for (uint32_t i = 0; i < rule->node->operand_count; i++) {
        counts[i < 2 ? i : 1] = gali_type_count(rule->graph->extents, rule->operand[i]);
        if (!rule->known[i] || i > 1) {
            return;
        }
    }
    if (count < 0 || count > GALI_GRAPH_KNOWN_MAX) {
        return;
    }
    gali_extent *known = gali_rule_knows(rule, 0, (size_t)count);
    for (gali_extent i = 0; known && i < count; i++) {
        gali_extent b = rule->node->operand_count > 1 ? rule->known[1][counts[1] == 1 ? 0 : i] : 0;
        known[i] = known_element(rule, rule->known[0][counts[0] == 1 ? 0 : i], b);
        if (known[i] == GALI_EXTENT_UNKNOWN) {
            rule->result_known[0] = NULL;
            return;
        }
    }
}

/* Operands are of one element, which is the result's. */
gal_status gali_rule_broadcast(gali_rule *rule) {
    if (!gali_rule_ranks_known(rule)) {
        rule->result[0].element = rule->operand[0]->element;
        return GAL_OK;
    }
    rule->result[0] = *rule->operand[0];
    for (uint32_t i = 1; i < rule->node->operand_count; i++) {
        if (rule->operand[i]->element != rule->operand[0]->element) {
            return gali_rule_fail(rule, "operands are of %s and %s",
                                  gali_element_list[rule->operand[0]->element].word,
                                  gali_element_list[rule->operand[i]->element].word);
        }
        gal_status status =
            gali_rule_broadcast_types(rule, &rule->result[0], rule->operand[i], &rule->result[0]);
        if (status != GAL_OK) {
            return status;
        }
    }
    know(rule);
    return GAL_OK;
}

/* The same with truth values as the result. */
gal_status gali_rule_compare(gali_rule *rule) {
    gal_status status = gali_rule_broadcast(rule);
    rule->result[0].element = GALI_truth;
    rule->result_known[0] = NULL;
    return status;
}

/* ---- the truth ---- */

static int64_t whole_of(const elementwise *row, const gali_node *node, uint32_t count,
                        const gali_tensor *const *operands, const int64_t *at) {
    int64_t whole[8];
    double real[8];
    int is_real = operands[0]->real != NULL;
    for (uint32_t i = 0; i < count; i++) {
        real[i] = is_real ? operands[i]->real[at[i]] : 0;
        whole[i] = is_real ? 0 : operands[i]->whole[at[i]];
    }
    return is_real ? (int64_t)row->real(node, real) : row->whole(node, whole);
}

static double real_of(const elementwise *row, const gali_node *node, uint32_t count,
                      const gali_tensor *const *operands, const int64_t *at) {
    double real[8];
    for (uint32_t i = 0; i < count; i++) {
        real[i] = operands[i]->real[at[i]];
    }
    return row->real(node, real);
}

enum { OPERANDS_MAX = 8 };

gal_status gali_truth_elementwise(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                  gali_tensor *results) {
    const elementwise *row = find(node->op);
    gali_tensor *y = &results[0];
    int64_t strides[OPERANDS_MAX][GALI_RANK_MAX], index[GALI_RANK_MAX] = {0}, at[OPERANDS_MAX];
    uint32_t count = node->operand_count;
    int real = operands[0]->real != NULL;
    if (!row || count > OPERANDS_MAX || (real ? !row->real : !row->whole)) {
        return gali_run_fail(run, node, "not for %s", gali_element_list[operands[0]->element].word);
    }
    for (uint32_t i = 0; i < count; i++) {
        gali_tensor_strides(operands[i], y, strides[i]);
    }
    for (size_t e = 0; e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
        for (uint32_t i = 0; i < count; i++) {
            at[i] = 0;
            for (uint32_t d = 0; d < y->rank; d++) {
                at[i] += index[d] * strides[i][d];
            }
        }
        if (y->real) {
            y->real[e] = real_of(row, node, count, operands, at);
        } else {
            y->whole[e] = gali_element_wrap(y->element, whole_of(row, node, count, operands, at));
        }
    }
    return GAL_OK;
}

/* ---- the expression ---- */

void gali_express_elementwise(gali_express *x) {
    const elementwise *row = find(x->node->op);
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_scalar *v[OPERANDS_MAX] = {NULL};
    if (!row || !y || x->node->operand_count > OPERANDS_MAX) {
        x->none = 1;
        return;
    }
    for (uint32_t i = 0; i < x->node->operand_count; i++) {
        v[i] = gali_x_broadcast(x, i, y->rank);
        if (!v[i]) {
            return;
        }
    }
    y->value = row->express ? row->express(x, v) : gali_x_apply(x, row->scalar, v[0], v[1], v[2]);
}
