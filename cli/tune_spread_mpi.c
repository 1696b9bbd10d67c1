/* With MPI: the first process deals each batch of measurements out to all, and takes their results. */
#include "tune_spread.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "commands.h"

/* What the first process sends to all: a batch, or count 0 for the end. The same program reads it. */
typedef struct batch {
    uint32_t count, pairs;
    char target[GALI_LOG_WORD];
    gali_dense dense;
    gali_schedule schedules[GALI_MEASURE_BATCH_MAX];
} batch;

/* What comes back from each process: its share's results, the i-th of schedule number + i * processes. */
typedef struct answer {
    gal_error error;
    gali_measured results[GALI_MEASURE_BATCH_MAX];
} answer;

/* This process's share of a batch. */
static void measure_share(const gali_tune_processes *p, gali_scene *scene, const batch *b, answer *mine) {
    gali_schedule share[GALI_MEASURE_BATCH_MAX];
    uint32_t count = 0;
    for (uint32_t i = p->number; i < b->count; i += p->count) {
        share[count++] = b->schedules[i];
    }
    mine->error = (gal_error){.status = GAL_OK};
    if (count) {
        mine->error.status = gali_measure(scene, share, count, b->pairs, mine->results, &mine->error);
    }
}

static gal_status collect(const gali_tune_processes *p, const batch *b, const answer *answers,
                          gali_measured *results, gal_error *error) {
    for (uint32_t i = 0; i < b->count; i++) {
        const answer *from = &answers[i % p->count];
        if (from->error.status != GAL_OK) {
            return gali_fail(error, from->error.status, "process %u: %.200s", i % p->count,
                             from->error.message);
        }
        results[i] = from->results[i / p->count];
    }
    return GAL_OK;
}

static gal_status measure(void *context, gali_scene *scene, const gali_schedule *schedules, uint32_t count,
                          uint32_t pairs, gali_measured *results, gal_error *error) {
    const gali_tune_processes *p = context;
    batch *b = calloc(1, sizeof *b);
    answer *answers = calloc(p->count + 1, sizeof *answers); /* all processes', then this one's own */
    if (!b || !answers) {
        free(b);
        free(answers);
        return gali_fail(error, GAL_NO_MEMORY, "no memory to spread a batch");
    }
    *b = (batch){.count = count, .pairs = pairs, .dense = scene->dense};
    strncpy(b->target, scene->target->name, sizeof b->target - 1);
    memcpy(b->schedules, schedules, count * sizeof *schedules);
    MPI_Bcast(b, (int)sizeof *b, MPI_BYTE, 0, MPI_COMM_WORLD);
    measure_share(p, scene, b, &answers[p->count]);
    MPI_Gather(&answers[p->count], (int)sizeof *answers, MPI_BYTE, answers, (int)sizeof *answers, MPI_BYTE, 0,
               MPI_COMM_WORLD);
    gal_status status = collect(p, b, answers, results, error);
    free(b);
    free(answers);
    return status;
}

void gali_tune_join(gali_tune_processes *processes) {
    int number = 0, count = 1;
    *processes = (gali_tune_processes){.number = 0, .count = 1};
    if (!getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMI_SIZE")) { /* not started by mpirun */
        return;
    }
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    *processes = (gali_tune_processes){
        .number = (uint32_t)number, .count = (uint32_t)count, .started = 1, .spread = {measure, processes}};
}

/* The scene of the batch; the one there is if it is of the same layer. */
static gal_status take_scene(gali_scene *scene, const batch *b, gal_error *error) {
    const gali_target *target = gali_target_find(b->target, error);
    if (!target) {
        return GAL_BAD_ARGUMENT;
    }
    if (scene->target == target && memcmp(&scene->dense, &b->dense, sizeof b->dense) == 0) {
        return GAL_OK;
    }
    gali_scene_release(scene);
    return gali_scene_make(scene, &b->dense, target, error);
}

int gali_tune_serve(gali_tune_processes *processes) {
    batch *b = calloc(1, sizeof *b);
    answer *mine = calloc(1, sizeof *mine);
    gali_scene scene = {.target = NULL};
    if (!b || !mine) {
        MPI_Abort(MPI_COMM_WORLD, GALI_EXIT_BAD);
        free(b);
        free(mine);
        return GALI_EXIT_BAD;
    }
    for (;;) {
        MPI_Bcast(b, (int)sizeof *b, MPI_BYTE, 0, MPI_COMM_WORLD);
        if (b->count == 0) {
            break;
        }
        mine->error = (gal_error){.status = GAL_OK};
        mine->error.status = take_scene(&scene, b, &mine->error);
        if (mine->error.status == GAL_OK) {
            measure_share(processes, &scene, b, mine);
        }
        MPI_Gather(mine, (int)sizeof *mine, MPI_BYTE, NULL, 0, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    gali_scene_release(&scene);
    free(b);
    free(mine);
    return GALI_EXIT_OK;
}

void gali_tune_leave(gali_tune_processes *processes) {
    if (!processes->started) {
        return;
    }
    batch *end = processes->number == 0 ? calloc(1, sizeof *end) : NULL;
    if (end) {
        MPI_Bcast(end, (int)sizeof *end, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    free(end);
    MPI_Finalize();
    processes->started = 0;
}
