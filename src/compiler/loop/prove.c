#include "compiler/loop/prove.h"

#include <string.h>

enum { FACTORS_MAX = 6, MONOMIALS_MAX = 40, STEPS_MOST = 400, DEPTH_MOST = 40 };

#define COEFFICIENT_MOST ((int64_t)1 << 50)

/* coefficient * product of variables, by ascending id. */
typedef struct monomial {
    int64_t coefficient;
    uint32_t count, variable[FACTORS_MAX];
} monomial;

typedef struct polynomial {
    uint32_t count;
    int bad; /* it became too large for what is here: nothing follows from it */
    monomial of[MONOMIALS_MAX];
} polynomial;

typedef struct prover {
    const gali_loop_known *known;
    uint32_t steps, depth;
} prover;

/* ---- polynomials ---- */

static int same_factors(const monomial *a, const monomial *b) {
    return a->count == b->count && memcmp(a->variable, b->variable, a->count * sizeof *a->variable) == 0;
}

static void add_monomial(polynomial *to, const monomial *m) {
    uint32_t i = 0;
    while (i < to->count && !same_factors(&to->of[i], m)) {
        i++;
    }
    if (i == MONOMIALS_MAX) {
        to->bad = 1;
        return;
    }
    if (i == to->count) {
        to->of[to->count++] = *m;
    } else {
        to->of[i].coefficient += m->coefficient;
    }
    to->bad |= to->of[i].coefficient > COEFFICIENT_MOST || to->of[i].coefficient < -COEFFICIENT_MOST;
    if (!to->of[i].coefficient) {
        to->of[i] = to->of[--to->count];
    }
}

static monomial multiply(const monomial *a, const monomial *b, int *bad) {
    monomial m = {.count = a->count + b->count};
    double size = (double)a->coefficient * (double)b->coefficient;
    if (m.count > FACTORS_MAX || size > (double)COEFFICIENT_MOST || size < -(double)COEFFICIENT_MOST) {
        *bad = 1;
        return (monomial){0};
    }
    m.coefficient = a->coefficient * b->coefficient;
    for (uint32_t i = 0, x = 0, y = 0; i < m.count; i++) {
        int first = y == b->count || (x < a->count && a->variable[x] <= b->variable[y]);
        m.variable[i] = first ? a->variable[x++] : b->variable[y++];
    }
    return m;
}

/* to += a * b */
static void add_product(polynomial *to, const polynomial *a, const polynomial *b) {
    to->bad |= a->bad || b->bad;
    for (uint32_t i = 0; i < a->count && !to->bad; i++) {
        for (uint32_t k = 0; k < b->count && !to->bad; k++) {
            monomial m = multiply(&a->of[i], &b->of[k], &to->bad);
            if (m.coefficient) {
                add_monomial(to, &m);
            }
        }
    }
}

static polynomial number(int64_t value) {
    polynomial p = {.count = value != 0};
    p.of[0].coefficient = value;
    return p;
}

static void add_scaled(polynomial *to, const polynomial *a, int64_t scale) {
    polynomial by = number(scale);
    add_product(to, a, &by);
}

static polynomial of_index(const gali_loop_index *index) {
    polynomial p = number(index->constant);
    for (uint32_t i = 0; i < index->count; i++) {
        monomial m = {
            .coefficient = index->term[i].scale, .count = 1, .variable = {index->term[i].variable->id}};
        add_monomial(&p, &m);
    }
    return p;
}

/* a + more */
static polynomial offset(const polynomial *a, int64_t more) {
    polynomial p = *a, n = number(more);
    add_scaled(&p, &n, 1);
    return p;
}

static uint32_t power_of(const monomial *m, uint32_t variable) {
    uint32_t power = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        power += m->variable[i] == variable;
    }
    return power;
}

/* p = rest + factor * variable; returns 0 if it is no such polynomial. */
static int take_apart(const polynomial *p, uint32_t variable, polynomial *factor, polynomial *rest) {
    *factor = *rest = number(0);
    for (uint32_t i = 0; i < p->count; i++) {
        monomial m = p->of[i];
        uint32_t power = power_of(&m, variable), kept = 0;
        if (power > 1) {
            return 0;
        }
        for (uint32_t k = 0; k < m.count; k++) {
            if (m.variable[k] != variable) {
                m.variable[kept++] = m.variable[k];
            }
        }
        m.count = kept;
        add_monomial(power ? factor : rest, &m);
    }
    return 1;
}

/* ---- bounds ---- */

static int64_t saturated(int64_t a, int64_t b) { /* of a, b >= 0 */
    return b && a > INT64_MAX / 64 / b ? INT64_MAX / 64 : a * b;
}

/* The least that the variables' intervals allow. */
static int64_t least_of(const prover *p, const polynomial *a) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const monomial *m = &a->of[i];
        int64_t size = m->coefficient < 0 ? -m->coefficient : m->coefficient;
        for (uint32_t k = 0; k < m->count; k++) {
            const gali_interval *value = &p->known->value[m->variable[k]];
            size = saturated(size, m->coefficient < 0 ? value->most : value->least);
        }
        sum += m->coefficient < 0 ? -size : size;
    }
    return sum;
}

/* 1: never negative, since no coefficient is; -1: never positive; 0: neither. */
static int sign_of(const polynomial *a) {
    int below = 0, above = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        below |= a->of[i].coefficient < 0;
        above |= a->of[i].coefficient > 0;
    }
    return below && above ? 0 : below ? -1 : 1;
}

static int prove(prover *p, const polynomial *a);

/* Whether rest + factor * value >= 0. */
static int prove_with(prover *p, const polynomial *rest, const polynomial *factor, const polynomial *value) {
    polynomial a = *rest;
    add_product(&a, factor, value);
    return prove(p, &a);
}

/*
 * Whether rest + factor * v >= 0, where v divisor >= value, or <= value if factor is never positive. Multiplied by the
 * divisor, a whole number that is not below -(divisor - 1) will do.
 */
static int prove_divided(prover *p, const polynomial *rest, const polynomial *factor, const polynomial *value,
                         const polynomial *divisor) {
    polynomial scaled = offset(divisor, -1);
    add_product(&scaled, rest, divisor);
    return prove_with(p, &scaled, factor, value);
}

/* The let of a part's first element that is the other half of a part's size; NULL if there is none. */
static const gali_loop_variable *first_of(const gali_loop_known *known, const gali_loop_statement *size) {
    for (uint32_t id = 0; id < known->variables; id++) {
        const gali_loop_statement *first = known->defined[id] ? known->by[id] : NULL;
        int same = first && first->kind == GALI_LOOP_LET && first->let == GALI_LOOP_FIRST;
        for (uint32_t i = 0; i < 3 && same; i++) {
            same = gali_loop_index_same(&first->operand[i], &size->operand[i]);
        }
        if (same) {
            return first->variable;
        }
    }
    return NULL;
}

static int prove_let(prover *p, const gali_loop_statement *let, int up, const polynomial *rest,
                     const polynomial *factor) {
    polynomial a = of_index(&let->operand[0]), b = of_index(&let->operand[1]), bound;
    const gali_loop_variable *first;
    switch (let->let) {
    case GALI_LOOP_QUOTIENT:
    case GALI_LOOP_ROUNDS:
        bound = offset(&a, 0);
        if ((let->let == GALI_LOOP_ROUNDS) == up) {
            add_scaled(&bound, &b, up ? 1 : -1);
            bound = offset(&bound, up ? -1 : 1);
        }
        return prove_divided(p, rest, factor, &bound, &b);
    case GALI_LOOP_REMAINDER:
        bound = up ? offset(&b, -1) : number(0);
        return prove_with(p, rest, factor, &bound) || (up && prove_with(p, rest, factor, &a));
    case GALI_LOOP_LEAST:
    case GALI_LOOP_MOST:
        return up == (let->let == GALI_LOOP_LEAST)
                   ? prove_with(p, rest, factor, &a) || prove_with(p, rest, factor, &b)
                   : prove_with(p, rest, factor, &a) && prove_with(p, rest, factor, &b);
    case GALI_LOOP_CLAMP:
        return prove_with(p, rest, factor, up ? &b : &a);
    case GALI_LOOP_SIZE:
        first = up ? first_of(p->known, let) : NULL;
        if (first) {
            gali_loop_index place = gali_loop_of(first);
            bound = of_index(&place);
            add_scaled(&a, &bound, -1);
            return prove_with(p, rest, factor, &a);
        }
        return 0;
    default:
        return 0;
    }
}

/* What a variable is, exactly, where that is a polynomial. */
static int is_exactly(const gali_loop_statement *by, polynomial *value) {
    if (by->kind != GALI_LOOP_LET || (by->let != GALI_LOOP_SUM && by->let != GALI_LOOP_PRODUCT)) {
        return 0;
    }
    polynomial a = of_index(&by->operand[0]),
               b = by->let == GALI_LOOP_SUM ? number(1) : of_index(&by->operand[1]);
    *value = number(0);
    add_product(value, &a, &b);
    return 1;
}

/* Whether rest + factor * variable >= 0 by what bounds the variable. */
static int prove_by(prover *p, uint32_t variable, const polynomial *rest, const polynomial *factor) {
    const gali_loop_statement *by = p->known->by[variable];
    int sign = sign_of(factor), up = sign < 0;
    polynomial bound;
    if (is_exactly(by, &bound)) {
        return prove_with(p, rest, factor, &bound);
    }
    if (!sign) {
        return 0;
    }
    if (by->kind == GALI_LOOP_FOR && up) {
        bound = of_index(&by->extent);
        bound = offset(&bound, -1);
        if (prove_with(p, rest, factor, &bound)) {
            return 1;
        }
    } else if (by->kind == GALI_LOOP_LET && prove_let(p, by, up, rest, factor)) {
        return 1;
    }
    bound = number(up ? p->known->value[variable].most : p->known->value[variable].least);
    return prove_with(p, rest, factor, &bound);
}

/* The variable that was defined last, symbols apart; GALI_LOOP_VARIABLES_MAX if only symbols are left. */
static uint32_t last_variable(const prover *p, const polynomial *a) {
    uint32_t last = GALI_LOOP_VARIABLES_MAX;
    for (uint32_t i = 0; i < a->count; i++) {
        for (uint32_t k = 0; k < a->of[i].count; k++) {
            uint32_t v = a->of[i].variable[k];
            int later = last == GALI_LOOP_VARIABLES_MAX || p->known->order[v] > p->known->order[last];
            last = p->known->by[v] && later ? v : last;
        }
    }
    return last;
}

static int prove(prover *p, const polynomial *a) {
    polynomial factor, rest;
    if (a->bad || ++p->steps > STEPS_MOST || p->depth == DEPTH_MOST) {
        return 0;
    }
    if (least_of(p, a) >= 0) {
        return 1;
    }
    uint32_t last = last_variable(p, a);
    p->depth++;
    int found = last < GALI_LOOP_VARIABLES_MAX && take_apart(a, last, &factor, &rest) &&
                prove_by(p, last, &rest, &factor);
    p->depth--;
    return found;
}

int gali_loop_prove(const gali_loop_known *known, const gali_loop_index *index) {
    prover p = {.known = known};
    polynomial whole = of_index(index);
    int found = prove(&p, &whole);
    for (uint32_t i = 0; i < known->facts && !found; i++) {
        polynomial less = whole, fact = of_index(&known->fact[i]);
        add_scaled(&less, &fact, -1);
        p.steps = 0;
        found = prove(&p, &less);
    }
    return found;
}
