#if defined(__linux__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* clock_gettime, which C11 does not have */
#endif
#include "base/clock.h"

#include <time.h>

double gali_clock_seconds(void) {
    struct timespec t;
#ifdef CLOCK_MONOTONIC
    const int known = clock_gettime(CLOCK_MONOTONIC, &t) == 0;
#else
    const int known = timespec_get(&t, TIME_UTC) == TIME_UTC;
#endif
    return known ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : 0;
}
