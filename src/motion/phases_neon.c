/* The phases of a step for NEON. */
#include "kernels/simd/neon.h"
#include "kernels/simd/neon_rows.h"

#define GALI_PHASES_TABLE gali_phases_neon
#define GALI_PHASES_ISA GAL_ISA_NEON
#include "motion/body/phases.inc"
