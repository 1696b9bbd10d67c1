/* Contracts of other shapes: nothing is hard-wired to two legs, a few joints or any block but the needed ones. */
#include "motion/mannequin.h"

/* A contract's text, put together line by line. */
typedef struct text {
    char *bytes;
    size_t size;
} text;

__attribute__((format(printf, 2, 3))) static void line(text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    t->size += (size_t)vsnprintf(t->bytes + t->size, MANNEQUIN_TEXT - t->size, format, arguments);
    va_end(arguments);
    t->bytes[t->size++] = '\n';
    t->bytes[t->size] = 0;
    assert_true(t->size < MANNEQUIN_TEXT - 200);
}

static text begin(uint32_t joints) {
    text t = {malloc(MANNEQUIN_TEXT), 0};
    line(&t, "gallop-contract 1");
    line(&t, "name shape\nrate 30\nunit 1");
    for (uint32_t j = 0; j < joints; j++) {
        if (j == 0) {
            line(&t, "joint j0 - 0 1 0");
        } else {
            line(&t, "joint j%u j%u 0.1 -0.05 0.02", j, j % 5 ? j - 1 : j / 2);
        }
    }
    return t;
}

static const char *const needed_inputs[] = {"trajectory.position.x", "trajectory.position.z",
                                            "trajectory.direction.x", "trajectory.direction.z"};
static const char *const needed_outputs[] = {"root.velocity.x",    "root.velocity.z",    "root.turn",
                                             "phase.advance",      "future.position.x",  "future.position.z",
                                             "future.direction.x", "future.direction.z", "joint.position"};

static void needed_blocks(text *t, const char *rotation) {
    for (size_t i = 0; i < sizeof needed_inputs / sizeof *needed_inputs; i++) {
        line(t, "input %s", needed_inputs[i]);
    }
    for (size_t i = 0; i < sizeof needed_outputs / sizeof *needed_outputs; i++) {
        line(t, "output %s", needed_outputs[i]);
    }
    line(t, "output joint.rotation %s", rotation);
}

/* Some characters live for a while with every kind of input; their poses stay finite and nobody is set back. */
static void live(text *t, float wobble) {
    mannequin_desc desc = {
        .contract = t->bytes, .wobble = wobble, .step_z = 0.02f, .phase = 0.01f, .contact = 0.9f, .seed = 77};
    gal_controller *controller = mannequin_open(&desc);
    gal_controller_info info = gal_controller_get_info(controller);
    gal_crowd *crowd = crowd_of(controller, 5, hills);
    gal_transform *local = malloc(info.joints * sizeof *local);
    for (uint32_t i = 0; i < 5; i++) {
        crowd_add(crowd, (gal_spawn){.x = (float)i, .facing = (float)i});
    }
    for (uint32_t frame = 0; frame < 60; frame++) {
        for (uint32_t i = 0; i < 5; i++) {
            gal_input input = {.move_y = 1,
                               .run = (float)(i & 1),
                               .strafe = (float)(i >> 1 & 1),
                               .crouch = (float)(i >> 2 & 1),
                               .camera_yaw = 0.1f * (float)frame};
            gal_crowd_set_input(crowd, gal_crowd_at(crowd, i), &input);
        }
        gal_crowd_step(crowd);
        for (uint32_t i = 0; i < 5; i++) {
            uint32_t joints;
            const gal_transform *pose = gal_crowd_pose(crowd, gal_crowd_at(crowd, i), &joints);
            assert_int_equal(joints, info.joints);
            assert_int_equal(gal_crowd_pose_local(crowd, gal_crowd_at(crowd, i), local), GAL_OK);
            for (uint32_t j = 0; j < joints; j++) {
                gal_vec3 at = pose[j].position;
                assert_true(isfinite(at.x + at.y + at.z + pose[j].rotation.w + local[j].rotation.x));
            }
        }
    }
    assert_int_equal(gal_crowd_resets(crowd), 0);
    free(local);
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
    free(t->bytes);
}

static void three_joints_and_only_what_is_needed(void **unused) {
    (void)unused;
    text t = begin(3);
    line(&t, "window 1 1\nsamples 0\nfuture 1\nrule joint_smooth 0");
    needed_blocks(&t, "expmap");
    live(&t, 0.5f);
}

static void one_joint_with_the_longest_window(void **unused) {
    (void)unused;
    text t = begin(1);
    line(&t, "window 600 600\nsamples -600 0 599\nfuture 0 599\nrule joint_smooth 0");
    needed_blocks(&t, "sixd");
    live(&t, 0.5f);
}

static void a_hundred_joints_sixteen_gaits_and_eight_legs(void **unused) {
    (void)unused;
    text t = begin(100);
    for (uint32_t leg = 0; leg < 8; leg++) { /* j0 j1 j2 j3 j4 is a chain, and so is 5k, 5k + 1, ... */
        line(&t, "leg j%u j%u j%u j%u", 5 * leg, 5 * leg + 1, 5 * leg + 3, 5 * leg + 4);
    }
    static const char *const roles[] = {"stand", "walk", "run", "crouch", "jump"};
    for (uint32_t g = 0; g < 16; g++) {
        line(&t, "gait g%u %s", g, g % 3 == 0 && g / 3 < 5 ? roles[g / 3] : "none");
    }
    line(&t, "window 64 63");
    char samples[400] = "samples", future[400] = "future";
    for (int i = 0; i < 64; i++) {
        snprintf(samples + strlen(samples), 16, " %d", 2 * i - 64);
        snprintf(future + strlen(future), 16, " %d", i);
    }
    line(&t, "%s\n%s", samples, future);
    for (int i = 0; i < 16; i++) {
        line(&t, "output contact j%d", 5 * i + 4);
        line(&t, "input trajectory.gait g%d", i);
        line(&t, "input trajectory.height %d", 3 * i - 20);
    }
    needed_blocks(&t, "sixd");
    line(&t, "input joint.position\ninput joint.velocity\noutput joint.velocity");
    line(&t, "rule ground_reach 0.3\nrule ground_feet 1\nrule ground_drop 0.2\nrule ground_tilt 0.5");
    line(&t, "rule foot_heel_height 0.05\nrule foot_toe_height 0.04\nrule inertia_jump 0.1\nrule jump_time 9");
    live(&t, 0.2f);
}

/* Where no bone has a length nothing tells how far a turn may go, nor where a knee is. */
static void a_skeleton_of_no_length(void **unused) {
    (void)unused;
    for (int rigid = 0; rigid < 2; rigid++) {
        text t = {malloc(MANNEQUIN_TEXT), 0};
        line(&t, "gallop-contract 1\nname dot\nrate 30\nunit 1\njoint j0 - 0 0 0");
        for (uint32_t j = 1; j < 6; j++) {
            line(&t, "joint j%u j%u 0 0 0", j, j - 1);
        }
        line(&t, "leg j1 j2 j3 j4\nwindow 1 1\nsamples 0\nfuture 1\noutput contact j4");
        needed_blocks(&t, "expmap");
        line(&t, "rule inertia_jump 0.1\nrule inertia_way 0.2\nrule ground_reach 0.3\nrule ground_feet 1");
        line(&t, "rule ground_drop 0.2\nrule ground_tilt 0.5\nrule joint_smooth 0\nrule pose_rigid %d", rigid);
        live(&t, 0.5f);
    }
}

static void two_joints_with_rules_at_odd_values(void **unused) {
    (void)unused;
    text t = begin(2);
    line(&t, "window 2 3\nsamples -2 0 2\nfuture 1 2\nrule joint_smooth 0\nrule pose_rigid 1\nrule anchor 1");
    line(&t,
         "rule speed_gain 1\nrule future_position_bias 0\nrule future_direction_bias 0\nrule stand_damping 0");
    needed_blocks(&t, "expmap");
    live(&t, 0.5f);
}

/* One walks with such rules and one stands; both stay finite, and nobody is set back. */
static void live_by_rule(const char *rule, const char *others) {
    char rules[1000];
    snprintf(rules, sizeof rules, "%s%s", others, rule);
    mannequin_desc desc = {
        .rules = rules, .wobble = 0.5f, .step_z = 1, .phase = 0.01f, .contact = 0.8f, .seed = 3};
    gal_controller *controller = mannequin_open(&desc);
    gal_crowd *crowd = crowd_of(controller, 3, hills);
    gal_character id = crowd_add(crowd, (gal_spawn){0}), idle = crowd_add(crowd, (gal_spawn){.x = 9});
    for (uint32_t frame = 0; frame < 40; frame++) {
        gal_crowd_set_input(
            crowd, id,
            &(gal_input){.move_x = 0.5f, .move_y = -1, .crouch = 0.5f, .strafe = 0.5f, .jump = frame % 8 == 3});
        gal_crowd_step(crowd);
    }
    gal_vec3 at = gal_crowd_pose(crowd, id, NULL)[3].position,
             rest = gal_crowd_pose(crowd, idle, NULL)[3].position;
    if (gal_crowd_resets(crowd) || !isfinite(at.x + at.y + at.z + rest.x + rest.y + rest.z)) {
        fail_msg("%.*s: %llu resets", (int)strlen(rule) - 1, rule, (unsigned long long)gal_crowd_resets(crowd));
    }
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
}

/*
 * Every rule at its least and at its most, by itself and where all that has a rule to turn it on is at work: nothing divides by
 * a zero that a contract may set.
 */
static void every_rule_may_be_at_its_limits(void **unused) {
    (void)unused;
    static const struct {
        const char *name;
        float least, most;
    } rules[] = {
#define RULE(name, value, least, most, meaning) {#name, least, most},
#include "contract/rules.def"
#undef RULE
    };
    static const char *const work[] = {"ground_reach 20", "ground_feet 1", "ground_drop 25",  "ground_tilt 0.5",
                                       "inertia_jump 2",  "inertia_way 4", "inertia_swing 5", "jump_time 10",
                                       "jump_speed 0.01", "jump_ease 5",   "phase_aside 1",   "speed_gain 0.1",
                                       "speed_push 0.3",  "sway 2",        "breath 1"};
    for (size_t i = 0; i < 2 * sizeof rules / sizeof *rules; i++) {
        const char *name = rules[i / 2].name;
        const size_t length = strlen(name);
        char rule[100], others[800] = "gait jump jump\n";
        snprintf(rule, sizeof rule, "rule %s %.9g\n", name,
                 (double)(i & 1 ? rules[i / 2].most : rules[i / 2].least));
        live_by_rule(rule, "");
        for (size_t k = 0; k < sizeof work / sizeof *work; k++) {
            const int other = strncmp(work[k], name, length) != 0 || work[k][length] != ' ';
            const size_t size = strlen(others);
            if (other) {
                snprintf(others + size, sizeof others - size, "rule %s\n", work[k]);
            }
        }
        live_by_rule(rule, others);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_joints_and_only_what_is_needed),
        cmocka_unit_test(one_joint_with_the_longest_window),
        cmocka_unit_test(a_hundred_joints_sixteen_gaits_and_eight_legs),
        cmocka_unit_test(a_skeleton_of_no_length),
        cmocka_unit_test(two_joints_with_rules_at_odd_values),
        cmocka_unit_test(every_rule_may_be_at_its_limits),
    };
    return cmocka_run_group_tests_name("motion shapes", tests, NULL, NULL);
}
