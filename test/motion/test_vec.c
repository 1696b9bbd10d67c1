/* Quaternions against float64 matrices, facings, and height fields. */
#include "mannequin.h"

typedef struct matrix {
    double m[3][3];
} matrix;

static matrix matrix_of(gal_quat q) {
    double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    return (matrix){{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                     {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                     {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
}

/* exp of the skew matrix of a rotation vector, by Rodrigues' formula. */
static matrix matrix_exp(const double r[3]) {
    double angle = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    double s = angle > 1e-9 ? sin(angle) / angle : 1,
           c = angle > 1e-9 ? (1 - cos(angle)) / (angle * angle) : 0.5;
    double k[3][3] = {{0, -r[2], r[1]}, {r[2], 0, -r[0]}, {-r[1], r[0], 0}};
    matrix out;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double square = 0;
            for (int l = 0; l < 3; l++) {
                square += k[i][l] * k[l][j];
            }
            out.m[i][j] = (i == j) + s * k[i][j] + c * square;
        }
    }
    return out;
}

static double difference(matrix a, matrix b) {
    double most = 0;
    for (int i = 0; i < 9; i++) {
        most = fmax(most, fabs(a.m[i / 3][i % 3] - b.m[i / 3][i % 3]));
    }
    return most;
}

static double length_of(gal_quat q) {
    return sqrt((double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z +
                (double)q.w * (double)q.w);
}

static gal_vec3 random_vector(uint64_t *state, float scale) {
    return (gal_vec3){scale * synthetic_uniform(state), scale * synthetic_uniform(state),
                      scale * synthetic_uniform(state)};
}

static void the_exponential_map_is_half_the_rotation_vector(void **unused) {
    (void)unused;
    uint64_t state = 3;
    static const float scales[] = {0, 1e-8f, 1e-6f, 1e-3f, 0.1f, 1, 3, 10};
    for (int i = 0; i < 400; i++) {
        gal_vec3 half = random_vector(&state, scales[i % 8]);
        double r[3] = {2 * (double)half.x, 2 * (double)half.y, 2 * (double)half.z};
        gal_quat q = gali_quat_exp(half);
        assert_true(fabs(length_of(q) - 1) < 1e-6);
        assert_true(difference(matrix_of(q), matrix_exp(r)) < 2e-6 * (1 + (double)scales[i % 8]));
    }
    gal_quat turn = gali_quat_exp((gal_vec3){0, 0.785398163f, 0}); /* a quarter turn about y: +z goes to +x */
    gal_vec3 v = gali_quat_turn(turn, (gal_vec3){0, 0, 1});
    assert_true(fabsf(v.x - 1) < 1e-6f && fabsf(v.y) < 1e-6f && fabsf(v.z) < 1e-6f);
}

/* The two columns of a float64 rotation give that rotation, also when they are scaled or a little skewed. */
static void columns_give_the_rotation(void **unused) {
    (void)unused;
    uint64_t state = 4;
    for (int i = 0; i < 500; i++) {
        gal_vec3 v = random_vector(&state, 4);
        double r[3] = {(double)v.x, (double)v.y, (double)v.z};
        matrix m = matrix_exp(r);
        float grow = i % 3 ? 1.0f : 7.5f, skew = i % 2 ? 0.0f : 0.3f;
        gal_vec3 x = {(float)m.m[0][0] * grow, (float)m.m[1][0] * grow, (float)m.m[2][0] * grow};
        gal_vec3 y = {(float)m.m[0][1] + skew * x.x, (float)m.m[1][1] + skew * x.y,
                      (float)m.m[2][1] + skew * x.z};
        gal_quat q = gali_quat_from_columns(x, y);
        assert_true(fabs(length_of(q) - 1) < 1e-6);
        if (difference(matrix_of(q), m) > 3e-6) {
            fail_msg("rotation %d: off by %g", i, difference(matrix_of(q), m));
        }
    }
}

static void columns_without_a_direction_give_some_rotation(void **unused) {
    (void)unused;
    static const gal_vec3 none = {0, 0, 0}, x = {1, 0, 0}, y = {0, 3, 0}, z = {0, 0, -2};
    const gal_vec3 pairs[][2] = {{none, none}, {none, y}, {x, none}, {x, x}, {y, y}, {z, z}, {y, none}, {z, y}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        gal_quat q = gali_quat_from_columns(pairs[i][0], pairs[i][1]);
        assert_true(fabs(length_of(q) - 1) < 1e-6);
    }
    gal_quat q = gali_quat_from_columns((gal_vec3){0, 1, 0}, (gal_vec3){-1, 0, 0}); /* about +z: x to y */
    gal_vec3 v = gali_quat_turn(q, (gal_vec3){1, 0, 0});
    assert_true(fabsf(v.x) < 1e-6f && fabsf(v.y - 1) < 1e-6f && fabsf(v.z) < 1e-6f);
}

static void products_turn_one_after_the_other(void **unused) {
    (void)unused;
    uint64_t state = 5;
    for (int i = 0; i < 100; i++) {
        gal_quat a = gali_quat_exp(random_vector(&state, 2)), b = gali_quat_exp(random_vector(&state, 2));
        gal_vec3 v = random_vector(&state, 3);
        gal_vec3 once = gali_quat_turn(gali_quat_mul(a, b), v), twice = gali_quat_turn(a, gali_quat_turn(b, v));
        assert_true(distance(once, twice) < 1e-5f);
        gal_quat none = gali_quat_mul(a, gali_quat_conjugate(a));
        assert_true(fabsf(none.w - 1) < 1e-6f);
        matrix m = matrix_of(a);
        gal_vec3 turned = gali_quat_turn(a, v);
        double x = m.m[0][0] * (double)v.x + m.m[0][1] * (double)v.y + m.m[0][2] * (double)v.z;
        assert_true(fabs(x - (double)turned.x) < 1e-5);
    }
}

static void turns_into_a_facing_go_back(void **unused) {
    (void)unused;
    gali_vec2 left = gali_vec2_turn((gali_vec2){1, 0}, (gali_vec2){1, 0}); /* +x of one who faces +x is -z */
    assert_true(left.x == 0 && left.z == -1);
    gali_vec2 back =
        gali_vec2_unturn((gali_vec2){0.6f, 0.8f}, gali_vec2_turn((gali_vec2){0.6f, 0.8f}, (gali_vec2){3, -2}));
    assert_true(fabsf(back.x - 3) < 1e-6f && fabsf(back.z + 2) < 1e-6f);
}

/* ---- height fields ---- */

/* Nothing outside the twelve heights may be read: a NaN would show. */
static const float guarded[5 + 3 * 4 + 5] = {NAN, NAN, NAN, NAN, NAN,  0,   1,   2,   3,   10,  20,
                                             30,  40,  -5,  8,   0.5f, 100, NAN, NAN, NAN, NAN, NAN};
static const float *const heights = guarded + 5;
static gal_height_field field = {guarded + 5, 3, 4, 2.5f, -10, 7};

static float at_grid(float column, float row) {
    return gal_height_field_ground(&field, -10 + 2.5f * column, 7 + 2.5f * row);
}

static void a_height_field_is_exact_at_its_corners(void **unused) {
    (void)unused;
    for (uint32_t row = 0; row < 3; row++) {
        for (uint32_t column = 0; column < 4; column++) {
            assert_true(at_grid((float)column, (float)row) == heights[row * 4 + column]);
        }
    }
}

static void a_height_field_is_bilinear_between(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < 50; i++) {
        double u = (i * 7 % 25) / 25.0, v = (i * 3 % 10) / 10.0;
        for (uint32_t cell = 0; cell < 6; cell++) {
            uint32_t c = cell % 3, r = cell / 3;
            const float *h = heights + r * 4 + c;
            double low = (double)h[0] * (1 - u) + (double)h[1] * u,
                   high = (double)h[4] * (1 - u) + (double)h[5] * u;
            float got = at_grid((float)(c + u), (float)(r + v));
            assert_true(fabs(low * (1 - v) + high * v - (double)got) < 1e-4);
        }
    }
    assert_true(at_grid(0.5f, 0) == 0.5f && at_grid(0, 0.5f) == 5);
}

static void outside_a_height_field_the_border_goes_on(void **unused) {
    (void)unused;
    assert_true(at_grid(-5, 0) == 0 && at_grid(-5, 1) == 10 && at_grid(9, 1) == 40 && at_grid(9, -9) == 3);
    assert_true(at_grid(1, -3) == 1 && at_grid(1, 50) == 8 && at_grid(99, 99) == 100 && at_grid(-99, 99) == -5);
    assert_true(gal_height_field_ground(&field, 3e38f, 3e38f) == 100);
    assert_true(gal_height_field_ground(&field, -INFINITY, INFINITY) == -5);
    assert_true(isfinite(gal_height_field_ground(&field, NAN, NAN)));
    assert_true(fabsf(at_grid(-7, 0.5f) - 5) < 1e-5f); /* along the border it is linear still */
    static const float four[4] = {1, 2, 3, 4};
    gal_height_field least = {four, 2, 2, 1, 0, 0};
    assert_true(gal_height_field_ground(&least, 0.5f, 0.5f) == 2.5f &&
                gal_height_field_ground(&least, 1, 1) == 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exponential_map_is_half_the_rotation_vector),
        cmocka_unit_test(columns_give_the_rotation),
        cmocka_unit_test(columns_without_a_direction_give_some_rotation),
        cmocka_unit_test(products_turn_one_after_the_other),
        cmocka_unit_test(turns_into_a_facing_go_back),
        cmocka_unit_test(a_height_field_is_exact_at_its_corners),
        cmocka_unit_test(a_height_field_is_bilinear_between),
        cmocka_unit_test(outside_a_height_field_the_border_goes_on),
    };
    return cmocka_run_group_tests_name("motion vectors and ground", tests, NULL, NULL);
}
