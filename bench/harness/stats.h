/* Order statistics of a growing list of numbers. */
#ifndef GALLOP_BENCH_STATS_H
#define GALLOP_BENCH_STATS_H

#include <stddef.h>

typedef struct series {
    double *values;
    size_t count, capacity;
} series;

void series_add(series *s, double value);
void series_free(series *s);

/* The value below which that share (0..1) of the series lies; 0 where it is empty. */
double series_quantile(const series *s, double share);
double series_median(const series *s);

/* Standard error of the median relative to it, from the median absolute deviation. */
double series_median_error(const series *s);

#endif
