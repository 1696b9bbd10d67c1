/*
 * The loop IR's parser and verifier on any bytes; what they let through comes back from its print, becomes C, and stays
 * inside of its buffers when it is interpreted.
 */
#include <string.h>

#include "compiler/loop/interpret.h"
#include "compiler/loop/layout.h"
#include "compiler/loop/loop.h"
#include "compiler/loop/print_c.h"
#include "fuzz.h"

enum { WORK_MOST = 20000, ELEMENTS_MOST = 4096 };

/* Values of the variables that are known before loops run: symbols, and sizes of them. */
typedef struct known {
    int64_t value[GALI_LOOP_VARIABLES_MAX];
    unsigned char is[GALI_LOOP_VARIABLES_MAX];
} known;

/* An index of known variables; WORK_MOST of others. */
static int64_t value_of(const known *k, const gali_loop_index *index) {
    int64_t value = index->constant;
    for (uint32_t i = 0; i < index->count; i++) {
        if (!k->is[index->term[i].variable->id]) {
            return WORK_MOST;
        }
        value += index->term[i].scale * k->value[index->term[i].variable->id];
    }
    return value;
}

static int64_t work_of(const known *k, const gali_loop_statement *block) {
    int64_t work = 1;
    for (const gali_loop_statement *s = block; s && work < WORK_MOST; s = s->next) {
        int64_t turns = s->kind == GALI_LOOP_FOR ? value_of(k, &s->extent) : 1;
        turns = s->kind == GALI_LOOP_CALL ? WORK_MOST / 100 : turns > WORK_MOST ? WORK_MOST : turns;
        for (uint32_t d = 0; s->kind == GALI_LOOP_MAKE && d < s->local->rank && turns < WORK_MOST; d++) {
            turns *= value_of(k, &s->local->extent[d]) + 1;
        }
        work += s->kind == GALI_LOOP_FOR ? turns * work_of(k, s->body) : turns;
    }
    return work < WORK_MOST ? work : WORK_MOST;
}

/* Fills in the sizes that are products, sums and quotients. */
static void know(known *k, const gali_loop_function *f, const uint32_t *symbols) {
    for (uint32_t i = 0; i < f->symbols; i++) {
        k->value[i] = symbols[i];
        k->is[i] = 1;
    }
    for (const gali_loop_statement *s = f->sizes; s; s = s->next) {
        int64_t a = value_of(k, &s->operand[0]), b = value_of(k, &s->operand[1]);
        int told = s->let == GALI_LOOP_PRODUCT || s->let == GALI_LOOP_SUM || s->let == GALI_LOOP_QUOTIENT;
        if (told && a < WORK_MOST && b < WORK_MOST && (b > 0 || s->let != GALI_LOOP_QUOTIENT)) {
            k->value[s->variable->id] = s->let == GALI_LOOP_SUM       ? a
                                        : s->let == GALI_LOOP_PRODUCT ? a * b
                                                                      : a / b;
            k->is[s->variable->id] = 1;
        }
    }
}

static size_t elements_of(const known *k, const gali_loop_buffer *buffer) {
    size_t elements = buffer->packed_rank ? gali_loop_pack_floats(buffer) : 1;
    for (uint32_t d = 0; d < buffer->rank && !buffer->packed_rank && elements <= ELEMENTS_MOST; d++) {
        int64_t extent = value_of(k, &buffer->extent[d]);
        elements *= extent > ELEMENTS_MOST ? ELEMENTS_MOST + 1 : (size_t)extent;
    }
    return elements;
}

/* Runs it where that takes neither long nor much memory, each buffer exactly as large as it is. */
static void interpret(const gali_loop_function *f, int most) {
    uint32_t symbols[GALI_LOOP_VARIABLES_MAX] = {0};
    void *memory[GALI_LOOP_BUFFERS_MAX] = {NULL};
    gal_error error = {0};
    known k = {{0}, {0}};
    for (uint32_t i = 0; i < f->symbols; i++) {
        symbols[i] = most ? f->variable[i]->most : f->variable[i]->least;
    }
    know(&k, f, symbols);
    int fits = work_of(&k, f->body) < WORK_MOST;
    for (uint32_t i = 0; i < f->parameters && fits; i++) {
        size_t elements = elements_of(&k, f->buffer[i]);
        fits = elements <= ELEMENTS_MOST;
        memory[i] = fits ? calloc(elements, gali_element_list[f->buffer[i]->element].bytes) : NULL;
    }
    if (fits) {
        gali_loop_interpret(f, symbols, memory, &error);
    }
    for (uint32_t i = 0; i < f->parameters; i++) {
        free(memory[i]);
    }
}

static void print_c(const gali_loop_function *function, uint32_t lanes) {
    gali_text c = {0};
    gal_error error = {0};
    gali_loop_print_c(function, "f", lanes, &c, &error);
    gali_text_release(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gali_arena arena = {0};
    gali_loop_function *function = NULL, *again = NULL;
    gali_text first = {0}, second = {0};
    gal_error error = {0};
    if (gali_loop_parse(&function, (const char *)data, size, &arena, &error) == GAL_OK) {
        gali_loop_print(function, &first);
        require(gali_loop_parse(&again, first.bytes, first.size, &arena, &error) == GAL_OK);
        gali_loop_print(again, &second);
        require(strcmp(first.bytes, second.bytes) == 0);
        print_c(function, 0);
        print_c(function, 4);
        interpret(function, 0);
        interpret(function, 1);
    }
    gali_text_release(&first);
    gali_text_release(&second);
    gali_arena_release(&arena);
    return 0;
}
