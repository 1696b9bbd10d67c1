/*
 * A crowd's side of its budget (budget.h): what the host says, what evaluations cost, and who is due.
 */
#include "crowd/crowd_budget.h"

#include "crowd/record.h"
#include "network/network.h"

/* Nominal nanoseconds, about those of one core with AVX-512. */
enum { JOINT_EVALUATION = 80, JOINT_BRIDGE = 10 };

static double multiply_adds_a_nanosecond(gal_precision precision) {
    switch (precision) {
    case GAL_PRECISION_INT16:
    case GAL_PRECISION_BF16_DOT:
        return 120;
    case GAL_PRECISION_INT8:
        return 180;
    case GAL_PRECISION_INT8_DOT:
        return 250;
    default:
        return 75;
    }
}

static uint32_t nominal_evaluation(const gal_controller *controller) {
    const gal_network_info network = gal_network_get_info(controller->network);
    double used = (double)controller->network->slots / (double)(network.experts > 0 ? network.experts : 1);
    double time = (double)network.parameters * used / multiply_adds_a_nanosecond(network.precision);
    return (uint32_t)(time < 1e9 ? time : 1e9) + JOINT_EVALUATION * controller->contract->joint_count;
}

static uint32_t smaller_of(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Frames that an evaluation may stand for: the path must hold what is bridged. */
static uint32_t frames_in_window(const gali_group *group) {
    return smaller_of(group->levels[0]->contract->past, GALI_FRAMES_MAX);
}

static gali_cost nominal_cost(const gali_group *group) {
    uint32_t joints = group->levels[0]->contract->joint_count;
    gali_cost cost = {.bridge = JOINT_BRIDGE * joints,
                      .level_count = group->level_count,
                      .frames_most = smaller_of(group->frames_most, frames_in_window(group))};
    for (uint32_t level = 0; level < group->level_count; level++) {
        cost.evaluation[level] = nominal_evaluation(group->levels[level]);
    }
    return cost;
}

/* By a clock a share of the budget is planned with (gali_budget_share), at first: */
static const float share_first = 0.8f;

static void set_amount(gal_crowd *crowd) {
    crowd->budget.amount = (uint64_t)((double)crowd->microseconds * 1e3 * (double)crowd->share);
}

void gali_crowd_finish(gal_crowd *crowd, double start) {
    crowd->took = gali_crowd_now(crowd) - start;
    if (crowd->clock) {
        crowd->share = gali_budget_share(crowd->share, crowd->took * 1e6 / (double)crowd->microseconds);
        set_amount(crowd);
    }
}

gal_status gal_crowd_set_budget(gal_crowd *crowd, const gal_budget *budget) {
    const float most = 1e12f; /* microseconds: a fortnight */
    if (budget && (!(budget->microseconds >= 0) || (budget->clock && crowd->recorder.write))) {
        return GAL_BAD_ARGUMENT;
    }
    crowd->budgeted = budget != NULL;
    crowd->clock = budget ? budget->clock : NULL;
    crowd->clock_context = budget ? budget->clock_context : NULL;
    crowd->microseconds = budget ? gali_clamp(budget->microseconds, 0, most) : 0;
    crowd->took = 0;
    crowd->share = crowd->clock ? share_first : 1;
    set_amount(crowd);
    crowd->budget.group_count = crowd->group_count;
    for (uint32_t g = 0; g < crowd->group_count; g++) {
        crowd->budget.costs[g] = nominal_cost(&crowd->groups[g]);
    }
    gali_record_budget(&crowd->recorder, budget);
    return GAL_OK;
}

gal_load gal_crowd_load(const gal_crowd *crowd) {
    const gali_budget *budget = &crowd->budget;
    if (!crowd->budgeted) {
        return (gal_load){0};
    }
    return (gal_load){
        .microseconds =
            (float)(crowd->clock ? crowd->took * 1e6 : (double)(budget->loads[0] + budget->standing) * 1e-3),
        .evaluated = budget->evaluated,
        .bridged = budget->bridged,
        .waiting = budget->waiting,
        .bar = gali_budget_priority(budget->bar),
    };
}

gal_status gal_crowd_set_pace(gal_crowd *crowd, gal_character handle, const gal_pace *pace) {
    uint32_t place = gali_crowd_place(crowd, handle);
    if (place == GALI_CROWD_NO_PLACE) {
        return GAL_NOT_FOUND;
    }
    const gali_group *group = &crowd->groups[gali_crowd_group(crowd, place)];
    const gal_pace chosen = pace ? *pace : (gal_pace){0};
    if (pace &&
        (chosen.frames < 1 || chosen.frames > frames_in_window(group) || chosen.level >= group->level_count)) {
        return GAL_BAD_ARGUMENT;
    }
    crowd->paces[place].fixed_frames = (uint8_t)chosen.frames;
    crowd->paces[place].fixed_level = (uint8_t)chosen.level;
    gali_record_pace(&crowd->recorder, handle, &chosen);
    return GAL_OK;
}

static uint32_t frames_of(const gal_crowd *crowd, uint32_t place) {
    const gali_one one = gali_crowd_one(crowd, place);
    return (uint32_t)gali_bank_get(one.lanes.bank, one.lanes.controller->layout.frames, one.lane);
}

/* That the evaluation of this frame stands for. */
static void set_frames(gal_crowd *crowd, uint32_t place, uint32_t frames) {
    const gali_one one = gali_crowd_one(crowd, place);
    gali_bank_set(one.lanes.bank, one.lanes.controller->layout.frames, one.lane, (float)frames);
}

gal_status gal_crowd_pace(const gal_crowd *crowd, gal_character handle, gal_pace *out) {
    uint32_t place = gali_crowd_place(crowd, handle);
    if (place == GALI_CROWD_NO_PLACE) {
        return GAL_NOT_FOUND;
    }
    *out = (gal_pace){frames_of(crowd, place), crowd->paces[place].level};
    return GAL_OK;
}

gal_status gal_crowd_set_priority(gal_crowd *crowd, gal_character handle, float priority) {
    const float most = 3e38f;
    uint32_t place = gali_crowd_place(crowd, handle);
    if (place == GALI_CROWD_NO_PLACE) {
        return GAL_NOT_FOUND;
    }
    crowd->paces[place].priority = gali_clamp(priority, 0, most);
    gali_record_priority(&crowd->recorder, handle, crowd->paces[place].priority);
    return GAL_OK;
}

static void decide_without_budget(gal_crowd *crowd) {
    for (uint32_t i = 0; i < crowd->count; i++) {
        uint32_t place = crowd->order[i];
        gali_pace *pace = &crowd->paces[place];
        if (pace->left == 0) {
            set_frames(crowd, place, pace->fixed_frames > 0 ? pace->fixed_frames : 1);
            pace->level = pace->fixed_level;
            pace->rung = GALI_RUNGS;
            pace->waited = pace->urgent = 0;
        }
    }
}

static int is_jumping(const gal_crowd *crowd, uint32_t place) {
    const gali_one one = gali_crowd_one(crowd, place);
    const gal_controller *controller = one.lanes.controller;
    float top = gali_bank_get(one.lanes.bank, controller->layout.jump_top, one.lane);
    return top > -controller->contract->rules.jump_time / 2;
}

static void choose_pace(gal_crowd *crowd, uint32_t place) {
    gali_pace *pace = &crowd->paces[place];
    if (pace->left > 0) {
        return;
    }
    pace->urgent = pace->urgent || is_jumping(crowd, place);
    uint32_t frames = gali_budget_choose(&crowd->budget, gali_crowd_group(crowd, place), place, pace);
    set_frames(crowd, place, frames > 0 ? frames : 1);
}

void gali_crowd_decide(gal_crowd *crowd) {
    if (!crowd->budgeted) {
        decide_without_budget(crowd);
        return;
    }
    gali_budget_begin(&crowd->budget);
    for (uint32_t i = 0; i < crowd->count; i++) {
        uint32_t place = crowd->order[i];
        gali_budget_count(&crowd->budget, gali_crowd_group(crowd, place), place, &crowd->paces[place]);
    }
    gali_budget_settle(&crowd->budget);
    for (uint32_t i = 0; i < crowd->count; i++) {
        choose_pace(crowd, crowd->order[i]);
    }
}

double gali_crowd_now(const gal_crowd *crowd) {
    return crowd->clock ? crowd->clock(crowd->clock_context) : 0;
}

double gali_crowd_learn(gal_crowd *crowd, const gali_group *group, uint32_t level, uint32_t count,
                        double since) {
    double now = gali_crowd_now(crowd);
    if (crowd->clock && count > 0) {
        uint32_t g = (uint32_t)(group - crowd->groups);
        gali_budget_learn(&crowd->budget, g, level, count, now - since);
    }
    return now;
}
