/* Runs of synthetic networks: against float64, independent of the batch, and defined for every gate value. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"
#include "network/gate.h"
#include "network/reference.h"

enum { COUNT_MOST = 67 };

static const float turn = 6.28318530717958647692f;

static const synthetic_desc shapes[] = {
    {.gate = GAL_GATE_CUBIC,
     .experts = 4,
     .layers = 3,
     .width = {37, 64, 61, 53},
     .normalised = 1,
     .masked = 7,
     .constant = 5,
     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_ELU},
     .seed = 1},
    {.gate = GAL_GATE_CUBIC,
     .experts = 7,
     .layers = 2,
     .width = {13, 17, 3},
     .normalised = 1,
     .activation = {GALI_ACTIVATION_RELU},
     .seed = 2},
    {.gate = GAL_GATE_LINEAR,
     .experts = 10,
     .layers = 3,
     .width = {31, 29, 67, 71},
     .normalised = 1,
     .masked = 3,
     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_ELU},
     .seed = 3},
    {.gate = GAL_GATE_LINEAR, .experts = 2, .layers = 1, .width = {1, 1}, .seed = 4},
    {.gate = GAL_GATE_CONSTANT,
     .experts = 50,
     .layers = 2,
     .width = {23, 41, 19},
     .normalised = 1,
     .activation = {GALI_ACTIVATION_ELU},
     .seed = 5},
    {.gate = GAL_GATE_CONSTANT,
     .experts = 1,
     .layers = 2,
     .width = {5, 200, 100},
     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_RELU},
     .normalised = 1,
     .seed = 6},
    {.gate = GAL_GATE_CALLER,
     .experts = 8,
     .layers = 3,
     .width = {47, 43, 32, 16},
     .plain = {0, 1, 0},
     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_ELU},
     .normalised = 1,
     .constant = 4,
     .seed = 7},
    {.gate = GAL_GATE_CALLER, .experts = 16, .layers = 1, .width = {11, 130}, .seed = 8},
    {.gate = GAL_GATE_NETWORK,
     .experts = 8,
     .layers = 3,
     .width = {47, 43, 32, 16},
     .normalised = 1,
     .masked = 5,
     .constant = 4,
     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_ELU},
     .seed = 10},
    {.gate = GAL_GATE_NETWORK,
     .experts = 11,
     .top = 3,
     .layers = 2,
     .width = {29, 31, 37},
     .normalised = 1,
     .activation = {GALI_ACTIVATION_ELU},
     .seed = 11},
    {.gate = GAL_GATE_NETWORK, .experts = 1, .layers = 1, .width = {3, 2}, .normalised = 1, .seed = 12},
    {.gate = GAL_GATE_CUBIC,
     .experts = 4,
     .layers = 3,
     .width = {97, 512, 300, 311},
     .normalised = 1,
     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_ELU},
     .seed = 9},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void runs_match_float64(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < SHAPES; i++) {
        fixture f = fixture_make(&shapes[i], COUNT_MOST);
        for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
            if (gal_isa_available((gal_isa)isa)) {
                gal_network *network = synthetic_open(&f.s, (gal_isa)isa);
                assert_int_equal(synthetic_run(network, COUNT_MOST, f.x, f.gate, f.y, NULL), GAL_OK);
                double error = fixture_error(&f, COUNT_MOST, f.y);
                if (error > 1e-5) {
                    fail_msg("shape %u, %s: error %.2e of the output's rms", i, gal_isa_name((gal_isa)isa),
                             error);
                }
                gal_network_close(network);
            }
        }
        fixture_free(&f);
    }
}

/* Up to 64 deviations from 0 a mean is folded into the weights, and digits go; beyond, it is subtracted first. */
static void a_far_mean_costs_no_digits(void **unused) {
    static const float ratios[] = {0, 10, 39, 60, 70, 100, 1000};
    static const gal_gate_kind gates[] = {GAL_GATE_CUBIC, GAL_GATE_NETWORK};
    (void)unused;
    for (size_t i = 0; i < 2 * sizeof ratios / sizeof ratios[0]; i++) {
        synthetic_desc desc = {.gate = gates[i % 2],
                               .experts = 4,
                               .layers = 2,
                               .width = {97, 64, 33},
                               .normalised = 1,
                               .far = ratios[i / 2],
                               .masked = 11,
                               .constant = 13,
                               .activation = {GALI_ACTIVATION_ELU},
                               .seed = 21};
        fixture f = fixture_make(&desc, COUNT_MOST);
        fixture_run(&f, (gal_network_desc){.isa = GAL_ISA_SCALAR}, COUNT_MOST, f.y);
        double error = fixture_error(&f, COUNT_MOST, f.y), folded = 3e-6 + 1e-6 * (double)ratios[i / 2];
        print_message("mean / deviation %4.0f, gate %u: error %.1e\n", (double)ratios[i / 2],
                      (unsigned)gates[i % 2], error);
        if (error > (ratios[i / 2] < 64 ? folded : 5e-6)) {
            fail_msg("mean / deviation %.0f: error %.2e of the output's rms", (double)ratios[i / 2], error);
        }
        fixture_free(&f);
    }
}

/* All at once, alone, in twos and threes, in every count: the same bits. */
static void a_character_does_not_see_the_others(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < SHAPES; i++) {
        fixture f = fixture_make(&shapes[i], COUNT_MOST);
        gal_network *network = synthetic_open(&f.s, GAL_ISA_BEST);
        size_t row = f.outputs * sizeof(float);
        assert_int_equal(synthetic_run(network, COUNT_MOST, f.x, f.gate, f.y, NULL), GAL_OK);
        float *other = malloc(COUNT_MOST * row);
        for (uint32_t count = 0; count <= COUNT_MOST; count++) {
            uint32_t first = (count * 5) % (COUNT_MOST - count + 1);
            const float *x = f.x + (size_t)first * f.inputs, *gate = f.gate + (size_t)first * f.gate_width;
            assert_int_equal(synthetic_run(network, count, x, gate, other, NULL), GAL_OK);
            assert_memory_equal(other, f.y + (size_t)first * f.outputs, count * row);
        }
        free(other);
        gal_network_close(network);
        fixture_free(&f);
    }
}

static void instruction_sets_agree_bit_for_bit(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < SHAPES; i++) {
        fixture f = fixture_make(&shapes[i], COUNT_MOST);
        size_t size = (size_t)COUNT_MOST * f.outputs * sizeof(float);
        float *scalar = malloc(size);
        for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
            if (!gal_isa_available((gal_isa)isa)) {
                continue;
            }
            gal_network *network = synthetic_open(&f.s, (gal_isa)isa);
            float *y = isa == GAL_ISA_SCALAR ? scalar : f.y;
            assert_int_equal(synthetic_run(network, COUNT_MOST, f.x, f.gate, y, NULL), GAL_OK);
            assert_memory_equal(y, scalar, size);
            gal_network_close(network);
        }
        free(scalar);
        fixture_free(&f);
    }
}

/* A host's parallel_for with two threads that take indices from both ends. */
typedef struct half {
    void (*task)(void *argument, uint32_t index);
    void *argument;
    uint32_t from, to;
} half;

static void *run_half(void *argument) {
    const half *h = argument;
    for (uint32_t i = h->to; i > h->from; i--) {
        h->task(h->argument, i - 1);
    }
    return NULL;
}

static void two_threads(void *context, void (*task)(void *argument, uint32_t index), void *argument,
                        uint32_t count) {
    ++*(uint32_t *)context;
    half low = {task, argument, 0, count / 2}, high = {task, argument, count / 2, count};
    pthread_t thread;
    pthread_create(&thread, NULL, run_half, &high);
    run_half(&low);
    pthread_join(thread, NULL);
}

static void threads_change_nothing(void **unused) {
    (void)unused;
    static const uint32_t counts[] = {1, 2, 7, 15, 16, 17, 64, 67};
    for (uint32_t i = 0; i < SHAPES; i++) {
        fixture f = fixture_make(&shapes[i], COUNT_MOST);
        gal_network *network = synthetic_open(&f.s, GAL_ISA_BEST);
        float *y = malloc((size_t)COUNT_MOST * f.outputs * sizeof *y);
        for (uint32_t n = 0; n < sizeof counts / sizeof counts[0]; n++) {
            uint32_t calls = 0;
            gal_parallel parallel = {two_threads, &calls, 2};
            synthetic_run(network, counts[n], f.x, f.gate, f.y, NULL);
            synthetic_run(network, counts[n], f.x, f.gate, y, &parallel);
            assert_true(calls > 0);
            assert_memory_equal(y, f.y, (size_t)counts[n] * f.outputs * sizeof *y);
        }
        free(y);
        gal_network_close(network);
        fixture_free(&f);
    }
}

static void strides_are_kept(void **unused) {
    (void)unused;
    fixture f = fixture_make(&shapes[0], COUNT_MOST);
    gal_network *network = synthetic_open(&f.s, GAL_ISA_BEST);
    enum { COUNT = 5, X_STRIDE = 50, Y_STRIDE = 60 };
    float x[COUNT * X_STRIDE], y[COUNT * Y_STRIDE];
    for (uint32_t c = 0; c < COUNT; c++) {
        memcpy(x + c * X_STRIDE, f.x + c * f.inputs, f.inputs * sizeof(float));
    }
    for (uint32_t i = 0; i < COUNT * Y_STRIDE; i++) {
        y[i] = -77;
    }
    synthetic_run(network, COUNT, f.x, f.gate, f.y, NULL);
    size_t size = gal_network_workspace_size(network, COUNT);
    void *workspace = aligned_alloc(64, (size + 63) & ~(size_t)63);
    gal_network_batch batch = {
        .count = COUNT, .x = x, .x_stride = X_STRIDE, .phase = f.gate, .y = y, .y_stride = Y_STRIDE};
    assert_int_equal(gal_network_run(network, &batch, workspace, size, NULL), GAL_OK);
    for (uint32_t c = 0; c < COUNT; c++) {
        assert_memory_equal(y + c * Y_STRIDE, f.y + c * f.outputs, f.outputs * sizeof(float));
        for (uint32_t n = f.outputs; n < Y_STRIDE; n++) {
            assert_true(y[c * Y_STRIDE + n] == -77);
        }
    }
    free(workspace);
    gal_network_close(network);
    fixture_free(&f);
}

static void bad_calls_are_refused_before_anything_is_written(void **unused) {
    (void)unused;
    fixture f = fixture_make(&shapes[0], COUNT_MOST);
    gal_network *network = synthetic_open(&f.s, GAL_ISA_BEST);
    size_t size = gal_network_workspace_size(network, 2);
    unsigned char *workspace = aligned_alloc(64, (size + 127) & ~(size_t)63);
    float phases[2] = {0, NAN}, y[200];
    for (uint32_t i = 0; i < 200; i++) {
        y[i] = -77;
    }
    gal_error error = {0};
    gal_network_batch good = {.count = 2, .x = f.x, .phase = f.gate, .y = y}, bad = good;
    bad.phase = phases;
    assert_int_equal(gal_network_run(network, &bad, workspace, size, &error), GAL_BAD_ARGUMENT);
    assert_string_equal(error.message, "phase of character 1 is not finite");
    phases[1] = INFINITY;
    assert_int_equal(gal_network_run(network, &bad, workspace, size, &error), GAL_BAD_ARGUMENT);
    bad.phase = NULL;
    assert_int_equal(gal_network_run(network, &bad, workspace, size, &error), GAL_BAD_ARGUMENT);
    assert_int_equal(gal_network_run(network, &good, workspace, size - 1, &error), GAL_NO_MEMORY);
    assert_int_equal(gal_network_run(network, &good, NULL, size, &error), GAL_NO_MEMORY);
    assert_int_equal(gal_network_run(network, &good, workspace + 4, size, &error), GAL_BAD_ARGUMENT);
    bad = good;
    bad.x_stride = 36;
    assert_int_equal(gal_network_run(network, &bad, workspace, size, &error), GAL_BAD_ARGUMENT);
    bad = good;
    bad.x = NULL;
    assert_int_equal(gal_network_run(network, &bad, workspace, size, &error), GAL_BAD_ARGUMENT);
    assert_true(y[0] == -77 && y[53] == -77);
    assert_int_equal(gal_network_run(network, &good, workspace, size, &error), GAL_OK);
    good.count = 0;
    assert_int_equal(gal_network_run(network, &good, NULL, 0, &error), GAL_OK);
    free(workspace);
    gal_network_close(network);
    fixture_free(&f);
}

/* A NaN in one character's features stays with that character. */
static void a_nan_stays_with_its_character(void **unused) {
    (void)unused;
    fixture f = fixture_make(&shapes[0], COUNT_MOST);
    gal_network *network = synthetic_open(&f.s, GAL_ISA_BEST);
    float *y = malloc((size_t)COUNT_MOST * f.outputs * sizeof *y);
    synthetic_run(network, 9, f.x, f.gate, f.y, NULL);
    f.x[4 * f.inputs] = NAN;
    synthetic_run(network, 9, f.x, f.gate, y, NULL);
    for (uint32_t c = 0; c < 9; c++) {
        if (c != 4) {
            assert_memory_equal(y + c * f.outputs, f.y + c * f.outputs, f.outputs * sizeof *y);
        }
    }
    for (uint32_t n = 0; n < f.outputs; n++) {
        assert_true(!isfinite(y[4 * f.outputs + n]));
    }
    free(y);
    gal_network_close(network);
    fixture_free(&f);
}

static void phases_wrap(void **unused) {
    (void)unused;
    const float below = nextafterf(turn, 0);
    assert_true(gali_gate_wrap(0) == 0);
    assert_true(gali_gate_wrap(turn) < 1e-6); /* float32's 2 pi is a little more than 2 pi */
    assert_true(gali_gate_wrap(below) < 6.283185307179586 && gali_gate_wrap(below) > 6.28318);
    assert_true(fabs(gali_gate_wrap(-1) - (6.283185307179586 - 1)) < 1e-12);
    assert_true(gali_gate_wrap(-1e-30f) == 0);
    assert_true(gali_gate_wrap(1e9f) >= 0 && gali_gate_wrap(1e9f) < 6.2831853072);
    assert_true(gali_gate_wrap(3e38f) >= 0 && gali_gate_wrap(3e38f) < 6.2831853072);
    assert_true(isnan(gali_gate_wrap(NAN)) && isnan(gali_gate_wrap(INFINITY)) &&
                isnan(gali_gate_wrap(-INFINITY)));
}

static void blends_are_right_and_in_range(void **unused) {
    (void)unused;
    static const float phases[] = {0, 1, -1, 6.2831850f, 6.2831855f, 1e9f, -1e9f, 3e38f, 3.1415927f, 1e-20f};
    static const struct {
        gal_gate_kind kind;
        uint32_t experts;
    } gates[] = {{GAL_GATE_CUBIC, 4},  {GAL_GATE_CUBIC, 5},     {GAL_GATE_LINEAR, 10},
                 {GAL_GATE_LINEAR, 2}, {GAL_GATE_CONSTANT, 50}, {GAL_GATE_CONSTANT, 1}};
    for (uint32_t g = 0; g < 6; g++) {
        uint32_t slots = gali_gate_slots(gates[g].kind, gates[g].experts);
        for (uint32_t p = 0; p < 10; p++) {
            uint32_t expert[4];
            double weight[4], sum = 0;
            gali_gate_phase(gates[g].kind, gates[g].experts, phases[p], expert, weight);
            for (uint32_t s = 0; s < slots; s++) {
                assert_true(expert[s] < gates[g].experts);
                assert_true(s == 0 || expert[s] > expert[s - 1]);
                sum += weight[s];
            }
            assert_true(fabs(sum - 1) < 1e-12);
        }
    }
    uint32_t expert[4];
    double weight[4];
    gali_gate_phase(GAL_GATE_CUBIC, 4, turn * 0.375f, expert, weight); /* midway between points 1 and 2 */
    assert_true(fabs(weight[0] + 0.0625) < 1e-6 && fabs(weight[1] - 0.5625) < 1e-6 &&
                fabs(weight[2] - 0.5625) < 1e-6 && fabs(weight[3] + 0.0625) < 1e-6);
    gali_gate_phase(GAL_GATE_LINEAR, 10, turn * 0.975f, expert, weight); /* 3/4 from 9 to 0 */
    assert_true(expert[0] == 0 && expert[1] == 9 && fabs(weight[0] - 0.75) < 1e-5);
    gali_gate_phase(GAL_GATE_CONSTANT, 50, turn * 0.5f, expert, weight);
    assert_true(expert[0] == 25 && weight[0] == 1);
}

/* The k largest, ascending, divided by their sum; the lower index wins a tie. */
static void the_top_experts_are_kept(void **unused) {
    (void)unused;
    static const float blend[] = {0.1f, 0.3f, 0.1f, 0.3f, 0.2f}, broken[] = {0.1f, NAN, 0.2f};
    uint32_t expert[5];
    float weight[5];
    gali_gate_top(blend, 5, 3, expert, weight);
    assert_true(expert[0] == 1 && expert[1] == 3 && expert[2] == 4);
    assert_true(fabsf(weight[0] - 0.375f) < 1e-6f && fabsf(weight[2] - 0.25f) < 1e-6f);
    gali_gate_top(blend, 5, 4, expert, weight);
    assert_true(expert[0] == 0 && expert[1] == 1 && expert[2] == 3 && expert[3] == 4);
    gali_gate_top(blend, 5, 5, expert, weight);
    assert_true(expert[4] == 4 && weight[4] == blend[4]);
    gali_gate_top(broken, 3, 2, expert, weight);
    assert_true(expert[0] < 3 && expert[1] < 3 && (isnan(weight[0]) || isnan(weight[1])));
}

static void info_counts_what_was_folded_away(void **unused) {
    (void)unused;
    fixture f = fixture_make(&shapes[0], COUNT_MOST);
    gal_network *network = synthetic_open(&f.s, GAL_ISA_BEST);
    gal_network_info info = gal_network_get_info(network);
    assert_int_equal(info.inputs, 37);
    assert_int_equal(info.live_inputs,
                     37 - 6 - 6); /* masked: 1 8 15 22 29 36; constant: 2 7 12 17 27 32, not 22 */
    assert_int_equal(info.outputs, 53);
    assert_int_equal(info.experts, 4);
    gal_network_close(network);
    fixture_free(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_wrap),
        cmocka_unit_test(blends_are_right_and_in_range),
        cmocka_unit_test(runs_match_float64),
        cmocka_unit_test(a_far_mean_costs_no_digits),
        cmocka_unit_test(a_character_does_not_see_the_others),
        cmocka_unit_test(instruction_sets_agree_bit_for_bit),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(strides_are_kept),
        cmocka_unit_test(bad_calls_are_refused_before_anything_is_written),
        cmocka_unit_test(a_nan_stays_with_its_character),
        cmocka_unit_test(the_top_experts_are_kept),
        cmocka_unit_test(info_counts_what_was_folded_away),
    };
#ifdef __SANITIZE_THREAD__
    cmocka_set_test_filter("threads_*"); /* the others start none, and take a minute */
#endif
    return cmocka_run_group_tests_name("network run", tests, NULL, NULL);
}
