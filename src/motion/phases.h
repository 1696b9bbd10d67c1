/*
 * The arithmetic of a step, behind one table per instruction set, over a vector of a bank's lanes at a time.
 *
 * Bodies are written once (body/) in the kernels' simd vocabulary and compiled for each instruction set (phases_<isa>.c).
 * Every operation is done lane by lane, in one order, and none fuses but where an FMA is written: a character's bits
 * depend neither on its lane nor on the others', nor on the instruction set. Where characters differ in what they do,
 * both ways are computed and one is selected.
 *
 * A phase touches only the lanes of its mask; of x and y, lane by lane in ascending order, it has a row for each of
 * them. Ground is asked for these lanes alone, point by point, and lane by lane for each point.
 */
#ifndef GALI_MOTION_PHASES_H
#define GALI_MOTION_PHASES_H

#include "motion/bank.h"
#include "motion/controller.h"
#include "motion/ground.h"

/* What a phase works on. */
typedef struct gali_lanes {
    const gal_controller *controller;
    const gali_ground *ground;
    gali_bank *bank;
    uint32_t mask; /* bit l for lane l */
    float smooth;  /* share of last position plus velocity in the joints fed back (rules.joint_smooth) */
    float *x;      /* [lanes of the mask][x_stride], a multiple of GALI_ROW_STEP */
    const float *
        y; /* [lanes of the mask][y_stride], stride 0: one row for all; GALI_ROW_STEP - 1 floats behind are read */
    size_t x_stride, y_stride;
    uint32_t *lost; /* bits of the lanes of whose state a number is not finite are set in it (show) */
} gali_lanes;

typedef struct gali_phases {
    gal_isa isa;
#define PHASE(name, meaning) void (*name)(const gali_lanes *lanes);
#include "motion/phases.def"
#undef PHASE
} gali_phases;

/* The table of an available instruction set. */
const gali_phases *gali_phases_get(gal_isa isa);

extern const gali_phases gali_phases_scalar;
extern const gali_phases gali_phases_avx2;
extern const gali_phases gali_phases_avx512;
extern const gali_phases gali_phases_neon;
extern const gali_phases gali_phases_wasm;

#endif
