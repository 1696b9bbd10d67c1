#include <string.h>

#include "compiler/emit/emission.h"

enum { LINE = 64 }; /* bytes */

static size_t align(gali_emission *e) {
    static const char zeros[LINE];
    gali_text_add_bytes(&e->weights, zeros, (LINE - e->weights.size % LINE) % LINE);
    return e->weights.size / sizeof(float);
}

/* Little-endian whatever this machine is. */
static void add_float(gali_emission *e, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    char bytes[4];
    for (uint32_t i = 0; i < 4; i++) {
        bytes[i] = (char)(bits >> (8 * i) & 255u);
    }
    gali_text_add_bytes(&e->weights, bytes, sizeof bytes);
}

size_t gali_emit_floats(gali_emission *e, const float *values, size_t count) {
    size_t start = align(e);
    for (size_t i = 0; i < count; i++) {
        add_float(e, values[i]);
    }
    return start;
}
