/* What propagation finds of inputs: each graph's types of inputs and outputs, or what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/propagate.h"

#define SYMBOLS                                                                                                \
    "symbol a 0..4096\nsymbol b 0..4096\nsymbol c 0..4096\nsymbol many 2..64\nsymbol more 2..512\nsymbol few " \
    "0..16\n"

static void add_types(const gali_graph *graph, const uint32_t *values, uint32_t count, gali_text *out) {
    for (uint32_t i = 0; i < count; i++) {
        gali_text_add(out, "%s", i ? ", " : "");
        gali_type_print(graph->extents, &graph->values[values[i]].type, out);
    }
}

/* "inputs -> outputs", or the message. */
static void propagate(const char *lines, gali_text *out) {
    gali_arena arena = {0};
    gal_error error = {0};
    gali_graph *graph;
    gali_text text = {0};
    gali_text_add(&text, "%s%s", SYMBOLS, lines);
    if (gali_graph_parse(&graph, text.bytes, text.size, &arena, &error) != GAL_OK ||
        gali_graph_propagate(graph, &error) != GAL_OK) {
        gali_text_add(out, "%s", error.message);
    } else {
        add_types(graph, graph->inputs, graph->input_count, out);
        gali_text_add(out, " -> ");
        add_types(graph, graph->outputs, graph->output_count, out);
    }
    gali_text_release(&text);
    gali_arena_release(&arena);
}

static const struct {
    const char *lines, *expected;
} cases[] = {
    /* the weights tell what is summed over */
    {"input %0: f32[a, b]\nconstant %1: f32[64, 10]\n%2: f32[...] = MatMul (%0, %1)\noutput %2\n",
     "f32[a, 64] -> f32[a, 10]"},
    {"input %0: f32[a, b, c, c]\nconstant %1: f32[8, 3, 3, 3]\n%2: f32[...] = Conv (%0, %1) "
     "group:int=2\noutput %2\n",
     "f32[a, 6, c, c] -> f32[a, 8, c - 2, c - 2]"},
    /* the size that was named first stays */
    {"input %0: f32[a, 3]\ninput %1: f32[b, 4]\n%2: f32[...] = Concat (%0, %1) axis:int=1\noutput %2\n",
     "f32[a, 3], f32[a, 4] -> f32[a, 7]"},
    /* one finds the other: b is a, c is b, and the weights say 8 */
    {"input %0: f32[2, a]\ninput %1: f32[2, b]\ninput %2: f32[2, c]\nconstant %3: f32[8, 5]\n"
     "%4: f32[...] = Concat (%0, %1) axis:int=0\n%5: f32[...] = Concat (%1, %2) axis:int=0\n"
     "%6: f32[...] = MatMul (%2, %3)\noutput %4\noutput %5\noutput %6\n",
     "f32[2, 8], f32[2, 8], f32[2, 8] -> f32[4, 8], f32[4, 8], f32[2, 5]"},
    /* what is scaled does not become larger by its scale, nor empty */
    {"input %0: f32[a, 1]\nconstant %1: f32[3] = 1 2 3\n%2: f32[...] = LayerNormalization (%0, %1)\noutput "
     "%2\n",
     "node 0 \"\" (LayerNormalization): extents 3 and 1 differ"},
    {"input %0: f32[a, many]\nconstant %1: f32[0] =\n%2: f32[...] = LayerNormalization (%0, %1)\noutput %2\n",
     "node 0 \"\" (LayerNormalization): extents 0 and many are never the same"},
    {"input %0: f32[a, 2, 8]\n%1: f32[...] = LpPool (%0) p:int=0 kernel_shape:ints=2\noutput %1\n",
     "node 0 \"\" (LpPool): p is 1 or more"},
    /* a size of 1..2 that is a multiple of 3 is none */
    {"symbol one 1..2\ninput %0: f32[2, one]\ninput %1: f32[a, 6]\nconstant %2: i64[2] = -1 2\n"
     "%3: f32[...] = Reshape (%1, %2)\n%4: f32[...] = MatMul (%0, %3)\noutput %4\n",
     "node 1 \"\" (MatMul): its size one would be 3, which is not in 1..2"},
    {"symbol one 1..3\ninput %0: f32[2, one]\ninput %1: f32[a, 6]\nconstant %2: i64[2] = -1 2\n"
     "%3: f32[...] = Reshape (%1, %2)\n%4: f32[...] = MatMul (%0, %3)\noutput %4\n",
     "f32[2, 3*a], f32[a, 6] -> f32[2, 2]"},
    /* of an expression: two halves make 64, a window's rows follow from its pixels */
    {"input %0: f32[a, b]\nconstant %1: f32[64, 5]\n%2: f32[...] = Concat (%0, %0) axis:int=1\n"
     "%3: f32[...] = MatMul (%2, %1)\noutput %3\n",
     "f32[a, 32] -> f32[a, 5]"},
    {"input %0: f32[a, 4]\ninput %1: f32[b, 2]\nconstant %2: i64[2] = -1 2\n%3: f32[...] = Reshape (%0, %2)\n"
     "%4: f32[...] = Concat (%3, %1) axis:int=1\noutput %4\n",
     "f32[a, 4], f32[2*a, 2] -> f32[2*a, 4]"},
    /* all of its elements are kept */
    {"input %0: f32[a, b]\nconstant %1: i64[2] = 6 4\ninput %2: f32[b, 8]\n%3: f32[...] = Reshape (%0, %1)\n"
     "%4: f32[...] = MatMul (%0, %2)\nconstant %5: f32[3, 8]\n%6: f32[...] = MatMul (%5, %2)\noutput "
     "%3\noutput %6\n",
     "f32[3, 8], f32[8, 8] -> f32[6, 4], f32[3, 8]"},
    /* broadcasting decides, unless both are above 1 */
    {"input %0: f32[a]\ninput %1: f32[b]\n%2: f32[...] = Add (%0, %1)\noutput %2\n",
     "f32[a], f32[b] -> f32[max(a, b)]"},
    {"input %0: f32[many]\ninput %1: f32[more]\n%2: f32[...] = Add (%0, %1)\noutput %2\n",
     "f32[many], f32[many] -> f32[many]"},
    {"input %0: f32[a]\nconstant %1: f32[7]\n%2: f32[...] = Add (%0, %1)\noutput %2\n", "f32[a] -> f32[7]"},
    {"input %0: f32[many]\nconstant %1: f32[7]\n%2: f32[...] = Add (%0, %1)\noutput %2\n", "f32[7] -> f32[7]"},
    /* ranks */
    {"input %0: f32[...]\nconstant %1: f32[8, 3, 3, 3]\n%2: f32[...] = Relu (%0)\n%3: f32[...] = Conv (%2, "
     "%1)\n"
     "output %3\n",
     "f32[size_1, 3, size_3, size_4] -> f32[size_1, 8, size_3 - 2, size_4 - 2]"},
    {"input %0: f32[...]\n%1: f32[...] = Transpose (%0) perm:ints=1,0\noutput %1\n",
     "f32[size_1, size_2] -> f32[size_2, size_1]"},
    {"input %0: f32[...]\n%1: f32[...] = Relu (%0)\noutput %1\n", "f32[...] -> f32[...]"},
    /* a branch need not run: it says nothing of what is outside */
    {"input %0: bool[]\ninput %1: f32[a, b]\n%2: f32[...] = If (%0, %1)\nbody\ninput %0: f32[a, b]\n"
     "constant %1: f32[64, 10]\n%2: f32[...] = MatMul (%0, %1)\noutput %2\nend\nbody\ninput %0: f32[a, b]\n"
     "constant %1: i64[1] = 1\n%2: f32[...] = ReduceSum (%0, %1)\nconstant %3: f32[1, 10]\n"
     "%4: f32[...] = Mul (%2, %3)\noutput %4\nend\noutput %2\n",
     "bool[], f32[a, b] -> f32[a, 10]"},
    /* integers that both branches give alike are known behind them; others are told, with the larger for a bound */
    {"input %0: bool[]\ninput %1: f32[a, 6]\n%2: i64[?] = If (%0, %1)\nbody\ninput %0: f32[a, 6]\n"
     "constant %1: i64[3] = -1 2 3\noutput %1\nend\nbody\ninput %0: f32[a, 6]\nconstant %1: i64[2] = -1 2\n"
     "constant %2: i64[1] = 3\n%3: i64[?] = Concat (%1, %2) axis:int=0\noutput %3\nend\n"
     "%3: f32[...] = Reshape (%1, %2)\noutput %3\n",
     "bool[], f32[a, 6] -> f32[a, 2, 3]"},
    {"input %0: bool[]\ninput %1: f32[a, 6]\n%2: i64[?] = If (%0, %1)\nbody\ninput %0: f32[a, 6]\n"
     "constant %1: i64[2] = 2 3\noutput %1\nend\nbody\ninput %0: f32[a, 6]\nconstant %1: i64[2] = 3 2\n"
     "output %1\nend\n%3: f32[...] = Reshape (%1, %2)\noutput %3\n",
     "bool[], f32[a, 6] -> f32[told_1, told_2]"},
    /* what cannot be */
    {"input %0: f32[few, 3]\nconstant %1: f32[64, 10]\n%2: f32[...] = Transpose (%0)\n"
     "%3: f32[...] = MatMul (%2, %1)\noutput %3\n",
     "node 1 \"\" (MatMul): extents few and 64 are never the same"},
    {"input %0: f32[a, 3]\nconstant %1: f32[7, 10]\n%2: f32[...] = Concat (%0, %0) axis:int=0\n"
     "%3: f32[...] = Transpose (%2)\n%4: f32[...] = MatMul (%3, %1)\noutput %4\n",
     "node 2 \"\" (MatMul): extents 2*a and 7 are never the same"},
};

static void test_cases(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gali_text out = {0};
        propagate(cases[i].lines, &out);
        if (strcmp(out.bytes, cases[i].expected) != 0) {
            fail_msg("case %zu:\n  %s\nnot\n  %s", i, out.bytes, cases[i].expected);
        }
        gali_text_release(&out);
    }
}

/* Blocks are whole: of an open size a multiple is demanded, which the run checks; of a number it is known. */
static void blocks_are_whole(void **state) {
    (void)state;
    static const struct {
        const char *line;
        uint32_t demands;
    } wanted[] = {
        {"input %0: f32[1, a, 2, b]\n%1: f32[...] = DepthToSpace (%0) blocksize:int=2\noutput %1\n", 1},
        {"input %0: f32[1, 3, a, b]\n%1: f32[...] = SpaceToDepth (%0) blocksize:int=2\noutput %1\n", 2},
        {"input %0: f32[1, 8, a, 2]\n%1: f32[...] = DepthToSpace (%0) blocksize:int=2\noutput %1\n", 0}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        gali_arena arena = {0};
        gal_error error = {0};
        gali_graph *graph;
        gali_text text = {0};
        uint32_t count = 0;
        gali_text_add(&text, "%s%s", SYMBOLS, wanted[i].line);
        assert_int_equal(gali_graph_parse(&graph, text.bytes, text.size, &arena, &error), GAL_OK);
        assert_int_equal(gali_graph_propagate(graph, &error), GAL_OK);
        for (const gali_demand *d = graph->nodes[0].demands; d; d = d->next) {
            count += d->kind == GALI_DEMAND_SAME;
        }
        assert_int_equal(count, wanted[i].demands);
        gali_text_release(&text);
        gali_arena_release(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(blocks_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
