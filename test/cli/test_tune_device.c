/*
 * Tuning on a device: what is measured is in the space, of images too; a network that is opened by the log has its tilings and
 * its results. Skipped where there is no OpenCL device.
 */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "gpu/any_device.h"
#include "gpu/gpu.h"
#include "gpu/tune.h"
#include "network/fixture.h"
#include "tune_device.h"

enum { ROWS = 40 };

static const synthetic_desc desc = {.gate = GAL_GATE_CUBIC,
                                    .experts = 4,
                                    .layers = 2,
                                    .width = {36, 70, 33},
                                    .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_NONE},
                                    .normalised = 1,
                                    .seed = 12};

static void write_model(const synthetic *model, const char *path) {
    size_t size;
    unsigned char *bytes = synthetic_bytes(model, &size);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    free(bytes);
}

static void tune(const char *model, const char *log_path, gali_log *log) {
    static const uint32_t counts[] = {ROWS};
    FILE *file = fopen(log_path, "ab");
    const gali_tune_device_desc how = {
        .model = model, .seconds = 0.01, .counts = counts, .count = 1, .log = log, .file = file};
    gal_error error = {0};
    int stopped;
    if (gali_tune_device(&how, &stopped, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(stopped, 0);
    fclose(file);
}

static uint32_t images_of(const gali_log *log) {
    uint32_t images = 0;
    for (uint32_t i = 0; i < log->count; i++) {
        images += strstr(log->records[i].schedule, "images right") != NULL;
    }
    return images;
}

/* Whether a product's kernel is the best tiling of the log. */
static void expect_logged(const gal_gpu *gpu, const gali_log *log) {
    assert_int_equal(gpu->run.plan.task_count, 2);
    for (uint32_t i = 0; i < gpu->run.plan.task_count; i++) {
        const gali_device_task *task = &gpu->run.plan.tasks[i];
        uint32_t rows[4];
        gali_tiling tilings[4];
        assert_int_equal(gali_log_tilings(log, &task->name, 4, rows, tilings), 1);
        assert_int_equal(rows[0], ROWS);
        assert_true(gali_tiling_same(&tilings[0], &task->tiling));
    }
}

static int stop_at_once(void *context) {
    ++*(int *)context;
    return 1;
}

static int count_asked(void *context) {
    ++*(int *)context;
    return 0;
}

/* What was measured by then is kept, and said to be cut short. */
static void a_search_may_be_stopped(void **state) {
    (void)state;
    static const uint32_t counts[] = {ROWS, 2 * ROWS};
    char model[] = "/tmp/gallop-tune-XXXXXX";
    int asked = 0, stopped = 0;
    close(mkstemp(model));
    fixture f = fixture_make(&desc, 1);
    write_model(&f.s, model);
    const gali_tune_device_desc how = {
        .model = model, .seconds = 60, .counts = counts, .count = 2, .watch = stop_at_once, .context = &asked};
    gal_error error = {0};
    assert_int_equal(gali_tune_device(&how, &stopped, &error), GAL_OK);
    assert_int_equal(stopped, 1);
    assert_in_range(asked, 1, 4); /* a round of two layers, then at the end of the first count */
    remove(model);
    fixture_free(&f);
}

/* What was measured is lost: that is an error, and the next count is not searched. */
static void a_log_that_is_full_is_an_error(void **state) {
    (void)state;
    static const uint32_t counts[] = {ROWS, 2 * ROWS};
    char model[] = "/tmp/gallop-tune-XXXXXX";
    int asked = 0, stopped = 0;
    close(mkstemp(model));
    fixture f = fixture_make(&desc, 1);
    write_model(&f.s, model);
    FILE *full = fopen("/dev/full", "wb");
    assert_non_null(full);
    const gali_tune_device_desc how = {.model = model,
                                       .seconds = 60,
                                       .counts = counts,
                                       .count = 2,
                                       .file = full,
                                       .watch = count_asked,
                                       .context = &asked};
    gal_error error = {0};
    assert_int_equal(gali_tune_device(&how, &stopped, &error), GAL_IO);
    assert_non_null(strstr(error.message, "could not be written"));
    assert_int_equal(stopped, 0);
    assert_in_range(asked, 0, 2); /* after the round, and after the first count */
    fclose(full);
    remove(model);
    fixture_free(&f);
}

/* The kernel of a product's first layer for so many rows: 0, for few rows; else its rows of a tile. */
static uint32_t tile_at(const gal_gpu *gpu, int64_t rows) {
    for (uint32_t i = 0; i < gpu->run.plan.launch_count; i++) {
        const gali_launch *launch = &gpu->run.plan.launches[i];
        if (launch->task == 1 && launch->shape != GALI_LAUNCH_ITEMS && rows >= launch->least &&
            rows <= launch->most) {
            return launch->shape == GALI_LAUNCH_ROWS ? 0 : launch->rows;
        }
    }
    return UINT32_MAX;
}

static uint32_t choose_at_ten(void *context, const gali_device_task *task, gali_device_chosen *chosen) {
    (void)task;
    (void)context;
    chosen[0] = (gali_device_chosen){10, {64, 64, 8, 8, 8, 1, 0}};
    chosen[1] = (gali_device_chosen){600, {128, 128, 8, 8, 8, 1, 0}};
    return 2;
}

/* What was measured at a count holds until the rules take another. */
static void a_tiling_holds_for_its_range(void **state) {
    (void)state;
    static const struct {
        int64_t rows;
        uint32_t tile;
    } expected[] = {{1, 0},    {9, 0},    {10, 64},  {31, 64},   {32, 0},     {255, 0},
                    {256, 32}, {511, 32}, {599, 64}, {600, 128}, {16383, 128}};
    fixture f = fixture_make(&desc, 1);
    size_t size;
    unsigned char *bytes = synthetic_bytes(&f.s, &size);
    const gali_gpu_choice choice = {.choose = choose_at_ten};
    gal_gpu *gpu;
    gal_error error;
    assert_int_equal(gali_gpu_open(&gpu, bytes, size, &(gal_gpu_desc){.capacity = 20000}, &choice, &error),
                     GAL_OK);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(tile_at(gpu, expected[i].rows), expected[i].tile);
    }
    gal_gpu_close(gpu);
    free(bytes);
    fixture_free(&f);
}

/* C that is emitted by the log is other C. */
static void expect_compiled(const void *bytes, size_t size, const char *log) {
    const gal_compile_desc plain = {.name = "net", .target = "opencl", .least = 1, .most = ROWS};
    gal_compile_desc logged = plain;
    gal_compiled *a, *b;
    size_t length;
    gal_error error;
    logged.log = log;
    assert_int_equal(gal_compile(&a, bytes, size, &plain, &error), GAL_OK);
    assert_int_equal(gal_compile(&b, bytes, size, &logged, &error), GAL_OK);
    assert_string_not_equal(gal_compiled_bytes(a, GAL_COMPILED_SOURCE, &length),
                            gal_compiled_bytes(b, GAL_COMPILED_SOURCE, &length));
    gal_compiled_free(a);
    gal_compiled_free(b);
}

static void a_log_is_written_and_opens(void **state) {
    (void)state;
    char folder[] = "/tmp/gallop-tune-XXXXXX", model[64], path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(model, sizeof model, "%s/net.gallop", folder);
    snprintf(path, sizeof path, "%s/log", folder);
    fixture f = fixture_make(&desc, ROWS);
    write_model(&f.s, model);
    gali_log none = {.count = 0}, log = {.count = 0};
    gal_error error = {0};
    tune(model, path, &none);
    assert_int_equal(gali_log_read(&log, path, &error), GAL_OK);
    assert_in_range(log.count, 2 * 4, 1000);
    assert_in_range(images_of(&log), 0, log.count);
    size_t size;
    unsigned char *bytes = synthetic_bytes(&f.s, &size);
    const gal_gpu_desc how = {.capacity = ROWS, .log = path};
    gal_gpu *gpu;
    assert_int_equal(gal_gpu_open(&gpu, bytes, size, &how, &error), GAL_OK);
    expect_logged(gpu, &log);
    float *y = malloc((size_t)ROWS * f.outputs * sizeof *y);
    fixture_run(&f, (gal_network_desc){0}, ROWS, f.y);
    gal_network_batch batch = {.count = ROWS, .x = f.x, .y = y, .phase = f.gate};
    assert_int_equal(gal_gpu_run(gpu, &batch, &error), GAL_OK);
    for (size_t i = 0; i < (size_t)ROWS * f.outputs; i++) {
        assert_float_equal(y[i], f.y[i], 1e-4);
    }
    gal_gpu_close(gpu);
    expect_compiled(bytes, size, path);
    uint32_t before = log.count; /* once known, nothing is measured again */
    tune(model, path, &log);
    gali_log_release(&log);
    assert_int_equal(gali_log_read(&log, path, &error), GAL_OK);
    assert_int_equal(log.count, before);
    const gal_gpu_desc missing = {.log = folder};
    assert_int_equal(gal_gpu_open(&gpu, bytes, size, &missing, &error), GAL_IO);
    gali_log_release(&log);
    remove(path);
    remove(model);
    remove(folder);
    free(bytes);
    free(y);
    fixture_free(&f);
}

int main(void) {
    if (!device_is_there()) {
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_log_is_written_and_opens), cmocka_unit_test(a_search_may_be_stopped),
        cmocka_unit_test(a_log_that_is_full_is_an_error), cmocka_unit_test(a_tiling_holds_for_its_range)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
