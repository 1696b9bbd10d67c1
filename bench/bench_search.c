/*
 * Do searches agree? Measures what logs of `gallop tune` chose for a network's layers, side by side: all winners of a layer
 * and count of characters in one process, in turns with the runtime's kernel, so that their figures can be compared where
 * those of separate searches, each beside its own ruler, cannot.
 *
 *     bench_search MODEL TARGET COUNTS LOG...      e.g. bench_search paper.gallop x86-64-v4 1,5,8 seed1.jsonl seed2.jsonl
 *
 * Prints for each log and count the network's speed, as many times that of the runtime's kernels (layers' times added up),
 * and each layer's, and below it the spread over logs: slowest time / fastest time - 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "compiler/tune/tune.h"

enum { LOGS_MAX = 32, COUNTS_MAX = 16 };

typedef struct comparison {
    gali_tune_task tasks[GALI_TUNE_TASKS_MAX];
    gali_measured measured[GALI_TUNE_TASKS_MAX][LOGS_MAX]; /* ratio 0: the log has none */
    gali_schedule schedules[LOGS_MAX];
    uint32_t counts[COUNTS_MAX], count_count, task_count, log_count;
    const gali_target *target;
    char **logs;
    gal_error error;
} comparison;

static void die(const comparison *c, const char *what) {
    fprintf(stderr, "bench_search: %s: %s\n", what, c->error.message);
    exit(1);
}

static void read_counts(comparison *c, const char *text) {
    char *end = (char *)text;
    while (c->count_count < COUNTS_MAX && *text) {
        c->counts[c->count_count++] = (uint32_t)strtoul(text, &end, 10);
        text = *end == ',' ? end + 1 : "";
    }
}

/* The logs' choices for a task; which[] are the logs that have one. */
static uint32_t choose(comparison *c, const gali_tune_task *task, uint32_t *which) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < c->log_count; i++) {
        gali_log log = {.count = 0};
        gali_measured measured;
        if (gali_log_read(&log, c->logs[i], &c->error) != GAL_OK) {
            die(c, c->logs[i]);
        }
        which[found] = i;
        found += gali_log_best(&log, &task->dense, c->target, &c->schedules[found], &measured) != 0;
        gali_log_release(&log);
    }
    return found;
}

static void measure(comparison *c, uint32_t number) {
    const gali_tune_task *task = &c->tasks[number];
    gali_measured measured[LOGS_MAX];
    gali_scene scene;
    uint32_t which[LOGS_MAX + 1], count = choose(c, task, which);
    if (gali_scene_make(&scene, &task->dense, c->target, &c->error) != GAL_OK ||
        gali_measure(&scene, c->schedules, count, GALI_MEASURE_SURE, measured, &c->error) != GAL_OK) {
        die(c, task->name.layer);
    }
    for (uint32_t i = 0; i < count; i++) {
        c->measured[number][which[i]] = measured[i];
    }
    gali_scene_release(&scene);
}

/* The network's time by a log's choices, in units of the runtime's; 0 where a layer is missing. */
static double time_of(const comparison *c, uint32_t log, uint32_t characters) {
    double reference = 0, best = 0;
    for (uint32_t i = 0; i < c->task_count; i++) {
        const gali_measured *m = &c->measured[i][log];
        if (c->tasks[i].dense.most == characters) {
            if (!(m->ratio > 0)) {
                return 0;
            }
            reference += c->tasks[i].layers * m->seconds / m->ratio;
            best += c->tasks[i].layers * m->seconds;
        }
    }
    return best / reference;
}

static void print_count(const comparison *c, uint32_t characters) {
    double fastest = 0, slowest = 0;
    for (uint32_t log = 0; log < c->log_count; log++) {
        double time = time_of(c, log, characters);
        printf("C = %u  %s:", characters, c->logs[log]);
        printf(time > 0 ? "  %.3f " : "  a layer is missing", 1 / time);
        for (uint32_t i = 0; i < c->task_count; i++) {
            if (c->tasks[i].dense.most == characters && c->measured[i][log].ratio > 0) {
                printf(" %.3f", 1 / c->measured[i][log].ratio);
            }
        }
        printf("\n");
        if (time > 0) {
            fastest = fastest > 0 && fastest < time ? fastest : time;
            slowest = slowest > time ? slowest : time;
        }
    }
    printf("C = %u  spread %.1f %%\n", characters, fastest > 0 ? 100 * (slowest / fastest - 1) : 0);
}

int main(int argc, char **argv) {
    gali_compilation compiled;
    void *data = NULL;
    size_t size = 0;
    comparison *c = calloc(1, sizeof *c);
    if (argc < 5 || argc - 4 > LOGS_MAX || !c) {
        fprintf(stderr, "usage: bench_search MODEL TARGET COUNTS LOG... (1 to %d logs)\n", LOGS_MAX);
        return 2;
    }
    c->logs = argv + 4;
    c->log_count = (uint32_t)(argc - 4);
    c->target = gali_target_find(argv[2], &c->error);
    read_counts(c, argv[3]);
    if (!c->target || gali_file_read(argv[1], GALI_FILE_MAX, NULL, &data, &size, &c->error) != GAL_OK) {
        die(c, argv[1]);
    }
    if (gali_tune_compile(&compiled, data, size, c->target, GAL_FORM_PER_EXPERT, &c->error) != GAL_OK ||
        gali_tune_tasks(&compiled, c->counts, c->count_count, c->tasks, &c->task_count, &c->error) != GAL_OK) {
        die(c, argv[1]);
    }
    for (uint32_t i = 0; i < c->task_count; i++) {
        measure(c, i);
    }
    for (uint32_t i = 0; i < c->count_count; i++) {
        print_count(c, c->counts[i]);
    }
    gali_compilation_release(&compiled);
    gali_release(NULL, data, size);
    free(c);
    return 0;
}
