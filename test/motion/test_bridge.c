/*
 * Characters that are not evaluated in every frame: what is seen of them goes on without a jump, feet on the ground
 * stay still, and they get where the others get. Going from one level to another is not seen either.
 */
#include "crowd/crowd_parts.h"
#include "mannequin.h"

enum { SECOND = 60, FRAMES = 20 * SECOND, PACES = 4, JOINTS_MOST = 64 };

static const uint32_t paces[PACES] = {1, 2, 4, 8};

static gal_controller *walker, *rough; /* float32, int8 */

static int open_controllers(void **unused) {
    (void)unused;
    const gal_network_desc int8 = {.precision = GAL_PRECISION_INT8};
    walker = walker_open();
    return gal_controller_open(&rough, GALLOP_SOURCE_DIR "/models/walker.gallop", &int8, NULL) == GAL_OK ? 0
                                                                                                         : -1;
}

static int close_controllers(void **unused) {
    (void)unused;
    gal_controller_close(walker);
    gal_controller_close(rough);
    return 0;
}

static gal_crowd *levelled_crowd(uint32_t capacity) {
    const gal_group_desc group = {.controller = walker, .capacity = capacity, .stand_ins = {rough}};
    gal_crowd *crowd;
    gal_crowd_desc desc = {.groups = &group, .group_count = 1, .ground = hills};
    assert_int_equal(gal_crowd_create(&crowd, &desc, NULL), GAL_OK);
    return crowd;
}

/* Walks, turns, runs and stops. */
static gal_input stroll(uint32_t frame) {
    float t = (float)frame / (float)SECOND;
    return (gal_input){.move_x = frame % 300 < 150 ? 0.8f * sinf(t) : 0,
                       .move_y = frame % 500 < 400 ? 1 : 0,
                       .run = frame % 700 > 350 ? 1 : 0};
}

/* What is seen of a character from frame to frame. */
typedef struct watch {
    gal_transform pose[JOINTS_MOST];
    gal_vec3 way[JOINTS_MOST];
    float fastest, change; /* the longest way of a joint in a frame, the most that one changed */
    uint32_t frames;
} watch;

static void look(watch *w, const gal_crowd *crowd, gal_character who) {
    uint32_t joints;
    const gal_transform *pose = gal_crowd_pose(crowd, who, &joints);
    for (uint32_t j = 0; j < joints; j++) {
        gal_vec3 way = gali_vec3_sub(pose[j].position, w->pose[j].position);
        if (w->frames > 0) {
            w->fastest = fmaxf(w->fastest, gali_vec3_length(way));
        }
        if (w->frames > 1) {
            w->change = fmaxf(w->change, distance(way, w->way[j]));
        }
        w->way[j] = way;
    }
    memcpy(w->pose, pose, joints * sizeof *pose);
    w->frames++;
}

static void an_evaluation_may_stand_for_several_frames(void **unused) {
    (void)unused;
    gal_crowd *crowd = levelled_crowd(PACES);
    gal_character who[PACES];
    gal_character_state state[PACES];
    watch seen[PACES] = {0};
    float went[PACES] = {0};
    for (uint32_t i = 0; i < PACES; i++) {
        who[i] = crowd_add(crowd, (gal_spawn){0});
        assert_int_equal(gal_crowd_set_pace(crowd, who[i], &(gal_pace){.frames = paces[i]}), GAL_OK);
        gal_crowd_state(crowd, who[i], &state[i]);
    }
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        gal_input input = stroll(frame);
        for (uint32_t i = 0; i < PACES; i++) {
            gal_crowd_set_input(crowd, who[i], &input);
        }
        gal_crowd_step(crowd);
        for (uint32_t i = 0; i < PACES; i++) {
            gal_vec3 before = state[i].root;
            look(&seen[i], crowd, who[i]);
            gal_crowd_state(crowd, who[i], &state[i]);
            went[i] += distance(before, state[i].root);
            assert_true(distance(before, state[i].root) < 8);
        }
    }
    for (uint32_t i = 0; i < PACES; i++) {
        print_message("one frame in %u: joints go up to %.1f cm a frame, changing by %.1f\n", paces[i],
                      (double)seen[i].fastest, (double)seen[i].change);
    }
    for (uint32_t i = 1; i < PACES; i++) {
        assert_true(fabsf(went[i] / went[0] - 1) < 0.08f);
        assert_true(seen[i].fastest < 1.1f * seen[0].fastest);
        assert_true(seen[i].change < 9);
    }
    assert_int_equal(gal_crowd_resets(crowd), 0);
    gal_crowd_destroy(crowd);
}

/* A toe whose contact is seen in two frames is where it was, but for a lock that is being let go. */
static void feet_on_the_ground_stay_still(void **unused) {
    (void)unused;
    const gali_contract *contract = walker->contract;
    for (uint32_t i = 1; i < PACES; i++) {
        gal_crowd *crowd = crowd_of(walker, 1, NULL);
        gal_character who = crowd_add(crowd, (gal_spawn){0});
        gal_crowd_set_pace(crowd, who, &(gal_pace){.frames = paces[i]});
        gal_crowd_set_input(crowd, who, &(gal_input){.move_y = 1});
        gal_vec3 toe[GALI_LEGS_MAX] = {{0}};
        uint32_t planted = 0;
        float slid = 0;
        for (uint32_t frame = 0; frame < 10 * SECOND; frame++) {
            gal_character_state state;
            gal_crowd_step(crowd);
            gal_crowd_state(crowd, who, &state);
            for (uint32_t l = 0; l < contract->leg_count; l++) {
                gal_vec3 before = toe[l];
                toe[l] = gal_crowd_pose(crowd, who, NULL)[contract->legs[l].toe].position;
                if (frame > 2 * SECOND && state.contacts[walker->leg_contact[l]] > 0.5f) {
                    slid += hypotf(toe[l].x - before.x, toe[l].z - before.z);
                    planted++;
                }
            }
        }
        assert_true(planted > 4 * SECOND); /* of 16; it has 4.8 at the longest pace, 8.1 at the shortest */
        assert_true(slid / (float)planted * (float)SECOND < 1); /* cm/s: `gallop judge` has 0.0 to 0.7 */
        gal_crowd_destroy(crowd);
    }
}

/* A character of a shipped model, alone. */
typedef struct one {
    gal_controller *controller;
    gal_crowd *crowd;
    gal_character who;
} one;

static one one_of(const char *model, gal_ground_fn ground, float z) {
    one o;
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s.gallop", GALLOP_SOURCE_DIR, model);
    assert_int_equal(gal_controller_open(&o.controller, path, NULL, NULL), GAL_OK);
    o.crowd = crowd_of(o.controller, 1, ground);
    o.who = crowd_add(o.crowd, (gal_spawn){.z = z});
    return o;
}

static void end(one *o) {
    gal_crowd_destroy(o->crowd);
    gal_controller_close(o->controller);
}

/* The most that a joint's way changes in a frame, and the first joint's, of who is asked once in so many frames. */
static void look_at_way(const char *model, uint32_t frames, uint32_t over, float *joints, float *body) {
    one o = one_of(model, NULL, 0);
    gal_crowd_set_pace(o.crowd, o.who, &(gal_pace){.frames = frames});
    watch seen = {0};
    gal_vec3 way = {0};
    *body = 0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        float forward = frame / over % 2 ? -1.0f : 1.0f;
        gal_crowd_set_input(o.crowd, o.who, &(gal_input){.move_y = forward, .run = over < FRAMES});
        gal_crowd_step(o.crowd);
        look(&seen, o.crowd, o.who);
        *body = frame > SECOND ? fmaxf(*body, distance(seen.way[0], way)) : 0;
        seen.change = frame > SECOND ? seen.change : 0;
        way = seen.way[0];
    }
    *joints = seen.change;
    print_message("%s, one frame in %u, over every %u: joints change by %.1f cm, the body by %.1f\n", model,
                  frames, over, (double)*joints, (double)*body);
    end(&o);
}

/* From one evaluation to the next what is seen goes on as it went: its way has no corner at each. */
static void a_way_between_evaluations_is_eased(void **unused) {
    (void)unused;
    float joints, body;
    look_at_way("walker", 8, FRAMES, &joints, &body);
    assert_true(joints < 3.5f);
    look_at_way("runner", 8, 150, &joints, &body);
    assert_true(body < 3.5f);
}

/* How far off the wanted speed, metres a second, the runner is who is asked once in 8 frames, after 20 seconds: a share of it. */
static float off_at_length(gal_input input, float wanted) {
    gal_controller *runner;
    assert_int_equal(gal_controller_open(&runner, GALLOP_SOURCE_DIR "/models/runner.gallop", NULL, NULL),
                     GAL_OK);
    gal_crowd *crowd = crowd_of(runner, 1, NULL);
    gal_character who = crowd_add(crowd, (gal_spawn){0});
    gal_character_state from, to;
    gal_crowd_set_pace(crowd, who, &(gal_pace){.frames = 8});
    gal_crowd_set_input(crowd, who, &input);
    for (uint32_t frame = 0; frame < 20 * SECOND; frame++) {
        gal_crowd_step(crowd);
    }
    gal_crowd_state(crowd, who, &from);
    for (uint32_t frame = 0; frame < 10 * SECOND; frame++) {
        gal_crowd_step(crowd);
    }
    gal_crowd_state(crowd, who, &to);
    gal_crowd_destroy(crowd);
    gal_controller_close(runner);
    float off = distance(from.root, to.root) / (10 * 100 * wanted) - 1;
    print_message("who is asked once in 8 frames is off %.2f m/s by %.1f %%\n", (double)wanted,
                  100 * (double)off);
    return off;
}

/*
 * A network that is asked once in 8 frames would walk off a quarter too fast, and go backwards a fifth too slowly: he is led to
 * his speed.
 */
static void who_is_seldom_asked_keeps_his_speed(void **unused) {
    (void)unused;
    assert_true(fabsf(off_at_length((gal_input){.move_y = 1}, 1.4f)) < 0.03f);
    assert_true(fabsf(off_at_length((gal_input){.move_y = -1, .strafe = 1}, 0.91f)) < 0.04f);
    assert_true(fabsf(off_at_length((gal_input){.move_y = -1, .strafe = 1, .crouch = 1}, 0.582f)) < 0.06f);
}

/* Stairs of 18 cm. */
static float stairs(void *context, float x, float z) {
    (void)context;
    (void)x;
    return 18 * floorf(z / 50);
}

/* How far a bone points from where its upper joint's turn has it: the sine. */
static float bone_off(const gali_contract *contract, const gal_transform *pose, uint32_t upper,
                      uint32_t lower) {
    gal_vec3 bone = gali_vec3_sub(pose[lower].position, pose[upper].position),
             turned = gali_quat_turn(pose[upper].rotation, contract->joints[lower].rest.position);
    return gali_vec3_length(gali_vec3_cross(gali_vec3_unit(bone, bone), gali_vec3_unit(turned, turned)));
}

/* On its way from one evaluation to the next a foot goes over the edges of steps, and its leg's bones are turned with it. */
static void feet_go_over_edges(void **unused) {
    (void)unused;
    const gali_contract *contract = walker->contract;
    for (uint32_t i = 1; i < PACES; i++) {
        gal_crowd *crowd = crowd_of(walker, 1, stairs);
        gal_character who = crowd_add(crowd, (gal_spawn){0});
        gal_crowd_set_pace(crowd, who, &(gal_pace){.frames = paces[i]});
        gal_crowd_set_input(crowd, who, &(gal_input){.move_y = 1, .run = 1});
        float lowest = 100, off = 0;
        watch seen = {0};
        for (uint32_t frame = 0; frame < FRAMES; frame++) {
            gal_crowd_step(crowd);
            look(&seen, crowd, who);
            for (uint32_t l = 0; l < contract->leg_count; l++) {
                const gali_leg *leg = &contract->legs[l];
                gal_vec3 toe = seen.pose[leg->toe].position, heel = seen.pose[leg->heel].position;
                float low = fminf(toe.y - stairs(NULL, toe.x, toe.z), heel.y - stairs(NULL, heel.x, heel.z));
                lowest = frame > SECOND ? fminf(lowest, low) : lowest;
                off = fmaxf(off, bone_off(contract, seen.pose, leg->hip, leg->knee));
                off = fmaxf(off, bone_off(contract, seen.pose, leg->knee, leg->heel));
            }
        }
        print_message("one frame in %u: %.2f cm over stairs, bones off by %.2f\n", paces[i], (double)lowest,
                      (double)off);
        assert_true(lowest > -0.5f);
        assert_true(off < 0.1f);
        gal_crowd_destroy(crowd);
    }
}

/* Flights of ten steps of 18 cm, up and down, with landings. */
static float flights(void *context, float x, float z) {
    (void)context;
    (void)x;
    float at = z - 940 * floorf(z / 940), up = at < 470 ? at : 940 - at;
    return 18 * fminf(fmaxf(floorf((up - 200) / 30) + 1, 0), 10);
}

/*
 * The most that a joint's way changes in a frame of a minute up and down stairs, from a place on, once in so many frames, or
 * that and every frame in turns.
 */
static float change_on_stairs(const char *model, float z, uint32_t frames, float run, int turns) {
    one o = one_of(model, flights, z);
    gal_crowd_set_input(o.crowd, o.who, &(gal_input){.move_y = 1, .run = run});
    watch seen = {0};
    for (uint32_t frame = 0; frame < 60 * SECOND; frame++) {
        gal_crowd_set_pace(o.crowd, o.who, &(gal_pace){.frames = turns && frame % 37 >= 18 ? 1 : frames});
        gal_crowd_step(o.crowd);
        look(&seen, o.crowd, o.who);
    }
    end(&o);
    print_message("%s at %.0f, one frame in %u%s: joints change by %.1f cm on stairs\n", model, (double)run,
                  frames, turns ? " and each" : "", (double)seen.change);
    return seen.change;
}

/* An edge in the first frame after an evaluation, or in the last before it, is not gone over in that frame. */
static void an_edge_takes_its_time(void **unused) {
    (void)unused;
    static const char *const models[] = {"walker", "runner", "dog"};
    for (uint32_t i = 0; i < sizeof models / sizeof *models; i++) {
        assert_true(change_on_stairs(models[i], 0, 8, 0, 0) < 10.5f);
        assert_true(change_on_stairs(models[i], 0, 4, 1, 0) < 10.5f);
    }
}

/* Back and forth between float32 and int8, at any frame: neither ways nor their changes are larger for it. */
static void a_change_of_level_is_not_seen(void **unused) {
    (void)unused;
    gal_crowd *crowd = levelled_crowd(3);
    gal_character stays = crowd_add(crowd, (gal_spawn){0}), rests = crowd_add(crowd, (gal_spawn){0}),
                  goes = crowd_add(crowd, (gal_spawn){0});
    watch steady = {0}, coarse = {0}, changing = {0};
    gal_pace pace;
    gal_crowd_set_pace(crowd, rests, &(gal_pace){.frames = 1, .level = 1});
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        gal_input input = stroll(frame);
        uint32_t level = frame * 7 % 31 < 15;
        gal_crowd_set_input(crowd, stays, &input);
        gal_crowd_set_input(crowd, rests, &input);
        gal_crowd_set_input(crowd, goes, &input);
        assert_int_equal(gal_crowd_set_pace(crowd, goes, &(gal_pace){.frames = 1, .level = level}), GAL_OK);
        gal_crowd_step(crowd);
        assert_int_equal(gal_crowd_pace(crowd, goes, &pace), GAL_OK);
        assert_true(pace.frames == 1 && pace.level == level);
        look(&steady, crowd, stays);
        look(&coarse, crowd, rests);
        look(&changing, crowd, goes);
    }
    assert_true(changing.fastest < 1.05f * fmaxf(steady.fastest, coarse.fastest));
    assert_true(changing.change < 1.05f * fmaxf(steady.change, coarse.change));
    gal_crowd_destroy(crowd);
}

/* From every frame to every eighth and back, at any frame, at both levels. */
static void a_change_of_pace_is_not_seen(void **unused) {
    (void)unused;
    gal_crowd *crowd = levelled_crowd(2);
    gal_character stays = crowd_add(crowd, (gal_spawn){0}), goes = crowd_add(crowd, (gal_spawn){0});
    watch steady = {0}, changing = {0};
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        gal_input input = stroll(frame);
        gal_crowd_set_input(crowd, stays, &input);
        gal_crowd_set_input(crowd, goes, &input);
        gal_crowd_set_pace(crowd, goes, &(gal_pace){.frames = 1 + frame * 5 / 11 % 8, .level = frame / 13 % 2});
        gal_crowd_step(crowd);
        look(&steady, crowd, stays);
        look(&changing, crowd, goes);
    }
    print_message(
        "paces that change: joints go up to %.1f cm a frame, changing by %.1f; each frame %.1f, %.1f\n",
        (double)changing.fastest, (double)changing.change, (double)steady.fastest, (double)steady.change);
    assert_true(changing.fastest < 1.1f * steady.fastest);
    assert_true(changing.change < 9);
    gal_crowd_destroy(crowd);
}

/* A foot that is over an edge when the pace changes to every frame comes down as it would have: in one frame that is 7 cm and more. */
static void a_change_of_pace_drops_no_foot(void **unused) {
    (void)unused;
    for (uint32_t start = 0; start < 3; start++) {
        assert_true(change_on_stairs("walker", 11 * (float)start, 8, 0, 1) < 6.5f);
    }
}

static void others_do_not_notice(void **unused) {
    (void)unused;
    gal_crowd *calm = crowd_of(walker, 1, hills), *busy = levelled_crowd(6);
    gal_character alone = crowd_add(calm, (gal_spawn){.x = 5}), same = crowd_add(busy, (gal_spawn){.x = 5});
    for (uint32_t i = 0; i < 5; i++) {
        gal_character other = crowd_add(busy, (gal_spawn){.x = 100 * (float)i});
        gal_crowd_set_pace(busy, other, &(gal_pace){.frames = 1 + i, .level = i % 2});
    }
    for (uint32_t frame = 0; frame < 200; frame++) {
        gal_input input = stroll(frame);
        gal_crowd_set_input(calm, alone, &input);
        for (uint32_t i = 0; i < 6; i++) {
            gal_crowd_set_input(busy, gal_crowd_at(busy, i), &input);
        }
        gal_crowd_step(calm);
        gal_crowd_step(busy);
        uint32_t joints;
        const gal_transform *pose = gal_crowd_pose(calm, alone, &joints);
        assert_memory_equal(pose, gal_crowd_pose(busy, same, NULL), joints * sizeof *pose);
    }
    gal_crowd_destroy(calm);
    gal_crowd_destroy(busy);
}

/* Saved while its state is ahead of what is seen, and played again. */
static void snapshots_hold_the_bridge(void **unused) {
    (void)unused;
    gal_crowd *crowd = levelled_crowd(3), *other = levelled_crowd(3);
    gal_character who[3];
    for (uint32_t i = 0; i < 3; i++) {
        who[i] = crowd_add(crowd, (gal_spawn){.x = 70 * (float)i});
        gal_crowd_set_pace(crowd, who[i], &(gal_pace){.frames = 3 + i, .level = i % 2});
        gal_crowd_set_input(crowd, who[i], &(gal_input){.move_y = 1});
    }
    for (uint32_t frame = 0; frame < 61; frame++) {
        gal_crowd_step(crowd);
    }
    size_t size = gal_crowd_snapshot_size(crowd);
    unsigned char *here = malloc(size), *there = malloc(size);
    assert_int_equal(gal_crowd_save(crowd, here, size, NULL), GAL_OK);
    assert_int_equal(gal_crowd_restore(other, here, size, NULL), GAL_OK);
    for (uint32_t frame = 0; frame < 20; frame++) {
        gal_crowd_step(crowd);
        gal_crowd_step(other);
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t joints;
            const gal_transform *pose = gal_crowd_pose(crowd, who[i], &joints);
            assert_memory_equal(pose, gal_crowd_pose(other, who[i], NULL), joints * sizeof *pose);
        }
    }
    gal_crowd_save(crowd, here, size, NULL);
    gal_crowd_save(other, there, size, NULL);
    assert_memory_equal(here, there, size);
    free(here);
    free(there);
    gal_crowd_destroy(crowd);
    gal_crowd_destroy(other);
}

/* A snapshot holds any numbers that are in range: what is shown by them is finite, and can be saved and restored again. */
static void no_snapshot_shows_what_cannot_be_saved(void **unused) {
    (void)unused;
    const float far = 2e7f; /* that a place may be in a snapshot */
    gal_crowd *crowd = crowd_of(walker, 1, NULL);
    gal_character who = crowd_add(crowd, (gal_spawn){0});
    const gali_layout *is = &walker->layout;
    gali_bank *bank = &crowd->groups[0].banks[0];
    gal_crowd_set_pace(crowd, who, &(gal_pace){.frames = 8});
    gal_crowd_set_input(crowd, who, &(gal_input){.move_y = 1});
    do {
        gal_crowd_step(crowd);
    } while (crowd->paces[0].left != 7);
    for (uint32_t i = 0; i < walker->contract->leg_count; i++) {
        for (uint32_t k = 0; k < 4; k++) {
            gali_bank_set(bank, is->foot_way + 4 * i + k, 0, k == 2 ? 1 : far);
        }
    }
    for (uint32_t j = 0; j < walker->contract->joint_count; j++) {
        gali_bank_pose_before(bank, is, 0)[j].position.x = far;
        gali_bank_pose_bridge(bank, is, 0)[j].position.x = -far;
    }
    size_t size = gal_crowd_snapshot_size(crowd);
    unsigned char *saved = malloc(size);
    for (uint32_t frame = 0; frame < 20; frame++) {
        assert_int_equal(gal_crowd_save(crowd, saved, size, NULL), GAL_OK);
        assert_int_equal(gal_crowd_restore(crowd, saved, size, NULL), GAL_OK);
        gal_crowd_step(crowd);
    }
    free(saved);
    gal_crowd_destroy(crowd);
}

/* In the middle of a bridge it is put where it is seen to be, and what is seen goes on from there. */
static void teleported_on_the_bridge(void **unused) {
    (void)unused;
    gal_crowd *crowd = crowd_of(walker, 1, NULL);
    gal_character who = crowd_add(crowd, (gal_spawn){0});
    gal_character_state here, there;
    watch seen = {0};
    gal_crowd_set_pace(crowd, who, &(gal_pace){.frames = 8});
    gal_crowd_set_input(crowd, who, &(gal_input){.move_y = 1});
    for (uint32_t frame = 0; frame < 99; frame++) {
        gal_crowd_step(crowd);
    }
    gal_crowd_state(crowd, who, &here);
    gal_vec3 hips = gal_crowd_pose(crowd, who, NULL)[0].position;
    assert_int_equal(gal_crowd_teleport(crowd, who, 500, -300, here.facing), GAL_OK);
    gal_crowd_state(crowd, who, &there);
    gal_vec3 moved = gal_crowd_pose(crowd, who, NULL)[0].position;
    assert_true(distance(there.root, (gal_vec3){500, here.root.y, -300}) < 1e-3f);
    assert_true(distance(gali_vec3_sub(moved, there.root), gali_vec3_sub(hips, here.root)) < 1e-3f);
    for (uint32_t frame = 0; frame < 30; frame++) {
        look(&seen, crowd, who);
        gal_crowd_step(crowd);
    }
    assert_true(seen.fastest < 8);
    gal_crowd_destroy(crowd);
}

static void a_pace_has_its_limits(void **unused) {
    (void)unused;
    gal_crowd *crowd = levelled_crowd(1);
    gal_character who = crowd_add(crowd, (gal_spawn){0});
    gal_pace pace = {.frames = 9};
    assert_int_equal(gal_crowd_set_pace(crowd, who, &(gal_pace){.frames = 0, .level = 0}), GAL_BAD_ARGUMENT);
    assert_int_equal(gal_crowd_set_pace(crowd, who, &(gal_pace){.frames = 9, .level = 0}), GAL_BAD_ARGUMENT);
    assert_int_equal(gal_crowd_set_pace(crowd, who, &(gal_pace){.frames = 1, .level = 2}), GAL_BAD_ARGUMENT);
    assert_int_equal(gal_crowd_set_pace(crowd, who + 1, &(gal_pace){.frames = 1, .level = 0}), GAL_NOT_FOUND);
    assert_int_equal(gal_crowd_pace(crowd, who + 1, &pace), GAL_NOT_FOUND);
    assert_int_equal(gal_crowd_pace(crowd, who, &pace), GAL_OK);
    assert_true(pace.frames == 1 && pace.level == 0);
    assert_int_equal(gal_crowd_set_pace(crowd, who, &(gal_pace){.frames = 8, .level = 1}), GAL_OK);
    gal_crowd_step(crowd);
    gal_crowd_pace(crowd, who, &pace);
    assert_true(pace.frames == 8 && pace.level == 1);
    assert_int_equal(gal_crowd_set_pace(crowd, who, NULL), GAL_OK);
    for (uint32_t frame = 0; frame < 8; frame++) {
        gal_crowd_step(crowd);
    }
    gal_crowd_pace(crowd, who, &pace);
    assert_true(pace.frames == 1 && pace.level == 0);
    gal_crowd_destroy(crowd);
}

static void another_body_cannot_stand_in(void **unused) {
    (void)unused;
    const mannequin_desc biped = {.seed = 1};
    gal_controller *other = mannequin_open(&biped);
    const gal_group_desc group = {.controller = walker, .capacity = 1, .stand_ins = {rough, other}};
    gal_error error = {0};
    gal_crowd *crowd;
    gal_crowd_desc desc = {.groups = &group, .group_count = 1};
    assert_int_equal(gal_crowd_create(&crowd, &desc, &error), GAL_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "groups[0].stand_ins[1]: mannequin has "));
    gal_controller_close(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_evaluation_may_stand_for_several_frames),
        cmocka_unit_test(feet_on_the_ground_stay_still),
        cmocka_unit_test(a_way_between_evaluations_is_eased),
        cmocka_unit_test(who_is_seldom_asked_keeps_his_speed),
        cmocka_unit_test(feet_go_over_edges),
        cmocka_unit_test(an_edge_takes_its_time),
        cmocka_unit_test(a_change_of_level_is_not_seen),
        cmocka_unit_test(a_change_of_pace_is_not_seen),
        cmocka_unit_test(a_change_of_pace_drops_no_foot),
        cmocka_unit_test(others_do_not_notice),
        cmocka_unit_test(snapshots_hold_the_bridge),
        cmocka_unit_test(no_snapshot_shows_what_cannot_be_saved),
        cmocka_unit_test(teleported_on_the_bridge),
        cmocka_unit_test(a_pace_has_its_limits),
        cmocka_unit_test(another_body_cannot_stand_in),
    };
    return cmocka_run_group_tests(tests, open_controllers, close_controllers);
}
