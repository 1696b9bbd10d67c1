/*
 * Records five seconds of some sixty-four small walkers and dogs in one crowd on hills, for replay.sh:
 *
 *     tape MODELS FILE
 *
 * They join, leave, are teleported, have their feet locked and freed and their paces changed, follow sticks that change
 * once a second, and once the whole crowd is set back to what it was a second ago.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "gallop/record.h"

enum { FRAMES = 300, EACH = 36, LEAST = 56, FIELD = 64, SAVED = 120, RESTORED = 180 };

/* The minimal standard generator (Park and Miller 1988). */
static uint32_t draw(uint64_t *state) {
    *state = *state * 48271u % 2147483647u;
    return (uint32_t)*state;
}

/* -1..1 in thousandths. */
static float stick(uint64_t *state) {
    return (float)((int)(draw(state) % 2001) - 1000) / 1000.0f;
}

static gal_controller *open_model(const char *folder, const char *name) {
    char path[1024];
    gal_error error = {0};
    gal_controller *controller = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (gal_controller_open(&controller, path, NULL, &error) != GAL_OK) {
        fprintf(stderr, "tape: %s\n", error.message);
    }
    return controller;
}

static void write_tape(void *file, const void *data, size_t size) {
    if (fwrite(data, 1, size, file) != size) {
        perror("tape");
        exit(1);
    }
}

/* How many joined, of either group by turns; full groups take none. */
static uint32_t join(gal_crowd *crowd, uint64_t *state, uint32_t wanted) {
    uint32_t joined = 0;
    for (uint32_t i = 0; i < wanted; i++) {
        const float x = 1400 * stick(state), z = 1400 * stick(state), facing = 3 * stick(state);
        const gal_spawn spawn = {.x = x, .z = z, .facing = facing, .group = i % 2};
        gal_character who;
        joined += gal_crowd_add(crowd, &spawn, &who) == GAL_OK;
    }
    return joined;
}

static void steer(gal_crowd *crowd, gal_character who, uint64_t *state) {
    const float x = stick(state), y = stick(state), run = stick(state), yaw = 3 * stick(state);
    gal_crowd_set_input(crowd, who,
                        &(gal_input){.move_x = x, .move_y = y, .run = run > 0 ? run : 0, .camera_yaw = yaw});
    switch (draw(state) % 16) {
    case 0:
        gal_crowd_teleport(crowd, who, 1400 * x, 1400 * y, yaw);
        break;
    case 1:
        gal_crowd_set_foot_lock(crowd, who, run > 0);
        break;
    case 2:
        gal_crowd_set_pace(crowd, who, &(gal_pace){.frames = 1 + draw(state) % 4});
        break;
    default:
        break;
    }
}

/* Returns 0 if nobody joined or left. */
static int live(gal_crowd *crowd) {
    static unsigned char kept[1 << 20];
    size_t used = 0;
    uint64_t state = 64;
    uint32_t joins = join(crowd, &state, 64), leaves = 0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        const uint32_t count = gal_crowd_count(crowd), one = draw(&state) % count;
        if (frame % 5 == 2 && count > LEAST) {
            leaves += gal_crowd_remove(crowd, gal_crowd_at(crowd, one)) == GAL_OK;
        } else if (frame % 5 == 4) {
            joins += join(crowd, &state, 1 + draw(&state) % 2);
        }
        steer(crowd, gal_crowd_at(crowd, frame % gal_crowd_count(crowd)), &state);
        if (frame == SAVED && gal_crowd_save(crowd, kept, sizeof kept, &used) != GAL_OK) {
            return 0;
        }
        if (frame == RESTORED && gal_crowd_restore(crowd, kept, used, NULL) != GAL_OK) {
            return 0;
        }
        gal_crowd_step(crowd);
    }
    printf("%u frames, %u characters at the end; %u joins, %u leaves\n", (unsigned)FRAMES,
           gal_crowd_count(crowd), joins, leaves);
    return joins > 64 && leaves > 0;
}

static int record(const gal_controller *walker, const gal_controller *dog, FILE *file) {
    static float heights[FIELD * FIELD];
    for (int i = 0; i < FIELD * FIELD; i++) {
        heights[i] = (float)(abs((i % FIELD + i / FIELD) % 20 - 10) * 6);
    }
    gal_height_field field = {heights, FIELD, FIELD, 50, -1600, -1600};
    const gal_group_desc groups[] = {{.controller = walker, .capacity = EACH},
                                     {.controller = dog, .capacity = EACH}};
    const gal_crowd_desc desc = {
        .groups = groups, .group_count = 2, .ground = gal_height_field_ground, .ground_context = &field};
    gal_crowd *crowd;
    gal_error error = {0};
    if (gal_crowd_create(&crowd, &desc, &error) != GAL_OK ||
        gal_crowd_record(crowd, write_tape, file, &error) != GAL_OK) {
        fprintf(stderr, "tape: %s\n", error.message);
        return 1;
    }
    int lived = live(crowd);
    gal_crowd_destroy(crowd);
    return !lived;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: tape MODELS FILE\n");
        return 2;
    }
    gal_controller *walker = open_model(argv[1], "walker-small.gallop"),
                   *dog = open_model(argv[1], "dog.gallop");
    FILE *file = fopen(argv[2], "wb");
    int status = walker && dog && file ? record(walker, dog, file) : 1;
    gal_controller_close(walker);
    gal_controller_close(dog);
    if (file && fclose(file) != 0) {
        status = 1;
    }
    return status;
}
