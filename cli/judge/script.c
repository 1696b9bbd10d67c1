#include "judge/script.h"

#include "space.h"

#define HALF_TURN 3.14159265f

const gali_judge_script gali_judge_scripts[] = {
    {.name = "stand", .still = 1},
    {.name = "walk"},
    {.name = "run", .run = 1},
    {.name = "walk circle 0.5", .turn = 0.5f},
    {.name = "run circle 0.8", .turn = 0.8f, .run = 1},
    {.name = "figure eight", .way = GALI_WAY_EIGHT, .turn = 0.5f},
    {.name = "side walk", .heading = HALF_TURN / 2, .strafe = 1},
    {.name = "side run", .heading = -HALF_TURN / 2, .strafe = 1, .run = 1},
    {.name = "back walk", .heading = HALF_TURN, .strafe = 1},
    {.name = "back run", .heading = HALF_TURN, .strafe = 1, .run = 1},
    {.name = "stop and go walk", .on = 3, .off = 2},
    {.name = "stop and go run", .run = 1, .on = 3, .off = 2},
    {.name = "stop and go side",
     .way = GALI_WAY_SIDES,
     .heading = HALF_TURN / 2,
     .strafe = 1,
     .on = 3,
     .off = 2},
    {.name = "turn on the spot", .way = GALI_WAY_SPIN, .turn = 1, .strafe = 1, .still = 1},
    {.name = "reversals", .way = GALI_WAY_REVERSE},
    {.name = "reversals run", .way = GALI_WAY_REVERSE, .run = 1},
    {.name = "flicked stick", .way = GALI_WAY_FLICK, .run = 1},
    {.name = "circling stick", .turn = 6, .run = 1},
    {.name = "random stick", .way = GALI_WAY_RANDOM},
    {.name = "jump", .run = 0.6f, .jump = 3},
    {.name = "random jumps", .way = GALI_WAY_RANDOM, .jump = 2},
    {.name = "crouch walk", .crouch = 1},
    {.name = "crouch side", .heading = HALF_TURN / 2, .strafe = 1, .crouch = 1},
    {.name = "crouch back", .heading = HALF_TURN, .strafe = 1, .crouch = 1},
    {.name = "crouch stop and go", .crouch = 1, .on = 3, .off = 2},
    {.name = "hills walk", .turn = 0.1f, .ground = GALI_GROUND_HILLS},
    {.name = "hills run", .turn = 0.1f, .run = 1, .ground = GALI_GROUND_HILLS},
    {.name = "hills random", .way = GALI_WAY_RANDOM, .ground = GALI_GROUND_HILLS},
    {.name = "slope 10 walk", .way = GALI_WAY_REVERSE, .ground = GALI_GROUND_SLOPE_10},
    {.name = "slope 10 run", .way = GALI_WAY_REVERSE, .run = 1, .ground = GALI_GROUND_SLOPE_10},
    {.name = "slope 10 stops", .run = 1, .on = 3, .off = 2, .ground = GALI_GROUND_SLOPE_10},
    {.name = "slope 15 walk", .way = GALI_WAY_REVERSE, .ground = GALI_GROUND_SLOPE_15},
    {.name = "slope 15 run", .way = GALI_WAY_REVERSE, .run = 1, .ground = GALI_GROUND_SLOPE_15},
    {.name = "slope 15 stops", .run = 1, .on = 3, .off = 2, .ground = GALI_GROUND_SLOPE_15},
    {.name = "slope 20 run", .way = GALI_WAY_REVERSE, .run = 1, .ground = GALI_GROUND_SLOPE_20},
    {.name = "slope 30 stand", .still = 1, .ground = GALI_GROUND_SLOPE_30},
    {.name = "slope 30 walk", .way = GALI_WAY_REVERSE, .ground = GALI_GROUND_SLOPE_30},
    {.name = "slope 30 run", .way = GALI_WAY_REVERSE, .run = 1, .ground = GALI_GROUND_SLOPE_30},
    {.name = "slope 30 stops", .run = 1, .on = 3, .off = 2, .ground = GALI_GROUND_SLOPE_30},
    {.name = "slope 30 circle", .turn = 0.5f, .ground = GALI_GROUND_SLOPE_30},
    {.name = "stairs walk", .ground = GALI_GROUND_STAIRS},
    {.name = "stairs run", .run = 1, .ground = GALI_GROUND_STAIRS},
    {.name = "stairs stops", .on = 3, .off = 2, .ground = GALI_GROUND_STAIRS},
};

const uint32_t gali_judge_script_count = sizeof gali_judge_scripts / sizeof gali_judge_scripts[0];

int gali_judge_applies(const gali_judge_script *script, const gali_contract *contract) {
    int jumps = contract->rules.jump_time > 0 && contract->gait_of_role[GALI_GAIT_JUMP] >= 0;
    int crouches = contract->gait_of_role[GALI_GAIT_CROUCH] >= 0;
    return (script->jump <= 0 || jumps) && (script->crouch <= 0 || crouches);
}

int gali_judge_is_steady(const gali_judge_script *script) {
    const float dizzy = 2; /* radians a second, which no walker follows */
    return script->way <= GALI_WAY_EIGHT && script->off <= 0 && !script->still && script->turn < dizzy;
}

/* A fixed scramble of an integer into 0..1. */
static float dice(uint32_t n) {
    n ^= n >> 16;
    n *= 0x7feb352du;
    n ^= n >> 15;
    n *= 0x846ca68bu;
    n ^= n >> 16;
    return (float)(n >> 8) / 16777216.0f;
}

/* World heading, stick amount and run of the script at a time. */
static void wish(const gali_judge_script *script, float seconds, float *heading, float *amount, float *run) {
    *heading = script->heading + script->turn * seconds;
    *amount =
        script->still || (script->off > 0 && fmodf(seconds, script->on + script->off) >= script->on) ? 0 : 1;
    *run = script->run;
    if (script->way == GALI_WAY_EIGHT) {
        float round = 2 * GALI_PI / script->turn, at = fmodf(seconds, 2 * round);
        *heading = script->turn * (at < round ? at : 2 * round - at);
    } else if (script->way == GALI_WAY_SIDES) {
        int odd = (uint32_t)(seconds / (script->on + script->off)) % 2;
        *heading = odd ? -script->heading : script->heading;
    } else if (script->way == GALI_WAY_REVERSE) {
        *heading = fmodf(seconds, 8) < 4 ? 0 : GALI_PI;
    } else if (script->way == GALI_WAY_FLICK) {
        *heading = fmodf(seconds, 0.6f) < 0.3f ? 0 : GALI_PI;
    } else if (script->way == GALI_WAY_RANDOM) {
        uint32_t throw = 3 * (uint32_t)(seconds / 1.25f);
        *heading = 2 * GALI_PI * dice(throw);
        *amount = fminf(floorf(4 * dice(throw +1)) * 0.5f, 1); /* 0, 0.5, 1, 1 */
        *run = dice(throw +2) < 0.5f ? 0 : 1;
    }
}

gal_input gali_judge_input(const gali_judge_script *script, float seconds) {
    float heading, amount, run;
    wish(script, seconds, &heading, &amount, &run);
    const float press = 0.1f; /* seconds */
    gal_input input = {.run = run, .strafe = script->strafe, .crouch = script->crouch};
    input.jump = script->jump > 0 && seconds >= script->jump && fmodf(seconds, script->jump) < press;
    if (script->way == GALI_WAY_SPIN) {
        input.camera_yaw = heading;
    } else { /* the camera looks along +z, where the character faces at the start */
        input.move_x = -amount * sinf(heading);
        input.move_y = amount * cosf(heading);
    }
    return input;
}

void gali_judge_wanted(const gali_judge_script *script, const gali_contract *contract, float seconds,
                       float *speed, float *heading) {
    const gali_rules *rules = &contract->rules;
    float amount, run, along = 1;
    wish(script, seconds, heading, &amount, &run);
    if (script->strafe > 0) { /* facing +z: slower sideways and backwards, as the rules say */
        along = cosf(*heading);
        along = rules->speed_side + fabsf(along) * ((along < 0 ? rules->speed_back : 1) - rules->speed_side);
    }
    along *= 1 + script->crouch * (rules->speed_crouch - 1);
    *speed =
        amount * along * contract->rate * (rules->speed_walk + run * (rules->speed_run - rules->speed_walk));
    if (amount == 0) {
        *heading = NAN;
    }
}
