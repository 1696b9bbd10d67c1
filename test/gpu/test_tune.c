/* The search of tilings by itself (gpu/tune.h), of graphs in its own words. Skipped where there is no OpenCL device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "any_device.h"
#include "base/error.h"
#include "compiler/emit/opencl/emit.h"
#include "gpu/tune.h"

enum { TASKS = 4, TILE = 120, LAST_ROWS = 48 };

/*
 * A driver that builds of the last task no tiling but that of the first program, which is by rules; and after `lost` programs,
 * where that is not 0, nothing.
 */
static struct {
    int refuses;
    char tile[TILE];
    uint32_t built, lost, refused;
} driver;

void *__real_gali_cl_build(gali_cl *cl, const char *text);
void *__wrap_gali_cl_build(gali_cl *cl, const char *text);

static int is_refused(const char *text) {
    const char *tile = text;
    for (const char *at = text; (at = strstr(at, "#define ROWS ")) != NULL; at++) {
        tile = at;
    }
    if (!driver.built++) {
        snprintf(driver.tile, sizeof driver.tile, "%s", tile);
    }
    return strncmp(tile, driver.tile, sizeof driver.tile - 1) != 0 ||
           (driver.lost && driver.built > driver.lost);
}

void *__wrap_gali_cl_build(gali_cl *cl, const char *text) {
    if (driver.refuses && is_refused(text)) {
        driver.refused++;
        gali_fail(&cl->failure, GAL_IO, "a driver that refuses it");
        return NULL;
    }
    return __real_gali_cl_build(cl, text);
}

/* A text's program, made anew for each round, and what was told of its measurements. */
typedef struct source {
    const char *text;
    gali_arena arena;
    int64_t sizes[1];
    uint32_t measured, failed, more; /* of those that failed: others than the last task's */
} source;

static gal_status make(void *context, gali_program **program, const int64_t **sizes, gal_error *error) {
    source *s = context;
    gali_graph *graph;
    gali_arena_release(&s->arena);
    s->arena = (gali_arena){0};
    *sizes = s->sizes;
    gal_status status = gali_graph_parse(&graph, s->text, strlen(s->text), &s->arena, error);
    status = status == GAL_OK ? gali_graph_infer(graph, error) : status;
    status = status == GAL_OK ? gali_program_make(program, graph, &s->arena, error) : status;
    return status == GAL_OK ? gali_program_for_device(*program, error) : status;
}

static int record(void *context, const gali_gpu_tuned *of, const gali_tiling *tiling, double nanoseconds,
                  uint32_t pairs) {
    source *s = context;
    (void)tiling, (void)pairs;
    s->measured += nanoseconds > 0;
    s->failed += !(nanoseconds > 0);
    s->more += !(nanoseconds > 0) && of->task.rows != LAST_ROWS;
    return 0;
}

static gal_status try_tune(source *s, gali_gpu_tuned tuned[TASKS], uint32_t *count, gal_error *error) {
    const gali_gpu_tune_desc how = {.seconds = 0.01, .make = make, .record = record, .context = s};
    gal_status status = gali_gpu_tune(&how, tuned, TASKS, count, error);
    gali_arena_release(&s->arena);
    return status;
}

static uint32_t tune(source *s, gali_gpu_tuned tuned[TASKS]) {
    gal_error error = {0};
    uint32_t count;
    if (try_tune(s, tuned, &count, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return count;
}

/* Roots of what is negative at the inputs that the search makes up. */
static void outputs_may_be_no_numbers(void **state) {
    (void)state;
    source s = {.text = "input %0 \"a\": f32[40, 24]\ninput %1 \"b\": f32[24, 40]\n"
                        "%2: f32[40, 40] = MatMul (%0, %1)\n%3: f32[40, 40] = Sqrt (%2)\noutput %3\n"};
    gali_gpu_tuned tuned[TASKS];
    assert_int_equal(tune(&s, tuned), 1);
    assert_true(tuned[0].nanoseconds > 0 && tuned[0].by_rules > 0);
    assert_in_range(s.measured, 2, 1000);
}

#define TWO_PRODUCTS                                                                                           \
    "input %0 \"a\": f32[40, 24]\ninput %1 \"b\": f32[24, 40]\ninput %2 \"c\": f32[48, 40]\n"                  \
    "%3: f32[40, 40] = MatMul (%0, %1)\n%4: f32[48, 40] = MatMul (%2, %3)\noutput %4\n"

/* Of a round with a tiling that the driver refuses the others are measured, and the search goes on. */
static void what_a_driver_refuses_is_recorded(void **state) {
    (void)state;
    source s = {.text = TWO_PRODUCTS};
    gali_gpu_tuned tuned[TASKS];
    memset(&driver, 0, sizeof driver);
    driver.refuses = 1;
    assert_int_equal(tune(&s, tuned), 2);
    driver.refuses = 0;
    assert_true(driver.refused > 0);
    assert_in_range(s.failed, 3, 1000);
    assert_int_equal(s.more, 0);
    assert_int_equal(tuned[1].task.rows, LAST_ROWS);
    tuned[1].best.images = tuned[1].task.tiling.images; /* of the same tile they are built */
    assert_true(gali_tiling_same(&tuned[1].best, &tuned[1].task.tiling) && tuned[1].nanoseconds > 0);
    assert_in_range(tuned[0].measured, 5, 1000); /* one, then four and more at the end */
}

/* A device that is gone is no fault of a tiling. */
static void what_fails_by_rules_ends_the_search(void **state) {
    (void)state;
    source s = {.text = TWO_PRODUCTS};
    gali_gpu_tuned tuned[TASKS];
    gal_error error = {0};
    uint32_t count;
    memset(&driver, 0, sizeof driver);
    driver.refuses = 1;
    driver.lost = 1;
    assert_int_equal(try_tune(&s, tuned, &count, &error), GAL_IO);
    driver.refuses = 0;
    assert_non_null(strstr(error.message, "a driver that refuses it"));
    assert_int_equal(s.failed, 0);
    assert_int_equal(driver.refused, 2); /* a round's, then without its candidates */
}

/* Of a device whose groups are one item no tiling fits: the task has none, by which the search passes it over. */
static void what_is_no_sum_in_tiles_has_no_tiling(void **state) {
    (void)state;
    static const struct {
        uint32_t group_most;
        int tiled;
    } devices[] = {{1, 0}, {256, 1}};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        source s = {.text = TWO_PRODUCTS};
        const gali_device_limits limits = {.group_most = devices[i].group_most, .local_bytes = 1 << 15};
        gali_device_plan plan;
        gali_program *program;
        const int64_t *sizes;
        gal_error error;
        assert_int_equal(make(&s, &program, &sizes, &error), GAL_OK);
        assert_int_equal(gali_device_plan_make(&plan, program, &limits, &error), GAL_OK);
        assert_int_equal(plan.task_count, 2);
        assert_int_equal(plan.tasks[0].tiling.parts > 0, devices[i].tiled);
        assert_int_equal(plan.tasks[1].tiling.parts > 0, devices[i].tiled);
        gali_device_plan_release(&plan);
        gali_arena_release(&s.arena);
    }
}

int main(void) {
    if (!device_is_there()) {
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(outputs_may_be_no_numbers),
                                       cmocka_unit_test(what_a_driver_refuses_is_recorded),
                                       cmocka_unit_test(what_fails_by_rules_ends_the_search),
                                       cmocka_unit_test(what_is_no_sum_in_tiles_has_no_tiling)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
