/* Writing: what is read back, that equal models give equal bytes, and limits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tiny_model.h"

static void reads_back_what_was_written(void **state) {
    (void)state;
    tiny t;
    tiny_make(&t);
    image file = image_of(&t.model);
    gali_model m;
    assert_int_equal(gali_model_read(&m, file.bytes, file.size, NULL), GAL_OK);
    assert_int_equal(m.gate, GAL_GATE_CUBIC);
    assert_int_equal(m.experts, 4);
    assert_int_equal(m.layer_count, 3);
    assert_int_equal(m.inputs, 3);
    assert_int_equal(m.outputs, 2);
    assert_int_equal(m.layers[1].activation, GALI_ACTIVATION_RELU);
    assert_int_equal(m.layers[1].experts, 1);
    assert_memory_equal(m.layers[0].weights, t.weights0, sizeof t.weights0);
    assert_memory_equal(m.layers[0].biases, t.biases0, sizeof t.biases0);
    assert_memory_equal(m.layers[1].weights, t.weights1, sizeof t.weights1);
    assert_memory_equal(m.layers[2].weights, t.weights2, sizeof t.weights2);
    assert_memory_equal(m.layers[2].biases, t.biases2, sizeof t.biases2);
    assert_memory_equal(m.input_mean, t.input_mean, sizeof t.input_mean);
    assert_memory_equal(m.input_std, t.input_std, sizeof t.input_std);
    assert_memory_equal(m.output_mean, t.output_mean, sizeof t.output_mean);
    assert_memory_equal(m.output_std, t.output_std, sizeof t.output_std);
    assert_memory_equal(m.input_state, t.input_state, sizeof t.input_state);
    assert_memory_equal(m.input_constant, t.input_constant, sizeof t.input_constant);
    assert_int_equal(m.golden.frames, 2);
    assert_true(m.golden.tolerance == 1e-5f);
    assert_memory_equal(m.golden.x, t.x, sizeof t.x);
    assert_memory_equal(m.golden.blend, t.blend, sizeof t.blend);
    assert_memory_equal(m.golden.y, t.y, sizeof t.y);
    assert_int_equal(m.contract_size, t.model.contract_size);
    assert_memory_equal(m.contract, tiny_contract, m.contract_size);
    assert_memory_equal(m.provenance, tiny_provenance, m.provenance_size);
    image again = image_of(&m);
    assert_int_equal(again.size, file.size);
    assert_memory_equal(again.bytes, file.bytes, file.size);
    free(again.bytes);
    free(file.bytes);
}

static void reads_back_a_gating_network(void **state) {
    (void)state;
    tiny t;
    tiny_make(&t);
    tiny_gate(&t);
    image file = image_of(&t.model);
    gali_model m;
    assert_int_equal(gali_model_read(&m, file.bytes, file.size, NULL), GAL_OK);
    assert_int_equal(m.gate, GAL_GATE_NETWORK);
    assert_int_equal(m.gating.top, 2);
    assert_int_equal(m.gating.input_count, 2);
    assert_int_equal(m.gating.layer_count, 2);
    assert_memory_equal(m.gating.features, t.features, sizeof t.features);
    assert_memory_equal(m.gating.layers[0].weights, t.gate_weights0, sizeof t.gate_weights0);
    assert_memory_equal(m.gating.layers[0].biases, t.gate_biases0, sizeof t.gate_biases0);
    assert_memory_equal(m.gating.layers[1].weights, t.gate_weights1, sizeof t.gate_weights1);
    assert_memory_equal(m.gating.layers[1].biases, t.gate_biases1, sizeof t.gate_biases1);
    assert_int_equal(m.gating.layers[0].activation, GALI_ACTIVATION_ELU);
    image again = image_of(&m);
    assert_int_equal(again.size, file.size);
    assert_memory_equal(again.bytes, file.bytes, file.size);
    free(again.bytes);
    free(file.bytes);
}

static void reads_back_layers_that_are_no_chain(void **state) {
    (void)state;
    tiny t;
    tiny_make(&t);
    tiny_graph(&t);
    image file = image_of(&t.model);
    gali_model m;
    assert_int_equal(gali_model_read(&m, file.bytes, file.size, NULL), GAL_OK);
    assert_int_equal(m.layer_count, 5);
    assert_true(m.layers[0].slope == 0.25f);
    assert_int_equal(m.layers[1].kind, GALI_LAYER_LAYER_NORM);
    assert_true(m.layers[1].epsilon == 1e-5f);
    assert_memory_equal(m.layers[1].weights, t.weights1, 4);
    assert_memory_equal(m.layers[1].biases, t.biases2, 8);
    assert_int_equal(m.layers[2].kind, GALI_LAYER_FILM);
    assert_int_equal(m.layers[2].activation, GALI_ACTIVATION_TANH);
    assert_int_equal(m.layers[2].source_count, 3);
    gali_source source = gali_model_source(&m.layers[2], 1);
    assert_int_equal(source.value, 2);
    assert_int_equal(source.first, 0);
    assert_int_equal(source.count, 2);
    assert_memory_equal(m.layers[4].biases, t.biases2, sizeof t.biases2);
    image again = image_of(&m);
    assert_int_equal(again.size, file.size);
    assert_memory_equal(again.bytes, file.bytes, file.size);
    free(again.bytes);
    free(file.bytes);
}

static void leaves_no_byte_unwritten(void **state) {
    (void)state;
    tiny t;
    tiny_make(&t);
    size_t size = gali_model_write_size(&t.model);
    unsigned char *a = malloc(size), *b = malloc(size);
    memset(a, 0x00, size);
    memset(b, 0xFF, size);
    gali_model_write(&t.model, a);
    gali_model_write(&t.model, b);
    assert_memory_equal(a, b, size);
    free(a);
    free(b);
}

static void optional_sections_may_be_absent(void **state) {
    (void)state;
    tiny t;
    tiny_make(&t);
    t.model.golden = (gali_golden){0};
    t.model.contract = t.model.provenance = NULL;
    t.model.contract_size = t.model.provenance_size = 0;
    image file = image_of(&t.model);
    gali_model m;
    assert_int_equal(gali_model_read(&m, file.bytes, file.size, NULL), GAL_OK);
    assert_null(m.contract);
    assert_null(m.provenance);
    assert_null(m.golden.x);
    assert_int_equal(m.golden.frames, 0);
    free(file.bytes);
}

/* A model built in the bytes it is written to gives the same file. */
static void places_arrays_where_they_are_written(void **state) {
    (void)state;
    tiny t;
    tiny_make(&t);
    image file = image_of(&t.model);
    unsigned char *built = malloc(file.size);
    memset(built, 0xAA, file.size);
    gali_model placed;
    gali_model_place(&placed, &t.model, built);
    gali_model filled;
    assert_int_equal(gali_model_read(&filled, file.bytes, file.size, NULL), GAL_OK);
    for (uint32_t i = 0; i < 3; i++) {
        const gali_model_layer *to = &placed.layers[i], *from = &filled.layers[i];
        size_t width = from->weight_type == GALI_WEIGHT_F32 ? 4 : 2;
        memcpy((void *)to->weights, from->weights, width * from->experts * from->inputs * from->outputs);
        memcpy((void *)to->biases, from->biases, 4 * (size_t)from->experts * from->outputs);
    }
    memcpy((void *)placed.input_mean, filled.input_mean, 12);
    memcpy((void *)placed.input_std, filled.input_std, 12);
    memcpy((void *)placed.output_mean, filled.output_mean, 8);
    memcpy((void *)placed.output_std, filled.output_std, 8);
    memcpy((void *)placed.input_state, filled.input_state, 12);
    memcpy((void *)placed.input_constant, filled.input_constant, 12);
    memcpy((void *)placed.golden.x, filled.golden.x, 24);
    memcpy((void *)placed.golden.blend, filled.golden.blend, 8);
    memcpy((void *)placed.golden.y, filled.golden.y, 16);
    memcpy((void *)placed.contract, filled.contract, filled.contract_size);
    memcpy((void *)placed.provenance, filled.provenance, filled.provenance_size);
    gali_model_write(&placed, built);
    assert_memory_equal(built, file.bytes, file.size);
    free(built);
    free(file.bytes);
}

static void widens_every_half_exactly(void **state) {
    (void)state;
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        const unsigned char bytes[2] = {(unsigned char)bits, (unsigned char)(bits >> 8)};
        gali_model_layer half = {.weight_type = GALI_WEIGHT_F16, .weights = bytes};
        gali_model_layer brain = {.weight_type = GALI_WEIGHT_BF16, .weights = bytes};
        int exponent = (int)(bits >> 10 & 31);
        double magnitude =
            exponent == 0 ? ldexp(bits & 0x3FF, -24) : ldexp(1024 + (bits & 0x3FF), exponent - 25);
        double value = bits & 0x8000 ? -magnitude : magnitude;
        float got = gali_model_weight(&half, 0);
        assert_int_equal(isfinite(got) != 0, exponent != 31);
        assert_true(exponent == 31 || (double)got == value);
        assert_int_equal(signbit(got) != 0, bits >> 15);
        uint32_t wide = bits << 16;
        float widened = gali_model_weight(&brain, 0);
        assert_true(memcmp(&wide, &widened, 4) == 0 || isnan(widened));
    }
}

typedef struct limit {
    const char *what;
    size_t offset, width;
    uint64_t value;
} limit;

#define MEMBER(name) offsetof(gali_model, name)
#define LAYER(i, name)                                                                                         \
    (offsetof(gali_model, layers) + (i) * sizeof(gali_model_layer) + offsetof(gali_model_layer, name))

#define GATING(i, name)                                                                                        \
    (offsetof(gali_model, gating.layers) + (i) * sizeof(gali_model_layer) + offsetof(gali_model_layer, name))

static void has_no_size_past_a_limit(void **state) {
    (void)state;
    const limit limits[] = {
        {"no layers", MEMBER(layer_count), 4, 0},
        {"layers", MEMBER(layer_count), 4, 65},
        {"no experts", MEMBER(experts), 4, 0},
        {"experts", MEMBER(experts), 4, 257},
        {"gate", MEMBER(gate), 4, GAL_GATE_COUNT},
        {"gating layers", MEMBER(gating.layer_count), 4, 9},
        {"no gating layers", MEMBER(gating.layer_count), 4, 0},
        {"top", MEMBER(gating.top), 4, 5},
        {"gating features", MEMBER(gating.input_count), 4, 1},
        {"more features than inputs", GATING(0, inputs), 4, 4},
        {"gating experts", GATING(0, experts), 4, 4},
        {"gating inputs", GATING(1, inputs), 4, 2},
        {"no gating inputs", GATING(0, inputs), 4, 0},
        {"gating outputs", GATING(1, outputs), 4, 5},
        {"gating weight type", GATING(1, weight_type), 4, 5},
        {"frames", MEMBER(golden.frames), 4, 4097},
        {"contract", MEMBER(contract_size), sizeof(size_t), (1 << 20) + 1},
        {"provenance", MEMBER(provenance_size), sizeof(size_t), (1 << 16) + 1},
        {"inputs", MEMBER(inputs), 4, 4},
        {"outputs", MEMBER(outputs), 4, 3},
        {"layer experts", LAYER(1, experts), 4, 2},
        {"no layer inputs", LAYER(2, inputs), 4, 0},
        {"layer inputs", LAYER(2, inputs), 4, 2},
        {"no layer outputs", LAYER(0, outputs), 4, 0},
        {"layer outputs", LAYER(0, outputs), 4, 65537},
        {"weight type", LAYER(0, weight_type), 4, 5},
        {"2 GiB", LAYER(0, inputs), 4, 65536},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        tiny t;
        tiny_make(&t);
        if (strstr(limits[i].what, "gating") || strstr(limits[i].what, "features") ||
            limits[i].what[0] == 't') {
            tiny_gate(&t);
        }
        assert_true(gali_model_write_size(&t.model) > 0);
        unsigned char *member = (unsigned char *)&t.model + limits[i].offset;
        if (limits[i].width == 4) {
            uint32_t value = (uint32_t)limits[i].value;
            memcpy(member, &value, 4);
        } else {
            size_t value = (size_t)limits[i].value;
            memcpy(member, &value, sizeof value);
        }
        if (strcmp(limits[i].what, "more features than inputs") == 0 ||
            strcmp(limits[i].what, "no gating inputs") == 0) {
            t.model.gating.input_count = t.model.gating.layers[0].inputs;
        }
        if (i + 1 == sizeof limits / sizeof *limits) {
            t.model.inputs = t.model.layers[0].inputs;
            t.model.layers[0].outputs = t.model.layers[1].inputs = 65536;
        }
        if (gali_model_write_size(&t.model) != 0) {
            fail_msg("a size for a model past its limit: %s", limits[i].what);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back_what_was_written),
        cmocka_unit_test(reads_back_a_gating_network),
        cmocka_unit_test(reads_back_layers_that_are_no_chain),
        cmocka_unit_test(leaves_no_byte_unwritten),
        cmocka_unit_test(optional_sections_may_be_absent),
        cmocka_unit_test(places_arrays_where_they_are_written),
        cmocka_unit_test(widens_every_half_exactly),
        cmocka_unit_test(has_no_size_past_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
