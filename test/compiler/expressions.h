/* Dense layers with random weights, run through the interpreter under a schedule: what the schedule's tests compare. */
#ifndef TEST_COMPILER_EXPRESSIONS_H
#define TEST_COMPILER_EXPRESSIONS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compiler/loop/interpret.h"
#include "compiler/schedule/schedule.h"
#include "synthetic.h"

enum { PARAMETERS_MOST = 8 };

/* Arguments of a function: constants in their canonical form. */
typedef struct arguments {
    uint32_t count;
    void *memory[PARAMETERS_MOST];
    size_t floats[PARAMETERS_MOST];
} arguments;

static inline size_t floats_of(const gali_loop_buffer *buffer, uint32_t characters) {
    size_t floats = 1;
    for (uint32_t d = 0; d < buffer->rank; d++) {
        floats *= buffer->extent[d].count ? characters : gali_loop_size(&buffer->extent[d]);
    }
    return floats;
}

/* Random floats for everything; integers ascending in each row of `slots`, below `experts`. */
static inline arguments make_arguments(const gali_loop_function *f, uint32_t characters, uint32_t slots,
                                       uint32_t experts, uint64_t seed) {
    arguments a = {.count = f->parameters};
    for (uint32_t i = 0; i < f->parameters; i++) {
        a.floats[i] = floats_of(f->buffer[i], characters);
        float *floats = a.memory[i] = malloc(a.floats[i] * sizeof(float));
        for (size_t k = 0; k < a.floats[i]; k++) {
            floats[k] = synthetic_uniform(&seed);
        }
        uint32_t *integers = a.memory[i];
        for (size_t k = 0; k < a.floats[i] && f->buffer[i]->element == GALI_u32; k++) {
            integers[k] = (uint32_t)(k % slots) + (uint32_t)(synthetic_bits(&seed) % (experts - slots + 1));
        }
    }
    return a;
}

static inline void free_arguments(arguments *a) {
    for (uint32_t i = 0; i < a->count; i++) {
        free(a->memory[i]);
    }
}

/* Runs the function for so many characters; returns its output, the caller's to free. */
static inline float *interpreted(const gali_loop_function *f, const arguments *a, uint32_t characters,
                                 size_t *floats) {
    void *memory[PARAMETERS_MOST];
    float *packed[PARAMETERS_MOST] = {NULL}, *output = NULL;
    gal_error error;
    for (uint32_t i = 0; i < f->parameters; i++) {
        const gali_loop_buffer *buffer = f->buffer[i];
        memory[i] = a->memory[i];
        if (buffer->role == GALI_LOOP_CONSTANT) {
            memory[i] = packed[i] = malloc(gali_loop_pack_floats(buffer) * sizeof(float));
            gali_loop_pack(buffer, a->memory[i], packed[i]);
        }
        if (buffer->role == GALI_LOOP_OUTPUT) {
            *floats = a->floats[i];
            memory[i] = output = calloc(*floats, sizeof(float));
        }
    }
    gal_status status = gali_loop_interpret(f, &characters, memory, &error);
    if (status != GAL_OK) {
        fail_msg("%s", error.message);
    }
    for (uint32_t i = 0; i < f->parameters; i++) {
        free(packed[i]);
    }
    return output;
}

static inline gal_status apply_text(const gali_expression *expression, const char *text, gali_arena *arena,
                                    gali_loop_function **out, gal_error *error) {
    gali_schedule schedule;
    gal_status status = gali_schedule_parse(&schedule, text, strlen(text), error);
    return status == GAL_OK ? gali_schedule_apply(expression, &schedule, arena, out, error) : status;
}

static inline gali_expression *dense_expression(const gali_dense *dense, gali_arena *arena) {
    gali_expression *expression = NULL;
    gal_error error;
    if (gali_dense_expression(dense, arena, &expression, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return expression;
}

#endif
