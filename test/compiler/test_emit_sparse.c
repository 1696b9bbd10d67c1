/* Emitted C of sparse layers against the runtime, bit for bit: all targets, gates and shares. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "emitted.h"

static uint32_t count_words(const char *text, const char *word) {
    uint32_t count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        count++;
    }
    return count;
}

/* Patches that are not there are neither in the weights nor in the sums, on any target; the bits are the runtime's, which
 * are those of the dense layer with zeros. */
static void sparse_layers_on_every_target(void **state) {
    (void)state;
    static char source[400000];
    for (size_t i = 0; i < BUILDERS; i++) {
        const builder *b = &builders[i];
        const int optimised = b == best_builder() || b == best_builder() + 1;
        synthetic s = synthetic_make(&spline);
        thin_out(&s, 3, 128);
        if (usable(b)) {
            check_model(b, optimised ? "-O1" : quick, &s, GAL_FORM_PER_EXPERT, NULL);
            slurp(place_of("net.c"), source, sizeof source);
            assert_int_equal(count_words(source, "_patched(count"), 2);
            assert_null(strstr(source, "net_tile_sum"));
        }
        synthetic_free(&s);
    }
}

/* Lists of experts, a layer without any, one of narrow inputs, all patches and none; the blend form takes the zeros. */
static void sparse_layers_of_every_gate(void **state) {
    (void)state;
    static const uint32_t shares[] = {128, 0, 256, 60, 200, 128};
    synthetic_desc small = networks[0];
    small.width[0] = 9; /* 9 inputs are two patches, which overlap */
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++) {
        const builder *b = i % 2 ? &builders[1] : best_builder();
        synthetic s = synthetic_make(i ? &networks[i] : &small);
        thin_out(&s, i == 3 ? 7 : 1u << (s.model.layer_count - 1), shares[i]);
        if (usable(b)) {
            check_model(b, quick, &s, GAL_FORM_PER_EXPERT, NULL);
            if (i == LINEAR) {
                check_model(b, quick, &s, GAL_FORM_BLEND, NULL);
            }
        }
        synthetic_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sparse_layers_on_every_target, place_make, place_remove),
        cmocka_unit_test_setup_teardown(sparse_layers_of_every_gate, place_make, place_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
