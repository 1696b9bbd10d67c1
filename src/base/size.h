/*
 * Overflow-checked size arithmetic. All sizes that come from a file or a caller go through here.
 * A failed operation sticks: the result is GALI_SIZE_BAD, and everything made from it is too.
 */
#ifndef GALI_BASE_SIZE_H
#define GALI_BASE_SIZE_H

#include <stddef.h>
#include <stdint.h>

#define GALI_SIZE_BAD SIZE_MAX

static inline size_t gali_size_add(size_t a, size_t b) {
    return a == GALI_SIZE_BAD || b == GALI_SIZE_BAD || a > SIZE_MAX - 1 - b ? GALI_SIZE_BAD : a + b;
}

static inline size_t gali_size_mul(size_t a, size_t b) {
    if (a == GALI_SIZE_BAD || b == GALI_SIZE_BAD) {
        return GALI_SIZE_BAD;
    }
    return b != 0 && a > (SIZE_MAX - 1) / b ? GALI_SIZE_BAD : a * b;
}

/* Up to the next multiple of alignment, a power of two. */
static inline size_t gali_size_align(size_t a, size_t alignment) {
    size_t up = gali_size_add(a, alignment - 1);
    return up == GALI_SIZE_BAD ? up : up & ~(alignment - 1);
}

#endif
