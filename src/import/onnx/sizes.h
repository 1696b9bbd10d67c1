/* What the user says of the sizes that an ONNX file leaves open. */
#ifndef GALI_IMPORT_ONNX_SIZES_H
#define GALI_IMPORT_ONNX_SIZES_H

#include <stdint.h>

enum { GALI_ONNX_PARTS_MAX = 8 };

/* least..most, both at least 1; where they are the same the size is that number. */
typedef struct gali_onnx_size {
    const char *name; /* as `gallop inspect` prints it */
    int64_t least, most;
    /* ranges that matter by themselves, which are least..most together, ascending; 1: there are none */
    uint32_t part_count;
    int64_t parts[GALI_ONNX_PARTS_MAX][2];
} gali_onnx_size;

typedef struct gali_onnx_sizes {
    const gali_onnx_size *list; /* [count] */
    uint32_t count;
} gali_onnx_sizes;

#endif
