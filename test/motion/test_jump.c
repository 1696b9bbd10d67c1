/* Jumps (jump.h): when one begins, what the network is told of it, and what else counts meanwhile. */
#include "mannequin.h"
#include "motion/jump.h"
#include "motion/trajectory.h"

enum { PAST = 30, WINDOW = 70, GAITS = 5, JUMP = 4, TIME = 12 };

static const char with_jumps[] = "gait jump jump\nrule jump_time 12\nrule jump_speed 1\n";

typedef struct state {
    gali_contract *contract;
    gali_character character;
    gal_vec3 path[WINDOW];
    gali_vec2 direction[WINDOW], velocity[WINDOW];
    float gait[WINDOW * GAITS];
} state;

static const gali_ground flat = {NULL, NULL};

static void start(state *s, const char *rules) {
    mannequin_desc desc = {.rules = rules};
    char *text = mannequin_text(&desc);
    memset(s, 0, sizeof *s);
    s->contract = mannequin_contract(text);
    free(text);
    s->character.path.position = s->path;
    s->character.path.direction = s->direction;
    s->character.path.velocity = s->velocity;
    s->character.path.gait = s->gait;
    s->character.speed_factor = 1;
    gali_trajectory_reset(&s->character, s->contract, &flat, 0, 0, gali_facing_from_angle(0));
}

/* A frame at a speed along +z, with the stick to the left or ahead. */
static void frame(state *s, float speed, int left, int jump) {
    s->velocity[PAST] = (gali_vec2){0, speed};
    s->character.input = (gal_input){.move_x = left ? -1 : 0, .move_y = left ? 0 : 1, .jump = jump};
    gali_trajectory_predict(&s->character, s->contract, &flat);
}

static float amount(const state *s, int offset) {
    return s->gait[(PAST + offset) * GAITS + JUMP];
}

/* Every sample of the path at `frames` after the jump was asked for. */
static void check_path(const state *s, int frames) {
    for (int offset = -PAST; offset < WINDOW - PAST; offset++) {
        const int after = frames + offset - TIME;
        double want = abs(after) < TIME ? 0.5 + 0.5 * cos(3.14159265358979 * (double)after / (double)TIME) : 0;
        assert_float_equal((double)amount(s, offset), want, 1e-6);
    }
}

static float most(const state *s) {
    float most = 0;
    for (int offset = -PAST; offset < WINDOW - PAST; offset++) {
        most = fmaxf(most, fabsf(amount(s, offset)));
    }
    return most;
}

static void test_runs_along_the_path(void **unused) {
    (void)unused;
    state s;
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
    gali_trajectory_reset(&s.character, s.contract, &flat, 0, 0, gali_facing_from_angle(0));
    frame(&s, 2, 0, 0);
    assert_true(most(&s) == 0);
    gali_contract_release(s.contract, NULL);
}

static void test_needs_speed_and_a_gait(void **unused) {
    (void)unused;
    static const char *const without[] = {"gait jump jump\nrule jump_speed 1\n",
                                          "rule jump_time 12\ngait x none\n"};
    state s;
    start(&s, with_jumps);
    frame(&s, 0.9f, 0, 1);
    assert_true(most(&s) == 0);
    frame(&s, 1, 0, 1);
    assert_true(most(&s) > 0);
    gali_contract_release(s.contract, NULL);
    for (int i = 0; i < 2; i++) {
        start(&s, without[i]);
        frame(&s, 2, 0, 1);
        assert_true(most(&s) == 0);
        gali_contract_release(s.contract, NULL);
    }
}

static void test_takes_no_command_until_it_lands(void **unused) {
    (void)unused;
    state s;
    start(&s, with_jumps);
    for (int f = 0; f < 5; f++) {
        frame(&s, 2, 0, 0);
    }
    float ahead = s.character.velocity_wanted.z, walk = s.gait[PAST * GAITS + 1];
    for (int f = 0; f < TIME + TIME / 2; f++) {
        frame(&s, 2, 1, f == 0);
        assert_true(s.character.velocity_wanted.z == ahead && s.gait[PAST * GAITS + 1] == walk);
    }
    frame(&s, 2, 1, 0);
    assert_true(s.character.velocity_wanted.z < ahead && s.gait[PAST * GAITS + 1] > walk);
    gali_contract_release(s.contract, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_along_the_path),
        cmocka_unit_test(test_needs_speed_and_a_gait),
        cmocka_unit_test(test_takes_no_command_until_it_lands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
