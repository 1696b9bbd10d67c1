/* Rows and look-ups for AVX2 (simd/scalar_rows.h tells what each name means). */
#ifndef GALI_SIMD_AVX2_ROWS_H
#define GALI_SIMD_AVX2_ROWS_H

#include "kernels/simd/avx2.h"

/* Every fourth row in one register, then two transpositions of 4 x 4 at once. */
static inline void gali_rows_turn(const __m256 row[4], gali_vf column[4]) {
    __m256 low01 = _mm256_unpacklo_ps(row[0], row[1]), high01 = _mm256_unpackhi_ps(row[0], row[1]);
    __m256 low23 = _mm256_unpacklo_ps(row[2], row[3]), high23 = _mm256_unpackhi_ps(row[2], row[3]);
    column[0] = _mm256_shuffle_ps(low01, low23, _MM_SHUFFLE(1, 0, 1, 0));
    column[1] = _mm256_shuffle_ps(low01, low23, _MM_SHUFFLE(3, 2, 3, 2));
    column[2] = _mm256_shuffle_ps(high01, high23, _MM_SHUFFLE(1, 0, 1, 0));
    column[3] = _mm256_shuffle_ps(high01, high23, _MM_SHUFFLE(3, 2, 3, 2));
}

static inline void gali_rows_load(const float *const *rows, size_t from, gali_vf columns[4]) {
    __m256 row[4];
    for (uint32_t i = 0; i < 4; i++) {
        __m256 half = _mm256_castps128_ps256(_mm_loadu_ps(rows[i] + from));
        row[i] = _mm256_insertf128_ps(half, _mm_loadu_ps(rows[i + 4] + from), 1);
    }
    gali_rows_turn(row, columns);
}

static inline void gali_rows_store(float *const *rows, size_t to, const gali_vf columns[4]) {
    __m256 row[4];
    gali_rows_turn(columns, row);
    for (uint32_t i = 0; i < 4; i++) {
        _mm_storeu_ps(rows[i] + to, _mm256_castps256_ps128(row[i]));
        _mm_storeu_ps(rows[i + 4] + to, _mm256_extractf128_ps(row[i], 1));
    }
}

static inline gali_vf gali_vf_look_up(const float *table, gali_vi index) {
    return _mm256_i32gather_ps(table, index, 4);
}

#endif
