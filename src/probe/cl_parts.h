/* What the measurements of an OpenCL device share. */
#ifndef GALI_PROBE_CL_PARTS_H
#define GALI_PROBE_CL_PARTS_H

#include "opencl/opencl.h"
#include "probe/measure.h"
#include "probe/probe.h"

typedef struct gali_cl_probe {
    gali_cl *cl;
    gali_probe *probe;
    const gali_probe_desc *desc;
    uint32_t repeats; /* at most, of one point */
    uint64_t most;    /* bytes of the largest range that is read; a power of two */
} gali_cl_probe;

/* Tells the listener. */
void gali_cl_say(const gali_cl_probe *p, const char *what);

/* A kernel with its sizes, timed until stable. */
gali_measured gali_cl_measure(const gali_cl_probe *p, void *kernel, size_t items, size_t group);

void gali_cl_probe_memory(const gali_cl_probe *p);
void gali_cl_probe_compute(const gali_cl_probe *p);

#endif
