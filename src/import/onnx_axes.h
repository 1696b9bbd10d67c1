/* A value's own axes (onnx_sums.h): splitting, joining, aligning them without changing what the value is. */
#ifndef GALI_IMPORT_ONNX_AXES_H
#define GALI_IMPORT_ONNX_AXES_H

#include "import/onnx_sums.h"

/* Own axis of size s becomes two, of s / inner and inner. NULL if it failed. */
gali_onnx_value *gali_onnx_axis_split(gali_onnx_algebra *algebra, const gali_onnx_value *v, uint32_t own,
                                      int32_t inner);

/* Whether own axes own and own + 1 step through every factor as one would. */
int gali_onnx_axis_can_join(const gali_onnx_value *v, uint32_t own);

/* Makes one of own axes own and own + 1, which can join, in place. */
void gali_onnx_axis_join(gali_onnx_value *v, uint32_t own);

/* Takes an own axis out of the value and its terms, in place. */
void gali_onnx_axis_remove(gali_onnx_value *v, uint32_t own);

/* Makes an axis of the shape of one own axis at most; v itself where it is so. NULL if it failed. */
gali_onnx_value *gali_onnx_axis_flatten(gali_onnx_algebra *algebra, gali_onnx_value *v, uint32_t axis);

/* Splits the own axes of axis i of *v and axis j of *w, of the same size, until they are the same. 0 if it failed. */
int gali_onnx_axis_align(gali_onnx_algebra *algebra, gali_onnx_value **v, uint32_t i, gali_onnx_value **w,
                         uint32_t j);

#endif
