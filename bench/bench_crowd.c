/*
 * A crowd's frame on one core: how many characters fit into a time, evaluated in every frame by float32, by int8 and by
 * the small network, and by a budget; and how long its frames are then. docs/bench.md tells how to read the figures.
 */
#include <gallop/crowd.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/clock.h"
#include "harness/quantile.h"

enum { CAPACITY = 4096, FRAMES = 60, SETTLE = 60, LONG = 6000 };

static double now(void *unused) {
    (void)unused;
    return 1e-9 * clock_ns();
}

static gal_controller *open_model(const char *folder, const char *name, gal_precision precision) {
    char path[512];
    gal_error error = {0};
    gal_controller *controller;
    snprintf(path, sizeof path, "%s/%s.gallop", folder, name);
    if (gal_controller_open(&controller, path, &(gal_network_desc){.precision = precision}, &error) != GAL_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    return controller;
}

static gal_crowd *crowd_of(const gal_group_desc *group, uint32_t count) {
    gal_crowd *crowd;
    gal_error error = {0};
    if (gal_crowd_create(&crowd, &(gal_crowd_desc){.groups = group, .group_count = 1}, &error) != GAL_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    for (uint32_t i = 0; i < count; i++) {
        gal_character who;
        gal_spawn at = {.x = 200 * (float)(i % 64), .z = 200 * (float)(i / 64), .phase = 0.1f * (float)i};
        gal_crowd_add(crowd, &at, &who);
    }
    return crowd;
}

/* Everybody walks round, some run; a camera goes back and forth along the crowd. */
static double step(gal_crowd *crowd, uint32_t frame) {
    float camera = 6400 + 6000 * sinf(0.002f * (float)frame);
    for (uint32_t i = 0; i < gal_crowd_count(crowd); i++) {
        gal_character who = gal_crowd_at(crowd, i);
        gal_input input = {.move_y = 1, .run = i % 3 == 0, .camera_yaw = 0.006f * (float)frame + (float)i};
        float x = 200 * (float)(i % 64) - camera, z = 200 * (float)(i / 64);
        gal_crowd_set_input(crowd, who, &input);
        gal_crowd_set_priority(crowd, who, 1000 / (100 + sqrtf(x * x + z * z)));
    }
    double start = now(NULL);
    gal_crowd_step(crowd);
    return now(NULL) - start;
}

/* The median frame of so many, in seconds. */
static double frame_of(const gal_group_desc *group, uint32_t count, const gal_budget *budget) {
    static double times[FRAMES];
    gal_crowd *crowd = crowd_of(group, count);
    gal_crowd_set_budget(crowd, budget);
    for (uint32_t frame = 0; frame < SETTLE; frame++) {
        step(crowd, frame);
    }
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        times[frame] = step(crowd, SETTLE + frame);
    }
    gal_crowd_destroy(crowd);
    return median(times, FRAMES);
}

/* The most characters, to a fiftieth, whose median frame is within the time. */
static uint32_t fit(const gal_group_desc *group, double seconds, const gal_budget *budget) {
    uint32_t least = 32, most = 64;
    while (most < CAPACITY && frame_of(group, most, budget) <= seconds) {
        least = most;
        most *= 2;
    }
    while (most - least > least / 50 + 1) {
        uint32_t middle = (least + most) / 2;
        if (frame_of(group, middle, budget) <= seconds) {
            least = middle;
        } else {
            most = middle;
        }
    }
    return least;
}

static void print_frames(const gal_group_desc *group, uint32_t count, double microseconds) {
    static double times[LONG];
    uint64_t every[9] = {0};
    gal_crowd *crowd = crowd_of(group, count);
    gal_crowd_set_budget(crowd, &(gal_budget){.microseconds = (float)microseconds, .clock = now});
    for (uint32_t frame = 0; frame < SETTLE; frame++) {
        step(crowd, frame);
    }
    for (uint32_t frame = 0; frame < LONG; frame++) {
        times[frame] = step(crowd, SETTLE + frame);
        for (uint32_t i = 0; frame % 100 == 0 && i < count; i++) {
            gal_pace pace;
            gal_crowd_pace(crowd, gal_crowd_at(crowd, i), &pace);
            every[pace.frames]++;
        }
    }
    double looks = LONG / 100;
    printf("%4u walkers, budget %.0f us: median %.0f, 99 of 100 %.0f, 999 of 1000 %.0f, most %.0f us; "
           "every frame %.0f of them, every 2nd %.0f, 3rd or 4th %.0f, up to 8th %.0f\n",
           count, microseconds, 1e6 * quantile(times, LONG, 0.5), 1e6 * quantile(times, LONG, 0.99),
           1e6 * quantile(times, LONG, 0.999), 1e6 * quantile(times, LONG, 1), (double)every[1] / looks,
           (double)every[2] / looks, (double)(every[3] + every[4]) / looks,
           (double)(every[5] + every[6] + every[7] + every[8]) / looks);
    gal_crowd_destroy(crowd);
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : "models";
    const double budget = 2000; /* us */
    clock_pin(-1);
    setvbuf(stdout, NULL, _IOLBF, 0);
    gal_controller *whole = open_model(folder, "walker", GAL_PRECISION_STORED),
                   *quick = open_model(folder, "walker", GAL_PRECISION_INT8),
                   *small = open_model(folder, "walker-small", GAL_PRECISION_STORED),
                   *least = open_model(folder, "walker-small", GAL_PRECISION_INT8);
    const struct {
        const char *name;
        gal_group_desc group;
        int budgeted;
    } kinds[] = {
        {"float32", {.controller = whole, .capacity = CAPACITY}, 0},
        {"int8", {.controller = quick, .capacity = CAPACITY}, 0},
        {"small, float32", {.controller = small, .capacity = CAPACITY}, 0},
        {"small, int8", {.controller = least, .capacity = CAPACITY}, 0},
        {"budgeted: float32, int8, small int8",
         {.controller = whole, .capacity = CAPACITY, .stand_ins = {quick, least}},
         1},
    };
    const gal_budget by_clock = {.microseconds = (float)budget, .clock = now};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const gal_budget *own = kinds[i].budgeted ? &by_clock : NULL;
        printf("%-36s 1 %6.1f us, 8 %6.1f us, 64 %7.1f us; %u in %.0f us\n", kinds[i].name,
               1e6 * frame_of(&kinds[i].group, 1, own), 1e6 * frame_of(&kinds[i].group, 8, own),
               1e6 * frame_of(&kinds[i].group, 64, own), fit(&kinds[i].group, 1e-6 * budget, own), budget);
    }
    print_frames(&kinds[4].group, 200, budget);
    print_frames(&kinds[4].group, 1000, budget);
    print_frames(&kinds[4].group, 2000, budget);
    gal_controller_close(whole);
    gal_controller_close(quick);
    gal_controller_close(small);
    gal_controller_close(least);
    return 0;
}
