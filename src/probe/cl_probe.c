/* An OpenCL device, measured: opens it, has all measured, says what failed. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "probe/cl_parts.h"

enum { REPEATS = 24, REPEATS_QUICK = 8 };
static const uint64_t most_quick = (uint64_t)64 << 20, most_ever = (uint64_t)1 << 30;

void gali_cl_say(const gali_cl_probe *p, const char *what) {
    if (p->desc->say && gali_cl_good(p->cl)) {
        p->desc->say(what, p->desc->user);
    }
}

typedef struct timed {
    gali_cl *cl;
    void *kernel;
    size_t items, group;
} timed;

static double time_once(void *subject) {
    const timed *t = subject;
    return gali_cl_time(t->cl, t->kernel, t->items, t->group);
}

gali_measured gali_cl_measure(const gali_cl_probe *p, void *kernel, size_t items, size_t group) {
    timed t = {p->cl, kernel, items, group};
    return gali_probe_measure(time_once, &t, p->repeats);
}

/* A power of two, half of what may be allocated at once and a quarter of all: the host's copy fits beside it. */
static uint64_t most_of(const gali_cl_facts *facts, int quick) {
    uint64_t most = quick ? most_quick : most_ever;
    while (most > facts->allocation_most / 2 || most > facts->memory / 4) {
        most /= 2;
    }
    return most;
}

gal_status gali_probe_opencl(gali_probe *probe, uint32_t number, const gali_probe_desc *desc,
                             gal_error *error) {
    gali_cl cl;
    *probe = (gali_probe){.kind = "opencl"};
    gal_status status = gali_cl_open(&cl, number, error);
    if (status != GAL_OK) {
        return status;
    }
    memcpy(probe->name, cl.facts.name, sizeof probe->name);
    memcpy(probe->vendor, cl.facts.vendor, sizeof probe->vendor);
    memcpy(probe->version, cl.facts.version, sizeof probe->version);
    memcpy(probe->driver, cl.facts.driver, sizeof probe->driver);
    gali_cl_probe p = {&cl, probe, desc, desc->quick ? REPEATS_QUICK : REPEATS,
                       most_of(&cl.facts, desc->quick)};
    gali_cl_probe_compute(&p);
    gali_cl_probe_memory(&p);
    status = cl.failure.status;
    if (status != GAL_OK) {
        gali_fail(error, status, "%s", cl.failure.message);
    }
    gali_cl_close(&cl);
    return status;
}
