#include "compiler/schedule/expression.h"

#include <stdio.h>
#include <string.h>

#include "compiler/loop/words.h"

gali_expression *gali_expression_make(gali_arena *arena, const char *name) {
    gali_expression *expression = gali_arena_take(arena, sizeof *expression);
    gali_loop_function *names = gali_loop_make(arena, name);
    if (expression) {
        expression->names = names;
    }
    return names ? expression : NULL;
}

const gali_loop_variable *gali_expression_symbol(gali_expression *expression, const char *name, uint32_t least,
                                                 uint32_t most) {
    gali_loop_variable *symbol = gali_loop_add_variable(expression->names, name);
    if (symbol) {
        symbol->least = least;
        symbol->most = most;
        expression->names->symbols++;
    }
    return symbol;
}

const gali_loop_variable *gali_expression_axis(gali_expression *expression, const char *name,
                                               gali_loop_index extent) {
    int room = expression->axes < GALI_EXPRESSION_AXES_MAX;
    gali_loop_variable *variable = room ? gali_loop_add_variable(expression->names, name) : NULL;
    if (!variable) {
        expression->names->arena->failed = 1;
        return NULL;
    }
    expression->axis[expression->axes++] = (gali_axis){.variable = variable, .extent = extent};
    return variable;
}

const gali_loop_buffer *gali_expression_buffer(gali_expression *expression, const char *name,
                                               gali_loop_role role, uint32_t rank,
                                               const gali_loop_index *extent) {
    gali_loop_buffer *buffer = gali_loop_add_buffer(expression->names, name, role);
    if (buffer) {
        buffer->rank = rank;
        memcpy(buffer->extent, extent, rank * sizeof *extent);
    }
    return buffer;
}

static gali_loop_index extent_of(const gali_expression *expression, const gali_loop_variable *variable) {
    for (uint32_t i = 0; i < expression->axes; i++) {
        if (expression->axis[i].variable == variable) {
            return expression->axis[i].extent;
        }
    }
    return gali_loop_number(0); /* there was no room for the axis */
}

gali_stage *gali_expression_stage(gali_expression *expression, const char *name, gali_loop_role role,
                                  uint32_t axes, uint32_t reduced, const gali_loop_variable *const *axis) {
    gali_loop_index extent[GALI_LOOP_RANK_MAX];
    if (expression->stages == GALI_EXPRESSION_STAGES_MAX || axes > GALI_LOOP_RANK_MAX ||
        reduced > GALI_LOOP_RANK_MAX) {
        expression->names->arena->failed = 1;
        return NULL;
    }
    gali_stage *stage = &expression->stage[expression->stages++];
    for (uint32_t i = 0; i < axes; i++) {
        extent[i] = extent_of(expression, axis[i]);
    }
    *stage = (gali_stage){.axes = axes, .reduced = reduced};
    stage->buffer = gali_expression_buffer(expression, name, role, axes, extent);
    memcpy(stage->axis, axis, axes * sizeof *axis);
    memcpy(stage->reduce, axis + axes, reduced * sizeof *axis);
    return stage;
}

const gali_loop_value *gali_expression_load(gali_expression *expression, const gali_loop_buffer *buffer,
                                            const gali_loop_index *index) {
    gali_loop_access access = {.buffer = buffer, .lanes = 1};
    if (buffer) {
        memcpy(access.index, index, buffer->rank * sizeof *index);
    }
    return gali_loop_load(expression->names->arena, &access, NULL);
}

const gali_loop_value *gali_expression_element(gali_expression *expression, const gali_stage *stage) {
    gali_loop_index index[GALI_LOOP_RANK_MAX];
    for (uint32_t i = 0; i < stage->axes; i++) {
        index[i] = gali_loop_of(stage->axis[i]);
    }
    return gali_expression_load(expression, stage->buffer, index);
}

static void print_stage(const gali_stage *stage, gali_text *text) {
    gali_text_add(text, "  %s", stage->buffer->name);
    for (uint32_t i = 0; i < stage->axes; i++) {
        gali_text_add(text, "[%s]", stage->axis[i]->name);
    }
    if (stage->buffer->role == GALI_LOOP_LOCAL && stage->buffer->element != GALI_f32) {
        gali_text_add(text, ": %s", gali_element_list[stage->buffer->element].word);
    }
    gali_text_add(text, " = ");
    if (stage->reduced) {
        gali_loop_print_value(stage->start, text);
        gali_text_add(text, ", over ");
    }
    for (uint32_t i = 0; i < stage->reduced; i++) {
        gali_text_add(text, "%s%s", stage->reduce[i]->name, i + 1 < stage->reduced ? ", " : ": ");
    }
    gali_loop_print_value(stage->value, text);
    gali_text_add(text, "\n");
}

void gali_expression_print(const gali_expression *expression, gali_text *text) {
    const gali_loop_function *names = expression->names;
    gali_text_add(text, "expression %s(", names->name);
    for (uint32_t i = 0; i < names->symbols; i++) {
        const gali_loop_variable *symbol = names->variable[i];
        gali_text_add(text, "%s%s in %u..%u", i ? ", " : "", symbol->name, symbol->least, symbol->most);
    }
    gali_text_add(text, ")%s\n", names->dense ? " dense" : "");
    for (uint32_t i = 0; i < names->buffers; i++) {
        if (names->buffer[i]->role != GALI_LOOP_LOCAL) {
            gali_text_add(text, "  %s %s", gali_loop_roles[names->buffer[i]->role], names->buffer[i]->name);
            gali_loop_print_shape(names->buffer[i], text);
            gali_text_add(text, "\n");
        }
    }
    for (uint32_t i = 0; i < expression->axes; i++) {
        const gali_axis *axis = &expression->axis[i];
        gali_text_add(text, "  axis %s ", axis->variable->name);
        if (axis->lookup) {
            gali_loop_print_access(axis->lookup, text);
            gali_text_add(text, " in 0..%u", gali_loop_size(&axis->extent) - 1);
        } else {
            gali_loop_print_index(&axis->extent, text);
        }
        gali_text_add(text, "\n");
    }
    for (uint32_t i = 0; i < expression->stages; i++) {
        print_stage(&expression->stage[i], text);
    }
}
