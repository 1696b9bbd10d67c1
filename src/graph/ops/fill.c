/* Tensors made of sizes and few numbers: Range, EyeLike, OneHot. */
#include <math.h>
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"

/* The only element of an operand. */
static const gali_scalar *only(gali_express *x, uint32_t operand) {
    const gali_scalar *index[GALI_RANK_MAX];
    for (int i = 0; i < x->operand[operand]->rank; i++) {
        index[i] = gali_x_int(x, 0);
    }
    return gali_x_load(x, operand, index);
}

/* ---- Range ---- */

enum { START, LIMIT, DELTA };

/* How many steps of delta lie in start..limit. */
static gali_extent steps(gali_extents *extents, gali_extent start, gali_extent limit, gali_extent delta) {
    gali_extent span = gali_extent_sub(extents, limit, start);
    if (!gali_extent_is_number(delta) || delta == 0) {
        return GALI_EXTENT_UNKNOWN;
    }
    span = delta < 0 ? gali_extent_mul(extents, span, -1) : span;
    delta = delta < 0 ? -delta : delta;
    gali_extent up = gali_extent_add(extents, span, delta - 1);
    return gali_extent_most(extents, gali_extent_quotient(extents, up, delta), 0);
}

static double real_steps(double start, double limit, double delta) {
    double count = ceil((limit - start) / delta);
    return count > 0 ? count : 0; /* NaN too */
}

gal_status gali_rule_range(gali_rule *rule) {
    const gali_graph *graph = rule->graph;
    gali_type *y = &rule->result[0];
    int ints = 1, reals = 1;
    *y = (gali_type){.element = rule->operand[0]->element, .rank = 1, .shape = {GALI_EXTENT_UNKNOWN}};
    for (uint32_t i = 0; i < 3; i++) {
        if (rule->operand[i]->element != y->element) {
            return gali_rule_fail(rule, "start, limit and delta are not of one element");
        }
        gali_extent count = gali_type_count(graph->extents, rule->operand[i]);
        if (gali_extent_is_number(count) && count != 1) {
            return gali_rule_fail(rule, "operand %u has %lld elements, not one", i + 1, (long long)count);
        }
        ints &= rule->known[i] && count == 1;
        reals &= rule->constant[i] && count == 1;
    }
    int known_delta = rule->known[DELTA] && gali_extent_is_number(*rule->known[DELTA]);
    if (known_delta && *rule->known[DELTA] == 0) {
        return gali_rule_fail(rule, "a delta of 0");
    }
    if (ints || known_delta) {
        const gali_extent *start, *limit;
        uint32_t one;
        int given;
        gal_status status = gali_rule_sizes(rule, START, NULL, &start, &one, &given);
        status = status == GAL_OK ? gali_rule_sizes(rule, LIMIT, NULL, &limit, &one, &given) : status;
        if (status != GAL_OK || !start || !limit) {
            return status;
        }
        y->shape[0] = steps(graph->extents, *start, *limit, *rule->known[DELTA]);
    } else if (reals) {
        double v[3];
        for (int i = 0; i < 3; i++) {
            v[i] = gali_constant_real(&graph->values[rule->node->operands[i]], 0);
        }
        double count = real_steps(v[START], v[LIMIT], v[DELTA]);
        y->shape[0] = count < (double)GALI_EXTENT_LARGEST ? (gali_extent)count : GALI_EXTENT_BAD;
    }
    return GAL_OK;
}

gal_status gali_truth_range(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                            gali_tensor *results) {
    gali_tensor *y = &results[0];
    if (!y->real && !y->whole) { /* reals: no extents */
        double count = real_steps(operands[START]->real ? operands[START]->real[0] : 0,
                                  operands[LIMIT]->real ? operands[LIMIT]->real[0] : 0,
                                  operands[DELTA]->real ? operands[DELTA]->real[0] : 1);
        if (!(count < 1e12)) {
            return gali_run_fail(run, node, "too many elements");
        }
        gal_status status = gali_run_work(run, count);
        if (status == GAL_OK) {
            status = gali_tensor_make(run, y, operands[START]->element, 1, (int64_t[]){(int64_t)count});
        }
        if (status != GAL_OK) {
            return status;
        }
    }
    for (size_t i = 0; i < y->count; i++) {
        if (y->real) {
            y->real[i] = operands[START]->real[0] + (double)i * operands[DELTA]->real[0];
        } else {
            uint64_t step = (uint64_t)operands[DELTA]->whole[0] * (uint64_t)i;
            y->whole[i] = gali_element_wrap(y->element, (int64_t)((uint64_t)operands[START]->whole[0] + step));
        }
    }
    return GAL_OK;
}

/* The only element of an operand in f64. */
static const gali_scalar *only_real(gali_express *x, uint32_t operand) {
    return gali_x_cast(x, GALI_f64, only(x, operand));
}

/* How many steps there are, as running tells it: real_steps. */
static const gali_scalar *express_steps(gali_express *x) {
    const gali_scalar *span = gali_x_sub(x, only_real(x, LIMIT), only_real(x, START));
    const gali_scalar *count = gali_x_of(x, GALI_SCALAR_ceil, gali_x_div(x, span, only_real(x, DELTA)));
    const gali_scalar *none = gali_x_number(x, GALI_f64, 0), *most = gali_x_number(x, GALI_f64, 1e12);
    const gali_scalar *found =
        gali_x_cast(x, GALI_i64, gali_x_select(x, gali_x_less(x, none, count), count, none));
    return gali_x_select(x, gali_x_less(x, count, most), found, gali_x_int(x, -1)); /* which no size is */
}

void gali_express_range(gali_express *x) {
    gali_x_tell(x, 0, express_steps(x));
    gali_stage_of *y = gali_x_result(x, 0);
    if (y) {
        const gali_scalar *step = gali_x_apply(
            x, GALI_SCALAR_mul, gali_x_cast(x, y->element, gali_x_axis(x, 0)), only(x, DELTA), NULL);
        y->value = gali_x_apply(x, GALI_SCALAR_add, only(x, START), step, NULL);
    }
}

/* ---- EyeLike ---- */

gal_status gali_rule_eye_like(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    rule->result[0] = *x;
    if (x->rank >= 0 && x->rank != 2) {
        return gali_rule_fail(rule, "rank %d, 2 expected", x->rank);
    }
    if (gali_node_attribute(rule->node, "dtype")) {
        rule->result[0].element = gali_element_of_onnx(gali_node_int(rule->node, "dtype"));
        if (rule->result[0].element == GALI_ELEMENT_COUNT) {
            return gali_rule_fail(rule, "no such element as dtype %lld",
                                  (long long)gali_node_int(rule->node, "dtype"));
        }
    }
    return GAL_OK;
}

gal_status gali_truth_eye_like(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                               gali_tensor *results) {
    gali_tensor *y = &results[0];
    int64_t k = gali_node_int(node, "k");
    (void)run;
    (void)operands;
    for (int64_t row = 0; row < y->shape[0]; row++) {
        if (k >= -row && k < y->shape[1] - row) {
            size_t at = (size_t)(row * y->shape[1] + row + k);
            if (y->real) {
                y->real[at] = 1;
            } else {
                y->whole[at] = 1;
            }
        }
    }
    return GAL_OK;
}

void gali_express_eye_like(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_scalar *column =
        gali_x_apply(x, GALI_SCALAR_sub, gali_x_axis(x, 1), gali_x_int(x, gali_node_int(x->node, "k")), NULL);
    const gali_scalar *on = gali_x_apply(x, GALI_SCALAR_equal, column, gali_x_axis(x, 0), NULL);
    if (y) {
        y->value = gali_x_apply(x, GALI_SCALAR_select, on, gali_x_number(x, y->element, 1),
                                gali_x_number(x, y->element, 0));
    }
}

/* ---- OneHot ---- */

gal_status gali_rule_one_hot(gali_rule *rule) {
    const gali_type *indices = rule->operand[0], *values = rule->operand[2];
    gali_type *y = &rule->result[0];
    int axis;
    *y = (gali_type){.element = values->element, .rank = -1};
    gal_status status = gali_rule_line(rule, 2, 2); /* off and on */
    status = status == GAL_OK ? gali_rule_single(rule, 1) : status;
    if (status != GAL_OK || indices->rank < 0) {
        return status;
    }
    status = gali_rule_axis(rule, gali_node_int(rule->node, "axis"), indices->rank + 1, &axis);
    if (status != GAL_OK || indices->rank == GALI_RANK_MAX) {
        return status == GAL_OK ? gali_rule_fail(rule, "rank %d is the most", GALI_RANK_MAX) : status;
    }
    gali_extent size = gali_type_count(rule->graph->extents, rule->operand[1]);
    y->rank = indices->rank + 1;
    for (int d = 0; d < y->rank; d++) {
        y->shape[d] = d == axis ? (rule->known[1] && size == 1 ? *rule->known[1] : GALI_EXTENT_UNKNOWN)
                                : indices->shape[d - (d > axis)];
    }
    return GAL_OK;
}

/* Depths are numbers of any element; a real one is not known to the rule. */
static gal_status make_one_hot(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                               gali_tensor *y) {
    const gali_tensor *indices = operands[0], *depth = operands[1];
    uint32_t rank = indices->rank + 1;
    int64_t shape[GALI_RANK_MAX], axis = gali_node_int(node, "axis");
    if (depth->count != 1 || !depth->real || !(depth->real[0] >= 0 && depth->real[0] < 1e9)) {
        return gali_run_fail(run, node, "depth: one number expected, 0..1e9");
    }
    axis += axis < 0 ? rank : 0;
    for (uint32_t d = 0; d < rank; d++) {
        shape[d] = d == axis ? (int64_t)depth->real[0] : indices->shape[d - (d > axis)];
    }
    return gali_tensor_make(run, y, operands[2]->element, rank, shape);
}

gal_status gali_truth_one_hot(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                              gali_tensor *results) {
    const gali_tensor *indices = operands[0], *values = operands[2];
    gali_tensor *y = &results[0];
    int64_t index[GALI_RANK_MAX] = {0}, strides[GALI_RANK_MAX], axis = gali_node_int(node, "axis");
    gal_status status = y->real || y->whole ? GAL_OK : make_one_hot(run, node, operands, y);
    if (status != GAL_OK || values->count != 2) {
        return status == GAL_OK ? gali_run_fail(run, node, "values: off and on expected") : status;
    }
    axis += axis < 0 ? y->rank : 0;
    gali_tensor_strides(indices, NULL, strides);
    for (size_t e = 0; e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
        int64_t from = 0, depth = y->shape[axis];
        for (uint32_t d = 0; d < y->rank; d++) {
            from += (int64_t)d == axis ? 0 : index[d] * strides[(int64_t)d > axis ? d - 1 : d];
        }
        double at = indices->real ? trunc(indices->real[from]) : (double)indices->whole[from];
        at += at < 0 ? (double)depth : 0;
        gali_tensor_move(y, e, values, at == (double)index[axis]);
    }
    return GAL_OK;
}

void gali_express_one_hot(gali_express *x) {
    uint32_t rank = (uint32_t)x->result[0].rank;
    int64_t named = gali_node_int(x->node, "axis");
    uint32_t axis = (uint32_t)(named < 0 ? named + (int64_t)rank : named);
    gali_x_tell(x, axis, gali_x_cast(x, GALI_i64, only(x, 1)));
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_scalar *index[GALI_RANK_MAX], *off = gali_x_int(x, 0), *on = gali_x_int(x, 1);
    x->none = x->result[0].shape[axis] < 0;
    if (!y || x->none) {
        return;
    }
    for (uint32_t d = 0; d < rank; d++) {
        if (d != axis) {
            index[d - (d > axis)] = gali_x_axis(x, d);
        }
    }
    const gali_scalar *at = gali_x_cast(x, GALI_i64, gali_x_load(x, 0, index));
    const gali_scalar *depth = gali_x_extent(x, x->result[0].shape[axis]);
    const gali_scalar *below = gali_x_apply(x, GALI_SCALAR_less, at, off, NULL);
    at = gali_x_apply(x, GALI_SCALAR_select, below, gali_x_apply(x, GALI_SCALAR_add, at, depth, NULL), at);
    y->value =
        gali_x_apply(x, GALI_SCALAR_select, gali_x_apply(x, GALI_SCALAR_equal, at, gali_x_axis(x, axis), NULL),
                     gali_x_load(x, 2, &on), gali_x_load(x, 2, &off));
}
