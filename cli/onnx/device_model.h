/* An ONNX model on an OpenCL device, its kernels built when it is opened: `gallop run --target opencl`. */
#ifndef GALI_CLI_DEVICE_MODEL_H
#define GALI_CLI_DEVICE_MODEL_H

#include "gpu/run.h"
#include "onnx/onnx_model.h"
#include "onnx/run_ports.h"

/*
 * Runs an opened model, which is made a program here, on device `number` of `gallop probe --list`. The ports have inputs, and
 * memory for outputs. choice: NULL, the default. Errors: those of gal_gpu_open; GAL_BAD_DATA for sizes that the model refuses.
 */
gal_status gali_device_model_run(gali_onnx_model *model, const gali_run_ports *ports, uint32_t number,
                                 const gali_gpu_choice *choice, int times, gal_error *error);

#endif
