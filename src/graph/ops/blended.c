/*
 * What networks with experts are made of: gates, which give each row coefficients and the experts that they are for, and
 * dense layers that are blended by them.
 *
 *     phase_gate     phase[..] -> coefficients[..][S], experts[..][S]: the samples of a cycle of E around the phase
 *     top_experts    all coefficients[..][E] -> the S largest, divided by their sum, and their experts
 *     blended_dense  y[c] = sum over s of coefficients[c][s] (A[e] x[c] + b[e]), e = experts[c][s], or s where they are not
 *                    given
 *
 * A row's experts ascend: that is the order in which they are added up, whatever the gate.
 */
#include <math.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"

typedef const gali_scalar scalar;

enum { EXPERTS_MOST = 256, SLOTS_MOST = 4 /* of a phase gate */ };
static const double turn = 6.283185307179586476925;

static gal_status element_fails(gali_rule *rule, uint32_t i) {
    return gali_rule_fail(rule, "operand %u is of %s", i + 1,
                          gali_element_list[rule->operand[i]->element].word);
}

static int is_real(const gali_type *type) {
    return gali_element_list[type->element].kind == GALI_REAL;
}

/* Coefficients of the operand's element and, where they are asked for, experts: the operand's first `rank` axes, then S. */
static void set_results(gali_rule *rule, int rank, gali_extent slots) {
    for (uint32_t i = 0; i < rule->node->result_count; i++) {
        gali_type *type = &rule->result[i];
        *type = (gali_type){.element = i ? GALI_u32 : rule->operand[0]->element, .rank = rank + 1};
        for (int d = 0; d < rank; d++) {
            type->shape[d] = rule->operand[0]->shape[d];
        }
        type->shape[rank] = slots;
    }
}

/* ---- phase_gate ---- */

/* How many samples of the cycle a kind of gate blends; 0: there is none of that name. */
static uint32_t slots_of(const gali_node *node) {
    return gali_node_is(node, "kind", "cubic")      ? 4
           : gali_node_is(node, "kind", "linear")   ? 2
           : gali_node_is(node, "kind", "constant") ? 1
                                                    : 0;
}

/* The first of them, counted from the sample at or before the phase. */
static int64_t first_of(const gali_node *node) {
    return slots_of(node) == 4 ? -1 : 0;
}

gal_status gali_rule_phase_gate(gali_rule *rule) {
    int64_t experts = gali_node_int(rule->node, "experts");
    uint32_t slots = slots_of(rule->node);
    int rank = rule->operand[0]->rank;
    if (!is_real(rule->operand[0])) {
        return element_fails(rule, 0);
    }
    if (!slots) {
        return gali_rule_fail(rule, "kind is cubic, linear or constant");
    }
    if (experts < slots || experts > EXPERTS_MOST || rank >= GALI_RANK_MAX) {
        return gali_rule_fail(rule, "%lld experts, of which it blends %u; %d are the most", (long long)experts,
                              slots, EXPERTS_MOST);
    }
    if (rank >= 0) {
        set_results(rule, rank, slots);
    }
    return GAL_OK;
}

/* The weight of sample i of a gate's, t of the way between two: Catmull-Rom (PFNN, SIGGRAPH 2017, eq. 7), or a line. */
static double weight_at(uint32_t slots, uint32_t i, double t) {
    double t2 = t * t, t3 = t2 * t;
    const double cubic[] = {-0.5 * t + t2 - 0.5 * t3, 1 - 2.5 * t2 + 1.5 * t3, 0.5 * t + 2 * t2 - 1.5 * t3,
                            -0.5 * t2 + 0.5 * t3};
    return slots == 4 ? cubic[i] : slots == 1 ? 1 : i ? t : 1 - t;
}

/* Slot s of a row whose samples start at `first`, of which the last `wrapped` are the cycle's first experts. */
static uint32_t sample_of(uint32_t slots, uint32_t s, uint32_t wrapped) {
    return (s + slots - wrapped) % slots;
}

gal_status gali_truth_phase_gate(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                 gali_tensor *results) {
    uint32_t slots = slots_of(node), experts = (uint32_t)gali_node_int(node, "experts");
    gal_status status = gali_run_work(run, (double)results[0].count);
    for (size_t i = 0; status == GAL_OK && i < operands[0]->count; i++) {
        double phase = fmod(operands[0]->real[i], turn);
        double at = (phase < 0 ? phase + turn : phase) * experts / turn;
        if (!isfinite(at)) {
            return gali_run_fail(run, node, "a phase is not finite");
        }
        uint32_t before = (uint32_t)floor(at) % experts; /* rounding may have made it a whole turn */
        uint32_t first = (uint32_t)((int64_t)before + first_of(node) + experts) % experts;
        uint32_t wrapped = first + slots > experts ? first + slots - experts : 0;
        for (uint32_t s = 0; s < slots; s++) {
            results[0].real[i * slots + s] = weight_at(slots, sample_of(slots, s, wrapped), at - floor(at));
            if (node->result_count > 1) {
                results[1].whole[i * slots + s] = s < wrapped ? s : first + s - wrapped;
            }
        }
    }
    return status;
}

static scalar *real(gali_express *x, double value) {
    return gali_x_number(x, x->operand[0]->element, value);
}

/* c0 + t (c1 + t (c2 + t c3)) */
static scalar *polynomial(gali_express *x, scalar *t, const double c[4]) {
    scalar *sum = real(x, c[3]);
    for (int i = 2; i >= 0; i--) {
        sum = gali_x_add(x, real(x, c[i]), gali_x_mul(x, t, sum));
    }
    return sum;
}

/* weight_at(i, t), where i is a scalar, too. */
static scalar *weight_of(gali_express *x, uint32_t slots, scalar *i, scalar *t) {
    static const double cubic[4][4] = {
        {0, -0.5, 1, -0.5}, {1, 0, -2.5, 1.5}, {0, 0.5, 2, -1.5}, {0, 0, -0.5, 0.5}};
    static const double linear[2][4] = {{1, -1, 0, 0}, {0, 1, 0, 0}};
    static const double constant[1][4] = {{1, 0, 0, 0}};
    const double(*rows)[4] = slots == 4 ? cubic : slots == 2 ? linear : constant;
    scalar *weight = polynomial(x, t, rows[slots - 1]);
    for (uint32_t k = slots - 1; k-- > 0;) {
        weight = gali_x_select(x, gali_x_equal(x, i, gali_x_int(x, k)), polynomial(x, t, rows[k]), weight);
    }
    return weight;
}

static scalar *remainder_of(gali_express *x, scalar *a, int64_t by) {
    return gali_x_apply(x, GALI_SCALAR_mod, a, gali_x_int(x, by), NULL);
}

void gali_express_phase_gate(gali_express *x) {
    uint32_t slots = slots_of(x->node), rank = (uint32_t)x->operand[0]->rank;
    int64_t experts = gali_node_int(x->node, "experts");
    scalar *index[GALI_RANK_MAX];
    gali_x_axes(x, rank, index);
    scalar *phase = gali_x_apply(x, GALI_SCALAR_mod, gali_x_load(x, 0, index), real(x, turn), NULL);
    scalar *at = gali_x_div(x, gali_x_mul(x, phase, real(x, (double)experts)), real(x, turn));
    scalar *floored = gali_x_of(x, GALI_SCALAR_floor, at), *zero = gali_x_int(x, 0);
    scalar *before =
        gali_x_add(x, gali_x_cast(x, GALI_i64, floored), gali_x_int(x, first_of(x->node) + experts));
    scalar *first = remainder_of(x, before, experts), *slot = gali_x_axis(x, rank);
    scalar *wrapped = gali_x_most(x, gali_x_add(x, first, gali_x_int(x, (int64_t)slots - experts)), zero);
    scalar *behind = gali_x_sub(x, slot, wrapped);
    scalar *sample = remainder_of(x, gali_x_add(x, behind, gali_x_int(x, slots)), slots);
    gali_stage_of *coefficients = gali_x_result(x, 0);
    gali_stage_of *list = gali_x_wants(x, 1) ? gali_x_result(x, 1) : NULL;
    if (coefficients) {
        coefficients->value = weight_of(x, slots, sample, gali_x_sub(x, at, floored));
    }
    if (list) {
        scalar *expert = gali_x_select(x, gali_x_less(x, slot, wrapped), slot, gali_x_add(x, first, behind));
        list->value = gali_x_cast(x, GALI_u32, expert);
    }
}

/* ---- top_experts ---- */

gal_status gali_rule_top_experts(gali_rule *rule) {
    const gali_type *all = rule->operand[0];
    int64_t top = gali_node_int(rule->node, "top");
    if (!is_real(all)) {
        return element_fails(rule, 0);
    }
    if (all->rank < 0) {
        return GAL_OK;
    }
    gali_extent experts = all->rank ? all->shape[all->rank - 1] : 0;
    if (top < 1 || (gali_extent_is_number(experts) && top > experts)) {
        return gali_rule_fail(rule, "top %lld: not between 1 and the experts", (long long)top);
    }
    gali_rule_demand_most(rule, top, experts);
    set_results(rule, all->rank - 1, top);
    return GAL_OK;
}

/* Whether fewer than `top` come before expert e: larger ones, and equal ones with a lower index. */
static int is_kept(const double *all, size_t experts, size_t e, size_t top) {
    size_t before = 0;
    for (size_t i = 0; i < experts; i++) {
        before += all[i] > all[e] || (i < e && !(all[i] < all[e]));
    }
    return before < top;
}

gal_status gali_truth_top_experts(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                  gali_tensor *results) {
    size_t top = (size_t)gali_node_int(node, "top");
    size_t experts = (size_t)operands[0]->shape[operands[0]->rank - 1];
    gal_status status = gali_run_work(run, (double)operands[0]->count * (double)experts);
    for (size_t row = 0; status == GAL_OK && row * top < results[0].count; row++) {
        const double *all = operands[0]->real + row * experts;
        double *kept = results[0].real + row * top, sum = 0;
        size_t count = 0;
        for (size_t e = 0; e < experts && count < top; e++) {
            if (is_kept(all, experts, e, top)) {
                if (node->result_count > 1) {
                    results[1].whole[row * top + count] = (int64_t)e;
                }
                kept[count++] = all[e];
                sum += all[e];
            }
        }
        if (count < top) {
            return gali_run_fail(run, node, "a coefficient is no number");
        }
        for (size_t i = 0; i < top; i++) {
            kept[i] /= sum;
        }
    }
    return status;
}

/* An i64 stage of the operand's shape that counts, for each expert, those of all of which `counted` is true. */
static gali_stage_of *count_stage(gali_express *x, const char *name) {
    const gali_type *all = x->operand[0];
    gali_stage_of *stage = gali_x_temporary(x, name, GALI_i64, (uint32_t)all->rank, all->shape);
    if (stage) {
        gali_x_reduce(stage, all->shape[all->rank - 1]);
        stage->start = gali_x_int(x, 0);
    }
    return stage;
}

static void count_where(gali_express *x, gali_stage_of *stage, scalar *counted) {
    scalar *self = gali_x_self(x, GALI_i64);
    stage->value = gali_x_select(x, counted, gali_x_add(x, self, gali_x_int(x, 1)), self);
}

/* The sum of what is where expert e, the axis that is reduced, stands in this slot; of all slots where `slot` is NULL. */
static void sum_kept(gali_express *x, gali_stage_of *stage, const gali_stage_of *before,
                     const gali_stage_of *place, scalar *slot, uint32_t e, int expert) {
    uint32_t rank = (uint32_t)x->operand[0]->rank;
    scalar *index[GALI_RANK_MAX];
    gali_x_axes(x, rank, index);
    index[rank - 1] = gali_x_axis(x, e);
    scalar *top = gali_x_int(x, gali_node_int(x->node, "top"));
    scalar *kept = gali_x_less(x, gali_x_read(x, before, index), top);
    if (slot) {
        kept = gali_x_and(x, kept, gali_x_equal(x, gali_x_read(x, place, index), slot));
    }
    scalar *term = expert ? gali_x_cast(x, GALI_u32, index[rank - 1]) : gali_x_load(x, 0, index);
    scalar *self = gali_x_self(x, stage->element);
    stage->start = gali_x_number(x, stage->element, 0);
    stage->value = gali_x_select(x, kept, gali_x_add(x, self, term), self);
}

void gali_express_top_experts(gali_express *x) {
    const gali_type *all = x->operand[0];
    uint32_t rank = (uint32_t)all->rank;
    gali_extent experts = all->shape[rank - 1];
    scalar *own[GALI_RANK_MAX], *other[GALI_RANK_MAX];
    gali_x_axes(x, rank, own);
    gali_x_axes(x, rank, other);
    other[rank - 1] = gali_x_axis(x, rank);
    gali_stage_of *before = count_stage(x, "before"), *place = count_stage(x, "place");
    gali_stage_of *sum = gali_x_temporary(x, "sum", all->element, rank - 1, all->shape);
    if (!before || !place || !sum) {
        return;
    }
    scalar *a = gali_x_load(x, 0, own), *b = gali_x_load(x, 0, other);
    scalar *earlier = gali_x_less(x, other[rank - 1], own[rank - 1]);
    scalar *equal = gali_x_and(x, earlier, gali_x_equal(x, a, b));
    count_where(x, before, gali_x_apply(x, GALI_SCALAR_or, gali_x_less(x, a, b), equal, NULL));
    scalar *kept = gali_x_less(x, gali_x_read(x, before, other), gali_x_int(x, gali_node_int(x->node, "top")));
    count_where(x, place, gali_x_and(x, earlier, kept));
    sum_kept(x, sum, before, place, NULL, gali_x_reduce(sum, experts), 0);
    gali_stage_of *chosen = gali_x_temporary(x, "chosen", all->element, rank, x->result[0].shape);
    if (chosen) {
        sum_kept(x, chosen, before, place, own[rank - 1], gali_x_reduce(chosen, experts), 0);
    }
    gali_stage_of *coefficients = chosen ? gali_x_result(x, 0) : NULL;
    if (coefficients) {
        coefficients->value = gali_x_div(x, gali_x_read(x, chosen, own), gali_x_read(x, sum, own));
    }
    gali_stage_of *list = gali_x_wants(x, 1) ? gali_x_result(x, 1) : NULL;
    if (list) {
        sum_kept(x, list, before, place, own[rank - 1], gali_x_reduce(list, experts), 1);
    }
}

/* ---- blended_dense: operands x, coefficients, A, b, experts ---- */

static gal_status check_elements(gali_rule *rule) {
    for (uint32_t i = 0; i < 4; i++) {
        if (!is_real(rule->operand[i]) || rule->operand[i]->element != rule->operand[0]->element) {
            return element_fails(rule, i);
        }
    }
    return gali_rule_integers(rule, 4);
}

/* Fails where the two are numbers that differ; else demands it. */
static gal_status expect_same(gali_rule *rule, const char *what, gali_extent a, gali_extent b) {
    gali_rule_demand_same(rule, a, b);
    return gali_extent_is_number(a) && gali_extent_is_number(b) && a != b
               ? gali_rule_fail(rule, "%s: %lld and %lld", what, (long long)a, (long long)b)
               : GAL_OK;
}

gal_status gali_rule_blended_dense(gali_rule *rule) {
    static const int ranks[] = {2, 2, 3, 2, 2};
    gal_status status = check_elements(rule);
    rule->result[0].element = rule->operand[0]->element;
    if (status != GAL_OK || !gali_rule_ranks_known(rule)) {
        return status;
    }
    for (uint32_t i = 0; i < rule->node->operand_count; i++) {
        const gali_type *type = gali_rule_operand(rule, i);
        if (type && type->rank != ranks[i]) {
            return gali_rule_fail(rule, "operand %u has rank %d, %d expected", i + 1, type->rank, ranks[i]);
        }
    }
    if (!gali_node_is(rule->node, "form", "per-expert") && !gali_node_is(rule->node, "form", "blend")) {
        return gali_rule_fail(rule, "form is per-expert or blend");
    }
    const gali_extent *x = rule->operand[0]->shape, *w = rule->operand[1]->shape, *a = rule->operand[2]->shape;
    const gali_extent *b = rule->operand[3]->shape;
    const gali_type *experts = gali_rule_operand(rule, 4);
    status = expect_same(rule, "rows", x[0], w[0]);
    status = status == GAL_OK ? expect_same(rule, "inputs", x[1], a[2]) : status;
    status = status == GAL_OK ? expect_same(rule, "experts", a[0], b[0]) : status;
    status = status == GAL_OK ? expect_same(rule, "outputs", a[1], b[1]) : status;
    if (status == GAL_OK && experts) {
        status = expect_same(rule, "rows", w[0], experts->shape[0]);
        status = status == GAL_OK ? expect_same(rule, "slots", w[1], experts->shape[1]) : status;
    } else if (status == GAL_OK) {
        status = expect_same(rule, "coefficients and experts", w[1], a[0]);
    }
    rule->result[0] = (gali_type){.element = rule->operand[0]->element, .rank = 2, .shape = {x[0], a[1]}};
    return status;
}

static const gali_tensor *experts_of(const gali_node *node, const gali_tensor *const *operands) {
    return node->operand_count > 4 ? operands[4] : NULL;
}

/* b + A x of expert e's output n, for row c. */
static double affine_of(const gali_tensor *const *operands, size_t c, size_t e, size_t n) {
    const gali_tensor *x = operands[0], *a = operands[2], *b = operands[3];
    size_t inputs = (size_t)a->shape[2], outputs = (size_t)a->shape[1], at = e * outputs + n;
    double sum = b->real[at];
    for (size_t k = 0; k < inputs; k++) {
        sum += a->real[at * inputs + k] * x->real[c * inputs + k];
    }
    return sum;
}

gal_status gali_truth_blended_dense(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                    gali_tensor *results) {
    const gali_tensor *w = operands[1], *experts = experts_of(node, operands);
    size_t slots = (size_t)w->shape[1], outputs = (size_t)results[0].shape[1];
    gal_status status =
        gali_run_work(run, (double)results[0].count * (double)slots * (double)operands[0]->shape[1]);
    for (size_t i = 0; status == GAL_OK && i < w->count; i++) {
        int64_t e = experts ? experts->whole[i] : (int64_t)(i % slots);
        if (e < 0 || e >= operands[2]->shape[0]) {
            return gali_run_fail(run, node, "expert %lld of %lld", (long long)e,
                                 (long long)operands[2]->shape[0]);
        }
        for (size_t n = 0; n < outputs; n++) {
            size_t c = i / slots;
            results[0].real[c * outputs + n] += w->real[i] * affine_of(operands, c, (size_t)e, n);
        }
    }
    return status;
}

/* The expert of a row's slot. */
static scalar *expert_of(gali_express *x, scalar *c, scalar *s) {
    if (x->node->operand_count < 5 || !x->operand[4]) {
        return s;
    }
    scalar *at[] = {c, s};
    scalar *last = gali_x_sub(x, gali_x_extent(x, x->operand[2]->shape[0]), gali_x_int(x, 1));
    scalar *expert = gali_x_least(x, gali_x_cast(x, GALI_i64, gali_x_load(x, 4, at)), last);
    return gali_x_most(x, expert, gali_x_int(x, 0));
}

/* A sum over a row's slots of the coefficient and weight[e][n][k], or (k: NULL) bias[e][n]. */
static gali_stage_of *blend_stage(gali_express *x, const char *name, int weights) {
    const gali_extent *a = x->operand[2]->shape;
    const gali_extent shape[] = {x->operand[0]->shape[0], a[1], a[2]};
    gali_stage_of *stage = gali_x_temporary(x, name, x->result[0].element, weights ? 3 : 2, shape);
    if (stage) {
        scalar *c = gali_x_axis(x, 0), *s = gali_x_axis(x, gali_x_reduce(stage, x->operand[1]->shape[1]));
        scalar *at[] = {c, s},
               *of[] = {expert_of(x, c, s), gali_x_axis(x, 1), weights ? gali_x_axis(x, 2) : NULL};
        stage->start = gali_x_number(x, stage->element, 0);
        stage->value = gali_x_accumulate(x, stage, gali_x_load(x, 1, at), gali_x_load(x, weights ? 2 : 3, of));
    }
    return stage;
}

/* Weights blended first: (sum w A) x + sum w b. */
static void express_blend(gali_express *x) {
    gali_stage_of *bias = blend_stage(x, "bias", 0), *weight = blend_stage(x, "weight", 1);
    gali_stage_of *total = gali_x_temporary(x, "total", x->result[0].element, 2, x->result[0].shape);
    gali_stage_of *y = bias && weight && total ? gali_x_result(x, 0) : NULL;
    if (y) {
        scalar *c = gali_x_axis(x, 0), *n = gali_x_axis(x, 1);
        scalar *k = gali_x_axis(x, gali_x_reduce(total, x->operand[0]->shape[1]));
        scalar *own[] = {c, n}, *at[] = {c, k}, *of[] = {c, n, k};
        total->start = gali_x_number(x, total->element, 0);
        total->value = gali_x_accumulate(x, total, gali_x_read(x, weight, of), gali_x_load(x, 0, at));
        y->value = gali_x_add(x, gali_x_read(x, total, own), gali_x_read(x, bias, own));
    }
}

/* Each expert's sum, blended as they are added. */
static void express_per_expert(gali_express *x) {
    const gali_extent shape[] = {x->operand[0]->shape[0], x->operand[1]->shape[1], x->result[0].shape[1]};
    gali_stage_of *sum = gali_x_temporary(x, "sum", x->result[0].element, 3, shape);
    gali_stage_of *y = sum ? gali_x_result(x, 0) : NULL;
    if (!y) {
        return;
    }
    scalar *c = gali_x_axis(x, 0), *s = gali_x_axis(x, 1), *n = gali_x_axis(x, 2);
    scalar *k = gali_x_axis(x, gali_x_reduce(sum, x->operand[0]->shape[1]));
    scalar *at[] = {c, k}, *of[] = {expert_of(x, c, s), n, k};
    sum->start = gali_x_number(x, sum->element, 0);
    sum->value = gali_x_accumulate(x, sum, gali_x_load(x, 0, at), gali_x_load(x, 2, of));
    scalar *output = gali_x_axis(x, 1), *slot = gali_x_axis(x, gali_x_reduce(y, shape[1]));
    scalar *w[] = {c, slot}, *done[] = {c, slot, output}, *b[] = {expert_of(x, c, slot), output};
    scalar *affine = gali_x_add(x, gali_x_read(x, sum, done), gali_x_load(x, 3, b));
    y->start = gali_x_number(x, y->element, 0);
    y->value = gali_x_accumulate(x, y, gali_x_load(x, 1, w), affine);
}

void gali_express_blended_dense(gali_express *x) {
    if (gali_node_is(x->node, "form", "blend")) {
        express_blend(x);
    } else {
        express_per_expert(x);
    }
}
