/* A graph run as the compiler has it: fused, placed, lowered to loops, and those interpreted between the steps. */
#ifndef TEST_PROGRAM_RUN_H
#define TEST_PROGRAM_RUN_H

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "compiler/emit/body/margin.inc"
#include "compiler/emit/body/select.inc"
#include "compiler/loop/interpret.h"
#include "compiler/lower/lower.h"
#include "compiler/program/margin.h"
#include "compiler/program/patterns.h"
#include "compiler/program/winograd.h"
#include "graph/evaluate.h"
#include "graph/propagate.h"

/* Bytes of a tensor that are filled: one whose size a step tells may have gigabytes, of which a test writes few. */
enum { PROGRAM_FILLED = 1 << 20 };

typedef struct program_memory {
    gali_program *program;
    int64_t *symbols;
    void **data; /* [tensor_count] */
    int64_t *at; /* [slot_count] bytes */
    unsigned char *workspace;
    int64_t *trips; /* [symbols] of loops */
    uint32_t calls;
} program_memory;

/* Bytes of a tensor, where sizes that steps tell are as large as they may be. */
static size_t program_bytes(const program_memory *m, uint32_t tensor) {
    const gali_type *type = &m->program->tensors[tensor].type;
    size_t bytes = gali_element_list[type->element].bytes;
    for (int i = 0; i < type->rank; i++) {
        gali_extent most = gali_program_bound(m->program, type->shape[i], 1);
        bytes *= (size_t)gali_extent_value(m->program->graph->extents, most, m->symbols);
    }
    return bytes;
}

static int64_t program_extent(const program_memory *m, gali_extent extent) {
    return gali_extent_value(m->program->graph->extents, extent, m->symbols);
}

/* Where the tensor lies now. */
static void *program_at(program_memory *m, uint32_t tensor) {
    const gali_program_tensor *t = &m->program->tensors[tensor];
    if (t->home != GALI_NONE) {
        size_t bytes = gali_element_list[t->type.element].bytes;
        int64_t count = program_extent(m, gali_type_count(m->program->graph->extents, &t->type));
        return (unsigned char *)program_at(m, t->home) + program_extent(m, t->row) * count * (int64_t)bytes;
    }
    if (!m->data[tensor]) {
        size_t bytes = program_bytes(m, tensor) + 64;
        m->data[tensor] = t->slot != GALI_NONE ? m->workspace + m->at[t->slot] : malloc(bytes);
        if (t->slot == GALI_NONE) { /* no number, whatever lay there */
            memset(m->data[tensor], 0xFF, bytes < PROGRAM_FILLED ? bytes : PROGRAM_FILLED);
        }
    }
    return m->data[tensor];
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

/* As emitted C does before a group. */
static void program_margins(program_memory *m, uint32_t group) {
    for (uint32_t i = 0; i < m->program->stage_count; i++) {
        const gali_program_stage *stage = &m->program->stages[i];
        int64_t sizes[3 * GALI_RANK_MAX];
        if (stage->gone || stage->group != group) {
            continue;
        }
        gali_margin margin = gali_program_margin(m->program, stage->tensor);
        for (uint32_t d = 0; d < margin.rank; d++) {
            sizes[3 * d] = margin.of[d].before;
            sizes[3 * d + 1] = program_extent(m, margin.of[d].made);
            sizes[3 * d + 2] = program_extent(m, margin.of[d].whole);
        }
        gali_set_margin(program_at(m, stage->tensor), margin.rank, program_extent(m, margin.bytes), sizes);
    }
}

static gal_status program_group(program_memory *m, uint32_t group, gal_error *error) {
    gali_lowered lowered;
    void *buffers[GALI_LOOP_BUFFERS_MAX];
    uint32_t symbols[sizeof lowered.symbols / sizeof *lowered.symbols];
    gal_status status = gali_program_lower(m->program, group, m->program->arena, &lowered, error);
    for (uint32_t i = 0; status == GAL_OK && i < lowered.function->parameters; i++) {
        buffers[i] = program_at(m, lowered.tensors[i]);
        uint32_t t = lowered.tensors[i];
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
    m->calls++;
    program_margins(m, group);
    return status == GAL_OK ? gali_loop_interpret(lowered.function, symbols, buffers, error) : status;
}

/* ---- steps ---- */

static int64_t program_element(program_memory *m, uint32_t tensor) {
    gali_value value = {.type = {.element = m->program->tensors[tensor].type.element},
                        .data = program_at(m, tensor)};
    return gali_constant_whole(&value, 0);
}

/* The step at the same depth behind `step` that is of that kind or the other. */
static uint32_t program_match(const gali_program *p, uint32_t step, gali_control_kind kind,
                              gali_control_kind other) {
    int depth = 0;
    for (step++; step < p->step_count; step++) {
        gali_control_kind own = p->steps[step].kind;
        if (depth == 0 && (own == kind || own == other)) {
            break;
        }
        depth += own == GALI_CONTROL_IF || own == GALI_CONTROL_LOOP;
        depth -= own == GALI_CONTROL_END_IF || own == GALI_CONTROL_END_LOOP;
    }
    return step;
}

/* The step that a loop begins with. */
static uint32_t program_begin(const gali_program *p, uint32_t end) {
    uint32_t step = end;
    while (p->steps[step].kind != GALI_CONTROL_LOOP || p->steps[step].symbol != p->steps[end].symbol) {
        step--;
    }
    return step;
}

/* Whether there is another trip; how many there may be is asked once. */
static int program_goes_on(program_memory *m, const gali_program_step *step) {
    if (step->kind == GALI_CONTROL_LOOP) {
        m->trips[step->symbol] = step->extent != GALI_EXTENT_UNKNOWN ? program_extent(m, step->extent)
                                 : step->tensor != GALI_NONE         ? program_element(m, step->tensor)
                                                                     : INT64_MAX;
    }
    return m->symbols[step->symbol] < m->trips[step->symbol] &&
           (step->test == GALI_NONE || program_element(m, step->test));
}

static int program_has_room(program_memory *m, uint32_t symbol) {
    gali_extents *x = m->program->graph->extents;
    gali_extent bound = gali_program_bound(m->program, gali_extent_of_symbol(x, symbol), 1);
    return m->symbols[symbol] >= 0 && m->symbols[symbol] <= program_extent(m, bound);
}

/* Calls what emitted C calls. */
static int64_t program_call(program_memory *m, const gali_program_call *call) {
    static int64_t (*const functions[])(const void *const *in, void *const *out,
                                        const int64_t *sizes) = {gali_top_k,
                                                                 gali_non_zero,
                                                                 gali_compress,
                                                                 gali_unique,
                                                                 gali_non_max_suppression,
                                                                 gali_scatter_elements,
                                                                 gali_scatter_nd};
    static const char *const names[] = {
        "top_k", "non_zero", "compress", "unique", "non_max_suppression", "scatter_elements", "scatter_nd"};
    const void *in[8] = {NULL};
    void *out[8] = {NULL};
    int64_t sizes[24];
    for (uint32_t i = 0; i < call->operand_count; i++) {
        in[i] = call->operands[i] == GALI_NONE ? NULL : program_at(m, call->operands[i]);
    }
    for (uint32_t i = 0; i < call->result_count; i++) {
        out[i] = call->results[i] == GALI_NONE ? NULL : program_at(m, call->results[i]);
    }
    for (uint32_t i = 0; i < call->size_count; i++) {
        sizes[i] = program_extent(m, call->sizes[i]);
    }
    size_t which = 0;
    while (strcmp(names[which], call->function) != 0) {
        which++;
    }
    return functions[which](in, out, sizes);
}

static int program_fulfils(const program_memory *m, const gali_demand *demand) {
    int64_t a = program_extent(m, demand->a), b = program_extent(m, demand->b);
    return gali_demand_holds(demand->kind, a, b);
}

/* Does a step; returns the one that is next. */
static uint32_t program_step(program_memory *m, uint32_t number, gal_status *status) {
    const gali_program *p = m->program;
    const gali_program_step *step = &p->steps[number];
    switch (step->kind) {
    case GALI_CONTROL_IF:
        return program_element(m, step->tensor)
                   ? number + 1
                   : program_match(p, number, GALI_CONTROL_ELSE, GALI_CONTROL_ELSE) + 1;
    case GALI_CONTROL_ELSE:
        return program_match(p, number, GALI_CONTROL_END_IF, GALI_CONTROL_END_IF) + 1;
    case GALI_CONTROL_CALL: {
        int64_t told = program_call(m, step->call);
        if (step->symbol != GALI_NONE) {
            m->symbols[step->symbol] = told;
        }
        return number + 1;
    }
    case GALI_CONTROL_READ: {
        gali_value value = {.type = {.element = p->tensors[step->tensor].type.element},
                            .data = program_at(m, step->tensor)};
        m->symbols[step->symbol] = gali_constant_whole(&value, (size_t)step->extent);
        *status = program_has_room(m, step->symbol) ? GAL_OK : GAL_BAD_DATA;
        return number + 1;
    }
    case GALI_CONTROL_SIZE:
        m->symbols[step->symbol] = program_extent(m, step->extent);
        *status = program_has_room(m, step->symbol) ? GAL_OK : GAL_BAD_DATA;
        return number + 1;
    case GALI_CONTROL_CHECK:
        *status = program_fulfils(m, step->demand) ? GAL_OK : GAL_BAD_DATA;
        return number + 1;
    case GALI_CONTROL_LOOP:
        m->symbols[step->symbol] = 0;
        return program_goes_on(m, step)
                   ? number + 1
                   : program_match(p, number, GALI_CONTROL_END_LOOP, GALI_CONTROL_END_LOOP) + 1;
    case GALI_CONTROL_END_LOOP:
        m->symbols[step->symbol]++;
        if (!program_goes_on(m, step)) {
            return number + 1;
        }
        *status = program_has_room(m, step->symbol) ? GAL_OK : GAL_BAD_DATA;
        return program_begin(p, number) + 1;
    default:
        return number + 1;
    }
}

/* Groups and steps in their order. */
static gal_status program_steps(program_memory *m, gal_error *error) {
    const gali_program *p = m->program;
    gal_status status = GAL_OK;
    uint32_t step = 0, stage = 0, group = GALI_NONE;
    for (const gali_demand *d = p->demands; status == GAL_OK && d; d = d->next) {
        status = program_fulfils(m, d) ? GAL_OK : GAL_BAD_ARGUMENT;
    }
    while (status == GAL_OK && (stage < p->stage_count || step < p->step_count)) {
        if (step < p->step_count && p->steps[step].before <= stage) {
            uint32_t next = program_step(m, step, &status);
            if (next !=
                step + 1) { /* to where that step stands; the one before it was the last that was passed */
                stage = p->steps[next - 1].before;
                group = GALI_NONE;
            }
            step = next;
            if (status != GAL_OK) {
                return gali_fail(error, status, "a size leaves its range");
            }
            continue;
        }
        if (!p->stages[stage].gone && p->stages[stage].group != group) {
            group = p->stages[stage].group;
            status = program_group(m, group, error);
        }
        stage++;
    }
    return status;
}

typedef gal_status program_layout(gali_program *program, gal_error *error);

static uint32_t program_without; /* bits of GALI_WITHOUT_ from the start */

/*
 * All passes of the compiler, for a target, NULL: for any. layout: gali_program_layout, or a test's. Stages stand group by group
 * then, on which gali_program_group_first relies.
 */
static gal_status program_make(gali_run *run, const gali_graph *graph, const gali_target *target,
                               program_layout *layout, gali_program **program) {
    gal_status status = gali_program_make(program, graph, graph->arena, run->error);
    if (status == GAL_OK) {
        (*program)->without = program_without;
    }
    status = status == GAL_OK ? gali_program_patterns(*program, target, run->error) : status;
    status = status == GAL_OK ? gali_program_winograd(*program, run->error) : status;
    status = status == GAL_OK ? gali_program_copy_inputs(*program, run->error) : status;
    status = status == GAL_OK ? gali_program_fuse(*program, run->error) : status;
    status = status == GAL_OK ? gali_program_range(*program, run->error) : status;
    status = status == GAL_OK ? layout(*program, run->error) : status;
    status = status == GAL_OK ? gali_program_add_margins(*program, run->error) : status;
    status = status == GAL_OK ? gali_program_order(*program, run->error) : status;
    status = status == GAL_OK ? gali_program_place(*program, run->error) : status;
    if (status == GAL_OK) {
        (*program)->target = target;
    }
    for (uint32_t i = 1; status == GAL_OK && i < (*program)->stage_count; i++) {
        if ((*program)->stages[i].group < (*program)->stages[i - 1].group) {
            status = gali_fail(run->error, GAL_BAD_DATA, "stage %u does not stand with its group", i);
        }
    }
    return status;
}

/* As gali_graph_evaluate; GAL_UNSUPPORTED where the compiler has no loops for the graph. calls: groups that ran; NULL. */
static gal_status program_run_counted(gali_run *run, const gali_graph *graph, const gali_target *target,
                                      program_layout *layout, const gali_tensor *inputs, gali_tensor *outputs,
                                      uint32_t *calls) {
    program_memory m = {0};
    gal_status status = program_make(run, graph, target, layout, &m.program);
    if (status != GAL_OK) {
        return status;
    }
    m.symbols = calloc(gali_extent_symbols(graph->extents) + 1, sizeof *m.symbols);
    m.trips = calloc(gali_extent_symbols(graph->extents) + 1, sizeof *m.trips);
    m.data = calloc(m.program->tensor_count + 1, sizeof *m.data);
    m.at = calloc(m.program->slot_count + 1, sizeof *m.at);
    program_bind(&m, inputs);
    for (uint32_t i = 0; i < m.program->slot_count; i++) {
        m.at[i] = gali_program_slot_at(m.program, &m.program->slots[i], m.at, m.symbols);
    }
    size_t bytes = (size_t)gali_program_slot_at(m.program, &m.program->top, m.at, m.symbols) + 1;
    m.workspace = malloc(bytes);
    memset(m.workspace, 0xFF, bytes); /* no number */
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
    status = program_steps(&m, run->error);
    for (uint32_t i = 0; i < m.program->tensor_count; i++) {
        const gali_program_tensor *t = &m.program->tensors[i];
        if (status == GAL_OK && t->role == GALI_TENSOR_OUTPUT) {
            gali_value value = {.name = t->name, .type = t->type, .data = m.data[i]};
            for (int d = 0; d < t->type.rank; d++) {
                value.type.shape[d] = program_extent(&m, t->type.shape[d]);
            }
            static const char nothing[64];
            value.data = value.data ? value.data : nothing;
            status = gali_tensor_of(run, &value, &outputs[t->port]);
        }
    }
    for (uint32_t i = 0; i < m.program->tensor_count; i++) {
        if (m.program->tensors[i].slot == GALI_NONE) {
            free(m.data[i]);
        }
    }
    free(m.workspace);
    free(m.at);
    free((void *)m.data);
    free(m.symbols);
    free(m.trips);
    if (calls) {
        *calls = m.calls;
    }
    return status;
}

static inline gal_status program_run_by(gali_run *run, const gali_graph *graph, const gali_target *target,
                                        const gali_tensor *inputs, gali_tensor *outputs,
                                        program_layout *layout) {
    return program_run_counted(run, graph, target, layout, inputs, outputs, NULL);
}

static inline gal_status program_run(gali_run *run, const gali_graph *graph, const gali_target *target,
                                     const gali_tensor *inputs, gali_tensor *outputs) {
    return program_run_counted(run, graph, target, gali_program_layout, inputs, outputs, NULL);
}

#endif
