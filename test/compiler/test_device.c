/* A file of the probe as a roofline. */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/log/device.h"

static const char whole[] = "{\"schema\": \"gallop-device 1\", \"name\": \"a chip\", \"facts\": ["
                            "{\"name\": \"peak_f32\", \"value\": 240, \"note\": \"avx512\"}, {\"name\": "
                            "\"peak_f32\", \"value\": 120, \"note\": "
                            "\"avx2\"}, {\"name\": \"buffer_level\", \"level\": 1, \"value\": 49152}, "
                            "{\"name\": \"buffer_rate\", \"level\": 1, "
                            "\"value\": 400}, {\"name\": \"buffer_rate\", \"level\": 2, \"value\": 40}, "
                            "{\"name\": \"launch\", \"value\": 3}]}";

static gal_status read_text(const char *text, const char *isa, gali_device *device, gal_error *error) {
    char name[] = "/tmp/gallop-device-XXXXXX";
    FILE *file = fdopen(mkstemp(name), "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    gal_status status = gali_device_read(device, name, isa, error);
    if (status != GAL_OK) { /* errors name the file */
        assert_int_equal(strncmp(error->message, name, strlen(name)), 0);
        memmove(error->message, error->message + strlen(name), strlen(error->message + strlen(name)) + 1);
    }
    unlink(name);
    return status;
}

static void a_roofline_is_the_longer_of_two_times(void **unused) {
    (void)unused;
    gali_device device;
    gal_error error = {0};
    int by_memory;
    if (read_text(whole, "avx2", &device, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    assert_string_equal(device.name, "a chip");
    assert_int_equal(device.levels, 2);
    assert_true(device.peak == 60e9); /* a multiply-add is two operations */
    assert_true(gali_device_least(&device, 60e9, 40e9, 1e9, &by_memory) == 1 && !by_memory);
    assert_true(gali_device_least(&device, 60e9, 80e9, 1e9, &by_memory) == 2 && by_memory);
    assert_true(gali_device_least(&device, 1, 400e9, 40000, &by_memory) == 1 && by_memory); /* in the cache */
    assert_int_equal(read_text(whole, "avx512", &device, &error), GAL_OK);
    assert_true(device.peak == 120e9);
}

/* Of an OpenCL device: a peak without an instruction set's name, and what tilings are pruned by. */
static void facts_of_opencl_are_taken(void **unused) {
    (void)unused;
    static const char text[] =
        "{\"schema\": \"gallop-device 1\", \"kind\": \"opencl\", \"name\": \"a card\", \"facts\": ["
        "{\"name\": \"peak_f32\", \"value\": 63000, \"note\": \"\"}, {\"name\": \"warp\", \"value\": 32}, "
        "{\"name\": \"alus\", \"value\": 128}, {\"name\": \"cores\", \"value\": 132}, "
        "{\"name\": \"registers\", \"value\": 255}, {\"name\": \"local_rate\", \"value\": 26000}, "
        "{\"name\": \"image_rate\", \"level\": 1, \"value\": 7000}, "
        "{\"name\": \"image_rate\", \"level\": 2, \"value\": 1600}, "
        "{\"name\": \"buffer_rate\", \"level\": 1, \"value\": 5000}]}";
    gali_device device;
    gal_error error = {0};
    assert_int_equal(read_text(text, "", &device, &error), GAL_OK);
    assert_true(device.peak == 31500e9 && device.warp == 32 && device.alus == 128 && device.cores == 132);
    assert_true(device.registers == 255 && device.local_rate == 26000 && device.image_rate == 7000);
}

static void other_files_are_refused(void **unused) {
    (void)unused;
    static const char *const texts[][2] = {
        {"{\"schema\": 1", ", line 1: "},
        {"{\"schema\": \"gallop-device 2\", \"facts\": []}", ": no file of gallop probe"},
        {"{\"schema\": \"gallop-device 1\", \"facts\": []}", ": no peak_f32 of avx2"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gali_device device;
        gal_error error = {0};
        assert_int_equal(read_text(texts[i][0], "avx2", &device, &error), GAL_BAD_DATA);
        if (strncmp(error.message, texts[i][1], strlen(texts[i][1])) != 0) {
            fail_msg("\"%s\", expected \"%s\"", error.message, texts[i][1]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_roofline_is_the_longer_of_two_times),
        cmocka_unit_test(facts_of_opencl_are_taken),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
