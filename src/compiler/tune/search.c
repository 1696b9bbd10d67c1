#include "compiler/tune/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "compiler/tune/features.h"
#include "compiler/tune/trees.h"

enum {
    BATCH = 16,
    POOL = 192,     /* points bred a round */
    TRIES = 3000,   /* to find them */
    ELITE = 12,     /* parents */
    LEADERS = 8,    /* measured again at the end */
    SEEN = 1 << 15, /* hashes of schedules; a power of two */
    SAMPLES = 2048, /* that the model learns from */
    PATIENCE = 8,   /* rounds without a better one that end the search */
};
static const double better = 0.997; /* a ratio this much lower is better */

/* A schedule that was or may be measured. */
typedef struct sample {
    gali_point point;
    int bred; /* the point is known: it can be a parent */
    gali_schedule schedule;
    float features[GALI_FEATURE_COUNT];
    double ratio; /* measured, or predicted in the pool */
} sample;

typedef struct seeker {
    const gali_search *search;
    const gali_space *space;
    uint64_t random, seen[SEEN];
    sample *samples, *pool;
    uint32_t count, pooled, seen_count;
    double work, start;
    gali_trees *model;
    gali_schedule schedules[BATCH]; /* on their way to be measured */
    gali_measured results[BATCH];
    gali_search_state state;
} seeker;

static uint32_t draw(seeker *s, uint32_t below) { /* SplitMix64 (Steele et al. 2014) */
    uint64_t z = (s->random += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ (z >> 31)) >> 32) % below;
}

/* FNV-1a of a schedule's entries. */
static uint64_t hash_of(const gali_schedule *schedule) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (uint32_t i = 0; i < schedule->count; i++) {
        const gali_schedule_entry *e = &schedule->entry[i];
        const char *texts[] = {e->target, e->argument};
        hash = (hash ^ e->primitive) * 0x100000001B3u;
        hash = (hash ^ e->number) * 0x100000001B3u;
        for (int t = 0; t < 2; t++) {
            for (const char *at = texts[t]; *at; at++) {
                hash = (hash ^ (unsigned char)*at) * 0x100000001B3u;
            }
        }
    }
    return hash ? hash : 1;
}

/* Whether the schedule comes up for the first time. A full table says no: the search then ends. */
static int is_new(seeker *s, const gali_schedule *schedule) {
    uint64_t hash = hash_of(schedule);
    uint32_t at = (uint32_t)hash % SEEN;
    while (s->seen[at] && s->seen[at] != hash) {
        at = (at + 1) % SEEN;
    }
    if (s->seen[at] || s->seen_count >= SEEN / 2) {
        return 0;
    }
    s->seen[at] = hash;
    s->seen_count++;
    return 1;
}

/* Applies a schedule and looks at its loops. Returns 0 if it cannot be or the target cannot hold it. */
static int look(seeker *s, sample *one, int refuse) {
    gali_arena arena = {0};
    gali_loop_function *function;
    gal_error error;
    int good = gali_schedule_apply(s->space->expression, &one->schedule, &arena, &function, &error) == GAL_OK;
    if (good) {
        gali_features_of(function, s->space->target, one->features);
        good = !refuse || !gali_features_refuse(function, s->space->target, s->work, one->features);
    }
    gali_arena_release(&arena);
    return good;
}

/* Multiply-adds of the expression in whole vectors: what every schedule has to do. */
static double work_of(const gali_space *space) {
    const gali_dense *d = &space->dense;
    uint32_t lanes = space->target->lanes, outputs = (d->outputs + lanes - 1) / lanes * lanes;
    double pass = (double)d->most * d->slots * (d->inputs + 1) * outputs;
    return d->form == GAL_FORM_BLEND ? pass * (d->slots + 1) / d->slots : pass;
}

static int by_ratio(const void *a, const void *b) {
    double x = ((const sample *)a)->ratio, y = ((const sample *)b)->ratio;
    return (x > y) - (x < y);
}

/* ---- breeding ---- */

static gali_point random_point(seeker *s) {
    gali_point p = {{0}};
    for (uint32_t i = 0; i < s->space->knobs; i++) {
        p.setting[i] = (unsigned char)draw(s, s->space->knob[i].settings);
    }
    return p;
}

static const sample *parent(seeker *s) {
    uint32_t elite = s->count < ELITE ? s->count : ELITE;
    const sample *one = elite ? &s->samples[draw(s, elite)] : NULL;
    return one && one->bred ? one : NULL;
}

/* A parent's settings, some of another's, one or two changed. */
static gali_point breed(seeker *s) {
    const sample *a = parent(s), *b = parent(s);
    if (!a || draw(s, 10) < 3) {
        return random_point(s);
    }
    gali_point p = a->point;
    for (uint32_t i = 0; i < s->space->knobs && b && draw(s, 2); i++) {
        p.setting[i] = draw(s, 2) ? b->point.setting[i] : p.setting[i];
    }
    for (uint32_t changes = 1 + draw(s, 2); changes > 0; changes--) {
        uint32_t knob = draw(s, s->space->knobs);
        p.setting[knob] = (unsigned char)draw(s, s->space->knob[knob].settings);
    }
    return p;
}

static void fill_pool(seeker *s) {
    s->pooled = 0;
    for (uint32_t i = 0; i < TRIES && s->pooled < POOL; i++) {
        sample *one = &s->pool[s->pooled];
        *one = (sample){.point = breed(s), .bred = 1};
        if (!gali_space_write(s->space, &one->point, &one->schedule) || !is_new(s, &one->schedule)) {
            continue;
        }
        if (!look(s, one, 1)) {
            s->state.refused++;
            continue;
        }
        one->ratio = gali_trees_predict(s->model, one->features);
        s->pooled++;
    }
    qsort(s->pool, s->pooled, sizeof *s->pool, by_ratio);
}

/* ---- measuring ---- */

static void keep(seeker *s, const sample *one, double ratio) {
    if (s->count < SAMPLES) {
        s->samples[s->count] = *one;
        s->samples[s->count++].ratio = ratio;
    }
}

static void tell(seeker *s, const gali_schedule *schedule, const gali_measured *measured, uint32_t pairs) {
    gali_search_record record = {schedule, *measured, pairs};
    if (s->search->record) {
        s->search->record(s->search->context, &record);
    }
}

/* Most of a batch is what the model likes best; every fourth is drawn from the rest. */
static uint32_t choose_batch(seeker *s, uint32_t *chosen) {
    unsigned char taken[POOL] = {0};
    uint32_t count = 0, next = 0;
    while (count < BATCH && count < s->pooled) {
        uint32_t at = count % 4 == 3 ? draw(s, s->pooled) : next++;
        while (taken[at]) {
            at = (at + 1) % s->pooled;
        }
        taken[at] = 1;
        chosen[count++] = at;
    }
    return count;
}

/* Points of the pool that were not measured may come up again. */
static void forget_rest(seeker *s, const uint32_t *chosen, uint32_t count) {
    for (uint32_t i = 0; i < s->pooled; i++) {
        int taken = 0;
        for (uint32_t k = 0; k < count; k++) {
            taken |= chosen[k] == i;
        }
        uint64_t hash = hash_of(&s->pool[i].schedule);
        for (uint32_t at = (uint32_t)hash % SEEN; !taken && s->seen[at]; at = (at + 1) % SEEN) {
            if (s->seen[at] == hash) {
                s->seen[at] = UINT64_MAX; /* a place that was in use: others may lie behind it */
                break;
            }
        }
    }
}

static gal_status measure_batch(seeker *s, gal_error *error) {
    uint32_t chosen[BATCH], count = choose_batch(s, chosen);
    if (count == 0) {
        return GAL_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        s->schedules[i] = s->pool[chosen[i]].schedule;
    }
    gal_status status = s->search->measure(s->search->measure_context, s->schedules, count, GALI_MEASURE_QUICK,
                                           s->results, error);
    if (status != GAL_OK) {
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        tell(s, &s->schedules[i], &s->results[i], GALI_MEASURE_QUICK);
        if (s->results[i].ratio > 0) {
            keep(s, &s->pool[chosen[i]], s->results[i].ratio);
        }
        s->state.measured++;
        s->state.failed += s->results[i].ratio == 0;
    }
    forget_rest(s, chosen, count);
    qsort(s->samples, s->count, sizeof *s->samples, by_ratio);
    s->state.best = s->count ? s->samples[0].ratio : 0;
    return GAL_OK;
}

/* The model learns the logarithm of the ratio: a slow schedule must not outweigh the differences that matter. */
static int learn(seeker *s) {
    float *x = malloc((s->count + 1) * GALI_FEATURE_COUNT * sizeof *x), *y = malloc((s->count + 1) * sizeof *y);
    for (uint32_t i = 0; i < s->count && x && y; i++) {
        memcpy(x + (size_t)i * GALI_FEATURE_COUNT, s->samples[i].features, sizeof s->samples[i].features);
        y[i] = (float)log(s->samples[i].ratio);
    }
    int good = x && y && gali_trees_learn(s->model, x, y, s->count, GALI_FEATURE_COUNT);
    free(x);
    free(y);
    return good;
}

static void take_known(seeker *s) {
    for (uint32_t i = 0; i < s->search->known_count; i++) {
        const gali_search_record *known = &s->search->known[i];
        sample one = {.schedule = *known->schedule};
        if (is_new(s, &one.schedule) && known->measured.ratio > 0 && look(s, &one, 0)) {
            keep(s, &one, known->measured.ratio);
        }
    }
    qsort(s->samples, s->count, sizeof *s->samples, by_ratio);
    s->state.best = s->count ? s->samples[0].ratio : 0;
}

static int is_over(seeker *s, uint32_t idle, gali_search_result *result) {
    s->state.seconds = gali_clock_seconds() - s->start;
    result->stopped = s->search->watch && s->search->watch(s->search->context, &s->state);
    return result->stopped || s->state.seconds >= s->search->seconds || idle >= PATIENCE;
}

static gal_status measure_leaders(seeker *s, gali_search_result *result, gal_error *error) {
    uint32_t count = s->count < LEADERS ? s->count : LEADERS;
    if (count == 0) {
        return gali_fail(error, GAL_NOT_FOUND, "no schedule of the space could be measured");
    }
    for (uint32_t i = 0; i < count; i++) {
        s->schedules[i] = s->samples[i].schedule;
    }
    gal_status status = s->search->measure(s->search->measure_context, s->schedules, count, GALI_MEASURE_SURE,
                                           s->results, error);
    for (uint32_t i = 0; i < count && status == GAL_OK; i++) {
        tell(s, &s->schedules[i], &s->results[i], GALI_MEASURE_SURE);
        double ratio = s->results[i].ratio;
        if (ratio > 0 && (result->measured.ratio == 0 || ratio < result->measured.ratio)) {
            result->measured = s->results[i];
            result->schedule = s->schedules[i];
        }
    }
    s->state.best = result->measured.ratio;
    if (status == GAL_OK && result->measured.ratio == 0) {
        return gali_fail(error, GAL_NOT_FOUND, "no schedule of the space could be measured");
    }
    return status;
}

static gal_status search_rounds(seeker *s, gali_search_result *result, gal_error *error) {
    gal_status status = GAL_OK;
    uint32_t idle = 0;
    take_known(s);
    while (status == GAL_OK && !is_over(s, idle, result) && !result->exhausted) {
        double before = s->state.best;
        if (!learn(s)) {
            return gali_fail(error, GAL_NO_MEMORY, "no memory to search");
        }
        fill_pool(s);
        result->exhausted = s->pooled == 0;
        status = measure_batch(s, error);
        idle = before > 0 && s->state.best > before * better ? idle + 1 : 0;
    }
    return status == GAL_OK ? measure_leaders(s, result, error) : status;
}

gal_status gali_search_run(const gali_search *search, gali_search_result *result, gal_error *error) {
    seeker *s = calloc(1, sizeof *s);
    *result = (gali_search_result){.exhausted = 0};
    if (s) {
        s->samples = malloc(SAMPLES * sizeof *s->samples);
        s->pool = malloc(POOL * sizeof *s->pool);
        s->model = calloc(1, sizeof *s->model);
    }
    if (!s || !s->samples || !s->pool || !s->model) {
        if (s) {
            free(s->samples);
            free(s->pool);
            free(s->model);
        }
        free(s);
        return gali_fail(error, GAL_NO_MEMORY, "no memory to search");
    }
    s->search = search;
    s->space = search->space;
    s->random = search->seed;
    s->work = work_of(search->space);
    s->start = gali_clock_seconds();
    gal_status status = search_rounds(s, result, error);
    s->state.seconds = gali_clock_seconds() - s->start;
    result->state = s->state;
    free(s->samples);
    free(s->pool);
    free(s->model);
    free(s);
    return status;
}
