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

static inline __m256i gali_vf_mask(uint32_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

static inline void gali_vf_store_part(float *p, gali_vf a, uint32_t n) {
    _mm256_maskstore_ps(p, gali_vf_mask(n), a);
}

static inline gali_vf gali_vf_add(gali_vf a, gali_vf b) {
    return _mm256_add_ps(a, b);
}

static inline gali_vf gali_vf_mul(gali_vf a, gali_vf b) {
    return _mm256_mul_ps(a, b);
}

static inline gali_vf gali_vf_fma(gali_vf a, gali_vf b, gali_vf c) {
    return _mm256_fmadd_ps(a, b, c);
}

typedef gali_vf gali_vx;

static inline gali_vx gali_vx_load(const float *p) {
    return gali_vf_set(*p);
}

static inline gali_vf gali_vf_fma_x(gali_vf a, gali_vx b, gali_vf c) {
    return gali_vf_fma(a, b, c);
}

static inline __attribute__((always_inline)) void f_1(const float *x, gali_vf *a, float *s, gali_vf *b, const size_t q_size) {
    for (size_t i = 0; i < q_size; i++) {
        (*a) = gali_vf_add((*a), (*b));
        gali_vf_store_part(&(*s), gali_vf_add(gali_vf_set((*s)), gali_vf_set(x[2])), 1);
    }
}

static inline __attribute__((always_inline)) void f_0(const float *x, gali_vf *a, float *s, const size_t p_size) {
    gali_vf b;
    b = gali_vf_mul((*a), gali_vf_set((*s)));
    for (size_t q = 0; q < 2; q++) {
        const size_t q_size = ((p_size + 3) * (q + 1) + 2 - 1) / 2 - ((p_size + 3) * q + 2 - 1) / 2;
        switch (q_size) {
        case 2:
            f_1(x, a, s, &b, 2);
            break;
        case 3:
            f_1(x, a, s, &b, 3);
            break;
        default:
            break;
        }
    }
}

/*
 * input x[8]
 * output y[n][8]
 */
static void f(uint32_t n, const float *x, float *y, size_t y_stride) {
    gali_vf a;
    float s;
    a = gali_vf_load(x);
    gali_vf_store_part(&s, gali_vf_set(x[1]), 1);
    for (size_t p = 0; p < 2; p++) {
        const size_t p_size = (3 * (p + 1) + 2 - 1) / 2 - (3 * p + 2 - 1) / 2;
        switch (p_size) {
        case 1:
            f_0(x, &a, &s, 1);
            break;
        case 2:
            f_0(x, &a, &s, 2);
            break;
        default:
            break;
        }
    }
    for (size_t c = 0; c < n; c++) {
        gali_vf_store(y + c * y_stride, gali_vf_fma_x(a, gali_vx_load(&s), a));
    }
}
void call(const float *x, float *y);
void call(const float *x, float *y) {
    f(3, x, y, 8);
}
