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

/* The parts one after another: a part that writes what an earlier one has made shows each time. */
static void one_by_one(void *context, void (*task)(void *argument, uint32_t index), void *argument,
                       uint32_t count) {
    *(uint32_t *)context += count;
    for (uint32_t i = 0; i < count; i++) {
        task(argument, i);
    }
}

/* The graph of the text, its constants but lists of a few filled, as a program for the target. */
static gali_program *make_program(gali_arena *arena, const char *text, const gali_target *target) {
    gal_error error;
    gali_graph *graph;
    gali_program *p = NULL;
    if (gali_graph_parse(&graph, text, strlen(text), arena, &error) != GAL_OK) {
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
        v->data = count > 4 ? numbers : v->data;
    }
    gali_run run = {.error = &error};
    if (gali_graph_infer(graph, &error) != GAL_OK ||
        program_make(&run, graph, target, gali_program_layout, &p) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return p;
}

/* A program of one input and its outputs, of so many numbers in this run. */
typedef struct threads_case {
    const char *text;
    const gali_target *target;
    uint32_t size, inputs, outputs[2]; /* an output of 0 is none */
    uint32_t times;                    /* loops that threads share, at least */
    uint32_t turns;                    /* of each of them, and so parts at most; 0: not asked */
} threads_case;

enum { NUMBERS_MAX = 1 << 17 };

static void check_threads(const threads_case *c) {
    static float x[NUMBERS_MAX], y[2][2][NUMBERS_MAX];
    static _Alignas(64) unsigned char workspace[1 << 20];
    gali_arena arena = {0};
    void *library = program_build(make_program(&arena, c->text, c->target));
    call_threads *run;
    *(void **)&run = dlsym(library, "model_call_threads");
    const unsigned char *const *weights = dlsym(library, "model_weights");
    for (uint32_t i = 0; i < c->inputs; i++) {
        x[i] = (float)(i * 7919 % 223) * 0.01F - 1;
    }
    uint32_t size = c->size, parts = 0;
    const void *inputs[] = {x};
    void *outputs[2][2] = {{y[0][0], y[0][1]}, {y[1][0], y[1][1]}};
    assert_int_equal(run(&size, inputs, outputs[0], *weights, workspace, NULL), 0);
    static const uint32_t counts[] = {1, 2, 7, 2, 7};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const parallel threads = {i < 3 ? parallel_for : one_by_one, &parts, counts[i]};
        parts = 0;
        memset(y[1], 0, sizeof y[1]);
        memset(workspace, 0x7f, sizeof workspace);
        assert_int_equal(run(&size, inputs, outputs[1], *weights, workspace, &threads), 0);
        for (int k = 0; k < 2; k++) {
            assert_memory_equal(y[0][k], y[1][k], c->outputs[k] * sizeof(float));
        }
        const uint32_t most = c->turns && c->turns < counts[i] ? c->turns : counts[i];
        assert_true(counts[i] == 1 ? parts == 0 : parts >= c->times * most);
        assert_true(!c->turns || parts <= c->times * most);
    }
    dlclose(library);
    gali_arena_release(&arena);
}

/* A convolution of an image, a product of matrices, a softmax and a norm of its rows. */
static void test_any_number_of_threads(void **state) {
    (void)state;
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
    check_threads(&(threads_case){.text = text,
                                  .size = ROWS,
                                  .inputs = ROWS * WIDTH,
                                  .outputs = {ROWS * WIDTH, 16 * ROWS * WIDTH},
                                  .times = 2}); /* the product and the maps at least */
}

/*
 * A row of two pieces of as many vectors each, whose last one writes over the next piece's beginning: were threads to share
 * the loops of both, the second thread's end of the first piece would come after the first thread's beginning of the second.
 * Rows of the same are shared.
 */
static void test_pieces_of_a_row(void **state) {
    (void)state;
    gal_error error;
    const gali_target *target = gali_target_find("native", &error);
    check_threads(&(threads_case){.text = "input %0: f32[20001]\n%1: f32[20001] = Neg (%0)\n"
                                          "%2: f32[40002] = Concat (%1, %0) axis:int=0\noutput %2\n",
                                  .target = target,
                                  .inputs = 20001,
                                  .outputs = {40002}});
    check_threads(&(threads_case){.text = "input %0: f32[61, 1001]\n%1: f32[61, 1001] = Neg (%0)\n"
                                          "%2: f32[61, 2002] = Concat (%1, %0) axis:int=1\noutput %2\n",
                                  .target = target,
                                  .inputs = 61 * 1001,
                                  .outputs = {61 * 2002},
                                  .times = 1});
}

/* A loop of three turns, each of much work, has no more parts than that: a thread is not woken for nothing. */
static void test_fewer_turns_than_threads(void **state) {
    (void)state;
    check_threads(&(threads_case){.text = "input %0: f32[3, 40000]\nconstant %1: i64[1] = 1\n"
                                          "%2: f32[3, 1] = ReduceSum (%0, %1)\noutput %2\n",
                                  .inputs = 3 * 40000,
                                  .outputs = {3},
                                  .times = 1,
                                  .turns = 3});
}

/* Of many statements that keep scalars in locals some read none of them: the C has none that is set for nothing. */
static void test_locals_are_read(void **state) {
    (void)state;
    gal_error error;
    check_threads(&(threads_case){
        .text =
            "input %0: f32[1, 2, 7, 5]\nconstant %1: f32[7, 2, 1, 3]\nconstant %2: f32[7]\n"
            "constant %3: f32[4] = 1 1 3 1.5\nconstant %4: f32[23, 7, 30, 9]\nconstant %5: f32[1, 7, 1, 3]\n"
            "%6: f32[1, 7, 10, 6] = Conv (%0, %1) pads:ints=2,1,1,2\n%7: f32[1, 7, 10, 6] = Erf (%6)\n"
            "%8: f32[1, 7, 10, 6] = Max (%7, %7)\n"
            "%9: f32[1, 7, 30, 9] = Resize (%8, -, %3) mode:word=\"linear\"\n"
            "%10: f32[26, 7, 30, 9] = Concat (%9, %4, %9, %9) axis:int=0\n"
            "%11: f32[26, 1, 33, 9] = Conv (%10, %5) pads:ints=2,2,1,0\noutput %10\noutput %11\n",
        .target = gali_target_find("x86-64-v3", &error),
        .inputs = 70,
        .outputs = {26 * 7 * 30 * 9, 26 * 33 * 9}});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_number_of_threads),
        cmocka_unit_test(test_pieces_of_a_row),
        cmocka_unit_test(test_fewer_turns_than_threads),
        cmocka_unit_test(test_locals_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
