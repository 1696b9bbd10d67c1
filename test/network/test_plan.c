/*
 * Plans: any within the default form leaves every bit as it is; records round-trip, bad ones are refused with
 * their line; the blend form against float64, independent of the batch, the same bits on every instruction set.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph.h"
#include "network/expand.h"
#include "network/network.h"
#include "network/reference.h"

enum { COUNT = 21, TEXT = 2048 };

static const synthetic_desc shapes[] = {
    {.gate = GAL_GATE_CUBIC,
     .experts = 4,
     .layers = 3,
     .width = {37, 64, 61, 153},
     .normalised = 1,
     .masked = 7,
     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_ELU},
     .seed = 1},
    {.gate = GAL_GATE_LINEAR,
     .experts = 10,
     .layers = 2,
     .width = {31, 67, 71},
     .normalised = 1,
     .activation = {GALI_ACTIVATION_RELU},
     .seed = 2},
    {.gate = GAL_GATE_CALLER,
     .experts = 8,
     .layers = 3,
     .width = {47, 43, 32, 16},
     .plain = {0, 1, 0},
     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_ELU},
     .normalised = 1,
     .seed = 3},
    {.gate = GAL_GATE_NETWORK,
     .experts = 11,
     .top = 3,
     .layers = 2,
     .width = {29, 31, 37},
     .normalised = 1,
     .activation = {GALI_ACTIVATION_ELU},
     .seed = 4},
    {.gate = GAL_GATE_CONSTANT, .experts = 5, .layers = 1, .width = {1, 1}, .seed = 5},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

typedef struct fixture {
    synthetic s;
    unsigned char *bytes;
    size_t size;
    uint32_t inputs, outputs, gate_width;
    float *x, *gate, *y;
} fixture;

static fixture make(const synthetic_desc *desc) {
    fixture f = {.s = synthetic_make(desc), .inputs = desc->width[0], .outputs = desc->width[desc->layers]};
    uint64_t state = desc->seed + 50;
    f.bytes = synthetic_bytes(&f.s, &f.size);
    f.gate_width = desc->gate == GAL_GATE_CALLER ? desc->experts : 1;
    f.x = malloc((size_t)COUNT * f.inputs * sizeof(float));
    f.y = malloc((size_t)COUNT * f.outputs * sizeof(float));
    f.gate = malloc((size_t)COUNT * f.gate_width * sizeof(float));
    for (size_t i = 0; i < (size_t)COUNT * f.inputs; i++) {
        f.x[i] = 2 * synthetic_uniform(&state);
    }
    for (size_t i = 0; i < (size_t)COUNT * f.gate_width; i++) {
        f.gate[i] = 3 * synthetic_uniform(&state);
    }
    return f;
}

static void unmake(fixture *f) {
    synthetic_free(&f->s);
    free(f->bytes);
    free(f->x);
    free(f->y);
    free(f->gate);
}

static gal_network *opened(const fixture *f, gal_network_desc desc) {
    gal_network *network = NULL;
    gal_error error = {0};
    if (gal_network_open_memory(&network, f->bytes, f->size, &desc, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return network;
}

static void run(const fixture *f, gal_network_desc desc, uint32_t count, float *y) {
    gal_network *network = opened(f, desc);
    assert_int_equal(synthetic_run(network, count, f->x, f->gate, y, NULL), GAL_OK);
    gal_network_close(network);
}

/* The text of a desc's plan with all layers' widths and tiles replaced. */
static void replanned(const fixture *f, gal_network_desc desc, uint32_t vectors, uint32_t rows,
                      char text[TEXT]) {
    gal_network *network = opened(f, desc);
    gali_plan plan = network->plan;
    gal_network_close(network);
    plan.split = vectors;
    for (uint32_t i = 0; i < plan.count; i++) {
        plan.layers[i].vectors = vectors;
        plan.layers[i].rows = rows;
    }
    assert_true(gali_plan_print(&plan, text, TEXT) < TEXT);
}

static void no_plan_changes_a_bit(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < 2 * SHAPES; i++) {
        fixture f = make(&shapes[i / 2]);
        gal_form form = i & 1 ? GAL_FORM_BLEND : GAL_FORM_PER_EXPERT;
        float *y = malloc((size_t)COUNT * f.outputs * sizeof *y);
        for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
            gal_network_desc desc = {.isa = (gal_isa)isa, .form = form};
            if (!gal_isa_available(desc.isa)) {
                continue;
            }
            desc.plan = isa == GAL_ISA_SCALAR ? NULL : GAL_PLAN_MEASURE;
            run(&f, desc, COUNT, isa == GAL_ISA_SCALAR ? f.y : y);
            for (uint32_t n = 0; n < GALI_PANEL_VECTORS_MAX * GALI_TILE_ROWS_MAX; n++) {
                char text[TEXT];
                desc.plan = NULL;
                replanned(&f, desc, 1 + n / GALI_TILE_ROWS_MAX, 1 + n % GALI_TILE_ROWS_MAX, text);
                desc.plan = text;
                run(&f, desc, COUNT, y);
                assert_memory_equal(y, f.y, (size_t)COUNT * f.outputs * sizeof *y);
            }
        }
        free(y);
        unmake(&f);
    }
}

static void measured_plans_give_the_same_bits(void **unused) {
    (void)unused;
    fixture f = make(&shapes[0]);
    float *y = malloc((size_t)COUNT * f.outputs * sizeof *y);
    run(&f, (gal_network_desc){0}, COUNT, f.y);
    run(&f, (gal_network_desc){.plan = GAL_PLAN_MEASURE, .small_pages = 1}, COUNT, y);
    assert_memory_equal(y, f.y, (size_t)COUNT * f.outputs * sizeof *y);
    free(y);
    unmake(&f);
}

static void text_comes_back(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < SHAPES; i++) {
        fixture f = make(&shapes[i]);
        char text[TEXT], again[TEXT], little[8];
        gal_network *network = opened(&f, (gal_network_desc){0});
        size_t length = gal_network_plan_text(network, text, sizeof text);
        assert_int_equal(length, strlen(text));
        assert_int_equal(gal_network_plan_text(network, NULL, 0), length);
        assert_int_equal(gal_network_plan_text(network, little, sizeof little), length);
        assert_memory_equal(little, "gallop ", 8);
        gal_network_close(network);
        network = opened(&f, (gal_network_desc){.plan = text});
        gal_network_plan_text(network, again, sizeof again);
        assert_string_equal(again, text);
        gal_network_close(network);
        unmake(&f);
    }
}

static void refused(const fixture *f, const char *plan, const char *words) {
    gal_network *network = NULL;
    gal_error error = {0};
    gal_network_desc desc = {.isa = GAL_ISA_SCALAR, .plan = plan};
    assert_int_equal(gal_network_open_memory(&network, f->bytes, f->size, &desc, &error), GAL_BAD_ARGUMENT);
    assert_null(network);
    if (!strstr(error.message, words)) {
        fail_msg("\"%s\" lacks \"%s\"", error.message, words);
    }
}

static void bad_records_are_refused(void **unused) {
    (void)unused;
    fixture f = make(&shapes[4]);
    refused(&f, "", "line 1");
    refused(&f, "gallop plan 2: scalar, split 8\n", "version 2");
    refused(&f, "gallop plan 1: avx9, split 8\n", "made for avx9");
    refused(&f, "gallop plan 1: scalar, split 0\n", "split 0");
    refused(&f, "gallop plan 1: scalar, split 8 or so\n", "line 1");
    refused(&f, "gallop plan 1: scalar, split 8\n", "line 2");
    refused(&f,
            "gallop plan 1: scalar, split 8\nlayer 0: 2 -> 1, 5 experts: per-expert, 1 vectors, 4 rows, f32\n",
            "line 2: expected \"layer 0: 1 -> 1, 5 experts: ...\"");
    refused(&f, "gallop plan 1: scalar, split 8\nlayer 0: 1 -> 1, 5 experts: blend, 1 vectors, 4 rows, f32\n",
            "form blend, but per-expert was asked for");
    refused(&f,
            "gallop plan 1: scalar, split 8\nlayer 0: 1 -> 1, 5 experts: per-expert, 5 vectors, 4 rows, f32\n",
            "1 to 4 vectors");
    refused(&f,
            "gallop plan 1: scalar, split 8\nlayer 0: 1 -> 1, 5 experts: per-expert, 1 vectors, 0 rows, f32\n",
            "1 to 8 rows");
    refused(&f,
            "gallop plan 1: scalar, split 8\nlayer 0: 1 -> 1, 5 experts: per-expert, 1 vectors, 4 rows, f16\n",
            "line 2");
    refused(&f,
            "gallop plan 1: scalar, split 8\nlayer 0: 1 -> 1, 5 experts: per-expert, 1 vectors, 4 rows, "
            "f32\nlayer 1\n",
            "line 3: more lines");
    char lengthy[400];
    memset(lengthy, 'x', sizeof lengthy);
    lengthy[399] = 0;
    refused(&f, lengthy, "too long");
    gal_network *network = NULL;
    gal_network_desc desc = {.form = GAL_FORM_COUNT};
    assert_int_equal(gal_network_open_memory(&network, f.bytes, f.size, &desc, NULL), GAL_BAD_ARGUMENT);
    unmake(&f);
}

/* Layers without panels have a line and nothing to choose. */
static void kinds_without_panels_have_lines(void **unused) {
    (void)unused;
    const graph_desc desc = {GAL_GATE_CALLER, 2, 7, 1, GALI_LAYER_GRU, GALI_ACTIVATION_NONE, 1};
    graph *g = graph_make(&desc);
    gal_network *network = synthetic_open(&g->s, GAL_ISA_SCALAR);
    char text[TEXT], expected[TEXT];
    uint32_t outputs = g->s.model.outputs;
    gal_network_plan_text(network, text, sizeof text);
    gal_network_close(network);
    snprintf(expected, sizeof expected, "gallop plan 1: scalar, split 8\nlayer 0: %u -> %u, gru\n", 7 * outputs,
             outputs);
    assert_string_equal(text, expected);
    fixture f = {.s = g->s};
    f.bytes = synthetic_bytes(&f.s, &f.size);
    gal_network_close(opened(&f, (gal_network_desc){.isa = GAL_ISA_SCALAR, .plan = text}));
    text[strlen(text) - 1] = ',';
    refused(&f, text, "line 2: expected \"layer 0: ");
    refused(&f, "gallop plan 1: scalar, split 8\n", "line 2");
    gal_network_close(opened(&f, (gal_network_desc){.plan = GAL_PLAN_MEASURE}));
    free(f.bytes);
    graph_free(g);
}

static double worst_error(const fixture *f, const float *y) {
    double *truth = malloc((size_t)COUNT * f->outputs * sizeof *truth), worst = 0;
    assert_int_equal(gali_reference_run(&f->s.model, COUNT, f->x, f->gate, truth, NULL), GAL_OK);
    for (uint32_t c = 0; c < COUNT; c++) {
        double squares = 0, most = 0;
        for (uint32_t n = 0; n < f->outputs; n++) {
            double exact = truth[(size_t)c * f->outputs + n];
            squares += exact * exact;
            most = fmax(most, fabs((double)y[(size_t)c * f->outputs + n] - exact));
        }
        worst = fmax(worst, most / sqrt(squares / f->outputs));
    }
    free(truth);
    return worst;
}

static void blend_matches_float64_alone_and_together(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < SHAPES; i++) {
        fixture f = make(&shapes[i]);
        gal_network *network = opened(&f, (gal_network_desc){.form = GAL_FORM_BLEND});
        assert_int_equal(synthetic_run(network, COUNT, f.x, f.gate, f.y, NULL), GAL_OK);
        double error = worst_error(&f, f.y);
        if (error > 1e-5) {
            fail_msg("shape %u: error %.2e of the output's rms", i, error);
        }
        for (uint32_t c = 0; c < COUNT; c++) {
            float alone[256];
            const float *gate = f.gate + (size_t)c * f.gate_width;
            assert_int_equal(synthetic_run(network, 1, f.x + (size_t)c * f.inputs, gate, alone, NULL), GAL_OK);
            assert_memory_equal(alone, f.y + (size_t)c * f.outputs, f.outputs * sizeof(float));
        }
        gal_network_close(network);
        unmake(&f);
    }
}

/* The layers of a network without normalisation, one by one in the textbook form. */
static void expand_matches_float64(void **unused) {
    (void)unused;
    const synthetic_desc desc = {.gate = GAL_GATE_CALLER,
                                 .experts = 4,
                                 .layers = 2,
                                 .width = {45, 33, 29},
                                 .activation = {GALI_ACTIVATION_ELU},
                                 .seed = 6};
    fixture f = make(&desc);
    for (uint32_t c = 0; c < COUNT; c++) {
        float z[4 * 45], hidden[33];
        const float *blend = f.gate + (size_t)c * 4;
        gali_expand_layer(&f.s.model.layers[0], blend, f.x + (size_t)c * f.inputs, z, hidden);
        gali_expand_layer(&f.s.model.layers[1], blend, hidden, z, f.y + (size_t)c * f.outputs);
    }
    assert_true(worst_error(&f, f.y) <= 1e-5);
    unmake(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_plan_changes_a_bit),
        cmocka_unit_test(measured_plans_give_the_same_bits),
        cmocka_unit_test(text_comes_back),
        cmocka_unit_test(bad_records_are_refused),
        cmocka_unit_test(kinds_without_panels_have_lines),
        cmocka_unit_test(blend_matches_float64_alone_and_together),
        cmocka_unit_test(expand_matches_float64),
    };
    return cmocka_run_group_tests_name("network plan", tests, NULL, NULL);
}
