/* Graphs made by hand: verified, inferred, evaluated; extents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/graph.h"

static void assert_prints(const gali_extents *extents, gali_extent a, const char *expected) {
    gali_text text = {0};
    gali_extent_print(extents, a, &text);
    assert_string_equal(text.bytes, expected);
    gali_text_release(&text);
}

static void test_extents_have_one_form(void **state) {
    (void)state;
    gali_arena arena = {0};
    gali_extents *x = gali_extents_make(&arena);
    gali_extent n = gali_extent_symbol(x, "n", 1, 512), b = gali_extent_symbol(x, "b", 1, 64);
    gali_extent sum = gali_extent_add(x, gali_extent_mul(x, n, b), 3);
    assert_true(sum == gali_extent_add(x, 3, gali_extent_mul(x, b, n)));
    assert_true(gali_extent_sub(x, sum, sum) == 0);
    assert_true(gali_extent_quotient(x, gali_extent_mul(x, gali_extent_mul(x, n, b), 12),
                                     gali_extent_mul(x, n, 4)) == gali_extent_mul(x, b, 3));
    assert_true(gali_extent_least(x, n, 600) == n);
    gali_extent late = gali_extent_symbol(x, "late", 0, 1024);
    gali_extent_set_range(x, late, 8, 512);
    assert_true(gali_extent_least(x, late, 512) == late && gali_extent_most(x, late, 4) == late);
    gali_extent larger = gali_extent_most(x, gali_extent_mul(x, n, 16), gali_extent_mul(x, b, 96));
    assert_true(gali_extent_most(x, gali_extent_mul(x, n, 8), larger) == larger); /* 8 n is never above 16 n */
    assert_true(gali_extent_most(x, larger, gali_extent_mul(x, b, 97)) != larger);
    gali_extent smaller = gali_extent_least(x, gali_extent_mul(x, n, 16), gali_extent_mul(x, b, 96));
    assert_true(gali_extent_least(x, smaller, gali_extent_mul(x, b, 97)) == smaller);
    assert_true(gali_extent_least(x, gali_extent_mul(x, n, 8), smaller) != smaller);
    assert_true(gali_extent_most(x, late, late) == late && gali_extent_least(x, larger, larger) == larger);
    assert_true(gali_extent_mul(x, GALI_EXTENT_LARGEST, 2) == GALI_EXTENT_BAD);
    assert_true(gali_extent_add(x, GALI_EXTENT_UNKNOWN, 1) == GALI_EXTENT_UNKNOWN);
    assert_prints(x, sum, "n*b + 3");
    gali_extent half = gali_extent_quotient(x, gali_extent_sub(x, n, 3), 2);
    assert_prints(x, half, "quotient(n + 1, 2) - 2"); /* what comes out of the number does */
    gali_extent quarter = gali_extent_quotient(x, gali_extent_add(x, half, 3), 2);
    assert_prints(x, quarter, "quotient(n + 3, 4)");
    assert_true(gali_extent_quotient(x, gali_extent_mul(x, sum, 12), gali_extent_mul(x, sum, 4)) == 3);
    assert_true(gali_extent_quotient(x, gali_extent_add(x, gali_extent_mul(x, sum, 12), n),
                                     gali_extent_mul(x, sum, 4)) != 3);
    int64_t least, most, values[] = {10, 2};
    gali_extent_range(x, half, &least, &most);
    assert_true(least == -1 && most == 254);
    assert_true(gali_extent_value(x, half, values) == 3 && gali_extent_value(x, sum, values) == 23);
    const char *text = "min(n*b, 2*n - 1) + quotient(b, 3)", *at = text;
    gali_extent parsed = gali_extent_parse(x, &at);
    gali_text printed = {0};
    gali_extent_print(x, parsed, &printed);
    at = printed.bytes;
    assert_true(gali_extent_parse(x, &at) == parsed && *at == 0);
    gali_text_release(&printed);
    gali_arena_release(&arena);
}

static void assert_range(const gali_extents *x, gali_extent a, int64_t least, int64_t most) {
    int64_t from, to;
    gali_extent_range(x, a, &from, &to);
    assert_int_equal(from, least);
    assert_int_equal(to, most);
}

/* Exact up to 2^60, where they stay; an end of "to the last" is no smaller than any size. */
static void test_ranges_end_at_the_largest(void **state) {
    (void)state;
    gali_arena arena = {0};
    gali_extents *x = gali_extents_make(&arena);
    gali_extent any = gali_extent_symbol(x, "any", 0, GALI_EXTENT_LARGEST);
    gali_extent n = gali_extent_symbol(x, "n", 2, 9), most = GALI_EXTENT_LARGEST;
    assert_range(x, gali_extent_sub(x, any, 3), -3, most - 3);
    assert_range(x, gali_extent_add(x, any, 3), 3, most);
    assert_range(x, gali_extent_mul(x, any, -2), -most, 0);
    assert_range(x, gali_extent_mul(x, any, any), 0, most);
    assert_range(x, gali_extent_quotient(x, gali_extent_sub(x, any, 7), n), -4, (most - 7) / 2);
    assert_range(x, gali_extent_quotient(x, n, gali_extent_sub(x, any, 1)), -most, most);
    assert_range(x, gali_extent_least(x, any, n), 0, 9);
    assert_range(x, gali_extent_most(x, any, n), 2, most);
    assert_true(gali_extent_least(x, gali_extent_add(x, any, 2), most) == gali_extent_add(x, any, 2));
    assert_true(gali_extent_most(x, most, gali_extent_add(x, any, 2)) == most);
    gali_arena_release(&arena);
}

/* Each name is one symbol, found again among many. */
static void test_many_symbols(void **state) {
    (void)state;
    gali_arena arena = {0};
    gali_extents *x = gali_extents_make(&arena);
    for (int again = 0; again < 2; again++) {
        for (uint32_t i = 0; i < 5000; i++) {
            char name[16];
            snprintf(name, sizeof name, "n%u", i);
            gali_extent symbol = gali_extent_symbol(x, name, 0, i);
            assert_int_equal(gali_extent_as_symbol(x, symbol), i);
            assert_true(gali_extent_of_symbol(x, i) == symbol);
            assert_string_equal(gali_extent_symbol_name(x, i), name);
            assert_range(x, symbol, 0, i);
        }
    }
    assert_int_equal(gali_extent_symbols(x), 5000);
    assert_null(gali_extent_symbol_name(x, 5000));
    gali_arena_release(&arena);
}

/* y = relu(x + bias) of x[n, 3]. */
static gali_graph *small_graph(gali_arena *arena, const float *bias) {
    gali_graph *graph = gali_graph_make(arena);
    gali_extent n = gali_extent_symbol(graph->extents, "n", 0, 1000);
    gali_type rows = {.element = GALI_f32, .rank = 2, .shape = {n, 3}},
              row = {.element = GALI_f32, .rank = 1, .shape = {3}};
    gali_type open = {.rank = -1};
    uint32_t x = gali_graph_value(graph, "x", &rows), b = gali_graph_constant(graph, "b", &row, bias);
    uint32_t sum = gali_graph_value(graph, "sum", &open), y = gali_graph_value(graph, "y", &open);
    gali_graph_input(graph, x);
    gali_graph_node(graph, &(gali_node){.op = GALI_OP_Add,
                                        .name = "add",
                                        .operand_count = 2,
                                        .result_count = 1,
                                        .operands = (uint32_t[]){x, b},
                                        .results = &sum});
    gali_graph_node(
        graph, &(gali_node){
                   .op = GALI_OP_Relu, .operand_count = 1, .result_count = 1, .operands = &sum, .results = &y});
    gali_graph_output(graph, y);
    return graph;
}

static void test_small_graph(void **state) {
    (void)state;
    gali_arena arena = {0};
    gal_error error = {0};
    const float bias[] = {1, -2, 0.5f};
    gali_graph *graph = small_graph(&arena, bias);
    assert_int_equal(gali_graph_verify(graph, &error), GAL_OK);
    assert_int_equal(gali_graph_infer(graph, &error), GAL_OK);
    gali_text text = {0};
    gali_type_print(graph->extents, &graph->values[graph->outputs[0]].type, &text);
    assert_string_equal(text.bytes, "f32[n, 3]");
    gali_text_release(&text);
    gali_run run = {.memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = &error};
    double numbers[] = {0, 1, 2, -3, 4, -5};
    gali_tensor x = {.element = GALI_f32, .rank = 2, .shape = {2, 3}, .count = 6, .real = numbers}, y;
    assert_int_equal(gali_graph_evaluate(&run, graph, &x, &y), GAL_OK);
    const double expected[] = {1, 0, 2.5, 0, 2, 0};
    assert_int_equal(y.count, 6);
    assert_memory_equal(y.real, expected, sizeof expected);
    gali_tensor_release(&run, &y);
    assert_int_equal(run.memory_left, GALI_RUN_MEMORY);
    gali_express express;
    assert_int_equal(gali_node_express(graph, &graph->nodes[0], &express, &error), GAL_OK);
    assert_int_equal(express.stage_count, 1);
    assert_int_equal(express.stages[0].value->op, GALI_SCALAR_add);
    gali_arena_release(&arena);
}

static void test_what_does_not_fit_is_named(void **state) {
    (void)state;
    gali_arena arena = {0};
    gal_error error = {0};
    const float bias[] = {1, 2, 3};
    gali_graph *graph = small_graph(&arena, bias);
    graph->values[graph->inputs[0]].type.shape[1] = 4;
    assert_int_equal(gali_graph_infer(graph, &error), GAL_BAD_DATA);
    assert_string_equal(error.message, "node 0 \"add\" (Add): extents 4 and 3 do not fit");
    graph->nodes[1].operands[0] = graph->outputs[0];
    assert_int_equal(gali_graph_verify(graph, &error), GAL_BAD_DATA);
    assert_non_null(strstr(error.message, "made later"));
    gali_arena_release(&arena);
}

/* What infers and evaluates a graph of one node says; "" where nothing is wrong. */
static void say(const char *lines, const gali_tensor *input, gal_error *message) {
    gali_arena arena = {0};
    gali_graph *graph;
    gali_tensor y;
    *message = (gal_error){0};
    assert_int_equal(gali_graph_parse(&graph, lines, strlen(lines), &arena, message), GAL_OK);
    gali_run run = {.memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = message};
    if (gali_graph_infer(graph, message) == GAL_OK && gali_graph_evaluate(&run, graph, input, &y) == GAL_OK) {
        gali_tensor_release(&run, &y);
    }
    gali_arena_release(&arena);
}

/* Attributes' integers past 2^60 are numbers all the same, not handles of expressions. */
static void test_attributes_past_every_size(void **state) {
    (void)state;
    gal_error error;
    const gali_tensor none = {.count = 0};
    say("input %0: f32[1, 1, 4]\nconstant %1: f32[1, 1, 2]\n%2: f32[...] = Conv \"c\" (%0, %1) "
        "pads:ints=2305843009213693952,0\noutput %2\n",
        &none, &error);
    assert_string_equal(error.message, "node 0 \"c\" (Conv): result 1: extent 2 is negative or past 2^60");
    say("input %0: f32[1, 4]\n%1: f32[...] = Concat \"c\" (%0, %0) axis:int=-9223372036854775808\noutput %1\n",
        &none, &error);
    assert_string_equal(error.message,
                        "node 0 \"c\" (Concat): axis -1152921504606846976 of a tensor of rank 2");
}

/* An empty tensor's other extents may multiply to more than any number. */
static void test_empty_and_huge(void **state) {
    (void)state;
    gal_error error;
    double number;
    const gali_tensor x = {
        .element = GALI_f32, .rank = 3, .shape = {0, (int64_t)1 << 40, (int64_t)1 << 40}, .real = &number};
    say("input %0: f32[0, 1099511627776, 1099511627776]\n"
        "%1: f32[...] = Transpose (%0) perm:ints=1,2,0\noutput %1\n",
        &x, &error);
    assert_non_null(strstr(error.message, "more than 2^60 elements"));
    say("input %0: f32[0, 1099511627776, 1099511627776]\n"
        "%1: f32[...] = Transpose (%0) perm:ints=0,2,1\noutput %1\n",
        &x, &error);
    assert_string_equal(error.message, "");
}

/* What is too large to be evaluated says where it is. */
static void test_too_large_is_named(void **state) {
    (void)state;
    gal_error error;
    const gali_tensor none = {.count = 0};
    say("constant %0: f32[] = 1\nconstant %1: i64[2] = 1048576 1048576\n%2: f32[...] = Expand \"c\" (%0, %1)\n"
        "output %2\n",
        &none, &error);
    assert_string_equal(error.message, "node 0 \"c\" (Expand): no memory for a tensor");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_extents_have_one_form),
        cmocka_unit_test(test_ranges_end_at_the_largest),
        cmocka_unit_test(test_many_symbols),
        cmocka_unit_test(test_small_graph),
        cmocka_unit_test(test_what_does_not_fit_is_named),
        cmocka_unit_test(test_attributes_past_every_size),
        cmocka_unit_test(test_empty_and_huge),
        cmocka_unit_test(test_too_large_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
