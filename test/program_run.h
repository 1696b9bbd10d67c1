/* A graph run as the compiler has it: fused, placed, lowered to loops, and those interpreted. */
#ifndef TEST_PROGRAM_RUN_H
#define TEST_PROGRAM_RUN_H

#include <stdlib.h>
#include <string.h>

#include "compiler/loop/interpret.h"
#include "compiler/program/lower.h"
#include "graph/evaluate.h"

typedef struct program_memory {
    gali_program *program;
    int64_t *symbols;
    void **data;  /* [tensor_count] */
    void **slots; /* [slot_count] */
} program_memory;

static size_t program_bytes(const program_memory *m, uint32_t tensor) {
    const gali_type *type = &m->program->tensors[tensor].type;
    size_t bytes = gali_element_list[type->element].bytes;
    for (int i = 0; i < type->rank; i++) {
        bytes *= (size_t)gali_extent_value(m->program->graph->extents, type->shape[i], m->symbols);
    }
    return bytes;
}

/* The symbols' values, from the inputs' shapes. */
static void program_bind(program_memory *m, const gali_tensor *inputs) {
    const gali_graph *graph = m->program->graph;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const gali_type *type = &graph->values[graph->inputs[i]].type;
        for (int d = 0; d < type->rank; d++) {
            int symbol = gali_extent_as_symbol(graph->extents, type->shape[d]);
            if (symbol >= 0) {
                m->symbols[symbol] = inputs[i].shape[d];
            }
        }
    }
}

static void program_fill(const gali_tensor *from, unsigned char *to) {
    for (size_t i = 0; i < from->count; i++) {
        gali_element_store(from->element, from->real ? from->real[i] : 0, from->whole ? from->whole[i] : 0,
                           to + i * gali_element_list[from->element].bytes);
    }
}

static gal_status program_group(program_memory *m, uint32_t group, gal_error *error) {
    gali_lowered lowered;
    void *buffers[GALI_LOOP_BUFFERS_MAX];
    uint32_t symbols[sizeof lowered.symbols / sizeof *lowered.symbols];
    gal_status status = gali_program_lower(m->program, group, &lowered, error);
    for (uint32_t i = 0; status == GAL_OK && i < lowered.function->parameters; i++) {
        uint32_t t = lowered.tensors[i];
        uint32_t slot = m->program->tensors[t].slot;
        if (!m->data[t] && slot != GALI_NONE) {
            m->data[t] = m->slots[slot];
        } else if (!m->data[t]) {
            m->data[t] = malloc(program_bytes(m, t) + 64);
        }
        buffers[i] = m->data[t];
        if (m->program->tensors[t].role == GALI_TENSOR_CONSTANT) { /* as the function has it laid out */
            const gali_loop_buffer *buffer = lowered.function->buffer[i];
            free(m->data[t]);
            buffers[i] = m->data[t] = malloc(gali_program_constant_bytes(m->program, t, buffer) + 64);
            status = gali_program_constant(m->program, t, buffer, buffers[i]) ? status : GAL_NO_MEMORY;
        }
    }
    for (uint32_t i = 0; status == GAL_OK && i < lowered.function->symbols; i++) {
        symbols[i] = (uint32_t)m->symbols[lowered.symbols[i]];
    }
    return status == GAL_OK ? gali_loop_interpret(lowered.function, symbols, buffers, error) : status;
}

/* As gali_graph_evaluate, with loops for a target, NULL: for any; GAL_UNSUPPORTED where the compiler has none. layout:
 * gali_program_layout; NULL: every tensor lies row-major. */
static inline gal_status program_run_by(gali_run *run, const gali_graph *graph, const gali_target *target,
                                        const gali_tensor *inputs, gali_tensor *outputs,
                                        gal_status (*layout)(gali_program *program, gal_error *error)) {
    program_memory m = {0};
    gal_status status = gali_program_make(&m.program, graph, graph->arena, run->error);
    status = status == GAL_OK ? gali_program_fuse(m.program, run->error) : status;
    status = status == GAL_OK ? gali_program_range(m.program, run->error) : status;
    status = status == GAL_OK && layout ? layout(m.program, run->error) : status;
    status = status == GAL_OK ? gali_program_place(m.program, run->error) : status;
    if (status != GAL_OK) {
        return status;
    }
    m.program->target = target;
    m.symbols = calloc(gali_extent_symbols(graph->extents) + 1, sizeof *m.symbols);
    m.data = calloc(m.program->tensor_count + 1, sizeof *m.data);
    m.slots = calloc(m.program->slot_count + 1, sizeof *m.slots);
    program_bind(&m, inputs);
    for (uint32_t i = 0; i < m.program->slot_count; i++) {
        m.slots[i] = malloc((size_t)gali_extent_value(graph->extents, m.program->slots[i], m.symbols) + 1);
    }
    for (uint32_t i = 0; i < m.program->tensor_count; i++) {
        const gali_program_tensor *t = &m.program->tensors[i];
        if (t->role == GALI_TENSOR_CONSTANT) {
            m.data[i] = malloc(program_bytes(&m, i) + 64);
            gali_program_lay(m.program, i, m.data[i]); /* of one that is an output, too */
        } else if (t->role == GALI_TENSOR_INPUT) {
            m.data[i] = malloc(program_bytes(&m, i) + 64);
            program_fill(&inputs[t->port], m.data[i]);
        }
    }
    for (uint32_t g = 0; status == GAL_OK && g < m.program->group_count; g++) {
        status = program_group(&m, g, run->error);
    }
    for (uint32_t i = 0; i < m.program->tensor_count; i++) {
        const gali_program_tensor *t = &m.program->tensors[i];
        if (status == GAL_OK && t->role == GALI_TENSOR_OUTPUT) {
            gali_value value = {.name = t->name, .type = t->type, .data = m.data[i]};
            for (int d = 0; d < t->type.rank; d++) {
                value.type.shape[d] = gali_extent_value(graph->extents, t->type.shape[d], m.symbols);
            }
            static const char nothing[64];
            value.data = value.data ? value.data : nothing;
            status = gali_tensor_of(run, &value, &outputs[t->port]);
        }
        if (t->slot == GALI_NONE) {
            free(m.data[i]);
        }
    }
    for (uint32_t i = 0; i < m.program->slot_count; i++) {
        free(m.slots[i]);
    }
    free((void *)m.slots);
    free((void *)m.data);
    free(m.symbols);
    return status;
}

static inline gal_status program_run(gali_run *run, const gali_graph *graph, const gali_target *target,
                                     const gali_tensor *inputs, gali_tensor *outputs) {
    return program_run_by(run, graph, target, inputs, outputs, gali_program_layout);
}

#endif
