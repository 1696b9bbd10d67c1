#include "import/onnx_sums.h"

#include <stdlib.h>
#include <string.h>

enum { OWN_MAX = GALI_ONNX_OWN_MAX, INNER_MAX = GALI_ONNX_INNER_MAX, FACTORS_MAX = GALI_ONNX_FACTORS_MAX };

static const char irregular[] = "an arrangement of axes that is too irregular for a layer";

static gali_onnx_value *fail(gali_onnx_algebra *a, const char *why) {
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
        return fail(a, irregular);
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

static gali_onnx_value *copy_value(gali_onnx_algebra *a, const gali_onnx_value *v) {
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
            return fail(a, "a tensor without numbers");
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

/* ---- own axes ---- */

/* Room for an own axis after `own`, in the value and its terms. */
static int insert_axis(gali_onnx_algebra *a, gali_onnx_value *v, uint32_t own) {
    if (v->own_count == OWN_MAX) {
        return fail(a, irregular) != NULL;
    }
    size_t tail = v->own_count - own - 1;
    memmove(v->size + own + 2, v->size + own + 1, tail * sizeof *v->size);
    memmove(v->batch + own + 2, v->batch + own + 1, tail * sizeof *v->batch);
    for (uint32_t t = 0; t < v->term_count; t++) {
        gali_onnx_term *term = &v->terms[t];
        memmove(term->low + own + 2, term->low + own + 1, tail * sizeof *term->low);
        memmove(term->high + own + 2, term->high + own + 1, tail * sizeof *term->high);
        for (uint32_t f = 0; f < term->factor_count; f++) {
            int32_t *strides = term->factors[f].own;
            memmove(strides + own + 2, strides + own + 1, tail * sizeof *strides);
        }
    }
    for (uint32_t i = 0; i <= v->rank; i++) {
        v->first[i] += v->first[i] > own;
    }
    v->own_count++;
    return 1;
}

static void remove_axis(gali_onnx_value *v, uint32_t own) {
    size_t tail = v->own_count - own - 1;
    memmove(v->size + own, v->size + own + 1, tail * sizeof *v->size);
    memmove(v->batch + own, v->batch + own + 1, tail * sizeof *v->batch);
    for (uint32_t t = 0; t < v->term_count; t++) {
        gali_onnx_term *term = &v->terms[t];
        memmove(term->low + own, term->low + own + 1, tail * sizeof *term->low);
        memmove(term->high + own, term->high + own + 1, tail * sizeof *term->high);
        for (uint32_t f = 0; f < term->factor_count; f++) {
            int32_t *strides = term->factors[f].own;
            memmove(strides + own, strides + own + 1, tail * sizeof *strides);
            strides[v->own_count - 1] = 0;
        }
        term->low[v->own_count - 1] = term->high[v->own_count - 1] = 0;
    }
    for (uint32_t i = 0; i <= v->rank; i++) {
        v->first[i] -= v->first[i] > own;
    }
    v->own_count--;
    v->size[v->own_count] = v->batch[v->own_count] = 0;
}

/* How many terms a range becomes when its axis is split, at most 3: a part of a block, whole blocks, a part. */
static uint32_t split_range(int32_t low, int32_t high, int32_t inner, int32_t pieces[3][4]) {
    uint32_t count = 0;
    while (low < high) {
        int32_t *piece = pieces[count++];
        int32_t block = low / inner, end = high;
        if (low % inner == 0 && high - low >= inner) {
            end = high / inner * inner;
            memcpy(piece, (int32_t[4]){block, end / inner, 0, inner}, 4 * sizeof *piece);
        } else {
            end = high < (block + 1) * inner ? high : (block + 1) * inner;
            memcpy(piece, (int32_t[4]){block, block + 1, low % inner, end - block * inner}, 4 * sizeof *piece);
        }
        low = end;
    }
    return count;
}

/* Own axis of size s becomes two, of s / inner and inner. */
static gali_onnx_value *split_axis(gali_onnx_algebra *a, const gali_onnx_value *v, uint32_t own,
                                   int32_t inner) {
    uint32_t count = 0;
    int32_t pieces[3][4];
    for (uint32_t t = 0; t < v->term_count; t++) {
        count += split_range(v->terms[t].low[own], v->terms[t].high[own], inner, pieces);
    }
    gali_onnx_value *made = v->batch[own] ? fail(a, "an axis that mixes rows of the batch with features")
                                          : gali_onnx_value_like(a, v, count);
    if (!made) {
        return NULL;
    }
    for (uint32_t t = 0; t < v->term_count; t++) {
        const gali_onnx_term *term = &v->terms[t];
        uint32_t parts = split_range(term->low[own], term->high[own], inner, pieces);
        for (uint32_t i = 0; i < parts; i++) {
            made->terms[made->term_count++] = *term;
        }
    }
    if (!insert_axis(a, made, own)) {
        return NULL;
    }
    made->size[own] = v->size[own] / inner;
    made->size[own + 1] = inner;
    made->batch[own + 1] = 0;
    uint32_t at = 0;
    for (uint32_t t = 0; t < v->term_count; t++) {
        uint32_t parts = split_range(v->terms[t].low[own], v->terms[t].high[own], inner, pieces);
        for (uint32_t i = 0; i < parts; i++) {
            gali_onnx_term *term = &made->terms[at++];
            term->low[own] = pieces[i][0];
            term->high[own] = pieces[i][1];
            term->low[own + 1] = pieces[i][2];
            term->high[own + 1] = pieces[i][3];
            for (uint32_t f = 0; f < term->factor_count; f++) {
                term->factors[f].own[own + 1] = term->factors[f].own[own];
                term->factors[f].own[own] *= inner;
            }
        }
    }
    return made;
}

/* Whether own axes own and own + 1 step through every factor as one would. */
static int can_join(const gali_onnx_value *v, uint32_t own) {
    int can = !v->batch[own] && !v->batch[own + 1];
    for (uint32_t t = 0; can && t < v->term_count; t++) {
        const gali_onnx_term *term = &v->terms[t];
        can = term->low[own + 1] == 0 && term->high[own + 1] == v->size[own + 1];
        for (uint32_t f = 0; can && f < term->factor_count; f++) {
            can = term->factors[f].own[own] == term->factors[f].own[own + 1] * v->size[own + 1];
        }
    }
    return can;
}

static void join_axes(gali_onnx_value *v, uint32_t own) {
    int32_t inner = v->size[own + 1];
    for (uint32_t t = 0; t < v->term_count; t++) {
        gali_onnx_term *term = &v->terms[t];
        term->low[own + 1] = term->low[own] * inner;
        term->high[own + 1] = term->high[own] * inner;
    }
    v->size[own + 1] *= v->size[own];
    remove_axis(v, own);
}

/* Every place of own axis `own` becomes a term of its own, over own axis own + 1 of both sizes. */
static gali_onnx_value *unroll_axis(gali_onnx_algebra *a, const gali_onnx_value *v, uint32_t own) {
    size_t count = 0;
    for (uint32_t t = 0; t < v->term_count; t++) {
        count += (size_t)(v->terms[t].high[own] - v->terms[t].low[own]);
    }
    if (count > GALI_ONNX_TERMS_MAX || v->batch[own] || v->batch[own + 1]) {
        return fail(a, v->batch[own] || v->batch[own + 1] ? "an axis that mixes rows of the batch with features"
                                                          : irregular);
    }
    gali_onnx_value *made = gali_onnx_value_like(a, v, (uint32_t)count);
    int32_t inner = v->size[own + 1];
    for (uint32_t t = 0; made && t < v->term_count; t++) {
        for (int32_t place = v->terms[t].low[own]; place < v->terms[t].high[own]; place++) {
            gali_onnx_term *term = &made->terms[made->term_count++];
            *term = v->terms[t];
            term->low[own + 1] += place * inner;
            term->high[own + 1] += place * inner;
            for (uint32_t f = 0; f < term->factor_count; f++) {
                gali_onnx_factor *factor = &term->factors[f];
                factor->at += place * (factor->own[own] - inner * factor->own[own + 1]);
            }
        }
    }
    if (made) {
        made->size[own + 1] *= v->size[own];
        remove_axis(made, own);
    }
    return made;
}

/* Makes an axis of the shape of one own axis at most. */
static gali_onnx_value *flatten_axis(gali_onnx_algebra *a, gali_onnx_value *v, uint32_t axis) {
    while (v && v->first[axis + 1] - v->first[axis] > 1) {
        uint32_t own = v->first[axis + 1] - 2;
        if (can_join(v, own)) {
            v = copy_value(a, v);
            if (v) {
                join_axes(v, own);
            }
        } else {
            v = unroll_axis(a, v, own);
        }
    }
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
                v = split_axis(a, v, own - 1, need);
                own++;
            } else if (own > 1 && can_join(v, own - 2)) {
                v = copy_value(a, v);
                if (v) {
                    join_axes(v, own - 2);
                    own--;
                }
            } else {
                v = fail(a, irregular);
            }
        }
        first[i] = v ? v->own_count - own : 0;
    }
    gali_onnx_value *made = v ? copy_value(a, v) : NULL;
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
    gali_onnx_value *made = copy_value(a, v);
    uint32_t order[OWN_MAX], count = 0;
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
    gali_onnx_value *made = copy_value(a, v);
    for (uint32_t i = 0; made && i < step->rank; i++) {
        if (made->shape[i] == step->shape[i]) {
            continue;
        }
        uint32_t own = made->first[i];
        if (made->own_count == OWN_MAX || step->shape[i] == 0) {
            return fail(a, irregular);
        }
        made->shape[i] = step->shape[i];
        for (uint32_t j = i + 1; j <= made->rank; j++) {
            made->first[j]++;
        }
        made->own_count++;
        uint32_t order[OWN_MAX];
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
    remove_axis(v, own);
}

static gali_onnx_value *slice(gali_onnx_algebra *a, gali_onnx_value *v, const gali_onnx_step *step) {
    v = flatten_axis(a, v, step->axis);
    gali_onnx_value *made = v ? copy_value(a, v) : NULL;
    if (!made) {
        return NULL;
    }
    made->shape[step->axis] = step->shape[step->axis];
    if (step->shape[step->axis] == 0) {
        return fail(a, "a tensor without numbers");
    }
    if (made->first[step->axis + 1] == made->first[step->axis]) {
        return made;
    }
    uint32_t own = made->first[step->axis];
    if (made->batch[own]) {
        return fail(a, "some rows of the batch alone");
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

/* ---- like axes ---- */

/* Splits the own axes of axis i of *v and axis j of *w, which have the same size, until they are the same. */
static int align_axis(gali_onnx_algebra *a, gali_onnx_value **v, uint32_t i, gali_onnx_value **w, uint32_t j) {
    for (uint32_t done = 0;; done++) {
        uint32_t v_left = (*v)->first[i + 1] - (*v)->first[i], w_left = (*w)->first[j + 1] - (*w)->first[j];
        if (v_left <= done || w_left <= done) {
            return v_left == w_left || fail(a, irregular) != NULL;
        }
        uint32_t p = (*v)->first[i + 1] - 1 - done, q = (*w)->first[j + 1] - 1 - done;
        int32_t p_size = (*v)->size[p], q_size = (*w)->size[q];
        if (p_size > q_size && p_size % q_size == 0) {
            *v = split_axis(a, *v, p, q_size);
        } else if (q_size > p_size && q_size % p_size == 0) {
            *w = split_axis(a, *w, q, p_size);
        } else if (p_size != q_size) {
            return fail(a, irregular) != NULL;
        }
        if (!*v || !*w) {
            return 0;
        }
    }
}

/* Same shapes, same own axes. */
static int align(gali_onnx_algebra *a, gali_onnx_value **v, gali_onnx_value **w) {
    for (uint32_t i = 0; i < (*v)->rank; i++) {
        if (!align_axis(a, v, i, w, i)) {
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

/* Adds up terms that differ in scale alone: x - mean + mean is x. */
static void collect(gali_onnx_value *v) {
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
    collect(made);
    return made;
}

/* v as part of a longer axis, from place `start` on. */
static gali_onnx_value *shift(gali_onnx_algebra *a, gali_onnx_value *v, const gali_onnx_step *step,
                              int32_t start) {
    uint32_t axis = step->axis;
    if (v->shape[axis] == 1) { /* no own axis: expanding makes one of all places, of which one is kept */
        v = expand(a, v, step);
    } else {
        v = flatten_axis(a, v, axis);
        v = v ? copy_value(a, v) : NULL;
    }
    if (!v) {
        return NULL;
    }
    uint32_t own = v->first[axis];
    int32_t length = (int32_t)step->shape[axis];
    int one = v->shape[axis] == step->shape[axis];
    if (v->batch[own]) {
        return fail(a, "rows of the batch joined to others");
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
    return whole ? whole : fail(a, "a tensor without numbers");
}

/* ---- multiplying ---- */

/* Where the own axes of a product's result and its inner ones come from. */
typedef struct mix {
    const gali_onnx_value *values[2];
    uint32_t count[2];           /* own axes of the result, summed own axes */
    int from[2][2][2 * OWN_MAX]; /* [kept or summed][operand]: its own axis, or GALI_ONNX_NONE */
} mix;

static int axis_of_label(const gali_onnx_step *operand, const int8_t *labels, int label) {
    for (uint32_t i = 0; i < operand->rank; i++) {
        if (labels[i] == label) {
            return (int)i;
        }
    }
    return GALI_ONNX_NONE;
}

/* The own axes of one label; batch axes may not be summed. */
static int mix_label(gali_onnx_algebra *a, mix *m, const int axes[2], int summed) {
    uint32_t starts[2] = {0}, counts[2] = {0}, most = 0;
    for (uint32_t i = 0; i < 2; i++) {
        if (axes[i] != GALI_ONNX_NONE) {
            starts[i] = m->values[i]->first[axes[i]];
            counts[i] = m->values[i]->first[axes[i] + 1] - starts[i];
            most = counts[i] > most ? counts[i] : most;
        }
    }
    for (uint32_t k = 0; k < most; k++) {
        uint32_t at = m->count[summed]++;
        if (at >= OWN_MAX) {
            return fail(a, irregular) != NULL;
        }
        for (uint32_t i = 0; i < 2; i++) {
            m->from[summed][i][at] = counts[i] ? (int)(starts[i] + k) : GALI_ONNX_NONE;
            if (counts[i] && summed && m->values[i]->batch[starts[i] + k]) {
                return fail(a, "a sum over the rows of the batch") != NULL;
            }
        }
    }
    return 1;
}

/* One term of each operand (NULL: there is one operand): ranges meet, factors join. 0: they do not meet. */
static int join_terms(const mix *m, const gali_onnx_term *const *terms, gali_onnx_term *made) {
    *made = (gali_onnx_term){.scale = 1};
    for (uint32_t i = 0; i < m->count[0] + m->count[1]; i++) {
        int summed = i >= m->count[0];
        uint32_t at = summed ? i - m->count[0] : i;
        int32_t low = 0, high = INT32_MAX;
        for (uint32_t o = 0; o < 2; o++) {
            int own = m->from[summed][o][at];
            if (terms[o] && own != GALI_ONNX_NONE) {
                low = terms[o]->low[own] > low ? terms[o]->low[own] : low;
                high = terms[o]->high[own] < high ? terms[o]->high[own] : high;
            }
        }
        if (low >= high) {
            return 0;
        }
        made->low[at] = summed ? made->low[at] : low;
        made->high[at] = summed ? made->high[at] : high;
        if (summed) {
            made->inner[made->inner_count++] = high - low;
        }
    }
    return 1;
}

/* Where a summed axis starts in both operands' terms. */
static int32_t summed_low(const mix *m, const gali_onnx_term *const *terms, uint32_t at) {
    int32_t low = 0;
    for (uint32_t o = 0; o < 2; o++) {
        int own = m->from[1][o][at];
        if (terms[o] && own != GALI_ONNX_NONE && terms[o]->low[own] > low) {
            low = terms[o]->low[own];
        }
    }
    return low;
}

/* Operand o's factors into the joined term. */
static int join_factors(const mix *m, const gali_onnx_term *const *terms, uint32_t o, gali_onnx_term *made) {
    const gali_onnx_term *term = terms[o];
    uint32_t inner = made->inner_count;
    if (made->factor_count + term->factor_count > FACTORS_MAX || inner + term->inner_count > INNER_MAX) {
        return 0;
    }
    made->scale *= term->scale;
    for (uint32_t f = 0; f < term->factor_count; f++) {
        const gali_onnx_factor *from = &term->factors[f];
        gali_onnx_factor *factor = &made->factors[made->factor_count++];
        factor->leaf = from->leaf;
        factor->at = from->at;
        for (uint32_t i = 0; i < m->count[0]; i++) {
            factor->own[i] = m->from[0][o][i] == GALI_ONNX_NONE ? 0 : from->own[m->from[0][o][i]];
        }
        for (uint32_t i = 0; i < m->count[1]; i++) {
            factor->inner[i] = m->from[1][o][i] == GALI_ONNX_NONE ? 0 : from->own[m->from[1][o][i]];
            factor->at += factor->inner[i] * summed_low(m, terms, i);
        }
        for (uint32_t i = 0; i < term->inner_count; i++) {
            factor->inner[inner + i] = from->inner[i];
        }
    }
    for (uint32_t i = 0; i < term->inner_count; i++) {
        made->inner[made->inner_count++] = term->inner[i];
    }
    return 1;
}

static void remove_inner(gali_onnx_term *term, uint32_t at) {
    size_t tail = term->inner_count - at - 1;
    memmove(term->inner + at, term->inner + at + 1, tail * sizeof *term->inner);
    term->inner[--term->inner_count] = 0;
    for (uint32_t f = 0; f < term->factor_count; f++) {
        int32_t *strides = term->factors[f].inner;
        memmove(strides + at, strides + at + 1, tail * sizeof *strides);
        strides[term->inner_count] = 0;
    }
}

static void remove_factor(gali_onnx_term *term, uint32_t f) {
    term->factor_count--;
    memmove(&term->factors[f], &term->factors[f + 1], (term->factor_count - f) * sizeof *term->factors);
    memset(&term->factors[term->factor_count], 0, sizeof *term->factors);
}

/* The constants of a term that an inner axis runs through, summed over it into one new constant. */
typedef struct contraction {
    uint32_t axis_count; /* that the new constant keeps, then the summed one */
    int32_t size[OWN_MAX + INNER_MAX + 1];
    int32_t stride[FACTORS_MAX][OWN_MAX + INNER_MAX + 1];
    int32_t at[FACTORS_MAX];
    gali_onnx_array arrays[FACTORS_MAX];
    uint32_t factors;
} contraction;

static void run_contraction(const contraction *c, double *to, size_t count) {
    int32_t inner = c->size[c->axis_count], index[OWN_MAX + INNER_MAX + 1] = {0};
    enum { RUN = 256 };
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        for (int32_t start = 0; start < inner; start += RUN) {
            double product[RUN] = {0}, run[RUN];
            size_t length = (size_t)(inner - start < RUN ? inner - start : RUN);
            for (uint32_t f = 0; f < c->factors; f++) {
                int64_t at = c->at[f] + (int64_t)start * c->stride[f][c->axis_count];
                for (uint32_t d = 0; d < c->axis_count; d++) {
                    at += (int64_t)index[d] * c->stride[f][d];
                }
                gali_onnx_load(&c->arrays[f], at, c->stride[f][c->axis_count], length, f ? run : product);
                for (size_t k = 0; f && k < length; k++) {
                    product[k] *= run[k];
                }
            }
            for (size_t k = 0; k < length; k++) {
                sum += product[k];
            }
        }
        to[i] = sum;
        for (uint32_t d = c->axis_count; d-- > 0 && ++index[d] == c->size[d];) {
            index[d] = 0;
        }
    }
}

/* Adds an axis of the term (own, or inner from OWN_MAX on) to the contraction if a chosen factor moves along it. */
static void take_axis(contraction *c, const gali_onnx_term *term, const uint32_t *chosen, int32_t *moved,
                      uint32_t axis) {
    int inner = axis >= OWN_MAX, moves = 0;
    uint32_t i = inner ? axis - OWN_MAX : axis;
    for (uint32_t f = 0; f < c->factors; f++) {
        const gali_onnx_factor *factor = &term->factors[chosen[f]];
        c->stride[f][c->axis_count] = inner ? factor->inner[i] : factor->own[i];
        moves |= c->stride[f][c->axis_count] != 0;
    }
    c->size[c->axis_count] = inner ? term->inner[i] : term->high[i] - term->low[i];
    for (uint32_t f = 0; f < c->factors && moves && !inner; f++) {
        c->at[f] += term->low[i] * c->stride[f][c->axis_count];
    }
    moved[axis] = moves ? (int32_t)c->axis_count : GALI_ONNX_NONE;
    c->axis_count += (uint32_t)moves;
}

/* Replaces the chosen factors by one constant, summed over inner axis `over`. */
static int contract(gali_onnx_algebra *a, gali_onnx_term *term, uint32_t own_count, const uint32_t *chosen,
                    uint32_t factors, uint32_t over) {
    contraction c = {.factors = factors};
    int32_t moved[OWN_MAX + INNER_MAX];
    for (uint32_t f = 0; f < factors; f++) {
        c.at[f] = term->factors[chosen[f]].at;
        c.arrays[f] = a->leaves[term->factors[chosen[f]].leaf].array;
    }
    for (uint32_t i = 0; i < OWN_MAX + INNER_MAX; i++) {
        int is_axis = i < OWN_MAX ? i < own_count : i - OWN_MAX < term->inner_count && i - OWN_MAX != over;
        moved[i] = GALI_ONNX_NONE;
        if (is_axis) {
            take_axis(&c, term, chosen, moved, i);
        }
    }
    size_t count = 1;
    for (uint32_t d = 0; d < c.axis_count; d++) {
        count *= (size_t)c.size[d];
    }
    for (uint32_t f = 0; f < factors; f++) {
        c.stride[f][c.axis_count] = term->factors[chosen[f]].inner[over];
    }
    c.size[c.axis_count] = term->inner[over];
    if (count > INT32_MAX || !gali_onnx_work(a->onnx, (double)count * term->inner[over])) {
        return fail(a, irregular) != NULL;
    }
    double *numbers = gali_onnx_take(a->onnx, count * sizeof *numbers);
    int leaf =
        numbers ? gali_onnx_leaf_add(a, &(gali_onnx_leaf){.array = {GALI_ONNX_F64, numbers}}) : GALI_ONNX_NONE;
    if (leaf == GALI_ONNX_NONE) {
        return 0;
    }
    run_contraction(&c, numbers, count);
    gali_onnx_factor made = {.leaf = (uint32_t)leaf};
    int32_t stride[OWN_MAX + INNER_MAX + 1], whole = 1;
    for (uint32_t d = c.axis_count; d-- > 0; whole *= c.size[d]) {
        stride[d] = whole;
    }
    for (uint32_t i = 0; i < OWN_MAX + INNER_MAX; i++) {
        if (moved[i] != GALI_ONNX_NONE && i < OWN_MAX) {
            made.own[i] = stride[moved[i]];
            made.at -= term->low[i] * made.own[i];
        } else if (moved[i] != GALI_ONNX_NONE) {
            made.inner[i - OWN_MAX] = stride[moved[i]];
        }
    }
    term->factors[chosen[0]] = made;
    for (uint32_t f = factors; f-- > 1;) {
        remove_factor(term, chosen[f]);
    }
    remove_inner(term, over);
    return 1;
}

/* A constant times its inverse is 1, exactly. */
static void cancel_inverses(const gali_onnx_algebra *a, gali_onnx_term *term) {
    for (uint32_t f = 0; f < term->factor_count; f++) {
        for (uint32_t g = 0; g < term->factor_count; g++) {
            gali_onnx_factor like = term->factors[g];
            like.leaf = term->factors[f].leaf;
            if (a->leaves[term->factors[f].leaf].inverse == term->factors[g].leaf + 1 &&
                memcmp(&like, &term->factors[f], sizeof like) == 0) {
                remove_factor(term, f > g ? f : g);
                remove_factor(term, f > g ? g : f);
                f = 0;
                g = term->factor_count;
            }
        }
    }
}

/* Carries out the sums that no row takes part in, and takes single numbers into the scale. */
static int simplify(gali_onnx_algebra *a, gali_onnx_term *term, uint32_t own_count) {
    cancel_inverses(a, term);
    for (uint32_t i = term->inner_count; i-- > 0;) {
        uint32_t chosen[FACTORS_MAX], factors = 0;
        int rows = 0;
        for (uint32_t f = 0; f < term->factor_count; f++) {
            if (term->factors[f].inner[i] != 0) {
                chosen[factors++] = f;
                rows |= a->leaves[term->factors[f].leaf].row;
            }
        }
        if (term->inner[i] == 1) {
            remove_inner(term, i);
        } else if (factors == 0) {
            term->scale *= term->inner[i];
            remove_inner(term, i);
        } else if (!rows && !contract(a, term, own_count, chosen, factors, i)) {
            return 0;
        }
    }
    for (uint32_t f = term->factor_count; f-- > 0;) {
        const gali_onnx_factor *factor = &term->factors[f];
        int moves = a->leaves[factor->leaf].row;
        for (uint32_t i = 0; i < OWN_MAX; i++) {
            moves |= factor->own[i] != 0;
        }
        for (uint32_t i = 0; i < INNER_MAX; i++) {
            moves |= factor->inner[i] != 0;
        }
        if (!moves) {
            double number;
            gali_onnx_load(&a->leaves[factor->leaf].array, factor->at, 1, 1, &number);
            term->scale *= number;
            remove_factor(term, f);
        }
    }
    return 1;
}

/* The operands' axes of a label. */
static void axes_of_label(const gali_onnx_program *p, const gali_onnx_step *step, int label, int axes[2]) {
    for (uint32_t o = 0; o < 2; o++) {
        axes[o] = o < step->operand_count ? axis_of_label(&p->steps[step->operands[o]], step->labels[o], label)
                                          : GALI_ONNX_NONE;
    }
}

static int mix_labels(gali_onnx_algebra *a, mix *m, const gali_onnx_program *p, const gali_onnx_step *step,
                      gali_onnx_value **operands, gali_onnx_value *made) {
    int put_out[GALI_ONNX_LABELS_MAX] = {0}, axes[2];
    for (int label = 0; label < GALI_ONNX_LABELS_MAX;
         label++) { /* own axes move by this, so all of it is first */
        axes_of_label(p, step, label, axes);
        if (axes[0] != GALI_ONNX_NONE && axes[1] != GALI_ONNX_NONE && operands[0]->shape[axes[0]] != 1 &&
            operands[1]->shape[axes[1]] != 1 &&
            !align_axis(a, &operands[0], (uint32_t)axes[0], &operands[1], (uint32_t)axes[1])) {
            return 0;
        }
    }
    m->values[0] = operands[0];
    m->values[1] = operands[1];
    for (uint32_t i = 0; i < step->rank; i++) {
        axes_of_label(p, step, step->out[i], axes);
        put_out[(uint32_t)step->out[i]] = 1;
        made->first[i] = m->count[0];
        if (!mix_label(a, m, axes, 0)) {
            return 0;
        }
    }
    for (int label = 0; label < GALI_ONNX_LABELS_MAX; label++) {
        axes_of_label(p, step, label, axes);
        if (!put_out[label] && !mix_label(a, m, axes, 1)) {
            return 0;
        }
    }
    return 1;
}

static gali_onnx_value *product(gali_onnx_algebra *a, const gali_onnx_program *p, const gali_onnx_step *step,
                                gali_onnx_value *const *given) {
    gali_onnx_value *operands[2] = {given[0], step->operand_count > 1 ? given[1] : NULL}, head = {0};
    mix m = {.count = {0}};
    if (!mix_labels(a, &m, p, step, operands, &head)) {
        return NULL;
    }
    uint32_t seconds = operands[1] ? operands[1]->term_count : 1;
    gali_onnx_value *made = gali_onnx_value_like(a, &head, operands[0]->term_count * seconds);
    if (!made) {
        return NULL;
    }
    made->rank = step->rank;
    memcpy(made->shape, step->shape, sizeof made->shape);
    made->own_count = made->first[made->rank] = m.count[0];
    for (uint32_t i = 0; i < m.count[0]; i++) {
        for (uint32_t o = 0; o < 2; o++) {
            int own = m.from[0][o][i];
            if (operands[o] && own != GALI_ONNX_NONE) {
                made->size[i] = operands[o]->size[own];
                made->batch[i] |= operands[o]->batch[own];
            }
        }
    }
    for (uint32_t t = 0; t < operands[0]->term_count * seconds; t++) {
        const gali_onnx_term *terms[2] = {&operands[0]->terms[t / seconds],
                                          operands[1] ? &operands[1]->terms[t % seconds] : NULL};
        gali_onnx_term *term = &made->terms[made->term_count];
        if (!join_terms(&m, terms, term)) {
            *term = (gali_onnx_term){0};
            continue;
        }
        if (!join_factors(&m, terms, 0, term) || (terms[1] && !join_factors(&m, terms, 1, term))) {
            return fail(a, "a product of too many values");
        }
        if (!simplify(a, term, made->own_count)) {
            return NULL;
        }
        made->term_count++;
    }
    collect(made);
    return made;
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
        return product(a, p, step, operands);
    case GALI_ONNX_ADD:
        return add(a, operands[0], operands[1]);
    default:
        return fail(a, "not a linear operation");
    }
}
