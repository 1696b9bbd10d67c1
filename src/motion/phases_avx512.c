/* The phases of a step for AVX-512. */
#include "kernels/simd/avx512.h"
#include "kernels/simd/avx512_rows.h"

#define GALI_PHASES_TABLE gali_phases_avx512
#define GALI_PHASES_ISA GAL_ISA_AVX512
#include "motion/body/phases.inc"
