/* Blocks that live at the same time never meet, few are laid as well as they can be, and no plan is below what lives at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/program/lives.h"
#include "graph/graph.h"

enum { BLOCKS_MOST = 60, TIMES = 24, LARGE = 2048 /* too many to be laid in several orders */ };

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

/* Of the blocks those that live at some time from first to last, by looking at each. */
static void expect_found(const gali_lives *lives, const gali_block *blocks, uint32_t count, uint32_t first,
                         uint32_t last) {
    static uint32_t found[LARGE];
    static uint8_t is_found[LARGE];
    uint32_t got = gali_lives_find(lives, first, last, found, count), expected = 0;
    memset(is_found, 0, sizeof is_found);
    for (uint32_t i = 0; i < got; i++) {
        assert_true(found[i] < count && !is_found[found[i]]);
        assert_true(i == 0 || blocks[found[i - 1]].first <= blocks[found[i]].first);
        is_found[found[i]] = 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t lives_then = blocks[i].first <= last && first <= blocks[i].last;
        assert_int_equal(is_found[i], lives_then);
        expected += lives_then;
    }
    assert_int_equal(got, expected);
    if (expected > 0) { /* room for one less than that: too many */
        assert_int_equal(gali_lives_find(lives, first, last, found, expected - 1), GALI_NONE);
        assert_int_equal(gali_lives_find(lives, first, last, found, expected), expected);
    }
}

static void test_lives_are_found(void **state) {
    (void)state;
    static gali_block blocks[LARGE];
    uint32_t seed = 5;
    for (uint32_t count = 0; count < 130; count += 1 + count / 9) {
        gali_arena arena = {0};
        make_blocks(blocks, count, count + 1);
        const gali_lives *lives = gali_lives_make(blocks, count, &arena);
        assert_non_null(lives);
        for (int i = 0; i < 40; i++) {
            uint32_t first = next_random(&seed, TIMES + 8);
            expect_found(lives, blocks, count, first, first + next_random(&seed, 9));
        }
        gali_arena_release(&arena);
    }
}

/* The lowest gap, by looking at all that is laid, again after each step up. */
static int64_t lowest_gap(const gali_block *blocks, const uint32_t *order, uint32_t laid,
                          const gali_block *own) {
    int64_t at = 0;
    for (uint32_t k = 0; k < laid; k++) {
        const gali_block *other = &blocks[order[k]];
        if (gali_blocks_meet(own, other) && other->at < at + own->bytes && at < other->at + other->bytes) {
            at = other->at + other->bytes;
            k = (uint32_t)-1;
        }
    }
    return at;
}

static int larger_first(const gali_block *blocks, uint32_t x, uint32_t y) {
    return blocks[x].bytes > blocks[y].bytes || (blocks[x].bytes == blocks[y].bytes && x < y);
}

/* Very many are laid the largest first, each in the lowest gap, whether few of them live at a time or most. */
static void test_very_many_are_laid_by_size(void **state) {
    (void)state;
    static gali_block blocks[LARGE], other[LARGE];
    static uint32_t order[LARGE];
    static const uint32_t longest[] = {2, 20, 200};
    for (size_t way = 0; way < sizeof longest / sizeof *longest; way++) {
        uint32_t seed = 3;
        for (uint32_t i = 0; i < LARGE; i++) {
            uint32_t first = next_random(&seed, LARGE), length = next_random(&seed, longest[way]);
            length = way == 1 && i % 50 == 0 ? LARGE : length; /* some of them live long */
            blocks[i] = (gali_block){
                .first = first, .last = first + length, .bytes = 64 * (1 + (int64_t)next_random(&seed, 99))};
            other[i] = blocks[i];
            uint32_t to = i;
            for (; to > 0 && !larger_first(other, order[to - 1], i); to--) {
                order[to] = order[to - 1];
            }
            order[to] = i;
        }
        gali_arena arena = {0};
        gali_blocks_arrange(blocks, LARGE, &arena);
        assert_false(arena.failed);
        gali_arena_release(&arena);
        for (uint32_t k = 0; k < LARGE; k++) {
            uint32_t i = order[k];
            other[i].at = lowest_gap(other, order, k, &other[i]);
            assert_int_equal(blocks[i].at, other[i].at);
        }
    }
}

static void test_none_and_empty(void **state) {
    (void)state;
    gali_block blocks[2] = {{.first = 3, .last = 4}, {.first = 3, .last = 3}};
    assert_int_equal(arrange(blocks, 0), 0);
    assert_int_equal(arrange(blocks, 2), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_are_laid_best), cmocka_unit_test(test_many_are_laid_well),
        cmocka_unit_test(test_lives_are_found), cmocka_unit_test(test_very_many_are_laid_by_size),
        cmocka_unit_test(test_none_and_empty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
