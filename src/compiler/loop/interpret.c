#include "compiler/loop/interpret.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "compiler/loop/layout.h"
#include "kernels/kernels.h"
#include "kernels/simd/scalar.h"

#include "kernels/body/elementary.inc"

#include "kernels/body/activate_f32.inc" /* uses elementary.inc */

typedef struct machine {
    uint32_t value[GALI_LOOP_VARIABLES_MAX];
    void *memory[GALI_LOOP_BUFFERS_MAX];
    uint32_t extent[GALI_LOOP_BUFFERS_MAX][GALI_LOOP_RANK_MAX];
    gal_status status;
    gal_error *error;
} machine;

typedef struct lanes {
    float of[GALI_LOOP_LANES_MAX];
} lanes;

static uint32_t evaluate(const machine *m, const gali_loop_index *index) {
    uint32_t value = index->constant;
    for (uint32_t i = 0; i < index->count; i++) {
        value += index->term[i].scale * m->value[index->term[i].variable->id];
    }
    return value;
}

static void measure(machine *m, const gali_loop_buffer *buffer) {
    for (uint32_t d = 0; d < gali_loop_rank(buffer); d++) {
        gali_loop_index extent = gali_loop_extent(buffer, d);
        m->extent[buffer->id][d] = evaluate(m, &extent);
    }
}

/* Offset of an access's first element, and how many of its lanes exist. */
static size_t locate(const machine *m, const gali_loop_access *access, uint32_t *exist) {
    const uint32_t *extent = m->extent[access->buffer->id];
    uint32_t index[GALI_LOOP_RANK_MAX], rank = gali_loop_rank(access->buffer);
    for (uint32_t d = 0; d < rank; d++) {
        index[d] = evaluate(m, &access->index[d]);
    }
    uint32_t left = rank ? extent[rank - 1] - index[rank - 1] : 1;
    *exist = left < access->lanes ? left : access->lanes;
    return gali_layout_offset(access->buffer, extent, index);
}

/* The vocabulary's own functions, one lane wide. */
static float operate(gali_loop_op op, float a, float b, float c) {
    switch (op) {
    case GALI_VALUE_ADD:
        return a + b;
    case GALI_VALUE_SUB:
        return a - b;
    case GALI_VALUE_MUL:
        return a * b;
    case GALI_VALUE_DIV:
        return a / b;
    case GALI_VALUE_FMA:
        return fmaf(a, b, c);
    case GALI_VALUE_MAX:
        return a < b ? b : a;
    case GALI_VALUE_EXPM1_NEGATIVE:
        return gali_expm1_negative(a);
    default:
        if (op >= GALI_VALUE_NONE) {
            gali_activate_f32((gali_activation)(op - GALI_VALUE_NONE), b, &a, 1);
        }
        return a;
    }
}

static lanes compute(const machine *m, const gali_loop_value *value, uint32_t count) {
    lanes result = {{0}}, a[3] = {{{0}}, {{0}}, {{0}}};
    if (value->op == GALI_VALUE_LOAD) {
        uint32_t exist;
        const float *from = (const float *)m->memory[value->load.buffer->id] + locate(m, &value->load, &exist);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t lane = value->load.lanes > 1 ? i : 0;
            result.of[i] = lane < exist ? from[lane] : 0;
        }
        return result;
    }
    for (uint32_t k = 0; k < 3 && value->operand[k]; k++) {
        a[k] = compute(m, value->operand[k], count);
    }
    for (uint32_t i = 0; i < count; i++) {
        result.of[i] = value->op == GALI_VALUE_CONSTANT
                           ? value->constant
                           : operate(value->op, a[0].of[i], a[1].of[i], a[2].of[i]);
    }
    return result;
}

static void run_store(machine *m, const gali_loop_statement *store) {
    uint32_t exist;
    lanes value = compute(m, store->value, store->to.lanes);
    float *to = (float *)m->memory[store->to.buffer->id] + locate(m, &store->to, &exist);
    memcpy(to, value.of, exist * sizeof(float));
}

static void run_call(machine *m, const gali_loop_tile *tile) {
    uint32_t rows = evaluate(m, &tile->rows), vectors = evaluate(m, &tile->vectors), exist;
    uint32_t inputs = evaluate(m, &tile->inputs), lane_count = tile->sum.lanes;
    uint32_t first = tile->sum.buffer->rank - 3, all = evaluate(m, &tile->experts) * rows; /* first: of rows */
    const float *start = (const float *)m->memory[tile->weights.buffer->id] + locate(m, &tile->weights, &exist);
    for (uint32_t i = 0; i < all * vectors * lane_count; i++) {
        uint32_t r = i / (vectors * lane_count) % rows, v = i / lane_count % vectors, lane = i % lane_count;
        uint32_t e = i / (vectors * lane_count) / rows;
        const float *weights = start + (size_t)e * (inputs + 1) * vectors * lane_count;
        gali_loop_access sum = tile->sum, x = tile->x;
        sum.index[0].constant += first ? e : 0;
        sum.index[first].constant += r;
        sum.index[first + 1].constant += v;
        x.index[0].constant += r;
        const float *from = (const float *)m->memory[x.buffer->id] + locate(m, &x, &exist);
        float *to = (float *)m->memory[sum.buffer->id] + locate(m, &sum, &exist) + lane;
        *to = 0;
        for (uint32_t k = 0; k < inputs; k++) {
            *to = fmaf(weights[(((size_t)k + 1) * vectors + v) * lane_count + lane], from[k], *to);
        }
    }
}

static uint32_t define(machine *m, const gali_loop_statement *let) {
    uint32_t a = evaluate(m, &let->operand[0]), b = evaluate(m, &let->operand[1]), exist;
    uint32_t c = evaluate(m, &let->operand[2]);
    switch (let->let) {
    case GALI_LOOP_QUOTIENT:
        return a / b;
    case GALI_LOOP_REMAINDER:
        return a % b;
    case GALI_LOOP_ROUNDS:
        return a / b + (a % b != 0);
    case GALI_LOOP_FIRST:
        return gali_loop_first(a, b, c);
    case GALI_LOOP_SIZE:
        return gali_loop_first(a, b, c + 1) - gali_loop_first(a, b, c);
    default:
        return ((const uint32_t *)m->memory[let->lookup.buffer->id])[locate(m, &let->lookup, &exist)];
    }
}

static void run_let(machine *m, const gali_loop_statement *let) {
    uint32_t value = define(m, let);
    m->value[let->variable->id] = value;
    if (let->let == GALI_LOOP_LOOKUP && (value < let->variable->least || value > let->variable->most)) {
        m->status = gali_fail(m->error, GAL_BAD_ARGUMENT, "%s: %u, %u to %u expected", let->lookup.buffer->name,
                              value, let->variable->least, let->variable->most);
    }
}

/* NaN everywhere, so that what is read before it is written shows. */
static void run_make(machine *m, const gali_loop_buffer *local) {
    size_t floats = 1;
    measure(m, local);
    for (uint32_t d = 0; d < local->rank; d++) {
        floats *= m->extent[local->id][d];
    }
    float *memory = realloc(m->memory[local->id], floats * sizeof(float));
    if (!memory) {
        m->status = gali_fail(m->error, GAL_NO_MEMORY, "no memory for %s", local->name);
        return;
    }
    m->memory[local->id] = memory;
    for (size_t i = 0; i < floats; i++) {
        memory[i] = NAN;
    }
}

static void run_block(machine *m, const gali_loop_statement *statement) {
    for (; statement && m->status == GAL_OK; statement = statement->next) {
        switch (statement->kind) {
        case GALI_LOOP_FOR:
            for (uint32_t i = 0, end = evaluate(m, &statement->extent); i < end && m->status == GAL_OK; i++) {
                m->value[statement->variable->id] = i;
                run_block(m, statement->body);
            }
            break;
        case GALI_LOOP_LET:
            run_let(m, statement);
            break;
        case GALI_LOOP_MAKE:
            run_make(m, statement->local);
            break;
        case GALI_LOOP_STORE:
            run_store(m, statement);
            break;
        case GALI_LOOP_CALL:
            run_call(m, &statement->tile);
            break;
        }
    }
}

gal_status gali_loop_interpret(const gali_loop_function *function, const uint32_t *symbols,
                               void *const *buffers, gal_error *error) {
    machine *m = calloc(1, sizeof *m);
    if (!m) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory to interpret %s", function->name);
    }
    m->error = error;
    if (function->symbols) {
        memcpy(m->value, symbols, function->symbols * sizeof *symbols);
    }
    for (uint32_t i = 0; i < function->parameters; i++) {
        m->memory[i] = buffers[i];
        measure(m, function->buffer[i]);
    }
    run_block(m, function->body);
    for (uint32_t i = function->parameters; i < function->buffers; i++) {
        free(m->memory[i]);
    }
    gal_status status = m->status;
    free(m);
    return status;
}
