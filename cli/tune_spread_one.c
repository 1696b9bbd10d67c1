/* Without MPI: the process is alone and measures all itself. */
#include "tune_spread.h"

#include "commands.h"

void gali_tune_join(gali_tune_processes *processes) {
    *processes = (gali_tune_processes){.number = 0, .count = 1};
}

int gali_tune_serve(gali_tune_processes *processes) {
    (void)processes;
    return GALI_EXIT_OK;
}

void gali_tune_leave(gali_tune_processes *processes) {
    (void)processes;
}
