/* The vocabulary of integer products for WebAssembly's simd128 (simd/scalar_gemm.h tells what each name means): pairs of bytes
 * widened to 16 bits, of which one product of -128 x -128 more than fits into 16 bits does fit into the sum's 32. */
#ifndef GALI_SIMD_WASM_GEMM_H
#define GALI_SIMD_WASM_GEMM_H

#include "kernels/gemm.h"
#include "kernels/simd/wasm_narrow.h"

enum {
    GALI_GEMM_DEPTH = 2,
    GALI_GEMM_PAIR = 1,
    GALI_GEMM_WORDS = 4,
    GALI_GEMM_OFFSET = 0,
    GALI_GEMM_GAIN = 100,
    GALI_GEMM_KEEPS_WORDS = 0,
    GALI_GEMM_INTERLEAVED_ROWS = 5,
    GALI_GEMM_INTERLEAVED_VECTORS = 2,
    GALI_GEMM_NATIVE_ROWS = 2,
    GALI_GEMM_NATIVE_VECTORS = 4,
};

typedef v128_t gali_gw, gali_gx, gali_gword, gali_gs;

static inline gali_gw gali_gw_load(const unsigned char *p) {
    return wasm_i16x8_load8x8(p);
}

static inline gali_gx gali_gx_load(const unsigned char *p) {
    return wasm_i16x8_load8x8(p);
}

static inline gali_gx gali_gx_rows(const unsigned char *first, const unsigned char *second) {
    (void)second;
    return gali_gx_load(first);
}

static inline gali_gword gali_gx_word(gali_gx x, uint32_t i) {
    switch (i) {
    case 0:
        return wasm_i32x4_shuffle(x, x, 0, 0, 0, 0);
    case 1:
        return wasm_i32x4_shuffle(x, x, 1, 1, 1, 1);
    case 2:
        return wasm_i32x4_shuffle(x, x, 2, 2, 2, 2);
    default:
        return wasm_i32x4_shuffle(x, x, 3, 3, 3, 3);
    }
}

static inline gali_gs gali_gs_start(const unsigned char *p) {
    return wasm_v128_load(p);
}

static inline gali_gs gali_gs_dot(gali_gs sum, gali_gw w, gali_gword x) {
    return gali_vi_dot16(sum, w, x);
}

static inline gali_vi gali_gs_row(gali_gs sum, uint32_t i) {
    (void)i;
    return sum;
}

#endif
