/*
 * Imports ONNX networks of MatMul, Einsum, activations and the like, with blended layers in any spelling. Nothing is
 * returned that does not compute what the graph computes: both are run on the same inputs first.
 */
#ifndef GALI_IMPORT_ONNX_IMPORT_H
#define GALI_IMPORT_ONNX_IMPORT_H

#include "graph/graph.h"
#include "import/onnx_sizes.h"
#include "network/model.h"

/* An unpacked file. */
typedef struct gali_onnx_file gali_onnx_file;

/* The bytes of an .onnx file and of the one that it keeps weights in ("external data"; NULL: none). */
typedef struct gali_onnx_bytes {
    const void *data, *external;
    size_t size, external_size;
} gali_onnx_bytes;

/*
 * Unpacks a file; the bytes are not needed afterwards. *file is closed with gali_onnx_close. Errors: GAL_BAD_DATA,
 * GAL_NO_MEMORY; GAL_UNSUPPORTED if this build has no ONNX import. *file is NULL then.
 */
gal_status gali_onnx_open(gali_onnx_file **file, const gali_onnx_bytes *bytes, gal_error *error);

/* NULL is allowed. */
void gali_onnx_close(gali_onnx_file *file);

/*
 * The file's graph (import/onnx/read.h), in the arena, with sizes as they are asked for (NULL: as the file has them);
 * constants stay in the file, which must outlive it. Errors: GAL_BAD_DATA, GAL_UNSUPPORTED with the node, GAL_NO_MEMORY;
 * GAL_BAD_ARGUMENT for a size that the file has not, with those that it has.
 */
gal_status gali_onnx_graph(gali_graph **out, const gali_onnx_file *file, const gali_onnx_sizes *sizes,
                           gali_arena *arena, gal_error *error);

/* Zero-initialise; zero means the default. */
typedef struct gali_onnx_desc {
    const char
        *contract; /* text for the model file; NULL: features are opaque, named as the graph's inputs are */
    size_t contract_size;
    const gal_allocator *allocator; /* of the image; NULL: the C library */
} gali_onnx_desc;

/* What was found. */
typedef struct gali_onnx_report {
    uint32_t inputs, outputs, layers, experts, gate_layers, gate_features;
    gal_gate_kind gate;
    int input_normalised, output_normalised;
    char gate_input[64]; /* the graph's input that is the phase or the blend; empty: none is */
    uint32_t golden_frames;
    double worst; /* largest difference between graph and layers, of a frame's root mean square */
} gali_onnx_report;

/*
 * Makes the image of a model file, released with gali_release(allocator, *image, *size). Errors: GAL_BAD_DATA, with
 * the node that cannot be imported and why; GAL_NO_MEMORY. *image is NULL then.
 */
gal_status gali_onnx_import(const gali_onnx_file *file, const gali_onnx_desc *desc, void **image, size_t *size,
                            gali_onnx_report *report, gal_error *error);

#endif
