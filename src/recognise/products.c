/*
 * Each term of one operand meets each of the other: their ranges intersect, their factors join, and the axes that the
 * product sums over become inner ones. Then each term is simplified: constants that alone run along an inner axis are
 * summed into one new constant, so the inner axes left are those of rows.
 */
#include "recognise/products.h"

#include <string.h>

#include "recognise/axes.h"

enum { OWN_MAX = GALI_OWN_MAX, INNER_MAX = GALI_INNER_MAX, FACTORS_MAX = GALI_FACTORS_MAX };

/* Where the own axes of a product's result and its inner ones come from. */
typedef struct mix {
    const gali_sum *values[2];
    uint32_t count[2];           /* own axes of the result, summed own axes */
    int from[2][2][2 * OWN_MAX]; /* [kept or summed][operand]: its own axis, or GALI_ABSENT */
} mix;

static int axis_of_label(uint32_t rank, const int8_t *labels, int label) {
    for (uint32_t i = 0; i < rank; i++) {
        if (labels[i] == label) {
            return (int)i;
        }
    }
    return GALI_ABSENT;
}

/* The own axes of one label; batch axes may not be summed. */
static int mix_label(gali_algebra *a, mix *m, const int axes[2], int summed) {
    uint32_t starts[2] = {0}, counts[2] = {0}, most = 0;
    for (uint32_t i = 0; i < 2; i++) {
        if (axes[i] != GALI_ABSENT) {
            starts[i] = m->values[i]->first[axes[i]];
            counts[i] = m->values[i]->first[axes[i] + 1] - starts[i];
            most = counts[i] > most ? counts[i] : most;
        }
    }
    for (uint32_t k = 0; k < most; k++) {
        uint32_t at = m->count[summed]++;
        if (at >= OWN_MAX) {
            return gali_algebra_fail(a, gali_irregular) != NULL;
        }
        for (uint32_t i = 0; i < 2; i++) {
            m->from[summed][i][at] = counts[i] ? (int)(starts[i] + k) : GALI_ABSENT;
            if (counts[i] && summed && m->values[i]->batch[starts[i] + k]) {
                return gali_algebra_fail(a, "a sum over the rows of the batch") != NULL;
            }
        }
    }
    return 1;
}

/* One term of each operand (NULL: there is one operand): ranges meet, factors join. 0: they do not meet. */
static int join_terms(const mix *m, const gali_term *const *terms, gali_term *made) {
    *made = (gali_term){.scale = 1};
    for (uint32_t i = 0; i < m->count[0] + m->count[1]; i++) {
        int summed = i >= m->count[0];
        uint32_t at = summed ? i - m->count[0] : i;
        int32_t low = 0, high = INT32_MAX;
        for (uint32_t o = 0; o < 2; o++) {
            int own = m->from[summed][o][at];
            if (terms[o] && own != GALI_ABSENT) {
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
static int32_t summed_low(const mix *m, const gali_term *const *terms, uint32_t at) {
    int32_t low = 0;
    for (uint32_t o = 0; o < 2; o++) {
        int own = m->from[1][o][at];
        if (terms[o] && own != GALI_ABSENT && terms[o]->low[own] > low) {
            low = terms[o]->low[own];
        }
    }
    return low;
}

/* Operand o's factors into the joined term. */
static int join_factors(const mix *m, const gali_term *const *terms, uint32_t o, gali_term *made) {
    const gali_term *term = terms[o];
    uint32_t inner = made->inner_count;
    if (made->factor_count + term->factor_count > FACTORS_MAX || inner + term->inner_count > INNER_MAX) {
        return 0;
    }
    made->scale *= term->scale;
    for (uint32_t f = 0; f < term->factor_count; f++) {
        const gali_factor *from = &term->factors[f];
        gali_factor *factor = &made->factors[made->factor_count++];
        factor->leaf = from->leaf;
        factor->at = from->at;
        for (uint32_t i = 0; i < m->count[0]; i++) {
            factor->own[i] = m->from[0][o][i] == GALI_ABSENT ? 0 : from->own[m->from[0][o][i]];
        }
        for (uint32_t i = 0; i < m->count[1]; i++) {
            factor->inner[i] = m->from[1][o][i] == GALI_ABSENT ? 0 : from->own[m->from[1][o][i]];
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

static void remove_inner(gali_term *term, uint32_t at) {
    size_t tail = term->inner_count - at - 1;
    memmove(term->inner + at, term->inner + at + 1, tail * sizeof *term->inner);
    term->inner[--term->inner_count] = 0;
    for (uint32_t f = 0; f < term->factor_count; f++) {
        int32_t *strides = term->factors[f].inner;
        memmove(strides + at, strides + at + 1, tail * sizeof *strides);
        strides[term->inner_count] = 0;
    }
}

static void remove_factor(gali_term *term, uint32_t f) {
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
    gali_array arrays[FACTORS_MAX];
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
                gali_array_load(&c->arrays[f], at, c->stride[f][c->axis_count], length, f ? run : product);
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
static void take_axis(contraction *c, const gali_term *term, const uint32_t *chosen, int32_t *moved,
                      uint32_t axis) {
    int inner = axis >= OWN_MAX, moves = 0;
    uint32_t i = inner ? axis - OWN_MAX : axis;
    for (uint32_t f = 0; f < c->factors; f++) {
        const gali_factor *factor = &term->factors[chosen[f]];
        c->stride[f][c->axis_count] = inner ? factor->inner[i] : factor->own[i];
        moves |= c->stride[f][c->axis_count] != 0;
    }
    c->size[c->axis_count] = inner ? term->inner[i] : term->high[i] - term->low[i];
    for (uint32_t f = 0; f < c->factors && moves && !inner; f++) {
        c->at[f] += term->low[i] * c->stride[f][c->axis_count];
    }
    moved[axis] = moves ? (int32_t)c->axis_count : GALI_ABSENT;
    c->axis_count += (uint32_t)moves;
}

/* Replaces the chosen factors by one constant, summed over inner axis `over`. */
static int contract(gali_algebra *a, gali_term *term, uint32_t own_count, const uint32_t *chosen,
                    uint32_t factors, uint32_t over) {
    contraction c = {.factors = factors};
    int32_t moved[OWN_MAX + INNER_MAX];
    for (uint32_t f = 0; f < factors; f++) {
        c.at[f] = term->factors[chosen[f]].at;
        c.arrays[f] = a->leaves[term->factors[chosen[f]].leaf].array;
    }
    for (uint32_t i = 0; i < OWN_MAX + INNER_MAX; i++) {
        int is_axis = i < OWN_MAX ? i < own_count : i - OWN_MAX < term->inner_count && i - OWN_MAX != over;
        moved[i] = GALI_ABSENT;
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
    if (count > INT32_MAX || !gali_allowance_work(a->allowance, (double)count * term->inner[over])) {
        return gali_algebra_fail(a, gali_irregular) != NULL;
    }
    double *numbers = gali_allowance_take(a->allowance, count * sizeof *numbers);
    int leaf = numbers ? gali_leaf_add(a, &(gali_leaf){.array = {GALI_f64, numbers}}) : GALI_ABSENT;
    if (leaf == GALI_ABSENT) {
        return 0;
    }
    run_contraction(&c, numbers, count);
    gali_factor made = {.leaf = (uint32_t)leaf};
    int32_t stride[OWN_MAX + INNER_MAX + 1], whole = 1;
    for (uint32_t d = c.axis_count; d-- > 0; whole *= c.size[d]) {
        stride[d] = whole;
    }
    for (uint32_t i = 0; i < OWN_MAX + INNER_MAX; i++) {
        if (moved[i] != GALI_ABSENT && i < OWN_MAX) {
            made.own[i] = stride[moved[i]];
            made.at -= term->low[i] * made.own[i];
        } else if (moved[i] != GALI_ABSENT) {
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
static void cancel_inverses(const gali_algebra *a, gali_term *term) {
    for (uint32_t f = 0; f < term->factor_count; f++) {
        for (uint32_t g = 0; g < term->factor_count; g++) {
            gali_factor like = term->factors[g];
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
static int simplify(gali_algebra *a, gali_term *term, uint32_t own_count) {
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
        const gali_factor *factor = &term->factors[f];
        int moves = a->leaves[factor->leaf].row;
        for (uint32_t i = 0; i < OWN_MAX; i++) {
            moves |= factor->own[i] != 0;
        }
        for (uint32_t i = 0; i < INNER_MAX; i++) {
            moves |= factor->inner[i] != 0;
        }
        if (!moves) {
            double number;
            gali_array_load(&a->leaves[factor->leaf].array, factor->at, 1, 1, &number);
            term->scale *= number;
            remove_factor(term, f);
        }
    }
    return 1;
}

/* The operands' axes of a label. */
static void axes_of_label(const gali_form *f, const gali_maker *maker, int label, int axes[2]) {
    for (uint32_t o = 0; o < 2; o++) {
        axes[o] =
            o < maker->operand_count
                ? axis_of_label((uint32_t)gali_form_type(f, maker->operands[o])->rank, maker->labels[o], label)
                : GALI_ABSENT;
    }
}

static int mix_labels(gali_algebra *a, mix *m, const gali_form *f, const gali_maker *maker, gali_sum **operands,
                      gali_sum *made) {
    int put_out[GALI_LABELS_MAX] = {0}, axes[2];
    for (int label = 0; label < GALI_LABELS_MAX; label++) { /* own axes move by this, so all of it is first */
        axes_of_label(f, maker, label, axes);
        if (axes[0] != GALI_ABSENT && axes[1] != GALI_ABSENT && operands[0]->shape[axes[0]] != 1 &&
            operands[1]->shape[axes[1]] != 1 &&
            !gali_axis_align(a, &operands[0], (uint32_t)axes[0], &operands[1], (uint32_t)axes[1])) {
            return 0;
        }
    }
    m->values[0] = operands[0];
    m->values[1] = operands[1];
    for (uint32_t i = 0; i < maker->rank; i++) {
        axes_of_label(f, maker, maker->out[i], axes);
        put_out[(uint32_t)maker->out[i]] = 1;
        made->first[i] = m->count[0];
        if (!mix_label(a, m, axes, 0)) {
            return 0;
        }
    }
    for (int label = 0; label < GALI_LABELS_MAX; label++) {
        axes_of_label(f, maker, label, axes);
        if (!put_out[label] && !mix_label(a, m, axes, 1)) {
            return 0;
        }
    }
    return 1;
}

gali_sum *gali_sum_product(gali_algebra *a, const gali_form *f, const gali_maker *maker,
                           gali_sum *const *given) {
    gali_sum *operands[2] = {given[0], maker->operand_count > 1 ? given[1] : NULL}, head = {0};
    mix m = {.count = {0}};
    if (!mix_labels(a, &m, f, maker, operands, &head)) {
        return NULL;
    }
    uint32_t seconds = operands[1] ? operands[1]->term_count : 1;
    gali_sum *made = gali_sum_like(a, &head, operands[0]->term_count * seconds);
    if (!made) {
        return NULL;
    }
    made->rank = maker->rank;
    memcpy(made->shape, maker->shape, sizeof made->shape);
    made->own_count = made->first[made->rank] = m.count[0];
    for (uint32_t i = 0; i < m.count[0]; i++) {
        for (uint32_t o = 0; o < 2; o++) {
            int own = m.from[0][o][i];
            if (operands[o] && own != GALI_ABSENT) {
                made->size[i] = operands[o]->size[own];
                made->batch[i] |= operands[o]->batch[own];
            }
        }
    }
    for (uint32_t t = 0; t < operands[0]->term_count * seconds; t++) {
        const gali_term *terms[2] = {&operands[0]->terms[t / seconds],
                                     operands[1] ? &operands[1]->terms[t % seconds] : NULL};
        gali_term *term = &made->terms[made->term_count];
        if (!join_terms(&m, terms, term)) {
            *term = (gali_term){0};
            continue;
        }
        if (!join_factors(&m, terms, 0, term) || (terms[1] && !join_factors(&m, terms, 1, term))) {
            return gali_algebra_fail(a, "a product of too many values");
        }
        if (!simplify(a, term, made->own_count)) {
            return NULL;
        }
        made->term_count++;
    }
    gali_sum_collect(made);
    return made;
}
