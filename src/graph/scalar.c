#include "graph/scalar.h"

#include <math.h>
#include <string.h>

#include "graph/evaluate.h"

int gali_scalar_has(gali_scalar_op op, gali_element element) {
    static const char letters[] = {
        [GALI_REAL] = 'R', [GALI_SIGNED] = 'I', [GALI_UNSIGNED] = 'I', [GALI_TRUTH] = 'T'};
    return strchr(gali_scalar_list[op].kinds, letters[gali_element_list[element].kind]) != NULL;
}

gali_number gali_element_largest(gali_element element) {
    uint32_t bits = 8 * gali_element_list[element].bytes;
    switch (gali_element_list[element].kind) {
    case GALI_REAL:
        return (gali_number){.real = (double)INFINITY};
    case GALI_SIGNED:
        return (gali_number){.whole = (int64_t)(((uint64_t)1 << (bits - 1)) - 1)};
    case GALI_UNSIGNED:
        return (gali_number){.whole = bits == 64 ? -1 : (int64_t)(((uint64_t)1 << bits) - 1)};
    default:
        return (gali_number){.whole = 1};
    }
}

gali_number gali_element_smallest(gali_element element) {
    switch (gali_element_list[element].kind) {
    case GALI_REAL:
        return (gali_number){.real = -(double)INFINITY};
    case GALI_SIGNED:
        return (gali_number){.whole = -gali_element_largest(element).whole - 1};
    default:
        return (gali_number){.whole = 0};
    }
}

/* ---- reals ---- */

static double sign_of(double a) {
    return isnan(a) ? a : (double)((a > 0) - (a < 0));
}

/* The sign of b. */
static double mod_of(double a, double b) {
    double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static double real_one(gali_scalar_op op, double a) {
    switch (op) {
    case GALI_SCALAR_neg:
        return -a;
    case GALI_SCALAR_abs:
        return fabs(a);
    case GALI_SCALAR_sign:
        return sign_of(a);
    case GALI_SCALAR_floor:
        return floor(a);
    case GALI_SCALAR_ceil:
        return ceil(a);
    case GALI_SCALAR_round:
        return nearbyint(a);
    case GALI_SCALAR_cut:
        return trunc(a);
    case GALI_SCALAR_sqrt:
        return sqrt(a);
    case GALI_SCALAR_exp:
        return exp(a);
    case GALI_SCALAR_log:
        return log(a);
    case GALI_SCALAR_erf:
        return erf(a);
    case GALI_SCALAR_sin:
        return sin(a);
    case GALI_SCALAR_cos:
        return cos(a);
    case GALI_SCALAR_tan:
        return tan(a);
    case GALI_SCALAR_asin:
        return asin(a);
    case GALI_SCALAR_acos:
        return acos(a);
    case GALI_SCALAR_atan:
        return atan(a);
    case GALI_SCALAR_sinh:
        return sinh(a);
    case GALI_SCALAR_cosh:
        return cosh(a);
    case GALI_SCALAR_tanh:
        return tanh(a);
    case GALI_SCALAR_asinh:
        return asinh(a);
    case GALI_SCALAR_acosh:
        return acosh(a);
    case GALI_SCALAR_atanh:
        return atanh(a);
    default:
        return (double)NAN;
    }
}

static double real_two(gali_scalar_op op, double a, double b) {
    switch (op) {
    case GALI_SCALAR_add:
        return a + b;
    case GALI_SCALAR_sub:
        return a - b;
    case GALI_SCALAR_mul:
        return a * b;
    case GALI_SCALAR_div:
        return a / b;
    case GALI_SCALAR_mod:
        return mod_of(a, b);
    case GALI_SCALAR_rem:
        return fmod(a, b);
    case GALI_SCALAR_pow:
        return pow(a, b);
    case GALI_SCALAR_least:
        return isnan(a) || isnan(b) ? a + b : a < b ? a : b;
    case GALI_SCALAR_most:
        return isnan(a) || isnan(b) ? a + b : a > b ? a : b;
    default:
        return (double)NAN;
    }
}

/* ---- integers ---- */

/* Below b of signed numbers, or of bits that are u64. */
static int less_of(gali_element element, int64_t a, int64_t b) {
    return element == GALI_u64 ? (uint64_t)a < (uint64_t)b : a < b;
}

static int64_t div_of(gali_element element, int64_t a, int64_t b) {
    if (b == 0) {
        return 0;
    }
    if (element == GALI_u64) {
        return (int64_t)((uint64_t)a / (uint64_t)b);
    }
    return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static int64_t rem_of(gali_element element, int64_t a, int64_t b) {
    return b == 0 ? 0 : (int64_t)((uint64_t)a - (uint64_t)b * (uint64_t)div_of(element, a, b));
}

/* Rounded down. */
static int64_t quotient_of(gali_element element, int64_t a, int64_t b) {
    int64_t cut = div_of(element, a, b), rest = rem_of(element, a, b);
    return cut - (element != GALI_u64 && rest != 0 && (rest < 0) != (b < 0));
}

static int64_t whole_mod(gali_element element, int64_t a, int64_t b) {
    int64_t rest = rem_of(element, a, b);
    return element != GALI_u64 && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* 0 for a negative exponent, but of 1 and -1. */
static int64_t whole_pow(int64_t a, int64_t b) {
    if (b < 0) {
        return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
    }
    uint64_t power = 1, base = (uint64_t)a;
    for (; b; b >>= 1, base *= base) {
        power *= b & 1 ? base : 1;
    }
    return (int64_t)power;
}

static int64_t shift_of(gali_scalar_op op, gali_element element, int64_t a, int64_t b) {
    uint64_t by = (uint64_t)b, bits = 8 * gali_element_list[element].bytes;
    if (op == GALI_SCALAR_shift_left) {
        return by >= bits ? 0 : (int64_t)((uint64_t)a << by);
    }
    if (by >= bits) {
        return element != GALI_u64 && a < 0 ? -1 : 0;
    }
    return element == GALI_u64 || a >= 0 ? (int64_t)((uint64_t)a >> by) : ~(~a >> by);
}

static int64_t whole_two(gali_scalar_op op, gali_element element, int64_t a, int64_t b) {
    switch (op) {
    case GALI_SCALAR_add:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case GALI_SCALAR_sub:
        return (int64_t)((uint64_t)a - (uint64_t)b);
    case GALI_SCALAR_mul:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case GALI_SCALAR_div:
        return div_of(element, a, b);
    case GALI_SCALAR_quotient:
        return quotient_of(element, a, b);
    case GALI_SCALAR_mod:
        return whole_mod(element, a, b);
    case GALI_SCALAR_rem:
        return rem_of(element, a, b);
    case GALI_SCALAR_pow:
        return whole_pow(a, b);
    case GALI_SCALAR_least:
        return less_of(element, b, a) ? b : a;
    case GALI_SCALAR_most:
        return less_of(element, a, b) ? b : a;
    case GALI_SCALAR_and:
    case GALI_SCALAR_bit_and:
        return a & b;
    case GALI_SCALAR_or:
    case GALI_SCALAR_bit_or:
        return a | b;
    case GALI_SCALAR_xor:
    case GALI_SCALAR_bit_xor:
        return a ^ b;
    default:
        return shift_of(op, element, a, b);
    }
}

static int64_t whole_one(gali_scalar_op op, gali_element element, int64_t a) {
    int negative = element != GALI_u64 && a < 0;
    switch (op) {
    case GALI_SCALAR_neg:
        return (int64_t)(0 - (uint64_t)a);
    case GALI_SCALAR_abs:
        return negative ? (int64_t)(0 - (uint64_t)a) : a;
    case GALI_SCALAR_sign:
        return negative ? -1 : a != 0;
    case GALI_SCALAR_not:
        return !a;
    default:
        return ~a; /* bit_not */
    }
}

/* ---- of either kind ---- */

static int compare(gali_scalar_op op, gali_element element, const gali_number *v, int64_t *truth) {
    int real = gali_element_list[element].kind == GALI_REAL;
    switch (op) {
    case GALI_SCALAR_equal:
        *truth = real ? v[0].real == v[1].real : v[0].whole == v[1].whole;
        return 1;
    case GALI_SCALAR_less:
        *truth = real ? v[0].real < v[1].real : less_of(element, v[0].whole, v[1].whole);
        return 1;
    case GALI_SCALAR_less_equal:
        *truth = real ? v[0].real <= v[1].real : !less_of(element, v[1].whole, v[0].whole);
        return 1;
    case GALI_SCALAR_is_nan:
        *truth = isnan(v[0].real);
        return 1;
    default:
        return 0;
    }
}

gali_number gali_scalar_compute(gali_scalar_op op, gali_element element, const gali_number v[3]) {
    gali_number y = {0};
    uint32_t arity = gali_scalar_list[op].arity;
    if (op == GALI_SCALAR_select) {
        return v[0].whole ? v[1] : v[2];
    }
    if (compare(op, element, v, &y.whole)) {
        return y;
    }
    if (gali_element_list[element].kind == GALI_REAL) {
        y.real = op == GALI_SCALAR_fma ? fma(v[0].real, v[1].real, v[2].real)
                 : arity == 2          ? real_two(op, v[0].real, v[1].real)
                                       : real_one(op, v[0].real);
    } else {
        int64_t whole =
            arity == 2 ? whole_two(op, element, v[0].whole, v[1].whole) : whole_one(op, element, v[0].whole);
        y.whole = gali_element_wrap(element, whole);
    }
    return y;
}

static int64_t cut(double a) {
    if (a >= 0x1p63 && a < 0x1p64) {
        return (int64_t)(uint64_t)a;
    }
    return a >= -0x1p63 && a < 0x1p63 ? (int64_t)a : 0;
}

gali_number gali_number_cast(gali_element from, gali_element to, gali_number a) {
    int from_real = gali_element_list[from].kind == GALI_REAL,
        to_real = gali_element_list[to].kind == GALI_REAL;
    if (to_real) {
        double real = from_real ? a.real : from == GALI_u64 ? (double)(uint64_t)a.whole : (double)a.whole;
        return (gali_number){.real = gali_element_round(to, real)};
    }
    if (gali_element_list[to].kind == GALI_TRUTH) {
        return (gali_number){.whole = from_real ? a.real != 0 : a.whole != 0};
    }
    return (gali_number){.whole = gali_element_wrap(to, from_real ? cut(a.real) : a.whole)};
}
