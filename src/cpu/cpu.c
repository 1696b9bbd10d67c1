#include "cpu/cpu.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#include "base/error.h"

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
    };
    return (unsigned)isa < GAL_ISA_COUNT ? names[isa] : "unknown";
}

#if defined(__x86_64__)
/* Bits that not every compiler's builtins know; their registers are AVX's, whose state those look at. */
static int has_f16c(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & 1u << 29);
}

static int has_leaf_7_1_eax(unsigned bit) {
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & bit);
}

/* The builtins look at CPUID and at the register state that the operating system enables (XGETBV). */
static int machine_has(gal_isa isa) {
    __builtin_cpu_init();
    switch (isa) {
    case GAL_ISA_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
    case GAL_ISA_AVX2_VNNI:
        return machine_has(GAL_ISA_AVX2) && has_leaf_7_1_eax(1u << 4);
    case GAL_ISA_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    case GAL_ISA_AVX512_VNNI:
        return machine_has(GAL_ISA_AVX512) && __builtin_cpu_supports("avx512vnni");
    case GAL_ISA_AVX512_BF16:
        return machine_has(GAL_ISA_AVX512_VNNI) && __builtin_cpu_supports("avx512bf16");
    default:
        return isa == GAL_ISA_SCALAR;
    }
}
#elif defined(__aarch64__)
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
        GAL_ISA_AVX512_BF16, GAL_ISA_AVX512_VNNI, GAL_ISA_AVX512,   GAL_ISA_AVX2_VNNI, GAL_ISA_AVX2,
        GAL_ISA_NEON_I8MM,   GAL_ISA_NEON_BF16,   GAL_ISA_NEON_DOT, GAL_ISA_NEON,
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
        "neon, neon-a55, neon-dot, neon-bf16 or neon-i8mm",
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
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_is("intel") ? 4 : 0;
#else
    return 0;
#endif
}
