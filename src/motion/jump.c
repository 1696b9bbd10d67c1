#include "motion/jump.h"

int gali_jump_possible(const gali_contract *contract) {
    return contract->rules.jump_time > 0 && contract->gait_of_role[GALI_GAIT_JUMP] >= 0;
}

/* jump_top of a character whose last jump, if there was one, no sample of the path shows any more. */
static float forgotten(const gali_contract *contract) {
    return -(float)contract->past - contract->rules.jump_time;
}

void gali_jump_reset(gali_character *character, const gali_contract *contract) {
    character->jump_top = forgotten(contract);
}

int gali_jump_follow(gali_character *character, const gali_contract *contract) {
    if (!gali_jump_possible(contract)) {
        return 0;
    }
    float time = contract->rules.jump_time, speed = gali_vec2_length(character->path.velocity[contract->past]);
    int over = character->jump_top <= -time;
    if (character->input.jump && over && speed >= contract->rules.jump_speed) {
        character->jump_top = time;
    } else {
        character->jump_top = fmaxf(character->jump_top - 1, forgotten(contract));
    }
    return character->jump_top > -time / 2;
}

/* How much of a jump it is so many frames after its top: a bell from -time to time. */
static float amount_at(float frames, float time) {
    return fabsf(frames) < time ? 0.5f + 0.5f * cosf(GALI_TURN / 2 * frames / time) : 0;
}

void gali_jump_lay(gali_character *character, const gali_contract *contract) {
    if (!gali_jump_possible(contract)) {
        return;
    }
    uint32_t window = contract->past + contract->future;
    float *gait = character->path.gait + contract->gait_of_role[GALI_GAIT_JUMP];
    for (uint32_t i = 0; i < window; i++) {
        float after = (float)i - (float)contract->past - character->jump_top;
        gait[(size_t)i * contract->gait_count] = amount_at(after, contract->rules.jump_time);
    }
}
