/*
 * A budget: which characters are evaluated in a frame, for how many frames, and by which level.
 *
 * Pure: priorities, costs and the last choices in, choices out, in whole nanoseconds; no crowd, no clock. Equal inputs give
 * equal choices on every machine.
 *
 * A character stands on a rung of a ladder, the best first: every frame by level 0, every frame by level 1, every second
 * frame by level 1, every fourth by level 2, every eighth by level 3 (a group without that level: by its last). Priorities
 * are compared in octaves: with the bar at a priority, those above it are on the first rung, those down to half of it on the
 * second, and so on. The bar is as low as the budget lets it be. So a quarter of the priority is two rungs, whoever else
 * is there, and what each contributes to what is seen goes down as its priority does.
 *
 * A frame: gali_budget_begin, gali_budget_count for every character, gali_budget_settle, gali_budget_choose for each that
 * is due. Each costs a few nanoseconds a character.
 */
#ifndef GALI_CROWD_BUDGET_H
#define GALI_CROWD_BUDGET_H

#include "motion/bank.h"

enum {
    GALI_RUNGS = 5,
    GALI_KEYS_OCTAVE = 16, /* keys of a priority: steps in an octave, and octaves, of which 1 is the 20th */
    GALI_KEYS = 32 * GALI_KEYS_OCTAVE,
    GALI_BAR_MOST = GALI_KEYS + (GALI_RUNGS - 1) * GALI_KEYS_OCTAVE, /* everybody is on the last rung */
};

/* When the character in a place is evaluated, and by what. */
typedef struct gali_pace {
    float priority; /* finite, not negative */
    uint8_t left;   /* frames until it is due, which its state is ahead of what the caller sees */
    uint8_t level;  /* of its last evaluation */
    uint8_t fixed_frames, fixed_level; /* as the host has it; frames 0: it leaves that to the crowd */
    uint8_t rung;                      /* that it stood on last; GALI_RUNGS: on none yet */
    uint8_t waited; /* frames that a newcomer has waited; 0 in a frame in which it is evaluated */
    uint8_t urgent; /* its input has just changed, or it jumps: counts as two octaves more */
    uint8_t unused; /* 0 */
} gali_pace;

/* What characters of a group cost, in nanoseconds. */
typedef struct gali_cost {
    uint32_t evaluation[GAL_LEVELS_MAX]; /* [level_count] */
    uint32_t bridge;                     /* a frame of one that is not evaluated in each */
    uint32_t level_count, frames_most;
} gali_cost;

typedef struct gali_budget {
    uint64_t amount; /* nanoseconds of a frame */
    gali_cost costs[GAL_GROUPS_MAX];
    uint32_t group_count;
    /* key from which on characters stand on the first rung: all that goes on from frame to frame */
    uint32_t bar;
    /* From here on of this frame: characters with this key or more; until settled, with this key. */
    uint32_t above[GAL_GROUPS_MAX][GALI_KEYS + 1];
    uint64_t fixed; /* cost of those whose pace the host has fixed, in the mean */
    uint64_t mean;  /* cost of a frame with the bar where it is */
    /* cost of a frame besides evaluations: bridges, and a run of every level that is in use */
    uint64_t standing;
    uint64_t loads[GALI_FRAMES_MAX + 1]; /* evaluations of this frame, and those spoken for in the next ones */
    uint32_t evaluated, bridged, waiting;
} gali_budget;

void gali_budget_begin(gali_budget *budget);
void gali_budget_count(gali_budget *budget, uint32_t group, uint32_t place, const gali_pace *pace);
void gali_budget_settle(gali_budget *budget);

/*
 * Chooses for one that is due (pace->left == 0): sets its level and rung and returns for how many frames it is evaluated,
 * or 0: a newcomer that waits for its first evaluation.
 */
uint32_t gali_budget_choose(gali_budget *budget, uint32_t group, uint32_t place, gali_pace *pace);

/* The priority that a key begins at. */
float gali_budget_priority(uint32_t key);

/*
 * The share of a budget that is planned with, after a frame that took `part` of the budget: so much that of a thousand
 * frames one comes within a fourteenth of the budget. A part that is not below 2, or none, changes nothing.
 */
float gali_budget_share(float share, double part);

/* Takes in what a run of so many evaluations, or bridges (level GAL_LEVELS_MAX), took: costs follow it, outliers slowly. */
void gali_budget_learn(gali_budget *budget, uint32_t group, uint32_t level, uint32_t count, double seconds);

#endif
