/*
 * In which order groups run: so that the least memory lives at once, at typical sizes (Niu 2023, section 5.4.3). Between two
 * steps any order will do in which each group reads what others made before.
 *
 * Groups that all others run before or after are cuts: no order of what lies between two of them changes what lives outside.
 * Between cuts the best order is found by going through all sets of groups that can have run, which are few for as many as
 * SEARCHED_MOST groups; beyond, through those of a window that slides over the order, by WINDOW_STEP groups, then by one. Groups
 * stay where they stand unless that saves memory: neighbours in the file are neighbours in the cache.
 *
 * The search's work has a bound, TRIED_MOST; what is left has one sweep of smaller windows. A graph of 508 groups side by side
 * stays within it and takes 2.9 s; one of 1,628 takes 3.4 s in place of 18, and 346 kB of workspace in place of 310.
 *
 * Groups that use the memory of one tensor under several names (`home`) keep their order.
 */
#include <string.h>

#include "base/error.h"
#include "compiler/program/look.h"
#include "compiler/program/program.h"

enum {
    SEARCHED_MOST = 16,
    SEARCHED_FEW = 12, /* once TRIED_MOST is spent */
    WINDOW_STEP = 5,
    SWEEPS_MOST = 6,
    TRIED_MOST = 64000000, /* groups that are added to sets, by all searches of a program */
    GROUPS_MOST = 4096
};

/* A tensor's memory: what makes it and what reads it last decide when it is there. */
typedef struct item {
    uint32_t maker; /* a group; GALI_NONE: none of this stretch */
    int64_t bytes;
    int stays; /* behind the stretch, too */
    uint32_t reader_count;
    uint32_t *readers; /* groups of the stretch */
} item;

/* The groups between two steps: first .. first + count - 1. */
typedef struct stretch {
    gali_program *p;
    gali_arena *arena;
    uint32_t first, count, words, item_count;
    uint64_t *tried;  /* groups that the program's searches have added to sets */
    uint64_t *before; /* [count][words] bit h of g: group first + h runs before group first + g */
    uint32_t *order;  /* [count] groups less first, as they run */
    uint32_t *at;     /* [count] its inverse */
    item *items;
} stretch;

/* What a stage of a group loads, and the tensors' memory. */
typedef struct uses {
    uint32_t *start;  /* [group_count + 1] first stage */
    uint32_t *root;   /* [tensor_count] the tensor that has the memory */
    uint8_t *aliased; /* [tensor_count] others lie in this tensor's memory */
    uint32_t **loads; /* [stage_count] tensors, GALI_NONE behind the last */
} uses;

/* ---- what groups read ---- */

static uint32_t *loads_of(const gali_program_stage *stage, gali_arena *arena, int *all) {
    gali_look look;
    uint32_t count = 0;
    if (!gali_program_look(stage, &look) || look.load_count > GALI_LOOK_LOADS_MAX) {
        *all = 0;
        return NULL;
    }
    uint32_t *list = gali_arena_take(arena, (look.load_count + 1) * sizeof *list);
    for (uint32_t i = 0; list && i < look.load_count; i++) {
        list[count++] = look.load[i]->source;
    }
    if (list) {
        list[count] = GALI_NONE;
    }
    return list;
}

/* Returns 0 where a stage reads more than can be looked at: then nothing is moved. */
static int find_uses(gali_program *p, gali_arena *arena, uses *u) {
    int all = 1;
    u->start = gali_arena_take(arena, (p->group_count + 2) * sizeof *u->start);
    u->root = gali_arena_take(arena, (p->tensor_count + 1) * sizeof *u->root);
    u->aliased = gali_arena_take(arena, p->tensor_count + 1);
    u->loads = gali_arena_take(arena, (p->stage_count + 1) * sizeof *u->loads);
    if (arena->failed) {
        return 0;
    }
    for (uint32_t t = 0; t < p->tensor_count; t++) {
        u->root[t] = t;
        while (p->tensors[u->root[t]].home != GALI_NONE) {
            u->root[t] = p->tensors[u->root[t]].home;
        }
        u->aliased[u->root[t]] |= u->root[t] != t;
    }
    for (uint32_t s = p->stage_count; s-- > 0;) {
        if (p->stages[s].group != GALI_NONE) {
            u->start[p->stages[s].group] = s;
            u->start[p->group_count] += p->stages[s].group + 1 == p->group_count; /* their number, so far */
        }
    }
    if (p->group_count) {
        u->start[p->group_count] += u->start[p->group_count - 1];
    }
    for (uint32_t s = 0; all && s < p->stage_count; s++) {
        u->loads[s] = p->stages[s].gone ? NULL : loads_of(&p->stages[s], arena, &all);
    }
    return all && !arena->failed;
}

/* ---- a stretch ---- */

static int runs_before(const stretch *h, uint32_t before, uint32_t group) {
    return (h->before[(size_t)group * h->words + before / 64] >> before % 64 & 1) != 0;
}

/* `before` and all that runs before it run before the group. */
static void add_before(stretch *h, uint32_t before, uint32_t group) {
    if (before == GALI_NONE || before == group) {
        return;
    }
    uint64_t *to = h->before + (size_t)group * h->words;
    const uint64_t *from = h->before + (size_t)before * h->words;
    for (uint32_t w = 0; w < h->words; w++) {
        to[w] |= from[w];
    }
    to[before / 64] |= (uint64_t)1 << before % 64;
}

/* Bytes at typical sizes, those that only running tells at their bounds. */
static int64_t bytes_of(const gali_program *p, const gali_type *type) {
    gali_extents *x = p->graph->extents;
    gali_extent bytes = gali_extent_mul(x, gali_type_count(x, type), gali_element_list[type->element].bytes);
    int64_t value = gali_extent_value(x, gali_program_bound(p, bytes, 1), p->typical ? p->typical : p->most);
    return gali_extent_is_number(value) && value > 0 ? value : 0;
}

/* The item of a tensor's memory that one of the stretch's groups makes or reads; NULL: it lies nowhere, or always. */
static item *item_of(stretch *h, const uses *u, uint32_t *number, uint32_t tensor, uint32_t block) {
    const gali_program *p = h->p;
    const gali_program_tensor *t = &p->tensors[tensor];
    if (t->role != GALI_TENSOR_MADE || t->home != GALI_NONE || u->aliased[tensor]) {
        return NULL;
    }
    if (number[tensor] == 0) {
        uint32_t maker = t->stage == GALI_NONE ? GALI_NONE : p->stages[t->stage].group;
        uint32_t last = t->last == GALI_NONE ? GALI_NONE : p->stages[t->last].group;
        int inside = maker != GALI_NONE && maker >= h->first && maker < h->first + h->count;
        int ends = last != GALI_NONE && last >= h->first && last < h->first + h->count;
        number[tensor] = ++h->item_count;
        h->items[h->item_count - 1] = (item){.maker = inside ? maker - h->first : GALI_NONE,
                                             .bytes = bytes_of(p, &t->type),
                                             .stays = !ends || t->block != block};
    }
    return &h->items[number[tensor] - 1];
}

static void add_reader(stretch *h, item *i, uint32_t group) {
    for (uint32_t k = 0; k < i->reader_count; k++) {
        if (i->readers[k] == group) {
            return;
        }
    }
    if ((i->reader_count & (i->reader_count - 1)) == 0) { /* room for the next power of two */
        uint32_t *more = gali_arena_take(h->arena, (2 * (size_t)i->reader_count + 1) * sizeof *more);
        if (!more) {
            return;
        }
        if (i->reader_count) {
            memcpy(more, i->readers, i->reader_count * sizeof *more);
        }
        i->readers = more;
    }
    i->readers[i->reader_count++] = group;
}

/* What one stage makes and reads: who runs before its group, and whose memory is used. */
static void enter_stage(stretch *h, const uses *u, uint32_t *number, uint32_t *aliased_by, uint32_t s) {
    gali_program *p = h->p;
    const gali_program_stage *stage = &p->stages[s];
    uint32_t group = stage->group - h->first, own[2] = {stage->tensor, GALI_NONE};
    const uint32_t *lists[2] = {u->loads[s], own};
    item_of(h, u, number, stage->tensor, stage->block);
    for (int l = 0; l < 2; l++) {
        for (const uint32_t *t = lists[l]; *t != GALI_NONE; t++) {
            uint32_t maker = p->tensors[*t].stage, root = u->root[*t];
            uint32_t by = maker == GALI_NONE || p->stages[maker].gone ? GALI_NONE : p->stages[maker].group;
            if (l == 0 && by != GALI_NONE && by >= h->first && by < stage->group) {
                add_before(h, by - h->first, group);
            }
            if (u->aliased[root]) { /* under whatever name */
                add_before(h, aliased_by[root] - 1, group);
                aliased_by[root] = group + 1;
            }
            item *i = l == 0 ? item_of(h, u, number, *t, stage->block) : NULL;
            if (i) {
                add_reader(h, i, group);
            }
        }
    }
}

static int enter(stretch *h, const uses *u) {
    gali_program *p = h->p;
    uint32_t *number = gali_arena_take(h->arena, (p->tensor_count + 1) * sizeof *number);
    uint32_t *aliased_by = gali_arena_take(h->arena, (p->tensor_count + 1) * sizeof *aliased_by);
    h->words = (h->count + 63) / 64;
    h->before = gali_arena_take(h->arena, (size_t)h->count * h->words * sizeof *h->before);
    h->order = gali_arena_take(h->arena, h->count * sizeof *h->order);
    h->at = gali_arena_take(h->arena, h->count * sizeof *h->at);
    h->items = gali_arena_take(h->arena, (p->tensor_count + 1) * sizeof *h->items);
    if (h->arena->failed) {
        return 0;
    }
    for (uint32_t g = 0; g < h->count; g++) {
        h->order[g] = h->at[g] = g;
    }
    for (uint32_t s = u->start[h->first]; s < u->start[h->first + h->count]; s++) {
        if (!p->stages[s].gone) {
            enter_stage(h, u, number, aliased_by, s);
        }
    }
    return !h->arena->failed;
}

/* ---- the best order of a few ---- */

/* An item as a set of groups sees it: bits of those of a window. */
typedef struct seen {
    uint32_t maker, readers; /* no maker: it is there before */
    int64_t bytes;
    int stays;
} seen;

typedef struct window {
    uint32_t first, count, seen_count;
    seen *list;
    uint32_t before[SEARCHED_MOST]; /* groups of the window that run before each */
} window;

/* What of an item changes while groups first .. first + count - 1 of the order run; 0: nothing. */
static int see(const stretch *h, const window *w, const item *i, seen *out) {
    *out = (seen){.bytes = i->bytes, .stays = i->stays};
    uint32_t at = i->maker == GALI_NONE ? 0 : h->at[i->maker];
    if (i->maker != GALI_NONE && at >= w->first + w->count) {
        return 0;
    }
    out->maker = i->maker != GALI_NONE && at >= w->first ? 1u << (at - w->first) : 0;
    for (uint32_t k = 0; k < i->reader_count; k++) {
        at = h->at[i->readers[k]];
        out->stays |= at >= w->first + w->count;
        out->readers |= at >= w->first && at < w->first + w->count ? 1u << (at - w->first) : 0;
    }
    return out->maker || (out->readers && !out->stays);
}

/* Bytes that live when the set has run, or, with a group of it, while that runs as the last. */
static int64_t alive(const window *w, uint32_t set, uint32_t running) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < w->seen_count; i++) {
        const seen *s = &w->list[i];
        int there = !s->maker || (s->maker & set);
        int needed = s->stays || (s->readers & ~(set & ~running)) || (s->maker & running);
        bytes += there && needed ? s->bytes : 0;
    }
    return bytes;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* The most that lives at once as the groups stand. */
static int64_t peak_of(const window *w) {
    int64_t peak = 0;
    for (uint32_t g = 0; g < w->count; g++) {
        peak = larger(peak, alive(w, (2u << g) - 1, 1u << g));
    }
    return peak;
}

/* The least peak of each set of groups that can have run, if it is below that, and which ran last. Returns that of all. */
static int64_t search(const window *w, int64_t below, int64_t *best, uint8_t *last, uint64_t *tried) {
    uint32_t sets = 1u << w->count;
    for (uint32_t set = 1; set < sets; set++) {
        best[set] = INT64_MAX;
    }
    best[0] = 0;
    for (uint32_t set = 0; set < sets; set++) {
        for (uint32_t g = 0; best[set] != INT64_MAX && g < w->count; g++) {
            uint32_t own = 1u << g;
            if (!(set & own) && (w->before[g] & ~set) == 0) {
                int64_t peak = larger(best[set], alive(w, set | own, own));
                ++*tried;
                if (peak < below && peak < best[set | own]) {
                    best[set | own] = peak;
                    last[set | own] = (uint8_t)g;
                }
            }
        }
    }
    return best[sets - 1];
}

/* Returns whether another order is better. */
static int improve(stretch *h, uint32_t first, uint32_t count) {
    gali_arena arena = {0};
    uint32_t made[SEARCHED_MOST];
    window w = {.first = first, .count = count};
    w.list = gali_arena_take(&arena, (h->item_count + 1) * sizeof *w.list);
    int64_t *best = gali_arena_take(&arena, ((size_t)1 << count) * sizeof *best);
    uint8_t *last = gali_arena_take(&arena, (size_t)1 << count);
    for (uint32_t i = 0; !arena.failed && i < h->item_count; i++) {
        w.seen_count += (uint32_t)see(h, &w, &h->items[i], &w.list[w.seen_count]);
    }
    for (uint32_t g = 0; g < count; g++) {
        for (uint32_t b = 0; b < count; b++) {
            w.before[g] |= runs_before(h, h->order[first + b], h->order[first + g]) ? 1u << b : 0;
        }
    }
    int64_t now = peak_of(&w);
    int better = !arena.failed && w.seen_count > 1 && search(&w, now, best, last, h->tried) < now;
    if (better) {
        uint32_t set = (1u << count) - 1;
        for (uint32_t k = count; k-- > 0;) {
            made[k] = h->order[first + last[set]];
            set &= ~(1u << last[set]);
        }
        for (uint32_t k = 0; k < count; k++) {
            h->order[first + k] = made[k];
            h->at[made[k]] = first + k;
        }
    }
    h->arena->failed |= arena.failed;
    gali_arena_release(&arena);
    return better;
}

/* ---- cuts ---- */

/* Whether every other group runs before it or after it. */
static int is_cut(const stretch *h, uint32_t group) {
    for (uint32_t g = 0; g < h->count; g++) {
        if (g != group && !runs_before(h, g, group) && !runs_before(h, group, g)) {
            return 0;
        }
    }
    return 1;
}

/* How many groups a window over the next `left` has. */
static uint32_t window_of(const stretch *h, uint32_t left) {
    if (left <= SEARCHED_FEW) {
        return left;
    }
    return *h->tried >= TRIED_MOST ? SEARCHED_FEW : left < SEARCHED_MOST ? left : SEARCHED_MOST;
}

/* The groups between two cuts, the second with them. */
static void order_piece(stretch *h, uint32_t first, uint32_t count) {
    gali_program_order_facts *facts = &h->p->order_facts;
    facts->pieces++;
    facts->largest = count > facts->largest ? count : facts->largest;
    if (count <= SEARCHED_MOST && window_of(h, count) == count) {
        facts->searched++;
        improve(h, first, count);
        return;
    }
    uint32_t step = WINDOW_STEP;
    for (int sweep = 0; sweep < SWEEPS_MOST && (sweep == 0 || *h->tried < TRIED_MOST); sweep++) {
        int better = 0;
        for (uint32_t at = 0, end = 0; end < count && (step > 1 || *h->tried < TRIED_MOST); at += step) {
            uint32_t size = window_of(h, count - at);
            better |= improve(h, first + at, size);
            end = at + size;
        }
        if (!better && step == 1) {
            break;
        }
        step = better ? step : 1; /* then none is left out */
    }
}

/* A cut stands where it stood in any order, so it is one in this. */
static void order_stretch(stretch *h) {
    uint32_t begin = 0;
    for (uint32_t g = 0; g < h->count && !h->arena->failed; g++) {
        if (g + 1 == h->count || is_cut(h, g)) {
            if (g > begin + 1) {
                order_piece(h, begin, g + 1 - begin);
            }
            begin = g + 1;
        }
    }
}

/* ---- moving groups ---- */

/* to[k]: the stage that stands at k from now on. */
static void note_moved(const stretch *h, const uses *u, uint32_t *to) {
    uint32_t place = u->start[h->first];
    for (uint32_t k = 0; k < h->count; k++) {
        uint32_t group = h->first + h->order[k];
        for (uint32_t s = u->start[group]; s < u->start[group + 1]; s++) {
            to[place++] = s;
        }
    }
}

/* Stages as they stand now; groups are numbered by their order. */
static void move(gali_program *p, const uses *u, const uint32_t *to, gali_arena *arena) {
    gali_program_stage *stages = gali_arena_take(p->arena, (p->stage_count + 1) * sizeof *stages);
    uint32_t *place = gali_arena_take(arena, (p->stage_count + 1) * sizeof *place);
    uint32_t *number = gali_arena_take(arena, (p->group_count + 1) * sizeof *number);
    uint32_t *end = gali_arena_take(arena, (p->group_count + 1) * sizeof *end);
    if (arena->failed || p->arena->failed) {
        return;
    }
    uint32_t groups = 0, group = GALI_NONE;
    for (uint32_t k = 0; k < p->stage_count; k++) {
        stages[k] = p->stages[to[k]];
        place[to[k]] = k;
        if (stages[k].group != GALI_NONE && stages[k].group != group) {
            group = stages[k].group;
            number[group] = groups++;
        }
        if (!stages[k].gone) {
            end[group] = k;
        }
    }
    for (uint32_t t = 0; t < p->tensor_count; t++) {
        gali_program_tensor *tensor = &p->tensors[t];
        uint32_t stage = tensor->stage = tensor->stage == GALI_NONE ? GALI_NONE : place[tensor->stage];
        tensor->last = stage == GALI_NONE || stages[stage].gone ? GALI_NONE : end[stages[stage].group];
    }
    for (uint32_t s = 0; s < p->stage_count; s++) {
        for (const uint32_t *t = u->loads[s]; t && *t != GALI_NONE; t++) {
            uint32_t *last = &p->tensors[*t].last, own = end[p->stages[s].group];
            *last = *last == GALI_NONE || own > *last ? own : *last;
        }
    }
    for (uint32_t k = 0; k < p->stage_count; k++) {
        stages[k].group = stages[k].group == GALI_NONE ? GALI_NONE : number[stages[k].group];
    }
    for (uint32_t e = 0; e < p->edge_count; e++) {
        p->edges[e].reader = number[p->edges[e].reader];
    }
    p->stages = stages;
}

/* The groups that begin behind this one and before the next step. */
static uint32_t end_of_stretch(const gali_program *p, const uses *u, uint32_t first) {
    uint32_t step = 0, end = first + 1;
    while (step < p->step_count && p->steps[step].before <= u->start[first]) {
        step++;
    }
    uint32_t before = step < p->step_count ? p->steps[step].before : p->stage_count;
    while (end < p->group_count && u->start[end] < before) {
        end++;
    }
    return end;
}

gal_status gali_program_order(gali_program *p, gal_error *error) {
    gali_arena arena = {0};
    uses u;
    uint64_t tried = 0;
    uint32_t *to = gali_arena_take(&arena, (p->stage_count + 1) * sizeof *to);
    int can = to && find_uses(p, &arena, &u), moved = 0;
    for (uint32_t s = 0; can && s < p->stage_count; s++) {
        to[s] = s;
    }
    for (uint32_t first = 0, end; can && first < p->group_count; first = end) {
        gali_arena own = {0};
        end = end_of_stretch(p, &u, first);
        stretch h = {.p = p, .arena = &own, .tried = &tried, .first = first, .count = end - first};
        if (h.count > 2 && h.count <= GROUPS_MOST && enter(&h, &u)) {
            order_stretch(&h);
            note_moved(&h, &u, to);
            moved = 1;
        }
        arena.failed |= own.failed;
        gali_arena_release(&own);
    }
    if (moved && !arena.failed) {
        move(p, &u, to, &arena);
    }
    int failed = arena.failed || p->arena->failed;
    gali_arena_release(&arena);
    return failed ? gali_fail(error, GAL_NO_MEMORY, "no memory to order groups") : GAL_OK;
}
