/*
 * The same elements under another shape, and shapes as integers: Shape, Size, Reshape, Flatten, Squeeze, Unsqueeze.
 *
 * The expression of the four that keep the elements finds where the two shapes run in step: wherever the product of the
 * extents so far is the same on both sides, a segment ends, and an element's place in it is written in the one side's
 * axes and read in the other's. So what Squeeze, Flatten or the head split of attention read is as plain as it can be.
 */
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"

/* ---- Shape, Size ---- */

static int within(int64_t x, int64_t least, int64_t most) {
    return (int)(x < least ? least : x > most ? most : x);
}

/* Axes start..end of rank, both cut to it; negative ones count from its end. */
static void shape_range(const gali_node *node, int rank, int *start, int *end) {
    int64_t first = gali_node_int(node, "start");
    int64_t last = gali_node_attribute(node, "end") ? gali_node_int(node, "end") : rank;
    *start = within(first < 0 ? first + rank : first, 0, rank);
    *end = within(last < 0 ? last + rank : last, *start, rank);
}

gal_status gali_rule_shape(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    rule->result[0] = (gali_type){.element = GALI_i64, .rank = 1, .shape = {GALI_EXTENT_UNKNOWN}};
    if (x->rank < 0) {
        return GAL_OK;
    }
    int start, end;
    shape_range(rule->node, x->rank, &start, &end);
    rule->result[0].shape[0] = end - start;
    gali_extent *known = gali_rule_knows(rule, 0, (size_t)(end - start));
    if (known) {
        memcpy(known, x->shape + start, (size_t)(end - start) * sizeof *known);
    }
    return GAL_OK;
}

gal_status gali_truth_shape(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                            gali_tensor *results) {
    int start, end;
    (void)run;
    shape_range(node, (int)operands[0]->rank, &start, &end);
    for (int i = start; i < end; i++) {
        results[0].whole[i - start] = operands[0]->shape[i];
    }
    return GAL_OK;
}

void gali_express_shape(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_type *type = x->operand[0];
    int start, end;
    shape_range(x->node, type->rank, &start, &end);
    const gali_scalar *value = gali_x_int(x, 0);
    for (int i = end - 1; i >= start; i--) {
        const gali_scalar *here =
            gali_x_apply(x, GALI_SCALAR_equal, gali_x_axis(x, 0), gali_x_int(x, i - start), NULL);
        const gali_scalar *extent = gali_x_extent(x, type->shape[i]);
        value = i == end - 1 ? extent : gali_x_apply(x, GALI_SCALAR_select, here, extent, value);
        x->none |= type->shape[i] == GALI_EXTENT_UNKNOWN;
    }
    if (y) {
        y->value = value;
    }
}

gal_status gali_rule_size(gali_rule *rule) {
    rule->result[0] = (gali_type){.element = GALI_i64, .rank = 0};
    gali_extent count = gali_type_count(rule->graph->extents, rule->operand[0]);
    if (count != GALI_EXTENT_UNKNOWN) {
        gali_extent *known = gali_rule_knows(rule, 0, 1);
        if (known) {
            *known = count;
        }
    }
    return GAL_OK;
}

gal_status gali_truth_size(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                           gali_tensor *results) {
    (void)run;
    (void)node;
    results[0].whole[0] = (int64_t)operands[0]->count;
    return GAL_OK;
}

void gali_express_size(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    gali_extent count = gali_type_count(x->extents, x->operand[0]);
    x->none = !gali_extent_is_number(count) && count < 0;
    if (y && !x->none) {
        y->value = gali_x_extent(x, count);
    }
}

/* ---- Reshape ---- */

/* What is left of the two lists after those that stand in both are taken out; the products of both. */
static void cancel(gali_extents *extents, const gali_type *x, const gali_type *y, int but, gali_extent *above,
                   gali_extent *below) {
    int used[GALI_RANK_MAX] = {0};
    *above = 1;
    *below = 1;
    for (int j = 0; j < y->rank; j++) {
        int i = 0;
        while (i < x->rank && (used[i] || x->shape[i] != y->shape[j] || x->shape[i] == 0)) {
            i++;
        }
        if (j != but && i < x->rank) {
            used[i] = 1;
        } else if (j != but) {
            *below = gali_extent_mul(extents, *below, y->shape[j]);
        }
    }
    for (int i = 0; i < x->rank; i++) {
        *above = used[i] ? *above : gali_extent_mul(extents, *above, x->shape[i]);
    }
}

/* The extent of axis `but` of y, for all elements of x to have a place. */
static gal_status fill_in(gali_rule *rule, const gali_type *x, gali_type *y, int but) {
    gali_extents *extents = rule->graph->extents;
    gali_extent above, below;
    if (x->rank < 0) {
        y->shape[but] = GALI_EXTENT_UNKNOWN;
        return GAL_OK;
    }
    cancel(extents, x, y, but, &above, &below);
    if (below == 0) {
        y->shape[but] = 0;
        return above == 0 ? GAL_OK : gali_rule_fail(rule, "no -1 beside an extent of 0");
    }
    y->shape[but] = gali_extent_quotient(extents, above, below);
    if (gali_extent_is_number(above) && gali_extent_is_number(below) && y->shape[but] * below != above) {
        return gali_rule_fail(rule, "%lld elements are no multiple of %lld", (long long)above,
                              (long long)below);
    }
    gali_rule_demand_same(rule, gali_extent_mul(extents, y->shape[but], below), above);
    return GAL_OK;
}

/* y's shape as the list says: 0 takes x's extent, -1 what is left. */
static gal_status reshape_to(gali_rule *rule, const gali_type *x, const gali_extent *list, gali_type *y) {
    int left = -1, unknown = -1, unknowns = 0;
    for (int i = 0; i < y->rank; i++) {
        y->shape[i] = list[i];
        if (list[i] == -1) {
            if (left >= 0) {
                return gali_rule_fail(rule, "two extents of -1");
            }
            left = i;
        } else if (list[i] == 0 && !gali_node_int(rule->node, "allowzero")) {
            if (x->rank >= 0 && i >= x->rank) {
                return gali_rule_fail(rule, "extent %d is taken over, but the rank is %d", i, x->rank);
            }
            y->shape[i] = x->rank < 0 ? GALI_EXTENT_UNKNOWN : x->shape[i];
        } else if (gali_extent_is_number(list[i]) && list[i] < 0) {
            return gali_rule_fail(rule, "extent %lld", (long long)list[i]);
        }
        unknown = y->shape[i] == GALI_EXTENT_UNKNOWN ? i : unknown;
        unknowns += y->shape[i] == GALI_EXTENT_UNKNOWN;
    }
    if (left >= 0) {
        return fill_in(rule, x, y, left);
    }
    if (unknowns == 1) { /* all others are known: so is this one */
        return fill_in(rule, x, y, unknown);
    }
    gali_extent before = gali_type_count(rule->graph->extents, x),
                after = gali_type_count(rule->graph->extents, y);
    if (gali_extent_is_number(before) && gali_extent_is_number(after) && before != after) {
        return gali_rule_fail(rule, "%lld elements become %lld", (long long)before, (long long)after);
    }
    gali_rule_demand_same(rule, before, after);
    return GAL_OK;
}

gal_status gali_rule_reshape(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    gali_type *y = &rule->result[0];
    const gali_extent *list;
    uint32_t count;
    int given;
    *y = (gali_type){.element = x->element, .rank = -1};
    gal_status status = gali_rule_sizes(rule, 1, NULL, &list, &count, &given);
    if (status != GAL_OK) {
        return status;
    }
    const gali_type *shape = rule->operand[1];
    if (!list && shape->rank == 1 && gali_extent_is_number(shape->shape[0])) {
        count = shape->shape[0] > GALI_RANK_MAX ? GALI_RANK_MAX + 1 : (uint32_t)shape->shape[0];
    } else if (!list) {
        return GAL_OK;
    }
    if (count > GALI_RANK_MAX) {
        return gali_rule_fail(rule, "a shape of rank %u, %d is the most", count, GALI_RANK_MAX);
    }
    y->rank = (int)count;
    for (uint32_t i = 0; i < count && !list; i++) {
        y->shape[i] = GALI_EXTENT_UNKNOWN;
    }
    status = list || count == 0 ? reshape_to(rule, x, list, y) : GAL_OK;
    if (status == GAL_OK) {
        gali_rule_move_known(rule, 1);
    }
    return status;
}

/* ---- Flatten, Squeeze, Unsqueeze ---- */

gal_status gali_rule_flatten(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    gali_extents *extents = rule->graph->extents;
    int64_t axis = gali_node_int(rule->node, "axis");
    rule->result[0] =
        (gali_type){.element = x->element, .rank = 2, .shape = {GALI_EXTENT_UNKNOWN, GALI_EXTENT_UNKNOWN}};
    if (x->rank < 0) {
        return GAL_OK;
    }
    if (axis < -x->rank || axis > x->rank) {
        return gali_rule_fail(rule, "axis %lld of a tensor of rank %d", (long long)axis, x->rank);
    }
    axis += axis < 0 ? x->rank : 0;
    gali_extent *shape = rule->result[0].shape;
    shape[0] = 1;
    shape[1] = 1;
    for (int i = 0; i < x->rank; i++) {
        shape[i >= axis] = gali_extent_mul(extents, shape[i >= axis], x->shape[i]);
    }
    gali_rule_move_known(rule, 1);
    return GAL_OK;
}

/* Which of `rank` axes operand 1 names. *count is -1 where it is given and not known. */
static gal_status named_axes(gali_rule *rule, int rank, int *named, int *count) {
    const gali_extent *list;
    uint32_t size;
    int given;
    gal_status status = gali_rule_list(rule, 1, "axes", &list, &size, &given);
    *count = given && !list && size == 0 ? -1 : 0;
    for (uint32_t i = 0; status == GAL_OK && list && i < size; i++) {
        int axis;
        status = gali_rule_axis(rule, list[i], rank, &axis);
        if (status == GAL_OK && named[axis]) {
            status = gali_rule_fail(rule, "axis %d twice", axis);
        }
        if (status == GAL_OK) {
            named[axis] = 1;
            ++*count;
        }
    }
    return status;
}

gal_status gali_rule_squeeze(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    gali_type *y = &rule->result[0];
    int named[GALI_RANK_MAX] = {0}, count = 0, given = gali_rule_operand(rule, 1) != NULL;
    *y = (gali_type){.element = x->element, .rank = -1};
    gal_status status = x->rank < 0 ? GAL_OK : named_axes(rule, x->rank, named, &count);
    if (status != GAL_OK || x->rank < 0 || count < 0) {
        return status;
    }
    y->rank = 0;
    for (int i = 0; i < x->rank; i++) {
        int out = given ? named[i] : x->shape[i] == 1;
        if (out && gali_extent_is_number(x->shape[i]) && x->shape[i] != 1) {
            return gali_rule_fail(rule, "axis %d has %lld elements, not 1", i, (long long)x->shape[i]);
        }
        if (!out) {
            y->shape[y->rank++] = x->shape[i];
        }
    }
    gali_rule_move_known(rule, 1);
    return GAL_OK;
}

gal_status gali_rule_unsqueeze(gali_rule *rule) {
    const gali_type *x = rule->operand[0], *axes = rule->operand[1];
    gali_type *y = &rule->result[0];
    int named[2 * GALI_RANK_MAX] = {0}, count = 0;
    *y = (gali_type){.element = x->element, .rank = -1};
    gali_extent size = gali_type_count(rule->graph->extents, axes);
    if (x->rank < 0 || !gali_extent_is_number(size)) {
        return GAL_OK;
    }
    if (size + x->rank > GALI_RANK_MAX) {
        return gali_rule_fail(rule, "rank %lld, %d is the most", (long long)size + x->rank, GALI_RANK_MAX);
    }
    int rank = x->rank + (int)size;
    gal_status status = named_axes(rule, rank, named, &count);
    y->rank = status == GAL_OK ? rank : -1;
    for (int i = 0, j = 0; status == GAL_OK && i < rank; i++) {
        y->shape[i] = count < 0 ? GALI_EXTENT_UNKNOWN : named[i] ? 1 : x->shape[j++];
    }
    if (status == GAL_OK && count >= 0) {
        gali_rule_move_known(rule, 1);
    }
    return status;
}

/* ---- truth and expression of those that keep the elements ---- */

gal_status gali_truth_reshape(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                              gali_tensor *results) {
    (void)run;
    (void)node;
    for (size_t i = 0; i < results[0].count; i++) {
        gali_tensor_move(&results[0], i, operands[0], i);
    }
    return GAL_OK;
}

/* Axes of a shape that are not the number 1, which alone matter. */
typedef struct long_axes {
    int count;
    int axis[GALI_RANK_MAX];
    gali_extent extent[GALI_RANK_MAX];
} long_axes;

static long_axes long_axes_of(const gali_type *type) {
    long_axes made = {0};
    for (int i = 0; i < type->rank; i++) {
        if (type->shape[i] != 1) {
            made.axis[made.count] = i;
            made.extent[made.count++] = type->shape[i];
        }
    }
    return made;
}

static gali_extent product(gali_extents *extents, const long_axes *axes, int from, int to) {
    gali_extent count = 1;
    for (int i = from; i < to; i++) {
        count = gali_extent_mul(extents, count, axes->extent[i]);
    }
    return count;
}

/* The next place where both sides' products agree: past at least one axis of each. */
static void segment_end(gali_extents *extents, const long_axes *x, const long_axes *y, int *i, int *j) {
    int i0 = *i, j0 = *j;
    for (*i = i0 + 1; *i < x->count; ++*i) {
        gali_extent size = product(extents, x, i0, *i);
        for (*j = j0 + 1; *j < y->count; ++*j) {
            if (product(extents, y, j0, *j) == size) {
                return;
            }
        }
    }
    *i = x->count;
    *j = y->count;
}

/* The indices of axes i0..i1 of the operand from result axes j0..j1. */
static void express_segment(gali_express *x, const long_axes *from, int i0, int i1, const long_axes *to, int j0,
                            int j1, const gali_scalar **index) {
    const gali_scalar *flat = gali_x_int(x, 0);
    for (int j = j0; j < j1; j++) {
        const gali_scalar *stride = gali_x_extent(x, product(x->extents, to, j + 1, j1));
        const gali_scalar *part =
            gali_x_apply(x, GALI_SCALAR_mul, gali_x_axis(x, (uint32_t)to->axis[j]), stride, NULL);
        flat = gali_x_apply(x, GALI_SCALAR_add, flat, part, NULL);
    }
    for (int i = i1 - 1; i >= i0; i--) {
        const gali_scalar *extent = gali_x_extent(x, from->extent[i]);
        index[from->axis[i]] = i == i0 ? flat : gali_x_apply(x, GALI_SCALAR_mod, flat, extent, NULL);
        flat = gali_x_apply(x, GALI_SCALAR_quotient, flat, extent, NULL);
    }
}

static int has_unknown(const gali_type *type) {
    int unknown = 0;
    for (int i = 0; i < type->rank; i++) {
        unknown |= !gali_extent_is_number(type->shape[i]) && type->shape[i] < 0;
    }
    return unknown;
}

void gali_express_reshape(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    long_axes from = long_axes_of(x->operand[0]), to = long_axes_of(&x->result[0]);
    const gali_scalar *index[GALI_RANK_MAX];
    if (!y || has_unknown(x->operand[0]) || has_unknown(&x->result[0])) {
        x->none = 1;
        return;
    }
    for (int i = 0; i < x->operand[0]->rank; i++) {
        index[i] = gali_x_int(x, 0);
    }
    for (int i = 0, j = 0; i < from.count || j < to.count;) {
        int i0 = i, j0 = j;
        segment_end(x->extents, &from, &to, &i, &j);
        express_segment(x, &from, i0, i, &to, j0, j, index);
    }
    y->value = gali_x_load(x, 0, index);
}
