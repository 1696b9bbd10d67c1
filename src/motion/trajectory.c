#include "motion/trajectory.h"

#include <string.h>

#include "motion/jump.h"
#include "network/gate.h"

static const float speed_follow = 0.05f; /* share of the way the speed of the integrator goes in a frame */

void gali_trajectory_reset(gali_character *character, const gali_contract *contract, const gali_ground *ground,
                           float x, float z, gali_vec2 facing) {
    uint32_t window = contract->past + contract->future;
    float height = gali_ground_at(ground, x, z);
    for (uint32_t i = 0; i < window; i++) {
        character->path.position[i] = (gal_vec3){x, height, z};
        character->path.direction[i] = facing;
        character->path.velocity[i] = (gali_vec2){0, 0};
    }
    character->command = (gali_command){.facing = facing};
    memset(character->path.gait, 0, (size_t)window * contract->gait_count * sizeof(float));
    character->path.height = character->path.height_before = height;
    character->velocity_wanted = (gali_vec2){0, 0};
    character->direction_wanted = facing;
    character->turning = 0;
    gali_jump_reset(character, contract);
}

/* Slower sideways and backwards, as the contract asks; 1 when moving the way one faces. */
static float speed_by_direction(const gali_rules *rules, gali_vec2 stick, gali_vec2 facing) {
    gali_vec2 way = gali_vec2_unit(stick, facing);
    float along = way.x * facing.x + way.z * facing.z;
    return gali_mix(rules->speed_side, along < 0 ? rules->speed_back : 1, fabsf(along));
}

/* How far the integrator has to push the wanted speed so that the character reaches it. */
static float speed_factor(const gali_character *character, const gali_rules *rules) {
    float wanted = gali_vec2_length(character->velocity_wanted) / character->speed_factor;
    if (rules->speed_gain <= 0 || wanted < rules->stand_speed) {
        return 1;
    }
    float factor = character->speed_factor + rules->speed_gain * (wanted - character->speed) / wanted;
    return gali_clamp(factor, 0.5f, 1.6f);
}

/* Keeps track of a steady turn of the wanted facing; a jump is none, and ends one. */
static void follow_turning(gali_character *character, float angle) {
    const float jump = 0.15f, follow = 0.1f;
    character->turning = fabsf(angle) > jump ? 0 : gali_mix(character->turning, angle, follow);
}

static void want(gali_character *character, const gali_rules *rules) {
    const gal_input *input = &character->input;
    gali_vec2 camera = gali_facing_from_angle(input->camera_yaw);
    float speed = gali_mix(rules->speed_walk, rules->speed_run, input->run);
    gali_vec2 stick = gali_vec2_turn(camera, (gali_vec2){-input->move_x, input->move_y});
    character->speed_factor = speed_factor(character, rules);
    speed *= character->speed_factor * speed_by_direction(rules, stick, character->direction_wanted);
    character->velocity_wanted.x =
        gali_mix(character->velocity_wanted.x, speed * stick.x, rules->velocity_smooth);
    character->velocity_wanted.z =
        gali_mix(character->velocity_wanted.z, speed * stick.z, rules->velocity_smooth);
    character->strafe = gali_mix(character->strafe, input->strafe, rules->strafe_smooth);
    character->crouch = gali_mix(character->crouch, input->crouch, rules->crouch_smooth);
    gali_vec2 way = gali_vec2_length(character->velocity_wanted) < 1e-5f
                        ? character->direction_wanted
                        : gali_vec2_unit(character->velocity_wanted, character->direction_wanted);
    gali_vec2 direction = gali_facing_mix(way, camera, character->strafe);
    gali_vec2 before = character->direction_wanted;
    character->direction_wanted = gali_facing_mix(before, direction, rules->direction_smooth);
    follow_turning(character, gali_facing_between(before, character->direction_wanted));
}

/* The gait wanted now and how much of it. */
static gali_gait_role gait_wanted(const gali_character *character, const gali_contract *contract,
                                  float *amount) {
    const gali_rules *rules = &contract->rules;
    float speed = gali_vec2_length(character->velocity_wanted);
    float error = gali_facing_between(character->path.direction[contract->past], character->direction_wanted);
    float turning = fabsf(error + rules->turn_ahead * character->turning);
    *amount = 1;
    if (speed < rules->stand_speed) {
        if (rules->turn_gait > 0 && turning > rules->turn_gait) {
            return GALI_GAIT_WALK;
        }
        *amount = 1 - speed / rules->stand_speed;
        return GALI_GAIT_STAND;
    }
    if (character->crouch > rules->crouch_least && contract->gait_of_role[GALI_GAIT_CROUCH] >= 0) {
        *amount = character->crouch;
        return GALI_GAIT_CROUCH;
    }
    return character->input.run > 0 && contract->gait_of_role[GALI_GAIT_RUN] >= 0 ? GALI_GAIT_RUN
                                                                                  : GALI_GAIT_WALK;
}

static void choose_gait(gali_character *character, const gali_contract *contract) {
    float amount;
    int32_t wanted = contract->gait_of_role[gait_wanted(character, contract, &amount)];
    float *gait = character->path.gait + (size_t)contract->past * contract->gait_count;
    for (uint32_t g = 0; g < contract->gait_count; g++) {
        gait[g] = gali_mix(gait[g], (int32_t)g == wanted ? amount : 0, contract->rules.gait_smooth);
    }
}

/* How early the future follows: exponents for position and facing. */
static void future_bias(const gali_character *character, const gali_rules *rules, float *position,
                        float *direction) {
    float strafe = character->strafe;
    if (character->input.responsive) {
        *position = gali_mix(rules->future_position_bias_responsive,
                             rules->future_position_bias_responsive_strafe, strafe);
        *direction = gali_mix(rules->future_direction_bias_responsive,
                              rules->future_direction_bias_responsive_strafe, strafe);
    } else {
        *position = gali_mix(rules->future_position_bias, rules->future_position_bias_strafe, strafe);
        *direction = gali_mix(rules->future_direction_bias, rules->future_direction_bias_strafe, strafe);
    }
}

/* Blends the predicted future towards the wanted velocity and facing, later samples more. */
static void blend_future(gali_character *character, const gali_contract *contract) {
    gali_trajectory *path = &character->path;
    uint32_t now = contract->past, window = now + contract->future;
    const float *gait_now = path->gait + (size_t)now * contract->gait_count;
    float bias_position, bias_direction;
    future_bias(character, &contract->rules, &bias_position, &bias_direction);
    gal_vec3 before = path->position[now]; /* the unblended sample before i */
    for (uint32_t i = now + 1; i < window; i++) {
        float ahead = fminf((float)(i - now), contract->rules.turn_ahead);
        gali_vec2 more = gali_facing_from_angle(ahead * character->turning);
        float left = 1 - (float)(i - now) / (float)contract->future;
        float share = 1 - powf(left, bias_position);
        gal_vec3 here = path->position[i], blended = path->position[i - 1];
        path->position[i].x = blended.x + gali_mix(here.x - before.x, character->velocity_wanted.x, share);
        path->position[i].z = blended.z + gali_mix(here.z - before.z, character->velocity_wanted.z, share);
        before = here;
        path->direction[i] =
            gali_facing_mix(path->direction[i], gali_vec2_turn(more, character->direction_wanted),
                            1 - powf(left, bias_direction));
        memcpy(path->gait + (size_t)i * contract->gait_count, gait_now, contract->gait_count * sizeof(float));
    }
}

/* One frame of the commanded path's own motion towards what the stick wants. */
static gali_command command_step(gali_command command, const gali_character *character,
                                 const gali_rules *rules) {
    float follow = 1 / rules->command_velocity_time, share = 1;
    gali_vec2 wanted = character->velocity_wanted;
    if (rules->command_turn_time > 1) {
        share = 1 / rules->command_turn_time;
    }
    float angle = share * gali_facing_between(command.facing, character->direction_wanted);
    angle = gali_clamp(angle, -rules->command_turn_rate, rules->command_turn_rate);
    return (gali_command){
        .velocity = {gali_mix(command.velocity.x, wanted.x, follow),
                     gali_mix(command.velocity.z, wanted.z, follow)},
        .facing = gali_vec2_unit(gali_vec2_turn(gali_facing_from_angle(angle), command.facing), command.facing),
    };
}

/*
 * Blends the predicted future towards the commanded path: it starts at the root, moves with its own velocity
 * and facing, and weighs more the further ahead.
 */
static void blend_command(gali_character *character, const gali_contract *contract) {
    gali_trajectory *path = &character->path;
    const gali_rules *rules = &contract->rules;
    uint32_t now = contract->past, window = now + contract->future;
    const float *gait_now = path->gait + (size_t)now * contract->gait_count;
    character->command = command_step(character->command, character, rules);
    gali_command ahead = character->command;
    gal_vec3 at = path->position[now];
    for (uint32_t i = now + 1; i < window; i++) {
        float share = powf((float)(i - now) / (float)contract->future, rules->command_blend);
        ahead = command_step(ahead, character, rules);
        at.x += ahead.velocity.x;
        at.z += ahead.velocity.z;
        path->position[i] = gali_vec3_mix(path->position[i], at, share);
        path->direction[i] = gali_facing_mix(path->direction[i], ahead.facing, share);
        path->velocity[i].x = gali_mix(path->velocity[i].x, ahead.velocity.x, share);
        path->velocity[i].z = gali_mix(path->velocity[i].z, ahead.velocity.z, share);
        memcpy(path->gait + (size_t)i * contract->gait_count, gait_now, contract->gait_count * sizeof(float));
    }
}

static void sample_heights(gali_trajectory *path, const gali_contract *contract, const gali_ground *ground) {
    uint32_t window = contract->past + contract->future;
    for (uint32_t i = contract->past; i < window; i++) {
        path->position[i].y = gali_ground_at(ground, path->position[i].x, path->position[i].z);
    }
    float sum = 0;
    for (uint32_t s = 0; s < contract->sample_count; s++) {
        sum += path->position[(int32_t)contract->past + contract->samples[s]].y;
    }
    path->height = sum / (float)contract->sample_count;
}

static void follow_input(gali_character *character, const gali_contract *contract) {
    if (!gali_jump_follow(character, contract)) {
        want(character, &contract->rules);
        choose_gait(character, contract);
    }
}

void gali_trajectory_predict(gali_character *character, const gali_contract *contract,
                             const gali_ground *ground) {
    follow_input(character, contract);
    if (contract->rules.command_velocity_time >= 1) {
        blend_command(character, contract);
    } else {
        blend_future(character, contract);
    }
    gali_jump_lay(character, contract);
    sample_heights(&character->path, contract, ground);
}

/* Now becomes `frames` frames ago; the samples since are left as they were. */
static void shift_past(gali_trajectory *path, const gali_contract *contract, size_t frames) {
    size_t kept = contract->past + 1 - frames, gaits = contract->gait_count;
    memmove(path->position, path->position + frames, kept * sizeof *path->position);
    memmove(path->direction, path->direction + frames, kept * sizeof *path->direction);
    memmove(path->velocity, path->velocity + frames, kept * sizeof *path->velocity);
    memmove(path->gait, path->gait + frames * gaits, kept * gaits * sizeof *path->gait);
}

/* The samples of the future, from a root that was at `from` to where it is now. */
static void carry_future(gali_trajectory *path, const gali_contract *contract, gal_vec3 from, gali_vec2 turn) {
    uint32_t now = contract->past, window = now + contract->future;
    for (uint32_t i = now + 1; i < window; i++) {
        gali_vec2 arm = {path->position[i].x - from.x, path->position[i].z - from.z};
        arm = gali_vec2_turn(turn, arm);
        path->position[i].x = path->position[now].x + arm.x;
        path->position[i].z = path->position[now].z + arm.z;
        path->direction[i] = gali_vec2_turn(turn, path->direction[i]);
        path->velocity[i] = gali_vec2_turn(turn, path->velocity[i]);
    }
}

/* The samples of the last frames and of now go on from the one before them as that came from its own. */
static void carry_root(gali_trajectory *path, const gali_contract *contract, const gali_ground *ground,
                       uint32_t frames) {
    uint32_t now = contract->past;
    gali_vec2 turn = gali_vec2_unturn(path->direction[now - 1], path->direction[now]);
    size_t gaits = contract->gait_count;
    const float *gait_now = path->gait + now * gaits;
    shift_past(path, contract, frames);
    for (uint32_t i = now - frames + 1; i <= now; i++) {
        gali_vec2 step = gali_vec2_turn(turn, path->velocity[i - 1]);
        gal_vec3 at = {path->position[i - 1].x + step.x, 0, path->position[i - 1].z + step.z};
        at.y = gali_ground_at(ground, at.x, at.z);
        path->position[i] = at;
        path->direction[i] =
            gali_vec2_unit(gali_vec2_turn(turn, path->direction[i - 1]), path->direction[i - 1]);
        path->velocity[i] = step;
        if (i < now) {
            memcpy(path->gait + i * gaits, gait_now, gaits * sizeof *gait_now);
        }
    }
}

void gali_trajectory_bridge(gali_character *character, const gali_contract *contract, const gali_ground *ground,
                            uint32_t frames) {
    gali_trajectory *path = &character->path;
    gal_vec3 from = path->position[contract->past];
    gali_vec2 faced = path->direction[contract->past];
    for (uint32_t f = 0; f < frames; f++) {
        follow_input(character, contract);
        if (contract->rules.command_velocity_time >= 1) {
            character->command = command_step(character->command, character, &contract->rules);
        }
        character->speed = gali_mix(character->speed, character->step, speed_follow);
    }
    carry_root(path, contract, ground, frames);
    carry_future(path, contract, from, gali_vec2_unturn(faced, path->direction[contract->past]));
    character->phase = (float)gali_gate_wrap(character->phase + (float)frames * character->phase_step);
}

static float output_or(const float *y, int32_t offset, float otherwise) {
    return offset == GALI_OUTPUT_ABSENT ? otherwise : y[offset];
}

float gali_trajectory_share(const gali_character *character, const gali_contract *contract) {
    float still = gali_clamp(gali_stand_amount(character, contract), 0, 1);
    return contract->gait_of_role[GALI_GAIT_STAND] < 0 ? 1 : powf(1 - still, contract->rules.stand_damping);
}

static void step_root(gali_character *character, const gal_controller *controller, const float *y,
                      float share) {
    const gali_outputs *at = &controller->outputs;
    uint32_t now = controller->contract->past;
    gali_trajectory *path = &character->path;
    gali_vec2 velocity = {output_or(y, at->velocity_x, 0), output_or(y, at->velocity_z, 0)};
    gali_vec2 step = gali_vec2_turn(path->direction[now], velocity);
    path->position[now].x += share * step.x;
    path->position[now].z += share * step.z;
    path->velocity[now] = (gali_vec2){share * step.x, share * step.z};
    gali_vec2 turned = gali_facing_from_angle(-share * output_or(y, at->turn, 0));
    path->direction[now] = gali_vec2_unit(gali_vec2_turn(turned, path->direction[now]), path->direction[now]);
    character->step = share * gali_vec2_length(velocity);
    character->speed = gali_mix(character->speed, character->step, speed_follow);
}

/* One predicted sample, in the updated root's frame. */
typedef struct predicted {
    gali_vec2 position, direction, velocity;
} predicted;

static predicted read_future(const gali_outputs *at, const float *y, uint32_t i) {
    predicted sample = {{y[(uint32_t)at->future_position_x + i], y[(uint32_t)at->future_position_z + i]},
                        {y[(uint32_t)at->future_direction_x + i], y[(uint32_t)at->future_direction_z + i]},
                        {0, 0}};
    if (at->future_velocity_x != GALI_OUTPUT_ABSENT && at->future_velocity_z != GALI_OUTPUT_ABSENT) {
        sample.velocity =
            (gali_vec2){y[(uint32_t)at->future_velocity_x + i], y[(uint32_t)at->future_velocity_z + i]};
    }
    return sample;
}

static predicted mix_predicted(predicted a, predicted b, float t) {
    return (predicted){{gali_mix(a.position.x, b.position.x, t), gali_mix(a.position.z, b.position.z, t)},
                       {gali_mix(a.direction.x, b.direction.x, t), gali_mix(a.direction.z, b.direction.z, t)},
                       {gali_mix(a.velocity.x, b.velocity.x, t), gali_mix(a.velocity.z, b.velocity.z, t)}};
}

/* The predicted path at a frame offset: linear between the predicted samples (the root itself stands in for
 * offset 0 where it is not predicted), and on in the last direction after them. */
static predicted future_at(const gali_contract *contract, const gali_outputs *at, const float *y,
                           int32_t offset, gali_vec2 velocity) {
    predicted before = {{0, 0}, {0, 1}, velocity}, after = read_future(at, y, 0);
    int32_t from = 0, to = contract->futures[0];
    for (uint32_t i = 0; i + 1 < contract->future_count && to < offset; i++) {
        before = after;
        from = to;
        after = read_future(at, y, i + 1);
        to = contract->futures[i + 1];
    }
    if (to == from) {
        return after;
    }
    float t = (float)(offset - from) / (float)(to - from);
    predicted sample = mix_predicted(before, after, t);
    if (t > 1) {
        sample.direction = after.direction;
        sample.velocity = after.velocity;
    }
    return sample;
}

static void take_future(gali_character *character, const gal_controller *controller, const float *y) {
    const gali_contract *contract = controller->contract;
    gali_trajectory *path = &character->path;
    uint32_t now = contract->past, window = now + contract->future;
    gal_vec3 root = path->position[now];
    gali_vec2 facing = path->direction[now], velocity = gali_vec2_unturn(facing, path->velocity[now]);
    for (uint32_t i = now + 1; contract->future_count && i < window; i++) {
        predicted sample = future_at(contract, &controller->outputs, y, (int32_t)(i - now), velocity);
        gali_vec2 at = gali_vec2_turn(facing, sample.position);
        path->position[i].x = root.x + at.x;
        path->position[i].z = root.z + at.z;
        path->direction[i] = gali_vec2_unit(gali_vec2_turn(facing, sample.direction), facing);
        path->velocity[i] = gali_vec2_turn(facing, sample.velocity);
    }
}

/* The phase goes on, not too slowly: standing feet in the wrong phase for a first step would keep it there. */
static void step_phase(gali_character *character, const gal_controller *controller, const float *y,
                       float share) {
    const gali_contract *contract = controller->contract;
    const gali_rules *rules = &contract->rules;
    if (controller->outputs.phase != GALI_OUTPUT_ABSENT) {
        float least = rules->phase_least * (1 - gali_clamp(gali_stand_amount(character, contract), 0, 1));
        float part = share * (1 - rules->phase_stand) + rules->phase_stand;
        float advance = y[controller->outputs.phase];
        advance = least > 0 && advance < least ? least : advance;
        character->phase_step = part * GALI_TURN * advance;
        character->phase = (float)gali_gate_wrap(character->phase + character->phase_step);
    }
}

void gali_trajectory_advance(gali_character *character, const gal_controller *controller, const float *y) {
    const gali_contract *contract = controller->contract;
    float share = gali_trajectory_share(character, contract);
    shift_past(&character->path, contract, 1);
    character->path.height_before = character->path.height;
    step_root(character, controller, y, share);
    take_future(character, controller, y);
    step_phase(character, controller, y, share);
}
