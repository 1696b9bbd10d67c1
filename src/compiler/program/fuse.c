/*
 * Fusion, from the last stage to the first, by what index maps say (DNNFusion, section 4.3, tables 3.2 and 3.3):
 *
 *     one-to-one, one-to-many    what computes no sum goes into its one reader, if no element is computed twice there
 *     reorganize, shuffle        what only moves goes into its reader as an index, also into a sum's operands where the
 *                                reader goes on reading in a row
 *     many-to-many, one-to-one   a sum takes in the one reader that follows it element by element: it finishes the sum
 *
 * A sum after a sum is never fused. So what is left are groups: a sum with what is around it, or a chain of the others;
 * the stages of one node, such as those of a softmax, are one group.
 */
#include <string.h>

#include "base/error.h"
#include "compiler/program/program.h"

enum {
    BUCKETS = 64,
    SIZE_MOST = 600, /* scalars of one stage: past it C compilers take their time */
    READS_MAX = 256, /* tensors of one stage */
};

/* ---- substitution ---- */

typedef struct done {
    const gali_scalar *from, *to;
    struct done *next;
} done;

/* Puts `value`, of the stage that makes `tensor`, in the place of loads of it; or `self` where value is NULL. */
typedef struct substitution {
    gali_arena *arena;
    uint32_t tensor;
    const gali_scalar *value;
    done *list[BUCKETS];
} substitution;

/* A scalar with axis i replaced by index[i]. */
typedef struct rebase {
    gali_arena *arena;
    const gali_scalar *const *index;
    done *list[BUCKETS];
} rebase;

static const gali_scalar *find(done *const *list, const gali_scalar *from) {
    for (const done *d = list[((uintptr_t)from >> 6) % BUCKETS]; d; d = d->next) {
        if (d->from == from) {
            return d->to;
        }
    }
    return NULL;
}

static const gali_scalar *remember(gali_arena *arena, done **list, const gali_scalar *from,
                                   const gali_scalar *to) {
    done *d = gali_arena_take(arena, sizeof *d);
    done **bucket = &list[((uintptr_t)from >> 6) % BUCKETS];
    if (d) {
        *d = (done){from, to, *bucket};
        *bucket = d;
    }
    return to;
}

static const gali_scalar *rebased(rebase *r, const gali_scalar *a) {
    if (!a || find(r->list, a)) {
        return a ? find(r->list, a) : NULL;
    }
    if (a->op == GALI_SCALAR_axis) {
        return r->index[a->source];
    }
    gali_scalar *copy = gali_arena_take(r->arena, sizeof *copy);
    if (!copy) {
        return NULL;
    }
    *copy = *a;
    for (int i = 0; i < 3; i++) {
        copy->operand[i] = rebased(r, a->operand[i]);
    }
    for (int i = 0; i < GALI_RANK_MAX; i++) {
        copy->index[i] = rebased(r, a->index[i]);
    }
    return remember(r->arena, r->list, a, copy);
}

/* The same stage read twice at the same place is the same scalar: indices are compared by their making. */
static int same_index(const gali_scalar *a, const gali_scalar *b) {
    if (a == b || !a || !b) {
        return a == b;
    }
    int same = a->op == b->op && a->whole == b->whole && a->source == b->source && a->extent == b->extent &&
               a->op != GALI_SCALAR_load;
    for (int i = 0; same && i < 3; i++) {
        same = same_index(a->operand[i], b->operand[i]);
    }
    return same;
}

static const gali_scalar *inlined(substitution *s, const gali_scalar *load) {
    for (uint32_t i = 0; i < BUCKETS; i++) {
        for (const done *d = s->list[i]; d; d = d->next) {
            int same = d->from->op == GALI_SCALAR_load && d->from->source == s->tensor;
            for (int k = 0; same && k < GALI_RANK_MAX; k++) {
                same = same_index(d->from->index[k], load->index[k]);
            }
            if (same) {
                return d->to;
            }
        }
    }
    rebase r = {.arena = s->arena, .index = load->index};
    return rebased(&r, s->value);
}

static const gali_scalar *substituted(substitution *s, const gali_scalar *a) {
    if (!a || find(s->list, a)) {
        return a ? find(s->list, a) : NULL;
    }
    gali_scalar *copy = gali_arena_take(s->arena, sizeof *copy);
    if (!copy) {
        return NULL;
    }
    *copy = *a;
    for (int i = 0; i < 3; i++) {
        copy->operand[i] = substituted(s, a->operand[i]);
    }
    for (int i = 0; i < GALI_RANK_MAX; i++) {
        copy->index[i] = substituted(s, a->index[i]);
    }
    if (a->op == GALI_SCALAR_load && a->source == s->tensor) {
        if (s->value) {
            return remember(s->arena, s->list, a, inlined(s, copy));
        }
        *copy = (gali_scalar){.op = GALI_SCALAR_self, .element = a->element};
    }
    return remember(s->arena, s->list, a, copy);
}

/* ---- looking at scalars ---- */

typedef struct look {
    gali_arena *arena; /* for the looking alone */
    uint32_t tensor;
    uint32_t *tensors; /* [tensors_most] that are read, once each; NULL: nobody asks */
    uint32_t tensor_count;
    uint32_t size, loads, work; /* scalars; loads of the tensor; scalars that compute outside of indices */
    uint32_t load_count;        /* of any tensor */
    int nested;                 /* the tensor is read in an index */
    int failed;                 /* no memory */
    int identity;               /* all loads of the tensor are at the stage's own axes */
    uint32_t rank;
    done *list[BUCKETS];
} look;

static int is_axes(const gali_scalar *load, uint32_t rank) {
    int own = 1;
    for (uint32_t i = 0; i < GALI_RANK_MAX; i++) {
        const gali_scalar *index = load->index[i];
        own &= i < rank ? index && index->op == GALI_SCALAR_axis && index->source == i : !index;
    }
    return own;
}

static void note(look *l, uint32_t tensor) {
    uint32_t i = 0;
    while (l->tensors && i < l->tensor_count && l->tensors[i] != tensor) {
        i++;
    }
    if (l->tensors && i == l->tensor_count && l->tensor_count < READS_MAX) {
        l->tensors[l->tensor_count++] = tensor;
    }
}

static void look_at(look *l, const gali_scalar *a, int in_index) {
    if (!a || find(l->list, a)) {
        return;
    }
    remember(l->arena, l->list, a, a);
    l->size++;
    int leaf = a->op == GALI_SCALAR_number || a->op == GALI_SCALAR_axis || a->op == GALI_SCALAR_extent ||
               a->op == GALI_SCALAR_load || a->op == GALI_SCALAR_self;
    l->work += !in_index && !leaf;
    if (a->op == GALI_SCALAR_load) {
        l->load_count++;
        note(l, a->source);
    }
    if (a->op == GALI_SCALAR_load && a->source == l->tensor) {
        l->loads++;
        l->nested |= in_index;
        l->identity &= is_axes(a, l->rank);
    }
    for (int i = 0; i < 3; i++) {
        look_at(l, a->operand[i], in_index);
    }
    for (int i = 0; i < GALI_RANK_MAX; i++) {
        look_at(l, a->index[i], 1);
    }
}

/* What a stage does, and how it reads the tensor. tensors: [READS_MAX] to be filled with all that it reads, or NULL. */
static look looked(const gali_program_stage *stage, uint32_t tensor, uint32_t *tensors) {
    gali_arena arena = {0};
    look l = {.arena = &arena, .tensor = tensor, .tensors = tensors, .identity = 1, .rank = stage->rank};
    look_at(&l, stage->start, 0);
    look_at(&l, stage->value, 0);
    look_at(&l, stage->finish, 0);
    l.failed = arena.failed;
    gali_arena_release(&arena);
    return l;
}

static gali_extent iterations(gali_program *p, const gali_program_stage *stage) {
    gali_extent count = 1;
    for (uint32_t i = 0; i < stage->rank + stage->reduced; i++) {
        count = gali_extent_mul(p->graph->extents, count, stage->extent[i]);
    }
    return count;
}

/* ---- readers ---- */

typedef struct reader {
    uint32_t stage;
    struct reader *next;
} reader;

typedef struct fusion {
    gali_program *p;
    reader **readers; /* [tensor_count] stages that read a tensor, once each */
} fusion;

static int reads(const fusion *f, uint32_t tensor, uint32_t stage) {
    const reader *r = f->readers[tensor];
    while (r && r->stage != stage) {
        r = r->next;
    }
    return r != NULL;
}

static void add_reads(fusion *f, uint32_t stage) {
    uint32_t tensors[READS_MAX];
    look l = looked(&f->p->stages[stage], GALI_NONE, tensors);
    f->p->arena->failed |= l.failed || l.tensor_count == READS_MAX;
    for (uint32_t i = 0; i < l.tensor_count; i++) {
        reader *r = reads(f, tensors[i], stage) ? NULL : gali_arena_take(f->p->arena, sizeof *r);
        if (r) {
            *r = (reader){stage, f->readers[tensors[i]]};
            f->readers[tensors[i]] = r;
        }
    }
}

static void drop_reads(fusion *f, uint32_t stage) {
    uint32_t tensors[READS_MAX];
    look l = looked(&f->p->stages[stage], GALI_NONE, tensors);
    for (uint32_t i = 0; i < l.tensor_count; i++) {
        reader **at = &f->readers[tensors[i]];
        while (*at && (*at)->stage != stage) {
            at = &(*at)->next;
        }
        *at = *at ? (*at)->next : NULL;
    }
}

/* The one stage that reads it, of the same block; GALI_NONE where there are others, or it is stored. */
static uint32_t only_reader(const fusion *f, uint32_t tensor) {
    const reader *r = f->readers[tensor];
    const gali_program_tensor *t = &f->p->tensors[tensor];
    int one = r && !r->next && t->role == GALI_TENSOR_MADE && f->p->stages[r->stage].block == t->block;
    return one ? r->stage : GALI_NONE;
}

/* ---- fusing ---- */

static void substitute(gali_program *p, gali_program_stage *stage, uint32_t tensor, const gali_scalar *value) {
    substitution s = {.arena = p->arena, .tensor = tensor, .value = value};
    stage->start = substituted(&s, stage->start);
    stage->value = substituted(&s, stage->value);
    stage->finish = substituted(&s, stage->finish);
}

/* Whether the last axis of the load's tensor is walked by the reader's last axis, one by one, or not at all. */
static int walks_in_a_row(const gali_scalar *a, uint32_t rank, uint32_t last) {
    const gali_scalar *index = rank ? a->index[rank - 1] : NULL;
    return !index || index->op == GALI_SCALAR_number ||
           (index->op == GALI_SCALAR_axis && index->source == last);
}

/* Whether a stage that only moves still reads in a row: its one load's last index is its own last axis. */
static int moves_rows(const gali_program *p, const gali_program_stage *stage) {
    const gali_scalar *load = stage->value;
    return load->op == GALI_SCALAR_load && stage->rank > 0 &&
           walks_in_a_row(load, (uint32_t)p->tensors[load->source].type.rank, stage->rank - 1);
}

/* Into its one reader, or not. */
static int inline_stage(gali_program *p, gali_program_stage *stage, uint32_t reader_number) {
    gali_program_stage *into = &p->stages[reader_number];
    look mine = looked(stage, GALI_NONE, NULL), theirs = looked(into, stage->tensor, NULL);
    int once = iterations(p, stage) == iterations(p, into) && iterations(p, stage) != GALI_EXTENT_UNKNOWN;
    int moves = mine.work == 0 && mine.load_count == 1;
    if (mine.size + theirs.size > SIZE_MOST || theirs.nested || theirs.loads > 2) {
        return 0;
    }
    if (into->reduced ? !(once || (moves && moves_rows(p, stage))) : !(once || moves)) {
        return 0;
    }
    substitute(p, into, stage->tensor, stage->value);
    stage->gone = 1;
    return 1;
}

/* A sum and the stage that reads it element by element: one that finishes it. */
static int finish_sum(gali_program *p, gali_program_stage *sum, uint32_t reader_number) {
    gali_program_stage *into = &p->stages[reader_number];
    int same = into->rank == sum->rank && !into->reduced && !sum->finish;
    for (uint32_t i = 0; same && i < sum->rank; i++) {
        same = into->extent[i] == sum->extent[i];
    }
    look theirs = same ? looked(into, sum->tensor, NULL) : (look){.loads = 0};
    if (!same || !theirs.identity || theirs.nested || theirs.size > SIZE_MOST) {
        return 0;
    }
    substitute(p, into, sum->tensor, NULL);
    into->finish = into->value;
    into->value = sum->value;
    into->start = sum->start;
    into->reduced = sum->reduced;
    into->node = sum->node;
    memcpy(into->extent, sum->extent, sizeof sum->extent);
    sum->gone = 1;
    return 1;
}

static void number_groups(gali_program *p) {
    uint32_t last = GALI_NONE;
    p->group_count = 0;
    for (uint32_t i = 0; i < p->stage_count; i++) {
        gali_program_stage *stage = &p->stages[i];
        if (stage->gone) {
            continue;
        }
        int with_last = last != GALI_NONE && stage->node != GALI_NONE && p->stages[last].node == stage->node;
        p->group_count += !with_last;
        stage->group = p->group_count - 1;
        last = i;
    }
}

static void count_readers(fusion *f) {
    for (uint32_t i = 0; i < f->p->tensor_count; i++) {
        gali_program_tensor *t = &f->p->tensors[i];
        t->readers = t->role == GALI_TENSOR_OUTPUT;
        t->last = t->stage;
        for (const reader *r = f->readers[i]; r; r = r->next) {
            t->readers++;
            t->last = t->last == GALI_NONE || r->stage > t->last ? r->stage : t->last;
        }
    }
}

gal_status gali_program_fuse(gali_program *p, gal_error *error) {
    fusion f = {p, gali_arena_take(p->arena, (p->tensor_count + 1) * sizeof *f.readers)};
    for (uint32_t i = 0; f.readers && i < p->stage_count; i++) {
        if (!p->stages[i].gone) {
            add_reads(&f, i);
        }
    }
    for (uint32_t i = p->stage_count; i-- > 0 && !p->arena->failed;) {
        uint32_t into = p->stages[i].gone ? GALI_NONE : only_reader(&f, p->stages[i].tensor);
        if (into == GALI_NONE) {
            continue;
        }
        gali_program_stage before = p->stages[i];
        if (before.reduced ? finish_sum(p, &p->stages[i], into) : inline_stage(p, &p->stages[i], into)) {
            drop_reads(&f, i);
            f.readers[before.tensor] = NULL;
            add_reads(&f, into);
        }
    }
    number_groups(p);
    if (f.readers) {
        count_readers(&f);
    }
    return p->arena->failed ? gali_fail(error, GAL_NO_MEMORY, "no memory to fuse") : GAL_OK;
}
