/*
 * The feature codec, block by block, against places worked out by hand in float64: axes and signs, the side of
 * the terrain, the frame of the last joints, and where each block stands.
 */
#include "mannequin.h"
#include "motion/codec.h"

enum { WINDOW = 70, PAST = 30, SAMPLES = 6, FUTURES = 4, GAITS = 4 };

static const int offsets[SAMPLES] = {-20, -10, 0, 10, 20, 30};

/* A character whose every number is different, on a path that curls; heights apart from the ground's. */
typedef struct state {
    gali_contract *contract;
    gali_character character;
    gal_vec3 path[WINDOW], position[MANNEQUIN_JOINTS], velocity[MANNEQUIN_JOINTS];
    gali_vec2 direction[WINDOW];
    float gait[WINDOW * GAITS];
    gal_transform pose[MANNEQUIN_JOINTS];
    double angle[WINDOW]; /* of direction */
} state;

static void make(state *s) {
    memset(s, 0, sizeof *s);
    s->contract = mannequin_contract(mannequin_biped);
    gali_character *c = &s->character;
    c->path.position = s->path;
    c->path.direction = s->direction;
    c->path.gait = s->gait;
    c->position = s->position;
    c->velocity = s->velocity;
    c->pose = s->pose;
    for (int i = 0; i < WINDOW; i++) {
        s->angle[i] = 2.0 + 0.03 * i;
        s->direction[i] = (gali_vec2){(float)sin(s->angle[i]), (float)cos(s->angle[i])};
        s->path[i] = (gal_vec3){100 + 2.5f * (float)i, 40 + 0.25f * (float)i, -30 - 1.5f * (float)i};
        for (int g = 0; g < GAITS; g++) {
            s->gait[i * GAITS + g] = (float)(i + 100 * g) / 1000;
        }
    }
    for (int j = 0; j < MANNEQUIN_JOINTS; j++) {
        s->position[j] = (gal_vec3){170 + 3 * (float)j, 90 - (float)j, -70 + 2 * (float)j};
        s->velocity[j] = (gal_vec3){0.5f * (float)j, 0.1f * (float)j, 1 - 0.25f * (float)j};
    }
    c->path.height = 49;
    c->path.height_before = 48;
}

/* The plain definition: x to the left of the facing, z along it. */
static void into(double angle, double dx, double dz, double *x, double *z) {
    *x = dx * cos(angle) - dz * sin(angle);
    *z = dx * sin(angle) + dz * cos(angle);
}

static float slanted(void *context, float x, float z) {
    (void)context;
    return 0.5f * x - 0.125f * z;
}

static const float *encoded(const state *s, float *x) {
    gali_ground ground = {slanted, NULL};
    for (uint32_t i = 0; i < s->contract->inputs; i++) {
        x[i] = NAN; /* every feature must be written */
    }
    gali_codec_encode(&s->character, s->contract, &ground, x);
    for (uint32_t i = 0; i < s->contract->inputs; i++) {
        assert_true(!isnan(x[i]));
    }
    return x;
}

/* The block's features, found by the place that counting the contract's lines by hand gives. */
enum {
    AT_VELOCITY = 0,
    AT_DIRECTION_Z = 27,
    AT_POSITION_X = 33,
    AT_HEIGHT_LEFT = 39,
    AT_RUN = 45,
    AT_POSITION_Z = 51,
    AT_CONSTANT = 57,
    AT_STAND = 60,
    AT_HEIGHT_RIGHT = 66,
    AT_JOINTS = 72,
    AT_CROUCH = 99,
    AT_DIRECTION_X = 105,
    AT_HEIGHT = 111,
    AT_WALK = 117,
    AT_END = 123,
};

static void near(double expected, float got, const char *what, int i) {
    if (!(fabs(expected - (double)got) <= 1e-4)) {
        fail_msg("%s %d: %.6f, expected %.6f", what, i, (double)got, expected);
    }
}

static void the_trajectory_is_in_the_frame_of_now(void **unused) {
    (void)unused;
    state s;
    float buffer[AT_END];
    make(&s);
    assert_int_equal(s.contract->inputs, AT_END);
    const float *x = encoded(&s, buffer);
    for (int i = 0; i < SAMPLES; i++) {
        int at = PAST + offsets[i];
        double px, pz, dx, dz;
        into(s.angle[PAST], (double)s.path[at].x - (double)s.path[PAST].x,
             (double)s.path[at].z - (double)s.path[PAST].z, &px, &pz);
        into(s.angle[PAST], sin(s.angle[at]), cos(s.angle[at]), &dx, &dz);
        near(px, x[AT_POSITION_X + i], "position.x", i);
        near(pz, x[AT_POSITION_Z + i], "position.z", i);
        near(dx, x[AT_DIRECTION_X + i], "direction.x", i);
        near(dz, x[AT_DIRECTION_Z + i], "direction.z", i);
        near(at / 1000.0, x[AT_STAND + i], "gait.stand", i);
        near((at + 100) / 1000.0, x[AT_WALK + i], "gait.walk", i);
        near((at + 200) / 1000.0, x[AT_RUN + i], "gait.run", i);
        near((at + 300) / 1000.0, x[AT_CROUCH + i], "gait.crouch", i);
    }
    for (int i = 0; i < 3; i++) {
        near(0.5, x[AT_CONSTANT + i], "constant", i);
    }
    gali_contract_release(s.contract, NULL);
}

/* Positive sides are to the left of the sample's own facing; the centre is the path's own height. */
static void heights_are_beside_each_sample(void **unused) {
    (void)unused;
    state s;
    float buffer[AT_END];
    make(&s);
    const float *x = encoded(&s, buffer);
    for (int i = 0; i < SAMPLES; i++) {
        int at = PAST + offsets[i];
        double left_x = cos(s.angle[at]), left_z = -sin(s.angle[at]); /* up x forward */
        for (int side = -1; side <= 1; side += 2) {
            double ground = 0.5 * ((double)s.path[at].x + side * 25 * left_x) -
                            0.125 * ((double)s.path[at].z + side * 25 * left_z);
            near(ground - 49, x[(side > 0 ? AT_HEIGHT_LEFT : AT_HEIGHT_RIGHT) + i], "height beside", i * side);
        }
        near((double)s.path[at].y - 49, x[AT_HEIGHT + i], "height", i);
    }
    gali_contract_release(s.contract, NULL);
}

/* The same in numbers that need no formula: facing +z, +x is the left hand and higher ground there is positive. */
static void left_is_plus_x(void **unused) {
    (void)unused;
    state s;
    float buffer[AT_END];
    make(&s);
    for (int i = 0; i < WINDOW; i++) {
        s.path[i] = (gal_vec3){0, 0, (float)(i - PAST)};
        s.direction[i] = (gali_vec2){0, 1};
    }
    s.character.path.height = 0;
    const float *x = encoded(&s, buffer);
    assert_true(x[AT_HEIGHT_LEFT + 2] == 12.5f && x[AT_HEIGHT_RIGHT + 2] == -12.5f);
    assert_true(x[AT_POSITION_Z + 3] == 10 && x[AT_POSITION_X + 3] == 0);
    s.path[PAST + 10].x = 8; /* to the left */
    assert_true(encoded(&s, buffer)[AT_POSITION_X + 3] == 8);
    for (int i = 0; i < WINDOW; i++) {
        s.direction[i] = (gali_vec2){1, 0}; /* facing +x: -z is the left */
        s.path[i] = (gal_vec3){(float)(i - PAST), 0, 0};
    }
    s.path[PAST + 10].z = -8;
    x = encoded(&s, buffer);
    assert_true(x[AT_POSITION_X + 3] == 8 && x[AT_POSITION_Z + 3] == 10);
    assert_true(x[AT_HEIGHT_LEFT + 2] == 25.0f / 8 && x[AT_HEIGHT_RIGHT + 2] == -25.0f / 8);
    gali_contract_release(s.contract, NULL);
}

static void joints_are_in_the_frame_before(void **unused) {
    (void)unused;
    state s;
    float buffer[AT_END];
    make(&s);
    const float *x = encoded(&s, buffer);
    for (int j = 0; j < MANNEQUIN_JOINTS; j++) {
        double px, pz, vx, vz;
        into(s.angle[PAST - 1], (double)s.position[j].x - (double)s.path[PAST - 1].x,
             (double)s.position[j].z - (double)s.path[PAST - 1].z, &px, &pz);
        into(s.angle[PAST - 1], (double)s.velocity[j].x, (double)s.velocity[j].z, &vx, &vz);
        near(px, x[AT_JOINTS + 3 * j], "joint x", j);
        near((double)s.position[j].y - 48, x[AT_JOINTS + 3 * j + 1], "joint y", j);
        near(pz, x[AT_JOINTS + 3 * j + 2], "joint z", j);
        near(vx, x[AT_VELOCITY + 3 * j], "velocity x", j);
        near((double)s.velocity[j].y, x[AT_VELOCITY + 3 * j + 1], "velocity y", j);
        near(vz, x[AT_VELOCITY + 3 * j + 2], "velocity z", j);
    }
    gali_contract_release(s.contract, NULL);
}

static void names_stand_where_the_features_do(void **unused) {
    (void)unused;
    static const struct {
        uint32_t at;
        const char *name;
    } expected[] = {
        {AT_VELOCITY + 4, "joint.velocity.LeftHip.y"},    {AT_DIRECTION_Z, "trajectory.direction.z[-20]"},
        {AT_HEIGHT_LEFT + 5, "trajectory.height.25[30]"}, {AT_HEIGHT_RIGHT + 2, "trajectory.height.-25[0]"},
        {AT_CROUCH + 3, "trajectory.gait.crouch[10]"},    {AT_JOINTS + 26, "joint.position.RightToe.z"},
        {AT_WALK + 1, "trajectory.gait.walk[-10]"}};
    gali_contract *contract = mannequin_contract(mannequin_biped);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char name[128];
        gali_contract_input_name(contract, expected[i].at, name, sizeof name);
        assert_string_equal(name, expected[i].name);
    }
    gali_contract_release(contract, NULL);
}

/* ---- decode ---- */

/* Outputs of the biped by hand: contacts 0, rotations 4, futures 31 and 35, joints 39, turn 66, velocities 67. */
enum { OUT_CONTACT = 0, OUT_ROTATION = 4, OUT_POSITION = 39, OUT_VELOCITY = 67, OUT_END = 105 };

static void fill_output(float *y) {
    memset(y, 0, OUT_END * sizeof *y);
    for (int j = 0; j < MANNEQUIN_JOINTS; j++) {
        float *rotation = y + OUT_ROTATION + 3 * j, *position = y + OUT_POSITION + 3 * j;
        rotation[0] = 0.1f * (float)j;
        rotation[1] = 0.3f - 0.05f * (float)j;
        rotation[2] = -0.2f;
        position[0] = 10 - (float)j;
        position[1] = 90 - 8 * (float)j;
        position[2] = 3 * (float)j;
        y[OUT_VELOCITY + 3 * j] = 0.2f * (float)j;
        y[OUT_VELOCITY + 3 * j + 1] = -0.1f;
        y[OUT_VELOCITY + 3 * j + 2] = 0.7f;
    }
    y[OUT_CONTACT] = -0.3f;
    y[OUT_CONTACT + 1] = 0.6f;
    y[OUT_CONTACT + 2] = 1.4f;
    y[OUT_CONTACT + 3] = NAN;
}

/* A rotation vector's matrix (Rodrigues) times v, in float64. */
static void rodrigues(const double r[3], const double v[3], double out[3]) {
    double angle = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    double k[3] = {r[0] / angle, r[1] / angle, r[2] / angle};
    double dot = k[0] * v[0] + k[1] * v[1] + k[2] * v[2];
    for (int i = 0; i < 3; i++) {
        int a = (i + 1) % 3, b = (i + 2) % 3;
        double cross = k[a] * v[b] - k[b] * v[a];
        out[i] = v[i] * cos(angle) + cross * sin(angle) + k[i] * dot * (1 - cos(angle));
    }
}

static void check_joint(const state *s, const float *y, int j) {
    double angle = s->angle[PAST], sine = sin(angle), cosine = cos(angle);
    const float *p = y + OUT_POSITION + 3 * j;
    double x = (double)p[0] * cosine + (double)p[2] * sine + (double)s->path[PAST].x;
    double z = -(double)p[0] * sine + (double)p[2] * cosine + (double)s->path[PAST].z;
    near(x, s->pose[j].position.x, "pose x", j);
    near((double)p[1] + 49, s->pose[j].position.y, "pose y", j);
    near(z, s->pose[j].position.z, "pose z", j);
    const float *half = y + OUT_ROTATION + 3 * j;
    double rotation[3] = {2 * (double)half[0], 2 * (double)half[1], 2 * (double)half[2]};
    double axis[3] = {1, 2, -3}, turned[3];
    rodrigues(rotation, axis, turned);
    gal_vec3 got = gali_quat_turn(s->pose[j].rotation, (gal_vec3){1, 2, -3});
    near(turned[0] * cosine + turned[2] * sine, got.x, "turned x", j);
    near(turned[1], got.y, "turned y", j);
    near(-turned[0] * sine + turned[2] * cosine, got.z, "turned z", j);
}

static void decode_is_the_way_back(void **unused) {
    (void)unused;
    state s;
    float y[OUT_END];
    make(&s);
    mannequin_desc desc = {.seed = 1};
    gal_controller *controller = mannequin_open(&desc);
    assert_int_equal(s.contract->outputs, OUT_END);
    fill_output(y);
    gal_vec3 before[MANNEQUIN_JOINTS];
    memcpy(before, s.position, sizeof before);
    gali_codec_decode(&s.character, controller, y, 0.5f);
    for (int j = 0; j < MANNEQUIN_JOINTS; j++) {
        check_joint(&s, y, j);
        const float *v = y + OUT_VELOCITY + 3 * j;
        double vx = (double)v[0] * cos(s.angle[PAST]) + (double)v[2] * sin(s.angle[PAST]);
        near(vx, s.velocity[j].x, "velocity x", j);
        near(((double)before[j].x + vx + (double)s.pose[j].position.x) / 2, s.position[j].x, "fed back x", j);
        near(((double)before[j].y - 0.1 + (double)s.pose[j].position.y) / 2, s.position[j].y, "fed back y", j);
    }
    const float *contact = s.character.contact;
    assert_true(contact[0] == 0 && contact[1] == 0.6f && contact[2] == 1 && contact[3] == 0);
    gali_codec_decode(&s.character, controller, y, 0);
    near((double)s.pose[3].position.z, s.position[3].z, "fed back as predicted", 3);
    gal_controller_close(controller);
    gali_contract_release(s.contract, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_trajectory_is_in_the_frame_of_now),
        cmocka_unit_test(heights_are_beside_each_sample),
        cmocka_unit_test(left_is_plus_x),
        cmocka_unit_test(joints_are_in_the_frame_before),
        cmocka_unit_test(names_stand_where_the_features_do),
        cmocka_unit_test(decode_is_the_way_back),
    };
    return cmocka_run_group_tests_name("motion codec", tests, NULL, NULL);
}
