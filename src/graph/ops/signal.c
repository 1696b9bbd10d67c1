/*
 * Signals: the windows that they are cut by, and their discrete Fourier transform, by definition.
 *
 *     DFT   y[k] = sum over n of x[n] e^(-2 pi i k n / length); numbers are [real, imaginary], or real alone, along the
 *           last axis. The inverse has the other sign and is divided by the length
 */
#include <math.h>
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"

typedef const gali_scalar scalar;

static const double two_pi = 6.28318530717958647693;

/* ---- windows: a - b cos(2 pi n / size) + c cos(4 pi n / size) ---- */

typedef struct shares {
    double a, b, c;
} shares;

static shares shares_of(gali_op op) {
    return op == GALI_OP_HannWindow      ? (shares){0.5, 0.5, 0}
           : op == GALI_OP_HammingWindow ? (shares){25.0 / 46, 21.0 / 46, 0}
                                         : (shares){0.42, 0.5, 0.08};
}

gal_status gali_rule_signal_window(gali_rule *rule) {
    gali_element element = gali_element_of_onnx(gali_node_int(rule->node, "output_datatype"));
    if (element == GALI_ELEMENT_COUNT || gali_element_list[element].kind != GALI_REAL) {
        return gali_rule_fail(rule, "of ONNX's type %lld",
                              (long long)gali_node_int(rule->node, "output_datatype"));
    }
    rule->result[0] = (gali_type){.element = element, .rank = 1, .shape = {GALI_EXTENT_UNKNOWN}};
    const gali_extent *size;
    uint32_t count;
    int given;
    gal_status status = gali_rule_sizes(rule, 0, NULL, &size, &count, &given);
    rule->result[0].shape[0] = size ? *size : GALI_EXTENT_UNKNOWN;
    return status;
}

gal_status gali_truth_signal_window(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                    gali_tensor *results) {
    shares s = shares_of(node->op);
    double size = (double)results[0].count - (gali_node_int(node, "periodic") ? 0 : 1);
    (void)run;
    (void)operands;
    for (size_t n = 0; n < results[0].count; n++) {
        double turn = two_pi * (double)n / size;
        results[0].real[n] = s.a - s.b * cos(turn) + s.c * cos(2 * turn);
    }
    return GAL_OK;
}

void gali_express_signal_window(gali_express *x) {
    shares s = shares_of(x->node->op);
    gali_stage_of *y = gali_x_result(x, 0);
    if (!y) {
        return;
    }
    scalar *size = gali_x_extent(x, y->extent[0]);
    size = gali_node_int(x->node, "periodic") ? size : gali_x_sub(x, size, gali_x_int(x, 1));
    scalar *turn =
        gali_x_div(x, gali_x_cast(x, y->element, gali_x_axis(x, 0)), gali_x_cast(x, y->element, size));
    turn = gali_x_mul(x, gali_x_number(x, y->element, two_pi), turn);
    scalar *once = gali_x_of(x, GALI_SCALAR_cos, turn),
           *twice = gali_x_of(x, GALI_SCALAR_cos, gali_x_add(x, turn, turn));
    y->value = gali_x_sub(x, gali_x_number(x, y->element, s.a),
                          gali_x_mul(x, gali_x_number(x, y->element, s.b), once));
    if (s.c > 0) {
        y->value = gali_x_add(x, y->value, gali_x_mul(x, gali_x_number(x, y->element, s.c), twice));
    }
}

/* ---- DFT: operands x, length, axis ---- */

/* The axis, 0..rank-2; -1: none. axis: the operand's number, or -2. */
static int axis_of(int64_t axis, int rank) {
    axis += axis < 0 ? rank : 0;
    return axis < 0 || axis >= rank - 1 ? -1 : (int)axis;
}

gal_status gali_rule_dft(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    const gali_type *length = gali_rule_operand(rule, 1), *axis = gali_rule_operand(rule, 2);
    int onesided = gali_node_int(rule->node, "onesided") != 0, at;
    rule->result[0] = *x;
    if (gali_element_list[x->element].kind != GALI_REAL || (onesided && gali_node_int(rule->node, "inverse"))) {
        return gali_rule_fail(rule, "reals, and an inverse of both sides, expected");
    }
    for (uint32_t i = 1; i <= 2; i++) {
        gal_status status = gali_rule_integers(rule, i);
        status = status == GAL_OK ? gali_rule_single(rule, i) : status;
        if (status != GAL_OK) {
            return status;
        }
    }
    if (x->rank < 0 || (axis && (!rule->known[2] || !gali_extent_is_number(rule->known[2][0])))) {
        rule->result[0].rank = -1;
        return GAL_OK;
    }
    at = axis_of(axis ? rule->known[2][0] : -2, x->rank);
    gali_extent parts = x->rank ? x->shape[x->rank - 1] : 0;
    if (at < 0 || (gali_extent_is_number(parts) && parts != 1 && parts != 2)) {
        return gali_rule_fail(rule, "a tensor [..., 1 or 2] and one of its other axes expected");
    }
    gali_extent size = !length ? x->shape[at] : rule->known[1] ? rule->known[1][0] : GALI_EXTENT_UNKNOWN;
    gali_extents *e = rule->graph->extents;
    rule->result[0].shape[at] = onesided ? gali_extent_add(e, gali_extent_quotient(e, size, 2), 1) : size;
    rule->result[0].shape[x->rank - 1] = 2;
    return GAL_OK;
}

typedef struct transform {
    int axis;
    int64_t length, terms, parts, step; /* step: between elements of x along the axis */
    double sign, scale;
} transform;

/* One number of the result: x from `start` on, wave k. */
static void wave(const transform *t, const double *x, int64_t k, double *real, double *imaginary) {
    *real = *imaginary = 0;
    for (int64_t n = 0; n < t->terms; n++) {
        double a = x[n * t->step], b = t->parts == 2 ? x[n * t->step + 1] : 0;
        double turn = t->sign * two_pi * (double)(k * n % t->length) / (double)t->length;
        *real += t->scale * (a * cos(turn) - b * sin(turn));
        *imaginary += t->scale * (a * sin(turn) + b * cos(turn));
    }
}

gal_status gali_truth_dft(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                          gali_tensor *results) {
    const gali_tensor *x = operands[0], *length = node->operand_count > 1 ? operands[1] : NULL;
    const gali_tensor *axis = node->operand_count > 2 ? operands[2] : NULL;
    gali_tensor *y = &results[0];
    transform t = {.axis = axis_of(axis ? axis->whole[0] : -2, (int)x->rank), .parts = x->shape[x->rank - 1]};
    t.length = length ? length->whole[0] : x->shape[t.axis];
    t.terms = t.length < x->shape[t.axis] ? t.length : x->shape[t.axis];
    t.sign = gali_node_int(node, "inverse") ? 1 : -1;
    t.scale = gali_node_int(node, "inverse") ? 1 / (double)t.length : 1;
    int64_t index[GALI_RANK_MAX] = {0}, strides[GALI_RANK_MAX];
    gali_tensor_strides(x, NULL, strides);
    t.step = strides[t.axis];
    gal_status status = gali_run_work(run, (double)y->count * (double)t.terms);
    for (size_t e = 0; status == GAL_OK && e < y->count; e += 2) {
        int64_t start = 0;
        for (uint32_t i = 0; i + 1 < x->rank; i++) {
            start += (int)i == t.axis ? 0 : index[i] * strides[i];
        }
        wave(&t, x->real + start, index[t.axis], &y->real[e], &y->real[e + 1]);
        gali_index_next(index, y->shape, y->rank - 1);
    }
    return status;
}

void gali_express_dft(gali_express *x) {
    const gali_type *type = x->operand[0];
    int has_length = x->node->operand_count > 1 && x->operand[1];
    int has_axis = x->node->operand_count > 2 && x->operand[2], parts = type->shape[type->rank - 1] == 2;
    if ((has_axis && !x->known[2]) || (has_length && !x->known[1]) ||
        !gali_extent_is_number(type->shape[type->rank - 1])) {
        x->none = 1;
        return;
    }
    int at = axis_of(has_axis ? x->known[2][0] : -2, type->rank),
        inverse = gali_node_int(x->node, "inverse") != 0;
    gali_extent length = has_length ? x->known[1][0] : type->shape[at];
    gali_stage_of *y = gali_x_result(x, 0);
    if (!y || length == GALI_EXTENT_UNKNOWN) {
        x->none = 1;
        return;
    }
    gali_element element = y->element;
    scalar *index[GALI_RANK_MAX], *size = gali_x_extent(x, length), *number = gali_x_cast(x, element, size);
    gali_x_axes(x, y->rank, index);
    scalar *part = index[y->rank - 1], *k = index[at];
    scalar *n = gali_x_axis(x, gali_x_reduce(y, gali_extent_least(x->extents, length, type->shape[at])));
    scalar *turn = gali_x_cast(x, element, gali_x_apply(x, GALI_SCALAR_mod, gali_x_mul(x, k, n), size, NULL));
    turn = gali_x_div(x, gali_x_mul(x, gali_x_number(x, element, inverse ? two_pi : -two_pi), turn), number);
    scalar *c = gali_x_of(x, GALI_SCALAR_cos, turn), *s = gali_x_of(x, GALI_SCALAR_sin, turn);
    index[at] = n;
    index[y->rank - 1] = gali_x_int(x, 0);
    scalar *is_real = gali_x_equal(x, part, gali_x_int(x, 0)), *a = gali_x_load(x, 0, index);
    scalar *term = gali_x_mul(x, a, gali_x_select(x, is_real, c, s));
    if (parts) {
        index[y->rank - 1] = gali_x_int(x, 1);
        scalar *b = gali_x_load(x, 0, index);
        term = gali_x_add(x, term,
                          gali_x_mul(x, b, gali_x_select(x, is_real, gali_x_of(x, GALI_SCALAR_neg, s), c)));
    }
    gali_x_sum(x, y, inverse ? gali_x_div(x, term, number) : term);
}
