#ifndef STUB_INTRIN_H
#define STUB_INTRIN_H
#if defined(_M_X64)
#include <immintrin.h>
void __cpuid(int to[4], int leaf);
void __cpuidex(int to[4], int leaf, int subleaf);
#elif defined(_M_ARM64)
#include <arm_neon.h>
void __prefetch(const void *address);
#endif
#endif
