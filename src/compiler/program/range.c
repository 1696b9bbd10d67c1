/*
 * The range that each open size may have in the emitted code: what the file or the user says, or else the widest in which
 * no tensor is empty and none has more than 2^29 elements; beyond 1024 only who asks for it.
 */
#include "base/error.h"
#include "compiler/program/program.h"

enum { MOST_UNASKED = 1024, ROUNDS_MOST = 4096 };
#define ELEMENTS_MOST ((int64_t)1 << 29)

typedef struct ranging {
    gali_program *p;
    int changed;
    const gali_program_tensor *stuck;
} ranging;

/* Whether the extent has the symbol anywhere in it. */
static int has_symbol(const gali_extents *x, gali_extent extent, uint32_t symbol, int depth) {
    for (uint32_t i = 0; depth && i < gali_extent_term_count(x, extent); i++) {
        gali_extent_term term = gali_extent_term_at(x, extent, i);
        for (uint32_t k = 0; k < term.count; k++) {
            uint32_t own;
            gali_extent operand[2];
            int is_symbol = gali_extent_atom(x, term.atoms[k], &own, operand) == GALI_EXTENT_SYMBOL;
            if (is_symbol ? own == symbol
                          : has_symbol(x, operand[0], symbol, depth - 1) ||
                                has_symbol(x, operand[1], symbol, depth - 1)) {
                return 1;
            }
        }
    }
    return 0;
}

/* Raises the least sizes that an empty tensor is made of. */
static void raise(ranging *r, const gali_program_tensor *t) {
    const gali_extents *x = r->p->graph->extents;
    for (int d = 0; d < t->type.rank; d++) {
        if (gali_extent_value(x, t->type.shape[d], r->p->least) > 0) {
            continue;
        }
        int raised = 0;
        for (uint32_t s = 0; s < gali_extent_symbols(x); s++) {
            if (has_symbol(x, t->type.shape[d], s, 32) && r->p->least[s] < r->p->most[s]) {
                r->p->least[s]++;
                raised = 1;
            }
        }
        r->changed |= raised;
        r->stuck = raised ? r->stuck : t;
    }
}

/* Lowers the largest of the sizes that too large a tensor is made of. */
static void lower(ranging *r, const gali_program_tensor *t) {
    const gali_extents *x = r->p->graph->extents;
    double elements = 1;
    for (int d = 0; d < t->type.rank; d++) {
        elements *= (double)gali_extent_value(x, t->type.shape[d], r->p->most);
    }
    uint32_t largest = GALI_NONE;
    for (uint32_t s = 0; elements > (double)ELEMENTS_MOST && s < gali_extent_symbols(x); s++) {
        int in = 0;
        for (int d = 0; d < t->type.rank; d++) {
            in |= has_symbol(x, t->type.shape[d], s, 32);
        }
        if (in && r->p->most[s] > r->p->least[s] &&
            (largest == GALI_NONE || r->p->most[s] > r->p->most[largest])) {
            largest = s;
        }
    }
    if (largest != GALI_NONE) {
        int64_t half = r->p->most[largest] / 2;
        r->p->most[largest] = half > r->p->least[largest] ? half : r->p->least[largest];
        r->changed = 1;
    } else if (elements > (double)ELEMENTS_MOST) {
        r->stuck = t;
    }
}

static int is_stored(const gali_program *p, const gali_program_tensor *t) {
    return t->type.rank >= 0 && t->role != GALI_TENSOR_CONSTANT &&
           (t->role == GALI_TENSOR_INPUT || (t->stage != GALI_NONE && !p->stages[t->stage].gone));
}

gal_status gali_program_range(gali_program *p, gal_error *error) {
    const gali_extents *x = p->graph->extents;
    uint32_t symbols = gali_extent_symbols(x);
    p->least = gali_arena_take(p->arena, (symbols + 1) * sizeof *p->least);
    p->most = gali_arena_take(p->arena, (symbols + 1) * sizeof *p->most);
    if (!p->least || !p->most) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for the range of sizes");
    }
    for (uint32_t s = 0; s < symbols; s++) {
        gali_extent_symbol_range(x, s, &p->least[s], &p->most[s]);
        p->least[s] = p->least[s] < 1 ? 1 : p->least[s];
        p->most[s] = p->most[s] == GALI_EXTENT_LARGEST ? MOST_UNASKED : p->most[s];
    }
    ranging r = {.p = p, .changed = 1};
    for (int round = 0; r.changed && round < ROUNDS_MOST; round++) {
        r.changed = 0;
        r.stuck = NULL;
        for (uint32_t i = 0; i < p->tensor_count; i++) {
            if (is_stored(p, &p->tensors[i])) {
                raise(&r, &p->tensors[i]);
                lower(&r, &p->tensors[i]);
            }
        }
    }
    return r.stuck ? gali_fail(error, GAL_UNSUPPORTED, "value \"%.100s\": empty, or more than 2^29 elements",
                               r.stuck->name)
                   : GAL_OK;
}
