/* The half for Linux, macOS and the like. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity, which POSIX does not have */
#endif
#include "threads.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

enum { STACK = 1 << 20 }; /* as Windows has it; some systems give a tenth */

typedef struct share {
    pthread_mutex_t mutex;
    uint32_t next, count;
    void (*task)(void *argument, uint32_t i);
    void *argument;
} share;

static uint32_t take(share *self) {
    pthread_mutex_lock(&self->mutex);
    uint32_t i = self->next < self->count ? self->next++ : self->count;
    pthread_mutex_unlock(&self->mutex);
    return i;
}

static void *work(void *argument) {
    share *self = argument;
    for (uint32_t i = take(self); i < self->count; i = take(self)) {
        self->task(self->argument, i);
    }
    return NULL;
}

uint32_t gali_threads_cores(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef CPU_COUNT /* a process may be held to some of them */
    cpu_set_t own;
    if (sched_getaffinity(0, sizeof own, &own) == 0) {
        cores = CPU_COUNT(&own);
    }
#endif
    return cores < 1 ? 1 : cores < GALI_THREADS_MAX ? (uint32_t)cores : GALI_THREADS_MAX;
}

void gali_threads_share(uint32_t threads, uint32_t count, void (*task)(void *argument, uint32_t i),
                        void *argument) {
    share self = {.mutex = PTHREAD_MUTEX_INITIALIZER, .count = count, .task = task, .argument = argument};
    pthread_t others[GALI_THREADS_MAX];
    pthread_attr_t attributes;
    uint32_t started = 0;
    if (pthread_attr_init(&attributes) == 0) {
        pthread_attr_setstacksize(&attributes, STACK);
        while (started + 1 < threads && started + 1 < count &&
               pthread_create(&others[started], &attributes, work, &self) == 0) {
            started++;
        }
        pthread_attr_destroy(&attributes);
    }
    work(&self);
    for (uint32_t i = 0; i < started; i++) {
        pthread_join(others[i], NULL);
    }
    pthread_mutex_destroy(&self.mutex);
}
