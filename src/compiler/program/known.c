/* What is known when a program is made: values whose integers all are, and nodes of constants, which are computed. */
#include <string.h>

#include "compiler/program/build.h"
#include "graph/evaluate.h"

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

static const gali_program_tensor *tensor_of(const gali_builder *b, const gali_scope *scope, uint32_t value) {
    return value == GALI_NONE ? NULL : &b->program->tensors[scope->tensor[value]];
}

int gali_program_is_constant(const gali_builder *b, const gali_scope *scope, const gali_node *node) {
    int constant = node->body_count == 0;
    for (uint32_t i = 0; constant && i < node->operand_count; i++) {
        const gali_program_tensor *t = tensor_of(b, scope, node->operands[i]);
        constant = !t || t->data;
    }
    return constant;
}

/* A value whose integers are all known needs no node. */
gal_status gali_program_take_known(gali_builder *b, const gali_graph *graph, const gali_value *v,
                                   uint32_t tensor) {
    gali_program *p = b->program;
    gali_extent count = gali_type_count(graph->extents, &v->type);
    if (!v->known || count < 0 || count > GALI_GRAPH_KNOWN_MAX) {
        return GAL_OK;
    }
    for (gali_extent i = 0; i < count; i++) {
        if (!gali_extent_is_number(v->known[i])) {
            return GAL_OK;
        }
    }
    gali_run run = {
        .graph = graph, .memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = b->error};
    gali_tensor made;
    gal_status status = gali_tensor_of(&run, v, &made);
    if (status == GAL_OK) {
        p->tensors[tensor].data = bytes_of(p->arena, &made);
        p->tensors[tensor].role = GALI_TENSOR_CONSTANT;
        gali_tensor_release(&run, &made);
    }
    return status == GAL_OK && !p->tensors[tensor].data ? gali_program_no_memory(b) : status;
}

/* Computes a node whose operands are constants. */
gal_status gali_program_fold(gali_builder *b, const gali_scope *scope, const gali_node *node) {
    gali_program *p = b->program;
    gali_graph *alone = gali_graph_make(p->arena);
    if (!alone) {
        return gali_program_no_memory(b);
    }
    gali_node copy = *node;
    copy.operands = gali_arena_take(p->arena, (node->operand_count + 1) * sizeof *copy.operands);
    copy.results = gali_arena_take(p->arena, (node->result_count + 1) * sizeof *copy.results);
    for (uint32_t i = 0; copy.operands && i < node->operand_count; i++) {
        const gali_program_tensor *t = tensor_of(b, scope, node->operands[i]);
        copy.operands[i] = t ? gali_graph_constant(alone, t->name, &t->type, t->data) : GALI_NONE;
    }
    for (uint32_t i = 0; copy.results && i < node->result_count; i++) {
        copy.results[i] = gali_graph_value(alone, "", &(gali_type){.rank = -1});
        gali_graph_output(alone, copy.results[i]);
    }
    gali_graph_node(alone, &copy);
    gali_tensor *made = gali_arena_take(p->arena, (node->result_count + 1) * sizeof *made);
    if (p->arena->failed) {
        return gali_program_no_memory(b);
    }
    gali_run run = {.memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = b->error};
    gal_status status = gali_graph_evaluate(&run, alone, NULL, made);
    for (uint32_t i = 0; status == GAL_OK && i < node->result_count; i++) {
        if (node->results[i] != GALI_NONE) {
            gali_program_tensor *t = &p->tensors[scope->tensor[node->results[i]]];
            t->data = bytes_of(p->arena, &made[i]);
            t->role = GALI_TENSOR_CONSTANT;
            t->type.rank = (int)made[i].rank;
            memcpy(t->type.shape, made[i].shape, sizeof made[i].shape);
        }
        gali_tensor_release(&run, &made[i]);
    }
    return status == GAL_OK && p->arena->failed ? gali_program_no_memory(b) : status;
}

int gali_program_is_known(const gali_builder *b, const gali_scope *scope, const gali_node *node) {
    int known = 1;
    for (uint32_t k = 0; k < node->result_count; k++) {
        const gali_program_tensor *t = tensor_of(b, scope, node->results[k]);
        known &= !t || t->data;
    }
    return known;
}
