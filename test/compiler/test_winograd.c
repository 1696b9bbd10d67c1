/* Convolutions by transforms: which are, that results are the convolution's, and the same bits for any target. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/target.h"
#include "program_run.h"

typedef struct winograd_case {
    int64_t batch, channels, maps, depth, height,
        width; /* depth 0: of rank 4; height 0: open, run at several */
    const char *attributes;
    uint32_t stretches; /* that it is made in behind the first */
} winograd_case;

static const winograd_case cases[] = {
    {1, 20, 20, 0, 8, 8, "pads:ints=1,1,1,1", 1},
    {2, 20, 24, 0, 11, 16, "pads:ints=1,1,1,1", 1},
    {1, 20, 20, 0, 13, 14, "", 1},
    {1, 24, 20, 0, 16, 12, "pads:ints=0,2,1,0", 1},
    {1, 64, 64, 0, 8, 8, "pads:ints=1,1,1,1", 1}, /* tiles of 2 */
    {2, 20, 20, 0, 0, 0, "pads:ints=1,1,1,1", 1},
    {1, 20, 20, 3, 5, 8, "pads:ints=1,1,1,0,1,1 strides:ints=2,1,1", 4},
    /* by the sum */
    {1, 20, 20, 0, 3, 3, "pads:ints=1,1,1,1", 0},
    {1, 3, 20, 0, 8, 8, "pads:ints=1,1,1,1", 0},
    {1, 20, 20, 0, 8, 8, "strides:ints=2,2", 0},
    {1, 20, 20, 0, 8, 8, "dilations:ints=2,1", 0},
    {1, 40, 40, 0, 8, 8, "group:int=2", 0},
};

/* Relu(Conv(x, w, bias)). */
static gali_graph *network(const winograd_case *of, gali_arena *arena) {
    gali_text text = {0};
    gali_graph *graph;
    gal_error error = {0};
    int64_t group = strstr(of->attributes, "group") ? 2 : 1, from = of->channels / group;
    int64_t weights = of->maps * from * 9 * (of->depth ? 3 : 1);
    const char *depth = of->depth ? ", 3" : "";
    gali_text_add(&text, "symbol h 1..40\nsymbol w 1..40\ninput %%0 \"x\": f32[%lld, %lld",
                  (long long)of->batch, (long long)of->channels);
    if (of->depth) {
        gali_text_add(&text, ", %lld", (long long)of->depth);
    }
    if (of->height) {
        gali_text_add(&text, ", %lld, %lld]\n", (long long)of->height, (long long)of->width);
    } else {
        gali_text_add(&text, ", h, w]\n");
    }
    gali_text_add(&text, "constant %%1: f32[%lld, %lld%s, 3, 3] =", (long long)of->maps, (long long)from,
                  depth);
    for (int64_t i = 0; i < weights; i++) {
        gali_text_add(&text, " %.6g", (double)(i * 7919 % 1009) / 1009 - 0.5);
    }
    gali_text_add(&text, "\nconstant %%2: f32[%lld] =", (long long)of->maps);
    for (int64_t i = 0; i < of->maps; i++) {
        gali_text_add(&text, " %.6g", (double)(i % 7) - 3);
    }
    gali_text_add(
        &text,
        "\n%%3 \"y\": f32[...] = Conv (%%0, %%1, %%2) %s\n%%4 \"r\": f32[...] = Relu (%%3)\noutput %%4\n",
        of->attributes);
    if (gali_graph_parse(&graph, text.bytes, text.size, arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gali_text_release(&text);
    return graph;
}

static uint32_t stretches;

static gal_status counted_layout(gali_program *program, gal_error *error) {
    stretches = gali_program_stretches(program);
    return gali_program_layout(program, error);
}

static void run_at(const winograd_case *of, gali_graph *graph, int64_t height, int64_t width) {
    gal_error error = {0};
    gali_tensor x = {.element = GALI_f32, .rank = 4, .shape = {of->batch, of->channels, height, width}};
    if (of->depth) {
        x = (gali_tensor){
            .element = GALI_f32, .rank = 5, .shape = {of->batch, of->channels, of->depth, height, width}};
    }
    x.count = (size_t)(of->batch * of->channels * (of->depth ? of->depth : 1) * height * width);
    double *numbers = malloc(x.count * sizeof *numbers), largest = 0, off = 0;
    for (size_t i = 0; i < x.count; i++) {
        numbers[i] = (double)(float)((double)(i * 7907 % 2011) / 1005 - 1);
    }
    x.real = numbers;
    gali_run run = {.graph = graph, .memory_left = GALI_RUN_MEMORY, .work_left = 1e12, .error = &error};
    gali_tensor truth, plain, y;
    assert_int_equal(gali_graph_evaluate(&run, graph, &x, &truth), GAL_OK);
    assert_int_equal(program_run_by(&run, graph, NULL, &x, &plain, counted_layout), GAL_OK);
    assert_int_equal(stretches, of->stretches);
    for (size_t i = 0; i < truth.count; i++) {
        largest = fmax(largest, fabs(truth.real[i]));
        off = fmax(off, fabs(truth.real[i] - plain.real[i]));
    }
    if (!(off <= 5e-6 * largest)) {
        fail_msg("%lld x %lld: %g off of %g", (long long)height, (long long)width, off, largest);
    }
    for (uint32_t t = 0; t < gali_target_count; t++) {
        assert_int_equal(program_run_by(&run, graph, &gali_targets[t], &x, &y, counted_layout), GAL_OK);
        assert_memory_equal(y.real, plain.real, y.count * sizeof *y.real);
        gali_tensor_release(&run, &y);
    }
    gali_tensor_release(&run, &truth);
    gali_tensor_release(&run, &plain);
    free(numbers);
}

static void test_cases(void **state) {
    static const int64_t open[][2] = {{1, 1}, {4, 4}, {5, 11}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gali_arena arena = {0};
        gali_graph *graph = network(&cases[i], &arena);
        for (size_t k = 0; k < (cases[i].height ? 1 : sizeof open / sizeof *open); k++) {
            run_at(&cases[i], graph, cases[i].height ? cases[i].height : open[k][0],
                   cases[i].height ? cases[i].width : open[k][1]);
        }
        gali_arena_release(&arena);
    }
}

static gali_program *ranged(gali_graph *graph, int by_tiles) {
    gali_program *p;
    gal_error error = {0};
    assert_int_equal(gali_program_make(&p, graph, graph->arena, &error), GAL_OK);
    assert_int_equal(by_tiles ? gali_program_winograd(p, &error) : GAL_OK, GAL_OK);
    assert_int_equal(gali_program_fuse(p, &error), GAL_OK);
    assert_int_equal(gali_program_range(p, &error), GAL_OK);
    return p;
}

/* Tiles are not made where their tensors would make the ranges of open sizes narrower. */
static void test_ranges_stay(void **state) {
    (void)state;
    for (int known = 0; known < 2; known++) {
        gali_arena arena = {0};
        gali_text text = {0};
        gali_graph *graph;
        gal_error error = {0};
        gali_text_add(&text,
                      "symbol b 1..%d\nsymbol h 1..1024\nsymbol w 1..1024\ninput %%0 \"x\": f32[b, 20, h, w]\n",
                      known ? 2 : 1024);
        gali_text_add(&text, "constant %%1: f32[20, 20, 3, 3] =");
        for (int i = 0; i < 20 * 20 * 9; i++) {
            gali_text_add(&text, " 1");
        }
        gali_text_add(&text, "\n%%2 \"y\": f32[...] = Conv (%%0, %%1)\noutput %%2\n");
        assert_int_equal(gali_graph_parse(&graph, text.bytes, text.size, &arena, &error), GAL_OK);
        assert_int_equal(gali_graph_infer(graph, &error), GAL_OK);
        const gali_program *sum = ranged(graph, 0), *tiles = ranged(graph, 1);
        assert_int_equal(gali_program_stretches(tiles), known);
        assert_memory_equal(sum->most, tiles->most, gali_extent_symbols(graph->extents) * sizeof *sum->most);
        gali_text_release(&text);
        gali_arena_release(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_ranges_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
