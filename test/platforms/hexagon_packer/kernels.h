/* Kernels of the kinds that networks of int8 are made of, for the packer to pack: products in the three forms of the chapter
 * (vrmpy, vmpy, vmpa), sums, requantisation, pooling. Sizes are in vectors of 128 bytes but depth, in bytes. */
#ifndef TEST_HEXAGON_PACKER_KERNELS_H
#define TEST_HEXAGON_PACKER_KERNELS_H

#include <hexagon_types.h>

/* rows (of four) rows of 128 sums each; in[rows][depth], w[depth / 4]. */
void dense_vrmpy(const unsigned char *in, const HVX_Vector *w, HVX_Vector *out, int depth, int rows);
/* rows (of two) rows; in[rows][4 depth], w[depth]. */
void dense_vmpy(const unsigned char *in, const HVX_Vector *w, HVX_VectorPair *out, int depth, int rows);
void dense_vmpa(const unsigned char *in, const HVX_VectorPair *w, HVX_VectorPair *out, int depth, int rows);
/* The chapter's example: r = a + b + c, bytes into halves. */
void add3(const HVX_Vector *a, const HVX_Vector *b, const HVX_Vector *c, HVX_VectorPair *r, int count);
/* Four vectors of int32 sums become one of bytes. */
void requant(const HVX_Vector *sums, const HVX_Vector *bias, HVX_Vector *out, int count, int scale, int shift);
void relu_add(const HVX_Vector *a, const HVX_Vector *b, HVX_Vector *out, int count);
void pool2(const HVX_Vector *a, const HVX_Vector *b, HVX_Vector *out, int count);
void depthwise(const HVX_Vector *in, const int *w, HVX_VectorPair *out, int count, int stride);
void unaligned(const unsigned char *in, HVX_Vector *out, int count);

#endif
