/* Rows and look-ups for WebAssembly's simd128 (simd/scalar_rows.h tells what each name means). */
#ifndef GALI_SIMD_WASM_ROWS_H
#define GALI_SIMD_WASM_ROWS_H

#include "kernels/simd/wasm.h"

static inline void gali_rows_turn(const v128_t row[4], gali_vf column[4]) {
    v128_t low01 = wasm_i32x4_shuffle(row[0], row[1], 0, 4, 1, 5),
           high01 = wasm_i32x4_shuffle(row[0], row[1], 2, 6, 3, 7);
    v128_t low23 = wasm_i32x4_shuffle(row[2], row[3], 0, 4, 1, 5),
           high23 = wasm_i32x4_shuffle(row[2], row[3], 2, 6, 3, 7);
    column[0] = wasm_i32x4_shuffle(low01, low23, 0, 1, 4, 5);
    column[1] = wasm_i32x4_shuffle(low01, low23, 2, 3, 6, 7);
    column[2] = wasm_i32x4_shuffle(high01, high23, 0, 1, 4, 5);
    column[3] = wasm_i32x4_shuffle(high01, high23, 2, 3, 6, 7);
}

static inline void gali_rows_load(const float *const *rows, size_t from, gali_vf columns[4]) {
    v128_t row[4];
    for (uint32_t i = 0; i < 4; i++) {
        row[i] = wasm_v128_load(rows[i] + from);
    }
    gali_rows_turn(row, columns);
}

static inline void gali_rows_store(float *const *rows, size_t to, const gali_vf columns[4]) {
    v128_t row[4];
    gali_rows_turn(columns, row);
    for (uint32_t i = 0; i < 4; i++) {
        wasm_v128_store(rows[i] + to, row[i]);
    }
}

static inline gali_vf gali_vf_look_up(const float *table, gali_vi index) {
    float found[4];
    int32_t at[4];
    wasm_v128_store(at, index);
    for (uint32_t i = 0; i < 4; i++) {
        found[i] = table[at[i]];
    }
    return wasm_v128_load(found);
}

#endif
