/* Tilings as text, in logs, and which of a log's a task gets. */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/log/log.h"

static void texts_come_back(void **unused) {
    (void)unused;
    static const char *const good[] = {"tile 64 128 8; item 8 8; parts 2; images left",
                                       "tile 32 32 16; item 4 4; parts 1; images none", "few 8; parts 128"};
    static const char *const bad[] = {"",
                                      "few 8",
                                      "few 0; parts 128",
                                      "few 8; parts 128;",
                                      "tile 64 128 8; item 8 8; parts 2",
                                      "tile 64 128 8; item 8 8; parts 2; images up",
                                      "tile 64 128 8; item 8 8; parts 2; images left x",
                                      "tile 0 128 8; item 8 8; parts 2; images none",
                                      "tile 99999 128 8; item 8 8; parts 2; images none",
                                      "tile -1 128 8; item 8 8; parts 2; images none",
                                      "split n 4"};
    gali_tiling tiling;
    gal_error error;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        gali_text text = {0};
        assert_int_equal(gali_tiling_parse(&tiling, good[i], &error), GAL_OK);
        gali_tiling_print(&tiling, &text);
        assert_string_equal(text.bytes, good[i]);
        gali_text_release(&text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (gali_tiling_parse(&tiling, bad[i], &error) != GAL_BAD_DATA) {
            fail_msg("\"%s\" is taken as a tiling", bad[i]);
        }
        assert_non_null(strstr(error.message, bad[i]));
    }
}

/* machine, rows, runs, microseconds: of a product; one on another device, one that failed. */
static void a_task_gets_the_best_of_each_count(void **unused) {
    (void)unused;
    static const struct {
        const char *machine, *tiling;
        uint32_t rows, pairs;
        double seconds;
    } rows[] = {
        {"here", "tile 64 64 8; item 8 8; parts 1; images none", 4096, 3, 5e-6},
        {"here", "tile 64 128 8; item 8 8; parts 1; images none", 4096, 11, 7e-6}, /* surer */
        {"here", "tile 32 128 8; item 8 8; parts 1; images none", 4096, 11, 8e-6},
        {"there", "tile 32 32 8; item 4 4; parts 1; images none", 4096, 11, 1e-6},
        {"here", "few 8; parts 64", 8, 3, 2e-6},
        {"here", "few 4; parts 64", 8, 3, 0}, /* it failed */
    };
    static const gali_target target = {.name = "opencl"};
    gali_log_task task;
    gali_log log = {.count = 0};
    gal_error error = {0};
    gali_log_task_of(&task, "a product", "a product", &target);
    char name[] = "/tmp/gallop-log-XXXXXX";
    FILE *file = fdopen(mkstemp(name), "wb");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gali_log_record r = {.pairs = rows[i].pairs,
                             .schedule = rows[i].tiling,
                             .measured = {.ratio = rows[i].seconds > 0, .seconds = rows[i].seconds}};
        snprintf(task.machine, sizeof task.machine, "%s", rows[i].machine);
        task.characters = rows[i].rows;
        assert_int_equal(gali_log_write(file, &task, &r, &error), GAL_OK);
    }
    fclose(file);
    if (gali_log_read(&log, name, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    remove(name);
    uint32_t counts[4];
    gali_tiling tilings[4];
    snprintf(task.machine, sizeof task.machine, "here");
    assert_int_equal(gali_log_tilings(&log, &task, 4, counts, tilings), 2);
    assert_true(counts[0] == 8 && tilings[0].rows == 8 && tilings[0].depth == 0 && tilings[0].parts == 64);
    assert_true(counts[1] == 4096 && tilings[1].rows == 64 && tilings[1].outputs == 128);
    assert_int_equal(gali_log_tilings(&log, &task, 1, counts, tilings), 1);
    snprintf(task.machine, sizeof task.machine, "nowhere");
    assert_int_equal(gali_log_tilings(&log, &task, 4, counts, tilings), 0);
    gali_log_release(&log);
}

static void a_schedule_is_no_tiling(void **unused) {
    (void)unused;
    static const char text[] =
        "{\"gallop_tune\": 1, \"group\": \"a\", \"key\": \"0\", \"target\": \"opencl\", \"machine\": \"m\", "
        "\"schedule\": \"split n 4\", \"pairs\": 1, \"ratio\": 1.0, \"seconds\": 1.0}\n";
    gali_log log = {.count = 0};
    gal_error error = {0};
    assert_int_equal(gali_log_parse(&log, text, strlen(text), "log", &error), GAL_BAD_DATA);
    assert_non_null(strstr(error.message, "log, line 1: \"split n 4\" is no tiling"));
    gali_log_release(&log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_come_back),
        cmocka_unit_test(a_task_gets_the_best_of_each_count),
        cmocka_unit_test(a_schedule_is_no_tiling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
