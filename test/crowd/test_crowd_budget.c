/*
 * A crowd that keeps to a budget: what it does when there is room and when there is none, that it does the same everywhere,
 * and that it goes on where a snapshot left it.
 */
#include "crowd/crowd_parts.h"
#include "motion/mannequin.h"

static const mannequin_desc biped = {
    .wobble = 0.6f, .step_z = 1.5f, .phase = 0.02f, .contact = 0.7f, .seed = 11};
static const mannequin_desc coarse = {
    .wobble = 0.5f, .step_z = 1.5f, .phase = 0.02f, .contact = 0.7f, .seed = 12};

enum { EACH = 60, ALL = 2 * EACH, FRAMES = 120 };

static gal_controller *bipeds, *others, *stand_in;

static int open_controllers(void **unused) {
    (void)unused;
    bipeds = mannequin_open(&biped);
    others = mannequin_open(&biped);
    stand_in = mannequin_open(&coarse);
    return 0;
}

static int close_controllers(void **unused) {
    (void)unused;
    gal_controller_close(bipeds);
    gal_controller_close(others);
    gal_controller_close(stand_in);
    return 0;
}

static gal_crowd *crowd_of_two(const gal_parallel *parallel) {
    const gal_group_desc groups[2] = {{.controller = bipeds, .capacity = EACH, .stand_ins = {stand_in}},
                                      {.controller = others, .capacity = EACH, .frames_most = 4}};
    gal_crowd *crowd;
    gal_crowd_desc desc = {.groups = groups, .group_count = 2, .ground = hills, .parallel = parallel};
    assert_int_equal(gal_crowd_create(&crowd, &desc, NULL), GAL_OK);
    return crowd;
}

static void fill(gal_crowd *crowd, gal_character *who) {
    for (uint32_t i = 0; i < ALL; i++) {
        who[i] =
            crowd_add(crowd, (gal_spawn){.x = 90 * (float)(i / 10), .z = 90 * (float)(i % 10), .group = i % 2});
    }
}

/* A camera goes past; inputs change now and then. */
static void play(gal_crowd *crowd, const gal_character *who, uint32_t frame) {
    for (uint32_t i = 0; i < ALL; i++) {
        if (who[i]) {
            float t = floorf((float)frame / 40) + (float)i;
            gal_input input = {.move_x = sinf(t), .move_y = cosf(t), .run = i % 5 == 0};
            gal_crowd_set_input(crowd, who[i], &input);
            gal_crowd_set_priority(crowd, who[i], 100 / (1 + fabsf((float)i - 0.25f * (float)frame)));
        }
    }
    gal_crowd_step(crowd);
}

static void expect_equal(const gal_crowd *a, const gal_crowd *b) {
    size_t size = gal_crowd_snapshot_size(a), x = 0, y = 0;
    unsigned char *here = malloc(size), *there = malloc(size);
    assert_int_equal(gal_crowd_save(a, here, size, &x), GAL_OK);
    assert_int_equal(gal_crowd_save(b, there, size, &y), GAL_OK);
    assert_int_equal(x, y);
    assert_memory_equal(here, there, x);
    free(here);
    free(there);
}

static void expect_equal_poses(const gal_crowd *a, const gal_crowd *b, const gal_character *who) {
    for (uint32_t i = 0; i < ALL; i++) {
        assert_memory_equal(gal_crowd_pose(a, who[i], NULL), gal_crowd_pose(b, who[i], NULL),
                            MANNEQUIN_JOINTS * sizeof(gal_transform));
    }
}

static float cost_of_all(void) {
    gal_crowd *crowd = crowd_of_two(NULL);
    gal_character who[ALL];
    fill(crowd, who);
    assert_int_equal(gal_crowd_set_budget(crowd, &(gal_budget){.microseconds = INFINITY}), GAL_OK);
    gal_crowd_step(crowd);
    float cost = gal_crowd_load(crowd).microseconds;
    gal_crowd_destroy(crowd);
    return cost;
}

/* No budget, one without end, one that is just enough: the same bits. */
static void with_room_it_is_as_without(void **unused) {
    (void)unused;
    gal_crowd *plain = crowd_of_two(NULL), *endless = crowd_of_two(NULL), *enough = crowd_of_two(NULL);
    gal_character who[ALL];
    const float budgets[2] = {INFINITY, cost_of_all()};
    fill(plain, who);
    fill(endless, who);
    fill(enough, who);
    gal_crowd_set_budget(endless, &(gal_budget){.microseconds = budgets[0]});
    gal_crowd_set_budget(enough, &(gal_budget){.microseconds = budgets[1] + 0.01f});
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        play(plain, who, frame);
        play(endless, who, frame);
        play(enough, who, frame);
        expect_equal_poses(plain, endless, who);
        expect_equal_poses(plain, enough, who);
        assert_int_equal(gal_crowd_load(enough).evaluated, ALL);
    }
    assert_true(gal_crowd_load(plain).evaluated == 0 && gal_crowd_load(plain).microseconds == 0);
    gal_crowd_destroy(plain);
    gal_crowd_destroy(endless);
    gal_crowd_destroy(enough);
}

static uint32_t left_of(const gal_crowd *crowd, gal_character who) {
    return crowd->paces[gali_crowd_place(crowd, who)].left;
}

/* Part of what it would take: the budget holds, near ones are evaluated more often, everybody within 8, or as the group says. */
static void it_keeps_to_what_it_has(void **unused) {
    (void)unused;
    static const float parts[] = {0.6f, 0.45f};
    for (size_t part = 0; part < 2; part++) {
        gal_crowd *crowd = crowd_of_two(NULL);
        gal_character who[ALL];
        uint32_t idle[ALL] = {0};
        float frames[2] = {0, 0}, seen[2] = {0, 0};
        float budget = cost_of_all() * parts[part];
        fill(crowd, who);
        gal_crowd_set_budget(crowd, &(gal_budget){.microseconds = budget});
        for (uint32_t frame = 0; frame < FRAMES; frame++) {
            play(crowd, who, frame);
            gal_load load = gal_crowd_load(crowd);
            assert_int_equal(load.evaluated + load.bridged + load.waiting, ALL);
            assert_true(frame < 16 || load.microseconds <= 1.02f * budget);
            for (uint32_t i = 0; i < ALL; i++) {
                gal_pace pace;
                gal_crowd_pace(crowd, who[i], &pace);
                idle[i] = left_of(crowd, who[i]) + 1u == pace.frames ? 0 : idle[i] + 1;
                assert_true(frame < 16 || idle[i] < (i % 2 ? 4 : 8));
                assert_true(frame < 16 || pace.frames <= (i % 2 ? 4u : 8u));
                assert_true(pace.level == 0 || i % 2 == 0);
                uint32_t at = frame / 4, away = i > at ? i - at : at - i;
                frames[away > 20] += away < 4 || away > 20 ? (float)pace.frames : 0;
                seen[away > 20] += away < 4 || away > 20 ? 1 : 0;
            }
        }
        assert_true(1.5f * frames[0] / seen[0] < frames[1] / seen[1]); /* near ones more often than far ones */
        assert_int_equal(gal_crowd_resets(crowd), 0);
        gal_crowd_destroy(crowd);
    }
}

/* Without a clock: two crowds, one on two threads, choose the same and are the same. */
static void it_is_the_same_twice(void **unused) {
    (void)unused;
    const gal_parallel parallel = {two_threads, NULL, 2};
    gal_crowd *one = crowd_of_two(NULL), *two = crowd_of_two(&parallel);
    gal_character who[ALL];
    float budget = cost_of_all() / 3;
    fill(one, who);
    fill(two, who);
    gal_crowd_set_budget(one, &(gal_budget){.microseconds = budget});
    gal_crowd_set_budget(two, &(gal_budget){.microseconds = budget});
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        play(one, who, frame);
        play(two, who, frame);
    }
    expect_equal(one, two);
    gal_crowd_destroy(one);
    gal_crowd_destroy(two);
}

/* Saved among removals and newcomers; the restored crowd chooses as the saved one does. */
static void a_restored_crowd_chooses_as_the_saved_one(void **unused) {
    (void)unused;
    gal_crowd *crowd = crowd_of_two(NULL), *other = crowd_of_two(NULL);
    gal_character who[ALL];
    gal_budget budget = {.microseconds = cost_of_all() / 5};
    fill(crowd, who);
    gal_crowd_set_budget(crowd, &budget);
    gal_crowd_set_budget(other, &budget);
    for (uint32_t frame = 0; frame < 61; frame++) {
        play(crowd, who, frame);
    }
    for (uint32_t i = 3; i < 40; i += 2) {
        gal_crowd_remove(crowd, who[i]);
        who[i] = crowd_add(crowd, (gal_spawn){.x = (float)i, .group = 1});
    }
    size_t size = gal_crowd_snapshot_size(crowd), used;
    unsigned char *bytes = malloc(size);
    assert_int_equal(gal_crowd_save(crowd, bytes, size, &used), GAL_OK);
    assert_int_equal(gal_crowd_restore(other, bytes, used, NULL), GAL_OK);
    for (uint32_t frame = 61; frame < FRAMES; frame++) {
        play(crowd, who, frame);
        play(other, who, frame);
        assert_int_equal(gal_crowd_load(crowd).evaluated, gal_crowd_load(other).evaluated);
    }
    expect_equal(crowd, other);
    free(bytes);
    gal_crowd_destroy(crowd);
    gal_crowd_destroy(other);
}

static double slow_clock(void *context) {
    double *now = context;
    return *now += 1e-3;
}

typedef struct tape {
    unsigned char *data;
    size_t size, room;
} tape;

static void write_tape(void *context, const void *data, size_t size) {
    tape *t = context;
    assert_true(t->size + size <= t->room);
    memcpy(t->data + t->size, data, size);
    t->size += size;
}

/* Budget, priorities and paces are recorded; what was chosen is chosen again, and every frame has its hash. */
static void a_recording_chooses_again(void **unused) {
    (void)unused;
    gal_crowd *crowd = crowd_of_two(NULL), *other = crowd_of_two(NULL);
    gal_character who[ALL];
    double time = 0;
    const gal_budget by_clock = {.microseconds = 1, .clock = slow_clock, .clock_context = &time};
    tape t = {.room = 1 << 24};
    gal_replay replay;
    uint64_t hash;
    t.data = aligned_alloc(64, t.room);
    fill(crowd, who);
    gal_crowd_set_budget(crowd, &(gal_budget){.microseconds = cost_of_all() / 3});
    play(crowd, who, 0);
    assert_int_equal(gal_crowd_record(crowd, write_tape, &t, NULL), GAL_OK);
    assert_int_equal(gal_crowd_set_budget(crowd, &by_clock), GAL_BAD_ARGUMENT);
    for (uint32_t frame = 1; frame < 40; frame++) {
        if (frame == 20) {
            gal_crowd_set_budget(crowd, &(gal_budget){.microseconds = cost_of_all() / 2});
            gal_crowd_set_pace(crowd, who[4], &(gal_pace){.frames = 3, .level = 1});
        }
        play(crowd, who, frame);
    }
    assert_int_equal(gal_replay_open(&replay, t.data, t.size, NULL), GAL_OK);
    assert_int_equal(gal_replay_begin(&replay, other, NULL), GAL_OK);
    for (uint32_t frame = 1; frame < 40; frame++) {
        assert_int_equal(gal_replay_step(&replay, other, &hash, NULL), GAL_OK);
        assert_true(gal_crowd_hash(other) == hash);
    }
    expect_equal(crowd, other);
    gal_crowd_record(crowd, NULL, NULL, NULL);
    assert_int_equal(gal_crowd_set_budget(crowd, &by_clock), GAL_OK);
    assert_int_equal(gal_crowd_record(crowd, write_tape, &t, NULL), GAL_BAD_ARGUMENT);
    free(t.data);
    gal_crowd_destroy(crowd);
    gal_crowd_destroy(other);
}

/* By a clock by which everything takes a hundred times what is nominal it learns that, and does less. */
static void by_a_clock_it_learns(void **unused) {
    (void)unused;
    gal_crowd *crowd = crowd_of_two(NULL);
    gal_character who[ALL];
    double now = 0;
    gal_budget budget = {.microseconds = cost_of_all(), .clock = slow_clock, .clock_context = &now};
    fill(crowd, who);
    assert_int_equal(gal_crowd_set_budget(crowd, &budget), GAL_OK);
    play(crowd, who, 0);
    uint32_t at_first = gal_crowd_load(crowd).evaluated;
    for (uint32_t frame = 1; frame < FRAMES; frame++) {
        play(crowd, who, frame);
    }
    assert_true(gal_crowd_load(crowd).evaluated < at_first / 3);
    assert_true(gal_crowd_load(crowd).microseconds >= 1000);
    gal_crowd_destroy(crowd);
}

static void extremes_do_no_harm(void **unused) {
    (void)unused;
    static const float budgets[] = {0, 1e-30f, 1, 3e38f, INFINITY},
                       priorities[] = {NAN, -1, 0, INFINITY, 1e-45f};
    gal_crowd *crowd = crowd_of_two(NULL);
    gal_character who[ALL];
    fill(crowd, who);
    assert_int_equal(gal_crowd_set_budget(crowd, &(gal_budget){.microseconds = NAN}), GAL_BAD_ARGUMENT);
    assert_int_equal(gal_crowd_set_budget(crowd, &(gal_budget){.microseconds = -1}), GAL_BAD_ARGUMENT);
    assert_int_equal(gal_crowd_set_priority(crowd, 0, 1), GAL_NOT_FOUND);
    for (uint32_t frame = 0; frame < 100; frame++) {
        gal_crowd_set_budget(crowd,
                             frame % 20 == 19 ? NULL : &(gal_budget){.microseconds = budgets[frame / 3 % 5]});
        gal_crowd_set_priority(crowd, who[frame % ALL], priorities[frame % 5]);
        if (frame % 3 == 0) {
            gal_crowd_remove(crowd, who[frame]);
            who[frame] = crowd_add(crowd, (gal_spawn){.group = frame % 2});
        }
        gal_crowd_step(crowd);
    }
    gal_crowd_set_budget(crowd, NULL);
    for (uint32_t frame = 0; frame < 9; frame++) {
        gal_crowd_step(crowd);
    }
    for (uint32_t i = 0; i < ALL; i++) {
        gal_pace pace;
        gal_crowd_pace(crowd, who[i], &pace);
        assert_true(pace.frames == 1 && pace.level == 0 && left_of(crowd, who[i]) == 0);
    }
    gal_crowd_destroy(crowd);
}

static void frames_most_is_a_power_of_two(void **unused) {
    (void)unused;
    const gal_group_desc group = {.controller = bipeds, .capacity = 1, .frames_most = 3};
    gal_error error = {0};
    gal_crowd *crowd;
    gal_crowd_desc desc = {.groups = &group, .group_count = 1};
    assert_int_equal(gal_crowd_create(&crowd, &desc, &error), GAL_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "frames_most is 3, expected 1, 2, 4 or 8"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_room_it_is_as_without),
        cmocka_unit_test(it_keeps_to_what_it_has),
        cmocka_unit_test(it_is_the_same_twice),
        cmocka_unit_test(a_restored_crowd_chooses_as_the_saved_one),
        cmocka_unit_test(by_a_clock_it_learns),
        cmocka_unit_test(a_recording_chooses_again),
        cmocka_unit_test(extremes_do_no_harm),
        cmocka_unit_test(frames_most_is_a_power_of_two),
    };
    return cmocka_run_group_tests(tests, open_controllers, close_controllers);
}
