/*
 * A crowd of several controllers: each character moves as it does in a crowd of its own, bit for bit; handles, order,
 * snapshots and limits hold for all of them.
 */
#include "crowd/crowd_parts.h"
#include "motion/mannequin.h"

static const mannequin_desc biped = {
    .wobble = 0.6f, .step_z = 1.5f, .phase = 0.02f, .contact = 0.7f, .seed = 11};

enum { WALKERS, DOGS, BIPEDS, GROUPS, EACH = 12, ALL = GROUPS * EACH, FRAMES = 70 };

static gal_controller *controllers[GROUPS];

static gal_controller *open_model(const char *path) {
    gal_controller *controller;
    gal_error error = {0};
    if (gal_controller_open(&controller, path, NULL, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return controller;
}

static int open_controllers(void **unused) {
    (void)unused;
    controllers[WALKERS] = open_model(GALLOP_SOURCE_DIR "/models/walker.gallop");
    controllers[DOGS] = open_model(GALLOP_SOURCE_DIR "/models/dog.gallop");
    controllers[BIPEDS] = mannequin_open(&biped);
    return 0;
}

static int close_controllers(void **unused) {
    (void)unused;
    for (uint32_t g = 0; g < GROUPS; g++) {
        gal_controller_close(controllers[g]);
    }
    return 0;
}

static gal_crowd *mixed_crowd(uint32_t each, uint32_t last, const gal_parallel *parallel) {
    const gal_group_desc groups[GROUPS] = {{.controller = controllers[WALKERS], .capacity = each},
                                           {.controller = controllers[DOGS], .capacity = each},
                                           {.controller = controllers[BIPEDS], .capacity = last}};
    gal_crowd_desc desc = {.groups = groups, .group_count = GROUPS, .ground = hills, .parallel = parallel};
    gal_crowd *crowd;
    gal_error error = {0};
    if (gal_crowd_create(&crowd, &desc, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return crowd;
}

static gal_spawn spawn_of(uint32_t actor) {
    float a = (float)actor;
    return (gal_spawn){.x = 40 * a - 300, .z = 23 * a, .facing = 0.7f * a, .phase = a, .group = actor % GROUPS};
}

static gal_input input_of(uint32_t actor, uint32_t frame) {
    float a = (float)actor, t = (float)frame;
    return (gal_input){.move_x = sinf(0.04f * t + a),
                       .move_y = cosf(0.02f * t - a),
                       .run = actor % 4 == 1 ? 1 : 0,
                       .jump = frame % 30 == actor % 30};
}

/* Plays a frame of every actor that is there, in one crowd or each in its own. */
static void play(gal_crowd *crowd, const gal_character *ids, uint32_t frame) {
    for (uint32_t a = 0; a < ALL; a++) {
        if (ids[a]) {
            gal_input input = input_of(a, frame);
            assert_int_equal(gal_crowd_set_input(crowd, ids[a], &input), GAL_OK);
        }
    }
    gal_crowd_step(crowd);
}

static void add_all(gal_crowd *crowd, gal_character *ids) {
    for (uint32_t a = 0; a < ALL; a++) {
        ids[a] = crowd_add(crowd, spawn_of(a));
    }
}

static void expect_same(const gal_crowd *crowd, gal_character id, const gal_crowd *other, gal_character twin) {
    gal_character_state a, b;
    uint32_t joints, also;
    const gal_transform *p = gal_crowd_pose(crowd, id, &joints), *q = gal_crowd_pose(other, twin, &also);
    assert_int_equal(joints, also);
    assert_memory_equal(p, q, joints * sizeof *p);
    assert_int_equal(gal_crowd_state(crowd, id, &a), GAL_OK);
    assert_int_equal(gal_crowd_state(other, twin, &b), GAL_OK);
    assert_memory_equal(&a, &b, sizeof a);
}

static void check_alone(const gal_parallel *parallel) {
    gal_crowd *mixed = mixed_crowd(EACH, EACH, parallel), *own[GROUPS];
    gal_character ids[ALL], twins[ALL];
    add_all(mixed, ids);
    for (uint32_t g = 0; g < GROUPS; g++) {
        own[g] = crowd_of(controllers[g], EACH, hills);
    }
    for (uint32_t a = 0; a < ALL; a++) {
        gal_spawn at = spawn_of(a);
        at.group = 0;
        twins[a] = crowd_add(own[a % GROUPS], at);
        assert_ptr_equal(gal_crowd_controller(mixed, ids[a]), controllers[a % GROUPS]);
    }
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        for (uint32_t a = 0; a < ALL; a++) {
            gal_input input = input_of(a, frame);
            gal_crowd_set_input(own[a % GROUPS], twins[a], &input);
        }
        play(mixed, ids, frame);
        for (uint32_t g = 0; g < GROUPS; g++) {
            gal_crowd_step(own[g]);
        }
        for (uint32_t a = 0; a < ALL; a++) {
            expect_same(mixed, ids[a], own[a % GROUPS], twins[a]);
        }
    }
    assert_int_equal(gal_crowd_resets(mixed), 0);
    for (uint32_t g = 0; g < GROUPS; g++) {
        gal_crowd_destroy(own[g]);
    }
    gal_crowd_destroy(mixed);
}

static void each_moves_as_in_a_crowd_of_its_own(void **unused) {
    (void)unused;
    const gal_parallel parallel = {two_threads, NULL, 2};
    check_alone(NULL);
    check_alone(&parallel);
}

static void handles_and_order_are_one(void **unused) {
    (void)unused;
    gal_crowd *crowd = mixed_crowd(EACH, EACH, NULL);
    gal_character ids[ALL], more;
    gal_transform local[64];
    add_all(crowd, ids);
    assert_int_equal(gal_crowd_count(crowd), ALL);
    for (uint32_t a = 0; a < ALL; a++) {
        assert_int_equal(gal_crowd_at(crowd, a), ids[a]);
        assert_int_equal(gal_crowd_pose_local(crowd, ids[a], local), GAL_OK);
        assert_int_equal(gal_crowd_pose_between(crowd, ids[a], 0.5f, local), GAL_OK);
        assert_int_equal(gal_crowd_teleport(crowd, ids[a], 10, 20, 1), GAL_OK);
        assert_true(gal_crowd_trajectory(crowd, ids[a], NULL, NULL, 0) ==
                    controllers[a % GROUPS]->contract->sample_count);
    }
    assert_int_equal(gal_crowd_add(crowd, &(gal_spawn){.group = DOGS}, &more), GAL_FULL);
    assert_int_equal(gal_crowd_add(crowd, &(gal_spawn){.group = GROUPS}, &more), GAL_BAD_ARGUMENT);
    assert_int_equal(gal_crowd_remove(crowd, ids[3 + DOGS]), GAL_OK);
    assert_int_equal(gal_crowd_add(crowd, &(gal_spawn){.group = WALKERS}, &more), GAL_FULL);
    assert_int_equal(gal_crowd_at(crowd, 3 + DOGS), ids[4 + DOGS]);
    assert_null(gal_crowd_controller(crowd, ids[3 + DOGS]));
    assert_int_equal(gal_crowd_add(crowd, &(gal_spawn){.group = DOGS}, &more), GAL_OK);
    assert_true(more != ids[3 + DOGS]);
    assert_int_equal(gal_crowd_at(crowd, ALL - 1), more);
    gal_crowd_step(crowd);
    gal_crowd_destroy(crowd);
}

/* Back into itself, and into a crowd whose last group is larger; not where another group's places would move. */
static void snapshots_hold_all_groups(void **unused) {
    (void)unused;
    gal_crowd *crowd = mixed_crowd(EACH, EACH, NULL), *roomy = mixed_crowd(EACH, EACH + 2, NULL),
              *other = mixed_crowd(EACH + 1, EACH, NULL), *alone = crowd_of(controllers[WALKERS], EACH, NULL);
    gal_character ids[ALL];
    gal_error error = {0};
    add_all(crowd, ids);
    for (uint32_t frame = 0; frame < 20; frame++) {
        play(crowd, ids, frame);
    }
    assert_int_equal(gal_crowd_remove(crowd, ids[7]), GAL_OK);
    ids[7] = 0;
    size_t size = gal_crowd_snapshot_size(crowd), used = 0;
    unsigned char *bytes = malloc(size), *again = malloc(size);
    assert_int_equal(gal_crowd_save(crowd, bytes, size, &used), GAL_OK);
    assert_true(used < size);
    assert_int_equal(gal_crowd_restore(roomy, bytes, used, &error), GAL_OK);
    assert_int_equal(gal_crowd_restore(other, bytes, used, &error), GAL_BAD_DATA);
    assert_non_null(strstr(error.message, "a group of 12 places, the crowd's has 13"));
    assert_int_equal(gal_crowd_restore(alone, bytes, used, &error), GAL_BAD_DATA);
    assert_non_null(strstr(error.message, "of 3 groups"));
    for (uint32_t frame = 20; frame < 40; frame++) {
        play(crowd, ids, frame);
        play(roomy, ids, frame);
    }
    for (uint32_t a = 0; a < ALL; a++) {
        if (ids[a]) {
            expect_same(crowd, ids[a], roomy, ids[a]);
        }
    }
    assert_int_equal(gal_crowd_restore(roomy, bytes, used, &error), GAL_OK);
    assert_int_equal(gal_crowd_restore(crowd, bytes, used, &error), GAL_OK);
    assert_int_equal(gal_crowd_save(crowd, again, size, &used), GAL_OK);
    assert_memory_equal(bytes, again, used);
    assert_int_equal(crowd->groups[7 % GROUPS].count, EACH - 1);
    free(bytes);
    free(again);
    gal_crowd_destroy(crowd);
    gal_crowd_destroy(roomy);
    gal_crowd_destroy(other);
    gal_crowd_destroy(alone);
}

/* A handle of one group in the place of another's: counts fit the bytes, characters do not fit the counts. */
static void a_snapshot_cannot_move_characters_between_groups(void **unused) {
    (void)unused;
    const gal_group_desc two = {.controller = controllers[BIPEDS], .capacity = 2}, groups[2] = {two, two};
    gal_crowd *crowd;
    assert_int_equal(gal_crowd_create(&crowd, &(gal_crowd_desc){.groups = groups, .group_count = 2}, NULL),
                     GAL_OK);
    gal_character first = crowd_add(crowd, (gal_spawn){0});
    crowd_add(crowd, (gal_spawn){.x = 100, .group = 1});
    size_t size = gal_crowd_snapshot_size(crowd), used;
    uint32_t *words = malloc(size);
    gal_error error = {0};
    assert_int_equal(gal_crowd_save(crowd, words, size, &used), GAL_OK);
    uint32_t *second = words + 22 + (used / 4 - 22) / 2; /* behind head, groups and generations: two records */
    assert_int_equal(words[22], first);
    words[10 + 2 * 4 + 1] = 1; /* a generation for the other place of the first group */
    *second = 1u << 16 | 2;
    assert_int_equal(gal_crowd_restore(crowd, words, used, &error), GAL_BAD_DATA);
    assert_non_null(strstr(error.message, "one too many for its group"));
    free(words);
    gal_crowd_destroy(crowd);
}

static void expect_refused(gal_crowd_desc desc, const char *why) {
    gal_crowd *crowd;
    gal_error error = {0};
    assert_int_equal(gal_crowd_size(&desc), 0);
    assert_int_equal(gal_crowd_create(&crowd, &desc, &error), GAL_BAD_ARGUMENT);
    assert_null(crowd);
    if (!strstr(error.message, why)) {
        fail_msg("\"%s\", expected \"%s\"", error.message, why);
    }
}

static void what_cannot_be_one_crowd_is_refused(void **unused) {
    (void)unused;
    mannequin_desc slow = biped;
    slow.contract = NULL;
    char text[sizeof mannequin_biped];
    memcpy(text, mannequin_biped, sizeof text);
    memcpy(strstr(text, "rate 60"), "rate 30", 7);
    slow.contract = text;
    gal_controller *other = mannequin_open(&slow);
    gal_group_desc groups[GAL_GROUPS_MAX + 1] = {{.controller = controllers[WALKERS], .capacity = 40000},
                                                 {.controller = controllers[BIPEDS], .capacity = 40000}};
    expect_refused((gal_crowd_desc){.groups = groups, .group_count = 2}, "capacity is 80000, at most 65535");
    groups[1] = (gal_group_desc){.controller = other, .capacity = 4};
    expect_refused((gal_crowd_desc){.groups = groups, .group_count = 2}, "30 frames a second");
    groups[1].controller = NULL;
    expect_refused((gal_crowd_desc){.groups = groups, .group_count = 2}, "groups[1].controller is NULL");
    expect_refused((gal_crowd_desc){.groups = groups}, "group_count is 0");
    expect_refused((gal_crowd_desc){.groups = groups, .group_count = GAL_GROUPS_MAX + 1}, "group_count is 9");
    expect_refused((gal_crowd_desc){.controller = other, .group_count = 1}, "groups is NULL");
    static const float heights[4];
    gal_height_field fields[] = {{heights, 1, 2, 1, 0, 0},        {heights, 2, 0, 1, 0, 0},
                                 {heights, 2, 2, 0, 0, 0},        {heights, 2, 2, NAN, 0, 0},
                                 {heights, 2, 2, 1, INFINITY, 0}, {NULL, 2, 2, 1, 0, 0}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        gal_crowd_desc on = {
            .controller = other, .ground = gal_height_field_ground, .ground_context = &fields[i]};
        expect_refused(on, "no height field");
    }
    expect_refused((gal_crowd_desc){.controller = other, .ground = gal_height_field_ground}, "no height field");
    expect_refused((gal_crowd_desc){.controller = other, .groups = groups, .group_count = 1}, "both");
    gal_controller_close(other);
}

/* It says of what the two have another number, and both; or that names are others. */
static void a_stand_in_of_another_kind_is_refused(void **unused) {
    (void)unused;
    const gali_contract *a = controllers[WALKERS]->contract, *b = controllers[DOGS]->contract;
    gal_group_desc group = {
        .controller = controllers[WALKERS], .capacity = EACH, .stand_ins = {controllers[DOGS]}};
    char expected[240];
    snprintf(expected, sizeof expected, "stand_ins[0]: %s has %u hinges, %s has %u", b->name, b->hinge_count,
             a->name, a->hinge_count);
    expect_refused((gal_crowd_desc){.groups = &group, .group_count = 1}, expected);
    gal_controller *renamed = open_model(GALLOP_SOURCE_DIR "/models/walker.gallop");
    snprintf((char *)(uintptr_t)renamed->contract->joints[3].name, 4, "arm");
    group.stand_ins[0] = renamed;
    expect_refused((gal_crowd_desc){.groups = &group, .group_count = 1},
                   "has joints or gaits of other names than");
    gal_controller_close(renamed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_moves_as_in_a_crowd_of_its_own),
        cmocka_unit_test(handles_and_order_are_one),
        cmocka_unit_test(snapshots_hold_all_groups),
        cmocka_unit_test(a_snapshot_cannot_move_characters_between_groups),
        cmocka_unit_test(what_cannot_be_one_crowd_is_refused),
        cmocka_unit_test(a_stand_in_of_another_kind_is_refused),
    };
    return cmocka_run_group_tests(tests, open_controllers, close_controllers);
}
