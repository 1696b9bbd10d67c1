/*
 * Nodes with bodies as stages in blocks between steps:
 *
 *     If      IF condition; the first body; ELSE; the second; END_IF
 *     Loop    carried results = first values; LOOP; the body; carried results = its values; END_LOOP
 *     Scan    the same, with slices of the scanned inputs
 *
 * A body reads captured tensors where they are. What a branch gives lies in the memory of the node's result, and so do the
 * carried values of a loop, from the first trip to the last: the body's are copied there at the end of each trip, once all
 * of it is computed. A scanned output is made in its row of the result, a scanned input is read from its row.
 *
 * RNN, GRU and LSTM are built as the graphs that they are (graph/ops/recurrent.h).
 *
 * A size that changes from trip to trip, or that a branch says, is a symbol, which steps set.
 */
#include <string.h>

#include "base/error.h"
#include "compiler/program/build.h"
#include "graph/ops/recurrent.h"

enum { TRIPS, CONDITION, CARRIED }; /* operands of Loop, inputs of its body */

/* What the node's result has as sizes of its own is what the inner shape says. */
static gal_status tell_sizes(gali_builder *b, const gali_type *result, const gali_type *inner) {
    gal_status status = GAL_OK;
    for (int d = 0; status == GAL_OK && d < result->rank; d++) {
        int symbol = gali_extent_as_symbol(b->program->graph->extents, result->shape[d]);
        if (symbol >= 0 && result->shape[d] != inner->shape[d]) {
            status = gali_program_add_size(b, (uint32_t)symbol, inner->shape[d]);
        }
    }
    return status;
}

/* The tensor's values, which this block has made, in the memory of `home`: made there, or copied. */
static gal_status put(gali_builder *b, uint32_t tensor, uint32_t home, gali_extent row) {
    gali_program *p = b->program;
    gali_program_tensor *t = &p->tensors[tensor];
    uint32_t inside;
    if (t->role == GALI_TENSOR_MADE && t->block == b->block && t->stage != GALI_NONE) {
        t->role = GALI_TENSOR_KEPT;
        t->home = home;
        t->row = row;
        return GAL_OK;
    }
    gali_type type = t->type;
    gal_status status = gali_program_add_inside(b, t->name, &type, home, row, &inside);
    return status == GAL_OK ? gali_program_add_copy(b, inside, tensor, NULL) : status;
}

static gal_status put_result(gali_builder *b, uint32_t tensor, uint32_t result) {
    gali_program_keep(b, result);
    gal_status status = put(b, tensor, result, 0);
    return status == GAL_OK ? gali_program_add_fence(b) : status;
}

static uint32_t operand_tensor(const gali_scope *scope, const gali_node *node, uint32_t i) {
    int given = i < node->operand_count && node->operands[i] != GALI_NONE;
    return given ? scope->tensor[node->operands[i]] : GALI_NONE;
}

static gal_status refuse(const gali_builder *b, const gali_scope *scope, const gali_node *node,
                         const char *why) {
    return gali_fail(b->error, GAL_UNSUPPORTED, "%s: %s", gali_node_place(scope->graph, node), why);
}

/* ---- If ---- */

/* The branch that is taken whatever runs: its condition is a constant, or in the other nothing fits. -1: none. */
static int only_branch(const gali_builder *b, const gali_scope *scope, const gali_node *node) {
    const gali_program_tensor *condition = &b->program->tensors[operand_tensor(scope, node, 0)];
    for (int k = 0; k < 2 && !condition->data; k++) {
        const gali_graph *body = node->bodies[k];
        if (body->values[body->outputs[0]].type.rank < 0) {
            return 1 - k;
        }
    }
    return condition->data ? *(const unsigned char *)condition->data == 0 : -1;
}

/*
 * The stages of a graph in place of a node, whose operands from `first` on that are given are its inputs, and its outputs as
 * the node's results; only: nothing else makes them.
 */
static gal_status build_inline(gali_builder *b, const gali_scope *scope, const gali_node *node,
                               const gali_graph *body, uint32_t first, int only) {
    gali_scope inner = {.graph = body};
    uint32_t *inputs = gali_arena_take(b->program->arena, (node->operand_count + 1) * sizeof *inputs);
    uint32_t given = 0;
    for (uint32_t i = first; inputs && i < node->operand_count; i++) {
        if (node->operands[i] != GALI_NONE) {
            inputs[given++] = operand_tensor(scope, node, i);
        }
    }
    gal_status status = inputs ? gali_program_add_graph(b, &inner, inputs) : gali_program_no_memory(b);
    for (uint32_t i = 0; status == GAL_OK && i < node->result_count; i++) {
        uint32_t result = node->results[i] == GALI_NONE ? GALI_NONE : scope->tensor[node->results[i]];
        if (result == GALI_NONE) {
            continue;
        }
        const gali_type type = b->program->tensors[result].type;
        status = tell_sizes(b, &type, &body->values[body->outputs[i]].type);
        if (status == GAL_OK) {
            uint32_t made = inner.tensor[body->outputs[i]];
            int same = gali_type_equal(&type, &b->program->tensors[made].type);
            status = only && same ? gali_program_add_copy(b, result, made, NULL) : put_result(b, made, result);
        }
    }
    return status;
}

static gal_status build_if(gali_builder *b, const gali_scope *scope, const gali_node *node) {
    uint32_t outer = b->block, condition = operand_tensor(scope, node, 0);
    gali_program_step step = {
        .kind = GALI_CONTROL_IF, .tensor = condition, .test = GALI_NONE, .symbol = GALI_NONE};
    int only = only_branch(b, scope, node);
    if (only >= 0) {
        return build_inline(b, scope, node, node->bodies[only], 1, 1);
    }
    gali_program_keep(b, condition);
    gal_status status = gali_program_add_step(b, &step);
    for (int k = 0; status == GAL_OK && k < 2; k++) {
        status = gali_program_add_block(b, outer, 0);
        status = status == GAL_OK ? build_inline(b, scope, node, node->bodies[k], 1, 0) : status;
        step = (gali_program_step){.kind = k ? GALI_CONTROL_END_IF : GALI_CONTROL_ELSE,
                                   .tensor = GALI_NONE,
                                   .test = GALI_NONE,
                                   .symbol = GALI_NONE};
        status = status == GAL_OK ? gali_program_add_step(b, &step) : status;
        b->program->blocks[b->block].end = b->program->stage_count;
    }
    b->block = outer;
    return status;
}

/* ---- Loop and Scan ---- */

/* A loop that is being built. Outputs of the body: `first` of its own, carried, scanned. */
typedef struct loop {
    const gali_scope *scope;
    const gali_node *node;
    const gali_graph *body;
    uint32_t carried, scanned, first;
    gali_extent trip, trips; /* the number of a trip, a symbol; how many there are, or UNKNOWN */
    uint32_t *inputs;        /* [inputs of the body] */
    uint32_t *home;          /* [results] the node's results, and those that nobody wants */
    gali_scope inner;
} loop;

static uint32_t output_tensor(const loop *l, uint32_t i) {
    return l->inner.tensor[l->body->outputs[i]];
}

static int64_t listed(const gali_node *node, const char *name, uint32_t i) {
    const gali_attribute *list = gali_node_attribute(node, name);
    return list && i < list->count ? list->ints[i] : 0;
}

/* The axis of the body's extent that scanned output i is stacked along. */
static uint32_t axis_of(int64_t axis, int rank) {
    return (uint32_t)(axis < 0 ? axis + rank : axis);
}

/* A type with axis `axis` first. */
static gali_type turned(const gali_type *type, uint32_t axis, uint32_t perm[GALI_RANK_MAX]) {
    gali_type made = {.element = type->element, .rank = type->rank};
    for (uint32_t i = 0; i < (uint32_t)type->rank; i++) {
        perm[i] = i == 0 ? axis : i <= axis ? i - 1 : i;
        made.shape[i] = type->shape[perm[i]];
    }
    return made;
}

static gal_status add_kept(gali_builder *b, const char *name, const gali_type *type, uint32_t *number) {
    return gali_program_add_inside(b, name, type, GALI_NONE, 0, number);
}

/*
 * Memory for each result: the node's, or, where a carried one is not wanted or a scanned one is stacked along another axis
 * than the first, one of its own. A scanned one that nobody wants has none.
 */
static gal_status make_homes(gali_builder *b, loop *l) {
    gal_status status = GAL_OK;
    for (uint32_t i = 0; status == GAL_OK && i < l->carried + l->scanned; i++) {
        uint32_t value = l->node->results[i], perm[GALI_RANK_MAX];
        const gali_type *inner = &l->body->values[l->body->outputs[l->first + i]].type;
        if (value == GALI_NONE) {
            l->home[i] = GALI_NONE;
            status = i < l->carried ? add_kept(b, "unused", inner, &l->home[i]) : GAL_OK;
            continue;
        }
        l->home[i] = l->scope->tensor[value];
        gali_type type = b->program->tensors[l->home[i]].type;
        uint32_t axis =
            i < l->carried ? 0 : axis_of(listed(l->node, "scan_output_axes", i - l->carried), type.rank);
        if (axis) {
            type = turned(&type, axis, perm);
            status = add_kept(b, "stacked", &type, &l->home[i]);
        } else {
            gali_program_keep(b, l->home[i]);
        }
    }
    return status;
}

/* The carried values as the body reads them, and their first values. */
static gal_status begin_carried(gali_builder *b, loop *l, uint32_t operand) {
    gal_status status = GAL_OK;
    for (uint32_t i = 0; status == GAL_OK && i < l->carried; i++) {
        const gali_value *input = &l->body->values[l->body->inputs[operand + i]];
        uint32_t first = operand_tensor(l->scope, l->node, operand + i), begun;
        const gali_type type = b->program->tensors[first].type;
        status = gali_program_add_inside(b, input->name, &type, l->home[i], 0, &begun);
        status = status == GAL_OK ? gali_program_add_copy(b, begun, first, NULL) : status;
        status = status == GAL_OK ? tell_sizes(b, &input->type, &type) : status;
        status = status == GAL_OK ? gali_program_add_inside(b, input->name, &input->type, l->home[i], 0,
                                                            &l->inputs[operand + i])
                                  : status;
    }
    return status;
}

/* Sizes of carried values that change take their next values at once, since one may be made of another. */
static gal_status carry_sizes(gali_builder *b, const loop *l, uint32_t operand) {
    gali_extents *x = b->program->graph->extents;
    uint32_t count = 0, most = l->carried * GALI_RANK_MAX;
    uint32_t *symbols = gali_arena_take(b->program->arena, (most + 1) * sizeof *symbols);
    gali_extent *next = gali_arena_take(b->program->arena, (most + 1) * sizeof *next);
    gal_status status = symbols && next ? GAL_OK : gali_program_no_memory(b);
    for (uint32_t i = 0; status == GAL_OK && i < l->carried; i++) {
        const gali_type *type = &l->body->values[l->body->inputs[operand + i]].type;
        const gali_type *made = &l->body->values[l->body->outputs[l->first + i]].type;
        for (int d = 0; status == GAL_OK && d < type->rank; d++) {
            int symbol = gali_extent_as_symbol(x, type->shape[d]);
            if (symbol < 0 || type->shape[d] == made->shape[d]) {
                continue;
            }
            next[count] = gali_extent_fresh(x, "next", 0, GALI_EXTENT_LARGEST);
            symbols[count] = (uint32_t)symbol;
            int own = gali_extent_as_symbol(x, next[count++]);
            if (own < 0) {
                return gali_program_no_memory(b);
            }
            gali_extent_set_bound(x, (uint32_t)own, gali_extent_bound(x, (uint32_t)symbol));
            status = gali_program_add_size(b, (uint32_t)own, made->shape[d]);
        }
    }
    for (uint32_t i = 0; status == GAL_OK && i < count; i++) {
        status = gali_program_add_size(b, symbols[i], next[i]);
    }
    return status;
}

/* Whether a tensor lies where a loop carries a value. */
static int is_carried(const gali_builder *b, const loop *l, uint32_t tensor) {
    int carried = 0;
    for (uint32_t i = 0; i < l->carried; i++) {
        carried |= b->program->tensors[tensor].home == l->home[i];
    }
    return carried;
}

/* At the end of a trip: what the body made becomes the carried values. */
static gal_status carry(gali_builder *b, loop *l, uint32_t operand) {
    gal_status status = GAL_OK;
    uint32_t *from = gali_arena_take(b->program->arena, (l->carried + 1) * sizeof *from);
    for (uint32_t i = 0; status == GAL_OK && from && i < l->carried; i++) {
        from[i] = output_tensor(l, l->first + i);
        gali_program_keep(b, from[i]);
        if (is_carried(b, l, from[i]) && from[i] != l->inputs[operand + i]) { /* others may take its place */
            uint32_t before = from[i];
            const gali_type type = b->program->tensors[before].type;
            status = add_kept(b, "carried", &type, &from[i]);
            status = status == GAL_OK ? gali_program_add_copy(b, from[i], before, NULL) : status;
        }
    }
    status = status == GAL_OK ? gali_program_add_fence(b) : status;
    for (uint32_t i = 0; status == GAL_OK && from && i < l->carried; i++) {
        uint32_t to;
        const gali_type type = b->program->tensors[from[i]].type;
        if (from[i] != l->inputs[operand + i]) {
            status = gali_program_add_inside(b, "carried", &type, l->home[i], 0, &to);
            status = status == GAL_OK ? gali_program_add_copy(b, to, from[i], NULL) : status;
        }
    }
    status = from ? status : gali_program_no_memory(b);
    return status == GAL_OK ? carry_sizes(b, l, operand) : status;
}

/* The row of this trip: of `count` backwards if reversed. */
static gali_extent row_of(const gali_builder *b, const loop *l, int reversed) {
    gali_extents *x = b->program->graph->extents;
    return reversed ? gali_extent_sub(x, gali_extent_sub(x, l->trips, 1), l->trip) : l->trip;
}

/* The scanned outputs' values of this trip in their rows. */
static gal_status stack(gali_builder *b, loop *l) {
    gal_status status = GAL_OK;
    for (uint32_t i = 0; status == GAL_OK && i < l->scanned; i++) {
        uint32_t made = output_tensor(l, l->first + l->carried + i), home = l->home[l->carried + i];
        if (home == GALI_NONE) {
            continue;
        }
        const gali_type *row = &b->program->tensors[made].type, *whole = &b->program->tensors[home].type;
        if (memcmp(row->shape, whole->shape + 1, (size_t)row->rank * sizeof *row->shape) != 0) {
            return refuse(b, l->scope, l->node, "a scanned output whose shape only its body tells");
        }
        status = put(b, made, home, row_of(b, l, listed(l->node, "scan_output_directions", i) != 0));
    }
    return status;
}

/* Behind the loop: sizes of the results, and those that are stacked along another axis than the first. */
static gal_status finish(gali_builder *b, loop *l, uint32_t operand) {
    gal_status status = GAL_OK;
    for (uint32_t i = 0; status == GAL_OK && i < l->carried + l->scanned; i++) {
        uint32_t value = l->node->results[i], perm[GALI_RANK_MAX] = {0}, back[GALI_RANK_MAX] = {0};
        if (value == GALI_NONE) {
            continue;
        }
        uint32_t result = l->scope->tensor[value];
        const gali_type type = b->program->tensors[result].type;
        gali_type inner = type;
        if (i < l->carried) {
            inner = l->body->values[l->body->inputs[operand + i]].type;
        } else if (l->first) { /* of Loop: as many as there were trips */
            inner.shape[0] = l->trip;
        }
        status = tell_sizes(b, &type, &inner);
        if (status == GAL_OK && l->home[i] != result) {
            (void)turned(&type, axis_of(listed(l->node, "scan_output_axes", i - l->carried), type.rank), perm);
            for (uint32_t k = 0; k < (uint32_t)type.rank; k++) {
                back[perm[k]] = k;
            }
            status = gali_program_add_copy(b, result, l->home[i], back);
        }
    }
    return status;
}

/* The number of a trip as a tensor, where it is read as one. */
static gal_status add_trip(gali_builder *b, const loop *l, uint32_t *number) {
    gali_program_tensor t = {.name = "trip",
                             .type = {.element = GALI_i64},
                             .value = GALI_NONE,
                             .stage = GALI_NONE,
                             .home = GALI_NONE};
    gali_express x = {.arena = b->program->arena, .extents = b->program->graph->extents};
    gal_status status = gali_program_add_tensor(b, &t, number);
    gali_program_stage stage = {.tensor = *number, .node = GALI_NONE, .value = gali_x_extent(&x, l->trip)};
    return status == GAL_OK ? gali_program_add_stage(b, &stage) : status;
}

static gal_status build_body(gali_builder *b, loop *l, const gali_program_step *begin, uint32_t operand) {
    uint32_t outer = b->block;
    gali_program_step end = {
        .kind = GALI_CONTROL_END_LOOP, .tensor = GALI_NONE, .test = GALI_NONE, .symbol = begin->symbol};
    gal_status status = gali_program_tell(b, begin->symbol, GALI_TOLD_BY_STEP);
    status = status == GAL_OK ? gali_program_add_step(b, begin) : status;
    status = status == GAL_OK ? gali_program_add_block(b, outer, 1) : status;
    uint32_t block = b->block;
    l->inner.graph = l->body;
    if (status == GAL_OK && l->first) {
        status = add_trip(b, l, &l->inputs[TRIPS]);
    }
    status = status == GAL_OK ? gali_program_add_graph(b, &l->inner, l->inputs) : status;
    status = status == GAL_OK ? stack(b, l) : status;
    if (status == GAL_OK && l->first) {
        uint32_t test = output_tensor(l, 0);
        const unsigned char *always = b->program->tensors[test].data;
        end.test = always && *always ? GALI_NONE : test;
        gali_program_keep(b, test);
    }
    status = status == GAL_OK ? carry(b, l, operand) : status;
    status = status == GAL_OK ? gali_program_add_step(b, &end) : status;
    if (status == GAL_OK) {
        b->program->blocks[block].end = b->program->stage_count;
    }
    b->block = outer;
    return status == GAL_OK ? finish(b, l, operand) : status;
}

static gal_status make_loop(gali_builder *b, loop *l) {
    gali_arena *arena = b->program->arena;
    l->body = l->node->bodies[0];
    l->carried = (uint32_t)gali_node_int(l->node, "carried");
    l->scanned = l->node->result_count - l->carried;
    l->inputs = gali_arena_take(arena, (l->body->input_count + 1) * sizeof *l->inputs);
    l->home = gali_arena_take(arena, (l->node->result_count + 1) * sizeof *l->home);
    for (uint32_t i = 0; l->inputs && i < l->body->input_count; i++) {
        l->inputs[i] = operand_tensor(l->scope, l->node, i); /* of those that are captured */
    }
    return l->inputs && l->home ? make_homes(b, l) : gali_program_no_memory(b);
}

/* A constant of one element that is that number. */
static gal_status add_constant(gali_builder *b, const char *name, gali_element element, uint32_t *number) {
    static const unsigned char one[8] = {1};
    gali_program_tensor t = {.name = name,
                             .type = {.element = element},
                             .role = GALI_TENSOR_CONSTANT,
                             .value = GALI_NONE,
                             .stage = GALI_NONE,
                             .home = GALI_NONE,
                             .data = one};
    return gali_program_add_tensor(b, &t, number);
}

static gal_status build_loop(gali_builder *b, const gali_scope *scope, const gali_node *node) {
    gali_extents *x = b->program->graph->extents;
    const gali_graph *body = node->bodies[0];
    const gali_extent *trip = body->values[body->inputs[TRIPS]].known;
    const gali_value *trips =
        node->operands[TRIPS] == GALI_NONE ? NULL : &scope->graph->values[node->operands[TRIPS]];
    loop l = {.scope = scope,
              .node = node,
              .first = 1,
              .trip = trip ? *trip : GALI_EXTENT_UNKNOWN,
              .trips = trips && trips->known ? gali_extent_most(x, 0, *trips->known) : GALI_EXTENT_UNKNOWN};
    int symbol = gali_extent_as_symbol(x, l.trip);
    if (symbol < 0) {
        return refuse(b, scope, node, "its shapes are not inferred");
    }
    gal_status status = make_loop(b, &l);
    status = status == GAL_OK ? begin_carried(b, &l, CARRIED) : status;
    status = status == GAL_OK ? add_constant(b, "condition", GALI_truth, &l.inputs[CONDITION]) : status;
    gali_program_step begin = {.kind = GALI_CONTROL_LOOP,
                               .tensor = operand_tensor(scope, node, TRIPS),
                               .test = operand_tensor(scope, node, CONDITION),
                               .symbol = (uint32_t)symbol,
                               .extent = l.trips};
    if (status == GAL_OK && begin.test != GALI_NONE) {
        const unsigned char *always = b->program->tensors[begin.test].data;
        gali_program_keep(b, begin.test);
        begin.test = always && *always ? GALI_NONE : begin.test;
    }
    if (begin.extent != GALI_EXTENT_UNKNOWN) {
        begin.tensor = GALI_NONE;
    } else if (begin.tensor != GALI_NONE) {
        gali_program_keep(b, begin.tensor);
    }
    return status == GAL_OK ? build_body(b, &l, &begin, CARRIED) : status;
}

/* Scanned input i as the body reads it: a row. */
static gal_status slice(gali_builder *b, loop *l, uint32_t i) {
    uint32_t operand = l->carried + i, from = operand_tensor(l->scope, l->node, operand), perm[GALI_RANK_MAX];
    const gali_type type = b->program->tensors[from].type;
    const gali_value *input = &l->body->values[l->body->inputs[operand]];
    uint32_t axis = axis_of(listed(l->node, "scan_input_axes", i), type.rank);
    gal_status status = GAL_OK;
    gali_program_keep(b, from);
    int constant = b->program->tensors[from].role == GALI_TENSOR_CONSTANT; /* which may lie in another order */
    if (axis || constant) {
        const gali_type first = turned(&type, axis, perm);
        uint32_t whole = from;
        status = add_kept(b, "scanned", &first, &from);
        status = status == GAL_OK ? gali_program_add_copy(b, from, whole, perm) : status;
    }
    gali_extent row = row_of(b, l, listed(l->node, "scan_input_directions", i) != 0);
    return status == GAL_OK
               ? gali_program_add_inside(b, input->name, &input->type, from, row, &l->inputs[operand])
               : status;
}

static gal_status build_scan(gali_builder *b, const gali_scope *scope, const gali_node *node) {
    gali_extents *x = b->program->graph->extents;
    uint32_t scanned = (uint32_t)gali_node_int(node, "num_scan_inputs");
    loop l = {.scope = scope, .node = node, .trip = gali_extent_fresh(x, "trip", 0, GALI_EXTENT_LARGEST)};
    uint32_t first = operand_tensor(scope, node, (uint32_t)gali_node_int(node, "carried"));
    const gali_type type = b->program->tensors[first].type;
    l.trips = type.shape[axis_of(listed(node, "scan_input_axes", 0), type.rank)];
    int symbol = gali_extent_as_symbol(x, l.trip);
    if (symbol < 0) {
        return gali_program_no_memory(b);
    }
    gali_extent_set_bound(x, (uint32_t)symbol, gali_extent_sub(x, l.trips, 1));
    gali_program_step begin = {.kind = GALI_CONTROL_LOOP,
                               .tensor = GALI_NONE,
                               .test = GALI_NONE,
                               .symbol = (uint32_t)symbol,
                               .extent = l.trips};
    gal_status status = make_loop(b, &l);
    for (uint32_t i = 0; status == GAL_OK && i < scanned; i++) {
        status = slice(b, &l, i);
    }
    status = status == GAL_OK ? begin_carried(b, &l, 0) : status;
    return status == GAL_OK ? build_body(b, &l, &begin, 0) : status;
}

static gal_status build_recurrent(gali_builder *b, const gali_scope *scope, const gali_node *node) {
    gali_graph *graph;
    gal_status status = gali_recurrent_graph(&graph, scope->graph, node, b->error);
    return status == GAL_OK ? build_inline(b, scope, node, graph, 0, 1) : status;
}

gal_status gali_program_add_control(gali_builder *b, const gali_scope *scope, const gali_node *node) {
    switch (node->op) {
    case GALI_OP_If:
        return build_if(b, scope, node);
    case GALI_OP_Loop:
        return build_loop(b, scope, node);
    case GALI_OP_Scan:
        return build_scan(b, scope, node);
    default:
        return build_recurrent(b, scope, node);
    }
}
