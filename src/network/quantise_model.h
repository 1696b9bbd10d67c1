/* Models of fewer bits: a model file whose dense layers store what a precision runs on. */
#ifndef GALI_NETWORK_QUANTISE_MODEL_H
#define GALI_NETWORK_QUANTISE_MODEL_H

#include "network/precision.h"

/* For `layer`: all of them. */
#define GALI_QUANTISE_ALL 0xffffffffu

/*
 * Bytes of the file that gali_quantise_model makes; 0 if the model breaks a limit. precision: fp16, bf16, int16 or int8,
 * and its block; bf16-dot stores bfloat16. layer: of the network's list, or GALI_QUANTISE_ALL.
 */
size_t gali_quantise_model_size(const gali_model *model, gali_precision precision, uint32_t layer);

/*
 * Writes the model to exactly so many bytes, its dense layers' weights in the precision; the gate's stay as they are. Weights of
 * masked and constant inputs become 0; what constant ones add goes into the biases, rounded once. The golden frames stay,
 * and their tolerance becomes the precision's, if it was less. GAL_BAD_DATA if a weight is too large, GAL_NO_MEMORY.
 */
gal_status gali_quantise_model(const gali_model *model, gali_precision precision, uint32_t layer, void *bytes,
                               gal_error *error);

/* Root mean square error of an output, of its spread over the golden frames, that these allow a precision. */
float gali_quantise_tolerance(gal_precision precision);

#endif
