/*
 * Networks and crowds on a GPU: what products, whole networks and steps take, by the device's clock and by the host's.
 *
 *     bench_gpu DEVICE            the paper's network, by rules
 *     bench_gpu DEVICE log FILE   the same by a log of gallop tune
 *     bench_gpu DEVICE write FILE the same, as a file, for gallop tune
 *     bench_gpu DEVICE tilings [FIRST]   its first layer with every tiling, from that one on, and which of them
 *                                        pruning keeps; others with those
 *     bench_gpu DEVICE tilings ROWS INPUTS OUTPUTS       those that pruning keeps of that product, or with ALL behind it all
 *     bench_gpu DEVICE crowd MODEL COUNT [THREADS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "gallop/gpu.h"
#include "gpu/gpu.h"
#include "gpu/space.h"
#include "harness/pool.h"
#include "harness/quantile.h"
#include "synthetic.h"

enum { REPEATS = 11, LAUNCHES_MAX = 64 };

/* What the H200's probe found (docs/gpu.md). */
static const gali_gpu_facts h200 = {
    .registers = 256, .alus = 128, .cores = 132, .warp = 32, .peak = 63426, .local_rate = 30639};

/* A network of these widths, blended of four experts, with elu but in the last layer. */
static synthetic make_model(uint32_t layers, const uint32_t *widths) {
    synthetic_desc desc = {.gate = GAL_GATE_CUBIC, .experts = 4, .layers = layers, .seed = 1};
    for (uint32_t i = 0; i <= layers; i++) {
        desc.width[i] = widths[i];
        desc.activation[i] = i + 1 < layers ? GALI_ACTIVATION_ELU : GALI_ACTIVATION_NONE;
    }
    return synthetic_make(&desc);
}

static gal_gpu *open_network(uint32_t device, uint32_t capacity, uint32_t layers, const uint32_t *widths,
                             gali_tiling *tiling, const char *log, gal_network **here) {
    synthetic model = make_model(layers, widths);
    size_t size;
    unsigned char *bytes = synthetic_bytes(&model, &size);
    gal_gpu_desc gpu_desc = {.device = device, .capacity = capacity, .log = log};
    gal_gpu *gpu;
    const gali_gpu_choice choice = {.choose = tiling ? gali_gpu_choose_one : NULL, .context = tiling};
    gal_error error = {.status = GAL_OK};
    if (gali_gpu_open(&gpu, bytes, size, &gpu_desc, &choice, &error) != GAL_OK) {
        fprintf(stderr, "%s\n", error.message);
    }
    if (here) {
        *here = synthetic_open(&model, GAL_ISA_BEST);
    }
    free(bytes);
    synthetic_free(&model);
    return gpu;
}

/* Medians of the nanoseconds of each launch. */
static void time_launches(gal_gpu *gpu, uint32_t count, double *nanoseconds) {
    static double all[LAUNCHES_MAX][REPEATS];
    double one[LAUNCHES_MAX];
    gpu->symbols[gpu->symbol] = count;
    gali_gpu_set_sizes(&gpu->run, gpu->symbols);
    for (int r = -2; r < REPEATS; r++) {
        gali_gpu_launch(&gpu->run, one);
        for (uint32_t i = 0; r >= 0 && i < gpu->run.plan.launch_count; i++) {
            all[i][r] = one[i];
        }
    }
    for (uint32_t i = 0; i < gpu->run.plan.launch_count; i++) {
        nanoseconds[i] = median(all[i], REPEATS);
    }
}

/* Microseconds of a run of all launches, of many in a row, without copies: the host's part is hidden where it can be. */
static double time_in_a_row(gal_gpu *gpu, uint32_t count) {
    enum { IN_A_ROW = 20 };
    double times[REPEATS];
    gpu->symbols[gpu->symbol] = count;
    gali_gpu_set_sizes(&gpu->run, gpu->symbols);
    for (int r = -2; r < REPEATS; r++) {
        double start = gali_clock_seconds();
        for (int i = 0; i < IN_A_ROW; i++) {
            gali_gpu_launch(&gpu->run, NULL);
        }
        gali_cl_wait(&gpu->run.cl);
        times[r < 0 ? 0 : r] = 1e6 * (gali_clock_seconds() - start) / IN_A_ROW;
    }
    return median(times, REPEATS);
}

static float *random_floats(size_t count) {
    uint64_t state = 3;
    float *values = malloc(count * sizeof *values);
    for (size_t i = 0; values && i < count; i++) {
        values[i] = synthetic_uniform(&state);
    }
    return values;
}

/* The whole run: from memory to memory, in microseconds; and the worst error against this CPU, of the largest value. */
static double time_run(gal_gpu *gpu, const gal_network *here, uint32_t count, double *error) {
    gal_network_info info = gal_network_get_info(here);
    float *x = random_floats((size_t)count * info.inputs), *phase = random_floats(count);
    float *y = malloc((size_t)count * info.outputs * sizeof *y),
          *truth = malloc((size_t)count * info.outputs * sizeof *y);
    gal_network_batch batch = {.count = count, .x = x, .phase = phase, .y = y};
    double times[REPEATS], most = 0;
    for (int r = -2; r < REPEATS; r++) {
        double start = gali_clock_seconds();
        gal_error why = {.status = GAL_OK};
        if (gal_gpu_run(gpu, &batch, &why) != GAL_OK) {
            fprintf(stderr, "%s\n", why.message);
        }
        times[r < 0 ? 0 : r] = 1e6 * (gali_clock_seconds() - start);
    }
    uint32_t compared = count < 512 ? count : 512;
    synthetic_run(here, compared, x, phase, truth, NULL);
    *error = 0;
    for (size_t i = 0; i < (size_t)compared * info.outputs; i++) {
        most = fmax(most, fabs((double)truth[i]));
        double off = fabs((double)truth[i] - (double)y[i]);
        *error = off > *error || isnan(off) ? off : *error;
    }
    *error /= most;
    free(x);
    free(phase);
    free(y);
    free(truth);
    return median(times, REPEATS);
}

static const uint32_t paper[] = {912, 256, 256, 1032};

static void bench_network(uint32_t device, const char *log) {
    static const uint32_t counts[] = {1, 8, 64, 4096, 65536};
    gal_network *here;
    gal_gpu *gpu = open_network(device, 65536, 3, paper, NULL, log, &here);
    double ns[LAUNCHES_MAX], error;
    for (int c = 0; gpu && c < 5; c++) {
        double sum = 0, multiply_adds = 4.0 * counts[c] * (912 * 256 + 256 * 256 + 256 * 1032);
        time_launches(gpu, counts[c], ns);
        for (uint32_t i = 0; i < gpu->run.plan.launch_count; i++) {
            sum += ns[i];
            if (ns[i] > 0) {
                printf("  %s %.1f us\n", gpu->run.plan.launches[i].name, ns[i] / 1e3);
            }
        }
        double run = time_run(gpu, here, counts[c], &error);
        printf("C %u: kernels %.1f us, %.2f TFLOP/s; in a row %.1f us; memory to memory %.1f us; error %.1e\n",
               counts[c], sum / 1e3, 2 * multiply_adds / sum / 1e3, time_in_a_row(gpu, counts[c]), run, error);
        fflush(stdout);
    }
    gal_gpu_close(gpu);
    gal_network_close(here);
}

static void write_network(const char *path) {
    synthetic model = make_model(3, paper);
    size_t size;
    unsigned char *bytes = synthetic_bytes(&model, &size);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        fprintf(stderr, "%s: not written\n", path);
    }
    free(bytes);
    synthetic_free(&model);
}

static double product_time(gal_gpu *gpu, uint32_t count) {
    double ns[LAUNCHES_MAX], most = 0;
    time_launches(gpu, count, ns);
    for (uint32_t i = 0; i < gpu->run.plan.launch_count; i++) {
        most = ns[i] > most ? ns[i] : most;
    }
    return most;
}

/* A layer of four experts. */
static gali_device_task product_of(uint32_t rows, uint32_t inputs, uint32_t outputs) {
    return (gali_device_task){
        .product = 1, .batches = 1, .rows = rows, .experts = 4, .inputs = inputs, .outputs = outputs};
}

static void bench_tilings(uint32_t device, gali_device_task product, int all, uint32_t first) {
    static gali_tiling list[GALI_TILINGS_MAX];
    const gali_device_limits limits = {.group_most = 1024, .local_bytes = 48 << 10};
    const uint32_t widths[] = {product.inputs, product.outputs};
    static const char *reasons[GALI_TILINGS_MAX];
    uint32_t count = gali_gpu_tilings(&product, &limits, list), kept = 0;
    gali_gpu_prune(&product, &h200, list, count, reasons);
    double best = INFINITY, best_kept = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        const char *why = reasons[i];
        if ((why && !all) || i < first) {
            continue;
        }
        gal_gpu *gpu = open_network(device, product.rows, 1, widths, &list[i], NULL, NULL);
        double ns = gpu ? product_time(gpu, product.rows) : (double)NAN;
        kept += !why;
        best = fmin(best, ns);
        best_kept = why ? best_kept : fmin(best_kept, ns);
        printf("%u -> %u, %u rows: tile %u %u %u, item %u %u, parts %u: %.1f us, %.2f TFLOP/s %s\n",
               product.inputs, product.outputs, product.rows, list[i].rows, list[i].outputs, list[i].depth,
               list[i].row_registers, list[i].output_registers, list[i].parts, ns / 1e3,
               2. * product.experts * product.inputs * product.outputs * product.rows / ns / 1e3,
               why ? why : "kept");
        fflush(stdout);
        gal_gpu_close(gpu);
    }
    printf("space %u -> %u, %u rows: %u tilings, %u kept; best %.1f us, best kept %.1f us\n", product.inputs,
           product.outputs, product.rows, count, kept, best / 1e3, best_kept / 1e3);
}

static void *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        return NULL;
    }
    *size = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(*size);
    *size = bytes ? fread(bytes, 1, *size, file) : 0;
    fclose(file);
    return bytes;
}

enum { CROWD_MOST = 65535, CROWDS_MOST = 16 };

/* Who runs the network: the cores; the device, waited for; the device, from step to step. */
typedef enum place { HERE, WAITED_FOR, PIPELINED } place;

typedef struct model {
    void *bytes;
    size_t size;
    gal_controller *controller;
    uint32_t device;
} model;

/* Characters side by side, in as many crowds as they need, each with an open network of its own. */
typedef struct walkers {
    gal_crowd *crowd[CROWDS_MOST];
    gal_gpu *gpu[CROWDS_MOST];
    void *memory[CROWDS_MOST];
    size_t size[CROWDS_MOST];
    uint32_t count;
} walkers;

/* Its network is opened before anything walks. */
static int add_crowd(walkers *all, const model *m, uint32_t count, gal_parallel *parallel, place where) {
    gal_crowd_desc desc = {.controller = m->controller, .capacity = count, .parallel = parallel};
    const gal_gpu_desc gpu = {.device = m->device, .capacity = count, .pipelined = where == PIPELINED};
    uint32_t at = all->count;
    gal_error error = {.status = GAL_OK};
    if ((where != HERE && gal_gpu_open(&all->gpu[at], m->bytes, m->size, &gpu, &error) != GAL_OK) ||
        gal_crowd_create(&all->crowd[at], &desc, &error) != GAL_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        gal_character who;
        gal_spawn spawn = {
            .x = 200.f * (float)(i % 256), .z = 200.f * (float)(i / 256), .phase = (float)(i % 63) / 10};
        gal_input input = {.move_y = 1, .move_x = (float)(i % 5) / 5, .run = (float)(i % 3) / 2};
        gal_crowd_add(all->crowd[at], &spawn, &who);
        gal_crowd_set_input(all->crowd[at], who, &input);
    }
    size_t size = all->size[at] = gal_crowd_runner_size(all->crowd[at], 0);
    void *memory = all->memory[at] = gali_allocate(NULL, size);
    gal_network_runner runner = all->gpu[at] ? gal_gpu_runner(all->gpu[at]) : (gal_network_runner){0};
    gal_crowd_set_runner(all->crowd[at], 0, &runner, memory, size, NULL);
    all->count++;
    return 1;
}

/* Milliseconds of a step of all, after a second of walking. */
static double time_crowd(const model *m, uint32_t count, gal_parallel *parallel, place where) {
    walkers all = {.count = 0};
    double times[REPEATS];
    uint32_t crowds = (count + CROWD_MOST - 1) / CROWD_MOST, good = 1;
    for (uint32_t i = 0; i < crowds && good; i++) {
        good = (uint32_t)add_crowd(&all, m, count / crowds + (i < count % crowds), parallel, where);
    }
    for (int r = where != HERE ? -20 : -2; r < REPEATS && good; r++) {
        double start = gali_clock_seconds();
        for (uint32_t i = 0; i < all.count; i++) {
            gal_crowd_step(all.crowd[i]);
        }
        times[r < 0 ? 0 : r] = 1e3 * (gali_clock_seconds() - start);
    }
    for (uint32_t i = 0; i < all.count; i++) {
        gal_character_state state = {0};
        gal_crowd_state(all.crowd[i], gal_crowd_at(all.crowd[i], 1), &state);
        printf("  runner status %d, resets %llu, z %.3f\n", (int)gal_crowd_runner_status(all.crowd[i], 0),
               (unsigned long long)gal_crowd_resets(all.crowd[i]), (double)state.root.z);
        gal_crowd_destroy(all.crowd[i]);
        gal_gpu_close(all.gpu[i]);
        gali_release(NULL, all.memory[i], all.size[i]);
    }
    return good ? median(times, REPEATS) : (double)NAN;
}

static void bench_crowd(uint32_t device, const char *path, uint32_t count, uint32_t threads) {
    model m = {.device = device};
    gal_error error = {.status = GAL_OK};
    m.bytes = read_file(path, &m.size);
    if (count > CROWD_MOST * CROWDS_MOST || !m.bytes ||
        gal_controller_open_memory(&m.controller, m.bytes, m.size, NULL, &error) != GAL_OK) {
        fprintf(stderr, "%s: %s\n", path, error.message);
        return;
    }
    gal_parallel parallel = pool_start(threads);
    double waited = time_crowd(&m, count, &parallel, WAITED_FOR),
           ahead = time_crowd(&m, count, &parallel, PIPELINED), own = time_crowd(&m, count, &parallel, HERE);
    printf("%u characters of %s, %u threads: a step takes %.2f ms with the device (%.1f million characters a "
           "second), %.2f ms pipelined (%.1f), %.2f ms without\n",
           count, path, threads, waited, count / waited / 1e3, ahead, count / ahead / 1e3, own);
    pool_stop();
    gal_controller_close(m.controller);
    free(m.bytes);
}

int main(int argc, char **argv) {
    uint32_t device = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    if (argc > 5 && strcmp(argv[2], "tilings") == 0) {
        const gali_device_task product =
            product_of((uint32_t)strtoul(argv[3], NULL, 10), (uint32_t)strtoul(argv[4], NULL, 10),
                       (uint32_t)strtoul(argv[5], NULL, 10));
        bench_tilings(device, product, argc > 6, 0);
    } else if (argc > 2 && strcmp(argv[2], "tilings") == 0) {
        uint32_t first = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
        if (!first) {
            bench_tilings(device, product_of(4096, 256, 1032), 0, 0);
            bench_tilings(device, product_of(65536, 912, 256), 0, 0);
        }
        bench_tilings(device, product_of(4096, 912, 256), 1, first);
    } else if (argc > 4 && strcmp(argv[2], "crowd") == 0) {
        bench_crowd(device, argv[3], (uint32_t)strtoul(argv[4], NULL, 10),
                    argc > 5 ? (uint32_t)strtoul(argv[5], NULL, 10) : 1);
    } else if (argc > 3 && strcmp(argv[2], "write") == 0) {
        write_network(argv[3]);
    } else {
        bench_network(device, argc > 3 && strcmp(argv[2], "log") == 0 ? argv[3] : NULL);
    }
    return 0;
}
