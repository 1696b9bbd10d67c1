#include "kernels/kernels.h"

const gali_kernels *gali_kernels_get(gal_isa isa) {
    switch (isa) {
#ifdef GALI_HAVE_AVX2
    case GAL_ISA_AVX2:
    case GAL_ISA_AVX2_VNNI:
        return &gali_kernels_avx2;
#endif
#ifdef GALI_HAVE_AVX512
    case GAL_ISA_AVX512:
    case GAL_ISA_AVX512_VNNI:
    case GAL_ISA_AVX512_BF16:
        return &gali_kernels_avx512;
#endif
#ifdef GALI_HAVE_NEON
    case GAL_ISA_NEON:
    case GAL_ISA_NEON_DOT:
    case GAL_ISA_NEON_BF16:
    case GAL_ISA_NEON_I8MM:
        return &gali_kernels_neon;
#endif
#ifdef GALI_HAVE_NEON_A55
    case GAL_ISA_NEON_A55:
        return &gali_kernels_neon_a55;
#endif
#ifdef GALI_HAVE_WASM
    case GAL_ISA_WASM:
    case GAL_ISA_WASM_UNFUSED:
        return &gali_kernels_wasm;
#endif
    default:
        return &gali_kernels_scalar;
    }
}

uint32_t gali_patch_vectors(uint32_t lanes) {
    const uint32_t vectors = GALI_PATCH_OUTPUTS / lanes;
    return vectors < GALI_PANEL_VECTORS_MAX ? vectors : GALI_PANEL_VECTORS_MAX;
}
