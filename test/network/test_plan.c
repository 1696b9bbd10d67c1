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

#include "fixture.h"
#include "graph.h"
#include "kernels/elementary.h"
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

/* The text of a desc's plan with all layers' widths and tiles replaced. */
static void replanned(const fixture *f, gal_network_desc desc, uint32_t vectors, uint32_t rows,
                      char text[TEXT]) {
    gal_network *network = synthetic_open_desc(&f->s, desc);
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
        fixture f = fixture_make(&shapes[i / 2], COUNT);
        gal_form form = i & 1 ? GAL_FORM_BLEND : GAL_FORM_PER_EXPERT;
        float *y = malloc((size_t)COUNT * f.outputs * sizeof *y);
        for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
            gal_network_desc desc = {.isa = (gal_isa)isa, .form = form};
            if (!gal_isa_available(desc.isa)) {
                continue;
            }
            desc.plan = isa == GAL_ISA_SCALAR ? NULL : GAL_PLAN_MEASURE;
            fixture_run(&f, desc, COUNT, isa == GAL_ISA_SCALAR ? f.y : y);
            for (uint32_t n = 0; n < GALI_PANEL_VECTORS_MAX * GALI_TILE_ROWS_MAX; n++) {
                char text[TEXT];
                desc.plan = NULL;
                replanned(&f, desc, 1 + n / GALI_TILE_ROWS_MAX, 1 + n % GALI_TILE_ROWS_MAX, text);
                desc.plan = text;
                fixture_run(&f, desc, COUNT, y);
                assert_memory_equal(y, f.y, (size_t)COUNT * f.outputs * sizeof *y);
            }
        }
        free(y);
        fixture_free(&f);
    }
}

static void measured_plans_give_the_same_bits(void **unused) {
    (void)unused;
    fixture f = fixture_make(&shapes[0], COUNT);
    float *y = malloc((size_t)COUNT * f.outputs * sizeof *y);
    fixture_run(&f, (gal_network_desc){0}, COUNT, f.y);
    fixture_run(&f, (gal_network_desc){.plan = GAL_PLAN_MEASURE, .small_pages = 1}, COUNT, y);
    assert_memory_equal(y, f.y, (size_t)COUNT * f.outputs * sizeof *y);
    free(y);
    fixture_free(&f);
}

static void text_comes_back(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < SHAPES; i++) {
        fixture f = fixture_make(&shapes[i], COUNT);
        char text[TEXT], again[TEXT], little[8];
        gal_network *network = synthetic_open_desc(&f.s, (gal_network_desc){0});
        size_t length = gal_network_plan_text(network, text, sizeof text);
        assert_int_equal(length, strlen(text));
        assert_int_equal(gal_network_plan_text(network, NULL, 0), length);
        assert_int_equal(gal_network_plan_text(network, little, sizeof little), length);
        assert_memory_equal(little, "gallop ", 8);
        gal_network_close(network);
        network = synthetic_open_desc(&f.s, (gal_network_desc){.plan = text});
        gal_network_plan_text(network, again, sizeof again);
        assert_string_equal(again, text);
        gal_network_close(network);
        fixture_free(&f);
    }
}

static void refused(const synthetic *s, const char *plan, const char *words) {
    size_t size;
    unsigned char *bytes = synthetic_bytes(s, &size);
    gal_network *network = NULL;
    gal_error error = {0};
    gal_network_desc desc = {.isa = GAL_ISA_SCALAR, .plan = plan};
    assert_int_equal(gal_network_open_memory(&network, bytes, size, &desc, &error), GAL_BAD_ARGUMENT);
    free(bytes);
    assert_null(network);
    if (!strstr(error.message, words)) {
        fail_msg("\"%s\" lacks \"%s\"", error.message, words);
    }
}

static void bad_records_are_refused(void **unused) {
    (void)unused;
    synthetic s = synthetic_make(&shapes[4]);
    refused(&s, "", "line 1");
    refused(&s, "gallop plan 2: scalar, split 8\n", "version 2");
    refused(&s, "gallop plan 1: avx9, split 8\n", "made for avx9");
    refused(&s, "gallop plan 1: scalar, split 0\n", "split 0");
    refused(&s, "gallop plan 1: scalar, split 8 or so\n", "line 1");
    refused(&s, "gallop plan 1: scalar, split 8\n", "line 2");
    refused(&s,
            "gallop plan 1: scalar, split 8\nlayer 0: 2 -> 1, 5 experts: per-expert, 1 vectors, 4 rows, f32\n",
            "line 2: expected \"layer 0: 1 -> 1, 5 experts: ...\"");
    refused(&s, "gallop plan 1: scalar, split 8\nlayer 0: 1 -> 1, 5 experts: blend, 1 vectors, 4 rows, f32\n",
            "form blend, but per-expert was asked for");
    refused(&s,
            "gallop plan 1: scalar, split 8\nlayer 0: 1 -> 1, 5 experts: per-expert, 5 vectors, 4 rows, f32\n",
            "1 to 4 vectors");
    refused(&s,
            "gallop plan 1: scalar, split 8\nlayer 0: 1 -> 1, 5 experts: per-expert, 1 vectors, 0 rows, f32\n",
            "1 to 8 rows");
    refused(&s,
            "gallop plan 1: scalar, split 8\nlayer 0: 1 -> 1, 5 experts: per-expert, 1 vectors, 4 rows, f16\n",
            "line 2");
    refused(&s,
            "gallop plan 1: scalar, split 8\nlayer 0: 1 -> 1, 5 experts: per-expert, 1 vectors, 4 rows, "
            "f32\nlayer 1\n",
            "line 3: more lines");
    char lengthy[400];
    memset(lengthy, 'x', sizeof lengthy);
    lengthy[399] = 0;
    refused(&s, lengthy, "too long");
    size_t size;
    unsigned char *bytes = synthetic_bytes(&s, &size);
    gal_network *network = NULL;
    gal_network_desc desc = {.form = GAL_FORM_COUNT};
    assert_int_equal(gal_network_open_memory(&network, bytes, size, &desc, NULL), GAL_BAD_ARGUMENT);
    free(bytes);
    synthetic_free(&s);
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
    gal_network_close(synthetic_open_desc(&g->s, (gal_network_desc){.isa = GAL_ISA_SCALAR, .plan = text}));
    text[strlen(text) - 1] = ',';
    refused(&g->s, text, "line 2: expected \"layer 0: ");
    refused(&g->s, "gallop plan 1: scalar, split 8\n", "line 2");
    gal_network_close(synthetic_open_desc(&g->s, (gal_network_desc){.plan = GAL_PLAN_MEASURE}));
    graph_free(g);
}

static void blend_matches_float64_alone_and_together(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < SHAPES; i++) {
        fixture f = fixture_make(&shapes[i], COUNT);
        gal_network *network = synthetic_open_desc(&f.s, (gal_network_desc){.form = GAL_FORM_BLEND});
        assert_int_equal(synthetic_run(network, COUNT, f.x, f.gate, f.y, NULL), GAL_OK);
        double error = fixture_error(&f, COUNT, f.y);
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
        fixture_free(&f);
    }
}

static float activated(gali_activation activation, float x) {
    return activation == GALI_ACTIVATION_ELU && !(x > 0) ? gali_exp(x) - 1 : x;
}

/* The textbook form of a blended layer: z = w (x) x, then one product with the stacked weights, straight from the model's. */
static void expand_layer(const gali_model_layer *layer, const float *blend, const float *x, float *z,
                         float *y) {
    for (uint32_t e = 0; e < layer->experts; e++) {
        for (uint32_t k = 0; k < layer->inputs; k++) {
            z[(size_t)e * layer->inputs + k] = blend[e] * x[k];
        }
    }
    for (uint32_t n = 0; n < layer->outputs; n++) {
        float sum = 0;
        for (uint32_t e = 0; e < layer->experts; e++) {
            size_t row = (size_t)e * layer->outputs + n;
            for (uint32_t k = 0; k < layer->inputs; k++) {
                sum += gali_model_weight(layer, row * layer->inputs + k) * z[(size_t)e * layer->inputs + k];
            }
            sum += blend[e] * gali_model_f32(layer->biases, row);
        }
        y[n] = activated(layer->activation, sum);
    }
}

/* The layers of a network without normalisation, one by one. */
static void expand_matches_float64(void **unused) {
    (void)unused;
    const synthetic_desc desc = {.gate = GAL_GATE_CALLER,
                                 .experts = 4,
                                 .layers = 2,
                                 .width = {45, 33, 29},
                                 .activation = {GALI_ACTIVATION_ELU},
                                 .seed = 6};
    fixture f = fixture_make(&desc, COUNT);
    for (uint32_t c = 0; c < COUNT; c++) {
        float z[4 * 45], hidden[33];
        const float *blend = f.gate + (size_t)c * 4;
        expand_layer(&f.s.model.layers[0], blend, f.x + (size_t)c * f.inputs, z, hidden);
        expand_layer(&f.s.model.layers[1], blend, hidden, z, f.y + (size_t)c * f.outputs);
    }
    assert_true(fixture_error(&f, COUNT, f.y) <= 1e-5);
    fixture_free(&f);
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
