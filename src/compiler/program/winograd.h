/*
 * Convolutions of 3x3 windows by Winograd's minimal filtering (Lavin and Gray, Fast Algorithms for Convolutional Neural
 * Networks, 2015): tiles of t x t results from 36 products (t = 4) or 16 (t = 2) instead of 144 or 36.
 */
#ifndef GALI_COMPILER_PROGRAM_WINOGRAD_H
#define GALI_COMPILER_PROGRAM_WINOGRAD_H

#include "compiler/program/convolution.h"

/*
 * Puts stages of transforms and a product in place of convolutions for which they are the cheaper, of a program that is not
 * fused yet. What is chosen follows from shapes alone, so targets have the same bits; results are rounded otherwise than
 * those of the sum, and where a number is infinite or none, so are all results of its tile. GAL_NO_MEMORY.
 */
gal_status gali_program_winograd(gali_program *program, gal_error *error);

/*
 * The size of the tiles by which a convolution is cheapest, 0: by the sum. work: gets what it costs then, in multiply-adds,
 * those of transforms counted twice, since they wait for memory. The program's ranges are known.
 */
uint32_t gali_winograd_tile(const gali_program *program, const gali_conv *conv, double *work);

/* Groups of a fused program that go on with a convolution which another one began. */
uint32_t gali_program_stretches(const gali_program *program);

#endif
