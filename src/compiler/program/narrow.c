#include "compiler/program/narrow.h"

#include <string.h>

#include "base/error.h"
#include "compiler/program/index.h"

typedef struct narrowing {
    gali_program *p;
    gali_scalars *scalars;
    gali_extent *is;                 /* [symbols] what takes their place */
    const gali_program_stage *stage; /* that is made anew */
} narrowing;

/* ---- extents ---- */

static gali_extent told(const narrowing *n, gali_extent extent);

static gali_extent told_atom(const narrowing *n, uint32_t atom) {
    gali_extents *x = n->p->graph->extents;
    uint32_t symbol;
    gali_extent operand[2];
    gali_extent_kind kind = gali_extent_atom(x, atom, &symbol, operand);
    if (kind == GALI_EXTENT_SYMBOL) {
        return n->is[symbol];
    }
    gali_extent a = told(n, operand[0]), b = told(n, operand[1]);
    return kind == GALI_EXTENT_QUOTIENT ? gali_extent_quotient(x, a, b)
           : kind == GALI_EXTENT_LEAST  ? gali_extent_least(x, a, b)
                                        : gali_extent_most(x, a, b);
}

/* The extent with what takes the place of its sizes. */
static gali_extent told(const narrowing *n, gali_extent extent) {
    gali_extents *x = n->p->graph->extents;
    gali_extent sum = 0;
    if (gali_extent_is_number(extent) || extent == GALI_EXTENT_UNKNOWN || extent == GALI_EXTENT_BAD) {
        return extent;
    }
    for (uint32_t i = 0; i < gali_extent_term_count(x, extent); i++) {
        gali_extent_term term = gali_extent_term_at(x, extent, i);
        gali_extent product = term.scale;
        for (uint32_t k = 0; k < term.count; k++) {
            product = gali_extent_mul(x, product, told_atom(n, term.atoms[k]));
        }
        sum = gali_extent_add(x, sum, product);
    }
    return sum == GALI_EXTENT_UNKNOWN || sum == GALI_EXTENT_BAD ? extent : sum;
}

/* ---- stages ---- */

static const gali_scalar *whole(gali_scalars *scalars, int64_t number) {
    return gali_scalars_keep(scalars,
                             &(gali_scalar){.op = GALI_SCALAR_number, .element = GALI_i64, .whole = number});
}

/* The smaller of two integers, if it is always the same one: what a size is broadcast to is no question any more. */
static const gali_scalar *smaller(const narrowing *n, const gali_scalar *a) {
    const gali_scalar_axes axes = {n->stage->extent, n->stage->rank + n->stage->reduced};
    gali_extents *x = n->p->graph->extents;
    for (int i = 0; i < 2; i++) {
        if (gali_index_compare(x, &axes, GALI_SCALAR_less_equal, a->operand[i], a->operand[1 - i]) == 1) {
            return a->operand[i];
        }
    }
    return a;
}

static const gali_scalar *replace(void *who, const gali_scalar *a) {
    const narrowing *n = who;
    if (a->op == GALI_SCALAR_least && a->element == GALI_i64) {
        return smaller(n, a);
    }
    if (a->op == GALI_SCALAR_axis) {
        return n->stage->extent[a->source] == 1 ? whole(n->scalars, 0) : a;
    }
    if (a->op != GALI_SCALAR_extent) {
        return a;
    }
    gali_scalar is = *a;
    is.extent = told(n, a->extent);
    return gali_extent_is_number(is.extent) && a->element == GALI_i64 ? whole(n->scalars, is.extent)
                                                                      : gali_scalars_keep(n->scalars, &is);
}

static void narrow_stage(narrowing *n, gali_program_stage *stage) {
    gali_arena arena = {0};
    for (uint32_t i = 0; i < stage->rank + stage->reduced; i++) {
        stage->extent[i] = told(n, stage->extent[i]);
    }
    n->stage = stage;
    gali_scalar_maker maker = {.scalars = n->scalars,
                               .arena = &arena,
                               .axes = {stage->extent, stage->rank + stage->reduced},
                               .replace = replace,
                               .who = n};
    const gali_scalar **parts[] = {&stage->start, &stage->value, &stage->finish};
    for (int i = 0; i < 3; i++) {
        const gali_scalar *made = gali_scalar_make(&maker, *parts[i]);
        n->p->arena->failed |= (*parts[i] && !made) || arena.failed;
        *parts[i] = made;
    }
    gali_arena_release(&arena);
}

static void *copy_of(const gali_program *p, const void *from, size_t bytes) {
    void *to = gali_arena_take(p->arena, bytes + 1);
    if (to) {
        memcpy(to, from, bytes);
    }
    return to;
}

static void narrow_all(narrowing *n) {
    gali_program *p = n->p;
    for (uint32_t i = 0; i < p->tensor_count; i++) {
        gali_type *type = &p->tensors[i].type;
        for (int d = 0; d < type->rank; d++) {
            type->shape[d] = told(n, type->shape[d]);
        }
    }
    for (uint32_t i = 0; i < p->stage_count; i++) {
        if (!p->stages[i].gone) {
            narrow_stage(n, &p->stages[i]);
        }
    }
}

/* By ratio: as many times the least as the most is of it. */
static int64_t middle_of(int64_t least, int64_t most) {
    int64_t low = least, high = most;
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        if (middle <= least * most / middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static void set_ranges(narrowing *n, const gali_size_range *ranges, uint32_t count) {
    gali_program *p = n->p;
    for (uint32_t s = 0; s < gali_extent_symbols(p->graph->extents); s++) {
        n->is[s] = gali_extent_of_symbol(p->graph->extents, s);
    }
    for (uint32_t i = 0; i < count; i++) {
        const gali_size_range *r = &ranges[i];
        int64_t *typical = &p->typical[r->symbol];
        if (r->same) {
            continue;
        }
        p->least[r->symbol] = r->least;
        p->most[r->symbol] = r->most;
        *typical = *typical < r->least || *typical > r->most ? middle_of(r->least, r->most) : *typical;
        n->is[r->symbol] = r->least == r->most ? r->least : n->is[r->symbol];
    }
    for (uint32_t i = 0; i < count; i++) { /* what the other one has become by then */
        if (ranges[i].same) {
            n->is[ranges[i].symbol] = n->is[ranges[i].other];
        }
    }
}

gal_status gali_program_narrow(const gali_program *program, const gali_size_range *ranges, uint32_t count,
                               gali_program **narrow, gal_error *error) {
    gali_program *p = *narrow = copy_of(program, program, sizeof *program);
    size_t symbols = gali_extent_symbols(program->graph->extents) + 1;
    if (p) {
        p->tensors = copy_of(p, program->tensors, program->tensor_count * sizeof *program->tensors);
        p->stages = copy_of(p, program->stages, program->stage_count * sizeof *program->stages);
        p->least = copy_of(p, program->least, symbols * sizeof *program->least);
        p->most = copy_of(p, program->most, symbols * sizeof *program->most);
        p->typical = copy_of(p, program->typical, symbols * sizeof *program->typical);
        p->schedules = NULL;
        p->version_count = 0;
    }
    narrowing n = {.p = p,
                   .scalars = p ? gali_scalars_make(p->arena, p->graph->extents) : NULL,
                   .is = gali_arena_take(program->arena, symbols * sizeof *n.is)};
    if (n.scalars && n.is && !p->arena->failed) {
        set_ranges(&n, ranges, count);
        narrow_all(&n);
    }
    return p && !p->arena->failed ? GAL_OK
                                  : gali_fail(error, GAL_NO_MEMORY, "no memory for versions of groups");
}
