/* The narrow table for WebAssembly's simd128. */
#include "kernels/simd/wasm_gemm.h"

#include "kernels/body/units.inc"

#include "kernels/body/prepare_narrow.inc"

#include "kernels/body/gemm_i8.inc"

#include "kernels/body/panel_narrow.inc" /* uses the three before it */
