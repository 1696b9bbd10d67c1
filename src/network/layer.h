/*
 * Kinds of layers: what sets one apart from another, one struct a kind, one file each in layers/. Made from the list
 * in layers.def.
 *
 * A kind has panels, as dense has, and is run by the kernels; or it has a function that makes one character's row.
 * Such a function is plain C over whole rows in a fixed order, so that its bits are the same everywhere, or a kernel
 * where activations stand in its middle.
 *
 * Compiled networks have a kind as operators of the graph (src/compiler/pass/import.c), in the same order of operations;
 * where its sums are in parts, as layer_norm's, they get its function out of the text of layers/<name>.c
 * (src/compiler/emit/vocabulary.h). All that such a function uses is named gali_, as it is.
 */
#ifndef GALI_NETWORK_LAYER_H
#define GALI_NETWORK_LAYER_H

#include "network/model.h"

/* A layer of the second sort, ready to run. */
typedef struct gali_row_layer {
    const gali_kernels *kernels;
    const float *weights; /* [N][columns], then the biases [N] */
    uint32_t inputs, outputs;
    float epsilon;
} gali_row_layer;

typedef struct gali_layer_ops {
    const char *name;
    const char *sizes;                              /* what fits() asks of K, for messages */
    int (*fits)(uint32_t inputs, uint32_t outputs); /* whether K goes with N */
    uint32_t (*columns)(uint32_t inputs);           /* weights of an output; NULL: none */
    void (*run)(const gali_row_layer *layer, const float *x,
                float *y); /* before the activation; NULL: panels */
    void (*truth)(const gali_model_layer *layer, const double *blend, const double *x,
                  double *y); /* in float64 */
} gali_layer_ops;

#define LAYER(id, name, formula) extern const gali_layer_ops gali_layer_##name;
#include "network/layers.def"
#undef LAYER

const gali_layer_ops *gali_layer_ops_of(gali_layer_kind kind);

/* Whether the kind is run by panels: it has experts and a plan. */
int gali_layer_has_panels(gali_layer_kind kind);

/* Weights of an output; 0: neither weights nor biases. */
uint32_t gali_layer_columns(gali_layer_kind kind, uint32_t inputs);

/* A list of layers, of the network or of its gate. */
typedef struct gali_layer_list {
    const char *tag; /* of its section, for messages */
    const gali_model_layer *layers;
    uint32_t count;
    uint32_t width;   /* elements of value 0 */
    uint32_t experts; /* that a dense layer may have, but 1 */
    uint64_t apart; /* bit i: layer i reads value 0 normalised, though its weights could take that (wiring.h) */
} gali_layer_list;

/* A model's own layers and its gating network's, under their sections' names. */
gali_layer_list gali_layer_list_main(const gali_model *model);
gali_layer_list gali_layer_list_gate(const gali_gating *gating);

/*
 * Whether layer i is as docs/format.md says, the layers before it being so; its weights and biases are not looked at,
 * its sources are there. at: offset of its header in the section, for messages. GAL_BAD_DATA. error may be NULL.
 */
gal_status gali_layer_check(const gali_layer_list *list, uint32_t i, size_t at, gal_error *error);

/* Whether every layer but the last is read by another. */
gal_status gali_layer_check_read(const gali_layer_list *list, gal_error *error);

/* Elements of a value of the list. */
uint32_t gali_layer_value_width(const gali_layer_list *list, uint32_t value);

/* Sources of layer `index`, and the i-th: those it names, or the one value before it. */
uint32_t gali_layer_source_count(const gali_model_layer *layer);
gali_source gali_layer_source(const gali_layer_list *list, uint32_t index, uint32_t i);

/* Whether layer `index` has a source of this value. */
int gali_layer_reads(const gali_layer_list *list, uint32_t index, uint32_t value);

#endif
