/* The instructions CPUID and XGETBV of x86-64, which each compiler has in its way. */
#ifndef GALI_CPU_CPUID_H
#define GALI_CPU_CPUID_H

#include <stdint.h>

#if defined(_MSC_VER)
#include <intrin.h>
#else
#include <cpuid.h>
#endif

/* Registers that CPUID answers in. */
typedef struct gali_cpuid {
    uint32_t a, b, c, d;
} gali_cpuid;

/* What it says of a leaf and subleaf; all zero for a leaf past the machine's last. */
static inline gali_cpuid gali_cpuid_ask(uint32_t leaf, uint32_t subleaf) {
    gali_cpuid r = {0, 0, 0, 0};
#if defined(_MSC_VER)
    int to[4];
    __cpuid(to, 0);
    if (leaf <= (uint32_t)to[0]) {
        __cpuidex(to, (int)leaf, (int)subleaf);
        r = (gali_cpuid){(uint32_t)to[0], (uint32_t)to[1], (uint32_t)to[2], (uint32_t)to[3]};
    }
#else
    __get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d);
#endif
    return r;
}

/* XCR0: the registers that the operating system saves. To be asked only where CPUID says OSXSAVE. */
static inline uint64_t gali_cpuid_saved(void) {
#if defined(_MSC_VER)
    return _xgetbv(0);
#else
    uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low | (uint64_t)high << 32;
#endif
}

#endif
