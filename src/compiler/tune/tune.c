#include "compiler/tune/tune.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "compiler/tune/budget.h"

/* A task's search. */
typedef struct searching {
    struct tuning *all;
    const gali_tune_task *task;
    gali_tune_result *result;
    gali_arena arena; /* of the space */
    gali_space space;
    gali_search *search; /* NULL: not begun, or done from the log */
} searching;

typedef struct tuning {
    const gali_tune *tune;
    gali_tune_state state;
    searching *of;             /* [state.count] */
    gali_tune_result *results; /* the caller's */
    gali_budget_task *budget;  /* [state.count] */
    gali_scene scene;          /* of the task that was measured last */
    gali_group_scene *group_scene;
    const gali_tune_task *shown;
    double start;
    gal_error *error;
    gal_status status; /* of writing records */
} tuning;

/* Tasks are measured in turns: one scene at a time, since each has megabytes of weights. */
static gal_status enter(tuning *t, const gali_tune_task *task, gal_error *error) {
    if (t->shown == task) {
        return GAL_OK;
    }
    gali_scene_release(&t->scene);
    gali_group_scene_close(t->group_scene);
    t->group_scene = NULL;
    gal_status status = task->group.program ? gali_group_scene_open(&t->group_scene, &task->group, error)
                                            : gali_scene_make(&t->scene, &task->dense, t->tune->target, error);
    t->shown = status == GAL_OK ? task : NULL;
    return status;
}

static gal_status measure(void *context, const gali_schedule *schedules, uint32_t count, uint32_t pairs,
                          gali_measured *results, gal_error *error) {
    searching *s = context;
    tuning *t = s->all;
    const gali_tune_spread *spread = t->tune->spread;
    gal_status status = enter(t, s->task, error);
    if (status != GAL_OK) {
        return status;
    }
    if (t->group_scene) { /* they are not spread */
        return gali_group_measure(t->group_scene, schedules, count, pairs, results, error);
    }
    return spread ? spread->measure(spread->context, &t->scene, schedules, count, pairs, results, error)
                  : gali_measure(&t->scene, schedules, count, pairs, results, error);
}

static void write(searching *s, const gali_schedule *schedule, gali_log_record *record) {
    tuning *t = s->all;
    gali_text text = {0};
    gali_schedule_print(schedule, "; ", &text);
    record->schedule = text.bytes;
    if (t->tune->file && t->status == GAL_OK) {
        t->status = text.failed ? gali_fail(t->error, GAL_NO_MEMORY, "no memory for a record")
                                : gali_log_write(t->tune->file, &s->task->name, record, t->error);
    }
    gali_text_release(&text);
}

static void record(void *context, const gali_search_record *measured) {
    searching *s = context;
    gali_log_record one = {.pairs = measured->pairs, .measured = measured->measured};
    s->result->measurements++;
    write(s, measured->schedule, &one);
}

/* Tells who watches; whether to end. */
static int tell(tuning *t) {
    t->state.seconds = gali_clock_seconds() - t->start;
    return t->tune->watch && t->tune->watch(t->tune->context, &t->state);
}

static int watch(void *context, const gali_search_state *state) {
    searching *s = context;
    tuning *t = s->all;
    s->result->seconds = state->seconds;
    gali_search_leader(s->search, &s->result->schedule, &s->result->measured);
    return tell(t) || t->status != GAL_OK;
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

/* The written schedules, no search. */
static gal_status run_hand(searching *s, gal_error *error) {
    const gali_tune_task *task = s->task;
    gali_measured measured[GALI_TUNE_WRITTEN_MAX] = {{0}};
    gal_status status = measure(s, task->written, task->written_count, GALI_MEASURE_SURE, measured, error);
    for (uint32_t i = 0; i < task->written_count && status == GAL_OK; i++) {
        gali_search_record one = {&task->written[i], measured[i], GALI_MEASURE_SURE};
        gali_tune_result *result = s->result;
        record(s, &one);
        if (measured[i].ratio > 0 &&
            (result->measured.ratio == 0 || measured[i].ratio < result->measured.ratio)) {
            result->measured = measured[i];
            result->schedule = task->written[i];
        }
    }
    return status;
}

static gal_status begin(searching *s, gal_error *error) {
    const gali_tune *tune = s->all->tune;
    gali_schedule *schedules = NULL;
    gali_search_record *known = NULL;
    gal_status status =
        s->task->group.program
            ? gali_group_space_make(&s->space, tune->way, &s->task->group, error)
            : gali_space_make(&s->space, tune->way, &s->task->dense, tune->target, &s->arena, error);
    if (status == GAL_OK) {
        gali_search_desc desc = {.space = &s->space,
                                 .seed = tune->seed,
                                 .measure = measure,
                                 .measure_context = s,
                                 .record = record,
                                 .watch = watch,
                                 .context = s,
                                 .rivals = s->task->written,
                                 .rival_count = s->task->written_count};
        desc.known_count = find_known(tune, s->task, &schedules, &known);
        desc.known = known;
        status = gali_search_open(&s->search, &desc, error);
    }
    free(schedules);
    free(known);
    return status;
}

/* Stakes: a task's share of the time of all layers for its count of characters. */
static void weigh(tuning *t) {
    for (uint32_t i = 0; i < t->state.count; i++) {
        const gali_tune_task *task = &t->state.tasks[i];
        double all = 0;
        for (uint32_t k = 0; k < t->state.count; k++) {
            const gali_tune_task *other = &t->state.tasks[k];
            all += other->dense.most == task->dense.most ? other->layers * t->state.results[k].measured.seconds
                                                         : 0;
        }
        t->budget[i].stake = all > 0 ? task->layers * t->state.results[i].measured.seconds / all : 0;
    }
}

/* Seconds a measurement of a round takes, with what a round costs beside; 0: none was made yet. */
static double each_of(const tuning *t) {
    double spent = 0;
    uint32_t measured = 0;
    for (uint32_t i = 0; i < t->state.count; i++) {
        if (t->of[i].search) {
            const gali_search_state state = gali_search_look(t->of[i].search);
            spent += state.seconds;
            measured += state.measured;
        }
    }
    return measured ? spent / measured : 0;
}

/* The next task's slice. */
static gal_status run_slice(tuning *t, uint32_t number, double seconds, int *stopped, gal_error *error) {
    searching *s = &t->of[number];
    gal_status status = s->search ? GAL_OK : begin(s, error);
    t->state.number = number;
    if (status == GAL_OK) {
        status = gali_search_run(s->search, seconds, each_of(t), stopped, error);
    }
    if (status == GAL_OK) {
        gali_budget_note(&t->budget[number], s->result->measured.ratio);
        t->budget[number].done = gali_search_look(s->search).done;
        weigh(t);
    }
    return status;
}

enum { SLICES = 8, FINALISTS_LEAST = 4 }; /* slices of each task, had all the same */
static const double first = 0.4;          /* of the time, for all tasks' first slices */

/* What measuring the winners takes at least. */
static double finals_of(const tuning *t) {
    double finals = 0;
    for (uint32_t i = 0; i < t->state.count; i++) {
        finals += t->of[i].search ? (FINALISTS_LEAST + t->state.tasks[i].written_count) * each_of(t) : 0;
    }
    return finals;
}

/* The time for a task's next slice. */
static double slice_of(const tuning *t, uint32_t task, double left) {
    double share = t->tune->seconds / t->state.count;
    double slice = t->budget[task].slices == 0 ? first * share : share / (double)SLICES;
    return slice < left ? slice : left;
}

/* Slices until the time is spent or all are done; each task gets one at least. */
static gal_status run_slices(tuning *t, int *stopped, gal_error *error) {
    gal_status status = t->status;
    uint32_t next = gali_budget_next(t->budget, t->state.count);
    double left = t->tune->seconds;
    while (status == GAL_OK && !*stopped && next < t->state.count &&
           (left > 0 || t->budget[next].slices == 0)) {
        status = run_slice(t, next, slice_of(t, next, left), stopped, error);
        status = status == GAL_OK ? t->status : status;
        next = gali_budget_next(t->budget, t->state.count);
        left = t->tune->seconds - (gali_clock_seconds() - t->start) - finals_of(t);
    }
    return status;
}

/* How many leaders of a task there is time for, where so many tasks' winners are still to be measured. */
static uint32_t finalists_of(const tuning *t, const searching *s, uint32_t tasks) {
    double left = (t->tune->seconds - (gali_clock_seconds() - t->start)) / tasks, each = each_of(t);
    const double most = GALI_SEARCH_FINALISTS, least = FINALISTS_LEAST;
    double fit = each > 0 ? left / each - s->task->written_count : most;
    return fit >= most ? GALI_SEARCH_FINALISTS : fit > least ? (uint32_t)fit : FINALISTS_LEAST;
}

/* The winner of a task, measured for long beside the written schedules; written down as a search's result. */
static gal_status finish(searching *s, uint32_t tasks, gal_error *error) {
    const gali_tune *tune = s->all->tune;
    gali_log_record one = {.pairs = GALI_MEASURE_SURE,
                           .way = tune->way,
                           .searched = tune->seconds / s->all->state.count,
                           .seed = tune->seed};
    gal_status status = gali_search_finish(s->search, finalists_of(s->all, s, tasks), &s->result->schedule,
                                           &one.measured, error);
    if (status == GAL_OK) {
        s->result->measured = one.measured;
        write(s, &s->result->schedule, &one);
    }
    return status;
}

/* The winners' last measurements, while nobody ends it. */
static gal_status finish_all(tuning *t, int *stopped, gal_error *error) {
    gal_status status = GAL_OK;
    uint32_t tasks = 0;
    for (uint32_t i = 0; i < t->state.count; i++) {
        tasks += t->of[i].search != NULL;
    }
    t->state.finals = 1;
    for (uint32_t i = 0; i < t->state.count && status == GAL_OK && !*stopped; i++) {
        t->state.number = i;
        *stopped = t->of[i].search && tell(t);
        status = t->of[i].search && !*stopped ? finish(&t->of[i], tasks--, error) : GAL_OK;
    }
    return status;
}

static gal_status run_all(tuning *t, int *stopped, gal_error *error) {
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i < t->state.count && status == GAL_OK; i++) {
        searching *s = &t->of[i];
        *s = (searching){.all = t, .task = &t->state.tasks[i], .result = &t->results[i]};
        if (t->tune->way == GALI_SEARCH_BY_HAND) {
            status = run_hand(s, error);
        }
        t->budget[i].done = t->tune->way == GALI_SEARCH_BY_HAND ||
                            find_result(t->tune, s->task, t->tune->seconds / t->state.count, s->result);
    }
    status = status == GAL_OK ? run_slices(t, stopped, error) : status;
    status = status == GAL_OK ? finish_all(t, stopped, error) : status;
    return status == GAL_OK ? t->status : status;
}

gal_status gali_tune_run(const gali_tune *tune, const gali_tune_task *tasks, uint32_t count,
                         gali_tune_result *results, int *stopped, gal_error *error) {
    tuning t = {.tune = tune,
                .state = {.tasks = tasks, .results = results, .count = count, .limit = tune->seconds},
                .results = results,
                .of = calloc(count + 1, sizeof *t.of),
                .budget = calloc(count + 1, sizeof *t.budget),
                .start = gali_clock_seconds(),
                .error = error};
    memset(results, 0, count * sizeof *results);
    *stopped = 0;
    gal_status status =
        t.of && t.budget ? run_all(&t, stopped, error) : gali_fail(error, GAL_NO_MEMORY, "no memory to tune");
    for (uint32_t i = 0; i < count && t.of; i++) {
        gali_search_close(t.of[i].search);
        gali_arena_release(&t.of[i].arena);
    }
    gali_scene_release(&t.scene);
    gali_group_scene_close(t.group_scene);
    free(t.of);
    free(t.budget);
    return status;
}

double gali_tune_gain(const gali_tune_state *state, uint32_t characters) {
    double reference = 0, best = 0;
    for (uint32_t i = 0; i < state->count; i++) {
        const gali_measured *m = &state->results[i].measured;
        if (state->tasks[i].dense.most != characters) {
            continue;
        }
        if (!(m->ratio > 0)) {
            return 0;
        }
        reference += state->tasks[i].layers * m->seconds / m->ratio;
        best += state->tasks[i].layers * m->seconds;
    }
    return best > 0 ? reference / best : 0;
}
