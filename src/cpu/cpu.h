/*
 * What this machine can run: instruction sets that the CPU has and the operating system saves, and that
 * this build has kernels for. Compiled without ISA flags, so that asking is always safe.
 */
#ifndef GALI_CPU_CPU_H
#define GALI_CPU_CPU_H

#include "gallop/base.h"

/*
 * The instruction set to use: `wanted`, or for GAL_ISA_BEST the environment's GALLOP_ISA, or the best
 * available. Errors: GAL_UNSUPPORTED (known, not available here), GAL_BAD_ARGUMENT (no such name).
 */
gal_status gali_cpu_choose(gal_isa wanted, gal_isa *chosen, gal_error *error);

/*
 * Characters from which a call that reads weights once should ask for them 16 KB ahead; 0: the kernels' own number.
 * Intel's prefetchers end at each page of 4 KB: there it saves a quarter at 4 and 5 characters from memory (Xeon), where
 * others lose a quarter (Zen 4). Speed alone.
 */
uint32_t gali_cpu_ahead(void);

#endif
