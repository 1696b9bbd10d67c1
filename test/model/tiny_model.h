/* A model of a few hundred bytes with every section, weight type and input state. */
#ifndef GALLOP_TEST_TINY_MODEL_H
#define GALLOP_TEST_TINY_MODEL_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "network/model_layout.h"

enum { TINY_EXPERTS = 4, TINY_INPUTS = 3, TINY_OUTPUTS = 2, TINY_FRAMES = 2 };

/* What the tiny model points into. float32 are little-endian here: the tests run where the writer does. */
typedef struct tiny {
    float weights0[4 * 3 * 3], biases0[4 * 3]; /* E 4, K 3, N 3 */
    uint16_t weights1[3];                      /* bfloat16; E 1, K 3, N 1: 6 bytes and 2 of padding */
    float biases1[1];
    uint16_t weights2[4 * 2]; /* float16; E 4, K 1, N 2 */
    float biases2[4 * 2];
    float input_mean[3], input_std[3], output_mean[2], output_std[2], input_constant[3];
    uint32_t input_state[3];
    float x[2 * 3], blend[2 * 1], y[2 * 2];
    uint32_t features[2];      /* of the gating network */
    uint16_t gate_weights0[2]; /* float16; K 2, N 1; the second is 0, as padding would be */
    float gate_biases0[1], gate_weights1[4], gate_biases1[4]; /* K 1, N 4 */
    gali_model model;
} tiny;

static const char tiny_contract[] =
    "gallop-contract 1\nname tiny\nrate 60\nunit 1\ninput opaque x 3\noutput opaque y 2\n";
static const char tiny_provenance[] = "model: tiny\nlicence: none\n\nA licence's text.\n";

static inline void tiny_fill(float *values, size_t count, float first) {
    for (size_t i = 0; i < count; i++) {
        values[i] = first + (float)i * 0.25f;
    }
}

static inline gali_model_layer tiny_layer(gali_activation activation, uint32_t experts, uint32_t inputs,
                                          uint32_t outputs, gali_weight_type type, const void *weights,
                                          const void *biases) {
    return (gali_model_layer){.activation = activation,
                              .experts = experts,
                              .inputs = inputs,
                              .outputs = outputs,
                              .weight_type = type,
                              .weights = weights,
                              .biases = biases};
}

static inline void tiny_make(tiny *t) {
    memset(t, 0, sizeof *t);
    tiny_fill(t->weights0, 36, -4);
    tiny_fill(t->biases0, 12, 1);
    tiny_fill(t->biases1, 1, 2);
    tiny_fill(t->biases2, 7, 3); /* the last is 0 */
    for (uint16_t i = 0; i < 3; i++) {
        t->weights1[i] = (uint16_t)(0x3F80 + i);
    }
    for (uint16_t i = 0; i < 8; i++) {
        t->weights2[i] = (uint16_t)(0x3C00 + i);
    }
    tiny_fill(t->input_mean, 3, 0);
    tiny_fill(t->input_std, 3, 1);
    tiny_fill(t->output_mean, 2, 0);
    tiny_fill(t->output_std, 2, 1);
    t->input_state[0] = GALI_INPUT_MASKED;
    t->input_state[1] = GALI_INPUT_CONSTANT;
    t->input_constant[1] = 7;
    tiny_fill(t->x, 6, 1);
    tiny_fill(t->blend, 2, 0.5f);
    tiny_fill(t->y, 3, 1); /* the last is 0 */
    gali_model *m = &t->model;
    *m = (gali_model){.gate = GAL_GATE_CUBIC, .experts = 4, .layer_count = 3, .inputs = 3, .outputs = 2};
    m->layers[0] = tiny_layer(GALI_ACTIVATION_ELU, 4, 3, 3, GALI_WEIGHT_F32, t->weights0, t->biases0);
    m->layers[1] = tiny_layer(GALI_ACTIVATION_RELU, 1, 3, 1, GALI_WEIGHT_BF16, t->weights1, t->biases1);
    m->layers[2] = tiny_layer(GALI_ACTIVATION_NONE, 4, 1, 2, GALI_WEIGHT_F16, t->weights2, t->biases2);
    m->input_mean = t->input_mean;
    m->input_std = t->input_std;
    m->output_mean = t->output_mean;
    m->output_std = t->output_std;
    m->input_state = t->input_state;
    m->input_constant = t->input_constant;
    m->golden = (gali_golden){2, 1, 1e-5f, t->x, t->blend, t->y};
    m->contract = tiny_contract;
    m->contract_size = sizeof tiny_contract - 1;
    m->provenance = tiny_provenance;
    m->provenance_size = sizeof tiny_provenance - 1;
}

/* The tiny model with a gating network and plain layers, which go with any number of experts. */
static inline void tiny_gate(tiny *t) {
    gali_model *m = &t->model;
    t->features[0] = 2;
    t->gate_weights0[0] = 0x3C00;
    tiny_fill(t->gate_biases0, 1, 1);
    tiny_fill(t->gate_weights1, 4, -1);
    tiny_fill(t->gate_biases1, 4, 1);
    m->gate = GAL_GATE_NETWORK;
    m->gating = (gali_gating){.top = 2, .input_count = 2, .features = t->features, .layer_count = 2};
    m->gating.layers[0] =
        tiny_layer(GALI_ACTIVATION_ELU, 1, 2, 1, GALI_WEIGHT_F16, t->gate_weights0, t->gate_biases0);
    m->gating.layers[1] =
        tiny_layer(GALI_ACTIVATION_NONE, 1, 1, 4, GALI_WEIGHT_F32, t->gate_weights1, t->gate_biases1);
    m->layers[0].experts = m->layers[2].experts = 1;
}

/*
 * The tiny model with layers that are no chain: leaky dense 3 -> 2 | norm of it | film of x, norm, dense -> 2 | concat
 * of film and norm -> 2 | the dense layer again, 1 -> 2, with slope and sources.
 */
static inline void tiny_graph(tiny *t) {
    static const uint32_t film[3][3] = {{0, 1, 2}, {2, 0, 2}, {1, 0, 2}}, concat[2][3] = {{3, 1, 1}, {2, 0, 1}},
                          last[1][3] = {{4, 1, 1}};
    gali_model *m = &t->model;
    gali_model_layer *l = m->layers;
    l[0].outputs = 2;
    l[0].activation = GALI_ACTIVATION_LEAKY_RELU;
    l[0].slope = 0.25f;
    l[4] = l[2];
    l[4].source_count = 1;
    l[4].sources = last;
    l[1] = (gali_model_layer){.kind = GALI_LAYER_LAYER_NORM,
                              .experts = 1,
                              .inputs = 2,
                              .outputs = 2,
                              .weight_type = GALI_WEIGHT_BF16,
                              .weights = t->weights1,
                              .biases = t->biases2,
                              .epsilon = 1e-5f};
    l[2] = (gali_model_layer){.kind = GALI_LAYER_FILM,
                              .activation = GALI_ACTIVATION_TANH,
                              .experts = 1,
                              .inputs = 6,
                              .outputs = 2,
                              .source_count = 3,
                              .sources = film};
    l[3] = (gali_model_layer){.kind = GALI_LAYER_CONCAT,
                              .activation = GALI_ACTIVATION_SOFTMAX,
                              .experts = 1,
                              .inputs = 2,
                              .outputs = 2,
                              .source_count = 2,
                              .sources = concat};
    m->layer_count = 5;
}

/* A file image of exactly its size, from malloc, so that a sanitizer sees reads past it. */
typedef struct image {
    unsigned char *bytes;
    size_t size;
} image;

static inline image image_of(const gali_model *model) {
    image file = {NULL, gali_model_write_size(model)};
    file.bytes = malloc(file.size);
    gali_model_write(model, file.bytes);
    return file;
}

static inline image image_tiny(void) {
    tiny t;
    tiny_make(&t);
    return image_of(&t.model);
}

static inline image image_resized(image file, size_t size) {
    image made = {malloc(size ? size : 1), size};
    memset(made.bytes, 0, size);
    memcpy(made.bytes, file.bytes, size < file.size ? size : file.size);
    free(file.bytes);
    return made;
}

static inline void image_put(image file, size_t offset, uint64_t value, size_t width) {
    for (size_t i = 0; i < width; i++) {
        file.bytes[offset + i] = (unsigned char)(value >> (8 * i));
    }
}

static inline uint64_t image_get(image file, size_t offset, size_t width) {
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++) {
        value |= (uint64_t)file.bytes[offset + i] << (8 * i);
    }
    return value;
}

/* Offset of the table entry of a section; 0 if there is none. */
static inline size_t image_entry(image file, const char *tag) {
    size_t count = (size_t)image_get(file, 12, 4);
    for (size_t i = 0; i < count; i++) {
        if (memcmp(file.bytes + 32 + 32 * i, tag, 4) == 0) {
            return 32 + 32 * i;
        }
    }
    return 0;
}

static inline size_t image_section(image file, const char *tag) {
    return (size_t)image_get(file, image_entry(file, tag) + 8, 8);
}

uint32_t gali_crc32(const void *data, size_t size);

/* Makes every checksum that can be made fit what is there now. */
static inline void image_seal(image file) {
    size_t count = file.size < 32 ? 0 : (size_t)image_get(file, 12, 4);
    if (count > 16 || 32 + 32 * count > file.size) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        size_t entry = 32 + 32 * i;
        uint64_t offset = image_get(file, entry + 8, 8), size = image_get(file, entry + 16, 8);
        if (offset <= file.size && size <= file.size - offset) {
            image_put(file, entry + 4, gali_crc32(file.bytes + offset, (size_t)size), 4);
        }
    }
    image_put(file, 24, gali_crc32(file.bytes + 32, 32 * count), 4);
}

/* Gives a section another size; bytes cut off become 0. The last section can also grow, with 'a's. */
static inline image image_resize_section(image file, const char *tag, size_t size) {
    size_t entry = image_entry(file, tag), offset = image_section(file, tag);
    size_t old = (size_t)image_get(file, entry + 16, 8);
    if (size < old) {
        memset(file.bytes + offset + size, 0, old - size);
    } else {
        file = image_resized(file, offset + size);
        memset(file.bytes + offset + old, 'a', size - old);
        image_put(file, 16, file.size, 8);
    }
    image_put(file, entry + 16, size, 8);
    return file;
}

#endif
