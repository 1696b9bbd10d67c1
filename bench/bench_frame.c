/*
 * A frame of a crowd by its parts, and how many characters fit into 2 ms of one core:
 *
 *     bench_frame [model=models/walker.gallop] [seconds a cell=1]
 *
 * before: input, path, features; network: one run for each 64 characters; after: pose, inertia, feet, root. Microseconds a
 * character, medians over frames of processor time, which other programs' turns are not in. The parts are timed in the
 * crowd's own memory, in the order of gal_crowd_step; `frame` is gal_crowd_step itself.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "crowd/crowd_parts.h"
#include "harness/clock.h"
#include "harness/stats.h"
#include "motion/step.h"

static const struct {
    gal_precision precision;
    const char *name;
} precisions[] = {{GAL_PRECISION_F32, "f32"},
                  {GAL_PRECISION_INT16, "int16"},
                  {GAL_PRECISION_INT8, "int8"},
                  {GAL_PRECISION_INT8_DOT, "int8-dot"}};

static const uint32_t counts[] = {8, 64, 1024};
enum { COUNTS = sizeof counts / sizeof *counts, FRAMES_MOST = 4096, FRAMES_LEAST = 5 };

static double used_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static gal_crowd *make_crowd(const gal_controller *controller, uint32_t count) {
    const gal_crowd_desc desc = {.controller = controller, .capacity = count};
    gal_error error = {0};
    gal_crowd *crowd;
    if (gal_crowd_create(&crowd, &desc, &error) != GAL_OK) {
        fprintf(stderr, "bench_frame: %s\n", error.message);
        exit(1);
    }
    for (uint32_t i = 0; i < count; i++) {
        const gal_spawn at = {.x = 100 * (float)(i % 32), .z = 100 * (float)(i / 32), .phase = (float)i};
        gal_character id;
        gal_crowd_add(crowd, &at, &id);
    }
    return crowd;
}

/* Everybody walks curves of their own, some run. */
static void steer(gal_crowd *crowd, uint32_t frame) {
    for (uint32_t i = 0; i < gal_crowd_count(crowd); i++) {
        float t = 0.02f * (float)frame + (float)i;
        const gal_input input = {
            .move_x = sinf(t), .move_y = cosf(0.7f * t), .run = i % 2 ? 0.5f : 0, .camera_yaw = t};
        gal_crowd_set_input(crowd, gal_crowd_at(crowd, i), &input);
    }
}

typedef struct parts {
    series before, network, after, frame;
} parts;

/* The banks from `first` on that one run of the network takes, as gal_crowd_step does them; a full crowd's. */
static uint32_t step_run(gal_crowd *crowd, uint32_t first, double spent[3]) {
    const gali_group *group = &crowd->groups[0];
    const gal_controller *controller = group->levels[0];
    uint32_t rows = 0, bank = first, most = gali_run_rows(group->capacity, NULL);
    gali_lanes lanes[GALI_RUN_ROWS / GALI_BANK + 1];
    for (; rows < most && bank * GALI_BANK < group->capacity; bank++) {
        uint32_t left = group->capacity - bank * GALI_BANK, count = left < GALI_BANK ? left : GALI_BANK;
        lanes[bank - first] = (gali_lanes){.controller = controller,
                                           .ground = &crowd->ground,
                                           .bank = &group->banks[bank],
                                           .mask = (1u << count) - 1,
                                           .x = crowd->x + (size_t)rows * controller->layout.x_row,
                                           .y = crowd->y + (size_t)rows * controller->contract->outputs,
                                           .x_stride = controller->layout.x_row,
                                           .y_stride = controller->contract->outputs};
        for (uint32_t l = 0; l < count; l++) {
            crowd->phase[rows + l] = gali_bank_get(lanes[bank - first].bank, controller->layout.phase, l);
        }
        rows += count;
    }
    const gal_network_batch batch = {.count = rows,
                                     .x = crowd->x,
                                     .x_stride = controller->layout.x_row,
                                     .phase = crowd->phase,
                                     .y = crowd->y};
    double start = used_us();
    for (uint32_t b = 0; b < bank - first; b++) {
        gali_step_before(group->phases, &lanes[b]);
    }
    double ran = used_us();
    gal_network_run(controller->network, &batch, crowd->workspace, crowd->workspace_size, NULL);
    double answered = used_us();
    for (uint32_t b = 0; b < bank - first; b++) {
        gali_step_after(group->phases, &lanes[b]);
    }
    spent[0] += ran - start;
    spent[1] += answered - ran;
    spent[2] += used_us() - answered;
    return bank;
}

static void measure(const gal_controller *controller, uint32_t count, double seconds, parts *p) {
    gal_crowd *crowd = make_crowd(controller, count);
    const double over = used_us() + 1e6 * seconds;
    *p = (parts){0};
    for (uint32_t frame = 0; frame < FRAMES_MOST && (frame < FRAMES_LEAST || used_us() < over); frame++) {
        double spent[3] = {0};
        steer(crowd, frame);
        for (uint32_t bank = 0; bank * GALI_BANK < count;) {
            bank = step_run(crowd, bank, spent);
        }
        double start = used_us();
        gal_crowd_step(crowd);
        series_add(&p->frame, (used_us() - start) / count);
        series_add(&p->before, spent[0] / count);
        series_add(&p->network, spent[1] / count);
        series_add(&p->after, spent[2] / count);
    }
    gal_crowd_destroy(crowd);
}

static void free_parts(parts *p) {
    series_free(&p->before);
    series_free(&p->network);
    series_free(&p->after);
    series_free(&p->frame);
}

/* Characters whose frame takes 2 ms, by bisection over multiples of eight. */
static uint32_t fit_2_ms(const gal_controller *controller, double seconds) {
    uint32_t fits = 8, too_many = 4096;
    while (too_many - fits > 8) {
        uint32_t count = (fits + too_many) / 16 * 8;
        parts p;
        measure(controller, count, seconds / 8, &p);
        *(series_median(&p.frame) * count <= 2000 ? &fits : &too_many) = count;
        free_parts(&p);
    }
    return fits;
}

int main(int argc, char **argv) {
    const char *model = argc > 1 ? argv[1] : "models/walker.gallop";
    const double seconds = argc > 2 ? atof(argv[2]) : 1;
    char processor[128];
    clock_pin(-1);
    clock_processor(processor, sizeof processor);
    printf("%s, %s; us a character\n%-9s %10s %8s %8s %8s %8s %8s\n", processor, model, "precision",
           "characters", "before", "network", "after", "motion", "frame");
    for (size_t k = 0; k < sizeof precisions / sizeof *precisions; k++) {
        const gal_network_desc desc = {.precision = precisions[k].precision};
        gal_controller *controller;
        gal_error error = {0};
        if (gal_controller_open(&controller, model, &desc, &error) != GAL_OK) {
            fprintf(stderr, "bench_frame: %s\n", error.message);
            return 1;
        }
        for (size_t c = 0; c < COUNTS; c++) {
            parts p;
            measure(controller, counts[c], seconds, &p);
            double before = series_median(&p.before), network = series_median(&p.network),
                   after = series_median(&p.after);
            printf("%-9s %10u %8.2f %8.2f %8.2f %8.2f %8.2f\n", precisions[k].name, counts[c], before, network,
                   after, before + after, series_median(&p.frame));
            free_parts(&p);
        }
        printf("%-9s %10u in 2 ms\n", precisions[k].name, fit_2_ms(controller, seconds));
        gal_controller_close(controller);
    }
    return 0;
}
