#include "motion/phases.h"

const gali_phases *gali_phases_get(gal_isa isa) {
    switch (isa) {
#ifdef GALI_HAVE_AVX2
    case GAL_ISA_AVX2:
    case GAL_ISA_AVX2_VNNI:
        return &gali_phases_avx2;
#endif
#ifdef GALI_HAVE_AVX512
    case GAL_ISA_AVX512:
    case GAL_ISA_AVX512_VNNI:
    case GAL_ISA_AVX512_BF16:
        return &gali_phases_avx512;
#endif
#ifdef GALI_HAVE_NEON
    case GAL_ISA_NEON:
    case GAL_ISA_NEON_A55:
    case GAL_ISA_NEON_DOT:
    case GAL_ISA_NEON_BF16:
    case GAL_ISA_NEON_I8MM:
        return &gali_phases_neon;
#endif
#ifdef GALI_HAVE_WASM
    case GAL_ISA_WASM:
        return &gali_phases_wasm;
#endif
    default:
        return &gali_phases_scalar;
    }
}
