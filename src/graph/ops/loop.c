/* Loop (control.h). */
#include "graph/ops/control.h"

enum { TRIPS, CONDITION, CARRIED, TRIPS_MOST = 1 << 28 };

static gal_status loop_shape(gali_rule *rule) {
    const gali_node *node = rule->node;
    uint32_t carried = gali_trips_carried(node);
    gal_status status = gali_control_expect(rule, "bodies", node->body_count, 1);
    if (status == GAL_OK && CARRIED + carried > node->operand_count) {
        status = gali_rule_fail(rule, "%u carried values of %u operands", carried, node->operand_count);
    }
    if (status == GAL_OK) {
        status =
            gali_control_expect(rule, "inputs of its body", node->bodies[0]->input_count, node->operand_count);
    }
    if (status == GAL_OK) {
        status = gali_control_expect(rule, "outputs of its body", node->bodies[0]->output_count,
                                     1 + node->result_count);
    }
    if (status == GAL_OK && carried > node->result_count) {
        status = gali_rule_fail(rule, "%u carried values of %u results", carried, node->result_count);
    }
    status = status == GAL_OK ? gali_rule_integers(rule, TRIPS) : status;
    for (uint32_t i = TRIPS; status == GAL_OK && i <= CONDITION; i++) {
        status = gali_rule_single(rule, i);
    }
    if (status == GAL_OK && rule->operand[CONDITION] && rule->operand[CONDITION]->element != GALI_truth) {
        status = gali_rule_fail(rule, "the condition is no truth value");
    }
    return status;
}

/* Whether a value is the body's input, or goes on from it unchanged. */
static int is_input(const gali_graph *body, uint32_t value, uint32_t input) {
    uint32_t maker = body->values[value].node;
    while (maker != GALI_NONE && body->nodes[maker].op == GALI_OP_Identity) {
        value = body->nodes[maker].operands[0];
        maker = body->values[value].node;
    }
    return value == body->inputs[input];
}

/* Whether only the number of trips ends the loop. */
static int is_counted(const gali_rule *rule) {
    const gali_graph *body = rule->node->bodies[0];
    const gali_value *next = gali_control_output(body, 0);
    const gali_extent *first = rule->known[CONDITION];
    int starts = !rule->operand[CONDITION] || (first && *first == 1);
    return starts && (is_input(body, body->outputs[0], CONDITION) || (next->known && *next->known == 1));
}

/* How many trips there are at most; UNKNOWN where no one knows before it runs. */
static gali_extent trips_of(const gali_rule *rule) {
    const gali_extent *known = rule->operand[TRIPS] ? rule->known[TRIPS] : NULL;
    int endless = known && gali_extent_is_number(*known) && *known > TRIPS_MOST;
    return known && !endless ? gali_extent_most(rule->graph->extents, 0, *known) : GALI_EXTENT_UNKNOWN;
}

/* The number of the trip as the body knows it: a symbol, the same each time. Values by trip need not be bounded. */
static const gali_extent *trip_known(gali_rule *rule, gali_extent count) {
    gali_graph *body = rule->node->bodies[0];
    gali_extent *known = gali_arena_take(body->arena, sizeof *known);
    const gali_extent *before = body->values[body->inputs[TRIPS]].known;
    int stacks = rule->node->result_count > gali_trips_carried(rule->node);
    int64_t most = stacks ? GALI_EXTENT_LARGEST : TRIPS_MOST;
    if (known) {
        *known = before ? *before : gali_extent_fresh(body->extents, "trip", 0, most);
        int symbol = gali_extent_as_symbol(body->extents, *known);
        if (symbol >= 0) {
            gali_extent_set_bound(body->extents, (uint32_t)symbol, gali_extent_sub(body->extents, count, 1));
        }
    }
    return known;
}

gal_status gali_rule_loop(gali_rule *rule) {
    const gali_node *node = rule->node;
    const gali_type trip = {.element = GALI_i64}, condition = {.element = GALI_truth};
    gali_extent turns = trips_of(rule);
    uint32_t carried = gali_trips_carried(node);
    gal_status status = loop_shape(rule);
    if (status != GAL_OK || gali_control_is_running(rule)) {
        return status;
    }
    gali_graph *body = node->bodies[0];
    gali_type *types = gali_arena_take(rule->graph->arena, (carried + 1) * sizeof *types);
    if (!types) {
        return gali_rule_fail(rule, "no memory");
    }
    const gali_extent *number = trip_known(rule, turns);
    if (!number) {
        return gali_rule_fail(rule, "no memory");
    }
    gali_control_give(body, TRIPS, &trip, number);
    gali_control_give(body, CONDITION, &condition, NULL);
    status = gali_control_give_captured(rule, body, CARRIED + carried, CARRIED + carried);
    if (status == GAL_OK) {
        status = gali_trips_begin_types(rule, CARRIED, carried, types);
    }
    if (status == GAL_OK) {
        status = gali_trips_infer(rule, body, CARRIED, 1, carried, types);
    }
    if (status == GAL_OK && gali_control_output(body, 0)->type.element != GALI_truth) {
        status = gali_rule_fail(rule, "its body's condition is no truth value");
    }
    gali_extent count = is_counted(rule) ? turns : GALI_EXTENT_UNKNOWN;
    for (uint32_t i = 0; status == GAL_OK && i < node->result_count; i++) {
        if (i < carried) {
            rule->result[i] = types[i];
        } else {
            status =
                gali_trips_stacked(rule, &gali_control_output(body, 1 + i)->type, 0, count, &rule->result[i]);
        }
    }
    status = status == GAL_OK ? gali_control_hide_inner(rule) : status;
    gali_extent most = gali_extent_add(body->extents, *number, 1);
    for (uint32_t i = 0; status == GAL_OK && i < node->result_count; i++) {
        gali_type inner = types[i < carried ? i : 0];
        if (i < carried) {
            gali_trips_bound(body, rule->operand[CARRIED + i], &types[i],
                             &gali_control_output(body, 1 + i)->type, turns);
        } else {
            status = gali_trips_stacked(rule, &gali_control_output(body, 1 + i)->type, 0, most, &inner);
        }
        gali_control_bound_result(rule, i, &inner, &inner);
    }
    return status;
}

gal_status gali_truth_loop(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                           gali_tensor *results) {
    const gali_graph *body = node->bodies[0];
    int64_t number = 0, truth = 1,
            most = operands[TRIPS] && operands[TRIPS]->count ? operands[TRIPS]->whole[0] : INT64_MAX;
    gali_tensor trip = {.element = GALI_i64, .count = 1, .whole = &number};
    gali_tensor condition = {.element = GALI_truth, .count = 1, .whole = &truth};
    gali_trips t = {.carried = gali_trips_carried(node)};
    t.scanned = node->result_count - t.carried;
    truth = operands[CONDITION] && operands[CONDITION]->count ? operands[CONDITION]->whole[0] : 1;
    gal_status status = gali_trips_begin(run, node, operands + CARRIED, &t);
    for (; status == GAL_OK && truth && number < most; number++) {
        for (uint32_t i = 0; i < body->input_count; i++) {
            t.inputs[i] = i == TRIPS                ? &trip
                          : i == CONDITION          ? &condition
                          : i < CARRIED + t.carried ? &t.values[i - CARRIED]
                                                    : operands[i];
        }
        status = gali_trips_make(run, node, 1, &t);
        if (status == GAL_OK) {
            truth = t.outputs[0].count ? t.outputs[0].whole[0] : 0;
            gali_tensor_release(run, &t.outputs[0]);
        }
    }
    if (status == GAL_OK) {
        status = gali_trips_finish(run, node, 1, NULL, NULL, &t, results);
    }
    gali_trips_end(run, &t);
    return status;
}
