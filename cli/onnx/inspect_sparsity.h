/* `gallop inspect --sparsity`: what is zero in a model's weights, and how that is stored. */
#ifndef GALI_CLI_INSPECT_SPARSITY_H
#define GALI_CLI_INSPECT_SPARSITY_H

#include "compiler/program/program.h"

/*
 * Prints, for each layer with constant weights of a fused program, the share of zeros, the patterns that its 3x3 kernels follow,
 * how it is stored, and the bytes of that storage's integers beside those of CSR.
 */
void gali_inspect_sparsity(const gali_program *program);

#endif
