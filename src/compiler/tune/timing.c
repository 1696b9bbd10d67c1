#include "compiler/tune/timing.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "compiler/tune/measure.h"

enum {
    WARM = 3,     /* calls before the first that counts */
    HOPELESS = 5, /* pairs after which a candidate that is only looked at may be given up */
    BLOCK = GALI_MEASURE_QUICK,
    PAIRS_MAX = 1024,
    PAIRS_LEAST = 9, /* however long they take */
};
static const double hopeless = 1.6; /* at this ratio */
static const double enough = 0.5;   /* seconds of a candidate's pairs, behind which no more are made */

/* A candidate while it is timed. */
typedef struct timed {
    uint32_t done; /* pairs */
    int given_up;
    double spent; /* in pairs that count */
    double ratio[PAIRS_MAX], seconds[PAIRS_MAX];
} timed;

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, uint32_t count) {
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

static double least(const double *values, uint32_t count) {
    double value = values[0];
    for (uint32_t i = 1; i < count; i++) {
        value = values[i] < value ? values[i] : value;
    }
    return value;
}

static int has_enough(const timed *one) {
    return one->done >= PAIRS_LEAST && one->spent > enough;
}

/* Some more pairs of calls for one candidate. quick: it is given up if even the best of its first pairs is hopeless. */
static gal_status time_block(const gali_timing *t, uint32_t candidate, timed *one, uint32_t pairs, int quick,
                             gal_error *error) {
    for (uint32_t i = 0; i < pairs + WARM && !one->given_up && !has_enough(one); i++) {
        gal_status status = t->prepare(t->context, candidate, error);
        if (status != GAL_OK) {
            return status;
        }
        double start = gali_clock_thread_seconds();
        t->reference(t->context);
        double between = gali_clock_thread_seconds();
        t->candidate(t->context, candidate);
        double end = gali_clock_thread_seconds();
        if (i < WARM) {
            continue;
        }
        one->spent += end - start;
        one->seconds[one->done] = end - between;
        one->ratio[one->done++] = (end - between) / (between - start);
        one->given_up = quick && one->done == HOPELESS && least(one->ratio, one->done) > hopeless;
    }
    return GAL_OK;
}

/* All candidates in turns, block by block: what slows the machine down for a while meets them all. */
static gal_status time_blocks(const gali_timing *t, timed *of, uint32_t count, uint32_t pairs,
                              const gali_measured *results, gal_error *error) {
    gal_status status = GAL_OK;
    for (uint32_t done = 0; done < pairs && status == GAL_OK; done += BLOCK) {
        uint32_t some = pairs - done < BLOCK ? pairs - done : BLOCK;
        for (uint32_t i = 0; i < count && status == GAL_OK; i++) {
            if (!*results[i].failure) {
                status = time_block(t, i, &of[i], some, pairs <= BLOCK, error);
            }
        }
    }
    return status;
}

gal_status gali_timing_run(const gali_timing *timing, uint32_t count, uint32_t pairs, gali_measured *results,
                           gal_error *error) {
    timed *of = calloc(count + 1, sizeof *of);
    gal_status status = of ? GAL_OK : gali_fail(error, GAL_NO_MEMORY, "no memory to time %u candidates", count);
    if (status == GAL_OK) {
        status = time_blocks(timing, of, count, pairs < PAIRS_MAX ? pairs : PAIRS_MAX, results, error);
    }
    for (uint32_t i = 0; i < count && status == GAL_OK; i++) {
        if (of[i].done) {
            results[i].ratio = median(of[i].ratio, of[i].done);
            results[i].seconds = median(of[i].seconds, of[i].done);
        }
    }
    free(of);
    return status;
}
