/* Emitted C on threads: whatever their number, the bits are those of none. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "program_build.h"
#include "program_run.h"

enum { ROWS = 61, WIDTH = 64, THREADS_MAX = 8 };

/* As every emitted header has it. */
typedef struct parallel {
    void (*parallel_for)(void *context, void (*task)(void *argument, uint32_t index), void *argument,
                         uint32_t count);
    void *context;
    uint32_t threads;
} parallel;

typedef int call_threads(uint32_t *sizes, const void *const *inputs, void *const *outputs, const void *weights,
                         void *workspace, const parallel *threads);

typedef struct turn {
    pthread_t thread;
    void (*task)(void *argument, uint32_t index);
    void *argument;
    uint32_t index;
} turn;

static void *run_turn(void *argument) {
    turn *t = argument;
    t->task(t->argument, t->index);
    return NULL;
}

/* A thread for each part; the context counts the parts. */
static void parallel_for(void *context, void (*task)(void *argument, uint32_t index), void *argument,
                         uint32_t count) {
    turn turns[THREADS_MAX];
    assert_in_range(count, 2, THREADS_MAX);
    *(uint32_t *)context += count;
    for (uint32_t i = count; i-- > 0;) { /* the last starts first */
        turns[i] = (turn){.task = task, .argument = argument, .index = i};
        assert_int_equal(pthread_create(&turns[i].thread, NULL, run_turn, &turns[i]), 0);
    }
    for (uint32_t i = 0; i < count; i++) {
        pthread_join(turns[i].thread, NULL);
    }
}

/* A convolution of an image, a product of matrices, a softmax and a norm of its rows. */
static gali_program *make_program(gali_arena *arena, const gali_target *target) {
    static const char text[] =
        "symbol s 1..200\ninput %0 \"x\": f32[1, s, 64]\nconstant %1: f32[64, 64]\nconstant %2: f32[64]\n"
        "constant %3: i64[4] = 1 1 -1 64\nconstant %4: f32[16, 1, 3, 3]\n"
        "%5 \"product\": f32[1, s, 64] = MatMul (%0, %1)\n"
        "%6 \"sum\": f32[1, s, 64] = Add (%5, %0)\n"
        "%7 \"share\": f32[1, s, 64] = Softmax (%6) axis:int=-1\n"
        "%8 \"norm\": f32[1, s, 64] = LayerNormalization (%6, %2) axis:int=-1\n"
        "%9 \"image\": f32[1, 1, s, 64] = Reshape (%7, %3)\n"
        "%10 \"maps\": f32[1, 16, s, 64] = Conv (%9, %4) pads:ints=1,1,1,1\n"
        "output %8\noutput %10\n";
    gal_error error = {0};
    gali_graph *graph;
    gali_program *p = NULL;
    if (gali_graph_parse(&graph, text, sizeof text - 1, arena, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    for (uint32_t i = 0; i < graph->value_count; i++) {
        gali_value *v = &graph->values[i];
        size_t count =
            v->data && v->type.element == GALI_f32 ? (size_t)gali_type_count(graph->extents, &v->type) : 0;
        float *numbers = gali_arena_take(arena, count * sizeof *numbers + 1);
        for (size_t k = 0; k < count; k++) {
            numbers[k] = (float)(k * 7907 % 211) * 0.01F - 1;
        }
        v->data = count ? numbers : v->data;
    }
    gali_run run = {.error = &error};
    if (gali_graph_infer(graph, &error) != GAL_OK ||
        program_make(&run, graph, target, gali_program_layout, &p) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return p;
}

static void check_threads(const gali_target *target) {
    static float x[ROWS * WIDTH], norm[2][ROWS * WIDTH], maps[2][16 * ROWS * WIDTH];
    static _Alignas(64) unsigned char workspace[1 << 20];
    gali_arena arena = {0};
    void *library = program_build(make_program(&arena, target));
    call_threads *run;
    *(void **)&run = dlsym(library, "model_call_threads");
    const unsigned char *const *weights = dlsym(library, "model_weights");
    for (int i = 0; i < ROWS * WIDTH; i++) {
        x[i] = (float)(i * 7919 % 223) * 0.01F - 1;
    }
    uint32_t size = ROWS, parts = 0;
    const void *inputs[] = {x};
    void *outputs[2][2] = {{norm[0], maps[0]}, {norm[1], maps[1]}};
    assert_int_equal(run(&size, inputs, outputs[0], *weights, workspace, NULL), 0);
    static const uint32_t counts[] = {1, 2, 7};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const parallel threads = {parallel_for, &parts, counts[i]};
        parts = 0;
        memset(norm[1], 0, sizeof norm[1]);
        memset(maps[1], 0, sizeof maps[1]);
        memset(workspace, 0x7f, sizeof workspace);
        assert_int_equal(run(&size, inputs, outputs[1], *weights, workspace, &threads), 0);
        assert_memory_equal(norm[0], norm[1], sizeof norm[0]);
        assert_memory_equal(maps[0], maps[1], sizeof maps[0]);
        assert_true(counts[i] == 1 ? parts == 0
                                   : parts >= 2 * counts[i]); /* the product and the maps at least */
    }
    dlclose(library);
    gali_arena_release(&arena);
}

static void test_any_number_of_threads(void **state) {
    (void)state;
    check_threads(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
