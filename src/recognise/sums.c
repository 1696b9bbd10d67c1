/*
 * Moving and adding: both rewrite a value's terms and make none that did not exist (a part of a value joined end to end
 * is a term over a part of the axis). Own axes are axes.c's, products products.c's.
 */
#include "recognise/sums.h"

#include <string.h>

#include "recognise/axes.h"
#include "recognise/products.h"

const char gali_irregular[] = "an arrangement of axes that is too irregular for a layer";

gali_sum *gali_algebra_fail(gali_algebra *a, const char *why) {
    gali_allowance_fail(a->allowance, GAL_BAD_DATA, "%s: %s", a->place, why);
    return NULL;
}

int gali_leaf_add(gali_algebra *a, const gali_leaf *leaf) {
    if (a->leaf_count == a->leaf_capacity) {
        uint32_t capacity = a->leaf_capacity ? 2 * a->leaf_capacity : 64;
        gali_leaf *leaves = gali_allowance_take(a->allowance, capacity * sizeof *leaves);
        if (!leaves) {
            return GALI_ABSENT;
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

gali_sum *gali_sum_like(gali_algebra *a, const gali_sum *v, uint32_t terms) {
    gali_sum *made = gali_allowance_take(a->allowance, sizeof *made);
    if (terms > GALI_TERMS_MAX) {
        return gali_algebra_fail(a, gali_irregular);
    }
    gali_term *list = gali_allowance_take(a->allowance, terms * sizeof *list);
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

gali_sum *gali_sum_copy(gali_algebra *a, const gali_sum *v) {
    gali_sum *made = gali_sum_like(a, v, v->term_count);
    if (made && v->term_count) {
        memcpy(made->terms, v->terms, v->term_count * sizeof *v->terms);
    }
    if (made) {
        made->term_count = v->term_count;
    }
    return made;
}

gali_sum *gali_sum_leaf(gali_algebra *a, uint32_t leaf, const gali_type *type) {
    gali_sum *v = gali_sum_like(a, NULL, 1);
    int32_t stride = 1;
    if (!v) {
        return NULL;
    }
    gali_term *term = v->terms;
    v->rank = (uint32_t)type->rank;
    for (uint32_t i = 0; i < v->rank; i++) {
        v->shape[i] = (uint32_t)type->shape[i];
        v->first[i] = v->own_count;
        v->batch[v->own_count] = i == 0 && a->batch > 1 && a->leaves[leaf].row;
        v->size[v->own_count] = (int32_t)type->shape[i];
        term->high[v->own_count] = (int32_t)type->shape[i];
        v->own_count += type->shape[i] != 1;
        if (type->shape[i] == 0) {
            return gali_algebra_fail(a, "a tensor without numbers");
        }
    }
    v->first[v->rank] = v->own_count;
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

static gali_sum *reshape(gali_algebra *a, gali_sum *v, const gali_maker *maker) {
    uint32_t own = v->own_count, first[GALI_RANK_MAX + 1];
    first[maker->rank] = 0; /* counted from the end, since axes are inserted before */
    for (uint32_t i = maker->rank; v && i-- > 0;) {
        int32_t need = (int32_t)maker->shape[i];
        while (v && need != 1) {
            int32_t size = own ? v->size[own - 1] : 1;
            if (own && need % size == 0) {
                need /= size;
                own--;
            } else if (own && size % need == 0) {
                v = gali_axis_split(a, v, own - 1, need);
                own++;
            } else if (own > 1 && gali_axis_can_join(v, own - 2)) {
                v = gali_sum_copy(a, v);
                if (v) {
                    gali_axis_join(v, own - 2);
                    own--;
                }
            } else {
                v = gali_algebra_fail(a, gali_irregular);
            }
        }
        first[i] = v ? v->own_count - own : 0;
    }
    gali_sum *made = v ? gali_sum_copy(a, v) : NULL;
    if (made) {
        made->rank = maker->rank;
        memcpy(made->shape, maker->shape, sizeof made->shape);
        for (uint32_t i = 0; i <= maker->rank; i++) {
            made->first[i] = made->own_count - first[i];
        }
    }
    return made;
}

/* Own axes in another order: made's axis i is v's order[i]. */
static void order_axes(gali_sum *made, const gali_sum *v, const uint32_t *order) {
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

static gali_sum *permute(gali_algebra *a, const gali_sum *v, const gali_maker *maker) {
    gali_sum *made = gali_sum_copy(a, v);
    uint32_t order[GALI_OWN_MAX], count = 0;
    for (uint32_t i = 0; made && i < maker->rank; i++) {
        made->shape[i] = maker->shape[i];
        made->first[i] = count;
        for (uint32_t own = v->first[maker->axes[i]]; own < v->first[maker->axes[i] + 1]; own++) {
            order[count++] = own;
        }
    }
    if (made) {
        order_axes(made, v, order);
    }
    return made;
}

static gali_sum *expand(gali_algebra *a, const gali_sum *v, const gali_maker *maker) {
    gali_sum *made = gali_sum_copy(a, v);
    for (uint32_t i = 0; made && i < maker->rank; i++) {
        if (made->shape[i] == maker->shape[i]) {
            continue;
        }
        uint32_t own = made->first[i];
        if (made->own_count == GALI_OWN_MAX || maker->shape[i] == 0) {
            return gali_algebra_fail(a, gali_irregular);
        }
        made->shape[i] = maker->shape[i];
        for (uint32_t j = i + 1; j <= made->rank; j++) {
            made->first[j]++;
        }
        made->own_count++;
        uint32_t order[GALI_OWN_MAX];
        gali_sum before = *made;
        before.size[before.own_count - 1] = (int32_t)maker->shape[i];
        before.batch[before.own_count - 1] = 0;
        before.terms = gali_allowance_take(a->allowance, made->term_count * sizeof *before.terms);
        if (!before.terms) {
            return NULL;
        }
        if (made->term_count) {
            memcpy(before.terms, made->terms, made->term_count * sizeof *before.terms);
        }
        for (uint32_t t = 0; t < made->term_count; t++) {
            before.terms[t].low[before.own_count - 1] = 0;
            before.terms[t].high[before.own_count - 1] = (int32_t)maker->shape[i];
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
static void slice_term(gali_term *term, uint32_t own, int64_t start, int64_t stride, int64_t count) {
    int64_t low = term->low[own], high = term->high[own] - 1; /* the last one */
    int64_t from = stride > 0 ? low - start : start - high, to = stride > 0 ? high - start : start - low;
    int64_t pace = stride > 0 ? stride : -stride;
    from = from <= 0 ? 0 : (from + pace - 1) / pace;
    to = to < 0 ? -1 : to / pace;
    to = to >= count ? count - 1 : to;
    term->low[own] = (int32_t)from;
    term->high[own] = (int32_t)(to < from ? from : to + 1);
    for (uint32_t f = 0; f < term->factor_count; f++) {
        gali_factor *factor = &term->factors[f];
        factor->at += (int32_t)(start * factor->own[own]);
        factor->own[own] = (int32_t)(stride * factor->own[own]);
    }
}

/* Drops the terms that cover nothing. */
static void drop_empty(gali_sum *v) {
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
static void close_axis(gali_sum *v, uint32_t own) {
    for (uint32_t t = 0; t < v->term_count; t++) {
        for (uint32_t f = 0; f < v->terms[t].factor_count; f++) {
            v->terms[t].factors[f].at += v->terms[t].low[own] * v->terms[t].factors[f].own[own];
        }
    }
    gali_axis_remove(v, own);
}

static gali_sum *slice(gali_algebra *a, gali_sum *v, const gali_maker *maker) {
    v = gali_axis_flatten(a, v, maker->axis);
    gali_sum *made = v ? gali_sum_copy(a, v) : NULL;
    if (!made) {
        return NULL;
    }
    made->shape[maker->axis] = maker->shape[maker->axis];
    if (maker->shape[maker->axis] == 0) {
        return gali_algebra_fail(a, "a tensor without numbers");
    }
    if (made->first[maker->axis + 1] == made->first[maker->axis]) {
        return made;
    }
    uint32_t own = made->first[maker->axis];
    if (made->batch[own]) {
        return gali_algebra_fail(a, "some rows of the batch alone");
    }
    made->size[own] = (int32_t)maker->shape[maker->axis];
    for (uint32_t t = 0; t < made->term_count; t++) {
        slice_term(&made->terms[t], own, maker->start, maker->stride, made->size[own]);
    }
    drop_empty(made);
    if (made->size[own] == 1) {
        close_axis(made, own);
    }
    return made;
}

/* ---- adding ---- */

/* Same shapes, same own axes. */
static int align(gali_algebra *a, gali_sum **v, gali_sum **w) {
    for (uint32_t i = 0; i < (*v)->rank; i++) {
        if (!gali_axis_align(a, v, i, w, i)) {
            return 0;
        }
    }
    return 1;
}

static int same_but_scale(const gali_term *s, const gali_term *t) {
    gali_term like = *s;
    like.scale = t->scale;
    return memcmp(&like, t, sizeof like) == 0;
}

void gali_sum_collect(gali_sum *v) {
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

static gali_sum *add(gali_algebra *a, gali_sum *v, gali_sum *w) {
    if (!align(a, &v, &w)) {
        return NULL;
    }
    gali_sum *made = gali_sum_like(a, v, v->term_count + w->term_count);
    if (!made) {
        return NULL;
    }
    for (uint32_t i = 0; i < made->own_count; i++) {
        made->batch[i] |= w->batch[i];
    }
    for (uint32_t t = 0; t < v->term_count + w->term_count; t++) {
        made->terms[made->term_count++] = t < v->term_count ? v->terms[t] : w->terms[t - v->term_count];
    }
    gali_sum_collect(made);
    return made;
}

/* v as part of a longer axis, from place `start` on. */
static gali_sum *shift(gali_algebra *a, gali_sum *v, const gali_maker *maker, int32_t start) {
    uint32_t axis = maker->axis;
    if (v->shape[axis] == 1) { /* no own axis: expanding makes one of all places, of which one is kept */
        v = expand(a, v, maker);
    } else {
        v = gali_axis_flatten(a, v, axis);
        v = v ? gali_sum_copy(a, v) : NULL;
    }
    if (!v) {
        return NULL;
    }
    uint32_t own = v->first[axis];
    int32_t length = (int32_t)maker->shape[axis];
    int one = v->shape[axis] == maker->shape[axis];
    if (v->batch[own]) {
        return gali_algebra_fail(a, "rows of the batch joined to others");
    }
    v->shape[axis] = maker->shape[axis];
    v->size[own] = length;
    for (uint32_t t = 0; t < v->term_count; t++) {
        gali_term *term = &v->terms[t];
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

static gali_sum *concat(gali_algebra *a, const gali_form *f, const gali_maker *maker,
                        gali_sum *const *operands) {
    gali_sum *whole = NULL;
    int32_t start = 0;
    for (uint32_t i = 0; i < maker->operand_count; i++) {
        int32_t length = (int32_t)gali_form_type(f, maker->operands[i])->shape[maker->axis];
        if (length == 0) {
            continue;
        }
        gali_sum *part =
            (uint32_t)length == maker->shape[maker->axis] ? operands[i] : shift(a, operands[i], maker, start);
        whole = whole && part ? add(a, whole, part) : part;
        if (!whole) {
            return NULL;
        }
        start += length;
    }
    return whole ? whole : gali_algebra_fail(a, "a tensor without numbers");
}

gali_sum *gali_sum_of(gali_algebra *a, const gali_form *f, const gali_maker *maker, gali_sum *const *operands) {
    switch (maker->kind) {
    case GALI_MAKER_RESHAPE:
        return reshape(a, operands[0], maker);
    case GALI_MAKER_PERMUTE:
        return permute(a, operands[0], maker);
    case GALI_MAKER_EXPAND:
        return expand(a, operands[0], maker);
    case GALI_MAKER_SLICE:
        return slice(a, operands[0], maker);
    case GALI_MAKER_CONCAT:
        return concat(a, f, maker, operands);
    case GALI_MAKER_PRODUCT:
        return gali_sum_product(a, f, maker, operands);
    case GALI_MAKER_ADD:
        return add(a, operands[0], operands[1]);
    default:
        return gali_algebra_fail(a, "not a linear operation");
    }
}
