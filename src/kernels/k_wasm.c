/* The kernel table for WebAssembly's simd128. Engines have 16 registers on x86, not all of them for us. */
#include "kernels/kernels.h"
#include "kernels/simd/wasm.h"

/* Rows by panel width: 4 x 2, 3 x 3, 2 x 4. With more sums V8 spills: 5 x 2 takes three times as long. */
static const uint32_t gali_tile_rows[GALI_PANEL_VECTORS_MAX + 1] = {0, 7, 4, 3, 2};
enum { GALI_GROUP_SUMS = 1, GALI_TILE_LEAST = 1, GALI_TILE_TOTALS = 4, GALI_AHEAD_ALONE = 8 };

#include "kernels/body/elementary.inc"

#include "kernels/body/activate_f32.inc" /* uses elementary.inc */
#include "kernels/body/panel_f32.inc"

#include "kernels/body/blend_f32.inc" /* uses panel_f32.inc */
#include "kernels/body/gru_f32.inc"   /* uses activate_f32.inc */

const gali_kernels gali_kernels_wasm = {
    .isa = GAL_ISA_WASM,
    .lanes = GALI_LANES,
    .panel_vectors = 2,
    .tile_rows = gali_tile_rows,
    .panel_f32 = gali_panel_f32,
    .blend_f32 = gali_blend_f32,
    .gru_f32 = gali_gru_f32,
    .activate_f32 = gali_activate_f32,
};
