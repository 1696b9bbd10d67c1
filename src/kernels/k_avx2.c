/* The kernel table for AVX2 and FMA: 16 registers, 12 accumulators + 3 weights + 1 input. */
#include "kernels/kernels.h"
#include "kernels/simd/avx2.h"

/* Rows by panel width. 4 x 3 keeps 12 FMA in flight and reaches 97 % of peak where 3 x 3 and 5 x 2 reach 90, and
 * 2 x 3 alone, waiting for each FMA, 75: two experts at a time make it 12. clang wants a register more for 12 and
 * keeps an accumulator in memory: half of peak. */
#ifdef __clang__
enum { ROWS_OF_THREE = 3, GALI_TILE_SUMS = 6, GALI_TILE_FULL = 0 };
#else
enum { ROWS_OF_THREE = 4, GALI_TILE_SUMS = 12, GALI_TILE_FULL = 1 };
#endif
static const uint32_t gali_tile_rows[GALI_PANEL_VECTORS_MAX + 1] = {0, 8, 6, ROWS_OF_THREE, 2};

#include "kernels/body/activate_f32.inc"
#include "kernels/body/panel_f32.inc"

#include "kernels/body/blend_f32.inc" /* uses panel_f32.inc */
#include "kernels/body/gru_f32.inc"   /* uses activate_f32.inc */

const gali_kernels gali_kernels_avx2 = {
    .isa = GAL_ISA_AVX2,
    .lanes = GALI_LANES,
    .panel_vectors = 3,
    .tile_rows = gali_tile_rows,
    .panel_f32 = gali_panel_f32,
    .blend_f32 = gali_blend_f32,
    .gru_f32 = gali_gru_f32,
    .activate_f32 = gali_activate_f32,
};
