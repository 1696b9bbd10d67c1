/*
 * Moving and adding: both rewrite a value's terms and make none that did not exist (a part of a value joined end to end
 * is a term over a part of the axis). Own axes are onnx_axes.c's, products onnx_products.c's.
 */
#include "import/onnx_sums.h"

#include <string.h>

#include "import/onnx_axes.h"
#include "import/onnx_products.h"

const char gali_onnx_irregular[] = "an arrangement of axes that is too irregular for a layer";

gali_onnx_value *gali_onnx_algebra_fail(gali_onnx_algebra *a, const char *why) {
    gali_onnx_fail(a->onnx, GAL_BAD_DATA, "%s: %s", a->place, why);
    return NULL;
}

int gali_onnx_leaf_add(gali_onnx_algebra *a, const gali_onnx_leaf *leaf) {
    if (a->leaf_count == a->leaf_capacity) {
        uint32_t capacity = a->leaf_capacity ? 2 * a->leaf_capacity : 64;
        gali_onnx_leaf *leaves = gali_onnx_take(a->onnx, capacity * sizeof *leaves);
        if (!leaves) {
            return GALI_ONNX_NONE;
        }
        if (a->leaf_count) {
            memcpy(leaves, a->leaves, a->leaf_count * sizeof *leaves);
        }
        a->leaves = leaves;
        a->leaf_capacity = capacity;
    }
    a->leaves[a->leaf_count] = *leaf;
    return (int)a->leaf_count++;
}

gali_onnx_value *gali_onnx_value_like(gali_onnx_algebra *a, const gali_onnx_value *v, uint32_t terms) {
    gali_onnx_value *made = gali_onnx_take(a->onnx, sizeof *made);
    if (terms > GALI_ONNX_TERMS_MAX) {
        return gali_onnx_algebra_fail(a, gali_onnx_irregular);
    }
    gali_onnx_term *list = gali_onnx_take(a->onnx, terms * sizeof *list);
    if (!made || !list) {
        return NULL;
    }
    if (v) {
        *made = *v;
    }
    made->terms = list;
    made->term_count = 0;
    return made;
}

gali_onnx_value *gali_onnx_value_copy(gali_onnx_algebra *a, const gali_onnx_value *v) {
    gali_onnx_value *made = gali_onnx_value_like(a, v, v->term_count);
    if (made && v->term_count) {
        memcpy(made->terms, v->terms, v->term_count * sizeof *v->terms);
    }
    if (made) {
        made->term_count = v->term_count;
    }
    return made;
}

gali_onnx_value *gali_onnx_value_leaf(gali_onnx_algebra *a, uint32_t leaf, uint32_t rank,
                                      const uint32_t *shape) {
    gali_onnx_value *v = gali_onnx_value_like(a, NULL, 1);
    int32_t stride = 1;
    if (!v) {
        return NULL;
    }
    gali_onnx_term *term = v->terms;
    v->rank = rank;
    for (uint32_t i = 0; i < rank; i++) {
        v->shape[i] = shape[i];
        v->first[i] = v->own_count;
        v->batch[v->own_count] = i == 0 && a->batch > 1 && a->leaves[leaf].row;
        v->size[v->own_count] = (int32_t)shape[i];
        term->high[v->own_count] = (int32_t)shape[i];
        v->own_count += shape[i] != 1;
        if (shape[i] == 0) {
            return gali_onnx_algebra_fail(a, "a tensor without numbers");
        }
    }
    v->first[rank] = v->own_count;
    v->batch[v->own_count] = v->size[v->own_count] = term->high[v->own_count] =
        0; /* what a last axis of 1 left */
    for (uint32_t i = v->own_count; i-- > 0; stride *= v->size[i]) {
        term->factors[0].own[i] = stride;
    }
    term->scale = 1;
    term->factor_count = 1;
    term->factors[0].leaf = leaf;
    v->term_count = 1;
    return v;
}

/* ---- moving ---- */

static gali_onnx_value *reshape(gali_onnx_algebra *a, gali_onnx_value *v, const gali_onnx_step *step) {
    uint32_t own = v->own_count, first[GALI_ONNX_RANK_MAX + 1];
    first[step->rank] = 0; /* counted from the end, since axes are inserted before */
    for (uint32_t i = step->rank; v && i-- > 0;) {
        int32_t need = (int32_t)step->shape[i];
        while (v && need != 1) {
            int32_t size = own ? v->size[own - 1] : 1;
            if (own && need % size == 0) {
                need /= size;
                own--;
            } else if (own && size % need == 0) {
                v = gali_onnx_axis_split(a, v, own - 1, need);
                own++;
            } else if (own > 1 && gali_onnx_axis_can_join(v, own - 2)) {
                v = gali_onnx_value_copy(a, v);
                if (v) {
                    gali_onnx_axis_join(v, own - 2);
                    own--;
                }
            } else {
                v = gali_onnx_algebra_fail(a, gali_onnx_irregular);
            }
        }
        first[i] = v ? v->own_count - own : 0;
    }
    gali_onnx_value *made = v ? gali_onnx_value_copy(a, v) : NULL;
    if (made) {
        made->rank = step->rank;
        memcpy(made->shape, step->shape, sizeof made->shape);
        for (uint32_t i = 0; i <= step->rank; i++) {
            made->first[i] = made->own_count - first[i];
        }
    }
    return made;
}

/* Own axes in another order: made's axis i is v's order[i]. */
static void order_axes(gali_onnx_value *made, const gali_onnx_value *v, const uint32_t *order) {
    for (uint32_t i = 0; i < v->own_count; i++) {
        made->size[i] = v->size[order[i]];
        made->batch[i] = v->batch[order[i]];
        for (uint32_t t = 0; t < v->term_count; t++) {
            made->terms[t].low[i] = v->terms[t].low[order[i]];
            made->terms[t].high[i] = v->terms[t].high[order[i]];
            for (uint32_t f = 0; f < v->terms[t].factor_count; f++) {
                made->terms[t].factors[f].own[i] = v->terms[t].factors[f].own[order[i]];
            }
        }
    }
}

static gali_onnx_value *permute(gali_onnx_algebra *a, const gali_onnx_value *v, const gali_onnx_step *step) {
    gali_onnx_value *made = gali_onnx_value_copy(a, v);
    uint32_t order[GALI_ONNX_OWN_MAX], count = 0;
    for (uint32_t i = 0; made && i < step->rank; i++) {
        made->shape[i] = step->shape[i];
        made->first[i] = count;
        for (uint32_t own = v->first[step->axes[i]]; own < v->first[step->axes[i] + 1]; own++) {
            order[count++] = own;
        }
    }
    if (made) {
        order_axes(made, v, order);
    }
    return made;
}

static gali_onnx_value *expand(gali_onnx_algebra *a, const gali_onnx_value *v, const gali_onnx_step *step) {
    gali_onnx_value *made = gali_onnx_value_copy(a, v);
    for (uint32_t i = 0; made && i < step->rank; i++) {
        if (made->shape[i] == step->shape[i]) {
            continue;
        }
        uint32_t own = made->first[i];
        if (made->own_count == GALI_ONNX_OWN_MAX || step->shape[i] == 0) {
            return gali_onnx_algebra_fail(a, gali_onnx_irregular);
        }
        made->shape[i] = step->shape[i];
        for (uint32_t j = i + 1; j <= made->rank; j++) {
            made->first[j]++;
        }
        made->own_count++;
        uint32_t order[GALI_ONNX_OWN_MAX];
        gali_onnx_value before = *made;
        before.size[before.own_count - 1] = (int32_t)step->shape[i];
        before.batch[before.own_count - 1] = 0;
        before.terms = gali_onnx_take(a->onnx, made->term_count * sizeof *before.terms);
        if (!before.terms) {
            return NULL;
        }
        if (made->term_count) {
            memcpy(before.terms, made->terms, made->term_count * sizeof *before.terms);
        }
        for (uint32_t t = 0; t < made->term_count; t++) {
            before.terms[t].low[before.own_count - 1] = 0;
            before.terms[t].high[before.own_count - 1] = (int32_t)step->shape[i];
            for (uint32_t f = 0; f < before.terms[t].factor_count; f++) {
                before.terms[t].factors[f].own[before.own_count - 1] = 0;
            }
        }
        for (uint32_t j = 0; j < made->own_count; j++) {
            order[j] = j < own ? j : j == own ? made->own_count - 1 : j - 1;
        }
        order_axes(made, &before, order);
    }
    return made;
}

/* New places j = (i - start) / stride of an axis. */
static void slice_term(gali_onnx_term *term, uint32_t own, int64_t start, int64_t stride, int64_t count) {
    int64_t low = term->low[own], high = term->high[own] - 1; /* the last one */
    int64_t from = stride > 0 ? low - start : start - high, to = stride > 0 ? high - start : start - low;
    int64_t pace = stride > 0 ? stride : -stride;
    from = from <= 0 ? 0 : (from + pace - 1) / pace;
    to = to < 0 ? -1 : to / pace;
    to = to >= count ? count - 1 : to;
    term->low[own] = (int32_t)from;
    term->high[own] = (int32_t)(to < from ? from : to + 1);
    for (uint32_t f = 0; f < term->factor_count; f++) {
        gali_onnx_factor *factor = &term->factors[f];
        factor->at += (int32_t)(start * factor->own[own]);
        factor->own[own] = (int32_t)(stride * factor->own[own]);
    }
}

/* Drops the terms that cover nothing. */
static void drop_empty(gali_onnx_value *v) {
    uint32_t kept = 0;
    for (uint32_t t = 0; t < v->term_count; t++) {
        int empty = v->terms[t].scale == 0;
        for (uint32_t i = 0; i < v->own_count; i++) {
            empty |= v->terms[t].low[i] >= v->terms[t].high[i];
        }
        if (!empty) {
            v->terms[kept++] = v->terms[t];
        }
    }
    v->term_count = kept;
}

/* An own axis of which one place is left. */
static void close_axis(gali_onnx_value *v, uint32_t own) {
    for (uint32_t t = 0; t < v->term_count; t++) {
        for (uint32_t f = 0; f < v->terms[t].factor_count; f++) {
            v->terms[t].factors[f].at += v->terms[t].low[own] * v->terms[t].factors[f].own[own];
        }
    }
    gali_onnx_axis_remove(v, own);
}

static gali_onnx_value *slice(gali_onnx_algebra *a, gali_onnx_value *v, const gali_onnx_step *step) {
    v = gali_onnx_axis_flatten(a, v, step->axis);
    gali_onnx_value *made = v ? gali_onnx_value_copy(a, v) : NULL;
    if (!made) {
        return NULL;
    }
    made->shape[step->axis] = step->shape[step->axis];
    if (step->shape[step->axis] == 0) {
        return gali_onnx_algebra_fail(a, "a tensor without numbers");
    }
    if (made->first[step->axis + 1] == made->first[step->axis]) {
        return made;
    }
    uint32_t own = made->first[step->axis];
    if (made->batch[own]) {
        return gali_onnx_algebra_fail(a, "some rows of the batch alone");
    }
    made->size[own] = (int32_t)step->shape[step->axis];
    for (uint32_t t = 0; t < made->term_count; t++) {
        slice_term(&made->terms[t], own, step->start, step->stride, made->size[own]);
    }
    drop_empty(made);
    if (made->size[own] == 1) {
        close_axis(made, own);
    }
    return made;
}

/* ---- adding ---- */

/* Same shapes, same own axes. */
static int align(gali_onnx_algebra *a, gali_onnx_value **v, gali_onnx_value **w) {
    for (uint32_t i = 0; i < (*v)->rank; i++) {
        if (!gali_onnx_axis_align(a, v, i, w, i)) {
            return 0;
        }
    }
    return 1;
}

static int same_but_scale(const gali_onnx_term *s, const gali_onnx_term *t) {
    gali_onnx_term like = *s;
    like.scale = t->scale;
    return memcmp(&like, t, sizeof like) == 0;
}

void gali_onnx_value_collect(gali_onnx_value *v) {
    enum { FEW = 48 };
    for (uint32_t t = 0; v->term_count <= FEW && t < v->term_count; t++) {
        for (uint32_t s = 0; s < t; s++) {
            if (same_but_scale(&v->terms[s], &v->terms[t])) {
                v->terms[s].scale += v->terms[t].scale;
                v->terms[t].scale = 0;
            }
        }
    }
    drop_empty(v);
}

static gali_onnx_value *add(gali_onnx_algebra *a, gali_onnx_value *v, gali_onnx_value *w) {
    if (!align(a, &v, &w)) {
        return NULL;
    }
    gali_onnx_value *made = gali_onnx_value_like(a, v, v->term_count + w->term_count);
    if (!made) {
        return NULL;
    }
    for (uint32_t i = 0; i < made->own_count; i++) {
        made->batch[i] |= w->batch[i];
    }
    for (uint32_t t = 0; t < v->term_count + w->term_count; t++) {
        made->terms[made->term_count++] = t < v->term_count ? v->terms[t] : w->terms[t - v->term_count];
    }
    gali_onnx_value_collect(made);
    return made;
}

/* v as part of a longer axis, from place `start` on. */
static gali_onnx_value *shift(gali_onnx_algebra *a, gali_onnx_value *v, const gali_onnx_step *step,
                              int32_t start) {
    uint32_t axis = step->axis;
    if (v->shape[axis] == 1) { /* no own axis: expanding makes one of all places, of which one is kept */
        v = expand(a, v, step);
    } else {
        v = gali_onnx_axis_flatten(a, v, axis);
        v = v ? gali_onnx_value_copy(a, v) : NULL;
    }
    if (!v) {
        return NULL;
    }
    uint32_t own = v->first[axis];
    int32_t length = (int32_t)step->shape[axis];
    int one = v->shape[axis] == step->shape[axis];
    if (v->batch[own]) {
        return gali_onnx_algebra_fail(a, "rows of the batch joined to others");
    }
    v->shape[axis] = step->shape[axis];
    v->size[own] = length;
    for (uint32_t t = 0; t < v->term_count; t++) {
        gali_onnx_term *term = &v->terms[t];
        if (one) {
            term->low[own] = start;
            term->high[own] = start + 1;
            continue;
        }
        term->low[own] += start;
        term->high[own] += start;
        for (uint32_t f = 0; f < term->factor_count; f++) {
            term->factors[f].at -= start * term->factors[f].own[own];
        }
    }
    return v;
}

static gali_onnx_value *concat(gali_onnx_algebra *a, const gali_onnx_program *p, const gali_onnx_step *step,
                               gali_onnx_value *const *operands) {
    gali_onnx_value *whole = NULL;
    int32_t start = 0;
    for (uint32_t i = 0; i < step->operand_count; i++) {
        int32_t length = (int32_t)p->steps[step->operands[i]].shape[step->axis];
        if (length == 0) {
            continue;
        }
        gali_onnx_value *part =
            (uint32_t)length == step->shape[step->axis] ? operands[i] : shift(a, operands[i], step, start);
        whole = whole && part ? add(a, whole, part) : part;
        if (!whole) {
            return NULL;
        }
        start += length;
    }
    return whole ? whole : gali_onnx_algebra_fail(a, "a tensor without numbers");
}

gali_onnx_value *gali_onnx_value_step(gali_onnx_algebra *a, const gali_onnx_program *p,
                                      const gali_onnx_step *step, gali_onnx_value *const *operands) {
    switch (step->kind) {
    case GALI_ONNX_RESHAPE:
        return reshape(a, operands[0], step);
    case GALI_ONNX_PERMUTE:
        return permute(a, operands[0], step);
    case GALI_ONNX_EXPAND:
        return expand(a, operands[0], step);
    case GALI_ONNX_SLICE:
        return slice(a, operands[0], step);
    case GALI_ONNX_CONCAT:
        return concat(a, p, step, operands);
    case GALI_ONNX_PRODUCT:
        return gali_onnx_value_product(a, p, step, operands);
    case GALI_ONNX_ADD:
        return add(a, operands[0], operands[1]);
    default:
        return gali_onnx_algebra_fail(a, "not a linear operation");
    }
}
