/*
 * Operators with one operand that is not as it should be: each case with a shape, a rank or an element changed, or without an
 * operand. Its rule refuses that, or demands what is not so, or else expression and truth agree, and neither looks beyond
 * its operands.
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

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/express_run.h"
#include "graph/graph.h"
#include "graph/propagate.h"
#include "ops_reading.h"

/* ---- what is changed ---- */

typedef enum change {
    MORE,    /* an extent is one more */
    ONE,     /* is 1 */
    EMPTY,   /* is 0 */
    HIGHER,  /* one more axis, of 1 */
    LOWER,   /* one axis less */
    REAL,    /* of f32 */
    WHOLE,   /* of i64 */
    MISSING, /* not given */
    CHANGES
} change;

/* The operand's elements, over and over, as one of that type. */
static void become(operand *o, const gali_type *type) {
    operand made = {.given = 1, .constant = o->constant, .type = *type};
    made.tensor = (gali_tensor){.element = type->element, .rank = (uint32_t)type->rank, .count = 1};
    for (int d = 0; d < type->rank; d++) {
        made.tensor.shape[d] = type->shape[d];
        made.tensor.count *= (size_t)type->shape[d];
    }
    double *memory = calloc(made.tensor.count + 1, sizeof *memory);
    int real = gali_tensor_is_real(&made.tensor);
    made.tensor.real = real ? memory : NULL;
    made.tensor.whole = real ? NULL : (int64_t *)memory;
    for (size_t e = 0; o->tensor.count && e < made.tensor.count; e++) {
        gali_number from = gali_tensor_at(&o->tensor, e % o->tensor.count);
        double value = o->tensor.real ? from.real : (double)from.whole;
        gali_tensor_put(&made.tensor, e, (gali_number){value, (int64_t)value});
        if (made.constant) {
            put_bytes(&made, e);
        }
    }
    free(o->tensor.real);
    free(o->tensor.whole);
    *o = made;
}

/* 0 where there is nothing to change. */
static int change_operand(reading *r, uint32_t i, change how, int axis) {
    operand *o = &r->operands[i];
    gali_type type = o->type;
    if (!o->given || (how <= EMPTY ? axis >= type.rank : axis > 0)) {
        return 0;
    }
    if (how == MISSING) {
        const gali_op_facts *facts = &gali_op_list[gali_op_find(r->of->op, strlen(r->of->op))];
        o->given = 0;
        return i >= facts->least;
    }
    if (how <= EMPTY) {
        type.shape[axis] = how == MORE ? type.shape[axis] + 1 : how == ONE;
    } else if (how == HIGHER && type.rank < GALI_RANK_MAX) {
        memmove(type.shape + 1, type.shape, (size_t)type.rank++ * sizeof *type.shape);
        type.shape[0] = 1;
    } else if (how == LOWER && type.rank > 0) {
        memmove(type.shape, type.shape + 1, (size_t)--type.rank * sizeof *type.shape);
    } else {
        type.element = how == REAL ? GALI_f32 : how == WHOLE ? GALI_i64 : type.element;
    }
    become(o, &type);
    return 1;
}

/* ---- what comes of it ---- */

static int is_near(double a, double b) {
    return isnan(a) || isnan(b) || a == b || fabs(a - b) <= 1e-9 * (1 + fabs(a) + fabs(b));
}

static int are_same(const gali_tensor *a, const gali_tensor *b) {
    int same = a->count == b->count && a->element == b->element;
    for (size_t e = 0; same && e < a->count; e++) {
        same = a->real ? is_near(a->real[e], b->real[e]) : a->whole[e] == b->whole[e];
    }
    return same;
}

/* Whether all that the node demands is so. */
static int do_demands_hold(const gali_graph *graph, const int64_t *symbols) {
    int hold = 1;
    for (const gali_demand *d = graph->nodes[0].demands; d; d = d->next) {
        hold &= d->kind == GALI_DEMAND_RANK ||
                gali_demand_holds(d->kind, gali_extent_value(graph->extents, d->a, symbols),
                                  gali_extent_value(graph->extents, d->b, symbols));
    }
    return hold;
}

enum { SYMBOLS_MOST = 64 };

/* The values that names tell; 0 where a size is one that only running tells. */
static int values_of(const gali_graph *graph, int64_t *symbols) {
    int all = gali_extent_symbols(graph->extents) <= SYMBOLS_MOST;
    for (uint32_t i = 0; all && i < gali_extent_symbols(graph->extents); i++) {
        const char *name = gali_extent_symbol_name(graph->extents, i);
        char *end;
        symbols[i] = strtoll(name + 1, &end, 10);
        all = end > name + 1;
    }
    return all;
}

static int has_negative_size(const gali_graph *graph, const int64_t *symbols) {
    int has = 0;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const gali_type *type = &graph->values[graph->outputs[i]].type;
        for (int d = 0; d < type->rank; d++) {
            has |= gali_extent_value(graph->extents, type->shape[d], symbols) < 0;
        }
    }
    return has;
}

/* What is wrong with an expression whose rule and demands say that all fits, or NULL. */
static const char *compare_expression(gali_run *run, const gali_graph *graph, const reading *r,
                                      const int64_t *symbols, const gali_tensor *made, int is_true) {
    gali_express x;
    gali_tensor expressed[RESULTS_MAX] = {{.count = 0}};
    const gali_tensor *operands[OPERANDS_MAX] = {NULL};
    for (uint32_t i = 0; i < r->operand_count; i++) {
        operands[i] = r->operands[i].given ? &r->operands[i].tensor : NULL;
    }
    run->graph = graph;
    if (gali_node_express(graph, &graph->nodes[0], &x, run->error) != GAL_OK) {
        return "has no expression for it";
    }
    if (x.none || !do_demands_hold(graph, symbols)) {
        return NULL;
    }
    if (has_negative_size(graph, symbols)) { /* sizes of inputs are narrowed by it: range.c */
        return NULL;
    }
    if (gali_express_run(run, &x, symbols, operands, expressed) != GAL_OK) {
        return run->error->message;
    }
    const char *wrong = NULL;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        wrong = is_true && !are_same(&made[i], &expressed[i]) ? "its expression is not its truth" : wrong;
        gali_tensor_release(run, &expressed[i]);
    }
    return wrong;
}

/* What is wrong with a case that was changed, or NULL. */
static const char *wrong_with(const reading *r, int symbols, gal_error *error) {
    gali_arena arena = {0};
    gali_run run = {.memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = error};
    gali_graph *graph = make_graph(r, symbols, &arena);
    gali_tensor made[RESULTS_MAX] = {{.count = 0}}, inputs[OPERANDS_MAX];
    int64_t values[SYMBOLS_MOST] = {0};
    const char *wrong = NULL;
    take_inputs(r, inputs);
    if (gali_graph_verify(graph, error) == GAL_OK && gali_graph_infer(graph, error) == GAL_OK) {
        int is_true = gali_graph_evaluate(&run, graph, inputs, made) == GAL_OK;
        if (values_of(graph, values)) {
            wrong = compare_expression(&run, graph, r, values, made, is_true);
        }
    } else if (strncmp(error->message, "node 0 ", 7) != 0) {
        wrong = "refused without its place";
    }
    for (uint32_t i = 0; i < RESULTS_MAX; i++) {
        gali_tensor_release(&run, &made[i]);
    }
    wrong = !wrong && run.memory_left != GALI_RUN_MEMORY ? "memory is lost" : wrong;
    gali_arena_release(&arena);
    return wrong;
}

static int try_change(const ops_case *of, uint32_t i, change how, int axis, int symbols) {
    static const char *const words[] = {"longer",          "1",   "empty", "of a higher rank",
                                        "of a lower rank", "f32", "i64",   "missing"};
    random_state = 1;
    reading *r = read_case(of);
    gal_error error = {0};
    const char *wrong = change_operand(r, i, how, axis) ? wrong_with(r, symbols, &error) : NULL;
    if (wrong) {
        print_error("%s %s %s: operand %u, axis %d %s%s: %s\n", of->op, of->operands, of->attributes, i + 1,
                    axis, words[how], symbols ? ", of symbols" : "", wrong);
    }
    release(r);
    return wrong != NULL;
}

static void try_all(int symbols) {
    int wrong = 0;
    for (size_t c = 0; c < sizeof ops_cases / sizeof *ops_cases; c++) {
        for (uint32_t i = 0; i < OPERANDS_MAX; i++) {
            for (int how = 0; how < CHANGES; how++) {
                for (int axis = 0; axis < GALI_RANK_MAX; axis++) {
                    wrong += try_change(&ops_cases[c], i, (change)how, axis, symbols);
                }
            }
        }
    }
    assert_int_equal(wrong, 0);
}

static void test_numbers(void **state) {
    (void)state;
    try_all(0);
}

/* Each extent a symbol of its own: what the rule takes for the same it demands. */
static void test_symbols(void **state) {
    (void)state;
    try_all(APART);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_symbols),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
