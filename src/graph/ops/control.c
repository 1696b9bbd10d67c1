/* What nodes with bodies share (control.h), If and region. */
#include <string.h>

#include "graph/ops/control.h"

/* ---- types ---- */

int gali_control_meet(gali_type *a, const gali_type *b) {
    int same = a->element == b->element;
    if (a->rank != b->rank) {
        a->rank = -1;
    }
    for (int i = 0; i < a->rank; i++) {
        a->shape[i] = a->shape[i] == b->shape[i] ? a->shape[i] : GALI_EXTENT_UNKNOWN;
    }
    return same;
}

void gali_control_give(gali_graph *body, uint32_t input, const gali_type *type, const gali_extent *known) {
    gali_value *value = &body->values[body->inputs[input]];
    value->type = *type;
    value->known = known;
}

gal_status gali_control_give_captured(gali_rule *rule, gali_graph *body, uint32_t first, uint32_t operand) {
    for (uint32_t i = operand; i < rule->node->operand_count; i++) {
        if (!rule->operand[i]) {
            return gali_rule_fail(rule, "operand %u is not given", i + 1);
        }
        gali_control_give(body, first + i - operand, rule->operand[i], rule->known[i]);
    }
    return GAL_OK;
}

const gali_value *gali_control_output(const gali_graph *body, uint32_t output) {
    return &body->values[body->outputs[output]];
}

gal_status gali_control_expect(gali_rule *rule, const char *what, uint32_t found, uint32_t expected) {
    return found == expected ? GAL_OK : gali_rule_fail(rule, "%s: %u, %u expected", what, found, expected);
}

/* Symbols of a list stand for themselves. */
static void note_symbols(const gali_extents *extents, const gali_extent *list, int64_t count, int64_t *outer) {
    for (int64_t i = 0; i < count; i++) {
        int symbol = gali_extent_as_symbol(extents, list[i]);
        if (symbol >= 0) {
            outer[symbol] = 1;
        }
    }
}

/* [symbols] 1 of those that the graph's own values have; UNKNOWN of those that only bodies have. NULL without memory. */
static int64_t *outer_symbols(const gali_graph *graph, gali_arena *arena) {
    uint32_t count = gali_extent_symbols(graph->extents);
    int64_t *outer = gali_arena_take(arena, (count + 1) * sizeof *outer);
    for (uint32_t i = 0; outer && i < count; i++) {
        outer[i] = GALI_EXTENT_UNKNOWN;
    }
    for (uint32_t i = 0; outer && i < graph->value_count; i++) {
        const gali_value *value = &graph->values[i];
        gali_extent known = value->known ? gali_type_count(graph->extents, &value->type) : 0;
        note_symbols(graph->extents, value->type.shape, value->type.rank, outer);
        note_symbols(graph->extents, value->known, gali_extent_is_number(known) ? known : 0, outer);
    }
    return outer;
}

gal_status gali_control_hide_inner(gali_rule *rule) {
    const gali_graph *graph = rule->graph;
    gali_arena arena = {0};
    const int64_t *outer = outer_symbols(graph, &arena);
    for (uint32_t i = 0; outer && i < rule->node->result_count; i++) {
        gali_type *type = &rule->result[i];
        for (int d = 0; d < type->rank; d++) {
            int known = gali_extent_value(graph->extents, type->shape[d], outer) != GALI_EXTENT_UNKNOWN;
            type->shape[d] = known ? type->shape[d] : GALI_EXTENT_UNKNOWN;
        }
    }
    gali_arena_release(&arena);
    return outer ? GAL_OK : gali_rule_fail(rule, "no memory");
}

void gali_control_bound_result(gali_rule *rule, uint32_t i, const gali_type *a, const gali_type *b) {
    gali_type *result = &rule->result[i];
    for (int d = 0; d < result->rank; d++) {
        if (result->shape[d] == GALI_EXTENT_UNKNOWN) {
            gali_extent most = gali_extent_most(rule->graph->extents, a->shape[d], b->shape[d]);
            result->shape[d] = gali_rule_fresh(rule, i, d, "size", most);
        }
    }
}

/* ---- If ---- */

static gal_status branch_shape(gali_rule *rule, const gali_graph *body) {
    gal_status status =
        gali_control_expect(rule, "inputs of a branch", body->input_count, rule->node->operand_count - 1);
    return status == GAL_OK
               ? gali_control_expect(rule, "outputs of a branch", body->output_count, rule->node->result_count)
               : status;
}

static gal_status infer_branch(gali_rule *rule, gali_graph *body) {
    gal_status status = gali_control_give_captured(rule, body, 0, 1);
    return status == GAL_OK ? gali_graph_infer(body, rule->error) : status;
}

/* Says of a body in which nothing fits that it gives nothing. */
static void forget_outputs(gali_graph *body) {
    for (uint32_t i = 0; i < body->output_count; i++) {
        body->values[body->outputs[i]].type.rank = -1;
    }
}

int gali_control_is_running(const gali_rule *rule) {
    return !rule->graph->values;
}

/* 0 or 1 where the condition is known, else -1. */
static int known_condition(const gali_rule *rule) {
    gali_extent count = gali_type_count(rule->graph->extents, rule->operand[0]);
    const gali_extent *known = rule->known[0];
    return known && count == 1 && gali_extent_is_number(*known) ? *known != 0 : -1;
}

/* Integers that both branches give alike, of sizes that are known outside of them; NULL where they do not. */
static const gali_extent *meet_known(const gali_graph *graph, const gali_value *a, const gali_value *b) {
    gali_extent count = gali_type_count(graph->extents, &a->type);
    gali_arena arena = {0};
    const int64_t *outer = a->known && b->known ? outer_symbols(graph, &arena) : NULL;
    int same = outer && gali_extent_is_number(count) && gali_type_equal(&a->type, &b->type);
    for (gali_extent i = 0; same && i < count; i++) {
        same = a->known[i] == b->known[i] &&
               gali_extent_value(graph->extents, a->known[i], outer) != GALI_EXTENT_UNKNOWN;
    }
    gali_arena_release(&arena);
    return same ? a->known : NULL;
}

/* A branch in which nothing fits cannot be the one that is taken: the results are the other's. */
gal_status gali_rule_if(gali_rule *rule) {
    const gali_node *node = rule->node;
    gal_status status = gali_control_expect(rule, "bodies", node->body_count, 2), branch[2];
    if (status == GAL_OK && rule->operand[0]->element != GALI_truth) {
        status = gali_rule_fail(rule, "the condition is no truth value");
    }
    status = status == GAL_OK ? gali_rule_single(rule, 0) : status;
    for (uint32_t i = 0; status == GAL_OK && i < 2; i++) {
        status = branch_shape(rule, node->bodies[i]);
    }
    if (status != GAL_OK || gali_control_is_running(rule)) {
        return status;
    }
    int taken = known_condition(rule);
    for (uint32_t i = 0; i < 2; i++) {
        branch[i] = infer_branch(rule, node->bodies[i]);
        if (branch[i] == GAL_BAD_DATA) {
            forget_outputs(node->bodies[i]);
        }
    }
    taken = taken >= 0 ? taken : branch[0] == GAL_BAD_DATA ? 0 : branch[1] == GAL_BAD_DATA ? 1 : -1;
    status = branch[taken == 0];
    for (uint32_t i = 0; status == GAL_OK && i < node->result_count; i++) {
        const gali_value *first = gali_control_output(node->bodies[taken == 0], i);
        rule->result[i] = first->type;
        const gali_value *other = gali_control_output(node->bodies[1], i);
        rule->result_known[i] = taken >= 0 ? first->known : meet_known(rule->graph, first, other);
        if (taken < 0 && !gali_control_meet(&rule->result[i], &other->type)) {
            status = gali_rule_fail(rule, "its branches give another element as result %u", i + 1);
        }
    }
    status = status == GAL_OK ? gali_control_hide_inner(rule) : status;
    for (uint32_t i = 0; status == GAL_OK && i < node->result_count; i++) {
        const gali_type *one = &gali_control_output(node->bodies[taken == 0], i)->type;
        gali_control_bound_result(rule, i, one,
                                  taken < 0 ? &gali_control_output(node->bodies[1], i)->type : one);
    }
    return status;
}

/* ---- region ---- */

gal_status gali_rule_region(gali_rule *rule) {
    const gali_node *node = rule->node;
    gal_status status = gali_control_expect(rule, "bodies", node->body_count, 1);
    if (status == GAL_OK) {
        status =
            gali_control_expect(rule, "inputs of its body", node->bodies[0]->input_count, node->operand_count);
    }
    if (status == GAL_OK) {
        status =
            gali_control_expect(rule, "outputs of its body", node->bodies[0]->output_count, node->result_count);
    }
    if (status != GAL_OK || gali_control_is_running(rule)) {
        return status;
    }
    status = gali_control_give_captured(rule, node->bodies[0], 0, 0);
    status = status == GAL_OK ? gali_graph_infer(node->bodies[0], rule->error) : status;
    for (uint32_t i = 0; status == GAL_OK && i < node->result_count; i++) {
        rule->result[i] = gali_control_output(node->bodies[0], i)->type;
    }
    return status == GAL_OK ? gali_control_hide_inner(rule) : status;
}

gal_status gali_truth_region(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                             gali_tensor *results) {
    return gali_control_run(run, node->bodies[0], operands, results);
}

/* ---- running a body ---- */

gal_status gali_control_run(gali_run *run, const gali_graph *body, const gali_tensor *const *inputs,
                            gali_tensor *outputs) {
    gali_arena arena = {0};
    gali_tensor *given = gali_arena_take(&arena, (body->input_count + 1) * sizeof *given);
    gal_status status = given ? gali_run_work(run, 64 + body->value_count) : GAL_NO_MEMORY;
    for (uint32_t i = 0; given && i < body->input_count; i++) {
        given[i] = *inputs[i];
    }
    if (status == GAL_OK) {
        status = gali_graph_evaluate(run, body, given, outputs);
    }
    gali_arena_release(&arena);
    return status;
}

gal_status gali_truth_if(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                         gali_tensor *results) {
    if (operands[0]->count != 1) {
        return gali_run_fail(run, node, "the condition has %zu elements, not one", operands[0]->count);
    }
    return gali_control_run(run, node->bodies[operands[0]->whole[0] == 0], operands + 1, results);
}
