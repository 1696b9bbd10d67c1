/*
 * The step in lanes: a character's bits depend on nothing but itself. Not on its lane, on who is beside it, on how full its
 * bank is, on the instruction set, and those who are not stepped are not touched.
 */
#include "crowd/crowd_parts.h"
#include "lane.h"
#include "sanitized.h"

enum { FRAMES = SANITIZED ? 15 : 40, PLACES = 2 * GALI_BANK + 3 };

/* Every rule that makes characters differ in what they do: jumps, anchors, knees, steps, inertia, breath, a speed
 * integrator, brakes, turning on the spot. */
static const char everything[] =
    "gait jump jump\n"
    "rule jump_time 8\nrule jump_speed 0.5\nrule anchor 0.5\nrule knee_height 30\nrule foot_reach 4\n"
    "rule foot_stand_reach 2\nrule foot_step_height 3\nrule foot_step_fade 0.1\nrule pose_rigid 1\n"
    "rule inertia_jump 1\nrule breath 0.4\nrule speed_gain 0.01\nrule turn_gait 0.15\nrule turn_ahead 11\n"
    "rule phase_least 0.01\nrule speed_brake 0.05\n";

static const char commanded[] =
    "rule command_velocity_time 12\nrule command_turn_rate 0.04\nrule inertia_jump 3\n";

/* What there is to walk with: 0 and 1 are bipeds, then what is shipped. */
enum { CONTROLLERS = 4 };

static gal_controller *open_with(uint32_t which, gal_isa isa) {
    static const char *const rules[] = {everything, commanded};
    static const char *const files[] = {"walker", "dog"};
    const gal_network_desc desc = {.isa = isa};
    gal_controller *controller = NULL;
    gal_error error = {0};
    if (which < 2) {
        const mannequin_desc biped = {
            .rules = rules[which], .wobble = 1, .step_z = 0.6f, .phase = 0.02f, .contact = 0.6f, .seed = 11};
        synthetic s = mannequin_model(&biped);
        size_t size;
        unsigned char *bytes = synthetic_bytes(&s, &size);
        gal_controller_open_memory(&controller, bytes, size, &desc, &error);
        free(bytes);
        synthetic_free(&s);
    } else {
        char path[256];
        snprintf(path, sizeof path, GALLOP_SOURCE_DIR "/models/%s.gallop", files[which - 2]);
        gal_controller_open(&controller, path, &desc, &error);
    }
    if (!controller) {
        fail_msg("%s", error.message);
    }
    return controller;
}

/* Hills where the first ten of a cast are put, and for the others steps of 8 cm, as close as 10 cm. */
static float hills_and_steps(void *context, float x, float z) {
    return x < 380 ? hills(context, x, z) : 8 * floorf(hills(context, 6 * x, 6 * z) / 8);
}

/* What character `who` of a cast wants; some stand, some jump, some are told nonsense. */
static gal_input wish(uint32_t who, uint32_t frame) {
    float t = 0.05f * (float)frame + 1.7f * (float)who;
    const gal_input moves = {.move_x = sinf(t),
                             .move_y = 0.4f + 0.6f * cosf(0.7f * t),
                             .run = who % 3 == 1 ? 1.0f : 0.3f,
                             .strafe = who % 4 == 2 ? 0.8f : 0,
                             .crouch = who % 5 == 3 ? 0.9f : 0,
                             .camera_yaw = who % 7 == 6 ? 1e8f : 0.4f * t,
                             .responsive = who % 2 == 1,
                             .jump = who % 4 == 1};
    const gal_input stands = {.camera_yaw = 0.4f * t};
    return frame / 12 % 2 == 1 && who % 3 == 0 ? stands : moves;
}

static gal_character spawn(gal_crowd *crowd, uint32_t who) {
    const gal_spawn at = {
        .x = 40 * (float)who, .z = -15 * (float)who, .facing = (float)who, .phase = (float)who};
    gal_character id = crowd_add(crowd, at);
    gal_crowd_set_foot_lock(crowd, id, who % 6 != 5);
    gal_crowd_set_pace(crowd, id, &(gal_pace){.frames = who % 5 == 4 ? 3 : 1});
    return id;
}

static void play(gal_crowd *crowd, gal_character id, uint32_t who, uint32_t frame) {
    const gal_input input = wish(who, frame);
    gal_crowd_set_input(crowd, id, &input);
}

/* FNV-1a of a pose, a state and where the path goes. */
static uint64_t hash_on(uint64_t hash, const gal_crowd *crowd, gal_character id) {
    uint32_t joints;
    gal_character_state state = {0};
    gal_vec3 points[GALI_SAMPLES_MAX] = {{0, 0, 0}};
    const gal_transform *pose = gal_crowd_pose(crowd, id, &joints);
    gal_crowd_state(crowd, id, &state);
    gal_crowd_trajectory(crowd, id, points, NULL, GALI_SAMPLES_MAX);
    const struct {
        const void *data;
        size_t size;
    } parts[] = {{pose, joints * sizeof *pose}, {&state, sizeof state}, {points, sizeof points}};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        for (size_t i = 0; i < parts[p].size; i++) {
            hash = (hash ^ ((const unsigned char *)parts[p].data)[i]) * 1099511628211u;
        }
    }
    return hash;
}

/* A cast of `count`, which stands in places from `skipped` on; hashes of each over all frames. */
static void perform(const gal_controller *controller, uint32_t skipped, const uint32_t *cast, uint32_t count,
                    gal_ground_fn ground, uint64_t *hash) {
    gal_crowd *crowd = crowd_of(controller, PLACES, ground);
    gal_character gone[PLACES], ids[PLACES];
    for (uint32_t i = 0; i < skipped; i++) {
        gone[i] = crowd_add(crowd, (gal_spawn){.x = 1e6f});
    }
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = spawn(crowd, cast[i]);
        hash[i] = 14695981039346656037u;
    }
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        if (frame == 3) {
            for (uint32_t i = 0; i < skipped; i++) {
                assert_int_equal(gal_crowd_remove(crowd, gone[i]), GAL_OK);
            }
        }
        for (uint32_t i = 0; i < count; i++) {
            play(crowd, ids[i], cast[i], frame);
        }
        gal_crowd_step(crowd);
        for (uint32_t i = 0; i < count; i++) {
            hash[i] = hash_on(hash[i], crowd, ids[i]);
        }
    }
    gal_crowd_destroy(crowd);
}

/* Alone in the first lane, then with others, in other lanes, in full banks and in thin ones. */
static void lane_and_neighbours_do_not_matter(void **unused) {
    (void)unused;
    static const struct {
        uint32_t skipped, count;
    } crowds[] = {{0, PLACES}, {1, 16}, {5, 2}, {7, 13}, {15, 3}, {17, 5}, {GALI_BANK + 9, 4}};
    for (uint32_t which = 0; which < CONTROLLERS; which++) {
        gal_controller *controller = open_with(which, GAL_ISA_BEST);
        uint64_t alone[PLACES], beside[PLACES];
        uint32_t cast[PLACES];
        for (uint32_t who = 0; who < PLACES; who++) {
            cast[who] = who;
            perform(controller, 0, &who, 1, hills_and_steps, &alone[who]);
        }
        for (size_t c = 0; c < sizeof crowds / sizeof *crowds; c++) {
            perform(controller, crowds[c].skipped, cast, crowds[c].count, hills_and_steps, beside);
            for (uint32_t i = 0; i < crowds[c].count; i++) {
                if (alone[i] != beside[i]) {
                    fail_msg("controller %u, crowd %zu: character %u is another than alone", which, c, i);
                }
            }
        }
        gal_controller_close(controller);
    }
}

/* Of every table that this machine can run. */
static void instruction_sets_do_not_matter(void **unused) {
    (void)unused;
    uint32_t cast[GALI_BANK], seen = 0;
    for (uint32_t i = 0; i < GALI_BANK; i++) {
        cast[i] = i;
    }
    for (uint32_t which = 0; which < CONTROLLERS; which++) {
        uint64_t plain[GALI_BANK], other[GALI_BANK];
        gal_controller *scalar = open_with(which, GAL_ISA_SCALAR);
        perform(scalar, 3, cast, GALI_BANK, hills_and_steps, plain);
        gal_controller_close(scalar);
        for (int isa = GAL_ISA_SCALAR + 1; isa < GAL_ISA_COUNT; isa++) {
            if (!gal_isa_available((gal_isa)isa)) {
                continue;
            }
            gal_controller *controller = open_with(which, (gal_isa)isa);
            perform(controller, 3, cast, GALI_BANK, hills_and_steps, other);
            gal_controller_close(controller);
            seen++;
            if (memcmp(plain, other, sizeof plain) != 0) {
                fail_msg("controller %u: %s walks otherwise than plain C", which, gal_isa_name((gal_isa)isa));
            }
        }
    }
    print_message("%u other instruction sets\n", seen / CONTROLLERS);
}

/* The height field as a host's own function would be: not known to the step, lane by lane. */
static float by_hand(void *context, float x, float z) {
    return gal_height_field_ground(context, x, z);
}

static void a_height_field_is_the_same_lane_by_lane(void **unused) {
    (void)unused;
    enum { SIDE = 9 };
    float heights[SIDE * SIDE];
    uint64_t random = 7;
    for (int i = 0; i < SIDE * SIDE; i++) {
        heights[i] = i == 40 ? INFINITY : 20 * synthetic_uniform(&random);
    }
    gal_height_field field = {heights, SIDE, SIDE, 37, -100, -150};
    gal_controller *controller = open_with(0, GAL_ISA_BEST);
    gal_crowd *crowds[2];
    for (int k = 0; k < 2; k++) {
        const gal_crowd_desc desc = {.controller = controller,
                                     .capacity = GALI_BANK,
                                     .ground = k ? by_hand : gal_height_field_ground,
                                     .ground_context = &field};
        assert_int_equal(gal_crowd_create(&crowds[k], &desc, NULL), GAL_OK);
        for (uint32_t who = 0; who < GALI_BANK; who++) {
            spawn(crowds[k], who);
        }
    }
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        for (uint32_t who = 0; who < GALI_BANK; who++) {
            gal_character id = gal_crowd_at(crowds[0], who);
            play(crowds[0], id, who, frame);
            play(crowds[1], id, who, frame);
        }
        gal_crowd_step(crowds[0]);
        gal_crowd_step(crowds[1]);
        for (uint32_t who = 0; who < GALI_BANK; who++) {
            gal_character id = gal_crowd_at(crowds[0], who);
            assert_true(hash_on(0, crowds[0], id) == hash_on(0, crowds[1], id));
        }
    }
    gal_crowd_destroy(crowds[0]);
    gal_crowd_destroy(crowds[1]);
    gal_controller_close(controller);
}

/* One lane's part of a bank's memory: all but the work, which belongs to no frame. */
static uint64_t lane_hash(const gali_bank *bank, const gal_controller *controller, uint32_t l) {
    const gali_layout *is = &controller->layout;
    uint64_t hash = bank->head[l] + 16u * bank->pose[l] + 64u * bank->before[l];
    const size_t history = controller->contract->past * (size_t)is->record,
                 poses = GALI_POSES * (size_t)is->pose_row;
    for (size_t i = 0; i < is->numbers + history + poses; i++) {
        uint32_t bits;
        const float *at = i < is->numbers             ? gali_bank_at(bank, (uint32_t)i, l)
                          : i < is->numbers + history ? bank->history + l * history + (i - is->numbers)
                                                      : bank->poses + l * poses + (i - is->numbers - history);
        memcpy(&bits, at, sizeof bits);
        hash = (hash ^ bits) * 1099511628211u;
    }
    return hash;
}

/* Half of a bank is stepped, then the other half: the same as all of it, and nobody else is touched. */
static void who_is_not_stepped_is_not_touched(void **unused) {
    (void)unused;
    static const uint32_t masks[] = {0x5a0f, 0xffff & ~0x5a0fu};
    for (uint32_t which = 0; which < CONTROLLERS; which++) {
        gal_controller *controller = open_with(which, GAL_ISA_BEST);
        gal_crowd *crowds[2] = {crowd_of(controller, GALI_BANK, hills), crowd_of(controller, GALI_BANK, hills)};
        for (uint32_t who = 0; who < GALI_BANK; who++) {
            spawn(crowds[0], who);
            spawn(crowds[1], who);
        }
        const gali_phases *phases = crowds[0]->groups[0].phases;
        gali_bank *together = crowds[0]->groups[0].banks, *apart = crowds[1]->groups[0].banks;
        float *x = lane_floats(GALI_BANK * controller->layout.x_row);
        float *y = lane_floats(GALI_BANK * controller->contract->outputs + GALI_ROW_STEP);
        for (uint32_t frame = 0; frame < 20; frame++) {
            for (uint32_t who = 0; who < GALI_BANK; who++) {
                play(crowds[0], gal_crowd_at(crowds[0], who), who, frame);
                play(crowds[1], gal_crowd_at(crowds[1], who), who, frame);
            }
            for (uint32_t n = 0; n < GALI_BANK * controller->contract->outputs;
                 n++) { /* any network's answer */
                uint32_t of = n % controller->contract->outputs;
                y[n] = controller->rest[of] + 0.01f * sinf((float)(frame + of)); /* the same row for all */
            }
            gali_lanes lanes = {.controller = controller,
                                .ground = &crowds[0]->ground,
                                .bank = together,
                                .mask = 0xffff,
                                .x = x,
                                .y = y,
                                .x_stride = controller->layout.x_row,
                                .y_stride = controller->contract->outputs};
            gali_step_before(phases, &lanes);
            gali_step_after(phases, &lanes);
            lanes.bank = apart;
            for (int part = 0; part < 2; part++) {
                uint64_t before[GALI_BANK];
                for (uint32_t l = 0; l < GALI_BANK; l++) {
                    before[l] = lane_hash(apart, controller, l);
                }
                lanes.mask = masks[part];
                gali_step_before(phases, &lanes);
                gali_step_after(phases, &lanes);
                for (uint32_t l = 0; l < GALI_BANK; l++) {
                    int touched = before[l] != lane_hash(apart, controller, l);
                    assert_int_equal(touched, masks[part] >> l & 1);
                }
            }
            for (uint32_t l = 0; l < GALI_BANK; l++) {
                assert_true(lane_hash(together, controller, l) == lane_hash(apart, controller, l));
            }
        }
        free(x);
        free(y);
        gal_crowd_destroy(crowds[0]);
        gal_crowd_destroy(crowds[1]);
        gal_controller_close(controller);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lane_and_neighbours_do_not_matter),
        cmocka_unit_test(instruction_sets_do_not_matter),
        cmocka_unit_test(a_height_field_is_the_same_lane_by_lane),
        cmocka_unit_test(who_is_not_stepped_is_not_touched),
    };
    return cmocka_run_group_tests_name("motion lanes", tests, NULL, NULL);
}
