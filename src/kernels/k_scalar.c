/* The kernel table for plain C, which every machine runs: the truth that the others are compared with bit for bit. */
#include "kernels/kernels.h"
#include "kernels/simd/scalar.h"

/* Tiles only save loads here. */
static const uint32_t gali_tile_rows[GALI_PANEL_VECTORS_MAX + 1] = {0, 4, 4, 4, 2};
enum { GALI_GROUP_SUMS = 1, GALI_TILE_LEAST = 1, GALI_TILE_TOTALS = 4, GALI_AHEAD_ALONE = 8 };

#include "kernels/body/elementary.inc"

#include "kernels/body/activate_f32.inc" /* uses elementary.inc */
#include "kernels/body/panel_f32.inc"

#include "kernels/body/blend_f32.inc" /* uses panel_f32.inc */
#include "kernels/body/gru_f32.inc"   /* uses activate_f32.inc */

const gali_kernels gali_kernels_scalar = {
    .isa = GAL_ISA_SCALAR,
    .lanes = GALI_LANES,
    .panel_vectors = 4,
    .tile_rows = gali_tile_rows,
    .panel_f32 = gali_panel_f32,
    .blend_f32 = gali_blend_f32,
    .gru_f32 = gali_gru_f32,
    .activate_f32 = gali_activate_f32,
};
