/*
 * Parts of a tensor, and tensors around one: Slice, Pad, CenterCropPad, Trilu, ReverseSequence. An element is one of the
 * operand's, or a fill where there is none.
 */
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"

/* Operand `i` as a list of integers, or NULL; its length in *count. */
static const int64_t *whole_list(const gali_tensor *tensor, uint32_t *count) {
    *count = tensor ? (uint32_t)tensor->count : 0;
    return tensor ? tensor->whole : NULL;
}

static int64_t clamp(int64_t x, int64_t least, int64_t most) {
    return x > most ? most : x < least ? least : x;
}

/* ---- Slice ---- */

/* What one axis of n elements gives: elements first, first + step, ... */
typedef struct part {
    gali_extent first, count;
    int64_t step;
} part;

/* A place counted from the axis's start; -1 is its last element. UNKNOWN where the sign is not known. */
static gali_extent from_start(gali_extents *extents, gali_extent place, gali_extent n) {
    int64_t least, most;
    gali_extent_range(extents, place, &least, &most);
    return place >= 0 && gali_extent_is_number(place) ? place
           : least >= 0                               ? place
           : most < 0                                 ? gali_extent_add(extents, place, n)
                                                      : GALI_EXTENT_UNKNOWN;
}

static gali_extent cut(gali_extents *extents, gali_extent a, gali_extent least, gali_extent most) {
    return gali_extent_least(extents, gali_extent_most(extents, a, least), most);
}

static part part_of(gali_extents *extents, gali_extent n, gali_extent start, gali_extent end, int64_t step) {
    gali_extent a = from_start(extents, start, n), b = from_start(extents, end, n);
    if (step == 1 && gali_extent_is_number(start) && start < 0 && end == GALI_EXTENT_LARGEST) {
        gali_extent count = gali_extent_least(extents, n, -start); /* the last few, or all */
        return (part){gali_extent_sub(extents, n, count), count, 1};
    }
    if (step > 0) {
        a = cut(extents, a, 0, n);
        b = cut(extents, b, 0, n);
        gali_extent span = gali_extent_sub(extents, b, a);
        span = b == n ? span : gali_extent_most(extents, span, 0); /* a is not above n */
        return (part){a, gali_extent_quotient(extents, gali_extent_add(extents, span, step - 1), step), step};
    }
    gali_extent last = gali_extent_sub(extents, n, 1);
    a = cut(extents, a, 0, last);
    b = cut(extents, b, -1, last);
    gali_extent span = gali_extent_most(extents, gali_extent_sub(extents, a, b), 0);
    return (part){a, gali_extent_quotient(extents, gali_extent_add(extents, span, -step - 1), -step), step};
}

enum { START, END, AXES, STEPS, LISTS };

/* The lists of Slice for one axis of a tensor, from known operands. */
typedef struct slices {
    const gali_extent *list[LISTS];
    uint32_t count; /* of axes that are cut */
    int axes_known;
} slices;

/* Axis of place i of the lists. */
static int64_t sliced_axis(const slices *s, uint32_t i, int rank) {
    int64_t axis = s->list[AXES] ? s->list[AXES][i] : i;
    return axis < 0 ? axis + rank : axis;
}

static part sliced_part(gali_extents *extents, const slices *s, uint32_t i, gali_extent n) {
    part unknown = {GALI_EXTENT_UNKNOWN, GALI_EXTENT_UNKNOWN, 1};
    gali_extent step = s->list[STEPS] ? s->list[STEPS][i] : 1;
    return s->list[START] && s->list[END] && gali_extent_is_number(step) && step != 0
               ? part_of(extents, n, s->list[START][i], s->list[END][i], step)
               : unknown;
}

static gal_status read_slices(gali_rule *rule, slices *s) {
    *s = (slices){.axes_known = 1};
    for (uint32_t i = 0; i < LISTS; i++) {
        const gali_type *type = gali_rule_operand(rule, 1 + i);
        uint32_t count;
        int given;
        gal_status status = i < 2 ? gali_rule_sizes(rule, 1 + i, NULL, &s->list[i], &count, &given)
                                  : gali_rule_list(rule, 1 + i, NULL, &s->list[i], &count, &given);
        if (status != GAL_OK) {
            return status;
        }
        gali_extent size = given ? gali_type_count(rule->graph->extents, type) : 0;
        if (given && gali_extent_is_number(size)) {
            if (size > GALI_RANK_MAX || (i > 0 && (uint32_t)size != s->count)) {
                return gali_rule_fail(rule, "starts, ends, axes and steps are not of one length");
            }
            s->count = (uint32_t)size;
        } else if (given) {
            s->axes_known = 0;
        }
        for (uint32_t k = 0; i >= AXES && s->list[i] && k < count; k++) {
            s->list[i] = gali_extent_is_number(s->list[i][k]) ? s->list[i] : NULL;
        }
        s->axes_known &= !(given && !s->list[i] && (i == AXES || i == STEPS));
    }
    return GAL_OK;
}

gal_status gali_rule_slice(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    slices s;
    gal_status status = read_slices(rule, &s);
    rule->result[0] = *x;
    for (int d = 0; status == GAL_OK && d < x->rank && !s.axes_known; d++) {
        rule->result[0].shape[d] = GALI_EXTENT_UNKNOWN;
    }
    for (uint32_t i = 0; status == GAL_OK && s.axes_known && x->rank >= 0 && i < s.count; i++) {
        int axis;
        status = gali_rule_axis(rule, s.list[AXES] ? s.list[AXES][i] : i, x->rank, &axis);
        if (status == GAL_OK && s.list[STEPS] && s.list[STEPS][i] == 0) {
            status = gali_rule_fail(rule, "a step of 0");
        }
        if (status == GAL_OK) {
            rule->result[0].shape[axis] = sliced_part(rule->graph->extents, &s, i, x->shape[axis]).count;
        }
    }
    if (status == GAL_OK) {
        gali_rule_move_known(rule, 1);
    }
    return status;
}

gal_status gali_truth_slice(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                            gali_tensor *results) {
    const gali_tensor *x = operands[0];
    gali_tensor *y = &results[0];
    int64_t strides[GALI_RANK_MAX], steps[GALI_RANK_MAX], index[GALI_RANK_MAX] = {0}, begin = 0;
    uint32_t count, given;
    const int64_t *starts = whole_list(operands[1], &count);
    const int64_t *axes = whole_list(node->operand_count > 3 ? operands[3] : NULL, &given);
    const int64_t *by = whole_list(node->operand_count > 4 ? operands[4] : NULL, &given);
    (void)run;
    gali_tensor_strides(x, NULL, strides);
    memcpy(steps, strides, sizeof steps);
    for (uint32_t i = 0; i < count; i++) {
        int64_t axis = axes ? axes[i] : i, step = by ? by[i] : 1;
        axis += axis < 0 ? x->rank : 0;
        int64_t n = x->shape[axis], start = starts[i] < 0 && starts[i] >= -n ? starts[i] + n : starts[i];
        begin += clamp(start, 0, step > 0 ? n : n - 1) * strides[axis];
        steps[axis] = strides[axis] * step;
    }
    for (size_t e = 0; e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
        int64_t from = begin;
        for (uint32_t d = 0; d < y->rank; d++) {
            from += index[d] * steps[d];
        }
        gali_tensor_move(y, e, x, (size_t)from);
    }
    return GAL_OK;
}

void gali_express_slice(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_scalar *index[GALI_RANK_MAX];
    int rank = x->operand[0]->rank;
    slices s = {.axes_known = 1};
    for (uint32_t i = 0; i < LISTS; i++) {
        int given = 1 + i < x->node->operand_count && x->operand[1 + i];
        s.list[i] = given ? x->known[1 + i] : NULL;
        x->none |= given && !s.list[i];
    }
    if (!y || x->none) {
        return;
    }
    s.count = (uint32_t)(x->operand[1]->rank ? x->operand[1]->shape[0] : 1);
    for (int d = 0; d < rank; d++) {
        index[d] = gali_x_axis(x, (uint32_t)d);
    }
    for (uint32_t i = 0; i < s.count; i++) {
        int64_t axis = sliced_axis(&s, i, rank);
        part p = sliced_part(x->extents, &s, i, x->operand[0]->shape[axis]);
        if (!gali_extent_is_number(p.first) && p.first < 0) {
            x->none = 1;
            return;
        }
        const gali_scalar *along = gali_x_apply(x, GALI_SCALAR_mul, index[axis], gali_x_int(x, p.step), NULL);
        index[axis] = gali_x_apply(x, GALI_SCALAR_add, along, gali_x_extent(x, p.first), NULL);
    }
    y->value = gali_x_load(x, 0, index);
}

/* ---- Pad ---- */

typedef enum pad_mode { CONSTANT, REFLECT, EDGE, WRAP, NO_MODE } pad_mode;

static pad_mode mode_of(const gali_node *node) {
    static const char *const words[] = {"constant", "reflect", "edge", "wrap"};
    int mode = 0;
    while (mode < NO_MODE && !gali_node_is(node, "mode", words[mode])) {
        mode++;
    }
    return (pad_mode)mode;
}

/* Lists of pads: the begins of the named axes, then their ends. Fills begin[] and end[] for all axes. */
static int spread_pads(const int64_t *pads, uint32_t count, const int64_t *axes, uint32_t rank, int64_t *begin,
                       int64_t *end) {
    memset(begin, 0, rank * sizeof *begin);
    memset(end, 0, rank * sizeof *end);
    for (uint32_t i = 0; i < count / 2; i++) {
        int64_t axis = axes ? axes[i] : i;
        axis += axis < 0 ? rank : 0;
        if (axis < 0 || axis >= rank) {
            return 0;
        }
        begin[axis] = pads[i];
        end[axis] = pads[count / 2 + i];
    }
    return 1;
}

gal_status gali_rule_pad(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    gali_extents *extents = rule->graph->extents;
    const gali_extent *pads, *axes;
    uint32_t count, axis_count;
    int given, axes_given;
    rule->result[0] = *x;
    gal_status status = gali_rule_sizes(rule, 1, NULL, &pads, &count, &given);
    if (status == GAL_OK) {
        status = gali_rule_list(rule, 3, NULL, &axes, &axis_count, &axes_given);
    }
    if (status != GAL_OK || x->rank < 0) {
        return status;
    }
    if (gali_rule_operand(rule, 2) && gali_rule_operand(rule, 2)->element != x->element) {
        return gali_rule_fail(rule, "a fill of another element");
    }
    if (mode_of(rule->node) == NO_MODE) {
        return gali_rule_fail(rule, "mode \"%.40s\"", gali_node_word(rule->node, "mode"));
    }
    gali_extent begin[GALI_RANK_MAX], end[GALI_RANK_MAX];
    int known = pads && (!axes_given || axes);
    if (known && (count != 2 * (axes ? axis_count : (uint32_t)x->rank) ||
                  !spread_pads(pads, count, axes, (uint32_t)x->rank, begin, end))) {
        return gali_rule_fail(rule, "%u pads, or their axes, do not fit a rank of %d", count, x->rank);
    }
    for (int d = 0; d < x->rank; d++) {
        rule->result[0].shape[d] =
            known ? gali_extent_add(extents, gali_extent_add(extents, x->shape[d], begin[d]), end[d])
                  : GALI_EXTENT_UNKNOWN;
        int fills = mode_of(rule->node) == CONSTANT || (known && begin[d] == 0 && end[d] == 0);
        status = status == GAL_OK && !fills ? gali_rule_some(rule, x->shape[d]) : status;
    }
    if (status == GAL_OK) {
        gali_rule_move_known(rule, 1u | 4u);
    }
    return status;
}

/* Where element i of a padded axis of n comes from; -1: it is the fill. */
static int64_t padded(pad_mode mode, int64_t i, int64_t n) {
    if ((i >= 0 && i < n) || n == 0) {
        return n == 0 ? -1 : i;
    }
    int64_t period = mode == REFLECT ? 2 * (n - 1) : n;
    switch (mode) {
    case EDGE:
        return i < 0 ? 0 : n - 1;
    case WRAP:
        return (i % period + period) % period;
    case REFLECT:
        i = period ? (i % period + period) % period : 0;
        return i < n ? i : period - i;
    default:
        return -1;
    }
}

gal_status gali_truth_pad(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                          gali_tensor *results) {
    const gali_tensor *x = operands[0], *fill = node->operand_count > 2 ? operands[2] : NULL;
    gali_tensor *y = &results[0];
    int64_t strides[GALI_RANK_MAX], index[GALI_RANK_MAX] = {0}, begin[GALI_RANK_MAX], end[GALI_RANK_MAX];
    uint32_t count, axis_count;
    const int64_t *pads = whole_list(operands[1], &count);
    const int64_t *axes = whole_list(node->operand_count > 3 ? operands[3] : NULL, &axis_count);
    pad_mode mode = mode_of(node);
    (void)run;
    spread_pads(pads, count, axes, x->rank, begin, end);
    gali_tensor_strides(x, NULL, strides);
    for (size_t e = 0; e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
        int64_t from = 0;
        for (uint32_t d = 0; d < y->rank; d++) {
            int64_t at = padded(mode, index[d] - begin[d], x->shape[d]);
            from = from < 0 || at < 0 ? -1 : from + at * strides[d];
        }
        if (from >= 0) {
            gali_tensor_move(y, e, x, (size_t)from);
        } else if (fill && fill->count) {
            gali_tensor_move(y, e, fill, 0);
        }
    }
    return GAL_OK;
}

/* The only element of an operand. */
static const gali_scalar *only(gali_express *x, uint32_t operand) {
    const gali_scalar *index[GALI_RANK_MAX];
    for (int i = 0; i < x->operand[operand]->rank; i++) {
        index[i] = gali_x_int(x, 0);
    }
    return gali_x_load(x, operand, index);
}

/* padded() in scalars, where i may be outside and n is not 0. */
static const gali_scalar *padded_scalar(gali_express *x, pad_mode mode, const gali_scalar *i,
                                        const gali_scalar *n) {
    const gali_scalar *one = gali_x_int(x, 1), *last = gali_x_apply(x, GALI_SCALAR_sub, n, one, NULL);
    if (mode == EDGE) {
        return gali_x_apply(x, GALI_SCALAR_most, gali_x_int(x, 0),
                            gali_x_apply(x, GALI_SCALAR_least, i, last, NULL), NULL);
    }
    if (mode == WRAP) {
        return gali_x_apply(x, GALI_SCALAR_mod, i, n, NULL);
    }
    const gali_scalar *period = gali_x_apply(x, GALI_SCALAR_mul, last, gali_x_int(x, 2), NULL);
    const gali_scalar *at = gali_x_apply(x, GALI_SCALAR_mod, i, period, NULL); /* 0 where n is 1 */
    return gali_x_apply(x, GALI_SCALAR_least, at, gali_x_apply(x, GALI_SCALAR_sub, period, at, NULL), NULL);
}

/* Whether an extent can be told a scalar. */
static int has_value(gali_extent a) {
    return gali_extent_is_number(a) || a > 0;
}

/* The value that stands where no element of the operand does: operand `fill`, or 0. */
static const gali_scalar *filled(gali_express *x, const gali_scalar *inside, const gali_scalar *load,
                                 uint32_t fill) {
    const gali_scalar *value = fill < x->node->operand_count && x->operand[fill]
                                   ? only(x, fill)
                                   : gali_x_number(x, x->operand[0]->element, 0);
    return inside ? gali_x_apply(x, GALI_SCALAR_select, inside, load, value) : load;
}

static const gali_scalar *both(gali_express *x, const gali_scalar *a, const gali_scalar *b) {
    return a ? gali_x_apply(x, GALI_SCALAR_and, a, b, NULL) : b;
}

/* Begins by axis, in begin[]; 0 where they are not known. */
static int pads_known(gali_express *x, gali_extent *begin, gali_extent *end) {
    const gali_extent *pads = x->known[1];
    int axes_given = x->node->operand_count > 3 && x->operand[3];
    const gali_extent *axes = axes_given ? x->known[3] : NULL;
    uint32_t rank = (uint32_t)x->operand[0]->rank;
    if (!pads || (axes_given && !axes)) {
        return 0;
    }
    uint32_t count = 2 * (uint32_t)(axes ? x->operand[3]->shape[0] : rank);
    int known = spread_pads(pads, count, axes, rank, begin, end);
    for (uint32_t i = 0; known && i < count; i++) {
        known = has_value(pads[i]);
    }
    return known;
}

void gali_express_pad(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_type *from = x->operand[0];
    const gali_scalar *index[GALI_RANK_MAX], *inside = NULL;
    gali_extent begin[GALI_RANK_MAX], end[GALI_RANK_MAX];
    pad_mode mode = mode_of(x->node);
    if (!y || !pads_known(x, begin, end)) {
        x->none = 1;
        return;
    }
    for (int d = 0; d < from->rank; d++) {
        const gali_scalar *i =
            gali_x_apply(x, GALI_SCALAR_sub, gali_x_axis(x, (uint32_t)d), gali_x_extent(x, begin[d]), NULL);
        if (!has_value(from->shape[d])) {
            x->none = 1;
            return;
        }
        const gali_scalar *n = gali_x_extent(x, from->shape[d]);
        int padded_here = begin[d] != 0 || end[d] != 0;
        index[d] = mode == CONSTANT || !padded_here ? i : padded_scalar(x, mode, i, n);
        if (padded_here && mode == CONSTANT) {
            inside = both(x, inside, gali_x_within(x, i, gali_x_int(x, 0), n));
        }
    }
    y->value = filled(x, inside, gali_x_load(x, 0, index), 2);
}

/* ---- CenterCropPad ---- */

/* Target extents by axis; the operand's own elsewhere. */
static gal_status center_shape(gali_rule *rule, gali_type *y) {
    const gali_attribute *axes = gali_node_attribute(rule->node, "axes");
    const gali_extent *list;
    uint32_t count;
    int given;
    gal_status status = gali_rule_sizes(rule, 1, NULL, &list, &count, &given);
    if (status == GAL_OK && list && count != (axes ? axes->count : (uint32_t)y->rank)) {
        return gali_rule_fail(rule, "%u extents, not one for each axis", count);
    }
    count = axes ? axes->count : (uint32_t)y->rank;
    for (uint32_t i = 0; status == GAL_OK && i < count; i++) {
        int axis;
        status = gali_rule_axis(rule, axes ? axes->ints[i] : i, y->rank, &axis);
        if (status == GAL_OK) {
            y->shape[axis] = list ? list[i] : GALI_EXTENT_UNKNOWN;
        }
    }
    return status;
}

gal_status gali_rule_center_crop_pad(gali_rule *rule) {
    rule->result[0] = *rule->operand[0];
    return rule->operand[0]->rank < 0 ? GAL_OK : center_shape(rule, &rule->result[0]);
}

/* What is cut in front (n > m), or padded there (n < m, as a negative number). */
static int64_t center(int64_t n, int64_t m) {
    return n >= m ? (n - m) / 2 : -((m - n) / 2);
}

gal_status gali_truth_center_crop_pad(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                      gali_tensor *results) {
    const gali_tensor *x = operands[0];
    gali_tensor *y = &results[0];
    int64_t strides[GALI_RANK_MAX], index[GALI_RANK_MAX] = {0};
    (void)run;
    (void)node;
    gali_tensor_strides(x, NULL, strides);
    for (size_t e = 0; e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
        int64_t from = 0;
        for (uint32_t d = 0; d < y->rank; d++) {
            int64_t at = padded(CONSTANT, index[d] + center(x->shape[d], y->shape[d]), x->shape[d]);
            from = from < 0 || at < 0 ? -1 : from + at * strides[d];
        }
        if (from >= 0) {
            gali_tensor_move(y, e, x, (size_t)from);
        }
    }
    return GAL_OK;
}

void gali_express_center_crop_pad(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    const gali_type *from = x->operand[0], *to = &x->result[0];
    const gali_scalar *index[GALI_RANK_MAX], *inside = NULL, *zero = gali_x_int(x, 0), *two = gali_x_int(x, 2);
    for (int d = 0; y && d < from->rank; d++) {
        index[d] = gali_x_axis(x, (uint32_t)d);
        if (from->shape[d] == to->shape[d]) {
            continue;
        }
        if (!has_value(from->shape[d]) || !has_value(to->shape[d])) {
            x->none = 1;
            return;
        }
        const gali_scalar *n = gali_x_extent(x, from->shape[d]);
        const gali_scalar *more = gali_x_apply(x, GALI_SCALAR_sub, n, gali_x_extent(x, to->shape[d]), NULL);
        const gali_scalar *half = gali_x_apply(x, GALI_SCALAR_div, more, two, NULL);
        index[d] = gali_x_apply(x, GALI_SCALAR_add, index[d], half, NULL);
        inside = both(x, inside, gali_x_within(x, index[d], zero, n));
    }
    if (y) {
        y->value = filled(x, inside, gali_x_load(x, 0, index), x->node->operand_count);
    }
}

/* ---- Trilu, ReverseSequence ---- */

gal_status gali_rule_trilu(gali_rule *rule) {
    rule->result[0] = *rule->operand[0];
    if (rule->operand[0]->rank >= 0 && rule->operand[0]->rank < 2) {
        return gali_rule_fail(rule, "rank %d, at least 2 expected", rule->operand[0]->rank);
    }
    gal_status status = gali_rule_integers(rule, 1);
    return status == GAL_OK ? gali_rule_single(rule, 1) : status;
}

gal_status gali_truth_trilu(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                            gali_tensor *results) {
    const gali_tensor *x = operands[0], *diagonal = node->operand_count > 1 ? operands[1] : NULL;
    gali_tensor *y = &results[0];
    int64_t index[GALI_RANK_MAX] = {0}, k = diagonal && diagonal->count ? diagonal->whole[0] : 0;
    int upper = gali_node_int(node, "upper") != 0;
    (void)run;
    k = clamp(k, -GALI_EXTENT_LARGEST, GALI_EXTENT_LARGEST);
    for (size_t e = 0; e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
        int64_t right = index[y->rank - 1] - index[y->rank - 2];
        if (upper ? right >= k : right <= k) {
            gali_tensor_move(y, e, x, e);
        }
    }
    return GAL_OK;
}

void gali_express_trilu(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    uint32_t rank = (uint32_t)x->operand[0]->rank;
    int given = x->node->operand_count > 1 && x->operand[1];
    const gali_scalar *k = given ? gali_x_cast(x, GALI_i64, only(x, 1)) : gali_x_int(x, 0);
    const gali_scalar *right =
        gali_x_apply(x, GALI_SCALAR_sub, gali_x_axis(x, rank - 1), gali_x_axis(x, rank - 2), NULL);
    int upper = gali_node_int(x->node, "upper") != 0;
    const gali_scalar *kept =
        gali_x_apply(x, GALI_SCALAR_less_equal, upper ? k : right, upper ? right : k, NULL);
    if (y) {
        y->value = gali_x_apply(x, GALI_SCALAR_select, kept, gali_x_broadcast(x, 0, rank),
                                gali_x_number(x, y->element, 0));
    }
}

gal_status gali_rule_reverse_sequence(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    int64_t batch = gali_node_int(rule->node, "batch_axis"), time = gali_node_int(rule->node, "time_axis");
    rule->result[0] = *x;
    if (batch == time || batch < 0 || batch > 1 || time < 0 || time > 1) {
        return gali_rule_fail(rule, "batch_axis and time_axis are 0 and 1, or 1 and 0");
    }
    if (x->rank >= 0 && x->rank < 2) {
        return gali_rule_fail(rule, "rank %d, at least 2 expected", x->rank);
    }
    gal_status status = gali_rule_integers(rule, 1);
    return status == GAL_OK ? gali_rule_line(rule, 1, x->rank < 0 ? GALI_EXTENT_UNKNOWN : x->shape[batch])
                            : status;
}

gal_status gali_truth_reverse_sequence(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                       gali_tensor *results) {
    const gali_tensor *x = operands[0], *lengths = operands[1];
    gali_tensor *y = &results[0];
    uint32_t batch = (uint32_t)gali_node_int(node, "batch_axis"), time = 1 - batch;
    int64_t strides[GALI_RANK_MAX], index[GALI_RANK_MAX] = {0};
    if (lengths->count != (size_t)x->shape[batch]) {
        return gali_run_fail(run, node, "%zu lengths for %lld sequences", lengths->count,
                             (long long)x->shape[batch]);
    }
    gali_tensor_strides(x, NULL, strides);
    for (size_t e = 0; e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
        int64_t length = clamp(lengths->whole[index[batch]], 0, x->shape[time]), at = index[time];
        int64_t from = at < length ? length - 1 - at : at;
        gali_tensor_move(y, e, x, (size_t)((int64_t)e + (from - at) * strides[time]));
    }
    return GAL_OK;
}

void gali_express_reverse_sequence(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    uint32_t rank = (uint32_t)x->operand[0]->rank, batch = (uint32_t)gali_node_int(x->node, "batch_axis");
    const gali_scalar *index[GALI_RANK_MAX], *which = gali_x_axis(x, batch), *at = gali_x_axis(x, 1 - batch);
    if (!y || !has_value(x->operand[0]->shape[1 - batch])) {
        x->none = 1;
        return;
    }
    for (uint32_t i = 0; i < rank; i++) {
        index[i] = gali_x_axis(x, i);
    }
    const gali_scalar *length = gali_x_cast(x, GALI_i64, gali_x_load(x, 1, &which));
    length =
        gali_x_apply(x, GALI_SCALAR_least, length, gali_x_extent(x, x->operand[0]->shape[1 - batch]), NULL);
    const gali_scalar *last = gali_x_apply(x, GALI_SCALAR_sub, length, gali_x_int(x, 1), NULL);
    index[1 - batch] = gali_x_apply(x, GALI_SCALAR_select, gali_x_apply(x, GALI_SCALAR_less, at, length, NULL),
                                    gali_x_apply(x, GALI_SCALAR_sub, last, at, NULL), at);
    y->value = gali_x_load(x, 0, index);
}
