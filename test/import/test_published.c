/*
 * The published weights themselves, where they are: in GALLOP_SHARED_DATA, or in ../shared/data beside the
 * source. They may not be distributed, so elsewhere this test is skipped (exit status 77).
 */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "contract/contract.h"
#include "import/pfnn_folder.h"

enum { SKIPPED = 77, HEAD = 24, POINTS_FILE_MOST = 1 << 26 };

static char data[1024], folder[] = "gallop-published-XXXXXX";

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where) {
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

typedef struct imported {
    void *image;
    size_t size;
    gali_pfnn_report report;
    gali_model model;
} imported;

static imported import(gali_pfnn_desc desc) {
    imported r = {0};
    gal_error error = {0};
    gali_files weights = gali_files_folder(folder), skeleton = gali_files_folder(data);
    desc.weights = &weights;
    desc.skeleton = &skeleton;
    if (gali_pfnn_import(&desc, &r.image, &r.size, &r.report, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(gali_model_read(&r.model, r.image, r.size, &error), GAL_OK);
    return r;
}

/* The four control points that the folder was made from, as floats behind a head of 24 bytes. */
static unsigned char *read_points(size_t *size) {
    char path[1100];
    void *bytes = NULL;
    gal_error error = {0};
    snprintf(path, sizeof path, "%s/pfnn_cp4_f32.bin", data);
    if (gali_file_read(path, POINTS_FILE_MOST, NULL, &bytes, size, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return bytes;
}

/* rms of the difference of two float32 arrays over the rms of the second. */
static double relative(const unsigned char *a, const unsigned char *b, size_t count) {
    double misses = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        double x = (double)gali_model_f32(a, i), y = (double)gali_model_f32(b, i);
        misses += (x - y) * (x - y);
        squares += y * y;
    }
    return misses / squares;
}

static void recovers_the_control_points(void **state) {
    (void)state;
    imported r = import((gali_pfnn_desc){0});
    print_message("residual of the weights' rms: rms %.3g (%s), max %.3g\n", r.report.residual_rms,
                  r.report.residual_worst, r.report.residual_max);
    assert_true(r.report.residual_rms <= 1e-6);
    assert_true(r.report.residual_max <= 1e-5);
    assert_int_equal(r.report.masked, 72);
    assert_int_equal(r.report.constant, 12);
    assert_true(r.report.skeleton_found);
    size_t size = 0;
    unsigned char *points = read_points(&size), *at = points + HEAD + 4 * (342 + 342 + 311 + 311);
    for (int kind = 0; kind < 6; kind++) {
        const gali_model_layer *layer = &r.model.layers[kind / 2];
        size_t count = (size_t)4 * layer->outputs * (kind % 2 ? 1 : layer->inputs);
        assert_true(relative(kind % 2 ? layer->biases : layer->weights, at, count) <= 1e-12);
        at += 4 * count;
    }
    assert_ptr_equal(at, points + size);
    gali_release(NULL, points, size);
    gali_contract *contract = NULL;
    assert_int_equal(gali_contract_parse(&contract, r.model.contract, r.model.contract_size, NULL, NULL),
                     GAL_OK);
    assert_int_equal(gali_contract_complete(contract, r.model.gate, NULL), GAL_OK);
    gali_contract_release(contract, NULL);
    gali_release(NULL, r.image, r.size);
}

static void keeps_sets_as_they_are(void **state) {
    (void)state;
    imported r = import((gali_pfnn_desc){.gate = GAL_GATE_LINEAR});
    for (uint32_t e = 0; e < 10; e++) {
        char path[128];
        void *bytes = NULL;
        size_t size = 0;
        snprintf(path, sizeof path, "%s/W1_%03u.bin", folder, 5 * e);
        assert_int_equal(gali_file_read(path, 1 << 24, NULL, &bytes, &size, NULL), GAL_OK);
        assert_memory_equal((const unsigned char *)r.model.layers[1].weights + e * size, bytes, size);
        gali_release(NULL, bytes, size);
    }
    gali_release(NULL, r.image, r.size);
    r = import((gali_pfnn_desc){.gate = GAL_GATE_CONSTANT});
    assert_int_equal(r.model.experts, 50);
    assert_true(r.size > 119000000 && r.size < 120000000);
    gali_release(NULL, r.image, r.size);
}

int main(void) {
    const char *shared = getenv("GALLOP_SHARED_DATA");
    char path[1100], command[2300];
    snprintf(data, sizeof data, "%s/holden", shared ? shared : GALLOP_SOURCE_DIR "/../shared/data");
    snprintf(path, sizeof path, "%s/make_folder.py", data);
    if (access(path, R_OK) != 0) {
        printf("skipped: no published weights in %s\n", data);
        return SKIPPED;
    }
    if (!mkdtemp(folder)) {
        return 1;
    }
    snprintf(command, sizeof command, "/usr/bin/python3 '%s' %s", path, folder);
    int made = system(command);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers_the_control_points),
        cmocka_unit_test(keeps_sets_as_they_are),
    };
    int result = made == 0 ? cmocka_run_group_tests(tests, NULL, NULL) : SKIPPED;
    if (made != 0) {
        printf("skipped: the published folder could not be made (python3 with numpy is needed)\n");
    }
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return result;
}
