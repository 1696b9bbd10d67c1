/*
 * Versions: functions of a group for some sizes alone. Whoever compiles says which ranges of a size matter, as 1 and 2..64 of a
 * batch; every combination of such ranges is a version, and the emitted run picks by its sizes before the group. A size of one
 * value is a number there, loops over it are gone, and tiles fit the range. Two sizes that are broadcast make versions without
 * being asked for, as far as there is room: for the same size, and for either of them 1. Only groups with much of the work have versions:
 * the others would be more code for nothing.
 */
#ifndef GALI_COMPILER_PROGRAM_VERSIONS_H
#define GALI_COMPILER_PROGRAM_VERSIONS_H

#include "compiler/program/program.h"

/* A size with the ranges that matter: parts[count], ascending, without gaps. */
typedef struct gali_size_parts {
    const char *name;
    uint32_t count;
    const int64_t (*parts)[2]; /* least, most */
} gali_size_parts;

/*
 * Gives a program with places and a target, if any, its versions. Sizes that are none any more, because others tell them, are passed over, and of
 * ranges what the program's range leaves of them. GAL_BAD_ARGUMENT where they are more than GALI_PROGRAM_VERSIONS_MAX;
 * GAL_NO_MEMORY.
 */
gal_status gali_program_add_versions(gali_program *program, const gali_size_parts *list, uint32_t count,
                                     gal_error *error);

/*
 * The versions of a group: numbers of the program's versions, one of those that only differ in sizes that the group has not.
 * Returns how many; 1 or less: the group has one function for all sizes.
 */
uint32_t gali_program_group_versions(const gali_program *program, uint32_t group,
                                     uint32_t versions[GALI_PROGRAM_VERSIONS_MAX]);

/* Whether the group has the size of the range in an extent of its stages, and the other size if there is one. */
int gali_program_group_has(const gali_program *program, uint32_t group, const gali_size_range *range);

#endif
