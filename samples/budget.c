/*
 * Three hundred walkers and dogs, a camera that goes past them, and two milliseconds: near ones are evaluated in every
 * frame, far ones seldom and by cheaper networks. Prints once a second how many are evaluated how often.
 */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include <gallop/crowd.h>

enum { WALKERS, DOGS, EACH = 150, ALL = 2 * EACH, SECONDS = 5, RATE = 60 };

static gal_controller *open_model(const char *folder, const char *name, gal_precision precision) {
    char path[512];
    gal_error error = {0};
    gal_controller *controller;
    snprintf(path, sizeof path, "%s/%s.gallop", folder, name);
    if (gal_controller_open(&controller, path, &(gal_network_desc){.precision = precision}, &error) != GAL_OK) {
        fprintf(stderr, "%s\n", error.message);
    }
    return controller;
}

static double now(void *unused) {
    struct timespec time;
    (void)unused;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A square of them, ten metres between rows. */
static void add_all(gal_crowd *crowd, gal_character *who) {
    for (int i = 0; i < ALL; i++) {
        gal_spawn at = {
            .x = 500.0f * (float)(i % 20), .z = 1000.0f * (float)(i / 20), .group = i % 2 ? DOGS : WALKERS};
        gal_crowd_add(crowd, &at, &who[i]);
    }
}

/* What a game does in a frame: inputs, how much each matters to whoever looks, a step. */
static void play(gal_crowd *crowd, const gal_character *who, int frame) {
    float camera_x = 5000, camera_z = 30.0f * (float)frame; /* 18 m/s */
    for (int i = 0; i < ALL; i++) {
        gal_character_state state;
        gal_input input = {.move_y = 1, .camera_yaw = (float)i + 0.005f * (float)frame};
        gal_crowd_set_input(crowd, who[i], &input);
        gal_crowd_state(crowd, who[i], &state);
        float away = hypotf(state.root.x - camera_x, state.root.z - camera_z);
        gal_crowd_set_priority(crowd, who[i], 1000 / (100 + away)); /* about its size on the screen */
    }
    gal_crowd_step(crowd);
}

static void report(const gal_crowd *crowd, const gal_character *who, int frame) {
    int every[9] = {0}, stood_in = 0;
    gal_load load = gal_crowd_load(crowd);
    for (int i = 0; i < ALL; i++) {
        gal_pace pace;
        gal_crowd_pace(crowd, who[i], &pace);
        every[pace.frames]++;
        stood_in += pace.level > 0;
    }
    printf(
        "%d s: %4.0f us, %u evaluated in it; every frame %d, 2 %d, 3 or 4 %d, up to 8 %d; %d by a stand-in\n",
        (frame + 1) / RATE, (double)load.microseconds, load.evaluated, every[1], every[2], every[3] + every[4],
        every[5] + every[6] + every[7] + every[8], stood_in);
}

static int run(const gal_group_desc *groups) {
    static gal_character who[ALL];
    gal_error error = {0};
    gal_crowd *crowd;
    if (gal_crowd_create(&crowd, &(gal_crowd_desc){.groups = groups, .group_count = 2}, &error) != GAL_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    add_all(crowd, who);
    gal_crowd_set_budget(crowd, &(gal_budget){.microseconds = 2000, .clock = now});
    for (int frame = 0; frame < SECONDS * RATE; frame++) {
        play(crowd, who, frame);
        if (frame % RATE == RATE - 1) {
            report(crowd, who, frame);
        }
    }
    gal_crowd_destroy(crowd);
    return 0;
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : "models";
    gal_controller *walker = open_model(folder, "walker", GAL_PRECISION_STORED),
                   *quick = open_model(folder, "walker", GAL_PRECISION_INT8),
                   *small = open_model(folder, "walker-small", GAL_PRECISION_INT8),
                   *dog = open_model(folder, "dog", GAL_PRECISION_STORED),
                   *quick_dog = open_model(folder, "dog", GAL_PRECISION_INT8);
    const gal_group_desc groups[] = {
        [WALKERS] = {.controller = walker, .capacity = EACH, .stand_ins = {quick, small}},
        [DOGS] = {.controller = dog, .capacity = EACH, .stand_ins = {quick_dog}, .frames_most = 2},
    };
    int status = walker && quick && small && dog && quick_dog ? run(groups) : 1;
    gal_controller_close(walker);
    gal_controller_close(quick);
    gal_controller_close(small);
    gal_controller_close(dog);
    gal_controller_close(quick_dog);
    return status;
}
