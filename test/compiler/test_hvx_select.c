/* The choice of forms against all choices: least where it says so, near it elsewhere, and found by little work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/emit/hvx/cost.h"
#include "compiler/emit/hvx/select.h"

enum { FORMS = GALI_SELECT_FORMS, NODES = 200, EDGES = 3 * NODES };

typedef struct scene {
    int64_t nodes[NODES][FORMS];
    gali_select_edge edges[EDGES];
    gali_select_graph graph;
} scene;

static uint32_t next_random(uint32_t *state, uint32_t below) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

static void add_edge(scene *s, uint32_t from, uint32_t to, uint32_t *seed, int random) {
    gali_select_edge *edge = &s->edges[s->graph.edge_count++];
    *edge = (gali_select_edge){.from = from, .to = to};
    const int64_t change = 20 + next_random(seed, 400);
    for (uint32_t i = 0; i < FORMS; i++) {
        for (uint32_t j = 0; j < FORMS; j++) {
            edge->cost[i][j] = random ? next_random(seed, 500) : i == j ? 0 : change * (i > j ? i - j : j - i);
        }
    }
}

/* Each operator reads one to three earlier ones, of `reach` before it; random: any cost, else those of layouts. */
static void make(scene *s, uint32_t count, uint32_t reads, uint32_t reach, int random, uint32_t seed) {
    memset(s, 0, sizeof *s);
    for (uint32_t n = 0; n < count; n++) {
        const int64_t base = 50 + next_random(&seed, 1000);
        for (uint32_t i = 0; i < FORMS; i++) {
            s->nodes[n][i] = base + next_random(&seed, 400);
        }
        const uint32_t edges = n ? 1 + next_random(&seed, reads) : 0;
        for (uint32_t e = 0; e < edges; e++) {
            add_edge(s, n - 1 - next_random(&seed, n < reach ? n : reach), n, &seed, random);
        }
    }
    s->graph.node_count = count;
    s->graph.nodes = (const int64_t(*)[FORMS])s->nodes;
    s->graph.edges = s->edges;
}

static int64_t least_of_all(const scene *s) {
    uint8_t forms[12] = {0};
    int64_t least = INT64_MAX;
    uint32_t at;
    do {
        const int64_t cost = gali_select_cost(&s->graph, forms);
        least = cost < least ? cost : least;
        for (at = 0; at < s->graph.node_count && ++forms[at] == FORMS; at++) {
            forms[at] = 0;
        }
    } while (at < s->graph.node_count);
    return least;
}

static gali_select_plan choose(const scene *s, uint32_t most) {
    uint8_t forms[NODES];
    gali_select_plan plan;
    assert_int_equal(gali_select_forms(&s->graph, most, forms, &plan, NULL), GAL_OK);
    assert_int_equal(plan.cost, gali_select_cost(&s->graph, forms));
    return plan;
}

static void test_chains_and_trees(void **state) {
    (void)state;
    static scene s;
    for (uint32_t seed = 0; seed < 30; seed++) {
        make(&s, 1 + seed % 9, 1, seed % 2 ? 1 : 4, seed % 3 == 0, seed);
        const gali_select_plan plan = choose(&s, 1);
        assert_true(plan.exact);
        assert_int_equal(plan.cost, least_of_all(&s));
    }
}

/* Parts of 13 hold such graphs whole; parts of 6 do not, and are within 2 %. */
static void test_any_graph(void **state) {
    (void)state;
    static scene s;
    double worst = 1;
    for (uint32_t seed = 0; seed < 24; seed++) {
        make(&s, seed % 12 ? 9 : 12, 3, 12, seed % 2, 100 + seed);
        const int64_t least = least_of_all(&s);
        assert_int_equal(choose(&s, GALI_SELECT_PART).cost, least);
        const double ratio = (double)choose(&s, 6).cost / (double)least;
        worst = ratio > worst ? ratio : worst;
    }
    print_message("parts of 6 operators: at worst %.4f of the least\n", worst);
    assert_true(worst <= 1.02);
}

/* 200 operators by little work; what is printed beside parts of 9 says that larger parts gain little. */
static void test_large_graphs(void **state) {
    (void)state;
    static scene s;
    for (uint32_t reads = 1; reads <= 3; reads++) {
        make(&s, NODES, reads, 8, 0, 7 + reads);
        const gali_select_plan part = choose(&s, GALI_SELECT_PART), smaller = choose(&s, 9);
        print_message(
            "200 operators, up to %u inputs: %lld packets (%s) by %llu choices; parts of 9: %lld by %llu\n",
            reads, (long long)part.cost, part.exact ? "the least" : "parts", (unsigned long long)part.work,
            (long long)smaller.cost, (unsigned long long)smaller.work);
        assert_true(part.work < 20000000);
        assert_true((double)part.cost <= 1.01 * (double)smaller.cost);
    }
}

/* The recurrence as printed, without the operators' own costs, would keep the layout of the first. */
static void test_own_costs_count(void **state) {
    (void)state;
    static scene s;
    make(&s, 2, 1, 1, 0, 1);
    const int64_t nodes[2][FORMS] = {{10, 100, 100}, {100, 100, 10}};
    memcpy(s.nodes, nodes, sizeof nodes);
    for (uint32_t i = 0; i < FORMS; i++) {
        for (uint32_t j = 0; j < FORMS; j++) {
            s.edges[0].cost[i][j] = i == j ? 0 : 20;
        }
    }
    assert_int_equal(choose(&s, 13).cost, 40);
}

/* A layer of ResNet-50 behind another; its input's layout is the form of that one. */
typedef struct layer {
    gali_hvx_operator which;
    gali_hvx_size size;
} layer;

static void add_layer(scene *s, const layer *l, uint32_t n, uint32_t from) {
    for (gali_hvx_form form = GALI_HVX_VMPY; form < GALI_HVX_FORMS; form++) {
        s->nodes[n][form] = gali_hvx_cost(l->which, form, l->size);
    }
    if (n == from) {
        return;
    }
    gali_select_edge *edge = &s->edges[s->graph.edge_count++];
    *edge = (gali_select_edge){.from = from, .to = n};
    for (uint32_t i = 0; i < FORMS * FORMS; i++) {
        edge->cost[i / FORMS][i % FORMS] = gali_hvx_change_cost(
            (gali_hvx_form)(i / FORMS), (gali_hvx_form)(i % FORMS), l->size.rows, l->size.from);
    }
}

/* Bottlenecks of ResNet-50 with costs as measured: 1x1, 3x3, 1x1, and the sum with what came in. */
static uint32_t add_bottleneck(scene *s, uint32_t n, uint32_t rows, uint32_t in, uint32_t narrow) {
    const layer layers[] = {{GALI_HVX_LAYER, {rows, narrow, in, 1}},
                            {GALI_HVX_WINDOW, {rows, narrow, narrow, 9}},
                            {GALI_HVX_LAYER, {rows, 4 * narrow, narrow, 1}},
                            {GALI_HVX_SUM, {rows, 4 * narrow, 1, 1}}};
    const uint32_t before = n ? n - 1 : 0;
    for (uint32_t i = 0; i < 4; i++) {
        add_layer(s, &layers[i], n + i, i ? n + i - 1 : before);
    }
    gali_select_edge *skip = &s->edges[s->graph.edge_count++];
    *skip = (gali_select_edge){.from = before == n ? n + 1 : before, .to = n + 3};
    for (uint32_t i = 0; i < FORMS * FORMS; i++) {
        skip->cost[i / FORMS][i % FORMS] =
            gali_hvx_change_cost((gali_hvx_form)(i / FORMS), (gali_hvx_form)(i % FORMS), rows, 4 * narrow);
    }
    return n + 4;
}

static void test_resnet(void **state) {
    (void)state;
    static scene s;
    static const uint32_t stages[][3] = {{3136, 64, 3}, {784, 128, 4}, {196, 256, 6}, {49, 512, 3}};
    memset(&s, 0, sizeof s);
    s.graph.nodes = (const int64_t(*)[FORMS])s.nodes;
    s.graph.edges = s.edges;
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t b = 0; b < stages[i][2]; b++) {
            s.graph.node_count =
                add_bottleneck(&s, s.graph.node_count, stages[i][0], 4 * stages[i][1], stages[i][1]);
        }
    }
    const gali_select_plan plan = choose(&s, GALI_SELECT_PART);
    assert_true(plan.exact);
    for (uint32_t form = 0; form < FORMS; form++) {
        uint8_t forms[NODES];
        memset(forms, (int)form, sizeof forms);
        const int64_t single = gali_select_cost(&s.graph, forms);
        print_message("ResNet-50's bottlenecks: %.4f of the packets of form %u alone\n",
                      (double)plan.cost / (double)single, form);
        assert_true(plan.cost <= single);
    }
}

static void test_changes_have_costs(void **state) {
    (void)state;
    assert_int_equal(gali_hvx_change_cost(GALI_HVX_VMPA, GALI_HVX_VMPA, 128, 64), 0);
    const int64_t there = gali_hvx_change_cost(GALI_HVX_VMPY, GALI_HVX_VMPA, 128, 64);
    const int64_t all = gali_hvx_change_cost(GALI_HVX_VMPY, GALI_HVX_VRMPY, 128, 64);
    assert_true(there > 0);
    assert_int_equal(all, there + gali_hvx_change_cost(GALI_HVX_VMPA, GALI_HVX_VRMPY, 128, 64));
}

static void test_refused(void **state) {
    (void)state;
    static scene s;
    uint8_t forms[NODES];
    gali_select_plan plan;
    gal_error error;
    make(&s, 3, 1, 1, 0, 1);
    assert_int_equal(gali_select_forms(&s.graph, 18, forms, &plan, &error), GAL_BAD_ARGUMENT);
    s.edges[1].to = 3;
    assert_int_equal(gali_select_forms(&s.graph, 13, forms, &plan, &error), GAL_BAD_ARGUMENT);
    assert_string_equal(error.message, "edge 1: from 1 to 3 of 3 operators");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains_and_trees), cmocka_unit_test(test_any_graph),
        cmocka_unit_test(test_large_graphs),     cmocka_unit_test(test_own_costs_count),
        cmocka_unit_test(test_resnet),           cmocka_unit_test(test_changes_have_costs),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
