/* The kernel table for AVX2 and FMA: 16 registers, 12 accumulators + 3 weights + 1 input, or 2 and 1. */
#include "kernels/kernels.h"
#include "kernels/simd/avx2.h"

/* Rows by panel width. 6 x 2 reads a panel once for up to 6 characters and is 5 % faster at 5 where layers are as wide as
 * the paper's, but a tenth to a third slower at 4 to 8 where activations are 512 wide, and at 4 always. clang keeps one of
 * 12 accumulators in memory beside 3 weights: half of peak. */
#ifdef __clang__
enum { ROWS_OF_THREE = 3, GALI_GROUP_SUMS = 6 };
#else
enum { ROWS_OF_THREE = 4, GALI_GROUP_SUMS = 12 };
#endif
enum { GALI_TILE_LEAST = 10, GALI_TILE_TOTALS = 12, GALI_AHEAD_ALONE = 4 };
static const uint32_t gali_tile_rows[GALI_PANEL_VECTORS_MAX + 1] = {0, 8, 6, ROWS_OF_THREE, 3};

#include "kernels/body/elementary.inc"

#include "kernels/body/activate_f32.inc" /* uses elementary.inc */
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
