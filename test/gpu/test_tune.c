/* The search of tilings by itself (gpu/tune.h), of graphs in its own words. Skipped where there is no OpenCL device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/emit/opencl/emit.h"
#include "gpu/tune.h"

enum { SKIPPED = 77, TASKS = 4 };

/* A text's program, made anew for each round, and what was told of its measurements. */
typedef struct source {
    const char *text;
    gali_arena arena;
    int64_t sizes[1];
    uint32_t measured;
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
    (void)of, (void)tiling, (void)pairs;
    s->measured += nanoseconds > 0;
    return 0;
}

static uint32_t tune(source *s, gali_gpu_tuned tuned[TASKS]) {
    const gali_gpu_tune_desc how = {.seconds = 0.01, .make = make, .record = record, .context = s};
    gal_error error = {0};
    uint32_t count;
    if (gali_gpu_tune(&how, tuned, TASKS, &count, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gali_arena_release(&s->arena);
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

int main(void) {
    static gali_cl_facts facts[1];
    uint32_t count;
    gali_cl_list(facts, 1, &count, NULL);
    if (!count) {
        printf("no OpenCL device\n");
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(outputs_may_be_no_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
