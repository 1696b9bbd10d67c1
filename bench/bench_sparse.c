/*
 * Sparse layers: a network of the walker's shape of whose patches a share is there, beside the same network with all of
 * them, on one core. Prints for each way of running and count of characters the median microseconds of both and the
 * median of the rounds' ratios; in a round both run in turns, by the thread's own time, so that other work of the machine
 * meets both.
 *
 *     bench_sparse [share=0.5] [seconds a line=1] [isa=best] [way=all]
 *
 * Each with all weights in the near caches that hold them: characters of one crowd come one call after the other.
 */
#define _GNU_SOURCE
#include <time.h>

#include "peers/peer.h"
#include "sparse.h"
#ifdef BENCH_COMPILER
#include "harness/built.h"
#endif

enum { COUNTS = 3, COUNT_MOST = 64, ROUNDS_MOST = 2000, ROUNDS_LEAST = 9, EXPERTS = 4, LAYERS = 3 };
static const uint32_t counts[COUNTS] = {1, 8, 64};
static const uint32_t widths[LAYERS + 1] = {222, 352, 352, 308};
static const double turn = 5e-4; /* seconds of one of the two in a round, at least */

/* What runs: the runtime in a precision, or emitted C. */
typedef struct way {
    const char *name;
    gal_precision precision;
    uint32_t block; /* of int8-dot */
    int emitted;
} way;

static const way ways[] = {
    {"f32", GAL_PRECISION_F32, 0, 0},
    {"int8-dot", GAL_PRECISION_INT8_DOT, 0, 0},
    {"int8-dot row", GAL_PRECISION_INT8_DOT, GAL_BLOCK_ROW, 0},
    {"int8", GAL_PRECISION_INT8, 0, 0},
    {"int16", GAL_PRECISION_INT16, 0, 0},
#ifdef BENCH_COMPILER
    {"f32, emitted C", GAL_PRECISION_F32, 0, 1},
#endif
};

/* A network that was made ready, in one of the two forms. */
typedef struct side {
    gal_network *network; /* of the runtime */
#ifdef BENCH_COMPILER
    built built; /* else */
#endif
    void *workspace;
    size_t workspace_size;
} side;

static float x[COUNT_MOST * 222], phase[COUNT_MOST], y[COUNT_MOST * 308];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#ifdef BENCH_COMPILER
static void compile(side *s, const synthetic *model, const char *target) {
    size_t size;
    unsigned char *bytes = synthetic_bytes(model, &size);
    const gal_compile_desc desc = {
        .name = "net", .target = target, .least = 1, .most = COUNT_MOST, .weights_blob = 1};
    gal_compiled *made;
    gal_error error = {GAL_OK, ""};
    if (gal_compile(&made, bytes, size, &desc, &error) != GAL_OK) {
        fprintf(stderr, "bench: %s\n", error.message);
        exit(1);
    }
    s->built = built_make(made);
    s->workspace_size = s->built.workspace * sizeof(float) * COUNT_MOST;
    gal_compiled_free(made);
    free(bytes);
}
#endif

static side side_make(const synthetic *model, const way *w, gal_isa isa) {
    side s = {0};
    if (!w->emitted) {
        s.network = synthetic_open_desc(
            model, (gal_network_desc){.isa = isa, .precision = w->precision, .block = w->block});
        s.workspace_size = gal_network_workspace_size(s.network, COUNT_MOST);
    }
#ifdef BENCH_COMPILER
    else {
        compile(&s, model, isa == GAL_ISA_AVX2 ? "x86-64-v3" : "native");
    }
#endif
    s.workspace = bench_alloc(s.workspace_size);
    return s;
}

static void side_free(side *s) {
    gal_network_close(s->network);
#ifdef BENCH_COMPILER
    built_release(&s->built);
#endif
    bench_free(s->workspace);
}

static void side_run(const side *s, uint32_t count) {
#ifdef BENCH_COMPILER
    if (!s->network) {
        s->built.run(count, x, phase, y, s->built.weights, s->workspace);
        return;
    }
#endif
    const gal_network_batch batch = {.count = count, .x = x, .phase = phase, .y = y};
    gal_network_run(s->network, &batch, s->workspace, s->workspace_size, NULL);
}

/* Seconds of a call. */
static double timed(const side *s, uint32_t count) {
    side_run(s, count); /* its weights into the caches */
    const double start = now();
    uint32_t calls = 0;
    double took = 0;
    while (took < turn) {
        side_run(s, count);
        took = now() - start;
        calls++;
    }
    return took / calls;
}

static int ascending(const void *a, const void *b) {
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static double median(double *values, uint32_t count) {
    qsort(values, count, sizeof *values, ascending);
    return values[count / 2];
}

static void compare(const way *w, const side *dense, const side *sparse, uint32_t count, double seconds) {
    static double took[2][ROUNDS_MOST], ratio[ROUNDS_MOST];
    const double start = now();
    uint32_t rounds = 0;
    for (; rounds < ROUNDS_MOST && (rounds < ROUNDS_LEAST || now() - start < seconds); rounds++) {
        const int first = rounds % 2 != 0;
        took[first][rounds] = timed(first ? sparse : dense, count);
        took[!first][rounds] = timed(first ? dense : sparse, count);
        ratio[rounds] = took[0][rounds] / took[1][rounds];
    }
    const double all = 1e6 * median(took[0], rounds), some = 1e6 * median(took[1], rounds);
    printf("%-16s  %5u  %9.1f  %9.1f  %6.2f  %6u\n", w->name, count, all, some, median(ratio, rounds), rounds);
    fflush(stdout);
}

static synthetic model_make(void) {
    synthetic_desc desc = {.gate = GAL_GATE_CUBIC,
                           .experts = EXPERTS,
                           .layers = LAYERS,
                           .normalised = 1,
                           .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_ELU},
                           .seed = 1};
    memcpy(desc.width, widths, sizeof widths);
    return synthetic_make(&desc);
}

/* The instruction set of that name; the best where there is none. */
static gal_isa isa_named(const char *name) {
    for (int i = 0; name && i < GAL_ISA_COUNT; i++) {
        if (strcmp(gal_isa_name((gal_isa)i), name) == 0 && gal_isa_available((gal_isa)i)) {
            return (gal_isa)i;
        }
    }
    return GAL_ISA_BEST;
}

int main(int argc, char **argv) {
    const double share = argc > 1 ? atof(argv[1]) : 0.5, seconds = argc > 2 ? atof(argv[2]) : 1;
    const gal_isa isa = isa_named(argc > 3 ? argv[3] : NULL);
    uint64_t state = 5;
    synthetic dense = model_make(), sparse = model_make();
    for (uint32_t i = 0; i < LAYERS; i++) {
        sparse_make(&sparse, &sparse.model.layers[i], (uint32_t)(256 * share), &state);
    }
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        x[i] = synthetic_uniform(&state);
    }
    for (size_t i = 0; i < COUNT_MOST; i++) {
        phase[i] = 3 * synthetic_uniform(&state);
    }
    printf("%u-%u-%u-%u, %d experts, %.0f %% of the patches, %s; medians in us of a call\n", widths[0],
           widths[1], widths[2], widths[3], EXPERTS, 100 * share,
           isa == GAL_ISA_BEST ? "the best instructions" : gal_isa_name(isa));
    printf("%-16s  %5s  %9s  %9s  %6s  %6s\n", "", "C", "dense", "sparse", "ratio", "rounds");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (argc > 4 && strcmp(argv[4], ways[i].name) != 0) {
            continue;
        }
        side all = side_make(&dense, &ways[i], isa), some = side_make(&sparse, &ways[i], isa);
        for (uint32_t c = 0; c < COUNTS; c++) {
            compare(&ways[i], &all, &some, counts[c], seconds);
        }
        side_free(&all);
        side_free(&some);
    }
    synthetic_free(&dense);
    synthetic_free(&sparse);
    return 0;
}
