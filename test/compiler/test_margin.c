/* Margins of zeros: who has one, that no sum tests where it reads, and that no bit changes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "program_run.h"

static void add_constant(gali_text *text, uint32_t number, const char *shape, uint32_t count) {
    gali_text_add(text, "constant %%%u: f32[%s] =", number, shape);
    for (uint32_t i = 0; i < count; i++) {
        gali_text_add(text, " %.8g", 0.1 * (double)(i * 7919 % 31) - 1.4);
    }
    gali_text_add(text, "\n");
}

/* A stem, a window over each of its channels, and of that a wider one that leaves out what its steps do not reach. */
static gali_graph *network(gali_arena *arena, const char *sizes) {
    gali_text text = {0};
    gali_graph *graph;
    gal_error error = {0};
    gali_text_add(&text, "symbol H 1..64\nsymbol W 1..64\ninput %%0 \"x\": f32[2, 3, %s]\n", sizes);
    add_constant(&text, 1, "24, 3, 7, 7", 24 * 3 * 49);
    add_constant(&text, 2, "24, 1, 3, 3", 24 * 9);
    add_constant(&text, 3, "16, 24, 3, 3", 16 * 24 * 9);
    gali_text_add(&text, "%%4 \"stem\": f32[...] = Conv (%%0, %%1) pads:ints=3,3,3,3 strides:ints=2,2\n"
                         "%%5 \"relu\": f32[...] = Relu (%%4)\n"
                         "%%6 \"each\": f32[...] = Conv (%%5, %%2) pads:ints=1,1,1,1 group:int=24\n"
                         "%%7 \"far\": f32[...] = Conv (%%6, %%3) pads:ints=1,2,0,2 strides:ints=3,1 "
                         "dilations:ints=1,2\n"
                         "%%8 \"sum\": f32[...] = Add (%%5, %%6)\noutput %%7\noutput %%8\n");
    if (gali_graph_parse(&graph, text.bytes, text.size, arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gali_text_release(&text);
    return graph;
}

/* Channels stay before rows: then the contiguous axis is one that windows leave, and nothing has a margin. */
static gal_status rows_last(gali_program *program, gal_error *error) {
    program->without = GALI_WITHOUT_LAYOUT;
    return gali_program_layout(program, error);
}

static int has_choice(const gali_scalar *a) {
    int has = a && a->op == GALI_SCALAR_select;
    for (int i = 0; a && !has && i < 3; i++) {
        has = has_choice(a->operand[i]);
    }
    return has;
}

static void test_sums_have_no_tests(void **state) {
    static const char *const sizes[] = {"31, 46", "H, W"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        gali_arena arena = {0};
        gal_error error = {0};
        gali_program *p;
        gali_run run = {.error = &error};
        uint32_t margins = 0;
        gali_graph *graph = network(&arena, sizes[i]);
        assert_int_equal(program_make(&run, graph, NULL, gali_program_layout, &p), GAL_OK);
        for (uint32_t s = 0; s < p->stage_count; s++) {
            assert_false(!p->stages[s].gone && has_choice(p->stages[s].value));
            margins += !p->stages[s].gone && gali_program_margin(p, p->stages[s].tensor).rank > 0;
        }
        assert_int_equal(margins, 3); /* the input's copy, and what the first two make */
        for (uint32_t g = 0; g < p->group_count; g++) {
            gali_lowered lowered;
            gali_text text = {0};
            p->target = gali_target_find("x86-64-v3", &error);
            assert_int_equal(gali_program_lower(p, g, p->arena, &lowered, &error), GAL_OK);
            gali_loop_print(lowered.function, &text);
            assert_null(strstr(text.bytes, "[?")); /* an index that is tested */
            gali_text_release(&text);
        }
        gali_arena_release(&arena);
    }
}

/* Patches of a picture end where it ends, or before: no guard is left, and the picture is not copied. */
static void test_patches_are_inside(void **state) {
    gali_arena arena = {0};
    gali_text text = {0};
    gali_graph *graph;
    gal_error error = {0};
    gali_program *p;
    gali_run run = {.error = &error};
    uint32_t stages = 0;
    (void)state;
    gali_text_add(&text, "symbol H 4..64\nsymbol W 4..64\ninput %%0 \"x\": f32[1, 3, H, W]\n");
    add_constant(&text, 1, "8, 3, 4, 4", 8 * 3 * 16);
    gali_text_add(&text, "%%2 \"patch\": f32[...] = Conv (%%0, %%1) strides:ints=4,4\noutput %%2\n");
    assert_int_equal(gali_graph_parse(&graph, text.bytes, text.size, &arena, &error), GAL_OK);
    assert_int_equal(gali_graph_infer(graph, &error), GAL_OK);
    assert_int_equal(program_make(&run, graph, NULL, gali_program_layout, &p), GAL_OK);
    for (uint32_t s = 0; s < p->stage_count; s++) {
        stages += !p->stages[s].gone && p->stages[s].reduced;
        assert_false(!p->stages[s].gone && has_choice(p->stages[s].value));
    }
    assert_int_equal(stages, 1);
    assert_int_equal(p->group_count, 1);
    gali_text_release(&text);
    gali_arena_release(&arena);
}

static void run_at(int64_t height, int64_t width) {
    gali_arena arena = {0};
    gal_error error = {0};
    gali_graph *graph = network(&arena, "H, W");
    gali_tensor x = {.element = GALI_f32, .rank = 4, .shape = {2, 3, height, width}}, truth[2], plain[2], y[2];
    x.count = (size_t)(6 * height * width);
    double *numbers = malloc(x.count * sizeof *numbers);
    for (size_t i = 0; i < x.count; i++) {
        numbers[i] = (double)(float)((double)(i * 7907 % 2011) / 1005 - 1);
    }
    x.real = numbers;
    gali_run run = {.graph = graph, .memory_left = GALI_RUN_MEMORY, .work_left = 1e12, .error = &error};
    assert_int_equal(gali_graph_evaluate(&run, graph, &x, truth), GAL_OK);
    assert_int_equal(program_run_by(&run, graph, NULL, &x, plain, rows_last), GAL_OK);
    for (uint32_t t = 0; t <= gali_target_count; t++) {
        if (program_run(&run, graph, t ? &gali_targets[t - 1] : NULL, &x, y) != GAL_OK) {
            fail_msg("%s", error.message);
        }
        for (int i = 0; i < 2; i++) {
            assert_memory_equal(y[i].real, plain[i].real, y[i].count * sizeof *y[i].real);
            for (size_t k = 0; k < y[i].count; k++) {
                assert_true(fabs(y[i].real[k] - truth[i].real[k]) < 2e-2);
            }
            gali_tensor_release(&run, &y[i]);
        }
    }
    for (int i = 0; i < 2; i++) {
        gali_tensor_release(&run, &truth[i]);
        gali_tensor_release(&run, &plain[i]);
    }
    free(numbers);
    gali_arena_release(&arena);
}

static void test_no_bit_changes(void **state) {
    static const int64_t sizes[][2] = {{3, 1}, {8, 9}, {12, 7}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        run_at(sizes[i][0], sizes[i][1]);
    }
}

enum { POISON = 0xa5, BEHIND = 16 };

/* What stands in the tensor's byte: 0 in the margin, else what was there. */
static int byte_expected(size_t byte, int64_t rank, int64_t bytes, const int64_t *sizes) {
    int64_t element = (int64_t)byte / bytes;
    int made = 1;
    for (int64_t d = rank; d-- > 0; element /= sizes[3 * d + 2]) {
        int64_t at = element % sizes[3 * d + 2] - sizes[3 * d];
        made &= at >= 0 && at < sizes[3 * d + 1];
    }
    return made ? POISON : 0;
}

/* Margins before, behind, on both sides, on no side; of what has no element, too. What is made and what is behind stays. */
static void test_what_is_set(void **state) {
    static const struct {
        int64_t rank, bytes, sizes[9];
    } cases[] = {
        {0, 24, {0}},
        {1, 12, {2, 3, 7}},
        {2, 4, {1, 2, 4, 0, 5, 6}},
        {2, 8, {0, 3, 3, 2, 1, 3}},
        {2, 8, {1, 0, 2, 1, 2, 4}},
        {3, 4, {1, 2, 3, 0, 2, 2, 2, 3, 6}},
        {3, 20, {0, 2, 3, 1, 2, 3, 1, 1, 2}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char tensor[1024];
        size_t bytes = (size_t)cases[i].bytes;
        for (int64_t d = 0; d < cases[i].rank; d++) {
            bytes *= (size_t)cases[i].sizes[3 * d + 2];
        }
        assert_true(bytes + BEHIND <= sizeof tensor);
        memset(tensor, POISON, sizeof tensor);
        gali_set_margin(tensor, cases[i].rank, cases[i].bytes, cases[i].sizes);
        for (size_t k = 0; k < bytes + BEHIND; k++) {
            int expected = k < bytes ? byte_expected(k, cases[i].rank, cases[i].bytes, cases[i].sizes) : POISON;
            assert_int_equal(tensor[k], expected);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_set),
        cmocka_unit_test(test_sums_have_no_tests),
        cmocka_unit_test(test_patches_are_inside),
        cmocka_unit_test(test_no_bit_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
