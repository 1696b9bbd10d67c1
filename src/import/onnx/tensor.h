/* Tensors of ONNX's messages as types and bytes of the graph. */
#ifndef GALI_IMPORT_ONNX_TENSOR_H
#define GALI_IMPORT_ONNX_TENSOR_H

#include "graph/graph.h"
#include "onnx.pb-c.h"

/* The element of a TensorProto.DataType; GALI_ELEMENT_COUNT if graphs have none such (strings, complex numbers ...). */
gali_element gali_onnx_element(int data_type);

/*
 * Type and data of a tensor. Raw bytes stay where the message has them; numbers in fields are written into the arena as
 * raw bytes are: little-endian. `what` names it in messages. Errors: GAL_BAD_DATA (an element that graphs have not,
 * data elsewhere, a count that the shape does not ask for), GAL_NO_MEMORY.
 */
gal_status gali_onnx_tensor_read(const Onnx__TensorProto *tensor, gali_arena *arena, const char *what,
                                 gali_type *type, const void **data, gal_error *error);

#endif
