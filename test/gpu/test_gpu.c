/*
 * Networks on a device against the runtime's own: every gate, products by tiles and row by row, strides, parts; what fails
 * says so, and a crowd whose runner fails goes on here. Skipped where there is no OpenCL device.
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "any_device.h"
#include "gpu/gpu.h"
#include "gpu/space.h"
#include "network/fixture.h"

enum { ROWS_MOST = 130 };
static const double tolerance = 1e-5;

/* half: weights are float16 there. */
static gal_gpu *open_by(const synthetic *model, uint32_t capacity, gali_tiling *tiling, uint32_t half) {
    size_t size;
    unsigned char *bytes = synthetic_bytes(model, &size);
    gal_gpu_desc desc = {.capacity = capacity, .half_weights = half};
    gal_gpu *gpu;
    const gali_gpu_choice choice = {.choose = tiling ? gali_gpu_choose_one : NULL, .context = tiling};
    gal_error error = {.status = GAL_OK};
    if (gali_gpu_open(&gpu, bytes, size, &desc, &choice, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    free(bytes);
    return gpu;
}

static gal_gpu *open_gpu(const synthetic *model, uint32_t capacity, gali_tiling *tiling) {
    return open_by(model, capacity, tiling, 0);
}

/* The largest difference of two lists, of the largest number. */
static double apart(const float *a, const float *b, size_t count) {
    double most = 0, off = 0;
    for (size_t i = 0; i < count; i++) {
        double difference = fabs((double)a[i] - (double)b[i]);
        off = difference > off || isnan(difference) ? difference : off;
        most = fmax(most, fabs((double)a[i]));
    }
    return off / most;
}

static double difference(const synthetic_desc *desc, uint32_t count, uint32_t capacity, gali_tiling *tiling,
                         uint32_t half) {
    fixture f = fixture_make(desc, count);
    gal_gpu *gpu = open_by(&f.s, capacity, tiling, half);
    assert_true(!tiling || !tiling->images || gpu->run.plan.image_count > 0);
    float *y = malloc((size_t)count * f.outputs * sizeof *y);
    memset(y, 0xff, (size_t)count * f.outputs * sizeof *y);
    fixture_run(&f, (gal_network_desc){0}, count, f.y);
    gal_network_batch batch = {.count = count, .x = f.x, .y = y, .phase = f.gate, .blend = f.gate};
    gal_error error = {.status = GAL_OK};
    assert_int_equal(gal_gpu_run(gpu, &batch, &error), GAL_OK);
    double off = apart(f.y, y, (size_t)count * f.outputs);
    free(y);
    gal_gpu_close(gpu);
    fixture_free(&f);
    return off;
}

static void expect_same(const synthetic_desc *desc, uint32_t count, uint32_t capacity, gali_tiling *tiling) {
    double off = difference(desc, count, capacity, tiling, 0);
    if (!(off < tolerance)) {
        fail_msg("%u rows: off by %g", count, off);
    }
}

static void test_gates(void **state) {
    (void)state;
    static const gal_gate_kind kinds[] = {GAL_GATE_CUBIC, GAL_GATE_LINEAR, GAL_GATE_CONSTANT, GAL_GATE_CALLER,
                                          GAL_GATE_NETWORK};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        synthetic_desc desc = {.gate = kinds[i],
                               .experts = 4 + (uint32_t)(i % 2),
                               .layers = 2,
                               .width = {37, 29, 18},
                               .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_TANH},
                               .masked = 5,
                               .constant = 7,
                               .top = 4,
                               .normalised = 1,
                               .seed = i + 1};
        expect_same(&desc, 9, 16, NULL);
    }
}

static void test_tiles(void **state) {
    (void)state;
    static gali_tiling tilings[] = {{32, 32, 8, 4, 4, 1, 0},
                                    {64, 32, 16, 8, 4, 1, GALI_IMAGE_RIGHT},
                                    {32, 64, 8, 4, 8, 1, GALI_IMAGE_LEFT},
                                    {32, 32, 8, 8, 4, 2, GALI_IMAGE_LEFT | GALI_IMAGE_RIGHT},
                                    {32, 64, 4, 8, 8, 4, 0},
                                    {.rows = 8, .parts = 32}};
    for (size_t i = 0; i < sizeof tilings / sizeof *tilings; i++) {
        synthetic_desc desc = {.gate = GAL_GATE_CUBIC,
                               .experts = 4,
                               .layers = 2,
                               .width = {i == 0 ? 37 : 36, 70, 33},
                               .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_NONE},
                               .normalised = 1,
                               .seed = i + 40};
        expect_same(&desc, ROWS_MOST, ROWS_MOST, &tilings[i]);
    }
}

/* Weights rounded to 11 bits, by rows and by tiles: a whole network is within some units of 2^-11. */
static void test_half_weights(void **state) {
    (void)state;
    synthetic_desc desc = {.gate = GAL_GATE_CUBIC,
                           .experts = 4,
                           .layers = 2,
                           .width = {36, 70, 33},
                           .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_NONE},
                           .normalised = 1,
                           .seed = 40};
    static const uint32_t counts[] = {5, 60};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double off = difference(&desc, counts[i], 60, NULL, 1);
        assert_true(off > tolerance && off < 2e-3);
    }
}

/* Tasks from the last to the first, on this thread. */
static void backwards(void *context, void (*task)(void *argument, uint32_t index), void *argument,
                      uint32_t count) {
    (void)context;
    while (count) {
        task(argument, --count);
    }
}

static void test_parts_and_strides(void **state) {
    (void)state;
    enum { COUNT = 611, APART = 40, CAPACITY = 300 };
    synthetic_desc desc = {.gate = GAL_GATE_LINEAR, .experts = 3, .layers = 1, .width = {33, 17}, .seed = 5};
    fixture f = fixture_make(&desc, COUNT);
    gal_gpu *gpu =
        open_gpu(&f.s, CAPACITY, NULL); /* three parts, rows of the first two joined in two tasks each */
    const gal_parallel parallel = {backwards, NULL, 2};
    static float x[COUNT * APART], y[COUNT * APART];
    for (uint32_t c = 0; c < COUNT; c++) {
        memcpy(x + c * APART, f.x + c * f.inputs, f.inputs * sizeof *x);
        y[c * APART + f.outputs] = 7;
    }
    fixture_run(&f, (gal_network_desc){0}, COUNT, f.y);
    gal_network_batch batch = {.count = COUNT,
                               .x = x,
                               .x_stride = APART,
                               .y = y,
                               .y_stride = APART,
                               .phase = f.gate,
                               .parallel = &parallel};
    gal_error error;
    assert_int_equal(gal_gpu_run(gpu, &batch, &error), GAL_OK);
    for (uint32_t c = 0; c < COUNT; c++) {
        assert_true(apart(f.y + c * f.outputs, y + c * APART, f.outputs) < tolerance);
        assert_true(y[c * APART + f.outputs] > 6); /* between rows nothing is written */
    }
    gal_gpu_close(gpu);
    fixture_free(&f);
}

/* More than a piece each way, a part of one at the end; a second batch where the first has been. */
static void test_pieces(void **state) {
    (void)state;
    enum { COUNT = 33000, AGAIN = 5 };
    synthetic_desc desc = {.gate = GAL_GATE_LINEAR, .experts = 3, .layers = 1, .width = {33, 37}, .seed = 9};
    fixture f = fixture_make(&desc, COUNT);
    gal_gpu *gpu = open_gpu(&f.s, COUNT, NULL);
    const gal_parallel parallel = {backwards, NULL, 2};
    float *y = malloc((size_t)COUNT * f.outputs * sizeof *y);
    fixture_run(&f, (gal_network_desc){0}, COUNT, f.y);
    gal_network_batch batch = {.count = COUNT, .x = f.x, .y = y, .phase = f.gate, .parallel = &parallel};
    assert_true(COUNT * f.inputs * sizeof *y > GALI_STAGING_PIECE);
    assert_int_equal(gal_gpu_run(gpu, &batch, NULL), GAL_OK);
    assert_true(apart(f.y, y, (size_t)COUNT * f.outputs) < tolerance);
    memset(y, 0xff, (size_t)COUNT * f.outputs * sizeof *y);
    batch.parallel = NULL; /* one thread: without the pieces */
    assert_int_equal(gal_gpu_run(gpu, &batch, NULL), GAL_OK);
    assert_true(apart(f.y, y, (size_t)COUNT * f.outputs) < tolerance);
    memset(y, 0xff, AGAIN * f.outputs * sizeof *y);
    batch.count = AGAIN;
    assert_int_equal(gal_gpu_run(gpu, &batch, NULL), GAL_OK);
    assert_true(apart(f.y, y, (size_t)COUNT * f.outputs) < tolerance);
    free(y);
    gal_gpu_close(gpu);
    fixture_free(&f);
}

/* start returns with the batch read; a finish of another batch than the one under way is refused. */
static void test_pipelined(void **state) {
    (void)state;
    enum { COUNT = 20, CAPACITY = 16, APART = 40 }; /* two parts */
    synthetic_desc desc = {.gate = GAL_GATE_LINEAR, .experts = 3, .layers = 1, .width = {33, 17}, .seed = 7};
    fixture f = fixture_make(&desc, COUNT);
    size_t size;
    unsigned char *bytes = synthetic_bytes(&f.s, &size);
    gal_gpu_desc how = {.capacity = CAPACITY, .pipelined = 1};
    gal_gpu *gpu;
    assert_int_equal(gal_gpu_open(&gpu, bytes, size, &how, NULL), GAL_OK);
    float y[COUNT * APART] = {0}, other[COUNT * APART];
    const gal_network_runner runner = gal_gpu_runner(gpu);
    fixture_run(&f, (gal_network_desc){0}, COUNT, f.y);
    gal_network_batch batch = {.count = COUNT, .x = f.x, .y = y, .y_stride = APART, .phase = f.gate},
                      two = batch;
    two.y = other;
    assert_int_equal(runner.finish(runner.context, &batch, NULL), GAL_BAD_ARGUMENT);
    assert_int_equal(runner.start(runner.context, &two, NULL), GAL_OK);
    assert_int_equal(runner.start(runner.context, &batch, NULL), GAL_OK);
    memset(f.x, 0, (size_t)COUNT * f.inputs * sizeof *f.x);
    assert_int_equal(runner.finish(runner.context, &two, NULL), GAL_BAD_ARGUMENT);
    assert_int_equal(runner.finish(runner.context, &batch, NULL), GAL_OK);
    for (uint32_t c = 0; c < COUNT; c++) {
        assert_true(apart(f.y + c * f.outputs, y + c * APART, f.outputs) < tolerance);
    }
    assert_int_equal(runner.finish(runner.context, &batch, NULL), GAL_BAD_ARGUMENT); /* once */
    assert_int_equal(runner.start(runner.context, &batch, NULL), GAL_OK);
    gal_gpu_close(gpu);
    free(bytes);
    fixture_free(&f);
}

static void test_failures(void **state) {
    (void)state;
    gal_gpu *gpu;
    gal_error error = {.status = GAL_OK};
    synthetic_desc desc = {.gate = GAL_GATE_CUBIC, .experts = 4, .layers = 1, .width = {33, 17}, .seed = 5};
    synthetic model = synthetic_make(&desc);
    size_t size;
    unsigned char *bytes = synthetic_bytes(&model, &size);
    gal_gpu_desc none = {.device = 60}, large = {.capacity = 2000000};
    assert_int_equal(gal_gpu_open(&gpu, bytes, size, &none, &error), GAL_UNSUPPORTED);
    assert_null(gpu);
    assert_int_equal(gal_gpu_open(&gpu, bytes, size, &large, &error), GAL_BAD_ARGUMENT);
    assert_int_equal(gal_gpu_open(&gpu, bytes, size / 2, NULL, &error), GAL_BAD_DATA);
    gpu = open_gpu(&model, 4, NULL);
    float x[33] = {0}, y[17], phase = NAN;
    gal_network_batch batch = {.count = 1, .x = x, .y = y, .phase = &phase};
    assert_int_equal(gal_gpu_run(gpu, &batch, &error), GAL_BAD_ARGUMENT);
    phase = 1;
    batch.x_stride = 32;
    assert_int_equal(gal_gpu_run(gpu, &batch, &error), GAL_BAD_ARGUMENT);
    batch.x_stride = 0;
    assert_int_equal(gal_gpu_run(gpu, &batch, &error), GAL_OK);
    assert_null(gali_cl_build(&gpu->run.cl, "no kernel")); /* a failure of the device stays */
    assert_int_equal(gal_gpu_run(gpu, &batch, &error), GAL_IO);
    assert_non_null(strstr(error.message, "does not build"));
    gal_gpu_close(gpu);
    free(bytes);
    synthetic_free(&model);
}

/* Less memory than a million characters' rows need, before any of it is taken; large devices have it. */
static void test_memory(void **state) {
    (void)state;
    enum { GIGABYTES = 15 }; /* two rows of 2,000 floats each */
    gali_cl_facts facts;
    uint32_t devices;
    gali_cl_list(&facts, 1, &devices, NULL);
    if (facts.memory >> 30 >= GIGABYTES) {
        skip();
    }
    gal_gpu *gpu;
    gal_error error = {.status = GAL_OK};
    synthetic_desc desc = {.gate = GAL_GATE_CUBIC, .experts = 4, .layers = 1, .width = {2000, 2000}, .seed = 6};
    synthetic model = synthetic_make(&desc);
    size_t size;
    unsigned char *bytes = synthetic_bytes(&model, &size);
    gal_gpu_desc many = {.capacity = 1000000};
    assert_int_equal(gal_gpu_open(&gpu, bytes, size, &many, &error), GAL_NO_MEMORY);
    assert_null(gpu);
    assert_non_null(strstr(error.message, "MB"));
    free(bytes);
    synthetic_free(&model);
}

/* The fastest tilings that were measured on an H200 (docs/gpu.md), of the whole space or of what an older criterion kept. */
static const struct {
    gali_device_task task;
    gali_tiling best;
} measured[] = {
    {{.product = 1, .batches = 1, .rows = 4096, .experts = 4, .inputs = 912, .outputs = 256},
     {64, 64, 8, 8, 8, 4, 0}},
    {{.product = 1, .batches = 1, .rows = 4096, .experts = 4, .inputs = 256, .outputs = 256},
     {64, 128, 8, 8, 8, 2, 0}},
    {{.product = 1, .batches = 1, .rows = 4096, .experts = 4, .inputs = 256, .outputs = 1032},
     {32, 128, 8, 8, 8, 2, 0}},
    {{.product = 1, .batches = 1, .rows = 65536, .experts = 4, .inputs = 256, .outputs = 1032},
     {128, 128, 8, 16, 8, 1, 0}},
};

static void test_pruning(void **state) {
    (void)state;
    static gali_tiling list[GALI_TILINGS_MAX];
    static const char *why[GALI_TILINGS_MAX];
    const gali_device_limits device = {.group_most = 1024, .local_bytes = 48 << 10};
    const gali_gpu_facts facts = {256, 128, 132, 32, 63426, 30639}, unknown = {0}, tiny = {8, 1, 1, 64, 1e6, 1};
    for (size_t m = 0; m < sizeof measured / sizeof *measured; m++) {
        const gali_device_task *product = &measured[m].task;
        uint32_t count = gali_gpu_tilings(product, &device, list), found = 0;
        assert_in_range(count, 100, GALI_TILINGS_MAX);
        assert_in_range(gali_gpu_prune(product, &facts, list, count, why), 1, count / 10 + 1);
        for (uint32_t i = 0; i < count; i++) {
            found += !why[i] && memcmp(&list[i], &measured[m].best, sizeof *list) == 0;
        }
        if (!found) {
            fail_msg("the best of %u rows, %u to %u, is dropped", product->rows, product->inputs,
                     product->outputs);
        }
    }
    const gali_device slow = {.levels = 1, .rate = {100e9}, .image_rate = 120},
                      fast = {.levels = 1, .rate = {96e9}, .image_rate = 190}; /* an Adreno 640's */
    assert_false(gali_gpu_prefers_images(&slow));
    assert_true(gali_gpu_prefers_images(&fast));
    static const uint32_t rows[] = {1, 8, 48, 64, 200, 1000, 1000000};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const gali_device_task product = {.product = 1,
                                          .batches = 1,
                                          .rows = rows[i],
                                          .experts = 1 + (uint32_t)i % 4,
                                          .inputs = 256,
                                          .outputs = 7 + 300 * (uint32_t)i};
        const gali_gpu_facts *each[] = {&facts, &unknown, &tiny};
        uint32_t count = gali_gpu_tilings(&product, &device, list);
        for (size_t k = 0; k < 3; k++) {
            assert_in_range(gali_gpu_prune(&product, each[k], list, count, why), 1, count / 10 + 1);
        }
    }
}

int main(void) {
    setenv("POCL_MEMORY_LIMIT", "4", 0); /* GB, so that memory ends */
    if (!device_is_there()) {
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gates),        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_half_weights), cmocka_unit_test(test_parts_and_strides),
        cmocka_unit_test(test_pieces),       cmocka_unit_test(test_pipelined),
        cmocka_unit_test(test_failures),     cmocka_unit_test(test_memory),
        cmocka_unit_test(test_pruning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
