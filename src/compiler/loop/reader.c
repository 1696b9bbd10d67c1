#include "compiler/loop/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "compiler/loop/words.h"

int gali_reader_fail(gali_reader *r, const char *format, ...) {
    if (r->status == GAL_OK) {
        char message[200];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
        r->status = gali_fail(r->error, GAL_BAD_DATA, "%s, line %u: %s", r->what, r->line, message);
    }
    r->at = r->end;
    return 0;
}

int gali_reader_no_memory(gali_reader *r) {
    r->status = r->status == GAL_OK ? gali_fail(r->error, GAL_NO_MEMORY, "%s, line %u: no memory, or too large",
                                                r->what, r->line)
                                    : r->status;
    r->at = r->end;
    return 0;
}

void gali_reader_skip(gali_reader *r) {
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

int gali_reader_next_is(gali_reader *r, char sign) {
    gali_reader_skip(r);
    return r->at < r->end && *r->at == sign;
}

int gali_reader_take_if(gali_reader *r, char sign) {
    if (!gali_reader_next_is(r, sign)) {
        return 0;
    }
    r->at++;
    return 1;
}

int gali_reader_take(gali_reader *r, char sign) {
    return gali_reader_take_if(r, sign) || gali_reader_fail(r, "expected '%c'", sign);
}

int gali_reader_next_is_word(gali_reader *r) {
    gali_reader_skip(r);
    return r->at < r->end && is_letter(*r->at);
}

int gali_reader_word(gali_reader *r, gali_word name) {
    if (!gali_reader_next_is_word(r)) {
        return gali_reader_fail(r, "expected a name");
    }
    size_t size = 0;
    while (r->at + size < r->end && (is_letter(r->at[size]) || is_digit(r->at[size]) || r->at[size] == '.')) {
        size++;
    }
    if (size >= GALI_LOOP_NAME_MAX || r->at[size - 1] == '.') {
        return gali_reader_fail(r, "a name of more than %d letters, or one that ends with a dot",
                                GALI_LOOP_NAME_MAX - 1);
    }
    memcpy(name, r->at, size);
    name[size] = 0;
    r->at += size;
    return 1;
}

/* Takes the gali_word if it is next. */
int gali_reader_word_if(gali_reader *r, const char *expected) {
    const char *at = r->at;
    uint32_t line = r->line;
    gali_word name;
    if (gali_reader_next_is_word(r) && gali_reader_word(r, name) && strcmp(name, expected) == 0) {
        return 1;
    }
    if (r->status == GAL_OK) {
        r->at = at;
        r->line = line;
    }
    return 0;
}

int gali_reader_expect(gali_reader *r, const char *expected) {
    return gali_reader_word_if(r, expected) || gali_reader_fail(r, "expected '%s'", expected);
}

int gali_reader_number(gali_reader *r, uint32_t most, uint32_t *number) {
    gali_reader_skip(r);
    uint64_t value = 0;
    const char *start = r->at;
    while (r->at < r->end && is_digit(*r->at) && value <= most) {
        value = value * 10 + (uint64_t)(*r->at++ - '0');
    }
    *number = (uint32_t)value;
    return (r->at > start && value <= most) || gali_reader_fail(r, "expected a number, at most %u", most);
}

gali_loop_variable *gali_reader_find_variable(const gali_reader *r, const char *name) {
    for (uint32_t i = 0; i < r->function->variables; i++) {
        if (strcmp(r->function->variable[i]->name, name) == 0) {
            return r->function->variable[i];
        }
    }
    return NULL;
}

gali_loop_buffer *gali_reader_find_buffer(const gali_reader *r, const char *name) {
    for (uint32_t i = 0; i < r->function->buffers; i++) {
        if (strcmp(r->function->buffer[i]->name, name) == 0) {
            return r->function->buffer[i];
        }
    }
    return NULL;
}

/* number, number * variable or variable, times sign. */
static int read_term(gali_reader *r, int sign, gali_loop_index *index) {
    uint32_t scale = 1;
    int number = !gali_reader_next_is_word(r);
    if (number && !gali_reader_number(r, GALI_LOOP_EXTENT_MAX, &scale)) {
        return 0;
    }
    gali_loop_index term = gali_loop_number(number ? scale : 0);
    if (!number || gali_reader_take_if(r, '*')) {
        gali_word name;
        if (!gali_reader_word(r, name)) {
            return 0;
        }
        gali_loop_variable *variable = gali_reader_find_variable(r, name);
        if (!variable) {
            return gali_reader_fail(r, "no variable %s", name);
        }
        term = gali_loop_of(variable);
    } else {
        scale = 1;
    }
    return gali_loop_index_add(index, &term, sign * (int64_t)scale) ||
           gali_reader_fail(r, "an index with too many terms, or too large");
}

int gali_reader_index(gali_reader *r, gali_loop_index *index) {
    int minus = gali_reader_take_if(r, '-');
    *index = gali_loop_number(0);
    do {
        if (!read_term(r, minus ? -1 : 1, index)) {
            return 0;
        }
        minus = gali_reader_take_if(r, '-');
    } while (minus || gali_reader_take_if(r, '+'));
    return 1;
}

/* "16", or "14/16" of which the first 14 alone are meant. */
static int read_lanes(gali_reader *r, gali_loop_access *access) {
    if (!gali_reader_number(r, GALI_LOOP_LANES_MAX, &access->lanes)) {
        return 0;
    }
    if (!gali_reader_take_if(r, '/')) {
        return 1;
    }
    access->first = access->lanes;
    if (!access->first) {
        return gali_reader_fail(r, "no lanes of a store");
    }
    return gali_reader_number(r, GALI_LOOP_LANES_MAX, &access->lanes);
}

int gali_reader_access(gali_reader *r, const char *name, gali_loop_access *access) {
    *access = (gali_loop_access){.buffer = gali_reader_find_buffer(r, name), .lanes = 1};
    if (!access->buffer) {
        return gali_reader_fail(r, "no buffer %s", name);
    }
    uint32_t rank = gali_loop_rank(access->buffer);
    for (uint32_t d = 0; d < rank; d++) {
        if (!gali_reader_take(r, '[')) {
            return 0;
        }
        access->tested |= (uint32_t)gali_reader_take_if(r, '?') << d;
        if (!gali_reader_index(r, &access->index[d])) {
            return 0;
        }
        if (d + 1 == rank && gali_reader_take_if(r, ':') && !read_lanes(r, access)) {
            return 0;
        }
        if (!gali_reader_take(r, ']')) {
            return 0;
        }
    }
    return 1;
}

/* The element that a gali_word names; GALI_ELEMENT_COUNT if it names none. */
static gali_element find_element(const char *name) {
    int element = 0;
    while (element < GALI_ELEMENT_COUNT && strcmp(name, gali_element_list[element].word) != 0) {
        element++;
    }
    return (gali_element)element;
}

/* What stands behind a number: its element, f32 where nothing does. */
static int read_suffix(gali_reader *r, gali_element *element) {
    gali_word name;
    *element = GALI_f32;
    if (r->at == r->end || !is_letter(*r->at)) {
        return 1;
    }
    if (!gali_reader_word(r, name)) {
        return 0;
    }
    *element = find_element(name);
    int good = *element < GALI_ELEMENT_COUNT && gali_loop_computed(*element) == *element;
    return good || gali_reader_fail(r, "%s is no element of a value", name);
}

/* Whole numbers from the least to the largest of an element, but for those of 64 bits. */
static int holds(gali_element element, int64_t number) {
    gali_element_kind kind = gali_element_list[element].kind;
    int bits = 8 * (int)gali_element_list[element].bytes;
    int64_t most = kind == GALI_TRUTH ? 1
                   : bits == 64       ? INT64_MAX
                                      : ((int64_t)1 << (bits - (kind == GALI_SIGNED))) - 1;
    int64_t least = kind == GALI_SIGNED ? -most - 1 : 0;
    return number >= least && number <= most;
}

static const gali_loop_value *read_whole(gali_reader *r, const char *digits, size_t size,
                                         gali_element element) {
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
        gali_reader_fail(r, "no number of %s", gali_element_list[element].word);
        return NULL;
    }
    return gali_loop_whole(r->arena, element, whole);
}

static const gali_loop_value *read_constant(gali_reader *r) {
    gali_reader_skip(r);
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
        gali_reader_fail(r, "expected a value");
        return NULL;
    }
    return gali_loop_real(r->arena, element, value);
}

/* inf, nan, inff64, nanf64, where no buffer has that name; NULL with nothing read if it is none of them. */
static const gali_loop_value *make_endless(gali_reader *r, const char *name, int minus) {
    static const char *const words[] = {"inf", "nan", "inff64", "nanf64"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(name, words[i]) == 0 && !gali_reader_find_buffer(r, name)) {
            double value = i % 2 ? (double)NAN : minus ? -(double)INFINITY : (double)INFINITY;
            return gali_loop_real(r->arena, i < 2 ? GALI_f32 : GALI_f64, value);
        }
    }
    return NULL;
}

static const gali_loop_value *read_cast(gali_reader *r, gali_element element) {
    const gali_loop_value *from = gali_reader_take(r, '(') ? gali_reader_value(r) : NULL;
    if (gali_loop_computed(element) != element) {
        gali_reader_fail(r, "%s is stored only", gali_element_list[element].word);
        return NULL;
    }
    return from && gali_reader_take(r, ')') ? gali_loop_cast(r->arena, element, from) : NULL;
}

static const gali_loop_value *read_at(gali_reader *r) {
    gali_loop_index index;
    return gali_reader_take(r, '(') && gali_reader_index(r, &index) && gali_reader_take(r, ')')
               ? gali_loop_at(r->arena, &index)
               : NULL;
}

static const gali_loop_value *read_operation(gali_reader *r, const char *name) {
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
        gali_reader_fail(r, "no operation %s", name);
        return NULL;
    }
    gali_reader_take(r, '(');
    for (uint32_t i = 0; i < gali_loop_ops[op].arity; i++) {
        if ((i && !gali_reader_take(r, ',')) || !(operand[i] = gali_reader_value(r))) {
            return NULL;
        }
    }
    return gali_reader_take(r, ')') ? gali_loop_apply(r->arena, op, operand[0], operand[1], operand[2]) : NULL;
}

/* A load; behind one with marked indices stands what it is where they leave. */
static const gali_loop_value *read_load(gali_reader *r, const char *name) {
    gali_loop_access access;
    const gali_loop_value *otherwise = NULL;
    if (!gali_reader_access(r, name, &access)) {
        return NULL;
    }
    if (access.tested && (!gali_reader_expect(r, "else") || !(otherwise = gali_reader_value(r)))) {
        return NULL;
    }
    return gali_loop_load(r->arena, &access, otherwise);
}

static const gali_loop_value *read_named_value(gali_reader *r) {
    gali_word name;
    if (!gali_reader_word(r, name)) {
        return NULL;
    }
    if (gali_reader_next_is(r, '(')) {
        return read_operation(r, name);
    }
    const gali_loop_value *endless = make_endless(r, name, 0);
    return endless ? endless : read_load(r, name);
}

/* "-inf": a sign before a word. */
static int next_is_minus_word(gali_reader *r) {
    gali_reader_skip(r);
    return r->at + 1 < r->end && *r->at == '-' && is_letter(r->at[1]);
}

static const gali_loop_value *read_minus_word(gali_reader *r) {
    gali_word name;
    const gali_loop_value *value = NULL;
    r->at++;
    if (gali_reader_word(r, name) && !(value = make_endless(r, name, 1))) {
        gali_reader_fail(r, "expected a value");
    }
    return value;
}

const gali_loop_value *gali_reader_value(gali_reader *r) {
    const gali_loop_value *value = NULL;
    if (++r->depth > GALI_LOOP_DEPTH_MAX) {
        gali_reader_fail(r, "more than %d levels", GALI_LOOP_DEPTH_MAX);
    } else if (next_is_minus_word(r)) {
        value = read_minus_word(r);
    } else {
        value = gali_reader_next_is_word(r) ? read_named_value(r) : read_constant(r);
    }
    r->depth--;
    if (!value && r->status == GAL_OK) {
        gali_reader_no_memory(r);
    }
    return value;
}

/* [of*scale: 4], [of*scale: 17 parts of 65] or [of*scale: part 4]. */
static int read_packed(gali_reader *r, gali_loop_packed *packed) {
    *packed = (gali_loop_packed){0};
    if (!gali_reader_take(r, '[') || !gali_reader_number(r, GALI_LOOP_RANK_MAX - 1, &packed->of) ||
        !gali_reader_take(r, '*') || !gali_reader_number(r, GALI_LOOP_EXTENT_MAX, &packed->scale) ||
        !gali_reader_take(r, ':')) {
        return 0;
    }
    packed->part = gali_reader_word_if(r, "part");
    if (!gali_reader_number(r, GALI_LOOP_EXTENT_MAX, &packed->extent)) {
        return 0;
    }
    if (!packed->part && gali_reader_word_if(r, "parts")) {
        return gali_reader_expect(r, "of") && gali_reader_number(r, GALI_LOOP_EXTENT_MAX, &packed->total) &&
               gali_reader_take(r, ']');
    }
    return gali_reader_take(r, ']');
}

int gali_reader_element(gali_reader *r, gali_element *element) {
    gali_word name;
    if (!gali_reader_word(r, name)) {
        return 0;
    }
    *element = find_element(name);
    return *element < GALI_ELEMENT_COUNT || gali_reader_fail(r, "no element %s", name);
}

gali_loop_buffer *gali_reader_add_buffer(gali_reader *r, gali_loop_role role) {
    gali_word name;
    if (!gali_reader_word(r, name)) {
        return NULL;
    }
    if (gali_reader_find_buffer(r, name)) {
        gali_reader_fail(r, "buffer %s was made before", name);
        return NULL;
    }
    gali_loop_buffer *buffer = gali_loop_add_buffer(r->function, name, role);
    if (!buffer) {
        gali_reader_no_memory(r);
        return NULL;
    }
    while (buffer->rank < GALI_LOOP_RANK_MAX && gali_reader_take_if(r, '[')) {
        if (!gali_reader_index(r, &buffer->extent[buffer->rank++]) || !gali_reader_take(r, ']')) {
            return NULL;
        }
    }
    if (gali_reader_next_is(r, '[')) {
        gali_reader_fail(r, "%s has more than %d dimensions", name, GALI_LOOP_RANK_MAX);
        return NULL;
    }
    if (role == GALI_LOOP_CONSTANT && gali_reader_word_if(r, "as")) {
        while (buffer->packed_rank < GALI_LOOP_RANK_MAX && gali_reader_next_is(r, '[')) {
            if (!read_packed(r, &buffer->packed[buffer->packed_rank++])) {
                return NULL;
            }
        }
    }
    return !gali_reader_take_if(r, ':') || gali_reader_element(r, &buffer->element) ? buffer : NULL;
}

gali_loop_variable *gali_reader_add_variable(gali_reader *r) {
    gali_word name;
    if (!gali_reader_word(r, name)) {
        return NULL;
    }
    gali_loop_variable *variable = gali_reader_find_variable(r, name);
    variable = variable ? variable : gali_loop_add_variable(r->function, name);
    if (!variable) {
        gali_reader_no_memory(r);
    }
    return variable;
}

int gali_reader_range(gali_reader *r, gali_loop_variable *variable) {
    return gali_reader_number(r, GALI_LOOP_EXTENT_MAX, &variable->least) && gali_reader_take(r, '.') &&
           gali_reader_take(r, '.') && gali_reader_number(r, GALI_LOOP_EXTENT_MAX, &variable->most);
}

int gali_reader_symbols(gali_reader *r) {
    while (!gali_reader_take_if(r, ')')) {
        uint32_t before = r->function->variables;
        if (before && !gali_reader_take(r, ',')) {
            return 0;
        }
        gali_loop_variable *symbol = gali_reader_add_variable(r);
        if (!symbol || !gali_reader_expect(r, "in") || !gali_reader_range(r, symbol)) {
            return 0;
        }
        if (r->function->variables == before) {
            return gali_reader_fail(r, "symbol %s twice", symbol->name);
        }
        r->function->symbols++;
    }
    return 1;
}
