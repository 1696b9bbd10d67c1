/* Linux only, like the rest of the bench. */
#define _GNU_SOURCE
#include "clock.h"

#include "../peers/peer.h"
#include "base/clock.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

double clock_ns(void) {
    return 1e9 * gali_clock_seconds();
}

long clock_interruptions(void) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

int clock_pin(int core) {
    cpu_set_t set;
    const int wanted = core >= 0 ? core : sched_getcpu();
    CPU_ZERO(&set);
    CPU_SET((size_t)wanted, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0 ? wanted : -1;
}

/* Seen from outside, as far as the compiler knows: the reads below must stay. */
extern volatile uint64_t flush_sink;
volatile uint64_t flush_sink;

/* One read a line. */
void clock_flush(void) {
    enum { FLUSH_BYTES = 96 << 20 };
    static uint64_t *memory;
    if (memory == NULL) {
        memory = bench_alloc(FLUSH_BYTES);
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < FLUSH_BYTES / sizeof *memory; i += 64 / sizeof *memory) {
        sum += memory[i];
    }
    flush_sink = sum;
}

/* The value of a /proc/cpuinfo line, if it is the one named. */
static void take(const char *line, const char *key, char *value, size_t size) {
    const char *colon = strchr(line, ':');
    if (value[0] == 0 && colon && strncmp(line, key, strlen(key)) == 0 && strchr("\t :", line[strlen(key)])) {
        snprintf(value, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    }
}

void clock_processor(char *text, size_t size) {
    char line[512], name[128] = "", family[16] = "", model[16] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        take(line, "model name", name, sizeof name);
        take(line, "cpu family", family, sizeof family);
        take(line, "model", model, sizeof model);
        take(line, "CPU part", model, sizeof model);
    }
    if (file) {
        fclose(file);
    }
    snprintf(text, size, "%s (family %s, model %s)", name[0] ? name : "unknown", family[0] ? family : "-",
             model[0] ? model : "-");
}
