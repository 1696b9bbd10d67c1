/*
 * Register tiles of sums: which one a stage has by rules (tile_choose.c, tile_around.c) or by a schedule (tile_schedule.c),
 * whose loops lower_tile.c writes.
 */
#ifndef GALI_COMPILER_LOWER_TILE_H
#define GALI_COMPILER_LOWER_TILE_H

#include "compiler/lower/lowering.h"

enum {
    GALI_TILE_LOADS_MAX = 32,
    GALI_TILE_EVEN_LEAST = 3, /* rows of a tile that, of an open size, has nearly equal ones beside it; */
    GALI_TILE_EVEN_MOST = 8,  /* rules choose no larger ones there, smaller ones are near */
};

/* A tile of a stage that is a sum. */
typedef struct gali_sum_tile {
    uint32_t row, vector; /* axes; row may be GALI_NONE */
    uint32_t rows, vectors;
    uint32_t outer,
        block;            /* summed axes outside of blocks, how much of the next a block has; 0, 0: no blocks */
    uint32_t all_rows;    /* with blocks: of a panel */
    gali_lower_span open; /* of the summed axes, by the tile's blocks */
    int rows_outside;     /* tiles of rows go around panels, not within; without blocks */
    uint32_t around[GALI_AXES_MAX]; /* axes that panels are the same for, yet go around them, outermost first */
    uint32_t around_count;
    uint32_t unroll;   /* turns at a time of the innermost loop of what is summed; 0: one */
    uint32_t parallel; /* axis whose loop threads share; GALI_NONE: by rule */
    int apart;         /* results are stored number by number: their lanes lie apart, or have no word */
    uint32_t load_count, in_lanes; /* of the stage's value */
    const gali_scalar *load[GALI_TILE_LOADS_MAX];
    gali_lower_lanes is[GALI_TILE_LOADS_MAX];
} gali_sum_tile;

/*
 * Chooses the stage's tile, by its schedule if it has one, and lays out its constants for it; 0 where its sums cannot be taken
 * in lanes of any axis, or its schedule is refused, which fails the lowering.
 */
int gali_tile_choose(gali_lowering *l, gali_sum_tile *t);

/* The tile by rules with vectors along dimension d of the result in memory, without blocks; 0 where it has no lanes there. */
int gali_tile_along(gali_lowering *l, gali_sum_tile *t, uint32_t d);

/* Whether the constants of a tile can lie as it reads them; and lays them out. */
int gali_tile_may_pack(gali_lowering *l, const gali_sum_tile *t);
void gali_tile_pack(gali_lowering *l, const gali_sum_tile *t);

/* The rows of a panel where blocks are possible: all sizes are numbers and their sums are few; 0: they are not. */
uint32_t gali_tile_block_rows(const gali_lowering *l, const gali_sum_tile *t);

/* ---- tile_around.c ---- */

/* Which axes go around panels, by what is read from far memory. */
void gali_tile_choose_around(const gali_lowering *l, gali_sum_tile *t);

/* ---- tile_schedule.c ---- */

/* The stage's tile as its schedule has it; 0, and the lowering fails with the entry, where that is none of this sum. */
int gali_tile_read(gali_lowering *l, const gali_schedule *schedule, gali_sum_tile *t);

/* The schedule of a tile: read back, it is the same tile. */
void gali_tile_write(const gali_lowering *l, const gali_sum_tile *t, gali_schedule *schedule);

/* Tells who chooses schedules what there is to choose (lower.h). */
void gali_tile_tell(gali_lowering *l, const gali_sum_tile *t);

/* Of an axis that panels are the same for, rows apart: whether it goes around them; whether it is inside of them. */
int gali_tile_is_around(const gali_sum_tile *t, uint32_t axis);
int gali_tile_is_inside(const gali_sum_tile *t, uint32_t axis);

/* The last of the summed axes that an index depends on, counted from 1; 0: none. */
uint32_t gali_tile_depth(const gali_lowering *l, const gali_scalar *index);

#endif
