/* Chooses the loops that this machine can run, and times them. */
#define _GNU_SOURCE
#include "roof.h"

#include "../harness/clock.h"
#include "../peers/peer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

double micro_fma_avx512(uint64_t steps), micro_fma_avx2(uint64_t steps), micro_fma_base(uint64_t steps);
void micro_read_avx512(const void *bytes, size_t size), micro_read_avx2(const void *bytes, size_t size);
void micro_read_base(const void *bytes, size_t size);

#if defined(__x86_64__)
static int has_avx512(void) {
    return __builtin_cpu_supports("avx512f") != 0;
}

static int has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#define BASE_NAME "scalar"
#else
#define BASE_NAME "neon"
#endif

static int always(void) {
    return 1;
}

static const roof_isa isas[] = {
#if defined(__x86_64__)
    {"avx512", has_avx512, micro_fma_avx512, micro_read_avx512},
    {"avx2", has_avx2, micro_fma_avx2, micro_read_avx2},
#endif
    {BASE_NAME, always, micro_fma_base, micro_read_base},
};

const roof_isa *roof_at(size_t i) {
    for (size_t j = 0; j < sizeof isas / sizeof *isas; j++) {
        if (isas[j].available() && i-- == 0) {
            return &isas[j];
        }
    }
    return NULL;
}

const roof_isa *roof_named(const char *name) {
    for (size_t i = 0; name && roof_at(i); i++) {
        if (strcmp(roof_at(i)->name, name) == 0) {
            return roof_at(i);
        }
    }
    return roof_at(0);
}

double roof_fma_ns(const roof_isa *isa) {
    enum { STEPS = 2000, TRIES = 7 }; /* about 10 us each */
    double best = 1e30;
    for (int i = 0; i < TRIES; i++) {
        const double start = clock_ns();
        const double done = isa->fma(STEPS);
        const double ns = (clock_ns() - start) / done;
        best = ns < best ? ns : best;
    }
    return best;
}

double roof_read_rate(const roof_isa *isa, const void *memory, size_t size) {
    enum { TRIES = 9 };
    const size_t bytes = size / 1024 * 1024;
    const size_t passes = bytes > 1 << 20 ? 1 : (1 << 20) / bytes;
    double best = 0;
    for (int i = 0; i < TRIES; i++) {
        const double start = clock_ns();
        for (size_t p = 0; p < passes; p++) {
            isa->read(memory, bytes);
        }
        const double rate = (double)(bytes * passes) / (clock_ns() - start);
        best = rate > best ? rate : best;
    }
    return best;
}

void *roof_memory(size_t size) {
    const size_t huge = (size_t)2 << 20, rounded = (size + huge - 1) / huge * huge;
    void *memory = aligned_alloc(huge, rounded);
    if (memory == NULL) {
        return bench_alloc(size);
    }
    madvise(memory, rounded, MADV_HUGEPAGE);
    return memset(memory, 1, rounded);
}
