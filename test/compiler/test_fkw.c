/* Weights of 3x3 windows as FKW: which patterns they follow, and what is stored of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/program/fkw.h"

enum { FILTERS = 16, CHANNELS = 40, WEIGHTS = FILTERS * CHANNELS * GALI_FKW_WINDOW };

/* Four places of a window each, row by row: one more than there may be. */
static const uint16_t shapes[] = {0x1B, 0x36,  0xD8, 0x1B0, 0xB2,  0x5C, 0x93,
                                  0x39, 0x138, 0x17, 0x74,  0x134, 0x1D0};

/* About a third of the kernels, of so many shapes by turns; the first filter has none. */
static void fill(float *weights, uint32_t patterns) {
    for (uint32_t i = 0; i < WEIGHTS; i++) {
        const uint32_t kernel = i / GALI_FKW_WINDOW, place = i % GALI_FKW_WINDOW, by = kernel * 7919 % 1009;
        const int kept = kernel >= CHANNELS && by % 3 == 0 && shapes[by / 3 % patterns] >> place & 1;
        weights[i] = kept ? (float)(i * 7907 % 1013 + 1) / 1013 : 0;
    }
}

/* Kernels of the channels from `first` on that have a weight. */
static uint32_t count_kept(const float *weights, uint32_t first, uint32_t channels) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < FILTERS * CHANNELS; i++) {
        int any = 0;
        for (uint32_t t = 0; t < GALI_FKW_WINDOW; t++) {
            any |= weights[i * GALI_FKW_WINDOW + t] > 0;
        }
        kept += any && i % CHANNELS >= first && i % CHANNELS < first + channels;
    }
    return kept;
}

/* What is stored of some channels is those channels' weights, each once, in the order that it says. */
static void check_stored(const gali_fkw_patterns *patterns, const gali_fkw *f, const float *weights,
                         uint32_t all_channels) {
    uint32_t seen = 0;
    for (uint32_t i = 0; i < f->filters; i++) {
        uint32_t filter = f->reorder[i];
        const uint32_t *stride = f->stride + (size_t)filter * (f->patterns + 1);
        assert_int_equal(f->offset[filter], seen);
        assert_int_equal(stride[0], 0);
        for (uint32_t p = 0; p < f->patterns; p++) {
            for (uint32_t k = stride[p]; k < stride[p + 1]; k++) {
                uint32_t at = f->offset[filter] + k, channel = f->first + f->index[at];
                const float *window = weights + ((size_t)filter * all_channels + channel) * GALI_FKW_WINDOW;
                float left[GALI_FKW_WINDOW];
                memcpy(left, window, sizeof left);
                for (uint32_t t = 0; t < GALI_FKW_TAPS; t++) {
                    uint32_t place = patterns->taps[p][t];
                    assert_true(f->weight[(size_t)at * GALI_FKW_TAPS + t] - window[place] == 0);
                    left[place] = 0;
                }
                for (uint32_t t = 0; t < GALI_FKW_WINDOW; t++) {
                    assert_true(left[t] == 0);
                }
            }
        }
        seen += stride[f->patterns];
        assert_true(stride[f->patterns] <= f->longest);
    }
    assert_int_equal(seen, f->kernels);
}

static void every_kernel_is_stored_once(void **state) {
    enum { FIRST = 12, SOME = 20 };
    static float weights[WEIGHTS];
    gali_fkw_patterns patterns;
    gali_arena arena = {0};
    (void)state;
    fill(weights, 8);
    assert_int_equal(gali_fkw_find(&patterns, weights, FILTERS, CHANNELS), 1);
    assert_int_equal(patterns.count, 8);
    for (int reorders = 0; reorders < 2; reorders++) {
        gali_fkw f = gali_fkw_make(&patterns, weights, FILTERS, CHANNELS, FIRST, SOME, reorders, &arena);
        assert_int_equal(f.kernels, count_kept(weights, FIRST, SOME));
        check_stored(&patterns, &f, weights, CHANNELS);
        for (uint32_t i = 1; i < FILTERS; i++) { /* as they come, or longer ones first */
            const uint32_t *before = f.stride + f.reorder[i - 1] * (size_t)(f.patterns + 1),
                           *own = f.stride + f.reorder[i] * (size_t)(f.patterns + 1);
            assert_true(reorders ? before[f.patterns] >= own[f.patterns] : f.reorder[i] == i);
        }
    }
    gali_arena_release(&arena);
}

static void other_weights_follow_none(void **state) {
    static float weights[WEIGHTS];
    gali_fkw_patterns patterns;
    (void)state;
    assert_int_equal(gali_fkw_find(&patterns, weights, FILTERS, CHANNELS), 0);
    fill(weights, GALI_FKW_PATTERNS_MAX);
    assert_int_equal(gali_fkw_find(&patterns, weights, FILTERS, CHANNELS), 1);
    weights[0] = weights[1] = weights[2] = weights[3] = weights[4] = 1; /* five of a kernel */
    assert_int_equal(gali_fkw_find(&patterns, weights, FILTERS, CHANNELS), 0);
    fill(weights, 1);
    weights[0] = 1; /* fewer, in a place that the pattern has, and in one that none has */
    assert_int_equal(gali_fkw_find(&patterns, weights, FILTERS, CHANNELS), 1);
    weights[8] = 1;
    assert_int_equal(gali_fkw_find(&patterns, weights, FILTERS, CHANNELS), 0);
    fill(weights, GALI_FKW_PATTERNS_MAX + 1);
    assert_int_equal(gali_fkw_find(&patterns, weights, FILTERS, CHANNELS), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kernel_is_stored_once),
                                       cmocka_unit_test(other_weights_follow_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
