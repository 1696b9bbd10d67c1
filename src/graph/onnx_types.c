#include "graph/onnx_types.h"

#include <stddef.h>

const char *gali_onnx_type_name(int64_t onnx) {
    static const char *const names[] = {
        "UNDEFINED",      "FLOAT",      "UINT8",          "INT8",       "UINT16",   "INT16",
        "INT32",          "INT64",      "STRING",         "BOOL",       "FLOAT16",  "DOUBLE",
        "UINT32",         "UINT64",     "COMPLEX64",      "COMPLEX128", "BFLOAT16", "FLOAT8E4M3FN",
        "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4",      "INT4",     "FLOAT4E2M1",
    };
    return onnx >= 0 && (size_t)onnx < sizeof names / sizeof *names ? names[onnx] : "UNKNOWN";
}
