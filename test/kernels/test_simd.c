/*
 * The simd vocabularies: each word of every instruction set that this machine has against plain C's bit for bit, and plain
 * C's against the C library, over numbers of all exponents and signs, halves, zeros, denormals, NaN and infinities.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "simd_words.h"
#include "synthetic.h"

static const char *const texts[SIMD_WORDS] = {
#define FLOAT(expression) #expression,
#define INT(expression) #expression,
#define MASK(expression) #expression,
#include "simd_words.def"
#undef FLOAT
#undef INT
#undef MASK
};

static const int is_float[SIMD_WORDS] = {
#define FLOAT(expression) 1,
#define INT(expression) 0,
#define MASK(expression) 0,
#include "simd_words.def"
#undef FLOAT
#undef INT
#undef MASK
};

static float float_of(int32_t bits) {
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static int32_t bits_of(float number) {
    int32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

simd_words simd_words_of(gal_isa isa) {
    switch (isa) {
    case GAL_ISA_SCALAR:
        return simd_words_scalar;
#ifdef HAVE_AVX2
    case GAL_ISA_AVX2:
        return simd_words_avx2;
#endif
#ifdef HAVE_AVX512
    case GAL_ISA_AVX512:
        return simd_words_avx512;
#endif
#ifdef HAVE_NEON
    case GAL_ISA_NEON:
        return simd_words_neon;
#endif
    default:
        return (simd_words){0, NULL, NULL, NULL, NULL};
    }
}

typedef struct operands {
    float a[SIMD_LANES_MOST], b[SIMD_LANES_MOST], c[SIMD_LANES_MOST];
    int32_t i[SIMD_LANES_MOST], j[SIMD_LANES_MOST];
} operands;

/* A special number, any bits at all, or a number of moderate size with or without halves. */
static float draw(uint64_t *state) {
    static const float special[] = {0.0f,         -0.0f,         0.5f,          -0.5f,          1.5f,
                                    2.5f,         -2.5f,         8388607.5f,    8388608.0f,     -8388609.0f,
                                    1e-45f,       -1e-45f,       FLT_MIN,       FLT_MAX,        -FLT_MAX,
                                    INFINITY,     -INFINITY,     NAN,           -1.0f,          1.0f,
                                    0.99999994f,  2147483648.0f, 2147483520.0f, -2147483648.0f, -2147483904.0f,
                                    4294967296.0f};
    enum { SPECIALS = sizeof special / sizeof special[0] };
    uint64_t random = synthetic_bits(state);
    switch (random % 4) {
    case 0:
        return special[(random >> 8) % SPECIALS];
    case 1:
        return float_of((int32_t)(uint32_t)(random >> 32));
    case 2:
        return (float)((int32_t)((random >> 32) % 2001) - 1000) * 0.5f;
    default:
        return synthetic_uniform(state);
    }
}

static operands draw_operands(uint64_t *state) {
    operands made;
    for (uint32_t k = 0; k < SIMD_LANES_MOST; k++) {
        made.a[k] = draw(state);
        made.b[k] = synthetic_bits(state) % 4 ? draw(state) : made.a[k];
        made.c[k] = draw(state);
        made.i[k] = bits_of(draw(state));
        made.j[k] = synthetic_bits(state) % 4 ? (int32_t)(uint32_t)synthetic_bits(state) : made.i[k];
    }
    return made;
}

static int same(uint32_t word, int32_t got, int32_t expected) {
    return got == expected || (is_float[word] && isnan(float_of(got)) && isnan(float_of(expected)));
}

static void words_have_the_bits_of_plain_c(void **unused) {
    (void)unused;
    uint64_t state = 21;
    for (int isa = GAL_ISA_SCALAR + 1; isa < GAL_ISA_COUNT; isa++) {
        const simd_words words = simd_words_of((gal_isa)isa);
        for (uint32_t round = 0; round < 20000 && words.lanes && gal_isa_available((gal_isa)isa); round++) {
            int32_t got[SIMD_WORDS][SIMD_LANES_MOST], expected[SIMD_WORDS][SIMD_LANES_MOST];
            const operands of = draw_operands(&state);
            words.run(of.a, of.b, of.c, of.i, of.j, got);
            simd_words_scalar.run(of.a, of.b, of.c, of.i, of.j, expected);
            for (uint32_t k = 0; k < SIMD_WORDS * SIMD_LANES_MOST; k++) {
                uint32_t word = k / SIMD_LANES_MOST, lane = k % SIMD_LANES_MOST;
                if (!same(word, got[word][lane], expected[word][lane])) {
                    fail_msg("isa %d, %s of a %a, b %a, c %a, i %x, j %x: %x, expected %x", isa, texts[word],
                             (double)of.a[lane], (double)of.b[lane], (double)of.c[lane], (unsigned)of.i[lane],
                             (unsigned)of.j[lane], (unsigned)got[word][lane], (unsigned)expected[word][lane]);
                }
            }
        }
    }
}

static void masks_become_bits_and_back(void **unused) {
    (void)unused;
    for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
        const simd_words words = simd_words_of((gal_isa)isa);
        for (uint32_t bits = 0; bits < 65536 && words.lanes && gal_isa_available((gal_isa)isa); bits++) {
            float a[SIMD_LANES_MOST] = {2.5f}, first;
            uint32_t same, every = (1u << words.lanes) - 1;
            int any, all;
            words.reduce(bits, a, &same, &any, &all, &first);
            assert_true(same == (bits & every));
            assert_true(any == ((bits & every) != 0) && all == ((bits & every) == every));
            assert_true(first == a[0]);
        }
    }
}

/* The row of a word by its text. */
static uint32_t row_of(const char *text) {
    for (uint32_t i = 0; i < SIMD_WORDS; i++) {
        if (strcmp(texts[i], text) == 0) {
            return i;
        }
    }
    fail_msg("no word %s", text);
    return 0;
}

/* Sums that are halfway between two floats, nearly so, floats, denormals, and what is not finite. */
static void draw_halves(uint64_t *state, float *a, float *b, float *c) {
    uint64_t random = synthetic_bits(state);
    *a = ldexpf((float)(1 + random % 4096), (int)(random >> 16) % 40 - 20);
    *b = ldexpf((float)(1 + (random >> 32) % 4096), (int)(random >> 48) % 40 - 20);
    double product = (double)*a * (double)*b;
    float near = (float)product;
    *c = random >> 63 ? ldexpf(near, 24 + (int)((random >> 60) & 3)) : -near;
    *c = (random >> 62) & 1 ? nextafterf(*c, INFINITY) : *c;
    if (random % 3 == 0) { /* down to where results are denormals */
        *a = ldexpf(*a, -70);
        *b = ldexpf(*b, -70);
        *c = ldexpf(*c, -140);
    }
}

static void plain_c_fuses_as_the_library(void **unused) {
    (void)unused;
    const uint32_t fma_row = row_of("gali_vf_fma(a, b, c)");
    uint64_t state = 23;
    for (uint32_t round = 0; round < 10000; round++) {
        int32_t got[SIMD_WORDS][SIMD_LANES_MOST];
        operands of = draw_operands(&state);
        of.a[1] = ldexpf(1 + FLT_EPSILON, -75); /* nearly halfway between denormals, and halfway as a double */
        of.b[1] = ldexpf(1 - FLT_EPSILON, -75);
        of.c[1] = ldexpf(1 + 2 * FLT_EPSILON, -127);
        for (uint32_t k = 0; k < SIMD_LANES_MOST; k += 2) {
            draw_halves(&state, &of.a[k], &of.b[k], &of.c[k]);
        }
        simd_words_scalar.fma(of.a, of.b, of.c, got[fma_row]);
        for (uint32_t k = 0; k < SIMD_LANES_MOST; k++) {
            int32_t expected = bits_of(fmaf(of.a[k], of.b[k], of.c[k]));
            if (!same(fma_row, got[fma_row][k], expected)) {
                fail_msg("%a * %a + %a: %x, expected %x", (double)of.a[k], (double)of.b[k], (double)of.c[k],
                         (unsigned)got[fma_row][k], (unsigned)expected);
            }
        }
    }
}

/* What plain C does not say in the operators of the language. */
static void plain_c_agrees_with_the_library(void **unused) {
    (void)unused;
    const uint32_t floor_row = row_of("gali_vf_floor(a)"), round_row = row_of("gali_vf_round(a)"),
                   int_row = row_of("gali_vf_int(a)"), shift_row = row_of("gali_vi_shift_right(i, 23)");
    uint64_t state = 22;
    for (uint32_t round = 0; round < 50000; round++) {
        int32_t got[SIMD_WORDS][SIMD_LANES_MOST];
        const operands of = draw_operands(&state);
        simd_words_scalar.run(of.a, of.b, of.c, of.i, of.j, got);
        for (uint32_t k = 0; k < SIMD_LANES_MOST; k++) {
            double a = (double)of.a[k];
            int32_t whole = fabs(trunc(a)) < 2147483648.0 ? (int32_t)a : INT32_MIN;
            assert_true(same(floor_row, got[floor_row][k], bits_of(floorf(of.a[k]))));
            assert_true(same(round_row, got[round_row][k], bits_of(nearbyintf(of.a[k]))));
            assert_true(got[int_row][k] == whole);
            assert_true(got[shift_row][k] == (int32_t)floor(ldexp((double)of.i[k], -23)));
        }
    }
}

static void lanes_are_rotated(void **unused) {
    (void)unused;
    float a[SIMD_LANES_MOST], once[SIMD_LANES_MOST], twice[SIMD_LANES_MOST];
    for (int i = 0; i < SIMD_LANES_MOST; i++) {
        a[i] = (float)i;
    }
    for (int isa = 0; isa < GAL_ISA_COUNT; isa++) {
        const simd_words words = simd_words_of((gal_isa)isa);
        if (!words.lanes || !gal_isa_available((gal_isa)isa)) {
            continue;
        }
        words.rotate(a, once, twice);
        for (uint32_t i = 0; i < words.lanes; i++) {
            assert_true(once[i] == (float)((i + 1) % words.lanes));
            assert_true(twice[i] == (float)((i + 2) % words.lanes));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_have_the_bits_of_plain_c),
        cmocka_unit_test(masks_become_bits_and_back),
        cmocka_unit_test(lanes_are_rotated),
        cmocka_unit_test(plain_c_agrees_with_the_library),
        cmocka_unit_test(plain_c_fuses_as_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
