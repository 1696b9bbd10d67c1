/*
 * Stages joined to groups, each of which is one function of C. Two groups become one where
 *
 *     rows    what the one reads of the other it reads in its own row: some axes are the same in all their stages, so that
 *             one nest of loops over them runs all of it, and of what passes between them a row is needed at a time
 *     colour  green: neither has a product. Red: a product after any sum, since it reads what the other makes again and
 *             again, and two products. Yellow: what follows a product and does not finish it, and what is computed before
 *             one. A product is fast by tiles of many rows, so a nest of rows around it costs more than a row in the cache
 *             saves, unless the profile knows better (profile.h)
 *     order   nothing that the one needs is made of the other outside of both
 *
 * A fold is a sum of which each result reads elements of its own row, such as a mean, a largest, a pool, a depthwise
 * convolution. A product reads an element for many results: a product of matrices, a convolution. (DNNFusion, table 3.3 has both as many-to-many, red.)
 */
#include <string.h>

#include "compiler/program/fusion.h"

enum {
    STAGES_MOST = 12,
    TENSORS_MOST = 36,
    NEST_MOST = GALI_RANK_MAX,
    WALK_MOST = 4096, /* stages that are looked at for a way around: past it there may be one */
};

typedef enum sort { PLAIN, FOLD, PRODUCT } sort;

/* What a stage reads: its loads. */
typedef struct loads {
    uint32_t count;
    const gali_scalar **list;
} loads;

/* Of the head of a group. */
typedef struct contents {
    uint32_t stages, tensors, folds, products;
    uint32_t rows;        /* axes of its nest */
    uint32_t first, last; /* stages */
} contents;

typedef struct joining {
    gali_fusion *f;
    gali_program *p;
    loads *loads;              /* [stage_count] */
    uint8_t *sort;             /* [stage_count] */
    uint32_t *head;            /* [stage_count] a stage of the same group, the same one for all of it */
    uint32_t *next;            /* [stage_count] the group's stages in a ring */
    contents *of;              /* [stage_count] of heads */
    uint8_t (*row)[NEST_MOST]; /* [stage_count] which axis of the stage each axis of its nest is */
    uint32_t *segment;         /* [stage_count] how many steps stand before it: groups lie between two steps */
    uint32_t *over;            /* [stage_count] groups of stages up to this one and of others behind it */
    uint32_t *mark, now;       /* [stage_count] for walks */
    uint32_t walked, end;      /* of a walk: stages behind its end lead to nothing before it */
} joining;

/* ---- kinds of sums ---- */

/* A load of the sum, of what is not constant. */
static int is_summed(const gali_program *p, const gali_program_stage *stage, const gali_scalar *load) {
    return p->tensors[load->source].role != GALI_TENSOR_CONSTANT && gali_look_has_load(stage->value, load);
}

static sort sort_of(const gali_program *p, const gali_program_stage *stage, const loads *l) {
    for (uint32_t i = 0; stage->reduced && i < l->count; i++) {
        for (uint32_t axis = 0; is_summed(p, stage, l->list[i]) && axis < stage->rank; axis++) {
            if (stage->extent[axis] != 1 && !gali_look_reads_along(l->list[i], axis)) {
                return PRODUCT;
            }
        }
    }
    return stage->reduced ? FOLD : PLAIN;
}

/* ---- rows ---- */

/* The pairs of axes of both nests that are the same where `reader` reads the tensor of `maker`, as bits of the maker's. */
static uint32_t same_rows(const joining *j, uint32_t maker, uint32_t reader, uint8_t pair[NEST_MOST]) {
    const gali_program_stage *from = &j->p->stages[maker], *to = &j->p->stages[reader];
    const loads *l = &j->loads[reader];
    uint32_t rows = 0;
    for (uint32_t m = 0; m < j->of[j->head[maker]].rows; m++) {
        uint32_t axis = j->row[maker][m];
        for (uint32_t r = 0; r < j->of[j->head[reader]].rows; r++) {
            uint32_t own = j->row[reader][r];
            int same = from->extent[axis] == to->extent[own];
            for (uint32_t i = 0; same && i < l->count; i++) {
                const gali_scalar *index = l->list[i]->index[axis];
                same = l->list[i]->source != from->tensor ||
                       (index && index->op == GALI_SCALAR_axis && index->source == own);
            }
            if (same) {
                rows |= 1u << m;
                pair[m] = (uint8_t)r;
            }
        }
    }
    return rows;
}

typedef struct nest {
    uint32_t rows;           /* bits of the makers' */
    uint8_t pair[NEST_MOST]; /* the readers' */
    int met;                 /* some stage of the one reads of the other */
} nest;

/* The rows that are the same wherever group b reads of group a. */
static nest nest_of(const joining *j, uint32_t a, uint32_t b) {
    nest n = {.rows = (1u << NEST_MOST) - 1};
    uint32_t s = a;
    do {
        for (const gali_reader *r = j->f->readers[j->p->stages[s].tensor]; r; r = r->next) {
            uint8_t pair[NEST_MOST] = {0};
            if (j->head[r->stage] != b) {
                continue;
            }
            uint32_t rows = same_rows(j, s, r->stage, pair);
            for (uint32_t m = 0; m < NEST_MOST; m++) {
                int keeps = rows >> m & n.rows >> m & 1 && (!n.met || n.pair[m] == pair[m]);
                n.rows &= keeps ? ~0u : ~(1u << m);
                n.pair[m] = pair[m];
            }
            n.met = 1;
        }
        s = j->next[s];
    } while (s != a);
    return n;
}

/* ---- order ---- */

/* Whether group b is reached from the stage through a third group; a stage of one brings all of that group. */
static int reaches(joining *j, uint32_t stage, uint32_t a, uint32_t b, int outside) {
    uint32_t head = j->head[stage];
    if (outside && head == b) {
        return 1;
    }
    if (stage > j->end) {
        return 0;
    }
    outside |= head != a && head != b;
    if (j->mark[stage] == j->now + (uint32_t)outside) {
        return 0;
    }
    j->mark[stage] = j->now + (uint32_t)outside;
    if (j->walked++ == WALK_MOST) {
        return 1;
    }
    for (const gali_reader *r = j->f->readers[j->p->stages[stage].tensor]; r; r = r->next) {
        if (reaches(j, r->stage, a, b, outside)) {
            return 1;
        }
    }
    return outside && reaches(j, j->next[stage], a, b, 1);
}

static int has_other_way(joining *j, uint32_t a, uint32_t b) {
    uint32_t s = a;
    j->now += 2;
    j->walked = 0;
    j->end = j->of[b].last;
    while (j->over[j->end]) { /* a stage reads of earlier ones, so a group alone leads back */
        j->end++;
    }
    do {
        if (reaches(j, s, a, b, 0)) {
            return 1;
        }
        s = j->next[s];
    } while (s != a);
    return 0;
}

/* ---- colour ---- */

static int product_reads(const joining *j, uint32_t a, uint32_t b) {
    uint32_t s = a;
    do {
        for (const gali_reader *r = j->f->readers[j->p->stages[s].tensor]; r; r = r->next) {
            if (j->head[r->stage] == b && j->sort[r->stage] == PRODUCT) {
                return 1;
            }
        }
        s = j->next[s];
    } while (s != a);
    return 0;
}

/* Why classes of sums forbid that the groups are one; NULL: they do not, or were measured to be faster so. */
static const char *colour_of(const joining *j, uint32_t a, uint32_t b) {
    const contents of_a = j->of[a], of_b = j->of[b];
    const gali_profile *profile = &j->f->profile;
    if (product_reads(j, a, b)) {
        return of_a.folds + of_a.products ? "red: a product of what a sum makes"
               : gali_profile_fuses(profile, GALI_PAIR_COMPUTE_PRODUCT)
                   ? NULL
                   : "yellow: a product of what is computed, which was measured to be faster apart";
    }
    if (of_b.products) {
        return "red: a product beside it";
    }
    if (of_a.products && of_b.folds) {
        return gali_profile_fuses(profile, GALI_PAIR_PRODUCT_FOLD)
                   ? NULL
                   : "yellow: a sum after a product, whose tiles are of many rows";
    }
    return !of_a.products || gali_profile_fuses(profile, GALI_PAIR_PRODUCT_COMPUTE)
               ? NULL
               : "yellow: after a product, which it does not finish";
}

/* Why the groups stay two; NULL: they may be one, with that nest. */
static const char *obstacle(joining *j, uint32_t a, uint32_t b, nest *n) {
    const contents of_a = j->of[a], of_b = j->of[b];
    if (j->segment[a] != j->segment[b]) {
        return "a step of control flow between them";
    }
    if (j->f->of_sizes[j->p->stages[a].tensor] != j->f->of_sizes[j->p->stages[b].tensor]) {
        return "a table, which sizes alone make: once per call";
    }
    if (j->p->stages[a].patterns || j->p->stages[b].patterns) {
        return "a sum by patterns, whose tiles are of all filters";
    }
    *n = nest_of(j, a, b);
    const char *why = colour_of(j, a, b);
    if (why) {
        return why;
    }
    if (of_a.stages + of_b.stages > STAGES_MOST || of_a.tensors + of_b.tensors > TENSORS_MOST) {
        return "too large a function";
    }
    if (!n->rows) {
        return "no row that is the same in both";
    }
    return has_other_way(j, a, b) ? "what stands between them" : NULL;
}

/* ---- joining ---- */

static void set_rows(joining *j, uint32_t group, uint32_t rows, const uint8_t *pair, uint32_t head) {
    uint32_t s = group;
    do {
        uint8_t own[NEST_MOST] = {0};
        uint32_t count = 0;
        for (uint32_t m = 0; m < NEST_MOST; m++) {
            if (rows >> m & 1) {
                own[count++] = j->row[s][pair ? pair[m] : m];
            }
        }
        memcpy(j->row[s], own, sizeof own);
        j->head[s] = head;
        s = j->next[s];
    } while (s != group);
}

static void mark_over(joining *j, const contents *of, uint32_t by) {
    for (uint32_t s = of->first; s < of->last; s++) {
        j->over[s] += by;
    }
}

static void join(joining *j, uint32_t a, uint32_t b, const nest *n) {
    contents *of = &j->of[b];
    const contents *more = &j->of[a];
    uint32_t next = j->next[a];
    mark_over(j, of, (uint32_t)-1);
    mark_over(j, more, (uint32_t)-1);
    set_rows(j, a, n->rows, NULL, b);
    set_rows(j, b, n->rows, n->pair, b);
    j->next[a] = j->next[b];
    j->next[b] = next;
    *of = (contents){.stages = of->stages + more->stages,
                     .tensors = of->tensors + more->tensors,
                     .folds = of->folds + more->folds,
                     .products = of->products + more->products,
                     .first = of->first < more->first ? of->first : more->first,
                     .last = of->last > more->last ? of->last : more->last};
    mark_over(j, of, 1);
    for (uint32_t m = 0; m < NEST_MOST; m++) {
        of->rows += n->rows >> m & 1;
    }
}

/* The stages of one node and stretch are one group, whatever they are. */
static void join_nodes(joining *j) {
    uint32_t last = GALI_NONE;
    for (uint32_t s = 0; s < j->p->stage_count; s++) {
        const gali_program_stage *stage = &j->p->stages[s];
        if (stage->gone) {
            continue;
        }
        if (last != GALI_NONE && stage->node != GALI_NONE && j->p->stages[last].node == stage->node &&
            j->p->stages[last].stretch == stage->stretch && j->segment[last] == j->segment[s]) {
            uint32_t a = j->head[last];
            nest n = nest_of(j, a, s);
            n.rows = n.met ? n.rows : 0;
            join(j, a, s, &n);
        }
        last = s;
    }
}

static int join_makers(joining *j, uint32_t stage) {
    int joined = 0;
    for (uint32_t i = 0; i < j->loads[stage].count; i++) {
        uint32_t maker = j->p->tensors[j->loads[stage].list[i]->source].stage;
        if (maker == GALI_NONE || j->p->stages[maker].gone || j->head[maker] == j->head[stage]) {
            continue;
        }
        nest n;
        uint32_t a = j->head[maker], b = j->head[stage];
        if (!obstacle(j, a, b, &n)) {
            join(j, a, b, &n);
            joined = 1;
        }
    }
    return joined;
}

/* ---- in order ---- */

typedef struct ordering {
    uint32_t *group;   /* [stage_count] of heads: their number; GALI_NONE: not yet */
    uint32_t *waiting; /* [stage_count] of heads: reads of other groups that are not numbered yet */
} ordering;

/* The groups that read of a stage wait for one more, or one less; the first stage of those that wait no more, or `first`. */
static uint32_t wait_for(const joining *j, ordering *o, uint32_t stage, int by, uint32_t first) {
    for (const gali_reader *r = j->f->readers[j->p->stages[stage].tensor]; r; r = r->next) {
        uint32_t other = j->head[r->stage], s = other;
        if (other == j->head[stage]) {
            continue;
        }
        o->waiting[other] += (uint32_t)by;
        do {
            first = o->waiting[other] == 0 && s < first ? s : first;
            s = j->next[s];
        } while (s != other);
    }
    return first;
}

/* Numbers the groups, the next one always the first that waits for none. */
static void number_groups(const joining *j, ordering *o) {
    gali_program *p = j->p;
    for (uint32_t s = 0; s < p->stage_count; s++) {
        o->group[s] = GALI_NONE;
        if (!p->stages[s].gone) {
            wait_for(j, o, s, 1, 0);
        }
    }
    p->group_count = 0;
    for (uint32_t s = 0, then; s < p->stage_count; s = then) {
        uint32_t head = p->stages[s].gone ? GALI_NONE : j->head[s], k = s;
        then = s + 1;
        if (head == GALI_NONE || o->group[head] != GALI_NONE || o->waiting[head]) {
            continue;
        }
        o->group[head] = p->group_count++;
        do {
            then = wait_for(j, o, k, -1, then);
            k = j->next[k];
        } while (k != s);
    }
}

/* The group of a stage, or that of what it went into. */
static uint32_t group_of(const joining *j, const ordering *o, uint32_t stage) {
    while (stage != GALI_NONE && j->p->stages[stage].gone) {
        stage = j->f->into[stage];
    }
    return stage == GALI_NONE ? GALI_NONE : o->group[j->head[stage]];
}

/*
 * Steps and the ends of blocks stand where they stood: before the first group of what followed them. at[i]: where the stages
 * behind i steps begin.
 */
static void move_steps(gali_program *p, const uint32_t *at) {
    for (uint32_t b = 0; b < p->block_count; b++) {
        uint32_t step = 0;
        while (step < p->step_count && p->steps[step].before != p->blocks[b].end) {
            step++;
        }
        p->blocks[b].end = step < p->step_count ? at[step + 1] : p->stage_count;
    }
    for (uint32_t i = 0; i < p->step_count; i++) {
        p->steps[i].before = at[i + 1];
    }
}

/* Stages group by group; those that went for nobody stand at the end. */
static void bring_together(joining *j, const ordering *o) {
    gali_program *p = j->p;
    gali_program_stage *stages = gali_arena_take(p->arena, (p->stage_count + 1) * sizeof *stages);
    uint32_t *place = gali_arena_take(p->arena, (p->stage_count + 1) * sizeof *place);
    uint32_t *start = gali_arena_take(p->arena, (p->group_count + 2) * sizeof *start);
    uint32_t *at = gali_arena_take(p->arena, (p->step_count + 2) * sizeof *at);
    if (!stages || !place || !start || !at) {
        return;
    }
    for (uint32_t s = 0; s < p->stage_count; s++) {
        uint32_t group = group_of(j, o, s);
        start[group == GALI_NONE ? p->group_count + 1 : group + 1]++;
    }
    start[p->group_count + 1] = 0;
    for (uint32_t g = 1; g <= p->group_count; g++) {
        start[g] += start[g - 1];
    }
    for (uint32_t i = 0; i <= p->step_count; i++) {
        at[i] = start[p->group_count];
    }
    for (uint32_t s = 0; s < p->stage_count; s++) {
        uint32_t group = p->stages[s].gone ? GALI_NONE : o->group[j->head[s]];
        for (uint32_t i = 0; group != GALI_NONE && i <= j->segment[s]; i++) {
            at[i] = start[group] < at[i] ? start[group] : at[i];
        }
    }
    for (uint32_t s = 0; s < p->stage_count; s++) {
        uint32_t group = group_of(j, o, s);
        uint32_t to = place[s] = start[group == GALI_NONE ? p->group_count : group]++;
        stages[to] = p->stages[s];
        stages[to].group = group;
        stages[to].rows = p->stages[s].gone ? 0 : j->of[j->head[s]].rows;
        memcpy(stages[to].row, j->row[s], sizeof stages[to].row);
        p->tensors[stages[to].tensor].stage = to;
    }
    for (uint32_t t = 0; t < p->tensor_count; t++) {
        for (gali_reader *r = j->f->readers[t]; r; r = r->next) {
            r->stage = place[r->stage];
        }
    }
    p->stages = stages;
    move_steps(p, at);
}

/* A group runs as one: what it reads lives until its last stage. */
static void count_readers(const gali_fusion *f) {
    gali_program *p = f->p;
    uint32_t *end = gali_arena_take(p->arena, (p->group_count + 1) * sizeof *end);
    for (uint32_t s = 0; end && s < p->stage_count; s++) {
        if (!p->stages[s].gone) {
            end[p->stages[s].group] = s;
        }
    }
    for (uint32_t i = 0; end && i < p->tensor_count; i++) {
        gali_program_tensor *t = &p->tensors[i];
        t->readers = t->role == GALI_TENSOR_OUTPUT;
        t->last =
            t->stage == GALI_NONE || p->stages[t->stage].gone ? GALI_NONE : end[p->stages[t->stage].group];
        for (const gali_reader *r = f->readers[i]; r; r = r->next) {
            uint32_t last = end[p->stages[r->stage].group];
            t->readers++;
            t->last = t->last == GALI_NONE || last > t->last ? last : t->last;
        }
    }
}

/* Why what is stored between two groups is. */
static void note_edges(joining *j) {
    gali_program *p = j->p;
    uint32_t capacity = 0;
    for (uint32_t t = 0; t < p->tensor_count; t++) {
        for (const gali_reader *r = j->f->readers[t]; r; r = r->next) {
            capacity++;
        }
    }
    p->edges = gali_arena_take(p->arena, (capacity + 1) * sizeof *p->edges);
    for (uint32_t t = 0; p->edges && t < p->tensor_count; t++) {
        uint32_t maker = p->tensors[t].stage, first = p->edge_count;
        for (const gali_reader *r = j->f->readers[t]; r && maker != GALI_NONE; r = r->next) {
            uint32_t a = j->head[maker], b = j->head[r->stage];
            nest n;
            int new = a != b;
            for (uint32_t i = first; new && i < p->edge_count; i++) {
                new = p->edges[i].reader != b;
            }
            if (new) {
                const char *why = obstacle(j, a, b, &n);
                p->edges[p->edge_count++] =
                    (gali_program_edge){.tensor = t, .reader = b, .why = why ? why : ""};
            }
        }
    }
}

static loads loads_of(const gali_program *p, const gali_program_stage *stage) {
    gali_look look;
    loads l = {.count = 0};
    p->arena->failed |= stage->gone ? 0 : !gali_program_look(stage, &look);
    if (!stage->gone && !p->arena->failed) {
        l.count = look.load_count < GALI_LOOK_LOADS_MAX ? look.load_count : GALI_LOOK_LOADS_MAX;
        l.list = gali_arena_take(p->arena, (l.count + 1) * sizeof *l.list);
        for (uint32_t i = 0; l.list && i < l.count; i++) {
            l.list[i] = look.load[i];
        }
    }
    return l;
}

static int begin(joining *j, ordering *o) {
    gali_program *p = j->p;
    uint32_t steps = 0;
    size_t count = (size_t)p->stage_count + 1;
    j->loads = gali_arena_take(p->arena, count * sizeof *j->loads);
    j->sort = gali_arena_take(p->arena, count);
    j->head = gali_arena_take(p->arena, count * sizeof *j->head);
    j->next = gali_arena_take(p->arena, count * sizeof *j->next);
    j->of = gali_arena_take(p->arena, count * sizeof *j->of);
    j->row = gali_arena_take(p->arena, count * sizeof *j->row);
    j->over = gali_arena_take(p->arena, count * sizeof *j->over);
    j->mark = gali_arena_take(p->arena, count * sizeof *j->mark);
    j->segment = gali_arena_take(p->arena, count * sizeof *j->segment);
    o->group = gali_arena_take(p->arena, count * sizeof *o->group);
    o->waiting = gali_arena_take(p->arena, count * sizeof *o->waiting);
    for (uint32_t s = 0; !p->arena->failed && s < p->stage_count; s++) {
        const gali_program_stage *stage = &p->stages[s];
        while (steps < p->step_count && p->steps[steps].before <= s) {
            steps++;
        }
        j->segment[s] = steps;
        j->loads[s] = loads_of(p, stage);
        j->sort[s] = (uint8_t)(stage->gone ? PLAIN : sort_of(p, stage, &j->loads[s]));
        j->head[s] = j->next[s] = s;
        j->of[s] = (contents){.stages = 1,
                              .tensors = j->loads[s].count + 1,
                              .folds = j->sort[s] == FOLD,
                              .products = j->sort[s] == PRODUCT,
                              .first = s,
                              .last = s};
        for (uint32_t i = 0; i < stage->rank; i++) {
            if (stage->extent[i] != 1) {
                j->row[s][j->of[s].rows++] = (uint8_t)i;
            }
        }
    }
    return !p->arena->failed;
}

void gali_fusion_group(gali_fusion *f) {
    joining j = {.f = f, .p = f->p};
    ordering o;
    if (!begin(&j, &o)) {
        return;
    }
    join_nodes(&j);
    for (int changed = !(f->p->without & GALI_WITHOUT_FUSE); changed;) {
        changed = 0;
        for (uint32_t s = f->p->stage_count; s-- > 0;) {
            changed |= !f->p->stages[s].gone && join_makers(&j, s);
        }
    }
    note_edges(&j);
    number_groups(&j, &o);
    for (uint32_t i = 0; i < f->p->edge_count; i++) {
        f->p->edges[i].reader = o.group[f->p->edges[i].reader];
    }
    bring_together(&j, &o);
    if (!f->p->arena->failed) {
        count_readers(f);
    }
}
