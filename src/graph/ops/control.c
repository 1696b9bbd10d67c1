/*
 * Nodes with bodies. A body is closed: what it uses of outside are operands of the node and inputs of the body.
 *
 *     If     operands: condition, captured...      bodies: then, else; inputs captured...
 *            results: the outputs of the branch that is taken
 *     Loop   operands: most trips or none, first condition or none, carried..., captured...
 *            inputs: trip, condition, carried..., captured...; outputs: condition, carried..., scanned...
 *            results: carried..., then each scanned output's values one after another on a new first axis
 *     Scan   operands: carried..., scanned inputs..., captured...
 *            inputs: carried..., a slice of each scanned input, captured...; outputs: carried..., scanned...
 *            results: carried..., then each scanned output's values one after another on its axis
 *
 * `carried` is how many are carried. Shape rules infer the bodies in place: carried types to a fixed point, where an
 * extent that changes from trip to trip becomes a symbol.
 */
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"

/* ---- types ---- */

/* What is said of both: extents that differ are unknown, as are ranks. 0 where elements differ. */
static int meet(gali_type *a, const gali_type *b) {
    int same = a->element == b->element;
    if (a->rank != b->rank) {
        a->rank = -1;
    }
    for (int i = 0; i < a->rank; i++) {
        a->shape[i] = a->shape[i] == b->shape[i] ? a->shape[i] : GALI_EXTENT_UNKNOWN;
    }
    return same;
}

/* Gives a body's input a type and what is known of it. */
static void give(gali_graph *body, uint32_t input, const gali_type *type, const gali_extent *known) {
    gali_value *value = &body->values[body->inputs[input]];
    value->type = *type;
    value->known = known;
}

/* Gives the inputs from `first` on the operands from `operand` on; all of them must be given. */
static gal_status give_captured(gali_rule *rule, gali_graph *body, uint32_t first, uint32_t operand) {
    for (uint32_t i = operand; i < rule->node->operand_count; i++) {
        if (!rule->operand[i]) {
            return gali_rule_fail(rule, "operand %u is not given", i + 1);
        }
        give(body, first + i - operand, rule->operand[i], rule->known[i]);
    }
    return GAL_OK;
}

static const gali_value *output_of(const gali_graph *body, uint32_t output) {
    return &body->values[body->outputs[output]];
}

static gal_status expect(gali_rule *rule, const char *what, uint32_t found, uint32_t expected) {
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

/*
 * Results say nothing by symbols that are the body's own: a size that changes from trip to trip, or that only running the
 * body tells. Others stand in some value outside.
 */
static gal_status hide_inner(gali_rule *rule) {
    const gali_graph *graph = rule->graph;
    uint32_t count = gali_extent_symbols(graph->extents);
    gali_arena arena = {0};
    int64_t *outer = gali_arena_take(&arena, (count + 1) * sizeof *outer);
    for (uint32_t i = 0; outer && i < count; i++) {
        outer[i] = GALI_EXTENT_UNKNOWN;
    }
    for (uint32_t i = 0; outer && i < graph->value_count; i++) {
        const gali_value *value = &graph->values[i];
        gali_extent known = value->known ? gali_type_count(graph->extents, &value->type) : 0;
        note_symbols(graph->extents, value->type.shape, value->type.rank, outer);
        note_symbols(graph->extents, value->known, gali_extent_is_number(known) ? known : 0, outer);
    }
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

/* Extents of result i that nothing is known of become sizes that are at most those of both types. */
static void bound_result(gali_rule *rule, uint32_t i, const gali_type *a, const gali_type *b) {
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
    gal_status status = expect(rule, "inputs of a branch", body->input_count, rule->node->operand_count - 1);
    return status == GAL_OK ? expect(rule, "outputs of a branch", body->output_count, rule->node->result_count)
                            : status;
}

static gal_status infer_branch(gali_rule *rule, gali_graph *body) {
    gal_status status = give_captured(rule, body, 0, 1);
    return status == GAL_OK ? gali_graph_infer(body, rule->error) : status;
}

/* Says of a body in which nothing fits that it gives nothing. */
static void forget_outputs(gali_graph *body) {
    for (uint32_t i = 0; i < body->output_count; i++) {
        body->values[body->outputs[i]].type.rank = -1;
    }
}

/* Whether the truth asks, with numbers alone: it runs bodies, which stay as they are. */
static int is_running(const gali_rule *rule) {
    return !rule->graph->values;
}

/* 0 or 1 where the condition is known, else -1. */
static int known_condition(const gali_rule *rule) {
    gali_extent count = gali_type_count(rule->graph->extents, rule->operand[0]);
    const gali_extent *known = rule->known[0];
    return known && count == 1 && gali_extent_is_number(*known) ? *known != 0 : -1;
}

/* A branch in which nothing fits cannot be the one that is taken: the results are the other's. */
gal_status gali_rule_if(gali_rule *rule) {
    const gali_node *node = rule->node;
    gal_status status = expect(rule, "bodies", node->body_count, 2), branch[2];
    if (status == GAL_OK && rule->operand[0]->element != GALI_truth) {
        status = gali_rule_fail(rule, "the condition is no truth value");
    }
    for (uint32_t i = 0; status == GAL_OK && i < 2; i++) {
        status = branch_shape(rule, node->bodies[i]);
    }
    if (status != GAL_OK || is_running(rule)) {
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
        const gali_value *first = output_of(node->bodies[taken == 0], i);
        rule->result[i] = first->type;
        rule->result_known[i] = taken >= 0 ? first->known : NULL;
        if (taken < 0 && !meet(&rule->result[i], &output_of(node->bodies[1], i)->type)) {
            status = gali_rule_fail(rule, "its branches give another element as result %u", i + 1);
        }
    }
    status = status == GAL_OK ? hide_inner(rule) : status;
    for (uint32_t i = 0; status == GAL_OK && i < node->result_count; i++) {
        const gali_type *one = &output_of(node->bodies[taken == 0], i)->type;
        bound_result(rule, i, one, taken < 0 ? &output_of(node->bodies[1], i)->type : one);
    }
    return status;
}

/* Runs a body on inputs that stay the caller's; outputs are released by the caller, on success. */
static gal_status run_body(gali_run *run, const gali_graph *body, const gali_tensor *const *inputs,
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
    return run_body(run, node->bodies[operands[0]->whole[0] == 0], operands + 1, results);
}

/* ---- what Loop and Scan share ---- */

/* Trips a fixed point may take: each makes at least one extent or rank of a carried value unknown. */
enum { ROUNDS_MOST = GALI_RANK_MAX + 4 };

static uint32_t carried_of(const gali_node *node) {
    int64_t carried = gali_node_int(node, "carried");
    return carried < 0 || carried > 65536 ? UINT32_MAX / 4 : (uint32_t)carried;
}

/* Unknown extents of a carried value: the symbols that the input had before, or new ones. */
static void settle(gali_graph *body, uint32_t input, gali_type *type) {
    const gali_type *before = &body->values[body->inputs[input]].type;
    for (int d = 0; d < type->rank; d++) {
        int symbol = before->rank == type->rank ? gali_extent_as_symbol(body->extents, before->shape[d]) : -1;
        const char *name = symbol >= 0 ? gali_extent_symbol_name(body->extents, (uint32_t)symbol) : "";
        if (type->shape[d] == GALI_EXTENT_UNKNOWN) {
            type->shape[d] = strncmp(name, "carried_", 8) == 0
                                 ? before->shape[d]
                                 : gali_extent_fresh(body->extents, "carried", 0, GALI_EXTENT_LARGEST);
        }
    }
}

/*
 * Infers the body until what it makes of the carried values, inputs first.., are the types that went in, or less was
 * said of them. types[count] are the operands' at first, the fixed point's at the end.
 */
static gal_status infer_carried(gali_rule *rule, gali_graph *body, uint32_t first, uint32_t output,
                                uint32_t count, gali_type *types) {
    gal_status status = GAL_OK;
    int changed = 1;
    for (int round = 0; status == GAL_OK && changed; round++) {
        for (uint32_t i = 0; i < count; i++) {
            settle(body, first + i, &types[i]);
            give(body, first + i, &types[i], NULL);
        }
        status = gali_graph_infer(body, rule->error);
        changed = 0;
        for (uint32_t i = 0; status == GAL_OK && i < count; i++) {
            gali_type made = types[i];
            if (!meet(&made, &output_of(body, output + i)->type)) {
                return gali_rule_fail(rule, "carried value %u changes its element", i + 1);
            }
            settle(body, first + i, &made); /* what was a symbol of its own stays it */
            int same = gali_type_equal(&made, &types[i]);
            if (!same && round >= ROUNDS_MOST) {
                made.rank = -1;
                same = types[i].rank < 0;
            }
            changed |= !same;
            types[i] = made;
        }
    }
    return status;
}

/* Types of the carried values before the first trip. */
static gal_status begin_carried(gali_rule *rule, uint32_t first, uint32_t count, gali_type *types) {
    for (uint32_t i = 0; i < count; i++) {
        if (!rule->operand[first + i]) {
            return gali_rule_fail(rule, "carried value %u is not given", i + 1);
        }
        types[i] = *rule->operand[first + i];
    }
    return GAL_OK;
}

/* What carried value i, of that type, grows to in so many trips; where it changes otherwise, nothing is said. */
static void bound_carried(gali_graph *body, const gali_type *before, const gali_type *type,
                          const gali_type *after, gali_extent count) {
    gali_extents *x = body->extents;
    for (int d = 0; d < type->rank; d++) {
        int symbol = gali_extent_as_symbol(x, type->shape[d]);
        if (symbol < 0 || type->shape[d] == before->shape[d]) {
            continue;
        }
        gali_extent more = gali_extent_most(x, 0, gali_extent_sub(x, after->shape[d], type->shape[d]));
        gali_extent most = gali_extent_add(x, before->shape[d], gali_extent_mul(x, more, count));
        if (!gali_extent_has(x, after->shape[d], (uint32_t)symbol)) {
            most = gali_extent_most(x, before->shape[d], after->shape[d]);
        } else if (gali_extent_has(x, more, (uint32_t)symbol)) {
            most = GALI_EXTENT_UNKNOWN;
        }
        gali_extent_set_bound(x, (uint32_t)symbol, most);
    }
}

/* An output's type with one more axis of `extent`, at `axis`. */
static gal_status stacked(gali_rule *rule, const gali_type *type, int64_t axis, gali_extent extent,
                          gali_type *out) {
    *out = (gali_type){.element = type->element, .rank = -1};
    if (type->rank < 0) {
        return GAL_OK;
    }
    int at;
    gal_status status = gali_rule_axis(rule, axis, type->rank + 1, &at);
    if (status != GAL_OK || type->rank == GALI_RANK_MAX) {
        return status == GAL_OK ? gali_rule_fail(rule, "rank %d is the most", GALI_RANK_MAX) : status;
    }
    out->rank = type->rank + 1;
    for (int d = 0; d < out->rank; d++) {
        out->shape[d] = d == at ? extent : type->shape[d - (d > at)];
    }
    return GAL_OK;
}

/* The truth's state: carried values, and the slices of each scanned output. */
typedef struct trips {
    gali_arena arena;
    uint32_t carried, scanned, input_count;
    const gali_tensor **inputs; /* [input_count] of the body */
    gali_tensor *values;        /* [carried] */
    gali_tensor *outputs;       /* [output_count] of the body */
    gali_tensor **slices;       /* [scanned][capacity] */
    uint32_t trip, capacity;
} trips;

static gal_status copy(gali_run *run, const gali_tensor *from, gali_tensor *to) {
    gal_status status = gali_tensor_make(run, to, from->element, from->rank, from->shape);
    for (size_t e = 0; status == GAL_OK && e < from->count; e++) {
        gali_tensor_move(to, e, from, e);
    }
    return status;
}

static gal_status out_of_memory(gali_run *run, const gali_node *node) {
    (void)gali_run_fail(run, node, "no memory");
    return GAL_NO_MEMORY;
}

static gal_status begin_trips(gali_run *run, const gali_node *node, const gali_tensor *const *carried,
                              trips *t) {
    const gali_graph *body = node->bodies[0];
    t->inputs = gali_arena_take(&t->arena, (body->input_count + 1) * sizeof *t->inputs);
    t->values = gali_arena_take(&t->arena, (t->carried + 1) * sizeof *t->values);
    t->outputs = gali_arena_take(&t->arena, (body->output_count + 1) * sizeof *t->outputs);
    t->slices = gali_arena_take(&t->arena, (t->scanned + 1) * sizeof *t->slices);
    gal_status status = t->arena.failed ? out_of_memory(run, node) : GAL_OK;
    for (uint32_t i = 0; status == GAL_OK && i < t->carried; i++) {
        status = copy(run, carried[i], &t->values[i]);
    }
    return status;
}

/* One trip: carried values are replaced, slices kept. `first` outputs come before the carried ones. */
static gal_status make_trip(gali_run *run, const gali_node *node, uint32_t first, trips *t) {
    if (t->trip == t->capacity) {
        uint32_t more = t->capacity ? 2 * t->capacity : 16;
        for (uint32_t i = 0; i < t->scanned; i++) {
            gali_tensor *list = gali_arena_take(&t->arena, more * sizeof *list);
            if (!list) {
                return out_of_memory(run, node);
            }
            if (t->trip) {
                memcpy(list, t->slices[i], t->trip * sizeof *list);
            }
            t->slices[i] = list;
        }
        t->capacity = more;
    }
    gal_status status = run_body(run, node->bodies[0], t->inputs, t->outputs);
    for (uint32_t i = 0; status == GAL_OK && i < t->carried; i++) {
        gali_tensor_release(run, &t->values[i]);
        t->values[i] = t->outputs[first + i];
    }
    for (uint32_t i = 0; status == GAL_OK && i < t->scanned; i++) {
        t->slices[i][t->trip] = t->outputs[first + t->carried + i];
    }
    t->trip += status == GAL_OK;
    return status;
}

/* The slices of one scanned output as one tensor, with the trips along `axis`, the last first if reversed. */
static gal_status stack(gali_run *run, const gali_node *node, const trips *t, uint32_t which, int64_t axis,
                        int reversed, const gali_type *type, gali_tensor *y) {
    int64_t shape[GALI_RANK_MAX];
    uint32_t rank = t->trip ? t->slices[which][0].rank : type->rank < 0 ? 0 : (uint32_t)type->rank;
    axis += axis < 0 ? rank + 1 : 0;
    if (rank == GALI_RANK_MAX || axis < 0 || axis > rank) {
        return gali_run_fail(run, node, "scanned output %u: rank %u, or its axis", which + 1, rank);
    }
    int64_t inner = 1;
    for (uint32_t d = 0; d <= rank; d++) {
        uint32_t of = d > axis ? d - 1 : d;
        int number = t->trip || (type->rank > (int)of && gali_extent_is_number(type->shape[of]));
        shape[d] = d == axis ? t->trip : t->trip ? t->slices[which][0].shape[of] : number ? type->shape[of] : 0;
        inner *= d > axis ? shape[d] : 1;
    }
    gal_status status = gali_tensor_make(run, y, type->element, rank + 1, shape);
    for (uint32_t trip = 0; status == GAL_OK && trip < t->trip; trip++) {
        const gali_tensor *slice = &t->slices[which][trip];
        int64_t place = reversed ? (int64_t)(t->trip - 1 - trip) : trip;
        if (slice->rank != rank || memcmp(slice->shape, t->slices[which][0].shape, rank * sizeof *shape) != 0) {
            return gali_run_fail(run, node, "scanned output %u changes its shape", which + 1);
        }
        for (size_t e = 0; e < slice->count; e++) {
            size_t outer = e / (size_t)inner, rest = e % (size_t)inner;
            size_t to = (outer * t->trip + (size_t)place) * (size_t)inner + rest;
            gali_tensor_move(y, to, slice, e);
        }
    }
    return status;
}

static void end_trips(gali_run *run, trips *t) {
    for (uint32_t i = 0; t->values && i < t->carried; i++) {
        gali_tensor_release(run, &t->values[i]);
    }
    for (uint32_t i = 0; t->slices && i < t->scanned; i++) {
        for (uint32_t trip = 0; trip < t->trip; trip++) {
            gali_tensor_release(run, &t->slices[i][trip]);
        }
    }
    gali_arena_release(&t->arena);
}

/* Carried results and stacked ones; axes and directions NULL: the first axis, forwards. */
static gal_status finish_trips(gali_run *run, const gali_node *node, uint32_t first, const gali_attribute *axes,
                               const gali_attribute *directions, trips *t, gali_tensor *results) {
    gal_status status = GAL_OK;
    for (uint32_t i = 0; status == GAL_OK && i < t->carried; i++) {
        status = copy(run, &t->values[i], &results[i]);
    }
    for (uint32_t i = 0; status == GAL_OK && i < t->scanned; i++) {
        const gali_type *type = &output_of(node->bodies[0], first + t->carried + i)->type;
        int64_t axis = axes && i < axes->count ? axes->ints[i] : 0;
        int reversed = directions && i < directions->count && directions->ints[i] != 0;
        status = stack(run, node, t, i, axis, reversed, type, &results[t->carried + i]);
    }
    return status;
}

/* ---- Loop ---- */

enum { TRIPS, CONDITION, CARRIED, TRIPS_MOST = 1 << 28 };

static gal_status loop_shape(gali_rule *rule) {
    const gali_node *node = rule->node;
    uint32_t carried = carried_of(node);
    gal_status status = expect(rule, "bodies", node->body_count, 1);
    if (status == GAL_OK && CARRIED + carried > node->operand_count) {
        status = gali_rule_fail(rule, "%u carried values of %u operands", carried, node->operand_count);
    }
    if (status == GAL_OK) {
        status = expect(rule, "inputs of its body", node->bodies[0]->input_count, node->operand_count);
    }
    if (status == GAL_OK) {
        status = expect(rule, "outputs of its body", node->bodies[0]->output_count, 1 + node->result_count);
    }
    if (status == GAL_OK && carried > node->result_count) {
        status = gali_rule_fail(rule, "%u carried values of %u results", carried, node->result_count);
    }
    if (status == GAL_OK && rule->operand[TRIPS]) {
        status = gali_rule_integers(rule, TRIPS);
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
    const gali_value *next = output_of(body, 0);
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
    int stacks = rule->node->result_count > carried_of(rule->node);
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
    uint32_t carried = carried_of(node);
    gal_status status = loop_shape(rule);
    if (status != GAL_OK || is_running(rule)) {
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
    give(body, TRIPS, &trip, number);
    give(body, CONDITION, &condition, NULL);
    status = give_captured(rule, body, CARRIED + carried, CARRIED + carried);
    if (status == GAL_OK) {
        status = begin_carried(rule, CARRIED, carried, types);
    }
    if (status == GAL_OK) {
        status = infer_carried(rule, body, CARRIED, 1, carried, types);
    }
    if (status == GAL_OK && output_of(body, 0)->type.element != GALI_truth) {
        status = gali_rule_fail(rule, "its body's condition is no truth value");
    }
    gali_extent count = is_counted(rule) ? turns : GALI_EXTENT_UNKNOWN;
    for (uint32_t i = 0; status == GAL_OK && i < node->result_count; i++) {
        if (i < carried) {
            rule->result[i] = types[i];
        } else {
            status = stacked(rule, &output_of(body, 1 + i)->type, 0, count, &rule->result[i]);
        }
    }
    status = status == GAL_OK ? hide_inner(rule) : status;
    gali_extent most = gali_extent_add(body->extents, *number, 1);
    for (uint32_t i = 0; status == GAL_OK && i < node->result_count; i++) {
        gali_type inner = types[i < carried ? i : 0];
        if (i < carried) {
            bound_carried(body, rule->operand[CARRIED + i], &types[i], &output_of(body, 1 + i)->type, turns);
        } else {
            status = stacked(rule, &output_of(body, 1 + i)->type, 0, most, &inner);
        }
        bound_result(rule, i, &inner, &inner);
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
    trips t = {.carried = carried_of(node)};
    t.scanned = node->result_count - t.carried;
    truth = operands[CONDITION] && operands[CONDITION]->count ? operands[CONDITION]->whole[0] : 1;
    gal_status status = begin_trips(run, node, operands + CARRIED, &t);
    for (; status == GAL_OK && truth && number < most; number++) {
        for (uint32_t i = 0; i < body->input_count; i++) {
            t.inputs[i] = i == TRIPS                ? &trip
                          : i == CONDITION          ? &condition
                          : i < CARRIED + t.carried ? &t.values[i - CARRIED]
                                                    : operands[i];
        }
        status = make_trip(run, node, 1, &t);
        if (status == GAL_OK) {
            truth = t.outputs[0].count ? t.outputs[0].whole[0] : 0;
            gali_tensor_release(run, &t.outputs[0]);
        }
    }
    if (status == GAL_OK) {
        status = finish_trips(run, node, 1, NULL, NULL, &t, results);
    }
    end_trips(run, &t);
    return status;
}

/* ---- Scan ---- */

static int64_t listed(const gali_node *node, const char *name, uint32_t i) {
    const gali_attribute *list = gali_node_attribute(node, name);
    return list && i < list->count ? list->ints[i] : 0;
}

static gal_status scan_shape(gali_rule *rule) {
    const gali_node *node = rule->node;
    uint32_t carried = carried_of(node);
    int64_t scanned = gali_node_int(node, "num_scan_inputs");
    gal_status status = expect(rule, "bodies", node->body_count, 1);
    if (status == GAL_OK &&
        (scanned < 1 || scanned > 65536 || carried + (uint32_t)scanned > node->operand_count ||
         carried > node->result_count)) {
        status = gali_rule_fail(rule, "%u carried values and %lld scanned inputs of %u operands", carried,
                                (long long)scanned, node->operand_count);
    }
    if (status == GAL_OK) {
        status = expect(rule, "inputs of its body", node->bodies[0]->input_count, node->operand_count);
    }
    return status == GAL_OK
               ? expect(rule, "outputs of its body", node->bodies[0]->output_count, node->result_count)
               : status;
}

/* The slice's type of scanned input i, and the trips that its axis says. */
static gal_status slice_type(gali_rule *rule, uint32_t carried, uint32_t i, gali_type *slice,
                             gali_extent *count) {
    const gali_type *type = rule->operand[carried + i];
    int axis;
    if (!type) {
        return gali_rule_fail(rule, "scanned input %u is not given", i + 1);
    }
    *slice = (gali_type){.element = type->element, .rank = -1};
    if (type->rank < 0) {
        return GAL_OK;
    }
    gal_status status = gali_rule_axis(rule, listed(rule->node, "scan_input_axes", i), type->rank, &axis);
    for (int d = 0; status == GAL_OK && d < type->rank; d++) {
        if (d != axis) {
            slice->shape[d - (d > axis)] = type->shape[d];
        }
    }
    slice->rank = status == GAL_OK ? type->rank - 1 : -1;
    return status == GAL_OK ? gali_rule_same(rule, *count, type->shape[axis], count) : status;
}

gal_status gali_rule_scan(gali_rule *rule) {
    const gali_node *node = rule->node;
    uint32_t carried = carried_of(node);
    gali_extent count = GALI_EXTENT_UNKNOWN;
    gal_status status = scan_shape(rule);
    if (status != GAL_OK || is_running(rule)) {
        return status;
    }
    gali_graph *body = node->bodies[0];
    uint32_t scanned = (uint32_t)gali_node_int(node, "num_scan_inputs");
    gali_type *types = gali_arena_take(rule->graph->arena, (carried + 1) * sizeof *types);
    if (!types) {
        return gali_rule_fail(rule, "no memory");
    }
    for (uint32_t i = 0; status == GAL_OK && i < scanned; i++) {
        gali_type slice;
        status = slice_type(rule, carried, i, &slice, &count);
        give(body, carried + i, &slice, NULL);
    }
    if (status == GAL_OK) {
        status = give_captured(rule, body, carried + scanned, carried + scanned);
    }
    if (status == GAL_OK) {
        status = begin_carried(rule, 0, carried, types);
    }
    if (status == GAL_OK) {
        status = infer_carried(rule, body, 0, 0, carried, types);
    }
    for (uint32_t i = 0; status == GAL_OK && i < node->result_count; i++) {
        if (i < carried) {
            rule->result[i] = types[i];
        } else {
            status = stacked(rule, &output_of(body, i)->type, listed(node, "scan_output_axes", i - carried),
                             count, &rule->result[i]);
        }
    }
    status = status == GAL_OK ? hide_inner(rule) : status;
    for (uint32_t i = 0; status == GAL_OK && i < carried; i++) {
        bound_carried(body, rule->operand[i], &types[i], &output_of(body, i)->type, count);
        bound_result(rule, i, &types[i], &types[i]);
    }
    return status;
}

/* Slice `at` along the axis of a scanned input, into y, which has been made. */
static void take_slice(const gali_tensor *x, uint32_t axis, int64_t at, gali_tensor *y) {
    size_t inner = 1, n = (size_t)x->shape[axis];
    for (uint32_t d = axis + 1; d < x->rank; d++) {
        inner *= (size_t)x->shape[d];
    }
    for (size_t e = 0; e < y->count; e++) {
        gali_tensor_move(y, e, x, (e / inner * n + (size_t)at) * inner + e % inner);
    }
}

/* Makes the slices of one trip. */
static gal_status make_slices(gali_run *run, const gali_node *node, const gali_tensor *const *scanned,
                              uint32_t count, int64_t trip, gali_tensor *slices) {
    gal_status status = GAL_OK;
    for (uint32_t i = 0; status == GAL_OK && i < count; i++) {
        const gali_tensor *x = scanned[i];
        int64_t named = listed(node, "scan_input_axes", i), shape[GALI_RANK_MAX] = {0};
        uint32_t axis = (uint32_t)(named < 0 ? named + x->rank : named);
        for (uint32_t d = 0; d < x->rank; d++) {
            if (d != axis) {
                shape[d - (d > axis)] = x->shape[d];
            }
        }
        int reversed = listed(node, "scan_input_directions", i) != 0;
        status = gali_tensor_make(run, &slices[i], x->element, x->rank - 1, shape);
        if (status == GAL_OK) {
            take_slice(x, axis, reversed ? x->shape[axis] - 1 - trip : trip, &slices[i]);
        }
    }
    return status;
}

gal_status gali_truth_scan(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                           gali_tensor *results) {
    const gali_graph *body = node->bodies[0];
    uint32_t scanned = (uint32_t)gali_node_int(node, "num_scan_inputs");
    trips t = {.carried = carried_of(node)};
    t.scanned = node->result_count - t.carried;
    const gali_tensor *const *inputs = operands + t.carried;
    int64_t axis = listed(node, "scan_input_axes", 0);
    int64_t count = inputs[0]->shape[axis < 0 ? axis + inputs[0]->rank : axis];
    gal_status status = begin_trips(run, node, operands, &t);
    gali_tensor *slices = gali_arena_take(&t.arena, scanned * sizeof *slices);
    status = status == GAL_OK && !slices ? out_of_memory(run, node) : status;
    for (int64_t trip = 0; status == GAL_OK && trip < count; trip++) {
        status = make_slices(run, node, inputs, scanned, trip, slices);
        for (uint32_t i = 0; i < body->input_count; i++) {
            t.inputs[i] = i < t.carried             ? &t.values[i]
                          : i < t.carried + scanned ? &slices[i - t.carried]
                                                    : operands[i];
        }
        if (status == GAL_OK) {
            status = make_trip(run, node, 0, &t);
        }
        for (uint32_t i = 0; i < scanned; i++) {
            gali_tensor_release(run, &slices[i]);
        }
    }
    if (status == GAL_OK) {
        status = finish_trips(run, node, 0, gali_node_attribute(node, "scan_output_axes"),
                              gali_node_attribute(node, "scan_output_directions"), &t, results);
    }
    end_trips(run, &t);
    return status;
}
