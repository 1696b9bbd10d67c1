/*
 * What SECURITY.md promises of memory: that an open network, and what opening it takes at its worst moment, are within a
 * fixed multiple of the file's bytes. The shapes are the worst for it: few outputs, whose panels are padded to a vector, and
 * few inputs, beside which an output's bias and scales count.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "network/quantise_model.h"
#include "synthetic.h"

/* As in SECURITY.md. */
static const double most_times = 64;
enum { BESIDE = 128 * 1024, MEASURING = 4 << 20 };

typedef struct counter {
    size_t now, most;
} counter;

static void *count_allocate(void *context, size_t size, size_t alignment) {
    counter *c = context;
    c->now += size;
    c->most = c->now > c->most ? c->now : c->most;
    return aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
}

static void count_release(void *context, void *memory, size_t size, size_t alignment) {
    (void)alignment;
    ((counter *)context)->now -= size;
    free(memory);
}

/* The file in a stored precision; STORED: float32, as it is written. */
static unsigned char *file_of(const synthetic *s, gal_precision stored, size_t *size) {
    if (stored == GAL_PRECISION_STORED) {
        return synthetic_bytes(s, size);
    }
    const uint32_t row = stored == GAL_PRECISION_INT8 ? GAL_BLOCK_ROW : 0; /* the fewest scales */
    const gali_precision precision = {stored, gali_precision_block(stored, row)};
    *size = gali_quantise_model_size(&s->model, precision, GALI_QUANTISE_ALL);
    unsigned char *bytes = malloc(*size);
    assert_int_equal(gali_quantise_model(&s->model, precision, GALI_QUANTISE_ALL, bytes, NULL), GAL_OK);
    return bytes;
}

/* Times the file's bytes that opening it takes at most, what stands beside them taken off. */
static double times_of(const unsigned char *bytes, size_t size, gal_network_desc desc) {
    const size_t beside = desc.plan ? MEASURING : BESIDE;
    counter c = {0, 0};
    const gal_allocator allocator = {count_allocate, count_release, &c};
    gal_network *network;
    desc.allocator = &allocator;
    assert_int_equal(gal_network_open_memory(&network, bytes, size, &desc, NULL), GAL_OK);
    gal_network_close(network);
    assert_int_equal(c.now, 0);
    return c.most < beside ? 0 : (double)(c.most - beside) / (double)size;
}

/* The worst of measuring the plan, and of all precisions, forms and instruction sets that this machine opens it with. */
static double worst_of(const unsigned char *bytes, size_t size) {
    double worst =
        times_of(bytes, size, (gal_network_desc){.precision = GAL_PRECISION_F32, .plan = GAL_PLAN_MEASURE});
    for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
        for (int p = GAL_PRECISION_STORED; p < GAL_PRECISION_COUNT && gal_isa_available((gal_isa)isa); p++) {
            for (uint32_t block = 0; block < 3; block++) {
                static const uint32_t blocks[] = {0, 16, GAL_BLOCK_ROW};
                const int integers = p >= GAL_PRECISION_INT16;
                gal_network_desc desc = {
                    .isa = (gal_isa)isa, .precision = (gal_precision)p, .block = integers ? blocks[block] : 0};
                if ((block && !integers) || (p == GAL_PRECISION_INT16 && desc.block == GAL_BLOCK_ROW)) {
                    continue;
                }
                const double times = times_of(bytes, size, desc);
                worst = times > worst ? times : worst;
            }
        }
    }
    return worst;
}

static void opening_takes_a_fixed_multiple_of_the_file(void **unused) {
    (void)unused;
    static const synthetic_desc shapes[] = {
        {.experts = 128, .layers = 1, .width = {1024, 1}},

        {.experts = 256, .layers = 2, .width = {17, 1, 1}},
        {.experts = 256, .layers = 8, .width = {1, 1, 1, 1, 1, 1, 1, 1, 1}},
        {.experts = 20, .layers = 2, .width = {100, 17, 33}},
    };
    static const gal_precision stored[] = {GAL_PRECISION_STORED, GAL_PRECISION_FP16, GAL_PRECISION_INT16,
                                           GAL_PRECISION_INT8};
    double worst = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        synthetic_desc desc = shapes[i];
        desc.gate = GAL_GATE_CONSTANT;
        synthetic s = synthetic_make(&desc);
        for (size_t t = 0; t < sizeof stored / sizeof stored[0]; t++) {
            size_t size;
            unsigned char *bytes = file_of(&s, stored[t], &size);
            const double times = worst_of(bytes, size);
            print_message("shape %zu as %s: %.1f times its %zu bytes\n", i, gal_precision_name(stored[t]),
                          times, size);
            assert_true(times <= most_times);
            worst = times > worst ? times : worst;
            free(bytes);
        }
        synthetic_free(&s);
    }
    assert_true(worst > 0.8 * most_times ||
                !gal_isa_available(GAL_ISA_AVX512)); /* or the promise could be better */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(opening_takes_a_fixed_multiple_of_the_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
