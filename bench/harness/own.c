/*
 * Live inputs come first in the bench's network and masked ones are put in front of them (see ours.c): the
 * order of inputs changes no time either.
 */
#include "own.h"

#include "network/model.h"

#include <stdio.h>
#include <stdlib.h>

static void *read_all(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    const long length = ftell(file);
    rewind(file);
    void *bytes = bench_alloc(length > 0 ? (size_t)length : 1);
    *size = fread(bytes, 1, length > 0 ? (size_t)length : 0, file);
    fclose(file);
    return bytes;
}

/* Copies a layer's weights, of the first layer the live columns alone. Returns the columns kept. */
static uint32_t copy_weights(const gali_model *model, uint32_t i, float *to) {
    const gali_model_layer *l = &model->layers[i];
    const size_t rows = (size_t)l->experts * l->outputs;
    uint32_t kept = 0;
    for (size_t r = 0; r < rows; r++) {
        kept = 0;
        for (uint32_t k = 0; k < l->inputs; k++) {
            if (i > 0 || gali_model_u32(model->input_state, k) == GALI_INPUT_LIVE) {
                *to++ = gali_model_weight(l, r * l->inputs + k);
                kept++;
            }
        }
    }
    return kept;
}

static void copy_layer(const gali_model *model, uint32_t i, bench_layer *out, float **weights, float **biases) {
    const gali_model_layer *l = &model->layers[i];
    const size_t rows = (size_t)l->experts * l->outputs;
    *weights = bench_alloc(sizeof(float) * rows * l->inputs);
    *biases = bench_alloc(sizeof(float) * rows);
    for (size_t r = 0; r < rows; r++) {
        (*biases)[r] = gali_model_f32(l->biases, r);
    }
    *out = (bench_layer){.experts = l->experts,
                         .inputs = copy_weights(model, i, *weights),
                         .outputs = l->outputs,
                         .elu = l->activation == GALI_ACTIVATION_ELU,
                         .weights = *weights,
                         .biases = *biases};
}

/* A chain of blended dense layers, linear or with ELU. */
static int usable(const gali_model *model) {
    int fits = model->layer_count <= BENCH_LAYERS_MAX && model->experts <= BENCH_EXPERTS_MAX;
    for (uint32_t i = 0; fits && i < model->layer_count; i++) {
        const gali_model_layer *l = &model->layers[i];
        fits = l->kind == GALI_LAYER_DENSE && l->source_count == 0 && l->experts == model->experts &&
               (l->activation == GALI_ACTIVATION_NONE || l->activation == GALI_ACTIVATION_ELU);
    }
    return fits;
}

int own_load(const char *name, bench_network *network, float **weights, float **biases) {
    const char *named = getenv("GALLOP_BENCH_MODEL");
    char usual[64];
    gali_model *model = bench_alloc(sizeof *model);
    size_t size = 0;
    snprintf(usual, sizeof usual, "models/%s.gallop", name);
    void *bytes = read_all(named ? named : usual, &size);
    const int good = bytes && gali_model_read(model, bytes, size, NULL) == GAL_OK && usable(model);
    if (good) {
        *network = (bench_network){.layer_count = model->layer_count, .experts = model->experts};
        network->caller = model->gate != GAL_GATE_CUBIC;
        for (uint32_t i = 0; i < model->layer_count; i++) {
            copy_layer(model, i, &network->layers[i], &weights[i], &biases[i]);
        }
        network->masked = model->inputs - network->layers[0].inputs;
    }
    bench_free(bytes);
    bench_free(model);
    return good;
}
