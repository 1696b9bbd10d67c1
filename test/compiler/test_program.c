/* A program's source: groups that differ in their tensors alone share a function, and each still finds its own weights. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "program_check.h"

/* Two layers of four by four, and one of four by two. */
static const char *const layers = "symbol n 1..9\ninput %0 \"x\": f32[n, 4]\n"
                                  "constant %1: f32[4, 4] = 1 2 -1 0.5 0.25 -2 1 1 3 -1 0 2 1 1 -0.5 0.75\n"
                                  "constant %2: f32[4, 4] = 0 1 0 0 1 0 0 0 0 0 0 1 0 0 1 0\n"
                                  "constant %3: f32[4, 2] = 1 0 0 1 1 0 0 1\n"
                                  "%4: f32[n, 4] = MatMul (%0, %1)\n"
                                  "%5: f32[n, 4] = MatMul (%4, %2)\n"
                                  "%6: f32[n, 2] = MatMul (%5, %3)\n"
                                  "output %6\n";

static uint32_t count(const char *text, const char *word) {
    uint32_t found = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        found++;
    }
    return found;
}

static void equal_groups_share_a_function(void **state) {
    (void)state;
    fixture f;
    gali_program *program;
    gali_text parts[GAL_COMPILED_PART_COUNT] = {{0}};
    gali_emit_desc desc = {"model", "a test", 0};
    open_text(&f, layers);
    assert_int_equal(program_make(&f.run, f.graph, NULL, gali_program_layout, &program), GAL_OK);
    assert_int_equal(program->group_count, 3);
    assert_int_equal(gali_emit_program(program, &desc, parts, &f.error), GAL_OK);
    const char *source = parts[GAL_COMPILED_SOURCE].bytes;
    assert_true(count(source, "static void model_0_MatMul") > 0 &&
                count(source, "static void model_2_MatMul") > 0);
    assert_int_equal(count(source, "model_1_MatMul"), 0);
    assert_int_equal(count(source, "/* Group 1: MatMul"), 1); /* the second layer is found where it is called */
    for (int i = 0; i < GAL_COMPILED_PART_COUNT; i++) {
        gali_text_release(&parts[i]);
    }
    gali_arena_release(&f.arena);
}

static void each_finds_its_weights(void **state) {
    (void)state;
    double x[12];
    for (int i = 0; i < 12; i++) {
        x[i] = .25 * i - 1;
    }
    gali_tensor input = {.element = GALI_f32, .rank = 2, .shape = {3, 4}, .count = 12, .real = x};
    check(layers, &input);
}

/* The same weights as they are, in panels, and in panels the other way round: each group finds them in its own layout. */
static void weights_are_there_in_each_layout(void **state) {
    (void)state;
    enum { SIDE = 75, ROWS = 9 }; /* panels are filled up: a row of weights is longer in them */
    static double x[ROWS * SIDE], y[SIDE * SIDE];
    gali_tensor inputs[] = {
        {.element = GALI_f32, .rank = 2, .shape = {ROWS, SIDE}, .count = ROWS * SIDE, .real = x},
        {.element = GALI_f32, .rank = 2, .shape = {SIDE, SIDE}, .count = SIDE * SIDE, .real = y}};
    gali_tensor expected[PORTS_MAX] = {{0}}, compiled[PORTS_MAX] = {{0}};
    gali_text text = {0};
    fixture f;
    gali_program *program;
    gali_text_add(&text,
                  "symbol n 1..64\ninput %%0: f32[n, 75]\ninput %%1: f32[75, 75]\nconstant %%2: f32[75, 75] =");
    for (int i = 0; i < SIDE * SIDE; i++) {
        gali_text_add(&text, " %d", i * 31 % 17 - 8);
        y[i] = i % 5 - 2;
        x[i % (ROWS * SIDE)] = i % 7 - 3;
    }
    gali_text_add(&text,
                  "\n%%3: f32[n, 75] = MatMul (%%0, %%2)\n%%4: f32[n, 75] = Gemm (%%0, %%2) transB:int=1\n"
                  "%%5: f32[75, 75] = Mul (%%1, %%2)\noutput %%3\noutput %%4\noutput %%5\n");
    open_text(&f, text.bytes);
    const gali_target *target = gali_target_find("native", &f.error);
    assert_int_equal(gali_graph_evaluate(&f.run, f.graph, inputs, expected), GAL_OK);
    assert_int_equal(program_make(&f.run, f.graph, target, gali_program_layout, &program), GAL_OK);
    assert_int_equal(run_c(&f, program, inputs, expected, compiled), 0);
    for (uint32_t i = 0; i < f.graph->output_count; i++) {
        compare(&compiled[i], &expected[i], "C");
        gali_tensor_release(&f.run, &expected[i]);
        gali_tensor_release(&f.run, &compiled[i]);
    }
    gali_text_release(&text);
    gali_arena_release(&f.arena);
}

/* Windows over the border read zeros that the run has put around what an earlier group makes, at any size. */
static void windows_find_zeros(void **state) {
    (void)state;
    enum { CHANNELS = 4, TAPS = 9, WIDTH = 7 };
    gali_text text = {0};
    gali_text_add(&text, "symbol h 5..9\ninput %%0: f32[1, 4, h, 7]\nconstant %%1: f32[4, 4, 3, 3] =");
    for (int i = 0; i < CHANNELS * CHANNELS * TAPS; i++) {
        gali_text_add(&text, " %d", i * 5 % 7 - 3);
    }
    gali_text_add(&text, "\n%%2: f32[1, 4, h, 7] = Conv (%%0, %%1) pads:ints=1,1,1,1\n"
                         "%%3: f32[1, 4, h, 7] = Conv (%%2, %%1) pads:ints=1,1,1,1\noutput %%3\n");
    for (int64_t h = 5; h <= 9; h += 2) {
        double x[CHANNELS * 9 * WIDTH];
        for (int i = 0; i < CHANNELS * 9 * WIDTH; i++) {
            x[i] = i % 5 - 2;
        }
        const gali_tensor input = {.element = GALI_f32,
                                   .rank = 4,
                                   .shape = {1, CHANNELS, h, WIDTH},
                                   .count = (size_t)(CHANNELS * h * WIDTH),
                                   .real = x};
        check(text.bytes, &input);
    }
    gali_text_release(&text);
}

/* A causal attention of open sizes has many variables; it stays within the limits of loops. */
static void attention_is_in_vectors(void **state) {
    (void)state;
    static const char *const ranges[] = {"symbol n 1..64\nsymbol t 1..1024\n",
                                         "symbol n 1..64\nsymbol t 1..64\n"};
    static const char *const text =
        "input %0 \"x\": f32[n, t, 192]\n"
        "constant %1: i64[5] = 0 0 3 4 16\nconstant %2: i64[1] = 0\n"
        "%3: f32[n, t, 3, 4, 16] = Reshape (%0, %1)\n"
        "%4: f32[3, n, 4, t, 16] = Transpose (%3) perm:ints=2,0,3,1,4\n"
        "%5: f32[1, n, 4, t, 16], %6: f32[1, n, 4, t, 16], %7: f32[1, n, 4, t, 16] = Split (%4) axis:int=0\n"
        "%8: f32[n, 4, t, 16] = Squeeze (%5, %2)\n%9: f32[n, 4, t, 16] = Squeeze (%6, %2)\n"
        "%10: f32[n, 4, t, 16] = Squeeze (%7, %2)\n"
        "%11: f32[n, 4, t, 16] = Attention (%8, %9, %10) is_causal:int=1\n"
        "%12: f32[n, t, 4, 16] = Transpose (%11) perm:ints=0,2,1,3\noutput %12\n";
    for (uint32_t i = 0; i < 2 * gali_target_count; i++) {
        gali_text whole = {0};
        fixture f;
        gali_program *program;
        gali_lowered lowered;
        gali_text_add(&whole, "%s%s", ranges[i % 2], text);
        open_text(&f, whole.bytes);
        assert_int_equal(program_make(&f.run, f.graph, &gali_targets[i / 2], gali_program_layout, &program),
                         GAL_OK);
        for (uint32_t group = 0; group < program->group_count; group++) {
            assert_int_equal(gali_program_lower(program, group, program->arena, &lowered, &f.error), GAL_OK);
            assert_string_equal(f.error.message, "");
        }
        gali_text_release(&whole);
        gali_arena_release(&f.arena);
    }
}

/* A chain of operators is one expression only as deep as loops have them. */
static void long_chains_are_lowered(void **state) {
    (void)state;
    enum { LENGTH = 150 };
    fixture f;
    gali_program *program;
    gali_lowered lowered;
    gali_text text = {0};
    gali_text_add(&text, "input %%0 \"x\": f32[8]\n");
    for (int i = 1; i <= LENGTH; i++) {
        gali_text_add(&text, "%%%d: f32[8] = Tanh (%%%d)\n", i, i - 1);
    }
    gali_text_add(&text, "output %%%d\n", LENGTH);
    open_text(&f, text.bytes);
    assert_int_equal(program_make(&f.run, f.graph, NULL, gali_program_layout, &program), GAL_OK);
    for (uint32_t group = 0; group < program->group_count; group++) {
        assert_int_equal(gali_program_lower(program, group, program->arena, &lowered, &f.error), GAL_OK);
    }
    gali_text_release(&text);
    gali_arena_release(&f.arena);
}

/* Where pictures of a batch pass the limit of elements, the batch gives way, down to a few, then the largest side. */
static void batches_give_way(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t batch, side;
    } cases[] = {{"input %0 \"x\": f32[b, 32, h, w]\n%1: f32[...] = Relu (%0)\noutput %1\n", 16, 1024},
                 {"input %0 \"x\": f32[b, 512, h, w]\n%1: f32[...] = Relu (%0)\noutput %1\n", 16, 256},
                 {"input %0 \"x\": f32[b, 3, 8, h]\ninput %1 \"y\": f32[w]\n%2: f32[...] = Relu (%0)\n"
                  "%3: f32[...] = Relu (%1)\noutput %2\noutput %3\n",
                  1024, 1024}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        gali_program *program;
        gali_text text = {0};
        gali_text_add(&text, "symbol b 1..1024\nsymbol h 1..1024\nsymbol w 1..1024\n%s", cases[i].text);
        open_text(&f, text.bytes);
        assert_int_equal(program_make(&f.run, f.graph, NULL, gali_program_layout, &program), GAL_OK);
        assert_int_equal(program->most[0], cases[i].batch);
        assert_int_equal(program->most[1], cases[i].side);
        gali_text_release(&text);
        gali_arena_release(&f.arena);
    }
}

/* Values and nodes may have the names of sizes, functions, types and, with their number, of macros of <math.h>. */
static void any_name_of_a_value_compiles(void **state) {
    (void)state;
    static const char *const names[] = {"size", "M_PI", "at", "item", "int", "gali_one", "7", "*/"};
    double x[12] = {-1, 2, -3, 4, 5, -6, 7, 8, -9, 10, -11, 12};
    gali_tensor input = {.element = GALI_f32, .rank = 2, .shape = {4, 3}, .count = 12, .real = x};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        gali_text text = {0};
        gali_text_add(&text, "symbol n 1..9\ninput %%0 \"%s\": f32[4, n]\n", names[i]);
        gali_text_add(&text, "%%1 \"%s\": f32[4, n] = Relu \"%s\" (%%0) \n", names[i], names[i]);
        gali_text_add(&text, "%%2 \"%s\": f32[4, n] = Neg (%%1)\noutput %%1\noutput %%2\n", names[i]);
        check(text.bytes, &input);
        gali_text_release(&text);
    }
}

/* Determinants of six rows are within the limits of loops; those of seven are only evaluated. */
static void determinants_compile_up_to_six_rows(void **state) {
    (void)state;
    double x[2 * 6 * 6];
    for (int i = 0; i < 72; i++) {
        x[i] = (i * 37 + i * i % 11) % 17 / 4. - 2;
    }
    gali_tensor input = {.element = GALI_f32, .rank = 3, .shape = {2, 6, 6}, .count = 72, .real = x};
    check("input %0 \"x\": f32[2, 6, 6]\n%1: f32[2] = Det (%0)\noutput %1\n", &input);
    for (uint32_t i = 0; i < 2 * gali_target_count; i++) {
        fixture f;
        gali_program *program;
        gali_lowered lowered;
        int more = i % 2;
        open_text(&f, more ? "input %0 \"x\": f32[2, 7, 7]\n%1: f32[2] = Det (%0)\noutput %1\n"
                           : "input %0 \"x\": f64[n, 6, 6]\n%1: f64[n] = Det (%0)\noutput %1\n");
        gal_status status = program_make(&f.run, f.graph, &gali_targets[i / 2], gali_program_layout, &program);
        assert_int_equal(status, more ? GAL_UNSUPPORTED : GAL_OK);
        if (more) {
            assert_string_equal(f.error.message,
                                "node 0 \"\" (Det): it can be evaluated, but not yet compiled");
        }
        for (uint32_t group = 0; !more && group < program->group_count; group++) {
            if (gali_program_lower(program, group, program->arena, &lowered, &f.error) != GAL_OK) {
                fail_msg("%s", f.error.message);
            }
        }
        gali_arena_release(&f.arena);
    }
}

/* So may sizes: "t" would be C's own type, others the same word, and one would end a comment. */
static void any_name_of_a_size_compiles(void **state) {
    (void)state;
    static const char *const names[] = {"t", "/t", "a.b", "a_b", "*/ /", "8"};
    static const char text[] = "input %0 \"x\": f32[1, 1, 1, 1, 1, 1]\n%1: f32[...] = Relu (%0)\noutput %1\n";
    fixture f = {.graph = NULL};
    gali_program *program;
    f.run = (gali_run){.memory_left = GALI_RUN_MEMORY, .work_left = 1e9, .error = &f.error};
    assert_int_equal(gali_graph_parse(&f.graph, text, strlen(text), &f.arena, &f.error), GAL_OK);
    gali_type *type = &f.graph->values[f.graph->inputs[0]].type;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        type->shape[i] = gali_extent_symbol(f.graph->extents, names[i], 1, 9);
    }
    assert_int_equal(gali_graph_infer(f.graph, &f.error), GAL_OK);
    assert_int_equal(program_make(&f.run, f.graph, NULL, gali_program_layout, &program), GAL_OK);
    dlclose(program_build(program));
    gali_arena_release(&f.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(equal_groups_share_a_function),
                                       cmocka_unit_test(each_finds_its_weights),
                                       cmocka_unit_test(weights_are_there_in_each_layout),
                                       cmocka_unit_test(windows_find_zeros),
                                       cmocka_unit_test(attention_is_in_vectors),
                                       cmocka_unit_test(long_chains_are_lowered),
                                       cmocka_unit_test(batches_give_way),
                                       cmocka_unit_test(any_name_of_a_value_compiles),
                                       cmocka_unit_test(any_name_of_a_size_compiles),
                                       cmocka_unit_test(determinants_compile_up_to_six_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
