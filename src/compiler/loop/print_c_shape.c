/*
 * What locals become: vectors where every access is of all lanes of the last dimension, broadcasts where they only hold
 * single numbers that FMAs multiply into all lanes, else floats in memory.
 */
#include "compiler/loop/print_c_parts.h"
#include "compiler/loop/uses.h"

static void see_shape(void *context, const gali_loop_access *access, int written) {
    gali_c_printer *p = context;
    const gali_loop_buffer *buffer = access->buffer;
    (void)written;
    if (access->lanes != 1 && access->lanes != p->lanes) {
        p->why = "lanes that the target does not have";
    }
    if (buffer->role == GALI_LOOP_LOCAL) {
        uint32_t last = buffer->rank ? buffer->rank - 1 : 0;
        int whole = access->lanes > 1 && buffer->rank && gali_c_is_zero(&access->index[last]) &&
                    buffer->extent[last].constant == access->lanes;
        p->shape[buffer->id] = whole ? p->shape[buffer->id] : GALI_C_FLOATS;
    }
}

/* Loads of a local other than as the one number of an FMA. */
static int multiplied_only(const gali_loop_value *value, const gali_loop_buffer *local, uint32_t lanes) {
    if (value->op == GALI_VALUE_LOAD) {
        return value->load.buffer != local;
    }
    uint32_t factor = value->op == GALI_VALUE_FMA ? gali_c_broadcast_of(value, lanes) : 2;
    uint32_t one = factor < 2 ? factor : 3; /* which operand it may be; 3: none */
    for (uint32_t i = 0; i < 3 && value->operand[i]; i++) {
        if (i != one && !multiplied_only(value->operand[i], local, lanes)) {
            return 0;
        }
    }
    return 1;
}

static int is_broadcast(const gali_loop_statement *block, const gali_loop_buffer *local) {
    for (const gali_loop_statement *s = block; s; s = s->next) {
        int good = 1;
        if (s->kind == GALI_LOOP_FOR) {
            good = is_broadcast(s->body, local);
        } else if (s->kind == GALI_LOOP_STORE && s->to.buffer == local) {
            good = gali_c_is_scalar_load(s->value) && s->value->load.buffer->role != GALI_LOOP_LOCAL &&
                   s->to.lanes == 1;
        } else if (s->kind == GALI_LOOP_STORE) {
            good = multiplied_only(s->value, local, s->to.lanes);
        }
        if (!good) {
            return 0;
        }
    }
    return 1;
}

void gali_c_choose_shapes(gali_c_printer *p) {
    const gali_loop_function *f = p->function;
    for (uint32_t i = 0; i < f->buffers; i++) {
        p->shape[i] = f->buffer[i]->role == GALI_LOOP_VIEW ? GALI_C_POINTERS
                      : p->lanes                           ? GALI_C_VECTORS
                                                           : GALI_C_FLOATS;
    }
    gali_loop_walk(f->body, see_shape, NULL, p);
    if (!p->lanes) {
        return;
    }
    for (uint32_t i = f->parameters; i < f->buffers; i++) {
        if (p->shape[i] == GALI_C_FLOATS && is_broadcast(f->body, f->buffer[i])) {
            p->shape[i] = GALI_C_BROADCAST;
        }
    }
}
