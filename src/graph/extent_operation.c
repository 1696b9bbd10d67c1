/*
 * Quotients, minima and maxima of extents: what of them is a sum already comes out, and what ranges decide is decided, so that
 * as few atoms as can be are made, and equal extents stay one.
 */
#include "graph/extent_table.h"

/* The one atom of that kind that an extent is; NULL: it is something else. */
static const gali_extent_entry *only_atom(const gali_extents *x, gali_extent a, gali_extent_kind kind) {
    const gali_extent_sum *s = gali_extent_is_handle(a) ? x->sums[a - GALI_EXTENT_FIRST] : NULL;
    if (!s || s->count != 1 || s->terms[0].count != 1 || s->terms[0].scale != 1) {
        return NULL;
    }
    const gali_extent_entry *only = x->atoms[s->terms[0].atoms[0]];
    return only->kind == kind ? only : NULL;
}

/* t / d where d's atoms are all among t's and the scale divides; 0 if not. */
static int divide_term(const gali_extent_term *t, const gali_extent_term *d, gali_extent_term *out) {
    if (t->scale % d->scale != 0) {
        return 0;
    }
    *out = (gali_extent_term){.scale = t->scale / d->scale};
    uint32_t j = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        if (j < d->count && t->atoms[i] == d->atoms[j]) {
            j++;
        } else {
            out->atoms[out->count++] = t->atoms[i];
        }
    }
    return j == d->count;
}

/* The number k with s = k d; 0: there is none. */
static int64_t how_often(const gali_extent_sum *s, const gali_extent_sum *d) {
    int64_t k = s->count == d->count && s->count ? s->terms[0].scale / d->terms[0].scale : 0;
    for (uint32_t i = 0; k && i < s->count; i++) {
        int64_t scale = d->terms[i].scale;
        int is = s->terms[i].scale % scale == 0 && s->terms[i].scale / scale == k;
        k = is && gali_extent_term_order(&s->terms[i], &d->terms[i]) == 0 ? k : 0;
    }
    return k;
}

/* What a number divides of the number in rest comes out, so that 0..d-1 is left: (n - 1) / 2 is (n + 1) / 2 - 1. */
static void take_whole_number(gali_extent_sum *rest, gali_extent_sum *whole, const gali_extent_sum *d,
                              int *bad) {
    int64_t divisor = d->terms[0].count == 0 ? d->terms[0].scale : 0;
    if (divisor <= 0 || rest->terms[0].count != 0) {
        return;
    }
    int64_t out = gali_floor_quotient(rest->terms[0].scale, divisor);
    if (out != 0) {
        gali_extent_add_term(rest, &(gali_extent_term){.scale = -out * divisor}, bad);
        gali_extent_add_term(whole, &(gali_extent_term){.scale = out}, bad);
    }
}

/* a / b where nothing comes out; (n / 2 + 1) / 2 is (n + 2) / 4. */
static gali_extent quotient_once(gali_extents *x, gali_extent a, gali_extent b) {
    gali_extent number = 0;
    if (gali_extent_is_handle(a) && x->sums[a - GALI_EXTENT_FIRST]->terms[0].count == 0) {
        number = x->sums[a - GALI_EXTENT_FIRST]->terms[0].scale;
    }
    const gali_extent_entry *inner = only_atom(x, gali_extent_sub(x, a, number), GALI_EXTENT_QUOTIENT);
    int numbers = inner && b > 0 && gali_extent_is_number(b) && inner->operand[1] > 0 &&
                  gali_extent_is_number(inner->operand[1]);
    if (numbers) {
        gali_extent over = gali_extent_mul(x, b, inner->operand[1]);
        gali_extent of = gali_extent_add(x, inner->operand[0], gali_extent_mul(x, number, inner->operand[1]));
        if (!gali_extent_sticks(over, of)) {
            return gali_extent_quotient(x, of, over);
        }
    }
    return gali_extent_operation(x, GALI_EXTENT_QUOTIENT, a, b);
}

gali_extent gali_extent_quotient(gali_extents *x, gali_extent a, gali_extent b) {
    if (gali_extent_sticks(a, b)) {
        return gali_extent_sticks(a, b);
    }
    if (b == 0) {
        return GALI_EXTENT_BAD;
    }
    if (!gali_extent_is_handle(a) && !gali_extent_is_handle(b)) {
        return gali_floor_quotient(a, b);
    }
    gali_extent_sum s, d, whole = {0}, rest = {0};
    int bad = 0;
    gali_extent_open(x, a, &s);
    gali_extent_open(x, b, &d);
    for (uint32_t i = 0; i < s.count; i++) { /* what divides comes out: (4 a + n) / 4 is a + n / 4 */
        gali_extent_term t;
        int divides = d.count == 1 && divide_term(&s.terms[i], &d.terms[0], &t);
        gali_extent_add_term(divides ? &whole : &rest, divides ? &t : &s.terms[i], &bad);
    }
    int64_t times_over = how_often(&s, &d);
    if (times_over) {
        return times_over;
    }
    if (rest.count == 0) {
        return gali_extent_keep(x, &whole);
    }
    take_whole_number(&rest, &whole, &d, &bad);
    gali_extent left = gali_extent_keep(x, &rest);
    gali_interval range = gali_extent_interval(x, left);
    if (range.least < 0 && range.most <= 0 && gali_extent_is_number(b) &&
        b > 0) { /* -(-n / 2) is (n + 1) / 2 */
        gali_extent up = gali_extent_quotient(x, gali_extent_sub(x, b - 1, left), b);
        return gali_extent_sub(x, gali_extent_keep(x, &whole), up);
    }
    gali_extent part = gali_extent_is_number(left) && gali_extent_is_number(b) ? gali_floor_quotient(left, b)
                                                                               : quotient_once(x, left, b);
    return gali_extent_add(x, gali_extent_keep(x, &whole), part);
}

/* The one that is never above the other, if ranges say so. */
static int ordered(gali_extents *x, gali_extent a, gali_extent b) {
    if (!gali_extent_is_handle(a) && !gali_extent_is_handle(b)) {
        return a <= b ? 1 : -1; /* their difference may be past 2^60 */
    }
    if (a == GALI_EXTENT_LARGEST || b == GALI_EXTENT_LARGEST) {
        return b == GALI_EXTENT_LARGEST ? 1 : -1; /* no extent is past it */
    }
    gali_interval left = gali_extent_interval(x, gali_extent_sub(x, b, a));
    return left.least >= 0 ? 1 : left.most <= 0 ? -1 : 0;
}

/* Whether b is the smaller (LEAST) or larger (MOST) of a and something: then a is the larger, or smaller, of the two. */
static int absorbs(const gali_extents *x, gali_extent a, gali_extent b, gali_extent_kind kind) {
    const gali_extent_entry *only = only_atom(x, b, kind);
    return only && (only->operand[0] == a || only->operand[1] == a);
}

enum { NESTED = 6 }; /* of max in max, that is looked through */

/* Whether a adds nothing to b, the smallest (LEAST) or largest (MOST) of some: one of them is never above, or below, it. */
static int is_covered(gali_extents *x, gali_extent a, gali_extent b, gali_extent_kind kind, int depth) {
    const gali_extent_entry *only = only_atom(x, b, kind);
    if (only && depth > 0) {
        const gali_extent *of = only->operand;
        return is_covered(x, a, of[0], kind, depth - 1) || is_covered(x, a, of[1], kind, depth - 1);
    }
    return a == b || ordered(x, a, b) == (kind == GALI_EXTENT_MOST ? 1 : -1);
}

/* The smaller or larger of two; one of them where it is known which. */
static gali_extent choose(gali_extents *x, gali_extent a, gali_extent b, gali_extent_kind kind) {
    gali_extent_kind other = kind == GALI_EXTENT_LEAST ? GALI_EXTENT_MOST : GALI_EXTENT_LEAST;
    if (gali_extent_sticks(a, b)) {
        return gali_extent_sticks(a, b);
    }
    if (absorbs(x, a, b, other) || is_covered(x, b, a, kind, NESTED)) {
        return a;
    }
    if (absorbs(x, b, a, other) || is_covered(x, a, b, kind, NESTED)) {
        return b;
    }
    return gali_extent_operation(x, kind, a < b ? a : b, a < b ? b : a);
}

gali_extent gali_extent_least(gali_extents *x, gali_extent a, gali_extent b) {
    return choose(x, a, b, GALI_EXTENT_LEAST);
}

gali_extent gali_extent_most(gali_extents *x, gali_extent a, gali_extent b) {
    return choose(x, a, b, GALI_EXTENT_MOST);
}
