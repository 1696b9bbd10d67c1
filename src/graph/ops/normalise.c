/*
 * Normalisations: x less its mean, over the root of its variance, both of all elements that share a place of the
 * statistics.
 *
 *     BatchNormalization     places are channels; the statistics are given, or in training those of the operand
 *     InstanceNormalization  batch and channel
 *     GroupNormalization     batch and group of channels
 *     LayerNormalization     axes before `axis`
 *     RMSNormalization       the same; of the mean it takes 0
 *     MeanVarianceNormalization  axes that are not in `axes`
 */
#include <math.h>
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"

static int is_real(gali_element element) {
    return gali_element_list[element].kind == GALI_REAL;
}

static int is_by_last_axes(const gali_node *node) {
    return node->op == GALI_OP_LayerNormalization || node->op == GALI_OP_RMSNormalization;
}

/* ---- which axes are reduced ---- */

typedef struct places {
    uint32_t mask;  /* axes that statistics are taken over, but for */
    int64_t groups; /* of channels, if there are any: then places are [batch][group] */
} places;

static uint32_t all(int rank) {
    return (1u << rank) - 1;
}

/* What is wrong, or NULL. */
static const char *places_of(places *p, const gali_node *node, int rank) {
    const gali_attribute *axes;
    int64_t axis, mask;
    *p = (places){0};
    if (!is_by_last_axes(node) && rank < 2) {
        return "a tensor [batch, channels, ...] expected";
    }
    switch (node->op) {
    case GALI_OP_LayerNormalization:
    case GALI_OP_RMSNormalization:
        axis = gali_node_int(node, "axis");
        axis += axis < 0 ? rank : 0;
        if (axis < 0 || axis >= rank) {
            return "its axis is none of the tensor's";
        }
        p->mask = all(rank) & ~all((int)axis);
        return NULL;
    case GALI_OP_MeanVarianceNormalization:
        axes = gali_node_attribute(node, "axes");
        mask = axes ? gali_axes_mask(axes->ints, axes->count, (uint32_t)rank) : (int64_t)(all(rank) & ~2u);
        p->mask = (uint32_t)mask;
        return mask < 0 ? "an axis is none of the tensor's" : NULL;
    case GALI_OP_BatchNormalization:
        p->mask = all(rank) & ~2u;
        return NULL;
    case GALI_OP_GroupNormalization:
        p->groups = gali_node_int(node, "num_groups");
        return p->groups < 1 ? "num_groups is not positive" : NULL;
    default: /* InstanceNormalization */
        p->mask = all(rank) & ~3u;
        return NULL;
    }
}

/* ---- rules ---- */

static gal_status check(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    places p;
    if (!is_real(x->element)) {
        return gali_rule_fail(rule, "not for %s", gali_element_list[x->element].word);
    }
    const char *wrong = x->rank < 0 ? NULL : places_of(&p, rule->node, x->rank);
    if (wrong) {
        return gali_rule_fail(rule, "%s", wrong);
    }
    rule->result[0] = *x;
    return GAL_OK;
}

/* Scales and the like: a list with a number for each channel. */
static gal_status check_channels(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    for (uint32_t i = 1; i < rule->node->operand_count; i++) {
        const gali_type *list = rule->operand[i];
        if (!list || list->rank < 0 || x->rank < 0) {
            continue;
        }
        int numbers =
            gali_extent_is_number(x->shape[1]) && list->rank == 1 && gali_extent_is_number(list->shape[0]);
        if (list->rank != 1 || !is_real(list->element) || (numbers && list->shape[0] != x->shape[1])) {
            return gali_rule_fail(rule, "operand %u: a number for each channel expected", i + 1);
        }
        gali_rule_demand_same(rule, x->shape[1], list->shape[0]);
    }
    return GAL_OK;
}

/* BatchNormalization, InstanceNormalization, GroupNormalization. */
gal_status gali_rule_normalise(gali_rule *rule) {
    gal_status status = check(rule);
    status = status == GAL_OK ? check_channels(rule) : status;
    int64_t groups = rule->node->op == GALI_OP_GroupNormalization ? gali_node_int(rule->node, "num_groups") : 1;
    const gali_type *x = rule->operand[0];
    if (status == GAL_OK && x->rank > 1 && gali_extent_is_number(x->shape[1]) && x->shape[1] % groups != 0) {
        return gali_rule_fail(rule, "%lld channels in %lld groups", (long long)x->shape[1], (long long)groups);
    }
    if (rule->node->op == GALI_OP_BatchNormalization && rule->node->result_count > 1 &&
        !gali_node_int(rule->node, "training_mode")) {
        return gali_rule_fail(rule, "statistics are results of training alone");
    }
    for (uint32_t i = 1; status == GAL_OK && i < rule->node->result_count; i++) {
        rule->result[i] = *rule->operand[2 + i];
    }
    return status;
}

gal_status gali_rule_mean_variance(gali_rule *rule) {
    return check(rule);
}

/* The element that statistics are in: the wider of stash_type and the operand's. */
static gali_element stash_of(const gali_node *node, gali_element element) {
    gali_element stash =
        is_by_last_axes(node) ? gali_element_of_onnx(gali_node_int(node, "stash_type")) : element;
    return stash == GALI_ELEMENT_COUNT || gali_element_list[stash].bytes < gali_element_list[element].bytes
               ? element
               : stash;
}

gal_status gali_rule_layer_normalisation(gali_rule *rule) {
    gal_status status = check(rule);
    const gali_type *x = rule->operand[0];
    gali_element stash = gali_element_of_onnx(gali_node_int(rule->node, "stash_type"));
    if (status == GAL_OK && (stash == GALI_ELEMENT_COUNT || !is_real(stash))) {
        return gali_rule_fail(rule, "stash_type %lld is no real element",
                              (long long)gali_node_int(rule->node, "stash_type"));
    }
    for (uint32_t i = 1; status == GAL_OK && x->rank >= 0 && i < rule->node->operand_count; i++) {
        status = gali_rule_reals(rule, i);
        status = status == GAL_OK ? gali_rule_broadcast_to(rule, i, x) : status;
    }
    for (uint32_t i = 1; status == GAL_OK && i < rule->node->result_count; i++) {
        places p;
        rule->result[i] = *x;
        rule->result[i].element = stash;
        places_of(&p, rule->node, x->rank < 0 ? 0 : x->rank);
        for (int d = 0; d < x->rank; d++) {
            rule->result[i].shape[d] = p.mask >> d & 1 ? 1 : x->shape[d];
        }
    }
    return status;
}

/* ---- truth ---- */

typedef struct moments {
    gali_tensor mean, variance; /* [places] */
} moments;

/* The place whose statistics belong to an element. */
static size_t place_at(const places *p, const gali_tensor *x, const int64_t *index) {
    if (!p->groups) {
        return gali_index_over(index, x->shape, x->rank, p->mask);
    }
    int64_t size = x->shape[1] / p->groups;
    return (size_t)(index[0] * p->groups + (size ? index[1] / size : 0));
}

static int64_t place_count(const places *p, const gali_tensor *x) {
    int64_t count = p->groups ? x->shape[0] * p->groups : 1;
    for (uint32_t i = 0; !p->groups && i < x->rank; i++) {
        count *= p->mask >> i & 1 ? 1 : x->shape[i];
    }
    return count;
}

static void release(gali_run *run, moments *m) {
    gali_tensor_release(run, &m->mean);
    gali_tensor_release(run, &m->variance);
}

/* centred: the mean is taken, or else it is 0. */
static gal_status take_moments(gali_run *run, const places *p, const gali_tensor *x, int centred, moments *m) {
    int64_t count = place_count(p, x), index[GALI_RANK_MAX] = {0};
    double each = count ? (double)x->count / (double)count : 1;
    *m = (moments){{.count = 0}, {.count = 0}};
    gal_status status = gali_run_work(run, 3 * (double)x->count);
    status = status == GAL_OK ? gali_tensor_make(run, &m->mean, GALI_f64, 1, &count) : status;
    status = status == GAL_OK ? gali_tensor_make(run, &m->variance, GALI_f64, 1, &count) : status;
    for (size_t e = 0; centred && status == GAL_OK && e < x->count;
         e++, gali_index_next(index, x->shape, x->rank)) {
        m->mean.real[place_at(p, x, index)] += x->real[e] / each;
    }
    for (size_t e = 0; status == GAL_OK && e < x->count; e++, gali_index_next(index, x->shape, x->rank)) {
        size_t place = place_at(p, x, index);
        double apart = x->real[e] - m->mean.real[place];
        m->variance.real[place] += apart * apart / each;
    }
    return status;
}

/* Statistics that are given, for BatchNormalization. */
static void give_moments(const gali_tensor *const *operands, moments *m) {
    m->mean = *operands[3];
    m->variance = *operands[4];
}

/* What the number is multiplied by, and what is added to it, at an element. */
static double number_at(const gali_node *node, const gali_tensor *const *operands, uint32_t i,
                        const gali_tensor *x, const int64_t *index, double without) {
    const gali_tensor *list = i < node->operand_count ? operands[i] : NULL;
    return !list                   ? without
           : is_by_last_axes(node) ? list->real[gali_tensor_offset(list, x->rank, index)]
                                   : list->real[index[1]];
}

static void normalise(const gali_node *node, const gali_tensor *const *operands, const places *p,
                      const moments *m, gali_tensor *y) {
    const gali_tensor *x = operands[0];
    int64_t index[GALI_RANK_MAX] = {0};
    int plain = node->op == GALI_OP_MeanVarianceNormalization;
    double epsilon = plain ? 0 : gali_node_number(node, "epsilon");
    for (size_t e = 0; e < x->count; e++, gali_index_next(index, x->shape, x->rank)) {
        size_t place = place_at(p, x, index);
        double apart = x->real[e] - m->mean.real[place], root = sqrt(m->variance.real[place] + epsilon);
        y->real[e] = plain ? apart / (root + 1e-9)
                           : apart / root * number_at(node, operands, 1, x, index, 1) +
                                 number_at(node, operands, 2, x, index, 0);
    }
}

gal_status gali_truth_normalise(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                gali_tensor *results) {
    places p;
    moments m;
    int batch = node->op == GALI_OP_BatchNormalization, given = batch && !gali_node_int(node, "training_mode");
    const char *wrong = places_of(&p, node, (int)operands[0]->rank);
    if (wrong) {
        return gali_run_fail(run, node, "%s", wrong);
    }
    if (given) {
        give_moments(operands, &m);
        normalise(node, operands, &p, &m, &results[0]);
        return GAL_OK;
    }
    gal_status status = take_moments(run, &p, operands[0], node->op != GALI_OP_RMSNormalization, &m);
    if (status == GAL_OK) {
        normalise(node, operands, &p, &m, &results[0]);
    }
    for (uint32_t i = 1; status == GAL_OK && i < node->result_count; i++) {
        const gali_tensor *from = i == 1 ? &m.mean : &m.variance;
        double momentum = batch ? gali_node_number(node, "momentum") : 0;
        for (size_t e = 0; e < results[i].count; e++) {
            results[i].real[e] = batch    ? momentum * operands[2 + i]->real[e] + (1 - momentum) * from->real[e]
                                 : i == 1 ? from->real[e]
                                          : 1 / sqrt(from->real[e] + gali_node_number(node, "epsilon"));
        }
    }
    release(run, &m);
    return status;
}

/* ---- expression ---- */

typedef struct stages {
    gali_stage_of *mean, *variance;
} stages;

/* A stage over the places, with index[] of the element that is reduced now. */
static gali_stage_of *over(gali_express *x, const places *p, const char *name, gali_element element,
                           const gali_scalar **index) {
    const gali_type *type = x->operand[0];
    if (!p->groups) {
        return gali_x_over(x, name, element, type, p->mask, index);
    }
    gali_extent shape[2] = {type->shape[0], p->groups};
    gali_extent size = gali_extent_quotient(x->extents, type->shape[1], p->groups);
    gali_stage_of *made = gali_x_temporary(x, name, element, 2, shape);
    for (int i = 1; made && i < type->rank; i++) {
        index[i] = gali_x_axis(x, gali_x_reduce(made, i == 1 ? size : type->shape[i]));
    }
    if (made) {
        index[0] = gali_x_axis(x, 0);
        index[1] = gali_x_add(x, gali_x_mul(x, gali_x_axis(x, 1), gali_x_extent(x, size)), index[1]);
    }
    return made;
}

/* What a stage over the places has for the element at index[]. */
static const gali_scalar *read_place(gali_express *x, const places *p, const gali_stage_of *stage,
                                     const gali_scalar *const *index) {
    if (!p->groups) {
        return gali_x_read_over(x, stage, p->mask, index);
    }
    gali_extent size = gali_extent_quotient(x->extents, x->operand[0]->shape[1], p->groups);
    const gali_scalar *own[2] = {index[0],
                                 gali_x_apply(x, GALI_SCALAR_quotient, index[1], gali_x_extent(x, size), NULL)};
    return gali_x_read(x, stage, own);
}

static const gali_scalar *how_many(gali_express *x, const places *p, gali_element element) {
    const gali_type *type = x->operand[0];
    if (!p->groups) {
        return gali_x_count(x, element, type, p->mask);
    }
    gali_type grouped = *type;
    grouped.shape[1] = gali_extent_quotient(x->extents, type->shape[1], p->groups);
    return gali_x_count(x, element, &grouped, all(type->rank) & ~1u);
}

/* stage / how many there are, as a stage of the same shape. */
static gali_stage_of *mean_of(gali_express *x, const places *p, const gali_stage_of *sum, const char *name) {
    if (!sum) {
        return NULL;
    }
    gali_stage_of *made = gali_x_temporary(x, name, sum->element, sum->rank, sum->extent);
    const gali_scalar *index[GALI_RANK_MAX];
    gali_x_axes(x, sum->rank, index);
    if (made) {
        made->value = gali_x_div(x, gali_x_read(x, sum, index), how_many(x, p, sum->element));
    }
    return made;
}

/* The element at index[] less the mean; NULL: less 0. */
static const gali_scalar *apart_from(gali_express *x, const places *p, const gali_stage_of *mean,
                                     gali_element element, const gali_scalar *const *index) {
    const gali_scalar *own = gali_x_cast(x, element, gali_x_load(x, 0, index));
    return mean ? gali_x_sub(x, own, read_place(x, p, mean, index)) : own;
}

static stages express_moments(gali_express *x, const places *p, gali_element element) {
    const gali_scalar *index[GALI_RANK_MAX];
    stages s = {NULL, NULL};
    if (x->node->op != GALI_OP_RMSNormalization) {
        gali_stage_of *sum = over(x, p, "sum", element, index);
        gali_x_sum(x, sum, sum ? gali_x_cast(x, element, gali_x_load(x, 0, index)) : NULL);
        s.mean = mean_of(x, p, sum, "mean");
    }
    gali_stage_of *squares = over(x, p, "squares", element, index);
    if (squares) {
        const gali_scalar *apart = apart_from(x, p, s.mean, element, index);
        gali_x_sum(x, squares, gali_x_mul(x, apart, apart));
    }
    s.variance = mean_of(x, p, squares, "variance");
    return s;
}

static int has(const gali_express *x, uint32_t i) {
    return i < x->node->operand_count && x->operand[i];
}

/* A list's number for the channel, or an operand that is broadcast, in the result's element. */
static const gali_scalar *number_of(gali_express *x, uint32_t i) {
    const gali_scalar *channel = gali_x_axis(x, 1);
    const gali_scalar *a = is_by_last_axes(x->node) ? gali_x_broadcast(x, i, (uint32_t)x->operand[0]->rank)
                                                    : gali_x_load(x, i, &channel);
    return gali_x_cast(x, x->result[0].element, a);
}

/* scale (a / root) + bias */
static void express_result(gali_express *x, const gali_scalar *normal) {
    gali_stage_of *y = gali_x_result(x, 0);
    if (y) {
        y->value = gali_x_cast(x, y->element, normal);
        y->value = has(x, 1) ? gali_x_mul(x, y->value, number_of(x, 1)) : y->value;
        y->value = has(x, 2) ? gali_x_add(x, y->value, number_of(x, 2)) : y->value;
    }
}

static const gali_scalar *root_of(gali_express *x, const gali_scalar *variance, gali_element element) {
    return gali_x_of(x, GALI_SCALAR_sqrt,
                     gali_x_add(x, variance, gali_x_number(x, element, gali_node_number(x->node, "epsilon"))));
}

/* A given mean and variance of each channel. */
static void express_given(gali_express *x) {
    gali_element element = x->operand[0]->element;
    const gali_scalar *apart =
        gali_x_sub(x, gali_x_broadcast(x, 0, (uint32_t)x->operand[0]->rank), number_of(x, 3));
    express_result(x, gali_x_div(x, apart, root_of(x, number_of(x, 4), element)));
}

static void express_statistics(gali_express *x, const places *p, const stages *s, gali_element element) {
    for (uint32_t i = 1; i < x->node->result_count; i++) {
        const gali_stage_of *from = i == 1 ? s->mean : s->variance;
        const gali_scalar *index[GALI_RANK_MAX], *channel = gali_x_axis(x, 0);
        gali_stage_of *y = x->result[i].rank < 0 ? NULL : gali_x_result(x, i);
        if (!y) {
            continue;
        }
        if (x->node->op == GALI_OP_LayerNormalization) {
            gali_x_axes(x, y->rank, index);
            const gali_scalar *value = read_place(x, p, from, index);
            value = i == 1 ? value : gali_x_div(x, gali_x_number(x, element, 1), root_of(x, value, element));
            y->value = gali_x_cast(x, y->element, value);
            continue;
        }
        for (int d = 0; d < GALI_RANK_MAX; d++) {
            index[d] = d == 1 ? channel : gali_x_int(x, 0);
        }
        double momentum = gali_node_number(x->node, "momentum");
        const gali_scalar *now = gali_x_cast(x, y->element, read_place(x, p, from, index));
        y->value = gali_x_add(
            x, gali_x_mul(x, gali_x_number(x, y->element, momentum), gali_x_load(x, 2 + i, &channel)),
            gali_x_mul(x, gali_x_number(x, y->element, 1 - momentum), now));
    }
}

void gali_express_normalise(gali_express *x) {
    const gali_type *type = x->operand[0];
    places p;
    if (places_of(&p, x->node, type->rank)) {
        x->none = 1;
        return;
    }
    if (x->node->op == GALI_OP_BatchNormalization && !gali_node_int(x->node, "training_mode")) {
        express_given(x);
        return;
    }
    gali_element element = stash_of(x->node, type->element);
    stages s = express_moments(x, &p, element);
    const gali_scalar *index[GALI_RANK_MAX];
    gali_x_axes(x, (uint32_t)type->rank, index);
    const gali_scalar *apart = apart_from(x, &p, s.mean, element, index);
    const gali_scalar *variance = read_place(x, &p, s.variance, index);
    int plain = x->node->op == GALI_OP_MeanVarianceNormalization;
    const gali_scalar *root =
        plain ? gali_x_add(x, gali_x_of(x, GALI_SCALAR_sqrt, variance), gali_x_number(x, element, 1e-9))
              : root_of(x, variance, element);
    express_result(x, gali_x_div(x, apart, root));
    express_statistics(x, &p, &s, element);
}

/* ---- LRN: over the root of what neighbouring channels have ---- */

gal_status gali_rule_lrn(gali_rule *rule) {
    const gali_type *x = rule->operand[0];
    rule->result[0] = *x;
    if (!is_real(x->element) || (x->rank >= 0 && x->rank < 2) || gali_node_int(rule->node, "size") < 1) {
        return gali_rule_fail(rule, "reals [batch, channels, ...] and a positive size expected");
    }
    return GAL_OK;
}

gal_status gali_truth_lrn(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                          gali_tensor *results) {
    const gali_tensor *x = operands[0];
    int64_t size = gali_node_int(node, "size"), channels = x->shape[1], plane = 1, index[GALI_RANK_MAX] = {0};
    double alpha = gali_node_number(node, "alpha"), beta = gali_node_number(node, "beta");
    for (uint32_t i = 2; i < x->rank; i++) {
        plane *= x->shape[i];
    }
    gal_status status = gali_run_work(run, (double)x->count * (double)(size < channels ? size : channels));
    for (size_t e = 0; status == GAL_OK && e < x->count; e++, gali_index_next(index, x->shape, x->rank)) {
        int64_t first = index[1] - (size - 1) / 2, last = index[1] + size / 2;
        double sum = 0;
        for (int64_t c = first < 0 ? 0 : first; c <= last && c < channels; c++) {
            double a = x->real[(int64_t)e + (c - index[1]) * plane];
            sum += a * a;
        }
        results[0].real[e] =
            x->real[e] / pow(gali_node_number(node, "bias") + alpha / (double)size * sum, beta);
    }
    return status;
}

void gali_express_lrn(gali_express *x) {
    const gali_type *type = x->operand[0];
    int64_t size = gali_node_int(x->node, "size");
    const gali_scalar *index[GALI_RANK_MAX];
    gali_stage_of *sum = gali_x_temporary(x, "squares", type->element, (uint32_t)type->rank, type->shape);
    if (!sum) {
        return;
    }
    gali_x_axes(x, sum->rank, index);
    const gali_scalar *step = gali_x_axis(x, gali_x_reduce(sum, size));
    index[1] = gali_x_sub(x, gali_x_add(x, index[1], step), gali_x_int(x, (size - 1) / 2));
    const gali_scalar *inside = gali_x_within(x, index[1], gali_x_int(x, 0), gali_x_extent(x, type->shape[1]));
    const gali_scalar *a = gali_x_load(x, 0, index), *self = gali_x_self(x, type->element);
    sum->start = gali_x_number(x, type->element, 0);
    sum->value = gali_x_select(x, inside, gali_x_accumulate(x, sum, a, a), self);
    gali_stage_of *y = gali_x_result(x, 0);
    if (!y) {
        return;
    }
    gali_x_axes(x, y->rank, index);
    const gali_scalar *share = gali_x_number(x, y->element, gali_node_number(x->node, "alpha") / (double)size);
    const gali_scalar *base = gali_x_add(x, gali_x_number(x, y->element, gali_node_number(x->node, "bias")),
                                         gali_x_mul(x, share, gali_x_read(x, sum, index)));
    const gali_scalar *beta = gali_x_number(x, y->element, gali_node_number(x->node, "beta"));
    y->value = gali_x_div(x, gali_x_load(x, 0, index), gali_x_apply(x, GALI_SCALAR_pow, base, beta, NULL));
}
