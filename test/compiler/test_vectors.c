/*
 * Stages in vectors: what lies in no lanes is gathered, number by number, and all around it has the bits that it has alone. So
 * has what is the same for a whole axis, gathered before its loop, and what is joined of several, piece by piece.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/loop/words.h"
#include "compiler/lower/lower.h"
#include "compiler/target.h"
#include "program_run.h"

enum { ROWS = 3, COLUMNS = 37, SIZE = ROWS * COLUMNS };

/* Columns by a table, so that the numbers of a row lie anywhere in it, and some work on each. */
static const char text[] =
    "symbol n 1..100\nsymbol m 33..64\ninput %0 \"x\": f32[n, m]\ninput %1 \"order\": i64[m]\n"
    "%2: f32[n, m] = Gather (%0, %1) axis:int=1\n%3: f32[n, m] = Tanh (%2)\n"
    "%4: f32[n, m] = Mul (%3, %2)\n%5: f32[n, m] = Add (%4, %3)\noutput %5\n";

static gali_graph *graph_of(gali_arena *arena, const char *from) {
    gali_graph *graph;
    gal_error error = {0};
    if (gali_graph_parse(&graph, from, strlen(from), arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return graph;
}

/* Numbers of which no sum is exact, so that another order of it shows. */
static double number_at(int i) {
    return (double)(float)(0.01 * (double)(i * 7907 % 211) - 1);
}

/* Runs a graph number by number, and for every target in its vectors: the bits are the same. The result is the caller's. */
static gali_tensor run_everywhere(gali_run *run, const gali_tensor *in) {
    gali_tensor alone, vectors;
    assert_int_equal(program_run(run, run->graph, NULL, in, &alone), GAL_OK);
    for (uint32_t t = 0; t < gali_target_count; t++) {
        if (program_run(run, run->graph, &gali_targets[t], in, &vectors) != GAL_OK) {
            fail_msg("%s", run->error->message);
        }
        assert_memory_equal(vectors.real, alone.real, alone.count * sizeof *alone.real);
        gali_tensor_release(run, &vectors);
    }
    return alone;
}

static gali_run run_of(const gali_graph *graph, gal_error *error) {
    return (gali_run){.graph = graph, .memory_left = GALI_RUN_MEMORY, .work_left = 1e9, .error = error};
}

/* All groups as loops for x86-64-v3, as text. */
static gali_text loops_of(const char *from, uint32_t groups) {
    gali_arena arena = {0};
    gal_error error = {0};
    gali_run run = {.error = &error};
    gali_program *p;
    gali_lowered lowered;
    gali_text loops = {0};
    const gali_target *target = gali_target_find("x86-64-v3", &error);
    assert_int_equal(program_make(&run, graph_of(&arena, from), target, gali_program_layout, &p), GAL_OK);
    assert_true(!groups || p->group_count == groups);
    for (uint32_t group = 0; group < p->group_count; group++) {
        assert_int_equal(gali_program_lower(p, group, p->arena, &lowered, &error), GAL_OK);
        gali_loop_print(lowered.function, &loops);
    }
    gali_arena_release(&arena);
    return loops;
}

static void test_gathered_lanes_are_the_numbers(void **state) {
    (void)state;
    static double x[SIZE];
    static int64_t order[COLUMNS];
    gali_arena arena = {0};
    gal_error error = {0};
    gali_run run = run_of(graph_of(&arena, text), &error);
    for (int i = 0; i < SIZE; i++) {
        x[i] = number_at(i);
    }
    for (int i = 0; i < COLUMNS; i++) {
        order[i] = i * 10 % COLUMNS; /* each once */
    }
    const gali_tensor in[] = {
        {.element = GALI_f32, .rank = 2, .shape = {ROWS, COLUMNS}, .count = SIZE, .real = x},
        {.element = GALI_i64, .rank = 1, .shape = {COLUMNS}, .count = COLUMNS, .whole = order}};
    gali_tensor alone = run_everywhere(&run, in);
    assert_int_equal(alone.count, SIZE);
    gali_tensor_release(&run, &alone);
    gali_arena_release(&arena);
}

/* The one function's text has a local of gathered lanes: the test above is of them. */
static void test_they_are_gathered(void **state) {
    (void)state;
    gali_text loops = loops_of(text, 1);
    assert_non_null(strstr(loops.bytes, "lane"));
    gali_text_release(&loops);
}

/* As a group norm's channels: two neighbours share a deviation, in rows that no whole vectors fill. */
static const char spread[] =
    "input %0 \"x\": f32[20, 5, 26]\ninput %1 \"v\": f32[13, 1]\nconstant %2: i64[2] = 13 2\n"
    "constant %3: i64[1] = 26\n%4: f32[13, 2] = Expand (%1, %2)\n%5: f32[26] = Reshape (%4, %3)\n"
    "%6: f32[26] = Sqrt (%5)\n%7: f32[20, 5, 26] = Div (%0, %6)\noutput %7\n";

static void test_a_row_is_gathered_once(void **state) {
    (void)state;
    static double x[20 * 5 * 26], v[13];
    gali_arena arena = {0};
    gal_error error = {0};
    gali_run run = run_of(graph_of(&arena, spread), &error);
    for (int i = 0; i < 20 * 5 * 26; i++) {
        x[i] = number_at(i);
        v[i % 13] = 2 + number_at(i % 13);
    }
    const gali_tensor in[] = {
        {.element = GALI_f32, .rank = 3, .shape = {20, 5, 26}, .count = 20 * 5 * 26, .real = x},
        {.element = GALI_f32, .rank = 2, .shape = {13, 1}, .count = 13, .real = v}};
    gali_tensor alone = run_everywhere(&run, in);
    assert_true(fabs(alone.real[2 * 26 + 25] - x[2 * 26 + 25] / sqrt(v[12])) < 1e-6);
    gali_tensor_release(&run, &alone);
    gali_arena_release(&arena);
    gali_text loops = loops_of(spread, 1);
    const char *row = strstr(loops.bytes, "local row"), *outer = strstr(loops.bytes, "in 20"),
               *inner = strstr(loops.bytes, "in 5");
    assert_true(row && outer && inner && outer < row && row < inner); /* threads share the loop around it */
    assert_null(strstr(loops.bytes, "lane"));
    gali_text_release(&loops);
}

/* Detections of two layers, one behind the other, with a softmax of each row; then rows side by side. */
static const char joined[] =
    "input %0 \"a\": f32[1, 20, 3, 5]\ninput %1 \"b\": f32[1, 30, 2, 2]\nconstant %2: i64[3] = 1 -1 10\n"
    "%3: f32[1, 3, 5, 20] = Transpose (%0) perm:ints=0,2,3,1\n%4: f32[1, 30, 10] = Reshape (%3, %2)\n"
    "%5: f32[1, 2, 2, 30] = Transpose (%1) perm:ints=0,2,3,1\n%6: f32[1, 12, 10] = Reshape (%5, %2)\n"
    "%7: f32[1, 42, 10] = Concat (%4, %6) axis:int=1\n%8: f32[1, 42, 10] = Softmax (%7) axis:int=2\n"
    "%9: f32[1, 42, 30] = Concat (%8, %7, %8) axis:int=2\noutput %9\n";

static void test_pieces_are_the_whole(void **state) {
    (void)state;
    static double a[300], b[120];
    gali_arena arena = {0};
    gal_error error = {0};
    gali_run run = run_of(graph_of(&arena, joined), &error);
    for (int i = 0; i < 300; i++) {
        a[i] = number_at(i);
        b[i % 120] = -a[i];
    }
    const gali_tensor in[] = {
        {.element = GALI_f32, .rank = 4, .shape = {1, 20, 3, 5}, .count = 300, .real = a},
        {.element = GALI_f32, .rank = 4, .shape = {1, 30, 2, 2}, .count = 120, .real = b}};
    gali_tensor alone = run_everywhere(&run, in);
    assert_int_equal(alone.count, 42 * 30);
    assert_float_equal(alone.real[10], a[0], 0); /* the first row, as it is, stands second */
    gali_tensor_release(&run, &alone);
    gali_arena_release(&arena);
}

/* Each part of a Concat is a stage of plain indices: nothing is chosen, and nothing kept inside, element by element. */
static void test_a_piece_has_plain_indices(void **state) {
    (void)state;
    gali_text loops = loops_of(joined, 0);
    assert_non_null(strstr(loops.bytes, "once"));
    assert_null(strstr(loops.bytes, "select"));
    assert_null(strstr(loops.bytes, "clamp"));
    gali_text_release(&loops);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gathered_lanes_are_the_numbers), cmocka_unit_test(test_they_are_gathered),
        cmocka_unit_test(test_a_row_is_gathered_once),         cmocka_unit_test(test_pieces_are_the_whole),
        cmocka_unit_test(test_a_piece_has_plain_indices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
