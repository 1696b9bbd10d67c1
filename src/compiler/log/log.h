/*
 * What was measured: the tuner writes it, the compiler reads it. JSON lines, one record each: a run that is cut short loses
 * nothing, and files are merged by joining them. Records:
 *
 *     {"gallop_tune": 1, "layer": "912 -> 256, 4 experts, per-expert, elu", "key": "<hash>", "characters": 5,
 *      "target": "x86-64-v4", "machine": "<cpu>", "schedule": "..", "ratio": 0.98, "seconds": 8.4e-05, "pairs": 15}
 *     {.. "way": "template", "searched": 63.2, "seed": 1}       after a search: its winner; seconds a layer had in it
 *     {"gallop_tune": 1, "group": "Conv 1 x 64 x 56 x 56, sums of 64 x 3 x 3", "key": "<hash>", "target": ..}
 *     {.. "target": "opencl", "machine": "<device>", "schedule": "tile 64 128 8; item 8 8; parts 2; images none", ..}
 *
 * key: hash of the expression's text, for any number of characters; of a program's group of its loops' without a target, its
 * sizes included. ratio: of the schedule's time to that of the runtime's kernel, or of the schedule by rules, on the same
 * machine, the smaller the better; a failed one has "failure" instead. Of the target opencl the schedule is a tiling (tiling.h),
 * and characters are rows of a product.
 */
#ifndef GALI_COMPILER_LOG_LOG_H
#define GALI_COMPILER_LOG_LOG_H

#include "compiler/schedule/schedule.h"
#include "compiler/schedule/tiling.h"

enum { GALI_LOG_VERSION = 1, GALI_LOG_KEY = 17, GALI_LOG_WORD = 64, GALI_LOG_CHARACTERS_MAX = 1 << 20 };

/* How schedules are looked for. */
typedef enum gali_search_way {
    GALI_SEARCH_BY_HAND,
    GALI_SEARCH_BY_TEMPLATE,
    GALI_SEARCH_BY_RULES,
    GALI_SEARCH_WAY_COUNT
} gali_search_way;

extern const char *const gali_search_way_names[GALI_SEARCH_WAY_COUNT];

/* How fast a schedule is beside the reference, the runtime's kernel. */
typedef struct gali_measured {
    double ratio;   /* candidate's time / reference's; 0: it failed */
    double seconds; /* a call of the candidate, median */
    char failure[96];
} gali_measured;

typedef struct gali_log_record {
    char layer[GALI_LOG_WORD * 2], key[GALI_LOG_KEY], target[GALI_LOG_WORD], machine[GALI_LOG_WORD];
    uint32_t characters;  /* 0: of a group */
    uint32_t pairs, line; /* line: of its file */
    const char *schedule; /* text */
    gali_measured measured;
    gali_search_way way; /* of a search's record */
    double searched;     /* seconds; 0 in a measurement's record */
    uint64_t seed;
} gali_log_record;

typedef struct gali_log {
    gali_arena arena; /* of the texts */
    uint32_t count, capacity;
    gali_log_record *records;
} gali_log;

/* A layer and a machine, as records name them. */
typedef struct gali_log_task {
    char key[GALI_LOG_KEY], layer[GALI_LOG_WORD * 2], machine[GALI_LOG_WORD];
    const char *target;
    uint32_t characters; /* 0: a group */
} gali_log_task;

gal_status gali_log_task_make(gali_log_task *task, const gali_dense *dense, const gali_target *target,
                              gal_error *error);

/* Of a program's group, whose loops without a target are this text; layer says what it is, for readers. */
void gali_log_task_of(gali_log_task *task, const char *text, const char *layer, const gali_target *target);

/*
 * Adds a file's records to the log. A last line without an end is a record that was cut short, and is left out. Errors:
 * GAL_IO, GAL_BAD_DATA with the line (not JSON, a field that is missing, a schedule that is none, another version),
 * GAL_NO_MEMORY. Release also after an error.
 */
gal_status gali_log_read(gali_log *log, const char *path, gal_error *error);

/* The same from memory; name is for messages. */
gal_status gali_log_parse(gali_log *log, const char *text, size_t size, const char *name, gal_error *error);
void gali_log_release(gali_log *log);

/* Appends a record to an open file, and everything in the file's buffer to the disk's. GAL_IO. */
gal_status gali_log_write(void *file, const gali_log_task *task, const gali_log_record *record,
                          gal_error *error);

/*
 * The records of a layer on a target, of any machine, that did not fail: by rising counts of characters, of each count the
 * best `each` of them, the best first. Returns how many; the list lives in the arena.
 */
uint32_t gali_log_find(const gali_log *log, const gali_dense *dense, const gali_target *target, uint32_t each,
                       gali_arena *arena, const gali_log_record ***found);

/* Whether the record is of this task on this machine. */
int gali_log_is_of(const gali_log_record *record, const gali_log_task *task);

/*
 * The tilings of a task on the device that it names, of each count of rows the one that was measured longest, then the fastest,
 * by rising counts; at most `room`. Returns how many; rows are 0 of what is no product.
 */
uint32_t gali_log_tilings(const gali_log *log, const gali_log_task *task, uint32_t room, uint32_t *rows,
                          gali_tiling *tilings);

/* The best record of a group on a target, from whichever machine: that was measured longest, then the fastest; NULL: none. */
const gali_log_record *gali_log_best_of(const gali_log *log, const gali_log_task *task);

/*
 * The best schedule for a layer on a target with up to `dense->most` characters, from whichever machine: of the records
 * with the most characters that are not more than that, the one that was measured longest, then the fastest. Returns 0
 * if there is none.
 */
int gali_log_best(const gali_log *log, const gali_dense *dense, const gali_target *target,
                  gali_schedule *schedule, gali_measured *measured);

#endif
