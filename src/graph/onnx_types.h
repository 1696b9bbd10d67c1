/* How ONNX calls its types of elements, for messages about those that graphs do not have. */
#ifndef GALI_GRAPH_ONNX_TYPES_H
#define GALI_GRAPH_ONNX_TYPES_H

#include <stdint.h>

/* The name of a TensorProto.DataType; "UNKNOWN" of a number that stands for none. */
const char *gali_onnx_type_name(int64_t onnx);

#endif
