/* The machine that a report is about. */
#include "clock.h"
#include "report.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Bytes of a cache, or the fallback where the system does not say. */
static size_t cache_size(int name, size_t fallback) {
    const long size = sysconf(name);
    return size > 0 ? (size_t)size : fallback;
}

static void measure_reads(machine *m) {
    const size_t l1 = cache_size(_SC_LEVEL1_DCACHE_SIZE, 32 << 10),
                 l2 = cache_size(_SC_LEVEL2_CACHE_SIZE, 512 << 10);
    const struct {
        const char *level;
        size_t bytes;
    } points[] = {{"L1", l1 * 3 / 4},
                  {"L2", l2 * 5 / 8},
                  {"L3, 4 MB", 4 << 20},
                  {"L3, 9 MB", 9 << 20},
                  {"DRAM", 512 << 20}};
    const size_t most = (size_t)512 << 20;
    void *memory = gali_roof_memory(most);
    if (!memory) {
        return;
    }
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        m->read[i].level = points[i].level;
        m->read[i].bytes = points[i].bytes;
        m->read[i].rate = gali_roof_read_rate(gali_roof_at(0), memory, points[i].bytes);
    }
    gali_roof_release(memory, most);
}

void machine_measure(machine *m) {
    *m = (machine){0};
    clock_processor(m->processor, sizeof m->processor);
#if defined(__clang__)
    snprintf(m->compiler, sizeof m->compiler, "clang %s", __clang_version__);
#else
    snprintf(m->compiler, sizeof m->compiler, "gcc %s", __VERSION__);
#endif
    for (size_t i = 0; i < CELL_ROOFS_MAX && gali_roof_at(i); i++) {
        m->peak[i].isa = gali_roof_at(i)->name;
        m->peak[i].rate = 2 / gali_roof_fma_ns(gali_roof_at(i));
    }
    measure_reads(m);
}

void machine_slug(char *text, size_t size) {
    char processor[192], raw[256];
    size_t used = 0;
    clock_processor(processor, sizeof processor);
    snprintf(raw, sizeof raw, "%s %s", processor, gali_roof_at(0)->name);
    for (const char *p = raw; *p && used + 1 < size; p++) {
        if (isalnum((unsigned char)*p)) {
            text[used++] = (char)tolower((unsigned char)*p);
        } else if (used && text[used - 1] != '-') {
            text[used++] = '-';
        }
    }
    text[used] = 0;
}
