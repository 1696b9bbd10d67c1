/*
 * What a crowd is made of, for the sources that are its parts (crowd.c, snapshot.c).
 *
 * order[0 .. count) lists the places in use; a removed one is closed by moving the rest down.
 * A handle is generation << 16 | place + 1 with generations 1..65535, so it is never 0.
 */
#ifndef GALI_MOTION_CROWD_PARTS_H
#define GALI_MOTION_CROWD_PARTS_H

#include "motion/character.h"

enum { GALI_CROWD_CAPACITY_MOST = 65535 }; /* places fit 16 bits of a handle */

struct gal_crowd {
    const gal_controller *controller;
    gali_ground ground;
    gal_parallel parallel; /* parallel_for NULL: none */
    gal_allocator allocator;
    size_t memory; /* of gal_crowd_create; 0 where the caller owns it */
    uint32_t capacity, count;
    uint64_t resets;
    double owed; /* seconds not yet stepped */
    gali_character *characters;
    uint32_t *order, *generation;
    float *x, *y, *phase;
    unsigned char *lost; /* [capacity] set back in this step */
    void *workspace;
    size_t workspace_size;
};

#endif
