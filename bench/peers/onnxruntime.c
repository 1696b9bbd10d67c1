/*
 * ONNX Runtime on the network as a graph: what exporting to an inference engine gives. All spellings of a blended
 * layer are measured on the count that is about to be timed, and the fastest is kept. Its library
 * comes out of the Python package (bench/run.sh), which has no C header; its interface is a table of functions
 * whose order is fixed for ever, so the few that are needed are taken by their places in it.
 *
 * GALLOP_BENCH_ONNXRUNTIME names the library.
 */
#include "onnx_model.h"

#include "../harness/clock.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum place {
    GET_ERROR_MESSAGE = 2,
    CREATE_ENV = 3,
    CREATE_SESSION_FROM_ARRAY = 8,
    RUN = 9,
    CREATE_SESSION_OPTIONS = 10,
    SET_GRAPH_OPTIMIZATION = 23,
    SET_INTRA_OP_THREADS = 24,
    SET_INTER_OP_THREADS = 25,
    CREATE_TENSOR_WITH_DATA = 49,
    CREATE_CPU_MEMORY_INFO = 69,
    RELEASE_SESSION = 95,
    RELEASE_VALUE = 96,
};

enum { API_VERSION = 11, WARNINGS = 2, OPTIMIZE_ALL = 99, ARENA_ALLOCATOR = 1, FLOAT_ELEMENT = 1 };

typedef void (*function)(void);
typedef struct api_base {
    const function *(*get_api)(uint32_t version);
    const char *(*version)(void);
} api_base;
typedef const char *text_of_status(const void *status);
typedef void *make_env(int level, const char *id, void **out);
typedef void *make_session(void *env, const void *model, size_t size, void *options, void **out);
typedef void *make_options(void **out);
typedef void *set_option(void *options, int value);
typedef void *make_memory_info(int allocator, int kind, void **out);
typedef void *make_tensor(const void *info, void *data, size_t size, const int64_t *shape, size_t rank,
                          int type, void **out);
typedef void *run_session(void *session, const void *options, const char *const *in_names, void *const *in,
                          size_t in_count, const char *const *out_names, size_t out_count, void **out);
typedef void release_object(void *object);

typedef struct runtime {
    const function *api;
    void *env, *options, *memory;
} runtime;

typedef struct session {
    void *sessions[ONNX_SPELLINGS];
    onnx_spelling chosen;
    void *in[2], *out; /* tensors over the batch that was made ready */
    uint32_t inputs, experts, outputs;
} session;

static runtime ort;

static void check(void *status) {
    if (status) {
        fprintf(stderr, "bench: ONNX Runtime: %s\n", ((text_of_status *)ort.api[GET_ERROR_MESSAGE])(status));
        exit(1);
    }
}

static const function *load(void) {
    const char *named = getenv("GALLOP_BENCH_ONNXRUNTIME");
    void *handle = named && named[0] ? dlopen(named, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = handle ? dlsym(handle, "OrtGetApiBase") : NULL;
    const api_base *(*get_base)(void) = NULL;
    memcpy(&get_base, &symbol, sizeof symbol);
    return get_base ? get_base()->get_api(API_VERSION) : NULL;
}

static const char *unavailable(const engine *self) {
    (void)self;
    if (ort.api == NULL) {
        ort.api = load();
    }
    return ort.api ? NULL : "no libonnxruntime.so (GALLOP_BENCH_ONNXRUNTIME names it)";
}

static void start(void) {
    if (ort.env) {
        return;
    }
    check(((make_env *)ort.api[CREATE_ENV])(WARNINGS, "bench", &ort.env));
    check(((make_options *)ort.api[CREATE_SESSION_OPTIONS])(&ort.options));
    check(((set_option *)ort.api[SET_INTRA_OP_THREADS])(ort.options, 1));
    check(((set_option *)ort.api[SET_INTER_OP_THREADS])(ort.options, 1));
    check(((set_option *)ort.api[SET_GRAPH_OPTIMIZATION])(ort.options, OPTIMIZE_ALL));
    check(((make_memory_info *)ort.api[CREATE_CPU_MEMORY_INFO])(ARENA_ALLOCATOR, 0, &ort.memory));
}

static void *prepare(const engine *self, const bench_network *network, uint32_t capacity) {
    session *s = bench_alloc(sizeof *s);
    size_t size = 0;
    (void)self;
    (void)capacity;
    start();
    for (int i = 0; i < ONNX_SPELLINGS; i++) {
        void *model = onnx_model_write(network, (onnx_spelling)i, &size);
        check(((make_session *)ort.api[CREATE_SESSION_FROM_ARRAY])(ort.env, model, size, ort.options,
                                                                   &s->sessions[i]));
        bench_free(model);
    }
    s->inputs = network->layers[0].inputs;
    s->experts = network->experts;
    s->outputs = network->layers[network->layer_count - 1].outputs;
    return s;
}

static void release_tensors(session *s) {
    release_object *release = (release_object *)ort.api[RELEASE_VALUE];
    void **values[3] = {&s->in[0], &s->in[1], &s->out};
    for (size_t i = 0; i < 3; i++) {
        if (*values[i]) {
            release(*values[i]);
        }
        *values[i] = NULL;
    }
}

static void *tensor(const void *data, uint32_t rows, uint32_t columns) {
    const int64_t shape[2] = {rows, columns};
    void *made = NULL, *writable = NULL;
    memcpy(&writable, &data, sizeof data); /* the interface has no const tensors */
    check(((make_tensor *)ort.api[CREATE_TENSOR_WITH_DATA])(
        ort.memory, writable, sizeof(float) * rows * columns, shape, 2, FLOAT_ELEMENT, &made));
    return made;
}

static void run(void *state, const bench_batch *batch) {
    static const char *const in[] = {"x", "w"}, *const out[] = {"y"};
    session *s = state;
    (void)batch;
    check(((run_session *)ort.api[RUN])(s->sessions[s->chosen], NULL, in, s->in, 2, out, 1, &s->out));
}

/* Nanoseconds of the fastest of a few calls. */
static double race(session *s, onnx_spelling spelling, const bench_batch *batch) {
    enum { CALLS = 12 };
    double best = INFINITY;
    s->chosen = spelling;
    for (int i = 0; i < CALLS; i++) {
        const double start = clock_ns();
        run(s, batch);
        const double taken = clock_ns() - start;
        best = taken < best ? taken : best;
    }
    return best;
}

static void ready(void *state, const bench_batch *batch) {
    session *s = state;
    double best = INFINITY;
    onnx_spelling fastest = ONNX_EXPANDED;
    release_tensors(s);
    s->in[0] = tensor(batch->x, batch->count, s->inputs);
    s->in[1] = tensor(batch->blend, batch->count, s->experts);
    s->out = tensor(batch->y, batch->count, s->outputs);
    for (int i = 0; i < ONNX_SPELLINGS; i++) {
        const double taken = race(s, (onnx_spelling)i, batch);
        fastest = taken < best ? (onnx_spelling)i : fastest;
        best = taken < best ? taken : best;
    }
    s->chosen = fastest;
}

static const char *form(void *state) {
    static const char *const names[ONNX_SPELLINGS] = {"expanded graph", "weights blended", "wide graph"};
    return names[((session *)state)->chosen];
}

static void release(void *state) {
    session *s = state;
    release_tensors(s);
    for (int i = 0; i < ONNX_SPELLINGS; i++) {
        ((release_object *)ort.api[RELEASE_SESSION])(s->sessions[i]);
    }
    bench_free(s);
}

const engine engine_onnxruntime = {.name = "ONNX Runtime",
                                   .unavailable = unavailable,
                                   .prepare = prepare,
                                   .ready = ready,
                                   .run = run,
                                   .form = form,
                                   .release = release};
