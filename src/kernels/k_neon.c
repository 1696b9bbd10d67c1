/* The kernel table for NEON: 32 registers, 24 accumulators + 4 weights + 1 input. */
#include "kernels/kernels.h"
#include "kernels/simd/neon.h"

/* Rows by panel width: 6 x 4, 8 x 3. */
static const uint32_t gali_tile_rows[GALI_PANEL_VECTORS_MAX + 1] = {0, 8, 8, 8, 6};
enum { GALI_GROUP_SUMS = 1, GALI_TILE_LEAST = 1, GALI_TILE_TOTALS = 12, GALI_AHEAD_ALONE = 8 };

#include "kernels/body/elementary.inc"

#include "kernels/body/activate_f32.inc" /* uses elementary.inc */
#include "kernels/body/panel_f32.inc"

#include "kernels/body/blend_f32.inc" /* uses panel_f32.inc */
#include "kernels/body/gru_f32.inc"   /* uses activate_f32.inc */

#ifndef GALI_NEON_TABLE
#define GALI_NEON_TABLE gali_kernels_neon
#define GALI_NEON_ISA GAL_ISA_NEON
#endif

const gali_kernels GALI_NEON_TABLE = {
    .isa = GALI_NEON_ISA,
    .lanes = GALI_LANES,
    .panel_vectors = 4,
    .tile_rows = gali_tile_rows,
    .panel_f32 = gali_panel_f32,
    .blend_f32 = gali_blend_f32,
    .gru_f32 = gali_gru_f32,
    .activate_f32 = gali_activate_f32,
};
