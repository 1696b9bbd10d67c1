/*
 * Random networks of every kind of layer: each layer reads random slices of earlier values, each value is read. A seed
 * gives the same network on every machine.
 */
#ifndef GALLOP_TEST_GRAPH_H
#define GALLOP_TEST_GRAPH_H

#include "network/layer.h"
#include "sparse.h"

enum {
    GRAPH_LAYERS_MAX = 8,
    GRAPH_KINDS = GALI_LAYER_CONCAT + 1, /* that are chosen at random; a sparse layer is asked for */
};

typedef struct graph_desc {
    gal_gate_kind gate;
    uint32_t experts, inputs, layers; /* layers: 1..GRAPH_LAYERS_MAX */
    int kind, activation;             /* of the last layer; -1: random */
    uint64_t seed;
} graph_desc;

typedef struct graph {
    synthetic s;
    uint32_t sources[GRAPH_LAYERS_MAX + 2][GALI_SOURCES_MAX][3];
    uint64_t random;
} graph;

static const uint32_t graph_widths[] = {1, 2, 3, 5, 7, 11, 13, 16, 17, 19, 23, 31, 32, 33, 61, 64, 67};

static inline uint32_t graph_choose(graph *g, uint32_t count) {
    return (uint32_t)(synthetic_bits(&g->random) % count);
}

static inline uint32_t graph_width(graph *g) {
    return graph_widths[graph_choose(g, sizeof graph_widths / sizeof *graph_widths)];
}

/* Inputs of a kind with N outputs: as few as it can have; two more parts, now and then, where it takes any number. */
static inline uint32_t graph_inputs(graph *g, gali_layer_kind kind, uint32_t outputs) {
    for (uint32_t parts = 1 + graph_choose(g, 2);; parts++) {
        if (gali_layer_ops_of(kind)->fits(parts * outputs, outputs)) {
            return parts * outputs;
        }
        parts = parts > 7 ? 0 : parts;
    }
}

/* Sources of layer i: every value in `unread`, then random slices until there are K elements; 0: too many. */
static inline uint32_t graph_join(graph *g, const gali_layer_list *list, uint32_t i, uint64_t unread,
                                  uint32_t inputs) {
    uint32_t(*sources)[3] = g->sources[i], left = inputs, count = 0;
    for (uint32_t v = 1; v <= i; v++) {
        if (unread >> v & 1 && left > 0) {
            uint32_t width = gali_layer_value_width(list, v), most = width < left ? width : left;
            uint32_t size = 1 + graph_choose(g, most), first = graph_choose(g, width - size + 1);
            memcpy(sources[count++], (uint32_t[]){v, first, size}, sizeof *sources);
            left -= size;
            unread &= ~((uint64_t)1 << v);
        }
    }
    while (left > 0 && count < GALI_SOURCES_MAX) {
        uint32_t v = graph_choose(g, i + 1), width = gali_layer_value_width(list, v);
        uint32_t size = width < left ? width : left, first = graph_choose(g, width - size + 1);
        memcpy(sources[count++], (uint32_t[]){v, first, size}, sizeof *sources);
        left -= size;
    }
    return left == 0 && unread == 0 ? count : 0;
}

static inline void graph_weights(graph *g, gali_model_layer *layer) {
    size_t rows = (size_t)layer->experts * layer->outputs,
           columns = gali_layer_columns(layer->kind, layer->inputs);
    if (columns) {
        float scale = layer->kind == GALI_LAYER_DENSE ? 1.5f / (float)(1 + layer->inputs / 8) : 0.5f;
        float shift = layer->kind == GALI_LAYER_DENSE ? 0.0f : 1.0f;
        layer->weights = synthetic_array(&g->s, rows * columns, &g->random, scale, shift);
        layer->biases = synthetic_array(&g->s, rows, &g->random, 0.2f, 0);
    }
}

/* Values that no layer reads. */
static inline uint64_t graph_unread(const gali_layer_list *list) {
    uint64_t unread = 0;
    for (uint32_t v = 1; v <= list->count; v++) {
        int read = 0;
        for (uint32_t i = v; i < list->count; i++) {
            read |= gali_layer_reads(list, i, v);
        }
        unread |= (uint64_t)!read << v;
    }
    return unread;
}

/* Adds layer list->count; outputs 0: random. The last one reads all that is unread. */
static inline void graph_layer(graph *g, gali_layer_list *list, gali_model_layer *layers, uint32_t outputs,
                               int kind, int activation, int last) {
    uint32_t i = list->count;
    int chain = kind < 0 && graph_choose(g, 4) == 0;
    uint64_t unread = last ? graph_unread(list) : 0;
    gali_model_layer *layer = &layers[i];
    do { /* until the slices suffice */
        *layer = (gali_model_layer){
            .kind = (gali_layer_kind)(kind < 0 ? graph_choose(g, GRAPH_KINDS) : (uint32_t)kind),
            .activation = (gali_activation)(activation < 0 ? graph_choose(g, GALI_ACTIVATION_COUNT)
                                                           : (uint32_t)activation),
            .outputs = outputs ? outputs : graph_width(g),
        };
        layer->inputs = layer->kind == GALI_LAYER_DENSE && chain ? gali_layer_value_width(list, i)
                                                                 : graph_inputs(g, layer->kind, layer->outputs);
        layer->source_count = graph_join(g, list, i, unread, layer->inputs);
        if (layer->kind == GALI_LAYER_DENSE && chain && !(unread & ~((uint64_t)1 << i))) {
            layer->source_count = 0; /* the value before, whole */
            break;
        }
    } while (layer->source_count == 0);
    layer->sources = g->sources[i];
    layer->experts = gali_layer_has_panels(layer->kind) && graph_choose(g, 4) ? list->experts : 1;
    layer->slope = layer->activation == GALI_ACTIVATION_LEAKY_RELU ? synthetic_uniform(&g->random) : 0;
    layer->epsilon = layer->kind == GALI_LAYER_LAYER_NORM ? (layer->outputs < 16 ? 0.1f : 1e-5f) : 0;
    if (layer->kind == GALI_LAYER_SPARSE) {
        layer->kind = GALI_LAYER_DENSE;
        graph_weights(g, layer);
        sparse_make(&g->s, layer, 128, &g->random);
    } else {
        graph_weights(g, layer);
    }
    list->count++;
}

/* The features backwards, two layers that read each other's values, a last one with an output per expert. */
static inline void graph_gating(graph *g, gali_gating *gating, uint32_t inputs, uint32_t experts) {
    uint32_t *features = malloc(inputs * sizeof *features);
    for (uint32_t i = 0; i < inputs; i++) {
        features[i] = inputs - 1 - i;
    }
    g->s.arrays[g->s.array_count++] = features;
    *gating = (gali_gating){.top = graph_choose(g, experts + 1), .input_count = inputs, .features = features};
    gali_layer_list list = {"gate", gating->layers, 0, inputs, 1, 0};
    graph_layer(g, &list, gating->layers, 0, -1, -1, 0);
    graph_layer(g, &list, gating->layers, 0, GALI_LAYER_GRU, -1, 1);
    graph_layer(g, &list, gating->layers, experts, GALI_LAYER_DENSE, GALI_ACTIVATION_NONE, 1);
    gating->layer_count = list.count;
    for (uint32_t i = 0; i < list.count; i++) { /* the network's own sources take the graph's place */
        size_t size = sizeof g->sources[i];
        uint32_t *copy = malloc(size);
        memcpy(copy, g->sources[i], size);
        g->s.arrays[g->s.array_count++] = copy;
        gating->layers[i].sources = copy;
    }
}

static inline graph *graph_make(const graph_desc *desc) {
    graph *g = calloc(1, sizeof *g);
    g->random = desc->seed;
    const synthetic_desc plain = {.gate = GAL_GATE_CALLER,
                                  .experts = desc->experts,
                                  .layers = 1,
                                  .width = {desc->inputs, 1},
                                  .masked = 5,
                                  .constant = 7,
                                  .normalised = 1,
                                  .seed = desc->seed};
    g->s = synthetic_make(&plain); /* for its normalisation */
    gali_model *m = &g->s.model;
    m->gate = desc->gate;
    if (desc->gate == GAL_GATE_NETWORK) {
        graph_gating(g, &m->gating, desc->inputs, desc->experts);
    }
    gali_layer_list list = {"network", m->layers, 0, desc->inputs, desc->experts, 0};
    for (uint32_t i = 0; i < desc->layers; i++) {
        int last = i + 1 == desc->layers;
        graph_layer(g, &list, m->layers, 0, last ? desc->kind : -1, last ? desc->activation : -1, last);
    }
    m->layer_count = list.count;
    m->outputs = m->layers[list.count - 1].outputs;
    m->output_mean = synthetic_array(&g->s, m->outputs, &g->random, 1, 0);
    m->output_std = synthetic_array(&g->s, m->outputs, &g->random, 0.5f, 1);
    return g;
}

static inline void graph_free(graph *g) {
    synthetic_free(&g->s);
    free(g);
}

#endif
