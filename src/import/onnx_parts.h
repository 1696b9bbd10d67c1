/* Values (onnx_sums.h) as layers of a network: the rows between layers, and which layer makes a value. */
#ifndef GALI_IMPORT_ONNX_PARTS_H
#define GALI_IMPORT_ONNX_PARTS_H

#include "import/onnx_recognise.h"

/* Numbers in one row of v. */
size_t gali_onnx_value_features(const gali_onnx_value *v);

/* A term of v's axes that reads elements first.. of a row in v's own order, one for each place. */
gali_onnx_term gali_onnx_row_term(const gali_onnx_value *v, uint32_t leaf, uint32_t width, uint32_t first);

/* A row in the place of v. NULL if it failed. */
gali_onnx_value *gali_onnx_row_like(gali_onnx_network *network, const gali_onnx_value *v,
                                    const gali_onnx_slice_of *slice);

/* The functions below return 0 if they failed; *made is what the layer makes, whole. */

/* Adds a layer, copied. */
int gali_onnx_part_add(gali_onnx_network *network, const gali_onnx_part *part, gali_onnx_slice_of *made);

/* v as a row: the one that it is, or a layer's that makes it. */
int gali_onnx_part_row(gali_onnx_network *network, const gali_onnx_value *v, gali_onnx_slice_of *slice);

/* A layer that makes activation(v). */
int gali_onnx_part_apply(gali_onnx_network *network, const gali_onnx_value *v, gali_activation activation,
                         double slope, gali_onnx_slice_of *made);

/*
 * A sum of rows alone is a layer that adds: whoever multiplies it then has one row, not several. v itself where it is
 * none; NULL if it failed.
 */
gali_onnx_value *gali_onnx_part_sum(gali_onnx_network *network, gali_onnx_value *v);

/* Whether a layer can hold products of terms of v and w: each has one blend and one other row at most. */
int gali_onnx_part_blends(const gali_onnx_network *network, const gali_onnx_value *v, const gali_onnx_value *w);

#endif
