/*
 * Sizes that change with every call: one emitted run, one workspace for the largest of them, the truth's results and the
 * bits of what is compiled for each size; and sizes that do not fit are refused.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/program/versions.h"
#include "program_check.h"

enum { BATCH_MOST = 5, WINDOW_MOST = 40, FEATURES = 8, GUARD = 256, CALLS = 60 };

/*
 * A controller whose batch and window are both free: attention over a window of features, a pose from its mean. %s are
 * its sizes.
 */
static const char controller[] =
    "input %%0: f32[%s, %s, 8]\nconstant %%1: f32[8, 8] = ELEMENTS\nconstant %%2: i64[1] = 1\n"
    "%%3: f32[...] = MatMul (%%0, %%1)\n%%4: f32[...] = Transpose (%%0) perm:ints=0,2,1\n"
    "%%5: f32[...] = MatMul (%%3, %%4)\n%%6: f32[...] = Softmax (%%5)\n%%7: f32[...] = MatMul (%%6, %%0)\n"
    "%%8: f32[...] = Add (%%7, %%0)\n%%9: f32[...] = Concat (%%8, %%3) axis:int=2\n%%10: f32[...] = Tanh "
    "(%%9)\n"
    "%%11: f32[...] = ReduceMean (%%10, %%2) keepdims:int=0\noutput %%11\noutput %%8\n";

/* The controller with its weights, for sizes that are numbers or symbols. */
static void open_controller(fixture *f, const char *batch, const char *window) {
    gali_text text = {0}, filled = {0};
    gali_text_add(&text, "symbol batch 1..%d\nsymbol window 1..%d\n", BATCH_MOST, WINDOW_MOST);
    gali_text_add(&text, controller, batch, window);
    const char *at = strstr(text.bytes, "ELEMENTS");
    gali_text_add_bytes(&filled, text.bytes, (size_t)(at - text.bytes));
    for (int i = 0; i < FEATURES * FEATURES; i++) {
        gali_text_add(&filled, " %d.%d", i % 3 - 1, i * 7 % 10);
    }
    gali_text_add(&filled, "%s", at + strlen("ELEMENTS"));
    open_text(f, filled.bytes);
    gali_text_release(&text);
    gali_text_release(&filled);
}

typedef struct sizes_run {
    fixture f;
    void *library;
    call *run;
    size_t (*workspace)(const uint32_t *sizes);
    const void *weights;
} sizes_run;

/* list: ranges of sizes for which groups have versions. */
static void build_versions(sizes_run *r, const gali_target *target, const gali_size_parts *list,
                           uint32_t count) {
    gali_program *program;
    assert_int_equal(program_make(&r->f.run, r->f.graph, target, gali_program_layout, &program), GAL_OK);
    assert_int_equal(gali_program_add_versions(program, list, count, &r->f.error), GAL_OK);
    r->library = program_build(program);
    *(void **)&r->run = dlsym(r->library, "model_call");
    *(void **)&r->workspace = dlsym(r->library, "model_call_workspace");
    r->weights = *(const unsigned char *const *)dlsym(r->library, "model_weights");
}

static void build(sizes_run *r) {
    build_versions(r, NULL, NULL, 0);
}

static void close_run(sizes_run *r) {
    dlclose(r->library);
    gali_arena_release(&r->f.arena);
}

typedef struct numbers_of {
    float in[BATCH_MOST * WINDOW_MOST * FEATURES];
    float pose[BATCH_MOST * 2 * FEATURES], mixed[BATCH_MOST * WINDOW_MOST * FEATURES];
} numbers_of;

static void draw(numbers_of *n, uint32_t *state) {
    for (size_t i = 0; i < sizeof n->in / sizeof *n->in; i++) {
        *state = *state * 1664525u + 1013904223u;
        n->in[i] = (float)(*state >> 8) / (float)(1 << 23) - 1;
    }
}

static int run_on(const sizes_run *r, uint32_t batch, uint32_t window, numbers_of *n, void *workspace) {
    uint32_t sizes[] = {batch, window};
    const void *in[] = {n->in};
    void *out[] = {n->pose, n->mixed};
    return r->run(sizes, in, out, r->weights, workspace);
}

/* The truth's outputs; within 1e-5. */
static void compare_truth(sizes_run *r, uint32_t batch, uint32_t window, const numbers_of *n) {
    gali_tensor outputs[2] = {{.count = 0}}, input;
    const int64_t shape[] = {batch, window, FEATURES};
    assert_int_equal(gali_tensor_make(&r->f.run, &input, GALI_f32, 3, shape), GAL_OK);
    for (size_t i = 0; i < input.count; i++) {
        input.real[i] = (double)n->in[i];
    }
    assert_int_equal(gali_graph_evaluate(&r->f.run, r->f.graph, &input, outputs), GAL_OK);
    for (uint32_t k = 0; k < 2; k++) {
        const float *found = k ? n->mixed : n->pose;
        for (size_t i = 0; i < outputs[k].count; i++) {
            assert_true(fabs((double)found[i] - outputs[k].real[i]) <= 1e-5 * (1 + fabs(outputs[k].real[i])));
        }
        gali_tensor_release(&r->f.run, &outputs[k]);
    }
    gali_tensor_release(&r->f.run, &input);
}

static void test_sizes_change_with_every_call(void **state) {
    (void)state;
    sizes_run open;
    static numbers_of n;
    uint32_t random = 1, largest[] = {BATCH_MOST, WINDOW_MOST};
    open_controller(&open.f, "batch", "window");
    build(&open);
    size_t bytes = open.workspace(largest); /* asked for once */
    unsigned char *memory = aligned_alloc(64, (bytes + GUARD + 63) / 64 * 64);
    assert_non_null(memory);
    for (uint32_t i = 0; i < CALLS; i++) {
        uint32_t batch = 1 + i * 7 % BATCH_MOST, window = 1 + i * 11 % WINDOW_MOST, own[] = {batch, window};
        assert_true(open.workspace(own) <= bytes);
        memset(memory, 0xa5, bytes + GUARD); /* what was there before does not matter; what is behind stays */
        draw(&n, &random);
        assert_int_equal(run_on(&open, batch, window, &n, memory), 0);
        compare_truth(&open, batch, window, &n);
        for (size_t k = open.workspace(own); k < bytes + GUARD; k++) {
            assert_int_equal(memory[k], 0xa5);
        }
    }
    assert_int_equal(run_on(&open, BATCH_MOST + 1, 1, &n, memory), -1);
    free(memory);
    close_run(&open);
}

static void test_bits_are_those_of_fixed_sizes(void **state) {
    (void)state;
    static const uint32_t cases[][2] = {{1, 1}, {3, 17}, {5, 40}};
    static numbers_of a, b;
    static _Alignas(64) unsigned char memory[WORKSPACE];
    sizes_run open;
    open_controller(&open.f, "batch", "window");
    build(&open);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sizes_run fixed;
        char batch[16], window[16];
        uint32_t random = 1;
        snprintf(batch, sizeof batch, "%u", cases[i][0]);
        snprintf(window, sizeof window, "%u", cases[i][1]);
        open_controller(&fixed.f, batch, window);
        build(&fixed);
        memset(&a, 0, sizeof a);
        draw(&a, &random);
        b = a;
        assert_int_equal(run_on(&open, cases[i][0], cases[i][1], &a, memory), 0);
        assert_int_equal(run_on(&fixed, cases[i][0], cases[i][1], &b, memory), 0);
        assert_memory_equal(&a, &b, sizeof a);
        close_run(&fixed);
    }
    close_run(&open);
}

/*
 * A version for each range, of one value and of several, in plain C and in vectors: all sizes have the bits of no version. The
 * last one, which is for what no other's test takes, is of one value: what comes to it wrongly is seen.
 */
static void test_versions_have_the_same_bits(void **state) {
    (void)state;
    static const int64_t batch[][2] = {{4, 9}, {2, 3}, {1, 1}}, window[][2] = {{2, 40}, {1, 1}};
    static const gali_size_parts parts[] = {{"batch", 3, batch}, {"window", 2, window}, {"none", 2, window}};
    static numbers_of a, b;
    static _Alignas(64) unsigned char memory[WORKSPACE];
    sizes_run plain, versions;
    uint32_t random = 1;
    for (int vectors = 0; vectors < 2; vectors++) {
        open_controller(&plain.f, "batch", "window");
        open_controller(&versions.f, "batch", "window");
        build(&plain);
        const gali_target *target = vectors ? gali_target_find("native", &versions.f.error) : NULL;
        build_versions(&versions, target, parts, 3);
        for (uint32_t i = 0; i < CALLS; i++) {
            uint32_t sizes[] = {1 + i * 7 % BATCH_MOST, 1 + i * 11 % WINDOW_MOST};
            memset(&a, 0, sizeof a);
            draw(&a, &random);
            b = a;
            assert_int_equal(plain.workspace(sizes), versions.workspace(sizes));
            assert_int_equal(run_on(&plain, sizes[0], sizes[1], &a, memory), 0);
            assert_int_equal(run_on(&versions, sizes[0], sizes[1], &b, memory), 0);
            assert_memory_equal(&a, &b, sizeof a);
        }
        close_run(&plain);
        close_run(&versions);
    }
}

/* As many versions as ranges have combinations, for the groups that have the sizes; past the limit they are refused. */
static void test_versions_are_counted(void **state) {
    (void)state;
    static const int64_t batch[][2] = {{1, 1}, {2, 5}},
                         window[][2] = {{1, 9}, {10, 19}, {20, 29}, {30, 39}, {40, 49}};
    static const gali_size_parts parts[] = {{"batch", 2, batch}, {"window", 5, window}};
    uint32_t versions[GALI_PROGRAM_VERSIONS_MAX], most = 0;
    gali_program *program;
    fixture f;
    open_controller(&f, "batch", "window");
    assert_int_equal(program_make(&f.run, f.graph, NULL, gali_program_layout, &program), GAL_OK);
    assert_int_equal(gali_program_add_versions(program, parts, 2, &f.error), GAL_BAD_ARGUMENT);
    assert_non_null(strstr(f.error.message, "more than 8 versions"));
    assert_int_equal(gali_program_add_versions(program, parts, 1, &f.error), GAL_OK);
    for (uint32_t g = 0; g < program->group_count; g++) {
        uint32_t count = gali_program_group_versions(program, g, versions);
        most = count > most ? count : most;
        assert_true(count == 0 || count == 2);
    }
    assert_int_equal(most, 2);
    gali_arena_release(&f.arena);
}

static void run_line(const char *line) {
    if (system(line) != 0) {
        fail_msg("%s", line);
    }
}

/* model.h and model.c of the controller in a folder of this process'. */
static void write_controller(const gali_target *target, char folder[32]) {
    gali_program *program;
    fixture f;
    gali_text parts[GAL_COMPILED_PART_COUNT] = {{0}};
    char line[64];
    open_controller(&f, "batch", "window");
    assert_int_equal(program_make(&f.run, f.graph, target, gali_program_layout, &program), GAL_OK);
    assert_int_equal(gali_emit_program(program, &(gali_emit_desc){"model", "a test", 0}, parts, &f.error),
                     GAL_OK);
    snprintf(folder, 32, "sizes_%d", (int)getpid());
    snprintf(line, sizeof line, "mkdir -p %s", folder);
    run_line(line);
    snprintf(line, sizeof line, "%s/model.h", folder);
    program_write(line, &parts[GAL_COMPILED_HEADER]);
    snprintf(line, sizeof line, "%s/model.c", folder);
    program_write(line, &parts[GAL_COMPILED_SOURCE]);
    for (int i = 0; i < GAL_COMPILED_PART_COUNT; i++) {
        gali_text_release(&parts[i]);
    }
    gali_arena_release(&f.arena);
}

static void remove_folder(const char *folder) {
    char line[64];
    snprintf(line, sizeof line, "rm -r %s", folder);
    run_line(line);
}

/* What a run calls of the system: copies and libm. Whatever could allocate, lock or plan is none of it. */
static void test_nothing_is_named_that_allocates(void **state) {
    (void)state;
    static const char *const may[] = {
        "memcpy", "memset", "memmove", "memcmp",          "fmaf", "fma", "tanhf",
        "expf",   "tanh",   "exp",     "__stack_chk_fail" /* Ubuntu's gcc guards stacks unasked */};
    char line[256], folder[32];
    write_controller(NULL, folder);
    snprintf(line, sizeof line,
             "cd %s && cc -std=c11 -O1 -ffp-contract=off -c model.c && nm --undefined-only -P model.o >names",
             folder);
    run_line(line);
    snprintf(line, sizeof line, "%s/names", folder);
    FILE *names = fopen(line, "r");
    assert_non_null(names);
    while (fgets(line, sizeof line, names)) {
        size_t known = 0;
        line[strcspn(line, " \n")] = 0;
        while (known < sizeof may / sizeof *may && strcmp(may[known], line) != 0) {
            known++;
        }
        if (known == sizeof may / sizeof *may) {
            fail_msg("a run calls %s", line);
        }
    }
    fclose(names);
    remove_folder(folder);
}

/*
 * Sizes that change with every call, in plain C and in vectors, where the allocator and the system are traps
 * (sizes_trap.c), which are seen to spring first.
 */
static void test_nothing_is_asked_for(void **state) {
    (void)state;
    gal_error error = {0};
    for (int vectors = 0; vectors < 2; vectors++) {
        char line[512], folder[32];
        write_controller(vectors ? gali_target_find("native", &error) : NULL, folder);
        snprintf(line, sizeof line,
                 "cd %s && cc -std=c11 -O2 %s -ffp-contract=off -I. -o trap %s/test/compiler/sizes_trap.c "
                 "model.c -lm",
                 folder, vectors ? "-march=native" : "", GALLOP_SOURCE_DIR);
        run_line(line);
        snprintf(line, sizeof line, "cd %s && ./trap allocates; test $? = 3", folder);
        run_line(line);
        snprintf(line, sizeof line, "cd %s && { ./trap asks; test $? = 137; } 2>names", folder);
        run_line(line);
        snprintf(line, sizeof line, "cd %s && ./trap", folder);
        run_line(line);
        remove_folder(folder);
    }
}

/* ---- sizes that do not fit ---- */

/* What loops and C say of a graph: both refuse, or neither. */
static int result_by(const char *text, const gali_tensor *inputs, const gali_size_parts *list, uint32_t count) {
    fixture f;
    gali_tensor looped[PORTS_MAX] = {{0}}, compiled[PORTS_MAX] = {{0}}, expected[PORTS_MAX] = {{0}};
    gali_program *program;
    uint32_t calls = 0;
    open_text(&f, text);
    gal_status truth = gali_graph_evaluate(&f.run, f.graph, inputs, expected);
    gal_status loops = program_run_counted(&f.run, f.graph, NULL, gali_program_layout, inputs, looped, &calls);
    assert_int_equal(program_make(&f.run, f.graph, NULL, gali_program_layout, &program), GAL_OK);
    assert_int_equal(gali_program_add_versions(program, list, count, &f.error), GAL_OK);
    int result = run_c(&f, program, inputs, expected, compiled);
    assert_int_equal(result == 0, loops == GAL_OK);
    assert_int_equal(result == 0, truth == GAL_OK);
    for (uint32_t i = 0; i < f.graph->output_count; i++) {
        if (result == 0) {
            compare(&looped[i], &expected[i], "loops");
            compare(&compiled[i], &expected[i], "C");
        }
        gali_tensor_release(&f.run, &looped[i]);
        gali_tensor_release(&f.run, &compiled[i]);
        gali_tensor_release(&f.run, &expected[i]);
    }
    gali_arena_release(&f.arena);
    return result;
}

static int result_of(const char *text, const gali_tensor *inputs) {
    return result_by(text, inputs, NULL, 0);
}

static gali_tensor list_of(int64_t count, double *numbers) {
    return (gali_tensor){
        .element = GALI_f32, .rank = 1, .shape = {count}, .count = (size_t)count, .real = numbers};
}

/* Which version runs of a group is asked of its own sizes: the other product's leave it alone. */
static void test_versions_of_their_own_sizes(void **state) {
    (void)state;
    static double numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const char *const text = "symbol a 1..9\nsymbol b 1..9\ninput %0: f32[a]\ninput %1: f32[b]\n"
                             "constant %2: f32[1, 3] = 1 2 3\nconstant %3: i64[1] = 1\n"
                             "%4: f32[...] = Unsqueeze (%0, %3)\n%5: f32[...] = MatMul (%4, %2)\n"
                             "%6: f32[...] = Unsqueeze (%1, %3)\n%7: f32[...] = MatMul (%6, %2)\n"
                             "output %5\noutput %7\n";
    static const int64_t ranges[][2] = {{2, 9}, {1, 1}};
    static const gali_size_parts parts[] = {{"a", 2, ranges}, {"b", 2, ranges}};
    for (int64_t a = 1; a <= 9; a += 4) {
        for (int64_t b = 1; b <= 9; b += 4) {
            gali_tensor inputs[] = {list_of(a, numbers), list_of(b, numbers)};
            assert_int_equal(result_by(text, inputs, parts, 2), 0);
        }
    }
}

/* Two open sizes that are broadcast: the same, or one of them 1. */
static void test_broadcast_sizes(void **state) {
    (void)state;
    static double numbers[] = {1, 2, 3, 4, 5, 6};
    const char *const text = "symbol a 1..100\nsymbol b 1..100\ninput %0: f32[a]\ninput %1: f32[b]\n"
                             "%2: f32[...] = Mul (%0, %1)\n%3: f32[...] = Add (%2, %0)\noutput %3\n";
    static const int64_t cases[][3] = {{3, 3, 0}, {1, 4, 0}, {4, 1, 0}, {3, 5, -1}, {5, 3, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gali_tensor inputs[] = {list_of(cases[i][0], numbers), list_of(cases[i][1], numbers)};
        assert_int_equal(result_of(text, inputs), cases[i][2]);
    }
}

typedef struct refused {
    uint32_t a, b;
    const char *why;
} refused;

/* What a graph of the sizes a and b says of each of `count` pairs. */
static void expect_refusals(const char *text, const refused *cases, size_t count) {
    fixture f;
    gali_program *program;
    const char *(*refusal)(uint32_t, uint32_t);
    open_text(&f, text);
    assert_int_equal(program_make(&f.run, f.graph, NULL, gali_program_layout, &program), GAL_OK);
    void *library = program_build(program);
    *(void **)&refusal = dlsym(library, "model_refusal");
    assert_non_null(refusal);
    for (size_t i = 0; i < count; i++) {
        const char *why = refusal(cases[i].a, cases[i].b);
        if (!why != !cases[i].why || (why && strcmp(why, cases[i].why) != 0)) {
            fail_msg("%u, %u: %s", cases[i].a, cases[i].b, why ? why : "nothing");
        }
    }
    dlclose(library);
    gali_arena_release(&f.arena);
}

/*
 * The run's -1 has a reason; what a table of nine places refuses is not in the size's range. Slopes
 * are as many as places or one: never more.
 */
static void test_refusals_say_why(void **state) {
    (void)state;
    static const refused sums[] = {{3, 3, NULL},
                                   {1, 4, NULL},
                                   {9, 9, NULL},
                                   {10, 10, "size_a is not in 1..9"},
                                   {0, 3, "size_a is not in 1..9"},
                                   {3, 1, "size_b is not in 2..100"},
                                   {3, 4, "a and b are not the same, nor is one of them 1"}};
    static const refused slopes[] = {{4, 4, NULL},
                                     {4, 1, NULL},
                                     {1, 4, "b is more than a"},
                                     {4, 3, "b and a are not the same, nor is one of them 1"}};
    expect_refusals("symbol a 1..100\nsymbol b 2..100\ninput %0: f32[a]\ninput %1: f32[b]\n"
                    "constant %2: f32[9] = 1 2 3 4 5 6 7 8 9\n%3: i64[...] = Shape (%0)\n"
                    "constant %4: i64[1] = 0\n%5: f32[...] = Slice (%2, %4, %3)\n%6: f32[...] = Add (%0, %5)\n"
                    "%7: f32[...] = Mul (%6, %1)\noutput %7\n",
                    sums, sizeof sums / sizeof *sums);
    expect_refusals("symbol a 1..100\nsymbol b 1..100\ninput %0: f32[3, a]\ninput %1: f32[b]\n"
                    "%2: f32[3, a] = PRelu (%0, %1)\noutput %2\n",
                    slopes, sizeof slopes / sizeof *slopes);
}

/*
 * Sizes of two inputs that are halved may fall below 0: rounded down, they leave nothing, where a half cut to 0 would leave one
 * element. A window that is larger than the input is refused.
 */
static void test_sizes_that_leave_nothing(void **state) {
    (void)state;
    static double numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const int64_t cases[][2] = {{1, 1}, {3, 6}, {5, 4}, {5, 3}, {9, 1}};
    static const int64_t windows[][3] = {{6, 3, 0}, {4, 4, 0}, {4, 5, 0}, {4, 6, 0}, {4, 7, -1}, {1, 9, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gali_tensor inputs[] = {list_of(cases[i][0], numbers), list_of(cases[i][1], numbers)};
        check("symbol n 1..9\nsymbol m 1..9\ninput %0: f32[n]\ninput %1: f32[m]\nconstant %2: i64[] = 0\n"
              "constant %3: i64[] = 1\nconstant %4: i64[] = 2\n%5: i64[...] = Shape (%0)\n"
              "%6: i64[...] = Shape (%1)\n%7: i64[] = Gather (%5, %2)\n%8: i64[] = Gather (%6, %2)\n"
              "%9: i64[] = Add (%8, %3)\n%10: i64[...] = Range (%7, %9, %4)\noutput %10\n",
              inputs);
    }
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        gali_tensor inputs[] = {list_of(windows[i][0], numbers), list_of(windows[i][1], numbers)};
        for (int k = 0; k < 2; k++) {
            inputs[k].rank = 3;
            inputs[k].shape[2] = inputs[k].shape[0];
            inputs[k].shape[0] = inputs[k].shape[1] = 1;
        }
        assert_int_equal(result_of("symbol n 1..9\nsymbol m 1..9\ninput %0: f32[1, 1, n]\n"
                                   "input %1: f32[1, 1, m]\n%2: f32[...] = Conv (%0, %1) strides:ints=2\n"
                                   "output %2\n",
                                   inputs),
                         windows[i][2]);
    }
}

/* A Range of nothing, for the least of sizes: what is made of it is empty, its sum 0. */
static void test_ranges_of_nothing(void **state) {
    (void)state;
    static double numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    for (int64_t n = 1; n <= 9; n += 2) {
        gali_tensor inputs[] = {list_of(n, numbers)};
        check(
            "symbol n 1..9\ninput %0: f32[n]\nconstant %1: i64[] = 0\nconstant %2: i64[] = 4\n"
            "constant %3: i64[] = 2\nconstant %4: i64[1] = 2\n%5: i64[...] = Shape (%0)\n"
            "%6: i64[] = Gather (%5, %1)\n%7: i64[] = Sub (%6, %2)\n%8: i64[...] = Range (%1, %7, %3)\n"
            "%9: i64[...] = Tile (%8, %4)\n%10: i64[...] = ReduceSum (%8)\noutput %8\noutput %9\noutput %10\n",
            inputs);
    }
}

/* A shape that is an input keeps the elements, or the run says no. */
static void test_told_sizes(void **state) {
    (void)state;
    static double numbers[] = {1, 2, 3, 4, 5, 6};
    const char *const text =
        "symbol a 1..100\ninput %0: f32[a]\ninput %1: i64[2]\nconstant %2: f32[3, 2] = 1 2 3 4 5 6\n"
        "%3: f32[...] = Reshape (%0, %1)\n%4: f32[...] = MatMul (%3, %2)\noutput %4\n";
    static int64_t shapes[][3] = {{2, 3, 0}, {3, 2, -2}, {2, 2, -2}, {1, 3, -2}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        gali_tensor inputs[] = {list_of(6, numbers),
                                {.element = GALI_i64, .rank = 1, .shape = {2}, .count = 2, .whole = shapes[i]}};
        assert_int_equal(result_of(text, inputs), shapes[i][2]);
    }
}

/* What i32 might not hold is demanded of a size that is cast to it, and nothing where its range says so. */
static void test_sizes_are_cast_to_i32(void **state) {
    (void)state;
    for (int known = 0; known < 2; known++) {
        fixture f;
        gali_program *program;
        char text[256];
        snprintf(text, sizeof text,
                 "symbol a 1..%d000000000\ninput %%0: f32[a]\n%%1: i64[...] = Shape (%%0)\n"
                 "%%2: i32[...] = Cast (%%1) to:int=6\noutput %%2\n",
                 known ? 2 : 3);
        open_text(&f, text);
        assert_int_equal(gali_program_make(&program, f.graph, &f.arena, &f.error), GAL_OK);
        assert_int_equal(program->demands != NULL, !known);
        assert_true(known || program->demands->kind == GALI_DEMAND_MOST);
        gali_arena_release(&f.arena);
    }
}

/* A size that only running tells has the most that is asked for: less memory, and a run that says no. */
static void test_told_sizes_that_are_asked_for(void **state) {
    (void)state;
    static double numbers[] = {1, 2, 3, 4, 5, 6};
    const char *const text = "symbol a 1..100\ninput %0: f32[a]\ninput %1: i64[2]\n"
                             "%2: f32[...] = Reshape (%0, %1)\n%3: f32[...] = Softmax (%2)\noutput %3\n";
    static int64_t shape[] = {2, 3};
    gali_tensor inputs[] = {list_of(6, numbers),
                            {.element = GALI_i64, .rank = 1, .shape = {2}, .count = 2, .whole = shape}};
    for (int64_t most = 2; most <= 3; most++) {
        fixture f = {.error = {0}};
        gali_tensor compiled[PORTS_MAX] = {{0}}, expected[PORTS_MAX] = {{0}};
        gali_program *program;
        assert_int_equal(gali_graph_parse(&f.graph, text, strlen(text), &f.arena, &f.error), GAL_OK);
        gali_extent_ask(f.graph->extents, "told_2", most);
        assert_int_equal(gali_graph_infer(f.graph, &f.error), GAL_OK);
        f.run = (gali_run){
            .graph = f.graph, .memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = &f.error};
        assert_int_equal(gali_graph_evaluate(&f.run, f.graph, inputs, expected), GAL_OK);
        assert_int_equal(program_make(&f.run, f.graph, NULL, gali_program_layout, &program), GAL_OK);
        assert_int_equal(run_c(&f, program, inputs, expected, compiled), most == 3 ? 0 : -2);
        gali_tensor_release(&f.run, &compiled[0]);
        gali_tensor_release(&f.run, &expected[0]);
        gali_arena_release(&f.arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_change_with_every_call),
        cmocka_unit_test(test_bits_are_those_of_fixed_sizes),
        cmocka_unit_test(test_versions_have_the_same_bits),
        cmocka_unit_test(test_versions_are_counted),
        cmocka_unit_test(test_versions_of_their_own_sizes),
        cmocka_unit_test(test_nothing_is_named_that_allocates),
        cmocka_unit_test(test_nothing_is_asked_for),
        cmocka_unit_test(test_broadcast_sizes),
        cmocka_unit_test(test_refusals_say_why),
        cmocka_unit_test(test_sizes_that_leave_nothing),
        cmocka_unit_test(test_ranges_of_nothing),
        cmocka_unit_test(test_told_sizes),
        cmocka_unit_test(test_sizes_are_cast_to_i32),
        cmocka_unit_test(test_told_sizes_that_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
