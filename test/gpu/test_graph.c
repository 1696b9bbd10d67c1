/*
 * Any graph on a device against its truth: the operators of models that are no controllers go the same way. Skipped where
 * there is no OpenCL device.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/run.h"
#include "graph/evaluate.h"

enum { SKIPPED = 77, SYMBOLS = 8, MOST = 9, SIZE = 7 };

#define PLANES "symbol h 3..9\ninput %0 \"x\": f32[1, 4, h, 8]\n"
#define ROWS "symbol s 1..9\ninput %0 \"x\": f32[s, 20]\n"

static const struct {
    const char *name, *text;
} cases[] = {
    {"a product with what finishes it",
     ROWS "constant %1: f32[20, 24]\nconstant %2: f32[24]\n%3: f32[s, 24] = MatMul (%0, %1)\n"
          "%4: f32[s, 24] = Add (%3, %2)\n%5: f32[s, 24] = Sigmoid (%4)\noutput %5\n"},
    {"a convolution of single elements",
     PLANES "constant %1: f32[6, 4, 1, 1]\n%2: f32[1, 6, h, 8] = Conv (%0, %1)\n%3: f32[1, 6, h, 8] = Relu "
            "(%2)\noutput %3\n"},
    {"a convolution of windows, padded",
     PLANES "constant %1: f32[3, 4, 3, 3]\n%2: f32[1, 3, h, 8] = Conv (%0, %1) pads:ints=1,1,1,1\noutput %2\n"},
    {"each plane by itself",
     PLANES "constant %1: f32[4, 1, 3, 3]\n%2: f32[1, 4, h, 8] = Conv (%0, %1) group:int=4 pads:ints=1,1,1,1\n"
            "output %2\n"},
    {"largest of windows, then a mean of planes",
     PLANES "%1: f32[1, 4, h, 8] = MaxPool (%0) kernel_shape:ints=3,3 pads:ints=1,1,1,1\n"
            "%2: f32[1, 4, 1, 1] = GlobalAveragePool (%1)\noutput %2\n"},
    {"a softmax of rows, turned",
     ROWS "%1: f32[s, 20] = Softmax (%0)\n%2: f32[20, s] = Transpose (%1)\noutput %2\n"},
    {"single elements", ROWS "%1: f32[s, 20] = Tanh (%0)\n%2: f32[s, 20] = Erf (%0)\n%3: f32[s, 20] = Mul (%1, "
                             "%2)\n%4: f32[s, 20] = Exp (%3)\noutput %4\n"},
};

/* Constants of a text without numbers are zeros: these get some. */
static void fill_constants(gali_graph *graph) {
    for (uint32_t i = 0; i < graph->value_count; i++) {
        const gali_value *v = &graph->values[i];
        float *data = (float *)(uintptr_t)v->data;
        for (int64_t k = 0;
             data && v->type.element == GALI_f32 && k < gali_type_count(graph->extents, &v->type); k++) {
            data[k] = (float)((k * 31 + i * 7) % 17) / 16 - 0.5f;
        }
    }
}

/* The device's output of a graph whose only symbol is `SIZE`. */
static float *run_there(gali_graph *graph, gali_arena *arena, const gali_tensor *x, size_t count,
                        gal_error *error) {
    gali_program *program;
    gali_gpu_run run;
    int64_t most[SYMBOLS], symbols[SYMBOLS];
    float *in = malloc(x->count * sizeof *in), *out = malloc(count * sizeof *out);
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        most[i] = MOST;
        symbols[i] = SIZE;
    }
    for (size_t i = 0; i < x->count; i++) {
        in[i] = (float)x->real[i];
    }
    memset(out, 0xff, count * sizeof *out);
    gal_status status = gali_program_make(&program, graph, arena, error);
    status = status == GAL_OK ? gali_program_fuse(program, error) : status;
    status = status == GAL_OK ? gali_program_range(program, error) : status;
    status = status == GAL_OK ? gali_gpu_start(&run, program, 0, most, NULL, error) : status;
    if (status == GAL_OK) {
        gali_gpu_put(&run, graph->inputs[0], in, x->count * sizeof *in);
        gali_gpu_launch(&run, symbols, NULL);
        gali_gpu_get(&run, graph->outputs[0], out, count * sizeof *out);
        status = gali_gpu_failure(&run, error);
        gali_gpu_end(&run);
    }
    free(in);
    if (status != GAL_OK) {
        free(out);
    }
    return status == GAL_OK ? out : NULL;
}

static void test_operators(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gali_arena arena = {0};
        gali_graph *graph;
        gal_error error = {0};
        gali_run run = {.memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = &error};
        gali_tensor x, truth;
        int64_t symbols[SYMBOLS], shape[GALI_RANK_MAX];
        if (gali_graph_parse(&graph, cases[i].text, strlen(cases[i].text), &arena, &error) != GAL_OK ||
            gali_graph_infer(graph, &error) != GAL_OK) {
            fail_msg("%s: %s", cases[i].name, error.message);
        }
        fill_constants(graph);
        const gali_type *type = &graph->values[graph->inputs[0]].type;
        for (uint32_t s = 0; s < SYMBOLS; s++) {
            symbols[s] = SIZE;
        }
        for (int d = 0; d < type->rank; d++) {
            shape[d] = gali_extent_value(graph->extents, type->shape[d], symbols);
        }
        assert_int_equal(gali_tensor_make(&run, &x, GALI_f32, (uint32_t)type->rank, shape), GAL_OK);
        for (size_t k = 0; k < x.count; k++) {
            x.real[k] = (double)(float)(0.1 * (double)(k * 7919 % 23) - 1.1);
        }
        assert_int_equal(gali_graph_evaluate(&run, graph, &x, &truth), GAL_OK);
        float *y = run_there(graph, &arena, &x, truth.count, &error);
        if (!y) {
            fail_msg("%s: %s", cases[i].name, error.message);
        }
        for (size_t k = 0; k < truth.count; k++) {
            if (!(fabs(truth.real[k] - (double)y[k]) <= 1e-5 * (1 + fabs(truth.real[k])))) {
                fail_msg("%s: element %zu is %g, expected %g", cases[i].name, k, (double)y[k], truth.real[k]);
            }
        }
        free(y);
        gali_tensor_release(&run, &x);
        gali_tensor_release(&run, &truth);
        gali_arena_release(&arena);
    }
}

/* What has no kernels is refused with a word, and nothing is left open. */
static void test_refused(void **state) {
    (void)state;
    static const char text[] =
        ROWS "constant %1: i64[1] = 3\n%2: f32[s, 3], %3: i64[s, 3] = TopK (%0, %1)\noutput %2\n";
    gali_arena arena = {0};
    gali_graph *graph;
    gal_error error = {0};
    gali_tensor x = {.count = 0};
    assert_int_equal(gali_graph_parse(&graph, text, sizeof text - 1, &arena, &error), GAL_OK);
    assert_int_equal(gali_graph_infer(graph, &error), GAL_OK);
    assert_null(run_there(graph, &arena, &x, 1, &error));
    assert_int_equal(error.status, GAL_UNSUPPORTED);
    gali_arena_release(&arena);
}

int main(void) {
    static gali_cl_facts facts[1];
    uint32_t count;
    gali_cl_list(facts, 1, &count, NULL);
    if (!count) {
        printf("no OpenCL device\n");
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_operators), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
