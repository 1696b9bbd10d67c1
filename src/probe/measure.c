#include "probe/measure.h"

#include <math.h>

enum { FEWEST = 5, MOST = 64 };

static void insert(double *sorted, uint32_t count, double value) {
    uint32_t at = count;
    for (; at > 0 && sorted[at - 1] > value; at--) {
        sorted[at] = sorted[at - 1];
    }
    sorted[at] = value;
}

gali_measured gali_probe_measure(gali_run_once *once, void *subject, uint32_t most) {
    double sorted[MOST];
    gali_measured m = {once(subject), 0};
    most = most < FEWEST ? FEWEST : most < MOST ? most : MOST;
    for (uint32_t count = 0; count < most && !isnan(m.value) && !m.stable; count++) {
        double value = once(subject);
        if (isnan(value)) {
            return (gali_measured){value, 0};
        }
        insert(sorted, count, value);
        uint32_t half = (count + 2) / 2;
        m.value = sorted[half / 2];
        m.stable = count + 1 >= FEWEST && sorted[half - 1] <= 1.02 * sorted[0];
    }
    return m;
}
