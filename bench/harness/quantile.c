#include "quantile.h"

#include <stdlib.h>

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double quantile(double *values, size_t count, double share) {
    if (count == 0) {
        return 0;
    }
    qsort(values, count, sizeof *values, by_size);
    const double place = share * (double)(count - 1);
    const size_t below = (size_t)place;
    const size_t above = below + 1 < count ? below + 1 : below;
    return values[below] + (place - (double)below) * (values[above] - values[below]);
}

double median(double *values, size_t count) {
    return quantile(values, count, 0.5);
}
