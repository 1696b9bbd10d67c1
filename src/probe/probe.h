/*
 * What a machine's memory and arithmetic can do, measured (ArchProbe, of "Romou", MobiCom '22, section 3.1): facts, each
 * with the curve that it was read off and how sure it is. One form for OpenCL devices and for this machine's CPU.
 *
 *     cl_memory.c   levels of latency and bandwidth: buffer, image, constant, local
 *     cl_compute.c  launch, warp, ALUs, cores, registers, peaks
 *     cpu.c         the same of this CPU, one core
 *     curve.c       what is read off curves
 *     measure.c     repeats until stable
 *
 * The methods are the paper's where they carry over, and say where they do not.
 */
#ifndef GALI_PROBE_PROBE_H
#define GALI_PROBE_PROBE_H

#include <stddef.h>

#include "gallop/base.h"
#include "probe/curve.h"

enum { GALI_PROBE_FACTS_MAX = 64, GALI_PROBE_CURVES_MAX = 32, GALI_PROBE_NOTE_MAX = 96 };

typedef enum gali_fact_id {
#define FACT(id, name, unit, kinds, meaning) GALI_FACT_##id,
#include "probe/facts.def"
#undef FACT
    GALI_FACT_COUNT
} gali_fact_id;

typedef struct gali_fact_facts {
    const char *name, *unit, *kinds, *meaning;
} gali_fact_facts;

extern const gali_fact_facts gali_fact_list[GALI_FACT_COUNT];

typedef struct gali_fact {
    gali_fact_id id;
    uint32_t level; /* of caches: 1 is the nearest; else 0 */
    double value;
    double sure;                    /* 0 .. 1 */
    int curve;                      /* number of the curve it was read off; -1: none */
    char note[GALI_PROBE_NOTE_MAX]; /* "" or what a reader should know, such as an instruction set's name */
} gali_fact;

typedef struct gali_probe {
    char kind[16]; /* "opencl" or "cpu" */
    char name[128], vendor[128], version[128], driver[128];
    uint32_t fact_count, curve_count;
    gali_fact facts[GALI_PROBE_FACTS_MAX];
    gali_curve curves[GALI_PROBE_CURVES_MAX];
} gali_probe;

/* How much is measured. */
typedef struct gali_probe_desc {
    int quick;                                 /* fewer points and repeats, and at most 64 MB: a try-out */
    void (*say)(const char *what, void *user); /* before each measurement; NULL: nobody listens */
    void *user;
} gali_probe_desc;

/*
 * Measures OpenCL device `number` of gali_cl_list, or this machine's CPU: one core of it, wherever the system puts the
 * thread. *probe is whole, as far as it came, after GAL_IO too. Errors: GAL_UNSUPPORTED (no such device), GAL_IO (it
 * failed: the message says at what), GAL_NO_MEMORY.
 */
gal_status gali_probe_opencl(gali_probe *probe, uint32_t number, const gali_probe_desc *desc, gal_error *error);
gal_status gali_probe_cpu(gali_probe *probe, const gali_probe_desc *desc, gal_error *error);

/* ---- for the measurements ---- */

/* A curve to be filled; the last one over and over where there is no room. */
gali_curve *gali_probe_curve(gali_probe *probe, const char *name, const char *x_unit, const char *y_unit);

/* Adds a fact; one whose value is no number is left out. Points that did not settle make it less sure. */
void gali_probe_fact(gali_probe *probe, gali_fact_id id, uint32_t level, double value, double sure,
                     const gali_curve *curve, const char *note);

/* The fact; NULL where it was not found. */
const gali_fact *gali_probe_find(const gali_probe *probe, gali_fact_id id, uint32_t level);

/* Facts of a path's levels: sizes and latencies off one curve, rates off another where it is not NULL. */
void gali_probe_levels(gali_probe *probe, gali_fact_id size, gali_fact_id latency, const gali_curve *latencies);
void gali_probe_rates(gali_probe *probe, gali_fact_id rate, gali_fact_id size, const gali_curve *rates);

#endif
