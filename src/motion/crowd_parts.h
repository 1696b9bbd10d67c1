/*
 * What a crowd is made of, for the sources that are its parts (crowd.c, crowd_step.c, snapshot.c).
 *
 * Places are numbered through all groups: a group has `capacity` of them from `first` on.
 * order[0 .. count) lists the places in use; a removed one is closed by moving the rest down.
 * A handle is generation << 16 | place + 1 with generations 1..65535, so it is never 0.
 */
#ifndef GALI_MOTION_CROWD_PARTS_H
#define GALI_MOTION_CROWD_PARTS_H

#include "motion/character.h"
#include "motion/record.h"

enum { GALI_CROWD_CAPACITY_MOST = 65535 }; /* places fit 16 bits of a handle */

/* The characters of one controller, levels[0], and its stand-ins. */
typedef struct gali_group {
    const gal_controller *levels[GAL_LEVELS_MAX]; /* [level_count] */
    uint32_t level_count;
    uint32_t first, capacity; /* places */
    uint32_t count;           /* characters */
} gali_group;

/* When the character in a place is evaluated, and by what. */
typedef struct gali_pace {
    uint8_t left;  /* frames until it is due, which its state is ahead of what the caller sees */
    uint8_t level; /* of its last evaluation */
    uint8_t fixed_frames, fixed_level; /* as the host has it; frames 0: it leaves that to the crowd */
} gali_pace;

struct gal_crowd {
    gali_group groups[GAL_GROUPS_MAX];
    uint32_t group_count;
    gali_ground ground;
    gal_parallel parallel; /* parallel_for NULL: none */
    gal_allocator allocator;
    gali_recorder recorder;
    size_t memory; /* of gal_crowd_create; 0 where the caller owns it */
    uint32_t capacity, count;
    uint64_t resets;
    double owed; /* seconds not yet stepped */
    gali_character *characters;
    gali_pace *paces;
    uint32_t *order, *generation;
    unsigned char *lost; /* [capacity] by row: set back in this step */
    /* Of the group being stepped, as x, y and phase: its characters' places, by what is done with them, then ascending. */
    uint32_t *rows;
    float *x, *y, *phase;
    void *workspace;
    size_t workspace_size;
};

/* The group that a place belongs to. */
static inline uint32_t gali_crowd_group(const gal_crowd *crowd, uint32_t place) {
    uint32_t group = 0;
    while (place >= crowd->groups[group].first + crowd->groups[group].capacity) {
        group++;
    }
    return group;
}

/* The controller of the character in a place. */
static inline const gal_controller *gali_crowd_controller(const gal_crowd *crowd, uint32_t place) {
    return crowd->groups[gali_crowd_group(crowd, place)].levels[0];
}

#endif
