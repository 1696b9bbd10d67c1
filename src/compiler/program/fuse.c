/*
 * Stages put into those that read them, by what index maps say (DNNFusion, section 4.3, tables 3.2 and 3.3):
 *
 *     finish    what follows a sum element by element is done to the sum before it is stored, also where an axis is split,
 *               joined or moved in between: it is done first then, and moved afterwards
 *     move      what only moves goes into all who read it, as an index (reorganize, shuffle, one-to-many)
 *     guard     so does what moves or is a number, such as a pad, into its reader
 *     plain     what computes goes into its one reader, where no element is computed twice, or computing it is nothing
 *
 * Finishing comes first, so that what stands between two sums belongs to the first, which has each element once. What is
 * left is joined to groups (group.c).
 */
#include <string.h>

#include "base/error.h"
#include "compiler/program/fusion.h"

enum {
    SIZE_MOST = 600, /* scalars of one stage: past it C compilers take their time */
    LOADS_MOST = 24, /* of one stage */
    DEPTH_MOST = 48, /* of a value: loops have a limit, and so does a chain of operators in one expression */
    TREE_MOST = 1 << 18, /* scalars as trees, which they are walked as: what is used twice stands twice */
    CHEAP_MOST = 4,      /* scalars that may be computed again */
    AT_ONCE_MOST = 40,   /* results of an element that a tile makes at once */
    ROUNDS_MOST = 16,
};

/* ---- substitution ---- */

typedef struct substitution {
    gali_scalar_maker maker;
    uint32_t tensor;
    const gali_scalar *value; /* in place of loads of the tensor, at their indices; NULL: `own` as it stands */
    const gali_scalar *own;
} substitution;

static const gali_scalar *at_index(void *who, const gali_scalar *a) {
    const gali_scalar *const *index = who;
    return a->op == GALI_SCALAR_axis ? index[a->source] : a;
}

/* value with index[i] in place of axis i; axes: of who reads it. */
static const gali_scalar *rebased(const gali_scalar_maker *like, const gali_scalar *value,
                                  const gali_scalar *const *index) {
    gali_scalar_maker maker = {.scalars = like->scalars, .arena = like->arena, .axes = like->axes};
    maker.replace = at_index;
    maker.who = (void *)index;
    return gali_scalar_make(&maker, value);
}

static const gali_scalar *substituted(void *who, const gali_scalar *a) {
    const substitution *s = who;
    if (a->op != GALI_SCALAR_load || a->source != s->tensor) {
        return a;
    }
    return s->value ? rebased(&s->maker, s->value, a->index) : s->own;
}

/* a with the substitution, of a stage with those axes. NULL in, NULL out. */
static const gali_scalar *substitute(gali_fusion *f, substitution *s, const gali_program_stage *stage,
                                     const gali_scalar *a) {
    gali_arena arena = {0};
    s->maker = (gali_scalar_maker){.scalars = f->scalars,
                                   .arena = &arena,
                                   .axes = {stage->extent, stage->rank + stage->reduced},
                                   .replace = substituted,
                                   .who = s};
    const gali_scalar *made = gali_scalar_make(&s->maker, a);
    f->p->arena->failed |= a && !made;
    gali_arena_release(&arena);
    return made;
}

/* a of a stage's axes with others in their place. */
static const gali_scalar *moved(gali_fusion *f, const gali_program_stage *to, const gali_scalar *a,
                                const gali_scalar *const *index) {
    gali_arena arena = {0};
    gali_scalar_maker like = {
        .scalars = f->scalars, .arena = &arena, .axes = {to->extent, to->rank + to->reduced}};
    const gali_scalar *made = rebased(&like, a, index);
    f->p->arena->failed |= !made;
    gali_arena_release(&arena);
    return made;
}

static const gali_scalar *self_replaced(void *who, const gali_scalar *a) {
    return a->op == GALI_SCALAR_self ? (const gali_scalar *)who : a;
}

/* finish, with what was done before in place of self. */
static const gali_scalar *after(gali_fusion *f, const gali_program_stage *stage, const gali_scalar *before,
                                const gali_scalar *finish) {
    gali_arena arena = {0};
    gali_scalar_maker maker = {.scalars = f->scalars,
                               .arena = &arena,
                               .axes = {stage->extent, stage->rank + stage->reduced},
                               .replace = self_replaced,
                               .who = (void *)before};
    const gali_scalar *made = before ? gali_scalar_make(&maker, finish) : finish;
    f->p->arena->failed |= !made;
    gali_arena_release(&arena);
    return made;
}

/* ---- finish ---- */

/* The one stage that reads it, of the same block; GALI_NONE where there are others, or it is stored. */
static uint32_t only_reader(const gali_fusion *f, uint32_t tensor) {
    const gali_reader *r = f->readers[tensor];
    const gali_program_tensor *t = &f->p->tensors[tensor];
    int one = r && !r->next && t->role == GALI_TENSOR_MADE && f->p->stages[r->stage].block == t->block;
    return one ? r->stage : GALI_NONE;
}

static const gali_scalar *self_of(gali_fusion *f, const gali_program_stage *stage) {
    return gali_scalars_keep(f->scalars,
                             &(gali_scalar){.op = GALI_SCALAR_self, .element = stage->value->element});
}

static int has_same_axes(const gali_program_stage *a, const gali_program_stage *b) {
    int same = a->rank == b->rank;
    for (uint32_t i = 0; same && i < a->rank; i++) {
        same = a->extent[i] == b->extent[i];
    }
    return same;
}

static void go(gali_fusion *f, uint32_t stage, uint32_t into) {
    gali_fusion_drop_reads(f, stage);
    f->p->stages[stage].gone = 1;
    f->into[stage] = into;
}

/* The reader takes the sum in: same axes, element by element. */
static void finish_here(gali_fusion *f, uint32_t sum_number, uint32_t into_number) {
    gali_program_stage *sum = &f->p->stages[sum_number], *into = &f->p->stages[into_number];
    substitution s = {.tensor = sum->tensor, .own = self_of(f, sum)};
    const gali_scalar *finish = substitute(f, &s, into, into->value);
    gali_fusion_drop_reads(f, into_number);
    go(f, sum_number, into_number);
    into->finish = after(f, into, sum->finish, finish);
    into->value = sum->value;
    into->start = sum->start;
    into->reduced = sum->reduced;
    uint32_t own = into->node; /* the group is named of the sum; what is gone is what it took in */
    into->node = sum->node;
    into->stretch = sum->stretch;
    into->patterns = sum->patterns;
    sum->node = own;
    memcpy(into->extent, sum->extent, sizeof sum->extent);
    gali_fusion_add_reads(f, into_number);
}

/*
 * Whether the load's index, of a stage, is its axes in another order, each once; from[i] gets what stands for axis i of
 * the stage in the axes of the tensor that is read.
 */
static int is_permutation(gali_fusion *f, const gali_program_stage *stage, const gali_program_stage *maker,
                          const gali_scalar *load, const gali_scalar **from) {
    const gali_scalar *zero =
        gali_scalars_keep(f->scalars, &(gali_scalar){.op = GALI_SCALAR_number, .element = GALI_i64});
    for (uint32_t i = 0; i < stage->rank; i++) {
        from[i] = stage->extent[i] == 1 ? zero : NULL;
    }
    for (uint32_t i = 0; i < maker->rank; i++) {
        const gali_scalar *index = load->index[i];
        if (maker->extent[i] == 1) {
            continue;
        }
        if (index->op != GALI_SCALAR_axis || from[index->source] ||
            stage->extent[index->source] != maker->extent[i]) {
            return 0;
        }
        from[index->source] = gali_scalars_keep(
            f->scalars, &(gali_scalar){.op = GALI_SCALAR_axis, .element = GALI_i64, .source = i});
    }
    int all = zero != NULL;
    for (uint32_t i = 0; all && i < stage->rank; i++) {
        all = from[i] != NULL;
    }
    return all;
}

/* Whether all that is computed of the load is computed of the load alone. */
static int is_of_load_alone(const gali_look *look) {
    return look->load_count == 1 && !look->axes;
}

/* Whether all that its reader reads beside it is there when the sum is made: stages stand behind what they read. */
static int is_there(const gali_program *p, const gali_program_stage *sum, const gali_look *theirs) {
    int there = 1;
    for (uint32_t i = 0; there && i < theirs->load_count; i++) {
        const gali_program_tensor *t = &p->tensors[theirs->load[i]->source];
        there = theirs->load[i]->source == sum->tensor || t->role == GALI_TENSOR_CONSTANT ||
                t->role == GALI_TENSOR_INPUT || (t->stage != GALI_NONE && &p->stages[t->stage] < sum);
    }
    return there;
}

/* What the reader computes is done to the sum, and the reader moves what comes of it. */
static int finish_before(gali_fusion *f, gali_program_stage *sum, uint32_t into_number,
                         const gali_look *theirs) {
    gali_program_stage *into = &f->p->stages[into_number];
    const gali_scalar *load = gali_look_load(theirs, sum->tensor), *from[GALI_RANK_MAX] = {NULL};
    gali_element element = f->p->tensors[into->tensor].type.element;
    if (!load || load == into->value || theirs->in_index[0] || into->value->element != element ||
        !is_there(f->p, sum, theirs)) {
        return 0;
    }
    int permuted = is_permutation(f, into, sum, load, from);
    if (!permuted && !is_of_load_alone(theirs)) {
        return 0;
    }
    substitution s = {.tensor = sum->tensor, .own = self_of(f, sum)};
    const gali_scalar *finish = substitute(f, &s, into, into->value);
    finish = finish && permuted ? moved(f, sum, finish, from) : finish;
    gali_scalar read = *load;
    read.element = element;
    gali_fusion_drop_reads(f, into_number);
    gali_fusion_drop_reads(f, (uint32_t)(sum - f->p->stages));
    sum->finish = finish ? after(f, sum, sum->finish, finish) : NULL;
    f->p->tensors[sum->tensor].type.element = element;
    into->value = gali_scalars_keep(f->scalars, &read);
    f->p->arena->failed |= !into->value;
    gali_fusion_add_reads(f, (uint32_t)(sum - f->p->stages));
    gali_fusion_add_reads(f, into_number);
    return 1;
}

/* Whether what two stages do stays within the limits of one. */
static int may_be_one(const gali_look *a, const gali_look *b) {
    return a->size + b->size <= SIZE_MOST && a->load_count + b->load_count <= LOADS_MOST &&
           a->depth + b->depth <= DEPTH_MOST && a->tree * b->tree <= (double)TREE_MOST;
}

/* A sum and the stage that reads it element by element. */
static int finish(gali_fusion *f, uint32_t number) {
    gali_program_stage *sum = &f->p->stages[number];
    uint32_t into = only_reader(f, sum->tensor);
    gali_look theirs, own;
    if (into == GALI_NONE || f->p->stages[into].reduced || !gali_program_look(&f->p->stages[into], &theirs) ||
        !gali_program_look(sum, &own) || !may_be_one(&own, &theirs)) {
        return 0;
    }
    const gali_scalar *load = gali_look_load(&theirs, sum->tensor);
    if (!load) {
        return 0;
    }
    if (has_same_axes(sum, &f->p->stages[into]) && gali_look_is_own(&f->p->stages[into], load) &&
        gali_look_loads(&theirs, sum->tensor) == 1) {
        finish_here(f, number, into);
        return 1;
    }
    return gali_look_loads(&theirs, sum->tensor) == 1 && finish_before(f, sum, into, &theirs);
}

/* ---- into readers ---- */

typedef enum kind {
    MOVE,  /* one element of another tensor, or what follows of axes alone */
    GUARD, /* that, or a number */
    JOIN,  /* one of several tensors' elements */
    PLAIN
} kind;

static kind kind_of(const gali_look *look) {
    return look->work ? PLAIN : look->load_count > 1 ? JOIN : look->selects ? GUARD : MOVE;
}

static gali_extent iterations(const gali_program *p, const gali_program_stage *stage) {
    gali_extent count = 1;
    for (uint32_t i = 0; i < stage->rank + stage->reduced; i++) {
        count = gali_extent_mul(p->graph->extents, count, stage->extent[i]);
    }
    return count;
}

/* Whether a load reads every element in one place: its index is axes and numbers. */
static int is_plain(const gali_scalar *load, uint32_t rank) {
    for (uint32_t i = 0; i < rank; i++) {
        if (load->index[i]->op != GALI_SCALAR_axis && load->index[i]->op != GALI_SCALAR_number) {
            return 0;
        }
    }
    return 1;
}

/* A tile computes what goes in number by number, so a division costs as much as a vector of them did: bert_like took 1.5 times. */
static int is_sum_or_product(const gali_program_stage *stage) {
    gali_scalar_op op = stage->value->op;
    return op == GALI_SCALAR_add || op == GALI_SCALAR_sub || op == GALI_SCALAR_mul;
}

/*
 * Whether the stage is next to nothing, and the sum, which reads each element of it in one place, has so few results of an
 * element that a tile makes all of them at once: then nothing is computed again, and nothing stored. (A yellow cell of table
 * 3.3. Measured on scales of channels before 1x1 convolutions: EfficientNet-B0 took 0.966 of its time.)
 */
static int is_read_at_once(const gali_fusion *f, const gali_program_stage *stage, const gali_look *own,
                           const gali_program_stage *sum, const gali_look *theirs) {
    const gali_scalar *load = gali_look_load(theirs, stage->tensor);
    gali_extent once = iterations(f->p, stage), all = iterations(f->p, sum);
    if (own->work > 1 || !is_sum_or_product(stage) || !load || !is_plain(load, stage->rank) ||
        once == GALI_EXTENT_UNKNOWN) {
        return 0;
    }
    for (int64_t results = 1; results <= AT_ONCE_MOST; results++) {
        if (gali_extent_mul(f->p->graph->extents, once, results) == all) {
            return 1;
        }
    }
    return 0;
}

static int may_go(const gali_fusion *f, const gali_program_stage *stage, const gali_look *own,
                  uint32_t reader) {
    const gali_program_stage *into = &f->p->stages[reader];
    kind is = kind_of(own);
    gali_look theirs;
    if (stage->stays || !gali_program_look(into, &theirs) || !may_be_one(own, &theirs) ||
        gali_fusion_is_table(f, stage, own, into)) {
        return 0;
    }
    if (is == MOVE) {
        return 1;
    }
    gali_extent count = iterations(f->p, stage);
    int once = count != GALI_EXTENT_UNKNOWN && count == iterations(f->p, into) &&
               gali_look_loads(&theirs, stage->tensor) == 1;
    int alone = only_reader(f, stage->tensor) == reader;
    if (is == GUARD) {
        return alone || !into->reduced;
    }
    if (is == JOIN || into->reduced) {
        return alone && (once || (is == PLAIN && is_read_at_once(f, stage, own, into, &theirs)));
    }
    return alone && (once || own->work <= CHEAP_MOST);
}

/* The reader with the stage's value in place of loads of what it makes. */
static gali_program_stage with(gali_fusion *f, const gali_program_stage *stage,
                               const gali_program_stage *reader) {
    gali_program_stage into = *reader;
    substitution s = {.tensor = stage->tensor, .value = stage->value};
    const gali_scalar *value = substitute(f, &s, reader, reader->value);
    into.start = substitute(f, &s, reader, reader->start);
    into.finish = substitute(f, &s, reader, reader->finish);
    into.value = value ? value : reader->value;
    return into;
}

/*
 * Whether a sum that could run along rows cannot any more: what it reads again and again is better moved to rows once. (A
 * yellow cell of table 3.3, shuffle before many-to-many; profile.h.)
 */
static int loses_rows(const gali_fusion *f, const gali_program_stage *before,
                      const gali_program_stage *after_it) {
    gali_look first, then;
    return !gali_profile_fuses(&f->profile, GALI_PAIR_MOVE_PRODUCT) && before->reduced &&
           gali_program_look(before, &first) && gali_program_look(after_it, &then) &&
           gali_look_has_rows(f->p, before, &first) && !gali_look_has_rows(f->p, after_it, &then);
}

static int go_into_reader(gali_fusion *f, const gali_program_stage *stage, const gali_look *own,
                          uint32_t reader) {
    gali_program_stage *into = &f->p->stages[reader];
    if (into->block != stage->block || !may_go(f, stage, own, reader)) {
        return 0;
    }
    gali_program_stage made = with(f, stage, into);
    if (f->p->arena->failed || loses_rows(f, into, &made)) {
        return 0;
    }
    gali_fusion_drop_reads(f, reader);
    *into = made;
    gali_fusion_add_reads(f, reader);
    return 1;
}

/* Into all who read it: what stays for some of them is stored for them. */
static int go_into_readers(gali_fusion *f, uint32_t number) {
    gali_program_stage *stage = &f->p->stages[number];
    uint32_t went = GALI_NONE;
    gali_look own;
    if (f->p->tensors[stage->tensor].role != GALI_TENSOR_MADE || !gali_program_look(stage, &own)) {
        return 0;
    }
    for (const gali_reader *r = f->readers[stage->tensor], *next; r && !f->p->arena->failed; r = next) {
        uint32_t reader = r->stage;
        next = r->next;
        went = go_into_reader(f, stage, &own, reader) ? reader : went;
    }
    if (went != GALI_NONE && !f->readers[stage->tensor]) {
        go(f, number, went);
    }
    return went != GALI_NONE;
}

/* Of what sizes alone make, into those of the kind: what there is to compute is known before others take it in. */
static int go_into_tables(gali_fusion *f, uint32_t number) {
    const gali_program_stage *stage = &f->p->stages[number];
    int all = f->of_sizes[stage->tensor];
    for (const gali_reader *r = f->readers[stage->tensor]; r && all; r = r->next) {
        all = f->of_sizes[f->p->stages[r->stage].tensor];
    }
    return all && go_into_readers(f, number);
}

/* Into the one reader that has the same axes: what comes of it may then finish a sum. */
static int go_into_same(gali_fusion *f, uint32_t number) {
    const gali_program_stage *stage = &f->p->stages[number];
    uint32_t reader = only_reader(f, stage->tensor);
    gali_look theirs;
    if (reader == GALI_NONE || f->p->stages[reader].reduced || !has_same_axes(stage, &f->p->stages[reader]) ||
        !gali_program_look(&f->p->stages[reader], &theirs)) {
        return 0;
    }
    const gali_scalar *load = gali_look_load(&theirs, stage->tensor);
    return load && gali_look_is_own(&f->p->stages[reader], load) && go_into_readers(f, number);
}

/* ---- all ---- */

typedef int attempt(gali_fusion *f, uint32_t stage);

static int attempt_all(gali_fusion *f, attempt *one, int reduced) {
    int changed = 0;
    for (uint32_t i = f->p->stage_count; i-- > 0 && !f->p->arena->failed;) {
        const gali_program_stage *stage = &f->p->stages[i];
        while (!stage->gone && (stage->reduced > 0) == reduced && one(f, i)) {
            changed = 1;
        }
    }
    return changed;
}

gal_status gali_program_fuse(gali_program *p, gal_error *error) {
    gali_fusion f = {.p = p,
                     .scalars = gali_scalars_make(p->arena, p->graph->extents),
                     .readers = gali_arena_take(p->arena, (p->tensor_count + 1) * sizeof *f.readers),
                     .of_sizes = gali_arena_take(p->arena, p->tensor_count + 1),
                     .prepared = gali_arena_take(p->arena, (p->tensor_count + 1) * sizeof *f.prepared),
                     .into = gali_arena_take(p->arena, (p->stage_count + 1) * sizeof *f.into)};
    if (p->profile) {
        f.profile = *p->profile;
    } else if (gali_profile_built_in(&f.profile, error) != GAL_OK) {
        return error->status;
    }
    if (!p->arena->failed) {
        memset(f.into, 0xff, (p->stage_count + 1) * sizeof *f.into);
        gali_fusion_clean(&f);
        gali_fusion_sweep(&f);
        gali_fusion_find_tables(&f);
        gali_fusion_prepare_tables(&f);
    }
    while (!(p->without & GALI_WITHOUT_FUSE) && attempt_all(&f, go_into_tables, 0)) {
    }
    if (!p->arena->failed) {
        gali_fusion_use_prepared(&f);
    }
    for (int round = 0; !(p->without & GALI_WITHOUT_FUSE) && round < ROUNDS_MOST && !p->arena->failed;
         round++) {
        int changed = attempt_all(&f, finish, 1);
        while (attempt_all(&f, go_into_same, 0)) {
            changed |= 1 | attempt_all(&f, finish, 1);
        }
        if (!(changed | attempt_all(&f, go_into_readers, 0))) {
            break;
        }
    }
    if (!p->arena->failed) {
        gali_fusion_sweep(&f);
        gali_fusion_group(&f);
    }
    return p->arena->failed ? gali_fail(error, GAL_NO_MEMORY, "no memory to fuse") : GAL_OK;
}
