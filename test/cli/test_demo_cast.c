/* The demo's players, without a network: a point that goes where the stick says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "show/demo_cast.h"

enum { RANDOM = 7, RATE = 60, SECONDS = 60 };

static gali_contract person(void) {
    gali_contract contract = {.unit = 0.01f, .rate = RATE};
    contract.rules.speed_walk = 84.0f / (float)RATE;
    for (int i = 0; i < GALI_GAIT_ROLE_COUNT; i++) {
        contract.gait_of_role[i] = -1;
    }
    return contract;
}

/* Frames in which the stick is thrown over, and how far from home the point comes, in steps. */
typedef struct trip {
    uint32_t thrown;
    float furthest;
} trip;

static trip play(gali_cast *cast, uint32_t character) {
    const gal_spawn home = cast->spawns[character];
    gal_character_state state = {.root = {home.x, 0, home.z}, .facing = home.facing};
    gal_input before = {0};
    trip out = {0, 0};
    for (uint32_t frame = 0; frame < RATE * SECONDS; frame++) {
        gal_input input;
        gali_cast_play(cast, character, frame, &state, &input);
        out.thrown += hypotf(input.move_x - before.move_x, input.move_y - before.move_y) > 0.8f;
        state.root.x -= input.move_x * cast->step / (float)RATE;
        state.root.z += input.move_y * cast->step / (float)RATE;
        out.furthest = fmaxf(out.furthest, hypotf(state.root.x - home.x, state.root.z - home.z) / cast->step);
        before = input;
    }
    return out;
}

/* The random stick is thrown every 1.25 seconds; at its fence it turns back once, not in every frame. */
static void random_stick_does_not_chatter(void **state) {
    (void)state;
    static gali_cast cast;
    const gali_contract contract = person();
    gali_cast_make(&cast, &contract, GALI_CAST_MAX);
    for (uint32_t character = RANDOM; character < GALI_CAST_MAX; character += GALI_CAST_ROLES) {
        const trip out = play(&cast, character);
        assert_true(out.thrown > 10 && out.thrown < 2 * SECONDS);
        assert_true(out.furthest > 1 && out.furthest < 1.5f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_stick_does_not_chatter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
