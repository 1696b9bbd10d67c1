/*
 * An expression is a sum of terms, a term a coefficient times a product of atoms. Terms and atoms are kept in order, and
 * each expression and each atom stands in its table once, found through a hash: the same sum is the same handle.
 */
#include "graph/extent_table.h"

#include <string.h>

enum {
    TABLE_MAX = 50000, /* expressions, atoms */
    WEIGHT_MAX = 4096, /* of an atom: past it nothing is known */
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

gali_extent gali_extent_of(int64_t number) {
    return number > GALI_EXTENT_LARGEST    ? GALI_EXTENT_LARGEST
           : number < -GALI_EXTENT_LARGEST ? -GALI_EXTENT_LARGEST
                                           : number;
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

int gali_extent_term_order(const gali_extent_term *a, const gali_extent_term *b) {
    for (uint32_t i = 0; i < a->count && i < b->count; i++) {
        if (a->atoms[i] != b->atoms[i]) {
            return a->atoms[i] < b->atoms[i] ? -1 : 1;
        }
    }
    return (a->count > b->count) - (a->count < b->count);
}

#define HASH_START 1469598103934665603u

static uint64_t hash_with(uint64_t hash, uint64_t number) {
    return (hash ^ number) * 1099511628211u;
}

static uint32_t hash_of(const gali_extent_sum *s) {
    uint64_t hash = HASH_START;
    for (uint32_t i = 0; i < s->count; i++) {
        hash = hash_with(hash, (uint64_t)s->terms[i].scale);
        for (uint32_t j = 0; j < s->terms[i].count; j++) {
            hash = hash_with(hash, s->terms[i].atoms[j]);
        }
    }
    return (uint32_t)(hash >> 32) % GALI_EXTENT_BUCKETS;
}

static int same(const gali_extent_sum *a, const gali_extent_sum *b) {
    int equal = a->count == b->count;
    for (uint32_t i = 0; equal && i < a->count; i++) {
        equal =
            a->terms[i].scale == b->terms[i].scale && gali_extent_term_order(&a->terms[i], &b->terms[i]) == 0;
    }
    return equal;
}

/* The handle of a sum whose terms are in order, none 0. */
gali_extent gali_extent_keep(gali_extents *x, const gali_extent_sum *s) {
    if (s->count == 0) {
        return 0;
    }
    if (s->count == 1 && s->terms[0].count == 0) {
        return s->terms[0].scale;
    }
    uint32_t hash = hash_of(s);
    for (uint32_t i = x->buckets[hash]; i; i = x->sums[i - 1]->next) {
        if (same(x->sums[i - 1], s)) {
            return GALI_EXTENT_FIRST + (i - 1);
        }
    }
    void *list = room(x->arena, (void *)x->sums, x->sum_count, &x->sum_capacity);
    gali_extent_sum *kept = list ? gali_arena_take(x->arena, sizeof *kept) : NULL;
    if (!kept) {
        return GALI_EXTENT_UNKNOWN;
    }
    *kept = *s;
    kept->next = x->buckets[hash];
    x->sums = list;
    x->sums[x->sum_count++] = kept;
    x->buckets[hash] = x->sum_count;
    return GALI_EXTENT_FIRST + (x->sum_count - 1);
}

void gali_extent_open(const gali_extents *x, gali_extent a, gali_extent_sum *s) {
    if (gali_extent_is_handle(a)) {
        *s = *x->sums[a - GALI_EXTENT_FIRST];
    } else {
        *s = (gali_extent_sum){.count = a != 0, .terms = {{.scale = a}}};
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
int gali_extent_add_term(gali_extent_sum *s, const gali_extent_term *t, int *bad) {
    uint32_t at = 0;
    while (at < s->count && gali_extent_term_order(&s->terms[at], t) < 0) {
        at++;
    }
    if (at < s->count && gali_extent_term_order(&s->terms[at], t) == 0) {
        s->terms[at].scale += t->scale; /* both within 2^60 */
        *bad |= past(s->terms[at].scale);
        if (s->terms[at].scale == 0) {
            memmove(&s->terms[at], &s->terms[at + 1], (s->count - at - 1) * sizeof *s->terms);
            s->count--;
        }
        return !*bad;
    }
    if (s->count == GALI_EXTENT_TERMS_MAX) {
        return 0;
    }
    memmove(&s->terms[at + 1], &s->terms[at], (s->count - at) * sizeof *s->terms);
    s->terms[at] = *t;
    s->count++;
    return 1;
}

gali_extent gali_extent_sticks(gali_extent a, gali_extent b) {
    if (a == GALI_EXTENT_BAD || b == GALI_EXTENT_BAD) {
        return GALI_EXTENT_BAD;
    }
    return a == GALI_EXTENT_UNKNOWN || b == GALI_EXTENT_UNKNOWN ? GALI_EXTENT_UNKNOWN : 0;
}

gali_extent gali_extent_add(gali_extents *x, gali_extent a, gali_extent b) {
    if (gali_extent_sticks(a, b)) {
        return gali_extent_sticks(a, b);
    }
    if (!gali_extent_is_handle(a) && !gali_extent_is_handle(b)) {
        return past(a + b) ? GALI_EXTENT_BAD : a + b;
    }
    gali_extent_sum s, other;
    int bad = 0;
    gali_extent_open(x, a, &s);
    gali_extent_open(x, b, &other);
    for (uint32_t i = 0; i < other.count; i++) {
        if (!gali_extent_add_term(&s, &other.terms[i], &bad)) {
            return bad ? GALI_EXTENT_BAD : GALI_EXTENT_UNKNOWN;
        }
    }
    return gali_extent_keep(x, &s);
}

gali_extent gali_extent_sub(gali_extents *x, gali_extent a, gali_extent b) {
    return gali_extent_add(x, a, gali_extent_mul(x, b, -1));
}

static int multiply(const gali_extent_term *a, const gali_extent_term *b, gali_extent_term *out, int *bad) {
    *out = (gali_extent_term){.scale = times(a->scale, b->scale, bad), .count = a->count + b->count};
    if (out->count > GALI_EXTENT_ATOMS_MAX) {
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
    if (gali_extent_sticks(a, b)) {
        return gali_extent_sticks(a, b);
    }
    gali_extent_sum left, right, product = {0};
    int bad = 0;
    gali_extent_open(x, a, &left);
    gali_extent_open(x, b, &right);
    for (uint32_t i = 0; i < left.count; i++) {
        for (uint32_t j = 0; j < right.count; j++) {
            gali_extent_term t;
            if (!multiply(&left.terms[i], &right.terms[j], &t, &bad) ||
                !gali_extent_add_term(&product, &t, &bad)) {
                return bad ? GALI_EXTENT_BAD : GALI_EXTENT_UNKNOWN;
            }
        }
    }
    return gali_extent_keep(x, &product);
}

/* ---- atoms ---- */

static gali_extent of_atom(gali_extents *x, uint32_t number) {
    return gali_extent_keep(
        x, &(gali_extent_sum){.count = 1, .terms = {{.scale = 1, .count = 1, .atoms = {number}}}});
}

static uint32_t atom_hash(gali_extent_kind kind, const char *name, const gali_extent operand[2]) {
    uint64_t hash = hash_with(HASH_START, kind);
    for (size_t i = 0; name && name[i]; i++) {
        hash = hash_with(hash, (unsigned char)name[i]);
    }
    hash = operand ? hash_with(hash_with(hash, (uint64_t)operand[0]), (uint64_t)operand[1]) : hash;
    return (uint32_t)(hash >> 32) % GALI_EXTENT_BUCKETS;
}

/* The symbol of that name, or the operation on those two; NULL: there is none yet. */
static const gali_extent_entry *find_atom(const gali_extents *x, gali_extent_kind kind, const char *name,
                                          const gali_extent operand[2]) {
    for (uint32_t i = x->atom_buckets[atom_hash(kind, name, operand)]; i; i = x->atoms[i - 1]->next) {
        const gali_extent_entry *a = x->atoms[i - 1];
        if (a->kind == kind &&
            (name ? strcmp(a->name, name) == 0 : a->operand[0] == operand[0] && a->operand[1] == operand[1])) {
            return a;
        }
    }
    return NULL;
}

static gali_extent keep_atom(gali_extents *x, const gali_extent_entry *a) {
    void *list = room(x->arena, (void *)x->atoms, x->atom_count, &x->atom_capacity);
    void *symbols = room(x->arena, (void *)x->symbols, x->symbol_count, &x->symbol_capacity);
    gali_extent_entry *kept = list && symbols ? gali_arena_take(x->arena, sizeof *kept) : NULL;
    if (!kept) {
        return GALI_EXTENT_UNKNOWN;
    }
    uint32_t *bucket = &x->atom_buckets[atom_hash(a->kind, a->name, a->name ? NULL : a->operand)];
    *kept = *a;
    kept->number = x->atom_count;
    kept->next = *bucket;
    x->atoms = list;
    x->atoms[x->atom_count++] = kept;
    x->symbols = symbols;
    *bucket = x->atom_count;
    return of_atom(x, kept->number);
}

static gali_interval operation_range(gali_extent_kind kind, gali_interval a, gali_interval b);

static uint32_t weight_of(const gali_extents *x, gali_extent a) {
    uint32_t weight = 0;
    for (uint32_t i = 0; gali_extent_is_handle(a) && i < x->sums[a - GALI_EXTENT_FIRST]->count; i++) {
        const gali_extent_term *t = &x->sums[a - GALI_EXTENT_FIRST]->terms[i];
        for (uint32_t j = 0; j < t->count; j++) {
            weight += x->atoms[t->atoms[j]]->weight;
        }
    }
    return weight;
}

gali_extent gali_extent_operation(gali_extents *x, gali_extent_kind kind, gali_extent a, gali_extent b) {
    const gali_extent_entry *known = find_atom(x, kind, NULL, (const gali_extent[]){a, b});
    if (known) {
        return of_atom(x, known->number);
    }
    uint32_t weight = 1 + weight_of(x, a) + weight_of(x, b);
    gali_extent_entry made = {.kind = kind,
                              .operand = {a, b},
                              .range =
                                  operation_range(kind, gali_extent_interval(x, a), gali_extent_interval(x, b)),
                              .weight = weight};
    return weight > WEIGHT_MAX ? GALI_EXTENT_UNKNOWN : keep_atom(x, &made);
}

void gali_extent_ask(gali_extents *x, const char *name, int64_t most) {
    const char *copy = gali_arena_copy(x->arena, name, strlen(name));
    gali_extent_asked *made = copy ? gali_arena_take(x->arena, sizeof *made) : NULL;
    if (made) {
        *made = (gali_extent_asked){copy, most, x->asked};
        x->asked = made;
    }
}

static int64_t most_asked(const gali_extents *x, const char *name, int64_t most) {
    for (const gali_extent_asked *a = x->asked; a; a = a->next) {
        most = strcmp(a->name, name) == 0 && a->most < most ? a->most : most;
    }
    return most;
}

gali_extent gali_extent_symbol(gali_extents *x, const char *name, int64_t least, int64_t most) {
    const gali_extent_entry *known = find_atom(x, GALI_EXTENT_SYMBOL, name, NULL);
    if (known) {
        return of_atom(x, known->number);
    }
    const char *copy = gali_arena_copy(x->arena, name, strlen(name));
    gali_extent_entry symbol = {.kind = GALI_EXTENT_SYMBOL,
                                .name = copy,
                                .range = {least, most_asked(x, name, most)},
                                .symbol = x->symbol_count,
                                .weight = 1};
    gali_extent made = copy ? keep_atom(x, &symbol) : GALI_EXTENT_UNKNOWN;
    if (made != GALI_EXTENT_UNKNOWN) {
        x->symbols[x->symbol_count++] = x->atoms[x->atom_count - 1];
    }
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
    if (gali_extent_as_symbol(x, symbol) >= 0) {
        x->atoms[x->sums[symbol - GALI_EXTENT_FIRST]->terms[0].atoms[0]]->range = (gali_interval){least, most};
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

const char *gali_extent_symbol_name(const gali_extents *x, uint32_t symbol) {
    return symbol < x->symbol_count ? x->symbols[symbol]->name : NULL;
}

gali_extent gali_extent_of_symbol(gali_extents *x, uint32_t symbol) {
    return symbol < x->symbol_count ? of_atom(x, x->symbols[symbol]->number) : GALI_EXTENT_UNKNOWN;
}

int gali_extent_as_symbol(const gali_extents *x, gali_extent a) {
    const gali_extent_sum *s = gali_extent_is_handle(a) ? x->sums[a - GALI_EXTENT_FIRST] : NULL;
    if (!s || s->count != 1 || s->terms[0].count != 1 || s->terms[0].scale != 1) {
        return -1;
    }
    const gali_extent_entry *only = x->atoms[s->terms[0].atoms[0]];
    return only->kind == GALI_EXTENT_SYMBOL ? (int)only->symbol : -1;
}

/* ---- ranges and values ---- */

static gali_interval operation_range(gali_extent_kind kind, gali_interval a, gali_interval b) {
    return kind == GALI_EXTENT_QUOTIENT ? gali_interval_quotient(a, b)
           : kind == GALI_EXTENT_LEAST  ? gali_interval_smaller(a, b)
                                        : gali_interval_larger(a, b);
}

gali_interval gali_extent_interval(const gali_extents *x, gali_extent a) {
    if (!gali_extent_is_handle(a)) {
        return gali_extent_is_number(a) ? gali_interval_number(a)
                                        : (gali_interval){-GALI_EXTENT_LARGEST, GALI_EXTENT_LARGEST};
    }
    const gali_extent_sum *s = x->sums[a - GALI_EXTENT_FIRST];
    gali_interval total = {0, 0};
    for (uint32_t i = 0; i < s->count; i++) {
        gali_interval product = gali_interval_number(s->terms[i].scale);
        for (uint32_t j = 0; j < s->terms[i].count; j++) {
            product = gali_interval_mul(product, x->atoms[s->terms[i].atoms[j]]->range);
        }
        total = gali_interval_add(total, product);
    }
    return total;
}

void gali_extent_range(const gali_extents *x, gali_extent a, int64_t *least, int64_t *most) {
    gali_interval range = gali_extent_interval(x, a);
    *least = range.least;
    *most = range.most;
}

int gali_extent_has(const gali_extents *x, gali_extent a, uint32_t symbol) {
    const gali_extent_sum *s = gali_extent_is_handle(a) ? x->sums[a - GALI_EXTENT_FIRST] : NULL;
    for (uint32_t i = 0; s && i < s->count; i++) {
        for (uint32_t j = 0; j < s->terms[i].count; j++) {
            const gali_extent_entry *own = x->atoms[s->terms[i].atoms[j]];
            if (own->kind == GALI_EXTENT_SYMBOL ? own->symbol == symbol
                                                : gali_extent_has(x, own->operand[0], symbol) ||
                                                      gali_extent_has(x, own->operand[1], symbol)) {
                return 1;
            }
        }
    }
    return 0;
}

static int64_t atom_value(const gali_extents *x, const gali_extent_entry *a, const int64_t *symbols) {
    if (a->kind == GALI_EXTENT_SYMBOL) {
        return symbols[a->symbol];
    }
    int64_t left = gali_extent_value(x, a->operand[0], symbols),
            right = gali_extent_value(x, a->operand[1], symbols);
    if (gali_extent_sticks(left, right)) {
        return gali_extent_sticks(left, right);
    }
    switch (a->kind) {
    case GALI_EXTENT_QUOTIENT:
        return right == 0 ? GALI_EXTENT_BAD : gali_floor_quotient(left, right);
    case GALI_EXTENT_LEAST:
        return left < right ? left : right;
    default:
        return left > right ? left : right;
    }
}

int64_t gali_extent_value(const gali_extents *x, gali_extent a, const int64_t *symbols) {
    if (!gali_extent_is_handle(a)) {
        return a;
    }
    const gali_extent_sum *s = x->sums[a - GALI_EXTENT_FIRST];
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
    return gali_extent_is_handle(a) ? x->sums[a - GALI_EXTENT_FIRST]->count
                                    : a != 0 && gali_extent_is_number(a);
}

gali_extent_term gali_extent_term_at(const gali_extents *x, gali_extent a, uint32_t i) {
    return gali_extent_is_handle(a) ? x->sums[a - GALI_EXTENT_FIRST]->terms[i] : (gali_extent_term){.scale = a};
}

gali_extent_kind gali_extent_atom(const gali_extents *x, uint32_t number, uint32_t *symbol,
                                  gali_extent operand[2]) {
    const gali_extent_entry *a = x->atoms[number];
    *symbol = a->symbol;
    operand[0] = a->operand[0];
    operand[1] = a->operand[1];
    return a->kind;
}

void gali_extent_symbol_range(const gali_extents *x, uint32_t symbol, int64_t *least, int64_t *most) {
    gali_interval range = symbol < x->symbol_count ? x->symbols[symbol]->range : (gali_interval){0, 0};
    *least = range.least;
    *most = range.most;
}
