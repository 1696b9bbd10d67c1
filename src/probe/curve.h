/*
 * Curves of measurements, and what is read off them: levels (a cache is a level of latency over sizes) and knees (where
 * a cost leaves its first level for good: registers that spill, lanes that are all busy).
 *
 * Measurements come with noise of a few percent and have no fixed scale, so all is done with ratios of neighbours. What
 * is found says how sure it is, from 0 to 1: how far what follows stands off the level, in tolerances, and how many
 * points the level has.
 */
#ifndef GALI_PROBE_CURVE_H
#define GALI_PROBE_CURVE_H

#include <stdint.h>

enum { GALI_CURVE_POINTS_MAX = 256, GALI_CURVE_LEVELS_MAX = 8, GALI_CURVE_NAME_MAX = 48 };

typedef struct gali_curve {
    char name[GALI_CURVE_NAME_MAX];
    const char *x_unit, *y_unit;
    uint32_t count, unstable;                                  /* points; those whose repeats did not settle */
    double x[GALI_CURVE_POINTS_MAX], y[GALI_CURVE_POINTS_MAX]; /* x ascends, y > 0 */
} gali_curve;

typedef struct gali_level {
    double from, to; /* x of its first and last point */
    double y;        /* median */
    double sure;
    uint32_t points;
} gali_level;

typedef struct gali_knee {
    double x; /* the last point before the rise; NAN: there is none */
    double sure;
} gali_knee;

/* Puts a point in its place by x; a point at the same x is replaced. Points past the room, or with y <= 0 or no number,
 * are left out. */
void gali_curve_add(gali_curve *curve, double x, double y, int stable);

/*
 * Levels from left to right: runs of at least `least` points that stay within `tolerance` (.1: a tenth) of their median,
 * one point apart; neighbours within two tolerances are one. Returns how many.
 */
uint32_t gali_curve_levels(const gali_curve *curve, double tolerance, uint32_t least,
                           gali_level levels[GALI_CURVE_LEVELS_MAX]);

/* Where y leaves the smallest y so far by `factor` (1.5: half as much again), at two points in a row or the last. */
gali_knee gali_curve_knee(const gali_curve *curve, double factor);

/* The x of the largest y, the first of those within a hundredth of it. */
gali_knee gali_curve_top(const gali_curve *curve);

#endif
