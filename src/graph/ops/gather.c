/*
 * Elements that integers choose, and elements put where integers say: Gather, GatherElements, GatherND, ScatterElements,
 * ScatterND. A negative index counts from the end. An index outside its axis is an error of the truth; expressions clamp
 * it to the axis in a gather and pass over it in a scatter.
 *
 * A scatter's expression asks, for each element, all updates whether they are for it, in order.
 */
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"

/* The node's axis, 0..rank-1, which the rule has checked. */
static uint32_t axis_of(const gali_node *node, uint32_t rank) {
    int64_t axis = gali_node_int(node, "axis");
    return (uint32_t)(axis < 0 ? axis + (int64_t)rank : axis);
}

/* 0..n-1 from -n..n-1; -1 if it is neither. */
static int64_t wrapped(int64_t index, int64_t n) {
    index += index < 0 ? n : 0;
    return index >= 0 && index < n ? index : -1;
}

static gal_status outside(gali_run *run, const gali_node *node, int64_t index, int64_t n) {
    return gali_run_fail(run, node, "index %lld of an axis of %lld", (long long)index, (long long)n);
}

/* Whether an extent can be told a scalar. */
static int has_value(const gali_type *type) {
    int has = 1;
    for (int i = 0; i < type->rank; i++) {
        has &= gali_extent_is_number(type->shape[i]) || type->shape[i] > 0;
    }
    return has;
}

/* An index as loaded, counted from the axis's start. */
static const gali_scalar *from_start(gali_express *x, const gali_scalar *index, gali_extent n) {
    const gali_scalar *at = gali_x_cast(x, GALI_i64, index);
    return gali_x_select(x, gali_x_less(x, at, gali_x_int(x, 0)), gali_x_add(x, at, gali_x_extent(x, n)), at);
}

/* The same clamped to 0..n-1; 0 where there is nothing. */
static const gali_scalar *clamped(gali_express *x, const gali_scalar *index, gali_extent n) {
    const gali_scalar *last = gali_x_sub(x, gali_x_extent(x, n), gali_x_int(x, 1));
    return gali_x_most(x, gali_x_least(x, from_start(x, index, n), last), gali_x_int(x, 0));
}

/* The load, where the axes that integers choose from may be empty only if there is something in them. */
static const gali_scalar *guarded(gali_express *x, const gali_scalar *load, int first, int count) {
    const gali_type *type = x->operand[0];
    for (int i = first; load && i < first + count; i++) {
        int64_t least, most;
        gali_extent_range(x->extents, type->shape[i], &least, &most);
        if (least < 1) {
            const gali_scalar *some = gali_x_less(x, gali_x_int(x, 0), gali_x_extent(x, type->shape[i]));
            load = gali_x_select(x, some, load, gali_x_number(x, type->element, 0));
        }
    }
    return load;
}

/* ---- Gather ---- */

gal_status gali_rule_gather(gali_rule *rule) {
    const gali_type *x = rule->operand[0], *indices = rule->operand[1];
    gali_type *y = &rule->result[0];
    int axis;
    *y = (gali_type){.element = x->element, .rank = -1};
    if (gali_rule_integers(rule, 1) != GAL_OK || !gali_rule_ranks_known(rule)) {
        return gali_rule_integers(rule, 1);
    }
    gal_status status = gali_rule_axis(rule, gali_node_int(rule->node, "axis"), x->rank, &axis);
    if (status != GAL_OK || x->rank - 1 + indices->rank > GALI_RANK_MAX) {
        return status == GAL_OK ? gali_rule_fail(rule, "rank %d is the most", GALI_RANK_MAX) : status;
    }
    y->rank = 0;
    for (int i = 0; i < x->rank; i++) {
        for (int k = 0; i == axis && k < indices->rank; k++) {
            y->shape[y->rank++] = indices->shape[k];
        }
        if (i != axis) {
            y->shape[y->rank++] = x->shape[i];
        }
    }
    gali_rule_move_known(rule, 1);
    return GAL_OK;
}

gal_status gali_truth_gather(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                             gali_tensor *results) {
    const gali_tensor *x = operands[0], *indices = operands[1];
    gali_tensor *y = &results[0];
    uint32_t axis = axis_of(node, x->rank);
    int64_t index[GALI_RANK_MAX] = {0}, strides[GALI_RANK_MAX], choice[GALI_RANK_MAX];
    gali_tensor_strides(x, NULL, strides);
    gali_tensor_strides(indices, NULL, choice);
    for (size_t e = 0; e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
        int64_t which = 0, from = 0;
        for (uint32_t k = 0; k < indices->rank; k++) {
            which += index[axis + k] * choice[k];
        }
        int64_t at = wrapped(indices->whole[which], x->shape[axis]);
        if (at < 0) {
            return outside(run, node, indices->whole[which], x->shape[axis]);
        }
        for (uint32_t i = 0; i < x->rank; i++) {
            from += (i == axis ? at : index[i < axis ? i : i + indices->rank - 1]) * strides[i];
        }
        gali_tensor_move(y, e, x, (size_t)from);
    }
    return GAL_OK;
}

void gali_express_gather(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_type *from = x->operand[0], *indices = x->operand[1];
    uint32_t axis = axis_of(x->node, (uint32_t)from->rank);
    const gali_scalar *choice[GALI_RANK_MAX], *index[GALI_RANK_MAX];
    if (!y || !has_value(from)) {
        x->none = 1;
        return;
    }
    for (uint32_t k = 0; k < (uint32_t)indices->rank; k++) {
        choice[k] = gali_x_axis(x, axis + k);
    }
    for (uint32_t i = 0; i < (uint32_t)from->rank; i++) {
        index[i] = i == axis ? clamped(x, gali_x_load(x, 1, choice), from->shape[axis])
                             : gali_x_axis(x, i < axis ? i : i + (uint32_t)indices->rank - 1);
    }
    y->value = guarded(x, gali_x_load(x, 0, index), (int)axis, 1);
}

/* ---- GatherElements ---- */

gal_status gali_rule_gather_elements(gali_rule *rule) {
    const gali_type *x = rule->operand[0], *indices = rule->operand[1];
    int axis;
    rule->result[0] = *indices;
    rule->result[0].element = x->element;
    if (gali_rule_integers(rule, 1) != GAL_OK || !gali_rule_ranks_known(rule)) {
        return gali_rule_integers(rule, 1);
    }
    if (x->rank != indices->rank) {
        return gali_rule_fail(rule, "ranks %d and %d differ", x->rank, indices->rank);
    }
    gal_status status = gali_rule_axis(rule, gali_node_int(rule->node, "axis"), x->rank, &axis);
    if (status == GAL_OK) {
        gali_rule_move_known(rule, 1);
    }
    return status;
}

/* Whether indices' extents are within x's but along axis. */
static int fits(const gali_tensor *x, const gali_tensor *indices, uint32_t axis) {
    int within = 1;
    for (uint32_t i = 0; i < x->rank; i++) {
        within &= i == axis || indices->shape[i] <= x->shape[i];
    }
    return within;
}

gal_status gali_truth_gather_elements(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                      gali_tensor *results) {
    const gali_tensor *x = operands[0], *indices = operands[1];
    gali_tensor *y = &results[0];
    uint32_t axis = axis_of(node, x->rank);
    int64_t index[GALI_RANK_MAX] = {0}, strides[GALI_RANK_MAX];
    if (!fits(x, indices, axis)) {
        return gali_run_fail(run, node, "more indices than elements along an axis");
    }
    gali_tensor_strides(x, NULL, strides);
    for (size_t e = 0; e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
        int64_t from = wrapped(indices->whole[e], x->shape[axis]);
        if (from < 0) {
            return outside(run, node, indices->whole[e], x->shape[axis]);
        }
        from *= strides[axis];
        for (uint32_t i = 0; i < x->rank; i++) {
            from += i == axis ? 0 : index[i] * strides[i];
        }
        gali_tensor_move(y, e, x, (size_t)from);
    }
    return GAL_OK;
}

/* Whether a is never above b. */
static int never_above(gali_express *x, gali_extent a, gali_extent b) {
    int64_t least, most;
    gali_extent_range(x->extents, gali_extent_sub(x->extents, b, a), &least, &most);
    return a == b || least >= 0;
}

void gali_express_gather_elements(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_type *from = x->operand[0];
    uint32_t rank = (uint32_t)from->rank, axis = axis_of(x->node, rank);
    const gali_scalar *index[GALI_RANK_MAX];
    if (!y || !has_value(from)) {
        x->none = 1;
        return;
    }
    gali_x_axes(x, rank, index);
    const gali_scalar *choice = gali_x_load(x, 1, index);
    for (uint32_t i = 0; i < rank; i++) { /* where running alone tells that the others fit, they are clamped */
        if (i == axis) {
            index[i] = clamped(x, choice, from->shape[i]);
        } else if (!never_above(x, x->operand[1]->shape[i], from->shape[i])) {
            index[i] = clamped(x, index[i], from->shape[i]);
        }
    }
    y->value = guarded(x, gali_x_load(x, 0, index), 0, (int)rank);
}

/* ---- GatherND ---- */

/* How many axes of the operand one list of indices names; -1 if that is not known. */
static gal_status list_length(gali_rule *rule, int rank, int *length) {
    const gali_type *indices = rule->operand[1];
    gali_extent last = indices->rank > 0 ? indices->shape[indices->rank - 1] : 0;
    *length = -1;
    if (indices->rank < 1 || (gali_extent_is_number(last) && (last < 1 || last > rank))) {
        return gali_rule_fail(rule, "lists of %lld indices for %d axes", (long long)last, rank);
    }
    if (gali_extent_is_number(last)) {
        *length = (int)last;
    }
    return GAL_OK;
}

gal_status gali_rule_gather_nd(gali_rule *rule) {
    const gali_type *x = rule->operand[0], *indices = rule->operand[1];
    gali_type *y = &rule->result[0];
    int64_t batch = gali_node_int(rule->node, "batch_dims");
    int length;
    *y = (gali_type){.element = x->element, .rank = -1};
    if (gali_rule_integers(rule, 1) != GAL_OK || !gali_rule_ranks_known(rule)) {
        return gali_rule_integers(rule, 1);
    }
    if (batch < 0 || batch >= indices->rank || batch > x->rank) {
        return gali_rule_fail(rule, "batch_dims %lld", (long long)batch);
    }
    gal_status status = list_length(rule, x->rank - (int)batch, &length);
    if (status != GAL_OK || length < 0) {
        return status;
    }
    int rank = indices->rank - 1 + x->rank - (int)batch - length;
    if (rank > GALI_RANK_MAX) {
        return gali_rule_fail(rule, "rank %d, %d is the most", rank, GALI_RANK_MAX);
    }
    y->rank = rank;
    for (int i = 0; i < rank; i++) {
        y->shape[i] =
            i < indices->rank - 1 ? indices->shape[i] : x->shape[i - (indices->rank - 1) + (int)batch + length];
    }
    gali_rule_move_known(rule, 1);
    return GAL_OK;
}

gal_status gali_truth_gather_nd(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                gali_tensor *results) {
    const gali_tensor *x = operands[0], *indices = operands[1];
    gali_tensor *y = &results[0];
    uint32_t batch = (uint32_t)gali_node_int(node, "batch_dims"), lists = indices->rank - 1;
    int64_t index[GALI_RANK_MAX] = {0}, strides[GALI_RANK_MAX], choice[GALI_RANK_MAX];
    int64_t length = indices->shape[lists];
    gali_tensor_strides(x, NULL, strides);
    gali_tensor_strides(indices, NULL, choice);
    for (size_t e = 0; e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
        int64_t from = 0, list = 0;
        for (uint32_t i = 0; i < lists; i++) {
            list += index[i] * choice[i];
            from += i < batch ? index[i] * strides[i] : 0;
            if (i < batch && index[i] >= x->shape[i]) {
                return outside(run, node, index[i], x->shape[i]);
            }
        }
        for (int64_t k = 0; k < length; k++) {
            int64_t n = x->shape[batch + k], at = wrapped(indices->whole[list + k], n);
            if (at < 0) {
                return outside(run, node, indices->whole[list + k], n);
            }
            from += at * strides[batch + k];
        }
        for (uint32_t i = lists; i < y->rank; i++) {
            from += index[i] * strides[i - lists + batch + length];
        }
        gali_tensor_move(y, e, x, (size_t)from);
    }
    return GAL_OK;
}

void gali_express_gather_nd(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_type *from = x->operand[0], *indices = x->operand[1];
    uint32_t batch = (uint32_t)gali_node_int(x->node, "batch_dims"), lists = (uint32_t)indices->rank - 1;
    const gali_scalar *index[GALI_RANK_MAX], *choice[GALI_RANK_MAX];
    if (!y || !has_value(from) || !gali_extent_is_number(indices->shape[lists])) {
        x->none = 1;
        return;
    }
    uint32_t length = (uint32_t)indices->shape[lists];
    gali_x_axes(x, lists, choice);
    for (uint32_t i = 0; i < (uint32_t)from->rank; i++) {
        if (i < batch) {
            index[i] = from->shape[i] == indices->shape[i] ? choice[i] : clamped(x, choice[i], from->shape[i]);
        } else if (i < batch + length) {
            choice[lists] = gali_x_int(x, i - batch);
            index[i] = clamped(x, gali_x_load(x, 1, choice), from->shape[i]);
        } else {
            index[i] = gali_x_axis(x, i - batch - length + lists);
        }
    }
    y->value = guarded(x, gali_x_load(x, 0, index), 0, (int)(batch + length));
}

/* ---- what scatters do with an update ---- */

typedef enum reduction { NONE, ADD, MUL, LEAST, MOST, NO_REDUCTION } reduction;

static reduction reduction_of(const gali_node *node) {
    static const char *const words[] = {"none", "add", "mul", "min", "max"};
    int found = 0;
    while (found < NO_REDUCTION && !gali_node_is(node, "reduction", words[found])) {
        found++;
    }
    return (reduction)found;
}

static void update(reduction how, gali_tensor *y, size_t at, const gali_tensor *updates, size_t from) {
    gali_number a = gali_tensor_at(y, at), b = gali_tensor_at(updates, from);
    switch (how) {
    case ADD:
        a.real += b.real;
        a.whole = (int64_t)((uint64_t)a.whole + (uint64_t)b.whole);
        break;
    case MUL:
        a.real *= b.real;
        a.whole = (int64_t)((uint64_t)a.whole * (uint64_t)b.whole);
        break;
    case LEAST:
        a = y->real ? (b.real < a.real ? b : a) : b.whole < a.whole ? b : a;
        break;
    case MOST:
        a = y->real ? (b.real > a.real ? b : a) : b.whole > a.whole ? b : a;
        break;
    default:
        a = b;
    }
    gali_tensor_put(y, at, a);
}

static const gali_scalar *updated(gali_express *x, const gali_scalar *self, const gali_scalar *by) {
    switch (reduction_of(x->node)) {
    case ADD:
        return gali_x_add(x, self, by);
    case MUL:
        return gali_x_mul(x, self, by);
    case LEAST:
        return gali_x_least(x, self, by);
    case MOST:
        return gali_x_most(x, self, by);
    default:
        return by;
    }
}

/* Updates of a size that something else has, too. */
static gal_status same_updates(gali_rule *rule, int axis, gali_extent other) {
    gali_extent unused;
    return gali_rule_same(rule, rule->operand[2]->shape[axis], other, &unused);
}

/* Operands of one element, a reduction that there is, and the result as the first operand. */
static gal_status scatter_rule(gali_rule *rule) {
    gal_status status = gali_rule_integers(rule, 1);
    rule->result[0] = *rule->operand[0];
    if (status != GAL_OK) {
        return status;
    }
    if (rule->operand[0]->element != rule->operand[2]->element) {
        return gali_rule_fail(rule, "updates of another element");
    }
    if (reduction_of(rule->node) == NO_REDUCTION) {
        return gali_rule_fail(rule, "reduction \"%.40s\"", gali_node_word(rule->node, "reduction"));
    }
    if (reduction_of(rule->node) == NONE && gali_rule_ranks_known(rule)) {
        gali_rule_move_known(rule, 1u | 4u);
    }
    return GAL_OK;
}

/* ---- ScatterElements ---- */

gal_status gali_rule_scatter_elements(gali_rule *rule) {
    int axis, rank = rule->operand[0]->rank;
    if (gali_rule_ranks_known(rule)) {
        if (rule->operand[1]->rank != rank || rule->operand[2]->rank != rank) {
            return gali_rule_fail(rule, "operands of ranks %d, %d and %d", rank, rule->operand[1]->rank,
                                  rule->operand[2]->rank);
        }
        gal_status status = gali_rule_axis(rule, gali_node_int(rule->node, "axis"), rank, &axis);
        for (int d = 0; status == GAL_OK && d < rank; d++) {
            status = same_updates(rule, d, rule->operand[1]->shape[d]);
        }
        if (status != GAL_OK) {
            return status;
        }
    }
    return scatter_rule(rule);
}

static void copy(const gali_tensor *x, gali_tensor *y) {
    for (size_t e = 0; e < y->count; e++) {
        gali_tensor_move(y, e, x, e);
    }
}

gal_status gali_truth_scatter_elements(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                       gali_tensor *results) {
    const gali_tensor *indices = operands[1];
    gali_tensor *y = &results[0];
    uint32_t axis = axis_of(node, y->rank);
    int64_t index[GALI_RANK_MAX] = {0}, strides[GALI_RANK_MAX];
    if (!fits(y, indices, axis) || indices->count != operands[2]->count) {
        return gali_run_fail(run, node, "indices, updates and the tensor do not fit");
    }
    copy(operands[0], y);
    gali_tensor_strides(y, NULL, strides);
    for (size_t e = 0; e < indices->count; e++, gali_index_next(index, indices->shape, indices->rank)) {
        int64_t to = wrapped(indices->whole[e], y->shape[axis]);
        if (to < 0) {
            return outside(run, node, indices->whole[e], y->shape[axis]);
        }
        to *= strides[axis];
        for (uint32_t i = 0; i < y->rank; i++) {
            to += i == axis ? 0 : index[i] * strides[i];
        }
        update(reduction_of(node), y, (size_t)to, operands[2], e);
    }
    return gali_run_work(run, (double)indices->count);
}

void gali_express_scatter_elements(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_type *to = x->operand[0], *indices = x->operand[1];
    uint32_t rank = (uint32_t)to->rank, axis = axis_of(x->node, rank);
    const gali_scalar *index[GALI_RANK_MAX], *here = NULL;
    if (!y || !has_value(to) || !has_value(indices)) {
        x->none = 1;
        return;
    }
    gali_x_axes(x, rank, index);
    y->start = gali_x_load(x, 0, index);
    const gali_scalar *self = gali_x_self(x, y->element);
    for (uint32_t i = 0; i < rank; i++) { /* other axes may be shorter than the tensor's */
        if (i != axis && indices->shape[i] != to->shape[i]) {
            const gali_scalar *inside = gali_x_less(x, index[i], gali_x_extent(x, indices->shape[i]));
            here = here ? gali_x_and(x, here, inside) : inside;
        }
    }
    index[axis] = gali_x_axis(x, gali_x_reduce(y, indices->shape[axis]));
    const gali_scalar *at = from_start(x, gali_x_load(x, 1, index), to->shape[axis]);
    const gali_scalar *by = updated(x, self, gali_x_load(x, 2, index));
    const gali_scalar *value = gali_x_select(x, gali_x_equal(x, at, gali_x_axis(x, axis)), by, self);
    y->value = here ? gali_x_select(x, here, value, self) : value;
}

/* ---- ScatterND ---- */

/* Updates are as many as lists of indices, each of what their lists name. */
static gal_status check_updates(gali_rule *rule) {
    const gali_type *x = rule->operand[0], *indices = rule->operand[1], *updates = rule->operand[2];
    int length, lists = indices->rank - 1;
    gal_status status = list_length(rule, x->rank, &length);
    int rank = lists + x->rank - length;
    if (status != GAL_OK || length < 0) {
        return status;
    }
    if (updates->rank != rank) {
        return gali_rule_fail(rule, "updates of rank %d, %d expected", updates->rank, rank);
    }
    for (int d = 0; status == GAL_OK && d < rank; d++) {
        status = same_updates(rule, d, d < lists ? indices->shape[d] : x->shape[d - lists + length]);
    }
    return status;
}

gal_status gali_rule_scatter_nd(gali_rule *rule) {
    gal_status status = gali_rule_ranks_known(rule) ? check_updates(rule) : GAL_OK;
    return status == GAL_OK ? scatter_rule(rule) : status;
}

gal_status gali_truth_scatter_nd(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                 gali_tensor *results) {
    const gali_tensor *indices = operands[1], *updates = operands[2];
    gali_tensor *y = &results[0];
    int64_t strides[GALI_RANK_MAX], length = indices->shape[indices->rank - 1];
    size_t lists = length ? indices->count / (size_t)length : 0, part = 1;
    gali_tensor_strides(y, NULL, strides);
    for (uint32_t i = (uint32_t)length; i < y->rank; i++) {
        part *= (size_t)y->shape[i];
    }
    if (updates->count != lists * part) {
        return gali_run_fail(run, node, "%zu updates, %zu expected", updates->count, lists * part);
    }
    copy(operands[0], y);
    for (size_t list = 0; list < lists; list++) {
        size_t to = 0;
        for (int64_t k = 0; k < length; k++) {
            int64_t index = indices->whole[(int64_t)list * length + k], at = wrapped(index, y->shape[k]);
            if (at < 0) {
                return outside(run, node, index, y->shape[k]);
            }
            to += (size_t)(at * strides[k]);
        }
        for (size_t e = 0; e < part; e++) {
            update(reduction_of(node), y, to + e, updates, list * part + e);
        }
    }
    return gali_run_work(run, (double)updates->count);
}

void gali_express_scatter_nd(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_type *to = x->operand[0], *indices = x->operand[1];
    uint32_t rank = (uint32_t)to->rank, lists = (uint32_t)indices->rank - 1;
    const gali_scalar *index[GALI_RANK_MAX], *choice[GALI_RANK_MAX], *here = NULL;
    if (!y || !has_value(to) || !has_value(indices) || !gali_extent_is_number(indices->shape[lists])) {
        x->none = 1;
        return;
    }
    uint32_t length = (uint32_t)indices->shape[lists];
    gali_x_axes(x, rank, index);
    y->start = gali_x_load(x, 0, index);
    const gali_scalar *self = gali_x_self(x, y->element);
    for (uint32_t i = 0; i < lists; i++) {
        choice[i] = gali_x_axis(x, gali_x_reduce(y, indices->shape[i]));
    }
    for (uint32_t k = 0; k < length; k++) {
        choice[lists] = gali_x_int(x, k);
        const gali_scalar *at = from_start(x, gali_x_load(x, 1, choice), to->shape[k]);
        const gali_scalar *same = gali_x_equal(x, at, index[k]);
        here = here ? gali_x_and(x, here, same) : same;
    }
    for (uint32_t i = length; i < rank; i++) {
        choice[lists + i - length] = index[i];
    }
    y->value = gali_x_select(x, here, updated(x, self, gali_x_load(x, 2, choice)), self);
}
