/*
 * Networks of reduced precision: how far from float64, the same bits on every instruction set, in every batch and from a
 * quantised file as from rounding at opening, inputs that are masked or not finite, and integers that cannot overflow.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "fixture.h"
#include "network/quantise.h"
#include "network/quantise_model.h"
#include "network/reference.h"
#include "sanitized.h"

enum { COUNT = 19, PAPER_COUNT = 4 };

/* Every precision, and the greatest rms error that it may have on these networks, of the rms of the output. */
static const struct {
    gal_precision precision;
    uint32_t block;
    double error;
} cases[] = {
    {GAL_PRECISION_F32, 0, 2e-6},        {GAL_PRECISION_FP16, 0, 5e-4},
    {GAL_PRECISION_BF16, 0, 4e-3},       {GAL_PRECISION_BF16_DOT, 0, 6e-3},
    {GAL_PRECISION_INT16, 0, 2.5e-4},    {GAL_PRECISION_INT8, 0, 1e-2},
    {GAL_PRECISION_INT8, 128, 1.4e-2},   {GAL_PRECISION_INT8_DOT, 0, 1.6e-2},
    {GAL_PRECISION_INT8_DOT, 128, 2e-2}, {GAL_PRECISION_INT8, GAL_BLOCK_ROW, 2e-2},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static const synthetic_desc shapes[] = {
    {.gate = GAL_GATE_CUBIC,
     .experts = 4,
     .layers = 3,
     .width = {301, 70, 131, 67},
     .normalised = 1,
     .masked = 7,
     .constant = 5,
     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_ELU},
     .seed = 21},
    {.gate = GAL_GATE_CONSTANT,
     .experts = 9,
     .layers = 2,
     .width = {65, 91, 43},
     .normalised = 1,
     .activation = {GALI_ACTIVATION_RELU, GALI_ACTIVATION_ELU},
     .seed = 22},
    {.gate = GAL_GATE_NETWORK,
     .experts = 8,
     .top = 3,
     .layers = 3,
     .width = {90, 64, 70, 33},
     .plain = {0, 1, 0},
     .normalised = 1,
     .constant = 4,
     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_ELU},
     .seed = 23},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* The published network's shape (Holden et al. 2017) with the widths the figures of docs/numerics.md are given for. */
static const synthetic_desc paper = {.gate = GAL_GATE_CUBIC,
                                     .experts = 4,
                                     .layers = 3,
                                     .width = {912, 256, 256, 1032},
                                     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_ELU},
                                     .seed = 24};

static gal_network_desc desc_of(int c, gal_isa isa) {
    return (gal_network_desc){.isa = isa, .precision = cases[c].precision, .block = cases[c].block};
}

/* What float64 says, [count][outputs], freed by the caller. */
static double *truth_of(const fixture *f, uint32_t count) {
    double *truth = malloc((size_t)count * f->outputs * sizeof *truth);
    size_t size;
    unsigned char *bytes = synthetic_bytes(&f->s, &size);
    gali_model model;
    assert_int_equal(gali_model_read(&model, bytes, size, NULL), GAL_OK);
    assert_int_equal(gali_reference_run(&model, count, f->x, f->gate, truth, NULL), GAL_OK);
    free(bytes);
    return truth;
}

/* Root mean square of the outputs' difference from float64 over that of float64 itself, all characters. */
static double error_of(const fixture *f, uint32_t count, const double *truth) {
    double off = 0, all = 0;
    for (size_t i = 0; i < (size_t)count * f->outputs; i++) {
        off += ((double)f->y[i] - truth[i]) * ((double)f->y[i] - truth[i]);
        all += truth[i] * truth[i];
    }
    return sqrt(off / all);
}

/* How docs/numerics.md calls a block. */
static const char *block_name(uint32_t block, char name[32]) {
    if (block == 0 || block == GAL_BLOCK_ROW) {
        return block ? " by rows" : "";
    }
    snprintf(name, 32, " in blocks of %u", block);
    return name;
}

static void expect_errors_within_bounds(const fixture *f, uint32_t count) {
    double *truth = truth_of(f, count);
    for (int c = 0; c < CASES; c++) {
        fixture_run(f, desc_of(c, GAL_ISA_BEST), count, f->y);
        const double error = error_of(f, count, truth);
        char block[32];
        print_message("%u-...-%u, %s%s: error %.2g\n", f->inputs, f->outputs,
                      gal_precision_name(cases[c].precision), block_name(cases[c].block, block), error);
        if (!(error <= cases[c].error)) {
            fail_msg("expected at most %g", cases[c].error);
        }
    }
    free(truth);
}

static void errors_stay_within_their_bounds(void **unused) {
    (void)unused;
    for (int s = 0; s < SHAPES; s++) {
        fixture f = fixture_make(&shapes[s], COUNT);
        expect_errors_within_bounds(&f, COUNT);
        fixture_free(&f);
    }
}

/* Normally distributed (Box and Muller 1958): blocks have outliers, which is what a scale suffers from. */
static void fill_normal(float *values, size_t count, double deviation, uint64_t *state) {
    for (size_t i = 0; i < count; i++) {
        const double u = 1 - (double)(synthetic_bits(state) >> 11) * 0x1p-53;
        const double turn = (double)(synthetic_bits(state) >> 11) * 0x1p-53;
        values[i] = (float)(deviation * sqrt(-2 * log(u)) * cos(6.283185307179586 * turn));
    }
}

static void errors_of_the_published_shape_stay_within_their_bounds(void **unused) {
    (void)unused;
    if (SANITIZED) {
        skip(); /* larger networks of the same form */
    }
    fixture f = fixture_make(&paper, COUNT);
    uint64_t state = paper.seed;
    fill_normal(f.x, (size_t)PAPER_COUNT * f.inputs, 1, &state);
    for (uint32_t i = 0; i < paper.layers; i++) {
        const gali_model_layer *layer = &f.s.model.layers[i];
        fill_normal((float *)(uintptr_t)layer->weights, (size_t)layer->experts * layer->outputs * layer->inputs,
                    1 / sqrt(layer->inputs), &state);
    }
    expect_errors_within_bounds(&f, PAPER_COUNT);
    fixture_free(&f);
}

static void all_instruction_sets_have_the_same_bits(void **unused) {
    (void)unused;
    for (int s = 0; s < SHAPES; s++) {
        fixture f = fixture_make(&shapes[s], COUNT);
        float *y = malloc((size_t)COUNT * f.outputs * sizeof *y);
        for (int c = 0; c < CASES; c++) {
            fixture_run(&f, desc_of(c, GAL_ISA_SCALAR), COUNT, f.y);
            for (int isa = GAL_ISA_SCALAR + 1; isa < GAL_ISA_COUNT; isa++) {
                if (gal_isa_available((gal_isa)isa)) {
                    fixture_run(&f, desc_of(c, (gal_isa)isa), COUNT, y);
                    assert_memory_equal(y, f.y, (size_t)COUNT * f.outputs * sizeof *y);
                }
            }
            gal_network_desc desc = desc_of(c, GAL_ISA_BEST);
            desc.plan = GAL_PLAN_MEASURE;
            gal_network *network = synthetic_open_desc(&f.s, desc);
            for (uint32_t count = 1; count < COUNT; count += 3) {
                assert_int_equal(synthetic_run(network, count, f.x, f.gate, y, NULL), GAL_OK);
                assert_memory_equal(y, f.y, (size_t)count * f.outputs * sizeof *y);
            }
            gal_network_close(network);
        }
        free(y);
        fixture_free(&f);
    }
}

static gal_precision opened_precision(const void *bytes, size_t size, const gal_network_desc *desc) {
    gal_network *network;
    assert_int_equal(gal_network_open_memory(&network, bytes, size, desc, NULL), GAL_OK);
    const gal_precision precision = gal_network_get_info(network).precision;
    gal_network_close(network);
    return precision;
}

/* What a file of the case's weights runs in by itself. */
static gal_precision untold_precision(int c) {
    switch (cases[c].precision) {
    case GAL_PRECISION_INT16:
        return GAL_PRECISION_INT16;
    case GAL_PRECISION_INT8:
    case GAL_PRECISION_INT8_DOT:
        return cases[c].block == GAL_BLOCK_ROW ? GAL_PRECISION_INT8_DOT : GAL_PRECISION_INT8;
    default:
        return GAL_PRECISION_F32;
    }
}

static int runs_untold(int c) {
    return cases[c].precision == GAL_PRECISION_INT16 || cases[c].precision == GAL_PRECISION_INT8;
}

/* A file of integers runs in them by itself, one of short floats where it is told to: the bits of the wide file
 * rounded at opening. Untold, short floats are widened. */
static void quantised_files_run_as_rounded_at_opening(void **unused) {
    (void)unused;
    for (int s = 0; s < SHAPES; s++) {
        fixture f = fixture_make(&shapes[s], COUNT);
        float *y = malloc((size_t)COUNT * f.outputs * sizeof *y);
        for (int c = 1; c < CASES; c++) {
            const gali_precision precision = {cases[c].precision,
                                              gali_precision_block(cases[c].precision, cases[c].block)};
            const size_t size = gali_quantise_model_size(&f.s.model, precision, GALI_QUANTISE_ALL);
            unsigned char *bytes = malloc(size);
            assert_int_equal(gali_quantise_model(&f.s.model, precision, GALI_QUANTISE_ALL, bytes, NULL),
                             GAL_OK);
            const gal_network_desc asked = desc_of(c, GAL_ISA_BEST), untold = {0};
            assert_int_equal(opened_precision(bytes, size, &untold), untold_precision(c));
            const gal_network_desc *desc = runs_untold(c) ? &untold : &asked;
            gal_network *network;
            assert_int_equal(gal_network_open_memory(&network, bytes, size, desc, NULL), GAL_OK);
            assert_int_equal(synthetic_run(network, COUNT, f.x, f.gate, y, NULL), GAL_OK);
            fixture_run(&f, desc_of(c, GAL_ISA_BEST), COUNT, f.y);
            double off = 0, all = 0; /* blocks have dead inputs in a file, and none if made at opening */
            for (size_t i = 0; i < (size_t)COUNT * f.outputs; i++) {
                off += ((double)y[i] - (double)f.y[i]) * ((double)y[i] - (double)f.y[i]);
                all += (double)y[i] * (double)y[i];
            }
            assert_true(sqrt(off / all) <= (shapes[s].masked || shapes[s].constant ? 2 * cases[c].error : 0));
            gal_network_close(network);
            free(bytes);
        }
        free(y);
        fixture_free(&f);
    }
}

/* What is masked or constant may be anything; what is not finite spoils its own character alone. */
static void dead_inputs_do_not_count(void **unused) {
    (void)unused;
    fixture f = fixture_make(&shapes[0], COUNT);
    float *y = malloc((size_t)COUNT * f.outputs * sizeof *y);
    for (int c = 0; c < CASES; c++) {
        fixture_run(&f, desc_of(c, GAL_ISA_BEST), COUNT, f.y);
        fixture g = fixture_make(&shapes[0], COUNT);
        for (uint32_t k = 0; k < g.inputs; k++) {
            if (gali_model_u32(g.s.model.input_state, k) != GALI_INPUT_LIVE) {
                g.x[k] = k & 1 ? NAN : INFINITY;
            }
        }
        g.x[2 * g.inputs] = NAN; /* live, the third character's */
        fixture_run(&g, desc_of(c, GAL_ISA_BEST), COUNT, y);
        for (uint32_t character = 0; character < COUNT; character++) {
            for (uint32_t n = 0; n < f.outputs; n++) {
                const size_t i = (size_t)character * f.outputs + n;
                assert_true(character == 2 ? !isfinite(y[i]) : memcmp(&y[i], &f.y[i], sizeof *y) == 0);
            }
        }
        fixture_free(&g);
    }
    free(y);
    fixture_free(&f);
}

/* All inputs masked in a layer of several experts, of one, and in every other place of a longer network. */
static const synthetic_desc dead_shapes[] = {
    {.gate = GAL_GATE_CUBIC, .experts = 4, .layers = 1, .width = {1, 4}, .seed = 31},
    {.gate = GAL_GATE_CALLER, .experts = 1, .layers = 1, .width = {1, 4}, .seed = 32},
    {.gate = GAL_GATE_LINEAR, .experts = 5, .layers = 2, .width = {1, 3, 70}, .plain = {1, 0}, .seed = 33},
};
enum { DEAD_SHAPES = sizeof dead_shapes / sizeof dead_shapes[0], GUARD = 4096 };

/* Runs in a workspace of the size asked for, with bytes behind it that must stay as they are. */
static void run_guarded(const fixture *f, const gal_network *network, uint32_t count, float *y) {
    const size_t size = gal_network_workspace_size(network, count);
    unsigned char *workspace = aligned_alloc(64, size + GUARD);
    memset(workspace, 0xff, size + GUARD);
    const int caller = gal_network_get_info(network).gate == GAL_GATE_CALLER;
    const gal_network_batch batch = {
        .count = count, .x = f->x, .phase = caller ? NULL : f->gate, .blend = caller ? f->gate : NULL, .y = y};
    assert_int_equal(gal_network_run(network, &batch, workspace, size, NULL), GAL_OK);
    for (size_t i = size; i < size + GUARD; i++) {
        assert_int_equal(workspace[i], 0xff);
    }
    free(workspace);
}

/* A layer that no input is left of writes no byte behind its workspace, and gives the same in every batch. */
static void no_live_inputs_need_no_more_memory(void **unused) {
    (void)unused;
    enum { MOST = 64 };
    for (int s = 0; s < DEAD_SHAPES; s++) {
        fixture f = fixture_make(&dead_shapes[s], MOST);
        uint32_t *states = (uint32_t *)(uintptr_t)f.s.model.input_state;
        states[0] = GALI_INPUT_MASKED;
        float *alone = malloc(MOST * f.outputs * sizeof *alone);
        for (int c = 0; c < CASES; c++) {
            for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
                if (!gal_isa_available((gal_isa)isa)) {
                    continue;
                }
                gal_network *network = synthetic_open_desc(&f.s, desc_of(c, (gal_isa)isa));
                run_guarded(&f, network, 1, alone);
                run_guarded(&f, network, 8, f.y);
                assert_memory_equal(alone, f.y, f.outputs * sizeof *alone);
                run_guarded(&f, network, MOST, alone);
                assert_memory_equal(alone, f.y, 8 * f.outputs * sizeof *alone);
                gal_network_close(network);
            }
        }
        free(alone);
        fixture_free(&f);
    }
}

/* int16 with all weights and inputs at their ends: the packer flushes in time, so the sum is right. */
static void integers_cannot_overflow(void **unused) {
    (void)unused;
    static const synthetic_desc wide = {
        .gate = GAL_GATE_CALLER, .experts = 1, .layers = 1, .width = {4099, 37}, .seed = 5};
    synthetic s = synthetic_make(&wide);
    float *weights = (float *)(uintptr_t)s.model.layers[0].weights, x[4099], y[37];
    for (size_t i = 0; i < (size_t)4099 * 37; i++) {
        weights[i] = 1;
    }
    for (int k = 0; k < 4099; k++) {
        x[k] = 1;
    }
    const float one = 1;
    for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
        for (int c = 4; c < CASES && gal_isa_available((gal_isa)isa); c++) {
            gal_network *network = synthetic_open_desc(&s, desc_of(c, (gal_isa)isa));
            assert_int_equal(synthetic_run(network, 1, x, &one, y, NULL), GAL_OK);
            for (int n = 0; n < 37; n++) {
                assert_true(fabsf(y[n] - (float)(4099 + gali_model_f32(s.model.layers[0].biases, (size_t)n))) <
                            40);
            }
            gal_network_close(network);
        }
    }
    synthetic_free(&s);
}

static void expect_refused(const synthetic *s, gal_network_desc desc, const char *message) {
    size_t size;
    unsigned char *bytes = synthetic_bytes(s, &size);
    gal_network *network;
    gal_error error = {0};
    assert_int_equal(gal_network_open_memory(&network, bytes, size, &desc, &error), GAL_BAD_ARGUMENT);
    assert_string_equal(error.message, message);
    free(bytes);
}

static void says_what_it_cannot_do(void **unused) {
    (void)unused;
    synthetic s = synthetic_make(&shapes[1]);
    expect_refused(&s, (gal_network_desc){.precision = GAL_PRECISION_COUNT}, "precision 8: not a precision");
    expect_refused(&s, (gal_network_desc){.precision = GAL_PRECISION_BF16, .block = 32},
                   "block 32: for integers alone");
    expect_refused(&s, (gal_network_desc){.precision = GAL_PRECISION_INT8, .block = 24},
                   "block 24: expected a multiple of 16 up to 512");
    expect_refused(&s, (gal_network_desc){.precision = GAL_PRECISION_INT8, .form = GAL_FORM_BLEND},
                   "form blend runs in f32 alone, layer 0 is int8");
    synthetic_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_stay_within_their_bounds),
        cmocka_unit_test(errors_of_the_published_shape_stay_within_their_bounds),
        cmocka_unit_test(all_instruction_sets_have_the_same_bits),
        cmocka_unit_test(quantised_files_run_as_rounded_at_opening),
        cmocka_unit_test(dead_inputs_do_not_count),
        cmocka_unit_test(no_live_inputs_need_no_more_memory),
        cmocka_unit_test(integers_cannot_overflow),
        cmocka_unit_test(says_what_it_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
