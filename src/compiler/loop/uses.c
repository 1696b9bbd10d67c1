#include "compiler/loop/uses.h"

typedef struct walker {
    gali_loop_see_access *access;
    gali_loop_see_index *index;
    void *context;
} walker;

static void see_access(const walker *w, const gali_loop_access *access, int written) {
    if (w->access) {
        w->access(w->context, access, written);
    }
}

static void see_index(const walker *w, const gali_loop_index *index) {
    if (w->index) {
        w->index(w->context, index);
    }
}

static void see_value(const walker *w, const gali_loop_value *value) {
    if (value->op == GALI_VALUE_LOAD) {
        see_access(w, &value->load, 0);
    }
    if (value->op == GALI_VALUE_AT) {
        see_index(w, &value->at);
    }
    for (uint32_t i = 0; i < gali_loop_arity(value); i++) {
        see_value(w, value->operand[i]);
    }
}

static void see_let(const walker *w, const gali_loop_statement *let) {
    if (let->let == GALI_LOOP_LOOKUP) {
        see_access(w, &let->lookup, 0);
        return;
    }
    if (let->let == GALI_LOOP_CLAMP) {
        see_value(w, let->value);
    }
    for (uint32_t i = 0; i < 3; i++) {
        see_index(w, &let->operand[i]);
    }
}

static void see_call(const walker *w, const gali_loop_tile *tile) {
    see_access(w, &tile->sum, 1);
    see_access(w, &tile->x, 0);
    see_access(w, &tile->weights, 0);
    see_index(w, &tile->inputs);
    see_index(w, &tile->rows);
    see_index(w, &tile->vectors);
    see_index(w, &tile->experts);
}

void gali_loop_walk(const gali_loop_statement *block, gali_loop_see_access *access, gali_loop_see_index *index,
                    void *context) {
    const walker w = {access, index, context};
    for (const gali_loop_statement *s = block; s; s = s->next) {
        switch (s->kind) {
        case GALI_LOOP_FOR:
            see_index(&w, &s->extent);
            gali_loop_walk(s->body, access, index, context);
            break;
        case GALI_LOOP_LET:
            see_let(&w, s);
            break;
        case GALI_LOOP_STORE:
            see_access(&w, &s->to, 1);
            see_value(&w, s->value);
            break;
        case GALI_LOOP_CALL:
            see_call(&w, &s->tile);
            break;
        case GALI_LOOP_POINT:
            see_access(&w, &s->to, 1);
            see_access(&w, &s->from, 0);
            break;
        case GALI_LOOP_MAKE:
            break;
        }
    }
}

typedef struct search {
    const gali_loop_variable *variable;
    int found;
} search;

static void look_in_index(void *context, const gali_loop_index *index) {
    search *s = context;
    s->found |= gali_loop_index_uses(index, s->variable);
}

static void look_in_access(void *context, const gali_loop_access *access, int written) {
    (void)written;
    for (uint32_t d = 0; d < gali_loop_rank(access->buffer); d++) {
        look_in_index(context, &access->index[d]);
    }
}

int gali_loop_uses_variable(const gali_loop_statement *block, const gali_loop_variable *variable) {
    search s = {.variable = variable};
    gali_loop_walk(block, look_in_access, look_in_index, &s);
    return s.found;
}
