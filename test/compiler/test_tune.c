/* Tuning: measured schedules have the runtime's bits; the search, its model, what it refuses, and its log. */
#define _DEFAULT_SOURCE
#include "expressions.h"

#include <unistd.h>

#include "compiler/log/log.h"
#include "compiler/schedule/features.h"
#include "compiler/tune/budget.h"
#include "compiler/tune/search.h"
#include "compiler/tune/trees.h"
#include "sanitized.h"

static const gali_dense layer = {.experts = 4,
                                 .slots = 4,
                                 .inputs = 40,
                                 .outputs = 72,
                                 .activation = GALI_ACTIVATION_ELU,
                                 .padded = 1,
                                 .least = 5,
                                 .most = 5};

static const gali_target *target_of(const char *name) {
    gal_error error;
    return gali_target_find(name, &error);
}

enum { KINDS = 6 };

/* The layer with some fields changed. */
static gali_dense layers(int which) {
    gali_dense d = layer;
    switch (which) {
    case 0:
        return d;
    case 1: /* rows that end within a vector, and nothing behind them */
        d.outputs = 75;
        d.padded = 0;
        d.least = 1;
        return d;
    case 2:
        d.experts = d.slots = 1;
        d.activation = GALI_ACTIVATION_NONE;
        return d;
    case 3:
        d.slots = 2;
        d.sparse = 1;
        return d;
    case 4:
        d.slots = 2;
        d.sparse = 1;
        d.form = GAL_FORM_BLEND;
        return d;
    default:
        d.form = GAL_FORM_BLEND;
        return d;
    }
}

static void compiled_schedules_have_the_bits_of_the_runtime(void **unused) {
    static const char *const plain = "compute_at total c; compute_at sum c";
    static const char *const targets[] = {"x86-64-v4", "armv8-a", "x86-64-v3", "scalar"};
    (void)unused;
    int ran = 0;
    /* the compiler's time is what this costs, and what it makes is not sanitized */
    for (int i = 0; i < KINDS * 4; i += SANITIZED ? KINDS : i < KINDS ? 1 : 3) {
        gali_dense d = layers(i % KINDS);
        const gali_target *target = target_of(targets[i / KINDS]);
        gali_scene scene;
        gali_schedule schedules[3];
        gali_measured results[3];
        gal_error error;
        uint32_t count = 1;
        gal_status status = gali_scene_make(&scene, &d, target, &error);
        if (status == GAL_UNSUPPORTED) {
            continue;
        }
        assert_int_equal(status, GAL_OK);
        assert_int_equal(gali_schedule_hand(&d, target, 0, &schedules[0], &error), GAL_OK);
        count += gali_schedule_hand(&d, target, 1, &schedules[count], &error) == GAL_OK;
        if (i % KINDS == 0) {
            assert_int_equal(gali_schedule_parse(&schedules[count++], plain, strlen(plain), &error), GAL_OK);
        }
        status = gali_measure(&scene, schedules, count, 1, results, &error);
        if (status == GAL_IO) {
            print_message("skipped: %s\n", error.message);
            gali_scene_release(&scene);
            skip();
        }
        if (status != GAL_OK) {
            fail_msg("%s", error.message);
        }
        for (uint32_t k = 0; k < count; k++) {
            if (!(results[k].ratio > 0)) {
                fail_msg("layer %d on %s, schedule %u: %s", i % KINDS, target->name, k, results[k].failure);
            }
        }
        gali_scene_release(&scene);
        ran++;
    }
    assert_true(ran >= 2);
}

/* A figure for a schedule that needs no compiler: least at one point of the template's space. */
static gal_status imagined(void *context, const gali_schedule *schedules, uint32_t count, uint32_t pairs,
                           gali_measured *results, gal_error *error) {
    (void)pairs;
    (void)error;
    *(uint32_t *)context += count;
    for (uint32_t i = 0; i < count; i++) {
        double ratio = 1;
        for (uint32_t k = 0; k < schedules[i].count; k++) {
            const gali_schedule_entry *e = &schedules[i].entry[k];
            if (e->primitive == GALI_PRIMITIVE_SPLIT) {
                double best = *e->target == 'n' ? 3 : 5;
                ratio += 0.1 * fabs((double)e->number - best);
            }
            ratio +=
                e->primitive == GALI_PRIMITIVE_UNROLL && *e->target == 'k' ? 0.02 * fabs(e->number - 4.0) : 0;
        }
        results[i] = (gali_measured){.ratio = ratio, .seconds = 1e-5 * ratio};
    }
    return GAL_OK;
}

/* A search by imagined figures; *measured: how many. */
static gali_measured search(gali_search_way way, uint64_t seed, gali_search_measure *measure,
                            uint32_t *measured) {
    gali_arena arena = {0};
    gali_space space;
    gali_search *s;
    gali_schedule schedule;
    gali_measured best = {.ratio = 0};
    gal_error error;
    int stopped;
    *measured = 0;
    assert_int_equal(gali_space_make(&space, way, &layer, target_of("x86-64-v4"), &arena, &error), GAL_OK);
    gali_search_desc desc = {.space = &space, .seed = seed, .measure = measure, .measure_context = measured};
    assert_int_equal(gali_search_open(&s, &desc, &error), GAL_OK);
    if (gali_search_run(s, 600, 0, &stopped, &error) != GAL_OK ||
        gali_search_finish(s, GALI_SEARCH_FINALISTS, &schedule, &best, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    assert_true(gali_search_look(s).done);
    gali_search_close(s);
    gali_arena_release(&arena);
    return best;
}

static void searches_find_the_best_from_any_seed(void **unused) {
    uint32_t measured;
    (void)unused;
    for (uint64_t seed = 1; seed <= (SANITIZED ? 1 : 3); seed++) {
        assert_true(search(GALI_SEARCH_BY_TEMPLATE, seed, imagined, &measured).ratio < 1.05 + 1e-9);
    }
    assert_true(search(GALI_SEARCH_BY_RULES, 1, imagined, &measured).ratio < 1.35);
}

/* The loops of a schedule of the paper's first layer on 16 registers: a hash of their text, and the estimate. */
static const gali_dense hard = {.experts = 4,
                                .slots = 4,
                                .inputs = 912,
                                .outputs = 256,
                                .activation = GALI_ACTIVATION_ELU,
                                .padded = 1,
                                .least = 5,
                                .most = 5};

static uint64_t loops_of(const gali_schedule *schedule, float *estimate) {
    gali_arena arena = {0};
    gali_loop_function *function;
    gali_text text = {0};
    gal_error error;
    float features[GALI_FEATURE_COUNT];
    uint64_t hash = 1;
    assert_int_equal(gali_schedule_apply(dense_expression(&hard, &arena), schedule, &arena, &function, &error),
                     GAL_OK);
    assert_null(gali_features_of(function, target_of("x86-64-v3"), 5.0 * 4 * 913 * 256, features));
    gali_loop_print(function, &text);
    for (const char *at = text.bytes; *at; at++) {
        hash = hash * 31 + (unsigned char)*at;
    }
    *estimate = features[GALI_FEATURE_estimate];
    gali_text_release(&text);
    gali_arena_release(&arena);
    return hash;
}

/* What was measured: loops, and the least estimate of the first batch. */
typedef struct seen {
    uint64_t loops[256];
    uint32_t count, again;
    float least;
} seen;

/* Nothing is better than anything: the estimate alone leads. */
static gal_status notice(void *context, const gali_schedule *schedules, uint32_t count, uint32_t pairs,
                         gali_measured *results, gal_error *error) {
    seen *s = context;
    (void)error;
    const int first = s->count == 0;
    for (uint32_t i = 0; i < count; i++) {
        float estimate;
        uint64_t loops = loops_of(&schedules[i], &estimate);
        results[i] = (gali_measured){.ratio = exp2(estimate), .seconds = 1e-6};
        s->least = first && (i == 0 || estimate < s->least) ? estimate : s->least;
        for (uint32_t k = 0; k < s->count && pairs == GALI_MEASURE_QUICK; k++) {
            s->again += s->loops[k] == loops;
        }
        if (pairs == GALI_MEASURE_QUICK && s->count < 256) {
            s->loops[s->count++] = loops;
        }
    }
    return GAL_OK;
}

/* The tile of many registers needs rows, vectors and order to fit: single steps do not lead there. */
static void first_batches_have_the_best_tile_from_any_seed(void **unused) {
    float best = 1e9f;
    (void)unused;
    for (uint64_t seed = 1; seed <= (SANITIZED ? 1 : 5); seed++) {
        gali_arena arena = {0};
        gali_space space;
        gali_search *s;
        gal_error error;
        seen all = {.count = 0};
        int stopped;
        assert_int_equal(
            gali_space_make(&space, GALI_SEARCH_BY_RULES, &hard, target_of("x86-64-v3"), &arena, &error),
            GAL_OK);
        gali_search_desc desc = {.space = &space, .seed = seed, .measure = notice, .measure_context = &all};
        assert_int_equal(gali_search_open(&s, &desc, &error), GAL_OK);
        for (int round = 0; round < (seed == 1 ? 3 : 1); round++) {
            assert_int_equal(gali_search_run(s, 0, 0, &stopped, &error), GAL_OK); /* a round at least */
        }
        best = all.least < best ? all.least : best;
        if (all.least > best + 0.02f) {
            fail_msg("seed %d: its first batch's best takes %.2f of another's by the estimate", (int)seed,
                     exp2(all.least - best));
        }
        assert_int_equal(all.again, 0); /* the same loops, however they are written, are not measured twice */
        gali_search_close(s);
        gali_arena_release(&arena);
    }
}

/* So many slices; task 0 wins that part of its time in each of its first three. */
static void spend(gali_budget_task *tasks, uint32_t count, double wins, uint32_t slices) {
    double best[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (uint32_t i = 0; i < slices; i++) {
        uint32_t next = gali_budget_next(tasks, count);
        assert_true(next < count);
        best[next] *= next == 0 && tasks[0].slices < 3 ? 1 - wins : 1;
        gali_budget_note(&tasks[next], best[next]);
    }
}

/* What a budget is kept by: a round has as many measurements as fit, and the end as many leaders, beside all rivals. */
static void rounds_and_finals_are_as_long_as_is_asked(void **unused) {
    static const double each[] = {0, 100, 1.0 / 9};
    static const uint32_t expected[] = {16, GALI_SEARCH_LEAST, 9};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        gali_arena arena = {0};
        gali_space space;
        gali_search *s;
        gali_schedule rival, schedule;
        gali_measured best;
        gal_error error;
        uint32_t measured = 0;
        int stopped;
        static const char text[] = "split n 3; split c 5; unroll k 4"; /* what `imagined` likes best */
        assert_int_equal(gali_schedule_parse(&rival, text, strlen(text), &error), GAL_OK);
        assert_int_equal(
            gali_space_make(&space, GALI_SEARCH_BY_TEMPLATE, &layer, target_of("x86-64-v4"), &arena, &error),
            GAL_OK);
        gali_search_desc desc = {.space = &space,
                                 .seed = 1,
                                 .measure = imagined,
                                 .measure_context = &measured,
                                 .rivals = &rival,
                                 .rival_count = 1};
        assert_int_equal(gali_search_open(&s, &desc, &error), GAL_OK);
        assert_int_equal(gali_search_run(s, i == 2 ? 1 : 1e-9, each[i], &stopped, &error), GAL_OK);
        assert_in_range(measured, expected[i], i == 2 ? 1000 : expected[i]);
        measured = 0;
        assert_int_equal(gali_search_finish(s, 4, &schedule, &best, &error), GAL_OK);
        assert_int_equal(measured, 5);
        assert_true(best.ratio < 1 + 1e-9); /* the rival's, if nobody else's */
        assert_true(i == 2 || gali_schedule_same(&schedule, &rival));
        gali_search_close(s);
        gali_arena_release(&arena);
    }
}

static void time_goes_where_it_is_spent_and_won(void **unused) {
    (void)unused;
    gali_budget_task idle[3] = {{.stake = 0.6}, {.stake = 0.3}, {.stake = 0.1}};
    spend(idle, 3, 0, 3);
    assert_true(idle[0].slices == 1 && idle[1].slices == 1 && idle[2].slices == 1); /* all get a first one */
    spend(idle, 3, 0, 97);
    assert_in_range(idle[0].slices, 55, 65); /* by stakes, where nothing is won */
    assert_in_range(idle[1].slices, 25, 35);
    assert_in_range(idle[2].slices, 5, 15);
    gali_budget_task winning[2] = {{.stake = 0.5}, {.stake = 0.5}};
    spend(winning, 2, 0.2, 5);
    assert_int_equal(winning[0].slices, 4); /* one that still wins goes on */
    winning[0].done = 1;
    assert_int_equal(gali_budget_next(winning, 2), 1);
    winning[1].done = 1;
    assert_int_equal(gali_budget_next(winning, 2), 2);
}

static void the_model_learns(void **unused) {
    enum { ROWS = 400, WIDTH = 5 };
    (void)unused;
    static float x[ROWS * WIDTH], y[ROWS];
    gali_trees *trees = calloc(1, sizeof *trees);
    uint64_t state = 3;
    double error = 0, spread = 0;
    for (int i = 0; i < ROWS * WIDTH; i++) {
        x[i] = synthetic_uniform(&state);
    }
    for (int i = 0; i < ROWS; i++) {
        const float *at = x + (ptrdiff_t)i * WIDTH;
        y[i] = (at[1] > 0.2f ? 2.0f : -1.0f) + at[3] * at[3];
    }
    assert_int_equal(gali_trees_learn(trees, x, y, ROWS / 2, WIDTH), 1);
    for (int i = ROWS / 2; i < ROWS; i++) { /* what it has not seen */
        double d = gali_trees_predict(trees, x + (ptrdiff_t)i * WIDTH) - y[i];
        error += d * d;
        spread += (y[i] - 0.5) * (y[i] - 0.5);
    }
    assert_true(error < 0.03 * spread);
    assert_int_equal(gali_trees_learn(trees, x, y, 0, WIDTH), 1);
    assert_true(gali_trees_predict(trees, x) == 0);
    free(trees);
}

static const char *refusal(const char *schedule, const char *target, uint32_t characters) {
    gali_dense d = layer;
    gali_arena arena = {0};
    gali_loop_function *f = NULL;
    gal_error error;
    d.least = d.most = characters;
    float features[GALI_FEATURE_COUNT];
    if (apply_text(dense_expression(&d, &arena), schedule, &arena, &f, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    const char *why = gali_features_of(f, target_of(target), 4.0 * characters * 40 * 72, features);
    gali_arena_release(&arena);
    return why;
}

static void what_a_target_cannot_hold_is_refused(void **unused) {
    static const char tile[] =
        "vectorize n %d; split n 4; split c 5; reorder n.o c.o; reorder e c.i; reorder k c.i; "
        "compute_at total c.o; compute_at sum e; unroll n.i; unroll c.i; pack weights";
    char text[256];
    (void)unused;
    snprintf(text, sizeof text, tile, 16);
    assert_null(refusal(text, "x86-64-v4", 5));
    snprintf(text, sizeof text, tile, 8);
    const char *why = refusal(text, "x86-64-v3", 5);
    assert_non_null(why);
    assert_string_equal(why, "more vectors than registers");
    why = refusal("", "x86-64-v3", 5);
    assert_non_null(why);
    assert_string_equal(why, "scalars where there are vectors");
    why = refusal("vectorize n 16", "x86-64-v4", 64);
    assert_non_null(why);
    assert_string_equal(why, "more locals than the nearest cache holds");
}

static const char good[] =
    "{\"gallop_tune\": 1, \"layer\": \"l\", \"key\": \"0123456789abcdef\", \"characters\": 5, "
    "\"target\": \"x86-64-v4\", \"machine\": \"m\", \"schedule\": \"split n 4; unroll n.i\", "
    "\"ratio\": 0.5, \"seconds\": 1e-5, \"pairs\": 15}\n";

/* A text in the good line, what stands there instead, and what is said of it. */
static const char *const damaged[][3] = {
    {"\"gallop_tune\": 1", "\"gallop_tune\": 2", "log, line 2: version 2, this gallop reads 1"},
    {"{\"gallop_tune\": 1, ", "{", "log, line 2: no record of gallop tune"},
    {"{", "[", "log, line 2: no JSON"},
    {"\"key\"", "\"kay\"", "log, line 2: layer, key, target or machine is missing"},
    {"split n 4", "split n four", "log, line 2: schedule, entry 1 (split n four)"},
    {"\"schedule\"", "\"plan\"", "log, line 2: no schedule"},
    {"0.5", "-1", "log, line 2: no ratio and seconds"},
    {"\"characters\": 5", "\"characters\": 0", "log, line 2: characters or pairs"},
    {"\"pairs\": 15", "\"pairs\": 15, \"searched\": 3", "log, line 2: a search's record without"},
};

static void damaged_logs_are_refused_with_their_line(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        char text[2048];
        const char *at = strstr(good, damaged[i][0]);
        gali_log log = {.count = 0};
        gal_error error = {0};
        snprintf(text, sizeof text, "%s%.*s%s%s", good, (int)(at - good), good, damaged[i][1],
                 at + strlen(damaged[i][0]));
        assert_int_equal(gali_log_parse(&log, text, strlen(text), "log", &error), GAL_BAD_DATA);
        if (strncmp(error.message, damaged[i][2], strlen(damaged[i][2])) != 0) {
            fail_msg("\"%s\", expected \"%s\"", error.message, damaged[i][2]);
        }
        assert_int_equal(log.count, 1);
        gali_log_release(&log);
    }
}

static void a_log_comes_back_and_knows_its_best(void **unused) {
    (void)unused;
    gali_log_task task;
    gali_log log = {.count = 0};
    gali_schedule schedule;
    gali_measured measured;
    gal_error error;
    char name[] = "/tmp/gallop-log-XXXXXX";
    FILE *file = fdopen(mkstemp(name), "wb");
    assert_int_equal(gali_log_task_make(&task, &layer, target_of("x86-64-v4"), &error), GAL_OK);
    gali_log_record records[] = {
        {.pairs = 15, .schedule = "split n 2", .measured = {.ratio = 0.8, .seconds = 1e-5}},
        {.pairs = 151, .schedule = "split n 3", .measured = {.ratio = 0.9, .seconds = 1e-5}},
        {.pairs = 151, .schedule = "split n 4", .measured = {.failure = "its bits"}},
        {.pairs = 151,
         .schedule = "split n 3",
         .measured = {.ratio = 0.9, .seconds = 1e-5},
         .searched = 3.5,
         .seed = 7,
         .way = GALI_SEARCH_BY_RULES},
    };
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        assert_int_equal(gali_log_write(file, &task, &records[i], &error), GAL_OK);
    }
    fputs("{\"gallop_tune\": 1, \"lay", file); /* cut short */
    fclose(file);
    if (gali_log_read(&log, name, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    unlink(name);
    assert_int_equal(log.count, 4);
    assert_true(gali_log_is_of(&log.records[0], &task));
    assert_string_equal(log.records[2].measured.failure, "its bits");
    assert_true(log.records[3].searched == 3.5 && log.records[3].seed == 7 &&
                log.records[3].way == GALI_SEARCH_BY_RULES);
    assert_int_equal(gali_log_best(&log, &layer, target_of("x86-64-v4"), &schedule, &measured), 1);
    assert_int_equal(schedule.entry[0].number, 3); /* the one that was measured for long */
    gali_dense other = layer;
    other.inputs++;
    assert_int_equal(gali_log_best(&log, &other, target_of("x86-64-v4"), &schedule, &measured), 0);
    assert_int_equal(gali_log_best(&log, &layer, target_of("x86-64-v3"), &schedule, &measured), 0);
    gali_log_release(&log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiled_schedules_have_the_bits_of_the_runtime),
        cmocka_unit_test(searches_find_the_best_from_any_seed),
        cmocka_unit_test(first_batches_have_the_best_tile_from_any_seed),
        cmocka_unit_test(rounds_and_finals_are_as_long_as_is_asked),
        cmocka_unit_test(time_goes_where_it_is_spent_and_won),
        cmocka_unit_test(the_model_learns),
        cmocka_unit_test(what_a_target_cannot_hold_is_refused),
        cmocka_unit_test(damaged_logs_are_refused_with_their_line),
        cmocka_unit_test(a_log_comes_back_and_knows_its_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
