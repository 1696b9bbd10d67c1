/*
 * Sparse layers beside dense ones with the same weights and zeros: the same bits, on every instruction set, in every
 * precision and form, for every gate, at any count, split in every way; and against float64.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/tiny_model.h"
#include "network/network.h"
#include "network/reference.h"
#include "sparse.h"

enum { COUNT_MOST = 37, CASES = 60 };

/* A sparse model and its dense twin, with inputs, gates and room for the outputs of COUNT_MOST characters. */
typedef struct scene {
    synthetic sparse, dense;
    float *x, *gate, *y, *expected;
    size_t outputs; /* of all of them */
} scene;

static float *random_floats(size_t count, uint64_t *state, float scale) {
    float *array = malloc((count + 1) * sizeof *array);
    for (size_t i = 0; i < count; i++) {
        array[i] = scale * synthetic_uniform(state);
    }
    return array;
}

/* Widths around and within patches; layers that fold, some of whose inputs are dead, and one that does not. */
static scene scene_make(uint32_t i) {
    static const uint32_t widths[] = {1, 5, 8, 9, 15, 16, 17, 24, 31, 40, 64, 67, 100, 270};
    static const uint32_t shares[] = {128, 64, 200, 0, 256};
    uint64_t state = 77 + i;
    synthetic_desc desc = {.gate = (gal_gate_kind)(i % GAL_GATE_COUNT),
                           .experts = 4 + i % 3,
                           .layers = 2,
                           .activation = {GALI_ACTIVATION_ELU, (gali_activation)(i % GALI_ACTIVATION_COUNT)},
                           .plain = {i % 7 == 3, i % 5 == 2},
                           .masked = i % 4 ? 5 : 0,
                           .constant = i % 3 ? 7 : 0,
                           .normalised = 1,
                           .seed = i};
    for (uint32_t w = 0; w < 3; w++) {
        desc.width[w] = widths[synthetic_bits(&state) % (sizeof widths / sizeof *widths)];
    }
    scene s = {.sparse = synthetic_make(&desc)};
    s.dense = s.sparse; /* its arrays are the other's */
    for (uint32_t l = 0; l < desc.layers; l++) {
        gali_model_layer *layer = &s.sparse.model.layers[l];
        sparse_make(&s.sparse, layer, shares[i % 5], &state);
        sparse_fill_up(&s.sparse, layer, &s.dense.model.layers[l]);
    }
    s.outputs = (size_t)COUNT_MOST * desc.width[2];
    s.x = random_floats((size_t)COUNT_MOST * desc.width[0], &state, 2);
    s.gate = random_floats((size_t)COUNT_MOST * desc.experts, &state, 1);
    s.y = malloc(s.outputs * sizeof(float));
    s.expected = malloc(s.outputs * sizeof(float));
    return s;
}

static void scene_free(scene *s) {
    synthetic_free(&s->sparse);
    free(s->x);
    free(s->gate);
    free(s->y);
    free(s->expected);
}

static void same_bits(const scene *s, gal_network_desc desc, uint32_t count, const gal_parallel *parallel) {
    gal_network *sparse = synthetic_open_desc(&s->sparse, desc), *dense = synthetic_open_desc(&s->dense, desc);
    const size_t size = count * (s->outputs / COUNT_MOST) * sizeof(float);
    assert_int_equal(synthetic_run(dense, count, s->x, s->gate, s->expected, NULL), GAL_OK);
    assert_int_equal(synthetic_run(sparse, count, s->x, s->gate, s->y, parallel), GAL_OK);
    assert_memory_equal(s->y, s->expected, size);
    gal_network_close(sparse);
    gal_network_close(dense);
}

static void has_the_bits_of_dense(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < CASES; i++) {
        scene s = scene_make(i);
        for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
            if (gal_isa_available((gal_isa)isa)) {
                same_bits(&s, (gal_network_desc){.isa = (gal_isa)isa}, i % (COUNT_MOST + 1), NULL);
                same_bits(&s, (gal_network_desc){.isa = (gal_isa)isa}, COUNT_MOST, NULL);
            }
        }
        scene_free(&s);
    }
}

static void has_them_in_every_precision(void **unused) {
    (void)unused;
    static const uint32_t blocks[] = {0, 16, 48, GAL_BLOCK_ROW};
    for (uint32_t i = 0; i < CASES; i++) {
        scene s = scene_make(i);
        for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
            for (int p = GAL_PRECISION_F32 + 1; p < GAL_PRECISION_COUNT && gal_isa_available((gal_isa)isa);
                 p++) {
                gal_network_desc desc = {.isa = (gal_isa)isa, .precision = (gal_precision)p};
                desc.block = p == GAL_PRECISION_INT8_DOT ? blocks[i % 4] : 0;
                same_bits(&s, desc, i % (COUNT_MOST + 1), NULL);
            }
        }
        scene_free(&s);
    }
}

static void has_them_in_the_blend_form(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < CASES; i += 3) {
        scene s = scene_make(i);
        same_bits(&s, (gal_network_desc){.form = GAL_FORM_BLEND}, 9, NULL);
        scene_free(&s);
    }
}

/* Tasks backwards, on one thread: what a split changes would show. */
static void backwards(void *context, void (*task)(void *argument, uint32_t index), void *argument,
                      uint32_t count) {
    (void)context;
    for (uint32_t i = count; i > 0; i--) {
        task(argument, i - 1);
    }
}

static void does_not_see_a_split(void **unused) {
    (void)unused;
    const gal_parallel parallel = {.parallel_for = backwards, .threads = 3};
    for (uint32_t i = 0; i < CASES; i++) {
        scene s = scene_make(i);
        same_bits(&s, (gal_network_desc){0}, i % (COUNT_MOST + 1), &parallel);
        scene_free(&s);
    }
}

static void is_what_float64_says(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < CASES; i++) {
        scene s = scene_make(i);
        double *truth = malloc(s.outputs * sizeof *truth), worst = 0, squares = 0;
        gal_network *network = synthetic_open(&s.sparse, GAL_ISA_BEST);
        assert_int_equal(synthetic_run(network, COUNT_MOST, s.x, s.gate, s.y, NULL), GAL_OK);
        assert_int_equal(gali_reference_run(&s.sparse.model, COUNT_MOST, s.x, s.gate, truth, NULL), GAL_OK);
        for (size_t k = 0; k < s.outputs; k++) {
            worst = fmax(worst, fabs((double)s.y[k] - truth[k]));
            squares += truth[k] * truth[k];
        }
        assert_true(worst <= 1e-5 * sqrt(squares / (double)s.outputs));
        gal_network_close(network);
        free(truth);
        scene_free(&s);
    }
}

/* The weights of a network of half the patches take half of the memory, and no input that is not asked for is read. */
static void takes_less_memory(void **unused) {
    (void)unused;
    const synthetic_desc desc = {
        .gate = GAL_GATE_CUBIC, .experts = 4, .layers = 2, .width = {512, 512, 512}, .seed = 1};
    synthetic s = synthetic_make(&desc);
    gal_network *dense = synthetic_open(&s, GAL_ISA_BEST);
    uint64_t state = 3;
    sparse_make(&s, &s.model.layers[0], 128, &state);
    sparse_make(&s, &s.model.layers[1], 128, &state);
    gal_network *sparse = synthetic_open(&s, GAL_ISA_BEST);
    const gal_network_info of_sparse = gal_network_get_info(sparse), of_dense = gal_network_get_info(dense);
    assert_true((double)of_sparse.memory < 0.55 * (double)of_dense.memory);
    assert_true((double)of_sparse.parameters < 0.55 * (double)of_dense.parameters);
    gal_network_close(sparse);
    gal_network_close(dense);
    synthetic_free(&s);
}

/* An input that no weight reads may be anything; of dense layers it would make NaN of the zero. */
static void does_not_look_at_what_is_not_there(void **unused) {
    (void)unused;
    const synthetic_desc desc = {
        .gate = GAL_GATE_CONSTANT, .experts = 1, .layers = 1, .width = {32, 16}, .seed = 4};
    static const unsigned char has[] = {1, 0, 1, 1};
    synthetic s = synthetic_make(&desc);
    uint64_t state = 1;
    gali_model_layer *layer = &s.model.layers[0];
    sparse_make(&s, layer, 256, &state);
    sparse_fill(layer, has);
    float x[32], y[16], expected[16], phase = 0;
    for (uint32_t k = 0; k < 32; k++) {
        x[k] = (float)k;
    }
    gal_network *network = synthetic_open(&s, GAL_ISA_BEST);
    assert_int_equal(synthetic_run(network, 1, x, &phase, expected, NULL), GAL_OK);
    x[9] = (float)INFINITY;
    assert_int_equal(synthetic_run(network, 1, x, &phase, y, NULL), GAL_OK);
    assert_memory_equal(y, expected, sizeof y);
    gal_network_close(network);
    synthetic_free(&s);
}

/* A model of a sparse layer of 19 inputs and 18 outputs after one change: 0 mask beyond the inputs, 1 a count before, 2 the
 * count of all, 3 a weight beyond the outputs, 4 a weight that is not finite. */
static void expect_fault(uint32_t fault, const char *message) {
    const synthetic_desc desc = {
        .gate = GAL_GATE_LINEAR, .experts = 2, .layers = 1, .width = {19, 18}, .seed = 5};
    synthetic s = synthetic_make(&desc);
    uint64_t state = 1;
    gali_model_layer *layer = &s.model.layers[0];
    sparse_make(&s, layer, 256, &state);
    unsigned char *mask = (unsigned char *)(uintptr_t)layer->mask;
    float *weights = (float *)(uintptr_t)layer->weights;
    mask[0] = (unsigned char)(mask[0] | (fault == 0 ? 8 : 0));
    mask[GALI_SPARSE_WORD_SIZE + 4] = (unsigned char)(mask[GALI_SPARSE_WORD_SIZE + 4] + (fault == 1));
    mask[GALI_SPARSE_WORD_SIZE] = (unsigned char)(mask[GALI_SPARSE_WORD_SIZE] & (fault == 2 ? 3 : 0xff));
    weights[3 * GALI_PATCH_WEIGHTS + 2 * GALI_PATCH_INPUTS] = fault == 3 ? 1 : 0; /* output 18 */
    weights[0] = fault == 4 ? (float)INFINITY : 0;
    size_t size;
    unsigned char *bytes = synthetic_bytes(&s, &size);
    gali_model model;
    gal_error error = {0};
    assert_int_equal(gali_model_read(&model, bytes, size, &error), fault < 5 ? GAL_BAD_DATA : GAL_OK);
    if (!strstr(error.message, message)) {
        fail_msg("fault %u: \"%s\", expected \"%s\"", fault, error.message, message);
    }
    free(bytes);
    synthetic_free(&s);
}

static void the_reader_names_faults(void **unused) {
    (void)unused;
    expect_fault(0, "LAYR: layer 0, offset 52: mask 0000000f, expected 0 from bit 3 on");
    expect_fault(1, "LAYR: layer 0, offset 64: 4 patches before, expected 3");
    expect_fault(2, "LAYR: layer 0, offset 48: 6 patches, expected 5 (the bits of its mask)");
    expect_fault(3, "weight of output 18, input 0 is not 0 beyond the layer's edge");
    expect_fault(4, "weight of output 0, input 0 is not finite");
    expect_fault(5, "");
}

/* A layer that was written with 18 outputs and says that it has 65,536: its mask would end behind the file's. */
static void expect_refused_outputs(uint32_t experts, uint32_t inputs, const char *message) {
    const synthetic_desc desc = {
        .gate = GAL_GATE_LINEAR, .experts = experts, .layers = 1, .width = {inputs, 18}, .seed = 5};
    synthetic s = synthetic_make(&desc);
    uint64_t state = 1;
    sparse_make(&s, &s.model.layers[0], 128, &state);
    image file;
    file.bytes = synthetic_bytes(&s, &file.size);
    gali_model model;
    gal_error error = {0};
    image_put(file, image_section(file, "LAYR") + 24, 65536, 4);
    image_seal(file);
    assert_int_equal(gali_model_read(&model, file.bytes, file.size, &error), GAL_BAD_DATA);
    if (!strstr(error.message, message)) {
        fail_msg("\"%s\", expected \"%s\"", error.message, message);
    }
    free(file.bytes);
    synthetic_free(&s);
}

static void masks_are_within_the_file(void **unused) {
    (void)unused;
    expect_refused_outputs(2, 19, "bytes left, expected a mask of 32772");
    expect_refused_outputs(256, 64, "[256][65536][64] weights, expected fewer than 2^29 with the zeros");
}

/* Sums of int16 weights are of those that are there, and a message tells where the last one stands. */
static void sums_are_of_stored_weights(void **unused) {
    (void)unused;
    const synthetic_desc desc = {
        .gate = GAL_GATE_LINEAR, .experts = 2, .layers = 1, .width = {40, 18}, .seed = 5};
    synthetic s = synthetic_make(&desc);
    gali_model_layer *layer = &s.model.layers[0];
    *layer = (gali_model_layer){.kind = GALI_LAYER_SPARSE,
                                .experts = 2,
                                .inputs = 40,
                                .outputs = 18,
                                .weight_type = GALI_WEIGHT_INT16,
                                .block = 16,
                                .biases = layer->biases};
    const unsigned char has[2 * 5] = {0, 1, 0, 1, 0, 0, 1, 0, 0, 1};
    layer->mask = sparse_keep(&s, calloc(1, gali_sparse_mask_size(layer)));
    sparse_fill(layer, has);
    unsigned char *weights = sparse_keep(&s, calloc(1, gali_layer_weights_size(layer)));
    layer->weights = weights;
    layer->scales = sparse_keep(&s, calloc(1, gali_layer_scales_size(layer)));
    /* Expert 1, output 17: 160000 in its first block, none in the second, one too many in the third. */
    for (uint32_t i = 0; i < 8; i++) {
        gali_put_u16(weights, gali_sparse_place(layer, 18 + 17, 8 + i), 20000);
        gali_put_u16(weights, gali_sparse_place(layer, 18 + 17, 32 + i), i < 7 ? 25000 : 10368);
    }
    size_t size;
    unsigned char *bytes = synthetic_bytes(&s, &size);
    gali_model model;
    gal_error error = {0};
    assert_int_equal(gali_model_read(&model, bytes, size, &error), GAL_BAD_DATA);
    char expected[160];
    snprintf(
        expected, sizeof expected,
        "offset %zu: sizes of weights up to [1][17][39] add up to 185368 in a block, expected at most 185367",
        48 + gali_sparse_mask_size(layer) + 2 * gali_sparse_place(layer, 18 + 17, 39));
    if (!strstr(error.message, expected)) {
        fail_msg("\"%s\", expected \"%s\"", error.message, expected);
    }
    free(bytes);
    synthetic_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_are_within_the_file),
        cmocka_unit_test(sums_are_of_stored_weights),
        cmocka_unit_test(does_not_look_at_what_is_not_there),
        cmocka_unit_test(the_reader_names_faults),
        cmocka_unit_test(has_the_bits_of_dense),
        cmocka_unit_test(has_them_in_every_precision),
        cmocka_unit_test(has_them_in_the_blend_form),
        cmocka_unit_test(does_not_see_a_split),
        cmocka_unit_test(is_what_float64_says),
        cmocka_unit_test(takes_less_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
