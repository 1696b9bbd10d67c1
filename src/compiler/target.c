#include "compiler/target.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

const gali_target gali_targets[] = {
#define TARGET(name, simd, lanes, registers, fma, flight, stream, l1, l2, flags, meaning)                      \
    {name, GALI_SIMD_##simd, lanes, registers, fma, flight, stream, l1, l2, flags, meaning},
#include "compiler/targets.def"
#undef TARGET
};
const uint32_t gali_target_count = sizeof gali_targets / sizeof gali_targets[0];

static const gali_target *by_name(const char *name) {
    for (uint32_t i = 0; i < gali_target_count; i++) {
        if (strcmp(gali_targets[i].name, name) == 0) {
            return &gali_targets[i];
        }
    }
    return NULL;
}

static const gali_target *native(void) {
    if (gal_isa_available(GAL_ISA_AVX512)) {
        return by_name("x86-64-v4");
    }
    if (gal_isa_available(GAL_ISA_AVX2)) {
        return by_name("x86-64-v3");
    }
    return by_name(gal_isa_available(GAL_ISA_NEON) ? "armv8-a" : "scalar");
}

gal_isa gali_target_isa(const gali_target *target) {
    static const gal_isa isas[GALI_SIMD_COUNT] = {GAL_ISA_SCALAR, GAL_ISA_AVX2, GAL_ISA_AVX512, GAL_ISA_NEON};
    return isas[target->simd];
}

int gali_target_runs_here(const gali_target *target) {
    const gal_isa isa = gali_target_isa(target);
    return isa != GAL_ISA_BEST && gal_isa_available(isa);
}

static void fail(const char *name, gal_error *error) {
    char names[160];
    size_t at = 0;
    for (uint32_t i = 0; i < gali_target_count; i++) {
        at += (size_t)snprintf(names + at, sizeof names - at, " %s,", gali_targets[i].name);
    }
    gali_fail(error, GAL_BAD_ARGUMENT, "target \"%.40s\": not one of%s native", name, names);
}

const gali_target *gali_target_find(const char *name, gal_error *error) {
    const gali_target *target = strcmp(name, "native") == 0 ? native() : by_name(name);
    if (!target) {
        fail(name, error);
    }
    return target;
}
