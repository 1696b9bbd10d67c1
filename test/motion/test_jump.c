/* Jumps (jump.h): when one begins, what the network is told of it, and what else counts meanwhile. */
#include "lane.h"

enum { PAST = 30, WALK = 1, JUMP = 4, TIME = 12, SAMPLES = 36 };

static const char with_jumps[] = "gait jump jump\nrule jump_time 12\nrule jump_speed 1\n";

/* The biped, but with every other frame of its window among its samples. */
static void start(lane *l, const char *rules) {
    static const char few[] = "samples -20 -10 0 10 20 30\n";
    static char text[2 * sizeof mannequin_biped];
    const char *at = strstr(mannequin_biped, few);
    int size = (int)(at - mannequin_biped);
    size = snprintf(text, sizeof text, "%.*ssamples", size, mannequin_biped);
    for (int i = -PAST; i < 42; i += 2) {
        size += snprintf(text + size, sizeof text - (size_t)size, " %d", i < 40 ? i : 39);
    }
    snprintf(text + size, sizeof text - (size_t)size, "\n%s", at + sizeof few - 1);
    const mannequin_desc desc = {.contract = text, .rules = rules, .seed = 1};
    lane_make(l, &desc, NULL, 0, 0, 0);
    assert_int_equal(l->contract->sample_count, SAMPLES);
}

/* A frame at a speed along +z, with the stick to the left or ahead. */
static void frame(lane *l, float speed, int left, int jump) {
    lane_set2(l, l->is->velocity, (gali_vec2){0, speed});
    lane_set_input(l, (gal_input){.move_x = left ? -1 : 0, .move_y = left ? 0 : 1, .jump = jump});
    l->phases->predict(&l->lanes);
}

static float amount(const lane *l, uint32_t sample) {
    return *lane_sample(l, GALI_RECORD_GAIT + JUMP, sample);
}

/* Every sample of the path at `frames` after the jump was asked for, of which a share is told. */
static void check_share(const lane *l, int frames, double share) {
    for (uint32_t k = 0; k < SAMPLES; k++) {
        const int after = frames + l->contract->samples[k] - TIME;
        double want = abs(after) < TIME ? 0.5 + 0.5 * cos(3.14159265358979 * (double)after / (double)TIME) : 0;
        assert_true(fabs((double)amount(l, k) - share * want) < 1e-6);
    }
}

static void check_path(const lane *l, int frames) {
    check_share(l, frames, 1);
}

static float most(const lane *l) {
    float most = 0;
    for (uint32_t k = 0; k < SAMPLES; k++) {
        most = fmaxf(most, fabsf(amount(l, k)));
    }
    return most;
}

static void test_runs_along_the_path(void **unused) {
    (void)unused;
    lane s;
    start(&s, with_jumps);
    frame(&s, 2, 0, 0);
    assert_true(most(&s) == 0);
    for (int f = 0; f <= 2 * TIME + PAST; f++) {
        frame(&s, 2, 0, f < 3); /* asked for three times, begun once */
        check_path(&s, f);
    }
    assert_true(most(&s) == 0);
    frame(&s, 2, 0, 1);
    check_path(&s, 0); /* and again */
    gali_step_reset(s.phases, &s.lanes, LANE, (gali_start){.facing = {0, 1}});
    frame(&s, 2, 0, 0);
    assert_true(most(&s) == 0);
    lane_free(&s);
}

/* A path that tells it by and by, so that the network does not come to another pose within a frame. */
static void test_is_told_by_and_by(void **unused) {
    (void)unused;
    lane s;
    start(&s, "gait jump jump\nrule jump_time 12\nrule jump_speed 1\nrule jump_ease 4\n");
    frame(&s, 2, 0, 0);
    assert_true(most(&s) == 0);
    for (int f = 0; f <= 2 * TIME + PAST; f++) {
        frame(&s, 2, 0, f == 0);
        check_share(&s, f, f < 4 ? (f + 1) / 4.0 : 1);
    }
    frame(&s, 2, 0, 1);
    check_share(&s, 0, 0.25);
    lane_free(&s);
}

static void test_needs_speed_and_a_gait(void **unused) {
    (void)unused;
    static const char *const without[] = {"gait jump jump\nrule jump_speed 1\n",
                                          "rule jump_time 12\ngait x none\n"};
    lane s;
    start(&s, with_jumps);
    frame(&s, 0.9f, 0, 1);
    assert_true(most(&s) == 0);
    frame(&s, 1, 0, 1);
    assert_true(most(&s) > 0);
    lane_free(&s);
    for (int i = 0; i < 2; i++) {
        start(&s, without[i]);
        frame(&s, 2, 0, 1);
        assert_true(most(&s) == 0);
        lane_free(&s);
    }
}

static void test_takes_no_command_until_it_lands(void **unused) {
    (void)unused;
    lane s;
    start(&s, with_jumps);
    for (int f = 0; f < 5; f++) {
        frame(&s, 2, 0, 0);
    }
    float ahead = lane_get(&s, s.is->velocity_wanted + 1), walk = lane_get(&s, s.is->gait + WALK);
    for (int f = 0; f < TIME + TIME / 2; f++) {
        frame(&s, 2, 1, f == 0);
        assert_true(lane_get(&s, s.is->velocity_wanted + 1) == ahead &&
                    lane_get(&s, s.is->gait + WALK) == walk);
    }
    frame(&s, 2, 1, 0);
    assert_true(lane_get(&s, s.is->velocity_wanted + 1) < ahead && lane_get(&s, s.is->gait + WALK) > walk);
    lane_free(&s);
}

/* A network that stops in the air: by the square of the jump's amount the root goes on as it was told. */
static void test_carries_its_way(void **unused) {
    (void)unused;
    static const char *const rules[] = {
        "gait jump jump\nrule jump_time 12\nrule jump_speed 1\n",
        "gait jump jump\nrule jump_time 12\nrule jump_speed 1\nrule jump_carry 0.5\n"};
    for (int carries = 0; carries < 2; carries++) {
        lane s;
        start(&s, rules[carries]);
        for (int f = 0; f < 5; f++) {
            frame(&s, 2, 0, 0);
        }
        assert_true(lane_get(&s, s.is->velocity_wanted + 1) > 1);
        for (int f = 0; f < 2 * TIME; f++) {
            frame(&s, 2, 0, f == 0);
            double share = 0.5 + 0.5 * cos(3.14159265358979 * (double)(f - TIME) / (double)TIME);
            float before = lane_get(&s, s.is->root + 2);
            s.phases->advance(&s.lanes); /* y is 0 */
            double want = carries * 0.5 * share * share;
            double way = (double)lane_get(&s, s.is->root + 2) - (double)before;
            double told = (double)lane_get(&s, s.is->velocity_wanted + 1);
            assert_true(fabs(way - want * told) < 1e-4);
            assert_true(fabs((double)lane_get(&s, s.is->step) - way) < 1e-4);
        }
        lane_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_along_the_path),    cmocka_unit_test(test_is_told_by_and_by),
        cmocka_unit_test(test_needs_speed_and_a_gait), cmocka_unit_test(test_takes_no_command_until_it_lands),
        cmocka_unit_test(test_carries_its_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
