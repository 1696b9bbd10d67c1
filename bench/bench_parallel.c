/*
 * parallel_for on a pool of threads: time of a call on one thread and on N, interleaved, and whether the results are
 * equal bit for bit. Prints, for each count, the median of the rounds' ratios and the best times.
 *
 *     bench_parallel [threads=2] [seconds a count=3]
 *
 * A thread of the pool that finishes early may take another's start; there are as many posts as threads, so all
 * tasks are done when all are.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "harness/quantile.h"
#include "synthetic.h"

enum { THREADS_MOST = 64, ROUNDS_MOST = 4000, CALLS = 7, COUNTS = 5, COUNT_MOST = 64 };

typedef struct pool {
    void (*task)(void *argument, uint32_t index);
    void *argument;
    uint32_t count, threads;
    atomic_uint next;
    atomic_int over;
    sem_t start, done; /* posted once for each helping thread and call */
    pthread_t thread[THREADS_MOST];
} pool;

/* Spins for some 50 us before it sleeps. */
static void wait_for(sem_t *semaphore) {
    for (int i = 0; i < 10000; i++) {
        if (sem_trywait(semaphore) == 0) {
            return;
        }
    }
    while (sem_wait(semaphore)) {
    }
}

static void take_tasks(pool *p) {
    for (uint32_t i; (i = atomic_fetch_add(&p->next, 1)) < p->count;) {
        p->task(p->argument, i);
    }
}

static void *serve(void *argument) {
    pool *p = argument;
    for (;;) {
        wait_for(&p->start);
        if (atomic_load(&p->over)) {
            return NULL;
        }
        take_tasks(p);
        sem_post(&p->done);
    }
}

static void pool_for(void *context, void (*task)(void *argument, uint32_t index), void *argument,
                     uint32_t count) {
    pool *p = context;
    p->task = task;
    p->argument = argument;
    p->count = count;
    atomic_store(&p->next, 0);
    for (uint32_t i = 1; i < p->threads; i++) {
        sem_post(&p->start);
    }
    take_tasks(p);
    for (uint32_t i = 1; i < p->threads; i++) {
        wait_for(&p->done);
    }
}

/* Best of a few calls: the machine may have other work. */
static double timed(const gal_network *network, const gal_network_batch *batch, void *workspace, size_t size) {
    double best = 1e9;
    for (int i = 0; i < CALLS; i++) {
        double start = gali_clock_seconds();
        gal_network_run(network, batch, workspace, size, NULL);
        double took = gali_clock_seconds() - start;
        best = took < best ? took : best;
    }
    return best;
}

static void compare(const gal_network *network, pool *p, uint32_t count, double seconds) {
    static float x[COUNT_MOST * 912], phase[COUNT_MOST], y[2][COUNT_MOST * 1032];
    static double ratio[ROUNDS_MOST];
    uint64_t state = count;
    for (uint32_t i = 0; i < count * 912; i++) {
        x[i] = synthetic_uniform(&state);
    }
    for (uint32_t i = 0; i < count; i++) {
        phase[i] = 3 * synthetic_uniform(&state);
    }
    gal_parallel parallel = {pool_for, p, p->threads};
    gal_network_batch batch[2] = {{.count = count, .x = x, .phase = phase, .y = y[0]},
                                  {.count = count, .x = x, .phase = phase, .y = y[1], .parallel = &parallel}};
    size_t size = gal_network_workspace_size(network, count);
    void *workspace = aligned_alloc(64, (size + 63) & ~(size_t)63);
    double best[2] = {1e9, 1e9}, end = gali_clock_seconds() + seconds;
    uint32_t rounds = 0;
    for (; rounds < ROUNDS_MOST && gali_clock_seconds() < end; rounds++) {
        double took[2];
        for (int i = 0; i < 2; i++) {
            took[i] = timed(network, &batch[i], workspace, size);
            best[i] = took[i] < best[i] ? took[i] : best[i];
        }
        ratio[rounds] = took[0] / took[1];
    }
    printf("%5u  %9.1f  %9.1f  %6.2f  %6.2f  %s\n", count, 1e6 * best[0], 1e6 * best[1], median(ratio, rounds),
           best[0] / best[1],
           memcmp(y[0], y[1], count * 1032 * sizeof(float)) ? "DIFFERENT BITS" : "same bits");
    free(workspace);
}

int main(int argc, char **argv) {
    static const uint32_t counts[COUNTS] = {1, 5, 16, 32, 64};
    const synthetic_desc desc = {.gate = GAL_GATE_CUBIC,
                                 .experts = 4,
                                 .layers = 3,
                                 .width = {912, 256, 256, 1032},
                                 .normalised = 1,
                                 .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_ELU},
                                 .seed = 1};
    static pool p;
    int threads = argc > 1 ? atoi(argv[1]) : 2;
    p.threads = threads < 1 || threads > THREADS_MOST ? 2 : (uint32_t)threads;
    synthetic model = synthetic_make(&desc);
    gal_network *network = synthetic_open(&model, GAL_ISA_BEST);
    sem_init(&p.start, 0, 0);
    sem_init(&p.done, 0, 0);
    for (uint32_t i = 1; i < p.threads; i++) {
        pthread_create(&p.thread[i], NULL, serve, &p);
    }
    printf("912-256-256-1032, 4 experts; best us of 1 and %u threads, median ratio, ratio of the best\n",
           p.threads);
    for (uint32_t i = 0; i < COUNTS; i++) {
        compare(network, &p, counts[i], argc > 2 ? atof(argv[2]) : 3);
    }
    atomic_store(&p.over, 1);
    for (uint32_t i = 1; i < p.threads; i++) {
        sem_post(&p.start);
    }
    for (uint32_t i = 1; i < p.threads; i++) {
        pthread_join(p.thread[i], NULL);
    }
    gal_network_close(network);
    synthetic_free(&model);
    return 0;
}
