/* The narrow table in plain C: the truth that the others are compared with bit for bit. */
#include "kernels/simd/scalar_gemm.h"

#include "kernels/body/units.inc"

#include "kernels/body/prepare_narrow.inc"

#include "kernels/body/gemm_i8.inc"

#include "kernels/body/panel_narrow.inc" /* uses the three before it */
