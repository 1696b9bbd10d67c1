/* What is read off curves, chains that visit everything, repeats until stable, and what is written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/chain.h"
#include "probe/measure.h"
#include "probe/probe.h"

/* Noise of at most two percent, the same each time. */
static double noisy(double y, uint32_t i) {
    return y * (1 + .02 * sin(12.9898 * i));
}

/* Latency of 48 KB, 1 MB and memory, four sizes an octave; past a cache the reads that miss are 1 - cache / size. */
static void fill_latency(gali_curve *curve) {
    static const double cache[] = {49152, 1048576}, ns[] = {1.3, 4, 100};
    for (uint32_t i = 0; i < 60; i++) {
        double size = 1024 * pow(2, i / 4.), y = ns[0];
        for (int k = 0; k < 2; k++) {
            double misses = size > cache[k] ? fmin(1, 3 * (1 - cache[k] / size)) : 0;
            y += misses * (ns[k + 1] - ns[k]);
        }
        gali_curve_add(curve, size, noisy(y, i), 1);
    }
}

static void caches_are_levels(void **state) {
    (void)state;
    gali_probe *probe = calloc(1, sizeof *probe);
    assert_non_null(probe);
    gali_curve *curve = gali_probe_curve(probe, "latency", "bytes", "ns");
    fill_latency(curve);
    gali_probe_levels(probe, GALI_FACT_BUFFER_LEVEL, GALI_FACT_BUFFER_LATENCY, curve);
    static const double size[] = {49152, 1048576}, ns[] = {1.3, 4, 100};
    for (uint32_t level = 1; level <= 3; level++) {
        const gali_fact *latency = gali_probe_find(probe, GALI_FACT_BUFFER_LATENCY, level);
        const gali_fact *bytes = gali_probe_find(probe, GALI_FACT_BUFFER_LEVEL, level);
        assert_non_null(latency);
        assert_true(fabs(latency->value / ns[level - 1] - 1) < .03);
        assert_true(latency->sure > .5);
        assert_true((bytes != NULL) == (level < 3)); /* memory has no size */
        if (bytes) {
            assert_true(bytes->value > .9 * size[level - 1] && bytes->value < 1.3 * size[level - 1]);
        }
    }
    assert_null(gali_probe_find(probe, GALI_FACT_BUFFER_LATENCY, 4));
    free(probe);
}

static void add_points(gali_curve *curve, const double *y, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        gali_curve_add(curve, 1 + i, y[i], 1);
    }
}

/* One point may stray, runs that are nearly the same are one, and the level is the middle of its points. */
static void levels_are_runs(void **state) {
    (void)state;
    static const double stray[] = {1, 1, 5, 1, 1, 1}, near[] = {1, 1, 1, 1, 1.15, 1.15, 1.15, 1.15},
                        even[] = {1, 1.02, 1.04, 1.06, 3, 3, 3, 3, 3, 3, 3, 3};
    gali_curve curves[3] = {{.count = 0}};
    gali_level levels[GALI_CURVE_LEVELS_MAX];
    add_points(&curves[0], stray, 6);
    add_points(&curves[1], near, 8);
    add_points(&curves[2], even, 12);
    assert_int_equal(gali_curve_levels(&curves[0], .1, 4, levels), 1);
    assert_true(levels[0].from == 1 && levels[0].to == 6 && levels[0].y == 1 && levels[0].sure == 1);
    assert_int_equal(gali_curve_levels(&curves[1], .1, 4, levels), 1);
    assert_true(levels[0].to == 8 && levels[0].points == 8);
    assert_int_equal(gali_curve_levels(&curves[2], .1, 4, levels), 2);
    assert_true(fabs(levels[0].y - 1.03) < 1e-12 && fabs(levels[0].sure - 4. / 6) < 1e-12);
    assert_true(levels[1].y == 3 && levels[1].sure == 1); /* eight points are no surer than six */
}

/* A size is where the climb is half done, by its logarithm. */
static void sizes_are_half_way_up(void **state) {
    (void)state;
    static const double ns[] = {1, 1, 1, 1, 10, 100, 100, 100};
    gali_probe *probe = calloc(1, sizeof *probe);
    assert_non_null(probe);
    gali_curve *curve = gali_probe_curve(probe, "latency", "bytes", "ns");
    for (uint32_t i = 0; i < 8; i++) {
        gali_curve_add(curve, 1 << i, ns[i], 1);
    }
    gali_probe_levels(probe, GALI_FACT_BUFFER_LEVEL, GALI_FACT_BUFFER_LATENCY, curve);
    assert_true(fabs(gali_probe_find(probe, GALI_FACT_BUFFER_LEVEL, 1)->value - 16) < 1e-9);
    free(probe);
}

static void points_that_do_not_settle_make_less_sure(void **state) {
    (void)state;
    gali_probe *probe = calloc(1, sizeof *probe);
    assert_non_null(probe);
    gali_curve *curve = gali_probe_curve(probe, "latency", "bytes", "ns");
    gali_curve_add(curve, 1, 1, 1);
    gali_curve_add(curve, 2, 1, 0);
    gali_probe_fact(probe, GALI_FACT_WARP, 0, 32, 1, curve, NULL);
    gali_probe_fact(probe, GALI_FACT_ALUS, 0, (double)NAN, 1, curve, NULL);
    assert_true(gali_probe_find(probe, GALI_FACT_WARP, 0)->sure < 1);
    assert_null(gali_probe_find(probe, GALI_FACT_ALUS, 0)); /* no number, no fact */
    free(probe);
}

static void rates_belong_to_levels(void **state) {
    (void)state;
    gali_probe *probe = calloc(1, sizeof *probe);
    assert_non_null(probe);
    gali_probe_fact(probe, GALI_FACT_BUFFER_LEVEL, 1, 49152, 1, NULL, NULL);
    gali_curve *rates = gali_probe_curve(probe, "rate", "bytes", "GB/s");
    for (double size = 4096; size <= 1 << 20; size *= 2) {
        gali_curve_add(rates, size, size <= 49152 ? 300 : 30, 1);
    }
    gali_probe_rates(probe, GALI_FACT_BUFFER_RATE, GALI_FACT_BUFFER_LEVEL, rates);
    assert_true(gali_probe_find(probe, GALI_FACT_BUFFER_RATE, 1)->value == 300);
    assert_true(gali_probe_find(probe, GALI_FACT_BUFFER_RATE, 2)->value == 30);
    free(probe);
}

static void knees_stay(void **state) {
    (void)state;
    gali_curve stairs = {.count = 0}, spike = {.count = 0}, top = {.count = 0};
    for (uint32_t i = 1; i <= 64; i++) {
        gali_curve_add(&stairs, 8 * i, noisy(ceil(8. * i / 128), i), 1);
        gali_curve_add(&spike, i, i == 20 ? 5 : noisy(1, i), 1);
        gali_curve_add(&top, i, i <= 16 ? 10 * i : 160 - i, 1);
    }
    assert_true(gali_curve_knee(&stairs, 1.3).x == 128);
    assert_true(isnan(gali_curve_knee(&spike, 1.3).x)); /* one point that strays is none */
    assert_true(gali_curve_top(&top).x == 16);
    static const double last[] = {1, 1, 1, 5}, close[] = {5, 10, 9.5};
    gali_curve at_last = {.count = 0}, of_two = {.count = 0};
    add_points(&at_last, last, 4);
    add_points(&of_two, close, 3);
    gali_knee knee = gali_curve_knee(&at_last, 1.3);
    assert_true(knee.x == 3 && knee.sure == 1);
    assert_true(fabs(gali_curve_top(&of_two).sure - (10 / 9.5 - 1) / .1) < 1e-9);
}

static void points_have_their_places(void **state) {
    (void)state;
    gali_curve curve = {.count = 0};
    gali_curve_add(&curve, 4, 40, 1);
    gali_curve_add(&curve, 1, 10, 1);
    gali_curve_add(&curve, 2, 0, 1);           /* no time at all: left out */
    gali_curve_add(&curve, 3, (double)NAN, 1); /* a failure */
    gali_curve_add(&curve, 4, 44, 1);          /* measured again */
    assert_int_equal(curve.count, 2);
    assert_true(curve.x[0] == 1 && curve.y[0] == 10 && curve.x[1] == 4 && curve.y[1] == 44);
    for (uint32_t i = 0; i < 2 * GALI_CURVE_POINTS_MAX; i++) {
        gali_curve_add(&curve, 5 + i, 1, 1);
    }
    assert_int_equal(curve.count, GALI_CURVE_POINTS_MAX);
}

static void chains_visit_every_place(void **state) {
    (void)state;
    static const struct {
        size_t size, block, stride, unit, lanes;
    } cases[] = {{65536, 64, 64, 4, 1}, {65536, 1024, 16, 4, 1}, {16384, 64, 64, 16, 4}, {64, 64, 64, 4, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t places = cases[i].size / cases[i].stride, at = 0, seen = 0, ascending = 0;
        uint32_t *next =
            gali_chain_make(cases[i].size, cases[i].block, cases[i].stride, cases[i].unit, cases[i].lanes);
        assert_non_null(next);
        do {
            assert_true(at < cases[i].size / cases[i].unit);
            assert_int_equal(at * cases[i].unit % cases[i].stride, 0);
            size_t before = at;
            at = next[at * cases[i].lanes];
            ascending += at * cases[i].unit == before * cases[i].unit + cases[i].block;
            seen++;
        } while (at != 0 && seen <= places);
        assert_int_equal(seen, places);
        assert_true(8 * ascending <= places); /* blocks in no order that is foreseen */
        free(next);
    }
}

typedef struct script {
    double values[64];
    uint32_t at;
} script;

static double play(void *subject) {
    script *s = subject;
    return s->values[s->at++ % 64];
}

static void repeats_until_stable(void **state) {
    (void)state;
    script steady = {.at = 0}, wild = {.at = 0}, broken = {.at = 0};
    for (uint32_t i = 0; i < 64; i++) {
        steady.values[i] = i % 3 == 2 ? 150 : noisy(100, 0); /* every third run is disturbed */
        wild.values[i] = 100 + 37 * (i * 7 % 11);
        broken.values[i] = i == 3 ? (double)NAN : 100;
    }
    gali_measured m = gali_probe_measure(play, &steady, 24);
    assert_true(m.stable && m.value == 100);
    assert_true(steady.at < 10);
    m = gali_probe_measure(play, &wild, 8);
    assert_false(m.stable);
    assert_int_equal(wild.at, 9); /* one warms up */
    assert_true(isnan(gali_probe_measure(play, &broken, 24).value));
    assert_int_equal(broken.at, 4); /* a failure ends it */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caches_are_levels),        cmocka_unit_test(points_that_do_not_settle_make_less_sure),
        cmocka_unit_test(levels_are_runs),          cmocka_unit_test(sizes_are_half_way_up),
        cmocka_unit_test(rates_belong_to_levels),   cmocka_unit_test(knees_stay),
        cmocka_unit_test(points_have_their_places), cmocka_unit_test(chains_visit_every_place),
        cmocka_unit_test(repeats_until_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
