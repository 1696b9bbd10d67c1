/* Convolutions whose weights follow patterns: which they are, that results are the convolution's, the same bits for any target. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/target.h"
#include "program_run.h"

/* Places of windows, row by row. */
static const uint16_t shapes[] = {0x1B, 0x36,  0xD8, 0x1B0, 0xB2,  0x5C,  0x93,
                                  0x39, 0x138, 0x17, 0x74,  0x134, 0x1D0, 0x99};

enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef struct patterns_case {
    int64_t batch, channels, maps, height, width; /* batch 0: open */
    const char *attributes;
    uint32_t patterns, kept; /* of the shapes; kernels in a hundred */
    uint32_t stages;         /* that sum over kernels; 0: it is none of them */
} patterns_case;

static const patterns_case cases[] = {
    {1, 20, 16, 9, 14, "pads:ints=1,1,1,1", 8, 28, 1},
    {2, 16, 16, 9, 20, "pads:ints=1,1,1,1", 12, 40, 1},
    {0, 16, 16, 13, 7, "pads:ints=0,2,1,0", 6, 30, 1},
    {1, 600, 16, 6, 9, "", 1, 10, 2},
    /* otherwise */
    {1, 16, 16, 7, 7, "pads:ints=1,1,1,1", 13, 28, 0},
    {1, 16, 16, 7, 7, "pads:ints=1,1,1,1 strides:ints=2,2", 8, 28, 0},
    {1, 16, 16, 7, 7, "pads:ints=1,1,1,1 group:int=2", 8, 28, 0},
};

static float weight_of(const patterns_case *of, int64_t kernel, int place) {
    uint32_t by = (uint32_t)(kernel * 7919 % 1009);
    int kept =
        by % 100 < of->kept && kernel % (9 * of->channels) > 0; /* the first kernels of some filters are gone */
    return kept && shapes[by % of->patterns] >> place & 1
               ? (float)((kernel * 9 + place) * 7907 % 1013) / 1013 - 0.4F
               : 0;
}

/* Relu(Conv(x, w, bias) + x2) of a second input like the result. */
static gali_graph *network(const patterns_case *of, gali_arena *arena) {
    gali_text text = {0};
    gali_graph *graph;
    gal_error error = {0};
    int64_t group = strstr(of->attributes, "group") ? 2 : 1, kernels = of->maps * of->channels / group;
    gali_text_add(&text, "symbol b 1..3\ninput %%0 \"x\": f32[");
    gali_text_add(&text, of->batch ? "%lld" : "b", (long long)of->batch);
    gali_text_add(&text, ", %lld, %lld, %lld]\nconstant %%1: f32[%lld, %lld, 3, 3] =", (long long)of->channels,
                  (long long)of->height, (long long)of->width, (long long)of->maps,
                  (long long)(of->channels / group));
    for (int64_t i = 0; i < kernels * 9; i++) {
        gali_text_add(&text, " %.9g", (double)weight_of(of, i / 9, (int)(i % 9)));
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

static uint32_t sums;

static gal_status counted_layout(gali_program *program, gal_error *error) {
    sums = 0;
    for (uint32_t i = 0; i < program->stage_count; i++) {
        const gali_program_stage *stage = &program->stages[i];
        sums += !stage->gone && stage->patterns && !stage->patterns->makes_tiles;
    }
    return gali_program_layout(program, error);
}

/* Whether the sums' loops walk filters as they are reordered: those that are lowered as any other stage do not. */
static void check_loops(gali_run *run, const gali_graph *graph, const gali_target *target) {
    gali_program *program;
    assert_int_equal(program_make(run, graph, target, gali_program_layout, &program), GAL_OK);
    for (uint32_t i = 0; i < program->stage_count; i++) {
        const gali_program_stage *stage = &program->stages[i];
        gali_lowered lowered;
        gali_text text = {0};
        if (stage->gone || !stage->patterns || stage->patterns->makes_tiles) {
            continue;
        }
        assert_int_equal(gali_program_lower(program, stage->group, &lowered, run->error), GAL_OK);
        gali_loop_print(lowered.function, &text);
        assert_non_null(strstr(text.bytes, "lookup(treorder_"));
        gali_text_release(&text);
    }
}

static void run_case(const patterns_case *of, gali_graph *graph) {
    gal_error error = {0};
    int64_t batch = of->batch ? of->batch : 2;
    gali_tensor x = {.element = GALI_f32, .rank = 4, .shape = {batch, of->channels, of->height, of->width}};
    x.count = (size_t)(batch * of->channels * of->height * of->width);
    double *numbers = malloc(x.count * sizeof *numbers), largest = 0, off = 0;
    for (size_t i = 0; i < x.count; i++) {
        numbers[i] = (double)(float)((double)(i * 7907 % 2011) / 1005 - 1);
    }
    x.real = numbers;
    gali_run run = {.graph = graph, .memory_left = GALI_RUN_MEMORY, .work_left = 1e12, .error = &error};
    gali_tensor truth, plain, y;
    assert_int_equal(gali_graph_evaluate(&run, graph, &x, &truth), GAL_OK);
    if (program_run_by(&run, graph, NULL, &x, &plain, counted_layout) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(sums, of->stages);
    for (size_t i = 0; i < truth.count; i++) {
        largest = fmax(largest, fabs(truth.real[i]));
        off = fmax(off, fabs(truth.real[i] - plain.real[i]));
    }
    if (!(off <= 5e-6 * largest)) {
        fail_msg("%g off of %g", off, largest);
    }
    for (uint32_t t = 0; t < gali_target_count; t++) {
        if (program_run_by(&run, graph, &gali_targets[t], &x, &y, counted_layout) != GAL_OK) {
            fail_msg("%s: %s", gali_targets[t].name, error.message);
        }
        assert_memory_equal(y.real, plain.real, y.count * sizeof *y.real);
        check_loops(&run, graph, &gali_targets[t]);
        gali_tensor_release(&run, &y);
    }
    gali_tensor_release(&run, &truth);
    gali_tensor_release(&run, &plain);
    free(numbers);
}

static void test_cases(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gali_arena arena = {0};
        run_case(&cases[i], network(&cases[i], &arena));
        gali_arena_release(&arena);
    }
}

/* What is stored of some channels is those channels' weights, each once, in the order that it says. */
static void check_stored(const gali_fkw_patterns *patterns, const gali_fkw *f, const float *weights,
                         uint32_t all_channels) {
    uint32_t seen = 0;
    for (uint32_t i = 0; i < f->filters; i++) {
        uint32_t filter = f->reorder[i];
        const uint32_t *stride = f->stride + (size_t)filter * (f->patterns + 1);
        assert_int_equal(f->offset[filter], seen);
        assert_int_equal(stride[0], 0);
        for (uint32_t p = 0; p < f->patterns; p++) {
            for (uint32_t k = stride[p]; k < stride[p + 1]; k++) {
                uint32_t at = f->offset[filter] + k, channel = f->first + f->index[at];
                const float *window = weights + ((size_t)filter * all_channels + channel) * GALI_FKW_WINDOW;
                float left[GALI_FKW_WINDOW];
                memcpy(left, window, sizeof left);
                for (uint32_t t = 0; t < GALI_FKW_TAPS; t++) {
                    uint32_t place = patterns->taps[p][t];
                    assert_true(f->weight[(size_t)at * GALI_FKW_TAPS + t] - window[place] == 0);
                    left[place] = 0;
                }
                for (uint32_t t = 0; t < GALI_FKW_WINDOW; t++) {
                    assert_true(left[t] == 0);
                }
            }
        }
        seen += stride[f->patterns];
        assert_true(stride[f->patterns] <= f->longest);
    }
    assert_int_equal(seen, f->kernels);
}

static void test_storage(void **state) {
    enum { FILTERS = 16, CHANNELS = 40, FIRST = 12, SOME = 20 };
    static float weights[FILTERS * CHANNELS * GALI_FKW_WINDOW];
    const patterns_case *of = &cases[0];
    gali_fkw_patterns patterns;
    gali_arena arena = {0};
    (void)state;
    for (int64_t i = 0; i < FILTERS * CHANNELS * GALI_FKW_WINDOW; i++) {
        weights[i] = weight_of(of, i / GALI_FKW_WINDOW, (int)(i % GALI_FKW_WINDOW));
    }
    assert_int_equal(gali_fkw_find(&patterns, weights, FILTERS, CHANNELS), 1);
    assert_int_equal(patterns.count, of->patterns);
    gali_fkw f = gali_fkw_make(&patterns, weights, FILTERS, CHANNELS, FIRST, SOME, &arena);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < FILTERS * CHANNELS; i++) {
        for (int t = 0; t < GALI_FKW_WINDOW && i % CHANNELS >= FIRST && i % CHANNELS < FIRST + SOME; t++) {
            if (weights[i * GALI_FKW_WINDOW + (uint32_t)t] != 0) {
                kept++;
                break;
            }
        }
    }
    assert_int_equal(f.kernels, kept);
    check_stored(&patterns, &f, weights, CHANNELS);
    weights[0] = weights[1] = weights[2] = weights[3] = weights[4] = 1; /* five of a kernel */
    assert_int_equal(gali_fkw_find(&patterns, weights, FILTERS, CHANNELS), 0);
    memset(weights, 0, sizeof weights);
    assert_int_equal(gali_fkw_find(&patterns, weights, FILTERS, CHANNELS), 0);
    gali_arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_storage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
