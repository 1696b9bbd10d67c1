/*
 * Weights are normal with variance 2/K, so that activations keep their size through the layers; the truth
 * follows the formula in float64: blend, multiply, add, ELU.
 */
#define _GNU_SOURCE /* M_PI */
#include "problem.h"

#include "own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct shape {
    const char *name;
    uint32_t experts; /* 4: of a phase; else the caller's */
    uint32_t masked, widths[4];
} shape;

static const shape shapes[] = {
    {"paper", 4, 0, {912, 256, 256, 1032}}, {"mirror", 4, 0, {1032, 256, 256, 908}},
    {"holden", 4, 0, {342, 512, 512, 311}}, {"holden-live", 4, 84, {258, 512, 512, 311}},
    {"mann", 8, 0, {468, 512, 512, 363}},
};

/* xorshift64*, seeded alike for every problem. */
enum { RANDOM_SEED = 0x2545F491 };
static uint64_t random_state = RANDOM_SEED;

static double random_unit(void) {
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (double)((random_state * 0x2545F4914F6CDD1Du) >> 11) * 0x1p-53;
}

static float random_normal(void) {
    return (float)(sqrt(-2 * log(1 - random_unit())) * cos(2 * M_PI * random_unit()));
}

static float *random_array(size_t count, double scale) {
    float *array = bench_alloc(sizeof(float) * count);
    for (size_t i = 0; i < count; i++) {
        array[i] = random_normal() * (float)scale;
    }
    return array;
}

static void random_layers(problem *p, const shape *s) {
    const uint32_t experts = s->experts;
    p->network =
        (bench_network){.layer_count = 3, .experts = experts, .masked = s->masked, .caller = experts != 4};
    for (uint32_t i = 0; i < 3; i++) {
        bench_layer *l = &p->network.layers[i];
        *l = (bench_layer){
            .experts = experts, .inputs = s->widths[i], .outputs = s->widths[i + 1], .elu = i < 2};
        p->weights[i] = random_array((size_t)experts * l->inputs * l->outputs, sqrt(2.0 / l->inputs));
        p->biases[i] = random_array((size_t)experts * l->outputs, 0.1);
        l->weights = p->weights[i];
        l->biases = p->biases[i];
    }
}

/* The cubic phase gate of docs/format.md: cyclic Catmull-Rom through E control points. */
static void cubic_blend(double phase, uint32_t experts, float *w) {
    const double u = experts * phase / (2 * M_PI), t = u - floor(u), t2 = t * t, t3 = t2 * t;
    const uint32_t k = (uint32_t)floor(u) % experts;
    const double part[4] = {-t / 2 + t2 - t3 / 2, 1 - 2.5 * t2 + 1.5 * t3, t / 2 + 2 * t2 - 1.5 * t3,
                            -t2 / 2 + t3 / 2};
    memset(w, 0, sizeof(float) * experts);
    for (uint32_t i = 0; i < 4; i++) {
        w[(k + experts - 1 + i) % experts] += (float)part[i];
    }
}

/* Positive coefficients that sum to 1, as a gating network's softmax makes them. */
static void random_blend(uint32_t experts, float *w) {
    float sum = 0;
    for (uint32_t e = 0; e < experts; e++) {
        w[e] = expf(random_normal());
        sum += w[e];
    }
    for (uint32_t e = 0; e < experts; e++) {
        w[e] /= sum;
    }
}

static void random_batch(problem *p) {
    const uint32_t experts = p->network.experts, raw = p->network.masked + p->inputs;
    float *phase = p->network.caller ? NULL : bench_alloc(sizeof(float) * p->capacity);
    float *blend = bench_alloc(sizeof(float) * p->capacity * experts);
    float *x = random_array((size_t)p->capacity * p->inputs, 1);
    float *x_masked = random_array((size_t)p->capacity * raw, 1);
    for (uint32_t c = 0; c < p->capacity; c++) {
        if (phase) {
            phase[c] = (float)(random_unit() * 6.28);
            cubic_blend((double)phase[c], experts, blend + (size_t)c * experts);
        } else {
            random_blend(experts, blend + (size_t)c * experts);
        }
        memcpy(x_masked + (size_t)c * raw + p->network.masked, x + (size_t)c * p->inputs,
               sizeof(float) * p->inputs);
    }
    p->batch =
        (bench_batch){.count = p->capacity, .phase = phase, .blend = blend, .x = x, .x_masked = x_masked};
    p->batch.y = bench_alloc(sizeof(float) * p->capacity * p->outputs);
}

/* y[n] for one character of one layer, in float64. */
static void true_layer(const bench_layer *l, const float *w, const double *x, double *y) {
    for (size_t n = 0; n < l->outputs; n++) {
        double sum = 0;
        for (size_t e = 0; e < l->experts; e++) {
            const float *row = l->weights + (e * l->outputs + n) * l->inputs;
            double dot = (double)l->biases[e * l->outputs + n];
            for (size_t k = 0; k < l->inputs; k++) {
                dot += (double)row[k] * x[k];
            }
            sum += (double)w[e] * dot;
        }
        y[n] = l->elu && sum < 0 ? expm1(sum) : sum;
    }
}

static void make_truth(problem *p) {
    double *rows[2] = {bench_alloc(sizeof(double) * 65536), bench_alloc(sizeof(double) * 65536)};
    p->truth = bench_alloc(sizeof(double) * p->capacity * p->outputs);
    for (size_t c = 0; c < p->capacity; c++) {
        for (size_t k = 0; k < p->inputs; k++) {
            rows[0][k] = (double)p->batch.x[c * p->inputs + k];
        }
        for (uint32_t l = 0; l < p->network.layer_count; l++) {
            true_layer(&p->network.layers[l], p->batch.blend + c * p->network.experts, rows[l % 2],
                       rows[(l + 1) % 2]);
        }
        memcpy(p->truth + c * p->outputs, rows[p->network.layer_count % 2], sizeof(double) * p->outputs);
    }
    bench_free(rows[0]);
    bench_free(rows[1]);
}

/* Keeps layer number i alone. */
static void keep_layer(problem *p, uint32_t i) {
    p->network.layers[0] = p->network.layers[i];
    p->network.layer_count = 1;
    p->network.masked = i == 0 ? p->network.masked : 0;
}

static int make_layers(problem *p, const char *base) {
    if (strcmp(base, "walker") == 0 || strcmp(base, "dog") == 0) {
        return own_load(base, &p->network, p->weights, p->biases) ? 0 : 1;
    }
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (strcmp(shapes[i].name, base) == 0) {
            random_layers(p, &shapes[i]);
            return 0;
        }
    }
    return -1;
}

int problem_make(problem *p, const char *name, uint32_t capacity) {
    char base[64];
    const char *dot = strchr(name, '.');
    const size_t length = dot ? (size_t)(dot - name) : strlen(name);
    *p = (problem){.capacity = capacity};
    random_state = RANDOM_SEED;
    if (length >= sizeof base) {
        return -1;
    }
    memcpy(base, name, length);
    base[length] = 0;
    const int made = make_layers(p, base);
    const long layer = dot ? strtol(dot + 1, NULL, 10) : 0;
    if (made != 0 || layer < 0 || layer > (long)p->network.layer_count || (dot && layer == 0)) {
        return made ? made : -1;
    }
    if (layer) {
        keep_layer(p, (uint32_t)layer - 1);
    }
    p->network.name = name;
    for (uint32_t i = 0; i < p->network.layer_count; i++) {
        const bench_layer *l = &p->network.layers[i];
        p->fma += (double)l->experts * l->inputs * l->outputs;
    }
    p->weight_bytes = p->fma * sizeof(float);
    p->inputs = p->network.layers[0].inputs;
    p->outputs = p->network.layers[p->network.layer_count - 1].outputs;
    random_batch(p);
    make_truth(p);
    return 0;
}

void problem_free(problem *p) {
    for (size_t i = 0; i < BENCH_LAYERS_MAX; i++) {
        bench_free(p->weights[i]);
        bench_free(p->biases[i]);
    }
    free((void *)(uintptr_t)p->batch.phase);
    free((void *)(uintptr_t)p->batch.blend);
    free((void *)(uintptr_t)p->batch.x);
    free((void *)(uintptr_t)p->batch.x_masked);
    bench_free(p->batch.y);
    bench_free(p->truth);
}

bench_batch problem_batch(problem *p, uint32_t count) {
    bench_batch batch = p->batch;
    batch.count = count;
    memset(batch.y, 0xFF, sizeof(float) * count * p->outputs);
    return batch;
}

/* One character's error as problem_error says. */
static double row_error(const float *y, const double *truth, size_t outputs) {
    double square = 0, worst = 0;
    for (size_t n = 0; n < outputs; n++) {
        const double error = fabs((double)y[n] - truth[n]);
        if (!isfinite(error)) {
            return INFINITY;
        }
        worst = error > worst ? error : worst;
        square += truth[n] * truth[n];
    }
    return worst / sqrt(square / (double)outputs);
}

double problem_error(const problem *p, uint32_t count) {
    double worst = 0;
    for (size_t c = 0; c < count; c++) {
        const double error = row_error(p->batch.y + c * p->outputs, p->truth + c * p->outputs, p->outputs);
        worst = error > worst ? error : worst;
    }
    return worst;
}
