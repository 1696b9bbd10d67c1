/*
 * The machine's own limits, measured: multiply-adds a second from registers, bytes a second read from a
 * buffer. One set of loops per instruction set (roof_micro_<isa>.c, each with its own compiler flags).
 *
 * Conventions: an FMA is one multiply-add on one lane; GFLOP/s counts it as 2. Bandwidth is bytes read over
 * time, 1 GB = 10^9 bytes. The roof of a layer or network is max(weight bytes / bandwidth of reading that
 * many bytes over and over (hot) or once after a flush (cold), FMAs / peak): what no exact kernel that reads
 * all float32 weights can pass.
 */
#ifndef GALI_PROBE_ROOF_H
#define GALI_PROBE_ROOF_H

#include <stddef.h>
#include <stdint.h>

typedef struct gali_roof_isa {
    const char *name; /* as gal_isa_name */
    int (*available)(void);
    double (*fma)(uint64_t steps); /* runs steps rounds of FMAs; returns how many FMAs that was */
    void (*read)(const void *bytes, size_t size); /* 64-byte aligned, size a multiple of 1024 */
} gali_roof_isa;

/* Best first; NULL where i is past those that this machine has. */
const gali_roof_isa *gali_roof_at(size_t i);

/* By name; NULL or "": the best. Falls back to the best where the name is not there. */
const gali_roof_isa *gali_roof_named(const char *name);

/* Nanoseconds of one FMA, best of several short loops. */
double gali_roof_fma_ns(const gali_roof_isa *isa);

/* GB/s of reading size bytes again and again, best of several passes. memory holds at least size bytes. */
double gali_roof_read_rate(const gali_roof_isa *isa, const void *memory, size_t size);

/* Memory on 2 MB pages where the system has them, filled; NULL: there is none. Released with its size; NULL is allowed. */
void *gali_roof_memory(size_t size);
void gali_roof_release(void *memory, size_t size);

#endif
