/*
 * Nodes with bodies as programs: what their loops and their C give is the truth, and what is not taken does not run.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph/bodies.h"
#include "program_check.h"

/* The branch that is not taken does not run: the other is one sum, this one four after another. */
static void test_if(void **state) {
    (void)state;
    const char *const text =
        "symbol n 0..100\ninput %0: bool[]\ninput %1: f32[n, 2]\nconstant %2: f32[2, 2] = 1 2 3 4\n"
        "%3: f32[...] = If (%0, %1, %2)\n"
        "body\ninput %0: f32[...]\ninput %1: f32[2, 2]\n%2: f32[...] = MatMul (%0, %1)\noutput %2\nend\n"
        "body\ninput %0: f32[...]\ninput %1: f32[2, 2]\n%2: f32[...] = MatMul (%0, %1)\n"
        "%3: f32[...] = MatMul (%2, %1)\n%4: f32[...] = MatMul (%3, %1)\n%5: f32[...] = MatMul (%4, %1)\n"
        "output %5\nend\noutput %3\n";
    int64_t truth = 1;
    gali_tensor inputs[] = {scalar(GALI_truth, &truth), matrix()};
    assert_int_equal(check(text, inputs), 1);
    truth = 0;
    assert_int_equal(check(text, inputs), 4);
}

/* Branches that give other shapes, a constant, what they are given; and a branch in a branch. */
static void test_branches(void **state) {
    (void)state;
    const char *const text =
        "symbol n 0..100\ninput %0: bool[]\ninput %1: f32[n, 2]\ninput %2: bool[]\n"
        "%3: f32[...], %4: f32[...] = If (%0, %1, %2)\n"
        "body\ninput %0: f32[...]\ninput %1: bool[]\nconstant %2: f32[1, 3] = 7 8 9\noutput %0\noutput "
        "%2\nend\n"
        "body\ninput %0: f32[...]\ninput %1: bool[]\n%2: f32[...] = Concat (%0, %0) axis:int=1\n"
        "%3: f32[...] = If (%1, %2)\n"
        "body\ninput %0: f32[...]\n%1: f32[...] = Neg (%0)\noutput %1\nend\n"
        "body\ninput %0: f32[...]\n%1: f32[...] = Concat (%0, %0) axis:int=0\noutput %1\nend\n"
        "output %2\noutput %3\nend\n"
        "%5: f32[...] = Neg (%3)\noutput %5\noutput %4\n";
    for (int64_t i = 0; i < 4; i++) {
        int64_t first = i & 1, second = i >> 1;
        gali_tensor inputs[] = {scalar(GALI_truth, &first), matrix(), scalar(GALI_truth, &second)};
        check(text, inputs);
    }
}

/* A branch that gives no element: its copy has no loop, of which compilers would warn. */
static void test_nothing(void **state) {
    (void)state;
    const char *const text = "symbol n 0..100\ninput %0: bool[]\ninput %1: f32[n, 2]\n"
                             "%2: f32[...] = If (%0, %1)\n"
                             "body\ninput %0: f32[...]\nconstant %1: f32[0, 2] =\noutput %1\nend\n"
                             "body\ninput %0: f32[...]\noutput %0\nend\noutput %2\n";
    for (int64_t i = 0; i < 2; i++) {
        gali_tensor inputs[] = {scalar(GALI_truth, &i), matrix()};
        check(text, inputs);
    }
}

/*
 * What a sum's reader computes is done to the sum, where that stands, unless it reads what is made behind it: by a stage, or
 * by a branch.
 */
static void test_sums_before_what_their_readers_read(void **state) {
    (void)state;
    const char *const texts[] = {
        "symbol n 1..9\ninput %0: bool[]\ninput %1: f32[n, 2]\nconstant %2: f32[2, 1] = 3 -1\n"
        "constant %3: i64[1] = 1\nconstant %4: i64[1] = -1\n%5: f32[...] = Exp (%1)\n"
        "%6: f32[...] = ReduceMax (%5, %3) keepdims:int=0\n%7: f32[...] = MatMul (%5, %2)\n"
        "%8: f32[...] = Reshape (%7, %4)\n%9: f32[...] = Sub (%6, %8)\noutput %9\noutput %7\n",
        "symbol n 1..9\ninput %0: bool[]\ninput %1: f32[n, 2]\nconstant %2: i64[1] = 1\n"
        "%3: f32[...] = Exp (%1)\n%4: f32[...] = ReduceSum (%3, %2) keepdims:int=0\n"
        "%5: f32[...] = If (%0, %1, %2)\n"
        "body\ninput %0: f32[...]\ninput %1: i64[...]\n"
        "%2: f32[...] = ReduceMax (%0, %1) keepdims:int=0\noutput %2\nend\n"
        "body\ninput %0: f32[...]\ninput %1: i64[...]\n%2: f32[...] = Neg (%0)\n"
        "%3: f32[...] = ReduceMax (%2, %1) keepdims:int=0\noutput %3\nend\n"
        "%6: f32[...] = Sub (%4, %5)\noutput %6\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (int64_t truth = 0; truth < 2; truth++) {
            gali_tensor inputs[] = {scalar(GALI_truth, &truth), matrix()};
            check(texts[i], inputs);
        }
    }
}

static void test_loop(void **state) {
    (void)state;
    int64_t x = 1, most[] = {100, 2, 1, 0};
    uint32_t last = UINT32_MAX;
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        gali_tensor inputs[] = {scalar(GALI_i64, &most[i]),
                                {.element = GALI_i64, .rank = 1, .shape = {1}, .count = 1, .whole = &x}};
        uint32_t calls = check(doubling, inputs);
        assert_true(calls < last); /* fewer trips are less work */
        last = calls;
    }
}

/* A condition that does not hold at first: no trip, though there may be any number of them. */
static void test_loop_that_does_not_begin(void **state) {
    (void)state;
    char text[800];
    int64_t x = 1;
    snprintf(text, sizeof text,
             "input %%0: bool[]\ninput %%1: i64[1]\nconstant %%2: bool[] = 1\nconstant %%3: i64[1] = 16\n"
             "%%4: i64[...], %%5: i64[...] = Loop (-, %%0, %%1, %%3) carried:int=1\n%s",
             strstr(doubling, "body"));
    for (int64_t truth = 0; truth < 2; truth++) {
        gali_tensor inputs[] = {scalar(GALI_truth, &truth),
                                {.element = GALI_i64, .rank = 1, .shape = {1}, .count = 1, .whole = &x}};
        check(text, inputs);
    }
}

/* Values that change places from trip to trip, one that grows, one that stays, and a size made of another. */
static void test_carried(void **state) {
    (void)state;
    int64_t most = 3;
    gali_tensor inputs[] = {scalar(GALI_i64, &most), matrix()};
    check(
        "symbol n 1..9\ninput %0: i64[]\ninput %1: f32[n, 2]\n%2: f32[...] = Neg (%1)\n"
        "%3: f32[...], %4: f32[...], %5: f32[...], %6: f32[...] = Loop (%0, -, %1, %2, %1, %1) carried:int=4\n"
        "body\ninput %0: i64[]\ninput %1: bool[]\ninput %2: f32[...]\ninput %3: f32[...]\ninput %4: f32[...]\n"
        "input %5: f32[...]\n%6: f32[...] = Concat (%4, %2) axis:int=0\n%7: f32[...] = Concat (%4, %2) "
        "axis:int=0\n"
        "output %1\noutput %3\noutput %2\noutput %6\noutput %7\nend\n"
        "output %3\noutput %4\noutput %5\noutput %6\n",
        inputs);
}

static void test_loop_in_loop(void **state) {
    (void)state;
    int64_t most = 3;
    gali_tensor inputs[] = {scalar(GALI_i64, &most), matrix()};
    check(
        "symbol n 1..9\ninput %0: i64[]\ninput %1: f32[n, 2]\nconstant %2: i64[] = 2\nconstant %3: f32[1] = 1\n"
        "%4: f32[...], %5: f32[...] = Loop (%0, -, %1, %2, %3) carried:int=1\n"
        "body\ninput %0: i64[]\ninput %1: bool[]\ninput %2: f32[...]\ninput %3: i64[]\ninput %4: f32[1]\n"
        "%5: f32[...] = Add (%2, %4)\n%6: f32[] = Cast (%0) to:int=1\n"
        "%7: f32[...], %8: f32[...] = Loop (%3, -, %2, %5, %6) carried:int=1\n"
        "body\ninput %0: i64[]\ninput %1: bool[]\ninput %2: f32[...]\ninput %3: f32[...]\ninput %4: f32[]\n"
        "%5: f32[...] = Add (%2, %3)\n%6: f32[...] = Mul (%5, %4)\noutput %1\noutput %6\noutput %5\nend\n"
        "output %1\noutput %7\noutput %8\nend\noutput %4\noutput %5\n",
        inputs);
}

/* Running sums of rows and of columns, forwards and backwards, stacked along either axis. */
static void test_scan(void **state) {
    (void)state;
    gali_tensor inputs[] = {matrix()};
    for (int way = 0; way < 8; way++) {
        char text[800];
        int axis = way & 1, in = way >> 1 & 1, out = way >> 2 & 1;
        snprintf(text, sizeof text,
                 "symbol n 1..9\ninput %%0: f32[n, 2]\n%%1: f32[...] = Transpose (%%0)\n"
                 "constant %%2: f32[2] = 0 0\nconstant %%3: f32[1] = 10\n"
                 "%%4: f32[...], %%5: f32[...] = Scan (%%2, %%%d, %%3) carried:int=1 num_scan_inputs:int=1 "
                 "scan_input_axes:ints=%d scan_input_directions:ints=%d scan_output_axes:ints=%d "
                 "scan_output_directions:ints=%d\n"
                 "body\ninput %%0: f32[2]\ninput %%1: f32[2]\ninput %%2: f32[1]\n%%3: f32[2] = Add (%%0, %%1)\n"
                 "%%4: f32[2] = Mul (%%3, %%2)\noutput %%3\noutput %%4\nend\noutput %%4\noutput %%5\n",
                 axis, axis, in, out, !out);
        check(text, inputs);
    }
}

/* ---- recurrent layers ---- */

enum { TIME = 4, BATCH = 3, INPUT = 2, HIDDEN = 5 };

/* A way of saying a layer: what its bits choose. */
typedef struct spelling {
    const char *op;
    int gates, direction, batch_first, bias, lengths, states, peepholes, special;
} spelling;

static void add_input(gali_text *text, gali_tensor *inputs, uint32_t number, const char *shape, size_t count) {
    static double data[10][400];
    gali_text_add(text, "input %%%u: f32[%s]\n", number, shape);
    gali_tensor *t = &inputs[number];
    *t = (gali_tensor){.element = GALI_f32, .count = count, .real = data[number]};
    for (size_t i = 0; i < count; i++) {
        t->real[i] = sin(1.7 * (double)i + number) * 0.7;
    }
    for (const char *at = shape; *at; at += strcspn(at, ", "), at += strspn(at, ", ")) {
        t->shape[t->rank++] = *at == 't' ? TIME : *at == 'b' ? BATCH : strtol(at, NULL, 10);
    }
}

static void check_recurrent(const spelling *w, int by_c) {
    static const char *const directions[] = {"forward", "reverse", "bidirectional"};
    static int64_t lengths[] = {TIME, 1, 2};
    gali_text text = {0}, operands = {0};
    gali_tensor inputs[10] = {{0}};
    char shape[64];
    int d = w->direction == 2 ? 2 : 1, rows = w->gates * HIDDEN;
    gali_text_add(&text, "symbol time 1..9\nsymbol batch 1..9\n");
    add_input(&text, inputs, 0, w->batch_first ? "batch, time, 2" : "time, batch, 2", TIME * BATCH * INPUT);
    snprintf(shape, sizeof shape, "%d, %d, %d", d, rows, INPUT);
    add_input(&text, inputs, 1, shape, (size_t)(d * rows * INPUT));
    snprintf(shape, sizeof shape, "%d, %d, %d", d, rows, HIDDEN);
    add_input(&text, inputs, 2, shape, (size_t)(d * rows * HIDDEN));
    snprintf(shape, sizeof shape, "%d, %d", d, 2 * rows);
    add_input(&text, inputs, 3, shape, (size_t)(d * 2 * rows));
    gali_text_add(&text, "input %%4: i32[batch]\n");
    inputs[4] =
        (gali_tensor){.element = GALI_i32, .rank = 1, .shape = {BATCH}, .count = BATCH, .whole = lengths};
    snprintf(shape, sizeof shape, w->batch_first ? "batch, %d, %d" : "%d, batch, %d", d, HIDDEN);
    add_input(&text, inputs, 5, shape, (size_t)(d * BATCH * HIDDEN));
    add_input(&text, inputs, 6, shape, (size_t)(d * BATCH * HIDDEN));
    snprintf(shape, sizeof shape, "%d, %d", d, 3 * HIDDEN);
    add_input(&text, inputs, 7, shape, (size_t)(d * 3 * HIDDEN));
    gali_text_add(&operands, "%%0, %%1, %%2, %s, %s, %s", w->bias ? "%3" : "-", w->lengths ? "%4" : "-",
                  w->states ? "%5" : "-");
    if (w->gates == 4) {
        gali_text_add(&operands, ", %s, %s", w->states ? "%6" : "-", w->peepholes ? "%7" : "-");
    }
    gali_text_add(&text, "%%8: f32[...], %%9: f32[...]%s = %s (%s) direction:word=\"%s\" layout:int=%d %s\n",
                  w->gates == 4 ? ", %10: f32[...]" : "", w->op, operands.bytes, directions[w->direction],
                  w->batch_first,
                  !w->special     ? ""
                  : w->gates == 4 ? "input_forget:int=1 clip:number=0.4"
                  : w->gates == 3 ? "linear_before_reset:int=1 clip:number=0.4"
                                  : "activations:word=\"Affine ScaledTanh\" activation_alpha:numbers=0.5,0.7");
    gali_text_add(&text, "output %%8\noutput %%9\n%s", w->gates == 4 ? "output %10\n" : "");
    check_by(text.bytes, inputs, by_c);
    gali_text_release(&text);
    gali_text_release(&operands);
}

static void test_recurrent(void **state) {
    (void)state;
    static const char *const ops[] = {"RNN", "GRU", "LSTM"};
    static const int gates[] = {1, 3, 4};
    for (int i = 0; i < 3 * 3 * 64; i++) {
        int bits = i / 9;
        spelling w = {ops[i % 3],    gates[i % 3],  i / 3 % 3,     bits & 1,     bits >> 1 & 1,
                      bits >> 2 & 1, bits >> 3 & 1, bits >> 4 & 1, bits >> 5 & 1};
        check_recurrent(&w, i % 211 == 0);
    }
}

/* More trips than there is room for are an error of the run, which stops before it writes past that. */
static void test_room(void **state) {
    (void)state;
    fixture f;
    gali_program *program;
    gali_tensor outputs[PORTS_MAX] = {{0}};
    int64_t most = 5000, x = 0;
    gali_tensor inputs[] = {scalar(GALI_i64, &most),
                            {.element = GALI_i64, .rank = 1, .shape = {1}, .count = 1, .whole = &x}};
    open_text(&f, doubling);
    assert_int_equal(program_make(&f.run, f.graph, NULL, gali_program_layout, &program), GAL_OK);
    assert_int_equal(run_c(&f, program, inputs, NULL, outputs), -2);
    gali_arena_release(&f.arena);
}

static void test_refused(void **state) {
    (void)state;
    fixture f;
    gali_program *program;
    open_text(&f, "symbol n 1..9\ninput %0: i64[]\ninput %1: f32[n, 2]\n"
                  "%2: f32[...], %3: f32[...] = Loop \"grows\" (%0, -, %1) carried:int=1\n"
                  "body\ninput %0: i64[]\ninput %1: bool[]\ninput %2: f32[...]\n"
                  "%3: f32[...] = Concat (%2, %2) axis:int=0\noutput %1\noutput %3\noutput %2\nend\n"
                  "output %2\noutput %3\n");
    assert_int_equal(program_make(&f.run, f.graph, NULL, gali_program_layout, &program), GAL_UNSUPPORTED);
    assert_string_equal(f.error.message,
                        "node 0 \"grows\" (Loop): a scanned output whose shape only its body tells");
    gali_arena_release(&f.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_if),      cmocka_unit_test(test_branches),
        cmocka_unit_test(test_loop),    cmocka_unit_test(test_loop_that_does_not_begin),
        cmocka_unit_test(test_carried), cmocka_unit_test(test_scan),
        cmocka_unit_test(test_room),    cmocka_unit_test(test_loop_in_loop),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_recurrent),
        cmocka_unit_test(test_nothing), cmocka_unit_test(test_sums_before_what_their_readers_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
