/* Shapes of symbols through what exporters write: each graph's outputs, inferred, against their types and known integers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/graph.h"

#define SYMBOLS "symbol batch 1..64\nsymbol length 1..512\nsymbol past 0..512\nsymbol any 0..4096\n"

/* Types of the outputs, "; " between them, then " = " and what is known of each. */
static void infer(const char *lines, gali_text *out) {
    gali_arena arena = {0};
    gal_error error = {0};
    gali_graph *graph;
    gali_text text = {0};
    gali_text_add(&text, "%s%s", SYMBOLS, lines);
    if (gali_graph_parse(&graph, text.bytes, text.size, &arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK) {
        gali_text_add(out, "%s", error.message);
        gali_text_release(&text);
        gali_arena_release(&arena);
        return;
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const gali_value *value = &graph->values[graph->outputs[i]];
        gali_extent count = gali_type_count(graph->extents, &value->type);
        gali_text_add(out, "%s", i ? "; " : "");
        gali_type_print(graph->extents, &value->type, out);
        for (gali_extent k = 0; value->known && k < count; k++) {
            gali_text_add(out, "%s", k ? ", " : " = ");
            gali_extent_print(graph->extents, value->known[k], out);
        }
    }
    gali_text_release(&text);
    gali_arena_release(&arena);
}

static const struct {
    const char *lines, *expected;
} cases[] = {
    /* heads split: view(batch, length, 12, -1) */
    {"input %0: f32[batch, length, 768]\n"
     "constant %1: i64[] = 0\nconstant %2: i64[] = 1\nconstant %3: i64[1] = 0\nconstant %4: i64[2] = 12 -1\n"
     "%5: i64[?] = Shape (%0)\n%6: i64[] = Gather (%5, %1) axis:int=0\n%7: i64[?] = Unsqueeze (%6, %3)\n"
     "%8: i64[?] = Shape (%0)\n%9: i64[] = Gather (%8, %2) axis:int=0\n%10: i64[?] = Unsqueeze (%9, %3)\n"
     "%11: i64[?] = Concat (%7, %10, %4) axis:int=0\n%12: f32[...] = Reshape (%0, %11)\n"
     "%13: f32[...] = Transpose (%12) perm:ints=0,2,1,3\noutput %11\noutput %13\n",
     "i64[4] = batch, length, 12, -1; f32[batch, 12, length, 64]"},
    /* a choice by truth values of numbers */
    {"constant %0: i64[1] = 1\nconstant %1: i64[1] = 3\n%2: bool[?] = Equal (%0, %1)\n%3: bool[?] = Not (%2)\n"
     "%4: i64[?] = Where (%3, %1, %0)\noutput %4\n",
     "i64[1] = 3"},
    /* the last extent kept, all before it as one */
    {"input %0: f32[batch, length, 8, 8]\nconstant %1: i64[2] = -1 64\n%2: f32[...] = Reshape (%0, %1)\noutput "
     "%2\n",
     "f32[batch*length, 64]"},
    {"input %0: f32[batch, length + past, 12, 64]\nconstant %1: i64[3] = 0 0 -1\n%2: f32[...] = Reshape (%0, "
     "%1)\n"
     "output %2\n",
     "f32[batch, length + past, 768]"},
    {"input %0: f32[batch, 3, 32, 32]\n%1: f32[...] = Flatten (%0)\noutput %1\n", "f32[batch, 3072]"},
    /* the causal mask's slice: [past, past + length) of a constant of 1024 */
    {"input %0: f32[batch, 12, past, 64]\ninput %1: f32[batch, 12, length, 64]\nconstant %2: bool[1, 1, 1024, "
     "1024]\n"
     "constant %3: i64[1] = 2\nconstant %4: i64[] = 2\n"
     "%5: f32[...] = Concat (%0, %1) axis:int=-2\n%6: i64[?] = Shape (%5)\n%7: i64[?] = Shape (%1)\n"
     "%8: i64[] = Gather (%6, %4) axis:int=0\n%9: i64[] = Gather (%7, %4) axis:int=0\n%10: i64[] = Sub (%8, "
     "%9)\n"
     "constant %11: i64[1] = 0\n"
     "%12: i64[?] = Unsqueeze (%10, %11)\n%13: i64[?] = Unsqueeze (%8, %11)\n"
     "%14: bool[...] = Slice (%2, %12, %13, %3)\noutput %5\noutput %10\noutput %14\n",
     "f32[batch, 12, length + past, 64]; i64[] = past; bool[1, 1, length, 1024]"},
    /* positions: Range(0, length), and their embedding */
    {"input %0: i64[batch, length]\nconstant %1: i64[] = 0\nconstant %2: i64[] = 1\nconstant %3: f32[512, 64]\n"
     "%4: i64[?] = Shape (%0)\n%5: i64[] = Gather (%4, %2)\n%6: i64[?] = Range (%1, %5, %2)\n"
     "%7: f32[...] = Gather (%3, %6)\noutput %6\noutput %7\n",
     "i64[length]; f32[length, 64]"},
    /* ends "to the end", steps, from the end, the other way round */
    {"input %0: f32[any, 10]\nconstant %1: i64[2] = 1 -3\nconstant %2: i64[2] = 9223372036854775807 "
     "9223372036854775807\n%3: f32[...] = Slice (%0, %1, %2)\noutput %3\n",
     "f32[any - min(1, any), 3]"},
    {"input %0: f32[length]\nconstant %1: i64[1] = 0\nconstant %2: i64[1] = 9223372036854775807\n"
     "constant %3: i64[1] = 2\nconstant %4: i64[1] = -1\nconstant %5: i64[1] = -9223372036854775808\n"
     "%6: f32[...] = Slice (%0, %1, %2, %1, %3)\n%7: f32[...] = Slice (%0, %4, %5, %1, %4)\noutput %6\noutput "
     "%7\n",
     "f32[quotient(length + 1, 2)]; f32[length]"},
    {"input %0: f32[any]\nconstant %1: i64[1] = -1\nconstant %2: i64[1] = 9223372036854775807\n"
     "%3: f32[...] = Slice (%0, %1, %2)\noutput %3\n",
     "f32[min(1, any)]"},
    /* an end that only running tells */
    {"input %0: f32[length]\ninput %1: i64[1]\nconstant %2: i64[1] = 0\n%3: f32[...] = Slice (%0, %2, %1)\n"
     "%4: f32[...] = Relu (%3)\noutput %3\noutput %4\n",
     "f32[min(length, told_1)]; f32[min(length, told_1)]"},
    /* elements of a list that only running tells, beside those that are known */
    {"input %0: f32[1, 3, rows, columns]\ninput %1: i64[2]\nconstant %2: i64[2] = 0 1\nconstant %3: f32[0]\n"
     "%4: i64[?] = Shape (%0)\n%5: i64[?] = Gather (%4, %2)\n%6: i64[?] = Concat (%5, %1) axis:int=0\n"
     "%7: f32[...] = Resize (%0, %3, %3, %6)\noutput %7\n",
     "f32[1, 3, told_1, told_2]"},
    /* sizes by way of reals: half of 320 and of 201, rounded down */
    {"input %0: f32[320, 201]\nconstant %1: f32[] = 0.5\n%2: i64[?] = Shape (%0)\n%3: f32[?] = Cast (%2) "
     "to:int=1\n%4: f32[?] = Mul (%3, %1)\n%5: f32[?] = Floor (%4)\n%6: i64[?] = Cast (%5) to:int=7\n"
     "%7: f32[...] = Expand (%1, %6)\noutput %7\n",
     "f32[160, 100]"},
    /* as many as there are, but no more than 50; a size as i32 */
    {"input %0: f32[length]\nconstant %1: i64[1] = 50\nconstant %2: i64[] = 0\nconstant %3: i32[] = 0\n"
     "constant %4: i32[] = 1\n%5: i64[?] = Shape (%0)\n%6: i64[?] = Concat (%5, %1) axis:int=0\n"
     "%7: i64[] = ReduceMin (%6) keepdims:int=0\n%8: i64[?] = Unsqueeze (%7, %2)\n"
     "%9: f32[...], %10: i64[...] = TopK (%0, %8)\n%11: i64[] = Gather (%5, %2)\n%12: i32[] = Cast (%11) "
     "to:int=6\n%13: i32[...] = Range (%3, %12, %4)\noutput %9\noutput %13\n",
     "f32[min(50, length)]; i32[length]"},
    {"input %0: f32[batch, 7]\n%1: f32[...], %2: f32[...] = Split (%0) axis:int=1 num_outputs:int=2\n"
     "output %1\noutput %2\n",
     "f32[batch, 4]; f32[batch, 3]"},
    {"input %0: f32[2*length]\n%1: f32[...], %2: f32[...] = Split (%0) num_outputs:int=2\noutput %1\noutput "
     "%2\n",
     "f32[length]; f32[length]"},
    {"input %0: f32[batch, 1, 4]\ninput %1: i64[batch, 9]\n%2: i64[?] = Shape (%1)\nconstant %3: i64[1] = 4\n"
     "%4: i64[?] = Concat (%2, %3) axis:int=0\n%5: f32[...] = Expand (%0, %4)\noutput %5\n",
     "f32[batch, 9, 4]"},
    {"input %0: f32[batch, 4]\nconstant %1: i64[2] = 1 3\n%2: f32[...] = Tile (%0, %1)\noutput %2\n",
     "f32[batch, 12]"},
    {"input %0: f32[batch, 3, length]\nconstant %1: i64[6] = 0 0 1 0 0 2\n%2: f32[...] = Pad (%0, %1)\noutput "
     "%2\n",
     "f32[batch, 3, length + 3]"},
    {"input %0: i64[length]\nconstant %1: i64[] = 7\nconstant %2: f32[2] = 0 1\n%3: f32[...] = OneHot (%0, %1, "
     "%2)\n"
     "output %3\n",
     "f32[length, 7]"},
    {"input %0: f32[batch, 1, length]\nconstant %1: i64[1] = 1\n%2: f32[...] = Squeeze (%0, %1)\n"
     "%3: f32[...] = Squeeze (%0)\noutput %2\noutput %3\n",
     "f32[batch, length]; f32[batch, length]"},
    /* positions of a table, added to as many rows */
    {"input %0: f32[batch, any, 16]\nconstant %1: f32[1, 32, 16]\nconstant %2: i64[] = 1\nconstant %3: i64[1] "
     "= 0\n"
     "constant %4: i64[1] = 1\n%5: i64[?] = Shape (%0)\n%6: i64[?] = Gather (%5, %4)\n"
     "%7: f32[...] = Slice (%1, %3, %6, %4)\n%8: f32[...] = Add (%0, %7)\noutput %7\noutput %8\n",
     "f32[1, min(32, any), 16]; f32[batch, any, 16]"},
    /* padded to whole windows of 14, and cut into them */
    {"input %0: f32[any, 16]\nconstant %1: i64[1] = 0\nconstant %2: i64[1] = 14\nconstant %3: i64[3] = 0 0 0\n"
     "%4: i64[?] = Shape (%0)\n%5: i64[1] = Gather (%4, %1)\n%6: i64[1] = Mod (%5, %2)\n%7: i64[1] = Sub (%2, "
     "%6)\n"
     "%8: i64[1] = Mod (%7, %2)\nconstant %9: i64[1] = 0\n%10: i64[4] = Concat (%9, %9, %8, %9) axis:int=0\n"
     "%11: f32[...] = Pad (%0, %10)\nconstant %12: i64[3] = -1 14 16\n%13: f32[...] = Reshape (%11, %12)\n"
     "output %11\noutput %13\n",
     "f32[14*quotient(any + 13, 14), 16]; f32[quotient(any + 13, 14), 14, 16]"},
    /* what does not fit */
    {"input %0: f32[2, 3]\nconstant %1: i64[2] = 4 -1\n%2: f32[...] = Reshape (%0, %1)\noutput %2\n",
     "node 0 \"\" (Reshape): 6 elements are no multiple of 4"},
    {"input %0: f32[2, 3]\n%1: f32[...] = Transpose (%0) perm:ints=0,0\noutput %1\n",
     "node 0 \"\" (Transpose): perm is no permutation of 2 axes"},
    {"input %0: f32[2, 3]\ninput %1: f32[2, 4]\n%2: f32[...] = Concat (%0, %1) axis:int=0\noutput %2\n",
     "node 0 \"\" (Concat): extents 3 and 4 differ"},
    {"input %0: f32[2, 3]\nconstant %1: i64[1] = 1\n%2: f32[...] = Squeeze (%0, %1)\noutput %2\n",
     "node 0 \"\" (Squeeze): axis 1 has 3 elements, not 1"},
};

static void test_symbols(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gali_text out = {0};
        infer(cases[i].lines, &out);
        if (strcmp(out.bytes, cases[i].expected) != 0) {
            fail_msg("case %zu:\n  %s\nnot\n  %s", i, out.bytes, cases[i].expected);
        }
        gali_text_release(&out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_symbols)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
