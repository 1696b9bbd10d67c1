/* Rows and look-ups for the simd vocabulary, in plain C: one row a lane. */
#ifndef GALI_SIMD_SCALAR_ROWS_H
#define GALI_SIMD_SCALAR_ROWS_H

#include "kernels/simd/scalar.h"

/* Four columns of GALI_LANES rows, from their `from`-th float on: lane l of columns[i] is rows[l][from + i]. */
static inline void gali_rows_load(const float *const *rows, size_t from, gali_vf columns[4]) {
    for (uint32_t i = 0; i < 4; i++) {
        columns[i] = rows[0][from + i];
    }
}

/* The way back. */
static inline void gali_rows_store(float *const *rows, size_t to, const gali_vf columns[4]) {
    for (uint32_t i = 0; i < 4; i++) {
        rows[0][to + i] = columns[i];
    }
}

/* table[index], lane by lane. */
static inline gali_vf gali_vf_look_up(const float *table, gali_vi index) {
    return table[index];
}

#endif
