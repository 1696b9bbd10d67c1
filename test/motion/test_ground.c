/*
 * The shipped characters on ground that is not level: sticks thrown over on slopes let no body drop, animals tilt, no toe goes
 * through stairs; and none of it is known to the path.
 */
#define _XOPEN_SOURCE 700
#include "motion/mannequin.h"

#include <math.h>

#include "motion/controller.h"

static const float slope = 0.2679f; /* 15 degrees */

static float hillside(void *context, float x, float z) {
    (void)context;
    (void)x;
    return slope * z;
}

/* Steps of 18 cm, 30 cm deep. */
static float stairs(void *context, float x, float z) {
    (void)context;
    (void)x;
    return z < 100 ? 0 : 18 * (floorf((z - 100) / 30) + 1);
}

typedef struct run {
    gal_controller *controller;
    gal_crowd *crowd;
    gal_character who;
} run;

static run start(const char *model, gal_ground_fn ground) {
    run r = {0};
    gal_error error = {0};
    gal_spawn spawn = {.x = 0};
    if (gal_controller_open(&r.controller, model, NULL, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gal_crowd_desc desc = {.controller = r.controller, .capacity = 1, .ground = ground};
    assert_int_equal(gal_crowd_create(&r.crowd, &desc, &error), GAL_OK);
    assert_int_equal(gal_crowd_add(r.crowd, &spawn, &r.who), GAL_OK);
    return r;
}

static void end(run *r) {
    gal_crowd_destroy(r->crowd);
    gal_controller_close(r->controller);
}

/* Up the hill and thrown over every two seconds, running. */
static gal_vec3 step(run *r, int frame) {
    gal_character_state state;
    gal_crowd_set_input(r->crowd, r->who, &(gal_input){.move_y = frame / 120 % 2 ? -1.0f : 1.0f, .run = 1});
    gal_crowd_step(r->crowd);
    gal_crowd_state(r->crowd, r->who, &state);
    return state.root;
}

/* By how much the height's way of a frame changes, at most, beyond what it does where the ground is level. */
static void no_root_drops_when_the_stick_is_thrown_over(void **unused) {
    (void)unused;
    run hill = start(GALLOP_SOURCE_DIR "/models/walker.gallop", hillside);
    run flat = start(GALLOP_SOURCE_DIR "/models/walker.gallop", NULL);
    gal_vec3 a = {0}, b = {0};
    float most = 0, off = 0;
    for (int frame = 0; frame < 600; frame++) {
        gal_vec3 c = step(&hill, frame), level = step(&flat, frame);
        assert_true(hypotf(c.x - level.x, c.z - level.z) <
                    0.5f); /* the path knows of the ground by rounding alone */
        if (frame > 60) {
            most = fmaxf(most, fabsf(c.y - 2 * b.y + a.y));
            off = fmaxf(off, fabsf(c.y - slope * c.z));
        }
        a = b;
        b = c;
    }
    print_message(
        "the root's height changes its way by %.2f cm in a frame at most, and is %.2f off the hill's\n",
        (double)most, (double)off);
    assert_true(most < 1.2f && off < 3); /* 12 and 20 where it is the mean over the path */
    end(&hill);
    end(&flat);
}

/* The mean pitch of its body, walking, radians. */
static float pitch_on(gal_ground_fn ground) {
    run dog = start(GALLOP_SOURCE_DIR "/models/dog.gallop", ground);
    float pitch = 0;
    for (int frame = 0; frame < 240; frame++) {
        gal_crowd_set_input(dog.crowd, dog.who, &(gal_input){.move_y = 1});
        gal_crowd_step(dog.crowd);
        gal_vec3 ahead =
            gali_quat_turn(gal_crowd_pose(dog.crowd, dog.who, NULL)[0].rotation, (gal_vec3){0, 0, 1});
        pitch += frame < 120 ? 0 : asinf(ahead.y) / 120;
    }
    end(&dog);
    return pitch;
}

static void a_dog_tilts_with_the_slope(void **unused) {
    (void)unused;
    float tilt = pitch_on(hillside) - pitch_on(NULL);
    print_message("on 15 degrees the dog tilts by %.1f\n", (double)tilt * 57.3);
    assert_true(fabsf(tilt - atanf(slope)) < 0.035f); /* two degrees */
}

/* How deep a toe of a model is in the stairs at worst, in 15 seconds. */
static float depth_in_stairs(const char *model, float speed) {
    run who = start(model, stairs);
    const gali_contract *contract = who.controller->contract;
    float deepest = 0, highest = 0;
    for (int frame = 0; frame < 900; frame++) {
        gal_crowd_set_input(who.crowd, who.who, &(gal_input){.move_y = 1, .run = speed});
        gal_crowd_step(who.crowd);
        const gal_transform *pose = gal_crowd_pose(who.crowd, who.who, NULL);
        for (uint32_t l = 0; l < contract->leg_count; l++) {
            gal_vec3 toe = pose[contract->legs[l].toe].position;
            deepest = fmaxf(deepest, stairs(NULL, 0, toe.z) - toe.y); /* nor in a step's face */
            highest = fmaxf(highest, toe.y);
        }
    }
    print_message("%s: toes are %.2f cm in the stairs at most, %.0f up\n", model, (double)deepest,
                  (double)highest);
    assert_true(highest > 400);
    end(&who);
    return deepest;
}

static void no_toe_goes_through_stairs(void **unused) {
    (void)unused;
    assert_true(depth_in_stairs(GALLOP_SOURCE_DIR "/models/walker.gallop", 0) < 0.1f);
    assert_true(depth_in_stairs(GALLOP_SOURCE_DIR "/models/runner.gallop", 1) < 0.1f);
    assert_true(depth_in_stairs(GALLOP_SOURCE_DIR "/models/dog.gallop", 0) <
                0.1f); /* 16 where legs are drawn in */
}

/* Up and down again by stairs, or on the level, for twenty seconds. */
typedef struct going {
    float high; /* how far a toe that surely stands is over where it should at most */
    float hop;  /* by how much the first joint's way of a frame changes at most, cm */
    float jerk; /* the same of joints, seen from the first */
} going;

static float up_and_down(void *context, float x, float z) {
    return stairs(context, x, z < 400 ? z : 800 - z);
}

static void see_feet(const run *who, going *seen) {
    const gali_contract *contract = who->controller->contract;
    const gal_transform *pose = gal_crowd_pose(who->crowd, who->who, NULL);
    gal_character_state state;
    gal_crowd_state(who->crowd, who->who, &state);
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        gal_vec3 toe = pose[contract->legs[i].toe].position;
        if (state.contacts[who->controller->leg_contact[i]] > 0.95f) {
            seen->high = fmaxf(seen->high, toe.y - contract->rules.foot_toe_height);
        }
    }
}

/* A joint's place of a frame ago, and its way to there. */
typedef struct seen_joint {
    gal_vec3 at, way;
} seen_joint;

static float jerk_of(const gal_transform *pose, uint32_t joints, seen_joint *seen) {
    float most = 0;
    for (uint32_t j = 0; j < joints; j++) {
        gal_vec3 at = gali_vec3_sub(pose[j].position, pose[0].position), way = gali_vec3_sub(at, seen[j].at);
        most = fmaxf(most, gali_vec3_length(gali_vec3_sub(way, seen[j].way)));
        seen[j] = (seen_joint){at, way};
    }
    return most;
}

static going go(const char *model, gal_ground_fn ground, float run_input) {
    run who = start(model, ground);
    going seen = {0};
    gal_vec3 was = {0, 0, 0}, way = {0, 0, 0};
    seen_joint joints[GALI_JOINTS_MAX] = {{{0, 0, 0}, {0, 0, 0}}};
    for (int frame = 0; frame < 20 * 60; frame++) {
        gal_crowd_set_input(who.crowd, who.who, &(gal_input){.move_y = 1, .run = run_input});
        gal_crowd_step(who.crowd);
        const gal_transform *pose = gal_crowd_pose(who.crowd, who.who, NULL);
        gal_vec3 at = pose[0].position, now = gali_vec3_sub(at, was);
        float jerk = jerk_of(pose, who.controller->contract->joint_count, joints);
        if (frame > 60) {
            see_feet(&who, &seen);
            seen.jerk = fmaxf(seen.jerk, jerk);
            seen.hop = fmaxf(seen.hop, gali_vec3_length(gali_vec3_sub(now, way)));
        }
        was = at;
        way = now;
    }
    end(&who);
    return seen;
}

static void a_runners_toe_that_stands_is_on_the_ground(void **unused) {
    (void)unused;
    going level = go(GALLOP_SOURCE_DIR "/models/runner.gallop", NULL, 1);
    print_message("a runner's standing toes are %.2f cm over where they stand at most\n", (double)level.high);
    assert_true(level.high < 0.5f);
}

/* Feet are lifted over edges, and knees with them, by and by. */
static void no_legs_jerk_on_stairs(void **unused) {
    (void)unused;
    going walking = go(GALLOP_SOURCE_DIR "/models/runner.gallop", up_and_down, 0);
    going running = go(GALLOP_SOURCE_DIR "/models/runner.gallop", up_and_down, 1);
    going small = go(GALLOP_SOURCE_DIR "/models/walker.gallop", up_and_down, 0);
    print_message("joints change their way by %.1f cm in a frame at most, running %.1f, the walker's by %.1f\n",
                  (double)walking.jerk, (double)running.jerk, (double)small.jerk);
    assert_true(walking.jerk < 6.5f && running.jerk < 9 &&
                small.jerk < 4); /* 11 where the body went up and down with each step */
}

/* Its knees would be in the steps: the body is lifted ahead of them, and off them by and by. No leg turns over. */
static void a_dog_does_not_hop_on_stairs(void **unused) {
    (void)unused;
    going walk = go(GALLOP_SOURCE_DIR "/models/dog.gallop", up_and_down, 0);
    going gallop = go(GALLOP_SOURCE_DIR "/models/dog.gallop", up_and_down, 1);
    print_message("a dog's body changes its way by %.1f cm in a frame at most, galloping %.1f; its joints by "
                  "%.1f, %.1f\n",
                  (double)walk.hop, (double)gallop.hop, (double)walk.jerk, (double)gallop.jerk);
    assert_true(walk.hop < 2 && gallop.hop < 3);
    assert_true(walk.jerk < 8.5f &&
                gallop.jerk < 11.5f); /* 26 and 12 where legs are drawn into steps and turn over */
}

/* On the level they are lifted at once: a stick that goes round bends a dog down to its hocks. */
static void a_dogs_hocks_stay_off_the_floor(void **unused) {
    (void)unused;
    run who = start(GALLOP_SOURCE_DIR "/models/dog.gallop", NULL);
    const uint32_t joints = who.controller->contract->joint_count;
    float lowest = 100;
    for (int frame = 0; frame < 40 * 60; frame++) {
        float angle = 0.1f * (float)frame;
        gal_crowd_set_input(who.crowd, who.who,
                            &(gal_input){.move_x = sinf(angle), .move_y = cosf(angle), .run = 1});
        gal_crowd_step(who.crowd);
        const gal_transform *pose = gal_crowd_pose(who.crowd, who.who, NULL);
        for (uint32_t j = 0; frame > 60 && j < joints; j++) {
            lowest = fminf(lowest, pose[j].position.y);
        }
    }
    end(&who);
    print_message("a dog's lowest joint is %.2f cm over the floor\n", (double)lowest);
    assert_true(lowest > 1);
}

/* How far joints go in a second at most, from where they are seen at first. */
static float settles(const run *who) {
    const uint32_t joints = who->controller->contract->joint_count;
    gal_vec3 first[GALI_JOINTS_MAX];
    float most = 0;
    for (int frame = 0; frame <= 60; frame++) {
        const gal_transform *pose = gal_crowd_pose(who->crowd, who->who, NULL);
        for (uint32_t j = 0; j < joints; j++) {
            first[j] = frame == 0 ? pose[j].position : first[j];
            most = fmaxf(most, gali_vec3_length(gali_vec3_sub(pose[j].position, first[j])));
        }
        gal_crowd_step(who->crowd);
    }
    return most;
}

/* The body is as low as its legs need it, and tilts as the ground does, in the first frame that is seen. */
static void nobody_settles_where_he_is_put(void **unused) {
    (void)unused;
    static const char *const models[] = {"runner", "walker", "dog"};
    for (uint32_t i = 0; i < sizeof models / sizeof *models; i++) {
        char file[256];
        snprintf(file, sizeof file, GALLOP_SOURCE_DIR "/models/%s.gallop", models[i]);
        run level = start(file, NULL), hill = start(file, hillside);
        float flat = settles(&level), sloping = settles(&hill);
        print_message("%s: %.1f cm on the level, %.1f on a hill\n", models[i], (double)flat, (double)sloping);
        assert_true(flat < 3 && sloping < 3);
        end(&level);
        end(&hill);
    }
}

/* A kerb of ten centimetres at a metre and a half. */
static float kerb(void *context, float x, float z) {
    (void)context;
    (void)x;
    return z < 150 ? 0 : 10;
}

/*
 * A foot in the air that comes to an edge rises before it is there, so that it does not go up the edge's whole height in a
 * frame. The mannequin glides at 2 cm a frame with no foot on the ground.
 */
static void a_foot_rises_before_an_edge(void **unused) {
    (void)unused;
    const char *rules = "rule ground_reach 20\nrule ground_smooth 0.12\nrule ground_feet 1\n"
                        "rule foot_height_smooth 0.35\n";
    gal_controller *controller = mannequin_open(&(mannequin_desc){.rules = rules, .step_z = 2, .seed = 5});
    gal_crowd *crowd = crowd_of(controller, 1, kerb);
    gal_character who = crowd_add(crowd, (gal_spawn){.x = 0});
    const uint32_t toe = controller->contract->legs[0].toe;
    float early = 0, before = 0, most = 0, was = 0;
    for (int frame = 0; frame < 120; frame++) {
        gal_crowd_set_input(crowd, who, &(gal_input){.move_y = 1});
        gal_crowd_step(crowd);
        gal_vec3 at = gal_crowd_pose(crowd, who, NULL)[toe].position;
        early = at.z < 146 ? at.y : early;
        before = at.z < 150 ? at.y : before;
        most = frame > 0 ? fmaxf(most, at.y - was) : 0;
        was = at.y;
    }
    print_message(
        "4 cm before the edge a toe is %.1f cm up, there %.1f, and rises by %.1f in a frame at most\n",
        (double)early, (double)before, (double)most);
    assert_true(early > 5 && before > 10 && most < 4); /* 4, 4.5 and 9.5 where nothing is seen ahead */
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
}

/* Fifteen centimetres down at a metre and a half. */
static float drop(void *context, float x, float z) {
    (void)context;
    (void)x;
    return z < 150 ? 0 : -15;
}

/* Where a heel is still over a step and its toe beyond the edge, the toe waits in the air. The mannequin glides. */
static void no_foot_stands_on_its_tip_at_an_edge(void **unused) {
    (void)unused;
    const char *rules = "rule ground_reach 20\nrule ground_smooth 0.12\nrule ground_feet 1\n"
                        "rule foot_height_smooth 0.35\n";
    gal_controller *controller = mannequin_open(&(mannequin_desc){.rules = rules, .step_z = 2, .seed = 5});
    gal_crowd *crowd = crowd_of(controller, 1, drop);
    gal_character who = crowd_add(crowd, (gal_spawn){.x = 0});
    const gali_leg *leg = &controller->contract->legs[0];
    float level = 0, most = 0, low = 0;
    for (int frame = 0; frame < 120; frame++) {
        gal_crowd_set_input(crowd, who, &(gal_input){.move_y = 1});
        gal_crowd_step(crowd);
        gal_vec3 heel = gal_crowd_pose(crowd, who, NULL)[leg->heel].position;
        gal_vec3 toe = gal_crowd_pose(crowd, who, NULL)[leg->toe].position;
        level = frame == 30 ? heel.y - toe.y : level;
        most = fmaxf(most, heel.y - toe.y);
        low = toe.y;
    }
    print_message("a toe hangs %.1f cm under its heel, at the edge %.1f at most\n", (double)level,
                  (double)most);
    assert_true(most < level + 7 && low < 0);
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
}

/* The same steps as `stairs`, down. */
static float stairs_down(void *context, float x, float z) {
    return -stairs(context, x, z);
}

/* How deep a bone is in the edges of steps, but for a centimetre beside them. */
static float depth_of_bone(gal_vec3 from, gal_vec3 to) {
    float deep = 0;
    for (int i = 1; i < 16; i++) {
        gal_vec3 at = gali_vec3_mix(from, to, (float)i / 16);
        deep = fmaxf(deep, stairs_down(NULL, at.x, at.z + 1) - at.y);
    }
    return deep;
}

/* Down stairs a leg leans back over the step above its foot, which comes down off its face. */
static void a_dogs_shanks_stay_off_edges(void **unused) {
    (void)unused;
    run dog = start(GALLOP_SOURCE_DIR "/models/dog.gallop", stairs_down);
    const gali_contract *contract = dog.controller->contract;
    float deepest = 0, frames = 0;
    for (int frame = 0; frame < 1800; frame++) {
        float deep = 0;
        gal_crowd_set_input(dog.crowd, dog.who, &(gal_input){.move_y = 1});
        gal_crowd_step(dog.crowd);
        const gal_transform *pose = gal_crowd_pose(dog.crowd, dog.who, NULL);
        for (uint32_t l = 0; l < contract->leg_count; l++) {
            const gali_leg *leg = &contract->legs[l];
            deep = fmaxf(deep, depth_of_bone(pose[leg->knee].position, pose[leg->heel].position));
        }
        deepest = fmaxf(deepest, deep);
        frames += deep > 2;
    }
    end(&dog);
    print_message("down stairs a dog's shank is %.1f cm in an edge at most, over 2 in %.1f of 100 frames\n",
                  (double)deepest, (double)frames / 18);
    assert_true(deepest < 8 && frames < 0.15f * 1800);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_root_drops_when_the_stick_is_thrown_over),
        cmocka_unit_test(a_dog_tilts_with_the_slope),
        cmocka_unit_test(no_toe_goes_through_stairs),
        cmocka_unit_test(a_foot_rises_before_an_edge),
        cmocka_unit_test(no_foot_stands_on_its_tip_at_an_edge),
        cmocka_unit_test(a_runners_toe_that_stands_is_on_the_ground),
        cmocka_unit_test(no_legs_jerk_on_stairs),
        cmocka_unit_test(a_dog_does_not_hop_on_stairs),
        cmocka_unit_test(a_dogs_hocks_stay_off_the_floor),
        cmocka_unit_test(a_dogs_shanks_stay_off_edges),
        cmocka_unit_test(nobody_settles_where_he_is_put),
    };
    return cmocka_run_group_tests_name("ground", tests, NULL, NULL);
}
