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
    function->parameters += role < GALI_LOOP_LOCAL;
    return buffer;
}

gali_loop_statement *gali_loop_add_statement(gali_arena *arena, gali_loop_kind kind) {
    gali_loop_statement *statement = gali_arena_take(arena, sizeof *statement);
    if (statement) {
        statement->kind = kind;
    }
    return statement;
}

const gali_loop_variable *gali_loop_add_size(gali_loop_function *function, const char *name, gali_loop_let let,
                                             const gali_loop_index *a, const gali_loop_index *b) {
    gali_loop_statement *size = gali_loop_add_statement(function->arena, GALI_LOOP_LET);
    gali_loop_statement **last = &function->sizes;
    if (!size) {
        return NULL;
    }
    while (*last) {
        last = &(*last)->next;
    }
    *last = size;
    size->let = let;
    size->operand[0] = *a;
    size->operand[1] = b ? *b : gali_loop_number(0);
    size->variable = gali_loop_add_variable(function, name);
    return size->variable;
}

/* ---- values ---- */

static gali_loop_value *make_value(gali_arena *arena, gali_loop_op op, gali_element element) {
    gali_loop_value *value = gali_arena_take(arena, sizeof *value);
    if (value) {
        value->op = op;
        value->element = element;
    }
    return value;
}

gali_element gali_loop_computed(gali_element element) {
    return element == GALI_f16 || element == GALI_bf16 ? GALI_f32 : element;
}

gali_loop_value *gali_loop_real(gali_arena *arena, gali_element element, double number) {
    gali_loop_value *value = make_value(arena, GALI_VALUE_CONSTANT, gali_loop_computed(element));
    if (value) {
        value->real = value->element == GALI_f32 ? (double)(float)number : number;
    }
    return value;
}

gali_loop_value *gali_loop_constant(gali_arena *arena, float constant) {
    return gali_loop_real(arena, GALI_f32, (double)constant);
}

gali_loop_value *gali_loop_whole(gali_arena *arena, gali_element element, int64_t number) {
    gali_loop_value *value = make_value(arena, GALI_VALUE_CONSTANT, element);
    if (value) {
        value->whole = number;
    }
    return value;
}

gali_loop_value *gali_loop_at(gali_arena *arena, const gali_loop_index *index) {
    gali_loop_value *value = make_value(arena, GALI_VALUE_AT, GALI_i64);
    if (value) {
        value->at = *index;
    }
    return value;
}

gali_loop_value *gali_loop_load(gali_arena *arena, const gali_loop_access *access,
                                const gali_loop_value *otherwise) {
    gali_element element = access->buffer ? access->buffer->element : GALI_f32;
    gali_loop_value *value = make_value(arena, GALI_VALUE_LOAD, gali_loop_computed(element));
    if (value) {
        value->load = *access;
        value->operand[0] = otherwise;
    }
    return value;
}

gali_loop_value *gali_loop_cast(gali_arena *arena, gali_element element, const gali_loop_value *a) {
    gali_element computed = gali_loop_computed(element);
    gali_loop_value *value = make_value(arena, GALI_VALUE_CAST, computed);
    if (!value) {
        return NULL;
    }
    value->operand[0] = a;
    if (computed == element) {
        return value;
    }
    return gali_loop_apply(arena, element == GALI_f16 ? GALI_VALUE_ROUND_F16 : GALI_VALUE_ROUND_BF16, value,
                           NULL, NULL);
}

gali_loop_value *gali_loop_apply(gali_arena *arena, gali_loop_op op, const gali_loop_value *a,
                                 const gali_loop_value *b, const gali_loop_value *c) {
    const gali_loop_value *like = op == GALI_VALUE_SELECT ? b : a;
    gali_element element = gali_loop_ops[op].truth ? GALI_truth : like ? like->element : GALI_f32;
    gali_loop_value *value = make_value(arena, op, element);
    if (value) {
        value->operand[0] = a;
        value->operand[1] = b;
        value->operand[2] = c;
    }
    return value;
}

int gali_loop_is_uniform(const gali_loop_value *value) {
    int uniform = value->op != GALI_VALUE_LOAD || value->load.lanes == 1;
    for (uint32_t i = 0; uniform && i < gali_loop_arity(value); i++) {
        uniform = gali_loop_is_uniform(value->operand[i]);
    }
    return uniform;
}

uint32_t gali_loop_arity(const gali_loop_value *value) {
    return value->op == GALI_VALUE_LOAD ? value->operand[0] != NULL : gali_loop_ops[value->op].arity;
}

gali_loop_op gali_loop_find_op(const char *name) {
    int op = 0;
    while (op < GALI_VALUE_COUNT && (!*gali_loop_ops[op].name || strcmp(name, gali_loop_ops[op].name) != 0)) {
        op++;
    }
    return (gali_loop_op)op;
}

/* ---- indices ---- */

gali_loop_index gali_loop_number(int64_t constant) {
    return (gali_loop_index){.constant = constant};
}

gali_loop_index gali_loop_of(const gali_loop_variable *variable) {
    return (gali_loop_index){.count = 1, .term = {{1, variable}}};
}

static int is_small(int64_t number) {
    return number >= -GALI_LOOP_EXTENT_MAX && number <= GALI_LOOP_EXTENT_MAX;
}

/* a + b c of small a and b; what is not small is any other number that is not. */
static int64_t add_product(int64_t a, int64_t b, int64_t c) {
    return is_small(c) ? a + b * c : INT64_MAX;
}

static int add_term(gali_loop_index *to, int64_t scale, const gali_loop_variable *variable) {
    uint32_t i = 0;
    while (i < to->count && to->term[i].variable != variable) {
        i++;
    }
    if (i == GALI_LOOP_TERMS_MAX) {
        return scale == 0;
    }
    if (i == to->count) {
        to->term[to->count++] = (gali_loop_term){0, variable};
    }
    to->term[i].scale += scale;
    int good = is_small(to->term[i].scale);
    if (!to->term[i].scale) {
        to->count--;
        memmove(to->term + i, to->term + i + 1, (to->count - i) * sizeof *to->term);
    }
    return good;
}

int gali_loop_index_add(gali_loop_index *to, const gali_loop_index *from, int64_t scale) {
    const gali_loop_index added = *from; /* may be what it is added to */
    to->constant = add_product(to->constant, added.constant, scale);
    int good = is_small(to->constant);
    for (uint32_t i = 0; i < added.count && good; i++) {
        int64_t more = add_product(0, added.term[i].scale, scale);
        good = is_small(more) && add_term(to, more, added.term[i].variable);
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

int64_t gali_loop_index_scale(const gali_loop_index *index, const gali_loop_variable *variable) {
    for (uint32_t i = 0; i < index->count; i++) {
        if (index->term[i].variable == variable) {
            return index->term[i].scale;
        }
    }
    return 0;
}

int gali_loop_index_uses(const gali_loop_index *index, const gali_loop_variable *variable) {
    return gali_loop_index_scale(index, variable) != 0;
}

const gali_loop_statement *gali_loop_parallel(const gali_loop_statement *block) {
    const gali_loop_statement *found = NULL;
    for (const gali_loop_statement *s = block; s && !found; s = s->next) {
        int is = s->kind == GALI_LOOP_FOR && s->mark == GALI_LOOP_PARALLEL;
        found = is ? s : s->kind == GALI_LOOP_FOR ? gali_loop_parallel(s->body) : NULL;
    }
    return found;
}
