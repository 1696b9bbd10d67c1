/*
 * Determinants, by elimination: in each step the row whose first element is the largest goes to the top, what it takes to make
 * the others' first elements 0 is subtracted from them, and what is left is a matrix of a row and a column less.
 *
 *     det a = product over steps of the top row's first element, negative where rows changed places
 */
#include <math.h>
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"

typedef const gali_scalar scalar;

/*
 * Of an expression: each step reads what the one before left several times over, and the loops of seven rows pass the limits
 * of a function.
 */
enum { ROWS_MOST = 6 };

static int is_real(gali_element element) {
    return gali_element_list[element].kind == GALI_REAL;
}

gal_status gali_rule_det(gali_rule *rule) {
    const gali_type *a = rule->operand[0];
    rule->result[0] = *a;
    if (!is_real(a->element) || (a->rank >= 0 && a->rank < 2)) {
        return gali_rule_fail(rule, "matrices of reals expected");
    }
    if (a->rank >= 2) {
        gali_extent rows = a->shape[a->rank - 2], columns = a->shape[a->rank - 1];
        rule->result[0].rank -= 2;
        return gali_extent_is_number(rows) && gali_extent_is_number(columns) && rows != columns
                   ? gali_rule_fail(rule, "%lld rows, %lld columns", (long long)rows, (long long)columns)
                   : GAL_OK;
    }
    return GAL_OK;
}

/* Of n rows, which are changed. */
static double determinant(double *a, size_t n) {
    double product = 1;
    for (size_t c = 0; c < n; c++) {
        size_t best = c;
        for (size_t r = c + 1; r < n; r++) {
            best = fabs(a[r * n + c]) > fabs(a[best * n + c]) ? r : best;
        }
        for (size_t k = 0; k < n && best != c; k++) {
            double kept = a[c * n + k];
            a[c * n + k] = a[best * n + k];
            a[best * n + k] = kept;
        }
        product *= best != c ? -a[c * n + c] : a[c * n + c];
        for (size_t r = c + 1; r < n && a[c * n + c] != 0; r++) {
            double by = a[r * n + c] / a[c * n + c];
            for (size_t k = c; k < n; k++) {
                a[r * n + k] -= by * a[c * n + k];
            }
        }
    }
    return product;
}

gal_status gali_truth_det(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                          gali_tensor *results) {
    const gali_tensor *a = operands[0];
    size_t n = (size_t)a->shape[a->rank - 1];
    gali_tensor copy;
    (void)node;
    gal_status status = gali_run_work(run, (double)a->count * (double)n);
    status = status == GAL_OK ? gali_tensor_make(run, &copy, a->element, a->rank, a->shape) : status;
    if (status != GAL_OK) {
        return status;
    }
    if (a->count) {
        memcpy(copy.real, a->real, a->count * sizeof *a->real);
    }
    for (size_t e = 0; e < results[0].count; e++) {
        results[0].real[e] = determinant(copy.real + e * n * n, n);
    }
    gali_tensor_release(run, &copy);
    return GAL_OK;
}

/* What is left of a matrix before a step: [batch axes][rows][rows]. */
typedef struct rest {
    const gali_stage_of *stage; /* NULL: the operand */
    const gali_stage_of *top;   /* [batch axes]: the row that goes to the top */
    gali_element element;
    uint32_t batch;
    int64_t rows;
} rest;

static scalar *entry(gali_express *x, const rest *m, scalar *row, scalar *column) {
    scalar *index[GALI_RANK_MAX];
    gali_x_axes(x, m->batch, index);
    index[m->batch] = row;
    index[m->batch + 1] = column;
    return m->stage ? gali_x_read(x, m->stage, index) : gali_x_cast(x, m->element, gali_x_load(x, 0, index));
}

static scalar *top_row(gali_express *x, const rest *m) {
    scalar *index[GALI_RANK_MAX];
    gali_x_axes(x, m->batch, index);
    scalar *cut = gali_x_least(x, gali_x_read(x, m->top, index), gali_x_int(x, m->rows - 1));
    return gali_x_most(x, gali_x_int(x, 0), cut);
}

/* The first row whose first element is the largest. */
static gali_stage_of *find_top(gali_express *x, const rest *m) {
    gali_stage_of *y = gali_x_temporary(x, "top row", GALI_i64, m->batch, x->result[0].shape);
    scalar *none = gali_x_int(x, 0), *best = none;
    scalar *most = gali_x_of(x, GALI_SCALAR_abs, entry(x, m, none, none));
    for (int64_t r = 1; r < m->rows; r++) {
        scalar *row = gali_x_int(x, r), *own = gali_x_of(x, GALI_SCALAR_abs, entry(x, m, row, none));
        scalar *is = gali_x_less(x, most, own);
        best = gali_x_select(x, is, row, best);
        most = gali_x_select(x, is, own, most);
    }
    if (y) {
        y->value = best;
    }
    return y;
}

/* The matrix behind the step: row r is row r + 1, or the top's old one where that was in its place. */
static gali_stage_of *eliminate(gali_express *x, const rest *m) {
    gali_extent shape[GALI_RANK_MAX];
    memcpy(shape, x->result[0].shape, m->batch * sizeof *shape);
    shape[m->batch] = shape[m->batch + 1] = m->rows - 1;
    gali_stage_of *y = gali_x_temporary(x, "rest", m->element, m->batch + 2, shape);
    scalar *none = gali_x_int(x, 0), *one = gali_x_int(x, 1), *top = top_row(x, m);
    scalar *row = gali_x_add(x, gali_x_axis(x, m->batch), one);
    scalar *column = gali_x_add(x, gali_x_axis(x, m->batch + 1), one);
    scalar *own = gali_x_select(x, gali_x_equal(x, row, top), none, row);
    scalar *pivot = entry(x, m, top, none), *zero = gali_x_number(x, m->element, 0);
    scalar *by = gali_x_div(x, entry(x, m, own, none), pivot);
    by = gali_x_select(x, gali_x_equal(x, pivot, zero), zero, by);
    if (y) {
        y->value = gali_x_sub(x, entry(x, m, own, column), gali_x_mul(x, by, entry(x, m, top, column)));
    }
    return y;
}

void gali_express_det(gali_express *x) {
    const gali_type *a = x->operand[0];
    rest m = {.element = a->element == GALI_f64 ? GALI_f64 : GALI_f32, .batch = (uint32_t)a->rank - 2};
    scalar *product = gali_x_number(x, m.element, 1), *none = gali_x_int(x, 0);
    gali_extent rows = a->shape[m.batch];
    if (!gali_extent_is_number(rows) || rows != a->shape[m.batch + 1] || rows > ROWS_MOST) {
        x->none = 1;
        return;
    }
    for (m.rows = rows; m.rows > 1; m.rows--) {
        m.top = find_top(x, &m);
        const gali_stage_of *next = m.top ? eliminate(x, &m) : NULL;
        if (!next) {
            return;
        }
        scalar *top = top_row(x, &m), *pivot = entry(x, &m, top, none);
        scalar *turned = gali_x_sub(x, gali_x_number(x, m.element, 0), pivot);
        product = gali_x_mul(x, product, gali_x_select(x, gali_x_equal(x, top, none), pivot, turned));
        m.stage = next;
    }
    gali_stage_of *y = gali_x_result(x, 0);
    if (y) {
        product = rows ? gali_x_mul(x, product, entry(x, &m, none, none)) : product;
        y->value = gali_x_cast(x, y->element, product);
    }
}
