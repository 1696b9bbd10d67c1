#include "compiler/program/index.h"

enum { TERMS_MOST = 12, DEPTH_MOST = 24 };

typedef struct term {
    gali_extent scale;
    const gali_scalar *atom;
} term;

typedef struct linear {
    gali_extent number;
    uint32_t count;
    term list[TERMS_MOST];
    int failed; /* too many terms, or numbers too large */
} linear;

typedef struct indexing {
    gali_scalars *scalars; /* NULL: nothing is made */
    gali_extents *x;
    const gali_scalar_axes *axes;
} indexing;

static int is_good(gali_extent a) {
    return a != GALI_EXTENT_UNKNOWN && a != GALI_EXTENT_BAD;
}

static int64_t least_of(const indexing *n, gali_extent a) {
    int64_t least, most;
    gali_extent_range(n->x, a, &least, &most);
    return least;
}

/* Sizes are at least 1 when a program runs (range.c). */
static int is_divisor(const indexing *n, gali_extent a) {
    return is_good(a) && a != 0 && least_of(n, a) >= 0;
}

/* ---- sums ---- */

static void add_number(const indexing *n, linear *to, gali_extent number) {
    to->number = gali_extent_add(n->x, to->number, number);
    to->failed |= !is_good(to->number);
}

static void add_term(const indexing *n, linear *to, gali_extent scale, const gali_scalar *atom) {
    uint32_t i = 0;
    while (i < to->count && to->list[i].atom != atom) {
        i++;
    }
    if (i == TERMS_MOST || !is_good(scale)) {
        to->failed = 1;
        return;
    }
    if (i == to->count) {
        to->list[to->count++] = (term){0, atom};
    }
    to->list[i].scale = gali_extent_add(n->x, to->list[i].scale, scale);
    to->failed |= !is_good(to->list[i].scale);
    if (to->list[i].scale == 0) {
        to->list[i] = to->list[--to->count];
    }
}

static void add_linear(const indexing *n, linear *to, const linear *a, gali_extent scale) {
    to->failed |= a->failed || !is_good(scale);
    if (!to->failed) {
        add_number(n, to, gali_extent_mul(n->x, a->number, scale));
    }
    for (uint32_t i = 0; !to->failed && i < a->count; i++) {
        add_term(n, to, gali_extent_mul(n->x, a->list[i].scale, scale), a->list[i].atom);
    }
}

static linear linear_of(const indexing *n, const gali_scalar *a, int depth) {
    linear sum = {.failed = depth > DEPTH_MOST || a->element != GALI_i64};
    if (sum.failed) {
        return sum;
    }
    if (a->op == GALI_SCALAR_number) {
        sum.number = a->whole;
        sum.failed = !gali_extent_is_number(a->whole);
        return sum;
    }
    if (a->op == GALI_SCALAR_extent) {
        sum.number = a->extent;
        sum.failed = !is_good(a->extent);
        return sum;
    }
    if (a->op == GALI_SCALAR_add || a->op == GALI_SCALAR_sub) {
        linear left = linear_of(n, a->operand[0], depth + 1), right = linear_of(n, a->operand[1], depth + 1);
        add_linear(n, &sum, &left, 1);
        add_linear(n, &sum, &right, a->op == GALI_SCALAR_add ? 1 : -1);
        return sum;
    }
    if (a->op == GALI_SCALAR_mul) {
        linear left = linear_of(n, a->operand[0], depth + 1), right = linear_of(n, a->operand[1], depth + 1);
        if (left.failed || right.failed || left.count == 0 || right.count == 0) {
            int by_left = left.count == 0;
            sum.failed = left.failed || right.failed;
            add_linear(n, &sum, by_left ? &right : &left, by_left ? left.number : right.number);
            return sum;
        }
    }
    add_term(n, &sum, 1, a);
    return sum;
}

/* ---- bounds ---- */

/* The largest value of an atom that is never negative; GALI_EXTENT_UNKNOWN of others. */
static gali_extent atom_most(const indexing *n, const gali_scalar *a, int depth);

/* 0 <= sum <= *most for all axes, as far as anyone can tell. */
static int is_bounded(const indexing *n, const linear *sum, gali_extent *most, int depth) {
    *most = sum->number;
    int good = !sum->failed && depth < DEPTH_MOST && least_of(n, sum->number) >= 0;
    for (uint32_t i = 0; good && i < sum->count; i++) {
        gali_extent own = atom_most(n, sum->list[i].atom, depth + 1);
        good = is_good(own) && least_of(n, sum->list[i].scale) >= 0;
        *most = good ? gali_extent_add(n->x, *most, gali_extent_mul(n->x, sum->list[i].scale, own)) : *most;
        good &= is_good(*most);
    }
    return good;
}

static gali_extent atom_most(const indexing *n, const gali_scalar *a, int depth) {
    if (a->op == GALI_SCALAR_axis && a->source < n->axes->count) {
        return gali_extent_sub(n->x, n->axes->extent[a->source], 1);
    }
    if ((a->op != GALI_SCALAR_mod && a->op != GALI_SCALAR_quotient) || depth > DEPTH_MOST) {
        return GALI_EXTENT_UNKNOWN;
    }
    linear whole = linear_of(n, a->operand[0], 0), by = linear_of(n, a->operand[1], 0);
    gali_extent most;
    if (by.failed || by.count || !is_divisor(n, by.number) || !is_bounded(n, &whole, &most, depth + 1)) {
        return GALI_EXTENT_UNKNOWN;
    }
    return a->op == GALI_SCALAR_mod ? gali_extent_sub(n->x, by.number, 1)
                                    : gali_extent_quotient(n->x, most, by.number);
}

/* ---- making ---- */

static const gali_scalar *number_scalar(const indexing *n, gali_extent number) {
    int is = gali_extent_is_number(number);
    return gali_scalars_keep(n->scalars, &(gali_scalar){.op = is ? GALI_SCALAR_number : GALI_SCALAR_extent,
                                                        .element = GALI_i64,
                                                        .whole = is ? number : 0,
                                                        .extent = is ? 0 : number});
}

static const gali_scalar *pair(const indexing *n, gali_scalar_op op, const gali_scalar *a,
                               const gali_scalar *b) {
    return a && b
               ? gali_scalars_keep(n->scalars, &(gali_scalar){.op = op, .element = GALI_i64, .operand = {a, b}})
               : NULL;
}

/* Terms in the order in which axes come, then others as they were found: one form of one sum. */
static void sort_terms(linear *sum) {
    for (uint32_t i = 1; i < sum->count; i++) {
        term t = sum->list[i];
        uint32_t k = i;
        int axis = t.atom->op == GALI_SCALAR_axis;
        while (
            k > 0 && axis &&
            (sum->list[k - 1].atom->op != GALI_SCALAR_axis || sum->list[k - 1].atom->source > t.atom->source)) {
            sum->list[k] = sum->list[k - 1];
            k--;
        }
        sum->list[k] = t;
    }
}

static const gali_scalar *scalar_of(const indexing *n, linear *sum) {
    const gali_scalar *all = NULL;
    sort_terms(sum);
    for (uint32_t i = 0; i < sum->count; i++) {
        const term *t = &sum->list[i];
        const gali_scalar *one =
            t->scale == 1 ? t->atom : pair(n, GALI_SCALAR_mul, t->atom, number_scalar(n, t->scale));
        all = all ? pair(n, GALI_SCALAR_add, all, one) : one;
        if (!all) {
            return NULL;
        }
    }
    return !all               ? number_scalar(n, sum->number)
           : sum->number == 0 ? all
                              : pair(n, GALI_SCALAR_add, all, number_scalar(n, sum->number));
}

/* c quotient(a, c) + mod(a, c) is a. */
static void join_quotients(const indexing *n, linear *sum) {
    for (uint32_t i = 0; !sum->failed && i < sum->count; i++) {
        const gali_scalar *rest = sum->list[i].atom;
        gali_extent scale = sum->list[i].scale;
        if (rest->op != GALI_SCALAR_mod) {
            continue;
        }
        linear by = linear_of(n, rest->operand[1], 0);
        const gali_scalar *quotient = pair(n, GALI_SCALAR_quotient, rest->operand[0], rest->operand[1]);
        for (uint32_t k = 0; !by.failed && k < sum->count; k++) {
            if (sum->list[k].atom == quotient &&
                sum->list[k].scale == gali_extent_mul(n->x, scale, by.number)) {
                linear whole = linear_of(n, rest->operand[0], 0);
                add_term(n, sum, gali_extent_sub(n->x, 0, sum->list[k].scale), quotient);
                add_term(n, sum, gali_extent_sub(n->x, 0, scale), rest);
                add_linear(n, sum, &whole, scale);
                i = 0;
                break;
            }
        }
    }
}

/* ---- quotients and remainders ---- */

/* a = by whole + rest, term by term. */
static void split(const indexing *n, const linear *a, gali_extent by, linear *whole, linear *rest) {
    *whole = *rest = (linear){.number = 0};
    gali_extent quotient = gali_extent_quotient(n->x, a->number, by);
    gali_extent left = gali_extent_sub(n->x, a->number, gali_extent_mul(n->x, quotient, by));
    int numbers = gali_extent_is_number(a->number) && gali_extent_is_number(by);
    if (is_good(left) && (left == 0 || numbers)) {
        add_number(n, whole, quotient);
        add_number(n, rest, left);
    } else {
        add_number(n, rest, a->number);
    }
    for (uint32_t i = 0; i < a->count; i++) {
        gali_extent scale = gali_extent_quotient(n->x, a->list[i].scale, by);
        int even = is_good(scale) && gali_extent_mul(n->x, scale, by) == a->list[i].scale;
        add_term(n, even ? whole : rest, even ? scale : a->list[i].scale, a->list[i].atom);
    }
}

/* Whether 0 <= sum < below for all axes. */
static int is_below(const indexing *n, const linear *sum, gali_extent below) {
    gali_extent most;
    return is_bounded(n, sum, &most, 0) && least_of(n, gali_extent_sub(n->x, below, most)) >= 1;
}

/* quotient(rest, by) and its remainder where rest = s u + v, 0 <= v < s and s divides by: quotient(u, by / s). */
static int narrow(const indexing *n, const linear *rest, gali_extent by, linear *u, linear *v, gali_extent *s) {
    for (uint32_t i = 0; i < rest->count; i++) {
        gali_extent scale = rest->list[i].scale, smaller;
        if (scale == 1 || !is_divisor(n, scale)) {
            continue;
        }
        smaller = gali_extent_quotient(n->x, by, scale);
        if (!is_good(smaller) || gali_extent_mul(n->x, smaller, scale) != by) {
            continue;
        }
        split(n, rest, scale, u, v);
        if (!u->failed && !v->failed && is_below(n, v, scale)) {
            *s = scale;
            return 1;
        }
    }
    return 0;
}

static void divide(const indexing *n, const linear *a, gali_extent by, int remainder, linear *out) {
    linear whole, rest, u, v;
    gali_extent s;
    split(n, a, by, &whole, &rest);
    *out = remainder ? (linear){.number = 0} : whole;
    if (whole.failed || rest.failed) {
        out->failed = 1;
    } else if (is_below(n, &rest, by)) {
        add_linear(n, out, &rest, remainder ? 1 : 0);
    } else if (narrow(n, &rest, by, &u, &v, &s) && s != 1) {
        linear inner;
        divide(n, &u, gali_extent_quotient(n->x, by, s), remainder, &inner);
        add_linear(n, out, &inner, remainder ? s : 1);
        add_linear(n, out, &v, remainder ? 1 : 0);
    } else {
        const gali_scalar *of = scalar_of(n, &rest), *divisor = number_scalar(n, by);
        int nested = !remainder && of && of->op == GALI_SCALAR_quotient;
        linear before = nested ? linear_of(n, of->operand[1], 0) : (linear){.failed = 1};
        gali_extent both =
            before.failed || before.count ? GALI_EXTENT_UNKNOWN : gali_extent_mul(n->x, before.number, by);
        if (is_good(both)) {
            of = of->operand[0];
            divisor = number_scalar(n, both);
        }
        const gali_scalar *atom = pair(n, remainder ? GALI_SCALAR_mod : GALI_SCALAR_quotient, of, divisor);
        out->failed |= !atom;
        if (atom) {
            add_term(n, out, 1, atom);
        }
    }
}

const gali_scalar *gali_index_simple(gali_scalars *scalars, gali_extents *extents, const gali_scalar_axes *axes,
                                     const gali_scalar *a) {
    const indexing n = {scalars, extents, axes};
    gali_extent most;
    if (a->op == GALI_SCALAR_add || a->op == GALI_SCALAR_sub || a->op == GALI_SCALAR_mul) {
        linear sum = linear_of(&n, a, 0);
        if (!sum.failed && sum.count == 1 && sum.list[0].atom == a) {
            return NULL;
        }
        join_quotients(&n, &sum);
        return sum.failed ? NULL : scalar_of(&n, &sum);
    }
    if (a->op != GALI_SCALAR_quotient && a->op != GALI_SCALAR_mod) {
        return NULL;
    }
    linear whole = linear_of(&n, a->operand[0], 0), by = linear_of(&n, a->operand[1], 0), made;
    if (by.failed || by.count || !is_divisor(&n, by.number) || !is_bounded(&n, &whole, &most, 0)) {
        return NULL;
    }
    divide(&n, &whole, by.number, a->op == GALI_SCALAR_mod, &made);
    return made.failed ? NULL : scalar_of(&n, &made);
}

int gali_index_compare(gali_extents *extents, const gali_scalar_axes *axes, gali_scalar_op op,
                       const gali_scalar *a, const gali_scalar *b) {
    const indexing n = {NULL, extents, axes};
    if (!a || !b || a->element != GALI_i64) {
        return -1;
    }
    /* b - a, and a - b, at their least */
    for (int way = 0; way < 2; way++) {
        linear left = linear_of(&n, way ? b : a, 0), right = linear_of(&n, way ? a : b, 0), gap = {.number = 0};
        add_linear(&n, &gap, &right, 1);
        add_linear(&n, &gap, &left, -1);
        gali_extent least = gap.number;
        for (uint32_t i = 0; !gap.failed && i < gap.count; i++) {
            gali_extent most = atom_most(&n, gap.list[i].atom, 0);
            int down = least_of(&n, gali_extent_sub(extents, 0, gap.list[i].scale)) >= 0;
            gap.failed |= !is_good(most) || (!down && least_of(&n, gap.list[i].scale) < 0);
            least = !gap.failed && down
                        ? gali_extent_add(extents, least, gali_extent_mul(extents, gap.list[i].scale, most))
                        : least;
        }
        if (gap.failed || !is_good(least)) {
            return -1;
        }
        int64_t at_least = least_of(&n, least);
        if (op == GALI_SCALAR_equal) {
            if (gap.count == 0 && gap.number == 0) {
                return 1;
            }
            if (at_least > 0) {
                return 0;
            }
        } else if (way == 0 && at_least >= (op == GALI_SCALAR_less)) {
            return 1; /* a < b, or a <= b */
        } else if (way == 1 && at_least >= (op == GALI_SCALAR_less_equal)) {
            return 0; /* b <= a, or b < a */
        }
    }
    return -1;
}
