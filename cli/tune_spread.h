/*
 * Measuring spread over processes: `mpirun gallop tune`. The first process searches; each batch is dealt out to all of
 * them, every one compiles and times its share beside its own reference kernel, so machines need not be alike in speed,
 * only in instruction set. Built with MPI where it is found (tune_spread_mpi.c), else one process (tune_spread_one.c).
 */
#ifndef GALI_CLI_TUNE_SPREAD_H
#define GALI_CLI_TUNE_SPREAD_H

#include "compiler/tune/tune.h"

typedef struct gali_tune_processes {
    uint32_t number, count; /* of this process, of all */
    gali_tune_spread spread;
    int started;
} gali_tune_processes;

/* Joins the other processes, if there are any. */
void gali_tune_join(gali_tune_processes *processes);

/* What every process but the first does: measures its shares until the first one leaves. Returns an exit status. */
int gali_tune_serve(gali_tune_processes *processes);

/* Ends the others' serving, if this is the first process, and the joining. */
void gali_tune_leave(gali_tune_processes *processes);

#endif
