#include "compiler/loop/interpret.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "compiler/loop/layout.h"
#include "compiler/loop/number.h"
#include "compiler/loop/words.h"

typedef struct machine {
    int64_t value[GALI_LOOP_VARIABLES_MAX];
    void *memory[GALI_LOOP_BUFFERS_MAX];
    uint32_t extent[GALI_LOOP_BUFFERS_MAX][GALI_LOOP_RANK_MAX];
    gal_status status;
    gal_error *error;
} machine;

typedef struct lanes {
    float of[GALI_LOOP_LANES_MAX];
} lanes;

static int64_t evaluate(const machine *m, const gali_loop_index *index) {
    int64_t value = index->constant;
    for (uint32_t i = 0; i < index->count; i++) {
        value += index->term[i].scale * m->value[index->term[i].variable->id];
    }
    return value;
}

static void measure(machine *m, const gali_loop_buffer *buffer) {
    for (uint32_t d = 0; d < gali_loop_rank(buffer); d++) {
        gali_loop_index extent = gali_loop_extent(buffer, d);
        m->extent[buffer->id][d] = (uint32_t)evaluate(m, &extent);
    }
}

/* Whether a marked index leaves its dimension. */
static int leaves(const machine *m, const gali_loop_access *access) {
    for (uint32_t d = 0; d < GALI_LOOP_RANK_MAX; d++) {
        const int tested = access->tested >> d & 1;
        const int64_t at = tested ? evaluate(m, &access->index[d]) : 0;
        if (tested && (at < 0 || at >= m->extent[access->buffer->id][d])) {
            return 1;
        }
    }
    return 0;
}

/* Offset of an access's first element, and how many of its lanes exist. */
static size_t locate(const machine *m, const gali_loop_access *access, uint32_t *exist) {
    const uint32_t *extent = m->extent[access->buffer->id];
    uint32_t index[GALI_LOOP_RANK_MAX], rank = gali_loop_rank(access->buffer);
    for (uint32_t d = 0; d < rank; d++) {
        index[d] = (uint32_t)evaluate(m, &access->index[d]);
    }
    uint32_t left = rank ? extent[rank - 1] - index[rank - 1] : 1;
    const uint32_t meant = access->first ? access->first : access->lanes;
    *exist = left < meant ? left : meant;
    return gali_layout_offset(access->buffer, extent, index);
}

/* ---- values of one number, of any element ---- */

static gali_loop_number_of evaluate_value(const machine *m, const gali_loop_value *value);

static gali_loop_number_of evaluate_load(const machine *m, const gali_loop_value *value) {
    const gali_loop_buffer *buffer = value->load.buffer;
    uint32_t exist;
    return leaves(m, &value->load)
               ? evaluate_value(m, value->operand[0])
               : gali_loop_number_load(buffer->element, m->memory[buffer->id], locate(m, &value->load, &exist));
}

static gali_loop_number_of evaluate_value(const machine *m, const gali_loop_value *value) {
    gali_loop_number_of a[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    switch (value->op) {
    case GALI_VALUE_CONSTANT:
        return gali_element_list[value->element].kind == GALI_REAL
                   ? (gali_loop_number_of){.f32 = (float)value->real, .f64 = value->real}
                   : (gali_loop_number_of){.whole = value->whole};
    case GALI_VALUE_LOAD:
        return evaluate_load(m, value);
    case GALI_VALUE_AT:
        return (gali_loop_number_of){.whole = evaluate(m, &value->at)};
    case GALI_VALUE_SELECT:
        return evaluate_value(m, value->operand[evaluate_value(m, value->operand[0]).whole ? 1 : 2]);
    case GALI_VALUE_CAST:
        return gali_loop_number_cast(value->element, value->operand[0]->element,
                                     evaluate_value(m, value->operand[0]));
    default:
        break;
    }
    for (uint32_t i = 0; i < gali_loop_ops[value->op].arity; i++) {
        a[i] = evaluate_value(m, value->operand[i]);
    }
    return gali_loop_number_apply(value->op, value->operand[0]->element, a);
}

/* ---- values in lanes: float32, and truth values as 0 or 1 ---- */

static lanes compute(const machine *m, const gali_loop_value *value, uint32_t count);

static lanes same_in_all(const machine *m, const gali_loop_value *value, uint32_t count) {
    lanes result = {{0}};
    gali_loop_number_of number = evaluate_value(m, value);
    for (uint32_t i = 0; i < count; i++) {
        result.of[i] = value->element == GALI_truth ? (float)(number.whole != 0) : number.f32;
    }
    return result;
}

static lanes load_lanes(const machine *m, const gali_loop_value *value, uint32_t count) {
    lanes result = {{0}};
    uint32_t exist;
    if (leaves(m, &value->load)) {
        return compute(m, value->operand[0], count);
    }
    const float *from = (const float *)m->memory[value->load.buffer->id] + locate(m, &value->load, &exist);
    for (uint32_t i = 0; i < count; i++) {
        result.of[i] = i < exist ? from[i] : 0;
    }
    return result;
}

/* An operation on one lane. */
static float apply(const gali_loop_value *value, float a, float b, float c) {
    gali_element element = value->operand[0]->element;
    const float operand[3] = {a, b, c};
    gali_loop_number_of of[3];
    if (value->op == GALI_VALUE_SELECT) {
        return a != 0 ? b : c;
    }
    if (value->element == GALI_f32) {
        return gali_loop_number_f32(value->op, a, b, c);
    }
    for (uint32_t i = 0; i < 3; i++) {
        of[i] = (gali_loop_number_of){.f32 = operand[i], .whole = element == GALI_truth && operand[i] != 0};
    }
    return (float)(gali_loop_number_apply(value->op, element, of).whole != 0);
}

static lanes compute(const machine *m, const gali_loop_value *value, uint32_t count) {
    lanes result = {{0}}, a[3] = {{{0}}, {{0}}, {{0}}};
    if (gali_loop_is_uniform(value)) {
        return same_in_all(m, value, count);
    }
    if (value->op == GALI_VALUE_LOAD) {
        return load_lanes(m, value, count);
    }
    for (uint32_t k = 0; k < gali_loop_ops[value->op].arity; k++) {
        a[k] = compute(m, value->operand[k], count);
    }
    const uint32_t on = value->op == GALI_VALUE_ROTATE ? 1 : value->op == GALI_VALUE_ROTATE_TWICE ? 2 : 0;
    for (uint32_t i = 0; i < count; i++) {
        result.of[i] = apply(value, a[0].of[(i + on) % count], a[1].of[i], a[2].of[i]);
    }
    return result;
}

static void run_store(machine *m, const gali_loop_statement *store) {
    uint32_t exist;
    const gali_loop_buffer *buffer = store->to.buffer;
    if (leaves(m, &store->to)) {
        return;
    }
    size_t at = locate(m, &store->to, &exist);
    if (store->to.lanes == 1) {
        gali_loop_number_store(buffer->element, m->memory[buffer->id], at, evaluate_value(m, store->value));
        return;
    }
    lanes value = compute(m, store->value, store->to.lanes);
    memcpy((float *)m->memory[buffer->id] + at, value.of, exist * sizeof(float));
}

static void run_call(machine *m, const gali_loop_tile *tile) {
    uint32_t rows = (uint32_t)evaluate(m, &tile->rows), vectors = (uint32_t)evaluate(m, &tile->vectors), exist;
    uint32_t inputs = (uint32_t)evaluate(m, &tile->inputs), lane_count = tile->sum.lanes;
    uint32_t first = tile->sum.buffer->rank - 3; /* of rows */
    uint32_t all = (uint32_t)evaluate(m, &tile->experts) * rows;
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

/* An integer of a buffer; one of u64 beyond all ranges is made INT64_MAX. */
static int64_t whole_at(const machine *m, const gali_loop_access *access) {
    uint32_t exist;
    gali_element element = access->buffer->element;
    int64_t whole =
        gali_loop_number_load(element, m->memory[access->buffer->id], locate(m, access, &exist)).whole;
    return element == GALI_u64 && whole < 0 ? INT64_MAX : whole;
}

static int64_t clamp(const machine *m, const gali_loop_statement *let, int64_t least, int64_t most) {
    int64_t whole = evaluate_value(m, let->value).whole;
    whole = let->value->element == GALI_u64 && whole < 0 ? INT64_MAX : whole;
    return whole < least ? least : whole > most ? most : whole;
}

static int64_t define(machine *m, const gali_loop_statement *let) {
    int64_t a = evaluate(m, &let->operand[0]), b = evaluate(m, &let->operand[1]);
    uint32_t c = (uint32_t)evaluate(m, &let->operand[2]);
    switch (let->let) {
    case GALI_LOOP_QUOTIENT:
        return a / b;
    case GALI_LOOP_REMAINDER:
        return a % b;
    case GALI_LOOP_ROUNDS:
        return a / b + (a % b != 0);
    case GALI_LOOP_FIRST:
        return gali_loop_first((uint32_t)a, (uint32_t)b, c);
    case GALI_LOOP_SIZE:
        return (int64_t)gali_loop_first((uint32_t)a, (uint32_t)b, c + 1) -
               gali_loop_first((uint32_t)a, (uint32_t)b, c);
    case GALI_LOOP_PRODUCT:
        return a * b;
    case GALI_LOOP_LEAST:
        return a < b ? a : b;
    case GALI_LOOP_MOST:
        return a > b ? a : b;
    case GALI_LOOP_CLAMP:
        return clamp(m, let, a, b);
    case GALI_LOOP_LOOKUP:
        return whole_at(m, &let->lookup);
    default:
        return a;
    }
}

static void run_let(machine *m, const gali_loop_statement *let) {
    int64_t value = define(m, let);
    m->value[let->variable->id] = value;
    if (let->let == GALI_LOOP_LOOKUP && (value < let->variable->least || value > let->variable->most)) {
        m->status =
            gali_fail(m->error, GAL_BAD_ARGUMENT, "%s: %lld, %u to %u expected", let->lookup.buffer->name,
                      (long long)value, let->variable->least, let->variable->most);
    }
}

/* All bits set, so that what is read before it is written shows: NaN of reals. */
static void run_make(machine *m, const gali_loop_buffer *local) {
    size_t elements = 1, bytes = gali_element_list[local->element].bytes;
    measure(m, local);
    for (uint32_t d = 0; d < local->rank; d++) {
        elements *= m->extent[local->id][d];
    }
    void *memory = realloc(m->memory[local->id], elements * bytes + 1);
    if (!memory) {
        m->status = gali_fail(m->error, GAL_NO_MEMORY, "no memory for %s", local->name);
        return;
    }
    m->memory[local->id] = memory;
    memset(memory, 0xFF, elements * bytes);
}

/* Copies the row: nothing writes it while the view lives. */
static void run_point(machine *m, const gali_loop_statement *point) {
    const gali_loop_buffer *view = point->to.buffer;
    uint32_t exist, count = m->extent[view->id][view->rank - 1];
    float *to = (float *)m->memory[view->id] + locate(m, &point->to, &exist);
    if (leaves(m, &point->from)) {
        memset(to, 0, count * sizeof *to);
    } else {
        const float *from = (const float *)m->memory[point->from.buffer->id] + locate(m, &point->from, &exist);
        memcpy(to, from, count * sizeof *to);
    }
}

static void run_block(machine *m, const gali_loop_statement *statement) {
    for (; statement && m->status == GAL_OK; statement = statement->next) {
        switch (statement->kind) {
        case GALI_LOOP_FOR:
            for (int64_t i = 0, end = evaluate(m, &statement->extent); i < end && m->status == GAL_OK; i++) {
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
        case GALI_LOOP_POINT:
            run_point(m, statement);
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
    for (uint32_t i = 0; i < function->symbols; i++) {
        m->value[i] = symbols[i];
    }
    for (const gali_loop_statement *size = function->sizes; size; size = size->next) {
        run_let(m, size);
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
