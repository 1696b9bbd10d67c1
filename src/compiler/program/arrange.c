#include "compiler/program/arrange.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/program/lives.h"
#include "graph/graph.h"

enum {
    ALL_ORDERS_MOST = 7,  /* blocks that are laid in all orders: 5,040 */
    TRIED_MOST = 2000,    /* blocks that are laid in several */
    WORK_MOST = 20000000, /* pairs of blocks that are looked at for a better order */
};

typedef enum ranking { BY_BYTES, BY_FIRST, BY_LAST, BY_PEAK, BY_AREA, RANKING_COUNT } ranking;

/* A block that is laid. */
typedef struct laid {
    int64_t at;
    uint32_t number;
} laid;

typedef struct arranging {
    gali_block *blocks;
    uint32_t count, placed, sorted;
    uint32_t *order;         /* [count] in which they are laid */
    uint32_t *best;          /* [count] the best one so far */
    laid *low;               /* [placed] of these the first `sorted` by where they lie, the lowest first */
    laid *near;              /* [count] room for some of them */
    uint32_t *found;         /* [count] room */
    uint8_t *is_laid;        /* [count] */
    const gali_lives *lives; /* NULL: of few, which are all looked at */
    int64_t least, alive;    /* the best end; what no order is below */
    int64_t work;
    uint32_t random;
} arranging;

int gali_blocks_meet(const gali_block *a, const gali_block *b) {
    return a->first <= b->last && b->first <= a->last;
}

/* Bytes that live at each time. [*times] */
static int64_t *alive_at(const gali_block *blocks, uint32_t count, uint32_t *times, gali_arena *arena) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        last = blocks[i].last > last ? blocks[i].last : last;
    }
    *times = last + 1;
    int64_t *alive = gali_arena_take(arena, ((size_t)last + 2) * sizeof *alive);
    for (uint32_t i = 0; alive && i < count; i++) {
        alive[blocks[i].first] += blocks[i].bytes;
        alive[blocks[i].last + 1] -= blocks[i].bytes;
    }
    for (uint32_t t = 1; alive && t <= last; t++) {
        alive[t] += alive[t - 1];
    }
    return alive;
}

static uint32_t peak_of(const int64_t *alive, uint32_t times) {
    uint32_t peak = 0;
    for (uint32_t t = 0; t < times; t++) {
        peak = alive[t] > alive[peak] ? t : peak;
    }
    return peak;
}

int64_t gali_blocks_alive(const gali_block *blocks, uint32_t count, gali_arena *arena) {
    uint32_t times;
    const int64_t *alive = alive_at(blocks, count, &times, arena);
    return alive ? alive[peak_of(alive, times)] : 0;
}

/* ---- one order ---- */

static void insert(laid *list, uint32_t count, laid one) {
    uint32_t to = count;
    for (; to > 0 && list[to - 1].at > one.at; to--) {
        list[to] = list[to - 1];
    }
    list[to] = one;
}

static int compare_laid(const void *a, const void *b) {
    const laid *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Those which are laid and live when the block does, and maybe others, the lowest first. */
static const laid *neighbours_of(arranging *g, const gali_block *block, uint32_t *count) {
    uint32_t found =
        g->lives ? gali_lives_find(g->lives, block->first, block->last, g->found, g->placed / GALI_LIVES_FEW)
                 : GALI_NONE;
    *count = 0;
    for (uint32_t i = 0; found != GALI_NONE && i < found; i++) {
        if (g->is_laid[g->found[i]]) {
            g->near[(*count)++] = (laid){g->blocks[g->found[i]].at, g->found[i]};
        }
    }
    if (found != GALI_NONE) {
        qsort(g->near, *count, sizeof *g->near, compare_laid);
        return g->near;
    }
    for (; g->sorted < g->placed; g->sorted++) {
        insert(g->low, g->sorted, g->low[g->sorted]);
    }
    *count = g->placed;
    return g->low;
}

/* Lays the block into the lowest gap that is large enough. */
static void lay(arranging *g, uint32_t number) {
    gali_block *block = &g->blocks[number];
    int64_t end = 0;
    uint32_t count;
    const laid *low = neighbours_of(g, block, &count);
    for (uint32_t above = 0; above < count; above++) {
        const gali_block *other = &g->blocks[low[above].number];
        if (!gali_blocks_meet(block, other)) {
            continue;
        }
        if (other->at - end >= block->bytes) {
            break;
        }
        int64_t top = other->at + other->bytes;
        end = top > end ? top : end;
    }
    block->at = end;
    g->is_laid[number] = 1;
    g->low[g->placed++] = (laid){end, number};
}

/* The end by g->order; keeps the order if it is the best so far. */
static int64_t try_order(arranging *g) {
    int64_t end = 0;
    g->placed = g->sorted = 0;
    memset(g->is_laid, 0, g->count);
    for (uint32_t i = 0; i < g->count; i++) {
        const gali_block *block = &g->blocks[g->order[i]];
        lay(g, g->order[i]);
        end = block->at + block->bytes > end ? block->at + block->bytes : end;
    }
    g->work += (int64_t)g->count * g->count;
    if (g->least < 0 || end < g->least) {
        g->least = end;
        memcpy(g->best, g->order, g->count * sizeof *g->order);
    }
    return end;
}

/* ---- orders ---- */

typedef struct ranked {
    double key; /* the smallest first */
    int64_t bytes;
    uint32_t number;
} ranked;

static int compare(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    if (x->bytes != y->bytes) {
        return x->bytes > y->bytes ? -1 : 1;
    }
    return x->number < y->number ? -1 : x->number > y->number;
}

static double key_of(const gali_block *block, ranking by, uint32_t peak) {
    switch (by) {
    case BY_FIRST:
        return block->first;
    case BY_LAST:
        return -(double)block->last;
    case BY_PEAK: /* how far its life is from where most lives */
        return block->first > peak ? block->first - peak : block->last < peak ? peak - block->last : 0;
    case BY_AREA:
        return -(double)block->bytes * (block->last - block->first + 1);
    default:
        return 0;
    }
}

static void rank(arranging *g, ranking by, uint32_t peak, ranked *room) {
    for (uint32_t i = 0; i < g->count; i++) {
        room[i] = (ranked){key_of(&g->blocks[i], by, peak), g->blocks[i].bytes, i};
    }
    qsort(room, g->count, sizeof *room, compare);
    for (uint32_t i = 0; i < g->count; i++) {
        g->order[i] = room[i].number;
    }
}

/* All orders of those from `from` on. */
static void try_all(arranging *g, uint32_t from) {
    if (from == g->count) {
        try_order(g);
    }
    for (uint32_t i = from; i < g->count && g->least > g->alive; i++) {
        uint32_t own = g->order[from];
        g->order[from] = g->order[i];
        g->order[i] = own;
        try_all(g, from + 1);
        g->order[i] = g->order[from];
        g->order[from] = own;
    }
}

static uint32_t next_random(arranging *g, uint32_t below) {
    g->random = g->random * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(g->random >> 1) * below) >> 31);
}

/* Moves a block to another place in the order, g->best to begin with, as long as that is no worse. */
static void improve(arranging *g) {
    int64_t now = g->least;
    memcpy(g->order, g->best, g->count * sizeof *g->order);
    while (g->least > g->alive && g->work < WORK_MOST) {
        uint32_t from = next_random(g, g->count), to = next_random(g, g->count), number = g->order[from];
        uint32_t step = from < to ? 1 : (uint32_t)-1;
        for (uint32_t i = from; i != to; i += step) {
            g->order[i] = g->order[i + step];
        }
        g->order[to] = number;
        int64_t end = try_order(g);
        if (end <= now) {
            now = end;
            continue;
        }
        for (uint32_t i = to; i != from; i -= step) {
            g->order[i] = g->order[i - step];
        }
        g->order[from] = number;
    }
}

int64_t gali_blocks_arrange(gali_block *blocks, uint32_t count, gali_arena *arena) {
    arranging g = {.blocks = blocks, .count = count, .least = -1, .random = 1};
    size_t room = count + 1u;
    uint32_t times;
    const int64_t *alive = alive_at(blocks, count, &times, arena);
    ranked *keys = gali_arena_take(arena, room * sizeof *keys);
    g.order = gali_arena_take(arena, room * sizeof *g.order);
    g.best = gali_arena_take(arena, room * sizeof *g.best);
    g.low = gali_arena_take(arena, room * sizeof *g.low);
    g.near = gali_arena_take(arena, room * sizeof *g.near);
    g.found = gali_arena_take(arena, room * sizeof *g.found);
    g.is_laid = gali_arena_take(arena, room);
    g.lives = count > TRIED_MOST ? gali_lives_make(blocks, count, arena) : NULL;
    if (arena->failed) {
        return 0;
    }
    uint32_t peak = peak_of(alive, times);
    g.alive = alive[peak];
    for (int by = 0; by < (count > TRIED_MOST ? 1 : RANKING_COUNT) && (by == 0 || g.least > g.alive); by++) {
        rank(&g, (ranking)by, peak, keys);
        try_order(&g);
    }
    if (count <= ALL_ORDERS_MOST) {
        try_all(&g, 0);
    } else if (count <= TRIED_MOST) {
        improve(&g);
    }
    memcpy(g.order, g.best, count * sizeof *g.order);
    return try_order(&g);
}
