/* Schedules of sums in tiles: as text and back, none changes a bit, wrong ones are refused, a log's are used. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/lower/recorded.h"
#include "compiler/program/versions.h"
#include "program_run.h"

static float constant_at(uint32_t i) {
    return (float)(0.1 * (double)(i * 7919 % 31) - 1.4);
}

/* Appends a constant of small numbers that no sum of is exact. */
static void add_constant(gali_text *text, uint32_t number, const char *shape, uint32_t count) {
    gali_text_add(text, "constant %%%u: f32[%s] =", number, shape);
    for (uint32_t i = 0; i < count; i++) {
        gali_text_add(text, " %.8g", (double)constant_at(i));
    }
    gali_text_add(text, "\n");
}

/* Sums of 25 * 36 and of 2 * 300 terms: in blocks. */
enum { CHANNELS = 36, WINDOW = 5, MAPS = 40, H = 7, W = 9, X = CHANNELS * H * W, M = 13, K = 600, N = 50 };

/* Groups: a copy of the input with a margin; a convolution and a product, each with what follows it. */
enum { CONVOLUTION = 1, PRODUCT, GROUPS };

static gali_graph *network(gali_arena *arena) {
    gali_text text = {0};
    gali_graph *graph;
    gal_error error = {0};
    gali_text_add(&text, "input %%0 \"x\": f32[1, 36, 7, 9]\ninput %%1 \"a\": f32[13, 600]\n");
    add_constant(&text, 2, "40, 36, 5, 5", MAPS * CHANNELS * WINDOW * WINDOW);
    add_constant(&text, 3, "600, 50", K * N);
    gali_text_add(&text, "%%4 \"conv\": f32[1, 40, 7, 9] = Conv (%%0, %%2) pads:ints=2,2,2,2\n"
                         "%%5 \"relu\": f32[1, 40, 7, 9] = Relu (%%4)\n"
                         "%%6 \"product\": f32[13, 50] = MatMul (%%1, %%3)\n"
                         "%%7 \"tanh\": f32[13, 50] = Tanh (%%6)\noutput %%5\noutput %%7\n");
    if (gali_graph_parse(&graph, text.bytes, text.size, arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gali_text_release(&text);
    return graph;
}

static const gali_target *target_of(const char *name) {
    gal_error error = {0};
    const gali_target *target = gali_target_find(name, &error);
    assert_non_null(target);
    return target;
}

static gali_program *program_of(gali_arena *arena, const char *target) {
    gal_error error = {0};
    gali_run run = {.error = &error};
    gali_program *p;
    if (program_make(&run, network(arena), target_of(target), gali_program_layout, &p) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(p->group_count, GROUPS);
    return p;
}

static gali_schedule schedule_of(const char *text) {
    gali_schedule schedule;
    gal_error error = {0};
    if (gali_schedule_parse(&schedule, text, strlen(text), &error) != GAL_OK) {
        fail_msg("%s: %s", text, error.message);
    }
    return schedule;
}

static gali_text loops_of(gali_program *p, uint32_t group, const gali_schedule *schedule,
                          gali_lowered *lowered) {
    gali_text text = {0};
    gal_error error = {0};
    if (gali_program_lower_by(p, group, schedule, p->arena, lowered, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gali_loop_print(lowered->function, &text);
    return text;
}

/* The tile by rules, written and read, is itself; and a lowered group tells the schedule that it has. */
static void schedules_come_back(void **unused) {
    (void)unused;
    static const char *const targets[] = {"x86-64-v3", "x86-64-v4", "armv8-a"};
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        gali_arena arena = {0};
        gali_program *p = program_of(&arena, targets[t]);
        for (uint32_t group = CONVOLUTION; group < GROUPS; group++) {
            gali_lowered hand, again;
            gali_text printed = {0}, first = loops_of(p, group, NULL, &hand);
            gali_schedule_print(&hand.sum.schedule, "; ", &printed);
            gali_schedule read = schedule_of(printed.bytes);
            gali_text second = loops_of(p, group, &read, &again);
            assert_string_equal(first.bytes, second.bytes);
            assert_true(gali_schedule_same(&again.sum.schedule, &read));
            gali_text_release(&printed);
            gali_text_release(&first);
            gali_text_release(&second);
        }
        gali_arena_release(&arena);
    }
}

/* The schedule by rules of a graph's longest sum. Releases the text. */
static gali_text by_rules(gali_text *text) {
    gali_arena arena = {0};
    gali_text schedule = {0};
    gali_graph *graph;
    gali_program *p = NULL;
    gali_lowered lowered;
    gal_error error = {0};
    gali_run run = {.error = &error};
    if (gali_graph_parse(&graph, text->bytes, text->size, &arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK ||
        program_make(&run, graph, target_of("x86-64-v3"), gali_program_layout, &p) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    double steps = 0;
    for (uint32_t group = 0; group < p->group_count; group++) {
        assert_int_equal(gali_program_lower(p, group, p->arena, &lowered, &error), GAL_OK);
        if (lowered.sum.schedule.count && lowered.sum.steps > steps) {
            steps = lowered.sum.steps;
            gali_text_release(&schedule);
            schedule = (gali_text){0};
            gali_schedule_print(&lowered.sum.schedule, "; ", &schedule);
        }
    }
    assert_true(steps > 0);
    gali_text_release(text);
    gali_arena_release(&arena);
    return schedule;
}

/* The schedule by rules of x[n, terms] times y[terms, n]; constant: y is. */
static gali_text product_by_rules(int64_t n, int64_t terms, int constant) {
    gali_text text = {0};
    char shape[64];
    gali_text_add(&text, "input %%0: f32[%lld, %lld]\n", (long long)n, (long long)terms);
    snprintf(shape, sizeof shape, "%lld, %lld", (long long)terms, (long long)n);
    if (constant) {
        add_constant(&text, 1, shape, (uint32_t)(n * terms));
    } else {
        gali_text_add(&text, "input %%1: f32[%s]\n", shape);
    }
    gali_text_add(&text, "%%2: f32[...] = MatMul (%%0, %%1)\noutput %%2\n");
    return by_rules(&text);
}

/* Where a column of a panel's results would lie far apart, and the panels are short, rows go around them. */
static void rows_go_around_short_panels(void **unused) {
    static const struct {
        int64_t n, terms;
        int constant, around;
    } cases[] = {{1024, 16, 0, 1}, {1024, 256, 0, 0}, {96, 16, 0, 0}, {1024, 16, 1, 0}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gali_text schedule = product_by_rules(cases[i].n, cases[i].terms, cases[i].constant);
        assert_int_equal(strstr(schedule.bytes, "reorder i0.o i1.o") != NULL, cases[i].around);
        gali_text_release(&schedule);
    }
}

/* Rows of open size have tiles of all sizes up to the whole one's, so that few are left; what is proven of them stands. */
static void check_open_rows(const char *target, uint32_t columns, uint32_t least, uint32_t largest) {
    gali_arena arena = {0};
    gali_text text = {0};
    gali_graph *graph;
    gali_program *p = NULL;
    gali_lowered lowered;
    gal_error error = {0};
    gali_run run = {.error = &error};
    char shape[32];
    snprintf(shape, sizeof shape, "32, %u", columns);
    gali_text_add(&text, "symbol n 1..64\ninput %%0: f32[2, n, 32]\n");
    add_constant(&text, 1, shape, 32 * columns);
    gali_text_add(&text, "%%2: f32[...] = MatMul (%%0, %%1)\noutput %%2\n");
    if (gali_graph_parse(&graph, text.bytes, text.size, &arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK ||
        program_make(&run, graph, target_of(target), gali_program_layout, &p) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gali_text loops = loops_of(p, 0, NULL, &lowered), schedule = {0};
    gali_schedule_print(&lowered.sum.schedule, "; ", &schedule);
    assert_int_equal(lowered.plain, 0);
    const char *rows = strstr(schedule.bytes, "split i1 ");
    assert_non_null(rows);
    uint32_t most = (uint32_t)strtoul(rows + strlen("split i1 "), NULL, 10), sums = 0;
    assert_in_range(most, least, largest);
    for (const char *at = loops.bytes; (at = strstr(at, "for tile")) != NULL; at++) {
        sums++;
    }
    assert_int_equal(sums, most);
    gali_text_release(&text);
    gali_text_release(&loops);
    gali_text_release(&schedule);
    gali_arena_release(&arena);
}

static void rows_of_open_size_are_nearly_equal(void **unused) {
    (void)unused;
    check_open_rows("x86-64-v3", 16, 3, 6);
    check_open_rows("x86-64-v4", 16, 8, 8); /* one vector: eight sums wait for each other the least */
}

/* Where vectors are of an open size, too, the forms of a tile are few: the code has each count of rows for each width. */
static void open_rows_and_vectors_have_few_forms(void **unused) {
    static const char text[] = "symbol n 1..64\ninput %0: f32[2, n, 32]\ninput %1: f32[2, 32, n]\n"
                               "%2: f32[...] = MatMul (%0, %1)\noutput %2\n";
    (void)unused;
    gali_arena arena = {0};
    gali_graph *graph;
    gali_program *p = NULL;
    gali_lowered lowered;
    gal_error error = {0};
    gali_run run = {.error = &error};
    if (gali_graph_parse(&graph, text, strlen(text), &arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK ||
        program_make(&run, graph, target_of("x86-64-v4"), gali_program_layout, &p) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gali_text loops = loops_of(p, 0, NULL, &lowered);
    uint32_t forms = 0;
    for (const char *at = loops.bytes; (at = strstr(at, "for tile")) != NULL; at++) {
        forms++;
    }
    assert_int_equal(lowered.plain, 0);
    assert_in_range(forms, 4, 20);
    gali_text_release(&loops);
    gali_arena_release(&arena);
}

/*
 * Of a clip that far memory holds, each row of all frames goes through all panels before the next row, frame by frame within,
 * since a window reads its neighbours; of one panel, too, or each frame would come from afar for every window. A small one
 * stays near.
 */
static void axes_go_around_panels(void **unused) {
    static const struct {
        int size;
        uint32_t maps;
        const char *around;
    } cases[] = {{96, 64, "reorder i3 i1.o; reorder i2 i1.o"},
                 {8, 64, NULL},
                 {96, 16, "reorder i3 i1.o; reorder i2 i1.o"},
                 {8, 16, NULL}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gali_text text = {0};
        char shape[64];
        snprintf(shape, sizeof shape, "%u, 32, 3, 1, 1", cases[i].maps);
        gali_text_add(&text, "input %%0: f32[1, 3, 24, %d, %d]\n", 2 * cases[i].size, 2 * cases[i].size);
        add_constant(&text, 1, "32, 3, 1, 3, 3", 32 * 27);
        add_constant(&text, 2, shape, cases[i].maps * 32 * 3);
        gali_text_add(&text, "%%3: f32[...] = Conv (%%0, %%1) strides:ints=1,2,2 pads:ints=0,1,1,0,1,1\n"
                             "%%4: f32[...] = Conv (%%3, %%2) pads:ints=1,0,0,1,0,0\n"
                             "%%5: f32[...] = MaxPool (%%4) kernel_shape:ints=1,3,3 strides:ints=1,2,2\n"
                             "%%6: f32[...] = GlobalAveragePool (%%5)\noutput %%6\n");
        gali_text schedule = by_rules(&text);
        int there = strstr(schedule.bytes, " i1.o") != NULL;
        if (there != (cases[i].around != NULL) || (there && !strstr(schedule.bytes, cases[i].around))) {
            fail_msg("%s", schedule.bytes);
        }
        gali_text_release(&schedule);
    }
}

/* Of the convolution (i0 i1 i2 i3: batch, map, row, column; k0 k1 k2: row and column of the window, channel) and of the
 * product. */
static const char *const good[][2] = {
    {"vectorize i1 8; split i1 1; split i3 3", "vectorize i1 8; split i1 2; split i0 5"},
    {"vectorize i1 8; split i1 3; split i2 4; unroll k2 4", "vectorize i1 8; split i1 3; split i0 1"},
    {"vectorize i1 8; split i1 2; split i3 2; reorder k0 i3.o",
     "vectorize i1 8; split i1 1; split i0 7; unroll k0 4"},
    {"vectorize i1 8; split i1 2; split i3 4; split k0 1; reorder k0.o i3.o",
     "vectorize i1 8; split i1 2; split i0 4; split k0 300; reorder k0.o i0.o; unroll k0.i 2"},
    {"vectorize i1 8; split i1 2; split i3 4; reorder i3.o i1.o; parallel i2",
     "vectorize i1 8; split i1 4; split i0 6; reorder i0.o i1.o"},
    {"vectorize i1 8; split i1 2; split i3 4; reorder i2 i1.o", "vectorize i1 8; split i1 3; split i0 2"},
    {"vectorize i1 8; split i1 2; split i3 2; reorder k0 i3.o; reorder i2 i1.o",
     "vectorize i1 8; split i1 3; split i0 3"},
    {"vectorize i1 8; split i1 5; parallel i1", "vectorize i1 8; split i1 7; parallel i1"},
};

static const gali_schedule *taken[GROUPS]; /* by what a test runs; NULL: by rules */

static uint32_t left_out; /* bits of GALI_WITHOUT_ */

static gal_status lay_out(gali_program *p, gal_error *error) {
    p->schedules = taken;
    p->without = left_out;
    return gali_program_layout(p, error);
}

static void no_schedule_nor_its_lack_changes_a_bit(void **unused) {
    (void)unused;
    static double x[X], a[M * K];
    gali_arena arena = {0};
    gal_error error = {0};
    gali_graph *graph = network(&arena);
    gali_tensor in[2] = {{.element = GALI_f32, .rank = 4, .shape = {1, CHANNELS, H, W}, .count = X, .real = x},
                         {.element = GALI_f32, .rank = 2, .shape = {M, K}, .count = M * K, .real = a}};
    gali_tensor hand[2], out[2];
    gali_run run = {.graph = graph, .memory_left = GALI_RUN_MEMORY, .work_left = 1e9, .error = &error};
    for (int i = 0; i < X; i++) {
        x[i] = (double)(float)(0.01 * (double)(i * 7907 % 211) - 1);
        a[i % (M * K)] = x[i];
    }
    taken[CONVOLUTION] = taken[PRODUCT] = NULL;
    assert_int_equal(program_run_by(&run, graph, target_of("x86-64-v3"), in, hand, lay_out), GAL_OK);
    const size_t count = sizeof good / sizeof *good;
    for (size_t i = 0; i < count + 2; i++) { /* the last two: without tiles, in the order of axes */
        gali_schedule schedules[2] = {schedule_of(good[i % count][0]), schedule_of(good[i % count][1])};
        taken[CONVOLUTION] = i < count ? &schedules[0] : NULL;
        taken[PRODUCT] = i < count ? &schedules[1] : NULL;
        left_out = i < count ? 0 : i == count ? GALI_WITHOUT_TILE : GALI_WITHOUT_LAYOUT;
        if (program_run_by(&run, graph, target_of("x86-64-v3"), in, out, lay_out) != GAL_OK) {
            fail_msg("%s | %s: %s", good[i % count][0], good[i % count][1], error.message);
        }
        for (int o = 0; o < 2; o++) {
            assert_memory_equal(out[o].real, hand[o].real, hand[o].count * sizeof(double));
            gali_tensor_release(&run, &out[o]);
        }
    }
    gali_tensor_release(&run, &hand[0]);
    gali_tensor_release(&run, &hand[1]);
    gali_arena_release(&arena);
}

/* What docs/onnx.md says of the order of long sums, at a place of the convolution that has its whole window inside. */
static void a_long_sum_is_one_of_blocks(void **unused) {
    (void)unused;
    enum { MAP = 17, ROW = 3, COLUMN = 4 };
    static double x[X], a[M * K];
    gali_arena arena = {0};
    gal_error error = {0};
    gali_graph *graph = network(&arena);
    gali_tensor in[2] = {{.element = GALI_f32, .rank = 4, .shape = {1, CHANNELS, H, W}, .count = X, .real = x},
                         {.element = GALI_f32, .rank = 2, .shape = {M, K}, .count = M * K, .real = a}};
    gali_tensor out[2];
    gali_run run = {.graph = graph, .memory_left = GALI_RUN_MEMORY, .work_left = 1e9, .error = &error};
    float sum = 0;
    for (int i = 0; i < X; i++) {
        x[i] = (double)(float)(0.01 * (double)(i * 7907 % 211) - 1);
    }
    for (int row = 0; row < WINDOW; row++) {
        float block = 0;
        for (int i = 0; i < WINDOW * CHANNELS; i++) {
            int column = i / CHANNELS, channel = i % CHANNELS;
            int weight = ((MAP * CHANNELS + channel) * WINDOW + row) * WINDOW + column;
            double at = x[(channel * H + ROW - 2 + row) * W + COLUMN - 2 + column];
            block = fmaf((float)at, constant_at((uint32_t)weight), block);
        }
        sum += block;
    }
    static const char *const targets[] = {"scalar", "x86-64-v3", "x86-64-v4"};
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        taken[CONVOLUTION] = taken[PRODUCT] = NULL;
        left_out = 0;
        assert_int_equal(program_run_by(&run, graph, target_of(targets[t]), in, out, lay_out), GAL_OK);
        float got = (float)out[0].real[(MAP * H + ROW) * W + COLUMN];
        assert_float_equal(got, sum > 0 ? sum : 0, 0);
        gali_tensor_release(&run, &out[0]);
        gali_tensor_release(&run, &out[1]);
    }
    gali_arena_release(&arena);
}

/* Of the convolution, and what is said of it. */
static const char *const bad[][2] = {
    {"split i1 2", "schedule, entry 1 (split i1 2): vectors come first"},
    {"vectorize i9 8", "schedule, entry 1 (vectorize i9 8): not an axis"},
    {"vectorize i1 16", "schedule, entry 1 (vectorize i1 16): not the lanes of the target"},
    {"vectorize i1 8; vectorize i1 8", "schedule, entry 2 (vectorize i1 8): there are vectors already"},
    {"vectorize i1 8; split i3 2; split i2 2", "schedule, entry 3 (split i2 2): it, or another axis as rows"},
    {"vectorize i1 8; split i3 2; split k2 5", "schedule, entry 3 (split k2 5): not in blocks of one size"},
    {"vectorize i1 8; split i3 2; split k2 4", "schedule: a block stands where nothing goes around it"},
    {"vectorize i1 8; reorder k0 i9.o", "schedule, entry 2 (reorder k0 i9.o): only the sum goes around rows"},
    {"vectorize i1 8; split i3 2; reorder k1 i3.o", "schedule, entry 3 (reorder k1 i3.o): summed axes go out"},
    {"vectorize i1 8; split i3 2; reorder i1.o i3.o", "schedule, entry 3 (reorder i1.o i3.o): summed axes go"},
    {"vectorize i1 8; split i3 4; reorder k0 i3.o; reorder k1 i3.o; split k2 18; reorder k2.o i3.o",
     "schedule: a block of the tile ends within one of the sum"},
    {"vectorize i1 8; split i3 2; reorder i2 i1.o; reorder i2 i1.o",
     "schedule, entry 4 (reorder i2 i1.o): not an axis that panels could go around"},
    {"vectorize i1 8; reorder i3 i1.o; split i3 2",
     "schedule, entry 3 (split i3 2): it, or another axis as rows"},
    {"vectorize i1 8; unroll k0 4", "schedule, entry 2 (unroll k0 4): only the innermost"},
    {"vectorize i1 8; parallel k0", "schedule, entry 2 (parallel k0): not an axis of the result"},
    {"vectorize i1 8; fuse i1 i2", "schedule, entry 2 (fuse i1 i2): not for a sum in a tile"},
    {"vectorize i1 8; split i1 2; parallel i1", "schedule: the parallel axis has no parts of one size"},
    {"", "schedule: nothing is vectorized"},
};

static void wrong_schedules_are_refused(void **unused) {
    (void)unused;
    gali_arena arena = {0};
    gali_program *p = program_of(&arena, "x86-64-v3");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gali_schedule schedule = schedule_of(bad[i][0]);
        gali_lowered lowered;
        gal_error error = {0};
        assert_int_equal(gali_program_lower_by(p, CONVOLUTION, &schedule, &arena, &lowered, &error),
                         GAL_BAD_DATA);
        if (strncmp(error.message, bad[i][1], strlen(bad[i][1])) != 0) {
            fail_msg("\"%s\", expected \"%s\"", error.message, bad[i][1]);
        }
    }
    gali_arena_release(&arena);
}

/* A log of one record for a group, `layer` in logs' words. */
static void make_log(gali_log *log, gali_program *p, uint32_t group, const char *layer, const char *schedule) {
    gali_lowered lowered;
    gali_log_task task;
    gal_error error = {0};
    gali_text loops = loops_of(p, group, NULL, &lowered), line = {0};
    assert_int_equal(gali_program_log_task(p, group, &lowered, &task, &error), GAL_OK);
    assert_string_equal(task.layer, layer);
    gali_text_add(
        &line,
        "\n{\"gallop_tune\": 1, \"group\": \"%s\", \"key\": \"%s\", \"target\": \"x86-64-v3\", "
        "\"machine\": \"m\", \"schedule\": \"%s\", \"ratio\": 0.5, \"seconds\": 1e-5, \"pairs\": 15}\n",
        task.layer, task.key, schedule);
    if (gali_log_parse(log, line.bytes, line.size, "log", &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gali_text_release(&loops);
    gali_text_release(&line);
}

static const char product_layer[] = "MatMul 13 x 50, sums of 600";

static void a_log_changes_the_loops_of_its_group(void **unused) {
    (void)unused;
    gali_arena arena = {0};
    gali_log log = {.count = 0};
    gal_error error = {0};
    gali_lowered lowered;
    uint32_t groups, logged;
    gali_program *p = program_of(&arena, "x86-64-v3");
    make_log(&log, p, PRODUCT, product_layer, good[4][1]);
    gali_text hand = loops_of(p, 1, NULL, &lowered);
    assert_int_equal(gali_program_use_log(p, &log, "log", &groups, &logged, &error), GAL_OK);
    assert_int_equal(groups, 2);
    assert_int_equal(logged, 1);
    assert_null(p->schedules[CONVOLUTION]);
    gali_text tuned = loops_of(p, PRODUCT, p->schedules[PRODUCT], &lowered);
    assert_string_not_equal(tuned.bytes, hand.bytes);
    p->target = target_of("x86-64-v4"); /* of which the log has nothing */
    assert_int_equal(gali_program_use_log(p, &log, "log", &groups, &logged, &error), GAL_OK);
    assert_int_equal(logged, 0);
    gali_text_release(&hand);
    gali_text_release(&tuned);
    gali_log_release(&log);
    gali_arena_release(&arena);
}

static void a_record_of_another_group_is_refused_with_its_line(void **unused) {
    (void)unused;
    gali_arena arena = {0};
    gali_log log = {.count = 0};
    gal_error error = {0};
    uint32_t groups, logged;
    gali_program *p = program_of(&arena, "x86-64-v3");
    make_log(&log, p, PRODUCT, product_layer, "vectorize i1 8; split i3 2");
    assert_int_equal(gali_program_use_log(p, &log, "log", &groups, &logged, &error), GAL_BAD_DATA);
    assert_string_equal(error.message,
                        "log, line 2: schedule, entry 2 (split i3 2): not an axis of the sum's own");
    gali_log_release(&log);
    gali_arena_release(&arena);
}

/* A product whose rows are a number in each version; of both sizes they are an extent that loops have not. */
static gali_program *versions_without_a_whole(gali_arena *arena) {
    static const int64_t each[][2] = {{3, 3}, {4, 4}};
    gali_text text = {0};
    gali_graph *graph;
    gal_error error = {0};
    gali_run run = {.error = &error};
    gali_program *p = NULL;
    gali_text_add(&text, "symbol s 3..4\ninput %%0 \"x\": f32[s, quotient(s, -2) + 15, 600]\n");
    add_constant(&text, 1, "600, 50", K * N);
    gali_text_add(&text, "%%2 \"product\": f32[...] = MatMul (%%0, %%1)\noutput %%2\n");
    if (gali_graph_parse(&graph, text.bytes, text.size, arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK ||
        program_make(&run, graph, target_of("x86-64-v3"), gali_program_layout, &p) != GAL_OK ||
        gali_program_add_versions(p, &(gali_size_parts){"s", 2, each}, 1, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gali_text_release(&text);
    assert_int_equal(p->version_count, 2);
    return p;
}

static void what_versions_fail_with_is_said(void **unused) {
    (void)unused;
    gali_arena arena = {0};
    gali_log log = {.count = 0};
    gal_error error = {0};
    uint32_t groups, logged;
    gali_program *p = versions_without_a_whole(&arena);
    make_log(&log, p->versions[0].narrow, 0, "MatMul 3 x 13 x 50, sums of 600", "vectorize i2 8; split i1 2");
    assert_int_equal(gali_program_use_log(p, &log, "log", &groups, &logged, &error), GAL_UNSUPPORTED);
    assert_non_null(strstr(error.message, "an operand may be negative"));
    gali_log_release(&log);
    gali_arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedules_come_back),
        cmocka_unit_test(rows_go_around_short_panels),
        cmocka_unit_test(rows_of_open_size_are_nearly_equal),
        cmocka_unit_test(open_rows_and_vectors_have_few_forms),
        cmocka_unit_test(axes_go_around_panels),
        cmocka_unit_test(no_schedule_nor_its_lack_changes_a_bit),
        cmocka_unit_test(a_long_sum_is_one_of_blocks),
        cmocka_unit_test(wrong_schedules_are_refused),
        cmocka_unit_test(a_log_changes_the_loops_of_its_group),
        cmocka_unit_test(a_record_of_another_group_is_refused_with_its_line),
        cmocka_unit_test(what_versions_fail_with_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
