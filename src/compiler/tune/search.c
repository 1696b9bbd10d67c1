#include "compiler/tune/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "compiler/schedule/features.h"
#include "compiler/tune/trees.h"

enum {
    BATCH = 16,
    UNKNOWN = 4,     /* every so manieth of a batch is of a tile that little is known of */
    POOL = 256,      /* candidates that a round keeps */
    RANDOM = 384,    /* points drawn anew in a round */
    CHILDREN = 1536, /* bred in a round on the model's word alone, from a pool that gets better meanwhile */
    WIDE = 2, /* first rounds: they draw RANDOM_WIDE and CHILDREN_WIDE, and measure many families and tiles */
    RANDOM_WIDE = 1536,
    CHILDREN_WIDE = 3072,
    HEADS = 8,        /* of families that are tried in all tiles */
    RELATIVES = 24,   /* of a family in the pool */
    ALIKE = 32,       /* of a tile in the pool */
    ELITE = 24,       /* measured points that are parents */
    NEIGHBOURS = 4,   /* of a parent, by each of its knobs */
    LEADERS = 8,      /* measured again, longer, every so many rounds */
    LEADERS_TURN = 4, /* rounds */
    SET = 1 << 15,    /* places of a set of hashes; a power of two, twice what a round looks at */
    SAMPLES = 4096,
    PATIENCE = 8, /* rounds without a better one that end the search */
};
static const double better = 0.995; /* a ratio this much lower is better */
static const double worth_it = 0.3; /* a tile is worth knowing if less is expected than this more: log 1.35 */

/* A schedule that was or may be measured. */
typedef struct sample {
    gali_point point;
    int bred; /* the point is known: it can be a parent */
    uint32_t pairs;
    uint32_t family, tile; /* schedules that are alike but for their numbers; that split alike */
    uint64_t loops;        /* hash of what it is applied */
    gali_schedule schedule;
    float features[GALI_FEATURE_COUNT];
    double seconds;
    double ratio; /* measured; in the pool the logarithm of what is expected, up to a constant */
} sample;

struct gali_search {
    gali_search_desc desc;
    const gali_space *space;
    uint64_t random;
    uint64_t measured[SET]; /* hashes of loops */
    uint64_t looked[SET];   /* of schedules and loops, this round */
    uint64_t refused[SET];  /* of schedules, as many as fit: they need no second look */
    sample *samples, *pool;
    uint32_t count, pooled;
    uint32_t batch; /* of this round: BATCH at most */
    uint32_t share; /* of a batch that schedules of one family may have; of one tile twice as much */
    gali_trees *model;
    gali_schedule schedules[BATCH + GALI_SEARCH_RIVALS_MAX]; /* on their way to be measured */
    gali_measured results[BATCH + GALI_SEARCH_RIVALS_MAX];
    gali_search_state state;
};

static uint32_t draw(gali_search *s, uint32_t below) { /* SplitMix64 (Steele et al. 2014) */
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

/* The hash's place in a set, or the free one where it goes. */
static uint64_t *place_in(uint64_t *set, uint64_t hash) {
    uint32_t at = (uint32_t)hash % SET;
    while (set[at] && set[at] != hash) {
        at = (at + 1) % SET;
    }
    return &set[at];
}

/* FNV-1a of the loops' text; 0 without memory. */
static uint64_t hash_loops(const gali_loop_function *function) {
    gali_text text = {0};
    uint64_t hash = 0xCBF29CE484222325u;
    gali_loop_print(function, &text);
    for (const char *at = text.failed ? NULL : text.bytes; at && *at; at++) {
        hash = (hash ^ (unsigned char)*at) * 0x100000001B3u;
    }
    hash = text.failed ? 0 : hash;
    gali_text_release(&text);
    return hash;
}

/* Applies a schedule and looks at its loops. Returns 0 if it cannot be or the target cannot hold it. */
static int look(const gali_search *s, sample *one, int refuse) {
    gali_arena arena = {0};
    gali_loop_function *function;
    gal_error error;
    int good = s->space->apply(s->space, &one->schedule, &arena, &function, &error) == GAL_OK;
    if (good) {
        good = !gali_features_of(function, s->space->target, s->space->work, one->features) || !refuse;
    }
    if (good) {
        one->family = (uint32_t)hash_entries(&one->schedule, FAMILY);
        one->tile = (uint32_t)hash_entries(&one->schedule, TILE);
        one->loops = hash_loops(function);
        good = one->loops != 0;
    }
    gali_arena_release(&arena);
    return good;
}

static int by_ratio(const void *a, const void *b) {
    double x = ((const sample *)a)->ratio, y = ((const sample *)b)->ratio;
    return (x > y) - (x < y);
}

/* ---- breeding ---- */

static gali_point random_point(gali_search *s) {
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
static double expected(const gali_search *s, const sample *one) {
    return estimate_of(one) + gali_trees_predict(s->model, one->features);
}

/* One of the first of the pool, the better ones more often. */
static const gali_point *parent(gali_search *s) {
    return &s->pool[draw(s, 1 + draw(s, s->pooled))].point;
}

/* Another setting of a knob; of knob number `knobs` of the whole tile, whose sides only fit each other. */
static void change(gali_search *s, gali_point *p, uint32_t knob) {
    const gali_space *space = s->space;
    for (uint32_t i = 0; i < space->knobs; i++) {
        if (i == knob || (knob == space->knobs && space->knob[i].tile)) {
            p->setting[i] = (unsigned char)draw(s, space->knob[i].settings);
        }
    }
}

/* A parent's settings, now and then with some of another's or with its tile, one or two changed. */
static gali_point breed(gali_search *s) {
    gali_point p = *parent(s);
    const uint32_t how = draw(s, 8);
    const gali_point *other = how < 4 ? &s->pool[draw(s, s->pooled)].point : NULL;
    for (uint32_t i = 0; i < s->space->knobs && other; i++) {
        int take = how < 2 ? draw(s, 2) == 0 : s->space->knob[i].tile;
        p.setting[i] = take ? other->setting[i] : p.setting[i];
    }
    for (uint32_t changes = other ? draw(s, 2) : 1 + draw(s, 2); changes > 0; changes--) {
        change(s, &p, draw(s, s->space->knobs + 1));
    }
    return p;
}

/* Where a newcomer goes in the pool: its family's worst place or its tile's where they have their share, else the pool's. */
static uint32_t rival_of(const gali_search *s, const sample *one) {
    uint32_t relatives = 0, alike = 0, relative = 0, like = 0;
    for (uint32_t i = 0; i < s->pooled; i++) {
        if (s->pool[i].family == one->family) {
            relatives++;
            relative = i;
        }
        if (s->pool[i].tile == one->tile) {
            alike++;
            like = i;
        }
    }
    return relatives >= RELATIVES ? relative : alike >= ALIKE ? like : s->pooled < POOL ? s->pooled : POOL - 1;
}

/* Puts a point that was neither measured nor looked at this round into the pool, if it is good enough. */
static void offer(gali_search *s, gali_point point) {
    sample one = {.point = point, .bred = 1};
    if (!gali_space_write(s->space, &one.point, &one.schedule)) {
        return;
    }
    uint64_t hash = hash_entries(&one.schedule, ALL);
    uint64_t *looked = place_in(s->looked, hash), *refused = place_in(s->refused, hash);
    if (*looked || *refused) {
        return;
    }
    *looked = hash;
    if (!look(s, &one, 1)) {
        *refused = s->state.refused++ < SET / 2 ? hash : 0;
        return;
    }
    looked = place_in(s->looked, one.loops);
    if (*looked || *place_in(s->measured, one.loops)) {
        return;
    }
    *looked = one.loops;
    one.ratio = expected(s, &one);
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

/* A point under every tile there is. */
static void offer_tiles(gali_search *s, gali_point p) {
    uint32_t combinations = 1;
    for (uint32_t i = 0; i < s->space->knobs; i++) {
        combinations *= s->space->knob[i].tile ? s->space->knob[i].settings : 1;
    }
    for (uint32_t number = 0; number < combinations; number++) {
        uint32_t rest = number;
        for (uint32_t i = 0; i < s->space->knobs; i++) {
            if (s->space->knob[i].tile) {
                p.setting[i] = (unsigned char)(rest % s->space->knob[i].settings);
                rest /= s->space->knob[i].settings;
            }
        }
        offer(s, p);
    }
}

/* The best of each of the first families of the pool. */
static uint32_t heads_of(const gali_search *s, gali_point *heads) {
    uint32_t count = 0, families[HEADS];
    for (uint32_t i = 0; i < s->pooled && count < HEADS; i++) {
        uint32_t known = 0;
        while (known < count && families[known] != s->pool[i].family) {
            known++;
        }
        if (known == count) {
            families[count] = s->pool[i].family;
            heads[count++] = s->pool[i].point;
        }
    }
    return count;
}

/* Neighbours of the best that were measured, and of each other, and points from anywhere; the best of them in all tiles. */
static void fill_pool(gali_search *s) {
    const uint32_t moves = s->space->knobs + 1;
    const int wide = s->state.rounds <= WIDE;
    memset(s->looked, 0, sizeof s->looked);
    s->pooled = 0;
    for (uint32_t i = 0; i < (wide ? RANDOM_WIDE : RANDOM); i++) {
        offer(s, random_point(s));
    }
    for (uint32_t i = 0, parents = 0; i < s->count && parents < ELITE; i++) {
        for (uint32_t k = 0; k < NEIGHBOURS * moves && s->samples[i].bred; k++) {
            gali_point p = s->samples[i].point;
            change(s, &p, k % moves);
            offer(s, p);
        }
        parents += s->samples[i].bred != 0;
    }
    for (uint32_t i = 0; i < (wide ? CHILDREN_WIDE : CHILDREN) && s->pooled; i++) {
        offer(s, breed(s));
    }
    gali_point heads[HEADS];
    for (uint32_t i = 0, count = heads_of(s, heads); i < count; i++) {
        offer_tiles(s, heads[i]);
    }
}

/* ---- measuring ---- */

static void keep(gali_search *s, const sample *one, const gali_measured *measured, uint32_t pairs) {
    if (s->count < SAMPLES) {
        sample *kept = &s->samples[s->count++];
        *kept = *one;
        kept->pairs = pairs;
        kept->ratio = measured->ratio;
        kept->seconds = measured->seconds;
    }
}

static void rank(gali_search *s) {
    qsort(s->samples, s->count, sizeof *s->samples, by_ratio);
    s->state.best = s->count ? s->samples[0].ratio : 0;
}

static void tell(gali_search *s, const gali_schedule *schedule, const gali_measured *measured, uint32_t pairs) {
    gali_search_record record = {schedule, *measured, pairs};
    if (s->desc.record) {
        s->desc.record(s->desc.context, &record);
    }
}

/* The first of the pool that is not taken and whose family and tile have not had their share of the batch. */
static uint32_t best_choice(const gali_search *s, const uint32_t *chosen, uint32_t count) {
    for (uint32_t one = 0; one < s->pooled; one++) {
        uint32_t relatives = 0, alike = 0, taken = 0;
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

static uint32_t known_of(const gali_search *s, const uint32_t *chosen, uint32_t count, uint32_t tile) {
    uint32_t known = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        known += s->samples[i].tile == tile;
    }
    for (uint32_t k = 0; k < count; k++) {
        known += s->pool[chosen[k]].tile == tile;
    }
    return known;
}

/* The best of the tile that was measured least, if it is worth a look. */
static uint32_t unknown_choice(const gali_search *s, const uint32_t *chosen, uint32_t count) {
    uint32_t best = s->pooled, least = UINT32_MAX;
    for (uint32_t one = 0; one < s->pooled && s->pool[one].ratio < s->pool[0].ratio + worth_it; one++) {
        uint32_t known = known_of(s, chosen, count, s->pool[one].tile), taken = 0;
        for (uint32_t k = 0; k < count; k++) {
            taken |= chosen[k] == one;
        }
        if (!taken && known < least) {
            best = one;
            least = known;
        }
    }
    return best;
}

/* Most of a batch is what the model likes best; the rest, so that a tile that it thinks too little of is found. */
static uint32_t choose_batch(const gali_search *s, uint32_t *chosen) {
    uint32_t count = 0, one = 0;
    while (count < s->batch && one < s->pooled) {
        one = count % UNKNOWN == UNKNOWN - 1 ? unknown_choice(s, chosen, count) : best_choice(s, chosen, count);
        one = one < s->pooled ? one : best_choice(s, chosen, count);
        if (one < s->pooled) {
            chosen[count++] = one;
        }
    }
    return count;
}

static gal_status measure_batch(gali_search *s, gal_error *error) {
    uint32_t chosen[BATCH], count = choose_batch(s, chosen);
    if (count == 0) {
        return GAL_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t hash = s->pool[chosen[i]].loops;
        s->schedules[i] = s->pool[chosen[i]].schedule;
        *place_in(s->measured, hash) = hash;
    }
    gal_status status =
        s->desc.measure(s->desc.measure_context, s->schedules, count, GALI_MEASURE_QUICK, s->results, error);
    if (status != GAL_OK) {
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        tell(s, &s->schedules[i], &s->results[i], GALI_MEASURE_QUICK);
        if (s->results[i].ratio > 0) {
            keep(s, &s->pool[chosen[i]], &s->results[i], GALI_MEASURE_QUICK);
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
static int learn(gali_search *s) {
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

static void take_known(gali_search *s) {
    for (uint32_t i = 0; i < s->desc.known_count && s->count < SAMPLES; i++) {
        const gali_search_record *known = &s->desc.known[i];
        sample one = {.schedule = *known->schedule};
        if (known->measured.ratio > 0 && look(s, &one, 0) && !*place_in(s->measured, one.loops)) {
            *place_in(s->measured, one.loops) = one.loops;
            keep(s, &one, &known->measured, known->pairs);
        }
    }
    rank(s);
}

/* A quick figure flatters those that were lucky: the leaders get a longer one. */
static gal_status measure_leaders(gali_search *s, uint32_t pairs, gal_error *error) {
    uint32_t count = s->count < LEADERS ? s->count : LEADERS, of[LEADERS], some = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (s->samples[i].pairs < pairs) {
            of[some] = i;
            s->schedules[some++] = s->samples[i].schedule;
        }
    }
    gal_status status =
        some ? s->desc.measure(s->desc.measure_context, s->schedules, some, pairs, s->results, error) : GAL_OK;
    for (uint32_t i = 0; i < some && status == GAL_OK; i++) {
        tell(s, &s->schedules[i], &s->results[i], pairs);
        if (s->results[i].ratio > 0) {
            s->samples[of[i]].ratio = s->results[i].ratio;
            s->samples[of[i]].seconds = s->results[i].seconds;
            s->samples[of[i]].pairs = pairs;
        }
    }
    rank(s);
    return status;
}

/* Appends the rivals that are not among the leaders. */
static uint32_t add_rivals(gali_search *s, uint32_t count) {
    uint32_t leaders = count;
    for (uint32_t i = 0; i < s->desc.rival_count; i++) {
        int there = 0;
        for (uint32_t k = 0; k < leaders; k++) {
            there |= gali_schedule_same(&s->schedules[k], &s->desc.rivals[i]);
        }
        if (!there) {
            s->schedules[count++] = s->desc.rivals[i];
        }
    }
    return count;
}

gal_status gali_search_finish(gali_search *s, uint32_t most, gali_schedule *schedule, gali_measured *measured,
                              gal_error *error) {
    uint32_t count = most < GALI_SEARCH_FINALISTS ? most : GALI_SEARCH_FINALISTS;
    count = s->count < count ? s->count : count;
    for (uint32_t i = 0; i < count; i++) {
        s->schedules[i] = s->samples[i].schedule;
    }
    count = add_rivals(s, count);
    *measured = (gali_measured){.ratio = 0};
    gal_status status = count ? s->desc.measure(s->desc.measure_context, s->schedules, count, GALI_MEASURE_SURE,
                                                s->results, error)
                              : GAL_OK;
    for (uint32_t i = 0; i < count && status == GAL_OK; i++) {
        double ratio = s->results[i].ratio;
        tell(s, &s->schedules[i], &s->results[i], GALI_MEASURE_SURE);
        if (ratio > 0 && (measured->ratio == 0 || ratio < measured->ratio)) {
            *measured = s->results[i];
            *schedule = s->schedules[i];
        }
    }
    return status == GAL_OK && measured->ratio == 0
               ? gali_fail(error, GAL_NOT_FOUND, "no schedule of the space could be measured")
               : status;
}

/* As many as fit into the time. */
static uint32_t batch_for(double seconds, double each) {
    const double most = BATCH, least = GALI_SEARCH_LEAST, fit = each > 0 ? seconds / each : most;
    return fit >= most ? BATCH : fit > least ? (uint32_t)fit : GALI_SEARCH_LEAST;
}

static gal_status search_round(gali_search *s, gal_error *error) {
    double before = s->state.best;
    s->state.rounds++;
    if (!learn(s)) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory to search");
    }
    s->share = s->state.rounds <= WIDE ? 3 : BATCH / 2;
    fill_pool(s);
    gal_status status = measure_batch(s, error);
    if (status == GAL_OK && s->state.rounds % LEADERS_TURN == 0) {
        status = measure_leaders(s, GALI_MEASURE_LONGER, error);
    }
    s->state.idle = before > 0 && s->state.best > before * better ? s->state.idle + 1 : 0;
    s->state.done = s->pooled == 0 || s->state.idle >= PATIENCE || s->count + BATCH > SAMPLES;
    return status;
}

gal_status gali_search_run(gali_search *s, double seconds, double each, int *stopped, gal_error *error) {
    const double start = gali_clock_seconds(), before = s->state.seconds;
    gal_status status = GAL_OK;
    double spent = 0, longest = 0;
    *stopped = 0;
    /* Not another round that would, as long as the longest, end more than half beyond the time. */
    for (int first = 1;
         status == GAL_OK && !s->state.done && !*stopped && (first || spent + 0.5 * longest < seconds);
         first = 0) {
        s->batch = batch_for(seconds - spent, each);
        status = search_round(s, error);
        double now = gali_clock_seconds() - start;
        longest = now - spent > longest ? now - spent : longest;
        spent = now;
        s->state.seconds = before + spent;
        *stopped = s->desc.watch && s->desc.watch(s->desc.context, &s->state);
    }
    return status;
}

gali_search_state gali_search_look(const gali_search *s) {
    return s->state;
}

void gali_search_leader(const gali_search *s, gali_schedule *schedule, gali_measured *measured) {
    *measured = (gali_measured){.ratio = 0};
    if (s->count) {
        *schedule = s->samples[0].schedule;
        *measured = (gali_measured){.ratio = s->samples[0].ratio, .seconds = s->samples[0].seconds};
    }
}

gal_status gali_search_open(gali_search **search, const gali_search_desc *desc, gal_error *error) {
    gali_search *s = *search = calloc(1, sizeof *s);
    if (s) {
        s->samples = malloc(SAMPLES * sizeof *s->samples);
        s->pool = malloc(POOL * sizeof *s->pool);
        s->model = calloc(1, sizeof *s->model);
    }
    if (!s || !s->samples || !s->pool || !s->model) {
        gali_search_close(s);
        *search = NULL;
        return gali_fail(error, GAL_NO_MEMORY, "no memory to search");
    }
    s->desc = *desc;
    s->space = desc->space;
    s->random = desc->seed;
    take_known(s);
    return GAL_OK;
}

void gali_search_close(gali_search *s) {
    if (s) {
        free(s->samples);
        free(s->pool);
        free(s->model);
    }
    free(s);
}
