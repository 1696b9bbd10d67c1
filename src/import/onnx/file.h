/*
 * ONNX files as they come: unpacked, with the weights that they keep in another file, and as graphs.
 *
 *     file.c       opens and closes
 *     wire.c       bytes -> messages               limits on depth and memory, by protobuf-c
 *     external.c   weights in another file
 *     read.c       messages -> graph
 */
#ifndef GALI_IMPORT_ONNX_FILE_H
#define GALI_IMPORT_ONNX_FILE_H

#include "graph/graph.h"
#include "import/onnx/sizes.h"

/* An unpacked file. */
typedef struct gali_onnx_file gali_onnx_file;

/* The bytes of an .onnx file and of the one that it keeps weights in ("external data"; NULL: none). */
typedef struct gali_onnx_bytes {
    const void *data, *external;
    size_t size, external_size;
} gali_onnx_bytes;

/*
 * Unpacks a file; the bytes are not needed afterwards. *file is closed with gali_onnx_close. Errors: GAL_BAD_DATA,
 * GAL_NO_MEMORY; GAL_NOT_FOUND if it keeps weights in another file and none is given; GAL_UNSUPPORTED if this build has no
 * ONNX import. *file is NULL then.
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

/* Bytes of the file and of the other one. */
size_t gali_onnx_file_bytes(const gali_onnx_file *file);

/* The file's own words on where it comes from, for a model file's provenance; returns its length, below size. */
size_t gali_onnx_provenance(const gali_onnx_file *file, char *text, size_t size);

#endif
