/* Long sums: which are taken in blocks, and of how many terms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compiler/program/program.h"
#include "graph/graph.h"
#include "graph/propagate.h"

typedef struct sum_case {
    const char *graph;
    int weights; /* of a constant %1 that the text ends with; 0: it has none */
    int exact;
    int64_t terms; /* of the program's longest sum */
    gali_sum_blocks blocks;
} sum_case;

static const char product[] = "input %0 \"x\": f32[4, 512]\ninput %1 \"w\": f32[512, 8]\n"
                              "%2 \"y\": f32[...] = MatMul (%0, %1)\noutput %2\n",
                  longer[] = "input %0 \"x\": f32[4, 1024]\ninput %1 \"w\": f32[1024, 8]\n"
                             "%2 \"y\": f32[...] = MatMul (%0, %1)\noutput %2\n",
                  window[] = "input %0 \"x\": f32[1, 32, 9, 9]\ninput %1 \"w\": f32[8, 32, 3, 3]\n"
                             "%2 \"y\": f32[...] = Conv (%0, %1)\noutput %2\n",
                  flattened[] = "input %0 \"x\": f32[1, 64, 7, 7]\ninput %1 \"w\": f32[64, 64, 1, 1]\n"
                                "input %2 \"v\": f32[3136, 16]\n%3 \"c\": f32[...] = Conv (%0, %1)\n"
                                "%4 \"f\": f32[...] = Flatten (%3)\n%5 \"y\": f32[...] = MatMul (%4, %2)\n"
                                "output %5\n",
                  transformed[] = "input %0 \"x\": f32[1, 160, 8, 8]\nconstant %1: f32[20, 160, 3, 3] =";

static const sum_case cases[] = {
    {product, 0, 0, 512, {0, 0}},
    {product, 0, 1, 512, {0, 128}},
    {longer, 0, 0, 1024, {0, 512}},
    {longer, 0, 1, 1024, {0, 128}},
    {window, 0, 0, 288, {1, 0}}, /* a row of the window */
    {window, 0, 1, 288, {1, 0}},
    {flattened, 0, 0, 3136, {0, 8}}, /* 8 of 64 channels and their 49 places: whole parts of the sum */
    {transformed, 20 * 160 * 9, 0, 160, {0, 80}}, /* the product behind the transforms */
};

static const gali_program_stage *longest(const gali_program *p, int64_t *terms) {
    const gali_program_stage *found = NULL;
    *terms = 0;
    for (uint32_t i = 0; i < p->stage_count; i++) {
        const gali_program_stage *stage = &p->stages[i];
        int64_t own = stage->gone ? 0 : 1;
        for (uint32_t k = 0; k < stage->reduced; k++) {
            own *= stage->extent[stage->rank + k];
        }
        if (own > *terms) {
            *terms = own;
            found = stage;
        }
    }
    return found;
}

static void test_blocks(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sum_case *of = &cases[i];
        gali_arena arena = {0};
        gali_text text = {0};
        gali_graph *graph;
        gali_program *p;
        gal_error error = {0};
        int64_t terms;
        gali_text_add(&text, "%s", of->graph);
        for (int k = 0; k < of->weights; k++) {
            gali_text_add(&text, " 1");
        }
        gali_text_add(&text, "%s", of->weights ? "\n%2 \"y\": f32[...] = Conv (%0, %1)\noutput %2\n" : "");
        assert_int_equal(gali_graph_parse(&graph, text.bytes, text.size, &arena, &error), GAL_OK);
        assert_int_equal(gali_graph_infer(graph, &error), GAL_OK);
        assert_int_equal(gali_program_make(&p, graph, &arena, &error), GAL_OK);
        assert_int_equal(gali_program_for_cpu(p, of->exact, &error), GAL_OK);
        const gali_program_stage *stage = longest(p, &terms);
        assert_non_null(stage);
        assert_int_equal(terms, of->terms);
        assert_int_equal(stage->blocks.outer, of->blocks.outer);
        assert_int_equal(stage->blocks.part, of->blocks.part);
        gali_text_release(&text);
        gali_arena_release(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
