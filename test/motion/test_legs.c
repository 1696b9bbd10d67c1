/* Legs by one lane: two bones reach and keep their length, knees and heels are eased, steps ahead are seen. */
#include "lane.h"

#include "kernels/simd/scalar_rows.h"

/* The phases in plain C, whose parts are tested here as well. */
#define GALI_PHASES_TABLE test_legs_phases
#define GALI_PHASES_ISA GAL_ISA_SCALAR
#include "motion/body/phases.inc"

/* ---- reaching ---- */

/* The lane as a phase sees it. */
static gali_span span_of(lane *l) {
    return (gali_span){.all = &l->lanes,
                       .controller = l->controller,
                       .contract = l->contract,
                       .rules = l->rules,
                       .is = l->is,
                       .state = l->bank.state + LANE,
                       .work = l->bank.work + LANE,
                       .mask = 1,
                       .at = LANE,
                       .bits = 1};
}

/* The biped's left leg reaches; side is the character's right. */
static void reach(lane *l, gal_transform *pose, gal_vec3 target) {
    const gali_span s = span_of(l);
    for (uint32_t j = 0; j < MANNEQUIN_JOINTS; j++) {
        lane_set_pose(l, j, pose[j]);
    }
    gali_reach(&s, s.mask, &l->contract->legs[0], gali_v3_of(target), gali_v3_of((gal_vec3){-1, 0, 0}));
    for (uint32_t j = 0; j < MANNEQUIN_JOINTS; j++) {
        pose[j] = lane_pose(l, j);
    }
}

static void make_biped(lane *l) {
    static const mannequin_desc desc = {.seed = 1};
    lane_make(l, &desc, NULL, 0, 0, 0);
}

/* A leg anywhere in space, bent anyhow, its bones turned at random. */
static void random_leg(uint64_t *random, gal_transform *pose) {
    for (uint32_t j = 0; j < MANNEQUIN_JOINTS; j++) {
        gal_vec3 half = {synthetic_uniform(random), synthetic_uniform(random), synthetic_uniform(random)};
        pose[j] = (gal_transform){mannequin_stands(j), gali_quat_exp(half)};
    }
    gal_vec3 bone = {synthetic_uniform(random), -1, synthetic_uniform(random)};
    bone = gali_vec3_scale(gali_vec3_unit(bone, bone), 43);
    pose[LEFT_KNEE].position = gali_vec3_add(pose[LEFT_HIP].position, bone);
    bone = (gal_vec3){synthetic_uniform(random), -1, synthetic_uniform(random)};
    bone = gali_vec3_scale(gali_vec3_unit(bone, bone), 42);
    pose[LEFT_HEEL].position = gali_vec3_add(pose[LEFT_KNEE].position, bone);
    pose[LEFT_TOE].position = gali_vec3_add(pose[LEFT_HEEL].position, (gal_vec3){3, -1, 13});
}

static void a_leg_reaches_and_its_bones_keep_their_length(void **unused) {
    (void)unused;
    lane l;
    make_biped(&l);
    uint64_t random = 21;
    for (int i = 0; i < 1000; i++) {
        gal_transform pose[MANNEQUIN_JOINTS], before[MANNEQUIN_JOINTS];
        random_leg(&random, pose);
        memcpy(before, pose, sizeof before);
        gal_vec3 hip = pose[LEFT_HIP].position,
                 way = {synthetic_uniform(&random), synthetic_uniform(&random) - 1, synthetic_uniform(&random)};
        float far =
            3 + 79 * fabsf(synthetic_uniform(&random)); /* inside what 43 + 42 reach without giving way */
        gal_vec3 target = gali_vec3_add(hip, gali_vec3_scale(gali_vec3_unit(way, (gal_vec3){0, -1, 0}), far));
        reach(&l, pose, target);
        if (distance(pose[LEFT_HEEL].position, target) > 0.02f) {
            fail_msg("leg %d: misses by %.4f of %.1f", i, (double)distance(pose[LEFT_HEEL].position, target),
                     (double)far);
        }
        near_length(pose, LEFT_HIP, LEFT_KNEE, 43);
        near_length(pose, LEFT_KNEE, LEFT_HEEL, 42);
        gal_vec3 sole = gali_vec3_sub(pose[LEFT_TOE].position, pose[LEFT_HEEL].position);
        assert_true(distance(sole, (gal_vec3){3, -1, 13}) < 1e-3f); /* the foot keeps its orientation */
        gal_quat a = pose[LEFT_HEEL].rotation, b = before[LEFT_HEEL].rotation;
        assert_true(fabsf(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w) > 1 - 1e-5f);
        assert_memory_equal(&pose[RIGHT_HIP], &before[RIGHT_HIP],
                            4 * sizeof *pose); /* the other leg is not touched */
        assert_memory_equal(&pose[0], &before[0], sizeof *pose);
    }
    lane_free(&l);
}

static void out_of_reach_it_points_there(void **unused) {
    (void)unused;
    lane l;
    make_biped(&l);
    uint64_t random = 22;
    for (int i = 0; i < 100; i++) {
        gal_transform pose[MANNEQUIN_JOINTS];
        random_leg(&random, pose);
        gal_vec3 hip = pose[LEFT_HIP].position, target = {hip.x + 100, hip.y - 200, hip.z - 50};
        reach(&l, pose, target);
        near_length(pose, LEFT_HIP, LEFT_KNEE, 43);
        near_length(pose, LEFT_KNEE, LEFT_HEEL, 42);
        gal_vec3 leg = gali_vec3_sub(pose[LEFT_HEEL].position, hip);
        assert_true(gali_vec3_length(leg) > 0.996f * 85 && gali_vec3_length(leg) < 0.999f * 85);
        gal_vec3 way = gali_vec3_unit(gali_vec3_sub(target, hip), leg);
        assert_true(gali_vec3_dot(gali_vec3_unit(leg, leg), way) > 0.99999f);
    }
    lane_free(&l);
}

/* A knee bends its heel backwards: of a straight leg too, for a character that faces +z. */
static void a_straight_knee_bends_forwards(void **unused) {
    (void)unused;
    lane l;
    make_biped(&l);
    gal_transform pose[MANNEQUIN_JOINTS];
    uint64_t random = 23;
    random_leg(&random, pose);
    gal_vec3 hip = pose[LEFT_HIP].position;
    pose[LEFT_KNEE].position = (gal_vec3){hip.x, hip.y - 43, hip.z};
    pose[LEFT_HEEL].position = (gal_vec3){hip.x, hip.y - 85, hip.z};
    gal_vec3 target = {hip.x, hip.y - 70, hip.z};
    reach(&l, pose, target);
    assert_true(distance(pose[LEFT_HEEL].position, target) < 0.01f);
    assert_true(pose[LEFT_KNEE].position.z > hip.z + 10);
    pose[LEFT_KNEE].position =
        (gal_vec3){hip.x, hip.y - 43, hip.z - 3}; /* and of one bent backwards a little */
    pose[LEFT_HEEL].position = (gal_vec3){hip.x, hip.y - 84.8f, hip.z};
    reach(&l, pose, target);
    assert_true(pose[LEFT_KNEE].position.z > hip.z + 10);
    pose[LEFT_KNEE].position = hip; /* a leg without a thigh stays as it is */
    gal_transform before = pose[LEFT_HEEL];
    reach(&l, pose, (gal_vec3){0, 0, 0});
    assert_memory_equal(&before, &pose[LEFT_HEEL], sizeof before);
    lane_free(&l);
}

/* How far ahead a bone's own front points, which is +z of its own: 1 wholly. */
static float front_of(const gal_transform *joint) {
    return gali_quat_turn(joint->rotation, (gal_vec3){0, 0, 1}).z;
}

/* A leg that was predicted straight, or bent back or aside a little, is bent ahead with its kneecap and its shin ahead. */
static void a_straight_leg_shows_its_kneecap_ahead(void **unused) {
    (void)unused;
    static const gal_vec3 knees[] = {{0, -43, 0}, {0, -43, -3}, {3, -43, -1}, {-3, -43, -1}, {2, -43, 2}};
    lane l;
    make_biped(&l);
    for (uint32_t i = 0; i < sizeof knees / sizeof *knees; i++) {
        gal_transform pose[MANNEQUIN_JOINTS];
        uint64_t random = 23;
        random_leg(&random, pose);
        gal_vec3 hip = pose[LEFT_HIP].position;
        pose[LEFT_HIP].rotation = pose[LEFT_KNEE].rotation = (gal_quat){0, 0, 0, 1};
        pose[LEFT_KNEE].position = gali_vec3_add(hip, knees[i]);
        pose[LEFT_HEEL].position = (gal_vec3){hip.x, hip.y - 84.8f, hip.z};
        reach(&l, pose, (gal_vec3){hip.x, hip.y - 75, hip.z});
        float thigh = front_of(&pose[LEFT_HIP]), shin = front_of(&pose[LEFT_KNEE]);
        if (thigh < 0.8f || shin < 0.8f) { /* -.9 both where the leg was turned about itself */
            fail_msg("knee %u: the thigh's front points %.2f ahead, the shin's %.2f", i, (double)thigh,
                     (double)shin);
        }
    }
    lane_free(&l);
}

/* ---- heels ---- */

static const char followed_ground[] = "rule ground_reach 20\nrule ground_smooth 0.12\nrule ground_feet 1\n";

/* Where the left toe comes to that is out of its leg's reach by some centimetres, its heel raised or not. */
static gal_vec3 reached_toe(lane *l, const gal_transform *legs, gal_vec3 toe, gal_vec3 sole, int raised) {
    const gali_span s = span_of(l);
    for (uint32_t j = 0; j < MANNEQUIN_JOINTS; j++) {
        lane_set_pose(l, j, legs[j]);
    }
    gali_v3 side = gali_v3_of((gal_vec3){-1, 0, 0});
    gali_vfoot foot = {gali_v3_of(toe), gali_v3_of(sole)};
    foot.sole = raised ? gali_raise_heel(&s, 0, foot, gali_vf_set(0)) : foot.sole;
    gali_place_foot(&s, s.mask, &l->contract->legs[0], foot.toe, foot.sole, side);
    near_length(legs, LEFT_HEEL, LEFT_TOE,
                distance(lane_pose(l, LEFT_HEEL).position, lane_pose(l, LEFT_TOE).position));
    return lane_pose(l, LEFT_TOE).position;
}

/* A leg that does not reach leaves its toe where it is to be, and its heel comes up. */
static void a_toe_out_of_reach_stays_and_its_heel_rises(void **unused) {
    (void)unused;
    static const mannequin_desc desc = {.seed = 1, .rules = followed_ground};
    lane l;
    lane_make(&l, &desc, NULL, 0, 0, 0);
    gal_transform pose[MANNEQUIN_JOINTS];
    uint64_t random = 24;
    random_leg(&random, pose);
    gal_vec3 hip = pose[LEFT_HIP].position, sole = {0, -6, 18};
    pose[LEFT_KNEE].position = (gal_vec3){hip.x, hip.y - 43, hip.z};
    pose[LEFT_HEEL].position = (gal_vec3){hip.x, hip.y - 84, hip.z + 9};
    pose[LEFT_TOE].position = gali_vec3_add(pose[LEFT_HEEL].position, sole);
    gal_vec3 toe = {hip.x, hip.y - 89, hip.z - 15}; /* the heel 5 cm out of reach, behind */
    float fixed = distance(reached_toe(&l, pose, toe, sole, 0), toe),
          raised = distance(reached_toe(&l, pose, toe, sole, 1), toe);
    float up = lane_pose(&l, LEFT_HEEL).position.y - (toe.y - sole.y);
    print_message("a toe out of reach is %.1f cm off its place, with its heel raised by %.1f cm %.1f\n",
                  (double)fixed, (double)up, (double)raised);
    assert_true(fixed > 3 && raised < 1 && up > 3);
    lane_free(&l);
}

/* What is left of a foot's lean turns it about its sole as it is, though it was about the sole as it was laid: the toe stays. */
static void a_twisted_foot_leaves_its_toe(void **unused) {
    (void)unused;
    lane l;
    make_biped(&l);
    const gali_span s = span_of(&l);
    uint64_t random = 25;
    float turned = 0;
    for (int i = 0; i < 100; i++) {
        gal_transform pose[MANNEQUIN_JOINTS];
        random_leg(&random, pose);
        for (uint32_t j = 0; j < MANNEQUIN_JOINTS; j++) {
            lane_set_pose(&l, j, pose[j]);
        }
        const gal_vec3 across = {0.2f, -0.5f, 1},
                       laid = gali_vec3_unit(across, across); /* the foot's own is 3, -1, 13 */
        gal_quat twist = gali_quat_from_axis(laid, synthetic_uniform(&random));
        gali_twist_foot(&s, &l.contract->legs[0], gali_vq_of(twist));
        assert_true(distance(lane_pose(&l, LEFT_TOE).position, pose[LEFT_TOE].position) < 1e-3f);
        gal_quat a = lane_pose(&l, LEFT_HEEL).rotation, b = pose[LEFT_HEEL].rotation;
        turned = fmaxf(turned, 1 - fabsf(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w));
    }
    assert_true(turned > 0.05f);
    lane_free(&l);
}

/* The knee of a foot in the air is where it is eased to, also where its leg is stretched: that does not give way again. */
static void a_knee_is_where_it_is_eased_to(void **unused) {
    (void)unused;
    static const mannequin_desc desc = {.seed = 1, .rules = "rule inertia_jump 3\n"};
    lane l;
    lane_make(&l, &desc, NULL, 0, 0, 0);
    const gali_span s = span_of(&l);
    const uint32_t k = gali_eased_leg(&s, 0) + 2;
    gal_transform pose[MANNEQUIN_JOINTS];
    uint64_t random = 26;
    random_leg(&random, pose);
    pose[LEFT_HIP].position.y += 50; /* nothing holds it from giving way */
    gal_vec3 hip = pose[LEFT_HIP].position, knee = {hip.x, hip.y - 42.6f, hip.z + 5.9f};
    pose[LEFT_KNEE].position = knee;
    pose[LEFT_HEEL].position = (gal_vec3){hip.x, hip.y - 84.2f, hip.z};
    pose[LEFT_TOE].position = (gal_vec3){hip.x, hip.y - 85.2f, hip.z + 14};
    for (uint32_t j = 0; j < MANNEQUIN_JOINTS; j++) {
        lane_set_pose(&l, j, pose[j]);
    }
    gal_vec3 behind = {knee.x, knee.y - 0.2f, knee.z - 4};
    lane_set3(&l, l.is->place_before + 3 * k, knee);
    lane_set3(&l, l.is->place_shown + 3 * k, behind);
    lane_set(&l, l.is->foot_lifted, 1);
    lane_set(&l, l.is->frames, 1);
    lane_set(&l, l.is->fresh, 0);
    gali_ease_knee(&s, 0, gali_vm_from_bits(0));
    gal_vec3 shown = lane_get3(&l, l.is->place_shown + 3 * k), now = lane_pose(&l, LEFT_KNEE).position;
    gal_vec3 way = gali_vec3_sub(shown, hip), got = gali_vec3_sub(now, hip);
    float off = distance(gali_vec3_unit(way, way), gali_vec3_unit(got, got)) * 43;
    print_message("an eased knee is %.3f cm off its place\n", (double)off);
    assert_true(distance(shown, knee) > 1 &&
                off < 1); /* 2.6, giving way twice; a leg is never quite straight */
    lane_free(&l);
}

/* A toe is drawn up and its sole turns down: what both come to changes its heel's way by no more than a knee's may. */
static void a_heel_goes_no_faster_than_a_knee(void **unused) {
    (void)unused;
    static const mannequin_desc desc = {.seed = 1, .rules = "rule inertia_jump 3\n"};
    lane l;
    lane_make(&l, &desc, NULL, 0, 0, 0);
    const gali_span s = span_of(&l);
    gal_vec3 toe = {10, 50, 0}, sole = {0, -3, 14}, heel = gali_vec3_sub(toe, sole), way = {0, 0, 0};
    lane_set(&l, l.is->frames, 1);
    lane_set(&l, l.is->fresh, 1);
    const gali_vm none = gali_vm_from_bits(0);
    float changed = 0;
    for (int f = 0; f < 20; f++) {
        gali_vfoot to = {gali_v3_of(toe), gali_v3_of(sole)};
        const gali_vfoot foot = gali_ease_foot(&s, 0, to, (gali_veased){none, none});
        lane_set(&l, l.is->fresh, 0);
        const gali_v3 behind = gali_v3_sub(foot.toe, foot.sole);
        gal_vec3 shown = {gali_vf_first(behind.x), gali_vf_first(behind.y), gali_vf_first(behind.z)};
        gal_vec3 now = gali_vec3_sub(shown, heel);
        changed = fmaxf(changed, distance(now, way));
        way = now;
        heel = shown;
        if (f > 5) {
            toe.y += 7;
            sole = (gal_vec3){0, -14, 3};
        }
    }
    print_message("a heel's way changes by %.2f cm in a frame\n", (double)changed);
    assert_true(changed > 3.2f &&
                changed < 4.8f); /* 5.7 each by itself; a sole keeps its length, and 4.5 is not all */
    lane_free(&l);
}

/* ---- lifts ---- */

/* A step up, out of the reach of what the root goes over. */
static float kerb(void *context, float x, float z) {
    (void)context;
    (void)x;
    return z < 25 ? 0 : 10;
}

/* What lies ahead of a toe before the kerb that goes `way` a frame, by a contract of that rate. */
static gali_vahead ahead_at(lane *l, float rate, float way) {
    gali_contract contract = *l->contract;
    gali_span s = span_of(l);
    contract.rate = rate;
    s.contract = &contract;
    const gali_vend toe = {.at = {0, 12}, .motion = {0, way}};
    return gali_look_ahead(&s, &toe);
}

/* The same kerb is seen in the same seconds, whatever a frame is. */
static void the_way_ahead_is_looked_at_by_seconds(void **unused) {
    (void)unused;
    static const mannequin_desc desc = {.seed = 1, .rules = followed_ground};
    lane l;
    lane_make(&l, &desc, kerb, 0, 0, 0);
    gali_vahead at_60 = ahead_at(&l, 60, 4), at_30 = ahead_at(&l, 30, 8);
    assert_float_equal(at_60.most, 10, 1e-5f);
    assert_float_equal(at_60.rate, 10 / 7.0f, 1e-5f); /* only the last place is over it */
    assert_float_equal(at_30.most, at_60.most, 1e-5f);
    assert_float_equal(at_30.mean, at_60.mean, 1e-5f);
    assert_float_equal(at_30.rate, 2 * at_60.rate, 1e-5f);
    lane_free(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_leg_reaches_and_its_bones_keep_their_length),
        cmocka_unit_test(out_of_reach_it_points_there),
        cmocka_unit_test(a_straight_knee_bends_forwards),
        cmocka_unit_test(a_straight_leg_shows_its_kneecap_ahead),
        cmocka_unit_test(a_toe_out_of_reach_stays_and_its_heel_rises),
        cmocka_unit_test(a_knee_is_where_it_is_eased_to),
        cmocka_unit_test(a_heel_goes_no_faster_than_a_knee),
        cmocka_unit_test(a_twisted_foot_leaves_its_toe),
        cmocka_unit_test(the_way_ahead_is_looked_at_by_seconds),
    };
    return cmocka_run_group_tests_name("motion legs", tests, NULL, NULL);
}
