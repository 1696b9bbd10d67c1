/* Stages of all nodes: each node's expression, with tensors of the graph in place of its operands. */
#include <string.h>

#include "base/error.h"
#include "compiler/program/build.h"
#include "graph/evaluate.h"

gal_status gali_program_no_memory(gali_builder *b) {
    return gali_fail(b->error, GAL_NO_MEMORY, "no memory for a program");
}

/* The list with room for one more; NULL without memory. */
static void *room(const gali_builder *b, void *list, uint32_t count, uint32_t *capacity, size_t size) {
    if (count < *capacity) {
        return list;
    }
    uint32_t more = *capacity ? 2 * *capacity : 64;
    void *copy = gali_arena_take(b->program->arena, more * size);
    if (copy && count) {
        memcpy(copy, list, count * size);
    }
    *capacity = copy ? more : *capacity;
    return copy;
}

gal_status gali_program_add_tensor(gali_builder *b, const gali_program_tensor *tensor, uint32_t *number) {
    gali_program *p = b->program;
    p->tensors = room(b, p->tensors, p->tensor_count, &b->tensor_capacity, sizeof *p->tensors);
    if (!p->tensors) {
        return gali_program_no_memory(b);
    }
    *number = p->tensor_count++;
    p->tensors[*number] = *tensor;
    p->tensors[*number].block = b->block;
    for (uint8_t d = 0; d < GALI_RANK_MAX; d++) {
        p->tensors[*number].order[d] = d;
    }
    return GAL_OK;
}

gal_status gali_program_add_inside(gali_builder *b, const char *name, const gali_type *type, uint32_t home,
                                   gali_extent row, uint32_t *number) {
    gali_program_tensor t = {.name = name,
                             .type = *type,
                             .role = GALI_TENSOR_KEPT,
                             .value = GALI_NONE,
                             .stage = GALI_NONE,
                             .home = home,
                             .row = row};
    return gali_program_add_tensor(b, &t, number);
}

void gali_program_keep(gali_builder *b, uint32_t tensor) {
    gali_program_tensor *t = &b->program->tensors[tensor];
    t->role = t->role == GALI_TENSOR_MADE ? GALI_TENSOR_KEPT : t->role;
}

gal_status gali_program_add_step(gali_builder *b, const gali_program_step *step) {
    gali_program *p = b->program;
    p->steps = room(b, p->steps, p->step_count, &b->step_capacity, sizeof *p->steps);
    if (!p->steps) {
        return gali_program_no_memory(b);
    }
    p->steps[p->step_count] = *step;
    p->steps[p->step_count].before = p->stage_count;
    p->steps[p->step_count++].block = b->block;
    return GAL_OK;
}

gal_status gali_program_add_fence(gali_builder *b) {
    return gali_program_add_step(
        b, &(gali_program_step){
               .kind = GALI_CONTROL_FENCE, .tensor = GALI_NONE, .test = GALI_NONE, .symbol = GALI_NONE});
}

gal_status gali_program_add_block(gali_builder *b, uint32_t parent, int repeats) {
    gali_program *p = b->program;
    p->blocks = room(b, p->blocks, p->block_count, &b->block_capacity, sizeof *p->blocks);
    if (!p->blocks) {
        return gali_program_no_memory(b);
    }
    b->block = p->block_count;
    p->blocks[p->block_count++] = (gali_program_block){.parent = parent, .repeats = repeats};
    return GAL_OK;
}

gal_status gali_program_tell(gali_builder *b, uint32_t symbol, gali_told by) {
    gali_program *p = b->program;
    while (p->told_count <= symbol) {
        p->told = room(b, p->told, p->told_count, &b->told_capacity, sizeof *p->told);
        if (!p->told) {
            return gali_program_no_memory(b);
        }
        p->told[p->told_count++] = GALI_TOLD_BY_NONE;
    }
    p->told[symbol] = p->told[symbol] == GALI_TOLD_BY_NONE ? by : p->told[symbol];
    return GAL_OK;
}

gal_status gali_program_add_size(gali_builder *b, uint32_t symbol, gali_extent extent) {
    gali_program_step step = {
        .kind = GALI_CONTROL_SIZE, .tensor = GALI_NONE, .test = GALI_NONE, .symbol = symbol, .extent = extent};
    gal_status status = gali_program_tell(b, symbol, GALI_TOLD_BY_STEP);
    return status == GAL_OK ? gali_program_add_step(b, &step) : status;
}

/* ---- stages ---- */

/* A scalar of a node's expression as one of the program; the same scalar twice is the same one again. */
typedef struct moved {
    const gali_scalar *from, *to;
    struct moved *next;
} moved;

typedef struct mover {
    gali_builder *b;
    const gali_scope *scope;
    const gali_node *node;
    const uint32_t *stage_tensor; /* of the node's stages */
    moved *list[64];
} mover;

/* The one element of a value that is known as an extent, as the extent; NULL where it is none. */
static const gali_scalar *known_scalar(const mover *m, const gali_scalar *load) {
    const gali_graph *graph = m->scope->graph;
    const gali_value *v = &graph->values[m->node->operands[load->source]];
    int whole = load->element == GALI_i64 && v->known && gali_type_count(graph->extents, &v->type) == 1;
    gali_express x = {.arena = m->b->program->arena, .extents = graph->extents};
    return whole && !gali_extent_is_number(*v->known) ? gali_x_extent(&x, *v->known) : NULL;
}

static const gali_scalar *move(mover *m, const gali_scalar *from) {
    if (!from) {
        return NULL;
    }
    moved **bucket = &m->list[((uintptr_t)from >> 6) % 64];
    for (const moved *entry = *bucket; entry; entry = entry->next) {
        if (entry->from == from) {
            return entry->to;
        }
    }
    const gali_scalar *known = from->op == GALI_SCALAR_load ? known_scalar(m, from) : NULL;
    gali_arena *arena = m->b->program->arena;
    gali_scalar *to = gali_arena_take(arena, sizeof *to);
    moved *entry = gali_arena_take(arena, sizeof *entry);
    if (known || !to || !entry) {
        return to && entry ? known : NULL;
    }
    *to = *from;
    for (int i = 0; i < 3; i++) {
        to->operand[i] = move(m, from->operand[i]);
    }
    for (int i = 0; i < GALI_RANK_MAX; i++) {
        to->index[i] = move(m, from->index[i]);
    }
    if (from->op == GALI_SCALAR_stage) {
        to->op = GALI_SCALAR_load;
        to->source = m->stage_tensor[from->source];
    } else if (from->op == GALI_SCALAR_load) {
        to->source = m->scope->tensor[m->node->operands[from->source]];
    }
    *entry = (moved){from, to, *bucket};
    *bucket = entry;
    return to;
}

gal_status gali_program_add_stage(gali_builder *b, const gali_program_stage *stage) {
    gali_program *p = b->program;
    p->stages = room(b, p->stages, p->stage_count, &b->stage_capacity, sizeof *p->stages);
    if (!p->stages || !stage->value) {
        return gali_program_no_memory(b);
    }
    p->tensors[stage->tensor].stage = p->stage_count;
    p->stages[p->stage_count] = *stage;
    p->stages[p->stage_count++].block = b->block;
    return GAL_OK;
}

gal_status gali_program_add_copy(gali_builder *b, uint32_t to, uint32_t from, const uint32_t *perm) {
    gali_program *p = b->program;
    const gali_type *type = &p->tensors[from].type, *types = type;
    gali_express x = {.arena = p->arena, .extents = p->graph->extents, .operand = &types};
    gali_program_stage stage = {.tensor = to, .node = GALI_NONE, .rank = (uint32_t)type->rank};
    const gali_scalar *index[GALI_RANK_MAX] = {NULL};
    for (uint32_t i = 0; i < stage.rank; i++) {
        uint32_t axis = perm ? perm[i] : i;
        index[axis] = gali_x_axis(&x, i);
        stage.extent[i] = type->shape[axis];
    }
    const gali_scalar *copied = gali_x_load(&x, 0, index);
    gali_scalar *load = gali_arena_take(p->arena, sizeof *load);
    if (!load || !copied) {
        return gali_program_no_memory(b);
    }
    *load = *copied;
    load->source = from;
    stage.value = load;
    return gali_program_add_stage(b, &stage);
}

static gal_status move_stage(gali_builder *b, mover *m, const gali_stage_of *from, uint32_t tensor) {
    gali_program_stage stage = {.tensor = tensor,
                                .node = m->scope->first + (uint32_t)(m->node - m->scope->graph->nodes),
                                .rank = from->rank,
                                .reduced = from->reduced,
                                .start = move(m, from->start),
                                .value = move(m, from->value)};
    memcpy(stage.extent, from->extent, sizeof from->extent);
    return gali_program_add_stage(b, &stage);
}

/* The symbol of the extent that a stage tells; GALI_NONE where it tells none, or one that is told already. */
static uint32_t told_by(const gali_builder *b, const gali_scope *scope, const gali_node *node,
                        const gali_stage_of *stage) {
    if (!stage->tells) {
        return GALI_NONE;
    }
    const gali_type *type = &scope->graph->values[node->results[0]].type;
    int symbol = gali_extent_as_symbol(b->program->graph->extents, type->shape[stage->tells - 1]);
    return symbol >= 0 && gali_program_told(b->program, (uint32_t)symbol) == GALI_TOLD_BY_NONE
               ? (uint32_t)symbol
               : GALI_NONE;
}

/* Reads the size that the tensor's element is. */
static gal_status read_size(gali_builder *b, uint32_t tensor, uint32_t symbol, gali_extent element) {
    gali_program_step step = {
        .kind = GALI_CONTROL_READ, .tensor = tensor, .test = GALI_NONE, .symbol = symbol, .extent = element};
    gali_program_keep(b, tensor);
    gal_status status = gali_program_tell(b, symbol, GALI_TOLD_BY_STEP);
    return status == GAL_OK ? gali_program_add_step(b, &step) : status;
}

static gal_status build_stages(gali_builder *b, const gali_scope *scope, const gali_node *node) {
    gali_express x;
    uint32_t tensors[GALI_STAGES_MAX];
    gal_status status = gali_node_express(scope->graph, node, &x, b->error);
    if (status == GAL_OK && x.none) {
        return gali_fail(b->error, GAL_UNSUPPORTED, "%s: it can be evaluated, but not yet compiled",
                         gali_node_place(scope->graph, node));
    }
    mover m = {.b = b, .scope = scope, .node = node, .stage_tensor = tensors};
    for (uint32_t i = 0; status == GAL_OK && i < x.stage_count; i++) {
        const gali_stage_of *stage = &x.stages[i];
        uint32_t value = stage->result >= 0 ? node->results[stage->result] : GALI_NONE;
        uint32_t symbol = told_by(b, scope, node, stage);
        if (stage->tells && symbol == GALI_NONE) {
            continue;
        }
        if (value != GALI_NONE) {
            tensors[i] = scope->tensor[value];
        } else { /* a result that nobody wants is a temporary, too */
            gali_program_tensor t = {
                .name = stage->name, .value = GALI_NONE, .stage = GALI_NONE, .home = GALI_NONE};
            t.type = (gali_type){.element = stage->element, .rank = (int)stage->rank};
            memcpy(t.type.shape, stage->extent, sizeof t.type.shape);
            status = gali_program_add_tensor(b, &t, &tensors[i]);
        }
        status = status == GAL_OK ? move_stage(b, &m, stage, tensors[i]) : status;
        status = status == GAL_OK && symbol != GALI_NONE ? read_size(b, tensors[i], symbol, 0) : status;
    }
    return status;
}

/* ---- shapes ---- */

/* Whether every extent is made of numbers and of symbols that are told. */
static int is_told(const gali_program *p, const gali_type *type) {
    int told = type->rank >= 0;
    for (int d = 0; told && d < type->rank; d++) {
        told = gali_program_bound(p, type->shape[d], 1) != GALI_EXTENT_UNKNOWN;
    }
    return told;
}

static gal_status check_shape(const gali_builder *b, const gali_value *v) {
    return is_told(b->program, &v->type)
               ? GAL_OK
               : gali_fail(b->error, GAL_UNSUPPORTED, "value \"%.100s\": its shape is known only when it runs",
                           v->name);
}

/* ---- graphs ---- */

/* Where sizes are a value's elements, which its maker has just made, they are read. */
static gal_status read_sizes(gali_builder *b, const gali_scope *scope, uint32_t number) {
    const gali_value *value = number == GALI_NONE ? NULL : &scope->graph->values[number];
    gal_status status = GAL_OK;
    if (!value || !value->told || value->known != value->told) {
        return GAL_OK;
    }
    gali_extent count = gali_type_count(scope->graph->extents, &value->type);
    for (gali_extent i = 0; status == GAL_OK && i < count; i++) {
        int symbol =
            gali_extent_as_symbol(scope->graph->extents, value->told[i]); /* or what is known without */
        if (symbol >= 0 && gali_program_told(b->program, (uint32_t)symbol) == GALI_TOLD_BY_NONE) {
            status = read_size(b, scope->tensor[number], (uint32_t)symbol, i);
        }
    }
    return status;
}

/* ---- demands ---- */

enum { LOOKED_BACK = 64 }; /* demands that are compared: most that are there twice are neighbours */

static int is_same_demand(const gali_demand *a, const gali_demand *b) {
    return a->kind == b->kind && ((a->a == b->a && a->b == b->b) || (a->a == b->b && a->b == b->a));
}

/* Whether inputs alone tell the extent; -1: it is not told so far. */
static int is_given(const gali_program *p, gali_extent extent) {
    const gali_extents *x = p->graph->extents;
    if (gali_program_bound(p, extent, 1) == GALI_EXTENT_UNKNOWN) {
        return -1;
    }
    int given = 1;
    for (uint32_t s = 0; given && s < p->told_count; s++) {
        given = p->told[s] != GALI_TOLD_BY_STEP || !gali_extent_has(x, extent, s);
    }
    return given;
}

/* A demand of sizes of inputs, which holds or not for the whole run. */
static gal_status add_first_demand(gali_builder *b, const gali_demand *demand) {
    gali_program *p = b->program;
    uint32_t looked = 0;
    for (const gali_demand *d = p->demands; d && looked < LOOKED_BACK; d = d->next, looked++) {
        if (is_same_demand(d, demand)) {
            return GAL_OK;
        }
    }
    gali_demand *made = gali_arena_take(p->arena, sizeof *made);
    if (!made) {
        return gali_program_no_memory(b);
    }
    *made = *demand;
    made->next = p->demands;
    p->demands = made;
    return GAL_OK;
}

static gal_status add_check(gali_builder *b, const gali_demand *demand) {
    const gali_program *p = b->program;
    for (uint32_t i = p->step_count; i-- > 0 && i + LOOKED_BACK > p->step_count;) {
        const gali_program_step *step = &p->steps[i];
        if (step->kind == GALI_CONTROL_CHECK && step->block == b->block &&
            is_same_demand(step->demand, demand)) {
            return GAL_OK;
        }
    }
    return gali_program_add_step(b, &(gali_program_step){.kind = GALI_CONTROL_CHECK,
                                                         .tensor = GALI_NONE,
                                                         .test = GALI_NONE,
                                                         .symbol = GALI_NONE,
                                                         .demand = demand});
}

/* What the node's rule could not prove of sizes is checked: ahead of all, or, where steps tell them, ahead of the node. */
static gal_status add_demands(gali_builder *b, const gali_node *node) {
    gal_status status = GAL_OK;
    for (const gali_demand *d = node->demands; status == GAL_OK && d; d = d->next) {
        int first = d->kind == GALI_DEMAND_RANK ? -1 : is_given(b->program, d->a);
        int second = first < 0 ? -1 : is_given(b->program, d->b);
        if (first == 1 && second == 1 && b->block == 0) {
            status = add_first_demand(b, d);
        } else if (second >= 0) {
            status = add_check(b, d);
        }
    }
    return status;
}

static gal_status build_node(gali_builder *b, const gali_scope *scope, const gali_node *node) {
    gal_status status = GAL_OK;
    if (gali_program_is_known(b, scope, node)) {
        return GAL_OK;
    }
    status = add_demands(b, node);
    if (status != GAL_OK) {
        return status;
    }
    int recurrent = node->op == GALI_OP_RNN || node->op == GALI_OP_GRU || node->op == GALI_OP_LSTM;
    if (gali_program_is_call(scope->graph, node) && !gali_program_is_constant(b, scope, node)) {
        status = gali_program_add_call(b, scope, node);
    } else if (node->body_count || (recurrent && !gali_program_is_constant(b, scope, node))) {
        status = gali_program_add_control(b, scope, node);
    } else if (gali_program_is_constant(b, scope, node)) {
        return gali_program_fold(b, scope, node);
    } else {
        status = build_stages(b, scope, node);
    }
    for (uint32_t k = 0; status == GAL_OK && k < node->result_count; k++) {
        status =
            node->results[k] == GALI_NONE ? GAL_OK : check_shape(b, &scope->graph->values[node->results[k]]);
        status = status == GAL_OK ? read_sizes(b, scope, node->results[k]) : status;
    }
    return status;
}

static gal_status add_nodes(gali_builder *b, gali_scope *scope) {
    gali_program *p = b->program;
    scope->first = p->node_count;
    for (uint32_t i = 0; i < scope->graph->node_count; i++) {
        p->nodes = room(b, p->nodes, p->node_count, &b->node_capacity, sizeof *p->nodes);
        if (!p->nodes) {
            return gali_program_no_memory(b);
        }
        p->nodes[p->node_count++] = (gali_program_node){scope->graph, &scope->graph->nodes[i]};
    }
    return GAL_OK;
}

/* Tensors of all values but those of a body's inputs, which have theirs. */
static gal_status add_values(gali_builder *b, gali_scope *scope, const uint32_t *inputs) {
    const gali_graph *graph = scope->graph;
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i < graph->value_count; i++) {
        scope->tensor[i] = GALI_NONE;
    }
    for (uint32_t i = 0; inputs && i < graph->input_count; i++) {
        scope->tensor[graph->inputs[i]] = inputs[i];
    }
    for (uint32_t i = 0; status == GAL_OK && i < graph->value_count; i++) {
        const gali_value *v = &graph->values[i];
        if (scope->tensor[i] != GALI_NONE) {
            continue;
        }
        gali_program_tensor t = {.name = v->name,
                                 .type = v->type,
                                 .value = graph == b->program->graph ? i : GALI_NONE,
                                 .data = v->data,
                                 .stage = GALI_NONE,
                                 .home = GALI_NONE,
                                 .role = v->data ? GALI_TENSOR_CONSTANT : GALI_TENSOR_MADE};
        status = gali_program_add_tensor(b, &t, &scope->tensor[i]);
        status = status == GAL_OK && !v->data ? gali_program_take_known(b, graph, v, scope->tensor[i]) : status;
    }
    return status;
}

gal_status gali_program_add_graph(gali_builder *b, gali_scope *scope, const uint32_t *inputs) {
    const gali_graph *graph = scope->graph;
    scope->tensor = gali_arena_take(b->program->arena, (graph->value_count + 1) * sizeof *scope->tensor);
    gal_status status = scope->tensor ? add_nodes(b, scope) : gali_program_no_memory(b);
    status = status == GAL_OK ? add_values(b, scope, inputs) : status;
    for (uint32_t i = 0; status == GAL_OK && !inputs && i < graph->input_count; i++) {
        gali_program_tensor *t = &b->program->tensors[graph->inputs[i]];
        t->role = GALI_TENSOR_INPUT;
        t->port = i;
        t->data = NULL;
        status = check_shape(b, &graph->values[graph->inputs[i]]);
    }
    for (uint32_t i = 0; status == GAL_OK && i < graph->input_count; i++) {
        status = read_sizes(b, scope, graph->inputs[i]);
    }
    for (uint32_t i = 0; status == GAL_OK && i < graph->node_count; i++) {
        status = build_node(b, scope, &graph->nodes[i]);
    }
    return status;
}

/* An output that is an input, a constant, or an output already is copied. */
static gal_status add_output(gali_builder *b, uint32_t number) {
    gali_program *p = b->program;
    uint32_t value = p->graph->outputs[number], copy;
    gali_program_tensor *made = &p->tensors[value];
    if (made->role == GALI_TENSOR_MADE || (made->role == GALI_TENSOR_KEPT && made->home == GALI_NONE)) {
        made->role = GALI_TENSOR_OUTPUT;
        made->port = number;
        return GAL_OK;
    }
    gali_program_tensor t = *made;
    t.role = GALI_TENSOR_OUTPUT;
    t.port = number;
    t.value = t.stage = t.home = GALI_NONE;
    t.data = NULL;
    gal_status status = gali_program_add_tensor(b, &t, &copy);
    return status == GAL_OK ? gali_program_add_copy(b, copy, value, NULL) : status;
}

/* The symbols that inputs' shapes tell. */
static gal_status tell_symbols(gali_builder *b) {
    const gali_graph *graph = b->program->graph;
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const gali_type *type = &graph->values[graph->inputs[i]].type;
        for (int d = 0; status == GAL_OK && d < type->rank; d++) {
            int symbol = gali_extent_as_symbol(graph->extents, type->shape[d]);
            status = symbol < 0 ? GAL_OK : gali_program_tell(b, (uint32_t)symbol, GALI_TOLD_BY_INPUT);
        }
    }
    return status;
}

gal_status gali_program_make(gali_program **out, const gali_graph *graph, gali_arena *arena, gal_error *error) {
    gali_program *p = gali_arena_take(arena, sizeof *p);
    gali_builder b = {.program = p, .error = error};
    gali_scope scope = {.graph = graph};
    *out = NULL;
    if (!p) {
        return gali_program_no_memory(&b);
    }
    *p = (gali_program){.graph = graph, .arena = arena};
    gal_status status = gali_program_add_block(&b, GALI_NONE, 0);
    status = status == GAL_OK ? tell_symbols(&b) : status;
    status = status == GAL_OK ? gali_program_add_graph(&b, &scope, NULL) : status;
    for (uint32_t i = 0; status == GAL_OK && i < graph->output_count; i++) {
        status = add_output(&b, i);
    }
    if (status == GAL_OK) {
        p->blocks[0].end = p->stage_count;
    }
    *out = p;
    return status == GAL_OK && arena->failed ? gali_program_no_memory(&b) : status;
}

gali_told gali_program_told(const gali_program *p, uint32_t symbol) {
    return symbol < p->told_count ? p->told[symbol] : GALI_TOLD_BY_NONE;
}

const char *gali_program_place_of(const gali_program *p, uint32_t node) {
    return node == GALI_NONE ? "a copy" : gali_node_place(p->nodes[node].graph, p->nodes[node].node);
}
