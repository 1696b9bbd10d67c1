/*
 * All versions of a layer read one layout of its weights, but the winners of a log lie in several. So of each count of
 * characters that matters the best few records are looked at, and the layout is taken under which all counts together
 * are fastest: each count's best record of that layout, beside its best of all; where there is none, the written rules
 * fill in if they can read it. A count of characters runs as the log's next larger one did, or as its largest: tiles for
 * more characters hold fewer in one. What a search finds is often unrolled without end, for which a range of counts pays
 * with code for each size of a tile: records that become long are left out where there are others.
 *
 * Where the log knows the written schedule of a count, as the tuner's last races see to, nothing runs slower for it: a
 * layout is taken only if each such count has a record of it that was measured as long and is no slower. The written
 * versions' own layout always is one of those; there, the log replaces them for the counts that it makes faster.
 */
#include "compiler/pass/versions.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "compiler/log/log.h"
#include "compiler/loop/layout.h"
#include "compiler/schedule/features.h"

enum {
    EACH = 24, /* records of a count that are looked at */
    TILES = 16 /* so many counts above the largest of a log have all sizes of its tiles */
};
static const double larger = 0.8,
                    smaller = 0.5, /* speed by a record of a larger or a smaller count, beside the best */
    code_most = 400;               /* statements of a version: some 4 KB */

/* A record that may serve; records of one layout have one number. */
typedef struct candidate {
    const gali_log_record *record;
    gali_schedule schedule;
    gali_loop_buffer weights;
    uint32_t layout;
    uint32_t least, most; /* the counts that it may serve */
    int usable, lengthy;  /* for those */
    int written;          /* the rules' own schedule for the record's count */
} candidate;

typedef struct candidates {
    uint32_t count, layouts;
    candidate *list; /* by rising counts, the best of each first */
} candidates;

static const gali_loop_buffer *constant_of(const gali_loop_function *function) {
    uint32_t i = 0;
    while (function->buffer[i]->role != GALI_LOOP_CONSTANT) {
        i++;
    }
    return function->buffer[i];
}

static gal_status apply(gali_compilation *c, const gali_dense *layer, uint32_t least, uint32_t most,
                        const gali_schedule *schedule, gali_loop_function **function, gal_error *error) {
    gali_dense dense = *layer;
    gali_expression *expression;
    dense.least = least;
    dense.most = most;
    gal_status status = gali_dense_expression(&dense, &c->arena, &expression, error);
    return status == GAL_OK ? gali_schedule_apply(expression, schedule, &c->arena, function, error) : status;
}

static uint32_t layout_of(const candidates *all, const gali_loop_buffer *weights) {
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->list[i].usable && gali_layout_same(&all->list[i].weights, weights)) {
            return all->list[i].layout;
        }
    }
    return all->layouts;
}

/* Whether the candidate is of use for its counts; an error if not even for the one that it was measured for. */
static gal_status try_candidate(gali_compilation *c, const gali_layer_schedule *written, candidates *all,
                                candidate *one, gal_error *error) {
    const gali_dense *layer = &written->dense;
    const gali_log_record *record = one->record;
    gali_loop_function *function;
    float features[GALI_FEATURE_COUNT];
    gal_error why;
    gal_status status = gali_schedule_parse(&one->schedule, record->schedule, strlen(record->schedule), &why);
    status =
        status == GAL_OK ? apply(c, layer, one->least, one->most, &one->schedule, &function, &why) : status;
    if (status != GAL_OK) {
        uint32_t own = record->characters;
        status = apply(c, layer, own, own, &one->schedule, &function, &why);
        return status == GAL_OK ? GAL_OK
                                : gali_fail(error, status, "%s: for %u -> %u: %.200s", c->log_path,
                                            layer->inputs, layer->outputs, why.message);
    }
    gali_features_of(function, c->target, INFINITY, features);
    one->lengthy = exp2((double)features[GALI_FEATURE_code]) > code_most;
    one->written =
        gali_schedule_same(&one->schedule, &gali_layer_version_of(written, record->characters)->schedule);
    one->weights = *constant_of(function);
    one->layout = layout_of(all, &one->weights);
    one->usable = 1;
    all->layouts += one->layout == all->layouts;
    return GAL_OK;
}

/* Adds records, all of one count, for the counts from least to most. */
static gal_status add_count(gali_compilation *c, const gali_layer_schedule *written,
                            const gali_log_record **records, uint32_t count, uint32_t least, uint32_t most,
                            candidates *all, gal_error *error) {
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i < count && status == GAL_OK; i++) {
        candidate *one = &all->list[all->count];
        *one = (candidate){.record = records[i], .least = least, .most = most};
        status = try_candidate(c, written, all, one, error);
        all->count++;
    }
    return status;
}

/* Records of counts of the range, each for its own count alone; or (alone: 0) of the counts that serve some of the range, the
 * next larger one of each, or the largest of all. */
static gal_status find_candidates(gali_compilation *c, const gali_layer_schedule *written, int alone,
                                  candidates *all, gal_error *error) {
    const gali_log_record **records;
    uint32_t count = gali_log_find(c->log, &written->dense, c->target, EACH, &c->arena, &records), before = 0;
    gal_status status = GAL_OK;
    all->list = gali_arena_take(&c->arena, (count + 1) * sizeof *all->list);
    for (uint32_t i = 0, end; i < count && status == GAL_OK && all->list; i = end) {
        uint32_t own = records[i]->characters, least = before + 1 > c->least ? before + 1 : c->least,
                 most = own;
        for (end = i; end < count && records[end]->characters == own;) {
            end++;
        }
        if (alone) {
            least = own >= c->least && own <= c->most ? own : c->most + 1;
        } else if (end == count && c->most > own) {
            most = c->most < own + TILES ? c->most : own + TILES;
            least = least < most ? least : most;
        }
        if (most >= least && c->most > before) {
            status =
                add_count(c, written, records + i, end - i, least, most < c->most ? most : c->most, all, error);
        }
        before = own;
    }
    return c->arena.failed ? gali_fail(error, GAL_NO_MEMORY, "no memory for a log's schedules") : status;
}

/* The best candidate of a layout among those of one count, the first-th and those behind it, a lengthy one only where there
 * is no other; NULL without. */
static const candidate *best_of(const candidates *all, uint32_t first, uint32_t layout) {
    uint32_t characters = all->list[first].record->characters;
    const candidate *best = NULL;
    for (uint32_t i = first; i < all->count && all->list[i].record->characters == characters; i++) {
        const candidate *one = &all->list[i];
        if (one->usable && one->layout == layout && (!best || (best->lengthy && !one->lengthy))) {
            best = one;
        }
    }
    return best;
}

/* Where the next count of characters starts in the list. */
static uint32_t next_count(const candidates *all, uint32_t first) {
    uint32_t i = first;
    while (i < all->count && all->list[i].record->characters == all->list[first].record->characters) {
        i++;
    }
    return i;
}

/*
 * The schedule that the written rules have for all counts on a candidate's layout, in short: without an inner kernel and
 * with k not unrolled. Returns its speed for so many characters beside the rules' best by their own model, 0 if they read
 * no such layout.
 */
static double write_on(gali_compilation *c, const gali_dense *layer, const candidate *layout,
                       uint32_t characters, gali_schedule *schedule) {
    const gali_loop_buffer *weights = &layout->weights;
    gali_dense dense = *layer;
    gali_loop_function *function;
    gal_error error;
    dense.least = c->least;
    dense.most = c->most < c->least + TILES ? c->most : c->least + TILES;
    if (weights->packed_rank < 2 || dense.sparse || dense.form == GAL_FORM_BLEND) {
        return 0;
    }
    gali_tile tile = gali_hand_tile(&dense, c->target, 0, weights->packed[weights->packed_rank - 2].extent);
    dense.least = dense.most = characters; /* of few characters: all experts of a panel at once */
    gali_tile best = gali_hand_tile(&dense, c->target, 0, 0);
    if (gali_hand_write(&dense, c->target, 0, tile, schedule, &error) != GAL_OK ||
        apply(c, layer, characters, characters, schedule, &function, &error) != GAL_OK ||
        !gali_layout_same(constant_of(function), weights)) {
        return 0;
    }
    for (uint32_t i = 0; i < schedule->count; i++) {
        gali_schedule_entry *entry = &schedule->entry[i];
        int unrolls = entry->primitive == GALI_PRIMITIVE_UNROLL && strcmp(entry->target, "k") == 0;
        entry->number = unrolls ? 1 : entry->number;
    }
    return gali_hand_cycles(c->target, best, characters) / best.vectors * tile.vectors /
           gali_hand_cycles(c->target, tile, characters);
}

static const candidate *some_of(const candidates *all, uint32_t layout) {
    uint32_t i = 0;
    while (!all->list[i].usable || all->list[i].layout != layout) {
        i++;
    }
    return &all->list[i];
}

/* The record of the written schedule among those of one count, the first-th and those behind it; NULL without. */
static const candidate *written_of(const candidates *all, uint32_t first) {
    for (uint32_t i = first; i < next_count(all, first); i++) {
        if (all->list[i].usable && all->list[i].written) {
            return &all->list[i];
        }
    }
    return NULL;
}

/* Whether some count that the log knows the written schedule of would run slower under a layout, or not surely as fast. */
static int slows_some(const candidates *all, uint32_t layout) {
    int slows = 0;
    for (uint32_t i = 0; i < all->count; i = next_count(all, i)) {
        const candidate *written = written_of(all, i), *own = best_of(all, i, layout);
        slows |= written &&
                 (!own || own->lengthy > written->lengthy || own->record->pairs < written->record->pairs ||
                  own->record->measured.ratio > written->record->measured.ratio);
    }
    return slows;
}

/* Speeds of all counts under a layout, beside the best of each, together; a lengthy record counts as none. */
static double value_of(gali_compilation *c, const gali_dense *layer, const candidates *all, uint32_t layout) {
    double sum = 0, waiting = 0;
    int some = 0;
    for (uint32_t i = 0; i < all->count; i = next_count(all, i)) {
        const candidate *own = best_of(all, i, layout);
        const gali_log_record *first = all->list[i].record;
        double best = first->measured.ratio, by_rules;
        gali_schedule schedule;
        if (own && !own->lengthy) {
            sum += best / own->record->measured.ratio + waiting * larger;
            waiting = 0;
            some = 1;
        } else if ((by_rules = write_on(c, layer, some_of(all, layout), first->characters, &schedule)) >
                   larger) {
            sum += best * by_rules + waiting * larger;
            waiting = 0;
        } else {
            waiting++;
        }
    }
    return some ? sum + waiting * smaller : 0;
}

/* Under which all counts together are fastest, the first of equals; the number of layouts where all slow some count. */
static uint32_t best_layout(gali_compilation *c, const gali_dense *layer, const candidates *all) {
    uint32_t best = all->layouts;
    double most = 0;
    for (uint32_t layout = 0; layout < all->layouts; layout++) {
        double value = slows_some(all, layout) ? 0 : value_of(c, layer, all, layout);
        best = value > most * 1.0001 ? layout : best;
        most = value > most * 1.0001 ? value : most;
    }
    return best;
}

/* The version of that schedule, a new one if there is room; else the last. */
static uint32_t version_of(gali_layer_schedule *layer, const gali_schedule *schedule, uint32_t least,
                           int logged) {
    for (uint32_t v = 0; v < layer->version_count; v++) {
        if (gali_schedule_same(&layer->versions[v].schedule, schedule)) {
            return v;
        }
    }
    if (layer->version_count < GALI_VERSIONS_MAX) {
        gali_layer_version *made = &layer->versions[layer->version_count++];
        *made = (gali_layer_version){.dense = layer->dense, .schedule = *schedule, .logged = logged};
        made->dense.least = least;
    }
    return layer->version_count - 1;
}

/* The counts of a record, or of several where there was none before, run by that schedule. */
static void add_counts(const gali_compilation *c, gali_layer_schedule *layer, const gali_schedule *schedule,
                       uint32_t characters, int logged) {
    uint32_t least = layer->range_count ? layer->ranges[layer->range_count - 1].most + 1 : c->least;
    uint32_t most = characters < c->most ? characters : c->most;
    if (least <= most) {
        uint32_t version = version_of(layer, schedule, least, logged);
        gali_add_range(layer, most, version);
        layer->versions[version].dense.most = most;
    }
}

/* All counts by the log's records of a layout; what is above its largest count, by that one's. */
static void take_layout(gali_compilation *c, gali_layer_schedule *layer, const candidates *all,
                        uint32_t layout) {
    gali_schedule schedule;
    for (uint32_t i = 0; i < all->count; i = next_count(all, i)) {
        const candidate *own = best_of(all, i, layout);
        uint32_t characters = all->list[i].record->characters;
        if (own && !own->lengthy) {
            add_counts(c, layer, &own->schedule, characters, 1);
        } else if (write_on(c, &layer->dense, some_of(all, layout), characters, &schedule) > larger) {
            add_counts(c, layer, &schedule, characters, 0);
        }
    }
    if (!layer->version_count) {
        const candidate *any = some_of(all, layout);
        add_counts(c, layer, &any->schedule, c->most, 1);
    }
    gali_layer_range *last = &layer->ranges[layer->range_count - 1];
    last->most = layer->versions[last->version].dense.most = c->most;
}

/* The best record of the written versions' layout for a count, where it is faster than what is written for it. */
static const candidate *faster_than_written(const gali_layer_schedule *written, const candidates *all,
                                            uint32_t characters) {
    for (uint32_t i = 0; i < all->count; i = next_count(all, i)) {
        const candidate *rules = written_of(all, i);
        const candidate *own = rules ? best_of(all, i, rules->layout) : NULL;
        if (own && own->record->characters == characters && !own->written && !own->lengthy &&
            own->record->pairs >= rules->record->pairs &&
            own->record->measured.ratio < rules->record->measured.ratio &&
            written->version_count < GALI_VERSIONS_MAX) {
            return own;
        }
    }
    return NULL;
}

/* The written versions, but for counts that the log has something faster for on their layout. */
static void take_single(const gali_compilation *c, const gali_layer_schedule *written,
                        gali_layer_schedule *layer, const candidates *all) {
    *layer = *written;
    layer->range_count = 0;
    for (uint32_t r = 0, count = c->least; r < written->range_count; r++) {
        for (; count <= written->ranges[r].most; count++) {
            const candidate *own = faster_than_written(layer, all, count);
            int room = layer->range_count + written->range_count - r + 2 < GALI_RANGES_MAX;
            if (own && room) {
                layer->versions[layer->version_count] =
                    (gali_layer_version){.dense = written->dense, .schedule = own->schedule, .logged = 1};
                layer->versions[layer->version_count].dense.least = count;
                layer->versions[layer->version_count].dense.most = count;
                gali_add_range(layer, count, layer->version_count++);
            } else {
                gali_add_range(layer, count, written->ranges[r].version);
            }
        }
    }
}

/* Versions that no range names any more. */
static void drop_unused(gali_layer_schedule *layer) {
    uint32_t place[GALI_VERSIONS_MAX] = {0}, kept = 0;
    for (uint32_t v = 0; v < layer->version_count; v++) {
        int used = 0;
        for (uint32_t r = 0; r < layer->range_count; r++) {
            used |= layer->ranges[r].version == v;
        }
        place[v] = kept;
        if (used) {
            layer->versions[kept++] = layer->versions[v];
        }
    }
    for (uint32_t r = 0; r < layer->range_count; r++) {
        layer->ranges[r].version = place[layer->ranges[r].version];
    }
    layer->version_count = kept;
}

/* Whether the log knows the written schedule of some count; *layout (NULL: not asked for) is then what it reads. */
static int find_written(const candidates *all, uint32_t *layout) {
    for (uint32_t i = 0; i < all->count; i = next_count(all, i)) {
        const candidate *written = written_of(all, i);
        if (written) {
            if (layout) {
                *layout = written->layout;
            }
            return 1;
        }
    }
    return 0;
}

gal_status gali_take_logged(gali_compilation *c, gali_layer_schedule *layer, gal_error *error) {
    candidates all = {0}, alone = {0};
    gal_status status = c->log ? find_candidates(c, layer, 0, &all, error) : GAL_OK;
    if (status == GAL_OK && all.layouts) {
        status = find_candidates(c, layer, 1, &alone, error);
    }
    if (status != GAL_OK || !all.layouts) {
        return status;
    }
    gali_layer_schedule *written = gali_arena_take(&c->arena, sizeof *written);
    if (!written) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a schedule");
    }
    uint32_t best = best_layout(c, &layer->dense, &all), own = all.layouts;
    find_written(&all, &own);
    *written = *layer;
    if (find_written(&alone, NULL) && (best == own || best == all.layouts)) {
        take_single(c, written, layer, &alone);
        drop_unused(layer);
    } else {
        *layer = (gali_layer_schedule){.dense = written->dense};
        take_layout(c, layer, &all, best < all.layouts ? best : 0);
    }
    layer->logged = 1;
    return GAL_OK;
}
