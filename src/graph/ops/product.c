/*
 * Products of matrices and their kind.
 *
 *     matmul   y[..][i][j] = sum over k of a[..][i][k] b[..][k][j]; a list is a row of a, a column of b
 *     gemm     alpha a b + beta c, a and b perhaps transposed
 *     integer  matmul of a - zero and b - zero in i32, perhaps scaled back (QLinearMatMul)
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

static int is_byte(gali_element element) {
    return element == GALI_i8 || element == GALI_u8;
}

/* ---- shapes of matmul ---- */

/* The type as a matrix, or many: a list gets an axis of 1, in front (a) or behind (b). */
static gali_type as_matrix(const gali_type *type, int behind) {
    gali_type made = *type;
    if (type->rank == 1) {
        made.rank = 2;
        made.shape[0] = behind ? type->shape[0] : 1;
        made.shape[1] = behind ? 1 : type->shape[0];
    }
    return made;
}

static gal_status matmul_shape(gali_rule *rule, const gali_type *left, const gali_type *right, gali_type *out) {
    if (left->rank == 0 || right->rank == 0) {
        return gali_rule_fail(rule, "a single number has no product of matrices");
    }
    gali_type a = as_matrix(left, 0), b = as_matrix(right, 1), made;
    gali_extent rows = a.shape[a.rank - 2], columns = b.shape[b.rank - 1];
    gali_extent inner = a.shape[a.rank - 1], other = b.shape[b.rank - 2];
    if (gali_extent_is_number(inner) && gali_extent_is_number(other) && inner != other) {
        return gali_rule_fail(rule, "inner extents %lld and %lld differ", (long long)inner, (long long)other);
    }
    gali_rule_demand_same(rule, inner, other);
    a.rank -= 2;
    b.rank -= 2;
    gal_status status = gali_rule_broadcast_types(rule, &a, &b, &made);
    if (status != GAL_OK) {
        return status;
    }
    if (left->rank > 1) {
        made.shape[made.rank++] = rows;
    }
    if (right->rank > 1) {
        made.shape[made.rank++] = columns;
    }
    *out = made;
    return GAL_OK;
}

gal_status gali_rule_matmul(gali_rule *rule) {
    const gali_type *a = rule->operand[0], *b = rule->operand[1];
    rule->result[0].element = a->element;
    if (a->element != b->element || a->element == GALI_truth) {
        return gali_rule_fail(rule, "operands are of %s and %s", gali_element_list[a->element].word,
                              gali_element_list[b->element].word);
    }
    return gali_rule_ranks_known(rule) ? matmul_shape(rule, a, b, &rule->result[0]) : GAL_OK;
}

/* ---- the truth of matmul ---- */

typedef struct matmul {
    gali_tensor a, b; /* as matrices; their memory is the operands' */
    size_t inner, columns, rows;
    int64_t batch_shape[GALI_RANK_MAX];
    uint32_t batch_rank;
    size_t batches;
} matmul;

static gali_tensor tensor_as_matrix(const gali_tensor *tensor, int behind) {
    gali_tensor made = *tensor;
    if (tensor->rank == 1) {
        made.rank = 2;
        made.shape[0] = behind ? tensor->shape[0] : 1;
        made.shape[1] = behind ? 1 : tensor->shape[0];
    }
    return made;
}

static matmul matmul_of(const gali_tensor *left, const gali_tensor *right, const gali_tensor *y) {
    matmul m = {.a = tensor_as_matrix(left, 0), .b = tensor_as_matrix(right, 1), .batches = 1};
    m.rows = (size_t)m.a.shape[m.a.rank - 2];
    m.inner = (size_t)m.a.shape[m.a.rank - 1];
    m.columns = (size_t)m.b.shape[m.b.rank - 1];
    m.batch_rank = (m.a.rank > m.b.rank ? m.a.rank : m.b.rank) - 2;
    for (uint32_t i = 0; i < m.batch_rank; i++) {
        m.batch_shape[i] = y->shape[i];
        m.batches *= (size_t)y->shape[i];
    }
    return m;
}

/* Where the matrix of a batch starts. */
static size_t matrix_start(const gali_tensor *tensor, uint32_t batch_rank, const int64_t *index) {
    gali_tensor outer = *tensor;
    outer.rank -= 2;
    size_t size = (size_t)(tensor->shape[tensor->rank - 1] * tensor->shape[tensor->rank - 2]);
    return gali_tensor_offset(&outer, batch_rank, index) * size;
}

/* The operand's zero point for a row of a, or a column of b; 0 without. */
static int64_t zero_of(const gali_tensor *zero, size_t batch, size_t lines, size_t line) {
    return !zero                  ? 0
           : zero->count == 1     ? zero->whole[0]
           : zero->count == lines ? zero->whole[line]
                                  : zero->whole[(batch * lines + line) % zero->count];
}

/* Element (i, j) of a batch, in the element of the result. */
static gali_number dot(const matmul *m, size_t a_start, size_t b_start, size_t i, size_t j,
                       gali_element element) {
    gali_number sum = {0};
    for (size_t k = 0; k < m->inner; k++) {
        size_t a = a_start + i * m->inner + k, b = b_start + k * m->columns + j;
        if (is_real(element)) {
            sum.real += m->a.real[a] * m->b.real[b];
        } else {
            sum.whole = gali_element_wrap(
                element, (int64_t)((uint64_t)sum.whole + (uint64_t)m->a.whole[a] * (uint64_t)m->b.whole[b]));
        }
    }
    return sum;
}

gal_status gali_truth_matmul(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                             gali_tensor *results) {
    gali_tensor *y = &results[0];
    matmul m = matmul_of(operands[0], operands[1], y);
    int64_t index[GALI_RANK_MAX] = {0};
    (void)node;
    gal_status status = gali_run_work(run, (double)y->count * (double)m.inner);
    for (size_t batch = 0, at = 0; status == GAL_OK && batch < m.batches; batch++) {
        size_t a = matrix_start(&m.a, m.batch_rank, index), b = matrix_start(&m.b, m.batch_rank, index);
        for (size_t i = 0; i < m.rows * m.columns; i++, at++) {
            gali_tensor_put(y, at, dot(&m, a, b, i / m.columns, i % m.columns, y->element));
        }
        gali_index_next(index, m.batch_shape, m.batch_rank);
    }
    return status;
}

/* ---- the expression of matmul ---- */

typedef struct places {
    const gali_scalar *row, *column, *inner; /* NULL: the operand is a list */
    const gali_scalar *a[GALI_RANK_MAX], *b[GALI_RANK_MAX];
} places;

/* Indices of both operands at the axes of a stage that has the result's shape, to which the inner axis is added. */
static places places_of(gali_express *x, gali_stage_of *y, const gali_type *a, const gali_type *b) {
    places p = {.row = NULL};
    int batch_a = a->rank > 1 ? a->rank - 2 : 0, batch_b = b->rank > 1 ? b->rank - 2 : 0;
    int batch = batch_a > batch_b ? batch_a : batch_b;
    uint32_t axis = (uint32_t)batch;
    p.row = a->rank > 1 ? gali_x_axis(x, axis++) : NULL;
    p.column = b->rank > 1 ? gali_x_axis(x, axis++) : NULL;
    p.inner = gali_x_axis(x, gali_x_reduce(y, a->shape[a->rank - 1]));
    for (int i = 0; i < batch_a; i++) {
        int at = batch - batch_a + i;
        p.a[i] = gali_x_repeated(x, gali_x_axis(x, (uint32_t)at), a->shape[i], y->extent[at]);
    }
    for (int i = 0; i < batch_b; i++) {
        int at = batch - batch_b + i;
        p.b[i] = gali_x_repeated(x, gali_x_axis(x, (uint32_t)at), b->shape[i], y->extent[at]);
    }
    p.a[batch_a] = a->rank > 1 ? p.row : p.inner;
    p.b[batch_b] = p.inner;
    if (a->rank > 1) {
        p.a[batch_a + 1] = p.inner;
    }
    if (b->rank > 1) {
        p.b[batch_b + 1] = p.column;
    }
    return p;
}

void gali_express_matmul(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    if (y) {
        places p = places_of(x, y, x->operand[0], x->operand[1]);
        y->start = gali_x_number(x, y->element, 0);
        y->value = gali_x_accumulate(x, y, gali_x_load(x, 0, p.a), gali_x_load(x, 1, p.b));
    }
}

/* ---- Gemm ---- */

gal_status gali_rule_gemm(gali_rule *rule) {
    const gali_type *a = rule->operand[0], *b = rule->operand[1], *c = gali_rule_operand(rule, 2);
    int ta = gali_node_int(rule->node, "transA") != 0, tb = gali_node_int(rule->node, "transB") != 0;
    double alpha = gali_node_number(rule->node, "alpha"), beta = gali_node_number(rule->node, "beta");
    rule->result[0].element = a->element;
    if (a->element != b->element || (c && c->element != a->element) || a->element == GALI_truth ||
        (!is_real(a->element) && (alpha < 1 || alpha > 1 || beta < 1 || beta > 1))) {
        return gali_rule_fail(rule, "not for %s and %s", gali_element_list[a->element].word,
                              gali_element_list[b->element].word);
    }
    gali_rule_demand_rank(rule, 0, 2);
    gali_rule_demand_rank(rule, 1, 2);
    if (!gali_rule_ranks_known(rule)) {
        return GAL_OK;
    }
    if (a->rank != 2 || b->rank != 2) {
        return gali_rule_fail(rule, "matrices expected, their ranks are %d and %d", a->rank, b->rank);
    }
    gali_extent inner = a->shape[!ta], other = b->shape[tb];
    if (gali_extent_is_number(inner) && gali_extent_is_number(other) && inner != other) {
        return gali_rule_fail(rule, "inner extents %lld and %lld differ", (long long)inner, (long long)other);
    }
    gali_rule_demand_same(rule, inner, other);
    rule->result[0] = (gali_type){.element = a->element, .rank = 2, .shape = {a->shape[ta], b->shape[!tb]}};
    return gali_rule_broadcast_to(rule, 2, &rule->result[0]);
}

gal_status gali_truth_gemm(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                           gali_tensor *results) {
    const gali_tensor *a = operands[0], *b = operands[1], *c = node->operand_count > 2 ? operands[2] : NULL;
    gali_tensor *y = &results[0];
    int ta = gali_node_int(node, "transA") != 0, tb = gali_node_int(node, "transB") != 0;
    double alpha = gali_node_number(node, "alpha"), beta = gali_node_number(node, "beta");
    size_t inner = (size_t)a->shape[!ta];
    int64_t index[2] = {0};
    gal_status status = gali_run_work(run, (double)y->count * (double)inner);
    for (size_t e = 0; status == GAL_OK && e < y->count; e++, gali_index_next(index, y->shape, 2)) {
        gali_number sum = {0};
        for (size_t k = 0; k < inner; k++) {
            size_t i = (size_t)index[0], j = (size_t)index[1];
            size_t at_a = ta ? k * (size_t)a->shape[1] + i : i * inner + k;
            size_t at_b = tb ? j * inner + k : k * (size_t)b->shape[1] + j;
            if (y->real) {
                sum.real += a->real[at_a] * b->real[at_b];
            } else {
                sum.whole =
                    (int64_t)((uint64_t)sum.whole + (uint64_t)a->whole[at_a] * (uint64_t)b->whole[at_b]);
            }
        }
        gali_number added = c ? gali_tensor_at(c, gali_tensor_offset(c, 2, index)) : (gali_number){0};
        sum.real = alpha * sum.real + (c ? beta * added.real : 0);
        sum.whole = (int64_t)((uint64_t)sum.whole + (uint64_t)added.whole);
        gali_tensor_put(y, e, sum);
    }
    return status;
}

static void gemm_sum(gali_express *x, gali_stage_of *sum) {
    int ta = gali_node_int(x->node, "transA") != 0, tb = gali_node_int(x->node, "transB") != 0;
    const gali_scalar *i = gali_x_axis(x, 0), *j = gali_x_axis(x, 1);
    const gali_scalar *k = gali_x_axis(x, gali_x_reduce(sum, x->operand[0]->shape[!ta]));
    const gali_scalar *at_a[2] = {ta ? k : i, ta ? i : k}, *at_b[2] = {tb ? j : k, tb ? k : j};
    sum->start = gali_x_number(x, sum->element, 0);
    sum->value = gali_x_accumulate(x, sum, gali_x_load(x, 0, at_a), gali_x_load(x, 1, at_b));
}

static const gali_scalar *scaled(gali_express *x, const char *attribute, const gali_scalar *a) {
    double by = gali_node_number(x->node, attribute);
    return by < 1 || by > 1 ? gali_x_mul(x, gali_x_number(x, x->result[0].element, by), a) : a;
}

void gali_express_gemm(gali_express *x) {
    const gali_type *type = &x->result[0];
    double alpha = gali_node_number(x->node, "alpha");
    int added = x->node->operand_count > 2 && x->operand[2], plain = !added && alpha >= 1 && alpha <= 1;
    gali_stage_of *sum =
        plain ? gali_x_result(x, 0) : gali_x_temporary(x, "product", type->element, 2, type->shape);
    if (!sum) {
        return;
    }
    gemm_sum(x, sum);
    gali_stage_of *y = plain ? NULL : gali_x_result(x, 0);
    if (y) {
        const gali_scalar *index[2];
        gali_x_axes(x, 2, index);
        y->value = scaled(x, "alpha", gali_x_read(x, sum, index));
        y->value = added ? gali_x_add(x, y->value, scaled(x, "beta", gali_x_broadcast(x, 2, 2))) : y->value;
    }
}

/* ---- MatMulInteger and QLinearMatMul ---- */

/* Which operands are the second matrix and the zero points: QLinearMatMul has scales between. */
typedef struct quantised {
    uint32_t b, a_zero, b_zero;
    int back; /* the result is scaled back: operands 1, 4, 6 are scales, 7 its zero point */
} quantised;

static quantised quantised_of(const gali_node *node) {
    return node->op == GALI_OP_QLinearMatMul ? (quantised){3, 2, 5, 1} : (quantised){1, 2, 3, 0};
}

static const gali_tensor *operand_of(const gali_node *node, const gali_tensor *const *operands, uint32_t i) {
    return i < node->operand_count ? operands[i] : NULL;
}

/* Scales of QLinearMatMul are single reals, its result a byte. */
static gal_status check_scales(gali_rule *rule) {
    static const uint32_t scales[] = {1, 4, 6};
    gal_status status = GAL_OK;
    for (uint32_t i = 0; status == GAL_OK && i < sizeof scales / sizeof *scales; i++) {
        status = gali_rule_reals(rule, scales[i]);
        status = status == GAL_OK ? gali_rule_single(rule, scales[i]) : status;
    }
    if (status == GAL_OK && !is_byte(rule->operand[7]->element)) {
        return gali_rule_fail(rule, "not to %s", gali_element_list[rule->operand[7]->element].word);
    }
    return status == GAL_OK ? gali_rule_single(rule, 7) : status;
}

gal_status gali_rule_matmul_integer(gali_rule *rule) {
    quantised q = quantised_of(rule->node);
    const gali_type *a = rule->operand[0], *b = rule->operand[q.b];
    if (!is_byte(a->element) || !is_byte(b->element)) {
        return gali_rule_fail(rule, "not for %s and %s", gali_element_list[a->element].word,
                              gali_element_list[b->element].word);
    }
    for (uint32_t i = 0; i < 2; i++) {
        const gali_type *zero = gali_rule_operand(rule, i ? q.b_zero : q.a_zero);
        if (zero && zero->element != (i ? b : a)->element) {
            return gali_rule_fail(rule, "a zero point is of another element");
        }
        if (zero && gali_type_count(rule->graph->extents, zero) == 0) {
            return gali_rule_fail(rule, "a zero point is empty");
        }
    }
    gal_status status = gali_rule_ranks_known(rule) ? matmul_shape(rule, a, b, &rule->result[0]) : GAL_OK;
    rule->result[0].element = q.back ? rule->operand[7]->element : GALI_i32;
    return status == GAL_OK && q.back ? check_scales(rule) : status;
}

/* A real as a byte with its zero point: rounded to even, cut to the byte's range. */
static int64_t quantise(double a, int64_t zero, gali_element element) {
    double low = (double)gali_element_smallest(element).whole,
           high = (double)gali_element_largest(element).whole;
    return (int64_t)fmin(fmax(nearbyint(a) + (double)zero, low), high);
}

gal_status gali_truth_matmul_integer(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                     gali_tensor *results) {
    quantised q = quantised_of(node);
    gali_tensor *y = &results[0];
    matmul m = matmul_of(operands[0], operands[q.b], y);
    const gali_tensor *a_zero = operand_of(node, operands, q.a_zero),
                      *b_zero = operand_of(node, operands, q.b_zero);
    double scale = q.back ? operands[1]->real[0] * operands[4]->real[0] / operands[6]->real[0] : 1;
    int64_t index[GALI_RANK_MAX] = {0};
    gal_status status = gali_run_work(run, (double)y->count * (double)m.inner);
    for (size_t batch = 0, at = 0; status == GAL_OK && batch < m.batches; batch++) {
        size_t a = matrix_start(&m.a, m.batch_rank, index), b = matrix_start(&m.b, m.batch_rank, index);
        for (size_t i = 0; i < m.rows * m.columns; i++, at++) {
            size_t row = i / m.columns, column = i % m.columns;
            int64_t za = zero_of(a_zero, batch, m.rows, row), zb = zero_of(b_zero, batch, m.columns, column),
                    sum = 0;
            for (size_t k = 0; k < m.inner; k++) {
                sum += (m.a.whole[a + row * m.inner + k] - za) * (m.b.whole[b + k * m.columns + column] - zb);
            }
            y->whole[at] = q.back ? quantise((double)sum * scale, operands[7]->whole[0], y->element)
                                  : gali_element_wrap(GALI_i32, sum);
        }
        gali_index_next(index, m.batch_shape, m.batch_rank);
    }
    return status;
}

/* A zero point at a row of a or column of b: one number, or one for each; NULL where it is neither. */
static const gali_scalar *express_zero(gali_express *x, uint32_t operand, const gali_scalar *line,
                                       gali_extent lines) {
    const gali_type *zero = operand < x->node->operand_count ? x->operand[operand] : NULL;
    const gali_scalar *index[GALI_RANK_MAX];
    if (!zero) {
        return gali_x_number(x, GALI_i32, 0);
    }
    int single = gali_type_count(x->extents, zero) == 1, list = zero->rank == 1 && zero->shape[0] == lines;
    if (!single && !(list && line)) {
        x->none = 1;
        return gali_x_number(x, GALI_i32, 0);
    }
    for (int i = 0; i < zero->rank; i++) {
        index[i] = single ? gali_x_int(x, 0) : line;
    }
    return gali_x_cast(x, GALI_i32, gali_x_load(x, operand, index));
}

static const gali_scalar *first_of(gali_express *x, uint32_t operand) {
    const gali_scalar *index[GALI_RANK_MAX];
    for (int i = 0; i < GALI_RANK_MAX; i++) {
        index[i] = gali_x_int(x, 0);
    }
    return gali_x_load(x, operand, index);
}

/* The sum, a stage of i32, scaled back. */
static const gali_scalar *express_back(gali_express *x, const gali_scalar *sum, gali_element element) {
    gali_element real = x->operand[1]->element;
    const gali_scalar *scale =
        gali_x_div(x, gali_x_mul(x, first_of(x, 1), gali_x_cast(x, real, first_of(x, 4))),
                   gali_x_cast(x, real, first_of(x, 6)));
    const gali_scalar *value = gali_x_of(x, GALI_SCALAR_round, gali_x_mul(x, gali_x_cast(x, real, sum), scale));
    value = gali_x_add(x, value, gali_x_cast(x, real, first_of(x, 7)));
    value = gali_x_most(x, value, gali_x_number(x, real, (double)gali_element_smallest(element).whole));
    value = gali_x_least(x, value, gali_x_number(x, real, (double)gali_element_largest(element).whole));
    return gali_x_cast(x, element, value);
}

void gali_express_matmul_integer(gali_express *x) {
    quantised q = quantised_of(x->node);
    const gali_type *a = x->operand[0], *b = x->operand[q.b], *type = &x->result[0];
    gali_stage_of *sum =
        q.back ? gali_x_temporary(x, "sum", GALI_i32, (uint32_t)type->rank, type->shape) : gali_x_result(x, 0);
    if (!sum) {
        return;
    }
    places p = places_of(x, sum, a, b);
    const gali_scalar *left =
        gali_x_sub(x, gali_x_cast(x, GALI_i32, gali_x_load(x, 0, p.a)),
                   express_zero(x, q.a_zero, p.row, a->rank > 1 ? a->shape[a->rank - 2] : 1));
    const gali_scalar *right = gali_x_sub(x, gali_x_cast(x, GALI_i32, gali_x_load(x, q.b, p.b)),
                                          express_zero(x, q.b_zero, p.column, b->shape[b->rank - 1]));
    sum->start = gali_x_number(x, GALI_i32, 0);
    sum->value = gali_x_accumulate(x, sum, left, right);
    gali_stage_of *y = q.back ? gali_x_result(x, 0) : NULL;
    if (y) {
        const gali_scalar *index[GALI_RANK_MAX];
        gali_x_axes(x, y->rank, index);
        y->value = express_back(x, gali_x_read(x, sum, index), y->element);
    }
}
