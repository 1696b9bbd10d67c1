/*
 * Loops that turn a square of numbers over (GALI_LOOP_TRANSPOSE) as one word of the vocabulary:
 *
 *     for i in 4 transpose {
 *       for j in 4 {
 *         y[..][.. + 14*i + j] = x[.. + 16*j + i]
 *       }
 *     }
 */
#include "compiler/loop/print_c_parts.h"

enum { SIDE = 4 };

/* The access at the first turns of both loops but that one of them is at its turn `at`. */
static gali_loop_access turned(const gali_loop_access *access, const gali_loop_statement *const *loops,
                               uint32_t which, int64_t at) {
    gali_loop_access out = *access;
    for (uint32_t d = 0; d < out.buffer->rank; d++) {
        for (uint32_t i = 0; i < 2; i++) {
            const gali_loop_index turn = gali_loop_of(loops[i]->variable);
            const int64_t scale = gali_loop_index_scale(&out.index[d], loops[i]->variable);
            gali_loop_index_add(&out.index[d], &turn, -scale);
            out.index[d].constant += i == which ? scale * at : 0;
        }
    }
    return out;
}

/* Whether a turn of the loop is a step to the next number. */
static int is_contiguous(const gali_loop_access *access, const gali_loop_statement *loop) {
    const uint32_t last = access->buffer->rank - 1;
    int good = gali_loop_index_scale(&access->index[last], loop->variable) == 1;
    for (uint32_t d = 0; d < last; d++) {
        good &= gali_loop_index_scale(&access->index[d], loop->variable) == 0;
    }
    return good;
}

/* Numbers of one buffer, one after the other: a view's rows may lie anywhere, also in what is stored to. */
static int is_plain(const gali_loop_access *access) {
    const gali_loop_buffer *of = access->buffer;
    return access->lanes == 1 && !access->tested && !of->packed_rank && of->element == GALI_f32 &&
           of->rank > 0 && of->role != GALI_LOOP_VIEW;
}

static int is_four(const gali_loop_statement *s) {
    return s && s->kind == GALI_LOOP_FOR && !s->extent.count && gali_loop_size(&s->extent) == SIDE;
}

/* Whether columns of the square, a step of that loop apart, are apart and in ascending order, as the word wants them. */
static int ascends(const gali_loop_access *access, const gali_loop_statement *loop) {
    const uint32_t last = access->buffer->rank - 1;
    const int64_t step = gali_loop_index_scale(&access->index[last], loop->variable);
    int good = step >= SIDE || step == 0, moves = step >= SIDE;
    for (uint32_t d = 0; d < last; d++) {
        const int64_t scale = gali_loop_index_scale(&access->index[d], loop->variable);
        good &= scale >= 0;
        moves |= scale > 0;
    }
    return good && moves;
}

/* ", &x[a step on] - &x[first]" */
static void add_step(gali_c_printer *p, gali_text *to, const gali_loop_access *access,
                     const gali_loop_statement *const *loops, uint32_t which) {
    const gali_loop_access next = turned(access, loops, which, 1), first = turned(access, loops, which, 0);
    gali_text_add(to, ", (size_t)((");
    gali_c_address(p, to, &next);
    gali_text_add(to, ") - (");
    gali_c_address(p, to, &first);
    gali_text_add(to, "))");
}

int gali_c_transpose(gali_c_printer *p, gali_text *to, const gali_loop_statement *loop) {
    const gali_loop_statement *inner = loop->body, *store = is_four(inner) ? inner->body : NULL;
    const gali_loop_statement *loops[] = {loop, inner};
    if (p->lanes <= 1 || p->words || !is_four(loop) || !store || inner->next || store->next ||
        store->kind != GALI_LOOP_STORE || store->value->op != GALI_VALUE_LOAD || !is_plain(&store->to) ||
        !is_plain(&store->value->load) || store->to.buffer == store->value->load.buffer) {
        return 0;
    }
    const gali_loop_access *from = &store->value->load;
    const uint32_t along = is_contiguous(from, loop) ? 0 : 1; /* the loop that goes along what is read */
    if (!is_contiguous(from, loops[along]) || !is_contiguous(&store->to, loops[1 - along]) ||
        !ascends(from, loops[1 - along]) || !ascends(&store->to, loops[along])) {
        return 0;
    }
    const gali_loop_access first = turned(&store->to, loops, 0, 0), source = turned(from, loops, 0, 0);
    gali_text_add(to, "%*sgali_transpose(", 4 * p->depth, "");
    gali_c_address(p, to, &first);
    add_step(p, to, &store->to, loops, along);
    gali_text_add(to, ", ");
    gali_c_address(p, to, &source);
    add_step(p, to, from, loops, 1 - along);
    gali_text_add(to, ");\n");
    return 1;
}
