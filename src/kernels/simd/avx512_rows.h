/* Rows and look-ups for AVX-512 (simd/scalar_rows.h tells what each name means). */
#ifndef GALI_SIMD_AVX512_ROWS_H
#define GALI_SIMD_AVX512_ROWS_H

#include "kernels/simd/avx512.h"

/* Every fourth row in one register, then four transpositions of 4 x 4 at once. */
static inline void gali_rows_turn(const __m512 row[4], gali_vf column[4]) {
    __m512 low01 = _mm512_unpacklo_ps(row[0], row[1]), high01 = _mm512_unpackhi_ps(row[0], row[1]);
    __m512 low23 = _mm512_unpacklo_ps(row[2], row[3]), high23 = _mm512_unpackhi_ps(row[2], row[3]);
    column[0] = _mm512_shuffle_ps(low01, low23, _MM_SHUFFLE(1, 0, 1, 0));
    column[1] = _mm512_shuffle_ps(low01, low23, _MM_SHUFFLE(3, 2, 3, 2));
    column[2] = _mm512_shuffle_ps(high01, high23, _MM_SHUFFLE(1, 0, 1, 0));
    column[3] = _mm512_shuffle_ps(high01, high23, _MM_SHUFFLE(3, 2, 3, 2));
}

static inline void gali_rows_load(const float *const *rows, size_t from, gali_vf columns[4]) {
    __m512 row[4];
    for (uint32_t i = 0; i < 4; i++) {
        __m512 quarter = _mm512_castps128_ps512(_mm_loadu_ps(rows[i] + from));
        quarter = _mm512_insertf32x4(quarter, _mm_loadu_ps(rows[i + 4] + from), 1);
        quarter = _mm512_insertf32x4(quarter, _mm_loadu_ps(rows[i + 8] + from), 2);
        row[i] = _mm512_insertf32x4(quarter, _mm_loadu_ps(rows[i + 12] + from), 3);
    }
    gali_rows_turn(row, columns);
}

static inline void gali_rows_store(float *const *rows, size_t to, const gali_vf columns[4]) {
    __m512 row[4];
    gali_rows_turn(columns, row);
    for (uint32_t i = 0; i < 4; i++) {
        _mm_storeu_ps(rows[i] + to, _mm512_castps512_ps128(row[i]));
        _mm_storeu_ps(rows[i + 4] + to, _mm512_extractf32x4_ps(row[i], 1));
        _mm_storeu_ps(rows[i + 8] + to, _mm512_extractf32x4_ps(row[i], 2));
        _mm_storeu_ps(rows[i + 12] + to, _mm512_extractf32x4_ps(row[i], 3));
    }
}

static inline gali_vf gali_vf_look_up(const float *table, gali_vi index) {
    return _mm512_i32gather_ps(index, table, 4);
}

#endif
