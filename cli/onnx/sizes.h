/* Text of sizes that an ONNX model leaves open: "batch=1,length=8..512", "batch=1+2..8". */
#ifndef GALI_CLI_ONNX_SIZES_H
#define GALI_CLI_ONNX_SIZES_H

#include "import/onnx/file.h"

enum { GALI_SIZE_LARGEST = 1 << 29 };

/*
 * Parts between commas, each NAME=N or NAME=LEAST..MOST from 1 to GALI_SIZE_LARGEST, or some of these joined by +, each
 * behind the one before without a gap; no name twice; a name may have any character but a comma. "" are none. In the arena. GAL_BAD_ARGUMENT with the part; GAL_NO_MEMORY.
 */
gal_status gali_onnx_sizes_read(gali_onnx_sizes *sizes, gali_arena *arena, const char *text, gal_error *error);

#endif
