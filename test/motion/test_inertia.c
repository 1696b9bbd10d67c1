/* Inertia: what the predicted pose jumps by is made up for in time, and a steady one is shown as it is. */
#include "crowd/crowd_parts.h"
#include "lane.h"

/* ---- one joint, by hand ---- */

static const char hatstand[] = "gallop-contract 1\nname hatstand\nrate 60\nunit 0.01\n"
                               "joint Pole - 0 100 0\njoint Arm Pole 0 50 0\njoint End Arm 30 0 0\n"
                               "samples 0\nfuture 10\n"
                               "rule inertia_jump 3\nrule inertia_time 8\n"
                               "input trajectory.position.x\noutput joint.position\n";

enum { STAND_JOINTS = 3 };

/* The pose predicted with the arm turned about +y by an angle. */
static void predict(lane *s, float angle) {
    gal_quat turn = gali_quat_from_axis((gal_vec3){0, 1, 0}, angle);
    gal_vec3 arm = {0, 150, 0}, end = gali_quat_turn(turn, (gal_vec3){30, 0, 0});
    lane_set_pose(s, 0, (gal_transform){{0, 100, 0}, {0, 0, 0, 1}});
    lane_set_pose(s, 1, (gal_transform){arm, turn});
    lane_set_pose(s, 2, (gal_transform){gali_vec3_add(arm, end), turn});
}

static void set_up(lane *s) {
    static const mannequin_desc desc = {.contract = hatstand, .seed = 1};
    lane_make(s, &desc, NULL, 0, 0, 0);
    predict(s, 0);
    s->phases->start_inertia(&s->lanes);
}

static void pose_of(const lane *s, gal_transform pose[STAND_JOINTS]) {
    for (uint32_t j = 0; j < STAND_JOINTS; j++) {
        pose[j] = lane_pose(s, j);
    }
}

static float shown_angle(const lane *s) {
    gal_quat turn = lane_pose(s, 1).rotation;
    return 2 * atan2f(turn.y, turn.w);
}

static void a_jump_is_made_up_for_in_time(void **unused) {
    (void)unused;
    lane s;
    set_up(&s);
    float last = 0, fastest = 0, change = 0, way = 0, half = 0;
    for (int frame = 1; frame <= 90; frame++) {
        predict(&s, 1); /* from the first frame on */
        s.phases->apply_inertia(&s.lanes);
        float angle = shown_angle(&s), now = angle - last;
        change = fmaxf(change, fabsf(now - way));
        fastest = fmaxf(fastest, now);
        half = half == 0 && angle > 0.5f ? (float)frame : half;
        way = now;
        last = angle;
        assert_true(angle < 1.0001f);
    }
    print_message("an arm that jumps by 1: half after %.0f frames, at most %.3f a frame, changing by %.3f\n",
                  (double)half, (double)fastest, (double)change);
    assert_true(half >= 7 && half <= 9);      /* inertia_time is 8 */
    assert_true(change < 3.0f / 30 + 0.001f); /* inertia_jump over the arm's length */
    predict(&s, 1);
    gal_transform predicted[STAND_JOINTS], shown[STAND_JOINTS];
    pose_of(&s, predicted);
    s.phases->apply_inertia(&s.lanes);
    pose_of(&s, shown);
    assert_memory_equal(shown, predicted, sizeof predicted); /* made up for to the last bit */
    lane_free(&s);
}

/* Motion that changes by less than the rule says is shown as predicted, fast as it may be. */
static void a_smooth_motion_is_shown_as_it_is(void **unused) {
    (void)unused;
    lane s;
    set_up(&s);
    for (int frame = 1; frame <= 200; frame++) {
        gal_transform predicted[STAND_JOINTS], shown[STAND_JOINTS];
        predict(&s, 2 * (1 - cosf(0.2f * (float)frame)));
        pose_of(&s, predicted);
        s.phases->apply_inertia(&s.lanes);
        pose_of(&s, shown);
        assert_memory_equal(shown, predicted, sizeof predicted);
    }
    lane_free(&s);
}

/* A root that runs, and jumps on by a stride in one frame: the body goes on and makes up for it. */
static void a_root_that_jumps_does_not_take_the_body_along(void **unused) {
    (void)unused;
    lane s;
    set_up(&s);
    const uint32_t z = s.controller->layout.root + 2;
    float root = 0, last = 0, way = 0, change = 0;
    for (int frame = 1; frame <= 120; frame++) {
        root += frame == 60 ? 30.0f : 2.0f;
        lane_set(&s, z, root);
        predict(&s, 0);
        for (uint32_t j = 0; j < STAND_JOINTS; j++) {
            gal_transform at = lane_pose(&s, j);
            at.position.z += root;
            lane_set_pose(&s, j, at);
        }
        s.phases->apply_inertia(&s.lanes);
        float now = lane_pose(&s, 0).position.z - last;
        change = frame > 5 ? fmaxf(change, fabsf(now - way)) : 0;
        way = now;
        last += now;
    }
    print_message("a root jumps by 28: the body's way changes by %.2f in a frame\n", (double)change);
    assert_true(change < 3.01f); /* inertia_jump */
    assert_true(fabsf(last - root) < 1e-3f);
    lane_free(&s);
}

/*
 * A network that was hardly trained throws a body many metres off in a frame: that is made up for as any jump is, and no
 * number of it is out of range, whatever the rule.
 */
static void a_jump_of_many_metres_is_in_range(void **unused) {
    (void)unused;
    static const float jumps[] = {0.01f, 3, 50, 1000};
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        lane s;
        uint32_t lost = 0;
        gal_transform predicted[STAND_JOINTS], shown[STAND_JOINTS];
        set_up(&s);
        s.controller->contract->rules.inertia_jump = jumps[i];
        s.lanes.lost = &lost;
        for (int frame = 0; frame < 400; frame++) {
            predict(&s, 0);
            for (uint32_t j = 0; j < STAND_JOINTS; j++) {
                gal_transform at = lane_pose(&s, j);
                at.position.x += frame < 20 && frame % 5 < 3 ? 20000.0f : -4000.0f;
                lane_set_pose(&s, j, at);
            }
            pose_of(&s, predicted);
            s.phases->apply_inertia(&s.lanes);
            s.phases->show(&s.lanes);
            assert_int_equal(lost, 0);
        }
        pose_of(&s, shown);
        if (jumps[i] >= 3) { /* what may change its way by so little is still on it */
            assert_memory_equal(shown, predicted, sizeof predicted);
        }
        lane_free(&s);
    }
}

/*
 * A chain whose every joint swings the other way in each frame: neither how far its end goes nor how that changes adds up along
 * the chain.
 */
static void what_joints_of_a_chain_do_does_not_add_up(void **unused) {
    (void)unused;
    static const char chain[] = "gallop-contract 1\nname chain\nrate 60\nunit 0.01\njoint A - 0 100 0\n"
                                "joint B A 10 0 0\njoint C B 10 0 0\njoint D C 10 0 0\njoint E D 10 0 0\n"
                                "samples 0\nfuture 10\nrule inertia_jump 2\nrule inertia_way 5\n"
                                "input trajectory.position.x\noutput joint.position\n";
    static const mannequin_desc desc = {.contract = chain, .seed = 1};
    lane s;
    gal_vec3 last = {40, 100, 0}, way = {0};
    float longest = 0, change = 0;
    lane_make(&s, &desc, NULL, 0, 0, 0);
    for (int frame = 0; frame < 200; frame++) {
        gal_vec3 at = {0, 100, 0};
        float angle = 0;
        for (uint32_t j = 0; j < 5; j++) {
            angle += frame > 0 && frame / 12 % 2 ? -0.5f : 0.5f * (float)(frame > 0);
            gal_quat turn = gali_quat_from_axis((gal_vec3){0, 1, 0}, angle);
            lane_set_pose(&s, j, (gal_transform){at, turn});
            at = gali_vec3_add(at, gali_quat_turn(turn, (gal_vec3){10, 0, 0}));
        }
        if (frame == 0) {
            s.phases->start_inertia(&s.lanes);
        }
        s.phases->apply_inertia(&s.lanes);
        gal_vec3 end = lane_pose(&s, 4).position, now = gali_vec3_sub(end, last);
        longest = fmaxf(longest, gali_vec3_length(now));
        change = fmaxf(change, gali_vec3_length(gali_vec3_sub(now, way)));
        way = now;
        last = end;
    }
    print_message("the end of a chain goes %.2f a frame, changing by %.2f\n", (double)longest, (double)change);
    assert_true(longest < 5.02f);       /* it was 5.5 where each turn kept to that by itself */
    assert_true(change < 2 * 2.1f + 1); /* the sum of bones over what hangs on them: 1/4 + 1/3 + 1/2 + 1 */
    lane_free(&s);
}

/* ---- a foot that lands ---- */

/* A body that stands, its left foot as far behind the right one as `back` says, on the ground or not. */
static void predict_step(lane *l, float back, float contact) {
    for (uint32_t j = 0; j < MANNEQUIN_JOINTS; j++) {
        gal_vec3 at = mannequin_stands(j);
        at.z -= j == 3 || j == 4 ? back : j == 2 ? 0.5f * back : 0; /* heel and toe; the knee */
        lane_set_pose(l, j, (gal_transform){at, {0, 0, 0, 1}});
    }
    for (uint32_t i = 0; i < 4; i++) { /* of heels and toes, the left leg's first */
        lane_set(l, l->is->contact + i, i < 2 ? contact : 1);
    }
}

/*
 * A foot is predicted to stand in the frame in which it came by 8 cm: it brakes, and is held where it comes to rest. Who saw it
 * make up for the rest saw it slide.
 */
static void a_foot_that_lands_does_not_slide_to_its_place(void **unused) {
    (void)unused;
    static const char *const grounds[] = {
        "", "rule ground_reach 20\nrule ground_smooth 0.12\nrule ground_feet 1\n"};
    for (size_t g = 0; g < sizeof grounds / sizeof *grounds; g++) {
        char rules[256];
        snprintf(rules, sizeof rules, "rule inertia_jump 3\nrule inertia_time 8\n%s", grounds[g]);
        lane l;
        lane_make(&l, &(mannequin_desc){.rules = rules, .seed = 1}, NULL, 0, 0, 0);
        lane_set(&l, l.is->foot_lock, 1);
        lane_set(&l, l.is->frames, 1);
        const uint32_t toe = (uint32_t)l.contract->legs[0].toe;
        float slid = 0, stood = 0, last = 0;
        for (int frame = 0; frame < 40; frame++) {
            predict_step(&l, frame < 5 ? 40 - 8.0f * (float)frame : 0, frame < 5 ? 0 : 1);
            l.phases->lock_feet(&l.lanes);
            float z = lane_pose(&l, toe).position.z;
            int on = frame >= 5 && lane_get(&l, l.is->foot_lifted) < 0.5f;
            slid += on ? fabsf(z - last) : 0;
            stood += (float)on;
            last = z;
        }
        print_message(
            "a foot that lands at 8 cm a frame slides by %.3f cm in %.0f frames, %.1f from its place\n",
            (double)slid, (double)stood, (double)(mannequin_stands(toe).z - last));
        assert_true(stood > 25 && slid < 0.05f);
        lane_free(&l);
    }
}

/* ---- the walker ---- */

/* The shipped walker; with `inertia` 0, without the rule. */
static gal_controller *walker(float inertia) {
    gal_controller *controller = walker_open();
    assert_true(controller->contract->rules.inertia_jump > 0);
    controller->contract->rules.inertia_jump *= inertia; /* not in use yet */
    return controller;
}

typedef struct root_frame {
    gal_vec3 origin;
    gali_vec2 facing;
} root_frame;

/* The largest change of a joint's motion in a frame, in the root frame. */
static float jump_of(const gal_transform *pose, root_frame root, gal_vec3 *last, gal_vec3 *way,
                     uint32_t joints) {
    float most = 0;
    for (uint32_t j = 0; j < joints; j++) {
        gal_vec3 at = gali_vec3_unturn(root.facing, gali_vec3_sub(pose[j].position, root.origin));
        gal_vec3 now = gali_vec3_sub(at, last[j]);
        most = fmaxf(most, gali_vec3_length(gali_vec3_sub(now, way[j])));
        way[j] = now;
        last[j] = at;
    }
    return most;
}

/* Runs ahead, and back at once: the same path, a pose without the jump. */
static void a_stick_thrown_over_does_not_show(void **unused) {
    (void)unused;
    float most[2] = {0, 0};
    gal_character_state end[2];
    for (int on = 0; on < 2; on++) {
        gal_controller *controller = walker((float)on);
        gal_crowd *crowd = crowd_of(controller, 1, NULL);
        gal_character id = crowd_add(crowd, (gal_spawn){0});
        gal_vec3 last[GALI_JOINTS_MAX], way[GALI_JOINTS_MAX];
        root_frame root = {{0, 0, 0}, {0, 1}};
        for (int frame = 0; frame < 400; frame++) {
            gal_crowd_set_input(crowd, id, &(gal_input){.move_y = frame / 70 % 2 ? -1.0f : 1.0f, .run = 1});
            gal_crowd_step(crowd);
            uint32_t joints;
            const gal_transform *pose = gal_crowd_pose(crowd, id, &joints);
            float jump = jump_of(pose, root, last, way, joints);
            most[on] = frame > 5 ? fmaxf(most[on], jump) : 0;
            gal_crowd_state(crowd, id, &end[on]);
            root = (root_frame){end[on].root, gali_facing_from_angle(end[on].facing)};
        }
        gal_crowd_destroy(crowd);
        gal_controller_close(controller);
    }
    print_message("walker turned about: joints jump by %.1f cm, with inertia by %.1f\n", (double)most[0],
                  (double)most[1]);
    assert_true(most[0] > 20 && most[1] < 7); /* it was 13 where a turn carried along what hangs on it */
    assert_memory_equal(&end[0].root, &end[1].root, sizeof end[0].root);
    assert_true(end[0].phase == end[1].phase && end[0].facing == end[1].facing);
}

static void a_steady_walk_is_shown_as_predicted(void **unused) {
    (void)unused;
    static const gal_input sticks[3] = {{.move_y = 1}, {.move_y = 1, .run = 1}, {.move_x = -1, .strafe = 1}};
    gal_controller *plain = walker(0), *inert = walker(1);
    gal_crowd *crowds[2] = {crowd_of(plain, 3, NULL), crowd_of(inert, 3, NULL)};
    gal_character ids[2][3];
    for (int k = 0; k < 6; k++) {
        ids[k / 3][k % 3] = crowd_add(crowds[k / 3], (gal_spawn){.x = 100.0f * (float)(k % 3)});
        gal_crowd_set_foot_lock(crowds[k / 3], ids[k / 3][k % 3], 0);
        gal_crowd_set_input(crowds[k / 3], ids[k / 3][k % 3], &sticks[k % 3]);
    }
    for (int frame = 0; frame < 400; frame++) {
        gal_crowd_step(crowds[0]);
        gal_crowd_step(crowds[1]);
        for (int i = 0; i < 3 && frame >= 200; i++) {
            uint32_t joints;
            const gal_transform *a = gal_crowd_pose(crowds[0], ids[0][i], &joints);
            assert_memory_equal(a, gal_crowd_pose(crowds[1], ids[1][i], NULL), joints * sizeof *a);
        }
    }
    gal_crowd_destroy(crowds[0]);
    gal_crowd_destroy(crowds[1]);
    gal_controller_close(plain);
    gal_controller_close(inert);
}

/* Steps of 18 cm, half a metre deep. */
static float stairs(void *context, float x, float z) {
    (void)context;
    (void)x;
    return 18 * floorf(z / 50);
}

static float slope(void *context, float x, float z) {
    (void)context;
    (void)x;
    return 0.5f * z;
}

static float steep(void *context, float x, float z) {
    (void)context;
    (void)x;
    return -0.577f * z; /* 30 degrees down */
}

static float steep_up(void *context, float x, float z) {
    return -steep(context, x, z);
}

/* How much a joint's way and the body's change in a frame at most. */
typedef struct changes {
    float most, body;
} changes;

/* While foot locks are switched, and the stick is thrown over, every so many frames. */
static changes change_of(const char *model, gal_ground_fn ground, gal_input input, int every, int over) {
    char path[512];
    gal_controller *controller;
    gal_error error = {0};
    snprintf(path, sizeof path, "%s/models/%s.gallop", GALLOP_SOURCE_DIR, model);
    assert_int_equal(gal_controller_open(&controller, path, NULL, &error), GAL_OK);
    gal_crowd *crowd = crowd_of(controller, 1, ground);
    gal_character id = crowd_add(crowd, (gal_spawn){0});
    gal_vec3 last[GALI_JOINTS_MAX] = {{0}}, way[GALI_JOINTS_MAX] = {{0}};
    gal_vec3 body = {0}, body_way = {0};
    root_frame root = {{0, 0, 0}, {0, 1}};
    changes most = {0, 0};
    for (int frame = 0; frame < 600 || (over < 600 && frame < 8 * over); frame++) {
        gal_character_state now;
        uint32_t joints;
        gal_input stick = input;
        stick.move_y = frame / over % 2 ? -input.move_y : input.move_y;
        gal_crowd_set_input(crowd, id, &stick);
        gal_crowd_set_foot_lock(crowd, id, frame / every % 2 == 0);
        gal_crowd_step(crowd);
        const gal_transform *pose = gal_crowd_pose(crowd, id, &joints);
        gal_crowd_state(crowd, id, &now);
        root_frame next = {now.root, gali_facing_from_angle(now.facing)};
        /* a body of hinges is shown at the root of now, a predicted one at that of its prediction */
        root_frame at = controller->contract->hinge_count ? next : root;
        changes jump = {jump_of(pose, at, last, way, joints), jump_of(pose, at, &body, &body_way, 1)};
        if (frame > 100) {
            most = (changes){fmaxf(most.most, jump.most), fmaxf(most.body, jump.body)};
        }
        root = next;
    }
    print_message("%s, locks switched every %d, the stick every %d: joints change their way by %.1f cm in a "
                  "frame, the body by %.1f\n",
                  model, every, over, (double)most.most, (double)most.body);
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
    return most;
}

static const int never = 1000;

static changes change_of_switched(const char *model, gal_ground_fn ground, gal_input input, int every) {
    return change_of(model, ground, input, every, never);
}

/* Foot locking that is switched off and on again lays the pose on the ground and off, by and by, and tilts an animal with it. */
static void a_lock_that_is_switched_eases_in(void **unused) {
    (void)unused;
    const gal_input walk = {.move_y = 1}, run = {.move_y = 1, .run = 1};
    changes walker_walks = change_of_switched("walker", stairs, walk, 37),
            walker_runs = change_of_switched("walker", stairs, run, 40);
    assert_true(walker_walks.most < 5 &&
                walker_runs.most < 5); /* 6.7 and 5.7: another place was taken for a way to it */
    assert_true(walker_walks.body < 2.2f && walker_runs.body < 2.2f);
    assert_true(change_of_switched("runner", slope, walk, 31).body <
                2.2f); /* 6.0 where the body went as fast as a foot */
    assert_true(change_of_switched("runner", stairs, walk, 46).most <
                8); /* 13.2: a leg was stretched at once */
    assert_true(change_of_switched("dog", slope, walk, 22).most <
                6); /* 10.6 as of the walker, 22 tilting at once */
    assert_true(change_of_switched("dog", stairs, walk, 52).most < 8); /* 8.5, and 27 */
}

/* A leg that reaches for the ground down a slope is straight before its foot is there: its knee brakes on the way. */
static void a_knee_brakes_before_its_leg_is_straight(void **unused) {
    (void)unused;
    const gal_input run = {.move_y = 1, .run = 1}, walk = {.move_y = 1};
    assert_true(change_of_switched("runner", steep, run, never).most < 9);
    assert_true(change_of_switched("walker", steep, walk, never).most < 4.5f);
}

/* One that bends where a run down a slope is thrown over, out of a straight leg, does not snap. */
static void a_knee_bends_by_and_by_where_a_run_is_thrown_over(void **unused) {
    (void)unused;
    assert_true(change_of("runner", steep_up, (gal_input){.move_y = 1, .run = 1}, never, 240).most < 10.1f);
}

/* How surely feet are said to be off the ground, the one that is most. */
static float most_lifted(const gal_crowd *crowd, const gal_controller *controller) {
    float most = 0;
    for (uint32_t i = 0; i < controller->contract->leg_count; i++) {
        most = fmaxf(most, gali_bank_get(&crowd->groups[0].banks[0], controller->layout.foot_lifted + i, 0));
    }
    return most;
}

/* Who stands is on the ground, with locks and without: a foot that was off it when they were switched off is not for ever. */
static void a_foot_without_a_lock_comes_down(void **unused) {
    (void)unused;
    gal_controller *controller;
    assert_int_equal(gal_controller_open(&controller, GALLOP_SOURCE_DIR "/models/runner.gallop", NULL, NULL),
                     GAL_OK);
    gal_crowd *crowd = crowd_of(controller, 1, NULL);
    gal_character id = crowd_add(crowd, (gal_spawn){0});
    gal_crowd_set_input(crowd, id, &(gal_input){.move_y = 1, .run = 1});
    for (int frame = 0; frame < 120; frame++) {
        gal_crowd_step(crowd);
    }
    assert_true(most_lifted(crowd, controller) == 1);
    gal_crowd_set_foot_lock(crowd, id, 0);
    gal_crowd_set_input(crowd, id, &(gal_input){0});
    for (int frame = 0; frame < 180; frame++) {
        gal_crowd_step(crowd);
    }
    assert_true(most_lifted(crowd, controller) < 0.3f); /* 1 before; 0.2 by the contact of who stands */
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jump_is_made_up_for_in_time),
        cmocka_unit_test(a_smooth_motion_is_shown_as_it_is),
        cmocka_unit_test(a_root_that_jumps_does_not_take_the_body_along),
        cmocka_unit_test(a_jump_of_many_metres_is_in_range),
        cmocka_unit_test(what_joints_of_a_chain_do_does_not_add_up),
        cmocka_unit_test(a_foot_that_lands_does_not_slide_to_its_place),
        cmocka_unit_test(a_stick_thrown_over_does_not_show),
        cmocka_unit_test(a_steady_walk_is_shown_as_predicted),
        cmocka_unit_test(a_lock_that_is_switched_eases_in),
        cmocka_unit_test(a_knee_brakes_before_its_leg_is_straight),
        cmocka_unit_test(a_knee_bends_by_and_by_where_a_run_is_thrown_over),
        cmocka_unit_test(a_foot_without_a_lock_comes_down),
    };
    return cmocka_run_group_tests_name("motion inertia", tests, NULL, NULL);
}
