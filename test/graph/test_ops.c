/*
 * Every operator: its expression, computed by brute force, against its truth, with numbers for extents and again with
 * symbols.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access.h"
#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/express_run.h"
#include "graph/graph.h"
#include "ops_reading.h"

static void check(const reading *r, const char *what, gal_status status, const gal_error *error) {
    if (status != GAL_OK) {
        fail_msg("%s %s %s: %s: %s", r->of->op, r->of->operands, r->of->attributes, what, error->message);
    }
}

/* ---- comparing ---- */

static int is_near(double a, double b) {
    return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 1e-9 * (1 + fabs(a) + fabs(b));
}

static void compare(const reading *r, const char *what, const gali_tensor *expected, const gali_tensor *found) {
    int same = expected->element == found->element && expected->rank == found->rank;
    for (uint32_t i = 0; same && i < expected->rank; i++) {
        same = expected->shape[i] == found->shape[i];
    }
    if (!same) {
        fail_msg("%s %s %s: %s: another type", r->of->op, r->of->operands, r->of->attributes, what);
    }
    for (size_t e = 0; e < expected->count; e++) {
        double a = expected->real ? expected->real[e] : (double)expected->whole[e];
        double b = expected->real ? found->real[e] : (double)found->whole[e];
        if (!is_near(a, b)) {
            fail_msg("%s %s %s: %s: element %zu is %g, %g expected", r->of->op, r->of->operands,
                     r->of->attributes, what, e, b, a);
        }
    }
}

/* The inferred type of a result holds for what the truth made. */
static void compare_type(const reading *r, const gali_graph *graph, uint32_t result, const int64_t *symbols,
                         const gali_tensor *made) {
    const gali_value *value = &graph->values[result];
    int same =
        value->type.element == made->element && (value->type.rank < 0 || value->type.rank == (int)made->rank);
    for (int d = 0; same && d < value->type.rank; d++) {
        int64_t extent = gali_extent_value(graph->extents, value->type.shape[d], symbols);
        same = extent == made->shape[d] || extent == GALI_EXTENT_UNKNOWN;
    }
    if (!same) {
        fail_msg("%s %s %s: its inferred type is wrong", r->of->op, r->of->operands, r->of->attributes);
    }
    for (size_t e = 0; value->known && e < made->count; e++) {
        int64_t known = gali_extent_value(graph->extents, value->known[e], symbols);
        if (!made->whole || known != made->whole[e]) {
            fail_msg("%s %s %s: element %zu is known wrongly", r->of->op, r->of->operands, r->of->attributes,
                     e);
        }
    }
}

/* ---- running ---- */

static void evaluate(const reading *r, const gali_graph *graph, gali_run *run, gali_tensor *made) {
    gali_tensor inputs[OPERANDS_MAX];
    take_inputs(r, inputs);
    check(r, "truth", gali_graph_evaluate(run, graph, inputs, made), run->error);
}

/* Of each operator the most complex class of its cases (access.h); OPAQUE: none was seen. */
static gali_mapping classes[GALI_OP_COUNT];

/* symbols: NULL: extents are numbers, and what is read is entered in classes. */
static gal_status run_expression(gali_run *run, const gali_express *x, const int64_t *symbols,
                                 const gali_tensor *const *operands, gali_tensor *results) {
    if (symbols) {
        return gali_express_run(run, x, symbols, operands, results);
    }
    access a;
    access_begin(&a, x, operands);
    gal_status status = gali_express_trace(run, x, NULL, operands, results, access_tell, &a);
    gali_mapping *class = &classes[x->node->op], own = status == GAL_OK ? access_class(&a) : *class;
    *class = *class == GALI_OPAQUE ? own : access_larger(*class, own);
    access_end(&a);
    return status;
}

static void run_case(const ops_case *of, int symbolic) {
    random_state = 1;
    reading *r = read_case(of);
    gali_arena arena = {0};
    gal_error error = {0};
    gali_run run = {.memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = &error};
    gali_graph *graph = make_graph(r, symbolic, &arena);
    gali_tensor made[RESULTS_MAX] = {{.count = 0}}, expressed[RESULTS_MAX] = {{.count = 0}};
    const gali_tensor *operands[OPERANDS_MAX] = {NULL};
    int64_t symbols[64] = {0};
    for (uint32_t i = 0; i < 64; i++) { /* "s3", or a size that only the truth will tell */
        symbols[i] = i < gali_extent_symbols(graph->extents)
                         ? strtoll(gali_extent_symbol_name(graph->extents, i) + 1, NULL, 10)
                         : GALI_EXTENT_UNKNOWN;
    }
    for (uint32_t i = 0; i < r->operand_count; i++) {
        operands[i] = r->operands[i].given ? &r->operands[i].tensor : NULL;
    }
    check(r, "verify", gali_graph_verify(graph, &error), &error);
    check(r, "infer", gali_graph_infer(graph, &error), &error);
    evaluate(r, graph, &run, made);
    for (uint32_t i = 0; i < graph->output_count; i++) {
        compare_type(r, graph, graph->outputs[i], symbols, &made[i]);
    }
    gali_express x;
    run.graph = graph;
    check(r, "express", gali_node_express(graph, &graph->nodes[0], &x, &error), &error);
    if (x.none != (of->none == OPS_NEVER || (of->none == OPS_BY_NUMBERS && symbolic))) {
        fail_msg("%s %s %s: expression %s", of->op, of->operands, of->attributes,
                 x.none ? "missing" : "not missing");
    }
    if (!x.none) {
        check(r, symbolic ? "expression of symbols" : "expression",
              run_expression(&run, &x, symbolic ? symbols : NULL, operands, expressed), &error);
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        if (!x.none) {
            compare(r, symbolic ? "expression of symbols" : "expression", &made[i], &expressed[i]);
        }
        gali_tensor_release(&run, &made[i]);
        gali_tensor_release(&run, &expressed[i]);
    }
    assert_int_equal(run.memory_left, GALI_RUN_MEMORY);
    gali_arena_release(&arena);
    release(r);
}

static void test_expressions_are_the_truth(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof ops_cases / sizeof *ops_cases; i++) {
        run_case(&ops_cases[i], 0);
        run_case(&ops_cases[i], 2);
    }
}

/* The column of ops.def is what the maps of all cases say; an operator without an expression is opaque. */
static void test_mappings(void **state) {
    (void)state;
    static const char *const words[] = {"ONE_TO_ONE", "ONE_TO_MANY", "MANY_TO_MANY",
                                        "REORGANIZE", "SHUFFLE",     "OPAQUE"};
    int wrong = 0;
    for (int op = 0; op < GALI_OP_COUNT; op++) {
        classes[op] = GALI_OPAQUE;
    }
    for (size_t i = 0; i < sizeof ops_cases / sizeof *ops_cases; i++) {
        run_case(&ops_cases[i], 0);
    }
    for (int op = 0; op < GALI_OP_COUNT; op++) {
        if (classes[op] != gali_op_list[op].mapping) {
            print_error("%s is %s, its maps are %s\n", gali_op_list[op].name, words[gali_op_list[op].mapping],
                        words[classes[op]]);
            wrong = 1;
        }
    }
    assert_false(wrong);
}

/* Extents of 1 that are symbols, too: what is broadcast is known only when it runs. */
static void test_unknown_broadcasts(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof ops_cases / sizeof *ops_cases; i++) {
        gali_op op = gali_op_find(ops_cases[i].op, strlen(ops_cases[i].op));
        if (strcmp(gali_op_list[op].family, "elementwise") == 0 || op == GALI_OP_MatMul) {
            run_case(&ops_cases[i], 1);
        }
    }
}

/* ---- what shapes follow from ---- */

/* Whether all shapes of a case's results are numbers, its operands' values being known as `constant` says: all (1) or none. */
static int is_shape_known(const ops_case *of, int constant) {
    reading *r = read_case(of);
    gali_arena arena = {0};
    gal_error error = {0};
    for (uint32_t i = 0; i < r->operand_count; i++) {
        operand *o = &r->operands[i];
        o->constant = constant;
        for (size_t e = 0; o->given && constant && e < o->tensor.count; e++) {
            put_bytes(o, e);
        }
    }
    gali_graph *graph = make_graph(r, 0, &arena);
    int known = gali_graph_infer(graph, &error) == GAL_OK;
    for (uint32_t i = 0; known && i < graph->output_count; i++) {
        const gali_type *type = &graph->values[graph->outputs[i]].type;
        known = type->rank >= 0;
        for (int d = 0; known && d < type->rank; d++) {
            known = gali_extent_is_number(type->shape[d]);
        }
    }
    gali_arena_release(&arena);
    release(r);
    return known;
}

/* Numbers that no random ones are: NaN and infinities, and the other truth values. */
static void make_strange(reading *r) {
    static const double strange[] = {NAN, INFINITY, -INFINITY};
    for (uint32_t i = 0; i < r->operand_count; i++) {
        operand *o = &r->operands[i];
        for (size_t e = 0; o->given && !o->constant && e < o->tensor.count; e++) {
            if (o->tensor.real) {
                o->tensor.real[e] = strange[e % 3];
            } else if (o->type.element == GALI_truth) {
                o->tensor.whole[e] = !o->tensor.whole[e];
            }
        }
    }
}

static int are_same(const gali_tensor *a, const gali_tensor *b) {
    int same = a->count == b->count;
    for (size_t e = 0; same && e < a->count; e++) {
        same = a->real ? is_near(a->real[e], b->real[e]) : a->whole[e] == b->whole[e];
    }
    return same;
}

/* Whether other numbers in operands, of the same shapes, give the same results: random ones, and strange ones. */
static int is_of_shapes_alone(const ops_case *of) {
    enum { RUNS = 3 };
    gali_arena arena = {0};
    gal_error error = {0};
    gali_run run = {.memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = &error};
    gali_tensor made[RUNS][RESULTS_MAX] = {{{.count = 0}}};
    int same = 1;
    for (uint32_t k = 0; k < RUNS; k++) {
        gali_tensor inputs[OPERANDS_MAX];
        random_state = 1 + k;
        reading *r = read_case(of);
        if (k + 1 == RUNS) {
            make_strange(r);
        }
        gali_graph *graph = make_graph(r, 0, &arena);
        check(r, "infer", gali_graph_infer(graph, &error), &error);
        take_inputs(r, inputs);
        same = same &&
               gali_graph_evaluate(&run, graph, inputs, made[k]) == GAL_OK; /* one that is refused is read */
        for (uint32_t i = 0; same && i < graph->output_count; i++) {
            same = are_same(&made[0][i], &made[k][i]);
        }
        release(r);
    }
    for (uint32_t i = 0; i < RUNS * RESULTS_MAX; i++) {
        gali_tensor_release(&run, &made[i / RESULTS_MAX][i % RESULTS_MAX]);
    }
    gali_arena_release(&arena);
    return same;
}

/* The most dynamic of an operator's cases, by what its rule finds with and without the operands' values. */
static gali_dynamism dynamism_of(gali_op op) {
    int by_shape = 1, by_value = 1, alone = 1;
    for (size_t i = 0; i < sizeof ops_cases / sizeof *ops_cases; i++) {
        if (strcmp(ops_cases[i].op, gali_op_list[op].name) == 0) {
            random_state = 1;
            by_shape &= is_shape_known(&ops_cases[i], 0);
            by_value &= is_shape_known(&ops_cases[i], 1);
            alone = alone && by_shape && is_of_shapes_alone(&ops_cases[i]);
        }
    }
    return by_shape ? (alone ? GALI_ALL_FROM_SHAPE : GALI_FROM_SHAPE)
                    : (by_value ? GALI_FROM_VALUE : GALI_FROM_RUN);
}

static void test_rows_say_what_shapes_follow_from(void **state) {
    (void)state;
    static const char *const words[] = {"ALL_FROM_SHAPE", "FROM_SHAPE", "FROM_VALUE", "FROM_RUN"};
    int wrong = 0;
    for (int op = 0; op < GALI_OP_COUNT; op++) {
        int bodies = strcmp(gali_op_list[op].family, "control") == 0; /* their shapes are their bodies' */
        gali_dynamism found = bodies ? GALI_FROM_RUN : dynamism_of((gali_op)op);
        if (found != gali_op_list[op].dynamism) {
            printf("%s: %s in its row, %s by its rule\n", gali_op_list[op].name,
                   words[gali_op_list[op].dynamism], words[found]);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static void test_every_operator_has_a_case(void **state) {
    (void)state;
    for (int op = 0; op < GALI_OP_COUNT; op++) {
        size_t i = 0;
        while (i < sizeof ops_cases / sizeof *ops_cases &&
               strcmp(ops_cases[i].op, gali_op_list[op].name) != 0) {
            i++;
        }
        int bodies = strcmp(gali_op_list[op].family, "control") == 0; /* test_control has them */
        if (!bodies && i == sizeof ops_cases / sizeof *ops_cases) {
            fail_msg("%s has no case", gali_op_list[op].name);
        }
    }
}

/* "name:kind", "name:kind?" or "name:kind=default". */
static void test_rows_say_attributes(void **state) {
    (void)state;
    static const char *const kinds[] = {"int", "number", "ints", "numbers", "word"};
    for (int op = 0; op < GALI_OP_COUNT; op++) {
        for (const char *at = gali_op_list[op].attributes; *at; at += *at == ' ') {
            size_t name = strcspn(at, ": ?="), known = 0;
            assert_true(name > 0 && name < 64 && at[name] == ':');
            at += name + 1;
            size_t kind = strcspn(at, " ?=");
            while (known < 5 && (strlen(kinds[known]) != kind || memcmp(kinds[known], at, kind) != 0)) {
                known++;
            }
            if (known == 5 || (at[kind] == '?' && at[kind + 1] && at[kind + 1] != ' ')) {
                fail_msg("%s: attributes at %s", gali_op_list[op].name, at);
            }
            at += strcspn(at, " ");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_say_attributes),
        cmocka_unit_test(test_rows_say_what_shapes_follow_from),
        cmocka_unit_test(test_every_operator_has_a_case),
        cmocka_unit_test(test_expressions_are_the_truth),
        cmocka_unit_test(test_mappings),
        cmocka_unit_test(test_unknown_broadcasts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
