/* The narrow table for AVX-512 F, VL, DQ, BW; k_avx512_vnni.c and k_avx512_bf16.c are this file with their flags. */
#include "kernels/simd/avx512_gemm.h"

#include "kernels/body/units.inc"

#include "kernels/body/prepare_narrow.inc"

#include "kernels/body/gemm_i8.inc"

#include "kernels/body/panel_narrow.inc" /* uses the three before it */
