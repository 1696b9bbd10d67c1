/*
 * What the judge's characters walk on: flat ground, hills, slopes without end that rise along +z, and stairs along +z.
 * Stairs go up ten steps of 18 cm, on for two metres, down again, on for two metres, and so forth; each step is 30 cm deep.
 */
#ifndef GALI_CLI_JUDGE_GROUND_H
#define GALI_CLI_JUDGE_GROUND_H

#include "motion/vec.h"
#include "show/hills.h"

typedef enum gali_judge_ground_kind {
    GALI_GROUND_FLAT,
    GALI_GROUND_HILLS, /* of up to 20 degrees */
    GALI_GROUND_SLOPE_10,
    GALI_GROUND_SLOPE_15,
    GALI_GROUND_SLOPE_20,
    GALI_GROUND_SLOPE_30,
    GALI_GROUND_STAIRS,
    GALI_GROUND_KINDS
} gali_judge_ground_kind;

typedef struct gali_judge_ground {
    gali_judge_ground_kind kind;
    float slope; /* rise over run along +z */
    gali_hills hills;
} gali_judge_ground;

/* unit: metres in one unit of length. */
gali_judge_ground gali_judge_ground_make(gali_judge_ground_kind kind, float unit);

/* A gal_ground_fn whose context is a gali_judge_ground. */
float gali_judge_ground_at(void *ground, float x, float z);

int gali_judge_ground_is_slope(gali_judge_ground_kind kind);

/* Up from the ground there; straight up on stairs, whose treads are level. */
gal_vec3 gali_judge_ground_normal(const gali_judge_ground *ground, float x, float z);

#endif
