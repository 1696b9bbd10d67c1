/*
 * A group as a function of loops: its stages one after another, each over its axes.
 *
 * A reduction is computed for a strip of its last axis at a time, in a local, so that the innermost loop walks a row of
 * memory and the order of each sum stays the ascending one whatever the vector width.
 */
#ifndef GALI_COMPILER_LOWER_LOWER_H
#define GALI_COMPILER_LOWER_LOWER_H

#include "compiler/loop/loop.h"
#include "compiler/program/program.h"
#include "compiler/schedule/schedule.h"

/*
 * The group's schedule: how the largest of its sums that run in tiles does. Axes are i0, i1, .. of the result, by its type, and
 * k0, k1, .. of what is summed over, in order.
 *
 *     vectorize i3 16      vectors are along i3, of the target's lanes; stands first
 *     split i3 4           a panel: so many vectors side by side
 *     split i2 6           a tile's rows
 *     reorder k0 i2.o      a loop of the sum around all rows of a panel, its sums in memory; k0 before k1
 *     split k1 128; reorder k1.o i2.o     the same, in blocks of 128: whole ones of a sum that has blocks
 *     reorder i2.o i3.o    rows outside of panels, not within
 *     reorder i1 i3.o      an axis around panels that they are the same for; of several the first is outermost
 *     unroll k1 4          the innermost loop of the sum, so many turns at a time
 *     parallel i1          the loop that threads share
 *
 * Of a sum over the kernels that pruning left (program/patterns.h), whose tiles are in memory as the program has them:
 *
 *     vectorize i3 16      as above
 *     split i2 7           rows that are summed at a time, at most those of a tile
 *     reorder i1 i3        filters around the vectors of a row of tiles; `reorder i1 i2.o`: around all tiles; not in fields
 *
 * No schedule changes a bit: each sum is taken in its order. Which sums are parted, and in which order tensors lie, is the
 * program's to say (layout.c): parts change bits, an order is other groups', too; so are the rows of tiles in memory, which
 * another group makes, and the blocks of channels of a sum over patterns.
 */
typedef struct gali_lowered_sum {
    gali_schedule schedule; /* count 0: no sum of the group runs in tiles, and there is nothing to choose */
    uint32_t node;          /* of the program, GALI_NONE: none */
    uint32_t rank, reduced;
    int64_t extent[GALI_AXES_MAX]; /* at typical sizes */
    uint32_t vectors, rows;        /* bits: axes that have lanes; that may be rows */
    uint32_t pattern_rows;         /* of a tile; 0: no sum over patterns */
    int pattern_fields;            /* whose tiles are in fields */
    double steps;                  /* multiply-adds, at typical sizes, number by number */
} gali_lowered_sum;

/* Which tensor each parameter of the function is, in order. */
typedef struct gali_lowered {
    gali_loop_function *function;
    uint32_t tensors[GALI_LOOP_BUFFERS_MAX];     /* [function->parameters] */
    uint32_t symbols[GALI_EXTENT_ATOMS_MAX * 8]; /* [function->symbols] of the graph's extents */
    int plain; /* without vectors, which the target has: with them it passed a limit or was found wrong */
    int is_parallel;
    gali_extent parallel; /* turns of the loop that may be given out in ranges; loop.h */
    gali_lowered_sum sum;
} gali_lowered;

/*
 * The verified function of a group, in an arena, by the schedule that the program has for it. Errors: GAL_UNSUPPORTED past a
 * limit of loops, with the group's node; GAL_BAD_DATA, with the entry, for a schedule that is none of this group; GAL_NO_MEMORY.
 */
gal_status gali_program_lower(gali_program *program, uint32_t group, gali_arena *arena, gali_lowered *lowered,
                              gal_error *error);

/* The same by a schedule (NULL: by rules). Where *lowered is plain, error->message tells why. */
gal_status gali_program_lower_by(gali_program *program, uint32_t group, const gali_schedule *schedule,
                                 gali_arena *arena, gali_lowered *lowered, gal_error *error);

/* Whether a constant is laid out for both, and whether all are that two functions of a group read. */
int gali_lowered_same_layout(const gali_loop_buffer *a, const gali_loop_buffer *b);
int gali_lowered_reads_alike(const gali_lowered *a, const gali_lowered *b);

/*
 * The same for devices, of a group of one stage: its loops over the elements of the tensor are loops over items. Of a stage
 * that reduces from no start the terms are items, too: all of its loops.
 */
gal_status gali_program_lower_items(gali_program *program, uint32_t group, gali_arena *arena,
                                    gali_lowered *lowered, gal_error *error);

#endif
