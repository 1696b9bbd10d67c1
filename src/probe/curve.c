#include "probe/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void gali_curve_add(gali_curve *curve, double x, double y, int stable) {
    uint32_t at = curve->count;
    if (!(y > 0) || !isfinite(x) || !isfinite(y)) {
        return;
    }
    while (at > 0 && curve->x[at - 1] >= x) {
        at--;
    }
    int same = at < curve->count && curve->x[at] == x;
    if (!same && curve->count == GALI_CURVE_POINTS_MAX) {
        return;
    }
    if (!same) {
        memmove(&curve->x[at + 1], &curve->x[at], (curve->count - at) * sizeof curve->x[0]);
        memmove(&curve->y[at + 1], &curve->y[at], (curve->count - at) * sizeof curve->y[0]);
        curve->count++;
    }
    curve->x[at] = x;
    curve->y[at] = y;
    curve->unstable += !stable;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, uint32_t count) {
    double sorted[GALI_CURVE_POINTS_MAX];
    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, ascending);
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* a over b, or b over a, less 1. */
static double apart(double a, double b) {
    return a > b ? a / b - 1 : b / a - 1;
}

static double at_most_one(double a) {
    return a < 1 ? a : 1;
}

/* The end of the run that starts at `first`: one point may stray where the next one comes back. */
static uint32_t run_end(const gali_curve *curve, uint32_t first, double tolerance) {
    uint32_t end = first + 1;
    while (end < curve->count) {
        double level = median(&curve->y[first], end - first);
        if (apart(curve->y[end], level) <= tolerance) {
            end++;
        } else if (end + 1 < curve->count && apart(curve->y[end + 1], level) <= tolerance) {
            end += 2;
        } else {
            break;
        }
    }
    return end;
}

static gali_level level_of(const gali_curve *curve, uint32_t first, uint32_t end, double tolerance) {
    gali_level level = {.from = curve->x[first],
                        .to = curve->x[end - 1],
                        .y = median(&curve->y[first], end - first),
                        .points = end - first};
    double off = end < curve->count ? apart(curve->y[end], level.y) / (3 * tolerance) : 1;
    level.sure = at_most_one(off) * at_most_one((double)level.points / 6);
    return level;
}

uint32_t gali_curve_levels(const gali_curve *curve, double tolerance, uint32_t least,
                           gali_level levels[GALI_CURVE_LEVELS_MAX]) {
    uint32_t count = 0;
    for (uint32_t first = 0; first < curve->count;) {
        uint32_t end = run_end(curve, first, tolerance);
        if (end - first < least) {
            first++;
            continue;
        }
        gali_level level = level_of(curve, first, end, tolerance);
        gali_level *before = count ? &levels[count - 1] : NULL;
        if (before && apart(before->y, level.y) <= 2 * tolerance) {
            before->to = level.to;
            before->points += level.points;
            before->sure = level.sure;
        } else if (count < GALI_CURVE_LEVELS_MAX) {
            levels[count++] = level;
        }
        first = end;
    }
    return count;
}

gali_knee gali_curve_knee(const gali_curve *curve, double factor) {
    double least = INFINITY;
    for (uint32_t i = 0; i < curve->count; i++) {
        int up = curve->y[i] > factor * least;
        int stays = i + 1 == curve->count || curve->y[i + 1] > factor * least;
        if (up && stays) {
            double rise = (curve->y[i] / least - 1) / (factor - 1);
            return (gali_knee){curve->x[i - 1], at_most_one(rise / 1.5)};
        }
        least = curve->y[i] < least ? curve->y[i] : least;
    }
    return (gali_knee){NAN, 0};
}

gali_knee gali_curve_top(const gali_curve *curve) {
    double most = 0, second = 0;
    gali_knee top = {NAN, 0};
    for (uint32_t i = 0; i < curve->count; i++) {
        most = curve->y[i] > most ? curve->y[i] : most;
    }
    for (uint32_t i = 0; i < curve->count; i++) {
        if (isnan(top.x) && curve->y[i] >= .99 * most) {
            top.x = curve->x[i];
        } else if (curve->y[i] > second) {
            second = curve->y[i];
        }
    }
    top.sure = second > 0 ? at_most_one((most / second - 1) / .1) : curve->count > 0;
    return top;
}
