/*
 * The trajectory rules of docs/controller.md: worked out again in float64 with angles instead of vectors.
 */
#include "lane.h"

enum { WINDOW = 70, PAST = 30, FUTURE = 40, GAITS = 4, STAND = 0, WALK, RUN, CROUCH };
enum { SAMPLES = 42, KNOTS = 5 };

static const double pi = 3.14159265358979323846;

static float sloping(void *context, float x, float z) {
    (void)context;
    return 0.1f * x + 0.05f * z;
}

/* The biped, but with all frames ahead among its samples. */
static void start(lane *l, const char *rules, float facing) {
    static const char few[] = "samples -20 -10 0 10 20 30\n";
    static char text[2 * sizeof mannequin_biped];
    const char *at = strstr(mannequin_biped, few);
    int size = (int)(at - mannequin_biped);
    size = snprintf(text, sizeof text, "%.*ssamples -20 -10", size, mannequin_biped);
    for (int i = 0; i < FUTURE; i++) {
        size += snprintf(text + size, sizeof text - (size_t)size, " %d", i);
    }
    snprintf(text + size, sizeof text - (size_t)size, "\n%s", at + sizeof few - 1);
    const mannequin_desc desc = {.contract = text, .rules = rules, .seed = 1};
    lane_make(l, &desc, sloping, 20, -7, facing);
    assert_int_equal(l->contract->sample_count, SAMPLES);
    assert_int_equal(l->is->knots, KNOTS);
}

/* Of a path index: which sample it is; the past has but two. */
static uint32_t sample_at(int i) {
    return i == PAST - 20 ? 0 : i == PAST - 10 ? 1 : (uint32_t)(i - PAST + 2);
}

static gali_vec2 sample2(const lane *l, uint32_t part, int i) {
    return (gali_vec2){*lane_sample(l, part, sample_at(i)), *lane_sample(l, part + 1, sample_at(i))};
}

static gal_vec3 place_at(const lane *l, int i) {
    gali_vec2 xy = sample2(l, GALI_RECORD_PLACE, i);
    return (gal_vec3){xy.x, xy.z, *lane_sample(l, GALI_RECORD_PLACE + 2, sample_at(i))};
}

static float *gait_now(lane *l, uint32_t gait) {
    return gali_bank_at(&l->bank, l->is->gait + gait, LANE);
}

/* ---- the same in float64 ---- */

typedef struct truth {
    double knot_x[KNOTS], knot_z[KNOTS], knot_angle[KNOTS],
        knot_vx[KNOTS]; /* the predicted path, ten frames apart */
    double vx_at[WINDOW];
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

/* A predicted path that curls, for both; the root stands at its start. */
static truth truth_start(lane *l, double facing) {
    truth t = {.wanted = facing};
    for (int i = 0; i < WINDOW; i++) {
        t.x[i] = 20;
        t.z[i] = -7;
        t.angle[i] = facing;
    }
    for (uint32_t k = 0; k < KNOTS; k++) {
        t.knot_x[k] = 20 + 3.0 * k;
        t.knot_z[k] = -7 + 9.0 * k - 1.5 * k * k;
        t.knot_angle[k] = facing + 0.2 * k;
        t.knot_vx[k] = 0.3 * k;
        lane_set2(l, l->is->knot_place + 2 * k, (gali_vec2){(float)t.knot_x[k], (float)t.knot_z[k]});
        lane_set2(l, l->is->knot_facing + 2 * k, gali_facing_from_angle((float)t.knot_angle[k]));
        lane_set2(l, l->is->knot_velocity + 2 * k, (gali_vec2){(float)t.knot_vx[k], 0});
    }
    return t;
}

/* The path ahead as it is predicted, before it is blended. */
static void truth_predicted(truth *t) {
    for (int i = PAST + 1; i < WINDOW; i++) {
        int k = (i - PAST - 1) / 10;
        double part = (double)(i - PAST - 10 * k) / 10;
        t->x[i] = mix(t->knot_x[k], t->knot_x[k + 1], part);
        t->z[i] = mix(t->knot_z[k], t->knot_z[k + 1], part);
        t->vx_at[i] = mix(t->knot_vx[k], t->knot_vx[k + 1], part);
        t->angle[i] = atan2(mix(sin(t->knot_angle[k]), sin(t->knot_angle[k + 1]), part),
                            mix(cos(t->knot_angle[k]), cos(t->knot_angle[k + 1]), part));
    }
}

static void near(double expected, float got, const char *what, int i, int frame) {
    if (!(fabs(expected - (double)got) <= 2e-4 * (1 + fabs(expected)))) {
        fail_msg("%s at %d, frame %d: %.6f, expected %.6f", what, i, frame, (double)got, expected);
    }
}

static void compare(const lane *l, const truth *t, int frame) {
    double height = 0;
    for (int i = PAST; i < WINDOW; i++) {
        gal_vec3 place = place_at(l, i);
        gali_vec2 facing = sample2(l, GALI_RECORD_FACING, i);
        near(t->x[i], place.x, "x", i, frame);
        near(t->z[i], place.z, "z", i, frame);
        near(0.1 * t->x[i] + 0.05 * t->z[i], place.y, "y", i, frame);
        near(sin(t->angle[i]), facing.x, "direction x", i, frame);
        near(cos(t->angle[i]), facing.z, "direction z", i, frame);
        for (uint32_t g = 0; g < GAITS; g++) {
            near(t->gait[i][g], *lane_sample(l, GALI_RECORD_GAIT + g, sample_at(i)), "gait", i, frame);
        }
    }
    for (uint32_t k = 0; k < SAMPLES; k++) {
        height += (double)*lane_sample(l, GALI_RECORD_PLACE + 1, k) / (double)SAMPLES;
    }
    near(height, lane_get(l, l->is->height), "root height", 0, frame);
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
        lane l;
        start(&l, NULL, 0.4f);
        truth t = truth_start(&l, 0.4);
        lane_set_input(&l, inputs[k]);
        for (int frame = 0; frame < 12; frame++) {
            l.phases->predict(&l.lanes);
            truth_predicted(&t);
            truth_want(&t, &inputs[k], 2.5, 7.5);
            truth_gait(&t, &inputs[k]);
            truth_future(&t, &inputs[k]);
            compare(&l, &t, frame);
        }
        lane_free(&l);
    }
}

/* A camera that turns steadily, and then jumps: what is ahead turns on with it, but for the jump. */
static void the_future_turns_on_as_the_wanted_facing_does(void **unused) {
    (void)unused;
    lane l;
    start(&l, "rule turn_ahead 12.5\n", 0.4f);
    truth t = truth_start(&l, 0.4);
    t.turn_ahead = 12.5;
    for (int frame = 0; frame < 40; frame++) {
        float yaw = 0.4f + 0.03f * (float)frame + (frame > 25 ? 1 : 0);
        gal_input input = {.move_y = 0.8f, .strafe = 1, .camera_yaw = yaw};
        lane_set_input(&l, input);
        l.phases->predict(&l.lanes);
        truth_predicted(&t);
        truth_want(&t, &input, 2.5, 7.5);
        truth_gait(&t, &input);
        truth_future(&t, &input);
        compare(&l, &t, frame);
        near(t.turning, lane_get(&l, l.is->turning), "turning", 0, frame);
    }
    assert_true(lane_get(&l, l.is->turning) > 0.01f); /* and it found the turn again after the jump */
    lane_free(&l);
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
        lane l;
        start(&l, "rule speed_walk 2\nrule speed_side 0.5\nrule speed_back 0.25\n", 0);
        lane_set_input(&l, walks[k].input);
        for (int frame = 0; frame < 20; frame++) {
            l.phases->predict(&l.lanes);
        }
        near((double)walks[k].speed, gali_vec2_length(lane_get2(&l, l.is->velocity_wanted)), "speed", (int)k,
             20);
        lane_free(&l);
    }
}

/* Who stands begins a step aside in a phase of its own, to the right half a turn later; who goes, or is to go ahead, goes on. */
static void a_step_aside_begins_in_its_phase(void **unused) {
    (void)unused;
    static const struct {
        gal_input input;
        float stands, phase; /* expected, of 0.3 */
    } steps[] = {{{.move_x = -1, .strafe = 1}, 1, 1},
                 {{.move_x = 1, .strafe = 1}, 1, 1 + 3.14159265f},
                 {{.move_x = 0.5f, .move_y = 0.8f, .strafe = 1}, 1, 0.3f},
                 {{.move_x = -0.03f, .strafe = 1}, 1, 0.3f},
                 {{.move_x = -1, .strafe = 1}, 0.99f, 0.3f}};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        lane l;
        start(&l, "rule phase_aside 1\nrule speed_walk 2\n", 0);
        *gait_now(&l, STAND) = steps[k].stands;
        lane_set(&l, l.is->phase, 0.3f);
        lane_set_input(&l, steps[k].input);
        l.phases->predict(&l.lanes);
        near((double)steps[k].phase, lane_get(&l, l.is->phase), "phase", (int)k, 0);
        lane_free(&l);
    }
}

/* A commanded path: its own velocity and facing follow the wanted ones, and it weighs more further ahead. */
typedef struct commanded {
    double vx, vz, facing;
} commanded;

static commanded commanded_step(commanded c, const truth *t) {
    double lead = t->turning * t->turn_ahead, most = 0.05;
    double turning = remainder(t->wanted + lead - c.facing, 2 * pi) / 5;
    double vx = cos(lead) * t->vx + sin(lead) * t->vz, vz = cos(lead) * t->vz - sin(lead) * t->vx;
    turning = turning > most ? most : turning < -most ? -most : turning;
    return (commanded){mix(c.vx, vx, 0.25), mix(c.vz, vz, 0.25), c.facing + turning};
}

static void truth_commanded(truth *t, commanded *command) {
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
        t->vx_at[i] = mix(t->vx_at[i], ahead.vx, share);
        memcpy(t->gait[i], t->gait[PAST], sizeof t->gait[i]);
    }
}

static void follow_command(const char *rules, double turn_ahead) {
    lane l;
    start(&l, rules, 0.4f);
    truth t = truth_start(&l, 0.4);
    t.turn_ahead = turn_ahead;
    commanded command = {0, 0, 0.4};
    for (int frame = 0; frame < 25; frame++) {
        const gal_input input = {
            .move_x = -0.3f, .move_y = 0.9f, .run = 0.3f, .camera_yaw = -0.7f + 0.04f * (float)frame};
        lane_set_input(&l, input);
        l.phases->predict(&l.lanes);
        truth_predicted(&t);
        truth_want(&t, &input, 2.5, 7.5);
        truth_gait(&t, &input);
        truth_commanded(&t, &command);
        compare(&l, &t, frame);
        for (int i = PAST + 1; i < WINDOW; i++) {
            near(t.vx_at[i], sample2(&l, GALI_RECORD_VELOCITY, i).x, "velocity x", i, frame);
        }
    }
    assert_true(fabsf(lane_get(&l, l.is->turning)) > 0.01f);
    lane_free(&l);
}

static void the_commanded_path_follows_the_rules(void **unused) {
    (void)unused;
#define COMMANDED                                                                                              \
    "rule command_velocity_time 4\nrule command_turn_time 5\nrule command_turn_rate 0.05\nrule command_blend " \
    "0.5\n"
    follow_command(COMMANDED, 0);
    follow_command(COMMANDED "rule turn_ahead 7.5\n", 7.5);
#undef COMMANDED
}

static void turning_on_the_spot_is_walking_where_asked(void **unused) {
    (void)unused;
    for (int asked = 0; asked < 2; asked++) {
        lane l;
        start(&l, asked ? "rule turn_gait 0.3\n" : NULL, 0);
        lane_set2(&l, l.is->facing_wanted, (gali_vec2){1, 0});
        l.phases->predict(&l.lanes);
        near(asked ? 0.1 : 0, *gait_now(&l, WALK), "walk", asked, 0);
        near(asked ? 0 : 0.1, *gait_now(&l, STAND), "stand", asked, 0);
        lane_free(&l);
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
    lane l;
    start(&l, NULL, 0);
    l.y[OUT_ROOT_X] = 2; /* to the left: +x */
    l.y[OUT_ROOT_Z] = 3;
    l.y[OUT_TURN] = 0.2f; /* from +z towards -x */
    l.y[OUT_PHASE] = 0.01f;
    lane_set(&l, l.is->phase, 6.25f);
    for (uint32_t g = 0; g < GAITS; g++) {
        *gait_now(&l, g) = 0.125f * (float)(g + 1);
    }
    *gait_now(&l, STAND) = 1 - 0.0625f; /* (1 - stand)^(1/4) = 1/2 */
    for (uint32_t back = 1; back <= PAST; back++) {
        lane_record(&l, back)[GALI_RECORD_PLACE] += (float)(PAST - back);
    }
    lane_set(&l, l.is->root, 20 + PAST);
    lane_set(&l, l.is->height, 11);
    l.phases->advance(&l.lanes);
    for (uint32_t i = 0; i < PAST; i++) {
        near(20 + i + 1, lane_record(&l, PAST - i)[GALI_RECORD_PLACE], "past x", (int)i, 0);
    }
    near(0.25, lane_record(&l, 1)[GALI_RECORD_GAIT + WALK], "past gait", PAST - 1, 0);
    near(20 + PAST + 1, lane_get(&l, l.is->root), "root x", PAST, 0);
    near(-7 + 1.5, lane_get(&l, l.is->root + 2), "root z", PAST, 0);
    near(-sin(0.1), lane_get(&l, l.is->facing), "facing x", PAST, 0);
    near(cos(0.1), lane_get(&l, l.is->facing + 1), "facing z", PAST, 0);
    near(11, lane_get(&l, l.is->height_before), "height before", 0, 0);
    double phase = 6.25 + (0.5 * 0.9 + 0.1) * 2 * pi * 0.01;
    near(phase - 2 * pi, lane_get(&l, l.is->phase), "phase", 0, 0);
    near(0.5 * sqrt(13), lane_get(&l, l.is->step), "step", 0, 0);
    lane_free(&l);
}

static void the_phase_goes_on_at_least(void **unused) {
    (void)unused;
    lane l;
    start(&l, "rule phase_least 0.03\n", 0);
    l.y[OUT_PHASE] = 0.01f;
    *gait_now(&l, STAND) = 1 - 0.0625f; /* (1 - stand)^(1/4) = 1/2 */
    l.phases->advance(&l.lanes);
    near((0.5 * 0.9 + 0.1) * 2 * pi * 0.01, lane_get(&l, l.is->phase), "standing", 0, 0);
    lane_set(&l, l.is->phase, 0);
    *gait_now(&l, STAND) = 0;
    l.phases->advance(&l.lanes);
    near(2 * pi * 0.03, lane_get(&l, l.is->phase), "walking", 0, 0);
    lane_set(&l, l.is->phase, 0);
    l.y[OUT_PHASE] = 0.05f;
    l.phases->advance(&l.lanes);
    near(2 * pi * 0.05, lane_get(&l, l.is->phase), "quickly", 0, 0);
    lane_free(&l);
}

/* Biases of 0 blend nothing: the samples are the predicted path itself. */
static const char unblended[] = "rule future_position_bias 0\nrule future_position_bias_strafe 0\n"
                                "rule future_direction_bias 0\nrule future_direction_bias_strafe 0\n";

static void the_future_is_the_predicted_one(void **unused) {
    (void)unused;
    lane l;
    start(&l, unblended, (float)(pi / 2)); /* facing +x: left is -z */
    for (int i = 0; i < 4; i++) {          /* at 10, 20, 30, 40 */
        l.y[OUT_FUTURE_X + i] = (float)(i * i);
        l.y[OUT_FUTURE_Z + i] = 10 * (float)(i + 1);
        l.y[OUT_FACING_X + i] = 2 * sinf(0.1f * (float)(i + 1)); /* any length */
        l.y[OUT_FACING_Z + i] = 2 * cosf(0.1f * (float)(i + 1));
    }
    l.phases->advance(&l.lanes);
    l.phases->predict(&l.lanes);
    static const struct {
        int ahead;
        double left, forward;
    } expected[] = {{1, 0, 1},   {5, 0, 5},     {10, 0, 10},  {15, 0.5, 15},
                    {20, 1, 20}, {27, 3.1, 27}, {39, 8.5, 39}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        int i = PAST + expected[k].ahead;
        near(20 + expected[k].forward, place_at(&l, i).x, "future x", i, 0);
        near(-7 - expected[k].left, place_at(&l, i).z, "future z", i, 0);
        near(1, gali_vec2_length(sample2(&l, GALI_RECORD_FACING, i)), "facing length", i, 0);
    }
    near(pi / 2 + 0.2, gali_facing_angle(sample2(&l, GALI_RECORD_FACING, PAST + 20)), "facing", 20, 0);
    near(pi / 2 + 0.25, gali_facing_angle(sample2(&l, GALI_RECORD_FACING, PAST + 25)), "facing", 25, 0);
    lane_free(&l);
}

/* A character may move without any past worth the name, and be predicted less far than its window. */
static void the_future_goes_on_past_the_last_prediction(void **unused) {
    (void)unused;
    lane l;
    char text[sizeof mannequin_biped];
    strcpy(text, mannequin_biped);
    memcpy(strstr(text, "future 10 20 30 40"), "future 0  1  5  20", 18);
    memcpy(strstr(text, "samples -20 -10 0 10 20 30"), "samples -20 0 1 5   10  39", 26);
    const mannequin_desc desc = {.contract = text, .rules = unblended, .seed = 1};
    lane_make(&l, &desc, sloping, 20, -7, 0);
    l.y[OUT_FUTURE_Z] = 99; /* of now: the root itself is where it is */
    for (int i = 1; i < 4; i++) {
        static const float at[] = {0, 1, 5, 20};
        l.y[OUT_FUTURE_Z + i] = 2 * at[i];
        l.y[OUT_FACING_X + i] = i == 3 ? 0.6f : 0;
        l.y[OUT_FACING_Z + i] = i == 3 ? 0.8f : 1;
    }
    l.phases->advance(&l.lanes);
    l.phases->predict(&l.lanes);
    enum { NOW = 1, ONE, FIVE, TEN, LAST };
    near(-7, *lane_sample(&l, GALI_RECORD_PLACE + 2, NOW), "now", 0, 0);
    near(-7 + 2, *lane_sample(&l, GALI_RECORD_PLACE + 2, ONE), "1", 0, 0);
    near(-7 + 20, *lane_sample(&l, GALI_RECORD_PLACE + 2, TEN), "10", 0, 0);
    near(-7 + 78, *lane_sample(&l, GALI_RECORD_PLACE + 2, LAST), "39", 0, 0);
    near(0.8, *lane_sample(&l, GALI_RECORD_FACING + 1, LAST), "facing 39", 0, 0); /* the last one, no further */
    lane_free(&l);
}

/* ---- starts are hurried ---- */

/* How far along +z the last sample of a path is laid out for one who goes at a speed, faces an angle from where the stick asks,
 * and pushes the stick and its trigger so far. */
static double laid_out_for(const char *rules, float facing, float stick, float run, float speed) {
    char all[128];
    snprintf(all, sizeof all, "rule strafe_smooth 1\n%s", rules); /* faces the camera at once */
    lane l;
    start(&l, all, 0);
    lane_set(&l, l.is->speed, speed);
    lane_set2(&l, l.is->facing_wanted, gali_facing_from_angle(facing));
    lane_set_input(&l, (gal_input){.move_x = stick * sinf(facing),
                                   .move_y = stick * cosf(facing),
                                   .run = run,
                                   .strafe = 1,
                                   .camera_yaw = facing});
    l.phases->predict(&l.lanes);
    double way = (double)place_at(&l, WINDOW - 1).z - (double)place_at(&l, PAST).z;
    lane_free(&l);
    return way;
}

static double laid_out_at(const char *rules, float facing, float stick, float speed) {
    return laid_out_for(rules, facing, stick, 0, speed);
}

static double laid_out(const char *rules, float facing) {
    return laid_out_at(rules, facing, 1, 0);
}

/* speed_push hurries who is slow, all the way: at rest all of the speed is missing. Sideways the other rule says by how much. */
static void starts_are_hurried_by_direction(void **unused) {
    (void)unused;
    static const char *const rules[] = {"", "rule speed_push 0.5\n",
                                        "rule speed_push 0.5\nrule speed_push_side 1\n",
                                        "rule speed_push_side 1\n"};
    static const double ahead[] = {1, 1.5, 1.5, 1}, aside[] = {1, 1.5, 2, 2};
    const float quarter = (float)(pi / 2);
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(laid_out(rules[i], 0) / laid_out("", 0) - ahead[i]) < 1e-4);
        double back = laid_out(rules[i], 2 * quarter) / laid_out("", 2 * quarter);
        assert_true(fabs(back - ahead[i]) < 1e-4);
        assert_true(fabs(laid_out(rules[i], quarter) / laid_out("", quarter) - aside[i]) < 1e-4);
        double slant = ahead[i] + (aside[i] - ahead[i]) * (1 - sqrt(0.5));
        assert_true(fabs(laid_out(rules[i], quarter / 2) / laid_out("", quarter / 2) - slant) < 1e-4);
    }
}

/* To the side nobody is hurried to more than a run that way, or than speed_push says: a run would begin in a squat. */
static void a_run_aside_is_not_hurried(void **unused) {
    (void)unused;
    static const char at_once[] = "rule velocity_smooth 1\n";
    static const char *const rules[] = {
        "rule velocity_smooth 1\nrule speed_push_side 2\n",
        "rule velocity_smooth 1\nrule speed_push 0.3\nrule speed_push_side 2\n"};
    static const double more[] = {1, 1.3};
    const float quarter = (float)(pi / 2);
    for (int i = 0; i < 2; i++) {
        double run = laid_out_for(at_once, quarter, 1, 1, 0);
        assert_true(fabs(laid_out_for(rules[i], quarter, 1, 1, 0) / run - more[i]) < 1e-4);
        double jog = laid_out_for(rules[i], quarter, 0.75f, 1, 0); /* to a run's speed, no further */
        assert_true(fabs(jog / run - fmax(1, 0.75 * more[i])) < 1e-4);
    }
}

/* Who is faster than he is told is not held back by it, and who is told to stand is not hurried. */
static void who_is_fast_or_stands_is_not_hurried(void **unused) {
    (void)unused;
    static const char push[] = "rule speed_push 0.5\n";
    static const struct {
        float stick, speed;
        double more;
    } cases[] = {{1, 0, 1.5}, {1, 20, 1}, {0.03f, 0, 1}};
    for (int i = 0; i < 3; i++) {
        double without = laid_out_at("", 0, cases[i].stick, cases[i].speed);
        assert_true(without > 0);
        assert_true(fabs(laid_out_at(push, 0, cases[i].stick, cases[i].speed) / without - cases[i].more) <
                    1e-4);
    }
}

/* ---- stops take their time ---- */

/* The wanted velocity after some frames of one who wanted 4 units a frame along +z, of a stick pushed so far at an angle from
 * that; the facing stays. */
static gali_vec2 wanted_after(int frames, const char *rules, float stick, float angle) {
    char all[160];
    snprintf(all, sizeof all,
             "rule speed_walk 6\nrule speed_side 1\nrule speed_back 1\nrule velocity_smooth 0.4\n%s", rules);
    lane l;
    start(&l, all, 0);
    lane_set2(&l, l.is->velocity_wanted, (gali_vec2){0, 4});
    lane_set2(&l, l.is->facing_wanted, (gali_vec2){0, 1});
    for (int i = 0; i < frames; i++) {
        lane_set_input(&l, (gal_input){.move_x = stick * sinf(angle), .move_y = stick * cosf(angle)});
        l.phases->predict(&l.lanes);
    }
    gali_vec2 wanted = lane_get2(&l, l.is->velocity_wanted);
    lane_free(&l);
    return wanted;
}

static void assert_wanted(gali_vec2 wanted, double x, double z) {
    assert_true(hypot((double)wanted.x - x, (double)wanted.z - z) < 1e-5);
}

static const char brake[] = "rule speed_brake 0.25\n";

/* By 0.25 a frame, and at last by velocity_smooth as ever. */
static void who_stops_brakes(void **unused) {
    (void)unused;
    assert_wanted(wanted_after(1, "", 0, 0), 0, 0.6 * 4);
    assert_wanted(wanted_after(1, brake, 0, 0), 0, 3.75);
    assert_wanted(wanted_after(12, brake, 0, 0), 0, 1);
    assert_wanted(wanted_after(15, brake, 0, 0), 0, 0.6 * 0.5);
    assert_wanted(wanted_after(1, brake, 0.01f, (float)pi), 0, 3.75); /* under stand_speed: stands */
}

/* The angle from +z towards where it goes. */
static double way_of(gali_vec2 velocity) {
    return atan2((double)velocity.x, (double)velocity.z);
}

/* Told 2.4 straight on or aslant he loses 0.25 of his speed in a frame, and turns as without; aside, about and faster he follows
 * as without. */
static void who_goes_slower_the_same_way_brakes(void **unused) {
    (void)unused;
    assert_wanted(wanted_after(2, brake, 0.4f, 0), 0, 3.5);
    gali_vec2 aslant = wanted_after(1, brake, 0.4f, (float)(pi / 5));
    assert_true(fabs(hypot((double)aslant.x, (double)aslant.z) - 3.75) < 1e-5);
    assert_true(fabs(way_of(aslant) - way_of(wanted_after(1, "", 0.4f, (float)(pi / 5)))) < 1e-5);
    const struct {
        float stick, angle;
    } others[] = {{0.4f, (float)(pi / 3)}, {0.4f, (float)pi}, {1, 0}, {1, (float)pi}};
    for (int i = 0; i < 4; i++) {
        gali_vec2 without = wanted_after(1, "", others[i].stick, others[i].angle);
        gali_vec2 with = wanted_after(1, brake, others[i].stick, others[i].angle);
        assert_memory_equal(&with, &without, sizeof with);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_are_hurried_by_direction),
        cmocka_unit_test(a_run_aside_is_not_hurried),
        cmocka_unit_test(who_is_fast_or_stands_is_not_hurried),
        cmocka_unit_test(who_stops_brakes),
        cmocka_unit_test(who_goes_slower_the_same_way_brakes),
        cmocka_unit_test(the_future_follows_the_rules),
        cmocka_unit_test(the_future_turns_on_as_the_wanted_facing_does),
        cmocka_unit_test(speeds_by_direction_are_asked_of_the_facing),
        cmocka_unit_test(a_step_aside_begins_in_its_phase),
        cmocka_unit_test(the_commanded_path_follows_the_rules),
        cmocka_unit_test(turning_on_the_spot_is_walking_where_asked),
        cmocka_unit_test(the_root_takes_its_step),
        cmocka_unit_test(the_phase_goes_on_at_least),
        cmocka_unit_test(the_future_is_the_predicted_one),
        cmocka_unit_test(the_future_goes_on_past_the_last_prediction),
    };
    return cmocka_run_group_tests_name("motion trajectory", tests, NULL, NULL);
}
