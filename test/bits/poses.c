/*
 * Prints a hash of all poses and states of a crowd, a line after its first, second and fifth second and one every ten
 * seconds, each of all frames up to there:
 *
 *     poses MODELS [SECONDS]      MODELS: the folder of walker.gallop and dog.gallop; SECONDS: 600, the golden run
 *
 * Walkers cross hills of a height field, dogs those of a function, about eight of them at once: they join, leave, are
 * teleported, have their feet locked and freed, are evaluated every frame or less often, and follow sticks and cameras of
 * all angles. What decides is an integer generator, so that the lines are the same everywhere: golden_poses.txt.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gallop/crowd.h"

enum { RATE = 60, CAPACITY = 6, LEAST = 2, FIELD = 96, CELL = 50 };

/* SplitMix64 (Steele et al. 2014). */
static uint64_t draw(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Whether something happens now that does once in so many times. */
static int once_in(uint64_t *state, uint32_t times) {
    return draw(state) % times == 0;
}

/* -1..1 in thousandths. */
static float stick(uint64_t *state) {
    return (float)((int)(draw(state) % 2001) - 1000) / 1000.0f;
}

/* A place within 15 m. */
static float place(uint64_t *state) {
    return 1500.0f * stick(state);
}

/* FNV-1a, a word at a time. */
static uint64_t hash_words(uint64_t hash, const void *data, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, (const unsigned char *)data + i * sizeof word, sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
    }
    return hash;
}

/* A wave of straight pieces, 0 up to half a period and back. */
static int wave(int at, int period) {
    return abs(at % period - period / 2);
}

static void make_hills(float *heights) {
    for (int r = 0; r < FIELD; r++) {
        for (int c = 0; c < FIELD; c++) {
            heights[r * FIELD + c] = (float)(wave(2 * c + r, 24) * 4 + wave(3 * r + FIELD - c, 34) * 2) / 2.0f;
        }
    }
}

/* Hills of parabolas, 4 m and 6 m long. */
static float dog_ground(void *context, float x, float z) {
    (void)context;
    float u = x * 0.0025f + 1000.0f, v = z * (1.0f / 600.0f) + 1000.0f;
    u -= (float)(int)u;
    v -= (float)(int)v;
    return 60.0f * u * (1.0f - u) + 100.0f * v * (1.0f - v);
}

/* What happened, so that whoever reads it sees that it did. */
typedef struct events {
    uint32_t joins, leaves, teleports, locks, paces, frames, characters;
} events;

/* The characters of one controller. */
typedef struct cast {
    gal_controller *controller;
    gal_crowd *crowd;
    gal_height_field field;
} cast;

static int open_cast(cast *c, const char *models, const char *model, gal_ground_fn ground) {
    char path[1024];
    gal_error error = {0};
    snprintf(path, sizeof path, "%s/%s", models, model);
    if (gal_controller_open(&c->controller, path, NULL, &error) != GAL_OK ||
        gal_crowd_create(&c->crowd,
                         &(gal_crowd_desc){.controller = c->controller,
                                           .capacity = CAPACITY,
                                           .ground = ground,
                                           .ground_context = &c->field},
                         &error) != GAL_OK) {
        fprintf(stderr, "poses: %s\n", error.message);
        return 0;
    }
    return 1;
}

static void come_and_go(cast *c, uint64_t *state, events *seen) {
    uint32_t count = gal_crowd_count(c->crowd);
    gal_character who;
    if (count < LEAST || (count < CAPACITY && once_in(state, 150))) {
        const float x = place(state), z = place(state), facing = 4 * stick(state), phase = 9 * stick(state);
        const gal_spawn spawn = {.x = x, .z = z, .facing = facing, .phase = phase};
        gal_crowd_add(c->crowd, &spawn, &who);
        seen->joins++;
    } else if (count > LEAST && once_in(state, 250)) {
        gal_crowd_remove(c->crowd, gal_crowd_at(c->crowd, (uint32_t)(draw(state) % count)));
        seen->leaves++;
    }
}

/* Far from home, or now and then, elsewhere. */
static void teleport(cast *c, gal_character who, uint64_t *state, events *seen) {
    gal_character_state at;
    gal_crowd_state(c->crowd, who, &at);
    int away = at.root.x > 3000 || at.root.x < -3000 || at.root.z > 3000 || at.root.z < -3000;
    if (away || once_in(state, 900)) {
        const float facing = 4 * stick(state), z = place(state),
                    x = place(state); /* drawn in an order that C defines */
        gal_crowd_teleport(c->crowd, who, x, z, facing);
        seen->teleports++;
    }
}

/* A new input: a stick at rest in one of four, a camera that may have turned for days. */
static gal_input choose(uint64_t *state) {
    gal_input input = {.camera_yaw = 3.2f * stick(state)};
    if (!once_in(state, 4)) {
        input.move_x = stick(state);
        input.move_y = stick(state);
        input.run = once_in(state, 2) ? (float)(draw(state) % 101) / 100.0f : 0;
    }
    input.strafe = once_in(state, 3) ? (float)(draw(state) % 101) / 100.0f : 0;
    input.crouch = once_in(state, 5) ? (float)(draw(state) % 101) / 100.0f : 0;
    input.camera_yaw *= once_in(state, 20) ? 1e6f : 1;
    input.responsive = once_in(state, 4);
    input.jump = once_in(state, 6);
    return input;
}

static void drive(cast *c, gal_character who, uint64_t *state, events *seen) {
    if (once_in(state, 60)) {
        gal_input input = choose(state);
        gal_crowd_set_input(c->crowd, who, &input);
    }
    if (once_in(state, 600)) {
        gal_crowd_set_foot_lock(c->crowd, who, once_in(state, 2));
        seen->locks++;
    }
    if (once_in(state, 600)) {
        gal_crowd_set_pace(c->crowd, who, &(gal_pace){.frames = 1 + (uint32_t)(draw(state) % 3)});
        seen->paces++;
    }
    teleport(c, who, state, seen);
}

static uint64_t hash_cast(const cast *c, uint64_t hash, events *seen) {
    for (uint32_t i = 0; i < gal_crowd_count(c->crowd); i++) {
        uint32_t joints;
        gal_character_state state = {0};
        gal_character who = gal_crowd_at(c->crowd, i);
        const gal_transform *pose = gal_crowd_pose(c->crowd, who, &joints);
        gal_crowd_state(c->crowd, who, &state);
        hash = hash_words(hash, pose, joints * sizeof *pose / sizeof(float));
        hash = hash_words(hash, &state, sizeof state / sizeof(float));
        seen->characters++;
    }
    uint64_t resets = gal_crowd_resets(c->crowd);
    return hash_words(hash, &resets, 2);
}

static uint64_t run_frame(cast *casts, uint32_t cast_count, uint64_t *state, uint64_t hash, events *seen) {
    for (uint32_t k = 0; k < cast_count; k++) {
        cast *c = &casts[k];
        come_and_go(c, state, seen);
        for (uint32_t i = 0; i < gal_crowd_count(c->crowd); i++) {
            drive(c, gal_crowd_at(c->crowd, i), state, seen);
        }
        gal_crowd_step(c->crowd);
        hash = hash_cast(c, hash, seen);
    }
    seen->frames++;
    return hash;
}

static int has_line(int second) {
    return second == 1 || second == 2 || second == 5 || second % 10 == 0;
}

int main(int argc, char **argv) {
    static float heights[FIELD * FIELD];
    int seconds = argc > 2 ? atoi(argv[2]) : 600;
    if (argc < 2 || seconds < 1) {
        fprintf(stderr, "usage: poses MODELS [SECONDS]\n");
        return 2;
    }
    const float corner = -(float)(FIELD * CELL / 2);
    make_hills(heights);
    cast casts[2] = {{.field = {heights, FIELD, FIELD, CELL, corner, corner}}, {0}};
    if (!open_cast(&casts[0], argv[1], "walker.gallop", gal_height_field_ground) ||
        !open_cast(&casts[1], argv[1], "dog.gallop", dog_ground)) {
        return 1;
    }
    events seen = {0};
    uint64_t state = 17, hash = 0xcbf29ce484222325u;
    for (int frame = 1; frame <= seconds * RATE; frame++) {
        hash = run_frame(casts, 2, &state, hash, &seen);
        if (frame % RATE == 0 && has_line(frame / RATE)) {
            printf("%3d s %08lx%08lx\n", frame / RATE, (unsigned long)(hash >> 32),
                   (unsigned long)(hash & 0xFFFFFFFFu));
            fflush(stdout);
        }
    }
    fprintf(stderr,
            "%u frames, %u.%u characters on average; %u joins, %u leaves, %u teleports, %u locks, %u paces\n",
            seen.frames, seen.characters / seen.frames, seen.characters * 10 / seen.frames % 10, seen.joins,
            seen.leaves, seen.teleports, seen.locks, seen.paces);
    for (int k = 0; k < 2; k++) {
        gal_crowd_destroy(casts[k].crowd);
        gal_controller_close(casts[k].controller);
    }
    return 0;
}
