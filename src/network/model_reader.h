/*
 * Inside the model reader: its state, shared by model_read.c (header, table, small sections) and
 * model_read_layers.c (layers and the gating network).
 */
#ifndef GALI_NETWORK_MODEL_READER_H
#define GALI_NETWORK_MODEL_READER_H

#include "base/compiler.h"
#include "network/model_layout.h"

typedef struct gali_reader_section {
    const unsigned char *bytes; /* NULL: not in the file */
    size_t offset, size;        /* in the file */
} gali_reader_section;

typedef struct gali_reader {
    const unsigned char *bytes;
    size_t size;
    gali_model *model;
    gal_error *error;
    gali_reader_section sections[GALI_SECTION_COUNT];
} gali_reader;

/* GAL_BAD_DATA with the message. */
GALI_PRINTF(2, 3) gal_status gali_reader_bad(const gali_reader *reader, const char *format, ...);

uint64_t gali_reader_u64(const void *array);

/* All count float32 at section offset `at` finite. what: the array's name. */
gal_status gali_reader_finite(const gali_reader *reader, const char *tag, const char *what, const void *array,
                              size_t count, size_t at);

/* The LAYR section; then inputs and outputs of the model are known. */
gal_status gali_reader_layers(const gali_reader *reader);

/*
 * The mask of a sparse layer, checked, of the `left` bytes at `at`, which is offset `offset` of the section `tag`; then
 * the layer has its patches and *size is what it takes. Layers of other kinds have none. `where` is "layer 3".
 */
gal_status gali_reader_mask(const gali_reader *reader, const char *tag, uint32_t index, gali_model_layer *layer,
                            const unsigned char *at, size_t offset, size_t left, size_t *size);

/* The stored weights of a sparse layer, which start at `offset`: finite, in range, 0 beyond its outputs and inputs. */
gal_status gali_reader_patches(const gali_reader *reader, const char *tag, uint32_t index,
                               const gali_model_layer *layer, size_t offset);

/* What follows the head of GATE: nothing, or a gating network. Comes after the layers. */
gal_status gali_reader_gating(const gali_reader *reader);

#endif
