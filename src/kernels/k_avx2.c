/* The kernel table for AVX2 and FMA: 16 registers, 12 accumulators + 2 weights + 1 input. */
#include "kernels/kernels.h"
#include "kernels/simd/avx2.h"

/* Few rows need the width of four vectors to hide the latency of the FMA; six fill the registers with two. */
static const uint32_t gali_tile_rows[GALI_PANEL_VECTORS_MAX + 1] = {0, 6, 6, 6, 6};
static const uint32_t gali_tile_vectors[GALI_TILE_ROWS_MAX + 1] = {0, 4, 4, 3, 2, 2, 2, 1, 1};

#include "kernels/body/activate_f32.inc"
#include "kernels/body/panel_f32.inc"

const gali_kernels gali_kernels_avx2 = {
    .isa = GAL_ISA_AVX2,
    .lanes = GALI_LANES,
    .panel_vectors = 4,
    .panel_f32 = gali_panel_f32,
    .activate_f32 = gali_activate_f32,
    .softmax_f32 = gali_softmax_f32,
};
