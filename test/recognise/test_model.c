/* Networks out of graphs that no file was read for: recognition stands on the graph alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "recognise/model.h"

static const char contract_free[] = "input opaque x 3";

typedef struct found {
    void *image;
    size_t size;
    gali_recognise_report report;
    gali_model model;
    gal_error error;
} found;

/* The text's graph as a model; image is NULL where there is none, and is the caller's. */
static found recognise(const char *text) {
    found f = {.image = NULL};
    gali_arena arena = {0};
    gali_graph *graph;
    const gali_recognise_desc desc = {.source_size = 1000};
    if (gali_graph_parse(&graph, text, strlen(text), &arena, &f.error) != GAL_OK ||
        gali_graph_infer(graph, &f.error) != GAL_OK) {
        fail_msg("%s", f.error.message);
    }
    gal_status status = gali_recognise_model(graph, &desc, &f.image, &f.size, &f.report, &f.error);
    assert_int_equal(status == GAL_OK, f.image != NULL);
    if (status == GAL_OK) {
        assert_int_equal(gali_model_read(&f.model, f.image, f.size, &f.error), GAL_OK);
    }
    gali_arena_release(&arena);
    return f;
}

static found expect_model(const char *text) {
    found f = recognise(text);
    if (!f.image) {
        fail_msg("%s", f.error.message);
    }
    return f;
}

static void assert_numbers(const gali_model_layer *layer, const double *expected, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double weight = (double)gali_model_weight(layer, i);
        if (weight > expected[i] || weight < expected[i]) {
            fail_msg("weight %zu is %g, %g expected", i, weight, expected[i]);
        }
    }
}

/* Two experts' weights, blended by an input: weights first, outputs first, at once. */
static void spellings_of_a_blend_are_one_layer(void **state) {
    (void)state;
    static const char *const heads[] = {
        "%4: f32[...] = Einsum (%1, %2) equation:word=\"be,enk->bnk\"\n"
        "%5: f32[...] = Einsum (%4, %0) equation:word=\"bnk,bk->bn\"\n",
        "%4: f32[...] = Einsum (%2, %0) equation:word=\"enk,bk->ben\"\n"
        "%5: f32[...] = Einsum (%4, %1) equation:word=\"ben,be->bn\"\n",
        "%4: f32[...] = Identity (%0)\n%5: f32[...] = Einsum (%4, %2, %1) equation:word=\"bk,enk,be->bn\"\n",
    };
    static const double weights[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        char text[1024] =
            "symbol batch 1..64\ninput %0 \"x\": f32[batch, 3]\ninput %1 \"blend\": f32[batch, 2]\n"
            "constant %2: f32[2, 2, 3] = 1 2 3 4 5 6 7 8 9 10 11 12\n"
            "constant %3: f32[2, 2] = 1 -1 2 -3\n";
        strcat(text, heads[i]);
        strcat(text, "%6: f32[...] = MatMul (%1, %3)\n%7: f32[...] = Add (%5, %6)\n%8: f32[...] = Relu "
                     "(%7)\noutput %8\n");
        found f = expect_model(text);
        assert_int_equal(f.model.gate, GAL_GATE_CALLER);
        assert_string_equal(f.report.gate_input, "blend");
        assert_int_equal(f.model.experts, 2);
        assert_int_equal(f.model.layer_count, 1);
        assert_int_equal(f.model.layers[0].activation, GALI_ACTIVATION_RELU);
        assert_numbers(&f.model.layers[0], weights, 12);
        assert_true(gali_model_f32(f.model.layers[0].biases, 3) <= -3 &&
                    gali_model_f32(f.model.layers[0].biases, 3) >= -3);
        assert_non_null(strstr(f.model.contract, contract_free));
        gali_release(NULL, f.image, f.size);
    }
}

static void normalisation_is_found(void **state) {
    (void)state;
    static const char *const lines[] = {
        "%4: f32[...] = Sub (%0, %1)\n%5: f32[...] = Div (%4, %2)\n",
        "%4: f32[...] = Sub (%0, %1)\n%5: f32[...] = Identity (%4)\n",
        "%4: f32[...] = Neg (%0)\n%5: f32[...] = Neg (%4)\n",
    };
    for (int i = 0; i < 3; i++) {
        char text[1024] = "symbol batch 1..64\ninput %0 \"x\": f32[batch, 2]\nconstant %1: f32[2] = 3 4\n"
                          "constant %2: f32[2] = 2 8\nconstant %3: f32[2, 1] = 1 1\n";
        strcat(text, lines[i]);
        strcat(text, "%6: f32[...] = MatMul (%5, %3)\n%7: f32[...] = Tanh (%6)\noutput %7\n");
        found f = expect_model(text);
        assert_int_equal(f.report.input_normalised, i < 2);
        assert_int_equal((int)gali_model_f32(f.model.input_mean, 1), i < 2 ? 4 : 0);
        assert_int_equal((int)gali_model_f32(f.model.input_std, 1), i == 0 ? 8 : 1);
        gali_release(NULL, f.image, f.size);
    }
}

/* Rows that touch each other, and attention: an error with the place, and no file. */
static void what_is_no_network_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *lines, *words;
    } wrong[] = {
        {"constant %1: i64[1] = 0\n%2: f32[...] = ReduceMean (%0, %1)\n%3: f32[...] = Sub (%0, %2)\n"
         "%4: f32[...] = Tanh (%3)\noutput %4\n",
         "do not compute what the graph does"},
        {"%1: f32[...] = Einsum \"gram\" (%0, %0) equation:word=\"bi,bi->b\"\nconstant %2: i64[2] = -1 1\n"
         "%3: f32[...] = Reshape (%1, %2)\noutput %3\n",
         "\"gram\" (Einsum): a sum over products of rows"},
        {"%1: f32[...] = Softsign \"s\" (%0)\noutput %1\n",
         "\"s\" (Softsign): neither linear nor an activation"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[1024] = "symbol batch 1..64\ninput %0 \"x\": f32[batch, 2]\n";
        strcat(text, wrong[i].lines);
        found f = recognise(text);
        assert_null(f.image);
        if (!strstr(f.error.message, wrong[i].words)) {
            fail_msg("\"%s\", expected \"%s\"", f.error.message, wrong[i].words);
        }
    }
}

static void expect_refused(const char *text, const char *words) {
    found f = recognise(text);
    if (f.image || !strstr(f.error.message, words)) {
        fail_msg("\"%s\", expected \"%s\"", f.image ? "a model" : f.error.message, words);
    }
}

/* Ports that no model has, and a norm that trains: each would be read past its end, or as another network. */
static void ports_are_rows_of_floats(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
    } wrong[] = {
        {"input %0 \"x\": f32[...]\n%1: f32[...] = Tanh (%0)\noutput %1\n",
         "\"x\": a tensor with a shape expected"},
        {"input %0 \"x\": i64[2, 2]\n%1: f32[2, 2] = Cast (%0) to:int=1\noutput %1\n",
         "\"x\": numbers of type i64, float expected"},
        {"symbol n 1..9\ninput %0 \"x\": f32[2, n]\n%1: f32[2, n] = Tanh (%0)\noutput %1\n",
         "\"x\": dimension 1 is no number"},
        {"input %0 \"\": f32[2, 2]\n%1: f32[2, 2] = Tanh (%0)\noutput %1\n", "an input without a name"},
        {"input %0 \"x\": f32[2, 2]\ninput %1 \"z\": f32[3, 2]\n%2: f32[2, 2] = Tanh (%0)\n"
         "%3: f32[3, 2] = Tanh (%1)\noutput %2\noutput %3\n",
         "\"z\": 3 rows, the batch has 2"},
        {"input %0 \"x\": f32[2, 3]\n%1 \"turned\": f32[3, 2] = Transpose (%0)\noutput %1\n",
         "output \"turned\" has not a row for each row of the input"},
        {"input %0 \"x\": f32[2, 3]\nconstant %1: f32[3] = 1 2 3\n%2: f32[2, 3], %3: f32[3], %4: f32[3] = "
         "BatchNormalization \"norm\" (%0, %1, %1, %1, %1) training_mode:int=1\noutput %2\n",
         "\"norm\" (BatchNormalization): in training mode"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        expect_refused(wrong[i].text, wrong[i].words);
    }
}

/* A network has 16 inputs and outputs at most: what is more has no place. */
static void ports_are_few(void **state) {
    enum { MANY = 17 };
    (void)state;
    char inputs[2048] = "", outputs[2048] = "input %0 \"x\": f32[1, 2]\n";
    for (int i = 0; i < MANY; i++) {
        snprintf(inputs + strlen(inputs), sizeof inputs - strlen(inputs), "input %%%d \"x%d\": f32[1, 2]\n", i,
                 i);
        snprintf(outputs + strlen(outputs), sizeof outputs - strlen(outputs), "%%%d: f32[1, 2] = Tanh (%%0)\n",
                 i + 1);
    }
    strcat(inputs, "%17: f32[1, 2] = Tanh (%0)\noutput %17\n");
    expect_refused(inputs, "more than 16 inputs");
    for (int i = 0; i < MANY; i++) {
        snprintf(outputs + strlen(outputs), sizeof outputs - strlen(outputs), "output %%%d\n", i + 1);
    }
    expect_refused(outputs, "17 outputs, 1..16 expected");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spellings_of_a_blend_are_one_layer),
        cmocka_unit_test(normalisation_is_found),
        cmocka_unit_test(what_is_no_network_is_refused),
        cmocka_unit_test(ports_are_rows_of_floats),
        cmocka_unit_test(ports_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
