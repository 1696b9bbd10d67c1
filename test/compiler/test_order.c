/* The order of groups: what lives at once is the least of all orders, by going through them in another way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/emit/opencl/plan.h"
#include "program_check.h"

enum { PRODUCTS = 8, MANY = 15, GRAPHS = 60, ROWS = 4, GROUPS_HERE = 24, WINDOW = 16 };

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t below) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

/* Products of one or two earlier ones side by side, of random widths; what nobody reads is joined to the output. */
static void make_text(gali_text *text, uint32_t products) {
    uint32_t width[MANY + 1] = {16}, value[MANY + 1] = {0}, next = 1;
    int read[MANY + 1] = {1};
    gali_text_add(text, "input %%0: f32[%d, 16]\n", ROWS);
    for (uint32_t i = 1; i <= products; i++) {
        uint32_t a = random_below(i), b = random_below(2 * i), from = value[a], in = width[a];
        read[a] = 1;
        if (b < i && b != a) {
            gali_text_add(text, "%%%u: f32[...] = Concat (%%%u, %%%u) axis:int=1\n", next, from, value[b]);
            from = next++;
            in += width[b];
            read[b] = 1;
        }
        width[i] = 16 * (1 + random_below(12));
        gali_text_add(text, "constant %%%u: f32[%u, %u]\n%%%u: f32[...] = MatMul (%%%u, %%%u)\n", next, in,
                      width[i], next + 1, from, next);
        value[i] = next + 1;
        next += 2;
    }
    gali_text_add(text, "%%%u: f32[...] = Concat (", next);
    int first = 1;
    for (uint32_t i = 1; i <= products; i++) {
        if (!read[i]) {
            gali_text_add(text, "%s%%%u", first ? "" : ", ", value[i]);
            first = 0;
        }
    }
    gali_text_add(text, ") axis:int=1\n%%%u: f32[...] = Tanh (%%%u)\noutput %%%u\n", next + 1, next, next + 1);
}

typedef struct stored {
    uint32_t maker, readers; /* bits of groups */
    int64_t bytes;
} stored;

typedef struct all_orders {
    stored list[64];
    uint32_t count, groups;
    int64_t least;
} all_orders;

static all_orders stored_of(const gali_program *p) {
    all_orders a = {.groups = p->group_count, .least = INT64_MAX};
    for (uint32_t t = 0; t < p->tensor_count; t++) {
        const gali_program_tensor *tensor = &p->tensors[t];
        if (tensor->role != GALI_TENSOR_MADE || tensor->stage == GALI_NONE || p->stages[tensor->stage].gone) {
            continue;
        }
        stored *s = &a.list[a.count++];
        *s = (stored){.maker = 1u << p->stages[tensor->stage].group,
                      .bytes = 4 * gali_type_count(p->graph->extents, &tensor->type)};
        for (uint32_t e = 0; e < p->edge_count; e++) {
            s->readers |= p->edges[e].tensor == t ? 1u << p->edges[e].reader : 0;
        }
    }
    return a;
}

/* What lives while a group runs behind others; -1: it cannot yet. */
static int64_t bytes_at(const all_orders *a, uint32_t done, uint32_t own) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const stored *s = &a->list[i];
        if ((s->readers & own) && s->maker != own && !(s->maker & done)) {
            return -1;
        }
        int there = (s->maker & (done | own)) != 0, needed = (s->readers & ~done) || s->maker == own;
        bytes += there && needed ? s->bytes : 0;
    }
    return bytes;
}

/* Every order that goes on from the groups that have run. */
static void go_on(all_orders *a, uint32_t done, int64_t peak) {
    if (peak >= a->least) {
        return;
    }
    if (done == (1u << a->groups) - 1) {
        a->least = peak;
        return;
    }
    for (uint32_t g = 0; g < a->groups; g++) {
        uint32_t own = 1u << g;
        int64_t bytes = done & own ? -1 : bytes_at(a, done, own);
        if (bytes >= 0) {
            go_on(a, done | own, bytes > peak ? bytes : peak);
        }
    }
}

static void test_the_order_is_the_best(void **state) {
    (void)state;
    uint32_t saved = 0, searched = 0;
    for (int i = 0; i < GRAPHS; i++) {
        fixture f;
        gali_text text = {0};
        gali_program *program, *plain;
        make_text(&text, PRODUCTS);
        open_text(&f, text.bytes);
        assert_int_equal(program_make(&f.run, f.graph, NULL, gali_program_layout, &program), GAL_OK);
        all_orders a = stored_of(program);
        assert_true(a.groups <= GROUPS_HERE);
        go_on(&a, 0, 0);
        if (program->order_facts.searched == program->order_facts.pieces) {
            assert_int_equal(program->alive, a.least);
            searched++;
        }
        assert_true(program->alive >= a.least);
        assert_int_equal(gali_program_make(&plain, f.graph, &f.arena, &f.error), GAL_OK);
        assert_int_equal(gali_program_fuse(plain, &f.error), GAL_OK);
        assert_int_equal(gali_program_range(plain, &f.error), GAL_OK);
        assert_int_equal(gali_program_layout(plain, &f.error), GAL_OK);
        assert_int_equal(gali_program_place(plain, &f.error), GAL_OK);
        assert_true(program->alive <= plain->alive);
        saved += program->alive < plain->alive;
        gali_text_release(&text);
        gali_arena_release(&f.arena);
    }
    assert_true(saved > GRAPHS / 10 && searched > GRAPHS / 2);
}

/* The least that lives at once of all orders of the groups from `first` on. */
static int64_t least_in(const all_orders *a, uint32_t first) {
    static int64_t best[1 << WINDOW];
    for (uint32_t set = 1; set < 1 << WINDOW; set++) {
        best[set] = INT64_MAX;
    }
    for (uint32_t set = 0; set < 1 << WINDOW; set++) {
        for (uint32_t g = 0; g < WINDOW && best[set] < INT64_MAX; g++) {
            const uint32_t with = set | 1u << g, done = ((1u << first) - 1) | set << first;
            const int64_t bytes = with == set ? -1 : bytes_at(a, done, 1u << (first + g)),
                          peak = bytes > best[set] ? bytes : best[set];
            best[with] = bytes >= 0 && peak < best[with] ? peak : best[with];
        }
    }
    return best[(1 << WINDOW) - 1];
}

/* Where more groups stand between cuts than are searched at once, none that follow each other have a better order, as many as are. */
static void test_no_window_has_a_better_order(void **state) {
    (void)state;
    uint32_t large = 0;
    for (int i = 0; i < GRAPHS; i++) {
        fixture f;
        gali_text text = {0};
        gali_program *program;
        make_text(&text, MANY);
        open_text(&f, text.bytes);
        assert_int_equal(program_make(&f.run, f.graph, NULL, gali_program_layout, &program), GAL_OK);
        all_orders a = stored_of(program);
        assert_true(a.groups < 32);
        const int is_large = program->order_facts.pieces == 1 && program->order_facts.searched == 0;
        large += (uint32_t)is_large;
        for (uint32_t first = 0; is_large && first + WINDOW <= a.groups; first++) {
            int64_t peak = 0;
            for (uint32_t g = first; g < first + WINDOW; g++) {
                const int64_t bytes = bytes_at(&a, (1u << g) - 1, 1u << g);
                peak = bytes > peak ? bytes : peak;
            }
            const int64_t least = least_in(&a, first);
            if (least < peak) {
                fail_msg("graph %d, groups from %u on: %lld, not %lld", i, first, (long long)peak,
                         (long long)least);
            }
        }
        gali_text_release(&text);
        gali_arena_release(&f.arena);
    }
    assert_true(large > GRAPHS / 10);
}

/* What is ordered computes what it did. */
static void test_results_stay(void **state) {
    (void)state;
    static double numbers[ROWS * 16];
    for (int i = 0; i < ROWS * 16; i++) {
        numbers[i] = i % 7 - 3;
    }
    gali_tensor input = {
        .element = GALI_f32, .rank = 2, .shape = {ROWS, 16}, .count = ROWS * 16, .real = numbers};
    check_by("input %0: f32[4, 16]\n%1: f32[...] = Transpose (%0)\n%2: f32[...] = MatMul (%1, %0)\n"
             "%3: f32[...] = MatMul (%2, %1)\n%4: f32[...] = MatMul (%0, %1)\n%5: f32[...] = MatMul (%3, %4)\n"
             "%6: f32[...] = MatMul (%4, %0)\n%7: f32[...] = MatMul (%6, %2)\n%8: f32[...] = MatMul (%7, %5)\n"
             "%9: f32[...] = Add (%8, %4)\noutput %9\n",
             &input, 1);
}

/* Also where each stage has a kernel of its own: what is gone stands between them. */
static void test_a_device_s_stages_stand_group_by_group(void **state) {
    (void)state;
    static const char text[] = "input %0: f32[40, 24]\ninput %1: f32[24, 40]\n%2: f32[...] = MatMul (%0, %1)\n"
                               "%3: f32[...] = Sqrt (%2)\n%4: f32[...] = MatMul (%3, %0)\noutput %4\n";
    const gali_device_limits limits = {.group_most = 256, .local_bytes = 1 << 15};
    gali_arena arena = {0};
    gali_graph *graph;
    gali_program *program;
    gali_device_plan plan;
    gal_error error;
    assert_int_equal(gali_graph_parse(&graph, text, strlen(text), &arena, &error), GAL_OK);
    assert_int_equal(gali_graph_infer(graph, &error), GAL_OK);
    assert_int_equal(gali_program_make(&program, graph, &arena, &error), GAL_OK);
    assert_int_equal(gali_program_for_device(program, &error), GAL_OK);
    assert_int_equal(gali_device_plan_make(&plan, program, &limits, &error), GAL_OK);
    int gone = 0;
    for (uint32_t i = 1; i < program->stage_count; i++) {
        gone += program->stages[i - 1].gone;
        assert_true(program->stages[i].group >= program->stages[i - 1].group);
    }
    assert_true(gone > 0);
    gali_device_plan_release(&plan);
    gali_arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_order_is_the_best),
        cmocka_unit_test(test_no_window_has_a_better_order),
        cmocka_unit_test(test_results_stay),
        cmocka_unit_test(test_a_device_s_stages_stand_group_by_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
