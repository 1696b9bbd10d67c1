/* See cell.h for the method. */
#include "cell.h"

#include "clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS_MIN = 9, ROUNDS_EARLY = 31, TRIES = 4 };

static const double ERROR_LIMIT = 3e-5; /* of a character's root mean square: float32 sums in any order; for
                                           engines without a limit of their own */
static const double ENOUGH = 0.0015;    /* standard error of a ratio at which a cell may end early */
static const double SHORT_CALL = 2e6;   /* ns */

/* Shapes a lane's form for the count and holds its output against the truth. */
static void check(cell *c, lane *l) {
    bench_batch batch = problem_batch(c->problem, c->count);
    if (l->engine->ready) {
        l->engine->ready(l->state, &batch);
    }
    batch = problem_batch(c->problem, c->count);
    l->engine->run(l->state, &batch);
    l->error = problem_error(c->problem, c->count);
    snprintf(l->form, sizeof l->form, "%s", l->engine->form ? l->engine->form(l->state) : "");
    if (!(l->error <= (l->engine->error_limit > 0 ? l->engine->error_limit : ERROR_LIMIT))) {
        l->skipped = "wrong result";
    }
}

/* A call's time; negative if the system took the core away meanwhile, which says nothing of the engine. */
static double timed_call(const lane *l, const bench_batch *batch) {
    const long before = clock_interruptions();
    const double start = clock_ns();
    l->engine->run(l->state, batch);
    const double took = clock_ns() - start;
    return clock_interruptions() == before ? took : -took;
}

/* Untimed calls of a turn, and timed ones: fewer where a call is long. */
typedef struct turn_plan {
    int warm, timed;
} turn_plan;

static turn_plan plan_turn(const cell *c, const lane *l) {
    const int quick = l->rounds.count == 0 || series_median(&l->calls) < SHORT_CALL;
    return (turn_plan){.warm = c->cold ? 0 : quick ? 2 : 1, .timed = c->cold ? 1 : quick ? 5 : 1};
}

static void prepare_cache(const cell *c, const lane *l, const bench_batch *batch, int warm) {
    for (int i = 0; i < warm; i++) {
        l->engine->run(l->state, batch);
    }
    if (c->cold) {
        clock_flush();
    }
}

/* One engine's turn in a round. A call that was interrupted is made again, a few times. */
static void turn(const cell *c, lane *l, const bench_batch *batch) {
    const turn_plan plan = plan_turn(c, l);
    series took = {0};
    int warm = plan.warm;
    l->clean = 0;
    for (int tries = plan.timed * TRIES; tries > 0 && took.count < (size_t)plan.timed; tries--) {
        prepare_cache(c, l, batch, warm);
        const double ns = timed_call(l, batch);
        warm = ns < 0 ? plan.warm : 0;
        l->interrupted += ns < 0;
        l->clean |= ns > 0;
        if (ns > 0 || tries == 1) {
            series_add(&took, fabs(ns));
            series_add(&l->calls, fabs(ns));
        }
    }
    series_add(&l->rounds, series_median(&took));
    series_free(&took);
}

/* ns that reading the network's weights takes now. */
static double read_ns(const cell *c) {
    const gali_roof_isa *isa = gali_roof_at(0);
    const size_t bytes = (size_t)c->problem->weight_bytes / 1024 * 1024;
    if (!c->cold) {
        return c->problem->weight_bytes / gali_roof_read_rate(isa, c->roof_bytes, bytes);
    }
    clock_flush();
    const double start = clock_ns();
    isa->read(c->roof_bytes, bytes);
    return clock_ns() - start;
}

static size_t roof_index(const char *name) {
    const gali_roof_isa *isa = gali_roof_named(name);
    size_t i = 0;
    while (gali_roof_at(i) != isa) {
        i++;
    }
    return i;
}

/* Ends a round: the roof now, and every lane's ratios from this round's times. */
static void close_round(const cell *c, series *reads, series *fmas) {
    const double stream = read_ns(c);
    double fma_ns[CELL_ROOFS_MAX];
    series_add(reads, c->problem->weight_bytes / stream);
    for (size_t i = 0; i < CELL_ROOFS_MAX && gali_roof_at(i); i++) {
        fma_ns[i] = gali_roof_fma_ns(gali_roof_at(i));
        series_add(&fmas[i], 1 / fma_ns[i]);
    }
    const lane *ruler = &c->lanes[c->ruler];
    for (size_t i = 0; i < c->lane_count; i++) {
        lane *l = &c->lanes[i];
        if (l->skipped || !l->clean) {
            continue;
        }
        const double took = l->rounds.values[l->rounds.count - 1];
        const double compute = c->problem->fma * c->count * fma_ns[roof_index(l->engine->roof)];
        series_add(&l->share, (stream > compute ? stream : compute) / took);
        if (!ruler->skipped && ruler->clean) {
            series_add(&l->ratio, ruler->rounds.values[ruler->rounds.count - 1] / took);
        }
    }
}

static int settled(const cell *c) {
    for (size_t i = 0; i < c->lane_count; i++) {
        const lane *l = &c->lanes[i];
        if (!l->skipped && series_median_error(l->ratio.count ? &l->ratio : &l->share) > ENOUGH) {
            return 0;
        }
    }
    return 1;
}

static void run_rounds(cell *c, series *reads, series *fmas) {
    const bench_batch batch = problem_batch(c->problem, c->count);
    const double end = clock_ns() + c->seconds * 1e9;
    for (size_t round = 0;; round++) {
        for (size_t i = 0; i < c->lane_count; i++) {
            lane *l = &c->lanes[(i + round) % c->lane_count];
            if (!l->skipped) {
                turn(c, l, &batch);
            }
        }
        close_round(c, reads, fmas);
        c->round_count = round + 1;
        const int early = c->round_count >= ROUNDS_EARLY && c->round_count % 8 == 0 && settled(c);
        if (c->round_count >= ROUNDS_MIN && (early || clock_ns() > end)) {
            return;
        }
    }
}

/* A lane without one clean round, on a machine too busy for its long calls: ratios of whole medians instead. */
static void fill_ratios(const cell *c, const series *reads, const series *fmas) {
    const double ruler = series_median(&c->lanes[c->ruler].rounds);
    for (size_t i = 0; i < c->lane_count; i++) {
        lane *l = &c->lanes[i];
        const double took = series_median(&l->rounds);
        if (l->skipped || took <= 0) {
            continue;
        }
        if (l->share.count == 0) {
            const double compute =
                c->problem->fma * c->count / series_median(&fmas[roof_index(l->engine->roof)]);
            series_add(&l->share, fmax(c->problem->weight_bytes / series_median(reads), compute) / took);
        }
        if (l->ratio.count == 0 && ruler > 0) {
            series_add(&l->ratio, ruler / took);
        }
    }
}

void cell_run(cell *c) {
    series reads = {0}, fmas[CELL_ROOFS_MAX] = {{0}};
    for (size_t i = 0; i < c->lane_count; i++) {
        if (!c->lanes[i].skipped) {
            check(c, &c->lanes[i]);
        }
    }
    run_rounds(c, &reads, fmas);
    fill_ratios(c, &reads, fmas);
    c->read_rate = series_median(&reads);
    series_free(&reads);
    for (size_t i = 0; i < CELL_ROOFS_MAX; i++) {
        c->fma_rate[i] = series_median(&fmas[i]);
        series_free(&fmas[i]);
    }
}

void cell_clear(cell *c) {
    for (size_t i = 0; i < c->lane_count; i++) {
        lane *l = &c->lanes[i];
        series_free(&l->calls);
        series_free(&l->rounds);
        series_free(&l->ratio);
        series_free(&l->share);
    }
}
