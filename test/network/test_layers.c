/*
 * Networks of every kind of layer, with every activation and gate, whose layers read each other in any way, against
 * float64, on every instruction set, in every count, split in every way.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "graph.h"
#include "network/network.h"
#include "network/reference.h"

enum { COUNT_MOST = 67, GRAPHS = 300 };

/* A network with the inputs and outputs of COUNT_MOST characters. */
typedef struct scene {
    graph *g;
    uint32_t inputs, outputs, gate_width;
    float *x, *gate, *y;
} scene;

static scene scene_make(const graph_desc *desc) {
    scene s = {.g = graph_make(desc), .inputs = desc->inputs};
    uint64_t state = desc->seed + 1;
    s.outputs = s.g->s.model.outputs;
    s.gate_width = desc->gate == GAL_GATE_CALLER ? desc->experts : 1;
    s.x = malloc((size_t)COUNT_MOST * s.inputs * sizeof(float));
    s.y = malloc((size_t)COUNT_MOST * s.outputs * sizeof(float));
    s.gate = malloc((size_t)COUNT_MOST * s.gate_width * sizeof(float));
    for (size_t i = 0; i < (size_t)COUNT_MOST * s.inputs; i++) {
        s.x[i] = 2 * synthetic_uniform(&state);
    }
    for (size_t i = 0; i < (size_t)COUNT_MOST * s.gate_width; i++) {
        s.gate[i] = 4 * synthetic_uniform(&state) / (float)s.gate_width;
    }
    return s;
}

static void scene_free(scene *s) {
    graph_free(s->g);
    free(s->x);
    free(s->y);
    free(s->gate);
}

/* A random network: E = 1..16, every gate, 1..7 layers. */
static graph_desc random_desc(uint32_t i) {
    static const uint32_t least[GAL_GATE_COUNT] = {1, 4, 2, 1, 1};
    graph_desc desc = {
        .gate = (gal_gate_kind)(i % GAL_GATE_COUNT), .kind = -1, .activation = -1, .seed = 1000 + i};
    uint64_t state = i;
    desc.experts = least[desc.gate] + (uint32_t)(synthetic_bits(&state) % (17 - least[desc.gate]));
    desc.inputs = graph_widths[synthetic_bits(&state) % (sizeof graph_widths / sizeof *graph_widths)];
    desc.layers = 1 + (uint32_t)(synthetic_bits(&state) % 7);
    return desc;
}

static void run(const scene *s, gal_isa isa, uint32_t count, float *y) {
    gal_network *network = synthetic_open(&s->g->s, isa);
    assert_int_equal(synthetic_run(network, count, s->x, s->gate, y, NULL), GAL_OK);
    gal_network_close(network);
}

/* The worst error of any output, relative to the root mean square of all characters' outputs. */
static double worst_error(const scene *s, uint32_t count) {
    size_t all = (size_t)count * s->outputs;
    double *truth = malloc((all ? all : 1) * sizeof *truth), squares = 0, worst = 0;
    assert_int_equal(gali_reference_run(&s->g->s.model, count, s->x, s->gate, truth, NULL), GAL_OK);
    for (size_t i = 0; i < all; i++) {
        double error = fabs((double)s->y[i] - truth[i]);
        squares += truth[i] * truth[i];
        worst = error > worst || isnan(error) ? error : worst;
    }
    free(truth);
    return worst == 0 ? 0 : worst / sqrt(squares / (double)all);
}

static double check(const graph_desc *desc, uint32_t count) {
    scene s = scene_make(desc);
    float *scalar = malloc((size_t)count * s.outputs * sizeof *scalar + 1);
    run(&s, GAL_ISA_SCALAR, count, scalar);
    memcpy(s.y, scalar, (size_t)count * s.outputs * sizeof *scalar);
    double error = worst_error(&s, count);
    for (int isa = GAL_ISA_SCALAR + 1; isa < GAL_ISA_COUNT; isa++) {
        if (gal_isa_available((gal_isa)isa)) {
            run(&s, (gal_isa)isa, count, s.y);
            assert_memory_equal(s.y, scalar, (size_t)count * s.outputs * sizeof *scalar);
        }
    }
    free(scalar);
    scene_free(&s);
    return error;
}

static void every_kind_with_every_activation(void **unused) {
    (void)unused;
    double worst = 0;
    for (int kind = 0; kind < GALI_LAYER_KIND_COUNT; kind++) {
        for (int activation = 0; activation < GALI_ACTIVATION_COUNT; activation++) {
            for (uint32_t layers = 1; layers < 4; layers += 2) {
                graph_desc desc = {
                    GAL_GATE_LINEAR, 3, 31, layers, kind, activation, (uint64_t)(kind + 100 * activation)};
                double error = check(&desc, 9);
                worst = error > worst ? error : worst;
                if (!(error <= 1e-5)) {
                    fail_msg("%s, activation %d, %u layers: error %.2e of the outputs' rms",
                             gali_layer_ops_of((gali_layer_kind)kind)->name, activation, layers, error);
                }
            }
        }
    }
    print_message("worst error %.2e of the outputs' rms\n", worst);
}

static void random_networks(void **unused) {
    (void)unused;
    double worst = 0;
    for (uint32_t i = 0; i < GRAPHS; i++) {
        graph_desc desc = random_desc(i);
        double error = check(&desc, i % (COUNT_MOST + 1));
        worst = error > worst ? error : worst;
        if (!(error <= 1e-5)) {
            fail_msg("graph %u: error %.2e of the outputs' rms", i, error);
        }
    }
    print_message("worst error %.2e of the outputs' rms\n", worst);
}

/* Tasks backwards, on one thread: what a split changes would show. */
static void backwards(void *context, void (*task)(void *argument, uint32_t index), void *argument,
                      uint32_t count) {
    (void)context;
    for (uint32_t i = count; i > 0; i--) {
        task(argument, i - 1);
    }
}

static void a_character_does_not_see_the_others(void **unused) {
    (void)unused;
    static const uint32_t counts[] = {1, 2, 5, 16, 17, 31, 66};
    for (uint32_t i = 0; i < GRAPHS / 3; i++) {
        graph_desc desc = random_desc(3 * i);
        scene s = scene_make(&desc);
        size_t row = s.outputs * sizeof(float);
        float *other = malloc(COUNT_MOST * row);
        gal_network *network = synthetic_open(&s.g->s, GAL_ISA_BEST);
        assert_int_equal(synthetic_run(network, COUNT_MOST, s.x, s.gate, s.y, NULL), GAL_OK);
        for (uint32_t n = 0; n < sizeof counts / sizeof *counts; n++) {
            uint32_t count = counts[n], first = (5 * i) % (COUNT_MOST - count + 1);
            gal_parallel parallel = {backwards, NULL, 1 + n % 3};
            assert_int_equal(synthetic_run(network, count, s.x + (size_t)first * s.inputs,
                                           s.gate + (size_t)first * s.gate_width, other, &parallel),
                             GAL_OK);
            assert_memory_equal(other, s.y + (size_t)first * s.outputs, count * row);
        }
        gal_network_close(network);
        free(other);
        scene_free(&s);
    }
}

/* NaN, infinity, denormals and huge numbers in one character: nobody else sees them, all sets do the same. */
static void special_values_stay_with_their_character(void **unused) {
    (void)unused;
    static const float specials[] = {NAN, INFINITY, -INFINITY, 1e-42f, -1e-45f, 3e38f, -3e38f, -0.0f};
    for (uint32_t i = 0; i < GRAPHS / 3; i++) {
        graph_desc desc = random_desc(3 * i + 1);
        scene s = scene_make(&desc);
        size_t row = s.outputs * sizeof(float);
        float *before = malloc(3 * row), *after = malloc(3 * row);
        run(&s, GAL_ISA_BEST, 3, before);
        for (uint32_t k = 0; k < s.inputs; k++) {
            s.x[s.inputs + k] = specials[(i + k / 2) % (sizeof specials / sizeof *specials)];
        }
        run(&s, GAL_ISA_SCALAR, 3, s.y);
        assert_memory_equal(s.y, before, row);
        assert_memory_equal(s.y + 2 * s.outputs, before + 2 * s.outputs, row);
        for (int isa = GAL_ISA_SCALAR + 1; isa < GAL_ISA_COUNT; isa++) {
            if (gal_isa_available((gal_isa)isa)) {
                run(&s, (gal_isa)isa, 3, after);
                for (uint32_t n = 0; n < 3 * s.outputs; n++) { /* a NaN's sign is nobody's */
                    assert_true(memcmp(&after[n], &s.y[n], sizeof *after) == 0 ||
                                (isnan(after[n]) && isnan(s.y[n])));
                }
            }
        }
        free(before);
        free(after);
        scene_free(&s);
    }
}

/* Rows whose mean is a thousand times their deviation. */
static void layer_norm_far_from_zero(void **unused) {
    (void)unused;
    enum { WIDTH = 487 };
    float parameters[2 * WIDTH], x[WIDTH], y[WIDTH];
    double exact[WIDTH], truth[WIDTH];
    uint64_t state = 5;
    for (uint32_t n = 0; n < WIDTH; n++) {
        parameters[n] = 1;
        parameters[WIDTH + n] = 0;
        exact[n] = (double)(x[n] = 1000 + 2 * synthetic_uniform(&state));
    }
    gali_row_layer layer = {gali_kernels_get(GAL_ISA_SCALAR), parameters, WIDTH, WIDTH, 1e-5f};
    gali_model_layer model = {
        .outputs = WIDTH, .weights = parameters, .biases = parameters + WIDTH, .epsilon = 1e-5f};
    gali_layer_layer_norm.run(&layer, x, y);
    gali_layer_layer_norm.truth(&model, NULL, exact, truth);
    for (uint32_t n = 0; n < WIDTH; n++) {
        assert_true(fabs((double)y[n] - truth[n]) <= 1e-6);
    }
}

/* A chain as long as a list may be takes two buffers; values that all live to the end, one each. */
static void values_share_buffers(void **unused) {
    (void)unused;
    gali_model_layer layers[GALI_LAYERS_MAX] = {{0}};
    uint32_t sources[GALI_SOURCES_MAX][3], buffer[GALI_BUFFERS_MAX];
    for (uint32_t i = 0; i < GALI_LAYERS_MAX; i++) {
        layers[i] = (gali_model_layer){.experts = 1, .inputs = 4, .outputs = 4};
    }
    gali_layer_list list = {"chain", layers, GALI_LAYERS_MAX, 4, 1, 0};
    gali_wiring wiring = {0};
    gali_wiring_assign(&wiring, &list, GALI_LAYERS_MAX, buffer);
    assert_int_equal(wiring.buffer_count, 2);
    for (uint32_t v = 1; v < GALI_LAYERS_MAX; v++) {
        assert_int_equal(buffer[v], (v - 1) % 2);
    }
    for (uint32_t i = 0; i < GALI_SOURCES_MAX; i++) { /* the last layer reads the 16 before it */
        memcpy(sources[i], (uint32_t[]){GALI_LAYERS_MAX - 1 - i, 0, 4}, sizeof sources[i]);
    }
    layers[GALI_LAYERS_MAX - 1].inputs = 4 * GALI_SOURCES_MAX;
    layers[GALI_LAYERS_MAX - 1].source_count = GALI_SOURCES_MAX;
    layers[GALI_LAYERS_MAX - 1].sources = sources;
    wiring = (gali_wiring){0};
    gali_wiring_assign(&wiring, &list, GALI_LAYERS_MAX, buffer);
    assert_int_equal(wiring.buffer_count, GALI_SOURCES_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_with_every_activation),
        cmocka_unit_test(random_networks),
        cmocka_unit_test(a_character_does_not_see_the_others),
        cmocka_unit_test(special_values_stay_with_their_character),
        cmocka_unit_test(layer_norm_far_from_zero),
        cmocka_unit_test(values_share_buffers),
    };
    return cmocka_run_group_tests_name("layers", tests, NULL, NULL);
}
