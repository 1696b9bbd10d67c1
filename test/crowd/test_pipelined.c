/*
 * A group whose network is evaluated elsewhere, from step to step: what is seen is what another crowd shows, a frame later,
 * to the bit, while characters come, go, come back into the same places, leap and are put back; and a runner that fails with
 * rows under way costs no frame and leaves no lag behind.
 */
#include "motion/mannequin.h"

enum { WALKERS = 70, FRAMES = 24, PATIENCE = 1000, JOINTS_MOST = 64, PLACES = 96 };

static const mannequin_desc biped = {
    .wobble = 0.6f, .step_z = 1.5f, .phase = 0.02f, .contact = 0.7f, .seed = 12};

/* The network here, which reads its rows at the start and tells them at the finish. Starts and finishes are counted. */
typedef struct ahead {
    const gal_network *network;
    float *y;
    uint32_t outputs, count, starts, finishes, runs, good_starts, good_finishes;
    gal_status status;
} ahead;

static gal_status compute(ahead *at, const gal_network_batch *batch, float *y) {
    gal_network_batch own = *batch;
    size_t size = gal_network_workspace_size(at->network, batch->count);
    void *workspace = gali_allocate(NULL, size);
    own.y = y;
    gal_status status = gal_network_run(at->network, &own, workspace, size, NULL);
    gali_release(NULL, workspace, size);
    return status;
}

static gal_status run_ahead(void *context, const gal_network_batch *batch, gal_error *error) {
    ahead *at = context;
    (void)error;
    at->runs++;
    return compute(at, batch, batch->y);
}

static gal_status start_ahead(void *context, const gal_network_batch *batch, gal_error *error) {
    ahead *at = context;
    (void)error;
    free(at->y);
    at->count = batch->count;
    at->y = malloc((size_t)batch->count * at->outputs * sizeof *at->y);
    memset(batch->y, 0xff, (size_t)batch->count * at->outputs * sizeof *batch->y);
    return at->starts++ < at->good_starts ? compute(at, batch, at->y) : at->status;
}

static gal_status finish_ahead(void *context, const gal_network_batch *batch, gal_error *error) {
    ahead *at = context;
    (void)error;
    assert_int_equal(batch->count, at->count);
    if (at->finishes++ >= at->good_finishes) {
        return at->status;
    }
    memcpy(batch->y, at->y, (size_t)batch->count * at->outputs * sizeof *batch->y);
    return GAL_OK;
}

/* A crowd by the runner beside one without, to which the same is done. */
typedef struct pair {
    gal_controller *controller;
    gal_crowd *crowd, *plain;
    void *memory;
    size_t size;
    ahead at;
    gal_transform before[PLACES][JOINTS_MOST]; /* plain's poses before its last step, by place */
} pair;

static pair *pair_open(void) {
    pair *p = calloc(1, sizeof *p);
    p->controller = mannequin_open(&biped);
    p->crowd = crowd_of(p->controller, PLACES, hills);
    p->plain = crowd_of(p->controller, PLACES, hills);
    p->size = gal_crowd_runner_size(p->crowd, 0);
    p->memory = gali_allocate(NULL, p->size);
    p->at = (ahead){.network = gal_controller_network(p->controller),
                    .outputs = p->controller->contract->outputs,
                    .good_starts = PATIENCE,
                    .good_finishes = PATIENCE};
    const gal_network_runner runner = {run_ahead, &p->at, start_ahead, finish_ahead};
    assert_int_equal(gal_crowd_set_runner(p->crowd, 0, &runner, p->memory, p->size, NULL), GAL_OK);
    return p;
}

static void pair_close(pair *p) {
    gal_crowd_destroy(p->plain);
    gal_crowd_destroy(p->crowd);
    gali_release(NULL, p->memory, p->size);
    gal_controller_close(p->controller);
    free(p->at.y);
    free(p);
}

static gal_character pair_add(pair *p, uint32_t number) {
    const gal_spawn spawn = {.x = 30 * (float)number, .facing = 0.1f * (float)number, .phase = (float)number};
    const gal_input input = {.move_y = 1, .run = (float)(number % 3) / 2};
    gal_character who = crowd_add(p->crowd, spawn), same = crowd_add(p->plain, spawn);
    assert_int_equal(who, same);
    gal_crowd_set_input(p->crowd, who, &input);
    gal_crowd_set_input(p->plain, who, &input);
    return who;
}

static void pair_remove(pair *p, gal_character who) {
    assert_int_equal(gal_crowd_remove(p->crowd, who), GAL_OK);
    assert_int_equal(gal_crowd_remove(p->plain, who), GAL_OK);
}

static void keep_poses(pair *p) {
    for (uint32_t i = 0; i < gal_crowd_count(p->plain); i++) {
        uint32_t joints;
        gal_character who = gal_crowd_at(p->plain, i);
        const gal_transform *pose = gal_crowd_pose(p->plain, who, &joints);
        memcpy(p->before[(who & 0xffff) - 1], pose, joints * sizeof *pose);
    }
}

/* A frame of both; the pipelined crowd shows what the other showed `late` frames ago, 0 or 1. */
static void expect_frame(pair *p, int late) {
    keep_poses(p);
    gal_crowd_step(p->crowd);
    gal_crowd_step(p->plain);
    for (uint32_t i = 0; i < gal_crowd_count(p->crowd); i++) {
        uint32_t joints;
        gal_character who = gal_crowd_at(p->crowd, i);
        const gal_transform *pose = gal_crowd_pose(p->crowd, who, &joints);
        assert_memory_equal(pose, late ? p->before[(who & 0xffff) - 1] : gal_crowd_pose(p->plain, who, NULL),
                            joints * sizeof *pose);
    }
}

static void it_is_a_frame_late(void **unused) {
    (void)unused;
    pair *p = pair_open();
    for (uint32_t i = 0; i < WALKERS; i++) {
        pair_add(p, i);
    }
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        expect_frame(p, 1);
    }
    assert_int_equal(p->at.starts, FRAMES);
    assert_int_equal(p->at.finishes, FRAMES - 1);
    assert_int_equal(p->at.runs, 0);
    pair_close(p);
}

/* Every frame some go, some come, some into places that others have just left. */
static void rows_stay_whose_they_are(void **unused) {
    (void)unused;
    pair *p = pair_open();
    for (uint32_t i = 0; i < WALKERS; i++) {
        pair_add(p, i);
    }
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        expect_frame(p, 1);
        for (uint32_t k = 0; k < 3; k++) {
            pair_remove(p, gal_crowd_at(p->plain, (frame * 7 + k * 19) % gal_crowd_count(p->plain)));
        }
        for (uint32_t k = 0; k < frame % 5; k++) {
            pair_add(p, 1000 + frame * 10 + k);
        }
    }
    assert_int_equal(gal_crowd_resets(p->crowd), 0);
    pair_close(p);
}

/* Removed and added at once: the place's new character must not move by the old one's row. */
static void a_place_taken_anew_stands(void **unused) {
    (void)unused;
    pair *p = pair_open();
    gal_character first = pair_add(p, 1), last = pair_add(p, 2);
    expect_frame(p, 1);
    expect_frame(p, 1);
    pair_remove(p, first);
    gal_character anew = pair_add(p, 3);
    assert_int_equal(first & 0xffff, anew & 0xffff);
    expect_frame(p, 1);
    expect_frame(p, 1);
    pair_remove(p, anew);
    pair_remove(p, last);
    expect_frame(p, 1); /* nobody is left of what was sent */
    pair_add(p, 4);
    expect_frame(p, 1);
    expect_frame(p, 1);
    pair_close(p);
}

/* A leap moves what is under way with it: shown as it was before the leap, moved. */
static void one_that_leaps_goes_on_there(void **unused) {
    (void)unused;
    pair *p = pair_open();
    gal_character who = pair_add(p, 1);
    for (uint32_t frame = 0; frame < 10; frame++) {
        expect_frame(p, 1);
    }
    gal_character_state there = {0};
    assert_int_equal(gal_crowd_teleport(p->crowd, who, 4000, -3000, 0), GAL_OK);
    gal_crowd_step(p->crowd);
    gal_crowd_state(p->crowd, who, &there);
    assert_true(fabsf(there.root.x - 4000) < 10 && fabsf(there.root.z + 3000) < 10);
    assert_int_equal(gal_crowd_resets(p->crowd), 0);
    pair_close(p);
}

static void what_was_sent_before_a_restore_is_nobodys(void **unused) {
    (void)unused;
    pair *p = pair_open();
    for (uint32_t i = 0; i < WALKERS; i++) {
        pair_add(p, i);
    }
    for (uint32_t frame = 0; frame < 5; frame++) {
        expect_frame(p, 1);
    }
    size_t size = gal_crowd_snapshot_size(p->plain), used;
    void *bytes = malloc(size);
    assert_int_equal(gal_crowd_save(p->plain, bytes, size, &used), GAL_OK);
    assert_int_equal(gal_crowd_restore(p->crowd, bytes, used, NULL), GAL_OK);
    for (uint32_t frame = 0; frame < 5; frame++) {
        expect_frame(p, 1);
    }
    free(bytes);
    pair_close(p);
}

static void expect_failure(uint32_t good_starts, uint32_t good_finishes, gal_status status, int lasts) {
    pair *p = pair_open();
    p->at.good_starts = good_starts;
    p->at.good_finishes = good_finishes;
    p->at.status = status;
    for (uint32_t i = 0; i < WALKERS; i++) {
        pair_add(p, i);
    }
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        uint32_t failed = good_starts < good_finishes ? good_starts : good_finishes;
        expect_frame(p, lasts || frame <= failed);
    }
    assert_int_equal(gal_crowd_runner_status(p->crowd, 0), lasts ? GAL_OK : status);
    pair_close(p);
}

static void one_that_fails_leaves_no_lag(void **unused) {
    (void)unused;
    expect_failure(PATIENCE, 6, GAL_IO, 0);
    expect_failure(6, PATIENCE, GAL_IO, 0);
    expect_failure(PATIENCE, 6, GAL_BAD_ARGUMENT, 1); /* that batch's fault: the next is sent again */
    expect_failure(6, PATIENCE, GAL_BAD_ARGUMENT, 1);
}

/* Those that are evaluated for several frames are waited for; the others stay a frame late. */
static void slower_paces_are_waited_for(void **unused) {
    (void)unused;
    pair *p = pair_open();
    gal_character fast = pair_add(p, 1), slow = pair_add(p, 2);
    gal_crowd_set_pace(p->crowd, slow, &(gal_pace){.frames = 4});
    gal_crowd_set_pace(p->plain, slow, &(gal_pace){.frames = 4});
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        uint32_t joints;
        keep_poses(p);
        gal_crowd_step(p->crowd);
        gal_crowd_step(p->plain);
        const gal_transform *pose = gal_crowd_pose(p->crowd, fast, &joints);
        assert_memory_equal(pose, p->before[(fast & 0xffff) - 1], joints * sizeof *pose);
        assert_memory_equal(gal_crowd_pose(p->crowd, slow, NULL), gal_crowd_pose(p->plain, slow, NULL),
                            joints * sizeof *pose);
    }
    assert_int_equal(p->at.runs, FRAMES / 4);
    pair_close(p);
}

static void without_it_the_crowd_goes_on_here(void **unused) {
    (void)unused;
    pair *p = pair_open();
    pair_add(p, 1);
    expect_frame(p, 1);
    assert_int_equal(gal_crowd_set_runner(p->crowd, 0, NULL, NULL, 0, NULL), GAL_OK);
    memset(p->memory, 0xff, p->size);
    gal_crowd_step(p->crowd);
    assert_int_equal(gal_crowd_resets(p->crowd), 0);
    const gal_network_runner half = {run_ahead, &p->at, start_ahead, NULL};
    assert_int_equal(gal_crowd_set_runner(p->crowd, 0, &half, p->memory, p->size, NULL), GAL_BAD_ARGUMENT);
    pair_close(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_a_frame_late),
        cmocka_unit_test(rows_stay_whose_they_are),
        cmocka_unit_test(a_place_taken_anew_stands),
        cmocka_unit_test(one_that_leaps_goes_on_there),
        cmocka_unit_test(what_was_sent_before_a_restore_is_nobodys),
        cmocka_unit_test(one_that_fails_leaves_no_lag),
        cmocka_unit_test(slower_paces_are_waited_for),
        cmocka_unit_test(without_it_the_crowd_goes_on_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
