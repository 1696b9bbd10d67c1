/* Products of values (onnx_sums.h), summed over the axes that are not put out. */
#ifndef GALI_IMPORT_ONNX_PRODUCTS_H
#define GALI_IMPORT_ONNX_PRODUCTS_H

#include "import/onnx_sums.h"

/* What a step of kind GALI_ONNX_PRODUCT makes of its one or two operands. NULL if it failed. */
gali_onnx_value *gali_onnx_value_product(gali_onnx_algebra *algebra, const gali_onnx_program *program,
                                         const gali_onnx_step *step, gali_onnx_value *const *operands);

#endif
