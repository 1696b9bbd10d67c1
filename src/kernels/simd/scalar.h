/*
 * The simd vocabulary in plain C: one lane, and what each name means. Every header of it has the same names, and the same
 * bits in each lane (a NaN's payload and sign apart). A source has one of them: the first that it includes.
 *
 *     gali_vf  floats    set load store load_part store_part keep first rotate rotate_twice
 *                        add sub mul div fma fma_x sqrt neg abs copysign min max round floor
 *                        less select exp2_biased bits from_bits int
 *     gali_vi  int32     set load store float  add sub and or xor shift_left shift_right shift_right_zeros  select
 *     gali_vm  which lanes, of comparisons     less at_most equal less_int equal_int  and or not any all  bits from_bits
 *     transpose          of 4 x 4 numbers in memory
 */
#ifndef GALI_SIMD_H
#define GALI_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef float gali_vf;
enum {
    GALI_LANES = 1,
    GALI_REGISTERS = 16,  /* of vectors */
    GALI_STEPS = 4,       /* k unrolled in a tile */
    GALI_TURN_SUMS = 1,   /* tiles of fewer accumulators turn (body/panel_f32.inc) */
    GALI_TILE_KEEP = 4,   /* accumulators up to which a narrow tile keeps float sums in registers, too */
    GALI_AHEAD_ROWS = 99, /* tiles of so many characters have time to ask for weights ahead; 99: none has */
    GALI_AHEAD_LEVEL = 2, /* into which cache: 3 the first, 2 the second level */
    GALI_AHEAD = 0,       /* bytes that a tile which is alone with its weights asks ahead */
};

static inline gali_vf gali_vf_set(float a) {
    return a;
}

static inline gali_vf gali_vf_load(const float *p) {
    return *p;
}

/* a, in a register from here on: compilers fold a load into each of its uses, which is one load a use. */
static inline gali_vf gali_vf_keep(gali_vf a) {
    return a;
}

/* Of each lane the next one, of the last the first; and the same, twice. */
static inline gali_vf gali_vf_rotate(gali_vf a) {
    return a;
}

static inline gali_vf gali_vf_rotate_twice(gali_vf a) {
    return a;
}

static inline void gali_vf_store(float *p, gali_vf a) {
    *p = a;
}

/* The first n lanes, 1 <= n < GALI_LANES; the others read as 0 and are not touched in memory. */
static inline gali_vf gali_vf_load_part(const float *p, uint32_t n) {
    (void)n;
    return *p;
}

static inline void gali_vf_store_part(float *p, gali_vf a, uint32_t n) {
    (void)n;
    *p = a;
}

static inline gali_vf gali_vf_add(gali_vf a, gali_vf b) {
    return a + b;
}

static inline gali_vf gali_vf_sub(gali_vf a, gali_vf b) {
    return a - b;
}

static inline gali_vf gali_vf_mul(gali_vf a, gali_vf b) {
    return a * b;
}

static inline gali_vf gali_vf_div(gali_vf a, gali_vf b) {
    return a / b;
}

/*
 * a b + c, rounded once. Where there is no instruction for it the library's fmaf is a slow call, or even rounds twice
 * (MinGW's): then in doubles, where the product is exact. Their sum may be rounded again unless it is a float or halfway
 * between two, for which its last 28 bits are zero; there what was lost of it decides, by its side of the sum alone.
 */
#if defined(__FP_FAST_FMAF) || defined(__FMA__)
static inline gali_vf gali_vf_fma(gali_vf a, gali_vf b, gali_vf c) {
    return __builtin_fmaf(a, b, c);
}
#else
static inline gali_vf gali_fma_odd(double product, double c) {
    double sum = product + c, taken = sum - product, lost = (product - (sum - taken)) + (c - taken);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (lost > 0 || lost < 0) {
        bits += (lost > 0) == (sum > 0) ? 1 : UINT64_MAX;
    }
    memcpy(&sum, &bits, sizeof sum);
    return (gali_vf)sum;
}

static inline gali_vf gali_vf_fma(gali_vf a, gali_vf b, gali_vf c) {
    double product = (double)a * (double)b, sum = product + (double)c;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return bits & 0xFFFFFFF ? (gali_vf)sum : gali_fma_odd(product, (double)c);
}
#endif

/* One input for all lanes, as the FMA wants it: gali_vf_fma_x(a, b, c) is a b + c, rounded once. */
typedef gali_vf gali_vx;

static inline gali_vx gali_vx_load(const float *p) {
    return gali_vf_set(*p);
}

static inline gali_vf gali_vf_fma_x(gali_vf a, gali_vx b, gali_vf c) {
    return gali_vf_fma(a, b, c);
}

/* a < b ? yes : no, lane by lane; a NaN compares false. */
static inline gali_vf gali_vf_less(gali_vf a, gali_vf b, gali_vf yes, gali_vf no) {
    return a < b ? yes : no;
}

/* 2^n, where a is n + 1.5 * 2^23 for an integer n in -126..127: n stands in the low bits of a. */
static inline gali_vf gali_vf_exp2_biased(gali_vf a) {
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    bits = (bits << 23) + 0x3F800000u;
    memcpy(&a, &bits, sizeof bits);
    return a;
}

/* Integers, as many as floats in a vector. */
typedef int32_t gali_vi;

/* Which lanes; of one, 0 or 1. */
typedef uint32_t gali_vm;

/* The first lane. */
static inline float gali_vf_first(gali_vf a) {
    return a;
}

static inline gali_vi gali_vi_set(int32_t a) {
    return a;
}

/* From any address, four bytes a lane. */
static inline gali_vi gali_vi_load(const void *p) {
    gali_vi a;
    memcpy(&a, p, sizeof a);
    return a;
}

static inline void gali_vi_store(int32_t *p, gali_vi a) {
    *p = a;
}

/* A float's bits, and back. */
static inline gali_vi gali_vf_bits(gali_vf a) {
    gali_vi bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static inline gali_vf gali_vf_from_bits(gali_vi a) {
    gali_vf number;
    memcpy(&number, &a, sizeof number);
    return number;
}

/* Without what is behind the point; INT32_MIN for NaN and what int32_t does not hold. */
static inline gali_vi gali_vf_int(gali_vf a) {
    return a >= -2147483648.0f && a < 2147483648.0f ? (gali_vi)a : INT32_MIN;
}

/* Rounded to nearest even. */
static inline gali_vf gali_vi_float(gali_vi a) {
    return (gali_vf)a;
}

/* Modulo 2^32. */
static inline gali_vi gali_vi_add(gali_vi a, gali_vi b) {
    return (gali_vi)((uint32_t)a + (uint32_t)b);
}

static inline gali_vi gali_vi_sub(gali_vi a, gali_vi b) {
    return (gali_vi)((uint32_t)a - (uint32_t)b);
}

static inline gali_vi gali_vi_and(gali_vi a, gali_vi b) {
    return a & b;
}

static inline gali_vi gali_vi_or(gali_vi a, gali_vi b) {
    return a | b;
}

static inline gali_vi gali_vi_xor(gali_vi a, gali_vi b) {
    return a ^ b;
}

/* By n bits, 0 <= n < 32, the same for all lanes; to the right the sign comes in, or zeros. */
static inline gali_vi gali_vi_shift_left(gali_vi a, int n) {
    return (gali_vi)((uint32_t)a << n);
}

static inline gali_vi gali_vi_shift_right(gali_vi a, int n) {
    return a < 0 ? ~(~a >> n) : a >> n;
}

static inline gali_vi gali_vi_shift_right_zeros(gali_vi a, int n) {
    return (gali_vi)((uint32_t)a >> n);
}

/* a < b, lane by lane; with a NaN all comparisons are false. */
static inline gali_vm gali_vm_less(gali_vf a, gali_vf b) {
    return a < b;
}

static inline gali_vm gali_vm_at_most(gali_vf a, gali_vf b) {
    return a <= b;
}

static inline gali_vm gali_vm_equal(gali_vf a, gali_vf b) {
    return a == b;
}

static inline gali_vm gali_vm_less_int(gali_vi a, gali_vi b) {
    return a < b;
}

static inline gali_vm gali_vm_equal_int(gali_vi a, gali_vi b) {
    return a == b;
}

/* Bit i for lane i, and back; bits past the last lane are ignored, and come back as 0. */
static inline gali_vm gali_vm_from_bits(uint32_t bits) {
    return bits & 1;
}

static inline uint32_t gali_vm_bits(gali_vm a) {
    return a;
}

static inline gali_vm gali_vm_and(gali_vm a, gali_vm b) {
    return a & b;
}

static inline gali_vm gali_vm_or(gali_vm a, gali_vm b) {
    return a | b;
}

static inline gali_vm gali_vm_not(gali_vm a) {
    return a ^ 1;
}

static inline int gali_vm_any(gali_vm a) {
    return (int)a;
}

static inline int gali_vm_all(gali_vm a) {
    return (int)a;
}

static inline gali_vf gali_vf_select(gali_vm which, gali_vf yes, gali_vf no) {
    return which ? yes : no;
}

static inline gali_vi gali_vi_select(gali_vm which, gali_vi yes, gali_vi no) {
    return which ? yes : no;
}

/* The sign turned over, of 0 and NaN as well. */
static inline gali_vf gali_vf_neg(gali_vf a) {
    return -a;
}

static inline gali_vf gali_vf_abs(gali_vf a) {
    return fabsf(a);
}

/* a with the sign of `sign`, of 0 and NaN as well. */
static inline gali_vf gali_vf_copysign(gali_vf a, gali_vf sign) {
    return copysignf(a, sign);
}

/* Correctly rounded; NaN of what is below 0. */
static inline gali_vf gali_vf_sqrt(gali_vf a) {
    return sqrtf(a);
}

/* a < b ? a : b, so b where one is NaN or both are 0; max alike. */
static inline gali_vf gali_vf_min(gali_vf a, gali_vf b) {
    return a < b ? a : b;
}

static inline gali_vf gali_vf_max(gali_vf a, gali_vf b) {
    return a > b ? a : b;
}

/* To the nearest integer, the even one of two; keeps -0, NaN and infinities. */
static inline gali_vf gali_vf_round(gali_vf a) {
    const float whole = 8388608.0f; /* 2^23: from here on all are integers */
    return fabsf(a) < whole ? copysignf((fabsf(a) + whole) - whole, a) : a;
}

static inline gali_vf gali_vf_floor(gali_vf a) {
    gali_vf near = gali_vf_round(a);
    return near > a ? near - 1 : near;
}

/* to[to_step j + i] = from[from_step i + j] of 4 x 4 numbers, which do not overlap. */
static inline void gali_transpose(float *to, size_t to_step, const float *from, size_t from_step) {
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 4; j++) {
            to[to_step * j + i] = from[from_step * i + j];
        }
    }
}

#endif
