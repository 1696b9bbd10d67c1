/* A character in a crowd moves as it does alone, bit for bit, whoever comes and goes, on one thread or two. */
#include "motion/mannequin.h"

static const mannequin_desc biped = {
    .wobble = 0.6f, .step_z = 1.5f, .phase = 0.02f, .contact = 0.7f, .seed = 11};

enum { ACTORS = 64, FRAMES = 90 };

/* When an actor is there: some from the start, some come late, most leave before the end. */
static uint32_t actor_comes(uint32_t actor) {
    return actor % 3 == 0 ? 0 : (actor * 7) % 40;
}

static uint32_t actor_leaves(uint32_t actor) {
    return actor % 5 == 0 ? FRAMES : actor_comes(actor) + 10 + (actor * 13) % 45;
}

static gal_spawn actor_spawn(uint32_t actor) {
    float a = (float)actor;
    return (gal_spawn){.x = 30 * a - 500, .z = 17 * a - 300, .facing = 0.4f * a - 9, .phase = 0.3f * a - 5};
}

static gal_input actor_input(uint32_t actor, uint32_t age) {
    float a = (float)actor, t = (float)age;
    return (gal_input){
        .move_x = sinf(0.05f * t + a),
        .move_y = cosf(0.03f * t - 2 * a),
        .run = actor % 2 ? 0.5f + 0.5f * sinf(0.02f * t) : 0,
        .strafe = actor % 4 == 1 ? 1 : 0,
        .crouch = actor % 6 == 2 ? 0.8f : 0,
        .camera_yaw = 0.01f * t * (float)(actor % 3),
        .responsive = actor % 7 == 3,
    };
}

/* All poses of all actors, each alone: [actor][age][J]. */
static gal_transform *solo_poses(const gal_controller *controller, uint32_t actors, uint32_t joints) {
    gal_transform *poses = calloc((size_t)actors * FRAMES * joints, sizeof *poses);
    for (uint32_t a = 0; a < actors; a++) {
        gal_crowd *crowd = crowd_of(controller, 1, hills);
        gal_character id = crowd_add(crowd, actor_spawn(a));
        for (uint32_t age = 0; age < FRAMES; age++) {
            gal_input input = actor_input(a, age);
            gal_crowd_set_input(crowd, id, &input);
            gal_crowd_step(crowd);
            memcpy(poses + ((size_t)a * FRAMES + age) * joints, gal_crowd_pose(crowd, id, NULL),
                   joints * sizeof *poses);
        }
        assert_int_equal(gal_crowd_resets(crowd), 0);
        gal_crowd_destroy(crowd);
    }
    return poses;
}

static void come_and_go(gal_crowd *crowd, gal_character *ids, uint32_t actors, uint32_t frame) {
    for (uint32_t a = 0; a < actors; a++) {
        if (ids[a] && actor_leaves(a) == frame) {
            assert_int_equal(gal_crowd_remove(crowd, ids[a]), GAL_OK);
            ids[a] = 0;
        }
        if (actor_comes(a) == frame) {
            ids[a] = crowd_add(crowd, actor_spawn(a));
        }
    }
}

static void set_inputs(gal_crowd *crowd, const gal_character *ids, uint32_t actors, uint32_t frame) {
    for (uint32_t a = 0; a < actors; a++) {
        if (ids[a]) {
            gal_input input = actor_input(a, frame - actor_comes(a));
            assert_int_equal(gal_crowd_set_input(crowd, ids[a], &input), GAL_OK);
        }
    }
}

static void check_crowd(const gal_controller *controller, uint32_t actors, const gal_parallel *parallel) {
    uint32_t joints = gal_controller_get_info(controller).joints;
    gal_transform *alone = solo_poses(controller, actors, joints);
    gal_crowd_desc desc = {.controller = controller, .capacity = actors, .ground = hills, .parallel = parallel};
    gal_crowd *crowd;
    assert_int_equal(gal_crowd_create(&crowd, &desc, NULL), GAL_OK);
    gal_character ids[ACTORS] = {0};
    uint32_t most = 0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        come_and_go(crowd, ids, actors, frame);
        set_inputs(crowd, ids, actors, frame);
        gal_crowd_step(crowd);
        most = gal_crowd_count(crowd) > most ? gal_crowd_count(crowd) : most;
        for (uint32_t a = 0; a < actors; a++) {
            size_t age = frame - actor_comes(a);
            if (ids[a]) {
                assert_memory_equal(gal_crowd_pose(crowd, ids[a], NULL),
                                    alone + (a * (size_t)FRAMES + age) * joints, joints * sizeof *alone);
            }
        }
    }
    assert_true(most > actors / 2 && gal_crowd_count(crowd) < most);
    gal_crowd_destroy(crowd);
    free(alone);
}

static void a_crowd_changes_nobodys_bits(void **unused) {
    (void)unused;
    gal_controller *controller = mannequin_open(&biped);
    check_crowd(controller, ACTORS, NULL);
    gal_controller_close(controller);
}

static void contacts_know_their_joints(void **unused) {
    static const char *const names[] = {"LeftHeel", "LeftToe", "RightHeel", "RightToe"};
    (void)unused;
    gal_controller *controller = mannequin_open(&biped);
    assert_int_equal(gal_controller_get_info(controller).contacts, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const int32_t joint = gal_controller_contact_joint(controller, i);
        assert_string_equal(gal_controller_joint_name(controller, (uint32_t)joint), names[i]);
    }
    assert_int_equal(gal_controller_contact_joint(controller, 4), -1);
    gal_controller_close(controller);
}

/* From standing to a walk and back: the gaits follow, by and by for who is evaluated in every frame. */
static void gaits_are_told(void **unused) {
    static const char *const names[] = {"stand", "walk", "run"};
    (void)unused;
    gal_controller *controller = walker_open();
    for (uint32_t frames = 1; frames <= 8; frames *= 8) {
        gal_crowd *crowd = crowd_of(controller, 1, NULL);
        const gal_character who = crowd_add(crowd, (gal_spawn){0});
        float before[3], now[3];
        assert_int_equal(gal_crowd_set_pace(crowd, who, &(gal_pace){.frames = frames}), GAL_OK);
        assert_int_equal(gal_crowd_gaits(crowd, who, before, 3), 3);
        assert_true(before[0] == 1 && before[1] == 0);
        for (int frame = 0; frame < 240; frame++) {
            gal_crowd_set_input(crowd, who, &(gal_input){.move_y = frame < 120 ? 1.0f : 0});
            gal_crowd_step(crowd);
            gal_crowd_gaits(crowd, who, now, 3);
            for (int g = 0; g < 3; g++) {
                assert_true(frames > 1 || fabsf(now[g] - before[g]) < 0.2f);
                before[g] = now[g];
            }
            assert_true(frame != 119 || (now[0] < 0.1f && now[1] > 0.9f));
        }
        assert_true(now[0] > 0.9f && now[1] < 0.1f);
        now[1] = 7;
        assert_int_equal(gal_crowd_gaits(crowd, who, now, 1), 3);
        assert_true(now[1] == 7);
        assert_int_equal(gal_crowd_gaits(crowd, 0, NULL, 0), 0);
        gal_crowd_destroy(crowd);
    }
    for (uint32_t g = 0; g < 3; g++) {
        assert_string_equal(gal_controller_gait_name(controller, g), names[g]);
    }
    assert_null(gal_controller_gait_name(controller, 3));
    gal_controller_close(controller);
}

static void two_threads_change_nobodys_bits(void **unused) {
    (void)unused;
    gal_parallel parallel = {two_threads, NULL, 2};
    gal_controller *controller = mannequin_open(&biped);
    check_crowd(controller, ACTORS, &parallel);
    gal_controller_close(controller);
}

static void the_walker_keeps_to_itself_too(void **unused) {
    (void)unused;
    gal_parallel parallel = {two_threads, NULL, 2};
    gal_controller *controller = walker_open();
    check_crowd(controller, 18, &parallel);
    gal_controller_close(controller);
}

static void others_stay_while_one_is_removed_and_added_again(void **unused) {
    (void)unused;
    gal_controller *controller = mannequin_open(&biped);
    gal_crowd *calm = crowd_of(controller, 4, hills), *busy = crowd_of(controller, 4, hills);
    gal_character a = crowd_add(calm, actor_spawn(1)), b = crowd_add(busy, actor_spawn(1)), guest = 0;
    gal_input input = actor_input(1, 7);
    gal_crowd_set_input(calm, a, &input);
    gal_crowd_set_input(busy, b, &input);
    for (uint32_t frame = 0; frame < 40; frame++) {
        if (guest) {
            assert_int_equal(gal_crowd_remove(busy, guest), GAL_OK);
        }
        guest = crowd_add(busy, actor_spawn(frame));
        gal_crowd_step(calm);
        gal_crowd_step(busy);
        assert_memory_equal(gal_crowd_pose(calm, a, NULL), gal_crowd_pose(busy, b, NULL),
                            MANNEQUIN_JOINTS * sizeof(gal_transform));
    }
    gal_crowd_destroy(calm);
    gal_crowd_destroy(busy);
    gal_controller_close(controller);
}

/* The same calls give the same bits; memory handed in gives those of memory made. */
static void a_run_repeats_itself(void **unused) {
    (void)unused;
    gal_controller *controller = mannequin_open(&biped);
    gal_crowd_desc desc = {.controller = controller, .capacity = 3, .ground = hills};
    size_t size = gal_crowd_size(&desc);
    void *memory = aligned_alloc(64, (size + 63) & ~(size_t)63);
    gal_crowd *crowds[2] = {crowd_of(controller, 3, hills), NULL};
    memset(memory, 0xa5, size);
    assert_int_equal(gal_crowd_init(&crowds[1], memory, size, &desc, NULL), GAL_OK);
    for (uint32_t c = 0; c < 2; c++) {
        for (uint32_t a = 0; a < 3; a++) {
            gal_character id = crowd_add(crowds[c], actor_spawn(a));
            gal_input input = actor_input(a, 3);
            gal_crowd_set_input(crowds[c], id, &input);
        }
    }
    for (uint32_t frame = 0; frame < 60; frame++) {
        gal_crowd_step(crowds[0]);
        gal_crowd_step(crowds[1]);
        for (uint32_t a = 0; a < 3; a++) {
            assert_memory_equal(gal_crowd_pose(crowds[0], gal_crowd_at(crowds[0], a), NULL),
                                gal_crowd_pose(crowds[1], gal_crowd_at(crowds[1], a), NULL),
                                MANNEQUIN_JOINTS * sizeof(gal_transform));
        }
    }
    gal_crowd_destroy(crowds[0]);
    gal_crowd_destroy(crowds[1]); /* the caller's memory: nothing happens */
    free(memory);
    gal_controller_close(controller);
}

/* ---- what is not finite ---- */

static float broken_ground(void *context, float x, float z) {
    uint32_t *calls = context;
    (void)z;
    static const float values[] = {NAN, INFINITY, -INFINITY};
    return x > 1e6f ? 0 : values[(*calls)++ % 3];
}

static void ground_that_is_not_finite_counts_as_0(void **unused) {
    (void)unused;
    gal_controller *controller = mannequin_open(&biped);
    uint32_t calls = 0;
    gal_crowd_desc desc = {.controller = controller, .ground = broken_ground, .ground_context = &calls};
    gal_crowd *flat = crowd_of(controller, 0, NULL), *broken;
    assert_int_equal(gal_crowd_create(&broken, &desc, NULL), GAL_OK);
    gal_character a = crowd_add(flat, actor_spawn(2)), b = crowd_add(broken, actor_spawn(2));
    gal_input input = actor_input(2, 5);
    gal_crowd_set_input(flat, a, &input);
    gal_crowd_set_input(broken, b, &input);
    for (uint32_t frame = 0; frame < 30; frame++) {
        gal_crowd_step(flat);
        gal_crowd_step(broken);
        assert_memory_equal(gal_crowd_pose(flat, a, NULL), gal_crowd_pose(broken, b, NULL),
                            MANNEQUIN_JOINTS * sizeof(gal_transform));
    }
    assert_true(calls > 100);
    assert_int_equal(gal_crowd_resets(broken), 0);
    gal_crowd_destroy(flat);
    gal_crowd_destroy(broken);
    gal_controller_close(controller);
}

/* The biped, one of whose outputs overflows as soon as somebody crouches: that many features into the block. */
static gal_controller *open_explosive(gali_block_kind kind, uint32_t feature) {
    synthetic s = mannequin_model(&biped);
    gali_contract *contract = mannequin_contract(s.model.contract);
    gali_model_layer *first = &s.model.layers[0], *last = &s.model.layers[1];
    float *weights = (float *)(uintptr_t)first->weights, *wide = (float *)(uintptr_t)last->weights;
    const uint32_t out = gali_contract_find(contract, kind)->offset + feature;
    for (uint32_t b = 0; b < contract->input_block_count; b++) {
        const gali_block *block = &contract->input_blocks[b];
        int crouch = block->kind == GALI_BLOCK_TRAJECTORY_GAIT &&
                     block->index == (uint32_t)contract->gait_of_role[GALI_GAIT_CROUCH];
        for (uint32_t e = 0; e < 4; e++) { /* hidden unit 0 is crouching and nothing else */
            for (uint32_t i = 0; i < block->count; i++) {
                weights[(size_t)e * first->outputs * first->inputs + block->offset + i] = crouch ? 1e25f : 0;
            }
        }
    }
    for (uint32_t e = 0; e < 4; e++) {
        ((float *)(uintptr_t)first->biases)[(size_t)e * first->outputs] = 0;
        for (uint32_t n = 0; n < last->outputs; n++) {
            wide[((size_t)e * last->outputs + n) * last->inputs] = n == out ? 1e25f : 0;
        }
    }
    gali_contract_release(contract, NULL);
    gal_controller *controller = mannequin_open_model(&s);
    synthetic_free(&s);
    return controller;
}

/*
 * The biped with two memories, the outputs in another order: "count" is one more each step, "half" is half of what it
 * was and 4; with poison, "count" overflows in the third step.
 */
static gal_controller *open_remembering(int poison) {
    mannequin_desc desc = biped;
    desc.rules = "input memory count 1\ninput memory half 1\noutput memory half 1\noutput memory count 1\n";
    synthetic s = mannequin_model(&desc);
    gali_contract *contract = mannequin_contract(s.model.contract);
    gali_model_layer *first = &s.model.layers[0], *last = &s.model.layers[1];
    float *weights = (float *)(uintptr_t)first->weights, *wide = (float *)(uintptr_t)last->weights;
    float *bias = (float *)(uintptr_t)first->biases, *last_bias = (float *)(uintptr_t)last->biases;
    float *mean = (float *)(uintptr_t)s.model.input_mean, *std = (float *)(uintptr_t)s.model.input_std;
    float *out_mean = (float *)(uintptr_t)s.model.output_mean, *spread = (float *)(uintptr_t)s.model.output_std;
    const float keep[2] = {poison ? 1e20f : 1, 0.5f}, add[2] = {1, 4};
    for (uint32_t m = 0; m < 2; m++) { /* hidden unit m is memory m, which is >= 0: ELU leaves it */
        uint32_t in = contract->inputs - 2 + m, out = contract->outputs - 1 - m;
        mean[in] = out_mean[out] = 0;
        std[in] = spread[out] = 1;
        for (uint32_t e = 0; e < 4; e++) {
            for (uint32_t k = 0; k < first->inputs; k++) {
                weights[((size_t)e * first->outputs + m) * first->inputs + k] = k == in;
            }
            bias[(size_t)e * first->outputs + m] = 0;
            for (uint32_t k = 0; k < last->inputs; k++) {
                wide[((size_t)e * last->outputs + out) * last->inputs + k] = k == m ? keep[m] : 0;
            }
            last_bias[(size_t)e * last->outputs + out] = add[m];
        }
    }
    gali_contract_release(contract, NULL);
    gal_controller *controller = mannequin_open_model(&s);
    synthetic_free(&s);
    return controller;
}

static void memory_comes_back_as_it_was(void **unused) {
    (void)unused;
    gal_controller *controller = open_remembering(0);
    gal_crowd *crowd = crowd_of(controller, 2, hills);
    gal_character old = crowd_add(crowd, (gal_spawn){.x = 10});
    float seen[2], first[2];
    assert_int_equal(gali_crowd_memory(crowd, old, seen), GAL_OK);
    assert_true(seen[0] == 0 && seen[1] == 0);
    float half = 0;
    for (uint32_t frame = 1; frame < 20; frame++) {
        gal_crowd_step(crowd);
        half = 0.5f * half + 4;
        gali_crowd_memory(crowd, old, seen);
        assert_true(fabsf(seen[0] - (float)frame) < 1e-4f * (float)frame);
        assert_true(fabsf(seen[1] - half) < 1e-4f);
    }
    gal_character young = crowd_add(crowd, (gal_spawn){.x = -10});
    gal_crowd_step(crowd);
    gali_crowd_memory(crowd, young, first);
    gali_crowd_memory(crowd, old, seen);
    assert_true(fabsf(first[0] - 1) < 1e-4f && fabsf(seen[0] - 20) < 2e-3f);
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
}

static void memory_that_overflows_is_set_back(void **unused) {
    (void)unused;
    gal_controller *controller = open_remembering(1);
    gal_crowd *crowd = crowd_of(controller, 1, hills);
    gal_character sick = crowd_add(crowd, (gal_spawn){.x = 10});
    for (uint32_t frame = 1; frame <= 6; frame++) { /* 1, 1e20: too much, and again */
        gal_crowd_step(crowd);
        assert_int_equal(gal_crowd_resets(crowd), frame / 2);
        float seen[2];
        assert_int_equal(gali_crowd_memory(crowd, sick, seen), GAL_OK);
        assert_true((seen[0] > 0) == (frame % 2 != 0));
    }
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
}

static void one_that_overflows_is_set_back_alone(void **unused) {
    (void)unused;
    gal_controller *controller = open_explosive(GALI_BLOCK_ROOT_VELOCITY_X, 0);
    gal_crowd *calm = crowd_of(controller, 2, hills), *crowd = crowd_of(controller, 2, hills);
    gal_spawn at = {.x = 50, .z = -20, .facing = 1.5f}, far = {.x = 900, .z = 30, .facing = -1, .phase = 2};
    gal_character lone = crowd_add(calm, far);
    gal_character sick = crowd_add(crowd, at), well = crowd_add(crowd, far);
    gal_input walk = {.move_y = 1}, crouch = {.move_y = 1, .crouch = 1};
    gal_crowd_set_input(calm, lone, &walk);
    gal_crowd_set_input(crowd, well, &walk);
    gal_crowd_set_input(crowd, sick, &crouch);
    for (uint32_t frame = 0; frame < 20; frame++) {
        gal_crowd_step(calm);
        gal_crowd_step(crowd);
        const gal_transform *pose = gal_crowd_pose(crowd, sick, NULL);
        for (uint32_t j = 0; j < MANNEQUIN_JOINTS; j++) {
            gal_vec3 p = pose[j].position;
            assert_true(isfinite(p.x) && isfinite(p.y) && isfinite(p.z) && isfinite(pose[j].rotation.w));
        }
        assert_memory_equal(gal_crowd_pose(calm, lone, NULL), gal_crowd_pose(crowd, well, NULL),
                            MANNEQUIN_JOINTS * sizeof(gal_transform));
    }
    assert_int_equal(gal_crowd_resets(calm), 0);
    assert_int_equal(gal_crowd_resets(crowd), 20);
    gal_character_state state;
    gal_crowd_state(crowd, sick, &state);
    assert_true(state.root.x == 50 && state.root.z == -20 && fabsf(state.facing - 1.5f) < 1e-4f);
    gal_crowd_set_input(crowd, sick, &walk); /* and it walks again */
    for (uint32_t frame = 0; frame < 20; frame++) {
        gal_crowd_step(crowd);
    }
    gal_crowd_state(crowd, sick, &state);
    assert_int_equal(gal_crowd_resets(crowd), 20);
    assert_true(state.root.x > 55);
    gal_crowd_destroy(calm);
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
}

/*
 * Whatever overflows, also what is fed back and not seen, is noticed in that very frame, and nothing of it is left. An
 * infinite turn or rotation is none: that needs no reset.
 */
static void any_output_that_overflows_is_dealt_with(void **unused) {
    (void)unused;
    static const struct {
        gali_block_kind kind;
        uint32_t feature, resets;
    } outputs[] = {{GALI_BLOCK_JOINT_POSITION_OUT, 7, 1},    {GALI_BLOCK_JOINT_VELOCITY_OUT, 0, 1},
                   {GALI_BLOCK_JOINT_VELOCITY_OUT, 4, 1},    {GALI_BLOCK_JOINT_VELOCITY_OUT, 8, 1},
                   {GALI_BLOCK_PHASE_ADVANCE, 0, 1},         {GALI_BLOCK_FUTURE_POSITION_Z, 2, 1},
                   {GALI_BLOCK_JOINT_ROTATION_EXPMAP, 5, 0}, {GALI_BLOCK_ROOT_TURN, 0, 0}};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        gal_controller *controller = open_explosive(outputs[i].kind, outputs[i].feature);
        gal_crowd *crowd = crowd_of(controller, 1, NULL);
        gal_character id = crowd_add(crowd, (gal_spawn){0});
        for (uint32_t frame = 1; frame <= 6; frame++) {
            uint32_t sick = frame < 4 ? frame : 3; /* then it stands, and is well */
            gal_crowd_set_input(crowd, id, &(gal_input){.move_y = frame < 4, .crouch = frame < 4});
            gal_crowd_step(crowd);
            if (gal_crowd_resets(crowd) != outputs[i].resets * sick) {
                fail_msg("output %zu, frame %u: %u resets", i, frame, (unsigned)gal_crowd_resets(crowd));
            }
            gal_vec3 all_fed_back[MANNEQUIN_JOINTS];
            assert_int_equal(gali_crowd_fed_back(crowd, id, all_fed_back), GAL_OK);
            for (uint32_t j = 0; j < MANNEQUIN_JOINTS; j++) {
                gal_vec3 fed_back = all_fed_back[j];
                gal_transform seen = gal_crowd_pose(crowd, id, NULL)[j];
                assert_true(isfinite(fed_back.x + fed_back.y + fed_back.z));
                assert_true(isfinite(seen.position.x + seen.position.y + seen.position.z + seen.rotation.w));
            }
        }
        gal_crowd_destroy(crowd);
        gal_controller_close(controller);
    }
}

/* Zones as they came: a letter for a beginning, its small one for the end. */
typedef struct heard {
    char text[64];
    size_t length;
} heard;

static void hear_begin(void *context, gal_zone zone) {
    heard *h = context;
    h->text[h->length++] = "SBFNP"[zone];
}

static void hear_end(void *context, gal_zone zone) {
    heard *h = context;
    h->text[h->length++] = "sbfnp"[zone];
}

static void zones_come_in_pairs_and_change_nothing(void **unused) {
    (void)unused;
    gal_controller *controller = mannequin_open(&(mannequin_desc){.wobble = 0.4f, .step_z = 1, .phase = 0.02f});
    gal_crowd *with = crowd_of(controller, 3, hills), *without = crowd_of(controller, 3, hills);
    heard h = {.length = 0};
    gal_character far_one = crowd_add(with, (gal_spawn){.x = 50});
    crowd_add(with, (gal_spawn){0});
    gal_crowd_set_pace(without, crowd_add(without, (gal_spawn){.x = 50}), &(gal_pace){2, 0});
    crowd_add(without, (gal_spawn){0});
    gal_crowd_set_pace(with, far_one, &(gal_pace){2, 0});
    gal_crowd_set_zones(with, &(gal_zones){hear_begin, hear_end, &h});
    gal_crowd_step(with);
    gal_crowd_step(with);
    assert_string_equal(h.text, "SFfNnPps"
                                "SBbFfNnPps");
    gal_crowd_set_zones(with, NULL);
    gal_crowd_step(with);
    assert_int_equal(h.length, strlen("SFfNnPpsSBbFfNnPps"));
    for (int frame = 0; frame < 3; frame++) {
        gal_crowd_step(without);
    }
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t joints;
        const gal_transform *pose = gal_crowd_pose(with, gal_crowd_at(with, i), &joints);
        assert_memory_equal(pose, gal_crowd_pose(without, gal_crowd_at(without, i), NULL),
                            joints * sizeof *pose);
    }
    assert_string_equal(gal_zone_name(GAL_ZONE_NETWORK), "gallop network");
    assert_null(gal_zone_name(GAL_ZONE_COUNT));
    gal_crowd_destroy(with);
    gal_crowd_destroy(without);
    gal_controller_close(controller);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crowd_changes_nobodys_bits),
        cmocka_unit_test(contacts_know_their_joints),
        cmocka_unit_test(gaits_are_told),
        cmocka_unit_test(two_threads_change_nobodys_bits),
        cmocka_unit_test(the_walker_keeps_to_itself_too),
        cmocka_unit_test(others_stay_while_one_is_removed_and_added_again),
        cmocka_unit_test(a_run_repeats_itself),
        cmocka_unit_test(ground_that_is_not_finite_counts_as_0),
        cmocka_unit_test(memory_comes_back_as_it_was),
        cmocka_unit_test(memory_that_overflows_is_set_back),
        cmocka_unit_test(one_that_overflows_is_set_back_alone),
        cmocka_unit_test(any_output_that_overflows_is_dealt_with),
        cmocka_unit_test(zones_come_in_pairs_and_change_nothing),
    };
    return cmocka_run_group_tests_name("motion crowd", tests, NULL, NULL);
}
