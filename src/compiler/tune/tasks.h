/*
 * What is tuned: the dense layers that the compiler schedules, which differ, each for some counts of characters; or the groups
 * of a program that differ. Their shapes are the compiler's own, from its passes: what is measured is what will be compiled.
 */
#ifndef GALI_COMPILER_TUNE_TASKS_H
#define GALI_COMPILER_TUNE_TASKS_H

#include "compiler/compilation.h"
#include "compiler/log/log.h"
#include "compiler/tune/groups.h"
#include "network/network.h"

enum { GALI_TUNE_TASKS_MAX = 128, GALI_TUNE_WRITTEN_MAX = 3, GALI_TUNE_BYTE = 4 };

typedef struct gali_tune_task {
    gali_dense dense;      /* least == most; of a group all 0 */
    gali_tune_group group; /* its program is NULL: a layer */
    gali_log_task name;
    uint32_t layers; /* how many of the network, or groups of the program, it stands for */
    /* What the rules write for the count: in the range that is compiled by default, and alone, with and without kernel. */
    uint32_t written_count;
    gali_schedule written[GALI_TUNE_WRITTEN_MAX];
} gali_tune_task;

/*
 * Compiles a model as far as its schedules, which are the written ones. `data` must outlive c; release it with
 * gali_compilation_release, also after an error. What reading a model and the passes return.
 */
gal_status gali_tune_compile(gali_compilation *c, const void *data, size_t size, const gali_target *target,
                             gal_form form, gal_error *error);

/*
 * The tasks of such a compilation for each of the counts. Returns how many, at most GALI_TUNE_TASKS_MAX; GAL_BAD_ARGUMENT
 * for more of them, a count of 0 or more than GALI_DENSE_CHARACTERS_MAX.
 */
gal_status gali_tune_tasks(const gali_compilation *c, const uint32_t *counts, uint32_t count_count,
                           gali_tune_task *tasks, uint32_t *task_count, gal_error *error);

/*
 * The tasks of a program with a target and typical sizes: its groups whose largest sum runs in tiles, one of those that compute
 * the same, the heaviest first: by multiply-adds and by bytes, which count as GALI_TUNE_BYTE of them; a group with versions
 * (program/versions.h) is a task for each. Of more than GALI_TUNE_TASKS_MAX the lightest are left out. Errors of
 * gali_program_lower.
 */
gal_status gali_tune_group_tasks(gali_program *program, gali_tune_task *tasks, uint32_t *task_count,
                                 gal_error *error);

/* How many of such tasks are worth a search: all but the lightest that have less than a fiftieth of the weight together. */
uint32_t gali_tune_worth(const gali_tune_task *tasks, uint32_t count);

/*
 * Takes the runtime's choices from the log's winners for up to so many characters: the width of panels and the rows of
 * tiles, where a winner's are among those that the runtime has; all else stays as it is, layers of reduced precision too.
 * The plan is of a network of the same model.
 */
void gali_tune_plan(const gali_log *log, const gali_compilation *c, uint32_t characters, gali_plan *plan);

#endif
