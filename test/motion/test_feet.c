/* Feet of whole characters: planted toes stay, locks let go and step, none goes under the ground. */
#include "mannequin.h"

static float hillside(void *context, float x, float z) {
    (void)context;
    return 0.15f * z + 0.05f * x;
}

static void set_bias(const synthetic *s, uint32_t feature, float a, float b, float c, float d) {
    const gali_model_layer *last = &s->model.layers[1];
    float *biases = (float *)(uintptr_t)last->biases;
    const float values[4] = {a, b, c, d};
    float spread = ((const float *)s->model.output_std)[feature];
    for (uint32_t e = 0; e < 4; e++) {
        biases[e * last->outputs + feature] = values[e] / spread;
    }
}

/*
 * A walk by phase: each leg is planted for half a cycle of 50 frames, in which its foot goes back by as much as
 * the root goes on, but not evenly; then it swings through the air.
 */
static gal_controller *open_marcher(void) {
    mannequin_desc desc = {.step_z = 1, .phase = 0.02f, .contact = 0.5f, .seed = 9};
    synthetic s = mannequin_model(&desc);
    gali_contract *contract = mannequin_contract(s.model.contract);
    uint32_t joints = gali_contract_find(contract, GALI_BLOCK_JOINT_POSITION_OUT)->offset;
    for (uint32_t leg = 0; leg < 2; leg++) {
        float sign = leg ? -1.0f : 1.0f;
        for (uint32_t part = 0; part < 3; part++) { /* knee, heel, toe */
            uint32_t at = joints + 3 * (2 + 4 * leg + part);
            float share = part == 0 ? 0.5f : 1.0f;
            set_bias(&s, at + 2, sign * 14 * share, 0, -sign * 14 * share, 0);
            set_bias(&s, at + 1, 0, leg ? 6 * share : 0, 0, leg ? 0 : 6 * share);
        }
        for (uint32_t i = 2 * leg; i < 2 * leg + 2; i++) { /* the first outputs are the contacts */
            set_bias(&s, i, 0, sign * 0.9f, 0, -sign * 0.9f);
        }
    }
    gali_contract_release(contract, NULL);
    gal_controller *controller = mannequin_open_model(&s);
    synthetic_free(&s);
    return controller;
}

/* Two characters who want the same; the second's feet are free. */
typedef struct pair {
    gal_controller *controller;
    gal_crowd *crowd;
    gal_character locked, free;
} pair;

static pair set_out(gal_controller *controller, gal_ground_fn ground) {
    pair p = {.controller = controller, .crowd = crowd_of(controller, 2, ground)};
    p.locked = crowd_add(p.crowd, (gal_spawn){.facing = 0.7f}); /* so that x and z both matter */
    p.free = crowd_add(p.crowd, (gal_spawn){.facing = 0.7f});
    gal_crowd_set_foot_lock(p.crowd, p.free, 0);
    gal_crowd_set_input(p.crowd, p.locked, &(gal_input){.move_y = 1});
    gal_crowd_set_input(p.crowd, p.free, &(gal_input){.move_y = 1});
    return p;
}

static void part(pair *p) {
    gal_crowd_destroy(p->crowd);
    gal_controller_close(p->controller);
}

static float flat_distance(gal_vec3 a, gal_vec3 b) {
    return hypotf(a.x - b.x, a.z - b.z);
}

static void a_planted_toe_stays_on_the_hillside(void **unused) {
    (void)unused;
    static const uint32_t toes[2] = {LEFT_TOE, RIGHT_TOE};
    pair p = set_out(open_marcher(), hillside);
    gal_vec3 last[2] = {{0, 0, 0}};
    float slid_most = 0, free_most = 0, under_most = 0;
    gal_vec3 last_free[2] = {{0, 0, 0}};
    int planted[2] = {0}, held = 0;
    for (int frame = 0; frame < 300; frame++) {
        gal_crowd_step(p.crowd);
        const gal_transform *pose = gal_crowd_pose(p.crowd, p.locked, NULL);
        const gal_transform *free = gal_crowd_pose(p.crowd, p.free, NULL);
        gal_character_state at;
        gal_crowd_state(p.crowd, p.locked, &at);
        for (int leg = 0; leg < 2; leg++) {
            gal_vec3 toe = pose[toes[leg]].position;
            int on = at.contacts[2 * leg + 1] >= 0.8f;
            if (on && planted[leg]) {
                slid_most = fmaxf(slid_most, flat_distance(toe, last[leg]));
                free_most = fmaxf(free_most, flat_distance(free[toes[leg]].position, last_free[leg]));
                held++;
            }
            if (frame > 10) {
                under_most = fmaxf(under_most, hillside(NULL, toe.x, toe.z) + 4 - toe.y);
                assert_true(frame < 12 || flat_distance(toe, last[leg]) < 4); /* nothing snaps */
            }
            planted[leg] = on;
            last[leg] = toe;
            last_free[leg] = free[toes[leg]].position;
        }
    }
    print_message(
        "planted toe: %.4f cm a frame at most (%.2f free), %.3f cm under its height at most, %d frames\n",
        (double)slid_most, (double)free_most, (double)under_most, held);
    assert_true(held > 150 && free_most > 0.3f); /* or there was nothing to hold */
    assert_true(slid_most < 0.1f);
    assert_true(under_most < 0.5f);
    part(&p);
}

static void locking_changes_the_pose_alone(void **unused) {
    (void)unused;
    pair p = set_out(open_marcher(), hillside);
    float most = 0;
    for (int frame = 0; frame < 120; frame++) {
        gal_crowd_step(p.crowd);
        gal_character_state a, b;
        gal_vec3 points[2][6];
        float facings[2][6];
        gal_crowd_state(p.crowd, p.locked, &a);
        gal_crowd_state(p.crowd, p.free, &b);
        assert_memory_equal(&a, &b, sizeof a);
        gal_vec3 fed_back[2][MANNEQUIN_JOINTS];
        assert_int_equal(gali_crowd_fed_back(p.crowd, p.locked, fed_back[0]), GAL_OK);
        assert_int_equal(gali_crowd_fed_back(p.crowd, p.free, fed_back[1]), GAL_OK);
        assert_memory_equal(fed_back[0], fed_back[1], sizeof fed_back[0]);
        gal_crowd_trajectory(p.crowd, p.locked, points[0], facings[0], 6);
        gal_crowd_trajectory(p.crowd, p.free, points[1], facings[1], 6);
        assert_memory_equal(points[0], points[1], sizeof points[0]);
        assert_memory_equal(facings[0], facings[1], sizeof facings[0]);
        const gal_transform *pose = gal_crowd_pose(p.crowd, p.locked, NULL);
        const gal_transform *free = gal_crowd_pose(p.crowd, p.free, NULL);
        for (uint32_t j = 1; j < MANNEQUIN_JOINTS; j++) { /* bones stay as long as predicted */
            uint32_t parent = (uint32_t)gal_controller_joint_parent(p.controller, j);
            near_length(pose, j, parent, distance(free[j].position, free[parent].position));
        }
        most = fmaxf(most, distance(pose[LEFT_TOE].position, free[LEFT_TOE].position));
    }
    assert_true(most > 1);
    part(&p);
}

/* With contact for ever and a root that walks on, a lock holds for foot_reach and then lets go. */
static void a_lock_lets_go_when_it_pulls_too_far(void **unused) {
    (void)unused;
    mannequin_desc desc = {.step_z = 1, .contact = 1, .phase = 0.02f, .seed = 9};
    pair p = set_out(mannequin_open(&desc), NULL);
    gal_vec3 first = {0, 0, 0};
    for (int frame = 0; frame < 40; frame++) {
        gal_crowd_step(p.crowd);
        gal_vec3 toe = gal_crowd_pose(p.crowd, p.locked, NULL)[LEFT_TOE].position;
        gal_vec3 free = gal_crowd_pose(p.crowd, p.free, NULL)[LEFT_TOE].position;
        first = frame == 0 ? toe : first;
        float pull = flat_distance(first, free), moved = flat_distance(first, toe);
        assert_true(pull > 15 || moved < 0.1f);
        assert_true(flat_distance(toe, free) < 17);
        assert_true(frame < 30 || moved > 5);
    }
    part(&p);
}

/*
 * A foot that is let go steps: where it is on the ground it hardly moves, it is lifted where it does, and what
 * the caller is told of its contact falls as it rises.
 */
static void a_foot_that_is_let_go_steps(void **unused) {
    (void)unused;
    mannequin_desc desc = {.rules = "rule foot_step_height 6\nrule foot_step_fade 0.05\nrule foot_reach 10\n",
                           .step_z = 0.3f,
                           .contact = 1,
                           .phase = 0.02f,
                           .seed = 9};
    pair p = set_out(mannequin_open(&desc), NULL);
    gal_vec3 last = {0, 0, 0};
    float low = 1e9f, high = 0, slid = 0, went = 0, least = 1;
    for (int frame = 0; frame < 200; frame++) {
        gal_crowd_step(p.crowd);
        gal_character_state state;
        gal_crowd_state(p.crowd, p.locked, &state);
        gal_vec3 toe = gal_crowd_pose(p.crowd, p.locked, NULL)[LEFT_TOE].position;
        float contact = state.contacts[1], moved = frame > 0 ? flat_distance(toe, last) : 0;
        float heel = state.contacts[0];
        slid += contact > 0.5f ? moved : 0;
        went += moved;
        low = fminf(low, toe.y);
        high = fmaxf(high, toe.y);
        least = fminf(least, contact);
        last = toe;
        gal_crowd_state(p.crowd, p.free, &state);
        assert_true(state.contacts[1] > 0.9f &&
                    contact <= state.contacts[1]); /* as predicted, nothing locked */
        assert_true(fabsf(contact / state.contacts[1] - heel / state.contacts[0]) <
                    1e-5f); /* heel and toe alike */
    }
    print_message("a foot let go: %.1f cm of %.1f cm on the ground\n", (double)slid, (double)went);
    assert_true(went > 30 && slid < 0.01f * went);
    assert_true(least < 0.05f && high - low > 5.5f && high - low < 6.5f);
    part(&p);
}

/* A lock fades while the dog goes on by 6 cm a frame: dragged behind, a paw would have to catch up with its stride. */
static void a_lock_that_fades_does_not_drag_a_running_paw(void **unused) {
    (void)unused;
    gal_controller *dog = shipped_open("dog");
    const gali_contract *contract = dog->contract;
    pair p = set_out(dog, NULL);
    const gal_input ahead = {.move_y = 1, .run = 1};
    gal_crowd_set_input(p.crowd, p.locked, &ahead);
    gal_crowd_set_input(p.crowd, p.free, &ahead);
    float behind = 0;
    for (int frame = 0; frame < 600; frame++) {
        gal_crowd_step(p.crowd);
        const gal_transform *pose = gal_crowd_pose(p.crowd, p.locked, NULL);
        const gal_transform *free = gal_crowd_pose(p.crowd, p.free, NULL);
        for (uint32_t leg = 0; frame > 120 && leg < contract->leg_count; leg++) {
            uint32_t toe = contract->legs[leg].toe;
            behind = fmaxf(behind, flat_distance(pose[toe].position, free[toe].position));
        }
    }
    print_message("a running dog's paws are shown %.1f cm from their own places at most\n", (double)behind);
    assert_true(behind > 3 && behind < 2 * contract->rules.foot_reach);
    part(&p);
}

/*
 * Where a runner takes off, the network says of his foot that it is on the ground, a quarter of a metre over it: what is in the
 * air stays there.
 */
static void a_foot_in_the_air_is_not_on_the_ground(void **unused) {
    (void)unused;
    gal_controller *runner = shipped_open("runner");
    const gali_contract *contract = runner->contract;
    pair p = set_out(runner, NULL);
    float drawn = 0, free_high = 0;
    for (int frame = 0; frame < 780; frame++) {
        const gal_input input = {.move_y = 1, .run = 0.6f, .jump = frame >= 180 && frame % 180 < 6};
        gal_crowd_set_input(p.crowd, p.locked, &input);
        gal_crowd_set_input(p.crowd, p.free, &input);
        gal_crowd_step(p.crowd);
        const gal_transform *pose = gal_crowd_pose(p.crowd, p.locked, NULL);
        const gal_transform *free = gal_crowd_pose(p.crowd, p.free, NULL);
        for (uint32_t leg = 0; frame > 120 && leg < contract->leg_count; leg++) {
            uint32_t toe = contract->legs[leg].toe;
            float high = free[toe].position.y - contract->rules.foot_toe_height;
            free_high = fmaxf(free_high, high);
            drawn = high > 20 ? fmaxf(drawn, free[toe].position.y - pose[toe].position.y) : drawn;
        }
    }
    print_message("a toe 20 cm over the ground, of %.0f at most, is drawn down by %.1f cm at most\n",
                  (double)free_high, (double)drawn);
    assert_true(free_high > 30 && drawn < 5);
    part(&p);
}

/* How far a knee is bent, degrees. */
static float knee_bent(const gal_transform *pose, const gali_leg *leg) {
    gal_vec3 thigh = gali_vec3_sub(pose[leg->knee].position, pose[leg->hip].position),
             shank = gali_vec3_sub(pose[leg->heel].position, pose[leg->knee].position);
    float cosine = gali_vec3_dot(thigh, shank) / (gali_vec3_length(thigh) * gali_vec3_length(shank));
    return acosf(fminf(cosine, 1)) * 57.29578f;
}

/* Degrees that a knee is bent by, the one that is most. */
static float most_bent(const gal_crowd *crowd, gal_character who, const gali_contract *contract) {
    const gal_transform *pose = gal_crowd_pose(crowd, who, NULL);
    float most = 0;
    for (uint32_t leg = 0; leg < contract->leg_count; leg++) {
        most = fmaxf(most, knee_bent(pose, &contract->legs[leg]));
    }
    return most;
}

/*
 * Who goes does so on legs that give way; it was seen in who stands, too, whose knees were bent by 26 to 29 degrees where the
 * network bent them by 4 to 13. Now the ground adds little to what the network says.
 */
static void who_stands_straightens_his_knees(void **unused) {
    (void)unused;
    static const char *const names[] = {"runner", "walker"};
    for (size_t n = 0; n < 2; n++) {
        gal_controller *person = shipped_open(names[n]);
        gal_crowd *crowd = crowd_of(person, 2, NULL);
        gal_character laid = crowd_add(crowd, (gal_spawn){0}), bare = crowd_add(crowd, (gal_spawn){.x = 300});
        gal_crowd_set_foot_lock(crowd, bare, 0);
        for (int frame = 0; frame < 600; frame++) {
            const gal_input stick = {.move_y = frame < 240 ? 1 : 0};
            gal_crowd_set_input(crowd, laid, &stick);
            gal_crowd_set_input(crowd, bare, &stick);
            gal_crowd_step(crowd);
        }
        const float bent = most_bent(crowd, laid, person->contract),
                    said = most_bent(crowd, bare, person->contract);
        print_message("a standing %s's knee is bent by %.1f degrees, %.1f by its network\n", names[n],
                      (double)bent, (double)said);
        assert_true(bent < said + 8);
        assert_true(bent < 23);
        gal_crowd_destroy(crowd);
        gal_controller_close(person);
    }
}

/* Relative transforms put together from the root give the pose again. */
static void local_transforms_compose_to_the_pose(void **unused) {
    (void)unused;
    mannequin_desc desc = {.wobble = 1, .step_z = 1, .contact = 0.8f, .phase = 0.02f, .seed = 31};
    pair p = set_out(mannequin_open(&desc), hillside);
    for (int frame = 0; frame < 60; frame++) {
        gal_transform local[MANNEQUIN_JOINTS], world[MANNEQUIN_JOINTS];
        gal_crowd_step(p.crowd);
        assert_int_equal(gal_crowd_pose_local(p.crowd, p.locked, local), GAL_OK);
        const gal_transform *pose = gal_crowd_pose(p.crowd, p.locked, NULL);
        for (uint32_t j = 0; j < MANNEQUIN_JOINTS; j++) {
            int32_t parent = gal_controller_joint_parent(p.controller, j);
            world[j] = local[j];
            if (parent >= 0) {
                gal_vec3 arm = gali_quat_turn(world[parent].rotation, local[j].position);
                world[j].position = gali_vec3_add(world[parent].position, arm);
                world[j].rotation = gali_quat_mul(world[parent].rotation, local[j].rotation);
            }
            gal_quat a = world[j].rotation, b = pose[j].rotation;
            assert_true(distance(world[j].position, pose[j].position) < 1e-4f * 100);
            assert_true(fabsf(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w) > 1 - 1e-5f);
        }
    }
    part(&p);
}

/* pose_rigid: bones are the rest skeleton's, whatever positions are predicted. */
static void a_rigid_pose_has_the_bones_of_the_rest_skeleton(void **unused) {
    (void)unused;
    mannequin_desc desc = {
        .rules = "rule pose_rigid 1\n", .wobble = 1, .step_z = 1, .phase = 0.02f, .seed = 32};
    pair p = set_out(mannequin_open(&desc), hillside);
    for (int frame = 0; frame < 60; frame++) {
        gal_crowd_step(p.crowd);
        for (uint32_t j = 1; j < MANNEQUIN_JOINTS; j++) {
            gal_vec3 bone = gal_controller_joint_rest(p.controller, j).position;
            uint32_t parent = (uint32_t)gal_controller_joint_parent(p.controller, j);
            near_length(gal_crowd_pose(p.crowd, p.locked, NULL), j, parent, gali_vec3_length(bone));
            near_length(gal_crowd_pose(p.crowd, p.free, NULL), j, parent, gali_vec3_length(bone));
        }
    }
    part(&p);
}

/* The walker's own feet: none is under the ground of gentle hills. */
static void the_walkers_toes_stay_above_the_hills(void **unused) {
    (void)unused;
    pair p = set_out(walker_open(), hills);
    int32_t toes[2] = {gal_controller_joint_find(p.controller, "LeftToe"),
                       gal_controller_joint_find(p.controller, "RightToe")};
    float under_most = 0;
    assert_true(toes[0] > 0 && toes[1] > 0);
    for (int frame = 0; frame < 400; frame++) {
        gal_crowd_step(p.crowd);
        for (int leg = 0; leg < 2; leg++) {
            gal_vec3 toe = gal_crowd_pose(p.crowd, p.locked, NULL)[toes[leg]].position;
            under_most = fmaxf(under_most, hills(NULL, toe.x, toe.z) - toe.y);
        }
    }
    print_message("walker's toes: %.3f cm under the ground at most\n", (double)under_most);
    assert_true(under_most < 0.5f);
    part(&p);
}

/* After a stop the walker steps to where it wants to stand, and then its feet are still but its head is not. */
static void a_standing_walker_finds_its_feet_and_breathes(void **unused) {
    (void)unused;
    pair p = set_out(walker_open(), NULL);
    const gal_input run = {.move_y = 1, .run = 1}, none = {0};
    uint32_t toes[2] = {(uint32_t)gal_controller_joint_find(p.controller, "LeftToe"),
                        (uint32_t)gal_controller_joint_find(p.controller, "RightToe")};
    uint32_t head = (uint32_t)gal_controller_joint_find(p.controller, "Head");
    gal_vec3 stood[2] = {{0, 0, 0}, {0, 0, 0}};
    float low = 1e9f, high = -1e9f;
    for (int frame = 0; frame < 700; frame++) {
        gal_crowd_set_input(p.crowd, p.locked, frame < 160 ? &run : &none);
        gal_crowd_set_input(p.crowd, p.free, frame < 160 ? &run : &none);
        gal_crowd_step(p.crowd);
        const gal_transform *locked = gal_crowd_pose(p.crowd, p.locked, NULL);
        const gal_transform *free = gal_crowd_pose(p.crowd, p.free, NULL);
        for (int leg = 0; leg < 2 && frame >= 400; leg++) {
            gal_vec3 toe = locked[toes[leg]].position;
            stood[leg] = frame == 400 ? toe : stood[leg];
            assert_true(flat_distance(toe, free[toes[leg]].position) < 2.5f); /* foot_stand_reach is 2 */
            assert_true(flat_distance(toe, stood[leg]) < 0.5f);
        }
        if (frame >= 400) {
            low = fminf(low, locked[head].position.z);
            high = fmaxf(high, locked[head].position.z);
        }
    }
    print_message("walker's head breathes %.2f cm\n", (double)(high - low));
    assert_true(high - low > 0.3f && high - low < 3);
    part(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_planted_toe_stays_on_the_hillside),
        cmocka_unit_test(locking_changes_the_pose_alone),
        cmocka_unit_test(a_lock_lets_go_when_it_pulls_too_far),
        cmocka_unit_test(a_foot_that_is_let_go_steps),
        cmocka_unit_test(a_lock_that_fades_does_not_drag_a_running_paw),
        cmocka_unit_test(a_foot_in_the_air_is_not_on_the_ground),
        cmocka_unit_test(who_stands_straightens_his_knees),
        cmocka_unit_test(local_transforms_compose_to_the_pose),
        cmocka_unit_test(a_rigid_pose_has_the_bones_of_the_rest_skeleton),
        cmocka_unit_test(the_walkers_toes_stay_above_the_hills),
        cmocka_unit_test(a_standing_walker_finds_its_feet_and_breathes),
    };
    return cmocka_run_group_tests_name("motion feet", tests, NULL, NULL);
}
