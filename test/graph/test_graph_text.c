/* The text form of graphs: what is printed parses back, and what is wrong is named with its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/graph.h"

static const char *const whole =
    "symbol n 0..1000\n"
    "input %0 \"x\": f32[n, 3]\n"
    "input %1 \"which\": bool[]\n"
    "constant %2 \"bias\": f32[3] = 1 -2.5 0x7ff8000000000000\n"
    "constant %3: f16[2] = 0.5 -6e-08\n"
    "constant %4: i8[2] = -128 127\n"
    "constant %5: f32[1000]\n"
    "%6 \"a \\x22name\\x22\": f32[n, 3] = Add \"add\" (%0, %2)\n"
    "%7: f32[n, 3] = If \"which\" (%1, %6)\n"
    "body\n"
    "    input %0: f32[...]\n"
    "    %1: f32[...] = LeakyRelu (%0) alpha:number=0.25\n"
    "    output %1\n"
    "end\n"
    "body\n"
    "    input %0: f32[...]\n"
    "    output %0\n"
    "end\n"
    "%8: f32[2, 3], -, %9: f32[quotient(n + 1, 2) - 2, 3] = Split (%7) axis:int=0\n"
    "%10: f32[3, 2] = Transpose (%8) perm:ints=1,0\n"
    "output %10\n"
    "output %9\n";

static void test_text_stays(void **state) {
    (void)state;
    gali_arena arena = {0};
    gal_error error = {0};
    gali_graph *graph;
    gali_text text = {0};
    if (gali_graph_parse(&graph, whole, strlen(whole), &arena, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gali_graph_print(graph, &text);
    const char *half = "-6e-08"; /* a half holds no such number, but the nearest */
    char expected[2048];
    assert_non_null(strstr(whole, half));
    snprintf(expected, sizeof expected, "%.*s%s%s", (int)(strstr(whole, half) - whole), whole, "-5.9604645e-08",
             strstr(whole, half) + strlen(half));
    assert_string_equal(text.bytes, expected);
    assert_int_equal(gali_constant_whole(&graph->values[4], 0), -128);
    assert_true(gali_constant_real(&graph->values[2], 1) == -2.5);
    assert_true(gali_constant_real(&graph->values[5], 999) == 0);
    gali_text_release(&text);
    gali_arena_release(&arena);
}

static void test_what_is_wrong_is_named(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"input %1: f32[2]\n", "graph line 1: the next value's number expected before this at \": f32[2]\""},
        {"\ninput %0: f32[2\n", "graph line 2: a closing bracket expected at \"\""},
        {"input %0: float[2]\n", "graph line 1: a type expected, like f32[n, 3], at \"[2]\""},
        {"input %0: f32[2]\n%1: f32[2] = Relux (%0)\n",
         "graph line 2: no such operator before this at \"(%0)\""},
        {"input %0: f32[2]\n%1: f32[2] = Relu (%1\n",
         "graph line 2: a comma or a parenthesis expected at \"\""},
        {"input %0: f32[2]\n%1: f32[2] = Relu (%2)\n",
         "graph line 2: an earlier value expected before this at \")\""},
        {"input %0: f32[2]\n%1: f32[2] = Relu (%1)\n", "operand 1 is missing, or made later"},
        {"constant %0: i8[1] = 128\n", "graph line 1: a number of the constant's element expected before this"},
        {"constant %0: f32[1099511627776]\n",
         "graph line 1: a constant's shape must be numbers, and not too large,"},
        {"output %0\n", "graph line 1: an earlier value expected"},
        {"end\n", "graph line 1: no body that ends here at \"end\""},
        {"input %0: f32[2]\n%1: f32[2] = Relu (%0) alpha:number=1\n", "attribute \"alpha\""},
        {"input %0: f32[1152921504606846975, 8]\n", "graph line 1: more than 2^60 elements"},
        {"symbol n 5..1\n", "graph line 1: a symbol and its range expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gali_arena arena = {0};
        gal_error error = {0};
        gali_graph *graph;
        gal_status status = gali_graph_parse(&graph, cases[i].text, strlen(cases[i].text), &arena, &error);
        assert_int_equal(status, GAL_BAD_DATA);
        if (!strstr(error.message, cases[i].message)) {
            fail_msg("case %zu: \"%s\", not \"%s\"", i, error.message, cases[i].message);
        }
        gali_arena_release(&arena);
    }
}

/* The example of docs/graph.md is one. */
static void test_the_page_parses(void **state) {
    (void)state;
    char page[16384] = {0};
    FILE *file = fopen(GALLOP_SOURCE_DIR "/docs/graph.md", "rb");
    assert_non_null(file);
    assert_true(fread(page, 1, sizeof page - 1, file) > 0);
    fclose(file);
    char *begin = strstr(page, "```\n"), *end = begin ? strstr(begin + 4, "```") : NULL;
    assert_non_null(end);
    gali_arena arena = {0};
    gal_error error = {0};
    gali_graph *graph;
    gal_status status = gali_graph_parse(&graph, begin + 4, (size_t)(end - begin - 4), &arena, &error);
    if (status != GAL_OK || gali_graph_infer(graph, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(graph->node_count, 2);
    gali_arena_release(&arena);
}

/* Names of files as parts of names of C: a layer is found in what is emitted by the end of its name. */
static void test_words_of_names(void **state) {
    static const struct {
        const char *name;
        size_t most;
        const char *word;
    } cases[] = {
        {"/encoder/layer.0/self/key/MatMul_output_0", 20, "0_self_key_MatMul"},
        {"/encoder/layer.0/self/key/MatMul", 100, "encoder_layer_0_self_key_MatMul"},
        {"/encoder/layer.0/self/key/MatMul_output_0", 16, "self_key_MatMul"},
        {"onnx::MatMul_560", 20, "onnx_MatMul_560"},
        {"a//..b", 20, "a_b"},
        {"onewordthatislongerthanthereisroomfor", 8, "sroomfor"},
        {"_output_0", 20, "output_0"},
        {"//", 20, ""},
        {"", 20, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gali_text word = {0};
        gali_text_add_word(&word, cases[i].name, cases[i].most);
        assert_string_equal(word.bytes ? word.bytes : "", cases[i].word);
        gali_text_release(&word);
    }
}

static void test_a_cut_text_ends_there(void **state) {
    (void)state;
    gali_text text = {0};
    gali_text_cut(&text, 0);
    assert_null(text.bytes);
    gali_text_add(&text, "kept%s", ", not kept");
    gali_text_cut(&text, 4);
    assert_string_equal(text.bytes, "kept");
    gali_text_add(&text, ".");
    assert_string_equal(text.bytes, "kept.");
    gali_text_release(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_stays),
        cmocka_unit_test(test_what_is_wrong_is_named),
        cmocka_unit_test(test_the_page_parses),
        cmocka_unit_test(test_words_of_names),
        cmocka_unit_test(test_a_cut_text_ends_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
