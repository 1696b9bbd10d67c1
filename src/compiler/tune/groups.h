/*
 * What is tuned of a program: its groups whose largest sum runs in tiles (program/lower.h), those that compute the same once.
 * The reference is the schedule that the rules write, called in turns with the candidates on the same numbers; a candidate's
 * results must have its bits. Constants lie in an odd number of copies, 4 MB together at least, that calls take in turn: a
 * group finds its weights where the other groups left them, and reference and candidate meet the same copies.
 */
#ifndef GALI_COMPILER_TUNE_GROUPS_H
#define GALI_COMPILER_TUNE_GROUPS_H

#include "compiler/lower/lower.h"
#include "compiler/tune/space.h"

/* A group of a program, which has a target and outlives it. */
typedef struct gali_tune_group {
    gali_program *program; /* NULL: a dense layer is tuned */
    uint32_t number;
    gali_lowered_sum sum; /* by the rules */
    double bytes;         /* of all that it reads and writes, at typical sizes */
} gali_tune_group;

/*
 * The space of a group's schedules. `template`: panel, rows, blocks of the sum, order, unrolling; `auto`: which axes have the
 * vectors and the rows, too. Of a sum over patterns (program/patterns.h) both: rows at a time, and where filters go. group outlives it. GAL_NO_MEMORY, errors of gali_program_lower.
 */
gal_status gali_group_space_make(gali_space *space, gali_search_way way, const gali_tune_group *group,
                                 gal_error *error);

/* Numbers that a group is measured on, at the program's typical sizes. */
typedef struct gali_group_scene gali_group_scene;

gal_status gali_group_scene_open(gali_group_scene **scene, const gali_tune_group *group, gal_error *error);
void gali_group_scene_close(gali_group_scene *scene);

/* As gali_measure. */
gal_status gali_group_measure(gali_group_scene *scene, const gali_schedule *schedules, uint32_t count,
                              uint32_t pairs, gali_measured *results, gal_error *error);

#endif
