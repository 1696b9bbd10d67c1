/*
 * Graphs in linear form compute what they computed: each operator that is spelled anew, run through the form and by its
 * own truth.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "recognise/spell.h"

enum { ROWS = 2, NUMBERS_MAX = 512 };

/* Lines behind an input %0 of [batch, 2, 3]; the last value is the output. */
static const struct {
    const char *name, *lines;
    int kept; /* what follows x is not linear */
} cases[] = {
    {"Add", "constant %1: f32[3] = 1 2 4\n%2: f32[...] = Add (%0, %1)\n", 0},
    {"Sub", "constant %1: f32[2, 1] = 1 2\n%2: f32[...] = Sub (%1, %0)\n", 0},
    {"Sum", "constant %1: f32[] = 3\n%2: f32[...] = Sum (%0, %1, %0)\n", 0},
    {"Mean", "constant %1: f32[3] = 1 2 4\n%2: f32[...] = Mean (%0, %1, %0)\n", 0},
    {"Neg", "%1: f32[...] = Neg (%0)\n", 0},
    {"Mul", "constant %1: f32[2, 3] = 1 2 3 4 5 6\n%2: f32[...] = Mul (%1, %0)\n", 0},
    {"Mul of rows", "%1: f32[...] = Mul (%0, %0)\n", 0},
    {"Div", "constant %1: f32[3] = 3 7 9\n%2: f32[...] = Div (%0, %1)\n", 0},
    {"Identity", "%1: f32[...] = Identity (%0)\n%2: f32[...] = Neg (%1)\n", 0},
    {"Dropout", "%1: f32[...] = Dropout (%0)\n%2: f32[...] = Neg (%1)\n", 0},
    {"Cast", "%1: f64[...] = Cast (%0) to:int=11\n%2: f64[...] = Neg (%1)\n", 0},
    {"Cast of integers",
     "%1: i64[...] = Cast (%0) to:int=7\n%2: f32[...] = Cast (%1) to:int=1\n%3: f32[...] = Add (%2, %0)\n", 1},
    {"PRelu", "constant %1: f32[2, 1] = 0.5 -2\n%2: f32[...] = PRelu (%0, %1)\n", 1},
    {"MatMul", "constant %1: f32[3, 2] = 1 2 3 4 5 6\n%2: f32[...] = MatMul (%0, %1)\n", 0},
    {"MatMul of a list", "constant %1: f32[2] = 1 2\n%2: f32[...] = MatMul (%1, %0)\n", 0},
    {"Gemm",
     "constant %1: f32[6, 2] = 1 2 3 4 5 6 7 8 9 10 11 12\nconstant %2: f32[2] = 7 8\n%3: f32[...] = Flatten "
     "(%0)\n"
     "%4: f32[...] = Gemm (%3, %1, %2) alpha:number=0.5 beta:number=2\n",
     0},
    {"Gemm turned",
     "constant %1: f32[2, 6] = 1 2 3 4 5 6 7 8 9 10 11 12\n%2: f32[...] = Flatten (%0)\n%3: f32[...] = "
     "Transpose (%2)\n"
     "%4: f32[...] = Gemm (%3, %1) transA:int=1 transB:int=1\n",
     0},
    {"Einsum",
     "constant %1: f32[2, 3] = 1 2 3 4 5 6\n%2: f32[...] = Einsum (%0, %1) equation:word=\"b i j, ij -> bj\"\n",
     0},
    {"Einsum of three",
     "constant %1: f32[2, 2] = 1 2 3 4\nconstant %2: f32[3] = 5 6 7\n"
     "%3: f32[...] = Einsum (%0, %1, %2) equation:word=\"bij,ik,j->bk\"\n",
     0},
    {"Einsum with dots",
     "constant %1: f32[3] = 1 2 3\n%2: f32[...] = Einsum (%0, %1) equation:word=\"...j,j->...\"\n", 1},
    {"ReduceSum", "constant %1: i64[1] = -1\n%2: f32[...] = ReduceSum (%0, %1) keepdims:int=0\n", 0},
    {"ReduceSum of nothing",
     "%1: f32[...] = ReduceSum (%0) noop_with_empty_axes:int=1\n%2: f32[...] = Neg (%1)\n", 0},
    {"ReduceMean", "constant %1: i64[2] = 1 2\n%2: f32[...] = ReduceMean (%0, %1)\n", 0},
    {"Softmax", "%1: f32[...] = Softmax (%0) axis:int=1\n", 1},
    {"LayerNormalization",
     "constant %1: f32[2, 3] = 1 2 3 4 5 6\nconstant %2: f32[3] = 7 8 9\n"
     "%3: f32[...] = LayerNormalization (%0, %1, %2) axis:int=1 epsilon:number=0.01\n",
     1},
    {"BatchNormalization",
     "constant %1: f32[2] = 1 2\nconstant %2: f32[2] = 3 4\nconstant %3: f32[2] = 5 6\nconstant %4: f32[2] = 7 "
     "8\n"
     "%5: f32[...] = BatchNormalization (%0, %1, %2, %3, %4)\n",
     0},
    {"Reshape", "constant %1: i64[3] = 0 3 -1\n%2: f32[...] = Reshape (%0, %1)\n", 0},
    {"Flatten", "%1: f32[...] = Flatten (%0)\n", 0},
    {"Unsqueeze and Squeeze",
     "constant %1: i64[2] = 1 -1\n%2: f32[...] = Unsqueeze (%0, %1)\nconstant %3: i64[1] = 1\n"
     "%4: f32[...] = Squeeze (%2, %3)\n",
     0},
    {"Transpose", "%1: f32[...] = Transpose (%0) perm:ints=0,2,1\n", 0},
    {"Expand", "constant %1: i64[4] = 2 1 1 3\n%2: f32[...] = Expand (%0, %1)\n", 0},
    {"Tile", "constant %1: i64[3] = 1 3 2\n%2: f32[...] = Tile (%0, %1)\n", 0},
    {"Concat", "%1: f32[...] = Neg (%0)\n%2: f32[...] = Concat (%0, %1, %0) axis:int=-1\n", 0},
    {"Split",
     "constant %1: i64[2] = 1 2\n%2: f32[...], %3: f32[...] = Split (%0, %1) axis:int=2\n"
     "%4: f32[...] = Concat (%3, %2) axis:int=2\n",
     0},
    {"Slice",
     "constant %1: i64[2] = -1 0\nconstant %2: i64[2] = -9 9\nconstant %3: i64[2] = 2 1\nconstant %4: i64[2] = "
     "-2 1\n"
     "%5: f32[...] = Slice (%0, %1, %2, %3, %4)\n",
     0},
    {"Slice without steps",
     "constant %1: i64[3] = 0 1 1\nconstant %2: i64[3] = 9 2 3\n%3: f32[...] = Slice (%0, %1, %2)\n", 0},
    {"Gather", "constant %1: i64[2, 2] = 2 0 -1 -1\n%2: f32[...] = Gather (%0, %1) axis:int=2\n", 0},
    {"GatherND",
     "%1: f32[...] = Transpose (%0) perm:ints=1,2,0\nconstant %2: i64[3, 2] = 0 2 1 0 -1 -2\n"
     "%3: f32[...] = GatherND (%1, %2)\n%4: f32[...] = Transpose (%3)\n",
     0},
    {"shapes are numbers",
     "%1: i64[...] = Shape (%0)\nconstant %2: i64[1] = 0\n%3: i64[...] = Gather (%1, %2)\nconstant %4: i64[1] "
     "= -1\n"
     "%5: i64[...] = Concat (%3, %4) axis:int=0\n%6: f32[...] = Reshape (%0, %5)\n",
     0},
};

/* A case's graph; the caller releases the arena. */
static gali_graph *graph_of(const char *name, const char *lines, gali_arena *arena) {
    char text[2048];
    gal_error error = {0};
    gali_graph *graph;
    const char *last = lines; /* line that starts with a value */
    for (const char *at = lines; *at; at += strcspn(at, "\n") + 1) {
        last = *at == '%' ? at : last;
    }
    snprintf(text, sizeof text, "symbol batch 1..8\ninput %%0 \"x\": f32[batch, 2, 3]\n%soutput %.*s\n", lines,
             (int)strcspn(last, ":"), last);
    if (gali_graph_parse(&graph, text, strlen(text), arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK) {
        fail_msg("%s: %s", name, error.message);
    }
    return graph;
}

/* Whether all that lies between the form's input and a value is linear. */
static int is_linear(const gali_form *form, uint32_t value) {
    const gali_maker maker = gali_maker_of(form, value);
    int linear = maker.constant || maker.kind == GALI_MAKER_GIVEN || gali_maker_is_linear(&maker);
    for (uint32_t i = 0; linear && !maker.constant && i < maker.operand_count; i++) {
        linear = is_linear(form, maker.operands[i]);
    }
    return linear;
}

static void check_case(const char *name, const char *lines, int kept) {
    gali_arena arena = {0};
    gali_graph *graph = graph_of(name, lines, &arena);
    gal_error error = {0};
    gali_allowance allowance = {.memory_left = 1 << 24, .work_left = 1e6, .error = &error};
    gali_form form;
    double x[ROWS * 6], y[NUMBERS_MAX];
    gali_tensor input = {.element = GALI_f32, .rank = 3, .shape = {ROWS, 2, 3}, .count = ROWS * 6, .real = x};
    gali_tensor output = {.real = NULL};
    for (int i = 0; i < ROWS * 6; i++) {
        x[i] = sin(i + 1.0) * 3;
    }
    if (!gali_spell_graph(&form, &allowance, &arena, graph, ROWS)) {
        fail_msg("%s: %s", name, error.message);
    }
    uint32_t value = form.outputs[0].value;
    if (is_linear(&form, value) == kept) {
        fail_msg("%s: %s", name, kept ? "linear, something else expected" : "not linear");
    }
    assert_true(gali_form_count(&form, value) <= NUMBERS_MAX);
    if (!gali_form_run(&form, form.inputs[0].value, x, value, y) ||
        !gali_form_evaluate(&allowance, graph, &input, &output)) {
        fail_msg("%s: %s", name, error.message);
    }
    assert_int_equal(output.count, gali_form_count(&form, value));
    for (size_t i = 0; i < output.count; i++) {
        if (!(fabs(output.real[i] - y[i]) <= 1e-12 * (1 + fabs(y[i])))) {
            fail_msg("%s: number %zu is %.17g, by the form %.17g", name, i, output.real[i], y[i]);
        }
    }
    gali_form_release(&output);
    gali_allowance_release(&allowance);
    gali_arena_release(&arena);
}

static void forms_compute_the_same(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(cases[i].name, cases[i].lines, cases[i].kept);
    }
}

/* Each is refused at its operator, by name. */
static void what_is_no_network_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *lines, *words;
    } wrong[] = {
        {"constant %1: bool[] = 1\n%2: f32[...] = If \"i\" (%1, %0)\nbody\ninput %0: f32[...]\noutput %0\nend\n"
         "body\ninput %0: f32[...]\noutput %0\nend\n",
         "\"i\" (If): control flow"},
        {"constant %1: f32[2] = 1 2\n%2: f32[...] = Neg (%1)\n", "depends on no input"},
        {"%1: i64[...] = Shape (%0)\n", "depends on no input"},
        {"%1: i64[...] = Cast (%0) to:int=7\n", "is not of floats"},
        {"constant %1: f32[1] = 0x7ff0000000000000\n%2: f32[...] = Add (%0, %1)\n", "number 0 is not finite"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gali_arena arena = {0};
        gal_error error = {0};
        gali_allowance allowance = {.memory_left = 1 << 24, .work_left = 1e6, .error = &error};
        gali_form form;
        gali_graph *graph = graph_of(wrong[i].words, wrong[i].lines, &arena);
        assert_false(gali_spell_graph(&form, &allowance, &arena, graph, ROWS));
        if (!strstr(error.message, wrong[i].words)) {
            fail_msg("\"%s\", expected \"%s\"", error.message, wrong[i].words);
        }
        gali_allowance_release(&allowance);
        gali_arena_release(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_compute_the_same),
        cmocka_unit_test(what_is_no_network_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
