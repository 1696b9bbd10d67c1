/* The phases of a step for WebAssembly's simd128. */
#include "kernels/simd/wasm.h"
#include "kernels/simd/wasm_rows.h"

#define GALI_PHASES_TABLE gali_phases_wasm
#define GALI_PHASES_ISA GAL_ISA_WASM
#include "motion/body/phases.inc"
