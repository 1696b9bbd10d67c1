/*
 * An expression is a sum of terms, a term a coefficient times a product of atoms. Terms and atoms are kept in order, and
 * each expression and each atom stands in its table once, found through a hash: the same sum is the same handle.
 */
#include "graph/extent.h"

#include <string.h>

enum {
    TERMS_MAX = 12,
    ATOMS_MAX = GALI_EXTENT_ATOMS_MAX,
    TABLE_MAX = 50000, /* expressions, atoms */
    BUCKETS = 4096,
    WEIGHT_MAX = 4096, /* of an atom: past it nothing is known */
};
#define FIRST ((gali_extent)1 << 61)

typedef struct atom {
    gali_extent_kind kind;
    const char *name;       /* GALI_EXTENT_SYMBOL */
    int64_t least, most;    /* its range */
    uint32_t weight;        /* atoms in it, itself counted: what evaluating it costs */
    uint32_t symbol;        /* GALI_EXTENT_SYMBOL: its number */
    gali_extent operand[2]; /* the others */
} atom;

typedef gali_extent_term term; /* atoms ascending */

typedef struct sum {
    uint32_t count;
    term terms[TERMS_MAX]; /* ascending by their atoms; the number, if any, first */
    uint32_t next;         /* in its bucket, counted from 1 */
} sum;

struct gali_extents {
    gali_arena *arena;
    const sum **sums;
    const atom **atoms;
    uint32_t sum_count, sum_capacity, atom_count, atom_capacity, symbol_count, fresh;
    gali_extent *bounds; /* [bound_count] of symbols; UNKNOWN past them */
    uint32_t bound_count;
    uint32_t buckets[BUCKETS]; /* the last sum of that hash, counted from 1 */
};

gali_extents *gali_extents_make(gali_arena *arena) {
    gali_extents *extents = gali_arena_take(arena, sizeof *extents);
    if (extents) {
        extents->arena = arena;
    }
    return extents;
}

int gali_extent_is_number(gali_extent a) {
    return a >= -GALI_EXTENT_LARGEST && a <= GALI_EXTENT_LARGEST;
}

static int is_handle(gali_extent a) {
    return a >= FIRST;
}

/* A list of pointers with room for one more; NULL without memory or past TABLE_MAX. */
static void *room(gali_arena *arena, void *list, uint32_t count, uint32_t *capacity) {
    if (count < *capacity) {
        return list;
    }
    uint32_t more = *capacity ? 2 * *capacity : 64;
    void **copy = more <= 2 * TABLE_MAX ? gali_arena_take(arena, more * sizeof *copy) : NULL;
    if (copy && count) {
        memcpy(copy, list, count * sizeof *copy);
    }
    *capacity = copy ? more : *capacity;
    return copy;
}

/* ---- sums ---- */

static int order(const term *a, const term *b) {
    for (uint32_t i = 0; i < a->count && i < b->count; i++) {
        if (a->atoms[i] != b->atoms[i]) {
            return a->atoms[i] < b->atoms[i] ? -1 : 1;
        }
    }
    return (a->count > b->count) - (a->count < b->count);
}

static uint32_t hash_of(const sum *s) {
    uint64_t hash = 1469598103934665603u;
    for (uint32_t i = 0; i < s->count; i++) {
        hash = (hash ^ (uint64_t)s->terms[i].scale) * 1099511628211u;
        for (uint32_t j = 0; j < s->terms[i].count; j++) {
            hash = (hash ^ s->terms[i].atoms[j]) * 1099511628211u;
        }
    }
    return (uint32_t)(hash >> 32) % BUCKETS;
}

static int same(const sum *a, const sum *b) {
    int equal = a->count == b->count;
    for (uint32_t i = 0; equal && i < a->count; i++) {
        equal = a->terms[i].scale == b->terms[i].scale && order(&a->terms[i], &b->terms[i]) == 0;
    }
    return equal;
}

/* The handle of a sum whose terms are in order, none 0. */
static gali_extent keep(gali_extents *x, const sum *s) {
    if (s->count == 0) {
        return 0;
    }
    if (s->count == 1 && s->terms[0].count == 0) {
        return s->terms[0].scale;
    }
    uint32_t hash = hash_of(s);
    for (uint32_t i = x->buckets[hash]; i; i = x->sums[i - 1]->next) {
        if (same(x->sums[i - 1], s)) {
            return FIRST + (i - 1);
        }
    }
    void *list = room(x->arena, (void *)x->sums, x->sum_count, &x->sum_capacity);
    sum *kept = list ? gali_arena_take(x->arena, sizeof *kept) : NULL;
    if (!kept) {
        return GALI_EXTENT_UNKNOWN;
    }
    *kept = *s;
    kept->next = x->buckets[hash];
    x->sums = list;
    x->sums[x->sum_count++] = kept;
    x->buckets[hash] = x->sum_count;
    return FIRST + (x->sum_count - 1);
}

static void open_sum(const gali_extents *x, gali_extent a, sum *s) {
    if (is_handle(a)) {
        *s = *x->sums[a - FIRST];
    } else {
        *s = (sum){.count = a != 0, .terms = {{.scale = a}}};
    }
}

static int past(int64_t a) {
    return a > GALI_EXTENT_LARGEST || a < -GALI_EXTENT_LARGEST;
}

/* a b or a + b of numbers within the largest; *bad is set past it. */
static int64_t times(int64_t a, int64_t b, int *bad) {
    int64_t most = b == 0 ? 0 : GALI_EXTENT_LARGEST / (b < 0 ? -b : b);
    if (b != 0 && (a > most || a < -most)) {
        *bad = 1;
        return 0;
    }
    return a * b;
}

/* Adds a term in its place. 0 where there are too many, or a number is too large (*bad). */
static int add_term(sum *s, const term *t, int *bad) {
    uint32_t at = 0;
    while (at < s->count && order(&s->terms[at], t) < 0) {
        at++;
    }
    if (at < s->count && order(&s->terms[at], t) == 0) {
        s->terms[at].scale += t->scale; /* both within 2^60 */
        *bad |= past(s->terms[at].scale);
        if (s->terms[at].scale == 0) {
            memmove(&s->terms[at], &s->terms[at + 1], (s->count - at - 1) * sizeof *s->terms);
            s->count--;
        }
        return !*bad;
    }
    if (s->count == TERMS_MAX) {
        return 0;
    }
    memmove(&s->terms[at + 1], &s->terms[at], (s->count - at) * sizeof *s->terms);
    s->terms[at] = *t;
    s->count++;
    return 1;
}

/* What sticks: BAD before UNKNOWN; 0 if neither is either. */
static gali_extent sticks(gali_extent a, gali_extent b) {
    if (a == GALI_EXTENT_BAD || b == GALI_EXTENT_BAD) {
        return GALI_EXTENT_BAD;
    }
    return a == GALI_EXTENT_UNKNOWN || b == GALI_EXTENT_UNKNOWN ? GALI_EXTENT_UNKNOWN : 0;
}

gali_extent gali_extent_add(gali_extents *x, gali_extent a, gali_extent b) {
    if (sticks(a, b)) {
        return sticks(a, b);
    }
    if (!is_handle(a) && !is_handle(b)) {
        return past(a + b) ? GALI_EXTENT_BAD : a + b;
    }
    sum s, other;
    int bad = 0;
    open_sum(x, a, &s);
    open_sum(x, b, &other);
    for (uint32_t i = 0; i < other.count; i++) {
        if (!add_term(&s, &other.terms[i], &bad)) {
            return bad ? GALI_EXTENT_BAD : GALI_EXTENT_UNKNOWN;
        }
    }
    return keep(x, &s);
}

gali_extent gali_extent_sub(gali_extents *x, gali_extent a, gali_extent b) {
    return gali_extent_add(x, a, gali_extent_mul(x, b, -1));
}

static int multiply(const term *a, const term *b, term *out, int *bad) {
    *out = (term){.scale = times(a->scale, b->scale, bad), .count = a->count + b->count};
    if (out->count > ATOMS_MAX) {
        return 0;
    }
    for (uint32_t i = 0, j = 0; i + j < out->count;) {
        int first = j == b->count || (i < a->count && a->atoms[i] <= b->atoms[j]);
        out->atoms[i + j] = first ? a->atoms[i] : b->atoms[j];
        first ? i++ : j++;
    }
    return !*bad;
}

gali_extent gali_extent_mul(gali_extents *x, gali_extent a, gali_extent b) {
    if (sticks(a, b)) {
        return sticks(a, b);
    }
    sum left, right, product = {0};
    int bad = 0;
    open_sum(x, a, &left);
    open_sum(x, b, &right);
    for (uint32_t i = 0; i < left.count; i++) {
        for (uint32_t j = 0; j < right.count; j++) {
            term t;
            if (!multiply(&left.terms[i], &right.terms[j], &t, &bad) || !add_term(&product, &t, &bad)) {
                return bad ? GALI_EXTENT_BAD : GALI_EXTENT_UNKNOWN;
            }
        }
    }
    return keep(x, &product);
}

/* ---- atoms ---- */

static gali_extent of_atom(gali_extents *x, uint32_t atom_number) {
    sum s = {.count = 1, .terms = {{.scale = 1, .count = 1, .atoms = {atom_number}}}};
    return keep(x, &s);
}

static gali_extent keep_atom(gali_extents *x, const atom *a) {
    void *list = room(x->arena, (void *)x->atoms, x->atom_count, &x->atom_capacity);
    atom *kept = list ? gali_arena_take(x->arena, sizeof *kept) : NULL;
    if (!kept) {
        return GALI_EXTENT_UNKNOWN;
    }
    *kept = *a;
    x->atoms = list;
    x->atoms[x->atom_count++] = kept;
    return of_atom(x, x->atom_count - 1);
}

typedef struct range {
    int64_t least, most;
} range;

static range range_of(const gali_extents *x, gali_extent a);
static range operation_range(gali_extent_kind kind, range a, range b);

static uint32_t weight_of(const gali_extents *x, gali_extent a) {
    uint32_t weight = 0;
    for (uint32_t i = 0; is_handle(a) && i < x->sums[a - FIRST]->count; i++) {
        const term *t = &x->sums[a - FIRST]->terms[i];
        for (uint32_t j = 0; j < t->count; j++) {
            weight += x->atoms[t->atoms[j]]->weight;
        }
    }
    return weight;
}

static gali_extent operation(gali_extents *x, gali_extent_kind kind, gali_extent a, gali_extent b) {
    for (uint32_t i = 0; i < x->atom_count; i++) {
        const atom *known = x->atoms[i];
        if (known->kind == kind && known->operand[0] == a && known->operand[1] == b) {
            return of_atom(x, i);
        }
    }
    range r = operation_range(kind, range_of(x, a), range_of(x, b));
    uint32_t weight = 1 + weight_of(x, a) + weight_of(x, b);
    atom made = {.kind = kind, .operand = {a, b}, .least = r.least, .most = r.most, .weight = weight};
    return weight > WEIGHT_MAX ? GALI_EXTENT_UNKNOWN : keep_atom(x, &made);
}

gali_extent gali_extent_symbol(gali_extents *x, const char *name, int64_t least, int64_t most) {
    for (uint32_t i = 0; i < x->atom_count; i++) {
        if (x->atoms[i]->kind == GALI_EXTENT_SYMBOL && strcmp(x->atoms[i]->name, name) == 0) {
            return of_atom(x, i);
        }
    }
    const char *copy = gali_arena_copy(x->arena, name, strlen(name));
    atom symbol = {.kind = GALI_EXTENT_SYMBOL,
                   .name = copy,
                   .least = least,
                   .most = most,
                   .symbol = x->symbol_count,
                   .weight = 1};
    gali_extent made = copy ? keep_atom(x, &symbol) : GALI_EXTENT_UNKNOWN;
    x->symbol_count += made != GALI_EXTENT_UNKNOWN;
    return made;
}

gali_extent gali_extent_fresh(gali_extents *x, const char *stem, int64_t least, int64_t most) {
    gali_text name = {0};
    uint32_t before = x->symbol_count;
    gali_extent made = GALI_EXTENT_UNKNOWN;
    do { /* a name that the file has already is passed over */
        name.size = 0;
        gali_text_add(&name, "%.40s_%u", stem, ++x->fresh);
        made = name.failed ? GALI_EXTENT_UNKNOWN : gali_extent_symbol(x, name.bytes, least, most);
    } while (made != GALI_EXTENT_UNKNOWN && x->symbol_count == before);
    gali_text_release(&name);
    return made;
}

void gali_extent_set_range(gali_extents *x, gali_extent symbol, int64_t least, int64_t most) {
    atom *ranged = gali_extent_as_symbol(x, symbol) >= 0 ? gali_arena_take(x->arena, sizeof *ranged) : NULL;
    if (ranged) {
        const atom **at = &x->atoms[x->sums[symbol - FIRST]->terms[0].atoms[0]];
        *ranged = **at;
        ranged->least = least;
        ranged->most = most;
        *at = ranged;
    }
}

void gali_extent_set_bound(gali_extents *x, uint32_t symbol, gali_extent bound) {
    if (symbol >= x->bound_count) {
        uint32_t count = 2 * symbol + 8;
        gali_extent *bounds = gali_arena_take(x->arena, count * sizeof *bounds);
        for (uint32_t i = 0; bounds && i < count; i++) {
            bounds[i] = gali_extent_bound(x, i);
        }
        x->bounds = bounds ? bounds : x->bounds;
        x->bound_count = bounds ? count : x->bound_count;
    }
    if (symbol < x->bound_count) {
        x->bounds[symbol] = bound;
    }
}

gali_extent gali_extent_bound(const gali_extents *x, uint32_t symbol) {
    return symbol < x->bound_count ? x->bounds[symbol] : GALI_EXTENT_UNKNOWN;
}

uint32_t gali_extent_symbols(const gali_extents *x) {
    return x->symbol_count;
}

static const atom *symbol_atom(const gali_extents *x, uint32_t symbol) {
    for (uint32_t i = 0; i < x->atom_count; i++) {
        if (x->atoms[i]->kind == GALI_EXTENT_SYMBOL && x->atoms[i]->symbol == symbol) {
            return x->atoms[i];
        }
    }
    return NULL;
}

const char *gali_extent_symbol_name(const gali_extents *x, uint32_t symbol) {
    const atom *a = symbol_atom(x, symbol);
    return a ? a->name : NULL;
}

gali_extent gali_extent_of_symbol(gali_extents *x, uint32_t symbol) {
    for (uint32_t i = 0; i < x->atom_count; i++) {
        if (x->atoms[i]->kind == GALI_EXTENT_SYMBOL && x->atoms[i]->symbol == symbol) {
            return keep(x, &(sum){.count = 1, .terms = {{.scale = 1, .count = 1, .atoms = {i}}}});
        }
    }
    return GALI_EXTENT_UNKNOWN;
}

int gali_extent_as_symbol(const gali_extents *x, gali_extent a) {
    const sum *s = is_handle(a) ? x->sums[a - FIRST] : NULL;
    if (!s || s->count != 1 || s->terms[0].count != 1 || s->terms[0].scale != 1) {
        return -1;
    }
    const atom *only = x->atoms[s->terms[0].atoms[0]];
    return only->kind == GALI_EXTENT_SYMBOL ? (int)only->symbol : -1;
}

/* ---- quotient, least, most ---- */

static int64_t floor_quotient(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* t / d where d's atoms are all among t's and the scale divides; 0 if not. */
static int divide_term(const term *t, const term *d, term *out) {
    if (t->scale % d->scale != 0) {
        return 0;
    }
    *out = (term){.scale = t->scale / d->scale};
    uint32_t j = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        if (j < d->count && t->atoms[i] == d->atoms[j]) {
            j++;
        } else {
            out->atoms[out->count++] = t->atoms[i];
        }
    }
    return j == d->count;
}

gali_extent gali_extent_quotient(gali_extents *x, gali_extent a, gali_extent b) {
    if (sticks(a, b)) {
        return sticks(a, b);
    }
    if (b == 0) {
        return GALI_EXTENT_BAD;
    }
    if (!is_handle(a) && !is_handle(b)) {
        return floor_quotient(a, b);
    }
    sum s, d, whole = {0}, rest = {0};
    int bad = 0;
    open_sum(x, a, &s);
    open_sum(x, b, &d);
    for (uint32_t i = 0; i < s.count; i++) { /* what divides comes out: (4 a + n) / 4 is a + n / 4 */
        term t;
        int divides = d.count == 1 && divide_term(&s.terms[i], &d.terms[0], &t);
        add_term(divides ? &whole : &rest, divides ? &t : &s.terms[i], &bad);
    }
    if (same(&s, &d)) {
        return 1;
    }
    if (rest.count == 0) {
        return keep(x, &whole);
    }
    gali_extent left = keep(x, &rest);
    int64_t least, most;
    gali_extent_range(x, left, &least, &most);
    if (least < 0 && most <= 0 && gali_extent_is_number(b) && b > 0) { /* -(-n / 2) is (n + 1) / 2 */
        gali_extent up = gali_extent_quotient(x, gali_extent_sub(x, b - 1, left), b);
        return gali_extent_sub(x, keep(x, &whole), up);
    }
    gali_extent part = gali_extent_is_number(left) && gali_extent_is_number(b)
                           ? floor_quotient(left, b)
                           : operation(x, GALI_EXTENT_QUOTIENT, left, b);
    return gali_extent_add(x, keep(x, &whole), part);
}

/* The one that is never above the other, if ranges say so. */
static int ordered(gali_extents *x, gali_extent a, gali_extent b) {
    if (!is_handle(a) && !is_handle(b)) {
        return a <= b ? 1 : -1; /* their difference may be past 2^60 */
    }
    int64_t least, most;
    gali_extent_range(x, gali_extent_sub(x, b, a), &least, &most);
    return least >= 0 ? 1 : most <= 0 ? -1 : 0;
}

/* The one atom of that kind that an extent is; NULL: it is something else. */
static const atom *only_atom(const gali_extents *x, gali_extent a, gali_extent_kind kind) {
    const sum *s = is_handle(a) ? x->sums[a - FIRST] : NULL;
    if (!s || s->count != 1 || s->terms[0].count != 1 || s->terms[0].scale != 1) {
        return NULL;
    }
    const atom *only = x->atoms[s->terms[0].atoms[0]];
    return only->kind == kind ? only : NULL;
}

/* Whether b is the smaller (LEAST) or larger (MOST) of a and something: then a is the larger, or smaller, of the two. */
static int absorbs(const gali_extents *x, gali_extent a, gali_extent b, gali_extent_kind kind) {
    const atom *only = only_atom(x, b, kind);
    return only && (only->operand[0] == a || only->operand[1] == a);
}

enum { NESTED = 6 }; /* of max in max, that is looked through */

/* Whether a adds nothing to b, the smallest (LEAST) or largest (MOST) of some: one of them is never above, or below, it. */
static int is_covered(gali_extents *x, gali_extent a, gali_extent b, gali_extent_kind kind, int depth) {
    const atom *only = only_atom(x, b, kind);
    if (only && depth > 0) {
        const gali_extent *of = only->operand;
        return is_covered(x, a, of[0], kind, depth - 1) || is_covered(x, a, of[1], kind, depth - 1);
    }
    return a == b || ordered(x, a, b) == (kind == GALI_EXTENT_MOST ? 1 : -1);
}

gali_extent gali_extent_least(gali_extents *x, gali_extent a, gali_extent b) {
    if (sticks(a, b)) {
        return sticks(a, b);
    }
    int known = absorbs(x, a, b, GALI_EXTENT_MOST) || is_covered(x, b, a, GALI_EXTENT_LEAST, NESTED)   ? 1
                : absorbs(x, b, a, GALI_EXTENT_MOST) || is_covered(x, a, b, GALI_EXTENT_LEAST, NESTED) ? -1
                                                                                                       : 0;
    return known ? (known > 0 ? a : b) : operation(x, GALI_EXTENT_LEAST, a < b ? a : b, a < b ? b : a);
}

gali_extent gali_extent_most(gali_extents *x, gali_extent a, gali_extent b) {
    if (sticks(a, b)) {
        return sticks(a, b);
    }
    int known = absorbs(x, b, a, GALI_EXTENT_LEAST) || is_covered(x, a, b, GALI_EXTENT_MOST, NESTED)   ? 1
                : absorbs(x, a, b, GALI_EXTENT_LEAST) || is_covered(x, b, a, GALI_EXTENT_MOST, NESTED) ? -1
                                                                                                       : 0;
    return known ? (known > 0 ? b : a) : operation(x, GALI_EXTENT_MOST, a < b ? a : b, a < b ? b : a);
}

/* ---- ranges and values ---- */

static int64_t saturated(double exact) {
    double most = (double)GALI_EXTENT_LARGEST;
    return exact >= most ? GALI_EXTENT_LARGEST : exact <= -most ? -GALI_EXTENT_LARGEST : (int64_t)exact;
}

static int64_t saturated_times(int64_t a, int64_t b) {
    int bad = 0;
    int64_t product = times(a, b, &bad);
    return bad ? saturated((double)a * (double)b) : product;
}

static range product_of(range a, range b) {
    int64_t ends[4] = {saturated_times(a.least, b.least), saturated_times(a.least, b.most),
                       saturated_times(a.most, b.least), saturated_times(a.most, b.most)};
    range r = {ends[0], ends[0]};
    for (int i = 1; i < 4; i++) {
        r.least = ends[i] < r.least ? ends[i] : r.least;
        r.most = ends[i] > r.most ? ends[i] : r.most;
    }
    return r;
}

static range sum_of(range a, range b) {
    return (range){saturated((double)a.least + (double)b.least) == a.least + b.least
                       ? a.least + b.least
                       : saturated((double)a.least + (double)b.least),
                   saturated((double)a.most + (double)b.most) == a.most + b.most
                       ? a.most + b.most
                       : saturated((double)a.most + (double)b.most)};
}

static range quotient_range(range a, range b) {
    if (b.least <= 0 && b.most >= 0) {
        return (range){-GALI_EXTENT_LARGEST, GALI_EXTENT_LARGEST};
    }
    int64_t ends[4] = {floor_quotient(a.least, b.least), floor_quotient(a.least, b.most),
                       floor_quotient(a.most, b.least), floor_quotient(a.most, b.most)};
    range r = {ends[0], ends[0]};
    for (int i = 1; i < 4; i++) {
        r.least = ends[i] < r.least ? ends[i] : r.least;
        r.most = ends[i] > r.most ? ends[i] : r.most;
    }
    return r;
}

static range operation_range(gali_extent_kind kind, range a, range b) {
    if (kind == GALI_EXTENT_QUOTIENT) {
        return quotient_range(a, b);
    }
    int least = kind == GALI_EXTENT_LEAST;
    return (range){(a.least < b.least) == least ? a.least : b.least,
                   (a.most < b.most) == least ? a.most : b.most};
}

static range range_of(const gali_extents *x, gali_extent a) {
    if (!is_handle(a)) {
        return gali_extent_is_number(a) ? (range){a, a} : (range){-GALI_EXTENT_LARGEST, GALI_EXTENT_LARGEST};
    }
    const sum *s = x->sums[a - FIRST];
    range total = {0, 0};
    for (uint32_t i = 0; i < s->count; i++) {
        range product = {s->terms[i].scale, s->terms[i].scale};
        for (uint32_t j = 0; j < s->terms[i].count; j++) {
            const atom *factor = x->atoms[s->terms[i].atoms[j]];
            product = product_of(product, (range){factor->least, factor->most});
        }
        total = sum_of(total, product);
    }
    return total;
}

void gali_extent_range(const gali_extents *x, gali_extent a, int64_t *least, int64_t *most) {
    range r = range_of(x, a);
    *least = r.least;
    *most = r.most;
}

int gali_extent_has(const gali_extents *x, gali_extent a, uint32_t symbol) {
    const sum *s = is_handle(a) ? x->sums[a - FIRST] : NULL;
    for (uint32_t i = 0; s && i < s->count; i++) {
        for (uint32_t j = 0; j < s->terms[i].count; j++) {
            const atom *own = x->atoms[s->terms[i].atoms[j]];
            if (own->kind == GALI_EXTENT_SYMBOL ? own->symbol == symbol
                                                : gali_extent_has(x, own->operand[0], symbol) ||
                                                      gali_extent_has(x, own->operand[1], symbol)) {
                return 1;
            }
        }
    }
    return 0;
}

static int64_t atom_value(const gali_extents *x, const atom *a, const int64_t *symbols) {
    if (a->kind == GALI_EXTENT_SYMBOL) {
        return symbols[a->symbol];
    }
    int64_t left = gali_extent_value(x, a->operand[0], symbols),
            right = gali_extent_value(x, a->operand[1], symbols);
    if (sticks(left, right)) {
        return sticks(left, right);
    }
    switch (a->kind) {
    case GALI_EXTENT_QUOTIENT:
        return right == 0 ? GALI_EXTENT_BAD : floor_quotient(left, right);
    case GALI_EXTENT_LEAST:
        return left < right ? left : right;
    default:
        return left > right ? left : right;
    }
}

int64_t gali_extent_value(const gali_extents *x, gali_extent a, const int64_t *symbols) {
    if (!is_handle(a)) {
        return a;
    }
    const sum *s = x->sums[a - FIRST];
    int64_t total = 0;
    int bad = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        int64_t product = s->terms[i].scale;
        for (uint32_t j = 0; j < s->terms[i].count; j++) {
            int64_t value = atom_value(x, x->atoms[s->terms[i].atoms[j]], symbols);
            if (!gali_extent_is_number(value)) {
                return value;
            }
            product = times(product, value, &bad);
        }
        total += product;
        bad |= past(total);
        if (bad) {
            return GALI_EXTENT_BAD;
        }
    }
    return total;
}

/* ---- for printers of code ---- */

uint32_t gali_extent_term_count(const gali_extents *x, gali_extent a) {
    return is_handle(a) ? x->sums[a - FIRST]->count : a != 0 && gali_extent_is_number(a);
}

gali_extent_term gali_extent_term_at(const gali_extents *x, gali_extent a, uint32_t i) {
    return is_handle(a) ? x->sums[a - FIRST]->terms[i] : (term){.scale = a};
}

gali_extent_kind gali_extent_atom(const gali_extents *x, uint32_t number, uint32_t *symbol,
                                  gali_extent operand[2]) {
    const atom *a = x->atoms[number];
    *symbol = a->symbol;
    operand[0] = a->operand[0];
    operand[1] = a->operand[1];
    return a->kind;
}

void gali_extent_symbol_range(const gali_extents *x, uint32_t symbol, int64_t *least, int64_t *most) {
    const atom *a = symbol_atom(x, symbol);
    *least = a ? a->least : 0;
    *most = a ? a->most : 0;
}

/* ---- text ---- */

static void print_atom(const gali_extents *x, const atom *a, gali_text *text) {
    static const char *const words[] = {"", "quotient", "min", "max"};
    if (a->kind == GALI_EXTENT_SYMBOL) {
        gali_text_add(text, "%s", a->name);
        return;
    }
    gali_text_add(text, "%s(", words[a->kind]);
    gali_extent_print(x, a->operand[0], text);
    gali_text_add(text, ", ");
    gali_extent_print(x, a->operand[1], text);
    gali_text_add(text, ")");
}

static void print_term(const gali_extents *x, const term *t, int first, gali_text *text) {
    int64_t scale = t->scale < 0 ? -t->scale : t->scale;
    gali_text_add(text, "%s", t->scale < 0 ? (first ? "-" : " - ") : (first ? "" : " + "));
    if (scale != 1 || t->count == 0) {
        gali_text_add(text, "%lld", (long long)scale);
    }
    for (uint32_t i = 0; i < t->count; i++) {
        gali_text_add(text, "%s", i || scale != 1 ? "*" : "");
        print_atom(x, x->atoms[t->atoms[i]], text);
    }
}

void gali_extent_print(const gali_extents *x, gali_extent a, gali_text *text) {
    if (!is_handle(a)) {
        if (gali_extent_is_number(a)) {
            gali_text_add(text, "%lld", (long long)a);
        } else {
            gali_text_add(text, "%s", a == GALI_EXTENT_UNKNOWN ? "?" : "bad");
        }
        return;
    }
    const sum *s = x->sums[a - FIRST];
    int number = s->terms[0].count == 0; /* is printed last: batch + 2 */
    for (uint32_t i = (uint32_t)number; i < s->count; i++) {
        print_term(x, &s->terms[i], i == (uint32_t)number, text);
    }
    if (number) {
        print_term(x, &s->terms[0], 0, text);
    }
}

/* A hostile text nests no deeper than this. */
enum { PARSE_DEPTH = 32 };

static gali_extent parse_sum(gali_extents *x, const char **at, int depth);

static void skip(const char **at) {
    while (**at == ' ') {
        ++*at;
    }
}

static int eat(const char **at, char c) {
    skip(at);
    int found = **at == c;
    *at += found;
    return found;
}

static int is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static gali_extent parse_pair(gali_extents *x, const char **at, const char *word, int depth) {
    gali_extent a = parse_sum(x, at, depth), b = eat(at, ',') ? parse_sum(x, at, depth) : GALI_EXTENT_BAD;
    if (!eat(at, ')')) {
        return GALI_EXTENT_BAD;
    }
    return strcmp(word, "quotient") == 0 ? gali_extent_quotient(x, a, b)
           : strcmp(word, "min") == 0    ? gali_extent_least(x, a, b)
           : strcmp(word, "max") == 0    ? gali_extent_most(x, a, b)
                                         : GALI_EXTENT_BAD;
}

static gali_extent parse_atom(gali_extents *x, const char **at, int depth) {
    char word[64];
    size_t size = 0;
    skip(at);
    if (**at >= '0' && **at <= '9') {
        int64_t number = 0;
        for (; **at >= '0' && **at <= '9'; ++*at) {
            number = number > GALI_EXTENT_LARGEST / 10 ? GALI_EXTENT_LARGEST : 10 * number + (**at - '0');
        }
        return number >= GALI_EXTENT_LARGEST ? GALI_EXTENT_BAD : number;
    }
    for (; is_letter(**at) || (size && **at >= '0' && **at <= '9'); ++*at) {
        if (size + 1 == sizeof word) {
            return GALI_EXTENT_BAD;
        }
        word[size++] = **at;
    }
    word[size] = 0;
    if (size == 0) {
        return eat(at, '?') ? GALI_EXTENT_UNKNOWN : GALI_EXTENT_BAD;
    }
    return eat(at, '(') ? parse_pair(x, at, word, depth) : gali_extent_symbol(x, word, 0, GALI_EXTENT_LARGEST);
}

static gali_extent parse_sum(gali_extents *x, const char **at, int depth) {
    if (depth == PARSE_DEPTH) {
        return GALI_EXTENT_BAD;
    }
    gali_extent total = 0;
    int sign = eat(at, '-') ? -1 : 1;
    for (;;) {
        gali_extent product = parse_atom(x, at, depth + 1);
        while (product != GALI_EXTENT_BAD && eat(at, '*')) {
            product = gali_extent_mul(x, product, parse_atom(x, at, depth + 1));
        }
        total = gali_extent_add(x, total, gali_extent_mul(x, product, sign));
        if (total == GALI_EXTENT_BAD) {
            return total;
        }
        if (eat(at, '+')) {
            sign = 1;
        } else if (eat(at, '-')) {
            sign = -1;
        } else {
            return total;
        }
    }
}

gali_extent gali_extent_parse(gali_extents *x, const char **at) {
    return parse_sum(x, at, 0);
}
