/* Writes a bench network as an ONNX model, just the parts of the format that its graph needs. */
#ifndef GALLOP_BENCH_ONNX_MODEL_H
#define GALLOP_BENCH_ONNX_MODEL_H

#include "peer.h"

/*
 * Inputs "x" [C][K] and "w" [C][E] with C free, output "y" [C][N]. Each layer is the expanded form:
 * Reshape(Unsqueeze(w) * Unsqueeze(x)) MatMul W + w MatMul B, then Elu. The bytes are freed with bench_free.
 */
void *onnx_model_write(const bench_network *network, size_t *size);

#endif
