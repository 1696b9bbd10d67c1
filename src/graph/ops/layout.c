/*
 * Elements at other places: Transpose, Expand, Tile, Concat, Split, DepthToSpace, SpaceToDepth. Every result element is
 * one element of an operand, whose indices are arithmetic of its own.
 */
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"

/* ---- Transpose ---- */

/* Result axis i is axis perm[i]; by default the axes in the other order. */
static int permutation(const gali_node *node, int rank, int *perm) {
    const gali_attribute *given = gali_node_attribute(node, "perm");
    int seen[GALI_RANK_MAX] = {0};
    for (int i = 0; i < rank; i++) {
        int64_t axis = !given ? rank - 1 - i : given->count == (uint32_t)rank ? given->ints[i] : -1;
        if (axis < 0 || axis >= rank || seen[axis]) {
            return 0;
        }
        seen[axis] = 1;
        perm[i] = (int)axis;
    }
    return 1;
}

gal_status gali_rule_transpose(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    int perm[GALI_RANK_MAX];
    rule->result[0] = (gali_type){.element = x->element, .rank = -1};
    if (x->rank < 0) {
        const gali_attribute *perm_said = gali_node_attribute(rule->node, "perm");
        gali_rule_demand_rank(rule, 0, perm_said ? (int)perm_said->count : -1);
        return GAL_OK;
    }
    if (!permutation(rule->node, x->rank, perm)) {
        return gali_rule_fail(rule, "perm is no permutation of %d axes", x->rank);
    }
    rule->result[0].rank = x->rank;
    for (int i = 0; i < x->rank; i++) {
        rule->result[0].shape[i] = x->shape[perm[i]];
    }
    gali_rule_move_known(rule, 1);
    return GAL_OK;
}

gal_status gali_truth_transpose(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                gali_tensor *results) {
    const gali_tensor *x = operands[0];
    gali_tensor *y = &results[0];
    int perm[GALI_RANK_MAX];
    int64_t strides[GALI_RANK_MAX], index[GALI_RANK_MAX] = {0};
    (void)run;
    permutation(node, (int)x->rank, perm);
    gali_tensor_strides(x, NULL, strides);
    for (size_t e = 0; e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
        int64_t from = 0;
        for (uint32_t i = 0; i < y->rank; i++) {
            from += index[i] * strides[perm[i]];
        }
        gali_tensor_move(y, e, x, (size_t)from);
    }
    return GAL_OK;
}

void gali_express_transpose(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_scalar *index[GALI_RANK_MAX] = {NULL};
    int perm[GALI_RANK_MAX], rank = x->operand[0]->rank;
    permutation(x->node, rank, perm);
    for (int i = 0; i < rank; i++) {
        index[perm[i]] = gali_x_axis(x, (uint32_t)i);
    }
    if (y) {
        y->value = gali_x_load(x, 0, index);
    }
}

/* ---- Expand, Tile ---- */

gal_status gali_rule_expand(gali_rule *rule) {
    const gali_type *x = rule->operand[0], *shape = rule->operand[1];
    const gali_extent *list;
    uint32_t count;
    int given;
    rule->result[0] = (gali_type){.element = x->element, .rank = -1};
    gal_status status = gali_rule_sizes(rule, 1, NULL, &list, &count, &given);
    int known_rank = list || (shape->rank == 1 && gali_extent_is_number(shape->shape[0]));
    if (status != GAL_OK || x->rank < 0 || !known_rank) {
        return status;
    }
    gali_type target = {.element = x->element, .rank = (int)(list ? count : (uint32_t)shape->shape[0])};
    if (target.rank > GALI_RANK_MAX) {
        return gali_rule_fail(rule, "a shape of rank %d, %d is the most", target.rank, GALI_RANK_MAX);
    }
    for (int i = 0; i < target.rank; i++) {
        target.shape[i] = list ? list[i] : GALI_EXTENT_UNKNOWN;
    }
    status = gali_rule_broadcast_types(rule, x, &target, &rule->result[0]);
    if (status == GAL_OK) {
        gali_rule_move_known(rule, 1);
    }
    return status;
}

gal_status gali_truth_expand(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                             gali_tensor *results) {
    const gali_tensor *x = operands[0];
    gali_tensor *y = &results[0];
    int64_t strides[GALI_RANK_MAX], index[GALI_RANK_MAX] = {0};
    (void)run;
    (void)node;
    gali_tensor_strides(x, y, strides);
    for (size_t e = 0; e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
        int64_t from = 0;
        for (uint32_t i = 0; i < y->rank; i++) {
            from += index[i] * strides[i];
        }
        gali_tensor_move(y, e, x, (size_t)from);
    }
    return GAL_OK;
}

/* An extent that may be 1 when the graph runs is asked for it there. */
void gali_express_expand(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_type *from = x->operand[0], *to = &x->result[0];
    const gali_scalar *index[GALI_RANK_MAX], *zero = gali_x_int(x, 0);
    for (int i = 0; i < from->rank; i++) {
        int at = i + to->rank - from->rank;
        const gali_scalar *axis = gali_x_axis(x, (uint32_t)at);
        const gali_scalar *one =
            gali_x_apply(x, GALI_SCALAR_equal, gali_x_extent(x, from->shape[i]), gali_x_int(x, 1), NULL);
        int number = gali_extent_is_number(from->shape[i]);
        index[i] = from->shape[i] == 1                         ? zero
                   : number || from->shape[i] == to->shape[at] ? axis
                   : from->shape[i] == GALI_EXTENT_UNKNOWN
                       ? NULL
                       : gali_x_apply(x, GALI_SCALAR_select, one, zero, axis);
        x->none |= !index[i];
    }
    if (y && !x->none) {
        y->value = gali_x_load(x, 0, index);
    }
}

gal_status gali_rule_tile(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    const gali_extent *list;
    uint32_t count;
    int given;
    gal_status status = gali_rule_sizes(rule, 1, NULL, &list, &count, &given);
    rule->result[0] = (gali_type){.element = x->element, .rank = x->rank};
    if (status == GAL_OK && list && x->rank >= 0 && count != (uint32_t)x->rank) {
        return gali_rule_fail(rule, "%u repeats for a rank of %d", count, x->rank);
    }
    for (int i = 0; status == GAL_OK && i < x->rank; i++) {
        rule->result[0].shape[i] =
            list ? gali_extent_mul(rule->graph->extents, x->shape[i], list[i]) : GALI_EXTENT_UNKNOWN;
    }
    if (status == GAL_OK) {
        gali_rule_move_known(rule, 1);
    }
    return status;
}

gal_status gali_truth_tile(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                           gali_tensor *results) {
    const gali_tensor *x = operands[0];
    gali_tensor *y = &results[0];
    int64_t strides[GALI_RANK_MAX], index[GALI_RANK_MAX] = {0};
    (void)run;
    (void)node;
    gali_tensor_strides(x, NULL, strides);
    for (size_t e = 0; e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
        int64_t from = 0;
        for (uint32_t i = 0; i < y->rank; i++) {
            from += index[i] % x->shape[i] * strides[i];
        }
        gali_tensor_move(y, e, x, (size_t)from);
    }
    return GAL_OK;
}

void gali_express_tile(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_type *from = x->operand[0];
    const gali_scalar *index[GALI_RANK_MAX];
    for (int i = 0; i < from->rank; i++) {
        const gali_scalar *axis = gali_x_axis(x, (uint32_t)i);
        index[i] = from->shape[i] == x->result[0].shape[i]
                       ? axis
                       : gali_x_apply(x, GALI_SCALAR_mod, axis, gali_x_extent(x, from->shape[i]), NULL);
        x->none |= from->shape[i] == GALI_EXTENT_UNKNOWN;
    }
    if (y && !x->none) {
        y->value = gali_x_load(x, 0, index);
    }
}

/* ---- Concat ---- */

/* What is joined has one rank. */
static void demand_one_rank(gali_rule *rule) {
    int rank = -1;
    for (uint32_t i = 0; i < rule->node->operand_count; i++) {
        rank = rule->operand[i] && rule->operand[i]->rank > rank ? rule->operand[i]->rank : rank;
    }
    for (uint32_t i = 0; i < rule->node->operand_count; i++) {
        gali_rule_demand_rank(rule, i, rank);
    }
}

gal_status gali_rule_concat(gali_rule *rule) {
    const gali_node *node = rule->node;
    gali_type *y = &rule->result[0];
    int axis;
    *y = *rule->operand[0];
    if (!gali_rule_ranks_known(rule)) {
        demand_one_rank(rule);
        y->rank = -1;
        return GAL_OK;
    }
    gal_status status = gali_rule_axis(rule, gali_node_int(node, "axis"), y->rank, &axis);
    for (uint32_t i = 1; status == GAL_OK && i < node->operand_count; i++) {
        const gali_type *x = rule->operand[i];
        if (!x || x->rank != y->rank || x->element != y->element) {
            return gali_rule_fail(rule, "operand %u has another rank or element than the first", i + 1);
        }
        for (int d = 0; status == GAL_OK && d < y->rank; d++) {
            if (d == axis) {
                y->shape[d] = gali_extent_add(rule->graph->extents, y->shape[d], x->shape[d]);
            } else {
                status = gali_rule_same(rule, y->shape[d], x->shape[d], &y->shape[d]);
            }
        }
    }
    if (status == GAL_OK) {
        gali_rule_move_known(rule, UINT32_MAX);
    }
    return status;
}

/* The attribute as an axis, which the rule has checked. */
static uint32_t axis_of(const gali_node *node, uint32_t rank) {
    int64_t axis = gali_node_int(node, "axis");
    return (uint32_t)(axis < 0 ? axis + (int64_t)rank : axis);
}

gal_status gali_truth_concat(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                             gali_tensor *results) {
    gali_tensor *y = &results[0];
    uint32_t axis = axis_of(node, y->rank);
    int64_t strides[GALI_RANK_MAX], begin = 0;
    (void)run;
    gali_tensor_strides(y, NULL, strides);
    for (uint32_t i = 0; i < node->operand_count; i++) {
        const gali_tensor *x = operands[i];
        int64_t index[GALI_RANK_MAX] = {0};
        for (size_t e = 0; e < x->count; e++, gali_index_next(index, x->shape, x->rank)) {
            int64_t to = begin * strides[axis];
            for (uint32_t d = 0; d < x->rank; d++) {
                to += index[d] * strides[d];
            }
            gali_tensor_move(y, (size_t)to, x, e);
        }
        begin += x->shape[axis];
    }
    return GAL_OK;
}

enum { CONCAT_MOST = 256 }; /* operands that are one expression: each is a select in the one before */

void gali_express_concat(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    uint32_t count = x->node->operand_count, rank = (uint32_t)x->result[0].rank, axis = axis_of(x->node, rank);
    const gali_scalar *index[GALI_RANK_MAX], *value = NULL;
    gali_extent end = x->result[0].shape[axis];
    if (!y || count > CONCAT_MOST || end == GALI_EXTENT_UNKNOWN) {
        x->none = 1;
        return;
    }
    for (uint32_t i = 0; i < rank; i++) {
        index[i] = gali_x_axis(x, i);
    }
    for (uint32_t i = count; i-- > 0;) {
        gali_extent begin = gali_extent_sub(x->extents, end, x->operand[i]->shape[axis]);
        x->none |= begin == GALI_EXTENT_UNKNOWN || begin == GALI_EXTENT_BAD;
        index[axis] =
            gali_x_apply(x, GALI_SCALAR_sub, gali_x_axis(x, axis), gali_x_extent(x, i ? begin : 0), NULL);
        const gali_scalar *part = gali_x_load(x, i, index);
        const gali_scalar *before =
            gali_x_apply(x, GALI_SCALAR_less, gali_x_axis(x, axis), gali_x_extent(x, end), NULL);
        value = i + 1 == count ? part : gali_x_apply(x, GALI_SCALAR_select, before, part, value);
        end = begin;
    }
    y->value = value;
}

/* ---- Split ---- */

/* Part i of n: all of the size that num_outputs parts give, the last what is left. */
static gali_extent even_part(gali_extents *extents, const gali_node *node, gali_extent n, uint32_t i) {
    int64_t parts = gali_node_attribute(node, "num_outputs") ? gali_node_int(node, "num_outputs") : 0;
    parts = parts > 0 ? parts : node->result_count;
    gali_extent size = gali_extent_quotient(extents, gali_extent_add(extents, n, parts - 1), parts);
    gali_extent rest = gali_extent_sub(extents, n, gali_extent_mul(extents, size, i));
    return i + 1 == (uint32_t)parts ? gali_extent_most(extents, rest, 0)
                                    : gali_extent_least(extents, size, gali_extent_most(extents, rest, 0));
}

gal_status gali_rule_split(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    const gali_extent *list;
    uint32_t count;
    int given, axis = 0;
    gal_status status = gali_rule_list(rule, 1, NULL, &list, &count, &given);
    if (status == GAL_OK && x->rank >= 0) {
        status = gali_rule_axis(rule, gali_node_int(rule->node, "axis"), x->rank, &axis);
    }
    if (status == GAL_OK && list && count != rule->node->result_count) {
        return gali_rule_fail(rule, "%u sizes for %u results", count, rule->node->result_count);
    }
    gali_extent total = 0;
    for (uint32_t i = 0; status == GAL_OK && i < rule->node->result_count; i++) {
        rule->result[i] = *x;
        if (x->rank >= 0) {
            rule->result[i].shape[axis] = list ? list[i]
                                          : given
                                              ? GALI_EXTENT_UNKNOWN
                                              : even_part(rule->graph->extents, rule->node, x->shape[axis], i);
            total = gali_extent_add(rule->graph->extents, total, rule->result[i].shape[axis]);
        }
    }
    if (status == GAL_OK && x->rank >= 0) {
        gali_extent same;
        status = gali_rule_same(rule, total, x->shape[axis], &same);
        gali_rule_move_known(rule, 1);
    }
    return status;
}

gal_status gali_truth_split(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                            gali_tensor *results) {
    const gali_tensor *x = operands[0];
    uint32_t axis = axis_of(node, x->rank);
    int64_t strides[GALI_RANK_MAX], begin = 0;
    (void)run;
    gali_tensor_strides(x, NULL, strides);
    for (uint32_t i = 0; i < node->result_count; i++) {
        gali_tensor *y = &results[i];
        int64_t index[GALI_RANK_MAX] = {0};
        for (size_t e = 0; e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
            int64_t from = begin * strides[axis];
            for (uint32_t d = 0; d < y->rank; d++) {
                from += index[d] * strides[d];
            }
            gali_tensor_move(y, e, x, (size_t)from);
        }
        begin += y->shape[axis];
    }
    return GAL_OK;
}

void gali_express_split(gali_express *x) {
    uint32_t rank = (uint32_t)x->operand[0]->rank, axis = axis_of(x->node, rank);
    gali_extent begin = 0;
    for (uint32_t i = 0; i < x->node->result_count && !x->none; i++) {
        if (x->result[i].rank < 0 || begin == GALI_EXTENT_UNKNOWN || x->stage_count == GALI_STAGES_MAX) {
            x->none = 1; /* a part that nobody reads has no size here */
            return;
        }
        gali_stage_of *y = gali_x_result(x, i);
        const gali_scalar *index[GALI_RANK_MAX];
        for (uint32_t d = 0; d < rank; d++) {
            index[d] = gali_x_axis(x, d);
        }
        index[axis] = gali_x_apply(x, GALI_SCALAR_add, index[axis], gali_x_extent(x, begin), NULL);
        begin = gali_extent_add(x->extents, begin, x->result[i].shape[axis]);
        if (y) {
            y->value = gali_x_load(x, 0, index);
        }
    }
}

/* ---- DepthToSpace, SpaceToDepth ---- */

/* Depth times block^2 on one side, height and width times block on the other. */
static gal_status blocks_rule(gali_rule *rule, int to_space) {
    const gali_type *x = rule->operand[0];
    gali_extents *extents = rule->graph->extents;
    int64_t block = gali_node_int(rule->node, "blocksize");
    rule->result[0] = (gali_type){.element = x->element, .rank = -1};
    if (x->rank < 0) {
        return GAL_OK;
    }
    if (x->rank != 4 || block < 1 || block > 65536) {
        return gali_rule_fail(rule, "blocksize %lld of a tensor of rank %d, 4 expected", (long long)block,
                              x->rank);
    }
    gali_type *y = &rule->result[0];
    *y = *x;
    for (int i = 1; i < 4; i++) {
        int64_t by = i == 1 ? block * block : block;
        int multiply = (i == 1) != to_space;
        if (!multiply && gali_extent_is_number(x->shape[i]) && x->shape[i] % by) {
            return gali_rule_fail(rule, "extent %lld is no multiple of %lld", (long long)x->shape[i],
                                  (long long)by);
        }
        gali_extent whole = x->shape[i];
        y->shape[i] = multiply ? gali_extent_mul(extents, x->shape[i], by)
                               : gali_extent_quotient(extents, x->shape[i], by);
        gal_status status =
            multiply ? GAL_OK
                     : gali_rule_same(rule, x->shape[i], gali_extent_mul(extents, y->shape[i], by), &whole);
        if (status != GAL_OK) {
            return status;
        }
    }
    return GAL_OK;
}

gal_status gali_rule_depth_to_space(gali_rule *rule) {
    return blocks_rule(rule, 1);
}

gal_status gali_rule_space_to_depth(gali_rule *rule) {
    return blocks_rule(rule, 0);
}

/* The depth of place (row, column) of a block, for channel c of `channels` after the blocks. */
static int64_t deep(const gali_node *node, int64_t c, int64_t channels, int64_t row, int64_t column,
                    int64_t block) {
    int columns_first = gali_node_is(node, "mode", "CRD");
    return columns_first ? (c * block + row) * block + column : (row * block + column) * channels + c;
}

gal_status gali_truth_depth_to_space(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                     gali_tensor *results) {
    const gali_tensor *x = operands[0];
    gali_tensor *y = &results[0];
    int64_t block = gali_node_int(node, "blocksize"), at[GALI_RANK_MAX] = {0};
    (void)run;
    for (size_t e = 0; e < y->count; e++, gali_index_next(at, y->shape, y->rank)) {
        int64_t depth = deep(node, at[1], y->shape[1], at[2] % block, at[3] % block, block);
        int64_t from =
            ((at[0] * x->shape[1] + depth) * x->shape[2] + at[2] / block) * x->shape[3] + at[3] / block;
        gali_tensor_move(y, e, x, (size_t)from);
    }
    return GAL_OK;
}

gal_status gali_truth_space_to_depth(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                     gali_tensor *results) {
    const gali_tensor *x = operands[0];
    gali_tensor *y = &results[0];
    int64_t block = gali_node_int(node, "blocksize"), at[GALI_RANK_MAX] = {0};
    (void)run;
    for (size_t e = 0; e < x->count; e++, gali_index_next(at, x->shape, x->rank)) {
        int64_t depth = ((at[2] % block) * block + at[3] % block) * x->shape[1] + at[1];
        int64_t to =
            ((at[0] * y->shape[1] + depth) * y->shape[2] + at[2] / block) * y->shape[3] + at[3] / block;
        gali_tensor_move(y, (size_t)to, x, e);
    }
    return GAL_OK;
}

static const gali_scalar *apply(gali_express *x, gali_scalar_op op, const gali_scalar *a,
                                const gali_scalar *b) {
    return gali_x_apply(x, op, a, b, NULL);
}

/* a b + c */
static const gali_scalar *times_plus(gali_express *x, const gali_scalar *a, const gali_scalar *b,
                                     const gali_scalar *c) {
    return apply(x, GALI_SCALAR_add, apply(x, GALI_SCALAR_mul, a, b), c);
}

void gali_express_depth_to_space(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_scalar *block = gali_x_int(x, gali_node_int(x->node, "blocksize"));
    const gali_scalar *channel = gali_x_axis(x, 1), *index[4] = {gali_x_axis(x, 0)}, *inside[2];
    for (uint32_t i = 0; i < 2; i++) {
        const gali_scalar *axis = gali_x_axis(x, 2 + i);
        index[2 + i] = apply(x, GALI_SCALAR_quotient, axis, block);
        inside[i] = apply(x, GALI_SCALAR_mod, axis, block);
    }
    x->none = x->result[0].shape[1] == GALI_EXTENT_UNKNOWN;
    if (!y || x->none) {
        return;
    }
    index[1] = gali_node_is(x->node, "mode", "CRD")
                   ? times_plus(x, times_plus(x, channel, block, inside[0]), block, inside[1])
                   : times_plus(x, times_plus(x, inside[0], block, inside[1]),
                                gali_x_extent(x, x->result[0].shape[1]), channel);
    y->value = gali_x_load(x, 0, index);
}

void gali_express_space_to_depth(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_scalar *block = gali_x_int(x, gali_node_int(x->node, "blocksize"));
    x->none = x->operand[0]->shape[1] == GALI_EXTENT_UNKNOWN;
    if (!y || x->none) {
        return;
    }
    const gali_scalar *channels = gali_x_extent(x, x->operand[0]->shape[1]), *depth = gali_x_axis(x, 1);
    const gali_scalar *place = apply(x, GALI_SCALAR_quotient, depth, channels);
    const gali_scalar *index[4] = {
        gali_x_axis(x, 0),
        apply(x, GALI_SCALAR_mod, depth, channels),
        times_plus(x, gali_x_axis(x, 2), block, apply(x, GALI_SCALAR_quotient, place, block)),
        times_plus(x, gali_x_axis(x, 3), block, apply(x, GALI_SCALAR_mod, place, block)),
    };
    y->value = gali_x_load(x, 0, index);
}
