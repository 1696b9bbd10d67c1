/*
 * Blocks of memory that live for a while, laid into as little as possible: where each begins. Blocks are laid one after
 * another, each into the lowest gap that those leave which live at the same time; what matters is the order. Several are
 * tried (the largest first, from where most lives outwards, ...), few blocks in all orders; else the best one is changed a
 * little at a time, until nothing more can be saved or the work for it is done.
 */
#ifndef GALI_COMPILER_PROGRAM_ARRANGE_H
#define GALI_COMPILER_PROGRAM_ARRANGE_H

#include "graph/arena.h"

#include <stdint.h>

typedef struct gali_block {
    uint32_t first, last; /* times that it lives from and to, both included */
    int64_t bytes, at;
} gali_block;

/* Bytes that live at once at most: no arrangement needs less. 0 without memory. */
int64_t gali_blocks_alive(const gali_block *blocks, uint32_t count, gali_arena *arena);

/* Whether two live at the same time. */
int gali_blocks_meet(const gali_block *a, const gali_block *b);

/* Sets `at` of each; returns the end of the highest. Without memory the arena fails. */
int64_t gali_blocks_arrange(gali_block *blocks, uint32_t count, gali_arena *arena);

#endif
