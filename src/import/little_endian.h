/* Numbers into model files: little-endian, at any alignment. */
#ifndef GALI_IMPORT_LITTLE_ENDIAN_H
#define GALI_IMPORT_LITTLE_ENDIAN_H

#include <stddef.h>
#include <stdint.h>

/* array[i] = value, of an image that is being filled: so the pointer is what a gali_model has. */
void gali_put_u32(const void *array, size_t i, uint32_t value);
void gali_put_f32(const void *array, size_t i, float value);

#endif
