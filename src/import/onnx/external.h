/*
 * Weights that an ONNX file keeps in another file, as PyTorch writes them by default from 2.9 on, brought into it. The
 * path in the file is never followed: whoever imports says which file it is.
 */
#ifndef GALI_IMPORT_ONNX_EXTERNAL_H
#define GALI_IMPORT_ONNX_EXTERNAL_H

#include "import/onnx/wire.h"

/*
 * Copies external_data (location, offset, length; onnx.proto, TensorProto) of the graph's initialisers into their
 * raw_data, out of the size bytes of the one file that all of them are in. Errors: GAL_NOT_FOUND (bytes is NULL and there
 * is such data), GAL_BAD_DATA (not NULL and there is none; two locations; a piece outside), GAL_NO_MEMORY.
 */
gal_status gali_onnx_external_read(gali_onnx_wire *wire, Onnx__ModelProto *model, const void *bytes,
                                   size_t size, gal_error *error);

#endif
