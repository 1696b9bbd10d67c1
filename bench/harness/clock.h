/* Time, the core, the cache: what a measurement needs from the machine. */
#ifndef GALLOP_BENCH_CLOCK_H
#define GALLOP_BENCH_CLOCK_H

#include <stddef.h>

/* Monotonic time in nanoseconds. */
double clock_ns(void);

/* How often the system has taken the core away from this thread. */
long clock_interruptions(void);

/* Keeps this process on one core; returns its number, or -1 with nothing changed. core < 0: the present one. */
int clock_pin(int core);

/* Streams 96 MB through the caches, so that nothing else is left in them. */
void clock_flush(void);

/* Name of the processor, e.g. "AMD EPYC (family 25, model 17)". */
void clock_processor(char *text, size_t size);

#endif
