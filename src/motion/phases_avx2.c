/* The phases of a step for AVX2 and FMA. */
#include "kernels/simd/avx2.h"
#include "kernels/simd/avx2_rows.h"

#define GALI_PHASES_TABLE gali_phases_avx2
#define GALI_PHASES_ISA GAL_ISA_AVX2
#include "motion/body/phases.inc"
