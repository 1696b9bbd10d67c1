/*
 * Arithmetic that Hexagon v66 has no instruction for and clang calls by name, where there is no library: float32 division,
 * float64 products, quotients, sums' comparisons being instructions; 64-bit quotients; floor, fmod and rintf. Rounded to nearest even; numbers whose results are
 * denormal or infinite do not come up in what is tested and are not promised.
 */
#ifndef TEST_COMPILER_HVX_ARITHMETIC_H
#define TEST_COMPILER_HVX_ARITHMETIC_H

#include <stdint.h>

enum { FLOAT_BITS = 23, DOUBLE_BITS = 52 };

static inline uint64_t bits_of(double a) {
    uint64_t bits;
    __builtin_memcpy(&bits, &a, sizeof bits);
    return bits;
}

static inline double double_of(uint64_t bits) {
    double a;
    __builtin_memcpy(&a, &bits, sizeof a);
    return a;
}

/* mantissa, of which the highest bit is bit 54 or 55, two or three below the last; odd: what is lost of it is not 0. */
static inline double rounded(uint64_t sign, int32_t exponent, uint64_t mantissa, int odd) {
    if (mantissa >> 55) {
        odd |= mantissa & 1;
        mantissa >>= 1;
        exponent++;
    }
    const uint64_t rest = mantissa & 3, up = rest > 2 || (rest == 2 && (odd || (mantissa >> 2 & 1)));
    mantissa = (mantissa >> 2) + up;
    return double_of(sign |
                     (((uint64_t)(uint32_t)exponent << DOUBLE_BITS) + (mantissa - (1ull << DOUBLE_BITS))));
}

double __hexagon_muldf3(double a, double b);
double __hexagon_divdf3(double a, double b);
float __hexagon_divsf3(float a, float b);
double fmod(double a, double b);
double floor(double a);
float rintf(float a);
uint64_t __hexagon_udivdi3(uint64_t a, uint64_t b);

double __hexagon_muldf3(double a, double b) {
    const uint64_t x = bits_of(a), y = bits_of(b), sign = (x ^ y) >> 63 << 63;
    const int32_t ex = (int32_t)(x >> 52 & 2047), ey = (int32_t)(y >> 52 & 2047);
    if (!ex || !ey) {
        return double_of(sign);
    }
    const uint64_t one = 1ull << 52, m = (x & (one - 1)) | one, n = (y & (one - 1)) | one;
    const uint64_t m1 = m >> 32, m0 = m & 0xffffffffu, n1 = n >> 32, n0 = n & 0xffffffffu;
    const uint64_t low = m0 * n0, middle = m1 * n0 + (low >> 32), middle2 = m0 * n1 + (middle & 0xffffffffu);
    const uint64_t high = m1 * n1 + (middle >> 32) + (middle2 >> 32);
    const uint64_t below =
        middle2 << 32 | (low & 0xffffffffu);            /* product = high 2^64 + below, 105 or 106 bits */
    const uint64_t mantissa = high << 14 | below >> 50; /* 55 or 56 bits */
    return rounded(sign, ex + ey - 1023, mantissa, (below & ((1ull << 50) - 1)) != 0);
}

/* Of mantissas m / n in [1/2, 2): `bits` bits after the point; *odd where a rest is left. */
static inline uint64_t quotient(uint64_t m, uint64_t n, int bits, int *odd) {
    uint64_t q = 0;
    for (int i = 0; i <= bits; i++) {
        const int fits = m >= n;
        m -= fits ? n : 0;
        q = q << 1 | (uint64_t)fits;
        m <<= 1;
    }
    *odd = m != 0;
    return q;
}

double __hexagon_divdf3(double a, double b) {
    const uint64_t x = bits_of(a), y = bits_of(b), sign = (x ^ y) >> 63 << 63, one = 1ull << 52;
    const int32_t ex = (int32_t)(x >> 52 & 2047), ey = (int32_t)(y >> 52 & 2047);
    if (!ex) {
        return double_of(sign);
    }
    const uint64_t m = (x & (one - 1)) | one, n = (y & (one - 1)) | one;
    int odd;
    const uint64_t q = quotient(m < n ? m << 1 : m, n, 54, &odd);
    return rounded(sign, ex - ey + 1023 - (m < n), q, odd);
}

float __hexagon_divsf3(float a, float b) {
    uint32_t x, y;
    __builtin_memcpy(&x, &a, sizeof x);
    __builtin_memcpy(&y, &b, sizeof y);
    const uint32_t sign = (x ^ y) & 0x80000000u, one = 1u << 23;
    const int32_t ex = (int32_t)(x >> 23 & 255), ey = (int32_t)(y >> 23 & 255);
    float result;
    uint32_t bits = sign;
    if (ex == 255 || ey == 255) {
        bits = 0x7fc00000u;
    } else if (ex) {
        const uint32_t m = (x & (one - 1)) | one, n = (y & (one - 1)) | one;
        int odd;
        const uint32_t q =
            (uint32_t)quotient(m < n ? (uint64_t)m << 1 : m, n, 24, &odd); /* a bit more than a float has */
        const uint32_t up = (q & 1) && (odd || (q & 2));
        bits = sign | (((uint32_t)(ex - ey + 127 - (m < n)) << 23) + ((q >> 1) + up - one));
    }
    __builtin_memcpy(&result, &bits, sizeof result);
    return result;
}

/* Exact, by subtracting the divisor at every power of two that fits. */
double fmod(double a, double b) {
    const uint64_t x = bits_of(a), y = bits_of(b) << 1 >> 1, sign = x >> 63 << 63, one = 1ull << 52;
    int32_t ex = (int32_t)(x >> 52 & 2047);
    const int32_t ey = (int32_t)(y >> 52 & 2047);
    uint64_t m = (x & (one - 1)) | one;
    const uint64_t n = (y & (one - 1)) | one;
    if ((x << 1 >> 1) < y) {
        return a;
    }
    for (; ex > ey; ex--) {
        m = (m >= n ? m - n : m) << 1;
    }
    m -= m >= n ? n : 0;
    if (!m) {
        return double_of(sign);
    }
    for (; !(m >> 52); ex--) {
        m <<= 1;
    }
    return double_of(sign | (((uint64_t)(uint32_t)ex << 52) + (m - one)));
}

double floor(double a) {
    const uint64_t x = bits_of(a);
    const int32_t e = (int32_t)(x >> 52 & 2047) - 1023;
    if (e >= 52) {
        return a;
    }
    if (e < 0) {
        return x >> 63 && x << 1 ? -1.0 : double_of(x >> 63 << 63);
    }
    const uint64_t mask = (1ull << (52 - e)) - 1;
    const uint64_t cut = x & mask ? (x >> 63 ? x + mask + 1 : x) : x;
    return double_of(cut & ~mask);
}

/* To the nearest, ties to even: a sum of 2^23 has no bits behind the point. */
float rintf(float a) {
    const float whole = a < 0 ? -0x1p+23f : 0x1p+23f;
    volatile float sum = a + whole;
    return __builtin_fabsf(a) < 0x1p+22f ? __builtin_copysignf(sum - whole, a) : a;
}

uint64_t __hexagon_udivdi3(uint64_t a, uint64_t b) {
    uint64_t q = 0, rest = 0;
    for (int bit = 63; bit >= 0; bit--) {
        rest = rest << 1 | (a >> bit & 1u);
        q = q << 1 | (rest >= b);
        rest -= rest >= b ? b : 0;
    }
    return q;
}

#endif
