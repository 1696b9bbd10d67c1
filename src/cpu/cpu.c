#include "cpu/cpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"

#if defined(GALI_X86_64)
#include "cpu/cpuid.h"
#elif defined(GALI_AARCH64) && defined(__linux__)
#include <sys/auxv.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

const char *gal_isa_name(gal_isa isa) {
    static const char *const names[GAL_ISA_COUNT] = {
        [GAL_ISA_BEST] = "best",
        [GAL_ISA_SCALAR] = "scalar",
        [GAL_ISA_AVX2] = "avx2",
        [GAL_ISA_AVX512] = "avx512",
        [GAL_ISA_NEON] = "neon",
        [GAL_ISA_NEON_A55] = "neon-a55",
        [GAL_ISA_AVX2_VNNI] = "avx2-vnni",
        [GAL_ISA_AVX512_VNNI] = "avx512-vnni",
        [GAL_ISA_AVX512_BF16] = "avx512-bf16",
        [GAL_ISA_NEON_DOT] = "neon-dot",
        [GAL_ISA_NEON_BF16] = "neon-bf16",
        [GAL_ISA_NEON_I8MM] = "neon-i8mm",
        [GAL_ISA_WASM] = "wasm",
        [GAL_ISA_WASM_UNFUSED] = "wasm-unfused",
    };
    return (unsigned)isa < GAL_ISA_COUNT ? names[isa] : "unknown";
}

#if defined(GALI_X86_64)
enum {
    SAVED_AVX = 0x6,     /* of XCR0: XMM and YMM */
    SAVED_AVX512 = 0xe6, /* and masks, upper halves of ZMM, ZMM 16 to 31 */
};

/* Whether CPUID has all of these bits of leaf 1, leaf 7 and its subleaf 1, and XCR0 those of `saved`. */
static int all_of(uint32_t c1, uint32_t b7, uint32_t c7, uint32_t a7_1, uint64_t saved) {
    const uint32_t osxsave = 1u << 27;
    const gali_cpuid one = gali_cpuid_ask(1, 0), seven = gali_cpuid_ask(7, 0);
    if ((one.c & (c1 | osxsave)) != (c1 | osxsave) || (gali_cpuid_saved() & saved) != saved) {
        return 0;
    }
    return (seven.b & b7) == b7 && (seven.c & c7) == c7 &&
           (!a7_1 || (seven.a >= 1 && (gali_cpuid_ask(7, 1).a & a7_1) == a7_1));
}

/* Bits as in Intel's manual (volume 2A, CPUID). */
static int machine_has(gal_isa isa) {
    const uint32_t fma = 1u << 12, avx = 1u << 28, f16c = 1u << 29, avx2 = 1u << 5;
    const uint32_t avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31; /* F, DQ, BW, VL */
    const uint32_t vnni = 1u << 11, avx_vnni = 1u << 4, bf16 = 1u << 5;
    switch (isa) {
    case GAL_ISA_AVX2:
        return all_of(fma | avx | f16c, avx2, 0, 0, SAVED_AVX);
    case GAL_ISA_AVX2_VNNI:
        return all_of(fma | avx | f16c, avx2, 0, avx_vnni, SAVED_AVX);
    case GAL_ISA_AVX512:
        return all_of(avx, avx512, 0, 0, SAVED_AVX512);
    case GAL_ISA_AVX512_VNNI:
        return all_of(avx, avx512, vnni, 0, SAVED_AVX512);
    case GAL_ISA_AVX512_BF16:
        return all_of(avx, avx512, vnni, bf16, SAVED_AVX512);
    default:
        return isa == GAL_ISA_SCALAR;
    }
}
#elif defined(GALI_AARCH64)
/* What the kernel says of all cores: bits of AT_HWCAP and AT_HWCAP2 (Linux, arch/arm64 uapi). */
static int kernel_says(unsigned long dot, unsigned long more) {
#if defined(__linux__)
    return (getauxval(AT_HWCAP) & dot) == dot && (getauxval(AT_HWCAP2) & more) == more;
#else
    return !dot && !more;
#endif
}

static int machine_has(gal_isa isa) {
    const unsigned long dot = 1ul << 20, bf16 = 1ul << 14, i8mm = 1ul << 13;
    switch (isa) {
    case GAL_ISA_SCALAR:
    case GAL_ISA_NEON:
    case GAL_ISA_NEON_A55:
        return 1;
    case GAL_ISA_NEON_DOT:
        return kernel_says(dot, 0);
    case GAL_ISA_NEON_BF16:
        return kernel_says(dot, bf16);
    case GAL_ISA_NEON_I8MM:
        return kernel_says(dot, bf16 | i8mm);
    default:
        return 0;
    }
}
#elif defined(__wasm_simd128__)
/* Whether a multiply-add of this module rounds once: (1 + e)^2 - (1 + 2 e) is e^2 then, else 0. */
static int fuses(void) {
#ifdef __wasm_relaxed_simd__
    volatile float e = 0x1p-12f; /* volatile: the engine's product is asked for, not the compiler's */
    const v128_t a = wasm_f32x4_splat(1 + e);
    return wasm_f32x4_extract_lane(wasm_f32x4_relaxed_madd(a, a, wasm_f32x4_splat(-(1 + 2 * e))), 0) > 0;
#else
    return 0;
#endif
}

/* There is one table, under the name that says what its bits are; plain C's are the fused ones. */
static int machine_has(gal_isa isa) {
    return (isa == GAL_ISA_WASM_UNFUSED) != fuses();
}
#else
static int machine_has(gal_isa isa) {
    return isa == GAL_ISA_SCALAR;
}
#endif

/* Tables of this build: cmake/isa.cmake. */
static int build_has(gal_isa isa) {
    switch (isa) {
    case GAL_ISA_SCALAR:
#ifdef GALI_HAVE_AVX2
    case GAL_ISA_AVX2:
#endif
#ifdef GALI_HAVE_AVX2_VNNI
    case GAL_ISA_AVX2_VNNI:
#endif
#ifdef GALI_HAVE_AVX512
    case GAL_ISA_AVX512:
#endif
#ifdef GALI_HAVE_AVX512_VNNI
    case GAL_ISA_AVX512_VNNI:
#endif
#ifdef GALI_HAVE_AVX512_BF16
    case GAL_ISA_AVX512_BF16:
#endif
#ifdef GALI_HAVE_NEON
    case GAL_ISA_NEON:
#endif
#ifdef GALI_HAVE_NEON_A55
    case GAL_ISA_NEON_A55:
#endif
#ifdef GALI_HAVE_NEON_DOT
    case GAL_ISA_NEON_DOT:
#endif
#ifdef GALI_HAVE_NEON_BF16
    case GAL_ISA_NEON_BF16:
#endif
#ifdef GALI_HAVE_NEON_I8MM
    case GAL_ISA_NEON_I8MM:
#endif
#ifdef GALI_HAVE_WASM
    case GAL_ISA_WASM:
    case GAL_ISA_WASM_UNFUSED:
#endif
        return 1;
    default:
        return 0;
    }
}

int gal_isa_available(gal_isa isa) {
    return isa == GAL_ISA_BEST || (build_has(isa) && machine_has(isa));
}

static gal_isa best(void) {
    static const gal_isa order[] = {
        GAL_ISA_AVX512_BF16, GAL_ISA_AVX512_VNNI, GAL_ISA_AVX512,       GAL_ISA_AVX2_VNNI,
        GAL_ISA_AVX2,        GAL_ISA_NEON_I8MM,   GAL_ISA_NEON_BF16,    GAL_ISA_NEON_DOT,
        GAL_ISA_NEON,        GAL_ISA_WASM,        GAL_ISA_WASM_UNFUSED,
    };
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (gal_isa_available(order[i])) {
            return order[i];
        }
    }
    return GAL_ISA_SCALAR;
}

static gal_status named(const char *name, gal_isa *isa, gal_error *error) {
    for (int i = GAL_ISA_BEST; i < GAL_ISA_COUNT; i++) {
        if (strcmp(name, gal_isa_name((gal_isa)i)) == 0) {
            *isa = (gal_isa)i;
            return GAL_OK;
        }
    }
    return gali_fail(
        error, GAL_BAD_ARGUMENT,
        "GALLOP_ISA=%.32s: expected best, scalar, avx2, avx2-vnni, avx512, avx512-vnni, avx512-bf16, "
        "neon, neon-a55, neon-dot, neon-bf16, neon-i8mm, wasm or wasm-unfused",
        name);
}

gal_status gali_cpu_choose(gal_isa wanted, gal_isa *chosen, gal_error *error) {
    const char *name = wanted == GAL_ISA_BEST ? getenv("GALLOP_ISA") : NULL;
    if (name && *name) {
        gal_status status = named(name, &wanted, error);
        if (status != GAL_OK) {
            return status;
        }
    }
    if ((unsigned)wanted >= GAL_ISA_COUNT) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "isa %d: not an instruction set", (int)wanted);
    }
    if (!gal_isa_available(wanted)) {
        return gali_fail(error, GAL_UNSUPPORTED, "%s kernels: not in this build or not on this machine",
                         gal_isa_name(wanted));
    }
    *chosen = wanted == GAL_ISA_BEST ? best() : wanted;
    return GAL_OK;
}

uint32_t gali_cpu_ahead(void) {
#if defined(GALI_X86_64)
    const gali_cpuid vendor = gali_cpuid_ask(0, 0);
    return vendor.b == 0x756e6547 && vendor.d == 0x49656e69 && vendor.c == 0x6c65746e ? 4
                                                                                      : 0; /* GenuineIntel */
#else
    return 0;
#endif
}
