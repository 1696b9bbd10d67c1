/*
 * BVH export, read back by a small reader of the test's own: forward kinematics of the channels is forward
 * kinematics of the pose's rotations on the rest skeleton.
 */
#define _XOPEN_SOURCE 700
#include "motion/mannequin.h"

#include "command_line.h"
#include "show/bvh.h"
#include "show/recording.h"
#include "space.h"

enum { FRAMES = 90, CHANNELS_MAX = 3 + 3 * 32 };

typedef struct bvh {
    char names[32][64];
    int parents[32];
    gal_vec3 offsets[32];
    int joints, channels, frames;
    double frame_time;
    FILE *file;
} bvh;

static void read_hierarchy(bvh *b) {
    char word[64];
    int path[33], depth = 0, end_site = 0;
    while (fscanf(b->file, "%63s", word) == 1 && strcmp(word, "MOTION") != 0) {
        if (strcmp(word, "ROOT") == 0 || strcmp(word, "JOINT") == 0) {
            b->parents[b->joints] = depth > 0 ? path[depth - 1] : -1;
            assert_int_equal(fscanf(b->file, "%63s", b->names[b->joints++]), 1);
        } else if (strcmp(word, "End") == 0) {
            end_site = 1;
        } else if (strcmp(word, "{") == 0) {
            path[depth++] = b->joints - 1;
        } else if (strcmp(word, "}") == 0) {
            depth--;
            end_site = 0;
        } else if (strcmp(word, "OFFSET") == 0) {
            gal_vec3 v;
            assert_int_equal(fscanf(b->file, "%f %f %f", &v.x, &v.y, &v.z), 3);
            b->offsets[b->joints - 1] = end_site ? b->offsets[b->joints - 1] : v;
        } else if (strcmp(word, "CHANNELS") == 0) {
            int count;
            assert_int_equal(fscanf(b->file, "%d", &count), 1);
            b->channels += count;
        }
    }
    assert_int_equal(depth, 0);
    assert_int_equal(fscanf(b->file, " Frames: %d Frame Time: %lf", &b->frames, &b->frame_time), 2);
}

static gal_quat turn(gal_vec3 axis, float degrees) {
    return gali_quat_from_axis(axis, degrees * GALI_PI / 180);
}

/* The next frame's joints in the world. */
static void read_frame(bvh *b, gal_transform *world) {
    float c[CHANNELS_MAX];
    for (int i = 0; i < b->channels; i++) {
        assert_int_equal(fscanf(b->file, "%f", &c[i]), 1);
    }
    for (int j = 0; j < b->joints; j++) {
        const float *angle = c + 3 + 3 * j;
        gal_quat q = gali_quat_mul(
            turn((gal_vec3){0, 0, 1}, angle[0]),
            gali_quat_mul(turn((gal_vec3){1, 0, 0}, angle[1]), turn((gal_vec3){0, 1, 0}, angle[2])));
        gal_transform local = {j == 0 ? (gal_vec3){c[0], c[1], c[2]} : b->offsets[j], q};
        world[j] = b->parents[j] < 0 ? local : gali_transform_mul(world[b->parents[j]], local);
    }
}

/* The pose's rotations on the contract's bones. */
static void rigid(const gali_contract *contract, const gal_transform *pose, gal_vec3 *out) {
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        int32_t p = contract->joints[j].parent;
        out[j] =
            p < 0 ? pose[j].position
                  : gali_vec3_add(out[p], gali_quat_turn(pose[p].rotation, contract->joints[j].rest.position));
    }
}

static int joint_of(const gali_contract *contract, const char *name) {
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        if (strcmp(contract->joints[j].name, name) == 0) {
            return (int)j;
        }
    }
    fail_msg("no joint %s", name);
    return -1;
}

static void compare(const gali_contract *contract, const gal_transform *poses, uint32_t frames) {
    gal_error error = {0};
    gal_transform world[32];
    gal_vec3 expected[GALI_JOINTS_MAX];
    bvh b = {0};
    assert_int_equal(gali_bvh_write(place_of("a.bvh"), contract, poses, frames, &error), GAL_OK);
    b.file = fopen(place_of("a.bvh"), "rb");
    assert_non_null(b.file);
    read_hierarchy(&b);
    assert_int_equal(b.joints, contract->joint_count);
    assert_int_equal(b.channels, 3 + 3 * b.joints);
    assert_int_equal(b.frames, frames);
    assert_true(fabs(b.frame_time - 1 / (double)contract->rate) < 1e-7);
    for (uint32_t f = 0; f < frames; f++) {
        read_frame(&b, world);
        rigid(contract, poses + (size_t)f * contract->joint_count, expected);
        for (int j = 0; j < b.joints; j++) {
            assert_true(distance(world[j].position, expected[joint_of(contract, b.names[j])]) < 0.1f);
        }
    }
    fclose(b.file);
}

static void play(void *context, uint32_t character, uint32_t frame, const gal_character_state *state,
                 gal_input *input) {
    (void)context;
    (void)character;
    (void)state;
    *input = (gal_input){.move_y = 1, .move_x = frame > 30 ? 0.5f : 0};
}

static void exports_a_run(void **state) {
    (void)state;
    mannequin_desc desc = {.wobble = 1, .step_z = 2, .turn = 0.01f, .phase = 0.02f, .seed = 5};
    gal_controller *controller = mannequin_open(&desc);
    char *text = mannequin_text(&desc);
    gali_contract *contract = mannequin_contract(text);
    gal_spawn spawn = {0};
    gali_recording recording;
    gal_error error = {0};
    gali_recording_desc run = {
        .controller = controller, .characters = 1, .frames = FRAMES, .spawns = &spawn, .player = play};
    assert_int_equal(gali_recording_make(&recording, &run, &error), GAL_OK);
    compare(contract, recording.poses, FRAMES);
    gali_recording_release(&recording);
    gali_contract_release(contract, NULL);
    gal_controller_close(controller);
    free(text);
}

/* Rotations all around, right angles about x among them, where the Euler angles are not unique. */
static void exports_every_rotation(void **state) {
    (void)state;
    gali_contract *contract = mannequin_contract(mannequin_biped);
    gal_transform poses[FRAMES][MANNEQUIN_JOINTS];
    uint64_t seed = 3;
    for (int f = 0; f < FRAMES; f++) {
        for (int j = 0; j < MANNEQUIN_JOINTS; j++) {
            gal_quat q = {synthetic_uniform(&seed), synthetic_uniform(&seed), synthetic_uniform(&seed),
                          synthetic_uniform(&seed)};
            gal_quat right = gali_quat_mul(turn((gal_vec3){1, 0, 0}, f % 2 ? 90 : -90),
                                           turn((gal_vec3){0, 1, 0}, 7.0f * (float)j));
            poses[f][j] = (gal_transform){{10 * q.x, 90, 10 * q.z}, f < 60 ? gali_quat_unit(q) : right};
        }
    }
    compare(contract, &poses[0][0], FRAMES);
    gali_contract_release(contract, NULL);
}

static void names_a_path_that_cannot_be(void **state) {
    (void)state;
    gali_contract *contract = mannequin_contract(mannequin_biped);
    gal_error error = {0};
    assert_int_equal(gali_bvh_write("no/such/folder/a.bvh", contract, NULL, 0, &error), GAL_IO);
    expect_text(error.message, "no/such/folder/a.bvh");
    gali_contract_release(contract, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exports_a_run),
        cmocka_unit_test(exports_every_rotation),
        cmocka_unit_test(names_a_path_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, place_make, place_remove);
}
