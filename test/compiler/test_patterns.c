/* Convolutions whose weights follow patterns: which they are, that results are the convolution's, in loops and in C, the same bits for
 * any target and schedule. */
#include <dlfcn.h>
#include <string.h>

#include "compiler/lower/recorded.h"
#include "convolution.h"
#include "cpu/cpu.h"
#include "program_build.h"

/* Places of windows, row by row. */
static const uint16_t shapes[] = {0x1B, 0x36,  0xD8, 0x1B0, 0xB2,  0x5C,  0x93,
                                  0x39, 0x138, 0x17, 0x74,  0x134, 0x1D0, 0x99};

enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef struct patterns_case {
    int64_t batch, channels, maps, height, width; /* batch 0: open */
    const char *attributes;
    uint32_t patterns, kept;             /* of the shapes; kernels in a hundred */
    uint32_t stages;                     /* that sum over kernels; 0: it is none of them */
    enum { FINISHED, INPUT_ADDED } then; /* finished differently at each place */
} patterns_case;

/* Few patterns and channels where pictures are large: what has no target looks at each pattern's longest filter. */
static const patterns_case cases[] = {
    {1, 12, 16, 9, 14, "pads:ints=1,1,1,1", 8, 28, 1, FINISHED},
    /* in fields with vectors of 16: 4 x 4 of 5 x 5; in two blocks; 2 x 8 of 6 x 9, no border; 4 x 4 of 4 x 6, and one finish
     * for each place; in strips, with a border on some sides */
    {1, 6, 16, 20, 20, "pads:ints=1,1,1,1", 3, 30, 1, FINISHED},
    {1, 350, 16, 20, 20, "pads:ints=1,1,1,1", 2, 2, 2, FINISHED},
    {0, 6, 16, 14, 74, "", 3, 30, 1, FINISHED},
    {1, 16, 16, 16, 24, "pads:ints=1,1,1,1", 3, 28, 1, INPUT_ADDED},
    {1, 6, 16, 17, 72, "pads:ints=0,2,1,0", 3, 30, 1, FINISHED},
    /* with vectors of 16, rows of 14 that are rotated: two beside each other; two blocks; two rows of tiles; a border nowhere */
    {0, 16, 16, 6, 28, "pads:ints=1,1,1,1", 3, 28, 1, INPUT_ADDED},
    {1, 480, 16, 5, 14, "pads:ints=1,1,1,1", 2, 3, 2, FINISHED},
    {1, 6, 16, 15, 28, "pads:ints=1,1,1,1", 3, 30, 1, FINISHED},
    {1, 6, 16, 7, 16, "", 8, 30, 1, FINISHED},
    /* in neither */
    {0, 6, 16, 13, 7, "pads:ints=0,2,1,0", 12, 30, 1, FINISHED},
    {1, 600, 16, 6, 9, "", 1, 10, 2, FINISHED},
    {1, 50, 16, 14, 9, "pads:ints=1,1,1,1", 2, 10, 1, FINISHED}, /* whose tiles are of 14 rows, or of 7 */
    {2, 20, 20, 10, 13, "pads:ints=1,1,1,1", 3, 20, 1, INPUT_ADDED},
    /* otherwise */
    {1, 16, 16, 7, 7, "pads:ints=1,1,1,1", 13, 28, 0, FINISHED},
    {1, 16, 16, 7, 7, "pads:ints=1,1,1,1 strides:ints=2,2", 8, 28, 0, FINISHED},
    {1, 16, 16, 7, 7, "pads:ints=1,1,1,1 group:int=2", 8, 28, 0, FINISHED},
};

/* Cases from FIELDS on are in fields, from ROTATED on of rows that are rotated. */
enum { NO_FIELDS, FIELDS, IN_FIELDS = 5, ROTATED = FIELDS + IN_FIELDS, ARE_ROTATED = 4 };

/* What the input goes through before it is cut into fields, and the extents of its axes 1 to 3. */
static const struct {
    const char *by;
    int64_t extent[3];
    patterns_case of;
} moved[] = {
    {"Transpose (%0) perm:ints=0,3,1,2",
     {20, 20, 6},
     {1, 6, 16, 20, 20, "pads:ints=1,1,1,1", 3, 30, 1, FINISHED}},
    {"Transpose (%0) perm:ints=0,1,3,2", {6, 22, 22}, {1, 6, 16, 22, 22, "", 3, 30, 1, FINISHED}},
    {"Concat (%0, %0) axis:int=1", {3, 22, 22}, {1, 6, 16, 22, 22, "", 3, 30, 1, FINISHED}},
    {"Relu (%0)", {6, 20, 20}, {1, 6, 16, 20, 20, "pads:ints=1,1,1,1", 3, 30, 1, FINISHED}},
    {"Mul (%0, %0)", {6, 22, 22}, {1, 6, 16, 22, 22, "", 3, 30, 1, FINISHED}},
};

static float weight_of(const patterns_case *of, int64_t kernel, int place) {
    uint32_t by = (uint32_t)(kernel * 7919 % 1009);
    int kept =
        by % 100 < of->kept && kernel % (9 * of->channels) > 0; /* the first kernels of some filters are gone */
    return kept && shapes[by % of->patterns] >> place & 1
               ? (float)((kernel * 9 + place) * 7907 % 1013) / 1013 - 0.4F
               : 0;
}

static float weight_at(const void *of, int64_t i) {
    return weight_of(of, i / 9, (int)(i % 9));
}

static gali_graph *network(const patterns_case *of, gali_arena *arena) {
    char batch[8] = "b", input[64], weights[64];
    const int64_t from = of->channels / (strstr(of->attributes, "group") ? 2 : 1);
    if (of->batch) {
        snprintf(batch, sizeof batch, "%lld", (long long)of->batch);
    }
    snprintf(input, sizeof input, "%s, %lld, %lld, %lld", batch, (long long)of->channels, (long long)of->height,
             (long long)of->width);
    snprintf(weights, sizeof weights, "%lld, %lld, 3, 3", (long long)of->maps, (long long)from);
    const convolution c = {.symbols = "symbol b 1..3\n",
                           .input = input,
                           .weights = weights,
                           .attributes = of->attributes,
                           .maps = of->maps,
                           .weight_count = of->maps * from * 9,
                           .weight = weight_at,
                           .of = of,
                           .adds_input = of->then == INPUT_ADDED};
    return convolution_graph(&c, arena);
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
static void check_loops(gali_run *run, const gali_graph *graph, const gali_target *target, const gali_tensor *x,
                        const gali_tensor *y) {
    gali_program *program;
    (void)x;
    (void)y;
    assert_int_equal(program_make(run, graph, target, gali_program_layout, &program), GAL_OK);
    for (uint32_t i = 0; i < program->stage_count; i++) {
        const gali_program_stage *stage = &program->stages[i];
        gali_lowered lowered;
        gali_text text = {0};
        if (stage->gone || !stage->patterns || stage->patterns->makes_tiles) {
            continue;
        }
        assert_int_equal(gali_program_lower(program, stage->group, program->arena, &lowered, run->error),
                         GAL_OK);
        gali_loop_print(lowered.function, &text);
        assert_non_null(strstr(text.bytes, "lookup(t_reorder_"));
        assert_false(lowered.plain);
        gali_text_release(&text);
    }
}

/* The network of a case of `moved`. */
static gali_graph *moved_network(size_t i, gali_arena *arena) {
    const patterns_case *of = &moved[i].of;
    char input[64];
    snprintf(input, sizeof input, "1, %lld, %lld, %lld", (long long)moved[i].extent[0],
             (long long)moved[i].extent[1], (long long)moved[i].extent[2]);
    const convolution c = {.symbols = "",
                           .input = input,
                           .weights = "16, 6, 3, 3",
                           .attributes = of->attributes,
                           .maps = of->maps,
                           .weight_count = of->maps * of->channels * 9,
                           .weight = weight_at,
                           .of = of,
                           .before = moved[i].by};
    return convolution_graph(&c, arena);
}

static gali_tensor input_of(const patterns_case *of) {
    return (gali_tensor){.rank = 4, .shape = {of->batch ? of->batch : 2, of->channels, of->height, of->width}};
}

typedef int call(uint32_t *sizes, const void *const *inputs, void *const *outputs, const void *weights,
                 void *workspace);

/* So does C that this machine can run: it makes the interpreter's bits. */
static void check_c(gali_run *run, const gali_graph *graph, const gali_target *target, const gali_tensor *x,
                    const gali_tensor *y) {
    static _Alignas(64) unsigned char workspace[1 << 22];
    gali_program *program;
    check_loops(run, graph, target, x, y);
    if (target->simd != GALI_SIMD_SCALAR &&
        (target->simd != GALI_SIMD_AVX2 || !gal_isa_available(GAL_ISA_AVX2)) &&
        (target->simd != GALI_SIMD_AVX512 || !gal_isa_available(GAL_ISA_AVX512))) {
        return;
    }
    assert_int_equal(program_make(run, graph, target, counted_layout, &program), GAL_OK);
    assert_in_range(sums, 1, 2);
    void *library = program_build(program);
    call *emitted;
    *(void **)&emitted = dlsym(library, "model_call");
    const unsigned char *const *weights = dlsym(library, "model_weights");
    float *in = malloc(x->count * sizeof *in), *out = calloc(y->count, sizeof *out);
    program_fill(x, (unsigned char *)in);
    const void *given[] = {in};
    void *made[] = {out};
    uint32_t sizes[2] = {(uint32_t)x->shape[0]};
    assert_int_equal(emitted(sizes, given, made, *weights, workspace), 0);
    for (size_t i = 0; i < y->count; i++) {
        if ((double)out[i] < y->real[i] || (double)out[i] > y->real[i] || out[i] != out[i]) {
            fail_msg("%s: element %zu is %a, not %a", target->name, i, (double)out[i], y->real[i]);
        }
    }
    free(in);
    free(out);
    dlclose(library);
}

/* C of the widest vectors alone, whose tiles lie in all ways. */
static void check_widest(gali_run *run, const gali_graph *graph, const gali_target *target,
                         const gali_tensor *x, const gali_tensor *y) {
    (target->lanes == 16 ? check_c : check_loops)(run, graph, target, x, y);
}

/* Cases of its own way: of those in fields every other one. */
static int is_own(size_t i) {
    return i >= ROTATED ? i + 1 < ROTATED + ARE_ROTATED : i > FIELDS && (i - FIELDS) % 2;
}

static void test_cases(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += SANITIZED ? 2 : 1) {
        gali_arena arena = {0};
        convolution_check(network(&cases[i], &arena), input_of(&cases[i]), counted_layout,
                          SANITIZED        ? check_loops
                          : i == NO_FIELDS ? check_c
                          : is_own(i)      ? check_widest
                                           : check_loops);
        if (sums != cases[i].stages) {
            fail_msg("case %zu has %u sums, not %u", i, sums, cases[i].stages);
        }
        gali_arena_release(&arena);
    }
}

/* What only moves, or is simple, is read where it was, so fields are not always a copy of one tensor. */
static void test_moved(void **state) {
    gal_error error = {0};
    (void)state;
    assert_int_equal(gali_fields_choose(20, 20, 3, gali_target_find("x86-64-v4", &error)).lanes, 16);
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
        gali_arena arena = {0};
        const int64_t *extent = moved[i].extent;
        const gali_tensor x = {.rank = 4, .shape = {1, extent[0], extent[1], extent[2]}};
        convolution_check(moved_network(i, &arena), x, counted_layout, check_loops);
        assert_int_equal(sums, 1);
        gali_arena_release(&arena);
    }
}

static gali_program *tuned_program(gali_arena *arena, const patterns_case *of, const char *target) {
    gal_error error = {0};
    gali_run run = {.error = &error};
    gali_program *p = NULL;
    if (program_make(&run, network(of, arena), gali_target_find(target, &error), gali_program_layout, &p) !=
        GAL_OK) {
        fail_msg("%s", error.message);
    }
    return p;
}

/* The group of the sum over kernels. */
static uint32_t group_of(const gali_program *p) {
    for (uint32_t i = 0; i < p->stage_count; i++) {
        const gali_program_stage *stage = &p->stages[i];
        if (!stage->gone && stage->patterns && !stage->patterns->makes_tiles) {
            return stage->group;
        }
    }
    fail_msg("no sum over kernels");
    return 0;
}

static const gali_patterns *patterns_of(const gali_program *p) {
    const gali_program_stage *stage = p->stages;
    for (const uint32_t group = group_of(p); stage->gone || stage->group != group || !stage->patterns;) {
        stage++;
    }
    return stage->patterns;
}

/* Which pictures are cut, for vectors of which lanes. */
static void test_fields_are_chosen(void **state) {
    gal_error error = {0};
    const gali_target *targets[] = {gali_target_find("x86-64-v4", &error),
                                    gali_target_find("x86-64-v3", &error)};
    (void)state;
    for (uint32_t i = 0; i < 2 * 40 * 120; i++) {
        const uint32_t height = 1 + i / 2 % 40, width = 1 + i / 80;
        const gali_target *target = targets[i % 2];
        const gali_fields f = gali_fields_choose(height, width, 3, target);
        if (f.lanes) {
            assert_true(f.down * f.height == height && f.across * f.width == width);
            assert_true(f.strips * f.columns == f.width && f.rows <= f.height);
            assert_true(f.rows * f.columns < target->registers && f.down * f.across <= f.lanes);
            assert_true(width % target->lanes != 0);
        }
    }
    assert_int_equal(gali_fields_choose(28, 28, 3, targets[0]).lanes, 16);
    assert_int_equal(gali_fields_choose(28, 28, 3, targets[1]).lanes, 8);
    assert_int_equal(gali_fields_choose(13, 13, 3, targets[0]).lanes, 0);
    assert_int_equal(gali_fields_choose(28, 28, 3, NULL).lanes, 0);
    assert_int_equal(gali_fields_choose(14, 14, 3, targets[0]).lanes, 0);
    assert_int_equal(gali_fields_choose(56, 56, 3, targets[1]).lanes, 0);
    for (uint32_t i = FIELDS; i < FIELDS + IN_FIELDS; i++) {
        gali_arena arena = {0};
        gali_program *p = tuned_program(&arena, &cases[i], "x86-64-v4");
        assert_int_equal(patterns_of(p)->fields.lanes, 16);
        gali_arena_release(&arena);
    }
}

static gali_schedule schedule_of(const char *text) {
    gali_schedule schedule;
    gal_error error = {0};
    if (gali_schedule_parse(&schedule, text, strlen(text), &error) != GAL_OK) {
        fail_msg("%s: %s", text, error.message);
    }
    return schedule;
}

static gali_text loops_of(gali_program *p, const gali_schedule *schedule, gali_lowered *lowered) {
    gali_text text = {0};
    gal_error error = {0};
    if (gali_program_lower_by(p, group_of(p), schedule, p->arena, lowered, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gali_loop_print(lowered->function, &text);
    return text;
}

/* From few kernels to all of them a layer turns from patterns to dense, at the same share for every target. */
static void test_targets_decide_alike(void **state) {
    uint32_t pruned = 0, dense = 0;
    (void)state;
    for (uint32_t kept = 20; kept <= 100; kept += 4) {
        const patterns_case of = {1, 16, 16, 14, 14, "pads:ints=1,1,1,1", 1, kept, 0, FINISHED};
        for (uint32_t t = 0; t < gali_target_count; t++) {
            gali_arena arena = {0};
            const uint32_t before = sums;
            gal_error error = {0};
            gali_run run = {.error = &error};
            gali_program *p;
            assert_int_equal(program_make(&run, network(&of, &arena), &gali_targets[t], counted_layout, &p),
                             GAL_OK);
            if (t > 0 && sums != before) {
                fail_msg("%u of 100 kernels: %s decides otherwise", kept, gali_targets[t].name);
            }
            gali_arena_release(&arena);
        }
        pruned += sums > 0;
        dense += sums == 0;
    }
    assert_true(pruned > 2 && dense > 2);
}

/* Which are rotated, and that loops do: with vectors of 16 alone. */
static void test_rows_are_rotated(void **state) {
    (void)state;
    for (uint32_t i = 0; i < ROTATED + ARE_ROTATED; i++) {
        const int rotated = i == NO_FIELDS || i >= ROTATED;
        gali_arena arena = {0};
        gali_lowered lowered;
        gali_program *p = tuned_program(&arena, &cases[i], "x86-64-v4");
        assert_int_equal(patterns_of(p)->fields.lanes ? 0 : patterns_of(p)->width, rotated ? 14 : 0);
        gali_text text = loops_of(p, NULL, &lowered);
        assert_int_equal(strstr(text.bytes, "rotate_twice(") != NULL, rotated);
        assert_int_equal(strstr(text.bytes, ":14/16] = ") != NULL,
                         rotated); /* a neighbour's number is not touched */
        gali_text_release(&text);
        p = tuned_program(&arena, &cases[i], "x86-64-v3");
        assert_int_equal(patterns_of(p)->width, 8);
        gali_arena_release(&arena);
    }
}

/* Nor does what is left out of them: the order of filters, loading a row once, patterns. */
static void test_left_out(void **state) {
    static const uint32_t out[] = {GALI_WITHOUT_REORDER, GALI_WITHOUT_REUSE, GALI_WITHOUT_PATTERNS};
    (void)state;
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) {
        gali_arena arena = {0};
        program_without = out[i];
        convolution_check(network(&cases[FIELDS], &arena), input_of(&cases[FIELDS]), counted_layout,
                          i && !SANITIZED ? check_widest : check_loops);
        gali_arena_release(&arena);
    }
    program_without = 0;
}

/* ---- schedules ---- */

/* Cases whose rows no parts divide. */
static const struct {
    const char *target;
    uint32_t of;
} schedules_of[] = {
    {"x86-64-v3", FIELDS}, {"x86-64-v4", FIELDS}, {"x86-64-v4", NO_FIELDS}, {"armv8-a", FIELDS}};

/* The schedule by rules, written and read, is itself; and a lowered group tells the schedule that it has. */
static void test_schedules_come_back(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof schedules_of / sizeof *schedules_of; t++) {
        gali_arena arena = {0};
        gali_program *p = tuned_program(&arena, &cases[schedules_of[t].of], schedules_of[t].target);
        gali_lowered hand, again, other;
        gali_text printed = {0}, first = loops_of(p, NULL, &hand);
        gali_schedule_print(&hand.sum.schedule, "; ", &printed);
        gali_schedule read = schedule_of(printed.bytes);
        gali_text second = loops_of(p, &read, &again);
        assert_string_equal(first.bytes, second.bytes);
        assert_true(gali_schedule_same(&again.sum.schedule, &read));
        if (patterns_of(p)->fields.lanes) {
            gali_schedule_clear(&read);
            gali_schedule_add(&read, GALI_PRIMITIVE_VECTORIZE, "i3", NULL, p->target->lanes);
            gali_schedule_add(&read, GALI_PRIMITIVE_SPLIT, "i2", NULL, 1);
        } else {
            gali_schedule_add(&read, GALI_PRIMITIVE_REORDER, "i1", "i3", 0);
        }
        gali_text third = loops_of(p, &read, &other);
        assert_string_not_equal(first.bytes, third.bytes);
        assert_true(gali_schedule_same(&other.sum.schedule, &read));
        gali_text_release(&printed);
        gali_text_release(&first);
        gali_text_release(&second);
        gali_text_release(&third);
        gali_arena_release(&arena);
    }
}

static struct {
    uint32_t lanes, rows; /* at a time; 0: by rules */
    uint32_t most;        /* of a tile, as it was found */
    int fields;           /* in which it is */
    const char *around;   /* of filters; NULL: nothing */
} choice;

/* The choice as the schedule of the sum. */
static gal_status chosen_layout(gali_program *p, gal_error *error) {
    static const gali_schedule *schedules[64];
    static gali_schedule schedule;
    gal_status status = gali_program_layout(p, error);
    memset(schedules, 0, sizeof schedules);
    assert_true(p->group_count < sizeof schedules / sizeof *schedules);
    const gali_patterns *patterns = patterns_of(p);
    choice.fields = patterns->fields.lanes != 0;
    choice.most = choice.fields ? patterns->fields.rows : patterns->rows;
    gali_schedule_clear(&schedule);
    gali_schedule_add(&schedule, GALI_PRIMITIVE_VECTORIZE, "i3", NULL, choice.lanes);
    gali_schedule_add(&schedule, GALI_PRIMITIVE_SPLIT, "i2", NULL, choice.rows);
    if (choice.around) {
        gali_schedule_add(&schedule, GALI_PRIMITIVE_REORDER, "i1", choice.around, 0);
    }
    schedules[group_of(p)] = &schedule;
    p->schedules = choice.rows ? schedules : NULL;
    return status;
}

static void test_no_choice_changes_a_bit(void **state) {
    enum { X = 16 * 16 * 28 };
    static const char *const around[] = {NULL, "i3", "i2.o"};
    static double x[X];
    (void)state;
    for (int i = 0; i < X; i++) {
        x[i] = (double)(float)((double)(i * 7907 % 2011) / 1005 - 1);
    }
    for (size_t t = 0; t < sizeof schedules_of / sizeof *schedules_of; t++) {
        gali_arena arena = {0};
        gal_error error = {0};
        const patterns_case *of = &cases[schedules_of[t].of];
        gali_graph *graph = network(of, &arena);
        gali_run run = {.graph = graph, .memory_left = GALI_RUN_MEMORY, .work_left = 1e12, .error = &error};
        gali_tensor in = input_of(of), hand, out;
        const gali_target *target = gali_target_find(schedules_of[t].target, &error);
        in.element = GALI_f32;
        in.count = (size_t)(in.shape[0] * in.shape[1] * in.shape[2] * in.shape[3]);
        in.real = x;
        choice.lanes = target->lanes;
        choice.rows = 0;
        assert_int_equal(program_run_by(&run, graph, target, &in, &hand, chosen_layout), GAL_OK);
        assert_in_range(choice.most, 2, 14);
        const uint32_t ways = choice.fields ? 1 : 3;
        for (uint32_t i = 0; i < ways * choice.most; i++) {
            choice.rows = 1 + i / ways;
            choice.around = around[i % ways];
            if (program_run_by(&run, graph, target, &in, &out, chosen_layout) != GAL_OK) {
                fail_msg("%s", error.message);
            }
            assert_memory_equal(out.real, hand.real, hand.count * sizeof(double));
            gali_tensor_release(&run, &out);
        }
        gali_tensor_release(&run, &hand);
        gali_arena_release(&arena);
    }
}

static const char *const bad[][2] = {
    {"", "schedule: nothing is vectorized"},
    {"split i2 4", "schedule, entry 1 (split i2 4): first come vectors along i3"},
    {"vectorize i1 8", "schedule, entry 1 (vectorize i1 8): first come vectors along i3"},
    {"vectorize i3 16", "schedule, entry 1 (vectorize i3 16): first come vectors along i3"},
    {"vectorize i3 8; vectorize i3 8", "schedule, entry 2 (vectorize i3 8): not for a sum over patterns"},
    {"vectorize i3 8; split i2 33", "schedule, entry 2 (split i2 33): rows are split already, or a tile"},
    {"vectorize i3 8; split i2 2; split i2 2", "schedule, entry 3 (split i2 2): rows are split already"},
    {"vectorize i3 8; split i2 8; split i2 2", "schedule, entry 3 (split i2 2): rows are split already"},
    {"vectorize i3 8; split i3 2", "schedule, entry 2 (split i3 2): not for a sum over patterns"},
    {"vectorize i3 8; reorder i1 k0", "schedule, entry 2 (reorder i1 k0): filters go around i3 or i2.o"},
    {"vectorize i3 8; reorder i1 i3; reorder i1 i2.o", "schedule, entry 3 (reorder i1 i2.o): not for a sum"},
    {"vectorize i3 8; reorder k0 i2.o", "schedule, entry 2 (reorder k0 i2.o): not for a sum over patterns"},
    {"vectorize i3 8; parallel i1", "schedule, entry 2 (parallel i1): not for a sum over patterns"},
};

static void test_wrong_schedules_are_refused(void **state) {
    gali_arena arena = {0};
    gali_program *p = tuned_program(&arena, &cases[NO_FIELDS], "x86-64-v3");
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gali_schedule schedule = schedule_of(bad[i][0]);
        gali_lowered lowered;
        gal_error error = {0};
        assert_int_equal(gali_program_lower_by(p, group_of(p), &schedule, &arena, &lowered, &error),
                         GAL_BAD_DATA);
        if (strncmp(error.message, bad[i][1], strlen(bad[i][1])) != 0) {
            fail_msg("\"%s\", expected \"%s\"", error.message, bad[i][1]);
        }
    }
    gali_arena_release(&arena);
}

/* Reads a log of one record for the sum's group, and has the program use it. */
static gal_status use_record(gali_program *p, const char *schedule, uint32_t *logged, gal_error *error) {
    gali_lowered lowered;
    gali_log_task task;
    gali_log log = {.count = 0};
    gali_text line = {0};
    uint32_t groups;
    gal_status status = gali_program_lower_by(p, group_of(p), NULL, p->arena, &lowered, error);
    status = status == GAL_OK ? gali_program_log_task(p, group_of(p), &lowered, &task, error) : status;
    assert_int_equal(status, GAL_OK);
    gali_text_add(
        &line,
        "{\"gallop_tune\": 1, \"group\": \"%s\", \"key\": \"%s\", \"target\": \"x86-64-v3\", "
        "\"machine\": \"m\", \"schedule\": \"%s\", \"ratio\": 0.5, \"seconds\": 1e-5, \"pairs\": 15}\n",
        task.layer, task.key, schedule);
    assert_int_equal(gali_log_parse(&log, line.bytes, line.size, "log", error), GAL_OK);
    status = gali_program_use_log(p, &log, "log", &groups, logged, error);
    gali_log_release(&log);
    gali_text_release(&line);
    return status;
}

static void test_a_log_serves_the_sum(void **state) {
    gali_arena arena = {0};
    gal_error error = {0};
    gali_lowered lowered;
    uint32_t logged;
    gali_program *p = tuned_program(&arena, &cases[NO_FIELDS], "x86-64-v3");
    (void)state;
    gali_text hand = loops_of(p, NULL, &lowered);
    assert_int_equal(use_record(p, "vectorize i3 8; split i2 2; reorder i1 i2.o", &logged, &error), GAL_OK);
    assert_int_equal(logged, 1);
    gali_text tuned = loops_of(p, p->schedules[group_of(p)], &lowered);
    assert_string_not_equal(tuned.bytes, hand.bytes);
    assert_int_equal(use_record(p, "vectorize i3 8; split i1 2", &logged, &error), GAL_BAD_DATA);
    assert_string_equal(error.message,
                        "log, line 1: schedule, entry 2 (split i1 2): not for a sum over patterns, "
                        "or said twice");
    gali_text_release(&hand);
    gali_text_release(&tuned);
    gali_arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases),
                                       cmocka_unit_test(test_moved),
                                       cmocka_unit_test(test_fields_are_chosen),
                                       cmocka_unit_test(test_rows_are_rotated),
                                       cmocka_unit_test(test_targets_decide_alike),
                                       cmocka_unit_test(test_left_out),
                                       cmocka_unit_test(test_schedules_come_back),
                                       cmocka_unit_test(test_no_choice_changes_a_bit),
                                       cmocka_unit_test(test_wrong_schedules_are_refused),
                                       cmocka_unit_test(test_a_log_serves_the_sum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
