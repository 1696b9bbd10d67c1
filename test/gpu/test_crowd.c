/*
 * Crowds whose network runs on a device, waited for and pipelined, beside the same crowd here: poses within what devices round,
 * with characters that come and go, until the device fails with a frame under way. Skipped where there is no OpenCL device.
 */
#include "any_device.h"
#include "gpu/gpu.h"
#include "motion/mannequin.h"

enum { WALKERS = 40, FRAMES = 12, FAILS_AT = 8, PLACES = 64 };
static const float near = 0.05f; /* centimetres, after some frames in the loop */

static const mannequin_desc biped = {
    .wobble = 0.3f, .step_z = 1.5f, .phase = 0.02f, .contact = 0.7f, .seed = 21};

typedef struct pair {
    gal_controller *controller;
    gal_crowd *crowd, *plain;
    gal_gpu *gpu;
    void *memory;
    size_t size;
    gal_vec3 before[PLACES]; /* plain's hips before its last step, by place */
} pair;

static pair pair_open(uint32_t pipelined) {
    pair p = {.controller = NULL};
    synthetic model = mannequin_model(&biped);
    size_t size;
    unsigned char *bytes = synthetic_bytes(&model, &size);
    const gal_gpu_desc desc = {.capacity = PLACES, .pipelined = pipelined};
    gal_error error = {.status = GAL_OK};
    if (gal_gpu_open(&p.gpu, bytes, size, &desc, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    p.controller = mannequin_open_model(&model);
    p.crowd = crowd_of(p.controller, PLACES, hills);
    p.plain = crowd_of(p.controller, PLACES, hills);
    p.size = gal_crowd_runner_size(p.crowd, 0);
    p.memory = gali_allocate(NULL, p.size);
    const gal_network_runner runner = gal_gpu_runner(p.gpu);
    assert_int_equal(runner.start != NULL, pipelined);
    assert_int_equal(gal_crowd_set_runner(p.crowd, 0, &runner, p.memory, p.size, NULL), GAL_OK);
    free(bytes);
    synthetic_free(&model);
    return p;
}

static void pair_close(pair *p) {
    gal_crowd_destroy(p->plain);
    gal_crowd_destroy(p->crowd);
    gal_gpu_close(p->gpu); /* with a frame under way */
    gali_release(NULL, p->memory, p->size);
    gal_controller_close(p->controller);
}

static void pair_add(pair *p, uint32_t number) {
    const gal_spawn spawn = {.x = 30 * (float)number, .facing = 0.1f * (float)number, .phase = (float)number};
    const gal_input input = {.move_y = 1, .run = (float)(number % 3) / 2};
    gal_character who = crowd_add(p->crowd, spawn);
    assert_int_equal(crowd_add(p->plain, spawn), who);
    gal_crowd_set_input(p->crowd, who, &input);
    gal_crowd_set_input(p->plain, who, &input);
}

static void expect_frame(pair *p, int late) {
    for (uint32_t i = 0; i < gal_crowd_count(p->plain); i++) {
        gal_character who = gal_crowd_at(p->plain, i);
        p->before[(who & 0xffff) - 1] = gal_crowd_pose(p->plain, who, NULL)[0].position;
    }
    gal_crowd_step(p->crowd);
    gal_crowd_step(p->plain);
    for (uint32_t i = 0; i < gal_crowd_count(p->crowd); i++) {
        gal_character who = gal_crowd_at(p->crowd, i);
        gal_vec3 hips = gal_crowd_pose(p->crowd, who, NULL)[0].position,
                 there = late ? p->before[(who & 0xffff) - 1] : gal_crowd_pose(p->plain, who, NULL)[0].position;
        assert_true(distance(hips, there) < near);
    }
}

static void walk(uint32_t pipelined) {
    pair p = pair_open(pipelined);
    for (uint32_t i = 0; i < WALKERS; i++) {
        pair_add(&p, i);
    }
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        if (frame == FAILS_AT) {
            assert_null(gali_cl_build(&p.gpu->run.cl, "no kernel")); /* it fails with a frame under way */
        }
        expect_frame(&p, pipelined && frame < FAILS_AT);
        gal_character gone = gal_crowd_at(p.plain, frame);
        assert_int_equal(gal_crowd_runner_status(p.crowd, 0), frame < FAILS_AT ? GAL_OK : GAL_IO);
        gal_crowd_remove(p.crowd, gone);
        gal_crowd_remove(p.plain, gone);
        pair_add(&p, 100 + frame);
    }
    assert_int_equal(gal_crowd_resets(p.crowd), 0);
    pair_close(&p);
}

static void a_step_waits_for_the_device(void **state) {
    (void)state;
    walk(0);
}

static void a_step_takes_the_last_frames_result(void **state) {
    (void)state;
    walk(1);
}

/* Two crowds on one open network: each start abandons the other's rows, whose crowd evaluates them itself. */
static void two_crowds_never_mix(void **state) {
    (void)state;
    pair p = pair_open(1);
    gal_crowd *other = crowd_of(p.controller, PLACES, hills);
    void *memory = gali_allocate(NULL, p.size);
    const gal_network_runner runner = gal_gpu_runner(p.gpu);
    assert_int_equal(gal_crowd_set_runner(other, 0, &runner, memory, p.size, NULL), GAL_OK);
    for (uint32_t i = 0; i < WALKERS; i++) {
        pair_add(&p, i);
        crowd_add(other, (gal_spawn){.x = -40 * (float)i});
    }
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        expect_frame(&p, 1);
        gal_crowd_step(other);
    }
    assert_int_equal(gal_crowd_runner_status(p.crowd, 0), GAL_OK);
    gal_crowd_destroy(other);
    gali_release(NULL, memory, p.size);
    pair_close(&p);
}

int main(void) {
    if (!device_is_there()) {
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_waits_for_the_device),
        cmocka_unit_test(a_step_takes_the_last_frames_result),
        cmocka_unit_test(two_crowds_never_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
