/*
 * Activations are long: unrolled over a tile, they are most of a module's code, and nothing waits for them. So a nest of
 * unrolled loops that does nothing but activate becomes plain loops again:
 *
 *     for c.i in 6 unroll { for n.i in 4 unroll { y[..] = elu(total[c.i][n.i], 0) } }
 *
 * Its locals then lie in memory, not in registers. That costs nothing where they change a few times a tile, as a total
 * does once an expert; a local that an innermost loop adds to keeps its registers and its unrolled nest.
 */
#include "compiler/loop/loop.h"
#include "compiler/loop/uses.h"

static int is_unrolled(const gali_loop_statement *s) {
    return s->kind == GALI_LOOP_FOR && s->mark == GALI_LOOP_UNROLL && !s->factor;
}

static int is_long(const gali_loop_value *value) {
    int found =
        value->op > GALI_VALUE_NONE && value->op != GALI_VALUE_RELU && value->op != GALI_VALUE_LEAKY_RELU;
    for (uint32_t i = 0; i < gali_loop_arity(value); i++) {
        found |= is_long(value->operand[i]);
    }
    return found;
}

/* The one statement inside of all loops of an unrolled nest; NULL if there are more. */
static const gali_loop_statement *inside(const gali_loop_statement *nest) {
    while (is_unrolled(nest)) {
        nest = nest->body;
        if (!nest || nest->next) {
            return NULL;
        }
    }
    return nest;
}

static int has_turns(const gali_loop_statement *block) {
    for (const gali_loop_statement *s = block; s; s = s->next) {
        if (s->kind == GALI_LOOP_CALL ||
            (s->kind == GALI_LOOP_FOR && (!is_unrolled(s) || has_turns(s->body)))) {
            return 1;
        }
    }
    return 0;
}

typedef struct target {
    const gali_loop_buffer *local;
    int written;
} target;

static void see_written(void *context, const gali_loop_access *access, int written) {
    target *t = context;
    t->written |= written && access->buffer == t->local;
}

/* Whether an innermost loop that turns, or an inner kernel, writes the local. */
static int is_hot(const gali_loop_statement *block, const gali_loop_buffer *local) {
    for (const gali_loop_statement *s = block; s; s = s->next) {
        target t = {.local = local};
        if (s->kind == GALI_LOOP_FOR && !is_unrolled(s) && !has_turns(s->body)) {
            gali_loop_walk(s->body, see_written, NULL, &t);
        }
        int called = s->kind == GALI_LOOP_CALL && s->tile.sum.buffer == local;
        if (t.written || called || (s->kind == GALI_LOOP_FOR && is_hot(s->body, local))) {
            return 1;
        }
    }
    return 0;
}

static int reads_hot(const gali_loop_function *function, const gali_loop_value *value) {
    int hot = value->op == GALI_VALUE_LOAD && value->load.buffer->role == GALI_LOOP_LOCAL &&
              is_hot(function->body, value->load.buffer);
    for (uint32_t i = 0; i < gali_loop_arity(value); i++) {
        hot |= reads_hot(function, value->operand[i]);
    }
    return hot;
}

static void roll_block(const gali_loop_function *function, gali_loop_statement *block) {
    for (gali_loop_statement *s = block; s; s = s->next) {
        if (s->kind != GALI_LOOP_FOR) {
            continue;
        }
        const gali_loop_statement *one = is_unrolled(s) ? inside(s) : NULL;
        if (!one || one->kind != GALI_LOOP_STORE || !is_long(one->value) || reads_hot(function, one->value)) {
            roll_block(function, s->body);
            continue;
        }
        for (gali_loop_statement *loop = s; loop->kind == GALI_LOOP_FOR; loop = loop->body) {
            loop->factor = 1;
        }
    }
}

void gali_loop_roll(gali_loop_function *function) {
    roll_block(function, function->body);
}
