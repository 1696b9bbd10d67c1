#include "graph/propagate.h"

#include "base/error.h"
#include "graph/interval.h"
#include "graph/rule.h"

/* Each round solves a demand at least; what is left after so many stays for the run to check. */
enum { ROUNDS_MOST = 64 };

typedef struct propagation {
    gali_graph *graph;
    /* [symbols] 1: a size of an input that nothing has been found of in this round; else UNKNOWN */
    int64_t *given;
    const gali_node *node; /* that demands */
    int changed;
    gal_error *error;
} propagation;

/* ---- extents ---- */

/* Whether all of its symbols are sizes of inputs that this round has not found. */
static int is_of_given(const propagation *p, gali_extent a) {
    return gali_extent_value(p->graph->extents, a, p->given) != GALI_EXTENT_UNKNOWN;
}

/*
 * -rest / scale, where that is a whole number of each term; UNKNOWN: it is not, or it would fall as another size rises (64 - a),
 * which is no size for most of the other's range.
 */
static gali_extent divided(gali_extents *x, gali_extent rest, int64_t scale) {
    for (uint32_t i = 0; i < gali_extent_term_count(x, rest); i++) {
        gali_extent_term t = gali_extent_term_at(x, rest, i);
        if (t.scale % scale != 0 || (t.count > 0 && t.scale / scale > 0)) {
            return GALI_EXTENT_UNKNOWN;
        }
    }
    return gali_extent_quotient(x, gali_extent_mul(x, rest, scale < 0 ? 1 : -1), scale < 0 ? -scale : scale);
}

/* The symbol's value for which a sum is 0, if it stands in it alone in a term, and nowhere else; UNKNOWN: it does not. */
static gali_extent solved_for(gali_extents *x, gali_extent sum, uint32_t term, uint32_t *symbol) {
    gali_extent_term t = gali_extent_term_at(x, sum, term);
    gali_extent operand[2];
    if (t.count != 1 || gali_extent_atom(x, t.atoms[0], symbol, operand) != GALI_EXTENT_SYMBOL) {
        return GALI_EXTENT_UNKNOWN;
    }
    gali_extent own = gali_extent_mul(x, gali_extent_of_symbol(x, *symbol), t.scale);
    gali_extent rest = gali_extent_sub(x, sum, own);
    return gali_extent_has(x, rest, *symbol) ? GALI_EXTENT_UNKNOWN : divided(x, rest, t.scale);
}

/* ---- sizes ---- */

static gal_status contradicts(const propagation *p, const char *format, const char *name, int64_t a, int64_t b,
                              int64_t c) {
    return gali_fail(p->error, GAL_BAD_DATA, format, gali_node_place(p->graph, p->node), name, (long long)a,
                     (long long)b, (long long)c);
}

static int64_t ceiling(int64_t a, int64_t b) {
    return a / b + (a % b > 0);
}

static int64_t floor_of(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

/*
 * The symbol's range is that of what it turns out to be: of scale * other + rest, the other's range is narrowed. Returns
 * 0 where nothing can be said of other expressions: then a range that was asked for is not given up. *first: the least in
 * the range that it can be; past the range there is none, and nothing is narrowed.
 */
static int narrow(const propagation *p, gali_extent by, int64_t least, int64_t most, int64_t *first) {
    gali_extents *x = p->graph->extents;
    int64_t rest = 0, scale = 0, own_least, own_most;
    uint32_t symbol = 0, other;
    gali_extent operand[2];
    *first = least;
    for (uint32_t i = 0; i < gali_extent_term_count(x, by); i++) {
        gali_extent_term t = gali_extent_term_at(x, by, i);
        if (t.count == 0) {
            rest = t.scale;
        } else if (t.count == 1 && scale == 0 && t.scale > 0 &&
                   gali_extent_atom(x, t.atoms[0], &other, operand) == GALI_EXTENT_SYMBOL) {
            scale = t.scale;
            symbol = other;
        } else {
            return least == 0 && most == GALI_EXTENT_LARGEST;
        }
    }
    if (scale > 0) {
        gali_extent_symbol_range(x, symbol, &own_least, &own_most);
        least = ceiling(least - rest, scale);
        most = most == GALI_EXTENT_LARGEST ? most : floor_of(most - rest, scale);
        least = least > own_least ? least : own_least;
        most = most < own_most ? most : own_most;
        *first = gali_interval_add(gali_interval_mul(gali_interval_number(scale), gali_interval_number(least)),
                                   gali_interval_number(rest))
                     .least;
        if (least <= most) {
            gali_extent_set_range(x, gali_extent_of_symbol(x, symbol), least, most);
        }
    }
    return 1;
}

/* The symbol is that from now on, in all inputs. */
static gal_status found(propagation *p, uint32_t symbol, gali_extent by) {
    gali_graph *graph = p->graph;
    int64_t least, most, by_least, by_most;
    gali_extent_symbol_range(graph->extents, symbol, &least, &most);
    gali_extent_range(graph->extents, by, &by_least, &by_most);
    if (by_most < least || by_least > most) {
        return contradicts(p, "%s: its size %s would be %lld, which is not in %lld..%lld",
                           gali_extent_symbol_name(graph->extents, symbol),
                           by_most < least ? by_most : by_least, least, most);
    }
    int64_t first;
    if (!narrow(p, by, least, most, &first)) {
        return GAL_OK;
    }
    if (first > most) {
        return contradicts(p, "%s: its size %s would be %lld, which is not in %lld..%lld",
                           gali_extent_symbol_name(graph->extents, symbol), first, least, most);
    }
    gali_found_size *kept = gali_arena_take(graph->arena, sizeof *kept);
    if (!kept) {
        return gali_fail(p->error, GAL_NO_MEMORY, "no memory for shapes");
    }
    *kept = (gali_found_size){symbol, by, (uint32_t)(p->node - graph->nodes), graph->found};
    graph->found = kept;
    gali_extent old = gali_extent_of_symbol(graph->extents, symbol);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        gali_type *type = &graph->values[graph->inputs[i]].type;
        for (int d = 0; d < type->rank; d++) {
            type->shape[d] = type->shape[d] == old ? by : type->shape[d];
        }
    }
    p->given[symbol] = GALI_EXTENT_UNKNOWN;
    p->changed = 1;
    return GAL_OK;
}

static int64_t divisor_of(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* Whether a sum is 0 for no sizes: it is on one side of it, or all that changes it is a multiple of what its number is not. */
static int is_never_zero(const gali_extents *x, gali_extent sum) {
    int64_t least, most, number = 0, divisor = 0;
    for (uint32_t i = 0; i < gali_extent_term_count(x, sum); i++) {
        gali_extent_term t = gali_extent_term_at(x, sum, i);
        number = t.count == 0 ? t.scale : number;
        divisor = t.count == 0 ? divisor : divisor_of(divisor, t.scale);
    }
    gali_extent_range(x, sum, &least, &most);
    return least > 0 || most < 0 || (divisor > 1 && number % divisor != 0);
}

/* Of sizes that can be found the last one is: those that a file names first stay. A number before an expression. */
static gal_status solve(propagation *p, const gali_demand *demand) {
    gali_extents *x = p->graph->extents;
    gali_extent sum = gali_extent_sub(x, demand->a, demand->b), best = GALI_EXTENT_UNKNOWN;
    uint32_t best_symbol = 0, symbol = 0;
    if (!is_of_given(p, sum)) {
        return GAL_OK;
    }
    for (uint32_t i = 0; i < gali_extent_term_count(x, sum); i++) {
        gali_extent by = solved_for(x, sum, i, &symbol);
        int known = by != GALI_EXTENT_UNKNOWN && by != GALI_EXTENT_BAD;
        if (known && (best == GALI_EXTENT_UNKNOWN || symbol > best_symbol)) {
            best = by;
            best_symbol = symbol;
        }
    }
    if (is_never_zero(x, sum)) {
        gali_text a = {0};
        gali_extent_print(x, demand->a, &a);
        gali_text_add(&a, " and ");
        gali_extent_print(x, demand->b, &a);
        gal_status status = gali_fail(p->error, GAL_BAD_DATA, "%s: extents %.150s are never the same",
                                      gali_node_place(p->graph, p->node), a.bytes ? a.bytes : "");
        gali_text_release(&a);
        return status;
    }
    return best == GALI_EXTENT_UNKNOWN ? GAL_OK : found(p, best_symbol, best);
}

/* ---- ranks ---- */

/* The value that has the same rank: through operators of one operand that is worked on number by number. */
static uint32_t source_of(const gali_graph *graph, uint32_t value) {
    for (;;) {
        uint32_t maker = graph->values[value].node;
        const gali_node *node = maker == GALI_NONE ? NULL : &graph->nodes[maker];
        int same = node && node->operand_count == 1 && node->result_count == 1 &&
                   gali_op_list[node->op].mapping == GALI_ONE_TO_ONE;
        if (!same) {
            return value;
        }
        value = node->operands[0];
    }
}

/* An input of that rank has a size of its own along each axis. */
static void give_rank(propagation *p, const gali_demand *demand) {
    gali_graph *graph = p->graph;
    uint32_t value = source_of(graph, p->node->operands[demand->operand]);
    gali_type *type = &graph->values[value].type;
    int input = 0;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        input |= graph->inputs[i] == value;
    }
    if (!input || type->rank >= 0 || demand->a > GALI_RANK_MAX) {
        return;
    }
    type->rank = (int)demand->a;
    for (int d = 0; d < type->rank; d++) {
        type->shape[d] = gali_extent_fresh(graph->extents, "size", 0, GALI_EXTENT_LARGEST);
    }
    p->changed = 1;
}

/* ---- the fixed point ---- */

int64_t *gali_graph_given(const gali_graph *graph, gali_arena *arena) {
    uint32_t count = gali_extent_symbols(graph->extents);
    int64_t *given = gali_arena_take(arena, (count + 1) * sizeof *given);
    for (uint32_t s = 0; given && s < count; s++) {
        given[s] = GALI_EXTENT_UNKNOWN;
    }
    for (uint32_t i = 0; given && i < graph->input_count; i++) {
        const gali_type *type = &graph->values[graph->inputs[i]].type;
        for (int d = 0; d < type->rank; d++) {
            int symbol = gali_extent_as_symbol(graph->extents, type->shape[d]);
            if (symbol >= 0) {
                given[symbol] = 1;
            }
        }
    }
    return given;
}

/* What can be found of the inputs by demands of the graph's own nodes. */
static gal_status go_back(propagation *p) {
    gali_graph *graph = p->graph;
    gali_arena arena = {0};
    gal_status status = GAL_OK;
    p->given = gali_graph_given(graph, &arena);
    if (!p->given) {
        return gali_fail(p->error, GAL_NO_MEMORY, "no memory for shapes");
    }
    for (uint32_t i = 0; status == GAL_OK && i < graph->node_count; i++) {
        p->node = &graph->nodes[i];
        for (const gali_demand *d = p->node->demands; status == GAL_OK && d; d = d->next) {
            if (d->kind == GALI_DEMAND_SAME) {
                status = solve(p, d);
            } else if (d->kind == GALI_DEMAND_RANK) {
                give_rank(p, d);
            }
        }
    }
    gali_arena_release(&arena);
    return status;
}

gal_status gali_graph_propagate(gali_graph *graph, gal_error *error) {
    propagation p = {.graph = graph, .changed = 1, .error = error};
    gal_status status = GAL_OK;
    for (int round = 0; status == GAL_OK && p.changed && round < ROUNDS_MOST; round++) {
        p.changed = 0;
        status = gali_graph_infer(graph, error);
        status = status == GAL_OK && round + 1 < ROUNDS_MOST ? go_back(&p) : status;
    }
    return status;
}

/* ---- what is known ---- */

static gali_shape_known extent_is_known(const gali_extents *x, gali_extent extent, const int64_t *given) {
    return extent == GALI_EXTENT_UNKNOWN || extent == GALI_EXTENT_BAD   ? GALI_SHAPE_UNKNOWN
           : gali_extent_is_number(extent)                              ? GALI_SHAPE_NUMBERS
           : gali_extent_value(x, extent, given) == GALI_EXTENT_UNKNOWN ? GALI_SHAPE_TOLD
           : gali_extent_as_symbol(x, extent) >= 0                      ? GALI_SHAPE_SYMBOLS
                                                                        : GALI_SHAPE_EXPRESSIONS;
}

gali_shape_known gali_shape_is_known(const gali_extents *extents, const gali_type *type, const int64_t *given) {
    gali_shape_known known = type->rank < 0 ? GALI_SHAPE_UNKNOWN : GALI_SHAPE_NUMBERS;
    for (int d = 0; d < type->rank; d++) {
        gali_shape_known own = extent_is_known(extents, type->shape[d], given);
        known = own > known ? own : known;
    }
    return known;
}

int gali_demand_holds(gali_demand_kind kind, int64_t a, int64_t b) {
    return a == b || (kind == GALI_DEMAND_FITS && (a == 1 || b == 1)) || (kind == GALI_DEMAND_MOST && a < b);
}
