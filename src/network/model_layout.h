/*
 * Where things stand in a model file (docs/format.md): what the reader and the writer share, so that the
 * two cannot disagree. Sizes are GALI_SIZE_BAD where they overflow.
 */
#ifndef GALI_NETWORK_MODEL_LAYOUT_H
#define GALI_NETWORK_MODEL_LAYOUT_H

#include "network/model.h"

#define GALI_MAGIC "GALLOP\r\n"

enum {
    GALI_FORMAT_VERSION = 2,
    GALI_HEADER_SIZE = 32,
    GALI_ENTRY_SIZE = 32, /* of the section table */
    GALI_TABLE_MAX = 16,  /* sections */
    GALI_SECTION_ALIGNMENT = 64,
    GALI_GATE_SIZE = 16,
    GALI_GATING_SIZE = 16, /* the counts of a gating network, behind it */
    GALI_LAYER_HEADER_SIZE = 40,
    GALI_SOURCE_SIZE = 12,
    GALI_GOLDEN_HEADER_SIZE = 32,
    GALI_CONTRACT_MAX = 1 << 20,
    GALI_PROVENANCE_MAX = 1 << 16,
};

/* In the order in which they are written; the first three are required. */
typedef enum gali_section {
    GALI_SECTION_GATE,
    GALI_SECTION_NORM,
    GALI_SECTION_LAYR,
    GALI_SECTION_CNTR,
    GALI_SECTION_GOLD,
    GALI_SECTION_PROV,
    GALI_SECTION_COUNT,
    GALI_SECTIONS_REQUIRED = GALI_SECTION_CNTR
} gali_section;

extern const char gali_section_tags[GALI_SECTION_COUNT][5];

/* Bytes of a stored weight. */
size_t gali_weight_size(gali_weight_type type);

/* Weights that a layer has in the file: of sparse ones those of whole patches. */
size_t gali_layer_stored(const gali_model_layer *layer);

/* Bytes of a layer's sources, of its weights with their padding, of its biases. */
size_t gali_layer_sources_size(const gali_model_layer *layer);
size_t gali_layer_weights_size(const gali_model_layer *layer);
size_t gali_layer_scales_size(const gali_model_layer *layer);

/* Scales of a row of int8 or int16; 0 for other types. */
size_t gali_layer_blocks(const gali_model_layer *layer);
size_t gali_layer_biases_size(const gali_model_layer *layer);

/* Bytes of the sections GATE, NORM and GOLD of a model with these counts. */
size_t gali_gate_size(const gali_model *model);
size_t gali_norm_size(const gali_model *model);
size_t gali_golden_size(const gali_model *model);

/* Points the model's arrays to where they lie in a section at bytes. */
void gali_norm_place(gali_model *model, const unsigned char *bytes);
void gali_golden_place(gali_model *model, const unsigned char *bytes);

#endif
