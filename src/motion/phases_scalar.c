/* The phases of a step for plain C. */
#include "kernels/simd/scalar.h"
#include "kernels/simd/scalar_rows.h"

#define GALI_PHASES_TABLE gali_phases_scalar
#define GALI_PHASES_ISA GAL_ISA_SCALAR
#include "motion/body/phases.inc"
