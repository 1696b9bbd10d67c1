#include "show/demo_cast.h"

#include "space.h"

/* Moves the stick so that the character goes towards `heading` (world, radians) with the camera at yaw 0. */
static void head_for(gal_input *input, float heading, float amount) {
    input->move_x = -amount * sinf(heading);
    input->move_y = amount * cosf(heading);
}

/* A fixed scramble of an integer into 0..1: the random players' dice. */
static float dice(uint32_t n) {
    n = (n ^ 61u) ^ (n >> 16);
    n *= 9u;
    n ^= n >> 4;
    n *= 0x27d4eb2du;
    n ^= n >> 15;
    return (float)(n >> 8) / 16777216.0f;
}

typedef struct turn {
    const gali_cast *cast;
    const gal_spawn *home;
    const gal_character_state *state;
    uint8_t *homeward;
    uint32_t seed;
    float seconds;
} turn;

/* On a ring around the middle of all: the heading across the line to the middle, corrected by the distance. */
static void play_ring(const turn *t, gal_input *input) {
    float x = t->state->root.x, z = t->state->root.z;
    float wanted = hypotf(t->home->x, t->home->z), away = hypotf(x, z);
    float around = atan2f(x, z) + GALI_PI / 2;
    input->run = 1;
    head_for(input, around + fminf(fmaxf((away - wanted) / (2 * t->cast->step), -0.6f), 0.6f), 1);
}

static void play_circle(const turn *t, gal_input *input) {
    head_for(input, t->home->facing + 0.5f * t->seconds, 1);
}

static void play_sideways(const turn *t, gal_input *input) {
    input->strafe = 1;
    input->camera_yaw = t->home->facing;
    input->move_x = fmodf(t->seconds + 1.25f, 5) < 2.5f ? 1.0f : -1.0f;
}

static void play_eight(const turn *t, gal_input *input) {
    float round = 2 * GALI_PI / 0.9f, at = fmodf(t->seconds, 2 * round);
    head_for(input, t->home->facing + 0.9f * (at < round ? at : 2 * round - at), 1);
}

static void play_stop_and_go(const turn *t, gal_input *input) {
    float leg = floorf(t->seconds / 3.2f);
    input->run = 0.6f;
    head_for(input, t->home->facing + leg * 2 * GALI_PI / 3, t->seconds - leg * 3.2f < 2 ? 1 : 0);
}

static void play_backwards(const turn *t, gal_input *input) {
    input->strafe = 1;
    input->camera_yaw = t->home->facing + 0.5f * t->seconds;
    input->move_y = -1;
}

static void play_crouch(const turn *t, gal_input *input) {
    input->crouch = 1;
    head_for(input, t->home->facing + 0.6f * t->seconds, 0.8f);
}

/* A quarter turn every 1.8 seconds. */
static void play_spot(const turn *t, gal_input *input) {
    input->strafe = 1;
    input->camera_yaw = t->home->facing + GALI_PI / 2 * floorf(t->seconds / 1.8f);
}

static void play_jumps(const turn *t, gal_input *input) {
    input->run = 0.5f;
    input->jump = fmodf(t->seconds, 2.2f) > 2;
    head_for(input, t->home->facing + 1.2f * t->seconds, 1);
}

static void play_random(const turn *t, gal_input *input) {
    uint32_t throw = (uint32_t)(t->seconds / 1.25f) + 977 * t->seed;
    float x = t->home->x - t->state->root.x, z = t->home->z - t->state->root.z;
    float away = hypotf(x, z) / t->cast->step;
    *t->homeward = away > (*t->homeward ? 0.5f : 1.4f); /* one fence for leaving and one for coming back */
    input->run = dice(3 * throw +1) > 0.7f ? 1.0f : 0.0f;
    if (*t->homeward) {
        head_for(input, atan2f(x, z), 1);
    } else {
        head_for(input, 2 * GALI_PI * dice(3 * throw), dice(3 * throw +2) > 0.2f ? 1 : 0);
    }
}

static const struct role {
    const char *name;
    void (*play)(const turn *t, gal_input *input);
    float x, z, facing; /* start, in steps and radians */
} roles[GALI_CAST_ROLES] = {
    {"Run around", play_ring, 0, 6.6f, 1.5708f},
    {"Walk a circle", play_circle, -4.4f, 0.9f, 0},
    {"Sidestep", play_sideways, 1.4f, -4.2f, 0.3f},
    {"Figure eight", play_eight, 2.8f, 3.2f, 1.2f},
    {"Stop and go", play_stop_and_go, 2.5f, -3.0f, 0.5f},
    {"Walk backwards", play_backwards, -3.8f, -2.4f, 2.2f},
    {"Crouch", play_crouch, 0.1f, 1.0f, 0},
    {"Random stick", play_random, -0.2f, -1.8f, 0},
};

/* What is played instead by a controller that cannot crouch, and by one that can jump. */
enum { SIDESTEP = 2, CROUCH = 6 };
static const struct role turn_on_the_spot = {"Turn on the spot", play_spot, 0.1f, 1.0f, 0};
static const struct role run_and_jump = {"Run and jump", play_jumps, 1.4f, -4.2f, 0.3f};

static const struct role *role_of(const gali_cast *cast, uint32_t character) {
    uint32_t number = character % GALI_CAST_ROLES;
    if (number == CROUCH && !cast->crouches) {
        return &turn_on_the_spot;
    }
    return number == SIDESTEP && cast->jumps ? &run_and_jump : &roles[number];
}

void gali_cast_make(gali_cast *cast, const gali_contract *contract, uint32_t count) {
    float least = 0.9f / contract->unit;
    *cast = (gali_cast){.count = count,
                        .rate = contract->rate,
                        .step = fmaxf(contract->rules.speed_walk * contract->rate, least),
                        .crouches = contract->gait_of_role[GALI_GAIT_CROUCH] >= 0,
                        .jumps = contract->rules.jump_time > 0};
    for (uint32_t i = 0; i < count; i++) {
        const struct role *role = role_of(cast, i);
        uint32_t round = i / GALI_CAST_ROLES;
        float turned = 0.9f * (float)round, out = cast->step * (1 + 0.3f * (float)round);
        gal_vec3 at = gali_quat_turn(gali_quat_from_axis((gal_vec3){0, 1, 0}, turned),
                                     (gal_vec3){role->x * out, 0, role->z * out});
        cast->spawns[i] =
            (gal_spawn){.x = at.x, .z = at.z, .facing = role->facing + turned, .phase = 2.39996f * (float)i};
        cast->names[i] = role->name;
    }
}

void gali_cast_play(void *context, uint32_t character, uint32_t frame, const gal_character_state *state,
                    gal_input *input) {
    gali_cast *cast = context;
    turn t = {cast,      &cast->spawns[character], state, &cast->homeward[character],
              character, (float)frame / cast->rate};
    *input = (gal_input){0};
    role_of(cast, character)->play(&t, input);
}
