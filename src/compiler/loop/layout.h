/*
 * Where the elements of a buffer lie. Plain buffers are dense rows. A packed constant has its own dimensions; at most
 * one of them is ragged: parts of nearly equal size, back to back, so that no part carries padding. With Q elements in
 * all dimensions inside of the parts but the part's own,
 *     offset = first(total, parts, i) * Q + the offset within a block whose part dimension is as long as part i.
 */
#ifndef GALI_COMPILER_LOOP_LAYOUT_H
#define GALI_COMPILER_LOOP_LAYOUT_H

#include "compiler/loop/loop.h"

enum { GALI_LOOP_NOT_RAGGED = GALI_LOOP_RANK_MAX };

/* The ragged dimension of a layout (with `total`) and its inner part; GALI_LOOP_NOT_RAGGED without. */
uint32_t gali_layout_ragged(const gali_loop_buffer *buffer);
uint32_t gali_layout_part(const gali_loop_buffer *buffer);

/* Offset of index[rank] in a buffer whose dimensions are now extent[rank] long. */
size_t gali_layout_offset(const gali_loop_buffer *buffer, const uint32_t *extent, const uint32_t *index);

/* Whether two constants are laid out alike. */
int gali_layout_same(const gali_loop_buffer *a, const gali_loop_buffer *b);

/* Product of the layout's extents inside of dimension d, without the part's. */
size_t gali_layout_inside(const gali_loop_buffer *buffer, uint32_t d);

#endif
