#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <immintrin.h>
#include <stdint.h>

/*
 * The compiler's own words: what C11 does not have, and gcc, clang and Microsoft's cl each say in their way. None changes
 * a result. The compiler of models puts this text into the C that it emits.
 *
 *     GALI_INLINE                       as in `static GALI_INLINE void f(void)`: inlined always, so that arguments that
 *                                       are constants where it is called are constants inside
 *     GALI_UNROLL(turns)                stands before a loop: so many turns in one
 *     GALI_PREFETCH(address, level)     asks for a cache line; level 3: into L1, 2: into L2
 *     GALI_OPAQUE(constraint, variable) the variable is in a register ("x", "r", ... of GNU's assembler) and the compiler
 *                                       knows nothing about its value: no load of it is repeated or moved
 *     GALI_PRINTF(parameter, first)        the function's parameter of that number is printf's format, its arguments start
 *                                       at `first`
 *     GALI_X86_64, GALI_AARCH64         defined: the machine that this is compiled for
 */
#ifndef GALI_BASE_COMPILER_H
#define GALI_BASE_COMPILER_H

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#define GALI_INLINE __forceinline
#define GALI_UNROLL(turns)
#define GALI_OPAQUE(constraint, variable) ((void)(variable))
#define GALI_PRINTF(parameter, first)
#if defined(_M_X64)
#define GALI_PREFETCH(address, level)                                                                          \
    _mm_prefetch((const char *)(address), (level) == 3 ? _MM_HINT_T0 : _MM_HINT_T1)
#elif defined(_M_ARM64)
#define GALI_PREFETCH(address, level) __prefetch(address)
#else
#define GALI_PREFETCH(address, level) ((void)(address))
#endif
#else
#define GALI_PRAGMA(text) _Pragma(#text)
#define GALI_INLINE inline __attribute__((always_inline))
#define GALI_UNROLL(turns) GALI_PRAGMA(GCC unroll turns)
#define GALI_OPAQUE(constraint, variable) __asm__("" : "+" constraint(variable))
#define GALI_PREFETCH(address, level) __builtin_prefetch(address, 0, level)
#if defined(__MINGW32__) && !defined(__clang__)
#define GALI_PRINTF(parameter, first) __attribute__((format(gnu_printf, parameter, first)))
#else
#define GALI_PRINTF(parameter, first) __attribute__((format(printf, parameter, first)))
#endif
#endif

#if defined(__x86_64__) || (defined(_M_X64) && !defined(_M_ARM64EC))
#define GALI_X86_64
#elif defined(__aarch64__) || defined(_M_ARM64)
#define GALI_AARCH64
#endif

#endif
typedef __m256 gali_vf;
enum {
    GALI_LANES = 8,
    GALI_REGISTERS = 16,
    GALI_STEPS = 4,
    GALI_TURN_SUMS = 12,
    GALI_TILE_KEEP = 4,
    GALI_AHEAD_ROWS = 4,
    GALI_AHEAD_LEVEL = 3,
    GALI_AHEAD = 4 * 1024,
};

static inline gali_vf gali_vf_set(float a) {
    return _mm256_set1_ps(a);
}

static inline gali_vf gali_vf_load(const float *p) {
    return _mm256_loadu_ps(p);
}

static inline void gali_vf_store(float *p, gali_vf a) {
    _mm256_storeu_ps(p, a);
}

static inline gali_vf gali_vf_add(gali_vf a, gali_vf b) {
    return _mm256_add_ps(a, b);
}

static inline gali_vf gali_vf_sub(gali_vf a, gali_vf b) {
    return _mm256_sub_ps(a, b);
}

static inline gali_vf gali_vf_mul(gali_vf a, gali_vf b) {
    return _mm256_mul_ps(a, b);
}

static inline gali_vf gali_vf_div(gali_vf a, gali_vf b) {
    return _mm256_div_ps(a, b);
}

static inline gali_vf gali_vf_fma(gali_vf a, gali_vf b, gali_vf c) {
    return _mm256_fmadd_ps(a, b, c);
}

typedef gali_vf gali_vx;

static inline gali_vf gali_vf_less(gali_vf a, gali_vf b, gali_vf yes, gali_vf no) {
    return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
}

static inline gali_vf gali_vf_exp2_biased(gali_vf a) {
    __m256i bits = _mm256_slli_epi32(_mm256_castps_si256(a), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(bits, _mm256_set1_epi32(0x3F800000)));
}

typedef __m256 gali_vm;

static inline gali_vm gali_vm_less(gali_vf a, gali_vf b) {
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}

static inline gali_vm gali_vm_equal(gali_vf a, gali_vf b) {
    return _mm256_cmp_ps(a, b, _CMP_EQ_OQ);
}

static inline gali_vm gali_vm_from_bits(uint32_t bits) {
    __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), lane), lane));
}

static inline gali_vm gali_vm_and(gali_vm a, gali_vm b) {
    return _mm256_and_ps(a, b);
}

static inline gali_vm gali_vm_or(gali_vm a, gali_vm b) {
    return _mm256_or_ps(a, b);
}

static inline gali_vm gali_vm_not(gali_vm a) {
    return _mm256_xor_ps(a, _mm256_castsi256_ps(_mm256_set1_epi32(-1)));
}

static inline gali_vf gali_vf_select(gali_vm which, gali_vf yes, gali_vf no) {
    return _mm256_blendv_ps(no, yes, which);
}

static inline gali_vf gali_vf_abs(gali_vf a) {
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}

static inline gali_vf gali_vf_copysign(gali_vf a, gali_vf sign) {
    __m256 bit = _mm256_set1_ps(-0.0f);
    return _mm256_or_ps(_mm256_andnot_ps(bit, a), _mm256_and_ps(bit, sign));
}

/* q(r) of degree 5, where expm1(r) = r + r^2 q(r), |r| <= ln 2 / 2 (2.2e-9). */
static inline gali_vf gali_expm1_core(gali_vf r) {
    gali_vf q = gali_vf_set(0x1.a032bep-13f);
    q = gali_vf_fma(q, r, gali_vf_set(0x1.6d71f8p-10f));
    q = gali_vf_fma(q, r, gali_vf_set(0x1.11118ap-7f));
    q = gali_vf_fma(q, r, gali_vf_set(0x1.5554b2p-5f));
    q = gali_vf_fma(q, r, gali_vf_set(0x1.555554p-3f));
    return gali_vf_fma(q, r, gali_vf_set(0.5f));
}

/* n = x / ln 2 to the nearest, as n + 1.5 * 2^23 in *biased; returns x - n ln 2. */
static inline gali_vf gali_exp_reduced(gali_vf x, gali_vf *biased, gali_vf *low) {
    const gali_vf round = gali_vf_set(12582912.0f); /* 1.5 * 2^23: adding it rounds to an integer */
    const gali_vf ln2_low = gali_vf_set(0x1.05c610p-29f);
    *biased = gali_vf_fma(x, gali_vf_set(0x1.715476p+0f), round);
    gali_vf n = gali_vf_sub(*biased, round);
    gali_vf near = gali_vf_fma(n, gali_vf_set(-0x1.62e430p-1f), x), r = gali_vf_fma(n, ln2_low, near);
    *low = gali_vf_fma(n, ln2_low, gali_vf_sub(near, r));
    return r;
}

/* expm1(r) of x in [-87, 0]; *scale = 2^n. */
static inline gali_vf gali_expm1_reduced(gali_vf x, gali_vf *scale) {
    gali_vf biased, low, r = gali_exp_reduced(x, &biased, &low);
    *scale = gali_vf_exp2_biased(biased);
    return gali_vf_fma(gali_vf_mul(r, r), gali_expm1_core(r), r);
}

/* exp(x) for x <= 0, all its digits; 0 below -87, where float32 ends. */
static inline gali_vf gali_exp_negative(gali_vf x) {
    const gali_vf least = gali_vf_set(-87.0f);
    gali_vf scale, p = gali_expm1_reduced(gali_vf_less(x, least, least, x), &scale);
    return gali_vf_less(x, least, gali_vf_set(0.0f), gali_vf_fma(scale, p, scale));
}

static inline gali_vf gali_magnitude(gali_vf x) {
    const gali_vf zero = gali_vf_set(0.0f);
    return gali_vf_less(x, zero, gali_vf_sub(zero, x), x);
}

/*
 * x Phi(x), Phi the normal distribution's integral: Phi(-a) = exp(-a^2 / 2) t p(t), t = 1 / (1 + a / 4), with a
 * minimax p of degree 9 (relative error 2.8e-8), which is Hastings's form (1955).
 */
static inline gali_vf gali_activate_gelu_erf(gali_vf x, gali_vf slope) {
    const gali_vf zero = gali_vf_set(0.0f), one = gali_vf_set(1.0f);
    (void)slope;
    gali_vf a = gali_magnitude(x);
    gali_vf t = gali_vf_div(one, gali_vf_fma(a, gali_vf_set(0.25f), one));
    gali_vf p = gali_vf_set(0x1.49187ap-6f);
    p = gali_vf_fma(p, t, gali_vf_set(-0x1.50cbdap-4f));
    p = gali_vf_fma(p, t, gali_vf_set(0x1.91cd6ap-4f));
    p = gali_vf_fma(p, t, gali_vf_set(-0x1.1871e2p-5f));
    p = gali_vf_fma(p, t, gali_vf_set(0x1.0b095ep-4f));
    p = gali_vf_fma(p, t, gali_vf_set(0x1.dec140p-5f));
    p = gali_vf_fma(p, t, gali_vf_set(0x1.4eb394p-4f));
    p = gali_vf_fma(p, t, gali_vf_set(0x1.7ec974p-4f));
    p = gali_vf_fma(p, t, gali_vf_set(0x1.9885e8p-4f));
    p = gali_vf_fma(p, t, gali_vf_set(0x1.988450p-4f));
    gali_vf tail = gali_exp_negative(gali_vf_mul(gali_vf_mul(a, a), gali_vf_set(-0.5f)));
    tail = gali_vf_mul(tail, gali_vf_mul(t, p));
    return gali_vf_mul(x, gali_vf_less(x, zero, tail, gali_vf_sub(one, tail)));
}

static inline gali_vm gali_vm_is_nan(gali_vf a) {
    return gali_vm_not(gali_vm_equal(a, a));
}

/* All lanes, or none. */
static inline gali_vm gali_vm_set(int truth) {
    return gali_vm_from_bits(truth ? UINT32_MAX : 0);
}

static inline gali_vf gali_vf_least(gali_vf a, gali_vf b) {
    return gali_vf_select(gali_vm_or(gali_vm_less(a, b), gali_vm_is_nan(a)), a, b);
}

/* x / 2 (1 + erf(x / sqrt 2)), solved for erf, loses what is near 0: there erf is its series. */
static inline gali_vf gali_vf_erf(gali_vf a) {
    const gali_vf one = gali_vf_set(1.0f);
    gali_vf z = gali_vf_mul(a, a), series = gali_vf_set(-0x1.f4d25cp-17f);
    series = gali_vf_fma(series, z, gali_vf_set(0x1.f9a326p-14f));
    series = gali_vf_fma(series, z, gali_vf_set(-0x1.c02db4p-11f));
    series = gali_vf_fma(series, z, gali_vf_set(0x1.565bcep-8f));
    series = gali_vf_fma(series, z, gali_vf_set(-0x1.b82ce4p-6f));
    series = gali_vf_fma(series, z, gali_vf_set(0x1.ce2f22p-4f));
    series = gali_vf_fma(series, z, gali_vf_set(-0x1.812746p-2f));
    gali_vf near = gali_vf_fma(a, gali_vf_set(0x1.06eba8p-3f), a);
    near = gali_vf_add(near, gali_vf_mul(gali_vf_mul(a, z), series));
    gali_vf size = gali_vf_abs(a), scaled = gali_vf_mul(size, gali_vf_set(0x1.6a09e6p+0f));
    gali_vf half = gali_vf_div(gali_activate_gelu_erf(scaled, gali_vf_set(0.0f)), scaled);
    gali_vf far = gali_vf_fma(gali_vf_set(2.0f), half, gali_vf_set(-1.0f));
    far = gali_vf_copysign(gali_vf_less(size, gali_vf_set(4.0f), far, one), a);
    far = gali_vf_select(gali_vm_equal(a, a), far, a);
    return gali_vf_less(size, gali_vf_set(0.5f), near, far);
}

/* A row outside of its tensor (GALI_ONE_LOOP_VIEW_MAX). */
static const float gali_one_zeros[4096] = {0};

/*
 * input x[n][8]
 * input m[n]: bool
 * output y[n][8]
 */
static void f(uint32_t n, const float *x, const uint8_t *m, float *y) {
    for (size_t i = 0; i < n; i++) {
        const float * row[2];
#pragma GCC unroll 2
        for (size_t r = 0; r < 2; r++) {
            row[r] = (size_t)(i + r - 1) < n ? x + (i + r - 1) * 8 : gali_one_zeros;
        }
        gali_vf_store(y + i * 8, gali_vf_select(gali_vm_and(gali_vm_less(gali_vf_load(row[0] + 0), gali_vf_load(row[1] + 0)), gali_vm_set(m[i])), gali_vf_least(gali_vf_erf(gali_vf_load(x + i * 8)), gali_vf_set((float)(int64_t)((int64_t)i))), gali_vf_add(((size_t)(i - 1) < n ? gali_vf_load(x + (i - 1) * 8) : gali_vf_set(1.0f)), gali_vf_load(row[1] + 0))));
    }
}
void call(const float *x, float *y);
void call(const float *x, float *y) {
    static const uint8_t m[3] = {1, 0, 1};
    f(3, x, m, y);
}
