#include "compiler/loop/loop.h"

#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "compiler/loop/layout.h"

gali_loop_function *gali_loop_make(gali_arena *arena, const char *name) {
    gali_loop_function *function = gali_arena_take(arena, sizeof *function);
    if (function) {
        function->arena = arena;
        snprintf(function->name, sizeof function->name, "%s", name);
    }
    return function;
}

gali_loop_variable *gali_loop_add_variable(gali_loop_function *function, const char *name) {
    int room = function->variables < GALI_LOOP_VARIABLES_MAX;
    gali_loop_variable *variable = room ? gali_arena_take(function->arena, sizeof *variable) : NULL;
    if (!variable) {
        function->arena->failed = 1;
        return NULL;
    }
    snprintf(variable->name, sizeof variable->name, "%s", name);
    variable->id = function->variables;
    function->variable[function->variables++] = variable;
    return variable;
}

gali_loop_buffer *gali_loop_add_buffer(gali_loop_function *function, const char *name, gali_loop_role role) {
    int room = function->buffers < GALI_LOOP_BUFFERS_MAX;
    gali_loop_buffer *buffer = room ? gali_arena_take(function->arena, sizeof *buffer) : NULL;
    if (!buffer) {
        function->arena->failed = 1;
        return NULL;
    }
    snprintf(buffer->name, sizeof buffer->name, "%s", name);
    buffer->id = function->buffers;
    buffer->role = role;
    function->buffer[function->buffers++] = buffer;
    function->parameters += role != GALI_LOOP_LOCAL;
    return buffer;
}

gali_loop_statement *gali_loop_add_statement(gali_arena *arena, gali_loop_kind kind) {
    gali_loop_statement *statement = gali_arena_take(arena, sizeof *statement);
    if (statement) {
        statement->kind = kind;
    }
    return statement;
}

gali_loop_value *gali_loop_constant(gali_arena *arena, float constant) {
    gali_loop_value *value = gali_arena_take(arena, sizeof *value);
    if (value) {
        value->op = GALI_VALUE_CONSTANT;
        value->constant = constant;
    }
    return value;
}

gali_loop_value *gali_loop_load(gali_arena *arena, const gali_loop_access *access) {
    gali_loop_value *value = gali_arena_take(arena, sizeof *value);
    if (value) {
        value->op = GALI_VALUE_LOAD;
        value->load = *access;
    }
    return value;
}

gali_loop_value *gali_loop_apply(gali_arena *arena, gali_loop_op op, const gali_loop_value *a,
                                 const gali_loop_value *b, const gali_loop_value *c) {
    gali_loop_value *value = gali_arena_take(arena, sizeof *value);
    if (value) {
        *value = (gali_loop_value){.op = op, .operand = {a, b, c}};
    }
    return value;
}

gali_loop_index gali_loop_number(uint32_t constant) {
    return (gali_loop_index){.constant = constant};
}

gali_loop_index gali_loop_of(const gali_loop_variable *variable) {
    return (gali_loop_index){.count = 1, .term = {{1, variable}}};
}

static int add_term(gali_loop_index *to, uint64_t scale, const gali_loop_variable *variable) {
    uint32_t i = 0;
    while (i < to->count && to->term[i].variable != variable) {
        i++;
    }
    if (i == GALI_LOOP_TERMS_MAX) {
        return 0;
    }
    if (i == to->count) {
        to->term[to->count++] = (gali_loop_term){0, variable};
    }
    scale += to->term[i].scale;
    to->term[i].scale = (uint32_t)scale;
    return scale <= GALI_LOOP_EXTENT_MAX;
}

int gali_loop_index_add(gali_loop_index *to, const gali_loop_index *from, uint32_t scale) {
    uint64_t constant = to->constant + (uint64_t)from->constant * scale;
    to->constant = (uint32_t)constant;
    int good = constant <= GALI_LOOP_EXTENT_MAX;
    for (uint32_t i = 0; i < from->count && good; i++) {
        good = add_term(to, (uint64_t)from->term[i].scale * scale, from->term[i].variable);
    }
    return good;
}

int gali_loop_index_same(const gali_loop_index *a, const gali_loop_index *b) {
    if (a->constant != b->constant || a->count != b->count) {
        return 0;
    }
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->term[i].scale != b->term[i].scale || a->term[i].variable != b->term[i].variable) {
            return 0;
        }
    }
    return 1;
}

int gali_loop_index_uses(const gali_loop_index *index, const gali_loop_variable *variable) {
    for (uint32_t i = 0; i < index->count; i++) {
        if (index->term[i].variable == variable) {
            return 1;
        }
    }
    return 0;
}
