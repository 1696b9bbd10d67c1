/*
 * The vocabulary of narrow arithmetic for AArch64 NEON (simd/scalar_narrow.h tells what each name means): the base set, and with the
 * compiler's flags for them sdot, bfmlal and smmla.
 *
 * BFDOT and BFMMLA are not used: they round to odd, so their bits are no other instruction set's. BFMLALT and
 * BFMLALB are fused multiply-adds to nearest even like everybody's.
 */
#ifndef GALI_SIMD_NEON_NARROW_H
#define GALI_SIMD_NEON_NARROW_H

#include "kernels/narrow.h"
#include "kernels/simd/neon.h"

#if defined(__ARM_FEATURE_MATMUL_INT8)
#define GALI_NARROW_TABLE gali_narrow_neon_i8mm
#define GALI_NARROW_ISA GAL_ISA_NEON_I8MM
#elif defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
#define GALI_NARROW_TABLE gali_narrow_neon_bf16
#define GALI_NARROW_ISA GAL_ISA_NEON_BF16
#elif defined(__ARM_FEATURE_DOTPROD)
#define GALI_NARROW_TABLE gali_narrow_neon_dot
#define GALI_NARROW_ISA GAL_ISA_NEON_DOT
#else
#define GALI_NARROW_TABLE gali_narrow_neon
#define GALI_NARROW_ISA GAL_ISA_NEON
#endif

enum { GALI_NARROW_AHEAD_ROWS = 99 };
enum { GALI_SIGNED_BYTES = 1 };
#define GALI_I16_LAYOUT GALI_LAYOUT_INPUTS
#define GALI_I8_I16_LAYOUT GALI_LAYOUT_INPUTS
#if defined(__ARM_FEATURE_MATMUL_INT8)
#define GALI_I8_LAYOUT GALI_LAYOUT_EIGHTS
#define GALI_BYTES_BODY "kernels/body/bytes_mmla.inc"
#elif defined(__ARM_FEATURE_DOTPROD)
#define GALI_I8_LAYOUT GALI_LAYOUT_OUTPUTS
#else
#define GALI_I8_LAYOUT GALI_LAYOUT_PAIRS
#endif

static const uint32_t gali_narrow_rows[GALI_NARROW_COUNT][GALI_PANEL_VECTORS_MAX + 1] = {
    [GALI_NARROW_I16_BLOCKS] = {0, 6, 6, 6, 6}, [GALI_NARROW_I8_I16] = {0, 6, 6, 6, 6},
    [GALI_NARROW_I8_BLOCKS] = {0, 6, 6, 6, 6},  [GALI_NARROW_I8_ROW] = {0, 6, 6, 6, 6},
    [GALI_NARROW_F16] = {0, 6, 6, 6, 6},        [GALI_NARROW_BF16] = {0, 6, 6, 6, 6},
    [GALI_NARROW_BF16_DOT] = {0, 6, 6, 6, 5},
};

static inline gali_vi gali_vi_add_product(gali_vi a, gali_vi b, int32_t c) {
    return vmlaq_n_s32(a, b, c);
}

static inline gali_vf gali_vi_block_scale(gali_vi word) {
    return vreinterpretq_f32_s32(vandq_s32(word, vdupq_n_s32(-65536)));
}

static inline gali_vi gali_vi_block_start(gali_vi word) {
    return vshrq_n_s32(vshlq_n_s32(word, 16), 9);
}

typedef int8x16_t gali_w8;
typedef int16x8_t gali_w16; /* four outputs of one input, then of the next */

static inline gali_w8 gali_w8_load(const void *p) {
    return vld1q_s8(p);
}

static inline gali_w16 gali_w16_load(const void *p) {
    return vreinterpretq_s16_s8(vld1q_s8(p));
}

static inline gali_w16 gali_w16_widen(const void *p, int half) {
    return vmovl_s8(vld1_s8((const int8_t *)p + 8 * half));
}

/* A word in the low lanes of a register, multiplied by element. */
static inline int32x2_t gali_vi_word(const void *p) {
    int32_t word;
    memcpy(&word, p, sizeof word);
    return vset_lane_s32(word, vdup_n_s32(0), 0);
}

typedef int16x4_t gali_x16;

static inline gali_x16 gali_x16_load(const void *p) {
    return vreinterpret_s16_s32(gali_vi_word(p));
}

static inline gali_vi gali_vi_dot16(gali_vi sum, gali_w16 w, gali_x16 x) {
    sum = vmlal_lane_s16(sum, vget_low_s16(w), x, 0);
    return vmlal_high_lane_s16(sum, w, x, 1);
}

#if defined(__ARM_FEATURE_MATMUL_INT8)
typedef int8x16_t gali_x8x2; /* eight inputs of two rows */

static inline gali_x8x2 gali_x8x2_load(const void *first, const void *second) {
    return vcombine_s8(vld1_s8(first), vld1_s8(second));
}

static inline gali_vi gali_vi_mmla(gali_vi sum, gali_x8x2 x, gali_w8 w) {
    return vmmlaq_s32(sum, x, w);
}

/* Two squares, [row][output] of two outputs and of the next two, become two rows. */
static inline void gali_vi_settle(gali_vi *a, gali_vi *b) {
    const int64x2_t low = vreinterpretq_s64_s32(*a), high = vreinterpretq_s64_s32(*b);
    *a = vreinterpretq_s32_s64(vzip1q_s64(low, high));
    *b = vreinterpretq_s32_s64(vzip2q_s64(low, high));
}
#elif defined(__ARM_FEATURE_DOTPROD)
typedef int8x8_t gali_x8;

static inline gali_x8 gali_x8_load(const void *p) {
    return vreinterpret_s8_s32(gali_vi_word(p));
}

static inline gali_vi gali_vi_dot8(gali_vi sum, gali_w8 w, gali_x8 x) {
    return vdotq_lane_s32(sum, w, x, 0);
}
#else
/* Two inputs of four outputs, then the next two: two products of bytes up to 127 fit into 16 bits. */
typedef struct gali_x8 {
    int8x8_t low;
    int8x16_t high;
} gali_x8;

static inline gali_x8 gali_x8_load(const void *p) {
    const int16x4_t both = vreinterpret_s16_s32(gali_vi_word(p));
    return (gali_x8){vreinterpret_s8_s16(vdup_lane_s16(both, 0)),
                     vreinterpretq_s8_s16(vdupq_lane_s16(both, 1))};
}

static inline gali_vi gali_vi_dot8(gali_vi sum, gali_w8 w, gali_x8 x) {
    return vpadalq_s16(sum, vmlal_high_s8(vmull_s8(vget_low_s8(w), x.low), w, x.high));
}
#endif

static inline gali_vf gali_vf_f16(const void *p) {
    return vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8(p)));
}

static inline gali_vf gali_vf_bf16_first(gali_vi word) {
    return vreinterpretq_f32_s32(vshlq_n_s32(word, 16));
}

static inline gali_vf gali_vf_bf16_second(gali_vi word) {
    return gali_vi_block_scale(word);
}

#if defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
typedef bfloat16x8_t gali_xb;

static inline gali_xb gali_xb_load(const void *p) {
    return vreinterpretq_bf16_s32(vcombine_s32(gali_vi_word(p), vdup_n_s32(0)));
}

static inline gali_vf gali_vf_dot_bf16(gali_vf sum, gali_vi w, gali_xb x) {
    const bfloat16x8_t pairs = vreinterpretq_bf16_s32(w);
#ifdef __clang__
    sum = vbfmlaltq_laneq_f32(sum, pairs, x, 1);
    return vbfmlalbq_laneq_f32(sum, pairs, x, 0);
#else /* gcc 12 forgets that a factor by element stands in one of the lower sixteen registers ("x") */
    __asm__("bfmlalt %0.4s, %1.8h, %2.h[1]" : "+w"(sum) : "w"(pairs), "x"(x));
    __asm__("bfmlalb %0.4s, %1.8h, %2.h[0]" : "+w"(sum) : "w"(pairs), "x"(x));
    return sum;
#endif
}
#else
typedef struct gali_xb {
    float first, second;
} gali_xb;

static inline gali_xb gali_xb_load(const void *p) {
    uint32_t word, second;
    gali_xb x;
    memcpy(&word, p, sizeof word);
    second = word & 0xffff0000u;
    word <<= 16;
    memcpy(&x.first, &word, sizeof word);
    memcpy(&x.second, &second, sizeof second);
    return x;
}

static inline gali_vf gali_vf_dot_bf16(gali_vf sum, gali_vi w, gali_xb x) {
    sum = vfmaq_n_f32(sum, gali_vf_bf16_second(w), x.second);
    return vfmaq_n_f32(sum, gali_vf_bf16_first(w), x.first);
}
#endif

static inline uint16x4_t gali_vi_low16(gali_vf a) {
    return vmovn_u32(vreinterpretq_u32_f32(a));
}

static inline void gali_vf_store_low8(void *p, gali_vf a) {
    const uint16x4_t words = gali_vi_low16(a);
    const uint8x8_t bytes = vmovn_u16(vcombine_u16(words, words));
    const uint32_t four = vget_lane_u32(vreinterpret_u32_u8(bytes), 0);
    memcpy(p, &four, sizeof four);
}

static inline void gali_vf_store_low16(void *p, gali_vf a) {
    vst1_u8(p, vreinterpret_u8_u16(gali_vi_low16(a)));
}

static inline void gali_vf_store_bf16(void *p, gali_vf a) {
    const uint32x4_t bits = vreinterpretq_u32_f32(a);
    const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    const uint32x4_t sum = vaddq_u32(vaddq_u32(bits, vdupq_n_u32(0x7fff)), odd);
    vst1_u8(p, vreinterpret_u8_u16(vshrn_n_u32(sum, 16)));
}

static inline gali_vf gali_vf_most(gali_vf a, gali_vf b) {
    return vmaxq_f32(a, b);
}

static inline float gali_vf_largest(gali_vf a) {
    return vmaxvq_f32(a);
}

#endif
