/* Graphs of thousands of stages: fused as small ones are, and laid so that nothing that lives at once meets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "program_check.h"

enum { ADDS = 6000, PRODUCTS = 300, SIZE_MOST = 4096 };

static gali_program *program_of(fixture *f, const gali_text *text) {
    gali_program *p;
    open_text(f, text->bytes);
    if (program_make(&f->run, f->graph, NULL, gali_program_layout, &p) != GAL_OK) {
        fail_msg("%s", f->error.message);
    }
    return p;
}

/* Each sum reads the one before and the fifth one back, so who joins two must know that nothing leads around them. */
static void sums_are_joined_in_large_graphs(void **unused) {
    (void)unused;
    fixture f;
    gali_text text = {0};
    gali_text_add(&text, "input %%0: f32[4, 16]\n");
    for (int i = 1; i <= ADDS; i++) {
        gali_text_add(&text, "%%%d: f32[...] = Add (%%%d, %%%d)\n", i, i - 1, i < 5 ? 0 : i - 5);
    }
    gali_text_add(&text, "output %%%d\n", ADDS);
    const gali_program *p = program_of(&f, &text);
    assert_true(p->group_count < ADDS / 10); /* of up to twelve sums */
    gali_text_release(&text);
    gali_arena_release(&f.arena);
}

typedef struct lain {
    uint32_t first, last, slot; /* groups */
    gali_extent bytes;
} lain;

static uint32_t all_that_lies(const gali_program *p, lain *list) {
    uint32_t count = 0;
    for (uint32_t t = 0; t < p->tensor_count; t++) {
        const gali_program_tensor *tensor = &p->tensors[t];
        gali_extents *x = p->graph->extents;
        if (tensor->role == GALI_TENSOR_MADE && tensor->stage != GALI_NONE && !p->stages[tensor->stage].gone) {
            list[count++] = (lain){.first = p->stages[tensor->stage].group,
                                   .last = p->stages[tensor->last].group,
                                   .slot = tensor->slot,
                                   .bytes = gali_extent_mul(x, gali_type_count(x, &tensor->type), 4)};
        }
    }
    return count;
}

/* At sizes of the symbols, by looking at each two. */
static void expect_apart(const gali_program *p, const lain *list, uint32_t count, const int64_t *sizes) {
    int64_t *at = calloc(p->slot_count + 1, sizeof *at), highest = 0;
    for (uint32_t s = 0; s < p->slot_count; s++) {
        at[s] = gali_program_slot_at(p, &p->slots[s], at, sizes);
    }
    for (uint32_t i = 0; i < count; i++) {
        int64_t own = at[list[i].slot], end = own + gali_extent_value(p->graph->extents, list[i].bytes, sizes);
        highest = end > highest ? end : highest;
        for (uint32_t k = 0; k < i; k++) {
            int64_t other = at[list[k].slot],
                    over = other + gali_extent_value(p->graph->extents, list[k].bytes, sizes);
            assert_true(list[i].last < list[k].first || list[k].last < list[i].first || end <= other ||
                        over <= own);
        }
    }
    int64_t top = gali_program_slot_at(p, &p->top, at, sizes);
    assert_true(top >= highest && top <= (highest + 63) / 64 * 64);
    free(at);
}

/*
 * Two chains of products in turn, of widths in turn and each over a size of its own, so what is the higher depends on the
 * sizes; some are read again later.
 */
static void make_chains(gali_text *text) {
    static const int widths[] = {16, 48, 32, 112};
    int next = 2, value[2][PRODUCTS + 1] = {{0}, {1}};
    gali_text_add(text, "symbol b 1..%d\nsymbol c 1..%d\ninput %%0: f32[b, 16]\ninput %%1: f32[c, 16]\n",
                  SIZE_MOST, SIZE_MOST);
    for (int i = 1; i <= PRODUCTS; i++) {
        for (int chain = 0; chain < 2; chain++) {
            int *own = value[chain], again = i - (i % 3 ? 4 : 16); /* as wide */
            gali_text_add(text, "constant %%%d: f32[%d, %d]\n%%%d: f32[...] = MatMul (%%%d, %%%d)\n", next,
                          widths[(i - 1) % 4], widths[i % 4], next + 1, own[i - 1], next);
            own[i] = next + 1;
            next += 2;
            if (i % 4 == 0 && again >= 0) {
                gali_text_add(text, "%%%d: f32[...] = Add (%%%d, %%%d)\n", next, own[i], own[again]);
                own[i] = next++;
            }
        }
    }
    gali_text_add(text, "output %%%d\noutput %%%d\n", value[0][PRODUCTS], value[1][PRODUCTS]);
}

static void what_lives_at_once_is_apart(void **unused) {
    (void)unused;
    fixture f;
    gali_text text = {0};
    lain *list = calloc(4 * PRODUCTS, sizeof *list);
    make_chains(&text);
    const gali_program *p = program_of(&f, &text);
    uint32_t count = all_that_lies(p, list);
    assert_true(count >= 2 * PRODUCTS - 2);
    for (int i = 0; i < 9; i++) {
        static const int64_t sizes[] = {1, 90, SIZE_MOST};
        expect_apart(p, list, count, (int64_t[]){sizes[i / 3], sizes[i % 3]});
    }
    uint32_t ends = 0;
    for (uint32_t s = 0; s < p->slot_count; s++) {
        ends += p->slots[s].count;
    }
    assert_true(ends < 3 * p->slot_count); /* what is behind another end is left out */
    free(list);
    gali_text_release(&text);
    gali_arena_release(&f.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_joined_in_large_graphs),
        cmocka_unit_test(what_lives_at_once_is_apart),
    };
    return cmocka_run_group_tests_name("large", tests, NULL, NULL);
}
