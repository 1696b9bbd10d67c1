/*
 * Tuning on a device: which tilings its sums of products have (schedule/tiling.h). A round opens the whole program with one
 * candidate for each of its tasks, runs it and reads off the device's clock what each took; tasks that compute the same share
 * their candidates. The candidates are those that pruning leaves (space.h) and, of few rows, what has no tile; the first of
 * them all is what rules choose. At the end the fastest of each, also with operands as images, are measured again, longer, in
 * turns with the rules' own. A round whose outputs are not the rules' is an error; what a driver refuses is recorded as failed,
 * and the search goes on.
 */
#ifndef GALI_GPU_TUNE_H
#define GALI_GPU_TUNE_H

#include "gpu/run.h"
#include "gpu/space.h"

enum { GALI_GPU_TUNE_PAIRS = 3, GALI_GPU_TUNE_SURE = 11 }; /* runs of a measurement: first, and at the end */

/* A task, and what became of it. */
typedef struct gali_gpu_tuned {
    gali_device_task task; /* its tiling is that by rules */
    uint32_t stages;       /* of the program that compute the same */
    uint32_t space, kept;  /* tilings that fit, that pruning left */
    uint32_t measured;     /* candidates, with those of the end */
    gali_tiling best;
    double by_rules, nanoseconds; /* that those took at the end; 0: nothing was measured */
    int from_log;                 /* it is not searched for */
} gali_gpu_tuned;

typedef struct gali_gpu_tune_desc {
    uint32_t device;
    const gali_gpu_facts *facts; /* of a probe */
    double seconds;              /* about; the last measurements come on top */
    int everything;              /* no tiling is pruned */
    const gali_log *log;         /* what was measured before; NULL: nothing */
    /* A program and its sizes, the same each time, whose arena is the caller's until the next call. */
    gal_status (*make)(void *context, gali_program **program, const int64_t **sizes, gal_error *error);
    /* Told of each measurement; NULL: nobody. nanoseconds 0: it failed. A result other than 0 ends the search. */
    int (*record)(void *context, const gali_gpu_tuned *of, const gali_tiling *tiling, double nanoseconds,
                  uint32_t pairs);
    void *context;
} gali_gpu_tune_desc;

/*
 * Fills up to `room` tasks; *count says how many there are. Errors: as gali_gpu_start; GAL_BAD_DATA where a round's outputs are
 * others, GAL_NO_MEMORY. A candidate that fails is none; what fails without candidates, too, is.
 */
gal_status gali_gpu_tune(const gali_gpu_tune_desc *desc, gali_gpu_tuned *tuned, uint32_t room, uint32_t *count,
                         gal_error *error);

#endif
