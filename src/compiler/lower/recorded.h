/*
 * What a log of the tuner (compiler/log) has for a program's groups. A group is known by its loops without a target, names
 * left out: groups that compute the same for the same sizes are one, in whichever model.
 */
#ifndef GALI_COMPILER_LOWER_RECORDED_H
#define GALI_COMPILER_LOWER_RECORDED_H

#include "compiler/log/log.h"
#include "compiler/lower/lower.h"

/* The group as records of program->target name it. lowered: the group by rules. Errors as of gali_program_lower. */
gal_status gali_program_log_task(gali_program *program, uint32_t group, const gali_lowered *lowered,
                                 gali_log_task *task, gal_error *error);

/*
 * Takes the log's best schedules for the program's groups, for its target. *groups: those that have a sum in tiles,
 * versions in place of the group where it has some; *logged: of these, those that run by the log. GAL_BAD_DATA, with path, the
 * record's line and the entry, for a schedule that is none of its group; errors of gali_program_lower.
 */
gal_status gali_program_use_log(gali_program *program, const gali_log *log, const char *path, uint32_t *groups,
                                uint32_t *logged, gal_error *error);

#endif
