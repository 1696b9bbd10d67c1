/* Convolutions by transforms: which are, that results are the convolution's, and the same bits for any target. */
#include <stdio.h>
#include <string.h>

#include "convolution.h"

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
    {1, 64, 64, 0, 8, 8, "pads:ints=1,1,1,1", 1},                        /* tiles of 2 */
    {2, 20, 20, 0, 0, 0, "pads:ints=1,1,1,1", 2},                        /* with a copy of the input */
    {1, 20, 20, 3, 5, 8, "pads:ints=1,1,1,0,1,1 strides:ints=2,1,1", 5}, /* with a copy of the input */
    /* by the sum */
    {1, 20, 20, 0, 3, 3, "pads:ints=1,1,1,1", 1}, /* behind a copy of the input */
    {1, 3, 20, 0, 8, 8, "pads:ints=1,1,1,1", 1},
    {1, 20, 20, 0, 8, 8, "strides:ints=2,2", 0},
    {1, 20, 20, 0, 8, 8, "dilations:ints=2,1", 0},
    {1, 40, 40, 0, 8, 8, "group:int=2", 0},
};

static float weight_of(const void *of, int64_t i) {
    (void)of;
    return (float)((double)(i * 7919 % 1009) / 1009 - 0.5);
}

static gali_graph *network(const winograd_case *of, gali_arena *arena) {
    char input[64], weights[64];
    const int64_t from = of->channels / (strstr(of->attributes, "group") ? 2 : 1);
    const long long batch = of->batch, channels = of->channels, height = of->height, width = of->width;
    if (of->depth) {
        snprintf(input, sizeof input, "%lld, %lld, %lld, %lld, %lld", batch, channels, (long long)of->depth,
                 height, width);
    } else if (of->height) {
        snprintf(input, sizeof input, "%lld, %lld, %lld, %lld", batch, channels, height, width);
    } else {
        snprintf(input, sizeof input, "%lld, %lld, h, w", batch, channels);
    }
    snprintf(weights, sizeof weights, "%lld, %lld%s, 3, 3", (long long)of->maps, (long long)from,
             of->depth ? ", 3" : "");
    const convolution c = {.symbols = "symbol h 1..40\nsymbol w 1..40\n",
                           .input = input,
                           .weights = weights,
                           .attributes = of->attributes,
                           .maps = of->maps,
                           .weight_count = of->maps * from * 9 * (of->depth ? 3 : 1),
                           .weight = weight_of};
    return convolution_graph(&c, arena);
}

static uint32_t stretches;

static gal_status counted_layout(gali_program *program, gal_error *error) {
    stretches = gali_program_stretches(program);
    return gali_program_layout(program, error);
}

static void run_at(const winograd_case *of, gali_graph *graph, int64_t height, int64_t width) {
    gali_tensor x = {.rank = 4, .shape = {of->batch, of->channels, height, width}};
    if (of->depth) {
        x = (gali_tensor){.rank = 5, .shape = {of->batch, of->channels, of->depth, height, width}};
    }
    convolution_check(graph, x, counted_layout, NULL);
    assert_int_equal(stretches, of->stretches);
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

/* The tiles' size, 0: by the sum, of a convolution of sides in that range, or of one that is a number. */
static int64_t tile_of(int least, int most) {
    gali_arena arena = {0};
    gali_text text = {0};
    gali_graph *graph;
    gal_error error = {0};
    gali_program *p;
    int64_t tile = 0;
    if (least == most) {
        gali_text_add(&text, "input %%0 \"x\": f32[1, 48, %d, %d]\n", most, most);
    } else {
        gali_text_add(&text, "symbol h %d..%d\ninput %%0 \"x\": f32[1, 48, h, h]\n", least, most);
    }
    gali_text_add(&text, "constant %%1: f32[48, 48, 3, 3] =");
    for (int i = 0; i < 48 * 48 * 9; i++) {
        gali_text_add(&text, " 1");
    }
    gali_text_add(&text, "\n%%2 \"y\": f32[...] = Conv (%%0, %%1) pads:ints=1,1,1,1\noutput %%2\n");
    assert_int_equal(gali_graph_parse(&graph, text.bytes, text.size, &arena, &error), GAL_OK);
    assert_int_equal(gali_graph_infer(graph, &error), GAL_OK);
    assert_int_equal(gali_program_make(&p, graph, &arena, &error), GAL_OK);
    assert_int_equal(gali_program_winograd(p, &error), GAL_OK);
    for (uint32_t i = 0; i < p->tensor_count; i++) {
        tile = strcmp(p->tensors[i].name, "tile_out") == 0 ? p->tensors[i].type.shape[0] : tile;
    }
    gali_text_release(&text);
    gali_arena_release(&arena);
    return tile;
}

/* A range of sizes has the tiles of the sizes in it. */
static void test_tiles_fit_the_range(void **state) {
    (void)state;
    static const int ranges[][3] = {{5, 5, 0},   {1, 5, 0},   {6, 6, 2},   {1, 6, 2},
                                    {32, 32, 4}, {24, 64, 4}, {1, 1024, 4}}; /* least, most, tile */
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        assert_int_equal(tile_of(ranges[i][0], ranges[i][1]), ranges[i][2]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_ranges_stay),
                                       cmocka_unit_test(test_tiles_fit_the_range)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
