/*
 * Sparse layers: a network of the walker's shape of whose patches a share is there, beside the same network with all of
 * them, or a model that ships beside its half, on one core. Prints for each way of running and count of characters the median microseconds of both and the
 * median of the rounds' ratios; in a round both run in turns, by the thread's own time, so that other work of the machine
 * meets both.
 *
 *     bench_sparse [share=0.5 | model's name] [seconds a line=1] [isa=best] [way=all]
 *
 * A name is that of models/NAME.gallop and models/NAME-half.gallop, whose patches are where pruning left them, not at random.
 *
 * Each with all weights in the near caches that hold them: characters of one crowd come one call after the other.
 */
#define _GNU_SOURCE
#include <time.h>

#include "base/file.h"
#include "base/memory.h"
#include "harness/quantile.h"
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

/* A model file in memory. */
typedef struct file {
    void *bytes;
    size_t size;
} file;

/* A network that was made ready, in one of the two forms. */
typedef struct side {
    gal_network *network; /* of the runtime */
#ifdef BENCH_COMPILER
    built built; /* else */
#endif
    void *workspace;
    size_t workspace_size;
} side;

static float *x, phase[COUNT_MOST], *y;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#ifdef BENCH_COMPILER
static void compile(side *s, const file *model, const char *target) {
    const gal_compile_desc desc = {
        .name = "net", .target = target, .least = 1, .most = COUNT_MOST, .weights_blob = 1};
    gal_compiled *made;
    gal_error error = {GAL_OK, ""};
    if (gal_compile(&made, model->bytes, model->size, &desc, &error) != GAL_OK) {
        fprintf(stderr, "bench: %s\n", error.message);
        exit(1);
    }
    s->built = built_make(made);
    s->workspace_size = s->built.workspace * sizeof(float) * COUNT_MOST;
    gal_compiled_free(made);
}
#endif

static gal_network *network_open(const file *model, gal_network_desc desc) {
    gal_network *network;
    gal_error error = {GAL_OK, ""};
    if (gal_network_open_memory(&network, model->bytes, model->size, &desc, &error) != GAL_OK) {
        fprintf(stderr, "bench: %s\n", error.message);
        exit(1);
    }
    return network;
}

static side side_make(const file *model, const way *w, gal_isa isa) {
    side s = {0};
    if (!w->emitted) {
        s.network =
            network_open(model, (gal_network_desc){.isa = isa, .precision = w->precision, .block = w->block});
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

/* A copy of the bench's own. */
static file file_make(const void *bytes, size_t size) {
    const file made = {bench_alloc(size), size};
    memcpy(made.bytes, bytes, size);
    return made;
}

static file synthetic_file(const synthetic *model) {
    size_t size;
    unsigned char *bytes = synthetic_bytes(model, &size);
    const file made = file_make(bytes, size);
    free(bytes);
    return made;
}

/* The two of the walker's shape. */
static void make_pair(file pair[2], double share) {
    uint64_t state = 5;
    synthetic dense = model_make(), sparse = model_make();
    for (uint32_t i = 0; i < LAYERS; i++) {
        sparse_make(&sparse, &sparse.model.layers[i], (uint32_t)(256 * share), &state);
    }
    pair[0] = synthetic_file(&dense);
    pair[1] = synthetic_file(&sparse);
    synthetic_free(&dense);
    synthetic_free(&sparse);
    printf("%u-%u-%u-%u, %d experts, %.0f %% of the patches", widths[0], widths[1], widths[2], widths[3],
           EXPERTS, 100 * share);
}

static void read_pair(file pair[2], const char *name) {
    for (int half = 0; half < 2; half++) {
        char path[256];
        void *bytes;
        size_t size;
        gal_error error = {GAL_OK, ""};
        snprintf(path, sizeof path, "models/%s%s.gallop", name, half ? "-half" : "");
        if (gali_file_read(path, GALI_FILE_MAX, NULL, &bytes, &size, &error) != GAL_OK) {
            fprintf(stderr, "bench: %s\n", error.message);
            exit(1);
        }
        pair[half] = file_make(bytes, size);
        gali_release(NULL, bytes, size);
    }
    printf("models/%s.gallop and models/%s-half.gallop, %zu and %zu bytes", name, name, pair[0].size,
           pair[1].size);
}

/* Inputs of any network of the pair, and room for what it says. */
static void fill_inputs(const file *model) {
    gal_network *network = network_open(model, (gal_network_desc){0});
    const gal_network_info info = gal_network_get_info(network);
    uint64_t state = 7;
    x = bench_alloc(COUNT_MOST * info.inputs * sizeof *x);
    y = bench_alloc(COUNT_MOST * info.outputs * sizeof *y);
    for (size_t i = 0; i < (size_t)COUNT_MOST * info.inputs; i++) {
        x[i] = synthetic_uniform(&state);
    }
    for (size_t i = 0; i < COUNT_MOST; i++) {
        phase[i] = 3 * synthetic_uniform(&state);
    }
    gal_network_close(network);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "0.5";
    const double seconds = argc > 2 ? atof(argv[2]) : 1;
    const gal_isa isa = isa_named(argc > 3 ? argv[3] : NULL);
    file pair[2];
    if (strtod(what, NULL) > 0) {
        make_pair(pair, strtod(what, NULL));
    } else {
        read_pair(pair, what);
    }
    fill_inputs(&pair[0]);
    printf(", %s; medians in us of a call\n",
           isa == GAL_ISA_BEST ? "the best instructions" : gal_isa_name(isa));
    printf("%-16s  %5s  %9s  %9s  %6s  %6s\n", "", "C", "dense", "sparse", "ratio", "rounds");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (argc > 4 && strcmp(argv[4], ways[i].name) != 0) {
            continue;
        }
        side all = side_make(&pair[0], &ways[i], isa), some = side_make(&pair[1], &ways[i], isa);
        for (uint32_t c = 0; c < COUNTS; c++) {
            compare(&ways[i], &all, &some, counts[c], seconds);
        }
        side_free(&all);
        side_free(&some);
    }
    bench_free(x);
    bench_free(y);
    bench_free(pair[0].bytes);
    bench_free(pair[1].bytes);
    return 0;
}
