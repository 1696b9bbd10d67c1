/*
 * The range that each open size may have in the emitted code: what the file or the user says, or else the widest in which
 * no tensor is empty (unless it is cut at 0) and none has more than 2^29 elements; beyond 1024 only who asks for it. A size
 * that only running tells has the range from 0 to its bound.
 */
#include "base/error.h"
#include "compiler/program/program.h"

enum { MOST_UNASKED = 1024, ROUNDS_MOST = 4096, BATCH_ENOUGH = 16, DEMAND_TRIED = 1 << 20 };

typedef struct ranging {
    gali_program *p;
    int changed;
    const gali_program_tensor *stuck;
} ranging;

/* ---- bounds by sizes that inputs tell ---- */

enum { DEPTH_MOST = 24, SYMBOL_DEPTH = 6 }; /* bounds may be made of one another: four deep are followed */

static gali_extent bound_at(const gali_program *p, gali_extent extent, int most, int depth);

/* What a size that a step tells is at most; at least it is 0. */
static gali_extent bound_of_symbol(const gali_program *p, uint32_t symbol, int depth) {
    gali_extents *x = p->graph->extents;
    gali_extent bound = gali_extent_bound(x, symbol), own;
    int64_t least, most;
    gali_extent_symbol_range(x, symbol, &least, &most);
    own = p->most ? p->most[symbol] : most == GALI_EXTENT_LARGEST ? MOST_UNASKED : most;
    bound = bound == GALI_EXTENT_UNKNOWN || depth < SYMBOL_DEPTH ? own
                                                                 : bound_at(p, bound, 1, depth - SYMBOL_DEPTH);
    if (bound == GALI_EXTENT_UNKNOWN || bound == GALI_EXTENT_BAD) {
        return own;
    }
    return most == GALI_EXTENT_LARGEST ? bound : gali_extent_least(x, bound, most);
}

static gali_extent bound_of_atom(const gali_program *p, uint32_t atom, int most, int depth) {
    gali_extents *x = p->graph->extents;
    gali_extent operand[2];
    uint32_t symbol;
    gali_extent_kind kind = gali_extent_atom(x, atom, &symbol, operand);
    if (kind == GALI_EXTENT_SYMBOL) {
        gali_told told = gali_program_told(p, symbol);
        return told == GALI_TOLD_BY_INPUT  ? gali_extent_of_symbol(x, symbol)
               : told == GALI_TOLD_BY_NONE ? GALI_EXTENT_UNKNOWN
               : most                      ? bound_of_symbol(p, symbol, depth)
                                           : 0;
    }
    if (depth == 0) {
        return GALI_EXTENT_UNKNOWN;
    }
    gali_extent a = bound_at(p, operand[0], most, depth - 1);
    if (kind == GALI_EXTENT_QUOTIENT) {
        gali_extent b = bound_at(p, operand[1], !most, depth - 1);
        return gali_extent_quotient(x, a, b == 0 ? 1 : b);
    }
    gali_extent b = bound_at(p, operand[1], most, depth - 1);
    return kind == GALI_EXTENT_LEAST ? gali_extent_least(x, a, b) : gali_extent_most(x, a, b);
}

static gali_extent bound_at(const gali_program *p, gali_extent extent, int most, int depth) {
    gali_extents *x = p->graph->extents;
    gali_extent sum = 0;
    if (extent == GALI_EXTENT_UNKNOWN || extent == GALI_EXTENT_BAD) {
        return extent;
    }
    for (uint32_t i = 0; i < gali_extent_term_count(x, extent); i++) {
        gali_extent_term term = gali_extent_term_at(x, extent, i);
        gali_extent product = term.scale;
        for (uint32_t k = 0; k < term.count; k++) {
            product = gali_extent_mul(x, product,
                                      bound_of_atom(p, term.atoms[k], term.scale < 0 ? !most : most, depth));
        }
        sum = gali_extent_add(x, sum, product);
    }
    return sum;
}

gali_extent gali_program_bound(const gali_program *p, gali_extent extent, int most) {
    return bound_at(p, extent, most, DEPTH_MOST);
}

/* ---- ranges ---- */

static int is_told_by(const gali_program *p, gali_extent extent, uint32_t symbol, gali_told told) {
    return gali_program_told(p, symbol) == told && gali_extent_has(p->graph->extents, extent, symbol);
}

/* The most of sizes that steps tell, by those of inputs at theirs. Returns whether one has changed. */
static int follow(gali_program *p) {
    gali_extents *x = p->graph->extents;
    int changed = 0;
    for (uint32_t s = 0; s < p->told_count; s++) {
        if (p->told[s] != GALI_TOLD_BY_STEP || gali_extent_bound(x, s) == GALI_EXTENT_UNKNOWN) {
            continue;
        }
        gali_extent bound = gali_program_bound(p, gali_extent_of_symbol(x, s), 1);
        int64_t most = gali_extent_value(x, bound, p->most);
        if (gali_extent_is_number(most) && most < p->most[s]) {
            p->most[s] = most < 0 ? 0 : most;
            changed = 1;
        }
    }
    return changed;
}

static int is_stored(const gali_program *p, const gali_program_tensor *t) {
    return t->type.rank >= 0 && t->role != GALI_TENSOR_CONSTANT &&
           (t->role == GALI_TENSOR_INPUT || (t->stage != GALI_NONE && !p->stages[t->stage].gone));
}

/* Whether the extent would be above 0 with that size alone as large as it may be. */
static int helps(const ranging *r, gali_extent extent, uint32_t symbol) {
    int64_t least = r->p->least[symbol];
    r->p->least[symbol] = r->p->most[symbol];
    int positive = gali_extent_value(r->p->graph->extents, extent, r->p->least) > 0;
    r->p->least[symbol] = least;
    return positive;
}

/* Whether a size that a step tells is in it: then it may be 0. */
static int has_told(const gali_program *p, gali_extent extent) {
    int told = 0;
    for (uint32_t s = 0; s < p->told_count && !told; s++) {
        told = is_told_by(p, extent, s, GALI_TOLD_BY_STEP);
    }
    return told;
}

/* Whether a factor of it is max(0, something), as a Range may be: the model itself says that it may be empty. */
static int is_cut(const gali_extents *x, gali_extent extent) {
    int cut = 0;
    gali_extent_term term = {.count = 0};
    if (gali_extent_term_count(x, extent) == 1) {
        term = gali_extent_term_at(x, extent, 0);
    }
    for (uint32_t k = 0; k < term.count; k++) {
        uint32_t symbol;
        gali_extent operand[2];
        cut |= gali_extent_atom(x, term.atoms[k], &symbol, operand) == GALI_EXTENT_MOST && operand[0] == 0;
    }
    return cut;
}

/*
 * Raises the least sizes that an empty tensor is made of: those that alone are why it is empty, or, if `any`, all of them. One
 * that is always empty stays it.
 */
static void raise(ranging *r, const gali_program_tensor *t, int any) {
    const gali_extents *x = r->p->graph->extents;
    for (int d = 0; d < t->type.rank; d++) {
        gali_extent extent = t->type.shape[d];
        if (has_told(r->p, extent) || is_cut(x, extent) || gali_extent_value(x, extent, r->p->least) > 0) {
            continue;
        }
        for (uint32_t s = 0; s < gali_extent_symbols(x); s++) {
            if (is_told_by(r->p, extent, s, GALI_TOLD_BY_INPUT) && r->p->least[s] < r->p->most[s] &&
                (any || helps(r, extent, s))) {
                r->p->least[s]++;
                r->changed = 1;
            }
        }
    }
}

static void raise_all(ranging *r, int any) {
    for (uint32_t i = 0; i < r->p->tensor_count; i++) {
        if (is_stored(r->p, &r->p->tensors[i])) {
            raise(r, &r->p->tensors[i], any);
        }
    }
}

/* A batch of more than a few gives way before a length or a side of a picture: a large one can be run in parts. */
static int gives_way(const ranging *r, uint32_t symbol, uint32_t other) {
    int own = gali_program_is_batch(r->p->graph, symbol) && r->p->most[symbol] > BATCH_ENOUGH;
    int theirs = gali_program_is_batch(r->p->graph, other) && r->p->most[other] > BATCH_ENOUGH;
    return own != theirs ? own : r->p->most[symbol] > r->p->most[other];
}

/* Lowers one of the sizes that too large a tensor is made of: a batch, or the largest. */
static void lower(ranging *r, const gali_program_tensor *t) {
    const gali_extents *x = r->p->graph->extents;
    double elements = 1;
    for (int d = 0; d < t->type.rank; d++) {
        elements *= (double)gali_extent_value(x, t->type.shape[d], r->p->most);
    }
    uint32_t largest = GALI_NONE;
    for (uint32_t s = 0; elements > (double)GALI_ELEMENTS_MOST && s < gali_extent_symbols(x); s++) {
        int in = 0;
        for (int d = 0; d < t->type.rank; d++) {
            in |= gali_program_told(r->p, s) != GALI_TOLD_BY_NONE && gali_extent_has(x, t->type.shape[d], s);
        }
        if (in && r->p->most[s] > r->p->least[s] && (largest == GALI_NONE || gives_way(r, s, largest))) {
            largest = s;
        }
    }
    if (largest != GALI_NONE) {
        int64_t half = r->p->most[largest] / 2;
        r->p->most[largest] = half > r->p->least[largest] ? half : r->p->least[largest];
        r->changed = 1;
    } else if (elements > (double)GALI_ELEMENTS_MOST) {
        r->stuck = t;
    }
}

/* ---- demands ---- */

/* The only size that the demand is made of; GALI_NONE: of none, or of several. */
static uint32_t only_symbol(const gali_program *p, const gali_demand *demand) {
    gali_extents *x = p->graph->extents;
    uint32_t only = GALI_NONE, count = 0;
    for (uint32_t s = 0; s < gali_extent_symbols(x); s++) {
        if (gali_extent_has(x, demand->a, s) || gali_extent_has(x, demand->b, s)) {
            only = s;
            count++;
        }
    }
    return count == 1 && gali_program_told(p, only) == GALI_TOLD_BY_INPUT ? only : GALI_NONE;
}

static int holds(const gali_program *p, const gali_demand *demand, const int64_t *sizes) {
    int64_t a = gali_extent_value(p->graph->extents, demand->a, sizes),
            b = gali_extent_value(p->graph->extents, demand->b, sizes);
    return demand->kind == GALI_DEMAND_MOST
               ? a <= b
               : a == b || (demand->kind == GALI_DEMAND_FITS && (a == 1 || b == 1));
}

/* What a demand refuses at the ends of a size's range is not in it: a length of at most as many as there are places. */
static void follow_demand(gali_program *p, const gali_demand *demand) {
    uint32_t s = only_symbol(p, demand);
    if (s == GALI_NONE || p->most[s] - p->least[s] > DEMAND_TRIED) {
        return;
    }
    int64_t least = p->least[s], most = p->most[s];
    while (p->most[s] > least && !holds(p, demand, p->most)) {
        p->most[s]--;
    }
    while (p->least[s] < p->most[s] && !holds(p, demand, p->least)) {
        p->least[s]++;
    }
    if (!holds(p, demand, p->least)) { /* it holds nowhere: the run says so */
        p->least[s] = least;
        p->most[s] = most;
    }
}

int64_t gali_program_most_asked(const gali_program *p, uint32_t symbol) {
    int64_t least, most;
    gali_extent_symbol_range(p->graph->extents, symbol, &least, &most);
    return most == GALI_EXTENT_LARGEST ? MOST_UNASKED : most;
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
        int stepped = gali_program_told(p, s) == GALI_TOLD_BY_STEP;
        p->least[s] = stepped ? 0 : p->least[s] < 1 ? 1 : p->least[s];
        int bounded = stepped && gali_extent_bound(x, s) != GALI_EXTENT_UNKNOWN;
        p->most[s] = !bounded                          ? gali_program_most_asked(p, s)
                     : p->most[s] < GALI_ELEMENTS_MOST ? p->most[s]
                                                       : GALI_ELEMENTS_MOST;
    }
    for (const gali_demand *d = p->demands; d; d = d->next) {
        follow_demand(p, d);
    }
    ranging r = {.p = p, .changed = 1};
    for (int round = 0; r.changed && round < ROUNDS_MOST; round++) {
        r.changed = follow(p);
        r.stuck = NULL;
        raise_all(&r, 0);
        for (uint32_t i = 0; i < p->tensor_count; i++) {
            if (is_stored(p, &p->tensors[i])) {
                lower(&r, &p->tensors[i]);
            }
        }
        if (!r.changed) {
            raise_all(&r, 1);
        }
    }
    return r.stuck
               ? gali_fail(error, GAL_UNSUPPORTED, "value \"%.100s\": more than 2^29 elements", r.stuck->name)
               : GAL_OK;
}

int gali_program_is_batch(const gali_graph *graph, uint32_t symbol) {
    int first = 0, others = 0;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const gali_type *type = &graph->values[graph->inputs[i]].type;
        for (int d = 0; d < type->rank; d++) {
            *(d ? &others : &first) |= gali_extent_as_symbol(graph->extents, type->shape[d]) == (int)symbol;
        }
    }
    return first && !others;
}
