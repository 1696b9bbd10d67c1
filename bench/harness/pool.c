#include "harness/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { THREADS_MAX = 128 };

typedef struct pool {
    pthread_t thread[THREADS_MAX];
    pthread_mutex_t mutex;
    pthread_cond_t started, ended;
    void (*task)(void *argument, uint32_t index);
    void *argument;
    uint32_t threads, count, turn, busy;
    atomic_uint next;
    int stop;
} pool;

static pool the = {
    .mutex = PTHREAD_MUTEX_INITIALIZER, .started = PTHREAD_COND_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

static void work(void) {
    for (uint32_t i; (i = atomic_fetch_add(&the.next, 1)) < the.count;) {
        the.task(the.argument, i);
    }
}

static void *help(void *unused) {
    uint32_t turn = 0;
    pthread_mutex_lock(&the.mutex);
    while (!the.stop) {
        if (the.turn == turn) {
            pthread_cond_wait(&the.started, &the.mutex);
            continue;
        }
        turn = the.turn;
        pthread_mutex_unlock(&the.mutex);
        work();
        pthread_mutex_lock(&the.mutex);
        if (--the.busy == 0) {
            pthread_cond_signal(&the.ended);
        }
    }
    pthread_mutex_unlock(&the.mutex);
    return unused;
}

static void run(void *context, void (*task)(void *argument, uint32_t index), void *argument, uint32_t count) {
    (void)context;
    pthread_mutex_lock(&the.mutex);
    the.task = task;
    the.argument = argument;
    the.count = count;
    atomic_store(&the.next, 0);
    the.busy = the.threads - 1;
    the.turn++;
    pthread_cond_broadcast(&the.started);
    pthread_mutex_unlock(&the.mutex);
    work();
    pthread_mutex_lock(&the.mutex);
    while (the.busy) {
        pthread_cond_wait(&the.ended, &the.mutex);
    }
    pthread_mutex_unlock(&the.mutex);
}

gal_parallel pool_start(uint32_t threads) {
    the.threads = threads < 1 ? 1 : threads < THREADS_MAX ? threads : THREADS_MAX;
    the.stop = 0;
    the.turn = the.busy = 0;
    for (uint32_t i = 1; i < the.threads; i++) {
        pthread_create(&the.thread[i], NULL, help, NULL);
    }
    return (gal_parallel){run, NULL, the.threads};
}

void pool_stop(void) {
    pthread_mutex_lock(&the.mutex);
    the.stop = 1;
    pthread_cond_broadcast(&the.started);
    pthread_mutex_unlock(&the.mutex);
    for (uint32_t i = 1; i < the.threads; i++) {
        pthread_join(the.thread[i], NULL);
    }
}
