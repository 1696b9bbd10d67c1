/*
 * The model file in memory: what docs/format.md describes, checked, with the weights still where the file
 * has them. Networks are packed from it, controllers take its contract, and the writer turns it back into
 * a file.
 *
 * Ownership: a model owns nothing. Read from bytes it points into them (weights, norms, texts), so they must
 * outlive it; built for writing it points into its maker's memory.
 */
#ifndef GALI_NETWORK_MODEL_H
#define GALI_NETWORK_MODEL_H

#include "gallop/network.h"
#include "kernels/kernels.h"

enum {
    GALI_LAYERS_MAX = 64,
    GALI_EXPERTS_MAX = 256,
    GALI_GATING_LAYERS_MAX = 8,
    GALI_WIDTH_MAX = 65536, /* inputs or outputs of a layer */
    GALI_SOURCES_MAX = 16,  /* of a layer */
    GALI_GOLDEN_MAX = 4096,
    GALI_FILE_MAX = 0x7fffffff, /* bytes of a model file: just under 2 GiB */
};

typedef enum gali_layer_kind {
#define LAYER(id, name, formula) GALI_LAYER_##id,
#include "network/layers.def"
#undef LAYER
    GALI_LAYER_KIND_COUNT
} gali_layer_kind;

typedef enum gali_weight_type {
    GALI_WEIGHT_F32 = 0,
    GALI_WEIGHT_F16,
    GALI_WEIGHT_BF16,
    GALI_WEIGHT_INT8, /* of dense layers alone, like int16: scales[E][N][blocks] times these */
    GALI_WEIGHT_INT16,
    GALI_WEIGHT_TYPE_COUNT
} gali_weight_type;

typedef enum gali_input_state {
    GALI_INPUT_LIVE = 0,
    GALI_INPUT_MASKED,   /* the network always sees the mean */
    GALI_INPUT_CONSTANT, /* the feature always equals input_constant */
    GALI_INPUT_STATE_COUNT
} gali_input_state;

/*
 * One layer as stored. Values inside its arrays may be unaligned: read them with gali_model_weight and so on.
 *
 * Layers make values: value 0 of a list of layers is what the list is given (the normalised x; the gate's
 * features), value i + 1 what layer i makes. A layer's input is what its sources name, joined; without sources it is
 * the value before it, whole. So a zeroed tail is a link of a chain.
 */
typedef struct gali_model_layer {
    gali_layer_kind kind;
    gali_activation activation;
    uint32_t experts, inputs, outputs; /* E, K, N */
    gali_weight_type weight_type;
    const void *weights;   /* [E][N][columns] of weight_type; columns by the kind: K for dense (layer.h) */
                           /* sparse: [E][patches][16][8] */
    const void *biases;    /* [E][N] float32; none where there are no columns */
    float slope;           /* of leaky ReLU, else 0 */
    float epsilon;         /* > 0 of layer_norm, else 0 */
    uint32_t source_count; /* 0: the value before */
    const void *sources;   /* [source_count][3] uint32: gali_source */
    uint32_t block;     /* of int8, int16: inputs that share a scale; 0: all of int8's, and for other types */
    const void *scales; /* [E][N][blocks] bfloat16 of the integers, else unused */
    uint32_t patches;   /* of sparse layers: those that are there, else 0 */
    const void *mask;   /* of sparse layers: which (sparse.h), else unused */
} gali_model_layer;

/* A slice of a value: elements [first, first + count). */
typedef struct gali_source {
    uint32_t value, first, count;
} gali_source;

/* A gating network: layers without experts over some features of x, then a softmax. Used with GAL_GATE_NETWORK. */
typedef struct gali_gating {
    uint32_t top; /* experts kept; 0: all */
    uint32_t input_count;
    const void *features; /* [input_count] uint32, possibly unaligned: indices into x */
    uint32_t layer_count;
    gali_model_layer layers[GALI_GATING_LAYERS_MAX];
} gali_gating;

/* Little-endian float32 arrays, possibly unaligned; NULL where frames == 0. */
typedef struct gali_golden {
    uint32_t frames;
    uint32_t blend_width; /* 1: phase; E: blend */
    float tolerance;      /* root mean square error that is allowed, of each feature's own spread */
    const void *x;        /* [frames][inputs] */
    const void *blend;    /* [frames][blend_width] */
    const void *y;        /* [frames][outputs] */
} gali_golden;

typedef struct gali_model {
    gal_gate_kind gate;
    uint32_t experts; /* E of the gate */
    gali_gating gating;
    uint32_t layer_count;
    gali_model_layer layers[GALI_LAYERS_MAX];
    uint32_t inputs, outputs;
    const void *input_mean, *input_std;   /* [inputs] float32, possibly unaligned, like the next four */
    const void *output_mean, *output_std; /* [outputs] float32 */
    const void *input_state;              /* [inputs] uint32, gali_input_state */
    const void *input_constant;           /* [inputs] float32 */
    gali_golden golden;
    const char *contract; /* not terminated; NULL if absent */
    size_t contract_size;
    const char *provenance; /* not terminated; NULL if absent */
    size_t provenance_size;
} gali_model;

/* Float32 or uint32 i of a little-endian, possibly unaligned array. */
float gali_model_f32(const void *array, size_t i);
uint32_t gali_model_u32(const void *array, size_t i);

/*
 * Weight i of [E][N][columns], widened to float32 (exactly: an integer times a bfloat16); 0 where a sparse layer has
 * none.
 */
float gali_model_weight(const gali_model_layer *layer, size_t i);

/* Weight i of int8 or int16 (0 where a sparse layer has none), and the scale of a block of a row (e * N + n), a bfloat16. */
int16_t gali_model_integer(const gali_model_layer *layer, size_t i);
uint16_t gali_model_scale(const gali_model_layer *layer, size_t row, uint32_t block);

/* Weight i as it is stored: of sparse layers another order, of integers without their scale. */
float gali_model_stored(const gali_model_layer *layer, size_t i);

/* Source i of a layer, which has sources. */
gali_source gali_model_source(const gali_model_layer *layer, uint32_t i);

/*
 * Checks all that docs/format.md asks of size bytes at data (any alignment), the finiteness of every value
 * included, and fills *model with pointers into them; nothing is allocated. The contract's text is checked
 * by gali_contract_parse alone. On failure *model is zero.
 */
gal_status gali_model_read(gali_model *model, const void *data, size_t size, gal_error *error);

/* Size in bytes of the file that gali_model_write makes; 0 if the model breaks a limit. */
size_t gali_model_write_size(const gali_model *model);

/*
 * *placed = *model with its arrays and texts pointing to where gali_model_write puts them in bytes: a maker
 * that fills them there holds the weights once, and writing copies nothing. The counts of model must be set,
 * its arrays need not be; its texts' pointers say whether they are there. Does nothing if write_size is 0.
 */
void gali_model_place(gali_model *placed, const gali_model *model, void *bytes);

/* Writes the file image into exactly write_size bytes. Equal models give equal bytes. */
void gali_model_write(const gali_model *model, void *bytes);

#endif
