/* Files of integer weights: written, read back, and refused where a number in them cannot be, with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "network/quantise.h"
#include "network/quantise_model.h"
#include "synthetic.h"

static const synthetic_desc shape = {.gate = GAL_GATE_CUBIC,
                                     .experts = 4,
                                     .layers = 2,
                                     .width = {43, 7, 3},
                                     .constant = 5,
                                     .normalised = 1,
                                     .seed = 3};

/* A quantised file and the model that points into it. */
typedef struct quantised {
    synthetic s;
    size_t size;
    unsigned char *bytes;
    gali_model model;
} quantised;

static quantised make(gal_precision precision, uint32_t block) {
    quantised q = {.s = synthetic_make(&shape)};
    const gali_precision to = {precision, block};
    q.size = gali_quantise_model_size(&q.s.model, to, GALI_QUANTISE_ALL);
    q.bytes = malloc(q.size);
    assert_int_equal(gali_quantise_model(&q.s.model, to, GALI_QUANTISE_ALL, q.bytes, NULL), GAL_OK);
    assert_int_equal(gali_model_read(&q.model, q.bytes, q.size, NULL), GAL_OK);
    return q;
}

static void unmake(quantised *q) {
    synthetic_free(&q->s);
    free(q->bytes);
}

/* Sets `width` bytes of one of the model's arrays, seals the file again and reads it: refused with that message. */
static void expect_refused(quantised *q, const void *array, size_t at, uint32_t value, size_t width,
                           const char *message) {
    memcpy((unsigned char *)(uintptr_t)array + at, &value, width);
    gali_model_write(&q->model, q->bytes);
    gali_model read;
    gal_error error = {0};
    assert_int_equal(gali_model_read(&read, q->bytes, q->size, &error), GAL_BAD_DATA);
    assert_string_equal(error.message, message);
}

static void weights_come_back_within_half_a_step(void **unused) {
    (void)unused;
    static const gali_precision kinds[] = {
        {GAL_PRECISION_INT8, 32}, {GAL_PRECISION_INT8, 16}, {GAL_PRECISION_INT8, 0}, {GAL_PRECISION_INT16, 64}};
    for (int i = 0; i < 4; i++) {
        quantised q = make(kinds[i].precision, kinds[i].block);
        for (uint32_t layer = 0; layer < 2; layer++) {
            const gali_model_layer *from = &q.s.model.layers[layer], *to = &q.model.layers[layer];
            for (size_t w = 0; w < (size_t)4 * to->outputs * to->inputs; w++) {
                const uint32_t k = (uint32_t)(w % to->inputs);
                const int dead = layer == 0 && gali_model_u32(q.model.input_state, k) != GALI_INPUT_LIVE;
                const float expected = dead ? 0 : gali_model_weight(from, w), got = gali_model_weight(to, w);
                const float step =
                    gali_quantise_scale(gali_model_scale(to, w / to->inputs, to->block ? k / to->block : 0));
                const float off = got > expected ? got - expected : expected - got;
                assert_true(off <= 0.5001f * step);
                assert_true(dead ? got == 0 : step > 0 && step < 0.02f);
            }
        }
        unmake(&q);
    }
}

static void the_file_is_as_small_as_promised(void **unused) {
    (void)unused;
    static const synthetic_desc paper = {
        .gate = GAL_GATE_CUBIC, .experts = 4, .layers = 3, .width = {912, 256, 256, 1032}, .seed = 3};
    synthetic s = synthetic_make(&paper);
    const double whole = (double)gali_model_write_size(&s.model);
    assert_true((double)gali_quantise_model_size(&s.model, (gali_precision){GAL_PRECISION_INT8, 32},
                                                 GALI_QUANTISE_ALL) <= 0.2705 * whole);
    assert_true((double)gali_quantise_model_size(&s.model, (gali_precision){GAL_PRECISION_INT8, 0},
                                                 GALI_QUANTISE_ALL) <= 0.26 * whole);
    assert_true((double)gali_quantise_model_size(&s.model, (gali_precision){GAL_PRECISION_INT16, 64},
                                                 GALI_QUANTISE_ALL) <= 0.52 * whole);
    synthetic_free(&s);
}

static void impossible_numbers_are_refused(void **unused) {
    (void)unused;
    quantised q = make(GAL_PRECISION_INT8, 32);
    expect_refused(&q, q.model.layers[0].weights, 43 + 2, 0x80, 1,
                   "LAYR: layer 0, offset 93: weight [0][1][2] is -128, expected -127..127");
    unmake(&q);
    q = make(GAL_PRECISION_INT16, 16);
    for (size_t k = 0; k < 16;
         k++) { /* the second row's second block: as much as its sum may be, then one more */
        ((unsigned char *)(uintptr_t)q.model.layers[0].weights)[2 * (43 + 16 + k)] = 0;
        ((unsigned char *)(uintptr_t)q.model.layers[0].weights)[2 * (43 + 16 + k) + 1] = 0x2d; /* 11520 */
    }
    gali_model_write(&q.model, q.bytes);
    gali_model read;
    assert_int_equal(gali_model_read(&read, q.bytes, q.size, NULL), GAL_OK);
    expect_refused(
        &q, q.model.layers[0].weights, 2 * (43 + 16), 12568, 2,
        "LAYR: layer 0, offset 196: sizes of weights up to [0][1][31] add up to 185368 in a block, expected "
        "at most 185367");
    unmake(&q);
    static const struct {
        uint32_t bits;
        const char *shown;
    } scales[] = {{0x7f80, "inf"},         {0x7fc0, "nan"},         {0xbc00, "-0.0078125"},
                  {0x5e00, "2.30584e+18"}, {0x2100, "4.33681e-19"}, {0x0001, "9.18355e-41"}};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        char message[160];
        q = make(GAL_PRECISION_INT8, 32);
        snprintf(message, sizeof message,
                 "LAYR: layer 0, offset 1258: scale [0][1][1] is %s, expected 0 or 2^-60..2^60",
                 scales[i].shown);
        expect_refused(&q, q.model.layers[0].scales, 2 * 3, scales[i].bits, 2, message);
        unmake(&q);
    }
}

static void expect_planned(const quantised *q, gal_precision precision, uint32_t block, const char *expected) {
    const gal_network_desc desc = {.precision = precision, .block = block};
    gal_network *network;
    char plan[512];
    assert_int_equal(gal_network_open_memory(&network, q->bytes, q->size, &desc, NULL), GAL_OK);
    assert_true(gal_network_plan_text(network, plan, sizeof plan) < sizeof plan);
    assert_non_null(strstr(plan, expected));
    gal_network_close(network);
}

/* What is stored as a precision's integers runs in their blocks, unless another is asked for. */
static void blocks_are_those_of_the_file(void **unused) {
    (void)unused;
    quantised q = make(GAL_PRECISION_INT8, 16);
    expect_planned(&q, GAL_PRECISION_STORED, 0, ", int8 block 16\n");
    expect_planned(&q, GAL_PRECISION_INT8_DOT, 0, ", int8-dot block 16\n");
    expect_planned(&q, GAL_PRECISION_INT8_DOT, 32, ", int8-dot block 32\n");
    expect_planned(&q, GAL_PRECISION_INT16, 0, ", int16 block 96\n");
    unmake(&q);
    q = make(GAL_PRECISION_INT8, 0);
    expect_planned(&q, GAL_PRECISION_INT8, 0, ", int8-dot row\n");
    expect_planned(&q, GAL_PRECISION_INT8, 32, ", int8 block 32\n");
    unmake(&q);
}

/* Offset 72 of LAYR is layer 0's block; the writer must not be asked to write one that may not be. */
static void impossible_blocks_have_no_file(void **unused) {
    (void)unused;
    static const uint32_t blocks[] = {1, 8, 24, 528, 65536, 0xfffffff0u};
    quantised q = make(GAL_PRECISION_INT8, 32);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        q.model.layers[1].block = blocks[i];
        assert_int_equal(gali_model_write_size(&q.model), 0);
    }
    q.model.layers[1].block = 0;
    q.model.layers[1].weight_type = GALI_WEIGHT_INT16;
    assert_int_equal(gali_model_write_size(&q.model), 0);
    unmake(&q);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_come_back_within_half_a_step),
        cmocka_unit_test(the_file_is_as_small_as_promised),
        cmocka_unit_test(impossible_numbers_are_refused),
        cmocka_unit_test(blocks_are_those_of_the_file),
        cmocka_unit_test(impossible_blocks_have_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
