/*
 * What puts elements in order or chooses some of them, and sizes that only running tells: loops and C give the truth, and a
 * size that does not fit is an error of the run.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "program_check.h"

static double numbers[] = {3, -1, 0, 3, 2.5, -1, 0, 7, 3, -0.0, 2.5, 1};
static int64_t integers[] = {3, 1, 0, 3, 2, 1, 0, 7, 3, 0, 2, 1};

static gali_tensor reals(int64_t rows, int64_t columns) {
    return (gali_tensor){.element = GALI_f32,
                         .rank = 2,
                         .shape = {rows, columns},
                         .count = (size_t)(rows * columns),
                         .real = numbers};
}

static gali_tensor wholes(gali_element element, int64_t *data, int64_t count) {
    return (gali_tensor){
        .element = element, .rank = 1, .shape = {count}, .count = (size_t)count, .whole = data};
}

static void test_top_k(void **state) {
    (void)state;
    for (int way = 0; way < 8; way++) {
        char text[400];
        gali_tensor inputs[] = {reals(3, 4)};
        snprintf(text, sizeof text,
                 "symbol n 1..9\ninput %%0: f32[n, 4]\nconstant %%1: i64[1] = %d\n"
                 "%%2: f32[...], %%3: i64[...] = TopK (%%0, %%1) axis:int=%d largest:int=%d\noutput "
                 "%%2\noutput %%3\n",
                 way & 4 ? 1 : 3, way & 1 ? -1 : 0, way >> 1 & 1);
        check(text, inputs);
    }
    gali_tensor inputs[] = {wholes(GALI_i32, integers, 12)};
    check("symbol n 3..20\ninput %0: i32[n]\nconstant %1: i64[1] = 3\n"
          "%2: i32[...], %3: i64[...] = TopK (%0, %1)\noutput %2\noutput %3\n",
          inputs);
}

/* Indices of what is not 0, and what is gathered at them: also of nothing. */
static void test_non_zero(void **state) {
    (void)state;
    const char *const text = "symbol n 1..9\ninput %0: f32[n, 4]\n%1: i64[...] = NonZero (%0)\n"
                             "constant %2: i64[] = 0\n%3: i64[...] = Gather (%1, %2) axis:int=0\n"
                             "%4: f32[...] = Gather (%0, %3) axis:int=0\n%5: f32[...] = Neg (%4)\n"
                             "%6: f32[...] = ReduceSum (%5)\n%7: f32[...] = Concat (%0, %5) axis:int=0\n"
                             "output %1\noutput %5\noutput %6\noutput %7\n";
    gali_tensor inputs[] = {reals(3, 4)};
    check(text, inputs);
    double nothing[8] = {0};
    gali_tensor none[] = {reals(2, 4)};
    none[0].real = nothing;
    check(text, none);
}

static void test_compress(void **state) {
    (void)state;
    int64_t truths[] = {1, 0, 1};
    for (int way = 0; way < 3; way++) {
        char text[300];
        gali_tensor inputs[] = {reals(3, 4), wholes(GALI_truth, truths, 3)};
        snprintf(text, sizeof text,
                 "symbol n 1..9\ninput %%0: f32[n, 4]\ninput %%1: bool[3]\n"
                 "%%2: f32[...] = Compress (%%0, %%1) %s\n%%3: f32[...] = Neg (%%2)\noutput %%2\noutput %%3\n",
                 way == 0   ? ""
                 : way == 1 ? "axis:int=0"
                            : "axis:int=-1");
        check(text, inputs);
    }
}

static void test_unique(void **state) {
    (void)state;
    for (int way = 0; way < 4; way++) {
        char text[400];
        gali_tensor inputs[] = {reals(4, 3)};
        snprintf(text, sizeof text,
                 "symbol n 1..9\ninput %%0: f32[n, 3]\n"
                 "%%1: f32[...], %%2: i64[...], %%3: i64[...], %%4: i64[...] = Unique (%%0) sorted:int=%d %s\n"
                 "output %%1\noutput %%2\noutput %%3\noutput %%4\n",
                 way & 1, way & 2 ? "axis:int=0" : "");
        check(text, inputs);
    }
}

static void test_non_max_suppression(void **state) {
    (void)state;
    enum { PICTURES = 2, CLASSES = 2, BOXES = 9 };
    double boxes[PICTURES * BOXES * 4], scores[PICTURES * CLASSES * BOXES];
    for (int i = 0; i < PICTURES * BOXES * 4; i++) {
        boxes[i] = (double)(float)(i % 4 < 2 ? sin(i) : sin(i) + 1.5);
    }
    for (int i = 0; i < PICTURES * CLASSES * BOXES; i++) {
        scores[i] = (double)(float)(0.5 + 0.5 * cos(i * i));
    }
    for (int centered = 0; centered < 2; centered++) {
        char text[500];
        gali_tensor inputs[] = {{.element = GALI_f32,
                                 .rank = 3,
                                 .shape = {PICTURES, BOXES, 4},
                                 .count = PICTURES * BOXES * 4,
                                 .real = boxes},
                                {.element = GALI_f32,
                                 .rank = 3,
                                 .shape = {PICTURES, CLASSES, BOXES},
                                 .count = PICTURES * CLASSES * BOXES,
                                 .real = scores}};
        snprintf(
            text, sizeof text,
            "symbol b 1..9\nsymbol n 1..99\ninput %%0: f32[b, n, 4]\ninput %%1: f32[b, 2, n]\n"
            "constant %%2: i64[1] = 4\nconstant %%3: f32[1] = 0.3\nconstant %%4: f32[1] = 0.2\n"
            "%%5: i64[...] = NonMaxSuppression (%%0, %%1, %%2, %%3, %%4) center_point_box:int=%d\noutput %%5\n",
            centered);
        check(text, inputs);
    }
}

/* The last of several updates of one element stays. */
static void test_scatter(void **state) {
    (void)state;
    int64_t places[] = {1, 0, 1, -1, 0, 2};
    gali_tensor indices = wholes(GALI_i64, places, 6);
    indices.rank = 2;
    indices.shape[0] = 3;
    indices.shape[1] = 2;
    gali_tensor elements[] = {reals(3, 4), indices, reals(3, 2)};
    for (int axis = 0; axis < 2; axis++) {
        char text[300];
        snprintf(text, sizeof text,
                 "symbol n 3..9\ninput %%0: f32[n, 4]\ninput %%1: i64[n, 2]\ninput %%2: f32[n, 2]\n"
                 "%%3: f32[...] = ScatterElements (%%0, %%1, %%2) axis:int=%d\n%%4: f32[...] = Neg "
                 "(%%3)\noutput %%4\n",
                 axis);
        check(text, elements);
    }
    gali_tensor rows[] = {reals(3, 4), wholes(GALI_i64, places, 3), reals(3, 4)};
    rows[1].rank = 2;
    rows[1].shape[1] = 1;
    check("symbol n 3..9\ninput %0: f32[n, 4]\ninput %1: i64[n, 1]\ninput %2: f32[n, 4]\n"
          "%3: f32[...] = ScatterND (%0, %1, %2)\noutput %3\n",
          rows);
}

/* Shapes that are elements of inputs, or computed of them. */
static void test_told_sizes(void **state) {
    (void)state;
    int64_t shape[] = {2, 6}, count = 5, places[] = {1, 3}, many[] = {2, 2};
    gali_tensor reshape[] = {reals(3, 4), wholes(GALI_i64, shape, 2)};
    check("symbol n 1..9\ninput %0: f32[n, 4]\ninput %1: i64[2]\n%2: f32[...] = Reshape (%0, %1)\n"
          "%3: f32[...] = Neg (%2)\n%4: i64[...] = Shape (%3)\noutput %3\noutput %4\n",
          reshape);
    gali_tensor top[] = {reals(3, 4), wholes(GALI_i64, places, 1)};
    check("symbol n 1..9\ninput %0: f32[n, 4]\ninput %1: i64[1]\n%2: i64[1] = Add (%1, %1)\n"
          "%3: f32[...], %4: i64[...] = TopK (%0, %2)\noutput %3\noutput %4\n",
          top);
    gali_tensor range[] = {{.element = GALI_i64, .count = 1, .whole = &count}};
    check("input %0: i64[]\nconstant %1: i64[] = 0\nconstant %2: i64[] = 2\n%3: i64[...] = Range (%1, %0, %2)\n"
          "%4: i64[...] = Mul (%3, %0)\noutput %4\n",
          range);
    gali_tensor slice[] = {reals(3, 4), wholes(GALI_i64, places, 1), wholes(GALI_i64, places + 1, 1)};
    check("symbol n 1..9\ninput %0: f32[n, 4]\ninput %1: i64[1]\ninput %2: i64[1]\nconstant %3: i64[1] = 1\n"
          "%4: f32[...] = Slice (%0, %1, %2, %3)\noutput %4\n",
          slice);
    gali_tensor tile[] = {reals(3, 4), wholes(GALI_i64, many, 2)};
    check("symbol n 1..9\ninput %0: f32[n, 4]\ninput %1: i64[2]\n%2: f32[...] = Tile (%0, %1)\noutput %2\n",
          tile);
}

/* As detectors have it: levels of halved sizes behind one that is told, joined, numbered, cut again, the best few of each. */
static void test_levels_of_told_sizes(void **state) {
    (void)state;
    int64_t rows = 3;
    gali_tensor inputs[] = {reals(3, 4), wholes(GALI_i64, &rows, 1)};
    check("symbol n 1..9\ninput %0: f32[n, 4]\ninput %1: i64[1]\nconstant %2: i64[1] = 0\n"
          "constant %3: i64[1] = 1\nconstant %4: i64[1] = 2\nconstant %5: i64[1] = 9223372036854775807\n"
          "constant %6: i64[] = 0\nconstant %7: i32[] = 0\nconstant %8: i32[] = 1\nconstant %9: i64[2] = -1 2\n"
          "%10: i64[...] = Shape (%0)\n%11: i64[...] = Gather (%10, %3)\n"
          "%12: i64[...] = Concat (%1, %11) axis:int=0\n%13: f32[...] = Reshape (%0, %12)\n"
          "%14: f32[...] = Slice (%13, %2, %5, %2, %4)\n%15: f32[...] = Slice (%14, %2, %5, %2, %4)\n"
          "%16: i64[...] = Shape (%14)\n%17: i64[] = Gather (%16, %6)\n%18: i64[1] = Gather (%16, %2)\n"
          "%19: i32[] = Cast (%17) to:int=6\n%20: i32[...] = Range (%7, %19, %8)\n"
          "%21: f32[...] = Cast (%20) to:int=1\n%22: f32[...] = Unsqueeze (%21, %3)\n"
          "%23: f32[...] = Add (%14, %22)\n%24: f32[...] = Concat (%23, %15) axis:int=0\n"
          "%25: f32[...] = Reshape (%24, %9)\n%26: f32[...] = Slice (%24, %18, %5, %2)\n"
          "%27: i64[...] = Concat (%18, %4) axis:int=0\n%28: i64[1] = ReduceMin (%27)\n"
          "%29: f32[...], %30: i64[...] = TopK (%24, %28) axis:int=0\n"
          "output %25\noutput %26\noutput %29\noutput %30\n",
          inputs);
}

static int result_of(const char *text, const gali_tensor *inputs, gali_tensor *expected) {
    fixture f;
    gali_program *program;
    gali_tensor outputs[PORTS_MAX] = {{0}};
    open_text(&f, text);
    assert_int_equal(program_make(&f.run, f.graph, NULL, gali_program_layout, &program), GAL_OK);
    int result = run_c(&f, program, inputs, expected, outputs);
    gali_tensor_release(&f.run, &outputs[0]);
    gali_arena_release(&f.arena);
    return result;
}

/* Nothing is done with a size that is negative, or past its range: whether another demand stands behind it, or none. */
static void test_room(void **state) {
    (void)state;
    const char *const reshape =
        "symbol n 1..9\ninput %0: f32[n, 4]\ninput %1: i64[2]\n%2: f32[...] = Reshape (%0, %1)\n"
        "output %2\n";
    const char *const expand =
        "input %0: f32[1]\ninput %1: i64[1]\n%2: f32[...] = Expand (%0, %1)\noutput %2\n";
    int64_t shapes[][2] = {{-1, 4}, {5000, 4}, {3, 4}}, counts[] = {-1, 1025, ((int64_t)1 << 32) + 4, 4};
    for (int i = 0; i < 3; i++) {
        gali_tensor inputs[] = {reals(3, 4), wholes(GALI_i64, shapes[i], 2)}, expected[] = {reals(3, 4)};
        assert_int_equal(result_of(reshape, inputs, expected), i < 2 ? -2 : 0);
    }
    for (int i = 0; i < 4; i++) {
        gali_tensor inputs[] = {wholes(GALI_f32, NULL, 1), wholes(GALI_i64, &counts[i], 1)};
        gali_tensor expected[] = {wholes(GALI_f32, NULL, 4)};
        inputs[0].real = expected[0].real = numbers;
        assert_int_equal(result_of(expand, inputs, expected), i < 3 ? -2 : 0);
    }
}

/* A size may end before its bound, where a tensor would have too many elements: one that a branch says, or a call finds. */
static void test_room_below_the_bound(void **state) {
    (void)state;
    enum { COUNT = 600 };
    static double ones[COUNT];
    const char *const texts[] = {
        "symbol n 1..1000\ninput %0: f32[n]\ninput %1: bool[]\n"
        "constant %2: i64[2] = 1048576 1\n%3: f32[...] = If (%1, %0)\n"
        "body\ninput %0: f32[...]\n%1: f32[...] = Concat (%0, %0) axis:int=0\noutput %1\nend\n"
        "body\ninput %0: f32[...]\noutput %0\nend\n"
        "%4: f32[...] = Expand (%3, %2)\noutput %4\n",
        "symbol n 1..1000\ninput %0: f32[n]\ninput %1: bool[]\n"
        "%2: i64[...] = NonZero (%0)\nconstant %3: i64[2] = 1048576 1\n"
        "%4: i64[...] = Expand (%2, %3)\noutput %4\n"};
    int64_t truth = 1;
    for (int i = 0; i < COUNT; i++) {
        ones[i] = 1;
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gali_tensor inputs[] = {wholes(GALI_f32, NULL, COUNT),
                                {.element = GALI_truth, .count = 1, .whole = &truth}};
        inputs[0].real = ones;
        assert_int_equal(result_of(texts[i], inputs, NULL), -2);
    }
}

/* Of three elements the best four are an error of the run, as of the truth. */
static void test_more_than_there_are(void **state) {
    (void)state;
    const char *const text = "symbol n 1..9\ninput %0: f32[n]\ninput %1: i64[1]\n"
                             "%2: f32[...], %3: i64[...] = TopK (%0, %1)\noutput %2\n";
    for (int64_t k = 3; k <= 4; k++) {
        gali_tensor inputs[] = {wholes(GALI_f32, NULL, 3), wholes(GALI_i64, &k, 1)};
        gali_tensor expected[] = {wholes(GALI_f32, NULL, 3)};
        inputs[0].real = expected[0].real = numbers;
        assert_int_equal(result_of(text, inputs, expected), k == 3 ? 0 : -2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_top_k),
        cmocka_unit_test(test_scatter),
        cmocka_unit_test(test_non_zero),
        cmocka_unit_test(test_compress),
        cmocka_unit_test(test_unique),
        cmocka_unit_test(test_told_sizes),
        cmocka_unit_test(test_levels_of_told_sizes),
        cmocka_unit_test(test_non_max_suppression),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_room_below_the_bound),
        cmocka_unit_test(test_more_than_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
