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
    POOL = 256,       /* candidates that a round keeps */
    RANDOM = 768,     /* points drawn anew in a round */
    CHILDREN = 1536,  /* bred in a round on the model's word alone, from a pool that gets better meanwhile */
    RELATIVES = 24,   /* of a family in the pool */
    WIDE = 1,         /* rounds that look at many families and tiles before the best get half of a batch */
    ELITE = 24,       /* measured points that are parents */
    LEADERS = 8,      /* measured again, every so many rounds and at the end */
    LEADERS_TURN = 4, /* rounds */
    SET = 1 << 13,    /* places of a set of hashes; a power of two */
    SAMPLES = SET / 2,
    PATIENCE = 8, /* rounds without a better one that end the search */
};
static const double better = 0.995; /* a ratio this much lower is better */

/* A schedule that was or may be measured. */
typedef struct sample {
    gali_point point;
    int bred; /* the point is known: it can be a parent */
    uint32_t pairs;
    uint32_t family, tile; /* schedules that are alike but for their numbers; that split alike */
    gali_schedule schedule;
    float features[GALI_FEATURE_COUNT];
    double ratio; /* measured; in the pool the logarithm of what is expected, up to a constant */
} sample;

typedef struct seeker {
    const gali_search *search;
    const gali_space *space;
    uint64_t random;
    uint64_t measured[SET], looked[SET]; /* hashes: of all times, of this round */
    sample *samples, *pool;
    uint32_t count, pooled;
    uint32_t share; /* of a batch that schedules of one family may have; of one tile twice as much */
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

typedef enum part_of_schedule { ALL, FAMILY, TILE } part_of_schedule;

/* FNV-1a of a schedule's entries: of all, of all without their numbers, or of the splits. */
static uint64_t hash_entries(const gali_schedule *schedule, part_of_schedule part) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (uint32_t i = 0; i < schedule->count; i++) {
        const gali_schedule_entry *e = &schedule->entry[i];
        const char *texts[] = {e->target, e->argument};
        if (part == TILE && e->primitive != GALI_PRIMITIVE_SPLIT) {
            continue;
        }
        hash = (hash ^ e->primitive) * 0x100000001B3u;
        hash = (hash ^ (part == FAMILY ? 0 : e->number)) * 0x100000001B3u;
        for (int t = 0; t < 2; t++) {
            for (const char *at = texts[t]; *at; at++) {
                hash = (hash ^ (unsigned char)*at) * 0x100000001B3u;
            }
        }
    }
    return hash ? hash : 1;
}

static uint64_t hash_of(const gali_schedule *schedule) {
    return hash_entries(schedule, ALL);
}

/* The hash's place in a set, or the free one where it goes. */
static uint64_t *place_in(uint64_t *set, uint64_t hash) {
    uint32_t at = (uint32_t)hash % SET;
    while (set[at] && set[at] != hash) {
        at = (at + 1) % SET;
    }
    return &set[at];
}

/* Applies a schedule and looks at its loops. Returns 0 if it cannot be or the target cannot hold it. */
static int look(const seeker *s, sample *one, int refuse) {
    gali_arena arena = {0};
    gali_loop_function *function;
    gal_error error;
    int good = gali_schedule_apply(s->space->expression, &one->schedule, &arena, &function, &error) == GAL_OK;
    if (good) {
        good = !gali_features_of(function, s->space->target, s->work, one->features) || !refuse;
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

/* The logarithm of what the simple model says. */
static double estimate_of(const sample *one) {
    return log(2) * one->features[GALI_FEATURE_estimate];
}

/* What the model expects: trees on top of the estimate. */
static double expected(const seeker *s, const sample *one) {
    return estimate_of(one) + gali_trees_predict(s->model, one->features);
}

/* One of the first of the pool, the better ones more often. */
static const gali_point *parent(seeker *s) {
    uint32_t a = draw(s, s->pooled), b = draw(s, s->pooled);
    return &s->pool[a < b ? a : b].point;
}

/* A parent's settings, now and then with some of another's, one or two changed. */
static gali_point breed(seeker *s) {
    gali_point p = *parent(s);
    const gali_point *other = draw(s, 4) == 0 ? parent(s) : NULL;
    for (uint32_t i = 0; i < s->space->knobs && other; i++) {
        p.setting[i] = draw(s, 2) ? other->setting[i] : p.setting[i];
    }
    for (uint32_t changes = other ? draw(s, 2) : 1 + draw(s, 2); changes > 0; changes--) {
        uint32_t knob = draw(s, s->space->knobs);
        p.setting[knob] = (unsigned char)draw(s, s->space->knob[knob].settings);
    }
    return p;
}

/* Where a newcomer goes in the pool, which is full or whose family is: its family's worst or the pool's. */
static uint32_t rival_of(const seeker *s, const sample *one) {
    uint32_t relatives = 0, worst = POOL;
    for (uint32_t i = 0; i < s->pooled; i++) {
        if (s->pool[i].family == one->family) {
            relatives++;
            worst = i;
        }
    }
    return relatives >= RELATIVES ? worst : s->pooled < POOL ? s->pooled : POOL - 1;
}

/* Puts a point that was neither measured nor looked at this round into the pool, if it is good enough. */
static void offer(seeker *s, gali_point point) {
    sample one = {.point = point, .bred = 1};
    if (!gali_space_write(s->space, &one.point, &one.schedule)) {
        return;
    }
    uint64_t hash = hash_of(&one.schedule), *looked = place_in(s->looked, hash);
    if (*looked || *place_in(s->measured, hash)) {
        return;
    }
    *looked = hash;
    if (!look(s, &one, 1)) {
        s->state.refused++;
        return;
    }
    one.ratio = expected(s, &one);
    one.family = (uint32_t)hash_entries(&one.schedule, FAMILY);
    one.tile = (uint32_t)hash_entries(&one.schedule, TILE);
    uint32_t at = rival_of(s, &one);
    if (at < s->pooled && one.ratio >= s->pool[at].ratio) {
        return;
    }
    s->pooled += at == s->pooled;
    for (; at > 0 && one.ratio < s->pool[at - 1].ratio; at--) {
        s->pool[at] = s->pool[at - 1];
    }
    s->pool[at] = one;
}

/* Neighbours of the best that were measured, and of each other, and points from anywhere. */
static void fill_pool(seeker *s) {
    memset(s->looked, 0, sizeof s->looked);
    s->pooled = 0;
    for (uint32_t i = 0; i < RANDOM; i++) {
        offer(s, random_point(s));
    }
    for (uint32_t i = 0, parents = 0; i < s->count && parents < ELITE; i++) {
        for (uint32_t k = 0; k < 4 * s->space->knobs && s->samples[i].bred; k++) {
            gali_point p = s->samples[i].point;
            uint32_t knob = k % s->space->knobs;
            p.setting[knob] = (unsigned char)draw(s, s->space->knob[knob].settings);
            offer(s, p);
        }
        parents += s->samples[i].bred != 0;
    }
    for (uint32_t i = 0; i < CHILDREN && s->pooled; i++) {
        offer(s, breed(s));
    }
}

/* ---- measuring ---- */

static void keep(seeker *s, const sample *one, double ratio, uint32_t pairs) {
    if (s->count < SAMPLES) {
        s->samples[s->count] = *one;
        s->samples[s->count].pairs = pairs;
        s->samples[s->count++].ratio = ratio;
    }
}

static void rank(seeker *s) {
    qsort(s->samples, s->count, sizeof *s->samples, by_ratio);
    s->state.best = s->count ? s->samples[0].ratio : 0;
}

static void tell(seeker *s, const gali_schedule *schedule, const gali_measured *measured, uint32_t pairs) {
    gali_search_record record = {schedule, *measured, pairs};
    if (s->search->record) {
        s->search->record(s->search->context, &record);
    }
}

/* The first of the pool from `at` on that is not taken, and whose family and tile have not had their share of the batch. */
static uint32_t next_choice(const seeker *s, const uint32_t *chosen, uint32_t count, uint32_t at) {
    for (uint32_t i = 0; i < s->pooled; i++) {
        uint32_t one = (at + i) % s->pooled, relatives = 0, alike = 0, taken = 0;
        for (uint32_t k = 0; k < count; k++) {
            relatives += s->pool[chosen[k]].family == s->pool[one].family;
            alike += s->pool[chosen[k]].tile == s->pool[one].tile;
            taken |= chosen[k] == one;
        }
        if (!taken && relatives < s->share && alike < 2 * s->share) {
            return one;
        }
    }
    return s->pooled;
}

/* Most of a batch is what the model likes best; every eighth is drawn from the rest of the pool. */
static uint32_t choose_batch(seeker *s, uint32_t *chosen) {
    uint32_t count = 0, one = 0;
    while (count < BATCH && one < s->pooled) {
        one = next_choice(s, chosen, count, count % 8 == 7 ? draw(s, s->pooled) : 0);
        if (one < s->pooled) {
            chosen[count++] = one;
        }
    }
    return count;
}

static gal_status measure_batch(seeker *s, gal_error *error) {
    uint32_t chosen[BATCH], count = choose_batch(s, chosen);
    if (count == 0) {
        return GAL_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t hash = hash_of(&s->pool[chosen[i]].schedule);
        s->schedules[i] = s->pool[chosen[i]].schedule;
        *place_in(s->measured, hash) = hash;
    }
    gal_status status = s->search->measure(s->search->measure_context, s->schedules, count, GALI_MEASURE_QUICK,
                                           s->results, error);
    if (status != GAL_OK) {
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        tell(s, &s->schedules[i], &s->results[i], GALI_MEASURE_QUICK);
        if (s->results[i].ratio > 0) {
            keep(s, &s->pool[chosen[i]], s->results[i].ratio, GALI_MEASURE_QUICK);
        }
        s->state.measured++;
        s->state.failed += s->results[i].ratio == 0;
    }
    rank(s);
    return GAL_OK;
}

/*
 * The model learns what the estimate gets wrong, as the logarithm of a factor: a slow schedule must not outweigh the
 * differences that matter.
 */
static int learn(seeker *s) {
    float *x = malloc((s->count + 1) * GALI_FEATURE_COUNT * sizeof *x), *y = malloc((s->count + 1) * sizeof *y);
    for (uint32_t i = 0; i < s->count && x && y; i++) {
        memcpy(x + (size_t)i * GALI_FEATURE_COUNT, s->samples[i].features, sizeof s->samples[i].features);
        y[i] = (float)(log(s->samples[i].ratio) - estimate_of(&s->samples[i]));
    }
    int good = x && y && gali_trees_learn(s->model, x, y, s->count, GALI_FEATURE_COUNT);
    free(x);
    free(y);
    return good;
}

static void take_known(seeker *s) {
    for (uint32_t i = 0; i < s->search->known_count && s->count < SAMPLES; i++) {
        const gali_search_record *known = &s->search->known[i];
        sample one = {.schedule = *known->schedule};
        uint64_t hash = hash_of(&one.schedule), *place = place_in(s->measured, hash);
        if (!*place && known->measured.ratio > 0 && look(s, &one, 0)) {
            *place = hash;
            keep(s, &one, known->measured.ratio, known->pairs);
        }
    }
    rank(s);
}

/* Also over where another round, as long as those before, would end more than half beyond the time. */
static int is_over(seeker *s, uint32_t rounds, uint32_t idle, gali_search_result *result) {
    s->state.seconds = gali_clock_seconds() - s->start;
    double half = rounds ? 0.5 * s->state.seconds / rounds : 0;
    result->stopped = s->search->watch && s->search->watch(s->search->context, &s->state);
    return result->stopped || s->state.seconds + half >= s->search->seconds || idle >= PATIENCE ||
           s->state.measured + s->count + BATCH > SAMPLES;
}

/* A quick figure flatters those that were lucky: the leaders get a longer one. */
static gal_status measure_leaders(seeker *s, uint32_t pairs, gal_error *error) {
    uint32_t count = s->count < LEADERS ? s->count : LEADERS, of[LEADERS], some = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (s->samples[i].pairs < pairs) {
            of[some] = i;
            s->schedules[some++] = s->samples[i].schedule;
        }
    }
    gal_status status =
        some ? s->search->measure(s->search->measure_context, s->schedules, some, pairs, s->results, error)
             : GAL_OK;
    for (uint32_t i = 0; i < some && status == GAL_OK; i++) {
        tell(s, &s->schedules[i], &s->results[i], pairs);
        if (s->results[i].ratio > 0) {
            s->samples[of[i]].ratio = s->results[i].ratio;
            s->samples[of[i]].pairs = pairs;
        }
    }
    rank(s);
    return status;
}

/* The leaders side by side, and the first of them. */
static gal_status measure_winner(seeker *s, gali_search_result *result, gal_error *error) {
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
    for (uint32_t round = 1; status == GAL_OK && !is_over(s, round - 1, idle, result) && !result->exhausted;
         round++) {
        double before = s->state.best;
        if (!learn(s)) {
            return gali_fail(error, GAL_NO_MEMORY, "no memory to search");
        }
        s->share = round <= WIDE ? 2 : BATCH / 2;
        fill_pool(s);
        result->exhausted = s->pooled == 0;
        status = measure_batch(s, error);
        if (status == GAL_OK && round % LEADERS_TURN == 0) {
            status = measure_leaders(s, GALI_MEASURE_LONGER, error);
        }
        idle = before > 0 && s->state.best > before * better ? idle + 1 : 0;
    }
    return status == GAL_OK ? measure_winner(s, result, error) : status;
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
