/* Decimal numbers: against the C library in the C locale, and in a locale that has no dot. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
#include "base/utf8.h"
#include "sanitized.h"

static int read(const char *text, double *value) {
    return gali_number_read(text, strlen(text), value);
}

static void refuses_what_is_no_number(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",      "-",   "+",     ".",    "e1",  "1e",  "1e+",      "1e-", "--1",   "1 ",
        " 1",    "1,5", "1.2.3", "0x1",  "nan", "inf", "infinity", "1f",  "1e400", "1e99999999999",
        "1e1.5", "- 1", "+-1",   "1e--1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = 7;
        if (read(texts[i], &value) || value != 7) {
            fail_msg("'%s' was taken for %g", texts[i], value);
        }
    }
    double value = 7;
    assert_false(gali_number_read("12", 0, &value));
    assert_true(gali_number_read("12", 1, &value) && value == 1);
}

static void reads_as_the_c_library_does(void **state) {
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "+1",
                                        "1.",
                                        ".5",
                                        "-.5e1",
                                        "1e5",
                                        "1E+05",
                                        "1e-05",
                                        "123456789012345",
                                        "0.1",
                                        "0.30000001192092896",

                                        "1e22",
                                        "1e-22",
                                        "9007199254740993",
                                        "000000000000000000000000000001",
                                        "0.000000000000000000000000000001e30"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = 0, expected = strtod(texts[i], NULL);
        assert_true(read(texts[i], &value));
        if (memcmp(&value, &expected, sizeof value) != 0) {
            fail_msg("'%s': %.17g, expected %.17g", texts[i], value, expected);
        }
    }
    double value = 1;
    assert_true(read("1e-400", &value) && value == 0);
    assert_true(read("1e-99999999999", &value) && value == 0);
    assert_true(read("123456789012345678901234567890", &value));
    assert_true(fabs(value / 123456789012345678901234567890.0 - 1) < 1e-15);
    assert_true(read("1.7976931348623157e308", &value));
    assert_true(fabs(value / 1.7976931348623157e308 - 1) < 2e-15);
    assert_true(read("2.2250738585072014e-308", &value));
    assert_true(fabs(value / 2.2250738585072014e-308 - 1) < 2e-15);
}

/* Every 4099th float32 (every 65537th), all exponents: nine digits, and the shortest, read back as the same bits. */
static void floats_survive_being_written(void **state) {
    (void)state;
    for (uint64_t bits = 0; bits < UINT64_C(0x100000000); bits += SANITIZED ? 65537 : 4099) {
        uint32_t pattern = (uint32_t)bits;
        float value;
        memcpy(&value, &pattern, 4);
        if (!isfinite(value)) {
            continue;
        }
        char text[64];
        double back = 0;
        gali_number_write(text, value);
        assert_true(strlen(text) < GALI_NUMBER_MAX);
        if (!read(text, &back) || (float)back != value) {
            fail_msg("%.9g written as '%s' and read as %.9g", (double)value, text, back);
        }
        snprintf(text, sizeof text, "%.9g", (double)value);
        assert_true(read(text, &back) && (float)back == value);
    }
}

static void writes_the_shortest(void **state) {
    (void)state;
    static const struct {
        float value;
        const char *text;
    } cases[] = {{25, "25"},      {-25, "-25"},     {0.1f, "0.1"},          {0, "0"},
                 {-0.5f, "-0.5"}, {1e10f, "1e+10"}, {16777216, "16777216"}, {1e-45f, "1e-45"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[GALI_NUMBER_MAX];
        gali_number_write(text, cases[i].value);
        assert_string_equal(text, cases[i].text);
    }
}

static void has_a_dot_in_every_locale(void **state) {
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    int tried = 0;
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        if (!setlocale(LC_NUMERIC, locales[i])) {
            continue;
        }
        tried++;
        char text[GALI_NUMBER_MAX];
        double value = 0;
        gali_number_write(text, 0.25f);
        assert_string_equal(text, "0.25");
        assert_true(read("0.25", &value) && value == 0.25);
    }
    setlocale(LC_NUMERIC, "C");
    if (!tried) {
        skip();
    }
}

static void knows_utf8(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t size, good;
    } cases[] = {
        {"plain", 5, 5},
        {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x90\x8E", 9, 9},
        {"a\0b", 3, 1},
        {"a\x80", 2, 1}, /* a continuation alone */
        {"\xC3", 1, 0},  /* cut */
        {"\xE2\x82", 2, 0},
        {"\xC0\xAF", 2, 0}, /* overlong */
        {"\xC1\xBF", 2, 0},
        {"\xE0\x9F\xBF", 3, 0},
        {"\xE0\xA0\x80", 3, 3},
        {"\xF0\x8F\xBF\xBF", 4, 0},
        {"\xF0\x90\x80\x80", 4, 4},
        {"\xED\xA0\x80", 3, 0}, /* a surrogate */
        {"\xED\x9F\xBF", 3, 3},
        {"\xF4\x90\x80\x80", 4, 0}, /* past U+10FFFF */
        {"\xF4\x8F\xBF\xBF", 4, 4},
        {"\xF5\x80\x80\x80", 4, 0},
        {"\xE2\x28\xA1", 3, 0}, /* no continuation */
        {"\xE2\x82\x28", 3, 0},
        {"\xC3\xC3", 2, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (gali_utf8_check(cases[i].bytes, cases[i].size) != cases[i].good) {
            fail_msg("case %zu: %zu good bytes, expected %zu", i,
                     gali_utf8_check(cases[i].bytes, cases[i].size), cases[i].good);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_is_no_number),    cmocka_unit_test(reads_as_the_c_library_does),
        cmocka_unit_test(floats_survive_being_written), cmocka_unit_test(writes_the_shortest),
        cmocka_unit_test(has_a_dot_in_every_locale),    cmocka_unit_test(knows_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
