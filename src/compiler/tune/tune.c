#include "compiler/tune/tune.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static int same_layer(const gali_dense *a, const gali_dense *b) {
    return a->experts == b->experts && a->slots == b->slots && a->inputs == b->inputs &&
           a->outputs == b->outputs && a->form == b->form && a->activation == b->activation &&
           a->slope == b->slope && a->sparse == b->sparse && a->most == b->most;
}

static gali_dense dense_of(const gal_network *network, uint32_t layer, gal_form form, uint32_t characters) {
    const gali_packed_layer *packed = &network->layers[layer];
    int gated = packed->experts > 1, row = packed->activation == GALI_ACTIVATION_SOFTMAX;
    uint32_t slots = gated ? network->slots : 1;
    int sparse = slots < packed->experts;
    return (gali_dense){
        .experts = packed->experts,
        .slots = slots,
        .inputs = packed->inputs,
        .outputs = packed->outputs,
        .form = gated && !sparse ? form : GAL_FORM_PER_EXPERT,
        .activation = row ? GALI_ACTIVATION_NONE : packed->activation,
        .slope = row ? 0 : packed->slope,
        .sparse = sparse,
        .padded = 1,
        .least = characters,
        .most = characters,
    };
}

static gal_status add_task(gali_tune_task *tasks, uint32_t *count, const gali_tune_task *one,
                           const gali_target *target, gal_error *error) {
    for (uint32_t i = 0; i < *count; i++) {
        if (same_layer(&tasks[i].dense, &one->dense)) {
            return GAL_OK;
        }
    }
    if (*count == GALI_TUNE_TASKS_MAX) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "more than %d layers and counts of characters",
                         GALI_TUNE_TASKS_MAX);
    }
    tasks[*count] = *one;
    return gali_log_task_make(&tasks[(*count)++].name, &one->dense, target, error);
}

gal_status gali_tune_tasks(const gal_network *network, const gali_target *target, gal_form form,
                           const uint32_t *counts, uint32_t count_count, gali_tune_task *tasks,
                           uint32_t *task_count, gal_error *error) {
    gal_status status = GAL_OK;
    *task_count = 0;
    for (uint32_t i = 0; i < network->layer_count; i++) {
        for (uint32_t k = 0; k < count_count && status == GAL_OK && network->layers[i].kind == GALI_LAYER_DENSE;
             k++) {
            gali_tune_task one = {.dense = dense_of(network, i, form, counts[k]), .layer = i};
            status = add_task(tasks, task_count, &one, target, error);
        }
    }
    return status;
}

/* A task being searched. */
typedef struct searching {
    const gali_tune *tune;
    gali_tune_state state;
    gali_scene scene;
    gal_error *error;
    gal_status status; /* of writing records */
    uint32_t records;
} searching;

static gal_status measure(void *context, const gali_schedule *schedules, uint32_t count, uint32_t pairs,
                          gali_measured *results, gal_error *error) {
    searching *s = context;
    const gali_tune_spread *spread = s->tune->spread;
    return spread ? spread->measure(spread->context, &s->scene, schedules, count, pairs, results, error)
                  : gali_measure(&s->scene, schedules, count, pairs, results, error);
}

static void write(searching *s, const gali_schedule *schedule, gali_log_record *record) {
    gali_text text = {0};
    gali_schedule_print(schedule, "; ", &text);
    record->schedule = text.bytes;
    if (s->tune->file && s->status == GAL_OK) {
        s->status = text.failed ? gali_fail(s->error, GAL_NO_MEMORY, "no memory for a record")
                                : gali_log_write(s->tune->file, &s->state.task->name, record, s->error);
    }
    gali_text_release(&text);
}

static void record(void *context, const gali_search_record *measured) {
    searching *s = context;
    gali_log_record one = {.pairs = measured->pairs, .measured = measured->measured};
    s->records++;
    write(s, measured->schedule, &one);
}

static int watch(void *context, const gali_search_state *state) {
    searching *s = context;
    s->state.search = *state;
    s->state.seconds = state->seconds;
    return (s->tune->watch && s->tune->watch(s->tune->context, &s->state)) || s->status != GAL_OK;
}

/* The task's measurements in the log; schedules[] are the caller's to free. */
static uint32_t find_known(const gali_tune *tune, const gali_tune_task *task, gali_schedule **schedules,
                           gali_search_record **known) {
    uint32_t count = 0, all = tune->log ? tune->log->count : 0;
    *schedules = malloc((all + 1) * sizeof **schedules);
    *known = malloc((all + 1) * sizeof **known);
    for (uint32_t i = 0; i < all && *schedules && *known; i++) {
        const gali_log_record *r = &tune->log->records[i];
        gal_error error;
        if (r->searched == 0 && gali_log_is_of(r, &task->name) &&
            gali_schedule_parse(&(*schedules)[count], r->schedule, strlen(r->schedule), &error) == GAL_OK) {
            (*known)[count] = (gali_search_record){&(*schedules)[count], r->measured, r->pairs};
            count++;
        }
    }
    return count;
}

/* The result of a search that the log has, of this way and of as much time. */
static int find_result(const gali_tune *tune, const gali_tune_task *task, double seconds,
                       gali_tune_result *result) {
    for (uint32_t i = tune->log ? tune->log->count : 0; i-- > 0;) {
        const gali_log_record *r = &tune->log->records[i];
        gal_error error;
        if (r->searched >= 0.95 * seconds && r->searched > 0 && r->way == tune->way &&
            gali_log_is_of(r, &task->name) &&
            gali_schedule_parse(&result->schedule, r->schedule, strlen(r->schedule), &error) == GAL_OK) {
            result->measured = r->measured;
            result->from_log = 1;
            return 1;
        }
    }
    return 0;
}

/* The written schedule, with the inner kernel where there is one. */
static gal_status run_hand(searching *s, gali_tune_result *result, gal_error *error) {
    gali_schedule schedules[2];
    gali_measured measured[2] = {{0}};
    uint32_t count = 0;
    gal_status status = gali_schedule_hand(&s->scene.dense, s->tune->target, 0, &schedules[count++], error);
    gal_error none;
    count += gali_schedule_hand(&s->scene.dense, s->tune->target, 1, &schedules[count], &none) == GAL_OK;
    status = status == GAL_OK ? measure(s, schedules, count, GALI_MEASURE_SURE, measured, error) : status;
    for (uint32_t i = 0; i < count && status == GAL_OK; i++) {
        gali_search_record one = {&schedules[i], measured[i], GALI_MEASURE_SURE};
        record(s, &one);
        if (measured[i].ratio > 0 &&
            (result->measured.ratio == 0 || measured[i].ratio < result->measured.ratio)) {
            result->measured = measured[i];
            result->schedule = schedules[i];
        }
    }
    return status;
}

/* even: the task's share of the time had all taken theirs, which a search that was not stopped counts as. */
static gal_status run_search(searching *s, double seconds, double even, gali_tune_result *result,
                             gal_error *error) {
    gali_arena arena = {0};
    gali_space space;
    gali_schedule *schedules = NULL;
    gali_search_record *known = NULL;
    gali_search_result found;
    gal_status status = gali_space_make(&space, s->tune->way, &s->scene.dense, s->tune->target, &arena, error);
    if (status == GAL_OK) {
        gali_search search = {.space = &space,
                              .seconds = seconds,
                              .seed = s->tune->seed,
                              .measure = measure,
                              .measure_context = s,
                              .record = record,
                              .watch = watch,
                              .context = s};
        search.known_count = find_known(s->tune, s->state.task, &schedules, &known);
        search.known = known;
        status = gali_search_run(&search, &found, error);
    }
    if (status == GAL_OK) {
        gali_log_record one = {.pairs = GALI_MEASURE_SURE,
                               .measured = found.measured,
                               .way = s->tune->way,
                               .searched = even,
                               .seed = s->tune->seed};
        result->schedule = found.schedule;
        result->measured = found.measured;
        if (!found.stopped) {
            write(s, &found.schedule, &one);
        }
    }
    free(schedules);
    free(known);
    gali_arena_release(&arena);
    return status;
}

gal_status gali_tune_run(const gali_tune *tune, const gali_tune_task *task, uint32_t number, uint32_t count,
                         double seconds, gali_tune_result *result, gal_error *error) {
    const double even = tune->seconds / count;
    *result = (gali_tune_result){.from_log = 0};
    if (tune->way != GALI_WAY_HAND && find_result(tune, task, even, result)) {
        return GAL_OK;
    }
    searching *s = calloc(1, sizeof *s);
    if (!s) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory to tune");
    }
    s->tune = tune;
    s->error = error;
    s->state = (gali_tune_state){.task = task, .number = number, .count = count, .limit = seconds};
    gal_status status = gali_scene_make(&s->scene, &task->dense, tune->target, error);
    if (status == GAL_OK) {
        status = tune->way == GALI_WAY_HAND ? run_hand(s, result, error)
                                            : run_search(s, seconds, even, result, error);
        gali_scene_release(&s->scene);
    }
    result->measurements = s->records;
    status = status == GAL_OK ? s->status : status;
    free(s);
    return status;
}

/* The number of a schedule's first split of that axis; 0 if it has none. */
static uint32_t split_of(const gali_schedule *schedule, const char *axis) {
    for (uint32_t i = 0; i < schedule->count; i++) {
        const gali_schedule_entry *entry = &schedule->entry[i];
        if (entry->primitive == GALI_PRIMITIVE_SPLIT && strcmp(entry->target, axis) == 0) {
            return entry->number;
        }
    }
    return 0;
}

void gali_tune_plan(const gali_log *log, const gal_network *network, const gali_target *target,
                    uint32_t characters, gali_plan *plan) {
    for (uint32_t i = 0; i < network->layer_count; i++) {
        gali_plan_layer *layer = &plan->layers[i];
        gali_dense dense = dense_of(network, i, GAL_FORM_PER_EXPERT, characters);
        gali_schedule schedule;
        gali_measured measured;
        if (layer->kind != GALI_LAYER_DENSE || layer->form != GAL_FORM_PER_EXPERT ||
            !gali_log_best(log, &dense, target, &schedule, &measured)) {
            continue;
        }
        uint32_t vectors = split_of(&schedule, "n"), rows = split_of(&schedule, "c");
        if (vectors >= 1 && vectors <= GALI_PANEL_VECTORS_MAX && rows <= GALI_TILE_ROWS_MAX) {
            layer->vectors = vectors;
            layer->rows = rows >= 2 ? rows : plan->kernels->tile_rows[vectors];
        }
    }
}
