/*
 * Reals as small integers and back: QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear. The scale is one number, one
 * for each place along axis, or one for each block of `block_size` places along it.
 */
#include <math.h>
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"

enum { X, SCALE, ZERO };

static gali_element_kind kind_of(gali_element element) {
    return gali_element_list[element].kind;
}

static int is_integer(gali_element element) {
    return kind_of(element) == GALI_SIGNED || kind_of(element) == GALI_UNSIGNED;
}

/* Operand i, if it is given, has x's extents, but one place for each block along the axis. */
static gal_status check_blocks(gali_rule *rule, uint32_t i, int axis, int64_t block) {
    const gali_type *x = rule->operand[X], *type = gali_rule_operand(rule, i);
    gali_extents *e = rule->graph->extents;
    gal_status status = GAL_OK;
    for (int d = 0; type && status == GAL_OK && d < type->rank; d++) {
        gali_extent blocks = gali_extent_quotient(e, gali_extent_add(e, x->shape[d], block - 1), block), unused;
        status = gali_rule_same(rule, type->shape[d], d == axis ? blocks : x->shape[d], &unused);
    }
    return status;
}

/* The scale's shape and, if there is one, the zero point's. */
static gal_status scale_rule(gali_rule *rule) {
    const gali_type *x = rule->operand[X], *scale = rule->operand[SCALE], *zero = gali_rule_operand(rule, ZERO);
    int axis;
    if (kind_of(scale->element) != GALI_REAL) {
        return gali_rule_fail(rule, "a scale of reals expected");
    }
    int ranked = zero && zero->rank >= 0 && scale->rank >= 0;
    int single = ranked && gali_type_count(rule->graph->extents, scale) == 1 && /* exporters mix [] and [1] */
                 gali_type_count(rule->graph->extents, zero) == 1;
    if (ranked && !single && zero->rank != scale->rank) {
        return gali_rule_fail(rule, "scale and zero point of ranks %d and %d", scale->rank, zero->rank);
    }
    if (x->rank < 0 || scale->rank < 0) {
        return GAL_OK;
    }
    if (gali_type_count(rule->graph->extents, scale) == 1) {
        return gali_rule_single(rule, ZERO);
    }
    int64_t block = gali_node_int(rule->node, "block_size");
    if (block < 0 || scale->rank != (block ? x->rank : 1)) {
        return gali_rule_fail(rule, "a scale of rank %d for blocks of %lld", scale->rank, (long long)block);
    }
    gal_status status = gali_rule_axis(rule, gali_node_int(rule->node, "axis"), x->rank, &axis);
    for (uint32_t i = SCALE; status == GAL_OK && i <= ZERO; i++) {
        status = block ? check_blocks(rule, i, axis, block) : gali_rule_line(rule, i, x->shape[axis]);
    }
    return status;
}

gal_status gali_rule_quantize(gali_rule *rule) {
    const gali_type *zero = gali_rule_operand(rule, ZERO);
    gali_type *y = &rule->result[0];
    int64_t named = gali_node_int(rule->node, "output_dtype");
    *y = *rule->operand[X];
    y->element = zero ? zero->element : named ? gali_element_of_onnx(named) : GALI_u8;
    if (y->element == GALI_ELEMENT_COUNT || !is_integer(y->element) ||
        gali_element_list[y->element].bytes > 4) {
        return gali_rule_fail(rule, "to integers of at most 32 bits alone");
    }
    return scale_rule(rule);
}

gal_status gali_rule_dequantize(gali_rule *rule) {
    const gali_type *zero = gali_rule_operand(rule, ZERO);
    rule->result[0] = *rule->operand[X];
    rule->result[0].element = rule->operand[SCALE]->element;
    if (!is_integer(rule->operand[X]->element) || (zero && zero->element != rule->operand[X]->element)) {
        return gali_rule_fail(rule, "integers, and a zero point of their element, expected");
    }
    return scale_rule(rule);
}

static uint32_t axis_of(const gali_node *node, uint32_t rank) {
    int64_t axis = gali_node_int(node, "axis");
    return (uint32_t)(axis < 0 ? axis + (int64_t)rank : axis);
}

/* Which scale element `index` has; GALI_SIZE_BAD if it has none. */
static size_t scale_at(const gali_node *node, const gali_tensor *x, const gali_tensor *scale,
                       const int64_t *index) {
    int64_t block = gali_node_int(node, "block_size");
    uint32_t axis = axis_of(node, x->rank);
    size_t at = 0;
    if (scale->count == 1) {
        return 0;
    }
    for (uint32_t d = 0; d < x->rank && block; d++) {
        int64_t place = d == axis ? index[d] / block : index[d];
        at = place < scale->shape[d] ? at * (size_t)scale->shape[d] + (size_t)place : scale->count;
    }
    at = block ? at : (size_t)index[axis];
    return at < scale->count ? at : SIZE_MAX;
}

static gal_status no_scale(gali_run *run, const gali_node *node, const gali_tensor *scale) {
    return gali_run_fail(run, node, "%zu scales do not fit", scale->count);
}

/* The nearest integer, ties to even, whatever the host's rounding mode. */
static double nearest(double x) {
    double down = floor(x), rest = x - down;
    return down + (rest > 0.5 || (rest == 0.5 && fmod(down, 2) != 0));
}

/* Within the element's range. */
static int64_t saturated(gali_element element, double x) {
    double bits = 8.0 * gali_element_list[element].bytes, size = exp2(bits);
    double least = kind_of(element) == GALI_SIGNED ? -size / 2 : 0, most = least + size - 1;
    return (int64_t)(x < least ? least : x > most ? most : x == x ? x : 0);
}

gal_status gali_truth_quantize(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                               gali_tensor *results) {
    const gali_tensor *x = operands[X], *scale = operands[SCALE],
                      *zero = node->operand_count > ZERO ? operands[ZERO] : NULL;
    int64_t index[GALI_RANK_MAX] = {0};
    for (size_t e = 0; e < x->count; e++, gali_index_next(index, x->shape, x->rank)) {
        size_t at = scale_at(node, x, scale, index);
        if (at == SIZE_MAX || (zero && at >= zero->count)) {
            return no_scale(run, node, scale);
        }
        double value = x->real ? gali_element_round(x->element, x->real[e]) : (double)x->whole[e];
        double part = value / gali_element_round(scale->element, scale->real[at]);
        part = gali_element_round(scale->element, part); /* a tie is one in the elements that are given */
        results[0].whole[e] =
            saturated(results[0].element, nearest(part) + (zero ? (double)zero->whole[at] : 0));
    }
    return GAL_OK;
}

gal_status gali_truth_dequantize(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                 gali_tensor *results) {
    const gali_tensor *x = operands[X], *scale = operands[SCALE],
                      *zero = node->operand_count > ZERO ? operands[ZERO] : NULL;
    int64_t index[GALI_RANK_MAX] = {0};
    for (size_t e = 0; e < x->count; e++, gali_index_next(index, x->shape, x->rank)) {
        size_t at = scale_at(node, x, scale, index);
        if (at == SIZE_MAX || (zero && at >= zero->count)) {
            return no_scale(run, node, scale);
        }
        results[0].real[e] = (double)(x->whole[e] - (zero ? zero->whole[at] : 0)) * scale->real[at];
    }
    return GAL_OK;
}

/* ---- expressions ---- */

/* The element of operand `of` (scale or zero point) that the result's element has; NULL where that is not told. */
static const gali_scalar *per_element(gali_express *x, uint32_t of) {
    const gali_type *type = x->operand[of], *from = x->operand[X];
    const gali_scalar *index[GALI_RANK_MAX];
    int64_t block = gali_node_int(x->node, "block_size");
    uint32_t axis = axis_of(x->node, (uint32_t)from->rank);
    if (gali_type_count(x->extents, type) == 1) {
        for (int d = 0; d < type->rank; d++) {
            index[d] = gali_x_int(x, 0);
        }
    } else if (block) {
        gali_x_axes(x, (uint32_t)from->rank, index);
        index[axis] = gali_x_apply(x, GALI_SCALAR_quotient, index[axis], gali_x_int(x, block), NULL);
    } else {
        index[0] = gali_x_axis(x, axis);
    }
    return gali_x_load(x, of, index);
}

static int has_zero(const gali_express *x) {
    return x->node->operand_count > ZERO && x->operand[ZERO];
}

/* A real as its element holds it: no instruction of compiled code, but ties are ties wherever reals are wider. */
static const gali_scalar *rounded(gali_express *x, const gali_scalar *a) {
    return a ? gali_x_cast(x, a->element, gali_x_cast(x, GALI_f64, a)) : NULL;
}

/* Reals in the scale's element; the zero point is added before the clamp, in f64, which holds all that it can be. */
void gali_express_quantize(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_scalar *scale = rounded(x, per_element(x, SCALE)), *index[GALI_RANK_MAX];
    if (!y || !scale) {
        return;
    }
    gali_x_axes(x, y->rank, index);
    const gali_scalar *value = rounded(x, gali_x_cast(x, scale->element, gali_x_load(x, X, index)));
    const gali_scalar *part =
        gali_x_cast(x, GALI_f64, gali_x_of(x, GALI_SCALAR_round, rounded(x, gali_x_div(x, value, scale))));
    if (has_zero(x)) {
        part = gali_x_add(x, part, gali_x_cast(x, GALI_f64, per_element(x, ZERO)));
    }
    double size = exp2(8.0 * gali_element_list[y->element].bytes);
    double least = kind_of(y->element) == GALI_SIGNED ? -size / 2 : 0;
    const gali_scalar *low = gali_x_number(x, GALI_f64, least),
                      *high = gali_x_number(x, GALI_f64, least + size - 1);
    y->value = gali_x_cast(x, y->element, gali_x_least(x, gali_x_most(x, part, low), high));
}

void gali_express_dequantize(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_scalar *index[GALI_RANK_MAX];
    if (!y) {
        return;
    }
    gali_x_axes(x, y->rank, index);
    const gali_scalar *value = gali_x_cast(x, GALI_i64, gali_x_load(x, X, index));
    if (has_zero(x)) {
        value = gali_x_sub(x, value, gali_x_cast(x, GALI_i64, per_element(x, ZERO)));
    }
    y->value = gali_x_mul(x, gali_x_cast(x, y->element, value), per_element(x, SCALE));
}

/* ---- DynamicQuantizeLinear ---- */

gal_status gali_rule_dynamic_quantize(gali_rule *rule) {
    rule->result[0] = *rule->operand[0];
    if (rule->operand[0]->element != GALI_f32) {
        return gali_rule_fail(rule, "f32 expected");
    }
    rule->result[0].element = GALI_u8;
    for (uint32_t i = 1; i < rule->node->result_count; i++) {
        rule->result[i] = (gali_type){.element = i == 1 ? GALI_f32 : GALI_u8};
    }
    return GAL_OK;
}

/* Rounded to f32 where ONNX's function rounds, so that ties fall as its. */
static double f32(double x) {
    return gali_element_round(GALI_f32, x);
}

gal_status gali_truth_dynamic_quantize(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                       gali_tensor *results) {
    const gali_tensor *x = operands[0];
    double least = 0, most = 0;
    (void)run;
    for (size_t e = 0; e < x->count; e++) {
        least = x->real[e] < least ? x->real[e] : least;
        most = x->real[e] > most ? x->real[e] : most;
    }
    double scale = f32(f32(most - least) / 255);
    double zero = scale > 0 ? (double)saturated(GALI_u8, nearest(f32(-least / scale))) : 0;
    for (size_t e = 0; e < x->count; e++) {
        double part = scale > 0 ? f32(x->real[e] / scale) : 0;
        results[0].whole[e] = saturated(GALI_u8, nearest(part) + zero);
    }
    if (node->result_count > 1) {
        results[1].real[0] = scale;
    }
    if (node->result_count > 2) {
        results[2].whole[0] = (int64_t)zero;
    }
    return GAL_OK;
}

/* A stage for one number: result i, or, where nobody wants that, a temporary. */
static gali_stage_of *one_number(gali_express *x, uint32_t i, const char *name, gali_element element) {
    return gali_x_wants(x, i) ? gali_x_result(x, i) : gali_x_temporary(x, name, element, 0, NULL);
}

/* The least or the most of 0 and all of x. */
static const gali_scalar *end_of(gali_express *x, const char *name, gali_scalar_op op) {
    const gali_type *type = x->operand[0];
    const gali_scalar *index[GALI_RANK_MAX], *none[GALI_RANK_MAX];
    uint32_t mask = (1u << type->rank) - 1;
    gali_stage_of *end = gali_x_over(x, name, GALI_f32, type, mask, index);
    const gali_scalar *zero = gali_x_number(x, GALI_f32, 0);
    if (!end) {
        return NULL;
    }
    gali_x_fold(x, end, op, zero, gali_x_apply(x, op, zero, gali_x_load(x, 0, index), NULL));
    for (int d = 0; d < type->rank; d++) {
        none[d] = gali_x_int(x, 0);
    }
    return gali_x_read_over(x, end, mask, none);
}

/* Of a scale that is 0, 0; kept within u8. */
static const gali_scalar *quantized(gali_express *x, const gali_scalar *value, const gali_scalar *scale,
                                    const gali_scalar *zero) {
    const gali_scalar *part = gali_x_of(x, GALI_SCALAR_round, rounded(x, gali_x_div(x, value, scale)));
    part = gali_x_select(x, gali_x_less(x, gali_x_number(x, GALI_f32, 0), scale), part,
                         gali_x_number(x, GALI_f32, 0));
    part = zero ? gali_x_add(x, part, zero) : part;
    return gali_x_cast(
        x, GALI_u8,
        gali_x_least(x, gali_x_most(x, part, gali_x_number(x, GALI_f32, 0)), gali_x_number(x, GALI_f32, 255)));
}

void gali_express_dynamic_quantize(gali_express *x) {
    const gali_scalar *least = end_of(x, "least", GALI_SCALAR_least);
    const gali_scalar *most = end_of(x, "most", GALI_SCALAR_most), *index[GALI_RANK_MAX];
    gali_stage_of *scale = one_number(x, 1, "scale", GALI_f32);
    gali_stage_of *zero = one_number(x, 2, "zero", GALI_u8);
    gali_stage_of *y = gali_x_result(x, 0);
    if (!least || !most || !scale || !zero || !y) {
        return;
    }
    scale->value =
        rounded(x, gali_x_div(x, rounded(x, gali_x_sub(x, most, least)), gali_x_number(x, GALI_f32, 255)));
    const gali_scalar *by = gali_x_read(x, scale, NULL);
    zero->value = quantized(x, gali_x_of(x, GALI_SCALAR_neg, least), by, NULL);
    gali_x_axes(x, y->rank, index);
    y->value = quantized(x, gali_x_load(x, 0, index), by, gali_x_cast(x, GALI_f32, gali_x_read(x, zero, NULL)));
}
