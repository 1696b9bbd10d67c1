#include "compiler/log/log.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

enum { FILE_MOST = 1 << 28 };

const char *const gali_search_way_names[GALI_SEARCH_WAY_COUNT] = {"hand", "template", "auto"};

/* ---- tasks ---- */

static uint64_t hash_of(const char *text) { /* FNV-1a */
    uint64_t hash = 0xCBF29CE484222325u;
    for (; *text; text++) {
        hash = (hash ^ (unsigned char)*text) * 0x100000001B3u;
    }
    return hash;
}

/* The key does not depend on the range of characters, which is a record's own. */
static gal_status make_key(const gali_dense *dense, char key[GALI_LOG_KEY], gal_error *error) {
    gali_dense any = *dense;
    gali_arena arena = {0};
    gali_text text = {0};
    gali_expression *expression;
    any.least = 1;
    any.most = GALI_DENSE_CHARACTERS_MAX;
    gal_status status = gali_dense_expression(&any, &arena, &expression, error);
    if (status == GAL_OK) {
        gali_expression_print(expression, &text);
        status = text.failed ? gali_fail(error, GAL_NO_MEMORY, "no memory for an expression") : GAL_OK;
    }
    if (status == GAL_OK) {
        snprintf(key, GALI_LOG_KEY, "%016" PRIx64, hash_of(text.bytes));
    }
    gali_text_release(&text);
    gali_arena_release(&arena);
    return status;
}

/* The processor's name; "unknown" where the system does not tell. */
static void name_machine(char name[GALI_LOG_WORD]) {
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(name, GALI_LOG_WORD, "unknown");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (colon && strncmp(line, "model name", 10) == 0) {
            snprintf(name, GALI_LOG_WORD, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (file) {
        fclose(file);
    }
}

gal_status gali_log_task_make(gali_log_task *task, const gali_dense *dense, const gali_target *target,
                              gal_error *error) {
    static const char *const activations[] = {
#define ACTIVATION(id, name, onnx, formula) #name,
#include "kernels/activations.def"
#undef ACTIVATION
    };
    *task = (gali_log_task){.target = target->name, .characters = dense->most};
    gal_status status = make_key(dense, task->key, error);
    if (status == GAL_OK) {
        name_machine(task->machine);
        snprintf(task->layer, sizeof task->layer, "%u -> %u, %u of %u experts, %s, %s", dense->inputs,
                 dense->outputs, dense->slots, dense->experts,
                 dense->form == GAL_FORM_BLEND ? "blend" : "per-expert", activations[dense->activation]);
    }
    return status;
}

void gali_log_task_of(gali_log_task *task, const char *text, const char *layer, const gali_target *target) {
    *task = (gali_log_task){.target = target->name};
    snprintf(task->key, GALI_LOG_KEY, "%016" PRIx64, hash_of(text));
    snprintf(task->layer, sizeof task->layer, "%s", layer);
    name_machine(task->machine);
}

int gali_log_is_of(const gali_log_record *record, const gali_log_task *task) {
    return strcmp(record->key, task->key) == 0 && strcmp(record->target, task->target) == 0 &&
           strcmp(record->machine, task->machine) == 0 && record->characters == task->characters;
}

/* ---- reading ---- */

/* A line of a log, for messages. */
typedef struct place {
    const char *name;
    uint32_t line;
    gal_error *error;
} place;

static gal_status fail(const place *p, const char *message, const char *what) {
    return gali_fail(p->error, GAL_BAD_DATA, "%s, line %u: %s%s", p->name, p->line, message, what);
}

static int read_text(const json_t *object, const char *field, char *to, size_t size) {
    const char *text = json_string_value(json_object_get(object, field));
    return text && strlen(text) < size && snprintf(to, size, "%s", text) >= 0;
}

static int read_count(const json_t *object, const char *field, uint32_t most, uint32_t *to) {
    json_int_t value = json_integer_value(json_object_get(object, field));
    *to = value >= 0 && value <= most ? (uint32_t)value : 0;
    return *to > 0;
}

static int read_way(const json_t *object, gali_search_way *way) {
    const char *text = json_string_value(json_object_get(object, "way"));
    for (int i = 0; text && i < GALI_SEARCH_WAY_COUNT; i++) {
        if (strcmp(text, gali_search_way_names[i]) == 0) {
            *way = (gali_search_way)i;
            return 1;
        }
    }
    return 0;
}

static int is_time(double value) {
    return isfinite(value) && value > 0;
}

/* A search's fields, where there are any. */
static gal_status read_search(const place *p, const json_t *object, gali_log_record *record) {
    json_t *searched = json_object_get(object, "searched");
    if (!searched) {
        return GAL_OK;
    }
    record->searched = json_number_value(searched);
    record->seed = (uint64_t)json_integer_value(json_object_get(object, "seed"));
    return is_time(record->searched) && read_way(object, &record->way)
               ? GAL_OK
               : fail(p, "a search's record without its time or its way", "");
}

/* Of the target opencl it is a tiling. */
static gal_status check_schedule(const gali_log_record *record, const char *text, gal_error *why) {
    gali_schedule schedule;
    gali_tiling tiling;
    return strcmp(record->target, "opencl") == 0 ? gali_tiling_parse(&tiling, text, why)
                                                 : gali_schedule_parse(&schedule, text, strlen(text), why);
}

static gal_status read_result(const place *p, gali_log *log, const json_t *object, gali_log_record *record) {
    const char *schedule = json_string_value(json_object_get(object, "schedule"));
    const char *failure = json_string_value(json_object_get(object, "failure"));
    gal_error why = {0};
    if (!schedule) {
        return fail(p, "no ", "schedule");
    }
    if (check_schedule(record, schedule, &why) != GAL_OK) {
        return fail(p, "", why.message);
    }
    record->schedule = gali_arena_copy(&log->arena, schedule, strlen(schedule));
    record->measured.ratio = failure ? 0 : json_number_value(json_object_get(object, "ratio"));
    record->measured.seconds = failure ? 0 : json_number_value(json_object_get(object, "seconds"));
    snprintf(record->measured.failure, sizeof record->measured.failure, "%.95s", failure ? failure : "");
    if (!failure && (!is_time(record->measured.ratio) || !is_time(record->measured.seconds))) {
        return fail(p, "no ratio and seconds, and no failure", "");
    }
    return record->schedule ? read_search(p, object, record)
                            : gali_fail(p->error, GAL_NO_MEMORY, "%s: no memory", p->name);
}

static gal_status read_record(const place *p, gali_log *log, const json_t *object, gali_log_record *record) {
    json_t *version = json_object_get(object, "gallop_tune");
    if (!json_is_integer(version)) {
        return fail(p, "no record of gallop tune", "");
    }
    if (json_integer_value(version) != GALI_LOG_VERSION) {
        return gali_fail(p->error, GAL_BAD_DATA,
                         "%s, line %u: version %" JSON_INTEGER_FORMAT ", this gallop reads %d", p->name,
                         p->line, json_integer_value(version), GALI_LOG_VERSION);
    }
    int group = json_object_get(object, "group") != NULL;
    record->line = p->line;
    if (!read_text(object, group ? "group" : "layer", record->layer, sizeof record->layer) ||
        !read_text(object, "key", record->key, sizeof record->key) ||
        !read_text(object, "target", record->target, sizeof record->target) ||
        !read_text(object, "machine", record->machine, sizeof record->machine)) {
        return fail(p, "layer, key, target or machine is missing or too long", "");
    }
    if ((!group && !read_count(object, "characters", GALI_LOG_CHARACTERS_MAX, &record->characters)) ||
        !read_count(object, "pairs", 1 << 20, &record->pairs)) {
        return fail(p, "characters or pairs is no positive number", "");
    }
    return read_result(p, log, object, record);
}

static gali_log_record *add_record(gali_log *log) {
    if (log->count == log->capacity) {
        uint32_t capacity = log->capacity ? 2 * log->capacity : 256;
        gali_log_record *records = realloc(log->records, capacity * sizeof *records);
        if (!records) {
            return NULL;
        }
        log->records = records;
        log->capacity = capacity;
    }
    log->records[log->count] = (gali_log_record){.characters = 0};
    return &log->records[log->count];
}

static gal_status read_line(const place *p, gali_log *log, const char *line, size_t size) {
    json_error_t why;
    json_t *object = json_loadb(line, size, JSON_REJECT_DUPLICATES, &why);
    if (!object) {
        return fail(p, "no JSON: ", why.text);
    }
    gali_log_record *record = add_record(log);
    gal_status status = record ? read_record(p, log, object, record)
                               : gali_fail(p->error, GAL_NO_MEMORY, "%s: no memory", p->name);
    log->count += status == GAL_OK;
    json_decref(object);
    return status;
}

gal_status gali_log_parse(gali_log *log, const char *text, size_t size, const char *name, gal_error *error) {
    place p = {.name = name, .error = error};
    const char *end = text + size;
    gal_status status = GAL_OK;
    while (text < end && status == GAL_OK) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        p.line++;
        if (!newline) {
            break;
        }
        status = newline > text ? read_line(&p, log, text, (size_t)(newline - text)) : GAL_OK;
        text = newline + 1;
    }
    return status;
}

gal_status gali_log_read(gali_log *log, const char *path, gal_error *error) {
    void *bytes;
    size_t size;
    gal_status status = gali_file_read(path, FILE_MOST, NULL, &bytes, &size, error);
    if (status == GAL_OK) {
        status = gali_log_parse(log, bytes, size, path, error);
        gali_release(NULL, bytes, size);
    }
    return status;
}

void gali_log_release(gali_log *log) {
    free(log->records);
    gali_arena_release(&log->arena);
    *log = (gali_log){.count = 0};
}

/* ---- writing ---- */

gal_status gali_log_write(void *file, const gali_log_task *task, const gali_log_record *record,
                          gal_error *error) {
    json_t *object = json_pack("{s:i, s:s, s:s}", "gallop_tune", GALI_LOG_VERSION,
                               task->characters ? "layer" : "group", task->layer, "key", task->key);
    int good = object != NULL;
    if (good && task->characters) {
        good = json_object_set_new(object, "characters", json_integer(task->characters)) == 0;
    }
    good =
        good && json_object_update_new(object, json_pack("{s:s, s:s, s:s, s:i}", "target", task->target,
                                                         "machine", task->machine, "schedule", record->schedule,
                                                         "pairs", (int)record->pairs)) == 0;
    if (good && record->measured.ratio > 0) {
        good = json_object_set_new(object, "ratio", json_real(record->measured.ratio)) == 0 &&
               json_object_set_new(object, "seconds", json_real(record->measured.seconds)) == 0;
    } else if (good) {
        good = json_object_set_new(object, "failure", json_string(record->measured.failure)) == 0;
    }
    if (good && record->searched > 0) {
        good = json_object_set_new(object, "way", json_string(gali_search_way_names[record->way])) == 0 &&
               json_object_set_new(object, "searched", json_real(record->searched)) == 0 &&
               json_object_set_new(object, "seed", json_integer((json_int_t)record->seed)) == 0;
    }
    char *line = good ? json_dumps(object, JSON_REAL_PRECISION(6)) : NULL;
    int written = line && fprintf(file, "%s\n", line) > 0 && fflush(file) == 0;
    free(line);
    json_decref(object);
    return written ? GAL_OK : gali_fail(error, GAL_IO, "a record could not be written");
}

/* ---- the best ---- */

/* By rising counts of characters; of one count what was measured longest first, then by ratio, then as they came. */
static int by_count(const void *a, const void *b) {
    const gali_log_record *x = *(const gali_log_record *const *)a, *y = *(const gali_log_record *const *)b;
    if (x->characters != y->characters) {
        return x->characters < y->characters ? -1 : 1;
    }
    if (x->pairs != y->pairs) {
        return x->pairs > y->pairs ? -1 : 1;
    }
    if (x->measured.ratio < y->measured.ratio || x->measured.ratio > y->measured.ratio) {
        return x->measured.ratio < y->measured.ratio ? -1 : 1;
    }
    return x < y ? -1 : x > y;
}

static int is_usable(const gali_log_record *record, const char *key, const char *target) {
    return record->measured.ratio > 0 && strcmp(record->key, key) == 0 && strcmp(record->target, target) == 0;
}

uint32_t gali_log_find(const gali_log *log, const gali_dense *dense, const gali_target *target, uint32_t each,
                       gali_arena *arena, const gali_log_record ***found) {
    char key[GALI_LOG_KEY];
    gal_error error;
    const gali_log_record **all = gali_arena_take(arena, (log->count + 1) * sizeof(const gali_log_record *));
    uint32_t count = 0, kept = 0;
    *found = all;
    if (!all || make_key(dense, key, &error) != GAL_OK) {
        return 0;
    }
    for (uint32_t i = 0; i < log->count; i++) {
        if (is_usable(&log->records[i], key, target->name)) {
            all[count++] = &log->records[i];
        }
    }
    qsort(all, count, sizeof(const gali_log_record *), by_count);
    for (uint32_t i = 0, same = 0; i < count; i++) {
        same = i && all[i]->characters == all[i - 1]->characters ? same + 1 : 0;
        if (same < each) {
            all[kept++] = all[i];
        }
    }
    return kept;
}

/* Whether a is to be preferred to b for up to `most` characters. */
static int is_better(const gali_log_record *a, const gali_log_record *b, uint32_t most) {
    int fits_a = a->characters <= most, fits_b = b->characters <= most;
    if (fits_a != fits_b) {
        return fits_a;
    }
    if (a->characters != b->characters) {
        return fits_a ? a->characters > b->characters : a->characters < b->characters;
    }
    return a->pairs != b->pairs ? a->pairs > b->pairs : a->measured.ratio < b->measured.ratio;
}

static const gali_log_record *best_of(const gali_log *log, const char *key, const char *target, uint32_t most) {
    const gali_log_record *best = NULL;
    for (uint32_t i = 0; i < log->count; i++) {
        const gali_log_record *record = &log->records[i];
        if (is_usable(record, key, target) && (!best || is_better(record, best, most))) {
            best = record;
        }
    }
    return best;
}

const gali_log_record *gali_log_best_of(const gali_log *log, const gali_log_task *task) {
    return best_of(log, task->key, task->target, 0);
}

int gali_log_best(const gali_log *log, const gali_dense *dense, const gali_target *target,
                  gali_schedule *schedule, gali_measured *measured) {
    char key[GALI_LOG_KEY];
    gal_error error;
    const gali_log_record *best =
        make_key(dense, key, &error) == GAL_OK ? best_of(log, key, target->name, dense->most) : NULL;
    if (!best || gali_schedule_parse(schedule, best->schedule, strlen(best->schedule), &error) != GAL_OK) {
        return 0;
    }
    *measured = best->measured;
    return 1;
}

/* Whether a is to be preferred to b, of one count. */
static int is_surer(const gali_log_record *a, const gali_log_record *b) {
    return a->pairs != b->pairs ? a->pairs > b->pairs : a->measured.seconds < b->measured.seconds;
}

static const gali_log_record *best_at(const gali_log *log, const gali_log_task *task, uint32_t rows) {
    const gali_log_record *best = NULL;
    gali_log_task at = *task;
    at.characters = rows;
    for (uint32_t i = 0; i < log->count; i++) {
        const gali_log_record *r = &log->records[i];
        if (gali_log_is_of(r, &at) && r->measured.ratio > 0 && (!best || is_surer(r, best))) {
            best = r;
        }
    }
    return best;
}

/* The fewest rows of a task's records that are at least so many. */
static int next_rows(const gali_log *log, const gali_log_task *task, uint32_t least, uint32_t *rows) {
    int found = 0;
    for (uint32_t i = 0; i < log->count; i++) {
        gali_log_task at = *task;
        at.characters = log->records[i].characters;
        if (gali_log_is_of(&log->records[i], &at) && at.characters >= least &&
            (!found || at.characters < *rows)) {
            *rows = at.characters;
            found = 1;
        }
    }
    return found;
}

uint32_t gali_log_tilings(const gali_log *log, const gali_log_task *task, uint32_t room, uint32_t *rows,
                          gali_tiling *tilings) {
    uint32_t count = 0, at = 0;
    while (count < room && next_rows(log, task, at, &rows[count])) {
        const gali_log_record *best = best_at(log, task, rows[count]);
        gal_error why;
        at = rows[count] + 1;
        count += best && gali_tiling_parse(&tilings[count], best->schedule, &why) == GAL_OK;
    }
    return count;
}
