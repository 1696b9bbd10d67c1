/*
 * The feature codec, block by block, against places worked out by hand in float64: axes and signs, the side of
 * the terrain, the frame of the last joints, and where each block stands.
 */
#include "lane.h"

enum { WINDOW = 70, PAST = 30, SAMPLES = 6, FUTURES = 4, GAITS = 4 };

static const int offsets[SAMPLES] = {-20, -10, 0, 10, 20, 30};

/* A character whose every number is different, on a path that curls; heights apart from the ground's. */
typedef struct state {
    lane l;
    gal_vec3 path[WINDOW];
    gali_vec2 direction[WINDOW];
    double angle[WINDOW]; /* of direction */
} state;

static float slanted(void *context, float x, float z) {
    (void)context;
    return 0.5f * x - 0.125f * z;
}

/* The path to where features are read from: now, the frame before, and the contract's samples. */
static void lay_path(state *s) {
    lane *l = &s->l;
    float *before = lane_record(l, 1);
    lane_set3(l, l->is->root, s->path[PAST]);
    lane_set2(l, l->is->facing, s->direction[PAST]);
    memcpy(before + GALI_RECORD_PLACE, &s->path[PAST - 1], sizeof s->path[0]);
    memcpy(before + GALI_RECORD_FACING, &s->direction[PAST - 1], sizeof s->direction[0]);
    for (uint32_t k = 0; k < SAMPLES; k++) {
        int i = PAST + offsets[k];
        *lane_sample(l, GALI_RECORD_PLACE, k) = s->path[i].x;
        *lane_sample(l, GALI_RECORD_PLACE + 1, k) = s->path[i].y;
        *lane_sample(l, GALI_RECORD_PLACE + 2, k) = s->path[i].z;
        *lane_sample(l, GALI_RECORD_FACING, k) = s->direction[i].x;
        *lane_sample(l, GALI_RECORD_FACING + 1, k) = s->direction[i].z;
        for (uint32_t g = 0; g < GAITS; g++) {
            *lane_sample(l, GALI_RECORD_GAIT + g, k) = (float)(i + 100 * (int)g) / 1000;
        }
    }
}

static void make(state *s) {
    static const mannequin_desc desc = {.seed = 1};
    memset(s, 0, sizeof *s);
    lane *l = &s->l;
    lane_make(l, &desc, slanted, 0, 0, 0);
    for (int i = 0; i < WINDOW; i++) {
        s->angle[i] = 2.0 + 0.03 * i;
        s->direction[i] = (gali_vec2){(float)sin(s->angle[i]), (float)cos(s->angle[i])};
        s->path[i] = (gal_vec3){100 + 2.5f * (float)i, 40 + 0.25f * (float)i, -30 - 1.5f * (float)i};
    }
    lay_path(s);
    for (uint32_t j = 0; j < MANNEQUIN_JOINTS; j++) {
        float n = (float)j;
        lane_set3(l, l->is->joint_place + 3 * j, (gal_vec3){170 + 3 * n, 90 - n, -70 + 2 * n});
        lane_set3(l, l->is->joint_velocity + 3 * j, (gal_vec3){0.5f * n, 0.1f * n, 1 - 0.25f * n});
    }
    lane_set(l, l->is->height, 49);
    lane_set(l, l->is->height_before, 48);
}

/* The plain definition: x to the left of the facing, z along it. */
static void into(double angle, double dx, double dz, double *x, double *z) {
    *x = dx * cos(angle) - dz * sin(angle);
    *z = dx * sin(angle) + dz * cos(angle);
}

static const float *encoded(state *s) {
    lane *l = &s->l;
    for (uint32_t i = 0; i < l->contract->inputs; i++) {
        l->x[i] = NAN; /* every feature must be written */
    }
    l->phases->encode(&l->lanes);
    for (uint32_t i = 0; i < l->contract->inputs; i++) {
        assert_true(!isnan(l->x[i]));
    }
    return l->x;
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
    make(&s);
    assert_int_equal(s.l.contract->inputs, AT_END);
    const float *x = encoded(&s);
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
    lane_free(&s.l);
}

/* Positive sides are to the left of the sample's own facing; the centre is the path's own height. */
static void heights_are_beside_each_sample(void **unused) {
    (void)unused;
    state s;
    make(&s);
    const float *x = encoded(&s);
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
    lane_free(&s.l);
}

/* The same in numbers that need no formula: facing +z, +x is the left hand and higher ground there is positive. */
static void left_is_plus_x(void **unused) {
    (void)unused;
    state s;
    make(&s);
    for (int i = 0; i < WINDOW; i++) {
        s.path[i] = (gal_vec3){0, 0, (float)(i - PAST)};
        s.direction[i] = (gali_vec2){0, 1};
    }
    lane_set(&s.l, s.l.is->height, 0);
    lay_path(&s);
    const float *x = encoded(&s);
    assert_true(x[AT_HEIGHT_LEFT + 2] == 12.5f && x[AT_HEIGHT_RIGHT + 2] == -12.5f);
    assert_true(x[AT_POSITION_Z + 3] == 10 && x[AT_POSITION_X + 3] == 0);
    s.path[PAST + 10].x = 8; /* to the left */
    lay_path(&s);
    assert_true(encoded(&s)[AT_POSITION_X + 3] == 8);
    for (int i = 0; i < WINDOW; i++) {
        s.direction[i] = (gali_vec2){1, 0}; /* facing +x: -z is the left */
        s.path[i] = (gal_vec3){(float)(i - PAST), 0, 0};
    }
    s.path[PAST + 10].z = -8;
    lay_path(&s);
    x = encoded(&s);
    assert_true(x[AT_POSITION_X + 3] == 8 && x[AT_POSITION_Z + 3] == 10);
    assert_true(x[AT_HEIGHT_LEFT + 2] == 25.0f / 8 && x[AT_HEIGHT_RIGHT + 2] == -25.0f / 8);
    lane_free(&s.l);
}

static void joints_are_in_the_frame_before(void **unused) {
    (void)unused;
    state s;
    make(&s);
    const float *x = encoded(&s);
    for (int j = 0; j < MANNEQUIN_JOINTS; j++) {
        double px, pz, vx, vz;
        gal_vec3 place = lane_get3(&s.l, s.l.is->joint_place + 3 * (uint32_t)j);
        gal_vec3 velocity = lane_get3(&s.l, s.l.is->joint_velocity + 3 * (uint32_t)j);
        into(s.angle[PAST - 1], (double)place.x - (double)s.path[PAST - 1].x,
             (double)place.z - (double)s.path[PAST - 1].z, &px, &pz);
        into(s.angle[PAST - 1], (double)velocity.x, (double)velocity.z, &vx, &vz);
        near(px, x[AT_JOINTS + 3 * j], "joint x", j);
        near((double)place.y - 48, x[AT_JOINTS + 3 * j + 1], "joint y", j);
        near(pz, x[AT_JOINTS + 3 * j + 2], "joint z", j);
        near(vx, x[AT_VELOCITY + 3 * j], "velocity x", j);
        near((double)velocity.y, x[AT_VELOCITY + 3 * j + 1], "velocity y", j);
        near(vz, x[AT_VELOCITY + 3 * j + 2], "velocity z", j);
    }
    lane_free(&s.l);
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
    const gal_transform pose = lane_pose(&s->l, (uint32_t)j);
    double angle = s->angle[PAST], sine = sin(angle), cosine = cos(angle);
    const float *p = y + OUT_POSITION + 3 * j;
    double x = (double)p[0] * cosine + (double)p[2] * sine + (double)s->path[PAST].x;
    double z = -(double)p[0] * sine + (double)p[2] * cosine + (double)s->path[PAST].z;
    near(x, pose.position.x, "pose x", j);
    near((double)p[1] + 49, pose.position.y, "pose y", j);
    near(z, pose.position.z, "pose z", j);
    const float *half = y + OUT_ROTATION + 3 * j;
    double rotation[3] = {2 * (double)half[0], 2 * (double)half[1], 2 * (double)half[2]};
    double axis[3] = {1, 2, -3}, turned[3];
    rodrigues(rotation, axis, turned);
    gal_vec3 got = gali_quat_turn(pose.rotation, (gal_vec3){1, 2, -3});
    near(turned[0] * cosine + turned[2] * sine, got.x, "turned x", j);
    near(turned[1], got.y, "turned y", j);
    near(-turned[0] * sine + turned[2] * cosine, got.z, "turned z", j);
}

static void decode_is_the_way_back(void **unused) {
    (void)unused;
    state s;
    make(&s);
    lane *l = &s.l;
    const float *y = l->y;
    assert_int_equal(l->contract->outputs, OUT_END);
    fill_output(l->y);
    gal_vec3 before[MANNEQUIN_JOINTS];
    for (uint32_t j = 0; j < MANNEQUIN_JOINTS; j++) {
        before[j] = lane_get3(l, l->is->joint_place + 3 * j);
    }
    l->lanes.smooth = 0.5f;
    l->phases->decode(&l->lanes);
    l->phases->contact(&l->lanes);
    for (int j = 0; j < MANNEQUIN_JOINTS; j++) {
        check_joint(&s, y, j);
        const float *v = y + OUT_VELOCITY + 3 * j;
        gal_vec3 pose = lane_pose(l, (uint32_t)j).position;
        gal_vec3 fed_back = lane_get3(l, l->is->joint_place + 3 * (uint32_t)j);
        double vx = (double)v[0] * cos(s.angle[PAST]) + (double)v[2] * sin(s.angle[PAST]);
        near(vx, lane_get(l, l->is->joint_velocity + 3 * (uint32_t)j), "velocity x", j);
        near(((double)before[j].x + vx + (double)pose.x) / 2, fed_back.x, "fed back x", j);
        near(((double)before[j].y - 0.1 + (double)pose.y) / 2, fed_back.y, "fed back y", j);
    }
    static const float contacts[] = {0, 0.6f, 1, 0};
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(lane_get(l, l->is->contact + i) == contacts[i]);
    }
    l->lanes.smooth = 0;
    l->phases->decode(&l->lanes);
    near((double)lane_pose(l, 3).position.z, lane_get(l, l->is->joint_place + 3 * 3 + 2),
         "fed back as predicted", 3);
    lane_free(l);
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
