/*
 * Elementary functions against MPFR over float32 of all exponents and signs, huge ones, denormals, zeros and what is not
 * finite, and against the tables of C's annex F. Of one argument every 60013th number is tried, or every
 * GALLOP_FLOATS_STRIDE-th (1: all, in an hour); the C library's doubles screen what MPFR is asked about.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <mpfr.h>

#include "kernels/elementary.h"
#include "synthetic.h"

typedef struct function {
    const char *name;
    double bound; /* units in the last place of the truth; 1 under 2^-100 */
    float (*one)(float x);
    int (*one_truth)(mpfr_t result, const mpfr_t x, mpfr_rnd_t round);
    double (*one_screen)(double x);
    float (*two)(float a, float b);
    int (*two_truth)(mpfr_t result, const mpfr_t a, const mpfr_t b, mpfr_rnd_t round);
} function;

static const function sine = {"sin", 0.7, gali_sin, mpfr_sin, sin, NULL, NULL};
static const function cosine = {"cos", 0.7, gali_cos, mpfr_cos, cos, NULL, NULL};
static const function arc_cosine = {"acos", 0.6, gali_acos, mpfr_acos, acos, NULL, NULL};
static const function exponential = {"exp", 0.6, gali_exp, mpfr_exp, exp, NULL, NULL};
static const function angle = {"atan2", 0.6, NULL, NULL, NULL, gali_atan2, mpfr_atan2};
static const function power = {"pow", 0.6, NULL, NULL, NULL, gali_pow, mpfr_pow};

static float float_of(uint32_t bits) {
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static uint32_t bits_of(float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static int same(float a, float b) {
    return bits_of(a) == bits_of(b) || (isnan(a) && isnan(b));
}

/* An infinity is the number after the largest. */
static double error_of(float got, double truth) {
    int exponent;
    if (isnan(truth) || isnan(got)) {
        return isnan(truth) && isnan(got) ? 0 : INFINITY;
    }
    double ends = ldexp(1, 128), number = isinf(got) ? copysign(ends, (double)got) : (double)got;
    truth = fmin(fmax(truth, -ends), ends);
    frexp(truth, &exponent);
    exponent = truth == 0 || exponent < -125 ? -125 : exponent > 128 ? 128 : exponent;
    return fabs(number - truth) / ldexp(1, exponent - FLT_MANT_DIG);
}

/* The truth in two arguments or one, to 2^-64 of it. */
static double truth_of(const function *f, float a, float b) {
    MPFR_DECL_INIT(first, 24);
    MPFR_DECL_INIT(second, 24);
    MPFR_DECL_INIT(result, 64);
    mpfr_set_flt(first, a, MPFR_RNDN);
    mpfr_set_flt(second, b, MPFR_RNDN);
    if (f->one) {
        f->one_truth(result, first, MPFR_RNDN);
    } else {
        f->two_truth(result, first, second, MPFR_RNDN);
    }
    return mpfr_get_d(result, MPFR_RNDN);
}

typedef struct worst {
    double error;
    float a, b;
} worst;

static void check(const function *f, float a, float b, worst *so_far) {
    float got = f->one ? f->one(a) : f->two(a, b);
    double screened = f->one ? error_of(got, f->one_screen((double)a)) : INFINITY;
    if (screened < 0.5 && bits_of(a) % 64) {
        return;
    }
    double truth = truth_of(f, a, b), error = error_of(got, truth),
           bound = fabs(truth) < 0x1p-100 ? 1 : f->bound;
    if (error > so_far->error && fabs(truth) >= 0x1p-100) {
        *so_far = (worst){error, a, b};
    }
    if (!(error <= bound)) {
        fail_msg("%s(%a, %a): %a, expected %a, %g units off", f->name, (double)a, (double)b, (double)got, truth,
                 error);
    }
}

static void tell(const function *f, const worst *w) {
    print_message("%s: %.3f units at (%a, %a)\n", f->name, w->error, (double)w->a, (double)w->b);
}

static void check_one(const function *f) {
    const char *given = getenv("GALLOP_FLOATS_STRIDE");
    uint64_t stride = given && strtoull(given, NULL, 10) ? strtoull(given, NULL, 10) : 60013;
    worst so_far = {0, 0, 0};
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += stride) {
        check(f, float_of((uint32_t)bits), 0, &so_far);
    }
    tell(f, &so_far);
}

static void sines_and_cosines_of_all_sizes(void **unused) {
    (void)unused;
    worst so_far = {0, 0, 0};
    check_one(&sine);
    check_one(&cosine);
    for (uint32_t k = 1; k < 40000; k++) { /* nearest to the zeros */
        float near = (float)(k * 1.57079632679489661923);
        check(&sine, near, 0, &so_far);
        check(&cosine, near, 0, &so_far);
        check(&sine, nextafterf(near, 0), 0, &so_far);
        check(&cosine, nextafterf(near, 0), 0, &so_far);
    }
    for (float big = FLT_MAX; big > 60000; big *= 0.983f) {
        check(&sine, big, 0, &so_far);
        check(&cosine, -big, 0, &so_far);
    }
}

static void arc_cosines_and_exponentials(void **unused) {
    (void)unused;
    worst so_far = {0, 0, 0};
    check_one(&arc_cosine);
    check_one(&exponential);
    uint64_t state = 5;
    for (uint32_t i = 0; i < 50000; i++) {
        check(&arc_cosine, synthetic_uniform(&state), 0, &so_far);
        check(&exponential, 104 * synthetic_uniform(&state), 0, &so_far);
    }
}

/* Both arguments of any bits, or near to each other in size, or of sizes that a character's have. */
static void angles(void **unused) {
    (void)unused;
    worst so_far = {0, 0, 0};
    uint64_t state = 6;
    for (uint32_t i = 0; i < 100000; i++) {
        uint64_t random = synthetic_bits(&state);
        float y = float_of((uint32_t)random), x = float_of((uint32_t)(random >> 32));
        if (i % 3 == 1) {
            x = float_of((bits_of(y) + (uint32_t)(random >> 32) % 0x4000000) ^ (uint32_t)(random >> 63) << 31);
        } else if (i % 3 == 2) {
            y = synthetic_uniform(&state);
            x = 2 * synthetic_uniform(&state);
        }
        check(&angle, y, x, &so_far);
    }
    tell(&angle, &so_far);
}

/* Of exponents that a result can have, and of a controller's. */
static void powers(void **unused) {
    (void)unused;
    worst so_far = {0, 0, 0};
    uint64_t state = 7;
    for (uint32_t i = 0; i < 100000; i++) {
        uint64_t random = synthetic_bits(&state);
        float x = fabsf(float_of((uint32_t)random)), y = float_of((uint32_t)(random >> 32));
        if (i % 3 == 1) {
            y = (float)(151 * (double)synthetic_uniform(&state) / log2((double)x));
        } else if (i % 3 == 2) {
            x = fabsf(synthetic_uniform(&state));
            y = 4 * synthetic_uniform(&state);
        }
        check(&power, x, y, &so_far);
    }
    tell(&power, &so_far);
}

static void special_numbers(void **unused) {
    (void)unused;
    static const float special[] = {0.0f, -0.0f, 1e-45f, -1e-45f, 0.5f, 1.0f,     -1.0f,    2.0f,
                                    3.0f, -3.0f, 1e38f,  -1e38f,  NAN,  INFINITY, -INFINITY};
    enum { SPECIALS = sizeof special / sizeof special[0] };
    for (uint32_t i = 0; i < SPECIALS; i++) {
        const float x = special[i];
        assert_true(!(fabsf(x) < 1e-40f || !isfinite(x)) || same(gali_sin(x), isfinite(x) ? x : NAN));
        assert_true(same(gali_sin(-x), -gali_sin(x)) && same(gali_cos(-x), gali_cos(x)));
        assert_true(fabsf(x) <= 1 || isnan(gali_acos(x)));
        for (uint32_t j = 0; j < SPECIALS; j++) {
            const float y = special[j], base = fabsf(x);
            worst so_far = {0, 0, 0};
            check(&angle, y, x, &so_far);
            check(&power, base, y, &so_far);
            assert_true(isnan(y) || isnan(x) || signbit(gali_atan2(y, x)) == signbit(y));
            assert_true(x >= 0 || y == 0 || isnan(gali_pow(x, y)) || x == 0);
        }
    }
    assert_true(same(gali_acos(1), 0) && same(gali_exp(0), 1) && same(gali_exp(-INFINITY), 0));
    assert_true(same(gali_exp(INFINITY), INFINITY) && isnan(gali_exp(NAN)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sines_and_cosines_of_all_sizes),
        cmocka_unit_test(arc_cosines_and_exponentials),
        cmocka_unit_test(angles),
        cmocka_unit_test(powers),
        cmocka_unit_test(special_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
