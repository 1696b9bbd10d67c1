/*
 * Blocks by when they live: those that live at some time of a stretch, found without looking at the others. They are sorted
 * by their first times, with a tree over them of the last ones.
 */
#ifndef GALI_COMPILER_PROGRAM_LIVES_H
#define GALI_COMPILER_PROGRAM_LIVES_H

#include "compiler/program/arrange.h"

/* One block in so many: as long as it takes to sort those, all can be looked at. */
enum { GALI_LIVES_FEW = 64 };

typedef struct gali_lives {
    uint32_t count, leaves; /* leaves: a power of two >= count */
    const uint32_t *first;  /* [count] times, rising */
    const uint32_t *number; /* [count] the blocks that these are of */
    const uint32_t *over; /* [2 * leaves] the time after all those below a node; 1 is the root; 0: none there */
} gali_lives;

/* Of blocks as they are now, but for where they lie. NULL without memory; the arena fails then. */
const gali_lives *gali_lives_make(const gali_block *blocks, uint32_t count, gali_arena *arena);

/*
 * Numbers of the blocks that live at some time from `first` to `last`, by their first times, into found[most]. Returns how
 * many; GALI_NONE: more than that.
 */
uint32_t gali_lives_find(const gali_lives *lives, uint32_t first, uint32_t last, uint32_t *found,
                         uint32_t most);

#endif
