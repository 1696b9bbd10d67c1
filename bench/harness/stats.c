/* A quantile sorts a copy: the series keep their order, since ratios are made between equal positions. */
#include "stats.h"

#include "../peers/peer.h"
#include "quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void series_add(series *s, double value) {
    if (s->count == s->capacity) {
        const size_t capacity = s->capacity ? 2 * s->capacity : 64;
        double *values = bench_alloc(sizeof(double) * capacity);
        if (s->count) {
            memcpy(values, s->values, sizeof(double) * s->count);
        }
        bench_free(s->values);
        s->values = values;
        s->capacity = capacity;
    }
    s->values[s->count++] = value;
}

void series_free(series *s) {
    bench_free(s->values);
    *s = (series){0};
}

double series_quantile(const series *s, double share) {
    if (s->count == 0) {
        return 0;
    }
    double *sorted = bench_alloc(sizeof(double) * s->count);
    memcpy(sorted, s->values, sizeof(double) * s->count);
    const double value = quantile(sorted, s->count, share);
    bench_free(sorted);
    return value;
}

double series_median(const series *s) {
    return series_quantile(s, 0.5);
}

double series_median_error(const series *s) {
    const double median = series_median(s);
    series away = {0};
    for (size_t i = 0; i < s->count; i++) {
        series_add(&away, fabs(s->values[i] - median));
    }
    const double spread = 1.4826 * series_median(&away);
    series_free(&away);
    return s->count && median != 0 ? 1.2533 * spread / sqrt((double)s->count) / median : 0;
}
