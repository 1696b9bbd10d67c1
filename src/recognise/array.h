/* Numbers where they lie: elements of a constant as the file has them, or as they were computed. */
#ifndef GALI_RECOGNISE_ARRAY_H
#define GALI_RECOGNISE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#include "graph/element.h"

typedef struct gali_array {
    gali_element element;
    const void *data; /* little-endian, possibly unaligned; NULL: none */
} gali_array;

/* to[i] = array[at + i * stride], i < count. */
void gali_array_load(const gali_array *array, int64_t at, int64_t stride, size_t count, double *to);

#endif
