/*
 * Convolutions of x [batch][channels][spatial]... with w [maps][channels / group][kernel]... (of ConvTranspose
 * [channels][maps / group][kernel]...). Channels and maps are in groups that know nothing of each other.
 *
 *     Conv           y[n][m][o] = bias[m] + sum over k, then c of x[n][c'][o stride + k dilation - begin] w[m][c][k],
 *                    where x is 0 outside
 *     ConvTranspose  the same read backwards: from x[i] to y[i stride + k dilation - begin]
 *     ConvInteger    x - zero, w - zero in i32; QLinearConv scales that back
 */
#include <math.h>
#include <string.h>

#include "graph/ops/window.h"
#include "graph/scalar.h"

/* Which operands they are; GALI_NONE: there is none. */
typedef struct roles {
    uint32_t w, bias, x_zero, w_zero;
    int back; /* QLinearConv: scales at 1, 4, 6, the result's zero point at 7 */
} roles;

static roles roles_of(const gali_node *node) {
    switch (node->op) {
    case GALI_OP_ConvInteger:
        return (roles){1, GALI_NONE, 2, 3, 0};
    case GALI_OP_QLinearConv:
        return (roles){3, 8, 2, 5, 1};
    default:
        return (roles){1, 2, GALI_NONE, GALI_NONE, 0};
    }
}

static const gali_tensor *tensor_of(const gali_node *node, const gali_tensor *const *operands, uint32_t i) {
    return i < node->operand_count ? operands[i] : NULL;
}

static int has(const gali_express *x, uint32_t i) {
    return i < x->node->operand_count && x->operand[i];
}

static int differ(gali_extent a, gali_extent b) {
    return gali_extent_is_number(a) && gali_extent_is_number(b) && a != b;
}

static int64_t groups_of(const gali_node *node) {
    return gali_node_int(node, "group");
}

/* ---- Conv and its integer forms: rule ---- */

static gal_status conv_shape(gali_rule *rule, uint32_t weights) {
    const gali_type *x = rule->operand[0], *w = rule->operand[weights];
    gali_extents *e = rule->graph->extents;
    int64_t group = groups_of(rule->node);
    gali_window window;
    if (w->rank != x->rank || w->rank < 3) {
        return gali_rule_fail(rule, "weights of rank %d for a tensor of rank %d", w->rank, x->rank);
    }
    if (group < 1 || differ(x->shape[1], gali_extent_mul(e, w->shape[1], group)) ||
        (gali_extent_is_number(w->shape[0]) && w->shape[0] % group != 0)) {
        return gali_rule_fail(rule, "channels do not fit: %lld groups of %lld, the tensor has %lld",
                              (long long)group, (long long)w->shape[1], (long long)x->shape[1]);
    }
    gali_rule_demand_same(rule, x->shape[1], gali_extent_mul(e, w->shape[1], group));
    gali_rule_demand_same(rule, w->shape[0],
                          gali_extent_mul(e, gali_extent_quotient(e, w->shape[0], group), group));
    gal_status status = gali_window_rule(&window, rule, w->shape + 2);
    if (status != GAL_OK) {
        return status;
    }
    rule->result[0].rank = x->rank;
    rule->result[0].shape[0] = x->shape[0];
    rule->result[0].shape[1] = w->shape[0];
    memcpy(rule->result[0].shape + 2, window.out, window.rank * sizeof *window.out);
    return GAL_OK;
}

/* Operand i has one element, or one for each map. */
static gal_status one_or_maps(gali_rule *rule, uint32_t i, gali_extent maps) {
    const gali_type *type = gali_rule_operand(rule, i);
    int many = type && type->rank == 1 && type->shape[0] != 1;
    return many ? gali_rule_line(rule, i, maps) : gali_rule_single(rule, i);
}

/* Zero points, of the elements that they are taken from, and the scales of QLinearConv. */
static gal_status check_scales(gali_rule *rule, const roles *r) {
    static const uint32_t scales[] = {1, 4, 6};
    const gali_type *x = rule->operand[0], *w = rule->operand[r->w];
    const gali_type *x_zero = gali_rule_operand(rule, r->x_zero), *w_zero = gali_rule_operand(rule, r->w_zero);
    gali_extent maps = w->rank > 0 ? w->shape[0] : GALI_EXTENT_UNKNOWN;
    if ((x_zero && x_zero->element != x->element) || (w_zero && w_zero->element != w->element)) {
        return gali_rule_fail(rule, "a zero point is of another element");
    }
    gal_status status = gali_rule_single(rule, r->x_zero);
    status = status == GAL_OK ? one_or_maps(rule, r->w_zero, maps) : status;
    for (uint32_t i = 0; r->back && status == GAL_OK && i < sizeof scales / sizeof *scales; i++) {
        status = gali_rule_reals(rule, scales[i]);
        status = status == GAL_OK ? one_or_maps(rule, scales[i], scales[i] == 4 ? maps : 1) : status;
    }
    if (status == GAL_OK && r->back && gali_element_list[rule->operand[7]->element].bytes != 1) {
        return gali_rule_fail(rule, "not to %s", gali_element_list[rule->operand[7]->element].word);
    }
    return status == GAL_OK && r->back ? gali_rule_single(rule, 7) : status;
}

gal_status gali_rule_conv(gali_rule *rule) {
    roles r = roles_of(rule->node);
    const gali_type *x = rule->operand[0], *w = rule->operand[r.w], *bias = gali_rule_operand(rule, r.bias);
    int whole = rule->node->op != GALI_OP_Conv;
    rule->result[0].element = r.back ? rule->operand[7]->element : whole ? GALI_i32 : x->element;
    int byte = gali_element_list[x->element].bytes == 1 && gali_element_list[w->element].bytes == 1 &&
               x->element != GALI_truth && w->element != GALI_truth;
    int fits = whole ? byte : x->element == w->element && gali_element_list[x->element].kind == GALI_REAL;
    if (!fits || (bias && bias->element != (whole ? GALI_i32 : x->element))) {
        return gali_rule_fail(rule, "not for %s and %s", gali_element_list[x->element].word,
                              gali_element_list[w->element].word);
    }
    gali_rule_demand_rank(rule, 0, w->rank);
    gal_status status = gali_rule_ranks_known(rule) ? conv_shape(rule, r.w) : GAL_OK;
    status = status == GAL_OK && whole ? check_scales(rule, &r) : status;
    return status == GAL_OK && w->rank > 0 ? gali_rule_line(rule, r.bias, w->shape[0]) : status;
}

/* ---- truth ---- */

typedef struct conv {
    gali_window window;
    const gali_tensor *x, *w, *x_zero, *w_zero;
    int64_t group, channels, maps; /* of a group */
    size_t in_space, kernel_space, out_space;
} conv;

static size_t product_of(const gali_extent *extents, uint32_t count) {
    size_t product = 1;
    for (uint32_t i = 0; i < count; i++) {
        product *= (size_t)extents[i];
    }
    return product;
}

static size_t row_major(const int64_t *index, const gali_extent *shape, uint32_t rank) {
    size_t at = 0;
    for (uint32_t i = 0; i < rank; i++) {
        at = at * (size_t)shape[i] + (size_t)index[i];
    }
    return at;
}

static void count_spaces(conv *c) {
    c->in_space = product_of(c->window.in, c->window.rank);
    c->kernel_space = product_of(c->window.kernel, c->window.rank);
    c->out_space = product_of(c->window.out, c->window.rank);
}

/* The sum of one element: batch n, map m, place out. */
static gali_number conv_sum(const conv *c, int64_t n, int64_t m, const int64_t *out) {
    gali_number sum = {0};
    int64_t kernel[GALI_SPACE_MAX] = {0}, at[GALI_SPACE_MAX], all = c->channels * c->group;
    int64_t zero_w = !c->w_zero ? 0 : c->w_zero->whole[c->w_zero->count > 1 ? m : 0];
    int64_t zero_x = c->x_zero ? c->x_zero->whole[0] : 0;
    for (size_t k = 0; k < c->kernel_space; k++, gali_index_next(kernel, c->window.kernel, c->window.rank)) {
        if (!gali_window_inside(&c->window, out, kernel, at)) {
            continue;
        }
        for (int64_t i = 0; i < c->channels; i++) {
            int64_t channel = m / c->maps * c->channels + i;
            size_t from =
                (size_t)(n * all + channel) * c->in_space + row_major(at, c->window.in, c->window.rank);
            size_t by = (size_t)(m * c->channels + i) * c->kernel_space + k;
            if (c->x->real) {
                sum.real += c->x->real[from] * c->w->real[by];
            } else {
                sum.whole += (c->x->whole[from] - zero_x) * (c->w->whole[by] - zero_w);
            }
        }
    }
    return sum;
}

/* x scale back to a byte. */
static int64_t scaled_back(int64_t sum, double scale, int64_t zero, gali_element element) {
    double low = (double)gali_element_smallest(element).whole,
           high = (double)gali_element_largest(element).whole;
    return (int64_t)fmin(fmax(nearbyint((double)sum * scale) + (double)zero, low), high);
}

static gali_number conv_end(const gali_node *node, const gali_tensor *const *operands, gali_number sum,
                            int64_t m, gali_element element) {
    roles r = roles_of(node);
    const gali_tensor *bias = tensor_of(node, operands, r.bias);
    if (bias && bias->real) {
        sum.real += bias->real[m];
    } else if (bias) {
        sum.whole += bias->whole[m];
    }
    if (r.back) {
        double by = operands[4]->real[operands[4]->count > 1 ? m : 0];
        sum.whole = scaled_back(sum.whole, operands[1]->real[0] * by / operands[6]->real[0],
                                operands[7]->whole[0], element);
    }
    return sum;
}

gal_status gali_truth_conv(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                           gali_tensor *results) {
    roles r = roles_of(node);
    gali_tensor *y = &results[0];
    conv c = {.x = operands[0],
              .w = operands[r.w],
              .x_zero = tensor_of(node, operands, r.x_zero),
              .w_zero = tensor_of(node, operands, r.w_zero),
              .group = groups_of(node)};
    gali_type x = gali_type_of_tensor(c.x);
    const char *wrong = gali_window_make(&c.window, run->graph->extents, node, &x, c.w->shape + 2);
    if (wrong) {
        return gali_run_fail(run, node, "%s", wrong);
    }
    c.channels = c.w->shape[1];
    c.maps = c.w->shape[0] / c.group;
    count_spaces(&c);
    int64_t index[GALI_RANK_MAX] = {0};
    gal_status status =
        gali_run_work(run, (double)y->count * (double)c.kernel_space * (double)(c.channels ? c.channels : 1));
    for (size_t e = 0; status == GAL_OK && e < y->count; e++, gali_index_next(index, y->shape, y->rank)) {
        gali_tensor_put(
            y, e, conv_end(node, operands, conv_sum(&c, index[0], index[1], index + 2), index[1], y->element));
    }
    return status;
}

/* ---- expression ---- */

/* The channel of x, of group `map / maps`, whose channel in w is c. */
static const gali_scalar *channel_of(gali_express *x, const gali_scalar *map, gali_extent maps,
                                     const gali_scalar *c, gali_extent channels, int64_t group) {
    if (group == 1) {
        return c;
    }
    const gali_scalar *g = gali_x_apply(x, GALI_SCALAR_quotient, map, gali_x_extent(x, maps), NULL);
    return gali_x_add(x, gali_x_mul(x, g, gali_x_extent(x, channels)), c);
}

/* Element 0, or `line` of a list with more. */
static const gali_scalar *one_of(gali_express *x, uint32_t operand, const gali_scalar *line) {
    const gali_type *type = x->operand[operand];
    const gali_scalar *index[GALI_RANK_MAX];
    for (int i = 0; i < type->rank; i++) {
        index[i] = type->rank == 1 && type->shape[0] != 1 && line ? line : gali_x_int(x, 0);
    }
    return gali_x_load(x, operand, index);
}

/* An operand's element in the sum's, without its zero point. */
static const gali_scalar *centred(gali_express *x, const gali_scalar *value, gali_element element,
                                  uint32_t zero, const gali_scalar *line) {
    value = gali_x_cast(x, element, value);
    return has(x, zero) ? gali_x_sub(x, value, gali_x_cast(x, element, one_of(x, zero, line))) : value;
}

/* start + sum over all that is reduced, where inside; NULL: everywhere. */
static void guarded_sum(gali_express *x, gali_stage_of *y, const gali_scalar *inside, const gali_scalar *a,
                        const gali_scalar *b, const gali_scalar *start) {
    if (y->reduced) {
        y->start = start;
        y->value = gali_window_guard(x, inside, gali_x_accumulate(x, y, a, b), gali_x_self(x, y->element));
    } else {
        const gali_scalar *product = gali_x_mul(x, a, b);
        y->value = gali_x_add(x, start, gali_window_guard(x, inside, product, gali_x_number(x, y->element, 0)));
    }
}

static const gali_scalar *bias_at(gali_express *x, const roles *r, gali_element element,
                                  const gali_scalar *map) {
    return has(x, r->bias) ? gali_x_load(x, r->bias, &map) : gali_x_number(x, element, 0);
}

static void express_conv_sum(gali_express *x, const roles *r, const gali_window *w, gali_stage_of *y) {
    const gali_type *weights = x->operand[r->w];
    int64_t group = groups_of(x->node);
    gali_extent maps = gali_extent_quotient(x->extents, weights->shape[0], group);
    const gali_scalar *map = gali_x_axis(x, 1), *kernel[GALI_SPACE_MAX];
    gali_window_reduce(x, y, w, kernel);
    const gali_scalar *c =
        weights->shape[1] == 1 ? gali_x_int(x, 0) : gali_x_axis(x, gali_x_reduce(y, weights->shape[1]));
    gali_window_place place = gali_window_at(x, w, 2, kernel);
    const gali_scalar *from[GALI_RANK_MAX] = {gali_x_axis(x, 0),
                                              channel_of(x, map, maps, c, weights->shape[1], group)};
    const gali_scalar *by[GALI_RANK_MAX] = {map, c};
    memcpy(from + 2, place.at, w->rank * sizeof *from);
    memcpy(by + 2, kernel, w->rank * sizeof *by);
    const gali_scalar *pad = gali_x_number(x, y->element, 0);
    const gali_scalar *a = centred(x, gali_x_load(x, 0, from), y->element, r->x_zero, NULL);
    guarded_sum(x, y, NULL, gali_window_guard(x, place.inside, a, pad),
                centred(x, gali_x_load(x, r->w, by), y->element, r->w_zero, map),
                bias_at(x, r, y->element, map));
}

/* round(sum scale) + zero, within the element. */
static const gali_scalar *express_back(gali_express *x, const gali_scalar *sum, gali_element element) {
    gali_element real = x->operand[1]->element;
    const gali_scalar *scale = gali_x_mul(x, one_of(x, 1, NULL), one_of(x, 4, gali_x_axis(x, 1)));
    scale = gali_x_div(x, scale, one_of(x, 6, NULL));
    const gali_scalar *value = gali_x_of(x, GALI_SCALAR_round, gali_x_mul(x, gali_x_cast(x, real, sum), scale));
    value = gali_x_add(x, value, gali_x_cast(x, real, one_of(x, 7, NULL)));
    value = gali_x_most(x, value, gali_x_number(x, real, (double)gali_element_smallest(element).whole));
    value = gali_x_least(x, value, gali_x_number(x, real, (double)gali_element_largest(element).whole));
    return gali_x_cast(x, element, value);
}

void gali_express_conv(gali_express *x) {
    roles r = roles_of(x->node);
    gali_window w;
    const gali_type *type = &x->result[0];
    if (gali_window_make(&w, x->extents, x->node, x->operand[0], x->operand[r.w]->shape + 2)) {
        x->none = 1;
        return;
    }
    gali_stage_of *sum =
        r.back ? gali_x_temporary(x, "sum", GALI_i32, (uint32_t)type->rank, type->shape) : gali_x_result(x, 0);
    if (!sum) {
        return;
    }
    express_conv_sum(x, &r, &w, sum);
    gali_stage_of *y = r.back ? gali_x_result(x, 0) : NULL;
    if (y) {
        const gali_scalar *index[GALI_RANK_MAX];
        gali_x_axes(x, y->rank, index);
        y->value = express_back(x, gali_x_read(x, sum, index), y->element);
    }
}

/* ---- ConvTranspose ---- */

/* out = stride (in - 1) + output_padding + reach - begin - end, or output_shape, which says what the padding is. */
static const char *transposed_window(gali_window *w, gali_extents *e, const gali_node *node, const gali_type *x,
                                     const gali_type *weights) {
    const char *wrong = gali_window_begin(w, node, x, weights->shape + 2);
    const gali_attribute *more = gali_node_attribute(node, "output_padding");
    const gali_attribute *shape = gali_node_attribute(node, "output_shape"),
                         *pads = gali_node_attribute(node, "pads");
    int upper = gali_node_is(node, "auto_pad", "SAME_UPPER"), said = gali_node_is(node, "auto_pad", "NOTSET");
    int same = upper || gali_node_is(node, "auto_pad", "SAME_LOWER");
    if (!wrong && ((more && more->count != w->rank) || (shape && shape->count < w->rank))) {
        return "output_padding or output_shape are not as many as spatial axes";
    }
    for (uint32_t i = 0; !wrong && i < w->rank; i++) {
        gali_extent last = gali_extent_mul(e, gali_extent_sub(e, w->in[i], 1), w->stride[i]);
        gali_extent reach = gali_extent_mul(e, gali_extent_sub(e, w->kernel[i], 1), w->dilation[i]);
        gali_extent whole = gali_extent_add(e, gali_extent_add(e, last, reach), 1 + (more ? more->ints[i] : 0));
        if (shape || same) {
            w->out[i] =
                shape ? shape->ints[shape->count - w->rank + i] : gali_extent_mul(e, w->in[i], w->stride[i]);
            gali_extent total = gali_extent_most(e, gali_extent_sub(e, whole, w->out[i]), 0);
            gali_extent small = gali_extent_quotient(e, total, 2), large = gali_extent_sub(e, total, small);
            w->begin[i] = upper ? small : large;
            w->end[i] = upper ? large : small;
        } else {
            w->begin[i] = pads && said ? pads->ints[i] : 0;
            w->end[i] = pads && said ? pads->ints[w->rank + i] : 0;
            w->out[i] = gali_extent_sub(e, whole, gali_extent_add(e, w->begin[i], w->end[i]));
        }
    }
    return wrong;
}

gal_status gali_rule_conv_transpose(gali_rule *rule) {
    const gali_type *x = rule->operand[0], *w = rule->operand[1];
    int64_t group = groups_of(rule->node);
    gali_window window;
    rule->result[0].element = x->element;
    if (x->element != w->element || gali_element_list[x->element].kind != GALI_REAL) {
        return gali_rule_fail(rule, "not for %s and %s", gali_element_list[x->element].word,
                              gali_element_list[w->element].word);
    }
    gal_status status = gali_rule_reals(rule, 2);
    gali_rule_demand_rank(rule, 0, w->rank);
    if (status != GAL_OK || !gali_rule_ranks_known(rule)) {
        return status;
    }
    if (w->rank != x->rank || w->rank < 3 || group < 1 || differ(x->shape[1], w->shape[0]) ||
        (gali_extent_is_number(w->shape[0]) && w->shape[0] % group != 0)) {
        return gali_rule_fail(rule, "weights do not fit the tensor's rank or channels");
    }
    gali_extents *e = rule->graph->extents;
    gali_rule_demand_same(rule, x->shape[1], w->shape[0]);
    gali_rule_demand_same(rule, w->shape[0],
                          gali_extent_mul(e, gali_extent_quotient(e, w->shape[0], group), group));
    const char *wrong = transposed_window(&window, rule->graph->extents, rule->node, x, w);
    if (wrong) {
        return gali_rule_fail(rule, "%s", wrong);
    }
    rule->result[0].rank = x->rank;
    rule->result[0].shape[0] = x->shape[0];
    rule->result[0].shape[1] = gali_extent_mul(rule->graph->extents, w->shape[1], group);
    memcpy(rule->result[0].shape + 2, window.out, window.rank * sizeof *window.out);
    return gali_rule_line(rule, 2, rule->result[0].shape[1]);
}

/* Adds x[n][channel][in] times its row of weights to the places it reaches. */
static void scatter(const conv *c, gali_tensor *y, int64_t n, int64_t channel, const int64_t *in) {
    int64_t kernel[GALI_SPACE_MAX] = {0}, at[GALI_SPACE_MAX], all = c->channels * c->group;
    size_t from = (size_t)(n * all + channel) * c->in_space + row_major(in, c->window.in, c->window.rank);
    for (size_t k = 0; k < c->kernel_space; k++, gali_index_next(kernel, c->window.kernel, c->window.rank)) {
        int inside = 1;
        for (uint32_t i = 0; i < c->window.rank; i++) {
            at[i] = in[i] * c->window.stride[i] + kernel[i] * c->window.dilation[i] - c->window.begin[i];
            inside &= at[i] >= 0 && at[i] < c->window.out[i];
        }
        for (int64_t m = 0; inside && m < c->maps; m++) {
            int64_t map = channel / c->channels * c->maps + m;
            size_t to = (size_t)(n * c->maps * c->group + map) * c->out_space +
                        row_major(at, c->window.out, c->window.rank);
            y->real[to] += c->x->real[from] * c->w->real[(size_t)(channel * c->maps + m) * c->kernel_space + k];
        }
    }
}

gal_status gali_truth_conv_transpose(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                     gali_tensor *results) {
    gali_tensor *y = &results[0];
    conv c = {.x = operands[0], .w = operands[1], .group = groups_of(node)};
    const gali_tensor *bias = tensor_of(node, operands, 2);
    gali_type x = gali_type_of_tensor(c.x), w = gali_type_of_tensor(c.w);
    const char *wrong = transposed_window(&c.window, run->graph->extents, node, &x, &w);
    if (wrong) {
        return gali_run_fail(run, node, "%s", wrong);
    }
    c.maps = c.w->shape[1];
    c.channels = c.w->shape[0] / c.group;
    count_spaces(&c);
    int64_t index[GALI_RANK_MAX] = {0};
    gal_status status = gali_run_work(run, (double)c.x->count * (double)c.kernel_space * (double)(c.maps + 1));
    for (size_t e = 0; status == GAL_OK && e < y->count; e++) {
        y->real[e] = bias ? bias->real[e / c.out_space % (size_t)(c.maps * c.group)] : 0;
    }
    for (size_t e = 0; status == GAL_OK && e < c.x->count; e++, gali_index_next(index, c.x->shape, c.x->rank)) {
        scatter(&c, y, index[0], index[1], index + 2);
    }
    return status;
}

/*
 * By the axes of ConvTranspose's sum: place p = y + begin takes those elements k of the kernel with p = i stride + k
 * dilation. Where an axis is parted, those are k = p % stride + j stride, and i = p / stride - j: so results are made in
 * parts [.. p / stride, p % stride ..] whose sums have no test for that, and moved to their places.
 */
typedef struct transposed {
    gali_window w;
    int parted[GALI_SPACE_MAX], any, uneven; /* uneven: a kernel that is no multiple of its stride */
    uint32_t axis[GALI_SPACE_MAX];           /* of the sum's results: p / stride, or y where it is not parted */
    const gali_scalar *inside;               /* of the input and the kernel; NULL: always */
    const gali_scalar *at[GALI_SPACE_MAX], *kernel[GALI_SPACE_MAX];
} transposed;

static void choose_parts(transposed *t) {
    for (uint32_t i = 0; i < t->w.rank; i++) {
        t->parted[i] = t->w.stride[i] > 1 && t->w.dilation[i] == 1 && gali_extent_is_number(t->w.kernel[i]) &&
                       gali_extent_is_number(t->w.begin[i]) && t->w.begin[i] >= 0;
    }
    for (uint32_t i = 0, rank = t->w.rank + 2; i < t->w.rank; i++) { /* as many as there are axes for */
        t->parted[i] &= rank < GALI_RANK_MAX;
        rank += (uint32_t)t->parted[i];
        t->any |= t->parted[i];
        t->uneven |= t->parted[i] && t->w.kernel[i] % t->w.stride[i] != 0;
    }
}

static void need(gali_express *x, transposed *t, const gali_scalar *inside) {
    t->inside = t->inside ? gali_x_and(x, t->inside, inside) : inside;
}

/* Where the kernel's element over the result's comes from in x; of an axis that is not parted only every stride-th does. */
static void place_transposed(gali_express *x, transposed *t, gali_stage_of *sum) {
    const gali_window *w = &t->w;
    for (uint32_t i = 0; i < w->rank; i++) {
        const gali_scalar *stride = gali_x_int(x, w->stride[i]), *from = gali_x_axis(x, t->axis[i]);
        gali_extent taps = t->parted[i] ? (w->kernel[i] + w->stride[i] - 1) / w->stride[i] : w->kernel[i];
        const gali_scalar *tap = taps == 1 ? gali_x_int(x, 0) : gali_x_axis(x, gali_x_reduce(sum, taps));
        if (t->parted[i]) {
            t->at[i] = gali_x_sub(x, from, tap);
            t->kernel[i] = gali_x_add(x, gali_x_axis(x, t->axis[i] + 1), gali_x_mul(x, tap, stride));
            if (w->kernel[i] % w->stride[i] != 0) {
                need(x, t, gali_x_less(x, t->kernel[i], gali_x_extent(x, w->kernel[i])));
            }
        } else {
            from = gali_x_add(x, from, gali_x_extent(x, w->begin[i]));
            from = gali_x_sub(x, from, gali_x_mul(x, tap, gali_x_int(x, w->dilation[i])));
            t->at[i] = gali_x_apply(x, GALI_SCALAR_quotient, from, stride, NULL);
            t->kernel[i] = tap;
            if (w->stride[i] > 1) {
                const gali_scalar *rest = gali_x_apply(x, GALI_SCALAR_mod, from, stride, NULL);
                t->uneven = 1;
                need(x, t, gali_x_equal(x, rest, gali_x_int(x, 0)));
            }
        }
        need(x, t, gali_x_within(x, t->at[i], gali_x_int(x, 0), gali_x_extent(x, w->in[i])));
    }
}

/* The stage of the sums: the result's, or its parts [batch][maps][p / stride][p % stride].. */
static gali_stage_of *transposed_sums(gali_express *x, transposed *t) {
    gali_extent shape[GALI_RANK_MAX] = {x->result[0].shape[0], x->result[0].shape[1]};
    uint32_t rank = 2;
    for (uint32_t i = 0; i < t->w.rank; i++) {
        int64_t stride = t->w.stride[i];
        gali_extent places = gali_extent_add(x->extents, t->w.out[i], t->w.begin[i]);
        t->axis[i] = rank;
        shape[rank++] =
            t->parted[i]
                ? gali_extent_quotient(x->extents, gali_extent_add(x->extents, places, stride - 1), stride)
                : t->w.out[i];
        if (t->parted[i]) {
            shape[rank++] = stride;
        }
    }
    return t->any ? gali_x_temporary(x, "parts", x->result[0].element, rank, shape) : gali_x_result(x, 0);
}

/* Each part's elements at their places. */
static void move_parts(gali_express *x, const transposed *t, const gali_stage_of *sum) {
    const gali_scalar *index[GALI_RANK_MAX] = {gali_x_axis(x, 0), gali_x_axis(x, 1)};
    gali_stage_of *y = gali_x_result(x, 0);
    for (uint32_t i = 0; i < t->w.rank; i++) {
        const gali_scalar *place = gali_x_axis(x, 2 + i);
        index[t->axis[i]] = place;
        if (t->parted[i]) {
            const gali_scalar *stride = gali_x_int(x, t->w.stride[i]);
            place = gali_x_add(x, place, gali_x_extent(x, t->w.begin[i]));
            index[t->axis[i]] = gali_x_apply(x, GALI_SCALAR_quotient, place, stride, NULL);
            index[t->axis[i] + 1] = gali_x_apply(x, GALI_SCALAR_mod, place, stride, NULL);
        }
    }
    if (y) {
        y->value = gali_x_read(x, sum, index);
    }
}

void gali_express_conv_transpose(gali_express *x) {
    const gali_type *weights = x->operand[1];
    int64_t group = groups_of(x->node);
    roles r = roles_of(x->node);
    transposed t = {.inside = NULL};
    if (transposed_window(&t.w, x->extents, x->node, x->operand[0], weights)) {
        x->none = 1;
        return;
    }
    choose_parts(&t);
    gali_stage_of *sum = transposed_sums(x, &t);
    if (!sum) {
        return;
    }
    gali_extent channels = gali_extent_quotient(x->extents, weights->shape[0], group), maps = weights->shape[1];
    const gali_scalar *map = gali_x_axis(x, 1);
    place_transposed(x, &t, sum);
    const gali_scalar *c = gali_x_axis(x, gali_x_reduce(sum, channels));
    const gali_scalar *channel = channel_of(x, map, maps, c, channels, group);
    const gali_scalar *from[GALI_RANK_MAX] = {gali_x_axis(x, 0), channel};
    const gali_scalar *by[GALI_RANK_MAX] = {
        channel, group == 1 ? map : gali_x_apply(x, GALI_SCALAR_mod, map, gali_x_extent(x, maps), NULL)};
    memcpy(from + 2, t.at, t.w.rank * sizeof *from);
    memcpy(by + 2, t.kernel, t.w.rank * sizeof *by);
    const gali_scalar *a = gali_x_load(x, 0, from), *zero = gali_x_number(x, sum->element, 0);
    a = t.uneven ? a : gali_window_guard(x, t.inside, a, zero);
    guarded_sum(x, sum, t.uneven ? t.inside : NULL, a, gali_x_load(x, 1, by),
                bias_at(x, &r, sum->element, map));
    if (t.any) {
        move_parts(x, &t, sum);
    }
}
