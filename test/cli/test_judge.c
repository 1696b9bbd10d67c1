/* The judge's measures: what jumps is seen to jump, what jumps with its legs is seen to fly. */
#include "judge/measure.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "judge/stages.h"
#include "motion/controller.h"
#include "space.h"

enum { FRAMES = 60 * 10 };

static gal_controller *model(const char *path) {
    gal_controller *controller;
    gal_error error = {0};
    if (gal_controller_open(&controller, path, NULL, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return controller;
}

static const gali_judge_script *script_named(const char *name) {
    for (uint32_t i = 0; i < gali_judge_script_count; i++) {
        if (strcmp(gali_judge_scripts[i].name, name) == 0) {
            return &gali_judge_scripts[i];
        }
    }
    fail_msg("no script %s", name);
    return NULL;
}

/* These scripts on flat ground, up to a NULL, run without and with foot locking. */
static gali_judge_stage run_scripts(gal_controller *controller, const char *const *names) {
    gali_judge_stage stage;
    gali_judge_cost cost = {0};
    gal_error error = {0};
    if (gali_judge_stage_make(&stage, controller, FRAMES, GALI_GROUND_FLAT, GALI_JUDGE_FREE | GALI_JUDGE_LOCKED,
                              &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    for (; *names; names++) {
        for (int lock = 0; lock < 2; lock++) {
            const gali_judge_trace *trace = gali_judge_stage_find(&stage, script_named(*names), lock);
            if (gali_judge_stage_run(&stage, (uint32_t)(trace - stage.traces), 1, &cost, &error) != GAL_OK) {
                fail_msg("%s: %s", *names, error.message);
            }
        }
    }
    return stage;
}

static gali_judge_figures figures_of(const gali_judge_stage *stage, const char *name) {
    const gali_judge_script *script = script_named(name);
    const gali_judge_trace *free_trace = gali_judge_stage_find(stage, script, 0);
    const gali_judge_trace *locked = gali_judge_stage_find(stage, script, 1);
    return gali_judge_measure(stage->controller->contract, FRAMES, stage->feet, free_trace, free_trace, locked);
}

static void jumping_poses_are_seen_and_side_starts_timed(void **unused) {
    (void)unused;
    static const char *const names[] = {"walk", "reversals", "reversals run", "stop and go side", NULL};
    double jump[2], turned[2];
    for (int inertia = 0; inertia < 2; inertia++) {
        gal_controller *controller = model(GALLOP_SOURCE_DIR "/models/walker.gallop");
        controller->contract->rules.inertia_jump *= (float)inertia; /* not in use yet */
        gali_judge_stage stage = run_scripts(controller, names);
        jump[inertia] = figures_of(&stage, "reversals").jump;
        gali_judge_figures walk = figures_of(&stage, "walk");
        assert_true(walk.jump < 4 && walk.fastest > 4 && walk.fastest < 7);
        assert_true(walk.span > 12 && walk.span < 20); /* toes are lifted, hands swing */
        assert_true(figures_of(&stage, "reversals run").span > 2 * walk.span);
        turned[inertia] = figures_of(&stage, "reversals").turned;
        assert_true(walk.jump999 <= walk.jump && walk.fastest999 <= walk.fastest);
        gali_judge_figures side = figures_of(&stage, "stop and go side");
        assert_true(side.start > 0.2 && side.start < 1.2 && side.slowest >= side.start && side.slowest < 1.5);
        assert_true(side.over > -20 && side.over < 40); /* % */
        assert_true(isnan(walk.start) && isnan(walk.slowest) && isnan(walk.over));
        gali_judge_stage_release(&stage);
        gal_controller_close(controller);
    }
    print_message("walker turned about: joints jump by %.1f cm, with inertia by %.1f\n", jump[0], jump[1]);
    assert_true(jump[0] > 20 && jump[1] < 15);
    print_message("and turn by %.0f degrees, with inertia by %.0f\n", turned[0], turned[1]);
    assert_true(turned[0] > 35 && turned[1] < 17); /* its data: 14.5 */
}

/* A thigh that is shown twisted by 150 degrees, or was so at rest, which is the same seen from there. */
static void a_twisted_thigh_and_a_turning_joint_are_seen(void **unused) {
    (void)unused;
    gali_judge_figures walk[2];
    for (int twisted = 0; twisted < 2; twisted++) {
        gal_controller *controller = model(GALLOP_SOURCE_DIR "/models/walker.gallop");
        gali_contract *contract = controller->contract; /* not in use yet */
        gal_transform *thigh = (gal_transform *)&contract->joints[contract->legs[0].hip].rest;
        if (twisted) {
            gal_vec3 bone =
                gali_vec3_unit(contract->joints[contract->legs[0].knee].rest.position, (gal_vec3){0});
            thigh->rotation = gali_quat_mul(thigh->rotation, gali_quat_from_axis(bone, 150 * GALI_PI / 180));
        }
        gali_judge_stage stage = run_scripts(controller, (const char *const[]){"walk", "stand", NULL});
        walk[twisted] = figures_of(&stage, "walk");
        gali_judge_figures stand = figures_of(&stage, "stand");
        assert_true(stand.turned < 0.5 && stand.twist999 <= stand.twist && stand.span < 3);
        gali_judge_stage_release(&stage);
        gal_controller_close(controller);
    }
    assert_true(walk[0].twist < 20 && walk[1].twist > 130 && walk[1].twist <= 180);
    assert_true(walk[0].turned > 4 && walk[0].turned < 8 && walk[0].turned999 <= walk[0].turned);
    assert_true(walk[1].turned == walk[0].turned); /* a turn in a frame does not ask where rest is */
}

/* An evaluation for more frames than the contract's path has would be judged as one for each frame. */
static void an_interval_that_cannot_be_is_said(void **unused) {
    (void)unused;
    gal_controller *controller = model(GALLOP_SOURCE_DIR "/models/walker.gallop");
    gali_judge_stage stage;
    gal_error error = {0};
    assert_int_equal(gali_judge_stage_make(&stage, controller, 1, GALI_GROUND_FLAT, GALI_JUDGE_FREE, &error),
                     GAL_OK);
    stage.interval = 9;
    assert_int_equal(gali_judge_stages_run(&(gali_judge_stage *){&stage}, 1, 1, &error), GAL_BAD_DATA);
    assert_non_null(strstr(error.message, "9 frames an evaluation"));
    gali_judge_stage_release(&stage);
    gal_controller_close(controller);
}

static void who_crouches_is_asked_for_less_speed(void **unused) {
    (void)unused;
    gal_controller *runner = model(GALLOP_SOURCE_DIR "/models/runner.gallop");
    float speed[2], heading;
    assert_true(gali_judge_applies(script_named("crouch walk"), runner->contract));
    assert_true(gali_judge_input(script_named("crouch walk"), 1).crouch == 1);
    assert_true(gali_judge_input(script_named("walk"), 1).crouch == 0);
    gali_judge_wanted(script_named("walk"), runner->contract, 1, &speed[0], &heading);
    gali_judge_wanted(script_named("crouch walk"), runner->contract, 1, &speed[1], &heading);
    assert_true(fabsf(speed[1] / speed[0] - runner->contract->rules.speed_crouch) < 1e-5f);
    gal_controller_close(runner);
}

static void jumps_are_counted_where_they_can_be(void **unused) {
    (void)unused;
    gal_controller *walker = model(GALLOP_SOURCE_DIR "/models/walker.gallop");
    gal_controller *dog = model(GALLOP_SOURCE_DIR "/models/dog.gallop");
    assert_false(gali_judge_applies(script_named("jump"), walker->contract));
    assert_true(gali_judge_applies(script_named("walk"), walker->contract));
    assert_true(gali_judge_applies(script_named("jump"), dog->contract));
    assert_false(gali_judge_applies(script_named("crouch walk"), walker->contract));
    gali_judge_stage stage = run_scripts(dog, (const char *const[]){"jump", "run", "random jumps", NULL});
    gali_judge_figures jump = figures_of(&stage, "jump"), run = figures_of(&stage, "run");
    assert_true(jump.asked == 2 && jump.jumped == 2 && jump.air > 0.2 && jump.air < 1 && jump.rise > 50);
    assert_true(isnan(run.asked) && isnan(run.rise));
    assert_true(figures_of(&stage, "random jumps").lowest > 1.5); /* knee_height is 2 */
    gali_judge_stage_release(&stage);
    gal_controller_close(walker);
    gal_controller_close(dog);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumping_poses_are_seen_and_side_starts_timed),
        cmocka_unit_test(a_twisted_thigh_and_a_turning_joint_are_seen),
        cmocka_unit_test(an_interval_that_cannot_be_is_said),
        cmocka_unit_test(who_crouches_is_asked_for_less_speed),
        cmocka_unit_test(jumps_are_counted_where_they_can_be),
    };
    return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
