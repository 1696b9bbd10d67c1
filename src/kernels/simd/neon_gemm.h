/*
 * The vocabulary of integer products for AArch64 NEON (simd/scalar_gemm.h tells what each name means).
 *
 * Base: pairs of bytes, smull and sadalp: two products of -128 x -128 would not fit into 16 bits, one does, and the two
 * instructions run on different pipes. FEAT_DotProd: four bytes, sdot by element. FEAT_I8MM: eight bytes of two rows and two
 * columns, smmla, four sums an instruction.
 */
#ifndef GALI_SIMD_NEON_GEMM_H
#define GALI_SIMD_NEON_GEMM_H

#include "kernels/gemm.h"
#include "kernels/simd/neon_narrow.h"

enum {
    GALI_GEMM_OFFSET = 0,
    GALI_GEMM_INTERLEAVED_ROWS = 8,
    GALI_GEMM_INTERLEAVED_VECTORS = 3,
    GALI_GEMM_NATIVE_ROWS = 4,
    GALI_GEMM_NATIVE_VECTORS = 4,
};

#if defined(__ARM_FEATURE_MATMUL_INT8)
enum {
    GALI_GEMM_DEPTH = 8,
    GALI_GEMM_PAIR = 2,
    GALI_GEMM_WORDS = 2,
    GALI_GEMM_KEEPS_WORDS = 1,
    GALI_GEMM_GAIN = 112
};

typedef int8x16x2_t gali_gw, gali_gx; /* columns 0, 1 and 2, 3; two words */
typedef int8x16_t gali_gword;
typedef int32x4x2_t gali_gs; /* [row][column] of columns 0, 1 and of 2, 3 */

static inline gali_gx gali_gx_load(const unsigned char *p) {
    return (gali_gx){{vreinterpretq_s8_u8(vld1q_u8(p)), vreinterpretq_s8_u8(vld1q_u8(p + 16))}};
}

static inline gali_gw gali_gw_load(const unsigned char *p) {
    return gali_gx_load(p);
}

static inline gali_gx gali_gx_rows(const unsigned char *first, const unsigned char *second) {
    const int64x2_t a = vreinterpretq_s64_u8(vld1q_u8(first)), b = vreinterpretq_s64_u8(vld1q_u8(second));
    return (gali_gx){{vreinterpretq_s8_s64(vzip1q_s64(a, b)), vreinterpretq_s8_s64(vzip2q_s64(a, b))}};
}

static inline gali_gword gali_gx_word(gali_gx x, uint32_t i) {
    return x.val[i];
}

static inline gali_gs gali_gs_start(const unsigned char *p) {
    const int64x2_t both = vreinterpretq_s64_s32(gali_vi_load(p));
    return (gali_gs){
        {vreinterpretq_s32_s64(vzip1q_s64(both, both)), vreinterpretq_s32_s64(vzip2q_s64(both, both))}};
}

static inline gali_gs gali_gs_dot(gali_gs sum, gali_gw w, gali_gword x) {
    return (gali_gs){{vmmlaq_s32(sum.val[0], x, w.val[0]), vmmlaq_s32(sum.val[1], x, w.val[1])}};
}

static inline gali_vi gali_gs_row(gali_gs sum, uint32_t i) {
    const int64x2_t a = vreinterpretq_s64_s32(sum.val[0]), b = vreinterpretq_s64_s32(sum.val[1]);
    return vreinterpretq_s32_s64(i ? vzip2q_s64(a, b) : vzip1q_s64(a, b));
}
#else
typedef gali_vi gali_gs;

static inline gali_gs gali_gs_start(const unsigned char *p) {
    return gali_vi_load(p);
}

static inline gali_vi gali_gs_row(gali_gs sum, uint32_t i) {
    (void)i;
    return sum;
}

#if defined(__ARM_FEATURE_DOTPROD)
enum {
    GALI_GEMM_DEPTH = 4,
    GALI_GEMM_PAIR = 1,
    GALI_GEMM_WORDS = 4,
    GALI_GEMM_KEEPS_WORDS = 1,
    GALI_GEMM_GAIN = 100
};

typedef int8x16_t gali_gw, gali_gx;
typedef struct gali_gword {
    gali_gx x;
    uint32_t i; /* a constant, once all is inlined */
} gali_gword;

static inline gali_gx gali_gx_load(const unsigned char *p) {
    return vreinterpretq_s8_u8(vld1q_u8(p));
}

static inline gali_gw gali_gw_load(const unsigned char *p) {
    return gali_gx_load(p);
}

static inline gali_gword gali_gx_word(gali_gx x, uint32_t i) {
    return (gali_gword){x, i};
}

static inline gali_gs gali_gs_dot(gali_gs sum, gali_gw w, gali_gword x) {
    switch (x.i) {
    case 0:
        return vdotq_laneq_s32(sum, w, x.x, 0);
    case 1:
        return vdotq_laneq_s32(sum, w, x.x, 1);
    case 2:
        return vdotq_laneq_s32(sum, w, x.x, 2);
    default:
        return vdotq_laneq_s32(sum, w, x.x, 3);
    }
}
#else
enum {
    GALI_GEMM_DEPTH = 2,
    GALI_GEMM_PAIR = 1,
    GALI_GEMM_WORDS = 4,
    GALI_GEMM_KEEPS_WORDS = 0,
    GALI_GEMM_GAIN = 100
};

typedef int8x8_t gali_gw, gali_gx, gali_gword;

static inline gali_gx gali_gx_load(const unsigned char *p) {
    return vreinterpret_s8_u8(vld1_u8(p));
}

static inline gali_gw gali_gw_load(const unsigned char *p) {
    return gali_gx_load(p);
}

static inline gali_gword gali_gx_word(gali_gx x, uint32_t i) {
    const int16x4_t words = vreinterpret_s16_s8(x);
    switch (i) {
    case 0:
        return vreinterpret_s8_s16(vdup_lane_s16(words, 0));
    case 1:
        return vreinterpret_s8_s16(vdup_lane_s16(words, 1));
    case 2:
        return vreinterpret_s8_s16(vdup_lane_s16(words, 2));
    default:
        return vreinterpret_s8_s16(vdup_lane_s16(words, 3));
    }
}

static inline gali_gs gali_gs_dot(gali_gs sum, gali_gw w, gali_gword x) {
    return vpadalq_s16(sum, vmull_s8(w, x));
}
#endif

static inline gali_gx gali_gx_rows(const unsigned char *first, const unsigned char *second) {
    (void)second;
    return gali_gx_load(first);
}
#endif

#endif
