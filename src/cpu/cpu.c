#include "cpu/cpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

const char *gal_isa_name(gal_isa isa) {
    static const char *const names[GAL_ISA_COUNT] = {
        [GAL_ISA_BEST] = "best",     [GAL_ISA_SCALAR] = "scalar", [GAL_ISA_AVX2] = "avx2",
        [GAL_ISA_AVX512] = "avx512", [GAL_ISA_NEON] = "neon",     [GAL_ISA_NEON_A55] = "neon-a55",
    };
    return (unsigned)isa < GAL_ISA_COUNT ? names[isa] : "unknown";
}

#if defined(__x86_64__)
/* The builtins look at CPUID and at the register state that the operating system enables (XGETBV). */
static int machine_has(gal_isa isa) {
    __builtin_cpu_init();
    switch (isa) {
    case GAL_ISA_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case GAL_ISA_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    default:
        return isa == GAL_ISA_SCALAR;
    }
}
#elif defined(__aarch64__)
static int machine_has(gal_isa isa) {
    return isa == GAL_ISA_SCALAR || isa == GAL_ISA_NEON || isa == GAL_ISA_NEON_A55;
}
#else
static int machine_has(gal_isa isa) {
    return isa == GAL_ISA_SCALAR;
}
#endif

static int build_has(gal_isa isa) {
    switch (isa) {
    case GAL_ISA_SCALAR:
        return 1;
#ifdef GALI_HAVE_AVX2
    case GAL_ISA_AVX2:
        return 1;
#endif
#ifdef GALI_HAVE_AVX512
    case GAL_ISA_AVX512:
        return 1;
#endif
#ifdef GALI_HAVE_NEON
    case GAL_ISA_NEON:
        return 1;
#endif
#ifdef GALI_HAVE_NEON_A55
    case GAL_ISA_NEON_A55:
        return 1;
#endif
    default:
        return 0;
    }
}

int gal_isa_available(gal_isa isa) {
    return isa == GAL_ISA_BEST || (build_has(isa) && machine_has(isa));
}

static gal_isa best(void) {
    static const gal_isa order[] = {GAL_ISA_AVX512, GAL_ISA_AVX2, GAL_ISA_NEON};
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
    return gali_fail(error, GAL_BAD_ARGUMENT,
                     "GALLOP_ISA=%.32s: expected best, scalar, avx2, avx512, neon or neon-a55", name);
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
