/* What a nonlinear part of a program computes, told by its values: it may be spelled in any way. */
#ifndef GALI_IMPORT_ONNX_IDENTIFY_H
#define GALI_IMPORT_ONNX_IDENTIFY_H

#include "gallop/network.h"
#include "import/onnx_program.h"
#include "kernels/kernels.h"

typedef enum gali_onnx_what {
    GALI_ONNX_UNKNOWN = 0,
    GALI_ONNX_ACTIVATION, /* number by number, or softmax over the last axis */
    GALI_ONNX_LAYER_NORM, /* (x - mean) / sqrt(variance + epsilon) over the last axis */
    GALI_ONNX_PHASE_GATE, /* the blend of a phase in radians, an input of the graph */
} gali_onnx_what;

typedef struct gali_onnx_identity {
    gali_onnx_what what;
    uint32_t base; /* the step that it is a function of, and of nothing else */
    gali_activation activation;
    double slope, epsilon;
    gal_gate_kind gate;
    uint32_t experts;
} gali_onnx_identity;

/* Of a step that depends on an input. 0 if it failed; what is GALI_ONNX_UNKNOWN if it is none of these. */
int gali_onnx_identify(gali_onnx_program *program, uint32_t step, gali_onnx_identity *identity);

#endif
