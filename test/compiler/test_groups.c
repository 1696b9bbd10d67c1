/* Groups of a program as tasks of the tuner: equal ones are one, all points of a space are schedules of it, wrong bits fail. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/schedule/features.h"
#include "compiler/tune/measure.h"
#include "compiler/tune/tasks.h"
#include "program_run.h"

static void add_constant(gali_text *text, uint32_t number, const char *shape, uint32_t count) {
    gali_text_add(text, "constant %%%u: f32[%s] =", number, shape);
    for (uint32_t i = 0; i < count; i++) {
        gali_text_add(text, " %.8g", (double)(float)(0.1 * (double)(i * 7919 % 31) - 1.4));
    }
    gali_text_add(text, "\n");
}

/* Releases the text. */
static gali_program *made_of(gali_text *text, gali_arena *arena, const char *target) {
    gali_graph *graph;
    gali_program *p = NULL;
    gal_error error = {0};
    gali_run run = {.error = &error};
    if (gali_graph_parse(&graph, text->bytes, text->size, arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK ||
        program_make(&run, graph, gali_target_find(target, &error), gali_program_layout, &p) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gali_text_release(text);
    return p;
}

/* A product of 20 x 48 and 48 x 48, three times with other weights, then one with 48 x 80. */
static gali_program *program_of(gali_arena *arena, const char *target) {
    gali_text text = {0};
    gali_text_add(&text, "input %%0 \"x\": f32[20, 48]\n");
    for (uint32_t i = 1; i <= 3; i++) {
        add_constant(&text, i, "48, 48", 48 * 48);
    }
    add_constant(&text, 4, "48, 80", 48 * 80);
    gali_text_add(&text,
                  "%%5 \"a\": f32[20, 48] = MatMul (%%0, %%1)\n%%6 \"b\": f32[20, 48] = MatMul (%%5, %%2)\n"
                  "%%7 \"c\": f32[20, 48] = MatMul (%%6, %%3)\n%%8 \"d\": f32[20, 80] = MatMul (%%7, %%4)\n"
                  "output %%8\n");
    return made_of(&text, arena, target);
}

/* A convolution of which one kernel in four has four weights, in two patterns, the others none. */
static gali_program *pruned_program(gali_arena *arena, const char *target) {
    gali_text text = {0};
    gali_text_add(&text, "input %%0 \"x\": f32[1, 16, 18, 30]\nconstant %%1: f32[16, 16, 3, 3] =");
    for (uint32_t i = 0; i < 16 * 16 * 9; i++) {
        const uint32_t first = i / 9 % 8 == 0 ? 1 : 4; /* place of its pattern */
        gali_text_add(&text, i / 9 % 4 == 0 && i % 9 >= first && i % 9 < first + 4 ? " 0.3" : " 0");
    }
    gali_text_add(&text, "\n%%2 \"y\": f32[1, 16, 16, 28] = Conv (%%0, %%1)\noutput %%2\n");
    return made_of(&text, arena, target);
}

static gali_tune_task tasks[GALI_TUNE_TASKS_MAX];

static uint32_t tasks_of(gali_program *p) {
    gal_error error = {0};
    uint32_t count;
    if (gali_tune_group_tasks(p, tasks, &count, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return count;
}

static void equal_groups_are_one_task(void **unused) {
    (void)unused;
    gali_arena arena = {0};
    gali_program *p = program_of(&arena, "x86-64-v3");
    assert_int_equal(p->group_count, 4);
    assert_int_equal(tasks_of(p), 2);
    assert_int_equal(tasks[0].layers, 3); /* the heavier task */
    assert_string_equal(tasks[0].name.layer, "MatMul 20 x 48, sums of 48");
    assert_int_equal(tasks[1].layers, 1);
    assert_string_equal(tasks[1].name.layer, "MatMul 20 x 80, sums of 48");
    assert_int_equal(tasks[0].written_count, 1);
    gali_arena_release(&arena);
}

/* Every point is a schedule that the group takes, or none. */
static void all_points_are_schedules(void **unused) {
    (void)unused;
    gali_arena arena = {0};
    gali_program *p = program_of(&arena, "x86-64-v3");
    tasks_of(p);
    for (int way = GALI_SEARCH_BY_TEMPLATE; way <= GALI_SEARCH_BY_RULES; way++) {
        gali_space space;
        gal_error error = {0};
        uint32_t written = 0, random = 7;
        assert_int_equal(gali_group_space_make(&space, (gali_search_way)way, &tasks[0].group, &error), GAL_OK);
        for (int i = 0; i < 300; i++) {
            gali_arena own = {0};
            gali_point point = {{0}};
            gali_schedule schedule;
            gali_loop_function *function;
            for (uint32_t k = 0; k < space.knobs; k++) {
                random = random * 1664525u + 1013904223u;
                point.setting[k] = (unsigned char)((random >> 8) % space.knob[k].settings);
            }
            if (gali_space_write(&space, &point, &schedule)) {
                written++;
                if (space.apply(&space, &schedule, &own, &function, &error) != GAL_OK) {
                    fail_msg("%s", error.message);
                }
            }
            gali_arena_release(&own);
        }
        assert_in_range(written, 30, 300);
    }
    gali_arena_release(&arena);
}

/* So is every one of a sum over patterns, with an estimate, of which the schedule by rules is one. */
static void pruned_convolutions_are_tasks(void **unused) {
    (void)unused;
    gali_arena arena = {0};
    gali_space space;
    gal_error error = {0};
    int by_rules = 0;
    assert_int_equal(tasks_of(pruned_program(&arena, "x86-64-v3")), 1);
    assert_int_equal(gali_group_space_make(&space, GALI_SEARCH_BY_TEMPLATE, &tasks[0].group, &error), GAL_OK);
    assert_int_equal(space.knobs, 2);
    assert_int_equal(space.knob[0].settings, tasks[0].group.sum.pattern_rows);
    assert_true(tasks[0].group.sum.pattern_fields); /* of 28 columns all lanes have one */
    const double steps = 16 * 28 * 64 * 4;
    assert_true(tasks[0].group.sum.steps > steps - 1 && tasks[0].group.sum.steps < steps + 1);
    for (uint32_t i = 0; i < space.knob[0].settings * space.knob[1].settings; i++) {
        const gali_point point = {
            {(unsigned char)(i / space.knob[1].settings), (unsigned char)(i % space.knob[1].settings)}};
        float features[GALI_FEATURE_COUNT];
        gali_arena own = {0};
        gali_schedule schedule;
        gali_loop_function *function;
        assert_int_equal(gali_space_write(&space, &point, &schedule), 1);
        if (space.apply(&space, &schedule, &own, &function, &error) != GAL_OK) {
            fail_msg("%s", error.message);
        }
        gali_features_of(function, space.target, INFINITY, features);
        assert_true(fabs((double)features[GALI_FEATURE_adds] - log2(steps / space.target->lanes)) < 0.1);
        assert_true(features[GALI_FEATURE_estimate] > 1 && features[GALI_FEATURE_estimate] < 40);
        by_rules += gali_schedule_same(&schedule, &tasks[0].written[0]);
        gali_arena_release(&own);
    }
    assert_int_equal(by_rules, 1);
    gali_arena_release(&arena);
}

static void candidates_are_compared_by_their_bits(void **unused) {
    (void)unused;
    static const char *const texts[] = {"vectorize i1 8; split i1 2; split i0 4",
                                        "vectorize i1 8; split i1 3; split i0 1", "vectorize i0 8"};
    if (!gal_isa_available(GAL_ISA_AVX2)) {
        skip();
    }
    gali_arena arena = {0};
    gali_group_scene *scene;
    gali_schedule schedules[3];
    gali_measured results[3] = {{0}};
    gal_error error = {0};
    tasks_of(program_of(&arena, "x86-64-v3"));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(gali_schedule_parse(&schedules[i], texts[i], strlen(texts[i]), &error), GAL_OK);
    }
    assert_int_equal(gali_group_scene_open(&scene, &tasks[0].group, &error), GAL_OK);
    if (gali_group_measure(scene, schedules, 3, 1, results, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    assert_string_equal(results[0].failure, "");
    assert_string_equal(results[1].failure, "");
    assert_true(results[0].ratio > 0 && results[1].ratio > 0);
    assert_string_equal(results[2].failure,
                        "schedule, entry 1 (vectorize i0 8): the sum has no lanes along this axis");
    gali_group_scene_close(scene);
    gali_arena_release(&arena);
}

/* What has less than a fiftieth of the weight together is not searched, one task always is. */
static void light_groups_are_not_searched(void **unused) {
    static const double steps[] = {600, 380, 11, 8.9, 0.1}; /* thousandths */
    (void)unused;
    memset(tasks, 0, sizeof tasks);
    for (uint32_t i = 0; i < 5; i++) {
        tasks[i].layers = 1;
        tasks[i].group.sum.steps = steps[i];
    }
    assert_int_equal(gali_tune_worth(tasks, 5), 3);
    tasks[4].group.bytes = 13 / (double)GALI_TUNE_BYTE; /* bytes weigh, too */
    assert_int_equal(gali_tune_worth(tasks, 5), 4);
    tasks[4].group.bytes = 0;
    tasks[3].layers = 3; /* and how often it runs */
    assert_int_equal(gali_tune_worth(tasks, 5), 4);
    assert_int_equal(gali_tune_worth(tasks, 1), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_groups_are_one_task),
        cmocka_unit_test(all_points_are_schedules),
        cmocka_unit_test(pruned_convolutions_are_tasks),
        cmocka_unit_test(candidates_are_compared_by_their_bits),
        cmocka_unit_test(light_groups_are_not_searched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
