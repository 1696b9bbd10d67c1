/* Numbers into model files: little-endian, at any alignment. */
#ifndef GALI_BASE_LITTLE_ENDIAN_H
#define GALI_BASE_LITTLE_ENDIAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* array[i] = value, of an image that is being filled: so the pointer is what a gali_model has. */
static inline void gali_put_u16(const void *array, size_t i, uint16_t value) {
    unsigned char *at = (unsigned char *)array + 2 * i;
    at[0] = (unsigned char)value;
    at[1] = (unsigned char)(value >> 8);
}

static inline void gali_put_u32(const void *array, size_t i, uint32_t value) {
    unsigned char *at = (unsigned char *)array + 4 * i;
    at[0] = (unsigned char)value;
    at[1] = (unsigned char)(value >> 8);
    at[2] = (unsigned char)(value >> 16);
    at[3] = (unsigned char)(value >> 24);
}

static inline void gali_put_f32(const void *array, size_t i, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    gali_put_u32(array, i, bits);
}

#endif
