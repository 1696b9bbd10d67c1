/* The order of tensors in memory, of sums and of loops: which is chosen, and that results have the same bits for any target. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/target.h"
#include "program_run.h"

/* Appends a constant of small numbers that no sum of is exact. */
static void add_constant(gali_text *text, uint32_t number, const char *shape, uint32_t count) {
    gali_text_add(text, "constant %%%u: f32[%s] =", number, shape);
    for (uint32_t i = 0; i < count; i++) {
        gali_text_add(text, " %.8g", (double)(float)(0.1 * (double)(i * 7919 % 31) - 1.4));
    }
    gali_text_add(text, "\n");
}

/* A convolution, a depthwise one, a pool, a concatenation that is an output, too, a convolution, a mean. */
static gali_graph *network(gali_arena *arena) {
    gali_text text = {0};
    gali_graph *graph;
    gal_error error = {0};
    gali_text_add(&text, "symbol b 1..4\nsymbol h 4..64\nsymbol w 4..64\ninput %%0 \"x\": f32[b, 3, h, w]\n");
    add_constant(&text, 1, "32, 3, 3, 3", 32 * 27);
    add_constant(&text, 2, "32, 1, 3, 3", 32 * 9);
    add_constant(&text, 3, "16, 64, 1, 1", 16 * 64);
    gali_text_add(&text,
                  "%%4 \"first\": f32[b, 32, h, w] = Conv (%%0, %%1) pads:ints=1,1,1,1\n"
                  "%%5 \"relu\": f32[b, 32, h, w] = Relu (%%4)\n"
                  "%%6 \"deep\": f32[b, 32, h, w] = Conv (%%5, %%2) group:int=32 pads:ints=1,1,1,1\n"
                  "%%7 \"pool\": f32[b, 32, h, w] = MaxPool (%%6) kernel_shape:ints=3,3 pads:ints=1,1,1,1\n"
                  "%%8 \"both\": f32[b, 64, h, w] = Concat (%%7, %%6) axis:int=1\n"
                  "%%9 \"last\": f32[b, 16, h, w] = Conv (%%8, %%3)\n"
                  "%%10 \"mean\": f32[b, 16, 1, 1] = GlobalAveragePool (%%9)\n"
                  "output %%10\noutput %%8\n");
    if (gali_graph_parse(&graph, text.bytes, text.size, arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gali_text_release(&text);
    return graph;
}

static gali_program *laid_out(gali_graph *graph, gali_arena *arena) {
    gali_program *p;
    gal_error error = {0};
    if (gali_program_make(&p, graph, arena, &error) != GAL_OK || gali_program_fuse(p, &error) != GAL_OK ||
        gali_program_range(p, &error) != GAL_OK || gali_program_layout(p, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return p;
}

static void expect_order(const gali_program *p, uint32_t tensor, const char *expected) {
    gali_text order = {0};
    for (int d = 0; d < p->tensors[tensor].type.rank; d++) {
        gali_text_add(&order, "%u ", p->tensors[tensor].order[d]);
    }
    assert_string_equal(order.bytes, expected);
    gali_text_release(&order);
}

static void test_channels_go_last(void **state) {
    (void)state;
    gali_arena arena = {0};
    const gali_program *p = laid_out(network(&arena), &arena);
    expect_order(p, 0, "0 1 2 3 "); /* the caller's */
    expect_order(p, 8, "0 1 2 3 ");
    expect_order(p, 10, "0 1 2 3 ");
    expect_order(p, 1, "1 2 3 0 "); /* weights of all maps side by side */
    expect_order(p, 2, "1 2 3 0 ");
    expect_order(p, 5, "0 2 3 1 ");
    expect_order(p, 6, "0 2 3 1 ");
    expect_order(p, 7, "0 2 3 1 ");
    gali_arena_release(&arena);
}

/* Two products beside depthwise convolutions, one by steps of 2: none of them likes channels last before the others have them. */
static void test_products_beside_depthwise_go_last(void **state) {
    (void)state;
    gali_arena arena = {0};
    gali_text text = {0};
    gali_graph *graph;
    gal_error error = {0};
    gali_text_add(&text, "input %%0 \"x\": f32[1, 3, 75, 75]\n");
    add_constant(&text, 1, "64, 3, 3, 3", 64 * 27);
    add_constant(&text, 2, "128, 64, 1, 1", 128 * 64);
    add_constant(&text, 3, "128, 1, 3, 3", 128 * 9);
    add_constant(&text, 4, "128, 128, 1, 1", 128 * 128);
    add_constant(&text, 5, "128, 1, 3, 3", 128 * 9);
    add_constant(&text, 6, "256, 128, 1, 1", 256 * 128);
    gali_text_add(
        &text, "%%7: f32[...] = Conv (%%0, %%1) pads:ints=1,1,1,1\n%%8: f32[...] = Conv (%%7, %%2)\n"
               "%%9: f32[...] = Conv (%%8, %%3) group:int=128 pads:ints=1,1,1,1\n"
               "%%10: f32[...] = Conv (%%9, %%4)\n"
               "%%11: f32[...] = Conv (%%10, %%5) group:int=128 strides:ints=2,2 pads:ints=1,1,1,1\n"
               "%%12: f32[...] = Conv (%%11, %%6)\n%%13: f32[...] = GlobalAveragePool (%%12)\noutput %%13\n");
    if (gali_graph_parse(&graph, text.bytes, text.size, &arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    const gali_program *p = laid_out(graph, &arena);
    for (uint32_t tensor = 8; tensor <= 11; tensor++) {
        expect_order(p, tensor, "0 2 3 1 ");
    }
    gali_text_release(&text);
    gali_arena_release(&arena);
}

/* The same sums, in the file's order. */
static gal_status row_major(gali_program *p, gal_error *error) {
    gal_status status = gali_program_layout(p, error);
    for (uint32_t i = 0; i < p->tensor_count; i++) {
        for (uint8_t d = 0; d < GALI_RANK_MAX; d++) {
            p->tensors[i].order[d] = d;
        }
    }
    return status;
}

static void test_no_order_changes_a_bit(void **state) {
    (void)state;
    enum { B = 2, H = 7, W = 9, SIZE = B * 3 * H * W };
    static double numbers[SIZE];
    gali_arena arena = {0};
    gal_error error = {0};
    gali_graph *graph = network(&arena);
    gali_tensor x = {.element = GALI_f32, .rank = 4, .shape = {B, 3, H, W}, .count = SIZE, .real = numbers},
                y[2][2];
    gali_run run = {.graph = graph, .memory_left = GALI_RUN_MEMORY, .work_left = 1e9, .error = &error};
    for (int i = 0; i < SIZE; i++) {
        numbers[i] = (double)(float)(0.01 * (double)(i * 7907 % 211) - 1);
    }
    for (uint32_t t = 0; t <= gali_target_count; t++) {
        const gali_target *target = t ? &gali_targets[t - 1] : NULL;
        if (program_run_by(&run, graph, NULL, &x, y[0], row_major) != GAL_OK ||
            program_run_by(&run, graph, target, &x, y[1], gali_program_layout) != GAL_OK) {
            fail_msg("%s", error.message);
        }
        for (int i = 0; i < 2; i++) {
            assert_memory_equal(y[0][i].real, y[1][i].real, y[0][i].count * sizeof(double));
            gali_tensor_release(&run, &y[0][i]);
            gali_tensor_release(&run, &y[1][i]);
        }
    }
    gali_arena_release(&arena);
}

/* 16 partial sums and what is left over, as docs/onnx.md says. */
static float sum_in_parts(const double *x, size_t count) {
    float part[16] = {0}, rest[16] = {0};
    size_t whole = count / 16 * 16;
    for (size_t i = 0; i < count; i++) {
        float *to = i < whole ? &part[i % 16] : &rest[i % 16];
        *to += (float)x[i];
    }
    for (size_t i = whole; i < count; i++) {
        part[i % 16] += rest[i % 16];
    }
    for (size_t by = 8; by > 0; by /= 2) {
        for (size_t i = 0; i < by; i++) {
            part[i] += part[i + by];
        }
    }
    return part[0];
}

static void test_sums_of_rows_go_in_parts(void **state) {
    (void)state;
    enum { ROWS = 3, COLUMNS = 61 };
    static const char text[] = "symbol n 1..100\ninput %0 \"x\": f32[n, 61]\nconstant %1: i64[1] = 1\n"
                               "%2 \"sum\": f32[n, 1] = ReduceSum (%0, %1)\noutput %2\n";
    static double x[ROWS * COLUMNS];
    gali_arena arena = {0};
    gal_error error = {0};
    gali_graph *graph;
    if (gali_graph_parse(&graph, text, sizeof text - 1, &arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    float ascending = 0;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        x[i] = (double)(float)(0.01 * (double)(i * 7907 % 211) - 1);
        ascending += i < COLUMNS ? (float)x[i] : 0;
    }
    assert_true(ascending != sum_in_parts(x, COLUMNS)); /* else it would tell nothing */
    gali_tensor rows = {.element = GALI_f32,
                        .rank = 2,
                        .shape = {ROWS, COLUMNS},
                        .count = ROWS * COLUMNS,
                        .real = x},
                y;
    for (uint32_t i = 0; i <= gali_target_count; i++) {
        gali_run run = {.graph = graph, .memory_left = GALI_RUN_MEMORY, .work_left = 1e9, .error = &error};
        if (program_run(&run, graph, i ? &gali_targets[i - 1] : NULL, &rows, &y) != GAL_OK) {
            fail_msg("%s", error.message);
        }
        for (size_t r = 0; r < ROWS; r++) {
            assert_true(y.real[r] == (double)sum_in_parts(x + r * COLUMNS, COLUMNS));
        }
        gali_tensor_release(&run, &y);
    }
    gali_arena_release(&arena);
}

static void expect_nest(const char *node, uint32_t shared) {
    gali_arena arena = {0};
    gal_error error = {0};
    gali_graph *graph;
    gali_text text = {0};
    gali_lowered lowered;
    gali_text_add(&text,
                  "symbol b 1..4\nsymbol s 1..64\ninput %%0 \"x\": f32[b, 8, s, 32]\nconstant %%1: f32[32]\n"
                  "%%2: f32[b, 8, s, 32] = %s\noutput %%2\n",
                  node);
    if (gali_graph_parse(&graph, text.bytes, text.size, &arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gali_program *p = laid_out(graph, &arena);
    assert_int_equal(gali_program_nest(p, 0), shared);
    if (gali_program_place(p, &error) != GAL_OK ||
        gali_program_lower(p, 0, p->arena, &lowered, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    const gali_loop_statement *loop = lowered.function->body;
    for (uint32_t d = 0; d < shared; d++, loop = loop->body) { /* and nothing else */
        assert_int_equal(loop->kind, GALI_LOOP_FOR);
        assert_null(loop->next);
    }
    gali_text_release(&text);
    gali_arena_release(&arena);
}

static void test_rows_of_a_group_share_loops(void **state) {
    (void)state;
    expect_nest("Softmax (%0) axis:int=-1", 3);
    expect_nest("Softmax (%0) axis:int=1", 1);
    expect_nest("LayerNormalization (%0, %1) axis:int=-1", 3);
    expect_nest("Relu (%0)", 0);
}

static void test_memory_is_near_what_lives_at_once(void **state) {
    (void)state;
    static const char text[] = "symbol n 1..100\ninput %0 \"x\": f32[n, 64]\nconstant %1: f32[64, 96]\n"
                               "constant %2: f32[96, 64]\nconstant %3: f32[64, 32]\n"
                               "%4: f32[n, 96] = MatMul (%0, %1)\n%5: f32[n, 64] = MatMul (%4, %2)\n"
                               "%6: f32[n, 96] = MatMul (%5, %1)\n%7: f32[n, 64] = MatMul (%6, %2)\n"
                               "%8: f32[n, 32] = MatMul (%7, %3)\noutput %8\n";
    gali_arena arena = {0};
    gal_error error = {0};
    gali_graph *graph;
    if (gali_graph_parse(&graph, text, sizeof text - 1, &arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gali_program *p = laid_out(graph, &arena);
    assert_int_equal(gali_program_place(p, &error), GAL_OK);
    int64_t n = p->typical[0];
    assert_int_equal(p->alive,
                     ((n * 96 * 4 + 63) / 64 + (n * 64 * 4 + 63) / 64) * 64); /* one makes the other */
    assert_int_equal(p->planned, p->alive);
    gali_arena_release(&arena);
}

/* Channels of a group, rows and columns are one axis in the file, and three of the sum, in the order of that one. */
static void test_merged_axes_are_summed_as_parts(void **state) {
    (void)state;
    enum { GROUPS = 3, OF_GROUP = 2, ROWS = 5, COLUMNS = 7, SIZE_OF = GROUPS * OF_GROUP * ROWS * COLUMNS };
    static const char text[] = "symbol h 1..9\ninput %0 \"x\": f32[h, 7, 6]\nconstant %1: i64[2] = 3 -1\n"
                               "constant %2: i64[1] = 1\n"
                               "%3 \"planes\": f32[6, h, 7] = Transpose (%0) perm:ints=2,0,1\n"
                               "%4 \"groups\": f32[...] = Reshape (%3, %1)\n"
                               "%5 \"sum\": f32[3, 1] = ReduceSum (%4, %2)\noutput %5\n";
    static double x[SIZE_OF];
    gali_arena arena = {0};
    gal_error error = {0};
    gali_graph *graph;
    gali_program *p;
    float sum[GROUPS] = {0};
    if (gali_graph_parse(&graph, text, sizeof text - 1, &arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    for (int i = 0; i < SIZE_OF; i++) {
        x[i] = (double)(float)(0.01 * (double)(i * 7907 % 211) - 1);
    }
    for (int i = 0; i < SIZE_OF; i++) { /* by group, channel, row, column */
        int channel = i / (ROWS * COLUMNS), place = i % (ROWS * COLUMNS);
        sum[channel / OF_GROUP] += (float)x[place * GROUPS * OF_GROUP + channel];
    }
    gali_tensor in = {.element = GALI_f32,
                      .rank = 3,
                      .shape = {ROWS, COLUMNS, GROUPS * OF_GROUP},
                      .count = SIZE_OF,
                      .real = x};
    gali_run run = {.graph = graph, .memory_left = GALI_RUN_MEMORY, .work_left = 1e9, .error = &error};
    assert_int_equal(program_make(&run, graph, NULL, gali_program_layout, &p), GAL_OK);
    for (uint32_t s = 0; s < p->stage_count; s++) {
        assert_true(p->stages[s].gone || p->stages[s].reduced == 3);
    }
    for (uint32_t i = 0; i <= gali_target_count; i++) {
        gali_tensor y;
        if (program_run(&run, graph, i ? &gali_targets[i - 1] : NULL, &in, &y) != GAL_OK) {
            fail_msg("%s", error.message);
        }
        for (size_t g = 0; g < GROUPS; g++) {
            assert_true(y.real[g] == (double)sum[g]);
        }
        gali_tensor_release(&run, &y);
    }
    gali_arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_channels_go_last),
        cmocka_unit_test(test_products_beside_depthwise_go_last),
        cmocka_unit_test(test_no_order_changes_a_bit),
        cmocka_unit_test(test_sums_of_rows_go_in_parts),
        cmocka_unit_test(test_merged_axes_are_summed_as_parts),
        cmocka_unit_test(test_rows_of_a_group_share_loops),
        cmocka_unit_test(test_memory_is_near_what_lives_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
