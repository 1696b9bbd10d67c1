#include "graph/ops/window.h"

#include <string.h>

/* Element i of a list attribute, or what it is without. */
static int64_t at_or(const gali_node *node, const char *name, uint32_t i, int64_t other) {
    const gali_attribute *list = gali_node_attribute(node, name);
    return list && i < list->count ? list->ints[i] : other;
}

static int is_long(const gali_node *node, const char *name, uint32_t count) {
    const gali_attribute *list = gali_node_attribute(node, name);
    return !list || list->count == count;
}

const char *gali_window_begin(gali_window *w, const gali_node *node, const gali_type *x,
                              const gali_extent *kernel) {
    *w = (gali_window){0};
    if (x->rank < 3) {
        return "a tensor [batch, channels, spatial...] expected";
    }
    w->rank = (uint32_t)x->rank - 2;
    if (!is_long(node, "strides", w->rank) || !is_long(node, "dilations", w->rank) ||
        !is_long(node, "pads", 2 * w->rank) || !is_long(node, "kernel_shape", w->rank)) {
        return "strides, dilations, pads or kernel_shape are not as many as spatial axes";
    }
    for (uint32_t i = 0; i < w->rank; i++) {
        w->in[i] = x->shape[2 + i];
        w->kernel[i] = kernel ? kernel[i] : at_or(node, "kernel_shape", i, 0);
        w->stride[i] = at_or(node, "strides", i, 1);
        w->dilation[i] = at_or(node, "dilations", i, 1);
        if (w->stride[i] < 1 || w->dilation[i] < 1 || w->stride[i] > INT32_MAX || w->dilation[i] > INT32_MAX ||
            (gali_extent_is_number(w->kernel[i]) && w->kernel[i] < 1)) {
            return "a stride, dilation or kernel that is not positive";
        }
    }
    return NULL;
}

/* 1 + dilation (kernel - 1) */
static gali_extent reach(gali_extents *e, const gali_window *w, uint32_t i) {
    return gali_extent_add(e, gali_extent_mul(e, gali_extent_sub(e, w->kernel[i], 1), w->dilation[i]), 1);
}

/* As many windows as strides in the input; padding where they do not fit, the odd one at the end or the beginning. */
static void pad_same(gali_window *w, gali_extents *e, uint32_t i, int upper) {
    w->out[i] = gali_extent_quotient(e, gali_extent_add(e, w->in[i], w->stride[i] - 1), w->stride[i]);
    gali_extent last = gali_extent_mul(e, gali_extent_sub(e, w->out[i], 1), w->stride[i]);
    gali_extent total =
        gali_extent_most(e, gali_extent_sub(e, gali_extent_add(e, last, reach(e, w, i)), w->in[i]), 0);
    gali_extent small = gali_extent_quotient(e, total, 2), large = gali_extent_sub(e, total, small);
    w->begin[i] = upper ? small : large;
    w->end[i] = upper ? large : small;
}

static void pad_as_said(gali_window *w, gali_extents *e, uint32_t i, int up) {
    gali_extent padded = gali_extent_add(e, w->in[i], gali_extent_add(e, w->begin[i], w->end[i]));
    gali_extent free = gali_extent_sub(e, padded, reach(e, w, i));
    w->out[i] = gali_extent_add(
        e, gali_extent_quotient(e, gali_extent_add(e, free, up ? w->stride[i] - 1 : 0), w->stride[i]), 1);
    if (up) { /* a window that starts behind the input and its padding in front does not count */
        gali_extent starts = gali_extent_add(e, gali_extent_add(e, w->in[i], w->begin[i]), w->stride[i] - 1);
        w->out[i] = gali_extent_least(e, w->out[i], gali_extent_quotient(e, starts, w->stride[i]));
    }
}

const char *gali_window_make(gali_window *w, gali_extents *extents, const gali_node *node, const gali_type *x,
                             const gali_extent *kernel) {
    const char *wrong = gali_window_begin(w, node, x, kernel);
    int upper = gali_node_is(node, "auto_pad", "SAME_UPPER"),
        same = upper || gali_node_is(node, "auto_pad", "SAME_LOWER");
    int said = gali_node_is(node, "auto_pad", "NOTSET");
    int up = gali_node_attribute(node, "ceil_mode") && gali_node_int(node, "ceil_mode");
    for (uint32_t i = 0; !wrong && i < w->rank; i++) {
        w->begin[i] = said ? at_or(node, "pads", i, 0) : 0;
        w->end[i] = said ? at_or(node, "pads", w->rank + i, 0) : 0;
        if (same) {
            pad_same(w, extents, i, upper);
        } else {
            pad_as_said(w, extents, i, up);
        }
        if (gali_extent_is_number(w->out[i]) && w->out[i] < 0) {
            return "its window is larger than the input";
        }
    }
    return wrong;
}

gal_status gali_window_rule(gali_window *w, gali_rule *rule, const gali_extent *kernel) {
    const char *wrong = gali_window_make(w, rule->graph->extents, rule->node, rule->operand[0], kernel);
    for (uint32_t i = 0; !wrong && i < w->rank; i++) {
        gali_rule_demand_most(rule, 0, w->out[i]);
    }
    return wrong ? gali_rule_fail(rule, "%s", wrong) : GAL_OK;
}

gali_type gali_type_of_tensor(const gali_tensor *tensor) {
    gali_type type = {.element = tensor->element, .rank = (int)tensor->rank};
    memcpy(type.shape, tensor->shape, sizeof tensor->shape);
    return type;
}

/* ---- expressions ---- */

void gali_window_reduce(gali_express *x, gali_stage_of *stage, const gali_window *w,
                        const gali_scalar **kernel) {
    for (uint32_t i = 0; i < w->rank; i++) {
        kernel[i] = w->kernel[i] == 1 ? gali_x_int(x, 0) : gali_x_axis(x, gali_x_reduce(stage, w->kernel[i]));
    }
}

/* Whether a window along that axis may be outside: it does not end, at the last, within the input. */
static int may_leave(const gali_express *x, const gali_window *w, uint32_t i) {
    gali_extent last = gali_extent_mul(x->extents, gali_extent_sub(x->extents, w->out[i], 1), w->stride[i]);
    gali_extent end = gali_extent_add(x->extents, last, reach(x->extents, w, i));
    int64_t least, most;
    gali_extent_range(x->extents, gali_extent_sub(x->extents, w->in[i], end), &least, &most);
    return w->begin[i] != 0 || least < 0;
}

gali_window_place gali_window_at(gali_express *x, const gali_window *w, uint32_t first,
                                 const gali_scalar *const *kernel) {
    gali_window_place place = {.inside = NULL};
    for (uint32_t i = 0; i < w->rank; i++) {
        const gali_scalar *start = gali_x_mul(x, gali_x_axis(x, first + i), gali_x_int(x, w->stride[i]));
        const gali_scalar *step = gali_x_mul(x, kernel[i], gali_x_int(x, w->dilation[i]));
        place.at[i] = gali_x_sub(x, gali_x_add(x, start, step), gali_x_extent(x, w->begin[i]));
        if (may_leave(x, w, i)) {
            const gali_scalar *inside =
                gali_x_within(x, place.at[i], gali_x_int(x, 0), gali_x_extent(x, w->in[i]));
            place.inside = place.inside ? gali_x_and(x, place.inside, inside) : inside;
        }
    }
    return place;
}

const gali_scalar *gali_window_guard(gali_express *x, const gali_scalar *inside, const gali_scalar *value,
                                     const gali_scalar *other) {
    return inside ? gali_x_select(x, inside, value, other) : value;
}

/* ---- truths ---- */

int gali_window_inside(const gali_window *w, const int64_t *out, const int64_t *kernel, int64_t *at) {
    int inside = 1;
    for (uint32_t i = 0; i < w->rank; i++) {
        at[i] = out[i] * w->stride[i] + kernel[i] * w->dilation[i] - w->begin[i];
        inside &= at[i] >= 0 && at[i] < w->in[i];
    }
    return inside;
}
