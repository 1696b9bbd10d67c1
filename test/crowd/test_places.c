/* Places and handles of a crowd, its memory, its clock, and what a player's input may be. */
#include "motion/mannequin.h"

static const mannequin_desc biped = {
    .wobble = 0.4f, .step_z = 1.2f, .phase = 0.02f, .contact = 0.7f, .seed = 5};

static gal_controller *controller; /* of all tests here */

static int open_controller(void **unused) {
    (void)unused;
    controller = mannequin_open(&biped);
    return 0;
}

static int close_controller(void **unused) {
    (void)unused;
    gal_controller_close(controller);
    return 0;
}

static void a_full_crowd_says_so(void **unused) {
    (void)unused;
    gal_crowd *crowd = crowd_of(controller, 2, NULL);
    gal_character a = crowd_add(crowd, (gal_spawn){0}), b = 0, c = 77;
    assert_int_equal(gal_crowd_add(crowd, NULL, &b), GAL_OK);
    assert_int_equal(gal_crowd_add(crowd, NULL, &c), GAL_FULL);
    assert_int_equal(c, 0);
    assert_int_equal(gal_crowd_remove(crowd, a), GAL_OK);
    assert_int_equal(gal_crowd_add(crowd, NULL, &c), GAL_OK);
    assert_true(c != a && c != b);
    gal_crowd_destroy(crowd);
    crowd = crowd_of(controller, 0, NULL); /* 0 means 16 */
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal(gal_crowd_add(crowd, NULL, &c), GAL_OK);
    }
    assert_int_equal(gal_crowd_add(crowd, NULL, &c), GAL_FULL);
    gal_crowd_destroy(crowd);
}

static void expect_unknown(gal_crowd *crowd, gal_character id) {
    gal_transform local[MANNEQUIN_JOINTS];
    gal_character_state state = {.speed = -3};
    uint32_t joints = 5;
    assert_int_equal(gal_crowd_remove(crowd, id), GAL_NOT_FOUND);
    assert_int_equal(gal_crowd_set_input(crowd, id, &(gal_input){0}), GAL_NOT_FOUND);
    assert_int_equal(gal_crowd_set_foot_lock(crowd, id, 1), GAL_NOT_FOUND);
    assert_int_equal(gal_crowd_pose_local(crowd, id, local), GAL_NOT_FOUND);
    assert_int_equal(gal_crowd_state(crowd, id, &state), GAL_NOT_FOUND);
    assert_true(state.speed == -3);
    assert_null(gal_crowd_pose(crowd, id, &joints));
    assert_int_equal(joints, 0);
    assert_null(gal_crowd_pose(crowd, id, NULL));
    assert_int_equal(gali_crowd_fed_back(crowd, id, NULL), GAL_NOT_FOUND);
    assert_int_equal(gal_crowd_trajectory(crowd, id, NULL, NULL, 0), 0);
}

static void stale_handles_are_refused(void **unused) {
    (void)unused;
    gal_crowd *crowd = crowd_of(controller, 3, NULL);
    static const gal_character never[] = {0, 1, 3, 0xffff, 0x10000, 0x10004, 0xffffffff, 0x80000001};
    gal_character a = crowd_add(crowd, (gal_spawn){0}), old = a;
    for (uint32_t i = 0; i < sizeof never / sizeof *never; i++) {
        if (never[i] != a) {
            expect_unknown(crowd, never[i]);
        }
    }
    for (uint32_t i = 0; i < 200; i++) {
        assert_int_equal(gal_crowd_remove(crowd, a), GAL_OK);
        expect_unknown(crowd, a);
        a = crowd_add(crowd, (gal_spawn){0});
        expect_unknown(crowd, old);
    }
    assert_int_equal(gal_crowd_count(crowd), 1);
    gal_crowd_destroy(crowd);
}

/* A handle comes back only after 65535 others in its place. */
static void handles_are_not_reused_for_a_long_time(void **unused) {
    (void)unused;
    gal_crowd *crowd = crowd_of(controller, 1, NULL);
    gal_character first = crowd_add(crowd, (gal_spawn){0}), a = first;
    uint32_t others = 0;
    do {
        gal_crowd_remove(crowd, a);
        a = crowd_add(crowd, (gal_spawn){0});
        others++;
    } while (a != first && others < 70000);
    assert_int_equal(others, 65535);
    gal_crowd_destroy(crowd);
}

static void the_order_changes_by_removing_alone(void **unused) {
    (void)unused;
    gal_crowd *crowd = crowd_of(controller, 5, NULL);
    gal_character ids[5];
    for (uint32_t i = 0; i < 5; i++) {
        ids[i] = crowd_add(crowd, (gal_spawn){.x = (float)i});
        assert_int_equal(gal_crowd_at(crowd, i), ids[i]);
        assert_int_equal(gal_crowd_at(crowd, i + 1), 0);
    }
    gal_crowd_step(crowd);
    gal_crowd_remove(crowd, ids[1]);
    static const uint32_t left[] = {0, 2, 3, 4};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(gal_crowd_at(crowd, i), ids[left[i]]);
    }
    gal_character late = crowd_add(crowd, (gal_spawn){0});
    assert_int_equal(gal_crowd_at(crowd, 4), late);
    assert_int_equal(gal_crowd_count(crowd), 5);
    gal_crowd_destroy(crowd);
}

static void a_spawn_is_where_it_says(void **unused) {
    (void)unused;
    gal_crowd *crowd = crowd_of(controller, 4, hills);
    gal_character id = 9;
    static const gal_spawn bad[] = {{.x = NAN}, {.z = INFINITY}, {.facing = NAN}, {.phase = -INFINITY}};
    for (uint32_t i = 0; i < 4; i++) {
        id = 9;
        assert_int_equal(gal_crowd_add(crowd, &bad[i], &id), GAL_BAD_ARGUMENT);
        assert_int_equal(id, 0);
    }
    assert_int_equal(gal_crowd_count(crowd), 0);
    id = crowd_add(crowd, (gal_spawn){.x = 70, .z = -30, .facing = 0.5f, .phase = -1});
    gal_character_state state;
    assert_int_equal(gal_crowd_state(crowd, id, &state), GAL_OK);
    assert_true(state.root.x == 70 && state.root.z == -30 && state.root.y == hills(NULL, 70, -30));
    assert_true(fabsf(state.facing - 0.5f) < 1e-6f && fabsf(state.phase - 5.2831853f) < 1e-6f);
    const gal_transform *pose = gal_crowd_pose(crowd, id, NULL);
    /* The left knee at rest: forward and to the left (+x turned) of the root. */
    gal_vec3 knee = mannequin_stands(2);
    assert_true(fabsf(pose[2].position.x - (70 + cosf(0.5f) * knee.x + sinf(0.5f) * knee.z)) < 1e-3f);
    assert_true(fabsf(pose[2].position.z - (-30 - sinf(0.5f) * knee.x + cosf(0.5f) * knee.z)) < 1e-3f);
    assert_true(fabsf(pose[2].rotation.y - sinf(0.25f)) < 1e-6f);
    gal_crowd_destroy(crowd);
}

/* ---- memory ---- */

static void capacity_has_its_limits(void **unused) {
    (void)unused;
    gal_crowd_desc desc = {.controller = controller, .capacity = 65535};
    gal_error error = {0};
    gal_crowd *crowd;
    size_t bank, most = gal_crowd_size(&desc);
    desc.capacity = 16;
    bank = gal_crowd_size(&desc);
    assert_true(bank > 0 && most > 60000 / 16 * (bank / 4));
    desc.capacity = 65536;
    assert_int_equal(gal_crowd_size(&desc), 0);
    assert_int_equal(gal_crowd_create(&crowd, &desc, &error), GAL_BAD_ARGUMENT);
    assert_null(crowd);
    assert_string_equal(error.message, "gal_crowd_desc.capacity is 65536, at most 65535");
    desc = (gal_crowd_desc){.capacity = 1};
    assert_int_equal(gal_crowd_size(&desc), 0);
    assert_int_equal(gal_crowd_create(&crowd, &desc, &error), GAL_BAD_ARGUMENT);
    assert_string_equal(
        error.message,
        "gal_crowd_desc.controller is NULL: if gal_controller_open gave it, that failed; its status and "
        "its error say why (often a path that is not there)");
}

static void a_crowd_lives_in_the_callers_memory(void **unused) {
    (void)unused;
    gal_crowd_desc desc = {.controller = controller, .capacity = 7, .ground = hills};
    size_t size = gal_crowd_size(&desc);
    unsigned char *memory = aligned_alloc(64, ((size + 63) & ~(size_t)63) + 128);
    gal_crowd *crowd = (gal_crowd *)(void *)memory;
    memset(memory, 0xee, size + 128);
    assert_int_equal(gal_crowd_init(&crowd, memory, size - 1, &desc, NULL), GAL_NO_MEMORY);
    assert_null(crowd);
    assert_int_equal(gal_crowd_init(&crowd, NULL, size, &desc, NULL), GAL_NO_MEMORY);
    assert_int_equal(gal_crowd_init(&crowd, memory + 32, size, &desc, NULL), GAL_BAD_ARGUMENT);
    assert_int_equal(memory[0], 0xee);
    assert_int_equal(gal_crowd_init(&crowd, memory, size, &desc, NULL), GAL_OK);
    for (uint32_t i = 0; i < 7; i++) {
        gal_character id = crowd_add(crowd, (gal_spawn){.x = 40 * (float)i});
        gal_crowd_set_input(crowd, id, &(gal_input){.move_y = 1, .run = 1});
    }
    for (uint32_t frame = 0; frame < 10; frame++) {
        gal_crowd_step(crowd);
    }
    for (uint32_t i = 0; i < 128; i++) {
        assert_int_equal(memory[size + i], 0xee);
    }
    gal_crowd_destroy(crowd);
    free(memory);
}

/* A network without a gate, as a plain perceptron is: it walks as one whose gate always gives its one expert. */
static void one_expert_needs_no_gate(void **unused) {
    (void)unused;
    static const gal_gate_kind gates[2] = {GAL_GATE_CALLER, GAL_GATE_CONSTANT};
    gal_controller *controllers[2];
    gal_crowd *crowds[2];
    gal_character who[2];
    for (int i = 0; i < 2; i++) {
        synthetic s = mannequin_model(&biped);
        s.model.gate = gates[i];
        s.model.experts = 1;
        for (uint32_t l = 0; l < s.model.layer_count; l++) {
            s.model.layers[l].experts = 1; /* the first of those that are there */
        }
        controllers[i] = mannequin_open_model(&s);
        synthetic_free(&s);
        crowds[i] = crowd_of(controllers[i], 1, hills);
        who[i] = crowd_add(crowds[i], (gal_spawn){0});
        gal_crowd_set_input(crowds[i], who[i], &(gal_input){.move_y = 1});
        for (int frame = 0; frame < 30; frame++) {
            gal_crowd_step(crowds[i]);
        }
    }
    assert_int_equal(gal_crowd_resets(crowds[0]), 0);
    assert_memory_equal(gal_crowd_pose(crowds[0], who[0], NULL), gal_crowd_pose(crowds[1], who[1], NULL),
                        MANNEQUIN_JOINTS * sizeof(gal_transform));
    for (int i = 0; i < 2; i++) {
        gal_crowd_destroy(crowds[i]);
        gal_controller_close(controllers[i]);
    }
}

/* Contracts and gates that a crowd cannot drive are refused when it is made, not when it steps. */
static void a_crowd_needs_a_complete_controller(void **unused) {
    (void)unused;
    mannequin_desc opaque = {.rules = "input opaque style 3\n", .seed = 1};
    synthetic s = mannequin_model(&opaque);
    gal_controller *blind = mannequin_open_model(&s);
    gal_crowd_desc desc = {.controller = blind};
    gal_error error = {0};
    gal_crowd *crowd;
    assert_int_equal(gal_crowd_create(&crowd, &desc, &error), GAL_BAD_DATA);
    assert_non_null(strstr(error.message, "style"));
    assert_int_equal(gal_crowd_size(&desc), 0);
    gal_controller_close(blind);
    synthetic_free(&s);
    s = mannequin_model(&biped);
    s.model.gate = GAL_GATE_CALLER;
    blind = mannequin_open_model(&s);
    desc.controller = blind;
    assert_int_equal(gal_crowd_create(&crowd, &desc, &error), GAL_BAD_DATA);
    assert_non_null(strstr(error.message, "blend"));
    gal_controller_close(blind);
    synthetic_free(&s);
}

/* ---- input ---- */

static void expect_same_walk(gal_input given, gal_input meant) {
    gal_crowd *crowd = crowd_of(controller, 2, NULL);
    gal_character a = crowd_add(crowd, (gal_spawn){0}), b = crowd_add(crowd, (gal_spawn){0});
    assert_int_equal(gal_crowd_set_input(crowd, a, &given), GAL_OK);
    assert_int_equal(gal_crowd_set_input(crowd, b, &meant), GAL_OK);
    for (uint32_t frame = 0; frame < 20; frame++) {
        gal_crowd_step(crowd);
        assert_memory_equal(gal_crowd_pose(crowd, a, NULL), gal_crowd_pose(crowd, b, NULL),
                            MANNEQUIN_JOINTS * sizeof(gal_transform));
    }
    assert_int_equal(gal_crowd_resets(crowd), 0);
    gal_crowd_destroy(crowd);
}

static void inputs_out_of_range_are_clamped(void **unused) {
    (void)unused;
    expect_same_walk((gal_input){.move_y = 7}, (gal_input){.move_y = 1});
    expect_same_walk((gal_input){.move_x = -0.5f, .run = 3}, (gal_input){.move_x = -0.5f, .run = 1});
    expect_same_walk((gal_input){.move_x = 1, .run = -3}, (gal_input){.move_x = 1});
    expect_same_walk((gal_input){.move_y = 1, .strafe = 9, .crouch = -1},
                     (gal_input){.move_y = 1, .strafe = 1});
    expect_same_walk((gal_input){.move_y = 1, .crouch = INFINITY}, (gal_input){.move_y = 1, .crouch = 1});
    expect_same_walk((gal_input){.move_x = NAN, .move_y = 0.5f}, (gal_input){.move_y = 0.5f});
    expect_same_walk((gal_input){.move_x = INFINITY, .move_y = 0.5f}, (gal_input){.move_y = 0.5f});
    expect_same_walk((gal_input){.move_y = 1, .run = NAN, .strafe = NAN, .crouch = NAN, .camera_yaw = NAN},
                     (gal_input){.move_y = 1});
    expect_same_walk((gal_input){.move_y = 1, .camera_yaw = -INFINITY}, (gal_input){.move_y = 1});
    expect_same_walk((gal_input){.move_y = 1, .responsive = -5}, (gal_input){.move_y = 1, .responsive = 1});
    /* A full diagonal of a square stick is one unit long, like the round one's; so is one of any length. */
    static const float lengths[] = {1, 1.41f, 3e38f};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        expect_same_walk((gal_input){.move_x = lengths[i], .move_y = lengths[i]},
                         (gal_input){.move_x = 1 / sqrtf(2), .move_y = 1 / sqrtf(2)});
        expect_same_walk((gal_input){.move_y = -lengths[i]}, (gal_input){.move_y = -1});
    }
}

static void extreme_but_finite_inputs_do_not_break_it(void **unused) {
    (void)unused;
    gal_crowd *crowd = crowd_of(controller, 1, hills);
    gal_character id = crowd_add(crowd, (gal_spawn){0});
    for (uint32_t frame = 0; frame < 200; frame++) {
        gal_input input = {.move_x = frame % 3 ? 3e38f : -3e38f,
                           .move_y = frame % 2 ? -3e38f : 3e38f,
                           .run = (float)(frame % 2),
                           .strafe = (float)(frame % 5) / 4,
                           .camera_yaw = frame % 7 ? 3e38f : -1e20f,
                           .responsive = frame % 4 == 0};
        gal_crowd_set_input(crowd, id, &input);
        gal_crowd_step(crowd);
    }
    assert_int_equal(gal_crowd_resets(crowd), 0);
    gal_crowd_destroy(crowd);
}

/* ---- the clock ---- */

static void advance_runs_whole_frames_and_keeps_the_rest(void **unused) {
    (void)unused;
    gal_crowd *crowd = crowd_of(controller, 1, NULL), *stepped = crowd_of(controller, 1, NULL);
    gal_character a = crowd_add(crowd, (gal_spawn){0}), b = crowd_add(stepped, (gal_spawn){0});
    float fraction = -1;
    assert_int_equal(gal_crowd_advance(crowd, 0, 0, &fraction), 0);
    assert_true(fraction == 0);
    assert_int_equal(gal_crowd_advance(crowd, 0.5f / 60, 0, &fraction), 0);
    assert_true(fabsf(fraction - 0.5f) < 1e-4f);
    assert_int_equal(gal_crowd_advance(crowd, 0.75f / 60, 0, &fraction), 1);
    assert_true(fabsf(fraction - 0.25f) < 1e-4f);
    assert_int_equal(gal_crowd_advance(crowd, 3.5f / 60, 0, &fraction), 3);
    assert_true(fabsf(fraction - 0.75f) < 1e-4f);
    for (uint32_t i = 0; i < 4; i++) {
        gal_crowd_step(stepped);
    }
    assert_memory_equal(gal_crowd_pose(crowd, a, NULL), gal_crowd_pose(stepped, b, NULL),
                        MANNEQUIN_JOINTS * sizeof(gal_transform));
    assert_int_equal(gal_crowd_advance(crowd, 10, 0, &fraction),
                     4); /* late: what cannot be caught up is gone */
    assert_true(fraction >= 0 && fraction < 1);
    assert_int_equal(gal_crowd_advance(crowd, 0.1f / 60, 0, NULL), 0);
    assert_int_equal(gal_crowd_advance(crowd, 10, 100, NULL), 100);
    assert_int_equal(gal_crowd_advance(crowd, -10, 0, NULL), 0);
    assert_int_equal(gal_crowd_advance(crowd, NAN, 0, NULL), 0);
    assert_int_equal(gal_crowd_advance(crowd, INFINITY, 0, &fraction), 0);
    assert_true(fraction >= 0 && fraction < 1);
    gal_crowd_destroy(crowd);
    gal_crowd_destroy(stepped);
}

/* A frame's time that float32 rounds to a little less than 1 / rate is still a frame's. */
static void advance_is_not_late_by_a_rounding(void **unused) {
    (void)unused;
    gal_crowd *crowd = crowd_of(controller, 1, NULL);
    for (uint32_t i = 0; i < 200; i++) {
        float fraction = -1;
        assert_int_equal(gal_crowd_advance(crowd, nextafterf(1.0f / 60, 0), 0, &fraction), 1);
        assert_true(fraction >= 0 && fraction < 1e-3f);
    }
    gal_crowd_destroy(crowd);
}

static void pose_between_goes_from_the_last_to_this(void **unused) {
    (void)unused;
    gal_crowd *crowd = crowd_of(controller, 1, hills);
    gal_character id = crowd_add(crowd, (gal_spawn){.x = 3, .facing = 1});
    gal_transform before[MANNEQUIN_JOINTS], after[MANNEQUIN_JOINTS], mixed[MANNEQUIN_JOINTS];
    size_t bytes = sizeof before;
    memcpy(before, gal_crowd_pose(crowd, id, NULL), bytes);
    assert_int_equal(gal_crowd_pose_between(crowd, id, 0.5f, mixed), GAL_OK);
    assert_true(distance(mixed[0].position, before[0].position) < 1e-4f); /* just added: it stood here */
    gal_crowd_set_input(crowd, id, &(gal_input){.move_y = 1, .run = 1});
    for (uint32_t i = 0; i < 30; i++) {
        memcpy(before, gal_crowd_pose(crowd, id, NULL), bytes);
        gal_crowd_step(crowd);
    }
    memcpy(after, gal_crowd_pose(crowd, id, NULL), bytes);
    assert_true(distance(before[0].position, after[0].position) > 0.1f);
    static const float fractions[] = {0, 0.25f, 1, -3, 7, NAN}, meant[] = {0, 0.25f, 1, 0, 1, 0};
    for (size_t f = 0; f < sizeof fractions / sizeof *fractions; f++) {
        assert_int_equal(gal_crowd_pose_between(crowd, id, fractions[f], mixed), GAL_OK);
        for (uint32_t j = 0; j < MANNEQUIN_JOINTS; j++) {
            gal_vec3 wanted = gali_vec3_mix(before[j].position, after[j].position, meant[f]);
            gal_quat turned = gali_quat_mul(gali_quat_conjugate(before[j].rotation), mixed[j].rotation);
            gal_quat whole = gali_quat_mul(gali_quat_conjugate(before[j].rotation), after[j].rotation);
            assert_true(distance(mixed[j].position, wanted) < 1e-3f);
            assert_true(fabsf(fabsf(turned.y) - meant[f] * fabsf(whole.y)) < 1e-3f);
        }
    }
    assert_int_equal(gal_crowd_pose_between(crowd, id + 1, 0, mixed), GAL_NOT_FOUND);
    gal_crowd_destroy(crowd);
}

/* An older host's desc ends earlier: what it does not have is not read. */
static void desc_of_an_older_host_is_read_to_its_end(void **unused) {
    (void)unused;
    gal_crowd_desc desc = {.struct_size = offsetof(gal_crowd_desc, ground),
                           .controller = controller,
                           .capacity = 3,
                           .ground = (gal_ground_fn)0,
                           .parallel = (const gal_parallel *)(uintptr_t)1,
                           .allocator = (const gal_allocator *)(uintptr_t)1};
    gal_crowd *crowd;
    assert_int_equal(gal_crowd_create(&crowd, &desc, NULL), GAL_OK);
    gal_crowd_destroy(crowd);
}

/* A game at 144 frames a second gets 60 of the controller's in a second, give or take the first and last. */
static void advance_keeps_time(void **unused) {
    (void)unused;
    gal_crowd *crowd = crowd_of(controller, 1, NULL);
    uint32_t frames = 0;
    for (uint32_t i = 0; i < 144 * 10; i++) {
        frames += gal_crowd_advance(crowd, 1.0f / 144, 0, NULL);
    }
    assert_in_range(frames, 599, 601);
    gal_crowd_destroy(crowd);
}

static void the_trajectory_is_at_the_samples(void **unused) {
    (void)unused;
    gal_crowd *crowd = crowd_of(controller, 1, hills);
    gal_character id = crowd_add(crowd, (gal_spawn){.x = 5, .z = 6, .facing = 0.3f});
    gal_vec3 points[6] = {{0, 0, 0}};
    float facings[6] = {0};
    gal_crowd_set_input(crowd, id, &(gal_input){.move_y = 1});
    for (uint32_t i = 0; i < 50; i++) {
        gal_crowd_step(crowd);
    }
    points[5].x = -77;
    assert_int_equal(gal_crowd_trajectory(crowd, id, points, facings, 5), 6);
    assert_true(points[5].x == -77 && facings[5] == 0);
    gal_character_state state;
    gal_crowd_state(crowd, id, &state);
    assert_true(points[2].x == state.root.x && points[2].z == state.root.z && facings[2] == state.facing);
    assert_int_equal(gal_crowd_trajectory(crowd, id, NULL, NULL, 6), 6);
    gal_crowd_destroy(crowd);
}

static void empty_crowds_step(void **unused) {
    (void)unused;
    gal_crowd *crowd = crowd_of(controller, 3, hills);
    gal_crowd_step(crowd);
    gal_character id = crowd_add(crowd, (gal_spawn){0});
    gal_crowd_remove(crowd, id);
    gal_crowd_step(crowd);
    assert_int_equal(gal_crowd_count(crowd), 0);
    gal_crowd_destroy(crowd);
    gal_crowd_destroy(NULL);
    gal_controller_close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_crowd_says_so),
        cmocka_unit_test(stale_handles_are_refused),
        cmocka_unit_test(handles_are_not_reused_for_a_long_time),
        cmocka_unit_test(the_order_changes_by_removing_alone),
        cmocka_unit_test(a_spawn_is_where_it_says),
        cmocka_unit_test(capacity_has_its_limits),
        cmocka_unit_test(a_crowd_lives_in_the_callers_memory),
        cmocka_unit_test(one_expert_needs_no_gate),
        cmocka_unit_test(a_crowd_needs_a_complete_controller),
        cmocka_unit_test(inputs_out_of_range_are_clamped),
        cmocka_unit_test(extreme_but_finite_inputs_do_not_break_it),
        cmocka_unit_test(advance_runs_whole_frames_and_keeps_the_rest),
        cmocka_unit_test(advance_keeps_time),
        cmocka_unit_test(advance_is_not_late_by_a_rounding),
        cmocka_unit_test(pose_between_goes_from_the_last_to_this),
        cmocka_unit_test(desc_of_an_older_host_is_read_to_its_end),
        cmocka_unit_test(the_trajectory_is_at_the_samples),
        cmocka_unit_test(empty_crowds_step),
    };
    return cmocka_run_group_tests_name("motion places", tests, open_controller, close_controller);
}
