/*
 * Loads of an innermost nest of unrolled loops, made where they change and not more often:
 *
 *     for c.i in 6 unroll {                       for n.i in 4 unroll {
 *       for n.i in 4 unroll {                       weights.1[n.i][0:16] = keep(weights[..][n.i][0:16])
 *         sum[c.i][n.i][0:16] = fma(x[c.i][k],    }
 *             weights[..][n.i][0:16], ..)         for c.i in 6 unroll {
 *       }                                           local x.2
 *     }                                             x.2 = x[c.i][k]
 *                                                   for n.i in 4 unroll {
 *                                                     sum[c.i][n.i][0:16] = fma(x.2, weights.1[n.i][0:16], ..)
 *
 * A load goes to before the outermost loop of the nest that it does not depend on, into a local with a dimension for
 * each loop inside of that one that it does depend on. A vector is kept: compilers fold loads back into their uses.
 */
#include <stdio.h>

#include "base/error.h"
#include "compiler/loop/loop.h"

enum { NEST_MAX = 6 };

/* loop[0] is around loop[1] ...; each but the last has nothing else in its body. */
typedef struct nest {
    gali_loop_function *function;
    gali_loop_statement **before[NEST_MAX]; /* what points to loop[i] */
    gali_loop_statement *loop[NEST_MAX];
    uint32_t depth;
    gali_loop_statement *store;
} nest;

static int depends(const gali_loop_access *access, const gali_loop_statement *loop) {
    for (uint32_t d = 0; d < gali_loop_rank(access->buffer); d++) {
        if (gali_loop_index_uses(&access->index[d], loop->variable)) {
            return 1;
        }
    }
    return 0;
}

/* The local for a load before loop `at`, and its access from inside of the nest. */
static gali_loop_buffer *make_local(nest *n, const gali_loop_access *load, uint32_t at,
                                    gali_loop_access *access) {
    char name[GALI_LOOP_NAME_MAX];
    snprintf(name, sizeof name, "%.26s.%u", load->buffer->name, n->function->buffers);
    gali_loop_buffer *local = gali_loop_add_buffer(n->function, name, GALI_LOOP_LOCAL);
    if (!local) {
        return NULL;
    }
    local->element = gali_loop_computed(load->buffer->element);
    *access = (gali_loop_access){.buffer = local, .lanes = load->lanes};
    for (uint32_t i = at + 1; i < n->depth; i++) {
        if (depends(load, n->loop[i])) {
            const gali_loop_statement *loop = n->loop[i];
            gali_loop_index most = gali_loop_number(loop->extent.count ? loop->extent.term[0].variable->most
                                                                       : loop->extent.constant);
            access->index[local->rank] = gali_loop_of(loop->variable);
            local->extent[local->rank++] = most;
        }
    }
    if (load->lanes > 1) {
        local->extent[local->rank++] = gali_loop_number(load->lanes);
    }
    return local;
}

/* Puts statement before loop `at`. */
static void insert(nest *n, uint32_t at, gali_loop_statement *statement) {
    statement->next = n->loop[at];
    *n->before[at] = statement;
    n->before[at] = &statement->next;
}

/* Fills the local before loop `at`, in loops like those inside of it that the load depends on. */
static int fill_local(nest *n, const gali_loop_access *load, uint32_t at, const gali_loop_access *access) {
    gali_arena *arena = n->function->arena;
    gali_loop_statement *store = gali_loop_add_statement(arena, GALI_LOOP_STORE);
    gali_loop_value *value = gali_loop_load(arena, load, NULL);
    if (!store || !value) {
        return 0;
    }
    store->to = *access;
    store->value = load->lanes > 1 ? gali_loop_apply(arena, GALI_VALUE_KEEP, value, NULL, NULL) : value;
    gali_loop_statement *inside = store;
    for (uint32_t i = n->depth; i-- > at + 1;) {
        gali_loop_statement *loop =
            depends(load, n->loop[i]) ? gali_loop_add_statement(arena, GALI_LOOP_FOR) : NULL;
        if (loop) {
            *loop = *n->loop[i];
            loop->next = NULL;
            loop->body = inside;
            inside = loop;
        }
    }
    insert(n, at, inside);
    return store->value != NULL;
}

static int bounded(const gali_loop_statement *loop) {
    return !loop->extent.count || loop->extent.term[0].variable->most > 0;
}

/* The value with its loads moved out; NULL without memory. */
static const gali_loop_value *move_loads(nest *n, const gali_loop_value *value) {
    gali_arena *arena = n->function->arena;
    if (value->op == GALI_VALUE_SELECT || (value->op == GALI_VALUE_LOAD && value->load.tested)) {
        return value; /* what is read depends */
    }
    if (value->op == GALI_VALUE_LOAD) {
        uint32_t at = 0;
        while (at < n->depth && depends(&value->load, n->loop[at])) {
            at++;
        }
        int fits = at < n->depth && value->load.buffer->role != GALI_LOOP_LOCAL &&
                   n->function->buffers < GALI_LOOP_BUFFERS_MAX;
        for (uint32_t i = at + 1; i < n->depth; i++) {
            fits &= bounded(n->loop[i]);
        }
        gali_loop_statement *make = fits ? gali_loop_add_statement(arena, GALI_LOOP_MAKE) : NULL;
        if (!make) {
            return arena->failed ? NULL : value;
        }
        gali_loop_access access;
        make->local = make_local(n, &value->load, at, &access);
        if (!make->local) {
            return NULL;
        }
        insert(n, at, make);
        return fill_local(n, &value->load, at, &access) ? gali_loop_load(arena, &access, NULL) : NULL;
    }
    gali_loop_value *copy = gali_arena_take(arena, sizeof *copy);
    if (!copy) {
        return NULL;
    }
    *copy = *value;
    for (uint32_t i = 0; i < gali_loop_arity(value); i++) {
        copy->operand[i] = move_loads(n, value->operand[i]);
        if (!copy->operand[i]) {
            return NULL;
        }
    }
    return copy;
}

static int is_unrolled(const gali_loop_statement *statement) {
    return statement->kind == GALI_LOOP_FOR && statement->mark == GALI_LOOP_UNROLL && !statement->factor;
}

/* The nest that starts with the loop at *before; 0 if it is none. */
static int find_nest(gali_loop_function *function, gali_loop_statement **before, nest *n) {
    *n = (nest){.function = function};
    gali_loop_statement *at = *before;
    while (is_unrolled(at) && n->depth < NEST_MAX) {
        n->before[n->depth] = before;
        n->loop[n->depth++] = at;
        before = &at->body;
        at = at->body;
        if (!at || at->next) {
            return 0;
        }
    }
    n->store = at;
    return n->depth > 0 && at->kind == GALI_LOOP_STORE;
}

static int hoist_block(gali_loop_function *function, gali_loop_statement **block) {
    for (; *block; block = &(*block)->next) {
        nest n;
        if ((*block)->kind != GALI_LOOP_FOR) {
            continue;
        }
        if (!find_nest(function, block, &n)) {
            if (!hoist_block(function, &(*block)->body)) {
                return 0;
            }
            continue;
        }
        const gali_loop_value *value = move_loads(&n, n.store->value);
        if (!value) {
            return 0;
        }
        n.store->value = value;
        block = n.before[0];
    }
    return 1;
}

gal_status gali_loop_hoist(gali_loop_function *function, gal_error *error) {
    return hoist_block(function, &function->body) && !function->arena->failed
               ? GAL_OK
               : gali_fail(error, GAL_NO_MEMORY, "loop %s: no memory, or too many buffers", function->name);
}
