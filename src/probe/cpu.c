/*
 * This machine's CPU, one core of it: latency by a chain through ranges on large pages, bandwidth and multiply-adds by the
 * loops of roof.h, once for each instruction set.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "probe/chain.h"
#include "probe/measure.h"
#include "probe/probe.h"
#include "probe/roof.h"

enum {
    SLOT = 64,
    BLOCK = 1024,
    LEAST = 1024,
    POINTS_OCTAVE = 4,
    READS = 1 << 15,
    REPEATS = 24,
    REPEATS_QUICK = 8,
};
static const size_t most_quick = (size_t)64 << 20, most_ever = (size_t)256 << 20;

/* Written where the compiler cannot see that nobody reads: reads must stay. */
static volatile uint32_t sink;

typedef struct follower {
    const uint32_t *next;
    size_t reads;
    uint32_t at;
} follower;

/* Nanoseconds of one read. */
static double follow(void *subject) {
    follower *f = subject;
    const uint32_t *next = f->next;
    uint32_t at = f->at;
    double start = gali_clock_seconds();
    for (size_t i = 0; i < f->reads; i++) {
        at = next[at];
    }
    double end = gali_clock_seconds();
    sink = f->at = at;
    return 1e9 * (end - start) / (double)f->reads;
}

static gali_measured chase(void *memory, size_t size, size_t block, size_t stride, uint32_t repeats) {
    uint32_t *next = gali_chain_make(size, block, stride, sizeof *next, 1);
    if (!next) {
        return (gali_measured){(double)NAN, 0};
    }
    memcpy(memory, next, size);
    free(next);
    follower f = {memory, size / stride, 0};
    follow(&f); /* all of it once */
    f.reads = READS;
    return gali_probe_measure(follow, &f, repeats);
}

static void say(const gali_probe_desc *desc, const char *what) {
    if (desc->say) {
        desc->say(what, desc->user);
    }
}

static void probe_latency(gali_probe *probe, const gali_probe_desc *desc, void *memory, size_t most) {
    uint32_t repeats = desc->quick ? REPEATS_QUICK : REPEATS;
    gali_curve *curve = gali_probe_curve(probe, "buffer_latency", "bytes", "ns");
    for (int i = 0;; i++) {
        size_t size =
            (size_t)((double)LEAST * pow(2, (double)i / (desc->quick ? 2 : POINTS_OCTAVE))) / SLOT * SLOT;
        if (size > most) {
            break;
        }
        gali_measured m = chase(memory, size, SLOT, SLOT, repeats);
        gali_curve_add(curve, (double)size, m.value, m.stable);
    }
    gali_probe_levels(probe, GALI_FACT_BUFFER_LEVEL, GALI_FACT_BUFFER_LATENCY, curve);
}

/* In blocks of a KB, on memory: there a line is what stays dear. */
static void probe_line(gali_probe *probe, const gali_probe_desc *desc, void *memory, size_t most) {
    gali_level levels[GALI_CURVE_LEVELS_MAX];
    gali_curve *curve = gali_probe_curve(probe, "buffer_line", "bytes", "ns");
    for (size_t stride = sizeof(uint32_t); stride <= BLOCK / 2; stride *= 2) {
        gali_measured m = chase(memory, most, BLOCK, stride, desc->quick ? REPEATS_QUICK : REPEATS);
        gali_curve_add(curve, (double)stride, m.value, m.stable);
    }
    uint32_t count = gali_curve_levels(curve, .15, 2, levels);
    if (count && levels[count - 1].to >= BLOCK / 2) {
        gali_probe_fact(probe, GALI_FACT_BUFFER_LINE, 0, levels[count - 1].from, levels[count - 1].sure, curve,
                        "with what a prefetcher brings beside it");
    }
}

static void probe_rates(gali_probe *probe, void *memory, size_t most) {
    gali_curve *curve = gali_probe_curve(probe, "buffer_rate", "bytes", "GB/s");
    for (size_t size = 4 * LEAST; size <= most; size *= 2) {
        gali_curve_add(curve, (double)size, gali_roof_read_rate(gali_roof_at(0), memory, size), 1);
    }
    gali_probe_rates(probe, GALI_FACT_BUFFER_RATE, GALI_FACT_BUFFER_LEVEL, curve);
}

static double fma_once(void *subject) {
    return gali_roof_fma_ns(subject);
}

static void probe_peaks(gali_probe *probe, uint32_t repeats) {
    for (size_t i = 0; gali_roof_at(i); i++) {
        const gali_roof_isa *isa = gali_roof_at(i);
        gali_measured ns = gali_probe_measure(fma_once, (void *)(uintptr_t)isa, repeats);
        gali_probe_fact(probe, GALI_FACT_PEAK_F32, 0, 2 / ns.value, ns.stable ? 1 : .5, NULL, isa->name);
    }
}

static void name_processor(gali_probe *probe) {
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(probe->name, sizeof probe->name, "this processor");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon && strlen(colon) > 2) {
            snprintf(probe->name, sizeof probe->name, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (file) {
        fclose(file);
    }
}

gal_status gali_probe_cpu(gali_probe *probe, const gali_probe_desc *desc, gal_error *error) {
    size_t most = desc->quick ? most_quick : most_ever;
    *probe = (gali_probe){.kind = "cpu"};
    name_processor(probe);
    void *memory = gali_roof_memory(most);
    if (!memory) {
        return gali_fail(error, GAL_NO_MEMORY, "no %zu MB to measure in", most >> 20);
    }
    say(desc, "peak of multiply-adds");
    probe_peaks(probe, desc->quick ? REPEATS_QUICK : REPEATS);
    say(desc, "latency");
    probe_latency(probe, desc, memory, most);
    probe_line(probe, desc, memory, most);
    say(desc, "bandwidth");
    probe_rates(probe, memory, most);
    gali_roof_release(memory, most);
    return GAL_OK;
}
