/* Stages in vectors: what lies in no lanes is gathered, number by number, and all around it has the bits that it has alone. */
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

static gali_graph *graph_of(gali_arena *arena) {
    gali_graph *graph;
    gal_error error = {0};
    if (gali_graph_parse(&graph, text, sizeof text - 1, arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return graph;
}

static void test_gathered_lanes_are_the_numbers(void **state) {
    (void)state;
    static double x[SIZE];
    static int64_t order[COLUMNS];
    gali_arena arena = {0};
    gal_error error = {0};
    gali_graph *graph = graph_of(&arena);
    for (int i = 0; i < SIZE; i++) {
        x[i] = (double)(float)(0.01 * (double)(i * 7907 % 211) - 1);
    }
    for (int i = 0; i < COLUMNS; i++) {
        order[i] = i * 10 % COLUMNS; /* each once */
    }
    const gali_tensor in[] = {
        {.element = GALI_f32, .rank = 2, .shape = {ROWS, COLUMNS}, .count = SIZE, .real = x},
        {.element = GALI_i64, .rank = 1, .shape = {COLUMNS}, .count = COLUMNS, .whole = order}};
    gali_tensor alone, vectors;
    gali_run run = {.graph = graph, .memory_left = GALI_RUN_MEMORY, .work_left = 1e9, .error = &error};
    assert_int_equal(program_run(&run, graph, NULL, in, &alone), GAL_OK);
    for (uint32_t t = 0; t < gali_target_count; t++) {
        if (program_run(&run, graph, &gali_targets[t], in, &vectors) != GAL_OK) {
            fail_msg("%s", error.message);
        }
        assert_memory_equal(vectors.real, alone.real, SIZE * sizeof *alone.real);
        gali_tensor_release(&run, &vectors);
    }
    gali_tensor_release(&run, &alone);
    gali_arena_release(&arena);
}

/* The one function's text has a local of gathered lanes: the test above is of them. */
static void test_they_are_gathered(void **state) {
    (void)state;
    gali_arena arena = {0};
    gal_error error = {0};
    gali_run run = {.error = &error};
    gali_program *p;
    gali_lowered lowered;
    gali_text loops = {0};
    const gali_target *target = gali_target_find("x86-64-v3", &error);
    assert_int_equal(program_make(&run, graph_of(&arena), target, gali_program_layout, &p), GAL_OK);
    assert_int_equal(p->group_count, 1);
    assert_int_equal(gali_program_lower(p, 0, &lowered, &error), GAL_OK);
    gali_loop_print(lowered.function, &loops);
    assert_non_null(strstr(loops.bytes, "lane"));
    gali_text_release(&loops);
    gali_arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gathered_lanes_are_the_numbers),
        cmocka_unit_test(test_they_are_gathered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
