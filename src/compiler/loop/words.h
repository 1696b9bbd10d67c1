/* The words of the text form, shared by printer, parser and messages. */
#ifndef GALI_COMPILER_LOOP_WORDS_H
#define GALI_COMPILER_LOOP_WORDS_H

#include "compiler/loop/loop.h"

typedef struct gali_loop_word {
    const char *name;
    uint32_t arity;
} gali_loop_word;

extern const gali_loop_word gali_loop_lets[GALI_LOOP_LET_COUNT];
extern const char *const gali_loop_roles[GALI_LOOP_VIEW + 1];

/* A constant, with as many digits as its element needs to come back, and with its element unless that is f32: 0.5, 3i64. */
void gali_loop_print_number(const gali_loop_value *constant, gali_text *text);

void gali_loop_print_index(const gali_loop_index *index, gali_text *text);
void gali_loop_print_access(const gali_loop_access *access, gali_text *text);
void gali_loop_print_value(const gali_loop_value *value, gali_text *text);

/* `dimensions as layout: element` of a buffer: what follows its name. */
void gali_loop_print_shape(const gali_loop_buffer *buffer, gali_text *text);

/* A statement's first line, without indentation and end of line: "for k in 912 unroll 4 {". */
void gali_loop_print_line(const gali_loop_statement *statement, gali_text *text);

#endif
