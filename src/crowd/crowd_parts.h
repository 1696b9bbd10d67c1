/*
 * What a crowd is made of, for the sources that are its parts (all of this folder but budget.c).
 *
 * Places are numbered through all groups: a group has `capacity` of them from `first` on, GALI_BANK to a bank.
 * order[0 .. count) lists the places in use; a removed one is closed by moving the rest down.
 * A handle is generation << 16 | place + 1 with generations 1..65535, so it is never 0.
 */
#ifndef GALI_CROWD_CROWD_PARTS_H
#define GALI_CROWD_CROWD_PARTS_H

#include "crowd/budget.h"
#include "crowd/record.h"
#include "motion/phases.h"

enum {
    GALI_CROWD_CAPACITY_MOST = 65535, /* places fit 16 bits of a handle */
    GALI_CROWD_NO_PLACE = 0xffff,
    /* Characters of one run of a network, for each thread: as many as hide the reading of its weights, and so few that what
     * they need of x, y and workspace stays in L2, however large the crowd. */
    GALI_RUN_ROWS = 64,
};

/* Most rows of a run of a network for a group. */
static inline uint32_t gali_run_rows(uint32_t capacity, const gal_parallel *parallel) {
    uint64_t threads = parallel && parallel->parallel_for && parallel->threads > 1 ? parallel->threads : 1;
    uint64_t most = GALI_RUN_ROWS * threads;
    return most < capacity ? (uint32_t)most : capacity;
}

/*
 * What evaluates level 0 of a group elsewhere, and its rows (runner.c). A pipelined one has rows between two steps: of the
 * lanes in `sent`, bank by bank, of which only those in `wanted` are still the same characters.
 */
typedef struct gali_away {
    gal_network_runner runner; /* run NULL: none does */
    gal_status status;         /* GAL_NOT_FOUND: none was set; else of its last failure */
    float *x, *y, *phase;      /* as the crowd's own, for all characters of the group */
    uint32_t *sent, *wanted;   /* [banks] */
    gal_network_batch batch;   /* those rows; count 0: none are under way */
    int refused;               /* the runner did not take them: they are evaluated here when they are due */
    double took;               /* seconds of taking the last ones, by the budget's clock */
} gali_away;

/* The characters of one controller, levels[0], and its stand-ins. */
typedef struct gali_group {
    const gal_controller *levels[GAL_LEVELS_MAX]; /* [level_count] */
    uint32_t level_count;
    uint32_t frames_most;     /* that a budget lets an evaluation stand for */
    uint32_t first, capacity; /* places */
    uint32_t count;           /* characters */
    const gali_phases *phases;
    gali_bank *banks; /* [banks of its places] */
    gali_away away;
} gali_group;

static inline uint32_t gali_group_banks(uint32_t capacity) {
    return (capacity + GALI_BANK - 1) / GALI_BANK;
}

/* What is done with a character in a frame: it is evaluated by one of its levels, bridged, or sent to level 0's runner. */
enum { GALI_WAY_BRIDGED = GAL_LEVELS_MAX, GALI_WAY_SENT, GALI_WAYS };

/* The lanes of a bank by their ways, those that a run is about, and the row of the first of them in x, y and phase. */
typedef struct gali_bank_rows {
    uint32_t going[GALI_WAYS];
    uint32_t mask, first;
} gali_bank_rows;

struct gal_crowd {
    gali_group groups[GAL_GROUPS_MAX];
    uint32_t group_count;
    gali_ground ground;
    gal_parallel parallel; /* parallel_for NULL: none */
    gal_allocator allocator;
    gali_recorder recorder;
    gal_zones zones; /* begin NULL: nobody listens */
    size_t memory;   /* of gal_crowd_create; 0 where the caller owns it */
    uint32_t capacity, count;
    uint64_t resets;
    double owed;  /* seconds not yet stepped */
    int budgeted; /* 0: every frame by its controller */
    gali_budget budget;
    float microseconds;             /* of the budget, as the host has it */
    float share;                    /* of it that is planned with */
    double (*clock)(void *context); /* NULL: nominal costs */
    void *clock_context;
    double took;           /* seconds of the last step, by the clock */
    gal_character *handle; /* [capacity] 0: the place is free */
    gali_pace *paces;
    uint32_t *order, *generation;
    unsigned char *lost;  /* [capacity] by bank: how many were set back in this run */
    gali_bank_rows *rows; /* of the group being stepped, by bank */
    float *x, *y, *phase;
    void *workspace;
    size_t workspace_size;
};

/* The place of a character, or GALI_CROWD_NO_PLACE. */
static inline uint32_t gali_crowd_place(const gal_crowd *crowd, gal_character handle) {
    uint32_t place = (handle & 0xffffu) - 1;
    return place < crowd->capacity && crowd->handle[place] == handle ? place : GALI_CROWD_NO_PLACE;
}

/* How many lanes a mask has: as many as their rows in x, y and phase. */
static inline uint32_t gali_count_lanes(uint32_t lanes) {
    uint32_t count = 0;
    for (; lanes; lanes &= lanes - 1) {
        count++;
    }
    return count;
}

/* What is under way for the character in a place, or in any place, is nobody's from here on (runner.c). */
void gali_away_forget(gal_crowd *crowd, uint32_t place);
void gali_away_forget_all(gal_crowd *crowd);

/* Closes the gaps in y that rows nobody wants would leave: those of a bank begin at `first`. Returns the lanes left. */
uint32_t gali_away_close(const gali_group *group, uint32_t bank, uint32_t first);

/* The group that a place belongs to. */
static inline uint32_t gali_crowd_group(const gal_crowd *crowd, uint32_t place) {
    uint32_t group = 0;
    while (place >= crowd->groups[group].first + crowd->groups[group].capacity) {
        group++;
    }
    return group;
}

/* The lane of a place, and all that a phase needs to work on it alone, by the group's own controller. */
typedef struct gali_one {
    const gali_group *group;
    gali_lanes lanes;
    uint32_t lane;
} gali_one;

static inline gali_one gali_crowd_one(const gal_crowd *crowd, uint32_t place) {
    const gali_group *group = &crowd->groups[gali_crowd_group(crowd, place)];
    uint32_t in_group = place - group->first, at = in_group % GALI_BANK;
    return (gali_one){.group = group,
                      .lanes = {.controller = group->levels[0],
                                .ground = &crowd->ground,
                                .bank = &group->banks[in_group / GALI_BANK],
                                .mask = 1u << at},
                      .lane = at};
}

#endif
