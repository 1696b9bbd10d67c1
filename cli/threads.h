/* Threads of the command, which the library does without: work that falls into parts, given out to some. */
#ifndef GALI_CLI_THREADS_H
#define GALI_CLI_THREADS_H

#include <stdint.h>

enum { GALI_THREADS_MAX = 256 };

/* Cores that this process may use, 1..GALI_THREADS_MAX; 1 where the system does not say. */
uint32_t gali_threads_cores(void);

/*
 * Calls task(argument, i) once for each i in [0, count), each on one of so many threads, 1..GALI_THREADS_MAX, the caller's
 * among them, and returns when all is done. A thread takes the lowest number that is left, so one does them in order. Those
 * that the system does not give are done without.
 */
void gali_threads_share(uint32_t threads, uint32_t count, void (*task)(void *argument, uint32_t i),
                        void *argument);

#endif
