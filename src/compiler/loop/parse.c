/* The text form back into a function: a recursive descent by the reader's words. What is read is verified. */
#include <string.h>

#include "base/error.h"
#include "compiler/loop/reader.h"
#include "compiler/loop/words.h"

static int read_let_operands(gali_reader *r, gali_loop_statement *let) {
    gali_word name;
    if (!gali_reader_word(r, name)) {
        return 0;
    }
    for (int i = 0; i < GALI_LOOP_LET_COUNT; i++) {
        if (strcmp(name, gali_loop_lets[i].name) != 0) {
            continue;
        }
        let->let = (gali_loop_let)i;
        gali_reader_take(r, '(');
        if (let->let == GALI_LOOP_LOOKUP) {
            return gali_reader_word(r, name) && gali_reader_access(r, name, &let->lookup) &&
                   gali_reader_take(r, ')');
        }
        if (let->let == GALI_LOOP_CLAMP &&
            (!(let->value = gali_reader_value(r)) || !gali_reader_take(r, ','))) {
            return 0;
        }
        for (uint32_t k = 0; k < gali_loop_lets[i].arity; k++) {
            if ((k && !gali_reader_take(r, ',')) || !gali_reader_index(r, &let->operand[k])) {
                return 0;
            }
        }
        return gali_reader_take(r, ')');
    }
    return gali_reader_fail(r, "%s is no definition of an integer", name);
}

static int read_let(gali_reader *r, gali_loop_statement *let) {
    gali_word name;
    const char *at = r->at;
    uint32_t line = r->line;
    if (!gali_reader_word(r, name) || !gali_reader_take(r, '=') || !read_let_operands(r, let)) {
        return 0;
    }
    const char *after = r->at; /* the variable is made after its operands: it is not one of them */
    uint32_t line_after = r->line;
    r->at = at;
    r->line = line;
    let->variable = gali_reader_add_variable(r);
    r->at = after;
    r->line = line_after;
    if (!let->variable) {
        return 0;
    }
    if (let->let == GALI_LOOP_LOOKUP) {
        return gali_reader_expect(r, "in") && gali_reader_range(r, let->variable);
    }
    let->cases = gali_reader_word_if(r, "in");
    return !let->cases ? r->status == GAL_OK
                       : gali_reader_range(r, let->variable) && gali_reader_expect(r, "cases");
}

static int read_block(gali_reader *r, gali_loop_statement **block);

static int read_for(gali_reader *r, gali_loop_statement *loop) {
    loop->variable = gali_reader_add_variable(r);
    if (!loop->variable || !gali_reader_expect(r, "in") || !gali_reader_index(r, &loop->extent)) {
        return 0;
    }
    if (gali_reader_word_if(r, "parallel")) {
        loop->mark = GALI_LOOP_PARALLEL;
    } else if (gali_reader_word_if(r, "item")) {
        loop->mark = GALI_LOOP_ITEM;
    } else if (gali_reader_word_if(r, "transpose")) {
        loop->mark = GALI_LOOP_TRANSPOSE;
    } else if (gali_reader_word_if(r, "unroll")) {
        loop->mark = GALI_LOOP_UNROLL;
        if (!gali_reader_next_is(r, '{') && !gali_reader_number(r, GALI_LOOP_LANES_MAX, &loop->factor)) {
            return 0;
        }
    }
    return gali_reader_take(r, '{') && read_block(r, &loop->body);
}

static int read_named_access(gali_reader *r, gali_loop_access *access) {
    gali_word name;
    return gali_reader_word(r, name) && gali_reader_access(r, name, access);
}

static int read_call(gali_reader *r, gali_loop_tile *tile) {
    return gali_reader_expect(r, "tile_sum") && gali_reader_take(r, '(') && read_named_access(r, &tile->sum) &&
           gali_reader_take(r, ',') && read_named_access(r, &tile->x) && gali_reader_take(r, ',') &&
           read_named_access(r, &tile->weights) && gali_reader_take(r, ',') &&
           gali_reader_index(r, &tile->inputs) && gali_reader_take(r, ',') &&
           gali_reader_index(r, &tile->rows) && gali_reader_take(r, ',') &&
           gali_reader_index(r, &tile->vectors) && gali_reader_take(r, ',') &&
           gali_reader_index(r, &tile->experts) && gali_reader_take(r, ')');
}

static int read_statement(gali_reader *r, gali_loop_statement *statement) {
    static const char *const heads[] = {"for", "let", "local", NULL, "call", "point"}; /* by gali_loop_kind */
    int kind = 0;
    if (gali_reader_word_if(r, "view")) {
        statement->kind = GALI_LOOP_MAKE;
        return (statement->local = gali_reader_add_buffer(r, GALI_LOOP_VIEW)) != NULL;
    }
    while (kind <= GALI_LOOP_POINT && !(heads[kind] && gali_reader_word_if(r, heads[kind]))) {
        kind++;
    }
    statement->kind = kind <= GALI_LOOP_POINT ? (gali_loop_kind)kind : GALI_LOOP_STORE;
    switch (statement->kind) {
    case GALI_LOOP_FOR:
        return read_for(r, statement);
    case GALI_LOOP_LET:
        return read_let(r, statement);
    case GALI_LOOP_MAKE:
        return (statement->local = gali_reader_add_buffer(r, GALI_LOOP_LOCAL)) != NULL;
    case GALI_LOOP_CALL:
        return read_call(r, &statement->tile);
    case GALI_LOOP_POINT:
        return read_named_access(r, &statement->to) && gali_reader_expect(r, "at") &&
               read_named_access(r, &statement->from);
    default:
        return read_named_access(r, &statement->to) && gali_reader_take(r, '=') &&
               (statement->value = gali_reader_value(r)) != NULL;
    }
}

/* Statements up to the closing brace. */
static int read_block(gali_reader *r, gali_loop_statement **block) {
    if (++r->depth > GALI_LOOP_DEPTH_MAX) {
        return gali_reader_fail(r, "more than %d levels", GALI_LOOP_DEPTH_MAX);
    }
    while (!gali_reader_take_if(r, '}')) {
        *block = gali_loop_add_statement(r->arena, GALI_LOOP_FOR);
        if (!*block) {
            return gali_reader_no_memory(r);
        }
        if (!read_statement(r, *block)) {
            return 0;
        }
        block = &(*block)->next;
    }
    r->depth--;
    return 1;
}

/* "size NAME = ..", as often as it stands there. */
static int read_sizes(gali_reader *r) {
    gali_loop_statement **last = &r->function->sizes;
    const char *at = r->at;
    uint32_t line = r->line;
    while (gali_reader_word_if(r, "size") && gali_reader_next_is_word(r)) {
        *last = gali_loop_add_statement(r->arena, GALI_LOOP_LET);
        if (!*last || !read_let(r, *last)) {
            return *last ? 0 : gali_reader_no_memory(r);
        }
        last = &(*last)->next;
        at = r->at;
        line = r->line;
    }
    r->at = r->status == GAL_OK ? at : r->end; /* a statement may start with a buffer of that name */
    r->line = line;
    return r->status == GAL_OK;
}

static int read_parameters(gali_reader *r) {
    for (int role = 0; role < GALI_LOOP_LOCAL;) {
        if (!gali_reader_word_if(r, gali_loop_roles[role])) {
            role++;
            continue;
        }
        if (!gali_reader_add_buffer(r, (gali_loop_role)role)) {
            return 0;
        }
        role = 0;
    }
    return 1;
}

static int read_function(gali_reader *r) {
    gali_word name;
    if (!gali_reader_expect(r, "loop") || !gali_reader_word(r, name)) {
        return 0;
    }
    r->function = gali_loop_make(r->arena, name);
    if (!r->function) {
        return gali_reader_no_memory(r);
    }
    if (!gali_reader_take(r, '(') || !gali_reader_symbols(r)) {
        return 0;
    }
    r->function->dense = gali_reader_word_if(r, "dense");
    if (!gali_reader_take(r, '{') || !read_sizes(r) || !read_parameters(r) ||
        !read_block(r, &r->function->body)) {
        return 0;
    }
    gali_reader_skip(r);
    return r->at == r->end || gali_reader_fail(r, "more text after the function");
}

gal_status gali_loop_parse(gali_loop_function **out, const char *text, size_t size, gali_arena *arena,
                           gal_error *error) {
    gali_reader r = {.what = "loop", .at = text, .end = text + size, .line = 1, .arena = arena, .error = error};
    if (memchr(text, 0, size)) {
        return gali_fail(error, GAL_BAD_DATA, "loop: not text");
    }
    if (!read_function(&r)) {
        return r.status == GAL_OK ? gali_fail(error, GAL_NO_MEMORY, "loop: no memory") : r.status;
    }
    *out = r.function;
    return arena->failed ? gali_fail(error, GAL_NO_MEMORY, "loop: no memory")
                         : gali_loop_verify(r.function, error);
}
