/* The choices of a budget by themselves: what they cost, who has the better rung, who waits, and that they are calm. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "crowd/budget.h"

enum { CHARACTERS = 600, FRAMES = 400, EVALUATION = 8000, CHEAP = 3000, BRIDGE = 200, RUN = 6 };

/* Characters and their choices over frames. */
typedef struct stage {
    gali_budget budget;
    gali_pace paces[CHARACTERS];
    uint32_t count;
    uint32_t since[CHARACTERS];   /* frames since its last evaluation */
    uint32_t longest[CHARACTERS]; /* the most of these, after the first evaluation */
    uint32_t changes[CHARACTERS]; /* of its rung */
    uint32_t frames[CHARACTERS];  /* that its last evaluation was for */
    uint64_t most, sum;           /* cost of a frame */
} stage;

static stage *stage_of(uint32_t count, uint64_t amount) {
    stage *s = calloc(1, sizeof *s);
    s->count = count;
    s->budget = (gali_budget){.amount = amount, .group_count = 1};
    s->budget.costs[0] =
        (gali_cost){.evaluation = {EVALUATION, CHEAP}, .bridge = BRIDGE, .level_count = 2, .frames_most = 8};
    for (uint32_t i = 0; i < count; i++) {
        s->paces[i] = (gali_pace){.priority = 1, .rung = GALI_RUNGS};
    }
    return s;
}

static void take(stage *s, uint32_t i) {
    uint8_t rung = s->paces[i].rung;
    if (s->paces[i].left > 0) {
        s->paces[i].left--;
        s->since[i]++;
        return;
    }
    uint32_t frames = gali_budget_choose(&s->budget, 0, i, &s->paces[i]);
    if (rung < GALI_RUNGS) {
        s->longest[i] = s->since[i] + 1 > s->longest[i] ? s->since[i] + 1 : s->longest[i];
        s->changes[i] += rung != s->paces[i].rung;
    }
    s->since[i] = frames > 0 ? 0 : s->since[i] + 1;
    s->frames[i] = frames;
    s->paces[i].left = (uint8_t)(frames > 0 ? frames - 1 : 0);
}

static void run(stage *s, uint32_t frames) {
    for (uint32_t f = 0; f < frames; f++) {
        gali_budget_begin(&s->budget);
        for (uint32_t i = 0; i < s->count; i++) {
            gali_budget_count(&s->budget, 0, i, &s->paces[i]);
        }
        gali_budget_settle(&s->budget);
        for (uint32_t i = 0; i < s->count; i++) {
            take(s, i);
        }
        uint64_t cost = s->budget.loads[0] + s->budget.standing;
        s->most = cost > s->most ? cost : s->most;
        s->sum += cost;
    }
}

static void measure_anew(stage *s) {
    s->most = s->sum = 0;
    memset(s->longest, 0, sizeof s->longest);
    memset(s->changes, 0, sizeof s->changes);
}

static uint64_t sum_of(const uint32_t *values, uint32_t count) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += values[i];
    }
    return sum;
}

static void with_room_all_are_evaluated_in_every_frame(void **unused) {
    (void)unused;
    stage *s = stage_of(100, (uint64_t)(100 + RUN) * EVALUATION);
    run(s, FRAMES);
    for (uint32_t i = 0; i < s->count; i++) {
        assert_true(s->longest[i] == 1 && s->paces[i].level == 0);
    }
    assert_int_equal(s->budget.waiting, 0);
    free(s);
}

/* A crowd that a camera goes along, jumps over, and goes along again; the first frames, in which all come, apart. */
static void a_frame_costs_no_more_than_the_budget(void **unused) {
    (void)unused;
    static const uint64_t amounts[] = {500000, 600000, 1000000, 2000000};
    for (size_t a = 0; a < sizeof amounts / sizeof amounts[0]; a++) {
        stage *s = stage_of(CHARACTERS, amounts[a]);
        for (uint32_t f = 0; f < FRAMES; f++) {
            for (uint32_t i = 0; i < s->count; i++) {
                float at = (float)(f < FRAMES / 2 ? 0 : 300) + (float)f * 0.1f;
                s->paces[i].priority = 1 / (1 + fabsf((float)i - at));
            }
            run(s, 1);
            if (f == 2 * GALI_FRAMES_MAX) {
                assert_true(s->most <= amounts[a] * 6 / 5);
                measure_anew(s);
            }
        }
        assert_true(s->most <= amounts[a] + amounts[a] / 20);
        assert_true(s->sum > amounts[a] * FRAMES * 7 / 10); /* and is not left lying */
        free(s);
    }
}

static void nobody_starves(void **unused) {
    (void)unused;
    static const uint64_t amounts[] = {0, 1, 100000, 1000000};
    for (size_t a = 0; a < sizeof amounts / sizeof amounts[0]; a++) {
        stage *s = stage_of(CHARACTERS, amounts[a]);
        for (uint32_t i = 0; i < s->count; i++) {
            s->paces[i].priority = i % 3 == 0 ? 0 : (float)i;
        }
        run(s, 2 * GALI_FRAMES_MAX);
        for (uint32_t i = 0; i < s->count; i++) {
            assert_true(s->paces[i].rung < GALI_RUNGS); /* had its first */
        }
        run(s, FRAMES);
        for (uint32_t i = 0; i < s->count; i++) {
            assert_in_range(s->longest[i], 1, GALI_FRAMES_MAX);
        }
        free(s);
    }
}

static void who_matters_more_has_no_worse_a_rung(void **unused) {
    (void)unused;
    stage *s = stage_of(CHARACTERS, 800000);
    for (uint32_t i = 0; i < s->count; i++) {
        s->paces[i].priority = powf(2, 8 - (float)i / 60);
    }
    run(s, FRAMES);
    assert_int_equal(s->paces[0].rung, 0);
    assert_int_equal(s->paces[s->count - 1].rung, GALI_RUNGS - 1);
    for (uint32_t i = 60; i < s->count; i++) { /* an octave more */
        assert_true(s->paces[i - 60].rung <= s->paces[i].rung);
    }
    free(s);
}

static void of_equals_some_have_the_better_rung(void **unused) {
    (void)unused;
    stage *s = stage_of(CHARACTERS, 1300000);
    uint32_t with[GALI_RUNGS] = {0}, rungs = 0;
    run(s, FRAMES);
    for (uint32_t i = 0; i < s->count; i++) {
        with[s->paces[i].rung]++;
    }
    for (uint32_t r = 0; r < GALI_RUNGS; r++) {
        rungs += with[r] > 0;
    }
    assert_in_range(rungs, 1, 2);
    measure_anew(s);
    run(s, FRAMES);
    assert_int_equal(sum_of(s->changes, s->count), 0);
    assert_true(s->most <= s->budget.amount);
    free(s);
}

/* Priorities that tremble by a tenth change rungs seldom, if at all. */
static void a_tremble_does_not_flicker(void **unused) {
    (void)unused;
    stage *s = stage_of(CHARACTERS, 800000);
    for (uint32_t pass = 0; pass < 2; pass++) {
        measure_anew(s);
        for (uint32_t f = 0; f < FRAMES; f++) {
            for (uint32_t i = 0; i < s->count; i++) {
                float tremble = 0.05f * sinf((float)(f * 7 + i * 13));
                s->paces[i].priority = (1 + tremble) * powf(2, 6 - (float)i / 100);
            }
            run(s, 1);
        }
    }
    assert_true(sum_of(s->changes, s->count) < s->count / 10);
    free(s);
}

static void what_is_urgent_counts_as_more(void **unused) {
    (void)unused;
    stage *s = stage_of(CHARACTERS, 500000);
    run(s, FRAMES);
    uint32_t before = s->paces[7].rung;
    assert_true(before > 1);
    s->paces[7].urgent = 1;
    run(s, GALI_FRAMES_MAX);
    assert_true(s->paces[7].rung < before || s->paces[7].urgent == 0);
    assert_int_equal(s->paces[7].urgent, 0);
    free(s);
}

static void a_fixed_pace_stays(void **unused) {
    (void)unused;
    stage *s = stage_of(CHARACTERS, 300000);
    s->paces[3].fixed_frames = 1;
    s->paces[4].fixed_frames = 3;
    s->paces[4].fixed_level = 1;
    run(s, FRAMES);
    measure_anew(s);
    run(s, FRAMES);
    assert_true(s->frames[3] == 1 && s->paces[3].level == 0);
    assert_true(s->frames[4] == 3 && s->paces[4].level == 1);
    free(s);
}

static void equal_inputs_give_equal_choices(void **unused) {
    (void)unused;
    stage *a = stage_of(CHARACTERS, 600000), *b = stage_of(CHARACTERS, 600000);
    run(a, FRAMES);
    run(b, FRAMES);
    assert_memory_equal(a->paces, b->paces, sizeof a->paces);
    assert_int_equal(a->budget.bar, b->budget.bar);
    free(a);
    free(b);
}

/* All that goes on from frame to frame is the paces and the bar. */
static void a_budget_taken_up_again_goes_on(void **unused) {
    (void)unused;
    stage *a = stage_of(CHARACTERS, 600000), *b = stage_of(CHARACTERS, 600000);
    run(a, 37);
    memcpy(b->paces, a->paces, sizeof a->paces);
    b->budget.bar = a->budget.bar;
    run(a, FRAMES);
    run(b, FRAMES);
    assert_memory_equal(a->paces, b->paces, sizeof a->paces);
    free(a);
    free(b);
}

static void extremes_do_no_harm(void **unused) {
    (void)unused;
    static const float priorities[] = {0, 1e-45f, 1e-38f, 3e38f, 1};
    static const uint64_t amounts[] = {0, 1, UINT64_MAX / 4};
    for (size_t a = 0; a < 3; a++) {
        for (uint32_t count = 0; count < 3; count++) {
            stage *s = stage_of(count, amounts[a]);
            for (uint32_t i = 0; i < count; i++) {
                s->paces[i].priority = priorities[(i + a) % 5];
            }
            run(s, FRAMES);
            for (uint32_t i = 0; i < count; i++) {
                assert_in_range(s->longest[i], 1, GALI_FRAMES_MAX);
            }
            free(s);
        }
    }
}

static void costs_follow_the_clock(void **unused) {
    (void)unused;
    stage *s = stage_of(1, 1000);
    uint32_t *cost = &s->budget.costs[0].evaluation[1], *bridge = &s->budget.costs[0].bridge;
    for (uint32_t i = 0; i < 200; i++) {
        gali_budget_learn(&s->budget, 0, 1, 10, i % 50 == 7 ? 1 : (10 + RUN) * 5e-6); /* a spike now and then */
        gali_budget_learn(&s->budget, 0, GAL_LEVELS_MAX, 100, 100 * 1e-7);
    }
    assert_in_range(*cost, 4800, 5400);
    assert_in_range(*bridge, 98, 102);
    gali_budget_learn(&s->budget, 0, 1, 0, NAN);
    gali_budget_learn(&s->budget, 0, 1, 1, INFINITY);
    gali_budget_learn(&s->budget, 0, 1, 1, -1e9);
    assert_in_range(*cost, 4000, 6000);
    free(s);
}

static int by_size(const void *a, const void *b) {
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

/* About normal, by twelve draws. */
static double noise(uint64_t *state) {
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*state >> 40) / (1 << 24);
    }
    return sum;
}

/* Frames that differ from what was planned, more or less: 999 of a thousand are within the budget, which is used. */
static void frames_that_differ_keep_to_the_budget(void **unused) {
    (void)unused;
    static const double spreads[] = {0.01, 0.03, 0.05, 0.08, 0.1};
    static double parts[6000];
    for (size_t s = 0; s < sizeof spreads / sizeof spreads[0]; s++) {
        uint64_t state = 17 + s;
        float share = 0.8f;
        for (size_t f = 0; f < 6000; f++) {
            parts[f] = (double)share * exp(spreads[s] * noise(&state));
            share =
                gali_budget_share(share, f % 1000 == 500 ? 3 : parts[f]); /* the system takes the core away */
        }
        qsort(parts, 6000, sizeof parts[0], by_size);
        print_message("spread %.2f: median %.3f, 999 of 1000 %.3f\n", spreads[s], parts[3000], parts[5993]);
        assert_true(parts[5993] < 1);
        assert_true(parts[3000] > 0.65);
    }
    assert_true(gali_budget_share(0.7f, NAN) == 0.7f && gali_budget_share(0.7f, INFINITY) == 0.7f);
    assert_true(gali_budget_share(0.6f, 1.5) == 0.6f && gali_budget_share(0.95f, 0) == 0.95f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_room_all_are_evaluated_in_every_frame),
        cmocka_unit_test(a_frame_costs_no_more_than_the_budget),
        cmocka_unit_test(nobody_starves),
        cmocka_unit_test(who_matters_more_has_no_worse_a_rung),
        cmocka_unit_test(of_equals_some_have_the_better_rung),
        cmocka_unit_test(a_tremble_does_not_flicker),
        cmocka_unit_test(what_is_urgent_counts_as_more),
        cmocka_unit_test(a_fixed_pace_stays),
        cmocka_unit_test(equal_inputs_give_equal_choices),
        cmocka_unit_test(a_budget_taken_up_again_goes_on),
        cmocka_unit_test(extremes_do_no_harm),
        cmocka_unit_test(costs_follow_the_clock),
        cmocka_unit_test(frames_that_differ_keep_to_the_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
