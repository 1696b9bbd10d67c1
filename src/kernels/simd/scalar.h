/* The simd vocabulary in plain C: one lane. fmaf is correctly rounded, so the bits are every ISA's. */
#ifndef GALI_SIMD_SCALAR_H
#define GALI_SIMD_SCALAR_H

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

/* a b + c, rounded once. */
static inline gali_vf gali_vf_fma(gali_vf a, gali_vf b, gali_vf c) {
    return fmaf(a, b, c);
}

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

#endif
