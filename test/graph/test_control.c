/* Nodes with bodies: types of what they give, and their truth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bodies.h"
#include "graph/evaluate.h"
#include "graph/graph.h"

/* The outputs' types, then " = " and their numbers where the graph is run on `inputs`. */
static void run_text(const char *text, const gali_tensor *inputs, gali_text *out) {
    gali_arena arena = {0};
    gal_error error = {0};
    gali_graph *graph;
    gali_tensor outputs[4] = {{.count = 0}};
    gali_run run = {.memory_left = GALI_RUN_MEMORY, .work_left = 1e7, .error = &error};
    gal_status status = gali_graph_parse(&graph, text, strlen(text), &arena, &error);
    for (int again = 0; status == GAL_OK && again < 2; again++) { /* the same when it is inferred again */
        status = gali_graph_infer(graph, &error);
    }
    if (status == GAL_OK && inputs) {
        status = gali_graph_evaluate(&run, graph, inputs, outputs);
    }
    for (uint32_t i = 0; status == GAL_OK && i < graph->output_count; i++) {
        gali_text_add(out, "%s", i ? "; " : "");
        gali_type_print(graph->extents, &graph->values[graph->outputs[i]].type, out);
        for (size_t e = 0; e < outputs[i].count; e++) {
            gali_text_add(out, "%s%g", e ? " " : " = ",
                          outputs[i].real ? outputs[i].real[e] : (double)outputs[i].whole[e]);
        }
        gali_tensor_release(&run, &outputs[i]);
    }
    if (status != GAL_OK) {
        gali_text_add(out, "%s", error.message);
    }
    assert_int_equal(run.memory_left, GALI_RUN_MEMORY);
    gali_arena_release(&arena);
}

static void expect(const char *text, const gali_tensor *inputs, const char *expected) {
    gali_text out = {0};
    run_text(text, inputs, &out);
    assert_string_equal(out.bytes, expected);
    gali_text_release(&out);
}

static const char *const branches =
    "symbol n 0..100\ninput %0: bool[]\ninput %1: f32[n, 2]\n"
    "%2: f32[...] = If (%0, %1)\n"
    "body\ninput %0: f32[...]\n%1: f32[...] = Neg (%0)\noutput %1\nend\n"
    "body\ninput %0: f32[...]\n%1: f32[...] = Concat (%0, %0) axis:int=1\noutput %1\nend\n"
    "output %2\n";

static void test_if(void **state) {
    (void)state;
    int64_t truth = 1;
    gali_tensor inputs[] = {scalar(GALI_truth, &truth), matrix()};
    expect(branches, inputs, "f32[n, size_1] = -1 -2 -3 -4 -5 -6");
    truth = 0;
    expect(branches, inputs, "f32[n, size_1] = 1 2 1 2 3 4 3 4 5 6 5 6");
    /* a branch that does not fit is never the one */
    expect("input %0: bool[]\ninput %1: f32[3, 2]\nconstant %2: i64[1] = 0\n%3: f32[...] = If (%0, %1, %2)\n"
           "body\ninput %0: f32[...]\ninput %1: i64[1]\n%2: f32[...] = Squeeze (%0, %1)\noutput %2\nend\n"
           "body\ninput %0: f32[...]\ninput %1: i64[1]\noutput %0\nend\noutput %3\n",
           inputs, "f32[3, 2] = 1 2 3 4 5 6");
}

static void test_known_if(void **state) {
    (void)state;
    int64_t unused = 0;
    gali_tensor inputs[] = {matrix(), scalar(GALI_i64, &unused)};
    expect("input %0: f32[3, 2]\ninput %1: i64[]\nconstant %2: bool[] = 1\n%3: f32[...] = If (%2, %0)\n"
           "body\ninput %0: f32[...]\n%1: f32[...] = Transpose (%0)\noutput %1\nend\n"
           "body\ninput %0: f32[...]\noutput %0\nend\noutput %3\n",
           inputs, "f32[2, 3] = 1 3 5 2 4 6");
}

static void test_loop(void **state) {
    (void)state;
    int64_t most = 100, x = 1;
    gali_tensor inputs[] = {scalar(GALI_i64, &most),
                            {.element = GALI_i64, .rank = 1, .shape = {1}, .count = 1, .whole = &x}};
    expect(doubling, inputs, "i64[1] = 16; i64[size_2] = 0 1 2 3");
    most = 2;
    expect(doubling, inputs, "i64[1] = 4; i64[size_2] = 0 1");
    most = 0;
    expect(doubling, inputs, "i64[1] = 1; i64[size_2]");
}

/* A tensor that grows from trip to trip, and one that stays. */
static void test_carried_shapes(void **state) {
    (void)state;
    int64_t most = 2;
    gali_tensor inputs[] = {scalar(GALI_i64, &most), matrix()};
    expect("symbol n 1..9\ninput %0: i64[]\ninput %1: f32[n, 2]\n"
           "%2: f32[...], %3: f32[...] = Loop (%0, -, %1, %1) carried:int=2\n"
           "body\ninput %0: i64[]\ninput %1: bool[]\ninput %2: f32[...]\ninput %3: f32[...]\n"
           "%4: f32[...] = Concat (%2, %3) axis:int=0\n%5: f32[...] = Neg (%3)\n"
           "output %1\noutput %4\noutput %5\nend\noutput %2\noutput %3\n",
           inputs, "f32[size_3, 2] = 1 2 3 4 5 6 1 2 3 4 5 6 -1 -2 -3 -4 -5 -6; f32[n, 2] = 1 2 3 4 5 6");
}

static void test_endless_loop_ends(void **state) {
    (void)state;
    int64_t most = INT64_MAX, x = 1;
    gali_tensor inputs[] = {scalar(GALI_i64, &most), scalar(GALI_i64, &x)};
    expect("input %0: i64[]\ninput %1: i64[]\n%2: i64[...] = Loop (%0, -, %1) carried:int=1\n"
           "body\ninput %0: i64[]\ninput %1: bool[]\ninput %2: i64[]\n%3: i64[] = Add (%2, %2)\n"
           "output %1\noutput %3\nend\noutput %2\n",
           inputs, "node 0 \"\" (Add): evaluating takes too long");
}

/* Running sums of rows, the last row first. */
static void test_scan(void **state) {
    (void)state;
    gali_tensor inputs[] = {matrix()};
    expect("symbol n 0..9\ninput %0: f32[n, 2]\nconstant %1: f32[2] = 0 0\nconstant %2: f32[1] = 10\n"
           "%3: f32[...], %4: f32[...] = Scan (%1, %0, %2) carried:int=1 num_scan_inputs:int=1 "
           "scan_input_directions:ints=1 scan_output_axes:ints=1\n"
           "body\ninput %0: f32[2]\ninput %1: f32[2]\ninput %2: f32[1]\n%3: f32[2] = Add (%0, %1)\n"
           "%4: f32[2] = Mul (%3, %2)\noutput %3\noutput %4\nend\noutput %3\noutput %4\n",
           inputs, "f32[2] = 9 12; f32[2, n] = 50 80 90 60 100 120");
}

static void test_what_does_not_fit(void **state) {
    (void)state;
    expect("input %0: bool[]\n%1: f32[...] = If (%0)\nbody\noutput %0\nend\nbody\nend\noutput %1\n", NULL,
           "graph line 4: an earlier value expected before this at \"\"");
    expect(
        "input %0: bool[]\ninput %1: f32[]\n%2: f32[...] = If (%0, %1)\nbody\ninput %0: f32[]\noutput %0\nend\n"
        "body\noutput %0\nend\noutput %2\n",
        NULL, "graph line 9: an earlier value expected before this at \"\"");
    expect(
        "input %0: bool[]\ninput %1: f32[]\n%2: f32[...] = If (%0, %1)\nbody\ninput %0: f32[]\noutput %0\nend\n"
        "body\nend\noutput %2\n",
        NULL, "node 0 \"\" (If): inputs of a branch: 0, 1 expected");
    expect("input %0: i64[]\ninput %1: f32[2]\n%2: f32[...] = Loop (%0, -, %1) carried:int=1\n"
           "body\ninput %0: i64[]\ninput %1: bool[]\ninput %2: f32[2]\n%3: i64[...] = Shape (%2)\noutput %1\n"
           "output %3\nend\noutput %2\n",
           NULL, "node 0 \"\" (Loop): carried value 1 changes its element");
    expect("input %0: bool[2]\n%1: f32[...] = If (%0)\nbody\nconstant %0: f32[] = 1\noutput %0\nend\n"
           "body\nconstant %0: f32[] = 2\noutput %0\nend\noutput %1\n",
           NULL, "node 0 \"\" (If): operand 1: one element expected, its axis 0 has 2");
    expect("input %0: i64[3]\n%1: i64[...] = Loop (%0, -) carried:int=0\n"
           "body\ninput %0: i64[]\ninput %1: bool[]\noutput %1\noutput %0\nend\noutput %1\n",
           NULL, "node 0 \"\" (Loop): operand 1: one element expected, its axis 0 has 3");
    expect("input %0: i64[]\n%1: i64[...] = Loop (-, %0) carried:int=0\n"
           "body\ninput %0: i64[]\ninput %1: bool[]\noutput %1\noutput %0\nend\noutput %1\n",
           NULL, "node 0 \"\" (Loop): the condition is no truth value");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_if),
        cmocka_unit_test(test_known_if),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_carried_shapes),
        cmocka_unit_test(test_endless_loop_ends),
        cmocka_unit_test(test_scan),
        cmocka_unit_test(test_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
