/*
 * Integer products, int8 times int8 to int32: both strategies of gallop/gemm.h on every instruction set of this machine
 * and oneDNN, one shape after another, in rounds that time each engine once. Prints billions of multiply-adds a second, medians
 * over the rounds, and for each engine the median of its rounds' ratios to oneDNN's time (or the first engine's, without it).
 *
 *     bench_gemm [core=the present one] [seconds a shape=1]
 *
 * Weights are hot and one thread runs. An engine whose product is not the first's ends the program.
 */
#define _DEFAULT_SOURCE /* setenv */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gallop/gemm.h"
#include "harness/clock.h"
#include "harness/stats.h"
#ifdef BENCH_ONEDNN
#include "peers/onednn_gemm.h"
#endif

enum { ENGINES_MOST = 24, CALLS = 5 };

typedef struct shape {
    uint32_t rows, inner, columns;
} shape;

typedef struct problem {
    shape shape;
    int8_t *a, *b;
    int32_t *c;
} problem;

/* One of ours, or the peer. */
typedef struct engine {
    char name[48];
    gal_gemm *gemm; /* NULL: the peer */
    void *workspace;
    size_t workspace_size;
#ifdef BENCH_ONEDNN
    onednn_gemm *peer;
#endif
    series seconds, ratio;
} engine;

static void fill(int8_t *values, size_t count) {
    uint32_t state = 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        values[i] = (int8_t)((int)(state >> 24) - 128);
    }
}

static problem make_problem(shape s) {
    problem p = {s, malloc((size_t)s.rows * s.inner), malloc((size_t)s.inner * s.columns),
                 malloc((size_t)s.rows * s.columns * sizeof(int32_t))};
    fill(p.a, (size_t)s.rows * s.inner);
    fill(p.b, (size_t)s.inner * s.columns);
    return p;
}

static engine make_ours(const problem *p, gal_isa isa, gal_gemm_strategy strategy) {
    engine e = {.name = "gallop"};
    const gal_gemm_desc desc = {.isa = isa,
                                .strategy = strategy,
                                .rows = p->shape.rows,
                                .inner = p->shape.inner,
                                .columns = p->shape.columns,
                                .b = p->b};
    if (gal_gemm_create(&e.gemm, &desc, NULL) != GAL_OK) {
        exit(1);
    }
    if (strategy != GAL_GEMM_BY_SHAPE) {
        snprintf(e.name, sizeof e.name, "gallop %s %s", gal_isa_name(isa), gal_gemm_strategy_name(strategy));
    }
    e.workspace_size = gal_gemm_workspace_size(e.gemm, p->shape.rows);
    e.workspace = aligned_alloc(64, (e.workspace_size + 64) & ~(size_t)63);
    return e;
}

static uint32_t make_engines(const problem *p, engine *engines) {
    uint32_t count = 0;
#ifdef BENCH_ONEDNN
    engines[count++] =
        (engine){.name = "oneDNN",
                 .peer = onednn_gemm_create(p->shape.rows, p->shape.inner, p->shape.columns, p->a, p->b, p->c)};
#endif
    engines[count++] = make_ours(p, GAL_ISA_BEST, GAL_GEMM_BY_SHAPE);
    for (int isa = GAL_ISA_SCALAR + 1; isa < GAL_ISA_COUNT; isa++) {
        /* The float's sets have the tables of their neighbours. */
        if (!gal_isa_available((gal_isa)isa) || isa == GAL_ISA_AVX512_BF16 || isa == GAL_ISA_NEON_A55) {
            continue;
        }
        for (int s = GAL_GEMM_INTERLEAVED; s < GAL_GEMM_STRATEGY_COUNT; s++) {
            engines[count++] = make_ours(p, (gal_isa)isa, (gal_gemm_strategy)s);
        }
    }
    return count;
}

static void run(const engine *e, const problem *p) {
#ifdef BENCH_ONEDNN
    if (e->peer) {
        onednn_gemm_run(e->peer);
        return;
    }
#endif
    gal_gemm_run(e->gemm, &(gal_gemm_batch){.rows = p->shape.rows, .a = p->a, .c = p->c}, e->workspace,
                 e->workspace_size, NULL);
}

/* Least seconds of a few calls, the first untimed. */
static double timed(const engine *e, const problem *p) {
    double best = 1e9;
    run(e, p);
    for (int i = 0; i < CALLS; i++) {
        const double start = clock_ns();
        run(e, p);
        const double took = 1e-9 * (clock_ns() - start);
        best = took < best ? took : best;
    }
    return best;
}

static void check_equal(const engine *engines, uint32_t count, const problem *p) {
    const size_t size = (size_t)p->shape.rows * p->shape.columns * sizeof(int32_t);
    int32_t *first = malloc(size);
    for (uint32_t i = 0; i < count; i++) {
        memset(p->c, 0, size);
        run(&engines[i], p);
        if (i == 0) {
            memcpy(first, p->c, size);
        } else if (memcmp(first, p->c, size) != 0) {
            fprintf(stderr, "bench_gemm: %s and %s differ\n", engines[0].name, engines[i].name);
            exit(1);
        }
    }
    free(first);
}

static void free_engine(engine *e) {
#ifdef BENCH_ONEDNN
    if (e->peer) {
        onednn_gemm_destroy(e->peer);
    }
#endif
    gal_gemm_destroy(e->gemm);
    free(e->workspace);
    series_free(&e->seconds);
    series_free(&e->ratio);
}

static void measure(shape s, double seconds) {
    problem p = make_problem(s);
    engine engines[ENGINES_MOST] = {0};
    const uint32_t count = make_engines(&p, engines);
    check_equal(engines, count, &p);
    for (const double end = clock_ns() + 1e9 * seconds; clock_ns() < end;) {
        double took[ENGINES_MOST];
        for (uint32_t i = 0; i < count; i++) {
            took[i] = timed(&engines[i], &p);
            series_add(&engines[i].seconds, took[i]);
            series_add(&engines[i].ratio, took[0] / took[i]);
        }
    }
    const double work = 1e-9 * s.rows * s.inner * s.columns;
    for (uint32_t i = 0; i < count; i++) {
        printf("%4u x %4u x %4u  %-32s %8.1f  %5.2f\n", s.rows, s.inner, s.columns, engines[i].name,
               work / series_median(&engines[i].seconds), series_median(&engines[i].ratio));
        free_engine(&engines[i]);
    }
    fflush(stdout);
    free(p.a);
    free(p.b);
    free(p.c);
}

int main(int argc, char **argv) {
    static const shape shapes[] = {{1, 912, 256},  {2, 912, 256},    {4, 912, 256},  {5, 912, 256},
                                   {8, 912, 256},  {16, 912, 256},   {64, 912, 256}, {64, 64, 64},
                                   {64, 16, 1024}, {64, 1024, 1024}, {196, 576, 64}, {49, 2048, 512}};
    const double seconds = argc > 2 ? atof(argv[2]) : 1;
    if (!getenv("OMP_NUM_THREADS")) { /* libraries read it as they are loaded */
        setenv("OMP_NUM_THREADS", "1", 1);
        execv("/proc/self/exe", argv);
    }
    clock_pin(argc > 1 ? atoi(argv[1]) : -1);
    printf("rows x inner x columns, engine, 10^9 multiply-adds a second, times the speed of the first\n");
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        measure(shapes[i], seconds);
    }
    return 0;
}
