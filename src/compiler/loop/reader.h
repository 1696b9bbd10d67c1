/*
 * Reading of texts: words, numbers and signs, and the parts that loops and expressions have in common. `#` starts a
 * comment. The first error sticks, with its line, and everything after it is skipped over: each function returns 0, or
 * NULL, where it has not read what it is for.
 */
#ifndef GALI_COMPILER_LOOP_READER_H
#define GALI_COMPILER_LOOP_READER_H

#include "base/compiler.h"
#include "compiler/loop/loop.h"

typedef struct gali_reader {
    const char *what; /* is read, for messages: "loop" */
    const char *at, *end;
    uint32_t line, depth; /* of nested blocks and values */
    gali_loop_function *function;
    gali_arena *arena;
    gal_status status;
    gal_error *error;
} gali_reader;

typedef char gali_word[GALI_LOOP_NAME_MAX];

/* Sets the error, unless there is one, and goes to the end. */
GALI_PRINTF(2, 3) int gali_reader_fail(gali_reader *r, const char *format, ...);
int gali_reader_no_memory(gali_reader *r);

void gali_reader_skip(gali_reader *r);

/* Signs and words. */
int gali_reader_next_is(gali_reader *r, char sign);
int gali_reader_take_if(gali_reader *r, char sign);
int gali_reader_take(gali_reader *r, char sign);
int gali_reader_next_is_word(gali_reader *r);
int gali_reader_word(gali_reader *r, gali_word name);
int gali_reader_word_if(gali_reader *r, const char *expected);
int gali_reader_expect(gali_reader *r, const char *expected);
int gali_reader_number(gali_reader *r, uint32_t most, uint32_t *number);

/* What the function has of that name; NULL. */
gali_loop_variable *gali_reader_find_variable(const gali_reader *r, const char *name);
gali_loop_buffer *gali_reader_find_buffer(const gali_reader *r, const char *name);

int gali_reader_index(gali_reader *r, gali_loop_index *index);
int gali_reader_access(gali_reader *r, const char *name, gali_loop_access *access);
const gali_loop_value *gali_reader_value(gali_reader *r);

/* An element's word. */
int gali_reader_element(gali_reader *r, gali_element *element);

/* "NAME[..].. as .. : ELEMENT" as a new buffer; a name as a variable, new or known; "1..64"; "n in 1..64, ..)". */
gali_loop_buffer *gali_reader_add_buffer(gali_reader *r, gali_loop_role role);
gali_loop_variable *gali_reader_add_variable(gali_reader *r);
int gali_reader_range(gali_reader *r, gali_loop_variable *variable);
int gali_reader_symbols(gali_reader *r);

#endif
