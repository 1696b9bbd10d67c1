#include "gpu/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

enum {
    CANDIDATES_MAX = GALI_TILINGS_MAX + 16,
    INSTANCES_MAX = 4096,
    FINALISTS = 4,
    FEW_ROWS_MOST = 1024, /* more than that and few.. is no candidate */
    NONE = -1,
};
static const double apart_most = 1e-4; /* of the largest number of an output */

typedef struct candidate {
    gali_tiling tiling;
    double nanoseconds; /* 0: not measured */
    int refused;        /* the device does not run it */
} candidate;

/* The search of a task: its candidates wait from `next` on. */
typedef struct search {
    gali_gpu_tuned *tuned;
    candidate *candidates; /* [CANDIDATES_MAX] */
    uint32_t count, next;
} search;

/* What a task of the program gets in a round: a candidate of its search; NONE: what is best so far. */
typedef struct pick {
    uint32_t search;
    int candidate;
} pick;

typedef enum {
    FINDING,  /* the first round: tasks are told, rules choose */
    TAKING,   /* each task gets the next candidate of its search */
    CHECKING, /* `only` alone is tried */
} round_kind;

typedef struct tuner {
    const gali_gpu_tune_desc *desc;
    gali_gpu_run run;
    search *searches; /* [count] */
    uint32_t count, room, pairs, instances;
    round_kind kind;
    pick only;                 /* until a task got it; NONE: no candidate */
    pick picks[INSTANCES_MAX]; /* [tasks of the program] in this round */
    const int64_t *sizes;
    float *truth, *outputs; /* of the rules', of a round */
    size_t floats;
    int stopped;
    gal_error *error;
} tuner;

/* ---- choices of a round ---- */

static int is_same_task(const gali_device_task *a, const gali_device_task *b) {
    return strcmp(a->name.key, b->name.key) == 0 && a->name.characters == b->name.characters;
}

static uint32_t find_search(const tuner *t, const gali_device_task *task) {
    uint32_t i = 0;
    while (i < t->count && !is_same_task(&t->searches[i].tuned->task, task)) {
        i++;
    }
    return i;
}

static int next_candidate(tuner *t, uint32_t number) {
    search *s = &t->searches[number];
    int next = NONE;
    if (t->kind == TAKING && s->next < s->count) {
        next = (int)s->next++;
    } else if (t->kind == CHECKING && t->only.search == number) {
        next = t->only.candidate;
        t->only.candidate = NONE;
    }
    return next;
}

static uint32_t choose(void *context, const gali_device_task *task, gali_device_chosen *chosen) {
    tuner *t = context;
    uint32_t instance = t->instances++, number = find_search(t, task);
    if (instance >= INSTANCES_MAX) {
        return 0;
    }
    pick *to = &t->picks[instance];
    to->search = number;
    to->candidate = NONE;
    if (t->kind == FINDING || number == t->count) {
        return 0;
    }
    const search *s = &t->searches[number];
    to->candidate = next_candidate(t, number);
    chosen[0].from = 0;
    chosen[0].tiling = to->candidate == NONE ? s->tuned->best : s->candidates[to->candidate].tiling;
    return chosen[0].tiling.parts > 0;
}

/* ---- a round ---- */

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Medians of what the launches of each instance took. */
static gal_status time_instances(tuner *t, double *nanoseconds) {
    uint32_t launches = t->run.plan.launch_count;
    double *all = malloc((size_t)launches * t->pairs * sizeof *all);
    if (!all) {
        return gali_fail(t->error, GAL_NO_MEMORY, "no memory to tune");
    }
    gali_gpu_launch(&t->run, all); /* the first is not counted */
    for (uint32_t p = 0; p < t->pairs; p++) {
        gali_gpu_launch(&t->run, all + (size_t)launches * p);
    }
    memset(nanoseconds, 0, INSTANCES_MAX * sizeof *nanoseconds);
    for (uint32_t i = 0; i < launches; i++) {
        double one[GALI_GPU_TUNE_SURE];
        for (uint32_t p = 0; p < t->pairs; p++) {
            one[p] = all[(size_t)launches * p + i];
        }
        qsort(one, t->pairs, sizeof *one, ascending);
        uint32_t task = t->run.plan.launches[i].task;
        if (task && task <= INSTANCES_MAX) {
            nanoseconds[task - 1] += one[t->pairs / 2];
        }
    }
    free(all);
    return gali_gpu_failure(&t->run, t->error);
}

static size_t bytes_of(const tuner *t, uint32_t value) {
    const gali_graph *graph = t->run.plan.program->graph;
    const gali_type *type = &graph->values[value].type;
    return (size_t)gali_extent_value(graph->extents, gali_type_count(graph->extents, type), t->sizes) *
           gali_element_list[type->element].bytes;
}

/* Inputs of float32 get numbers around 0, all others zeros. */
static gal_status put_inputs(tuner *t) {
    const gali_graph *graph = t->run.plan.program->graph;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        size_t size = bytes_of(t, graph->inputs[i]);
        float *data = calloc(1, size + sizeof *data);
        if (!data) {
            return gali_fail(t->error, GAL_NO_MEMORY, "no memory to tune");
        }
        for (size_t k = 0; graph->values[graph->inputs[i]].type.element == GALI_f32 && k < size / sizeof *data;
             k++) {
            data[k] = (float)(k * 7919 % 1009) / 512 - 1;
        }
        gali_gpu_put(&t->run, graph->inputs[i], data, size);
        free(data);
    }
    return GAL_OK;
}

/*
 * How far b is off a, and *most at least |a|. Numbers that are not finite are off by nothing from their kind and infinitely
 * from all others: a model may make them of the inputs above.
 */
static double distance(double a, double b, double *most) {
    if (!isfinite(a) || !isfinite(b)) {
        return a == b || (isnan(a) && isnan(b)) ? 0 : (double)INFINITY;
    }
    *most = fmax(*most, fabs(a));
    return fabs(a - b);
}

/* Whether the outputs of float32 are those of the rules' tilings, which the first round keeps. */
static gal_status check_outputs(tuner *t) {
    const gali_graph *graph = t->run.plan.program->graph;
    size_t floats = 0;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        floats += bytes_of(t, graph->outputs[i]) / sizeof(float) + 1;
    }
    if (!t->truth) {
        t->truth = calloc(floats, sizeof *t->truth);
        t->outputs = calloc(floats, sizeof *t->outputs);
        t->floats = floats;
    }
    float *to = t->kind == FINDING ? t->truth : t->outputs;
    if (!to || !t->outputs || floats != t->floats) {
        return gali_fail(t->error, GAL_NO_MEMORY, "no memory to tune");
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        size_t size = bytes_of(t, graph->outputs[i]);
        if (graph->values[graph->outputs[i]].type.element == GALI_f32) {
            gali_gpu_get(&t->run, graph->outputs[i], to, size);
        }
        to += size / sizeof *to + 1;
    }
    double most = 0, apart = 0;
    for (size_t i = 0; i < floats && t->kind != FINDING; i++) {
        apart = fmax(apart, distance((double)t->truth[i], (double)t->outputs[i], &most));
    }
    return apart <= apart_most * most
               ? GAL_OK
               : gali_fail(t->error, GAL_BAD_DATA, "a round of tilings is off by %.1e of the largest output",
                           apart / most);
}

/* What the instances' candidates took; those that were measured twice have the less. */
static void take_times(tuner *t, const double *nanoseconds) {
    for (uint32_t i = 0; i < t->instances && i < INSTANCES_MAX; i++) {
        uint32_t number = find_search(t, &t->run.plan.tasks[i]);
        search *s = &t->searches[number];
        if (t->kind == FINDING && number < t->count && !s->tuned->from_log) {
            s->tuned->by_rules = nanoseconds[i];
        }
        if (t->picks[i].candidate == NONE) {
            continue;
        }
        candidate *c = &s->candidates[t->picks[i].candidate];
        c->nanoseconds = nanoseconds[i];
        s->tuned->measured++;
        if (nanoseconds[i] > 0 && (!(s->tuned->nanoseconds > 0) || nanoseconds[i] < s->tuned->nanoseconds)) {
            s->tuned->nanoseconds = nanoseconds[i];
            s->tuned->best = c->tiling;
        }
        if (t->desc->record &&
            t->desc->record(t->desc->context, s->tuned, &c->tiling, nanoseconds[i], t->pairs)) {
            t->stopped = 1;
        }
    }
}

static gal_status open_round(tuner *t) {
    const gali_gpu_choice choice = {.choose = choose, .context = t};
    gali_program *program;
    t->instances = 0;
    gal_status status = t->desc->make(t->desc->context, &program, &t->sizes, t->error);
    return status == GAL_OK ? gali_gpu_start(&t->run, program, t->desc->device, t->sizes, &choice, t->error)
                            : status;
}

static gal_status measure_round(tuner *t) {
    double *nanoseconds = malloc(INSTANCES_MAX * sizeof *nanoseconds);
    gal_status status = nanoseconds ? put_inputs(t) : gali_fail(t->error, GAL_NO_MEMORY, "no memory to tune");
    status = status == GAL_OK ? time_instances(t, nanoseconds) : status;
    status = status == GAL_OK ? check_outputs(t) : status;
    status = status == GAL_OK ? gali_gpu_failure(&t->run, t->error) : status;
    if (status == GAL_OK) {
        take_times(t, nanoseconds);
    }
    free(nanoseconds);
    return status;
}

/* ---- candidates ---- */

static void add_candidate(search *s, gali_tiling tiling) {
    for (uint32_t i = 0; i < s->count; i++) {
        if (gali_tiling_same(&s->candidates[i].tiling, &tiling)) {
            return;
        }
    }
    if (s->count < CANDIDATES_MAX) {
        s->candidates[s->count++] = (candidate){.tiling = tiling};
    }
}

/* Of few rows, what has no tile. */
static void add_few(search *s, const gali_device_limits *device) {
    for (uint32_t rows = 8; rows > 0 && s->tuned->task.product && s->tuned->task.rows <= FEW_ROWS_MOST;
         rows /= 2) {
        for (uint32_t parts = 128; parts >= 32; parts /= 2) {
            const gali_tiling few = {.rows = rows, .parts = parts};
            if ((rows == 1 || rows / 2 < s->tuned->task.rows) &&
                gali_tiling_fits(&few, &s->tuned->task, device)) {
                add_candidate(s, few);
            }
        }
    }
}

static int by_time(const void *a, const void *b) {
    double x = ((const candidate *)a)->nanoseconds, y = ((const candidate *)b)->nanoseconds;
    x = x > 0 ? x : (double)INFINITY;
    y = y > 0 ? y : (double)INFINITY;
    return (x > y) - (x < y);
}

/* Those of the least cost first. */
static void sort_by_cost(const gali_device_task *task, const gali_gpu_facts *facts, candidate *list,
                         uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        list[i].nanoseconds = gali_gpu_cost(task, facts, &list[i].tiling);
    }
    qsort(list, count, sizeof *list, by_time);
    for (uint32_t i = 0; i < count; i++) {
        list[i].nanoseconds = 0;
    }
}

/* The rules' tiling first, then those of the least cost. */
static gal_status fill_search(tuner *t, search *s) {
    static const gali_gpu_facts unknown;
    const gali_gpu_facts *facts = t->desc->facts ? t->desc->facts : &unknown;
    gali_tiling *list = malloc(GALI_TILINGS_MAX * sizeof *list);
    const char **why = malloc(GALI_TILINGS_MAX * sizeof *why);
    s->candidates = calloc(CANDIDATES_MAX, sizeof *s->candidates);
    if (list && why && s->candidates) {
        s->tuned->space = gali_gpu_tilings(&s->tuned->task, &t->run.plan.device, list);
        s->tuned->kept = gali_gpu_prune(&s->tuned->task, facts, list, s->tuned->space, why);
        add_candidate(s, s->tuned->task.tiling);
        add_few(s, &t->run.plan.device);
        uint32_t first = s->count;
        for (uint32_t i = 0; i < s->tuned->space; i++) {
            if (!why[i] || t->desc->everything) {
                add_candidate(s, list[i]);
            }
        }
        sort_by_cost(&s->tuned->task, facts, s->candidates + first, s->count - first);
    }
    int good = list && why && s->candidates;
    free(list);
    free(why);
    return good ? GAL_OK : gali_fail(t->error, GAL_NO_MEMORY, "no memory to tune");
}

/* Whether a log says what is best of a task, and was sure of it. */
static int is_known(const tuner *t, gali_gpu_tuned *tuned) {
    for (uint32_t i = 0; t->desc->log && i < t->desc->log->count; i++) {
        const gali_log_record *r = &t->desc->log->records[i];
        gal_error why;
        if (gali_log_is_of(r, &tuned->task.name) && r->pairs >= GALI_GPU_TUNE_SURE && r->measured.ratio > 0 &&
            (!tuned->from_log || 1e9 * r->measured.seconds < tuned->nanoseconds) &&
            gali_tiling_parse(&tuned->best, r->schedule, &why) == GAL_OK) {
            tuned->from_log = 1;
            tuned->nanoseconds = 1e9 * r->measured.seconds;
            tuned->by_rules = tuned->nanoseconds / r->measured.ratio;
        }
    }
    return tuned->from_log;
}

/* The tasks of the program, those that compute the same once. */
static gal_status find_tasks(tuner *t, gali_gpu_tuned *tuned) {
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i < t->run.plan.task_count && status == GAL_OK; i++) {
        const gali_device_task *task = &t->run.plan.tasks[i];
        uint32_t at = find_search(t, task);
        if (at < t->count) {
            tuned[at].stages++;
            continue;
        }
        if (t->count == t->room || !task->tiling.parts) { /* parts 0: it became no sum in tiles */
            continue;
        }
        tuned[at] = (gali_gpu_tuned){.task = *task, .stages = 1};
        t->searches[at] = (search){.tuned = &tuned[at]};
        t->count++;
        if (!is_known(t, &tuned[at])) {
            status = fill_search(t, &t->searches[at]);
        }
    }
    return status;
}

static void drop_refused(search *s) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (!s->candidates[i].refused) {
            s->candidates[count++] = s->candidates[i];
        }
    }
    s->count = count;
}

/* The fastest, those also with operands as images, and the rules'. */
static void choose_finalists(search *s) {
    if (s->tuned->from_log) {
        return;
    }
    drop_refused(s);
    uint32_t first = s->count < FINALISTS ? s->count : FINALISTS;
    qsort(s->candidates, s->count, sizeof *s->candidates, by_time);
    s->count = first;
    s->next = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        s->candidates[i].nanoseconds = 0;
    }
    for (uint32_t i = 0; i < first && i < FINALISTS / 2; i++) {
        for (uint32_t images = 1; images <= (GALI_IMAGE_LEFT | GALI_IMAGE_RIGHT); images++) {
            gali_tiling tiling = s->candidates[i].tiling;
            tiling.images = images;
            if (tiling.depth && !(images & ~s->tuned->task.images)) {
                add_candidate(s, tiling);
            }
        }
    }
    add_candidate(s, s->tuned->task.tiling);
    s->tuned->nanoseconds = 0;
}

static int is_waiting(const tuner *t) {
    for (uint32_t i = 0; i < t->count; i++) {
        if (t->searches[i].next < t->searches[i].count) {
            return 1;
        }
    }
    return 0;
}

static gal_status run_round(tuner *t, round_kind kind) {
    t->kind = kind;
    gal_status status = open_round(t);
    if (status == GAL_OK) {
        status = measure_round(t);
        gali_gpu_end(&t->run);
    }
    return status;
}

/* A round with this candidate, or without any where it is NONE. */
static gal_status run_only(tuner *t, pick only) {
    t->only = only;
    return run_round(t, CHECKING);
}

/* A driver may refuse what its limits allow: a kernel that does not build, a group that takes too many registers. */
static void refuse(tuner *t, pick of) {
    search *s = &t->searches[of.search];
    candidate *c = &s->candidates[of.candidate];
    c->refused = 1;
    if (t->desc->record && t->desc->record(t->desc->context, s->tuned, &c->tiling, 0, t->pairs)) {
        t->stopped = 1;
    }
}

/* Tries a failed round's candidates one by one. What fails without any, or gives other outputs, ends the search. */
static gal_status try_each(tuner *t, const pick *tried, uint32_t count) {
    const pick none = {.candidate = NONE};
    gal_status status = run_only(t, none);
    for (uint32_t i = 0; i < count && status == GAL_OK && !t->stopped; i++) {
        gal_status alone = count > 1 ? run_only(t, tried[i]) : GAL_IO;
        if (alone == GAL_BAD_DATA) {
            status = alone;
        } else if (alone != GAL_OK) {
            refuse(t, tried[i]);
        }
    }
    return status;
}

static gal_status find_refused(tuner *t, gal_status failure) {
    uint32_t count = 0;
    pick *tried = malloc(INSTANCES_MAX * sizeof *tried);
    for (uint32_t i = 0; tried && i < t->instances && i < INSTANCES_MAX; i++) {
        if (t->picks[i].candidate != NONE) {
            tried[count++] = t->picks[i];
        }
    }
    gal_status status = count ? try_each(t, tried, count) : failure;
    free(tried);
    return status;
}

/* Rounds until all candidates were measured, or the time is over. */
static gal_status run_rounds(tuner *t, double until) {
    gal_status status = GAL_OK;
    while (status == GAL_OK && is_waiting(t) && !t->stopped && gali_clock_seconds() < until) {
        status = run_round(t, TAKING);
        if (status != GAL_OK && status != GAL_BAD_DATA) {
            status = find_refused(t, status);
        }
    }
    return status;
}

static gal_status find_all(tuner *t, gali_gpu_tuned *tuned) {
    t->kind = FINDING;
    gal_status status = open_round(t);
    if (status == GAL_OK) {
        status = find_tasks(t, tuned);
        status = status == GAL_OK ? measure_round(t) : status;
        gali_gpu_end(&t->run);
    }
    return status;
}

static void take_rules(search *s) {
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->candidates[i].nanoseconds > 0 &&
            gali_tiling_same(&s->candidates[i].tiling, &s->tuned->task.tiling)) {
            s->tuned->by_rules = s->candidates[i].nanoseconds;
        }
    }
}

gal_status gali_gpu_tune(const gali_gpu_tune_desc *desc, gali_gpu_tuned *tuned, uint32_t room, uint32_t *count,
                         gal_error *error) {
    double until = gali_clock_seconds() + desc->seconds;
    tuner *t = calloc(1, sizeof *t);
    search *searches = calloc(room + 1, sizeof *searches);
    *count = 0;
    if (!t || !searches) {
        free(t);
        free(searches);
        return gali_fail(error, GAL_NO_MEMORY, "no memory to tune");
    }
    *t =
        (tuner){.desc = desc, .searches = searches, .room = room, .pairs = GALI_GPU_TUNE_PAIRS, .error = error};
    gal_status status = find_all(t, tuned);
    status = status == GAL_OK ? run_rounds(t, until) : status;
    for (uint32_t i = 0; i < t->count && status == GAL_OK && !t->stopped; i++) {
        choose_finalists(&searches[i]);
    }
    t->pairs = GALI_GPU_TUNE_SURE;
    status = status == GAL_OK ? run_rounds(t, (double)INFINITY) : status;
    for (uint32_t i = 0; i < t->count; i++) {
        if (!tuned[i].from_log) {
            take_rules(&searches[i]);
        }
        free(searches[i].candidates);
    }
    *count = t->count;
    free(t->truth);
    free(t->outputs);
    free(t);
    free(searches);
    return status;
}
