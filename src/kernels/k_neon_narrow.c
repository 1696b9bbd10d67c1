/* The narrow table for NEON; k_neon_dot.c and k_neon_bf16.c are this file with their flags. */
#include "kernels/simd/neon_gemm.h"

#include "kernels/body/units.inc"

#include "kernels/body/prepare_narrow.inc"

#include "kernels/body/gemm_i8.inc"

#include "kernels/body/panel_narrow.inc" /* uses the three before it */
