#include "base/number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

/* What is left to read, and the number so far: digits * 10^exponent. */
typedef struct scan {
    const char *at, *end;
    uint64_t digits;
    int exponent;
    int seen; /* whether there was a digit at all */
} scan;

static int is_digit(const scan *s) {
    return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

static int skip(scan *s, char c) {
    int found = s->at < s->end && *s->at == c;
    s->at += found;
    return found;
}

/* Digits past the nineteenth only move the exponent. */
static void scan_digits(scan *s, int after_dot) {
    for (; is_digit(s); s->at++) {
        s->seen = 1;
        if (s->digits < UINT64_C(1000000000000000000)) {
            s->digits = 10 * s->digits + (uint64_t)(*s->at - '0');
            s->exponent -= after_dot;
        } else {
            s->exponent += !after_dot;
        }
    }
}

static int scan_exponent(scan *s) {
    if (!skip(s, 'e') && !skip(s, 'E')) {
        return 1;
    }
    int negative = skip(s, '-'), exponent = 0;
    if (!negative) {
        skip(s, '+');
    }
    if (!is_digit(s)) {
        return 0;
    }
    for (; is_digit(s); s->at++) {
        exponent = exponent < 100000 ? 10 * exponent + (*s->at - '0') : exponent;
    }
    s->exponent += negative ? -exponent : exponent;
    return 1;
}

/* Powers up to 10^22 are exact doubles; larger ones go in steps, one rounding each. */
static double scale(double value, int exponent) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    for (; exponent > 22 && value != 0 && isfinite(value); exponent -= 22) {
        value *= 1e22;
    }
    for (; exponent < -22 && value != 0; exponent += 22) {
        value /= 1e22;
    }
    if (value == 0 || !isfinite(value)) {
        return value;
    }
    return exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
}

int gali_number_read(const char *text, size_t size, double *value) {
    scan s = {.at = text, .end = text + size};
    int negative = skip(&s, '-');
    if (!negative) {
        skip(&s, '+');
    }
    scan_digits(&s, 0);
    if (skip(&s, '.')) {
        scan_digits(&s, 1);
    }
    if (!s.seen || !scan_exponent(&s) || s.at != s.end) {
        return 0;
    }
    double result = scale((double)s.digits, s.exponent);
    if (!isfinite(result)) {
        return 0;
    }
    *value = negative ? -result : result;
    return 1;
}

/* Whatever the locale has for a dot, of however many bytes, becomes one. Returns the new length. */
static size_t put_dot(char *text) {
    size_t length = 0;
    for (const char *c = text; *c; c++) {
        int plain = (*c >= '0' && *c <= '9') || *c == '-' || *c == '+' || *c == 'e';
        if (plain) {
            text[length++] = *c;
        } else if (length == 0 || text[length - 1] != '.') {
            text[length++] = '.';
        }
    }
    text[length] = 0;
    return length;
}

void gali_number_write(char *text, float value) {
    for (int digits = 1; digits <= 9; digits++) {
        char full[64];
        double back = 0;
        snprintf(full, sizeof full, "%.*g", digits, (double)value);
        size_t length = put_dot(full);
        if ((gali_number_read(full, length, &back) && (float)back == value) || digits == 9) {
            snprintf(text, GALI_NUMBER_MAX, "%.*s", GALI_NUMBER_MAX - 1, full);
            return;
        }
    }
}
