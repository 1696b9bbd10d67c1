/* Weights that an ONNX file keeps in files beside it, as PyTorch 2.9 and later write them, brought into it. */
#ifndef GALI_IMPORT_ONNX_EXTERNAL_H
#define GALI_IMPORT_ONNX_EXTERNAL_H

#include "import/files.h"
#include "import/onnx_wire.h"

/*
 * Reads external_data (location, offset, length; onnx.proto, TensorProto) of the graph's initialisers out of `files`
 * into their raw_data; *total is how many bytes those files have. Without any, or with files NULL, the model stays
 * as it is. Errors: GAL_BAD_DATA (a location
 * that is no plain file name, a piece outside its file), GAL_NOT_FOUND, GAL_IO, GAL_NO_MEMORY.
 */
gal_status gali_onnx_external_read(gali_onnx_wire *wire, Onnx__ModelProto *model, const gali_files *files,
                                   size_t *total, gal_error *error);

#endif
