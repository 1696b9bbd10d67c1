/*
 * The trajectory rules of docs/controller.md: worked out again in float64 with angles instead of vectors, and
 * seen from outside, by where the stick takes a character.
 */
#include "mannequin.h"
#include "motion/trajectory.h"

enum { WINDOW = 70, PAST = 30, FUTURE = 40, GAITS = 4, STAND = 0, WALK, RUN, CROUCH };

static const double pi = 3.14159265358979323846;

typedef struct state {
    gali_contract *contract;
    gali_character character;
    gal_vec3 path[WINDOW];
    gali_vec2 direction[WINDOW], velocity[WINDOW];
    float gait[WINDOW * GAITS];
} state;

static float sloping(void *context, float x, float z) {
    (void)context;
    return 0.1f * x + 0.05f * z;
}

static const gali_ground slope = {sloping, NULL};

static void start(state *s, const char *rules, float facing) {
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
    gali_trajectory_reset(&s->character, s->contract, &slope, 20, -7, gali_facing_from_angle(facing));
}

/* ---- the same in float64 ---- */

typedef struct truth {
    double x[WINDOW], z[WINDOW], angle[WINDOW], gait[WINDOW][GAITS];
    double vx, vz, wanted, strafe, crouch;
    double turning, turn_ahead;
} truth;

static double mix(double a, double b, double t) {
    return a + (b - a) * t;
}

static double turned(double from, double to, double t) {
    return from + t * remainder(to - from, 2 * pi);
}

static void truth_want(truth *t, const gal_input *in, double walk, double run) {
    double yaw = (double)in->camera_yaw, speed = mix(walk, run, (double)in->run);
    double right = (double)in->move_x, ahead = (double)in->move_y;
    /* Right of a camera that looks along +z is -x. */
    double wx = speed * (ahead * sin(yaw) - right * cos(yaw)),
           wz = speed * (ahead * cos(yaw) + right * sin(yaw));
    t->vx = mix(t->vx, wx, 0.9);
    t->vz = mix(t->vz, wz, 0.9);
    t->strafe = mix(t->strafe, (double)in->strafe, 0.9);
    t->crouch = mix(t->crouch, (double)in->crouch, 0.9);
    double way = hypot(t->vx, t->vz) < 1e-5 ? t->wanted : atan2(t->vx, t->vz);
    double before = t->wanted;
    t->wanted = turned(t->wanted, turned(way, yaw, t->strafe), 0.9);
    double change = remainder(t->wanted - before, 2 * pi);
    t->turning = fabs(change) > 0.15 ? 0 : mix(t->turning, change, 0.1);
}

static void truth_gait(truth *t, const gal_input *in) {
    double speed = hypot(t->vx, t->vz), goal[GAITS] = {0};
    if (speed < 0.1) {
        goal[STAND] = 1 - speed / 0.1;
    } else if (t->crouch > 0.1) {
        goal[CROUCH] = t->crouch;
    } else {
        goal[in->run > 0 ? RUN : WALK] = 1;
    }
    for (int g = 0; g < GAITS; g++) {
        t->gait[PAST][g] = mix(t->gait[PAST][g], goal[g], 0.1);
    }
}

static void truth_future(truth *t, const gal_input *in) {
    double place = in->responsive ? 2 : mix(0.5, 1, t->strafe);
    double face = in->responsive ? mix(5, 3, t->strafe) : mix(2, 0.5, t->strafe);
    double old_x[WINDOW], old_z[WINDOW];
    memcpy(old_x, t->x, sizeof old_x);
    memcpy(old_z, t->z, sizeof old_z);
    for (int i = PAST + 1; i < WINDOW; i++) {
        double left = 1 - (double)(i - PAST) / (double)FUTURE, share = 1 - pow(left, place);
        t->x[i] = t->x[i - 1] + mix(old_x[i] - old_x[i - 1], t->vx, share);
        t->z[i] = t->z[i - 1] + mix(old_z[i] - old_z[i - 1], t->vz, share);
        double goal = t->wanted + t->turning * fmin(i - PAST, t->turn_ahead);
        t->angle[i] = turned(t->angle[i], goal, 1 - pow(left, face));
        memcpy(t->gait[i], t->gait[PAST], sizeof t->gait[i]);
    }
}

static truth truth_start(double facing) {
    truth t = {.wanted = facing};
    for (int i = 0; i < WINDOW; i++) {
        t.x[i] = 20;
        t.z[i] = -7;
        t.angle[i] = facing;
    }
    return t;
}

static void near(double expected, float got, const char *what, int i, int frame) {
    if (!(fabs(expected - (double)got) <= 2e-4 * (1 + fabs(expected)))) {
        fail_msg("%s at %d, frame %d: %.6f, expected %.6f", what, i, frame, (double)got, expected);
    }
}

static void compare(const state *s, const truth *t, int frame) {
    double height = 0;
    for (int i = PAST; i < WINDOW; i++) {
        near(t->x[i], s->path[i].x, "x", i, frame);
        near(t->z[i], s->path[i].z, "z", i, frame);
        near(0.1 * t->x[i] + 0.05 * t->z[i], s->path[i].y, "y", i, frame);
        near(sin(t->angle[i]), s->direction[i].x, "direction x", i, frame);
        near(cos(t->angle[i]), s->direction[i].z, "direction z", i, frame);
        for (int g = 0; g < GAITS; g++) {
            near(t->gait[i][g], s->gait[i * GAITS + g], "gait", i * GAITS + g, frame);
        }
    }
    static const int offsets[] = {-20, -10, 0, 10, 20, 30};
    for (int k = 0; k < 6; k++) {
        height += (double)s->path[PAST + offsets[k]].y / 6;
    }
    near(height, s->character.path.height, "root height", 0, frame);
}

static void the_future_follows_the_rules(void **unused) {
    (void)unused;
    static const gal_input inputs[] = {
        {.move_y = 1},
        {.move_x = 1},
        {.move_x = -0.5f, .move_y = -0.5f, .run = 0.7f, .camera_yaw = 1.1f},
        {.move_x = 0.3f, .move_y = 0.9f, .strafe = 1, .camera_yaw = -0.7f},
        {.move_y = 1, .strafe = 0.4f, .responsive = 1, .camera_yaw = 2},
        {.move_y = 0.8f, .crouch = 0.9f},
        {.camera_yaw = 1},
        {.move_y = 0.02f},
    };
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++) {
        state s;
        start(&s, NULL, 0.4f);
        truth t = truth_start(0.4);
        s.character.input = inputs[k];
        for (int frame = 0; frame < 12; frame++) {
            gali_trajectory_predict(&s.character, s.contract, &slope);
            truth_want(&t, &inputs[k], 2.5, 7.5);
            truth_gait(&t, &inputs[k]);
            truth_future(&t, &inputs[k]);
            compare(&s, &t, frame);
        }
        gali_contract_release(s.contract, NULL);
    }
}

/* A camera that turns steadily, and then jumps: what is ahead turns on with it, but for the jump. */
static void the_future_turns_on_as_the_wanted_facing_does(void **unused) {
    (void)unused;
    state s;
    start(&s, "rule turn_ahead 12.5\n", 0.4f);
    truth t = truth_start(0.4);
    t.turn_ahead = 12.5;
    for (int frame = 0; frame < 40; frame++) {
        float yaw = 0.4f + 0.03f * (float)frame + (frame > 25 ? 1 : 0);
        gal_input input = {.move_y = 0.8f, .strafe = 1, .camera_yaw = yaw};
        s.character.input = input;
        gali_trajectory_predict(&s.character, s.contract, &slope);
        truth_want(&t, &input, 2.5, 7.5);
        truth_gait(&t, &input);
        truth_future(&t, &input);
        compare(&s, &t, frame);
        near(t.turning, s.character.turning, "turning", 0, frame);
    }
    assert_true(s.character.turning > 0.01f); /* and it found the turn again after the jump */
    gali_contract_release(s.contract, NULL);
}

static void speeds_by_direction_are_asked_of_the_facing(void **unused) {
    (void)unused;
    static const struct {
        gal_input input;
        float speed; /* wanted when settled; the character faces the camera: strafe */
    } walks[] = {{{.move_y = 1, .strafe = 1}, 2},
                 {{.move_y = -1, .strafe = 1}, 0.5f},
                 {{.move_x = 1, .strafe = 1}, 1},
                 {{.move_x = -0.5f, .strafe = 1}, 0.5f}};
    for (size_t k = 0; k < 4; k++) {
        state s;
        start(&s, "rule speed_walk 2\nrule speed_side 0.5\nrule speed_back 0.25\n", 0);
        s.character.input = walks[k].input;
        for (int frame = 0; frame < 20; frame++) {
            gali_trajectory_predict(&s.character, s.contract, &slope);
        }
        near((double)walks[k].speed, gali_vec2_length(s.character.velocity_wanted), "speed", (int)k, 20);
        gali_contract_release(s.contract, NULL);
    }
}

/* A commanded path: its own velocity and facing follow the wanted ones, and it weighs more further ahead. */
typedef struct commanded {
    double vx, vz, facing;
} commanded;

static commanded commanded_step(commanded c, const truth *t) {
    double most = 0.05, turning = remainder(t->wanted - c.facing, 2 * pi) / 5;
    turning = turning > most ? most : turning < -most ? -most : turning;
    return (commanded){mix(c.vx, t->vx, 0.25), mix(c.vz, t->vz, 0.25), c.facing + turning};
}

static void truth_commanded(truth *t, commanded *command, double *vx) {
    *command = commanded_step(*command, t);
    commanded ahead = *command;
    double x = t->x[PAST], z = t->z[PAST];
    for (int i = PAST + 1; i < WINDOW; i++) {
        double share = sqrt((double)(i - PAST) / (double)FUTURE);
        ahead = commanded_step(ahead, t);
        x += ahead.vx;
        z += ahead.vz;
        t->x[i] = mix(t->x[i], x, share);
        t->z[i] = mix(t->z[i], z, share);
        t->angle[i] = turned(t->angle[i], ahead.facing, share);
        vx[i] = mix(vx[i], ahead.vx, share);
        memcpy(t->gait[i], t->gait[PAST], sizeof t->gait[i]);
    }
}

static void the_commanded_path_follows_the_rules(void **unused) {
    (void)unused;
    state s;
    start(&s,
          "rule command_velocity_time 4\nrule command_turn_time 5\nrule command_turn_rate 0.05\n"
          "rule command_blend 0.5\n",
          0.4f);
    truth t = truth_start(0.4);
    commanded command = {0, 0, 0.4};
    double vx[WINDOW] = {0};
    s.character.input = (gal_input){.move_x = -0.3f, .move_y = 0.9f, .run = 0.3f, .camera_yaw = -0.7f};
    for (int frame = 0; frame < 15; frame++) {
        gali_trajectory_predict(&s.character, s.contract, &slope);
        truth_want(&t, &s.character.input, 2.5, 7.5);
        truth_gait(&t, &s.character.input);
        truth_commanded(&t, &command, vx);
        compare(&s, &t, frame);
        for (int i = PAST + 1; i < WINDOW; i++) {
            near(vx[i], s.character.path.velocity[i].x, "velocity x", i, frame);
        }
    }
    gali_contract_release(s.contract, NULL);
}

static void turning_on_the_spot_is_walking_where_asked(void **unused) {
    (void)unused;
    for (int asked = 0; asked < 2; asked++) {
        state s;
        start(&s, asked ? "rule turn_gait 0.3\n" : NULL, 0);
        s.character.direction_wanted = (gali_vec2){1, 0};
        gali_trajectory_predict(&s.character, s.contract, &slope);
        near(asked ? 0.1 : 0, s.gait[PAST * GAITS + WALK], "walk", asked, 0);
        near(asked ? 0 : 0.1, s.gait[PAST * GAITS + STAND], "stand", asked, 0);
        gali_contract_release(s.contract, NULL);
    }
}

/* ---- after the network ---- */

/* Outputs of the biped, counted by hand. */
enum {
    OUT_FUTURE_X = 31,
    OUT_FUTURE_Z = 35,
    OUT_TURN = 66,
    OUT_ROOT_Z = 94,
    OUT_FACING_X = 95,
    OUT_FACING_Z = 99,
    OUT_PHASE = 103,
    OUT_ROOT_X = 104,
    OUT_END = 105
};

static void the_root_takes_its_step(void **unused) {
    (void)unused;
    state s;
    start(&s, NULL, 0);
    mannequin_desc desc = {.seed = 1};
    gal_controller *controller = mannequin_open(&desc);
    float y[OUT_END] = {0};
    y[OUT_ROOT_X] = 2; /* to the left: +x */
    y[OUT_ROOT_Z] = 3;
    y[OUT_TURN] = 0.2f; /* from +z towards -x */
    y[OUT_PHASE] = 0.01f;
    s.character.phase = 6.25f;
    for (int g = 0; g < GAITS; g++) {
        s.gait[PAST * GAITS + g] = 0.125f * (float)(g + 1);
    }
    s.gait[PAST * GAITS + STAND] = 1 - 0.0625f; /* (1 - stand)^(1/4) = 1/2 */
    for (int i = 0; i < WINDOW; i++) {
        s.path[i].x += (float)i;
    }
    s.character.path.height = 11;
    gali_trajectory_advance(&s.character, controller, y);
    for (int i = 0; i < PAST; i++) {
        near(20 + i + 1, s.path[i].x, "past x", i, 0);
    }
    near(0.25, s.gait[(PAST - 1) * GAITS + WALK], "past gait", PAST - 1, 0);
    near(20 + PAST + 1, s.path[PAST].x, "root x", PAST, 0);
    near(-7 + 1.5, s.path[PAST].z, "root z", PAST, 0);
    near(-sin(0.1), s.direction[PAST].x, "facing x", PAST, 0);
    near(cos(0.1), s.direction[PAST].z, "facing z", PAST, 0);
    near(11, s.character.path.height_before, "height before", 0, 0);
    double phase = 6.25 + (0.5 * 0.9 + 0.1) * 2 * pi * 0.01;
    near(phase - 2 * pi, s.character.phase, "phase", 0, 0);
    near(0.5 * sqrt(13), s.character.step, "step", 0, 0);
    gal_controller_close(controller);
    gali_contract_release(s.contract, NULL);
}

static void the_phase_goes_on_at_least(void **unused) {
    (void)unused;
    state s;
    start(&s, NULL, 0);
    mannequin_desc desc = {.seed = 1, .rules = "rule phase_least 0.03\n"};
    gal_controller *controller = mannequin_open(&desc);
    float y[OUT_END] = {0};
    y[OUT_PHASE] = 0.01f;
    s.gait[PAST * GAITS + STAND] = 1 - 0.0625f; /* (1 - stand)^(1/4) = 1/2 */
    gali_trajectory_advance(&s.character, controller, y);
    near((0.5 * 0.9 + 0.1) * 2 * pi * 0.01, s.character.phase, "standing", 0, 0);
    s.character.phase = 0;
    s.gait[PAST * GAITS + STAND] = 0;
    gali_trajectory_advance(&s.character, controller, y);
    near(2 * pi * 0.03, s.character.phase, "walking", 0, 0);
    s.character.phase = 0;
    y[OUT_PHASE] = 0.05f;
    gali_trajectory_advance(&s.character, controller, y);
    near(2 * pi * 0.05, s.character.phase, "quickly", 0, 0);
    gal_controller_close(controller);
    gali_contract_release(s.contract, NULL);
}

static void the_future_is_the_predicted_one(void **unused) {
    (void)unused;
    state s;
    start(&s, NULL, (float)(pi / 2)); /* facing +x: left is -z */
    mannequin_desc desc = {.seed = 1};
    gal_controller *controller = mannequin_open(&desc);
    float y[OUT_END] = {0};
    for (int i = 0; i < 4; i++) { /* at 10, 20, 30, 40 */
        y[OUT_FUTURE_X + i] = (float)(i * i);
        y[OUT_FUTURE_Z + i] = 10 * (float)(i + 1);
        y[OUT_FACING_X + i] = 2 * sinf(0.1f * (float)(i + 1)); /* any length */
        y[OUT_FACING_Z + i] = 2 * cosf(0.1f * (float)(i + 1));
    }
    gali_trajectory_advance(&s.character, controller, y);
    static const struct {
        int ahead;
        double left, forward;
    } expected[] = {{1, 0, 1},   {5, 0, 5},     {10, 0, 10},  {15, 0.5, 15},
                    {20, 1, 20}, {27, 3.1, 27}, {39, 8.5, 39}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        int i = PAST + expected[k].ahead;
        near(20 + expected[k].forward, s.path[i].x, "future x", i, 0);
        near(-7 - expected[k].left, s.path[i].z, "future z", i, 0);
        near(1, gali_vec2_length(s.direction[i]), "facing length", i, 0);
    }
    near(pi / 2 + 0.2, gali_facing_angle(s.direction[PAST + 20]), "facing", 20, 0);
    near(pi / 2 + 0.25, gali_facing_angle(s.direction[PAST + 25]), "facing", 25, 0);
    gal_controller_close(controller);
    gali_contract_release(s.contract, NULL);
}

/* A character may move without any past worth the name, and be predicted less far than its window. */
static void the_future_goes_on_past_the_last_prediction(void **unused) {
    (void)unused;
    state s;
    char text[sizeof mannequin_biped];
    strcpy(text, mannequin_biped);
    memcpy(strstr(text, "future 10 20 30 40"), "future 0  1  5  20", 18);
    mannequin_desc desc = {.contract = text, .seed = 1};
    gal_controller *controller = mannequin_open(&desc);
    start(&s, NULL, 0);
    float y[OUT_END] = {0};
    y[OUT_FUTURE_Z] = 99; /* of now: the root itself is where it is */
    for (int i = 1; i < 4; i++) {
        static const float at[] = {0, 1, 5, 20};
        y[OUT_FUTURE_Z + i] = 2 * at[i];
        y[OUT_FACING_X + i] = i == 3 ? 0.6f : 0;
        y[OUT_FACING_Z + i] = i == 3 ? 0.8f : 1;
    }
    gali_trajectory_advance(&s.character, controller, y);
    near(-7, s.path[PAST].z, "now", 0, 0);
    near(-7 + 2, s.path[PAST + 1].z, "1", 0, 0);
    near(-7 + 20, s.path[PAST + 10].z, "10", 0, 0);
    near(-7 + 78, s.path[PAST + 39].z, "39", 0, 0);
    near(0.8, s.direction[PAST + 39].z, "facing 39", 0, 0); /* the last one, no further */
    gal_controller_close(controller);
    gali_contract_release(s.contract, NULL);
}

/* ---- from outside ---- */

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
        double off = remainder((double)(atan2f(at.root.x, at.root.z) - walks[k].angle), 2 * pi);
        double turned_off = remainder((double)(at.facing - walks[k].angle), 2 * pi);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_future_follows_the_rules),
        cmocka_unit_test(the_future_turns_on_as_the_wanted_facing_does),
        cmocka_unit_test(speeds_by_direction_are_asked_of_the_facing),
        cmocka_unit_test(the_commanded_path_follows_the_rules),
        cmocka_unit_test(turning_on_the_spot_is_walking_where_asked),
        cmocka_unit_test(the_root_takes_its_step),
        cmocka_unit_test(the_phase_goes_on_at_least),
        cmocka_unit_test(the_future_is_the_predicted_one),
        cmocka_unit_test(the_future_goes_on_past_the_last_prediction),
        cmocka_unit_test(the_walker_goes_where_the_stick_points),
    };
    return cmocka_run_group_tests_name("motion trajectory", tests, NULL, NULL);
}
