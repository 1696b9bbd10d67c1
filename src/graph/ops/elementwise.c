/*
 * One number from one number of each operand, broadcast, where that is an operator of scalars.def or hardly more: then
 * scalar.h says what it does, to the truth and in expressions. Functions of one real are in activation.c.
 */
#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"
#include "graph/scalar.h"

/* ---- which scalar operator it is ---- */

typedef struct choice {
    gali_scalar_op scalar; /* GALI_SCALAR_COUNT: none, the operand as it is */
    int swapped;           /* a > b is b < a */
} choice;

static const struct row {
    gali_op op;
    choice is;
} table[] = {
    {GALI_OP_Add, {GALI_SCALAR_add, 0}},
    {GALI_OP_Sub, {GALI_SCALAR_sub, 0}},
    {GALI_OP_Mul, {GALI_SCALAR_mul, 0}},
    {GALI_OP_Div, {GALI_SCALAR_div, 0}},
    {GALI_OP_Mod, {GALI_SCALAR_mod, 0}},
    {GALI_OP_Min, {GALI_SCALAR_least, 0}},
    {GALI_OP_Max, {GALI_SCALAR_most, 0}},
    {GALI_OP_Sum, {GALI_SCALAR_add, 0}},
    {GALI_OP_Mean, {GALI_SCALAR_add, 0}},
    {GALI_OP_Neg, {GALI_SCALAR_neg, 0}},
    {GALI_OP_Abs, {GALI_SCALAR_abs, 0}},
    {GALI_OP_Sign, {GALI_SCALAR_sign, 0}},
    {GALI_OP_Floor, {GALI_SCALAR_floor, 0}},
    {GALI_OP_Ceil, {GALI_SCALAR_ceil, 0}},
    {GALI_OP_Round, {GALI_SCALAR_round, 0}},
    {GALI_OP_Sqrt, {GALI_SCALAR_sqrt, 0}},
    {GALI_OP_Exp, {GALI_SCALAR_exp, 0}},
    {GALI_OP_Log, {GALI_SCALAR_log, 0}},
    {GALI_OP_Erf, {GALI_SCALAR_erf, 0}},
    {GALI_OP_Sin, {GALI_SCALAR_sin, 0}},
    {GALI_OP_Cos, {GALI_SCALAR_cos, 0}},
    {GALI_OP_Tan, {GALI_SCALAR_tan, 0}},
    {GALI_OP_Asin, {GALI_SCALAR_asin, 0}},
    {GALI_OP_Acos, {GALI_SCALAR_acos, 0}},
    {GALI_OP_Atan, {GALI_SCALAR_atan, 0}},
    {GALI_OP_Sinh, {GALI_SCALAR_sinh, 0}},
    {GALI_OP_Cosh, {GALI_SCALAR_cosh, 0}},
    {GALI_OP_Tanh, {GALI_SCALAR_tanh, 0}},
    {GALI_OP_Asinh, {GALI_SCALAR_asinh, 0}},
    {GALI_OP_Acosh, {GALI_SCALAR_acosh, 0}},
    {GALI_OP_Atanh, {GALI_SCALAR_atanh, 0}},
    {GALI_OP_Equal, {GALI_SCALAR_equal, 0}},
    {GALI_OP_Less, {GALI_SCALAR_less, 0}},
    {GALI_OP_LessOrEqual, {GALI_SCALAR_less_equal, 0}},
    {GALI_OP_Greater, {GALI_SCALAR_less, 1}},
    {GALI_OP_GreaterOrEqual, {GALI_SCALAR_less_equal, 1}},
    {GALI_OP_IsNaN, {GALI_SCALAR_is_nan, 0}},
    {GALI_OP_And, {GALI_SCALAR_and, 0}},
    {GALI_OP_Or, {GALI_SCALAR_or, 0}},
    {GALI_OP_Xor, {GALI_SCALAR_xor, 0}},
    {GALI_OP_Not, {GALI_SCALAR_not, 0}},
    {GALI_OP_BitwiseAnd, {GALI_SCALAR_bit_and, 0}},
    {GALI_OP_BitwiseOr, {GALI_SCALAR_bit_or, 0}},
    {GALI_OP_BitwiseXor, {GALI_SCALAR_bit_xor, 0}},
    {GALI_OP_BitwiseNot, {GALI_SCALAR_bit_not, 0}},
    {GALI_OP_BitShift, {GALI_SCALAR_shift_left, 0}},
};

static choice choose(const gali_node *node) {
    choice is = {GALI_SCALAR_COUNT, 0};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        is = table[i].op == node->op ? table[i].is : is;
    }
    if (node->op == GALI_OP_Mod && gali_node_int(node, "fmod")) {
        is.scalar = GALI_SCALAR_rem;
    }
    if (node->op == GALI_OP_BitShift && gali_node_is(node, "direction", "RIGHT")) {
        is.scalar = GALI_SCALAR_shift_right;
    }
    return is;
}

/* ---- known integers: shapes are computed with them ---- */

static gali_extent known_mod(gali_extents *extents, gali_extent a, gali_extent b) {
    gali_extent whole = gali_extent_mul(extents, gali_extent_quotient(extents, a, b), b);
    return gali_extent_sub(extents, a, whole);
}

/* Less, equal or more than 0, as a truth value; unknown where symbols decide. */
static gali_extent known_compare(gali_extents *extents, gali_op op, gali_extent a, gali_extent b) {
    int64_t least, most;
    gali_extent_range(extents, gali_extent_sub(extents, a, b), &least, &most);
    int below = most < 0, above = least > 0, same = least == 0 && most == 0;
    switch (op) {
    case GALI_OP_Equal:
        return same ? 1 : below || above ? 0 : GALI_EXTENT_UNKNOWN;
    case GALI_OP_Less:
        return below ? 1 : least >= 0 ? 0 : GALI_EXTENT_UNKNOWN;
    case GALI_OP_LessOrEqual:
        return most <= 0 ? 1 : above ? 0 : GALI_EXTENT_UNKNOWN;
    case GALI_OP_Greater:
        return above ? 1 : most <= 0 ? 0 : GALI_EXTENT_UNKNOWN;
    default: /* GreaterOrEqual */
        return least >= 0 ? 1 : below ? 0 : GALI_EXTENT_UNKNOWN;
    }
}

/* a + b and the like of extents; of one operand b is 0. */
static gali_extent known_element(gali_extents *extents, gali_op op, gali_extent a, gali_extent b) {
    int64_t least, most, divisor, unused;
    switch (op) {
    case GALI_OP_Add:
    case GALI_OP_Sum:
        return gali_extent_add(extents, a, b);
    case GALI_OP_Sub:
        return gali_extent_sub(extents, a, b);
    case GALI_OP_Mul:
        return gali_extent_mul(extents, a, b);
    case GALI_OP_Neg:
        return gali_extent_mul(extents, a, -1);
    case GALI_OP_Min:
        return gali_extent_least(extents, a, b);
    case GALI_OP_Max:
        return gali_extent_most(extents, a, b);
    case GALI_OP_Identity:
        return a;
    case GALI_OP_Div: /* cut and rounded down are the same where nothing is negative */
        gali_extent_range(extents, a, &least, &most);
        gali_extent_range(extents, b, &divisor, &unused);
        return least < 0 || divisor <= 0 ? GALI_EXTENT_UNKNOWN : gali_extent_quotient(extents, a, b);
    case GALI_OP_Mod:
        gali_extent_range(extents, b, &divisor, &unused);
        return divisor <= 0 ? GALI_EXTENT_UNKNOWN : known_mod(extents, a, b);
    case GALI_OP_Equal:
    case GALI_OP_Less:
    case GALI_OP_LessOrEqual:
    case GALI_OP_Greater:
    case GALI_OP_GreaterOrEqual:
        return known_compare(extents, op, a, b);
    default:
        return GALI_EXTENT_UNKNOWN;
    }
}

/* The elements of a list or a single integer that all operands are known for; -1 where shapes are not made of such. */
static gali_extent known_count(const gali_rule *rule) {
    const gali_type *type = &rule->result[0];
    int known = gali_element_list[type->element].kind != GALI_REAL && type->rank >= 0 && type->rank <= 1;
    for (uint32_t i = 0; i < rule->node->operand_count; i++) {
        known &= rule->operand[i] && rule->known[i];
    }
    gali_extent count = !known ? -1 : type->rank ? type->shape[0] : 1;
    return count <= GALI_GRAPH_KNOWN_MAX ? count : -1;
}

/* Element i of a known operand that is broadcast. */
static gali_extent known_at(const gali_rule *rule, uint32_t operand, gali_extent i) {
    const gali_type *type = rule->operand[operand];
    return rule->known[operand][type->rank == 0 || type->shape[0] == 1 ? 0 : i];
}

static gali_extent known_of(const gali_rule *rule, gali_extent i) {
    gali_op op = rule->node->op;
    gali_extent y = known_at(rule, 0, i);
    if (op == GALI_OP_Where) {
        return !gali_extent_is_number(y) ? GALI_EXTENT_UNKNOWN : known_at(rule, y ? 1 : 2, i);
    }
    if (rule->node->operand_count == 1) {
        return op == GALI_OP_Sum || op == GALI_OP_Min || op == GALI_OP_Max
                   ? y
                   : known_element(rule->graph->extents, op, y, 0);
    }
    for (uint32_t k = 1; k < rule->node->operand_count; k++) {
        y = known_element(rule->graph->extents, op, y, known_at(rule, k, i));
    }
    return y;
}

/* Where extents say nothing of any element, the truth may (gali_evaluate_known). */
static void know(gali_rule *rule) {
    int some = 0,
        cut = rule->node->op == GALI_OP_Mod && gali_node_int(rule->node, "fmod"); /* extents are rounded down */
    gali_extent count = cut ? -1 : known_count(rule);
    gali_extent *known = count >= 0 ? gali_rule_knows(rule, 0, (size_t)count) : NULL;
    for (gali_extent i = 0; known && i < count; i++) {
        known[i] = known_of(rule, i);
        known[i] = known[i] == GALI_EXTENT_BAD ? GALI_EXTENT_UNKNOWN : known[i];
        known[i] =
            gali_extent_is_number(known[i]) ? gali_element_wrap(rule->result[0].element, known[i]) : known[i];
        some |= known[i] != GALI_EXTENT_UNKNOWN;
    }
    rule->result_known[0] = some || count == 0 ? known : NULL;
}

/* ---- rules ---- */

static gal_status same_elements(gali_rule *rule, uint32_t from) {
    for (uint32_t i = from + 1; i < rule->node->operand_count; i++) {
        if (rule->operand[i] && rule->operand[i]->element != rule->operand[from]->element) {
            return gali_rule_fail(rule, "operands are of %s and %s",
                                  gali_element_list[rule->operand[from]->element].word,
                                  gali_element_list[rule->operand[i]->element].word);
        }
    }
    return GAL_OK;
}

/* The shape that all operands are broadcast to; the element is that of operand `like`. */
static gal_status shapes(gali_rule *rule, uint32_t like) {
    gali_type made = *rule->operand[0];
    gal_status status = GAL_OK;
    if (!gali_rule_ranks_known(rule)) {
        made.rank = -1;
    }
    for (uint32_t i = 1; made.rank >= 0 && status == GAL_OK && i < rule->node->operand_count; i++) {
        status = rule->operand[i] ? gali_rule_broadcast_types(rule, &made, rule->operand[i], &made) : GAL_OK;
    }
    made.element = rule->operand[like]->element;
    rule->result[0] = made;
    return status;
}

/* Operands are of one element that the scalar operator is for. */
static gal_status check_elements(gali_rule *rule) {
    gali_element element = rule->operand[0]->element;
    choice is = choose(rule->node);
    if (is.scalar != GALI_SCALAR_COUNT && !gali_scalar_has(is.scalar, element)) {
        return gali_rule_fail(rule, "not for %s", gali_element_list[element].word);
    }
    gal_status status = gali_rule_all_given(rule);
    return status == GAL_OK ? same_elements(rule, 0) : status;
}

gal_status gali_rule_broadcast(gali_rule *rule) {
    gal_status status = check_elements(rule);
    status = status == GAL_OK ? shapes(rule, 0) : status;
    if (status == GAL_OK) {
        know(rule);
    }
    return status;
}

gal_status gali_rule_compare(gali_rule *rule) {
    gal_status status = check_elements(rule);
    status = status == GAL_OK ? shapes(rule, 0) : status;
    rule->result[0].element = GALI_truth;
    if (status == GAL_OK) {
        know(rule);
    }
    return status;
}

/* ---- one, two operands ---- */

/* What one line of a result is computed from: where its elements begin in the operands, and how far apart they lie. */
typedef struct line {
    const gali_tensor *operand[2];
    size_t at[2], step[2];
} line;

/* Sums and products of reals, which networks are mostly made of, without a look at the operator for each. 0: another. */
static int compute_real_line(gali_scalar_op op, const line *l, double *y, size_t count) {
    const double *a = l->operand[0]->real + l->at[0], *b = l->operand[1]->real + l->at[1];
    size_t i = l->step[0], k = l->step[1];
    if (op == GALI_SCALAR_add) {
        for (size_t e = 0; e < count; e++) {
            y[e] = a[e * i] + b[e * k];
        }
    } else if (op == GALI_SCALAR_mul) {
        for (size_t e = 0; e < count; e++) {
            y[e] = a[e * i] * b[e * k];
        }
    }
    return op == GALI_SCALAR_add || op == GALI_SCALAR_mul;
}

static void compute_line(gali_scalar_op op, const line *l, uint32_t operands, gali_tensor *y, size_t first,
                         size_t count) {
    gali_element element = l->operand[0]->element;
    if (operands == 2 && y->real && compute_real_line(op, l, y->real + first, count)) {
        return;
    }
    for (size_t e = 0; e < count; e++) {
        gali_number v[3] = {{0}};
        for (uint32_t i = 0; i < operands; i++) {
            v[i] = gali_tensor_at(l->operand[i], l->at[i] + e * l->step[i]);
        }
        gali_tensor_put(y, first + e, op == GALI_SCALAR_COUNT ? v[0] : gali_scalar_compute(op, element, v));
    }
}

gal_status gali_truth_elementwise(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                  gali_tensor *results) {
    choice is = choose(node);
    gali_tensor *y = &results[0];
    int64_t index[GALI_RANK_MAX] = {0};
    uint32_t outer = y->rank ? y->rank - 1 : 0;
    size_t length = y->rank ? (size_t)y->shape[outer] : 1;
    (void)run;
    for (size_t e = 0; e < y->count; e += length, gali_index_next(index, y->shape, outer)) {
        line l = {{NULL}, {0}, {0}};
        for (uint32_t i = 0; i < node->operand_count; i++) {
            uint32_t to = is.swapped ? 1 - i : i, rank = operands[i]->rank;
            l.operand[to] = operands[i];
            l.at[to] = gali_tensor_offset(operands[i], y->rank, index);
            l.step[to] = rank && operands[i]->shape[rank - 1] != 1;
        }
        compute_line(is.scalar, &l, node->operand_count, y, e, length);
    }
    return GAL_OK;
}

void gali_express_elementwise(gali_express *x) {
    choice is = choose(x->node);
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_scalar *v[2] = {NULL};
    for (uint32_t i = 0; y && i < x->node->operand_count; i++) {
        v[is.swapped ? 1 - i : i] = gali_x_broadcast(x, i, y->rank);
    }
    if (y) {
        y->value = is.scalar == GALI_SCALAR_COUNT ? v[0] : gali_x_apply(x, is.scalar, v[0], v[1], NULL);
    }
}

/* ---- any number of operands: Sum, Mean, Min, Max ---- */

gal_status gali_truth_variadic(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                               gali_tensor *results) {
    choice is = choose(node);
    gali_tensor *y = &results[0];
    int64_t index[GALI_RANK_MAX] = {0};
    gal_status status = gali_run_work(run, (double)y->count * node->operand_count);
    for (size_t e = 0; status == GAL_OK && e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
        gali_number v[3] = {{0}};
        v[0] = gali_tensor_at(operands[0], gali_tensor_offset(operands[0], y->rank, index));
        for (uint32_t i = 1; i < node->operand_count; i++) {
            v[1] = gali_tensor_at(operands[i], gali_tensor_offset(operands[i], y->rank, index));
            v[0] = gali_scalar_compute(is.scalar, y->element, v);
        }
        v[0].real /= node->op == GALI_OP_Mean ? (double)node->operand_count : 1;
        gali_tensor_put(y, e, v[0]);
    }
    return status;
}

void gali_express_variadic(gali_express *x) {
    choice is = choose(x->node);
    gali_stage_of *y = gali_x_result(x, 0);
    if (!y) {
        return;
    }
    y->value = gali_x_broadcast(x, 0, y->rank);
    for (uint32_t i = 1; i < x->node->operand_count; i++) {
        y->value = gali_x_apply(x, is.scalar, y->value, gali_x_broadcast(x, i, y->rank), NULL);
    }
    if (x->node->op == GALI_OP_Mean) {
        y->value = gali_x_div(x, y->value, gali_x_number(x, y->element, x->node->operand_count));
    }
}

gal_status gali_rule_mean(gali_rule *rule) {
    gali_element element = rule->operand[0]->element;
    return gali_element_list[element].kind == GALI_REAL
               ? gali_rule_broadcast(rule)
               : gali_rule_fail(rule, "not for %s", gali_element_list[element].word);
}

/* ---- Pow: the result is of the base's element; it is computed in the real one, if one is real ---- */

gal_status gali_rule_pow(gali_rule *rule) {
    for (uint32_t i = 0; i < 2; i++) {
        if (!gali_scalar_has(GALI_SCALAR_pow, rule->operand[i]->element)) {
            return gali_rule_fail(rule, "not for %s", gali_element_list[rule->operand[i]->element].word);
        }
    }
    return shapes(rule, 0);
}

/* The element that base and exponent are brought to. */
static gali_element pow_element(gali_element base, gali_element exponent) {
    return gali_element_list[base].kind != GALI_REAL && gali_element_list[exponent].kind == GALI_REAL ? exponent
                                                                                                      : base;
}

gal_status gali_truth_pow(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                          gali_tensor *results) {
    gali_tensor *y = &results[0];
    int64_t index[GALI_RANK_MAX] = {0};
    gali_element element = pow_element(operands[0]->element, operands[1]->element);
    (void)run;
    (void)node;
    for (size_t e = 0; e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
        gali_number v[3] = {{0}};
        for (uint32_t i = 0; i < 2; i++) {
            v[i] = gali_tensor_at(operands[i], gali_tensor_offset(operands[i], y->rank, index));
            v[i] =
                operands[i]->element == element ? v[i] : gali_number_cast(operands[i]->element, element, v[i]);
        }
        gali_number power = gali_scalar_compute(GALI_SCALAR_pow, element, v);
        gali_tensor_put(y, e, element == y->element ? power : gali_number_cast(element, y->element, power));
    }
    return GAL_OK;
}

/* Whether the exponent is one number, 2. */
static int is_square(const gali_express *x) {
    const double *exponent = x->real[1];
    int one = exponent && x->operand[1]->rank <= x->operand[0]->rank;
    for (int d = 0; one && d < x->operand[1]->rank; d++) {
        one = x->operand[1]->shape[d] == 1;
    }
    return one && exponent[0] == 2;
}

/* A square is a product, the number nearest to it. */
void gali_express_pow(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    gali_element element = pow_element(x->operand[0]->element, x->operand[1]->element);
    if (y && element == y->element && is_square(x)) {
        const gali_scalar *base = gali_x_cast(x, element, gali_x_broadcast(x, 0, y->rank));
        y->value = gali_x_mul(x, base, base);
    } else if (y) {
        const gali_scalar *base = gali_x_cast(x, element, gali_x_broadcast(x, 0, y->rank));
        const gali_scalar *exponent = gali_x_cast(x, element, gali_x_broadcast(x, 1, y->rank));
        y->value = gali_x_cast(x, y->element, gali_x_apply(x, GALI_SCALAR_pow, base, exponent, NULL));
    }
}

/* ---- Where ---- */

gal_status gali_rule_where(gali_rule *rule) {
    if (rule->operand[0]->element != GALI_truth) {
        return gali_rule_fail(rule, "its first operand is of %s, bool expected",
                              gali_element_list[rule->operand[0]->element].word);
    }
    gal_status status = same_elements(rule, 1);
    status = status == GAL_OK ? shapes(rule, 1) : status;
    if (status == GAL_OK) {
        know(rule);
    }
    return status;
}

gal_status gali_truth_where(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                            gali_tensor *results) {
    gali_tensor *y = &results[0];
    int64_t index[GALI_RANK_MAX] = {0};
    (void)run;
    (void)node;
    for (size_t e = 0; e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
        int64_t truth = operands[0]->whole[gali_tensor_offset(operands[0], y->rank, index)];
        const gali_tensor *from = operands[truth ? 1 : 2];
        gali_tensor_put(y, e, gali_tensor_at(from, gali_tensor_offset(from, y->rank, index)));
    }
    return GAL_OK;
}

void gali_express_where(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    if (y) {
        y->value = gali_x_select(x, gali_x_broadcast(x, 0, y->rank), gali_x_broadcast(x, 1, y->rank),
                                 gali_x_broadcast(x, 2, y->rank));
    }
}

/* ---- Clip: limits are single numbers, and may be left out ---- */

gal_status gali_rule_clip(gali_rule *rule) {
    gali_element element = rule->operand[0]->element;
    if (!gali_scalar_has(GALI_SCALAR_least, element)) {
        return gali_rule_fail(rule, "not for %s", gali_element_list[element].word);
    }
    for (uint32_t i = 1; i < rule->node->operand_count; i++) {
        const gali_type *limit = rule->operand[i];
        if (limit && limit->rank > 0 && gali_type_count(rule->graph->extents, limit) != 1) {
            return gali_rule_fail(rule, "operand %u: a single number expected", i + 1);
        }
    }
    rule->result[0] = *rule->operand[0];
    return same_elements(rule, 0);
}

gal_status gali_truth_clip(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                           gali_tensor *results) {
    static const gali_scalar_op limit[] = {GALI_SCALAR_COUNT, GALI_SCALAR_most, GALI_SCALAR_least};
    gali_tensor *y = &results[0];
    (void)run;
    for (size_t e = 0; e < y->count; e++) {
        gali_number v[3] = {gali_tensor_at(operands[0], e)};
        for (uint32_t i = 1; i < node->operand_count; i++) {
            if (operands[i]) {
                v[1] = gali_tensor_at(operands[i], 0);
                v[0] = gali_scalar_compute(limit[i], y->element, v);
            }
        }
        gali_tensor_put(y, e, v[0]);
    }
    return GAL_OK;
}

void gali_express_clip(gali_express *x) {
    static const gali_scalar_op limit[] = {GALI_SCALAR_COUNT, GALI_SCALAR_most, GALI_SCALAR_least};
    gali_stage_of *y = gali_x_result(x, 0);
    if (!y) {
        return;
    }
    const gali_scalar *zeros[GALI_RANK_MAX];
    for (int i = 0; i < GALI_RANK_MAX; i++) {
        zeros[i] = gali_x_int(x, 0);
    }
    y->value = gali_x_broadcast(x, 0, y->rank);
    for (uint32_t i = 1; i < x->node->operand_count; i++) {
        if (x->operand[i]) {
            y->value = gali_x_apply(x, limit[i], y->value, gali_x_load(x, i, zeros), NULL);
        }
    }
}
