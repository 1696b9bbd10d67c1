/*
 * The text form back into a function: a recursive descent over words, numbers and signs; `#` starts a comment. The
 * first error sticks, with its line, and everything after it is skipped over; what is read is verified.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "compiler/loop/words.h"

typedef struct reader {
    const char *at, *end;
    uint32_t line, depth;
    gali_loop_function *function;
    gali_arena *arena;
    gal_status status;
    gal_error *error;
} reader;

typedef char word[GALI_LOOP_NAME_MAX];

GALI_PRINTF(2, 3) static int fail(reader *r, const char *format, ...);

static int fail(reader *r, const char *format, ...) {
    if (r->status == GAL_OK) {
        char message[200];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
        r->status = gali_fail(r->error, GAL_BAD_DATA, "loop, line %u: %s", r->line, message);
    }
    r->at = r->end;
    return 0;
}

static int out_of_memory(reader *r) {
    r->status = r->status == GAL_OK
                    ? gali_fail(r->error, GAL_NO_MEMORY, "loop, line %u: no memory, or too large", r->line)
                    : r->status;
    r->at = r->end;
    return 0;
}

static void skip(reader *r) {
    while (r->at < r->end && strchr(" \t\r\n#", *r->at)) {
        if (*r->at == '#') {
            const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
            r->at = end ? end : r->end;
            continue;
        }
        r->line += *r->at++ == '\n';
    }
}

static int is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int is_digit(char c) {
    return c >= '0' && c <= '9';
}

static int next_is(reader *r, char sign) {
    skip(r);
    return r->at < r->end && *r->at == sign;
}

static int take_if(reader *r, char sign) {
    if (!next_is(r, sign)) {
        return 0;
    }
    r->at++;
    return 1;
}

static int take(reader *r, char sign) {
    return take_if(r, sign) || fail(r, "expected '%c'", sign);
}

static int next_is_word(reader *r) {
    skip(r);
    return r->at < r->end && is_letter(*r->at);
}

static int take_word(reader *r, word name) {
    if (!next_is_word(r)) {
        return fail(r, "expected a name");
    }
    size_t size = 0;
    while (r->at + size < r->end && (is_letter(r->at[size]) || is_digit(r->at[size]) || r->at[size] == '.')) {
        size++;
    }
    if (size >= GALI_LOOP_NAME_MAX || r->at[size - 1] == '.') {
        return fail(r, "a name of more than %d letters, or one that ends with a dot", GALI_LOOP_NAME_MAX - 1);
    }
    memcpy(name, r->at, size);
    name[size] = 0;
    r->at += size;
    return 1;
}

/* Takes the word if it is next. */
static int take_word_if(reader *r, const char *expected) {
    const char *at = r->at;
    uint32_t line = r->line;
    word name;
    if (next_is_word(r) && take_word(r, name) && strcmp(name, expected) == 0) {
        return 1;
    }
    if (r->status == GAL_OK) {
        r->at = at;
        r->line = line;
    }
    return 0;
}

static int expect_word(reader *r, const char *expected) {
    return take_word_if(r, expected) || fail(r, "expected '%s'", expected);
}

static int take_number(reader *r, uint32_t most, uint32_t *number) {
    skip(r);
    uint64_t value = 0;
    const char *start = r->at;
    while (r->at < r->end && is_digit(*r->at) && value <= most) {
        value = value * 10 + (uint64_t)(*r->at++ - '0');
    }
    *number = (uint32_t)value;
    return (r->at > start && value <= most) || fail(r, "expected a number, at most %u", most);
}

static gali_loop_variable *find_variable(const reader *r, const char *name) {
    for (uint32_t i = 0; i < r->function->variables; i++) {
        if (strcmp(r->function->variable[i]->name, name) == 0) {
            return r->function->variable[i];
        }
    }
    return NULL;
}

static gali_loop_buffer *find_buffer(const reader *r, const char *name) {
    for (uint32_t i = 0; i < r->function->buffers; i++) {
        if (strcmp(r->function->buffer[i]->name, name) == 0) {
            return r->function->buffer[i];
        }
    }
    return NULL;
}

/* number, number * variable or variable, times sign. */
static int read_term(reader *r, int sign, gali_loop_index *index) {
    uint32_t scale = 1;
    int number = !next_is_word(r);
    if (number && !take_number(r, GALI_LOOP_EXTENT_MAX, &scale)) {
        return 0;
    }
    gali_loop_index term = gali_loop_number(number ? scale : 0);
    if (!number || take_if(r, '*')) {
        word name;
        if (!take_word(r, name)) {
            return 0;
        }
        gali_loop_variable *variable = find_variable(r, name);
        if (!variable) {
            return fail(r, "no variable %s", name);
        }
        term = gali_loop_of(variable);
    } else {
        scale = 1;
    }
    return gali_loop_index_add(index, &term, sign * (int64_t)scale) ||
           fail(r, "an index with too many terms, or too large");
}

static int read_index(reader *r, gali_loop_index *index) {
    int minus = take_if(r, '-');
    *index = gali_loop_number(0);
    do {
        if (!read_term(r, minus ? -1 : 1, index)) {
            return 0;
        }
        minus = take_if(r, '-');
    } while (minus || take_if(r, '+'));
    return 1;
}

static int read_access(reader *r, const char *name, gali_loop_access *access) {
    *access = (gali_loop_access){.buffer = find_buffer(r, name), .lanes = 1};
    if (!access->buffer) {
        return fail(r, "no buffer %s", name);
    }
    uint32_t rank = gali_loop_rank(access->buffer);
    for (uint32_t d = 0; d < rank; d++) {
        if (!take(r, '[')) {
            return 0;
        }
        access->tested |= (uint32_t)take_if(r, '?') << d;
        if (!read_index(r, &access->index[d])) {
            return 0;
        }
        if (d + 1 == rank && take_if(r, ':') && !take_number(r, GALI_LOOP_LANES_MAX, &access->lanes)) {
            return 0;
        }
        if (!take(r, ']')) {
            return 0;
        }
    }
    return 1;
}

/* The element that a word names; GALI_ELEMENT_COUNT if it names none. */
static gali_element find_element(const char *name) {
    int element = 0;
    while (element < GALI_ELEMENT_COUNT && strcmp(name, gali_element_list[element].word) != 0) {
        element++;
    }
    return (gali_element)element;
}

/* What stands behind a number: its element, f32 where nothing does. */
static int read_suffix(reader *r, gali_element *element) {
    word name;
    *element = GALI_f32;
    if (r->at == r->end || !is_letter(*r->at)) {
        return 1;
    }
    if (!take_word(r, name)) {
        return 0;
    }
    *element = find_element(name);
    int good = *element < GALI_ELEMENT_COUNT && gali_loop_computed(*element) == *element;
    return good || fail(r, "%s is no element of a value", name);
}

/* Whole numbers from the least to the largest of an element, but for those of 64 bits. */
static int holds(gali_element element, int64_t number) {
    int kind = gali_element_list[element].kind, bits = 8 * (int)gali_element_list[element].bytes;
    int64_t most = kind == GALI_TRUTH ? 1
                   : bits == 64       ? INT64_MAX
                                      : ((int64_t)1 << (bits - (kind == GALI_SIGNED))) - 1;
    int64_t least = kind == GALI_SIGNED ? -most - 1 : 0;
    return number >= least && number <= most;
}

static const gali_loop_value *read_whole(reader *r, const char *digits, size_t size, gali_element element) {
    uint64_t number = 0;
    size_t i = *digits == '-';
    int good = i < size;
    for (; i < size && good; i++) {
        uint64_t digit = (uint64_t)(digits[i] - '0');
        good = is_digit(digits[i]) && number <= (UINT64_MAX - digit) / 10;
        number = number * 10 + digit;
    }
    int64_t whole = (int64_t)(*digits == '-' ? 0 - number : number);
    int wide = *digits == '-' ? number <= (uint64_t)1 << 63 : number <= INT64_MAX;
    good = good && (element == GALI_u64 ? *digits != '-' : wide && holds(element, whole));
    if (!good) {
        fail(r, "no number of %s", gali_element_list[element].word);
        return NULL;
    }
    return gali_loop_whole(r->arena, element, whole);
}

static const gali_loop_value *read_constant(reader *r) {
    skip(r);
    size_t size = 0;
    double value = 0;
    const char *digits = r->at;
    gali_element element;
    while (r->at + size < r->end && (is_digit(r->at[size]) || strchr("+-.e", r->at[size]))) {
        size++;
    }
    r->at += size;
    if (!read_suffix(r, &element)) {
        return NULL;
    }
    if (gali_element_list[element].kind != GALI_REAL) {
        return read_whole(r, digits, size, element);
    }
    if (!gali_number_read(digits, size, &value) ||
        !isfinite(element == GALI_f32 ? (double)(float)value : value)) {
        fail(r, "expected a value");
        return NULL;
    }
    return gali_loop_real(r->arena, element, value);
}

/* inf, nan, inff64, nanf64, where no buffer has that name; NULL with nothing read if it is none of them. */
static const gali_loop_value *make_endless(reader *r, const char *name, int minus) {
    static const char *const words[] = {"inf", "nan", "inff64", "nanf64"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(name, words[i]) == 0 && !find_buffer(r, name)) {
            double value = i % 2 ? (double)NAN : minus ? -(double)INFINITY : (double)INFINITY;
            return gali_loop_real(r->arena, i < 2 ? GALI_f32 : GALI_f64, value);
        }
    }
    return NULL;
}

static const gali_loop_value *read_value(reader *r);

static const gali_loop_value *read_cast(reader *r, gali_element element) {
    const gali_loop_value *from = take(r, '(') ? read_value(r) : NULL;
    if (gali_loop_computed(element) != element) {
        fail(r, "%s is stored only", gali_element_list[element].word);
        return NULL;
    }
    return from && take(r, ')') ? gali_loop_cast(r->arena, element, from) : NULL;
}

static const gali_loop_value *read_at(reader *r) {
    gali_loop_index index;
    return take(r, '(') && read_index(r, &index) && take(r, ')') ? gali_loop_at(r->arena, &index) : NULL;
}

static const gali_loop_value *read_operation(reader *r, const char *name) {
    const gali_loop_value *operand[3] = {NULL, NULL, NULL};
    gali_loop_op op = gali_loop_find_op(name);
    gali_element element = find_element(name);
    if (element < GALI_ELEMENT_COUNT) {
        return read_cast(r, element);
    }
    if (op == GALI_VALUE_AT) {
        return read_at(r);
    }
    if (op == GALI_VALUE_COUNT) {
        fail(r, "no operation %s", name);
        return NULL;
    }
    take(r, '(');
    for (uint32_t i = 0; i < gali_loop_ops[op].arity; i++) {
        if ((i && !take(r, ',')) || !(operand[i] = read_value(r))) {
            return NULL;
        }
    }
    return take(r, ')') ? gali_loop_apply(r->arena, op, operand[0], operand[1], operand[2]) : NULL;
}

/* A load; behind one with marked indices stands what it is where they leave. */
static const gali_loop_value *read_load(reader *r, const char *name) {
    gali_loop_access access;
    const gali_loop_value *otherwise = NULL;
    if (!read_access(r, name, &access)) {
        return NULL;
    }
    if (access.tested && (!expect_word(r, "else") || !(otherwise = read_value(r)))) {
        return NULL;
    }
    return gali_loop_load(r->arena, &access, otherwise);
}

static const gali_loop_value *read_named_value(reader *r) {
    word name;
    if (!take_word(r, name)) {
        return NULL;
    }
    if (next_is(r, '(')) {
        return read_operation(r, name);
    }
    const gali_loop_value *endless = make_endless(r, name, 0);
    return endless ? endless : read_load(r, name);
}

/* "-inf": a sign before a word. */
static int next_is_minus_word(reader *r) {
    skip(r);
    return r->at + 1 < r->end && *r->at == '-' && is_letter(r->at[1]);
}

static const gali_loop_value *read_minus_word(reader *r) {
    word name;
    const gali_loop_value *value = NULL;
    r->at++;
    if (take_word(r, name) && !(value = make_endless(r, name, 1))) {
        fail(r, "expected a value");
    }
    return value;
}

static const gali_loop_value *read_value(reader *r) {
    const gali_loop_value *value = NULL;
    if (++r->depth > GALI_LOOP_DEPTH_MAX) {
        fail(r, "more than %d levels", GALI_LOOP_DEPTH_MAX);
    } else if (next_is_minus_word(r)) {
        value = read_minus_word(r);
    } else {
        value = next_is_word(r) ? read_named_value(r) : read_constant(r);
    }
    r->depth--;
    if (!value && r->status == GAL_OK) {
        out_of_memory(r);
    }
    return value;
}

/* [of*scale: 4], [of*scale: 17 parts of 65] or [of*scale: part 4]. */
static int read_packed(reader *r, gali_loop_packed *packed) {
    *packed = (gali_loop_packed){0};
    if (!take(r, '[') || !take_number(r, GALI_LOOP_RANK_MAX - 1, &packed->of) || !take(r, '*') ||
        !take_number(r, GALI_LOOP_EXTENT_MAX, &packed->scale) || !take(r, ':')) {
        return 0;
    }
    packed->part = take_word_if(r, "part");
    if (!take_number(r, GALI_LOOP_EXTENT_MAX, &packed->extent)) {
        return 0;
    }
    if (!packed->part && take_word_if(r, "parts")) {
        return expect_word(r, "of") && take_number(r, GALI_LOOP_EXTENT_MAX, &packed->total) && take(r, ']');
    }
    return take(r, ']');
}

static int read_element(reader *r, gali_loop_buffer *buffer) {
    word name;
    if (!take_word(r, name)) {
        return 0;
    }
    buffer->element = find_element(name);
    return buffer->element < GALI_ELEMENT_COUNT || fail(r, "no element %s", name);
}

static gali_loop_buffer *read_buffer(reader *r, gali_loop_role role) {
    word name;
    if (!take_word(r, name)) {
        return NULL;
    }
    if (find_buffer(r, name)) {
        fail(r, "buffer %s was made before", name);
        return NULL;
    }
    gali_loop_buffer *buffer = gali_loop_add_buffer(r->function, name, role);
    if (!buffer) {
        out_of_memory(r);
        return NULL;
    }
    while (buffer->rank < GALI_LOOP_RANK_MAX && take_if(r, '[')) {
        if (!read_index(r, &buffer->extent[buffer->rank++]) || !take(r, ']')) {
            return NULL;
        }
    }
    if (next_is(r, '[')) {
        fail(r, "%s has more than %d dimensions", name, GALI_LOOP_RANK_MAX);
        return NULL;
    }
    if (role == GALI_LOOP_CONSTANT && take_word_if(r, "as")) {
        while (buffer->packed_rank < GALI_LOOP_RANK_MAX && next_is(r, '[')) {
            if (!read_packed(r, &buffer->packed[buffer->packed_rank++])) {
                return NULL;
            }
        }
    }
    return !take_if(r, ':') || read_element(r, buffer) ? buffer : NULL;
}

static gali_loop_variable *make_variable(reader *r) {
    word name;
    if (!take_word(r, name)) {
        return NULL;
    }
    gali_loop_variable *variable = find_variable(r, name);
    variable = variable ? variable : gali_loop_add_variable(r->function, name);
    if (!variable) {
        out_of_memory(r);
    }
    return variable;
}

static int read_range(reader *r, gali_loop_variable *variable) {
    return take_number(r, GALI_LOOP_EXTENT_MAX, &variable->least) && take(r, '.') && take(r, '.') &&
           take_number(r, GALI_LOOP_EXTENT_MAX, &variable->most);
}

static int read_let_operands(reader *r, gali_loop_statement *let) {
    word name;
    if (!take_word(r, name)) {
        return 0;
    }
    for (int i = 0; i < GALI_LOOP_LET_COUNT; i++) {
        if (strcmp(name, gali_loop_lets[i].name) != 0) {
            continue;
        }
        let->let = (gali_loop_let)i;
        take(r, '(');
        if (let->let == GALI_LOOP_LOOKUP) {
            return take_word(r, name) && read_access(r, name, &let->lookup) && take(r, ')');
        }
        if (let->let == GALI_LOOP_CLAMP && (!(let->value = read_value(r)) || !take(r, ','))) {
            return 0;
        }
        for (uint32_t k = 0; k < gali_loop_lets[i].arity; k++) {
            if ((k && !take(r, ',')) || !read_index(r, &let->operand[k])) {
                return 0;
            }
        }
        return take(r, ')');
    }
    return fail(r, "%s is no definition of an integer", name);
}

static int read_let(reader *r, gali_loop_statement *let) {
    word name;
    const char *at = r->at;
    uint32_t line = r->line;
    if (!take_word(r, name) || !take(r, '=') || !read_let_operands(r, let)) {
        return 0;
    }
    const char *after = r->at; /* the variable is made after its operands: it is not one of them */
    uint32_t line_after = r->line;
    r->at = at;
    r->line = line;
    let->variable = make_variable(r);
    r->at = after;
    r->line = line_after;
    if (!let->variable) {
        return 0;
    }
    if (let->let == GALI_LOOP_LOOKUP) {
        return expect_word(r, "in") && read_range(r, let->variable);
    }
    let->cases = take_word_if(r, "in");
    return !let->cases ? r->status == GAL_OK : read_range(r, let->variable) && expect_word(r, "cases");
}

static int read_block(reader *r, gali_loop_statement **block);

static int read_for(reader *r, gali_loop_statement *loop) {
    loop->variable = make_variable(r);
    if (!loop->variable || !expect_word(r, "in") || !read_index(r, &loop->extent)) {
        return 0;
    }
    if (take_word_if(r, "parallel")) {
        loop->mark = GALI_LOOP_PARALLEL;
    } else if (take_word_if(r, "unroll")) {
        loop->mark = GALI_LOOP_UNROLL;
        if (!next_is(r, '{') && !take_number(r, GALI_LOOP_LANES_MAX, &loop->factor)) {
            return 0;
        }
    }
    return take(r, '{') && read_block(r, &loop->body);
}

static int read_named_access(reader *r, gali_loop_access *access) {
    word name;
    return take_word(r, name) && read_access(r, name, access);
}

static int read_call(reader *r, gali_loop_tile *tile) {
    return expect_word(r, "tile_sum") && take(r, '(') && read_named_access(r, &tile->sum) && take(r, ',') &&
           read_named_access(r, &tile->x) && take(r, ',') && read_named_access(r, &tile->weights) &&
           take(r, ',') && read_index(r, &tile->inputs) && take(r, ',') && read_index(r, &tile->rows) &&
           take(r, ',') && read_index(r, &tile->vectors) && take(r, ',') && read_index(r, &tile->experts) &&
           take(r, ')');
}

static int read_statement(reader *r, gali_loop_statement *statement) {
    static const char *const heads[] = {"for", "let", "local", NULL, "call"}; /* by gali_loop_kind */
    int kind = 0;
    while (kind <= GALI_LOOP_CALL && !(heads[kind] && take_word_if(r, heads[kind]))) {
        kind++;
    }
    statement->kind = kind <= GALI_LOOP_CALL ? (gali_loop_kind)kind : GALI_LOOP_STORE;
    switch (statement->kind) {
    case GALI_LOOP_FOR:
        return read_for(r, statement);
    case GALI_LOOP_LET:
        return read_let(r, statement);
    case GALI_LOOP_MAKE:
        return (statement->local = read_buffer(r, GALI_LOOP_LOCAL)) != NULL;
    case GALI_LOOP_CALL:
        return read_call(r, &statement->tile);
    default:
        return read_named_access(r, &statement->to) && take(r, '=') &&
               (statement->value = read_value(r)) != NULL;
    }
}

/* Statements up to the closing brace. */
static int read_block(reader *r, gali_loop_statement **block) {
    if (++r->depth > GALI_LOOP_DEPTH_MAX) {
        return fail(r, "more than %d levels", GALI_LOOP_DEPTH_MAX);
    }
    while (!take_if(r, '}')) {
        *block = gali_loop_add_statement(r->arena, GALI_LOOP_FOR);
        if (!*block) {
            return out_of_memory(r);
        }
        if (!read_statement(r, *block)) {
            return 0;
        }
        block = &(*block)->next;
    }
    r->depth--;
    return 1;
}

static int read_symbols(reader *r) {
    while (!take_if(r, ')')) {
        uint32_t before = r->function->variables;
        if (before && !take(r, ',')) {
            return 0;
        }
        gali_loop_variable *symbol = make_variable(r);
        if (!symbol || !expect_word(r, "in") || !read_range(r, symbol)) {
            return 0;
        }
        if (r->function->variables == before) {
            return fail(r, "symbol %s twice", symbol->name);
        }
        r->function->symbols++;
    }
    return 1;
}

/* "size NAME = ..", as often as it stands there. */
static int read_sizes(reader *r) {
    gali_loop_statement **last = &r->function->sizes;
    const char *at = r->at;
    uint32_t line = r->line;
    while (take_word_if(r, "size") && next_is_word(r)) {
        *last = gali_loop_add_statement(r->arena, GALI_LOOP_LET);
        if (!*last || !read_let(r, *last)) {
            return *last ? 0 : out_of_memory(r);
        }
        last = &(*last)->next;
        at = r->at;
        line = r->line;
    }
    r->at = r->status == GAL_OK ? at : r->end; /* a statement may start with a buffer of that name */
    r->line = line;
    return r->status == GAL_OK;
}

static int read_parameters(reader *r) {
    for (int role = 0; role < GALI_LOOP_LOCAL;) {
        if (!take_word_if(r, gali_loop_roles[role])) {
            role++;
            continue;
        }
        if (!read_buffer(r, (gali_loop_role)role)) {
            return 0;
        }
        role = 0;
    }
    return 1;
}

static int read_function(reader *r) {
    word name;
    if (!expect_word(r, "loop") || !take_word(r, name)) {
        return 0;
    }
    r->function = gali_loop_make(r->arena, name);
    if (!r->function) {
        return out_of_memory(r);
    }
    if (!take(r, '(') || !read_symbols(r)) {
        return 0;
    }
    r->function->dense = take_word_if(r, "dense");
    if (!take(r, '{') || !read_sizes(r) || !read_parameters(r) || !read_block(r, &r->function->body)) {
        return 0;
    }
    skip(r);
    return r->at == r->end || fail(r, "more text after the function");
}

gal_status gali_loop_parse(gali_loop_function **out, const char *text, size_t size, gali_arena *arena,
                           gal_error *error) {
    reader r = {.at = text, .end = text + size, .line = 1, .arena = arena, .error = error};
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
