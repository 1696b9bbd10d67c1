/*
 * Elements that their own values choose: TopK, NonZero, Compress, Unique, NonMaxSuppression. How many there are, but for
 * TopK, only running tells.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"

/* Axes before `axis`, along it, and after it, as counts. */
typedef struct lines {
    size_t outer, n, inner;
} lines;

static lines lines_of(const gali_tensor *x, uint32_t axis) {
    lines l = {1, (size_t)x->shape[axis], 1};
    for (uint32_t d = 0; d < x->rank; d++) {
        l.outer *= d < axis ? (size_t)x->shape[d] : 1;
        l.inner *= d > axis ? (size_t)x->shape[d] : 1;
    }
    return l;
}

static uint32_t axis_of(const gali_node *node, uint32_t rank) {
    int64_t axis = gali_node_int(node, "axis");
    return (uint32_t)(axis < 0 ? axis + (int64_t)rank : axis);
}

/* -1, 0, 1 as element a of x is below, equal to or above element b of y. */
static int compared(const gali_tensor *x, size_t a, const gali_tensor *y, size_t b) {
    gali_number p = gali_tensor_at(x, a), q = gali_tensor_at(y, b);
    if (x->real) {
        return (p.real > q.real) - (p.real < q.real);
    }
    return x->element == GALI_u64
               ? ((uint64_t)p.whole > (uint64_t)q.whole) - ((uint64_t)p.whole < (uint64_t)q.whole)
               : (p.whole > q.whole) - (p.whole < q.whole);
}

/* ---- TopK ---- */

gal_status gali_rule_top_k(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    const gali_extent *k;
    uint32_t count;
    int given, axis;
    gal_status status = gali_rule_sizes(rule, 1, NULL, &k, &count, &given);
    rule->result[0] = *x;
    if (status == GAL_OK && x->rank >= 0) {
        status = gali_rule_axis(rule, gali_node_int(rule->node, "axis"), x->rank, &axis);
    }
    if (status == GAL_OK && x->rank >= 0) {
        if (k && count != 1) {
            return gali_rule_fail(rule, "k: %u numbers, one expected", count);
        }
        if (k && gali_extent_is_number(*k) && gali_extent_is_number(x->shape[axis]) && *k > x->shape[axis]) {
            return gali_rule_fail(rule, "%lld of %lld", (long long)*k, (long long)x->shape[axis]);
        }
        if (k) {
            gali_rule_demand_most(rule, *k, x->shape[axis]);
        }
        rule->result[0].shape[axis] = k ? *k : gali_rule_fresh(rule, 0, axis, "top", x->shape[axis]);
    }
    if (rule->node->result_count > 1) {
        rule->result[1] = rule->result[0];
        rule->result[1].element = GALI_i64;
    }
    return status;
}

/* For a line of n elements, `inner` apart: how many come before each. */
static void put_line(const gali_node *node, const gali_tensor *x, size_t begin, lines l, size_t k, size_t outer,
                     size_t column, gali_tensor *results) {
    int largest = gali_node_int(node, "largest") != 0;
    for (size_t i = 0; i < l.n; i++) {
        size_t before = 0;
        for (size_t j = 0; j < l.n; j++) {
            int order = compared(x, begin + j * l.inner, x, begin + i * l.inner);
            before += order == 0 ? j < i : (order > 0) == largest;
        }
        size_t to = (outer * k + before) * l.inner + column;
        if (before < k) {
            gali_tensor_move(&results[0], to, x, begin + i * l.inner);
            if (node->result_count > 1) {
                results[1].whole[to] = (int64_t)i;
            }
        }
    }
}

gal_status gali_truth_top_k(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                            gali_tensor *results) {
    const gali_tensor *x = operands[0];
    uint32_t axis = axis_of(node, x->rank);
    lines l = lines_of(x, axis);
    size_t k = (size_t)results[0].shape[axis];
    if (!results[0].real && !results[0].whole) {
        return gali_run_fail(run, node, "k is not told");
    }
    gal_status status = gali_run_work(run, (double)x->count * (double)l.n);
    for (size_t outer = 0; status == GAL_OK && outer < l.outer; outer++) {
        for (size_t column = 0; column < l.inner; column++) {
            put_line(node, x, outer * l.n * l.inner + column, l, k, outer, column, results);
        }
    }
    return status;
}

/* A stage for each result: the element before which as many come as its place says. */
static void express_place(gali_express *x, uint32_t result, const gali_stage_of *before, uint32_t axis) {
    const gali_scalar *index[GALI_RANK_MAX];
    gali_stage_of *y = gali_x_result(x, result);
    if (!y) {
        return;
    }
    gali_x_axes(x, y->rank, index);
    index[axis] = gali_x_axis(x, gali_x_reduce(y, before->extent[axis]));
    const gali_scalar *here = gali_x_equal(x, gali_x_read(x, before, index), gali_x_axis(x, axis));
    const gali_scalar *value = result ? index[axis] : gali_x_load(x, 0, index);
    y->start = gali_x_number(x, y->element, 0);
    y->value = gali_x_select(x, here, value, gali_x_self(x, y->element));
}

void gali_express_top_k(gali_express *x) {
    const gali_type *from = x->operand[0];
    uint32_t rank = (uint32_t)from->rank, axis = axis_of(x->node, rank);
    const gali_scalar *own[GALI_RANK_MAX], *other[GALI_RANK_MAX];
    gali_stage_of *before = gali_x_temporary(x, "before", GALI_i64, rank, from->shape);
    if (!before) {
        return;
    }
    gali_x_axes(x, rank, own);
    gali_x_axes(x, rank, other);
    other[axis] = gali_x_axis(x, gali_x_reduce(before, from->shape[axis]));
    const gali_scalar *a = gali_x_load(x, 0, other), *b = gali_x_load(x, 0, own);
    int largest = gali_node_int(x->node, "largest") != 0;
    const gali_scalar *better = largest ? gali_x_less(x, b, a) : gali_x_less(x, a, b);
    const gali_scalar *earlier = gali_x_and(x, gali_x_equal(x, a, b), gali_x_less(x, other[axis], own[axis]));
    const gali_scalar *counts = gali_x_apply(x, GALI_SCALAR_or, better, earlier, NULL);
    const gali_scalar *self = gali_x_self(x, GALI_i64);
    before->start = gali_x_int(x, 0);
    before->value = gali_x_select(x, counts, gali_x_add(x, self, gali_x_int(x, 1)), self);
    for (uint32_t i = 0; i < x->node->result_count; i++) {
        if (gali_x_wants(x, i)) {
            express_place(x, i, before, axis);
        }
    }
}

/* ---- NonZero ---- */

gal_status gali_rule_non_zero(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    gali_extent count = gali_type_count(rule->graph->extents, x);
    rule->result[0] = (gali_type){
        .element = GALI_i64,
        .rank = 2,
        .shape = {x->rank < 0 ? GALI_EXTENT_UNKNOWN : x->rank, gali_rule_fresh(rule, 0, 1, "chosen", count)}};
    return GAL_OK;
}

static int is_zero(const gali_tensor *x, size_t i) {
    gali_number number = gali_tensor_at(x, i);
    return x->real ? number.real == 0 : number.whole == 0;
}

gal_status gali_truth_non_zero(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                               gali_tensor *results) {
    const gali_tensor *x = operands[0];
    int64_t count = 0, index[GALI_RANK_MAX] = {0}, at = 0;
    (void)node;
    for (size_t e = 0; e < x->count; e++) {
        count += !is_zero(x, e);
    }
    gal_status status = gali_tensor_make(run, &results[0], GALI_i64, 2, (int64_t[]){x->rank, count});
    for (size_t e = 0; status == GAL_OK && e < x->count; e++, gali_index_next(index, x->shape, x->rank)) {
        for (uint32_t d = 0; d < x->rank && !is_zero(x, e); d++) {
            results[0].whole[d * count + at] = index[d];
        }
        at += !is_zero(x, e);
    }
    return status;
}

/* ---- Compress ---- */

gal_status gali_rule_compress(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    gali_type *y = &rule->result[0];
    int axis = 0;
    *y = (gali_type){.element = x->element, .rank = x->rank};
    if (rule->operand[1]->element != GALI_truth) {
        return gali_rule_fail(rule, "the condition is of no truth values");
    }
    if (!gali_node_attribute(rule->node, "axis")) {
        y->rank = 1;
        y->shape[0] = gali_rule_fresh(rule, 0, 0, "chosen", gali_type_count(rule->graph->extents, x));
        return GAL_OK;
    }
    gal_status status =
        x->rank < 0 ? GAL_OK : gali_rule_axis(rule, gali_node_int(rule->node, "axis"), x->rank, &axis);
    if (status == GAL_OK && x->rank >= 0) {
        memcpy(y->shape, x->shape, sizeof y->shape);
        y->shape[axis] = gali_rule_fresh(rule, 0, axis, "chosen", x->shape[axis]);
    }
    return status;
}

gal_status gali_truth_compress(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                               gali_tensor *results) {
    gali_tensor x = *operands[0];
    const gali_tensor *condition = operands[1];
    if (!gali_node_attribute(node, "axis")) { /* of all elements as one list */
        x.rank = 1;
        x.shape[0] = (int64_t)x.count;
    }
    uint32_t axis = gali_node_attribute(node, "axis") ? axis_of(node, x.rank) : 0;
    lines l = lines_of(&x, axis);
    size_t n = condition->count < l.n ? condition->count : l.n, to = 0;
    int64_t shape[GALI_RANK_MAX];
    memcpy(shape, x.shape, sizeof shape);
    shape[axis] = 0;
    for (size_t i = 0; i < n; i++) {
        shape[axis] += condition->whole[i] != 0;
    }
    gal_status status = gali_tensor_make(run, &results[0], x.element, x.rank, shape);
    for (size_t e = 0; status == GAL_OK && e < x.count; e++) {
        size_t i = e / l.inner % l.n;
        if (i < n && condition->whole[i]) {
            gali_tensor_move(&results[0], to++, &x, e);
        }
    }
    return status;
}

/* ---- Unique ---- */

gal_status gali_rule_unique(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    int axis = 0, along = gali_node_attribute(rule->node, "axis") != NULL;
    gali_type list = {.element = GALI_i64, .rank = 1}, all = list, *y = &rule->result[0];
    *y = (gali_type){.element = x->element, .rank = along ? x->rank : 1};
    if (x->rank >= 0) {
        gal_status status =
            along ? gali_rule_axis(rule, gali_node_int(rule->node, "axis"), x->rank, &axis) : GAL_OK;
        if (status != GAL_OK) {
            return status;
        }
        memcpy(y->shape, x->shape, sizeof y->shape);
    }
    gali_extent n = x->rank < 0 ? GALI_EXTENT_UNKNOWN
                    : along     ? x->shape[axis]
                                : gali_type_count(rule->graph->extents, x);
    if (y->rank >= 0) {
        y->shape[axis] = gali_rule_fresh(rule, 0, axis, "chosen", n);
    }
    list.shape[0] = y->rank >= 0 ? y->shape[axis] : GALI_EXTENT_UNKNOWN;
    all.shape[0] = n;
    for (uint32_t i = 1; i < rule->node->result_count; i++) {
        rule->result[i] = i == 2 ? all : list;
    }
    return GAL_OK;
}

/* -1, 0, 1 as slice a of a line is below, equal to or above slice b: element by element. */
static int compared_slices(const gali_tensor *x, lines l, size_t a, size_t b) {
    int order = 0;
    for (size_t outer = 0; !order && outer < l.outer; outer++) {
        for (size_t inner = 0; !order && inner < l.inner; inner++) {
            order = compared(x, (outer * l.n + a) * l.inner + inner, x, (outer * l.n + b) * l.inner + inner);
        }
    }
    return order;
}

/* first[i]: the first slice that equals slice i; place[i]: among the distinct ones. Returns how many those are. */
static size_t group(const gali_tensor *x, lines l, int sorted, size_t *first, size_t *place) {
    size_t count = 0;
    for (size_t i = 0; i < l.n; i++) {
        first[i] = 0;
        while (compared_slices(x, l, first[i], i) != 0 && first[i] < i) {
            first[i]++;
        }
        place[i] = count;
        count += first[i] == i;
    }
    for (size_t i = 0; sorted && i < l.n; i++) {
        place[i] = 0;
        for (size_t j = 0; j < l.n; j++) {
            place[i] += first[j] == j && compared_slices(x, l, j, i) < 0;
        }
    }
    for (size_t i = 0; i < l.n; i++) {
        place[i] = place[first[i]];
    }
    return count;
}

static gal_status put_unique(gali_run *run, const gali_node *node, const gali_tensor *x, uint32_t axis,
                             const size_t *first, const size_t *place, size_t count, gali_tensor *results) {
    lines l = lines_of(x, axis);
    int64_t shape[GALI_RANK_MAX];
    memcpy(shape, x->shape, sizeof shape);
    shape[axis] = (int64_t)count;
    gal_status status = gali_tensor_make(run, &results[0], x->element, x->rank, shape);
    for (size_t e = 0; status == GAL_OK && e < x->count; e++) {
        size_t i = e / l.inner % l.n, outer = e / l.inner / l.n;
        if (first[i] == i) {
            gali_tensor_move(&results[0], (outer * count + place[i]) * l.inner + e % l.inner, x, e);
        }
    }
    for (uint32_t r = 1; status == GAL_OK && r < node->result_count; r++) {
        int64_t size = (int64_t)(r == 2 ? l.n : count);
        status = gali_tensor_make(run, &results[r], GALI_i64, 1, &size);
        for (size_t i = 0; status == GAL_OK && i < l.n; i++) {
            if (r == 2) {
                results[r].whole[i] = (int64_t)place[i];
            } else if (r == 3) {
                results[r].whole[place[i]]++;
            } else if (first[i] == i) {
                results[r].whole[place[i]] = (int64_t)i;
            }
        }
    }
    return status;
}

gal_status gali_truth_unique(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                             gali_tensor *results) {
    gali_tensor x = *operands[0];
    if (!gali_node_attribute(node, "axis")) {
        x.rank = 1;
        x.shape[0] = (int64_t)x.count;
    }
    uint32_t axis = gali_node_attribute(node, "axis") ? axis_of(node, x.rank) : 0;
    lines l = lines_of(&x, axis);
    gali_arena arena = {0};
    gal_status status = gali_run_work(run, 2 * (double)x.count * (double)l.n);
    size_t *first = status == GAL_OK ? gali_arena_take(&arena, (l.n + 1) * sizeof *first) : NULL;
    size_t *place = status == GAL_OK ? gali_arena_take(&arena, (l.n + 1) * sizeof *place) : NULL;
    if (status == GAL_OK && (!first || !place)) {
        status = gali_run_fail(run, node, "no memory");
    }
    if (status == GAL_OK) {
        size_t count = group(&x, l, gali_node_int(node, "sorted") != 0, first, place);
        status = put_unique(run, node, &x, axis, first, place, count, results);
    }
    gali_arena_release(&arena);
    return status;
}

/* ---- NonMaxSuppression ---- */

enum { BOXES, SCORES, MOST, OVERLAP, SCORE };

gal_status gali_rule_non_max_suppression(gali_rule *rule) {
    const gali_type *boxes = rule->operand[BOXES], *scores = rule->operand[SCORES];
    gali_extent most = GALI_EXTENT_UNKNOWN;
    if (boxes->element != GALI_f32 || scores->element != GALI_f32) {
        return gali_rule_fail(rule, "boxes and scores of f32 expected");
    }
    if ((boxes->rank >= 0 && boxes->rank != 3) || (scores->rank >= 0 && scores->rank != 3)) {
        return gali_rule_fail(rule, "boxes and scores of rank 3 expected");
    }
    if (scores->rank == 3) {
        most = gali_type_count(rule->graph->extents, scores);
    }
    rule->result[0] =
        (gali_type){.element = GALI_i64, .rank = 2, .shape = {gali_rule_fresh(rule, 0, 0, "kept", most), 3}};
    return gali_rule_operand(rule, MOST) ? gali_rule_integers(rule, MOST) : GAL_OK;
}

typedef struct box {
    double low[2], high[2];
} box;

static box box_at(const double *v, int centered) {
    box b;
    for (int d = 0; d < 2; d++) { /* y1 x1 y2 x2, or x y width height */
        double p = centered ? v[d] - v[2 + d] / 2 : v[d], q = centered ? v[d] + v[2 + d] / 2 : v[2 + d];
        b.low[d] = p < q ? p : q;
        b.high[d] = p < q ? q : p;
    }
    return b;
}

/* Intersection over union. */
static double overlap(box a, box b) {
    double common = 1, area_a = 1, area_b = 1;
    for (int d = 0; d < 2; d++) {
        double low = fmax(a.low[d], b.low[d]), high = fmin(a.high[d], b.high[d]);
        common *= high > low ? high - low : 0;
        area_a *= a.high[d] - a.low[d];
        area_b *= b.high[d] - b.low[d];
    }
    double together = area_a + area_b - common;
    return together > 0 ? common / together : 0;
}

static double number_of(const gali_node *node, const gali_tensor *const *operands, uint32_t i, double other) {
    const gali_tensor *tensor = i < node->operand_count ? operands[i] : NULL;
    return !tensor || !tensor->count ? other : tensor->real ? tensor->real[0] : (double)tensor->whole[0];
}

/* One class of one picture: boxes by falling score that overlap none kept before. Returns how many were kept. */
static size_t suppress(const gali_node *node, const gali_tensor *const *operands, const double *boxes,
                       const double *scores, size_t n, int64_t *kept) {
    double most = number_of(node, operands, MOST, 0), limit = number_of(node, operands, OVERLAP, 0);
    double least = number_of(node, operands, SCORE, -INFINITY);
    int centered = gali_node_int(node, "center_point_box") != 0;
    size_t count = 0;
    double last_score = INFINITY;
    size_t last = 0;
    while ((double)count < most) {
        size_t best = n;
        for (size_t i = 0; i < n; i++) { /* the next after the last, ties by place */
            int later =
                scores[i] < last_score || (scores[i] == last_score && i > last && last_score < INFINITY);
            if (later && scores[i] > least && (best == n || scores[i] > scores[best])) {
                best = i;
            }
        }
        if (best == n) {
            break;
        }
        int free_of_others = 1;
        for (size_t k = 0; k < count; k++) {
            free_of_others &=
                overlap(box_at(boxes + 4 * best, centered), box_at(boxes + 4 * kept[k], centered)) <= limit;
        }
        if (free_of_others) {
            kept[count++] = (int64_t)best;
        }
        last_score = scores[best];
        last = best;
    }
    return count;
}

gal_status gali_truth_non_max_suppression(gali_run *run, const gali_node *node,
                                          const gali_tensor *const *operands, gali_tensor *results) {
    const gali_tensor *boxes = operands[BOXES], *scores = operands[SCORES];
    size_t n = (size_t)scores->shape[2], classes = (size_t)scores->shape[1],
           lists = classes * (size_t)scores->shape[0];
    gali_arena arena = {0};
    if (boxes->shape[0] != scores->shape[0] || boxes->shape[1] != scores->shape[2] || boxes->shape[2] != 4) {
        return gali_run_fail(run, node, "boxes and scores do not fit");
    }
    gal_status status = gali_run_work(run, (double)scores->count * (double)n * 2);
    int64_t *kept = status == GAL_OK ? gali_arena_take(&arena, (scores->count + 1) * sizeof *kept) : NULL;
    size_t *counts = status == GAL_OK ? gali_arena_take(&arena, (lists + 1) * sizeof *counts) : NULL;
    int64_t total = 0;
    if (status == GAL_OK && (!kept || !counts)) {
        status = gali_run_fail(run, node, "no memory");
    }
    for (size_t i = 0; status == GAL_OK && i < lists; i++) {
        counts[i] = suppress(node, operands, boxes->real + 4 * n * (i / classes), scores->real + n * i, n,
                             kept + n * i);
        total += (int64_t)counts[i];
    }
    if (status == GAL_OK) {
        status = gali_tensor_make(run, &results[0], GALI_i64, 2, (int64_t[]){total, 3});
    }
    int64_t *to = results[0].whole;
    for (size_t i = 0; status == GAL_OK && i < lists; i++) {
        for (size_t k = 0; k < counts[i]; k++) {
            *to++ = (int64_t)(i / classes);
            *to++ = (int64_t)(i % classes);
            *to++ = kept[n * i + k];
        }
    }
    gali_arena_release(&arena);
    return status;
}
