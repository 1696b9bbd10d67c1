/*
 * A group whose network is evaluated elsewhere: rows and order are right, stand-ins stay here, and a runner that fails
 * costs no frame.
 */
#include "motion/mannequin.h"

enum { WALKERS = 150, FRAMES = 12, FAILS_AT = 5 };

static const mannequin_desc biped = {
    .wobble = 0.6f, .step_z = 1.5f, .phase = 0.02f, .contact = 0.7f, .seed = 11};

/* The network here, by the runner's interface; after `good` calls it fails with `status`. */
typedef struct elsewhere {
    const gal_network *network;
    uint32_t calls, good, most;
    gal_status status;
} elsewhere;

static gal_status run_elsewhere(void *context, const gal_network_batch *batch, gal_error *error) {
    elsewhere *at = context;
    at->most = batch->count > at->most ? batch->count : at->most;
    if (at->calls++ >= at->good) {
        memset(batch->y, 0xff, batch->count * sizeof(float)); /* what a failure leaves is nothing to go by */
        return at->status;
    }
    size_t size = gal_network_workspace_size(at->network, batch->count);
    void *workspace = gali_allocate(NULL, size);
    gal_status status = gal_network_run(at->network, batch, workspace, size, error);
    gali_release(NULL, workspace, size);
    return status;
}

static gal_crowd *walking(gal_controller *controller) {
    gal_crowd *crowd = crowd_of(controller, WALKERS, hills);
    for (uint32_t i = 0; i < WALKERS; i++) {
        gal_character who =
            crowd_add(crowd, (gal_spawn){.x = 30 * (float)i, .facing = 0.1f * (float)i, .phase = (float)i});
        gal_crowd_set_input(crowd, who, &(gal_input){.move_y = 1, .run = (float)(i % 3) / 2});
    }
    return crowd;
}

/* Steps a crowd by the runner beside one without: the same bits, whatever it does. */
static void expect_same(elsewhere *at, gal_status ends) {
    gal_controller *controller = mannequin_open(&biped);
    gal_crowd *crowd = walking(controller), *plain = walking(controller);
    size_t size = gal_crowd_runner_size(crowd, 0);
    void *memory = gali_allocate(NULL, size);
    const gal_network_runner runner = {.run = run_elsewhere, .context = at};
    at->network = gal_controller_network(controller);
    assert_int_equal(gal_crowd_runner_status(crowd, 0), GAL_NOT_FOUND);
    assert_int_equal(gal_crowd_set_runner(crowd, 0, &runner, memory, size, NULL), GAL_OK);
    assert_int_equal(gal_crowd_runner_status(crowd, 0), GAL_OK);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        gal_crowd_step(crowd);
        gal_crowd_step(plain);
        for (uint32_t i = 0; i < WALKERS; i++) {
            uint32_t joints;
            const gal_transform *pose = gal_crowd_pose(crowd, gal_crowd_at(crowd, i), &joints);
            assert_memory_equal(pose, gal_crowd_pose(plain, gal_crowd_at(plain, i), NULL),
                                joints * sizeof *pose);
        }
    }
    assert_int_equal(gal_crowd_runner_status(crowd, 0), ends);
    assert_int_equal(at->most, WALKERS); /* all at a time */
    gal_crowd_destroy(plain);
    gal_crowd_destroy(crowd);
    gali_release(NULL, memory, size);
    gal_controller_close(controller);
}

static void a_runner_evaluates_all_at_a_time(void **unused) {
    (void)unused;
    elsewhere at = {.good = FRAMES};
    expect_same(&at, GAL_OK);
    assert_int_equal(at.calls, FRAMES);
}

static void one_that_fails_is_left(void **unused) {
    (void)unused;
    elsewhere at = {.good = FAILS_AT, .status = GAL_IO};
    expect_same(&at, GAL_IO);
    assert_int_equal(at.calls, FAILS_AT + 1);
}

static void one_that_refuses_a_batch_is_asked_again(void **unused) {
    (void)unused;
    elsewhere at = {.good = FAILS_AT, .status = GAL_BAD_ARGUMENT};
    expect_same(&at, GAL_OK);
    assert_int_equal(at.calls, FRAMES);
}

static void what_is_asked_wrongly_is_refused(void **unused) {
    (void)unused;
    gal_controller *controller = mannequin_open(&biped);
    gal_crowd *crowd = walking(controller);
    elsewhere at = {.good = 0};
    const gal_network_runner runner = {.run = run_elsewhere, .context = &at};
    size_t size = gal_crowd_runner_size(crowd, 0);
    unsigned char *memory = gali_allocate(NULL, size + 64);
    assert_int_equal(gal_crowd_runner_size(crowd, 1), 0);
    assert_int_equal(gal_crowd_set_runner(crowd, 1, &runner, memory, size, NULL), GAL_BAD_ARGUMENT);
    assert_int_equal(gal_crowd_set_runner(crowd, 0, &runner, memory, size - 1, NULL), GAL_NO_MEMORY);
    assert_int_equal(gal_crowd_set_runner(crowd, 0, &runner, NULL, size, NULL), GAL_NO_MEMORY);
    assert_int_equal(gal_crowd_set_runner(crowd, 0, &runner, memory + 4, size, NULL), GAL_BAD_ARGUMENT);
    assert_int_equal(gal_crowd_set_runner(crowd, 0, &runner, memory, size, NULL), GAL_OK);
    assert_int_equal(gal_crowd_set_runner(crowd, 0, NULL, NULL, 0, NULL), GAL_OK);
    gal_crowd_step(crowd);
    assert_int_equal(at.calls, 0);
    assert_int_equal(gal_crowd_runner_status(crowd, 0), GAL_NOT_FOUND);
    gal_crowd_destroy(crowd);
    gali_release(NULL, memory, size + 64);
    gal_controller_close(controller);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_runner_evaluates_all_at_a_time),
        cmocka_unit_test(one_that_fails_is_left),
        cmocka_unit_test(one_that_refuses_a_batch_is_asked_again),
        cmocka_unit_test(what_is_asked_wrongly_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
