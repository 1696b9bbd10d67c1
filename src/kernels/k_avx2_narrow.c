/* The narrow table for AVX2, FMA and F16C; k_avx2_vnni.c is this file with its flag. */
#include "kernels/simd/avx2_gemm.h"

#include "kernels/body/units.inc"

#include "kernels/body/prepare_narrow.inc"

#include "kernels/body/gemm_i8.inc"

#include "kernels/body/panel_narrow.inc" /* uses the three before it */
