/* Chooses the loops that this machine can run, and times them. */
#include "probe/roof.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "cpu/machine.h"

double gali_micro_fma_avx512(uint64_t steps), gali_micro_fma_avx2(uint64_t steps),
    gali_micro_fma_base(uint64_t steps);
void gali_micro_read_avx512(const void *bytes, size_t size),
    gali_micro_read_avx2(const void *bytes, size_t size);
void gali_micro_read_base(const void *bytes, size_t size);

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

static const gali_roof_isa isas[] = {
#if defined(__x86_64__)
    {"avx512", has_avx512, gali_micro_fma_avx512, gali_micro_read_avx512},
    {"avx2", has_avx2, gali_micro_fma_avx2, gali_micro_read_avx2},
#endif
    {BASE_NAME, always, gali_micro_fma_base, gali_micro_read_base},
};

const gali_roof_isa *gali_roof_at(size_t i) {
    for (size_t j = 0; j < sizeof isas / sizeof *isas; j++) {
        if (isas[j].available() && i-- == 0) {
            return &isas[j];
        }
    }
    return NULL;
}

const gali_roof_isa *gali_roof_named(const char *name) {
    for (size_t i = 0; name && gali_roof_at(i); i++) {
        if (strcmp(gali_roof_at(i)->name, name) == 0) {
            return gali_roof_at(i);
        }
    }
    return gali_roof_at(0);
}

/* Nanoseconds. */
static double now(void) {
    return 1e9 * gali_clock_seconds();
}

double gali_roof_fma_ns(const gali_roof_isa *isa) {
    enum { STEPS = 2000, TRIES = 7 }; /* about 10 us each */
    double best = 1e30;
    for (int i = 0; i < TRIES; i++) {
        const double start = now();
        const double done = isa->fma(STEPS);
        const double ns = (now() - start) / done;
        best = ns < best ? ns : best;
    }
    return best;
}

double gali_roof_read_rate(const gali_roof_isa *isa, const void *memory, size_t size) {
    enum { TRIES = 9 };
    const size_t bytes = size / 1024 * 1024;
    const size_t passes = bytes > 1 << 20 ? 1 : (1 << 20) / bytes;
    double best = 0;
    for (int i = 0; i < TRIES; i++) {
        const double start = now();
        for (size_t p = 0; p < passes; p++) {
            isa->read(memory, bytes);
        }
        const double rate = (double)(bytes * passes) / (now() - start);
        best = rate > best ? rate : best;
    }
    return best;
}

void *gali_roof_memory(size_t size) {
    void *memory = gali_machine_allocate(NULL, size, 0);
    return memory ? memset(memory, 1, size) : NULL;
}

void gali_roof_release(void *memory, size_t size) {
    gali_release(NULL, memory, size);
}
