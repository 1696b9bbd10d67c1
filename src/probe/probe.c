#include "probe/probe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const gali_fact_facts gali_fact_list[GALI_FACT_COUNT] = {
#define FACT(id, name, unit, kinds, meaning) {name, unit, kinds, meaning},
#include "probe/facts.def"
#undef FACT
};

gali_curve *gali_probe_curve(gali_probe *probe, const char *name, const char *x_unit, const char *y_unit) {
    if (probe->curve_count < GALI_PROBE_CURVES_MAX) {
        probe->curve_count++;
    }
    gali_curve *curve = &probe->curves[probe->curve_count - 1];
    *curve = (gali_curve){.x_unit = x_unit, .y_unit = y_unit};
    snprintf(curve->name, sizeof curve->name, "%s", name);
    return curve;
}

void gali_probe_fact(gali_probe *probe, gali_fact_id id, uint32_t level, double value, double sure,
                     const gali_curve *curve, const char *note) {
    if (!isfinite(value) || probe->fact_count == GALI_PROBE_FACTS_MAX) {
        return;
    }
    gali_fact *fact = &probe->facts[probe->fact_count++];
    *fact = (gali_fact){.id = id, .level = level, .value = value, .sure = sure, .curve = -1};
    if (curve) {
        fact->curve = (int)(curve - probe->curves);
        fact->sure *= curve->count ? 1 - .5 * fmin(1, (double)curve->unstable / curve->count) : 0;
    }
    snprintf(fact->note, sizeof fact->note, "%s", note ? note : "");
}

const gali_fact *gali_probe_find(const gali_probe *probe, gali_fact_id id, uint32_t level) {
    for (uint32_t i = 0; i < probe->fact_count; i++) {
        if (probe->facts[i].id == id && probe->facts[i].level == level) {
            return &probe->facts[i];
        }
    }
    return NULL;
}

/* Translation of addresses slopes a level of latency, so a level may rise by an eighth. */
static const double latency_tolerance = .12;

/*
 * A range that is a little larger than a cache misses in a part of its reads, so the latency climbs from level to level: the
 * cache's size is where it has climbed half of the way, of the logarithm, between the points on both sides.
 */
static double between(const gali_curve *curve, const gali_level *level, const gali_level *next) {
    double half = sqrt(level->y * next->y);
    for (uint32_t i = 1; i < curve->count; i++) {
        if (curve->x[i] > level->to && curve->y[i] >= half) {
            double share = log(half / curve->y[i - 1]) / log(curve->y[i] / curve->y[i - 1]);
            return curve->x[i - 1] * pow(curve->x[i] / curve->x[i - 1], fmax(0, share));
        }
    }
    return level->to;
}

void gali_probe_levels(gali_probe *probe, gali_fact_id size, gali_fact_id latency,
                       const gali_curve *latencies) {
    gali_level levels[GALI_CURVE_LEVELS_MAX];
    uint32_t count = gali_curve_levels(latencies, latency_tolerance, 3, levels);
    for (uint32_t i = 0; i < count; i++) {
        int last = i + 1 == count;
        if (!last) {
            gali_probe_fact(probe, size, i + 1, between(latencies, &levels[i], &levels[i + 1]), levels[i].sure,
                            latencies, NULL);
        }
        gali_probe_fact(probe, latency, i + 1, levels[i].y, levels[i].sure, latencies, last ? "memory" : NULL);
    }
}

/* The best rate of those that were read within a level's half, of memory at the curve's end. */
void gali_probe_rates(gali_probe *probe, gali_fact_id rate, gali_fact_id size, const gali_curve *rates) {
    double from = 0;
    for (uint32_t level = 1;; level++) {
        const gali_fact *to = gali_probe_find(probe, size, level);
        double best = 0;
        for (uint32_t i = 0; i < rates->count; i++) {
            int inside = to ? rates->x[i] <= to->value / 2 || (rates->x[i] <= to->value && best == 0)
                            : i + 1 == rates->count;
            best = inside && rates->x[i] > from && rates->y[i] > best ? rates->y[i] : best;
        }
        if (best > 0) {
            gali_probe_fact(probe, rate, level, best, to ? to->sure : 1, rates, to ? NULL : "memory");
        }
        if (!to) {
            return;
        }
        from = to->value;
    }
}
