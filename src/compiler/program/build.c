/* Stages of all nodes: each node's expression, with tensors of the graph in place of its operands. */
#include <string.h>

#include "base/error.h"
#include "compiler/program/program.h"
#include "graph/evaluate.h"

typedef struct builder {
    gali_program *program;
    gal_error *error;
    uint32_t tensor_capacity, stage_capacity;
} builder;

static gal_status no_memory(gal_error *error) {
    return gali_fail(error, GAL_NO_MEMORY, "no memory for a program");
}

static void *grown(gali_arena *arena, const void *list, uint32_t count, uint32_t *capacity, size_t size) {
    uint32_t more = *capacity ? 2 * *capacity : 64;
    void *copy = gali_arena_take(arena, more * size);
    if (copy && count) {
        memcpy(copy, list, count * size);
    }
    *capacity = copy ? more : *capacity;
    return copy;
}

static gal_status add_tensor(builder *b, const gali_program_tensor *tensor) {
    gali_program *p = b->program;
    if (p->tensor_count == b->tensor_capacity) {
        p->tensors = grown(p->arena, p->tensors, p->tensor_count, &b->tensor_capacity, sizeof *p->tensors);
    }
    if (!p->tensors) {
        return no_memory(b->error);
    }
    p->tensors[p->tensor_count] = *tensor;
    for (uint8_t d = 0; d < GALI_RANK_MAX; d++) {
        p->tensors[p->tensor_count].order[d] = d;
    }
    p->tensor_count++;
    return GAL_OK;
}

/* ---- constants ---- */

/* The tensor's elements as bytes of its element, in the arena. */
static void *bytes_of(gali_arena *arena, const gali_tensor *tensor) {
    uint32_t size = gali_element_list[tensor->element].bytes;
    unsigned char *bytes = gali_arena_take(arena, tensor->count * size + 1);
    for (size_t i = 0; bytes && i < tensor->count; i++) {
        gali_element_store(tensor->element, tensor->real ? tensor->real[i] : 0,
                           tensor->whole ? tensor->whole[i] : 0, bytes + i * size);
    }
    return bytes;
}

static int is_constant(const gali_program *p, const gali_node *node) {
    int constant = node->body_count == 0;
    for (uint32_t i = 0; constant && i < node->operand_count; i++) {
        constant = node->operands[i] == GALI_NONE || p->tensors[node->operands[i]].data;
    }
    return constant;
}

/* A value whose integers are all known needs no node. */
static gal_status known_data(builder *b, uint32_t value) {
    gali_program *p = b->program;
    const gali_value *v = &p->graph->values[value];
    gali_extent count = gali_type_count(p->graph->extents, &v->type);
    if (!v->known || count < 0 || count > GALI_GRAPH_KNOWN_MAX) {
        return GAL_OK;
    }
    for (gali_extent i = 0; i < count; i++) {
        if (!gali_extent_is_number(v->known[i])) {
            return GAL_OK;
        }
    }
    gali_run run = {
        .graph = p->graph, .memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = b->error};
    gali_tensor tensor;
    gal_status status = gali_tensor_of(&run, v, &tensor);
    if (status == GAL_OK) {
        p->tensors[value].data = bytes_of(p->arena, &tensor);
        p->tensors[value].role = GALI_TENSOR_CONSTANT;
        gali_tensor_release(&run, &tensor);
    }
    return status == GAL_OK && !p->tensors[value].data ? no_memory(b->error) : status;
}

/* Computes a node whose operands are constants. */
static gal_status fold(builder *b, const gali_node *node) {
    gali_program *p = b->program;
    gali_graph *alone = gali_graph_make(p->arena);
    if (!alone) {
        return no_memory(b->error);
    }
    gali_node copy = *node;
    copy.operands = gali_arena_take(p->arena, (node->operand_count + 1) * sizeof *copy.operands);
    copy.results = gali_arena_take(p->arena, (node->result_count + 1) * sizeof *copy.results);
    for (uint32_t i = 0; copy.operands && i < node->operand_count; i++) {
        const gali_program_tensor *t = node->operands[i] == GALI_NONE ? NULL : &p->tensors[node->operands[i]];
        copy.operands[i] = t ? gali_graph_constant(alone, t->name, &t->type, t->data) : GALI_NONE;
    }
    for (uint32_t i = 0; copy.results && i < node->result_count; i++) {
        copy.results[i] = gali_graph_value(alone, "", &(gali_type){.rank = -1});
        gali_graph_output(alone, copy.results[i]);
    }
    gali_graph_node(alone, &copy);
    gali_tensor *made = gali_arena_take(p->arena, (node->result_count + 1) * sizeof *made);
    if (p->arena->failed) {
        return no_memory(b->error);
    }
    gali_run run = {.memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = b->error};
    gal_status status = gali_graph_evaluate(&run, alone, NULL, made);
    for (uint32_t i = 0; status == GAL_OK && i < node->result_count; i++) {
        if (node->results[i] != GALI_NONE) {
            gali_program_tensor *t = &p->tensors[node->results[i]];
            t->data = bytes_of(p->arena, &made[i]);
            t->role = GALI_TENSOR_CONSTANT;
            t->type.rank = (int)made[i].rank;
            memcpy(t->type.shape, made[i].shape, sizeof made[i].shape);
        }
        gali_tensor_release(&run, &made[i]);
    }
    return status == GAL_OK && p->arena->failed ? no_memory(b->error) : status;
}

/* ---- stages ---- */

/* A scalar of a node's expression as one of the program; the same scalar twice is the same one again. */
typedef struct moved {
    const gali_scalar *from, *to;
    struct moved *next;
} moved;

typedef struct mover {
    builder *b;
    const gali_node *node;
    const uint32_t *stage_tensor; /* of the node's stages */
    moved *list[64];
} mover;

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
    gali_arena *arena = m->b->program->arena;
    gali_scalar *to = gali_arena_take(arena, sizeof *to);
    moved *entry = gali_arena_take(arena, sizeof *entry);
    if (!to || !entry) {
        return NULL;
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
        to->source = m->node->operands[from->source];
    }
    *entry = (moved){from, to, *bucket};
    *bucket = entry;
    return to;
}

static gal_status add_stage(builder *b, const gali_program_stage *stage) {
    gali_program *p = b->program;
    if (p->stage_count == b->stage_capacity) {
        p->stages = grown(p->arena, p->stages, p->stage_count, &b->stage_capacity, sizeof *p->stages);
    }
    if (!p->stages || !stage->value) {
        return no_memory(b->error);
    }
    p->tensors[stage->tensor].stage = p->stage_count;
    p->stages[p->stage_count++] = *stage;
    return GAL_OK;
}

static gal_status move_stage(builder *b, mover *m, const gali_stage_of *from, uint32_t tensor) {
    gali_program_stage stage = {.tensor = tensor,
                                .node = (uint32_t)(m->node - b->program->graph->nodes),
                                .rank = from->rank,
                                .reduced = from->reduced,
                                .start = move(m, from->start),
                                .value = move(m, from->value)};
    memcpy(stage.extent, from->extent, sizeof from->extent);
    return add_stage(b, &stage);
}

static gal_status build_node(builder *b, const gali_node *node) {
    gali_program *p = b->program;
    gali_express x;
    uint32_t tensors[GALI_STAGES_MAX];
    gal_status status = gali_node_express(p->graph, node, &x, b->error);
    if (status == GAL_OK && x.none) {
        return gali_fail(b->error, GAL_UNSUPPORTED, "%s: it can be evaluated, but not yet compiled",
                         gali_node_place(p->graph, node));
    }
    mover m = {.b = b, .node = node, .stage_tensor = tensors};
    for (uint32_t i = 0; status == GAL_OK && i < x.stage_count; i++) {
        const gali_stage_of *stage = &x.stages[i];
        tensors[i] = stage->result >= 0 ? node->results[stage->result] : p->tensor_count;
        if (tensors[i] == GALI_NONE) {
            tensors[i] = p->tensor_count; /* a result that nobody wants is a temporary */
        }
        if (tensors[i] == p->tensor_count) {
            gali_program_tensor t = {.name = stage->name, .value = GALI_NONE, .stage = GALI_NONE};
            t.type = (gali_type){.element = stage->element, .rank = (int)stage->rank};
            memcpy(t.type.shape, stage->extent, sizeof t.type.shape);
            status = add_tensor(b, &t);
        }
        status = status == GAL_OK ? move_stage(b, &m, stage, tensors[i]) : status;
    }
    return status;
}

static gal_status add_values(builder *b) {
    const gali_graph *graph = b->program->graph;
    gal_status status = GAL_OK;
    for (uint32_t i = 0; status == GAL_OK && i < graph->value_count; i++) {
        const gali_value *v = &graph->values[i];
        gali_program_tensor t = {.name = v->name,
                                 .type = v->type,
                                 .value = i,
                                 .data = v->data,
                                 .stage = GALI_NONE,
                                 .role = v->data ? GALI_TENSOR_CONSTANT : GALI_TENSOR_MADE};
        status = add_tensor(b, &t);
        status = status == GAL_OK && !v->data ? known_data(b, i) : status;
    }
    for (uint32_t i = 0; status == GAL_OK && i < graph->input_count; i++) {
        b->program->tensors[graph->inputs[i]].role = GALI_TENSOR_INPUT;
        b->program->tensors[graph->inputs[i]].port = i;
        b->program->tensors[graph->inputs[i]].data = NULL;
    }
    return status;
}

/* An output that is an input, a constant, or an output already is copied. */
static gal_status add_output(builder *b, uint32_t number) {
    gali_program *p = b->program;
    uint32_t value = p->graph->outputs[number];
    if (p->tensors[value].role == GALI_TENSOR_MADE) {
        p->tensors[value].role = GALI_TENSOR_OUTPUT;
        p->tensors[value].port = number;
        return GAL_OK;
    }
    gali_program_tensor t = p->tensors[value];
    t.role = GALI_TENSOR_OUTPUT;
    t.port = number;
    t.value = GALI_NONE;
    t.data = NULL;
    t.stage = GALI_NONE;
    gal_status status = add_tensor(b, &t);
    const gali_type *type = &t.type;
    gali_express x = {.arena = p->arena, .extents = p->graph->extents, .operand = &type};
    const gali_scalar *index[GALI_RANK_MAX];
    for (int i = 0; i < t.type.rank; i++) {
        index[i] = gali_x_axis(&x, (uint32_t)i);
    }
    gali_program_stage stage = {
        .tensor = p->tensor_count - 1, .node = GALI_NONE, .rank = (uint32_t)t.type.rank};
    memcpy(stage.extent, t.type.shape, sizeof t.type.shape);
    gali_scalar *load = gali_arena_take(p->arena, sizeof *load);
    const gali_scalar *copied = gali_x_load(&x, 0, index);
    if (status != GAL_OK || !load || !copied) {
        return no_memory(b->error);
    }
    *load = *copied;
    load->source = value;
    stage.value = load;
    return add_stage(b, &stage);
}

/* A number for each symbol that an input's shape tells; of the others nothing is known before the graph runs. */
static int64_t *told_symbols(const gali_graph *graph) {
    uint32_t count = gali_extent_symbols(graph->extents);
    int64_t *told = gali_arena_take(graph->arena, (count + 1) * sizeof *told);
    for (uint32_t i = 0; told && i < count; i++) {
        told[i] = GALI_EXTENT_UNKNOWN;
    }
    for (uint32_t i = 0; told && i < graph->input_count; i++) {
        const gali_type *type = &graph->values[graph->inputs[i]].type;
        for (int d = 0; d < type->rank; d++) {
            int symbol = gali_extent_as_symbol(graph->extents, type->shape[d]);
            if (symbol >= 0) {
                told[symbol] = 1;
            }
        }
    }
    return told;
}

/* Every shape must be made of numbers and of symbols that inputs tell. */
static gal_status check_shapes(const gali_program *p, gal_error *error) {
    const int64_t *told = told_symbols(p->graph);
    if (!told) {
        return no_memory(error);
    }
    for (uint32_t i = 0; i < p->graph->value_count; i++) {
        const gali_value *v = &p->graph->values[i];
        int unknown = v->type.rank < 0;
        for (int d = 0; d < v->type.rank; d++) {
            unknown |= gali_extent_value(p->graph->extents, v->type.shape[d], told) == GALI_EXTENT_UNKNOWN;
        }
        int made = v->node != GALI_NONE || p->tensors[i].role == GALI_TENSOR_INPUT;
        if (unknown && made) {
            return gali_fail(error, GAL_UNSUPPORTED, "value \"%.100s\": its shape is known only when it runs",
                             v->name);
        }
    }
    return GAL_OK;
}

gal_status gali_program_make(gali_program **out, const gali_graph *graph, gali_arena *arena, gal_error *error) {
    gali_program *p = gali_arena_take(arena, sizeof *p);
    builder b = {.program = p, .error = error};
    *out = NULL;
    if (!p) {
        return no_memory(error);
    }
    *p = (gali_program){.graph = graph, .arena = arena};
    gal_status status = add_values(&b);
    status = status == GAL_OK ? check_shapes(p, error) : status;
    for (uint32_t i = 0; status == GAL_OK && i < graph->node_count; i++) {
        int known = 1;
        for (uint32_t k = 0; k < graph->nodes[i].result_count; k++) {
            known &= graph->nodes[i].results[k] == GALI_NONE || p->tensors[graph->nodes[i].results[k]].data;
        }
        if (!known) {
            status = is_constant(p, &graph->nodes[i]) ? fold(&b, &graph->nodes[i])
                                                      : build_node(&b, &graph->nodes[i]);
        }
    }
    for (uint32_t i = 0; status == GAL_OK && i < graph->output_count; i++) {
        status = add_output(&b, i);
    }
    *out = p;
    return status == GAL_OK && arena->failed ? no_memory(error) : status;
}
