#include "crowd/budget.h"

#include <string.h>

enum {
    MARGIN = GALI_KEYS_OCTAVE / 4, /* so much more than a rung asks for lifts one onto it */
    RUN = 6,    /* a level's weights are read once a frame: what that takes, in evaluations */
    UNEVEN = 8, /* an eighth more for what is not in every frame: some frames have more of it than others */
    URGENT = 2 * GALI_KEYS_OCTAVE,
};

typedef struct rung {
    uint32_t frames, level;
} rung;

static const rung ladder[GALI_RUNGS] = {{1, 0}, {1, 1}, {2, 1}, {4, 2}, {8, 3}};

static uint32_t least_of(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static rung rung_at(const gali_cost *cost, uint32_t index) {
    return (rung){least_of(ladder[index].frames, cost->frames_most),
                  least_of(ladder[index].level, cost->level_count - 1)};
}

/* Of a character in a frame, in the mean, and what must be kept free for it. */
static uint64_t cost_of(const gali_cost *cost, rung at) {
    uint64_t evaluation = cost->evaluation[at.level];
    if (at.frames == 1) {
        return evaluation;
    }
    return evaluation / at.frames + evaluation / at.frames / UNEVEN + cost->bridge;
}

/*
 * The octave and sixteenth of a priority, from the bits of the float. Places differ by up to a quarter of an octave, so that
 * of equals some may have the better rung.
 */
static uint32_t key_of(const gali_pace *pace, uint32_t place) {
    const uint32_t lowest = (127 - 20) * GALI_KEYS_OCTAVE, spread = (place * 0x9e3779b9u) >> 30;
    uint32_t bits;
    memcpy(&bits, &pace->priority, sizeof bits);
    bits >>= 19; /* the exponent and four bits */
    uint32_t key = (bits > lowest ? bits - lowest : 0) + spread + (pace->urgent ? URGENT : 0);
    return least_of(key, GALI_KEYS - 1);
}

float gali_budget_priority(uint32_t key) {
    uint32_t bits = key > 0 ? ((127 - 20) * GALI_KEYS_OCTAVE + key) << 19 : 0;
    float priority;
    memcpy(&priority, &bits, sizeof priority);
    return priority;
}

/* The rung of a key that is `short_of` lower. */
static uint32_t rung_of(const gali_budget *budget, uint32_t key, uint32_t short_of) {
    uint32_t index = 0;
    while (index < GALI_RUNGS - 1 && key + index * GALI_KEYS_OCTAVE < budget->bar + short_of) {
        index++;
    }
    return index;
}

void gali_budget_begin(gali_budget *budget) {
    memset(budget->above, 0, budget->group_count * sizeof budget->above[0]);
    memset(budget->loads, 0, sizeof budget->loads);
    budget->fixed = budget->standing = 0;
    budget->evaluated = budget->bridged = budget->waiting = 0;
}

/* The rung that a character is evaluated by, were nothing chosen anew; frames 0: a newcomer's, not known yet. */
static rung pace_of(const gali_cost *cost, const gali_pace *pace) {
    if (pace->fixed_frames > 0) {
        return (rung){pace->fixed_frames, pace->fixed_level};
    }
    return pace->rung < GALI_RUNGS ? rung_at(cost, pace->rung) : (rung){0, 0};
}

/* Speaks for (or takes back) a character's evaluations in the next frames, from `first` frames ahead on. */
static void speak_for(gali_budget *budget, const gali_cost *cost, rung at, uint32_t first, int back) {
    uint64_t evaluation = cost->evaluation[at.level];
    for (uint32_t f = first; at.frames > 0 && f <= GALI_FRAMES_MAX; f += at.frames) {
        budget->loads[f] += back ? 0 - evaluation : evaluation;
    }
}

void gali_budget_count(gali_budget *budget, uint32_t group, uint32_t place, const gali_pace *pace) {
    const gali_cost *cost = &budget->costs[group];
    rung at = pace_of(cost, pace);
    if (pace->fixed_frames > 0) {
        budget->fixed += cost_of(cost, at);
    } else {
        budget->above[group][key_of(pace, place)]++;
    }
    if (pace->left > 0) {
        budget->standing += cost->bridge;
        budget->bridged++;
    }
    speak_for(budget, cost, at, pace->left, 0);
}

/* Characters of a group on a rung and on better ones, with the bar there. */
static uint32_t count_above(const gali_budget *budget, uint32_t group, uint32_t index, uint32_t bar) {
    uint32_t below = index * GALI_KEYS_OCTAVE;
    uint32_t from = index == GALI_RUNGS - 1 || bar < below ? 0 : least_of(bar - below, GALI_KEYS);
    return budget->above[group][from];
}

/* What a frame costs in the mean, with the bar there; *runs gets the part of it that is there whoever is due. */
static uint64_t cost_with(const gali_budget *budget, uint32_t bar, uint64_t *runs) {
    uint64_t sum = budget->fixed;
    *runs = 0;
    for (uint32_t g = 0; g < budget->group_count; g++) {
        uint32_t better = 0, used = 0;
        for (uint32_t index = 0; index < GALI_RUNGS; index++) {
            uint32_t up_to = count_above(budget, g, index, bar);
            rung at = rung_at(&budget->costs[g], index);
            if (up_to > better && !(used >> at.level & 1)) {
                used |= 1u << at.level;
                *runs += RUN * (uint64_t)budget->costs[g].evaluation[at.level];
            }
            sum += (up_to - better) * cost_of(&budget->costs[g], at);
            better = up_to;
        }
    }
    return sum + *runs;
}

/* Up at once where it must be; down in small steps, and only where there is more room than the next ones need. */
void gali_budget_settle(gali_budget *budget) {
    uint64_t runs;
    uint32_t fits = 0, most = GALI_BAR_MOST;
    for (uint32_t g = 0; g < budget->group_count; g++) {
        for (uint32_t key = GALI_KEYS; key-- > 0;) {
            budget->above[g][key] += budget->above[g][key + 1];
        }
    }
    while (fits < most) { /* the lowest bar that fits */
        uint32_t middle = (fits + most) / 2;
        if (cost_with(budget, middle, &runs) <= budget->amount) {
            most = middle;
        } else {
            fits = middle + 1;
        }
    }
    if (fits > budget->bar) {
        budget->bar = fits;
    } else if (fits == 0 || fits + MARGIN <= budget->bar) {
        budget->bar -= (budget->bar - fits + GALI_KEYS_OCTAVE - 1) / GALI_KEYS_OCTAVE;
    }
    budget->mean = cost_with(budget, budget->bar, &runs);
    budget->standing += runs;
}

/* Of up to `frames`, how many: the most whose frame has room, else those whose frame has the least to do. */
static uint32_t spread_over(const gali_budget *budget, uint32_t frames, uint32_t cost) {
    uint32_t best = frames;
    for (uint32_t f = frames; f > 0 && f >= frames / 2; f--) {
        if (budget->loads[f] + budget->standing + cost <= budget->mean) {
            return f;
        }
        best = budget->loads[f] < budget->loads[best] ? f : best;
    }
    return best;
}

/* Whether this frame, and the next ones at that pace, have room for a character. */
static int has_room(const gali_budget *budget, const gali_cost *cost, rung at) {
    int room = 1;
    for (uint32_t f = 0; f <= GALI_FRAMES_MAX; f += at.frames) {
        room &= budget->loads[f] + budget->standing + cost->evaluation[at.level] <= budget->amount;
    }
    return room;
}

/* Down at once; up only for more than its due, and where there is room. */
static uint32_t choose_rung(const gali_budget *budget, const gali_cost *cost, uint32_t key,
                            const gali_pace *pace) {
    uint32_t index = rung_of(budget, key, 0);
    if (index >= pace->rung || pace->rung == GALI_RUNGS) {
        return index;
    }
    index = least_of(rung_of(budget, key, MARGIN), pace->rung);
    return has_room(budget, cost, rung_at(cost, index)) ? index : pace->rung;
}

static uint32_t spend_on(gali_budget *budget, const gali_cost *cost, gali_pace *pace, rung at,
                         uint32_t frames) {
    budget->loads[0] += cost->evaluation[at.level];
    speak_for(budget, cost, at, frames, 0);
    budget->evaluated++;
    pace->level = (uint8_t)at.level;
    pace->waited = pace->urgent = 0;
    return frames;
}

uint32_t gali_budget_choose(gali_budget *budget, uint32_t group, uint32_t place, gali_pace *pace) {
    const gali_cost *cost = &budget->costs[group];
    const rung before = pace_of(cost, pace);
    speak_for(budget, cost, before, 0, 1);
    if (pace->fixed_frames > 0) {
        return spend_on(budget, cost, pace, before, before.frames);
    }
    uint32_t index = choose_rung(budget, cost, key_of(pace, place), pace);
    const rung at = rung_at(cost, index);
    uint32_t evaluation = cost->evaluation[at.level];
    if (before.frames == 0 && pace->waited < GALI_FRAMES_MAX && !has_room(budget, cost, at)) {
        pace->waited++;
        budget->waiting++;
        return 0;
    }
    pace->rung = (uint8_t)index;
    return spend_on(budget, cost, pace, at, spread_over(budget, at.frames, evaluation));
}

/*
 * Less after a frame that passed the aim, a thousandth of that more after one that did not: so it settles where one in a
 * thousand does (Robbins and Monro 1951). The aim is below the budget, because it settles late and starts anew whenever the
 * machine changes. What took twice the budget was not the crowd's doing.
 */
float gali_budget_share(float share, double part) {
    const float least = 0.6f, most = 0.95f, less = 0.02f, more = less / 1000;
    const double aim = 0.93;
    if (!(part < 2)) {
        return share;
    }
    float next = share + (part > aim ? -less : more);
    return next < least ? least : next > most ? most : next;
}

void gali_budget_learn(gali_budget *budget, uint32_t group, uint32_t level, uint32_t count, double seconds) {
    gali_cost *cost = &budget->costs[group];
    uint32_t *known = level < GAL_LEVELS_MAX ? &cost->evaluation[level] : &cost->bridge;
    const double follow = 0.05, most = 1e9;
    double parts = count + (level < GAL_LEVELS_MAX ? RUN : 0), now = seconds * 1e9 / (parts > 0 ? parts : 1);
    double step = follow * (double)*known + 1, change = (now - (double)*known) * 0.25;
    change = change > step ? step : change > -step ? change : -step; /* a NaN goes down */
    double next = (double)*known + change;
    *known = next < 1 ? 1 : next > most ? (uint32_t)most : (uint32_t)next;
}
