/* Extents as indices of loops, and what is known of variables, for proving that an index stays inside. */
#include <stdio.h>

#include "compiler/lower/lowering.h"
#include "graph/interval.h"

/* ---- bounds ---- */

gali_lower_bounds *gali_lower_bounds_of(gali_lowering *l, const gali_loop_variable *variable) {
    for (uint32_t i = 0; i < l->bound_count; i++) {
        if (l->bound[i].variable == variable) {
            return &l->bound[i];
        }
    }
    return NULL;
}

void gali_lower_set_bounds(gali_lowering *l, const gali_loop_variable *variable, int64_t least, int64_t most,
                           const gali_loop_index *below) {
    if (variable && l->bound_count < GALI_LOOP_VARIABLES_MAX) {
        l->bound[l->bound_count++] =
            (gali_lower_bounds){variable, least, most, below ? *below : (gali_loop_index){.constant = 0}};
    }
}

static gali_interval range_of(gali_lowering *l, const gali_loop_index *index) {
    gali_interval whole = gali_interval_number(index->constant);
    for (uint32_t i = 0; i < index->count; i++) {
        const gali_lower_bounds *b = gali_lower_bounds_of(l, index->term[i].variable);
        gali_interval value = {b ? b->least : -GALI_INTERVAL_LARGEST, b ? b->most : GALI_INTERVAL_LARGEST};
        whole = gali_interval_add(whole, gali_interval_mul(gali_interval_number(index->term[i].scale), value));
    }
    return whole;
}

void gali_lower_range(gali_lowering *l, const gali_loop_index *index, int64_t *least, int64_t *most) {
    gali_interval range = range_of(l, index);
    *least = range.least;
    *most = range.most;
}

/* Takes scale times an axis that is a sum of variables out of an index, if it is in it whole; the scale, or 0. */
static int64_t take_known(const gali_loop_index *axis, gali_loop_index *index) {
    const gali_loop_term *first = axis->count ? &axis->term[0] : NULL;
    int64_t own = first ? gali_loop_index_scale(index, first->variable) : 0;
    gali_loop_index rest = *index;
    if (!own || own % first->scale != 0 || own / first->scale < 0 ||
        !gali_loop_index_add(&rest, axis, -(own / first->scale))) {
        return 0;
    }
    for (uint32_t i = 0; i < axis->count; i++) {
        if (gali_loop_index_uses(&rest, axis->term[i].variable)) {
            return 0;
        }
    }
    *index = rest;
    return own / first->scale;
}

/* The index with each variable that has an affine bound at its largest (or, of a negative scale, 0). */
static gali_loop_index at_most(gali_lowering *l, const gali_loop_index *whole, int *good) {
    gali_loop_index rest = *whole, most = gali_loop_number(0);
    const gali_loop_index *index = &rest;
    for (uint32_t i = 0; i < l->known_count; i++) {
        gali_loop_index last = l->known[i].below;
        int64_t scale = take_known(&l->axis[l->known[i].axis], &rest);
        last.constant--;
        *good &= !scale || gali_loop_index_add(&most, &last, scale);
    }
    most.constant += index->constant;
    for (uint32_t i = 0; i < index->count; i++) {
        const gali_loop_term *term = &index->term[i];
        const gali_lower_bounds *b = gali_lower_bounds_of(l, term->variable);
        int affine = b && (b->below.count || b->below.constant);
        gali_loop_index own = gali_loop_of(term->variable);
        if (affine && term->scale > 0) {
            own = b->below;
            own.constant--;
        } else if (affine) {
            own = gali_loop_number(0);
        }
        *good &= gali_loop_index_add(&most, &own, term->scale);
    }
    return most;
}

/* The let of a size that is a quotient by a number; NULL: it is none. */
static const gali_loop_statement *quotient_of(const gali_lowering *l, const gali_loop_variable *variable) {
    const gali_loop_statement *s = l->f->sizes;
    while (s && s->variable != variable) {
        s = s->next;
    }
    return s && s->let == GALI_LOOP_QUOTIENT && !s->operand[1].count && s->operand[1].constant > 0 ? s : NULL;
}

/* A multiple of an index with what is divided in place of its quotients: n (a / n) is from a - (n - 1) to a. */
static gali_loop_index without_quotients(const gali_lowering *l, const gali_loop_index *index) {
    enum { SCALE_MOST = 1 << 12 };
    int64_t scale = 1;
    for (uint32_t i = 0; i < index->count; i++) {
        const gali_loop_statement *s = quotient_of(l, index->term[i].variable);
        int64_t by = s ? s->operand[1].constant : 1;
        scale *= scale % by && scale <= SCALE_MOST && by <= SCALE_MOST ? by : 1;
    }
    gali_loop_index least = gali_loop_number(0);
    int good = gali_loop_index_add(&least, index, scale);
    for (uint32_t i = 0; good && i < index->count; i++) {
        const gali_loop_statement *s = quotient_of(l, index->term[i].variable);
        int64_t by = s ? s->operand[1].constant : 1, times = scale * index->term[i].scale;
        gali_loop_index own = gali_loop_of(index->term[i].variable), next = least;
        if (s && times % by == 0 && gali_loop_index_add(&next, &own, -times) &&
            gali_loop_index_add(&next, &s->operand[0], times / by)) {
            least = next;
            least.constant -= times > 0 ? times / by * (by - 1) : 0;
        }
    }
    return good ? least : *index;
}

int gali_lower_is_inside(gali_lowering *l, const gali_loop_index *index, const gali_loop_index *extent) {
    int64_t least, most, room_least, room_most;
    gali_lower_range(l, index, &least, &most);
    int64_t extent_least, extent_most;
    gali_lower_range(l, extent, &extent_least, &extent_most);
    if (least < 0) {
        return 0;
    }
    if (most < extent_least) {
        return 1;
    }
    int good = 1;
    gali_loop_index room = *extent, largest = at_most(l, index, &good);
    good = good && gali_loop_index_add(&room, &largest, -1);
    gali_lower_range(l, &room, &room_least, &room_most);
    if (good && room_least <= 0) {
        room = without_quotients(l, &room);
        gali_lower_range(l, &room, &room_least, &room_most);
    }
    return good && room_least > 0;
}

void gali_lower_set_known(gali_lowering *l, uint32_t axis, gali_loop_index at, const gali_loop_index *below) {
    uint32_t i = 0;
    while (i < l->known_count && l->known[i].axis != axis) {
        i++;
    }
    l->axis[axis] = at;
    if (i < sizeof l->known / sizeof *l->known) {
        l->known[i].axis = axis;
        l->known[i].below = *below;
        l->known_count = i == l->known_count ? i + 1 : l->known_count;
    }
}

gali_loop_index gali_lower_rounds(gali_lowering *l, const gali_loop_index *length, uint32_t by) {
    int64_t least, most;
    if (!length->count) {
        return gali_loop_number((length->constant + by - 1) / by);
    }
    gali_lower_range(l, length, &least, &most);
    return gali_lower_let(l, GALI_LOOP_ROUNDS, *length, gali_loop_number(by), (least + by - 1) / by,
                          (most + by - 1) / by, NULL);
}

/* ---- extents ---- */

static gali_loop_index size_by(gali_lowering *l, gali_loop_let let, gali_loop_index a, gali_loop_index b,
                               gali_interval range) {
    char name[GALI_LOOP_NAME_MAX];
    for (const gali_loop_statement *s = l->f->sizes; s; s = s->next) { /* what is there already */
        if (s->let == let && gali_loop_index_same(&s->operand[0], &a) &&
            gali_loop_index_same(&s->operand[1], &b)) {
            return gali_loop_of(s->variable);
        }
    }
    gali_lower_name(l, "size", name);
    const gali_loop_variable *size = gali_loop_add_size(l->f, name, let, &a, &b);
    if (!size) {
        gali_lower_fail(l, "too many sizes");
        return gali_loop_number(1);
    }
    gali_lower_set_bounds(l, size, range.least < 0 ? 0 : range.least, range.most, NULL);
    return gali_loop_of(size);
}

/*
 * A quotient, which is at least -lent. A dividend below 0 is lent so many divisors, which come off again; of sizes that leave
 * nothing even so, nothing is left.
 */
static gali_loop_index quotient_index(gali_lowering *l, gali_loop_index a, gali_loop_index b, int64_t lent) {
    gali_interval a_range = range_of(l, &a);
    gali_interval b_range = gali_interval_larger(range_of(l, &b), gali_interval_number(1));
    lent = a_range.least >= 0 ? 0 : lent < -a_range.least ? lent : -a_range.least;
    if (lent && !gali_loop_index_add(&a, &b, lent)) {
        gali_lower_fail(l, "a size past the limits of loops");
    }
    a_range = range_of(l, &a);
    if (a_range.least < 0) {
        a_range = gali_interval_larger(a_range, gali_interval_number(0));
        a = size_by(l, GALI_LOOP_MOST, a, gali_loop_number(0), a_range);
    }
    gali_loop_index size = size_by(l, GALI_LOOP_QUOTIENT, a, b, gali_interval_quotient(a_range, b_range));
    size.constant -= lent;
    return size;
}

/* lent: so far below 0 a quotient may be. */
static gali_loop_index atom_index(gali_lowering *l, uint32_t atom, int64_t lent) {
    gali_extents *x = l->p->graph->extents;
    uint32_t symbol;
    gali_extent operand[2];
    gali_extent_kind kind = gali_extent_atom(x, atom, &symbol, operand);
    if (kind == GALI_EXTENT_SYMBOL) {
        for (uint32_t i = 0; i < l->f->symbols; i++) {
            if (l->out->symbols[i] == symbol) {
                return gali_loop_of(l->symbol[i]);
            }
        }
        gali_lower_fail(l, "a size that no input tells");
        return gali_loop_number(1);
    }
    gali_loop_index a = gali_lower_extent(l, operand[0]), b = gali_lower_extent(l, operand[1]);
    gali_interval a_range = range_of(l, &a), b_range = range_of(l, &b);
    switch (kind) {
    case GALI_EXTENT_QUOTIENT:
        return quotient_index(l, a, b, lent);
    case GALI_EXTENT_LEAST:
        return size_by(l, GALI_LOOP_LEAST, a, b, gali_interval_smaller(a_range, b_range));
    default:
        return size_by(l, GALI_LOOP_MOST, a, b, gali_interval_larger(a_range, b_range));
    }
}

/* Whether a term is a quotient that may be below 0. */
static int may_be_below(const gali_extents *x, const gali_extent_term *term) {
    uint32_t symbol;
    gali_extent operand[2];
    int64_t least = 0, most;
    if (term->count == 1 && gali_extent_atom(x, term->atoms[0], &symbol, operand) == GALI_EXTENT_QUOTIENT) {
        gali_extent_range(x, operand[0], &least, &most);
    }
    return least < 0;
}

/*
 * An extent as constant + sum of scale * variable, of symbols and sizes. The number of a sum, which stands first, is what a
 * quotient may be below 0: quotient(m - n, 2) + 1 is 0 for n = m + 1.
 */
gali_loop_index gali_lower_extent(gali_lowering *l, gali_extent extent) {
    gali_extents *x = l->p->graph->extents;
    for (uint32_t i = 0; i < l->size_count; i++) {
        if (l->sizes[i].extent == extent) {
            return l->sizes[i].index;
        }
    }
    gali_loop_index sum = gali_loop_number(0);
    uint32_t terms = gali_extent_term_count(x, extent);
    int good = extent == 0 || terms > 0;
    int64_t number = 0;
    for (uint32_t i = 0; good && i < terms; i++) {
        gali_extent_term term = gali_extent_term_at(x, extent, i);
        number = term.count == 0 && term.scale > 0 ? term.scale : number;
        int64_t lent = term.scale > 0 && may_be_below(x, &term) ? number / term.scale : 0;
        number -= lent * term.scale;
        gali_loop_index product = term.count ? atom_index(l, term.atoms[0], lent) : gali_loop_number(1);
        for (uint32_t k = 1; k < term.count; k++) {
            gali_loop_index factor = atom_index(l, term.atoms[k], 0);
            product = size_by(l, GALI_LOOP_PRODUCT, product, factor,
                              gali_interval_mul(range_of(l, &product), range_of(l, &factor)));
        }
        if (sum.count == GALI_LOOP_TERMS_MAX - 2) { /* a sum of many sizes has a name of its own */
            sum = size_by(l, GALI_LOOP_SUM, sum, gali_loop_number(0), range_of(l, &sum));
        }
        good = gali_loop_index_add(&sum, &product, term.scale);
    }
    if (!good) {
        gali_lower_fail(l, "a size past the limits of loops");
    }
    if (l->size_count < GALI_LOOP_VARIABLES_MAX) {
        l->sizes[l->size_count].extent = extent;
        l->sizes[l->size_count++].index = sum;
    }
    return sum;
}

/* ---- symbols ---- */

void gali_lower_add_symbols(gali_lowering *l, gali_extent extent, uint32_t depth) {
    gali_extents *x = l->p->graph->extents;
    for (uint32_t i = 0; depth && i < gali_extent_term_count(x, extent); i++) {
        gali_extent_term term = gali_extent_term_at(x, extent, i);
        for (uint32_t k = 0; k < term.count; k++) {
            uint32_t symbol, at = 0;
            gali_extent operand[2];
            if (gali_extent_atom(x, term.atoms[k], &symbol, operand) != GALI_EXTENT_SYMBOL) {
                gali_lower_add_symbols(l, operand[0], depth - 1);
                gali_lower_add_symbols(l, operand[1], depth - 1);
                continue;
            }
            while (at < l->f->symbols && l->out->symbols[at] != symbol) {
                at++;
            }
            if (at < l->f->symbols) {
                continue;
            }
            char name[GALI_LOOP_NAME_MAX];
            snprintf(name, sizeof name, "size_%u", symbol);
            gali_loop_variable *variable =
                at < GALI_LOWER_SYMBOLS_MAX ? gali_loop_add_variable(l->f, name) : NULL;
            if (!variable) {
                gali_lower_fail(l, "too many sizes");
                return;
            }
            variable->least = (uint32_t)l->p->least[symbol];
            variable->most = (uint32_t)l->p->most[symbol];
            l->symbol[at] = variable;
            l->out->symbols[at] = symbol;
            l->f->symbols++;
            gali_lower_set_bounds(l, variable, variable->least, variable->most, NULL);
        }
    }
}
