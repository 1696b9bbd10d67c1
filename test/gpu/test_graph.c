/*
 * Any graph on a device against its truth: the operators of models that are no controllers go the same way, in this program
 * and as C that is emitted. Skipped where there is no OpenCL device.
 */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "any_device.h"
#include "compiler/emit/opencl/emit.h"
#include "gpu/run.h"
#include "graph/evaluate.h"

enum { SYMBOLS = 8, MOST = 9, SIZE = 7 };

#define PLANES "symbol h 3..9\ninput %0 \"x\": f32[1, 4, h, 8]\n"
#define ROWS "symbol s 1..9\ninput %0 \"x\": f32[s, 20]\n"

#define STACK(depth) "symbol s 1..9\ninput %0 \"x\": f32[s, 24, " depth "]\n"

/* kernel: what the launch begins with that makes most of it; "": any. */
static const struct {
    const char *name, *text, *kernel;
} cases[] = {
    {"a product with what finishes it",
     ROWS "constant %1: f32[20, 24]\nconstant %2: f32[24]\n%3: f32[s, 24] = MatMul (%0, %1)\n"
          "%4: f32[s, 24] = Add (%3, %2)\n%5: f32[s, 24] = Sigmoid (%4)\noutput %5\n",
     ""},
    {"a product that begins at a bias",
     ROWS "constant %1: f32[20, 24]\nconstant %2: f32[24]\n%3: f32[s, 24] = Gemm (%0, %1, %2)\noutput %3\n",
     ""},
    {"rows' sums times a diagonal, which is no product of rows with weights",
     ROWS "constant %1: f32[24, 24]\n%2: f32[s, 24] = Einsum (%0, %1) equation:word=\"ck,nn->cn\"\noutput %2\n",
     ""},
    {"a convolution of single elements",
     PLANES "constant %1: f32[6, 4, 1, 1]\n%2: f32[1, 6, h, 8] = Conv (%0, %1)\n%3: f32[1, 6, h, 8] = Relu "
            "(%2)\noutput %3\n",
     ""},
    {"a convolution of windows, padded",
     PLANES "constant %1: f32[3, 4, 3, 3]\n%2: f32[1, 3, h, 8] = Conv (%0, %1) pads:ints=1,1,1,1\noutput %2\n",
     ""},
    {"each plane by itself",
     PLANES "constant %1: f32[4, 1, 3, 3]\n%2: f32[1, 4, h, 8] = Conv (%0, %1) group:int=4 pads:ints=1,1,1,1\n"
            "output %2\n",
     ""},
    {"largest of windows, then a mean of planes",
     PLANES "%1: f32[1, 4, h, 8] = MaxPool (%0) kernel_shape:ints=3,3 pads:ints=1,1,1,1\n"
            "%2: f32[1, 4, 1, 1] = GlobalAveragePool (%1)\noutput %2\n",
     ""},
    {"a convolution in tiles, with a bias and what finishes it",
     "symbol h 1..9\ninput %0 \"x\": f32[1, 20, h, 8]\nconstant %1: f32[24, 20, 3, 3]\nconstant %2: f32[24]\n"
     "%3: f32[1, 24, h, 8] = Conv (%0, %1, %2) pads:ints=1,1,1,1\n%4: f32[1, 24, h, 8] = Relu (%3)\noutput "
     "%4\n",
     "tile"},
    {"a convolution whose weights, the last constant, end within a texel, in tiles",
     "symbol h 1..9\ninput %0 \"x\": f32[1, 27, h, 8]\nconstant %1: f32[19, 27, 1, 1]\n"
     "%2: f32[1, 19, h, 8] = Conv (%0, %1)\noutput %2\n",
     "tile"},
    {"a product of batches with what is turned, in tiles",
     STACK("20") "%1: f32[s, 20, 24] = Transpose (%0) perm:ints=0,2,1\n"
                 "%2: f32[s, 24, 24] = MatMul (%0, %1)\noutput %2\n",
     "tile"},
    {"the same of long sums, in parts",
     STACK("200") "%1: f32[s, 200, 24] = Transpose (%0) perm:ints=0,2,1\n"
                  "%2: f32[s, 24, 24] = MatMul (%0, %1)\n%3: f32[s, 24, 24] = Tanh (%2)\noutput %3\n",
     "tile"},
    {"means of planes whose inner side is open, shared",
     "symbol h 1..9\ninput %0 \"x\": f32[1, 24, 8, h]\n%1: f32[1, 24, 1, 1] = GlobalAveragePool (%0)\noutput "
     "%1\n",
     "shared"},
    {"products of planes whose inner side is open, in tiles",
     "symbol h 1..9\ninput %0 \"x\": f32[1, 24, 8, h]\n"
     "%1: f32[1, 24, 24] = Einsum (%0, %0) equation:word=\"bchw,bdhw->bcd\"\noutput %1\n",
     "tile"},
    {"a softmax of long rows, shared", STACK("200") "%1: f32[s, 24, 200] = Softmax (%0)\noutput %1\n",
     "shared"},
    {"largest of rows, shared",
     STACK("200") "constant %1: i64[1] = 2\n%2: f32[s, 24, 1] = ReduceMax (%0, %1)\noutput %2\n", "shared"},
    {"sums of few elements, shared",
     STACK("20") "constant %1: i64[2] = 1 2\n%2: f32[s, 1, 1] = ReduceSumSquare (%0, %1)\noutput %2\n",
     "shared"},
    {"sums of planes that small sizes leave nothing of, neither in tiles nor shared",
     "symbol h 1..9\ninput %0 \"x\": f32[1, 24, 8, h]\nconstant %1: i64[1] = 2\nconstant %2: i64[1] = 9\n"
     "constant %3: i64[1] = 3\n%4: f32[1, 24, 8, max(0, h - 2)] = Slice (%0, %1, %2, %3)\n"
     "%5: f32[1, 24, 24] = Einsum (%4, %4) equation:word=\"bchw,bdhw->bcd\"\noutput %5\n",
     "stage"},
    {"a softmax of rows, turned",
     ROWS "%1: f32[s, 20] = Softmax (%0)\n%2: f32[20, s] = Transpose (%1)\noutput %2\n", ""},
    {"single elements",
     ROWS "%1: f32[s, 20] = Tanh (%0)\n%2: f32[s, 20] = Erf (%0)\n%3: f32[s, 20] = Mul (%1, "
          "%2)\n%4: f32[s, 20] = Exp (%3)\noutput %4\n",
     ""},
};

/* Constants of a text without numbers are zeros: these get some. */
static void fill_constants(gali_graph *graph) {
    for (uint32_t i = 0; i < graph->value_count; i++) {
        gali_value *v = &graph->values[i];
        float *data = (float *)(uintptr_t)v->data;
        v->reals = v->data ? NULL : v->reals; /* those of the zeros */
        for (int64_t k = 0;
             data && v->type.element == GALI_f32 && k < gali_type_count(graph->extents, &v->type); k++) {
            data[k] = (float)((k * 31 + i * 7) % 17) / 16 - 0.5f;
        }
    }
}

static gal_status make_program(gali_program **program, const gali_graph *graph, gali_arena *arena,
                               gal_error *error) {
    gal_status status = gali_program_make(program, graph, arena, error);
    status = status == GAL_OK ? gali_program_fuse(*program, error) : status;
    return status == GAL_OK ? gali_program_range(*program, error) : status;
}

static int has_kernel(const gali_device_plan *plan, const char *stem) {
    int has = 0;
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        has |= strncmp(plan->launches[i].name, stem, strlen(stem)) == 0;
    }
    return has;
}

/* The device's output of a graph whose only symbol is `SIZE`. */
static gal_status run_there(gali_graph *graph, gali_arena *arena, const char *kernel,
                            const gali_gpu_choice *choice, const float *x, size_t x_count, float *y,
                            size_t count, gal_error *error) {
    gali_program *program;
    gali_gpu_run run;
    int64_t most[SYMBOLS], symbols[SYMBOLS];
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        most[i] = MOST;
        symbols[i] = SIZE;
    }
    gal_status status = make_program(&program, graph, arena, error);
    status = status == GAL_OK ? gali_gpu_start(&run, program, 0, most, choice, error) : status;
    if (status == GAL_OK) {
        gali_gpu_set_sizes(&run, symbols);
        gali_gpu_put(&run, graph->inputs[0], x, x_count * sizeof *x);
        assert_true(!*kernel || has_kernel(&run.plan, kernel));
        for (uint32_t i = 0; i < run.plan.task_count && choice; i++) {
            const gali_tiling *asked = choice->context;
            assert_true(!asked || !asked->images || run.plan.image_count > 0);
        }
        gali_gpu_launch(&run, NULL);
        gali_gpu_get(&run, graph->outputs[0], y, count * sizeof *y);
        status = gali_gpu_failure(&run, error);
        gali_gpu_end(&run);
    }
    return status;
}

/* ---- as C ---- */

typedef struct emitted_device { /* as the header has it */
    void *context, *device, *queue;
    uint32_t number;
} emitted_device;

typedef struct emitted {
    void *library;
    const unsigned char *weights;
    int (*open)(void **state, const emitted_device *device, const void *weights, char *message, size_t room);
    int (*call)(void *state, const uint32_t *sizes, const void *const *inputs, void *const *outputs);
    void (*close)(void *state);
} emitted;

static void write_text(const char *folder, const char *name, const gali_text *text) {
    char path[96];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text->bytes, 1, text->size, file), text->size);
    fclose(file);
}

static void find(void *library, const char *name, void *function) {
    void *found = dlsym(library, name);
    assert_non_null(found);
    memcpy(function, &found, sizeof found);
}

/* The graph as the system's compiler builds it, without a warning. */
static emitted build_there(const gali_graph *graph, gali_arena *arena) {
    gali_text parts[GAL_COMPILED_PART_COUNT] = {{0}};
    const gali_emit_desc desc = {"model", "A test", 0};
    gali_program *program;
    gal_error error = {0};
    char folder[64], command[400];
    if (make_program(&program, graph, arena, &error) != GAL_OK ||
        gali_opencl_emit(program, &desc, &gali_device_least_limits, parts, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    snprintf(folder, sizeof folder, "opencl_%d", (int)getpid());
    snprintf(command, sizeof command, "mkdir -p %s", folder);
    assert_int_equal(system(command), 0);
    write_text(folder, "model.h", &parts[GAL_COMPILED_HEADER]);
    write_text(folder, "model.c", &parts[GAL_COMPILED_SOURCE]);
    snprintf(command, sizeof command,
             "cc -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -shared -fPIC -o %s/model.so "
             "%s/model.c",
             folder, folder);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "./%s/model.so", folder);
    emitted model = {.library = dlopen(command, RTLD_NOW)};
    assert_non_null(model.library);
    find(model.library, "model_open", (void *)&model.open);
    find(model.library, "model_call", (void *)&model.call);
    find(model.library, "model_close", (void *)&model.close);
    memcpy(&model.weights, dlsym(model.library, "model_weights"), sizeof model.weights);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    for (int i = 0; i < GAL_COMPILED_PART_COUNT; i++) {
        gali_text_release(&parts[i]);
    }
    return model;
}

static void run_emitted(const gali_graph *graph, gali_arena *arena, const float *x, float *y) {
    enum { NO_DEVICE = 2, BAD_SIZES = 6 };
    emitted model = build_there(graph, arena);
    void *state;
    char message[200] = "";
    const emitted_device none = {.number = 60};
    assert_int_equal(model.open(&state, &none, model.weights, message, sizeof message), NO_DEVICE);
    assert_null(state);
    assert_non_null(strstr(message, "60"));
    assert_int_equal(model.open(&state, NULL, model.weights, NULL, 0), 0);
    const uint32_t small = 1, size = SIZE, large = 1000;
    const void *const inputs[] = {x};
    void *const outputs[] = {y};
    assert_int_equal(model.call(state, &small, inputs, outputs), 0);
    assert_int_equal(model.call(state, &large, inputs, outputs), BAD_SIZES);
    assert_int_equal(model.call(state, &size, inputs, outputs), 0); /* more memory than before */
    model.close(state);
    dlclose(model.library);
}

/* ---- tests ---- */

static void compare(const char *name, const float *y, const gali_tensor *truth) {
    for (size_t k = 0; k < truth->count; k++) {
        if (!(fabs(truth->real[k] - (double)y[k]) <= 1e-5 * (1 + fabs(truth->real[k])))) {
            fail_msg("%s: element %zu is %g, expected %g", name, k, (double)y[k], truth->real[k]);
        }
    }
}

/* Inputs as truths have them, and as float32. */
static float *make_input(gali_run *run, const gali_graph *graph, gali_tensor *x) {
    const gali_type *type = &graph->values[graph->inputs[0]].type;
    int64_t symbols[SYMBOLS], shape[GALI_RANK_MAX];
    for (uint32_t s = 0; s < SYMBOLS; s++) {
        symbols[s] = SIZE;
    }
    for (int d = 0; d < type->rank; d++) {
        shape[d] = gali_extent_value(graph->extents, type->shape[d], symbols);
    }
    assert_int_equal(gali_tensor_make(run, x, GALI_f32, (uint32_t)type->rank, shape), GAL_OK);
    float *in = malloc(x->count * sizeof *in);
    for (size_t k = 0; k < x->count; k++) {
        in[k] = (float)(0.1 * (double)(k * 7919 % 23) - 1.1);
        x->real[k] = (double)in[k];
    }
    return in;
}

static uint32_t choose_it(void *context, const gali_device_task *task, gali_device_chosen *chosen) {
    chosen[0] = (gali_device_chosen){.tiling = *(const gali_tiling *)context};
    chosen[0].tiling.images &= task->images;
    return 1;
}

/* A case with every shape of tiles, operands as images or not, addresses carried on or divided out. */
static void run_tiled(gali_graph *graph, gali_arena *arena, const float *in, size_t in_count, float *y,
                      const gali_tensor *truth) {
    static const struct {
        gali_tiling tiling;
        int divided;
    } tilings[] = {
        {{64, 64, 16, 8, 4, 1, GALI_IMAGE_LEFT | GALI_IMAGE_RIGHT}, 0},
        {{128, 32, 8, 8, 8, 1, GALI_IMAGE_LEFT}, 0},
        {{32, 128, 8, 8, 8, 2, GALI_IMAGE_RIGHT}, 1},
        {{32, 32, 8, 4, 4, 4, 0}, 1},
    };
    for (size_t i = 0; i < sizeof tilings / sizeof *tilings; i++) {
        gali_tiling tiling = tilings[i].tiling;
        const gali_gpu_choice choice = {
            .choose = choose_it, .context = &tiling, .divided_addresses = tilings[i].divided};
        gal_error error = {0};
        memset(y, 0xff, truth->count * sizeof *y);
        if (run_there(graph, arena, "tile", &choice, in, in_count, y, truth->count, &error) != GAL_OK) {
            fail_msg("%s", error.message);
        }
        compare("tiled", y, truth);
    }
}

static void test_operators(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gali_arena arena = {0};
        gali_graph *graph;
        gal_error error = {0};
        gali_run run = {.memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = &error};
        gali_tensor x, truth;
        if (gali_graph_parse(&graph, cases[i].text, strlen(cases[i].text), &arena, &error) != GAL_OK ||
            gali_graph_infer(graph, &error) != GAL_OK) {
            fail_msg("%s: %s", cases[i].name, error.message);
        }
        fill_constants(graph);
        float *in = make_input(&run, graph, &x);
        assert_int_equal(gali_graph_evaluate(&run, graph, &x, &truth), GAL_OK);
        float *y = malloc(truth.count * sizeof *y);
        memset(y, 0xff, truth.count * sizeof *y);
        if (run_there(graph, &arena, cases[i].kernel, NULL, in, x.count, y, truth.count, &error) != GAL_OK) {
            fail_msg("%s: %s", cases[i].name, error.message);
        }
        compare(cases[i].name, y, &truth);
        if (strcmp(cases[i].kernel, "tile") == 0) {
            run_tiled(graph, &arena, in, x.count, y, &truth);
        }
        if (i == 0 || *cases[i].kernel) {
            memset(y, 0xff, truth.count * sizeof *y);
            run_emitted(graph, &arena, in, y);
            compare("emitted", y, &truth);
        }
        free(in);
        free(y);
        gali_tensor_release(&run, &x);
        gali_tensor_release(&run, &truth);
        gali_arena_release(&arena);
    }
}

/* A sum is neither tiled nor shared if sizes between the least and the most leave it nothing, as w = 9 of h = 3 here. */
static void test_sum_of_what_may_be_nothing(void **state) {
    (void)state;
    static const char text[] =
        "symbol h 3..12\nsymbol w 1..9\ninput %0 \"x\": f32[1, 24, w, h]\n%1: i64[1] = Shape (%0) start:int=2 "
        "end:int=3\n"
        "constant %2: i64[1] = 99\nconstant %3: i64[1] = 3\n%4: f32[...] = Slice (%0, %1, %2, %3)\n"
        "%5: f32[1, 24, 24] = Einsum (%4, %4) equation:word=\"bchw,bdhw->bcd\"\noutput %5\n";
    gali_arena arena = {0};
    gali_graph *graph;
    gali_program *program;
    gali_gpu_run run;
    gal_error error = {0};
    const int64_t most[SYMBOLS] = {12, MOST};
    assert_int_equal(gali_graph_parse(&graph, text, strlen(text), &arena, &error), GAL_OK);
    assert_int_equal(gali_graph_infer(graph, &error), GAL_OK);
    assert_int_equal(make_program(&program, graph, &arena, &error), GAL_OK);
    assert_int_equal(gali_gpu_start(&run, program, 0, most, NULL, &error), GAL_OK);
    assert_false(has_kernel(&run.plan, "tile") || has_kernel(&run.plan, "shared"));
    gali_gpu_end(&run);
    gali_arena_release(&arena);
}

/* What has no kernels is refused with a word, and nothing is left open. */
static void test_refused(void **state) {
    (void)state;
    static const char *const refused[][2] = {
        {ROWS "constant %1: i64[1] = 3\n%2: f32[s, 3], %3: i64[s, 3] = TopK (%0, %1)\noutput %2\n", "top_k"},
        {"input %0: f64[9]\n%1: f64[9] = Tanh (%0)\noutput %1\n", "float64"},
        {ROWS "%1: f64[s, 20] = Cast (%0) to:int=11\n%2: f64[s, 20] = Exp (%1)\n%3: f32[s, 20] = Cast (%2) "
              "to:int=1\noutput %3\n",
         "float64"},
        {ROWS "constant %1: f32[3] = 1 2 3\n%2: f32[s, 20] = Relu (%0)\n%3: f32[3] = Neg (%1)\noutput %3\n",
         "known without a run"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        gali_arena arena = {0};
        gali_graph *graph;
        gal_error error = {0};
        assert_int_equal(gali_graph_parse(&graph, refused[i][0], strlen(refused[i][0]), &arena, &error),
                         GAL_OK);
        assert_int_equal(gali_graph_infer(graph, &error), GAL_OK);
        const gal_status status = run_there(graph, &arena, "", NULL, NULL, 0, NULL, 0, &error);
        if (status != GAL_UNSUPPORTED || !strstr(error.message, refused[i][1])) {
            fail_msg("status %d, \"%s\", expected \"%s\"", (int)status, error.message, refused[i][1]);
        }
        gali_arena_release(&arena);
    }
}

int main(void) {
    if (!device_is_there()) {
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_operators),
                                       cmocka_unit_test(test_sum_of_what_may_be_nothing),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
