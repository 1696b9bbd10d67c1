/* Blocks that live at the same time never meet, few are laid as well as they can be, and no plan is below what lives at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compiler/program/arrange.h"

enum { BLOCKS_MOST = 60, TIMES = 24 };

static uint32_t next_random(uint32_t *state, uint32_t below) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

static void make_blocks(gali_block *blocks, uint32_t count, uint32_t seed) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = next_random(&seed, TIMES), length = next_random(&seed, 6);
        blocks[i] =
            (gali_block){.first = first, .last = first + length, .bytes = 64 * (int64_t)next_random(&seed, 9)};
    }
}

static int64_t arrange(gali_block *blocks, uint32_t count) {
    gali_arena arena = {0};
    int64_t end = gali_blocks_arrange(blocks, count, &arena), alive = gali_blocks_alive(blocks, count, &arena),
            most = 0;
    assert_false(arena.failed);
    for (uint32_t i = 0; i < count; i++) {
        int64_t top = blocks[i].at + blocks[i].bytes;
        assert_true(blocks[i].at >= 0);
        most = top > most ? top : most;
        for (uint32_t k = 0; k < i; k++) {
            int apart = top <= blocks[k].at || blocks[k].at + blocks[k].bytes <= blocks[i].at;
            assert_true(apart || !gali_blocks_meet(&blocks[i], &blocks[k]));
        }
    }
    assert_true(end == most && end >= alive);
    gali_arena_release(&arena);
    return end;
}

/* Whether block `from` and those behind it fit below `end`, by trying every place that is a sum of bytes. */
static int fits(gali_block *blocks, uint32_t count, uint32_t from, int64_t end) {
    if (from == count) {
        return 1;
    }
    for (int64_t at = 0; at + blocks[from].bytes <= end; at += 64) {
        int free = 1;
        for (uint32_t k = 0; free && k < from; k++) {
            int apart = at + blocks[from].bytes <= blocks[k].at || blocks[k].at + blocks[k].bytes <= at;
            free = apart || !gali_blocks_meet(&blocks[from], &blocks[k]);
        }
        blocks[from].at = at;
        if (free && fits(blocks, count, from + 1, end)) {
            return 1;
        }
    }
    return 0;
}

static void test_few_are_laid_best(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 60; seed++) {
        gali_block blocks[6], other[6];
        uint32_t count = 2 + seed % 5;
        make_blocks(blocks, count, seed);
        make_blocks(other, count, seed);
        int64_t end = arrange(blocks, count);
        assert_true(end == 0 || !fits(other, count, 0, end - 64));
    }
}

/* Many blocks at random: near what lives at once. */
static void test_many_are_laid_well(void **state) {
    (void)state;
    double worst = 1, sum = 0;
    enum { TRIES = 40 };
    for (uint32_t seed = 1; seed <= TRIES; seed++) {
        gali_block blocks[BLOCKS_MOST];
        gali_arena arena = {0};
        make_blocks(blocks, BLOCKS_MOST, 977 * seed);
        double ratio =
            (double)arrange(blocks, BLOCKS_MOST) / (double)gali_blocks_alive(blocks, BLOCKS_MOST, &arena);
        worst = ratio > worst ? ratio : worst;
        sum += ratio;
        gali_arena_release(&arena);
    }
    assert_true(worst <= 1.15 && sum / (double)TRIES <= 1.05);
}

static void test_none_and_empty(void **state) {
    (void)state;
    gali_block blocks[2] = {{.first = 3, .last = 4}, {.first = 3, .last = 3}};
    assert_int_equal(arrange(blocks, 0), 0);
    assert_int_equal(arrange(blocks, 2), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_few_are_laid_best),
                                       cmocka_unit_test(test_many_are_laid_well),
                                       cmocka_unit_test(test_none_and_empty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
