/* Register tiles of sums: which one a stage has (tile_choose.c), whose loops lower_tile.c writes. */
#ifndef GALI_COMPILER_PROGRAM_TILE_H
#define GALI_COMPILER_PROGRAM_TILE_H

#include "compiler/program/lowering.h"

enum { GALI_TILE_LOADS_MAX = 32 };

/* A tile of a stage that is a sum. */
typedef struct gali_sum_tile {
    uint32_t row, vector; /* axes; row may be GALI_NONE */
    uint32_t rows, vectors;
    uint32_t outer,
        block;            /* summed axes outside of blocks, how much of the next a block has; 0, 0: no blocks */
    uint32_t all_rows;    /* with blocks: of a panel */
    gali_loop_index base; /* of the block that is open */
    int apart;            /* results are stored number by number: their lanes lie apart, or have no word */
    uint32_t load_count, in_lanes; /* of the stage's value */
    const gali_scalar *load[GALI_TILE_LOADS_MAX];
    gali_lower_lanes is[GALI_TILE_LOADS_MAX];
} gali_sum_tile;

/* Chooses the stage's tile and lays out its constants for it; 0 where its sums cannot be taken in lanes of any axis. */
int gali_tile_choose(gali_lowering *l, gali_sum_tile *t);

/* Whether an axis is one that panels are the same for: it is inside of them; rows apart. */
int gali_tile_is_inside(const gali_sum_tile *t, uint32_t axis);

/* The last of the summed axes that an index depends on, counted from 1; 0: none. */
uint32_t gali_tile_depth(const gali_lowering *l, const gali_scalar *index);

#endif
