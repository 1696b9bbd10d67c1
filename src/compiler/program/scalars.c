#include "compiler/program/scalars.h"

#include <string.h>

#include "compiler/program/index.h"

enum { FIRST_BUCKETS = 1 << 12, MADE_BUCKETS = 64 };

typedef struct kept {
    gali_scalar scalar;
    uint64_t hash;
    struct kept *next;
} kept;

struct gali_scalars {
    gali_arena *arena;
    gali_extents *extents;
    kept **bucket; /* [buckets], a power of two, no fewer than there are scalars */
    uint64_t buckets, count;
};

struct gali_scalar_made {
    const gali_scalar *from, *to;
    struct gali_scalar_made *next;
};

gali_scalars *gali_scalars_make(gali_arena *arena, gali_extents *extents) {
    gali_scalars *s = gali_arena_take(arena, sizeof *s);
    if (s) {
        *s = (gali_scalars){.arena = arena,
                            .extents = extents,
                            .bucket = gali_arena_take(arena, FIRST_BUCKETS * sizeof *s->bucket),
                            .buckets = FIRST_BUCKETS};
    }
    return s && s->bucket ? s : NULL;
}

/* ---- each once ---- */

static uint64_t mixed(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const gali_scalar *a) {
    uint64_t hash = mixed((uint64_t)a->op, (uint64_t)a->element), bits;
    memcpy(&bits, &a->real, sizeof bits);
    hash = mixed(mixed(mixed(mixed(hash, bits), (uint64_t)a->whole), (uint64_t)a->extent), a->source);
    for (int i = 0; i < 3; i++) {
        hash = mixed(hash, (uintptr_t)a->operand[i]);
    }
    for (int i = 0; i < GALI_RANK_MAX; i++) {
        hash = mixed(hash, (uintptr_t)a->index[i]);
    }
    return hash;
}

static int same(const gali_scalar *a, const gali_scalar *b) {
    return a->op == b->op && a->element == b->element && memcmp(&a->real, &b->real, sizeof a->real) == 0 &&
           a->whole == b->whole && a->extent == b->extent && a->source == b->source &&
           memcmp(a->operand, b->operand, sizeof a->operand) == 0 &&
           memcmp(a->index, b->index, sizeof a->index) == 0;
}

/* Twice as many buckets; where memory is short all stay in those that there are. */
static void grow(gali_scalars *s) {
    kept **wider = gali_arena_take(s->arena, 2 * s->buckets * sizeof *wider);
    for (uint64_t i = 0; wider && i < s->buckets; i++) {
        for (kept *k = s->bucket[i], *next; k; k = next) {
            kept **to = &wider[k->hash % (2 * s->buckets)];
            next = k->next;
            k->next = *to;
            *to = k;
        }
    }
    s->bucket = wider ? wider : s->bucket;
    s->buckets = wider ? 2 * s->buckets : s->buckets;
}

const gali_scalar *gali_scalars_keep(gali_scalars *s, const gali_scalar *content) {
    uint64_t hash = hash_of(content);
    for (kept *k = s->bucket[hash % s->buckets]; k; k = k->next) {
        if (k->hash == hash && same(&k->scalar, content)) {
            return &k->scalar;
        }
    }
    kept *k = gali_arena_take(s->arena, sizeof *k);
    if (!k) {
        return NULL;
    }
    if (s->count++ == s->buckets) {
        grow(s);
    }
    k->scalar = *content;
    k->hash = hash;
    k->next = s->bucket[hash % s->buckets];
    s->bucket[hash % s->buckets] = k;
    return &k->scalar;
}

/* ---- conditions ---- */

static const gali_scalar *truth(gali_scalars *s, int is) {
    return gali_scalars_keep(s, &(gali_scalar){.op = GALI_SCALAR_number, .element = GALI_truth, .whole = is});
}

static int is_truth(const gali_scalar *a, int is) {
    return a->op == GALI_SCALAR_number && a->element == GALI_truth && (a->whole != 0) == is;
}

static const gali_scalar *simple_condition(gali_scalars *s, const gali_scalar_axes *axes,
                                           const gali_scalar *a) {
    const gali_scalar *x = a->operand[0], *y = a->operand[1];
    switch (a->op) {
    case GALI_SCALAR_and:
        return is_truth(x, 1) || is_truth(y, 0) ? y : is_truth(y, 1) || is_truth(x, 0) ? x : a;
    case GALI_SCALAR_or:
        return is_truth(x, 0) || is_truth(y, 1) ? y : is_truth(y, 0) || is_truth(x, 1) ? x : a;
    case GALI_SCALAR_select:
        return is_truth(x, 1) ? y : is_truth(x, 0) || y == a->operand[2] ? a->operand[2] : a;
    case GALI_SCALAR_less:
    case GALI_SCALAR_less_equal:
    case GALI_SCALAR_equal: {
        int is = gali_index_compare(s->extents, axes, a->op, x, y);
        return is < 0 ? a : truth(s, is);
    }
    default:
        return a;
    }
}

const gali_scalar *gali_scalars_simple(gali_scalars *s, const gali_scalar_axes *axes,
                                       const gali_scalar *content) {
    if (!content) {
        return NULL;
    }
    const gali_scalar *a = simple_condition(s, axes, content);
    if (!a || a != content) {
        return a;
    }
    a = content->element == GALI_i64 ? gali_index_simple(s, s->extents, axes, content) : NULL;
    return a ? a : gali_scalars_keep(s, content);
}

/* ---- made anew ---- */

static const gali_scalar *make(gali_scalar_maker *m, const gali_scalar *a) {
    gali_scalar copy = *a;
    for (int i = 0; i < 3; i++) {
        copy.operand[i] = gali_scalar_make(m, a->operand[i]);
        if (a->operand[i] && !copy.operand[i]) {
            return NULL;
        }
    }
    for (int i = 0; i < GALI_RANK_MAX; i++) {
        copy.index[i] = gali_scalar_make(m, a->index[i]);
        if (a->index[i] && !copy.index[i]) {
            return NULL;
        }
    }
    const gali_scalar *simple = gali_scalars_simple(m->scalars, &m->axes, &copy);
    return simple && simple->op == copy.op && m->replace ? m->replace(m->who, simple) : simple;
}

const gali_scalar *gali_scalar_make(gali_scalar_maker *m, const gali_scalar *a) {
    if (!a) {
        return NULL;
    }
    struct gali_scalar_made **bucket = &m->made[((uintptr_t)a >> 6) % MADE_BUCKETS];
    for (const struct gali_scalar_made *e = *bucket; e; e = e->next) {
        if (e->from == a) {
            return e->to;
        }
    }
    const gali_scalar *to = make(m, a);
    struct gali_scalar_made *e = to ? gali_arena_take(m->arena, sizeof *e) : NULL;
    if (!e) {
        return NULL;
    }
    *e = (struct gali_scalar_made){a, to, *bucket};
    *bucket = e;
    return to;
}
