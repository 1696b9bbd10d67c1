#include "motion/feet.h"

#include "motion/bridge.h"
#include "motion/skeleton.h"

enum { HEEL, TOE };

static float lowest(const gali_rules *rules, int part) {
    return part == HEEL ? rules->foot_heel_height : rules->foot_toe_height;
}

static gal_vec3 toe_of(const gali_character *character, const gali_leg *leg) {
    return character->pose[leg->toe].position;
}

void gali_feet_reset(gali_character *character, const gal_controller *controller, const gali_ground *ground) {
    const gali_contract *contract = controller->contract;
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        gal_vec3 heel = character->pose[contract->legs[i].heel].position;
        gal_vec3 toe = toe_of(character, &contract->legs[i]);
        character->feet[i] = (gali_foot){
            .held = toe,
            .ground = {gali_ground_at(ground, heel.x, heel.z), gali_ground_at(ground, toe.x, toe.z)},
        };
    }
}

/* The lock's hold on the toe's place: eased, so that a foot sets out and arrives without a jerk. */
static float hold_of(const gali_foot *foot) {
    return foot->lock * foot->lock * (3 - 2 * foot->lock);
}

static float fade_of(const gali_foot *foot, const gali_rules *rules, int planted) {
    return foot->released && planted && rules->foot_step_fade > 0 ? rules->foot_step_fade
                                                                  : rules->foot_lock_fade;
}

/*
 * Takes, keeps or fades the lock of a foot. A lock is taken where the foot is *seen*, so that taking one
 * again while the last is fading moves nothing; but one that was pulled too far fades out whole, or taking it
 * again would hold a foot that drags ever further behind: it steps, lifted on its way, to where it should be.
 */
static void update_lock(gali_foot *foot, const gali_rules *rules, int far, float contact, gal_vec3 toe,
                        float frames) {
    int planted = contact >= rules->foot_lock_contact;
    foot->released = foot->lock > 0 && (foot->released || (planted && foot->lock == 1 && far));
    if (planted && !foot->released) {
        if (foot->lock < 1) {
            foot->held = gali_vec3_mix(toe, foot->held, hold_of(foot));
            foot->lock = 1;
        }
        return;
    }
    foot->lock = gali_clamp(foot->lock - frames * fade_of(foot, rules, planted), 0, 1);
}

/* How far a lock may pull: a standing character steps nearer to its place, but with one foot at a time. */
static float reach_of_lock(const gali_character *character, const gali_contract *contract) {
    const gali_rules *rules = &contract->rules;
    int standing = gali_stand_amount(character, contract) > 0.5f && rules->foot_stand_reach > 0;
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        standing &= !character->feet[i].released;
    }
    return standing ? rules->foot_stand_reach : rules->foot_reach;
}

static float distance(gal_vec3 a, gal_vec3 b) {
    return gali_vec3_length(gali_vec3_sub(a, b));
}

/* Whether a held foot is too far from its own place, or out of the leg's reach. */
static int is_far(const gali_character *character, const gali_contract *contract, uint32_t i, gal_vec3 toe,
                  gal_vec3 sole) {
    const gali_leg *leg = &contract->legs[i];
    const gal_transform *pose = character->pose;
    gal_vec3 pull = gali_vec3_sub(character->feet[i].held, toe);
    pull.y = 0;
    gal_vec3 hip = pose[leg->hip].position, knee = pose[leg->knee].position;
    float length = distance(hip, knee) + distance(knee, pose[leg->heel].position);
    gal_vec3 heel = gali_vec3_sub(gali_vec3_add(toe, pull), sole);
    int stretched = distance(hip, heel) > 1.02f * length;
    return stretched || gali_vec3_length(pull) > reach_of_lock(character, contract);
}

/* Ground under a point of the foot, smoothed over frames so that steps in it do not make it jump. */
static float ground_under(gali_foot *foot, const gali_rules *rules, const gali_ground *ground, gal_vec3 at,
                          int part, uint32_t frames) {
    float height = gali_ground_at(ground, at.x, at.z);
    for (uint32_t f = 0; f < frames; f++) {
        foot->ground[part] = gali_mix(foot->ground[part], height, rules->foot_height_smooth);
    }
    return foot->ground[part];
}

/* The sole, from heel to toe, turned so that the toe is `rise` higher than the heel; its length stays. */
static gal_vec3 sole_with_rise(gal_vec3 sole, float rise) {
    float length = gali_vec3_length(sole), flat = gali_vec2_length((gali_vec2){sole.x, sole.z});
    if (flat < 1e-4f) {
        return sole;
    }
    float up = gali_clamp(rise, -length, length);
    float along = sqrtf(length * length - up * up) / flat;
    return (gal_vec3){along * sole.x, up, along * sole.z};
}

/*
 * The toe goes where it is held and not under the ground; the heel keeps its height, or is lifted over the
 * ground, and follows the toe at the sole's length. The toe comes first because it is what is seen to slide.
 */
static void lock_leg(gali_character *character, const gal_controller *controller, const gali_ground *ground,
                     uint32_t i) {
    const gali_contract *contract = controller->contract;
    const gali_rules *rules = &contract->rules;
    const gali_leg *leg = &contract->legs[i];
    gali_foot *foot = &character->feet[i];
    gal_vec3 heel = character->pose[leg->heel].position, toe = toe_of(character, leg);
    gal_vec3 sole = gali_vec3_sub(toe, heel);
    int32_t contact = controller->leg_contact[i];
    update_lock(foot, rules, is_far(character, contract, i, toe, sole),
                contact < 0 ? 0 : character->contact[contact], toe, (float)character->frames);
    foot->lifted = foot->released && rules->foot_step_height > 0 ? 4 * foot->lock * (1 - foot->lock) : 0;
    float lift = rules->foot_step_height * foot->lifted, hold = hold_of(foot);
    gal_vec3 target = toe;
    target.x += hold * (foot->held.x - toe.x);
    target.z += hold * (foot->held.z - toe.z);
    float toe_least = ground_under(foot, rules, ground, target, TOE, character->frames) + lowest(rules, TOE);
    float heel_least = ground_under(foot, rules, ground, gali_vec3_sub(target, sole), HEEL, character->frames) +
                       lowest(rules, HEEL);
    target.y = (toe.y > toe_least ? toe.y : toe_least) + lift;
    gal_vec3 turned = sole_with_rise(sole, target.y - (heel.y > heel_least ? heel.y : heel_least) - lift);
    gali_vec2 facing = character->path.direction[contract->past];
    gal_vec3 side = gali_vec3_turn(facing, (gal_vec3){-1, 0, 0}); /* a knee bends its heel backwards */
    gali_skeleton_place_foot(contract, character->pose, leg, target, turned, side);
}

/* How far the lowest knee is under the height that it must have. */
static float sunk(const gali_character *character, const gali_contract *contract, const gali_ground *ground) {
    float most = 0;
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        gal_vec3 knee = character->pose[contract->legs[i].knee].position;
        float under = gali_ground_at(ground, knee.x, knee.z) + contract->rules.knee_height - knee.y;
        most = under > most ? under : most;
    }
    return most;
}

/* Lifts the body and leaves the feet where they are. */
static void lift_body(gali_character *character, const gali_contract *contract, float by) {
    gal_transform *pose = character->pose;
    gal_vec3 toe[GALI_LEGS_MAX], sole[GALI_LEGS_MAX];
    gal_vec3 side = gali_vec3_turn(character->path.direction[contract->past], (gal_vec3){-1, 0, 0});
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        toe[i] = pose[contract->legs[i].toe].position;
        sole[i] = gali_vec3_sub(toe[i], pose[contract->legs[i].heel].position);
    }
    gali_skeleton_move(contract, pose, 0, (gal_vec3){0, by, 0});
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        gali_skeleton_place_foot(contract, pose, &contract->legs[i], toe[i], sole[i], side);
    }
}

void gali_feet_lock(gali_character *character, const gal_controller *controller, const gali_ground *ground) {
    const gali_contract *contract = controller->contract;
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        lock_leg(character, controller, ground, i);
    }
    for (int pass = 0; contract->rules.knee_height > 0 && pass < 4;
         pass++) { /* a knee rises less than the body */
        float under = sunk(character, contract, ground);
        if (under <= 0) {
            break;
        }
        lift_body(character, contract, under);
    }
}

float gali_feet_contact(const gali_character *character, const gali_contract *contract, uint32_t i) {
    float contact = gali_bridge_contact(character, i);
    for (uint32_t l = 0; character->foot_lock && l < contract->leg_count; l++) {
        uint32_t joint = contract->contact_joints[i];
        if (joint == contract->legs[l].toe || joint == contract->legs[l].heel) {
            contact *= 1 - character->feet[l].lifted;
        }
    }
    return contact;
}
