/* Threads for parallel_for, asleep between calls; the caller is one of them. */
#ifndef BENCH_HARNESS_POOL_H
#define BENCH_HARNESS_POOL_H

#include "gallop/base.h"

/* There is one pool at a time. */
gal_parallel pool_start(uint32_t threads);
void pool_stop(void);

#endif
