/* Where the stick takes shipped characters: the way asked, at the speed asked, and a start that does not overshoot. */
#include "crowd/crowd_parts.h"
#include "motion/mannequin.h"

static gal_character_state walk(const gal_controller *controller, gal_input input, uint32_t frames) {
    gal_crowd *crowd = crowd_of(controller, 1, NULL);
    gal_character id = crowd_add(crowd, (gal_spawn){0});
    gal_crowd_set_input(crowd, id, &input);
    for (uint32_t i = 0; i < frames; i++) {
        gal_crowd_step(crowd);
    }
    gal_character_state at;
    gal_crowd_state(crowd, id, &at);
    assert_int_equal(gal_crowd_resets(crowd), 0);
    gal_crowd_destroy(crowd);
    return at;
}

/* The walker goes where the stick points, whatever the camera does, at roughly the speed asked. */
static void the_walker_goes_where_the_stick_points(void **unused) {
    (void)unused;
    static const struct {
        gal_input input;
        float angle; /* where it should go */
    } walks[] = {{{.move_y = 1}, 0},
                 {{.move_x = 1}, -1.5708f},
                 {{.move_x = -1}, 1.5708f},
                 {{.move_y = 1, .camera_yaw = 1}, 1},
                 {{.move_x = 0.7f, .move_y = 0.7f, .camera_yaw = 2}, 2 - 0.7854f}};
    gal_controller *controller = walker_open();
    float speed = gal_controller_get_info(controller).speed_walk;
    for (size_t k = 0; k < sizeof walks / sizeof *walks; k++) {
        gal_character_state at = walk(controller, walks[k].input, 240);
        double off =
            remainder((double)(atan2f(at.root.x, at.root.z) - walks[k].angle), 2 * 3.14159265358979323846);
        double turned_off = remainder((double)(at.facing - walks[k].angle), 2 * 3.14159265358979323846);
        double way = hypot((double)at.root.x, (double)at.root.z);
        if (fabs(off) > 0.6 || fabs(turned_off) > 0.6 || way < 0.3 * 4 * (double)speed ||
            way > 1.5 * 4 * (double)speed) {
            fail_msg("walk %zu: went %.0f in 4 s (%.0f a second asked), %.2f off, faces %.2f off", k, way,
                     (double)speed, off, turned_off);
        }
    }
    gal_character_state still = walk(controller, (gal_input){0}, 240);
    assert_true(hypot((double)still.root.x, (double)still.root.z) < 0.2 * (double)speed);
    gal_controller_close(controller);
}

/* Who starts to run is quick, and does not overshoot for seconds: the highest mean of 36 frames. */
static void a_start_is_quick_and_does_not_overshoot(void **unused) {
    (void)unused;
    gal_controller *controller = NULL;
    gal_error error = {0};
    assert_int_equal(gal_controller_open(&controller, GALLOP_SOURCE_DIR "/models/runner.gallop", NULL, &error),
                     GAL_OK);
    gal_crowd *crowd = crowd_of(controller, 1, NULL);
    gal_character id = crowd_add(crowd, (gal_spawn){0});
    float wanted = gal_controller_get_info(controller).speed_run, most = 0;
    enum { FRAMES = 240, SPAN = 36 };
    float at[FRAMES];
    int reached = 0;
    gal_crowd_set_input(crowd, id, &(gal_input){.move_y = 1, .run = 1});
    for (int f = 0; f < FRAMES; f++) {
        gal_character_state state;
        gal_crowd_step(crowd);
        gal_crowd_state(crowd, id, &state);
        at[f] = state.root.z;
        most = f < SPAN ? 0 : fmaxf(most, (at[f] - at[f - SPAN]) * 60 / (float)SPAN);
        reached = reached == 0 && f >= 6 && (at[f] - at[f - 6]) * 10 > 0.8f * wanted ? f : reached;
    }
    print_message("a start takes %d frames and goes up to %.2f of the speed\n", reached,
                  (double)(most / wanted));
    assert_true(reached > 0 && reached <= 30);
    assert_true(most < 1.12f * wanted); /* 1.26 where the integrator winds up in a start */
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_walker_goes_where_the_stick_points),
        cmocka_unit_test(a_start_is_quick_and_does_not_overshoot),
    };
    return cmocka_run_group_tests_name("crowd stick", tests, NULL, NULL);
}
