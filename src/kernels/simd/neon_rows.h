/* Rows and look-ups for AArch64 NEON (simd/scalar_rows.h tells what each name means). */
#ifndef GALI_SIMD_NEON_ROWS_H
#define GALI_SIMD_NEON_ROWS_H

#include "kernels/simd/neon.h"

static inline void gali_rows_turn(const float32x4_t row[4], gali_vf column[4]) {
    float32x4x2_t a = vtrnq_f32(row[0], row[1]), b = vtrnq_f32(row[2], row[3]);
    column[0] = vcombine_f32(vget_low_f32(a.val[0]), vget_low_f32(b.val[0]));
    column[1] = vcombine_f32(vget_low_f32(a.val[1]), vget_low_f32(b.val[1]));
    column[2] = vcombine_f32(vget_high_f32(a.val[0]), vget_high_f32(b.val[0]));
    column[3] = vcombine_f32(vget_high_f32(a.val[1]), vget_high_f32(b.val[1]));
}

static inline void gali_rows_load(const float *const *rows, size_t from, gali_vf columns[4]) {
    float32x4_t row[4];
    for (uint32_t i = 0; i < 4; i++) {
        row[i] = vld1q_f32(rows[i] + from);
    }
    gali_rows_turn(row, columns);
}

static inline void gali_rows_store(float *const *rows, size_t to, const gali_vf columns[4]) {
    float32x4_t row[4];
    gali_rows_turn(columns, row);
    for (uint32_t i = 0; i < 4; i++) {
        vst1q_f32(rows[i] + to, row[i]);
    }
}

static inline gali_vf gali_vf_look_up(const float *table, gali_vi index) {
    float found[4];
    int32_t at[4];
    vst1q_s32(at, index);
    for (uint32_t i = 0; i < 4; i++) {
        found[i] = table[at[i]];
    }
    return vld1q_f32(found);
}

#endif
