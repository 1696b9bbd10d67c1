/*
 * A value is told by its terms: a row as it is needs no layer, rows alone are a layer that adds, gamma times a normalised
 * row plus beta belongs to the layer that normalises; all else is dense.
 */
#include "recognise/parts.h"

#include <math.h>
#include <string.h>

size_t gali_sum_features(const gali_sum *v) {
    size_t count = 1;
    for (uint32_t i = 0; i < v->own_count; i++) {
        count *= v->batch[i] ? 1 : (size_t)v->size[i];
    }
    return count;
}

gali_term gali_row_term(const gali_sum *v, uint32_t leaf, uint32_t width, uint32_t first) {
    gali_term term = {.scale = 1, .factor_count = 1};
    int32_t stride = 1;
    term.factors[0].leaf = leaf;
    term.factors[0].at = (int32_t)first;
    for (uint32_t i = v->own_count; i-- > 0;) {
        term.high[i] = v->size[i];
        term.factors[0].own[i] = v->batch[i] ? (int32_t)width : stride;
        stride *= v->batch[i] ? 1 : v->size[i];
    }
    return term;
}

gali_sum *gali_sum_row(gali_recognised *n, const gali_sum *v, const gali_row_slice *slice) {
    gali_sum *made = gali_sum_like(&n->algebra, v, 1);
    if (made) {
        made->terms[made->term_count++] =
            gali_row_term(v, slice->leaf, n->algebra.leaves[slice->leaf].width, slice->first);
    }
    return made;
}

/* Whether a term is nothing but elements of one row, in order. */
static int is_slice(const gali_recognised *n, const gali_sum *v, const gali_term *term, gali_row_slice *slice) {
    const gali_factor *factor = &term->factors[0];
    if (term->factor_count != 1 || !n->algebra.leaves[factor->leaf].row || fabs(term->scale - 1) > 1e-12) {
        return 0;
    }
    gali_term like =
        gali_row_term(v, factor->leaf, n->algebra.leaves[factor->leaf].width, (uint32_t)factor->at);
    like.scale = term->scale;
    *slice = (gali_row_slice){factor->leaf, (uint32_t)factor->at, (uint32_t)gali_sum_features(v)};
    return memcmp(&like, term, sizeof like) == 0;
}

int gali_part_add(gali_recognised *n, const gali_part *part, gali_row_slice *made) {
    if (n->part_count == GALI_PARTS_MAX || part->width > GALI_WIDTH_MAX) {
        return gali_allowance_fail(n->algebra.allowance, GAL_BAD_DATA,
                                   "%s: too many layers, or one that is too wide", part->place);
    }
    int softmax = part->activation == GALI_ACTIVATION_SOFTMAX && part->width <= GALI_EXPERTS_MAX;
    gali_leaf leaf = {.row = 1, .width = part->width, .gate = softmax, .part = (int)n->part_count};
    int number = gali_leaf_add(&n->algebra, &leaf);
    if (number == GALI_ABSENT) {
        return 0;
    }
    n->parts[n->part_count] = *part;
    n->parts[n->part_count++].leaf = (uint32_t)number;
    *made = (gali_row_slice){(uint32_t)number, 0, part->width};
    return 1;
}

static int add_dense(gali_recognised *n, const gali_sum *v, gali_activation activation, double slope,
                     gali_row_slice *made) {
    gali_part part = {.kind = GALI_LAYER_DENSE,
                      .activation = activation,
                      .slope = slope,
                      .width = (uint32_t)gali_sum_features(v),
                      .value = v,
                      .place = n->algebra.place};
    return gali_part_add(n, &part, made);
}

int gali_part_row(gali_recognised *n, const gali_sum *v, gali_row_slice *slice) {
    return (v->term_count == 1 && is_slice(n, v, &v->terms[0], slice)) ||
           add_dense(n, v, GALI_ACTIVATION_NONE, 0, slice);
}

/* Numbers over the features of v of a term that has constants alone beside `skip` (a factor, or factor_count). */
static int feature_numbers(gali_recognised *n, const gali_sum *v, const gali_term *term, uint32_t skip,
                           double *to) {
    size_t count = gali_sum_features(v);
    if (term->inner_count) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        size_t rest = i;
        int64_t at[GALI_FACTORS_MAX] = {0};
        int inside = 1;
        for (uint32_t own = v->own_count; own-- > 0;) {
            if (!v->batch[own]) {
                int32_t place = (int32_t)(rest % (size_t)v->size[own]);
                rest /= (size_t)v->size[own];
                inside &= place >= term->low[own] && place < term->high[own];
                for (uint32_t f = 0; f < term->factor_count; f++) {
                    at[f] += (int64_t)place * term->factors[f].own[own];
                }
            }
        }
        double product = inside ? term->scale : 0;
        for (uint32_t f = 0; f < term->factor_count && inside; f++) {
            const gali_leaf *leaf = &n->algebra.leaves[term->factors[f].leaf];
            double number = 1;
            if (f != skip && leaf->row) {
                return 0;
            }
            if (f != skip) {
                gali_array_load(&leaf->array, term->factors[f].at + at[f], 1, 1, &number);
            }
            product *= number;
        }
        to[i] += product;
    }
    return 1;
}

/* Whether v is gamma times a whole row of layer_norm plus beta: then the part that makes it, with both. */
static int is_scaled_norm(gali_recognised *n, const gali_sum *v, gali_part *part) {
    size_t count = gali_sum_features(v);
    double *gamma = gali_allowance_take(n->algebra.allowance, 2 * count * sizeof *gamma),
           *beta = gamma ? gamma + count : NULL;
    int rows = 0;
    for (uint32_t t = 0; gamma && t < v->term_count; t++) {
        const gali_term *term = &v->terms[t];
        uint32_t at = 0;
        while (at < term->factor_count && !n->algebra.leaves[term->factors[at].leaf].row) {
            at++;
        }
        if (at == term->factor_count) {
            if (!feature_numbers(n, v, term, at, beta)) {
                return 0;
            }
            continue;
        }
        const gali_leaf *leaf = &n->algebra.leaves[term->factors[at].leaf];
        gali_term row = gali_row_term(v, term->factors[at].leaf, leaf->width, 0);
        if (rows++ || leaf->part == GALI_ABSENT || leaf->width != count ||
            n->parts[leaf->part].kind != GALI_LAYER_LAYER_NORM ||
            n->parts[leaf->part].activation != GALI_ACTIVATION_NONE ||
            memcmp(&row.factors[0], &term->factors[at], sizeof row.factors[0]) != 0 ||
            !feature_numbers(n, v, term, at, gamma)) {
            return 0;
        }
        *part = n->parts[leaf->part];
    }
    if (!gamma || rows != 1 || part->gamma) {
        return 0;
    }
    part->gamma = gamma;
    part->beta = beta;
    return 1;
}

/* Whether v is a sum of rows and of something to multiply: then the slices, and what is left. */
static int is_residual(gali_recognised *n, const gali_sum *v, gali_part *part, gali_sum **rest) {
    int products = 0;
    *rest = gali_sum_like(&n->algebra, v, v->term_count);
    for (uint32_t t = 0; *rest && t < v->term_count; t++) {
        gali_row_slice slice;
        const gali_term *term = &v->terms[t];
        if (part->slice_count + 1 < GALI_SLICES_MAX && is_slice(n, v, term, &slice) &&
            !n->algebra.leaves[slice.leaf].gate) {
            part->slices[part->slice_count++] = slice;
            continue;
        }
        for (uint32_t f = 0; f < term->factor_count; f++) {
            products |= n->algebra.leaves[term->factors[f].leaf].row;
        }
        (*rest)->terms[(*rest)->term_count++] = *term;
    }
    return part->slice_count > 0 && (products || (part->slice_count > 1 && *rest && (*rest)->term_count == 0));
}

int gali_part_apply(gali_recognised *n, const gali_sum *v, gali_activation activation, double slope,
                    gali_row_slice *made) {
    gali_part part = {.place = n->algebra.place};
    gali_sum *rest;
    if (v->term_count == 1 && is_slice(n, v, &v->terms[0], &part.slices[0])) {
        const gali_leaf *leaf = &n->algebra.leaves[part.slices[0].leaf];
        int whole = leaf->part != GALI_ABSENT && part.slices[0].count == leaf->width &&
                    n->parts[leaf->part].activation == GALI_ACTIVATION_NONE;
        if (whole) { /* the same layer with an activation; the one without stays only if others read it */
            part = n->parts[leaf->part];
        } else {
            part.kind = GALI_LAYER_CONCAT;
            part.slice_count = 1;
        }
    } else if (is_scaled_norm(n, v, &part)) {
        /* found */
    } else if (part = (gali_part){.place = n->algebra.place}, is_residual(n, v, &part, &rest)) {
        part.kind = GALI_LAYER_ADD;
        if (rest->term_count &&
            !add_dense(n, rest, GALI_ACTIVATION_NONE, 0, &part.slices[part.slice_count++])) {
            return 0;
        }
    } else {
        part = (gali_part){.kind = GALI_LAYER_DENSE, .value = v, .place = n->algebra.place};
    }
    part.activation = activation;
    part.slope = activation == GALI_ACTIVATION_LEAKY_RELU ? slope : 0;
    part.width = (uint32_t)gali_sum_features(v);
    return n->algebra.allowance->status == GAL_OK && gali_part_add(n, &part, made);
}

gali_sum *gali_part_sum(gali_recognised *n, gali_sum *v) {
    gali_part part = {
        .kind = GALI_LAYER_ADD, .place = n->algebra.place, .width = (uint32_t)gali_sum_features(v)};
    gali_row_slice made;
    if (v->term_count < 2 || v->term_count > GALI_SLICES_MAX) {
        return v;
    }
    for (uint32_t t = 0; t < v->term_count; t++) {
        gali_row_slice *slice = &part.slices[part.slice_count++];
        if (!is_slice(n, v, &v->terms[t], slice) || n->algebra.leaves[slice->leaf].gate) {
            return v;
        }
    }
    return gali_part_add(n, &part, &made) ? gali_sum_row(n, v, &made) : NULL;
}

/* Rows among a term's factors, blends and others. */
static void count_rows(const gali_recognised *n, const gali_term *term, uint32_t *blends, uint32_t *others) {
    for (uint32_t f = 0; f < term->factor_count; f++) {
        const gali_leaf *leaf = &n->algebra.leaves[term->factors[f].leaf];
        *blends += leaf->row && leaf->gate;
        *others += leaf->row && !leaf->gate;
    }
}

int gali_part_blends(const gali_recognised *n, const gali_sum *v, const gali_sum *w) {
    for (uint32_t t = 0; t < v->term_count; t++) {
        for (uint32_t s = 0; s < w->term_count; s++) {
            uint32_t blends = 0, others = 0;
            count_rows(n, &v->terms[t], &blends, &others);
            count_rows(n, &w->terms[s], &blends, &others);
            if (blends > 1 || others > 1) {
                return 0;
            }
        }
    }
    return 1;
}
