/*
 * Synthetic models for tests: random networks of any shape, written through the real writer.
 * The random numbers are our own, so a seed gives the same model on every machine.
 */
#ifndef TEST_SYNTHETIC_H
#define TEST_SYNTHETIC_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "network/model.h"

/* SplitMix64 (Steele et al. 2014). */
static inline uint64_t synthetic_bits(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Uniform in [-1, 1), exact in float32. */
static inline float synthetic_uniform(uint64_t *state) {
    return (float)((double)(synthetic_bits(state) >> 40) / 8388608.0 - 1.0);
}

typedef struct synthetic_desc {
    gal_gate_kind gate;
    uint32_t experts;
    uint32_t layers;
    uint32_t width[9]; /* inputs, then each layer's outputs */
    gali_activation activation[8];
    int plain[8];      /* the layer has one expert */
    uint32_t masked;   /* every masked-th input is masked; 0: none */
    uint32_t constant; /* every constant-th input (of the rest) is constant; 0: none */
    uint32_t top;      /* of a gating network */
    int normalised;    /* means and deviations that are not 0 and 1 */
    float far;         /* every third mean is so many deviations away from where it would be */
    uint64_t seed;
} synthetic_desc;

/* A built model and the arrays it points to. */
typedef struct synthetic {
    gali_model model;
    void *arrays[96];
    uint32_t array_count;
} synthetic;

static inline float *synthetic_array(synthetic *s, size_t count, uint64_t *state, float scale, float shift) {
    float *array = malloc((count ? count : 1) * sizeof *array);
    for (size_t i = 0; i < count; i++) {
        array[i] = shift + scale * synthetic_uniform(state);
    }
    s->arrays[s->array_count++] = array;
    return array;
}

static inline void synthetic_states(synthetic *s, const synthetic_desc *desc) {
    uint32_t inputs = desc->width[0];
    uint32_t *states = calloc(inputs, sizeof *states);
    for (uint32_t i = 0; i < inputs; i++) {
        if (desc->masked && i % desc->masked == 1) {
            states[i] = GALI_INPUT_MASKED;
        } else if (desc->constant && i % desc->constant == 2) {
            states[i] = GALI_INPUT_CONSTANT;
        }
    }
    float *constants = (float *)(void *)(uintptr_t)s->model.input_constant;
    for (uint32_t i = 0; i < inputs; i++) {
        constants[i] = states[i] == GALI_INPUT_CONSTANT ? constants[i] : 0;
    }
    s->model.input_state = states;
    s->arrays[s->array_count++] = states;
}

static inline void synthetic_layer(synthetic *s, const synthetic_desc *desc, uint32_t i, uint64_t *state) {
    uint32_t inputs = desc->width[i], outputs = desc->width[i + 1];
    uint32_t experts = desc->plain[i] ? 1 : desc->experts;
    float scale = 1.5f / (float)(1 + inputs / 8);
    s->model.layers[i] = (gali_model_layer){
        .activation = desc->activation[i],
        .experts = experts,
        .inputs = inputs,
        .outputs = outputs,
        .weights = synthetic_array(s, (size_t)experts * outputs * inputs, state, scale, 0),
        .biases = synthetic_array(s, (size_t)experts * outputs, state, 0.2f, 0),
    };
}

/* A gating network over every second feature, from the last back, with one hidden layer of 21. */
static inline void synthetic_gating(synthetic *s, const synthetic_desc *desc, uint64_t *state) {
    gali_gating *gating = &s->model.gating;
    uint32_t count = (desc->width[0] + 1) / 2, hidden = 21;
    uint32_t *features = malloc(count * sizeof *features);
    for (uint32_t i = 0; i < count; i++) {
        features[i] = desc->width[0] - 1 - 2 * i;
    }
    s->arrays[s->array_count++] = features;
    gating->top = desc->top;
    gating->input_count = count;
    gating->features = features;
    gating->layer_count = 2;
    gating->layers[0] = (gali_model_layer){
        .activation = GALI_ACTIVATION_ELU,
        .experts = 1,
        .inputs = count,
        .outputs = hidden,
        .weights = synthetic_array(s, (size_t)hidden * count, state, 0.5f, 0),
        .biases = synthetic_array(s, hidden, state, 0.2f, 0),
    };
    gating->layers[1] = (gali_model_layer){
        .experts = 1,
        .inputs = hidden,
        .outputs = desc->experts,
        .weights = synthetic_array(s, (size_t)hidden * desc->experts, state, 0.8f, 0),
        .biases = synthetic_array(s, desc->experts, state, 0.2f, 0),
    };
}

static inline synthetic synthetic_make(const synthetic_desc *desc) {
    synthetic s = {0};
    uint64_t state = desc->seed;
    float spread = desc->normalised ? 1.0f : 0.0f;
    uint32_t inputs = desc->width[0], outputs = desc->width[desc->layers];
    s.model.gate = desc->gate;
    s.model.experts = desc->experts;
    s.model.layer_count = desc->layers;
    s.model.inputs = inputs;
    s.model.outputs = outputs;
    s.model.input_mean = synthetic_array(&s, inputs, &state, spread, 0);
    s.model.input_std = synthetic_array(&s, inputs, &state, 0.5f * spread, 1);
    s.model.input_constant = synthetic_array(&s, inputs, &state, 1, 0);
    s.model.output_mean = synthetic_array(&s, outputs, &state, spread, 0);
    s.model.output_std = synthetic_array(&s, outputs, &state, 0.5f * spread, 1);
    for (uint32_t i = 0; desc->far > 0 && i < inputs; i += 3) {
        float shift = desc->far * ((const float *)s.model.input_std)[i];
        ((float *)(uintptr_t)s.model.input_mean)[i] += shift;
        ((float *)(uintptr_t)s.model.input_constant)[i] += shift;
    }
    synthetic_states(&s, desc);
    if (desc->gate == GAL_GATE_NETWORK) {
        synthetic_gating(&s, desc, &state);
    }
    for (uint32_t i = 0; i < desc->layers; i++) {
        synthetic_layer(&s, desc, i, &state);
    }
    return s;
}

static inline void synthetic_free(synthetic *s) {
    for (uint32_t i = 0; i < s->array_count; i++) {
        free(s->arrays[i]);
    }
}

/* The model as a file image, freed by the caller. */
static inline unsigned char *synthetic_bytes(const synthetic *s, size_t *size) {
    *size = gali_model_write_size(&s->model);
    unsigned char *bytes = malloc(*size);
    gali_model_write(&s->model, bytes);
    return bytes;
}

/* An open network of the model, or the end of the test program. */
static inline gal_network *synthetic_open_desc(const synthetic *s, gal_network_desc desc) {
    size_t size;
    unsigned char *bytes = synthetic_bytes(s, &size);
    gal_network *network;
    gal_error error = {0};
    if (gal_network_open_memory(&network, bytes, size, &desc, &error) != GAL_OK) {
        fprintf(stderr, "synthetic model does not open: %s\n", error.message);
        exit(1);
    }
    free(bytes);
    return network;
}

static inline gal_network *synthetic_open(const synthetic *s, gal_isa isa) {
    return synthetic_open_desc(s, (gal_network_desc){.isa = isa});
}

/* Runs count characters with a workspace made for the call; gate is phases or blends. */
static inline gal_status synthetic_run(const gal_network *network, uint32_t count, const float *x,
                                       const float *gate, float *y, const gal_parallel *parallel) {
    size_t size = gal_network_workspace_size(network, count);
    size_t whole = (size + 63) & ~(size_t)63;
    void *workspace = gali_allocate(NULL, whole);
    memset(workspace, 0xff, whole); /* stale NaNs: nothing may be read before it is written */
    gal_gate_kind kind = gal_network_get_info(network).gate;
    gal_network_batch batch = {.count = count, .x = x, .y = y, .parallel = parallel};
    batch.phase = kind == GAL_GATE_CALLER || kind == GAL_GATE_NETWORK ? NULL : gate;
    batch.blend = kind == GAL_GATE_CALLER ? gate : NULL;
    gal_status status = gal_network_run(network, &batch, workspace, size, NULL);
    gali_release(NULL, workspace, whole);
    return status;
}

#endif
