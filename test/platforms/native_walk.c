/*
 * What a binding's own program must print, line by line: hashes of what the walker's network and a crowd of walkers
 * give, and an error's words. engines/ has the same program in each language; test/platforms/ compares their lines.
 *
 *     native_walk MODEL.gallop
 *
 * Every number that goes in is exact in float32, so that no language can round it in its own way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gallop/crowd.h>

enum { ROWS = 11, WALKERS = 8, FRAMES = 600 };

/* FNV-1a over the bytes of the floats, low byte first. */
static uint64_t hash_on(uint64_t hash, const void *floats, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, (const char *)floats + i * sizeof bits, sizeof bits);
        for (int byte = 0; byte < 4; byte++) {
            hash = (hash ^ (bits >> (8 * byte) & 255u)) * 0x100000001b3u;
        }
    }
    return hash;
}

static const uint64_t hash_start = 0xcbf29ce484222325u;

static void print_hash(const char *what, uint64_t hash) {
    printf("%s %016llx\n", what, (unsigned long long)hash);
}

/* The next of a sequence in [-2, 2), multiples of 2^-22. */
static float draw(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 4194304.0f - 2.0f;
}

static void run_network(const gal_network *network) {
    gal_network_info info = gal_network_get_info(network);
    size_t need = gal_network_workspace_size(network, ROWS);
    float *x = malloc((size_t)ROWS * info.inputs * sizeof *x),
          *y = malloc((size_t)ROWS * info.outputs * sizeof *y);
    float phase[ROWS];
    char *memory = malloc(need + 63); /* of which the workspace starts at a multiple of 64 */
    void *workspace = memory + (64 - (uintptr_t)memory % 64) % 64;
    uint32_t state = 1;
    for (uint32_t i = 0; i < ROWS * info.inputs; i++) {
        x[i] = draw(&state);
    }
    for (int i = 0; i < ROWS; i++) {
        phase[i] = draw(&state);
    }
    gal_network_batch batch = {.count = ROWS, .x = x, .phase = phase, .y = y};
    gal_network_run(network, &batch, workspace, need, NULL);
    printf("network %u to %u on %s\n", info.inputs, info.outputs, gal_isa_name(info.isa));
    print_hash("rows", hash_on(hash_start, y, (size_t)ROWS * info.outputs));
    free(memory);
    free(y);
    free(x);
}

static void run_crowd(const gal_controller *controller) {
    gal_crowd *crowd;
    gal_character who[WALKERS];
    uint32_t joints = gal_controller_get_info(controller).joints;
    uint64_t hash = hash_start, between = hash_start, local = hash_start;
    gal_transform *pose = malloc(joints * sizeof *pose);
    gal_crowd_create(&crowd, &(gal_crowd_desc){.controller = controller, .capacity = WALKERS}, NULL);
    for (int i = 0; i < WALKERS; i++) {
        gal_crowd_add(crowd, &(gal_spawn){.x = 200.0f * (float)i, .phase = (float)i / 2}, &who[i]);
    }
    for (int frame = 0; frame < FRAMES; frame++) {
        for (int i = 0; i < WALKERS; i++) {
            gal_input input = {.move_y = 1, .run = (float)i / 8, .camera_yaw = (float)frame / 128};
            gal_crowd_set_input(crowd, who[i], &input);
        }
        gal_crowd_step(crowd);
        for (int i = 0; i < WALKERS; i++) {
            hash = hash_on(hash, gal_crowd_pose(crowd, who[i], NULL), (size_t)joints * 7);
        }
    }
    for (int i = 0; i < WALKERS; i++) {
        gal_crowd_pose_between(crowd, who[i], 0.25f, pose);
        between = hash_on(between, pose, (size_t)joints * 7);
        gal_crowd_pose_local(crowd, who[i], pose);
        local = hash_on(local, pose, (size_t)joints * 7);
    }
    print_hash("poses", hash);
    print_hash("between", between);
    print_hash("local", local);
    free(pose);
    gal_crowd_destroy(crowd);
}

int main(int argc, char **argv) {
    gal_error error = {0};
    gal_controller *controller;
    if (gal_controller_open(&controller, argc > 1 ? argv[1] : "models/walker.gallop", NULL, &error) != GAL_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    run_network(gal_controller_network(controller));
    run_crowd(controller);
    gal_controller_close(controller);
    gal_controller_open(&controller, "no/such.gallop", NULL, &error);
    printf("%s: %s\n", gal_status_text(error.status), error.message);
    return 0;
}
