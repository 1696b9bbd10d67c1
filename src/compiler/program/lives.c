#include "compiler/program/lives.h"

#include <stdlib.h>

#include "graph/graph.h"

typedef struct birth {
    uint32_t first, number;
} birth;

static int compare(const void *a, const void *b) {
    const birth *x = a, *y = b;
    if (x->first != y->first) {
        return x->first < y->first ? -1 : 1;
    }
    return x->number < y->number ? -1 : x->number > y->number;
}

static const birth *sort(const gali_block *blocks, uint32_t count, gali_arena *arena) {
    birth *births = gali_arena_take(arena, (count + 1u) * sizeof *births);
    for (uint32_t i = 0; births && i < count; i++) {
        births[i] = (birth){blocks[i].first, i};
    }
    if (births) {
        qsort(births, count, sizeof *births, compare);
    }
    return births;
}

const gali_lives *gali_lives_make(const gali_block *blocks, uint32_t count, gali_arena *arena) {
    uint32_t leaves = 1;
    while (leaves < count) {
        leaves *= 2;
    }
    const birth *births = sort(blocks, count, arena);
    uint32_t *first = gali_arena_take(arena, (count + 1u) * sizeof *first);
    uint32_t *number = gali_arena_take(arena, (count + 1u) * sizeof *number);
    uint32_t *over = gali_arena_take(arena, 2 * (size_t)leaves * sizeof *over);
    gali_lives *lives = gali_arena_take(arena, sizeof *lives);
    if (arena->failed) {
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        first[i] = births[i].first;
        number[i] = births[i].number;
        over[leaves + i] = blocks[number[i]].last + 1;
    }
    for (uint32_t node = leaves; node-- > 1;) {
        over[node] = over[2 * node] > over[2 * node + 1] ? over[2 * node] : over[2 * node + 1];
    }
    *lives = (gali_lives){count, leaves, first, number, over};
    return lives;
}

/* A question, and what was found so far. */
typedef struct search {
    const gali_lives *lives;
    uint32_t begun; /* how many live at its end or earlier */
    uint32_t first, count, most;
    uint32_t *found;
} search;

/* The node's `size` blocks, from place `begin` on. */
static void look_below(search *s, uint32_t node, uint32_t begin, uint32_t size) {
    if (begin >= s->begun || s->lives->over[node] <= s->first || s->count > s->most) {
        return;
    }
    if (size > 1) {
        look_below(s, 2 * node, begin, size / 2);
        look_below(s, 2 * node + 1, begin + size / 2, size / 2);
        return;
    }
    if (s->count < s->most) {
        s->found[s->count] = s->lives->number[begin];
    }
    s->count++;
}

static uint32_t count_begun(const gali_lives *lives, uint32_t last) {
    uint32_t low = 0, high = lives->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (lives->first[middle] <= last) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t gali_lives_find(const gali_lives *lives, uint32_t first, uint32_t last, uint32_t *found,
                         uint32_t most) {
    search s = {
        .lives = lives, .begun = count_begun(lives, last), .first = first, .most = most, .found = found};
    look_below(&s, 1, 0, lives->leaves);
    return s.count > most ? GALI_NONE : s.count;
}
