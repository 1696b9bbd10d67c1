/*
 * Splitting is always possible where the sizes divide: a term that covers a part of the axis becomes up to three. Joining
 * is possible where every factor steps through both axes as through one; where not, the outer one is unrolled, a term
 * for each of its places.
 */
#include "recognise/axes.h"

#include <string.h>

/* Room for an own axis after `own`, in the value and its terms. */
static int insert_axis(gali_algebra *a, gali_sum *v, uint32_t own) {
    if (v->own_count == GALI_OWN_MAX) {
        return gali_algebra_fail(a, gali_irregular) != NULL;
    }
    size_t tail = v->own_count - own - 1;
    memmove(v->size + own + 2, v->size + own + 1, tail * sizeof *v->size);
    memmove(v->batch + own + 2, v->batch + own + 1, tail * sizeof *v->batch);
    for (uint32_t t = 0; t < v->term_count; t++) {
        gali_term *term = &v->terms[t];
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

void gali_axis_remove(gali_sum *v, uint32_t own) {
    size_t tail = v->own_count - own - 1;
    memmove(v->size + own, v->size + own + 1, tail * sizeof *v->size);
    memmove(v->batch + own, v->batch + own + 1, tail * sizeof *v->batch);
    for (uint32_t t = 0; t < v->term_count; t++) {
        gali_term *term = &v->terms[t];
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

gali_sum *gali_axis_split(gali_algebra *a, const gali_sum *v, uint32_t own, int32_t inner) {
    uint32_t count = 0;
    int32_t pieces[3][4];
    for (uint32_t t = 0; t < v->term_count; t++) {
        count += split_range(v->terms[t].low[own], v->terms[t].high[own], inner, pieces);
    }
    gali_sum *made = v->batch[own] ? gali_algebra_fail(a, "an axis that mixes rows of the batch with features")
                                   : gali_sum_like(a, v, count);
    if (!made) {
        return NULL;
    }
    for (uint32_t t = 0; t < v->term_count; t++) {
        const gali_term *term = &v->terms[t];
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
            gali_term *term = &made->terms[at++];
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

int gali_axis_can_join(const gali_sum *v, uint32_t own) {
    int can = !v->batch[own] && !v->batch[own + 1];
    for (uint32_t t = 0; can && t < v->term_count; t++) {
        const gali_term *term = &v->terms[t];
        can = term->low[own + 1] == 0 && term->high[own + 1] == v->size[own + 1];
        for (uint32_t f = 0; can && f < term->factor_count; f++) {
            can = term->factors[f].own[own] == term->factors[f].own[own + 1] * v->size[own + 1];
        }
    }
    return can;
}

void gali_axis_join(gali_sum *v, uint32_t own) {
    int32_t inner = v->size[own + 1];
    for (uint32_t t = 0; t < v->term_count; t++) {
        gali_term *term = &v->terms[t];
        term->low[own + 1] = term->low[own] * inner;
        term->high[own + 1] = term->high[own] * inner;
    }
    v->size[own + 1] *= v->size[own];
    gali_axis_remove(v, own);
}

/* Every place of own axis `own` becomes a term of its own, over own axis own + 1 of both sizes. */
static gali_sum *unroll_axis(gali_algebra *a, const gali_sum *v, uint32_t own) {
    size_t count = 0;
    for (uint32_t t = 0; t < v->term_count; t++) {
        count += (size_t)(v->terms[t].high[own] - v->terms[t].low[own]);
    }
    if (count > GALI_TERMS_MAX || v->batch[own] || v->batch[own + 1]) {
        return gali_algebra_fail(a, v->batch[own] || v->batch[own + 1]
                                        ? "an axis that mixes rows of the batch with features"
                                        : gali_irregular);
    }
    gali_sum *made = gali_sum_like(a, v, (uint32_t)count);
    int32_t inner = v->size[own + 1];
    for (uint32_t t = 0; made && t < v->term_count; t++) {
        for (int32_t place = v->terms[t].low[own]; place < v->terms[t].high[own]; place++) {
            gali_term *term = &made->terms[made->term_count++];
            *term = v->terms[t];
            term->low[own + 1] += place * inner;
            term->high[own + 1] += place * inner;
            for (uint32_t f = 0; f < term->factor_count; f++) {
                gali_factor *factor = &term->factors[f];
                factor->at += place * (factor->own[own] - inner * factor->own[own + 1]);
            }
        }
    }
    if (made) {
        made->size[own + 1] *= v->size[own];
        gali_axis_remove(made, own);
    }
    return made;
}

gali_sum *gali_axis_flatten(gali_algebra *a, gali_sum *v, uint32_t axis) {
    while (v && v->first[axis + 1] - v->first[axis] > 1) {
        uint32_t own = v->first[axis + 1] - 2;
        if (gali_axis_can_join(v, own)) {
            v = gali_sum_copy(a, v);
            if (v) {
                gali_axis_join(v, own);
            }
        } else {
            v = unroll_axis(a, v, own);
        }
    }
    return v;
}

int gali_axis_align(gali_algebra *a, gali_sum **v, uint32_t i, gali_sum **w, uint32_t j) {
    for (uint32_t done = 0;; done++) {
        uint32_t v_left = (*v)->first[i + 1] - (*v)->first[i], w_left = (*w)->first[j + 1] - (*w)->first[j];
        if (v_left <= done || w_left <= done) {
            return v_left == w_left || gali_algebra_fail(a, gali_irregular) != NULL;
        }
        uint32_t p = (*v)->first[i + 1] - 1 - done, q = (*w)->first[j + 1] - 1 - done;
        int32_t p_size = (*v)->size[p], q_size = (*w)->size[q];
        if (p_size > q_size && p_size % q_size == 0) {
            *v = gali_axis_split(a, *v, p, q_size);
        } else if (q_size > p_size && q_size % p_size == 0) {
            *w = gali_axis_split(a, *w, q, p_size);
        } else if (p_size != q_size) {
            return gali_algebra_fail(a, gali_irregular) != NULL;
        }
        if (!*v || !*w) {
            return 0;
        }
    }
}
