/* Writes a bench network as an ONNX model, just the parts of the format that its graph needs. */
#ifndef GALLOP_BENCH_ONNX_MODEL_H
#define GALLOP_BENCH_ONNX_MODEL_H

#include "peer.h"

/* How a blended layer is spelled. */
typedef enum onnx_spelling {
    ONNX_EXPANDED, /* Reshape(Unsqueeze(w) * Unsqueeze(x)) MatMul W: the textbook Eq. 6 */
    ONNX_BLENDED,  /* Unsqueeze(x) MatMul Reshape(w MatMul W): weights blended first, then a batched product */
    ONNX_WIDE,     /* Unsqueeze(w) MatMul Reshape(x MatMul W): all experts' outputs, then their blend */
    ONNX_SPELLINGS
} onnx_spelling;

/*
 * Inputs "x" [C][K] and "w" [C][E] with C free, output "y" [C][N]; each layer as spelled + w MatMul B, then Elu. The
 * bytes are freed with bench_free.
 */
void *onnx_model_write(const bench_network *network, onnx_spelling spelling, size_t *size);

#endif
