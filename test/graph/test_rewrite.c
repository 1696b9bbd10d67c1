/* Rules of rewriting: each is used where it is meant to be, and the graph computes what it did. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph/evaluate.h"
#include "graph/rewrite.h"

typedef struct rewrite_case {
    gali_rewrite rule;
    uint32_t times; /* 0: it must not be used */
    const char *text;
} rewrite_case;

#define CONV                                                                                                   \
    "input %0 \"x\": f32[2, 2, 4, 3]\nconstant %1: f32[3, 2, 1, 2] = 1 2 3 4 5 6 -1 -2 0.5 0.25 3 7\n"         \
    "constant %2: f32[3] = 1 0.5 -2\nconstant %3: f32[3] = 0.1 0.2 0.3\n"                                      \
    "constant %4: f32[3] = 4 0.5 0.01\nconstant %5: f32[3, 1, 1] = 2 3 -5\nconstant %6: f32[] = 0.3\n"
#define X "input %0 \"x\": f32[4, 5]\n"

static const rewrite_case cases[] = {
    {GALI_REWRITE_fold_normalisation, 1,
     CONV "%7: f32[2, 3, 4, 2] = Conv (%0, %1)\n"
          "%8: f32[2, 3, 4, 2] = BatchNormalization (%7, %2, %3, %3, %4)\noutput %8\n"},
    {GALI_REWRITE_fold_normalisation, 1,
     CONV "%7: f32[2, 3, 4, 2] = Conv (%0, %1, %3)\n"
          "%8: f32[2, 3, 4, 2] = BatchNormalization (%7, %2, %3, %2, %4) epsilon:number=0.5\noutput %8\n"},
    {GALI_REWRITE_fold_normalisation, 0, /* the convolution is read by others, too */
     CONV "%7: f32[2, 3, 4, 2] = Conv (%0, %1)\n"
          "%8: f32[2, 3, 4, 2] = BatchNormalization (%7, %2, %3, %3, %4)\n"
          "%9: f32[2, 3, 4, 2] = Add (%8, %7)\noutput %9\n"},
    {GALI_REWRITE_fold_normalisation, 1,
     "input %0 \"x\": f32[4, 2]\nconstant %1: f32[2, 3] = 1 2 3 4 5 6\nconstant %2: f32[3] = 1 0.5 -2\n"
     "constant %3: f32[3] = 4 0.5 0.01\n%4: f32[4, 3] = Gemm (%0, %1, %2)\n"
     "%5: f32[4, 3] = BatchNormalization (%4, %2, %2, %3, %3)\noutput %5\n"},
    {GALI_REWRITE_fold_normalisation, 1,
     "input %0 \"x\": f32[1, 2, 2, 2]\nconstant %1: f32[2, 3, 1, 2] = 1 2 3 4 5 6 -1 -2 0.5 0.25 3 7\n"
     "constant %2: f32[3] = 1 0.5 -2\nconstant %3: f32[3] = 4 0.5 0.01\n"
     "%4: f32[1, 3, 2, 3] = ConvTranspose (%0, %1)\n"
     "%5: f32[1, 3, 2, 3] = BatchNormalization (%4, %2, %2, %3, %3)\noutput %5\n"},
    {GALI_REWRITE_fold_scale, 2,
     CONV "%7: f32[2, 3, 4, 2] = Conv (%0, %1)\n%8: f32[2, 3, 4, 2] = Mul (%7, %5)\n"
          "%9: f32[2, 3, 4, 2] = Add (%6, %8)\noutput %9\n"},
    {GALI_REWRITE_fold_scale, 0, /* along another axis */
     CONV "constant %7: f32[4, 1] = 1 2 3 4\n%8: f32[2, 3, 4, 2] = Conv (%0, %1)\n"
          "%9: f32[2, 3, 4, 2] = Mul (%8, %7)\noutput %9\n"},
    {GALI_REWRITE_square, 1, X "constant %1: f32[1] = 2\n%2: f32[4, 5] = Pow (%0, %1)\noutput %2\n"},
    {GALI_REWRITE_square, 0, X "constant %1: f32[] = 3\n%2: f32[4, 5] = Pow (%0, %1)\noutput %2\n"},
    {GALI_REWRITE_power_of_two, 1, X "constant %1: f32[] = 8\n%2: f32[4, 5] = Div (%0, %1)\noutput %2\n"},
    {GALI_REWRITE_reciprocal, 1, X "constant %1: f32[] = 7\n%2: f32[4, 5] = Div (%0, %1)\noutput %2\n"},
    {GALI_REWRITE_reciprocal, 0, X "constant %1: f32[] = 0\n%2: f32[4, 5] = Div (%0, %1)\noutput %2\n"},
    {GALI_REWRITE_identity, 4,
     X "constant %1: f32[] = 1\nconstant %2: f32[1, 1] = 0\n%3: f32[4, 5] = Mul (%0, %1)\n"
       "%4: f32[4, 5] = Div (%3, %1)\n%5: f32[4, 5] = Sub (%4, %2)\n%6: f32[4, 5] = Identity (%5)\n"
       "%7: f32[4, 5] = Relu (%6)\noutput %7\n"},
    {GALI_REWRITE_identity, 0, /* it makes a shape, or an output */
     X "constant %1: f32[1, 1, 1] = 1\nconstant %2: f32[] = 1\n%3: f32[1, 4, 5] = Mul (%0, %1)\n"
       "%4: f32[1, 4, 5] = Mul (%3, %2)\noutput %4\n"},
};

static gali_graph *parsed(const char *text, gali_arena *arena) {
    gali_graph *graph;
    gal_error error = {0};
    if (gali_graph_parse(&graph, text, strlen(text), arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK) {
        fail_msg("%s\n%s", text, error.message);
    }
    return graph;
}

static void evaluate(gali_graph *graph, gali_tensor *y) {
    gal_error error = {0};
    gali_run run = {.memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = &error};
    const gali_type *type = &graph->values[graph->inputs[0]].type;
    gali_tensor x;
    assert_int_equal(gali_tensor_make(&run, &x, type->element, (uint32_t)type->rank, type->shape), GAL_OK);
    for (size_t i = 0; i < x.count; i++) {
        x.real[i] = (double)(float)(0.37 * (double)(i * 7919 % 23) - 3.1);
    }
    if (gali_graph_verify(graph, &error) != GAL_OK || gali_graph_evaluate(&run, graph, &x, y) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gali_tensor_release(&run, &x);
}

static void test_rules(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gali_arena arena = {0};
        gali_graph *before = parsed(cases[i].text, &arena), *after = parsed(cases[i].text, &arena);
        uint32_t counts[GALI_REWRITE_COUNT] = {0}, slow[GALI_REWRITE_COUNT] = {0};
        gal_error error = {0};
        gali_tensor truth, y;
        gali_run run = {.memory_left = GALI_RUN_MEMORY, .error = &error};
        assert_int_equal(gali_graph_rewrite(after, 1, counts, &error), GAL_OK);
        if (counts[cases[i].rule] != cases[i].times) {
            fail_msg("case %zu: %s is used %u times, expected %u", i, gali_rewrite_list[cases[i].rule].name,
                     counts[cases[i].rule], cases[i].times);
        }
        evaluate(before, &truth);
        evaluate(after, &y);
        assert_int_equal(truth.count, y.count);
        for (size_t k = 0; k < y.count; k++) {
            double most = gali_rewrite_list[cases[i].rule].rounds ? 1e-6 * (1 + fabs(truth.real[k])) : 0;
            if (truth.real[k] != y.real[k] && !(fabs(truth.real[k] - y.real[k]) <= most)) {
                fail_msg("case %zu: element %zu is %g, expected %g", i, k, y.real[k], truth.real[k]);
            }
        }
        assert_int_equal(gali_graph_rewrite(before, 0, slow, &error), GAL_OK);
        for (int rule = 0; rule < GALI_REWRITE_COUNT; rule++) {
            assert_true(!gali_rewrite_list[rule].fast || slow[rule] == 0);
        }
        gali_tensor_release(&run, &truth);
        gali_tensor_release(&run, &y);
        gali_arena_release(&arena);
    }
}

/* Every rule is in some case. */
static void test_all_are_tried(void **state) {
    (void)state;
    uint32_t tried = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tried |= cases[i].times ? 1u << cases[i].rule : 0;
    }
    assert_int_equal(tried, (1u << GALI_REWRITE_COUNT) - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rules), cmocka_unit_test(test_all_are_tried)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
