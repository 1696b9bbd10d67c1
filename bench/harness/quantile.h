/* Order statistics of an array. */
#ifndef GALLOP_BENCH_QUANTILE_H
#define GALLOP_BENCH_QUANTILE_H

#include <stddef.h>

/* Sorts the values. The value below which that share (0..1) of them lies, in a straight line between two; 0 where there are none. */
double quantile(double *values, size_t count, double share);
double median(double *values, size_t count);

#endif
