/*
 * Descs of older hosts: the caller's struct_size says how much of the struct its version has. What it does not have is
 * zero, the default of every field; what this library does not know of a newer one is not read.
 */
#ifndef GALI_BASE_DESC_H
#define GALI_BASE_DESC_H

#include <stdint.h>
#include <string.h>

/* Fills all[size] from the caller's desc (NULL: all zero) of struct_size bytes (0: size). */
static inline void gali_desc_read(void *all, size_t size, const void *desc, uint32_t struct_size) {
    size_t known = struct_size && struct_size < size ? struct_size : size;
    memset(all, 0, size);
    if (desc) {
        memcpy(all, desc, known);
    }
}

#endif
