/*
 * A crowd's frame, group by group, level by level and run by run: features of characters that are due, their level's
 * network, their poses. A run is as many banks as have rows for one call of the network. Those that are not due are
 * bridged. What a pipelined runner was sent in the last step is received before anything else.
 */
#include "crowd/crowd_parts.h"

#include "crowd/crowd_budget.h"
#include "motion/bridge.h"
#include "motion/step.h"

enum { FRAMES_DEFAULT = 4 };

/* The banks from `first` on to `end` of a group, with `count` rows. */
typedef struct run {
    gal_crowd *crowd;
    const gali_group *group;
    const gal_controller *controller; /* of the level */
    uint32_t first, end, count;
    float *x, *y, *phase;                              /* rows of this run */
    void (*one)(const struct run *run, uint32_t bank); /* a part of the step, for the host's threads */
} run;

const char *gal_zone_name(gal_zone zone) {
    static const char *const names[GAL_ZONE_COUNT] = {"gallop step", "gallop bridge", "gallop features",
                                                      "gallop network", "gallop poses"};
    return (unsigned)zone < GAL_ZONE_COUNT ? names[zone] : NULL;
}

void gal_crowd_set_zones(gal_crowd *crowd, const gal_zones *zones) {
    crowd->zones = zones && zones->begin && zones->end ? *zones : (gal_zones){0};
}

static void begin_zone(const gal_crowd *crowd, gal_zone zone) {
    if (crowd->zones.begin) {
        crowd->zones.begin(crowd->zones.context, zone);
    }
}

static void end_zone(const gal_crowd *crowd, gal_zone zone) {
    if (crowd->zones.end) {
        crowd->zones.end(crowd->zones.context, zone);
    }
}

static void run_bank(void *argument, uint32_t index) {
    const run *r = argument;
    if (r->crowd->rows[r->first + index].mask) {
        r->one(r, r->first + index);
    }
}

static void for_banks(run r, void (*one)(const run *r, uint32_t bank)) {
    const gal_parallel *parallel = &r.crowd->parallel;
    r.one = one;
    if (parallel->parallel_for && r.end - r.first > 1) {
        parallel->parallel_for(parallel->context, run_bank, &r, r.end - r.first);
        return;
    }
    for (uint32_t index = 0; index < r.end - r.first; index++) {
        run_bank(&r, index);
    }
}

static gali_lanes lanes_of(const run *r, uint32_t bank) {
    const gal_crowd *crowd = r->crowd;
    const gal_controller *controller = r->controller;
    size_t first = crowd->rows[bank].first, x_row = controller->layout.x_row,
           y_row = controller->contract->outputs;
    return (gali_lanes){.controller = controller,
                        .ground = &crowd->ground,
                        .bank = &r->group->banks[bank],
                        .mask = crowd->rows[bank].mask,
                        .x = r->x + first * x_row,
                        .y = r->y + first * y_row,
                        .x_stride = x_row,
                        .y_stride = y_row};
}

static void before(const run *r, uint32_t bank) {
    const gali_lanes lanes = lanes_of(r, bank);
    float *phase = r->phase + r->crowd->rows[bank].first;
    gali_step_before(r->group->phases, &lanes);
    for (uint32_t lane = 0; lane < GALI_BANK; lane++) {
        if (lanes.mask >> lane & 1) {
            *phase++ = gali_bank_get(lanes.bank, lanes.controller->layout.phase, lane);
        }
    }
}

/* The place of a bank's first lane. */
static uint32_t place_in(const run *r, uint32_t bank) {
    return r->group->first + bank * GALI_BANK;
}

static void after(const run *r, uint32_t bank) {
    const gali_lanes lanes = lanes_of(r, bank);
    gali_pace *paces = r->crowd->paces + place_in(r, bank);
    r->crowd->lost[bank] = (unsigned char)gali_count_lanes(gali_step_after(r->group->phases, &lanes));
    for (uint32_t lane = 0; lane < GALI_BANK; lane++) {
        if (lanes.mask >> lane & 1) {
            float frames = gali_bank_get(lanes.bank, lanes.controller->layout.frames, lane);
            paces[lane].left = (uint8_t)(frames - 1);
            if (paces[lane].left > 0) {
                gali_bridge_start(&lanes, lane);
                gali_bridge_pose(&lanes, lane, (uint32_t)frames);
            } else {
                gali_bridge_land(&lanes, lane);
            }
        }
    }
}

/* A frame of characters that are not due. */
static void between(const run *r, uint32_t bank) {
    const gali_lanes lanes = lanes_of(r, bank);
    gali_pace *paces = r->crowd->paces + place_in(r, bank);
    for (uint32_t lane = 0; lane < GALI_BANK; lane++) {
        if (lanes.mask >> lane & 1) {
            gali_bank_swap(&lanes.bank->before[lane], &lanes.bank->bridge[lane]);
            gali_bridge_pose(&lanes, lane, paces[lane].left);
            if (--paces[lane].left == 0) { /* feet may be over those of the evaluation */
                gali_bank_swap(&lanes.bank->pose[lane], &lanes.bank->bridge[lane]);
                gali_bridge_end(&lanes, lane);
            }
        }
    }
}

/* Whether the runner is pipelined, and one in this place of the group is evaluated in every frame. */
static int is_sent(const gali_group *group, uint32_t at) {
    const gal_network_runner *runner = &group->away.runner;
    return runner->run && runner->start &&
           gali_bank_get(&group->banks[at / GALI_BANK], group->levels[0]->layout.frames, at % GALI_BANK) <= 1;
}

/* Who goes which way in this frame; no one's changes within it. */
static void find_ways(gal_crowd *crowd, const gali_group *group) {
    for (uint32_t bank = 0; bank < gali_group_banks(group->capacity); bank++) {
        crowd->rows[bank] = (gali_bank_rows){{0}, 0, 0};
    }
    for (uint32_t i = 0; i < group->capacity; i++) {
        uint32_t place = group->first + i;
        const gali_pace *pace = &crowd->paces[place];
        if (crowd->handle[place] && pace->waited == 0) {
            uint32_t way = pace->left > 0 ? GALI_WAY_BRIDGED : pace->level;
            way = way == 0 && is_sent(group, i) ? GALI_WAY_SENT : way;
            crowd->rows[i / GALI_BANK].going[way] |= 1u << i % GALI_BANK;
        }
    }
}

/* The next run of a way, from a bank on, of `most` rows; fills crowd->rows for it. */
static run find_run(gal_crowd *crowd, const gali_group *group, uint32_t way, uint32_t most, uint32_t first) {
    run r = {.crowd = crowd, .group = group, .first = first, .end = first};
    int away = (way == 0 || way == GALI_WAY_SENT) && group->away.runner.run;
    r.x = away ? group->away.x : crowd->x;
    r.y = away ? group->away.y : crowd->y;
    r.phase = away ? group->away.phase : crowd->phase;
    r.controller = group->levels[way < group->level_count ? way : 0];
    for (; r.end < gali_group_banks(group->capacity); r.end++) {
        gali_bank_rows *rows = &crowd->rows[r.end];
        uint32_t count = gali_count_lanes(rows->going[way]);
        if (r.count + count > most) {
            break;
        }
        rows->mask = rows->going[way];
        rows->first = r.count;
        crowd->lost[r.end] = 0;
        r.count += count;
    }
    return r;
}

/* The network here, for as many characters at a time as there is workspace for. */
static void run_here(const run *r, gal_network_batch batch) {
    gal_crowd *crowd = r->crowd;
    uint32_t most = gali_run_rows(r->group->capacity, &crowd->parallel), count = batch.count;
    for (uint32_t first = 0; first < count; first += most) {
        batch.count = count - first < most ? count - first : most;
        gal_network_run(r->controller->network, &batch, crowd->workspace, crowd->workspace_size, NULL);
        batch.x += (size_t)most * batch.x_stride;
        batch.y += (size_t)most * r->controller->contract->outputs;
        batch.phase += most;
    }
}

static gali_away *away_of(const run *r) {
    return &r->crowd->groups[r->group - r->crowd->groups].away;
}

/* One of the runner's functions; one that failed is not asked again, unless the batch was the reason. */
static gal_status ask_away(const run *r, gal_status (*function)(void *, const gal_network_batch *, gal_error *),
                           const gal_network_batch *batch) {
    gali_away *away = away_of(r);
    gal_status status = function(away->runner.context, batch, NULL);
    if (status != GAL_OK && status != GAL_BAD_ARGUMENT) {
        away->runner.run = NULL;
        away->status = status;
    }
    return status;
}

static gal_network_batch batch_of(const run *r) {
    return (gal_network_batch){
        .count = r->count,
        .x = r->x,
        .x_stride = r->controller->layout.x_row,
        .phase = r->phase,
        .y = r->y,
        .parallel = r->crowd->parallel.parallel_for ? &r->crowd->parallel : NULL,
    };
}

static void make_features(run r) {
    begin_zone(r.crowd, GAL_ZONE_FEATURES);
    for_banks(r, before);
    end_zone(r.crowd, GAL_ZONE_FEATURES);
}

static void make_poses(run r) {
    begin_zone(r.crowd, GAL_ZONE_POSES);
    for_banks(r, after);
    end_zone(r.crowd, GAL_ZONE_POSES);
    for (uint32_t bank = r.first; bank < r.end; bank++) {
        r.crowd->resets += r.crowd->lost[bank];
    }
}

static void evaluate(run r) {
    const gal_network_batch batch = batch_of(&r);
    make_features(r);
    begin_zone(r.crowd, GAL_ZONE_NETWORK);
    if (r.x == r.crowd->x || ask_away(&r, away_of(&r)->runner.run, &batch) != GAL_OK) {
        run_here(&r, batch);
    }
    end_zone(r.crowd, GAL_ZONE_NETWORK);
    make_poses(r);
}

/* This frame's features to a pipelined runner. */
static double send_rows(gal_crowd *crowd, const gali_group *group, double since) {
    const run r = find_run(crowd, group, GALI_WAY_SENT, group->capacity, 0);
    if (r.count > 0) {
        gali_away *away = away_of(&r);
        for (uint32_t bank = 0; bank < r.end; bank++) {
            away->sent[bank] = away->wanted[bank] = crowd->rows[bank].mask;
        }
        make_features(r);
        begin_zone(crowd, GAL_ZONE_NETWORK);
        away->batch = batch_of(&r);
        away->refused = ask_away(&r, away->runner.start, &away->batch) != GAL_OK;
        end_zone(crowd, GAL_ZONE_NETWORK);
        since -= away->took;
    }
    return gali_crowd_learn(crowd, group, 0, r.count, since);
}

/* What was sent in the last step: poses of those that are still there. */
static void receive_rows(gal_crowd *crowd, const gali_group *group) {
    run r = {
        .crowd = crowd, .group = group, .controller = group->levels[0], .x = group->away.x, .y = group->away.y};
    gali_away *away = away_of(&r);
    double start = gali_crowd_now(crowd);
    away->took = 0;
    if (!away->batch.count) {
        return;
    }
    begin_zone(crowd, GAL_ZONE_NETWORK);
    if (away->refused || ask_away(&r, away->runner.finish, &away->batch) != GAL_OK) {
        run_here(&r, away->batch);
    }
    end_zone(crowd, GAL_ZONE_NETWORK);
    for (r.end = 0; r.end < gali_group_banks(group->capacity); r.end++) {
        crowd->rows[r.end].mask = gali_away_close(group, r.end, r.count);
        crowd->rows[r.end].first = r.count;
        crowd->lost[r.end] = 0;
        r.count += gali_count_lanes(away->sent[r.end]);
    }
    make_poses(r);
    away->batch.count = 0;
    away->took = gali_crowd_now(crowd) - start;
}

/* These return the time at their end, by the budget's clock. */
static double bridge(gal_crowd *crowd, const gali_group *group, double since) {
    const run r = find_run(crowd, group, GALI_WAY_BRIDGED, group->capacity, 0);
    if (r.count > 0) {
        begin_zone(crowd, GAL_ZONE_BRIDGE);
        for_banks(r, between);
        end_zone(crowd, GAL_ZONE_BRIDGE);
    }
    return gali_crowd_learn(crowd, group, GALI_WAY_BRIDGED, r.count, since);
}

static double evaluate_level(gal_crowd *crowd, const gali_group *group, uint32_t level, double since) {
    int away = level == 0 && group->away.runner.run;
    uint32_t most = away ? group->capacity : gali_run_rows(group->capacity, &crowd->parallel), count = 0;
    for (uint32_t bank = 0; bank < gali_group_banks(group->capacity);) {
        const run r = find_run(crowd, group, level, most, bank);
        bank = r.end;
        count += r.count;
        if (r.count > 0) {
            evaluate(r);
        }
    }
    return gali_crowd_learn(crowd, group, level, count, since);
}

static void step_group(gal_crowd *crowd, const gali_group *group) {
    double since = gali_crowd_now(crowd);
    find_ways(crowd, group);
    since = bridge(crowd, group, since);
    for (uint32_t level = 0; level < group->level_count; level++) {
        since = evaluate_level(crowd, group, level, since);
        since = level == 0 ? send_rows(crowd, group, since) : since;
    }
}

void gal_crowd_step(gal_crowd *crowd) {
    begin_zone(crowd, GAL_ZONE_STEP);
    double start = gali_crowd_now(crowd);
    for (uint32_t g = 0; g < crowd->group_count; g++) {
        receive_rows(crowd, &crowd->groups[g]);
    }
    gali_crowd_decide(crowd);
    for (uint32_t g = 0; g < crowd->group_count; g++) {
        step_group(crowd, &crowd->groups[g]);
    }
    gali_crowd_finish(crowd, start);
    end_zone(crowd, GAL_ZONE_STEP);
    gali_record_step(&crowd->recorder, crowd);
}

uint32_t gal_crowd_advance(gal_crowd *crowd, float seconds, uint32_t max_frames, float *fraction) {
    double frame = 1.0 / (double)crowd->groups[0].levels[0]->contract->rate;
    uint32_t most = max_frames ? max_frames : FRAMES_DEFAULT, frames = 0;
    crowd->owed += seconds > 0 && isfinite(seconds) ? (double)seconds : 0;
    double due = frame * (1 - 1e-3); /* hosts' clocks round: a thousandth early is not seen, a frame late is */
    for (; frames < most && crowd->owed >= due; frames++) {
        gal_crowd_step(crowd);
        crowd->owed -= frame;
    }
    if (crowd->owed >= due) {
        crowd->owed = 0; /* the host fell behind: drop what it cannot catch up */
    }
    if (fraction) {
        *fraction = crowd->owed > 0 ? (float)(crowd->owed / frame) : 0;
    }
    return frames;
}
